#include "bits.h"
#include "column.h"
#include "math.h"
#include "parts.h"
#include "str.h"
#include "views.h"

/* The lanes' table takes what the screen gives: numbers have fixed widths, then the disk's name grows to its
 * full length, then the job's, then the bar. */
struct layout {
    int disk, job, bar, left; /* widths */
    bool burn_in;             /* rates of single requests have no columns: the phase takes their room */
};
enum {
    DISK_MIN = 13, /* "megaraid0.vd0" */
    DISK_MAX = 23,
    JOB_MIN = 10,
    PHASE_MIN = 21, /* "stamped random writes" */
    JOB_MAX = 39,
    BAR_MIN = 8,
    BAR_MAX = 60,
    MARK = 1,
    RATE = 7,
    IOPS = 7,
    P99 = 9,
    TEMPERATURE = 4,
    ERRORS = 6,
    LEFT = 6,
    LEFT_MOST = 9,
    GAPS = 8,
    HEAD_ROW = 5,
    FIRST_LANE_ROW = 6,
    FOOT_ROWS = 4 /* where one is, two for the worst news, keys */
};

static int grow(int *spare, int min, int max)
{
    int more = *spare < max - min ? *spare : max - min;

    *spare -= more;
    return min + more;
}

static struct layout layout_for(const struct grid *g, bool burn_in)
{
    struct layout l = { .left = burn_in ? LEFT_MOST : LEFT, .burn_in = burn_in };
    int job_min = burn_in ? PHASE_MIN : JOB_MIN;
    int spare = part_width(g) - (MARK + DISK_MIN + job_min + BAR_MIN + RATE + TEMPERATURE + ERRORS + l.left +
                                 GAPS - (burn_in ? 2 : -IOPS - P99));

    if (spare < 0)
        spare = 0;
    l.disk = grow(&spare, DISK_MIN, DISK_MAX);
    l.job = grow(&spare, job_min, JOB_MAX);
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
        { "disk", l->disk, false },
        { l->burn_in ? "phase" : "job", l->job, false },
        { "MB/s", RATE, true },
        { "IOPS", l->burn_in ? 0 : IOPS, true },
        { "p99", l->burn_in ? 0 : P99, true },
        { "temp", TEMPERATURE, true },
        { "errors", ERRORS, true },
        { "progress", l->bar, false },
        { l->burn_in ? "left most" : "left", l->left, true },
    };
    int column = MARK;

    for (unsigned i = 0; i < ARRAY_COUNT(heads); i++) {
        if (!heads[i].width)
            continue;
        (heads[i].right ? part_right : part_text)(g, HEAD_ROW, column, heads[i].width, INK_DIM,
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

/* The mean of the phase; a phase that moves no blocks has none. */
static int put_phase_rate(struct grid *g, int row, int column, const struct lane_view *v)
{
    if (v->bytes_per_s)
        return put_number(g, row, column, RATE, INK_PLAIN, v->bytes_per_s / 100000, 1);
    part_right(g, row, column, RATE, INK_DIM, "-");
    return column + RATE + 1;
}

/* A number that is flagged has a star beside it: the disk's own page says why. */
static int put_measured(struct grid *g, int row, int column, const struct lane_view *v)
{
    const char *none = step_no_number(v->flags);

    if (none) {
        part_right(g, row, column, RATE + 1 + IOPS + 1 + P99, INK_DIM, none);
        return column + RATE + 1 + IOPS + 1 + P99 + 1;
    }
    column = put_number(g, row, column, RATE, INK_PLAIN, v->bytes_per_s / 100000, 1);
    if (v->flags)
        grid_text(g, row, column - 1, INK_TITLE, "*");
    column = put_number(g, row, column, IOPS, INK_PLAIN, v->iops, 0);
    return put_p99(g, row, column, v->p99_ns);
}

static int put_temperature(struct grid *g, int row, int column, unsigned celsius)
{
    char word[8] = "-";

    if (celsius)
        str_fmt(word, sizeof word, celsius < 100 ? "%u C" : "%uC", celsius < 999 ? celsius : 999);
    part_right(g, row, column, TEMPERATURE, celsius ? INK_PLAIN : INK_DIM, word);
    return column + TEMPERATURE + 1;
}

/* "59 s", "12 min", "48 h", "365 d": at most six characters. */
static void left_words(char *word, size_t cap, uint64_t ns)
{
    static const struct {
        uint64_t unit_s, below;
        const char *name;
    } units[] = { { 1, 100, "s" }, { 60, 100, "min" }, { 3600, 100, "h" }, { 86400, 1000, "d" } };
    uint64_t s = ns / NS_PER_S + (ns % NS_PER_S != 0);

    str_copy(word, cap, "years");
    for (unsigned i = 0; i < ARRAY_COUNT(units); i++)
        if (s / units[i].unit_s < units[i].below) {
            str_fmt(word, cap, "%llu %s", (unsigned long long)(s / units[i].unit_s), units[i].name);
            return;
        }
}

static enum ink state_ink(const char *state)
{
    return str_equal(state, "failed") ? INK_BAD : str_equal(state, "done") ? INK_GOOD : INK_PLAIN;
}

/* While it runs the time that is left, else the state. */
static void put_left(struct grid *g, int row, int column, int width, const struct lane_view *v)
{
    const char *state = v->state ? v->state : "";
    char word[24];

    str_copy(word, sizeof word, state);
    if (str_equal(state, "running") && v->left_ns)
        left_words(word, sizeof word, v->left_ns);
    else if (str_equal(state, "running"))
        str_copy(word, sizeof word, "-");
    part_right(g, row, column, width, state_ink(state), word);
}

/* One that ended by its bytes, before its time, is done all the same. */
static bool is_done(const struct lane_view *v) { return v->state && str_equal(v->state, "done"); }

static void put_lane(struct grid *g, int row, const struct layout *l, const struct lane_view *v, bool chosen)
{
    int column = MARK;

    if (chosen)
        grid_text(g, row, 0, INK_TITLE, ">");
    part_name(g, row, column, l->disk, chosen ? INK_TITLE : INK_PLAIN, v->disk);
    column += l->disk + 1;
    part_name(g, row, column, l->job, INK_PLAIN, v->job);
    column += l->job + 1;
    column = l->burn_in ? put_phase_rate(g, row, column, v) : put_measured(g, row, column, v);
    column = put_temperature(g, row, column, v->temperature_c);
    column = put_number(g, row, column, ERRORS, v->errors ? INK_BAD : INK_DIM, v->errors, 0);
    grid_bar(g, row, column, l->bar, is_done(v) ? 1 : v->done, is_done(v) ? 1 : v->total);
    put_left(g, row, column + l->bar + 1, l->left, v);
}

static bool is_bad(const struct lane_view *v)
{
    return v->errors || (v->state && str_equal(v->state, "failed"));
}

static void put_times(struct grid *g, const struct sweep_view *v)
{
    char line[160];
    struct text t = text_over(line, sizeof line);

    /* Steps that are repeated until they are steady are counted each time. */
    text_fmt(&t, v->step <= v->steps ? "Step %u of %u, " : "Step %u, %u were planned, ", v->step, v->steps);
    text_duration(&t, v->elapsed_ns);
    if (v->remaining_ns) {
        text_str(&t, v->burn_in ? ", at most " : ", about ");
        text_duration(&t, v->remaining_ns);
        text_str(&t, " left");
    }
    part_text(g, 1, 0, part_width(g), INK_PLAIN, line);
}

static void controller_words(const struct controller_view *c, struct text *t)
{
    text_fmt(t, "%s %llu MB/s", c->name, (unsigned long long)(c->bytes_per_s / 1000000));
    if (c->link_bytes_per_s)
        text_fmt(t, ", %llu %% of its link",
                 (unsigned long long)mul_div_u64(c->bytes_per_s, 100, c->link_bytes_per_s));
}

/* "nvme0 3212 MB/s, 82 % of its link   sata0 ..." on two rows; the place among more of them ends the second.
 */
static void put_controllers(struct grid *g, const struct sweep_view *v)
{
    enum { ROW = 3, LAST_ROW = 4, BETWEEN = 3, PLACE = 26 };
    unsigned first = v->first_controller < v->controller_count ? v->first_controller : 0, i = first;
    int row = ROW, column = 0;

    for (; i < v->controller_count; i++) {
        char words[80];
        struct text t = text_over(words, sizeof words);
        bool last = !first && i + 1 == v->controller_count;

        controller_words(&v->controllers[i], &t);
        if (row == ROW && column && column + (int)t.len > part_width(g)) {
            row = LAST_ROW;
            column = 0;
        }
        if (row == LAST_ROW && column + (int)t.len + (last ? 0 : PLACE) > part_width(g))
            break;
        part_text(g, row, column, part_width(g) - column, INK_PLAIN, words);
        column += (int)t.len + BETWEEN;
    }
    if (first || i < v->controller_count) {
        char words[40];

        str_fmt(words, sizeof words, "%u-%u of %u, Left/Right", first + 1, i, v->controller_count);
        part_right(g, LAST_ROW, part_width(g) - PLACE, PLACE, INK_DIM, words);
    }
}

static void put_error_count(struct grid *g, const struct sweep_view *v)
{
    const char *what = v->burn_in ? "drive" : "lane", *many = str_plural(v->lane_count);
    uint64_t errors = 0;
    unsigned bad = 0;

    for (unsigned i = 0; i < v->lane_count; i++) {
        uint64_t more = v->lanes[i].errors;
        errors = errors + more < errors ? UINT64_MAX : errors + more;
        bad += is_bad(&v->lanes[i]);
    }
    if (bad)
        grid_text(g, 2, 0, INK_BAD, "%llu error%s, %u of %u %s%s in trouble", (unsigned long long)errors,
                  str_plural(errors), bad, v->lane_count, what, many);
    else
        grid_text(g, 2, 0, INK_DIM, "no errors in %u %s%s", v->lane_count, what, many);
}

unsigned view_sweep_page(const struct grid *g)
{
    int room = g->rows - FIRST_LANE_ROW - FOOT_ROWS;

    return room > 0 ? (unsigned)room : 0;
}

/* Trouble elsewhere is said, too. */
static void put_place(struct grid *g, const struct sweep_view *v, unsigned first, unsigned shown)
{
    int row = g->rows - FOOT_ROWS;
    unsigned bad = 0;

    if (shown == v->lane_count)
        return;
    for (unsigned i = 0; i < v->lane_count; i++)
        bad += (i < first || i >= first + shown) && is_bad(&v->lanes[i]);
    if (bad)
        grid_text(g, row, 0, INK_BAD, "lanes %u-%u of %u; %u of the others in trouble", first + 1,
                  first + shown, v->lane_count, bad);
    else
        grid_text(g, row, 0, INK_DIM, "lanes %u-%u of %u", first + 1, first + shown, v->lane_count);
}

static void put_lanes(struct grid *g, const struct sweep_view *v)
{
    struct layout l = layout_for(g, v->burn_in);
    unsigned page = view_sweep_page(g), first = v->first < v->lane_count ? v->first : 0;
    unsigned rest = v->lane_count - first, shown = rest < page ? rest : page;

    put_heads(g, &l);
    for (unsigned i = 0; i < shown; i++)
        put_lane(g, FIRST_LANE_ROW + (int)i, &l, &v->lanes[first + i], v->keys && first + i == v->chosen);
    put_place(g, v, first, shown);
}

void view_sweep(struct grid *g, const struct sweep_view *v)
{
    char worst[224];

    grid_clear(g, g->columns, g->rows);
    part_bar(g, 0, INK_HEAD, v->title);
    put_times(g, v);
    put_error_count(g, v);
    put_controllers(g, v);
    put_lanes(g, v);
    if (v->worst[0])
        str_fmt(worst, sizeof worst, "%s: %s", verdict_text(v->worst_level), v->worst);
    else
        str_copy(worst, sizeof worst, "nothing to report so far");
    part_wrapped(g, g->rows - 3, 2, 4, v->worst[0] ? part_verdict_ink(v->worst_level) : INK_DIM, worst);
    if (v->keys)
        part_keys(g, "Up/Down PgUp/PgDn: choose   Enter: one disk   F1: help   Esc: stop");
}
