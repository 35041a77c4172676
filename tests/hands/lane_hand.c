#include <string.h>
#include "bits.h"
#include "gate.h"
#include "lane_hand.h"
#include "platform_model.h"
#include "test.h"

struct io_lane *hand_open(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot)
{
    const struct lane_shape shape = { .depth = depth,
                                      .buffer_per_slot = buffer_per_slot,
                                      .request_bytes = request_bytes };
    struct io_lane *l = NULL;

    EQ(d->ops->open(d, &shape, &l), OK);
    CHECK(l);
    return l;
}

struct io_lane *hand_open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot,
                                 struct model_medium *m, uint32_t unit, uint64_t first_lba, uint64_t blocks)
{
    const struct lane_shape shape = {
        .depth = depth, .buffer_per_slot = buffer_per_slot, .writes = true, .request_bytes = request_bytes
    };
    struct io_lane *l = NULL;

    if (!gate_is_armed(d->identity, NULL, NULL))
        EQ(gate_arm(d->identity, first_lba, blocks), OK);
    medium_permit(m, unit, first_lba, blocks);
    EQ(d->ops->open(d, &shape, &l), OK);
    CHECK(l);
    return l;
}

void hand_submit(struct io_lane *l, enum io_op op, unsigned slot, uint64_t lba, uint32_t blocks)
{
    const struct io_request r = { .lba = lba, .blocks = blocks, .slot = (uint16_t)slot, .op = (uint16_t)op };

    EQ(l->disk->ops->submit(l, &r, 1), 1);
    l->disk->ops->kick(l);
}

void hand_send(struct io_lane *l, unsigned slot, uint64_t lba, uint32_t blocks)
{
    hand_submit(l, IO_READ, slot, lba, blocks);
}

unsigned hand_wait_ms(struct io_lane *l, struct io_completion *c, unsigned n, unsigned ms)
{
    uint64_t end_ns = model_clock_ns + ms * NS_PER_MS;
    unsigned got = 0;

    for (;;) {
        got += l->disk->ops->poll(l, c + got, n - got);
        if (got == n || model_clock_ns > end_ns)
            return got;
        model_advance_ns(10 * NS_PER_US);
    }
}

unsigned hand_wait(struct io_lane *l, struct io_completion *c, unsigned n)
{
    return hand_wait_ms(l, c, n, 1000);
}

struct io_completion hand_one(struct io_lane *l, enum io_op op, unsigned slot, uint64_t lba, uint32_t blocks)
{
    struct io_completion c = { .status = IO_STATUS_COUNT };

    hand_submit(l, op, slot, lba, blocks);
    hand_wait_ms(l, &c, 1, 60000);
    return c;
}

/* ---- stamps ---- */
void hand_stamp_block(uint8_t *block, uint32_t block_bytes, uint64_t lba, uint32_t pass)
{
    for (uint32_t i = 0; i < block_bytes / 8; i++) {
        uint64_t word = (lba << 20 ^ i ^ (uint64_t)pass << 56) * 0x9e3779b97f4a7c15ull;
        memcpy(block + 8 * i, &word, 8);
    }
}

static bool is_stamped(const uint8_t *got, uint32_t block_bytes, uint64_t lba, uint32_t pass)
{
    uint8_t want[4096];

    CHECK(block_bytes <= sizeof want);
    hand_stamp_block(want, block_bytes, lba, pass);
    return got && !memcmp(got, want, block_bytes);
}

static uint8_t *block_of(const struct io_lane *l, unsigned slot, uint32_t i)
{
    return lane_data(l, slot) + (size_t)i * l->disk->lba_bytes;
}

void hand_stamp(struct io_lane *l, unsigned slot, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    for (uint32_t i = 0; i < blocks; i++)
        hand_stamp_block(block_of(l, slot, i), l->disk->lba_bytes, lba + i, pass);
}

bool hand_has_stamp(const struct io_lane *l, unsigned slot, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    for (uint32_t i = 0; i < blocks; i++)
        if (!is_stamped(block_of(l, slot, i), l->disk->lba_bytes, lba + i, pass))
            return false;
    return true;
}

bool hand_medium_holds(const struct model_medium *m, uint32_t unit, uint32_t block_bytes, uint64_t lba,
                       uint32_t blocks, uint32_t pass)
{
    for (uint32_t i = 0; i < blocks; i++)
        if (!is_stamped(medium_read(m, unit, lba + i), block_bytes, lba + i, pass))
            return false;
    return true;
}

void hand_write(struct io_lane *l, unsigned slot, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    struct io_completion c;

    hand_stamp(l, slot, lba, blocks, pass);
    c = hand_one(l, IO_WRITE, slot, lba, blocks);
    EQ(c.slot, slot);
    EQ(c.status, IO_OK);
    EQ(c.detail, 0);
    EQ(c.retries, 0);
}
