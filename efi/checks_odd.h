#ifndef EFI_CHECKS_ODD_H
#define EFI_CHECKS_ODD_H
#include "inventory.h"

/* After the last step, with the links already in the journal: the odd one among like drives becomes a
 * finding. */
void checks_odd(struct inventory *inv);

#endif
