#include "bits.h"
#include "str.h"
#include "summary.h"

/* What stands beside a cell of a lane that writes or compares: sides of a mix, flushes, what was not as
 * written. */

static unsigned long long ull(uint64_t v) { return v; }

static bool side_words(const struct run *run, const struct journal_line *l, const char *side, struct text *t)
{
    struct journal_line s;
    struct json_value all, one;
    uint64_t ns;

    if (!run_find_of_step(run, l, "step_side", side, &s))
        return false;
    text_fmt(t, "%ss: ", side);
    if (step_no_number(summary_flags(l))) {
        text_str(t, step_no_number(summary_flags(l)));
        return true;
    }
    text_fixed(t, event_u64(&s, "bytes_per_s") / 100000, 1);
    text_fmt(t, " MB/s, %llu IOPS, mean ", ull(event_u64(&s, "iops_milli") / 1000));
    text_duration(t, event_u64(&s, "latency_mean_ns"));
    if (json_member(&s.body, "latency_percentile_ns", &all) && json_member(&all, "990000", &one) &&
        json_to_u64(&one, &ns)) {
        text_str(t, ", p99 ");
        text_duration(t, ns);
    }
    return true;
}

static bool flush_words(const struct journal_line *w, struct text *t)
{
    uint64_t flushes = event_u64(w, "flushes");

    if (!flushes)
        return false;
    text_fmt(t, "%llu flush%s: mean ", ull(flushes), flushes == 1 ? "" : "es");
    text_duration(t, event_u64(w, "flush_mean_ns"));
    text_str(t, ", longest ");
    text_duration(t, event_u64(w, "flush_max_ns"));
    return true;
}

void summary_bad_kinds(const struct journal_line *writing, const char *between, const char *before_count,
                       struct text *t)
{
    struct json_value kinds, name, count;
    size_t cursor = 0;
    const char *before = "";
    char word[24];
    uint64_t n;

    if (!json_member(&writing->body, "bad_kinds", &kinds) || kinds.kind != JSON_OBJECT)
        return;
    while (json_next(&kinds, &cursor, &name, &count)) {
        if (!json_to_str(&name, word, sizeof word) || !json_to_u64(&count, &n))
            continue;
        page_printable(word);
        text_fmt(t, "%s%s%s%llu", before, word, before_count, ull(n));
        before = between;
    }
}

static bool verify_words(const struct journal_line *w, struct text *t)
{
    uint64_t bad = event_u64(w, "bad_lbas"), unwritten = event_u64(w, "unwritten_lbas");

    if (!event_u64(w, "verifies"))
        return false;
    text_str(t, "compared ");
    text_capacity(t, event_u64(w, "verified_bytes"));
    if (bad) {
        text_fmt(t, ": %llu block%s NOT as written (", ull(bad), str_plural(bad));
        summary_bad_kinds(w, ", ", " ", t);
        text_fmt(t, "), the first at LBA %llu", ull(event_u64(w, "first_bad_lba")));
    } else {
        text_str(t, ": all as written");
    }
    if (unwritten)
        text_fmt(t, "; %llu more of writes that failed", ull(unwritten));
    if (!event_u64(w, "verify_complete"))
        text_str(t, "; ended before all was compared");
    return true;
}

bool summary_beside(const struct run *run, const struct journal_line *step_end, unsigned which,
                    struct text *t)
{
    struct journal_line w;

    if (which < 2)
        return side_words(run, step_end, which ? "write" : "read", t);
    if (!run_find_of_step(run, step_end, "writing", NULL, &w))
        return false;
    return which == 2 ? flush_words(&w, t) : verify_words(&w, t);
}
