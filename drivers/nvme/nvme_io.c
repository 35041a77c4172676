#include "nvme_internal.h"

/* The path of an I/O: [any], no allocation, no register read, one doorbell per batch.  Cold branches are
 * functions of their own so that the hot ones stay in registers. */
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- towards the device ---- */
/* The buffers never move: which pages a part fills was decided when the lane was opened. */
static inline void put_read(struct nvme_pair *p, struct nvme_lane *l, uint64_t lba, uint32_t blocks,
                            uint16_t slot, uint32_t part)
{
    uint32_t tag = p->free_tags[--p->free_count];
    struct nvme_tag *t = &p->tags[tag];
    struct nvme_sqe *e = &p->sqe[p->sq_tail];
    uint32_t bytes = blocks << l->lba_shift;
    uint64_t prp1 = l->data_bus + slot * l->slot_bytes, prp2 = 0;

    if (part)
        prp1 += (uint64_t)part * l->base.command_bytes;
    if (bytes > l->page_bytes) {
        prp2 = prp1 + l->page_bytes;
        if (bytes > 2 * l->page_bytes)
            prp2 = l->list_bus + (uint64_t)slot * l->slot_list_bytes + (uint64_t)part * l->list_bytes;
    }
    t->lane = l;
    t->lba = lba;
    t->slot = slot;
    e->cdw0 = l->pass.read_opcode | tag << 16;
    e->nsid = l->nsid;
    e->reserved2 = 0;
    e->mptr = 0;
    e->prp1 = prp1;
    e->prp2 = prp2;
    e->slba = lba;
    e->cdw12 = blocks - 1;
    e->cdw13 = 0;
    e->cdw14 = 0;
    e->cdw15 = 0;
    p->sq_tail = p->sq_tail + 1 == p->entries ? 0 : p->sq_tail + 1;
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
        put_read(p, l, part.lba, part.blocks, part.slot, part.part);
        lane_took_part(s, &part);
    }
}

/* A request of several parts, one that must wait, or one that must not be sent.  False: the caller gave a
 * slot that is not free, which cannot even be answered. */
static __attribute__((noinline)) bool take_slowly(struct nvme_lane *l, const struct io_request *r)
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

unsigned nvme_submit(struct io_lane *base, const struct io_request *r, unsigned n)
{
    struct nvme_lane *l = (struct nvme_lane *)base;
    struct nvme_pair *p = l->pair;
    struct lane_slots *s = &l->slots;
    unsigned i;

    if (l->base.dead)
        return 0;
    for (i = 0; i < n; i++, r++) {
        struct lane_slot *x = &s->slot[r->slot];

        /* One part, nothing before it in the queue, a tag free: the slot goes straight to "in flight". */
        if (LIKELY(r->slot < s->depth && !x->busy && !s->fifo_count && p->free_count &&
                   r->blocks <= s->part_blocks &&
                   gate_lets_through(&l->pass, NVME_READ, r->lba, r->blocks))) {
            *x = (struct lane_slot){ .parts_in_flight = 1, .next_part = 1, .busy = 1 };
            s->in_flight_slots++;
            put_read(p, l, r->lba, r->blocks, r->slot, 0);
        } else if (!take_slowly(l, r)) {
            break;
        }
    }
    return i;
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

static __attribute__((noinline)) void finish_part(struct nvme_lane *l, const struct nvme_tag *t, uint32_t dw3)
{
    uint32_t status = (uint32_t)FIELD_GET(CQE_STATUS, dw3);

    if (status)
        lane_slot_failed(&l->slots, t->slot, nvme_status_kind(status), status, t->lba);
    lane_part_done(&l->slots, t->slot);
}

/* The next completion's tag, freed and checked; NULL: none, or the pair broke. */
static inline struct nvme_tag *take_completion(struct nvme_pair *p, uint32_t *dw3_out)
{
    const struct nvme_cqe *e = &p->cqe[p->cq_head];
    uint32_t dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE);

    if ((dw3 & (uint32_t)CQE_PHASE) != p->phase)
        return NULL;
    uint32_t dw2 = __atomic_load_n(&e->dw2, __ATOMIC_RELAXED);
    uint32_t tag = (uint16_t)dw3;
    struct nvme_tag *t = &p->tags[tag];
    /* One comparison for both: below sqid_base it wraps to a huge number. */
    if (UNLIKELY(tag >= p->entries - 1 || dw2 - p->sqid_base >= p->entries || !t->lane)) {
        break_pair(p, dw2, dw3);
        return NULL;
    }
    p->free_tags[p->free_count++] = (uint16_t)tag;
    if (UNLIKELY(++p->cq_head == p->entries)) {
        p->cq_head = 0;
        p->phase ^= (uint32_t)CQE_PHASE;
    }
    *dw3_out = dw3;
    return t;
}

unsigned nvme_poll(struct io_lane *base, struct io_completion *c, unsigned max)
{
    struct nvme_lane *l = (struct nvme_lane *)base;
    struct nvme_pair *p = l->pair;
    struct lane_slots *s = &l->slots;
    unsigned n = s->done_count ? lane_collect(s, c, max) : 0;
    uint32_t head = p->cq_head, phase = p->phase, dw3;
    struct nvme_tag *t;

    if (p->broken || l->base.dead)
        return n;
    while (n < max && (t = take_completion(p, &dw3))) {
        struct nvme_lane *owner = t->lane;
        struct lane_slot *x = &owner->slots.slot[t->slot];

        t->lane = NULL;
        /* The whole of a request of ours, without an error: past the queue of finished slots. */
        if (LIKELY(owner == l && !(dw3 >> 17) && x->parts_in_flight == 1 && !x->queued && !x->status)) {
            x->parts_in_flight = 0;
            x->busy = 0;
            s->in_flight_slots--;
            c[n++] = (struct io_completion){ .slot = t->slot, .status = IO_OK };
        } else {
            finish_part(owner, t, dw3);
        }
    }
    if (UNLIKELY(p->broken))
        return n + lane_collect(s, c + n, max - n);
    if (head != p->cq_head || phase != p->phase)
        plat_write32(&p->ctrl->regs, p->cq_bell, p->cq_head);
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
    uint32_t head = p->cq_head, phase = p->phase, dw3;
    struct nvme_tag *t;

    while (!p->broken && (t = take_completion(p, &dw3))) {
        struct nvme_lane *owner = t->lane;

        t->lane = NULL;
        finish_part(owner, t, dw3);
    }
    if (!p->broken && (head != p->cq_head || phase != p->phase))
        plat_write32(&p->ctrl->regs, p->cq_bell, p->cq_head);
}
