#ifndef TESTS_MODEL_SMBUS_H
#define TESTS_MODEL_SMBUS_H
#include "device.h"

/* SMBus host controllers at register level with a bus behind them: Intel i801, PIIX4, AMD SB800 and FCH (Zen)
 * with their power management ports, nVidia nForce.  Any transaction but "read byte data" at 0x50-0x57 is a
 * violation, so is starting one without the lock, over a running one, or with write direction. */

enum model_smbus_chip { CHIP_I801, CHIP_PIIX4, CHIP_SB800, CHIP_ZEN, CHIP_NFORCE };

struct model_slave {
    bool there;
    uint8_t data[256];
    unsigned noisy_every; /* every n-th read of it is wrong by one bit; 0: never */
    unsigned late;        /* so many reads end in an error after 26 ms */
    bool hangs;           /* holds the clock: the transfer does not end by itself */
    uint64_t slow_ns;     /* holds the clock for so long at every byte */
    unsigned deaf_from;   /* no acknowledge from this byte on; 0: never */
};
struct model_smbus {
    struct model_host host;
    enum model_smbus_chip chip;
    uint16_t base;
    uint8_t config[256];
    struct model_slave slave[128];
    /* ---- what is wrong ---- */
    bool ports_dead;           /* every register reads FFh */
    bool clock_low, data_low;  /* somebody clamps the line */
    bool no_pins;              /* the register of line levels reads 0 */
    bool second_master;        /* lines move while the controller is idle */
    unsigned lose_arbitration; /* so many transfers */
    bool lock_foreign;         /* INUSE was taken before us */
    uint64_t lock_freed_at_ns; /* ... until then; 0: for good */
    bool semaphore_refused;
    bool busy_at_entry;     /* a transfer hangs that nobody ended */
    uint64_t busy_until_ns; /* ... ends by itself then; 0: only by the end command */
    bool early_result;      /* the result bit is there before the transfer is over */
    bool survives_kill;
    bool kill_is_late;     /* idle only a second after the end command */
    uint8_t selected_port; /* AMD: where the multiplexer points, 0 to 3 */
    bool port_in_2e;       /* SB800: register 2Eh tells it, not 2Ch */
    bool pm_dead;          /* power management ports read FFh */
    bool pm_memory;        /* FED80300h answers */
    /* ---- registers ---- */
    uint8_t status, control, command, address, data, auxiliary, slave_control, pm_index;
    uint8_t nv_abort;
    bool lock, lock_ours;
    bool running, hung;
    uint64_t ends_ns;
    uint8_t pending; /* the byte that the end will bring */
    bool brings_byte;
    uint8_t result; /* status bits (or nForce code) that the end will bring */
    /* ---- counted ---- */
    unsigned starts, kills, noise, pin_reads, port_switches;
};
extern const struct model_device_ops model_smbus_ops;

/* A controller as firmware leaves it: enabled, idle, registers holding remains of firmware's own transfers.
 */
void model_smbus_init(struct model_smbus *m, enum model_smbus_chip chip);
/* Handlers of I/O ports; ctx is the model. */
uint32_t model_smbus_port_read(void *ctx, uint16_t port, unsigned bytes);
void model_smbus_port_write(void *ctx, uint16_t port, unsigned bytes, uint32_t v);

/* All that must be the same afterwards, but for old result bits. */
struct model_smbus_state {
    uint8_t control, command, address, data, auxiliary, slave_control, pm_index, configuration;
    bool lock, busy;
};
struct model_smbus_state model_smbus_state(const struct model_smbus *m);

/* A valid memory module description: type 0x0b DDR3 (4 GiB), 0x0c DDR4 (8 GiB) or 0x08 DDR2 (2 GiB). */
void model_slave_spd(struct model_slave *s, uint8_t type);
/* A FRU header as server cards carry it, whose one-byte sum happens to pass for DDR2 as well. */
void model_slave_fru(struct model_slave *s);

#endif
