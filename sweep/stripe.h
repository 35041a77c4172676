#ifndef SWEEP_STRIPE_H
#define SWEEP_STRIPE_H
#include "disk.h"

/* Several disks as one, chunk after chunk in turn: what an operating system's RAID 0 would read (without its
 * data: no order of the pieces is kept in memory, so content cannot be checked through it).  Reads only.
 *
 * A request touches consecutive chunks of one member at consecutive places, so it is at most one request per
 * member, in the member's slot of the same number. */
enum { STRIPE_MAX_MEMBERS = 32 };
/* A disk over `members`, each cut to the same whole number of chunks.  chunk_bytes: a multiple of every
 * member's LBA size, which must be equal.  E_LIMIT: members or chunk do not fit together; E_NOMEM.  The
 * members stay the caller's, must outlive it, and may be used beside it.  [boot] */
int stripe_make(struct disk *const *members, unsigned count, uint32_t chunk_bytes, const char *name,
                struct disk **out);
/* The member that holds that LBA of an array, and which of its own LBAs it is; NULL: `d` is no array, or has
 * no such LBA.  [any] */
struct disk *stripe_member_of(const struct disk *d, uint64_t lba, uint64_t *member_lba);
/* The member of that number; NULL beyond the last, and when `d` is no array. */
struct disk *stripe_member(const struct disk *d, unsigned i);
uint32_t stripe_chunk_bytes(const struct disk *d);
void stripe_free(struct disk *d); /* [boot] all lanes closed; NULL is fine */

#endif
