#include "engine.h"
#include "gate.h"
#include "job.h"
#include "rig.h"

/* verify_after_reset of a job, by the workload engine through this driver: a drive that answers flushes and
 * does not keep what it was sent is found out, and only by a reset. */

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

static struct disk *up(bool ignores_flushes)
{
    rig_plug();
    rig.m->set.vwc = 1;
    rig.m->set.reset_loses_cache = true;
    if (ignores_flushes)
        medium_add_fault(&rig.m->medium, MEDIUM_FLUSH_IGNORED, 1, 0, 0, 0, 0);
    rig_up();
    struct disk *d = rig_disk(0);
    rig_close(rig_open_writes(d, 2, 4096, true, 0, SIZE_LBAS)); /* armed, and permitted by the model */
    return d;
}

TEST(a_job_finds_behind_a_reset_what_only_the_cache_held_and_not_without_one)
{
    struct disk *d = up(true);

    EQ(verified(d, false).bad_lbas, 0);
    struct step_writing w = verified(d, true);
    EQ(w.bad_lbas, SIZE_LBAS);
    EQ(w.bad_kind_lbas[STAMP_LOST], SIZE_LBAS);
    EQ(d->fault.err, OK);
    CHECK(rig_has_remark("reset on request"));
    rig_down();
    d = up(false);
    EQ(verified(d, true).bad_lbas, 0);
    EQ(verified(d, true).bad_lbas, 0);
    rig_down();
}
