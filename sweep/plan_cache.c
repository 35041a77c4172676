#include "cache.h"
#include "guard.h"
#include "plan_build.h"
#include "str.h"
#include "stripe.h"

/* Which jobs may switch a drive's caches, or have it reset, told before anything runs. */

bool plan_cache_trouble(const struct disk *d, const struct job *j, struct text *why)
{
    for (unsigned i = 0; i < CACHE_COUNT; i++) {
        const struct write_permit *permit = guard_permit(d);

        if (!j->cache[i])
            continue;
        if (!d->ops->set_cache)
            text_fmt(why, "%s: only of an NVMe or SATA drive that this program drives itself",
                     cache_option((enum disk_cache)i));
        else if (i == CACHE_LOOK_AHEAD && d->kind == DISK_NVME)
            text_fmt(why, "%s: an NVMe drive has no look-ahead that could be switched",
                     cache_option((enum disk_cache)i));
        else if (!d->cache[i].found)
            text_fmt(why, "%s: the drive does not report a %s that could be switched",
                     cache_option((enum disk_cache)i), cache_text((enum disk_cache)i));
        else if (i == CACHE_WRITE && j->cache[i] == CACHE_ON && d->cache[i].found == CACHE_OFF &&
                 !guard_may_plan(permit))
            text_fmt(why, "write_cache=on, found off: %.80s. docs/safety.md says how a disk is armed",
                     permit->why_not);
        else
            continue;
        return true;
    }
    return false;
}

typedef bool (*disks_meet)(const struct disk *a, const struct disk *b);

/* Also as a member of an array that the job reads. */
static bool reaches(const struct disk *a, const struct disk *d, disks_meet meet)
{
    const struct disk *member;

    if (meet(a, d))
        return true;
    for (unsigned i = 0; (member = stripe_member(a, i)); i++)
        if (meet(member, d))
            return true;
    return false;
}

/* A SATA drive has a link of its own, NVMe namespaces their controller together. */
static bool one_reset_reaches(const struct disk *a, const struct disk *b)
{
    return a == b || (a->kind == DISK_NVME && a->controller == b->controller);
}

bool plan_cache_conflict(const struct plan_lane *lanes, unsigned count, const struct disk *d,
                         const struct job *j)
{
    for (unsigned i = 0; i < count; i++)
        if ((reaches(lanes[i].disk, d, cache_is_same) || reaches(d, lanes[i].disk, cache_is_same)) &&
            memcmp(lanes[i].job.cache, j->cache, sizeof j->cache))
            return true;
    return false;
}

bool plan_reset_conflict(const struct plan_lane *lanes, unsigned count, const struct disk *d,
                         const struct job *j)
{
    for (unsigned i = 0; i < count; i++)
        if ((j->verify_after_reset || lanes[i].job.verify_after_reset) &&
            (reaches(lanes[i].disk, d, one_reset_reaches) || reaches(d, lanes[i].disk, one_reset_reaches)))
            return true;
    return false;
}
