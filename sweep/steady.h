#ifndef SWEEP_STEADY_H
#define SWEEP_STEADY_H
#include <stdbool.h>
#include <stdint.h>

/* Has a value settled?  Pure functions over a window of values, oldest first. */

/* SNIA PTS (peers.md 4): over the last five rounds the values lie within 20 % of their mean from top to
 * bottom, and their least-squares line rises or falls by at most 10 % of it.  At most 25 rounds. */
enum { STEADY_PTS_WINDOW = 5, STEADY_PTS_ROUNDS = 25 };
bool steady_pts(const uint64_t *values, unsigned count); /* of the last five; false with fewer */

/* fio's two criteria, in thousandths: of a percent of the mean (is_pct), or of the value's own unit.
 * UINT64_MAX for an empty window or a mean of 0. */
uint64_t steady_band_milli(const uint64_t *values, unsigned count,
                           bool is_pct); /* largest distance from the mean */
uint64_t steady_slope_milli(const uint64_t *values, unsigned count, bool is_pct); /* of the line, per value */

#endif
