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
/* Fills the scatter list and returns its length in entries. */
static unsigned put_segments(struct mfi_sge64 *e, uint64_t bus, uint32_t bytes)
{
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

static inline uint64_t data_bus(const struct mfi_lane *m, struct mfi_tag t)
{
    return m->l.data.bus + (uint64_t)t.part * m->l.command_bytes + (uint64_t)t.slot * m->slot_stride;
}

static inline unsigned build_ld_read(const struct mfi_lane *m, struct mfi_tag t, uint8_t *slot)
{
    uint64_t *w = (uint64_t *)slot;
    unsigned n =
        put_segments((struct mfi_sge64 *)(slot + MFI_IO_SGL_OFFSET), data_bus(m, t), t.blocks * m->lba_bytes);

    w[2] = m->flags | (uint64_t)t.blocks << 32;
    w[4] = t.lba;
    w[0] = m->head | FIELD_PUT(HEAD_SGE_COUNT, n);
    return extra_frames(n, 2);
}

static __attribute__((noinline)) unsigned build_pd_read(const struct mfi_lane *m, struct mfi_tag t,
                                                        uint8_t *slot)
{
    uint64_t *w = (uint64_t *)slot;
    uint32_t bytes = t.blocks * m->lba_bytes;
    unsigned n = put_segments((struct mfi_sge64 *)(slot + MFI_SCSI_SGL_OFFSET), data_bus(m, t), bytes);

    w[2] = m->flags | (uint64_t)bytes << 32;
    if (m->opcode == READ_10) {
        w[4] = m->opcode | (uint64_t)__builtin_bswap32((uint32_t)t.lba) << 16 |
               (uint64_t)(t.blocks >> 8 & 0xff) << 56;
        w[5] = t.blocks & 0xff;
    } else {
        uint64_t lba = __builtin_bswap64(t.lba);

        w[4] = m->opcode | lba << 16;
        w[5] = lba >> 48 | (uint64_t)__builtin_bswap32(t.blocks) << 16;
    }
    w[0] = m->head | FIELD_PUT(HEAD_SGE_COUNT, n);
    return extra_frames(n, 1);
}

/* All that the firmware may have changed is written anew; context and sense address were at the start. */
static inline void post(struct mfi_lane *m, unsigned tag, struct mfi_tag t)
{
    struct mfi_card *card = m->card;
    uint8_t *slot = mfi_slot(card, tag);
    unsigned extra = m->frame_cmd == MFI_LD_READ ? build_ld_read(m, t, slot) : build_pd_read(m, t, slot);

    plat_dma_publish();
    card->gen->post(&card->regs, mfi_slot_bus(card, tag), extra);
}

/* The caller has seen a free frame and asked the gate. */
static inline void send_one(struct mfi_lane *m, const struct lane_part *p)
{
    struct mfi_card *card = m->card;
    uint16_t tag = card->free_tags[--card->free_count];
    const struct mfi_tag t = { .lba = p->lba, .blocks = p->blocks, .slot = p->slot, .part = p->part };

    card->tags[tag] = t;
    m->in_flight[m->in_flight_count++] = tag;
    post(m, tag, t);
}

/* How many more frames the lane may send: a share of them keeps one busy lane from starving the others. */
static inline unsigned room_for(const struct mfi_lane *m)
{
    unsigned share = m->card->share;
    unsigned room = m->in_flight_count < share ? share - m->in_flight_count : 0;

    return room < m->card->free_count ? room : m->card->free_count;
}

/* Sends waiting parts while the card has a frame for this lane. */
static void send_parts(struct mfi_lane *m)
{
    struct lane_part p;

    while (room_for(m) && lane_peek_part(&m->slots, &p)) {
        if (!gate_lets_through(&m->pass, m->opcode, p.lba, p.blocks)) {
            NOTE(E_REFUSED, "gate: read beyond the end of the disk or of no block", p.lba, m->pass.lba_count);
            lane_slot_failed(&m->slots, p.slot, IO_REFUSED, 0, p.lba);
            continue;
        }
        send_one(m, &p);
        lane_took_part(&m->slots, &p);
    }
}

/* A request that waits: for a frame, for its turn, or because it is more than one command. */
static bool take_slowly(struct mfi_lane *m, const struct io_request *r)
{
    if (!lane_accept(&m->slots, r)) {
        NOTE(E_LIMIT, "request for a slot that is busy or not there", r->slot, m->l.depth);
        return false;
    }
    /* More than the buffer holds: never to reach the device. */
    if (r->blocks > m->max_blocks)
        lane_slot_failed(&m->slots, r->slot, IO_REFUSED, 0, r->lba);
    return true;
}

/* The short way of requests that are one command and need not wait: they are with the device at once, for
 * there is no bell to save up for.  Takes requests up to the first that needs more thought. */
static unsigned take_whole(struct mfi_lane *m, const struct io_request *r, unsigned n)
{
    struct lane_slots *s = &m->slots;
    unsigned taken = 0, room = room_for(m);

    if (s->fifo_count)
        return 0;
    if (n > room)
        n = room;
    for (; taken < n; taken++, r++) {
        const struct lane_part whole = { .lba = r->lba, .blocks = r->blocks, .slot = r->slot };

        if (r->slot >= s->depth || s->slot[r->slot].busy || r->blocks > s->part_blocks ||
            !gate_lets_through(&m->pass, m->opcode, r->lba, r->blocks))
            break;
        lane_start_whole(&s->slot[r->slot], r->lba);
        send_one(m, &whole);
    }
    return taken;
}

unsigned mfi_lane_submit(struct io_lane *l, const struct io_request *r, unsigned n)
{
    struct mfi_lane *m = mfi_lane_of(l);
    unsigned taken = 0;

    if (l->dead)
        return 0;
    while ((taken += take_whole(m, r + taken, n - taken)) < n && take_slowly(m, r + taken))
        taken++;
    return taken;
}

void mfi_lane_kick(struct io_lane *l)
{
    struct mfi_lane *m = mfi_lane_of(l);

    if (!l->dead && m->slots.fifo_count)
        send_parts(m);
}

/* ---- collecting ---- */
/* A frame that came back with anything but "ok".  True: it was sent again. */
static bool failed(struct mfi_lane *m, unsigned tag, uint8_t status)
{
    const struct mfi_tag *t = &m->card->tags[tag];
    uint8_t *slot = mfi_slot(m->card, tag);
    const struct mfi_header *h = (const struct mfi_header *)slot;
    uint32_t detail = mfi_detail(status, h->scsi_status, slot + MFI_SENSE_OFFSET, h->sense_len);
    unsigned key = mfi_detail_sense_key(detail);

    /* Not to be taken for the sense data of a later command that brings none. */
    memset(slot + MFI_SENSE_OFFSET, 0, MFI_SENSE_BYTES);
    if (key == KEY_RECOVERED)
        return false;
    if (key == KEY_ATTENTION && m->slots.slot[t->slot].retries < ATTENTION_RETRIES) {
        m->slots.slot[t->slot].retries++;
        post(m, tag, *t);
        return true;
    }
    lane_slot_failed(&m->slots, t->slot, key == KEY_MEDIUM ? IO_MEDIA_ERROR : IO_DEVICE_ERROR, detail,
                     t->lba);
    return false;
}

/* A frame with an answer that is not "ok" for a whole request.  True: it is still in flight. */
static __attribute__((noinline)) bool finish_slowly(struct mfi_lane *m, unsigned tag, uint8_t status)
{
    struct mfi_card *card = m->card;
    uint32_t context = ((const struct mfi_header *)mfi_slot(card, tag))->context;

    if (context != tag) {
        FAULT(&card->c.fault, E_PROTO, "a frame came back with another context", context, tag);
        return true;
    }
    if (status != MFI_STAT_OK && failed(m, tag, status))
        return true;
    card->free_tags[card->free_count++] = (uint16_t)tag;
    lane_part_done(&m->slots, card->tags[tag].slot);
    return false;
}

/* Moves the tags of answered frames from in_flight to `answered`; both keep their order. */
static unsigned sort_out(struct mfi_lane *m)
{
    const uint8_t *frames = m->card->frames.cpu;
    uint16_t *list = m->in_flight, *answered = m->answered;
    unsigned n = m->in_flight_count, kept = 0, out = 0;

    for (unsigned i = 0; i < n; i++) {
        uint16_t tag = list[i];

        if (mfi_slot_status(frames + (size_t)tag * MFI_SLOT_BYTES) == MFI_STAT_PENDING)
            list[kept++] = tag;
        else
            answered[out++] = tag;
    }
    m->in_flight_count = (uint16_t)kept;
    return out;
}

/* Looks at every frame of the lane once, oldest first; whole requests go to c at once, as far as it reaches.
 */
static unsigned reap(struct mfi_lane *m, struct io_completion *c, unsigned max)
{
    struct mfi_card *card = m->card;
    unsigned n = sort_out(m), got = 0, free_count = card->free_count;

    if (!n)
        return 0;
    plat_dma_observe();
    m->empty_polls = 0;
    for (unsigned i = 0; i < n; i++) {
        uint16_t tag = m->answered[i], slot = card->tags[tag].slot;
        const struct mfi_header *h = (const struct mfi_header *)mfi_slot(card, tag);
        struct lane_slot *x = &m->slots.slot[slot];

        if (h->cmd_status == MFI_STAT_OK && h->context == tag && got < max && lane_is_whole(x)) {
            lane_end_whole(x);
            card->free_tags[free_count++] = tag;
            c[got++] = (struct io_completion){ .slot = slot };
            continue;
        }
        card->free_count = free_count;
        if (finish_slowly(m, tag, h->cmd_status))
            m->in_flight[m->in_flight_count++] = tag;
        free_count = card->free_count;
    }
    card->free_count = free_count;
    if (card->c.fault.err)
        mfi_card_die(card);
    return got;
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

/* So many times in a row nothing came: is the firmware still there? */
static __attribute__((noinline)) void look_at_firmware(struct mfi_lane *m)
{
    m->empty_polls = 0;
    if (mfi_firmware_alive(m->card))
        mfi_card_die(m->card);
}

unsigned mfi_lane_poll(struct io_lane *l, struct io_completion *c, unsigned max)
{
    struct mfi_lane *m = mfi_lane_of(l);
    unsigned n = m->slots.done_count ? lane_collect(&m->slots, c, max) : 0;

    if (l->dead)
        return n;
    if (m->in_flight_count) {
        if (++m->empty_polls == LOOK_AT_FIRMWARE_EVERY)
            look_at_firmware(m);
        else
            n += reap(m, c + n, max - n);
    }
    /* Also parts that waited for frames which another lane has given back. */
    if (m->slots.fifo_count && !l->dead)
        send_parts(m);
    if (m->slots.done_count)
        n += lane_collect(&m->slots, c + n, max - n);
    return n;
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

        reap(m, NULL, 0);
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
