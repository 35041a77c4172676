#include <string.h>
#include "rig.h"

/* Reads that go well, and requests that must not reach the drive. */

TEST(a_read_brings_the_blocks_that_were_asked_for)
{
    struct io_lane *l = rig_lane(4, 64 * KIB);

    rig_read(l, 0, 0, 1);
    rig_read(l, 3, 1000, 128);
    rig_read(l, 1, RIG_DISK_BLOCKS - 1, 1);
    rig_read(l, 2, RIG_DISK_BLOCKS - 128, 128);
    EQ(rig.m.port[0].seen.queued_reads, 4);
    rig_lane_down(l);
}

TEST(nothing_reaches_the_drive_before_kick_and_a_batch_is_one_ring)
{
    struct io_lane *l = rig_lane(32, 4096);
    struct io_request r[32];
    struct io_completion c[32];
    unsigned long writes;

    for (unsigned i = 0; i < 32; i++)
        r[i] = (struct io_request){ .lba = i, .blocks = 8, .slot = (uint16_t)i };
    writes = rig.m.writes;
    EQ(l->disk->ops->submit(l, r, 32), 32);
    EQ(rig.m.writes, writes);
    EQ(rig.m.port[0].seen.reads, 0);
    l->disk->ops->kick(l);
    EQ(rig.m.writes, writes + 2);
    EQ(rig.m.port[0].seen.reads, 32);
    l->disk->ops->kick(l);
    EQ(rig.m.writes, writes + 2);
    EQ(hand_wait(l, c, 32), 32);
    rig_lane_down(l);
}

TEST(thirty_two_reads_that_overtake_each_other_find_their_slots)
{
    struct io_completion c[32];
    struct io_lane *l = rig_lane(32, 4096);

    rig.m.port[0].drive.latency_ns = 50000;
    rig.m.port[0].drive.ooo_step_ns = 20000;
    for (unsigned round = 0; round < 3; round++) {
        rig_read_many(l, c, 32);
        for (unsigned i = 0; i < 32; i++)
            EQ(c[i].status, IO_OK);
    }
    EQ(rig.m.port[0].seen.max_in_flight, 32);
    rig_lane_down(l);
}

TEST(poll_returns_no_more_than_asked_and_keeps_the_rest)
{
    struct io_lane *l = rig_lane(8, 4096);
    struct io_completion c[8];

    for (unsigned i = 0; i < 8; i++)
        hand_send(l, (uint16_t)i, 8 * i, 8);
    model_advance_ns(NS_PER_MS);
    EQ(l->disk->ops->poll(l, c, 0), 0);
    EQ(l->disk->ops->poll(l, c, 3), 3);
    EQ(l->disk->ops->poll(l, c + 3, 8), 5);
    EQ(l->disk->ops->poll(l, c, 8), 0);
    rig_lane_down(l);
}

TEST(a_request_above_eight_mebibytes_is_several_commands_and_one_completion)
{
    static const uint32_t blocks[] = { 16384, 16385, 40000, 49152 };
    struct io_lane *l = rig_lane(2, 24 * MIB);

    EQ(l->command_bytes, 8 * MIB);
    for (unsigned i = 0; i < ARRAY_COUNT(blocks); i++) {
        unsigned long before = rig.m.port[0].seen.reads;
        rig_read(l, i & 1, 12345, blocks[i]);
        EQ(rig.m.port[0].seen.reads - before, (blocks[i] + 16383) / 16384);
    }
    rig_lane_down(l);
}

TEST(parts_of_many_requests_share_few_tags)
{
    struct io_completion c[8];
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0)->queue_depth = 3;
    rig.m.port[0].drive.latency_ns = 100000;
    rig_up();
    l = hand_open(rig_disk(0), 3, 16 * MIB + 512, true);
    for (unsigned i = 0; i < 3; i++)
        hand_send(l, (uint16_t)i, 40000 * i, 32769);
    EQ(hand_wait(l, c, 3), 3);
    for (unsigned i = 0; i < 3; i++) {
        EQ(c[i].status, IO_OK);
        rig_check_data(l, c[i].slot, 40000 * c[i].slot, 32769);
    }
    EQ(rig.m.port[0].seen.reads, 9);
    CHECK(rig.m.port[0].seen.max_in_flight <= 3);
    rig_lane_down(l);
}

TEST(a_shared_buffer_serves_all_slots)
{
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0);
    rig_up();
    l = hand_open(rig_disk(0), 32, 8192, false);
    EQ(l->data.len_bytes, 8192);
    rig_read(l, 31, 77, 16);
    rig_read(l, 0, 78, 16);
    rig_lane_down(l);
}

TEST(a_disk_without_queueing_reads_one_at_a_time)
{
    struct io_completion c[2];
    struct io_lane *a, *b;

    rig_plug();
    rig_plug_disk(0)->queue_depth = 0;
    rig.m.port[0].drive.latency_ns = 50000;
    rig_up();
    a = hand_open(rig_disk(0), 1, 20 * MIB, true);
    b = hand_open(rig_disk(0), 1, 4096, true);
    rig_read(a, 0, 9, 40960);
    hand_send(a, 0, 100, 8);
    hand_send(b, 0, 200, 8);
    EQ(hand_wait(b, c, 1), 1);
    EQ(hand_wait(a, c + 1, 1), 1);
    rig_check_data(a, 0, 100, 8);
    rig_check_data(b, 0, 200, 8);
    EQ(rig.m.port[0].seen.max_in_flight, 1);
    EQ(rig.m.port[0].seen.opcodes[0x25], 5);
    b->disk->ops->close(b);
    rig_lane_down(a);
}

TEST(lanes_of_one_disk_take_turns_and_none_starves)
{
    struct io_lane *l[3];
    unsigned done[3] = { 0 };

    rig_plug();
    rig_plug_disk(0)->queue_depth = 2;
    rig.m.port[0].drive.latency_ns = 20000;
    rig_up();
    for (unsigned i = 0; i < 3; i++) {
        l[i] = hand_open(rig_disk(0), 2, 4096, true);
        hand_send(l[i], 0, 100 * i, 8);
        hand_send(l[i], 1, 100 * i, 8);
    }
    for (unsigned round = 0; round < 300; round++) {
        for (unsigned i = 0; i < 3; i++) {
            struct io_completion c[2];
            unsigned n = l[i]->disk->ops->poll(l[i], c, 2);
            done[i] += n;
            while (n--) {
                EQ(c[n].status, IO_OK);
                rig_check_data(l[i], c[n].slot, 100 * i, 8);
                hand_send(l[i], c[n].slot, 100 * i, 8);
            }
        }
        model_advance_ns(10000);
    }
    for (unsigned i = 0; i < 3; i++)
        CHECK(done[i] >= 50);
    for (unsigned i = 0; i < 3; i++) {
        struct io_completion c[2];
        EQ(hand_wait(l[i], c, 2), 2);
    }
    /* The middle one leaves first; the others go on. */
    l[1]->disk->ops->close(l[1]);
    rig_read(l[0], 0, 5, 8);
    rig_read(l[2], 1, 6, 8);
    l[0]->disk->ops->close(l[0]);
    rig_lane_down(l[2]);
}

TEST(a_lane_may_leave_on_its_turn)
{
    struct io_lane *a, *b;

    for (unsigned first = 0; first < 2; first++) {
        rig_plug();
        rig_plug_disk(0);
        rig_up();
        a = hand_open(rig_disk(0), 1, 4096, true);
        b = hand_open(rig_disk(0), 1, 4096, true);
        rig_read(first ? a : b, 0, 1, 8);
        a->disk->ops->close(a);
        rig_read(b, 0, 2, 8);
        rig_lane_down(b);
    }
}

TEST(two_disks_do_not_mix)
{
    struct io_lane *a, *b;

    rig_plug();
    rig_plug_disk(1);
    rig_plug_disk(4);
    rig_up();
    a = hand_open(rig_disk(0), 4, 4096, true);
    b = hand_open(rig_disk(1), 4, 4096, true);
    rig_read(a, 2, 42, 8);
    rig_read(b, 2, 42, 8);
    a->disk->ops->close(a);
    rig_lane_down(b);
}

TEST(requests_beyond_the_disk_or_the_buffer_are_refused_by_the_driver)
{
    static const struct {
        uint64_t lba;
        uint32_t blocks;
    } bad[] = {
        { RIG_DISK_BLOCKS, 1 },
        { RIG_DISK_BLOCKS - 1, 2 },
        { UINT64_MAX, 1 },
        { UINT64_MAX, 2 },
        { 1ull << 63, 8 },
        { 0, 0 },
        { 0, 9 }, /* above request_bytes */
        { 0, UINT32_MAX },
        { 0, 0x80000000 },
    };
    struct io_lane *l = rig_lane(2, 4096);

    for (unsigned i = 0; i < ARRAY_COUNT(bad); i++) {
        struct io_completion c;
        hand_send(l, 1, bad[i].lba, bad[i].blocks);
        EQ(l->disk->ops->poll(l, &c, 1), 1);
        EQ(c.slot, 1);
        EQ(c.status, IO_REFUSED);
    }
    EQ(rig.m.port[0].seen.reads, 0);
    rig_read(l, 1, 8, 8);
    rig_lane_down(l);
}

TEST(a_request_whose_last_part_lies_beyond_the_disk_is_refused_whole)
{
    struct io_completion c;
    struct io_lane *l = rig_lane(1, 24 * MIB);

    hand_send(l, 0, RIG_DISK_BLOCKS - 20000, 40000);
    EQ(l->disk->ops->poll(l, &c, 1), 1);
    EQ(c.status, IO_REFUSED);
    EQ(rig.m.port[0].seen.reads, 0);
    rig_read(l, 0, RIG_DISK_BLOCKS - 40000, 40000);
    rig_lane_down(l);
}

TEST(a_slot_that_is_busy_or_does_not_exist_is_not_taken)
{
    struct io_lane *l = rig_lane(2, 4096);
    struct io_request r[3] = { { .lba = 1, .blocks = 1, .slot = 0 }, { .lba = 2, .blocks = 1, .slot = 0 } };
    struct io_completion c;

    EQ(l->disk->ops->submit(l, r, 2), 1);
    r[0].slot = 2;
    EQ(l->disk->ops->submit(l, r, 1), 0);
    r[0].slot = UINT16_MAX;
    EQ(l->disk->ops->submit(l, r, 1), 0);
    l->disk->ops->kick(l);
    EQ(hand_wait(l, &c, 1), 1);
    rig_lane_down(l);
}

TEST(shapes_beyond_the_disk_are_refused)
{
    static const struct lane_shape bad[] = {
        { .depth = 0, .request_bytes = 4096 },          { .depth = 33, .request_bytes = 4096 },
        { .depth = UINT16_MAX, .request_bytes = 4096 }, { .depth = 1, .request_bytes = 0 },
        { .depth = 1, .request_bytes = 511 },           { .depth = 1, .request_bytes = 513 },
        { .depth = 1, .request_bytes = UINT32_MAX },
    };
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0);
    rig_up();
    for (unsigned i = 0; i < ARRAY_COUNT(bad); i++) {
        EQ(rig_disk(0)->ops->open(rig_disk(0), &bad[i], &l), E_LIMIT);
        CHECK(!l);
    }
    rig_down();
}

TEST(every_failed_allocation_undoes_the_open)
{
    struct lane_shape shape = { .depth = 32, .request_bytes = 4096, .buffer_per_slot = true };
    struct io_lane *l;
    long failed_at = 0, live;

    rig_plug();
    rig_plug_disk(0);
    rig_up();
    live = model_live_allocs();
    for (;; failed_at++) {
        int rc;

        model_fail_alloc_at = model_alloc_count + failed_at;
        rc = rig_disk(0)->ops->open(rig_disk(0), &shape, &l);
        model_fail_alloc_at = -1;
        if (rc == OK)
            break;
        EQ(rc, E_NOMEM);
        CHECK(!l);
        EQ(model_live_allocs(), live);
    }
    EQ(failed_at, 5);
    rig_read(l, 0, 0, 8);
    rig_lane_down(l);
}

TEST(a_lane_closed_with_reads_in_flight_gives_no_memory_back_too_early)
{
    struct io_lane *l = rig_lane(4, 4096);

    rig.m.port[0].drive.latency_ns = NS_PER_MS;
    hand_send(l, 0, 0, 8);
    hand_send(l, 1, 8, 8);
    rig.m.cr_ns = MODEL_AHCI_NEVER;
    l->disk->ops->close(l);
    EQ(rig_disk(0)->fault.err, E_PROTO);
    rig.m.cr_ns = 0;
    rig_down();
}

TEST(an_empty_poll_is_one_register_most_of_the_time)
{
    struct io_lane *l = rig_lane(1, 4096);
    struct io_completion c;
    unsigned long reads;

    rig.m.port[0].drive.latency_ns = NS_PER_S;
    hand_send(l, 0, 0, 8);
    reads = rig.m.reads;
    for (unsigned i = 0; i < 64; i++)
        EQ(l->disk->ops->poll(l, &c, 1), 0);
    EQ(rig.m.reads - reads, 64 + 8);
    model_advance_ns(NS_PER_S);
    EQ(hand_wait(l, &c, 1), 1);
    rig_lane_down(l);
}
