#include "engine_lane.h"
#include "text.h"

/* Reading back behind a reset (verify_after_reset): the lane has drained and flushed, and its driver may be
 * asked for a reset, which enters firmware and takes seconds.  So this happens in a hold, and counts for
 * nobody. */

static bool awaits(const struct work_lane *l)
{
    return engine_is_live(l) && l->writing && l->writing->awaits_reset && !l->in_flight;
}

bool worker_wants_reset(const struct engine *e)
{
    for (const struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++)
        if (awaits(l))
            return true;
    return false;
}

static void reset_lane(struct engine *e, struct work_lane *l, engine_tell_reset tell, void *ctx)
{
    char words[160];
    struct text instead = text_over(words, sizeof words);
    const struct fault *f = &l->plan->disk->fault;
    int err = l->ops->reset ? l->ops->reset(l->io, &instead) : E_UNSUPPORTED;

    l->writing->awaits_reset = l->writing->wants_reset = false;
    if (err == E_AGAIN)
        text_str(&instead, "others use its controller: it was flushed only");
    else if (err == E_UNSUPPORTED && !words[0])
        text_str(&instead, "its driver offers no reset: it was flushed only");
    tell(ctx, l->plan, err, words);
    if (err == OK || err == E_AGAIN || err == E_UNSUPPORTED)
        return;
    struct text why = text_over(words, sizeof words);
    text_str(&why, "it did not come back from the reset before reading back: ");
    if (f->err)
        fault_text(f, &why);
    else
        text_str(&why, err_text(err));
    engine_end_broken(e, l, plat_now_ns(), words);
}

void worker_reset(struct engine *e, engine_tell_reset tell, void *ctx)
{
    for (struct work_lane *l = e->lane; e->holding && l < e->lane + e->lane_count; l++)
        if (awaits(l))
            reset_lane(e, l, tell, ctx);
}
