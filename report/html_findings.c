#include "html.h"
#include "bits.h"
#include "finding.h"
#include "outcome.h"
#include "repeats.h"
#include "str.h"

/* ---- findings ---- */
static const char *const certainty_words[] = { [SURE] = "", [LIKELY] = "likely", [HINT] = "a hint, no more" };

/* What asks for action comes first and open; the rest is folded. */
static const enum finding_level levels[] = { FINDING_FAIL, FINDING_WARN, FINDING_CANNOT_TELL, FINDING_INFO,
                                             FINDING_PASS };
enum { LEVELS_OPEN = 3 };

static void put_again(struct html *h, unsigned times)
{
    char text[40];
    struct text t = text_over(text, sizeof text);

    finding_times_words(times, &t);
    if (t.len)
        pen_fmt(h->pen, "<div><dt>Again</dt><dd>%s</dd></div>", text);
}

static void put_finding(struct html *h, const struct journal_line *l, unsigned times, bool asks_for_action,
                        bool *advised)
{
    char code[40], subject[28], level[16];
    const struct finding_kind *kind;

    event_str(l, "code", code, sizeof code);
    event_str(l, "subject", subject, sizeof subject);
    event_str(l, "level", level, sizeof level);
    kind = finding_kind(code);
    pen_fmt(h->pen, "<article class=\"finding\" id=\"r%uf%llu\"><h3>", h->run_number,
            (unsigned long long)l->seq);
    html_badge(h->pen, level);
    pen_str(h->pen, " <span>");
    pen_escaped(h->pen, kind ? kind->title : code);
    if (kind && asks_for_action && certainty_words[kind->certainty][0])
        pen_fmt(h->pen, " <em>%s</em>", certainty_words[kind->certainty]);
    pen_str(h->pen, "</span> <span class=\"on\">");
    html_subject(h, subject);
    pen_str(h->pen, "</span></h3><dl>");
    html_fact(h, l, "Seen", "seen");
    html_fact(h, l, "Expected", "expected");
    put_again(h, times);
    if (kind && asks_for_action && kind->advice) {
        pen_str(h->pen, "<div><dt>Do</dt><dd>");
        html_put_advice(h, advised[kind - finding_kinds] ? "as above" : kind->advice);
        pen_str(h->pen, "</dd></div>");
        advised[kind - finding_kinds] = true;
        h->contacts |= html_is_about_contacts(kind->advice);
    }
    pen_str(h->pen, "</dl></article>\n");
}

/* The findings of these levels; how many there were. */
static unsigned put_levels(struct html *h, unsigned from, unsigned to, bool counting)
{
    struct run_lines lines;
    struct journal_line l;
    bool advised[160] = { false };
    unsigned count = 0, times;

    if (finding_kind_count > ARRAY_COUNT(advised))
        return 0;
    for (unsigned i = from; i < to; i++) {
        run_lines_start(&lines, h->run);
        while (!h->pen->out->failed && run_lines_find(&lines, "finding", &l)) {
            if (!event_is(&l, "level", finding_level_text(levels[i])) || !(times = finding_times(h->run, &l)))
                continue;
            count++;
            if (!counting)
                put_finding(h, &l, times, i < LEVELS_OPEN, advised);
        }
    }
    return count;
}

void html_put_findings(struct html *h)
{
    unsigned folded;

    h->contacts = false;
    if (!h->run->findings)
        return;
    pen_fmt(h->pen, "<section id=\"r%ufindings\" class=\"findings\"><h2>Findings</h2>\n", h->run_number);
    if (!put_levels(h, 0, LEVELS_OPEN, false))
        pen_str(h->pen, "<p class=\"note\">Nothing asks for action.</p>\n");
    if (h->contacts)
        html_put_contacts(h);
    folded = put_levels(h, LEVELS_OPEN, ARRAY_COUNT(levels), true);
    if (folded) {
        pen_fmt(h->pen, "<details><summary>%u more that ask%s for nothing</summary>\n", folded,
                folded == 1 ? "s" : "");
        put_levels(h, LEVELS_OPEN, ARRAY_COUNT(levels), false);
        pen_str(h->pen, "</details>\n");
    }
    pen_str(h->pen, "</section>\n");
}

/* ---- what was not tested ---- */
static void put_one(struct html *h, const struct journal_line *l, const char *name_key, const char *why_key,
                    unsigned *count)
{
    char name[28], why[8];

    if (!event_str(l, why_key, why, sizeof why))
        return;
    if (!(*count)++)
        pen_str(h->pen, "<dl class=\"list\">\n");
    event_str(l, name_key, name, sizeof name);
    pen_str(h->pen, "<dt>");
    html_subject(h, name);
    if (event_str(l, "job", why, sizeof why)) {
        pen_str(h->pen, "<small>");
        pen_member(h->pen, l, "job");
        pen_str(h->pen, "</small>");
    }
    pen_str(h->pen, "</dt><dd>");
    pen_member(h->pen, l, why_key);
    pen_str(h->pen, "</dd>\n");
}

void html_put_not_tested(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;
    unsigned count = 0;

    pen_fmt(h->pen, "<section id=\"r%uuntested\"><h2>Not tested</h2>\n", h->run_number);
    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && run_lines_next(&lines, &l)) {
        if (str_equal(l.ev, "controller") || str_equal(l.ev, "disk"))
            put_one(h, &l, "name", "why_not", &count);
        else if (str_equal(l.ev, "not_tested") && !outcome_is_said_by_its_disk(h->run, &l))
            put_one(h, &l, "disk", "why", &count);
    }
    pen_str(h->pen,
            count ? "</dl>\n</section>\n"
            : h->run->ends
                ? "<p class=\"note\">Everything that was found and planned was tested.</p></section>\n"
                : "<p class=\"note\">Nothing is named here, but the run did not finish: what comes "
                  "after the last line of the journal was not tested.</p></section>\n");
}
