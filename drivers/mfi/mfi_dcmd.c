#include "mfi_internal.h"

enum { LOOK_AT_FIRMWARE_MS = 1000, TIGHT_POLLING_MS = 10, LOOSE_POLLING_US = 1000 };

/* Deadlines: FreeBSD's 60 s for what the firmware answers from memory; the design's for a flush.  OP: what
 * Linux sends as well, to every generation; OP_OLD: what is not sent to a shy one (facts/mfi.md 7, fact 5).
 */
#define OP(name, code, ms, words)     const struct mfi_op name = { code, words, ms, false }
#define OP_OLD(name, code, ms, words) const struct mfi_op name = { code, words, ms, true }
OP(MFI_CTRL_GET_INFO, 0x01010000, 60000, "controller info");
OP(MFI_EVENT_INFO, 0x01040100, 60000, "event log info");
OP(MFI_EVENT_GET, 0x01040300, 60000, "events");
OP(MFI_CACHE_FLUSH, 0x01101000, 120000, "cache flush");
OP(MFI_PD_GET_LIST, 0x02010000, 60000, "list of physical drives");
OP(MFI_PD_QUERY, 0x02010100, 60000, "list of drives exposed to the host");
OP(MFI_PD_GET_INFO, 0x02020000, 60000, "physical drive info");
OP(MFI_LD_GET_LIST, 0x03010000, 60000, "list of virtual drives");
OP(MFI_LD_GET_INFO, 0x03020000, 60000, "virtual drive info");
OP_OLD(MFI_LD_GET_PROPERTIES, 0x03030000, 60000, "virtual drive properties");
OP_OLD(MFI_CTRL_GET_PROPERTIES, 0x01020100, 60000, "controller properties");
OP_OLD(MFI_PATROL_STATUS, 0x01070100, 60000, "patrol read status");
OP_OLD(MFI_CONFIG_READ, 0x04010000, 60000, "configuration");
OP_OLD(MFI_BBU_STATUS, 0x05010000, 60000, "battery status");
OP_OLD(MFI_BBU_CAPACITY, 0x05020000, 60000, "battery capacity");
OP_OLD(MFI_BBU_PROPERTIES, 0x05050100, 60000, "battery properties");
OP_OLD(MFI_LOCATE_ON, 0x02070100, 10000, "locate LED on");
OP_OLD(MFI_LOCATE_OFF, 0x02070200, 10000, "locate LED off");

struct mfi_header *mfi_management_frame(struct mfi_card *card, uint8_t cmd)
{
    uint8_t *slot = mfi_slot(card, card->management);
    struct mfi_header *h = (struct mfi_header *)slot;

    memset(slot, 0, MFI_SLOT_BYTES);
    *h = (struct mfi_header){
        .cmd = cmd, .cmd_status = MFI_STAT_PENDING, .context = card->management, .flags = MFI_FLAG_NO_POST
    };
    return h;
}

static int not_answered(struct mfi_card *card, enum mfi_waiting_for whom, uint32_t waited_ms,
                        const char *name)
{
    if (whom == MFI_FOR_DRIVE && card->management + 1 < card->management_count) {
        card->management++;
        return NOTE(E_TIMEOUT, name, mfi_firmware_word(card), waited_ms);
    }
    return FAULT(&card->c.fault, E_TIMEOUT, name, mfi_firmware_word(card), waited_ms);
}

static bool answered(struct mfi_card *card)
{
    /* Not by the status byte alone: the reply must be taken out of the ring as well (6.6). */
    if (card->gen->fusion && !mfi_fusion_answered(card))
        return false;
    card->command_status = mfi_slot_status(mfi_slot(card, card->management));
    return card->command_status != MFI_STAT_PENDING;
}

int mfi_management_wait(struct mfi_card *card, enum mfi_waiting_for whom, uint32_t deadline_ms,
                        const char *name)
{
    uint64_t begin_ns = plat_now_ns(), look_ns = begin_ns;
    int rc;

    for (;;) {
        uint64_t now_ns = plat_now_ns();

        if (answered(card))
            break;
        if (card->c.fault.err)
            return card->c.fault.err;
        if (now_ns - begin_ns > deadline_ms * NS_PER_MS)
            return not_answered(card, whom, deadline_ms, name);
        if (now_ns - look_ns > LOOK_AT_FIRMWARE_MS * NS_PER_MS) {
            look_ns = now_ns;
            if ((rc = mfi_firmware_alive(card)))
                return rc;
        }
        if (now_ns - begin_ns < TIGHT_POLLING_MS * NS_PER_MS)
            plat_relax();
        else
            plat_stall_us(LOOSE_POLLING_US);
    }
    plat_dma_observe();
    return OK;
}

int mfi_management_call(struct mfi_card *card, enum mfi_waiting_for whom, uint32_t deadline_ms,
                        const char *name)
{
    const struct mfi_generation *g = card->gen;

    if (card->c.fault.err)
        return card->c.fault.err;
    if (g->fusion) {
        mfi_fusion_post_management(card);
        return mfi_management_wait(card, whom, deadline_ms, name);
    }
    plat_dma_publish();
    if (g->port_high_reg)
        plat_write32(&card->regs, g->port_high_reg, 0);
    plat_write32(&card->regs, g->port_reg, g->port_word(mfi_slot_bus(card, card->management), 0));
    return mfi_management_wait(card, whom, deadline_ms, name);
}

/* No zero and no ASCII, so that the end of a number or a text is never taken for it. */
static uint8_t pattern(uint32_t at) { return (uint8_t)(0x80u | (at * 7u + (at >> 8) + 0x5bu)); }

static uint8_t *current_buffer(const struct mfi_card *card)
{
    return (uint8_t *)card->buffers.cpu + (size_t)card->management * MFI_BUFFER_BYTES;
}

void mfi_buffer_prepare(struct mfi_card *card, uint32_t len_bytes)
{
    uint8_t *b = current_buffer(card);

    for (uint32_t i = 0; i < len_bytes; i++)
        b[i] = pattern(i);
}

uint32_t mfi_buffer_copy(struct mfi_card *card, void *to, uint32_t len_bytes)
{
    const uint8_t *out = to;
    uint32_t written = len_bytes;

    /* The device may still write its memory: what is judged is the copy. */
    memcpy(to, current_buffer(card), len_bytes);
    while (written && out[written - 1] == pattern(written - 1))
        written--;
    return written;
}

/* Which answers mean "this firmware has no such thing". */
static enum err refusal(uint8_t status)
{
    return status == MFI_STAT_INVALID_DCMD || status == MFI_STAT_INVALID_CMD ? E_UNSUPPORTED : E_REFUSED;
}

/* A burn-in looks at health, battery and background work every minute, for days: the same refusal of the
 * same command is recorded once and not each time.  Callers see each. */
static int not_served(struct mfi_card *card, const struct mfi_op *op, enum err err, uint32_t want)
{
    uint8_t status = card->command_status;

    for (unsigned i = 0; i < card->unserved_count; i++)
        if (card->unserved[i].opcode == op->opcode && card->unserved[i].status == status)
            return err;
    if (card->unserved_count < MFI_MAX_UNSERVED) {
        card->unserved[card->unserved_count].opcode = op->opcode;
        card->unserved[card->unserved_count++].status = status;
    }
    return NOTE(err, op->name, status, want);
}

int mfi_dcmd(struct mfi_card *card, const struct mfi_op *op, struct mfi_mbox mbox, void *reply,
             uint32_t reply_bytes)
{
    int rc;

    card->command_status = MFI_STAT_PENDING;
    if (!gate_permits(GATE_MFI_FRAME, MFI_DCMD, 0) || !gate_permits(GATE_MFI_DCMD, op->opcode, 0))
        return NOTE(E_REFUSED, op->name, op->opcode, 0);
    if (op->not_for_shy && card->gen->shy)
        return E_UNSUPPORTED;
    if (reply && reply_bytes > MFI_BUFFER_BYTES)
        return NOTE(E_LIMIT, op->name, reply_bytes, MFI_BUFFER_BYTES);
    struct mfi_dcmd_frame *f = (struct mfi_dcmd_frame *)mfi_management_frame(card, MFI_DCMD);
    f->opcode = op->opcode;
    f->mbox = mbox;
    if (reply) {
        mfi_buffer_prepare(card, reply_bytes);
        uint32_t at = (uint32_t)card->buffers.bus + card->management * MFI_BUFFER_BYTES;

        f->h.flags |= MFI_FLAG_READ;
        f->h.sge_count = 1;
        f->h.data_len = reply_bytes;
        f->sge[0] = (struct mfi_sge32){ .addr = at, .len = reply_bytes };
        if (card->gen->dcmd_sgl64) {
            f->h.flags |= MFI_FLAG_SGL64;
            f->sge64[0] = (struct mfi_sge64){ .addr_lo = at, .len = reply_bytes };
        }
    }
    if ((rc = mfi_management_call(card, MFI_FOR_CARD, op->deadline_ms, op->name)))
        return rc;
    if (card->command_status == MFI_STAT_PINNED_CACHE)
        card->raid.pinned_cache = true;
    if (card->command_status != MFI_STAT_OK)
        return not_served(card, op, refusal(card->command_status), MFI_STAT_OK);
    /* QEMU says "ok" to every opcode it does not know and leaves the buffer alone (5.3). */
    if (reply) {
        uint32_t written = mfi_buffer_copy(card, reply, reply_bytes);

        if (!written)
            return not_served(card, op, E_UNSUPPORTED, reply_bytes);
        memset((uint8_t *)reply + written, 0, reply_bytes - written);
    }
    return OK;
}
