#ifndef TESTS_UNIT_AHCI_RIG_H
#define TESTS_UNIT_AHCI_RIG_H
#include "ahci_internal.h"
#include "gate.h"
#include "model_ahci.h"
#include "lane_hand.h"
#include "platform_model.h"
#include "test.h"

/* One adapter on the bus and the driver's view of it.
 *
 *     rig_plug(); rig.m.port[0].drive...; rig_up(); ... rig_down();
 *
 * rig_down requires that nothing leaked, that the model saw no careless driver and no command that is not on
 * the short list, and that every engine was left stopped. */
struct rig {
    struct model_ahci m;
    struct pci_fn *fn;
    struct controller *c;
    struct fault fault;
    /* Called with every 512 bytes that the device sends while not NULL. */
    void (*edit)(uint8_t *sector);
    bool no_register_fis; /* the adapter swallows them */
    bool writes;          /* the test arms disks and says with medium_permit where they may be written */
    /* The adapter leaves the bus with this register access, counted from 1; 0: never. */
    unsigned long vanish_at, accesses;
    bool (*dma_write)(void *ctx, uint64_t bus, const void *src, size_t n);
};
extern struct rig rig;
enum { RIG_DISK_BLOCKS = 1 << 21 };

void rig_plug(void);                                   /* the default adapter, nothing on its ports */
struct model_ahci_drive *rig_plug_disk(unsigned port); /* adds a disk of RIG_DISK_BLOCKS */
void rig_power(void);                                  /* on the bus */
int rig_attach(void);
void rig_up(void);   /* power, attach: must succeed */
void rig_down(void); /* detach and all checks */
/* rig_plug, a disk on port 0, rig_up, a lane on it. */
struct io_lane *rig_lane(uint16_t depth, uint32_t request_bytes);
void rig_lane_down(struct io_lane *l); /* close, rig_down */
struct disk *rig_disk(unsigned index); /* must exist and be readable */
bool rig_has_remark(const char *part);

/* Arms and declares these blocks of the disk, then opens a lane that writes. */
struct io_lane *rig_open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot,
                                uint64_t first_lba, uint64_t blocks);
/* Submits one request and polls, a minute at most. */
/* Stamps the slot's buffer for these blocks and `pass`; whether buffer or device hold that. */
bool rig_holds(const struct disk *d, uint64_t lba, uint32_t blocks, uint32_t pass);
/* Stamped, written: must succeed. */
/* Polls, the clock moving, until n completions are there or a second has passed; returns how many. */
/* One whole read that must succeed, at once, with the model's content in the slot's buffer. */
void rig_read(struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks);
void rig_check_data(const struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks);
/* Slots 0 .. n-1 read 8 blocks each at 8 x slot, all rung at once; c ends up ordered by slot. */
void rig_read_many(struct io_lane *l, struct io_completion *c, unsigned n);
/* The engine's way with a late slot: poll once more, expire, collect it. */
struct io_completion rig_expire(struct io_lane *l, uint16_t slot);

#endif
