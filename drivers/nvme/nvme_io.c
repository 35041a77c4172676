#include "nvme_internal.h"

/* The path of an I/O: [any], no allocation, no register read, one doorbell per batch.  Cold branches are
 * functions of their own so that the hot ones stay in registers. */
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- towards the device ---- */
/* The buffers never move: which pages a part fills was decided when the lane was opened. */
struct nvme_prps nvme_prps_of(const struct nvme_lane *l, uint16_t slot, uint32_t part, uint32_t blocks)
{
    uint64_t prp1 = l->data_bus + slot * l->slot_bytes + (uint64_t)part * l->base.command_bytes;
    uint64_t bytes = (uint64_t)blocks << l->lba_shift;

    if (bytes <= l->page_bytes)
        return (struct nvme_prps){ prp1, 0 };
    if (bytes <= 2 * l->page_bytes)
        return (struct nvme_prps){ prp1, prp1 + l->page_bytes };
    return (struct nvme_prps){ prp1, l->list_bus + (uint64_t)slot * l->slot_list_bytes +
                                         (uint64_t)part * l->list_bytes };
}

static inline uint8_t opcode_of(uint8_t op)
{
    return op == IO_READ ? NVME_READ : op == IO_WRITE ? NVME_WRITE : NVME_FLUSH;
}

/* All of the entry that is not named here was zeroed with the queue, and stays so. */
static inline void put_rw(struct nvme_sqe *entry, uint64_t head, uint64_t lba, uint64_t control,
                          const struct nvme_prps *data, uint64_t tags)
{
    struct nvme_rw_sqe *e = (struct nvme_rw_sqe *)entry;

    e->head = head;
    e->prp1 = data->prp1;
    e->prp2 = data->prp2;
    e->slba = lba;
    e->control = control;
    e->tags = tags;
}

static inline bool gate_allows(const struct nvme_lane *l, uint8_t op, uint64_t lba, uint32_t blocks)
{
    if (op < IO_FLUSH)
        return gate_lets_through(&l->pass, opcode_of(op), lba, blocks);
    return op == IO_FLUSH && !lba && !blocks && gate_lets_flush(&l->pass, NVME_FLUSH);
}

/* The next entry of the queue, for a part that the gate let through. */
static inline void put_part(struct nvme_lane *l, uint32_t tag, const struct lane_part *part)
{
    struct nvme_pair *p = l->pair;
    struct nvme_prps data = { 0 };
    uint64_t head = l->sqe_head | tag << 16 | opcode_of(part->op), control = 0, tags = 0;

    if (part->blocks) {
        data = nvme_prps_of(l, part->slot, part->part, part->blocks);
        control = l->sqe_control + part->blocks - 1;
    }
    if (part->op == IO_WRITE)
        tags = part->lba & l->ref_mask;
    put_rw(p->sq_next, head, part->lba, control, &data, tags);
    if (++p->sq_next == p->sq_end)
        p->sq_next = p->sqe;
}

/* Full commands of one request, as many as there are tags: operation, gate and places are settled once for
 * all of them.  None is sent for a request without a full command, and for one beyond what the gate allows.
 */
static bool send_full_parts(struct nvme_lane *l, uint16_t slot)
{
    struct nvme_pair *const p = l->pair;
    struct lane_slot *const x = &l->slots.slot[slot];
    const bool writes = x->op == IO_WRITE;
    const uint64_t head = l->sqe_head | (writes ? NVME_WRITE : NVME_READ);
    const uint64_t from = writes ? l->pass.write_first_lba : 0;
    const uint64_t firsts = writes ? l->full_first_writes : l->full_first_lbas;
    const uint64_t ref_mask = writes ? l->ref_mask : 0;
    const uint32_t blocks = l->slots.part_blocks, left = x->blocks_left;
    uint16_t part = x->next_part, first = part;
    uint64_t lba = x->next_lba;
    struct nvme_prps data = { l->full[slot].data.prp1 + (uint64_t)part * l->base.command_bytes,
                              l->full[slot].data.prp2 + (uint64_t)part * l->full_prp2_step };
    uint32_t tags = p->free_count;

    for (uint32_t sent = blocks; sent <= left && tags && lba - from < firsts; sent += blocks) {
        const uint32_t tag = p->free_tags[--tags];

        put_rw(p->sq_next, head | tag << 16, lba, l->full_control, &data, lba & ref_mask);
        if (UNLIKELY(++p->sq_next == p->sq_end))
            p->sq_next = p->sqe;
        p->tags[tag] =
            (struct nvme_tag){ .lane = l, .lba = lba, .slot = slot, .part = part, .blocks = blocks };
        part++;
        lba += blocks;
        data.prp1 += l->base.command_bytes;
        data.prp2 += l->full_prp2_step;
    }
    p->free_count = tags;
    lane_took_parts(&l->slots, slot, (uint16_t)(part - first), (uint32_t)(lba - x->next_lba));
    return part != first;
}

/* Sends what waits in the lane's queue of parts, as far as there are tags. */
static void send_parts(struct nvme_lane *l)
{
    struct nvme_pair *p = l->pair;
    struct lane_slots *s = &l->slots;
    struct lane_part part;

    while (p->free_count && lane_peek_part(s, &part)) {
        if (part.blocks == s->part_blocks && send_full_parts(l, part.slot))
            continue;
        if (!gate_allows(l, part.op, part.lba, part.blocks)) {
            lane_slot_failed(s, part.slot, IO_REFUSED, 0, part.lba);
            continue;
        }
        uint32_t tag = p->free_tags[--p->free_count];
        put_part(l, tag, &part);
        p->tags[tag] = (struct nvme_tag){
            .lane = l, .lba = part.lba, .slot = part.slot, .part = part.part, .blocks = part.blocks
        };
        lane_took_parts(s, part.slot, 1, part.blocks);
    }
}

void nvme_send_again(struct nvme_lane *l, uint16_t tag)
{
    struct nvme_pair *p = l->pair;
    const struct nvme_tag *t = &p->tags[tag];
    struct lane_part part = { .lba = t->bound ? l->slots.slot[t->slot].next_lba : t->lba,
                              .blocks = t->bound ? l->slots.part_blocks : t->blocks,
                              .slot = t->slot,
                              .part = t->part,
                              .op = l->slots.slot[t->slot].op };

    if (!gate_allows(l, part.op, part.lba, part.blocks)) {
        lane_slot_failed(&l->slots, t->slot, IO_REFUSED, 0, part.lba);
        nvme_free_tag(p, tag);
        lane_part_done(&l->slots, t->slot);
        return;
    }
    put_part(l, tag, &part);
}

/* A request of several parts, one that must wait, or one that must not be sent.  False: the caller gave a
 * slot that is not free, which cannot even be answered. */
static bool take_slowly(struct nvme_lane *l, const struct io_request *r)
{
    if (!lane_accept(&l->slots, r)) {
        if (!l->told_misuse)
            NOTE(E_LIMIT, "request for a slot that is busy or does not exist", r->slot, l->base.depth);
        l->told_misuse = true;
        return false;
    }
    /* The whole request is judged before any part of it is sent. */
    if (r->op > IO_FLUSH || r->blocks > l->max_blocks || !gate_allows(l, (uint8_t)r->op, r->lba, r->blocks))
        lane_slot_failed(&l->slots, r->slot, IO_REFUSED, 0, r->lba);
    else if (r->op == IO_FLUSH && l->flush_is_nothing)
        lane_slot_answered(&l->slots, r->slot);
    else
        send_parts(l);
    return true;
}

/* From the first request on that could not go the short way: how many of all n were taken. */
static __attribute__((noinline)) unsigned send_slowly(struct nvme_lane *l, const struct io_request *r,
                                                      unsigned taken, unsigned n)
{
    while (taken < n && take_slowly(l, &r[taken]))
        taken++;
    return taken;
}

/* Requests of one full command go straight to "in flight" when the lane has tags of its own and nothing
 * waits.  Made once for reads and once for writes; returns the first request that is neither. */
static inline __attribute__((always_inline)) const struct io_request *send_whole(
    struct nvme_lane *l, enum io_op op, const struct io_request *r, const struct io_request *last)
{
    struct nvme_pair *const p = l->pair;
    const uint64_t from = op == IO_WRITE ? l->pass.write_first_lba : 0;
    const uint64_t firsts = op == IO_WRITE ? l->full_first_writes : l->full_first_lbas;
    const uint32_t blocks = l->slots.part_blocks;
    struct lane_slot *const slots = l->slots.slot;
    struct nvme_sqe *e = p->sq_next;

    /* One comparison for the end of the batch and the end of the ring. */
    while (r != last) {
        const struct io_request *const stop = r + min_u64((uint64_t)(last - r), (uint64_t)(p->sq_end - e));

        for (; r != stop; r++, e++) {
            const uint32_t slot = lane_slot_and_op(r) - ((uint32_t)op << 16);
            const uint64_t lba = r->lba;

            if (UNLIKELY(slot >= l->window || slots[slot].busy || r->blocks != blocks ||
                         lba - from >= firsts)) {
                p->sq_next = e;
                return r;
            }
            lane_start_whole(&slots[slot], op, lba);
            const struct nvme_full *const full = &l->full[slot];
            put_rw(e, full->head + (op == IO_WRITE ? NVME_WRITE : NVME_READ), lba, l->full_control,
                   &full->data, op == IO_WRITE ? lba & l->ref_mask : 0);
        }
        if (e == p->sq_end)
            e = p->sqe;
    }
    p->sq_next = e;
    return r;
}

static __attribute__((noinline)) const struct io_request *send_reads(struct nvme_lane *l,
                                                                     const struct io_request *r,
                                                                     const struct io_request *last)
{
    return send_whole(l, IO_READ, r, last);
}
static __attribute__((noinline)) const struct io_request *send_writes(struct nvme_lane *l,
                                                                      const struct io_request *r,
                                                                      const struct io_request *last)
{
    return send_whole(l, IO_WRITE, r, last);
}

/* Reads and writes in turn, and the long way from the first request on that needs it. */
static __attribute__((noinline)) unsigned send_batch(struct nvme_lane *l, const struct io_request *first,
                                                     const struct io_request *last)
{
    const struct io_request *r = send_reads(l, first, last), *at = NULL;

    while (r != last && r != at) {
        at = r;
        if ((r = send_writes(l, r, last)) != last)
            r = send_reads(l, r, last);
    }
    return send_slowly(l, first, (unsigned)(r - first), (unsigned)(last - first));
}

/* A batch of one read, as every batch is at a depth of 1: what a loop keeps at hand would only be saved and
 * restored. */
unsigned nvme_submit(struct io_lane *base, const struct io_request *r, unsigned n)
{
    struct nvme_lane *const l = (struct nvme_lane *)base;

    if (UNLIKELY(l->slots.rare_at_submit))
        return l->slots.shut ? 0 : send_slowly(l, r, 0, n);
    if (n != 1)
        return send_batch(l, r, r + n);
    const uint32_t slot = lane_slot_and_op(r);
    if (slot >= l->window)
        return send_batch(l, r, r + n);
    struct nvme_pair *const p = l->pair;
    struct nvme_sqe *const e = p->sq_next;
    struct lane_slot *const x = &l->slots.slot[slot];
    if (UNLIKELY(x->busy || r->blocks != l->slots.part_blocks || r->lba >= l->full_first_lbas))
        return send_batch(l, r, r + n);
    lane_start_whole(x, IO_READ, r->lba);
    put_rw(e, l->full[slot].head + NVME_READ, r->lba, l->full_control, &l->full[slot].data, 0);
    p->sq_next = LIKELY(e + 1 != p->sq_end) ? e + 1 : p->sqe;
    return 1;
}

/* Tells the device how far its completions were taken and which commands are new, in this order: when it
 * sees a command, there is room for its completion.  Nothing is lost by telling the former this late. */
static inline void ring(struct nvme_pair *p)
{
    if (p->cq_next != p->cq_rung) {
        p->cq_rung = p->cq_next;
        plat_write32(&p->regs, p->cq_bell, (uint32_t)(p->cq_next - p->cqe));
    }
    if (p->sq_next != p->sq_rung) {
        p->sq_rung = p->sq_next;
        plat_dma_publish();
        plat_write32(&p->regs, p->sq_bell, (uint32_t)(p->sq_next - p->sqe));
    }
}

void nvme_kick(struct io_lane *base)
{
    struct nvme_pair *p = ((struct nvme_lane *)base)->pair;

    if (LIKELY(!p->broken))
        ring(p);
}

/* ---- from the device ---- */
static __attribute__((noinline, cold)) void break_pair(struct nvme_pair *p, uint32_t dw2, uint32_t dw3)
{
    struct nvme_ctrl *c = p->ctrl;
    uint32_t tag = (uint32_t)FIELD_GET(CQE_CID, dw3);

    if (FIELD_GET(CQE_SQID, dw2) != p->qid)
        FAULT(&c->base.fault, E_PROTO, "controller posted a completion for another submission queue",
              FIELD_GET(CQE_SQID, dw2), p->qid);
    else if (FIELD_GET(CQE_SQHD, dw2) >= p->entries)
        FAULT(&c->base.fault, E_PROTO, "controller posted a queue head beyond the queue",
              FIELD_GET(CQE_SQHD, dw2), p->entries);
    else
        FAULT(&c->base.fault, E_PROTO, "controller posted a completion for a command not in flight", tag,
              p->tag_count);
    controller_remark(&c->base, REMARK_FAIL, "queue %u: %s: the disks on it are not tested further", p->qid,
                      c->base.fault.what);
    nvme_kill_lanes(c, p);
}

void nvme_free_tag(struct nvme_pair *p, uint16_t tag)
{
    if (p->tags[tag].bound)
        return;
    p->tags[tag].lane = NULL;
    p->free_tags[p->free_count++] = tag;
}

/* Any completion: checked, its tag freed, its slot told.  False: the device broke the protocol. */
static __attribute__((noinline)) bool take_any(struct nvme_pair *p, uint32_t dw2, uint32_t dw3)
{
    uint32_t tag = (uint32_t)FIELD_GET(CQE_CID, dw3), status = (uint32_t)FIELD_GET(CQE_STATUS, dw3);
    struct nvme_tag *t = &p->tags[tag];

    if (tag >= p->tag_count || dw2 - p->sqid_base >= p->entries || !nvme_tag_in_flight(t)) {
        break_pair(p, dw2, dw3);
        return false;
    }
    struct lane_slots *s = &t->lane->slots;
    if (status && nvme_retry_later(t->lane, (uint16_t)tag, status))
        return true;
    if (status)
        lane_slot_failed(s, t->slot, nvme_status_kind(status), status,
                         t->bound ? s->slot[t->slot].next_lba : t->lba);
    nvme_free_tag(p, (uint16_t)tag);
    lane_part_done(s, t->slot);
    return true;
}

/* The next lap around the completion queue begins. */
static inline const struct nvme_cqe *lap(struct nvme_pair *p)
{
    p->phase_bit ^= (uint32_t)CQE_PHASE;
    return p->cqe;
}
static inline const struct nvme_cqe *step(struct nvme_pair *p, const struct nvme_cqe *e)
{
    return LIKELY(e + 1 != p->cq_end) ? e + 1 : lap(p);
}

/* So far go at most `most` entries before the next lap. */
static inline const struct nvme_cqe *end_of_run(const struct nvme_pair *p, const struct nvme_cqe *e,
                                                uint64_t most)
{
    return e + min_u64(most, (uint64_t)(p->cq_end - e));
}

void nvme_reap_pair(struct nvme_pair *p)
{
    while (!p->broken) {
        const struct nvme_cqe *e = p->cq_next;
        uint32_t dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE);

        if ((dw3 & CQE_PHASE) != p->phase_bit ||
            !take_any(p, __atomic_load_n(&e->dw2, __ATOMIC_RELAXED), dw3))
            break;
        p->cq_next = step(p, e);
    }
}

/* Any completion, requests of several commands, failures, shared queues; c has n already. */
static __attribute__((noinline)) unsigned poll_slowly(struct nvme_lane *l, struct io_completion *c,
                                                      unsigned n, unsigned max)
{
    if (!l->base.dead)
        nvme_reap_pair(l->pair);
    n += lane_collect(&l->slots, c + n, max - n);
    if (!l->base.dead && (l->slots.fifo_count || l->slots.again_count)) {
        nvme_retry_due(l);
        send_parts(l);
        ring(l->pair);
    }
    return n;
}

/* Takes good ends of whole requests of this lane, in a loop without calls; what is rarer is left to another
 * function at the end. */
static __attribute__((noinline)) unsigned poll_batch(struct nvme_lane *l, struct io_completion *first,
                                                     unsigned max)
{
    struct nvme_pair *const p = l->pair;
    const struct nvme_cqe *e = p->cq_next;
    struct io_completion *c = first, *const last = first + max;
    const struct nvme_cqe *stop = end_of_run(p, e, max);
    /* Phase, status and tag at once: with a status or an old phase the difference is above all slots. */
    uint32_t slot_0 = p->phase_bit + l->tag_base, dw3 = 0;

    if (UNLIKELY(l->base.dead || l->slots.done_count))
        return poll_slowly(l, first, 0, max);
    for (;; e++) {
        if (UNLIKELY(e == stop)) {
            e = LIKELY(e != p->cq_end) ? e : lap(p);
            if (c == last)
                break;
            slot_0 = p->phase_bit + l->tag_base;
            stop = end_of_run(p, e, (uint64_t)(last - c));
        }
        dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE);
        const uint32_t slot = dw3 - slot_0;

        if (slot >= l->window)
            break;
        struct lane_slot *const x = &l->slots.slot[slot];
        /* SQID and SQHD in one comparison: below sqid_base the difference wraps to a huge number. */
        if (UNLIKELY(__atomic_load_n(&e->dw2, __ATOMIC_RELAXED) - p->sqid_base >= p->entries ||
                     !lane_is_whole(x)))
            break;
        lane_end_whole(x, c++, (uint16_t)slot);
    }
    p->cq_next = e;
    if (LIKELY(((dw3 & CQE_PHASE) != p->phase_bit || c == last) && !l->slots.rare))
        return (unsigned)(c - first);
    return poll_slowly(l, first, (unsigned)(c - first), max);
}

/* One good end is all that was asked for, as at a depth of 1; or nothing has come. */
unsigned nvme_poll(struct io_lane *base, struct io_completion *c, unsigned max)
{
    struct nvme_lane *const l = (struct nvme_lane *)base;
    struct nvme_pair *const p = l->pair;
    const struct nvme_cqe *const e = p->cq_next;

    if (UNLIKELY(l->slots.rare))
        return poll_batch(l, c, max);
    const uint32_t dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE);
    const uint32_t slot = dw3 - p->phase_bit - l->tag_base;
    if (slot >= l->window || max != 1)
        return (dw3 & CQE_PHASE) == p->phase_bit ? poll_batch(l, c, max) : 0;
    struct lane_slot *const x = &l->slots.slot[slot];
    if (UNLIKELY(__atomic_load_n(&e->dw2, __ATOMIC_RELAXED) - p->sqid_base >= p->entries ||
                 !lane_is_whole(x)))
        return poll_batch(l, c, max);
    lane_end_whole(x, c, (uint16_t)slot);
    p->cq_next = step(p, e);
    return 1;
}
