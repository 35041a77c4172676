#include "mfi_path.h"

/* Reads and writes as MFI frames.  Each frame's status byte is polled: every card writes it
 * (facts/mfi.md 3.8).
 *
 * A flush of a virtual drive is the management command that flushes the card's cache and the drives' caches
 * (4.1): every firmware knows it, while Linux for years sent virtual drives no SYNCHRONIZE CACHE at all.  An
 * exposed drive gets SYNCHRONIZE CACHE, with a scatter entry that is never used, for QEMU wants one (5.4 fact
 * 10). */
#define FLUSH_BOTH_CACHES 3u

/* Fills the scatter list and returns its length in entries. */
static unsigned put_segments(uint32_t *e, bool ieee, uint64_t bus, uint32_t bytes)
{
    unsigned n = 0;

    do {
        uint32_t len = bytes < MFI_SEGMENT_BYTES ? bytes : MFI_SEGMENT_BYTES;

        e[0] = (uint32_t)bus;
        e[1] = (uint32_t)(bus >> 32);
        e[2] = len;
        if (ieee)
            e[3] = 0;
        e += ieee ? 4 : 3;
        bus += len;
        bytes -= len;
        n++;
    } while (bytes);
    return n;
}

/* 64-byte frames behind the first that hold entries, of which the first frame holds in_first (3.2). */
static unsigned extra_frames(unsigned segments, unsigned in_first, unsigned entry_bytes)
{
    if (segments <= in_first)
        return 0;
    unsigned n = ((segments - in_first) * entry_bytes + MFI_FRAME_BYTES - 1) / MFI_FRAME_BYTES;
    return n < MFI_MAX_EXTRA_FRAMES ? n : MFI_MAX_EXTRA_FRAMES;
}

/* The frame's words from the opcode on. */
static void put_flush(uint64_t *w)
{
    w[3] = MFI_CACHE_FLUSH.opcode | (uint64_t)FLUSH_BOTH_CACHES << 32;
    w[4] = w[5] = 0;
}

static void build_flush(struct mfi_tag *t)
{
    put_flush(t->frame);
    t->head = FIELD_PUT(HEAD_CMD, MFI_DCMD) | FIELD_PUT(HEAD_CMD_STATUS, MFI_STAT_PENDING);
}

static void build_transfer(const struct mfi_lane *m, struct mfi_tag *t, unsigned *extra)
{
    const bool ld = m->frame_cmd == MFI_LD_READ, ieee = m->card->gen->ieee_io;
    const unsigned sgl_at = ld ? MFI_IO_SGL_OFFSET : MFI_SCSI_SGL_OFFSET;
    const unsigned entry_bytes = ieee ? MFI_SGE_IEEE_BYTES : MFI_SGE64_BYTES;
    unsigned n = put_segments((uint32_t *)((uint8_t *)t->frame + sgl_at), ieee, mfi_data_bus(m, t),
                              (t->op == IO_FLUSH ? 1 : t->blocks) * m->lba_bytes);

    /* A flush may have had its opcode there. */
    t->frame[3] = (uint32_t)mfi_slot_bus(m->card, t->number) + MFI_SENSE_OFFSET;
    t->head = FIELD_PUT(HEAD_CMD, ld ? m->opcode[t->op] : m->frame_cmd) |
              FIELD_PUT(HEAD_SENSE_LEN, MFI_SENSE_BYTES) | FIELD_PUT(HEAD_CMD_STATUS, MFI_STAT_PENDING) |
              FIELD_PUT(HEAD_TARGET, m->target) |
              FIELD_PUT(HEAD_CDB_LEN, ld                                ? 0
                                      : m->opcode[t->op] >= CDB_16_FROM ? 16
                                                                        : 10) |
              FIELD_PUT(HEAD_SGE_COUNT, n);
    *extra = extra_frames(n, (MFI_FRAME_BYTES - sgl_at) / entry_bytes, entry_bytes);
}

void mfi_frame_build(const struct mfi_lane *m, struct mfi_tag *t)
{
    unsigned extra = 0;

    if (t->op == IO_FLUSH && m->virtual_drive)
        build_flush(t);
    else
        build_transfer(m, t, &extra);
    t->port = m->card->gen->port_word(mfi_slot_bus(m->card, t->number), extra);
}

/* All that the firmware may have changed is written anew; context and sense address were at the start. */
static inline void post(struct mfi_lane *m, struct mfi_tag *t)
{
    struct mfi_card *card = m->card;
    uint64_t *w = t->frame;

    if (m->frame_cmd == MFI_LD_READ) {
        w[2] = m->flags[t->op] | t->built << 32;
        w[4] = t->lba; /* of a flush: 0, as its mailbox is there */
    } else {
        w[2] = m->flags[t->op] | (uint64_t)(t->blocks * m->lba_bytes) << 32;
        mfi_put_cdb(&w[4], m->opcode[t->op], t->lba, t->blocks);
    }
    w[0] = t->head;
    plat_dma_publish();
    if (card->gen->port_high_reg)
        plat_write32(&card->regs, card->gen->port_high_reg, 0); /* all frames lie below 4 GiB */
    plat_write32(&card->regs, card->gen->port_reg, t->port);
}

static inline void post_new(struct mfi_lane *m, struct mfi_tag *t)
{
    m->in_flight[m->in_flight_count++] = t;
    post(m, t);
}

void mfi_frame_post(struct mfi_lane *m, struct mfi_tag *t)
{
    if (t->in_flight) { /* once more */
        post(m, t);
        return;
    }
    t->in_flight = true;
    post_new(m, t);
}

unsigned mfi_frame_take(struct mfi_lane *m, enum io_op op, const struct io_request *r, unsigned n)
{
    return op == IO_WRITE ? mfi_take_whole(m, IO_WRITE, r, n, post_new)
                          : mfi_take_whole(m, IO_READ, r, n, post_new);
}

/* Another context: the answer is to something else, and what we asked has none that could be believed. */
static bool finish(struct mfi_lane *m, struct mfi_tag *t)
{
    struct mfi_header *h = (struct mfi_header *)t->frame;

    plat_dma_observe();
    if (h->context != t->number) {
        mfi_stray(m->card, h->context, "a frame came back with another context");
        h->context = t->number; /* written once, when the card came up */
        return mfi_finish_slowly(m, t, MFI_STAT_PENDING, 0, 0);
    }
    return mfi_finish_slowly(m, t, h->cmd_status, h->scsi_status, h->sense_len);
}

/* Looks at every frame of the lane once, oldest first; whole requests go to c at once, as far as it reaches.
 */
unsigned mfi_frame_reap(struct mfi_lane *m, struct io_completion *c, unsigned max)
{
    struct mfi_tag **list = m->in_flight;
    unsigned n = m->in_flight_count, kept = 0, got = 0;

    for (unsigned i = 0; i < n; i++) {
        struct mfi_tag *t = list[i];
        uint8_t status = mfi_slot_status((const uint8_t *)t->frame);

        if (status == MFI_STAT_PENDING) {
            list[kept++] = t;
            continue;
        }
        struct lane_slot *x = &m->slots.slot[t->slot];
        if (status == MFI_STAT_OK && ((const struct mfi_header *)t->frame)->context == t->number &&
            got < max && lane_is_whole(x)) {
            lane_end_whole(x, &c[got++], t->slot);
            t->in_flight = false;
            continue;
        }
        if (finish(m, t))
            list[kept++] = t;
    }
    if (kept == n)
        return 0;
    plat_dma_observe();
    m->in_flight_count = (uint16_t)kept;
    m->card->free_count += n - kept;
    m->empty_polls = 0;
    return got;
}
