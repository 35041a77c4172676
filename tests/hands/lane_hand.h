#ifndef TESTS_HANDS_LANE_HAND_H
#define TESTS_HANDS_LANE_HAND_H
#include <stdbool.h>
#include <stdint.h>
#include "disk.h"
#include "medium.h"

/* What every test of a driver does with a lane, whatever the driver: the part of the rigs of tests/unit/nvme,
 * ahci and mfi that knows no device.  A stamp is a block's content made of its LBA and a pass. */

/* A lane that reads; one that writes to a disk whose blocks are armed, if it is not, and declared to the
 * model's medium under `unit`.  Both must succeed. */
struct io_lane *hand_open(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot);
struct io_lane *hand_open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot,
                                 struct model_medium *m, uint32_t unit, uint64_t first_lba, uint64_t blocks);
/* Submits one request, which the lane must take, and rings. */
void hand_submit(struct io_lane *l, enum io_op op, unsigned slot, uint64_t lba, uint32_t blocks);
void hand_send(struct io_lane *l, unsigned slot, uint64_t lba, uint32_t blocks); /* a read */
/* Polls, the model's clock moving, until n completions are there or `ms` have passed (hand_wait: a second);
 * returns how many came. */
unsigned hand_wait_ms(struct io_lane *l, struct io_completion *c, unsigned n, unsigned ms);
unsigned hand_wait(struct io_lane *l, struct io_completion *c, unsigned n);
/* Submits one request and waits a minute at most; status is IO_STATUS_COUNT when nothing came. */
struct io_completion hand_one(struct io_lane *l, enum io_op op, unsigned slot, uint64_t lba, uint32_t blocks);

void hand_stamp_block(uint8_t *block, uint32_t block_bytes, uint64_t lba, uint32_t pass);
/* The slot's buffer gets, or has, the stamps of these blocks; the medium holds them. */
void hand_stamp(struct io_lane *l, unsigned slot, uint64_t lba, uint32_t blocks, uint32_t pass);
bool hand_has_stamp(const struct io_lane *l, unsigned slot, uint64_t lba, uint32_t blocks, uint32_t pass);
bool hand_medium_holds(const struct model_medium *m, uint32_t unit, uint32_t block_bytes, uint64_t lba,
                       uint32_t blocks, uint32_t pass);
/* Stamped and written without an error or a retry: must succeed. */
void hand_write(struct io_lane *l, unsigned slot, uint64_t lba, uint32_t blocks, uint32_t pass);
#endif
