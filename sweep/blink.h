#ifndef SWEEP_BLINK_H
#define SWEEP_BLINK_H
#include <stdbool.h>
#include <stdint.h>
#include "disk.h"

/* Finding a drive's bay: reads in a rhythm that no other drive shows, so that its activity light tells where
 * it is.  Nothing but reads, one at a time, for a bounded time.
 *
 *     blink_begin -> blink_go_on(slice) until false -> blink_end
 */
struct blink_rhythm {
    uint32_t on_ms, off_ms; /* one flash and the dark after it */
    uint32_t flashes;
    uint32_t pause_ms; /* dark on top, after the last flash */
};
/* Three flashes, then a pause: a person tells it from a light that flickers or is just on. */
extern const struct blink_rhythm blink_rhythm;

enum { BLINK_MAX_S = 3600 };

struct blink_report {
    uint64_t reads, errors;
    uint32_t rounds;  /* of the rhythm, begun */
    char reason[160]; /* why it ended before its time; "" */
};

struct blink;
/* seconds: 1 to BLINK_MAX_S, else E_LIMIT.  A disk that cannot be read: E_UNSUPPORTED.  What the driver's
 * open says, E_NOMEM: nothing is left behind.  [boot] */
int blink_begin(struct disk *d, uint32_t seconds, struct blink **out);
/* Blinks for at most slice_ns more; false when the time is over or the disk takes no more work.  Nothing is
 * in flight between two calls, so that firmware may be called.  Bounded by the disk's deadline of one read.
 * [any] */
bool blink_go_on(struct blink *b, uint64_t slice_ns);
const struct blink_report *blink_report(const struct blink *b);
void blink_end(struct blink *b); /* [boot] */

/* Whether the light is to be on, so long after the beginning. */
bool blink_is_lit(const struct blink_rhythm *r, uint64_t elapsed_ns);

#endif
