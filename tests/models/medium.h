#ifndef TESTS_MODELS_MEDIUM_H
#define TESTS_MODELS_MEDIUM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was written to a model's disks: a sparse store of blocks over the content that the model makes up,
 * with a write cache in front of it and the faults that verification must tell apart.  All models have one,
 * as their member `medium`.
 *
 *     medium_permit(&m->medium, nsid, 100, 50);     writes to these blocks are no violation
 *     medium_add_fault(&m->medium, (struct medium_fault){ MEDIUM_DROPPED, .unit = nsid, .lba = 120, .blocks =
 * 1 });
 *     ... the driver writes, reads back ...
 *     medium_power_cut(&m->medium);                 what was not flushed is gone (needs
 * medium.volatile_cache)
 *
 * A unit is a namespace, a port or a virtual drive: the model says which number. */

enum medium_fault_kind {
    MEDIUM_WRITE_ERROR, /* the write fails at this block, those before it are stored; arg: status, 0 the usual
                         */
    MEDIUM_FLUSH_ERROR, /* any flush of the unit fails, and nothing gets flushed; arg: status */
    MEDIUM_FLUSH_IGNORED, /* flushes of the unit are answered as done, and nothing gets flushed */
    MEDIUM_DROPPED,       /* answered as done, but the block is not stored: a lost write */
    MEDIUM_STALE,   /* stored, but reads see what was there before until the power is cut: a stale read */
    MEDIUM_TORN,    /* only the first arg bytes of the block are stored (0: half of it) */
    MEDIUM_SWAPPED, /* block lba goes to lba + arg and that block here: misdirected writes */
    MEDIUM_ALTERED  /* the byte at arg is stored with its lowest bit turned */
};
struct medium_fault {
    enum medium_fault_kind kind;
    uint32_t unit;
    uint64_t lba, blocks; /* which; SWAPPED: blocks on both sides, at most arg */
    uint32_t times;       /* blocks (or flushes) that it happens to, then no more; 0: always */
    uint64_t arg;
    uint32_t hits; /* the medium's own: how often it happened */
};
enum { MEDIUM_MAX_FAULTS = 16, MEDIUM_MAX_PERMITS = 64, MEDIUM_MAX_IMAGES = 16 };

struct medium_block; /* one block's store */
struct model_medium {
    bool volatile_cache; /* writes are lost at a power cut unless flushed; the model's write cache sets it */
    /* set by a test */
    bool write_protected;
    /* A counterfeit: of this unit only so many blocks exist, block n is kept at n modulo them; 0: all exist.
     */
    uint64_t wraps_blocks;
    uint32_t wraps_unit;
    uint32_t cut_keeps_every; /* of the unflushed blocks each n-th survives a cut all the same; 0: none */
    struct medium_fault fault[MEDIUM_MAX_FAULTS];
    unsigned fault_count;
    struct {
        uint32_t unit;
        uint64_t lba, blocks;
    } permit[MEDIUM_MAX_PERMITS];
    unsigned permit_count;
    /* What lies under everything that was written, in place of the content that the model makes up. */
    struct medium_image {
        uint32_t unit, block_bytes;
        uint64_t blocks;
        const uint8_t *data;
    } image[MEDIUM_MAX_IMAGES];
    unsigned image_count;
    /* seen */
    uint64_t writes, blocks_written, flushes; /* commands that arrived, permitted or not */
    uint64_t writes_outside;                  /* of these, outside of what was permitted */
    /* set by the model: what a block holds that was never written; NULL: zeros */
    void (*content)(void *ctx, uint32_t unit, uint64_t lba, void *buf, uint32_t bytes);
    void *content_ctx;
    /* the medium's own */
    struct medium_block *table;
    size_t size, used;
};

void medium_free(struct model_medium *m); /* the store and all settings: as new afterwards */
void medium_permit(struct model_medium *m, uint32_t unit, uint64_t lba, uint64_t blocks);
/* Members of struct medium_fault in their order. */
void medium_add_fault(struct model_medium *m, enum medium_fault_kind kind, uint32_t unit, uint64_t lba,
                      uint64_t blocks, uint32_t times, uint64_t arg);

/* The blocks of a unit are those at data, which stays the caller's; blocks behind them are the model's. */
void medium_set_image(struct model_medium *m, uint32_t unit, const uint8_t *data, uint64_t blocks,
                      uint32_t block_bytes);

/* ---- for the models ---- */
/* A write command arrived: counts it.  False: it reaches beyond what the test permitted. */
bool medium_write_arrives(struct model_medium *m, uint32_t unit, uint64_t lba, uint64_t blocks);
/* Stores one block.  The fault that makes the write fail, or NULL. */
const struct medium_fault *medium_write(struct model_medium *m, uint32_t unit, uint64_t lba,
                                        uint32_t block_bytes, const void *data);
/* What was stored there or came with an image, or NULL: the model's own content. */
const uint8_t *medium_read(const struct model_medium *m, uint32_t unit, uint64_t lba);
/* The fault that makes the flush fail, or NULL. */
const struct medium_fault *medium_flush(struct model_medium *m, uint32_t unit);
void medium_power_cut(struct model_medium *m);

#endif
