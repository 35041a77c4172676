#ifndef SWEEP_ENGINE_H
#define SWEEP_ENGINE_H
#include <stdbool.h>
#include <stdint.h>
#include "disk.h"
#include "hist.h"
#include "plan.h"
#include "stamp.h"
#include "step.h"

/* The workload loop.  A worker drives any number of lanes; it shares with the main processor only a stop
 * word and a snapshot under a sequence lock, so that it can move to another processor unchanged.
 *
 *     engine_begin -> { worker_run(slice) -> [worker_hold ... worker_resume] } until done -> engine_end
 */

/* What the main processor may look at while the worker runs. */
struct lane_progress {
    uint64_t ios, bytes, errors;
    uint64_t elapsed_ns;                      /* measured time so far */
    uint64_t planned_ns;                      /* 0: ends by bytes */
    uint64_t planned_bytes;                   /* 0: ends by time */
    uint64_t recent_bytes_per_s, recent_iops; /* over the last progress interval */
    uint64_t p99_ns;                          /* so far; 0: unknown */
    uint8_t phase;                            /* enum lane_phase */
};
enum lane_phase { LANE_RAMP, LANE_RUNNING, LANE_DRAINING, LANE_VERIFYING, LANE_DONE, LANE_DEAD };

struct series_point {
    uint64_t ios, bytes;
    uint64_t max_ns, sum_ns; /* of the latencies; max_ns 0 in the series of a side */
};
struct lane_series {
    uint64_t interval_ns; /* doubles when SERIES_MAX_POINTS would be exceeded */
    unsigned count;
    struct series_point point[SERIES_MAX_POINTS];
};

struct engine; /* one step in flight */

/* Opens every lane.  A lane that cannot be opened is NOT-TESTED with its reason in the result; the others
 * run. E_NOMEM only when the engine itself could not be built: nothing is left behind.  [boot] */
int engine_begin(const struct plan_step *step, unsigned step_number, struct engine **out);
/* Drives all lanes for at most slice_ns; true while there is work left.  [any] */
bool worker_run(struct engine *e, uint64_t slice_ns);
/* Stops submitting and drains; from here on firmware may be called.  Time from here to worker_resume does not
 * count as measured time.  A request that was not answered for ENGINE_HOLD_PATIENCE_MS is not waited for: it
 * stays in flight, so that one disk that is stuck does not make all others stand still.  [any] */
enum { ENGINE_HOLD_PATIENCE_MS = 2000 };
void worker_hold(struct engine *e);
/* The same until nothing at all is in flight: slots that do not drain within their deadline are expired.
 * [any] */
void worker_drain(struct engine *e);
/* Whether none of its requests is in flight: only then may it be asked anything else.  [any] */
bool engine_disk_is_idle(const struct engine *e, const struct disk *d);
void worker_resume(struct engine *e); /* [any] */
/* A lane of a job with verify_after_reset has written and flushed all: it stands still until worker_reset. */
bool worker_wants_reset(const struct engine *e); /* [any] */
/* Resets what such lanes go through; they read back then, or end with the driver's reason when the device did
 * not come back.  While held.  `tell`: for each of them; `instead`: why there was no reset, and what stands
 * in its place; "": there was one.  [boot] */
typedef void (*engine_tell_reset)(void *ctx, const struct plan_lane *pl, int err, const char *instead);
void worker_reset(struct engine *e, engine_tell_reset tell, void *ctx);
/* Ends all lanes at the next chance (a person, a time limit): results say "ended early".  [any] */
void engine_stop(struct engine *e);

unsigned engine_lane_count(const struct engine *e);
void engine_progress(const struct engine *e, unsigned lane, struct lane_progress *out); /* [any] */

/* After worker_run returned false.  Names the bad LBA of kept errors by reading their range in smaller
 * pieces (bounded), fills results.  [any] */
void engine_locate_errors(struct engine *e);
const struct step_result *engine_result(const struct engine *e, unsigned lane);
const struct lane_series *engine_series(const struct engine *e, unsigned lane);
const struct hist *engine_hist(const struct engine *e, unsigned lane);
const struct io_error_record *engine_errors(const struct engine *e, unsigned lane, unsigned *count);
/* The reads (false) or the writes (true) of a mix; NULL: the lane is none. */
const struct step_side *engine_side(const struct engine *e, unsigned lane, bool writes);
const struct lane_series *engine_side_series(const struct engine *e, unsigned lane, bool writes);
/* NULL: the job wants nothing of its latencies, or the lane did not run. */
const struct step_goal *engine_goal(const struct engine *e, unsigned lane);
/* NULL: the lane neither wrote nor checked what was written. */
const struct step_writing *engine_writing(const struct engine *e, unsigned lane);
/* The first blocks that were not as written. */
const struct stamp_finding *engine_bad_blocks(const struct engine *e, unsigned lane, unsigned *count);
/* Why a lane did not run or ended early; "" when it ran to its end. */
const char *engine_lane_reason(const struct engine *e, unsigned lane);
const struct plan_lane *engine_plan_lane(const struct engine *e, unsigned lane);
/* Closes the lanes.  [boot] */
void engine_end(struct engine *e);

#endif
