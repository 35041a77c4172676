#include "bits.h"
#include "outcome.h"
#include "pen.h"
#include "step.h"
#include "str.h"
#include "summary.h"

/* junit.xml.  A suite's counts stand before its cases, so each suite is written twice: the first time to
 * nobody, for the counts. */
struct counts {
    uint64_t cases, failures, errors, skipped, run_ns;
};
struct junit {
    struct pen *pen;
    const struct run *run;
    struct counts counts; /* of the suite */
};

/* ---- a case ---- */
static void put_attribute(struct pen *p, const char *name, const char *value)
{
    pen_fmt(p, " %s=\"", name);
    pen_escaped(p, value);
    pen_str(p, "\"");
}

static void begin_case(struct junit *j, const char *class_name, const char *name, uint64_t run_ns)
{
    pen_str(j->pen, "  <testcase");
    put_attribute(j->pen, "classname", class_name);
    put_attribute(j->pen, "name", name);
    pen_str(j->pen, " time=\"");
    pen_fixed(j->pen, run_ns / NS_PER_MS, 3);
    pen_str(j->pen, "\">\n");
    j->counts.cases++;
    j->counts.run_ns += run_ns;
}

static void end_case(struct junit *j) { pen_str(j->pen, "  </testcase>\n"); }

enum outcome { OUTCOME_FAILURE, OUTCOME_ERROR, OUTCOME_SKIPPED };

static void put_outcome(struct junit *j, enum outcome what, const char *type, const char *message)
{
    static const char *const elements[] = { "failure", "error", "skipped" };
    uint64_t *const counters[] = { &j->counts.failures, &j->counts.errors, &j->counts.skipped };

    ++*counters[what];
    pen_fmt(j->pen, "    <%s", elements[what]);
    if (what != OUTCOME_SKIPPED)
        put_attribute(j->pen, "type", type);
    put_attribute(j->pen, "message", message);
    pen_str(j->pen, "/>\n");
}

static void begin_remark(struct junit *j) { pen_str(j->pen, "    <system-out>"); }

static void end_remark(struct junit *j) { pen_str(j->pen, "</system-out>\n"); }

static void put_remark(struct junit *j, const char *words)
{
    begin_remark(j);
    pen_escaped(j->pen, words);
    end_remark(j);
}

static void put_verdict(struct junit *j, enum verdict v, const char *why)
{
    switch (v) {
    case VERDICT_FAIL:
        put_outcome(j, OUTCOME_FAILURE, verdict_text(v), why);
        break;
    case VERDICT_ABORTED:
        put_outcome(j, OUTCOME_ERROR, verdict_text(v), why);
        break;
    case VERDICT_NOT_TESTED:
        put_outcome(j, OUTCOME_SKIPPED, "", why);
        break;
    default:
        put_remark(j, v == VERDICT_WARN ? "WARN" : "PASS");
    }
}

/* ---- cases from lines ---- */
static void add_flags(struct text *t, const struct journal_line *l)
{
    uint32_t flags = summary_flags(l);
    const char *before = "; flags: ";

    for (unsigned i = 0; i < step_flag_count; i++)
        if (flags & step_flags[i].flag) {
            text_fmt(t, "%s%s", before, step_flags[i].name);
            before = ", ";
        }
}

static void put_cell(struct junit *j, const char *class_name, const struct journal_line *l)
{
    char text[300], job[48], reason[200];
    struct text t = text_over(text, sizeof text);
    uint64_t errors = event_u64(l, "errors");
    bool has_reason = event_str(l, "reason", reason, sizeof reason);

    event_str(l, "job", job, sizeof job);
    text_fmt(&t, "step %llu: %s", (unsigned long long)event_u64(l, "step"), job);
    begin_case(j, class_name, text, event_u64(l, "run_ns"));
    text_reset(&t);
    if (errors) {
        text_fmt(&t, "%llu request%s failed", (unsigned long long)errors, str_plural(errors));
        text_fmt(&t, "%s%s", has_reason ? ": " : "", reason);
        put_outcome(j, OUTCOME_FAILURE, "io-error", text);
        text_reset(&t);
    } else if (!event_u64(l, "ios")) {
        put_outcome(j, OUTCOME_SKIPPED, "", has_reason ? reason : "nothing was read");
    }
    if (step_no_number(summary_flags(l))) {
        text_str(&t, step_no_number(summary_flags(l)));
    } else {
        text_fixed(&t, event_u64(l, "bytes_per_s") / 100000, 1);
        text_str(&t, " MB/s, ");
        text_fixed(&t, event_u64(l, "iops_milli"), 3);
        text_str(&t, " IOPS");
    }
    text_fmt(&t, ", block %llu bytes, depth %llu", (unsigned long long)event_u64(l, "block_bytes"),
             (unsigned long long)event_u64(l, "depth"));
    add_flags(&t, l);
    put_remark(j, text);
    end_case(j);
}

static void put_finding(struct junit *j, const char *class_name, const struct journal_line *l)
{
    char code[40], words[260];
    const struct finding_kind *kind;
    bool asks_for_action = !event_is(l, "level", finding_level_text(FINDING_INFO)) &&
                           !event_is(l, "level", finding_level_text(FINDING_PASS));

    event_str(l, "code", code, sizeof code);
    kind = finding_kind(code);
    str_fmt(words, sizeof words, "finding: %s", kind ? kind->title : code);
    begin_case(j, class_name, words, 0);
    event_str(l, "seen", words, sizeof words);
    if (event_is(l, "level", finding_level_text(FINDING_FAIL)))
        put_outcome(j, OUTCOME_FAILURE, code, words);
    begin_remark(j);
    pen_member(j->pen, l, "level");
    pen_str(j->pen, ": ");
    pen_escaped(j->pen, words);
    if (event_str(l, "expected", words, sizeof words)) {
        pen_str(j->pen, "; expected: ");
        pen_escaped(j->pen, words);
    }
    if (kind && kind->advice && asks_for_action) {
        pen_str(j->pen, "; ");
        pen_escaped(j->pen, kind->advice);
    }
    end_remark(j);
    end_case(j);
}

static void put_not_tested(struct junit *j, const char *class_name, const struct journal_line *l,
                           const char *why_key)
{
    char job[48], why[260];

    if (!event_str(l, why_key, why, sizeof why))
        return;
    begin_case(j, class_name, event_str(l, "job", job, sizeof job) ? job : "all jobs", 0);
    put_outcome(j, OUTCOME_SKIPPED, "", why);
    end_case(j);
}

/* ---- suites ---- */
/* subject NULL: what belongs to no described drive. */
static bool is_of(const struct run *run, const struct journal_line *l, const char *key, const char *subject)
{
    struct journal_line disk;
    char name[28];

    if (subject)
        return event_is(l, key, subject);
    event_str(l, key, name, sizeof name);
    return !run_find_disk(run, name, &disk);
}

static void put_lines_of(struct junit *j, const char *subject)
{
    struct run_lines lines;
    struct journal_line l;
    const char *class_name = subject ? subject : "machine";

    run_lines_of(&lines, j->run, subject);
    while (!j->pen->out->failed && run_lines_next(&lines, &l)) {
        if (str_equal(l.ev, "step_end") && is_of(j->run, &l, "disk", subject))
            put_cell(j, class_name, &l);
        else if (str_equal(l.ev, "finding") && is_of(j->run, &l, "subject", subject))
            put_finding(j, class_name, &l);
        else if (str_equal(l.ev, "not_tested") && is_of(j->run, &l, "disk", subject) &&
                 !outcome_is_said_by_its_disk(j->run, &l))
            put_not_tested(j, class_name, &l, "why");
    }
}

static void put_drive(struct junit *j, const struct journal_line *disk, const struct drive *d)
{
    struct run_lines lines;
    struct journal_line l;
    char why[260] = "";

    put_lines_of(j, d->name);
    put_not_tested(j, d->name, disk, "why_not");
    begin_case(j, d->name, "verdict", 0);
    run_lines_of(&lines, j->run, d->name);
    while (run_lines_find(&lines, "disk_verdict", &l))
        if (event_is(&l, "disk", d->name))
            event_str(&l, "why", why, sizeof why);
    if (d->has_verdict)
        put_verdict(j, d->verdict, why);
    else
        put_verdict(j, VERDICT_ABORTED, "no verdict in this journal");
    end_case(j);
}

static void put_incomplete(void *ctx, const char *sentence)
{
    struct junit *j = ctx;

    begin_case(j, "journal", sentence, 0);
    put_outcome(j, OUTCOME_ERROR, "incomplete", sentence);
    end_case(j);
}

static void put_problem(struct junit *j, const struct journal_line *l)
{
    char source[80], text[300], label[120];

    event_str(l, "source", source, sizeof source);
    event_str(l, "text", text, sizeof text);
    str_fmt(label, sizeof label, "%s:%llu", source, (unsigned long long)event_u64(l, "line"));
    begin_case(j, "configuration", label, 0);
    put_outcome(j, OUTCOME_ERROR, "refused", text);
    end_case(j);
}

static void put_machine(struct junit *j)
{
    struct run_lines lines;
    struct journal_line l;
    char headline[120], name[20];
    struct text t = text_over(headline, sizeof headline);

    outcome_reservations(j->run, put_incomplete, j);
    put_lines_of(j, NULL);
    run_lines_start(&lines, j->run);
    while (!j->pen->out->failed && run_lines_next(&lines, &l)) {
        if (str_equal(l.ev, "problem")) {
            put_problem(j, &l);
        } else if (str_equal(l.ev, "controller")) {
            event_str(&l, "name", name, sizeof name);
            put_not_tested(j, name, &l, "why_not");
        }
    }
    outcome_headline(j->run, &t);
    begin_case(j, "machine", "verdict", 0);
    put_verdict(j, outcome_verdict(j->run), headline);
    end_case(j);
}

static void put_counts(struct pen *p, const struct counts *c)
{
    pen_fmt(p, " tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" skipped=\"%llu\" time=\"",
            (unsigned long long)c->cases, (unsigned long long)c->failures, (unsigned long long)c->errors,
            (unsigned long long)c->skipped);
    pen_fixed(p, c->run_ns / NS_PER_MS, 3);
    pen_str(p, "\"");
}

static void put_properties(struct pen *p, const struct journal_line *l, const char *const *keys,
                           unsigned count)
{
    char value[120];

    pen_str(p, "  <properties>\n");
    for (unsigned i = 0; i < count; i++)
        if (event_str(l, keys[i], value, sizeof value)) {
            pen_fmt(p, "    <property name=\"%s\"", keys[i]);
            put_attribute(p, "value", value);
            pen_str(p, "/>\n");
        }
    pen_str(p, "  </properties>\n");
}

static void put_suite_head(struct pen *p, const struct run *run, const char *name, const struct counts *c)
{
    struct run_lines lines;
    struct journal_line l;
    char value[64];

    pen_str(p, " <testsuite");
    put_attribute(p, "name", name);
    put_counts(p, c);
    run_lines_start(&lines, run);
    if (run_lines_find(&lines, "run_start", &l)) {
        if (event_str(&l, "clock", value, sizeof value))
            put_attribute(p, "timestamp", value);
        if (event_str(&l, "serial", value, sizeof value) || event_str(&l, "model", value, sizeof value))
            put_attribute(p, "hostname", value);
    }
    pen_str(p, ">\n");
}

static bool to_nobody(void *ctx, const char *bytes, size_t len)
{
    (void)ctx;
    (void)bytes;
    (void)len;
    return true;
}

/* A suite's cases, of the drive or (drive NULL) of everything else. */
static void put_cases(struct junit *j, const struct journal_line *disk, const struct drive *d)
{
    j->counts = (struct counts){ 0 };
    if (d)
        put_drive(j, disk, d);
    else
        put_machine(j);
}

static void add_counts(struct counts *to, const struct counts *c)
{
    to->cases += c->cases;
    to->failures += c->failures;
    to->errors += c->errors;
    to->skipped += c->skipped;
    to->run_ns += c->run_ns;
}

struct page {
    struct pen pen, nobody;
    struct counts all;
    bool counting;
};

static __attribute__((noinline)) void put_suite(struct page *page, const struct run *run,
                                                const struct journal_line *disk, const struct drive *d)
{
    static const char *const disk_keys[] = {
        "model", "serial", "firmware", "identity", "kind", "controller"
    };
    static const char *const machine_keys[] = { "label", "vendor", "model",  "serial",
                                                "uuid",  "bios",   "version" };
    struct junit j = { .pen = &page->nobody, .run = run };
    struct run_lines lines;
    struct journal_line l;

    put_cases(&j, disk, d);
    if (page->counting) {
        add_counts(&page->all, &j.counts);
        return;
    }
    put_suite_head(&page->pen, run, d ? d->name : "machine", &j.counts);
    run_lines_start(&lines, run);
    if (d)
        put_properties(&page->pen, disk, disk_keys, ARRAY_COUNT(disk_keys));
    else if (run_lines_find(&lines, "run_start", &l))
        put_properties(&page->pen, &l, machine_keys, ARRAY_COUNT(machine_keys));
    j.pen = &page->pen;
    put_cases(&j, disk, d);
    pen_str(&page->pen, " </testsuite>\n");
}

static void put_run(struct page *page, const struct run *run)
{
    struct drive_walk w;
    struct journal_line disk;
    struct drive d;

    put_suite(page, run, NULL, NULL);
    drive_walk_start(&w, run);
    while (!page->pen.out->failed && drive_walk_next(&w, run, &disk, &d))
        put_suite(page, run, &disk, &d);
}

static __attribute__((noinline)) uint64_t put_runs(struct page *page, const char *journal, size_t len)
{
    struct run_walk w;
    struct run run;

    run_walk_start(&w, journal, len);
    while (!page->pen.out->failed && run_walk_next(&w, &run))
        put_run(page, &run);
    return w.runs;
}

void render_junit(const char *journal, size_t len, struct render_out *out)
{
    struct render_out nowhere = { .write = to_nobody };
    struct page page = { .counting = true };
    uint64_t runs;

    pen_start(&page.pen, out);
    pen_start(&page.nobody, &nowhere);
    runs = put_runs(&page, journal, len);
    page.all.cases += !runs;
    page.all.errors += !runs;
    pen_str(&page.pen, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Baresweep\"");
    put_counts(&page.pen, &page.all);
    pen_str(&page.pen, ">\n");
    page.counting = false;
    put_runs(&page, journal, len);
    if (!runs)
        pen_str(&page.pen,
                " <testsuite name=\"machine\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" "
                "time=\"0.000\">\n  <testcase classname=\"journal\" name=\"journal\" time=\"0.000\">\n"
                "    <error type=\"incomplete\" message=\"there is no journal here\"/>\n"
                "  </testcase>\n </testsuite>\n");
    pen_str(&page.pen, "</testsuites>\n");
    pen_end(&page.pen);
}
