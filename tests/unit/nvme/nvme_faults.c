#include "rig.h"

/* A device that breaks the protocol is caught, costs its own lanes, and gets no more work. */

static void expect_lost(struct io_lane *l, unsigned slots)
{
    struct io_completion c[64];
    struct io_request r = { .blocks = 1, .slot = 0 };
    uint64_t seen = 0;

    EQ(hand_wait(l, c, slots), slots);
    for (unsigned i = 0; i < slots; i++) {
        EQ(c[i].status, IO_LOST);
        seen |= 1ull << c[i].slot;
    }
    EQ(seen, (1ull << slots) - 1);
    CHECK(l->dead);
    EQ(l->disk->ops->poll(l, c, 64), 0);
    EQ(l->disk->ops->submit(l, &r, 1), 0);
    l->disk->ops->kick(l);
    l->disk->ops->expire(l, 0);
}

TEST(a_completion_that_no_command_is_behind_kills_the_lane)
{
    static const struct {
        enum model_nvme_lie_kind kind;
        uint64_t arg;
        const char *words;
    } rows[] = {
        { MODEL_NVME_BOGUS_CID, 4, "command not in flight" },
        { MODEL_NVME_BOGUS_CID, 1018, "command not in flight" },
        { MODEL_NVME_BOGUS_CID, 1023, "command not in flight" },
        { MODEL_NVME_BOGUS_CID, 1024, "command not in flight" },
        { MODEL_NVME_BOGUS_CID, 0x8000, "command not in flight" },
        { MODEL_NVME_BOGUS_CID, 0xffff, "command not in flight" },
        { MODEL_NVME_WRONG_SQID, 0, "another submission queue" },
        { MODEL_NVME_WRONG_SQID, 2, "another submission queue" },
        { MODEL_NVME_WRONG_SQID, 0xffff, "another submission queue" },
        { MODEL_NVME_WRONG_SQHD, 1024, "head beyond the queue" },
        { MODEL_NVME_WRONG_SQHD, 0xffff, "head beyond the queue" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig_lie(rows[i].kind, false, 0x02, 0, 1, rows[i].arg);
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
        for (uint16_t s = 0; s < 4; s++)
            hand_send(l, s, 8 * s, 8);
        expect_lost(l, 4);
        EQ(rig_disk(0)->fault.err, E_PROTO);
        HAS_STR(rig_disk(0)->fault.what, rows[i].words);
        EQ(rig.c->fault.err, E_PROTO);
        CHECK(rig_has_remark(rows[i].words));
        rig_close(l);
        rig_down();
    }
}

TEST(a_completion_with_the_id_of_a_slot_that_is_idle_kills_the_lane)
{
    rig_plug();
    rig_lie(MODEL_NVME_BOGUS_CID, false, 0x02, 1, 1, 1019 + 3); /* the window of four ends at the last tag */
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    rig_read(l, 3, 0, 8);
    for (uint16_t s = 0; s < 3; s++)
        hand_send(l, s, 8 * s, 8);
    expect_lost(l, 3);
    CHECK(rig_has_remark("command not in flight"));
    rig_close(l);
    rig_down();
}

TEST(a_duplicate_completion_is_caught_when_its_command_is_over)
{
    struct io_completion c[8];

    rig_plug();
    rig_lie(MODEL_NVME_DUPLICATE, false, 0x02, 3, 1, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    for (uint16_t s = 0; s < 4; s++)
        hand_send(l, s, 8 * s, 8);
    model_advance_ns(NS_PER_MS);
    EQ(l->disk->ops->poll(l, c, 8), 4);
    for (unsigned i = 0; i < 4; i++)
        EQ(c[i].status, IO_OK);
    CHECK(l->dead);
    HAS_STR(l->disk->fault.what, "not in flight");
    rig_close(l);
    rig_down();
}

TEST(a_flood_of_completions_is_stopped_at_the_first_that_is_wrong)
{
    struct io_completion c[8];

    rig_plug();
    rig_lie(MODEL_NVME_FLOOD, false, 0x02, 0, 1, 40);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    for (uint16_t s = 0; s < 4; s++)
        hand_send(l, s, 8 * s, 8);
    EQ(hand_wait(l, c, 4), 4);
    CHECK(l->dead);
    rig_close(l);
    rig_down();
}

/* Whatever phase the overrun leaves in the queue, every slot comes back and nothing is indexed wrongly. */
TEST(a_flood_that_laps_the_queue_is_survived)
{
    struct io_completion c[8];

    for (uint64_t flood = 1; flood < 40; flood++) {
        rig_plug();
        rig.m->set.mqes = 7;
        rig_lie(MODEL_NVME_FLOOD, false, 0x02, 0, 1, flood);
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
        for (uint16_t s = 0; s < 4; s++)
            hand_send(l, s, 8 * s, 8);
        unsigned n = hand_wait(l, c, 4);
        for (uint16_t s = 0; s < 4; s++)
            l->disk->ops->expire(l, s);
        EQ(n + hand_wait(l, c, 4 - n), 4);
        rig_close(l);
        nvme_driver.detach(rig.c);
        rig.c = NULL;
        EQ(model_live_allocs(), 0);
    }
    rig_plug();
}

TEST(a_torn_completion_is_never_taken_for_a_good_one)
{
    struct io_completion c;

    rig_plug();
    rig_lie(MODEL_NVME_TORN, false, 0x02, 0, 1, 30 * NS_PER_US);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 1, 4096, true);
    hand_send(l, 0, 8, 8);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_LOST);
    CHECK(l->dead);
    rig_close(l);
    rig_down();
}

TEST(a_broken_pair_costs_the_lanes_on_it_and_no_other)
{
    struct io_completion c[4];
    struct lane_shape shape = { .depth = 1, .request_bytes = 512 };
    struct io_lane *l;

    rig_plug();
    rig.m->set.sq_granted = rig.m->set.cq_granted = 2;
    model_nvme_add_ns(rig.m, 2, 100000, 512);
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 2, 4096, true), *b = hand_open(rig_disk(1), 2, 4096, true);
    struct io_lane *a2 = hand_open(rig_disk(0), 2, 4096, true);
    rig_read(a, 0, 0, 8);
    rig_lie(MODEL_NVME_BOGUS_CID, false, 0x02, 0, 1, 0xffff);
    hand_send(a, 0, 0, 8);
    hand_send(a2, 0, 8, 8);
    hand_send(b, 0, 16, 8);
    EQ(hand_wait(b, c, 1), 1);
    EQ(c[0].status, IO_OK);
    EQ(hand_wait(a2, c, 1), 1);
    EQ(c[0].status, IO_LOST);
    EQ(hand_wait(a, c, 1), 1);
    EQ(c[0].status, IO_LOST);
    CHECK(a->dead && a2->dead && !b->dead);
    rig_read(b, 1, 24, 8);
    EQ(rig_disk(1)->fault.err, OK);
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_PROTO);
    rig_close(a);
    rig_close(a2);
    rig_close(b);
    rig_down();
}

TEST(memory_of_a_broken_lane_stays_until_the_controller_has_stopped)
{
    rig_plug();
    rig_lie(MODEL_NVME_BOGUS_CID, false, 0x02, 0, 1, 0xffff);
    rig_lie(MODEL_NVME_DELAY, false, 0x02, 0, 0, 50 * NS_PER_MS);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 128 << 10, true);
    for (uint16_t s = 0; s < 4; s++)
        hand_send(l, s, 256 * s, 256);
    expect_lost(l, 4);
    rig_close(l);
    /* The delayed reads land now: the model reports a write to freed memory as a violation. */
    model_advance_ns(NS_PER_S);
    EQ(rig.m->seen.reads, 4);
    rig_down();
}

TEST(a_lane_closed_with_a_command_in_flight_keeps_its_memory)
{
    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, true), *m = hand_open(rig_disk(0), 2, 4096, true);
    hand_send(l, 0, 8, 8);
    rig_close(l);
    model_advance_ns(NS_PER_S);
    rig_read(m, 0, 8, 8);
    rig_close(m);
    rig_down();
}

TEST(fatal_status_during_reads_is_found_when_a_deadline_passes)
{
    struct io_completion c[2];

    rig_plug();
    rig_lie(MODEL_NVME_FATAL, false, 0x02, 0, 1, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, true);
    hand_send(l, 0, 8, 8);
    EQ(hand_wait(l, c, 1), 0);
    l->disk->ops->expire(l, 0);
    EQ(l->disk->ops->poll(l, c, 2), 1);
    EQ(c[0].status, IO_TIMED_OUT);
    CHECK(rig_has_remark("fatal error"));
    EQ(rig.m->seen.aborts, 0);
    rig_read(l, 0, 8, 8); /* the reset brought it back */
    rig_close(l);
    rig_down();
}

TEST(a_device_that_leaves_during_reads_is_gone_for_good)
{
    struct io_completion c[4];

    rig_plug();
    model_nvme_add_ns(rig.m, 2, 100000, 512);
    rig_lie(MODEL_NVME_VANISH, false, 0x02, 0, 1, 0);
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 2, 4096, true), *b = hand_open(rig_disk(1), 2, 4096, true);
    hand_send(a, 0, 8, 8);
    hand_send(a, 1, 8, 8);
    hand_send(b, 0, 8, 8);
    EQ(hand_wait(a, c, 1), 0);
    uint64_t start_ns = model_clock_ns;
    a->disk->ops->expire(a, 1);
    CHECK(model_clock_ns - start_ns < NS_PER_MS);
    EQ(a->disk->ops->poll(a, c, 4), 2);
    for (unsigned i = 0; i < 2; i++)
        EQ(c[i].status, c[i].slot == 1 ? IO_TIMED_OUT : IO_LOST);
    EQ(b->disk->ops->poll(b, c, 4), 1);
    EQ(c[0].status, IO_LOST);
    EQ(rig_disk(0)->fault.err, E_GONE);
    EQ(rig_disk(1)->fault.err, E_GONE);
    CHECK(rig_has_remark("left the bus"));
    rig_close(a);
    rig_close(b);
    rig_down_broken();
}
