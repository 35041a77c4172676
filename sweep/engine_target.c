#include "engine_lane.h"
#include "str.h"

/* fio's latency_target: the highest depth at which so many percent of the requests of a window stay within
 * it.  From 1 the depth is doubled until a window fails, then it is halved in between.  What the lane
 * measures begins anew with each window, so that its result is that of the last one; of latency_run it is all
 * of it. */

enum { MAX_WINDOWS = 64 }; /* a disk may answer at the same depth now so, now so */
#define DRAIN_LOOK_NS NS_PER_MS
/* For a disk that answers hardly any request, or none: what came until then has to do. */
static uint64_t longest_window_ns(const struct job *j) { return 10 * j->latency_window_ns + 10 * NS_PER_S; }

struct target {
    uint16_t limit, depth, kept, failed; /* failed: the lowest; limit + 1 while none did */
    uint16_t measured;                   /* the depth of what the lane measures */
    uint8_t outcome;                     /* enum target_outcome */
    bool draining;                       /* requests of another depth are still in flight */
    unsigned windows;
    uint64_t began_ns, ios, above; /* of the lane when the window began */
};

int engine_target_begin(struct work_lane *l)
{
    l->target = plat_alloc(sizeof(*l->target));
    if (!l->target)
        return E_NOMEM;
    *l->target =
        (struct target){ .limit = l->depth, .depth = 1, .measured = 1, .failed = (uint16_t)(l->depth + 1) };
    return OK;
}

unsigned engine_target_allows(const struct work_lane *l, unsigned room)
{
    const struct target *t = l->target;
    unsigned made = (unsigned)l->in_flight + l->waiting;

    return t->draining || made >= t->depth ? 0 : (unsigned)min_u64(room, t->depth - made);
}

/* What one window says.  True: there is no other depth to be tried. */
static bool judge(struct target *t, bool kept)
{
    t->outcome = TARGET_OPEN;
    if (kept) {
        t->kept = t->depth;
        if (t->depth == t->limit)
            t->outcome = TARGET_LIMIT;
        else if (t->depth + 1 >= t->failed)
            t->outcome = TARGET_FOUND;
    } else {
        t->failed = t->depth;
        t->kept = (uint16_t)min_u64(t->kept, t->depth - 1u);
        if (t->depth == 1)
            t->outcome = TARGET_MISSED;
    }
    return t->outcome != TARGET_OPEN;
}

static uint16_t next_depth(const struct target *t)
{
    if (t->failed > t->limit)
        return (uint16_t)min_u64(2u * t->depth, t->limit);
    return (uint16_t)((t->kept + t->failed) / 2);
}

static void begin_window(struct work_lane *l, uint64_t at_ns)
{
    struct target *t = l->target;

    t->began_ns = at_ns;
    t->ios = l->ios;
    t->above = hist_count_above(&l->hist, l->plan->job.latency_target_ns);
}

enum target_step engine_target_look(struct work_lane *l, uint64_t at_ns)
{
    const struct job *j = &l->plan->job;
    struct target *t = l->target;
    uint64_t ios = l->ios - t->ios;

    if (t->draining) {
        if (l->in_flight || l->waiting)
            return TARGET_GOES_ON;
        t->draining = false;
        t->measured = t->depth;
        begin_window(l, at_ns);
        if (j->latency_run)
            return TARGET_GOES_ON;
        t->began_ns = t->ios = t->above = 0;
        return TARGET_RESTARTS;
    }
    if (at_ns - t->began_ns < j->latency_window_ns ||
        (ios < ENGINE_FEWEST_IOS && at_ns - t->began_ns < longest_window_ns(j)))
        return TARGET_GOES_ON;
    if (!ios && !j->latency_run)
        return TARGET_ENDS;
    uint64_t above = hist_count_above(&l->hist, j->latency_target_ns) - t->above;
    bool settled = judge(t, (ios - above) * PPM_OF_ALL >= ios * j->latency_ppm);

    if (!j->latency_run && (settled || ++t->windows == MAX_WINDOWS))
        return TARGET_ENDS;
    if (settled)
        begin_window(l, at_ns);
    else {
        t->depth = next_depth(t);
        t->draining = true;
    }
    return TARGET_GOES_ON;
}

uint64_t engine_target_next_ns(const struct work_lane *l, uint64_t now_ns)
{
    uint64_t end_ns = l->begin_ns + l->target->began_ns + l->plan->job.latency_window_ns;

    if (l->target->draining)
        return now_ns + DRAIN_LOOK_NS;
    return end_ns > now_ns ? end_ns : UINT64_MAX;
}

void engine_target_fill_result(struct work_lane *l)
{
    const struct target *t = l->target;

    l->result.depth = t->measured;
    l->goal.depth = t->measured;
    l->goal.outcome = t->outcome;
    if (l->reason[0])
        return;
    if (t->outcome == TARGET_MISSED)
        str_copy(l->reason, sizeof(l->reason), "not even one request at a time keeps latency_target");
    else if (t->outcome == TARGET_OPEN) {
        l->ended_early = true;
        str_copy(l->reason, sizeof(l->reason),
                 "ended before a depth was found that keeps latency_target; a longer runtime would find it");
    }
}
