#ifndef EFI_BURN_IN_PAGE_H
#define EFI_BURN_IN_PAGE_H
#include "burn_in.h"
#include "views.h"

/* What a drive's own page says of its burn-in; how many notes were written (at most max). */
unsigned burn_in_page_facts(const struct burn_in_drive *d, struct note *notes, unsigned max);

#endif
