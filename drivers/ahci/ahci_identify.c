#include "ahci_internal.h"
#include "math.h"
#include "str.h"

/* IDENTIFY DEVICE by words (fact sheet B6). */
enum {
    W_CONFIG = 0,
    W_SERIAL = 10,
    W_FIRMWARE = 23,
    W_MODEL = 27,
    W_CAPABILITIES = 49,
    W_LBA28_COUNT = 60,
    W_EXTENDED_COUNT_SUPPORT = 69,
    W_QUEUE_DEPTH = 75,
    W_SATA = 76,
    W_SETS = 83,
    W_SETS_DEFAULT = 87,
    W_LBA48_COUNT = 100,
    W_SECTOR = 106,
    W_WWN = 108,
    W_SECTOR_WORDS = 117,
    W_SECURITY = 128,
    W_ALIGNMENT = 209,
    W_ROTATION = 217,
    W_EXTENDED_COUNT = 230,
    W_CHECKSUM = 255
};
enum { SERIAL_BYTES = 20, FIRMWARE_BYTES = 8, MODEL_BYTES = 40 };
#define CONFIG_NOT_ATA    BIT_(15)
#define CONFIG_INCOMPLETE BIT_(2)
#define CAPABILITY_DMA    BIT_(8)
#define CAPABILITY_LBA    BIT_(9)
#define EXTENDED_COUNT    BIT_(3)
#define SETS_LBA48        BIT_(10)
#define SETS_DEFAULT_WWN  BIT_(8)
#define SATA_NCQ          BIT_(8)
#define QUEUE_DEPTH       BITS(4, 0) /* zero-based */
#define SECTOR_MANY       BIT_(13)
#define SECTOR_LONG       BIT_(12)
#define SECTOR_EXPONENT   BITS(3, 0)
#define SECURITY_LOCKED   BIT_(2)
#define ALIGNMENT_OFFSET  BITS(13, 0)
#define CHECKSUM_PRESENT  0xa5u
enum { SECTOR_BYTES_MAX = 65536, ROTATION_NONE_WORD = 1, ROTATION_MIN = 0x401, ROTATION_MAX = 0xfffe };
#define DEADLINE_ROTATING_NS (60 * NS_PER_S)
#define DEADLINE_FLASH_NS    (30 * NS_PER_S)

/* Bits 15:14 are 01b where a word means what its other bits say. */
static bool word_valid(uint16_t w) { return (w & 0xc000) == 0x4000; }
static uint64_t words_u64(const uint16_t *w)
{
    return w[0] | (uint64_t)w[1] << 16 | (uint64_t)w[2] << 32 | (uint64_t)w[3] << 48;
}

/* Queued commands of these fail or lose data (fact sheet B7).  NULL firmware, vendor 0: any. */
static const struct ncq_quirk {
    const char *model, *firmware;
    uint16_t adapter_vendor;
    const char *why;
} ncq_quirks[] = {
    { "WDC WD740ADFD-00", NULL, 0, "queued commands hang on this model" },
    { "Maxtor ", NULL, 0, "queued commands are unreliable on this make" },
    { "BANC", NULL, 0, "queued commands are unreliable on this make" },
    { "ST31500341AS", "SD1", 0, "this firmware stalls on queued commands" },
    { "ST31000333AS", "SD1", 0, "this firmware stalls on queued commands" },
    { "ST3640623AS", "SD1", 0, "this firmware stalls on queued commands" },
    { "ST3640323AS", "SD1", 0, "this firmware stalls on queued commands" },
    { "OCZ CORE_SSD", NULL, 0, "queued commands fail on this model" },
    { "C300-CTFDDAC", "0001", 0, "queued commands fail with this firmware" },
    { "Samsung SSD 860", NULL, 0x1002, "queued commands fail behind AMD/ATI adapters" },
    { "Samsung SSD 870", NULL, 0x1002, "queued commands fail behind AMD/ATI adapters" },
};

static const char *ncq_trouble(const struct ahci_port *p)
{
    for (unsigned i = 0; i < ARRAY_COUNT(ncq_quirks); i++) {
        const struct ncq_quirk *q = &ncq_quirks[i];

        if (str_starts(p->disk.model, q->model) &&
            (!q->firmware || str_starts(p->disk.firmware, q->firmware)) &&
            (!q->adapter_vendor || q->adapter_vendor == p->hba->c.fn->vendor_id))
            return q->why;
    }
    return NULL;
}

int ahci_read_words(struct ahci_port *p, uint16_t words[IDENTIFY_WORDS])
{
    static const struct ahci_command identify = { .name = "IDENTIFY DEVICE",
                                                  .command = ATA_IDENTIFY_DEVICE,
                                                  .deadline_ms = IDENTIFY_MS };
    uint8_t *bytes = (uint8_t *)words;
    uint8_t sum = 0;
    int rc = ahci_port_command(p, &identify, bytes);

    if (rc)
        return rc;
    if (bytes[2 * W_CHECKSUM] != CHECKSUM_PRESENT)
        return OK;
    for (unsigned i = 0; i < SCRATCH_BYTES; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return sum ? FAULT(&p->disk.fault, E_PROTO, "checksum of IDENTIFY DEVICE", sum, 0) : OK;
}

/* A serial number that says nothing: empty, or one character over and over. */
static bool is_filler(const char *s)
{
    for (const char *c = s; *c; c++)
        if (*c != *s)
            return false;
    return true;
}

static void take_strings(struct disk *d, const uint16_t *w)
{
    str_scrub_ata(d->serial, sizeof d->serial, w + W_SERIAL, SERIAL_BYTES);
    str_scrub_ata(d->firmware, sizeof d->firmware, w + W_FIRMWARE, FIRMWARE_BYTES);
    str_scrub_ata(d->model, sizeof d->model, w + W_MODEL, MODEL_BYTES);
}

/* serial/model, and the world wide name where the drive has one. */
static void take_identity(struct disk *d, const uint16_t *w)
{
    struct text t = text_over(d->identity, sizeof d->identity);

    if (is_filler(d->serial) || !d->model[0])
        return;
    text_fmt(&t, "%s/%s", d->serial, d->model);
    if (word_valid(w[W_SETS_DEFAULT]) && w[W_SETS_DEFAULT] & SETS_DEFAULT_WWN) {
        uint64_t wwn = (uint64_t)w[W_WWN] << 48 | (uint64_t)w[W_WWN + 1] << 32 |
                       (uint64_t)w[W_WWN + 2] << 16 | w[W_WWN + 3];
        if (wwn && wwn != UINT64_MAX)
            text_fmt(&t, "/%016llx", (unsigned long long)wwn);
    }
}

static uint64_t lba_count(const uint16_t *w, bool *lba48)
{
    *lba48 = word_valid(w[W_SETS]) && w[W_SETS] & SETS_LBA48;
    if (!*lba48)
        return w[W_LBA28_COUNT] | (uint64_t)w[W_LBA28_COUNT + 1] << 16;
    if (w[W_EXTENDED_COUNT_SUPPORT] & EXTENDED_COUNT && w[W_EXTENDED_COUNT_SUPPORT] != 0xffff)
        return words_u64(w + W_EXTENDED_COUNT);
    return words_u64(w + W_LBA48_COUNT);
}

static void take_sectors(struct disk *d, const uint16_t *w)
{
    uint64_t logical = 512;
    unsigned exponent = 0;

    if (word_valid(w[W_SECTOR])) {
        if (w[W_SECTOR] & SECTOR_LONG)
            logical = 2 * (w[W_SECTOR_WORDS] | (uint64_t)w[W_SECTOR_WORDS + 1] << 16);
        if (w[W_SECTOR] & SECTOR_MANY)
            exponent = (unsigned)FIELD_GET(SECTOR_EXPONENT, w[W_SECTOR]);
    }
    d->lba_bytes = (uint32_t)min_u64(logical, UINT32_MAX);
    d->physical_block_bytes = (uint32_t)min_u64((uint64_t)d->lba_bytes << exponent, 1u << 31);
}

static void take_rotation(struct disk *d, uint16_t w)
{
    d->rotation = w == ROTATION_NONE_WORD                  ? ROTATION_NONE
                  : w >= ROTATION_MIN && w <= ROTATION_MAX ? ROTATION_YES
                                                           : ROTATION_UNKNOWN;
    d->command_deadline_ns = d->rotation == ROTATION_NONE ? DEADLINE_FLASH_NS : DEADLINE_ROTATING_NS;
}

/* Why a disk with these words cannot be read; false: it can. */
static bool unreadable(struct ahci_port *p, const uint16_t *w)
{
    struct disk *d = &p->disk;
    uint64_t most = p->lba48 ? 1ull << 48 : 1ull << 28;
    struct text t = text_over(d->why_not, sizeof d->why_not);

    if (w[W_CONFIG] & CONFIG_INCOMPLETE)
        text_str(
            &t,
            "the drive answers IDENTIFY only in part: asleep since power-up (PUIS), and it does not wake");
    else if (w[W_SECURITY] != 0xffff && w[W_SECURITY] & SECURITY_LOCKED)
        text_str(&t, "locked by an ATA password: unlock it in the firmware setup or where it was set");
    else if (!(w[W_CAPABILITIES] & CAPABILITY_LBA) || !(w[W_CAPABILITIES] & CAPABILITY_DMA))
        text_fmt(&t, "no LBA or no DMA (IDENTIFY word 49 is 0x%04x)", w[W_CAPABILITIES]);
    else if (!d->lba_count)
        text_str(&t, "the drive reports a size of zero");
    else if (d->lba_count > most)
        text_fmt(&t, "the drive reports an impossible size (%llu blocks)", (unsigned long long)d->lba_count);
    else if (d->lba_bytes < 512 || d->lba_bytes > SECTOR_BYTES_MAX || d->lba_bytes & (d->lba_bytes - 1))
        text_fmt(&t, "logical blocks of %u bytes are not supported", (unsigned)d->lba_bytes);
    return t.len != 0;
}

static void take_depth(struct ahci_port *p, const uint16_t *w)
{
    const char *why = ncq_trouble(p);
    bool drive = w[W_SATA] != 0xffff && w[W_SATA] & SATA_NCQ && p->lba48;
    unsigned depth = (unsigned)FIELD_GET(QUEUE_DEPTH, w[W_QUEUE_DEPTH]) + 1;

    p->ncq = drive && p->hba->sncq && !why;
    if (drive && why)
        controller_remark(&p->hba->c, REMARK_INFO, "%s: read without command queueing: %s", p->disk.name,
                          why);
    depth = p->ncq ? (unsigned)min_u64(depth, p->hba->slots) : 1;
    p->all_tags = depth == 32 ? UINT32_MAX : (1u << depth) - 1;
    p->disk.max_depth = (uint16_t)depth;
    p->disk.depth_is_shared = true;
}

static void take_limits(struct ahci_port *p)
{
    uint64_t most_blocks = p->lba48 ? LBA48_BLOCKS : LBA28_BLOCKS;

    p->lba_shift = (uint8_t)log2_u64(p->disk.lba_bytes);
    p->disk.max_command_bytes = (uint32_t)min_u64(AHCI_COMMAND_BYTES, most_blocks << p->lba_shift);
}

static void remark_on(struct ahci_port *p, const uint16_t *w)
{
    struct controller *c = &p->hba->c;
    unsigned link = (unsigned)FIELD_GET(SSTS_SPD, px_read(p, PX_SSTS)), drive = ahci_generation_of(w);
    unsigned adapter = (unsigned)FIELD_GET(CAP_ISS, p->hba->cap);

    if (word_valid(w[W_ALIGNMENT]) && FIELD_GET(ALIGNMENT_OFFSET, w[W_ALIGNMENT]))
        controller_remark(
            c, REMARK_WARN,
            "%s: block 0 lies %u blocks inside a physical block: aligned reads straddle two of them",
            p->disk.name, (unsigned)FIELD_GET(ALIGNMENT_OFFSET, w[W_ALIGNMENT]));
    p->disk.grounds &= ~(uint32_t)GROUND_NARROW_LINK;
    if (!link || link >= drive)
        return;
    /* No heads are as fast as 3 Gb/s: a turning disk at a slow port loses nothing. */
    if (link < adapter || p->disk.rotation != ROTATION_YES)
        p->disk.grounds |= GROUND_NARROW_LINK;
    if (link < adapter)
        controller_remark(c, REMARK_WARN,
                          "%s: link at %s Gb/s, drive and adapter can do %s: check cable, backplane and port",
                          p->disk.name, ahci_speed_text(link),
                          ahci_speed_text((unsigned)min_u64(drive, adapter)));
    else
        controller_remark(
            c, p->disk.rotation == ROTATION_YES ? REMARK_INFO : REMARK_WARN,
            "%s: the drive could do %s Gb/s, the adapter only %s: a faster port would raise its "
            "numbers",
            p->disk.name, ahci_speed_text(drive), ahci_speed_text(link));
}

/* One COMRESET is worth it: firmware may have left the drive in the middle of something. */
static int first_words(struct ahci_port *p, uint16_t words[IDENTIFY_WORDS])
{
    int rc = ahci_port_start(p);

    if (rc == OK)
        rc = ahci_read_words(p, words);
    if (rc == OK || rc == E_GONE || p->disk.fault.err)
        return rc;
    rc = ahci_port_stop(p, false);
    if (rc == OK)
        rc = ahci_port_comreset(p);
    if (rc == OK)
        rc = ahci_port_start(p);
    return rc ? rc : ahci_read_words(p, words);
}

/* The words of a drive that is awake: one that waits for a command to start its motor says little before. */
static int woken_words(struct ahci_port *p, uint16_t words[IDENTIFY_WORDS])
{
    int rc = first_words(p, words);

    if (rc || words[W_CONFIG] & CONFIG_NOT_ATA || !ahci_wants_spin_up(words))
        return rc;
    rc = ahci_spin_up_by_command(p);
    /* What it refuses it does not need. */
    return rc && rc != E_REFUSED ? rc : ahci_read_words(p, words);
}

void ahci_identify(struct ahci_port *p)
{
    struct disk *d = &p->disk;
    uint16_t words[IDENTIFY_WORDS];
    int rc = woken_words(p, words);

    d->kind = DISK_SATA;
    if (rc == OK && words[W_CONFIG] & CONFIG_NOT_ATA)
        rc = FAULT(&d->fault, E_PROTO, "IDENTIFY word 0 of an ATA disk", words[W_CONFIG], 0);
    if (rc == E_UNSUPPORTED) {
        str_copy(d->why_not, sizeof d->why_not, "IDENTIFY DEVICE: not reported by this controller");
        return;
    }
    if (rc) {
        if (d->fault.err == OK)
            FAULT(&d->fault, rc, "IDENTIFY DEVICE", 0, 0);
        str_fmt(d->why_not, sizeof d->why_not, "%s: %s", d->fault.what, err_text(d->fault.err));
        return;
    }
    take_strings(d, words);
    take_identity(d, words);
    d->lba_count = lba_count(words, &p->lba48);
    take_sectors(d, words);
    take_rotation(d, words[W_ROTATION]);
    p->counts_bytes = __atomic_load_n(&p->mem->header[0].moved_bytes, __ATOMIC_RELAXED) == SCRATCH_BYTES;
    take_depth(p, words);
    ahci_take_features(p, words);
    if (unreadable(p, words))
        return;
    take_limits(p);
    remark_on(p, words);
    p->issued = p->pending = 0;
    ahci_set_single(p, !p->ncq);
    ahci_look_for_hidden_area(p);
    if (d->fault.err)
        str_fmt(d->why_not, sizeof d->why_not, "%s: %s", d->fault.what, err_text(d->fault.err));
    else
        d->ops = &ahci_disk_ops;
}

int ahci_identify_again(struct ahci_port *p)
{
    char serial[sizeof p->disk.serial], model[sizeof p->disk.model];
    uint16_t words[IDENTIFY_WORDS];
    bool lba48;
    int rc = ahci_read_words(p, words);

    if (rc)
        return rc;
    str_scrub_ata(serial, sizeof serial, words + W_SERIAL, SERIAL_BYTES);
    str_scrub_ata(model, sizeof model, words + W_MODEL, MODEL_BYTES);
    if (!str_equal(serial, p->disk.serial) || !str_equal(model, p->disk.model))
        return FAULT(&p->disk.fault, E_GONE, "the same drive after COMRESET: another one answers", 0, 0);
    uint64_t count = lba_count(words, &lba48);
    if (count != p->disk.lba_count)
        return FAULT(&p->disk.fault, E_PROTO, "size of the drive after COMRESET", count, p->disk.lba_count);
    return ahci_caches_again(p, words);
}
