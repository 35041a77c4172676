#include "series_walk.h"
#include "bits.h"
#include "runs.h"

void series_walk_start(struct series_walk *w, const struct journal_line *series, uint64_t run_ns)
{
    static const char *const keys[SERIES_VALUE_COUNT] = { "ios", "bytes", "max_ns", "mean_ns" };

    *w = (struct series_walk){ .interval_ns = event_u64(series, "interval_ns"), .run_ns = run_ns };
    for (unsigned i = 0; i < SERIES_VALUE_COUNT; i++)
        w->has[i] = json_member(&series->body, keys[i], &w->list[i]) && w->list[i].kind == JSON_ARRAY;
}

bool series_walk_next(struct series_walk *w, struct series_step *out)
{
    struct json_value v;
    bool any = false;

    *out = (struct series_step){ 0 };
    if (!w->interval_ns || w->at_ns >= w->run_ns)
        return false;
    for (unsigned i = 0; i < SERIES_VALUE_COUNT; i++) {
        w->has[i] =
            w->has[i] && json_next(&w->list[i], &w->cursor[i], NULL, &v) && json_to_u64(&v, &out->value[i]);
        any |= w->has[i];
    }
    out->length_ns = min_u64(w->interval_ns, w->run_ns - w->at_ns);
    if (!any || (out->length_ns < w->interval_ns / 2 && w->at_ns))
        return false;
    w->at_ns += out->length_ns;
    out->end_ns = w->at_ns;
    return true;
}
