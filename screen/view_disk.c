#include "bits.h"
#include "column.h"
#include "math.h"
#include "parts.h"
#include "str.h"
#include "text.h"
#include "views.h"

/* Two charts side by side: rates by block size, and how the latencies are spread. */
enum { WHAT_ROWS = 2, FLAG_ROWS = 2, LABEL = 9, VALUE = 8 };
struct chart {
    int column, width, row, end;
};

static void put_bar(struct grid *g, const struct chart *c, int row, const char *label, uint64_t v,
                    uint64_t most, const char *value)
{
    int room = c->width - LABEL - VALUE - 2, full = 0;

    if (most && room > 0)
        full = (int)mul_div_u64(v, (uint64_t)room, most);
    if (v && !full)
        full = 1;
    part_right(g, row, c->column, LABEL, INK_PLAIN, label);
    for (int i = 0; i < full && i < room; i++)
        grid_text(g, row, c->column + LABEL + 1 + i, INK_BAR, "#");
    part_right(g, row, c->column + c->width - VALUE, VALUE, INK_PLAIN, value);
}

static void put_sizes(struct grid *g, const struct chart *c, const struct disk_view *v)
{
    uint64_t most = 0;
    int row = c->row;

    part_text(g, row++, c->column, c->width, INK_TITLE, "Sequential reads, MB/s by block size");
    if (!v->size_count)
        part_text(g, row, c->column, c->width, INK_DIM, "none is finished yet");
    for (unsigned i = 0; i < v->size_count; i++)
        most = max_u64(most, v->sizes[i].bytes_per_s);
    for (unsigned i = 0; i < v->size_count && row < c->end; i++) {
        char label[24], value[24];
        struct text l = text_over(label, sizeof label), t = text_over(value, sizeof value);

        text_size(&l, v->sizes[i].block_bytes);
        column_number(&t, v->sizes[i].bytes_per_s / 100000, 1, VALUE);
        put_bar(g, c, row, label, v->sizes[i].bytes_per_s, most, value);
        /* The star as in the list of lanes: its words stand above the chart. */
        if (v->sizes[i].flags)
            grid_text(g, row, c->column + c->width, INK_TITLE, "*");
        row++;
    }
}

/* "split (all)", "errors (16 KiB)", "uneven (4 KiB to 64 KiB)", "host-bound (3 sizes)". */
static void add_flag(struct text *t, const struct disk_view *v, const struct step_flag_row *f)
{
    unsigned n = 0, first = 0, last = 0;

    for (unsigned i = 0; i < v->size_count; i++)
        if (v->sizes[i].flags & f->flag) {
            first = n++ ? first : i;
            last = i;
        }
    if (!n)
        return;
    text_fmt(t, "%s%s (", t->len ? ", " : "* ", f->name);
    if (n == v->size_count)
        text_str(t, "all");
    else if (n != last - first + 1)
        text_fmt(t, "%u size%s", n, str_plural(n));
    else
        text_size(t, v->sizes[first].block_bytes);
    if (n > 1 && n < v->size_count && n == last - first + 1) {
        text_str(t, " to ");
        text_size(t, v->sizes[last].block_bytes);
    }
    text_char(t, ')');
}

static void put_size_flags(struct grid *g, int row, const struct disk_view *v)
{
    char words[400];
    struct text t = text_over(words, sizeof words);

    for (unsigned i = 0; i < step_flag_count; i++)
        add_flag(&t, v, &step_flags[i]);
    if (t.len)
        part_wrapped(g, row, FLAG_ROWS, 2, INK_DIM, words);
}

static uint64_t class_sum(const struct disk_view *v, unsigned from, unsigned to)
{
    uint64_t sum = 0;

    for (unsigned i = from; i < to; i++)
        sum += v->latency_class_ios[i];
    return sum;
}

static void put_class(struct grid *g, const struct chart *c, int row, const struct disk_view *v, unsigned i,
                      uint64_t most, uint64_t all)
{
    char label[40], value[24];
    struct text l = text_over(label, sizeof label);
    uint64_t n = v->latency_class_ios[i];

    if (latency_class_ns[i] == UINT64_MAX)
        text_str(&l, "above");
    else {
        text_char(&l, '<');
        column_duration(&l, latency_class_ns[i]);
    }
    struct text t = text_over(value, sizeof value);
    text_fixed(&t, mul_div_u64(n, 1000, all), 1);
    text_str(&t, " %");
    put_bar(g, c, row, label, n, most, n ? value : "");
}

static void put_latencies(struct grid *g, const struct chart *c, const struct disk_view *v)
{
    unsigned from = 0, to = LATENCY_CLASS_COUNT, room = (unsigned)(c->end - c->row - 1);
    uint64_t all = class_sum(v, 0, LATENCY_CLASS_COUNT), most = 0;
    int row = c->row;

    part_text(g, row++, c->column, c->width, INK_TITLE, "How long single requests took");
    if (!all) {
        part_text(g, row, c->column, c->width, INK_DIM, "none is answered yet");
        return;
    }
    while (from < to && !v->latency_class_ios[from])
        from++;
    while (to > from && !v->latency_class_ios[to - 1])
        to--;
    /* The slow end is what a person looks for: when not all fit, the fast classes are left out. */
    if (to - from > room)
        from = to - room;
    for (unsigned i = from; i < to; i++)
        most = max_u64(most, v->latency_class_ios[i]);
    for (unsigned i = from; i < to; i++)
        put_class(g, c, row++, v, i, most, all);
}

/* A burn-in's phases have a mean rate, or none. */
static void put_now(struct grid *g, int row, const struct lane_view *l, bool burn_in)
{
    char line[200];
    struct text t = text_over(line, sizeof line);

    text_fmt(&t, "%s: ", l->job);
    if (burn_in && !l->bytes_per_s) {
        text_str(&t, "no rate in this phase");
    } else if (step_no_number(l->flags)) {
        text_str(&t, step_no_number(l->flags));
    } else if (burn_in) {
        text_fixed(&t, l->bytes_per_s / 100000, 1);
        text_str(&t, " MB/s in this phase");
    } else {
        text_fixed(&t, l->bytes_per_s / 100000, 1);
        text_fmt(&t, " MB/s, %llu IOPS", (unsigned long long)l->iops);
        if (l->p99_ns) {
            text_str(&t, ", p99 ");
            text_duration(&t, l->p99_ns);
        }
    }
    text_fmt(&t, ", %llu error%s", (unsigned long long)l->errors, str_plural(l->errors));
    step_flag_words(l->flags, &t);
    part_text(g, row, 0, part_width(g), l->errors ? INK_BAD : INK_PLAIN, line);
    bool done = l->state && str_equal(l->state, "done");
    grid_bar(g, row + 1, 0, part_width(g) < 60 ? part_width(g) : 60, done ? 1 : l->done, done ? 1 : l->total);
    part_text(g, row + 1, 61, part_width(g) - 61, INK_PLAIN, l->state ? l->state : "");
}

void view_disk(struct grid *g, const struct disk_view *v)
{
    static const char keys[] = "Up/Down: another disk   Esc: back   F1: help, and what the flags mean";
    int half = (part_width(g) - 2) / 2, end = g->rows - 1, row = 1;

    grid_clear(g, g->columns, g->rows);
    part_bar(g, 0, INK_HEAD, v->lane->disk);
    row += part_wrapped(g, row, WHAT_ROWS, 2, INK_PLAIN, v->what);
    part_text(g, row++, 0, part_width(g), INK_PLAIN, v->where);
    part_text(g, row++, 0, part_width(g), INK_PLAIN, v->state);
    put_now(g, row, v->lane, v->facts != NULL);
    if (v->facts) {
        struct scroll s = scroll_over(g, row + 3, end, 0);

        for (unsigned i = 0; i < v->fact_count; i++)
            scroll_text(&s, 4, (enum ink)v->facts[i].ink, v->facts[i].text);
        part_keys(g, keys);
        return;
    }
    put_size_flags(g, row + 2, v);
    row += 2 + FLAG_ROWS;
    if (end > row + 1) {
        struct chart left = { 0, half, row, end }, right = { half + 2, half, row, end };

        put_sizes(g, &left, v);
        put_latencies(g, &right, v);
    }
    part_keys(g, keys);
}
