#ifndef EFI_GUARD_RECORD_H
#define EFI_GUARD_RECORD_H
#include "arming.h"
#include "medium.h"

/* Where it is on record which armings are used up: the file `baresweep.spent` of the result volume, and what
 * the server of `state` remembers of this machine.  The other volumes that could have taken the results of an
 * earlier start are looked at, too, so that a stick that was full then hides nothing. */

/* Reads what there is about the armings of this batch.  The medium stays the caller's. */
void guard_record_begin(const struct medium *m, const struct arming_batch *batch);
/* What is put on record now will be known at the next start. */
bool guard_record_keeps(void);
bool guard_record_spent(const char *arming_id);
/* True: each place that keeps the record has it and gave it back.  False: `why`, nothing may be written. */
bool guard_record_put(const char *arming_id, struct text *why);

#endif
