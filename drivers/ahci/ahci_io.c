#include "ahci_internal.h"

/* The path of every read, write and flush.  [any] throughout: memory and registers only.
 *
 * A command slot is a tag, and its table and header stay where they are (ahci_spec.h).  SACT says which
 * queued commands the drive still holds, CI which others; one read of one of them finds all that is done.
 *
 * A flush is never queued, and queued and other commands must not meet (fact sheet B4): when it is a flush's
 * turn the port drains first, and nothing overtakes it meanwhile. */

void ahci_set_single(struct ahci_port *p, bool single)
{
    p->single = single;
    p->free_tags = single ? 1 : p->all_tags;
}

/* ---- putting ---- */
static __attribute__((noinline)) uint32_t put_many_regions(struct ahci_table *t, uint64_t bus, uint32_t bytes)
{
    uint32_t n = 0;

    do {
        uint32_t now_bytes = bytes < REGION_MAX_BYTES ? bytes : (uint32_t)REGION_MAX_BYTES;
        t->region[n].bus = bus;
        t->region[n].bytes_less_one = now_bytes - 1;
        n++;
        bus += now_bytes;
        bytes -= now_bytes;
    } while (bytes);
    return n;
}

uint8_t ahci_single_opcode(const struct ahci_port *p, uint8_t op)
{
    if (op == IO_FLUSH)
        return p->features.flush_ext ? ATA_FLUSH_CACHE_EXT : ATA_FLUSH_CACHE;
    if (op == IO_WRITE)
        return p->lba48 ? ATA_WRITE_DMA_EXT : ATA_WRITE_DMA;
    return p->lba48 ? ATA_READ_DMA_EXT : ATA_READ_DMA;
}

static inline uint8_t queued_opcode(uint8_t op)
{
    return op == IO_WRITE ? ATA_WRITE_FPDMA_QUEUED : ATA_READ_FPDMA_QUEUED;
}
static inline uint32_t header_of(uint8_t op)
{
    return HEADER_FIS_WORDS | (op == IO_WRITE ? (uint32_t)HEADER_WRITE : 0);
}

/* Everything of a command but its FIS; the tag is no longer free. */
static inline void put_rest(struct ahci_port *p, unsigned tag, struct ahci_lane *l, struct lane_part part)
{
    struct ahci_table *t = &p->mem->table[tag];
    struct ahci_part *a = &p->tag[tag];
    uint64_t bus =
        l->io.data.bus + part.slot * l->slot_stride_bytes + (uint64_t)part.part * l->io.command_bytes;
    uint32_t bytes = part.blocks << p->lba_shift, n = 1;

    if (__builtin_expect(bytes > REGION_MAX_BYTES, 0)) {
        n = put_many_regions(t, bus, bytes);
    } else if (!bytes) {
        n = 0;
    } else {
        t->region[0].bus = bus;
        t->region[0].bytes_less_one = bytes - 1;
    }
    p->mem->header[tag].dw0_and_moved = header_of(part.op) | n << 16;
    a->lane = l;
    a->lba = part.lba;
    a->blocks = part.blocks;
    a->slot_and_more = part.slot | (uint64_t)part.part << 16;
    p->free_tags &= p->free_tags - 1;
    p->pending |= 1u << tag;
}

/* The first 16 bytes; the rest of the FIS stays zero. */
static inline void put_fis_queued(struct ahci_table *t, uint8_t opcode, unsigned tag, uint64_t lba,
                                  uint32_t blocks)
{
    t->fis_pair[0] = FIS_COMMAND(opcode, blocks & 0xff) | (uint64_t)FIS_LBA_LOW(lba, FIS_DEVICE_LBA) << 32;
    t->fis_pair[1] = FIS_LBA_HIGH(lba, blocks >> 8 & 0xff) | (uint64_t)(tag << 3) << 32;
}

/* False: the gate said no.  A free tag exists. */
static inline bool put_queued(struct ahci_port *p, struct ahci_lane *l, struct lane_part part)
{
    unsigned tag = (unsigned)__builtin_ctz(p->free_tags);

    if (!gate_lets_through(&l->queued, queued_opcode(part.op), part.lba, part.blocks))
        return false;
    put_fis_queued(&p->mem->table[tag], queued_opcode(part.op), tag, part.lba, part.blocks);
    put_rest(p, tag, l, part);
    return true;
}

static __attribute__((noinline)) bool put_single(struct ahci_port *p, struct ahci_lane *l,
                                                 struct lane_part part)
{
    uint8_t opcode = ahci_single_opcode(p, part.op);
    uint32_t *fis = p->mem->table[0].fis;

    if (part.op == IO_FLUSH ? !gate_lets_flush(&l->single, opcode)
                            : !gate_lets_through(&l->single, opcode, part.lba, part.blocks))
        return false;
    fis[0] = FIS_COMMAND(opcode, 0);
    if (part.op == IO_FLUSH) {
        fis[1] = fis[2] = fis[3] = 0;
    } else if (p->lba48) {
        fis[1] = FIS_LBA_LOW(part.lba, FIS_DEVICE_LBA);
        fis[2] = FIS_LBA_HIGH(part.lba, 0);
        fis[3] = part.blocks & 0xffff;
    } else {
        fis[1] = FIS_LBA_LOW(part.lba, FIS_DEVICE_LBA | (part.lba >> 24 & 0xf));
        fis[2] = 0;
        fis[3] = part.blocks & 0xff;
    }
    put_rest(p, 0, l, part);
    return true;
}

static inline bool put(struct ahci_port *p, struct ahci_lane *l, struct lane_part part)
{
    return __builtin_expect(p->single, 0) ? put_single(p, l, part) : put_queued(p, l, part);
}

static __attribute__((noinline)) void pump_repeats(struct ahci_port *p)
{
    unsigned n = 0;

    while (n < p->retry_count && p->free_tags) {
        const struct ahci_part *a = &p->retry[n++];
        struct lane_slot *s = &a->lane->slots.slot[a->slot];
        struct lane_part part = {
            .lba = a->lba, .blocks = a->blocks, .slot = a->slot, .part = a->part, .op = s->op
        };
        unsigned tag = (unsigned)__builtin_ctz(p->free_tags);
        if (!put(p, a->lane, part)) {
            lane_slot_failed(&a->lane->slots, a->slot, IO_REFUSED, 0, a->lba);
            lane_part_done(&a->lane->slots, a->slot);
            continue;
        }
        p->tag[tag].tries = a->tries;
        if (a->resend && s->retries < UINT8_MAX)
            s->retries++;
    }
    p->retry_count -= n;
    for (unsigned i = 0; n && i < p->retry_count; i++)
        p->retry[i] = p->retry[i + n];
    /* The culprit is found: back to the queue, once the last repeat is answered. */
    if (p->single && p->ncq && !p->retry_count && !(p->issued | p->pending))
        ahci_set_single(p, false);
}

/* False: the flush that is next must wait. */
static __attribute__((noinline)) bool ready_for_flush(struct ahci_port *p, struct ahci_lane *whose)
{
    if (p->single)
        return true;
    p->draining = p->issued | p->pending;
    if (p->draining) {
        p->free_tags = 0;
        p->turn = whose;
        return false;
    }
    ahci_set_single(p, true);
    return true;
}

/* The tags that completions gave back are no one's before the flush. */
static bool still_draining(struct ahci_port *p)
{
    if (p->issued | p->pending) {
        p->free_tags = 0;
        return true;
    }
    p->draining = false;
    ahci_set_single(p, p->single);
    return false;
}

void ahci_pump(struct ahci_port *p)
{
    struct ahci_lane *l = p->turn;
    struct lane_part part;
    unsigned without_work = 0;

    if (__builtin_expect(p->draining, 0) && still_draining(p))
        return;
    if (__builtin_expect(p->single || p->retry_count, 0))
        pump_repeats(p);
    while (p->free_tags && without_work < p->lane_count) {
        if (!lane_peek_part(&l->slots, &part)) {
            without_work++;
        } else {
            without_work = 0;
            if (__builtin_expect(part.op == IO_FLUSH, 0) && !ready_for_flush(p, l))
                return;
            if (put(p, l, part))
                lane_took_part(&l->slots, &part);
            else
                lane_slot_failed(&l->slots, part.slot, IO_REFUSED, 0, part.lba);
        }
        l = l->next;
    }
    p->turn = l;
}

void ahci_ring(struct ahci_port *p)
{
    uint32_t tags = p->pending;

    if (!tags)
        return;
    p->pending = 0;
    p->issued |= tags;
    plat_dma_publish();
    if (!p->single)
        px_write(p, PX_SACT, tags);
    px_write(p, PX_CI, tags);
}

/* Each command is asked about when it is put.  A request of several is asked about as a whole too, so that
 * none of it is sent when a later one would be refused. */
static bool is_refused(const struct ahci_lane *l, const struct io_request *r)
{
    const struct gate_pass *pass = l->port->ncq ? &l->queued : &l->single;

    if (r->op == IO_FLUSH)
        return r->lba || r->blocks;
    if (r->op > IO_FLUSH || r->blocks - 1 >= l->request_blocks)
        return true;
    return r->blocks > l->slots.part_blocks &&
           !gate_lets_through(pass, r->op == IO_WRITE ? pass->write_opcode : pass->read_opcode, r->lba,
                              r->blocks);
}

/* Queued requests that are one command with one region each go straight into free tags, as long as nothing
 * waits: a free tag means that no lane of the port has a part, or a repeat, to send.  What the loop needs is
 * held in variables, since every store to a list could, for all the compiler knows, change what is behind a
 * pointer.  Made once for reads and once for writes.  Returns how many were taken; the first that is not so
 * plain ends it. */
static inline __attribute__((always_inline)) unsigned put_whole(struct ahci_port *p, struct ahci_lane *l,
                                                                enum io_op op, const struct io_request *r,
                                                                unsigned n)
{
    struct lane_slot *const slots = l->slots.slot;
    struct ahci_port_memory *const mem = p->mem;
    struct ahci_part *const tags = p->tag;
    const struct gate_pass pass = l->queued;
    const uint64_t data_bus = l->io.data.bus, stride_bytes = l->slot_stride_bytes;
    const uint32_t whole_blocks = l->whole_blocks, depth = l->io.depth;
    const uint8_t shift = p->lba_shift;
    uint32_t free_tags = p->free_tags;
    unsigned taken = 0;

    for (; taken < n && free_tags; taken++) {
        const uint64_t lba = r[taken].lba;
        const uint32_t blocks = r[taken].blocks;
        const uint32_t slot = lane_slot_and_op(&r[taken]) - ((uint32_t)op << 16);
        const unsigned tag = (unsigned)__builtin_ctz(free_tags);
        struct ahci_table *t = &mem->table[tag];
        struct ahci_part *a = &tags[tag];

        if (slot >= depth || slots[slot].busy || blocks > whole_blocks ||
            !gate_lets_through(&pass, queued_opcode(op), lba, blocks))
            break;
        put_fis_queued(t, queued_opcode(op), tag, lba, blocks);
        t->region[0].bus = data_bus + slot * stride_bytes;
        t->region[0].bytes_less_one = (blocks << shift) - 1;
        mem->header[tag].dw0_and_moved = header_of(op) | 1u << 16;
        a->lane = l;
        a->lba = lba;
        a->blocks = blocks;
        a->slot_and_more = slot;
        lane_start_whole(&slots[slot], op, lba);
        free_tags &= free_tags - 1;
    }
    p->pending |= p->free_tags ^ free_tags;
    p->free_tags = free_tags;
    return taken;
}

/* Goes on where the plain reads at the begin of a batch end. */
static __attribute__((noinline)) unsigned submit_mixed(struct ahci_port *p, struct ahci_lane *l,
                                                       const struct io_request *r, unsigned taken, unsigned n)
{
    unsigned at = n + 1;

    while (!p->single && taken < n && taken != at) {
        at = taken;
        taken += put_whole(p, l, IO_WRITE, r + taken, n - taken);
        taken += put_whole(p, l, IO_READ, r + taken, n - taken);
    }
    if (taken == n)
        return n;
    for (; taken < n && lane_accept(&l->slots, &r[taken]); taken++)
        if (is_refused(l, &r[taken]))
            lane_slot_failed(&l->slots, r[taken].slot, IO_REFUSED, 0, r[taken].lba);
    ahci_pump(p);
    return taken;
}

unsigned ahci_submit(struct io_lane *io, const struct io_request *r, unsigned n)
{
    struct ahci_lane *l = ahci_lane(io);
    struct ahci_port *p = l->port;
    unsigned taken = 0;

    if (io->dead)
        return 0;
    if (__builtin_expect(!p->single, 1))
        taken = put_whole(p, l, IO_READ, r, n);
    return taken == n ? n : submit_mixed(p, l, r, taken, n);
}

void ahci_kick(struct io_lane *io) { ahci_ring(ahci_lane(io)->port); }

/* ---- collecting ---- */
/* Where good ends of one lane may go at once, without its list of finished slots. */
struct taker {
    struct ahci_lane *lane; /* NULL: nowhere */
    struct io_completion *c, *end;
};

/* These tags were answered well. */
static inline void finish(struct ahci_port *p, uint32_t tags, struct taker *to)
{
    const struct ahci_part *const part = p->tag;
    struct ahci_lane *const lane = to->lane;
    struct lane_slot *const slots = lane ? lane->slots.slot : NULL;
    struct io_completion *c = to->c, *const end = to->end;

    p->issued &= ~tags;
    p->free_tags |= tags;
    p->reads_ok = true;
    p->restarts = p->soft_resets = p->resets = 0;
    for (; tags; tags &= tags - 1) {
        const struct ahci_part *a = &part[__builtin_ctz(tags)];
        const uint16_t slot = a->slot;
        if (__builtin_expect(a->lane != lane || !lane_is_whole(&slots[slot]) || c == end, 0)) {
            lane_part_done(&a->lane->slots, slot);
            continue;
        }
        lane_end_whole(&slots[slot], c++, slot);
    }
    to->c = c;
}

void ahci_finish(struct ahci_port *p, uint32_t tags)
{
    struct taker nobody = { 0 };

    finish(p, tags, &nobody);
}

static inline void look(struct ahci_port *p, bool ask, struct taker *to)
{
    uint32_t active = px_read(p, p->single ? PX_CI : PX_SACT), done = p->issued & ~active, is;

    if (!done && !ask && ++p->quiet_polls & QUIET_POLLS_MASK && !(active & ~p->issued))
        return;
    /* Read after SACT: an error that belongs to what is done shows here. */
    is = px_read(p, PX_IS);
    if ((is & (PXIS_TROUBLE | PXIS_INFS) || active & ~p->issued) && ahci_trouble(p, is, active))
        return;
    if (!done)
        return;
    plat_dma_observe();
    /* That the adapter counts was seen at a read, and is only known of reads. */
    if (p->single && p->counts_bytes && !(p->mem->header[0].dw0 & HEADER_WRITE)) {
        uint32_t want = p->tag[0].blocks << p->lba_shift;
        uint32_t moved = __atomic_load_n(&p->mem->header[0].moved_bytes, __ATOMIC_RELAXED);
        if (moved < want) {
            ahci_short_read(p, want - moved);
            return;
        }
    }
    finish(p, done, to);
    ahci_pump(p);
    ahci_ring(p);
}

void ahci_look(struct ahci_port *p, bool ask)
{
    struct taker nobody = { 0 };

    look(p, ask, &nobody);
}

unsigned ahci_poll(struct io_lane *io, struct io_completion *c, unsigned max)
{
    struct ahci_lane *l = ahci_lane(io);
    struct taker to = { .lane = l, .c = c + lane_collect(&l->slots, c, max), .end = c + max };

    if (l->port->issued)
        look(l->port, false, &to);
    return (unsigned)(to.c - c) + lane_collect(&l->slots, to.c, (unsigned)(to.end - to.c));
}
