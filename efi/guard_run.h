#ifndef EFI_GUARD_RUN_H
#define EFI_GUARD_RUN_H
#include "inventory.h"
#include "journal.h"
#include "plan.h"
#include "settings.h"

/* The write guard's part of a run (sweep/guard.h decides, docs/safety.md promises). */

/* After the inventory, nothing in flight: looks at what every readable disk holds (reads only, at most about
 * two seconds each), into the journal; reads the arming file that the configuration names; decides for each
 * disk, asking a person for the word when one is there; opens the gate for those with a permit, so that a
 * plan can be made. */
void guard_run_decide(struct inventory *inv, const struct settings *settings, const struct medium *m,
                      const struct machine_info *machine);
/* What the disk was found to hold, in words; nothing when it was not looked at. */
void guard_run_content(const struct inventory *inv, const struct disk *d, struct text *words);
/* When the plan is made, before its first step: for each disk that it writes, the arming goes on record as
 * used up, the journal with it, and the mark onto the disk, whose first and last MiB are zeroed.  Whatever of
 * this fails takes the permit back.  Disks that the plan does not write lose their permit. */
void guard_run_commit(const struct plan *plan, const struct conf *conf, struct inventory *inv,
                      struct medium *m);
/* At the end, lanes closed: the mark of each disk that was written says finished, or goes away with the rest
 * of the head when the disk is to be left blank.  A disk that failed keeps its mark as it is. */
void guard_run_finish(struct inventory *inv, bool leave_blank);

#endif
