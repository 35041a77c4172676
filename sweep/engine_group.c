#include "engine_lane.h"
#include "str.h"

/* What a step's lanes look like from outside: the copies of a job (numjobs) on one disk are one row. */

unsigned engine_lane_count(const struct engine *e)
{
    unsigned n = 0;

    for (unsigned i = 0; i < e->lane_count; i++)
        n += e->lane[i].plan->copy == 0;
    return n;
}

struct work_lane *engine_shown(const struct engine *e, unsigned lane)
{
    for (unsigned i = 0; i < e->lane_count; i++)
        if (!e->lane[i].plan->copy && !lane--)
            return &e->lane[i];
    return NULL;
}

const struct step_result *engine_result(const struct engine *e, unsigned lane)
{
    return &engine_shown(e, lane)->result;
}

const struct lane_series *engine_series(const struct engine *e, unsigned lane)
{
    return &engine_shown(e, lane)->series;
}

const struct hist *engine_hist(const struct engine *e, unsigned lane) { return &engine_shown(e, lane)->hist; }

const struct step_goal *engine_goal(const struct engine *e, unsigned lane)
{
    const struct step_goal *g = &engine_shown(e, lane)->goal;

    return g->max_ns || g->target_ns ? g : NULL;
}

const struct io_error_record *engine_errors(const struct engine *e, unsigned lane, unsigned *count)
{
    const struct work_lane *l = engine_shown(e, lane);

    *count = l->kept_errors;
    return l->error;
}

const char *engine_lane_reason(const struct engine *e, unsigned lane)
{
    return engine_shown(e, lane)->reason;
}

const struct plan_lane *engine_plan_lane(const struct engine *e, unsigned lane)
{
    return engine_shown(e, lane)->plan;
}

/* ---- exitall ---- */
/* Each copy is a job of its own, as in fio; the lanes of a job on several disks are one. */
static bool is_same_job(const struct work_lane *a, const struct work_lane *b)
{
    return a->plan->job.line == b->plan->job.line && a->plan->copy == b->plan->copy;
}

void engine_exit_others(struct engine *e, const struct work_lane *ended, uint64_t now_ns)
{
    const struct job *j = &ended->plan->job;
    struct work_lane *const end = e->lane + e->lane_count;
    bool failed = false;

    if ((!j->exitall && !j->exitall_on_error) || __atomic_load_n(&e->stop, __ATOMIC_ACQUIRE))
        return; /* or all end, and each says that it was stopped */
    for (struct work_lane *l = e->lane; l < end; l++) {
        if (!is_same_job(l, ended))
            continue;
        if (l->phase < LANE_DONE)
            return;
        failed |= l->ended_early;
    }
    for (struct work_lane *l = e->lane; (j->exitall || failed) && l < end; l++)
        if (l->phase < LANE_DONE && l->submitting && !engine_is_past_measuring(l)) {
            if (!l->reason[0])
                str_fmt(l->reason, sizeof(l->reason), "ended with job %s (exitall)", j->name);
            engine_end_now(e, l, now_ns);
        }
}

static void read_progress(const struct work_lane *l, struct lane_progress *out)
{
    uint32_t before, after;

    do {
        before = __atomic_load_n(&l->sequence, __ATOMIC_ACQUIRE);
        *out = l->progress;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        after = __atomic_load_n(&l->sequence, __ATOMIC_RELAXED);
    } while (before != after || before & 1);
}

void engine_progress(const struct engine *e, unsigned lane, struct lane_progress *out)
{
    const struct work_lane *l = engine_shown(e, lane);
    struct lane_progress p;

    read_progress(l, out);
    for (l++; l < e->lane + e->lane_count && l->plan->copy; l++) {
        read_progress(l, &p);
        out->ios += p.ios;
        out->bytes += p.bytes;
        out->errors += p.errors;
        out->planned_bytes += p.planned_bytes;
        out->recent_bytes_per_s += p.recent_bytes_per_s;
        out->recent_iops += p.recent_iops;
        out->p99_ns = max_u64(out->p99_ns, p.p99_ns);
        if (p.phase < out->phase) /* the row runs while any copy does */
            out->phase = p.phase;
    }
}

/* ---- merging ---- */
static void coarsen(struct lane_series *s)
{
    unsigned pairs = (s->count + 1) / 2;

    for (unsigned i = 0; i < pairs; i++) {
        struct series_point a = s->point[2 * i],
                            b = 2 * i + 1 < s->count ? s->point[2 * i + 1] : (struct series_point){ 0 };
        s->point[i] = (struct series_point){ a.ios + b.ios, a.bytes + b.bytes, max_u64(a.max_ns, b.max_ns),
                                             a.sum_ns + b.sum_ns };
    }
    s->interval_ns *= 2;
    s->count = pairs;
}

/* Both began with the same interval, so doubling the finer one makes them equal. */
void engine_series_merge(struct lane_series *into, struct lane_series *from)
{
    while (into->interval_ns < from->interval_ns)
        coarsen(into);
    while (from->interval_ns < into->interval_ns)
        coarsen(from);
    for (; into->count < from->count; into->count++)
        into->point[into->count] = (struct series_point){ 0 };
    for (unsigned i = 0; i < from->count; i++) {
        into->point[i].ios += from->point[i].ios;
        into->point[i].bytes += from->point[i].bytes;
        into->point[i].sum_ns += from->point[i].sum_ns;
        into->point[i].max_ns = max_u64(into->point[i].max_ns, from->point[i].max_ns);
    }
}

/* What was in flight at once: the copies may have more ready than the disk takes. */
static uint16_t depth_of_both(const struct disk *d, unsigned depth)
{
    return (uint16_t)(d->depth_is_shared && d->max_depth ? min_u64(depth, d->max_depth) : depth);
}

/* From where the first copy begins to where the last one ends. */
static void merge_region(struct step_result *into, const struct step_result *from)
{
    uint64_t end = max_u64(into->first_lba + into->span_lbas, from->first_lba + from->span_lbas);

    into->first_lba = min_u64(into->first_lba, from->first_lba);
    into->span_lbas = end - into->first_lba;
}

static void merge_lane(struct work_lane *into, struct work_lane *from)
{
    into->result.depth_asked = (uint16_t)(into->result.depth_asked + from->result.depth_asked);
    if (!from->io) {
        if (!into->reason[0])
            str_fmt(into->reason, sizeof(into->reason), "copy %u of the job did not run: %.100s",
                    from->plan->copy + 1, from->reason);
        return;
    }
    into->result.depth = depth_of_both(into->plan->disk, into->result.depth + (unsigned)from->result.depth);
    merge_region(&into->result, &from->result);
    into->ios += from->ios;
    into->lbas += from->lbas;
    into->errors += from->errors;
    into->retries += from->retries;
    into->busy_ns += from->busy_ns;
    into->gap_ns = max_u64(into->gap_ns, from->gap_ns);
    into->held_ns = max_u64(into->held_ns, from->held_ns);
    into->stop_ns = max_u64(into->stop_ns, from->stop_ns);
    into->last_ok_ns = max_u64(into->last_ok_ns, from->last_ok_ns);
    into->wrapped |= from->wrapped;
    into->ended_early |= from->ended_early;
    into->looks += from->looks;
    into->uniform_looks += from->uniform_looks;
    if (from->reason[0] && !into->reason[0])
        str_copy(into->reason, sizeof(into->reason), from->reason);
    for (unsigned i = 0; i < from->kept_errors && into->kept_errors < LANE_MAX_ERROR_RECORDS; i++)
        into->error[into->kept_errors++] = from->error[i];
    from->kept_errors = 0;
    hist_merge(&into->hist, &from->hist);
    engine_write_merge(into, from);
    engine_series_merge(&into->series, &from->series);
}

void engine_merge_copies(struct engine *e)
{
    struct work_lane *first = e->lane;

    for (struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++)
        if (!l->plan->copy)
            first = l;
        else if (first->io)
            merge_lane(first, l);
}
