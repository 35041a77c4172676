#include "mfi_path.h"

enum { READ_10_MAX_BLOCKS = 65535, MAX_PARTS = 65535 };
#define MAX_LANE_BYTES GIB

static void reckon_shares(struct mfi_card *card)
{
    unsigned share = card->lane_count ? card->io_frames / card->lane_count : card->io_frames;

    card->share = share ? share : 1;
}

static int open_gate(struct mfi_lane *m, const struct disk *d, enum gate_transport transport,
                     const uint8_t opcode[IO_FLUSH + 1], bool writes)
{
    int rc = gate_open(&m->pass, transport, opcode[IO_READ], d->lba_count);

    for (unsigned op = 0; op <= IO_FLUSH; op++)
        m->opcode[op] = opcode[op];
    if (rc || !writes)
        return rc;
    return gate_open_writes(&m->pass, transport, opcode[IO_WRITE], opcode[IO_FLUSH], d->identity,
                            d->lba_count);
}

/* What the gate will be asked about each command of the lane. */
static int set_command(struct mfi_lane *m, const struct mfi_disk *disk, bool writes)
{
    const struct disk *d = &disk->d;
    const uint32_t flags = MFI_FLAG_NO_POST | MFI_FLAG_SGL64 | (m->card->gen->ieee_io ? MFI_FLAG_IEEE : 0u);

    m->target = disk->address.target;
    m->virtual_drive = d->kind == DISK_VIRTUAL_DRIVE;
    m->flags[IO_READ] = flags | MFI_FLAG_READ;
    m->flags[IO_WRITE] = flags | MFI_FLAG_WRITE;
    m->flags[IO_FLUSH] = m->virtual_drive ? MFI_FLAG_NO_POST : flags;
    if (m->virtual_drive && writes && !gate_permits(GATE_MFI_DCMD, MFI_CACHE_FLUSH.opcode, 0))
        return NOTE(E_REFUSED, "gate: cache flush of the card", MFI_CACHE_FLUSH.opcode, 0);
    if (m->virtual_drive && !m->fusion) {
        m->frame_cmd = MFI_LD_READ;
        return open_gate(m, d, GATE_MFI_FRAME, (const uint8_t[]){ MFI_LD_READ, MFI_LD_WRITE, MFI_DCMD },
                         writes);
    }
    m->frame_cmd = disk->address.cmd;
    if (m->fusion ? !gate_permits(GATE_FUSION, FUSION_LD_IO, 0)
                  : !gate_permits(GATE_MFI_FRAME, m->frame_cmd, 0))
        return NOTE(E_REFUSED, "gate: SCSI command through the card", m->frame_cmd, m->fusion);
    if (d->lba_count > UINT32_MAX)
        return open_gate(m, d, GATE_SCSI, (const uint8_t[]){ READ_16, WRITE_16, SYNCHRONIZE_CACHE_10 },
                         writes);
    return open_gate(m, d, GATE_SCSI, (const uint8_t[]){ READ_10, WRITE_10, SYNCHRONIZE_CACHE_10 }, writes);
}

static uint32_t command_bytes(const struct disk *d, uint32_t request_bytes)
{
    uint64_t most = min_u64(d->max_command_bytes, request_bytes);

    return (uint32_t)(most / d->lba_bytes * d->lba_bytes);
}
/* No limit of the card lets a command outgrow the 16 bits that READ(10) has for its length. */
_Static_assert(MFI_MAX_SGE *MFI_SEGMENT_BYTES / 512 <= READ_10_MAX_BLOCKS, "READ(10)");

static int check_shape(const struct disk *d, const struct lane_shape *s)
{
    if (s->writes && !gate_is_armed(d->identity, NULL, NULL))
        return NOTE(E_REFUSED, "a lane that writes on a disk that is not armed", s->request_bytes, 0);
    if (!s->depth || s->depth > d->max_depth)
        return NOTE(E_LIMIT, "lane depth", s->depth, d->max_depth);
    if (!s->request_bytes || s->request_bytes % d->lba_bytes)
        return NOTE(E_LIMIT, "lane request size", s->request_bytes, d->lba_bytes);
    if (s->request_bytes / command_bytes(d, s->request_bytes) > MAX_PARTS ||
        (uint64_t)s->request_bytes * (s->buffer_per_slot ? s->depth : 1) > MAX_LANE_BYTES)
        return NOTE(E_LIMIT, "lane buffers", s->request_bytes, MAX_LANE_BYTES);
    return OK;
}

/* cpu_only: the data buffer stays where it is, for the firmware may still write it. */
static void free_lane(struct mfi_lane *m, bool cpu_only)
{
    lane_slots_free(&m->slots);
    plat_free(m->home);
    plat_free(m->in_flight);
    if (!cpu_only)
        plat_dma_free(&m->l.data);
    plat_free(m);
}

static int alloc_lane(struct mfi_lane *m, const struct lane_shape *s)
{
    /* No scatter entry may cross a 4 GiB line; the card takes data anywhere. */
    const struct dma_limits lim = { .boundary_bytes = 4 * GIB };
    size_t data_bytes = (size_t)s->request_bytes * (s->buffer_per_slot ? s->depth : 1);
    int rc = lane_slots_alloc(&m->slots, s->depth, m->l.command_bytes / m->lba_bytes);

    if (rc)
        return rc;
    m->home = plat_alloc(s->depth * sizeof(struct mfi_tag *));
    m->in_flight = plat_alloc(m->card->io_frames * sizeof(struct mfi_tag *));
    if (!m->home || !m->in_flight)
        return NOTE(E_NOMEM, "lists of a lane", s->depth, m->card->io_frames);
    for (unsigned i = 0; i < s->depth; i++)
        m->home[i] = &m->card->nobody;
    if ((rc = plat_dma_alloc(m->card->c.fn, data_bytes, &lim, &m->l.data)))
        return NOTE(rc, "data buffers of a lane", 0, data_bytes);
    return OK;
}

static int lane_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out)
{
    struct mfi_card *card = mfi_card_of(d->controller);
    int rc = check_shape(d, shape);

    *out = NULL;
    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc)
        return rc;
    if (card->lane_count == card->io_frames)
        return NOTE(E_LIMIT, "lanes of one card", card->lane_count, card->io_frames);
    struct mfi_lane *m = plat_alloc(sizeof *m);
    if (!m)
        return NOTE(E_NOMEM, "lane", 0, sizeof *m);
    m->card = card;
    m->fusion = card->gen->fusion;
    m->lba_bytes = d->lba_bytes;
    m->max_blocks = shape->request_bytes / d->lba_bytes;
    m->slot_stride = shape->buffer_per_slot ? shape->request_bytes : 0;
    m->l = (struct io_lane){ .disk = d,
                             .depth = shape->depth,
                             .request_bytes = shape->request_bytes,
                             .command_bytes = command_bytes(d, shape->request_bytes),
                             .buffer_per_slot = shape->buffer_per_slot };
    if ((rc = set_command(m, (const struct mfi_disk *)d, shape->writes)) || (rc = alloc_lane(m, shape))) {
        free_lane(m, false);
        return rc;
    }
    if (!++card->lane_serial)
        card->lane_serial = 1;
    m->key = (uint64_t)card->lane_serial << 48;
    m->next = card->lanes;
    card->lanes = m;
    card->lane_count++;
    reckon_shares(card);
    *out = &m->l;
    return OK;
}

/* No frame is built for it any more. */
static void forget_lane(struct mfi_card *card, const struct mfi_lane *m)
{
    for (unsigned i = 0; i < card->management_count + card->io_frames; i++)
        if (card->tags[i].lane == m) {
            card->tags[i].lane = NULL;
            card->tags[i].built = 0;
        }
}

static void lane_close(struct io_lane *l)
{
    struct mfi_lane *m = mfi_lane_of(l);
    struct mfi_card *card = m->card;
    bool all_back = mfi_lane_drain(m);

    for (struct mfi_lane **p = &card->lanes; *p; p = &(*p)->next)
        if (*p == m) {
            *p = m->next;
            break;
        }
    card->lane_count--;
    reckon_shares(card);
    if (all_back) {
        forget_lane(card, m);
        free_lane(m, false);
        return;
    }
    /* Its data buffer is freed by detach, once the firmware has let go. */
    m->next = card->orphans;
    card->orphans = m;
}

void mfi_orphans_free(struct mfi_card *card, bool firmware_let_go)
{
    while (card->orphans) {
        struct mfi_lane *m = card->orphans;

        card->orphans = m->next;
        free_lane(m, !firmware_let_go);
    }
}

/* A reset of the adapter is a way out of its FAULT and costs what its write cache holds (mfi_reset.c). */
static int lane_reset(struct io_lane *l, struct text *instead)
{
    (void)l;
    text_str(instead, "a RAID card is not reset, for what its cache holds could be lost; it was flushed");
    return E_UNSUPPORTED;
}

const struct disk_ops mfi_disk_ops = {
    .open = lane_open,
    .submit = mfi_lane_submit,
    .kick = mfi_lane_kick,
    .poll = mfi_lane_poll,
    .expire = mfi_lane_expire,
    .close = lane_close,
    .status_words = mfi_status_words,
    .reset = lane_reset,
};
