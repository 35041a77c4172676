#include <stdlib.h>
#include <string.h>
#include "gate_table.h"
#include "rig.h"

/* Writes and flushes, queued and not. */

enum { WAYS = 3, QUEUED = 0, SINGLE, LBA28 };

static struct io_lane *up(unsigned way, uint16_t depth, uint32_t request_bytes, uint64_t first_lba,
                          uint64_t blocks)
{
    struct model_ahci_drive *d;

    rig_plug();
    d = rig_plug_disk(0);
    d->queue_depth = way == QUEUED ? 32 : 0;
    d->lba28_only = way == LBA28;
    rig_up();
    return rig_open_writes(rig_disk(0), way == QUEUED ? depth : 1, request_bytes, true, first_lba, blocks);
}

static struct model_ahci_seen *seen(void) { return &rig.m.port[0].seen; }

TEST(a_lane_that_writes_does_not_open_on_an_unarmed_disk)
{
    struct lane_shape shape = { .depth = 1, .writes = true, .request_bytes = 4096 };
    struct io_lane *l;

    rig_plug();
    rig_plug_disk(0);
    rig_up();
    model_fail_alloc_at = model_alloc_count; /* it is refused before anything else is done */
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_REFUSED);
    model_fail_alloc_at = -1;
    EQ(gate_arm("another", 0, 1 << 20), OK);
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_REFUSED);
    EQ(gate_arm(rig_disk(0)->identity, RIG_DISK_BLOCKS, 8), OK);
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_REFUSED);
    CHECK(!l);
    EQ(seen()->writes, 0);
    rig_down();
}

TEST(what_was_written_reads_back_by_every_way_and_size)
{
    static const uint32_t sizes[] = { 512, 4096, 65536, 1 << 20, 6 << 20, 12 << 20 };
    static const uint8_t opcode[WAYS] = { 0x61, 0x35, 0xca };

    for (unsigned way = 0; way < WAYS; way++)
        for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++) {
            uint32_t blocks = sizes[i] / 512;
            struct io_lane *l = up(way, 3, sizes[i], 1001, 3 * blocks + 1);

            for (uint16_t slot = 0; slot < l->depth; slot++)
                hand_write(l, slot, 1001 + slot * blocks, blocks, slot + 1);
            CHECK(seen()->opcodes[opcode[way]] >= l->depth);
            EQ(seen()->opcodes[opcode[way]], seen()->writes);
            for (uint16_t slot = 0; slot < l->depth; slot++) {
                CHECK(rig_holds(l->disk, 1001 + slot * blocks, blocks, slot + 1));
                memset(lane_data(l, slot), 0, sizes[i]);
                EQ(hand_one(l, IO_READ, slot, 1001 + slot * blocks, blocks).status, IO_OK);
                CHECK(hand_has_stamp(l, slot, 1001 + slot * blocks, blocks, slot + 1));
            }
            rig_lane_down(l);
        }
}

TEST(nothing_outside_the_armed_range_reaches_the_drive_by_any_way)
{
    enum { A = 1000, B = 40000 };
    static const uint32_t sizes[] = { 1, 8, 20000 };

    for (unsigned way = 0; way < WAYS; way++)
        for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++) {
            uint32_t n = sizes[i];
            struct io_lane *l = up(way, 2, 512 * n, A, B - A);
            const uint64_t end = RIG_DISK_BLOCKS;
            const struct {
                uint64_t lba;
                uint32_t blocks;
            } wrong[] = { { A - 1, n },
                          { A - 1, 1 },
                          { B, n },
                          { B, 1 },
                          { B - n + 1, n },
                          { end, 1 },
                          { end - n, n },
                          { UINT64_MAX - n + 1, n },
                          { UINT64_MAX, 1 },
                          { A, 0 },
                          { A, n + 1 },
                          { A, 0x01000001 },
                          { 0, n },
                          { A, ~0u },
                          { 1ull << 63, n },
                          { (1ull << 48) + A, n },
                          { (1ull << 28) + A, n } };

            for (unsigned k = 0; k < ARRAY_COUNT(wrong); k++)
                EQ(hand_one(l, IO_WRITE, 0, wrong[k].lba, wrong[k].blocks).status, IO_REFUSED);
            for (uint32_t op = IO_FLUSH + 1; op < 0x10000; op = 2 * op + 1)
                EQ(hand_one(l, (enum io_op)op, 0, A, n).status, IO_REFUSED);
            EQ(hand_one(l, (enum io_op)0x100, 0, A, n).status, IO_REFUSED);
            EQ(hand_one(l, (enum io_op)0x101, 0, A, n).status, IO_REFUSED);
            EQ(hand_one(l, IO_FLUSH, 0, 1, 0).status, IO_REFUSED);
            EQ(hand_one(l, IO_FLUSH, 0, 0, 1).status, IO_REFUSED);
            EQ(seen()->writes, 0);
            EQ(seen()->flushes, 0);
            hand_write(l, 0, A, n, 1);
            hand_write(l, 0, B - n, n, 1);
            rig_lane_down(l);
        }
}

TEST(a_lane_for_reading_neither_writes_nor_flushes)
{
    for (unsigned way = 0; way < WAYS; way++) {
        struct io_lane *w = up(way, 2, 4096, 0, 1000);
        struct io_lane *r = hand_open(rig_disk(0), w->depth, 4096, true);

        EQ(hand_one(r, IO_WRITE, 0, 0, 8).status, IO_REFUSED);
        EQ(hand_one(r, IO_WRITE, 0, 8, 1).status, IO_REFUSED);
        EQ(hand_one(r, IO_FLUSH, 0, 0, 0).status, IO_REFUSED);
        EQ(seen()->writes, 0);
        EQ(seen()->flushes, 0);
        r->disk->ops->close(r);
        hand_write(w, 0, 0, 8, 1);
        rig_lane_down(w);
    }
}

TEST(a_flush_drains_the_queue_and_nothing_overtakes_it)
{
    struct io_lane *l = up(QUEUED, 32, 4096, 0, 1 << 20);
    struct io_lane *other = hand_open(rig_disk(0), 32, 4096, true);
    struct io_completion c[32];
    unsigned flushes = 0, answers = 0;

    rig.m.port[0].drive.latency_ns = 20000;
    rig.m.port[0].drive.ooo_step_ns = 3000;
    /* The model cries out when queued and other commands meet. */
    for (unsigned round = 0; round < 40; round++) {
        struct io_request r[8];

        for (uint16_t i = 0; i < 8; i++) {
            bool flush = i == round % 8;
            r[i] = (struct io_request){ .lba = flush ? 0 : 8 * i,
                                        .blocks = flush ? 0 : 8,
                                        .slot = i,
                                        .op = flush             ? IO_FLUSH
                                              : (round + i) & 1 ? IO_WRITE
                                                                : IO_READ };
        }
        EQ(l->disk->ops->submit(l, r, 8), 8);
        for (uint16_t i = 0; i < 4; i++)
            r[i] = (struct io_request){ .lba = 8 * i + 4000, .blocks = 8, .slot = i };
        EQ(l->disk->ops->submit(other, r, 4), 4);
        l->disk->ops->kick(l);
        l->disk->ops->kick(other);
        unsigned n = 0, m = 0;
        bool flushed = false;
        for (uint64_t end_ns = model_clock_ns + NS_PER_S; n + m < 12 && model_clock_ns < end_ns;) {
            unsigned got = l->disk->ops->poll(l, c, 32);
            for (unsigned k = 0; k < got; k++) {
                EQ(c[k].status, IO_OK);
                flushed |= c[k].slot == round % 8;
                /* What came after the flush in this lane is answered after it. */
                if (c[k].slot > round % 8)
                    CHECK(flushed);
            }
            n += got;
            m += l->disk->ops->poll(other, c, 32);
            model_advance_ns(1000);
        }
        EQ(n, 8);
        EQ(m, 4);
        flushes++;
        answers += n + m;
    }
    EQ(seen()->flushes, flushes);
    EQ(seen()->opcodes[0xea], flushes);
    EQ(answers, 480);
    /* And it is queued again. */
    hand_write(l, 0, 0, 8, 1);
    EQ(seen()->writes, seen()->queued_writes);
    other->disk->ops->close(other);
    rig_lane_down(l);
}

TEST(a_flood_of_reads_does_not_keep_a_flush_waiting)
{
    struct io_lane *l = up(QUEUED, 4, 4096, 0, 1000);
    struct io_lane *other = hand_open(rig_disk(0), 32, 4096, true);
    struct io_completion c[32], mine = { .status = IO_STATUS_COUNT };
    unsigned answered = 0;

    rig.m.port[0].drive.latency_ns = 20000;
    rig.m.port[0].drive.ooo_step_ns = 3000;
    for (uint16_t i = 0; i < 32; i++)
        hand_send(other, i, 8 * i, 8);
    hand_submit(l, IO_FLUSH, 0, 0, 0);
    while (!l->disk->ops->poll(l, &mine, 1)) {
        unsigned n = other->disk->ops->poll(other, c, 32);
        for (unsigned i = 0; i < n; i++)
            hand_send(other, c[i].slot, 8 * c[i].slot, 8);
        answered += n;
        CHECK(answered <= 64);
        model_advance_ns(1000);
    }
    EQ(mine.status, IO_OK);
    EQ(hand_wait(other, c, 32), 32);
    other->disk->ops->close(other);
    rig_lane_down(l);
}

TEST(a_flush_keeps_what_was_answered_over_a_power_cut)
{
    static const uint8_t opcode[WAYS] = { 0xea, 0xea, 0xe7 };

    for (unsigned way = 0; way < WAYS; way++) {
        struct io_lane *l = up(way, 2, 4096, 0, 1000);

        HAS_STR(l->disk->settings, "write cache on");
        hand_write(l, 0, 0, 8, 1);
        EQ(hand_one(l, IO_FLUSH, 0, 0, 0).status, IO_OK);
        EQ(seen()->opcodes[opcode[way]], 1);
        hand_write(l, 0, 0, 8, 2);
        hand_write(l, 0, 80, 8, 2);
        medium_power_cut(&rig.m.medium);
        CHECK(rig_holds(l->disk, 0, 8, 1));
        CHECK(!medium_read(&rig.m.medium, 0, 80));
        rig_lane_down(l);
    }
}

static int reset_of(struct io_lane *l)
{
    char words[100];
    struct text instead = text_over(words, sizeof words);

    return l->disk->ops->reset(l, &instead);
}

TEST(a_reset_on_request_keeps_the_drive_and_what_it_holds_and_is_no_sign_of_trouble)
{
    for (unsigned way = 0; way < WAYS; way++) {
        struct io_lane *l = up(way, 2, 4096, 0, 1000);

        hand_write(l, 0, 0, 8, 1);
        for (unsigned i = 1; i <= 5; i++) { /* more often than recovery may */
            unsigned long before = seen()->comresets;
            EQ(reset_of(l), OK);
            EQ(seen()->comresets, before + 1);
        }
        memset(lane_data(l, 0), 0, 4096);
        EQ(hand_one(l, IO_READ, 0, 0, 8).status, IO_OK);
        CHECK(hand_has_stamp(l, 0, 0, 8, 1));
        hand_write(l, 0, 80, 8, 2);
        CHECK(rig_holds(l->disk, 80, 8, 2));
        EQ(l->disk->fault.err, OK);
        CHECK(rig_has_remark("reset on request"));
        rig_lane_down(l);
    }
}

TEST(a_reset_on_request_touches_nothing_while_anything_else_is_open_or_in_flight)
{
    struct io_lane *l = up(QUEUED, 2, 4096, 0, 1000), *other;
    const struct lane_shape shape = { .depth = 1, .request_bytes = 4096 };
    unsigned long before = seen()->comresets;
    struct io_completion c;

    EQ(l->disk->ops->open(l->disk, &shape, &other), OK);
    EQ(reset_of(l), E_AGAIN);
    other->disk->ops->close(other);
    hand_submit(l, IO_READ, 1, 0, 8);
    EQ(reset_of(l), E_AGAIN);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.status, IO_OK);
    EQ(seen()->comresets, before);
    rig_lane_down(l);
}

TEST(another_drive_behind_the_port_after_a_reset_on_request_is_never_used)
{
    struct io_lane *l = up(SINGLE, 1, 4096, 0, 1000);

    strcpy(rig.m.port[0].drive.serial_after_comreset, "ANOTHER");
    EQ(reset_of(l), E_GONE);
    CHECK(l->dead && l->disk->fault.err == E_GONE);
    EQ(reset_of(l), E_GONE);
    rig_lane_down(l);
}

TEST(a_bad_write_among_32_is_named_by_the_log_and_the_others_are_written)
{
    struct io_lane *l = up(QUEUED, 32, 4096, 0, 1000);
    struct io_request r[32];
    struct io_completion c[32];
    unsigned bad = 0;

    medium_add_fault(&rig.m.medium, MEDIUM_WRITE_ERROR, 0, 83, 1, 0, 0);
    rig.m.port[0].drive.latency_ns = 10000;
    rig.m.port[0].drive.ooo_step_ns = 1000;
    for (uint16_t i = 0; i < 32; i++) {
        hand_stamp(l, i, 8 * i, 8, 1);
        r[i] = (struct io_request){ .lba = 8 * i, .blocks = 8, .slot = i, .op = IO_WRITE };
    }
    EQ(l->disk->ops->submit(l, r, 32), 32);
    l->disk->ops->kick(l);
    EQ(hand_wait(l, c, 32), 32);
    for (unsigned i = 0; i < 32; i++) {
        if (c[i].status == IO_OK) {
            CHECK(rig_holds(l->disk, 8 * c[i].slot, 8, 1));
            continue;
        }
        bad++;
        EQ(c[i].slot, 10);
        EQ(c[i].status, IO_MEDIA_ERROR);
        EQ(c[i].error_lba, 83);
    }
    EQ(bad, 1);
    EQ(seen()->opcodes[0x2f], 1);
    EQ(seen()->comresets, 0);
    rig_lane_down(l);
}

TEST(without_a_log_the_bad_write_is_found_one_by_one)
{
    struct io_lane *l = up(QUEUED, 8, 4096, 0, 1000);
    struct io_request r[8];
    struct io_completion c[8];

    rig.m.port[0].drive.log10 = MODEL_AHCI_LOG10_ABORTED;
    medium_add_fault(&rig.m.medium, MEDIUM_WRITE_ERROR, 0, 19, 1, 0, 0);
    for (uint16_t i = 0; i < 8; i++) {
        hand_stamp(l, i, 8 * i, 8, 1);
        r[i] = (struct io_request){ .lba = 8 * i, .blocks = 8, .slot = i, .op = IO_WRITE };
    }
    EQ(l->disk->ops->submit(l, r, 8), 8);
    l->disk->ops->kick(l);
    EQ(hand_wait(l, c, 8), 8);
    for (unsigned i = 0; i < 8; i++) {
        EQ(c[i].status, c[i].slot == 2 ? IO_MEDIA_ERROR : IO_OK);
        if (c[i].slot != 2)
            CHECK(rig_holds(l->disk, 8 * c[i].slot, 8, 1));
    }
    CHECK(seen()->opcodes[0x35] > 0);
    rig_lane_down(l);
}

TEST(a_write_that_is_not_answered_is_never_sent_again_and_those_beside_it_are_lost)
{
    for (unsigned way = 0; way < WAYS; way++) {
        struct io_lane *l = up(way, 2, 4096, 0, 1000);
        struct io_completion c[2], late;

        rig.m.port[0].drive.nth_lost = seen()->transfers + 1;
        rig.m.port[0].drive.latency_ns = way == QUEUED ? 3600 * NS_PER_S : 1000;
        hand_submit(l, IO_WRITE, 0, 0, 8);
        if (l->depth > 1)
            hand_submit(l, IO_WRITE, 1, 8, 8);
        model_advance_ns(31 * NS_PER_S);
        EQ(l->disk->ops->poll(l, c, 2), 0);
        rig.m.port[0].drive.latency_ns = 1000;
        l->disk->ops->expire(l, 0);
        EQ(l->disk->ops->poll(l, c, 2), l->depth);
        late = c[0].slot == 0 ? c[0] : c[1];
        EQ(late.status, IO_TIMED_OUT);
        if (l->depth > 1)
            EQ((c[0].slot == 0 ? c[1] : c[0]).status, IO_LOST);
        model_advance_ns(NS_PER_S);
        EQ(l->disk->ops->poll(l, c, 2), 0);
        EQ(seen()->writes, l->depth);
        CHECK(!medium_read(&rig.m.medium, 0, 0));
        hand_write(l, 0, 0, 8, 2);
        EQ(hand_one(l, IO_FLUSH, 0, 0, 0).status, IO_OK);
        rig_lane_down(l);
    }
}

TEST(after_an_error_of_the_link_writes_are_lost_and_reads_repeated)
{
    struct io_lane *l = up(QUEUED, 4, 4096, 0, 1000);
    struct io_completion c[4];

    rig.m.port[0].drive.latency_ns = 100000;
    rig.m.port[0].drive.nth_interface_error = seen()->transfers + 4;
    for (uint16_t i = 0; i < 4; i++)
        hand_submit(l, i & 1 ? IO_WRITE : IO_READ, i, 8 * i, 8);
    EQ(hand_wait(l, c, 4), 4);
    for (unsigned i = 0; i < 4; i++)
        EQ(c[i].status, c[i].slot & 1 ? IO_LOST : IO_OK);
    EQ(seen()->writes, 2);
    rig_lane_down(l);
}

TEST(a_failed_or_silent_flush_comes_back_as_such)
{
    char words[128];

    for (unsigned way = 0; way < WAYS; way++) {
        struct io_lane *l = up(way, 2, 4096, 0, 1000);
        struct io_completion c;
        struct text t = text_over(words, sizeof words);

        medium_add_fault(&rig.m.medium, MEDIUM_FLUSH_ERROR, 0, 0, 0, 1, 0x104);
        c = hand_one(l, IO_FLUSH, 0, 0, 0);
        EQ(c.status, IO_DEVICE_ERROR);
        l->disk->ops->status_words(c.detail, &t);
        HAS_STR(words, "device fault");
        EQ(hand_one(l, IO_FLUSH, 0, 0, 0).status, IO_OK);
        hand_write(l, 0, 8, 8, 1);
        rig_lane_down(l);
    }
}

TEST(a_write_protected_drive_and_a_locked_one)
{
    struct io_lane *l = up(QUEUED, 2, 4096, 0, 1000);

    EQ(hand_one(l, IO_READ, 0, 0, 8).status, IO_OK);
    rig.m.medium.write_protected = true;
    EQ(hand_one(l, IO_WRITE, 0, 0, 8).status, IO_DEVICE_ERROR);
    rig_lane_down(l);

    rig_plug();
    rig_plug_disk(0)->security_locked = true;
    rig_up();
    CHECK(!rig.c->disks[0]->ops);
    rig_down();
    /* "Frozen" protects only the security commands. */
    rig_plug();
    rig_plug_disk(0)->security_frozen = true;
    rig_up();
    HAS_STR(rig.c->disks[0]->settings, "security frozen");
    l = rig_open_writes(rig_disk(0), 1, 4096, true, 0, 100);
    hand_write(l, 0, 0, 8, 1);
    rig_lane_down(l);
}

TEST(an_expired_flush_that_still_waits_for_the_queue_lets_the_others_go_on)
{
    struct io_lane *l = up(QUEUED, 4, 4096, 0, 1000);
    struct io_completion c[4];

    rig.m.port[0].drive.latency_ns = 10 * NS_PER_S;
    hand_submit(l, IO_WRITE, 0, 0, 8);
    hand_submit(l, IO_FLUSH, 1, 0, 0);
    hand_submit(l, IO_READ, 2, 8, 8);
    l->disk->ops->expire(l, 1);
    EQ(l->disk->ops->poll(l, c, 4), 1);
    EQ(c[0].slot, 1);
    EQ(c[0].status, IO_TIMED_OUT);
    for (unsigned n = 0; n < 2;) {
        model_advance_ns(11 * NS_PER_S);
        n += l->disk->ops->poll(l, c, 4);
        CHECK(model_clock_ns < 600 * NS_PER_S);
    }
    EQ(seen()->flushes, 0);
    rig.m.port[0].drive.latency_ns = 0;
    hand_write(l, 3, 0, 8, 3);
    EQ(hand_one(l, IO_FLUSH, 0, 0, 0).status, IO_OK);
    rig_lane_down(l);
}

TEST(the_faults_of_the_medium_reach_the_reader)
{
    static const enum medium_fault_kind kind[] = { MEDIUM_DROPPED, MEDIUM_STALE, MEDIUM_TORN,
                                                   MEDIUM_ALTERED };

    for (unsigned i = 0; i < ARRAY_COUNT(kind); i++) {
        struct io_lane *l = up(QUEUED, 2, 4096, 0, 1000);

        hand_write(l, 0, 80, 8, 1);
        medium_add_fault(&rig.m.medium, kind[i], 0, 83, 1, 1, 0);
        hand_write(l, 0, 80, 8, 2);
        EQ(hand_one(l, IO_READ, 1, 80, 8).status, IO_OK);
        CHECK(hand_has_stamp(l, 1, 80, 3, 2));
        CHECK(!hand_has_stamp(l, 1, 80, 8, 2));
        rig_lane_down(l);
    }
}

static unsigned long table_writes(void) { return seen()->writes; }
static void table_permit(const struct disk *d)
{
    (void)d;
    rig.writes = true;
    medium_permit(&rig.m.medium, 0, GATE_TABLE_A, GATE_TABLE_B - GATE_TABLE_A);
}

TEST(no_write_goes_around_the_gate_by_the_table_of_all_drivers)
{
    for (unsigned way = 0; way < WAYS; way++) {
        rig_plug();
        struct model_ahci_drive *d = rig_plug_disk(0);
        d->queue_depth = way == QUEUED ? 32 : 0;
        d->lba28_only = way == LBA28;
        rig_up();
        gate_table_run(&(struct gate_table){ rig_disk(0), table_writes, table_permit });
        rig_down();
    }
}
