#include <stdlib.h>
#include <string.h>
#include "acpi.h"
#include "numa.h"
#include "test.h"

static uint8_t table[16384];
static struct numa numa;

static void put(size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        table[at + i] = (uint8_t)(v >> 8 * i);
}
static size_t begin(void)
{
    memset(table, 0, sizeof table);
    return 48;
}
static size_t end(size_t at)
{
    put(4, at, 4);
    return at;
}
static size_t memory(size_t at, uint32_t node, uint64_t base, uint64_t len, uint32_t flags)
{
    table[at] = 1;
    table[at + 1] = 40;
    put(at + 2, node, 4);
    put(at + 8, base, 8);
    put(at + 16, len, 8);
    put(at + 28, flags, 4);
    return at + 40;
}
static size_t initiator(size_t at, uint8_t handle, uint32_t node, uint16_t segment, uint8_t bus,
                        uint8_t devfn, uint32_t flags)
{
    table[at] = 5;
    table[at + 1] = 32;
    table[at + 3] = handle;
    put(at + 4, node, 4);
    put(at + 8, segment, 2);
    table[at + 10] = bus;
    table[at + 11] = devfn;
    put(at + 24, flags, 4);
    return at + 32;
}
enum { GIB = 1 << 30 };

TEST(memory_of_nodes_is_read_and_each_node_counts_once)
{
    size_t at = memory(begin(), 0, 0, 0xa0000, 1);

    at = memory(at, 0, 0x100000, GIB, 1);
    at = memory(at, 0x81000002, 4ull * GIB, GIB, 3); /* may be plugged later */
    at = memory(at, 3, 8ull * GIB, GIB, 0);          /* not enabled */
    at = memory(at, 4, 9ull * GIB, GIB, 5);          /* not volatile */
    at = memory(at, 5, 9ull * GIB, 0, 1);            /* empty */
    at = memory(at, 6, UINT64_MAX, 2, 1);            /* wraps */
    numa_read(table, end(at), &numa);
    EQ(numa.node_count, 2);
    EQ(numa.range_count, 3);
    EQ(numa.node[1], 0x81000002);
    CHECK(numa.range[0].node == 0 && numa.range[0].base == 0 && numa.range[0].len_bytes == 0xa0000);
    CHECK(numa.range[1].node == 0 && numa.range[1].base == 0x100000 && numa.range[1].len_bytes == GIB);
    CHECK(numa.range[2].node == 0x81000002 && numa.range[2].base == 4ull * GIB &&
          numa.range[2].len_bytes == GIB);
}

TEST(tables_that_lie_about_their_lengths_end)
{
    size_t at = memory(begin(), 0, 0, GIB, 1), whole = memory(at, 1, GIB, GIB, 1);

    for (size_t len = 0; len <= whole; len++) { /* cut at every byte */
        end(whole);
        uint8_t *copy = malloc(len + 1);
        memcpy(copy, table, len);
        numa_read(copy, len, &numa);
        EQ(numa.node_count, len < at ? 0 : len < whole ? 1 : 2);
        free(copy);
    }
    numa_read(NULL, 4096, &numa);
    EQ(numa.node_count, 0);
    for (unsigned bad = 0; bad < 2; bad++) { /* a length that does not go on */
        table[49] = (uint8_t)bad;
        numa_read(table, whole, &numa);
        EQ(numa.node_count, 0);
    }
    table[49] = 39; /* shorter than its kind: passed over, and the rest is out of step */
    numa_read(table, whole, &numa);
    CHECK(numa.node_count <= 1);
    table[49] = 255; /* longer than the table */
    numa_read(table, whole, &numa);
    EQ(numa.node_count, 0);
}

TEST(more_nodes_and_ranges_than_are_kept_are_counted)
{
    size_t at = begin();

    for (unsigned i = 0; i < NUMA_MAX_NODES + 1; i++)
        at = memory(at, i, (uint64_t)i * GIB, GIB, 1);
    numa_read(table, end(at), &numa);
    EQ(numa.node_count, NUMA_MAX_NODES);
    EQ(numa.left_out, 1);
    at = begin();
    for (unsigned i = 0; i < NUMA_MAX_RANGES + 2; i++)
        at = memory(at, 0, (uint64_t)i * GIB, GIB, 1);
    numa_read(table, end(at), &numa);
    EQ(numa.range_count, NUMA_MAX_RANGES);
    EQ(numa.left_out, 2);
}

TEST(a_processor_is_found_by_either_kind_of_its_number)
{
    size_t at = begin();
    uint32_t node = 99;

    table[at + 0] = 0; /* by local APIC */
    table[at + 1] = 16;
    table[at + 2] = 0x12;
    table[at + 3] = 0xff;
    put(at + 4, 1, 4);
    put(at + 9, 0x876543, 3);
    table[at + 16] = 2; /* by x2APIC */
    table[at + 17] = 24;
    put(at + 20, 7, 4);
    put(at + 24, 0x80000001, 4);
    put(at + 28, 1, 4);
    size_t len = end(at + 40);
    CHECK(numa_node_of_processor(table, len, 0xff, &node) && node == 0x87654312);
    CHECK(numa_node_of_processor(table, len, 0x80000001, &node) && node == 7);
    CHECK(!numa_node_of_processor(table, len, 1, &node));
    put(at + 28, 0, 4); /* not enabled */
    CHECK(!numa_node_of_processor(table, len, 0x80000001, &node));
    CHECK(!numa_node_of_processor(NULL, 0, 0, &node));
}

TEST(a_controller_is_found_by_its_address_among_the_initiators)
{
    uint32_t node = 99;
    size_t at = initiator(begin(), 0, 5, 0, 0x81, 0x08, 1); /* by an ACPI name */

    at = initiator(at, 1, 6, 0, 0x81, 0x08, 0); /* not enabled */
    at = initiator(at, 1, 7, 0x8001, 0x81, 0x08, 1);
    at = initiator(at, 1, 8, 0, 0x81, 0xff, 1);
    size_t len = end(at);
    CHECK(!numa_node_of_function(table, len, 0, 0x81, 1, 0, &node));
    CHECK(numa_node_of_function(table, len, 0x8001, 0x81, 1, 0, &node) && node == 7);
    CHECK(!numa_node_of_function(table, len, 0x8001, 0x08, 1, 0, &node));
    CHECK(numa_node_of_function(table, len, 0, 0x81, 31, 7, &node) && node == 8);
    CHECK(!numa_node_of_function(table, len - 1, 0, 0x81, 31, 7, &node));
}

TEST(the_nearest_memory_of_a_node_without_is_found_by_distance)
{
    static uint8_t slit[44 + 16] = { [4] = 44 + 16, [36] = 4 };
    uint32_t near = 99;
    size_t at = memory(begin(), 0, 0, GIB, 1);

    at = memory(at, 1, GIB, GIB, 1);
    at = memory(at, 2, 2ull * GIB, GIB, 1);
    numa_read(table, end(at), &numa);
    slit[44 + 12] = 31;
    slit[44 + 13] = 12;
    slit[44 + 14] = 255; /* cannot be reached */
    CHECK(numa_nearest_memory(&numa, slit, sizeof slit, 3, &near) && near == 1);
    CHECK(numa_nearest_memory(&numa, slit, sizeof slit, 2, &near) && near == 2); /* has its own */
    CHECK(numa_nearest_memory(&numa, slit, sizeof slit - 3, 3, &near) &&
          near == 0); /* cut: of 12 only 31 is there */
    CHECK(numa_nearest_memory(&numa, slit, sizeof slit, 4, &near) && near == 0); /* beyond the table */
    CHECK(numa_nearest_memory(&numa, NULL, 0, 3, &near) && near == 0);
    memset(slit + 36, 0xff, 8); /* as many nodes as a number can say */
    CHECK(numa_nearest_memory(&numa, slit, sizeof slit, 3, &near) && near == 0);
    numa_read(NULL, 0, &numa);
    CHECK(!numa_nearest_memory(&numa, slit, sizeof slit, 3, &near));
}
