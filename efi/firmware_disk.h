#ifndef EFI_FIRMWARE_DISK_H
#define EFI_FIRMWARE_DISK_H
#include "disk.h"
#include "firmware.h"

/* The firmware path: a disk on a controller that we do not drive, read through EFI Block I/O.  Read-only,
 * queue depth 1, one request at a time; results are labelled and kept out of comparisons.  Every call may
 * enter firmware, so its lanes run on the main processor only. */

enum { FIRMWARE_DISKS_MAX = 32 };

/* Whole, fixed disks with medium below `controller`, named fw0, fw1, ...; the boot disk is left out.  Returns
 * how many were added to disks (at most cap).  The disks live until firmware_disks_free. */
unsigned firmware_disks_find(EFI_HANDLE controller_handle, struct controller *controller, struct disk **disks,
                             unsigned cap);
void firmware_disks_free(void);

#endif
