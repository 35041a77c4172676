#include "mfi_parts.h"

/* What is behind the card: media, and the SCSI commands that reach them (fact sheet 3.4, 3.5, 5.4). */

enum { CHECK_CONDITION = 2, BLOCK_BYTES_MAX = 4096, REPLY_BYTES = 512 };
enum {
    KEY_NOT_READY = 2,
    KEY_MEDIUM = 3,
    KEY_HARDWARE = 4,
    KEY_ILLEGAL = 5,
    KEY_ATTENTION = 6,
    KEY_PROTECTED = 7
};

static uint8_t reply[REPLY_BYTES], block[BLOCK_BYTES_MAX];

/* Fixed format; descriptor format when the LBA does not fit. */
static void sense_lba(struct model_mfi_outcome *o, uint8_t key, uint16_t code, bool has_lba, uint64_t lba)
{
    uint8_t *s = o->sense;

    o->status = STATUS_SCSI;
    o->scsi_status = CHECK_CONDITION;
    memset(s, 0, sizeof o->sense);
    if (has_lba && lba >> 32) {
        s[0] = 0x72;
        s[1] = key;
        put_be(s + 2, 2, code);
        s[7] = 12;
        s[9] = 10;
        s[10] = 0x80;
        put_be(s + 12, 8, lba);
        o->sense_len = 20;
        return;
    }
    s[0] = has_lba ? 0xf0 : 0x70;
    s[2] = key;
    put_be(s + 3, 4, has_lba ? lba : 0);
    s[7] = 10;
    put_be(s + 12, 2, code);
    o->sense_len = 18;
}

static void sense(struct model_mfi_outcome *o, uint8_t key, uint16_t code)
{
    sense_lba(o, key, code, false, 0);
}

/* ---- media ---- */
static uint64_t good_blocks(struct model_mfi_medium *d, uint64_t lba, uint32_t blocks)
{
    uint64_t good = blocks;
    int hit = -1;

    for (int i = 0; i < MODEL_MFI_BAD_RANGES; i++) {
        uint64_t first = d->bad[i].first, count = d->bad[i].count;

        if (!count || first >= lba + blocks || first + count <= lba)
            continue;
        uint64_t before = first > lba ? first - lba : 0;
        if (before < good) {
            good = before;
            hit = i;
        }
    }
    if (hit >= 0 && d->bad[hit].once)
        d->bad[hit].count = 0;
    return good;
}

static void read_medium(struct model_mfi *m, struct model_mfi_command *c, struct model_mfi_medium *d,
                        unsigned pattern_target, uint64_t lba, uint32_t blocks, unsigned long nth,
                        struct model_mfi_outcome *o)
{
    uint64_t good;

    if (lba >= d->blocks || blocks > d->blocks - lba) {
        sense_lba(o, KEY_ILLEGAL, 0x2100, true, lba);
        return;
    }
    good = good_blocks(d, lba, blocks);
    if (nth && nth == m->nth_short && good)
        good--;
    for (uint64_t k = 0; k < good; k++) {
        const uint8_t *written = medium_read(&m->medium, pattern_target, lba + k);

        if (written)
            memcpy(block, written, d->block_bytes);
        else
            model_mfi_pattern(pattern_target, lba + k, block, d->block_bytes);
        if (!model_mfi_put(m, c, block, d->block_bytes)) {
            sense(o, KEY_HARDWARE, 0x4400);
            return;
        }
    }
    if (good == blocks || (nth && nth == m->nth_short))
        return;
    m->seen.media_errors++;
    sense_lba(o, KEY_MEDIUM, 0x1100, true, lba + good);
}

static void write_medium(struct model_mfi *m, struct model_mfi_command *c, const struct model_mfi_medium *d,
                         unsigned unit, uint64_t lba, uint32_t blocks, struct model_mfi_outcome *o)
{
    if (lba >= d->blocks || blocks > d->blocks - lba) {
        sense_lba(o, KEY_ILLEGAL, 0x2100, true, lba);
        return;
    }
    if (m->medium.write_protected) {
        sense(o, KEY_PROTECTED, 0x2700);
        return;
    }
    for (uint32_t k = 0; k < blocks; k++) {
        const struct medium_fault *f;

        if (!model_mfi_take(m, c, block, d->block_bytes)) {
            sense(o, KEY_HARDWARE, 0x4400);
            return;
        }
        f = medium_write(&m->medium, unit, lba + k, d->block_bytes, block);
        if (!f)
            continue;
        m->seen.media_errors++;
        sense_lba(o, f->arg ? (uint8_t)(f->arg >> 16) : KEY_MEDIUM, f->arg ? (uint16_t)f->arg : 0x0c00, true,
                  lba + k);
        return;
    }
}

const struct medium_fault *model_mfi_flush(struct model_mfi *m)
{
    const struct medium_fault *first = NULL, *f;

    for (unsigned i = 0; i < MODEL_MFI_LDS; i++)
        if (m->ld[i].present && (f = medium_flush(&m->medium, m->ld[i].target)) && !first)
            first = f;
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++)
        if (m->pd[i].present && (f = medium_flush(&m->medium, PATTERN_PHYSICAL + m->pd[i].device_id)) &&
            !first)
            first = f;
    return first;
}

/* True: the command must not go on. */
static bool ld_refuses(const struct model_mfi_ld *ld, struct model_mfi_outcome *o)
{
    if (!ld)
        o->status = STATUS_NO_DEVICE;
    else if (ld->state == MODEL_MFI_LD_OFFLINE)
        o->status = STATUS_LD_OFFLINE;
    else if (ld->active & 4)
        o->status = STATUS_LD_INIT;
    return o->status != STATUS_OK;
}

static bool attention(struct model_mfi_medium *d, struct model_mfi_outcome *o)
{
    if (!d->unit_attentions)
        return false;
    d->unit_attentions--;
    sense(o, KEY_ATTENTION, 0x2900);
    return true;
}

void model_mfi_run_ld_read(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                           struct model_mfi_outcome *o)
{
    struct model_mfi_ld *ld = model_mfi_ld_of(m, c->target);

    if (ld_refuses(ld, o) || attention(&ld->medium, o))
        return;
    if (m->max_request_sectors &&
        (uint64_t)c->length * ld->medium.block_bytes > m->max_request_sectors * 512ull) {
        o->status = STATUS_BAD_PARAMETER;
        return;
    }
    read_medium(m, c, &ld->medium, c->target, get64(c->raw + 32), c->length, nth, o);
}

void model_mfi_run_ld_write(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                            struct model_mfi_outcome *o)
{
    struct model_mfi_ld *ld = model_mfi_ld_of(m, c->target);

    (void)nth;
    if (ld_refuses(ld, o) || attention(&ld->medium, o))
        return;
    if (m->max_request_sectors &&
        (uint64_t)c->length * ld->medium.block_bytes > m->max_request_sectors * 512ull) {
        o->status = STATUS_BAD_PARAMETER;
        return;
    }
    write_medium(m, c, &ld->medium, c->target, get64(c->raw + 32), c->length, o);
}

/* ---- SCSI ---- */
static const uint8_t *cdb_of(const struct model_mfi_command *c) { return c->raw + 32; }

bool model_mfi_is_read(const struct model_mfi_command *c, uint32_t *blocks)
{
    const uint8_t *cdb = cdb_of(c);

    *blocks = c->length;
    if (c->cmd == FRAME_LD_READ)
        return true;
    if (c->cmd != FRAME_LD_SCSI && c->cmd != FRAME_PD_SCSI)
        return false;
    *blocks = (uint32_t)(cdb[0] == 0x28 ? get_be(cdb + 7, 2) : get_be(cdb + 10, 4));
    return cdb[0] == 0x28 || cdb[0] == 0x88;
}

static uint64_t lba_of(const struct model_mfi_command *c)
{
    const uint8_t *cdb = cdb_of(c);

    if (c->cmd == FRAME_LD_READ || c->cmd == FRAME_LD_WRITE)
        return get64(c->raw + 32);
    return cdb[0] < 0x80 ? get_be(cdb + 2, 4) : get_be(cdb + 2, 8);
}

bool model_mfi_is_write(const struct model_mfi_command *c, uint32_t *blocks)
{
    const uint8_t *cdb = cdb_of(c);

    *blocks = c->length;
    if (c->cmd == FRAME_LD_WRITE)
        return true;
    if (c->cmd != FRAME_LD_SCSI && c->cmd != FRAME_PD_SCSI)
        return false;
    *blocks = (uint32_t)(cdb[0] == 0x2a ? get_be(cdb + 7, 2) : get_be(cdb + 10, 4));
    return cdb[0] == 0x2a || cdb[0] == 0x8a;
}

static unsigned unit_of(struct model_mfi *m, const struct model_mfi_command *c)
{
    const struct model_mfi_pd *pd = c->cmd == FRAME_PD_SCSI ? model_mfi_pd_target(m, c->target) : NULL;

    return pd ? (unsigned)PATTERN_PHYSICAL + pd->device_id : c->target;
}

unsigned long model_mfi_count(struct model_mfi *m, const struct model_mfi_command *c)
{
    uint32_t blocks;

    if (model_mfi_is_read(c, &blocks)) {
        m->seen.reads++;
        m->seen.blocks += blocks;
    } else if (model_mfi_is_write(c, &blocks)) {
        m->seen.writes++;
        if (!medium_write_arrives(&m->medium, unit_of(m, c), lba_of(c), blocks)) {
            m->seen.refused_writes++;
            model_mfi_violation(m, "a write reached blocks that the test does not permit", lba_of(c), blocks);
        }
    } else {
        return 0;
    }
    return ++m->seen.transfers;
}

static bool writes(uint8_t opcode)
{
    static const uint8_t refused[] = { 0x04, 0x07, 0x0a, 0x15, 0x1d, 0x2e, 0x2f, 0x3b, 0x3f, 0x41, 0x42,
                                       0x48, 0x4c, 0x53, 0x54, 0x55, 0x5f, 0x7f, 0x83, 0x89, 0x8b, 0x8e,
                                       0x93, 0x94, 0x9a, 0x9c, 0xa1, 0xa4, 0xaa, 0xac, 0xae, 0xb5 };

    return memchr(refused, opcode, sizeof refused);
}

/* Moves at most what the CDB and the frame allow. */
static void send(struct model_mfi *m, struct model_mfi_command *c, uint32_t have, uint64_t allowed,
                 struct model_mfi_outcome *o)
{
    uint64_t n = have < allowed ? have : allowed;

    if (n > c->length)
        n = c->length;
    if (n && !model_mfi_put(m, c, reply, n))
        sense(o, KEY_HARDWARE, 0x4400);
}

static void vpd(struct model_mfi *m, struct model_mfi_command *c, const struct model_mfi_medium *d,
                unsigned type, struct model_mfi_outcome *o)
{
    const uint8_t *cdb = cdb_of(c);
    uint32_t n = 0;

    memset(reply, 0, sizeof reply);
    reply[0] = (uint8_t)type;
    reply[1] = cdb[2];
    switch (cdb[2]) {
    case 0x00:
        n = 0;
        for (unsigned i = 0; i < 4; i++) {
            static const uint8_t pages[4] = { 0x00, 0x80, 0x83, 0xb1 };
            if (pages[i] != 0xb1 || d->rotation_rpm)
                reply[4 + n++] = pages[i];
        }
        break;
    case 0x80:
        n = (uint32_t)strlen(d->serial);
        memcpy(reply + 4, d->serial, n);
        break;
    case 0x83:
        n = model_mfi_vpd83(d, reply) - 4;
        reply[0] = (uint8_t)type;
        break;
    case 0xb1:
        n = 60;
        put_be(reply + 4, 2, d->rotation_rpm);
        break;
    }
    if (cdb[2] != 0 && cdb[2] != 0x80 && cdb[2] != 0x83 && !(cdb[2] == 0xb1 && d->rotation_rpm)) {
        sense(o, KEY_ILLEGAL, 0x2400);
        return;
    }
    put_be(reply + 2, 2, n);
    send(m, c, n + 4, get_be(cdb + 3, 2), o);
}

static void inquiry(struct model_mfi *m, struct model_mfi_command *c, const struct model_mfi_medium *d,
                    unsigned type, struct model_mfi_outcome *o)
{
    const uint8_t *cdb = cdb_of(c);

    if (cdb[1] & 1) {
        vpd(m, c, d, type, o);
        return;
    }
    model_mfi_inquiry(d, type, reply);
    send(m, c, 96, get_be(cdb + 3, 2), o);
}

static void capacity(struct model_mfi *m, struct model_mfi_command *c, const struct model_mfi_medium *d,
                     struct model_mfi_outcome *o)
{
    const uint8_t *cdb = cdb_of(c);
    uint64_t last = d->blocks - 1;

    memset(reply, 0, sizeof reply);
    if (cdb[0] == 0x25) {
        put_be(reply, 4, last > 0xffffffff ? 0xffffffff : last);
        put_be(reply + 4, 4, d->block_bytes);
        send(m, c, 8, 8, o);
        return;
    }
    if ((cdb[1] & 31) != 0x10 || d->no_capacity_16) {
        sense(o, KEY_ILLEGAL, 0x2000);
        return;
    }
    put_be(reply, 8, last);
    put_be(reply + 8, 4, d->block_bytes);
    reply[13] = (uint8_t)(d->physical_exponent & 15);
    send(m, c, 32, get_be(cdb + 10, 4), o);
}

static void request_sense(struct model_mfi *m, struct model_mfi_command *c, struct model_mfi_medium *d,
                          struct model_mfi_outcome *o)
{
    memset(reply, 0, sizeof reply);
    reply[0] = 0x70;
    reply[2] = d->pending_sense[0];
    reply[7] = 10;
    reply[12] = d->pending_sense[1];
    reply[13] = d->pending_sense[2];
    memset(d->pending_sense, 0, sizeof d->pending_sense);
    send(m, c, 18, cdb_of(c)[4], o);
}

static void transfer_scsi(struct model_mfi *m, struct model_mfi_command *c, struct model_mfi_medium *d,
                          unsigned pattern, unsigned long nth, struct model_mfi_outcome *o)
{
    uint32_t blocks;
    bool is_write = model_mfi_is_write(c, &blocks);

    if (!is_write)
        model_mfi_is_read(c, &blocks);
    if ((uint64_t)blocks * d->block_bytes != c->length)
        model_mfi_violation(m, "the data length of a SCSI read or write is not its blocks", c->length,
                            (uint64_t)blocks * d->block_bytes);
    if (is_write)
        write_medium(m, c, d, pattern, lba_of(c), blocks, o);
    else
        read_medium(m, c, d, pattern, lba_of(c), blocks, nth, o);
}

static void run_cdb(struct model_mfi *m, struct model_mfi_command *c, struct model_mfi_medium *d,
                    unsigned type, unsigned pattern, unsigned long nth, struct model_mfi_outcome *o)
{
    const uint8_t *cdb = cdb_of(c);
    bool disk = type == 0;

    switch (cdb[0]) {
    case 0x12:
        inquiry(m, c, d, type, o);
        return;
    case 0x03:
        request_sense(m, c, d, o);
        return;
    }
    if (attention(d, o))
        return;
    if (cdb[0] == 0x35 || cdb[0] == 0x91) {
        m->seen.flushes++;
        if (medium_flush(&m->medium, pattern))
            sense(o, KEY_MEDIUM, 0x0c00);
        return;
    }
    if (cdb[0] == 0x00)
        return;
    if (disk && (cdb[0] == 0x25 || cdb[0] == 0x9e))
        capacity(m, c, d, o);
    else if (disk && (cdb[0] == 0x28 || cdb[0] == 0x88 || cdb[0] == 0x2a || cdb[0] == 0x8a))
        transfer_scsi(m, c, d, pattern, nth, o);
    else
        sense(o, KEY_ILLEGAL, 0x2000);
}

static void run_physical(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                         struct model_mfi_outcome *o)
{
    struct model_mfi_pd *pd = model_mfi_pd_target(m, c->target);
    uint32_t blocks;

    if (!pd) {
        o->status = STATUS_NO_DEVICE;
        return;
    }
    if ((model_mfi_is_read(c, &blocks) || model_mfi_is_write(c, &blocks)) &&
        pd->state != MODEL_MFI_PD_SYSTEM) {
        o->status = STATUS_WRONG_STATE; /* members of arrays are the firmware's */
        return;
    }
    if (pd->state == MODEL_MFI_PD_FAILED && cdb_of(c)[0] != 0x12) {
        sense(o, KEY_NOT_READY, 0x0400);
        return;
    }
    if (model_mfi_run_self(m, c, pd, o))
        return;
    run_cdb(m, c, &pd->medium, pd->scsi_type, PATTERN_PHYSICAL + pd->device_id, nth, o);
}

void model_mfi_run_scsi(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                        struct model_mfi_outcome *o)
{
    uint8_t opcode = cdb_of(c)[0];

    m->seen.cdbs[opcode]++;
    if (writes(opcode)) {
        m->seen.refused_writes++;
        model_mfi_violation(m, "a SCSI command that changes a drive", opcode, 0);
        sense(o, KEY_ILLEGAL, 0x2000);
        return;
    }
    if (m->qemu_ids && !c->sge_count) {
        sense(o, KEY_HARDWARE, 0x4400); /* fact 10: even without data it wants an SGE */
        return;
    }
    if (c->cmd == FRAME_PD_SCSI) {
        run_physical(m, c, nth, o);
        return;
    }
    struct model_mfi_ld *ld = model_mfi_ld_of(m, c->target);
    if (!ld_refuses(ld, o))
        run_cdb(m, c, &ld->medium, 0, c->target, nth, o);
}
