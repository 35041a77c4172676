#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mfi_internal.h"
#include "smart.h"

/* The parsers of what a drive behind a MegaRAID card says, on bytes in a piece of memory that ends where they
 * end: log pages, sense data, identifiers, SMART pages.  The first byte of the input is the page's number. */

#define REQUIRE(what)                                                                                        \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                       \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t numbers[] = { 0x02, 0x03, 0x05, 0x0d, 0x10, 0x15, 0x2f, 0x00 };
    struct disk_health h = { 0 };
    char designator[64];
    uint8_t *page;

    if (size < 2)
        return 0;
    uint8_t number = numbers[data[0] % ARRAY_COUNT(numbers)];
    size--;
    page = malloc(size);
    memcpy(page, data + 1, size);
    mfi_ata_verdict(page, (uint32_t)size);
    mfi_designator_text(page, (uint32_t)size, designator, sizeof designator);
    page[0] = (uint8_t)((page[0] & 0x80) | number);
    mfi_log_take(page, (uint32_t)size, number, &h);
    mfi_log_take(page, (uint32_t)size, number, &h);
    REQUIRE(!health_knows(&h, HEALTH_MEDIA_ERRORS) || h.value[HEALTH_MEDIA_ERRORS] >= 0);
    if (size >= 2 * SMART_PAGE_BYTES)
        smart_take_attributes(page, page + size - SMART_PAGE_BYTES, &h);
    REQUIRE(memchr(h.note, 0, sizeof h.note));
    free(page);
    return 0;
}
