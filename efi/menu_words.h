#ifndef EFI_MENU_WORDS_H
#define EFI_MENU_WORDS_H
#include "medium.h"
#include "settings.h"
#include "views.h"

/* Longer things that the menu does. */

/* The newest earlier run on the result medium as its summary; how many notes were written. */
unsigned menu_earlier_run(const struct medium *m, struct note *notes, unsigned cap);
/* Writes what was chosen into baresweep.conf; what came of it, in words. */
void menu_save(struct medium *m, const struct conf *conf, struct text *outcome);

#endif
