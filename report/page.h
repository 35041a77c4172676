#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H
#include "column.h"
#include "render.h"

/* Plain text for people: 79 columns, ASCII. */
enum { PAGE_COLUMNS = 79 };

/* Hands bytes on unless a write was refused before. */
void render_bytes(struct render_out *o, const char *bytes, size_t len);
/* What is not printable ASCII becomes '?'. */
void page_printable(char *s);
/* One line; what is not printable becomes '?', what does not fit is cut and ends in "..". */
void page_line(struct render_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* `label` at column `indent`, then `text` broken at blanks, its further lines aligned under its first (under
 * a long label: a little further in than the label). */
void page_wrap(struct render_out *o, unsigned indent, const char *label, const char *text);

#endif
