#include "numa_run.h"
#include "board.h"
#include "numa.h"
#include "platform_efi.h"
#include "record.h"

/* EDKII_IOMMU_PROTOCOL: buffers that are not its own may not be mapped under memory encryption. */
static EFI_GUID guid_iommu = {
    0x4e939de9, 0xd948, 0x4b0f, { 0x88, 0xed, 0xe6, 0xe1, 0xce, 0x51, 0x7c, 0x1e }
};

static struct numa numa;
static struct {
    const void *srat, *slit;
    size_t srat_len, slit_len;
    bool has_iommu;
    bool has_home;
    uint32_t home; /* of the processor that runs this */
} here;

static uint32_t apic_id(void)
{
    uint32_t a = 0, b, c, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    if (a >= 0xb) { /* x2APIC id, when the leaf has anything to say */
        a = 0xb;
        c = 0;
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        if (b & 0xffff)
            return d;
    }
    a = 1;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return b >> 24;
}

static bool is_several(void) { return numa.node_count > 1; }

/* The largest ranges of the node. */
static void place(const struct pci_fn *fn, uint32_t node)
{
    struct memory_range ranges[MEMORY_RANGES_MAX];
    unsigned count = 0;

    for (unsigned i = 0; i < numa.range_count; i++) {
        const struct numa_range *r = &numa.range[i];
        unsigned at;

        if (r->node != node)
            continue;
        if (count < MEMORY_RANGES_MAX)
            count++;
        else if (ranges[count - 1].len_bytes >= r->len_bytes)
            continue;
        for (at = count - 1; at && ranges[at - 1].len_bytes < r->len_bytes; at--)
            ranges[at] = ranges[at - 1];
        ranges[at] = (struct memory_range){ r->base, r->len_bytes };
    }
    platform_dma_place(fn, ranges, count);
}

static bool node_of(const struct pci_fn *fn, uint32_t *node)
{
    return numa_node_of_function(here.srat, here.srat_len, fn->segment, fn->bus, fn->device, fn->function,
                                 node);
}

void numa_prepare(void)
{
    UINTN count;
    EFI_HANDLE *handles;
    VOID *iommu;
    uint32_t node;

    here.srat = board_acpi_table("SRAT", &here.srat_len);
    here.slit = board_acpi_table("SLIT", &here.slit_len);
    numa_read(here.srat, here.srat_len, &numa);
    here.has_iommu = !EFI_ERROR(boot->LocateProtocol(&guid_iommu, NULL, &iommu));
    if (!is_several() || here.has_iommu)
        return;
    here.has_home = numa_node_of_processor(here.srat, here.srat_len, apic_id(), &node) &&
                    numa_nearest_memory(&numa, here.slit, here.slit_len, node, &here.home);
    if (here.has_home)
        place(NULL, here.home);
    handles = firmware_handles(&guid_pci_io, &count);
    for (UINTN i = 0; handles && i < count; i++) {
        struct pci_fn fn;

        if (platform_pci_open(handles[i], &fn) && node_of(&fn, &node) &&
            numa_nearest_memory(&numa, here.slit, here.slit_len, node, &node))
            place(&fn, node);
    }
    if (handles)
        boot->FreePool(handles);
}

static bool is_uncontrolled(const struct controller *c)
{
    uint64_t within, elsewhere;
    uint32_t node;

    if (here.has_iommu || !c || !c->fn || !node_of(c->fn, &node))
        return true;
    platform_dma_tally(c->fn, &within, &elsewhere);
    return elsewhere != 0;
}

bool numa_is_uncontrolled(const struct disk *d) { return is_several() && is_uncontrolled(d->controller); }

void numa_judge(const struct inventory *inv)
{
    uint64_t within = 0, elsewhere = 0, w, e;
    unsigned driven = 0, known = 0, uncontrolled = 0;
    char where[80] = "where the firmware puts them";
    uint32_t node;

    for (unsigned i = 0; is_several() && i < inv->controller_count; i++) {
        const struct known_controller *c = &inv->controllers[i];

        if (!c->driven)
            continue;
        driven++;
        known += node_of(&c->fn, &node);
        uncontrolled += is_uncontrolled(c->driven);
        platform_dma_tally(&c->fn, &w, &e);
        within += w;
        elsewhere += e;
    }
    if (!driven)
        return;
    if (here.has_home)
        str_fmt(where, sizeof where, "on node %u, that of the processor that runs this program", here.home);
    if (!uncontrolled)
        record_finding("numa-controlled", FINDING_PASS, "run", NULL,
                       "%u memory nodes; the buffers (%llu KiB) lie on the nodes of their %u controllers",
                       numa.node_count, (unsigned long long)(within >> 10), driven);
    else
        record_finding(
            "numa-not-controlled", FINDING_INFO, "run", NULL,
            "%u memory nodes; the firmware's table names the node of %u of %u controllers; buffers of the "
            "others lie %s; %llu of %llu KiB lie where they were wanted%s",
            numa.node_count, known, driven, where, (unsigned long long)(within >> 10),
            (unsigned long long)((within + elsewhere) >> 10),
            here.has_iommu ? "; an IOMMU driver of the firmware keeps them" : "");
}
