#ifndef RACK_MARKUP_H
#define RACK_MARKUP_H
#include <stdio.h>

/* What a device, a file or a person said, as text of a page: nothing in it is markup, controls and the
 * characters that turn the direction of writing become '?'. */
void markup_text(FILE *to, const char *s);
/* printf of numbers and of our own words only. */
extern const char markup_style[];

#endif
