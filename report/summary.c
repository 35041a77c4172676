#include "summary.h"
#include "bits.h"
#include "outcome.h"
#include "str.h"

static unsigned long long ull(uint64_t v) { return v; }

/* ---- words ---- */

void summary_add(struct text *t, const struct journal_line *l, const char *key, const char *before)
{
    char word[244];

    if (!event_str(l, key, word, sizeof word))
        return;
    if (t->len)
        text_str(t, before);
    text_str(t, word);
}

uint32_t summary_flag(const char *name)
{
    for (unsigned i = 0; i < step_flag_count; i++)
        if (str_equal(name, step_flags[i].name))
            return step_flags[i].flag;
    return 0;
}

uint32_t summary_flags(const struct journal_line *l)
{
    struct json_value flags, flag;
    size_t cursor = 0;
    char name[24];
    uint32_t seen = 0;

    if (!json_member(&l->body, "flags", &flags) || flags.kind != JSON_ARRAY)
        return 0;
    while (json_next(&flags, &cursor, NULL, &flag))
        if (json_to_str(&flag, name, sizeof name))
            seen |= summary_flag(name);
    return seen;
}

void summary_title_once(struct render_out *o, bool *done, const char *title)
{
    if (*done)
        return;
    *done = true;
    page_line(o, "%s", "");
    page_line(o, "%s", title);
}

void summary_put_kinds(struct render_out *o, const struct run *run, const char *title,
                       const struct summary_kind *kinds, size_t n)
{
    struct run_lines lines;
    struct journal_line l;
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        run_lines_start(&lines, run);
        while (run_lines_find(&lines, kinds[i].ev, &l)) {
            summary_title_once(o, &any, title);
            kinds[i].put(o, &l);
        }
    }
}

/* ---- the verdict, and how far it can be trusted ---- */
static void put_headline(struct render_out *o, const struct run *run)
{
    char text[120];
    struct text t = text_over(text, sizeof text);

    text_str(&t, verdict_text(outcome_verdict(run)));
    text_str(&t, "  ");
    outcome_headline(run, &t);
    page_line(o, "%s", text);
}

static void put_reservation(void *ctx, const char *sentence) { page_wrap(ctx, 2, "! ", sentence); }

static void put_reservations(struct render_out *o, const struct run *run)
{
    outcome_reservations(run, put_reservation, o);
}

/* ---- the machine and its controllers ---- */
static void put_machine(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    char text[400];
    struct text t = text_over(text, sizeof text);
    bool described;

    run_lines_start(&lines, run);
    page_line(o, "%s", "");
    described = run_lines_find(&lines, "run_start", &l);
    if (!described) {
        page_wrap(o, 0, "Machine   ", "not known: the line that describes it is missing");
    } else {
        summary_add(&t, &l, "vendor", "");
        summary_add(&t, &l, "model", " ");
        summary_add(&t, &l, "serial", ", serial ");
        summary_add(&t, &l, "bios", ", BIOS ");
        page_wrap(o, 0, "Machine   ", t.len ? text : "not known");
        text_reset(&t);
        summary_add(&t, &l, "product", "");
        summary_add(&t, &l, "version", " ");
        summary_add(&t, &l, "boot_path", " from ");
        summary_add(&t, &l, "clock", ", started ");
        page_wrap(o, 0, "Program   ", text);
    }
    text_reset(&t);
    text_hex(&t, run->run_id, 16);
    if (described)
        summary_add(&t, &l, "label", ", ");
    text_str(&t, ", ");
    text_duration(&t, run->last_t_ns - min_u64(run->first_t_ns, run->last_t_ns));
    page_wrap(o, 0, "Run       ", text);
}

static void put_controllers(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    bool any = false;

    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "controller", &l)) {
        char text[300], label[20], name[16];
        struct text t = text_over(text, sizeof text), lt = text_over(label, sizeof label);

        event_str(&l, "name", name, sizeof name);
        text_fmt(&lt, "  %-15s ", name);
        summary_add(&t, &l, "pci_address", "");
        summary_add(&t, &l, "what", "  ");
        summary_add(&t, &l, "model", ", ");
        summary_add(&t, &l, "firmware", ", firmware ");
        summary_add(&t, &l, "driver", ", driven by ");
        if (event_is(&l, "driver", ""))
            text_str(&t, ", not driven, see below");
        summary_title_once(o, &any, "Controllers");
        page_wrap(o, 0, label, text);
    }
}

/* ---- lists at the end ---- */
static void put_problems(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    char text[300], label[160], word[120];

    if (!run->problems)
        return;
    page_line(o, "%s", "");
    page_line(o, "Problems in configuration and job files");
    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "problem", &l)) {
        struct text t = text_over(label, sizeof label);

        event_str(&l, "source", word, sizeof word);
        text_fmt(&t, "%s:%llu: ", word, ull(event_u64(&l, "line")));
        if (event_str(&l, "job", word, sizeof word))
            text_fmt(&t, "[%s] ", word);
        event_str(&l, "text", text, sizeof text);
        page_wrap(o, 2, label, text);
    }
}

static void put_one_not_tested(struct render_out *o, bool *any, const struct journal_line *l,
                               const char *name_key, const char *why_key)
{
    char why[400], name[28], job[48], label[90];
    bool has_name, has_job;

    if (!event_str(l, why_key, why, sizeof why))
        return;
    has_name = event_str(l, name_key, name, sizeof name); /* a refused job was meant for no disk */
    has_job = event_str(l, "job", job, sizeof job);
    str_fmt(label, sizeof label, "%s%s%s: ", name, has_name && has_job ? ", " : "", job);
    summary_title_once(o, any, "NOT-TESTED");
    page_wrap(o, 2, label, why);
}

static void put_not_tested(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    bool any = false;

    run_lines_start(&lines, run);
    while (run_lines_next(&lines, &l)) {
        if (str_equal(l.ev, "controller") || str_equal(l.ev, "disk"))
            put_one_not_tested(o, &any, &l, "name", "why_not");
        else if (str_equal(l.ev, "not_tested") && !outcome_is_said_by_its_disk(run, &l))
            put_one_not_tested(o, &any, &l, "disk", "why");
    }
}

static void put_flag_meanings(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    uint32_t seen = 0;
    char label[32];

    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "step_end", &l))
        seen |= summary_flags(&l);
    if (!seen)
        return;
    page_line(o, "%s", "");
    page_line(o, "What the flags mean");
    for (unsigned i = 0; i < step_flag_count; i++)
        if (seen & step_flags[i].flag) {
            str_fmt(label, sizeof label, "%-15s ", step_flags[i].name);
            page_wrap(o, 2, label, step_flags[i].sentence);
        }
}

/* ---- the page ---- */
static void (*const parts[])(struct render_out *o, const struct run *run) = {
    put_headline,       put_reservations,           put_machine,
    put_controllers,    summary_put_machine_path,   summary_put_raid,
    summary_put_drives, summary_put_orphaned_cells, summary_put_scaling,
    summary_put_rounds, summary_put_other_findings, put_problems,
    put_not_tested,     put_flag_meanings,
};

void render_summary(const char *journal, size_t len, struct render_out *out)
{
    struct run_walk w;
    struct run run;

    run_walk_start(&w, journal, len);
    while (!out->failed && run_walk_next(&w, &run)) {
        if (w.runs > 1) {
            page_line(out, "%s", "");
            page_line(out, "===== another run in the same journal =====");
            page_line(out, "%s", "");
        }
        for (unsigned i = 0; i < ARRAY_COUNT(parts); i++)
            parts[i](out, &run);
    }
    if (!w.runs)
        page_line(out, "%s  nothing was measured: there is no journal here",
                  verdict_text(VERDICT_NOT_TESTED));
    outcome_leftovers(&w, put_reservation, out);
}
