#ifndef EFI_END_SCREEN_H
#define EFI_END_SCREEN_H
#include "conf.h"
#include "medium.h"

/* The last screen, made from the journal.  sent: where else the results went, "" nowhere. */
void end_screen_show(const struct medium *m, const char *sent);
/* Keeps it for a person: as long as the configuration says, longer after a key.  With no console, or when the
 * machine is to restart or switch off, it returns at once. */
void end_screen_stay(const struct conf *conf);

#endif
