#ifndef EFI_SCALING_RUN_H
#define EFI_SCALING_RUN_H
#include "plan.h"

/* Keeps what each step of a scaling run read, and tells the curve of each job and controller at the end. */
void scaling_note(const struct plan_step *step, uint64_t bytes_per_s);
void scaling_tell(void);

#endif
