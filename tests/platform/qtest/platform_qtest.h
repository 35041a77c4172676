#ifndef TESTS_PLATFORM_QTEST_H
#define TESTS_PLATFORM_QTEST_H
#include "platform.h"

/* drivers/platform.h over QEMU's own device models, driven from this process: QEMU runs with stopped
 * processors and its qtest socket; guest memory is a file that both sides map, so DMA memory is a pointer
 * here and a guest-physical address there.  Addresses differ by construction. */

/* Starts QEMU with the given device arguments (NULL-terminated), maps memory, enumerates bus 0 and gives
 * every memory BAR an address.  False with a message in qtest_problem() when QEMU cannot be started. */
bool qtest_start(const char *const *device_args);
const char *qtest_problem(void);
/* Ends QEMU; false when its log of guest errors (-d guest_errors) is not empty: *what gets the first line. */
bool qtest_stop(char *what, size_t cap);

/* The n-th function (0-based) with these ids; NULL when there is none. */
struct pci_fn *qtest_pci_find(uint16_t vendor_id, uint16_t device_id, unsigned n);

/* Allocations, mappings and enabled functions not given back. */
long qtest_live_allocs(void);

/* A sparse disk image of that size in the test's folder in which every 512-byte block up to stamped_bytes
 * (and as many at the end) differs, as qemu-tests/machine.py makes them; returns its path (static, one per
 * name). */
const char *qtest_disk(const char *name, uint64_t size_bytes, uint64_t stamped_bytes);
/* What that image holds. */
void qtest_disk_read(const char *name, uint64_t offset, void *buf, size_t len);

#endif
