#include "html.h"
#include "bits.h"
#include "math.h"
#include "str.h"

/* How a drive went over time: one small chart for each of a few jobs, from the series of the journal. */

enum { LEAST_POINTS = 8, PANEL_BUCKETS = 100, SPARK_BUCKETS = 48 };

/* A series in `count` buckets of `length_ns` each; the last point, which may be shorter than the others, is
 * left out. */
struct history {
    unsigned count, per_bucket;
    uint64_t length_ns;
};

static unsigned count_points(const struct journal_line *series)
{
    struct json_value all, v;
    size_t cursor = 0;
    unsigned count = 0;

    if (!json_member(&series->body, "ios", &all) || all.kind != JSON_ARRAY ||
        !event_u64(series, "interval_ns"))
        return 0;
    while (count < 2 * SERIES_MAX_POINTS && json_next(&all, &cursor, NULL, &v))
        count++;
    return count > 1 ? count - 1 : 0;
}

/* The array's numbers, joined per bucket by sum or by maximum, into values[0..count). */
static void join(const struct journal_line *series, const char *key, const struct history *hist, bool sum,
                 uint64_t *values)
{
    struct json_value all, v;
    size_t cursor = 0;
    uint64_t number;

    memset(values, 0, hist->count * sizeof *values);
    if (!json_member(&series->body, key, &all) || all.kind != JSON_ARRAY)
        return;
    for (unsigned i = 0; i / hist->per_bucket < hist->count && json_next(&all, &cursor, NULL, &v); i++) {
        uint64_t *to = &values[i / hist->per_bucket];

        if (!json_to_u64(&v, &number))
            continue;
        if (!sum)
            *to = max_u64(*to, number);
        else
            *to = *to + number < *to ? UINT64_MAX : *to + number;
    }
}

/* False: too short to be looked at. */
static bool read_history(const struct journal_line *series, unsigned buckets, struct history *out)
{
    unsigned points = count_points(series);

    if (points < LEAST_POINTS)
        return false;
    out->per_bucket = (points + buckets - 1) / buckets;
    out->count = points / out->per_bucket;
    out->length_ns = mul_div_u64(event_u64(series, "interval_ns"), out->per_bucket, 1);
    return out->length_ns < UINT64_MAX / buckets;
}

/* Requests become thousandths of requests per second. */
static void read_rates(const struct journal_line *series, const struct history *hist, uint64_t *values)
{
    join(series, "ios", hist, true, values);
    for (unsigned i = 0; i < hist->count; i++)
        values[i] = mul_div_u64(values[i], 1000 * NS_PER_S, hist->length_ns);
}

/* ---- in a row of the results ---- */
void html_put_spark(struct html *h, const struct journal_line *step_end)
{
    struct journal_line series;
    struct history hist;
    uint64_t min = UINT64_MAX, max = 0;
    char title[80];

    if (!run_find_series(h->run, step_end, &series) || !read_history(&series, SPARK_BUCKETS, &hist))
        return;
    read_rates(&series, &hist, h->points);
    for (unsigned i = 0; i < hist.count; i++) {
        min = min_u64(min, h->points[i]);
        max = max_u64(max, h->points[i]);
    }
    str_fmt(title, sizeof title, "over time: %llu to %llu IOPS", (unsigned long long)(min / 1000),
            (unsigned long long)(max / 1000));
    plot_spark(h->pen, h->points, hist.count, title);
}

/* ---- panels ---- */
struct panel {
    const struct html_cell *cell;
    unsigned points;
};

/* Longer ones first, random before sequential, later before earlier; of equal settings one. */
static bool is_better(const struct panel *a, const struct panel *b)
{
    if (a->points != b->points)
        return a->points > b->points;
    return a->cell->random != b->cell->random ? a->cell->random : a->cell > b->cell;
}

static unsigned find_panels(struct html *h, struct panel *panels, unsigned wanted)
{
    struct journal_line l, series;
    unsigned count = 0;

    for (unsigned i = 0; i < h->drive.cell_count; i++) {
        struct panel new = { .cell = &h->drive.cell[i] };
        unsigned at;

        if (!new.cell->is_point || !run_line_at(h->run, new.cell->at, &l) ||
            !run_find_series(h->run, &l, &series))
            continue;
        new.points = count_points(&series);
        if (new.points < LEAST_POINTS)
            continue;
        for (at = count; at && is_better(&new, &panels[at - 1]); at--)
            if (at < wanted)
                panels[at] = panels[at - 1];
        if (at >= wanted)
            continue;
        panels[at] = new;
        count += count < wanted;
    }
    return count;
}

static void label_seconds(struct text *t, uint64_t ns) { plot_label_thousandths(t, ns / NS_PER_MS); }

static void draw_panel(struct html *h, const struct plot *p, const struct history *hist)
{
    char title[100];

    plot_line_begin(p, 0);
    for (unsigned i = 0; i < hist->count; i++)
        plot_vertex(p, hist->length_ns * i + hist->length_ns / 2, h->points[i]);
    plot_line_end(p);
    for (unsigned i = 0; i < hist->count; i++) {
        struct text t = text_over(title, sizeof title);

        text_str(&t, "from ");
        label_seconds(&t, hist->length_ns * i);
        text_str(&t, " s: ");
        text_fixed(&t, h->points[i], 3);
        text_str(&t, " IOPS");
        plot_hover(p, 0, hist->length_ns * i + hist->length_ns / 2, h->points[i], title);
    }
}

static void put_panel_values(struct html *h, const struct journal_line *series, const struct history *hist)
{
    uint64_t *ios = h->points, *bytes = h->points + PANEL_BUCKETS, *max_ns = h->points + 2 * PANEL_BUCKETS;

    join(series, "ios", hist, true, ios);
    join(series, "bytes", hist, true, bytes);
    join(series, "max_ns", hist, false, max_ns);
    pen_str(h->pen,
            "<details><summary>Values</summary><div class=\"wide\"><table class=\"values\"><thead><tr>"
            "<th>from, s</th><th>reads</th><th>bytes</th><th>longest, ns</th></tr></thead><tbody>");
    for (unsigned i = 0; i < hist->count; i++) {
        pen_str(h->pen, "<tr><td>");
        pen_fixed(h->pen, hist->length_ns * i / NS_PER_MS, 3);
        pen_fmt(h->pen, "</td><td>%llu</td><td>%llu</td><td>%llu</td></tr>", (unsigned long long)ios[i],
                (unsigned long long)bytes[i], (unsigned long long)max_ns[i]);
    }
    pen_str(h->pen, "</tbody></table></div></details>");
}

static void put_panel(struct html *h, const struct html_cell *c)
{
    struct plot p = { .pen = h->pen,
                      .x = { .label = label_seconds, .title = "seconds" },
                      .y = { .label = plot_label_thousandths, .title = "IOPS" } };
    struct journal_line l, series;
    struct history hist;
    uint64_t max = 0;

    if (!run_line_at(h->run, c->at, &l) || !run_find_series(h->run, &l, &series) ||
        !read_history(&series, PANEL_BUCKETS, &hist))
        return;
    read_rates(&series, &hist, h->points);
    for (unsigned i = 0; i < hist.count; i++)
        max = max_u64(max, h->points[i]);
    plot_fit_end(&p.x, hist.length_ns * hist.count);
    plot_fit(&p.y, 0, max);
    pen_str(h->pen, "<figure><figcaption>Over time: ");
    pen_member(h->pen, &l, "job");
    pen_str(h->pen, "</figcaption>");
    plot_begin(&p, "Requests per second over time");
    draw_panel(h, &p, &hist);
    plot_end(&p);
    put_panel_values(h, &series, &hist);
    pen_str(h->pen, "</figure>\n");
}

void html_put_time(struct html *h, unsigned wanted)
{
    struct panel panels[HTML_PANELS_MAX];
    unsigned count = find_panels(h, panels, wanted < HTML_PANELS_MAX ? wanted : HTML_PANELS_MAX);

    for (unsigned i = 0; i < count; i++)
        put_panel(h, panels[i].cell);
}
