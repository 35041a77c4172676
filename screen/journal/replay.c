#include "replay.h"
#include "bits.h"
#include "math.h"
#include "str.h"
#include "summary.h"

bool replay_start(struct replay *r, const char *journal, size_t len)
{
    struct run_walk walk;
    struct run run;
    bool any = false;

    *r = (struct replay){ 0 };
    run_walk_start(&walk, journal, len);
    while (run_walk_next(&walk, &run)) {
        r->run = run;
        any = true;
    }
    if (any)
        run_lines_start(&r->lines, &r->run);
    return any;
}

/* ---- between steps ---- */

static void on_finding(struct replay *r, const struct journal_line *l)
{
    char subject[24], seen[100];
    bool fails = event_is(l, "level", "FAIL");
    enum verdict v = fails ? VERDICT_FAIL : VERDICT_WARN;

    if ((!fails && !event_is(l, "level", "WARN")) || (r->view.worst[0] && r->view.worst_level >= v))
        return;
    event_str(l, "subject", subject, sizeof subject);
    event_str(l, "seen", seen, sizeof seen);
    r->view.worst_level = v;
    str_fmt(r->view.worst, sizeof r->view.worst, "%s: %s", subject, seen);
}

static void on_plan(struct replay *r, const struct journal_line *l)
{
    r->view.steps = (unsigned)event_u64(l, "steps");
    r->view.remaining_ns = event_u64(l, "estimate_ns");
}

static void on_link(struct replay *r, const struct journal_line *l)
{
    struct controller_view *c = &r->controllers[r->view.controller_count];

    if (r->view.controller_count == REPLAY_CONTROLLERS_MAX)
        return;
    r->view.controller_count++;
    *c = (struct controller_view){ .link_bytes_per_s = event_u64(l, "ceiling_bytes_per_s") };
    event_str(l, "controller", c->name, sizeof c->name);
}

/* The lines of a step come after it: its lanes are those that ended in it. */
static void on_step(struct replay *r, const struct journal_line *l)
{
    struct run_lines ahead = r->lines;
    struct journal_line end;
    uint64_t number = event_u64(l, "step");

    r->step = *l;
    r->frame = 0;
    r->in_step = true;
    r->view.step = (unsigned)number;
    r->view.lane_count = 0;
    event_str(l, "title", r->view.title, sizeof r->view.title);
    while (r->view.lane_count < REPLAY_LANES_MAX && run_lines_next(&ahead, &end) &&
           !str_equal(end.ev, "step_start"))
        if (str_equal(end.ev, "step_end") && event_u64(&end, "step") == number)
            r->ends[r->view.lane_count++] = end;
}

static const struct {
    const char *ev;
    void (*read)(struct replay *r, const struct journal_line *l);
} kinds[] = {
    { "finding", on_finding },
    { "plan", on_plan },
    { "link", on_link },
    { "step_start", on_step },
};

/* ---- within a step ---- */

/* The rate in that tenth of the lane's time; the mean of all when its series is not there. */
static uint64_t rate_at(const struct replay *r, const struct journal_line *end, const char *key,
                        unsigned tenth)
{
    struct journal_line series;
    struct json_value list, item;
    uint64_t interval_ns, v = 0;
    size_t cursor = 0;
    unsigned count = 0, wanted;

    if (!run_find_series(&r->run, end, &series) || !json_member(&series.body, key, &list) ||
        !(interval_ns = event_u64(&series, "interval_ns")))
        return UINT64_MAX;
    while (json_next(&list, &cursor, NULL, &item))
        count++;
    wanted = count * tenth / REPLAY_FRAMES_PER_STEP;
    cursor = 0;
    for (unsigned i = 0; i <= wanted && json_next(&list, &cursor, NULL, &item); i++)
        if (!json_to_u64(&item, &v))
            v = 0;
    return count ? mul_div_u64(v, NS_PER_S, interval_ns) : UINT64_MAX;
}

static uint64_t p99_of(const struct journal_line *end)
{
    struct json_value list;

    return json_member(&end->body, "latency_percentile_ns", &list) ? json_u64(&list, "990000", 0) : 0;
}

static void fill_lane(struct replay *r, unsigned i, bool last)
{
    const struct journal_line *end = &r->ends[i];
    struct lane_view *v = &r->lanes[i];
    uint64_t run_ns = event_u64(end, "run_ns"), bytes = rate_at(r, end, "bytes", r->frame);
    uint64_t ios = rate_at(r, end, "ios", r->frame);

    *v = (struct lane_view){ .errors = event_u64(end, "errors"),
                             .p99_ns = p99_of(end),
                             .done = r->frame + 1,
                             .total = REPLAY_FRAMES_PER_STEP,
                             .state = last ? "done" : "running" };
    event_str(end, "disk", v->disk, sizeof v->disk);
    event_str(end, "job", v->job, sizeof v->job);
    v->bytes_per_s = last || bytes == UINT64_MAX ? event_u64(end, "bytes_per_s") : bytes;
    v->iops = last || ios == UINT64_MAX ? event_u64(end, "iops_milli") / 1000 : ios;
    v->flags = last ? summary_flags(end) : 0;
    v->left_ns = run_ns / REPLAY_FRAMES_PER_STEP * (REPLAY_FRAMES_PER_STEP - 1 - r->frame);
}

static bool is_of(const struct lane_view *v, const struct controller_view *c)
{
    size_t len = str_len(c->name);

    /* nvme0n1 of nvme0, sata0.3 of sata0, megaraid0.vd0 of megaraid0 */
    return str_starts(v->disk, c->name) && (v->disk[len] < '0' || v->disk[len] > '9');
}

static void fill_frame(struct replay *r)
{
    bool last = r->frame + 1 == REPLAY_FRAMES_PER_STEP;
    uint64_t estimate_ns = r->view.elapsed_ns + r->view.remaining_ns;

    uint64_t longest_ns = 0;

    for (unsigned i = 0; i < r->view.lane_count; i++) {
        fill_lane(r, i, last);
        longest_ns = max_u64(longest_ns, event_u64(&r->ends[i], "run_ns"));
    }
    for (unsigned c = 0; c < r->view.controller_count; c++) {
        r->controllers[c].bytes_per_s = 0;
        for (unsigned i = 0; i < r->view.lane_count; i++)
            if (is_of(&r->lanes[i], &r->controllers[c]))
                r->controllers[c].bytes_per_s += r->lanes[i].bytes_per_s;
    }
    r->view.lanes = r->lanes;
    r->view.controllers = r->controllers;
    r->view.elapsed_ns = r->step.t_ns + longest_ns / REPLAY_FRAMES_PER_STEP * (r->frame + 1);
    r->view.remaining_ns = estimate_ns > r->view.elapsed_ns ? estimate_ns - r->view.elapsed_ns : 0;
}

bool replay_next(struct replay *r)
{
    struct journal_line l;

    if (r->in_step && ++r->frame == REPLAY_FRAMES_PER_STEP)
        r->in_step = false;
    while (!r->in_step) {
        if (!run_lines_next(&r->lines, &l))
            return false;
        for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++)
            if (str_equal(l.ev, kinds[i].ev))
                kinds[i].read(r, &l);
    }
    fill_frame(r);
    return true;
}
