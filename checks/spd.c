#include "spd.h"
#include "bits.h"

enum { TYPE = 2, TYPE_DDR = 0x07, TYPE_DDR2 = 0x08, TYPE_FB = 0x09, TYPE_DDR3 = 0x0b, TYPE_DDR4 = 0x0c };

/* CRC-16 with polynomial 1021h, starting from 0. */
static uint16_t crc16(const uint8_t *p, unsigned n)
{
    uint16_t crc = 0;

    while (n--) {
        crc = (uint16_t)(crc ^ *p++ << 8);
        for (unsigned i = 0; i < 8; i++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

static uint8_t sum(const uint8_t *p, unsigned n)
{
    uint8_t s = 0;

    while (n--)
        s = (uint8_t)(s + *p++);
    return s;
}

static bool is_blank(const uint8_t *b)
{
    for (unsigned i = 1; i < SPD_BYTES; i++)
        if (b[i] != b[0])
            return false;
    return b[0] == 0x00 || b[0] == 0xff;
}

static bool is_fru(const uint8_t *b) { return b[0] == 0x01 && sum(b, 8) == 0; }

static bool crc_is_right(const uint8_t *b, unsigned covered)
{
    return crc16(b, covered) == (b[126] | b[127] << 8);
}

/* The type byte is asked first: the one-byte sum of DDR2 passes by accident on a FRU header. */
enum spd_class spd_class_of(const uint8_t b[SPD_BYTES])
{
    bool right;

    if (is_blank(b))
        return SPD_BLANK;
    if (is_fru(b))
        return SPD_FRU;
    switch (b[TYPE]) {
    case TYPE_DDR:
    case TYPE_DDR2:
        right = sum(b, 63) == b[63];
        break;
    case TYPE_FB:
    case TYPE_DDR3:
        right = crc_is_right(b, b[0] & 0x80 ? 117 : 126);
        break;
    case TYPE_DDR4:
        right = crc_is_right(b, 126);
        break;
    default:
        return SPD_OTHER;
    }
    return right ? SPD_VALID : SPD_DAMAGED;
}

/* ---- capacity: chip size x (bus width / chip width) x ranks ---- */

static uint64_t from_chips(unsigned chip_code, unsigned bus_code, unsigned chip_width_code, unsigned ranks)
{
    uint64_t chip_mib = 32ull << chip_code; /* code 0: 256 Mbit */

    if (chip_code > 7 || bus_code > 3 || chip_width_code > 3)
        return 0;
    return chip_mib * (8u << bus_code) / (4u << chip_width_code) * ranks;
}

static uint64_t ddr2_mib(const uint8_t *b)
{
    unsigned ranks = (b[5] & 7) + 1, density = b[31];

    /* One bit says the size of a rank: bits 5-7 are 128 to 512 MiB, bits 0-4 are 1 to 16 GiB. */
    if (bit_count_u32(density) != 1)
        return 0;
    unsigned bit = (unsigned)__builtin_ctz(density);
    return (bit >= 5 ? 128ull << (bit - 5) : 1024ull << bit) * ranks;
}

uint64_t spd_mib(const uint8_t b[SPD_BYTES])
{
    switch (b[TYPE]) {
    case TYPE_DDR2:
        return ddr2_mib(b);
    case TYPE_DDR3:
        return from_chips(b[4] & 15, b[8] & 7, b[7] & 7, (b[7] >> 3 & 7) + 1);
    case TYPE_DDR4: {
        /* Stacked chips of one load each count as ranks of their own. */
        unsigned stacked = (b[6] & 3) == 2 ? (b[6] >> 4 & 7) + 1 : 1;

        return from_chips(b[4] & 15, b[13] & 7, b[12] & 7, ((b[12] >> 3 & 7) + 1) * stacked);
    }
    default:
        return 0;
    }
}

const char *spd_class_text(enum spd_class c)
{
    static const char *const words[] = {
        [SPD_BLANK] = "blank",
        [SPD_VALID] = "memory module",
        [SPD_DAMAGED] = "memory module with a wrong checksum",
        [SPD_FRU] = "identification of a card (FRU)",
        [SPD_OTHER] = "unknown data",
    };

    return words[c];
}
