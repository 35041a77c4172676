#include <stdlib.h>
#include <string.h>
#include "rig.h"

/* Reads that go well, and those that must never reach the drive. */

TEST(reads_of_every_shape_bring_the_right_data)
{
    static const uint32_t blocks[] = { 1,   7,   8,   9,   15,  16,  17,   24,  25,
                                       128, 129, 255, 256, 257, 511, 2047, 2048 };

    for (unsigned per_slot = 0; per_slot < 2; per_slot++) {
        rig_plug();
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 3, 1 << 20, per_slot);
        EQ(l->command_bytes, 128 << 10);
        for (unsigned i = 0; i < ARRAY_COUNT(blocks); i++)
            rig_read(l, i % 3, 1000 * i + 3, blocks[i]);
        rig_close(l);
        rig_down();
    }
}

TEST(a_request_above_the_command_limit_is_several_commands_with_an_odd_tail)
{
    rig_plug();
    rig.m->set.mdts = 1; /* 8 KiB: 16 blocks */
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 100 * 512, true);
    EQ(l->command_bytes, 8192);
    rig_read(l, 1, 12345, 99);
    EQ(rig.m->seen.reads, 7);
    rig_read(l, 0, 12345, 100);
    EQ(rig.m->seen.reads, 14);
    rig_read(l, 0, 5, 1);
    EQ(rig.m->seen.reads, 15);
    rig_close(l);
    rig_down();
}

TEST(a_request_below_the_command_limit_is_one_command)
{
    rig_plug();
    rig.m->set.mdts = 0;
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 8 << 20, false);
    EQ(l->command_bytes, 2 << 20);
    rig_read(l, 1, 7, 4096);
    EQ(rig.m->seen.reads, 1);
    rig_read(l, 1, 7, 16384);
    EQ(rig.m->seen.reads, 5);
    rig_close(l);
    l = hand_open(rig_disk(0), 2, 3072, true);
    EQ(l->command_bytes, 3072);
    rig_read(l, 0, 100, 6);
    rig_read(l, 1, 200, 6);
    rig_check_data(l, 0, 100, 6);
    rig_close(l);
    rig_down();
}

TEST(slots_with_their_own_buffers_keep_their_data_apart)
{
    struct io_completion c[32];

    rig_plug();
    rig.m->set.jitter_ns = 200000;
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 32, 12 << 10, true);
    for (uint16_t i = 0; i < 32; i++)
        hand_send(l, i, 24 * i, 24);
    EQ(hand_wait(l, c, 32), 32);
    for (uint16_t i = 0; i < 32; i++)
        rig_check_data(l, i, 24 * i, 24);
    rig_close(l);
    rig_down();
}

TEST(the_last_block_is_read_and_nothing_beyond_it_is_asked_for)
{
    struct io_completion c;
    uint64_t end;
    const struct {
        uint64_t back; /* before the end */
        uint32_t blocks;
    } rows[] = { { 0, 1 }, { 1, 2 }, { 8, 9 }, { 0, 8 }, { (uint64_t)-1, 1 }, { 1, 256 } };

    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 128 << 10, false);
    end = rig_disk(0)->lba_count;
    rig_read(l, 0, end - 1, 1);
    rig_read(l, 0, end - 256, 256);
    uint64_t reads = rig.m->seen.reads;
    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        hand_send(l, 1, end - rows[i].back, rows[i].blocks);
        EQ(hand_wait(l, &c, 1), 1);
        EQ(c.slot, 1);
        EQ(c.status, IO_REFUSED);
        EQ(c.detail, 0);
        EQ(c.error_lba, end - rows[i].back);
    }
    hand_send(l, 1, UINT64_MAX, 1);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_REFUSED);
    hand_send(l, 1, UINT64_MAX - 3, 8); /* wraps to a valid end */
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_REFUSED);
    EQ(rig.m->seen.reads, reads);
    rig_read(l, 1, 0, 8);
    rig_close(l);
    rig_down();
}

TEST(a_request_of_no_blocks_or_more_than_the_buffer_is_refused)
{
    static const uint32_t blocks[] = { 0, 9, 256, 65536, 0x7fffffff, 0xffffffff };
    struct io_completion c;

    for (unsigned per_slot = 0; per_slot < 2; per_slot++) {
        rig_plug();
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 2, 4096, per_slot);
        for (unsigned i = 0; i < ARRAY_COUNT(blocks); i++) {
            hand_send(l, 1, 0, blocks[i]);
            EQ(hand_wait(l, &c, 1), 1);
            EQ(c.status, IO_REFUSED);
        }
        EQ(rig.m->seen.reads, 0);
        rig_close(l);
        rig_down();
    }
}

TEST(a_buffer_rounded_up_to_a_page_takes_no_more_than_was_asked_for)
{
    struct io_completion c;

    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 512, true);
    rig_read(l, 3, 9, 1);
    hand_send(l, 3, 9, 2);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_REFUSED);
    rig_close(l);
    rig_down();
}

TEST(a_split_request_that_ends_past_the_disk_sends_no_part)
{
    struct io_completion c;

    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 1 << 20, false);
    hand_send(l, 0, rig_disk(0)->lba_count - 2047, 2048);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_REFUSED);
    EQ(rig.m->seen.reads, 0);
    rig_close(l);
    rig_down();
}

TEST(a_slot_that_is_busy_or_does_not_exist_is_not_taken)
{
    struct io_completion c[4];
    struct io_request r[] = { { .blocks = 8, .slot = 0 },
                              { .blocks = 8, .slot = 0 },
                              { .blocks = 8, .slot = 1 } };
    struct io_request far = { .blocks = 8, .slot = 2 }, top = { .blocks = 8, .slot = 0xffff };

    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, false);
    EQ(l->disk->ops->submit(l, r, 3), 1);
    EQ(l->disk->ops->submit(l, &far, 1), 0);
    EQ(l->disk->ops->submit(l, &top, 1), 0);
    EQ(l->disk->ops->submit(l, r, 0), 0);
    l->disk->ops->kick(l);
    EQ(hand_wait(l, c, 1), 1);
    EQ(l->disk->ops->poll(l, c, 4), 0);
    EQ(rig.m->seen.reads, 1);
    rig_close(l);
    rig_down();
}

TEST(nothing_reaches_the_drive_before_the_kick_and_one_doorbell_rings_for_all)
{
    struct io_request r[64];
    struct io_completion c[64];

    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 64, 4096, false);
    uint64_t sq = rig.m->seen.sq_doorbells, cq = rig.m->seen.cq_doorbells;
    l->disk->ops->kick(l);
    EQ(rig.m->seen.sq_doorbells, sq);
    for (uint16_t i = 0; i < 64; i++)
        r[i] = (struct io_request){ .lba = 8 * i, .blocks = 8, .slot = i };
    EQ(l->disk->ops->submit(l, r, 64), 64);
    model_advance_ns(NS_PER_MS);
    EQ(l->disk->ops->poll(l, c, 64), 0);
    EQ(rig.m->seen.sq_doorbells, sq);
    l->disk->ops->kick(l);
    l->disk->ops->kick(l);
    EQ(rig.m->seen.sq_doorbells, sq + 1);
    model_advance_ns(NS_PER_MS);
    EQ(rig.m->seen.cq_doorbells, cq);
    EQ(l->disk->ops->poll(l, c, 0), 0);
    EQ(l->disk->ops->poll(l, c, 64), 64);
    EQ(l->disk->ops->poll(l, c, 64), 0);
    EQ(rig.m->seen.cq_doorbells, cq);
    l->disk->ops->kick(l);
    l->disk->ops->kick(l);
    EQ(rig.m->seen.cq_doorbells, cq + 1);
    EQ(rig.m->seen.sq_doorbells, sq + 1);
    rig_close(l);
    rig_down();
}

TEST(a_poll_returns_no_more_than_asked_and_the_rest_later)
{
    struct io_completion c[16];
    unsigned seen = 0;

    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 16, 4096, false);
    for (uint16_t i = 0; i < 16; i++)
        hand_send(l, i, i, 1);
    model_advance_ns(NS_PER_MS);
    for (unsigned i = 0; i < 16; i++) {
        EQ(l->disk->ops->poll(l, c, 1), 1);
        seen |= 1u << c[0].slot;
    }
    EQ(seen, 0xffff);
    EQ(l->disk->ops->poll(l, c, 16), 0);
    rig_close(l);
    rig_down();
}

/* Keeps the lane full with a mix of sizes; every slot must come back exactly once per request. */
static void churn(struct io_lane *l, unsigned total, uint32_t max_blocks)
{
    struct io_completion c[64];
    bool busy[1024] = { 0 };
    unsigned sent = 0, done = 0;

    for (unsigned rounds = 0; done < total; rounds++) {
        CHECK(rounds < 100000);
        for (uint16_t s = 0; s < l->depth && sent < total; s++) {
            struct io_request r = { .lba = (sent * 977u) % 100000,
                                    .blocks = 1 + (sent * 31u) % max_blocks,
                                    .slot = s };

            if (busy[s])
                continue;
            EQ(l->disk->ops->submit(l, &r, 1), 1);
            busy[s] = true;
            sent++;
        }
        l->disk->ops->kick(l);
        model_advance_ns(20000);
        unsigned n = l->disk->ops->poll(l, c, 64);
        for (unsigned i = 0; i < n; i++) {
            EQ(c[i].status, IO_OK);
            CHECK(busy[c[i].slot]);
            busy[c[i].slot] = false;
        }
        done += n;
    }
    EQ(l->disk->ops->poll(l, c, 64), 0);
}

TEST(the_phase_wraps_over_many_rounds_in_queues_of_every_size)
{
    static const uint16_t mqes[] = { 1, 2, 3, 4, 6, 31, 32, 62 };

    for (unsigned i = 0; i < ARRAY_COUNT(mqes); i++) {
        rig_plug();
        rig.m->set.mqes = mqes[i];
        rig.m->set.jitter_ns = 50000;
        rig_up();
        EQ(rig_disk(0)->max_depth, mqes[i]);
        struct io_lane *l = hand_open(rig_disk(0), mqes[i], 4096, false);
        churn(l, 40u * (mqes[i] + 1u), 8);
        rig_close(l);
        rig_down();
    }
}

TEST(more_parts_than_the_queue_holds_wait_their_turn)
{
    rig_plug();
    rig.m->set.mqes = 3;
    rig.m->set.mdts = 1;
    rig.m->set.jitter_ns = 50000;
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 3, 128 << 10, true);
    churn(l, 100, 256);
    CHECK(rig.m->seen.in_flight_max <= 3);
    rig_read(l, 2, 31, 255);
    rig_close(l);
    rig_down();
}

TEST(lanes_that_share_a_pair_get_their_own_completions)
{
    struct io_completion c[8];

    rig_plug();
    rig.m->set.sq_granted = rig.m->set.cq_granted = 1;
    model_nvme_add_ns(rig.m, 2, 100000, 4096);
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 8, 4096, true), *b = hand_open(rig_disk(1), 4, 8192, true);
    struct io_lane *x = hand_open(rig_disk(0), 2, 512, true);
    EQ(rig.m->seen.admin[0x01], 1);
    for (uint16_t i = 0; i < 4; i++) {
        hand_send(a, i, 100 + 8 * i, 8);
        hand_send(b, i, 200 + 2 * i, 2);
    }
    hand_send(x, 1, 5, 1);
    model_advance_ns(NS_PER_MS);
    EQ(x->disk->ops->poll(x, c, 8), 1); /* takes the others' completions from the queue as well */
    EQ(c[0].slot, 1);
    EQ(b->disk->ops->poll(b, c, 3), 3);
    EQ(b->disk->ops->poll(b, c, 8), 1);
    EQ(a->disk->ops->poll(a, c, 8), 4);
    for (uint16_t i = 0; i < 4; i++) {
        rig_check_data(a, i, 100 + 8 * i, 8);
        rig_check_data(b, i, 200 + 2 * i, 2);
    }
    rig_check_data(x, 1, 5, 1);
    rig_close(b);
    rig_read(a, 0, 1, 8);
    rig_close(a);
    rig_read(x, 0, 2, 1);
    rig_close(x);
    rig_down();
}

TEST(a_lane_that_waits_for_tags_of_another_goes_on_when_they_come_back)
{
    struct io_completion c[8];

    rig_plug();
    rig.m->set.sq_granted = rig.m->set.cq_granted = 1;
    rig.m->set.mqes = 4;
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 4, 4096, true), *b = hand_open(rig_disk(0), 4, 4096, true);
    for (uint16_t i = 0; i < 4; i++)
        hand_send(a, i, i, 8);
    for (uint16_t i = 0; i < 4; i++)
        hand_send(b, i, 50 + i, 8);
    EQ(rig.m->seen.in_flight_now, 4);
    EQ(hand_wait(b, c, 4), 4);
    EQ(hand_wait(a, c, 4), 4);
    for (uint16_t i = 0; i < 4; i++)
        rig_check_data(b, i, 50 + i, 8);
    rig_close(a);
    rig_close(b);
    rig_down();
}

TEST(a_request_does_not_overtake_one_that_waits)
{
    struct io_completion c[4];

    rig_plug();
    rig.m->set.sq_granted = rig.m->set.cq_granted = 1;
    rig.m->set.mqes = 2;
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 2, 4096, true), *b = hand_open(rig_disk(0), 2, 4096, true);
    hand_send(a, 0, 0, 8);
    hand_send(a, 1, 8, 8);
    hand_send(b, 0, 16, 8);
    EQ(hand_wait(a, c, 2), 2);
    hand_send(b, 1, 24, 8);
    EQ(rig.m->in_flight, 2);
    EQ(rig.m->command[0].sqe[10], 16);
    EQ(hand_wait(b, c, 2), 2);
    rig_check_data(b, 0, 16, 8);
    rig_check_data(b, 1, 24, 8);
    rig_close(a);
    rig_close(b);
    rig_down();
}

TEST(lanes_spread_evenly_over_the_pairs)
{
    struct io_lane *l[6];
    struct io_completion c[2];
    unsigned on_pair[3] = { 0 };

    rig_plug();
    rig.m->set.sq_granted = rig.m->set.cq_granted = 2;
    rig_up();
    for (unsigned i = 0; i < 6; i++) {
        l[i] = hand_open(rig_disk(0), 2, 4096, true);
        hand_send(l[i], 0, 8 * i, 8);
    }
    for (unsigned i = 0; i < rig.m->in_flight; i++)
        on_pair[rig.m->command[i].sqid]++;
    EQ(on_pair[1], 3);
    EQ(on_pair[2], 3);
    for (unsigned i = 0; i < 6; i++) {
        EQ(hand_wait(l[i], c, 1), 1);
        rig_close(l[i]);
    }
    rig_down();
}

TEST(a_bad_block_is_a_media_error_with_its_command_s_lba)
{
    struct io_completion c;

    rig_plug();
    model_nvme_add_bad_lba(rig.m, 1, 5000, 0, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, false);
    hand_send(l, 1, 4999, 8);
    model_advance_ns(NS_PER_MS);
    EQ(l->disk->ops->poll(l, &c, 1), 1);
    EQ(c.slot, 1);
    EQ(c.status, IO_MEDIA_ERROR);
    EQ(c.detail & 0x7ff, 0x281);
    EQ(c.error_lba, 4999);
    EQ(c.retries, 0);
    rig_read(l, 1, 5001, 8);
    EQ(l->dead, false);
    EQ(rig_disk(0)->fault.err, OK);
    rig_close(l);
    rig_down();
}

TEST(a_bad_part_of_a_split_request_fails_it_once_and_names_the_part)
{
    struct io_completion c[4];

    for (unsigned part = 0; part < 8; part++) {
        rig_plug();
        rig.m->set.mdts = 1;
        rig.m->set.mqes = 2;
        model_nvme_add_bad_lba(rig.m, 1, 1000 + 16 * part + 5, 0x4281, 0);
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 2, 64 << 10, false);
        hand_send(l, 0, 1000, 128);
        EQ(hand_wait(l, c, 1), 1);
        EQ(c[0].status, IO_MEDIA_ERROR);
        EQ(c[0].detail, 0x4281);
        EQ(c[0].error_lba, 1000 + 16 * part);
        model_advance_ns(NS_PER_MS);
        EQ(l->disk->ops->poll(l, c, 4), 0);
        rig_read(l, 0, 3000, 128);
        rig_close(l);
        rig_down();
    }
}

TEST(other_refusals_of_the_drive_are_device_errors)
{
    static const uint16_t status[] = { 0x001, 0x4004, 0x4082, 0x7fff, 0x0301, 0x285, 0x287 };
    struct io_completion c;

    for (unsigned i = 0; i < ARRAY_COUNT(status); i++) {
        rig_plug();
        rig_lie(MODEL_NVME_STATUS, false, 0x02, 1, 1, status[i]);
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 2, 4096, false);
        rig_read(l, 0, 0, 8);
        hand_send(l, 0, 77, 8);
        EQ(hand_wait(l, &c, 1), 1);
        EQ(c.status, IO_DEVICE_ERROR);
        EQ(c.detail, status[i]);
        EQ(c.error_lba, 77);
        rig_read(l, 0, 0, 8);
        rig_close(l);
        rig_down();
    }
}

TEST(data_that_the_drive_did_not_send_or_mixed_up_shows_in_the_buffer)
{
    struct io_completion c;
    uint8_t want[512];

    rig_plug();
    rig_lie(MODEL_NVME_NO_DATA, false, 0x02, 0, 1, 0);
    rig_lie(MODEL_NVME_WRONG_DATA, false, 0x02, 0, 1, 1);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 1, 512, false);
    memset(lane_data(l, 0), 0x5a, 512);
    hand_send(l, 0, 3, 1);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_OK);
    EQ(lane_data(l, 0)[0], 0x5a);
    hand_send(l, 0, 3, 1);
    EQ(hand_wait(l, &c, 1), 1);
    model_nvme_pattern(1, 4, want, sizeof want);
    EQ(memcmp(lane_data(l, 0), want, sizeof want), 0);
    rig_close(l);
    rig_down();
}

TEST(shapes_that_the_device_cannot_do_are_refused_and_leave_nothing)
{
    static const struct lane_shape shapes[] = {
        { .depth = 0, .request_bytes = 4096 },
        { .depth = 1024, .request_bytes = 4096 },
        { .depth = 65535, .request_bytes = 512 },
        { .depth = 1, .request_bytes = 0 },
        { .depth = 1, .request_bytes = 511 },
        { .depth = 1, .request_bytes = 513 },
        { .depth = 1, .request_bytes = (1u << 30) + 512 },
        { .depth = 1, .request_bytes = 0xfffffe00 },
    };
    struct io_lane *l;

    rig_plug();
    rig_up();
    long live = model_live_allocs();
    for (unsigned i = 0; i < ARRAY_COUNT(shapes); i++) {
        l = (struct io_lane *)&l;
        EQ(rig_disk(0)->ops->open(rig_disk(0), &shapes[i], &l), E_LIMIT);
        CHECK(!l);
    }
    EQ(model_live_allocs(), live);
    rig_down();
}

TEST(every_failed_allocation_of_open_leaves_nothing)
{
    struct lane_shape shape = { .depth = 8, .request_bytes = 1 << 20, .buffer_per_slot = true };
    struct io_lane *l;
    long live, k;

    rig_plug();
    rig_up();
    live = model_live_allocs();
    for (k = 0; k < 30; k++) {
        model_fail_alloc_at = model_alloc_count + k;
        int rc = rig_disk(0)->ops->open(rig_disk(0), &shape, &l);
        model_fail_alloc_at = -1;
        if (!rc)
            break;
        EQ(rc, E_NOMEM);
        CHECK(!l);
        EQ(model_live_allocs(), live);
    }
    EQ(k, 11); /* lane, 3 of slots, data, lists, data pointers, 4 of the pair */
    rig_read(l, 7, 0, 2048);
    /* With a pair there, a second one that cannot be had is shared. */
    model_fail_alloc_at = model_alloc_count + 7;
    struct io_lane *m = hand_open(rig_disk(0), 8, 1 << 20, true);
    model_fail_alloc_at = -1;
    EQ(rig.m->seen.admin[0x01], 1);
    rig_read(m, 7, 0, 2048);
    rig_close(l);
    rig_close(m);
    rig_down();
}

TEST(a_lane_closed_and_opened_again_reuses_its_pair)
{
    rig_plug();
    rig_up();
    for (unsigned i = 0; i < 40; i++) {
        struct io_lane *l = hand_open(rig_disk(0), 4, 4096, i & 1);
        rig_read(l, 3, i, 8);
        rig_close(l);
    }
    EQ(rig.m->seen.admin[0x01], 1);
    rig_down();
}

/* Every slot of every lane reads once, all at the same time, each into its own buffer. */
static void read_all(struct io_lane *const *lane, unsigned lanes, uint16_t depth, uint64_t lba)
{
    struct io_completion c[16];

    for (unsigned i = 0; i < lanes; i++)
        for (uint16_t slot = 0; slot < depth; slot++)
            hand_send(lane[i], slot, lba + 100 * i + 8u * slot, 8);
    for (unsigned i = 0; i < lanes; i++) {
        EQ(hand_wait(lane[i], c, depth), depth);
        for (uint16_t k = 0; k < depth; k++) {
            EQ(c[k].status, IO_OK);
            rig_check_data(lane[i], c[k].slot, lba + 100 * i + 8u * c[k].slot, 8);
        }
    }
}

TEST(lanes_that_find_no_command_ids_of_their_own_share_what_is_left)
{
    struct io_lane *l[3];

    for (unsigned mqes = 3; mqes <= 16; mqes++) {
        rig_plug();
        rig.m->set.mqes = (uint16_t)mqes;
        rig.m->set.sq_granted = 1;
        rig_up();
        uint16_t depth = mqes < 4 ? (uint16_t)mqes : 4;
        for (unsigned turn = 0; turn < 6; turn++) {
            for (unsigned i = 0; i < 3; i++)
                l[i] = hand_open(rig_disk(0), depth, 4096, true);
            for (unsigned again = 0; again < 5; again++)
                read_all(l, 3, depth, 1000 * again);
            /* closed in every order */
            unsigned first = turn % 3, second = turn < 3 ? (first + 1) % 3 : (first + 2) % 3;
            rig_close(l[first]);
            read_all(&l[second], 1, depth, 5000);
            rig_close(l[second]);
            struct io_lane *late = hand_open(rig_disk(0), depth, 4096, true);
            read_all(&l[3 - first - second], 1, depth, 6000);
            read_all(&late, 1, depth, 7000);
            rig_close(l[3 - first - second]);
            rig_close(late);
        }
        EQ(rig.m->seen.admin[0x01], 1);
        rig_down();
    }
}

TEST(command_ids_of_a_closed_lane_serve_the_next_one)
{
    rig_plug();
    rig.m->set.mqes = 7;
    rig.m->set.sq_granted = 1;
    rig_up();
    for (unsigned i = 0; i < 3; i++) {
        struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true), *m = hand_open(rig_disk(0), 4, 4096, true);
        read_all(&l, 1, 4, 0);
        rig_close(l);
        read_all(&m, 1, 4, 0);
        rig_close(m);
    }
    struct io_lane *l = hand_open(rig_disk(0), 1, 1 << 20, true);
    rig.m->seen.in_flight_max = 0;
    rig_read(l, 0, 0, 2048); /* eight commands through seven ids */
    EQ(rig.m->seen.in_flight_max, 7);
    rig_close(l);
    rig_down();
}

TEST(reads_of_other_sizes_than_the_usual_go_beside_it)
{
    struct io_completion c[8];

    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 8, 16384, true);
    for (uint16_t slot = 0; slot < 8; slot++)
        hand_send(l, slot, 64u * slot, slot & 1 ? 32 : 1u + slot);
    EQ(hand_wait(l, c, 8), 8);
    for (unsigned i = 0; i < 8; i++) {
        EQ(c[i].status, IO_OK);
        rig_check_data(l, c[i].slot, 64u * c[i].slot, c[i].slot & 1 ? 32 : 1u + c[i].slot);
    }
    rig_close(l);
    rig_down();
}
