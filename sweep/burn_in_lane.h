#ifndef SWEEP_BURN_IN_LANE_H
#define SWEEP_BURN_IN_LANE_H
#include "burn_in.h"
#include "stamp.h"

/* One piece of a burn-in's work on its way: a range of blocks in an order that can be gone on with at any
 * block.  (The engine of sweep/engine.h measures; this one keeps count of what is done, and needs neither
 * histograms nor series.)  What it wrote is flushed before it counts.
 *
 *     burn_in_lane_open -> { burn_in_lane_turn } until false -> burn_in_lane_close
 */
struct burn_in_lane;
/* On failure *out is NULL and the drive has left the burn-in, with the reason.  [boot] */
int burn_in_lane_open(struct burn_in_drive *d, const struct burn_in_work *w, struct burn_in_lane **out);
/* Takes what was answered, sends more.  False: nothing is in flight and nothing more will be sent. */
bool burn_in_lane_turn(struct burn_in_lane *l);
/* From now on nothing new is sent; turns go on until it is drained (and flushed).  */
void burn_in_lane_finish(struct burn_in_lane *l);
/* While it holds, nothing is sent.  Turns go on until nothing is in flight; then firmware may be called. */
void burn_in_lane_hold(struct burn_in_lane *l, bool hold);
bool burn_in_lane_is_idle(const struct burn_in_lane *l);
/* Tells the drive what came of it, and frees the lane.  words receives the first error, for a finding: ""
 * when there was none.  [boot] */
struct burn_in_lane_report {
    uint64_t bytes, written_bytes, errors, ms; /* bytes: of all requests that were answered well */
    char words[160];
};
void burn_in_lane_close(struct burn_in_lane *l, struct burn_in_lane_report *report);

/* The stamps of this burn-in. */
struct stamp_key burn_in_key(const struct burn_in_drive *d);

#endif
