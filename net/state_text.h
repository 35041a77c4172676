#ifndef NET_STATE_TEXT_H
#define NET_STATE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

/* What is remembered of a machine between runs, when a server keeps it: named parts in one text, each read
 * and written by whoever needs it.
 *
 *     baresweep-state 1
 *     part responders 512
 *     ...512 bytes...
 *     part burnin 1034
 *
 * After each part's bytes a newline. */
enum { STATE_NAME_MAX = 24 };
struct state_part {
    char name[STATE_NAME_MAX];
    const char *text;
    size_t len;
};
/* The part that begins at *at (0: the first one) and moves on; false at the end, and where the text is not as
 * above: what stands before it is good. */
bool state_next(const char *text, size_t len, size_t *at, struct state_part *out);
/* It is as above to its last byte: what is not there was never kept. */
bool state_is_whole(const char *text, size_t len);
bool state_find(const char *text, size_t len, const char *name, struct state_part *out);
/* Writes `old` with one part replaced, added, or (len 0) removed.  The new length; 0: it does not fit `cap`,
 * or the name is empty, too long or has blanks. */
size_t state_replace(const char *old, size_t old_len, const struct state_part *part, char *out, size_t cap);

#endif
