#include "ahci_internal.h"
#include "math.h"

const struct disk_ops ahci_disk_ops = {
    .open = ahci_open,
    .submit = ahci_submit,
    .kick = ahci_kick,
    .poll = ahci_poll,
    .expire = ahci_expire,
    .close = ahci_close,
    .status_words = ahci_status_words,
    .reset = ahci_lane_reset,
    .set_cache = ahci_set_cache,
};

static void join(struct ahci_port *p, struct ahci_lane *l)
{
    if (p->turn) {
        l->next = p->turn->next;
        p->turn->next = l;
    } else {
        p->turn = l->next = l;
    }
    p->lane_count++;
}

static void leave(struct ahci_port *p, struct ahci_lane *l)
{
    struct ahci_lane *before = l;

    while (before->next != l)
        before = before->next;
    before->next = l->next;
    if (p->turn == l)
        p->turn = l->next;
    if (!--p->lane_count)
        p->turn = NULL;
}

void ahci_lane_free(struct ahci_lane *l)
{
    plat_dma_free(&l->io.data);
    lane_slots_free(&l->slots);
    plat_free(l);
}

/* Memory that an engine which does not stop may still write to is kept until detach. */
static void let_go(struct ahci_port *p, struct ahci_lane *l)
{
    if (!p->stuck) {
        ahci_lane_free(l);
        return;
    }
    l->next = p->hba->parked;
    p->hba->parked = l;
}

static int open_gates(struct ahci_lane *l, const struct ahci_port *p, bool writes)
{
    uint64_t n = p->disk.lba_count;
    int rc = gate_open(&l->single, GATE_ATA, p->lba48 ? ATA_READ_DMA_EXT : ATA_READ_DMA, n);

    if (!rc && writes)
        rc = gate_open_writes(&l->single, GATE_ATA, ahci_single_opcode(p, IO_WRITE),
                              ahci_single_opcode(p, IO_FLUSH), p->disk.identity, n);
    if (rc || !p->ncq)
        return rc;
    rc = gate_open(&l->queued, GATE_ATA, ATA_READ_FPDMA_QUEUED, n);
    if (rc || !writes)
        return rc;
    return gate_open_writes(&l->queued, GATE_ATA, ATA_WRITE_FPDMA_QUEUED, ahci_single_opcode(p, IO_FLUSH),
                            p->disk.identity, n);
}

int ahci_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out)
{
    struct ahci_port *p = ahci_port_of(d);
    struct dma_limits lim = { .highest_address = p->hba->s64a ? 0 : UINT32_MAX };
    uint32_t buffers = shape->buffer_per_slot ? shape->depth : 1;
    struct ahci_lane *l;
    int rc;

    *out = NULL;
    if (d->fault.err)
        return d->fault.err;
    if (shape->writes && !gate_is_armed(d->identity, NULL, NULL))
        return NOTE(E_REFUSED, "a lane that writes on a disk that is not armed", shape->request_bytes, 0);
    if (!shape->depth || shape->depth > d->max_depth)
        return NOTE(E_LIMIT, "depth of a lane", shape->depth, d->max_depth);
    if (!shape->request_bytes || shape->request_bytes & (d->lba_bytes - 1))
        return NOTE(E_LIMIT, "bytes of a request, a multiple of the block", shape->request_bytes,
                    d->lba_bytes);
    l = plat_alloc(sizeof *l);
    if (!l)
        return NOTE(E_NOMEM, "lane", 0, sizeof *l);
    l->port = p;
    l->request_blocks = shape->request_bytes >> p->lba_shift;
    l->whole_blocks =
        (uint32_t)(min_u64(shape->request_bytes, min_u64(d->max_command_bytes, REGION_MAX_BYTES)) >>
                   p->lba_shift);
    l->io = (struct io_lane){ .disk = d,
                              .depth = shape->depth,
                              .request_bytes = shape->request_bytes,
                              .command_bytes = d->max_command_bytes,
                              .buffer_per_slot = shape->buffer_per_slot };
    l->slot_stride_bytes = shape->buffer_per_slot ? shape->request_bytes : 0;
    rc = open_gates(l, p, shape->writes);
    if (rc == OK)
        rc = lane_slots_alloc(&l->slots, shape->depth, d->max_command_bytes >> p->lba_shift);
    if (rc == OK)
        rc = plat_dma_alloc(d->controller->fn, (size_t)buffers * shape->request_bytes, &lim, &l->io.data);
    if (rc == OK && !p->lane_count)
        rc = ahci_wake(p, l->io.data.bus);
    if (rc) {
        let_go(p, l);
        return rc;
    }
    join(p, l);
    *out = &l->io;
    return OK;
}

static bool has_parts(const struct ahci_port *p, const struct ahci_lane *l)
{
    for (uint32_t t = p->issued | p->pending; t; t &= t - 1)
        if (p->tag[__builtin_ctz(t)].lane == l)
            return true;
    for (unsigned i = 0; i < p->retry_count; i++)
        if (p->retry[i].lane == l)
            return true;
    return false;
}

void ahci_close(struct io_lane *io)
{
    struct ahci_lane *l = ahci_lane(io);
    struct ahci_port *p = l->port;

    /* A caller that did not drain: memory that the drive may still write to must not be given back. */
    if (has_parts(p, l)) {
        FAULT(&p->disk.fault, E_PROTO, "lane closed with requests in flight", p->issued, 0);
        ahci_die(p);
    }
    /* Errors that were corrected on the way ended no read and are on record only here. */
    ahci_port_note_link(p, px_read(p, PX_SERR));
    leave(p, l);
    let_go(p, l);
}
