#ifndef EFI_RESUME_RUN_H
#define EFI_RESUME_RUN_H
#include "inventory.h"
#include "plan.h"
#include "settings.h"

/* The run of this machine that a person stopped or a power cut ended, and how this run goes on with it: it
 * takes over the steps that are done, as its own lines with the flag earlier-start, and runs the others.  The
 * earlier run's folder stays as it is.  Steps that write are never taken over, and nothing is armed here: the
 * guard decides about them as in any run. */

/* Looks for it on the result volume: the newest run of this machine in which a step began, if that is
 * unfinished.  Reads files: before the disks are measured. */
void resume_look(const struct medium *m, const struct machine_info *machine);
bool resume_offered(void);
/* "2026-11-30 14:15, 3 of 12 steps done"; "" when nothing is offered. */
const char *resume_title(void);
/* What it will do, in a sentence or two. */
const char *resume_what(void);

/* Plan, time limit and disks as they were.  The plan is to be made anew then.  False: outcome says why not,
 * nothing was changed. */
bool resume_take(struct settings *s, struct inventory *inv, struct text *outcome);
void resume_drop(void);
bool resume_taken(void);
/* Of that plan: the steps that need not run, and how long the others take. */
unsigned resume_done_steps(const struct plan *plan, uint64_t *rest_ns);

/* Into the journal, for the start after this one. */
void resume_note_choice(const struct settings *s, const struct inventory *inv);
/* At the begin of the plan: writes what is taken over.  Returns the number of the journal's last step. */
unsigned resume_carry(const struct plan *plan, struct inventory *inv);
/* Whether that step of the plan, from 0, was taken over. */
bool resume_has(unsigned step);

/* A person stopped the plan in that step, from 0; done: at least one step is. */
void resume_note_stop(unsigned step, const char *why, bool done);
/* Burn-ins resume by themselves: only the hint. */
void resume_note_burn_in_stop(void);
/* For the last screen; "" when there is nothing to resume. */
const char *resume_hint(void);
void resume_end(void);

#endif
