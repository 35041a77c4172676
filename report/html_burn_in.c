#include "bits.h"
#include "burn_in_facts.h"
#include "html.h"
#include "math.h"
#include "str.h"

/* The burn-in of a drive: what it covered, and its phases. */

static const char none[] = "<span class=\"none\">\xe2\x80\x93</span>";

static void put_bytes(struct html *h, const struct journal_line *l, const char *key)
{
    uint64_t bytes = event_u64(l, key);

    pen_str(h->pen, "<td>");
    if (bytes)
        html_capacity(h->pen, bytes);
    else
        pen_str(h->pen, none);
    pen_str(h->pen, "</td>");
}

static void put_phase(struct html *h, const struct journal_line *l)
{
    uint64_t began_ns = event_u64(l, "began_ns"), errors = event_u64(l, "errors"),
             rate = burn_in_phase_bytes_per_s(l), ms = event_u64(l, "ms");
    char word[32];
    struct text t = text_over(word, sizeof word);
    struct json_value v;

    burn_in_phase_words(l, &t);
    pen_str(h->pen, "<tr><th scope=\"row\">");
    pen_escaped(h->pen, word);
    if (event_is(l, "end", burn_in_end_words[BURN_IN_STOPPED]))
        pen_str(h->pen, " <span class=\"chip odd\">stopped</span>");
    else if (event_is(l, "end", burn_in_end_words[BURN_IN_LEFT]))
        pen_str(h->pen, " <span class=\"chip bad\">left here</span>");
    pen_str(h->pen, "</th><td>");
    html_duration(h->pen, began_ns - min_u64(began_ns, h->run->first_t_ns));
    pen_str(h->pen, "</td><td>");
    if (ms)
        html_duration(h->pen, mul_div_u64(ms, NS_PER_MS, 1));
    else
        pen_str(h->pen, "&lt;\xc2\xa0"
                        "1\xc2\xa0"
                        "ms");
    pen_str(h->pen, "</td><td>");
    if (rate)
        html_rate(h->pen, rate);
    else
        pen_str(h->pen, none);
    pen_str(h->pen, "</td>");
    put_bytes(h, l, "read_bytes");
    put_bytes(h, l, "written_bytes");
    pen_str(h->pen, errors ? "<td><span class=\"chip bad\">" : "<td>");
    html_number(h->pen, errors, 0);
    pen_str(h->pen, errors ? "</span></td><td>" : "</td><td>");
    if (json_member(&l->body, "temperature_max_c", &v) && v.kind == JSON_NUMBER)
        pen_bytes(h->pen, v.at, v.len);
    else
        pen_str(h->pen, none);
    pen_str(h->pen, "</td></tr>\n");
}

void html_put_burn_in(struct html *h)
{
    struct burn_in_facts f;
    struct run_lines lines;
    struct journal_line l;
    char text[200];
    struct text t = text_over(text, sizeof text);

    if (!burn_in_facts(h->run, h->drive.d.name, &f))
        return;
    burn_in_covered_words(&f, &t);
    pen_str(h->pen, "<h3>Burn-in</h3>\n<p class=\"common\">");
    pen_escaped(h->pen, text);
    if (event_u64(&f.state, "interruptions"))
        pen_str(h->pen, ". It was interrupted: these are the phases of the last start, the journals of the "
                        "earlier ones hold theirs");
    pen_str(h->pen, ".</p>\n");
    if (!f.phases)
        return;
    pen_str(h->pen,
            "<div class=\"wide\"><table class=\"results\"><thead><tr><th class=\"l\">Phase</th>"
            "<th>Began after</th><th>Took</th><th>MB/s</th><th>Read</th><th>Written</th><th>Errors</th>"
            "<th>Warmest, \xc2\xb0"
            "C</th></tr></thead>\n<tbody>\n");
    run_lines_of(&lines, h->run, h->drive.d.name);
    while (burn_in_next_phase(&lines, h->drive.d.name, &l))
        put_phase(h, &l);
    pen_str(h->pen, "</tbody></table></div>\n");
}

/* ---- its columns among all drives ---- */
static const struct {
    const char *head, *label;
    enum burn_in_phase phase;
} rates[] = {
    { "Surface read<br>MB/s", "Surface read, MB/s", BURN_IN_SURFACE },
    { "Random writes<br>MB/s", "Random writes, MB/s", BURN_IN_WRITE },
};

void html_put_burn_in_heads(struct html *h)
{
    for (unsigned i = 0; i < ARRAY_COUNT(rates); i++)
        pen_fmt(h->pen, "<th>%s</th>", rates[i].head);
    pen_str(h->pen, "<th>Not<br>covered</th>");
}

void html_put_burn_in_cells(struct html *h)
{
    const char *disk = h->drive.d.name;
    struct burn_in_facts f;

    for (unsigned i = 0; i < ARRAY_COUNT(rates); i++) {
        uint64_t rate = burn_in_bytes_per_s(h->run, disk, rates[i].phase);

        pen_fmt(h->pen, "<td data-l=\"%s\">", rates[i].label);
        if (rate)
            html_rate(h->pen, rate);
        else
            pen_str(h->pen, none);
        pen_str(h->pen, "</td>");
    }
    pen_str(h->pen, "<td data-l=\"Not covered\">");
    if (burn_in_facts(h->run, disk, &f) && f.disk_bytes)
        html_capacity(h->pen, f.disk_bytes - f.covered_bytes);
    else
        pen_str(h->pen, none);
    pen_str(h->pen, "</td>");
}
