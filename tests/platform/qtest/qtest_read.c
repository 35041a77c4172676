#include "qtest_read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "gate.h"
#include "platform_qtest.h"

enum { DEADLINE_S = 30 };
static char words[200];

/* Polls until something comes back; 0 after the deadline. */
static unsigned wait_some(struct io_lane *l, struct io_completion *c, unsigned max)
{
    uint64_t end_ns = plat_now_ns() + DEADLINE_S * NS_PER_S;
    unsigned n;

    while (!(n = l->disk->ops->poll(l, c, max)) && plat_now_ns() < end_ns)
        plat_relax();
    return n;
}

static const char *compare_slot(struct io_lane *l, unsigned slot, const char *image, uint64_t offset,
                                uint32_t bytes)
{
    void *want = malloc(bytes);
    const char *why = NULL;

    qtest_disk_read(image, offset, want, bytes);
    if (memcmp(want, lane_data(l, slot), bytes)) {
        snprintf(words, sizeof words, "%s: %u bytes at offset %llu are not what the image holds",
                 l->disk->name, bytes, (unsigned long long)offset);
        why = words;
    }
    free(want);
    return why;
}

static const char *compare_through(struct io_lane *l, const char *image, uint64_t first_lba, uint64_t bytes,
                                   uint32_t request_bytes)
{
    struct disk *d = l->disk;
    uint64_t sent = 0, done = 0, offset_of[256];
    uint32_t bytes_of[256];
    struct io_completion c[64];
    unsigned in_flight = 0, next_slot = 0;

    while (done < bytes) {
        for (; sent < bytes && in_flight < l->depth; in_flight++, next_slot = (next_slot + 1) % l->depth) {
            uint32_t n = (uint32_t)min_u64(request_bytes, bytes - sent);
            struct io_request r = { .lba = first_lba + sent / d->lba_bytes,
                                    .blocks = n / d->lba_bytes,
                                    .slot = (uint16_t)next_slot };

            if (!d->ops->submit(l, &r, 1))
                break;
            offset_of[next_slot] = first_lba * d->lba_bytes + sent;
            bytes_of[next_slot] = n;
            sent += n;
        }
        d->ops->kick(l);
        unsigned got = wait_some(l, c, 1);
        if (!got)
            return "no completion within 30 s";
        if (c[0].status != IO_OK)
            return io_status_text(c[0].status);
        const char *why = compare_slot(l, c[0].slot, image, offset_of[c[0].slot], bytes_of[c[0].slot]);
        if (why)
            return why;
        done += bytes_of[c[0].slot];
        in_flight--;
        next_slot = c[0].slot;
    }
    return NULL;
}

const char *qtest_compare(struct disk *d, const char *image, uint64_t first_lba, uint64_t bytes,
                          uint16_t depth, uint32_t request_bytes)
{
    struct lane_shape shape = { .depth = depth, .buffer_per_slot = true, .request_bytes = request_bytes };
    struct io_lane *l;

    if (d->ops->open(d, &shape, &l))
        return "lane does not open";
    const char *why = compare_through(l, image, first_lba, bytes, request_bytes);
    d->ops->close(l);
    return why;
}

const char *qtest_compare_disk(struct disk *d, const char *image)
{
    uint64_t bytes = d->lba_count * d->lba_bytes, tail = min_u64(bytes, 64 * KIB);
    const char *why = qtest_compare(d, image, 0, 256 * KIB, 1, 4096);

    if (!why)
        why = qtest_compare(d, image, 8, 4 * MIB, 4, 1 << 20);
    if (!why)
        why = qtest_compare(d, image, 1, 8 * MIB, 1, 8 << 20);
    if (!why)
        why = qtest_compare(d, image, (bytes - tail) / d->lba_bytes, tail, 2, d->lba_bytes);
    return why;
}

enum io_status qtest_read_status(struct disk *d, uint64_t lba, uint32_t blocks)
{
    struct lane_shape shape = { .depth = 1, .request_bytes = blocks * d->lba_bytes };
    struct io_request r = { .lba = lba, .blocks = blocks };
    struct io_completion c = { .status = IO_STATUS_COUNT };
    struct io_lane *l;

    if (d->ops->open(d, &shape, &l))
        return IO_STATUS_COUNT;
    d->ops->submit(l, &r, 1);
    d->ops->kick(l);
    if (!wait_some(l, &c, 1))
        c.status = IO_STATUS_COUNT;
    d->ops->close(l);
    return (enum io_status)c.status;
}

/* ---- writes ---- */
static void stamp(uint8_t *to, uint32_t bytes, uint64_t seed)
{
    for (uint32_t i = 0; i < bytes / 8; i++) {
        uint64_t word = (seed + i + 1) * 0x9e3779b97f4a7c15ull;
        memcpy(to + 8 * i, &word, 8);
    }
}

static enum io_status run_one(struct io_lane *l, enum io_op op, uint16_t slot, uint64_t lba, uint32_t blocks)
{
    struct io_request r = { .lba = lba, .blocks = blocks, .slot = slot, .op = (uint16_t)op };
    struct io_completion c = { .status = IO_STATUS_COUNT };

    l->disk->ops->submit(l, &r, 1);
    l->disk->ops->kick(l);
    wait_some(l, &c, 1);
    return (enum io_status)c.status;
}

/* Stamps each slot's request, or reads each back. */
static const char *stamp_all(struct io_lane *l, uint64_t first_lba, uint32_t bytes, enum io_op op)
{
    uint8_t *want = malloc(bytes);
    const char *why = NULL;
    uint32_t blocks = bytes / l->disk->lba_bytes;

    for (uint16_t slot = 0; slot < l->depth && !why; slot++) {
        uint64_t lba = first_lba + slot * blocks;

        stamp(want, bytes, lba << 20 ^ bytes);
        if (op == IO_WRITE)
            memcpy(lane_data(l, slot), want, bytes);
        else
            memset(lane_data(l, slot), 0, bytes);
        if (run_one(l, op, slot, lba, blocks) != IO_OK)
            why = op == IO_WRITE ? "a write failed" : "a read failed";
        else if (memcmp(lane_data(l, slot), want, bytes))
            why = "what was written does not read back";
    }
    free(want);
    return why;
}

static const char *write_through(struct disk *d, uint64_t first_lba, uint32_t bytes)
{
    struct lane_shape shape = { .depth = d->max_depth < 3 ? d->max_depth : 3,
                                .buffer_per_slot = true,
                                .writes = true,
                                .request_bytes = bytes };
    const char *why = NULL;
    struct io_lane *l;

    for (unsigned again = 0; again < 2 && !why; again++) {
        if (d->ops->open(d, &shape, &l))
            return "a lane that writes does not open";
        if (!again)
            why = stamp_all(l, first_lba, bytes, IO_WRITE);
        if (!why && run_one(l, IO_FLUSH, 0, 0, 0) != IO_OK)
            why = "a flush failed";
        if (!why)
            why = stamp_all(l, first_lba, bytes, IO_READ);
        if (!why && run_one(l, IO_WRITE, 0, first_lba - 1, 1) != IO_REFUSED)
            why = "a write before the armed range was not refused";
        d->ops->close(l);
    }
    return why;
}

const char *qtest_write_and_compare(struct disk *d)
{
    enum { FIRST = 8 };
    const char *why;

    gate_disarm_all();
    if (gate_arm(d->identity, FIRST, d->lba_count - FIRST))
        return "the disk cannot be armed";
    why = write_through(d, FIRST, d->lba_bytes);
    if (!why)
        why = write_through(d, FIRST, 65536);
    if (!why)
        why = write_through(d, FIRST, 1 << 20);
    gate_disarm_all();
    return why;
}

struct disk *qtest_disk_of(struct controller *c, const char *name)
{
    for (unsigned i = 0; i < c->disk_count; i++)
        if (!strcmp(c->disks[i]->name, name))
            return c->disks[i];
    return NULL;
}
