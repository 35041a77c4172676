#include "numa.h"
#include "acpi.h"
#include "bits.h"

/* ---- SRAT ---- */
enum { SRAT_FIRST = 48 };
enum { PROCESSOR = 0, MEMORY = 1, X2APIC = 2, INITIATOR = 5 };
enum { ENABLED = 1, NON_VOLATILE = 4, HANDLE_PCI = 1 };
/* Bytes of an entry: shorter ones lack the members that are read. */
static const uint8_t entry_len[] = { [PROCESSOR] = 16, [MEMORY] = 40, [X2APIC] = 24, [INITIATOR] = 32 };

/* The next entry of that kind at or behind *at, which moves on; NULL at the end. */
static const uint8_t *next_entry(const uint8_t *t, size_t len, size_t *at, uint8_t kind)
{
    while (*at + 2 <= len && t[*at + 1] >= 2 && t[*at + 1] <= len - *at) {
        const uint8_t *e = t + *at;

        *at += e[1];
        if (e[0] == kind && e[1] >= entry_len[kind])
            return e;
    }
    return NULL;
}

static bool has_node(const struct numa *n, uint32_t node)
{
    for (unsigned i = 0; i < n->node_count; i++)
        if (n->node[i] == node)
            return true;
    return false;
}

static void take_memory(struct numa *n, const uint8_t *e)
{
    struct numa_range r = { acpi_u64(e + 8), acpi_u64(e + 16), acpi_u32(e + 2) };
    uint32_t flags = acpi_u32(e + 28);

    if (!(flags & ENABLED) || (flags & NON_VOLATILE) || !r.len_bytes || r.base + r.len_bytes < r.base)
        return;
    if (n->range_count == NUMA_MAX_RANGES || (n->node_count == NUMA_MAX_NODES && !has_node(n, r.node))) {
        n->left_out++;
        return;
    }
    if (!has_node(n, r.node))
        n->node[n->node_count++] = r.node;
    n->range[n->range_count++] = r;
}

void numa_read(const void *srat, size_t len, struct numa *out)
{
    size_t at = SRAT_FIRST;
    const uint8_t *e;

    *out = (struct numa){ 0 };
    len = acpi_table_len(srat, len);
    while ((e = next_entry(srat, len, &at, MEMORY)))
        take_memory(out, e);
}

bool numa_node_of_processor(const void *srat, size_t len, uint32_t apic_id, uint32_t *node)
{
    size_t at = SRAT_FIRST;
    const uint8_t *e;

    len = acpi_table_len(srat, len);
    while ((e = next_entry(srat, len, &at, X2APIC)))
        if ((acpi_u32(e + 12) & ENABLED) && acpi_u32(e + 8) == apic_id) {
            *node = acpi_u32(e + 4);
            return true;
        }
    at = SRAT_FIRST;
    while ((e = next_entry(srat, len, &at, PROCESSOR)))
        if ((acpi_u32(e + 4) & ENABLED) && e[3] == apic_id) {
            /* The upper three bytes of the node lie apart from its lowest. */
            *node = e[2] | (acpi_u32(e + 8) & 0xffffff00);
            return true;
        }
    return false;
}

/* The handle of a PCI device: segment, bus, device and function (5.2.16.6). */
bool numa_node_of_function(const void *srat, size_t len, uint16_t segment, uint8_t bus, uint8_t device,
                           uint8_t function, uint32_t *node)
{
    size_t at = SRAT_FIRST;
    const uint8_t *e;

    len = acpi_table_len(srat, len);
    while ((e = next_entry(srat, len, &at, INITIATOR)))
        if (e[3] == HANDLE_PCI && (acpi_u32(e + 24) & ENABLED) && (e[8] | e[9] << 8) == segment &&
            e[10] == bus && e[11] == (uint8_t)(device << 3 | function)) {
            *node = acpi_u32(e + 4);
            return true;
        }
    return false;
}

/* ---- SLIT: how many nodes, then their distances, row by row ---- */
enum { SLIT_COUNT = 36, SLIT_FIRST = 44, NO_DISTANCE = 256, SLIT_UNREACHABLE = 255 };

static unsigned distance(const uint8_t *slit, size_t len, uint32_t from, uint32_t to)
{
    uint64_t count = len >= SLIT_FIRST ? acpi_u64(slit + SLIT_COUNT) : 0;

    if (from >= count || to >= count || count > len)
        return NO_DISTANCE;
    uint64_t at = SLIT_FIRST + from * count + to;
    return at < len && slit[at] != SLIT_UNREACHABLE ? slit[at] : NO_DISTANCE;
}

bool numa_nearest_memory(const struct numa *n, const void *slit, size_t len, uint32_t node, uint32_t *nearest)
{
    unsigned least = NO_DISTANCE + 1;

    if (has_node(n, node)) {
        *nearest = node;
        return true;
    }
    len = acpi_table_len(slit, len);
    for (unsigned i = 0; i < n->node_count; i++) {
        unsigned far = distance(slit, len, node, n->node[i]);

        if (far < least) {
            least = far;
            *nearest = n->node[i];
        }
    }
    return n->node_count != 0;
}
