#ifndef EFI_RAID_REPORT_H
#define EFI_RAID_REPORT_H
#include "disk.h"
#include "inventory.h"

/* A RAID card, its virtual drives and the drives behind it as lines of the journal; nothing for a controller
 * that is none.  After the controller's and its disks' own lines. */
void raid_journal(const struct controller *c);

/* Lights the locate LED of a drive behind a RAID card for so long; false: this one has none that can be lit.
 */
bool raid_locate(struct inventory *inv, struct disk *d, unsigned seconds);

#endif
