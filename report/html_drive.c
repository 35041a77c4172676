#include "html.h"
#include "bits.h"
#include "finding.h"
#include "math.h"
#include "str.h"

/* The section of one drive. */

static void put_title(struct html *h)
{
    const struct html_drive *d = &h->drive;
    char word[4];

    pen_fmt(h->pen, "<section class=\"drive%s\" id=\"r%ud%u\"><h2>", d->cell_count ? " full" : "",
            h->run_number, d->index);
    html_badge(h->pen, d->d.has_verdict ? verdict_text(d->d.verdict) : "NO VERDICT");
    pen_str(h->pen, " <span>");
    pen_escaped(h->pen, d->d.name);
    pen_str(h->pen, "</span> <small>");
    if (!d->described)
        pen_str(h->pen, "its description is missing from the journal");
    else if (!event_str(&d->disk, "model", word, sizeof word))
        pen_str(h->pen, "does not say what it is");
    else
        pen_member(h->pen, &d->disk, "model");
    pen_str(h->pen, "</small></h2>\n");
    if (d->why[0]) {
        pen_str(h->pen, "<p class=\"why\">");
        pen_escaped(h->pen, d->why);
        pen_str(h->pen, "</p>\n");
    } else if (!d->d.has_verdict) {
        pen_str(h->pen, "<p class=\"why\">No verdict in this journal.</p>\n");
    }
}

static void put_identity(struct html *h)
{
    static const struct {
        const char *label, *key;
    } facts[] = { { "Serial number", "serial" },  { "Firmware", "firmware" }, { "Kind", "kind" },
                  { "Controller", "controller" }, { "Identity", "identity" }, { "Turns", "rotation" } };
    const struct html_drive *d = &h->drive;
    uint64_t command_bytes, depth; /* 0: no limit, or of a disk that is not driven */

    if (!d->described)
        return;
    command_bytes = event_u64(&d->disk, "max_command_bytes");
    depth = event_u64(&d->disk, "max_depth");
    pen_str(h->pen, "<dl class=\"facts\"><div><dt>Capacity</dt><dd>");
    html_capacity(h->pen, mul_div_u64(d->lba_count, d->lba_bytes, 1));
    pen_str(h->pen, "</dd></div>");
    for (unsigned i = 0; i < ARRAY_COUNT(facts); i++)
        html_fact(h, &d->disk, facts[i].label, facts[i].key);
    pen_str(h->pen, "<div><dt>Blocks</dt><dd>");
    html_number(h->pen, d->lba_count, 0);
    pen_fmt(h->pen, " of %llu bytes, %llu on the medium</dd></div>", (unsigned long long)d->lba_bytes,
            (unsigned long long)event_u64(&d->disk, "physical_block_bytes"));
    if (command_bytes) {
        pen_str(h->pen, "<div><dt>Largest command</dt><dd>");
        html_size(h->pen, command_bytes);
        pen_str(h->pen, "</dd></div>");
    }
    if (depth)
        pen_fmt(h->pen, "<div><dt>Deepest queue</dt><dd>%llu</dd></div>", (unsigned long long)depth);
    html_fact(h, &d->disk, "Not readable because", "why_not");
    pen_str(h->pen, "</dl>\n");
    if (d->settings[0]) {
        pen_str(h->pen, "<p class=\"common\">Settings: ");
        pen_escaped(h->pen, d->settings);
        pen_str(h->pen, "</p>\n");
    }
}

static void put_findings(struct html *h)
{
    const struct html_drive *d = &h->drive;

    if (!d->finding_count)
        return;
    pen_str(h->pen, "<ul class=\"findlist\">");
    for (unsigned i = 0; i < d->finding_count; i++) {
        const struct finding_kind *kind = finding_kind(d->finding[i].code);

        pen_str(h->pen, "<li>");
        html_badge(h->pen, d->finding[i].level);
        pen_fmt(h->pen, " <a href=\"#r%uf%llu\">", h->run_number, (unsigned long long)d->finding[i].seq);
        pen_escaped(h->pen, kind ? kind->title : d->finding[i].code);
        pen_str(h->pen, "</a></li>");
    }
    pen_str(h->pen, "</ul>\n");
}

/* ---- failed reads ---- */
static void put_error(struct html *h, const struct journal_line *l)
{
    pen_str(h->pen, "<tr><th scope=\"row\">");
    pen_member(h->pen, l, "job");
    pen_fmt(h->pen, "</th><td>%s ", event_u64(l, "located") ? "at" : "from");
    pen_digits(h->pen, &l->body, "lba");
    pen_str(h->pen, "</td><td>");
    pen_digits(h->pen, &l->body, "blocks");
    pen_fmt(h->pen, "</td><td>0x%llx</td><td class=\"l\">", (unsigned long long)event_u64(l, "detail"));
    pen_member(h->pen, l, "words");
    pen_str(h->pen, "</td></tr>\n");
}

static void put_more_errors(struct html *h, const struct journal_line *l)
{
    pen_str(h->pen, "<tr><th scope=\"row\">");
    pen_member(h->pen, l, "job");
    pen_str(h->pen, "</th><td class=\"l\" colspan=\"4\">");
    html_number(h->pen, event_u64(l, "count"), 0);
    pen_str(h->pen, " more</td></tr>\n");
}

static void put_errors(struct html *h)
{
    enum { SHOWN_ERRORS = 100 };
    struct run_lines lines;
    struct journal_line l;
    unsigned shown = 0;

    if (!h->drive.d.errors)
        return;
    pen_str(
        h->pen,
        "<h3>Failed reads</h3><div class=\"wide\"><table class=\"results\"><thead><tr><th class=\"l\">Job</th>"
        "<th>LBA</th><th>Blocks</th><th>Status</th><th class=\"l\">In words</th></tr></thead>\n<tbody>\n");
    run_lines_of(&lines, h->run, h->drive.d.name);
    while (!h->pen->out->failed && run_lines_next(&lines, &l)) {
        bool is_more = str_equal(l.ev, "io_errors_more");

        if ((!is_more && !str_equal(l.ev, "io_error")) || !event_is(&l, "disk", h->drive.d.name))
            continue;
        if (is_more)
            put_more_errors(h, &l);
        else if (shown++ < SHOWN_ERRORS)
            put_error(h, &l);
    }
    if (shown > SHOWN_ERRORS)
        pen_fmt(h->pen, "<tr><td class=\"l\" colspan=\"5\">%u more are in the journal</td></tr>\n",
                shown - SHOWN_ERRORS);
    pen_str(h->pen, "</tbody></table></div>\n");
}

/* ---- content ---- */
static void put_content_row(struct html *h, const struct html_content *c)
{
    bool both = c->before[0] && c->after[0], same = both && str_equal(c->before, c->after);

    pen_fmt(h->pen, "<tr><td>%llu</td><td>", (unsigned long long)c->first_lba);
    html_size(h->pen, c->bytes);
    pen_str(h->pen, "</td><td>");
    html_size(h->pen, c->request_bytes);
    pen_str(h->pen, "</td><td><code>");
    pen_escaped(h->pen, c->before);
    pen_str(h->pen, "</code></td><td><code>");
    pen_escaped(h->pen, c->after);
    pen_fmt(h->pen, "</code></td><td class=\"l\"><span class=\"chip %s\">%s</span></td></tr>\n",
            same   ? "good"
            : both ? "bad"
                   : "odd",
            same   ? "unchanged"
            : both ? "CHANGED"
                   : "read once only");
}

static void put_contents(struct html *h)
{
    if (!h->drive.content_count)
        return;
    pen_str(
        h->pen,
        "<details><summary>Content before and after: this program reads and leaves everything as it was"
        "</summary><div class=\"wide\"><table class=\"values\"><thead><tr><th>First LBA</th><th>Length</th>"
        "<th>Requests of</th><th>CRC-32C before</th><th>after</th><th></th></tr></thead>\n<tbody>\n");
    for (unsigned i = 0; i < h->drive.content_count; i++)
        put_content_row(h, &h->drive.content[i]);
    pen_str(h->pen, "</tbody></table></div></details>\n");
}

void html_put_drive(struct html *h)
{
    put_title(h);
    put_findings(h);
    put_identity(h);
    if (h->drive.cell_count || h->drive.heat) {
        pen_str(h->pen, "<div class=\"charts\">\n");
        if (h->drive.cell_count)
            html_put_charts(h);
        if (h->drive.heat)
            html_put_heat(h);
        pen_str(h->pen, "</div>\n");
    }
    html_put_cells(h);
    put_errors(h);
    html_put_burn_in(h);
    html_put_health(h);
    if (h->drive.records)
        html_put_records(h, h->drive.d.name);
    put_contents(h);
    pen_fmt(h->pen, "<p class=\"up\"><a href=\"#r%udrives\">All drives</a></p></section>\n", h->run_number);
}
