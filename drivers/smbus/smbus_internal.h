#ifndef DRIVERS_SMBUS_INTERNAL_H
#define DRIVERS_SMBUS_INTERNAL_H
#include "bits.h"
#include "smbus.h"
#include "str.h"
#include "text.h"

enum smbus_answer {
    ANSWER_DATA,
    ANSWER_NONE,      /* nobody acknowledged */
    ANSWER_LATE,      /* refused after longer than an address can take: somebody held the clock */
    ANSWER_COLLISION, /* arbitration lost */
    ANSWER_TIMED_OUT, /* ended by us */
    ANSWER_REFUSED    /* by the gate */
};
enum {
    READ_LIMIT_MS = 60, /* a byte takes 0.4 ms at 100 kHz, a slave may hold the clock 35 ms */
    LATE_MS = 20,       /* without an acknowledge it is over in 0.3 ms */
    OWNER_LIMIT_MS = 100,
    KILL_LIMIT_MS = 5000, /* never leave a running transfer: it would answer the next program */
    BUDGET_MS = 2000
};

struct smbus_host;
struct smbus_ops {
    /* Finds the registers.  False: not to be touched, state and why say it. */
    bool (*open)(struct smbus_host *h);
    bool (*is_busy)(const struct smbus_host *h);
    /* Both lines, as enum line_level; NULL: cannot be told. */
    unsigned (*lines)(const struct smbus_host *h);
    /* Takes ownership and remembers registers.  False: owned by firmware. */
    bool (*begin)(struct smbus_host *h);
    enum smbus_answer (*read_byte)(struct smbus_host *h, uint8_t address, uint8_t command, uint8_t *value);
    /* Ends what runs; true when the controller is idle then. */
    bool (*kill)(struct smbus_host *h);
    void (*end)(struct smbus_host *h);   /* undoes begin */
    void (*close)(struct smbus_host *h); /* undoes open */
};
enum line_level { LINE_CLOCK_HIGH = 1, LINE_DATA_HIGH = 2, LINE_KNOWN = 4 };

struct smbus_host {
    const struct pci_fn *fn;
    const struct smbus_row *row;
    const struct smbus_ops *ops;
    struct smbus_evidence *e;
    uint16_t base;
    uint64_t started_ns;
    bool lock_taken;
    struct {
        uint8_t control, command, address, data, auxiliary, slave;
        uint32_t configuration;
    } saved;
};

static inline uint8_t host_in(const struct smbus_host *h, unsigned off)
{
    return plat_port_read8((uint16_t)(h->base + off));
}
static inline void host_out(const struct smbus_host *h, unsigned off, uint8_t v)
{
    plat_port_write8((uint16_t)(h->base + off), v);
}
/* Sets the state, says why, returns false. */
bool smbus_decline(struct smbus_host *h, enum smbus_state state, const char *why);

extern const struct smbus_ops smbus_i801_ops, smbus_piix4_ops, smbus_nforce_ops;

/* ---- registers that i801 and PIIX4 share: smbus_registers.c ---- */
enum { HST_STS = 0x00, HST_CNT = 0x02, HST_CMD = 0x03, HST_ADD = 0x04, HST_D0 = 0x05 };
enum {
    STS_BUSY = 0x01,
    STS_INTR = 0x02,
    STS_DEV_ERR = 0x04,
    STS_BUS_ERR = 0x08,
    STS_FAILED = 0x10,
    STS_INUSE = 0x40,
    STS_RESULTS = 0x9e /* all that is cleared by writing 1, without the lock */
};
enum { CNT_KILL = 0x02, CNT_BYTE_DATA = 0x08, CNT_START = 0x40 };
enum smbus_answer registers_read_byte(struct smbus_host *h, uint8_t address, uint8_t command, uint8_t *value);
bool registers_kill(struct smbus_host *h);
bool registers_are_busy(const struct smbus_host *h);
void registers_save(struct smbus_host *h);
void registers_restore(struct smbus_host *h);

#endif
