#include "html.h"
#include "bits.h"
#include "math.h"
#include "str.h"

/* Charts of one drive, each with its values in a table under it.  Of equal settings the first cell counts:
 * later ones are other places of the disk, or ran beside other disks. */

/* ---- curves: cells that differ in one setting alone ---- */
struct view {
    bool by_depth; /* x is the depth and a curve one block size; else the other way round */
    bool iops;     /* y */
};
struct curve {
    const struct html_cell *like; /* one of its cells */
    unsigned points;
};

static uint64_t x_of(const struct view *v, const struct html_cell *c)
{
    return v->by_depth ? c->depth : c->block_bytes;
}

static uint64_t y_of(const struct view *v, const struct html_cell *c)
{
    return v->iops ? c->iops_milli : c->bytes_per_s;
}

static bool is_same_curve(const struct view *v, const struct html_cell *a, const struct html_cell *b)
{
    return str_equal(a->rw, b->rw) && (v->by_depth ? a->block_bytes == b->block_bytes : a->depth == b->depth);
}

/* The curves with the most points, at most PLOT_SERIES_MAX, in the order in which they ran. */
static unsigned find_curves(const struct html_drive *d, const struct view *v, struct curve *curves)
{
    unsigned count = 0;

    for (unsigned i = 0; i < d->cell_count; i++) {
        struct curve new = { .like = &d->cell[i] };
        bool known = !new.like->is_point;
        unsigned fewest = 0;

        for (unsigned k = 0; k < i && !known; k++)
            known = d->cell[k].is_point && is_same_curve(v, &d->cell[k], new.like);
        if (known)
            continue;
        for (unsigned k = i; k < d->cell_count; k++)
            new.points += d->cell[k].is_point &&is_same_curve(v, &d->cell[k], new.like);
        if (count < PLOT_SERIES_MAX) {
            curves[count++] = new;
            continue;
        }
        for (unsigned k = 1; k < count; k++)
            if (curves[k].points <= curves[fewest].points)
                fewest = k;
        if (curves[fewest].points >= new.points)
            continue;
        for (unsigned k = fewest; k + 1 < count; k++)
            curves[k] = curves[k + 1];
        curves[count - 1] = new;
    }
    return count;
}

/* The curve's next point behind x; NULL at its end. */
static const struct html_cell *next_point(const struct html_drive *d, const struct view *v,
                                          const struct curve *c, uint64_t x)
{
    const struct html_cell *next = NULL;

    for (unsigned i = 0; i < d->cell_count; i++) {
        const struct html_cell *cell = &d->cell[i];

        if (cell->is_point && x_of(v, cell) > x && (!next || x_of(v, cell) < x_of(v, next)) &&
            is_same_curve(v, cell, c->like))
            next = cell;
    }
    return next;
}

static void curve_name(struct text *t, const struct view *v, const struct html_cell *c)
{
    struct html_cell plain = *c;

    if (!v->by_depth) {
        html_setting(t, &plain);
        return;
    }
    text_size(t, c->block_bytes);
    text_str(t, c->random ? ", random" : ", sequential");
}

/* ---- figures ---- */
static void begin_figure(struct html *h, const char *title)
{
    pen_fmt(h->pen, "<figure><figcaption>%s</figcaption>", title);
    h->figures++;
}

static void begin_values(struct html *h, const char *head)
{
    pen_fmt(
        h->pen,
        "<details><summary>Values</summary><div class=\"wide\"><table class=\"values\"><thead><tr>%s</tr></thead><tbody>",
        head);
}

static void end_figure(struct html *h) { pen_str(h->pen, "</tbody></table></div></details></figure>\n"); }

static void point_title(struct text *t, const struct html_cell *c)
{
    text_size(t, c->block_bytes);
    text_str(t, " ");
    html_setting(t, c);
    text_str(t, ": ");
    text_fixed(t, c->bytes_per_s / 100000, 1);
    text_str(t, " MB/s, ");
    text_fixed(t, c->iops_milli, 3);
    text_str(t, " IOPS");
}

static void draw_curve(const struct html_drive *d, const struct plot *p, const struct view *v,
                       const struct curve *c, unsigned series)
{
    char title[120];

    if (c->points > 1) {
        plot_line_begin(p, series);
        for (const struct html_cell *at = next_point(d, v, c, 0); at; at = next_point(d, v, c, x_of(v, at)))
            plot_vertex(p, x_of(v, at), y_of(v, at));
        plot_line_end(p);
    }
    for (const struct html_cell *at = next_point(d, v, c, 0); at; at = next_point(d, v, c, x_of(v, at))) {
        struct text t = text_over(title, sizeof title);

        point_title(&t, at);
        plot_point(p, series, x_of(v, at), y_of(v, at), title);
    }
}

static void put_curve_values(struct html *h, const struct view *v, const struct curve *c)
{
    char name[60];

    for (const struct html_cell *at = next_point(&h->drive, v, c, 0); at;
         at = next_point(&h->drive, v, c, x_of(v, at))) {
        struct text t = text_over(name, sizeof name);

        html_setting(&t, at);
        pen_str(h->pen, "<tr><td>");
        pen_escaped(h->pen, name);
        pen_str(h->pen, "</td><td>");
        html_size(h->pen, at->block_bytes);
        pen_str(h->pen, "</td><td>");
        if (v->iops)
            pen_fixed(h->pen, at->iops_milli, 3);
        else
            pen_u64(h->pen, at->bytes_per_s);
        pen_str(h->pen, "</td></tr>");
    }
}

static void put_curves(struct html *h, const struct view *v, const struct curve *curves, unsigned count,
                       const char *title)
{
    struct plot p = { .pen = h->pen,
                      .x = { .scale = PLOT_LOG2,
                             .label = v->by_depth ? text_u64 : plot_label_bytes,
                             .title = v->by_depth ? "requests in flight (QD)" : "block size" },
                      .y = { .scale = PLOT_LOG10,
                             .label = v->iops ? plot_label_thousandths : plot_label_megabytes,
                             .title = v->iops ? "IOPS (logarithmic)" : "MB/s (logarithmic)" } };
    uint64_t min[2] = { UINT64_MAX, UINT64_MAX }, max[2] = { 0, 0 };
    char name[60];

    for (unsigned i = 0; i < count; i++)
        for (const struct html_cell *at = next_point(&h->drive, v, &curves[i], 0); at;
             at = next_point(&h->drive, v, &curves[i], x_of(v, at))) {
            min[0] = min_u64(min[0], x_of(v, at));
            max[0] = max_u64(max[0], x_of(v, at));
            min[1] = min_u64(min[1], y_of(v, at));
            max[1] = max_u64(max[1], y_of(v, at));
        }
    plot_fit(&p.x, min[0], max[0]);
    plot_fit(&p.y, min[1], max[1]);
    begin_figure(h, title);
    plot_begin(&p, title);
    for (unsigned i = 0; i < count; i++)
        draw_curve(&h->drive, &p, v, &curves[i], i);
    plot_end(&p);
    pen_str(h->pen, "<ul class=\"legend\">");
    for (unsigned i = 0; i < count; i++) {
        struct text t = text_over(name, sizeof name);

        curve_name(&t, v, curves[i].like);
        plot_legend(h->pen, i, name);
    }
    pen_str(h->pen, "</ul>");
    begin_values(h, v->iops ? "<th>Setting</th><th>Block</th><th>IOPS</th>"
                            : "<th>Setting</th><th>Block</th><th>bytes/s</th>");
    for (unsigned i = 0; i < count; i++)
        put_curve_values(h, v, &curves[i]);
    end_figure(h);
}

/* Curves of fewer points than that are left out. */
static void put_view(struct html *h, const struct view *v, unsigned least_points, const char *title)
{
    struct curve curves[PLOT_SERIES_MAX];
    unsigned found = find_curves(&h->drive, v, curves), count = 0, all = 0;

    for (unsigned i = 0; i < found; i++)
        if (curves[i].points >= least_points) {
            all += curves[i].points;
            curves[count++] = curves[i];
        }
    if (all >= 2)
        put_curves(h, v, curves, count, title);
}

static bool has_curve(struct html *h, const struct view *v, unsigned points)
{
    struct curve curves[PLOT_SERIES_MAX];
    unsigned found = find_curves(&h->drive, v, curves);

    for (unsigned i = 0; i < found; i++)
        if (curves[i].points >= points)
            return true;
    return false;
}

/* ---- latency percentiles ---- */
/* The axis of percentiles shows how rare a latency is: 1000 times "one in so many".  It begins at the median.
 */
enum { MEDIAN_PPM = 500000 };

static uint64_t rarity(uint32_t ppm) { return 1000000000 / (1000000 - ppm); }

static void label_rarity(struct text *t, uint64_t v)
{
    html_percentile_name(t, (uint32_t)(1000000 - 1000000000 / v));
}

/* Of random and of sequential cells some each, evenly from the first to the last, in the order of the run. */
enum { SHOWN_RANDOM = 3, SHOWN_SEQUENTIAL = 2, SHOWN_LATENCIES = SHOWN_RANDOM + SHOWN_SEQUENTIAL };

static unsigned count_latencies(const struct html_drive *d, bool random)
{
    unsigned count = 0;

    for (unsigned i = 0; i < d->cell_count; i++)
        count += d->cell[i].has_p90 && d->cell[i].is_point && d->cell[i].random == random;
    return count;
}

static unsigned find_latencies(const struct html_drive *d, const struct html_cell **out)
{
    unsigned all[2] = { count_latencies(d, false), count_latencies(d, true) }, seen[2] = { 0, 0 }, count = 0;

    for (unsigned i = 0; i < d->cell_count; i++) {
        const struct html_cell *c = &d->cell[i];
        unsigned n = all[c->random], k, wanted = c->random ? SHOWN_RANDOM : SHOWN_SEQUENTIAL;

        if (!c->has_p90 || !c->is_point)
            continue;
        k = seen[c->random]++;
        /* True for `wanted` values of k in 0..n-1, the first and the last among them. */
        if (n <= wanted || k * (wanted - 1) % (n - 1) < wanted - 1)
            out[count++] = c;
    }
    return count;
}

static void latency_name(struct text *t, const struct html_cell *c)
{
    text_size(t, c->block_bytes);
    text_str(t, " ");
    html_setting(t, c);
}

static void draw_latency(struct html *h, const struct plot *p, const struct html_cell *c, unsigned series)
{
    struct journal_line l;
    char title[120];
    uint64_t ns;

    if (!run_line_at(h->run, c->at, &l))
        return;
    plot_line_begin(p, series);
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
        if (percentile_ppm[i] >= MEDIAN_PPM && html_percentile(&l, percentile_ppm[i], &ns))
            plot_vertex(p, rarity(percentile_ppm[i]), ns);
    plot_line_end(p);
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        struct text t = text_over(title, sizeof title);

        if (percentile_ppm[i] < MEDIAN_PPM || !html_percentile(&l, percentile_ppm[i], &ns))
            continue;
        latency_name(&t, c);
        text_str(&t, ": ");
        html_percentile_name(&t, percentile_ppm[i]);
        text_str(&t, " within ");
        text_duration(&t, ns);
        plot_point(p, series, rarity(percentile_ppm[i]), ns, title);
    }
}

static void fit_latencies(struct html *h, struct plot *p, const struct html_cell *const *cells,
                          unsigned count)
{
    uint64_t min = UINT64_MAX, max = 0, ns;
    uint32_t highest = 900000;
    struct journal_line l;

    for (unsigned i = 0; i < count; i++) {
        if (!run_line_at(h->run, cells[i]->at, &l))
            continue;
        for (unsigned k = 0; k < PERCENTILE_COUNT; k++)
            if (percentile_ppm[k] >= MEDIAN_PPM && html_percentile(&l, percentile_ppm[k], &ns)) {
                min = min_u64(min, ns);
                max = max_u64(max, ns);
                highest = percentile_ppm[k] > highest ? percentile_ppm[k] : highest;
            }
    }
    p->x.lo = rarity(MEDIAN_PPM);
    p->x.hi = rarity(highest);
    plot_fit(&p->y, min, max);
}

static void put_latency_values(struct html *h, const struct html_cell *const *cells, unsigned count)
{
    struct journal_line l;
    char name[24];
    uint64_t ns;

    for (unsigned k = 0; k < PERCENTILE_COUNT; k++) {
        struct text t = text_over(name, sizeof name);

        html_percentile_name(&t, percentile_ppm[k]);
        pen_fmt(h->pen, "<tr><td>%s</td>", name);
        for (unsigned i = 0; i < count; i++) {
            pen_str(h->pen, "<td>");
            if (run_line_at(h->run, cells[i]->at, &l) && html_percentile(&l, percentile_ppm[k], &ns))
                pen_u64(h->pen, ns);
            pen_str(h->pen, "</td>");
        }
        pen_str(h->pen, "</tr>");
    }
}

static void put_latencies(struct html *h)
{
    static const uint64_t ticks[] = { 2000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000 };
    struct plot p = { .pen = h->pen,
                      .x = { .scale = PLOT_LOG10,
                             .label = label_rarity,
                             .title = "share of reads that were answered within",
                             .ticks = ticks,
                             .tick_count = ARRAY_COUNT(ticks) },
                      .y = {
                          .scale = PLOT_LOG10, .label = plot_label_time, .title = "latency (logarithmic)" } };
    const struct html_cell *cells[SHOWN_LATENCIES];
    unsigned count = find_latencies(&h->drive, cells);
    char name[60];

    if (!count)
        return;
    fit_latencies(h, &p, cells, count);
    begin_figure(h, "Latency percentiles");
    plot_begin(&p, "Latency percentiles");
    for (unsigned i = 0; i < count; i++)
        draw_latency(h, &p, cells[i], i);
    plot_end(&p);
    pen_str(h->pen, "<ul class=\"legend\">");
    for (unsigned i = 0; i < count; i++) {
        struct text t = text_over(name, sizeof name);

        latency_name(&t, cells[i]);
        plot_legend(h->pen, i, name);
    }
    pen_str(h->pen,
            "</ul><details><summary>Values</summary><div class=\"wide\"><table class=\"values\"><thead><tr>"
            "<th>ns</th>");
    for (unsigned i = 0; i < count; i++) {
        struct text t = text_over(name, sizeof name);

        latency_name(&t, cells[i]);
        pen_str(h->pen, "<th>");
        pen_escaped(h->pen, name);
        pen_str(h->pen, "</th>");
    }
    pen_str(h->pen, "</tr></thead><tbody>");
    put_latency_values(h, cells, count);
    end_figure(h);
}

/* ---- the transfer curve over the disk: at least three places, over at least half of it ---- */
enum { WHOLE = 10000 }; /* the disk, in hundredths of a percent */

static void label_percent(struct text *t, uint64_t v)
{
    text_u64(t, v / 100);
    text_str(t, " %");
}

static uint64_t middle_of(const struct html_drive *d, const struct html_cell *c)
{
    return min_u64(mul_div_u64(c->first_lba + c->span_lbas / 2, WHOLE, d->lba_count), WHOLE);
}

static unsigned count_zones(const struct html_drive *d, const struct html_cell *like)
{
    unsigned count = 0;

    for (unsigned i = 0; i < d->cell_count; i++)
        count += d->cell[i].is_zone && html_cells_are_alike(&d->cell[i], like);
    return count;
}

static const struct html_cell *next_zone(const struct html_drive *d, const struct html_cell *like,
                                         const struct html_cell *last)
{
    const struct html_cell *next = NULL;

    for (unsigned i = 0; i < d->cell_count; i++) {
        const struct html_cell *c = &d->cell[i];

        if (c->is_zone && (!last || c->first_lba > last->first_lba) &&
            (!next || c->first_lba < next->first_lba) && html_cells_are_alike(c, like))
            next = c;
    }
    return next;
}

static void draw_zones(struct html *h, const struct plot *p, const struct html_cell *like)
{
    char title[120];

    plot_line_begin(p, 0);
    for (const struct html_cell *c = next_zone(&h->drive, like, NULL); c; c = next_zone(&h->drive, like, c))
        plot_vertex(p, middle_of(&h->drive, c), c->bytes_per_s);
    plot_line_end(p);
    for (const struct html_cell *c = next_zone(&h->drive, like, NULL); c; c = next_zone(&h->drive, like, c)) {
        struct text t = text_over(title, sizeof title);

        text_fmt(&t, "from LBA %llu: ", (unsigned long long)c->first_lba);
        text_fixed(&t, c->bytes_per_s / 100000, 1);
        text_str(&t, " MB/s");
        plot_point(p, 0, middle_of(&h->drive, c), c->bytes_per_s, title);
    }
}

static void put_zones(struct html *h)
{
    static const uint64_t ticks[] = { 0, 2500, 5000, 7500, WHOLE };
    const struct html_drive *d = &h->drive;
    const struct html_cell *like = NULL;
    uint64_t max = 0, last = 0;
    unsigned most = 2;
    struct plot p = { .pen = h->pen,
                      .x = { .hi = WHOLE,
                             .label = label_percent,
                             .title = "place on the disk, first to last block",
                             .ticks = ticks,
                             .tick_count = ARRAY_COUNT(ticks) },
                      .y = { .label = plot_label_megabytes, .title = "MB/s" } };
    char name[60];
    struct text t = text_over(name, sizeof name);

    for (unsigned i = 0; i < d->cell_count && d->lba_count; i++)
        if (d->cell[i].is_zone && count_zones(d, &d->cell[i]) > most) {
            most = count_zones(d, &d->cell[i]);
            like = &d->cell[i];
        }
    if (!like)
        return;
    for (const struct html_cell *c = next_zone(d, like, NULL); c; c = next_zone(d, like, c)) {
        max = max_u64(max, c->bytes_per_s);
        last = middle_of(d, c);
    }
    if (last - middle_of(d, next_zone(d, like, NULL)) < WHOLE / 2)
        return;
    plot_fit(&p.y, 0, max);
    begin_figure(h, "Transfer curve over the disk");
    plot_begin(&p, "Transfer curve over the disk");
    draw_zones(h, &p, like);
    plot_end(&p);
    latency_name(&t, like);
    pen_str(h->pen, "<ul class=\"legend\">");
    plot_legend(h->pen, 0, name);
    pen_str(h->pen, "</ul>");
    begin_values(h, "<th>First LBA</th><th>Blocks</th><th>bytes/s</th>");
    for (const struct html_cell *c = next_zone(d, like, NULL); c; c = next_zone(d, like, c))
        pen_fmt(h->pen, "<tr><td>%llu</td><td>%llu</td><td>%llu</td></tr>", (unsigned long long)c->first_lba,
                (unsigned long long)c->span_lbas, (unsigned long long)c->bytes_per_s);
    end_figure(h);
}

void html_put_charts(struct html *h)
{
    static const struct view rate = { false, false }, requests = { false, true }, depth = { true, true };
    enum { DEPTHS_FOR_A_CURVE = 3, ACROSS = 3 };
    bool by_depth = has_curve(h, &depth, DEPTHS_FOR_A_CURVE);

    h->figures = 0;
    /* Single points of many depths stand in their own chart. */
    put_view(h, &rate, by_depth ? 2 : 1, "Throughput by block size");
    put_view(h, &requests, by_depth ? 2 : 1, "Requests per second by block size");
    if (by_depth)
        put_view(h, &depth, DEPTHS_FOR_A_CURVE, "Requests per second by depth");
    put_latencies(h);
    put_zones(h);
    h->figures += h->drive.heat;
    /* Rows of three on a desk, and at least two over time. */
    html_put_time(h, h->figures % ACROSS == ACROSS - 1 ? ACROSS + 1 : ACROSS - h->figures % ACROSS);
}
