#include "platform_model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "err.h"

enum { MAX_DEVICES = 64, BAR_COUNT = 6, CONFIG_BYTES = 4096 };
enum {
    CFG_IDS = 0x00,
    CFG_COMMAND = 0x04,
    CFG_CLASS = 0x08,
    CFG_HEADER = 0x0c,
    CFG_BAR0 = 0x10,
    CFG_BAR_END = 0x28,
    CFG_SUBSYSTEM = 0x2c
};
enum { COMMAND_MEMORY = 2, COMMAND_MASTER = 4, COMMAND_WRITABLE = 0x0547 };

/* Device addresses: half of the allocations below 4 GiB, half above, with a hole behind each so that an
 * overrun hits nothing. */
#define BUS_LOW     0x0000000000a00000ull
#define BUS_LOW_END 0x00000000e0000000ull
#define BUS_HIGH    0x0000004500000000ull
#define BUS_GAP     0x3000ull

struct device {
    const struct model_device_ops *ops;
    void *dev;
    struct pci_fn fn;
    uint16_t command, command_before;
    uint32_t bar[BAR_COUNT];
    bool enabled, gone, in_access;
};
struct mapping {
    struct mapping *next;
    struct device *d;
    unsigned bar;
};
struct block {
    struct block *next;
    void *cpu;
    uint64_t bus;
    size_t len_bytes;
    struct device *owner;
    bool is_dma;
};

static struct device devices[MAX_DEVICES];
static unsigned device_count;
static struct mapping *mappings;
static struct block *blocks;
static struct block *last_hit;
static uint64_t bus_low_at = BUS_LOW, bus_high_at = BUS_HIGH;
static long live_count;
static bool published, ticking;
static struct device *fixed_owner;
static uint64_t fixed_address;
static char first_violation[240];

uint64_t model_clock_ns, model_now_step_ns = 100, model_relax_step_ns = 1000;
long model_fail_alloc_at = -1, model_alloc_count;
unsigned long model_violations;
bool model_quiet, model_bench;

static void violate(const struct device *d, const char *what, uint64_t got, uint64_t want)
{
    char line[240];

    snprintf(line, sizeof line, "%s: %s (got %#llx, want %#llx)", d ? d->ops->name : "seam", what,
             (unsigned long long)got, (unsigned long long)want);
    if (!model_violations++)
        memcpy(first_violation, line, sizeof line);
    if (!model_quiet)
        fprintf(stderr, "violation: %s\n", line);
}

/* ---- the clock ---- */
static void tick_device(struct device *d)
{
    if (d->ops->tick && !d->gone)
        d->ops->tick(d->dev);
}

void model_advance_ns(uint64_t ns)
{
    model_clock_ns += ns;
    if (ticking)
        return;
    ticking = true;
    for (unsigned i = 0; i < device_count; i++)
        tick_device(&devices[i]);
    ticking = false;
}

uint64_t plat_now_ns(void)
{
    if (model_bench)
        return model_clock_ns += model_now_step_ns;
    model_advance_ns(model_now_step_ns);
    return model_clock_ns;
}

void plat_relax(void) { model_advance_ns(model_relax_step_ns); }

void plat_stall_us(uint32_t us) { model_advance_ns(us * 1000ull); }

/* ---- the world ---- */
void model_reset_world(void)
{
    while (blocks) {
        struct block *b = blocks;

        blocks = b->next;
        free(b->cpu);
        free(b);
    }
    while (mappings) {
        struct mapping *m = mappings;

        mappings = m->next;
        free(m);
    }
    memset(devices, 0, sizeof devices);
    device_count = 0;
    last_hit = NULL;
    bus_low_at = BUS_LOW;
    bus_high_at = BUS_HIGH;
    live_count = 0;
    published = ticking = false;
    model_set_ports(NULL, NULL, NULL);
    fixed_owner = NULL;
    model_clock_ns = 0;
    model_now_step_ns = 100;
    model_relax_step_ns = 1000;
    model_fail_alloc_at = -1;
    model_alloc_count = 0;
    model_violations = 0;
    first_violation[0] = 0;
    model_reset_log();
}

long model_live_allocs(void) { return live_count; }

const char *model_first_violation(void) { return first_violation; }

bool model_published(void) { return published; }

/* ---- what a device may do ---- */
static struct block *find_block(uint64_t bus, size_t n)
{
    if (last_hit && bus - last_hit->bus < last_hit->len_bytes &&
        n <= last_hit->len_bytes - (bus - last_hit->bus))
        return last_hit;
    for (struct block *b = blocks; b; b = b->next)
        if (b->is_dma && bus - b->bus < b->len_bytes && n <= b->len_bytes - (bus - b->bus))
            return last_hit = b;
    return NULL;
}

/* A function whose bus mastering is off cannot reach memory: harmless for work that comes late, a mistake of
 * the driver when it has just asked for that work. */
static uint8_t *device_memory(struct device *d, uint64_t bus, size_t n, const char *what)
{
    struct block *b;

    if (d->gone)
        return NULL;
    if (!(d->command & COMMAND_MASTER)) {
        if (d->in_access)
            violate(d, "work was started with bus mastering off", d->command, d->command | COMMAND_MASTER);
        return NULL;
    }
    b = find_block(bus, n);
    if (!b || (b->owner && b->owner != d)) {
        violate(d, what, bus, n);
        return NULL;
    }
    return (uint8_t *)b->cpu + (bus - b->bus);
}

static bool host_dma_read(void *ctx, uint64_t bus, void *dst, size_t n)
{
    const uint8_t *p =
        n ? device_memory(ctx, bus, n, "the device was told to read where the driver has no memory") : NULL;

    if (p)
        memcpy(dst, p, n);
    return p || !n;
}

static bool host_dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    uint8_t *p =
        n ? device_memory(ctx, bus, n, "the device was told to write where the driver has no memory") : NULL;

    if (p)
        memcpy(p, src, n);
    return p || !n;
}

static void host_irq(void *ctx, bool level)
{
    (void)ctx;
    (void)level;
}

static uint64_t host_now_ns(void *ctx)
{
    (void)ctx;
    return model_clock_ns;
}

static void host_violation(void *ctx, const char *what, uint64_t got, uint64_t want)
{
    violate(ctx, what, got, want);
}

static void host_log(void *ctx, const char *what, uint64_t a, uint64_t b)
{
    const struct device *d = ctx;

    if (!model_quiet)
        fprintf(stderr, "%s: %s (%#llx, %#llx)\n", d->ops->name, what, (unsigned long long)a,
                (unsigned long long)b);
}

static bool host_published(void *ctx)
{
    (void)ctx;
    return published;
}

/* ---- PCI ---- */
static uint32_t ask_config(const struct device *d, uint32_t off)
{
    return d->ops->config_read ? d->ops->config_read(d->dev, off) : UINT32_MAX;
}

/* The size bits of a memory BAR; 0: none there.  The upper half of a 64-bit BAR is none. */
static uint64_t bar_size(const struct device *d, unsigned bar)
{
    for (unsigned i = 0; i < BAR_COUNT; i++) {
        uint32_t low = ask_config(d, CFG_BAR0 + 4 * i);
        bool wide = (low & 7) == 4 && i + 1 < BAR_COUNT;
        uint64_t mask = low & ~0xfull;

        if (i == bar) {
            if (!low || (low & 1))
                return 0;
            mask |= wide ? (uint64_t)ask_config(d, CFG_BAR0 + 4 * i + 4) << 32 : 0xffffffff00000000ull;
            return -mask;
        }
        if (wide)
            i++;
    }
    return 0;
}

struct pci_fn *model_add_device(const struct model_device_ops *ops, void *dev, struct model_host *host)
{
    struct device *d = &devices[device_count];
    uint32_t ids, class_rev, subsystem;

    if (device_count == MAX_DEVICES)
        abort();
    *d = (struct device){ .ops = ops, .dev = dev };
    ids = ask_config(d, CFG_IDS);
    class_rev = ask_config(d, CFG_CLASS);
    subsystem = ask_config(d, CFG_SUBSYSTEM);
    d->fn = (struct pci_fn){ .ctx = d,
                             .bus = (uint8_t)(1 + device_count / 32),
                             .device = device_count % 32,
                             .revision = class_rev & 0xff,
                             .vendor_id = ids & 0xffff,
                             .device_id = ids >> 16,
                             .subvendor_id = subsystem & 0xffff,
                             .subdevice_id = subsystem >> 16,
                             .class_code = class_rev >> 8 };
    for (unsigned i = 0; i < BAR_COUNT; i++) {
        uint32_t bits = ask_config(d, CFG_BAR0 + 4 * i);

        if (!bar_size(d, i))
            continue;
        d->bar[i] = ((0xe0000000u + (device_count << 20)) & bits & ~0xfu) | (bits & 0xf);
        if ((bits & 7) == 4 && i + 1 < BAR_COUNT)
            d->bar[i + 1] = 0x38;
    }
    *host = (struct model_host){ .ctx = d,
                                 .dma_read = host_dma_read,
                                 .dma_write = host_dma_write,
                                 .irq = host_irq,
                                 .now_ns = host_now_ns,
                                 .violation = host_violation,
                                 .log = host_log,
                                 .published = host_published };
    device_count++;
    return &d->fn;
}

void model_set_fixed_window(uint64_t address, struct pci_fn *fn)
{
    fixed_owner = fn->ctx;
    fixed_address = address;
}

void model_unplug(struct pci_fn *fn) { ((struct device *)fn->ctx)->gone = true; }

/* A bridge has two BARs; its bus numbers stand where a device has its third. */
static uint32_t bar_end(const struct device *d)
{
    return (ask_config(d, CFG_HEADER) >> 16 & 0x7f) == 1 ? CFG_BAR0 + 8 : CFG_BAR_END;
}

uint32_t plat_pci_read32(const struct pci_fn *fn, uint32_t off)
{
    struct device *d = fn->ctx;

    if (off & 3 || off >= CONFIG_BYTES) {
        violate(d, "config read at a wrong offset", off, off & ~3u);
        return UINT32_MAX;
    }
    tick_device(d);
    if (d->gone)
        return UINT32_MAX;
    if (off == CFG_COMMAND)
        return (ask_config(d, off) & 0xffff0000u) | d->command;
    if (off >= CFG_BAR0 && off < bar_end(d))
        return d->bar[(off - CFG_BAR0) / 4];
    return ask_config(d, off);
}

void plat_pci_write32(const struct pci_fn *fn, uint32_t off, uint32_t v)
{
    struct device *d = fn->ctx;

    if (off & 3 || off >= CONFIG_BYTES) {
        violate(d, "config write at a wrong offset", off, off & ~3u);
        return;
    }
    tick_device(d);
    if (d->gone)
        return;
    if (off == CFG_COMMAND) {
        d->command = v & COMMAND_WRITABLE;
    } else if (off >= CFG_BAR0 && off < bar_end(d)) {
        uint32_t bits = ask_config(d, off);
        bool upper = off > CFG_BAR0 && bits && !bar_size(d, (off - CFG_BAR0) / 4) && !(bits & 1);
        uint32_t type = upper ? 0 : (bits & 1) ? bits & 3 : bits & 0xf;

        d->bar[(off - CFG_BAR0) / 4] = (v & bits & (upper ? ~0u : (bits & 1) ? ~3u : ~0xfu)) | type;
    } else if (d->ops->config_write) {
        d->ops->config_write(d->dev, off, v);
    }
}

int plat_pci_enable(const struct pci_fn *fn)
{
    struct device *d = fn->ctx;

    if (d->gone)
        return E_GONE;
    if (d->enabled) {
        violate(d, "function enabled twice", 1, 0);
        return OK;
    }
    d->command_before = d->command;
    d->command |= COMMAND_MEMORY | COMMAND_MASTER;
    d->enabled = true;
    live_count++;
    return OK;
}

void plat_pci_release(const struct pci_fn *fn)
{
    struct device *d = fn->ctx;

    if (!d->enabled) {
        violate(d, "function released that was not enabled", 0, 1);
        return;
    }
    d->command = d->command_before;
    d->enabled = false;
    live_count--;
}

int plat_bar_map(const struct pci_fn *fn, unsigned bar, size_t min_len_bytes, struct mmio *out)
{
    struct device *d = fn->ctx;
    uint64_t size = bar < BAR_COUNT ? bar_size(d, bar) : 0;
    struct mapping *m;

    *out = (struct mmio){ 0 };
    if (!size)
        return E_UNSUPPORTED;
    if (size < min_len_bytes)
        return E_LIMIT;
    m = calloc(1, sizeof *m);
    if (!m)
        return E_NOMEM;
    *m = (struct mapping){ .next = mappings, .d = d, .bar = bar };
    mappings = m;
    live_count++;
    *out = (struct mmio){ .ctx = m, .base = d->bar[bar] & ~(uintptr_t)0xf, .len_bytes = size };
    return OK;
}

int plat_fixed_map(uint64_t address, size_t len_bytes, struct mmio *out)
{
    struct mapping *m;

    *out = (struct mmio){ 0 };
    if (!fixed_owner || address != fixed_address)
        return E_UNSUPPORTED;
    m = calloc(1, sizeof *m);
    if (!m)
        return E_NOMEM;
    *m = (struct mapping){ .next = mappings, .d = fixed_owner, .bar = MODEL_FIXED_BAR };
    mappings = m;
    live_count++;
    *out = (struct mmio){ .ctx = m, .base = (uintptr_t)address, .len_bytes = len_bytes };
    return OK;
}

void plat_bar_unmap(struct mmio *m)
{
    if (!m->ctx)
        return;
    for (struct mapping **p = &mappings; *p; p = &(*p)->next) {
        struct mapping *gone = *p;

        if (gone != m->ctx)
            continue;
        *p = gone->next;
        free(gone);
        live_count--;
        *m = (struct mmio){ 0 };
        return;
    }
    violate(NULL, "a BAR was unmapped twice", 0, 0);
    *m = (struct mmio){ 0 };
}

/* ---- registers ---- */
/* NULL: the access goes nowhere. */
static struct mapping *access_target(const struct mmio *m, uint32_t off, unsigned bytes)
{
    struct mapping *map = m->ctx;

    if (!map) {
        violate(NULL, "register access without a mapped BAR", off, 0);
        return NULL;
    }
    if (off & (bytes - 1) || off > m->len_bytes || bytes > m->len_bytes - off) {
        violate(map->d, "register access misaligned or outside the BAR", off, m->len_bytes);
        return NULL;
    }
    tick_device(map->d);
    if (map->d->gone)
        return NULL;
    if (map->bar != MODEL_FIXED_BAR && !(map->d->command & COMMAND_MEMORY)) {
        violate(map->d, "register access with memory decoding off", off, COMMAND_MEMORY);
        return NULL;
    }
    return map;
}

static uint64_t read_register(const struct mmio *m, uint32_t off, unsigned bytes)
{
    struct mapping *map = access_target(m, off, bytes);
    uint64_t v;

    if (!map)
        return UINT64_MAX;
    map->d->in_access = true;
    v = map->d->ops->read(map->d->dev, map->bar, off, bytes);
    map->d->in_access = false;
    return v;
}

static void write_register(const struct mmio *m, uint32_t off, unsigned bytes, uint64_t v)
{
    struct mapping *map = access_target(m, off, bytes);

    if (map) {
        map->d->in_access = true;
        map->d->ops->write(map->d->dev, map->bar, off, bytes, v);
        map->d->in_access = false;
    }
    published = false;
}

uint32_t plat_read32(const struct mmio *m, uint32_t off)
{
    const struct mapping *map = m->ctx;

    if (model_bench)
        return (uint32_t)map->d->ops->read(map->d->dev, map->bar, off, 4);
    return (uint32_t)read_register(m, off, 4);
}

uint64_t plat_read64(const struct mmio *m, uint32_t off) { return read_register(m, off, 8); }

void plat_write32(const struct mmio *m, uint32_t off, uint32_t v)
{
    const struct mapping *map = m->ctx;

    if (model_bench)
        map->d->ops->write(map->d->dev, map->bar, off, 4, v);
    else
        write_register(m, off, 4, v);
}

void plat_write64(const struct mmio *m, uint32_t off, uint64_t v)
{
    const struct mapping *map = m->ctx;

    if (model_bench)
        map->d->ops->write(map->d->dev, map->bar, off, 8, v);
    else
        write_register(m, off, 8, v);
}

/* ---- memory ---- */
/* Each allocation is its own malloc of exactly its size, so that the address sanitizer's red zones lie at
 * its ends. */
static struct block *new_block(size_t len_bytes)
{
    struct block *b;

    if (model_alloc_count++ >= model_fail_alloc_at && model_fail_alloc_at >= 0)
        return NULL;
    b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    if (posix_memalign(&b->cpu, 64, len_bytes)) {
        free(b);
        return NULL;
    }
    memset(b->cpu, 0, len_bytes);
    b->len_bytes = len_bytes;
    b->next = blocks;
    blocks = b;
    live_count++;
    return b;
}

static bool drop_block(const void *cpu, bool is_dma)
{
    for (struct block **p = &blocks; *p; p = &(*p)->next) {
        struct block *b = *p;

        if (b->cpu != cpu || b->is_dma != is_dma)
            continue;
        *p = b->next;
        if (last_hit == b)
            last_hit = NULL;
        free(b->cpu);
        free(b);
        live_count--;
        return true;
    }
    return false;
}

void *plat_alloc(size_t len_bytes)
{
    struct block *b = len_bytes ? new_block(len_bytes) : NULL;

    if (!len_bytes)
        violate(NULL, "plat_alloc of nothing", 0, 1);
    return b ? b->cpu : NULL;
}

void plat_free(void *p)
{
    if (p && !drop_block(p, false))
        violate(NULL, "plat_free of what is not allocated", (uintptr_t)p, 0);
}

/* The lowest address at or after `from` that keeps alignment and boundary.  Never aligned to more than was
 * asked for, so that a driver which silently needs more is found out. */
static uint64_t place(uint64_t from, size_t len_bytes, uint64_t align, uint64_t boundary)
{
    uint64_t at = (from + 2 * align - 1) / (2 * align) * (2 * align) + align;

    if (boundary && at / boundary != (at + len_bytes - 1) / boundary)
        at = (at + boundary - 1) / boundary * boundary;
    return at;
}

static const struct block *overlaps(uint64_t at, size_t len_bytes)
{
    for (const struct block *b = blocks; b; b = b->next)
        if (b->is_dma && b->bus && at < b->bus + b->len_bytes + BUS_GAP && b->bus < at + len_bytes + BUS_GAP)
            return b;
    return NULL;
}

/* 0: no room. */
static uint64_t choose_bus(size_t len_bytes, const struct dma_limits *lim)
{
    uint64_t align = lim->align_bytes ? lim->align_bytes : 4096;
    uint64_t highest = lim->highest_address ? lim->highest_address : UINT64_MAX;
    bool high = (model_alloc_count & 1) && highest >= BUS_HIGH + 0x1000000000ull;
    uint64_t *cursor = high ? &bus_high_at : &bus_low_at;
    uint64_t end = high ? UINT64_MAX / 2 : BUS_LOW_END - 1 < highest ? BUS_LOW_END - 1 : highest;

    for (unsigned round = 0; round < 2; round++) {
        uint64_t at = place(*cursor, len_bytes, align, lim->boundary_bytes);
        const struct block *b;

        while (at <= end && len_bytes - 1 <= end - at && (b = overlaps(at, len_bytes)))
            at = place(b->bus + b->len_bytes + BUS_GAP, len_bytes, align, lim->boundary_bytes);
        if (at <= end && len_bytes - 1 <= end - at) {
            *cursor = at + len_bytes + BUS_GAP;
            return at;
        }
        *cursor = high ? BUS_HIGH : BUS_LOW;
    }
    return 0;
}

int plat_dma_alloc(const struct pci_fn *fn, size_t len_bytes, const struct dma_limits *lim,
                   struct dma_buf *out)
{
    static const struct dma_limits none;
    struct block *b;

    *out = (struct dma_buf){ 0 };
    lim = lim ? lim : &none;
    if (!len_bytes || lim->align_bytes & (lim->align_bytes - 1) ||
        lim->boundary_bytes & (lim->boundary_bytes - 1) ||
        (lim->boundary_bytes && len_bytes > lim->boundary_bytes)) {
        violate(fn ? fn->ctx : NULL, "impossible DMA allocation", len_bytes, lim->boundary_bytes);
        return E_LIMIT;
    }
    b = new_block(len_bytes);
    if (!b)
        return E_NOMEM;
    b->is_dma = true;
    b->owner = fn ? fn->ctx : NULL;
    b->bus = choose_bus(len_bytes, lim);
    if (!b->bus) {
        drop_block(b->cpu, true);
        return E_NOMEM;
    }
    *out = (struct dma_buf){ .cpu = b->cpu, .bus = b->bus, .len_bytes = len_bytes, .ctx = b };
    return OK;
}

void plat_dma_free(struct dma_buf *b)
{
    if (b->cpu && !drop_block(b->cpu, true))
        violate(NULL, "plat_dma_free of what is not allocated", b->bus, 0);
    *b = (struct dma_buf){ 0 };
}

void plat_dma_publish(void)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    published = true;
}

void plat_dma_observe(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
