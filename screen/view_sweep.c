#include "bits.h"
#include "column.h"
#include "parts.h"
#include "str.h"
#include "views.h"

/* The lanes' table takes what the screen gives: numbers have fixed widths, then the disk's name grows to its
 * full length, then the job's, then the bar. */
struct layout {
    int disk, job, bar; /* widths */
};
enum {
    DISK_MIN = 12,
    DISK_MAX = 23,
    JOB_MIN = 12,
    JOB_MAX = 39,
    BAR_MIN = 10,
    BAR_MAX = 60,
    RATE = 8,
    IOPS = 8,
    P99 = 9,
    ERRORS = 6,
    STATE = 7,
    GAPS = 7,
    FIRST_LANE_ROW = 4,
    FOOT_ROWS = 3 /* more below, and two for the worst news */
};

static int grow(int *spare, int min, int max)
{
    int more = *spare < max - min ? *spare : max - min;

    *spare -= more;
    return min + more;
}

static struct layout layout_for(const struct grid *g)
{
    struct layout l;
    int spare = part_width(g) - (DISK_MIN + JOB_MIN + BAR_MIN + RATE + IOPS + P99 + ERRORS + STATE + GAPS);

    if (spare < 0)
        spare = 0;
    l.disk = grow(&spare, DISK_MIN, DISK_MAX);
    l.job = grow(&spare, JOB_MIN, JOB_MAX);
    l.bar = grow(&spare, BAR_MIN, BAR_MAX);
    return l;
}

static void put_heads(struct grid *g, const struct layout *l)
{
    const struct {
        const char *word;
        int width;
        bool right;
    } heads[] = {
        { "disk", l->disk, false },    { "job", l->job, false },  { "MB/s", RATE, true },
        { "IOPS", IOPS, true },        { "p99", P99, true },      { "errors", ERRORS, true },
        { "progress", l->bar, false }, { "state", STATE, false },
    };
    int column = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(heads); i++) {
        (heads[i].right ? part_right : part_text)(g, FIRST_LANE_ROW - 1, column, heads[i].width, INK_DIM,
                                                  heads[i].word);
        column += heads[i].width + 1;
    }
}

static int put_number(struct grid *g, int row, int column, int width, enum ink ink, uint64_t v,
                      unsigned decimals)
{
    char word[32];
    struct text t = text_over(word, sizeof word);

    column_number(&t, v, decimals, (size_t)width);
    part_right(g, row, column, width, ink, word);
    return column + width + 1;
}

static int put_p99(struct grid *g, int row, int column, uint64_t ns)
{
    char word[40];
    struct text t = text_over(word, sizeof word);

    if (ns)
        column_duration(&t, ns);
    else
        text_char(&t, '-');
    /* "3 min 12 s" is one wider than the column: without its seconds it says enough. */
    if (t.len > P99)
        str_fmt(word, sizeof word, "%llu min", (unsigned long long)(ns / NS_PER_S / 60));
    part_right(g, row, column, P99, ns ? INK_PLAIN : INK_DIM, word);
    return column + P99 + 1;
}

static enum ink state_ink(const char *state)
{
    return str_equal(state, "failed") ? INK_BAD : str_equal(state, "done") ? INK_GOOD : INK_PLAIN;
}

static void put_lane(struct grid *g, int row, const struct layout *l, const struct lane_view *v)
{
    const char *state = v->state ? v->state : "";
    int column = 0;

    part_name(g, row, column, l->disk, INK_PLAIN, v->disk);
    column += l->disk + 1;
    part_name(g, row, column, l->job, INK_PLAIN, v->job);
    column += l->job + 1;
    column = put_number(g, row, column, RATE, INK_PLAIN, v->bytes_per_s / 100000, 1);
    column = put_number(g, row, column, IOPS, INK_PLAIN, v->iops, 0);
    column = put_p99(g, row, column, v->p99_ns);
    column = put_number(g, row, column, ERRORS, v->errors ? INK_BAD : INK_DIM, v->errors, 0);
    grid_bar(g, row, column, l->bar, v->done, v->total);
    column += l->bar + 1;
    part_text(g, row, column, STATE, state_ink(state), state);
}

static bool is_bad(const struct lane_view *v)
{
    return v->errors || (v->state && str_equal(v->state, "failed"));
}

static void put_times(struct grid *g, const struct sweep_view *v)
{
    char line[160];
    struct text t = text_over(line, sizeof line);

    text_fmt(&t, "Step %u of %u, ", v->step, v->steps);
    text_duration(&t, v->elapsed_ns);
    if (v->remaining_ns) {
        text_str(&t, ", about ");
        text_duration(&t, v->remaining_ns);
        text_str(&t, " left");
    }
    part_text(g, 1, 0, part_width(g), INK_PLAIN, line);
}

static void put_error_count(struct grid *g, const struct sweep_view *v)
{
    uint64_t errors = 0;
    unsigned bad = 0;

    for (unsigned i = 0; i < v->lane_count; i++) {
        uint64_t more = v->lanes[i].errors;
        errors = errors + more < errors ? UINT64_MAX : errors + more;
        bad += is_bad(&v->lanes[i]);
    }
    if (bad)
        grid_text(g, 2, 0, INK_BAD, "%llu errors, %u of %u lanes in trouble", (unsigned long long)errors, bad,
                  v->lane_count);
    else
        grid_text(g, 2, 0, INK_DIM, "no errors in %u lane%s", v->lane_count, v->lane_count == 1 ? "" : "s");
}

static void put_lanes(struct grid *g, const struct sweep_view *v)
{
    struct layout l = layout_for(g);
    int room = g->rows - FIRST_LANE_ROW - FOOT_ROWS;
    unsigned fit = room > 0 ? (unsigned)room : 0, shown = v->lane_count < fit ? v->lane_count : fit, bad = 0;

    put_heads(g, &l);
    for (unsigned i = 0; i < shown; i++)
        put_lane(g, FIRST_LANE_ROW + (int)i, &l, &v->lanes[i]);
    for (unsigned i = shown; i < v->lane_count; i++)
        bad += is_bad(&v->lanes[i]);
    if (shown < v->lane_count && bad)
        grid_text(g, g->rows - FOOT_ROWS, 0, INK_BAD, "%u more below, %u of them in trouble",
                  v->lane_count - shown, bad);
    else if (shown < v->lane_count)
        grid_text(g, g->rows - FOOT_ROWS, 0, INK_DIM, "%u more below", v->lane_count - shown);
}

void view_sweep(struct grid *g, const struct sweep_view *v)
{
    char worst[160];

    grid_clear(g, g->columns, g->rows);
    part_text(g, 0, 0, part_width(g), INK_TITLE, v->title);
    put_times(g, v);
    put_error_count(g, v);
    put_lanes(g, v);
    if (v->worst[0])
        str_fmt(worst, sizeof worst, "%s: %s", verdict_text(v->worst_level), v->worst);
    else
        str_copy(worst, sizeof worst, "nothing to report so far");
    part_wrapped(g, g->rows - 2, 2, 4, v->worst[0] ? part_verdict_ink(v->worst_level) : INK_DIM, worst);
}
