#include "engine_lane.h"
#include "str.h"

/* Numbers of a lane that has ended, and why they may not be comparable. */

/* Twice the interval, half the points. */
static void halve(struct lane_series *s)
{
    for (unsigned i = 0; i < SERIES_MAX_POINTS / 2; i++) {
        const struct series_point *a = &s->point[2 * i], *b = a + 1;
        s->point[i] =
            (struct series_point){ a->ios + b->ios, a->bytes + b->bytes, max_u64(a->max_ns, b->max_ns) };
    }
    s->interval_ns *= 2;
    s->count = SERIES_MAX_POINTS / 2;
}

void engine_series_add(struct lane_series *s, uint64_t at_ns, uint64_t ios, uint64_t bytes, uint64_t max_ns)
{
    if (at_ns >= s->count * s->interval_ns) {
        uint64_t index = at_ns / s->interval_ns;

        while (index >= SERIES_MAX_POINTS) {
            while (s->count < SERIES_MAX_POINTS) /* intervals in which nothing came back */
                s->point[s->count++] = (struct series_point){ 0 };
            halve(s);
            index = at_ns / s->interval_ns;
        }
        while (s->count <= index)
            s->point[s->count++] = (struct series_point){ 0 };
    }
    struct series_point *p = &s->point[s->count - 1];
    p->ios += ios;
    p->bytes += bytes;
    if (max_ns > p->max_ns)
        p->max_ns = max_ns;
}

static uint32_t flags_of(const struct engine *e, const struct work_lane *l, const struct step_result *r)
{
    const struct plan_lane *plan = l->plan;
    uint64_t step_ns = e->end_ns - e->begin_ns - e->held_ns;
    uint64_t p99_ns = hist_percentile_ns(&l->hist, 990000);
    const struct {
        bool is_so;
        uint32_t flag;
    } row[] = {
        { r->command_bytes < r->block_bytes, FLAG_SPLIT },
        { r->ios && r->longest_poll_gap_ns > p99_ns / 10, FLAG_POLL_GAP },
        { r->ios < ENGINE_FEWEST_IOS, FLAG_TOO_SHORT },
        { r->errors != 0, FLAG_ERRORS },
        { r->depth < r->depth_asked, FLAG_DEPTH_REDUCED },
        { plan->disk->kind == DISK_FIRMWARE, FLAG_FIRMWARE_PATH },
        { plan->shared_path, FLAG_SHARED_PATH },
        /* One processor serves all lanes: what counts is how busy it was, not with whom. */
        { e->busy_ns > step_ns / 10 || r->busy_ns > r->run_ns / 10, FLAG_HOST_BOUND },
        { l->ended_early, FLAG_ENDED_EARLY },
        { plan->disk->grounds & GROUND_INITIALISATION, FLAG_INITIALISATION },
        { plan->disk->grounds & GROUND_CHECK, FLAG_CHECK },
        { plan->disk->grounds & GROUND_REBUILD, FLAG_REBUILD },
        { plan->disk->grounds & GROUND_PATROL, FLAG_PATROL },
        { plan->disk->grounds & GROUND_LEARN, FLAG_LEARN },
        { plan->disk->grounds & GROUND_PINNED_CACHE, FLAG_PINNED_CACHE },
        { plan->disk->cache_bytes && r->span_lbas <= plan->disk->cache_bytes / plan->disk->lba_bytes,
          FLAG_WITHIN_CACHE },
    };
    uint32_t flags = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++)
        if (row[i].is_so)
            flags |= row[i].flag;
    return flags;
}

void engine_fill_result(const struct engine *e, struct work_lane *l)
{
    struct step_result *r = &l->result;
    const struct hist *h = &l->hist;

    if (!l->io) /* never opened: what was asked for stands, the rest is zero */
        return;
    r->ios = l->ios;
    r->bytes = l->lbas * l->lba_bytes;
    r->errors = l->errors;
    r->retries = l->retries;
    r->run_ns = max_u64(l->stop_ns, l->last_ok_ns);
    r->held_ns = l->held_ns;
    r->ramp_ns = l->ramp_ns;
    r->longest_poll_gap_ns = l->gap_ns;
    r->busy_ns = l->busy_ns;
    r->wrapped = l->wrapped;
    if (h->count) {
        r->latency_min_ns = h->min_ns;
        r->latency_mean_ns = h->sum_ns / h->count;
        r->latency_max_ns = h->max_ns;
        r->latency_stddev_ns = hist_stddev_ns(h, r->latency_mean_ns);
        hist_classify(h, latency_class_ns, LATENCY_CLASS_COUNT, r->latency_class_ios);
    }
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
        if (hist_above(h, percentile_ppm[i]) >= ENGINE_PERCENTILE_SAMPLES) {
            r->percentile_valid |= 1u << i;
            r->latency_percentile_ns[i] = hist_percentile_ns(h, percentile_ppm[i]);
        }
    r->flags = flags_of(e, l, r);
}
