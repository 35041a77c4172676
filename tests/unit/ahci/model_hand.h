#ifndef TESTS_UNIT_AHCI_MODEL_HAND_H
#define TESTS_UNIT_AHCI_MODEL_HAND_H
#include "model_ahci.h"

/* Drives the AHCI model by hand, in raw numbers, without any driver: one megabyte of memory, a clock, and the
 * lists of one port at fixed places. */

enum { HAND_BASE = 0x200000, HAND_BYTES = 1 << 20 };
enum {
    HAND_CLB = 0x200000,
    HAND_FB = 0x200400,
    HAND_TABLE = 0x201000,
    HAND_TABLE_STEP = 0x400,
    HAND_DATA = 0x220000
};
enum { HAND_DATA_STEP = 0x4000 };

extern struct model_ahci hand;
extern uint8_t hand_memory[HAND_BYTES];
extern uint64_t hand_now_ns;
extern unsigned long hand_violations;
extern char hand_violation[120];
extern bool hand_published;

/* The model with its defaults, the clock at 0; nothing touched yet. */
void hand_init(void);
uint32_t hand_read(uint32_t off);
void hand_write(uint32_t off, uint32_t v);
/* A register of port 0. */
uint32_t hand_port(uint32_t off);
void hand_port_write(uint32_t off, uint32_t v);
void hand_wait_ms(uint64_t ms);
/* GHC.AE, then port 0 with its lists, FRE, SERR cleared, ST. */
void hand_start(void);
/* hand_init, a disk of 65536 blocks on port 0, hand_start. */
struct model_ahci_drive *hand_disk(void);
/* Prepares slot: the opcode with a 48-bit LBA, one PRD of `bytes` in the slot's data area. */
uint8_t *hand_prepare(unsigned slot, uint8_t opcode, uint64_t lba, unsigned count, unsigned bytes);
/* Prepares and issues a queued read. */
void hand_queue(unsigned slot, uint64_t lba, unsigned blocks);
uint8_t *hand_data(unsigned slot);
uint8_t *hand_header(unsigned slot);
/* True when the slot's data is the medium's at lba. */
bool hand_holds(unsigned slot, uint64_t lba, unsigned blocks);

#endif
