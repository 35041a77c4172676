#ifndef TESTS_FUZZ_USER_H
#define TESTS_FUZZ_USER_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "disk.h"
#include "gate.h"
#include "medium.h"
#include "platform_model.h"
#include "text.h"

/* What the fuzz targets of all drivers share: the input, and a user who opens lanes, reads, writes a range
 * that is armed, flushes, waits, gives up and closes.  Included once by each target, since a target is one
 * file.
 *
 * What must hold whatever the device does: no crash, no leak, no endless loop, every slot comes back exactly
 * once, no request that reaches beyond what is armed ends well.  A read of a device that told no lie and
 * ended well has the medium's data: what is written is what the model had there. */

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

/* The last byte decides about writes, and belongs to whatever else takes it. */
static bool wants_writes;
static inline void take_input(const uint8_t *data, size_t size)
{
    in = data;
    in_left = size;
    wants_writes = size && data[size - 1] & 1;
}

/* The device did what a driver cannot see through. */
static bool lied;

/* ---- the user ---- */
enum { MAX_DEPTH = 24, MAX_LANES = 4, ROUNDS = 30, MAX_BLOCK_BYTES = 4096 };
struct use {
    struct disk *disk;
    struct io_lane *lane;
    bool writes;
    uint32_t most_blocks; /* of a request */
    uint64_t armed_lba, armed_end;
    bool busy[MAX_DEPTH];
    struct io_request asked[MAX_DEPTH];
    unsigned in_flight;
};
/* The target's: the medium's content, its store of what was written, and the disk's number there. */
static void pattern_of(const struct disk *d, uint64_t lba, uint8_t *out);
static struct model_medium *medium_of(void);
static unsigned unit_of_disk(const struct disk *d);
/* Set by a target where nothing may fail as long as the device does not lie. */
static bool all_ends_well;

static void check_data(const struct use *u, unsigned slot)
{
    static uint8_t want[MAX_BLOCK_BYTES];
    const uint8_t *got = lane_data(u->lane, slot);

    if (u->disk->lba_bytes > sizeof want)
        return;
    for (uint32_t b = 0; b < u->asked[slot].blocks; b++) {
        pattern_of(u->disk, u->asked[slot].lba + b, want);
        REQUIRE(!memcmp(got + (size_t)b * u->disk->lba_bytes, want, u->disk->lba_bytes));
    }
}

static bool may_pass(const struct use *u, const struct io_request *r)
{
    if (r->op == IO_READ)
        return r->lba < u->disk->lba_count && r->blocks <= u->disk->lba_count - r->lba;
    return u->writes && (r->op == IO_FLUSH || (r->lba >= u->armed_lba && r->lba < u->armed_end &&
                                               r->blocks <= u->armed_end - r->lba));
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
        const struct io_request *r = &u->asked[c[i].slot];
        u->busy[c[i].slot] = false;
        u->in_flight--;
        u->disk->ops->status_words(c[i].detail, &t);
        REQUIRE(c[i].status != IO_OK || may_pass(u, r));
        if (all_ends_well && !lied)
            REQUIRE(c[i].status == (may_pass(u, r) ? IO_OK : IO_REFUSED));
        if (!lied && c[i].status == IO_OK && r->op == IO_READ && u->lane->buffer_per_slot)
            check_data(u, c[i].slot);
    }
}

/* Reads of the whole disk; writes in the armed range, over its end and in front of it; flushes.  Some of each
 * also on lanes that do not write. */
static void make_request(const struct use *u, uint16_t slot, uint8_t how, struct io_request *r)
{
    uint32_t most = u->most_blocks;
    unsigned kind = wants_writes ? (how + slot) % 7 : 0;

    *r = (struct io_request){ .slot = slot, .blocks = how & 4 ? most : 1 + how % most };
    r->lba = (how * 977ull + slot * 13) % u->disk->lba_count;
    if (how & 8)
        r->lba = u->disk->lba_count - r->blocks;
    if (kind < 3)
        return;
    r->op = IO_WRITE;
    if (kind == 6)
        *r = (struct io_request){ .slot = slot, .op = IO_FLUSH };
    else if (how & 16)
        r->lba = u->armed_end - (how & 32 ? 1 : u->armed_end < r->blocks ? 0 : r->blocks);
    else if (how % 9)
        r->lba = u->armed_lba + (how & 64 ? 0 : r->lba % (u->armed_end - u->armed_lba));
    for (uint32_t b = 0; r->op == IO_WRITE && u->lane->buffer_per_slot && b < r->blocks; b++)
        if (u->disk->lba_bytes <= MAX_BLOCK_BYTES)
            pattern_of(u->disk, r->lba + b, lane_data(u->lane, slot) + (size_t)b * u->disk->lba_bytes);
}

static void submit_some(struct use *u, uint8_t how)
{
    struct io_request r[4];
    unsigned n = 0, limit = 1 + (how & 3);

    for (uint16_t slot = 0; slot < u->lane->depth && n < limit; slot++) {
        if (u->busy[slot])
            continue;
        make_request(u, slot, how, &r[n]);
        u->asked[slot] = r[n++];
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
    for (unsigned i = 0; i < count; i++) {
        REQUIRE(lied || !all_ends_well || !u[i].in_flight);
        expire_all(&u[i]);
    }
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

/* Half of the disk, from its first quarter on; every lane on the same disk has the same. */
static void arm(struct use *u)
{
    const struct disk *d = u->disk;
    uint64_t lbas;

    if (gate_is_armed(d->identity, &u->armed_lba, &lbas)) {
        u->armed_end = u->armed_lba + lbas;
    } else {
        u->armed_lba = d->lba_count / 4;
        u->armed_end = u->armed_lba + 1 + d->lba_count / 2;
        if (u->armed_end > d->lba_count)
            u->armed_end = d->lba_count;
        bool known = d->identity[0] != 0;
        REQUIRE(known == !gate_arm(d->identity, u->armed_lba, u->armed_end - u->armed_lba));
    }
    medium_permit(medium_of(), unit_of_disk(d), u->armed_lba, u->armed_end - u->armed_lba);
}

/* Opens what the disk allows.  A disk that cannot be armed does not open for writes. */
static bool open_lane(struct use *u, struct lane_shape *shape)
{
    struct disk *d = u->disk;

    u->armed_end = d->lba_count;
    if (wants_writes) {
        shape->writes = true;
        REQUIRE(gate_is_armed(d->identity, NULL, NULL) || d->ops->open(d, shape, &u->lane));
        arm(u);
    }
    if (d->ops->open(d, shape, &u->lane)) {
        shape->writes = false;
        if (!wants_writes || d->ops->open(d, shape, &u->lane))
            return false;
    }
    REQUIRE(!shape->writes || gate_is_armed(d->identity, NULL, NULL));
    u->writes = shape->writes;
    u->most_blocks = shape->request_bytes / d->lba_bytes;
    return true;
}

/* Requests of up to seven times block_step and one block. */
static void use_controller(struct controller *c, uint8_t shapes, unsigned block_step)
{
    static struct use u[MAX_LANES];
    unsigned count = 0;

    gate_disarm_all();

    REQUIRE(c->disk_count <= CONTROLLER_MAX_DISKS);
    for (unsigned i = 0; i < 2 * c->disk_count && count < MAX_LANES; i++) {
        struct disk *d = c->disks[i % c->disk_count];
        struct lane_shape shape = { .depth = (uint16_t)(1 + (shapes & 15)), .buffer_per_slot = shapes & 16 };

        if (!d->ops) {
            REQUIRE(d->why_not[0]);
            continue;
        }
        REQUIRE(d->lba_bytes >= 512 && d->lba_count && d->max_depth);
        shape.request_bytes = d->lba_bytes * (1u + (shapes >> 5) * block_step);
        if (shape.request_bytes / d->lba_bytes > d->lba_count)
            continue;
        if (shape.depth > d->max_depth)
            shape.depth = d->max_depth;
        u[count] = (struct use){ .disk = d };
        count += open_lane(&u[count], &shape);
    }
    use_lanes(u, count);
    gate_disarm_all();
}

#endif
