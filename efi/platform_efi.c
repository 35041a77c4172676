#include "platform_efi.h"
#include <efipciio.h>
#include "clock.h"

/* ---- registers: direct pointers; PciIo->Mem costs some 300 instructions an access (facts/uefi.md 6) ---- */

uint32_t plat_read32(const struct mmio *m, uint32_t off) { return *(volatile uint32_t *)(m->base + off); }
uint64_t plat_read64(const struct mmio *m, uint32_t off) { return *(volatile uint64_t *)(m->base + off); }
void plat_write32(const struct mmio *m, uint32_t off, uint32_t v)
{
    *(volatile uint32_t *)(m->base + off) = v;
}
void plat_write64(const struct mmio *m, uint32_t off, uint64_t v)
{
    *(volatile uint64_t *)(m->base + off) = v;
}

uint8_t plat_port_read8(uint16_t port)
{
    uint8_t v;

    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}
uint16_t plat_port_read16(uint16_t port)
{
    uint16_t v;

    __asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}
uint32_t plat_port_read32(uint16_t port)
{
    uint32_t v;

    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}
void plat_port_write8(uint16_t port, uint8_t v) { __asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port)); }
void plat_port_write16(uint16_t port, uint16_t v) { __asm__ volatile("outw %0, %1" : : "a"(v), "Nd"(port)); }
void plat_port_write32(uint16_t port, uint32_t v) { __asm__ volatile("outl %0, %1" : : "a"(v), "Nd"(port)); }

/* ---- PCI ---- */

enum { PCI_FUNCTIONS_MAX = 1024 };
struct function_state {
    EFI_HANDLE handle;
    EFI_PCI_IO_PROTOCOL *io;
    UINT64 attributes_found;
    bool enabled;
    struct placement {
        struct memory_range range[MEMORY_RANGES_MAX];
        unsigned count;
    } place;
    uint64_t within_bytes, elsewhere_bytes;
};
static struct placement place_of_all;
static struct function_state functions[PCI_FUNCTIONS_MAX];
static unsigned function_count;

static EFI_PCI_IO_PROTOCOL *io_of(const struct pci_fn *fn) { return ((struct function_state *)fn->ctx)->io; }

/* One state per handle, however often it is opened; NULL: no room. */
static struct function_state *state_of(EFI_HANDLE handle, EFI_PCI_IO_PROTOCOL *io)
{
    unsigned i = 0;

    while (i < function_count && functions[i].handle != handle)
        i++;
    if (i == PCI_FUNCTIONS_MAX)
        return NULL;
    if (i == function_count)
        functions[i] = (struct function_state){ .handle = handle };
    functions[i].io = io;
    return &functions[i];
}

bool platform_pci_open(EFI_HANDLE handle, struct pci_fn *fn)
{
    EFI_PCI_IO_PROTOCOL *io = firmware_protocol(handle, &guid_pci_io);
    UINTN segment, bus, device, function;
    struct function_state *s = io ? state_of(handle, io) : NULL;

    if (!s || EFI_ERROR(io->GetLocation(io, &segment, &bus, &device, &function)))
        return false;
    *fn = (struct pci_fn){ .ctx = s,
                           .segment = (uint16_t)segment,
                           .bus = (uint8_t)bus,
                           .device = (uint8_t)device,
                           .function = (uint8_t)function };
    uint32_t id = plat_pci_read32(fn, 0x00), class = plat_pci_read32(fn, 0x08),
             sub = plat_pci_read32(fn, 0x2c);
    if (id == 0xffffffffu)
        return false;
    fn->vendor_id = (uint16_t)id;
    fn->device_id = (uint16_t)(id >> 16);
    fn->class_code = class >> 8;
    fn->revision = (uint8_t) class;
    fn->subvendor_id = (uint16_t)sub;
    fn->subdevice_id = (uint16_t)(sub >> 16);
    if (s == &functions[function_count])
        function_count++;
    return true;
}

uint32_t plat_pci_read32(const struct pci_fn *fn, uint32_t off)
{
    EFI_PCI_IO_PROTOCOL *io = io_of(fn);
    uint32_t v = 0xffffffffu;

    if (EFI_ERROR(io->Pci.Read(io, EfiPciIoWidthUint32, off, 1, &v)))
        return 0xffffffffu;
    return v;
}

void plat_pci_write32(const struct pci_fn *fn, uint32_t off, uint32_t v)
{
    EFI_PCI_IO_PROTOCOL *io = io_of(fn);

    io->Pci.Write(io, EfiPciIoWidthUint32, off, 1, &v);
}

int plat_pci_enable(const struct pci_fn *fn)
{
    struct function_state *s = fn->ctx;
    UINT64 supported = 0;
    const UINT64 wanted = EFI_PCI_IO_ATTRIBUTE_MEMORY | EFI_PCI_IO_ATTRIBUTE_BUS_MASTER |
                          EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE;

    s->io->Attributes(s->io, EfiPciIoAttributeOperationGet, 0, &s->attributes_found);
    s->io->Attributes(s->io, EfiPciIoAttributeOperationSupported, 0, &supported);
    if (EFI_ERROR(s->io->Attributes(s->io, EfiPciIoAttributeOperationEnable, wanted & supported, NULL)))
        return E_IO;
    s->enabled = true;
    return OK;
}

void plat_pci_release(const struct pci_fn *fn)
{
    struct function_state *s = fn->ctx;

    if (s->enabled)
        s->io->Attributes(s->io, EfiPciIoAttributeOperationSet, s->attributes_found, NULL);
    s->enabled = false;
}

/* The length comes from firmware (an ACPI QWORD address descriptor: length at byte 38 of 46), the address
 * from the register itself. */
static uint64_t bar_len(EFI_PCI_IO_PROTOCOL *io, unsigned bar)
{
    uint8_t *descriptor = NULL;
    uint64_t len = 0;

    if (EFI_ERROR(io->GetBarAttributes(io, (UINT8)bar, NULL, (VOID **)&descriptor)) || !descriptor)
        return 0;
    if (descriptor[0] == 0x8a && descriptor[3] == 0)
        memcpy(&len, descriptor + 38, 8);
    boot->FreePool(descriptor);
    return len;
}

int plat_bar_map(const struct pci_fn *fn, unsigned bar, size_t min_len_bytes, struct mmio *out)
{
    uint32_t low = plat_pci_read32(fn, 0x10 + 4 * bar);
    uint64_t address = low & ~0xfull;

    *out = (struct mmio){ 0 };
    if (low == 0xffffffffu || (low & 1))
        return E_UNSUPPORTED;
    if ((low & 6) == 4) {
        if (bar >= 5)
            return E_UNSUPPORTED;
        address |= (uint64_t)plat_pci_read32(fn, 0x14 + 4 * bar) << 32;
    }
    if (!address)
        return E_UNSUPPORTED;
    uint64_t len = bar_len(io_of(fn), bar);
    if (len < min_len_bytes)
        return E_LIMIT;
    *out = (struct mmio){ .ctx = fn->ctx, .base = (uintptr_t)address, .len_bytes = (size_t)len };
    return OK;
}

/* Below 4 GiB firmware maps memory one to one (UEFI 2.10, 2.3.4); what lies above may not be mapped. */
int plat_fixed_map(uint64_t address, size_t len_bytes, struct mmio *out)
{
    *out = (struct mmio){ 0 };
    if (!address || address + len_bytes > 1ull << 32)
        return E_UNSUPPORTED;
    *out = (struct mmio){ .base = (uintptr_t)address, .len_bytes = len_bytes };
    return OK;
}

void plat_bar_unmap(struct mmio *m) { *m = (struct mmio){ 0 }; }

/* ---- memory ---- */

struct dma_record {
    EFI_PCI_IO_PROTOCOL *io;
    void *host, *mapping;
    UINTN pages;
    bool placed; /* pages of our choice instead of PciIo's buffer */
};

static void dma_record_release(struct dma_record *r)
{
    if (r->mapping)
        r->io->Unmap(r->io, r->mapping);
    if (r->host && r->placed)
        boot->FreePages((EFI_PHYSICAL_ADDRESS)(uintptr_t)r->host, r->pages);
    else if (r->host)
        r->io->FreeBuffer(r->io, r->pages, r->host);
    plat_free(r);
}

/* The highest free pages of the first range that has any, at most up to `highest` (0: no limit). */
static void *pages_within(const struct placement *place, UINTN pages, uint64_t highest)
{
    for (unsigned i = 0; i < place->count; i++) {
        const struct memory_range *r = &place->range[i];
        EFI_PHYSICAL_ADDRESS at = r->base + r->len_bytes - 1;

        if (highest && highest < at)
            at = highest;
        if (at < r->base ||
            EFI_ERROR(boot->AllocatePages(AllocateMaxAddress, EfiBootServicesData, pages, &at)))
            continue;
        if (at >= r->base)
            return (void *)(uintptr_t)at;
        boot->FreePages(at, pages);
    }
    return NULL;
}

static const struct placement *placement_of(const struct pci_fn *fn)
{
    const struct function_state *s = fn->ctx;

    return s->place.count ? &s->place : &place_of_all;
}

/* Takes the pages and lets PciIo map them, so that an IOMMU which firmware turned on knows the buffer. */
static bool dma_record_fill(struct dma_record *r, size_t len_bytes, uint64_t *bus)
{
    EFI_PHYSICAL_ADDRESS device_address = 0;
    UINTN mapped = r->pages * 4096;

    if (!r->placed &&
        EFI_ERROR(r->io->AllocateBuffer(r->io, AllocateAnyPages, EfiBootServicesData, r->pages, &r->host, 0)))
        r->host = NULL;
    if (!r->host)
        return false;
    if (EFI_ERROR(r->io->Map(r->io, EfiPciIoOperationBusMasterCommonBuffer, r->host, &mapped, &device_address,
                             &r->mapping))) {
        r->mapping = NULL;
        return false;
    }
    *bus = device_address;
    return mapped >= len_bytes;
}

static struct dma_record *dma_record_new(EFI_PCI_IO_PROTOCOL *io, size_t len_bytes, uint64_t *bus)
{
    struct dma_record *r = plat_alloc(sizeof *r);

    if (!r)
        return NULL;
    r->io = io;
    r->pages = (len_bytes + 4095) / 4096;
    if (dma_record_fill(r, len_bytes, bus))
        return r;
    dma_record_release(r);
    return NULL;
}

/* In the function's ranges; NULL: it has none, they have no room, or firmware does not map what is not its
 * own. */
static struct dma_record *dma_record_placed(const struct pci_fn *fn, size_t len_bytes, uint64_t highest,
                                            uint64_t *bus)
{
    const struct placement *place = placement_of(fn);
    struct dma_record *r = place->count ? plat_alloc(sizeof *r) : NULL;

    if (!r)
        return NULL;
    r->io = io_of(fn);
    r->placed = true;
    r->pages = (len_bytes + 4095) / 4096;
    r->host = pages_within(place, r->pages, highest);
    if (dma_record_fill(r, len_bytes, bus) && (!highest || *bus + len_bytes - 1 <= highest))
        return r;
    dma_record_release(r);
    return NULL;
}

/* Without DUAL_ADDRESS_CYCLE firmware allocates below 4 GiB. */
static struct dma_record *dma_record_low(const struct pci_fn *fn, size_t len_bytes, uint64_t *bus)
{
    EFI_PCI_IO_PROTOCOL *io = io_of(fn);
    UINT64 now = 0;

    io->Attributes(io, EfiPciIoAttributeOperationGet, 0, &now);
    io->Attributes(io, EfiPciIoAttributeOperationDisable, EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE, NULL);
    struct dma_record *r = dma_record_new(io, len_bytes, bus);
    if (now & EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE)
        io->Attributes(io, EfiPciIoAttributeOperationEnable, EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE, NULL);
    return r;
}

static void tally(const struct pci_fn *fn, bool placed, size_t len_bytes)
{
    struct function_state *s = fn->ctx;

    if (placed)
        s->within_bytes += len_bytes;
    else
        s->elsewhere_bytes += len_bytes;
}

void platform_dma_place(const struct pci_fn *fn, const struct memory_range *ranges, unsigned count)
{
    struct placement *p = fn ? &((struct function_state *)fn->ctx)->place : &place_of_all;

    p->count = (unsigned)min_u64(count, MEMORY_RANGES_MAX);
    memcpy(p->range, ranges, p->count * sizeof *ranges);
}

void platform_dma_tally(const struct pci_fn *fn, uint64_t *within_bytes, uint64_t *elsewhere_bytes)
{
    const struct function_state *s = fn->ctx;

    *within_bytes = s->within_bytes;
    *elsewhere_bytes = s->elsewhere_bytes;
}

int plat_dma_alloc(const struct pci_fn *fn, size_t len_bytes, const struct dma_limits *lim,
                   struct dma_buf *out)
{
    static const struct dma_limits none;
    uint64_t align = 4096, bus = 0;

    *out = (struct dma_buf){ 0 };
    if (!lim)
        lim = &none;
    if (lim->align_bytes > align)
        align = lim->align_bytes;
    /* A block aligned to its own size, rounded up to a power of two, crosses no larger multiple. */
    if (lim->boundary_bytes && len_bytes <= lim->boundary_bytes)
        while (align < len_bytes)
            align *= 2;
    size_t ask = len_bytes + (size_t)(align - 4096);
    struct dma_record *r = dma_record_placed(fn, ask, lim->highest_address, &bus);
    if (!r)
        r = dma_record_new(io_of(fn), ask, &bus);
    if (r && lim->highest_address && bus + ask - 1 > lim->highest_address) {
        dma_record_release(r);
        r = dma_record_low(fn, ask, &bus);
    }
    if (!r)
        return E_NOMEM;
    uint64_t skip = ALIGN_UP(bus, align) - bus;
    if (lim->highest_address && bus + skip + len_bytes - 1 > lim->highest_address) {
        dma_record_release(r);
        return E_NOMEM;
    }
    *out = (struct dma_buf){
        .cpu = (uint8_t *)r->host + skip, .bus = bus + skip, .len_bytes = len_bytes, .ctx = r
    };
    memset(out->cpu, 0, len_bytes);
    tally(fn, r->placed, len_bytes);
    return OK;
}

void plat_dma_free(struct dma_buf *b)
{
    if (b->ctx)
        dma_record_release(b->ctx);
    *b = (struct dma_buf){ 0 };
}

/* The pool gives 8-byte alignment: the real start is kept in the word before ours. */
void *plat_alloc(size_t len_bytes)
{
    void *raw = NULL;

    if (len_bytes > SIZE_MAX - 128 ||
        EFI_ERROR(boot->AllocatePool(EfiBootServicesData, len_bytes + 64 + sizeof(void *), &raw)))
        return NULL;
    uintptr_t at = ALIGN_UP((uintptr_t)raw + sizeof(void *), (uintptr_t)64);
    ((void **)at)[-1] = raw;
    return memset((void *)at, 0, len_bytes);
}

void plat_free(void *p)
{
    if (p)
        boot->FreePool(((void **)p)[-1]);
}

/* Queues are write-back memory and doorbells uncached: x86 keeps stores in order, so only the compiler must.
 */
void plat_dma_publish(void) { __asm__ volatile("" ::: "memory"); }
void plat_dma_observe(void) { __asm__ volatile("" ::: "memory"); }

/* ---- time ---- */

uint64_t plat_now_ns(void) { return clock_now_ns(); }
void plat_relax(void) { __builtin_ia32_pause(); }

void plat_stall_us(uint32_t us)
{
    uint64_t end_ns = clock_now_ns() + us * NS_PER_US;

    while (clock_now_ns() < end_ns)
        plat_relax();
}

/* ---- words ---- */

enum { LOG_LINES = 256, LOG_LINE_BYTES = 200 };
static struct {
    enum log_level level;
    char text[LOG_LINE_BYTES];
} log_ring[LOG_LINES];
static uint64_t log_put, log_taken, log_lost;

void plat_log(enum log_level level, const char *fmt, ...)
{
    struct text t = text_over(log_ring[log_put % LOG_LINES].text, LOG_LINE_BYTES);
    va_list ap;

    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    log_ring[log_put % LOG_LINES].level = level;
    log_put++;
}

bool platform_log_take(enum log_level *level, char *line, size_t cap)
{
    if (log_put - log_taken > LOG_LINES) {
        log_lost += log_put - log_taken - LOG_LINES;
        log_taken = log_put - LOG_LINES;
    }
    if (log_taken == log_put)
        return false;
    *level = log_ring[log_taken % LOG_LINES].level;
    str_copy(line, cap, log_ring[log_taken % LOG_LINES].text);
    log_taken++;
    return true;
}

uint64_t platform_log_lost(void) { return log_lost; }
