#include "rig.h"
#include "verify_reset_hand.h"

/* verify_after_reset of a job, by the workload engine through this driver: a drive that answers flushes and
 * does not keep what it was sent is found out, and only by a reset. */

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
