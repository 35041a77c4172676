#include "mfi_path.h"

/* Reads and writes as fusion requests by the firmware's path: the card finds the drives, we need no map of
 * its arrays (facts/mfi.md 6.4, 6.7). */

/* Data entries and, when there are more than fit, the chain that holds the rest (in the tag's MFI slot, which
 * has no other use); returns how many data entries there are. */
static unsigned put_segments(const struct mfi_generation *g, struct fusion_request *q, uint8_t *slot,
                             uint64_t slot_bus, uint64_t bus, uint32_t bytes)
{
    unsigned n = (bytes + MFI_SEGMENT_BYTES - 1) / MFI_SEGMENT_BYTES;
    unsigned direct = n <= FUSION_SGES ? n : FUSION_SGES - 1;
    struct fusion_sge *chain = (struct fusion_sge *)slot;

    for (unsigned i = 0; i < n; i++) {
        uint32_t len = bytes < MFI_SEGMENT_BYTES ? bytes : MFI_SEGMENT_BYTES;
        struct fusion_sge *e = i < direct ? &q->sge[i] : &chain[i - direct];

        *e = (struct fusion_sge){ .addr = bus, .len = len, .flags = i + 1 == n ? g->last_flags : 0 };
        bus += len;
        bytes -= len;
    }
    if (n > direct) {
        q->chain_offset = (uint8_t)((offsetof(struct fusion_request, sge) / sizeof q->sge[0]) + direct);
        q->sge[direct] = (struct fusion_sge){ .addr = slot_bus,
                                              .len = (uint32_t)((n - direct) * sizeof q->sge[0]),
                                              .flags = g->chain_flags };
    }
    return n;
}

void mfi_fusion_fill(const struct mfi_card *card, unsigned number, struct mfi_address to, uint64_t data_bus,
                     uint32_t bytes, uint8_t cdb_len)
{
    const struct mfi_generation *g = card->gen;
    struct fusion_request *q = mfi_fusion_request(card, number);
    const bool ld = to.cmd == MFI_LD_SCSI_IO;

    *q = (struct fusion_request){
        .dev_handle = ld ? to.target : FUSION_DEV_HANDLE_NONE,
        .function = FUSION_LD_IO,
        .sense_lo = (uint32_t)mfi_slot_bus(card, number) + MFI_SENSE_OFFSET,
        .sgl_flags = SGL_FLAGS_64BIT,
        .sense_len = MFI_SENSE_BYTES,
        .sgl_offset = offsetof(struct fusion_request, sge) / 4,
        .data_len = bytes,
        .io_flags = cdb_len,
        .context = { .timeout_s = FUSION_TIMEOUT_S,
                     .target_id = to.target,
                     .raid_flags = ld ? 0 : CONTEXT_SYSTEM_PD },
    };
    unsigned n = put_segments(g, q, mfi_slot(card, number), mfi_slot_bus(card, number), data_bus, bytes);
    if (g->context_g35)
        q->context.span_arm = (uint8_t)n; /* SGE count of the later layout; never above MFI_MAX_SGE */
    else
        q->context.sge_count = (uint8_t)n;
}

void mfi_fusion_wrap(const struct mfi_card *card, unsigned number)
{
    *mfi_fusion_request(card, number) = (struct fusion_request){
        .function = FUSION_PASS_THROUGH,
        .chain_offset = offsetof(struct fusion_request, sge) / sizeof(struct fusion_sge),
        .sgl_offset = offsetof(struct fusion_request, sge) / 4,
        .sge = { { .addr = mfi_slot_bus(card, number),
                   .len = FUSION_PASS_THROUGH_BYTES,
                   .flags = SGE_CHAIN | SGE_IOCPLBNTA } },
    };
}

/* The card's cache flush, as with MFI frames (mfi_frame_io.c). */
static void build_flush(const struct mfi_card *card, struct mfi_tag *t)
{
    enum { BOTH_CACHES = 3 };
    struct mfi_dcmd_frame *f = (struct mfi_dcmd_frame *)mfi_slot(card, t->number);

    memset(f, 0, MFI_FRAME_BYTES);
    f->h = (struct mfi_header){
        .cmd = MFI_DCMD, .cmd_status = MFI_STAT_PENDING, .context = t->number, .flags = MFI_FLAG_NO_POST
    };
    f->opcode = MFI_CACHE_FLUSH.opcode;
    f->mbox.w[0] = BOTH_CACHES;
    mfi_fusion_wrap(card, t->number);
    t->bytes = 0;
    t->head = FIELD_PUT(DESCRIPTOR_TYPE, DESCRIPTOR_SCSI_IO) | FIELD_PUT(DESCRIPTOR_SMID, t->number + 1u);
}

void mfi_fusion_build(const struct mfi_lane *m, struct mfi_tag *t)
{
    const struct mfi_card *card = m->card;
    const bool ld = m->virtual_drive;
    const struct mfi_address to = { .cmd = m->frame_cmd, .target = m->target };
    const uint8_t opcode = m->opcode[t->op];
    struct fusion_request *q = mfi_fusion_request(card, t->number);

    if (ld && t->op == IO_FLUSH) {
        build_flush(card, t);
        return;
    }
    mfi_fusion_fill(card, t->number, to, mfi_data_bus(m, t), t->blocks * m->lba_bytes,
                    opcode >= CDB_16_FROM ? 16 : 10);
    if (t->op != IO_FLUSH)
        q->control = t->op == IO_WRITE ? CONTROL_WRITE : CONTROL_READ;
    if (ld)
        q->context.type_nseg = card->gen->type_nseg;
    mfi_put_cdb((uint64_t *)q->cdb, opcode, 0, t->blocks);
    t->bytes = t->blocks * m->lba_bytes;
    t->head = FIELD_PUT(DESCRIPTOR_TYPE, ld ? card->gen->read_type : DESCRIPTOR_SCSI_IO) |
              FIELD_PUT(DESCRIPTOR_SMID, t->number + 1u);
}

/* What differs from one read to the next, and what the card may have changed: length, and status, which must
 * not be an old one. */
static inline void post(struct mfi_lane *m, struct mfi_tag *t)
{
    uint8_t *q = (uint8_t *)t->frame, *lba_at = q + REQUEST_CDB_AT + CDB_LBA_AT;

    /* The builtin is one store; the name alone would be a call here. */
    if (m->opcode[IO_READ] == READ_10) {
        uint32_t lba = __builtin_bswap32((uint32_t)t->lba);
        __builtin_memcpy(lba_at, &lba, sizeof lba);
    } else {
        uint64_t lba = __builtin_bswap64(t->lba);
        __builtin_memcpy(lba_at, &lba, sizeof lba);
    }
    *(uint32_t *)(q + REQUEST_DATA_LEN_AT) = t->bytes;
    *(uint16_t *)(q + CONTEXT_STATUS_AT) = 0;
    plat_dma_publish();
    mfi_fusion_ring(m->card, t->head);
}

void mfi_fusion_post(struct mfi_lane *m, struct mfi_tag *t)
{
    if (!t->in_flight) /* else it is sent once more */
        m->in_flight_count++;
    t->in_flight = true;
    post(m, t);
}

unsigned mfi_fusion_take(struct mfi_lane *m, enum io_op op, const struct io_request *r, unsigned n)
{
    unsigned taken =
        op == IO_WRITE ? mfi_take_whole(m, IO_WRITE, r, n, post) : mfi_take_whole(m, IO_READ, r, n, post);

    m->in_flight_count = (uint16_t)(m->in_flight_count + taken);
    return taken;
}

/* A reply for another lane, for more than a whole request, or with a status. */
static __attribute__((noinline)) void finish(struct mfi_card *card, struct mfi_tag *t, uint16_t status)
{
    struct mfi_lane *m = t->lane;

    if (!m) { /* a management command: whoever waits looks at this */
        t->in_flight = false;
        return;
    }
    plat_dma_observe();
    if (m->virtual_drive && t->op == IO_FLUSH) /* the answer is in the frame inside */
        status = (uint16_t)(mfi_slot_status(mfi_slot(card, t->number)) << 8);
    if (mfi_finish_slowly(m, t, (uint8_t)(status >> 8), (uint8_t)status, MFI_SENSE_BYTES))
        return;
    m->in_flight_count--;
    m->empty_polls = 0;
    card->free_count++;
}

unsigned mfi_fusion_reap(struct mfi_card *card, struct mfi_lane *m, struct io_completion *c, unsigned max)
{
    uint64_t *const ring = card->ring, *const ring_end = ring + card->ring_depth;
    uint64_t *next = ring + card->ring_at;
    const uint32_t tags = card->management_count + card->io_frames;
    struct io_completion *out = c, *const out_end = max ? c + max : c; /* c may be NULL */

    for (;;) {
        /* Whole only when both halves are there (6.5); a low half of ones has that type as well.  Acquire:
         * what it stands for is read after it. */
        uint64_t d = __atomic_load_n(next, __ATOMIC_ACQUIRE);
        if ((d & REPLY_TYPE) == REPLY_UNUSED || (uint32_t)(d >> 32) == UINT32_MAX)
            break;
        uint32_t number = (uint32_t)FIELD_GET(REPLY_SMID, d) - 1;
        struct mfi_tag *t = &card->tags[number];
        *next = REPLY_POISON; /* nothing else tells the next lap's replies from this one's */
        if (++next == ring_end)
            next = ring;
        if (number >= tags || !t->in_flight) {
            if (mfi_stray(card, d, "reply for a command that is not in flight (descriptor)"))
                break;
            continue;
        }
        uint16_t status = *(const uint16_t *)((const uint8_t *)t->frame + CONTEXT_STATUS_AT);
        if (__builtin_expect(t->lane == m && out < out_end && !status, 1)) {
            struct lane_slot *x = &m->slots.slot[t->slot];

            if (__builtin_expect(lane_is_whole(x), 1)) {
                lane_end_whole(x, out++, t->slot);
                t->in_flight = false;
                continue;
            }
        }
        finish(card, t, status);
    }
    uint32_t at = (uint32_t)(next - ring);
    unsigned got = (unsigned)(out - c);
    if (at == card->ring_at)
        return 0;
    plat_dma_observe();
    if (got) {
        m->in_flight_count = (uint16_t)(m->in_flight_count - got);
        m->empty_polls = 0;
        card->free_count += got;
    }
    card->ring_at = at;
    plat_dma_publish();
    plat_write32(&card->regs, MFI_RPHI, at);
    return got;
}
