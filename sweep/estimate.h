#ifndef SWEEP_ESTIMATE_H
#define SWEEP_ESTIMATE_H
#include "disk.h"
#include "job.h"

/* How long a job will take on a disk.  A disk that rotates reads its first tracks about twice as fast as its
 * last; between the two rates, taken by a short look, the rate is taken to fall evenly.  Small requests in
 * order take as long as requests take, not as their bytes do. */

/* Reads 32 MiB at the begin and, of a disk that rotates, at the end, and keeps the rates in the disk
 * (first_bytes_per_s, last_bytes_per_s); then at most twice 4 MiB in blocks of 4 KiB (request_ns,
 * queued_request_ns).  Leaves 0 where nothing could be read.  [boot] */
void estimate_probe(struct disk *d);
/* Time for `bytes` from `offset` on; bytes beyond the disk's end begin again at offset. */
uint64_t estimate_read_ns(const struct disk *d, uint64_t offset, uint64_t bytes);
/* Of one job whose region is resolved to the disk, with ramp, delay and limits. */
uint64_t estimate_job_ns(const struct job *j, const struct disk *d);

#endif
