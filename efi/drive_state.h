#ifndef EFI_DRIVE_STATE_H
#define EFI_DRIVE_STATE_H
#include "inventory.h"

/* What drives say about themselves: into the journal, and tested by themselves. */

/* when: "before" or "after" the run. */
void drive_state_journal(const struct disk *d, const struct disk_health *h, const char *when);

/* The drives' own self-tests, where the configuration asks for them: all side by side, with progress on the
 * serial port, bounded by what each drive says it takes.  Findings, or NOT-TESTED with the reason. */
void drive_self_tests(struct inventory *inv, const struct conf *conf);

#endif
