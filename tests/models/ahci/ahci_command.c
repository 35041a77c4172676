#include <string.h>
#include "ahci_parts.h"

/* Command slots: what is fetched, what is checked, when a command is over (fact sheet B3 to B5). */

enum { HEADER_BYTES = 32, TABLE_PRDT = 0x80, PRD_BYTES = 16 };
enum { HEADER_A = 1 << 5, HEADER_W = 1 << 6, HEADER_R = 1 << 8, HEADER_C = 1 << 10 };
#define PRD_COUNT    0x3fffffu
#define PRD_RESERVED 0x7fc00000u
#define SRST_MIN_NS  5000ull

static uint32_t get32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t hash(uint32_t h, const uint8_t *p, size_t n)
{
    while (n--)
        h = (h ^ *p++) * 16777619u;
    return h;
}

static uint64_t list_at(const struct model_ahci_port *p, unsigned i)
{
    return ((uint64_t)p->clbu << 32 | p->clb) + i * HEADER_BYTES;
}

static uint32_t slot_mask(const struct model_ahci *m) { return 0xffffffffu >> (32 - m->slots); }

static void bus_error(struct model_ahci *m, struct model_ahci_port *p)
{
    p->error_stopped = true;
    model_ahci_raise(m, p, IS_HBDS);
}

/* ---- fetching ---- */
/* Reads header and table into the slot.  Returns a checksum of all that the driver may not touch until the
 * command is over (the byte count in dword 1 is the adapter's). */
static uint32_t fetch(struct model_ahci *m, struct model_ahci_port *p, unsigned i, struct model_ahci_slot *s)
{
    uint8_t header[HEADER_BYTES], chunk[256];
    uint32_t sum = 2166136261u;

    s->fetched = false;
    if (!m->host.dma_read(m->host.ctx, list_at(p, i), header, sizeof header))
        return 0;
    s->header_dw0 = get32(header);
    s->prdtl = s->header_dw0 >> 16;
    s->ctba = get32(header + 8) | (uint64_t)get32(header + 12) << 32;
    sum = hash(sum, header, 4);
    sum = hash(sum, header + 8, 8);
    if (!m->host.dma_read(m->host.ctx, s->ctba & ~127ull, chunk, 64))
        return 0;
    memcpy(s->cfis, chunk, sizeof s->cfis);
    sum = hash(sum, chunk, 64);
    for (uint32_t at = 0, left = s->prdtl * PRD_BYTES; left;) {
        uint32_t n = left < sizeof chunk ? left : (uint32_t)sizeof chunk;

        if (!m->host.dma_read(m->host.ctx, (s->ctba & ~127ull) + TABLE_PRDT + at, chunk, n))
            return 0;
        sum = hash(sum, chunk, n);
        at += n;
        left -= n;
    }
    s->fetched = true;
    return sum;
}

static bool read_prd(struct model_ahci *m, const struct model_ahci_slot *s, uint32_t entry,
                     uint8_t prd[PRD_BYTES])
{
    return entry < s->prdtl &&
           m->host.dma_read(m->host.ctx, s->ctba + TABLE_PRDT + entry * PRD_BYTES, prd, PRD_BYTES);
}

/* The bytes that the list describes; every entry is looked at. */
static uint64_t check_prdt(struct model_ahci *m, const struct model_ahci_slot *s)
{
    uint8_t prd[PRD_BYTES];
    uint64_t bytes = 0;

    for (uint32_t e = 0; e < s->prdtl && read_prd(m, s, e, prd); e++) {
        uint32_t dw3 = get32(prd + 12);

        if (prd[0] & 1)
            model_ahci_violation(m, "a PRD address is odd", get32(prd), get32(prd) & ~1u);
        if (get32(prd + 4) && !m->s64a)
            model_ahci_violation(m, "a PRD above 4 GiB on an adapter without CAP.S64A", get32(prd + 4), 0);
        if (!(dw3 & 1))
            model_ahci_violation(m, "a PRD byte count is odd", (dw3 & PRD_COUNT) + 1, (dw3 & PRD_COUNT) + 2);
        if (dw3 & PRD_RESERVED)
            model_ahci_violation(m, "a PRD has reserved bits set", dw3, dw3 & ~PRD_RESERVED);
        bytes += (dw3 & PRD_COUNT) + 1;
    }
    return bytes;
}

/* False: the list has no more. */
static bool next_region(struct model_ahci *m, const struct model_ahci_slot *s, struct ahci_cursor *c)
{
    uint8_t prd[PRD_BYTES];

    if (c->left_bytes)
        return true;
    if (!read_prd(m, s, c->entry, prd)) {
        c->overflow = true;
        return false;
    }
    c->address = get32(prd) | (uint64_t)get32(prd + 4) << 32;
    c->left_bytes = (get32(prd + 12) & PRD_COUNT) + 1;
    c->entry++;
    return true;
}

static void moved(struct ahci_cursor *c, uint32_t bytes)
{
    c->address += bytes;
    c->left_bytes -= bytes;
    c->moved_bytes += bytes;
}

bool model_ahci_put(struct model_ahci *m, struct model_ahci_port *p, const struct model_ahci_slot *s,
                    struct ahci_cursor *c, const uint8_t *data, uint32_t n)
{
    while (n) {
        if (!next_region(m, s, c))
            return false;
        uint32_t part = n < c->left_bytes ? n : c->left_bytes;
        if (!m->host.dma_write(m->host.ctx, c->address, data, part)) {
            bus_error(m, p);
            return false;
        }
        data += part;
        n -= part;
        moved(c, part);
    }
    return true;
}

bool model_ahci_get(struct model_ahci *m, struct model_ahci_port *p, const struct model_ahci_slot *s,
                    struct ahci_cursor *c, uint8_t *data, uint32_t n)
{
    while (n) {
        if (!next_region(m, s, c))
            return false;
        uint32_t part = n < c->left_bytes ? n : c->left_bytes;
        if (!m->host.dma_read(m->host.ctx, c->address, data, part)) {
            bus_error(m, p);
            return false;
        }
        data += part;
        n -= part;
        moved(c, part);
    }
    return true;
}

/* ---- checking ---- */
static void check_header(struct model_ahci *m, const struct model_ahci_slot *s)
{
    if ((s->header_dw0 & 31) != 5)
        model_ahci_violation(m, "the command FIS length is not five dwords", s->header_dw0 & 31, 5);
    if (s->ctba & 127)
        model_ahci_violation(m, "a command table is misaligned", s->ctba, s->ctba & ~127ull);
    if (s->ctba >> 32 && !m->s64a)
        model_ahci_violation(m, "a command table above 4 GiB on an adapter without CAP.S64A", s->ctba, 0);
    if (s->cfis[0] != 0x27)
        model_ahci_violation(m, "not a host-to-device register FIS", s->cfis[0], 0x27);
    if ((s->cfis[1] & 15) != (s->header_dw0 >> 12 & 15))
        model_ahci_violation(m, "the port multiplier number differs between header and FIS", s->cfis[1] & 15,
                             s->header_dw0 >> 12 & 15);
}

static void check_tag(struct model_ahci *m, struct model_ahci_port *p, unsigned i,
                      const struct model_ahci_slot *s)
{
    if (!s->queued) {
        if (p->sact >> i & 1)
            model_ahci_violation(m, "SACT set for a command that is not queued", s->cfis[2], 0x60);
        return;
    }
    if (!(p->sact_unpaired >> i & 1))
        model_ahci_violation(m, "a queued command without its SACT bit", p->sact, p->sact | 1u << i);
    if (s->cfis[12] != i << 3)
        model_ahci_violation(m, "the tag of a queued command is not its slot", s->cfis[12], i << 3);
    if (!m->sncq || !p->drive.queue_depth)
        model_ahci_violation(m, "a queued command where NCQ is not supported", m->sncq, p->drive.queue_depth);
    else if (i >= p->drive.queue_depth)
        model_ahci_violation(m, "a tag beyond the queue depth of the drive", i, p->drive.queue_depth - 1);
}

static void count_transfer(struct model_ahci *m, struct model_ahci_port *p, struct model_ahci_slot *s,
                           const struct ahci_ata_command *c)
{
    uint64_t bytes = check_prdt(m, s), need;
    unsigned port = model_ahci_port_number(m, p);

    model_ahci_ata_decode(c, s->cfis, &s->lba, &s->blocks);
    need = (uint64_t)s->blocks * p->drive.sector_bytes;
    s->nth = ++p->seen.transfers;
    if (model_ahci_is_write(c)) {
        p->seen.writes++;
        p->seen.queued_writes += s->queued;
        if (!medium_write_arrives(&m->medium, port, s->lba, s->blocks)) {
            p->seen.refused_writes++;
            model_ahci_violation(m, "a write reached blocks that the test does not permit", s->lba,
                                 s->blocks);
        }
    } else {
        p->seen.reads++;
        p->seen.queued_reads += s->queued;
        p->seen.blocks += s->blocks;
    }
    if (bytes < need)
        model_ahci_violation(m, "the PRD list is shorter than the transfer", bytes, need);
    if (!(s->cfis[7] & 0x40))
        model_ahci_violation(m, "the LBA bit of a transfer is clear", s->cfis[7], s->cfis[7] | 0x40u);
}

static void check_command(struct model_ahci *m, struct model_ahci_port *p, unsigned i,
                          struct model_ahci_slot *s)
{
    const struct ahci_ata_command *c = model_ahci_ata_find(s->cfis[2]);
    bool packet = s->header_dw0 & HEADER_A;

    check_header(m, s);
    if (!(s->cfis[1] & 0x80)) {
        s->soft_reset = true;
        if (s->cfis[15] & 4 && (s->header_dw0 & (HEADER_R | HEADER_C)) != (HEADER_R | HEADER_C))
            model_ahci_violation(m, "a soft reset without the R and C bits", s->header_dw0,
                                 HEADER_R | HEADER_C);
        return;
    }
    p->seen.commands++;
    p->seen.opcodes[s->cfis[2]]++;
    s->queued = model_ahci_is_queued(c);
    check_tag(m, p, i, s);
    if (!(s->header_dw0 & HEADER_W) != !model_ahci_is_write(c))
        model_ahci_violation(m, "the direction in the command header does not fit the command", s->cfis[2],
                             s->header_dw0);
    if (packet != (c->kind == ATA_PACKET))
        model_ahci_violation(m, "the ATAPI bit does not fit the command", s->cfis[2], 0xa0);
    if (c->kind == ATA_FORBIDDEN) {
        p->seen.refused_writes++;
        model_ahci_violation(m, c->name, s->cfis[2], 0);
    }
    if (c->kind == ATA_READ || c->kind == ATA_READ_QUEUED || model_ahci_is_write(c))
        count_transfer(m, p, s, c);
    else if (s->prdtl)
        check_prdt(m, s);
}

static void check_mix(struct model_ahci *m, struct model_ahci_port *p)
{
    bool queued = false, other = false;

    for (unsigned i = 0; i < m->slots; i++) {
        const struct model_ahci_slot *s = &p->slot[i];

        if (!s->waiting && (!s->in_drive || s->orphan))
            continue;
        queued |= s->queued;
        other |= !s->queued && !s->soft_reset;
    }
    if (queued && other)
        model_ahci_violation(m, "queued and other commands are mixed", p->sact, p->ci);
}

/* ---- the two doorbells (CI is at the end) ---- */
void model_ahci_sact_written(struct model_ahci *m, struct model_ahci_port *p, uint32_t v)
{
    if (!(p->cmd & CMD_ST)) {
        model_ahci_violation(m, "SACT written while PxCMD.ST is clear", v, 0);
        return;
    }
    if (v & ~slot_mask(m))
        model_ahci_violation(m, "SACT names a slot that does not exist", v, slot_mask(m));
    if (v & p->sact)
        model_ahci_violation(m, "SACT set again for a tag in flight", v & p->sact, 0);
    p->sact_unpaired |= v & ~p->sact & slot_mask(m);
    p->sact |= v & slot_mask(m);
    p->sact_published = model_ahci_published(m);
}

/* ---- giving commands to the drive ---- */
void model_ahci_commands_orphan(struct model_ahci_port *p)
{
    for (unsigned i = 0; i < MODEL_AHCI_SLOTS; i++) {
        p->slot[i].waiting = false;
        p->slot[i].orphan = p->slot[i].in_drive;
    }
}

void model_ahci_commands_forget(struct model_ahci_port *p)
{
    for (unsigned i = 0; i < MODEL_AHCI_SLOTS; i++)
        p->slot[i].in_drive = p->slot[i].orphan = false;
    p->drive_tags = 0;
    p->drive_busy_slot = -1;
    p->log10_armed = false;
}

static void soft_reset(struct model_ahci *m, struct model_ahci_port *p, unsigned i, bool on)
{
    p->ci &= ~(1u << i);
    if (on) {
        p->seen.soft_resets++;
        model_ahci_commands_forget(p);
        p->srst_held = true;
        p->srst_since_ns = model_ahci_now_ns(m);
        return;
    }
    if (!p->srst_held)
        return;
    if (model_ahci_now_ns(m) - p->srst_since_ns < SRST_MIN_NS)
        model_ahci_violation(m, "a soft reset was held for less than 5 us",
                             model_ahci_now_ns(m) - p->srst_since_ns, SRST_MIN_NS);
    p->srst_held = false;
    p->tfd = STS_BSY;
    p->ready_ns =
        p->drive.deaf_to_srst ? MODEL_AHCI_NEVER : model_ahci_after_ns(m, p->drive.ready_after_comreset_ns);
}

/* A command that the drive will not answer with data: it says so at once. */
static void abort_now(struct model_ahci *m, struct model_ahci_port *p, unsigned i)
{
    p->cmd = (p->cmd & ~0x1f00u) | i << 8;
    p->error_stopped = true;
    model_ahci_commands_forget(p);
    model_ahci_post_d2h(m, p, STS_IDLE | STS_ERR, ERR_ABRT, 0, 0);
}

/* What a test wants to happen with this read.  False: the command was eaten. */
static bool mischief(struct model_ahci *m, struct model_ahci_port *p, struct model_ahci_slot *s)
{
    const struct model_ahci_drive *d = &p->drive;

    if (!s->nth)
        return true;
    if (s->nth == d->nth_serr)
        p->serr |= d->serr_bits;
    if (s->nth == d->nth_lost)
        s->due_ns = MODEL_AHCI_NEVER;
    if (s->nth == d->nth_vanish) {
        m->gone = true;
        return false;
    }
    if (s->nth == d->nth_link_drop) {
        model_ahci_port_drop_link(m, p);
        return false;
    }
    if (s->nth == d->nth_interface_error) {
        p->serr |= SERR_P;
        p->error_stopped = true;
        s->due_ns = MODEL_AHCI_NEVER;
        model_ahci_raise(m, p, IS_IFS);
    }
    return true;
}

static bool holds_orphans(const struct model_ahci_port *p)
{
    for (unsigned i = 0; i < MODEL_AHCI_SLOTS; i++)
        if (p->slot[i].in_drive && p->slot[i].orphan)
            return true;
    return false;
}

static void give(struct model_ahci *m, struct model_ahci_port *p, unsigned i)
{
    struct model_ahci_slot *s = &p->slot[i];

    s->waiting = false;
    if (!s->fetched) {
        bus_error(m, p);
        return;
    }
    if (s->soft_reset) {
        soft_reset(m, p, i, s->cfis[15] & 4);
        return;
    }
    if (holds_orphans(p) || p->drive_busy_slot >= 0) {
        model_ahci_violation(m, "a command for a drive that still works on others", p->drive_tags, 0);
        abort_now(m, p, i);
        return;
    }
    if ((!s->queued && p->drive_tags) || (s->queued && !p->drive.queue_depth)) {
        abort_now(m, p, i);
        return;
    }
    s->in_drive = true;
    s->due_ns =
        model_ahci_after_ns(m, p->drive.latency_ns + (s->queued ? (31 - i) * p->drive.ooo_step_ns : 0));
    if (s->nth && (p->drive.standby || p->drive.idle)) {
        s->due_ns = model_ahci_after_ns(m, p->drive.wake_ns);
        p->drive.standby = p->drive.idle = false;
    }
    if (s->nth && s->nth == p->drive.nth_slow)
        s->due_ns += p->drive.slow_ns;
    if (s->cfis[2] == 0xef)
        s->due_ns = model_ahci_after_ns(m, p->drive.wake_ns);
    if (s->cfis[2] == 0xef && s->cfis[3] != 0x07 && p->drive.cache_lost) {
        p->drive.cache_lost--;
        s->due_ns = MODEL_AHCI_NEVER;
    }
    if (s->cfis[2] == 0xb0 && s->cfis[3] == 0xd0 && p->drive.smart_hangs)
        s->due_ns = MODEL_AHCI_NEVER;
    if (s->queued) {
        p->drive_tags |= 1u << i;
        p->ci &= ~(1u << i);
    } else {
        p->drive_busy_slot = (int)i;
        p->cmd = (p->cmd & ~0x1f00u) | i << 8;
        p->tfd = STS_IDLE | STS_BSY;
    }
    mischief(m, p, s);
}

static bool may_issue(const struct model_ahci_port *p)
{
    return p->cmd & CMD_ST && !p->error_stopped && (p->ssts & 15) == DET_PRESENT &&
           !(p->tfd & (STS_BSY | STS_DRQ));
}

/* ---- the end of a command ---- */
/* A tag other than i that the drive holds, else just one that it does not. */
static unsigned other_tag(const struct model_ahci *m, const struct model_ahci_port *p, unsigned i)
{
    for (unsigned k = 1; k < m->slots; k++)
        if (p->drive_tags >> (i + k) % m->slots & 1)
            return (i + k) % m->slots;
    return (i + 1) % m->slots;
}

static void end_queued(struct model_ahci *m, struct model_ahci_port *p, unsigned i)
{
    unsigned named = i;
    uint8_t fis[8] = { 0xa1, 0x40, STS_IDLE & 0x77, 0 };

    if (p->slot[i].nth && p->slot[i].nth == p->drive.nth_wrong_tag) {
        named = other_tag(m, p, i);
        p->slot[i].in_drive = true; /* its own end never comes */
        p->slot[i].due_ns = MODEL_AHCI_NEVER;
        if (named != i)
            p->slot[named].in_drive = false;
    }
    p->drive_tags &= ~(1u << named);
    p->sact &= ~(1u << named);
    fis[4 + named / 8] = (uint8_t)(1u << named % 8);
    p->tfd = STS_IDLE;
    model_ahci_post_fis(m, p, 0x58, fis, sizeof fis);
    model_ahci_raise(m, p, IS_SDBS);
}

/* One error ends all queued commands; the drive then waits for log 10h to be read. */
static void fail_queued(struct model_ahci *m, struct model_ahci_port *p, unsigned i,
                        const struct ahci_answer *a)
{
    uint8_t fis[8] = { 0xa1, 0x40, (STS_IDLE & 0x70) | STS_ERR, a->error };

    model_ahci_commands_forget(p);
    p->failed_tag = i;
    p->failed_lba = a->lba;
    p->failed_status = a->status;
    p->failed_error = a->error;
    p->log10_armed = true;
    p->error_stopped = true;
    p->tfd = (uint32_t)a->error << 8 | STS_IDLE | STS_ERR;
    model_ahci_post_fis(m, p, 0x58, fis, sizeof fis);
    model_ahci_raise(m, p, IS_SDBS | IS_TFES);
}

static void write_prdbc(struct model_ahci *m, struct model_ahci_port *p, unsigned i, uint32_t bytes)
{
    uint8_t raw[4] = { (uint8_t)bytes, (uint8_t)(bytes >> 8), (uint8_t)(bytes >> 16),
                       (uint8_t)(bytes >> 24) };

    m->host.dma_write(m->host.ctx, list_at(p, i) + 4, raw, sizeof raw);
}

static void post_pio_setup(struct model_ahci *m, struct model_ahci_port *p, const struct ahci_answer *a)
{
    uint8_t fis[20] = { 0x5f, 0x60, 0x58, a->error };

    fis[15] = a->status;
    fis[17] = 2; /* 512 bytes */
    p->tfd = (uint32_t)a->error << 8 | a->status;
    model_ahci_post_fis(m, p, 0x20, fis, sizeof fis);
    model_ahci_raise(m, p, IS_PSS);
}

static void end_single(struct model_ahci *m, struct model_ahci_port *p, unsigned i,
                       const struct ahci_answer *a, const struct ahci_cursor *cur)
{
    bool failed = a->status & STS_ERR;

    p->drive_busy_slot = -1;
    write_prdbc(m, p, i, cur->moved_bytes - a->hide_bytes + a->lie_bytes);
    if (failed)
        p->error_stopped = true;
    else
        p->ci &= ~(1u << i);
    if (!failed && model_ahci_ata_find(p->slot[i].cfis[2])->pio && cur->moved_bytes + a->lie_bytes)
        post_pio_setup(m, p, a);
    else
        model_ahci_post_d2h(m, p, a->status, a->error, a->lba, a->count);
}

static void forget_orphan(struct model_ahci_port *p, unsigned i)
{
    p->slot[i].in_drive = p->slot[i].orphan = false;
    p->drive_tags &= ~(1u << i);
    if (p->drive_busy_slot == (int)i) {
        p->drive_busy_slot = -1;
        p->tfd = STS_IDLE;
    }
}

static void finish(struct model_ahci *m, struct model_ahci_port *p, unsigned i)
{
    struct model_ahci_slot *s = &p->slot[i], now = *s;
    struct ahci_cursor cur = { 0 };
    struct ahci_answer a = { .status = STS_IDLE };

    if (s->orphan) {
        forget_orphan(p, i);
        return;
    }
    if (fetch(m, p, i, &now) != s->snapshot)
        model_ahci_violation(m, "a command in flight was changed", i, s->cfis[2]);
    s->in_drive = false;
    model_ahci_ata_run(m, p, s, &cur, &a);
    if (m->gone)
        return;
    if (cur.overflow) {
        p->error_stopped = true;
        model_ahci_raise(m, p, IS_OFS);
        return;
    }
    if (p->error_stopped)
        return;
    if (!s->queued)
        end_single(m, p, i, &a, &cur);
    else if (a.status & STS_ERR)
        fail_queued(m, p, i, &a);
    else
        end_queued(m, p, i);
}

static int next_due(const struct model_ahci *m, const struct model_ahci_port *p)
{
    uint64_t now_ns = model_ahci_now_ns(m);
    int best = -1;

    for (unsigned i = 0; i < m->slots; i++) {
        const struct model_ahci_slot *s = &p->slot[i];

        if (s->in_drive && (s->orphan || !p->error_stopped) && s->due_ns <= now_ns &&
            (best < 0 || s->due_ns < p->slot[best].due_ns))
            best = (int)i;
    }
    return best;
}

static void issue(struct model_ahci *m, struct model_ahci_port *p)
{
    for (unsigned i = 0; i < m->slots && !m->gone && may_issue(p); i++)
        if (p->slot[i].waiting)
            give(m, p, i);
}

void model_ahci_commands_tick(struct model_ahci *m, struct model_ahci_port *p)
{
    for (;;) {
        int due;

        issue(m, p);
        if (m->gone || (due = next_due(m, p)) < 0)
            return;
        finish(m, p, (unsigned)due);
    }
}

void model_ahci_ci_written(struct model_ahci *m, struct model_ahci_port *p, uint32_t v)
{
    bool published = model_ahci_published(m) || (p->sact_published && v & p->sact_unpaired);
    unsigned in_flight;

    if (!(p->cmd & CMD_ST)) {
        model_ahci_violation(m, "CI written while PxCMD.ST is clear", v, 0);
        return;
    }
    if (v & ~slot_mask(m))
        model_ahci_violation(m, "CI names a slot that does not exist", v, slot_mask(m));
    /* An error that came since the driver last looked is none of its making. */
    if (p->error_stopped && p->error_seen)
        model_ahci_violation(m, "CI written after an error, before PxCMD.ST was cleared", v, 0);
    if (v & (p->ci | (p->sact & ~p->sact_unpaired)))
        model_ahci_violation(m, "a slot in flight was issued again", v, p->ci | p->sact);
    if (!published)
        model_ahci_violation(m, "CI written without plat_dma_publish", v, 0);
    v &= slot_mask(m) & ~(p->ci | (p->sact & ~p->sact_unpaired));
    for (unsigned i = 0; i < m->slots; i++) {
        struct model_ahci_slot *s = &p->slot[i];

        if (!(v >> i & 1))
            continue;
        *s = (struct model_ahci_slot){ .waiting = true, .due_ns = MODEL_AHCI_NEVER };
        s->snapshot = fetch(m, p, i, s);
        if (s->fetched)
            check_command(m, p, i, s);
    }
    p->ci |= v;
    p->sact_unpaired &= ~v;
    if (p->sact_unpaired)
        model_ahci_violation(m, "SACT was set for a slot that CI does not issue", p->sact_unpaired, 0);
    p->sact_unpaired = 0;
    p->sact_published = false;
    check_mix(m, p);
    in_flight = (unsigned)__builtin_popcount(p->ci | p->sact);
    if (in_flight > p->seen.max_in_flight)
        p->seen.max_in_flight = in_flight;
    issue(m, p);
}
