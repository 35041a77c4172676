#include "pci.h"
#include "pci_regs.h"

static uint32_t read_config(const struct pci_watch *w, uint32_t off)
{
    return w->config.base ? plat_read32(&w->config, off) : plat_pci_read32(w->fn, off);
}

static void write_config(const struct pci_watch *w, uint32_t off, uint32_t v)
{
    if (w->config.base)
        plat_write32(&w->config, off, v);
    else
        plat_pci_write32(w->fn, off, v);
}

/* Writes ones to the bits that are set; device control in the lower half keeps its value. */
static void clear_device(const struct pci_watch *w, uint32_t control_and_status)
{
    write_config(w, w->pcie + PCIE_DEVCTL,
                 (control_and_status & 0xffff) | (uint32_t)(control_and_status & DEVSTA_ERRORS));
}

/* ---- errors ---- */

static void sample_device(struct pci_watch *w)
{
    uint32_t v = read_config(w, w->pcie + PCIE_DEVCTL);
    uint8_t bits = (uint8_t)FIELD_GET(DEVSTA_ERRORS, v);

    if (v == PCI_ALL_ONES) {
        w->gone = true;
        return;
    }
    w->device_status |= bits & ~w->device_before;
    w->device_before = w->may_clear ? 0 : bits;
    if (bits && w->may_clear)
        clear_device(w, v);
}

static void sample_aer(struct pci_watch *w)
{
    uint32_t cor = read_config(w, w->aer + AER_CORRECTABLE), unc = read_config(w, w->aer + AER_UNCORRECTABLE);
    uint32_t cor_new = cor & ~w->correctable_before, unc_new = unc & ~w->uncorrectable_before;

    if (cor == PCI_ALL_ONES && unc == PCI_ALL_ONES) {
        w->gone = true;
        return;
    }
    w->correctable_samples += cor_new != 0;
    w->correctable |= cor_new;
    /* The log belongs to the first error and is overwritten by the next once the bit is cleared. */
    if (unc_new && !w->uncorrectable)
        for (unsigned i = 0; i < ARRAY_COUNT(w->header_log); i++)
            w->header_log[i] = read_config(w, w->aer + AER_HEADER_LOG + 4 * i);
    w->uncorrectable |= unc_new;
    w->correctable_before = w->may_clear ? 0 : cor;
    w->uncorrectable_before = w->may_clear ? 0 : unc;
    if (cor && w->may_clear)
        write_config(w, w->aer + AER_CORRECTABLE, cor);
    if (unc && w->may_clear)
        write_config(w, w->aer + AER_UNCORRECTABLE, unc);
}

/* ---- the link ---- */

static void least_most(uint8_t v, uint8_t *least, uint8_t *most)
{
    if (!*least || v < *least)
        *least = v;
    if (v > *most)
        *most = v;
}

static void sample_link(struct pci_watch *w)
{
    uint32_t v = read_config(w, w->pcie + PCIE_LNKCTL);
    uint8_t speed = (uint8_t)FIELD_GET(LNKSTA_SPEED, v), width = (uint8_t)FIELD_GET(LNKSTA_WIDTH, v);

    w->samples++;
    if (v == PCI_ALL_ONES || !speed || !width || (v & LNKSTA_TRAINING))
        return;
    least_most(speed, &w->speed_least, &w->speed_most);
    least_most(width, &w->width_least, &w->width_most);
}

void pci_watch_begin(struct pci_watch *w, const struct pci_fn *fn, const struct mmio *config, bool may_clear)
{
    *w = (struct pci_watch){ .fn = fn, .may_clear = may_clear, .pcie = pci_capability(fn, CAP_PCIE) };
    if (config)
        w->config = *config;
    if (!w->pcie)
        return;
    uint32_t caps = plat_pci_read32(fn, w->pcie + PCIE_CAPS);
    unsigned type = (unsigned)FIELD_GET(CAPS_TYPE, caps);
    w->has_slot = (caps & CAPS_SLOT) && (type == PCIE_ROOT_PORT || type == PCIE_DOWNSTREAM_PORT);
    w->power_fault_before = w->has_slot && (plat_pci_read32(fn, w->pcie + PCIE_SLTCTL) & SLTSTA_POWER_FAULT);
    w->aer = pci_extended_capability(fn, EXT_AER);
    uint32_t dev = plat_pci_read32(fn, w->pcie + PCIE_DEVCTL);
    uint32_t cor = w->aer ? plat_pci_read32(fn, w->aer + AER_CORRECTABLE) : 0;
    uint32_t unc = w->aer ? plat_pci_read32(fn, w->aer + AER_UNCORRECTABLE) : 0;
    if (may_clear && (dev & DEVSTA_ERRORS) && dev != PCI_ALL_ONES)
        clear_device(w, dev);
    if (may_clear && cor && cor != PCI_ALL_ONES)
        write_config(w, w->aer + AER_CORRECTABLE, cor);
    if (may_clear && unc && unc != PCI_ALL_ONES)
        write_config(w, w->aer + AER_UNCORRECTABLE, unc);
    w->device_before = may_clear ? 0 : (uint8_t)FIELD_GET(DEVSTA_ERRORS, dev);
    w->correctable_before = may_clear ? 0 : cor;
    w->uncorrectable_before = may_clear ? 0 : unc;
}

void pci_watch_sample(struct pci_watch *w, bool under_load)
{
    if (!w->pcie || w->gone)
        return;
    sample_device(w);
    if (w->aer && !w->gone)
        sample_aer(w);
    if (w->has_slot && !w->gone && !w->power_fault_before)
        w->power_fault |= (read_config(w, w->pcie + PCIE_SLTCTL) & SLTSTA_POWER_FAULT) != 0;
    if (under_load && !w->gone)
        sample_link(w);
}
