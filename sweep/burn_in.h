#ifndef SWEEP_BURN_IN_H
#define SWEEP_BURN_IN_H
#include "burn_in_state.h"
#include "conf.h"
#include "disk.h"
#include "guard.h"
#include "verdict.h"

/* The burn-in of one drive as a state machine.  Pure: it is told what happened and says what comes next; who
 * runs it (sweep/burn_in_loop.h) reads, writes and waits.  docs/burn-in.md describes the plan for people.
 *
 *     burn_in_begin [-> burn_in_resume] -> { burn_in_next -> work -> burn_in_took } until it has ended
 */

/* ---- numbers, each with its reason in burn_in_plan.c ---- */
struct burn_in_limits {
    uint64_t budget_ms;
    uint64_t until_ms[BURN_IN_PHASE_COUNT]; /* on the drive's clock (spent_ms), when the phase ends at last */
    uint64_t most_ms[BURN_IN_PHASE_COUNT];  /* of the phase itself; UINT64_MAX: no limit of its own */
    uint64_t write_cap_bytes;               /* endurance; 0: nothing is written */
    uint64_t error_limit;                   /* with so many errors the drive leaves */
    int64_t pause_c, end_c;                 /* temperature */
    bool pause_fixed, end_fixed;            /* by the configuration: the drive's own limits do not count */
    uint32_t block_bytes;
    uint16_t depth;
};
struct burn_in_drive {
    struct disk *disk;
    struct burn_in_state state;
    struct burn_in_limits limits;
    uint64_t first_lba, lba_count; /* that it may write; the whole disk when it only reads */
    bool writes, clears;
    /* of this start */
    uint64_t
        recheck_blocks; /* of what was written before the interruption, to be read before more is written */
    uint8_t resumed_phase;
    uint64_t resumed_position;
    bool resumed, paused;
    bool taken_over; /* it came to its end in an earlier start of the same burn-in */
    uint32_t pauses;
    uint64_t paused_ms;
    int64_t temperature_c; /* as seen last, INT64_MIN: not known */
    int64_t phase_max_c;   /* the highest since whoever runs it set this to INT64_MIN */
    bool self_test_running;
    uint64_t self_test_until_ms; /* on the drive's clock */
    char skipped[240];           /* phases that were not done, with reasons */
};

struct burn_in_ask {
    const struct conf *conf;
    struct disk *disk;
    bool writes; /* the guard granted it, for: */
    uint64_t first_lba, lba_count;
    const char *arming_id;
    uint64_t seed; /* any number that is not used twice */
};
/* A fresh one.  E_LIMIT: the disk or its range is too small (below 1024 blocks of 4 KiB) or cannot be read;
 * `why` says it. */
int burn_in_begin(struct burn_in_drive *d, const struct burn_in_ask *ask, struct text *why);
/* Goes on where an earlier start was.  E_REFUSED: it is another burn-in, or it has ended; *d is as before.
 * Counts the interruption; after BURN_IN_MAX_STUCK starts without progress the drive has ended with it. */
enum { BURN_IN_MAX_STUCK = 3, BURN_IN_RECHECK_BLOCKS = 256, BURN_IN_CLEAR_BYTES = 1 << 20 };
int burn_in_resume(struct burn_in_drive *d, const struct burn_in_state *earlier);

/* ---- what comes next ---- */
enum burn_in_task {
    BURN_IN_NOTHING, /* it has ended */
    BURN_IN_REST,    /* too warm: look again later */
    BURN_IN_LOOK,    /* health, for the snapshot or the delta */
    BURN_IN_SELF_TEST,
    BURN_IN_READ, /* these four are lanes of the engine */
    BURN_IN_STAMP,
    BURN_IN_CHECK,
    BURN_IN_MIX,
    BURN_IN_PROBE,
    BURN_IN_ZERO,
    BURN_IN_RENEW /* the reset: only while nothing at all is in flight and no lane is open */
};
enum burn_in_order { ORDER_UP, ORDER_DOWN, ORDER_MAP, ORDER_MAP_DOWN, ORDER_RANDOM };
struct burn_in_work {
    uint8_t task, order;
    bool recheck;       /* BURN_IN_CHECK of what was flushed before an interruption */
    uint64_t first_lba; /* of the region that blocks count in */
    uint64_t region_lbas;
    uint64_t from, count; /* blocks, in the order; ORDER_DOWN: from + count is where it ends */
    uint64_t limit_ms;    /* it may take so long at most; UINT64_MAX: no limit */
    uint32_t pass;
};
/* Passes over phases that do not apply or whose time is over.  False: the drive has ended. */
bool burn_in_next(struct burn_in_drive *d, struct burn_in_work *w);

struct burn_in_outcome {
    uint64_t blocks; /* of work.count, in its order, all of them answered (and flushed) */
    uint64_t errors;
    uint64_t written_bytes;
    uint64_t ms;       /* wall time */
    bool over;         /* tasks that are not counted in blocks: it came to its end */
    const char *words; /* of the first error, or why it was not done; NULL */
    bool not_done;     /* the drive does not offer it */
};
/* Keeps the books.  An error limit that is reached ends the drive. */
void burn_in_took(struct burn_in_drive *d, const struct burn_in_work *w, const struct burn_in_outcome *o);
/* Time that went by without work: looks, pauses, self-tests. */
void burn_in_waited(struct burn_in_drive *d, uint64_t ms);

/* ---- ends and pauses ---- */
enum burn_in_heat { HEAT_FINE, HEAT_PAUSES, HEAT_RESUMES, HEAT_ENDS };
/* Looks at the temperature; changes the drive and says what changed. */
enum burn_in_heat burn_in_heat(struct burn_in_drive *d, const struct disk_health *h);
/* It leaves before its time: FAIL.  The first reason stays. */
void burn_in_leave(struct burn_in_drive *d, const char *why);
/* A person or the time limit: ABORTED, and the next start resumes. */
void burn_in_stop(struct burn_in_drive *d, const char *why);

/* ---- words ---- */
/* Of a drive that came to its end in an earlier start of the burn-in which goes on with others: "in an
 * earlier start: 62 % of blocks read back, 3 errors: ...". */
void burn_in_earlier_words(const struct burn_in_state *s, struct text *out);
/* What becomes of the guard's mark on the drive; the phase that zeroes the rest goes by the same choice. */
enum guard_leave burn_in_leave_mark(const struct burn_in_drive *d);
/* "62 % of blocks written and verified; ..." with the reason and what was not done. */
void burn_in_words(const struct burn_in_drive *d, struct text *out);
/* Before it starts: "2.0 TB will be written at most (1.0 drive writes), 24 h 00 min at most". */
void burn_in_announce(const struct burn_in_drive *d, struct text *out);
/* Share of the disk, in ten thousandths, that was written and read back good (only read: without writes). */
uint64_t burn_in_covered(const struct burn_in_drive *d);

/* burn_in_plan.c */
int burn_in_set_limits(struct burn_in_drive *d, const struct burn_in_ask *ask, struct text *why);
uint64_t burn_in_job_hash(const struct burn_in_drive *d, const struct conf *conf);
bool burn_in_has_phase(const struct burn_in_drive *d, enum burn_in_phase p);
static inline uint32_t burn_in_block_lbas(const struct burn_in_drive *d)
{
    return d->limits.block_bytes / d->disk->lba_bytes;
}

#endif
