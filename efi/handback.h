#ifndef EFI_HANDBACK_H
#define EFI_HANDBACK_H
#include "inventory.h"

/* Does firmware's own driver read the same data again after we gave a controller back?
 *
 * handback_note remembers what must be found (call while disks still exist); handback_check starts firmware's
 * drivers on each controller that we drove, reads the head of every disk through Block I/O and compares
 * checksums.  A controller for which firmware has no driver is said to be so. */
void handback_note(const struct inventory *inv);
void handback_check(const struct inventory *inv);

#endif
