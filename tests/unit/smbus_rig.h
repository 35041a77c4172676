#ifndef TESTS_SMBUS_RIG_H
#define TESTS_SMBUS_RIG_H
#include <string.h>
#include "err.h"
#include "model_smbus.h"
#include "platform_model.h"
#include "smbus/smbus.h"
#include "test.h"

/* One controller model on the platform of models, and what the driver says of it. */
static struct model_smbus bus;
static struct pci_fn *bus_fn;
static struct smbus_evidence seen;

static inline void bus_up(enum model_smbus_chip chip)
{
    model_reset_world();
    model_smbus_init(&bus, chip);
    bus_fn = model_add_device(&model_smbus_ops, &bus, &bus.host);
    model_set_ports(model_smbus_port_read, model_smbus_port_write, &bus);
    if (chip == CHIP_ZEN)
        model_set_fixed_window(0xfed80300, bus_fn);
    plat_pci_write32(bus_fn, 0x04, 1);
    if (chip == CHIP_I801 || chip == CHIP_NFORCE)
        plat_pci_write32(bus_fn, 0x20, bus.base | 1u);
}

/* Looks or reads, and demands that everything is as it was and that nothing forbidden happened. */
static inline void bus_examine(bool probe)
{
    struct model_smbus_state before = model_smbus_state(&bus), after;
    uint32_t command = plat_pci_read32(bus_fn, 0x04);
    bool was_busy = bus.busy_at_entry;

    smbus_examine(smbus_find(bus_fn), bus_fn, probe, &seen);
    after = model_smbus_state(&bus);
    EQ(after.control, was_busy && bus.chip == CHIP_NFORCE ? bus.running * 7 : before.control);
    EQ(after.command, before.command);
    EQ(after.address, before.address);
    EQ(after.data, before.data);
    EQ(after.auxiliary, before.auxiliary);
    EQ(after.slave_control & 0xdf, before.slave_control & 0xdf);
    EQ(after.pm_index, before.pm_index);
    EQ(after.configuration, before.configuration);
    if (!bus.lock_freed_at_ns)
        EQ(after.lock, before.lock);
    EQ(plat_pci_read32(bus_fn, 0x04), command);
    EQ(model_live_allocs(), 0);
    if (model_violations)
        test_fail(__FILE__, __LINE__, "violation: %s", model_first_violation());
}

static inline void bus_spd(unsigned address, uint8_t type) { model_slave_spd(&bus.slave[address], type); }

#endif
