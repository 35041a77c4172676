#include "engine_lane.h"

/* Holds: firmware is called only while the lanes stand still, and that time leaves the clock. */

/* Whether all that is in flight was sent before then.  What has no slot (a flush) is waited for. */
static bool is_only_late(const struct work_lane *l, uint64_t before_ns)
{
    unsigned late = 0;

    for (unsigned i = 0; i < l->depth && late < l->in_flight; i++)
        if (l->slot[i].blocks && l->slot[i].submit_ns >= before_ns)
            return false;
        else
            late += l->slot[i].blocks != 0;
    return late == l->in_flight;
}

static void drain(struct engine *e, uint64_t patience_ns)
{
    unsigned waiting;

    if (!e->holding)
        e->hold_began_ns = plat_now_ns();
    e->holding = true;
    if (!e->started)
        return;
    do {
        uint64_t now_ns = plat_now_ns(), before_ns = now_ns > patience_ns ? now_ns - patience_ns : 0;

        waiting = 0;
        for (struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++) {
            if (!engine_is_live(l) || !l->in_flight)
                continue;
            if (!engine_visit(e, l))
                plat_relax();
            waiting += l->in_flight && !is_only_late(l, before_ns);
        }
    } while (waiting);
    engine_charge_to_idle(e, plat_now_ns());
}

void worker_hold(struct engine *e)
{
    if (!e->holding)
        drain(e, ENGINE_HOLD_PATIENCE_MS * NS_PER_MS);
}

void worker_drain(struct engine *e) { drain(e, UINT64_MAX); }

bool engine_disk_is_idle(const struct engine *e, const struct disk *d)
{
    for (const struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++)
        if (l->plan->disk == d && engine_is_live(l) && l->in_flight)
            return false;
    return true;
}

void worker_resume(struct engine *e)
{
    if (!e->holding)
        return;
    uint64_t now_ns = plat_now_ns(), held_ns = now_ns - e->hold_began_ns;

    e->holding = false;
    if (!e->started)
        return;
    e->held_ns += held_ns;
    e->charged_at_ns = now_ns;
    for (struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++) {
        if (!engine_is_live(l))
            continue;
        l->held_ns += held_ns;
        l->begin_ns += held_ns;
        l->last_taken_ns += held_ns;
        l->last_poll_ns = l->next_event_ns = now_ns;
    }
}
