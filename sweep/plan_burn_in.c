#include "burn_in.h"
#include "guard.h"
#include "plan_build.h"
#include "str.h"
#include "text.h"

/* The burn-in as a plan: one step, a lane per drive.  It is carried out by sweep/burn_in_loop.h, not by the
 * engine; the plan says which drives, for how long, and why others are left out. */

static bool may_burn_in(struct plan_build *b, struct disk *d, bool writes, struct burn_in_drive *as)
{
    const struct write_permit *p = guard_permit(d);
    struct burn_in_ask ask = {
        .conf = b->conf, .disk = d, .writes = writes, .first_lba = p->first_lba, .lba_count = p->lba_count
    };
    char words[200];
    struct text why = text_over(words, sizeof words);

    if (d->kind == DISK_FIRMWARE)
        plan_build_refuse(b, d, "burn-in", "read through the firmware only: too slow for a burn-in");
    else if (writes && !guard_may_plan(p))
        plan_build_refuse(b, d, "burn-in", "%s", p->why_not);
    else if (burn_in_begin(as, &ask, &why) != OK)
        plan_build_refuse(b, d, "burn-in", "%s", words);
    else
        return true;
    return false;
}

int plan_burn_in(const struct conf *conf, struct disk *const *disks, unsigned disk_count, struct plan *out)
{
    struct plan_build b = { .conf = conf };
    bool writes = conf->plan == CONF_PLAN_BURN_IN;
    struct burn_in_drive *as = plat_alloc(sizeof *as);
    struct plan_step *s = disk_count && as ? plan_build_step(&b, disk_count) : NULL;
    uint64_t longest_ms = 0;
    unsigned n = 0;

    b.no_memory |= !as;
    for (unsigned i = 0; s && i < disk_count; i++) {
        if (!may_burn_in(&b, disks[i], writes, as))
            continue;
        struct plan_lane *l = &s->lanes[n++];
        *l = (struct plan_lane){ .disk = disks[i], .depth = as->limits.depth };
        opt_defaults(job_options, job_option_count, &l->job);
        str_copy(l->job.name, sizeof l->job.name, writes ? "burn-in" : "burn-in-readonly");
        l->job.rw = writes ? JOB_RANDWRITE : JOB_READ;
        l->job.block_bytes = as->limits.block_bytes;
        l->job.iodepth = as->limits.depth;
        longest_ms = max_u64(longest_ms, as->limits.budget_ms);
    }
    if (s) {
        str_fmt(s->title, sizeof s->title, "%s of %u drive%s", writes ? "burn-in" : "burn-in without writes",
                n, str_plural(n));
        s->lane_count = n;
        plan_build_step_done(&b, s, longest_ms * NS_PER_MS);
        b.plan.step_count = n ? b.plan.step_count : 0;
    }
    plat_free(as);
    return plan_build_end(&b, out);
}
