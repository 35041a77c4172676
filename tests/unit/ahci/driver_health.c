#include "rig.h"
#include <string.h>

/* What a drive says about itself, and that asking never costs more than an answer. */

static struct model_ahci_drive *drive;
static struct disk_health h;

static struct disk *up(void)
{
    rig_plug();
    drive = rig_plug_disk(0);
    rig_up();
    return rig_disk(0);
}

static int ask(struct disk *d)
{
    memset(&h, 0x5a, sizeof h);
    return d->controller->driver->health(d, &h);
}

static void expect(enum health_value v, int64_t want)
{
    CHECK(health_knows(&h, v));
    EQ(h.value[v], want);
}

TEST(attributes_become_values)
{
    struct disk *d = up();

    model_ahci_attribute(drive, 5)->raw = 7 | 0x990000; /* what lies above 16 bits is no sector */
    model_ahci_attribute(drive, 9)->raw = 43210 | 0x55000000;
    model_ahci_attribute(drive, 12)->raw = 99;
    model_ahci_attribute(drive, 187)->raw = 0xffffffff;
    model_ahci_attribute(drive, 194)->raw = 31 | 0x2a00140000; /* lowest and highest ever */
    model_ahci_attribute(drive, 197)->raw = 8;
    model_ahci_attribute(drive, 198)->raw = 4;
    model_ahci_attribute(drive, 199)->raw = 1234;
    drive->smart_errors = 0x8001;
    EQ(ask(d), OK);
    expect(HEALTH_REALLOCATED_SECTORS, 7);
    expect(HEALTH_POWER_ON_HOURS, 43210);
    expect(HEALTH_POWER_CYCLES, 99);
    expect(HEALTH_MEDIA_ERRORS, 0xffffffff);
    expect(HEALTH_TEMPERATURE_C, 31);
    expect(HEALTH_PENDING_SECTORS, 8);
    expect(HEALTH_UNCORRECTABLE_SECTORS, 4);
    expect(HEALTH_INTERFACE_CRC_ERRORS, 1234);
    expect(HEALTH_ERROR_LOG_ENTRIES, 0x8001);
    expect(HEALTH_SELF_TESTS_FAILED, 0);
    CHECK(!health_knows(&h, HEALTH_USED_PERCENT));
    CHECK(!health_knows(&h, HEALTH_SPARE_PERCENT));
    CHECK(h.warnings_known >> HEALTH_WARN_FAILURE_EXPECTED & 1);
    EQ(h.warnings, 0);
    EQ_STR(h.note, "");
    rig_down();
}

TEST(a_value_that_rose_during_the_run_shows)
{
    struct disk *d = up();
    struct disk_health before;

    EQ(ask(d), OK);
    before = h;
    model_ahci_attribute(drive, 197)->raw = 3;
    EQ(ask(d), OK);
    EQ(health_rose(&before, &h, HEALTH_PENDING_SECTORS), 3);
    EQ(health_rose(&before, &h, HEALTH_INTERFACE_CRC_ERRORS), 0);
    rig_down();
}

TEST(attributes_that_a_drive_lacks_are_not_known)
{
    struct disk *d = up();

    memset(drive->attribute, 0, sizeof drive->attribute);
    EQ(ask(d), OK);
    EQ(h.known, 1u << HEALTH_ERROR_LOG_ENTRIES | 1u << HEALTH_SELF_TESTS_FAILED);
    rig_down();
}

TEST(the_temperature_of_the_medium_counts_before_that_of_the_air)
{
    struct disk *d = up();

    memset(drive->attribute, 0, sizeof drive->attribute);
    model_ahci_attribute(drive, 190)->raw = 25;
    EQ(ask(d), OK);
    expect(HEALTH_TEMPERATURE_C, 25);
    model_ahci_attribute(drive, 194)->raw = 0xfb; /* -5 */
    EQ(ask(d), OK);
    expect(HEALTH_TEMPERATURE_C, -5);
    memset(drive->attribute, 0, sizeof drive->attribute);
    model_ahci_attribute(drive, 194)->raw = 40;
    model_ahci_attribute(drive, 190)->raw = 25;
    EQ(ask(d), OK);
    expect(HEALTH_TEMPERATURE_C, 40);
    rig_down();
}

TEST(an_attribute_at_its_threshold_is_a_warning_when_it_foretells_failure)
{
    struct disk *d = up();
    struct model_ahci_attribute *a = model_ahci_attribute(drive, 5);

    a->current = 36;
    a->threshold = 36;
    EQ(ask(d), OK);
    CHECK(!health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED)); /* of age only */
    EQ_STR(h.note, "attribute 5 is at 36, its threshold at 36");
    a->flags = 1;
    EQ(ask(d), OK);
    CHECK(health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED));
    a->current = 37;
    EQ(ask(d), OK);
    EQ(h.warnings, 0);
    EQ_STR(h.note, "");
    rig_down();
}

TEST(thresholds_that_mean_nothing_never_fire)
{
    static const uint8_t nothing[] = { 0, 0xfe, 0xff };
    struct disk *d = up();
    struct model_ahci_attribute *a = model_ahci_attribute(drive, 5);

    a->flags = 1;
    a->current = 0;
    for (unsigned i = 0; i < 3; i++) {
        a->threshold = nothing[i];
        EQ(ask(d), OK);
        EQ(h.warnings, 0);
    }
    a->threshold = 50;
    drive->no_thresholds = true;
    EQ(ask(d), OK);
    EQ(h.warnings, 0);
    rig_down();
}

TEST(a_drive_that_expects_to_fail_says_so)
{
    struct disk *d = up();

    drive->smart_failing = true;
    EQ(ask(d), OK);
    CHECK(health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED));
    rig_down();
}

TEST(a_page_that_does_not_add_up_is_not_believed)
{
    struct disk *d = up();

    drive->smart_bad_checksum = true;
    EQ(ask(d), E_PROTO);
    EQ(h.known, 0);
    EQ(h.warnings_known, 0);
    rig_down();
}

TEST(a_drive_without_smart_or_with_smart_off_is_not_asked)
{
    struct disk *d;

    rig_plug();
    rig_plug_disk(0)->smart_absent = true;
    rig_plug_disk(1)->smart_off = true;
    rig_up();
    EQ(ask(rig_disk(0)), E_UNSUPPORTED);
    d = rig_disk(1);
    EQ(ask(d), OK);
    EQ(h.known, 0);
    HAS_STR(h.note, "SMART is switched off");
    HAS_STR(d->settings, "SMART off");
    EQ(rig.m.port[0].seen.opcodes[0xb0] + rig.m.port[1].seen.opcodes[0xb0], 0);
    rig_down();
}

TEST(a_drive_that_hangs_over_smart_costs_one_reset_and_still_reads)
{
    struct io_lane *l = rig_lane(4, 4096);
    uint64_t began_ns = model_clock_ns;

    rig.m.port[0].drive.smart_hangs = true;
    EQ(ask(l->disk), E_TIMEOUT);
    CHECK(model_clock_ns - began_ns < 15 * NS_PER_S);
    EQ(h.known, 0);
    EQ(rig.m.port[0].seen.comresets, 1);
    EQ(ask(l->disk), E_UNSUPPORTED);
    EQ(rig.m.port[0].seen.comresets, 1);
    rig_read(l, 0, 1000, 8);
    rig_lane_down(l);
}

TEST(health_is_asked_between_reads_and_never_beside_them)
{
    struct io_lane *l = rig_lane(4, 4096);
    struct io_completion c;

    rig_read(l, 0, 8, 8);
    rig.m.port[0].drive.latency_ns = NS_PER_MS;
    hand_send(l, 1, 16, 8);
    EQ(ask(l->disk), E_AGAIN);
    EQ(h.known, 0);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(ask(l->disk), OK);
    rig_read(l, 0, 24, 8);
    rig_lane_down(l);
}

TEST(a_disk_without_queueing_is_asked_between_reads_too)
{
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0)->queue_depth = 0;
    rig_up();
    l = hand_open(rig_disk(0), 1, 4096, true);
    rig_read(l, 0, 8, 8);
    EQ(ask(l->disk), OK);
    rig_read(l, 0, 24, 8);
    rig_lane_down(l);
}

TEST(a_locked_disk_tells_its_health_and_rests_again)
{
    struct disk *d;

    rig_plug();
    rig_plug_disk(0)->security_locked = true;
    rig_up();
    d = rig.c->disks[0];
    CHECK(!d->ops);
    for (unsigned i = 0; i < 2; i++) {
        EQ(ask(d), OK);
        expect(HEALTH_POWER_ON_HOURS, 1000);
        EQ(rig.m.port[0].cmd & 0xc011, 0);
    }
    rig_down();
}

TEST(a_port_whose_engine_did_not_stop_is_not_started_for_a_question)
{
    rig_plug();
    rig_plug_disk(0)->security_locked = true;
    rig.m.cr_ns = MODEL_AHCI_NEVER;
    rig_up();
    EQ(ask(rig.c->disks[0]), E_TIMEOUT);
    EQ(h.known, 0);
    rig.m.cr_ns = 0;
    rig_down();
}

TEST(statistics_are_taken_where_the_drive_keeps_them)
{
    struct disk *d = up();

    drive->statistics = true;
    drive->read_blocks = 0xffffffffffff; /* all 48 bits */
    drive->written_blocks = 3999999;
    drive->used_percent = 255;
    EQ(ask(d), OK);
    expect(HEALTH_HOST_READ_MB, 144115188075);
    expect(HEALTH_HOST_WRITTEN_MB, 2047);
    expect(HEALTH_USED_PERCENT, 255);
    drive->statistics = false;
    EQ(ask(d), OK);
    CHECK(!health_knows(&h, HEALTH_HOST_READ_MB));
    rig_down();
}

TEST(link_errors_are_part_of_the_account)
{
    struct io_lane *l = rig_lane(4, 4096);

    rig.m.port[0].drive.nth_serr = 1;
    rig.m.port[0].drive.serr_bits = 1 << 21 | 1 << 19;
    rig_read(l, 0, 0, 8);
    EQ(ask(l->disk), OK);
    EQ_STR(h.note, "the adapter saw: 10b/8b decoding errors, CRC errors");
    rig_lane_down(l);
}

TEST(an_adapter_that_vanishes_at_any_access_of_a_health_query_is_survived)
{
    for (unsigned long at = 1;; at++) {
        struct disk *d = up();
        int rc;

        rig.vanish_at = rig.accesses + at;
        rc = ask(d);
        if (rig.accesses < rig.vanish_at) {
            EQ(rc, OK);
            rig_down();
            return;
        }
        if (rc) {
            EQ(h.known, 0);
            CHECK(d->fault.err || rc == E_PROTO || rc == E_TIMEOUT);
        }
        rig_down();
        CHECK(at < 500);
    }
}

/* ---- self-tests ---- */
static struct self_test_state s;
static const struct self_test_ops *tests(const struct disk *d) { return d->controller->driver->self_test; }

TEST(a_short_self_test_runs_beside_reads_and_passes)
{
    struct io_lane *l = rig_lane(4, 4096);

    rig.m.port[0].drive.self_test_ns = 100 * NS_PER_S;
    EQ(tests(l->disk)->look(l->disk, &s), OK);
    EQ(s.result, SELF_TEST_NEVER);
    EQ(tests(l->disk)->start(l->disk, SELF_TEST_SHORT, &s), OK);
    EQ(s.result, SELF_TEST_RUNNING);
    EQ(s.percent_done, 10);
    EQ(s.expected_s, 60);
    rig_read(l, 0, 8, 8);
    model_advance_ns(60 * NS_PER_S);
    EQ(tests(l->disk)->look(l->disk, &s), OK);
    EQ(s.result, SELF_TEST_RUNNING);
    EQ(s.percent_done, 60);
    EQ(tests(l->disk)->start(l->disk, SELF_TEST_SHORT, &s), E_REFUSED);
    EQ(s.percent_done, 60);
    model_advance_ns(50 * NS_PER_S);
    EQ(tests(l->disk)->look(l->disk, &s), OK);
    EQ(s.result, SELF_TEST_PASSED);
    EQ(s.has_failing_lba, false);
    HAS_STR(s.words, "nothing wrong");
    rig_lane_down(l);
}

TEST(a_self_test_that_cannot_read_names_the_block_and_is_a_warning)
{
    for (unsigned old = 0; old < 2; old++) {
        struct disk *d;

        rig_plug();
        drive = rig_plug_disk(0);
        drive->no_logs = old;
        drive->self_test_ns = NS_PER_S;
        drive->self_test_code = 7;
        drive->self_test_lba = 1234567;
        rig_up();
        d = rig_disk(0);
        EQ(tests(d)->start(d, SELF_TEST_EXTENDED, &s), OK);
        EQ(s.expected_s, 600);
        model_advance_ns(11 * NS_PER_S);
        EQ(tests(d)->look(d, &s), OK);
        EQ(s.result, SELF_TEST_FAILED);
        CHECK(s.has_failing_lba);
        EQ(s.failing_lba, 1234567);
        EQ(ask(d), OK);
        expect(HEALTH_SELF_TESTS_FAILED, 1);
        CHECK(health_warns(&h, HEALTH_WARN_SELF_TEST));
        /* A later test that passes clears the warning, not the count. */
        drive->self_test_code = 0;
        EQ(tests(d)->start(d, SELF_TEST_SHORT, &s), OK);
        model_advance_ns(2 * NS_PER_S);
        EQ(ask(d), OK);
        expect(HEALTH_SELF_TESTS_FAILED, 1);
        CHECK(!health_warns(&h, HEALTH_WARN_SELF_TEST));
        rig_down();
    }
}

TEST(the_old_log_names_no_block_of_a_disk_too_large_for_it)
{
    struct disk *d;

    rig_plug();
    drive = model_ahci_add_disk(&rig.m, 0, (1ull << 32) + 8);
    drive->no_logs = true;
    drive->self_test_code = 7;
    drive->self_test_lba = 1ull << 32;
    rig_up();
    d = rig_disk(0);
    EQ(tests(d)->start(d, SELF_TEST_SHORT, &s), OK);
    EQ(s.result, SELF_TEST_FAILED);
    CHECK(!s.has_failing_lba);
    drive->no_logs = false;
    rig_down();
}

TEST(every_result_of_a_self_test_has_its_words)
{
    static const int want[16] = { SELF_TEST_PASSED, SELF_TEST_ABORTED, SELF_TEST_ABORTED, SELF_TEST_FAILED,
                                  SELF_TEST_FAILED, SELF_TEST_FAILED,  SELF_TEST_FAILED,  SELF_TEST_FAILED,
                                  SELF_TEST_FAILED, SELF_TEST_FAILED,  SELF_TEST_FAILED,  SELF_TEST_FAILED,
                                  SELF_TEST_FAILED, SELF_TEST_FAILED,  SELF_TEST_FAILED };
    struct disk *d = up();

    for (unsigned code = 0; code < 15; code++) {
        drive->self_test_code = code;
        EQ(tests(d)->start(d, SELF_TEST_SHORT, &s), OK);
        EQ(s.result, want[code]);
        CHECK(strlen(s.words) > 10);
    }
    rig_down();
}

TEST(an_extended_self_test_runs_with_progress_for_its_own_time)
{
    struct disk *d = up();

    drive->self_test_ns = 100 * NS_PER_S; /* the extended one: ten times that */
    EQ(tests(d)->start(d, SELF_TEST_EXTENDED, &s), OK);
    EQ(s.result, SELF_TEST_RUNNING);
    EQ(s.percent_done, 10);
    EQ(s.expected_s, 600);
    EQ(self_test_limit_s(SELF_TEST_EXTENDED, s.expected_s), 900);
    model_advance_ns(600 * NS_PER_S);
    EQ(tests(d)->look(d, &s), OK);
    EQ(s.result, SELF_TEST_RUNNING);
    EQ(s.percent_done, 60);
    EQ(s.expected_s, 600);
    model_advance_ns(400 * NS_PER_S);
    EQ(tests(d)->look(d, &s), OK);
    EQ(s.result, SELF_TEST_PASSED);
    HAS_STR(s.words, "nothing wrong");
    rig_down();
}

TEST(a_self_test_can_be_aborted)
{
    struct disk *d = up();

    drive->self_test_ns = 100 * NS_PER_S;
    EQ(tests(d)->start(d, SELF_TEST_EXTENDED, &s), OK);
    EQ(tests(d)->abort(d), OK);
    EQ(tests(d)->look(d, &s), OK);
    EQ(s.result, SELF_TEST_ABORTED);
    HAS_STR(s.words, "aborted by a host");
    EQ(tests(d)->abort(d), OK);
    rig_down();
}

TEST(the_ring_of_self_tests_wraps)
{
    struct disk *d = up();

    for (unsigned i = 0; i < 45; i++) {
        drive->self_test_code = i == 44 ? 7 : 0;
        EQ(tests(d)->start(d, SELF_TEST_SHORT, &s), OK);
    }
    EQ(s.result, SELF_TEST_FAILED);
    rig_down();
}

TEST(self_tests_are_not_offered_where_the_drive_has_none)
{
    struct disk *d;

    rig_plug();
    rig_plug_disk(0)->smart_off = true;
    rig_up();
    d = rig_disk(0);
    EQ(tests(d)->start(d, SELF_TEST_SHORT, &s), E_UNSUPPORTED);
    EQ(tests(d)->look(d, &s), E_UNSUPPORTED);
    EQ(tests(d)->abort(d), E_UNSUPPORTED);
    EQ(rig.m.port[0].seen.opcodes[0xb0], 0);
    rig_down();
}
