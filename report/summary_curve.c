#include "bits.h"
#include "math.h"
#include "summary.h"
#include "str.h"

/* What several steps together show: scaling runs and rounds until steady. */

static unsigned long long ull(uint64_t v) { return v; }

/* ---- lists of a line ---- */
unsigned event_list(const struct journal_line *l, const char *key, uint64_t *values, unsigned most)
{
    struct json_value list, one;
    size_t cursor = 0;
    unsigned count = 0;

    if (!json_member(&l->body, key, &list) || list.kind != JSON_ARRAY)
        return 0;
    while (count < most && json_next(&list, &cursor, NULL, &one))
        if (!json_to_u64(&one, &values[count++]))
            values[count - 1] = 0;
    return count;
}

__attribute__((noinline)) unsigned curve_points(const struct journal_line *l,
                                                struct curve_point points[static CURVE_MAX_POINTS])
{
    uint64_t disks[CURVE_MAX_POINTS], rates[CURVE_MAX_POINTS];
    unsigned count = event_list(l, "disks", disks, CURVE_MAX_POINTS);
    unsigned rate_count = event_list(l, "bytes_per_s", rates, CURVE_MAX_POINTS);

    count = count < rate_count ? count : rate_count;
    for (unsigned i = 0; i < count; i++)
        points[i] = (struct curve_point){ disks[i], rates[i] };
    return count;
}

/* ---- scaling ---- */
enum { BAR_COLUMNS = 30, COL_DISKS = 10, COL_RATE = 22 };

static __attribute__((noinline)) void put_bar(struct render_out *o, const struct curve_point *p,
                                              uint64_t most, const char *remark)
{
    char line[120], word[32];
    struct text t = text_over(line, sizeof line), w = text_over(word, sizeof word);
    unsigned bar = most ? (unsigned)mul_div_u64(p->bytes_per_s, BAR_COLUMNS, most) : 0;

    text_fmt(&w, "%llu disk%s", ull(p->disks), str_plural(p->disks));
    column_right(&t, COL_DISKS, word);
    text_reset(&w);
    text_fixed(&w, p->bytes_per_s / 100000, 1);
    text_str(&w, " MB/s");
    column_right(&t, COL_RATE, word);
    text_str(&t, "  ");
    for (unsigned i = 0; i < bar && i < BAR_COLUMNS; i++)
        text_char(&t, '#');
    text_str(&t, remark);
    page_line(o, "%s", line);
}

static __attribute__((noinline)) void put_curve(struct render_out *o, const struct journal_line *l)
{
    struct curve_point point[CURVE_MAX_POINTS];
    unsigned count = curve_points(l, point);
    uint64_t most = 0, knee = event_u64(l, "knee_disks"), link = event_u64(l, "link_bytes_per_s");
    char text[300];
    struct text t = text_over(text, sizeof text);

    summary_add(&t, l, "controller", "");
    summary_add(&t, l, "job", ", ");
    page_wrap(o, 2, "", text);
    for (unsigned i = 0; i < count; i++)
        most = max_u64(most, point[i].bytes_per_s);
    for (unsigned i = 0; i < count; i++)
        put_bar(o, &point[i], most, knee && point[i].disks == knee ? "  <- straight up to here" : "");
    text_reset(&t);
    text_fmt(&t, "ceiling %llu MB/s", ull(event_u64(l, "ceiling_bytes_per_s") / 1000000));
    if (link)
        text_fmt(&t, ", the link carries %llu MB/s", ull(link / 1000000));
    summary_add(&t, l, "words", ": ");
    page_wrap(o, 4, "", text);
}

void summary_put_scaling(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    bool any = false;

    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "scaling", &l)) {
        summary_title_once(o, &any, "Scaling: several disks of one controller at once");
        put_curve(o, &l);
    }
}

/* ---- rounds ---- */
static __attribute__((noinline)) void put_rounds(struct render_out *o, const struct journal_line *l)
{
    uint64_t rate[ROUNDS_MAX];
    unsigned count = event_list(l, "bytes_per_s", rate, ROUNDS_MAX);
    char text[400];
    struct text t = text_over(text, sizeof text);

    summary_add(&t, l, "title", "");
    text_fmt(&t, "%s after %u round%s", event_u64(l, "steady") ? ": steady" : ": NOT steady", count,
             str_plural(count));
    if (!event_u64(l, "steady"))
        text_fmt(&t, " of at most %llu", ull(event_u64(l, "most")));
    text_str(&t, "; MB/s:");
    for (unsigned i = 0; i < count; i++)
        text_fmt(&t, " %llu", ull(rate[i] / 1000000));
    page_wrap(o, 2, "", text);
}

void summary_put_rounds(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    bool any = false;

    run_lines_start(&lines, run);
    while (run_lines_find(&lines, "rounds", &l)) {
        summary_title_once(o, &any, "Rounds until steady (SNIA: five within 20 %, slope within 10 %)");
        put_rounds(o, &l);
    }
}
