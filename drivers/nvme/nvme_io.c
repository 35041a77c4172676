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

/* All of the entry that is not named here was zeroed with the queue, into which only reads go. */
static inline void put_read(const struct nvme_lane *l, struct nvme_sqe *entry, uint32_t tag, uint64_t lba,
                            uint32_t blocks, const struct nvme_prps *data)
{
    struct nvme_read_sqe *e = (struct nvme_read_sqe *)entry;

    e->head = l->sqe_head | tag << 16;
    e->prp1 = data->prp1;
    e->prp2 = data->prp2;
    e->slba = lba;
    e->control = l->sqe_control + blocks - 1;
}

/* Sends what waits in the lane's queue of parts, as far as there are tags. */
static void send_parts(struct nvme_lane *l)
{
    struct nvme_pair *p = l->pair;
    struct lane_slots *s = &l->slots;
    struct lane_part part;

    while (p->free_top != p->free_tags && lane_peek_part(s, &part)) {
        if (!gate_lets_through(&l->pass, NVME_READ, part.lba, part.blocks)) {
            lane_slot_failed(s, part.slot, IO_REFUSED, 0, part.lba);
            continue;
        }
        uint32_t tag = *--p->free_top;
        struct nvme_prps data = nvme_prps_of(l, part.slot, part.part, part.blocks);
        put_read(l, p->sq_next, tag, part.lba, part.blocks, &data);
        p->tags[tag] = (struct nvme_tag){ .lane = l, .lba = part.lba, .slot = part.slot };
        if (++p->sq_next == p->sq_end)
            p->sq_next = p->sqe;
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

/* Requests of one full command, with nothing before them in the queue and a tag free, go straight to "in
 * flight": how many from the first on.  A batch may be one request: little is fetched ahead. */
static inline unsigned send_whole(struct nvme_lane *l, const struct io_request *first, unsigned n)
{
    struct nvme_pair *const p = l->pair;
    const struct io_request *r = first, *const last = r + n;
    uint16_t *free_top = p->free_top;
    struct nvme_sqe *e = p->sq_next;

    for (; r != last; r++) {
        const uint32_t slot = r->slot, blocks = r->blocks;
        const uint64_t lba = r->lba;

        if (UNLIKELY(slot >= l->slots.depth || blocks != l->slots.part_blocks || lba >= l->full_first_lbas))
            break;
        struct lane_slot *const x = &l->slots.slot[slot];
        if (UNLIKELY(x->busy || free_top == p->free_tags))
            break;
        const uint32_t tag = *--free_top;
        struct nvme_tag *const t = &p->tags[tag];
        lane_start_whole(x, lba);
        t->lane = l;
        t->lba = lba;
        t->slot = (uint16_t)slot;
        put_read(l, e, tag, lba, blocks, &l->full[slot]);
        if (UNLIKELY(++e == p->sq_end))
            e = p->sqe;
    }
    p->free_top = free_top;
    p->sq_next = e;
    return (unsigned)(r - first);
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
    unsigned taken = 0;

    if (UNLIKELY(l->base.dead))
        return 0;
    if (LIKELY(!l->slots.fifo_count) && LIKELY((taken = send_whole(l, r, n)) == n))
        return n;
    return taken + send_slowly(l, r + taken, n - taken);
}

static inline void ring(struct nvme_pair *p)
{
    if (p->sq_next == p->sq_rung || p->broken)
        return;
    p->sq_rung = p->sq_next;
    plat_dma_publish();
    plat_write32(&p->ctrl->regs, p->sq_bell, (uint32_t)(p->sq_next - p->sqe));
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
              p->tag_count);
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

    if (tag >= p->tag_count || dw2 - p->sqid_base >= p->entries || !t->lane) {
        break_pair(p, dw2, dw3);
        return false;
    }
    owner = t->lane;
    t->lane = NULL;
    *p->free_top++ = (uint16_t)tag;
    if (status)
        lane_slot_failed(&owner->slots, t->slot, nvme_status_kind(status), status, t->lba);
    lane_part_done(&owner->slots, t->slot);
    return true;
}

/* Steps over one entry of the completion queue.  At the end of the ring, cq_next is set to what no place is,
 * so that a whole turn does not look like standing still. */
static inline const struct nvme_cqe *step(struct nvme_pair *p, const struct nvme_cqe *e)
{
    if (LIKELY(++e != p->cq_end))
        return e;
    p->cq_next = p->cq_end;
    p->phase_bit ^= (uint32_t)CQE_PHASE;
    return p->cqe;
}

/* Tells the device how far its completions were taken. */
static inline void moved_to(struct nvme_pair *p, const struct nvme_cqe *e)
{
    if (e == p->cq_next)
        return;
    p->cq_next = e;
    plat_write32(&p->ctrl->regs, p->cq_bell, (uint32_t)(e - p->cqe));
}

/* Takes completions until there is none, or until c, up to c_end, is full of whole requests of lane l; the
 * end of others shows in their lanes' lists.  Returns where it came to in c. */
static inline struct io_completion *reap(struct nvme_pair *p, struct nvme_lane *l, struct io_completion *c,
                                         const struct io_completion *c_end)
{
    const struct nvme_cqe *e = p->cq_next;

    for (; c != c_end; e = step(p, e)) {
        const uint32_t dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE);
        /* Phase, status and tag at once: with a status or an old phase the difference is above all tags. */
        const uint32_t tag = dw3 - p->phase_bit;

        if (LIKELY(tag < p->tag_count)) {
            struct nvme_tag *const t = &p->tags[tag];
            struct lane_slot *const x = &l->slots.slot[t->slot];
            /* SQID and SQHD in one comparison: below sqid_base the difference wraps to a huge number. */
            if (LIKELY(__atomic_load_n(&e->dw2, __ATOMIC_RELAXED) - p->sqid_base < p->entries &&
                       t->lane == l && lane_is_whole(x))) {
                *c++ = (struct io_completion){ .slot = t->slot, .status = IO_OK };
                lane_end_whole(x);
                t->lane = NULL;
                *p->free_top++ = (uint16_t)tag;
                continue;
            }
        }
        if ((dw3 & CQE_PHASE) != p->phase_bit)
            break;
        if (!take_any(p, __atomic_load_n(&e->dw2, __ATOMIC_RELAXED), dw3))
            return c;
    }
    moved_to(p, e);
    return c;
}

/* What requests of several commands, failures and shared queues leave behind. */
static __attribute__((noinline)) unsigned poll_slowly(struct nvme_lane *l, struct io_completion *c,
                                                      unsigned max)
{
    unsigned n = lane_collect(&l->slots, c, max);

    if (l->slots.fifo_count && !l->base.dead) {
        send_parts(l);
        ring(l->pair);
    }
    return n;
}

unsigned nvme_poll(struct io_lane *base, struct io_completion *c, unsigned max)
{
    struct nvme_lane *l = (struct nvme_lane *)base;
    const struct io_completion *const first = c, *const end = c + max;

    if (UNLIKELY(l->slots.done_count))
        c += lane_collect(&l->slots, c, max);
    if (UNLIKELY(l->base.dead))
        return (unsigned)(c - first);
    c = reap(l->pair, l, c, end);
    if (UNLIKELY(l->slots.done_count || l->slots.fifo_count))
        c += poll_slowly(l, c, (unsigned)(end - c));
    return (unsigned)(c - first);
}

void nvme_reap_pair(struct nvme_pair *p)
{
    const struct nvme_cqe *e = p->cq_next;

    while (!p->broken) {
        uint32_t dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE);

        if ((dw3 & CQE_PHASE) != p->phase_bit ||
            !take_any(p, __atomic_load_n(&e->dw2, __ATOMIC_RELAXED), dw3))
            break;
        e = step(p, e);
    }
    if (!p->broken)
        moved_to(p, e);
}
