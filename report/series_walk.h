#ifndef REPORT_SERIES_WALK_H
#define REPORT_SERIES_WALK_H
#include "journal.h"

/* The points of a `series` or `side_series` line, in order. */
enum series_value { SERIES_IOS, SERIES_BYTES, SERIES_MAX_NS, SERIES_MEAN_NS, SERIES_VALUE_COUNT };
struct series_walk {
    struct json_value list[SERIES_VALUE_COUNT];
    size_t cursor[SERIES_VALUE_COUNT];
    bool has[SERIES_VALUE_COUNT];
    uint64_t interval_ns, run_ns, at_ns;
};
struct series_step {
    uint64_t value[SERIES_VALUE_COUNT]; /* 0 where the line says nothing */
    uint64_t end_ns, length_ns;         /* since measuring began */
};
/* run_ns: the measured time of its step_end.  A line without a usable interval has no points. */
void series_walk_start(struct series_walk *w, const struct journal_line *series, uint64_t run_ns);
/* The last point may have lasted for less than an interval; of less than half of one it is left out. */
bool series_walk_next(struct series_walk *w, struct series_step *out);

#endif
