#ifndef RACK_SPAN_H
#define RACK_SPAN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which line numbers of a run are known: sorted spans that neither touch nor overlap.  A whole journal is
 * one. */
struct span {
    uint64_t first, last;
};
struct spans {
    struct span *span;
    size_t count, cap;
    bool changed;
};
bool spans_has(const struct spans *s, uint64_t seq);
/* False: out of memory, nothing changed. */
bool spans_add_range(struct spans *s, uint64_t first, uint64_t last);
void spans_clear(struct spans *s);
void spans_free(struct spans *s);

#endif
