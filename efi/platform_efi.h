#ifndef EFI_PLATFORM_EFI_H
#define EFI_PLATFORM_EFI_H
#include "firmware.h"
#include "platform.h"

/* The product's back end of drivers/platform.h, and what only the application may ask of it. */

/* Fills fn from a handle with EFI_PCI_IO (ids, class, address).  False when it is none or does not answer. */
bool platform_pci_open(EFI_HANDLE handle, struct pci_fn *fn);

/* ---- where buffers lie ---- */
struct memory_range {
    uint64_t base, len_bytes;
};
enum { MEMORY_RANGES_MAX = 8 };
/* From now on buffers of a function come from those ranges, the first one that has room, where limits and
 * firmware allow it; count 0: from anywhere.  fn NULL: of all functions that have no ranges of their own. */
void platform_dma_place(const struct pci_fn *fn, const struct memory_range *ranges, unsigned count);
/* Bytes of buffers so far that lie in the function's ranges, and that had to be taken from elsewhere. */
void platform_dma_tally(const struct pci_fn *fn, uint64_t *within_bytes, uint64_t *elsewhere_bytes);

/* Lines that plat_log put into the ring, oldest first; false when there is none.  Main processor only. */
bool platform_log_take(enum log_level *level, char *line, size_t cap);
uint64_t platform_log_lost(void); /* lines overwritten before they were taken */

#endif
