#include "html.h"
#include "bits.h"
#include "str.h"

/* What was asked for, what the driver said, what the flags mean, and what this program has no place for. */

/* ---- configuration ---- */
static void put_conf(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;
    unsigned count = 0;

    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && run_lines_find(&lines, "conf", &l)) {
        if (!count++)
            pen_str(h->pen, "<dl class=\"list\">\n");
        pen_str(h->pen, "<dt>");
        pen_member(h->pen, &l, "source");
        pen_str(h->pen, "<small>text CRC-32C ");
        pen_member(h->pen, &l, "text_crc32c");
        pen_str(h->pen, "</small></dt><dd><code>");
        json_str(&l.body, "settings", h->words, sizeof h->words);
        pen_escaped(h->pen, h->words);
        pen_str(h->pen, "</code></dd>\n");
    }
    pen_str(h->pen,
            count ? "</dl>\n" : "<p class=\"note\">No line of the journal says what was configured.</p>\n");
}

static void put_problems(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;
    char job[48];

    if (!h->run->problems)
        return;
    pen_str(h->pen, "<h3>Refused lines</h3><dl class=\"list\">\n");
    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && run_lines_find(&lines, "problem", &l)) {
        pen_str(h->pen, "<dt>");
        pen_member(h->pen, &l, "source");
        pen_fmt(h->pen, ":%llu", (unsigned long long)event_u64(&l, "line"));
        if (event_str(&l, "job", job, sizeof job)) {
            pen_str(h->pen, "<small>job ");
            pen_member(h->pen, &l, "job");
            pen_str(h->pen, "</small>");
        }
        pen_str(h->pen, "</dt><dd>");
        pen_member(h->pen, &l, "text");
        pen_str(h->pen, "</dd>\n");
    }
    pen_str(h->pen, "</dl>\n");
}

/* ---- the driver's log ---- */
static void put_log(struct html *h)
{
    static const char *const levels[] = { "error", "warning", "", "" };
    enum { SHOWN_LINES = 400 };
    struct run_lines lines;
    struct journal_line l;
    unsigned count = 0;

    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && run_lines_find(&lines, "log", &l)) {
        uint64_t level = min_u64(event_u64(&l, "level"), ARRAY_COUNT(levels) - 1);

        if (!count++)
            pen_str(h->pen, "<details><summary>What the drivers said</summary><ol class=\"log\">\n");
        if (count > SHOWN_LINES)
            continue;
        pen_str(h->pen, "<li><time>");
        pen_fixed(h->pen, (l.t_ns - min_u64(h->run->first_t_ns, l.t_ns)) / NS_PER_MS, 3);
        pen_str(h->pen, "\xc2\xa0s</time> ");
        if (levels[level][0])
            pen_fmt(h->pen, "<b>%s</b> ", levels[level]);
        pen_member(h->pen, &l, "text");
        pen_str(h->pen, "</li>\n");
    }
    if (count > SHOWN_LINES)
        pen_fmt(h->pen, "<li>%u more line%s in the journal</li>\n", count - SHOWN_LINES,
                count - SHOWN_LINES == 1 ? " is" : "s are");
    if (count)
        pen_str(h->pen, "</ol></details>\n");
}

void html_put_settings(struct html *h)
{
    pen_fmt(h->pen, "<section id=\"r%usettings\"><h2>Settings</h2>\n", h->run_number);
    put_conf(h);
    put_problems(h);
    put_log(h);
    pen_str(h->pen, "</section>\n");
}

/* ---- flags ---- */
void html_put_flags(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;
    uint32_t seen = 0;

    run_lines_start(&lines, h->run);
    while (run_lines_find(&lines, "step_end", &l))
        seen |= summary_flags(&l);
    if (seen) {
        pen_str(h->pen, "<section><h2>What the flags mean</h2><dl class=\"list\">\n");
        for (unsigned i = 0; i < step_flag_count; i++) {
            if (!(seen & step_flags[i].flag))
                continue;
            pen_fmt(h->pen, "<dt id=\"r%uflag-%s\"><span class=\"chip\">%s</span></dt><dd>", h->run_number,
                    step_flags[i].name, step_flags[i].name);
            pen_escaped(h->pen, step_flags[i].sentence);
            pen_str(h->pen, "</dd>\n");
        }
        pen_str(h->pen, "</dl></section>\n");
    }
    pen_fmt(
        h->pen,
        "<footer>Made from the %llu lines of the journal of run <code>%016llx</code>, and from nothing else. MB/s is "
        "1\xe2\x80\xaf"
        "000\xe2\x80\xaf"
        "000 bytes per second; KiB and MiB are powers of 1024.</footer>\n",
        (unsigned long long)h->run->lines, (unsigned long long)h->run->run_id);
}

/* ---- lines of other kinds ---- */
/* Their members as rows, a few lines of the same kind (and disk) beside each other. */
static bool is_of(const struct journal_line *l, const char *disk)
{
    struct json_value v;

    return disk ? event_is(l, "disk", disk) : !json_member(&l->body, "disk", &v);
}

static void put_value(struct html *h, const struct journal_line *l, const char *key)
{
    struct json_value v;

    if (!json_member(&l->body, key, &v))
        return;
    if (v.kind == JSON_STRING)
        pen_member(h->pen, l, key);
    else if (v.kind == JSON_NUMBER)
        pen_digits(h->pen, &l->body, key);
    else
        pen_str(h->pen, "\xe2\x80\xa6");
}

static bool is_of_every_line(const char *key)
{
    static const char *const keys[] = { "v", "run", "seq", "t_ns", "ev", "crc", "disk" };

    for (unsigned i = 0; i < ARRAY_COUNT(keys); i++)
        if (str_equal(key, keys[i]))
            return true;
    return false;
}

static void put_kind(struct html *h, const struct journal_line *first, const char *disk)
{
    struct journal_line *across = h->across;
    struct run_lines lines;
    struct json_value name, v;
    size_t cursor = 0;
    unsigned count = 0;
    char key[64];

    run_lines_start(&lines, h->run);
    while (count < HTML_LINES_ACROSS && run_lines_find(&lines, first->ev, &across[count]))
        count += is_of(&across[count], disk);
    pen_str(h->pen, "<h3>");
    pen_escaped(h->pen, first->ev);
    pen_str(h->pen, "</h3><div class=\"wide\"><table class=\"values\"><tbody>\n");
    while (json_next(&first->body, &cursor, &name, &v)) {
        if (!json_to_str(&name, key, sizeof key) || is_of_every_line(key))
            continue;
        pen_str(h->pen, "<tr><th scope=\"row\">");
        pen_escaped(h->pen, key);
        pen_str(h->pen, "</th>");
        for (unsigned i = 0; i < count; i++) {
            pen_str(h->pen, "<td>");
            put_value(h, &across[i], key);
            pen_str(h->pen, "</td>");
        }
        pen_str(h->pen, "</tr>\n");
    }
    pen_str(h->pen, "</tbody></table></div>\n");
}

void html_put_records(struct html *h, const char *disk)
{
    struct run_lines lines;
    struct journal_line l;
    unsigned count = 0;

    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && count < HTML_KINDS_MAX && run_lines_next(&lines, &l)) {
        bool known = html_knows(l.ev) || !is_of(&l, disk);

        for (unsigned i = 0; i < count; i++)
            known |= str_equal(h->kinds[i], l.ev);
        if (known)
            continue;
        str_copy(h->kinds[count++], sizeof h->kinds[0], l.ev);
        put_kind(h, &l, disk);
    }
}
