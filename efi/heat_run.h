#ifndef EFI_HEAT_RUN_H
#define EFI_HEAT_RUN_H
#include "engine.h"
#include "heat.h"
#include "inventory.h"
#include "plan.h"

/* Temperatures while disks work: asked only while the engine holds, or after a step. */

enum {
    HEAT_EVERY_S = 10,      /* a disk is asked at most so often */
    HEAT_HOLD_EVERY_S = 30, /* a step that is held for nothing else is held for this */
    HEAT_HOLD_MS = 100      /* a hold asks no further disk after so long; the next one goes on */
};
void heat_step_begin(const struct inventory *inv, const struct plan_step *step);
/* Whether the step should be held for this alone. */
bool heat_hold_is_due(void);
/* While the engine holds: asks the disks of the step that are due and have nothing in flight. */
void heat_hold(const struct engine *e);
/* The step's work is done: asks those that are due once more, without a limit of time. */
void heat_step_measured(void);
/* Whether that disk slowed itself down in the step. */
bool heat_disk_slowed(const struct disk *d);
/* What the disk said last, in this step or before it; NULL: it tells nothing. */
const struct disk_health *heat_last(const struct disk *d);
/* Lines of the journal, and a finding per disk the first time that it slows down or is too hot. */
void heat_step_end(struct inventory *inv, unsigned step_number, const char *title);

#endif
