#ifndef TESTS_UNIT_AHCI_MODEL_MANUAL_H
#define TESTS_UNIT_AHCI_MODEL_MANUAL_H
#include "manual_host.h"
#include "model_ahci.h"

/* Drives the AHCI model by hand, in raw numbers, without any driver: one megabyte of memory, a clock, and
 * the lists of one port at fixed places. */

enum { MANUAL_BASE = 0x200000 };
enum {
    MANUAL_CLB = 0x200000,
    MANUAL_FB = 0x200400,
    MANUAL_TABLE = 0x201000,
    MANUAL_TABLE_STEP = 0x400,
    MANUAL_DATA = 0x220000
};
enum { MANUAL_DATA_STEP = 0x4000 };

extern struct model_ahci manual;

/* The model with its defaults, the clock at 0; nothing touched yet. */
void manual_init(void);
uint32_t manual_read(uint32_t off);
void manual_write(uint32_t off, uint32_t v);
/* A register of port 0. */
uint32_t manual_port(uint32_t off);
void manual_port_write(uint32_t off, uint32_t v);
void manual_wait_ms(uint64_t ms);
/* GHC.AE, then port 0 with its lists, FRE, SERR cleared, ST. */
void manual_start(void);
/* manual_init, a disk of 65536 blocks on port 0, manual_start. */
struct model_ahci_drive *manual_disk(void);
/* Prepares slot: the opcode with a 48-bit LBA, one PRD of `bytes` in the slot's data area. */
uint8_t *manual_prepare(unsigned slot, uint8_t opcode, uint64_t lba, unsigned count, unsigned bytes);
/* Prepares and issues a queued read. */
void manual_queue(unsigned slot, uint64_t lba, unsigned blocks);
uint8_t *manual_data(unsigned slot);
uint8_t *manual_header(unsigned slot);
/* True when the slot's data is the medium's at lba. */
bool manual_holds(unsigned slot, uint64_t lba, unsigned blocks);

#endif
