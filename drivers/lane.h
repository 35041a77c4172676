#ifndef DRIVERS_LANE_H
#define DRIVERS_LANE_H
#include "bits.h"
#include "disk.h"

/* Slot bookkeeping shared by all drivers, inline because it runs per I/O.  [any]
 *
 * A request occupies its slot from submit to the completion that poll returns.  It may be several
 * commands ("parts"): the slot counts what is still to be sent and what is in flight, and it is done when
 * both are zero; the first failing part gives the slot its status.  Parts of all slots wait in one FIFO
 * until the device has room.  Lists (PRP, PRD, SG) are prebuilt per part of a buffer, since part k of
 * every request lies at k x command_bytes.
 *
 * A flush is a request of one part without blocks.
 *
 * A free slot is all zeros but for next_lba and op. */
struct lane_slot {
    uint64_t next_lba;         /* of the next part */
    uint32_t blocks_left : 24; /* not yet sent: no request has more (LANE_MAX_BLOCKS) */
    uint32_t op : 8;           /* enum io_op */
    uint32_t detail;
    union {
        struct {
            uint16_t parts_in_flight;
            uint16_t next_part;
            uint8_t busy, status, retries, queued;
        };
        uint64_t state; /* all of these at once */
    };
    uint64_t error_lba;
};
/* The state of a request that was started by lane_start_whole, is with the device and has not failed so far.
 */
enum { LANE_BUSY = 1, LANE_BUSY_WHOLE = 2, LANE_MAX_BLOCKS = 0xffffff };
#define LANE_WHOLE_ (1ull | 1ull << 16 | (uint64_t)LANE_BUSY_WHOLE << 32)
struct lane_slots {
    struct lane_slot *slot; /* depth */
    uint16_t *fifo;         /* depth entries: slots with parts to send, oldest first */
    uint16_t *done;         /* depth entries: finished slots, oldest first */
    uint32_t part_blocks;   /* blocks of a full command */
    uint16_t depth, fifo_head, done_head;
    /* What a short way asks about in one look, since it is there only while all are 0. */
    union {
        struct {
            uint16_t fifo_count;
            uint16_t shut; /* not 0: the driver takes no more requests */
            uint16_t done_count;
            uint16_t again_count; /* commands that the driver is going to send once more */
        };
        uint32_t rare_at_submit; /* the first two */
        uint64_t rare;           /* any of them */
    };
};

/* E_NOMEM, and E_LIMIT for a depth or part_blocks of 0, leave nothing behind.  [boot] */
int lane_slots_alloc(struct lane_slots *s, uint16_t depth, uint32_t part_blocks);
void lane_slots_free(struct lane_slots *s); /* [boot] */

static inline uint16_t lane_wrap_(uint32_t i, uint16_t depth)
{
    return (uint16_t)(i >= depth ? i - depth : i);
}

static inline void lane_done_push_(struct lane_slots *s, uint16_t slot)
{
    s->done[lane_wrap_((uint32_t)s->done_head + s->done_count++, s->depth)] = slot;
}

/* Accepts a request, of which the caller judges LBA, blocks (at most LANE_MAX_BLOCKS) and op before a part of
 * it is sent.  False: the slot number is wrong or busy (a bug of the caller; nothing changed). */
static inline bool lane_accept(struct lane_slots *s, const struct io_request *r)
{
    if (r->slot >= s->depth || s->slot[r->slot].busy)
        return false;
    s->slot[r->slot] = (struct lane_slot){ .next_lba = r->lba,
                                           .blocks_left = r->blocks & LANE_MAX_BLOCKS,
                                           .op = r->op & 0xff,
                                           .busy = LANE_BUSY,
                                           .queued = 1 };
    s->fifo[lane_wrap_((uint32_t)s->fifo_head + s->fifo_count++, s->depth)] = r->slot;
    return true;
}

/* The next command to send, without taking it: false when none waits. */
struct lane_part {
    uint64_t lba;
    uint32_t blocks;
    uint16_t slot, part;
    uint8_t op; /* enum io_op */
};
static inline bool lane_peek_part(const struct lane_slots *s, struct lane_part *p)
{
    if (!s->fifo_count)
        return false;
    p->slot = s->fifo[s->fifo_head];
    const struct lane_slot *x = &s->slot[p->slot];
    p->lba = x->next_lba;
    p->blocks = x->blocks_left < s->part_blocks ? x->blocks_left : s->part_blocks;
    p->part = x->next_part;
    p->op = x->op;
    return true;
}
/* So many parts of the oldest waiting slot, the one that lane_peek_part shows, with so many blocks together,
 * are now in the device's hands. */
static inline void lane_took_parts(struct lane_slots *s, uint16_t slot, uint16_t parts, uint32_t blocks)
{
    struct lane_slot *x = &s->slot[slot];

    x->next_lba += blocks;
    x->blocks_left -= blocks;
    x->next_part = (uint16_t)(x->next_part + parts);
    x->parts_in_flight = (uint16_t)(x->parts_in_flight + parts);
    if (!x->blocks_left) {
        x->queued = 0;
        s->fifo_head = lane_wrap_((uint32_t)s->fifo_head + 1u, s->depth);
        s->fifo_count--;
    }
}
/* The part that lane_peek_part showed is now in the device's hands. */
static inline void lane_took_part(struct lane_slots *s, const struct lane_part *p)
{
    lane_took_parts(s, p->slot, 1, p->blocks);
}

/* Notes a failure on a slot; its parts not yet sent are dropped.  The first failure of a slot stays.  A slot
 * with nothing in flight is finished by this; else by lane_part_done of its last part. */
void lane_slot_failed(struct lane_slots *s, uint16_t slot, enum io_status status, uint32_t detail,
                      uint64_t error_lba);
/* A part of this slot came back (failure, if any, noted before). */
static inline void lane_part_done(struct lane_slots *s, uint16_t slot)
{
    struct lane_slot *x = &s->slot[slot];

    x->parts_in_flight--;
    if (!x->parts_in_flight && !x->queued)
        lane_done_push_(s, slot);
}
/* The short way for a request that is one command and is handed to the device at once: it never waits in the
 * FIFO and never in the list of finished slots.  The caller has checked that the slot number is below depth
 * and the slot free, that no part waits and that the request fits a command. */
static inline void lane_start_whole(struct lane_slot *x, enum io_op op, uint64_t lba)
{
    x->next_lba = lba;
    x->op = (uint8_t)op;
    x->state = LANE_WHOLE_;
}
/* Slot and operation of a request in one number, which for a read is the slot alone: one comparison with the
 * depth finds reads of slots that exist. */
static inline uint32_t lane_slot_and_op(const struct io_request *r)
{
    return r->slot | (uint32_t)r->op << 16;
}
/* True when nothing of such a request failed yet: its good completion ends it, by lane_end_whole. */
static inline bool lane_is_whole(const struct lane_slot *x) { return x->state == LANE_WHOLE_; }
/* Frees its slot, and fills in the completion: all but the slot's number is 0. */
static inline void lane_end_whole(struct lane_slot *x, struct io_completion *c, uint16_t slot)
{
    const uint64_t slot_and_zeros = slot;

    x->state = 0;
    __builtin_memcpy(c, &slot_and_zeros, sizeof slot_and_zeros);
    c->error_lba = 0;
}
_Static_assert(offsetof(struct io_completion, slot) == 0 && offsetof(struct io_completion, error_lba) == 8 &&
                   sizeof(struct io_completion) == 16,
               "slot, status, retries and detail are the first word");

/* Ends a request that the device need not be asked for, nothing of which is with it. */
void lane_slot_answered(struct lane_slots *s, uint16_t slot);

/* Gives every busy slot that is not yet done the status and finishes it: after a reset or at the end of a
 * broken device, when no part can come back any more. */
void lane_slots_lost(struct lane_slots *s, enum io_status status, uint32_t detail);

/* Moves finished slots out. */
static inline unsigned lane_collect(struct lane_slots *s, struct io_completion *c, unsigned max)
{
    unsigned n = 0;

    while (n < max && s->done_count) {
        uint16_t slot = s->done[s->done_head];
        struct lane_slot *x = &s->slot[slot];

        s->done_head = lane_wrap_((uint32_t)s->done_head + 1u, s->depth);
        s->done_count--;
        c[n++] = (struct io_completion){ .slot = slot,
                                         .status = x->status,
                                         .retries = x->retries,
                                         .detail = x->detail,
                                         .error_lba = x->error_lba };
        x->state = x->error_lba = x->detail = 0;
    }
    return n;
}

#endif
