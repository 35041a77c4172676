#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H
#include "pen.h"

/* Charts as inline SVG in integer arithmetic.  Colours and fonts are the page's (html_style.c); a series is
 * told apart by colour, marker and dashes together. */

enum { PLOT_SERIES_MAX = 6 };
enum plot_scale {
    PLOT_LINEAR,
    PLOT_LOG10, /* ticks at 1, 2, 5 times powers of ten */
    PLOT_LOG2   /* ticks at powers of two */
};
struct plot_axis {
    enum plot_scale scale;
    uint64_t lo, hi;                           /* lo < hi; logarithmic ones: lo > 0 */
    uint64_t step;                             /* linear ones: between ticks */
    void (*label)(struct text *t, uint64_t v); /* of a tick, without the unit */
    const char *title;                         /* what it is, with its unit */
    const uint64_t *ticks;                     /* instead of the scale's own; NULL: none */
    unsigned tick_count;
};
/* Sets lo and hi so that min..max (of at least one value; 0 counts as 1 on a logarithmic axis) lie within and
 * the ends are ticks. */
void plot_fit(struct plot_axis *a, uint64_t min, uint64_t max);
/* The same for a linear axis from 0 that ends at max itself. */
void plot_fit_end(struct plot_axis *a, uint64_t max);

struct plot {
    struct pen *pen;
    struct plot_axis x, y;
};
/* Frame, grid and labels.  `what` is read to those who cannot see it. */
void plot_begin(const struct plot *p, const char *what);
void plot_line_begin(const struct plot *p, unsigned series);
void plot_vertex(const struct plot *p, uint64_t x, uint64_t y);
void plot_line_end(const struct plot *p);
/* A marker whose `title` shows when the pointer rests on it. */
void plot_point(const struct plot *p, unsigned series, uint64_t x, uint64_t y, const char *title);
/* The same, seen only under the pointer: for lines of many points. */
void plot_hover(const struct plot *p, unsigned series, uint64_t x, uint64_t y, const char *title);
void plot_end(const struct plot *p);
/* The same without axes: a line as high as a word.  values[0..count) are scaled to the largest. */
void plot_spark(struct pen *pen, const uint64_t *values, unsigned count, const char *title);

/* Markers of all series, once per page, before the first chart. */
void plot_markers(struct pen *pen);
/* A line of the legend under a chart; `label` is escaped. */
void plot_legend(struct pen *pen, unsigned series, const char *label);

/* ---- labels ---- */
void plot_label_bytes(struct text *t, uint64_t bytes);
void plot_label_megabytes(struct text *t, uint64_t bytes);   /* decimal: 1500000 is "1.5" */
void plot_label_thousandths(struct text *t, uint64_t milli); /* 20000000 is "20k" */
void plot_label_time(struct text *t, uint64_t ns);           /* with its unit */

#endif
