#include "bits.h"
#include "burn_in_facts.h"
#include "column.h"
#include "math.h"
#include "str.h"
#include "summary.h"

/* ---- what the drive says of itself ---- */
/* What a person looks for first; the journal has all of it. */
static const struct {
    const char *key, *words, *unit;
    const char *label; /* in the table */
} shown_health[] = {
    { "temperature_c", "", " C", "temperature, C" },
    { "power_on_hours", "", " h powered on", "hours powered on" },
    { "used_percent", "", " % of its life used", "life used, %" },
    { "spare_percent", "spare ", " %", "spare, %" },
    { "media_errors", "media errors ", "", "media errors" },
    { "reallocated_sectors", "reallocated sectors ", "", "reallocated sectors" },
    { "pending_sectors", "pending sectors ", "", "pending sectors" },
    { "uncorrectable_sectors", NULL, "", "uncorrectable sectors" },
    { "interface_crc_errors", "CRC errors ", "", "CRC errors on the cable" },
    { "unsafe_shutdowns", "unsafe shutdowns ", "", "unsafe shutdowns" },
};
struct health_pair {
    struct journal_line before, after;
    bool has_before, has_after;
};
struct health_change {
    int64_t was, is;
    bool knew, knows;
};

static bool health_value(const struct journal_line *l, const char *key, int64_t *out)
{
    struct json_value values, v;

    return json_member(&l->body, "values", &values) && json_member(&values, key, &v) && json_to_i64(&v, out);
}

static bool change_of(const struct health_pair *h, const char *key, struct health_change *c)
{
    c->knew = h->has_before && health_value(&h->before, key, &c->was);
    c->knows = h->has_after && health_value(&h->after, key, &c->is);
    return c->knew || c->knows;
}

static void find_health(const struct run *run, const struct drive *d, struct health_pair *h)
{
    struct run_lines lines;
    struct journal_line l;

    h->has_before = h->has_after = false;
    run_lines_of(&lines, run, d->name);
    while (run_lines_find(&lines, "health", &l)) {
        bool is_after = event_is(&l, "when", "after");
        if (!event_is(&l, "disk", d->name))
            continue;
        *(is_after ? &h->after : &h->before) = l;
        *(is_after ? &h->has_after : &h->has_before) = true;
    }
}

/* Both in one line: what changed shows both numbers. */
static void put_health_line(struct render_out *o, const struct health_pair *h)
{
    char text[400];
    struct text t = text_over(text, sizeof text);
    struct health_change c;

    for (unsigned i = 0; i < ARRAY_COUNT(shown_health); i++) {
        if (!shown_health[i].words || !change_of(h, shown_health[i].key, &c))
            continue;
        text_fmt(&t, "%s%s%lld", t.len ? ", " : "", shown_health[i].words,
                 (long long)(c.knew ? c.was : c.is));
        if (c.knew && c.knows && c.was != c.is)
            text_fmt(&t, " -> %lld", (long long)c.is);
        text_str(&t, shown_health[i].unit);
    }
    if (t.len)
        page_wrap(o, 2, "health: ", text);
}

enum { COL_LABEL = 2, LABEL_WIDTH = 28, COL_BEFORE = 40, COL_AFTER = 52, COL_CHANGE = 64 };

static void put_health_cell(struct text *line, size_t end, bool known, int64_t v, const char *sign)
{
    char word[28];

    str_fmt(word, sizeof word, "%s%lld", sign, (long long)v);
    column_right(line, end, known ? word : "-");
}

static void put_health_row(struct render_out *o, const char *label, const struct health_change *c)
{
    char line[PAGE_COLUMNS + 1];
    struct text t = text_over(line, sizeof line);
    bool both = c->knew && c->knows;
    uint64_t by = both ? (uint64_t)c->is - (uint64_t)c->was : 0;

    column_left(&t, COL_LABEL, LABEL_WIDTH, label);
    put_health_cell(&t, COL_BEFORE, c->knew, c->was, "");
    put_health_cell(&t, COL_AFTER, c->knows, c->is, "");
    put_health_cell(&t, COL_CHANGE, both, (int64_t)by, both && c->is > c->was ? "+" : "");
    page_line(o, "%s", line);
}

static void put_health_head(struct render_out *o)
{
    char line[PAGE_COLUMNS + 1];
    struct text t = text_over(line, sizeof line);

    column_left(&t, COL_LABEL, LABEL_WIDTH, "health");
    column_right(&t, COL_BEFORE, "before");
    column_right(&t, COL_AFTER, "after");
    column_right(&t, COL_CHANGE, "change");
    page_line(o, "%s", line);
}

static void put_health_table(struct render_out *o, const struct health_pair *h, const struct burn_in_facts *f)
{
    struct health_change c;
    bool any = false;

    for (unsigned i = 0; i < ARRAY_COUNT(shown_health); i++) {
        if (!change_of(h, shown_health[i].key, &c))
            continue;
        if (!any)
            put_health_head(o);
        any = true;
        put_health_row(o, shown_health[i].label, &c);
    }
    if (any && f->warmest_c != INT64_MIN)
        page_line(o, "  warmest on the way: %lld C", (long long)f->warmest_c);
}

void summary_put_health(struct render_out *o, const struct run *run, const struct drive *d)
{
    struct burn_in_facts f;
    struct health_pair h;

    find_health(run, d, &h);
    if (burn_in_facts(run, d->name, &f))
        put_health_table(o, &h, &f);
    else
        put_health_line(o, &h);
}

/* ---- phases ---- */
enum {
    COL_PHASE = 2,
    PHASE_WIDTH = 22,
    COL_BEGAN = 34,
    COL_TOOK = 44,
    COL_RATE = 51,
    COL_READ = 60,
    COL_WRITTEN = 69,
    COL_ERRORS = 76,
    COL_WARMEST = 79
};

static void put_phases_head(struct render_out *o)
{
    char line[PAGE_COLUMNS + 1];
    struct text t = text_over(line, sizeof line);

    column_left(&t, COL_PHASE, PHASE_WIDTH, "phase");
    column_right(&t, COL_BEGAN, "began");
    column_right(&t, COL_TOOK, "took");
    column_right(&t, COL_RATE, "MB/s");
    column_right(&t, COL_READ, "read");
    column_right(&t, COL_WRITTEN, "written");
    column_right(&t, COL_ERRORS, "errors");
    column_right(&t, COL_WARMEST, "C");
    page_line(o, "%s", line);
}

static void put_bytes(struct text *line, size_t end, uint64_t bytes)
{
    char word[24];
    struct text t = text_over(word, sizeof word);

    text_capacity(&t, bytes);
    column_right(line, end, bytes ? word : "-");
}

static void put_time(struct text *line, size_t end, uint64_t ns)
{
    char word[24];
    struct text t = text_over(word, sizeof word);

    column_duration(&t, ns);
    column_right(line, end, word);
}

static void put_phase(struct render_out *o, const struct run *run, const struct journal_line *l)
{
    char line[PAGE_COLUMNS + 32], word[32];
    struct text t = text_over(line, sizeof line), w = text_over(word, sizeof word);
    uint64_t began_ns = event_u64(l, "began_ns"), rate = burn_in_phase_bytes_per_s(l),
             ms = event_u64(l, "ms");
    struct json_value v;
    int64_t degrees;

    burn_in_phase_words(l, &w);
    column_left(&t, COL_PHASE, PHASE_WIDTH, word);
    put_time(&t, COL_BEGAN, began_ns - min_u64(began_ns, run->first_t_ns));
    if (ms)
        put_time(&t, COL_TOOK, mul_div_u64(ms, NS_PER_MS, 1));
    else
        column_right(&t, COL_TOOK, "< 1 ms");
    text_reset(&w);
    column_number(&w, rate / 100000, 1, 6);
    column_right(&t, COL_RATE, rate ? word : "-");
    put_bytes(&t, COL_READ, event_u64(l, "read_bytes"));
    put_bytes(&t, COL_WRITTEN, event_u64(l, "written_bytes"));
    text_reset(&w);
    column_number(&w, event_u64(l, "errors"), 0, 6);
    column_right(&t, COL_ERRORS, word);
    bool knows = json_member(&l->body, "temperature_max_c", &v) && json_to_i64(&v, &degrees);
    str_fmt(word, sizeof word, "%lld", knows ? (long long)degrees : 0);
    column_right(&t, COL_WARMEST, knows ? word : "-");
    page_line(o, "%s", line);
    if (!event_is(l, "end", burn_in_end_words[BURN_IN_GOING]) &&
        !event_is(l, "end", burn_in_end_words[BURN_IN_FINISHED]))
        page_line(o, "    %s before its end",
                  event_is(l, "end", "stopped") ? "stopped" : "the drive left it");
}

void summary_put_burn_in(struct render_out *o, const struct run *run, const struct drive *d)
{
    struct burn_in_facts f;
    struct run_lines lines;
    struct journal_line l;
    char text[200];
    struct text t = text_over(text, sizeof text);

    if (!burn_in_facts(run, d->name, &f))
        return;
    burn_in_covered_words(&f, &t);
    if (t.len)
        page_wrap(o, 2, "covered: ", text);
    if (!f.phases)
        return;
    put_phases_head(o);
    run_lines_of(&lines, run, d->name);
    while (burn_in_next_phase(&lines, d->name, &l))
        put_phase(o, run, &l);
    if (event_u64(&f.state, "interruptions"))
        page_wrap(o, 2, "",
                  "These are the phases of this start; the journals of the earlier starts hold theirs.");
}
