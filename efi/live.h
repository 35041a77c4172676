#ifndef EFI_LIVE_H
#define EFI_LIVE_H
#include "engine.h"
#include "inventory.h"
#include "plan.h"
#include "views.h"

/* What a person sees and may do while the plan runs.  Everything here may call firmware: it is called in
 * holds of the engine and between steps only, and takes less than a hundredth of the time (attention.h).
 * Without console and keyboard all of it does nothing. */

/* The plan begins.  estimate_ns: of all that is to run. */
void live_begin(struct inventory *inv, unsigned steps, uint64_t estimate_ns);
/* Draws the first step that is to run as it waits, so that later pictures only change this one. */
void live_waits(const struct plan *plan);
/* In place of steps: what a burn-in shows.  Its values may change until live_end; keys move in it and draw it
 * when live_attend is called.  page: the disk of a lane, and what its own page says (at most max notes). */
struct live_page {
    const struct disk *(*disk)(unsigned lane);
    unsigned (*facts)(unsigned lane, struct note *notes, unsigned max);
};
void live_burn_in(const struct sweep_view *v, const struct live_page *page);
/* A step begins; draws when it is long enough to be watched.  number: of the plan, from 1; round: of a step
 * that is repeated, from 1, else 0. */
void live_step(struct engine *e, const struct plan_step *step, unsigned number, unsigned round);
/* Whether the running step should be held: for a new picture, or to look at the keyboard.  Never in a step
 * that is shorter than four seconds.  Calls no firmware. */
bool live_hold_is_due(void);
/* In a hold, and between steps: keys, then the picture. */
void live_attend(void);
/* A person left before the run began: none of its steps will. */
void live_stop(void);
/* Whether a person wants the run to end: once true, always. */
bool live_stopped(void);
/* What a lane measured, for the chart of its disk. */
void live_result(const struct disk *d, const struct step_result *r);
/* The step is measured and reported; its engine may go. */
void live_step_end(void);
/* Says in the journal and on serial what drawing and keys took. */
void live_end(void);

#endif
