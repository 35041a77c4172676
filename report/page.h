#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H
#include "render.h"

/* Plain text for people: 79 columns, ASCII. */
enum { PAGE_COLUMNS = 79 };

/* Hands bytes on unless a write was refused before. */
void out_bytes(struct render_out *o, const char *bytes, size_t len);
/* One line; what is not printable becomes '?', what does not fit is cut and ends in "..". */
void page_line(struct render_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* `label` at column `indent`, then `text` broken at blanks, its further lines aligned under its first. */
void page_wrap(struct render_out *o, unsigned indent, const char *label, const char *text);

/* ---- columns ---- */
/* `word` so that it ends before column `end`; a longer one takes more. */
void put_right(struct text *t, size_t end, const char *word);
/* `word` from column `begin` on, cut to `width` with ".." at its end. */
void put_left(struct text *t, size_t begin, size_t width, const char *word);
/* v / 10^decimals in at most `width` (>= 6) characters: decimals go first, then thousands become k, M, G ...
 */
void put_number_in(struct text *t, uint64_t v, unsigned decimals, size_t width);
/* A duration in at most 10 characters. */
void put_duration_in(struct text *t, uint64_t ns);

#endif
