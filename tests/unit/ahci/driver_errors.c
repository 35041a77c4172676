#include <string.h>
#include "rig.h"

/* Reads that fail: who is blamed, who is repeated, what it costs. */

static void words_of(const struct io_lane *l, uint32_t detail, char *buf, size_t cap)
{
    struct text t = text_over(buf, cap);

    l->disk->ops->status_words(detail, &t);
}

/* Thirty-two reads of eight blocks, block 83 (slot 10) bad: only slot 10 fails. */
static void one_bad_of_32(struct io_lane *l, enum io_status status, uint64_t error_lba, uint32_t detail)
{
    struct io_completion c[32];

    rig.m.port[0].drive.bad[0].first = 83;
    rig.m.port[0].drive.bad[0].count = 1;
    rig_read_many(l, c, 32);
    for (unsigned i = 0; i < 32; i++)
        EQ(c[i].status, i == 10 ? (unsigned)status : IO_OK);
    EQ(c[10].error_lba, error_lba);
    EQ(c[10].detail, detail);
    EQ(l->disk->fault.err, OK);
    CHECK(!l->dead);
    /* And on it goes, queued. */
    unsigned long queued = rig.m.port[0].seen.queued_reads;
    rig_read(l, 10, 96, 8);
    EQ(rig.m.port[0].seen.queued_reads, queued + 1);
}

TEST(the_drives_log_names_the_bad_read_of_many)
{
    struct io_lane *l = rig_lane(32, 4096);
    char words[120];

    rig.m.port[0].drive.latency_ns = 10000;
    rig.m.port[0].drive.ooo_step_ns = 1000;
    one_bad_of_32(l, IO_MEDIA_ERROR, 83, 0x4051);
    EQ(rig.m.port[0].seen.opcodes[0x2f], 1);
    EQ(rig.m.port[0].seen.opcodes[0x25], 0);
    EQ(rig.m.port[0].seen.comresets, 0);
    words_of(l, 0x4051, words, sizeof words);
    EQ_STR(words, "data cannot be read (STATUS 0x51, ERROR 0x40)");
    rig_lane_down(l);
}

TEST(repeats_are_counted_and_only_for_what_was_sent_again)
{
    struct io_lane *l = rig_lane(32, 4096);
    struct io_completion c[32];
    unsigned repeated = 0;

    rig.m.port[0].drive.latency_ns = 10000;
    rig.m.port[0].drive.ooo_step_ns = 1000;
    rig.m.port[0].drive.bad[0].first = 83;
    rig.m.port[0].drive.bad[0].count = 1;
    rig_read_many(l, c, 32);
    EQ(c[10].retries, 0);
    for (unsigned i = 0; i < 32; i++) {
        CHECK(c[i].retries <= 1);
        repeated += c[i].retries;
    }
    EQ(rig.m.port[0].seen.reads, 32 + repeated);
    rig_lane_down(l);
}

TEST(a_read_that_was_not_rung_yet_when_another_failed_is_no_repeat)
{
    struct io_lane *l = rig_lane(4, 4096);
    struct io_request r = { .lba = 800, .blocks = 8, .slot = 3 };
    struct io_completion c[2];

    rig.m.port[0].drive.bad[0].first = 8;
    rig.m.port[0].drive.bad[0].count = 8;
    hand_send(l, 1, 8, 8);
    EQ(l->disk->ops->submit(l, &r, 1), 1);
    EQ(hand_wait(l, c, 2), 2);
    EQ(c[0].slot, 1);
    EQ(c[0].status, IO_MEDIA_ERROR);
    EQ(c[1].slot, 3);
    EQ(c[1].status, IO_OK);
    EQ(c[1].retries, 0);
    rig_check_data(l, 3, 800, 8);
    EQ(rig.m.port[0].seen.reads, 2);
    rig_lane_down(l);
}

TEST(after_the_only_read_failed_nothing_is_in_flight)
{
    struct io_lane *l = rig_lane(1, 4096);
    struct io_completion c;
    unsigned long reads;

    rig.m.port[0].drive.bad[0].count = 8;
    hand_send(l, 0, 0, 8);
    EQ(hand_wait(l, &c, 1), 1);
    reads = rig.m.reads;
    EQ(l->disk->ops->poll(l, &c, 1), 0);
    EQ(rig.m.reads, reads);
    rig_lane_down(l);
}

TEST(a_read_that_seemed_done_but_is_named_in_the_log_is_not_ok)
{
    struct io_completion c[4];
    struct io_lane *l = rig_lane(4, 4096);

    /* Tags 3 and 2 end before tag 1 fails; all of it is seen by one poll. */
    rig.m.port[0].drive.ooo_step_ns = 1000;
    rig.m.port[0].drive.log10 = MODEL_AHCI_LOG10_WRONG_TAG;
    rig.m.port[0].drive.log10_tag = 3;
    rig.m.port[0].drive.bad[0].first = 8;
    rig.m.port[0].drive.bad[0].count = 1;
    rig.m.port[0].drive.bad_once = true;
    for (unsigned i = 0; i < 4; i++)
        hand_send(l, (uint16_t)i, 8 * i, 8);
    model_advance_ns(NS_PER_MS);
    EQ(hand_wait(l, c, 4), 4);
    for (unsigned i = 0; i < 4; i++)
        EQ(c[i].status, c[i].slot == 3 ? IO_MEDIA_ERROR : IO_OK);
    rig_lane_down(l);
}

TEST(without_a_usable_log_each_read_is_tried_alone)
{
    static const enum model_ahci_log10 kind[] = { MODEL_AHCI_LOG10_ABORTED, MODEL_AHCI_LOG10_BAD_CHECKSUM,
                                                  MODEL_AHCI_LOG10_NOT_QUEUED };

    for (unsigned i = 0; i < ARRAY_COUNT(kind); i++) {
        struct io_lane *l = rig_lane(32, 4096);

        rig.m.port[0].drive.latency_ns = 10000;
        rig.m.port[0].drive.log10 = kind[i];
        one_bad_of_32(l, IO_MEDIA_ERROR, 83, 0x4051);
        CHECK(rig.m.port[0].seen.opcodes[0x25] >= 1);
        EQ(rig.m.port[0].seen.comresets, kind[i] == MODEL_AHCI_LOG10_ABORTED);
        rig_lane_down(l);
    }
}

TEST(a_log_that_was_refused_once_is_not_asked_again)
{
    struct io_completion c[32];
    struct io_lane *l = rig_lane(32, 4096);

    rig.m.port[0].drive.log10 = MODEL_AHCI_LOG10_ABORTED;
    rig.m.port[0].drive.bad[0].first = 83;
    rig.m.port[0].drive.bad[0].count = 1;
    for (unsigned round = 0; round < 4; round++) {
        rig_read_many(l, c, 32);
        EQ(c[10].status, IO_MEDIA_ERROR);
        EQ(c[9].status, IO_OK);
    }
    EQ(rig.m.port[0].seen.opcodes[0x2f], 1);
    rig_lane_down(l);
}

TEST(a_drive_that_only_says_abort_is_still_found_out)
{
    /* QEMU: no log, and ABRT instead of UNC. */
    struct io_lane *l = rig_lane(32, 4096);

    rig.m.port[0].drive.log10 = MODEL_AHCI_LOG10_ABORTED;
    rig.m.port[0].drive.abort_without_unc = true;
    one_bad_of_32(l, IO_MEDIA_ERROR, 80, 0x0451);
    rig_lane_down(l);
}

TEST(an_abort_in_the_log_is_tried_alone_too)
{
    struct io_lane *l = rig_lane(32, 4096);

    rig.m.port[0].drive.abort_without_unc = true;
    one_bad_of_32(l, IO_MEDIA_ERROR, 80, 0x0451);
    EQ(rig.m.port[0].seen.comresets, 0);
    rig_lane_down(l);
}

TEST(a_drive_that_refuses_every_read_has_a_device_error_not_a_bad_sector)
{
    struct io_completion c;
    struct io_lane *l = rig_lane(1, 4096);

    rig.m.port[0].drive.security_locked = true;
    hand_send(l, 0, 0, 8);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_DEVICE_ERROR);
    EQ(c.detail, 0x0451);
    rig_lane_down(l);
}

TEST(a_log_that_names_a_read_which_was_not_sent_blames_nobody)
{
    struct io_completion c[4];
    struct io_lane *l = rig_lane(4, 4096);

    rig.m.port[0].drive.log10 = MODEL_AHCI_LOG10_WRONG_TAG;
    rig.m.port[0].drive.log10_tag = 31;
    rig.m.port[0].drive.bad[0].first = 8;
    rig.m.port[0].drive.bad[0].count = 8;
    rig_read_many(l, c, 4);
    for (unsigned i = 0; i < 4; i++)
        EQ(c[i].status, i == 1 ? IO_MEDIA_ERROR : IO_OK);
    EQ(c[1].error_lba, 8);
    rig_lane_down(l);
}

TEST(an_lba_in_the_log_outside_the_read_is_not_believed)
{
    struct io_completion c[4];
    struct io_lane *l = rig_lane(4, 4096);

    /* The log blames tag 2 for a block of tag 1. */
    rig.m.port[0].drive.latency_ns = 10000;
    rig.m.port[0].drive.log10 = MODEL_AHCI_LOG10_WRONG_TAG;
    rig.m.port[0].drive.log10_tag = 2;
    rig.m.port[0].drive.bad[0].first = 9;
    rig.m.port[0].drive.bad[0].count = 1;
    rig.m.port[0].drive.bad_once = true;
    rig_read_many(l, c, 4);
    EQ(c[2].status, IO_MEDIA_ERROR);
    EQ(c[2].error_lba, 16);
    rig_lane_down(l);
}

TEST(bad_blocks_one_after_the_other_are_each_found)
{
    struct io_completion c[32];
    struct io_lane *l = rig_lane(32, 4096);

    rig.m.port[0].drive.latency_ns = 10000;
    for (unsigned i = 0; i < MODEL_AHCI_BAD_LBAS; i++) {
        rig.m.port[0].drive.bad[i].first = 8 * 4 * i + 7;
        rig.m.port[0].drive.bad[i].count = 1;
    }
    rig_read_many(l, c, 32);
    for (unsigned i = 0; i < 32; i++) {
        EQ(c[i].status, i % 4 ? IO_OK : IO_MEDIA_ERROR);
        if (!(i % 4))
            EQ(c[i].error_lba, 8 * i + 7);
    }
    rig_lane_down(l);
}

TEST(a_disk_of_bad_blocks_answers_every_read_with_an_error)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        struct io_completion c[32];
        struct io_lane *l;

        rig_plug();
        rig_plug_disk(0)->queue_depth = kind == 2 ? 0 : 32;
        rig.m.port[0].drive.log10 = kind == 1 ? MODEL_AHCI_LOG10_ABORTED : MODEL_AHCI_LOG10_GOOD;
        rig.m.port[0].drive.bad[0].count = RIG_DISK_BLOCKS;
        rig_up();
        l = hand_open(rig_disk(0), rig_disk(0)->max_depth, 4096, true);
        rig_read_many(l, c, l->depth);
        for (unsigned i = 0; i < l->depth; i++) {
            EQ(c[i].status, IO_MEDIA_ERROR);
            EQ(c[i].error_lba, 8 * i);
        }
        CHECK(!l->dead);
        rig_lane_down(l);
    }
}

TEST(the_bad_block_of_an_unqueued_read_comes_from_the_registers)
{
    for (unsigned lba28 = 0; lba28 < 2; lba28++) {
        uint64_t bad = lba28 ? 0xedcba9 : 0x4321dcba98ull;
        struct io_completion c;
        struct io_lane *l;

        rig_plug();
        model_ahci_add_disk(&rig.m, 0, lba28 ? 1ull << 24 : 1ull << 40)->queue_depth = 0;
        rig.m.port[0].drive.lba28_only = lba28;
        rig.m.port[0].drive.bad[0].first = bad;
        rig.m.port[0].drive.bad[0].count = 1;
        rig_up();
        l = hand_open(rig_disk(0), 1, 64 * KIB, true);
        hand_send(l, 0, bad - 100, 128);
        EQ(hand_wait(l, &c, 1), 1);
        EQ(c.status, IO_MEDIA_ERROR);
        EQ(c.error_lba, bad);
        EQ(c.retries, 0);
        rig_read(l, 0, 0, 128);
        rig_lane_down(l);
    }
}

TEST(a_part_that_fails_ends_the_whole_request_once)
{
    struct io_completion c[2];
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0)->queue_depth = 2;
    rig.m.port[0].drive.latency_ns = 10000;
    rig.m.port[0].drive.bad[0].first = 20000;
    rig.m.port[0].drive.bad[0].count = 1;
    rig_up();
    l = hand_open(rig_disk(0), 1, 32 * MIB, true);
    hand_send(l, 0, 0, 65536);
    EQ(hand_wait(l, c, 2), 1);
    EQ(c[0].status, IO_MEDIA_ERROR);
    EQ(c[0].error_lba, 20000);
    rig_read(l, 0, 65536, 65536);
    rig_lane_down(l);
}

TEST(a_link_error_is_repeated_and_remarked)
{
    for (unsigned queued = 0; queued < 2; queued++) {
        struct io_completion c[4];
        struct io_lane *l;

        rig_plug();
        rig_plug_disk(0)->queue_depth = queued ? 4 : 0;
        rig.m.port[0].drive.latency_ns = 10000;
        rig.m.port[0].drive.nth_interface_error = 1;
        rig_up();
        l = hand_open(rig_disk(0), rig_disk(0)->max_depth, 4096, true);
        rig_read_many(l, c, l->depth);
        for (unsigned i = 0; i < l->depth; i++)
            EQ(c[i].status, IO_OK);
        EQ(c[0].retries, 1);
        EQ(rig.m.port[0].seen.comresets, 1);
        CHECK(rig_has_remark("sata0.0: errors on the link (protocol errors): check cable"));
        rig_lane_down(l);
    }
}

TEST(a_read_that_fails_on_the_link_three_times_is_a_device_error)
{
    struct io_completion c;
    struct io_lane *l = rig_lane(2, 4096);

    for (unsigned i = 0; i < 3; i++) {
        rig.m.port[0].drive.nth_interface_error = rig.m.port[0].seen.reads + 1;
        if (!i)
            hand_send(l, 0, 0, 8);
        while (rig.m.port[0].seen.reads < rig.m.port[0].drive.nth_interface_error)
            l->disk->ops->poll(l, &c, 0);
        model_advance_ns(1000);
    }
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_DEVICE_ERROR);
    EQ(c.retries, 2);
    EQ(c.detail & 0x88000000, 0x88000000);
    CHECK(!l->dead);
    rig_read(l, 0, 0, 8);
    rig_lane_down(l);
}

TEST(a_tag_that_was_never_sent_is_noticed)
{
    struct io_completion c;
    struct io_lane *l = rig_lane(4, 4096);

    rig.m.port[0].drive.sact_lie = 1u << 31;
    hand_send(l, 0, 0, 8);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_OK);
    EQ(c.retries, 1);
    EQ(rig.m.port[0].seen.comresets, 1);
    rig_lane_down(l);
}

TEST(link_errors_that_were_corrected_are_remarked_when_the_lane_closes)
{
    struct io_lane *l = rig_lane(4, 4096);

    rig.m.port[0].drive.nth_serr = 1;
    rig.m.port[0].drive.serr_bits = 1u << 21;
    rig_read(l, 0, 0, 8);
    EQ(rig.c->remark_count, 0);
    l->disk->ops->close(l);
    CHECK(rig_has_remark("CRC errors"));
    rig_down();
}

TEST(a_drive_that_answers_nothing_but_link_errors_is_given_up)
{
    struct io_completion c[4];
    struct io_lane *l = rig_lane(4, 4096);
    uint64_t before_ns = model_clock_ns;

    /* Every read from here on: the model counts them, so each repeat is the next one. */
    for (unsigned i = 0; i < 4; i++)
        hand_send(l, (uint16_t)i, 8 * i, 8);
    for (unsigned i = 0; i < 12 && !l->dead; i++) {
        rig.m.port[0].error_stopped = true;
        rig.m.port[0].is |= 1u << 27;
        l->disk->ops->poll(l, c, 0);
        model_advance_ns(NS_PER_MS);
    }
    EQ(hand_wait(l, c, 4), 4);
    CHECK(model_clock_ns - before_ns < 10 * NS_PER_S);
    rig.m.port[0].error_stopped = false;
    model_violations = 0;
    l->disk->ops->close(l);
    ahci_driver.detach(rig.c);
    rig.c = NULL;
    EQ(model_live_allocs(), 0);
}

TEST(a_read_that_ends_short_is_repeated_then_a_device_error)
{
    struct io_completion c;
    struct io_lane *l;
    char words[80];

    rig_plug();
    rig_plug_disk(0)->queue_depth = 0;
    rig.m.port[0].drive.nth_short = 1;
    rig_up();
    l = hand_open(rig_disk(0), 1, 4096, true);
    hand_send(l, 0, 8, 8);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_OK);
    EQ(c.retries, 1);
    rig_check_data(l, 0, 8, 8);
    for (unsigned i = 0; i < 3; i++) {
        rig.m.port[0].drive.nth_short = rig.m.port[0].seen.reads + 1;
        if (!i)
            hand_send(l, 0, 8, 8);
        else
            l->disk->ops->poll(l, &c, 0);
        model_advance_ns(1000);
    }
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_DEVICE_ERROR);
    EQ(c.retries, 2);
    words_of(l, c.detail, words, sizeof words);
    EQ_STR(words, "ended well with 512 bytes missing");
    rig_lane_down(l);
}

TEST(a_link_that_drops_ends_the_lane_with_all_its_slots)
{
    static const uint64_t back_ns[] = { MODEL_AHCI_NEVER, 0, 1000 };

    for (unsigned k = 0; k < ARRAY_COUNT(back_ns); k++) {
        struct io_completion c[8];
        struct io_lane *l = rig_lane(8, 4096);
        struct io_request r = { .blocks = 8 };

        rig.m.port[0].drive.latency_ns = 10000;
        rig.m.port[0].drive.nth_link_drop = 5;
        rig.m.port[0].drive.drop_ns = back_ns[k];
        for (unsigned i = 0; i < 8; i++)
            hand_send(l, (uint16_t)i, 8 * i, 8);
        EQ(hand_wait(l, c, 8), 8);
        EQ(c[7].status, IO_LOST);
        CHECK(l->dead);
        EQ(l->disk->fault.err, E_GONE);
        EQ_STR(l->disk->fault.what, "link to the drive, lost during I/O");
        EQ(l->disk->ops->submit(l, &r, 1), 0);
        rig_lane_down(l);
    }
}

TEST(an_adapter_that_vanishes_ends_all_lanes)
{
    struct io_completion c[8];
    struct io_lane *a, *b;
    struct lane_shape shape = { .depth = 1, .request_bytes = 4096 };

    rig_plug();
    rig_plug_disk(0)->latency_ns = 10000;
    rig_plug_disk(1)->latency_ns = NS_PER_MS;
    rig_up();
    a = hand_open(rig_disk(0), 4, 4096, true);
    b = hand_open(rig_disk(1), 4, 4096, true);
    hand_send(b, 0, 0, 8);
    rig.m.port[0].drive.nth_vanish = 2;
    hand_send(a, 0, 0, 8);
    hand_send(a, 1, 0, 8);
    EQ(hand_wait(a, c, 2), 2);
    EQ(hand_wait(b, c, 1), 1);
    EQ(c[0].status, IO_LOST);
    EQ(b->disk->fault.err, E_GONE);
    CHECK(a->dead && b->dead);
    EQ(a->disk->ops->open(a->disk, &shape, &(struct io_lane *){ NULL }), E_GONE);
    b->disk->ops->close(b);
    rig_lane_down(a);
}

TEST(other_lanes_of_the_port_survive_an_error_of_one)
{
    struct io_completion c[4];
    struct io_lane *a, *b;

    rig_plug();
    rig_plug_disk(0)->latency_ns = 10000;
    rig.m.port[0].drive.bad[0].first = 1000;
    rig.m.port[0].drive.bad[0].count = 8;
    rig_up();
    a = hand_open(rig_disk(0), 2, 4096, true);
    b = hand_open(rig_disk(0), 2, 4096, true);
    hand_send(a, 0, 1000, 8);
    hand_send(b, 0, 8, 8);
    hand_send(b, 1, 16, 8);
    EQ(hand_wait(b, c, 2), 2);
    EQ(c[0].status, IO_OK);
    EQ(c[1].status, IO_OK);
    rig_check_data(b, 0, 8, 8);
    rig_check_data(b, 1, 16, 8);
    EQ(hand_wait(a, c, 1), 1);
    EQ(c[0].status, IO_MEDIA_ERROR);
    b->disk->ops->close(b);
    rig_lane_down(a);
}

TEST(status_words_name_every_bit_and_take_any_value)
{
    static const struct {
        uint32_t detail;
        const char *words;
    } row[] = {
        { 0, "no status from the drive" },
        { 0x4051, "data cannot be read" },
        { 0x1051, "sector not found" },
        { 0x8451, "transfer damaged on the link (CRC), command aborted" },
        { 0x0051, "error without a reason" },
        { 0x0070, "device fault" },
        { 0x0080, "drive busy" },
        { 0x0050, "drive idle, no answer" },
        { 0x88000000, "link error (PxIS 0x08000000)" },
        { 0xc0000000, "adapter error (PxIS 0x40000000)" },
        { 0x40000200, "ended well with 512 bytes missing" },
    };
    struct io_lane *l = rig_lane(1, 4096);
    char words[200];

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        words_of(l, row[i].detail, words, sizeof words);
        HAS_STR(words, row[i].words);
    }
    words_of(l, UINT32_MAX, words, sizeof words);
    words_of(l, UINT32_MAX, words, 1);
    rig_lane_down(l);
}

TEST(an_adapter_that_vanishes_at_any_access_of_a_recovery_is_survived)
{
    for (unsigned how = 0; how < 3; how++) {
        unsigned long at = 1;

        for (;; at++) {
            struct io_completion c[4];
            struct io_lane *l = rig_lane(4, 4096);

            rig.m.port[0].drive.log10 = how ? MODEL_AHCI_LOG10_ABORTED : MODEL_AHCI_LOG10_GOOD;
            rig.m.port[0].drive.bad[0].first = how < 2 ? 8 : 1000;
            rig.m.port[0].drive.bad[0].count = 8;
            rig.m.port[0].drive.nth_interface_error = how == 2 ? 2 : 0;
            rig.vanish_at = rig.accesses + at;
            for (unsigned i = 0; i < 4; i++)
                hand_send(l, (uint16_t)i, 8 * i, 8);
            EQ(hand_wait(l, c, 4), 4);
            if (!rig.m.gone) {
                rig_lane_down(l);
                break;
            }
            for (unsigned i = 0; i < 4; i++)
                CHECK(c[i].status == IO_OK || c[i].status == IO_LOST || c[i].status == IO_MEDIA_ERROR);
            CHECK(model_clock_ns < 60 * NS_PER_S);
            rig_lane_down(l);
        }
        CHECK(at > 20);
    }
}
