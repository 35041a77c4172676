#include "repeats.h"
#include "bits.h"
#include "str.h"

/* Findings that each step makes anew. */
static const char *const of_each_step[] = { "io-error",      "io-timeout",   "io-retries",  "slow-request",
                                            "burn-in-error", "burn-in-warm", "cache-switch" };

static bool is_of_each_step(const struct journal_line *l)
{
    for (unsigned i = 0; i < ARRAY_COUNT(of_each_step); i++)
        if (event_is(l, "code", of_each_step[i]))
            return true;
    return false;
}

/* Both have the member, and its value is spelled alike. */
static bool same_member(const struct journal_line *a, const struct journal_line *b, const char *key)
{
    struct json_value x, y;

    return json_member(&a->body, key, &x) && json_member(&b->body, key, &y) && x.len == y.len &&
           !memcmp(x.at, y.at, x.len);
}

unsigned finding_times(const struct run *run, const struct journal_line *finding)
{
    bool of_step = is_of_each_step(finding);
    struct run_lines lines;
    struct journal_line l;
    char subject[28];
    unsigned times = 0;

    if (!event_str(finding, "subject", subject, sizeof subject))
        return 1;
    run_lines_of(&lines, run, subject);
    while (run_lines_find(&lines, "finding", &l)) {
        if (!same_member(&l, finding, "subject") || !same_member(&l, finding, "code") ||
            !same_member(&l, finding, "level") || (!of_step && !same_member(&l, finding, "seen")))
            continue;
        if (!times && l.seq < finding->seq)
            return 0;
        times++;
    }
    return max_u64(times, 1);
}

void finding_times_words(unsigned times, struct text *t)
{
    if (times > 1)
        text_fmt(t, "%u more time%s", times - 1, times == 2 ? "" : "s");
}
