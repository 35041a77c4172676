#include <string.h>
#include "rig.h"

/* The drive's own account of its state, and its self-tests. */

static struct disk_health health(void)
{
    struct disk_health h;

    memset(&h, 0xff, sizeof h);
    EQ(nvme_driver.health(rig.c->disks[0], &h), OK);
    return h;
}

TEST(a_health_report_tells_what_the_drive_knows)
{
    rig_plug();
    rig.m->set.oacs = 0x10;
    rig.m->set.critical_warning = 0x15;
    rig.m->set.spare = 9;
    rig.m->set.used = 130;
    rig.m->set.media_errors = UINT64_MAX;
    rig.m->set.warning_minutes = 0xffffffff;
    rig.m->set.critical_minutes = 2;
    rig.m->set.light_throttles = 0x80000000;
    rig.m->set.heavy_throttles = 4;
    rig_up();
    struct disk_health h = health();
    static const struct {
        enum health_value v;
        int64_t want;
    } rows[] = {
        { HEALTH_TEMPERATURE_C, 40 },
        { HEALTH_TEMPERATURE_WARNING_C, 70 },
        { HEALTH_TEMPERATURE_CRITICAL_C, 85 },
        { HEALTH_SPARE_PERCENT, 9 },
        { HEALTH_SPARE_THRESHOLD_PERCENT, 10 },
        { HEALTH_USED_PERCENT, 130 },
        { HEALTH_POWER_ON_HOURS, 1234 },
        { HEALTH_POWER_CYCLES, 17 },
        { HEALTH_UNSAFE_SHUTDOWNS, 5 },
        { HEALTH_MEDIA_ERRORS, INT64_MAX },
        { HEALTH_ERROR_LOG_ENTRIES, 0 },
        { HEALTH_WARNING_TEMPERATURE_MINUTES, 0xffffffff },
        { HEALTH_CRITICAL_TEMPERATURE_MINUTES, 2 },
        { HEALTH_LIGHT_THROTTLES, 0x80000000 },
        { HEALTH_HEAVY_THROTTLES, 4 },
        { HEALTH_HOST_READ_MB, 0 },
        { HEALTH_HOST_WRITTEN_MB, 0 },
        { HEALTH_SELF_TESTS_FAILED, 0 },
    };
    uint32_t known = 0;
    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        CHECK(health_knows(&h, rows[i].v));
        EQ(h.value[rows[i].v], rows[i].want);
        known |= 1u << rows[i].v;
    }
    EQ(h.known, known);
    EQ(h.warnings, 1 << HEALTH_WARN_SPARE | 1 << HEALTH_WARN_RELIABILITY | 1 << HEALTH_WARN_BACKUP);
    EQ(h.warnings_known, 0x3f | 1 << HEALTH_WARN_SELF_TEST);
    EQ_STR(h.note, "");
    rig_down();
}

TEST(each_critical_warning_has_its_own_words)
{
    static const enum health_warning want[] = { HEALTH_WARN_SPARE,       HEALTH_WARN_TEMPERATURE,
                                                HEALTH_WARN_RELIABILITY, HEALTH_WARN_READ_ONLY,
                                                HEALTH_WARN_BACKUP,      HEALTH_WARN_PERSISTENT_MEMORY };

    for (unsigned bit = 0; bit < 8; bit++) {
        rig_plug();
        rig.m->set.critical_warning = (uint8_t)(1 << bit);
        rig_up();
        EQ(health().warnings, bit < ARRAY_COUNT(want) ? 1u << want[bit] : 0);
        rig_down();
    }
}

TEST(health_before_and_after_shows_what_the_run_did)
{
    struct io_completion c;

    rig_plug();
    rig.m->set.elpe = 0; /* one entry */
    model_nvme_add_bad_lba(rig.m, 1, 4242, 0, 0);
    rig_up();
    struct disk_health before = health();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, true);
    hand_send(l, 0, 4240, 8);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_MEDIA_ERROR);
    rig_close(l);
    struct disk_health after = health();
    EQ(health_rose(&before, &after, HEALTH_MEDIA_ERRORS), 1);
    EQ(health_rose(&before, &after, HEALTH_ERROR_LOG_ENTRIES), 1);
    EQ(health_rose(&before, &after, HEALTH_UNSAFE_SHUTDOWNS), 0);
    EQ(health_rose(&before, &after, HEALTH_POWER_CYCLES), 0);
    HAS_STR(after.note, "unrecovered read error");
    HAS_STR(after.note, "at LBA 4240");
    rig_down();
}

TEST(asking_for_health_is_no_error_and_clears_no_event)
{
    rig_plug();
    rig_up();
    for (unsigned i = 0; i < 10; i++)
        health();
    EQ(rig.m->error_entries, 0);
    rig_down(); /* the model cries out about a read that clears events */
}

TEST(a_drive_without_temperature_does_not_tell_one)
{
    rig_plug();
    rig.m->set.temperature_k = rig.m->set.wctemp = rig.m->set.cctemp = 0;
    rig_up();
    struct disk_health h = health();
    CHECK(!health_knows(&h, HEALTH_TEMPERATURE_C));
    CHECK(!health_knows(&h, HEALTH_TEMPERATURE_WARNING_C));
    CHECK(!health_knows(&h, HEALTH_TEMPERATURE_CRITICAL_C));
    rig_down();
    rig_plug();
    rig.m->set.temperature_k = 250;
    rig_up();
    h = health();
    EQ(h.value[HEALTH_TEMPERATURE_C], -23);
    rig_down();
}

TEST(a_refused_or_unanswered_log_knows_nothing_and_is_bounded)
{
    struct disk_health h;

    rig_plug();
    rig_up();
    rig_lie(MODEL_NVME_STATUS, true, 0x02, 0, 1, 0x4109);
    EQ(nvme_driver.health(rig_disk(0), &h), E_REFUSED);
    EQ(h.known, 0);
    EQ(h.warnings_known, 0);
    EQ(health().value[HEALTH_POWER_ON_HOURS], 1234); /* the next one is answered */
    rig_lie(MODEL_NVME_STICK, true, 0x02, 1, 1, 0);  /* the error log */
    uint64_t start_ns = model_clock_ns;
    EQ(nvme_driver.health(rig_disk(0), &h), E_TIMEOUT);
    CHECK(model_clock_ns - start_ns < 31 * NS_PER_S);
    EQ(h.known, 0);
    EQ(nvme_driver.health(rig_disk(0), &h), E_TIMEOUT);
    CHECK(model_clock_ns - start_ns < 31 * NS_PER_S);
    rig_down();
}

TEST(a_device_without_spare_blocks_does_not_tell_that_none_are_left)
{
    for (uint8_t threshold = 0; threshold < 2; threshold++) {
        rig_plug();
        rig.m->set.spare = 0;
        rig.m->set.spare_threshold = threshold;
        rig_up();
        struct disk_health h = health();
        EQ(health_knows(&h, HEALTH_SPARE_PERCENT), threshold);
        EQ(health_knows(&h, HEALTH_SPARE_THRESHOLD_PERCENT), threshold);
        rig_down();
    }
}

/* ---- self-tests ---- */
static int start_test(enum self_test_kind kind, struct self_test_state *s)
{
    return nvme_driver.self_test->start(rig_disk(0), kind, s);
}

static struct self_test_state look(void)
{
    struct self_test_state s;

    EQ(nvme_driver.self_test->look(rig_disk(0), &s), OK);
    return s;
}

TEST(a_self_test_runs_with_progress_to_its_result)
{
    struct self_test_state s;

    rig_plug();
    rig.m->set.oacs = 0x10;
    rig_up();
    EQ(look().result, SELF_TEST_NEVER);
    EQ(start_test(SELF_TEST_SHORT, &s), OK);
    EQ(s.result, SELF_TEST_RUNNING);
    EQ(s.expected_s, 120);
    model_advance_ns(15 * NS_PER_S);
    s = look();
    EQ(s.result, SELF_TEST_RUNNING);
    EQ(s.percent_done, 25);
    EQ(s.expected_s, 120);
    /* Reads go on beside it. */
    struct io_lane *l = hand_open(rig_disk(0), 1, 4096, true);
    rig_read(l, 0, 0, 8);
    rig_close(l);
    model_advance_ns(46 * NS_PER_S);
    s = look();
    EQ(s.result, SELF_TEST_PASSED);
    EQ_STR(s.words, "passed");
    CHECK(!s.has_failing_lba);
    rig_down();
}

TEST(an_extended_self_test_runs_with_progress_for_its_own_time)
{
    struct self_test_state s;

    rig_plug();
    rig.m->set.oacs = 0x10;
    rig.m->set.edstt = 0xffff;
    rig.m->set.self_test_ns = 4000 * NS_PER_S;
    rig_up();
    EQ(start_test(SELF_TEST_EXTENDED, &s), OK);
    EQ(s.expected_s, 0xffff * 60);
    EQ(self_test_limit_s(SELF_TEST_EXTENDED, s.expected_s), SELF_TEST_LONGEST_S);
    for (unsigned percent = 25; percent < 100; percent += 25) {
        model_advance_ns(1000 * NS_PER_S);
        s = look();
        EQ(s.result, SELF_TEST_RUNNING);
        EQ(s.percent_done, percent);
    }
    model_advance_ns(1001 * NS_PER_S);
    s = look();
    EQ(s.result, SELF_TEST_PASSED);
    EQ_STR(s.words, "passed");
    /* One that does not come to an end is ended, and the drive takes the next. */
    EQ(start_test(SELF_TEST_EXTENDED, &s), OK);
    EQ(nvme_driver.self_test->abort(rig_disk(0)), OK);
    EQ(look().result, SELF_TEST_ABORTED);
    EQ(start_test(SELF_TEST_EXTENDED, &s), OK);
    rig_down();
}

TEST(a_self_test_is_waited_for_within_limits)
{
    static const struct {
        enum self_test_kind kind;
        uint32_t expected_s, limit_s;
    } rows[] = { { SELF_TEST_SHORT, 0, 360 },
                 { SELF_TEST_SHORT, 120, 180 },
                 { SELF_TEST_SHORT, UINT32_MAX, SELF_TEST_LONGEST_S },
                 { SELF_TEST_EXTENDED, 0, 86400 },
                 { SELF_TEST_EXTENDED, 1, 2 },
                 { SELF_TEST_EXTENDED, 36000, 54000 },
                 { SELF_TEST_EXTENDED, 230400, SELF_TEST_LONGEST_S },
                 { SELF_TEST_EXTENDED, 230398, SELF_TEST_LONGEST_S - 3 },
                 { SELF_TEST_EXTENDED, UINT32_MAX, SELF_TEST_LONGEST_S } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        EQ(self_test_limit_s(rows[i].kind, rows[i].expected_s), rows[i].limit_s);
}

TEST(a_failed_self_test_names_its_part_and_its_lba)
{
    struct self_test_state s;

    rig_plug();
    rig.m->set.oacs = 0x10;
    rig.m->set.edstt = 7;
    rig.m->set.self_test_result = 7;
    rig.m->set.self_test_lba = 0x8000000000001234;
    rig_up();
    EQ(start_test(SELF_TEST_EXTENDED, &s), OK);
    EQ(s.expected_s, 420);
    EQ(look().expected_s, 420);
    model_advance_ns(61 * NS_PER_S);
    s = look();
    EQ(s.result, SELF_TEST_FAILED);
    HAS_STR(s.words, "segment 3");
    CHECK(s.has_failing_lba);
    EQ(s.failing_lba, 0x8000000000001234);
    struct disk_health h = health();
    EQ(h.value[HEALTH_SELF_TESTS_FAILED], 1);
    CHECK(health_warns(&h, HEALTH_WARN_SELF_TEST));
    rig_down();
}

TEST(a_self_test_can_be_ended_and_is_refused_while_another_runs)
{
    struct self_test_state s;

    rig_plug();
    rig.m->set.oacs = 0x10;
    rig_up();
    EQ(start_test(SELF_TEST_SHORT, &s), OK);
    EQ(start_test(SELF_TEST_SHORT, &s), E_REFUSED);
    HAS_STR(s.words, "self-test in progress");
    EQ(nvme_driver.self_test->abort(rig_disk(0)), OK);
    s = look();
    EQ(s.result, SELF_TEST_ABORTED);
    EQ_STR(s.words, "ended by a command");
    struct disk_health h = health();
    CHECK(!health_warns(&h, HEALTH_WARN_SELF_TEST));
    rig_down();
}

TEST(a_drive_without_self_tests_says_so_without_being_asked)
{
    struct self_test_state s;

    rig_plug();
    rig_up();
    EQ(start_test(SELF_TEST_SHORT, &s), E_UNSUPPORTED);
    HAS_STR(s.words, "no self-test");
    EQ(nvme_driver.self_test->look(rig_disk(0), &s), E_UNSUPPORTED);
    EQ(nvme_driver.self_test->abort(rig_disk(0)), E_UNSUPPORTED);
    EQ(rig.m->seen.admin[0x14], 0);
    EQ(rig.m->error_entries, 0);
    rig_down();
}

TEST(every_result_of_a_self_test_has_words)
{
    for (uint8_t result = 0; result < 16; result++) {
        struct self_test_state s;

        rig_plug();
        rig.m->set.oacs = 0x10;
        rig.m->set.self_test_result = result;
        rig_up();
        EQ(start_test(SELF_TEST_SHORT, &s), OK);
        model_advance_ns(61 * NS_PER_S);
        s = look();
        if (result == 15) {
            EQ(s.result, SELF_TEST_NEVER);
        } else {
            CHECK(strlen(s.words) > 5);
            EQ(s.result, !result                      ? SELF_TEST_PASSED
                         : result >= 5 && result <= 7 ? SELF_TEST_FAILED
                                                      : SELF_TEST_ABORTED);
        }
        rig_down();
    }
}
