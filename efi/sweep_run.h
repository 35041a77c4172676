#ifndef EFI_SWEEP_RUN_H
#define EFI_SWEEP_RUN_H
#include "inventory.h"
#include "medium.h"
#include "plan.h"

/* Runs a plan step by step: engine, live view, journal, medium.  Verdicts of the disks go into the inventory.
 * False: a person stopped it; disks that it was not done with are ABORTED then. */
bool sweep_run(const struct plan *plan, struct inventory *inv, struct medium *m, const struct conf *conf);

#endif
