#ifndef NET_STATE_SURE_H
#define NET_STATE_SURE_H
#include <stdbool.h>
#include <stddef.h>
#include "text.h"

/* The way to a server that keeps one text, whatever the protocol.  Both return OK or a negative enum err,
 * with words in `why`. */
struct state_wire {
    void *ctx;
    int (*put)(void *ctx, const char *text, size_t len, struct text *why);
    /* *text is released by the next function, also when it is empty; on failure there is none. */
    int (*get)(void *ctx, char **text, size_t *len, struct text *why);
    void (*release)(void *ctx, char *text);
};
/* OK only when the server took the text and gives it back byte by byte; E_PROTO: it gives something else. */
int state_put_sure(const struct state_wire *w, const char *text, size_t len, struct text *why);

#endif
