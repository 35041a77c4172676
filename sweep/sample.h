#ifndef SWEEP_SAMPLE_H
#define SWEEP_SAMPLE_H
#include "disk.h"

/* Looks at what a disk holds, through the same lanes as a sweep: checksums of its head and tail.
 *
 * Taken before and after a run they show that a read-only run left the content alone; the head is read in
 * small and in large (split) requests, which must agree. */
struct sample_region {
    uint64_t first_lba;
    uint64_t bytes;
    uint32_t request_bytes;
    uint32_t crc32c;
    int rc; /* OK, or why there is no checksum: E_MEDIA, E_TIMEOUT, E_NOMEM, E_LIMIT ... */
};
enum { SAMPLE_HEAD_SMALL, SAMPLE_HEAD_LARGE, SAMPLE_TAIL, SAMPLE_REGIONS };
struct sample {
    struct sample_region region[SAMPLE_REGIONS];
    uint32_t head_small_in_large_crc32c; /* of the small head region, as the large request delivered it */
};
/* Bytes of each region on a disk that is large enough; smaller disks are taken whole.  Both head regions
 * begin at LBA 0 and SAMPLE_HEAD_LARGE is as long as one of its requests. */
enum { SAMPLE_SMALL_BYTES = 1 << 20, SAMPLE_LARGE_BYTES = 8 << 20, SAMPLE_TAIL_BYTES = 1 << 20 };

/* Always fills *out.  [boot] */
void sample_take(struct disk *d, struct sample *out);
/* E_PROTO: the same LBAs gave different data in small and in large requests; OK when they agree or cannot be
 * compared (a region could not be read). */
int sample_agrees_with_itself(const struct sample *s);
/* The first region in which two samples of the same disk differ, or -1. */
int sample_difference(const struct sample *a, const struct sample *b);

#endif
