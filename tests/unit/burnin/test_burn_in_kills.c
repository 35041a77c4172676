#include <setjmp.h>
#include "perm.h"
#include "rig.h"
#include "math.h"

/* Burn-ins that are broken off or stopped, and the starts after that. */

static jmp_buf killed;
static uint64_t kill_after;

static void count_down(void *ctx)
{
    (void)ctx;
    if (kill_after && !--kill_after)
        longjmp(killed, 1);
}

/* Power goes after so many requests of all drives together: true when it did. */
static bool run_until_power_cut(uint64_t run_id, uint64_t after, unsigned *resumed)
{
    for (unsigned i = 0; i < drive_count; i++)
        disks[i].on_request = count_down;
    kill_after = after;
    if (setjmp(killed)) {
        model_reset_world();
        journal_len = journal_flushed; /* what the medium has; the rest never was */
        for (unsigned i = 0; i < drive_count; i++)
            stored_disk_power_cut(&disks[i], run_id + i);
        return true;
    }
    *resumed = start(run_id);
    kill_after = 0;
    return false;
}

/* All that a checkpoint calls written is on the medium. */
static void flushed_is_there(unsigned drive)
{
    static struct resume resume;
    static struct resume_drive states[RESUME_MAX_DRIVES];
    const struct burn_in_state *s;
    struct perm perm;

    resume_start(&resume, "SN1", "uuid", states);
    resume_run_text(&resume, journal_text, journal_len);
    s = resume_find(&resume, disks[drive].disk.identity);
    if (!s || s->phase < BURN_IN_WRITE || s->phase >= BURN_IN_CLEAR)
        return;
    struct stamp_key k = {
        .job = s->job_hash, .seed = s->seed, .pass = s->pass, .lba_bytes = 512, .or_later = true
    };
    perm_init(&perm, s->blocks, s->seed);
    for (uint64_t i = 0; i < s->written_blocks; i++) {
        uint32_t lbas = s->block_bytes / 512;
        uint64_t lba = 2048 + perm_at(&perm, i) * lbas;
        EQ(stamp_check(&k, lba, lbas, disks[drive].medium + lba * 512), lbas);
    }
}

TEST(killed_at_random_moments_each_next_start_resumes_and_nothing_flushed_is_lost)
{
    enum { KILLS = 20 };
    unsigned resumed = 0, kills = 0, interruptions;
    uint64_t run_id = 1;
    struct rng rng;

    machine(2, SETTINGS "leave = stamp\n");
    rng_seed(&rng, 20);
    /* About 25 000 requests in all: the moments are spread over the whole of it. */
    while (run_until_power_cut(run_id, kills < KILLS ? 400 + rng_next(&rng) % 1200 : 0, &resumed)) {
        kills++;
        run_id++;
        for (unsigned i = 0; i < drive_count; i++)
            flushed_is_there(i);
        CHECK(kills <= KILLS);
    }
    CHECK(kills == KILLS);
    all_passed();
    EQ_STR(found, "");
    interruptions = drives[0].state.interruptions;
    EQ(interruptions, KILLS);
    EQ(resumed, 2);
    for (unsigned i = 0; i < drive_count; i++) {
        struct stamp_key k = burn_in_key(&drives[i]);
        k.or_later = true;
        uint64_t lbas = drives[i].state.blocks * burn_in_block_lbas(&drives[i]);
        EQ(drives[i].state.seed, 1000 + i); /* of the first start */
        EQ(stamp_check(&k, 2048, (uint32_t)lbas, disks[i].medium + 2048 * 512), lbas);
    }
}

TEST(a_disk_that_loses_what_it_flushed_is_found_at_the_next_start)
{
    unsigned resumed = 0;
    uint64_t run_id = 1;

    machine(1, SETTINGS);
    disks[0].ignores_flush = true;
    while (run_until_power_cut(run_id, run_id == 1 ? 3000 : 0, &resumed))
        run_id++;
    EQ(resumed, 1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_FAIL);
    HAS_STR(found, "what was flushed before the interruption is not there");
}

TEST(a_start_that_never_gets_anywhere_is_stopped_after_three)
{
    unsigned resumed = 0, kills = 0;

    machine(1, SETTINGS);
    while (run_until_power_cut(1 + kills, 40, &resumed) && kills < 10)
        kills++;
    EQ(kills, 4); /* the first start and three that resumed */
    EQ(drives[0].state.end, BURN_IN_LEFT);
    HAS_STR(drives[0].state.why, "3 starts in a row ended without progress");
    /* It stays ended: a further start begins nothing. */
    CHECK(!burn_in_state_resumes(&drives[0].state));
}

TEST(a_stop_ends_all_drives_with_their_checkpoint_and_the_next_start_resumes)
{
    machine(2, SETTINGS);
    stop_reason = "a person typed the word";
    stop_after_checkpoints = 20;
    start(1);
    for (unsigned i = 0; i < 2; i++) {
        EQ(burn_in_state_verdict(&drives[i].state), VERDICT_ABORTED);
        EQ(disks[i].open_lanes, 0);
    }
    EQ(model_live_allocs(), 0);
    stop_after_checkpoints = 0;
    EQ(start(2), 2);
    all_passed();
    EQ(drives[0].state.stuck, 0);
}

TEST(a_finished_burn_in_is_not_resumed)
{
    machine(1, SETTINGS);
    start(1);
    all_passed();
    EQ(start(2), 0);
    EQ(drives[0].state.seed, 2000);
    EQ(drives[0].state.interruptions, 0);
}
