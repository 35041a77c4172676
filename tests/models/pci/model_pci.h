#ifndef TESTS_MODEL_PCI_H
#define TESTS_MODEL_PCI_H
#include "device.h"

/* Configuration space of one function: capability lists, link, slot, power state and error registers.  What
 * may be written: the power state, error bits by writing ones, and header registers while the function wakes;
 * everything else is a violation. */
struct model_pci {
    struct model_host host;
    uint8_t config[4096];
    unsigned pm, pcie, aer; /* offsets; 0: not there */
    unsigned last_cap, last_extended;
    bool loses_header; /* a reset when it leaves D3 */
    bool stays_asleep;
    bool errors_stick; /* error bits cannot be cleared */
    unsigned writes, clears;
    bool woken;
};
extern const struct model_device_ops model_pci_ops;

void model_pci_init(struct model_pci *m, uint16_t vendor, uint16_t device, uint32_t class_code);
void model_pci_bridge(struct model_pci *m, uint8_t secondary, uint8_t subordinate);
void model_pci_add_power(struct model_pci *m, unsigned d_state);
/* Link capability and status alike; change one with model_pci_link_now. */
void model_pci_add_pcie(struct model_pci *m, unsigned type, unsigned speed, unsigned width);
void model_pci_link_now(struct model_pci *m, unsigned speed, unsigned width);
void model_pci_add_aer(struct model_pci *m);

uint32_t model_pci_get(const struct model_pci *m, unsigned off);
void model_pci_set(struct model_pci *m, unsigned off, uint32_t v);
void model_pci_or16(struct model_pci *m, unsigned off, uint16_t bits);

#endif
