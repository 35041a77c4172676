#ifndef TESTS_UNIT_NVME_RIG_H
#define TESTS_UNIT_NVME_RIG_H
#include "bits.h"
#include "disk.h"
#include "err.h"
#include "model_nvme.h"
#include "nvme.h"
#include "lane_hand.h"
#include "platform_model.h"
#include "test.h"

/* One model on the bus and the driver's view of it.
 *
 *     rig_plug(); rig.m->set...; rig_up(); ... rig_down();
 *
 * rig_down requires that nothing leaked, that the model saw no careless driver and no command that is not on
 * the short list, and that the drive was shut down in order. */
struct rig {
    struct model_nvme *m;
    struct pci_fn *fn;
    struct controller *c;
    struct fault fault;
    const struct model_device_ops *ops; /* NULL: the model's own */
    /* Called with every page of 4096 bytes that the device sends while not NULL, counted from 0. */
    void (*edit)(unsigned index, uint8_t *page);
    unsigned pages;
    bool sets_features; /* the drive has features that the driver sets */
    bool writes;        /* the test arms the disk and declares with medium_permit where it may be written */
    bool (*dma_write)(void *ctx, uint64_t bus, const void *src, size_t n);
};
extern struct rig rig;

void rig_plug(void);  /* a model with the default settings, power still off */
void rig_power(void); /* on the bus, in the state that set.entry says */
int rig_attach(void);
void rig_up(void);                     /* plug (unless plugged), power, attach: must succeed */
void rig_down(void);                   /* detach and all checks */
void rig_down_broken(void);            /* the same for a drive that could not be shut down in order */
struct disk *rig_disk(unsigned index); /* must exist and be readable */
bool rig_has_remark(const char *part);
const char *rig_first_remark(void);

/* ---- lanes ---- */
/* Arms and declares these blocks of the disk, then opens a lane that writes. */
struct io_lane *rig_open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot,
                                uint64_t first_lba, uint64_t blocks);
/* Fills the slot's buffer with stamps of these blocks and `pass`, writes, and waits: must succeed. */
void rig_flush(struct io_lane *l, uint16_t slot);
/* What the device holds there now: stamps of that pass. */
bool rig_holds(const struct disk *d, uint64_t lba, uint32_t blocks, uint32_t pass);
/* Submits one request and rings. */
/* Polls, the clock moving, until n completions are there or a second has passed; returns how many. */
/* One whole read that must succeed with the model's content in the slot's buffer. */
void rig_read(struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks);
void rig_check_data(const struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks);
uint32_t rig_nsid(const struct disk *d);
void rig_lie(enum model_nvme_lie_kind kind, bool admin, int opcode, uint32_t skip, uint32_t times,
             uint64_t arg);
void rig_close(struct io_lane *l);

#endif
