#include "cache.h"
#include "engine_lane.h"
#include "str.h"

/* Numbers of a lane that has ended, and why they may not be comparable. */

/* Twice the interval, half the points. */
static void halve(struct lane_series *s)
{
    for (unsigned i = 0; i < SERIES_MAX_POINTS / 2; i++) {
        const struct series_point *a = &s->point[2 * i], *b = a + 1;
        s->point[i] = (struct series_point){ a->ios + b->ios, a->bytes + b->bytes,
                                             max_u64(a->max_ns, b->max_ns), a->sum_ns + b->sum_ns };
    }
    s->interval_ns *= 2;
    s->count = SERIES_MAX_POINTS / 2;
}

void engine_series_add(struct lane_series *s, uint64_t at_ns, const struct series_point *more)
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
    p->ios += more->ios;
    p->bytes += more->bytes;
    p->sum_ns += more->sum_ns;
    p->max_ns = max_u64(p->max_ns, more->max_ns);
}

/* ---- numbers that cannot be what they seem ---- */
/* Spread over the block, and over the places in an LBA: many kinds of data begin each LBA with the same word.
 */
void engine_look_at_data(struct work_lane *l)
{
    enum { WORDS = 64 };
    const uint64_t *data = l->io->data.cpu;
    size_t words = min_u64(l->io->data.len_bytes, l->plan->job.block_bytes) / sizeof(*data);
    size_t stride = words / WORDS;
    bool uniform = true;

    if (!data || !stride || !l->ios || (l->writing && l->writing->writes))
        return;
    for (size_t i = 0; i < WORDS && uniform; i++)
        uniform = data[i * stride + i % stride] == data[0];
    l->looks++;
    l->uniform_looks += uniform;
}

static uint64_t rate_of(const struct work_lane *l)
{
    uint64_t run_ns = max_u64(l->stop_ns, l->last_ok_ns);

    return run_ns ? mul_div_u64(l->lbas * l->lba_bytes, NS_PER_S, run_ns) : 0;
}

/* What all disks of a controller read together has to fit through its link.  One part in fifty is left to
 * the clock. */
static bool is_above_link(const struct engine *e, const struct work_lane *l)
{
    const struct controller *c = l->plan->disk->controller;
    uint64_t sum = 0;

    if (!c || !c->link_bytes_per_s)
        return false;
    for (unsigned i = 0; i < e->lane_count; i++)
        if (e->lane[i].plan->disk->controller == c && (!e->lane[i].plan->copy || &e->lane[i] == l))
            sum += rate_of(&e->lane[i]);
    return sum > c->link_bytes_per_s + c->link_bytes_per_s / 50;
}

/* 2000 random reads a second are ten times what heads can do. */
static bool is_too_fast(const struct work_lane *l, const struct step_result *r)
{
    enum { LEAST_NS = 500000 };

    return l->plan->disk->rotation == ROTATION_YES && l->plan->job.rw == JOB_RANDREAD &&
           l->pattern != PATTERN_DRAWN && r->ios >= ENGINE_FEWEST_IOS && r->run_ns / r->ios < LEAST_NS;
}

static void fill_thirds(const struct lane_series *s, struct step_result *r)
{
    enum { FEWEST_POINTS = 9 };
    unsigned whole = s->count ? s->count - 1 : 0, third = whole / 3; /* the last point is not a whole one */
    uint64_t first = 0, last = 0;

    if (whole < FEWEST_POINTS)
        return;
    for (unsigned i = 0; i < third; i++) {
        first += s->point[i].bytes;
        last += s->point[whole - 1 - i].bytes;
    }
    r->first_third_bytes_per_s = mul_div_u64(first, NS_PER_S, third * s->interval_ns);
    r->last_third_bytes_per_s = mul_div_u64(last, NS_PER_S, third * s->interval_ns);
}

static bool is_uneven(const struct step_result *r)
{
    uint64_t first = r->first_third_bytes_per_s, last = r->last_third_bytes_per_s;

    return (first > last ? first - last : last - first) > max_u64(first, last) / 10;
}

/* A last request that the region's end cuts short does not count. */
static bool has_mixed_sizes(const struct job *j)
{
    bool differ = j->block_min_bytes && j->block_min_bytes < j->block_bytes;

    for (unsigned i = 0; i < j->split_count; i++)
        differ |= j->split[i].percent && j->split[i].bytes != j->block_bytes;
    return differ;
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
        { (l->target ? l->depth : r->depth) < r->depth_asked, FLAG_DEPTH_REDUCED },
        { has_mixed_sizes(&plan->job), FLAG_MIXED_SIZES },
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
        { plan->disk->grounds & GROUND_NARROW_LINK, FLAG_NARROW_LINK },
        { cache_is_asked_for(&plan->job), FLAG_CACHE },
        { r->retries != 0, FLAG_RETRIES },
        { plan->disk->cache_bytes && r->span_lbas <= plan->disk->cache_bytes / plan->disk->lba_bytes,
          FLAG_WITHIN_CACHE },
        { is_above_link(e, l), FLAG_ABOVE_LINK },
        { l->looks && l->looks == l->uniform_looks && plan->disk->rotation != ROTATION_YES, FLAG_BLANK },
        { is_too_fast(l, r), FLAG_TOO_FAST },
        { is_uneven(r), FLAG_UNEVEN },
        { l->steady && !engine_steady_reached(l), FLAG_NOT_STEADY },
    };
    uint32_t flags = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++)
        if (row[i].is_so)
            flags |= row[i].flag;
    return flags;
}

uint32_t engine_percentiles(const struct hist *h, uint64_t percentile_ns[static PERCENTILE_COUNT])
{
    uint32_t valid = 0;

    for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
        if (hist_above(h, percentile_ppm[i]) >= ENGINE_PERCENTILE_SAMPLES) {
            valid |= 1u << i;
            percentile_ns[i] = hist_percentile_ns(h, percentile_ppm[i]);
        }
    return valid;
}

const struct step_asked *engine_asked(const struct hist *h, const struct job *j, struct step_asked *out)
{
    *out = (struct step_asked){ .count = j->percentile_count };
    for (unsigned i = 0; i < out->count; i++) {
        out->ppm[i] = j->percentile_ppm[i];
        if (out->ppm[i] == PPM_OF_ALL ? !h->count : hist_above(h, out->ppm[i]) < ENGINE_PERCENTILE_SAMPLES)
            continue;
        out->valid |= 1u << i;
        out->ns[i] = hist_percentile_ns(h, out->ppm[i]);
    }
    return out->count ? out : NULL;
}

static void fill_goal(struct work_lane *l)
{
    const struct job *j = &l->plan->job;

    l->goal = (struct step_goal){ .max_ns = j->max_latency_ns,
                                  .target_ns = j->latency_target_ns,
                                  .window_ns = j->latency_window_ns,
                                  .percentile_ppm = j->latency_ppm };
    if (l->target)
        engine_target_fill_result(l);
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
    r->percentile_valid = engine_percentiles(h, r->latency_percentile_ns);
    r->asked = engine_asked(h, &l->plan->job, &l->asked);
    fill_thirds(&l->series, r);
    fill_goal(l);
    r->flags = flags_of(e, l, r);
    if (l->writing)
        engine_write_fill_result(l);
}
