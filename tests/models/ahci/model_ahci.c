#include <string.h>
#include "ahci_parts.h"

enum { AHCI_CAP = 0x00, AHCI_GHC = 0x04, AHCI_IS = 0x08, AHCI_PI = 0x0c, AHCI_VS = 0x10, AHCI_CAP2 = 0x24 };
enum { AHCI_BOHC = 0x28, PORT_BASE = 0x100, PORT_BYTES = 0x80, BAR_BYTES = 0x2000 };
#define GHC_HR   0x00000001u
#define GHC_IE   0x00000002u
#define GHC_AE   0x80000000u
#define BOHC_BOS 0x01u
#define BOHC_OOS 0x02u
#define BOHC_BB  0x10u

/* ---- shared ---- */
void model_ahci_violation(struct model_ahci *m, const char *what, uint64_t got, uint64_t want)
{
    m->violations++;
    if (m->host.violation)
        m->host.violation(m->host.ctx, what, got, want);
}

uint64_t model_ahci_now_ns(const struct model_ahci *m)
{
    return m->host.now_ns ? m->host.now_ns(m->host.ctx) : 0;
}

uint64_t model_ahci_after_ns(const struct model_ahci *m, uint64_t ns)
{
    return ns == MODEL_AHCI_NEVER ? MODEL_AHCI_NEVER : model_ahci_now_ns(m) + ns;
}

bool model_ahci_published(const struct model_ahci *m)
{
    return !m->host.published || m->host.published(m->host.ctx);
}

unsigned model_ahci_port_number(const struct model_ahci *m, const struct model_ahci_port *p)
{
    return (unsigned)(p - m->port);
}

static void update_irq(struct model_ahci *m)
{
    if (m->host.irq)
        m->host.irq(m->host.ctx, (m->ghc & GHC_IE) && m->is);
}

void model_ahci_raise(struct model_ahci *m, struct model_ahci_port *p, uint32_t is_bits)
{
    p->is |= is_bits;
    if (!(p->is & p->ie))
        return;
    m->is |= 1u << model_ahci_port_number(m, p);
    update_irq(m);
}

/* ---- power and reset ---- */
static bool implemented(const struct model_ahci *m, unsigned port) { return m->pi >> port & 1; }

static void power_on(struct model_ahci *m)
{
    m->powered = true;
    m->ghc = m->ahci_only || m->left_running ? GHC_AE : 0;
    m->is = 0;
    m->ae_writes = 0;
    m->pi_now = m->pi;
    m->hr_off_ns = m->bohc_off_ns = MODEL_AHCI_NEVER;
    m->asked_for_ownership = false;
    m->bohc_reg = m->bohc == MODEL_AHCI_BOHC_OBEYS || m->bohc == MODEL_AHCI_BOHC_NEVER ? BOHC_BOS : 0;
    for (unsigned i = 0; i < MODEL_AHCI_PORTS; i++) {
        struct model_ahci_port *p = &m->port[i];

        if (!implemented(m, i))
            continue;
        model_ahci_port_reset(m, p);
        if (m->left_running)
            model_ahci_port_left_running(m, p);
        else if (!m->sss)
            model_ahci_port_start_link(m, p);
    }
}

static void hba_reset_done(struct model_ahci *m)
{
    m->hr_off_ns = MODEL_AHCI_NEVER;
    m->ghc = m->ahci_only ? GHC_AE : 0;
    if (m->pi_lost_by_reset)
        m->pi_now = 0;
    for (unsigned i = 0; i < MODEL_AHCI_PORTS; i++)
        if (implemented(m, i) && !m->sss)
            model_ahci_port_start_link(m, &m->port[i]);
}

static void hba_reset(struct model_ahci *m)
{
    m->hba_resets++;
    m->ghc |= GHC_HR;
    m->is = 0;
    for (unsigned i = 0; i < MODEL_AHCI_PORTS; i++)
        if (implemented(m, i))
            model_ahci_port_reset(m, &m->port[i]);
    m->hr_off_ns = model_ahci_after_ns(m, m->hr_ns);
    if (!m->hr_ns)
        hba_reset_done(m);
}

static void tick(void *dev)
{
    struct model_ahci *m = dev;
    uint64_t now_ns = model_ahci_now_ns(m);

    if (!m->powered)
        power_on(m);
    if (m->gone || m->bench)
        return;
    if (now_ns >= m->hr_off_ns)
        hba_reset_done(m);
    if (now_ns >= m->bohc_off_ns) {
        m->bohc_off_ns = MODEL_AHCI_NEVER;
        m->bohc_reg &= ~(BOHC_BOS | BOHC_BB);
    }
    for (unsigned i = 0; i < MODEL_AHCI_PORTS && !m->gone; i++)
        if (implemented(m, i))
            model_ahci_port_tick(m, &m->port[i]);
}

static void reset(void *dev)
{
    struct model_ahci *m = dev;

    m->powered = false;
    tick(m);
}

/* ---- registers of the adapter ---- */
static uint32_t cap(const struct model_ahci *m)
{
    unsigned np = m->np ? m->np : (unsigned)__builtin_popcount(m->pi);

    return ((np - 1) & 31) | ((m->slots - 1) & 31) << 8 | (uint32_t)m->spm << 17 |
           (uint32_t)m->ahci_only << 18 | (m->iss & 15) << 20 | (uint32_t)m->sclo << 24 |
           (uint32_t)m->sss << 27 | (uint32_t)m->sncq << 30 | (uint32_t)m->s64a << 31;
}

static uint32_t hba_read(struct model_ahci *m, uint32_t off)
{
    switch (off) {
    case AHCI_CAP:
        return cap(m);
    case AHCI_GHC:
        return m->ghc;
    case AHCI_IS:
        return m->is;
    case AHCI_PI:
        return m->pi_now;
    case AHCI_VS:
        return m->version;
    case AHCI_CAP2:
        return m->bohc != MODEL_AHCI_BOHC_ABSENT;
    case AHCI_BOHC:
        return m->bohc_reg;
    }
    return 0;
}

static void ghc_write(struct model_ahci *m, uint32_t v)
{
    if (v & GHC_AE && !(m->ghc & GHC_AE) && ++m->ae_writes <= m->ae_writes_ignored)
        v &= ~GHC_AE;
    if (v & GHC_HR && !((v | m->ghc) & GHC_AE))
        model_ahci_violation(m, "GHC.HR without GHC.AE", v, v | GHC_AE);
    m->ghc = (m->ghc & GHC_HR) | (v & (GHC_IE | GHC_AE)) | (m->ahci_only ? GHC_AE : 0);
    if (v & GHC_HR && !(m->ghc & GHC_HR))
        hba_reset(m);
    update_irq(m);
}

static void bohc_write(struct model_ahci *m, uint32_t v)
{
    if (m->bohc == MODEL_AHCI_BOHC_ABSENT) {
        model_ahci_violation(m, "BOHC written without CAP2.BOH", v, 0);
        return;
    }
    m->bohc_reg = (m->bohc_reg & (BOHC_BOS | BOHC_BB)) | (v & 0x0e);
    if (!(v & BOHC_OOS))
        return;
    m->asked_for_ownership = true;
    if (m->bohc != MODEL_AHCI_BOHC_OBEYS || !(m->bohc_reg & BOHC_BOS) || m->bohc_off_ns != MODEL_AHCI_NEVER)
        return;
    if (m->bohc_busy)
        m->bohc_reg |= BOHC_BB;
    m->bohc_off_ns = model_ahci_after_ns(m, m->bohc_ns);
}

static void is_write(struct model_ahci *m, uint32_t v)
{
    m->is &= ~v;
    for (unsigned i = 0; i < MODEL_AHCI_PORTS; i++)
        if (m->port[i].is & m->port[i].ie)
            m->is |= 1u << i;
    update_irq(m);
}

static void hba_write(struct model_ahci *m, uint32_t off, uint32_t v)
{
    switch (off) {
    case AHCI_GHC:
        ghc_write(m, v);
        break;
    case AHCI_IS:
        is_write(m, v);
        break;
    case AHCI_PI:
        if (m->pi_lost_by_reset && !m->pi_now)
            m->pi_now = v;
        break;
    case AHCI_BOHC:
        bohc_write(m, v);
        break;
    case AHCI_CAP:
        break;
    default:
        model_ahci_violation(m, "a read-only register of the adapter was written", off, 0);
    }
}

/* The port that a register belongs to; NULL, counted as a violation, when nobody may touch it now. */
static struct model_ahci_port *port_at(struct model_ahci *m, uint32_t off, bool is_write)
{
    unsigned port = (off - PORT_BASE) / PORT_BYTES;

    if (port >= MODEL_AHCI_PORTS || !implemented(m, port)) {
        model_ahci_violation(m, "a register of a port that is not in PI", port, m->pi);
        return NULL;
    }
    if (!(m->ghc & GHC_AE) && !(m->ghc & GHC_HR)) {
        model_ahci_violation(m, "a port register was touched with GHC.AE clear", off, 0);
        return NULL;
    }
    if (is_write && m->ghc & GHC_HR) {
        model_ahci_violation(m, "a port register was written during GHC.HR", off, 0);
        return NULL;
    }
    if (is_write && m->bohc_reg & BOHC_BOS && !m->asked_for_ownership)
        model_ahci_violation(m, "a port register was written while the firmware owns the adapter", off, 0);
    return &m->port[port];
}

static bool access_ok(struct model_ahci *m, unsigned bar, uint32_t off, unsigned bytes)
{
    if (bar == MODEL_AHCI_BAR && bytes == 4 && !(off & 3) && off < BAR_BYTES)
        return true;
    model_ahci_violation(m, "registers are accessed by aligned dwords of BAR 5", (uint64_t)bytes << 32 | off,
                         bar);
    return false;
}

static uint64_t reg_read(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    struct model_ahci *m = dev;

    m->reads++;
    if (m->bench && off >= PORT_BASE && (off & 0x7f) >= 0x34)
        return 0;
    tick(m);
    if (m->gone)
        return UINT64_MAX;
    if (!access_ok(m, bar, off, bytes))
        return UINT64_MAX;
    if (off < PORT_BASE)
        return hba_read(m, off);
    struct model_ahci_port *p = port_at(m, off, false);
    return p ? model_ahci_port_read(m, p, off & 0x7f) : 0;
}

static void reg_write(void *dev, unsigned bar, uint32_t off, unsigned bytes, uint64_t v)
{
    struct model_ahci *m = dev;

    m->writes++;
    if (m->bench && off >= PORT_BASE && (off & 0x7f) >= 0x30) {
        if ((off & 0x7f) == 0x38)
            m->port[(off - PORT_BASE) / PORT_BYTES].seen.reads += (unsigned)__builtin_popcount((uint32_t)v);
        return;
    }
    tick(m);
    if (m->gone || !access_ok(m, bar, off, bytes))
        return;
    if (off < PORT_BASE) {
        hba_write(m, off, (uint32_t)v);
        return;
    }
    struct model_ahci_port *p = port_at(m, off, true);
    if (p)
        model_ahci_port_write(m, p, off & 0x7f, (uint32_t)v);
}

/* ---- config space ---- */
static uint32_t config_read(void *dev, uint32_t off)
{
    const struct model_ahci *m = dev;

    if (m->gone)
        return UINT32_MAX;
    switch (off) {
    case 0x00:
        return (uint32_t)m->device_id << 16 | m->vendor_id;
    case 0x08:
        return m->class_code << 8 | 2;
    case 0x10 + 4 * MODEL_AHCI_BAR:
        return (uint32_t)-BAR_BYTES;
    case 0x2c:
        return (uint32_t)m->subdevice_id << 16 | m->subvendor_id;
    }
    return 0;
}

static void config_write(void *dev, uint32_t off, uint32_t v)
{
    (void)dev;
    (void)off;
    (void)v;
}

const struct model_device_ops model_ahci_ops = { .name = "ahci",
                                                 .read = reg_read,
                                                 .write = reg_write,
                                                 .config_read = config_read,
                                                 .config_write = config_write,
                                                 .reset = reset,
                                                 .tick = tick };

/* ---- set-up ---- */
static void content(void *ctx, uint32_t port, uint64_t lba, void *buf, uint32_t bytes)
{
    (void)ctx;
    model_ahci_pattern(port, lba, buf, bytes);
}

void model_ahci_init(struct model_ahci *m)
{
    memset(m, 0, sizeof *m);
    m->vendor_id = 0x8086;
    m->device_id = 0x2922;
    m->class_code = 0x010601;
    m->version = 0x00010301;
    m->pi = 0x3f;
    m->slots = MODEL_AHCI_SLOTS;
    m->iss = 3;
    m->s64a = m->sncq = true;
    m->medium.content = content;
}

void model_ahci_free(struct model_ahci *m) { medium_free(&m->medium); }

void model_ahci_power_cut(struct model_ahci *m)
{
    medium_power_cut(&m->medium);
    reset(m);
}

struct model_ahci_drive *model_ahci_add_disk(struct model_ahci *m, unsigned port, uint64_t lba_count)
{
    struct model_ahci_drive *d = &m->port[port].drive;

    memset(d, 0, sizeof *d);
    d->kind = MODEL_AHCI_DISK;
    d->speed = 3;
    strcpy(d->model, "MODEL AHCI DISK");
    strcpy(d->serial, "SER00");
    d->serial[3] = (char)('0' + port / 10);
    d->serial[4] = (char)('0' + port % 10);
    strcpy(d->firmware, "1.0");
    d->lba_count = lba_count;
    d->sector_bytes = 512;
    d->queue_depth = 32;
    d->rotation_rpm = 1;
    d->wwn = 0x5000c50000000000ull + port;
    model_ahci_attribute(d, 9)->raw = 1000;
    model_ahci_attribute(d, 194)->raw = 31;
    model_ahci_attribute(d, 197)->raw = 0;
    model_ahci_attribute(d, 199)->raw = 0;
    m->pi |= 1u << port;
    return d;
}

struct model_ahci_attribute *model_ahci_attribute(struct model_ahci_drive *d, uint8_t id)
{
    unsigned i = 0;

    while (i + 1 < MODEL_AHCI_ATTRIBUTES && d->attribute[i].id && d->attribute[i].id != id)
        i++;
    if (d->attribute[i].id != id)
        d->attribute[i] = (struct model_ahci_attribute){ .id = id, .current = 100 };
    return &d->attribute[i];
}

void model_ahci_pull(struct model_ahci *m, unsigned port)
{
    m->port[port].drive.drop_ns = MODEL_AHCI_NEVER;
    model_ahci_port_drop_link(m, &m->port[port]);
    m->port[port].was_ready = false;
}

void model_ahci_push(struct model_ahci *m, unsigned port) { model_ahci_port_start_link(m, &m->port[port]); }

void model_ahci_pattern(unsigned port, uint64_t lba, void *buf, size_t bytes)
{
    uint8_t *out = buf;
    uint64_t x = (lba + 1) * 0x9e3779b97f4a7c15ull ^ (uint64_t)(port + 1) << 56;

    for (size_t at = 0; at < bytes; at += sizeof x) {
        x ^= x >> 29;
        x *= 0xbf58476d1ce4e5b9ull;
        x ^= x >> 32;
        memcpy(out + at, &x, bytes - at < sizeof x ? bytes - at : sizeof x);
    }
}
