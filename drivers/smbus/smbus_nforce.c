#include "smbus_internal.h"

/* nVidia nForce.  Fact sheet pin-check 2.4; status codes are those of the ACPI embedded controller's SMBus.
 */

enum { CFG_COMMAND = 0x04, CFG_BAR4 = 0x20, CFG_OLD_BASE = 0x50 };
enum { COMMAND_IO = 1 };
enum {
    NV_PRTCL = 0x00,
    NV_STS = 0x01,
    NV_ADDR = 0x02,
    NV_CMD = 0x03,
    NV_DATA = 0x04,
    NV_ABORT_STATUS = 0x3c,
    NV_CTRL = 0x3e
};
enum { PRTCL_READ = 0x01, PRTCL_BYTE_DATA = 0x06 };
enum { STS_DONE = 0x80, STS_CODE = 0x1f };
enum { CODE_NO_ACK = 0x10, CODE_TIMEOUT = 0x18, CODE_BUSY = 0x1a };
enum { CTRL_ABORT = 0x20 };
enum { FIRST_ID_WITH_BAR = 0x200 };

static bool nforce_open(struct smbus_host *h)
{
    uint32_t command = plat_pci_read32(h->fn, CFG_COMMAND), bar = plat_pci_read32(h->fn, CFG_BAR4);

    if (command == 0xffffffffu)
        return smbus_decline(h, SMBUS_DEAD, "its configuration space reads all ones");
    h->base = (bar & 1) ? bar & 0xfffc : 0;
    if (!h->base && h->fn->device_id < FIRST_ID_WITH_BAR)
        h->base = plat_pci_read32(h->fn, CFG_OLD_BASE) & 0xfffc;
    if (!h->base || !(command & COMMAND_IO))
        return smbus_decline(h, SMBUS_OFF, "firmware left its I/O ports switched off");
    h->e->status = host_in(h, NV_STS);
    h->e->control = host_in(h, NV_PRTCL);
    if (h->e->status == 0xff && h->e->control == 0xff)
        return smbus_decline(h, SMBUS_DEAD, "its registers read all ones");
    return true;
}

/* The protocol register goes back to 0 when a transfer is over. */
static bool nforce_is_busy(const struct smbus_host *h) { return host_in(h, NV_PRTCL) != 0; }

static bool nforce_begin(struct smbus_host *h)
{
    h->saved.address = host_in(h, NV_ADDR);
    h->saved.command = host_in(h, NV_CMD);
    h->saved.data = host_in(h, NV_DATA);
    return true;
}

static bool can_abort(uint16_t device_id)
{
    return device_id == 0x0064 || device_id == 0x0264 || device_id == 0x0368;
}

/* The other chips have no abort: they are only waited for. */
static bool nforce_kill(struct smbus_host *h)
{
    uint64_t end_ns = plat_now_ns() + KILL_LIMIT_MS * NS_PER_MS;

    h->e->kills++;
    if (can_abort(h->fn->device_id)) {
        host_out(h, NV_CTRL, CTRL_ABORT);
        plat_stall_us(1000);
        host_out(h, NV_ABORT_STATUS, 1);
    }
    while (nforce_is_busy(h)) {
        if (plat_now_ns() > end_ns)
            return false;
        plat_stall_us(100);
    }
    return true;
}

static enum smbus_answer answer_of(uint8_t status, uint64_t took_ns)
{
    switch (status & STS_CODE) {
    case 0:
        return ANSWER_DATA;
    case CODE_TIMEOUT:
        return ANSWER_LATE;
    case CODE_BUSY:
        return ANSWER_COLLISION;
    case CODE_NO_ACK:
    default:
        return took_ns >= LATE_MS * NS_PER_MS ? ANSWER_LATE : ANSWER_NONE;
    }
}

static enum smbus_answer nforce_read_byte(struct smbus_host *h, uint8_t address, uint8_t command,
                                          uint8_t *value)
{
    uint8_t status;

    host_out(h, NV_ADDR, (uint8_t)(address << 1));
    host_out(h, NV_CMD, command);
    host_out(h, NV_PRTCL, PRTCL_BYTE_DATA | PRTCL_READ);
    uint64_t started_ns = plat_now_ns(), now_ns = started_ns;
    for (;;) {
        status = host_in(h, NV_STS);
        now_ns = plat_now_ns();
        if (!nforce_is_busy(h) && (status & (STS_DONE | STS_CODE)))
            break;
        if (now_ns - started_ns > READ_LIMIT_MS * NS_PER_MS) {
            h->e->wedged |= !nforce_kill(h);
            return ANSWER_TIMED_OUT;
        }
        plat_relax();
    }
    *value = host_in(h, NV_DATA);
    return answer_of(status, now_ns - started_ns);
}

static void nforce_end(struct smbus_host *h)
{
    host_out(h, NV_ADDR, h->saved.address);
    host_out(h, NV_CMD, h->saved.command);
    host_out(h, NV_DATA, h->saved.data);
}

static void nforce_close(struct smbus_host *h) { (void)h; }

const struct smbus_ops smbus_nforce_ops = {
    .open = nforce_open,
    .is_busy = nforce_is_busy,
    .begin = nforce_begin,
    .read_byte = nforce_read_byte,
    .kill = nforce_kill,
    .end = nforce_end,
    .close = nforce_close,
};
