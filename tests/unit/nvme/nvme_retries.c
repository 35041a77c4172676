#include "rig.h"

/* Reads that the drive asks to send again. */

enum {
    NOT_READY = 0x082,
    INTERRUPTED = 0x021,
    INTERNAL = 0x006,
    MORE_DELAY_1 = 1 << 11,
    MORE_DELAY_3 = 3 << 11
};

static struct io_completion read_once(struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks)
{
    struct io_completion c = { .status = IO_STATUS_COUNT };
    uint64_t end_ns = model_clock_ns + 60 * NS_PER_S;

    hand_send(l, slot, lba, blocks);
    while (!l->disk->ops->poll(l, &c, 1) && model_clock_ns < end_ns)
        model_advance_ns(NS_PER_MS);
    return c;
}

TEST(a_passing_trouble_is_retried_and_counted)
{
    static const uint16_t status[] = { NOT_READY, INTERRUPTED, 0x022, 0x300, 0x303, 0x360 };

    for (unsigned i = 0; i < ARRAY_COUNT(status); i++) {
        for (uint32_t times = 1; times <= 4; times++) {
            rig_plug();
            rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, times, status[i]);
            rig_up();
            struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
            struct io_completion c = read_once(l, 2, 800, 8);
            EQ(c.slot, 2);
            EQ(c.status, times <= 3 ? IO_OK : IO_DEVICE_ERROR);
            EQ(c.detail, times <= 3 ? 0 : status[i]);
            EQ(c.error_lba, times <= 3 ? 0 : 800);
            EQ(c.retries, times <= 3 ? times : 3);
            EQ(rig.m->seen.reads, times <= 3 ? 1 : 0);
            if (times <= 3)
                rig_check_data(l, 2, 800, 8);
            rig_read(l, 2, 0, 8); /* and nothing of it sticks to the slot */
            rig_close(l);
            rig_down();
        }
    }
}

TEST(what_the_drive_forbids_or_what_will_not_pass_is_not_retried)
{
    static const uint16_t status[] = { 0x4000 | NOT_READY, 0x281, 0x282, 0x007, 0x005, 0x301, 0x002, 0x080 };

    for (unsigned i = 0; i < ARRAY_COUNT(status); i++) {
        rig_plug();
        rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, 1, status[i]);
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
        struct io_completion c = read_once(l, 0, 8, 8);
        EQ(c.detail, status[i]);
        EQ(c.retries, 0);
        EQ(rig.m->seen.io[2], 1);
        rig_close(l);
        rig_down();
    }
}

TEST(an_internal_error_is_retried_once)
{
    rig_plug();
    rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, 2, INTERNAL);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    struct io_completion c = read_once(l, 0, 8, 8);
    EQ(c.status, IO_DEVICE_ERROR);
    EQ(c.retries, 1);
    EQ(rig.m->seen.io[2], 2);
    rig_close(l);
    rig_down();
}

TEST(the_delay_that_the_drive_names_is_kept)
{
    static const struct {
        uint16_t status, crdt;
        uint64_t least_ms;
    } rows[] = { { NOT_READY, 50, 0 },
                 { NOT_READY | MORE_DELAY_1, 7, 700 },
                 { NOT_READY | MORE_DELAY_3, 100, 10000 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->set.crdt[0] = rig.m->set.crdt[2] = rows[i].crdt;
        rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, 1, rows[i].status);
        rig_up();
        struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
        uint64_t start_ns = model_clock_ns;
        struct io_completion c = read_once(l, 0, 8, 8);
        EQ(c.status, IO_OK);
        EQ(c.retries, 1);
        CHECK(model_clock_ns - start_ns >= rows[i].least_ms * NS_PER_MS);
        CHECK(model_clock_ns - start_ns < (rows[i].least_ms + 20) * NS_PER_MS);
        rig_close(l);
        rig_down();
    }
    rig_plug(); /* two hours would be no answer */
    rig.m->set.crdt[0] = 0xffff;
    rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, 1, NOT_READY | MORE_DELAY_1);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    EQ(read_once(l, 0, 8, 8).status, IO_DEVICE_ERROR);
    rig_close(l);
    rig_down();
}

TEST(a_part_of_a_split_request_is_retried_alone)
{
    rig_plug();
    rig_lie(MODEL_NVME_STATUS, false, 0x02, 5, 1, INTERRUPTED);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 2, 1 << 20, true);
    struct io_completion c = read_once(l, 1, 4096, 2048);
    EQ(c.status, IO_OK);
    EQ(c.retries, 1);
    EQ(rig.m->seen.io[2], 9);
    rig_check_data(l, 1, 4096, 2048);
    rig_close(l);
    rig_down();
}

TEST(a_crowd_of_retries_is_bounded_and_every_read_gets_its_answer)
{
    struct io_completion c[64];
    unsigned got = 0, ok = 0;

    rig_plug();
    rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, 64, NOT_READY | MORE_DELAY_1);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 64, 4096, true);
    for (uint16_t slot = 0; slot < 64; slot++)
        hand_send(l, slot, 8u * slot, 8);
    for (uint64_t end_ns = model_clock_ns + 5 * NS_PER_S; got < 64 && model_clock_ns < end_ns;) {
        got += l->disk->ops->poll(l, c + got, 64 - got);
        model_advance_ns(NS_PER_MS);
    }
    EQ(got, 64);
    for (unsigned i = 0; i < 64; i++) {
        if (c[i].status != IO_OK)
            continue;
        ok++;
        EQ(c[i].retries, 1);
        rig_check_data(l, c[i].slot, 8u * c[i].slot, 8);
    }
    EQ(ok, 16);
    rig_close(l);
    rig_down();
}

TEST(a_deadline_ends_the_wait_for_a_repetition_without_an_abort)
{
    struct io_completion c;

    rig_plug();
    rig.m->set.crdt[0] = 90;
    rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, 1, NOT_READY | MORE_DELAY_1);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    hand_send(l, 3, 8, 8);
    EQ(hand_wait(l, &c, 1), 0);
    l->disk->ops->expire(l, 3);
    EQ(l->disk->ops->poll(l, &c, 1), 1);
    EQ(c.status, IO_TIMED_OUT);
    EQ(rig.m->seen.aborts, 0);
    model_advance_ns(10 * NS_PER_S);
    EQ(l->disk->ops->poll(l, &c, 1), 0);
    EQ(rig.m->seen.io[2], 1);
    rig_read(l, 3, 8, 8);
    rig_close(l);
    rig_down();
}

TEST(a_reset_forgets_what_waited_to_be_repeated)
{
    struct io_completion c[4];

    rig_plug();
    rig.m->set.abort_ignored = true;
    rig.m->set.crdt[0] = 20;
    rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, 1, NOT_READY | MORE_DELAY_1);
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 1, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    hand_send(l, 0, 0, 8);
    hand_send(l, 1, 8, 8);
    EQ(hand_wait(l, c, 1), 0);
    l->disk->ops->expire(l, 1);
    EQ(rig.m->seen.disables, 1);
    EQ(l->disk->ops->poll(l, c, 4), 2);
    for (unsigned i = 0; i < 2; i++)
        EQ(c[i].status, c[i].slot ? IO_TIMED_OUT : IO_LOST);
    model_advance_ns(5 * NS_PER_S);
    EQ(l->disk->ops->poll(l, c, 4), 0);
    rig_read(l, 0, 8, 8);
    rig_read(l, 1, 16, 8);
    rig_close(l);
    rig_down();
}

TEST(a_request_without_a_command_id_of_its_own_is_retried_as_well)
{
    rig_plug();
    rig_lie(MODEL_NVME_STATUS, false, 0x02, 0, 2, INTERRUPTED);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 16384, true);
    struct io_completion c = read_once(l, 0, 100, 3);
    EQ(c.status, IO_OK);
    EQ(c.retries, 2);
    rig_check_data(l, 0, 100, 3);
    rig_close(l);
    rig_down();
}
