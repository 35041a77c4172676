#ifndef EFI_PLATFORM_EFI_H
#define EFI_PLATFORM_EFI_H
#include "firmware.h"
#include "platform.h"

/* The product's back end of drivers/platform.h, and what only the application may ask of it. */

/* Fills fn from a handle with EFI_PCI_IO (ids, class, address).  False when it is none or does not answer. */
bool platform_pci_open(EFI_HANDLE handle, struct pci_fn *fn);
EFI_HANDLE platform_pci_handle(const struct pci_fn *fn);

/* Lines that plat_log put into the ring, oldest first; false when there is none.  Main processor only. */
bool platform_log_take(enum log_level *level, char *line, size_t cap);
uint64_t platform_log_lost(void); /* lines overwritten before they were taken */

#endif
