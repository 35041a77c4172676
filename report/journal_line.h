#ifndef REPORT_JOURNAL_LINE_H
#define REPORT_JOURNAL_LINE_H
#include "journal.h"

/* Between the files of the journal's writer: a line is begun, filled by the event, ended. */
struct line {
    struct journal *journal;
    struct text text;
    struct json_out json;
    uint64_t t_ns;
    const char *ev;
};
struct json_out *journal_line_begin(struct line *l, struct journal *j, const char *ev);
/* only_full: a slow channel gets a line of the same number that says what was left out. */
void journal_line_end(struct line *l, bool only_full);
/* Percentiles of step_end and step_side: the usual ones by `valid` and `ns`, those asked for behind them. */
void journal_line_percentiles(struct json_out *o, uint32_t valid, const uint64_t ns[static PERCENTILE_COUNT],
                              const struct step_asked *asked);

#endif
