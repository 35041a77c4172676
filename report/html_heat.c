#include "html.h"
#include "bits.h"
#include "math.h"
#include "str.h"

/* How warm a drive was over the run: one chart of what it said of itself in each step, with its own limit. */

/* Plotted as degrees above LOWEST_C: an axis has no numbers below 0.  What lies outside of these bounds
 * stands in the table only.  LOWEST_C is a multiple of all steps between ticks. */
enum { LOWEST_C = -100, HIGHEST_C = 200, SHOWN_LOOKS = 200, TICKS_MAX = 8 };

/* ---- the looks, in the journal's order ---- */
struct look {
    uint64_t step, at_ms, run_ms; /* run_ms: since the run began */
    int64_t celsius;
    bool slowed;
    bool is_shown; /* has a place in the chart: the beginning of its step is known */
};
struct look_walk {
    struct run_lines lines;
    struct journal_line line;
    struct json_value times, degrees;
    size_t time_cursor, degree_cursor;
    uint64_t step, step_began_ns;
    bool in_line, has_step;
    uint64_t first_t_ns;
};

static void walk_start(struct look_walk *w, const struct html *h)
{
    run_lines_of(&w->lines, h->run, h->drive.d.name);
    w->in_line = w->has_step = false;
    w->first_t_ns = h->run->first_t_ns;
}

static bool next_line(struct look_walk *w, const char *disk)
{
    while (run_lines_next(&w->lines, &w->line)) {
        if (str_equal(w->line.ev, "step_start")) {
            w->step = event_u64(&w->line, "step");
            w->step_began_ns = w->line.t_ns;
            w->has_step = true;
        } else if (str_equal(w->line.ev, "temperature") && event_is(&w->line, "disk", disk)) {
            w->time_cursor = w->degree_cursor = 0;
            return true;
        }
    }
    return false;
}

static bool next_in_line(struct look_walk *w, struct look *out)
{
    struct json_value time, degree;

    if (!json_member(&w->line.body, "at_ms", &w->times) || w->times.kind != JSON_ARRAY ||
        !json_member(&w->line.body, "celsius", &w->degrees) || w->degrees.kind != JSON_ARRAY)
        return false;
    do {
        if (!json_next(&w->times, &w->time_cursor, NULL, &time) ||
            !json_next(&w->degrees, &w->degree_cursor, NULL, &degree))
            return false;
    } while (!json_to_u64(&time, &out->at_ms) || !json_to_i64(&degree, &out->celsius));
    return true;
}

static bool walk_next(struct look_walk *w, const char *disk, struct look *out)
{
    for (;;) {
        if (!w->in_line && !next_line(w, disk))
            return false;
        w->in_line = next_in_line(w, out);
        if (!w->in_line)
            continue;
        out->step = event_u64(&w->line, "step");
        out->slowed = event_u64(&w->line, "slowed");
        out->run_ms = (w->step_began_ns - w->first_t_ns) / NS_PER_MS + out->at_ms;
        out->is_shown = w->has_step && w->step == out->step && w->step_began_ns >= w->first_t_ns &&
                        out->at_ms < UINT64_MAX / NS_PER_S && out->celsius >= LOWEST_C &&
                        out->celsius <= HIGHEST_C;
        return true;
    }
}

/* ---- the chart ---- */
struct extent {
    uint64_t looks, shown, last_ms;
    bool slowed;                   /* in some step */
    int64_t min_c, max_c, limit_c; /* limit_c above HIGHEST_C: the drive names none */
};

static void measure(struct html *h, struct extent *e)
{
    struct journal_line health;
    struct json_value values, limit;
    struct look_walk w;
    struct look look;

    *e = (struct extent){ .min_c = HIGHEST_C, .max_c = LOWEST_C, .limit_c = HIGHEST_C + 1 };
    walk_start(&w, h);
    while (walk_next(&w, h->drive.d.name, &look)) {
        e->looks++;
        if (!look.is_shown)
            continue;
        e->shown++;
        e->slowed |= look.slowed;
        e->last_ms = max_u64(e->last_ms, look.run_ms);
        e->min_c = look.celsius < e->min_c ? look.celsius : e->min_c;
        e->max_c = look.celsius > e->max_c ? look.celsius : e->max_c;
    }
    if (!e->shown || !h->drive.health_before || !run_line_at(h->run, h->drive.health_before, &health) ||
        !json_member(&health.body, "values", &values) ||
        !json_member(&values, "temperature_warning_c", &limit) || !json_to_i64(&limit, &e->limit_c) ||
        e->limit_c < e->min_c || e->limit_c > HIGHEST_C) {
        e->limit_c = HIGHEST_C + 1;
        return;
    }
    e->max_c = e->limit_c > e->max_c ? e->limit_c : e->max_c;
}

static void label_celsius(struct text *t, uint64_t above_lowest)
{
    text_i64(t, (int64_t)above_lowest + LOWEST_C);
}

/* Ticks at multiples of 5, 10, 20 or 50 degrees, the first not above the coldest, the last above the warmest.
 */
static void fit_celsius(struct plot_axis *a, uint64_t *ticks, const struct extent *e)
{
    static const unsigned steps[] = { 5, 10, 20, 50 };
    uint64_t lo = (uint64_t)(e->min_c - LOWEST_C), hi = (uint64_t)(e->max_c - LOWEST_C), step = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(steps); i++) {
        step = steps[i];
        a->lo = lo / step * step;
        a->hi = (hi / step + 1) * step;
        if ((a->hi - a->lo) / step < TICKS_MAX)
            break;
    }
    a->ticks = ticks;
    for (a->tick_count = 0; a->tick_count < TICKS_MAX && a->lo + a->tick_count * step <= a->hi;
         a->tick_count++)
        ticks[a->tick_count] = a->lo + a->tick_count * step;
}

/* Time in thousandths of the unit that suits the run's length. */
static uint64_t fit_time(struct plot_axis *a, uint64_t last_ms)
{
    static const struct {
        uint64_t from_ms, unit_ms;
        const char *title;
    } units[] = { { 10 * 3600000ull, 3600000, "hours since the run began" },
                  { 600000, 60000, "minutes since the run began" },
                  { 0, 1000, "seconds since the run began" } };
    unsigned i = 0;

    while (last_ms < units[i].from_ms)
        i++;
    a->title = units[i].title;
    plot_fit_end(a, mul_div_u64(last_ms, 1000, units[i].unit_ms));
    return units[i].unit_ms;
}

static void put_hover(const struct plot *p, const struct look *look, uint64_t unit_ms)
{
    char title[120];
    struct text t = text_over(title, sizeof title);

    text_fixed(&t, look->run_ms, 3);
    text_fmt(&t, " s, step %llu: %lld \xc2\xb0", (unsigned long long)look->step, (long long)look->celsius);
    text_str(&t, look->slowed ? "C, slowed itself down" : "C");
    (look->slowed ? plot_point : plot_hover)(p, look->slowed ? 3 : 0,
                                             mul_div_u64(look->run_ms, 1000, unit_ms),
                                             (uint64_t)(look->celsius - LOWEST_C), title);
}

/* Of many looks the warmest of a few that follow each other is drawn. */
static void draw(struct html *h, const struct plot *p, const struct extent *e, uint64_t unit_ms, bool line)
{
    uint64_t every = (e->shown + SHOWN_LOOKS - 1) / SHOWN_LOOKS, joined = 0, left = e->shown;
    struct look look, warmest = { 0 };
    struct look_walk w;

    walk_start(&w, h);
    while (left && walk_next(&w, h->drive.d.name, &look)) {
        if (!look.is_shown)
            continue;
        left--;
        if (!joined++ || look.celsius > warmest.celsius)
            warmest = look;
        if (joined < every && left)
            continue;
        joined = 0;
        if (line)
            plot_vertex(p, mul_div_u64(warmest.run_ms, 1000, unit_ms),
                        (uint64_t)(warmest.celsius - LOWEST_C));
        else
            put_hover(p, &warmest, unit_ms);
    }
}

static void put_looks(struct html *h)
{
    struct look_walk w;
    struct look look;

    pen_str(h->pen,
            "<details><summary>Values</summary><div class=\"wide\"><table class=\"values\"><thead><tr>"
            "<th>step</th><th>since it began, s</th><th>\xc2\xb0"
            "C</th><th></th></tr></thead><tbody>");
    walk_start(&w, h);
    while (!h->pen->out->failed && walk_next(&w, h->drive.d.name, &look)) {
        pen_fmt(h->pen, "<tr><td>%llu</td><td>", (unsigned long long)look.step);
        pen_fixed(h->pen, look.at_ms, 3);
        pen_fmt(h->pen, "</td><td>%lld</td><td class=\"l\">%s</td></tr>", (long long)look.celsius,
                look.slowed ? "slowed itself down" : "");
    }
    pen_str(h->pen, "</tbody></table></div></details>");
}

static void put_chart(struct html *h, const struct extent *e)
{
    uint64_t ticks[TICKS_MAX], unit_ms, limit = (uint64_t)(e->limit_c - LOWEST_C);
    struct plot p = { .pen = h->pen,
                      .x = { .label = plot_label_thousandths },
                      .y = { .label = label_celsius,
                             .title = "\xc2\xb0"
                                      "C" } };

    unit_ms = fit_time(&p.x, e->last_ms);
    fit_celsius(&p.y, ticks, e);
    plot_begin(&p, "Temperature over time");
    if (e->limit_c <= HIGHEST_C) {
        plot_line_begin(&p, 1);
        plot_vertex(&p, p.x.lo, limit);
        plot_vertex(&p, p.x.hi, limit);
        plot_line_end(&p);
    }
    plot_line_begin(&p, 0);
    draw(h, &p, e, unit_ms, true);
    plot_line_end(&p);
    draw(h, &p, e, unit_ms, false);
    plot_end(&p);
}

static void put_legend(struct html *h, const struct extent *e)
{
    char words[60];
    struct text t = text_over(words, sizeof words);

    pen_str(h->pen, "<ul class=\"legend\">");
    plot_legend(h->pen, 0, "the drive");
    if (e->slowed)
        plot_legend(h->pen, 3, "while it slowed itself down");
    if (e->limit_c <= HIGHEST_C) {
        text_fmt(&t, "its own limit for a warning: %lld \xc2\xb0", (long long)e->limit_c);
        text_str(&t, "C");
        plot_legend(h->pen, 1, words);
    }
    pen_str(h->pen, "</ul>");
}

void html_put_heat(struct html *h)
{
    struct extent e;

    measure(h, &e);
    if (!e.looks)
        return;
    pen_str(h->pen, "<figure><figcaption>Temperature over time</figcaption>");
    if (e.shown) {
        put_chart(h, &e);
        put_legend(h, &e);
    } else {
        pen_str(h->pen, "<p class=\"none\">No chart: when their steps began is not in the journal.</p>");
    }
    put_looks(h);
    pen_str(h->pen, "</figure>\n");
}
