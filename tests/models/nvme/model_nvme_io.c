#include <string.h>
#include "model_nvme_parts.h"

/* Reads, writes and flushes, and the PRP rules of all transfers. */

/* ---- content ---- */
static uint64_t pattern_word(uint32_t nsid, uint64_t lba, uint64_t word)
{
    uint64_t z =
        lba * 0x9e3779b97f4a7c15ull + word * 0xd1342543de82ef95ull + nsid * 0xa0761d6478bd642full + 1;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* Bytes from..from + n of a block's content; from and n are multiples of 4. */
static void pattern_part(uint32_t nsid, uint64_t lba, uint32_t from, uint8_t *buf, size_t n)
{
    while (n) {
        uint64_t word = pattern_word(nsid, lba, from / 8) >> (8 * (from % 8));
        size_t take = 8 - from % 8;

        take = take < n ? take : n;
        memcpy(buf, &word, take);
        buf += take;
        from += (uint32_t)take;
        n -= take;
    }
}

/* The same of what the block holds now: what was written there, else the pattern. */
static void content_part(struct model_nvme *m, uint32_t nsid, uint64_t lba, uint32_t from, uint8_t *buf,
                         size_t n)
{
    const struct model_nvme_ns *ns = mn_find_ns(m, nsid);
    const uint8_t *written = medium_read(&m->medium, nsid, lba);

    if (written && ns && from < ns->lba_bytes) {
        size_t take = ns->lba_bytes - from < n ? ns->lba_bytes - from : n;

        memcpy(buf, written + from, take);
        buf += take;
        from += (uint32_t)take;
        n -= take;
    }
    pattern_part(nsid, lba, from, buf, n);
}

void mn_content(void *ctx, uint32_t nsid, uint64_t lba, void *buf, uint32_t bytes)
{
    (void)ctx;
    pattern_part(nsid, lba, 0, buf, bytes);
}

void model_nvme_pattern(uint32_t nsid, uint64_t lba, void *buf, size_t bytes)
{
    pattern_part(nsid, lba, 0, buf, bytes);
}

/* ---- PRP ---- */
struct walk {
    mn_segment_fn *segment;
    void *ctx;
    uint64_t at, left;
};

static uint16_t take_page(struct model_nvme *m, struct walk *w, uint64_t bus, uint32_t room)
{
    uint32_t n = w->left < room ? (uint32_t)w->left : room;

    if (!w->segment(m, w->ctx, bus, w->at, n))
        return S_TRANSFER_ERROR;
    w->at += n;
    w->left -= n;
    return 0;
}

/* A list page ends at its page's end; its last entry points to the next list if more entries remain. */
static uint16_t walk_list(struct model_nvme *m, struct walk *w, uint64_t list)
{
    uint32_t page = mn_page(m);

    if (!list || list & 7) {
        mn_violation(m, "PRP2: list pointer is misaligned", list, list & ~7ull);
        return S_PRP_OFFSET;
    }
    while (w->left) {
        uint64_t entry, pages_left = (w->left + page - 1) / page;
        bool last_in_page = (list & (page - 1)) == page - 8;
        uint16_t status;

        if (!m->host.dma_read(m->host.ctx, list, &entry, 8))
            return S_TRANSFER_ERROR;
        if (last_in_page && pages_left > 1) {
            if (!entry || entry & 7) {
                mn_violation(m, "PRP list: chain pointer is misaligned", entry, entry & ~7ull);
                return S_PRP_OFFSET;
            }
            list = entry;
            continue;
        }
        if (!entry || entry & (page - 1)) {
            mn_violation(m, "PRP list: entry is not page aligned", entry, entry & ~(uint64_t)(page - 1));
            return S_PRP_OFFSET;
        }
        status = take_page(m, w, entry, page);
        if (status)
            return status;
        list += 8;
    }
    return 0;
}

uint16_t mn_walk_prps(struct model_nvme *m, const struct model_nvme_command *c, uint64_t bytes,
                      mn_segment_fn *segment, void *ctx)
{
    struct walk w = { segment, ctx, 0, bytes };
    uint64_t prp1 = c->sqe[6] | (uint64_t)c->sqe[7] << 32, prp2 = c->sqe[8] | (uint64_t)c->sqe[9] << 32;
    uint32_t page = mn_page(m);
    uint16_t status;

    if (!prp1 || prp1 & 3) {
        mn_violation(m, "PRP1 is misaligned", prp1, prp1 & ~3ull);
        return S_PRP_OFFSET;
    }
    status = take_page(m, &w, prp1, page - (uint32_t)(prp1 & (page - 1)));
    if (status)
        return status;
    if (!w.left) {
        if (prp2)
            mn_violation(m, "PRP2 is set although PRP1 covers the transfer", prp2, 0);
        return 0;
    }
    if (w.left > page)
        return walk_list(m, &w, prp2);
    if (!prp2 || prp2 & (page - 1)) {
        mn_violation(m, "PRP2 is not page aligned", prp2, prp2 & ~(uint64_t)(page - 1));
        return S_PRP_OFFSET;
    }
    return take_page(m, &w, prp2, page);
}

static bool send_segment(struct model_nvme *m, void *ctx, uint64_t bus, uint64_t at, uint32_t bytes)
{
    return m->host.dma_write(m->host.ctx, bus, (const uint8_t *)ctx + at, bytes);
}

uint16_t mn_send(struct model_nvme *m, const struct model_nvme_command *c, const void *data, uint32_t bytes)
{
    return mn_walk_prps(m, c, bytes, send_segment, (void *)(uintptr_t)data);
}

/* ---- reads ---- */
struct read {
    uint32_t nsid, block_bytes;
    uint64_t lba;
};

static bool read_segment(struct model_nvme *m, void *ctx, uint64_t bus, uint64_t at, uint32_t bytes)
{
    const struct read *r = ctx;

    while (bytes) {
        uint32_t chunk = bytes < sizeof m->scratch ? bytes : (uint32_t)sizeof m->scratch, done = 0;

        while (done < chunk) {
            uint64_t block = (at + done) / r->block_bytes;
            uint32_t from = (uint32_t)((at + done) % r->block_bytes), n = r->block_bytes - from;

            n = n < chunk - done ? n : chunk - done;
            content_part(m, r->nsid, r->lba + block, from, m->scratch + done, n);
            done += n;
        }
        if (!m->host.dma_write(m->host.ctx, bus, m->scratch, chunk))
            return false;
        bus += chunk;
        at += chunk;
        bytes -= chunk;
    }
    return true;
}

static bool send_metadata(struct model_nvme *m, const struct model_nvme_ns *n, const struct read *r,
                          uint64_t mptr, uint32_t blocks)
{
    if (!mptr || mptr & 3) {
        mn_violation(m, "MPTR is missing or misaligned", mptr, mptr & ~3ull);
        return false;
    }
    for (uint32_t b = 0; b < blocks; b++) {
        uint8_t part[64];
        uint32_t bytes = n->metadata_bytes < sizeof part ? n->metadata_bytes : sizeof part;

        pattern_part(n->nsid, r->lba + b, n->lba_bytes, part, bytes);
        if (!m->host.dma_write(m->host.ctx, mptr + (uint64_t)b * n->metadata_bytes, part, bytes))
            return false;
    }
    return true;
}

static uint16_t bad_block(struct model_nvme *m, uint32_t nsid, uint64_t lba, uint32_t blocks)
{
    for (unsigned i = 0; i < MODEL_NVME_MAX_BAD_LBAS; i++) {
        struct model_nvme_bad_lba *b = &m->bad[i];
        uint16_t status = b->status;

        if (!b->nsid || b->nsid != nsid || b->lba < lba || b->lba - lba >= blocks)
            continue;
        if (b->times && !--b->times)
            b->nsid = 0;
        if ((status >> 8 & 7) == 2)
            m->set.media_errors++;
        return status;
    }
    return 0;
}

/* What a block carries in the data buffer: metadata is interleaved with format "at the end", unless the
 * controller strips 8 bytes of protection information itself (PRACT). */
static uint32_t block_in_buffer(const struct model_nvme_ns *n, bool stripped)
{
    return n->lba_bytes + (n->metadata_at_end && !stripped ? n->metadata_bytes : 0u);
}

static uint16_t check_range(struct model_nvme *m, const struct model_nvme_ns *n, const struct read *r,
                            uint32_t blocks)
{
    unsigned shift = 12u + m->set.mpsmin + m->set.mdts;
    uint64_t bytes = (uint64_t)blocks * r->block_bytes;

    if (r->lba >= n->nsze || blocks > n->nsze - r->lba) {
        mn_violation(m, "beyond the end of the namespace", r->lba + blocks, n->nsze);
        return S_LBA_RANGE;
    }
    if (m->set.mdts && shift < 64 && bytes > 1ull << shift) {
        mn_violation(m, "transfer above MDTS", bytes, 1ull << shift);
        return S_INVALID_FIELD;
    }
    return 0;
}

static uint16_t read_blocks(struct model_nvme *m, struct model_nvme_command *c, const struct model_nvme_ns *n)
{
    uint32_t control = c->sqe[12], blocks = (control & 0xffff) + 1;
    bool stripped = (n->dps & 7) && n->metadata_bytes == 8 && (control & 0x20000000);
    struct read r = { n->nsid, block_in_buffer(n, stripped), c->sqe[10] | (uint64_t)c->sqe[11] << 32 };
    uint16_t status;

    m->seen.reads++;
    m->commands_read++;
    mn_use_hmb(m);
    if (control & 0x03ff0000 || c->sqe[13] || c->sqe[14] || c->sqe[15])
        mn_violation(m, "Read: reserved fields set", control, control & ~0x03ff0000u);
    if (control & 0x3c000000 && !(n->dps & 7))
        mn_violation(m, "Read: PRINFO on a namespace without protection", control, 0);
    status = check_range(m, n, &r, blocks);
    status = status ? status : bad_block(m, n->nsid, r.lba, blocks);
    if (status)
        return status;
    if (c->lie && c->lie->kind == MODEL_NVME_WRONG_DATA)
        r.lba += c->lie->arg;
    status = mn_walk_prps(m, c, (uint64_t)blocks * r.block_bytes, read_segment, &r);
    if (!status && n->metadata_bytes && !n->metadata_at_end && !stripped &&
        !send_metadata(m, n, &r, c->sqe[4] | (uint64_t)c->sqe[5] << 32, blocks))
        status = S_TRANSFER_ERROR;
    if (!status) {
        m->seen.blocks_read += blocks;
        m->seen.bytes_read += (uint64_t)blocks * n->lba_bytes;
    }
    return status;
}

/* ---- writes ---- */
struct write {
    uint32_t nsid, block_bytes, filled;
    uint64_t lba;
    uint16_t status;
};

/* Blocks are put together in the scratch page, however the segments cut them. */
static bool write_segment(struct model_nvme *m, void *ctx, uint64_t bus, uint64_t at, uint32_t bytes)
{
    struct write *w = ctx;

    (void)at;
    while (bytes && !w->status) {
        uint32_t n = w->block_bytes - w->filled;

        n = n < bytes ? n : bytes;
        if (!m->host.dma_read(m->host.ctx, bus, m->block + w->filled, n))
            return false;
        bus += n;
        bytes -= n;
        w->filled += n;
        if (w->filled < w->block_bytes)
            continue;
        const struct medium_fault *f = medium_write(&m->medium, w->nsid, w->lba++, w->block_bytes, m->block);
        w->filled = 0;
        if (f)
            w->status = f->arg ? (uint16_t)(f->arg & 0x7fff) : S_WRITE_FAULT;
    }
    return true;
}

static void check_write_fields(struct model_nvme *m, const struct model_nvme_command *c,
                               const struct model_nvme_ns *n, bool generated)
{
    uint32_t control = c->sqe[12];

    if (control & 0x03ff0000 || c->sqe[13] || c->sqe[15])
        mn_violation(m, "Write: reserved fields set", control, control & ~0x03ff0000u);
    if (control & 0x3c000000 && !(n->dps & 7))
        mn_violation(m, "Write: PRINFO on a namespace without protection", control, 0);
    /* Types 1 and 2: an operating system later checks that the reference tag is the LBA's low half. */
    if (c->sqe[14] != (generated && (n->dps & 7) < 3 ? c->sqe[10] : 0) && !(generated && (n->dps & 7) == 3))
        mn_violation(m, "Write: initial reference tag", c->sqe[14], c->sqe[10]);
}

static uint16_t write_blocks(struct model_nvme *m, struct model_nvme_command *c,
                             const struct model_nvme_ns *n)
{
    uint32_t control = c->sqe[12], blocks = (control & 0xffff) + 1;
    bool generated = (n->dps & 7) && n->metadata_bytes == 8 && (control & 0x20000000);
    struct read r = { n->nsid, n->lba_bytes, c->sqe[10] | (uint64_t)c->sqe[11] << 32 };
    struct write w = { .nsid = n->nsid, .block_bytes = n->lba_bytes, .lba = r.lba };
    uint16_t status;

    m->seen.media_changes++;
    m->seen.writes++;
    m->seen.blocks_written += blocks;
    m->commands_written++;
    m->data_units_written += (uint64_t)blocks * n->lba_bytes / 512;
    if (!medium_write_arrives(&m->medium, n->nsid, r.lba, blocks) && !m->set.allow_writes)
        mn_violation(m, "a write reached blocks that the test does not permit", r.lba, blocks);
    check_write_fields(m, c, n, generated);
    if (n->metadata_bytes && !generated) {
        mn_violation(m, "a write that brings its own metadata", control, 0x20000000);
        return S_INVALID_FIELD;
    }
    status = check_range(m, n, &r, blocks);
    if (status)
        return status;
    if (m->medium.write_protected)
        return S_WRITE_PROTECTED;
    if (n->lba_bytes > sizeof m->block)
        return S_INVALID_FIELD;
    m->medium.volatile_cache = (m->set.vwc & 1) && (m->feature[6] & 1);
    status = mn_walk_prps(m, c, (uint64_t)blocks * n->lba_bytes, write_segment, &w);
    return status ? status : w.status;
}

static uint16_t flush(struct model_nvme *m, const struct model_nvme_command *c, uint32_t nsid)
{
    const struct medium_fault *f;

    m->seen.flushes++;
    for (unsigned i = 4; i < 16; i++)
        if (c->sqe[i])
            mn_violation(m, "Flush: reserved fields set", c->sqe[i], i);
    if (nsid == 0xffffffffu) {
        for (unsigned i = 0; i < MODEL_NVME_MAX_NS; i++)
            if (m->ns[i].nsid)
                medium_flush(&m->medium, m->ns[i].nsid);
        return 0;
    }
    f = medium_flush(&m->medium, nsid);
    return f ? (f->arg ? (uint16_t)(f->arg & 0x7fff) : S_WRITE_FAULT) : 0;
}

uint16_t mn_io(struct model_nvme *m, struct model_nvme_command *c)
{
    uint8_t opcode = c->sqe[0] & 0xff;
    uint32_t nsid = c->sqe[1];
    const struct model_nvme_ns *n = mn_find_ns(m, nsid);

    if (opcode == 0x00 && (n || nsid == 0xffffffffu))
        return flush(m, c, nsid);
    if (!n) {
        mn_violation(m, "I/O to a namespace that is not active", nsid, 0);
        return S_INVALID_NS;
    }
    switch (opcode) {
    case 0x02:
        return read_blocks(m, c, n);
    case 0x01:
        return write_blocks(m, c, n);
    case 0x04: /* write uncorrectable */
    case 0x08: /* write zeroes */
    case 0x09: /* dataset management */
        m->seen.media_changes++;
        if (!m->set.allow_writes)
            mn_violation(m, "a command that changes the media reached the device", opcode, 0);
        return 0;
    default:
        mn_violation(m, "an I/O command that the device does not know", opcode, 0);
        return S_INVALID_OPCODE;
    }
}
