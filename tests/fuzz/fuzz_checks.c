#include <stdlib.h>
#include <string.h>
#include "acpi.h"
#include "expect.h"
#include "numa.h"
#include "responders.h"
#include "smbios.h"
#include "spd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(cond)                                                                                        \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            abort();                                                                                         \
    } while (0)

/* What firmware, a memory module, a file on the stick or a person wrote: the first byte says to whom it goes.
 */

static void ended(const char *s, size_t cap) { REQUIRE(memchr(s, 0, cap)); }

static void fuzz_smbios(const void *table, size_t len)
{
    static struct board_facts b;

    smbios_read(table, len, &b);
    REQUIRE(b.slot_count <= BOARD_MAX_SLOTS && b.modules <= b.sockets);
    ended(b.maker, sizeof b.maker);
    ended(b.product, sizeof b.product);
    for (unsigned i = 0; i < b.slot_count; i++)
        ended(b.slots[i].name, sizeof b.slots[i].name);
}

/* The same bytes stand for both tables. */
static void fuzz_numa(const void *table, size_t len)
{
    static struct numa n;
    uint32_t node, nearest;

    numa_read(table, len, &n);
    REQUIRE(n.node_count <= NUMA_MAX_NODES && n.range_count <= NUMA_MAX_RANGES);
    for (unsigned i = 0; i < n.range_count; i++)
        REQUIRE(n.range[i].base + n.range[i].len_bytes > n.range[i].base);
    numa_node_of_processor(table, len, 0, &node);
    numa_node_of_function(table, len, 0, 0, 0, 0, &node);
    if (numa_nearest_memory(&n, table, len, 1, &nearest))
        REQUIRE(n.node_count);
}

static void fuzz_acpi(const void *table, size_t len)
{
    hest_is_firmware_first(table, len);
    fuzz_numa(table, len);
    mcfg_bus_address(table, len, 0, 0);
    mcfg_bus_address(table, len, 1, 255);
}

static void fuzz_spd(const void *bytes, size_t len)
{
    if (len < SPD_BYTES)
        return;
    spd_class_text(spd_class_of(bytes));
    spd_mib(bytes);
}

static void fuzz_record(const void *text, size_t len)
{
    static char file[RESPONDER_FILE_BYTES];
    static struct finding found[2];
    struct finding_list list = { .at = found, .capacity = 2 };
    struct responder_map m, again;

    if (!responders_newest(text, len, &m))
        return;
    responders_file(text, len, &m, file);
    REQUIRE(responders_newest(file, sizeof file, &again));
    REQUIRE(!memcmp(m.kind, again.kind, sizeof m.kind) && m.trouble == again.trouble);
    responders_compare(&again, &m, &list);
    REQUIRE(list.count == 0);
}

static void fuzz_expect(const void *text, size_t len)
{
    static struct finding found[8];
    static const struct expect_disk disk = {
        .name = "sata0.0", .model = "WDC WD40", .firmware = "82", .usable = true
    };
    struct finding_list list = { .at = found, .capacity = 8 };
    char words[200], why[300];
    struct text t = text_over(why, sizeof why);

    len = len < sizeof words ? len : sizeof words - 1;
    memcpy(words, text, len);
    words[len] = 0;
    const struct expect_words e = { words, words, words, words };
    expect_check(&e, &t);
    expect_judge_disks(&e, &disk, 1, &list);
    expect_judge_floors(&e, &disk, 1, &list);
    expect_judge_links(&e, &(struct expect_link){ "nvme0", true, 1, 1 }, 1, &list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const to[])(const void *, size_t) = { fuzz_smbios, fuzz_acpi, fuzz_spd, fuzz_record,
                                                        fuzz_expect };
    uint8_t *exact;

    if (size < 2)
        return 0;
    exact = malloc(size - 1);
    memcpy(exact, data + 1, size - 1);
    to[data[0] % (sizeof to / sizeof to[0])](exact, size - 1);
    free(exact);
    return 0;
}
