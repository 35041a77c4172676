#include "model_nvme.h"
#include <stdlib.h>
#include <string.h>
#include "model_nvme_parts.h"

/* Registers and life of the controller: reset, readiness, shutdown, power. */

enum {
    R_CAP = 0x00,
    R_VS = 0x08,
    R_INTMS = 0x0c,
    R_INTMC = 0x10,
    R_CC = 0x14,
    R_CSTS = 0x1c,
    R_NSSR = 0x20,
    R_AQA = 0x24,
    R_ASQ = 0x28,
    R_ACQ = 0x30,
    R_CRTO = 0x68,
    R_DOORBELLS = 0x1000
};
#define NSSR_MAGIC 0x4e564d65u
/* Where a firmware's queues were: in nobody's memory by now. */
#define FIRMWARE_ASQ 0x7fe00000ull
#define FIRMWARE_ACQ 0x7fe10000ull

static const struct reg {
    uint16_t off;
    uint8_t bytes;
    bool writable;
} regs[] = {
    { R_CAP, 8, false }, { R_VS, 4, false },   { R_INTMS, 4, true }, { R_INTMC, 4, true },
    { R_CC, 4, true },   { R_CSTS, 4, false }, { R_NSSR, 4, true },  { R_AQA, 4, true },
    { R_ASQ, 8, true },  { R_ACQ, 8, true },   { 0x38, 4, false },   { 0x3c, 4, false },
    { 0x40, 4, false },  { 0x44, 4, true },    { 0x48, 8, true },    { 0x50, 8, true },
    { 0x58, 4, false },  { 0x5c, 4, false },   { 0x60, 4, false },   { R_CRTO, 4, false },
};

void mn_violation(struct model_nvme *m, const char *what, uint64_t got, uint64_t want)
{
    m->seen.violations++;
    m->host.violation(m->host.ctx, what, got, want);
}

static uint64_t cap(const struct model_nvme *m)
{
    const struct model_nvme_settings *s = &m->set;

    return s->mqes | 1ull << 16 | (uint64_t)s->to << 24 | (uint64_t)(s->dstrd & 15) << 32 |
           (uint64_t)s->nssrs << 36 | (uint64_t)s->css << 37 | (uint64_t)(s->mpsmin & 15) << 48 |
           (uint64_t)(s->mpsmax & 15) << 52 | (uint64_t)s->pmrs << 56 | (uint64_t)s->cmbs << 57 |
           (uint64_t)(s->crms & 3) << 59;
}

/* ---- life ---- */
static void start_controller(struct model_nvme *m)
{
    uint32_t mps = m->cc >> 7 & 15, css = m->cc >> 4 & 7, sqs = m->aqa & 0xfff, cqs = m->aqa >> 16 & 0xfff;
    uint64_t low = mn_page(m) - 1;
    uint64_t now = mn_now(m);
    bool css_fits = (css == 0 && (m->set.css & 1)) || (css == 6 && (m->set.css & 0x40)) ||
                    (css == 7 && (m->set.css & 0x80));

    m->seen.enables++;
    m->dirty = true;
    m->enabled_at_ns = now;
    m->ready_due_ns = m->unready_due_ns = MODEL_NVME_NEVER;
    if (mps < m->set.mpsmin || mps > m->set.mpsmax || !css_fits) {
        mn_violation(m, "enabled with a page size or command set outside CAP", m->cc, cap(m) >> 32);
        m->csts |= CSTS_CFS;
    } else if (!sqs || !cqs || !m->asq || !m->acq || m->asq & low || m->acq & low) {
        mn_violation(m, "enabled with wrong admin queues (AQA)", m->aqa, 0);
        m->csts |= CSTS_CFS;
    } else if (css != 7 && ((m->cc >> 16 & 15) != 6 || (m->cc >> 20 & 15) != 4)) {
        mn_violation(m, "enabled with wrong queue entry sizes", m->cc, 0x00460001);
        m->csts |= CSTS_CFS;
    } else {
        m->ready_due_ns = mn_later(now, m->set.ready_ns);
        mn_queues_reset(m);
        m->sq[0] = (struct model_nvme_sq){ .exists = true, .size = sqs + 1, .base = m->asq };
        m->cq[0] = (struct model_nvme_cq){ .exists = true, .phase = true, .size = cqs + 1, .base = m->acq };
        mn_check_zeroed(m, m->acq, 16 * (cqs + 1));
    }
}

/* RDY has become 0. */
static void stopped(struct model_nvme *m)
{
    mn_drop_commands(m);
    mn_queues_reset(m);
    m->csts &= m->set.reset_keeps_fatal ? CSTS_CFS : 0;
    m->ready_due_ns = m->unready_due_ns = m->shutdown_due_ns = MODEL_NVME_NEVER;
    m->queues_numbered = false;
    mn_state_reset(m);
}

static void stop_controller(struct model_nvme *m)
{
    uint64_t now = mn_now(m), allowed = m->set.to ? m->set.to * 500000000ull : 500000000ull;

    m->seen.disables++;
    if (!(m->csts & (CSTS_RDY | CSTS_CFS)) && now - m->enabled_at_ns < allowed)
        mn_violation(m, "EN cleared while the controller was still coming up", now - m->enabled_at_ns,
                     allowed);
    m->ready_due_ns = MODEL_NVME_NEVER;
    m->unready_due_ns = mn_later(now, m->set.unready_ns);
}

static void write_cc(struct model_nvme *m, uint32_t v)
{
    uint32_t old = m->cc, changed = old ^ v;
    bool was = old & CC_EN, will = v & CC_EN;

    if (v & 0xfe00000eu)
        mn_violation(m, "CC: reserved bits set", v, v & ~0xfe00000eu);
    if (was && will && (changed & 0x01ff3ff0u))
        mn_violation(m, "CC: configuration changed while enabled", v, old);
    if (!will && (v >> 14 & 3))
        mn_violation(m, "CC: EN cleared together with a shutdown notification", v, v & ~0xc000u);
    if (!was && will && (m->csts & CSTS_RDY))
        mn_violation(m, "CC: EN set before RDY became 0", v, 0);
    m->cc = v;
    if (was && !will)
        stop_controller(m);
    if (!was && will) {
        if (m->unready_due_ns != MODEL_NVME_NEVER || m->csts)
            stopped(m);
        start_controller(m);
    }
    if (will && (v >> 14 & 3) && (changed >> 14 & 3)) {
        m->csts = (m->csts & ~(uint32_t)CSTS_SHST) | CSTS_SHST_BUSY;
        m->shutdown_due_ns = mn_later(mn_now(m), m->set.shutdown_ns);
    }
}

void model_nvme_set_fatal(struct model_nvme *m)
{
    m->csts |= CSTS_CFS;
    m->ready_due_ns = MODEL_NVME_NEVER;
}

void model_nvme_vanish(struct model_nvme *m) { m->gone = true; }

static void tick(void *dev)
{
    struct model_nvme *m = dev;
    uint64_t now;

    if (m->gone || !m->started || m->set.bench)
        return;
    now = mn_now(m);
    if (m->set.fatal_at_ns && now >= m->set.fatal_at_ns) {
        m->set.fatal_at_ns = 0;
        model_nvme_set_fatal(m);
    }
    if (now >= m->ready_due_ns) {
        m->ready_due_ns = MODEL_NVME_NEVER;
        m->csts |= CSTS_RDY;
    }
    if (m->unready_due_ns != MODEL_NVME_NEVER) {
        if (now >= m->unready_due_ns)
            stopped(m);
        return;
    }
    if (m->cc & CC_EN && m->csts & CSTS_RDY && !(m->csts & CSTS_CFS))
        mn_advance_queues(m);
    if (now >= m->shutdown_due_ns) {
        m->shutdown_due_ns = MODEL_NVME_NEVER;
        m->csts = (m->csts & ~(uint32_t)CSTS_SHST) | CSTS_SHST_DONE;
        m->dirty = false;
        m->seen.shutdowns++;
        for (unsigned i = 0; i < MODEL_NVME_MAX_NS; i++)
            if (m->ns[i].nsid)
                medium_flush(&m->medium, m->ns[i].nsid);
    }
}

static void power_off(struct model_nvme *m)
{
    m->seen.dropped += m->in_flight;
    m->in_flight = 0;
    mn_queues_reset(m);
    mn_state_reset(m);
    m->cc = m->csts = m->aqa = m->intm = 0;
    m->asq = m->acq = 0;
    m->torn.due_ns = m->ready_due_ns = m->unready_due_ns = m->shutdown_due_ns = MODEL_NVME_NEVER;
    m->gone = m->dirty = m->queues_numbered = false;
    m->accesses = 0;
    m->started = true;
}

void model_nvme_power_on(struct model_nvme *m)
{
    power_off(m);
    m->power_cycles = m->set.power_cycles;
    m->unsafe_shutdowns = m->set.unsafe_shutdowns;
    if (m->set.entry == MODEL_NVME_ENTRY_OFF)
        return;
    m->cc = CC_EN | 6u << 16 | 4u << 20 | (m->set.mpsmin & 15u) << 7;
    m->aqa = 0x001f001f;
    m->asq = FIRMWARE_ASQ;
    m->acq = FIRMWARE_ACQ;
    m->sq[0] = (struct model_nvme_sq){ .exists = true, .size = 32, .base = m->asq };
    m->cq[0] = (struct model_nvme_cq){ .exists = true, .phase = true, .size = 32, .base = m->acq };
    m->dirty = true;
    m->enabled_at_ns = mn_now(m);
    switch (m->set.entry) {
    case MODEL_NVME_ENTRY_STARTING:
        m->ready_due_ns = mn_later(m->enabled_at_ns, m->set.ready_ns);
        break;
    case MODEL_NVME_ENTRY_FATAL:
        m->csts = CSTS_CFS;
        break;
    case MODEL_NVME_ENTRY_SHUT_DOWN:
        m->cc |= 1u << 14;
        m->csts = CSTS_RDY | CSTS_SHST_DONE;
        m->dirty = false;
        break;
    default:
        m->csts = CSTS_RDY;
    }
}

void model_nvme_power_cycle(struct model_nvme *m)
{
    m->power_cycles++;
    if (m->dirty)
        m->unsafe_shutdowns++;
    medium_power_cut(&m->medium);
    power_off(m);
}

static void reset(void *dev) { model_nvme_power_cycle(dev); }

/* ---- registers ---- */
static const struct reg *find_reg(struct model_nvme *m, uint32_t off, unsigned bytes, bool write)
{
    if ((bytes != 4 && bytes != 8) || off % bytes) {
        mn_violation(m, "register access of a wrong size or alignment", off, bytes);
        return NULL;
    }
    m->seen.wide_accesses += bytes == 8;
    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        const struct reg *r = &regs[i];

        if (off < r->off || off >= (uint32_t)r->off + r->bytes)
            continue;
        if (bytes > r->bytes)
            mn_violation(m, "a 64-bit access to a 32-bit register", off, r->bytes);
        else if (write && !r->writable)
            mn_violation(m, "a read-only register was written", off, 0);
        else
            return r;
        return NULL;
    }
    mn_violation(m, write ? "a reserved register was written" : "a reserved register was read", off, 0);
    return NULL;
}

/* Counts an access; false: the device is not there (any more). */
static bool present(struct model_nvme *m, unsigned bar)
{
    if (m->set.vanish_after_accesses && ++m->accesses > m->set.vanish_after_accesses)
        m->gone = true;
    if (bar)
        mn_violation(m, "access to a BAR that does not exist", bar, 0);
    return !m->gone && !bar;
}

static uint64_t read_reg(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    struct model_nvme *m = dev;
    const struct reg *r;
    uint64_t v = 0;

    m->seen.register_reads++;
    if (!present(m, bar))
        return UINT64_MAX;
    if (off >= R_DOORBELLS) {
        mn_violation(m, "a doorbell was read", off, 0);
        return 0;
    }
    r = find_reg(m, off, bytes, false);
    if (!r)
        return 0;
    switch (r->off) {
    case R_CAP:
        v = cap(m);
        break;
    case R_VS:
        v = m->set.vs;
        break;
    case R_INTMS:
    case R_INTMC:
        v = m->intm;
        break;
    case R_CC:
        v = m->cc;
        break;
    case R_CSTS:
        v = m->csts;
        break;
    case R_AQA:
        v = m->aqa;
        break;
    case R_ASQ:
        v = m->asq;
        break;
    case R_ACQ:
        v = m->acq;
        break;
    case R_CRTO:
        v = m->set.crwmt | (uint32_t)m->set.crimt << 16;
        break;
    }
    v >>= 8 * (off - r->off);
    return bytes == 4 ? (uint32_t)v : v;
}

static void write_base(struct model_nvme *m, uint64_t *reg, uint32_t shift, unsigned bytes, uint64_t v)
{
    uint64_t mask = (bytes == 8 ? UINT64_MAX : 0xffffffffull) << shift;

    if (m->cc & CC_EN)
        mn_violation(m, "admin queue base changed while enabled", v, *reg);
    *reg = (*reg & ~mask) | (v << shift & mask);
    if (*reg & 0xfff)
        mn_violation(m, "admin queue base is not page aligned", *reg, *reg & ~0xfffull);
    *reg &= ~0xfffull;
}

static void write_reg(void *dev, unsigned bar, uint32_t off, unsigned bytes, uint64_t v)
{
    struct model_nvme *m = dev;
    const struct reg *r;

    m->seen.register_writes++;
    if (m->set.bench && off >= R_DOORBELLS) {
        mn_bench_doorbell(m, off, (uint32_t)v);
        return;
    }
    if (!present(m, bar))
        return;
    if (off >= R_DOORBELLS) {
        if (bytes != 4 || off % 4)
            mn_violation(m, "doorbell access of a wrong size or alignment", off, bytes);
        else
            mn_doorbell(m, off, v);
        return;
    }
    r = find_reg(m, off, bytes, true);
    if (!r)
        return;
    switch (r->off) {
    case R_INTMS:
        m->intm |= (uint32_t)v;
        break;
    case R_INTMC:
        m->intm &= ~(uint32_t)v;
        break;
    case R_CC:
        write_cc(m, (uint32_t)v);
        break;
    case R_NSSR:
        if (v == NSSR_MAGIC)
            mn_violation(m, "NVM subsystem reset", v, 0);
        break;
    case R_AQA:
        if (m->cc & CC_EN)
            mn_violation(m, "AQA changed while enabled", v, m->aqa);
        if (v & 0xf000f000u)
            mn_violation(m, "AQA: reserved bits set", v, v & ~0xf000f000ull);
        m->aqa = (uint32_t)v;
        break;
    case R_ASQ:
        write_base(m, &m->asq, 8 * (off - R_ASQ), bytes, v);
        break;
    case R_ACQ:
        write_base(m, &m->acq, 8 * (off - R_ACQ), bytes, v);
        break;
    }
}

/* ---- PCI config: ids, one 64-bit BAR, the PCI Express and power management capabilities ---- */
static uint32_t config_read(void *dev, uint32_t off)
{
    const struct model_nvme *m = dev;
    const struct model_nvme_settings *s = &m->set;

    if (m->gone)
        return UINT32_MAX;
    switch (off) {
    case 0x00:
        return s->vendor_id | (uint32_t)s->device_id << 16;
    case 0x04:
        return 0x00100000;
    case 0x08:
        return s->class_code << 8 | 2;
    case 0x10:
        return (0 - s->bar_bytes) | 4;
    case 0x14:
        return UINT32_MAX;
    case 0x2c:
        return s->subvendor_id | (uint32_t)s->subdevice_id << 16;
    case 0x34:
        return 0x40;
    case 0x40:
        return 0x00028010;
    case 0x4c:
        return s->link_speed_max | (uint32_t)s->link_width_max << 4;
    case 0x50:
        return (s->link_speed | (uint32_t)s->link_width << 4) << 16;
    case 0x80:
        return 0x00030001;
    default:
        return 0;
    }
}

static void config_write(void *dev, uint32_t off, uint32_t v)
{
    (void)dev;
    (void)off;
    (void)v;
}

const struct model_device_ops model_nvme_ops = { .name = "nvme model",
                                                 .read = read_reg,
                                                 .write = write_reg,
                                                 .config_read = config_read,
                                                 .config_write = config_write,
                                                 .reset = reset,
                                                 .tick = tick };

/* ---- building one ---- */
struct model_nvme *model_nvme_new(void)
{
    struct model_nvme *m = calloc(1, sizeof *m);

    if (!m)
        return NULL;
    m->set = (struct model_nvme_settings){
        .vendor_id = 0x1d87,
        .device_id = 0x4e01,
        .subvendor_id = 0x1d87,
        .subdevice_id = 1,
        .class_code = 0x010802,
        .bar_bytes = 16384,
        .link_speed = 4,
        .link_width = 4,
        .link_speed_max = 4,
        .link_width_max = 4,
        .vs = 0x00010400,
        .mqes = 1023,
        .to = 10,
        .mpsmax = 4,
        .css = 0x01,
        .ready_ns = 50000000,
        .unready_ns = 5000000,
        .shutdown_ns = 20000000,
        .admin_ns = 20000,
        .read_ns = 80000,
        .write_ns = 80000,
        .flush_ns = 500000,
        .serial = "MODEL-0001",
        .model = "Baresweep model NVMe",
        .firmware = "1.0",
        .mdts = 5,
        .cntrltype = 1,
        .frmw = 2,
        .lpa = 4,
        .acl = 3,
        .aerl = 3,
        .elpe = 7,
        .vwc = 7,
        .sqes = 0x66,
        .cqes = 0x44,
        .cntlid = 1,
        .wctemp = 343,
        .cctemp = 358,
        .crdt = { 1, 2, 3 },
        .rtd3e_us = 2000000,
        .cns_max = 3,
        .write_cache_on = true,
        .self_test_ns = 60000000000,
        .spare = 100,
        .spare_threshold = 10,
        .used = 3,
        .temperature_k = 313,
        .power_on_hours = 1234,
        .power_cycles = 17,
        .unsafe_shutdowns = 5,
    };
    m->medium.content = mn_content;
    model_nvme_add_ns(m, 1, (1ull << 30) / 512, 512);
    return m;
}

void model_nvme_free(struct model_nvme *m)
{
    if (m)
        medium_free(&m->medium);
    free(m);
}

struct model_nvme_ns *model_nvme_add_ns(struct model_nvme *m, uint32_t nsid, uint64_t blocks,
                                        uint32_t lba_bytes)
{
    for (unsigned i = 0; i < MODEL_NVME_MAX_NS; i++) {
        struct model_nvme_ns *n = &m->ns[i];

        if (n->nsid)
            continue;
        *n = (struct model_nvme_ns){ .nsid = nsid, .nsze = blocks, .lba_bytes = lba_bytes };
        for (unsigned k = 0; k < 8; k++)
            n->eui64[k] = (uint8_t)(0xe0 + k + nsid);
        for (unsigned k = 0; k < 16; k++)
            n->nguid[k] = (uint8_t)(0x60 + k + nsid);
        return n;
    }
    return NULL;
}

void model_nvme_add_bad_lba(struct model_nvme *m, uint32_t nsid, uint64_t lba, uint16_t status,
                            uint32_t times)
{
    for (unsigned i = 0; i < MODEL_NVME_MAX_BAD_LBAS; i++)
        if (!m->bad[i].nsid) {
            m->bad[i] = (struct model_nvme_bad_lba){ nsid, lba, status ? status : S_READ_ERROR, times };
            return;
        }
    abort();
}

void model_nvme_add_lie(struct model_nvme *m, struct model_nvme_lie lie)
{
    if (m->lie_count == MODEL_NVME_MAX_LIES)
        abort();
    m->lies[m->lie_count++] = lie;
}
