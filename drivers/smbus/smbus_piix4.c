#include "smbus_internal.h"
#include "err.h"

/* PIIX4, ServerWorks, ATI and AMD: one register block, four ways to find it.  Fact sheet pin-check 2.3. */

enum { CFG_BASE = 0x90, CFG_HOST = 0xd0 /* D2h in bits 23:16 */ };
enum { HOST_ENABLED = 1 << 16 };
enum { PM_INDEX = 0xcd6, PM_DATA = 0xcd7 };
enum { SLAVE_CONTROL = 0x08, SEMAPHORE_REQUEST = 0x10, SEMAPHORE_RELEASE = 0x20 };
#define PM_MEMORY 0xfed80300ull

/* ---- where the registers are ---- */

static uint8_t pm_read(uint8_t index)
{
    uint8_t before = plat_port_read8(PM_INDEX);

    plat_port_write8(PM_INDEX, index);
    uint8_t v = plat_port_read8(PM_DATA);
    plat_port_write8(PM_INDEX, before);
    return v;
}

static bool base_from_config(struct smbus_host *h)
{
    uint32_t base = plat_pci_read32(h->fn, CFG_BASE), host = plat_pci_read32(h->fn, CFG_HOST);

    if (base == 0xffffffffu || host == 0xffffffffu)
        return smbus_decline(h, SMBUS_DEAD, "its configuration space reads all ones");
    h->base = base & 0xfff0;
    h->e->configuration = (uint8_t)(host >> 16);
    if (!(host & HOST_ENABLED) || !h->base)
        return smbus_decline(h, SMBUS_OFF, "firmware left its host interface switched off");
    return true;
}

static bool base_from_pm_2c(struct smbus_host *h)
{
    uint8_t low = pm_read(0x2c), high = pm_read(0x2d);

    if (low == 0xff && high == 0xff)
        return smbus_decline(h, SMBUS_DEAD, "the chip set's power management ports do not answer");
    h->base = (uint16_t)((high << 8 | low) & 0xffe0);
    h->e->configuration = low;
    if (!(low & 1) || !h->base)
        return smbus_decline(h, SMBUS_OFF, "firmware left its host interface switched off");
    uint8_t select = pm_read(0x2f) & 1 ? pm_read(0x2e) : low;
    h->e->port = (select >> 1) & 3;
    return true;
}

/* Register 00h: bit 4 enables, the byte after it is the upper half of the base; register 02h selects the
 * port. */
static bool base_from_decode(struct smbus_host *h, uint32_t decode)
{
    if ((decode & 0xffff) == 0xffff)
        return smbus_decline(h, SMBUS_DEAD, "the chip set's power management registers do not answer");
    h->base = decode & 0xff00;
    h->e->configuration = (uint8_t)decode;
    h->e->port = (decode >> 19) & 3;
    if (!(decode & 0x10) || !h->base)
        return smbus_decline(h, SMBUS_OFF, "firmware left its host interface switched off");
    return true;
}

static uint32_t decode_by_ports(void)
{
    return pm_read(0x00) | (uint32_t)pm_read(0x01) << 8 | (uint32_t)pm_read(0x02) << 16;
}

static bool base_from_memory(struct smbus_host *h)
{
    struct mmio m;
    uint32_t decode = 0xffffffffu;

    if (plat_fixed_map(PM_MEMORY, 4, &m) == OK) {
        decode = plat_read32(&m, 0);
        plat_bar_unmap(&m);
    }
    return base_from_decode(h, (decode & 0xffff) == 0xffff ? decode_by_ports() : decode);
}

static bool find_base(struct smbus_host *h)
{
    switch (h->row->base_from) {
    case BASE_CONFIG_90:
        return base_from_config(h);
    case BASE_PM_2C:
        return base_from_pm_2c(h);
    case BASE_PM_00:
        return base_from_decode(h, decode_by_ports());
    default:
        return base_from_memory(h);
    }
}

/* ---- the controller ---- */

static bool piix4_open(struct smbus_host *h)
{
    if (!find_base(h))
        return false;
    h->e->status = host_in(h, HST_STS);
    h->e->control = host_in(h, HST_CNT);
    if (h->e->status == 0xff)
        return smbus_decline(h, SMBUS_DEAD, "its registers read all ones");
    return true;
}

/* The chips with a controller of their own inside (IMC) share the bus with it by a semaphore. */
static bool has_semaphore(const struct smbus_host *h) { return h->row->base_from != BASE_CONFIG_90; }

static bool piix4_begin(struct smbus_host *h)
{
    uint64_t end_ns = plat_now_ns() + OWNER_LIMIT_MS * NS_PER_MS;

    if (has_semaphore(h)) {
        h->saved.slave = host_in(h, SLAVE_CONTROL);
        do {
            host_out(h, SLAVE_CONTROL, h->saved.slave | SEMAPHORE_REQUEST);
            h->lock_taken = host_in(h, SLAVE_CONTROL) & SEMAPHORE_REQUEST;
            if (!h->lock_taken)
                plat_stall_us(1000);
        } while (!h->lock_taken && plat_now_ns() < end_ns);
        h->e->lock_held = !h->lock_taken;
        if (!h->lock_taken)
            return smbus_decline(h, SMBUS_OWNED,
                                 "the chip set's own controller does not give up the semaphore");
    }
    registers_save(h);
    h->e->stale = h->e->status & STS_RESULTS;
    return true;
}

static void piix4_end(struct smbus_host *h)
{
    registers_restore(h);
    if (h->lock_taken)
        host_out(h, SLAVE_CONTROL, (h->saved.slave & (uint8_t)~SEMAPHORE_REQUEST) | SEMAPHORE_RELEASE);
    h->lock_taken = false;
}

static void piix4_close(struct smbus_host *h) { (void)h; }

const struct smbus_ops smbus_piix4_ops = {
    .open = piix4_open,
    .is_busy = registers_are_busy,
    .begin = piix4_begin,
    .read_byte = registers_read_byte,
    .kill = registers_kill,
    .end = piix4_end,
    .close = piix4_close,
};
