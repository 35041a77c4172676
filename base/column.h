#ifndef BASE_COLUMN_H
#define BASE_COLUMN_H
#include "text.h"

/* Words and numbers in columns of a fixed width: for pages and screens, where nothing may run into its
 * neighbour. */

/* Pads so that `word` ends before column `end`; a longer one stands after one blank. */
void column_right(struct text *t, size_t end, const char *word);
/* Pads to column `begin`, then at most `width` (>= 3) characters of `word`; ".." stands for a cut end. */
void column_left(struct text *t, size_t begin, size_t width, const char *word);
/* The same for names, of which the end tells more than the middle: "megaraid0.pd32" in 10 is "megara..32". */
void column_name(struct text *t, size_t begin, size_t width, const char *name);
/* v / 10^decimals in at most `width` (>= 6) characters: decimals go first, then thousands become k, M, G ...
 */
void column_number(struct text *t, uint64_t v, unsigned decimals, size_t width);
/* A duration in at most 10 characters. */
void column_duration(struct text *t, uint64_t ns);

#endif
