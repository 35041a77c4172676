#include "summary.h"
#include "bits.h"
#include "finding.h"
#include "repeats.h"
#include "str.h"

enum { SHOWN_ERRORS_MAX = 16 };

static unsigned long long ull(uint64_t v) { return v; }

/* ---- one drive ---- */
static void look_up_drive(const struct run *run, struct drive *d)
{
    struct run_lines lines;
    struct journal_line l;
    char word[24];

    run_lines_of(&lines, run, d->name);
    d->common_flags = UINT32_MAX;
    while (run_lines_next(&lines, &l)) {
        if (str_equal(l.ev, "step_end") && event_is(&l, "disk", d->name)) {
            d->cells++;
            d->common_flags &= summary_flags(&l);
        }
        d->findings += str_equal(l.ev, "finding") && event_is(&l, "subject", d->name);
        d->errors += str_equal(l.ev, "io_error") && event_is(&l, "disk", d->name);
        if (str_equal(l.ev, "disk_verdict") && event_is(&l, "disk", d->name) &&
            event_str(&l, "verdict", word, sizeof word))
            d->has_verdict = verdict_from_text(word, &d->verdict);
    }
}

bool drive_was_tested(const struct drive *d)
{
    return d->has_verdict ? d->verdict != VERDICT_NOT_TESTED : d->cells != 0;
}

void drive_walk_start(struct drive_walk *w, const struct run *run)
{
    run_lines_start(&w->lines, run);
    w->lines.reader.len = run->disks_len;
    w->count = 0;
}

bool drive_walk_next(struct drive_walk *w, const struct run *run, struct journal_line *l, struct drive *d)
{
    if (!run_lines_find(&w->lines, "disk", l))
        return false;
    *d = (struct drive){ 0 };
    event_str(l, "name", d->name, sizeof d->name);
    if (w->count++ < SUMMARY_MAX_DISKS)
        look_up_drive(run, d);
    return true;
}

/* ---- cells ---- */
enum {
    COL_BLOCK = 9,
    COL_RW = 10,
    COL_RW_WIDTH = 8,
    COL_DEPTH = 23,
    COL_RATE = 32,
    COL_IOPS = 41,
    COL_P50 = 51,
    COL_P99 = 61,
    COL_JOB = 63
};

static void put_cells_head(struct render_out *o)
{
    char line[PAGE_COLUMNS + 1];
    struct text t = text_over(line, sizeof line);

    column_right(&t, COL_BLOCK, "block");
    column_left(&t, COL_RW, COL_RW_WIDTH, "rw");
    column_right(&t, COL_DEPTH, "QD");
    column_right(&t, COL_RATE, "MB/s");
    column_right(&t, COL_IOPS, "IOPS");
    column_right(&t, COL_P50, "p50");
    column_right(&t, COL_P99, "p99");
    column_left(&t, COL_JOB, PAGE_COLUMNS - COL_JOB, "job");
    page_line(o, "%s", line);
}

static void put_cell_number(struct text *line, size_t end, size_t width, uint64_t v, unsigned decimals)
{
    char word[32];
    struct text t = text_over(word, sizeof word);

    column_number(&t, v, decimals, width);
    column_right(line, end, word);
}

static void put_cell_percentile(struct text *line, size_t end, const struct journal_line *l, const char *ppm)
{
    struct json_value all, one;
    char word[32];
    struct text t = text_over(word, sizeof word);
    uint64_t ns;

    if (json_member(&l->body, "latency_percentile_ns", &all) && json_member(&all, ppm, &one) &&
        json_to_u64(&one, &ns))
        column_duration(&t, ns);
    else
        text_str(&t, "-");
    column_right(line, end, word);
}

static void add_flag(struct text *t, const char *before, const char *name)
{
    text_fmt(t, "%s%s", t->len ? ", " : before, name);
}

/* The names of a cell's flags (but for those that were said for all cells), and everything else that its
 * number must not be read without. */
static void put_cell_remarks(struct render_out *o, const struct journal_line *l, uint32_t said_flags)
{
    struct json_value flags, flag;
    size_t cursor = 0;
    char text[320], word[24];
    struct text t = text_over(text, sizeof text);
    uint64_t errors = event_u64(l, "errors"), retries = event_u64(l, "retries");

    if (json_member(&l->body, "flags", &flags) && flags.kind == JSON_ARRAY)
        while (json_next(&flags, &cursor, NULL, &flag)) {
            json_to_str(&flag, word, sizeof word);
            if (flag.kind == JSON_STRING && !(summary_flag(word) & said_flags))
                add_flag(&t, "flags: ", word);
        }
    if (errors)
        text_fmt(&t, "%s%llu error%s", t.len ? "; " : "", ull(errors), str_plural(errors));
    if (retries)
        text_fmt(&t, "%s%llu retr%s", t.len ? "; " : "", ull(retries), retries == 1 ? "y" : "ies");
    summary_add(&t, l, "reason", "; ");
    if (t.len)
        page_wrap(o, COL_RW + 2, "", text);
}

static void put_beside(struct render_out *o, const struct run *run, const struct journal_line *l)
{
    char text[SUMMARY_BESIDE_MAX];

    for (unsigned i = 0; i < SUMMARY_BESIDE_COUNT; i++) {
        struct text t = text_over(text, sizeof text);

        if (summary_beside(run, l, i, &t))
            page_wrap(o, COL_RW + 2, "", text);
    }
}

static void put_cell(struct render_out *o, const struct run *run, const struct journal_line *l,
                     uint32_t said_flags)
{
    char line[160], word[48];
    struct text t = text_over(line, sizeof line), w = text_over(word, sizeof word);
    size_t at;

    text_size(&w, event_u64(l, "block_bytes"));
    column_right(&t, COL_BLOCK, word);
    event_str(l, "rw", word, sizeof word);
    text_char(&t, ' ');
    column_left(&t, COL_RW, COL_RW_WIDTH, word);
    put_cell_number(&t, COL_DEPTH, 6, event_u64(l, "depth"), 0);
    if (step_no_number(summary_flags(l))) {
        column_right(&t, COL_P99, step_no_number(summary_flags(l)));
    } else {
        put_cell_number(&t, COL_RATE, 8, event_u64(l, "bytes_per_s") / 100000, 1);
        put_cell_number(&t, COL_IOPS, 8, event_u64(l, "iops_milli") / 1000, 0);
        put_cell_percentile(&t, COL_P50, l, "500000");
        put_cell_percentile(&t, COL_P99, l, "990000");
    }
    event_str(l, "job", word, sizeof word);
    text_str(&t, "  ");
    at = max_u64(t.len, COL_JOB);
    column_left(&t, at, at + 2 < PAGE_COLUMNS ? PAGE_COLUMNS - at : 2, word);
    page_line(o, "%s", line);
    put_cell_remarks(o, l, said_flags);
    put_beside(o, run, l);
}

/* What is true of all cells is said once, above them. */
static uint32_t put_common_flags(struct render_out *o, const struct drive *d)
{
    char text[200];
    struct text t = text_over(text, sizeof text);

    if (d->cells < 2)
        return 0;
    for (unsigned i = 0; i < step_flag_count; i++)
        if (d->common_flags & step_flags[i].flag)
            add_flag(&t, "", step_flags[i].name);
    if (t.len)
        page_wrap(o, 2, "flags of all cells: ", text);
    return d->common_flags;
}

static void put_cells(struct render_out *o, const struct run *run, const struct drive *d)
{
    struct run_lines lines;
    struct journal_line l;
    uint32_t said_flags;

    if (!d->cells)
        return;
    said_flags = put_common_flags(o, d);
    put_cells_head(o);
    run_lines_of(&lines, run, d->name);
    while (run_lines_find(&lines, "step_end", &l))
        if (event_is(&l, "disk", d->name))
            put_cell(o, run, &l, said_flags);
}

/* ---- findings ---- */
static const char *const certainty_words[] = {
    [SURE] = "", [LIKELY] = " (likely)", [HINT] = " (a hint, no more)"
};

static void put_part(struct render_out *o, const char *label, const struct journal_line *l, const char *key)
{
    char text[480];

    if (event_str(l, key, text, sizeof text))
        page_wrap(o, 8, label, text);
}

/* Kinds whose advice was given; a table that outgrows this repeats itself, no more. */
struct advised {
    uint64_t bits[4];
};

/* True the first time that advice of this kind is to be given. */
static bool advise(struct advised *advised, const struct finding_kind *kind)
{
    size_t i = (size_t)(kind - finding_kinds);
    uint64_t *word = &advised->bits[i / 64 % ARRAY_COUNT(advised->bits)];
    bool first = i >= 64 * ARRAY_COUNT(advised->bits) || !(*word & BIT_(i % 64));

    *word |= BIT_(i % 64);
    return first;
}

static void put_again(struct render_out *o, unsigned times)
{
    char text[40];
    struct text t = text_over(text, sizeof text);

    finding_times_words(times, &t);
    if (t.len)
        page_wrap(o, 8, "again:    ", text);
}

static void put_finding(struct render_out *o, const struct run *run, const struct journal_line *l,
                        bool with_subject, struct advised *advised)
{
    unsigned times = finding_times(run, l);
    char code[40], level[16], subject[28] = "", text[200];
    const struct finding_kind *kind;
    struct text t = text_over(text, sizeof text);
    bool asks_for_action;

    if (!times)
        return;
    event_str(l, "code", code, sizeof code);
    event_str(l, "level", level, sizeof level);
    kind = finding_kind(code);
    asks_for_action = !str_equal(level, finding_level_text(FINDING_PASS)) &&
                      !str_equal(level, finding_level_text(FINDING_INFO));
    if (with_subject && event_str(l, "subject", subject, sizeof subject))
        text_fmt(&t, "%s: ", subject);
    text_str(&t, kind ? kind->title : code);
    if (kind && asks_for_action)
        text_str(&t, certainty_words[kind->certainty]);
    str_copy(subject, sizeof subject, level);
    str_copy(subject + str_len(subject), sizeof subject - str_len(subject), "  ");
    page_wrap(o, 2, subject, text);
    put_part(o, "seen:     ", l, "seen");
    put_part(o, "expected: ", l, "expected");
    put_again(o, times);
    if (kind && asks_for_action && kind->advice && kind->advice[0])
        page_wrap(o, 8, "do:       ", advise(advised, kind) ? kind->advice : "as above");
}

static void put_findings_of(struct render_out *o, const struct run *run, const struct drive *d)
{
    struct run_lines lines;
    struct journal_line l;
    struct advised advised = { 0 };

    if (!d->findings)
        return;
    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "finding", &l))
        if (event_is(&l, "subject", d->name))
            put_finding(o, run, &l, false, &advised);
}

void summary_put_other_findings(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l, disk;
    char subject[28];
    struct advised advised = { 0 };
    bool any = false;

    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "finding", &l)) {
        event_str(&l, "subject", subject, sizeof subject);
        if (run_find_disk(run, subject, &disk))
            continue;
        summary_title_once(o, &any, "Findings on everything else");
        put_finding(o, run, &l, true, &advised);
    }
}

/* ---- drives ---- */
static void put_errors(struct render_out *o, const struct run *run, const struct drive *d)
{
    struct run_lines lines;
    struct journal_line l;
    char text[300];
    unsigned shown = 0;

    if (!d->errors)
        return;
    run_lines_of(&lines, run, d->name);
    while (run_lines_next(&lines, &l)) {
        struct text t = text_over(text, sizeof text);
        uint64_t blocks = event_u64(&l, "blocks");

        if (str_equal(l.ev, "io_errors_more") && event_is(&l, "disk", d->name)) {
            text_fmt(&t, "%llu more of the same step", ull(event_u64(&l, "count")));
        } else if (str_equal(l.ev, "io_error") && event_is(&l, "disk", d->name) &&
                   shown++ < SHOWN_ERRORS_MAX) {
            text_fmt(&t, "%s LBA %llu, %llu block%s", event_u64(&l, "located") ? "at" : "somewhere from",
                     ull(event_u64(&l, "lba")), ull(blocks), str_plural(blocks));
            summary_add(&t, &l, "words", ": ");
        } else {
            continue;
        }
        page_wrap(o, 2, "failed reads: ", text);
    }
    if (shown > SHOWN_ERRORS_MAX)
        page_line(o, "  %u more failed read%s in the journal", shown - SHOWN_ERRORS_MAX,
                  shown - SHOWN_ERRORS_MAX == 1 ? " is" : "s are");
}

static void put_drive_identity(struct render_out *o, const struct journal_line *l)
{
    char text[360];
    struct text t = text_over(text, sizeof text);
    uint64_t lba_bytes = event_u64(l, "lba_bytes"), lba_count = event_u64(l, "lba_count");

    summary_add(&t, l, "model", "");
    summary_add(&t, l, "serial", ", serial ");
    summary_add(&t, l, "firmware", ", firmware ");
    page_wrap(o, 2, "", t.len ? text : "does not say what it is");
    text_reset(&t);
    text_capacity(&t, lba_bytes && lba_count > UINT64_MAX / lba_bytes ? UINT64_MAX : lba_count * lba_bytes);
    text_fmt(&t, ", %llu blocks of %llu bytes", ull(lba_count), ull(lba_bytes));
    summary_add(&t, l, "kind", ", ");
    summary_add(&t, l, "controller", " on ");
    page_wrap(o, 2, "", text);
}

static void put_drive_verdict(struct render_out *o, const struct run *run, const struct drive *d)
{
    struct run_lines lines;
    struct journal_line l;
    char why[400];

    run_lines_of(&lines, run, d->name);
    while (run_lines_find(&lines, "disk_verdict", &l))
        if (event_is(&l, "disk", d->name) && event_str(&l, "why", why, sizeof why))
            page_wrap(o, 2, "", why);
}

static void put_settings(struct render_out *o, const struct run *run, const struct drive *d)
{
    struct run_lines lines;
    struct journal_line l;
    char text[240];

    run_lines_of(&lines, run, d->name);
    while (run_lines_find(&lines, "drive_settings", &l))
        if (event_is(&l, "disk", d->name) && event_str(&l, "settings", text, sizeof text))
            page_wrap(o, 2, "settings: ", text);
}

static void put_drive_head(struct render_out *o, const struct drive *d)
{
    char head[PAGE_COLUMNS + 1];
    struct text t = text_over(head, sizeof head);

    text_fmt(&t, "-- %s  %s ", d->name,
             d->has_verdict ? verdict_text(d->verdict) : "no verdict in this journal");
    text_pad(&t, PAGE_COLUMNS, '-');
    page_line(o, "%s", "");
    page_line(o, "%s", head);
}

static void (*const drive_parts[])(struct render_out *o, const struct run *run, const struct drive *d) = {
    put_settings, summary_put_health, put_drive_verdict, summary_put_burn_in,
    put_cells,    put_errors,         put_findings_of,
};

void summary_put_drives(struct render_out *o, const struct run *run)
{
    struct drive_walk w;
    struct journal_line l;
    struct drive d;

    drive_walk_start(&w, run);
    while (w.count < SUMMARY_MAX_DISKS && drive_walk_next(&w, run, &l, &d)) {
        put_drive_head(o, &d);
        put_drive_identity(o, &l);
        for (unsigned i = 0; i < ARRAY_COUNT(drive_parts); i++)
            drive_parts[i](o, run, &d);
    }
    while (run_lines_find(&w.lines, "disk", &l))
        w.count++;
    if (w.count > SUMMARY_MAX_DISKS) {
        page_line(o, "%s", "");
        page_line(o, "%llu more drive%s not shown here; results.csv has the numbers",
                  ull(w.count - SUMMARY_MAX_DISKS), w.count - SUMMARY_MAX_DISKS == 1 ? " is" : "s are");
    }
}

void summary_put_orphaned_cells(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l, disk;
    char name[28], last[28] = "";
    bool any = false;

    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "step_end", &l)) {
        event_str(&l, "disk", name, sizeof name);
        if (run_find_disk(run, name, &disk))
            continue;
        if (!any || !str_equal(name, last)) {
            page_line(o, "%s", "");
            page_line(o, "-- %s  its description is missing from the journal", name);
            put_cells_head(o);
        }
        any = true;
        str_copy(last, sizeof last, name);
        put_cell(o, run, &l, 0);
    }
}
