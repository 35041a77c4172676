#include "mfi_internal.h"

enum {
    LOOK_AT_FIRMWARE_EVERY = 65536, /* empty polls in a row: a dead card is noticed long before a deadline */
    LAST_CHANCE_MS = 2000,
    LAST_CHANCE_STEP_US = 1000,
    ATTENTION_RETRIES = 3
};
enum { KEY_RECOVERED = 1, KEY_MEDIUM = 3, KEY_ATTENTION = 6 };
enum { READ_10 = 0x28 };

/* ---- building and sending ---- */
static unsigned put_segments(uint8_t *sgl, uint64_t bus, uint32_t bytes)
{
    struct mfi_sge64 *e = (struct mfi_sge64 *)sgl;
    unsigned n = 0;

    do {
        uint32_t len = bytes < MFI_SEGMENT_BYTES ? bytes : MFI_SEGMENT_BYTES;

        e[n++] = (struct mfi_sge64){ (uint32_t)bus, (uint32_t)(bus >> 32), len };
        bus += len;
        bytes -= len;
    } while (bytes);
    return n;
}

/* 64-byte frames behind the first that hold entries; in_first: how many the first one holds (3.2). */
static inline unsigned extra_frames(unsigned segments, unsigned in_first)
{
    if (segments <= in_first)
        return 0;
    unsigned n = ((segments - in_first) * MFI_SGE64_BYTES + MFI_FRAME_BYTES - 1) / MFI_FRAME_BYTES;
    return n < MFI_MAX_EXTRA_FRAMES ? n : MFI_MAX_EXTRA_FRAMES;
}

static uint64_t data_bus(const struct mfi_lane *m, const struct mfi_tag *t)
{
    return m->l.data.bus + (uint64_t)t->part * m->l.command_bytes +
           (m->l.buffer_per_slot ? (uint64_t)t->slot * m->l.request_bytes : 0);
}

static inline unsigned build_ld_read(const struct mfi_lane *m, const struct mfi_tag *t, uint8_t *slot)
{
    uint64_t *w = (uint64_t *)slot;
    unsigned n = put_segments(slot + MFI_IO_SGL_OFFSET, data_bus(m, t), t->blocks * m->lba_bytes);

    w[2] = m->flags | (uint64_t)t->blocks << 32;
    w[4] = t->lba;
    w[0] = m->head | FIELD_PUT(HEAD_SGE_COUNT, n);
    return extra_frames(n, 2);
}

static unsigned build_pd_read(const struct mfi_lane *m, const struct mfi_tag *t, uint8_t *slot)
{
    uint64_t *w = (uint64_t *)slot;
    uint32_t bytes = t->blocks * m->lba_bytes;
    unsigned n = put_segments(slot + MFI_SCSI_SGL_OFFSET, data_bus(m, t), bytes);

    w[2] = m->flags | (uint64_t)bytes << 32;
    if (m->opcode == READ_10) {
        w[4] = m->opcode | (uint64_t)__builtin_bswap32((uint32_t)t->lba) << 16 |
               (uint64_t)(t->blocks >> 8 & 0xff) << 56;
        w[5] = t->blocks & 0xff;
    } else {
        uint64_t lba = __builtin_bswap64(t->lba);

        w[4] = m->opcode | lba << 16;
        w[5] = lba >> 48 | (uint64_t)__builtin_bswap32(t->blocks) << 16;
    }
    w[0] = m->head | FIELD_PUT(HEAD_SGE_COUNT, n);
    return extra_frames(n, 1);
}

/* The whole header is written each time: the firmware may have changed any of it. */
static void post(struct mfi_lane *m, unsigned tag)
{
    struct mfi_card *card = m->card;
    uint8_t *slot = mfi_slot(card, tag);
    uint64_t *w = (uint64_t *)slot, bus = mfi_slot_bus(card, tag);
    unsigned extra;

    w[1] = tag;
    w[3] = bus + MFI_SENSE_OFFSET;
    extra = m->frame_cmd == MFI_LD_READ ? build_ld_read(m, &card->tags[tag], slot)
                                        : build_pd_read(m, &card->tags[tag], slot);
    plat_dma_publish();
    card->gen->post(&card->regs, bus, extra);
}

/* Sends waiting parts while the card has a frame for this lane.  A share of the frames keeps one busy lane
 * from starving the others. */
static void send_parts(struct mfi_lane *m)
{
    struct mfi_card *card = m->card;
    struct lane_part p;

    while (m->in_flight_count < card->share && card->free_count && lane_peek_part(&m->slots, &p)) {
        if (!gate_lets_through(&m->pass, m->opcode, p.lba, p.blocks)) {
            NOTE(E_REFUSED, "gate: read beyond the end of the disk or of no block", p.lba, m->pass.lba_count);
            lane_slot_failed(&m->slots, p.slot, IO_REFUSED, 0, p.lba);
            continue;
        }
        uint16_t tag = card->free_tags[--card->free_count];
        card->tags[tag] =
            (struct mfi_tag){ .lba = p.lba, .blocks = p.blocks, .slot = p.slot, .part = p.part };
        m->in_flight[m->in_flight_count++] = tag;
        post(m, tag);
        lane_took_part(&m->slots, &p);
    }
}

unsigned mfi_lane_submit(struct io_lane *l, const struct io_request *r, unsigned n)
{
    struct mfi_lane *m = mfi_lane_of(l);
    unsigned taken = 0;

    if (l->dead)
        return 0;
    for (; taken < n; taken++) {
        if (!lane_accept(&m->slots, &r[taken])) {
            NOTE(E_LIMIT, "request for a slot that is busy or not there", r[taken].slot, l->depth);
            break;
        }
        /* More than the buffer holds: never to reach the device. */
        if (r[taken].blocks > m->max_blocks)
            lane_slot_failed(&m->slots, r[taken].slot, IO_REFUSED, 0, r[taken].lba);
    }
    return taken;
}

void mfi_lane_kick(struct io_lane *l)
{
    if (!l->dead)
        send_parts(mfi_lane_of(l));
}

/* ---- collecting ---- */
/* A frame that came back with anything but "ok".  True: it was sent again. */
static bool failed(struct mfi_lane *m, unsigned tag, uint8_t status)
{
    struct mfi_tag *t = &m->card->tags[tag];
    uint8_t *slot = mfi_slot(m->card, tag);
    const struct mfi_header *h = (const struct mfi_header *)slot;
    uint32_t detail = mfi_detail(status, h->scsi_status, slot + MFI_SENSE_OFFSET, h->sense_len);
    unsigned key = mfi_detail_sense_key(detail);

    /* Not to be taken for the sense data of a later command that brings none. */
    memset(slot + MFI_SENSE_OFFSET, 0, MFI_SENSE_BYTES);
    if (key == KEY_RECOVERED)
        return false;
    if (key == KEY_ATTENTION && t->retries < ATTENTION_RETRIES) {
        t->retries++;
        m->slots.slot[t->slot].retries++;
        post(m, tag);
        return true;
    }
    lane_slot_failed(&m->slots, t->slot, key == KEY_MEDIUM ? IO_MEDIA_ERROR : IO_DEVICE_ERROR, detail,
                     t->lba);
    return false;
}

/* Looks at every frame of the lane once, oldest first. */
static void reap(struct mfi_lane *m)
{
    struct mfi_card *card = m->card;
    uint16_t n = m->in_flight_count, kept = 0;
    bool scribbled = false;

    for (uint16_t i = 0; i < n; i++) {
        uint16_t tag = m->in_flight[i];
        const uint8_t *slot = mfi_slot(card, tag);
        uint8_t status = mfi_slot_status(slot);

        if (status == MFI_STAT_PENDING) {
            m->in_flight[kept++] = tag;
            continue;
        }
        plat_dma_observe();
        if (((const struct mfi_header *)slot)->context != tag) {
            FAULT(&card->c.fault, E_PROTO, "a frame came back with another context",
                  ((const struct mfi_header *)slot)->context, tag);
            scribbled = true;
            m->in_flight[kept++] = tag;
            continue;
        }
        if (status != MFI_STAT_OK && failed(m, tag, status)) {
            m->in_flight[kept++] = tag;
            continue;
        }
        card->free_tags[card->free_count++] = tag;
        lane_part_done(&m->slots, card->tags[tag].slot);
    }
    m->in_flight_count = kept;
    if (scribbled)
        mfi_card_die(card);
}

void mfi_card_die(struct mfi_card *card)
{
    card->dead = true;
    for (struct mfi_lane *m = card->lanes; m; m = m->next) {
        if (m->l.dead)
            continue;
        m->l.dead = true;
        if (!m->l.disk->fault.err)
            m->l.disk->fault = card->c.fault;
        lane_slots_lost(&m->slots, IO_LOST, mfi_detail(MFI_STAT_PENDING, 0, NULL, 0));
    }
}

unsigned mfi_lane_poll(struct io_lane *l, struct io_completion *c, unsigned max)
{
    struct mfi_lane *m = mfi_lane_of(l);
    uint16_t before = m->in_flight_count;

    if (!l->dead && before) {
        reap(m);
        if (m->in_flight_count != before) {
            m->empty_polls = 0;
        } else if (++m->empty_polls == LOOK_AT_FIRMWARE_EVERY) {
            m->empty_polls = 0;
            if (mfi_firmware_alive(m->card))
                mfi_card_die(m->card);
        }
    }
    /* Also parts that waited for frames which another lane has given back. */
    if (!l->dead && m->slots.fifo_count)
        send_parts(m);
    return lane_collect(&m->slots, c, max);
}

/* ---- when it does not answer ---- */
enum { EVERY_SLOT = -1 };
static bool with_firmware(const struct mfi_lane *m, int slot)
{
    return slot == EVERY_SLOT ? m->in_flight_count : m->slots.slot[slot].parts_in_flight;
}

/* Reaps until nothing of the slot is in flight any more; false when that does not come. */
static bool last_chance(struct mfi_lane *m, int slot)
{
    uint64_t begin_ns = plat_now_ns();

    for (;;) {
        uint64_t now_ns = plat_now_ns();

        reap(m);
        if (m->l.dead)
            return false;
        if (!with_firmware(m, slot))
            return true;
        if (mfi_firmware_alive(m->card) || now_ns - begin_ns > LAST_CHANCE_MS * NS_PER_MS)
            return false;
        plat_stall_us(LAST_CHANCE_STEP_US);
    }
}

static uint64_t oldest_lba(const struct mfi_lane *m, unsigned slot)
{
    for (uint16_t i = 0; i < m->in_flight_count; i++)
        if (m->card->tags[m->in_flight[i]].slot == slot)
            return m->card->tags[m->in_flight[i]].lba;
    return m->slots.slot[slot].next_lba;
}

/* MFI cannot take a read back: an unanswered frame and its memory stay with the firmware, so the card is
 * done for unless a last short wait brings the answer. */
void mfi_lane_expire(struct io_lane *l, unsigned slot)
{
    struct mfi_lane *m = mfi_lane_of(l);
    struct fault *f = &m->card->c.fault;

    if (l->dead || slot >= l->depth || !m->slots.slot[slot].busy)
        return;
    uint64_t lba = oldest_lba(m, slot);
    bool back = last_chance(m, (int)slot);
    if (l->dead)
        return;
    /* What came back late is an answer like any other; parts that were never sent are late for good. */
    if (back && !m->slots.slot[slot].queued)
        return;
    lane_slot_failed(&m->slots, (uint16_t)slot, IO_TIMED_OUT, mfi_detail(MFI_STAT_PENDING, 0, NULL, 0), lba);
    if (back)
        return;
    if (!f->err)
        FAULT(f, E_TIMEOUT, "read not answered by the firmware (its status word follows)",
              mfi_firmware_word(m->card), lba);
    mfi_card_die(m->card);
}

bool mfi_lane_drain(struct mfi_lane *m)
{
    if (!m->in_flight_count)
        return true;
    if (!m->l.dead && last_chance(m, EVERY_SLOT))
        return true;
    if (!m->l.dead) {
        FAULT(&m->card->c.fault, E_TIMEOUT, "frames of a closed lane (firmware status word follows)",
              mfi_firmware_word(m->card), m->in_flight_count);
        mfi_card_die(m->card);
    }
    return false;
}
