#ifndef TESTS_UNIT_MFI_MODEL_MANUAL_H
#define TESTS_UNIT_MFI_MODEL_MANUAL_H
#include "manual_host.h"
#include "model_mfi.h"

/* Drives the MFI model by hand, in raw numbers, without any driver: one megabyte of memory, a clock, frames
 * and queues at fixed places. */

enum { MANUAL_BASE = 0x400000 };
enum { MANUAL_QUEUE = 0x400000, MANUAL_RING = 0x400100, MANUAL_FRAMES = 0x410000, MANUAL_FRAME_STEP = 0x400 };
enum { MANUAL_SENSE = 0x440000, MANUAL_DATA = 0x450000, MANUAL_DATA_STEP = 0x4000 };

extern struct model_mfi manual;

/* A 2108 with 64 commands and nothing attached, the clock at 0; nothing touched yet. */
void manual_init(void);
uint32_t manual_read(uint32_t off);
void manual_write(uint32_t off, uint32_t v);
void manual_wait_ms(uint64_t ms);
/* Masks and INITs; the status byte. */
uint8_t manual_start(void);
/* manual_init, a virtual drive 3 of 65536 blocks, manual_start. */
struct model_mfi_ld *manual_drive(void);

uint8_t *manual_frame(unsigned i);
uint8_t *manual_data(unsigned i);
/* Clears frame i and presets its header: polled, context i. */
uint8_t *manual_prepare(unsigned i, uint8_t cmd, uint16_t flags, uint32_t length);
/* Puts one SGE32 of `bytes` in the frame's own data area at the offset of its kind. */
void manual_sge(unsigned i, uint32_t bytes);
void manual_post(unsigned i, unsigned extra);
/* A read of drive 3; posted. */
void manual_ld_read(unsigned i, uint64_t lba, uint32_t blocks);
/* Status byte of a DCMD with that first mailbox word. */
uint8_t manual_dcmd(uint32_t opcode, uint32_t mbox, uint32_t bytes);
/* Status byte of a SCSI command (cmd 3 or 4) that reads `bytes`. */
uint8_t manual_scsi(uint8_t cmd, uint8_t target, const uint8_t *cdb, uint8_t cdb_len, uint32_t bytes);
bool manual_holds(unsigned i, unsigned target, uint64_t lba, unsigned blocks);

#endif
