#include <stdlib.h>
#include <string.h>
#include "gate.h"
#include "gate_table.h"
#include "rig.h"
#include "text.h"

/* Writes and flushes: only on an armed disk, inside its range, and honest about what is on the medium. */

static struct io_completion one(struct io_lane *l, enum io_op op, uint16_t slot, uint64_t lba,
                                uint32_t blocks)
{
    struct io_completion c = { .status = IO_STATUS_COUNT };
    uint64_t end_ns = model_clock_ns + 60 * NS_PER_S;

    hand_submit(l, op, slot, lba, blocks);
    while (!l->disk->ops->poll(l, &c, 1) && model_clock_ns < end_ns)
        model_advance_ns(NS_PER_MS);
    return c;
}

/* Reads the blocks back through the lane and compares. */
static bool reads_back(struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    struct io_completion c = one(l, IO_READ, slot, lba, blocks);
    uint8_t want[4096];
    bool same = c.status == IO_OK;

    for (uint32_t i = 0; i < blocks && same; i++) {
        hand_stamp_block(want, l->disk->lba_bytes, lba + i, pass);
        same = !memcmp(lane_data(l, slot) + (size_t)i * l->disk->lba_bytes, want, l->disk->lba_bytes);
    }
    return same;
}

TEST(a_lane_that_writes_does_not_open_on_a_disk_that_is_not_armed)
{
    struct lane_shape shape = { .depth = 4, .writes = true, .request_bytes = 4096 };
    struct io_lane *l;
    uint64_t first, count;

    rig_up();
    model_fail_alloc_at = model_alloc_count; /* it is refused before anything else is done */
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_REFUSED);
    model_fail_alloc_at = -1;
    CHECK(!l);
    EQ(gate_arm("another disk", 0, UINT32_MAX), OK);
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_REFUSED);
    /* Its range lies beyond the end. */
    EQ(gate_arm(rig_disk(0)->identity, rig_disk(0)->lba_count, 100), OK);
    CHECK(gate_is_armed(rig_disk(0)->identity, &first, &count));
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_REFUSED);
    CHECK(!l);
    EQ(rig.m->seen.writes, 0);
    rig_down();
}

TEST(what_was_written_is_read_back_through_every_slot_and_size)
{
    static const uint32_t sizes[] = { 512, 4096, 8192, 65536, 1 << 20, 3 << 20 };

    for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++) {
        for (unsigned own = 0; own < 2; own++) {
            rig_plug();
            rig.m->set.mdts = 6;
            rig_up();
            uint32_t blocks = sizes[i] / 512;
            struct io_lane *l = rig_open_writes(rig_disk(0), 4, sizes[i], own, 1000, 4 * blocks + 7);
            for (uint16_t slot = 0; slot < 4; slot++)
                hand_write(l, slot, 1000 + 7 + slot * blocks, blocks, slot);
            if (blocks > 1)
                hand_write(l, 0, 1000, blocks / 2 < 7 ? blocks / 2 : 7, 9);
            for (uint16_t slot = 0; slot < 4; slot++)
                CHECK(reads_back(l, slot, 1000 + 7 + slot * blocks, blocks, slot));
            rig_close(l);
            rig_down();
        }
    }
}

TEST(a_lane_without_a_buffer_per_slot_writes_from_the_shared_one)
{
    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 4, 512, false, 0, 100);
    struct io_completion c[4];

    memset(l->data.cpu, 0x5a, 512);
    for (uint16_t slot = 0; slot < 4; slot++)
        hand_submit(l, IO_WRITE, slot, 10 + slot, 1);
    EQ(hand_wait(l, c, 4), 4);
    for (uint64_t lba = 10; lba < 14; lba++)
        CHECK(!memcmp(medium_read(&rig.m->medium, 1, lba), l->data.cpu, 512));
    rig_close(l);
    rig_down();
}

TEST(nothing_outside_the_armed_range_reaches_the_drive)
{
    enum { A = 1000, B = 2000 };
    uint64_t end;
    static const uint32_t request_blocks[] = { 1, 8, 1000 };

    for (unsigned i = 0; i < ARRAY_COUNT(request_blocks); i++) {
        rig_plug();
        rig.m->set.mdts = 1; /* 8 KiB: large requests are several commands */
        rig_up();
        uint32_t n = request_blocks[i];
        struct io_lane *l = rig_open_writes(rig_disk(0), 2, 512 * n, true, A, B - A);
        end = rig_disk(0)->lba_count;
        const struct {
            uint64_t lba;
            uint32_t blocks;
        } wrong[] = { { A - 1, n },
                      { A - 1, 1 },
                      { B, n },
                      { B, 1 },
                      { B - n + 1, n },
                      { end - n, n },
                      { end, n },
                      { end, 1 },
                      { UINT64_MAX, n },
                      { UINT64_MAX - n + 1, n },
                      { A, n + 1 },
                      { A, 0 },
                      { 0, n },
                      { A, UINT32_MAX },
                      { A, 0x01000001 },
                      { 1ull << 63, n },
                      { (1ull << 32) + A, n } };

        for (unsigned k = 0; k < ARRAY_COUNT(wrong); k++) {
            EQ(one(l, IO_WRITE, 0, wrong[k].lba, wrong[k].blocks).status, IO_REFUSED);
            EQ(rig.m->seen.writes, 0);
        }
        for (uint32_t op = IO_FLUSH + 1; op < 0x10000; op = op * 2 + 1) {
            EQ(one(l, (enum io_op)op, 0, A, n).status, IO_REFUSED);
            EQ(one(l, (enum io_op)(op & 0xff00), 0, A, n).status, op & 0xff00 ? IO_REFUSED : IO_OK);
        }
        EQ(one(l, IO_FLUSH, 0, 1, 0).status, IO_REFUSED);
        EQ(one(l, IO_FLUSH, 0, 0, 1).status, IO_REFUSED);
        EQ(rig.m->seen.writes, 0);
        EQ(rig.m->seen.io[1] + rig.m->seen.io[0], 0);
        hand_write(l, 0, A, n, 1);
        hand_write(l, 1, B - n, n, 1);
        EQ(rig.m->seen.blocks_written, 2 * n);
        rig_close(l);
        rig_down();
    }
}

TEST(a_range_armed_beyond_the_end_ends_with_the_disk)
{
    rig_up();
    uint64_t end = rig_disk(0)->lba_count;
    struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, end - 8, UINT64_MAX - end);

    hand_write(l, 0, end - 8, 8, 1);
    EQ(one(l, IO_WRITE, 0, end - 7, 8).status, IO_REFUSED);
    EQ(rig.m->seen.writes, 1);
    rig_close(l);
    rig_down();
}

TEST(a_lane_opened_for_reading_never_writes_also_on_an_armed_disk)
{
    rig_up();
    struct io_lane *w = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
    struct io_lane *r = hand_open(rig_disk(0), 2, 4096, true);

    EQ(one(r, IO_WRITE, 0, 0, 8).status, IO_REFUSED);
    EQ(one(r, IO_WRITE, 1, 8, 1).status, IO_REFUSED);
    EQ(one(r, IO_FLUSH, 1, 0, 0).status, IO_REFUSED);
    EQ(rig.m->seen.writes, 0);
    EQ(rig.m->seen.flushes, 0);
    /* What is disarmed while a lane is open ends with the lane. */
    gate_disarm_all();
    hand_write(w, 0, 0, 8, 1);
    rig_close(r);
    rig_close(w);
    rig_down();
}

TEST(reads_writes_and_flushes_share_a_batch)
{
    struct io_request r[9];
    struct io_completion c[9];
    unsigned seen = 0;

    rig_plug();
    rig.m->set.vwc = 1;
    rig.m->set.jitter_ns = 1000;
    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 9, 4096, true, 0, 1000);
    for (unsigned round = 0; round < 50; round++) {
        for (uint16_t i = 0; i < 9; i++) {
            bool flush = (round + i) % 9 == 8, write = (round >> (i & 3) & 1) != 0;
            uint32_t blocks = flush ? 0 : round % 5 == 4 && i == 3 ? 5 : 8;

            r[i] = (struct io_request){ .lba = flush ? 0 : 8 * i,
                                        .blocks = blocks,
                                        .slot = i,
                                        .op = flush   ? IO_FLUSH
                                              : write ? IO_WRITE
                                                      : IO_READ };
            for (unsigned b = 0; b < 8 && write; b++)
                hand_stamp_block(lane_data(l, i) + 512 * b, 512, 8 * i + b, round);
        }
        EQ(l->disk->ops->submit(l, r, 9), 9);
        l->disk->ops->kick(l);
        EQ(hand_wait(l, c, 9), 9);
        for (unsigned i = 0, slots = 0; i < 9; i++) {
            EQ(c[i].status, IO_OK);
            slots |= 1u << c[i].slot;
            seen = slots;
        }
        EQ(seen, 0x1ff);
        for (uint16_t i = 0; i < 9; i++)
            if (r[i].op == IO_WRITE)
                CHECK(rig_holds(rig_disk(0), 8 * i, r[i].blocks, round));
    }
    EQ(rig.m->seen.flushes, 50);
    rig_close(l);
    rig_down();
}

TEST(without_a_write_cache_a_flush_is_answered_without_a_command_and_says_so)
{
    rig_plug();
    rig.m->set.vwc = 0;
    rig_up();
    HAS_STR(rig_disk(0)->settings, "no volatile write cache: a flush needs no command");
    struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
    hand_write(l, 0, 0, 8, 1);
    rig_flush(l, 1);
    rig_flush(l, 1);
    EQ(rig.m->seen.flushes, 0);
    rig_close(l);
    rig_down();
}

TEST(a_power_cut_takes_what_was_not_flushed_and_nothing_else)
{
    rig_plug();
    rig.m->set.vwc = 1;
    rig_up();
    struct disk *d = rig_disk(0);
    struct io_lane *l = rig_open_writes(d, 2, 4096, true, 0, 1000);

    hand_write(l, 0, 0, 8, 1);
    rig_flush(l, 1);
    hand_write(l, 0, 0, 8, 2);
    hand_write(l, 0, 80, 8, 2);
    CHECK(rig_holds(d, 0, 8, 2));
    medium_power_cut(&rig.m->medium);
    CHECK(rig_holds(d, 0, 8, 1));
    CHECK(!medium_read(&rig.m->medium, 1, 80));
    rig_close(l);
    rig_down();
}

static int reset_of(struct io_lane *l)
{
    char words[100];
    struct text instead = text_over(words, sizeof words);

    return l->disk->ops->reset(l, &instead);
}

TEST(a_reset_on_request_shows_what_only_the_cache_held_and_the_lane_goes_on)
{
    rig_plug();
    rig.m->set.vwc = 1;
    rig.m->set.reset_loses_cache = true;
    rig_up();
    struct disk *d = rig_disk(0);
    struct io_lane *l = rig_open_writes(d, 2, 4096, true, 0, 1000);

    hand_write(l, 0, 0, 8, 1);
    rig_flush(l, 1);
    hand_write(l, 0, 80, 8, 2);
    for (unsigned i = 0; i < 3; i++) { /* more often than the ladder may */
        EQ(reset_of(l), OK);
        CHECK(reads_back(l, 0, 0, 8, 1));
        CHECK(!reads_back(l, 0, 80, 8, 2));
    }
    hand_write(l, 1, 80, 8, 3);
    CHECK(reads_back(l, 0, 80, 8, 3));
    EQ(d->fault.err, OK);
    CHECK(rig_has_remark("reset on request"));
    rig_close(l);
    rig_down();
}

TEST(a_reset_on_request_touches_nothing_while_anything_else_is_open_or_in_flight)
{
    struct io_completion c;
    struct io_lane *other;

    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
    const struct lane_shape shape = { .depth = 1, .request_bytes = 4096 };
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &other), OK);
    EQ(reset_of(l), E_AGAIN);
    rig_close(other);
    hand_submit(l, IO_READ, 1, 0, 8);
    EQ(reset_of(l), E_AGAIN);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_OK);
    EQ(reset_of(l), OK);
    rig_close(l);
    rig_down();
}

TEST(a_controller_that_does_not_come_back_from_a_reset_on_request_is_given_up)
{
    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);

    rig.m->set.ready_ns = MODEL_NVME_NEVER;
    CHECK(reset_of(l) != OK);
    CHECK(rig_disk(0)->fault.err != OK && l->dead);
    CHECK(reset_of(l) != OK);
    rig_close(l);
    rig_down_broken();
}

TEST(an_orderly_shutdown_keeps_what_was_not_flushed)
{
    rig_plug();
    rig.m->set.vwc = 1;
    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
    hand_write(l, 0, 0, 8, 1);
    rig_close(l);
    nvme_driver.detach(rig.c);
    rig.c = NULL;
    medium_power_cut(&rig.m->medium);
    CHECK(medium_read(&rig.m->medium, 1, 0));
    rig_down();
}

TEST(failed_writes_and_flushes_are_told_in_words)
{
    static const struct {
        uint64_t status;
        enum io_status want;
        const char *words;
    } cases[] = { { 0x280, IO_MEDIA_ERROR, "write fault" },
                  { 0x4280, IO_MEDIA_ERROR, "write fault" },
                  { 0x4020, IO_DEVICE_ERROR, "write protected" },
                  { 0x4080, IO_DEVICE_ERROR, "LBA out of range" },
                  { 0x4182, IO_DEVICE_ERROR, "read-only range" } };
    char words[128];

    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        rig_plug();
        rig.m->set.vwc = 1;
        rig_up();
        struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
        medium_add_fault(&rig.m->medium, MEDIUM_WRITE_ERROR, 1, 83, 1, 1, cases[i].status);
        medium_add_fault(&rig.m->medium, MEDIUM_FLUSH_ERROR, 1, 0, 0, 1, cases[i].status);
        struct io_completion c = one(l, IO_WRITE, 0, 80, 8);
        struct text t = text_over(words, sizeof words);
        EQ(c.status, cases[i].want);
        EQ(c.detail, cases[i].status);
        EQ(c.error_lba, 80);
        l->disk->ops->status_words(c.detail, &t);
        HAS_STR(words, cases[i].words);
        c = one(l, IO_FLUSH, 1, 0, 0);
        EQ(c.status, cases[i].want);
        EQ(c.error_lba, 0);
        hand_write(l, 0, 80, 8, 1);
        rig_flush(l, 1);
        rig_close(l);
        rig_down();
    }
}

TEST(a_write_protected_namespace_takes_no_write)
{
    rig_plug();
    rig.m->medium.write_protected = true;
    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
    EQ(one(l, IO_WRITE, 0, 0, 8).status, IO_DEVICE_ERROR);
    EQ(one(l, IO_WRITE, 0, 0, 8).detail, 0x4020);
    CHECK(!medium_read(&rig.m->medium, 1, 0));
    rig_close(l);
    rig_down();
}

TEST(a_write_that_failed_for_a_passing_reason_is_sent_again_with_its_data)
{
    rig_plug();
    rig_lie(MODEL_NVME_STATUS, false, 0x01, 0, 2, 0x082);
    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
    for (unsigned b = 0; b < 8; b++)
        hand_stamp_block(lane_data(l, 1) + 512 * b, 512, 16 + b, 3);
    struct io_completion c = one(l, IO_WRITE, 1, 16, 8);
    EQ(c.status, IO_OK);
    EQ(c.retries, 2);
    EQ(rig.m->seen.io[1], 3);
    CHECK(rig_holds(rig_disk(0), 16, 8, 3));
    rig_close(l);
    rig_down();
}

/* The slot's deadline passes; everything that is in flight then ends. */
static unsigned expire_all(struct io_lane *l, uint16_t slot, struct io_completion *c, unsigned max)
{
    unsigned n;

    model_advance_ns(31 * NS_PER_S);
    n = l->disk->ops->poll(l, c, max);
    l->disk->ops->expire(l, slot);
    return n + l->disk->ops->poll(l, c + n, max - n);
}

TEST(a_write_that_is_not_answered_is_never_sent_again)
{
    /* It comes back after an abort, or not at all and the controller is reset. */
    for (unsigned ignored = 0; ignored < 2; ignored++) {
        struct io_completion c[3];

        rig_plug();
        rig.m->set.abort_ignored = ignored;
        rig_lie(MODEL_NVME_STICK, false, 0x01, 0, 2, 0);
        rig_up();
        struct io_lane *l = rig_open_writes(rig_disk(0), 3, 4096, true, 0, 1000);
        hand_submit(l, IO_WRITE, 0, 0, 8);
        hand_submit(l, IO_WRITE, 1, 8, 8);
        unsigned n = expire_all(l, 0, c, 3);
        EQ(n, ignored ? 2 : 1);
        for (unsigned i = 0; i < n; i++)
            EQ(c[i].status, c[i].slot == 0 ? IO_TIMED_OUT : IO_LOST);
        if (!ignored) {
            EQ(expire_all(l, 1, c, 3), 1);
            EQ(c[0].status, IO_TIMED_OUT);
        }
        EQ(rig.m->seen.io[1], 2);
        CHECK(!medium_read(&rig.m->medium, 1, 0));
        CHECK(rig_has_remark("a write is not answered"));
        hand_write(l, 2, 0, 8, 1);
        EQ(rig.m->seen.io[1], 3);
        rig_close(l);
        rig_down();
    }
}

TEST(a_flush_that_is_not_answered_is_aborted)
{
    struct io_completion c;

    rig_plug();
    rig.m->set.vwc = 1;
    rig_lie(MODEL_NVME_STICK, false, 0x00, 0, 1, 0);
    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 3, 4096, true, 0, 1000);
    hand_submit(l, IO_FLUSH, 2, 0, 0);
    EQ(expire_all(l, 2, &c, 1), 1);
    EQ(c.status, IO_TIMED_OUT);
    CHECK(rig_has_remark("the flush came back after its abort"));
    rig_flush(l, 2);
    rig_close(l);
    rig_down();
}

TEST(protection_information_is_made_by_the_drive_with_the_tags_an_os_expects)
{
    /* The model cries out when the reference tag is not the LBA (types 1 and 2). */
    for (uint8_t type = 1; type <= 3; type++) {
        rig_plug();
        rig.m->ns[0].metadata_bytes = 8;
        rig.m->ns[0].dps = type;
        rig.m->ns[0].nsze = 1ull << 33;
        rig.m->set.mdts = 1;
        rig_up();
        uint64_t at = (1ull << 32) + 4711;
        struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, at, 1000);
        struct io_lane *big = rig_open_writes(rig_disk(0), 2, 1 << 20, true, at, 4096);
        hand_write(l, 0, at, 8, 1);
        hand_write(l, 1, at + 8, 3, 1);
        CHECK(reads_back(l, 0, at, 8, 1));
        EQ(one(big, IO_READ, 0, at, 2048).status, IO_OK);
        EQ(one(big, IO_WRITE, 0, at, 999).status, IO_OK);
        /* Reads that use the same entries of the queue afterwards name no tag. */
        for (unsigned i = 0; i < 2 * (rig.m->set.mqes + 1u); i++)
            EQ(one(l, IO_READ, i & 1, at + i % 100, 8).status, IO_OK);
        rig_close(big);
        rig_close(l);
        rig_down();
    }
}

TEST(the_faults_of_the_medium_show_when_read_back)
{
    static const enum medium_fault_kind kind[] = { MEDIUM_DROPPED, MEDIUM_STALE, MEDIUM_TORN,
                                                   MEDIUM_ALTERED };

    for (unsigned i = 0; i < ARRAY_COUNT(kind); i++) {
        rig_up();
        struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
        hand_write(l, 0, 80, 8, 1);
        medium_add_fault(&rig.m->medium, kind[i], 1, 83, 1, 1, 0);
        hand_write(l, 0, 80, 8, 2);
        CHECK(!reads_back(l, 1, 80, 8, 2));
        CHECK(reads_back(l, 1, 80, 3, 2));
        CHECK(reads_back(l, 1, 84, 4, 2));
        EQ(reads_back(l, 1, 83, 1, 1), kind[i] == MEDIUM_DROPPED || kind[i] == MEDIUM_STALE);
        hand_write(l, 0, 80, 8, 3);
        CHECK(reads_back(l, 1, 80, 8, 3));
        rig_close(l);
        rig_down();
    }
}

TEST(swapped_blocks_hold_each_others_data)
{
    rig_up();
    struct io_lane *l = rig_open_writes(rig_disk(0), 2, 4096, true, 0, 1000);
    uint8_t want[512];

    medium_add_fault(&rig.m->medium, MEDIUM_SWAPPED, 1, 80, 1, 2, 4);
    hand_write(l, 0, 80, 8, 1);
    hand_stamp_block(want, 512, 84, 1);
    CHECK(!memcmp(medium_read(&rig.m->medium, 1, 80), want, 512));
    hand_stamp_block(want, 512, 80, 1);
    CHECK(!memcmp(medium_read(&rig.m->medium, 1, 84), want, 512));
    CHECK(rig_holds(rig_disk(0), 81, 3, 1));
    rig_close(l);
    rig_down();
}

TEST(each_allocation_of_a_writing_lane_may_fail)
{
    for (long at = 0;; at++) {
        struct lane_shape shape = {
            .depth = 4, .buffer_per_slot = true, .writes = true, .request_bytes = 65536
        };
        struct io_lane *l = NULL;

        rig_up();
        EQ(gate_arm(rig_disk(0)->identity, 0, 1000), OK);
        model_fail_alloc_at = model_alloc_count + at;
        int rc = rig_disk(0)->ops->open(rig_disk(0), &shape, &l);
        model_fail_alloc_at = -1;
        if (!rc)
            rig_close(l);
        else
            EQ(rc, E_NOMEM);
        rig_down();
        if (!rc)
            break;
    }
}

static unsigned long table_writes(void) { return rig.m->seen.writes; }
static void table_permit(const struct disk *d)
{
    rig.writes = true;
    medium_permit(&rig.m->medium, rig_nsid(d), GATE_TABLE_A, GATE_TABLE_B - GATE_TABLE_A);
}

TEST(no_write_goes_around_the_gate_by_the_table_of_all_drivers)
{
    rig_up();
    gate_table_run(&(struct gate_table){ rig_disk(0), table_writes, table_permit });
    rig_down();
}
