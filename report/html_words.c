#include "html.h"
#include "bits.h"
#include "str.h"

void html_number(struct pen *p, uint64_t v, unsigned decimals)
{
    char digits[48];
    struct text t = text_over(digits, sizeof digits);
    size_t whole;

    text_fixed(&t, v, decimals);
    whole = decimals ? t.len - decimals - 1 : t.len;
    for (size_t i = 0; i < t.len; i++) {
        if (i && i < whole && (whole - i) % 3 == 0)
            pen_str(p, "\xe2\x80\xaf"); /* narrow, and no line breaks there */
        pen_bytes(p, digits + i, 1);
    }
}

static void begin_data(struct pen *p, uint64_t exact, unsigned decimals)
{
    pen_str(p, "<data value=\"");
    pen_fixed(p, exact, decimals);
    pen_str(p, "\">");
}

void html_rate(struct pen *p, uint64_t bytes_per_s)
{
    begin_data(p, bytes_per_s, 0);
    html_number(p, bytes_per_s / 100000, 1);
    pen_str(p, "</data>");
}

void html_iops(struct pen *p, uint64_t iops_milli)
{
    bool few = iops_milli < 100000;

    begin_data(p, iops_milli, 3);
    html_number(p, few ? iops_milli / 100 : iops_milli / 1000, few);
    pen_str(p, "</data>");
}

void html_duration(struct pen *p, uint64_t ns)
{
    char words[48];
    struct text t = text_over(words, sizeof words);
    const char *us;

    text_duration(&t, ns);
    us = str_find(words, " us");
    if (us) {
        pen_bytes(p, words, (size_t)(us - words));
        pen_str(p, "\xc2\xa0\xc2\xb5s");
        return;
    }
    for (size_t i = 0; i < t.len; i++)
        if (words[i] == ' ')
            pen_str(p, "\xc2\xa0");
        else
            pen_bytes(p, words + i, 1);
}

void html_latency(struct pen *p, uint64_t ns)
{
    begin_data(p, ns, 0);
    html_duration(p, ns);
    pen_str(p, "</data>");
}

static void put_words(struct pen *p, void (*how)(struct text *, uint64_t), uint64_t v)
{
    char words[48];
    struct text t = text_over(words, sizeof words);

    how(&t, v);
    for (size_t i = 0; i < t.len; i++)
        if (words[i] == ' ')
            pen_str(p, "\xc2\xa0");
        else
            pen_bytes(p, words + i, 1);
}

void html_size(struct pen *p, uint64_t bytes) { put_words(p, text_size, bytes); }
void html_capacity(struct pen *p, uint64_t bytes) { put_words(p, text_capacity, bytes); }

void html_setting(struct text *t, const struct html_cell *c)
{
    bool plain = str_equal(c->rw, "read") || str_equal(c->rw, "randread");

    text_str(t, !plain ? c->rw : c->random ? "random" : "sequential");
    text_fmt(t, ", QD %llu", (unsigned long long)c->depth);
}

void html_badge(struct pen *p, const char *word)
{
    static const struct {
        const char *word, *class_name;
    } badges[] = {
        { "PASS", "pass" },       { "INFO", "info" },           { "WARN", "warn" },        { "FAIL", "fail" },
        { "ABORTED", "aborted" }, { "NOT-TESTED", "untested" }, { "CANNOT TELL", "info" },
    };
    const char *class_name = "info";

    for (unsigned i = 0; i < ARRAY_COUNT(badges); i++)
        if (str_equal(word, badges[i].word))
            class_name = badges[i].class_name;
    pen_fmt(p, "<span class=\"badge %s\">", class_name);
    pen_escaped(p, word);
    pen_str(p, "</span>");
}

void html_fact(struct html *h, const struct journal_line *l, const char *label, const char *key)
{
    json_str(&l->body, key, h->words, sizeof h->words);
    if (!h->words[0])
        return;
    pen_fmt(h->pen, "<div><dt>%s</dt><dd>", label);
    pen_escaped(h->pen, h->words);
    pen_str(h->pen, "</dd></div>");
}

void html_subject(struct html *h, const char *name)
{
    struct run_lines lines;
    struct journal_line l;
    unsigned index = 0;

    run_lines_start(&lines, h->run);
    lines.reader.len = h->run->disks_len;
    for (; run_lines_find(&lines, "disk", &l); index++)
        if (event_is(&l, "name", name)) {
            pen_fmt(h->pen, "<a href=\"#r%ud%u\">", h->run_number, index);
            pen_escaped(h->pen, name);
            pen_str(h->pen, "</a>");
            return;
        }
    pen_escaped(h->pen, name);
}

void html_percentile_name(struct text *t, uint32_t ppm)
{
    unsigned decimals = 4;

    for (; decimals && ppm % 10 == 0; decimals--)
        ppm /= 10;
    text_fixed(t, ppm, decimals);
    text_str(t, " %");
}

bool html_percentile(const struct journal_line *l, uint32_t ppm, uint64_t *ns)
{
    struct json_value all, one;
    char key[12];

    str_fmt(key, sizeof key, "%u", ppm);
    return json_member(&l->body, "latency_percentile_ns", &all) && json_member(&all, key, &one) &&
           json_to_u64(&one, ns);
}

bool html_knows(const char *ev)
{
    static const char *const kinds[] = {
        "run_start",      "conf",         "problem",      "controller",     "disk",
        "plan",           "not_tested",   "data_crc",     "step_start",     "io_error",
        "io_errors_more", "series",       "side_series",  "fio_log",        "step_end",
        "checkpoint",     "log",          "finding",      "disk_verdict",   "run_end",
        "omitted",        "oversize",     "raid_card",    "virtual_drive",  "raid_drive",
        "link",           "topology",     "smbus",        "drive_settings", "health",
        "content",        "arming_batch", "write_permit", "step_side",      "writing",
        "verify_error",   "temperature",  "scaling",      "rounds",         "array",
        "cache",          "plan_choice",  "step_key",     "latency_goal",   "burn_in",
        "burn_in_phase",
    };

    for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++)
        if (str_equal(ev, kinds[i]))
            return true;
    return false;
}
