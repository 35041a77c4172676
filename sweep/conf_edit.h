#ifndef SWEEP_CONF_EDIT_H
#define SWEEP_CONF_EDIT_H
#include <stddef.h>
#include "text.h"

/* Changes lines of a baresweep.conf and leaves all others, comments too, as they are. */
struct conf_change {
    const char *key;
    const char *value; /* "": the line goes, the default holds */
};
/* The text with those keys taken out wherever they stood (except in [map]) and their new lines at its top,
 * where no section has begun.  to->cut says that it had no room. */
void conf_edit(const char *text, size_t len, const struct conf_change *changes, unsigned count,
               struct text *to);

#endif
