#include "smart.h"
#include "bits.h"
#include "text.h"

/* READ DATA and READ THRESHOLDS share their frame: a revision, then 30 entries of 12 bytes. */
enum { ENTRIES_AT = 2, ENTRIES = 30, ENTRY_BYTES = 12 };
enum { ENTRY_ID = 0, ENTRY_FLAGS = 1, ENTRY_CURRENT = 3, ENTRY_RAW = 5, ENTRY_THRESHOLD = 1 };
enum { ENTRY_PREFAIL = 1 };
enum { THRESHOLD_ALWAYS_PASSES = 0, THRESHOLD_MAX = 0xfd };
static uint64_t little_endian(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    while (bytes--)
        v = v << 8 | p[bytes];
    return v;
}

bool smart_page_adds_up(const uint8_t page[SMART_PAGE_BYTES])
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < SMART_PAGE_BYTES; i++)
        sum = (uint8_t)(sum + page[i]);
    return !sum;
}

/* How much of the raw value counts follows smartmontools' default formats; what lies above is other matter.
 */
static const struct {
    uint8_t id, raw_bytes;
    enum health_value value;
} attributes[] = {
    { 5, 2, HEALTH_REALLOCATED_SECTORS },    { 9, 3, HEALTH_POWER_ON_HOURS },
    { 12, 4, HEALTH_POWER_CYCLES },          { 187, 4, HEALTH_MEDIA_ERRORS },
    { 190, 1, HEALTH_TEMPERATURE_C },        { 194, 1, HEALTH_TEMPERATURE_C },
    { 197, 4, HEALTH_PENDING_SECTORS },      { 198, 4, HEALTH_UNCORRECTABLE_SECTORS },
    { 199, 4, HEALTH_INTERFACE_CRC_ERRORS },
};

static void take_attribute(const uint8_t *entry, struct disk_health *h)
{
    for (unsigned i = 0; i < ARRAY_COUNT(attributes); i++) {
        if (attributes[i].id != entry[ENTRY_ID])
            continue;
        /* Of two temperatures that of the medium, 194, counts. */
        if (entry[ENTRY_ID] == 190 && health_knows(h, HEALTH_TEMPERATURE_C))
            continue;
        int64_t raw = (int64_t)little_endian(entry + ENTRY_RAW, attributes[i].raw_bytes);
        if (attributes[i].value == HEALTH_TEMPERATURE_C)
            raw = (int8_t)raw;
        health_set(h, attributes[i].value, raw);
    }
}

/* 0: no limit. */
static uint8_t threshold_of(const uint8_t *thresholds, uint8_t id)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        const uint8_t *t = thresholds + ENTRIES_AT + i * ENTRY_BYTES;
        if (t[ENTRY_ID] == id)
            return t[ENTRY_THRESHOLD] <= THRESHOLD_MAX ? t[ENTRY_THRESHOLD] : THRESHOLD_ALWAYS_PASSES;
    }
    return THRESHOLD_ALWAYS_PASSES;
}

void smart_take_attributes(const uint8_t *data, const uint8_t *thresholds, struct disk_health *h)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        const uint8_t *entry = data + ENTRIES_AT + i * ENTRY_BYTES;
        uint8_t least = thresholds ? threshold_of(thresholds, entry[ENTRY_ID]) : THRESHOLD_ALWAYS_PASSES;

        if (!entry[ENTRY_ID])
            continue;
        take_attribute(entry, h);
        if (least == THRESHOLD_ALWAYS_PASSES || entry[ENTRY_CURRENT] > least)
            continue;
        if (entry[ENTRY_FLAGS] & ENTRY_PREFAIL)
            health_warn(h, HEALTH_WARN_FAILURE_EXPECTED, true);
        if (!h->note[0])
            str_fmt(h->note, sizeof h->note, "attribute %u is at %u, its threshold at %u", entry[ENTRY_ID],
                    entry[ENTRY_CURRENT], least);
    }
}
