#include "html.h"
#include "burn_in_facts.h"
#include "bits.h"
#include "math.h"
#include "outcome.h"
#include "str.h"

/* The verdict, the machine in a line, what is missing, and all drives in a table. */

static const char *class_of(enum verdict v)
{
    static const char *const names[VERDICT_COUNT] = {
        [VERDICT_NOT_TESTED] = "untested", [VERDICT_PASS] = "pass",       [VERDICT_WARN] = "warn",
        [VERDICT_FAIL] = "fail",           [VERDICT_ABORTED] = "aborted",
    };

    return names[v];
}

/* ---- headline ---- */
static void put_stamp(struct html *h)
{
    enum verdict v = outcome_verdict(h->run);
    struct text t = text_over(h->words, sizeof h->words);

    outcome_headline(h->run, &t);
    pen_fmt(h->pen, "<header class=\"top %s\">\n<div class=\"stamp\"><b>%s</b><span>", class_of(v),
            verdict_text(v));
    pen_escaped(h->pen, h->words);
    pen_str(h->pen, "</span></div>\n");
}

/* A part of the line under the title; true when it said something. */
static void put_part(struct html *h, const struct journal_line *l, const char *before, const char *key)
{
    char words[120];

    if (!event_str(l, key, words, sizeof words))
        return;
    pen_str(h->pen, before);
    json_str(&l->body, key, words, sizeof words);
    pen_escaped(h->pen, words);
}

static void put_title(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;
    char words[80];
    bool described;

    run_lines_start(&lines, h->run);
    described = run_lines_find(&lines, "run_start", &l);
    pen_str(h->pen, "<div class=\"who\"><p class=\"kind\">Baresweep storage report</p><h1>");
    if (!described) {
        pen_str(h->pen, "A machine that is not known: the line that describes it is missing</h1><p>");
    } else {
        if (!event_str(&l, "vendor", words, sizeof words) && !event_str(&l, "model", words, sizeof words))
            pen_str(h->pen, "Unnamed machine");
        put_part(h, &l, "", "vendor");
        put_part(h, &l, " ", "model");
        if (event_str(&l, "serial", words, sizeof words)) {
            pen_str(h->pen, " <small>");
            pen_member(h->pen, &l, "serial");
            pen_str(h->pen, "</small>");
        }
        pen_str(h->pen, "</h1><p>");
        if (event_str(&l, "label", words, sizeof words)) {
            pen_str(h->pen, "<b>");
            pen_member(h->pen, &l, "label");
            pen_str(h->pen, "</b> \xc2\xb7 ");
        }
        if (event_str(&l, "clock", words, sizeof words)) {
            if (words[10] == 'T')
                words[10] = ' ';
            pen_escaped(h->pen, words);
            pen_str(h->pen, " \xc2\xb7 ");
        }
    }
    pen_str(h->pen, "took ");
    html_duration(h->pen, h->run->last_t_ns - min_u64(h->run->first_t_ns, h->run->last_t_ns));
    pen_fmt(h->pen, " \xc2\xb7 run <code>%016llx</code>", (unsigned long long)h->run->run_id);
    if (described)
        put_part(h, &l, " \xc2\xb7 version ", "version");
    pen_str(h->pen, "</p></div>\n</header>\n");
}

/* ---- what is missing ---- */
struct speaker {
    struct html *h;
    unsigned said;
};

static void put_reservation(void *ctx, const char *sentence)
{
    struct speaker *s = ctx;

    if (!s->said++)
        pen_str(s->h->pen, "<section class=\"missing\"><h2>Read this first</h2><ul>");
    pen_str(s->h->pen, "<li>");
    pen_escaped(s->h->pen, sentence);
    pen_str(s->h->pen, "</li>");
}

static void put_reservations(struct html *h)
{
    struct speaker s = { .h = h };

    outcome_reservations(h->run, put_reservation, &s);
    if (s.said)
        pen_str(h->pen, "</ul></section>\n");
}

static void put_contents(struct html *h)
{
    static const struct {
        const char *id, *words;
    } links[] = { { "drives", "Drives" },
                  { "findings", "Findings" },
                  { "untested", "Not tested" },
                  { "machine", "Machine" },
                  { "settings", "Settings" } };

    pen_str(h->pen, "<nav>");
    for (unsigned i = 0; i < ARRAY_COUNT(links); i++)
        if (!str_equal(links[i].id, "findings") || h->run->findings)
            pen_fmt(h->pen, "<a href=\"#r%u%s\">%s</a>", h->run_number, links[i].id, links[i].words);
    pen_str(h->pen, "</nav>\n");
}

/* ---- all drives ---- */
struct best {
    const struct html_cell *sequential, *random,
        *single; /* most bytes; most requests; alone, the smallest blocks */
};

static struct best best_of(const struct html_drive *d)
{
    struct best b = { NULL, NULL, NULL };

    for (unsigned i = 0; i < d->cell_count; i++) {
        const struct html_cell *c = &d->cell[i];

        if (step_no_number(c->flags))
            continue;
        if (!c->random && (!b.sequential || c->bytes_per_s > b.sequential->bytes_per_s))
            b.sequential = c;
        if (c->random && (!b.random || c->iops_milli > b.random->iops_milli))
            b.random = c;
        if (c->random && c->depth == 1 && (!b.single || c->block_bytes < b.single->block_bytes))
            b.single = c;
    }
    return b;
}

static void put_bar(struct pen *p, uint64_t value, uint64_t of)
{
    uint64_t percent = of ? mul_div_u64(value, 100, of) : 0;

    pen_fmt(p, "<i class=\"bar\" style=\"--p:%u\"></i>", (unsigned)min_u64(percent, 100));
}

static void put_setting(struct html *h, const struct html_cell *c)
{
    pen_str(h->pen, "<small>");
    html_size(h->pen, c->block_bytes);
    pen_fmt(h->pen, ", QD\xc2\xa0%llu", (unsigned long long)c->depth);
    for (unsigned i = 0; i < step_flag_count; i++) {
        if (!(c->flags & step_flags[i].flag))
            continue;
        pen_fmt(h->pen, " <a class=\"chip\" href=\"#r%uflag-%s\" title=\"", h->run_number,
                step_flags[i].name);
        pen_escaped(h->pen, step_flags[i].sentence);
        pen_fmt(h->pen, "\">%s</a>", step_flags[i].name);
    }
    pen_str(h->pen, "</small>");
}

static void put_best(struct html *h, const struct best *best, const struct best *top)
{
    static const char none[] = "<span class=\"none\">\xe2\x80\x93</span>";
    struct journal_line l;
    uint64_t ns;

    pen_str(h->pen, "<td data-l=\"Sequential, MB/s\">");
    if (best->sequential) {
        html_rate(h->pen, best->sequential->bytes_per_s);
        put_setting(h, best->sequential);
        put_bar(h->pen, best->sequential->bytes_per_s, top->sequential->bytes_per_s);
    } else {
        pen_str(h->pen, none);
    }
    pen_str(h->pen, "</td><td data-l=\"Random, IOPS\">");
    if (best->random) {
        html_iops(h->pen, best->random->iops_milli);
        put_setting(h, best->random);
        put_bar(h->pen, best->random->iops_milli, top->random->iops_milli);
    } else {
        pen_str(h->pen, none);
    }
    pen_str(h->pen, "</td><td data-l=\"Random alone, median\">");
    if (best->single && run_line_at(h->run, best->single->at, &l) && html_percentile(&l, 500000, &ns)) {
        html_latency(h->pen, ns);
        put_setting(h, best->single);
    } else {
        pen_str(h->pen, none);
    }
    pen_str(h->pen, "</td>");
}

static void put_overview_row(struct html *h, const struct best *top)
{
    const struct html_drive *d = &h->drive;
    const struct best best = best_of(d);

    pen_str(h->pen, "<tr><td class=\"v\">");
    html_badge(h->pen, d->d.has_verdict ? verdict_text(d->d.verdict)
                       : d->cell_count  ? "NO VERDICT"
                                        : "NOT-TESTED");
    pen_fmt(h->pen, "</td><th scope=\"row\"><a href=\"#r%ud%u\">", h->run_number, d->index);
    pen_escaped(h->pen, d->d.name);
    pen_str(h->pen, "</a><small>");
    pen_member(h->pen, &d->disk, "model");
    put_part(h, &d->disk, " \xc2\xb7 ", "serial");
    pen_str(h->pen, "</small></th><td data-l=\"Capacity\">");
    if (d->lba_count)
        html_capacity(h->pen, mul_div_u64(d->lba_count, d->lba_bytes, 1));
    pen_str(h->pen, "</td>");
    if (top)
        put_best(h, &best, top);
    else
        html_put_burn_in_cells(h);
    pen_str(h->pen, "<td class=\"w\">");
    if (d->d.errors)
        pen_fmt(h->pen, "<span class=\"chip bad\">failed reads</span>");
    pen_escaped(h->pen, d->why);
    pen_str(h->pen, "</td></tr>\n");
}

/* Calls put() for each drive, collected; the first SUMMARY_MAX_DISKS of them. */
static void for_each_drive(struct html *h, void (*put)(struct html *h, void *ctx), void *ctx)
{
    struct drive_walk w;
    struct journal_line disk;
    struct drive d;

    drive_walk_start(&w, h->run);
    for (unsigned i = 0;
         i < SUMMARY_MAX_DISKS && !h->pen->out->failed && drive_walk_next(&w, h->run, &disk, &d); i++) {
        html_collect(h, &disk, &d, i);
        put(h, ctx);
    }
}

/* The best numbers of all drives: what bars are measured by. */
struct overview {
    struct html_cell sequential, random;
    bool burn_in; /* nothing was measured */
};

static void take_best(struct html *h, void *ctx)
{
    struct overview *o = ctx;
    struct best b = best_of(&h->drive);

    if (b.sequential && b.sequential->bytes_per_s >= o->sequential.bytes_per_s)
        o->sequential = *b.sequential;
    if (b.random && b.random->iops_milli >= o->random.iops_milli)
        o->random = *b.random;
}

static void put_row(struct html *h, void *ctx)
{
    struct overview *o = ctx;
    struct best top = { &o->sequential, &o->random, NULL };

    put_overview_row(h, o->burn_in ? NULL : &top);
}

static void put_overview(struct html *h)
{
    struct overview o = { .burn_in = burn_in_is_all(h->run) };

    pen_fmt(h->pen, "<section id=\"r%udrives\"><h2>Drives</h2>\n", h->run_number);
    if (!h->run->disks) {
        pen_str(h->pen, "<p class=\"note\">No drive is described in this journal.</p></section>\n");
        return;
    }
    for_each_drive(h, take_best, &o);
    pen_str(h->pen, "<div class=\"wide\"><table class=\"overview\"><thead><tr><th>Verdict</th><th>Drive</th>"
                    "<th>Capacity</th>");
    if (o.burn_in)
        html_put_burn_in_heads(h);
    else
        pen_str(h->pen, "<th>Best sequential<br>MB/s</th><th>Best random<br>IOPS</th>"
                        "<th>Random alone<br>median latency</th>");
    pen_str(h->pen, "<th></th></tr></thead>\n<tbody>\n");
    for_each_drive(h, put_row, &o);
    pen_str(h->pen, "</tbody></table></div>\n</section>\n");
}

void html_put_top(struct html *h)
{
    put_stamp(h);
    put_title(h);
    put_reservations(h);
    put_contents(h);
    put_overview(h);
}
