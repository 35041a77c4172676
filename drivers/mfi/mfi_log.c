#include "mfi_internal.h"

/* What a drive behind the card says of itself, as bytes: log pages of SCSI (layouts as smartmontools'
 * scsiprint.cpp and scsicmds.cpp read them) and the registers of an ATA command in sense data. */

enum { PAGE_HEADER = 4, PARAMETER_HEADER = 4 };

static uint64_t big_endian(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    while (bytes--)
        v = v << 8 | *p++;
    return v;
}

/* ---- parameters: code, value and its length, which lies within the page ---- */
static void add_errors(struct disk_health *h, uint16_t code, const uint8_t *v, uint32_t len)
{
    enum { TOTAL_UNCORRECTED = 6 };

    if (code != TOTAL_UNCORRECTED || !len || len > 8)
        return;
    /* Reads, writes and verifies have a page each. */
    uint64_t n = big_endian(v, len), before = 0;
    if (health_knows(h, HEALTH_MEDIA_ERRORS))
        before = (uint64_t)h->value[HEALTH_MEDIA_ERRORS];
    health_set(h, HEALTH_MEDIA_ERRORS, n > (uint64_t)INT64_MAX - before ? INT64_MAX : (int64_t)(before + n));
}

static bool is_temperature(uint8_t c) { return c && c != 0xff; }

static void take_temperature(struct disk_health *h, uint16_t code, const uint8_t *v, uint32_t len)
{
    static const enum health_value values[] = { HEALTH_TEMPERATURE_C, HEALTH_TEMPERATURE_WARNING_C };

    if (code < ARRAY_COUNT(values) && len >= 2 && is_temperature(v[1]))
        health_set(h, values[code], v[1]);
}

/* The newest of up to 20 results comes first; one that is all zeros was never written. */
static void take_self_test(struct disk_health *h, uint16_t code, const uint8_t *v, uint32_t len)
{
    enum { RESULTS = 20, RESULT_BYTES = 16, FIRST_FAILURE = 3, LAST_FAILURE = 7 };

    if (!code || code > RESULTS || len < RESULT_BYTES)
        return;
    unsigned result = v[0] & 0xf;
    bool failed = result >= FIRST_FAILURE && result <= LAST_FAILURE;
    if (!health_knows(h, HEALTH_SELF_TESTS_FAILED)) {
        health_set(h, HEALTH_SELF_TESTS_FAILED, 0);
        health_warn(h, HEALTH_WARN_SELF_TEST, failed);
    }
    h->value[HEALTH_SELF_TESTS_FAILED] += failed;
}

/* Parameter 0 is the state of the scan, the others are places that it met. */
static void take_scan(struct disk_health *h, uint16_t code, const uint8_t *v, uint32_t len)
{
    enum { PLACES = 0x800, STATE_BYTES = 8, PLACE_BYTES = 20, MEDIUM_ERROR = 3 };

    if (!code && len >= STATE_BYTES) {
        health_set(h, HEALTH_POWER_ON_HOURS, (int64_t)(big_endian(v, 4) / 60));
        health_set(h, HEALTH_UNCORRECTABLE_SECTORS, 0);
    } else if (code && code <= PLACES && len >= PLACE_BYTES &&
               health_knows(h, HEALTH_UNCORRECTABLE_SECTORS)) {
        h->value[HEALTH_UNCORRECTABLE_SECTORS] += (v[4] & 0xf) == MEDIUM_ERROR;
    }
}

static void take_exceptions(struct disk_health *h, uint16_t code, const uint8_t *v, uint32_t len)
{
    enum { ASC_WARNING = 0x0b, ASCQ_TOO_HOT = 1, ASC_FAILURE_PREDICTED = 0x5d };

    if (code || len < 2)
        return;
    health_warn(h, HEALTH_WARN_FAILURE_EXPECTED, v[0] == ASC_FAILURE_PREDICTED);
    health_warn(h, HEALTH_WARN_TEMPERATURE, v[0] == ASC_WARNING && v[1] == ASCQ_TOO_HOT);
    if (len >= 3 && is_temperature(v[2]) && !health_knows(h, HEALTH_TEMPERATURE_C))
        health_set(h, HEALTH_TEMPERATURE_C, v[2]);
}

static const struct {
    uint8_t number;
    void (*take)(struct disk_health *h, uint16_t code, const uint8_t *v, uint32_t len);
} pages[] = {
    { 0x02, add_errors },     { 0x03, add_errors }, { 0x05, add_errors },      { 0x0d, take_temperature },
    { 0x10, take_self_test }, { 0x15, take_scan },  { 0x2f, take_exceptions },
};

void mfi_log_take(const uint8_t *page, uint32_t len, uint8_t number, struct disk_health *h)
{
    unsigned row = 0;

    while (row < ARRAY_COUNT(pages) && pages[row].number != number)
        row++;
    /* Bit 6: the page has subpages, of which none was asked for. */
    if (row == ARRAY_COUNT(pages) || len < PAGE_HEADER || (page[0] & 0x7f) != number)
        return;
    uint32_t end = (uint32_t)min_u64(len, PAGE_HEADER + big_endian(page + 2, 2));
    for (uint32_t at = PAGE_HEADER; end - at >= PARAMETER_HEADER;) {
        const uint8_t *p = page + at;
        uint32_t body = p[3];

        at += PARAMETER_HEADER;
        if (body > end - at)
            return;
        pages[row].take(h, (uint16_t)big_endian(p, 2), p + PARAMETER_HEADER, body);
        at += body;
    }
}

/* ---- SMART RETURN STATUS ---- */
/* LBA 23:8 as the drive leaves it. */
static enum mfi_verdict verdict_of(uint8_t mid, uint8_t high)
{
    if (mid == 0x4f && high == 0xc2)
        return MFI_VERDICT_GOOD;
    return mid == 0xf4 && high == 0x2c ? MFI_VERDICT_FAILING : MFI_VERDICT_NOT_TOLD;
}

enum mfi_verdict mfi_ata_verdict(const uint8_t *sense, uint32_t len)
{
    enum { DESCRIPTORS = 8, ATA_RETURN = 9, ATA_RETURN_BYTES = 14, INFORMATION_AVAILABLE = 0x1d };

    if (len < 18)
        return MFI_VERDICT_NOT_TOLD;
    if ((sense[0] & 0x7f) == 0x70)
        return !sense[12] && sense[13] == INFORMATION_AVAILABLE ? verdict_of(sense[10], sense[11])
                                                                : MFI_VERDICT_NOT_TOLD;
    if ((sense[0] & 0x7f) != 0x72)
        return MFI_VERDICT_NOT_TOLD;
    uint32_t end = (uint32_t)min_u64(len, DESCRIPTORS + sense[7]);
    for (uint32_t at = DESCRIPTORS; at + 2 <= end; at += 2u + sense[at + 1])
        if (sense[at] == ATA_RETURN && end - at >= ATA_RETURN_BYTES)
            return verdict_of(sense[at + 9], sense[at + 11]);
    return MFI_VERDICT_NOT_TOLD;
}
