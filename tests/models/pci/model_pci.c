#include "model_pci.h"
#include <string.h>

/* Raw numbers from fact sheet pin-check 4.1. */

uint32_t model_pci_get(const struct model_pci *m, unsigned off)
{
    uint32_t v;

    memcpy(&v, m->config + off, 4);
    return v;
}

void model_pci_set(struct model_pci *m, unsigned off, uint32_t v) { memcpy(m->config + off, &v, 4); }

void model_pci_or16(struct model_pci *m, unsigned off, uint16_t bits)
{
    m->config[off] |= (uint8_t)bits;
    m->config[off + 1] |= (uint8_t)(bits >> 8);
}

void model_pci_init(struct model_pci *m, uint16_t vendor, uint16_t device, uint32_t class_code)
{
    *m = (struct model_pci){ .last_cap = 0x34 };
    model_pci_set(m, 0x00, (uint32_t)device << 16 | vendor);
    model_pci_set(m, 0x08, class_code << 8);
    m->config[0x0c] = 0x10;
    m->config[0x3c] = 0x0b;
}

void model_pci_bridge(struct model_pci *m, uint8_t secondary, uint8_t subordinate)
{
    m->config[0x0e] = 0x81; /* bridge, several functions */
    m->config[0x19] = secondary;
    m->config[0x1a] = subordinate;
}

/* The pointer to the new capability stands in the one before it (or in the header). */
static void link_cap(struct model_pci *m, unsigned at, uint8_t id)
{
    m->config[0x06] |= 0x10;
    m->config[m->last_cap] = (uint8_t)at;
    m->config[at] = id;
    m->last_cap = at + 1;
}

static void link_extended(struct model_pci *m, unsigned at, uint16_t id)
{
    if (m->last_extended)
        model_pci_set(m, m->last_extended, model_pci_get(m, m->last_extended) | at << 20);
    model_pci_set(m, at, 0x10000u | id);
    m->last_extended = at;
}

void model_pci_add_power(struct model_pci *m, unsigned d_state)
{
    m->pm = 0x60;
    link_cap(m, m->pm, 0x01);
    model_pci_set(m, m->pm + 4, 0x0008 | d_state);
}

void model_pci_add_pcie(struct model_pci *m, unsigned type, unsigned speed, unsigned width)
{
    m->pcie = 0x80;
    link_cap(m, m->pcie, 0x10);
    model_pci_or16(m, m->pcie + 2, (uint16_t)(2 | type << 4));
    model_pci_set(m, m->pcie + 4, 0x00008001); /* payload up to 256 bytes */
    model_pci_set(m, m->pcie + 8, 0x00002810 | 1 << 5);
    model_pci_set(m, m->pcie + 0x0c, width << 4 | speed);
    model_pci_link_now(m, speed, width);
    model_pci_set(m, m->pcie + 0x30, speed);
    if (type == 4 || type == 6)
        model_pci_or16(m, m->pcie + 2, 0x100);
    link_extended(m, 0x100, 0x0003); /* a serial number first */
}

void model_pci_link_now(struct model_pci *m, unsigned speed, unsigned width)
{
    uint32_t v = model_pci_get(m, m->pcie + 0x10) & 0xfc00ffffu;

    model_pci_set(m, m->pcie + 0x10, v | width << 20 | speed << 16);
}

void model_pci_add_aer(struct model_pci *m)
{
    m->aer = 0x140;
    link_extended(m, m->aer, 0x0001);
}

static uint32_t config_read(void *dev, uint32_t off)
{
    struct model_pci *m = dev;

    return off >= 0x10 && off < 0x18 ? 0 : model_pci_get(m, off); /* no BARs */
}

static void clear_bits(struct model_pci *m, unsigned off, uint32_t ones)
{
    m->clears++;
    if (!m->errors_stick)
        model_pci_set(m, off, model_pci_get(m, off) & ~ones);
}

static void write_power(struct model_pci *m, uint32_t v)
{
    uint32_t before = model_pci_get(m, m->pm + 4);

    if (v & 0x8000)
        m->host.violation(m->host.ctx, "PME_Status was cleared", v, before);
    if ((v ^ before) & 0x1f00)
        m->host.violation(m->host.ctx, "more than the power state was written", v, before);
    if (m->stays_asleep)
        return;
    model_pci_set(m, m->pm + 4, (before & ~3u) | (v & 3));
    m->woken = true;
    if ((before & 3) == 3 && !(v & 3) && m->loses_header)
        m->config[0x0c] = m->config[0x3c] = 0;
}

static void config_write(void *dev, uint32_t off, uint32_t v)
{
    struct model_pci *m = dev;

    m->writes++;
    if (m->pm && off == m->pm + 4)
        write_power(m, v);
    else if (m->pcie && off == m->pcie + 8 && (v & 0xffff) == (model_pci_get(m, off) & 0xffff) && !(v >> 20))
        clear_bits(m, off, v & 0xf0000);
    else if (m->aer && (off == m->aer + 4 || off == m->aer + 0x10))
        clear_bits(m, off, v);
    else if (m->woken && off < 0x40)
        model_pci_set(m, off, v);
    else
        m->host.violation(m->host.ctx, "configuration space was written", off, v);
}

const struct model_device_ops model_pci_ops = {
    .name = "function",
    .config_read = config_read,
    .config_write = config_write,
};
