#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "finding.h"
#include "markup.h"
#include "math.h"
#include "rack.h"

/* One page for a rack: what needs a hand first, then everything. */
enum { MOST_ODD = 500, MOST_DIFFERENCES = 1000, MOST_MACHINES = 1000, MOST_COLUMNS = 256, MOST_GROUPS = 400 };

struct page {
    FILE *to;
    struct rack *rack;
    struct rack_outliers found;
    FILE *differences; /* their rows, made before the head is written */
    char *difference_rows;
    size_t difference_len;
    unsigned worse, different, listed;
    char *columns[MOST_COLUMNS];
    unsigned column_count;
    unsigned groups;
};
struct report_options {
    const char *db, *out, *expect, *title;
    struct rack_choice choice;
};

static unsigned long long ull(uint64_t v) { return v; }

/* ---- missing and different ---- */
static void on_difference(void *ctx, const struct rack_difference *d)
{
    struct page *p = ctx;

    *(d->worse ? &p->worse : &p->different) += 1;
    if (p->listed++ >= MOST_DIFFERENCES)
        return;
    fprintf(p->differences, "<tr><td class=\"kind %s\">%s</td><td>", d->worse ? "bad" : "warn", d->kind);
    markup_text(p->differences, d->machine);
    fputs("</td><td>", p->differences);
    markup_text(p->differences, d->subject);
    fputs("</td><td>", p->differences);
    markup_text(p->differences, d->seen);
    fputs("</td><td>", p->differences);
    markup_text(p->differences, d->expected);
    fputs("</td></tr>\n", p->differences);
}

static void put_differences(struct page *p)
{
    fputs("<h2>Missing and different</h2>\n", p->to);
    if (!p->listed) {
        fputs(
            "<p>Nothing: every run ended, and machines of a kind have the same drives, firmware and links.</p>\n",
            p->to);
        return;
    }
    fputs(
        "<p class=dim>Compared with what most machines of the same kind have (at least three, six in ten).</p>\n"
        "<div class=scroll><table class=wordy><tr><th>What<th>Machine<th>Where<th>Seen<th>Expected</tr>\n",
        p->to);
    fwrite(p->difference_rows, 1, p->difference_len, p->to);
    fputs("</table></div>\n", p->to);
    fputs(
        "<ul><li><b>Missing</b>: go to the bay or slot that is named; reseat, look at power and cable, then exchange.</li>"
        "<li><b>Narrower or slower link</b>: reseat drive or card and clean its contacts; if it stays, another slot.</li>"
        "<li><b>Another firmware</b>: bring all to one version before numbers are compared.</li>"
        "<li><b>Failed, not tested, not finished</b>: the machine's own report.html says why and what to do.</li></ul>\n",
        p->to);
    if (p->listed > MOST_DIFFERENCES)
        fprintf(p->to, "<p>%u more are not shown.</p>\n", p->listed - MOST_DIFFERENCES);
}

/* ---- odd drives ---- */
/* The peers' median with five deviations to each side, and where this drive stands. */
static void put_strip(FILE *to, const struct outlier *o)
{
    enum { LEFT = 6, RIGHT = 194, WIDTH = RIGHT - LEFT };
    uint64_t reach = max_u64(o->deviation, o->median / 100) * 5;
    uint64_t low = o->median > reach ? o->median - reach : 0, high = o->median + reach, begin, end, span;

    begin = min_u64(low, o->value);
    end = max_u64(high, o->value);
    span = max_u64(end - begin, 1);
    fprintf(to,
            "<svg width=200 height=18 viewBox=\"0 0 200 18\" role=img aria-label=\"place among the peers\">"
            "<line class=axis x1=%d x2=%d y1=9 y2=9 /><rect class=band x=%llu y=4 width=%llu height=10 />"
            "<line class=mid x1=%llu x2=%llu y1=2 y2=16 /><circle class=dot cx=%llu cy=9 r=4 /></svg>",
            LEFT, RIGHT, ull(LEFT + mul_div_u64(low - begin, WIDTH, span)),
            ull(max_u64(mul_div_u64(high - low, WIDTH, span), 1)),
            ull(LEFT + mul_div_u64(o->median - begin, WIDTH, span)),
            ull(LEFT + mul_div_u64(o->median - begin, WIDTH, span)),
            ull(LEFT + mul_div_u64(o->value - begin, WIDTH, span)));
}

/* What to do, in the words that the machine's own page has for one such drive. */
static void put_advice(struct page *p, enum outlier_metric metric)
{
    const struct finding_kind *k = finding_kind(metric == OUTLIER_RATE ? "odd-slow" : "odd-tail");

    fputs("<p class=do><b>Do</b> ", p->to);
    markup_text(p->to, k->advice);
    fputs("</p>\n", p->to);
}

static void put_odd_drive(struct page *p, const struct rack_odd *odd)
{
    const struct rack_drive *d = odd->drive;

    fputs("<h3>", p->to);
    markup_text(p->to, d->machine);
    fputs(" ", p->to);
    markup_text(p->to, d->disk);
    fputs(" <span class=dim>", p->to);
    markup_text(p->to, d->model);
    fputs(" ", p->to);
    markup_text(p->to, d->serial);
    fputs(", firmware ", p->to);
    markup_text(p->to, d->firmware);
    fputs(d->link[0] ? ", " : "", p->to);
    markup_text(p->to, d->link);
    fputs("</span></h3>\n", p->to);
    if (odd->o.worse)
        put_advice(p, odd->o.metric);
    fputs(
        "<div class=scroll><table class=odd><tr><th>Sign<th>Job<th>Among its peers<th class=n>Value<th class=n>Peers' "
        "median<th class=n>Difference<th class=n>z<th class=n>Peers</tr>\n",
        p->to);
}

static void put_odd_row(struct page *p, const struct rack_odd *odd)
{
    const struct outlier *o = &odd->o;
    const struct outlier_metric_row *row = &outlier_metrics[o->metric];
    char value[40], median[40], effect[32], z[32];
    struct text t = text_over(value, sizeof value);

    rack_put_value(&t, o->metric, o->value);
    t = text_over(median, sizeof median);
    rack_put_value(&t, o->metric, o->median);
    t = text_over(effect, sizeof effect);
    text_fixed(&t, o->effect_permille, 1);
    t = text_over(z, sizeof z);
    text_fixed(&t, o->z_milli / 100, 1);
    fprintf(p->to, "<tr><td class=\"kind %s\">%s <span class=dim>%s</span></td><td>",
            o->worse ? "bad" : "warn", o->worse ? row->worse : row->other, row->name);
    markup_text(p->to, o->cell->peers->job);
    fputs("</td><td>", p->to);
    put_strip(p->to, o);
    fprintf(
        p->to,
        "</td><td class=n>%s</td><td class=n>%s</td><td class=n>%s %% %s</td><td class=n>%s</td><td class=n>%zu</td>"
        "</tr>\n",
        value, median, effect, o->value < o->median ? "less" : "more", z, o->peers);
}

static void put_odd(struct page *p)
{
    size_t shown = min_u64(p->found.odd_count, MOST_ODD);

    fputs("<h2>Odd drives</h2>\n", p->to);
    if (!p->found.odd_count) {
        fputs("<p>None: no drive is far from its peers.</p>\n", p->to);
        return;
    }
    fputs(
        "<p class=dim>The bar is the peers' median with five of their deviations to each side, the dot is this drive. x: "
        "times the mean latency that the throughput explains. z: the distance to the median in the peers' own spread.</p>\n",
        p->to);
    for (size_t i = 0; i < shown; i++) {
        const struct rack_odd *odd = &p->found.odd[i];

        if (!i || odd[-1].drive != odd->drive)
            put_odd_drive(p, odd);
        put_odd_row(p, odd);
        if (i + 1 == shown || odd[1].drive != odd->drive)
            fputs("</table></div>\n", p->to);
    }
    if (shown < p->found.odd_count)
        fprintf(p->to, "<p>%zu more are not shown: baresweep-rack outliers lists all.</p>\n",
                p->found.odd_count - shown);
}

/* ---- machines x drives ---- */
static bool read_columns(struct page *p)
{
    sqlite3_stmt *s =
        rack_prepare(p->rack, "SELECT DISTINCT name FROM disk JOIN temp.chosen USING(run_key) WHERE name "
                              "IS NOT NULL ORDER BY length(name), name LIMIT 256");

    while (s && sqlite3_step(s) == SQLITE_ROW) {
        char *name = strdup(rack_text(s, 0));

        if (!name)
            break;
        p->columns[p->column_count++] = name;
    }
    sqlite3_finalize(s);
    return s != NULL;
}

static int by_run_and_disk(const void *a, const void *b)
{
    const struct rack_drive *x = a, *y = b;

    if (x->run_key != y->run_key)
        return x->run_key < y->run_key ? -1 : 1;
    return strcmp(x->disk, y->disk);
}

static const struct rack_drive *judged_drive(const struct page *p, uint64_t run_key, const char *disk)
{
    struct rack_drive key = { .run_key = run_key, .disk = disk };

    return p->found.drive_count
               ? bsearch(&key, p->found.drives, p->found.drive_count, sizeof key, by_run_and_disk)
               : NULL;
}

enum { RUN_KEY, MACHINE, RACK, RUN_VERDICT, NAME, MODEL, SERIAL, FIRMWARE, LINK, VERDICT, WHY, RATE };
static const char drives_sql[] =
    "SELECT r.run_key, r.machine, r.rack, ifnull(r.verdict, 'did not finish'), d.name, d.model, d.serial, d.firmware, "
    "d.link, (SELECT verdict FROM disk_verdict v WHERE v.run_key = r.run_key AND v.disk = d.name ORDER BY v.seq DESC LIMIT "
    "1), (SELECT why FROM disk_verdict v WHERE v.run_key = r.run_key AND v.disk = d.name ORDER BY v.seq DESC LIMIT 1), "
    "ifnull((SELECT max(bytes_per_s) FROM cell c WHERE c.run_key = r.run_key AND c.disk = d.name), 0) "
    "FROM machine_run r JOIN temp.chosen USING(run_key) LEFT JOIN machine_disk d ON d.run_key = r.run_key "
    "ORDER BY r.rack, r.machine, r.run_key, length(d.name), d.name";

static char verdict_class(const char *verdict)
{
    switch (verdict[0]) {
    case 'P':
        return 'P';
    case 'W':
        return 'W';
    case 'F':
    case 'A':
        return 'F';
    default:
        return 'N';
    }
}

static void put_drive(struct page *p, sqlite3_stmt *s)
{
    const struct rack_drive *d = judged_drive(p, rack_u64(s, RUN_KEY), rack_text(s, NAME));
    const char *verdict = rack_text(s, VERDICT);
    bool odd = d && d->worse;
    static const struct {
        int column;
        const char *before;
    } facts[] = { { MODEL, "" },  { SERIAL, ", " },  { FIRMWARE, ", firmware " },
                  { LINK, ", " }, { VERDICT, "; " }, { WHY, ": " } };

    fprintf(p->to, "<td class=\"%c%s\" title=\"", verdict_class(verdict), odd ? " O" : "");
    for (unsigned i = 0; i < ARRAY_COUNT(facts); i++)
        if (rack_text(s, facts[i].column)[0]) {
            fputs(facts[i].before, p->to);
            markup_text(p->to, rack_text(s, facts[i].column));
        }
    fputs("\">", p->to);
    if (odd)
        fputs("! ", p->to);
    if (verdict[0] == 'P' || verdict[0] == 'W')
        fprintf(p->to, "%llu%s", ull(rack_u64(s, RATE) / 1000000), verdict[0] == 'W' ? " W" : "");
    else
        markup_text(p->to, verdict[0] ? verdict : "no verdict");
    fputs("</td>", p->to);
}

static void put_blanks(struct page *p, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        fputs("<td class=N>&ndash;</td>", p->to);
}

static void put_machine_rows(struct page *p, sqlite3_stmt *s)
{
    uint64_t last = 0;
    unsigned machines = 0, at = 0;

    while (sqlite3_step(s) == SQLITE_ROW) {
        if (rack_u64(s, RUN_KEY) != last) {
            if (machines)
                put_blanks(p, at, p->column_count);
            if (machines++ == MOST_MACHINES) {
                fputs(
                    "</tr></table></div><p>More machines are not shown: choose with --rack or --label, or use "
                    "baresweep-rack export.</p>\n",
                    p->to);
                return;
            }
            fputs(machines > 1 ? "</tr>\n<tr><td>" : "<tr><td>", p->to);
            markup_text(p->to, rack_text(s, MACHINE));
            fprintf(p->to, "</td><td class=%c>", verdict_class(rack_text(s, RUN_VERDICT)));
            markup_text(p->to, rack_text(s, RUN_VERDICT));
            fputs("</td>", p->to);
            last = rack_u64(s, RUN_KEY);
            at = 0;
        }
        for (unsigned i = at; i < p->column_count; i++)
            if (!strcmp(p->columns[i], rack_text(s, NAME))) {
                put_blanks(p, at, i);
                put_drive(p, s);
                at = i + 1;
                break;
            }
    }
    if (machines)
        put_blanks(p, at, p->column_count);
    fputs("</tr></table></div>\n", p->to);
}

static bool put_machines(struct page *p)
{
    sqlite3_stmt *s = rack_prepare(p->rack, drives_sql);

    if (!s)
        return false;
    fputs(
        "<h2>Machines and drives</h2>\n<p class=dim>The best rate of each drive in MB/s where it passed (W: with a "
        "warning), else its verdict; ! is odd, &ndash; is not there.</p>\n"
        "<div class=scroll><table class=rack><tr><th>Machine<th>Run",
        p->to);
    for (unsigned i = 0; i < p->column_count; i++) {
        fputs("<th>", p->to);
        markup_text(p->to, p->columns[i]);
    }
    fputs("</tr>\n", p->to);
    put_machine_rows(p, s);
    sqlite3_finalize(s);
    return true;
}

/* ---- peers ---- */
static void on_group(void *ctx, const struct outlier_peers *peers, size_t count, enum outlier_metric m,
                     const struct outlier_centre *centre)
{
    struct page *p = ctx;
    char median[48], deviation[48];
    struct text t = text_over(median, sizeof median);

    if (m == OUTLIER_TAIL_P999 || ++p->groups > MOST_GROUPS)
        return;
    rack_put_value(&t, m, centre->median);
    t = text_over(deviation, sizeof deviation);
    text_fixed(&t, mul_div_u64(centre->deviation, 1000, max_u64(centre->median, 1)), 1);
    fputs("<tr><td>", p->to);
    markup_text(p->to, peers->model);
    fputs(" <span class=dim>", p->to);
    markup_text(p->to, peers->firmware);
    fputs(peers->link[0] ? ", " : "", p->to);
    markup_text(p->to, peers->link);
    fputs(peers->policy[0] ? ", " : "", p->to);
    markup_text(p->to, peers->policy);
    fputs("</span></td><td>", p->to);
    markup_text(p->to, peers->job);
    fprintf(p->to, "</td><td>%s</td><td class=n>%zu</td><td class=n>%s</td><td class=n>%s %%</td></tr>\n",
            outlier_metrics[m].name, count, median, deviation);
}

static void put_groups(struct page *p)
{
    fputs(
        "<h2>Groups of peers</h2>\n<div class=scroll><table><tr><th>Drive<th>Job<th>Value<th class=n>Peers<th class=n>Median<th class=n>Median "
        "deviation</tr>\n",
        p->to);
    rack_each_group(&p->found, on_group, p);
    fputs("</table></div>\n", p->to);
    fprintf(
        p->to,
        "<p class=dim>%llu values judged in %llu groups; %llu had fewer than %d peers and %llu may not be compared "
        "(read through the firmware, too short, with errors, ended early, clock "
        "uncertain).</p>\n",
        ull(p->found.counts.judged), ull(p->found.counts.groups), ull(p->found.counts.too_few_peers),
        OUTLIER_LEAST_PEERS, ull(p->found.counts.not_usable));
}

static void put_method(struct page *p)
{
    fprintf(
        p->to,
        "<h2>How this was judged</h2>\n<p>Peers are drives of one model, firmware, size and link in the same job at the "
        "same block size and depth. A value is odd when its distance to their median is both many times their median "
        "deviation (robust z of at least %llu.%llu with 8 peers, %llu.%llu with 24, %llu.%llu from %d on) and large in "
        "itself: %u %% of the rate, or a tail twice as long. The tail is the latency that 1 in 100 (p99) or 1 in 1000 "
        "(p999) requests exceed, divided by the mean that the throughput explains (depth / IOPS).</p>\n"
        "<p>Among drives that differ by chance alone fewer than 1 value in 10 000 is called odd (1 in 100 000 among 24 "
        "peers or more). Fewer than %d peers: nothing is said.</p>\n",
        ull(outlier_limit_z_milli(8) / 1000), ull(outlier_limit_z_milli(8) / 100 % 10),
        ull(outlier_limit_z_milli(24) / 1000), ull(outlier_limit_z_milli(24) / 100 % 10),
        ull(outlier_limit_z_milli(128) / 1000), ull(outlier_limit_z_milli(128) / 100 % 10),
        OUTLIER_LIMIT_PEERS_MAX, outlier_metrics[OUTLIER_RATE].least_effect_permille / 10,
        OUTLIER_LEAST_PEERS);
}

static bool put_damage(struct page *p)
{
    sqlite3_stmt *s =
        rack_prepare(p->rack, "SELECT path, damaged FROM source WHERE damaged > 0 ORDER BY path LIMIT 200");

    if (!s)
        return false;
    for (unsigned n = 0; sqlite3_step(s) == SQLITE_ROW; n++) {
        fputs(
            n ? "<li>"
              : "<h2>Damaged lines</h2>\n<p>These were refused one by one; all others were taken.</p>\n<ul><li>",
            p->to);
        markup_text(p->to, rack_text(s, 0));
        fprintf(p->to, ": %llu\n", ull(rack_u64(s, 1)));
    }
    sqlite3_finalize(s);
    return true;
}

/* ---- the page ---- */
static void put_tile(struct page *p, const char *class_name, uint64_t n, const char *words)
{
    fprintf(p->to, "<div class=\"tile %s\"><b>%llu</b>%s</div>\n", class_name, ull(n), words);
}

static void put_head(struct page *p, const char *title)
{
    uint64_t machines =
        rack_count(p->rack, "SELECT count(DISTINCT machine) FROM run JOIN temp.chosen USING(run_key)");
    uint64_t drives =
        rack_count(p->rack, "SELECT count(*) FROM machine_disk JOIN temp.chosen USING(run_key)");

    fputs(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width, "
        "initial-scale=1\"><title>",
        p->to);
    markup_text(p->to, title);
    fprintf(p->to, "</title><style>\n%s</style></head><body>\n<h1>", markup_style);
    markup_text(p->to, title);
    fputs("</h1>\n<div class=tiles>\n", p->to);
    put_tile(p, p->found.worse_drives ? "bad" : "good", p->found.worse_drives, "odd drives");
    put_tile(p, p->worse ? "bad" : "good", p->worse, "missing or failed");
    put_tile(p, p->different ? "warn" : "good", p->different, "different");
    put_tile(p, "", machines, "machines");
    put_tile(p, "", drives, "drives");
    put_tile(p, "", p->found.counts.judged, "values judged");
    fputs("</div>\n", p->to);
}

/* By the one rack that all chosen machines are of. */
static void name_the_rack(struct rack *r, char *title, size_t cap)
{
    sqlite3_stmt *s =
        rack_prepare(r, "SELECT min(rack) FROM run JOIN temp.chosen USING(run_key) HAVING min(rack) = "
                        "max(rack) AND min(rack) <> ''");

    if (s && sqlite3_step(s) == SQLITE_ROW)
        snprintf(title, cap, "Rack %s", rack_text(s, 0));
    sqlite3_finalize(s);
}

static bool write_page(struct page *p, const struct report_options *o)
{
    bool good = rack_choose(p->rack, &o->choice) && rack_find_outliers(p->rack, &p->found) && read_columns(p);

    p->differences = open_memstream(&p->difference_rows, &p->difference_len);
    good = good && p->differences && rack_find_differences(p->rack, o->expect, on_difference, p);
    if (p->differences)
        fclose(p->differences);
    if (good) {
        char title[120] = "Rack";

        if (o->title || o->choice.rack)
            snprintf(title, sizeof title, "%s", o->title ? o->title : o->choice.rack);
        else
            name_the_rack(p->rack, title, sizeof title);
        put_head(p, title);
        put_odd(p);
        put_differences(p);
        good = put_machines(p);
        put_groups(p);
        put_method(p);
        good = good && put_damage(p);
        fputs("</body></html>\n", p->to);
    }
    for (unsigned i = 0; i < p->column_count; i++)
        free(p->columns[i]);
    free(p->difference_rows);
    rack_free_outliers(&p->found);
    return good;
}

static int report(struct rack *r, const struct report_options *o)
{
    struct page p = { .rack = r };
    bool to_file = strcmp(o->out, "-") != 0, good;

    p.to = to_file ? fopen(o->out, "w") : stdout;
    if (!p.to) {
        fprintf(stderr, "baresweep-rack: %s: %s\n", o->out, strerror(errno));
        return RACK_BROKEN;
    }
    good = write_page(&p, o);
    good &= !fflush(p.to) && !ferror(p.to);
    if (to_file && fclose(p.to))
        good = false;
    if (!good) {
        fprintf(stderr, "baresweep-rack: %s: the page is not whole\n", o->out);
        return RACK_BROKEN;
    }
    if (to_file)
        printf("%s: %zu odd drives, %u missing or failed, %u different\n", o->out, p.found.worse_drives,
               p.worse, p.different);
    return p.found.worse_drives || p.worse ? RACK_FOUND : RACK_GOOD;
}

int rack_report_main(int argc, char **argv)
{
    static const struct rack_option options[] = {
        { "--db", "FILE", "the database (rack.sqlite)", offsetof(struct report_options, db) },
        { "--out", "FILE", "the page (rack.html); - for standard output",
          offsetof(struct report_options, out) },
        { "--expect", "FILE", "serial numbers or UUIDs of the machines that should be there, one per line",
          offsetof(struct report_options, expect) },
        { "--title", "TEXT", "what the page is called", offsetof(struct report_options, title) },
        { "--rack", "NAME", "only machines of this rack", offsetof(struct report_options, choice.rack) },
        { "--label", "TEXT", "only runs with this label", offsetof(struct report_options, choice.label) },
        { "--run", "HEX", "only this run", offsetof(struct report_options, choice.run) },
        { "--all-runs", NULL, "all runs, not only the latest of each machine",
          offsetof(struct report_options, choice.all_runs) },
    };
    static const char usage[] =
        "report [--db FILE] [--out FILE] [--expect FILE] [--rack NAME] [--label TEXT] ...\n\n"
        "One HTML file that needs no network: odd drives, what is missing or different, then all machines and drives.\n"
        "Exit: 0 nothing odd or missing; 1 something is; 3 the database cannot be read or the page not be written.";
    struct report_options o = { .db = "rack.sqlite", .out = "rack.html" };
    struct rack r;
    int ending;

    if (!rack_options(&argc, argv, options, ARRAY_COUNT(options), &o, usage, &ending))
        return ending;
    if (argc > 1) {
        fprintf(stderr, "baresweep-rack report: what is %s? Options begin with --\n", argv[1]);
        return RACK_USAGE;
    }
    if (!rack_open(&r, o.db, true))
        return RACK_BROKEN;
    ending = report(&r, &o);
    rack_close(&r);
    return ending;
}
