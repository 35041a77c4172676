#include "pci.h"
#include "err.h"
#include "fault.h"
#include "pci_regs.h"
#include "str.h"

/* Codes 0-5 are 128-4096 bytes; the other two are reserved. */
static uint16_t payload_bytes(uint64_t code) { return code <= 5 ? (uint16_t)(128u << code) : 0; }

/* Limit x 1.0, 0.1, 0.01 or 0.001 W; above EFh with scale 1.0 the codes stand for 250, 275, 300 W. */
static uint32_t limit_mw(uint64_t value, uint64_t scale)
{
    static const uint32_t mw[] = { 1000, 100, 10, 1 };
    static const uint32_t high_mw[] = { 250000, 275000, 300000 };

    if (!scale && value >= 0xf0)
        return value - 0xf0 < ARRAY_COUNT(high_mw) ? high_mw[value - 0xf0] : 300000;
    return (uint32_t)value * mw[scale];
}

static void read_power(const struct pci_fn *fn, struct pci_facts *f)
{
    uint16_t at = pci_capability(fn, CAP_POWER);

    if (!at)
        return;
    uint32_t v = plat_pci_read32(fn, at + PM_PMCSR);
    if (v == PCI_ALL_ONES)
        return;
    f->has_power = true;
    f->d_state = (uint8_t)FIELD_GET(PMCSR_STATE, v);
    f->pme_enabled = v & PMCSR_PME_EN;
    f->pme_status = v & PMCSR_PME_STATUS;
}

static void read_link(const struct pci_fn *fn, uint16_t at, unsigned version, struct pci_link *l)
{
    uint32_t cap = plat_pci_read32(fn, at + PCIE_LNKCAP), now = plat_pci_read32(fn, at + PCIE_LNKCTL);

    l->speed_possible = (uint8_t)FIELD_GET(LNKCAP_SPEED, cap);
    l->width_possible = (uint8_t)FIELD_GET(LNKCAP_WIDTH, cap);
    l->aspm_possible = (uint8_t)FIELD_GET(LNKCAP_ASPM, cap);
    l->tells_active = cap & LNKCAP_ACTIVE;
    l->speed = (uint8_t)FIELD_GET(LNKSTA_SPEED, now);
    l->width = (uint8_t)FIELD_GET(LNKSTA_WIDTH, now);
    l->aspm = (uint8_t)FIELD_GET(LNKCTL_ASPM, now);
    l->training = now & LNKSTA_TRAINING;
    l->active = now & LNKSTA_ACTIVE;
    l->bandwidth_managed = now & LNKSTA_LBMS;
    l->bandwidth_autonomous = now & LNKSTA_LABS;
    if (version >= 2)
        l->speed_target = (uint8_t)FIELD_GET(LNKCTL2_TARGET, plat_pci_read32(fn, at + PCIE_LNKCTL2));
}

static void read_slot(const struct pci_fn *fn, uint16_t at, struct pci_slot *s)
{
    uint32_t cap = plat_pci_read32(fn, at + PCIE_SLTCAP), now = plat_pci_read32(fn, at + PCIE_SLTCTL);

    s->implemented = true;
    s->number = (uint16_t)FIELD_GET(SLTCAP_NUMBER, cap);
    s->limit_mw = limit_mw(FIELD_GET(SLTCAP_LIMIT, cap), FIELD_GET(SLTCAP_LIMIT_SCALE, cap));
    s->present = now & SLTSTA_PRESENT;
    s->power_fault = now & SLTSTA_POWER_FAULT;
}

static bool has_link(unsigned type)
{
    /* What is built into the root complex has no link, whatever its registers hold. */
    return type <= PCIE_LEGACY_ENDPOINT || (type >= PCIE_ROOT_PORT && type <= PCIE_TO_PCI_BRIDGE);
}

static void read_pcie(const struct pci_fn *fn, struct pci_facts *f)
{
    uint16_t at = pci_capability(fn, CAP_PCIE);
    uint32_t caps = at ? plat_pci_read32(fn, at + PCIE_CAPS) : PCI_ALL_ONES;

    if (caps == PCI_ALL_ONES)
        return;
    uint32_t cap = plat_pci_read32(fn, at + PCIE_DEVCAP), now = plat_pci_read32(fn, at + PCIE_DEVCTL);
    f->has_pcie = true;
    f->type = (uint8_t)FIELD_GET(CAPS_TYPE, caps);
    f->payload_possible_bytes = payload_bytes(FIELD_GET(DEVCAP_PAYLOAD, cap));
    f->payload_bytes = payload_bytes(FIELD_GET(DEVCTL_PAYLOAD, now));
    f->read_request_bytes = payload_bytes(FIELD_GET(DEVCTL_READ_REQUEST, now));
    f->captured_limit_mw = limit_mw(FIELD_GET(DEVCAP_LIMIT, cap), FIELD_GET(DEVCAP_LIMIT_SCALE, cap));
    f->device_status = (uint8_t)FIELD_GET(DEVSTA_ERRORS, now);
    if (has_link(f->type))
        read_link(fn, at, (unsigned)FIELD_GET(CAPS_VERSION, caps), &f->link);
    if ((caps & CAPS_SLOT) && (f->type == PCIE_ROOT_PORT || f->type == PCIE_DOWNSTREAM_PORT))
        read_slot(fn, at, &f->slot);
}

static void read_extended(const struct pci_fn *fn, struct pci_facts *f)
{
    uint16_t aer = pci_extended_capability(fn, EXT_AER),
             secondary = pci_extended_capability(fn, EXT_SECONDARY);

    if (aer) {
        f->has_aer = true;
        f->uncorrectable = plat_pci_read32(fn, aer + AER_UNCORRECTABLE);
        f->correctable = plat_pci_read32(fn, aer + AER_CORRECTABLE);
        for (unsigned i = 0; i < ARRAY_COUNT(f->header_log); i++)
            f->header_log[i] = plat_pci_read32(fn, aer + AER_HEADER_LOG + 4 * i);
    }
    if (secondary)
        f->lane_errors = plat_pci_read32(fn, secondary + SECONDARY_LANE_ERRORS);
}

void pci_facts_read(const struct pci_fn *fn, struct pci_facts *out)
{
    *out = (struct pci_facts){ .segment = fn->segment,
                               .bus = fn->bus,
                               .device = fn->device,
                               .function = fn->function,
                               .vendor_id = fn->vendor_id,
                               .device_id = fn->device_id,
                               .subvendor_id = fn->subvendor_id,
                               .subdevice_id = fn->subdevice_id,
                               .class_code = fn->class_code };
    if (plat_pci_read32(fn, PCI_IDS) == PCI_ALL_ONES)
        return;
    out->answers = true;
    out->is_bridge = FIELD_GET(HEADER_TYPE, plat_pci_read32(fn, PCI_HEADER)) == 1;
    if (out->is_bridge) {
        uint32_t buses = plat_pci_read32(fn, PCI_BUSES);

        out->secondary_bus = (uint8_t)(buses >> 8);
        out->subordinate_bus = (uint8_t)(buses >> 16);
    }
    read_power(fn, out);
    read_pcie(fn, out);
    if (out->has_pcie)
        read_extended(fn, out);
}

/* ---- waking ---- */

enum { HEADER_DWORDS = 16, WAKE_MS = 10, WAKE_LIMIT_MS = 100 };

/* A function without No_Soft_Reset comes back from D3 with the header of a reset.  The command goes last: no
 * address may be decoded before its BAR is right. */
static void put_header_back(const struct pci_fn *fn, const uint32_t saved[HEADER_DWORDS])
{
    for (unsigned i = HEADER_DWORDS - 1; i > 1; i--)
        if (plat_pci_read32(fn, 4 * i) != saved[i])
            plat_pci_write32(fn, 4 * i, saved[i]);
    /* The upper half is status: zeros change nothing there. */
    if ((plat_pci_read32(fn, PCI_COMMAND) & 0xffff) != (saved[1] & 0xffff))
        plat_pci_write32(fn, PCI_COMMAND, saved[1] & 0xffff);
}

int pci_wake(const struct pci_fn *fn)
{
    uint16_t at = pci_capability(fn, CAP_POWER);
    uint32_t found = at ? plat_pci_read32(fn, at + PM_PMCSR) : 0, v, saved[HEADER_DWORDS];

    if (!at || found == PCI_ALL_ONES || !(found & PMCSR_STATE))
        return 0;
    for (unsigned i = 0; i < HEADER_DWORDS; i++)
        saved[i] = plat_pci_read32(fn, 4 * i);
    /* PME_Status stays as it is: writing 1 would clear it. */
    plat_pci_write32(fn, at + PM_PMCSR, (uint32_t)(found & ~(PMCSR_STATE | PMCSR_PME_STATUS)));
    uint64_t end_ns = plat_now_ns() + WAKE_LIMIT_MS * NS_PER_MS;
    do {
        plat_stall_us(WAKE_MS * 1000);
        v = plat_pci_read32(fn, at + PM_PMCSR);
    } while ((v == PCI_ALL_ONES || (v & PMCSR_STATE)) && plat_now_ns() < end_ns);
    if (v == PCI_ALL_ONES)
        return NOTE(E_GONE, "PMCSR after waking", v, 0);
    if (v & PMCSR_STATE)
        return NOTE(E_TIMEOUT, "PMCSR.PowerState", v & PMCSR_STATE, 0);
    put_header_back(fn, saved);
    return (int)FIELD_GET(PMCSR_STATE, found);
}
