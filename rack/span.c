#include "span.h"
#include <stdlib.h>
#include <string.h>

/* The first span that ends at or behind seq. */
static size_t find(const struct spans *s, uint64_t seq)
{
    size_t low = 0, high = s->count;

    if (high && s->span[high - 1].last < seq)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->span[middle].last < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool spans_has(const struct spans *s, uint64_t seq)
{
    size_t i = find(s, seq);

    return i < s->count && s->span[i].first <= seq;
}

static bool make_room(struct spans *s)
{
    size_t cap = s->cap ? s->cap * 2 : 16;
    struct span *more;

    if (s->count < s->cap)
        return true;
    more = realloc(s->span, cap * sizeof *more);
    if (!more)
        return false;
    s->span = more;
    s->cap = cap;
    return true;
}

bool spans_add_range(struct spans *s, uint64_t first, uint64_t last)
{
    /* A span that ends just before touches. */
    size_t i = find(s, first ? first - 1 : 0), end = i;

    while (end < s->count && (s->span[end].first <= last || s->span[end].first - 1 == last))
        end++;
    if (end == i) {
        if (!make_room(s))
            return false;
        memmove(s->span + i + 1, s->span + i, (s->count - i) * sizeof s->span[0]);
        s->span[i] = (struct span){ first, last };
        s->count++;
    } else {
        if (first < s->span[i].first)
            s->span[i].first = first;
        if (s->span[end - 1].last > last)
            last = s->span[end - 1].last;
        s->span[i].last = last;
        memmove(s->span + i + 1, s->span + end, (s->count - end) * sizeof s->span[0]);
        s->count -= end - i - 1;
    }
    s->changed = true;
    return true;
}

void spans_clear(struct spans *s)
{
    s->count = 0;
    s->changed = false;
}

void spans_free(struct spans *s)
{
    free(s->span);
    *s = (struct spans){ 0 };
}
