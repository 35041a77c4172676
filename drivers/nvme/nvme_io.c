#include "nvme_internal.h"

/* The path of an I/O: [any], no allocation, no register read, one doorbell per batch.  Cold branches are
 * functions of their own so that the hot ones stay in registers. */
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- towards the device ---- */
/* Fills the entry at the queue's tail.  The buffers never move: which pages a part fills was decided when the
 * lane was opened.  All that is not named here was zeroed with the queue, into which only reads go. */
static inline void put_read(const struct nvme_lane *l, struct nvme_sqe *entry, uint32_t tag, uint64_t lba,
                            uint32_t blocks, uint16_t slot, uint32_t part)
{
    struct nvme_read_sqe *e = (struct nvme_read_sqe *)entry;
    uint64_t prp1 = l->data_bus + slot * l->slot_bytes, prp2 = 0;

    if (part)
        prp1 += (uint64_t)part * l->base.command_bytes;
    if (blocks > l->page_blocks) {
        prp2 = prp1 + l->page_bytes;
        if ((blocks << l->lba_shift) > 2 * l->page_bytes)
            prp2 = l->list_bus + (uint64_t)slot * l->slot_list_bytes + (uint64_t)part * l->list_bytes;
    }
    e->head = l->sqe_head | tag << 16;
    e->prp1 = prp1;
    e->prp2 = prp2;
    e->slba = lba;
    e->control = blocks - 1;
}

/* Sends what waits in the lane's queue of parts, as far as there are tags. */
static void send_parts(struct nvme_lane *l)
{
    struct nvme_pair *p = l->pair;
    struct lane_slots *s = &l->slots;
    struct lane_part part;

    while (p->free_count && lane_peek_part(s, &part)) {
        if (!gate_lets_through(&l->pass, NVME_READ, part.lba, part.blocks)) {
            lane_slot_failed(s, part.slot, IO_REFUSED, 0, part.lba);
            continue;
        }
        uint32_t tag = p->free_tags[--p->free_count];
        put_read(l, &p->sqe[p->sq_tail], tag, part.lba, part.blocks, part.slot, part.part);
        p->tags[tag] = (struct nvme_tag){ .lane = l, .lba = part.lba, .slot = part.slot };
        p->sq_tail = p->sq_tail + 1 == p->entries ? 0 : p->sq_tail + 1;
        lane_took_part(s, &part);
    }
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
    if (r->blocks > l->max_blocks || !gate_lets_through(&l->pass, NVME_READ, r->lba, r->blocks))
        lane_slot_failed(&l->slots, r->slot, IO_REFUSED, 0, r->lba);
    else
        send_parts(l);
    return true;
}

/* Requests of one part, with nothing before them in the queue and a tag free, go straight to "in flight": how
 * many from the first on.  What the loop needs is held in variables, because a store to a ring could, for all
 * the compiler knows, change what stands behind any pointer. */
static inline unsigned send_whole(struct nvme_lane *l, const struct io_request *r, unsigned n)
{
    struct nvme_pair *const p = l->pair;
    struct lane_slot *const slots = l->slots.slot;
    struct nvme_tag *const tags = p->tags;
    const struct gate_pass pass = l->pass;
    const uint16_t *free_tag = p->free_tags + p->free_count;
    struct nvme_sqe *e = p->sqe + p->sq_tail, *const end = p->sqe + p->entries;
    const struct io_request *const first = r, *last = r + min_u64(n, p->free_count);

    if (UNLIKELY(l->slots.fifo_count || pass.read_opcode != NVME_READ))
        last = r;
    for (; r != last; r++) {
        const uint32_t slot = r->slot, blocks = r->blocks;
        const uint64_t lba = r->lba;
        struct lane_slot *const x = &slots[slot];

        if (UNLIKELY(slot >= l->slots.depth))
            break;
        if (UNLIKELY(x->busy))
            break;
        if (UNLIKELY(blocks > l->slots.part_blocks))
            break;
        if (UNLIKELY(!gate_lets_through(&pass, NVME_READ, lba, blocks)))
            break;
        const uint32_t tag = *--free_tag;
        struct nvme_tag *const t = &tags[tag];
        lane_start_whole(x, r);
        t->lane = l;
        t->lba = lba;
        t->slot = (uint16_t)slot;
        put_read(l, e, tag, lba, blocks, (uint16_t)slot, 0);
        if (UNLIKELY(++e == end))
            e = p->sqe;
    }
    n = (unsigned)(r - first);
    l->slots.in_flight_slots = (uint16_t)(l->slots.in_flight_slots + n);
    p->free_count -= n;
    p->sq_tail = (uint32_t)(e - p->sqe);
    return n;
}

/* From the first request on that could not go the short way. */
static __attribute__((noinline)) unsigned send_slowly(struct nvme_lane *l, const struct io_request *r,
                                                      unsigned n)
{
    unsigned taken = 0;

    while (taken < n && take_slowly(l, &r[taken]))
        taken++;
    return taken;
}

unsigned nvme_submit(struct io_lane *base, const struct io_request *r, unsigned n)
{
    struct nvme_lane *l = (struct nvme_lane *)base;

    if (l->base.dead)
        return 0;
    unsigned taken = send_whole(l, r, n);
    return taken == n ? n : taken + send_slowly(l, r + taken, n - taken);
}

static inline void ring(struct nvme_pair *p)
{
    if (p->sq_tail == p->rung_tail || p->broken)
        return;
    p->rung_tail = p->sq_tail;
    plat_dma_publish();
    plat_write32(&p->ctrl->regs, p->sq_bell, p->sq_tail);
}

void nvme_kick(struct io_lane *base) { ring(((struct nvme_lane *)base)->pair); }

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
              p->entries - 1);
    controller_remark(&c->base, REMARK_FAIL, "queue %u: %s: the disks on it are not tested further", p->qid,
                      c->base.fault.what);
    nvme_kill_lanes(c, p);
}

/* A completion that is not the good end of a whole request of the lane that polls: checked, its tag freed,
 * its slot told.  False: the device broke the protocol. */
static __attribute__((noinline)) bool take_any(struct nvme_pair *p, uint32_t dw2, uint32_t dw3)
{
    uint32_t tag = (uint32_t)FIELD_GET(CQE_CID, dw3), status = (uint32_t)FIELD_GET(CQE_STATUS, dw3);
    struct nvme_tag *t = &p->tags[tag];
    struct nvme_lane *owner;

    if (tag >= p->entries - 1 || dw2 - p->sqid_base >= p->entries || !t->lane) {
        break_pair(p, dw2, dw3);
        return false;
    }
    owner = t->lane;
    t->lane = NULL;
    p->free_tags[p->free_count++] = (uint16_t)tag;
    if (status)
        lane_slot_failed(&owner->slots, t->slot, nvme_status_kind(status), status, t->lba);
    lane_part_done(&owner->slots, t->slot);
    return true;
}

/* Takes completions until there is none, or until c, up to c_end, is full of whole requests of lane l; the
 * end of others shows in their lanes' lists.  Returns where it came to in c. */
static inline struct io_completion *reap(struct nvme_pair *p, struct nvme_lane *l, struct io_completion *c,
                                         const struct io_completion *c_end)
{
    const uint32_t entries = p->entries, tag_count = entries - 1, sqid_base = p->sqid_base;
    const uint32_t head = p->cq_head, old_phase = p->phase;
    const struct nvme_cqe *e = p->cqe + head, *const end = p->cqe + entries;
    const struct io_completion *const c_start = c;
    struct lane_slot *const slots = l->slots.slot;
    struct nvme_tag *const tags = p->tags;
    uint16_t *free_tag = p->free_tags + p->free_count;
    uint32_t phase = old_phase;

    while (c != c_end) {
        const uint32_t dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE), tag = (uint16_t)dw3;
        struct nvme_tag *const t = &tags[tag];

        /* Phase and status at once: the usual completion has no status. */
        if (UNLIKELY(dw3 >> 16 != phase) && (dw3 >> 16 & 1) != phase)
            break;
        const uint32_t dw2 = __atomic_load_n(&e->dw2, __ATOMIC_RELAXED);
        uint32_t slot;
        /* SQID and SQHD in one comparison: below sqid_base the difference wraps to a huge number. */
        if (LIKELY(dw3 >> 16 == phase && tag < tag_count && dw2 - sqid_base < entries && t->lane == l &&
                   lane_is_whole(&slots[slot = t->slot]))) {
            *c++ = (struct io_completion){ .slot = (uint16_t)slot, .status = IO_OK };
            lane_end_whole(&slots[slot]);
            t->lane = NULL;
            *free_tag++ = (uint16_t)tag;
        } else {
            p->free_count = (uint32_t)(free_tag - p->free_tags);
            if (!take_any(p, dw2, dw3))
                break;
            free_tag = p->free_tags + p->free_count;
        }
        if (UNLIKELY(++e == end)) {
            e = p->cqe;
            phase ^= 1;
        }
    }
    l->slots.in_flight_slots = (uint16_t)(l->slots.in_flight_slots - (c - c_start));
    if (UNLIKELY(p->broken))
        return c;
    p->free_count = (uint32_t)(free_tag - p->free_tags);
    p->cq_head = (uint32_t)(e - p->cqe);
    p->phase = phase;
    if (p->cq_head != head || phase != old_phase)
        plat_write32(&p->ctrl->regs, p->cq_bell, p->cq_head);
    return c;
}

unsigned nvme_poll(struct io_lane *base, struct io_completion *c, unsigned max)
{
    struct nvme_lane *l = (struct nvme_lane *)base;
    struct nvme_pair *p = l->pair;
    struct lane_slots *s = &l->slots;
    unsigned n = s->done_count ? lane_collect(s, c, max) : 0;

    if (p->broken || l->base.dead)
        return n;
    n = (unsigned)(reap(p, l, c + n, c + max) - c);
    if (UNLIKELY(s->done_count))
        n += lane_collect(s, c + n, max - n);
    if (UNLIKELY(s->fifo_count)) {
        send_parts(l);
        ring(p);
    }
    return n;
}

void nvme_reap_pair(struct nvme_pair *p)
{
    const uint32_t head = p->cq_head, old_phase = p->phase;

    while (!p->broken) {
        const struct nvme_cqe *e = &p->cqe[p->cq_head];
        uint32_t dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE);

        if ((dw3 >> 16 & 1) != p->phase || !take_any(p, __atomic_load_n(&e->dw2, __ATOMIC_RELAXED), dw3))
            break;
        if (++p->cq_head == p->entries) {
            p->cq_head = 0;
            p->phase ^= 1;
        }
    }
    if (!p->broken && (p->cq_head != head || p->phase != old_phase))
        plat_write32(&p->ctrl->regs, p->cq_bell, p->cq_head);
}
