#ifndef EFI_LOOK_AROUND_H
#define EFI_LOOK_AROUND_H
#include "inventory.h"

/* Between steps: asks every driver that can tell what came, went or changed; new remarks (also those of the
 * step) become findings, and a disk that is gone fails. */
void look_around(struct inventory *inv);

#endif
