#ifndef SCREEN_VIEWS_H
#define SCREEN_VIEWS_H
#include <stdint.h>
#include "grid.h"
#include "verdict.h"

/* What the live view shows of one lane: plain values, so that a test can ask for 0 lanes, 200 lanes, or a
 * lane with 4294967295 errors. */
struct lane_view {
    char disk[24], job[40];
    uint64_t bytes_per_s, iops, p99_ns;
    uint64_t errors;
    uint64_t done, total; /* for the bar; total 0: unknown */
    const char *state;    /* "ramp", "running", "done", "failed" */
};
struct sweep_view {
    char title[80]; /* of the step */
    unsigned step, steps;
    uint64_t elapsed_ns, remaining_ns;
    char worst[120]; /* worst news so far; "" none */
    enum verdict worst_level;
    const struct lane_view *lanes;
    unsigned lane_count;
};
void view_sweep(struct grid *g, const struct sweep_view *v);
/* Before the first step: machine, controllers, disks, what will run. */
struct start_view {
    char product[60], machine[100], medium[100], plan[120];
    const char (*lines)[120]; /* one per controller or disk, prepared by the caller */
    unsigned line_count;
};
void view_start(struct grid *g, const struct start_view *v);
/* The verdict, readable from two metres, then one line per drive, then where the results are. */
struct end_view {
    enum verdict verdict;
    char headline[120];
    const char (*lines)[120];
    unsigned line_count;
    char where[400]; /* where the results are */
};
void view_end(struct grid *g, const struct end_view *v);

#endif
