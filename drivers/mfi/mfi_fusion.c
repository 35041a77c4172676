#include "mfi_path.h"

/* Bring-up of fusion cards and their management commands (facts/mfi.md 6.1 to 6.3, 6.6). */

enum { DOORBELL_TAKEN_MS = 10000, LOOK_AGAIN_US = 20000, INIT_MS = 60000, RING_AT = 256 };

void mfi_fusion_limits(struct mfi_card *card)
{
    uint64_t commands =
        card->gen->commands_in_pad_2 ? FIELD_GET(OSP2_COMMANDS, mfi_register(card, MFI_OSP2)) : 0;
    unsigned sges = FUSION_SGES - 1 + FUSION_CHAIN_BYTES / sizeof(struct fusion_sge);

    if (commands)
        card->max_commands = (uint16_t)commands;
    /* The reply ring, longer by one, has 16 bits for its length. */
    card->max_commands = (uint16_t)min_u64(card->max_commands, UINT16_MAX + 1 - 2 * FUSION_REPLY_MULTIPLE);
    /* Rounded down to a power of two (6.3). */
    for (card->max_sge = 1; card->max_sge * 2u <= sges;)
        card->max_sge = (uint16_t)(card->max_sge * 2);
}
_Static_assert(FUSION_CHAIN_BYTES <= (int)MFI_SENSE_OFFSET, "the chain fits its slot");

int mfi_fusion_alloc(struct mfi_card *card)
{
    /* Request pool, sense data and ring may not cross a 4 GiB line, and older cards want them below it. */
    const struct dma_limits low = { .highest_address = MFI_BELOW_4_GIB };
    unsigned tags = card->management_count + card->io_frames;

    card->ring_depth = ALIGN_UP(card->max_commands + 1u, FUSION_REPLY_MULTIPLE);
    size_t pool_bytes = (tags + 1u) * (size_t)FUSION_REQUEST_BYTES;
    size_t queue_bytes = RING_AT + card->ring_depth * sizeof(uint64_t);
    if (plat_dma_alloc(card->c.fn, pool_bytes, &low, &card->requests) ||
        plat_dma_alloc(card->c.fn, queue_bytes, &low, &card->queue))
        return FAULT(&card->c.fault, E_NOMEM, "request pool and reply ring below 4 GiB", tags,
                     card->ring_depth);
    card->ring = (uint64_t *)((uint8_t *)card->queue.cpu + RING_AT);
    for (uint32_t i = 0; i < card->ring_depth; i++)
        card->ring[i] = REPLY_POISON;
    for (unsigned i = 0; i < tags; i++)
        card->tags[i].frame = (uint64_t *)mfi_fusion_request(card, i);
    return OK;
}

static int wait_doorbell_taken(struct mfi_card *card)
{
    uint64_t deadline_ns = plat_now_ns() + DOORBELL_TAKEN_MS * NS_PER_MS;

    for (;;) {
        uint64_t now_ns = plat_now_ns();
        uint32_t word = mfi_register(card, MFI_DB);

        if (word == UINT32_MAX)
            return FAULT(&card->c.fault, E_GONE, "doorbell reads all ones", word, 0);
        if (!(word & DB_BUSY))
            return OK;
        if (now_ns > deadline_ns)
            return FAULT(&card->c.fault, E_TIMEOUT, "doorbell: the firmware does not take the last word",
                         word, 0);
        plat_stall_us(LOOK_AGAIN_US);
    }
}

int mfi_fusion_init(struct mfi_card *card)
{
    int rc = wait_doorbell_taken(card);

    if (rc)
        return rc;
    *(struct fusion_ioc_init *)card->queue.cpu = (struct fusion_ioc_init){
        .who_init = IOC_WHO_HOST,
        .function = IOC_INIT_FUNCTION,
        .message_version = IOC_MESSAGE_VERSION,
        .header_version = IOC_HEADER_VERSION,
        .host_page_shift = 12,
        .frame_dwords = FUSION_REQUEST_BYTES / 4,
        .reply_depth = (uint16_t)card->ring_depth,
        .sense_hi = (uint32_t)(card->frames.bus >> 32),
        .request_pool = card->requests.bus,
        .reply_ring = card->queue.bus + RING_AT,
        .time_ms = plat_now_ns() / NS_PER_MS,
    };
    /* No capability is claimed: the firmware is to behave as towards the simplest of hosts (6.2). */
    struct mfi_init_frame *f = (struct mfi_init_frame *)mfi_management_frame(card, MFI_INIT);
    f->h.data_len = sizeof(struct fusion_ioc_init);
    f->info_lo = (uint32_t)card->queue.bus;
    f->info_hi = (uint32_t)(card->queue.bus >> 32);
    card->given_away = true;
    if ((rc = mfi_management_call(card, MFI_FOR_CARD, INIT_MS, "INIT")))
        return rc;
    if (card->command_status != MFI_STAT_OK)
        return FAULT(&card->c.fault, E_REFUSED, "INIT refused by the firmware", card->command_status, 0);
    /* INIT itself needs the 64-bit form; whether the other exists is said after it. */
    if (card->gen->may_be_atomic && (mfi_register(card, MFI_OSP1) & OSP1_ATOMIC))
        card->request_reg = MFI_ATOMIC;
    return OK;
}

static void ring_management(struct mfi_card *card)
{
    card->tags[card->management].in_flight = true;
    plat_dma_publish();
    mfi_fusion_ring(card, FIELD_PUT(DESCRIPTOR_TYPE, DESCRIPTOR_SCSI_IO) |
                              FIELD_PUT(DESCRIPTOR_SMID, card->management + 1u));
}

void mfi_fusion_post_management(struct mfi_card *card)
{
    const uint64_t frame_bus = mfi_slot_bus(card, card->management);

    if (((const struct mfi_header *)mfi_slot(card, card->management))->cmd == MFI_INIT) {
        plat_dma_publish();
        plat_write64(&card->regs, MFI_IQPL, frame_bus | FIELD_PUT(DESCRIPTOR_TYPE, DESCRIPTOR_MFA));
        return;
    }
    mfi_fusion_wrap(card, card->management);
    ring_management(card);
}

bool mfi_fusion_answered(struct mfi_card *card)
{
    mfi_fusion_reap(card, NULL, NULL, 0);
    return !card->tags[card->management].in_flight;
}

int mfi_fusion_scsi(struct mfi_card *card, struct mfi_address to, const uint8_t *cdb, uint8_t cdb_len,
                    uint32_t len_bytes, uint32_t deadline_ms)
{
    const unsigned number = card->management;
    struct fusion_request *q = mfi_fusion_request(card, number);

    /* No MFI frame takes part: its status byte says "answered" from the start. */
    mfi_management_frame(card, to.cmd)->cmd_status = MFI_STAT_OK;
    mfi_fusion_fill(card, number, to, card->buffers.bus + (uint64_t)number * MFI_BUFFER_BYTES, len_bytes,
                    cdb_len);
    q->control = len_bytes ? CONTROL_READ : 0;
    memcpy(q->cdb, cdb, cdb_len);
    ring_management(card);
    int rc = mfi_management_wait(card, MFI_FOR_DRIVE, deadline_ms, "SCSI command through the card");
    if (rc)
        return rc;
    card->command_status = q->context.status;
    card->command_detail = mfi_detail(q->context.status, q->context.scsi_status,
                                      mfi_slot(card, number) + MFI_SENSE_OFFSET, MFI_SENSE_BYTES);
    return OK;
}
