#include <string.h>
#include "ahci_parts.h"

/* IDENTIFY (PACKET) DEVICE, word by word (fact sheet B6). */

/* Two characters a word, the first in the high byte, padded with blanks. */
static void put_text(uint16_t *w, unsigned words, const char *s)
{
    for (unsigned i = 0; i < 2 * words; i++) {
        uint16_t c = *s ? (uint8_t)*s++ : ' ';

        w[i / 2] = (uint16_t)(i & 1 ? w[i / 2] | c : c << 8);
    }
}

static void put_capacity(const struct model_ahci_drive *d, uint16_t *w)
{
    uint64_t lba28 = d->lba_count < 0x0fffffff ? d->lba_count : 0x0fffffff;

    w[60] = (uint16_t)lba28;
    w[61] = (uint16_t)(lba28 >> 16);
    if (d->lba28_only)
        return;
    w[83] |= 1 << 10;
    w[86] |= 1 << 10;
    for (unsigned i = 0; i < 4; i++)
        w[100 + i] = (uint16_t)(d->lba_count >> (16 * i));
}

static void put_sectors(const struct model_ahci_drive *d, uint16_t *w)
{
    if (d->sector_bytes == 512 && !d->physical_exponent)
        return;
    w[106] = 0x4000;
    if (d->physical_exponent)
        w[106] |= (uint16_t)(1 << 13 | (d->physical_exponent & 15));
    if (d->sector_bytes != 512) {
        w[106] |= 1 << 12;
        w[117] = (uint16_t)(d->sector_bytes / 2);
        w[118] = (uint16_t)(d->sector_bytes / 2 >> 16);
    }
}

static void put_features(const struct model_ahci *m, const struct model_ahci_drive *d, uint16_t *w)
{
    unsigned speed = d->speed ? d->speed : 3;

    w[49] = 1 << 8 | 1 << 9;
    w[53] = 7;
    w[63] = 7;
    w[76] = (uint16_t)((2u << speed) - 2);
    w[77] = (uint16_t)(speed << 1);
    if (d->queue_depth) {
        w[75] = (uint16_t)(d->queue_depth - 1);
        w[76] |= 1 << 8;
    }
    w[80] = 0x01f0;
    w[82] = (uint16_t)((d->smart_absent ? 0 : 1) | (d->caches_absent ? 0 : 1 << 5 | 1 << 6) |
                       (d->native_lba_count != 0) << 10);
    w[83] = 0x4000 | 1 << 12 | 1 << 13;
    w[84] = (uint16_t)(0x4000 | 1 << 0 | 1 << 1 | (d->no_logs ? 0 : 1 << 5));
    w[85] = (uint16_t)(w[82] & ~(unsigned)d->smart_off & ~((unsigned)d->write_cache_off << 5) &
                       ~((unsigned)d->look_ahead_off << 6));
    w[86] = 1 << 12 | 1 << 13;
    w[87] = w[84];
    w[88] = 0x407f;
    w[128] = d->security_locked ? 7 : d->security_frozen ? 9 : 0;
    if (w[128]) {
        w[82] |= 1 << 1;
        w[85] |= d->security_locked ? 1 << 1 : 0;
    }
    if (d->wwn) {
        w[84] |= 1 << 8;
        w[87] |= 1 << 8;
        for (unsigned i = 0; i < 4; i++)
            w[108 + i] = (uint16_t)(d->wwn >> (48 - 16 * i));
    }
    w[217] = d->rotation_rpm;
    w[222] = 0x10ff;
    (void)m;
}

void model_ahci_identify(const struct model_ahci *m, unsigned port, const struct model_ahci_drive *d,
                         bool packet, uint8_t out[512])
{
    uint16_t w[256] = { 0 };
    uint8_t sum = 0;

    (void)port;
    w[0] = packet ? 0x8580 : 0x0040;
    put_text(w + 10, 10, d->serial);
    put_text(w + 23, 4, d->firmware);
    put_text(w + 27, 20, d->model);
    put_features(m, d, w);
    if (!packet) {
        put_sectors(d, w);
        put_capacity(d, w);
    }
    if (d->puis) {
        w[2] = d->puis;
        if (d->puis == 0x37c8) {
            w[0] |= 1 << 2;
            memset(w + 47, 0, (255 - 47) * sizeof *w);
        }
    }
    for (unsigned i = 0; i < 256; i++)
        w[i] |= d->identify_or[i];
    if (d->checksum != MODEL_AHCI_CHECKSUM_ABSENT)
        w[255] = 0xa5;
    for (unsigned i = 0; i < 256; i++) {
        out[2 * i] = (uint8_t)w[i];
        out[2 * i + 1] = (uint8_t)(w[i] >> 8);
    }
    if (d->checksum == MODEL_AHCI_CHECKSUM_ABSENT)
        return;
    for (unsigned i = 0; i < 511; i++)
        sum = (uint8_t)(sum + out[i]);
    out[511] = (uint8_t)(d->checksum == MODEL_AHCI_CHECKSUM_WRONG ? 1 - sum : -sum);
}
