#include "mfi_internal.h"

/* Adapter resets, each in the way of its generation (facts/mfi.md 2.6).  Only from FAULT and only with a
 * person's consent: what the write cache holds is lost when no battery keeps it. */

enum {
    STEP_US = 20000,
    CONFIG_RESET_STATUS = 0x84, /* PCI configuration space of IOP333 and 1078 */
    CONFIG_RESET_COOKIE = 0x64,
    RESET_HAPPENED = 0x2,
    COOKIE = 0xdddd
};

struct recipe {
    uint32_t sequence_reg, diag_reg; /* 0: by doorbell */
    uint8_t key[7];
    uint8_t key_count;
    uint32_t after_keys_ms, open_ms;    /* then HDIAG_OPEN must show */
    uint32_t after_reset_ms, closed_ms; /* then HDIAG_RESET must be gone */
};
static const struct recipe recipes[MFI_RESET_KINDS] = {
    [MFI_RESET_DOORBELL] = { .after_reset_ms = 3000, .closed_ms = 30000 },
    [MFI_RESET_DIAG_HIGH] = { MFI_WSEQ_2108,
                              MFI_HDIAG_2108,
                              { 0, 4, 0xb, 2, 7, 0xd },
                              6,
                              1000,
                              10000,
                              10000,
                              100000 },
    [MFI_RESET_DIAG_LOW] = { MFI_WSEQ, MFI_HDIAG, { 0, 4, 0xb, 2, 7, 0xd }, 6, 1000, 10000, 10000, 100000 },
    [MFI_RESET_DIAG_FUSION] = { MFI_WSEQ,
                                MFI_HDIAG,
                                { 0, 0xf, 4, 0xb, 2, 7, 0xd },
                                7,
                                0,
                                10000,
                                3000,
                                100000 },
};

static void write_reg(struct mfi_card *card, uint32_t reg, uint32_t v)
{
    plat_dma_publish();
    plat_write32(&card->regs, reg, v);
}

static void wait_ms(uint32_t ms)
{
    for (uint32_t i = 0; i < ms * 1000 / STEP_US; i++)
        plat_stall_us(STEP_US);
}

static int wait_bits(struct mfi_card *card, uint32_t reg, uint32_t bits, uint32_t want, uint32_t limit_ms,
                     const char *what)
{
    uint64_t deadline_ns = plat_now_ns() + limit_ms * NS_PER_MS;

    for (;;) {
        uint64_t now_ns = plat_now_ns();
        uint32_t v = plat_read32(&card->regs, reg);

        if (v == UINT32_MAX)
            return FAULT(&card->c.fault, E_GONE, what, v, want);
        if ((v & bits) == want)
            return OK;
        if (now_ns > deadline_ns)
            return FAULT(&card->c.fault, E_TIMEOUT, what, v, want);
        plat_stall_us(STEP_US);
    }
}

static int by_doorbell(struct mfi_card *card, const struct recipe *r)
{
    write_reg(card, card->gen->doorbell_reg, IDB_RESET);
    wait_ms(r->after_reset_ms);
    uint32_t status = plat_pci_read32(card->c.fn, CONFIG_RESET_STATUS);
    if (status != UINT32_MAX && (status & RESET_HAPPENED)) {
        plat_pci_write32(card->c.fn, CONFIG_RESET_STATUS, status & ~(uint32_t)RESET_HAPPENED);
        wait_ms(2000);
        if (plat_pci_read32(card->c.fn, CONFIG_RESET_COOKIE) >> 16 == COOKIE)
            plat_pci_write32(card->c.fn, CONFIG_RESET_COOKIE, 0);
    }
    wait_ms(r->closed_ms);
    return OK;
}

int mfi_firmware_reset(struct mfi_card *card)
{
    const struct recipe *r = &recipes[card->gen->reset];
    int rc;

    if (!r->diag_reg)
        return by_doorbell(card, r);
    for (unsigned i = 0; i < r->key_count; i++)
        write_reg(card, r->sequence_reg, r->key[i]);
    wait_ms(r->after_keys_ms);
    if ((rc = wait_bits(card, r->diag_reg, HDIAG_OPEN, HDIAG_OPEN, r->open_ms,
                        "host diagnostics do not open: reset not possible")))
        return rc;
    write_reg(card, r->diag_reg, plat_read32(&card->regs, r->diag_reg) | (uint32_t)HDIAG_RESET);
    wait_ms(r->after_reset_ms);
    return wait_bits(card, r->diag_reg, HDIAG_RESET, 0, r->closed_ms, "adapter reset does not end");
}
