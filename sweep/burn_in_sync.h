#ifndef SWEEP_BURN_IN_SYNC_H
#define SWEEP_BURN_IN_SYNC_H
#include "disk.h"

/* One request at a time: where it is about single places, not about speed.  Bounded by the disk's own
 * deadlines. */
struct burn_in_sync {
    struct disk *disk;
    struct io_lane *io; /* NULL: not open */
    char words[120];    /* of the first request that failed */
};
/* What the driver's open says.  [boot] */
int burn_in_sync_open(struct burn_in_sync *s, struct disk *d, uint32_t request_bytes, bool writes);
static inline uint8_t *burn_in_sync_data(struct burn_in_sync *s) { return lane_data(s->io, 0); }
/* E_MEDIA, E_REFUSED, E_TIMEOUT, E_GONE, with words. */
int burn_in_sync_do(struct burn_in_sync *s, enum io_op op, uint64_t lba, uint32_t blocks);
void burn_in_sync_close(struct burn_in_sync *s); /* [boot] harmless when not open */

#endif
