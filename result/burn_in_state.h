#ifndef RESULT_BURN_IN_STATE_H
#define RESULT_BURN_IN_STATE_H
#include <stdbool.h>
#include <stdint.h>
#include "verdict.h"

/* Where the burn-in of one drive stands.  Plain values: what a checkpoint keeps and the next start resumes
 * from.  Blocks are those of the burn-in (block_bytes), counted within the range it may write. */

enum burn_in_phase {
    BURN_IN_SNAPSHOT,      /* health before */
    BURN_IN_SHORT_TEST,    /* the drive's own short self-test */
    BURN_IN_SURFACE,       /* all of the disk read once */
    BURN_IN_SURFACE_AGAIN, /* only without writes: read a second time */
    BURN_IN_CAPACITY,      /* is there as much of it as it says?  The first writes */
    BURN_IN_WRITE,         /* each block of the range once, in random order, stamped */
    BURN_IN_RESET,         /* of controller or drive, so that what is read back comes from no cache */
    BURN_IN_VERIFY,        /* the stamps read back */
    BURN_IN_VERIFY_BACK,   /* once more, from the end to the begin */
    BURN_IN_RANDOM,        /* random hours */
    BURN_IN_LONG_TEST,     /* the drive's own extended self-test */
    BURN_IN_DELTA,         /* health after */
    BURN_IN_CLEAR,         /* head and tail zeroed */
    BURN_IN_DONE,
    BURN_IN_PHASE_COUNT
};
struct burn_in_phase_row {
    const char *key;   /* as the journal spells it */
    const char *words; /* "stamped random writes" */
};
extern const struct burn_in_phase_row burn_in_phases[BURN_IN_PHASE_COUNT];
/* BURN_IN_PHASE_COUNT when there is none of that key. */
enum burn_in_phase burn_in_phase_from_key(const char *key);

enum burn_in_end {
    BURN_IN_GOING,    /* not ended: the next start resumes it */
    BURN_IN_STOPPED,  /* by a person or the time limit: the next start resumes it, too */
    BURN_IN_FINISHED, /* all phases came to their end; errors say whether it passed */
    BURN_IN_LEFT,     /* ended before its time, for the reason in `why` */
    BURN_IN_END_COUNT
};
extern const char *const burn_in_end_words[BURN_IN_END_COUNT]; /* "going", "stopped", ... */

struct burn_in_state {
    char disk[24], identity[96];
    char arming[20];   /* "" without writes */
    uint64_t job_hash; /* of all that was asked for and of the range: another one is another burn-in */
    uint64_t seed;     /* of orders and stamps */
    uint32_t block_bytes;
    uint64_t blocks;   /* of the range */
    uint8_t phase;     /* enum burn_in_phase */
    uint8_t end;       /* enum burn_in_end */
    uint32_t pass;     /* of the stamps */
    uint64_t position; /* blocks of this phase that are done, and flushed when they were written */
    uint64_t written_blocks;
    uint64_t verified_blocks;
    uint64_t written_bytes;      /* all writes, also those that came twice */
    uint64_t errors;             /* requests that failed and blocks that were not what was written */
    uint32_t interruptions;      /* starts that found this burn-in unfinished */
    uint32_t stuck;              /* of these, one after the other without progress */
    uint64_t phase_ms, spent_ms; /* time used */
    char why[160];               /* of an early end, or of the first error */
};

/* One phase of a drive, or the part of it that lies in this start: what a person reads of it afterwards. */
struct burn_in_phase_sum {
    char disk[24];
    uint8_t phase;         /* enum burn_in_phase */
    uint8_t end;           /* enum burn_in_end: BURN_IN_GOING when the next phase followed */
    uint64_t began_ns, ms; /* on the journal's clock; without the times in which it was not its turn */
    uint64_t read_bytes, written_bytes;
    uint64_t errors;
    int64_t temperature_max_c; /* INT64_MIN: not known */
};

/* a is later than b in the life of the same burn-in (same seed). */
bool burn_in_state_is_later(const struct burn_in_state *a, const struct burn_in_state *b);
/* Of the drive, by its burn-in: errors are a FAIL whichever way it ended. */
enum verdict burn_in_state_verdict(const struct burn_in_state *s);
/* Whether the next start goes on with it. */
static inline bool burn_in_state_resumes(const struct burn_in_state *s)
{
    return s->end == BURN_IN_GOING || s->end == BURN_IN_STOPPED;
}

#endif
