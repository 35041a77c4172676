#ifndef EFI_MEDIUM_ROOM_H
#define EFI_MEDIUM_ROOM_H
#include "firmware.h"

/* Cuts the journals of runs that were broken off to what they hold: each is as long as what was set aside for
 * it, and a machine that is switched off ten times would fill its stick with that.  True: something was cut.
 * Only when a volume is full, for cutting is the one thing about a journal that a power cut can spoil. */
bool medium_make_room(EFI_FILE_PROTOCOL *root);

#endif
