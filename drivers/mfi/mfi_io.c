#include "mfi_path.h"

enum {
    LOOK_AT_FIRMWARE_EVERY = 65536, /* empty polls in a row: a dead card is noticed long before a deadline */
    LAST_CHANCE_MS = 2000,
    LAST_CHANCE_STEP_US = 1000,
    ATTENTION_RETRIES = 3
};

/* ---- building and sending ---- */
__attribute__((noinline)) struct mfi_tag *mfi_tag_borrow(struct mfi_lane *m, uint8_t op, unsigned slot,
                                                         unsigned part, uint32_t blocks)
{
    struct mfi_card *card = m->card;
    struct mfi_tag *t;

    do {
        t = &card->tags[card->management_count + card->next_tag];
        card->next_tag = card->next_tag + 1 == card->io_frames ? 0 : card->next_tag + 1;
    } while (t->in_flight);
    t->lane = m;
    t->slot = (uint16_t)slot;
    t->part = (uint16_t)part;
    t->blocks = blocks;
    t->op = op;
    t->built = mfi_built(m, op, slot, blocks);
    if (m->fusion)
        mfi_fusion_build(m, t);
    else
        mfi_frame_build(m, t);
    if (part)
        t->built &= UINT32_MAX; /* no request's whole */
    else
        m->home[slot] = t;
    return t;
}

static void post(struct mfi_lane *m, struct mfi_tag *t)
{
    if (m->fusion)
        mfi_fusion_post(m, t);
    else
        mfi_frame_post(m, t);
}

static bool gate_allows(const struct mfi_lane *m, uint8_t op, uint64_t lba, uint32_t blocks)
{
    if (op == IO_FLUSH)
        return !lba && !blocks && gate_lets_flush(&m->pass, m->opcode[IO_FLUSH]);
    return op < IO_FLUSH && gate_lets_through(&m->pass, m->opcode[op], lba, blocks);
}

/* Sends waiting parts while the card has a frame for this lane. */
static void send_parts(struct mfi_lane *m)
{
    struct lane_part p;

    while (mfi_room(m) && lane_peek_part(&m->slots, &p)) {
        if (!gate_allows(m, p.op, p.lba, p.blocks)) {
            NOTE(E_REFUSED, "gate: beyond the end of the disk or of what is armed, or of no block", p.lba,
                 m->pass.lba_count);
            lane_slot_failed(&m->slots, p.slot, IO_REFUSED, 0, p.lba);
            continue;
        }
        struct mfi_tag *t = mfi_tag_borrow(m, p.op, p.slot, p.part, p.blocks);
        t->lba = p.lba;
        m->card->free_count--;
        post(m, t);
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
    /* More than the buffer holds, or a part of it that would be refused: none of it reaches the device. */
    if (r->op > IO_FLUSH || r->blocks > m->max_blocks || !gate_allows(m, (uint8_t)r->op, r->lba, r->blocks))
        lane_slot_failed(&m->slots, r->slot, IO_REFUSED, 0, r->lba);
    return true;
}

static inline unsigned take_whole(struct mfi_lane *m, enum io_op op, const struct io_request *r, unsigned n)
{
    return m->fusion ? mfi_fusion_take(m, op, r, n) : mfi_frame_take(m, op, r, n);
}

unsigned mfi_lane_submit(struct io_lane *l, const struct io_request *r, unsigned n)
{
    struct mfi_lane *m = mfi_lane_of(l);
    unsigned taken = 0;

    if (l->dead)
        return 0;
    for (;;) {
        unsigned at = taken;

        taken += take_whole(m, IO_READ, r + taken, n - taken);
        if (taken == n)
            return n;
        if (m->pass.write_end_lba)
            taken += take_whole(m, IO_WRITE, r + taken, n - taken);
        if (taken == n)
            return n;
        if (taken != at)
            continue;
        if (!take_slowly(m, r + taken))
            return taken;
        taken++;
    }
}

void mfi_lane_kick(struct io_lane *l)
{
    struct mfi_lane *m = mfi_lane_of(l);

    if (!l->dead && m->slots.fifo_count)
        send_parts(m);
}

/* ---- collecting ---- */
/* True: it was sent again. */
static bool failed(struct mfi_lane *m, struct mfi_tag *t, uint8_t status, uint8_t scsi_status,
                   unsigned sense_len)
{
    uint8_t *sense = mfi_slot(m->card, t->number) + MFI_SENSE_OFFSET;
    uint32_t detail = mfi_detail(status, scsi_status, sense, sense_len);
    unsigned key = mfi_detail_sense_key(detail);

    /* Not to be taken for the sense data of a later command that brings none. */
    memset(sense, 0, MFI_SENSE_BYTES);
    if (key == KEY_RECOVERED)
        return false;
    if (key == KEY_ATTENTION && m->slots.slot[t->slot].retries < ATTENTION_RETRIES) {
        m->slots.slot[t->slot].retries++;
        post(m, t);
        return true;
    }
    lane_slot_failed(&m->slots, t->slot, key == KEY_MEDIUM ? IO_MEDIA_ERROR : IO_DEVICE_ERROR, detail,
                     t->lba);
    return false;
}

__attribute__((noinline)) bool mfi_finish_slowly(struct mfi_lane *m, struct mfi_tag *t, uint8_t status,
                                                 uint8_t scsi_status, unsigned sense_len)
{
    if (status != MFI_STAT_OK && failed(m, t, status, scsi_status, sense_len))
        return true;
    t->in_flight = false;
    lane_part_done(&m->slots, t->slot);
    return false;
}

static inline unsigned reap(struct mfi_lane *m, struct io_completion *c, unsigned max)
{
    unsigned n = m->fusion ? mfi_fusion_reap(m->card, m, c, max) : mfi_frame_reap(m, c, max);

    if (m->card->c.fault.err)
        mfi_card_die(m->card);
    return n;
}

__attribute__((noinline)) bool mfi_stray(struct mfi_card *card, uint64_t word, const char *what)
{
    card->last_stray = word;
    if (++card->strays > MFI_MAX_STRAYS)
        return FAULT(&card->c.fault, E_PROTO, what, word, card->strays) != OK;
    NOTE(E_PROTO, what, word, card->strays);
    return false;
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

static uint64_t lowest_lba(const struct mfi_lane *m, unsigned slot)
{
    const struct mfi_tag *tags = m->card->tags + m->card->management_count;
    uint64_t lba = m->slots.slot[slot].next_lba;

    for (unsigned i = 0; i < m->card->io_frames; i++)
        if (tags[i].in_flight && tags[i].lane == m && tags[i].slot == slot && tags[i].lba < lba)
            lba = tags[i].lba;
    return lba;
}

/* MFI cannot take a command back: an unanswered frame and its memory stay with the firmware, so the card is
 * done for unless a last short wait brings the answer. */
void mfi_lane_expire(struct io_lane *l, unsigned slot)
{
    struct mfi_lane *m = mfi_lane_of(l);
    struct fault *f = &m->card->c.fault;

    if (l->dead || slot >= l->depth || !m->slots.slot[slot].busy)
        return;
    uint64_t lba = lowest_lba(m, slot);
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
        FAULT(f, E_TIMEOUT, "command not answered by the firmware (its status word follows)",
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
