#include "model_smbus.h"
#include <string.h>

/* Raw numbers from fact sheet pin-check 2.2-2.4. */
#define ACK_NS     400000ull
#define NACK_NS    120000ull
#define LATE_NS    26000000ull
#define NV_LATE_NS 5000000ull /* the chip gives up by itself and says so */
#define COLLIDE_NS 90000ull

static uint64_t now(const struct model_smbus *m) { return m->host.now_ns(m->host.ctx); }

static void violate(struct model_smbus *m, const char *what, uint64_t got, uint64_t want)
{
    m->host.violation(m->host.ctx, what, got, want);
}

static bool is_nforce(const struct model_smbus *m) { return m->chip == CHIP_NFORCE; }
static bool has_semaphore(const struct model_smbus *m)
{
    return m->chip == CHIP_SB800 || m->chip == CHIP_ZEN;
}

/* ---- set-up ---- */

static void config16(struct model_smbus *m, unsigned off, uint16_t v)
{
    m->config[off] = (uint8_t)v;
    m->config[off + 1] = (uint8_t)(v >> 8);
}

void model_smbus_init(struct model_smbus *m, enum model_smbus_chip chip)
{
    static const struct {
        uint16_t vendor, device, class_;
        uint8_t revision;
        uint16_t base;
    } id[] = {
        [CHIP_I801] = { 0x8086, 0x2930, 0x0c05, 0x02, 0x6000 },
        [CHIP_PIIX4] = { 0x8086, 0x7113, 0x0680, 0x03, 0xb100 },
        [CHIP_SB800] = { 0x1002, 0x4385, 0x0c05, 0x41, 0x0b00 },
        [CHIP_ZEN] = { 0x1022, 0x790b, 0x0c05, 0x59, 0x0b00 },
        [CHIP_NFORCE] = { 0x10de, 0x0368, 0x0c05, 0xa2, 0x2e00 },
    };

    *m = (struct model_smbus){ .chip = chip, .base = id[chip].base };
    config16(m, 0x00, id[chip].vendor);
    config16(m, 0x02, id[chip].device);
    m->config[0x08] = id[chip].revision;
    config16(m, 0x0a, id[chip].class_);
    if (chip == CHIP_PIIX4) {
        config16(m, 0x90, m->base | 1);
        m->config[0xd2] = 9;
    }
    m->config[0x40] = chip == CHIP_I801 ? 0x11 : 0;
    m->command = 0x7f;
    m->address = is_nforce(m) ? 0xae : 0xaf;
    m->data = 0x33;
    m->control = is_nforce(m) ? 0 : 0x08;
    m->pm_index = 0x65;
    m->slave_control = chip == CHIP_SB800 || chip == CHIP_ZEN ? 0x04 : 0;
}

/* ---- time ---- */

static void finish(struct model_smbus *m, uint8_t result)
{
    m->running = m->hung = false;
    if (m->brings_byte)
        m->data = m->pending;
    m->brings_byte = false;
    if (is_nforce(m)) {
        m->control = 0;
        m->status = result;
    } else {
        m->status = (uint8_t)((m->status & ~1) | result);
    }
}

static void update(struct model_smbus *m)
{
    if (m->busy_at_entry && !m->running && !m->starts) {
        m->running = m->hung = true;
        m->ends_ns = m->busy_until_ns;
        m->status |= is_nforce(m) ? 0 : 1;
        m->control |= is_nforce(m) ? 0x07 : 0;
        m->result = is_nforce(m) ? 0x80 : 0x02;
    }
    if (m->running && m->ends_ns && now(m) >= m->ends_ns) {
        m->busy_at_entry = false;
        finish(m, m->result);
    }
    if (m->lock_foreign && m->lock_freed_at_ns && now(m) >= m->lock_freed_at_ns)
        m->lock_foreign = m->lock = false;
}

/* ---- a transfer ---- */

static void start(struct model_smbus *m, uint8_t address, bool read, bool byte_data)
{
    struct model_slave *s = &m->slave[address & 127];
    static const uint8_t i801[] = { 0x02, 0x04, 0x08 }, nforce[] = { 0x80, 0x90, 0x9a };
    const uint8_t *code = is_nforce(m) ? nforce : i801;

    if (m->running)
        violate(m, "a transfer was started over a running one", address, 0);
    if (!byte_data || !read || address < 0x50 || address > 0x57)
        violate(m, "a transfer other than reading a byte at 0x50-0x57", (uint64_t)address << 8 | read,
                0x5001);
    if (m->chip == CHIP_I801 && !m->lock_ours && !m->lock_foreign)
        violate(m, "a transfer without the lock", m->lock, 1);
    if (has_semaphore(m) && !(m->slave_control & 0x10))
        violate(m, "a transfer without the semaphore", m->slave_control, 0x10);
    m->starts++;
    m->running = true;
    m->status = is_nforce(m) ? 0 : (uint8_t)(m->status | 1);
    if (m->chip == CHIP_I801 && !(m->config[0x40] & 1)) {
        m->running = false; /* the host interface is off: nothing happens */
        m->status &= 0xfe;
        return;
    }
    if (m->clock_low || s->hangs) {
        m->hung = true;
        m->ends_ns = 0;
    } else if (m->lose_arbitration) {
        m->lose_arbitration--;
        m->ends_ns = now(m) + COLLIDE_NS;
        m->result = code[2];
    } else if (s->late) {
        s->late--;
        m->ends_ns = now(m) + (is_nforce(m) ? NV_LATE_NS : LATE_NS);
        m->result = is_nforce(m) ? 0x98 : 0x04;
    } else if (!s->there || (s->deaf_from && m->command >= s->deaf_from)) {
        m->ends_ns = now(m) + NACK_NS;
        m->result = code[1];
    } else {
        bool wrong = s->noisy_every && ++m->noise % s->noisy_every == 0;

        m->pending = s->data[m->command] ^ (wrong ? 0x10 : 0);
        m->brings_byte = true;
        m->status |= m->early_result ? code[0] : 0;
        m->ends_ns = now(m) + ACK_NS + s->slow_ns;
        m->result = code[0];
    }
}

static void kill(struct model_smbus *m)
{
    m->kills++;
    if (!m->running || m->survives_kill)
        return;
    if (m->kill_is_late) {
        m->ends_ns = now(m) + 1000000000ull;
        m->result = is_nforce(m) ? 0x80 : 0x10;
        return;
    }
    m->busy_at_entry = false;
    finish(m, is_nforce(m) ? 0x80 : 0x10);
}

/* ---- registers ---- */

static uint8_t pins(struct model_smbus *m)
{
    bool moved = m->second_master && ++m->pin_reads % 7 == 0;

    if (m->no_pins)
        return 0;
    return (uint8_t)(4 | (m->clock_low || moved ? 0 : 1) | (m->data_low ? 0 : 2));
}

static uint8_t status_read(struct model_smbus *m)
{
    uint8_t v = m->status;

    if (m->chip != CHIP_I801)
        return v;
    v |= m->lock ? 0x40 : 0;
    if (!m->lock)
        m->lock = m->lock_ours = true;
    return v;
}

static uint8_t block_read(struct model_smbus *m, unsigned off)
{
    switch (off) {
    case 0x00:
        return status_read(m);
    case 0x02:
        return m->control;
    case 0x03:
        return m->command;
    case 0x04:
        return m->address;
    case 0x05:
        return m->data;
    case 0x08:
        return has_semaphore(m) ? m->slave_control : 0;
    case 0x0d:
        return m->chip == CHIP_I801 ? m->auxiliary : 0;
    case 0x0f:
        return m->chip == CHIP_I801 ? pins(m) : 0;
    default:
        violate(m, "a register that nobody needs was read", off, 0);
        return 0;
    }
}

static void status_write(struct model_smbus *m, uint8_t v)
{
    if (m->chip == CHIP_I801 && (v & 0x40)) {
        if (m->lock_foreign)
            violate(m, "somebody else's lock was released", v, 0);
        m->lock = m->lock_ours = false;
    }
    m->status &= (uint8_t) ~(v & 0x9e);
}

static void semaphore_write(struct model_smbus *m, uint8_t v)
{
    uint8_t held = m->slave_control & 0x10;

    if ((v & 0x10) && !m->semaphore_refused)
        held = 0x10;
    if (v & 0x20)
        held = 0;
    m->slave_control = (uint8_t)((v & 0xcf) | held);
}

static void block_write(struct model_smbus *m, unsigned off, uint8_t v)
{
    switch (off) {
    case 0x00:
        status_write(m, v);
        break;
    case 0x02:
        m->control = v & 0xbd;
        if (v & 0x02)
            kill(m);
        else if (v & 0x40)
            start(m, m->address >> 1, m->address & 1, (v >> 2 & 7) == 2);
        break;
    case 0x03:
        m->command = v;
        break;
    case 0x04:
        m->address = v;
        break;
    case 0x05:
        m->data = v;
        break;
    case 0x08:
        if (has_semaphore(m))
            semaphore_write(m, v);
        break;
    case 0x0d:
        m->auxiliary = v;
        break;
    default:
        violate(m, "a register that is not to be touched was written", off, v);
    }
}

static uint8_t nforce_read(const struct model_smbus *m, unsigned off)
{
    const uint8_t regs[] = { m->control, m->status, m->address, m->command, m->data };

    if (off < sizeof regs)
        return regs[off];
    return off == 0x3c ? m->nv_abort : 0;
}

static void nforce_write(struct model_smbus *m, unsigned off, uint8_t v)
{
    switch (off) {
    case 0x00:
        m->control = v;
        start(m, m->address >> 1, v & 1, (v & 0x7e) == 0x06);
        break;
    case 0x02:
        m->address = v;
        break;
    case 0x03:
        m->command = v;
        break;
    case 0x04:
        m->data = v;
        break;
    case 0x3c:
        m->nv_abort &= (uint8_t)~v;
        break;
    case 0x3e:
        if (v & 0x20)
            kill(m);
        m->nv_abort = 1;
        break;
    default:
        violate(m, "a register that is not to be touched was written", off, v);
    }
}

/* ---- power management registers of AMD ---- */

static uint8_t pm_register(const struct model_smbus *m, uint8_t index)
{
    uint8_t selector = (uint8_t)(m->selected_port << 1);

    if (m->chip == CHIP_SB800)
        return index == 0x2c   ? (uint8_t)(m->base | 1 | (m->port_in_2e ? 0 : selector))
               : index == 0x2d ? (uint8_t)(m->base >> 8)
               : index == 0x2e ? (m->port_in_2e ? selector : 0)
               : index == 0x2f ? m->port_in_2e
                               : 0;
    return index == 0x00   ? 0x10
           : index == 0x01 ? (uint8_t)(m->base >> 8)
           : index == 0x02 ? (uint8_t)(m->selected_port << 3)
                           : 0;
}

uint32_t model_smbus_port_read(void *ctx, uint16_t port, unsigned bytes)
{
    struct model_smbus *m = ctx;
    unsigned off = (unsigned)(port - m->base);

    update(m);
    if (bytes != 1)
        violate(m, "registers are bytes", bytes, 1);
    if (has_semaphore(m) && (port == 0xcd6 || port == 0xcd7))
        return m->pm_dead ? 0xff : port == 0xcd6 ? m->pm_index : pm_register(m, m->pm_index);
    if (off >= 0x40) {
        violate(m, "a port that is not the controller's was read", port, m->base);
        return 0xff;
    }
    if (m->ports_dead)
        return 0xff;
    return is_nforce(m) ? nforce_read(m, off) : block_read(m, off);
}

void model_smbus_port_write(void *ctx, uint16_t port, unsigned bytes, uint32_t v)
{
    struct model_smbus *m = ctx;
    unsigned off = (unsigned)(port - m->base);

    update(m);
    if (bytes != 1)
        violate(m, "registers are bytes", bytes, 1);
    if (has_semaphore(m) && port == 0xcd6) {
        m->pm_index = m->pm_dead ? m->pm_index : (uint8_t)v;
        return;
    }
    if (off >= 0x40) {
        violate(m, "a port that is not the controller's was written", port, v);
        return;
    }
    if (is_nforce(m))
        nforce_write(m, off, (uint8_t)v);
    else
        block_write(m, off, (uint8_t)v);
}

/* ---- configuration space ---- */

static uint32_t config_read(void *dev, uint32_t off)
{
    struct model_smbus *m = dev;
    uint32_t v;

    if (off == 0x20 && (m->chip == CHIP_I801 || is_nforce(m)))
        return 0xffe1; /* an I/O BAR of 32 ports */
    if (off + 4 > sizeof m->config)
        return 0;
    memcpy(&v, m->config + off, 4);
    return v;
}

static void config_write(void *dev, uint32_t off, uint32_t v)
{
    struct model_smbus *m = dev;

    if (off != 0x40 || m->chip != CHIP_I801 || (v ^ m->config[0x40]) & ~1u)
        violate(m, "configuration space that is not to be touched was written", off, v);
    if (off + 4 <= sizeof m->config)
        memcpy(m->config + off, &v, 4);
}

/* FED80300h. */
static uint64_t memory_read(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    struct model_smbus *m = dev;
    uint32_t v = 0;

    if (bar != 6 || off || bytes != 4)
        violate(m, "registers in memory are read as one dword", off, bytes);
    for (uint8_t i = 0; i < 4; i++)
        v |= (uint32_t)pm_register(m, i) << 8 * i;
    return m->pm_memory ? v : 0xffffffffu;
}

static void memory_write(void *dev, unsigned bar, uint32_t off, unsigned bytes, uint64_t v)
{
    (void)bar;
    (void)bytes;
    violate(dev, "registers in memory were written", off, v);
}

const struct model_device_ops model_smbus_ops = {
    .name = "smbus",
    .read = memory_read,
    .write = memory_write,
    .config_read = config_read,
    .config_write = config_write,
};

struct model_smbus_state model_smbus_state(const struct model_smbus *m)
{
    return (struct model_smbus_state){ m->control,       m->command,  m->address,      m->data, m->auxiliary,
                                       m->slave_control, m->pm_index, m->config[0x40], m->lock, m->running };
}

/* ---- slaves ---- */

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

void model_slave_spd(struct model_slave *s, uint8_t type)
{
    *s = (struct model_slave){ .there = true };
    s->data[0] = 0x92;
    s->data[1] = 0x10;
    s->data[2] = type;
    switch (type) {
    case 0x0b: /* 2 Gb chips of 8 bits, 64-bit bus, two ranks: 4 GiB */
        s->data[4] = 0x03;
        s->data[7] = 0x09;
        s->data[8] = 0x03;
        break;
    case 0x0c: /* 8 Gb chips of 8 bits, 64-bit bus, one rank: 8 GiB */
        s->data[4] = 0x85;
        s->data[12] = 0x01;
        s->data[13] = 0x03;
        break;
    default: /* two ranks of 1 GiB */
        s->data[5] = 0x61;
        s->data[31] = 0x01;
        for (unsigned i = 0; i < 63; i++)
            s->data[63] = (uint8_t)(s->data[63] + s->data[i]);
        return;
    }
    unsigned n = type == 0x0b && (s->data[0] & 0x80) ? 117 : 126;
    uint16_t crc = crc16(s->data, n);
    s->data[126] = (uint8_t)crc;
    s->data[127] = (uint8_t)(crc >> 8);
}

void model_slave_fru(struct model_slave *s)
{
    static const uint8_t header[] = { 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xfe };

    *s = (struct model_slave){ .there = true };
    memcpy(s->data, header, sizeof header);
}
