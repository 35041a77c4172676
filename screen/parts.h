#ifndef SCREEN_PARTS_H
#define SCREEN_PARTS_H
#include "grid.h"
#include "verdict.h"

/* What all views are made of.  The last column stays free: some consoles wrap when it is written. */
int part_width(const struct grid *g);

enum ink part_verdict_ink(enum verdict v);

/* Text in a field of `width` columns, shortened with "..": at its end, or (a name) before its end. */
void part_text(struct grid *g, int row, int column, int width, enum ink ink, const char *s);
void part_name(struct grid *g, int row, int column, int width, enum ink ink, const char *s);
void part_right(struct grid *g, int row, int column, int width, enum ink ink, const char *s);

/* Text broken at blanks over at most max_rows rows, further ones indented by `hang`; the last is shortened
 * when that does not do.  Returns the rows used (at least 1). */
int part_wrapped(struct grid *g, int row, int max_rows, int hang, enum ink ink, const char *s);
/* How many rows that takes when there is no limit. */
int part_rows_needed(const struct grid *g, int hang, const char *s);

/* Lines that the caller prepared, from `row` to before `end`: wrapped when all of that fits, else one row
 * each, and when even those are too many, "N more below" on the last row. */
void part_list(struct grid *g, int row, int end, const char (*lines)[120], unsigned count);

#endif
