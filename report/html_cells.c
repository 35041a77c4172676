#include "html.h"
#include "bits.h"
#include "str.h"

/* The results of one drive as a table, each number beside its settings and its flags. */

/* ---- flags ---- */
static void put_flag(struct html *h, const char *name)
{
    const char *sentence = "This program does not know that flag.";
    bool known = false;

    for (unsigned i = 0; i < step_flag_count; i++)
        if (str_equal(step_flags[i].name, name)) {
            sentence = step_flags[i].sentence;
            known = true;
        }
    if (known)
        pen_fmt(h->pen, "<a class=\"chip\" href=\"#r%uflag-%s\" title=\"", h->run_number, name);
    else
        pen_str(h->pen, "<span class=\"chip\" title=\"");
    pen_escaped(h->pen, sentence);
    pen_str(h->pen, "\">");
    pen_escaped(h->pen, name);
    pen_str(h->pen, known ? "</a> " : "</span> ");
}

static void put_row_flags(struct html *h, const struct journal_line *l, uint32_t said)
{
    struct json_value flags, flag;
    size_t cursor = 0;
    char name[24];

    if (!json_member(&l->body, "flags", &flags) || flags.kind != JSON_ARRAY)
        return;
    while (json_next(&flags, &cursor, NULL, &flag)) {
        json_to_str(&flag, name, sizeof name);
        if (flag.kind == JSON_STRING && !(summary_flag(name) & said))
            put_flag(h, name);
    }
}

/* What is true of all cells is said once, above them. */
static uint32_t put_common_flags(struct html *h)
{
    const struct drive *d = &h->drive.d;

    if (d->cells < 2 || !d->common_flags)
        return 0;
    pen_str(h->pen, "<p class=\"common\">All of these: ");
    for (unsigned i = 0; i < step_flag_count; i++)
        if (d->common_flags & step_flags[i].flag)
            put_flag(h, step_flags[i].name);
    pen_str(h->pen, "</p>\n");
    return d->common_flags;
}

static void put_count(struct html *h, uint64_t count, const char *one, const char *many,
                      const char *class_name)
{
    if (!count)
        return;
    pen_fmt(h->pen, "<span class=\"chip %s\">", class_name);
    html_number(h->pen, count, 0);
    pen_fmt(h->pen, " %s</span> ", count == 1 ? one : many);
}

/* ---- rows ---- */
static void put_latency_of(struct html *h, const struct journal_line *l, uint32_t ppm)
{
    uint64_t ns;

    pen_str(h->pen, "<td>");
    if (html_percentile(l, ppm, &ns))
        html_latency(h->pen, ns);
    else
        pen_str(h->pen, "<span class=\"none\">\xe2\x80\x93</span>");
    pen_str(h->pen, "</td>");
}

static uint64_t most_bytes_per_s(const struct html_drive *d)
{
    uint64_t most = 1;

    for (unsigned i = 0; i < d->cell_count; i++)
        most = max_u64(most, d->cell[i].bytes_per_s);
    return most;
}

/* Rates and latencies: seven columns, or one that says why there are none. */
static void put_measured(struct html *h, const struct journal_line *l, uint64_t most)
{
    uint64_t rate = event_u64(l, "bytes_per_s");
    const char *none = step_no_number(summary_flags(l));

    if (none) {
        pen_fmt(h->pen, "<td colspan=\"7\"><span class=\"none\">%s</span></td>", none);
        return;
    }
    pen_fmt(h->pen, "<td class=\"r\" style=\"--p:%u\">", (unsigned)(rate / (most / 100 + 1)));
    html_rate(h->pen, rate);
    pen_str(h->pen, "</td><td>");
    html_iops(h->pen, event_u64(l, "iops_milli"));
    pen_str(h->pen, "</td>");
    put_latency_of(h, l, 500000);
    put_latency_of(h, l, 990000);
    put_latency_of(h, l, 999000);
    pen_str(h->pen, "<td>");
    html_latency(h->pen, event_u64(l, "latency_max_ns"));
    pen_str(h->pen, "</td><td class=\"sp\">");
    html_put_spark(h, l);
    pen_str(h->pen, "</td>");
}

/* The sides of a mix, the flushes, and what reading back found. */
static void put_beside(struct html *h, const struct journal_line *l)
{
    char line[SUMMARY_BESIDE_MAX];

    for (unsigned i = 0; i < SUMMARY_BESIDE_COUNT; i++) {
        struct text t = text_over(line, sizeof line);

        if (!summary_beside(h->run, l, i, &t))
            continue;
        pen_str(h->pen, "<small>");
        pen_escaped(h->pen, line);
        pen_str(h->pen, "</small> ");
    }
}

static void put_row(struct html *h, const struct journal_line *l, uint64_t most, uint32_t said)
{
    uint64_t errors = event_u64(l, "errors");
    char rw[16];

    event_str(l, "rw", rw, sizeof rw);
    pen_str(h->pen, errors ? "<tr class=\"bad\"><th scope=\"row\">" : "<tr><th scope=\"row\">");
    pen_member(h->pen, l, "job");
    pen_str(h->pen, "</th><td class=\"l\">");
    pen_escaped(h->pen, str_equal(rw, "read") ? "sequential" : str_equal(rw, "randread") ? "random" : rw);
    pen_str(h->pen, "</td><td>");
    html_size(h->pen, event_u64(l, "block_bytes"));
    pen_fmt(h->pen, "</td><td>%llu</td>", (unsigned long long)event_u64(l, "depth"));
    put_measured(h, l, most);
    pen_str(h->pen, "<td class=\"l\">");
    put_count(h, errors, "error", "errors", "bad");
    put_count(h, event_u64(l, "retries"), "retry", "retries", "odd");
    put_row_flags(h, l, said);
    pen_member(h->pen, l, "reason");
    put_beside(h, l);
    pen_str(h->pen, "</td></tr>\n");
}

/* Calls put() for each step_end of the drive, kept or not. */
static void for_each_cell(struct html *h,
                          void (*put)(struct html *h, const struct journal_line *l, void *ctx), void *ctx)
{
    struct run_lines lines;
    struct journal_line l;

    for (unsigned i = 0; i < h->drive.cell_count && !h->pen->out->failed; i++)
        if (run_line_at(h->run, h->drive.cell[i].at, &l))
            put(h, &l, ctx);
    if (h->drive.cell_count < HTML_CELLS_MAX)
        return;
    run_lines_of(&lines, h->run, h->drive.d.name);
    while (!h->pen->out->failed && run_lines_find(&lines, "step_end", &l))
        if (event_is(&l, "disk", h->drive.d.name) &&
            (size_t)(l.body.at - h->run->text) > h->drive.cell[HTML_CELLS_MAX - 1].at)
            put(h, &l, ctx);
}

struct shared {
    uint64_t most;
    uint32_t said;
};

static void put_result(struct html *h, const struct journal_line *l, void *ctx)
{
    const struct shared *s = ctx;

    put_row(h, l, s->most, s->said);
}

/* ---- all digits ---- */
static const char *const exact_keys[] = {
    "job",
    "step",
    "rw",
    "block_bytes",
    "command_bytes",
    "depth_asked",
    "depth",
    "first_lba",
    "span_lbas",
    "ios",
    "bytes",
    "errors",
    "retries",
    "run_ns",
    "ramp_ns",
    "held_ns",
    "busy_ns",
    "longest_poll_gap_ns",
    "latency_min_ns",
    "latency_mean_ns",
    "latency_stddev_ns",
    "latency_max_ns",
    "bytes_per_s",
    "first_third_bytes_per_s",
    "last_third_bytes_per_s",
    "iops_milli",
    "wrapped",
    "seq",
};

static bool is_measured(const char *key)
{
    return str_find(key, "bytes_per_s") || str_find(key, "latency_") || str_equal(key, "iops_milli");
}

static void put_exact(struct html *h, const struct journal_line *l, void *ctx)
{
    struct json_value v;

    (void)ctx;
    pen_str(h->pen, "<tr>");
    for (unsigned i = 0; i < ARRAY_COUNT(exact_keys); i++) {
        pen_str(h->pen, "<td>");
        if (is_measured(exact_keys[i]) && step_no_number(summary_flags(l)))
            pen_str(h->pen, step_no_number(summary_flags(l)));
        else if (str_find(exact_keys[i], "_third_") && !event_u64(l, exact_keys[i]))
            ; /* not told */
        else if (json_member(&l->body, exact_keys[i], &v) && v.kind == JSON_STRING)
            pen_member(h->pen, l, exact_keys[i]);
        else
            pen_digits(h->pen, &l->body, exact_keys[i]);
        pen_str(h->pen, "</td>");
    }
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        uint64_t ns;

        pen_str(h->pen, "<td>");
        if (!step_no_number(summary_flags(l)) && html_percentile(l, percentile_ppm[i], &ns))
            pen_u64(h->pen, ns);
        pen_str(h->pen, "</td>");
    }
    pen_str(h->pen, "</tr>\n");
}

static void put_all_digits(struct html *h)
{
    char name[24];

    pen_str(h->pen,
            "<details><summary>Every setting and digit, as in the journal</summary><div class=\"wide\">"
            "<table class=\"values\"><thead><tr>");
    for (unsigned i = 0; i < ARRAY_COUNT(exact_keys); i++)
        pen_fmt(h->pen, "<th>%s</th>", exact_keys[i]);
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        struct text t = text_over(name, sizeof name);

        html_percentile_name(&t, percentile_ppm[i]);
        pen_fmt(h->pen, "<th>%s, ns</th>", name);
    }
    pen_str(h->pen, "</tr></thead>\n<tbody>");
    for_each_cell(h, put_exact, NULL);
    pen_str(h->pen, "</tbody></table></div></details>\n");
}

void html_put_cells(struct html *h)
{
    struct shared s = { .most = most_bytes_per_s(&h->drive) };

    if (!h->drive.cell_count)
        return;
    pen_str(h->pen, "<h3>Results</h3>\n");
    s.said = put_common_flags(h);
    pen_str(
        h->pen,
        "<div class=\"wide\"><table class=\"results cells\"><thead><tr><th class=\"l\">Job</th><th class=\"l\">"
        "Pattern</th><th>Block</th><th>QD</th><th>MB/s</th><th>IOPS</th><th>Median</th><th>99\xc2\xa0%</th>"
        "<th>99.9\xc2\xa0%</th><th>Longest</th><th class=\"l\">Over time</th><th class=\"l\">Notes</th></tr>"
        "</thead>\n<tbody>\n");
    for_each_cell(h, put_result, &s);
    pen_str(h->pen, "</tbody></table></div>\n");
    put_all_digits(h);
}
