#include <string.h>
#include "ahci_parts.h"

/* The drive's side of a command (fact sheet B3, B5 to B7). */

enum { BLOCK_BYTES_MAX = 4096, LOG_NCQ_ERROR = 0x10 };

static const struct ahci_ata_command commands[] = {
    { 0x20, ATA_READ, false, true, "READ SECTORS" },
    { 0x24, ATA_READ, true, true, "READ SECTORS EXT" },
    { 0x25, ATA_READ, true, false, "READ DMA EXT" },
    { 0x27, ATA_NO_DATA, true, false, "READ NATIVE MAX EXT" },
    { 0x29, ATA_READ, true, true, "READ MULTIPLE EXT" },
    { 0x2f, ATA_SECTOR_IN, true, true, "READ LOG EXT" },
    { 0x40, ATA_NO_DATA, false, false, "READ VERIFY" },
    { 0x42, ATA_NO_DATA, true, false, "READ VERIFY EXT" },
    { 0x47, ATA_SECTOR_IN, true, false, "READ LOG DMA EXT" },
    { 0x60, ATA_READ_QUEUED, true, false, "READ FPDMA QUEUED" },
    { 0xa0, ATA_PACKET, false, false, "PACKET" },
    { 0xa1, ATA_SECTOR_IN, false, true, "IDENTIFY PACKET DEVICE" },
    { 0xb0, ATA_SECTOR_IN, false, true, "SMART" },
    { 0xb1, ATA_SECTOR_IN, false, true, "DEVICE CONFIGURATION" },
    { 0xc4, ATA_READ, false, true, "READ MULTIPLE" },
    { 0xc8, ATA_READ, false, false, "READ DMA" },
    { 0xe0, ATA_NO_DATA, false, false, "STANDBY IMMEDIATE" },
    { 0xe1, ATA_NO_DATA, false, false, "IDLE IMMEDIATE" },
    { 0xe5, ATA_NO_DATA, false, false, "CHECK POWER MODE" },
    { 0xe7, ATA_NO_DATA, false, false, "FLUSH CACHE" },
    { 0xea, ATA_NO_DATA, true, false, "FLUSH CACHE EXT" },
    { 0xec, ATA_SECTOR_IN, false, true, "IDENTIFY DEVICE" },
    { 0xef, ATA_NO_DATA, false, false, "SET FEATURES" },
    { 0xf8, ATA_NO_DATA, false, false, "READ NATIVE MAX" },

    { 0x06, ATA_FORBIDDEN, true, false, "DATA SET MANAGEMENT" },
    { 0x07, ATA_FORBIDDEN, true, false, "DATA SET MANAGEMENT XL" },
    { 0x30, ATA_FORBIDDEN, false, true, "WRITE SECTORS" },
    { 0x31, ATA_FORBIDDEN, false, true, "WRITE SECTORS without retry" },
    { 0x32, ATA_FORBIDDEN, false, true, "WRITE LONG" },
    { 0x34, ATA_FORBIDDEN, true, true, "WRITE SECTORS EXT" },
    { 0x35, ATA_WRITE, true, false, "WRITE DMA EXT" },
    { 0x36, ATA_FORBIDDEN, true, false, "WRITE DMA QUEUED EXT" },
    { 0x37, ATA_FORBIDDEN, true, false, "SET MAX ADDRESS EXT" },
    { 0x39, ATA_FORBIDDEN, true, true, "WRITE MULTIPLE EXT" },
    { 0x3a, ATA_FORBIDDEN, true, false, "WRITE STREAM DMA EXT" },
    { 0x3b, ATA_FORBIDDEN, true, true, "WRITE STREAM EXT" },
    { 0x3d, ATA_FORBIDDEN, true, false, "WRITE DMA FUA EXT" },
    { 0x3f, ATA_FORBIDDEN, true, true, "WRITE LOG EXT" },
    { 0x44, ATA_FORBIDDEN, true, false, "ZERO EXT" },
    { 0x45, ATA_FORBIDDEN, true, false, "WRITE UNCORRECTABLE EXT" },
    { 0x57, ATA_FORBIDDEN, true, false, "WRITE LOG DMA EXT" },
    { 0x5e, ATA_FORBIDDEN, false, true, "TRUSTED SEND" },
    { 0x5f, ATA_FORBIDDEN, false, false, "TRUSTED SEND DMA" },
    { 0x61, ATA_WRITE_QUEUED, true, false, "WRITE FPDMA QUEUED" },
    { 0x64, ATA_FORBIDDEN, true, false, "SEND FPDMA QUEUED" },
    { 0x77, ATA_FORBIDDEN, true, false, "SET DATE AND TIME" },
    { 0x78, ATA_FORBIDDEN, true, false, "ACCESSIBLE MAX ADDRESS" },
    { 0x92, ATA_FORBIDDEN, false, true, "DOWNLOAD MICROCODE" },
    { 0x93, ATA_FORBIDDEN, false, false, "DOWNLOAD MICROCODE DMA" },
    { 0x9f, ATA_FORBIDDEN, true, false, "ZAC MANAGEMENT OUT" },
    { 0xb4, ATA_FORBIDDEN, true, false, "SANITIZE DEVICE" },
    { 0xc0, ATA_FORBIDDEN, false, false, "CFA ERASE SECTORS" },
    { 0xc5, ATA_FORBIDDEN, false, true, "WRITE MULTIPLE" },
    { 0xca, ATA_WRITE, false, false, "WRITE DMA" },
    { 0xce, ATA_FORBIDDEN, true, true, "WRITE MULTIPLE FUA EXT" },
    { 0xf1, ATA_FORBIDDEN, false, true, "SECURITY SET PASSWORD" },
    { 0xf2, ATA_FORBIDDEN, false, true, "SECURITY UNLOCK" },
    { 0xf3, ATA_FORBIDDEN, false, false, "SECURITY ERASE PREPARE" },
    { 0xf4, ATA_FORBIDDEN, false, true, "SECURITY ERASE UNIT" },
    { 0xf5, ATA_FORBIDDEN, false, false, "SECURITY FREEZE LOCK" },
    { 0xf6, ATA_FORBIDDEN, false, true, "SECURITY DISABLE PASSWORD" },
    { 0xf9, ATA_FORBIDDEN, false, false, "SET MAX" },
};
static const struct ahci_ata_command unknown = { 0, ATA_UNKNOWN, false, false, "unknown command" };

const struct ahci_ata_command *model_ahci_ata_find(uint8_t opcode)
{
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (commands[i].opcode == opcode)
            return &commands[i];
    return &unknown;
}

void model_ahci_ata_decode(const struct ahci_ata_command *c, const uint8_t *cfis, uint64_t *lba,
                           uint32_t *blocks)
{
    uint64_t low = cfis[4] | (uint64_t)cfis[5] << 8 | (uint64_t)cfis[6] << 16;
    uint32_t count;

    if (!c->lba48) {
        *lba = low | (uint64_t)(cfis[7] & 15) << 24;
        *blocks = cfis[12] ? cfis[12] : 256;
        return;
    }
    *lba = low | (uint64_t)cfis[8] << 24 | (uint64_t)cfis[9] << 32 | (uint64_t)cfis[10] << 40;
    count = model_ahci_is_queued(c) ? cfis[3] | (uint32_t)cfis[11] << 8 : cfis[12] | (uint32_t)cfis[13] << 8;
    *blocks = count ? count : 65536;
}

static void fail(struct ahci_answer *a, uint8_t error, uint64_t lba)
{
    a->status = STS_IDLE | STS_ERR;
    a->error = error;
    a->lba = lba;
}

/* Makes the sum of all bytes zero. */
void model_ahci_seal(uint8_t block[512])
{
    uint8_t sum = 0;

    for (unsigned i = 0; i < 511; i++)
        sum = (uint8_t)(sum + block[i]);
    block[511] = (uint8_t)-sum;
}

/* ---- the medium ---- */
/* Blocks before the first bad one in the range; all of them when there is none. */
static uint32_t good_blocks(struct model_ahci_drive *d, uint64_t lba, uint32_t blocks)
{
    uint64_t good = blocks;
    int hit = -1;

    for (int i = 0; i < MODEL_AHCI_BAD_LBAS; i++) {
        uint64_t first = d->bad[i].first, count = d->bad[i].count;

        if (!count || first >= lba + blocks || first + count <= lba)
            continue;
        uint64_t before = first > lba ? first - lba : 0;
        if (before < good) {
            good = before;
            hit = i;
        }
    }
    if (hit >= 0 && d->bad_once)
        d->bad[hit].count = 0;
    return (uint32_t)good;
}

static void read_medium(struct model_ahci *m, struct model_ahci_port *p, struct model_ahci_slot *s,
                        struct ahci_cursor *cur, struct ahci_answer *a)
{
    struct model_ahci_drive *d = &p->drive;
    static uint8_t block[BLOCK_BYTES_MAX];
    uint32_t good, move;

    if (d->security_locked || d->puis || s->nth == d->nth_abort) {
        fail(a, ERR_ABRT, 0);
        return;
    }
    if (s->lba >= d->lba_count || s->blocks > d->lba_count - s->lba) {
        fail(a, ERR_IDNF, s->lba);
        return;
    }
    good = move = good_blocks(d, s->lba, s->blocks);
    if (s->nth == d->nth_short && !s->queued && move)
        move--;
    for (uint32_t k = 0; k < move; k++) {
        unsigned port = model_ahci_port_number(m, p);
        const uint8_t *written = medium_read(&m->medium, port, s->lba + k);

        if (written)
            memcpy(block, written, d->sector_bytes);
        else
            model_ahci_pattern(port, s->lba + k, block, d->sector_bytes);
        if (!model_ahci_put(m, p, s, cur, block, d->sector_bytes))
            return;
    }
    if (good == s->blocks)
        return;
    p->seen.media_errors++;
    fail(a, d->abort_without_unc ? ERR_ABRT : ERR_UNC, s->lba + good);
}

static void write_medium(struct model_ahci *m, struct model_ahci_port *p, struct model_ahci_slot *s,
                         struct ahci_cursor *cur, struct ahci_answer *a)
{
    struct model_ahci_drive *d = &p->drive;
    static uint8_t block[BLOCK_BYTES_MAX];
    unsigned port = model_ahci_port_number(m, p);

    if (d->security_locked || d->puis || m->medium.write_protected || s->nth == d->nth_abort) {
        fail(a, ERR_ABRT, 0);
        return;
    }
    if (s->lba >= d->lba_count || s->blocks > d->lba_count - s->lba) {
        fail(a, ERR_IDNF, s->lba);
        return;
    }
    m->medium.volatile_cache = !d->write_cache_off;
    for (uint32_t k = 0; k < s->blocks; k++) {
        const struct medium_fault *f;

        if (!model_ahci_get(m, p, s, cur, block, d->sector_bytes))
            return;
        f = medium_write(&m->medium, port, s->lba + k, d->sector_bytes, block);
        if (!f)
            continue;
        p->seen.media_errors++;
        fail(a, f->arg ? (uint8_t)f->arg : ERR_IDNF, s->lba + k);
        if (f->arg & 0x100)
            a->status |= STS_DF;
        return;
    }
}

static void flush(struct model_ahci *m, struct model_ahci_port *p, struct ahci_answer *a)
{
    const struct medium_fault *f = medium_flush(&m->medium, model_ahci_port_number(m, p));

    p->seen.flushes++;
    if (!f)
        return;
    fail(a, f->arg ? (uint8_t)f->arg : ERR_ABRT, 0);
    if (f->arg & 0x100)
        a->status |= STS_DF;
}

/* ---- sectors that are not medium ---- */
static void log_ncq_error(struct model_ahci_port *p, uint8_t block[512])
{
    const struct model_ahci_drive *d = &p->drive;
    bool named = p->log10_armed && d->log10 != MODEL_AHCI_LOG10_NOT_QUEUED;
    unsigned tag = d->log10 == MODEL_AHCI_LOG10_WRONG_TAG ? d->log10_tag : p->failed_tag;

    block[0] = (uint8_t)(named ? tag & 31 : 0x80);
    if (p->log10_armed) {
        block[2] = p->failed_status;
        block[3] = p->failed_error;
        for (unsigned i = 0; i < 3; i++) {
            block[4 + i] = (uint8_t)(p->failed_lba >> (8 * i));
            block[8 + i] = (uint8_t)(p->failed_lba >> (24 + 8 * i));
        }
        block[7] = 0x40;
    }
    model_ahci_seal(block);
    if (d->log10 == MODEL_AHCI_LOG10_BAD_CHECKSUM)
        block[511] ^= 0x55;
}

/* True: the block holds the answer. */
static bool read_log(struct model_ahci_port *p, const uint8_t *cfis, uint8_t block[512])
{
    switch (cfis[4]) {
    case 0x00:
        block[0] = 1; /* directory: version 1, one page each */
        block[2 * LOG_NCQ_ERROR] = block[2 * 0x07] = 1;
        block[2 * 0x04] = p->drive.statistics ? 8 : 0;
        return true;
    case 0x04:
        return p->drive.statistics && model_ahci_statistics(p, cfis[5], block);
    case 0x07:
        model_ahci_test_log_ext(p, block);
        return true;
    case LOG_NCQ_ERROR:
        if (p->drive.log10 == MODEL_AHCI_LOG10_ABORTED) {
            p->log10_armed = false;
            return false;
        }
        log_ncq_error(p, block);
        p->log10_armed = false;
        return true;
    }
    return false;
}

static bool smart(struct model_ahci *m, struct model_ahci_port *p, const uint8_t *cfis, uint8_t block[512],
                  struct ahci_answer *a, bool *has_data)
{
    *has_data = false;
    if (cfis[5] != 0x4f || cfis[6] != 0xc2 || p->drive.smart_absent ||
        (p->drive.smart_off && cfis[3] != 0xd8))
        return false;
    switch (cfis[3]) {
    case 0xd0:
        model_ahci_smart_data(m, p, block);
        break;
    case 0xd1:
        if (p->drive.no_thresholds)
            return false;
        model_ahci_smart_thresholds(p, block);
        break;
    case 0xd5:
        if (!model_ahci_smart_log(p, cfis[4], block))
            return false;
        break;
    case 0xd4:
        return model_ahci_self_test(m, p, cfis[4]);
    case 0xda:
        a->lba = p->drive.smart_failing ? 0x2cf400 : 0xc24f00;
        return true;
    default:
        p->seen.refused_writes++;
        model_ahci_violation(m, "a SMART command that changes the drive", cfis[3], 0xd0);
        return false;
    }
    model_ahci_seal(block);
    if (p->drive.smart_bad_checksum)
        block[511] ^= 0x55;
    return *has_data = true;
}

static bool fill_sector(struct model_ahci *m, struct model_ahci_port *p, const struct model_ahci_slot *s,
                        uint8_t block[512], struct ahci_answer *a, bool *has_data)
{
    struct model_ahci_drive *d = &p->drive;
    bool packet = d->kind == MODEL_AHCI_ATAPI;

    *has_data = true;
    switch (s->cfis[2]) {
    case 0xa1:
    case 0xec:
        if (packet != (s->cfis[2] == 0xa1))
            return false;
        if (d->identify_aborts) {
            d->identify_aborts--;
            return false;
        }
        model_ahci_identify(m, model_ahci_port_number(m, p), d, packet, block);
        if (d->identify_untouched) {
            *has_data = false;
            a->lie_bytes = 512;
        }
        return true;
    case 0x2f:
    case 0x47:
        return !(d->no_logs && s->cfis[4] != LOG_NCQ_ERROR) && read_log(p, s->cfis, block);
    case 0xb0:
        return smart(m, p, s->cfis, block, a, has_data);
    case 0xb1:
        if (s->cfis[3] == 0xc2)
            return true;
        p->seen.refused_writes++;
        model_ahci_violation(m, "DEVICE CONFIGURATION other than IDENTIFY", s->cfis[3], 0xc2);
    }
    return false;
}

static bool switches_a_cache(const struct model_ahci_slot *s)
{
    return s->cfis[2] == 0xef &&
           (s->cfis[3] == 0x02 || s->cfis[3] == 0x82 || s->cfis[3] == 0xaa || s->cfis[3] == 0x55);
}

/* SET FEATURES changes the drive, all but the one that starts the motor; caches only where the test says. */
static bool is_harmless(struct model_ahci *m, struct model_ahci_port *p, const struct model_ahci_slot *s)
{
    if (s->cfis[2] != 0xef || s->cfis[3] == 0x07 || (p->drive.may_switch_caches && switches_a_cache(s)) ||
        (m->foreign_driver && s->cfis[3] == 0x03))
        return true;
    p->seen.refused_writes++;
    model_ahci_violation(m, "a SET FEATURES that changes the drive", s->cfis[3], 0x07);
    return false;
}

static void set_cache(struct model_ahci_drive *d, uint8_t feature, struct ahci_answer *a)
{
    if (d->cache_aborts || d->caches_absent)
        fail(a, ERR_ABRT, 0);
    else if (!d->cache_lies && (feature == 0x02 || feature == 0x82))
        d->write_cache_off = feature == 0x82;
    else if (!d->cache_lies)
        d->look_ahead_off = feature == 0x55;
}

static void no_data(struct model_ahci_port *p, const struct model_ahci_slot *s, struct ahci_answer *a)
{
    const struct model_ahci_drive *d = &p->drive;

    if (s->cfis[2] == 0xe5)
        a->count = d->standby ? 0x00 : d->idle ? 0x81 : 0xff;
    if (switches_a_cache(s))
        set_cache(&p->drive, s->cfis[3], a);
    else if (s->cfis[2] == 0xef && s->cfis[3] == 0x07)
        p->drive.puis = 0;
    if (s->cfis[2] == 0x27 || s->cfis[2] == 0xf8)
        a->lba = (d->native_lba_count ? d->native_lba_count : d->lba_count) - 1;
}

void model_ahci_ata_run(struct model_ahci *m, struct model_ahci_port *p, struct model_ahci_slot *s,
                        struct ahci_cursor *cur, struct ahci_answer *a)
{
    const struct ahci_ata_command *c = model_ahci_ata_find(s->cfis[2]);
    bool reads_log10 = (s->cfis[2] == 0x2f || s->cfis[2] == 0x47) && s->cfis[4] == LOG_NCQ_ERROR;
    bool answers =
        p->drive.kind == MODEL_AHCI_DISK || (p->drive.kind == MODEL_AHCI_ATAPI && s->cfis[2] == 0xa1);
    uint8_t block[512] = { 0 };
    bool has_data;

    if (!answers || (p->log10_armed && !reads_log10)) {
        fail(a, ERR_ABRT, 0);
        return;
    }
    switch (c->kind) {
    case ATA_READ:
    case ATA_READ_QUEUED:
        read_medium(m, p, s, cur, a);
        break;
    case ATA_WRITE:
    case ATA_WRITE_QUEUED:
        write_medium(m, p, s, cur, a);
        break;
    case ATA_SECTOR_IN:
        if (!fill_sector(m, p, s, block, a, &has_data))
            fail(a, ERR_ABRT, 0);
        else if (has_data)
            model_ahci_put(m, p, s, cur, block, sizeof block);
        break;
    case ATA_NO_DATA:
        if (s->cfis[2] == 0xe7 || s->cfis[2] == 0xea)
            flush(m, p, a);
        else if (is_harmless(m, p, s))
            no_data(p, s, a);
        else
            fail(a, ERR_ABRT, 0);
        break;
    case ATA_UNKNOWN:
    case ATA_PACKET:
    case ATA_FORBIDDEN:
        fail(a, ERR_ABRT, 0);
        break;
    }
}
