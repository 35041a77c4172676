#include "ahci_internal.h"

/* The path of every read.  [any] throughout: memory and registers only.
 *
 * A command slot is a tag, and its table and header stay where they are (ahci_spec.h).  SACT says which
 * queued commands the drive still holds, CI which others; one read of one of them finds all that is done. */

void ahci_set_single(struct ahci_port *p, bool single)
{
    p->single = single;
    p->free_tags = single ? 1 : p->all_tags;
}

/* ---- putting ---- */
static void put_regions(struct ahci_table *t, struct ahci_header *h, uint64_t bus, uint32_t bytes)
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
    h->dw0 = HEADER_FIS_WORDS | n << 16;
    h->moved_bytes = 0;
}

static void put_queued(uint32_t *fis, unsigned tag, uint64_t lba, uint32_t blocks)
{
    fis[0] = FIS_COMMAND(ATA_READ_FPDMA_QUEUED, blocks & 0xff);
    fis[1] = FIS_LBA_LOW(lba, FIS_DEVICE_LBA);
    fis[2] = FIS_LBA_HIGH(lba, blocks >> 8 & 0xff);
    fis[3] = tag << 3;
}

static void put_single(const struct ahci_port *p, uint32_t *fis, uint64_t lba, uint32_t blocks)
{
    if (p->lba48) {
        fis[0] = FIS_COMMAND(ATA_READ_DMA_EXT, 0);
        fis[1] = FIS_LBA_LOW(lba, FIS_DEVICE_LBA);
        fis[2] = FIS_LBA_HIGH(lba, 0);
        fis[3] = blocks & 0xffff;
    } else {
        fis[0] = FIS_COMMAND(ATA_READ_DMA, 0);
        fis[1] = FIS_LBA_LOW(lba, FIS_DEVICE_LBA | (lba >> 24 & 0xf));
        fis[2] = 0;
        fis[3] = blocks & 0xff;
    }
}

/* False: the gate said no.  A free tag exists. */
static bool put(struct ahci_port *p, const struct ahci_part *a)
{
    struct ahci_lane *l = a->lane;
    unsigned tag = (unsigned)__builtin_ctz(p->free_tags);
    struct ahci_table *t = &p->mem->table[tag];
    uint64_t bus = l->io.data.bus + a->slot * l->slot_stride_bytes + (uint64_t)a->part * l->io.command_bytes;

    if (p->single) {
        if (!gate_lets_through(&l->single, p->lba48 ? ATA_READ_DMA_EXT : ATA_READ_DMA, a->lba, a->blocks))
            return false;
        put_single(p, t->fis, a->lba, a->blocks);
    } else {
        if (!gate_lets_through(&l->queued, ATA_READ_FPDMA_QUEUED, a->lba, a->blocks))
            return false;
        put_queued(t->fis, tag, a->lba, a->blocks);
    }
    put_regions(t, &p->mem->header[tag], bus, a->blocks << p->lba_shift);
    p->tag[tag] = *a;
    p->free_tags &= p->free_tags - 1;
    p->pending |= 1u << tag;
    return true;
}

static void pump_repeats(struct ahci_port *p)
{
    unsigned n = 0;

    while (n < p->retry_count && p->free_tags) {
        const struct ahci_part *a = &p->retry[n++];
        struct lane_slot *s = &a->lane->slots.slot[a->slot];
        if (!put(p, a)) {
            lane_slot_failed(&a->lane->slots, a->slot, IO_REFUSED, 0, a->lba);
            lane_part_done(&a->lane->slots, a->slot);
        } else if (a->resend && s->retries < UINT8_MAX) {
            s->retries++;
        }
    }
    p->retry_count -= n;
    for (unsigned i = 0; n && i < p->retry_count; i++)
        p->retry[i] = p->retry[i + n];
    /* The culprit is found: back to the queue, once the last repeat is answered. */
    if (p->single && p->ncq && !p->retry_count && !(p->issued | p->pending))
        ahci_set_single(p, false);
}

void ahci_pump(struct ahci_port *p)
{
    struct ahci_lane *l = p->turn;
    struct lane_part part;
    unsigned without_work = 0;

    if (p->single || p->retry_count)
        pump_repeats(p);
    while (p->free_tags && without_work < p->lane_count) {
        if (lane_peek_part(&l->slots, &part)) {
            struct ahci_part a = {
                .lane = l, .lba = part.lba, .blocks = part.blocks, .slot = part.slot, .part = part.part
            };
            without_work = 0;
            if (put(p, &a))
                lane_took_part(&l->slots, &part);
            else
                lane_slot_failed(&l->slots, part.slot, IO_REFUSED, 0, part.lba);
        } else {
            without_work++;
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

unsigned ahci_submit(struct io_lane *io, const struct io_request *r, unsigned n)
{
    struct ahci_lane *l = ahci_lane(io);
    struct ahci_port *p = l->port;
    const struct gate_pass *pass = p->ncq ? &l->queued : &l->single;
    unsigned taken = 0;

    if (io->dead)
        return 0;
    for (; taken < n && lane_accept(&l->slots, &r[taken]); taken++) {
        const struct io_request *q = &r[taken];
        /* The whole request, so that none of it is sent when a later part would be refused. */
        if (q->blocks > l->request_blocks || !gate_lets_through(pass, pass->read_opcode, q->lba, q->blocks))
            lane_slot_failed(&l->slots, q->slot, IO_REFUSED, 0, q->lba);
    }
    ahci_pump(p);
    return taken;
}

void ahci_kick(struct io_lane *io) { ahci_ring(ahci_lane(io)->port); }

/* ---- collecting ---- */
void ahci_finish(struct ahci_port *p, uint32_t tags)
{
    p->issued &= ~tags;
    p->free_tags |= tags;
    p->reads_ok = true;
    p->restarts = p->resets = 0;
    for (; tags; tags &= tags - 1) {
        const struct ahci_part *a = &p->tag[__builtin_ctz(tags)];
        lane_part_done(&a->lane->slots, a->slot);
    }
}

void ahci_look(struct ahci_port *p, bool ask)
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
    if (p->single && p->counts_bytes) {
        uint32_t want = p->tag[0].blocks << p->lba_shift;
        uint32_t moved = __atomic_load_n(&p->mem->header[0].moved_bytes, __ATOMIC_RELAXED);
        if (moved < want) {
            ahci_short_read(p, want - moved);
            return;
        }
    }
    ahci_finish(p, done);
    ahci_pump(p);
    ahci_ring(p);
}

unsigned ahci_poll(struct io_lane *io, struct io_completion *c, unsigned max)
{
    struct ahci_lane *l = ahci_lane(io);

    if (l->port->issued)
        ahci_look(l->port, false);
    return lane_collect(&l->slots, c, max);
}
