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

/* One more row of a wrapped text in `room` columns: how many characters of *s stand on it; *s is moved to
 * where the next row begins ("" at the end). */
int part_next_row(const char **s, int room);

/* Lines that the caller prepared, from `row` to before `end`: wrapped when all of that fits, else one row
 * each, and when even those are too many, "N more below" on the last row. */
void part_list(struct grid *g, int row, int end, const char (*lines)[120], unsigned count);

/* ---- more than fits: the person moves through it ---- */
struct scroll {
    struct grid *g;
    int row, end;         /* where it is drawn; the last of these rows says where one is */
    unsigned first, seen; /* rows of the whole: the first that is drawn, those put so far */
};
struct scroll scroll_over(struct grid *g, int row, int end, unsigned first);
/* The next row, and what else belongs on it: false when it is not drawn; *row is where it is. */
bool scroll_row(struct scroll *s, int *row);
void scroll_text(struct scroll *s, int hang, enum ink ink, const char *text); /* wrapped */
/* "rows 1-15 of 40, PgDn: more", when there are more than were drawn.  Returns the largest `first` that
 * makes sense. */
unsigned scroll_end(struct scroll *s);

/* A text on a bar of that ink, which reaches from one edge to the other. */
void part_bar(struct grid *g, int row, enum ink ink, const char *s);
/* The keys that work here, on the last row. */
void part_keys(struct grid *g, const char *keys);

#endif
