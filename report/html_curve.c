#include "bits.h"
#include "html.h"
#include "math.h"

/* Scaling runs and rounds until steady: what several steps together show. */

static void label_count(struct text *t, uint64_t v) { text_u64(t, v); }

static __attribute__((noinline)) void draw_curve(struct html *h, const struct curve_point *point,
                                                 unsigned count, uint64_t link)
{
    struct plot p = { .pen = h->pen,
                      .x = { .label = label_count, .title = "disks at once" },
                      .y = { .label = plot_label_megabytes, .title = "MB/s" } };
    char title[80];
    uint64_t most = link;

    for (unsigned i = 0; i < count; i++)
        most = max_u64(most, point[i].bytes_per_s);
    plot_fit(&p.x, 0, point[count - 1].disks);
    plot_fit(&p.y, 0, most);
    plot_begin(&p, "Rate by disks at once");
    if (link) {
        plot_line_begin(&p, 1);
        plot_vertex(&p, 0, link);
        plot_vertex(&p, point[count - 1].disks, link);
        plot_line_end(&p);
    }
    plot_line_begin(&p, 0);
    for (unsigned i = 0; i < count; i++)
        plot_vertex(&p, point[i].disks, point[i].bytes_per_s);
    plot_line_end(&p);
    for (unsigned i = 0; i < count; i++) {
        struct text t = text_over(title, sizeof title);

        text_fmt(&t, "%llu at once: ", (unsigned long long)point[i].disks);
        text_fixed(&t, point[i].bytes_per_s / 100000, 1);
        text_str(&t, " MB/s");
        plot_point(&p, 0, point[i].disks, point[i].bytes_per_s, title);
    }
    plot_end(&p);
    pen_str(h->pen, "<ul class=\"legend\">");
    plot_legend(h->pen, 0, "measured");
    if (link)
        plot_legend(h->pen, 1, "what the link carries");
    pen_str(h->pen, "</ul>");
}

static __attribute__((noinline)) void put_curve(struct html *h, const struct journal_line *l)
{
    struct curve_point point[CURVE_MAX_POINTS];
    unsigned count = curve_points(l, point);

    pen_str(h->pen, "<figure class=\"chart\"><figcaption>");
    pen_member(h->pen, l, "controller");
    pen_str(h->pen, ", ");
    pen_member(h->pen, l, "job");
    pen_str(h->pen, "</figcaption>");
    if (count)
        draw_curve(h, point, count, event_u64(l, "link_bytes_per_s"));
    pen_str(h->pen, "<table class=\"values\"><thead><tr><th>Disks</th><th>MB/s</th></tr></thead><tbody>");
    for (unsigned i = 0; i < count; i++) {
        pen_fmt(h->pen, "<tr><td>%llu</td><td>", (unsigned long long)point[i].disks);
        html_rate(h->pen, point[i].bytes_per_s);
        pen_str(h->pen, "</td></tr>");
    }
    pen_fmt(h->pen, "</tbody></table><p>Straight up to %llu, ceiling ",
            (unsigned long long)event_u64(l, "knee_disks"));
    html_rate(h->pen, event_u64(l, "ceiling_bytes_per_s"));
    pen_str(h->pen, " MB/s: ");
    pen_member(h->pen, l, "words");
    pen_str(h->pen, ".</p></figure>\n");
}

static void put_scaling(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;
    bool any = false;

    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && run_lines_find(&lines, "scaling", &l)) {
        if (!any)
            pen_str(h->pen,
                    "<section><h2>Several disks of one controller at once</h2><div class=\"charts\">\n");
        any = true;
        put_curve(h, &l);
    }
    if (any)
        pen_str(h->pen, "</div></section>\n");
}

static __attribute__((noinline)) void put_round_row(struct html *h, const struct journal_line *l)
{
    uint64_t rate[ROUNDS_MAX];
    unsigned count = event_list(l, "bytes_per_s", rate, ROUNDS_MAX);
    bool steady = event_u64(l, "steady");

    pen_str(h->pen, "<tr><th scope=\"row\">");
    pen_member(h->pen, l, "title");
    pen_fmt(h->pen, "</th><td>%u</td><td class=\"l\"><span class=\"chip %s\">%s</span></td><td class=\"l\">",
            count, steady ? "good" : "odd", steady ? "steady" : "not steady");
    for (unsigned i = 0; i < count; i++) {
        pen_str(h->pen, i ? ", " : "");
        html_rate(h->pen, rate[i]);
    }
    pen_str(h->pen, "</td></tr>\n");
}

static void put_rounds(struct html *h)
{
    struct run_lines lines;
    struct journal_line l;
    bool any = false;

    run_lines_start(&lines, h->run);
    while (!h->pen->out->failed && run_lines_find(&lines, "rounds", &l)) {
        if (!any)
            pen_str(h->pen,
                    "<section><h2>Rounds until steady</h2><p class=\"note\">SNIA: five rounds within 20 % of "
                    "their mean, their slope within 10 % of it.</p><div class=\"wide\"><table "
                    "class=\"results\"><thead><tr><th class=\"l\">Step</th><th>Rounds</th><th class=\"l\">"
                    "End</th><th class=\"l\">MB/s of each</th></tr></thead>\n<tbody>\n");
        any = true;
        put_round_row(h, &l);
    }
    if (any)
        pen_str(h->pen, "</tbody></table></div></section>\n");
}

void html_put_curves(struct html *h)
{
    put_scaling(h);
    put_rounds(h);
}
