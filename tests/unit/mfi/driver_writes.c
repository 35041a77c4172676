#include <string.h>
#include "driver_hand.h"
#include "gate_table.h"
#include "mfi_path.h"

/* Writes and flushes of virtual drives and exposed drives, on every generation. */

enum { LD_BLOCKS = 1 << 20, JBOD_UNIT = 0x100 + 9 };

static void two_disks(enum model_mfi_generation g)
{
    world(g);
    model_mfi_add_ld(&mfi, 3, LD_BLOCKS)->medium.naa = 0x600605b000000001;
    model_mfi_add_pd(&mfi, 9, 5, MODEL_MFI_PD_SYSTEM)->medium.naa = 0x5000c50000000009;
    model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_ONLINE);
    EQ(up(), OK);
}

/* The virtual drive, or the exposed one. */
static struct disk *which(bool jbod)
{
    for (unsigned i = 0; i < card->disk_count; i++)
        if (card->disks[i]->ops && (card->disks[i]->kind == DISK_PHYSICAL_BEHIND_RAID) == jbod)
            return card->disks[i];
    return NULL;
}

static unsigned unit_of(bool jbod) { return jbod ? JBOD_UNIT : 3; }

#define EACH                                                                                                 \
    for (unsigned gen = 0; gen < MODEL_MFI_ALL; gen++)                                                       \
        for (unsigned jbod = 0; jbod < 2; jbod++)

TEST(an_unarmed_disk_gets_no_lane_that_writes)
{
    EACH
    {
        const struct lane_shape shape = { .depth = 2, .writes = true, .request_bytes = 4096 };
        struct io_lane *l;

        two_disks(gen);
        struct disk *d = which(jbod);
        if (d) {
            model_fail_alloc_at = model_alloc_count; /* it is refused before anything else is done */
            EQ(d->ops->open(d, &shape, &l), E_REFUSED);
            model_fail_alloc_at = -1;
            EQ(gate_arm("another", 0, 100), OK);
            EQ(d->ops->open(d, &shape, &l), E_REFUSED);
            EQ(gate_arm(d->identity, d->lba_count, 100), OK);
            EQ(d->ops->open(d, &shape, &l), E_REFUSED);
            CHECK(!l);
        }
        EQ(mfi.seen.writes, 0);
        down();
    }
}

TEST(a_card_is_not_reset_on_request_and_says_what_stands_in_its_place)
{
    const struct lane_shape shape = { .depth = 1, .request_bytes = 4096 };
    char words[200];
    struct text instead = text_over(words, sizeof words);
    struct io_lane *l;

    two_disks(0);
    EQ(which(false)->ops->open(which(false), &shape, &l), OK);
    EQ(l->disk->ops->reset(l, &instead), E_UNSUPPORTED);
    HAS_STR(words, "is not reset");
    HAS_STR(words, "was flushed");
    l->disk->ops->close(l);
    down();
}

TEST(a_member_of_an_array_can_never_be_written)
{
    for (unsigned g = 0; g < MODEL_MFI_ALL; g++) {
        two_disks(g);
        for (unsigned i = 0; i < card->disk_count; i++)
            if (card->disks[i]->kind == DISK_PHYSICAL_BEHIND_RAID && card->disks[i] != which(true))
                CHECK(!card->disks[i]->ops);
        down();
    }
}

TEST(what_was_written_reads_back_on_every_generation)
{
    static const uint32_t sizes[] = { 512, 4096, 65536, 1 << 20 };
    unsigned exposed = 0;

    EACH for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++)
    {
        uint32_t blocks = sizes[i] / 512;

        two_disks(gen);
        struct disk *d = which(jbod);
        if (!d) {
            down();
            continue;
        }
        exposed += jbod;
        struct io_lane *l = open_writes(d, 3, sizes[i], unit_of(jbod), 1001, 3 * blocks + 1);
        for (unsigned slot = 0; slot < 3; slot++)
            hand_write(l, slot, 1001 + slot * blocks, blocks, slot + 1);
        for (unsigned slot = 0; slot < 3; slot++) {
            CHECK(holds(l, unit_of(jbod), 1001 + slot * blocks, blocks, slot + 1));
            memset(lane_data(l, slot), 0, sizes[i]);
            EQ(hand_one(l, IO_READ, slot, 1001 + slot * blocks, blocks).status, IO_OK);
            CHECK(hand_has_stamp(l, slot, 1001 + slot * blocks, blocks, slot + 1));
        }
        EQ(hand_one(l, IO_FLUSH, 1, 0, 0).status, IO_OK);
        /* And the frames that flushed read and write again. */
        for (unsigned k = 0; k < 600; k++) {
            hand_write(l, k % 3, 1001, 1, k & 0xff);
            EQ(hand_one(l, IO_READ, (k + 1) % 3, 1001, 1).status, IO_OK);
            CHECK(hand_has_stamp(l, (k + 1) % 3, 1001, 1, k & 0xff));
            if (k % 50 == 0)
                EQ(hand_one(l, IO_FLUSH, k % 3, 0, 0).status, IO_OK);
        }
        d->ops->close(l);
        down();
    }
    CHECK(exposed > 0);
}

TEST(nothing_outside_the_armed_range_reaches_the_card)
{
    enum { A = 1000, B = 20000 };
    static const uint32_t sizes[] = { 1, 8, 5000 };

    EACH for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++)
    {
        uint32_t n = sizes[i];

        two_disks(gen);
        struct disk *d = which(jbod);
        if (!d) {
            down();
            continue;
        }
        uint64_t end = d->lba_count;
        struct io_lane *l = open_writes(d, 2, 512 * n, unit_of(jbod), A, B - A);
        const struct {
            uint64_t lba;
            uint32_t blocks;
        } wrong[] = { { A - 1, n },      { A - 1, 1 },      { B, n },          { B, 1 },
                      { B - n + 1, n },  { end, 1 },        { end - n, n },    { UINT64_MAX - n + 1, n },
                      { UINT64_MAX, 1 }, { A, 0 },          { A, n + 1 },      { A, 0x01000001 },
                      { 0, n },          { A, UINT32_MAX }, { 1ull << 63, n }, { (1ull << 32) + A, n } };
        for (unsigned k = 0; k < ARRAY_COUNT(wrong); k++)
            EQ(hand_one(l, IO_WRITE, 0, wrong[k].lba, wrong[k].blocks).status, IO_REFUSED);
        for (uint32_t op = IO_FLUSH + 1; op < 0x10000; op = 2 * op + 1)
            EQ(hand_one(l, (enum io_op)op, 0, A, n).status, IO_REFUSED);
        EQ(hand_one(l, (enum io_op)0x101, 0, A, n).status, IO_REFUSED);
        EQ(hand_one(l, IO_FLUSH, 0, 1, 0).status, IO_REFUSED);
        EQ(hand_one(l, IO_FLUSH, 0, 0, 1).status, IO_REFUSED);
        EQ(mfi.seen.writes, 0);
        EQ(mfi.seen.flushes, 0);
        hand_write(l, 0, A, n, 1);
        hand_write(l, 1, B - n, n, 1);
        struct io_lane *r = hand_open(d, 2, 4096, true);
        unsigned long seen = mfi.seen.writes;
        EQ(hand_one(r, IO_WRITE, 0, A, 8).status, IO_REFUSED);
        EQ(hand_one(r, IO_WRITE, 1, A, 1).status, IO_REFUSED);
        EQ(hand_one(r, IO_FLUSH, 1, 0, 0).status, IO_REFUSED);
        EQ(mfi.seen.writes, seen);
        EQ(mfi.seen.flushes, 0);
        d->ops->close(r);
        d->ops->close(l);
        down();
    }
}

TEST(reads_writes_and_flushes_share_a_batch_on_every_generation)
{
    EACH
    {
        struct io_request r[9];
        struct io_completion c[9];

        two_disks(gen);
        struct disk *d = which(jbod);
        if (!d) {
            down();
            continue;
        }
        mfi.ooo_step_ns = 3000;
        struct io_lane *l = open_writes(d, 9, 4096, unit_of(jbod), 0, 1000);
        for (unsigned round = 0; round < 30; round++) {
            for (uint16_t i = 0; i < 9; i++) {
                bool flush = i == round % 9, write = (round + i) & 1;
                r[i] = (struct io_request){ .lba = flush ? 0 : 8 * i,
                                            .blocks = flush ? 0 : 8,
                                            .slot = i,
                                            .op = flush   ? IO_FLUSH
                                                  : write ? IO_WRITE
                                                          : IO_READ };
                if (write)
                    hand_stamp(l, i, 8 * i, 8, round);
            }
            EQ(d->ops->submit(l, r, 9), 9);
            d->ops->kick(l);
            EQ(hand_wait_ms(l, c, 9, 1000), 9);
            for (unsigned i = 0; i < 9; i++) {
                EQ(c[i].status, IO_OK);
                if (r[i].op == IO_WRITE)
                    CHECK(holds(l, unit_of(jbod), 8 * i, 8, round));
            }
        }
        EQ(mfi.seen.flushes, 30);
        d->ops->close(l);
        down();
    }
}

TEST(a_power_cut_takes_what_was_not_flushed)
{
    EACH
    {
        two_disks(gen);
        struct disk *d = which(jbod);
        if (!d) {
            down();
            continue;
        }
        struct io_lane *l = open_writes(d, 2, 4096, unit_of(jbod), 0, 1000);
        hand_write(l, 0, 0, 8, 1);
        EQ(hand_one(l, IO_FLUSH, 0, 0, 0).status, IO_OK);
        hand_write(l, 0, 0, 8, 2);
        medium_power_cut(&mfi.medium);
        CHECK(holds(l, unit_of(jbod), 0, 8, 1));
        d->ops->close(l);
        down();
    }
}

TEST(failed_writes_and_flushes_are_told)
{
    EACH
    {
        two_disks(gen);
        struct disk *d = which(jbod);
        if (!d) {
            down();
            continue;
        }
        struct io_lane *l = open_writes(d, 2, 4096, unit_of(jbod), 0, 1000);
        medium_add_fault(&mfi.medium, MEDIUM_WRITE_ERROR, unit_of(jbod), 83, 1, 1, 0);
        medium_add_fault(&mfi.medium, MEDIUM_FLUSH_ERROR, unit_of(jbod), 0, 0, 1, 0);
        struct io_completion c = hand_one(l, IO_WRITE, 0, 80, 8);
        EQ(c.status, IO_MEDIA_ERROR);
        EQ(c.error_lba, 80);
        c = hand_one(l, IO_FLUSH, 1, 0, 0);
        CHECK(c.status == IO_DEVICE_ERROR || c.status == IO_MEDIA_ERROR);
        hand_write(l, 0, 80, 8, 1);
        EQ(hand_one(l, IO_FLUSH, 1, 0, 0).status, IO_OK);
        mfi.medium.write_protected = true;
        EQ(hand_one(l, IO_WRITE, 0, 80, 8).status, IO_DEVICE_ERROR);
        d->ops->close(l);
        down();
    }
}

TEST(a_write_that_is_not_answered_is_never_sent_again)
{
    for (unsigned g = 0; g < MODEL_MFI_ALL; g++) {
        struct io_completion c[2];

        two_disks(g);
        struct disk *d = which(false);
        struct io_lane *l = open_writes(d, 2, 4096, 3, 0, 1000);
        mfi.nth_lost = mfi.seen.transfers + 1;
        const struct io_request r = { .lba = 0, .blocks = 8, .slot = 1, .op = IO_WRITE };
        EQ(d->ops->submit(l, &r, 1), 1);
        d->ops->kick(l);
        model_advance_ns(181 * NS_PER_S);
        EQ(d->ops->poll(l, c, 2), 0);
        d->ops->expire(l, 1);
        EQ(d->ops->poll(l, c, 2), 1);
        EQ(c[0].status, IO_TIMED_OUT);
        EQ(mfi.seen.writes, 1);
        CHECK(!medium_read(&mfi.medium, 3, 0));
        d->ops->close(l);
        down();
    }
}

static unsigned table_unit;
static unsigned long table_writes(void) { return mfi.seen.writes; }
static void table_permit(const struct disk *d)
{
    (void)d;
    medium_permit(&mfi.medium, table_unit, GATE_TABLE_A, GATE_TABLE_B - GATE_TABLE_A);
}

TEST(no_write_goes_around_the_gate_by_the_table_of_all_drivers)
{
    EACH
    {
        two_disks(gen);
        struct disk *d = which(jbod);
        table_unit = unit_of(jbod);
        if (d)
            gate_table_run(&(struct gate_table){ d, table_writes, table_permit });
        down();
    }
}
