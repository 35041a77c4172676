#include "smbus_internal.h"

/* Intel, ICH to PCH.  Fact sheet pin-check 2.2. */

enum { CFG_COMMAND = 0x04, CFG_BAR4 = 0x20, CFG_HOSTC = 0x40 };
enum { COMMAND_IO = 1 };
enum { HOSTC_HST_EN = 0x01, HOSTC_SMI_EN = 0x02 };
enum { AUX_CTL = 0x0d, PIN_CTL = 0x0f };
enum { AUX_PEC = 0x01, AUX_BLOCK_BUFFER = 0x02 };
enum { PIN_CLOCK = 0x01, PIN_DATA = 0x02, PIN_NOT_DRIVEN = 0x04, PIN_RESERVED = 0xf8 };

/* Reading the status takes the lock when it was free; reading it again shows our own. */
static void take_lock(struct smbus_host *h, uint8_t first_status)
{
    uint64_t end_ns = plat_now_ns() + OWNER_LIMIT_MS * NS_PER_MS;

    h->lock_taken = !(first_status & STS_INUSE);
    while (!h->lock_taken && plat_now_ns() < end_ns) {
        plat_stall_us(1000);
        h->lock_taken = !(host_in(h, HST_STS) & STS_INUSE);
    }
    h->e->lock_held = !h->lock_taken;
}

static bool i801_open(struct smbus_host *h)
{
    uint32_t command = plat_pci_read32(h->fn, CFG_COMMAND), bar = plat_pci_read32(h->fn, CFG_BAR4);

    /* A controller that firmware switched off is left so: whatever made it do so may still hold. */
    if (command == 0xffffffffu)
        return smbus_decline(h, SMBUS_DEAD, "its configuration space reads all ones");
    if (!(command & COMMAND_IO) || !(bar & 1) || !(bar & 0xffe0))
        return smbus_decline(h, SMBUS_OFF, "firmware left its I/O ports switched off");
    h->saved.configuration = plat_pci_read32(h->fn, CFG_HOSTC);
    h->base = bar & 0xffe0;
    h->e->configuration = (uint8_t)h->saved.configuration;
    h->e->smi_enabled = h->saved.configuration & HOSTC_SMI_EN;
    h->e->status = host_in(h, HST_STS);
    h->e->control = host_in(h, HST_CNT);
    if (h->e->status == 0xff)
        return smbus_decline(h, SMBUS_DEAD, "its registers read all ones");
    take_lock(h, h->e->status);
    return true;
}

static unsigned i801_lines(const struct smbus_host *h)
{
    uint8_t v = host_in(h, PIN_CTL);

    /* Without the "not driven" bit the register is missing, or a program pulls the clock. */
    if (!(v & PIN_NOT_DRIVEN) || (v & PIN_RESERVED))
        return 0;
    return LINE_KNOWN | (v & PIN_CLOCK ? LINE_CLOCK_HIGH : 0) | (v & PIN_DATA ? LINE_DATA_HIGH : 0);
}

static bool i801_begin(struct smbus_host *h)
{
    if (h->e->smi_enabled && h->e->busy_ms)
        return smbus_decline(h, SMBUS_OWNED, "firmware uses it by system management interrupts");
    if (h->e->lock_held && (h->e->busy_ms || h->e->smi_enabled || h->e->foreign_edges))
        return smbus_decline(h, SMBUS_OWNED, "its hardware lock is taken and somebody is using it");
    registers_save(h);
    h->saved.auxiliary = host_in(h, AUX_CTL);
    h->e->stale = h->e->status & STS_RESULTS;
    if (h->saved.auxiliary & (AUX_PEC | AUX_BLOCK_BUFFER))
        host_out(h, AUX_CTL, h->saved.auxiliary & (uint8_t) ~(AUX_PEC | AUX_BLOCK_BUFFER));
    if (!(h->saved.configuration & HOSTC_HST_EN))
        plat_pci_write32(h->fn, CFG_HOSTC, h->saved.configuration | HOSTC_HST_EN);
    return true;
}

static void i801_end(struct smbus_host *h)
{
    registers_restore(h);
    if (h->saved.auxiliary & (AUX_PEC | AUX_BLOCK_BUFFER))
        host_out(h, AUX_CTL, h->saved.auxiliary);
    if (!(h->saved.configuration & HOSTC_HST_EN))
        plat_pci_write32(h->fn, CFG_HOSTC, h->saved.configuration);
}

static void i801_close(struct smbus_host *h)
{
    /* A lock that was somebody else's stays his. */
    if (h->lock_taken)
        host_out(h, HST_STS, STS_INUSE);
}

const struct smbus_ops smbus_i801_ops = {
    .open = i801_open,
    .is_busy = registers_are_busy,
    .lines = i801_lines,
    .begin = i801_begin,
    .read_byte = registers_read_byte,
    .kill = registers_kill,
    .end = i801_end,
    .close = i801_close,
};
