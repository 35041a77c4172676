#ifndef TESTS_FUZZ_LANES_H
#define TESTS_FUZZ_LANES_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "disk.h"
#include "platform_model.h"
#include "text.h"

/* What the fuzz targets of lanes-and-registers drivers share: the input, a script of lies about single
 * register reads and DMA writes, and a user who opens lanes, reads, waits, gives up and closes.  Included
 * once by each target, since a target is one file.
 *
 * What must hold whatever the device does: no crash, no leak, no endless loop, every slot comes back exactly
 * once, nothing but harmless commands reaches the device.  A device that told no lie to a register or to
 * memory leads to no violation, and a read that ended well has the medium's data. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(cond)                                                                                        \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            broken(#cond);                                                                                   \
    } while (0)

static void broken(const char *what)
{
    fprintf(stderr, "broken: %s\nfirst violation: %s\nlast log line: %s\n", what, model_first_violation(),
            model_last_log());
    abort();
}

/* ---- the input ---- */
static const uint8_t *in;
static size_t in_left;

static uint8_t take8(void)
{
    if (!in_left)
        return 0;
    in_left--;
    return *in++;
}
static uint32_t take16(void)
{
    uint32_t low = take8();

    return low | (uint32_t)take8() << 8;
}
static uint32_t take32(void)
{
    uint32_t low = take16();

    return low | take16() << 16;
}

/* ---- the script ---- */
enum event { REG_VALUE, REG_XOR, REG_ONES, REG_STICKS, UNPLUG, DMA_XOR, DMA_FILL, DMA_DROP, EVENT_COUNT };
static struct {
    bool any;
    enum event event;
    uint32_t after, value; /* accesses of that kind until it happens */
    uint16_t at;
} next;
static bool lied;
static struct {
    bool on;
    uint32_t off;
    uint64_t value;
} stuck;
static const struct model_device_ops *true_ops;
static struct model_host true_host;
static struct pci_fn *fn;

static void read_script(void)
{
    next.any = in_left != 0;
    if (!next.any)
        return;
    next.event = take8() % EVENT_COUNT;
    next.after = take16();
    next.at = (uint16_t)take16();
    next.value = take32();
}

static bool due(bool is_dma)
{
    if (!next.any || is_dma != (next.event >= DMA_XOR) || next.after--)
        return false;
    return lied = true;
}

static uint64_t lying_read(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    uint64_t v = true_ops->read(dev, bar, off, bytes);
    enum event event = next.event;
    uint32_t value = next.value;

    if (!due(false))
        return stuck.on && off == stuck.off ? stuck.value : v;
    read_script();
    switch (event) {
    case REG_VALUE:
        return value;
    case REG_XOR:
        return v ^ value;
    case REG_STICKS:
        stuck.on = !stuck.on;
        stuck.off = off;
        return stuck.value = value & 1 ? v : value;
    case UNPLUG:
        model_unplug(fn);
        return UINT64_MAX;
    default:
        return UINT64_MAX;
    }
}

static bool lying_dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    static uint8_t copy[4096];
    enum event event = next.event;
    uint32_t value = next.value;
    uint16_t at = next.at;

    if (n > sizeof copy || !n || !due(true))
        return true_host.dma_write(ctx, bus, src, n);
    read_script();
    if (event == DMA_DROP)
        return true;
    memcpy(copy, src, n);
    if (event == DMA_FILL)
        memset(copy, (int)value, n);
    for (unsigned i = 0; event == DMA_XOR && i < 4; i++)
        copy[(at + i) % n] ^= (uint8_t)(value >> (8 * i));
    return true_host.dma_write(ctx, bus, copy, n);
}

/* ---- the user ---- */
enum { MAX_DEPTH = 24, MAX_LANES = 4, ROUNDS = 30 };
struct use {
    struct disk *disk;
    struct io_lane *lane;
    bool busy[MAX_DEPTH];
    uint64_t lba[MAX_DEPTH];
    uint32_t blocks[MAX_DEPTH];
    unsigned in_flight;
};
/* The target's: the medium's content. */
static void pattern_of(const struct disk *d, uint64_t lba, uint8_t *out);

static void check_data(const struct use *u, unsigned slot)
{
    static uint8_t want[4096];
    const uint8_t *got = lane_data(u->lane, slot);

    if (u->disk->lba_bytes > sizeof want)
        return;
    for (uint32_t b = 0; b < u->blocks[slot]; b++) {
        pattern_of(u->disk, u->lba[slot] + b, want);
        REQUIRE(!memcmp(got + (size_t)b * u->disk->lba_bytes, want, u->disk->lba_bytes));
    }
}

static void take_completions(struct use *u, unsigned max)
{
    struct io_completion c[MAX_DEPTH];
    unsigned n = u->disk->ops->poll(u->lane, c, max);

    REQUIRE(n <= max);
    for (unsigned i = 0; i < n; i++) {
        char words[80];
        struct text t = text_over(words, sizeof words);

        REQUIRE(c[i].slot < u->lane->depth && u->busy[c[i].slot] && c[i].status < IO_STATUS_COUNT);
        u->busy[c[i].slot] = false;
        u->in_flight--;
        u->disk->ops->status_words(c[i].detail, &t);
        if (!lied && c[i].status == IO_OK && u->lane->buffer_per_slot)
            check_data(u, c[i].slot);
    }
}

static void submit_some(struct use *u, uint8_t how)
{
    struct io_request r[4];
    unsigned n = 0, limit = 1 + (how & 3);

    for (uint16_t slot = 0; slot < u->lane->depth && n < limit; slot++) {
        uint32_t most = u->lane->request_bytes / u->disk->lba_bytes;

        if (u->busy[slot])
            continue;
        u->blocks[slot] = how & 4 ? most : 1 + how % most;
        u->lba[slot] = (how * 977ull + slot * 13) % u->disk->lba_count;
        if (how & 8)
            u->lba[slot] = u->disk->lba_count - u->blocks[slot];
        r[n++] = (struct io_request){ .lba = u->lba[slot], .blocks = u->blocks[slot], .slot = slot };
    }
    unsigned taken = u->disk->ops->submit(u->lane, r, n);
    REQUIRE(taken <= n);
    for (unsigned i = 0; i < taken; i++)
        u->busy[r[i].slot] = true;
    u->in_flight += taken;
    u->disk->ops->kick(u->lane);
}

static void expire_all(struct use *u)
{
    for (unsigned slot = 0; slot < u->lane->depth; slot++)
        if (u->busy[slot])
            u->disk->ops->expire(u->lane, slot);
    take_completions(u, MAX_DEPTH);
}

static void use_lanes(struct use *u, unsigned count)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < count; i++) {
            if (round < ROUNDS / 2)
                submit_some(&u[i], (uint8_t)(round * 7 + i * 3));
            take_completions(&u[i], 1 + (round + i) % MAX_DEPTH);
        }
        model_advance_ns(100000);
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < 4 && u[i].in_flight; k++) {
            model_advance_ns(30 * NS_PER_S);
            take_completions(&u[i], MAX_DEPTH);
        }
    for (unsigned i = 0; i < count; i++)
        expire_all(&u[i]);
    for (unsigned i = 0; i < count; i++) {
        /* A slot of another lane may have been sent once more by the first one's ladder. */
        for (unsigned k = 0; k < 4 && u[i].in_flight; k++) {
            model_advance_ns(100000);
            take_completions(&u[i], MAX_DEPTH);
        }
        expire_all(&u[i]);
        REQUIRE(!u[i].in_flight);
        u[i].disk->ops->close(u[i].lane);
    }
}

static void use_controller(struct controller *c, uint8_t shapes)
{
    static struct use u[MAX_LANES];
    unsigned count = 0;

    REQUIRE(c->disk_count <= CONTROLLER_MAX_DISKS);
    for (unsigned i = 0; i < 2 * c->disk_count && count < MAX_LANES; i++) {
        struct disk *d = c->disks[i % c->disk_count];
        struct lane_shape shape = { .depth = (uint16_t)(1 + (shapes & 15)), .buffer_per_slot = shapes & 16 };

        if (!d->ops) {
            REQUIRE(d->why_not[0]);
            continue;
        }
        REQUIRE(d->lba_bytes >= 512 && d->lba_count && d->max_depth);
        shape.request_bytes = d->lba_bytes * (1u + (shapes >> 5) * 7);
        if (shape.request_bytes / d->lba_bytes > d->lba_count)
            continue;
        if (shape.depth > d->max_depth)
            shape.depth = d->max_depth;
        u[count] = (struct use){ .disk = d };
        if (!d->ops->open(d, &shape, &u[count].lane))
            count++;
    }
    use_lanes(u, count);
}

/* One life of the driver over a model that the target has set up. */
static inline void live(const struct controller_driver *driver, const struct model_device_ops *ops, void *dev,
                        struct model_host *host, uint8_t shapes, uint8_t fail_at)
{
    static struct model_device_ops lying_ops;
    struct controller *c = NULL;
    struct fault fault = { 0 };

    lying_ops = *ops;
    lying_ops.read = lying_read;
    true_ops = ops;
    fn = model_add_device(&lying_ops, dev, host);
    true_host = *host;
    host->dma_write = lying_dma_write;
    stuck.on = false;
    read_script();
    if (fail_at & 0x80)
        model_fail_alloc_at = fail_at & 0x7f;
    if (!driver->attach(fn, 0, &c, &fault)) {
        REQUIRE(c);
        use_controller(c, shapes);
        driver->detach(c);
    } else {
        REQUIRE(fault.err && fault.what);
    }
    /* What a device may still write to is kept, and that is the last thing said. */
    REQUIRE(!model_live_allocs() || strstr(model_last_log(), "its DMA memory is never used again"));
    REQUIRE(lied || !model_violations);
}

#endif
