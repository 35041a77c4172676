#include "outcome.h"
#include "bits.h"
#include "str.h"
#include "summary.h"

static unsigned long long ull(uint64_t v) { return v; }

/* ---- the verdict ---- */
static enum verdict verdict_of_cut_run(const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    enum verdict all = VERDICT_ABORTED, v;
    char word[24];

    if (run->worst_finding == FINDING_FAIL)
        return VERDICT_FAIL;
    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "disk_verdict", &l))
        if (event_str(&l, "verdict", word, sizeof word) && verdict_from_text(word, &v))
            all = verdict_join(all, v);
    return all;
}

enum verdict outcome_verdict(const struct run *run)
{
    return run->ends ? run->verdict : verdict_of_cut_run(run);
}

bool outcome_was_stopped(const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;

    run_lines_start(&lines, run);
    while (run_lines_next(&lines, &l))
        if (str_equal(l.ev, "plan_stop") ||
            (str_equal(l.ev, "burn_in_phase") && event_is(&l, "end", burn_in_end_words[BURN_IN_STOPPED])))
            return true;
    return false;
}

void outcome_headline(const struct run *run, struct text *t)
{
    struct drive_walk w;
    struct journal_line l;
    struct drive d;
    uint64_t tested = 0;

    drive_walk_start(&w, run);
    while (drive_walk_next(&w, run, &l, &d))
        tested += drive_was_tested(&d);
    if (!run->ends)
        text_str(t, "the run did not finish: ");
    if (!w.count)
        text_str(t, run->lines && run->first_seq ? "no drive is described" : "no drive was found");
    else
        text_fmt(t, "%llu drive%s tested, %llu not tested", ull(tested), str_plural(tested),
                 ull(w.count - tested));
    if (outcome_was_stopped(run))
        text_str(t, "; stopped before its end");
}

/* ---- how far it can be trusted ---- */
struct speaker {
    void (*say)(void *ctx, const char *sentence);
    void *ctx;
};

static void say_last_event(const struct run *run, const struct speaker *s)
{
    struct run_lines lines;
    struct journal_line l;
    char title[80] = "", text[200];
    struct text t = text_over(text, sizeof text);

    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "step_start", &l))
        event_str(&l, "title", title, sizeof title);
    text_fmt(&t, "the run did not finish: last event %s (line %llu), ", run->last_ev, ull(run->last_seq));
    text_duration(&t, run->last_t_ns - min_u64(run->first_t_ns, run->last_t_ns));
    text_str(&t, " after the first");
    if (title[0])
        text_fmt(&t, "; last step \"%s\"", title);
    s->say(s->ctx, text);
}

static void say_count(const struct speaker *s, uint64_t count, const char *one, const char *many)
{
    char text[160];

    if (!count)
        return;
    str_fmt(text, sizeof text, "%llu %s", ull(count), count == 1 ? one : many);
    s->say(s->ctx, text);
}

void outcome_reservations(const struct run *run, void (*say)(void *ctx, const char *sentence), void *ctx)
{
    struct speaker s = { say, ctx };

    if (!run->ends)
        say_last_event(run, &s);
    if (run->first_seq)
        say(ctx, "the beginning of this run is missing from the journal");
    say_count(&s, run->missing_lines, "line is missing from the journal",
              "lines are missing from the journal");
    say_count(&s, run->corrupt_lines, "line of the journal is damaged and was not read",
              "lines of the journal are damaged and were not read");
    say_count(&s, run->oversize, "line was too long and left only its number",
              "lines were too long and left only their numbers");
    say_count(&s, run->newer_lines, "line was written by a newer version: parts may not be shown",
              "lines were written by a newer version: parts may not be shown");
    if (run->bad_configuration)
        say(ctx, "a line of the configuration or of a job file was refused, see below");
    if (run->expectation_missed)
        say(ctx, "something that was expected is not there, see the findings");
}

void outcome_leftovers(const struct run_walk *w, void (*say)(void *ctx, const char *sentence), void *ctx)
{
    struct speaker s = { say, ctx };

    if (!w->runs)
        say_count(&s, w->reader.corrupt_lines, "line of a journal is damaged and was not read",
                  "lines of a journal are damaged and were not read");
    say_count(&s, w->reader.stale_lines, "line of an earlier run stands behind the end and was left out",
              "lines of an earlier run, left out: they stand behind the end");
}

bool outcome_is_said_by_its_disk(const struct run *run, const struct journal_line *not_tested)
{
    struct journal_line disk;
    char name[28], why[96];

    if (event_str(not_tested, "job", name, sizeof name) || !event_str(not_tested, "why", why, sizeof why))
        return false;
    event_str(not_tested, "disk", name, sizeof name);
    return run_find_disk(run, name, &disk) && event_is(&disk, "why_not", why);
}
