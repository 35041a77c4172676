#include "rig.h"
#include <string.h>

/* Drives that sleep, hide, come and go, and what is recorded of those that do not. */

static struct model_ahci_drive *drive;

static struct disk *hdd(void)
{
    rig_plug();
    drive = rig_plug_disk(0);
    drive->rotation_rpm = 7200;
    return NULL;
}

/* ---- standby ---- */
TEST(a_drive_in_standby_is_awake_before_the_first_measured_read)
{
    struct io_lane *l, *second;
    uint64_t began_ns;

    hdd();
    drive->standby = true;
    drive->wake_ns = 9 * NS_PER_S;
    rig_up();
    began_ns = model_clock_ns;
    l = hand_open(rig_disk(0), 4, 4096, true);
    CHECK(model_clock_ns - began_ns >= 9 * NS_PER_S && model_clock_ns - began_ns < 10 * NS_PER_S);
    CHECK(rig_has_remark("sata0.0: was in standby; awake after 9"));
    rig_read(l, 0, 8, 8); /* which must be answered at once */
    second = hand_open(rig_disk(0), 4, 4096, true);
    EQ(rig.m.port[0].seen.opcodes[0xe5], 1);
    l->disk->ops->close(l);
    rig_lane_down(second);
}

TEST(parked_heads_are_fetched_without_a_word)
{
    struct io_lane *l;

    hdd();
    drive->idle = true;
    drive->wake_ns = NS_PER_S;
    rig_up();
    l = hand_open(rig_disk(0), 4, 4096, true);
    EQ(rig.c->remark_count, 0);
    CHECK(!drive->idle);
    rig_lane_down(l);
}

TEST(a_drive_that_is_awake_is_not_read_and_an_ssd_is_not_even_asked)
{
    struct io_lane *l;

    hdd();
    rig_up();
    l = hand_open(rig_disk(0), 4, 4096, true);
    EQ(rig.m.port[0].seen.opcodes[0xe5], 1);
    EQ(rig.m.port[0].seen.reads, 0);
    rig_lane_down(l);
    l = rig_lane(4, 4096);
    EQ(rig.m.port[0].seen.opcodes[0xe5], 0);
    rig_lane_down(l);
}

TEST(an_answer_that_the_adapter_swallowed_is_none)
{
    struct io_lane *l;
    struct disk_health h;

    hdd();
    rig_up();
    rig.no_register_fis = true;
    l = hand_open(rig_disk(0), 4, 4096, true);
    EQ(rig.m.port[0].seen.reads, 0); /* a count of zero would have meant standby */
    EQ(rig.c->driver->health(l->disk, &h), OK);
    EQ(h.warnings_known >> HEALTH_WARN_FAILURE_EXPECTED & 1, 0);
    rig_lane_down(l);
}

TEST(disks_of_every_block_size_and_address_width_are_woken)
{
    for (unsigned i = 0; i < 3; i++) {
        struct io_lane *l;

        hdd();
        drive->standby = true;
        drive->wake_ns = NS_PER_S;
        drive->sector_bytes = i == 1 ? 4096 : 512;
        drive->lba28_only = i == 2;
        drive->lba_count = 1 << 16;
        rig_up();
        l = hand_open(rig_disk(0), 1, 4096, true);
        CHECK(!drive->standby);
        EQ(rig.m.port[0].seen.blocks, 1);
        rig_lane_down(l);
    }
}

TEST(a_bad_first_block_wakes_the_drive_as_well)
{
    struct io_lane *l;

    hdd();
    drive->standby = true;
    drive->bad[0].count = 1;
    rig_up();
    l = hand_open(rig_disk(0), 4, 4096, true);
    rig_read(l, 0, 8, 8);
    rig_lane_down(l);
}

TEST(a_drive_that_never_wakes_costs_a_bounded_time_and_its_lane)
{
    struct lane_shape shape = { .depth = 4, .request_bytes = 4096 };
    struct io_lane *l;
    uint64_t began_ns;

    hdd();
    drive->standby = true;
    drive->wake_ns = MODEL_AHCI_NEVER;
    rig_up();
    drive->ready_after_comreset_ns = MODEL_AHCI_NEVER;
    began_ns = model_clock_ns;
    CHECK(rig_disk(0)->ops->open(rig_disk(0), &shape, &l) < 0);
    CHECK(!l);
    CHECK(model_clock_ns - began_ns < 50 * NS_PER_S);
    CHECK(rig.c->disks[0]->fault.err);
    CHECK(rig.c->disks[0]->ops->open(rig.c->disks[0], &shape, &l) < 0);
    rig_down();
}

TEST(memory_of_a_lane_stays_where_it_is_when_the_waking_read_cannot_be_stopped)
{
    struct lane_shape shape = { .depth = 4, .request_bytes = 4096 };
    struct io_lane *l;
    long live;

    hdd();
    drive->standby = true;
    drive->wake_ns = MODEL_AHCI_NEVER;
    rig_up();
    rig.m.cr_ns = MODEL_AHCI_NEVER;
    live = model_live_allocs();
    CHECK(rig_disk(0)->ops->open(rig_disk(0), &shape, &l) < 0);
    CHECK(model_live_allocs() > live);
    rig_down();
}

TEST(every_failed_allocation_of_a_sleeping_drives_lane_is_undone)
{
    struct lane_shape shape = { .depth = 4, .request_bytes = 4096 };
    struct io_lane *l;

    for (long k = 0;; k++) {
        int rc;

        hdd();
        drive->standby = true;
        rig_up();
        model_fail_alloc_at = model_alloc_count + k;
        rc = rig_disk(0)->ops->open(rig_disk(0), &shape, &l);
        model_fail_alloc_at = -1;
        if (rc == OK) {
            rig_lane_down(l);
            CHECK(k > 3);
            return;
        }
        EQ(rc, E_NOMEM);
        CHECK(drive->standby);
        rig_down();
    }
}

/* ---- asleep since power-up ---- */
TEST(a_drive_that_waits_for_a_command_to_spin_up_gets_it)
{
    static const uint16_t word2[] = { 0x37c8, 0x738c };

    for (unsigned i = 0; i < 2; i++) {
        struct io_lane *l;

        hdd();
        drive->puis = word2[i];
        drive->wake_ns = 8 * NS_PER_S;
        rig_up();
        CHECK(rig_has_remark("sata0.0: started in standby (PUIS) and was woken"));
        EQ(rig.m.port[0].seen.opcodes[0xef], 1);
        EQ_STR(rig_disk(0)->serial, "SER00");
        l = hand_open(rig_disk(0), 4, 4096, true);
        rig_read(l, 0, 8, 8);
        rig_lane_down(l);
    }
}

TEST(a_drive_that_does_not_spin_up_is_listed_with_its_reason_in_bounded_time)
{
    uint64_t began_ns = 0;

    hdd();
    drive->puis = 0x37c8;
    drive->wake_ns = MODEL_AHCI_NEVER;
    rig_power();
    EQ(rig_attach(), OK);
    CHECK(model_clock_ns - began_ns < 40 * NS_PER_S);
    EQ(rig.c->disk_count, 1);
    CHECK(!rig.c->disks[0]->ops);
    CHECK(rig.c->disks[0]->why_not[0]);
    rig_down();
}

TEST(a_drive_that_starts_slowly_is_talked_about)
{
    hdd();
    drive->ready_ns = 7 * NS_PER_S;
    rig_up();
    HAS_STR(model_last_log(), "sata0.0: ready after 7");
    rig_down();
    hdd();
    drive->ready_ns = NS_PER_S;
    rig_up();
    EQ_STR(model_last_log(), "");
    rig_down();
}

/* ---- hidden blocks ---- */
TEST(a_host_protected_area_is_named)
{
    hdd();
    drive->native_lba_count = RIG_DISK_BLOCKS + 2048;
    rig_up();
    CHECK(rig_has_remark("sata0.0: 2048 of 2099200 blocks are hidden in a host protected area"));
    EQ(rig_disk(0)->lba_count, RIG_DISK_BLOCKS);
    rig_down();
}

TEST(the_native_size_may_need_all_of_48_bits)
{
    hdd();
    drive->native_lba_count = 1ull << 48;
    rig_up();
    CHECK(rig_has_remark("of 281474976710656 blocks are hidden"));
    rig_down();
}

TEST(a_native_size_that_hides_nothing_is_no_remark)
{
    static const uint64_t native[] = { RIG_DISK_BLOCKS, RIG_DISK_BLOCKS - 1, 1 };

    for (unsigned i = 0; i < 3; i++) {
        hdd();
        drive->native_lba_count = native[i];
        rig_up();
        EQ(rig.m.port[0].seen.opcodes[0x27], 1);
        EQ(rig.c->remark_count, 0);
        rig_down();
    }
}

TEST(drives_that_hang_on_the_question_or_lack_the_area_are_not_asked)
{
    hdd();
    drive->native_lba_count = RIG_DISK_BLOCKS + 1;
    strcpy(drive->model, "HDS724040KLSA80");
    rig_plug_disk(1);
    rig_plug_disk(2)->native_lba_count = 1 << 20;
    rig.m.port[2].drive.lba_count = 1 << 16;
    rig.m.port[2].drive.lba28_only = true;
    rig_up();
    for (unsigned i = 0; i < 3; i++)
        EQ(rig.m.port[i].seen.opcodes[0x27], 0);
    rig_down();
}

/* ---- settings ---- */
TEST(what_moves_numbers_is_recorded_in_words)
{
    hdd();
    drive->security_frozen = true;
    rig_up();
    EQ_STR(rig_disk(0)->settings, "write cache on; look-ahead on; NCQ, 32 commands; link 6 Gb/s, drive 6; "
                                  "security frozen");
    rig_down();
    hdd();
    drive->queue_depth = 0;
    drive->speed = 2;
    rig_up();
    EQ_STR(rig_disk(0)->settings,
           "write cache on; look-ahead on; one command at a time; link 3 Gb/s, drive 3");
    rig_down();
}

/* Words 83 and 87 are not valid: what 82 and 85 say means nothing.  Word 76 names no speed, as in QEMU. */
static void edit_vague(uint8_t *sector)
{
    if (sector[0] != 0x40 || sector[1])
        return;
    sector[2 * 83 + 1] = 0;
    sector[2 * 87 + 1] = 0;
    sector[2 * 76] = 0;
}

TEST(what_a_drive_does_not_report_is_called_so)
{
    hdd();
    drive->checksum = MODEL_AHCI_CHECKSUM_ABSENT;
    drive->speed = 1;
    drive->lba_count = 1 << 16;
    rig.edit = edit_vague;
    rig_up();
    EQ_STR(rig_disk(0)->settings,
           "write cache not reported; look-ahead not reported; one command at a time; link 1.5 Gb/s");
    EQ(rig.c->remark_count, 0);
    rig_down();
}

TEST(a_link_slower_than_the_drive_is_named_with_whose_fault_it_is)
{
    hdd();
    drive->speed_that_works = 2;
    rig_up();
    CHECK(rig_has_remark("sata0.0: link at 3 Gb/s, drive and adapter can do 6: check cable"));
    EQ(rig.c->remarks[0].level, REMARK_WARN);
    EQ(rig_disk(0)->grounds, GROUND_NARROW_LINK);
    rig_down();
    for (unsigned rpm = 1; rpm <= 7200; rpm += 7199) {
        hdd();
        drive->rotation_rpm = (uint16_t)rpm;
        rig.m.iss = 2;
        rig_up();
        CHECK(rig_has_remark("sata0.0: the drive could do 6 Gb/s, the adapter only 3"));
        EQ(rig.c->remarks[0].level, rpm == 1 ? REMARK_WARN : REMARK_INFO);
        EQ(rig_disk(0)->grounds, rpm == 1 ? GROUND_NARROW_LINK : 0); /* heads are slower than the port */
        rig_down();
    }
    hdd();
    rig.m.iss = 2;
    drive->speed = 2;
    rig_up();
    EQ(rig.c->remark_count, 0);
    EQ(rig_disk(0)->grounds, 0);
    rig_down();
}

/* ---- come and go ---- */
static unsigned look(void) { return rig.c->driver->look_around(rig.c); }

TEST(nothing_that_changed_is_no_remark)
{
    struct io_lane *l = rig_lane(4, 4096);

    EQ(look(), 0);
    rig_read(l, 0, 8, 8);
    EQ(look(), 0);
    EQ(rig.c->remark_count, 0);
    EQ(rig.m.port[0].seen.comresets, 0);
    rig_lane_down(l);
}

TEST(a_drive_pulled_between_steps_is_named_once_and_read_no_more)
{
    struct io_lane *l = rig_lane(4, 4096);
    struct io_request r = { .blocks = 8 };

    rig_plug_disk(1);
    model_ahci_pull(&rig.m, 0);
    EQ(look(), 1);
    CHECK(rig_has_remark("sata0.0: the drive was pulled"));
    EQ(l->disk->fault.err, E_GONE);
    CHECK(l->dead);
    EQ(l->disk->ops->submit(l, &r, 1), 0);
    EQ(look(), 0);
    rig_lane_down(l);
}

TEST(a_drive_plugged_in_during_the_run_is_named_once)
{
    struct io_lane *l = rig_lane(4, 4096);

    model_ahci_add_disk(&rig.m, 3, RIG_DISK_BLOCKS);
    model_ahci_push(&rig.m, 3);
    EQ(look(), 1);
    CHECK(rig_has_remark("port 3: a device was plugged in"));
    EQ(look(), 0);
    EQ(rig.m.port[3].seen.commands, 0);
    rig_read(l, 0, 8, 8);
    rig_lane_down(l);
}

TEST(a_drive_that_was_away_for_a_moment_goes_on_with_a_warning)
{
    struct io_lane *l = rig_lane(4, 4096);

    model_ahci_pull(&rig.m, 0);
    model_ahci_push(&rig.m, 0);
    EQ(look(), 1);
    CHECK(rig_has_remark("sata0.0: the link went away between two steps and came back"));
    EQ(l->disk->fault.err, OK);
    rig_read(l, 0, 8, 8);
    EQ(look(), 0);
    rig_lane_down(l);
}

TEST(another_drive_in_the_same_slot_is_not_taken_for_the_first)
{
    struct io_lane *l = rig_lane(4, 4096);

    model_ahci_pull(&rig.m, 0);
    strcpy(rig.m.port[0].drive.serial, "ANOTHER");
    model_ahci_push(&rig.m, 0);
    EQ(look(), 1);
    CHECK(rig_has_remark("is not taken for the same drive"));
    CHECK(l->disk->fault.err);
    EQ(rig.m.port[0].seen.reads, 0);
    rig_lane_down(l);
}

TEST(an_adapter_that_is_gone_loses_its_disks_once)
{
    struct io_lane *l = rig_lane(4, 4096);

    rig.m.gone = true;
    EQ(look(), 1);
    EQ(l->disk->fault.err, E_GONE);
    EQ(look(), 0);
    rig_lane_down(l);
}

/* ---- slow is not broken ---- */
TEST(a_read_that_the_drive_retries_for_40_seconds_ends_well_and_without_a_reset)
{
    struct io_lane *l;
    struct io_completion c;
    unsigned n = 0;

    hdd();
    drive->nth_slow = 2;
    drive->slow_ns = 40 * NS_PER_S;
    rig_up();
    EQ(rig_disk(0)->command_deadline_ns, 60 * NS_PER_S);
    l = hand_open(rig_disk(0), 4, 4096, true);
    rig_read(l, 0, 8, 8);
    hand_send(l, 1, 16, 8);
    for (unsigned s = 0; s < 39; s++) {
        model_advance_ns(NS_PER_S);
        EQ(l->disk->ops->poll(l, &c, 1), 0);
    }
    model_advance_ns(2 * NS_PER_S);
    while (!n)
        n = l->disk->ops->poll(l, &c, 1);
    EQ(c.status, IO_OK);
    EQ(c.retries, 0);
    EQ(rig.m.port[0].seen.comresets + rig.m.port[0].seen.soft_resets, 0);
    EQ(rig.m.port[0].seen.starts, 1);
    rig_check_data(l, 1, 16, 8);
    rig_lane_down(l);
}
