#ifndef SWEEP_BURN_IN_PROBE_H
#define SWEEP_BURN_IN_PROBE_H
#include "burn_in.h"
#include "stamp.h"

/* Is there as much of a disk as it says?  A forged one takes writes behind its real end and drops them, or
 * puts them over what lies before.  So stamps are written at places whose distances are those at which such
 * disks wrap (fractions of the size, powers of two), lowest first, and read back.
 *
 * What escapes: a wrap at any other distance.  The stamped pass over the whole range finds that. */
enum { PROBE_PLACE_BYTES = 64 << 10, PROBE_FRACTIONS = 64, PROBE_MAX_PLACES = 128 };
struct probe_place {
    uint64_t lba;
    enum stamp_kind kind; /* as it was read back */
    uint64_t seen_lba;    /* of the stamp that was there, when it was misdirected */
};
struct probe {
    struct probe_place place[PROBE_MAX_PLACES + 1]; /* ascending, not overlapping */
    unsigned count;
    uint32_t place_lbas;
    uint64_t disk_lbas;
};
/* Places within [first_lba, first_lba + lba_count). */
void probe_plan(struct probe *p, const struct disk *d, uint64_t first_lba, uint64_t lba_count);
/* From what was read back: the number of LBAs that there really are, about; disk_lbas when nothing is wrong.
 */
uint64_t probe_real_lbas(const struct probe *p);

/* Carries out the probe of a drive, and tells it.  Seconds.  [boot] */
void burn_in_probe(struct burn_in_drive *d, const struct burn_in_work *w, char words[160]);
/* Resets what the drive's commands go through, as far as its driver offers that.  No lane is open at its
 * controller.  [boot] */
void burn_in_renew(struct burn_in_drive *d, const struct burn_in_work *w, char words[160]);
/* Zeroes the first and last MiB of what it may write, and reads them back.  [boot] */
void burn_in_clear(struct burn_in_drive *d, const struct burn_in_work *w, char words[160]);

#endif
