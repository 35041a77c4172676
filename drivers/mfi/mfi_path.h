#ifndef MFI_PATH_H
#define MFI_PATH_H
#include "mfi_internal.h"

/* What the two ways of sending commands (MFI frames and fusion requests) have in common, inline because it
 * runs per I/O.  [any] */

enum { KEY_RECOVERED = 1, KEY_MEDIUM = 3, KEY_ATTENTION = 6 };
enum {
    READ_10 = 0x28,
    WRITE_10 = 0x2a,
    SYNCHRONIZE_CACHE_10 = 0x35,
    READ_16 = 0x88,
    WRITE_16 = 0x8a,
    CDB_16_FROM = 0x80 /* opcodes from here on have 16 bytes, those used below it 10 */
};

enum { BUILT_OP_SHIFT = 46 };
_Static_assert(MFI_MAX_IO_FRAMES <= 1 << (BUILT_OP_SHIFT - 32), "a slot fits below the operation");
static inline uint64_t mfi_built(const struct mfi_lane *m, uint8_t op, unsigned slot, uint32_t blocks)
{
    return m->key | (uint64_t)op << BUILT_OP_SHIFT | (uint64_t)slot << 32 | blocks;
}

/* Where the part's data goes. */
static inline uint64_t mfi_data_bus(const struct mfi_lane *m, const struct mfi_tag *t)
{
    return m->l.data.bus + (uint64_t)t->part * m->l.command_bytes + (uint64_t)t->slot * m->slot_stride;
}

/* How many more frames the lane may send: a share of them keeps one busy lane from starving the others. */
static inline unsigned mfi_room(const struct mfi_lane *m)
{
    unsigned share = m->card->share;
    unsigned room = m->in_flight_count < share ? share - m->in_flight_count : 0;

    return room < m->card->free_count ? room : m->card->free_count;
}

/* READ, WRITE (10) or (16) as two words. */
static inline void mfi_put_cdb(uint64_t *w, uint8_t opcode, uint64_t lba, uint32_t blocks)
{
    if (opcode < CDB_16_FROM) {
        w[0] =
            opcode | (uint64_t)__builtin_bswap32((uint32_t)lba) << 16 | (uint64_t)(blocks >> 8 & 0xff) << 56;
        w[1] = blocks & 0xff;
    } else {
        lba = __builtin_bswap64(lba);
        w[0] = opcode | lba << 16;
        w[1] = lba >> 48 | (uint64_t)__builtin_bswap32(blocks) << 16;
    }
}

/* A free tag, its frame built for this part; there is one.  (mfi_io.c) */
struct mfi_tag *mfi_tag_borrow(struct mfi_lane *m, uint8_t op, unsigned slot, unsigned part, uint32_t blocks);
/* An answer with anything but "ok" for a whole request.  True: the command was sent again.  (mfi_io.c) */
bool mfi_finish_slowly(struct mfi_lane *m, struct mfi_tag *t, uint8_t status, uint8_t scsi_status,
                       unsigned sense_len);

/* Builds what stays the same in a frame; puts in what does not, and hands it over. */
void mfi_frame_build(const struct mfi_lane *m, struct mfi_tag *t);
void mfi_frame_post(struct mfi_lane *m, struct mfi_tag *t);
unsigned mfi_frame_take(struct mfi_lane *m, enum io_op op, const struct io_request *r, unsigned n);
unsigned mfi_frame_reap(struct mfi_lane *m, struct io_completion *c, unsigned max);
void mfi_fusion_build(const struct mfi_lane *m, struct mfi_tag *t);
void mfi_fusion_post(struct mfi_lane *m, struct mfi_tag *t);
unsigned mfi_fusion_take(struct mfi_lane *m, enum io_op op, const struct io_request *r, unsigned n);

/* The short way of requests that are one command and need not wait: they are with the device at once, for
 * there is no bell to save up for.  Takes requests of one operation up to the first that needs more thought.
 */
static inline __attribute__((always_inline)) unsigned mfi_take_whole(struct mfi_lane *m, enum io_op op,
                                                                     const struct io_request *r, unsigned n,
                                                                     void (*post)(struct mfi_lane *,
                                                                                  struct mfi_tag *))
{
    struct lane_slot *const slots = m->slots.slot;
    struct mfi_tag *const *const home = m->home;
    const uint32_t depth = m->slots.depth;
    const struct io_request *const first = r, *last;
    unsigned room = mfi_room(m);
    uint32_t blocks = 0;
    uint64_t built = 0;
    uint64_t first_lbas = 0; /* a request of so many blocks may begin below this, */
    const uint64_t from = op == IO_WRITE ? m->pass.write_first_lba : 0; /* counted from here */

    if (m->slots.fifo_count)
        return 0;
    last = r + (n < room ? n : room);
    for (; r != last; r++) {
        const uint32_t slot = lane_slot_and_op(r) - ((uint32_t)op << 16);
        const uint64_t lba = r->lba;

        if (r->blocks != blocks) {
            blocks = r->blocks;
            built = mfi_built(m, op, 0, blocks);
            first_lbas = blocks > m->slots.part_blocks ? 0
                         : op == IO_WRITE ? gate_first_writes(&m->pass, m->opcode[IO_WRITE], blocks)
                                          : gate_first_lbas(&m->pass, m->opcode[IO_READ], blocks);
        }
        if (lba - from >= first_lbas || slot >= depth || slots[slot].state)
            break;
        struct mfi_tag *t = home[slot];
        if (t->built != built + ((uint64_t)slot << 32))
            t = mfi_tag_borrow(m, op, slot, 0, blocks);
        lane_start_whole(&slots[slot], op, lba);
        t->lba = lba;
        t->in_flight = true;
        post(m, t);
    }
    m->card->free_count -= (unsigned)(r - first);
    return (unsigned)(r - first);
}

#endif
