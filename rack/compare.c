#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "rack.h"
#include "step.h"
#include "text.h"

/* ---- what A and B select ---- */
static const char *const fields[] = { "run",        "machine", "rack",     "label", "disk",
                                      "serial",     "model",   "firmware", "link",  "policy",
                                      "controller", "job",     "rw" };
enum { MOST_TERMS = 8 };
struct selector {
    const char *text;
    char *copy;
    const char *field[MOST_TERMS], *value[MOST_TERMS];
    unsigned count;
};

static const char *field_at(const char *s)
{
    for (unsigned i = 0; i < ARRAY_COUNT(fields); i++) {
        size_t len = strlen(fields[i]);

        if (!strncmp(s, fields[i], len) && s[len] == '=')
            return fields[i];
    }
    return NULL;
}

/* "label=before,job=rand-4k".  A comma separates only before FIELD=: labels have commas of their own. */
static bool read_selector(struct selector *s, const char *text)
{
    char *at;

    *s = (struct selector){ .text = text, .copy = strdup(text) };
    for (at = s->copy; at && s->count < MOST_TERMS;) {
        const char *field = field_at(at);
        char *end;

        if (!field)
            break;
        s->field[s->count] = field;
        s->value[s->count++] = at + strlen(field) + 1;
        for (end = at; (end = strchr(end, ',')) != NULL && !field_at(end + 1);)
            end++;
        if (!end)
            return true;
        *end = 0;
        at = end + 1;
    }
    fprintf(stderr, "baresweep-rack compare: %s is no FIELD=VALUE,...; fields are", text);
    for (unsigned i = 0; i < ARRAY_COUNT(fields); i++)
        fprintf(stderr, " %s", fields[i]);
    fputs("\n", stderr);
    return false;
}

static bool names_field(const struct selector *s, const char *field)
{
    for (unsigned i = 0; i < s->count; i++)
        if (!strcmp(s->field[i], field))
            return true;
    return false;
}

/* ---- the two sets ---- */
enum { RATE, P50, P99, P999, METRIC_COUNT };
static const struct {
    const char *name, *column;
    enum outlier_metric judged_as; /* whose flags make a value unusable */
    bool is_time;
} metrics[METRIC_COUNT] = {
    { "rate", "bytes_per_s", OUTLIER_RATE, false },
    { "p50", "p50_ns", OUTLIER_TAIL_P99, true },
    { "p99", "p99_ns", OUTLIER_TAIL_P99, true },
    { "p99.9", "p999_ns", OUTLIER_TAIL_P99, true },
};

static bool fill_side(struct rack *r, const struct selector *s, unsigned side)
{
    char sql[1200];
    struct text t = text_over(sql, sizeof sql);
    sqlite3_stmt *q;
    bool good;

    text_fmt(
        &t,
        "INSERT INTO temp.side SELECT %u, model, size_bytes, job, rw, block_bytes, depth, "
        "iif(serial <> '', model || char(9) || serial, machine || char(9) || disk), flags, bytes_per_s, p50_ns, p99_ns, p999_ns FROM peer_cell "
        "WHERE 1",
        side);
    for (unsigned i = 0; i < s->count; i++)
        text_fmt(&t, " AND \"%s\" = ?%u", s->field[i], i + 1);
    q = rack_prepare(r, sql);
    if (!q)
        return false;
    for (unsigned i = 0; i < s->count; i++)
        sqlite3_bind_text(q, (int)i + 1, s->value[i], -1, SQLITE_STATIC);
    good = sqlite3_step(q) == SQLITE_DONE || rack_failed(r, "measurements cannot be selected");
    sqlite3_finalize(q);
    return good;
}

static bool fill_sides(struct rack *r, const struct selector *a, const struct selector *b)
{
    /* What both sides are chosen by cannot tell which measurements belong together. */
    bool without_job = names_field(a, "job") || names_field(b, "job");
    bool without_model = names_field(a, "model") || names_field(b, "model");

    return rack_exec(
               r,
               "CREATE TEMP TABLE side(side INT, model TEXT, size_bytes INT, job TEXT, rw TEXT, "
               "block_bytes INT, depth INT, drive TEXT, flags TEXT, bytes_per_s, p50_ns, p99_ns, p999_ns)") &&
           fill_side(r, a, 0) && fill_side(r, b, 1) &&
           (!without_job || rack_exec(r, "UPDATE temp.side SET job = ''")) &&
           (!without_model || rack_exec(r, "UPDATE temp.side SET model = '', size_bytes = 0"));
}

/* What can be asked for, when a selector found nothing. */
static void list_values(struct rack *r, const char *field)
{
    char sql[160];
    sqlite3_stmt *s;

    snprintf(sql, sizeof sql, "SELECT DISTINCT \"%s\" FROM peer_cell LIMIT 12", field);
    s = rack_prepare(r, sql);
    fprintf(stderr, "  %s is one of:", field);
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        char *word = strdup(rack_text(s, 0));

        rack_clean(word);
        fprintf(stderr, " \"%s\"", word);
        free(word);
    }
    fputs("\n", stderr);
    sqlite3_finalize(s);
}

static bool side_is_empty(struct rack *r, const struct selector *s, unsigned side)
{
    char sql[80];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM temp.side WHERE side = %u", side);
    if (rack_count(r, sql))
        return false;
    fprintf(stderr, "baresweep-rack compare: %s selects no measurement\n", s->text);
    for (unsigned i = 0; i < s->count; i++)
        list_values(r, s->field[i]);
    return true;
}

/* ---- one line of the comparison ---- */
struct value {
    unsigned side;
    uint32_t drive;
    uint64_t v;
};
struct group {
    char model[80], job[80], rw[16];
    uint64_t size_bytes, block_bytes, depth;
    struct value *value[METRIC_COUNT];
    size_t count[METRIC_COUNT], cap[METRIC_COUNT];
    char **drives;
    size_t drive_count, drive_cap;
};
struct result {
    struct outlier_difference d;
    bool paired;
};

static int by_drive(const void *a, const void *b)
{
    const struct value *x = a, *y = b;

    if (x->drive != y->drive)
        return x->drive < y->drive ? -1 : 1;
    return (int)x->side - (int)y->side;
}

static uint64_t median(uint64_t *values, size_t count) { return outlier_centre(values, count).median; }

/* Drives that both sides have, each with the median of its values; the number of them. */
static size_t make_pairs(struct value *v, size_t count, uint64_t *a, uint64_t *b, uint64_t *scratch)
{
    size_t pairs = 0;

    qsort(v, count, sizeof *v, by_drive);
    for (size_t begin = 0, middle, end; begin < count; begin = end) {
        for (middle = begin; middle < count && v[middle].drive == v[begin].drive && !v[middle].side; middle++)
            scratch[middle - begin] = v[middle].v;
        for (end = middle; end < count && v[end].drive == v[begin].drive; end++)
            ;
        if (middle == begin || end == middle)
            continue;
        a[pairs] = median(scratch, middle - begin);
        for (size_t i = middle; i < end; i++)
            scratch[i - middle] = v[i].v;
        b[pairs++] = median(scratch, end - middle);
    }
    return pairs;
}

static bool judge(struct value *v, size_t count, struct result *out)
{
    uint64_t *room = malloc((count * 3 + 1) * sizeof *room), *a, *b, *scratch;
    size_t pairs, n_a = 0, n_b = 0;

    if (!room)
        return false;
    a = room;
    b = a + count;
    scratch = b + count;
    pairs = make_pairs(v, count, a, b, scratch);
    out->paired = pairs >= OUTLIER_DIFFERENCE_LEAST;
    if (out->paired) {
        out->d = outlier_compare_pairs(a, b, pairs, scratch);
    } else {
        for (size_t i = 0; i < count; i++)
            *(v[i].side ? &b[n_b++] : &a[n_a++]) = v[i].v;
        out->d = outlier_compare(a, n_a, b, n_b);
    }
    free(room);
    return true;
}

/* ---- printing ---- */
struct printer {
    bool tsv;
    unsigned lines, differences, unknown;
};

static void put_measure(struct text *t, unsigned metric, uint64_t v)
{
    if (metrics[metric].is_time) {
        text_duration(t, v);
        return;
    }
    text_fixed(t, v / 100000, 1);
    text_str(t, " MB/s");
}

static void put_percent(struct text *t, uint64_t ppm) { text_fixed(t, ppm / 100, 2); }

static void put_verdict(struct text *t, const struct result *x)
{
    const struct outlier_difference *d = &x->d;

    if (!d->known) {
        text_fmt(t, "cannot tell: %zu and %zu values, it takes %d of each", d->n_a, d->n_b,
                 OUTLIER_DIFFERENCE_LEAST);
        return;
    }
    text_str(t, d->differs ? "B is " : "no difference (");
    put_percent(t, (uint64_t)(d->ppm < 0 ? -d->ppm : d->ppm));
    text_fmt(t, " %% %s, +- ", d->ppm < 0 ? "less" : "more");
    put_percent(t, d->plus_minus_ppm);
    text_fmt(t, " %%%s, %zu%s %zu %s", d->differs ? "" : ")", d->n_a, x->paired ? " =" : " and", d->n_b,
             x->paired ? "drives paired" : "values");
}

static void print_result(struct printer *p, const struct group *g, unsigned metric, const struct result *x)
{
    const struct outlier_difference *d = &x->d;
    char a[40], b[40], verdict[160];
    struct text ta = text_over(a, sizeof a), tb = text_over(b, sizeof b),
                tv = text_over(verdict, sizeof verdict);

    p->lines++;
    p->differences += d->differs;
    p->unknown += !d->known;
    if (p->tsv) {
        printf("%s\t%llu\t%s\t%s\t%llu\t%llu\t%s\t%d\t%zu\t%zu\t%llu\t%llu\t%lld\t%llu\t%d\t%d\n", g->model,
               (unsigned long long)g->size_bytes, g->job, g->rw, (unsigned long long)g->block_bytes,
               (unsigned long long)g->depth, metrics[metric].name, x->paired, d->n_a, d->n_b,
               (unsigned long long)d->median_a, (unsigned long long)d->median_b, (long long)d->ppm,
               (unsigned long long)d->plus_minus_ppm, d->known, d->differs);
        return;
    }
    put_measure(&ta, metric, d->median_a);
    put_measure(&tb, metric, d->median_b);
    put_verdict(&tv, x);
    printf("%-24s %-6s %12s -> %-12s %s\n", g->job[0] ? g->job : g->rw, metrics[metric].name, a, b, verdict);
}

static bool print_group(struct printer *p, struct group *g)
{
    if (!p->tsv)
        printf("%s, %s, %llu byte blocks, depth %llu\n", g->model[0] ? g->model : "all models", g->rw,
               (unsigned long long)g->block_bytes, (unsigned long long)g->depth);
    for (unsigned m = 0; m < METRIC_COUNT; m++) {
        struct result x = { 0 };
        size_t sides[2] = { 0 };

        for (size_t i = 0; i < g->count[m]; i++)
            sides[g->value[m][i].side]++;
        if (!sides[0] || !sides[1])
            continue;
        if (!judge(g->value[m], g->count[m], &x))
            return false;
        print_result(p, g, m, &x);
    }
    return true;
}

/* ---- reading groups ---- */
static bool add_drive(struct group *g, const char *name)
{
    if (g->drive_count && !strcmp(g->drives[g->drive_count - 1], name))
        return true;
    if (g->drive_count == g->drive_cap) {
        size_t cap = g->drive_cap ? g->drive_cap * 2 : 64;
        char **more = realloc(g->drives, cap * sizeof *more);

        if (!more)
            return false;
        g->drives = more;
        g->drive_cap = cap;
    }
    g->drives[g->drive_count] = strdup(name);
    return g->drives[g->drive_count++] != NULL;
}

static bool add_value(struct group *g, unsigned m, struct value v)
{
    if (g->count[m] == g->cap[m]) {
        size_t cap = g->cap[m] ? g->cap[m] * 2 : 64;
        struct value *more = realloc(g->value[m], cap * sizeof *more);

        if (!more)
            return false;
        g->value[m] = more;
        g->cap[m] = cap;
    }
    g->value[m][g->count[m]++] = v;
    return true;
}

static void empty_group(struct group *g)
{
    for (size_t i = 0; i < g->drive_count; i++)
        free(g->drives[i]);
    g->drive_count = 0;
    memset(g->count, 0, sizeof g->count);
}

static void free_group(struct group *g)
{
    empty_group(g);
    free(g->drives);
    for (unsigned m = 0; m < METRIC_COUNT; m++)
        free(g->value[m]);
}

enum { MODEL, SIZE, JOB, RW, BLOCK, DEPTH, SIDE, DRIVE, USABLE_RATE, USABLE_TIME, VALUE };

static bool is_of_group(const struct group *g, sqlite3_stmt *s)
{
    return !strcmp(g->model, rack_text(s, MODEL)) && !strcmp(g->job, rack_text(s, JOB)) &&
           !strcmp(g->rw, rack_text(s, RW)) && g->size_bytes == rack_u64(s, SIZE) &&
           g->block_bytes == rack_u64(s, BLOCK) && g->depth == rack_u64(s, DEPTH);
}

static void begin_group(struct group *g, sqlite3_stmt *s)
{
    empty_group(g);
    snprintf(g->model, sizeof g->model, "%s", rack_text(s, MODEL));
    snprintf(g->job, sizeof g->job, "%s", rack_text(s, JOB));
    snprintf(g->rw, sizeof g->rw, "%s", rack_text(s, RW));
    rack_clean(g->model);
    rack_clean(g->job);
    rack_clean(g->rw);
    g->size_bytes = rack_u64(s, SIZE);
    g->block_bytes = rack_u64(s, BLOCK);
    g->depth = rack_u64(s, DEPTH);
}

static bool add_row(struct group *g, sqlite3_stmt *s)
{
    if (!add_drive(g, rack_text(s, DRIVE)))
        return false;
    for (unsigned m = 0; m < METRIC_COUNT; m++) {
        struct value v = { (unsigned)rack_u64(s, SIDE), (uint32_t)g->drive_count - 1,
                           rack_u64(s, VALUE + (int)m) };

        if (v.v && rack_u64(s, metrics[m].is_time ? USABLE_TIME : USABLE_RATE) && !add_value(g, m, v))
            return false;
    }
    return true;
}

/* "not one of these words in flags", as SQL. */
static void put_usable(struct text *t, uint32_t flags)
{
    text_str(t, "(1");
    for (unsigned i = 0; i < step_flag_count; i++)
        if (step_flags[i].flag & flags)
            text_fmt(t, " AND instr('|' || flags || '|', '|%s|') = 0", step_flags[i].name);
    text_str(t, ")");
}

static bool print_all(struct rack *r, struct printer *p)
{
    char sql[2400];
    struct text t = text_over(sql, sizeof sql);
    struct group g = { 0 };
    sqlite3_stmt *s;
    bool good = true, begun = false;

    text_str(&t, "SELECT model, size_bytes, job, rw, block_bytes, depth, side, drive, ");
    put_usable(&t, outlier_metrics[OUTLIER_RATE].unusable_flags);
    text_str(&t, ", ");
    put_usable(&t, outlier_metrics[OUTLIER_TAIL_P99].unusable_flags);
    text_str(&t,
             ", bytes_per_s, p50_ns, p99_ns, p999_ns FROM temp.side ORDER BY 1, 2, 3, 4, 5, 6, drive, side");
    s = rack_prepare(r, sql);
    while (s && good && sqlite3_step(s) == SQLITE_ROW) {
        if (!begun || !is_of_group(&g, s)) {
            good = !begun || print_group(p, &g);
            begin_group(&g, s);
            begun = true;
        }
        good = good && add_row(&g, s);
    }
    good = s && good && (!begun || print_group(p, &g));
    sqlite3_finalize(s);
    free_group(&g);
    return good || rack_failed(r, "the comparison could not be finished");
}

/* ---- the sub-command ---- */
struct compare_options {
    const char *db;
    bool tsv;
};

static int compare(struct rack *r, const struct selector *a, const struct selector *b, bool tsv)
{
    struct printer p = { .tsv = tsv };
    bool empty;

    if (!fill_sides(r, a, b))
        return RACK_BROKEN;
    empty = side_is_empty(r, a, 0);
    empty = side_is_empty(r, b, 1) || empty;
    if (empty)
        return RACK_USAGE;
    if (tsv)
        printf(
            "model\tsize_bytes\tjob\trw\tblock_bytes\tdepth\tmetric\tpaired\tn_a\tn_b\tmedian_a\tmedian_b\tppm\t"
            "plus_minus_ppm\tknown\tdiffers\n");
    if (!print_all(r, &p))
        return RACK_BROKEN;
    if (!tsv && !p.lines)
        puts(
            "nothing that A and B both have: the same model, job, block size and depth on both sides can be compared");
    else if (!tsv)
        printf(
            "%u compared, %u differ, %u cannot be told; +- holds the true difference in 99 of 100 comparisons\n",
            p.lines, p.differences, p.unknown);
    return fflush(stdout) ? RACK_BROKEN : p.differences ? RACK_FOUND : RACK_GOOD;
}

int rack_compare_main(int argc, char **argv)
{
    static const struct rack_option options[] = {
        { "--db", "FILE", "the database (rack.sqlite)", offsetof(struct compare_options, db) },
        { "--tsv", NULL, "columns for programs instead of words", offsetof(struct compare_options, tsv) },
    };
    static const char usage[] =
        "compare [--db FILE] [--tsv] A B\n\n"
        "A and B select measurements: FIELD=VALUE, several joined by commas, with the fields run, machine, rack, label,\n"
        "disk, serial, model, firmware, link, policy, controller, job, rw.  Compared is what agrees in model, size, job, pattern,\n"
        "block size and depth; what A or B are chosen by is left out of that.  With the same drives on both sides each\n"
        "is compared with itself.  Less than 1 % or less than its uncertainty is \"no difference\".\n"
        "  baresweep-rack compare label=before label=after\n"
        "  baresweep-rack compare firmware=1.0,model=X firmware=1.1,model=X\n"
        "  baresweep-rack compare job=wt-rand-4k job=wb-rand-4k\n"
        "Exit: 0 no difference; 1 something differs; 2 A or B selects nothing; 3 the database cannot be read.";
    struct compare_options o = { .db = "rack.sqlite" };
    struct selector a = { 0 }, b = { 0 };
    struct rack r;
    int ending;

    if (!rack_options(&argc, argv, options, ARRAY_COUNT(options), &o, usage, &ending))
        return ending;
    if (argc != 3) {
        fputs("baresweep-rack compare: it takes two selectors, A and B; see baresweep-rack compare --help\n",
              stderr);
        return RACK_USAGE;
    }
    ending = RACK_USAGE;
    if (read_selector(&a, argv[1]) && read_selector(&b, argv[2])) {
        ending = RACK_BROKEN;
        if (rack_open(&r, o.db, true)) {
            ending = compare(&r, &a, &b, o.tsv);
            rack_close(&r);
        }
    }
    free(a.copy);
    free(b.copy);
    return ending;
}
