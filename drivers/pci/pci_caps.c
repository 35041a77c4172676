#include "pci.h"
#include "pci_regs.h"

/* A list that leads back into itself, or out of the space, is no list. */
enum { CAPS_FIRST = 0x40, CAPS_MAX = 48, EXTENDED_MAX = 480, EXTENDED_LAST = 0xffc };

uint16_t pci_capability(const struct pci_fn *fn, uint8_t id)
{
    uint32_t command = plat_pci_read32(fn, PCI_COMMAND);

    if (command == PCI_ALL_ONES || !(command & STATUS_HAS_LIST))
        return 0;
    uint32_t at = plat_pci_read32(fn, PCI_CAPABILITIES) & 0xfc;
    for (unsigned i = 0; i < CAPS_MAX && at >= CAPS_FIRST; i++) {
        uint32_t head = plat_pci_read32(fn, at);

        if (head == PCI_ALL_ONES)
            return 0;
        if ((head & 0xff) == id)
            return (uint16_t)at;
        at = (head >> 8) & 0xfc;
    }
    return 0;
}

uint16_t pci_extended_capability(const struct pci_fn *fn, uint16_t id)
{
    uint32_t at = PCI_EXTENDED;

    for (unsigned i = 0; i < EXTENDED_MAX && at >= PCI_EXTENDED && at <= EXTENDED_LAST; i++) {
        uint32_t head = plat_pci_read32(fn, at);

        if (!head || head == PCI_ALL_ONES)
            return 0;
        if ((head & 0xffff) == id)
            return (uint16_t)at;
        at = (head >> 20) & 0xffc;
    }
    return 0;
}
