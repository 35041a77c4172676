#ifndef DRIVERS_SMBUS_H
#define DRIVERS_SMBUS_H
#include "platform.h"

/* The machine's SMBus host controller, looked at and, when asked, used to read the eight addresses at which
 * memory modules describe themselves.  Nothing else is ever sent: one row of drivers/gate.c permits "read
 * byte data" at 0x50-0x57, every other transaction is refused there.  Evidence only; what it means is
 * checks/pins.h's business. Registers, ownership and limits: fact sheet pin-check 2.1-2.5. */

enum smbus_kind { SMBUS_I801, SMBUS_PIIX4, SMBUS_NFORCE };
/* One row per family of PCI functions. */
struct smbus_row {
    uint16_t vendor_id, device_id; /* device 0xffff: any of class 0C05 */
    uint8_t revision_min, revision_max;
    enum smbus_kind kind;
    uint8_t base_from; /* enum smbus_base_from */
    const char *name;
};
enum smbus_base_from {
    BASE_BAR4,         /* I/O BAR at 20h */
    BASE_CONFIG_90,    /* configuration word 90h, enabled by D2h bit 0 */
    BASE_PM_2C,        /* power management register 2Ch, by index and data ports CD6h/CD7h */
    BASE_PM_00,        /* register 00h, by the same ports */
    BASE_PM_00_MEMORY, /* the same at FED80300h, where the ports may be dead */
    BASE_NONE          /* no driver for it */
};
extern const struct smbus_row smbus_rows[];
extern const unsigned smbus_row_count;
/* NULL: the function is no SMBus controller. */
const struct smbus_row *smbus_find(const struct pci_fn *fn);

enum smbus_state {
    SMBUS_ABSENT, /* no such function is visible */
    SMBUS_NO_DRIVER,
    SMBUS_OFF,   /* I/O decoding or the host interface is switched off, or has no address */
    SMBUS_DEAD,  /* registers read all ones */
    SMBUS_OWNED, /* firmware's: by SMI, or it did not give up the semaphore */
    SMBUS_SEEN
};
enum { SMBUS_FIRST = 0x50, SMBUS_ADDRESSES = 8, SMBUS_BYTES = 128, SMBUS_PASSES = 3 };
struct smbus_responder {
    bool answers;
    bool abandoned; /* stopped answering or blocked the bus: not asked again */
    bool is_hub;    /* 51h 18h: a DDR5 hub, whose further bytes are no memory */
    uint8_t passes; /* complete ones */
    uint16_t gaps;  /* bytes that it refused after it had answered */
    uint8_t data[SMBUS_PASSES][SMBUS_BYTES];
};
struct smbus_evidence {
    enum smbus_state state;
    enum smbus_kind kind;
    char name[48], pci_address[16];
    char why[100]; /* why it was not used, or why reading stopped; "" */
    uint16_t base;
    uint8_t status, control, configuration; /* as found */
    uint8_t port; /* where the multiplexer points; memory modules are on 0.  It is never switched: firmware
                     and the chip set's own controller would see another bus.  Not 0: nothing is read */
    bool smi_enabled;
    bool lock_held; /* the hardware lock stayed taken by somebody else for 100 ms */
    /* ---- lines ---- */
    bool has_pins;                             /* the level of both lines can be read */
    uint16_t pin_samples, clock_low, data_low; /* data_low: with the clock high */
    uint16_t foreign_edges;                    /* a line moved while this controller was idle */
    uint16_t busy_ms;                          /* busy when found, for so long; 100: still */
    /* ---- reading ---- */
    bool probed, complete;
    bool killed_at_entry; /* a transfer that had been left was ended */
    bool wedged;          /* busy survived the end command */
    uint8_t stale;        /* old result bits that were cleared */
    uint32_t reads, acknowledged, refused, collisions, late, timed_out, kills;
    uint16_t took_ms;
    struct smbus_responder responder[SMBUS_ADDRESSES];
};
/* Looks (about 70 ms where line levels can be read, up to 200 ms when the controller is busy), and with
 * `probe` reads for at most 2 s; a transfer that hangs is ended, which may take 5 s more.  Whatever happens,
 * registers are put back, but for old result bits, which cannot be set again.  [boot] */
void smbus_examine(const struct smbus_row *row, const struct pci_fn *fn, bool probe,
                   struct smbus_evidence *out);

#endif
