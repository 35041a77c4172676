#ifndef TESTS_UNIT_MFI_DRIVER_HAND_H
#define TESTS_UNIT_MFI_DRIVER_HAND_H
#include <stdint.h>
#include "gate.h"
#include "lane_hand.h"
#include "mfi_internal.h"
#include "model_mfi.h"
#include "platform_model.h"
#include "test.h"

/* One card with the driver on it: the part that every test of the driver needs. */
extern struct model_mfi mfi;
extern struct pci_fn *fn;
extern struct controller *card;
extern struct fault fault;

/* A new world with one card of that generation, not yet attached: settings may be changed. */
void world(enum model_mfi_generation g);
/* Called after every register write of the driver (off, value); NULL: nobody. */
extern void (*spy)(uint32_t off, uint64_t value);
/* The driver on the card, by its index 0; the result of attach. */
int up(void);
/* Detached; nothing is left behind and nothing was violated. */
void down(void);
struct disk *disk_named(const char *name); /* fails the test when there is none */
bool has_remark(int level, const char *part);
struct mfi_card *inside(void);

/* Polls until n completions are there or `ms` of the model's clock have passed; how many came. */
/* One read, submitted and answered; its completion. */
struct io_completion read_once(struct io_lane *l, uint64_t lba, uint32_t blocks);
/* The lane's oldest frame, answered by the model and not yet polled, says this instead; sense: of 18 bytes,
 * or NULL: as it is. */
void change_answer(struct io_lane *l, uint8_t status, uint8_t scsi_status, const uint8_t *sense);
/* The slot's buffer holds these blocks of the model's medium. */
bool data_is(const struct io_lane *l, unsigned slot, unsigned target, uint64_t lba, uint32_t blocks);
/* ---- writes ---- */
/* Arms and declares these blocks (model's unit), then opens a lane that writes. */
struct io_lane *open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, unsigned unit,
                            uint64_t first_lba, uint64_t blocks);
/* The slot's buffer gets, or has, the stamp of `pass`; the medium has it. */
bool holds(const struct io_lane *l, unsigned unit, uint64_t lba, uint32_t blocks, uint32_t pass);
void words_are(const struct disk *d, uint32_t detail, const char *part);

#endif
