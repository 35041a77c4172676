#ifndef SWEEP_CACHE_H
#define SWEEP_CACHE_H
#include "plan.h"

/* The caches of a step's drives, switched as its jobs ask (write_cache, read_lookahead) before it begins and
 * put back after it, whatever became of it.  [boot] */

enum cache_event {
    CACHE_SWITCHED,     /* read back as asked: the lanes may run */
    CACHE_NOT_SWITCHED, /* the drive's lanes do not run */
    CACHE_UNCHANGED,    /* likewise: it said done, and was not */
    CACHE_LOST,         /* it was not as asked any more when the step ended */
    CACHE_RESTORED,     /* read back as found */
    CACHE_NOT_RESTORED,
    CACHE_EVENT_COUNT
};
struct cache_told {
    enum cache_event event;
    const struct disk *disk; /* whose `cache` has found and now */
    enum disk_cache which;
    uint8_t asked; /* enum cache_state */
    int err;
};
typedef void (*cache_tell)(void *ctx, const struct cache_told *t);

/* Tells one event for each cache of each drive that a job asks for.  Lanes of a drive that does not obey get
 * their why_not; the others' is NULL afterwards. */
void cache_step_begin(const struct plan_step *s, cache_tell tell, void *ctx);
/* Also for a step that did not run, and for a begin that failed.  Does not touch lanes. */
void cache_step_end(const struct plan_step *s, cache_tell tell, void *ctx);

/* Does one switch serve both disks?  [any] */
bool cache_is_same(const struct disk *a, const struct disk *b);
bool cache_is_asked_for(const struct job *j);
const char *cache_text(enum disk_cache which);    /* "write cache" */
const char *cache_option(enum disk_cache which);  /* "write_cache" */
const char *cache_state_text(uint8_t state);      /* "on", "off", "unknown" */
const char *cache_event_text(enum cache_event e); /* "switched" */

#endif
