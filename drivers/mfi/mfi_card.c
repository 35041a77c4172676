#include "mfi_internal.h"

enum { MIN_COMMANDS = 4, COMMANDS_FOR_SPARES = 32 };

/* The first memory BAR: 0 on the 1078, 1 (behind the I/O BAR) on the 2108 (facts/mfi.md 2.1). */
static int map_registers(struct mfi_card *card)
{
    for (unsigned bar = 0; bar < 6; bar++) {
        uint32_t bits = plat_pci_read32(card->c.fn, 0x10 + 4 * bar);

        if (bits & 1)
            continue;
        int rc = plat_bar_map(card->c.fn, bar, MFI_REGS_LEN_BYTES, &card->regs);
        if (rc == OK)
            return OK;
        if (rc != E_UNSUPPORTED)
            return FAULT(&card->c.fault, rc, "memory BAR with the registers", bar, MFI_REGS_LEN_BYTES);
        if ((bits & 6) == 4)
            bar++;
    }
    return FAULT(&card->c.fault, E_UNSUPPORTED, "memory BAR with the registers", 0, MFI_REGS_LEN_BYTES);
}

/* What the READY firmware says it can take (2.5, 6.3). */
static int read_limits(struct mfi_card *card)
{
    uint32_t word = mfi_firmware_word(card);

    if (word == UINT32_MAX)
        return FAULT(&card->c.fault, E_GONE, "firmware status reads all ones", word, 0);
    card->max_commands = (uint16_t)FIELD_GET(FW_MAX_COMMANDS, word);
    if (card->gen->fusion) {
        mfi_fusion_limits(card);
    } else {
        card->max_sge = (uint16_t)min_u64(FIELD_GET(FW_MAX_SGE, word), card->gen->max_sge);
        card->ieee_firmware = word & FW_IEEE_SGL;
    }
    if (card->max_commands < MIN_COMMANDS || !card->max_sge)
        return FAULT(&card->c.fault, E_PROTO, "firmware status: commands and scatter entries it takes", word,
                     MIN_COMMANDS);
    /* One less than it says, as Linux has it; some of them for management, so that a drive which never
     * answers does not take the only one. */
    card->management_count = card->max_commands >= COMMANDS_FOR_SPARES ? MFI_MAX_MANAGEMENT : 1;
    card->io_frames = (unsigned)min_u64(card->max_commands - 1u - card->management_count, MFI_MAX_IO_FRAMES);
    return OK;
}

static int alloc_frames(struct mfi_card *card)
{
    const struct dma_limits low = { .highest_address = MFI_BELOW_4_GIB };
    unsigned slots = card->management_count + card->io_frames;

    if (plat_dma_alloc(card->c.fn, (size_t)slots * MFI_SLOT_BYTES, &low, &card->frames) ||
        plat_dma_alloc(card->c.fn, (size_t)card->management_count * MFI_BUFFER_BYTES, &low, &card->buffers))
        return FAULT(&card->c.fault, E_NOMEM, "command frames below 4 GiB", 0, slots);
    card->tags = plat_alloc(slots * sizeof *card->tags);
    if (!card->tags)
        return FAULT(&card->c.fault, E_NOMEM, "list of command frames", 0, slots);
    for (unsigned i = 0; i < slots; i++) {
        struct mfi_io_frame *f = (struct mfi_io_frame *)mfi_slot(card, i);

        card->tags[i] = (struct mfi_tag){ .number = (uint16_t)i, .frame = (uint64_t *)f };
        if (card->gen->fusion)
            continue;
        f->h.context = i;
        f->sense_lo = (uint32_t)mfi_slot_bus(card, i) + MFI_SENSE_OFFSET;
    }
    card->free_count = card->io_frames;
    return card->gen->fusion ? mfi_fusion_alloc(card) : OK;
}

static int bring_up(struct mfi_card *card)
{
    int rc;

    if ((rc = plat_pci_enable(card->c.fn)))
        return FAULT(&card->c.fault, rc, "PCI memory decoding and bus mastering", 0, 0);
    card->enabled = true;
    if ((rc = map_registers(card)) || (rc = mfi_firmware_to_ready(card)) || (rc = read_limits(card)) ||
        (rc = alloc_frames(card)) || (rc = mfi_firmware_init(card)))
        return rc;
    return mfi_inventory(card);
}

/* Memory goes back only when the firmware is READY and has forgotten our queues; else it stays allocated for
 * good: what a card may still write must not be handed to anybody. */
static void give_back(struct mfi_card *card)
{
    bool let_go = !card->given_away || mfi_firmware_leave(card) == OK;

    if (!let_go)
        NOTE(E_TIMEOUT, "hand-back: the firmware did not let go, its DMA memory is never used again (bytes)",
             card->frames.len_bytes + card->queue.len_bytes + card->buffers.len_bytes +
                 card->requests.len_bytes,
             0);
    mfi_orphans_free(card, let_go);
    if (let_go) {
        plat_dma_free(&card->queue);
        plat_dma_free(&card->frames);
        plat_dma_free(&card->buffers);
        plat_dma_free(&card->requests);
    }
    plat_free(card->tags);
    for (unsigned i = 0; i < card->c.disk_count; i++)
        plat_free(card->disk_list[i]);
    plat_bar_unmap(&card->regs);
    if (card->enabled)
        plat_pci_release(card->c.fn);
    plat_free(card);
}

static int attach(const struct pci_fn *fn, unsigned index, struct controller **out, struct fault *fault)
{
    const struct mfi_generation *gen = mfi_generation_of(fn);
    struct mfi_card *card;
    int rc;

    *out = NULL;
    if (!gen)
        return FAULT(fault, E_UNSUPPORTED, "MegaRAID of a generation that is not driven", fn->device_id, 0);
    card = plat_alloc(sizeof *card);
    if (!card)
        return FAULT(fault, E_NOMEM, "MegaRAID controller", 0, sizeof *card);
    card->gen = gen;
    card->name = mfi_card_name_of(fn);
    card->c.driver = &mfi_driver;
    card->c.fn = fn;
    card->c.disks = card->disk_list;
    str_fmt(card->c.name, sizeof card->c.name, "megaraid%u", index);
    if ((rc = bring_up(card))) {
        if (fault && !fault->err)
            *fault = card->c.fault;
        give_back(card);
        return rc;
    }
    *out = &card->c;
    return OK;
}

static void detach(struct controller *c)
{
    struct mfi_card *card = mfi_card_of(c);
    const struct mfi_mbox both_caches = { { 1 | 2 } }; /* the controller's and the drives' */

    /* Not the shutdown command: after it the firmware must be reset before anybody can use it (7, 6). */
    if (!card->c.fault.err)
        mfi_dcmd(card, &MFI_CACHE_FLUSH, both_caches, NULL, 0);
    give_back(card);
}

const struct controller_driver mfi_driver = {
    .name = "megaraid",
    .attach = attach,
    .detach = detach,
    .health = mfi_health,
    .look_around = mfi_look_around,
    .raid = &mfi_raid_ops,
};
