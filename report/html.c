#include "html.h"
#include "bits.h"
#include "outcome.h"
#include "repeats.h"
#include "str.h"

/* ---- one drive ---- */
bool html_cells_are_alike(const struct html_cell *a, const struct html_cell *b)
{
    return str_equal(a->rw, b->rw) && a->block_bytes == b->block_bytes && a->depth == b->depth;
}

static void compare_with_earlier(struct html_drive *d, struct html_cell *c)
{
    bool measured = c->bytes_per_s && c->iops_milli && c->block_bytes && c->depth &&
                    !(c->flags & FLAG_MIXED_SIZES); /* has no place among block sizes */

    c->is_point = measured;
    c->is_zone = measured && !(c->flags & FLAG_SHARED_PATH) && c->span_lbas <= d->lba_count / 2;
    for (const struct html_cell *e = d->cell; e < c; e++) {
        if (!html_cells_are_alike(c, e))
            continue;
        c->is_point &= !e->is_point;
        c->is_zone &= !(e->is_zone && e->first_lba == c->first_lba);
    }
}

static void keep_cell(struct html_drive *d, const struct run *run, const struct journal_line *l)
{
    struct html_cell *c = &d->cell[d->cell_count];
    struct json_value all, one;

    if (d->cell_count == HTML_CELLS_MAX)
        return;
    d->cell_count++;
    *c = (struct html_cell){ .at = (size_t)(l->body.at - run->text),
                             .step = event_u64(l, "step"),
                             .block_bytes = event_u64(l, "block_bytes"),
                             .depth = event_u64(l, "depth"),
                             .first_lba = event_u64(l, "first_lba"),
                             .span_lbas = event_u64(l, "span_lbas"),
                             .bytes_per_s = event_u64(l, "bytes_per_s"),
                             .iops_milli = event_u64(l, "iops_milli"),
                             .run_ns = event_u64(l, "run_ns"),
                             .errors = event_u64(l, "errors"),
                             .flags = summary_flags(l) };
    if (step_no_number(c->flags))
        c->bytes_per_s = c->iops_milli = 0;
    event_str(l, "rw", c->rw, sizeof c->rw);
    c->random = str_starts(c->rw, "rand");
    c->has_p90 = json_member(&l->body, "latency_percentile_ns", &all) && json_member(&all, "900000", &one);
    compare_with_earlier(d, c);
}

static void keep_content(struct html_drive *d, const struct journal_line *l)
{
    struct html_content new = { .first_lba = event_u64(l, "first_lba"),
                                .bytes = event_u64(l, "bytes"),
                                .request_bytes = event_u64(l, "request_bytes") };
    struct html_content *c = d->content, *end = d->content + d->content_count;

    while (c < end &&
           !(c->first_lba == new.first_lba && c->bytes == new.bytes && c->request_bytes == new.request_bytes))
        c++;
    if (c == end) {
        if (d->content_count == HTML_CONTENTS_MAX)
            return;
        d->content_count++;
        *c = new;
    }
    if (event_is(l, "when", "before"))
        event_str(l, "crc32c", c->before, sizeof c->before);
    else
        event_str(l, "crc32c", c->after, sizeof c->after);
}

static void keep_finding(struct html_drive *d, const struct journal_line *l)
{
    struct html_finding *f = &d->finding[d->finding_count];

    if (d->finding_count == HTML_FINDINGS_MAX)
        return;
    d->finding_count++;
    f->seq = l->seq;
    event_str(l, "level", f->level, sizeof f->level);
    event_str(l, "code", f->code, sizeof f->code);
}

static void keep(struct html_drive *d, const struct run *run, const struct journal_line *l)
{
    if (str_equal(l->ev, "finding")) {
        if (event_is(l, "subject", d->d.name) && finding_times(run, l))
            keep_finding(d, l);
        return;
    }
    if (!event_is(l, "disk", d->d.name))
        return;
    if (str_equal(l->ev, "step_end"))
        keep_cell(d, run, l);
    else if (str_equal(l->ev, "data_crc"))
        keep_content(d, l);
    else if (str_equal(l->ev, "disk_verdict"))
        event_str(l, "why", d->why, sizeof d->why);
    else if (str_equal(l->ev, "health"))
        *(event_is(l, "when", "before") ? &d->health_before : &d->health_after) =
            (size_t)(l->body.at - run->text);
    else if (str_equal(l->ev, "drive_settings"))
        event_str(l, "settings", d->settings, sizeof d->settings);
    else if (str_equal(l->ev, "temperature"))
        d->heat = true;
    else
        d->records += !html_knows(l->ev);
}

void html_collect(struct html *h, const struct journal_line *disk, const struct drive *d, unsigned index)
{
    struct html_drive *to = &h->drive;
    struct run_lines lines;
    struct journal_line l;

    to->d = *d;
    to->index = index;
    to->described = disk != NULL;
    to->heat = false;
    to->lba_bytes = to->lba_count = to->records = 0;
    to->why[0] = to->settings[0] = 0;
    to->health_before = to->health_after = 0;
    to->cell_count = to->content_count = to->finding_count = 0;
    if (disk) {
        to->disk = *disk;
        to->lba_bytes = event_u64(disk, "lba_bytes");
        to->lba_count = event_u64(disk, "lba_count");
    }
    run_lines_of(&lines, h->run, d->name);
    while (run_lines_next(&lines, &l))
        keep(to, h->run, &l);
}

/* ---- drives ---- */
static void put_described_drives(struct html *h)
{
    struct drive_walk w;
    struct journal_line disk;
    struct drive d;

    drive_walk_start(&w, h->run);
    for (unsigned i = 0; !h->pen->out->failed && drive_walk_next(&w, h->run, &disk, &d); i++) {
        if (i >= SUMMARY_MAX_DISKS)
            continue;
        html_collect(h, &disk, &d, i);
        html_put_drive(h);
    }
    if (w.count > SUMMARY_MAX_DISKS)
        pen_fmt(h->pen, "<p class=\"note\">%llu more drive%s not shown here.</p>\n",
                (unsigned long long)(w.count - SUMMARY_MAX_DISKS),
                w.count - SUMMARY_MAX_DISKS == 1 ? " is" : "s are");
}

/* Numbers whose drive's description was lost are numbers all the same: a section for each such name, where it
 * comes up first. */
static void put_orphaned_drives(struct html *h)
{
    struct run_lines lines, earlier;
    struct journal_line l, disk, e;
    struct drive d = { 0 };
    unsigned index = SUMMARY_MAX_DISKS;

    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && index < 2 * SUMMARY_MAX_DISKS && run_lines_find(&lines, "step_end", &l)) {
        bool seen = false;

        event_str(&l, "disk", d.name, sizeof d.name);
        if (run_find_disk(h->run, d.name, &disk))
            continue;
        run_lines_of(&earlier, h->run, d.name);
        earlier.reader.len = (size_t)(l.body.at - h->run->text);
        while (!seen && run_lines_find(&earlier, "step_end", &e))
            seen = event_is(&e, "disk", d.name);
        if (seen)
            continue;
        html_collect(h, NULL, &d, index++);
        html_put_drive(h);
    }
}

/* ---- the page ---- */
static void put_head(struct pen *p, const char *verdict)
{
    pen_str(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               /* Nothing is fetched and no script runs, whatever a device calls itself. */
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
               "'unsafe-inline'\">\n"
               "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
               "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    pen_escaped(p, verdict);
    pen_str(p, " \xe2\x80\x93 Baresweep storage report</title>\n<style>\n");
    html_put_style(p);
    pen_str(p, "</style>\n</head>\n<body>\n");
    plot_markers(p);
}

static void put_run(struct html *h)
{
    static void (*const parts[])(struct html * h) = {
        html_put_top,        html_put_findings, html_put_not_tested, html_put_machine, put_described_drives,
        put_orphaned_drives, html_put_curves,   html_put_settings,   html_put_flags,
    };

    pen_fmt(h->pen, "<article id=\"r%u\">\n", h->run_number);
    for (unsigned i = 0; i < ARRAY_COUNT(parts); i++)
        parts[i](h);
    pen_str(h->pen, "</article>\n");
}

static void put_leftover(void *ctx, const char *sentence)
{
    struct pen *p = ctx;

    pen_str(p, "<p class=\"note\">");
    pen_escaped(p, sentence);
    pen_str(p, ".</p>\n");
}

/* The verdict of the first run, for the title; the caller's walk comes after. */
static __attribute__((noinline)) const char *first_verdict(const char *journal, size_t len)
{
    struct run_walk w;
    struct run run;

    run_walk_start(&w, journal, len);
    return verdict_text(run_walk_next(&w, &run) ? outcome_verdict(&run) : VERDICT_NOT_TESTED);
}

void render_html(const char *journal, size_t len, struct render_out *out)
{
    static struct html h; /* too large for a stack */
    struct pen pen;
    struct run_walk w;
    struct run run;

    pen_start(&pen, out);
    put_head(&pen, first_verdict(journal, len));
    h.pen = &pen;
    run_walk_start(&w, journal, len);
    while (!out->failed && run_walk_next(&w, &run)) {
        h.run = &run;
        h.run_number = (unsigned)w.runs;
        put_run(&h);
    }
    if (!w.runs)
        pen_str(&pen,
                "<article><header class=\"top untested\"><div class=\"stamp\"><b>NOT-TESTED</b>"
                "<span>nothing was measured</span></div><div class=\"who\"><h1>There is no journal here</h1>"
                "</div></header></article>\n");
    outcome_leftovers(&w, put_leftover, &pen);
    pen_str(&pen, "</body>\n</html>\n");
    pen_end(&pen);
}
