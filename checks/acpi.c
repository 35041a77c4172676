#include "acpi.h"
#include "bits.h"

enum { TABLE_LEN = 4, TABLE_HEADER = 36 };

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
uint32_t acpi_u32(const uint8_t *p) { return u16(p) | (uint32_t)u16(p + 2) << 16; }
uint64_t acpi_u64(const uint8_t *p) { return acpi_u32(p) | (uint64_t)acpi_u32(p + 4) << 32; }

size_t acpi_table_len(const void *table, size_t len)
{
    return table && len >= TABLE_HEADER ? (size_t)min_u64(acpi_u32((const uint8_t *)table + TABLE_LEN), len)
                                        : 0;
}

/* ---- HEST ---- */

enum { HEST_COUNT = 36, HEST_FIRST = 40 };
enum {
    SOURCE_MCE = 0,
    SOURCE_CMC = 1,
    SOURCE_NMI = 2,
    SOURCE_ROOT_AER = 6,
    SOURCE_AER = 7,
    SOURCE_BRIDGE_AER = 8,
    SOURCE_GHES = 9,
    SOURCE_GHES_2 = 10,
    SOURCE_DEFERRED = 11
};
enum { AER_FLAGS = 6, FLAG_FIRMWARE_FIRST = 1 };

/* Bytes of an error source; 0: a kind that is not known. */
static size_t source_len(const uint8_t *s, size_t left)
{
    enum { BANK_LEN = 28 };

    switch (u16(s)) {
    case SOURCE_MCE:
        return left > 32 ? 40 + (size_t)s[32] * BANK_LEN : 0;
    case SOURCE_CMC:
    case SOURCE_DEFERRED:
        return left > 44 ? 48 + (size_t)s[44] * BANK_LEN : 0;
    case SOURCE_NMI:
        return 20;
    case SOURCE_ROOT_AER:
        return 48;
    case SOURCE_AER:
        return 44;
    case SOURCE_BRIDGE_AER:
        return 56;
    case SOURCE_GHES:
        return 64;
    case SOURCE_GHES_2:
        return 92;
    default:
        return 0;
    }
}

bool hest_is_firmware_first(const void *table, size_t len)
{
    const uint8_t *t = table;

    len = acpi_table_len(t, len);
    if (len < HEST_FIRST)
        return false;
    uint32_t count = acpi_u32(t + HEST_COUNT);
    size_t at = HEST_FIRST;
    for (uint32_t i = 0; i < count; i++) {
        size_t n = at + 8 <= len ? source_len(t + at, len - at) : 0;

        if (!n || n > len - at)
            return true; /* cannot be followed: leave the errors to firmware */
        uint16_t kind = u16(t + at);
        if (kind >= SOURCE_ROOT_AER && kind <= SOURCE_BRIDGE_AER && (t[at + AER_FLAGS] & FLAG_FIRMWARE_FIRST))
            return true;
        at += n;
    }
    return false;
}

/* ---- MCFG ---- */

enum { MCFG_FIRST = 44, MCFG_ENTRY = 16, BYTES_PER_BUS = 1 << 20 };

uint64_t mcfg_bus_address(const void *table, size_t len, uint16_t segment, uint8_t bus)
{
    const uint8_t *t = table;

    len = acpi_table_len(t, len);
    for (size_t at = MCFG_FIRST; at + MCFG_ENTRY <= len; at += MCFG_ENTRY)
        if (u16(t + at + 8) == segment && bus >= t[at + 10] && bus <= t[at + 11] && acpi_u64(t + at))
            return acpi_u64(t + at) + (uint64_t)bus * BYTES_PER_BUS;
    return 0;
}
