#include "mfi_internal.h"

enum { LOOK_AGAIN_US = 20000, LEAVE_MS = 90000, ARRIVE_MS = 400000, INIT_MS = 60000, OPERATIONAL_MS = 10000 };

/* What to do in a state on the way to READY, and how long the firmware may stay in it without any change of
 * its status word (facts/mfi.md 2.4: the longest wait of three public drivers where it waits by itself). */
enum todo { WAIT, HANDSHAKE, CALL_BACK, ARRIVED, BOOT_MESSAGE, FAULTED };
struct state_row {
    enum mfi_state state;
    enum todo todo;
    uint32_t deadline_ms;
    const char *words;
};
static const struct state_row states[] = {
    { FW_UNDEFINED, WAIT, 180000, "firmware stuck in state \"undefined\"" },
    { FW_BOOT_BLOCK, WAIT, 180000, "firmware stuck in its boot block" },
    { FW_INIT, WAIT, 180000, "firmware stuck in its initialisation" },
    { FW_HANDSHAKE, HANDSHAKE, 30000, "firmware stuck waiting for a handshake" },
    { FW_INIT_2, WAIT, 180000, "firmware stuck in its second initialisation" },
    { FW_DEVICE_SCAN, WAIT, 180000, "firmware stuck scanning for drives" },
    { FW_BOOT_MESSAGE, BOOT_MESSAGE, 60000, "firmware stuck after its boot message was acknowledged" },
    { FW_FLUSH_CACHE, WAIT, 180000, "firmware stuck flushing its cache" },
    { FW_READY, ARRIVED, 0, "READY" },
    { FW_OPERATIONAL, CALL_BACK, 60000,
      "firmware stuck in state OPERATIONAL after it was told to get ready" },
    { FW_FAULT, FAULTED, 0, "FAULT" },
};
/* What we do only with a person's consent (drivers/raid.h). */
static const char boot_message_stays[] =
    "firmware shows a boot message (lost cache, missing or foreign drives) that a person must answer in the card's "
    "own setup, or with ack_boot_message = yes: not acknowledged";
static const char fault_stays[] = "firmware is in state FAULT (its raw status word follows): not reset";
static const char fault_again[] =
    "firmware is in state FAULT again after a reset (its raw status word follows)";
/* A word in transition may show it for a moment. */
static const struct state_row unknown_state = { FW_UNDEFINED, WAIT, 10000,
                                                "unknown firmware state (status word follows)" };

static const struct state_row *row_of(uint32_t word)
{
    for (unsigned i = 0; i < ARRAY_COUNT(states); i++)
        if (states[i].state == FIELD_GET(FW_STATE, word))
            return &states[i];
    return &unknown_state;
}

/* An Aero's register may read 0 although it holds something (facts/mfi.md 6.8); asked again, it does not. */
uint32_t mfi_register(const struct mfi_card *card, uint32_t reg)
{
    uint32_t v = plat_read32(&card->regs, reg);

    for (unsigned again = 0; !v && card->gen->reads_zero && again < MFI_ZERO_READS; again++)
        v = plat_read32(&card->regs, reg);
    return v;
}

uint32_t mfi_firmware_word(const struct mfi_card *card) { return mfi_register(card, card->gen->status_reg); }

int mfi_firmware_alive(struct mfi_card *card)
{
    uint32_t word = mfi_firmware_word(card);

    if (word == UINT32_MAX)
        return FAULT(&card->c.fault, E_GONE, "firmware status reads all ones", word, 0);
    if (FIELD_GET(FW_STATE, word) == FW_FAULT)
        return FAULT(&card->c.fault, E_PROTO, "firmware went to state FAULT (its raw status word follows)",
                     word, FIELD_PUT(FW_STATE, FW_OPERATIONAL));
    return OK;
}

static void ring(struct mfi_card *card, uint32_t doorbell)
{
    plat_dma_publish();
    plat_write32(&card->regs, card->gen->doorbell_reg, doorbell);
}

/* Only before INIT, and only when it is not so already: afterwards the same write is a soft reset to QEMU's
 * card (5.4, fact 1). */
static void mask_interrupts(struct mfi_card *card)
{
    if (plat_read32(&card->regs, MFI_OMSK) != card->gen->mask_all) {
        plat_dma_publish();
        plat_write32(&card->regs, MFI_OMSK, card->gen->mask_all);
    }
}

/* The first time in a state that wants something of us. */
static void answer_state(struct mfi_card *card, const struct state_row *row)
{
    if (row->todo == HANDSHAKE)
        ring(card, IDB_HANDSHAKE);
    if (row->todo == CALL_BACK) {
        mask_interrupts(card);
        ring(card, IDB_TO_READY);
    }
    if (row->todo == BOOT_MESSAGE) {
        ring(card, IDB_HOTPLUG);
        card->message_acknowledged = true;
    }
}

/* A state that is not to be left without consent; OK: it may be, and a FAULT was reset.  f NULL: on the way
 * out, when nothing is reset any more. */
static int ask_for_consent(struct mfi_card *card, struct fault *f, const struct state_row *row, uint32_t word)
{
    const uint32_t want = (uint32_t)FIELD_PUT(FW_STATE, FW_READY);
    int rc;

    if (row->todo == BOOT_MESSAGE)
        return raid_consent.acknowledge_boot_message ? OK
                                                     : FAULT(f, E_REFUSED, boot_message_stays, word, want);
    if (card->was_reset)
        return FAULT(f, E_PROTO, fault_again, word, want);
    /* A fusion card says whether a reset can help (2.4). */
    if (!f || !raid_consent.reset_fault || (card->gen->fusion && !(word & FAULT_MAY_BE_RESET)))
        return FAULT(f, E_PROTO, fault_stays, word, want);
    card->was_reset = true;
    card->fault_word = word;
    if ((rc = mfi_firmware_reset(card)))
        return rc;
    return OK;
}

/* answered: the state in which the doorbell was rung already, or NULL. */
static int walk_to_ready(struct mfi_card *card, struct fault *f, const struct state_row *answered,
                         uint32_t limit_ms)
{
    const uint32_t want = (uint32_t)FIELD_PUT(FW_STATE, FW_READY);
    uint64_t begin_ns = plat_now_ns(), change_ns = begin_ns;
    uint32_t last = mfi_firmware_word(card);
    int rc;

    for (;;) {
        uint32_t word = mfi_firmware_word(card);
        const struct state_row *row = row_of(word);
        uint64_t now_ns = plat_now_ns();

        if (word == UINT32_MAX)
            return FAULT(f, E_GONE, "firmware status reads all ones", word, want);
        if (row->todo == ARRIVED)
            return OK;
        if (row->todo >= BOOT_MESSAGE && (rc = ask_for_consent(card, f, row, word)))
            return rc;
        if (row->todo == FAULTED) {
            answered = NULL;
            begin_ns = change_ns = plat_now_ns();
            continue;
        }
        /* Any change of the word is progress. */
        if (word != last) {
            last = word;
            change_ns = now_ns;
        }
        if (row != answered)
            answer_state(card, row);
        answered = row;
        if (now_ns - change_ns > row->deadline_ms * NS_PER_MS)
            return FAULT(f, row == &unknown_state ? E_PROTO : E_TIMEOUT, row->words, word, want);
        if (now_ns - begin_ns > limit_ms * NS_PER_MS)
            return FAULT(f, E_TIMEOUT, "firmware goes from state to state and never to READY", word, want);
        plat_stall_us(LOOK_AGAIN_US);
    }
}

int mfi_firmware_to_ready(struct mfi_card *card)
{
    return walk_to_ready(card, &card->c.fault, NULL, ARRIVE_MS);
}

int mfi_firmware_leave(struct mfi_card *card)
{
    uint32_t word = mfi_firmware_word(card);

    if (word == UINT32_MAX || FIELD_GET(FW_STATE, word) == FW_FAULT)
        return NOTE(word == UINT32_MAX ? E_GONE : E_PROTO, "hand-back of the card: firmware status", word,
                    FIELD_PUT(FW_STATE, FW_READY));
    ring(card, IDB_TO_READY);
    return walk_to_ready(card, NULL, row_of((uint32_t)FIELD_PUT(FW_STATE, FW_OPERATIONAL)), LEAVE_MS);
}

/* Where queue information, indices and ring lie in card->queue. */
enum { PRODUCER_AT = 64, CONSUMER_AT = 128, RING_AT = 256 };

static int alloc_queue(struct mfi_card *card)
{
    const struct dma_limits low = { .highest_address = MFI_BELOW_4_GIB };
    size_t len_bytes = RING_AT + (size_t)card->max_commands * sizeof(uint32_t);

    if (plat_dma_alloc(card->c.fn, len_bytes, &low, &card->queue))
        return FAULT(&card->c.fault, E_NOMEM, "reply ring below 4 GiB", 0, len_bytes);
    uint8_t *q = card->queue.cpu;
    /* We poll status bytes and read no index and no entry, but the firmware may write them. */
    memset(q + RING_AT, 0xff, len_bytes - RING_AT);
    /* Exactly so many entries: QEMU refuses more, and wraps there whatever was said (3.3, 5.4). */
    *(struct mfi_queue_info *)q = (struct mfi_queue_info){
        .entries = card->max_commands,
        .ring = card->queue.bus + RING_AT,
        .producer = card->queue.bus + PRODUCER_AT,
        .consumer = card->queue.bus + CONSUMER_AT,
    };
    return OK;
}

static int wait_operational(struct mfi_card *card)
{
    uint64_t deadline_ns = plat_now_ns() + OPERATIONAL_MS * NS_PER_MS;

    for (;;) {
        uint64_t now_ns = plat_now_ns();
        uint32_t word = mfi_firmware_word(card);
        int rc = mfi_firmware_alive(card);

        if (rc || FIELD_GET(FW_STATE, word) == FW_OPERATIONAL)
            return rc;
        if (now_ns > deadline_ns)
            return FAULT(&card->c.fault, E_PROTO, "INIT was accepted but the firmware is not OPERATIONAL",
                         word, FIELD_PUT(FW_STATE, FW_OPERATIONAL));
        plat_stall_us(LOOK_AGAIN_US);
    }
}

int mfi_firmware_init(struct mfi_card *card)
{
    int rc;

    if (!gate_permits(GATE_MFI_FRAME, MFI_INIT, 0))
        return FAULT(&card->c.fault, E_REFUSED, "gate: INIT frame", MFI_INIT, 0);
    if (card->gen->fusion) {
        mask_interrupts(card);
        return (rc = mfi_fusion_init(card)) ? rc : wait_operational(card);
    }
    if ((rc = alloc_queue(card)))
        return rc;
    mask_interrupts(card);
    struct mfi_init_frame *f = (struct mfi_init_frame *)mfi_management_frame(card, MFI_INIT);
    f->h.data_len = sizeof(struct mfi_queue_info);
    f->info_lo = (uint32_t)card->queue.bus;
    card->given_away = true;
    if ((rc = mfi_management_call(card, MFI_FOR_CARD, INIT_MS, "INIT")))
        return rc;
    if (card->command_status != MFI_STAT_OK)
        return FAULT(&card->c.fault, E_REFUSED, "INIT refused by the firmware", card->command_status, 0);
    return wait_operational(card);
}
