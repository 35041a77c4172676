#ifndef EFI_BURN_IN_EARLIER_H
#define EFI_BURN_IN_EARLIER_H
#include "medium.h"
#include "resume.h"

/* What earlier starts of this machine wrote down: the newest runs on the result volume, a few reads each. */
void burn_in_earlier(struct resume *r, const struct medium *m);

#endif
