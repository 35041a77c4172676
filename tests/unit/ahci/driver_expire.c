#include <string.h>
#include "rig.h"

/* Deadlines: look, restart, COMRESET, give up.  Each is bounded by the model's clock. */

static uint64_t spent_ms(uint64_t since_ns) { return (model_clock_ns - since_ns) / NS_PER_MS; }

TEST(a_slot_that_was_answered_meanwhile_is_no_timeout)
{
    struct io_lane *l = rig_lane(2, 4096);
    struct io_completion c;

    rig.m.port[0].drive.latency_ns = NS_PER_MS;
    hand_send(l, 0, 40, 8);
    model_advance_ns(2 * NS_PER_MS);
    c = rig_expire(l, 0);
    EQ(c.status, IO_OK);
    rig_check_data(l, 0, 40, 8);
    EQ(rig.m.port[0].seen.stops, 0);
    rig_lane_down(l);
}

TEST(expiring_what_is_not_in_flight_does_nothing)
{
    struct io_lane *l = rig_lane(2, 4096);

    l->disk->ops->expire(l, 0);
    l->disk->ops->expire(l, 1);
    l->disk->ops->expire(l, 2);
    l->disk->ops->expire(l, UINT32_MAX);
    rig_read(l, 0, 0, 8);
    EQ(rig.m.port[0].seen.stops, 0);
    rig_lane_down(l);
}

static void lose_one_of_three(bool deaf_to_srst, uint64_t most_ms)
{
    struct io_completion c[8];
    struct io_lane *l = rig_lane(4, 4096);
    uint64_t before_ns;

    rig.m.port[0].drive.deaf_to_srst = deaf_to_srst;
    rig.m.port[0].drive.nth_lost = 2;
    hand_send(l, 0, 0, 8);
    hand_send(l, 1, 8, 8);
    EQ(hand_wait(l, c, 1), 1);
    rig.m.port[0].drive.latency_ns = 100 * NS_PER_MS;
    hand_send(l, 2, 16, 8);
    hand_send(l, 3, 24, 8);
    before_ns = model_clock_ns;
    l->disk->ops->expire(l, 1);
    EQ(l->disk->ops->poll(l, c, 8), 3);
    for (unsigned i = 0; i < 3; i++)
        EQ(c[i].status, c[i].slot == 1 ? IO_TIMED_OUT : IO_LOST);
    CHECK(spent_ms(before_ns) < most_ms);
    EQ(rig.m.port[0].seen.soft_resets, 1);
    EQ(rig.m.port[0].seen.comresets, deaf_to_srst);
    EQ(rig.m.port[0].seen.opcodes[0xec], 2);
    EQ(l->disk->fault.err, OK);
    rig.m.port[0].drive.latency_ns = 0;
    rig_read(l, 1, 8, 8);
    rig_lane_down(l);
}

TEST(a_lost_queued_read_times_out_and_its_neighbours_are_lost_with_the_reset)
{
    lose_one_of_three(false, 1000);
}

TEST(a_drive_that_is_deaf_to_a_soft_reset_gets_comreset) { lose_one_of_three(true, 7000); }

TEST(a_busy_drive_gets_a_soft_reset_only_where_the_adapter_can_clear_busy)
{
    for (unsigned sclo = 0; sclo < 2; sclo++) {
        struct io_lane *l;

        rig_plug();
        rig.m.sclo = sclo;
        rig_plug_disk(0)->queue_depth = 0;
        rig.m.port[0].drive.nth_lost = 1;
        rig_up();
        l = hand_open(rig_disk(0), 1, 4096, true);
        hand_send(l, 0, 0, 8);
        EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
        EQ(rig.m.port[0].seen.soft_resets, sclo);
        EQ(rig.m.port[0].seen.comresets, !sclo);
        rig_read(l, 0, 0, 8);
        rig_lane_down(l);
    }
}

TEST(a_lost_unqueued_read_times_out_and_the_lane_goes_on)
{
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0)->queue_depth = 0;
    rig.m.port[0].drive.nth_lost = 1;
    rig_up();
    l = hand_open(rig_disk(0), 1, 4096, true);
    hand_send(l, 0, 0, 8);
    model_advance_ns(NS_PER_S);
    EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
    EQ(rig.m.port[0].seen.comresets, 1);
    rig_read(l, 0, 0, 8);
    rig_lane_down(l);
}

TEST(an_idle_drive_whose_end_the_adapter_missed_needs_only_a_restart)
{
    struct io_completion c;
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0)->queue_depth = 0;
    rig_up();
    l = hand_open(rig_disk(0), 1, 4096, true);
    rig.m.port[0].drive.ci_lie = 1;
    hand_send(l, 0, 0, 8);
    model_advance_ns(NS_PER_S);
    EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
    EQ(rig.m.port[0].seen.comresets, 0);
    EQ(rig.m.port[0].seen.stops, 1);
    /* Twice without an answer between: the next rung. */
    hand_send(l, 0, 0, 8);
    model_advance_ns(NS_PER_S);
    c = rig_expire(l, 0);
    CHECK(c.status == IO_TIMED_OUT || c.status == IO_LOST);
    EQ(rig.m.port[0].seen.comresets, 1);
    rig.m.port[0].drive.ci_lie = 0;
    l->disk->ops->close(l);
    rig_down();
}

TEST(a_completion_for_the_wrong_tag_loses_one_read_not_the_run)
{
    struct io_completion c[4];
    struct io_lane *l = rig_lane(4, 4096);
    unsigned n;

    rig.m.port[0].drive.latency_ns = 10000;
    rig.m.port[0].drive.nth_wrong_tag = 1;
    for (unsigned i = 0; i < 2; i++)
        hand_send(l, (uint16_t)i, 8 * i, 8);
    n = hand_wait(l, c, 2);
    EQ(n, 1);
    EQ(rig_expire(l, c[0].slot ^ 1).status, IO_TIMED_OUT);
    rig_read(l, 0, 0, 8);
    rig_lane_down(l);
}

TEST(a_drive_that_never_answers_is_given_up_after_a_bounded_time)
{
    struct io_lane *l = rig_lane(1, 4096);
    unsigned rounds = 0;

    rig.m.port[0].drive.latency_ns = NS_PER_S * 3600;
    /* IDENTIFY after COMRESET hangs as well. */
    hand_send(l, 0, 0, 8);
    uint64_t before_ns = model_clock_ns;
    while (!l->dead && rounds++ < 10) {
        struct io_completion c = rig_expire(l, 0);
        CHECK(c.status == IO_TIMED_OUT || c.status == IO_LOST);
        if (!l->dead)
            hand_send(l, 0, 0, 8);
    }
    EQ(rounds, 1);
    CHECK(spent_ms(before_ns) < 20000);
    EQ(l->disk->fault.err, E_TIMEOUT);
    rig_lane_down(l);
}

TEST(reads_that_hang_again_and_again_end_in_a_dead_lane)
{
    struct io_completion c;
    struct io_lane *l = rig_lane(1, 4096);
    unsigned rounds = 0;

    while (!l->dead && rounds++ < 10) {
        rig.m.port[0].drive.nth_lost = rig.m.port[0].seen.reads + 1;
        hand_send(l, 0, 0, 8);
        model_advance_ns(NS_PER_S);
        c = rig_expire(l, 0);
        EQ(c.status, IO_TIMED_OUT);
    }
    EQ(rounds, 5); /* a soft reset, three COMRESETs, the end */
    EQ(l->disk->fault.err, E_TIMEOUT);
    rig_lane_down(l);
}

TEST(reads_that_hang_now_and_then_do_not_end_the_lane)
{
    struct io_lane *l = rig_lane(1, 4096);

    for (unsigned i = 0; i < 10; i++) {
        rig.m.port[0].drive.nth_lost = rig.m.port[0].seen.reads + 1;
        hand_send(l, 0, 0, 8);
        EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
        rig_read(l, 0, 8, 8);
    }
    EQ(rig.m.port[0].sctl, 0x300);
    EQ(rig.m.port[0].seen.soft_resets, 10); /* the gentle rung each time: it was answered in between */
    EQ(rig.m.port[0].seen.comresets, 0);
    rig_lane_down(l);
}

TEST(a_drive_that_stays_busy_after_comreset_is_given_up)
{
    struct io_lane *l = rig_lane(2, 4096);
    uint64_t before_ns;

    rig.m.port[0].drive.nth_lost = 1;
    rig.m.port[0].drive.ready_after_comreset_ns = MODEL_AHCI_NEVER;
    hand_send(l, 0, 0, 8);
    before_ns = model_clock_ns;
    EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
    CHECK(l->dead);
    CHECK(spent_ms(before_ns) < 17000); /* 5 s after the soft reset, 10 s after COMRESET */
    rig_lane_down(l);
}

TEST(another_drive_after_comreset_is_not_read)
{
    struct io_lane *l = rig_lane(2, 4096);

    rig.m.port[0].drive.nth_lost = 1;
    rig.m.port[0].drive.deaf_to_srst = true;
    strcpy(rig.m.port[0].drive.serial_after_comreset, "SOMEBODY ELSE");
    hand_send(l, 0, 0, 8);
    EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
    CHECK(l->dead);
    EQ(l->disk->fault.err, E_GONE);
    HAS_STR(l->disk->fault.what, "another one answers");
    rig_lane_down(l);
}

TEST(another_model_with_the_same_serial_after_comreset_is_not_read)
{
    struct io_lane *l = rig_lane(2, 4096);

    rig.m.port[0].drive.nth_lost = 1;
    strcpy(rig.m.port[0].drive.model, "MODEL AHCI DISK 2");
    hand_send(l, 0, 0, 8);
    EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
    EQ(l->disk->fault.err, E_GONE);
    EQ(rig.m.port[0].seen.comresets, 0); /* a reset more would not bring the first one back */
    rig_lane_down(l);
}

TEST(a_drive_of_another_size_after_comreset_is_not_read)
{
    struct io_lane *l = rig_lane(2, 4096);

    rig.m.port[0].drive.nth_lost = 1;
    rig.m.port[0].drive.lba_count--;
    hand_send(l, 0, 0, 8);
    EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
    CHECK(l->dead);
    EQ(l->disk->fault.err, E_PROTO);
    rig_lane_down(l);
}

TEST(an_engine_that_does_not_stop_kills_the_lane_and_keeps_its_memory)
{
    struct io_lane *l = rig_lane(2, 4096);
    long live;

    rig.m.port[0].drive.nth_lost = 1;
    hand_send(l, 0, 0, 8);
    rig.m.cr_ns = MODEL_AHCI_NEVER;
    EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
    CHECK(l->dead);
    live = model_live_allocs();
    l->disk->ops->close(l);
    EQ(model_live_allocs(), live);
    rig.m.cr_ns = 0;
    rig_down();
}

TEST(a_request_that_only_waits_times_out_without_touching_the_drive)
{
    struct io_completion c;
    struct io_lane *a, *b;

    rig_plug();
    rig_plug_disk(0)->queue_depth = 0;
    rig.m.port[0].drive.latency_ns = NS_PER_S;
    rig_up();
    a = hand_open(rig_disk(0), 1, 4096, true);
    b = hand_open(rig_disk(0), 1, 4096, true);
    hand_send(a, 0, 0, 8);
    hand_send(b, 0, 8, 8);
    EQ(rig_expire(b, 0).status, IO_TIMED_OUT);
    EQ(rig.m.port[0].seen.stops, 0);
    model_advance_ns(2 * NS_PER_S);
    EQ(hand_wait(a, &c, 1), 1);
    EQ(c.status, IO_OK);
    b->disk->ops->close(b);
    rig_lane_down(a);
}

TEST(a_submitted_request_that_was_never_rung_can_expire)
{
    struct io_lane *l = rig_lane(2, 4096);
    struct io_request r = { .lba = 8, .blocks = 8, .slot = 1 };

    EQ(l->disk->ops->submit(l, &r, 1), 1);
    EQ(rig_expire(l, 1).status, IO_TIMED_OUT);
    l->disk->ops->kick(l);
    EQ(rig.m.port[0].seen.reads, 0);
    rig_read(l, 1, 8, 8);
    rig_lane_down(l);
}

TEST(a_timed_out_slot_of_several_parts_comes_back_once)
{
    struct io_completion c[4];
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0)->queue_depth = 2;
    rig.m.port[0].drive.nth_lost = 2;
    rig_up();
    l = hand_open(rig_disk(0), 1, 40 * MIB, true);
    hand_send(l, 0, 0, 80000);
    EQ(hand_wait(l, c, 1), 0);
    EQ(rig_expire(l, 0).status, IO_TIMED_OUT);
    EQ(l->disk->ops->poll(l, c, 4), 0);
    rig_read(l, 0, 0, 80000);
    rig_lane_down(l);
}

TEST(an_adapter_that_is_gone_at_expire_costs_no_time)
{
    struct io_lane *l = rig_lane(2, 4096);
    uint64_t before_ns;

    rig.m.port[0].drive.nth_lost = 1;
    hand_send(l, 0, 0, 8);
    rig.m.gone = true;
    before_ns = model_clock_ns;
    EQ(rig_expire(l, 0).status, IO_LOST);
    CHECK(spent_ms(before_ns) < 10);
    CHECK(l->dead);
    rig_lane_down(l);
}

TEST(a_port_found_busy_after_an_error_is_freed_by_clo_or_comreset)
{
    for (unsigned sclo = 0; sclo < 2; sclo++) {
        struct io_completion c[2];
        struct io_lane *l;

        rig_plug();
        rig_plug_disk(0);
        rig.m.sclo = sclo;
        rig_up();
        l = hand_open(rig_disk(0), 2, 4096, true);
        rig.m.port[0].drive.latency_ns = 10000;
        rig.m.port[0].drive.bad[0].first = 8;
        rig.m.port[0].drive.bad[0].count = 8;
        hand_send(l, 0, 8, 8);
        hand_send(l, 1, 16, 8);
        model_advance_ns(NS_PER_MS);
        CHECK(rig.m.port[0].tfd & 1);
        rig.m.port[0].tfd |= 0x80;
        EQ(hand_wait(l, c, 2), 2);
        for (unsigned i = 0; i < 2; i++)
            EQ(c[i].status, c[i].slot ? IO_OK : IO_MEDIA_ERROR);
        EQ(rig.m.port[0].seen.clo, sclo);
        EQ(rig.m.port[0].seen.comresets, !sclo);
        rig_lane_down(l);
    }
}
