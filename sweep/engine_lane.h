#ifndef SWEEP_ENGINE_LANE_H
#define SWEEP_ENGINE_LANE_H
#include "bits.h"
#include "engine.h"
#include "math.h"
#include "perm.h"

/* Inside of the engine, shared by its files: engine.c (the loop), engine_begin.c (the only part that may
 * enter firmware), engine_make.c (which blocks), engine_paced.c (limits and draws), engine_write.c and
 * engine_verify.c (what writes), engine_reset.c (the reset before reading back), engine_group.c (copies),
 * engine_target.c (the search for a depth), engine_result.c (numbers and flags) and engine_locate.c (bad
 * LBAs). */

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
    uint32_t pass : 31, writes : 1; /* of lanes with `writing` only */
};

enum work_pattern {
    PATTERN_SEQUENTIAL, /* these three are plain: nothing but places, by engine_make itself */
    PATTERN_RANDOM,
    PATTERN_PERMUTED,
    PATTERN_DRAWN,
    PATTERN_MIXED,  /* each request by one of those before, its direction by draw */
    PATTERN_STAMPED /* so that it follows from the request's number what was written where, and when last */
};
struct steady;
struct target;
struct writing;
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

/* work_lane.turn when the lane submits and has nothing made or in flight. */
#define TURN_FREE (1ull << 32)

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
    uint16_t depth;
    uint8_t pattern; /* enum work_pattern */
    uint8_t phase;   /* enum lane_phase */
    union {
        struct {
            uint16_t waiting, in_flight;
            uint32_t submitting; /* 0 or 1 */
        };
        uint64_t turn; /* all three at once */
    };
    bool wrapped, broken; /* broken: the driver or its device does not keep the contract */
    bool solo;            /* one request at a time, and only reads */
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
    uint64_t told_ios, told_lbas, told_max_ns, told_sum_ns,
        series_next_ns; /* what the series knows; until when */
    unsigned timeouts;
    unsigned kept_errors;
    struct io_error_record error[LANE_MAX_ERROR_RECORDS];

    struct perm perm;
    struct pace *pace;             /* NULL: as fast as it goes */
    struct draw *draw;             /* PATTERN_DRAWN */
    struct writing *writing;       /* NULL: reads, and checks nothing */
    bool fills;                    /* buffers are filled before each submission */
    bool words;                    /* so are they, but by engine_make: small writes of a plain pattern */
    bool apart;                    /* completions are taken one by one, by engine_reap_apart */
    struct steady *steady;         /* NULL: not looked for */
    struct target *target;         /* NULL: the depth stays what it is */
    uint64_t lead_ns;              /* startdelay and ramp_time */
    unsigned looks, uniform_looks; /* at what was read last: all the same word? */
    uint32_t sequence;             /* odd while `progress` is being written */
    struct lane_progress progress;
    const struct plan_lane *plan;
    uint32_t lba_bytes;
    bool ended_early;
    char reason[160];
    struct step_result result;
    struct step_asked asked;
    struct step_goal goal;
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

/* What lanes measure by stands still during a hold. */
static inline uint64_t engine_measured_now(const struct engine *e, uint64_t now_ns)
{
    return e->holding ? e->hold_began_ns : now_ns;
}

/* One request, made in its slot. */
static inline void put_in_slot(struct work_slot *s, struct io_request *r, uint64_t now_ns, uint64_t lba,
                               uint32_t blocks)
{
    s->submit_ns = now_ns;
    s->lba = lba;
    s->blocks = blocks;
    r->lba = lba;
    r->blocks = blocks; /* its operation stays as it is */
}
static inline void put_request(struct work_slot *slots, struct io_request *r, uint64_t now_ns, uint64_t lba,
                               uint32_t blocks)
{
    put_in_slot(&slots[r->slot], r, now_ns, lba, blocks);
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

/* engine_target.c: lanes that look for a depth */
int engine_target_begin(struct work_lane *l); /* [boot] E_NOMEM; freed by engine_paced_end */
unsigned engine_target_allows(const struct work_lane *l, unsigned room);
enum target_step { TARGET_GOES_ON, TARGET_RESTARTS, TARGET_ENDS };
/* TARGET_RESTARTS: what was measured so far is of another depth.  While the lane runs. */
enum target_step engine_target_look(struct work_lane *l, uint64_t at_ns);
/* When the next look is due. */
uint64_t engine_target_next_ns(const struct work_lane *l, uint64_t now_ns);
void engine_target_fill_result(struct work_lane *l); /* before the flags */

/* ---- lanes that write, or check what was written ---- */
enum { ENGINE_FAILED_MAX = 64 }; /* failed writes that are remembered; what follows counts twice */
enum flush_state { FLUSH_NONE, FLUSH_WANTED, FLUSH_SENT };
struct side_stats {
    uint64_t ios, lbas;
    uint64_t told_ios, told_lbas, told_sum_ns; /* what its series knows */
    struct hist hist;
    struct lane_series series;
    struct step_side result;
    struct step_asked asked;
};
struct writing {
    bool writes, stamped, checks_reads; /* checks_reads: a job that only reads, and compares */
    bool measured_verify;               /* verify_only: reading back is the measured work */
    uint8_t op;                         /* of the lane's requests, but for mixes and flushes */
    /* what is written */
    bool scrambles, fills_slowly;
    struct rng rng;
    uint64_t sequence, fill_ns;
    uint8_t *template_data; /* of mixes, whose reads leave something else in the buffers; else NULL */
    /* flushes */
    uint8_t flush; /* enum flush_state */
    bool flushed_at_end;
    uint32_t flush_every, writes_since_flush;
    uint64_t flushes, flush_sum_ns, flush_min_ns, flush_max_ns, flush_wait_ns;
    /* mixes */
    uint8_t base_pattern;
    uint64_t read_below; /* a random word below this: a read */
    uint64_t cursor_lba[2];
    struct side_stats *side; /* two of them; NULL: no mix */
    /* stamps: block `index` of pass `pass` is next; all before it were written */
    struct stamp_key key;
    uint64_t per_pass, index, written_lbas;
    uint32_t pass;
    struct perm past; /* the map of past_pass */
    uint32_t past_pass;
    /* reading back */
    bool wants_verify, verifying, verify_ended;
    bool wants_reset, awaits_reset; /* wants: before reading back; awaits: now, drained and flushed */
    uint64_t verify_at;             /* blocks looked for so far, of per_pass */
    uint64_t verify_began_ns, measured_stop_ns, measured_gap_ns, measured_busy_ns, verified_lbas;
    unsigned kept;
    struct stamp_finding bad[LANE_MAX_ERROR_RECORDS];
    /* writes that failed: errors already, what stands there is not held against the disk again */
    struct {
        uint64_t lba;
        uint32_t blocks, pass;
    } failed[ENGINE_FAILED_MAX];
    unsigned failed_count;
    struct step_writing result;
};
#define ENGINE_FLUSH_NS (120 * NS_PER_S) /* design: default numbers */

/* So that no two blocks are alike: words of their own at each 4 KiB. */
static inline void engine_put_words(uint8_t *at, uint64_t sequence, uint64_t lba)
{
    __builtin_memcpy(at, &sequence, sizeof(sequence));
    __builtin_memcpy(at + sizeof(sequence), &lba, sizeof(lba));
}

/* engine_write.c */
int engine_write_begin(struct work_lane *l); /* [boot] E_NOMEM; after the lane's work is set */
void engine_write_end(struct work_lane *l);  /* [boot] */
/* Of `room` requests, so many may be made now. */
unsigned engine_write_allows(struct work_lane *l, unsigned room);
uint64_t engine_make_mixed(struct work_lane *l, struct io_request *r, unsigned count, uint64_t now_ns);
/* Fills the buffers of requests that were just made.  Those that this kept waiting long have their time begin
 * behind it. */
void engine_fill(struct work_lane *l, const struct io_request *r, unsigned count, uint64_t now_ns);
/* A flush that is due and has nothing to wait for any more becomes the one request; true then. */
bool engine_make_flush(struct work_lane *l, struct io_request *r, uint64_t now_ns);
void engine_reap_apart(struct engine *e, struct work_lane *l, unsigned n, uint64_t now_ns);
/* The lane has drained: is there a flush, or the reading back, to do?  True: it goes on. */
bool engine_write_goes_on(struct engine *e, struct work_lane *l, uint64_t now_ns);
/* What was made and is not in the driver's hands will not be sent. */
void engine_write_unmake(struct work_lane *l);
uint64_t engine_deadline_ns(const struct work_lane *l);
void engine_write_forget(struct writing *w); /* measuring begins again */
/* What came back of each side of a mix since the last time, into its series. */
void engine_write_tell_sides(struct work_lane *l); /* [any] */
void engine_write_fill_result(struct work_lane *l);
void engine_write_merge(struct work_lane *into, struct work_lane *from);
static inline bool engine_is_verifying(const struct work_lane *l)
{
    return l->writing && l->writing->verifying;
}
/* What was measured stands still from here on. */
static inline bool engine_is_past_measuring(const struct work_lane *l)
{
    return engine_is_verifying(l) && !l->writing->measured_verify;
}

/* engine_verify.c */
void engine_stamp_begin(struct work_lane *l);
uint64_t engine_make_stamped(struct work_lane *l, struct io_request *r, unsigned count, uint64_t now_ns);
unsigned engine_stamp_allows(struct work_lane *l, unsigned room);
void engine_verify_start(struct work_lane *l, uint64_t at_ns);
/* Makes up to `room` reads of what was written; fewer only when there is no more. */
unsigned engine_verify_make(struct work_lane *l, struct io_request *r, unsigned room, uint64_t now_ns);
bool engine_verify_is_done(const struct work_lane *l);
/* The request of that slot failed. */
void engine_verify_note_failed(struct work_lane *l, const struct work_slot *s);
/* Compares what a request brought.  False: verify_fatal, and something was wrong. */
bool engine_verify_data(struct work_lane *l, const struct work_slot *s, unsigned slot);
/* So that data which never arrives is not taken for what was left in the buffer. */
void engine_poison(struct work_lane *l, const struct io_request *r);

/* engine_group.c: copies of a job (numjobs) become one result, and jobs that end with another */
void engine_exit_others(struct engine *e, const struct work_lane *ended, uint64_t now_ns);
void engine_merge_copies(struct engine *e);
/* The lane that stands for the n-th job on its disk. */
struct work_lane *engine_shown(const struct engine *e, unsigned lane);

/* engine_make.c */
void engine_lane_refill_map(struct work_lane *l); /* [any] the next pass of a random map */
/* Makes `count` requests and returns how many LBAs they cover. */
uint64_t engine_make(struct work_lane *l, unsigned pattern, struct io_request *r, unsigned count,
                     uint64_t now_ns);

/* engine.c, also for the other files */
/* A completion that is no plain success.  False: not one of ours, nothing to free. */
bool engine_odd_completion(struct engine *e, struct work_lane *l, const struct io_completion *c,
                           uint64_t now_ns);
void engine_end_now(struct engine *e, struct work_lane *l, uint64_t now_ns); /* as if its time were over */
static inline bool engine_is_live(const struct work_lane *l)
{
    return l->phase < LANE_DONE; /* one that was never opened is LANE_DEAD */
}
/* Takes what the lane's driver has and sends what takes its place; how many were taken. */
unsigned engine_visit(struct engine *e, struct work_lane *l);
/* What was spent since the last charge, and from now on, is no lane's. */
void engine_charge_to_idle(struct engine *e, uint64_t now_ns);
void engine_give_back_slot(struct work_lane *l, unsigned slot);
void engine_end_early(struct engine *e, struct work_lane *l, uint64_t now_ns, const char *why);
void engine_end_broken(struct engine *e, struct work_lane *l, uint64_t now_ns, const char *why);
/* engine_result.c */
void engine_series_add(struct lane_series *s, uint64_t at_ns, const struct series_point *more); /* [any] */
/* engine_group.c: both began with the same interval */
void engine_series_merge(struct lane_series *into, struct lane_series *from);
void engine_fill_result(const struct engine *e, struct work_lane *l); /* [any] */
/* Fills in those that enough values lie above; returns which. */
uint32_t engine_percentiles(const struct hist *h, uint64_t percentile_ns[static PERCENTILE_COUNT]);
/* Those of the job's percentile_list, into *out; returns it, or NULL when the job has none. */
const struct step_asked *engine_asked(const struct hist *h, const struct job *j, struct step_asked *out);
/* Is what was read last the same all over? */
void engine_look_at_data(struct work_lane *l); /* [any] */

#endif
