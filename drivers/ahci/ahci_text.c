#include "ahci_internal.h"

struct bit_words {
    uint32_t bit;
    const char *words;
};

/* The list "a, b, c" of the bits that are set; `nothing` when none is. */
static void list_bits(const struct bit_words *b, unsigned n, uint32_t v, const char *nothing,
                      struct text *out)
{
    bool any = false;

    for (unsigned i = 0; i < n; i++) {
        if (!(v & b[i].bit))
            continue;
        text_fmt(out, "%s%s", any ? ", " : "", b[i].words);
        any = true;
    }
    if (!any)
        text_str(out, nothing);
}

static const struct bit_words error_words[] = {
    { ERROR_UNC, "data cannot be read" },
    { ERROR_IDNF, "sector not found" },
    { ERROR_ICRC, "transfer damaged on the link (CRC)" },
    { ERROR_ABRT, "command aborted" },
    { ERROR_AMNF, "address mark not found" },
};
static const struct bit_words adapter_words[] = {
    { PXIS_HBFS, "host bus fatal error" },
    { PXIS_HBDS, "host bus data error" },
    { PXIS_IFS, "link error" },
    { PXIS_OFS, "more data than asked for" },
    { PXIS_UFS, "unknown FIS received" },
};
/* PxSERR bits that speak of cable, connector or backplane (fact sheet B4). */
static const struct bit_words serr_words[] = {
    { BIT_(8), "data errors" },       { BIT_(10), "protocol errors" }, { BIT_(19), "10b/8b decoding errors" },
    { BIT_(20), "disparity errors" }, { BIT_(21), "CRC errors" },      { BIT_(22), "handshake errors" },
    { BIT_(23), "sequence errors" },
};

void ahci_status_words(uint32_t detail, struct text *out)
{
    if (!detail) {
        text_str(out, "no status from the drive");
        return;
    }
    if (detail & DETAIL_ADAPTER) {
        list_bits(adapter_words, ARRAY_COUNT(adapter_words), detail & ~DETAIL_ADAPTER, "adapter error", out);
        text_fmt(out, " (PxIS 0x%08x)", (unsigned)(detail & ~DETAIL_ADAPTER));
        return;
    }
    if (detail & DETAIL_SHORT) {
        text_fmt(out, "ended well with %u bytes missing", (unsigned)(detail & ~DETAIL_SHORT));
        return;
    }
    uint32_t status = (uint32_t)FIELD_GET(TFD_STATUS, detail), error = (uint32_t)FIELD_GET(TFD_ERROR, detail);
    if (status & TFD_BSY)
        text_str(out, "drive busy");
    else if (status & TFD_DF)
        text_str(out, "device fault");
    else if (status & TFD_ERR)
        list_bits(error_words, ARRAY_COUNT(error_words), error, "error without a reason", out);
    else
        text_str(out, "drive idle, no answer");
    text_fmt(out, " (STATUS 0x%02x, ERROR 0x%02x)", (unsigned)status, (unsigned)error);
}

void ahci_serr_words(uint32_t serr, struct text *out)
{
    list_bits(serr_words, ARRAY_COUNT(serr_words), serr, "none", out);
}

void ahci_log_registers(const struct ahci_port *p)
{
    static const struct {
        uint32_t off;
        const char *name, *what;
    } row[] = {
#define R(name_, off_, what_) { off_, #name_, what_ },
        AHCI_PORT_REGS(R)
#undef R
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++)
        plat_log(LOG_DEBUG, "%s: Px%s 0x%08x (%s)", p->disk.name, row[i].name,
                 (unsigned)px_read(p, row[i].off), row[i].what);
}
