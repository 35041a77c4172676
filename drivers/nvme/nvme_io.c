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

/* Requests of one part, with nothing before them in the queue and a tag free, go straight to "in flight": how
 * many from the first on.  What the loop needs is held in variables, because a store to a ring could, for all
 * the compiler knows, change what stands behind any pointer. */
static inline unsigned send_whole(struct nvme_lane *l, const struct io_request *r, unsigned n)
{
    struct nvme_pair *p = l->pair;
    struct lane_slot *slots = l->slots.slot;
    const struct gate_pass pass = l->pass;
    uint32_t depth = l->slots.depth, part_blocks = l->slots.part_blocks, tail = p->sq_tail;
    uint16_t *tags_left = p->free_tags + p->free_count;
    unsigned i, most = l->slots.fifo_count ? 0 : (unsigned)min_u64(n, p->free_count);

    for (i = 0; i < most; i++) {
        uint64_t lba = r[i].lba;
        uint32_t blocks = r[i].blocks;
        uint16_t slot = r[i].slot;
        struct lane_slot *x = &slots[slot];

        if (UNLIKELY(slot >= depth || x->busy || blocks > part_blocks ||
                     !gate_lets_through(&pass, NVME_READ, lba, blocks)))
            break;
        lane_start_whole(x, &r[i]);
        uint32_t tag = *--tags_left;
        struct nvme_tag *t = &p->tags[tag];
        t->lane = l;
        t->lba = lba;
        t->slot = slot;
        put_read(l, &p->sqe[tail], tag, lba, blocks, slot, 0);
        tail = tail + 1 == p->entries ? 0 : tail + 1;
    }
    l->slots.in_flight_slots = (uint16_t)(l->slots.in_flight_slots + i);
    p->free_count -= i;
    p->sq_tail = tail;
    return i;
}

unsigned nvme_submit(struct io_lane *base, const struct io_request *r, unsigned n)
{
    struct nvme_lane *l = (struct nvme_lane *)base;
    unsigned taken = 0;

    if (l->base.dead)
        return 0;
    while ((taken += send_whole(l, r + taken, n - taken)) < n) {
        if (!take_slowly(l, r + taken))
            break;
        taken++;
    }
    return taken;
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

/* A completion that is not the good end of a whole request of the lane that polls: checked, its tag freed, its
 * slot told.  False: the device broke the protocol. */
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

/* Takes completions until there is none, or until `max` whole requests of lane l (NULL: of none) are in c. */
static inline unsigned reap(struct nvme_pair *p, struct nvme_lane *l, struct io_completion *c, unsigned max)
{
    const uint32_t entries = p->entries, sqid_base = p->sqid_base;
    const struct nvme_cqe *e = p->cqe + p->cq_head, *const end = p->cqe + entries;
    uint32_t phase = p->phase;
    unsigned n = 0, others = 0;

    while (n != max) {
        uint32_t dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE), dw2, tag = (uint16_t)dw3;
        struct nvme_tag *t = &p->tags[tag];
        struct lane_slot *x;

        /* Phase and status at once: the usual completion has no status. */
        if (UNLIKELY(dw3 >> 16 != phase) && ((dw3 >> 16) & 1) != phase)
            break;
        dw2 = __atomic_load_n(&e->dw2, __ATOMIC_RELAXED);
        /* SQID and SQHD in one comparison: below sqid_base the difference wraps to a huge number. */
        if (LIKELY(l && dw3 >> 16 == phase && tag < entries - 1 && dw2 - sqid_base < entries && t->lane == l &&
                   lane_is_whole(x = &l->slots.slot[t->slot]))) {
            c[n++] = (struct io_completion){ .slot = t->slot, .status = IO_OK };
            lane_end_whole(x);
            t->lane = NULL;
            p->free_tags[p->free_count++] = (uint16_t)tag;
        } else if (take_any(p, dw2, dw3)) {
            others++;
        } else {
            break;
        }
        if (UNLIKELY(++e == end)) {
            e = p->cqe;
            phase ^= 1;
        }
    }
    if (l)
        l->slots.in_flight_slots = (uint16_t)(l->slots.in_flight_slots - n);
    p->cq_head = (uint32_t)(e - p->cqe);
    p->phase = phase;
    if (n + others && !p->broken)
        plat_write32(&p->ctrl->regs, p->cq_bell, p->cq_head);
    return n;
}

unsigned nvme_poll(struct io_lane *base, struct io_completion *c, unsigned max)
{
    struct nvme_lane *l = (struct nvme_lane *)base;
    struct nvme_pair *p = l->pair;
    struct lane_slots *s = &l->slots;
    unsigned n = s->done_count ? lane_collect(s, c, max) : 0;

    if (p->broken || l->base.dead)
        return n;
    n += reap(p, l, c + n, max - n);
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
    if (!p->broken)
        reap(p, NULL, NULL, UINT32_MAX);
}
