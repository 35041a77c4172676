#ifndef TESTS_QTEST_READ_H
#define TESTS_QTEST_READ_H
#include "disk.h"

/* Reads a region of a disk through a lane of that depth and request size, as a sweep does, and compares every
 * byte with the image behind it.  NULL when all is right, else what is not. */
const char *qtest_compare(struct disk *d, const char *image, uint64_t first_lba, uint64_t bytes,
                          uint16_t depth, uint32_t request_bytes);
/* The regions that matter: head in single commands, head in one request that may be split, the odd end. */
const char *qtest_compare_disk(struct disk *d, const char *image);

/* The status of one read; IO_STATUS_COUNT when the lane could not be opened. */
enum io_status qtest_read_status(struct disk *d, uint64_t lba, uint32_t blocks);

/* Arms all of the disk and writes a region through a lane that writes: three request sizes, each stamped,
 * read back and compared, flushed, and once more after the lane was opened anew; writes outside of an armed
 * range are refused.  NULL when all is right.  The image behind it must be a scratch file. */
const char *qtest_write_and_compare(struct disk *d);

struct disk *qtest_disk_of(struct controller *c, const char *name); /* NULL when there is none of that name */

#endif
