#ifndef SWEEP_PLAN_BUILD_H
#define SWEEP_PLAN_BUILD_H
#include "bits.h"
#include "plan.h"

/* What the two makers of plans (plan_default.c, plan_jobs.c) share.  [boot] */

enum { PLAN_MAX_LANES = 1024 };        /* in one step: a lane's books take some 40 KiB */
#define PLAN_LANE_BYTES     (32 * MIB) /* in flight, design: default numbers */
#define PLAN_STEP_BYTES     (1 * GIB)
#define PLAN_LEAST_NS       (50 * NS_PER_MS) /* scaling never goes below these two, */
#define PLAN_LEAST_REQUESTS 64u              /* unless less was asked for */

struct plan_build {
    struct plan plan;
    const struct conf *conf;
    unsigned step_room, refusal_room;
    bool no_memory; /* sticky: plan_build_end answers E_NOMEM */
    bool blame_job; /* what is refused now is the job file's fault */
};

/* A step at the end of the plan with room for lane_count lanes, all zero; NULL when out of memory. */
struct plan_step *plan_build_step(struct plan_build *b, unsigned lane_count);
/* Limits of depth and the marks that depend on the other lanes.  Call when all lanes are filled in. */
void plan_build_step_done(struct plan_build *b, struct plan_step *s, uint64_t estimate_ns);
void plan_build_refuse(struct plan_build *b, struct disk *disk, const char *job, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* OK: *out is the plan.  E_NOMEM: *out is empty, everything is freed. */
int plan_build_end(struct plan_build *b, struct plan *out);

/* The configuration's time scale, kept sane by the two limits above. */
uint64_t plan_scaled_ns(const struct conf *conf, uint64_t ns);
uint64_t plan_scaled_bytes(const struct conf *conf, uint64_t bytes, uint32_t block_bytes);

static inline uint64_t disk_bytes(const struct disk *d) { return d->lba_count * d->lba_bytes; }
/* Why the caches of this disk cannot be switched as the job asks; false: they can.  (plan_cache.c) */
bool plan_cache_trouble(const struct disk *d, const struct job *j, struct text *why);
/* Has some lane of these on the same drive other wishes for its caches? */
bool plan_cache_conflict(const struct plan_lane *lanes, unsigned count, const struct disk *d,
                         const struct job *j);
/* Would the reset of verify_after_reset, of this job or of a lane of these, reach the other's work, too? */
bool plan_reset_conflict(const struct plan_lane *lanes, unsigned count, const struct disk *d,
                         const struct job *j);
/* Words for a disk that cannot be planned for; NULL when it can. */
const char *plan_disk_trouble(const struct disk *d);

#endif
