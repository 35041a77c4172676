#include "path.h"

/* The bridge whose far side is that bus. */
static unsigned bridge_to(const struct pci_facts *f, unsigned count, uint16_t segment, uint8_t bus)
{
    for (unsigned i = 0; i < count; i++)
        if (f[i].is_bridge && f[i].segment == segment && f[i].secondary_bus == bus && f[i].bus != bus && bus)
            return i;
    return NO_FUNCTION;
}

void path_find(const struct pci_facts *f, unsigned count, unsigned function, struct path *out)
{
    unsigned at = function;

    *out = (struct path){ 0 };
    while (at < count && out->count < PATH_MAX) {
        out->at[out->count++] = (uint16_t)at;
        at = bridge_to(f, count, f[at].segment, f[at].bus);
    }
    for (unsigned i = 0; i < out->count / 2; i++) {
        uint16_t t = out->at[i];

        out->at[i] = out->at[out->count - 1 - i];
        out->at[out->count - 1 - i] = t;
    }
}

unsigned path_function(const struct pci_facts *f, unsigned count, uint16_t segment, uint8_t bus,
                       uint8_t device, uint8_t function)
{
    for (unsigned i = 0; i < count; i++)
        if (f[i].segment == segment && f[i].bus == bus && f[i].device == device && f[i].function == function)
            return i;
    return NO_FUNCTION;
}

unsigned path_hops(const struct pci_facts *f, const struct path *p, struct hop out[PATH_MAX])
{
    unsigned n = 0;

    for (unsigned i = 0; i + 1 < p->count; i++) {
        const struct pci_facts *port = &f[p->at[i]];

        if (port->has_pcie && (port->type == PCIE_ROOT_PORT || port->type == PCIE_DOWNSTREAM_PORT))
            out[n++] = (struct hop){ p->at[i], p->at[i + 1] };
    }
    return n;
}

void path_address_text(const struct pci_facts *f, char *buf, size_t cap)
{
    str_fmt(buf, cap, "%04x:%02x:%02x.%u", f->segment, f->bus, f->device, f->function);
}
