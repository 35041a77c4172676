#include "plot.h"
#include "bits.h"
#include "math.h"
#include "str.h"

/* Everything is placed in tenths of the picture's units. */
enum { WIDTH = 4400, HEIGHT = 2600, LEFT = 540, RIGHT = 4080, TOP = 260, BOTTOM = 2200 };
enum { SPARK_WIDTH = 960, SPARK_HEIGHT = 200 };

/* ---- scales ---- */
/* 65536 times the logarithm to base 2, by squaring; v > 0. */
static uint64_t log2_fixed(uint64_t v)
{
    uint64_t whole = log2_u64(v), rest = whole > 31 ? v >> (whole - 31) : v << (31 - whole), bits = 0;

    for (unsigned i = 0; i < 16; i++) {
        rest = rest * rest >> 31;
        bits <<= 1;
        if (rest >> 32) {
            rest >>= 1;
            bits |= 1;
        }
    }
    return whole << 16 | bits;
}

/* Where v lies between lo and hi, as a part of `length`. */
static uint64_t place(const struct plot_axis *a, uint64_t v, uint64_t length)
{
    v = max_u64(a->lo, min_u64(a->hi, v));
    if (a->scale == PLOT_LINEAR)
        return mul_div_u64(v - a->lo, length, a->hi - a->lo);
    return (log2_fixed(v) - log2_fixed(a->lo)) * length / (log2_fixed(a->hi) - log2_fixed(a->lo));
}

static uint64_t place_x(const struct plot *p, uint64_t v) { return LEFT + place(&p->x, v, RIGHT - LEFT); }

static uint64_t place_y(const struct plot *p, uint64_t v) { return BOTTOM - place(&p->y, v, BOTTOM - TOP); }

/* The largest of 1, 2, 5, 10, 20 ... that is not above v. */
static uint64_t nice_below(uint64_t v)
{
    uint64_t ten = 1;

    while (v / ten >= 10)
        ten *= 10;
    return (v / ten >= 5 ? 5 : v / ten >= 2 ? 2 : 1) * ten;
}

/* The next one after a nice v; 0 when it does not fit. */
static uint64_t nice_next(uint64_t v)
{
    uint64_t next = v;

    while (next % 10 == 0)
        next /= 10;
    next = next == 2 ? v / 2 * 5 : v * 2;
    return next > v ? next : 0;
}

static uint64_t nice_above(uint64_t v)
{
    uint64_t below = nice_below(v), next = nice_next(below);

    return below == v || !next ? v : next;
}

static void fit_linear(struct plot_axis *a, uint64_t max)
{
    enum { MOST_STEPS = 5 };

    a->lo = 0;
    a->step = nice_above(max_u64(max / MOST_STEPS, 1));
    a->hi = (max / a->step + 1) * a->step; /* a line at the very top would look cut off */
    if (a->hi < max)                       /* at the end of 64 bits */
        a->hi = UINT64_MAX;
}

void plot_fit_end(struct plot_axis *a, uint64_t max)
{
    fit_linear(a, max);
    a->hi = max_u64(max, 1);
}

void plot_fit(struct plot_axis *a, uint64_t min, uint64_t max)
{
    min = max_u64(min, 1);
    max = max_u64(max, min);
    if (a->scale == PLOT_LINEAR) {
        fit_linear(a, max);
    } else if (a->scale == PLOT_LOG10) {
        a->lo = nice_below(min);
        a->hi = nice_above(max);
        if (a->hi <= a->lo) {
            a->lo = nice_below(max_u64(min / 2, 1));
            a->hi = nice_next(nice_below(max)) ? nice_next(nice_below(max)) : UINT64_MAX;
        }
    } else {
        a->lo = 1ull << log2_u64(min);
        a->hi = 1ull << log2_u64(max);
        if (a->hi < max)
            a->hi = a->hi << 1 ? a->hi << 1 : UINT64_MAX;
        if (a->hi == a->lo) {
            a->lo = max_u64(a->lo / 2, 1);
            a->hi = a->hi << 1 ? a->hi << 1 : UINT64_MAX;
        }
    }
}

/* ---- drawing ---- */
static void put_tenths(struct pen *pen, uint64_t v)
{
    pen_u64(pen, v / 10);
    if (v % 10) {
        pen_str(pen, ".");
        pen_u64(pen, v % 10);
    }
}

static void put_segment(struct pen *pen, const char *class_name, const uint64_t at[4])
{
    static const char *const names[] = { "x1", "y1", "x2", "y2" };

    pen_fmt(pen, "<line class=\"%s\"", class_name);
    for (unsigned i = 0; i < 4; i++) {
        pen_fmt(pen, " %s=\"", names[i]);
        put_tenths(pen, at[i]);
        pen_str(pen, "\"");
    }
    pen_str(pen, "/>");
}

static void put_label(struct pen *pen, const char *class_name, uint64_t x, uint64_t y, const char *words)
{
    pen_fmt(pen, "<text class=\"%s\" x=\"", class_name);
    put_tenths(pen, x);
    pen_str(pen, "\" y=\"");
    put_tenths(pen, y);
    pen_str(pen, "\">");
    pen_escaped(pen, words);
    pen_str(pen, "</text>");
}

static void put_tick(const struct plot *p, bool is_x, uint64_t v, bool labelled)
{
    const struct plot_axis *a = is_x ? &p->x : &p->y;
    uint64_t at = is_x ? place_x(p, v) : place_y(p, v);
    uint64_t line[4] = { is_x ? at : LEFT, is_x ? TOP : at, is_x ? at : RIGHT, is_x ? BOTTOM : at };
    char words[32];
    struct text t = text_over(words, sizeof words);

    put_segment(p->pen, labelled ? "g" : "g m", line);
    if (!labelled)
        return;
    a->label(&t, v);
    if (is_x)
        put_label(p->pen, "tx", at, BOTTOM + 185, words);
    else
        put_label(p->pen, "ty", LEFT - 60, at + 40, words);
}

/* Up to two decades have labels at 1, 2 and 5; more have them at powers of ten, and above eight at every
 * second. */
static void put_log10_ticks(const struct plot *p, bool is_x)
{
    const struct plot_axis *a = is_x ? &p->x : &p->y;
    uint64_t ratio = a->hi / a->lo;
    unsigned decade = 0, every = ratio > 100000000 ? 2 : 1;

    for (uint64_t v = a->lo; v && v <= a->hi; v = nice_next(v)) {
        uint64_t lead = v;

        while (lead % 10 == 0)
            lead /= 10;
        if (ratio <= 100 || lead == 1)
            put_tick(p, is_x, v, ratio <= 100 || decade++ % every == 0);
        else if (ratio <= 10000)
            put_tick(p, is_x, v, false);
    }
}

static void put_log2_ticks(const struct plot *p, bool is_x)
{
    enum { MOST_LABELS = 6 };
    const struct plot_axis *a = is_x ? &p->x : &p->y;
    unsigned octaves = log2_u64(a->hi / a->lo), every = octaves / MOST_LABELS + 1, i = 0;

    for (uint64_t v = a->lo; v && v <= a->hi; v <<= 1, i++)
        put_tick(p, is_x, v, i % every == 0);
}

static void put_axis(const struct plot *p, bool is_x)
{
    const struct plot_axis *a = is_x ? &p->x : &p->y;

    for (unsigned i = 0; i < a->tick_count; i++)
        if (a->ticks[i] >= a->lo && a->ticks[i] <= a->hi)
            put_tick(p, is_x, a->ticks[i], true);
    if (!a->tick_count && a->scale == PLOT_LOG10)
        put_log10_ticks(p, is_x);
    else if (!a->tick_count && a->scale == PLOT_LOG2)
        put_log2_ticks(p, is_x);
    else if (!a->tick_count)
        for (uint64_t v = 0; v <= a->hi; v += a->step) {
            put_tick(p, is_x, v, true);
            if (a->hi - v < a->step)
                break;
        }
    if (is_x)
        put_label(p->pen, "tx", (LEFT + RIGHT) / 2, BOTTOM + 370, a->title);
    else
        put_label(p->pen, "tt", 40, 130, a->title);
}

void plot_begin(const struct plot *p, const char *what)
{
    static const uint64_t left[4] = { LEFT, TOP, LEFT, BOTTOM }, bottom[4] = { LEFT, BOTTOM, RIGHT, BOTTOM };

    pen_fmt(p->pen, "<svg class=\"plot\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"", WIDTH / 10,
            HEIGHT / 10);
    pen_escaped(p->pen, what);
    pen_str(p->pen, "\">");
    put_axis(p, true);
    put_axis(p, false);
    put_segment(p->pen, "a", left);
    put_segment(p->pen, "a", bottom);
}

void plot_line_begin(const struct plot *p, unsigned series)
{
    pen_fmt(p->pen, "<polyline class=\"s%u\" points=\"", series);
}

void plot_vertex(const struct plot *p, uint64_t x, uint64_t y)
{
    put_tenths(p->pen, place_x(p, x));
    pen_str(p->pen, ",");
    put_tenths(p->pen, place_y(p, y));
    pen_str(p->pen, " ");
}

void plot_line_end(const struct plot *p) { pen_str(p->pen, "\"/>"); }

static void put_marker(const struct plot *p, const char *class_name, unsigned series, uint64_t x, uint64_t y,
                       const char *title)
{
    pen_fmt(p->pen, "<use class=\"s%u%s\" href=\"#m%u\" x=\"", series, class_name, series);
    put_tenths(p->pen, place_x(p, x));
    pen_str(p->pen, "\" y=\"");
    put_tenths(p->pen, place_y(p, y));
    pen_str(p->pen, "\"><title>");
    pen_escaped(p->pen, title);
    pen_str(p->pen, "</title></use>");
}

void plot_point(const struct plot *p, unsigned series, uint64_t x, uint64_t y, const char *title)
{
    put_marker(p, "", series, x, y, title);
}

void plot_hover(const struct plot *p, unsigned series, uint64_t x, uint64_t y, const char *title)
{
    put_marker(p, " q", series, x, y, title);
}

void plot_end(const struct plot *p) { pen_str(p->pen, "</svg>"); }

void plot_spark(struct pen *pen, const uint64_t *values, unsigned count, const char *title)
{
    uint64_t max = 1;

    for (unsigned i = 0; i < count; i++)
        max = max_u64(max, values[i]);
    pen_fmt(pen, "<svg class=\"spark\" viewBox=\"0 0 %u %u\" role=\"img\"><title>", SPARK_WIDTH / 10,
            SPARK_HEIGHT / 10);
    pen_escaped(pen, title);
    pen_str(pen, "</title><polyline points=\"");
    for (unsigned i = 0; i < count; i++) {
        put_tenths(pen, 10 + (SPARK_WIDTH - 20) * (uint64_t)i / max_u64(count - 1, 1));
        pen_str(pen, ",");
        put_tenths(pen, SPARK_HEIGHT - 10 - mul_div_u64(values[i], SPARK_HEIGHT - 20, max));
        pen_str(pen, " ");
    }
    pen_str(pen, "\"/></svg>");
}

/* ---- series ---- */
void plot_markers(struct pen *pen)
{
    static const char *const shapes[PLOT_SERIES_MAX] = {
        "<circle r=\"3.6\"/>",
        "<rect x=\"-3.2\" y=\"-3.2\" width=\"6.4\" height=\"6.4\"/>",
        "<path d=\"M0-4.4 4.2 3.2-4.2 3.2z\"/>",
        "<path d=\"M0-4.6 4.6 0 0 4.6-4.6 0z\"/>",
        "<path d=\"M0 4.4 4.2-3.2-4.2-3.2z\"/>",
        "<path d=\"M-1.3-4h2.6v2.7H4v2.6H1.3V4h-2.6V1.3H-4v-2.6h2.7z\"/>",
    };

    pen_str(pen, "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>");
    for (unsigned i = 0; i < PLOT_SERIES_MAX; i++)
        pen_fmt(pen, "<g id=\"m%u\"><circle class=\"hit\" r=\"9\"/>%s</g>", i, shapes[i]);
    pen_str(pen, "</defs></svg>\n");
}

void plot_legend(struct pen *pen, unsigned series, const char *label)
{
    pen_fmt(
        pen,
        "<li><svg viewBox=\"-14 -6 28 12\" aria-hidden=\"true\"><polyline class=\"s%u\" points=\"-13,0 13,0\"/>"
        "<use class=\"s%u\" href=\"#m%u\"/></svg>",
        series, series, series);
    pen_escaped(pen, label);
    pen_str(pen, "</li>");
}

/* ---- labels ---- */
/* v / 10^decimals without trailing zeros: 5000, 20k, 500k, 1M. */
static void label_decimal(struct text *t, uint64_t v, unsigned decimals)
{
    static const char *const suffix[] = { "", "k", "M", "G", "T", "P" };
    uint64_t one = 1;
    unsigned k = 0;

    for (unsigned i = 0; i < decimals; i++)
        one *= 10;
    while (v / one >= (k ? 1000u : 10000u) && k + 1 < ARRAY_COUNT(suffix)) {
        if (decimals + 3 <= 18) {
            decimals += 3;
            one *= 1000;
        } else {
            v /= 1000;
        }
        k++;
    }
    for (; decimals && v % 10 == 0; decimals--)
        v /= 10;
    text_fixed(t, v, decimals);
    text_str(t, suffix[k]);
}

void plot_label_bytes(struct text *t, uint64_t bytes) { text_size(t, bytes); }

void plot_label_megabytes(struct text *t, uint64_t bytes) { label_decimal(t, bytes, 6); }

void plot_label_thousandths(struct text *t, uint64_t milli) { label_decimal(t, milli, 3); }

void plot_label_time(struct text *t, uint64_t ns)
{
    static const char *const units[] = { " ns", " \xc2\xb5s", " ms", " s" };
    unsigned k = 0, decimals = 0;

    for (uint64_t rest = ns; rest >= 1000 && k + 1 < ARRAY_COUNT(units); rest /= 1000, k++)
        decimals += 3;
    label_decimal(t, ns, decimals);
    text_str(t, units[k]);
}
