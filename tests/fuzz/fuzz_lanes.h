#ifndef TESTS_FUZZ_LANES_H
#define TESTS_FUZZ_LANES_H
#include "fuzz_user.h"

/* What the fuzz targets of the AHCI and MegaRAID drivers share beside the user: a script of lies about single
 * register reads and DMA writes.  A device that told no lie to a register or to memory leads to no violation.
 */

/* ---- the script ---- */
enum event { REG_VALUE, REG_XOR, REG_ONES, REG_STICKS, UNPLUG, DMA_XOR, DMA_FILL, DMA_DROP, EVENT_COUNT };
static struct {
    bool any;
    enum event event;
    uint32_t after, value; /* accesses of that kind until it happens */
    uint16_t at;
} next;
static struct {
    bool on;
    uint32_t off;
    uint64_t value;
} stuck;
static const struct model_device_ops *true_ops;
static struct model_host true_host;
static struct pci_fn *fn;

static void read_script(void)
{
    next.any = in_left != 0;
    if (!next.any)
        return;
    next.event = take8() % EVENT_COUNT;
    next.after = take16();
    next.at = (uint16_t)take16();
    next.value = take32();
}

static bool due(bool is_dma)
{
    if (!next.any || is_dma != (next.event >= DMA_XOR) || next.after--)
        return false;
    return lied = true;
}

static uint64_t lying_read(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    uint64_t v = true_ops->read(dev, bar, off, bytes);
    enum event event = next.event;
    uint32_t value = next.value;

    if (!due(false))
        return stuck.on && off == stuck.off ? stuck.value : v;
    read_script();
    switch (event) {
    case REG_VALUE:
        return value;
    case REG_XOR:
        return v ^ value;
    case REG_STICKS:
        stuck.on = !stuck.on;
        stuck.off = off;
        return stuck.value = value & 1 ? v : value;
    case UNPLUG:
        model_unplug(fn);
        return UINT64_MAX;
    default:
        return UINT64_MAX;
    }
}

static bool lying_dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    static uint8_t copy[4096];
    enum event event = next.event;
    uint32_t value = next.value;
    uint16_t at = next.at;

    if (n > sizeof copy || !n || !due(true))
        return true_host.dma_write(ctx, bus, src, n);
    read_script();
    if (event == DMA_DROP)
        return true;
    memcpy(copy, src, n);
    if (event == DMA_FILL)
        memset(copy, (int)value, n);
    for (unsigned i = 0; event == DMA_XOR && i < 4; i++)
        copy[(at + i) % n] ^= (uint8_t)(value >> (8 * i));
    return true_host.dma_write(ctx, bus, copy, n);
}

/* One life of the driver over a model that the target has set up. */
static inline void live(const struct controller_driver *driver, const struct model_device_ops *ops, void *dev,
                        struct model_host *host, uint8_t shapes, uint8_t fail_at)
{
    static struct model_device_ops lying_ops;
    struct controller *c = NULL;
    struct fault fault = { 0 };

    lying_ops = *ops;
    lying_ops.read = lying_read;
    true_ops = ops;
    fn = model_add_device(&lying_ops, dev, host);
    true_host = *host;
    host->dma_write = lying_dma_write;
    stuck.on = false;
    read_script();
    if (fail_at & 0x80)
        model_fail_alloc_at = fail_at & 0x7f;
    if (!driver->attach(fn, 0, &c, &fault)) {
        REQUIRE(c);
        use_controller(c, shapes, 7);
        driver->detach(c);
    } else {
        REQUIRE(fault.err && fault.what);
    }
    /* What a device may still write to is kept, and that is the last thing said. */
    REQUIRE(!model_live_allocs() || strstr(model_last_log(), "its DMA memory is never used again"));
    REQUIRE(lied || !model_violations);
}

#endif
