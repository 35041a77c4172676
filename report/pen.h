#ifndef REPORT_PEN_H
#define REPORT_PEN_H
#include <stdint.h>
#include "journal.h"
#include "page.h"

/* Writes a text in small pieces and hands it on in larger ones: in the application each write is a call of
 * the firmware. */
enum { PEN_BYTES = 320 };
struct pen {
    struct render_out *out;
    size_t used;
    char buf[PEN_BYTES];
};
void pen_start(struct pen *p, struct render_out *out);
/* Hands on what is left. */
void pen_end(struct pen *p);

/* ---- as it stands: our own words and digits ---- */
void pen_bytes(struct pen *p, const char *bytes, size_t len);
void pen_str(struct pen *p, const char *s);
void pen_u64(struct pen *p, uint64_t v);
/* v / 10^decimals */
void pen_fixed(struct pen *p, uint64_t v, unsigned decimals);
/* At most 199 bytes. */
void pen_fmt(struct pen *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- text of anybody, for HTML and XML: elements' content and values of attributes ---- */
/* & < > " ' become references.  Control characters, what turns the direction of writing and bytes that are no
 * UTF-8 become '?'. */
void pen_escaped(struct pen *p, const char *s);
/* A member's text, at most 800 bytes of it; false: it says nothing. */
bool pen_member(struct pen *p, const struct journal_line *l, const char *key);
/* A number's digits as they stand in the journal; anything else is left out. */
void pen_digits(struct pen *p, const struct json_value *object, const char *key);

#endif
