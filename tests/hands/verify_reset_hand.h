#ifndef TESTS_HANDS_VERIFY_RESET_HAND_H
#define TESTS_HANDS_VERIFY_RESET_HAND_H
#include "engine.h"
#include "gate.h"
#include "job.h"
#include "platform.h"
#include "test.h"

/* verify_after_reset of a job by the workload engine, through whichever driver the disk has.  A header, since
 * not every room that has the hands has the engine. */

enum { SIZE_LBAS = 512 };
static unsigned resets;

static void hear(void *ctx, const struct plan_lane *pl, int err, const char *instead)
{
    (void)ctx, (void)pl;
    EQ(err, OK);
    EQ_STR(instead, "");
    resets++;
}

/* Writes a region with the workload engine, which asks for a reset in a hold when the job says so; what came
 * back. */
static struct step_writing verified(struct disk *d, bool after_reset)
{
    struct plan_lane lane = { .disk = d, .depth = 4 };
    struct plan_step step = { .lanes = &lane, .lane_count = 1 };
    struct engine *e;

    opt_defaults(job_options, job_option_count, &lane.job);
    lane.job.rw = JOB_RANDWRITE;
    lane.job.verify = JOB_VERIFY_STAMP;
    lane.job.size_bytes = SIZE_LBAS * 512;
    lane.job.verify_after_reset = after_reset;
    resets = 0;
    EQ(engine_begin(&step, 1, &e), OK);
    while (worker_run(e, NS_PER_MS)) {
        if (!worker_wants_reset(e))
            continue;
        worker_hold(e);
        worker_reset(e, hear, NULL);
        worker_resume(e);
    }
    EQ_STR(engine_lane_reason(e, 0), "");
    EQ(engine_result(e, 0)->errors, 0);
    struct step_writing w = *engine_writing(e, 0);
    CHECK(w.verify_complete);
    EQ(w.verified_bytes, SIZE_LBAS * 512);
    EQ(resets, after_reset);
    engine_end(e);
    return w;
}

#endif
