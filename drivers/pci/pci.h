#ifndef DRIVERS_PCI_H
#define DRIVERS_PCI_H
#include "platform.h"

/* What the configuration space of a function says about its link, its power, its slot and its errors, as
 * plain values.  Reading changes nothing; the two functions that write (pci_wake, and pci_watch_* where the
 * caller allows clearing) say what.  Offsets: fact sheet pin-check 4.1. */

enum pcie_type {
    PCIE_ENDPOINT = 0,
    PCIE_LEGACY_ENDPOINT = 1,
    PCIE_ROOT_PORT = 4,
    PCIE_UPSTREAM_PORT = 5,
    PCIE_DOWNSTREAM_PORT = 6,
    PCIE_TO_PCI_BRIDGE = 7,
    PCIE_RC_ENDPOINT = 9
};

/* Speeds are generations (1: 2.5 GT/s, 2: 5, 3: 8, 4: 16, 5: 32); 0 and width 0: the function does not say.
 */
struct pci_link {
    uint8_t speed_possible, width_possible;
    uint8_t speed, width;
    uint8_t speed_target;        /* LnkCtl2; 0: not there */
    uint8_t aspm_possible, aspm; /* bit 0 L0s, bit 1 L1 */
    bool training;
    bool tells_active, active; /* data link layer active: can be told, is */
    bool bandwidth_managed;    /* LBMS: the port lowered the link, or it was retrained */
    bool bandwidth_autonomous; /* LABS: lowered without being asked, not for reasons of reliability */
};
struct pci_slot {
    bool implemented, present, power_fault;
    uint16_t number;
    uint32_t limit_mw; /* 0: says nothing */
};
enum { /* device status */
       PCI_ERROR_CORRECTABLE = 1,
       PCI_ERROR_NONFATAL = 2,
       PCI_ERROR_FATAL = 4,
       PCI_ERROR_UNSUPPORTED = 8,
       PCI_ERRORS = 15
};
enum { /* AER correctable status */
       AER_COR_RECEIVER = 1 << 0,
       AER_COR_BAD_TLP = 1 << 6,
       AER_COR_BAD_DLLP = 1 << 7,
       AER_COR_ROLLOVER = 1 << 8,
       AER_COR_REPLAY_TIMEOUT = 1 << 12,
       AER_COR_ADVISORY = 1 << 13
};
struct pci_facts {
    uint16_t segment;
    uint8_t bus, device, function;
    uint16_t vendor_id, device_id, subvendor_id, subdevice_id;
    uint32_t class_code;
    bool answers; /* false: reads all ones, nothing below means anything */
    bool is_bridge;
    uint8_t secondary_bus, subordinate_bus;
    bool has_power;
    uint8_t d_state;
    bool pme_enabled, pme_status;
    bool has_pcie;
    uint8_t type; /* enum pcie_type */
    uint16_t payload_possible_bytes, payload_bytes, read_request_bytes;
    uint32_t captured_limit_mw; /* upstream functions: what the slot told them; 0: nothing */
    uint8_t device_status;      /* PCI_ERROR_* */
    struct pci_link link;
    struct pci_slot slot;
    bool has_aer;
    uint32_t uncorrectable, correctable, header_log[4];
    uint32_t lane_errors; /* bit per lane, secondary PCIe capability */
};

/* Offset of a capability, 0 when there is none or the list is no list.  [boot] */
uint16_t pci_capability(const struct pci_fn *fn, uint8_t id);
uint16_t pci_extended_capability(const struct pci_fn *fn, uint16_t id);

/* Reads everything above.  [boot] */
void pci_facts_read(const struct pci_fn *fn, struct pci_facts *out);

/* Brings a function that sleeps (D1-D3) to D0, waits 10 ms, puts back the header registers that it may have
 * lost (BARs, command).  Returns the D-state in which it was found, 0 for one that was awake or has no such
 * capability, negative: E_TIMEOUT, still not in D0; E_GONE.  [boot] */
int pci_wake(const struct pci_fn *fn);

/* ---- watching a function while its disks are read ---- */
/* Status bits are flags, no counters: each sample looks which bits are new and, when may_clear, clears them.
 */
struct pci_watch {
    const struct pci_fn *fn;
    struct mmio config; /* the function's configuration space as memory; base 0: through firmware */
    uint16_t pcie, aer;
    bool has_slot, may_clear, power_fault_before;
    uint8_t device_before; /* what was set before, or could not be cleared */
    uint32_t uncorrectable_before, correctable_before;
    /* ---- what was seen ---- */
    uint32_t samples; /* with the link under load */
    uint8_t speed_least, speed_most, width_least, width_most;
    uint32_t correctable_samples; /* in how many samples a correctable bit was new */
    uint32_t correctable, uncorrectable, header_log[4];
    uint8_t device_status;
    bool power_fault, gone;
};
/* Takes the state of now as the one before the sweep; clears it when allowed (device status, AER correctable
 * and uncorrectable status, each by writing ones to bits that are set, nothing else).  [boot] */
void pci_watch_begin(struct pci_watch *w, const struct pci_fn *fn, const struct mmio *config, bool may_clear);
/* One look: four or five reads.  under_load false counts errors only.  [any] with config, else [boot] */
void pci_watch_sample(struct pci_watch *w, bool under_load);

#endif
