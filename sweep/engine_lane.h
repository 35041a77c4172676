#ifndef SWEEP_ENGINE_LANE_H
#define SWEEP_ENGINE_LANE_H
#include "bits.h"
#include "engine.h"
#include "math.h"
#include "perm.h"

/* Inside of the engine, shared by its four files: engine.c (the loop), engine_begin.c (the only part that
 * may enter firmware), engine_result.c (numbers and flags) and engine_locate.c (bad LBAs). */

enum {
    ENGINE_BATCH = 64,              /* completions taken per poll */
    ENGINE_FEWEST_IOS = 20,         /* below: FLAG_TOO_SHORT */
    ENGINE_PERCENTILE_SAMPLES = 10, /* design: only with at least ten samples above */
    ENGINE_MAX_TIMEOUTS = 8         /* each may cost a whole deadline: then the lane has said enough */
};
#define ENGINE_CHECK_NS   (50 * NS_PER_MS)  /* deadlines, stop word, phases: at least this often */
#define ENGINE_PUBLISH_NS (200 * NS_PER_MS) /* snapshot for the screen */
#define ENGINE_SERIES_NS  (100 * NS_PER_MS) /* finest interval of the series */
#define ENGINE_LOCATE_NS                                                                                     \
    (20 * NS_PER_S) /* time per lane for naming bad LBAs: a bad sector may cost seconds */

/* One slot of the lane; blocks == 0: not in flight. */
struct work_slot {
    uint64_t submit_ns;
    uint64_t lba;
    uint32_t blocks;
};

enum work_pattern { PATTERN_SEQUENTIAL, PATTERN_RANDOM, PATTERN_PERMUTED, PATTERN_DRAWN };
struct steady;
struct draw;

/* What a lane that is not simply as fast as it goes may do next.  Such a lane keeps left_lbas at 0, so that
 * each of its submissions takes the slow way, and the others never look here. */
struct pace {
    uint64_t left_lbas, ios_left; /* UINT64_MAX: without limit */
    uint64_t delay_ns;            /* nothing before this time of the lane */
    uint64_t rate_bytes_per_s, rate_iops;
    uint64_t issued_lbas, issued_ios;
    uint64_t think_ns, think_until_ns;
    uint32_t think_blocks, think_left;
};

struct work_lane {
    /* the path of each I/O */
    struct io_lane *io; /* NULL: not open */
    const struct disk_ops *ops;
    struct work_slot *slot;       /* depth */
    struct io_request *request;   /* depth: `waiting` made ones on their way to the driver, then free slots */
    uint64_t next_lba, left_lbas; /* left: UINT64_MAX when time alone ends the lane */
    uint64_t first_lba, end_lba;
    uint64_t planned_lbas;             /* as left_lbas, when measuring begins */
    uint64_t whole_blocks, next_index; /* random patterns */
    uint32_t block_lbas;
    uint16_t depth, waiting, in_flight;
    uint8_t pattern;                  /* enum work_pattern */
    uint8_t phase;                    /* enum lane_phase */
    bool submitting, wrapped, broken; /* broken: the driver or its device does not keep the contract */
    struct rng rng;

    /* time; begin_ns is shifted by every hold, so that now - begin_ns is measured time */
    uint64_t begin_ns, stop_ns, last_ok_ns; /* stop and last_ok: on the lane's own clock */
    uint64_t runtime_ns;
    uint64_t next_event_ns, next_publish_ns, last_poll_ns, last_taken_ns;
    uint64_t deadline_ns;

    /* what was measured */
    uint64_t ios, lbas, errors, retries;
    uint64_t busy_ns, gap_ns, held_ns, ramp_ns;
    uint64_t published_ios, published_lbas, published_ns;
    uint64_t told_ios, told_lbas, told_max_ns, series_next_ns; /* what the series knows; until when */
    unsigned timeouts;
    unsigned kept_errors;
    struct io_error_record error[LANE_MAX_ERROR_RECORDS];

    struct perm perm;
    struct pace *pace;             /* NULL: as fast as it goes */
    struct draw *draw;             /* PATTERN_DRAWN */
    struct steady *steady;         /* NULL: not looked for */
    uint64_t lead_ns;              /* startdelay and ramp_time */
    unsigned looks, uniform_looks; /* at what was read last: all the same word? */
    uint32_t sequence;             /* odd while `progress` is being written */
    struct lane_progress progress;
    const struct plan_lane *plan;
    uint32_t lba_bytes;
    bool ended_early;
    char reason[160];
    struct step_result result;
    struct hist hist;
    struct lane_series series;
};

struct engine {
    struct work_lane *lane;
    unsigned lane_count, live_count; /* live: neither done nor dead */
    unsigned step_number;
    uint32_t stop; /* written by the main processor */
    bool started, holding, finished;
    uint64_t hold_began_ns;
    uint64_t *charge_ns; /* whose the time since charged_at_ns is: a lane's busy_ns, or idle_ns; never NULL */
    uint64_t charged_at_ns, busy_ns, idle_ns;
    uint64_t begin_ns, held_ns, end_ns;
    struct io_completion done[ENGINE_BATCH];
};

/* One request, made in its slot. */
static inline void put_request(struct work_slot *slots, struct io_request *r, uint64_t now_ns, uint64_t lba,
                               uint32_t blocks)
{
    struct work_slot *s = &slots[r->slot];

    s->submit_ns = now_ns;
    s->lba = lba;
    s->blocks = blocks;
    r->lba = lba;
    r->blocks = blocks; /* `reserved` stays 0 as allocated */
}

/* engine_paced.c: lanes with mixed requests, limits and an end by steadiness */
int engine_paced_begin(struct work_lane *l); /* [boot] E_NOMEM */
void engine_paced_end(struct work_lane *l);  /* [boot] */
void engine_pace_restart(struct work_lane *l, uint64_t left_lbas);
/* How many of `room` requests may be made now. */
unsigned engine_pace_allows(struct work_lane *l, unsigned room, uint64_t now_ns);
void engine_pace_took(struct work_lane *l, unsigned count, uint64_t lbas);
bool engine_pace_is_done(const struct work_lane *l);
uint64_t engine_make_drawn(struct work_lane *l, struct io_request *r, unsigned count, uint64_t now_ns);
/* True when the lane is steady and may end. */
bool engine_steady_look(struct work_lane *l, uint64_t at_ns);
bool engine_steady_reached(const struct work_lane *l);

/* engine_group.c: copies of a job (numjobs) become one result */
void engine_merge_copies(struct engine *e);
/* The lane that stands for the n-th job on its disk. */
struct work_lane *engine_shown(const struct engine *e, unsigned lane);

/* engine.c, also for engine_locate.c and engine_begin.c */
void engine_lane_refill_map(struct work_lane *l); /* [any] the next pass of a random map */
/* engine_result.c */
void engine_series_add(struct lane_series *s, uint64_t at_ns, uint64_t ios, uint64_t bytes,
                       uint64_t max_ns);                              /* [any] */
void engine_fill_result(const struct engine *e, struct work_lane *l); /* [any] */
/* Is what was read last the same all over? */
void engine_look_at_data(struct work_lane *l); /* [any] */

#endif
