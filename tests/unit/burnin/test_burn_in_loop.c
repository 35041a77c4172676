#include <stdlib.h>
#include <string.h>
#include "burn_in_probe.h"
#include "math.h"
#include "perm.h"
#include "rig.h"
#include "str.h"
#include "text.h"

/* What a burn-in finds in one start. */

static bool is_zero(const struct stored_disk *s, uint64_t first, uint64_t count)
{
    for (uint64_t i = first * 512; i < (first + count) * 512; i++)
        if (s->medium[i])
            return false;
    return true;
}

TEST(a_machine_of_sound_drives_passes_and_their_heads_and_tails_are_zero)
{
    machine(3, SETTINGS);
    start(1);
    all_passed();
    for (unsigned i = 0; i < 3; i++) {
        CHECK(is_zero(&disks[i], 0, 4096));
        CHECK(is_zero(&disks[i], LBAS - 2048, 2048));
        CHECK(!is_zero(&disks[i], 4096, 2048));
        CHECK(drives[i].state.written_bytes <= 2ull * LBAS * 512);
        CHECK(drives[i].state.written_bytes > 15 << 20);
    }
    EQ_STR(found, "");
    EQ(model_live_allocs(), 0);
}

TEST(what_is_left_can_be_the_stamps_and_each_is_where_it_belongs)
{
    machine(1, SETTINGS "leave = stamp\n");
    start(1);
    all_passed();
    struct stamp_key k = burn_in_key(&drives[0]);
    k.or_later = true;
    uint64_t lbas = drives[0].state.blocks * burn_in_block_lbas(&drives[0]);
    EQ(stamp_check(&k, 2048, (uint32_t)lbas, disks[0].medium + 2048 * 512), lbas);
    CHECK(is_zero(&disks[0], 0, 2048)); /* not in the range */
}

TEST(without_writes_no_byte_changes)
{
    machine(2, "plan = burn-in-readonly\nburn_in_budget_s = 20\n");
    disks[0].now[5 << 20] = 7;
    start(1);
    all_passed();
    for (unsigned i = 0; i < 2; i++) {
        EQ(disks[i].writes, 0);
        EQ(disks[i].flushes, 0);
    }
    CHECK(disks[0].reads > 3000);
}

/* ---- disks that lie ---- */
static void forged(uint64_t says_mib, uint64_t has_lbas, bool drops)
{
    machine(1, SETTINGS);
    stored_disk_free(&disks[0]);
    stored_disk_make(&disks[0], "sata0.0", says_mib << 11, has_lbas);
    disks[0].real_lbas = has_lbas;
    disks[0].drops_beyond = drops;
    uint64_t began_ns = 0;
    conf.burn_in_budget_s = 20;
    model_clock_ns = began_ns;
    start(1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_FAIL);
    EQ(drives[0].state.phase, BURN_IN_CAPACITY);
    EQ(drives[0].state.written_blocks, 0);
    HAS_STR(drives[0].state.why, "capacity is a lie: real size about");
    HAS_STR(found, "capacity-lie");
}

TEST(a_disk_that_wraps_at_a_quarter_is_found_with_its_real_size)
{
    forged(64, 16 << 11, false);
    HAS_STR(drives[0].state.why, "real size about 16.78 MB of 67.11 MB");
}

TEST(the_probe_of_a_forged_disk_takes_less_than_a_minute_of_its_time)
{
    struct burn_in_work w = { .task = BURN_IN_PROBE };
    char words[160];

    forged(64, 16 << 11, false);
    disks[0].latency_ns = 50 * NS_PER_MS; /* a slow stick */
    drives[0].state.end = BURN_IN_GOING;
    uint64_t began_ns = model_clock_ns;
    burn_in_probe(&drives[0], &w, words);
    HAS_STR(words, "capacity is a lie");
    CHECK(model_clock_ns - began_ns < 60 * NS_PER_S);
}

TEST(wraps_at_other_fractions_and_powers_and_drops_are_found_with_the_size_about_right)
{
    static const struct {
        uint64_t says_mib, has_lbas;
        bool drops;
    } row[] = {
        { 64, 32 << 11, false },
        { 64, 8 << 11, false },
        { 64, 4 << 11, false },
        { 60, 16 << 11, false },
        { 64, 48 << 11, false },
        { 60, 45 << 11, false },
        { 64, 16 << 11, true },
        { 64, 63 << 11, true },
        { 61, 8 << 11, false },
        { 64, (17 << 11) + 5, true },
        /* lies of less than the guard's MiB */
        { 64, (64 << 11) - 2047, false },
        { 64, (64 << 11) - 700, false },
        { 64, (64 << 11) - 100, false },
        { 64, (64 << 11) - 1, false },
        { 64, (64 << 11) - 700, true },
        { 64, (64 << 11) - 1, true },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        forged(row[i].says_mib, row[i].has_lbas, row[i].drops);
        const char *about = str_find(drives[0].state.why, "about ") + 6;
        uint64_t tenths = (uint64_t)(atof(about) * 10), want = row[i].has_lbas * 512 / 100000;
        uint64_t off = tenths > want ? tenths - want : want - tenths;
        if (off > 12) /* one place */
            test_fail(__FILE__, __LINE__, "row %u: %s", i, drives[0].state.why);
    }
}

TEST(a_wrap_at_an_odd_distance_is_found_by_the_pass)
{
    machine(1, SETTINGS);
    stored_disk_free(&disks[0]);
    stored_disk_make(&disks[0], "sata0.0", 128 << 11, 128 << 11);
    disks[0].real_lbas = 248000; /* no place of the probe falls on another, nor into the guard's part */
    start(1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_FAIL);
    HAS_STR(found, " in verify, the first: misdirected: LBA ");
}

/* ---- errors ---- */
TEST(altered_and_dropped_writes_are_named_and_other_drives_pass)
{
    machine(3, SETTINGS);
    disks[0].alter_lba = 12001;
    disks[2].drop_lba = 23301;
    start(1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_FAIL);
    EQ(burn_in_state_verdict(&drives[1].state), VERDICT_PASS);
    EQ(burn_in_state_verdict(&drives[2].state), VERDICT_FAIL);
    HAS_STR(found, "corrupt: ");
    HAS_STR(found, "12001");
    HAS_STR(found, "lost: ");
    HAS_STR(found, "23301");
}

TEST(a_single_write_that_is_dropped_is_found_whenever_it_was)
{
    static const struct {
        uint64_t write; /* a place of the probe, a block of the pass, one of the random hours */
        const char *phase, *kind;
    } row[] = {
        { 30, NULL, "places do not hold what was written there" },
        { 200, " in verify, the first", ": " },
        { 2100, " in random hours, the first", "stale: " },
        { 2101, " in random hours, the first", "stale: " },
        { 2345, " in random hours, the first", "stale: " },
        { 2600, " in random hours, the first", "stale: " },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        machine(1, SETTINGS);
        disks[0].drop_write = row[i].write;
        start(1);
        CHECK(disks[0].writes > 2600 || i == 0);
        EQ(burn_in_state_verdict(&drives[0].state), VERDICT_FAIL);
        HAS_STR(found, row[i].kind);
        if (row[i].phase)
            HAS_STR(found, row[i].phase);
    }
}

TEST(a_write_of_the_random_hours_never_meets_another_request_at_its_place)
{
    machine(1, SETTINGS);
    stored_disk_free(&disks[0]);
    stored_disk_make(&disks[0], "sata0.0", 2048 + 2100, 2048 + 2100); /* small: they would meet often */
    disks[0].disk.rotation = ROTATION_YES;                            /* no limit of writes */
    start(1);
    all_passed();
    CHECK(disks[0].writes > 500);
    EQ_STR(found, "");
}

TEST(what_stood_at_a_place_of_the_probe_is_told_from_what_the_pass_writes_there)
{
    machine(1, SETTINGS);
    disks[0].drop_write = 0;
    start(1);
    uint64_t probed = 63; /* writes of the probe, one per place */
    struct perm perm;
    perm_init(&perm, drives[0].state.blocks, drives[0].state.seed);
    uint64_t place_block = perm_index_of(&perm, 0); /* the first place is at the range's begin */
    machine(1, SETTINGS);
    disks[0].drop_write = probed + 1 + place_block;
    start(1);
    HAS_STR(found, "stale: LBA 2048 holds what pass 0 wrote");
}

TEST(a_single_wrong_place_of_the_probe_is_an_error_and_no_lie_about_the_capacity)
{
    machine(1, SETTINGS);
    disks[0].alter_lba = 12345; /* within a place */
    start(1);
    EQ(drives[0].state.end, BURN_IN_LEFT);
    CHECK(!str_find(drives[0].state.why, "lie"));
    HAS_STR(drives[0].state.why, "1 of 63 places do not hold what was written there");
    HAS_STR(found, "burn-in-error");
}

TEST(a_drive_with_growing_errors_leaves_alone)
{
    machine(3, SETTINGS);
    disks[1].fails_from = 3000;
    start(1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_PASS);
    EQ(drives[1].state.end, BURN_IN_LEFT);
    HAS_STR(drives[1].state.why, "the limit of 16 errors is reached");
    CHECK(disks[1].requests < 3100);
    EQ(burn_in_state_verdict(&drives[2].state), VERDICT_PASS);
}

TEST(a_drive_that_is_pulled_leaves_with_its_fault_and_the_others_go_on)
{
    machine(3, SETTINGS);
    disks[2].dies_at = 2500;
    start(1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_PASS);
    EQ(drives[2].state.end, BURN_IN_LEFT);
    HAS_STR(drives[2].state.why, "stored disk");
    EQ(disks[2].open_lanes, 0);
}

TEST(a_drive_that_does_not_answer_is_expired_and_counted)
{
    machine(2, SETTINGS);
    disks[1].disk.command_deadline_ns = NS_PER_MS / 2; /* every request is late */
    start(1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_PASS);
    EQ(drives[1].state.end, BURN_IN_LEFT);
    EQ(model_live_allocs(), 0);
}

TEST(a_failed_self_test_ends_the_drive_and_one_that_is_not_offered_does_not)
{
    machine(3, SETTINGS);
    disks[0].self_tests = false;
    disks[1].self_test = (struct self_test_state){
        .result = SELF_TEST_FAILED, .has_failing_lba = true, .failing_lba = 4711, .words = "read failure"
    };
    disks[2].self_test_looks = 5;
    start(1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_PASS);
    HAS_STR(drives[0].skipped, "short self-test: not supported");
    EQ(drives[1].state.end, BURN_IN_LEFT);
    HAS_STR(drives[1].state.why, "read failure, at LBA 4711");
    EQ(burn_in_state_verdict(&drives[2].state), VERDICT_PASS);
}

TEST(a_long_self_test_for_which_no_time_is_left_is_said_with_numbers)
{
    machine(1, "plan = burn-in\nburn_in_budget_s = 3\n");
    start(1);
    HAS_STR(drives[0].skipped, "long self-test: needs 1 min, 0 min are left");
}

/* ---- resets ---- */
TEST(a_phase_is_told_with_its_own_bytes_and_a_reset_with_none)
{
    machine(2, SETTINGS);
    disks[1].no_reset = true;
    start(1);
    all_passed();
    for (unsigned i = 0; i < 2; i++) {
        uint64_t range_bytes = drives[i].state.blocks * drives[i].state.block_bytes;

        EQ(told[i][BURN_IN_RESET].read_bytes + told[i][BURN_IN_RESET].written_bytes, 0);
        EQ(told[i][BURN_IN_WRITE].written_bytes, range_bytes);
        EQ(told[i][BURN_IN_WRITE].read_bytes, 0);
        EQ(told[i][BURN_IN_VERIFY].read_bytes, range_bytes);
        EQ(told[i][BURN_IN_VERIFY].written_bytes, 0);
        EQ(told[i][BURN_IN_CLEAR].end, BURN_IN_GOING);
        EQ(told[i][BURN_IN_DONE].ms, 0);
        CHECK(told[i][BURN_IN_RANDOM].read_bytes > told[i][BURN_IN_RANDOM].written_bytes);
        CHECK(told[i][BURN_IN_RANDOM].written_bytes);
    }
}

TEST(each_drive_is_reset_once_between_writing_and_reading_back)
{
    machine(3, SETTINGS);
    disks[2].no_reset = true;
    start(1);
    all_passed();
    EQ(disks[0].resets, 1);
    EQ(disks[1].resets, 1);
    EQ(disks[2].resets, 0);
    CHECK(!str_find(drives[0].skipped, "controller reset"));
    HAS_STR(drives[2].skipped, "controller reset: the card is flushed");
}

TEST(what_only_the_cache_held_is_found_after_the_reset)
{
    machine(2, SETTINGS);
    disks[0].ignores_flush = true;
    start(1);
    EQ(burn_in_state_verdict(&drives[0].state), VERDICT_FAIL);
    HAS_STR(found, "errors in verify, the first: lost: ");
    EQ(burn_in_state_verdict(&drives[1].state), VERDICT_PASS);
}

TEST(a_drive_that_does_not_come_back_from_the_reset_leaves_and_one_whose_controller_is_in_use_goes_on)
{
    machine(3, SETTINGS);
    disks[0].reset_rc = E_TIMEOUT;
    disks[1].reset_rc = E_AGAIN;
    start(1);
    EQ(drives[0].state.end, BURN_IN_LEFT);
    EQ(drives[0].state.phase, BURN_IN_RESET);
    HAS_STR(drives[0].state.why, "did not come back from a controller reset");
    HAS_STR(found, "sata0.0 burn-in-error: it did not come back");
    EQ(burn_in_state_verdict(&drives[1].state), VERDICT_PASS);
    HAS_STR(drives[1].skipped, "controller reset: others use its controller");
    EQ(burn_in_state_verdict(&drives[2].state), VERDICT_PASS);
}

TEST(a_reset_waits_for_the_self_test_of_another_namespace_of_its_controller)
{
    machine(2, SETTINGS);
    for (unsigned i = 0; i < 2; i++) {
        disks[i].disk.kind = DISK_NVME;
        disks[i].disk.controller = &disks[0].controller;
        disks[i].neighbour = &disks[1 - i];
    }
    disks[0].latency_ns = NS_PER_MS / 20;
    disks[0].self_tests = false;
    disks[1].self_test_looks = 8; /* longer than the other needs to write all of it */
    start(1);
    all_passed();
    EQ(disks[0].resets, 1);
    EQ(disks[1].resets, 1);
}

/* ---- temperature ---- */
static unsigned hot_polls;

static int warming(struct disk *d, struct disk_health *h)
{
    (void)d;
    hot_polls++;
    *h = (struct disk_health){ 0 };
    health_set(h, HEALTH_TEMPERATURE_C, hot_polls >= 5 && hot_polls < 9 ? 71 : 40);
    return OK;
}

TEST(a_drive_that_gets_warm_rests_and_goes_on_when_it_is_cooler)
{
    machine(2, SETTINGS);
    hot_polls = 0;
    disks[0].driver.health = warming;
    start(1);
    all_passed();
    EQ(warm, 1);
    EQ(drives[0].pauses, 1);
    CHECK(drives[0].paused_ms > 0);
    EQ(drives[1].pauses, 0);
}

TEST(a_drive_that_gets_too_hot_leaves_and_the_others_go_on)
{
    machine(2, SETTINGS);
    health_set(&disks[0].health, HEALTH_TEMPERATURE_C, 85);
    start(1);
    EQ(too_hot, 1);
    EQ(drives[0].state.end, BURN_IN_LEFT);
    EQ(disks[0].writes, 0);
    EQ(burn_in_state_verdict(&drives[1].state), VERDICT_PASS);
}

/* ---- memory ---- */
TEST(without_memory_nothing_is_done_and_nothing_leaks)
{
    machine(1, SETTINGS);
    for (long at = 0; at < 6; at++) {
        model_reset_world();
        model_fail_alloc_at = at;
        journal_len = journal_flushed = 0;
        if (at == 0) {
            model_alloc_count = 0;
            EQ(burn_in_loop(drives, 1, CHECKPOINT_MS, &hooks), E_NOMEM);
        } else {
            start(1);
            CHECK(burn_in_state_verdict(&drives[0].state) != VERDICT_PASS);
        }
        EQ(model_live_allocs(), 0);
    }
}

/* Without writes only settings and disk tell two burn-ins apart. */
TEST(a_drive_whose_burn_in_was_complete_before_is_no_part_of_one_that_goes_on_with_others)
{
    const char *a = disks[0].disk.identity, *b = disks[1].disk.identity;

    machine(2, "plan = burn-in-readonly\nburn_in_budget_s = 20\n");
    drive_count = 1;
    start(1);
    EQ(drives[0].state.end, BURN_IN_FINISHED);
    first_drive = 1;
    drive_count = 2;
    stop_reason = "stopped";
    stop_after_checkpoints = checkpoints + 3;
    start(2);
    EQ(drives[1].state.end, BURN_IN_STOPPED);
    CHECK(!burn_in_state_resumes(resume_find(journals(), a)) &&
          burn_in_state_resumes(resume_find(journals(), b)));
    CHECK(!resume_is_of_one_run(journals(), a, b));
    /* Both: the first is burnt in anew, the second goes on. */
    first_drive = stop_after_checkpoints = 0;
    EQ(start(3), 1);
    CHECK(!drives[0].resumed && drives[0].state.end == BURN_IN_FINISHED);
    CHECK(drives[1].resumed && drives[1].state.end == BURN_IN_FINISHED);
    CHECK(resume_is_of_one_run(journals(), a, b));
}
