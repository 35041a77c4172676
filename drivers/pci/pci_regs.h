#ifndef DRIVERS_PCI_REGS_H
#define DRIVERS_PCI_REGS_H
#include "bits.h"

/* Dwords of configuration space, and fields in the dword that holds them. */
enum {
    PCI_IDS = 0x00,
    PCI_COMMAND = 0x04,
    PCI_CLASS = 0x08,
    PCI_HEADER = 0x0c,
    PCI_BUSES = 0x18, /* bridges: primary, secondary, subordinate */
    PCI_SUBSYSTEM = 0x2c,
    PCI_CAPABILITIES = 0x34,
    PCI_INTERRUPT = 0x3c,
    PCI_EXTENDED = 0x100
};
#define STATUS_HAS_LIST BIT_(20)
#define HEADER_TYPE     BITS(22, 16)

enum { CAP_POWER = 0x01, CAP_PCIE = 0x10 };
enum { EXT_AER = 0x0001, EXT_SECONDARY = 0x0019 };

/* ---- power management ---- */
enum { PM_PMCSR = 0x04 };
#define PMCSR_STATE      BITS(1, 0)
#define PMCSR_PME_EN     BIT_(8)
#define PMCSR_PME_STATUS BIT_(15) /* cleared by writing 1 */

/* ---- PCI Express ---- */
enum {
    PCIE_CAPS = 0x00,
    PCIE_DEVCAP = 0x04,
    PCIE_DEVCTL = 0x08, /* status in the upper half */
    PCIE_LNKCAP = 0x0c,
    PCIE_LNKCTL = 0x10,
    PCIE_SLTCAP = 0x14,
    PCIE_SLTCTL = 0x18,
    PCIE_LNKCAP2 = 0x2c,
    PCIE_LNKCTL2 = 0x30
};
#define CAPS_VERSION        BITS(19, 16)
#define CAPS_TYPE           BITS(23, 20)
#define CAPS_SLOT           BIT_(24)
#define DEVCAP_PAYLOAD      BITS(2, 0)
#define DEVCAP_LIMIT        BITS(25, 18)
#define DEVCAP_LIMIT_SCALE  BITS(27, 26)
#define DEVCTL_PAYLOAD      BITS(7, 5)
#define DEVCTL_READ_REQUEST BITS(14, 12)
#define DEVSTA_ERRORS       BITS(19, 16)
#define LNKCAP_SPEED        BITS(3, 0)
#define LNKCAP_WIDTH        BITS(9, 4)
#define LNKCAP_ASPM         BITS(11, 10)
#define LNKCAP_ACTIVE       BIT_(20)
#define LNKCTL_ASPM         BITS(1, 0)
#define LNKSTA_SPEED        BITS(19, 16)
#define LNKSTA_WIDTH        BITS(25, 20)
#define LNKSTA_TRAINING     BIT_(27)
#define LNKSTA_ACTIVE       BIT_(29)
#define LNKSTA_LBMS         BIT_(30)
#define LNKSTA_LABS         BIT_(31)
#define SLTCAP_LIMIT        BITS(14, 7)
#define SLTCAP_LIMIT_SCALE  BITS(16, 15)
#define SLTCAP_NUMBER       BITS(31, 19)
#define SLTSTA_POWER_FAULT  BIT_(17)
#define SLTSTA_PRESENT      BIT_(22)
#define LNKCTL2_TARGET      BITS(3, 0)

/* ---- advanced error reporting ---- */
enum { AER_UNCORRECTABLE = 0x04, AER_CORRECTABLE = 0x10, AER_HEADER_LOG = 0x1c };
/* ---- secondary PCI Express ---- */
enum { SECONDARY_LANE_ERRORS = 0x08 };

#define PCI_ALL_ONES 0xffffffffu

#endif
