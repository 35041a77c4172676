#ifndef TESTS_UNIT_MFI_FUSION_MANUAL_H
#define TESTS_UNIT_MFI_FUSION_MANUAL_H
#include "model_manual.h"

/* Drives a fusion model by hand, in raw numbers, over the memory of model_manual.h: the request pool at
 * FUSION_POOL, a reply ring of 32, chains and MFI frames at fixed places per SMID. */

enum { FUSION_POOL = 0x410000, FUSION_RING = 0x400200, FUSION_DEPTH = 32, FUSION_MESSAGE = 0x400000 };
enum { FUSION_FRAMES = 0x430000, FUSION_CHAINS = 0x438000, FUSION_INIT = 0x43f000 };

/* That generation with 24 commands and nothing attached, READY; no zero reads. */
void fusion_init(enum model_mfi_generation g);
uint32_t fusion_read(uint32_t off);
void fusion_write(uint32_t off, uint32_t v);
void fusion_write64(uint32_t off, uint64_t v);
/* Prepares message, frame and ring. */
void fusion_prepare_init(void);
/* Posts the INIT frame; its status byte. */
uint8_t fusion_post_init(void);
/* fusion_init, a virtual drive 3 of 65536 blocks, INIT; the drive. */
struct model_mfi_ld *fusion_drive(enum model_mfi_generation g);

uint8_t *fusion_request(unsigned smid);
uint8_t *fusion_slot(unsigned i);
uint8_t *fusion_frame(unsigned smid);
/* A request for READ(16) of virtual drive 3 into the data area of that SMID, one SGE. */
uint8_t *fusion_prepare_read(unsigned smid, uint64_t lba, uint32_t blocks);
/* With the descriptor type that the generation wants for reads. */
void fusion_post_read(unsigned smid);
void fusion_post(unsigned type, unsigned smid);
void fusion_ld_read(unsigned smid, uint64_t lba, uint32_t blocks);
/* The SMID of the reply in slot i; 0: none.  The slot is set to ones again and the index written. */
unsigned fusion_take(unsigned i);
/* A DCMD wrapped in the request of SMID 1, its answer taken; the status byte. */
void fusion_prepare_dcmd(uint32_t opcode, uint32_t mbox, uint32_t bytes);
uint8_t fusion_dcmd(uint32_t opcode, uint32_t mbox, uint32_t bytes);

#endif
