#ifndef EFI_GUARD_RUN_H
#define EFI_GUARD_RUN_H
#include "guard.h"
#include "inventory.h"
#include "journal.h"
#include "plan.h"
#include "settings.h"

/* The write guard's part of a run (sweep/guard.h decides, docs/safety.md promises). */

/* After the inventory: reads the arming file that the configuration names and what is on record as used up.
 * All of it stays the caller's, until guard_run_finish. */
void guard_run_begin(struct inventory *inv, const struct settings *settings, const struct medium *m,
                     const struct machine_info *machine);
/* Before each plan that is made, nothing in flight: looks at what each wanted disk holds that was not looked
 * at yet (reads only, at most ten seconds each), into the journal; decides for it, and opens the gate
 * when it has a permit.  With a person at hand permits await the word. */
void guard_run_decide(void);
/* Once more for those without a permit: somebody came (conf.attended), or chose other disks. */
void guard_run_reconsider(void);
/* Whether a step of the plan writes to the disk. */
bool guard_run_plan_writes(const struct plan *plan, const struct disk *d);
/* When the choice of disks and plan is final: asks for the word, once for each screenful of disks that the
 * plan writes and whose permits await it.  True: decisions changed, the plan is to be made anew. */
bool guard_run_confirm(const struct plan *plan);
/* When the plan is made, before its first step: for each disk that it writes, the arming goes on record as
 * used up, the journal with it, and the mark onto the disk, whose first and last MiB are zeroed.  Whatever of
 * this fails takes the permit back.  Disks that the plan does not write lose their permit. */
void guard_run_commit(const struct plan *plan, struct medium *m);
/* What is to become of a disk that was written, its data and its mark; until somebody says so,
 * GUARD_LEAVE_DATA. */
void guard_run_leave(const struct disk *d, enum guard_leave how);
/* At the end, lanes closed: does that.  A disk that broke down or whose work was ABORTED keeps its mark as it
 * is. */
void guard_run_finish(void);

/* The id by which the arming file names this disk, whether it may be written or not; "" when it does not. */
const char *guard_run_arming(const struct disk *d);

/* For the screen: what a disk was found to hold, nothing when nobody looked; what the arming file arms and
 * what is still asked for. */
void guard_run_content(const struct disk *d, struct text *out);
void guard_run_arming_words(struct text *out);

#endif
