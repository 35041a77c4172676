#include "lane.h"
#include "platform_model.h"
#include "math.h"
#include "test.h"

static struct lane_slots s;
static struct io_completion done[64];

static void start(uint16_t depth, uint32_t part_blocks)
{
    model_reset_world();
    model_quiet = true;
    EQ(lane_slots_alloc(&s, depth, part_blocks), OK);
}

static void end(void)
{
    lane_slots_free(&s);
    EQ(model_live_allocs(), 0);
}

static bool accept(uint16_t slot, uint64_t lba, uint32_t blocks)
{
    struct io_request r = { .lba = lba, .blocks = blocks, .slot = slot };

    return lane_accept(&s, &r);
}

static unsigned busy_slots(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s.depth; i++)
        n += s.slot[i].busy;
    return n;
}

static struct lane_part send_part(void)
{
    struct lane_part p = { 0 };

    CHECK(lane_peek_part(&s, &p));
    lane_took_part(&s, &p);
    return p;
}

TEST(each_failed_allocation_of_slots_leaves_nothing_behind)
{
    for (long k = 0; k < 3; k++) {
        model_reset_world();
        model_quiet = true;
        model_fail_alloc_at = k;
        EQ(lane_slots_alloc(&s, 8, 4), E_NOMEM);
        EQ(model_live_allocs(), 0);
        CHECK(!s.slot && !s.fifo && !s.done && !s.depth);
    }
    start(8, 4);
    EQ(model_alloc_count, 3);
    end();
}

TEST(a_lane_without_slots_or_blocks_is_refused)
{
    model_reset_world();
    model_quiet = true;
    EQ(lane_slots_alloc(&s, 0, 4), E_LIMIT);
    EQ(lane_slots_alloc(&s, 4, 0), E_LIMIT);
    EQ(model_alloc_count, 0);
    lane_slots_free(&s);
}

TEST(a_request_within_one_command_is_one_part)
{
    start(2, 8);
    CHECK(accept(1, 100, 8));
    struct lane_part p = send_part();
    EQ(p.lba, 100);
    EQ(p.blocks, 8);
    EQ(p.slot, 1);
    EQ(p.part, 0);
    CHECK(!lane_peek_part(&s, &p));
    EQ(lane_collect(&s, done, 64), 0);
    lane_part_done(&s, 1);
    EQ(lane_collect(&s, done, 64), 1);
    EQ(done[0].slot, 1);
    EQ(done[0].status, IO_OK);
    EQ(busy_slots(), 0);
    end();
}

TEST(a_larger_request_is_split_and_done_with_its_last_part)
{
    start(2, 8);
    CHECK(accept(0, 100, 20));
    CHECK(accept(1, 500, 1));
    for (unsigned i = 0; i < 3; i++) {
        struct lane_part p = send_part();
        EQ(p.slot, 0);
        EQ(p.part, i);
        EQ(p.lba, 100 + 8 * i);
        EQ(p.blocks, i < 2 ? 8 : 4);
    }
    EQ(send_part().slot, 1);
    lane_part_done(&s, 0);
    lane_part_done(&s, 0);
    EQ(lane_collect(&s, done, 64), 0);
    lane_part_done(&s, 1);
    lane_part_done(&s, 0);
    EQ(lane_collect(&s, done, 1), 1);
    EQ(done[0].slot, 1);
    EQ(lane_collect(&s, done, 1), 1);
    EQ(done[0].slot, 0);
    end();
}

TEST(busy_and_wrong_slots_are_not_accepted)
{
    start(2, 8);
    CHECK(accept(0, 0, 1));
    CHECK(!accept(0, 0, 1));
    CHECK(!accept(2, 0, 1));
    CHECK(!accept(0xffff, 0, 1));
    send_part();
    CHECK(!accept(0, 0, 1));
    lane_part_done(&s, 0);
    CHECK(!accept(0, 0, 1)); /* done, not yet collected */
    EQ(lane_collect(&s, done, 64), 1);
    CHECK(accept(0, 0, 1));
    lane_slots_lost(&s, IO_LOST, 0);
    end();
}

TEST(the_first_failure_gives_the_slot_its_status)
{
    start(1, 8);
    CHECK(accept(0, 100, 24));
    send_part();
    send_part();
    send_part();
    lane_part_done(&s, 0);
    lane_slot_failed(&s, 0, IO_MEDIA_ERROR, 0x281, 108);
    lane_part_done(&s, 0);
    lane_slot_failed(&s, 0, IO_DEVICE_ERROR, 0x4, 116);
    EQ(lane_collect(&s, done, 64), 0);
    lane_part_done(&s, 0);
    EQ(lane_collect(&s, done, 64), 1);
    EQ(done[0].status, IO_MEDIA_ERROR);
    EQ(done[0].detail, 0x281);
    EQ(done[0].error_lba, 108);
    end();
}

TEST(a_failure_drops_the_parts_not_yet_sent_and_waits_for_those_in_flight)
{
    start(3, 8);
    CHECK(accept(0, 100, 24));
    CHECK(accept(1, 200, 24));
    CHECK(accept(2, 300, 8));
    send_part();                                 /* of slot 0 */
    lane_slot_failed(&s, 1, IO_REFUSED, 7, 200); /* stands in the middle of the queue, nothing in flight */
    EQ(lane_collect(&s, done, 64), 1);
    EQ(done[0].slot, 1);
    EQ(done[0].status, IO_REFUSED);
    lane_slot_failed(&s, 0, IO_MEDIA_ERROR, 1, 100);
    EQ(lane_collect(&s, done, 64), 0);
    EQ(send_part().slot, 2);
    struct lane_part p;
    CHECK(!lane_peek_part(&s, &p));
    lane_part_done(&s, 0);
    lane_part_done(&s, 2);
    EQ(lane_collect(&s, done, 64), 2);
    EQ(done[0].slot, 0);
    EQ(done[1].status, IO_OK);
    end();
}

TEST(a_failure_of_an_idle_done_or_absent_slot_changes_nothing)
{
    start(2, 8);
    lane_slot_failed(&s, 0, IO_LOST, 0, 0);
    lane_slot_failed(&s, 2, IO_LOST, 0, 0);
    lane_slot_failed(&s, 0xffff, IO_LOST, 0, 0);
    EQ(lane_collect(&s, done, 64), 0);
    CHECK(accept(0, 5, 1));
    lane_slot_failed(&s, 0, IO_REFUSED, 0, 5);
    lane_slot_failed(&s, 0, IO_LOST, 0, 5);
    EQ(lane_collect(&s, done, 64), 1);
    EQ(done[0].status, IO_REFUSED);
    EQ(lane_collect(&s, done, 64), 0);
    end();
}

TEST(a_lost_device_gives_back_every_slot_exactly_once)
{
    start(5, 8);
    CHECK(accept(0, 0, 8));    /* done, not collected */
    CHECK(accept(1, 100, 24)); /* three parts in flight */
    CHECK(accept(2, 200, 8));  /* in flight, failed before */
    CHECK(accept(3, 300, 24)); /* waiting */
    send_part();
    send_part();
    lane_part_done(&s, 0);
    send_part();
    send_part();
    send_part();
    lane_slot_failed(&s, 2, IO_MEDIA_ERROR, 9, 200);
    lane_slots_lost(&s, IO_LOST, 0x77);
    lane_slots_lost(&s, IO_TIMED_OUT, 0x78); /* again before anybody looked */
    EQ(lane_collect(&s, done, 64), 4);
    EQ(done[0].slot, 0);
    EQ(done[0].status, IO_OK);
    EQ(done[1].slot, 1);
    EQ(done[1].status, IO_LOST);
    EQ(done[1].detail, 0x77);
    EQ(done[1].error_lba, 0);
    EQ(done[2].slot, 2);
    EQ(done[2].status, IO_MEDIA_ERROR);
    EQ(done[3].slot, 3);
    EQ(done[3].error_lba, 300);
    lane_slots_lost(&s, IO_LOST, 0);
    EQ(lane_collect(&s, done, 64), 0);
    EQ(busy_slots(), 0);
    struct lane_part p;
    CHECK(!lane_peek_part(&s, &p));
    end();
}

/* Any order of events: every accepted request comes back once, and the rings wrap many times. */
static void random_walk(uint16_t depth, uint64_t seed)
{
    uint32_t in_flight[64] = { 0 }, accepted = 0, back = 0;
    struct rng r;

    start(depth, 4);
    rng_seed(&r, seed);
    for (unsigned step = 0; step < 3000; step++) {
        uint16_t slot = (uint16_t)(rng_next(&r) % depth);
        struct lane_part p;

        switch (rng_next(&r) % 8) {
        case 0:
        case 1:
            accepted += accept(slot, rng_next(&r) % 1000, 1 + (uint32_t)(rng_next(&r) % 20));
            break;
        case 2:
        case 3:
            if (lane_peek_part(&s, &p)) {
                lane_took_part(&s, &p);
                in_flight[p.slot]++;
            }
            break;
        case 4:
        case 5:
            if (in_flight[slot]) {
                in_flight[slot]--;
                lane_part_done(&s, slot);
            }
            break;
        case 6:
            if (!(rng_next(&r) % 4))
                lane_slot_failed(&s, slot, IO_MEDIA_ERROR, 1, 1);
            break;
        default:
            back += lane_collect(&s, done, 1 + (unsigned)(rng_next(&r) % 3));
        }
        EQ(busy_slots(), accepted - back);
        CHECK(s.fifo_count + s.done_count <= depth);
    }
    lane_slots_lost(&s, IO_LOST, 0);
    back += lane_collect(&s, done, 64);
    EQ(back, accepted);
    end();
}

TEST(every_accepted_request_comes_back_once_in_any_order_of_events)
{
    random_walk(1, 1);
    random_walk(2, 2);
    random_walk(7, 3);
    random_walk(64, 4);
}

TEST(the_deepest_lane_wraps_without_overflow)
{
    start(0xffff, 1);
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 0xffff; i++)
            CHECK(accept((uint16_t)i, i, 1));
        CHECK(!accept(0, 0, 1));
        for (uint32_t i = 0; i < 0xffff; i++)
            lane_part_done(&s, send_part().slot);
        unsigned n = 0;
        for (unsigned k; (k = lane_collect(&s, done, 64)) != 0;)
            n += k;
        EQ(n, 0xffff);
    }
    end();
}
