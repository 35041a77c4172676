#include "bits.h"
#include "burn_in.h"
#include "conf.h"
#include "err.h"
#include "fake_disk.h"
#include "str.h"
#include "test.h"
#include "text.h"

/* The state machine alone: what it is told here never happened. */
static struct fake_disk fake;
static struct controller controller;
static struct conf conf;
static struct burn_in_drive drive;
static char words[400];
static struct text said;

static void configure(const char *text)
{
    static struct conf_problems problems;

    said = text_over(words, sizeof words);
    conf_read(text, str_len(text), &conf, &problems);
    EQ(problems.count, 0);
    fake_disk_init(&fake, "nvme0n1", &controller, NULL, 0);
}

static int begin(bool writes)
{
    struct burn_in_ask ask = { .conf = &conf,
                               .disk = &fake.disk,
                               .writes = writes,
                               .first_lba = 2048,
                               .lba_count = fake.disk.lba_count - 2048,
                               .arming_id = "00112233445566ff",
                               .seed = 77 };

    text_reset(&said);
    return burn_in_begin(&drive, &ask, &said);
}

static struct burn_in_work next(void)
{
    struct burn_in_work w;

    burn_in_next(&drive, &w);
    return w;
}

/* All of the work comes to its end at once. */
static void all_of_it(const struct burn_in_work *w)
{
    struct burn_in_outcome o = { .blocks = w->count, .over = true, .ms = 1 };

    if (w->count > 1u << 20) /* random hours: time ends them */
        o = (struct burn_in_outcome){ .blocks = 100, .ms = w->limit_ms };
    if (w->task == BURN_IN_STAMP)
        o.written_bytes = w->count * drive.limits.block_bytes;
    burn_in_took(&drive, w, &o);
}

/* Every phase up to that one. */
static struct burn_in_work go_to(enum burn_in_phase phase)
{
    struct burn_in_work w = next();

    for (unsigned i = 0; i < 40 && drive.state.phase != phase && w.task; i++, w = next())
        all_of_it(&w);
    EQ(drive.state.phase, phase);
    return w;
}

TEST(a_burn_in_goes_through_its_phases_in_order_and_passes)
{
    static const uint8_t want[] = { BURN_IN_LOOK,  BURN_IN_SELF_TEST, BURN_IN_READ,  BURN_IN_PROBE,
                                    BURN_IN_STAMP, BURN_IN_RENEW,     BURN_IN_CHECK, BURN_IN_CHECK,
                                    BURN_IN_MIX,   BURN_IN_SELF_TEST, BURN_IN_LOOK,  BURN_IN_ZERO };
    struct burn_in_work w;
    unsigned n = 0;

    configure("plan = burn-in\n");
    EQ(begin(true), OK);
    while (burn_in_next(&drive, &w)) {
        CHECK(n < ARRAY_COUNT(want));
        EQ(w.task, want[n]);
        n++;
        all_of_it(&w);
    }
    EQ(n, ARRAY_COUNT(want));
    EQ(drive.state.end, BURN_IN_FINISHED);
    EQ(burn_in_state_verdict(&drive.state), VERDICT_PASS);
    EQ(drive.state.verified_blocks, drive.state.blocks);
    text_reset(&said);
    burn_in_words(&drive, &said);
    HAS_STR(words, "99.9 % of the disk written and verified");
}

TEST(without_writes_nothing_is_stamped_probed_or_zeroed)
{
    struct burn_in_work w;
    unsigned reads = 0;

    configure("plan = burn-in-readonly\n");
    EQ(begin(false), OK);
    while (burn_in_next(&drive, &w)) {
        CHECK(w.task == BURN_IN_LOOK || w.task == BURN_IN_SELF_TEST || w.task == BURN_IN_READ);
        reads += w.task == BURN_IN_READ;
        all_of_it(&w);
    }
    EQ(reads, 3); /* surface twice, random */
    EQ(burn_in_state_verdict(&drive.state), VERDICT_PASS);
    EQ(drive.limits.write_cap_bytes, 0);
    text_reset(&said);
    burn_in_announce(&drive, &said);
    HAS_STR(words, "nothing is written");
}

TEST(blocks_shrink_until_a_small_disk_has_a_thousand_of_them)
{
    static const struct {
        uint64_t lbas;
        enum disk_rotation rotation;
        uint32_t block;
    } row[] = {
        { 64 * MIB / 512, ROTATION_NONE, 32 << 10 },
        { 4 * GIB / 512, ROTATION_NONE, 1 << 20 },
        { 16 * GIB / 512, ROTATION_YES, 4 << 20 },
        { 4 * MIB / 512, ROTATION_YES, 4096 },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        configure("");
        fake.disk.lba_count = row[i].lbas;
        fake.disk.rotation = row[i].rotation;
        EQ(begin(true), OK);
        EQ(drive.limits.block_bytes, row[i].block);
    }
}

TEST(a_disk_that_is_too_small_or_nameless_or_a_range_beyond_it_is_refused_with_words)
{
    configure("");
    fake.disk.lba_count = 2048 + 255 * 8;
    EQ(begin(true), E_LIMIT);
    HAS_STR(words, "too small");
    fake.disk.lba_count = 2048 + 256 * 8;
    EQ(begin(true), OK);
    fake.disk.lba_count = 1000; /* the range begins behind its end */
    EQ(begin(true), E_LIMIT);
    fake.disk.lba_count = UINT64_MAX;
    EQ(begin(true), E_LIMIT);
    configure("");
    fake.disk.identity[0] = 0;
    EQ(begin(true), E_LIMIT);
    configure("");
    fake.disk.ops = NULL;
    EQ(begin(false), E_LIMIT);
}

TEST(flash_is_written_at_most_twice_its_size)
{
    struct burn_in_work w;

    configure("");
    EQ(begin(true), OK);
    EQ(drive.limits.write_cap_bytes, 2 * GIB - 2 * BURN_IN_CLEAR_BYTES); /* the end is part of it */
    w = go_to(BURN_IN_RANDOM);
    EQ(w.task, BURN_IN_MIX);
    EQ(w.order, ORDER_RANDOM);
    struct burn_in_outcome o = { .blocks = 1, .written_bytes = 2 * GIB, .ms = 1 };
    burn_in_took(&drive, &w, &o);
    EQ(next().task, BURN_IN_CHECK); /* only reads from here on */
    fake.disk.rotation = ROTATION_YES;
    EQ(begin(true), OK);
    EQ(drive.limits.write_cap_bytes, UINT64_MAX);
}

TEST(the_budget_is_by_kind_of_drive_and_scales)
{
    configure("");
    EQ(begin(true), OK);
    EQ(drive.limits.budget_ms, 24 * 3600 * 1000);
    fake.disk.rotation = ROTATION_YES;
    EQ(begin(true), OK);
    EQ(drive.limits.budget_ms, 72 * 3600 * 1000);
    configure("time_scale_pct = 1\n");
    EQ(begin(true), OK);
    EQ(drive.limits.budget_ms, 24 * 36 * 1000);
    configure("burn_in_budget_s = 100\n");
    EQ(begin(true), OK);
    EQ(drive.limits.budget_ms, 100000);
}

TEST(what_the_time_did_not_suffice_for_is_named_and_not_counted_as_covered)
{
    struct burn_in_work w;

    configure("burn_in_budget_s = 100\n");
    EQ(begin(true), OK);
    w = go_to(BURN_IN_WRITE);
    uint64_t half = w.count / 2;
    struct burn_in_outcome o = { .blocks = half, .written_bytes = half, .ms = w.limit_ms };
    burn_in_took(&drive, &w, &o);
    w = go_to(BURN_IN_VERIFY); /* the reset lies between */
    EQ(w.order, ORDER_MAP);    /* only the map knows which half it is */
    EQ(w.count, half);
    all_of_it(&w);
    while (burn_in_next(&drive, &w))
        all_of_it(&w);
    EQ(drive.state.verified_blocks, half);
    text_reset(&said);
    burn_in_words(&drive, &said);
    HAS_STR(words, "49.9 % of the disk written and verified");
    EQ(burn_in_state_verdict(&drive.state), VERDICT_PASS);
}

TEST(nothing_verified_is_not_tested)
{
    struct burn_in_work w;

    configure("burn_in_budget_s = 100\n");
    EQ(begin(true), OK);
    w = go_to(BURN_IN_SURFACE);
    burn_in_waited(&drive, 100000);
    while (burn_in_next(&drive, &w))
        all_of_it(&w);
    EQ(burn_in_state_verdict(&drive.state), VERDICT_NOT_TESTED);
    text_reset(&said);
    burn_in_words(&drive, &said);
    HAS_STR(words, "0.0 % of the disk written and verified");
    HAS_STR(words, "no time left");
}

TEST(a_drive_whose_errors_reach_the_limit_leaves_and_one_error_is_fail)
{
    struct burn_in_work w;
    struct burn_in_outcome o = { .blocks = 10, .errors = 1, .words = "unrecovered read error", .ms = 1 };

    configure("burn_in_error_limit = 3\n");
    EQ(begin(true), OK);
    w = go_to(BURN_IN_SURFACE);
    burn_in_took(&drive, &w, &o);
    EQ(drive.state.end, BURN_IN_GOING);
    EQ(burn_in_state_verdict(&drive.state), VERDICT_FAIL);
    o.errors = 2;
    w = next();
    burn_in_took(&drive, &w, &o);
    EQ(drive.state.end, BURN_IN_LEFT);
    EQ(next().task, BURN_IN_NOTHING);
    HAS_STR(drive.state.why, "the limit of 3 errors is reached; the first: unrecovered read error");
}

TEST(a_failed_self_test_or_a_lie_about_the_capacity_ends_the_drive)
{
    struct burn_in_outcome o = { .errors = 1,
                                 .words = "capacity is a lie: real size about 256 MiB",
                                 .ms = 1 };
    struct burn_in_work w;

    configure("");
    EQ(begin(true), OK);
    w = go_to(BURN_IN_CAPACITY);
    burn_in_took(&drive, &w, &o);
    EQ(drive.state.end, BURN_IN_LEFT);
    EQ(burn_in_state_verdict(&drive.state), VERDICT_FAIL);
    HAS_STR(drive.state.why, "capacity is a lie");
    EQ(drive.state.written_blocks, 0);
}

TEST(what_a_drive_does_not_offer_is_said_and_passed_over)
{
    struct burn_in_outcome o = { .not_done = true, .words = "not offered", .ms = 1 };
    struct burn_in_work w;

    configure("");
    EQ(begin(true), OK);
    w = go_to(BURN_IN_SHORT_TEST);
    burn_in_took(&drive, &w, &o);
    w = next();
    EQ(drive.state.phase, BURN_IN_SURFACE);
    while (burn_in_next(&drive, &w))
        all_of_it(&w);
    EQ(burn_in_state_verdict(&drive.state), VERDICT_PASS);
    text_reset(&said);
    burn_in_words(&drive, &said);
    HAS_STR(words, "not done: short self-test: not offered");
}

TEST(words_say_what_health_is_compared_with_and_that_a_reset_was_not_offered)
{
    struct burn_in_state earlier;

    configure("");
    EQ(begin(true), OK);
    burn_in_words(&drive, &said);
    CHECK(!str_find(words, "health is") && !str_find(words, "not done"));
    struct burn_in_work w = go_to(BURN_IN_RESET);
    burn_in_took(&drive, &w, &(struct burn_in_outcome){ .not_done = true, .words = "the card is flushed" });
    EQ(drive.state.end, BURN_IN_GOING);
    text_reset(&said);
    burn_in_words(&drive, &said);
    HAS_STR(words, "not done: controller reset: the card is flushed");
    EQ(begin(true), OK);
    go_to(BURN_IN_WRITE);
    earlier = drive.state;
    EQ(begin(true), OK);
    EQ(burn_in_resume(&drive, &earlier), OK);
    burn_in_words(&drive, &said);
    HAS_STR(words, "interrupted 1 time (health is compared with that of the last start)");
    EQ(begin(false), OK);
    burn_in_words(&drive, &said);
    CHECK(!str_find(words, "reset"));
}

TEST(why_it_stopped_is_no_reason_of_a_drive_that_came_to_its_end_later)
{
    struct burn_in_outcome bad = { .blocks = 1, .errors = 1, .words = "read at LBA 7 failed" };
    struct burn_in_state earlier;
    struct burn_in_work w;

    configure("");
    EQ(begin(true), OK);
    go_to(BURN_IN_VERIFY);
    burn_in_stop(&drive, "a person stopped it");
    burn_in_words(&drive, &said);
    HAS_STR(words, "stopped: a person stopped it; ");
    earlier = drive.state;
    EQ(begin(true), OK);
    EQ(burn_in_resume(&drive, &earlier), OK);
    text_reset(&said);
    burn_in_words(&drive, &said);
    CHECK(!str_find(words, "stopped"));
    /* With an error it is the error that stays. */
    EQ(burn_in_next(&drive, &w), true);
    burn_in_took(&drive, &w, &bad);
    burn_in_stop(&drive, "a person stopped it");
    text_reset(&said);
    burn_in_words(&drive, &said);
    HAS_STR(words, "stopped; first error: read at LBA 7 failed; ");
    HAS_STR(words, ", 1 error,");
    earlier = drive.state;
    EQ(begin(true), OK);
    EQ(burn_in_resume(&drive, &earlier), OK);
    HAS_STR(drive.state.why, "read at LBA 7 failed");
}

/* ---- temperature ---- */
static enum burn_in_heat heat(int64_t c, int64_t warning_c, int64_t critical_c)
{
    struct disk_health h = { 0 };

    health_set(&h, HEALTH_TEMPERATURE_C, c);
    if (warning_c)
        health_set(&h, HEALTH_TEMPERATURE_WARNING_C, warning_c);
    if (critical_c)
        health_set(&h, HEALTH_TEMPERATURE_CRITICAL_C, critical_c);
    return burn_in_heat(&drive, &h);
}

TEST(a_drive_rests_at_its_warning_limit_until_it_is_cooler)
{
    struct burn_in_work w;

    configure("");
    EQ(begin(true), OK);
    w = go_to(BURN_IN_SURFACE);
    EQ(heat(79, 80, 90), HEAT_FINE);
    EQ(heat(80, 80, 90), HEAT_PAUSES);
    EQ(next().task, BURN_IN_REST);
    burn_in_waited(&drive, 5000);
    EQ(heat(76, 80, 90), HEAT_FINE);
    EQ(next().task, BURN_IN_REST);
    EQ(heat(75, 80, 90), HEAT_RESUMES);
    EQ(next().task, BURN_IN_READ);
    EQ(drive.paused_ms, 5000);
    EQ(drive.pauses, 1);
    EQ(w.task, BURN_IN_READ);
}

TEST(a_drive_at_its_critical_limit_leaves)
{
    configure("");
    EQ(begin(true), OK);
    EQ(heat(90, 80, 90), HEAT_ENDS);
    EQ(next().task, BURN_IN_NOTHING);
    EQ(burn_in_state_verdict(&drive.state), VERDICT_FAIL);
    HAS_STR(drive.state.why, "90 degrees, its critical limit is 90");
}

TEST(a_drive_without_limits_gets_those_of_its_kind_and_the_configuration_wins)
{
    configure("");
    EQ(begin(true), OK);
    EQ(heat(69, 0, 0), HEAT_FINE);
    EQ(heat(70, 0, 0), HEAT_PAUSES);
    EQ(heat(80, 0, 0), HEAT_ENDS);
    configure("pause_temperature_c = 40\nend_temperature_c = 45\n");
    EQ(begin(true), OK);
    EQ(heat(40, 80, 90), HEAT_PAUSES);
    EQ(heat(45, 80, 90), HEAT_ENDS);
}

TEST(a_drive_that_never_cools_down_ends_with_its_budget)
{
    struct burn_in_work w;
    unsigned rests = 0;

    configure("burn_in_budget_s = 100\n");
    EQ(begin(true), OK);
    go_to(BURN_IN_SURFACE);
    heat(85, 80, 90);
    for (; burn_in_next(&drive, &w) && rests < 1000; rests++)
        if (w.task == BURN_IN_REST)
            burn_in_waited(&drive, 1000);
        else
            all_of_it(&w);
    CHECK(rests > 50 && rests < 200);
    EQ(drive.state.end, BURN_IN_LEFT);
    HAS_STR(drive.state.why, "85 degrees: it did not cool down below 76");
}

/* ---- resuming ---- */
static struct burn_in_state interrupted;

static struct burn_in_work interrupt_in_write(void)
{
    struct burn_in_work w = go_to(BURN_IN_WRITE);
    struct burn_in_outcome o = { .blocks = 400, .written_bytes = 400, .ms = 7 };

    burn_in_took(&drive, &w, &o);
    interrupted = drive.state;
    EQ(begin(true), OK);
    EQ(burn_in_resume(&drive, &interrupted), OK);
    return next();
}

TEST(a_resumed_drive_reads_again_what_was_flushed_and_goes_on_behind_it)
{
    struct burn_in_work w;

    configure("");
    EQ(begin(true), OK);
    w = interrupt_in_write();
    EQ(w.task, BURN_IN_CHECK);
    EQ(w.recheck, true);
    EQ(w.order, ORDER_MAP);
    EQ(w.from, 400 - BURN_IN_RECHECK_BLOCKS);
    EQ(w.count, BURN_IN_RECHECK_BLOCKS);
    all_of_it(&w);
    w = next();
    EQ(w.task, BURN_IN_STAMP);
    EQ(w.from, 400);
    EQ(drive.state.interruptions, 1);
    EQ(drive.state.seed, 77);
    EQ(drive.state.verified_blocks, 0); /* a recheck is no verify */
}

TEST(another_job_another_disk_or_an_ended_burn_in_does_not_resume)
{
    configure("");
    EQ(begin(true), OK);
    interrupt_in_write();
    configure("leave = stamp\n");
    EQ(begin(true), OK);
    EQ(burn_in_resume(&drive, &interrupted), E_REFUSED);
    EQ(drive.state.interruptions, 0);
    configure("");
    str_copy(fake.disk.identity, sizeof fake.disk.identity, "another");
    EQ(begin(true), OK);
    EQ(burn_in_resume(&drive, &interrupted), E_REFUSED);
    configure("");
    EQ(begin(true), OK);
    interrupted.end = BURN_IN_FINISHED;
    EQ(burn_in_resume(&drive, &interrupted), E_REFUSED);
    interrupted.end = BURN_IN_LEFT;
    EQ(burn_in_resume(&drive, &interrupted), E_REFUSED);
    interrupted.end = BURN_IN_STOPPED;
    EQ(burn_in_resume(&drive, &interrupted), OK);
    EQ(drive.state.stuck, 0);
}

TEST(three_starts_without_progress_are_a_crash_loop_and_progress_forgives_them)
{
    struct burn_in_work w;

    configure("");
    EQ(begin(true), OK);
    interrupt_in_write();
    for (unsigned i = 2; i <= 3; i++) {
        interrupted = drive.state; /* the start wrote it down and got no further */
        EQ(interrupted.stuck, i - 1);
        EQ(begin(true), OK);
        EQ(burn_in_resume(&drive, &interrupted), OK);
        EQ(drive.state.end, BURN_IN_GOING);
    }
    struct burn_in_state third = interrupted = drive.state;
    EQ(begin(true), OK);
    EQ(burn_in_resume(&drive, &interrupted), OK);
    EQ(drive.state.end, BURN_IN_LEFT);
    EQ(next().task, BURN_IN_NOTHING);
    HAS_STR(drive.state.why, "3 starts in a row ended without progress in stamped random writes");

    EQ(begin(true), OK);
    EQ(third.stuck, 3);
    third.stuck = 2;
    EQ(burn_in_resume(&drive, &third), OK);
    w = next();
    all_of_it(&w); /* the recheck alone is no progress */
    EQ(drive.state.stuck, 3);
    w = next();
    struct burn_in_outcome o = { .blocks = 1, .ms = 1 };
    burn_in_took(&drive, &w, &o);
    EQ(drive.state.stuck, 0);
}

TEST(a_stop_leaves_a_checkpoint_and_is_aborted)
{
    configure("");
    EQ(begin(true), OK);
    go_to(BURN_IN_VERIFY);
    burn_in_stop(&drive, "a person typed the word");
    EQ(next().task, BURN_IN_NOTHING);
    EQ(burn_in_state_verdict(&drive.state), VERDICT_ABORTED);
    EQ(burn_in_state_resumes(&drive.state), true);
    burn_in_leave(&drive, "later"); /* the first reason stays */
    HAS_STR(drive.state.why, "a person typed the word");
}

TEST(the_guards_mark_stays_until_a_burn_in_came_to_its_end)
{
    struct burn_in_work w;

    configure("");
    EQ(begin(true), OK);
    EQ(burn_in_leave_mark(&drive), GUARD_LEAVE_TO_RESUME);
    go_to(BURN_IN_CLEAR); /* head and tail of its range may be zero already */
    EQ(burn_in_leave_mark(&drive), GUARD_LEAVE_TO_RESUME);
    burn_in_stop(&drive, "a person typed the word");
    EQ(burn_in_leave_mark(&drive), GUARD_LEAVE_TO_RESUME);

    EQ(begin(true), OK);
    go_to(BURN_IN_VERIFY);
    burn_in_leave(&drive, "16 errors");
    EQ(burn_in_leave_mark(&drive), GUARD_LEAVE_DATA);

    EQ(begin(true), OK);
    w = go_to(BURN_IN_CLEAR);
    all_of_it(&w);
    EQ(next().task, BURN_IN_NOTHING);
    EQ(drive.state.end, BURN_IN_FINISHED);
    EQ(burn_in_leave_mark(&drive), GUARD_LEAVE_BLANK);

    configure("leave=stamp\n");
    EQ(begin(true), OK);
    w = go_to(BURN_IN_DELTA);
    all_of_it(&w);
    EQ(next().task, BURN_IN_NOTHING);
    EQ(burn_in_leave_mark(&drive), GUARD_LEAVE_DATA);
}
