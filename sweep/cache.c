#include "cache.h"
#include "bits.h"

static const struct {
    const char *text, *option, *refused, *unchanged;
} caches[CACHE_COUNT] = {
    [CACHE_WRITE] = { "write cache", "write_cache",
                      "the drive does not switch its write cache as write_cache asks",
                      "the drive said that it switched its write cache, and reads back unchanged" },
    [CACHE_LOOK_AHEAD] = { "look-ahead", "read_lookahead",
                           "the drive does not switch its look-ahead as read_lookahead asks",
                           "the drive said that it switched its look-ahead, and reads back unchanged" },
};
static const char *const events[CACHE_EVENT_COUNT] = {
    [CACHE_SWITCHED] = "switched",   [CACHE_NOT_SWITCHED] = "not-switched",
    [CACHE_UNCHANGED] = "unchanged", [CACHE_LOST] = "lost",
    [CACHE_RESTORED] = "restored",   [CACHE_NOT_RESTORED] = "not-restored",
};

const char *cache_text(enum disk_cache which) { return caches[which].text; }
const char *cache_option(enum disk_cache which) { return caches[which].option; }
const char *cache_event_text(enum cache_event e) { return events[e]; }
const char *cache_state_text(uint8_t state)
{
    return state == CACHE_ON ? "on" : state == CACHE_OFF ? "off" : "unknown";
}

bool cache_is_same(const struct disk *a, const struct disk *b)
{
    return a == b || (a->cache_is_shared && b->cache_is_shared && a->controller == b->controller);
}

bool cache_is_asked_for(const struct job *j) { return j->cache[CACHE_WRITE] || j->cache[CACHE_LOOK_AHEAD]; }

/* One lane speaks for all of its drive: the plan lets none differ. */
static bool speaks(const struct plan_step *s, unsigned lane)
{
    for (unsigned i = 0; i < lane; i++)
        if (cache_is_same(s->lanes[i].disk, s->lanes[lane].disk))
            return false;
    return cache_is_asked_for(&s->lanes[lane].job);
}

static void keep_out(const struct plan_step *s, const struct disk *d, const char *why)
{
    for (unsigned i = 0; i < s->lane_count; i++)
        if (cache_is_same(s->lanes[i].disk, d))
            s->lanes[i].why_not = why;
}

void cache_step_begin(const struct plan_step *s, cache_tell tell, void *ctx)
{
    for (unsigned i = 0; i < s->lane_count; i++)
        s->lanes[i].why_not = NULL;
    for (unsigned i = 0; i < s->lane_count; i++) {
        struct disk *d = s->lanes[i].disk;

        for (unsigned which = 0; speaks(s, i) && which < CACHE_COUNT; which++) {
            struct cache_told t = { .disk = d,
                                    .which = (enum disk_cache)which,
                                    .asked = s->lanes[i].job.cache[which] };

            if (!t.asked)
                continue;
            t.err = d->ops->set_cache ? d->ops->set_cache(d, t.which, t.asked == CACHE_ON) : E_UNSUPPORTED;
            t.event = t.err == OK                         ? CACHE_SWITCHED
                      : t.err == E_PROTO && !d->fault.err ? CACHE_UNCHANGED
                                                          : CACHE_NOT_SWITCHED;
            if (t.err)
                keep_out(s, d, t.event == CACHE_UNCHANGED ? caches[which].unchanged : caches[which].refused);
            tell(ctx, &t);
        }
    }
}

void cache_step_end(const struct plan_step *s, cache_tell tell, void *ctx)
{
    for (unsigned i = 0; i < s->lane_count; i++) {
        struct disk *d = s->lanes[i].disk;

        for (unsigned which = 0; speaks(s, i) && which < CACHE_COUNT; which++) {
            const struct cache_switch *c = &d->cache[which];
            struct cache_told t = { .disk = d,
                                    .which = (enum disk_cache)which,
                                    .asked = s->lanes[i].job.cache[which] };

            if (!t.asked || !d->ops->set_cache || !c->found)
                continue;
            if (!s->lanes[i].why_not && c->now != t.asked) {
                t.event = CACHE_LOST;
                tell(ctx, &t);
            }
            /* Nothing to put back where nothing was done, and then nothing is told either. */
            if (s->lanes[i].why_not && c->now == c->found)
                continue;
            t.err = d->ops->set_cache(d, t.which, c->found == CACHE_ON);
            t.event = t.err ? CACHE_NOT_RESTORED : CACHE_RESTORED;
            tell(ctx, &t);
        }
    }
}
