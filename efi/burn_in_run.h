#ifndef EFI_BURN_IN_RUN_H
#define EFI_BURN_IN_RUN_H
#include "inventory.h"
#include "journal.h"
#include "medium.h"
#include "plan.h"

/* Carries out plan = burn-in and burn-in-readonly: what earlier starts left is resumed, checkpoints go to the
 * medium, verdicts of the drives into the inventory.  False: a person stopped it, or its time was over. */
bool burn_in_run(const struct plan *plan, struct inventory *inv, struct medium *m, const struct conf *conf,
                 const struct machine_info *machine);

#endif
