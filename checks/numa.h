#ifndef CHECKS_NUMA_H
#define CHECKS_NUMA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which memory is near which device, from ACPI's SRAT and SLIT (ACPI 6.5, 5.2.16 and 5.2.17).  A node is a
 * proximity domain.  Devices are placed by SRAT's generic initiators only: what _PXM says needs an
 * interpreter of AML, which there is none of here.  Every length is checked. */

enum { NUMA_MAX_NODES = 64, NUMA_MAX_RANGES = 128 };
struct numa_range {
    uint64_t base, len_bytes; /* len_bytes > 0, the end does not wrap */
    uint32_t node;
};
struct numa {
    unsigned node_count; /* nodes that have memory; 0: not told */
    uint32_t node[NUMA_MAX_NODES];
    unsigned range_count;
    struct numa_range range[NUMA_MAX_RANGES];
    unsigned left_out; /* nodes and ranges beyond the limits */
};
/* Enabled, volatile memory of the SRAT.  Memory that can be plugged in later counts: it may be there. */
void numa_read(const void *srat, size_t len, struct numa *out);
/* False: not told. */
bool numa_node_of_processor(const void *srat, size_t len, uint32_t apic_id, uint32_t *node);
bool numa_node_of_function(const void *srat, size_t len, uint16_t segment, uint8_t bus, uint8_t device,
                           uint8_t function, uint32_t *node);
/* The node itself when it has memory, else the one with memory at the smallest distance by SLIT; without a
 * SLIT that tells it, the first one.  False: no node has memory. */
bool numa_nearest_memory(const struct numa *n, const void *slit, size_t len, uint32_t node,
                         uint32_t *nearest);

#endif
