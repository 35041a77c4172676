#include "rig.h"

/* What follows a deadline: look, abort, reset, give up. */

static void expire_and_expect(struct io_lane *l, uint16_t slot, enum io_status status)
{
    struct io_completion c;

    l->disk->ops->expire(l, slot);
    EQ(l->disk->ops->poll(l, &c, 1), 1);
    EQ(c.slot, slot);
    EQ(c.status, status);
}

TEST(an_answer_that_is_already_there_is_taken_as_it_is)
{
    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, true);
    hand_send(l, 0, 8, 8);
    model_advance_ns(NS_PER_S);
    expire_and_expect(l, 0, IO_OK);
    rig_check_data(l, 0, 8, 8);
    EQ(rig.m->seen.aborts, 0);
    CHECK(rig_has_remark("just after its deadline"));
    rig_close(l);
    rig_down();
}

TEST(expire_of_a_free_finished_or_unknown_slot_does_nothing)
{
    struct io_completion c;

    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, true);
    l->disk->ops->expire(l, 0);
    l->disk->ops->expire(l, 2);
    l->disk->ops->expire(l, 0xffffffff);
    l->disk->ops->expire(l, 0x10000);
    hand_send(l, 0, rig_disk(0)->lba_count, 1); /* refused: done but not collected */
    l->disk->ops->expire(l, 0);
    EQ(l->disk->ops->poll(l, &c, 1), 1);
    EQ(c.status, IO_REFUSED);
    EQ(rig.c->remark_count, 0);
    rig_close(l);
    rig_down();
}

TEST(a_stuck_read_is_aborted_and_the_others_go_on)
{
    struct io_completion c[4];

    rig_plug();
    rig_lie(MODEL_NVME_STICK, false, 0x02, 1, 1, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    for (uint16_t s = 0; s < 4; s++)
        hand_send(l, s, 8 * s, 8);
    EQ(hand_wait(l, c, 4), 3);
    uint64_t start_ns = model_clock_ns;
    expire_and_expect(l, 1, IO_TIMED_OUT);
    CHECK(model_clock_ns - start_ns < 10 * NS_PER_MS);
    EQ(rig.m->seen.aborts, 1);
    EQ(rig.m->seen.aborted, 1);
    EQ(rig.m->seen.disables, 0);
    CHECK(!l->dead);
    CHECK(rig_has_remark("came back after its abort"));
    EQ(rig_disk(0)->fault.err, OK);
    rig_read(l, 1, 8, 8);
    rig_close(l);
    rig_down();
}

TEST(every_part_of_a_stuck_request_is_aborted_and_the_rest_is_not_sent)
{
    struct io_completion c;

    rig_plug();
    rig.m->set.mdts = 1;
    rig.m->set.mqes = 4;
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 4, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 64 << 10, true);
    hand_send(l, 0, 0, 128);
    EQ(hand_wait(l, &c, 1), 0);
    expire_and_expect(l, 0, IO_TIMED_OUT);
    EQ(rig.m->seen.aborted, 4);
    EQ(rig.m->seen.reads, 0);
    rig_read(l, 0, 0, 128);
    rig_close(l);
    rig_down();
}

TEST(a_read_that_only_waited_for_room_ends_without_an_abort_of_others)
{
    struct io_completion c[4];

    rig_plug();
    rig.m->set.mqes = 1;
    rig.m->set.sq_granted = rig.m->set.cq_granted = 1;
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 1, 0);
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 1, 4096, true), *b = hand_open(rig_disk(0), 1, 4096, true);
    hand_send(a, 0, 0, 8);
    hand_send(b, 0, 8, 8);
    EQ(hand_wait(b, c, 1), 0);
    expire_and_expect(b, 0, IO_TIMED_OUT);
    EQ(rig.m->seen.aborts, 0);
    CHECK(rig_has_remark("room in the queue"));
    expire_and_expect(a, 0, IO_TIMED_OUT);
    rig_read(b, 0, 8, 8);
    rig_close(a);
    rig_close(b);
    rig_down();
}

TEST(an_abort_that_does_not_help_leads_to_a_reset_within_its_limits)
{
    struct io_completion c[8];

    rig_plug();
    rig.m->set.abort_ignored = true;
    model_nvme_add_ns(rig.m, 2, 100000, 512);
    rig_lie(MODEL_NVME_STICK, false, 0x02, 2, 3, 0);
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 4, 4096, true), *b = hand_open(rig_disk(1), 4, 4096, true);
    rig_read(a, 0, 0, 8);
    rig_read(b, 0, 0, 8);
    hand_send(a, 0, 0, 8);
    hand_send(a, 2, 8, 8);
    hand_send(b, 3, 16, 8);
    EQ(hand_wait(a, c, 1), 0);
    uint64_t start_ns = model_clock_ns;
    a->disk->ops->expire(a, 2);
    CHECK(model_clock_ns - start_ns >= NS_PER_S);
    CHECK(model_clock_ns - start_ns < 2 * NS_PER_S);
    EQ(rig.m->seen.disables, 1);
    EQ(rig.m->seen.dropped, 3);
    EQ(a->disk->ops->poll(a, c, 8), 2);
    for (unsigned i = 0; i < 2; i++)
        EQ(c[i].status, c[i].slot == 2 ? IO_TIMED_OUT : IO_LOST);
    EQ(b->disk->ops->poll(b, c, 8), 1);
    EQ(c[0].status, IO_LOST);
    CHECK(rig_has_remark("aborting it"));
    CHECK(rig_has_remark("resetting the controller"));
    CHECK(rig_has_remark("works again"));
    CHECK(!a->dead && !b->dead);
    EQ(rig_disk(0)->fault.err, OK);
    for (uint16_t s = 0; s < 4; s++) {
        rig_read(a, s, 8 * s, 8);
        rig_read(b, s, 8 * s, 8);
    }
    rig_close(a);
    rig_close(b);
    rig_down();
}

TEST(a_lost_completion_whose_abort_finds_nothing_leads_to_a_reset)
{
    struct io_completion c;

    rig_plug();
    rig_lie(MODEL_NVME_LOSE, false, 0x02, 0, 1, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 1, 4096, true);
    hand_send(l, 0, 0, 8);
    EQ(hand_wait(l, &c, 1), 0);
    expire_and_expect(l, 0, IO_TIMED_OUT);
    EQ(rig.m->seen.aborts, 1);
    EQ(rig.m->seen.disables, 1);
    rig_read(l, 0, 0, 8);
    rig_close(l);
    rig_down();
}

TEST(a_controller_that_is_down_is_reset_without_an_abort_and_nothing_is_said_of_one)
{
    struct io_completion c;

    rig_plug();
    rig_lie(MODEL_NVME_FATAL, false, 0x02, 0, 1, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 1, 4096, true);
    hand_send(l, 0, 0, 8);
    EQ(hand_wait(l, &c, 1), 0);
    expire_and_expect(l, 0, IO_TIMED_OUT);
    EQ(rig.m->seen.aborts, 0);
    EQ(rig.m->seen.disables, 1);
    CHECK(rig_has_remark("fatal error"));
    CHECK(rig_has_remark("resetting the controller"));
    CHECK(rig_has_remark("works again"));
    CHECK(!rig_has_remark("abort"));
    rig_read(l, 0, 0, 8);
    rig_close(l);
    rig_down();
}

TEST(an_admin_queue_that_is_dead_too_is_left_for_the_reset)
{
    struct io_completion c;

    rig_plug();
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 1, 0);
    rig_lie(MODEL_NVME_STICK, true, 0x08, 0, 1, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 1, 4096, true);
    hand_send(l, 0, 0, 8);
    EQ(hand_wait(l, &c, 1), 0);
    uint64_t start_ns = model_clock_ns;
    expire_and_expect(l, 0, IO_TIMED_OUT);
    CHECK(model_clock_ns - start_ns < 2 * NS_PER_S);
    EQ(rig_disk(0)->fault.err, OK);
    rig_read(l, 0, 0, 8);
    rig_close(l);
    rig_down();
}

TEST(a_second_read_that_needs_a_reset_ends_the_drive_in_order)
{
    struct io_completion c[4];
    struct lane_shape shape = { .depth = 1, .request_bytes = 512 };
    struct io_lane *other;

    rig_plug();
    rig.m->set.abort_ignored = true;
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 0, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, true);
    hand_send(l, 0, 0, 8);
    EQ(hand_wait(l, c, 1), 0);
    expire_and_expect(l, 0, IO_TIMED_OUT);
    hand_send(l, 0, 0, 8);
    hand_send(l, 1, 8, 8);
    EQ(hand_wait(l, c, 1), 0);
    l->disk->ops->expire(l, 1);
    EQ(l->disk->ops->poll(l, c, 4), 2);
    for (unsigned i = 0; i < 2; i++)
        EQ(c[i].status, c[i].slot == 1 ? IO_TIMED_OUT : IO_LOST);
    CHECK(l->dead);
    EQ(rig.m->seen.disables, 2);
    EQ(rig.m->in_flight, 0);
    EQ(rig_disk(0)->fault.err, E_TIMEOUT);
    HAS_STR(rig_disk(0)->fault.what, "again after a controller reset");
    CHECK(rig_has_remark("given up"));
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &other), E_TIMEOUT);
    rig_close(l);
    rig_down(); /* with a shutdown notification all the same */
}

TEST(a_reset_that_fails_ends_the_drive_and_its_fault_says_why)
{
    static const struct {
        bool ready, gone;
        const char *what;
    } rows[] = { { false, false, "CSTS.RDY to become 0" }, { true, false, "CSTS.RDY to become 1" } };
    struct io_completion c[2];

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->set.abort_ignored = true;
        rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 1, 0);
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 2, 4096, true);
        hand_send(l, 0, 0, 8);
        hand_send(l, 1, 8, 8);
        EQ(hand_wait(l, c, 2), 1);
        if (rows[i].ready)
            rig.m->set.ready_ns = MODEL_NVME_NEVER;
        else
            rig.m->set.unready_ns = MODEL_NVME_NEVER;
        uint64_t start_ns = model_clock_ns;
        expire_and_expect(l, 0, IO_TIMED_OUT);
        CHECK(model_clock_ns - start_ns < 7 * NS_PER_S); /* abort, and CAP.TO once */
        CHECK(l->dead);
        EQ(rig_disk(0)->fault.err, E_TIMEOUT);
        EQ_STR(rig_disk(0)->fault.what, rows[i].what);
        CHECK(rig_has_remark("given up"));
        rig_close(l);
        rig_down_broken();
    }
}

TEST(a_reset_after_which_the_queues_are_refused_ends_the_drive)
{
    struct io_completion c[2];

    rig_plug();
    rig.m->set.abort_ignored = true;
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 1, 0);
    rig_lie(MODEL_NVME_STATUS, true, 0x01, 1, 1, 0x4101);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 4096, true);
    hand_send(l, 0, 0, 8);
    EQ(hand_wait(l, c, 1), 0);
    expire_and_expect(l, 0, IO_TIMED_OUT);
    CHECK(l->dead);
    HAS_STR(rig_disk(0)->fault.what, "queue pair after a reset");
    rig_close(l);
    rig_down();
}

TEST(reads_still_under_way_at_a_reset_land_in_memory_that_is_still_there)
{
    struct io_completion c[8];

    rig_plug();
    rig.m->set.abort_ignored = true;
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 1, 0);
    rig_lie(MODEL_NVME_DELAY, false, 0x02, 0, 3, 100 * NS_PER_S);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 64 << 10, true);
    for (uint16_t s = 0; s < 4; s++)
        hand_send(l, s, 128 * s, 128);
    EQ(hand_wait(l, c, 1), 0);
    l->disk->ops->expire(l, 0);
    EQ(l->disk->ops->poll(l, c, 8), 4);
    rig_close(l);
    rig_down();
}
