#ifndef EFI_BLINK_RUN_H
#define EFI_BLINK_RUN_H
#include "inventory.h"

/* False: the configuration asks for no blinking.  Else the disk that it names was read in a rhythm for its
 * time, or a finding says why not; nothing was measured. */
bool blink_run(struct inventory *inv, const struct conf *conf);

#endif
