#include "mfi_parts.h"

/* Fusion: request descriptors, requests in their pool, and the reply ring (fact sheet chapter 6). */

enum { REQUEST_BYTES = 256, SGL = 0x80, CHAIN_SLOT = 0xf0, INLINE = 8 };
enum { R_DATA_LENGTH = 0x1c, R_CONTEXT = 0x60, R_SCSI_STATUS = 0x76, R_STATUS = 0x77 };
enum { TYPE_SCSI = 0, TYPE_MFA = 1, TYPE_NO_LOCK = 2, TYPE_LD = 7 };
enum { FUNCTION_WRAP = 0xf0, FUNCTION_LD = 0xf1 };
enum { SGE_END = 0x40, SGE_CHAIN = 0x80, SGE_CHAIN_OLD = 0x83 };
#define UNUSED UINT64_MAX

/* A request as it lies in memory. */
struct request {
    uint8_t raw[REQUEST_BYTES];
    uint64_t address, chain;
    uint32_t chain_bytes;
    unsigned sges;  /* as the RAID context counts them */
    bool system_pd; /* a drive of its own, not a virtual one */
    bool end_is_wrong, flags_are_wrong, chain_is_wrong;
    struct model_mfi_command c;
};
static struct request now; /* the one that is looked at */

static unsigned limit(const struct model_mfi *m)
{
    uint32_t told = model_mfi_row(m)->g35 ? 0 : m->scratch2 & 0xffff;

    return (told ? told : m->max_cmds) - 1;
}

/* ---- reading a request ---- */
static void take_sge(struct request *r, unsigned i, const uint8_t *raw, bool end_wanted)
{
    r->c.sge[i].address = get64(raw);
    r->c.sge[i].bytes = get32(raw + 8);
    r->c.sgl_bytes += r->c.sge[i].bytes;
    if (!get64(raw) || !get32(raw + 8))
        r->c.bad_sgl = true;
    if (get16(raw + 12) || raw[14] || raw[15] & ~SGE_END)
        r->flags_are_wrong = true;
    if (!(raw[15] & SGE_END) == end_wanted)
        r->end_is_wrong = true;
}

static bool read_chain(struct model_mfi *m, struct request *r)
{
    const uint8_t *slot = r->raw + CHAIN_SLOT;
    uint8_t flags = model_mfi_row(m)->end_of_list ? SGE_CHAIN : SGE_CHAIN_OLD, raw[16];
    unsigned rest = r->sges - (INLINE - 1);

    r->chain = get64(slot);
    r->chain_bytes = get32(slot + 8);
    r->chain_is_wrong = !r->chain || r->chain_bytes != 16 * rest || slot[15] != flags || get16(slot + 12) ||
                        slot[14] || r->chain_bytes > m->chain_bytes;
    for (unsigned i = INLINE - 1; i < r->sges; i++) {
        if (!m->host.dma_read(m->host.ctx, r->chain + 16ull * (i - (INLINE - 1)), raw, sizeof raw))
            return false;
        take_sge(r, i, raw, model_mfi_row(m)->end_of_list && i + 1 == r->sges);
    }
    return true;
}

static bool read_sgl(struct model_mfi *m, struct request *r)
{
    const uint8_t *context = r->raw + R_CONTEXT;
    bool chained = r->raw[2];
    unsigned in_frame;

    r->sges = model_mfi_row(m)->g35 ? get16(context + 28) & 0xfff : context[25] | context[30] << 8;
    if (r->sges > MODEL_MFI_MAX_SGE || (chained ? r->sges < INLINE : r->sges > INLINE)) {
        r->chain_is_wrong = r->c.bad_sgl = true;
        return true;
    }
    in_frame = chained ? INLINE - 1 : r->sges;
    for (unsigned i = 0; i < in_frame; i++)
        take_sge(r, i, r->raw + SGL + 16 * i, model_mfi_row(m)->end_of_list && i + 1 == r->sges);
    r->c.sge_count = (uint16_t)r->sges;
    return !chained || read_chain(m, r);
}

static bool read_io(struct model_mfi *m, struct request *r)
{
    const uint8_t *raw = r->raw, *context = raw + R_CONTEXT;

    r->system_pd = (context[24] >> 4 & 3) == 1;
    r->c.cmd = r->system_pd ? FRAME_PD_SCSI : FRAME_LD_SCSI;
    r->c.target = get16(context + 6);
    r->c.length = get32(raw + R_DATA_LENGTH);
    r->c.flags = (uint16_t)((get32(raw + 0x3c) & 0x02000000 ? FLAG_READ : 0) |
                            (get32(raw + 0x3c) & 0x01000000 ? FLAG_WRITE : 0));
    r->c.sense_cap = raw[0x12];
    r->c.sense = (uint64_t)m->fusion.sense_high << 32 | get32(raw + 0x0c);
    memcpy(r->c.raw + 32, raw + 0x40, 16);
    return read_sgl(m, r);
}

/* False: memory that is not there; already counted. */
static bool read_request(struct model_mfi *m, uint64_t address, struct request *r)
{
    memset(r, 0, offsetof(struct request, c));
    memset(&r->c, 0, offsetof(struct model_mfi_command, sge));
    r->address = address;
    if (!m->host.dma_read(m->host.ctx, address, r->raw, sizeof r->raw))
        return false;
    if (r->raw[3] == FUNCTION_WRAP)
        return model_mfi_read_frame(m, get64(r->raw + SGL), &r->c);
    return r->raw[3] != FUNCTION_LD || read_io(m, r);
}

/* What belongs to the firmware until the reply. */
static uint32_t checksum(struct model_mfi *m, const struct request *r, uint32_t frame_bytes)
{
    uint32_t h = model_mfi_checksum(m, 2166136261u, r->address, R_DATA_LENGTH);

    h = model_mfi_checksum(m, h, r->address + R_DATA_LENGTH + 4, R_SCSI_STATUS - R_DATA_LENGTH - 4);
    h = model_mfi_checksum(m, h, r->address + R_STATUS + 1, REQUEST_BYTES - R_STATUS - 1);
    if (r->chain)
        h = model_mfi_checksum(m, h, r->chain, r->chain_bytes);
    return frame_bytes ? h ^ model_mfi_frame_checksum(m, r->c.address, frame_bytes) : h;
}

/* ---- checks ---- */
static bool moves_blocks(uint8_t opcode)
{
    return opcode == 0x08 || opcode == 0x0a || opcode == 0x28 || opcode == 0x2a || opcode == 0xa8 ||
           opcode == 0xaa || opcode == 0x88 || opcode == 0x8a;
}

static void check_type(struct model_mfi *m, const struct request *r, unsigned type)
{
    const struct model_mfi_row *row = model_mfi_row(m);
    bool blocks = r->raw[3] == FUNCTION_LD && !r->system_pd && moves_blocks(r->raw[0x40]);
    bool locks = !row->g35 && r->raw[R_CONTEXT + 4];
    bool fits = type == TYPE_SCSI;

    if (blocks && !row->end_of_list)
        fits = type == TYPE_LD;
    else if (blocks && !row->g35)
        fits = type == (locks ? TYPE_LD : TYPE_NO_LOCK);
    else if (blocks)
        fits = type == TYPE_LD || type == TYPE_NO_LOCK;
    if (!fits)
        model_mfi_violation(m, "a request descriptor of the wrong type", type, blocks);
}

static void check_context(struct model_mfi *m, const struct request *r)
{
    const struct model_mfi_row *row = model_mfi_row(m);
    const uint8_t *context = r->raw + R_CONTEXT;
    bool blocks = !r->system_pd && moves_blocks(r->raw[0x40]), fits;

    fits = context[0] == 0 ? !blocks || !row->end_of_list
                           : row->end_of_list && (context[0] == 0x12 || context[0] == 0x21);
    if (!fits)
        model_mfi_violation(m, "RAID context: type and number of segments", context[0],
                            blocks && row->end_of_list ? 0x12 : 0);
    if (context[4] & (row->g35 ? 0x10 : 0x08))
        model_mfi_violation(m, "RAID context: a sequence number without a RAID map", context[4], 0);
    if (row->g35 && (context[1] || context[25]))
        model_mfi_violation(m, "RAID context: a field of the old layout", get16(context + 24), 0);
    if (r->raw[R_STATUS] || r->raw[R_SCSI_STATUS])
        model_mfi_violation(m, "RAID context: the status is not cleared", r->raw[R_STATUS], 0);
    if (get16(r->raw) != (r->system_pd ? 0xffff : r->c.target))
        model_mfi_violation(m, "the device handle does not fit the target", get16(r->raw), r->c.target);
}

static void check_sgl(struct model_mfi *m, const struct request *r)
{
    if (r->chain_is_wrong)
        model_mfi_violation(m, "the chain: offset, count, address, length or flags", r->raw[2], r->sges);
    if (r->raw[2] && r->raw[2] != 0x0f)
        model_mfi_violation(m, "the chain offset", r->raw[2], 0x0f);
    if (r->flags_are_wrong)
        model_mfi_violation(m, "an SGE with unknown flags", 1, 0);
    if (r->end_is_wrong && !r->chain_is_wrong)
        model_mfi_violation(m, "the end of the list is not flagged as this generation wants it", 1, 0);
    if (r->c.bad_sgl && !r->chain_is_wrong)
        model_mfi_violation(m, "an SGE without address or length", 0, 1);
    if (r->c.sgl_bytes < r->c.length && !r->chain_is_wrong)
        model_mfi_violation(m, "the SGL is shorter than the transfer", r->c.sgl_bytes, r->c.length);
    if (r->chain >> 32 && model_mfi_row(m)->only_32_bit && !m->dma64)
        model_mfi_violation(m, "a chain above 4 GiB", r->chain, 0xffffffff);
}

static void check_io(struct model_mfi *m, const struct request *r)
{
    uint32_t io_flags = get16(r->raw + 0x24), control = get32(r->raw + 0x3c);
    uint64_t most = (uint64_t)m->max_request_sectors * 512;

    if (io_flags != 6 && io_flags != 10 && io_flags != 12 && io_flags != 16)
        model_mfi_violation(m, "I/O flags: length of the CDB", io_flags, 16);
    uint32_t blocks, direction = model_mfi_is_write(&r->c, &blocks) ? 0x01000000 : 0x02000000;

    if (control != (r->c.length ? direction : 0))
        model_mfi_violation(m, "the direction of a request", control, direction);
    if (r->raw[0x10] != 2 || r->raw[0x11] || r->raw[0x14] != SGL / 4)
        model_mfi_violation(m, "SGL flags and offset", r->raw[0x10] << 8 | r->raw[0x14], 0x220);
    if (get64(r->raw + 0x34))
        model_mfi_violation(m, "a logical unit other than 0", get64(r->raw + 0x34), 0);
    if (most && r->c.length > most)
        model_mfi_violation(m, "a transfer above the largest request", r->c.length, most);
    check_context(m, r);
    check_sgl(m, r);
}

/* Where the SGL of a wrapped frame ends must lie within the length that the wrapper gives. */
static uint32_t frame_end(const struct model_mfi_command *c)
{
    unsigned entry = c->flags & FLAG_IEEE ? 16 : c->flags & FLAG_SGL64 ? 12 : 8;
    unsigned at = c->cmd == FRAME_DCMD ? 40 : 48;

    return at + c->sge_count * entry;
}

static void check_wrap(struct model_mfi *m, const struct request *r)
{
    const uint8_t *sge = r->raw + SGL;
    uint32_t bytes = get32(sge + 8);
    const struct model_mfi_row *row = model_mfi_row(m);

    if (r->raw[2] != 8 || r->raw[0x14] != SGL / 4)
        model_mfi_violation(m, "a wrapped frame: chain and SGL offset", r->raw[2] << 8 | r->raw[0x14], 0x820);
    if (sge[15] != SGE_CHAIN_OLD || sge[14] || get16(sge + 12))
        model_mfi_violation(m, "a wrapped frame: flags of its SGE", sge[15], SGE_CHAIN_OLD);
    if (bytes < 64 || bytes > 256 || frame_end(&r->c) > bytes)
        model_mfi_violation(m, "a wrapped frame: its length", bytes, frame_end(&r->c));
    if (r->c.address % 64)
        model_mfi_violation(m, "a wrapped frame is misaligned", r->c.address, r->c.address & ~63ull);
    if (r->c.address >> 32 && row->only_32_bit && !m->dma64)
        model_mfi_violation(m, "a wrapped frame above 4 GiB", r->c.address, 0xffffffff);
    if (r->c.cmd < FRAME_LD_SCSI || r->c.cmd > FRAME_ABORT)
        model_mfi_violation(m, "a wrapped frame that must not be wrapped", r->c.cmd, FRAME_DCMD);
    model_mfi_check_frame(m, &r->c, 0);
}

/* False: nothing that could be run. */
static bool check_request(struct model_mfi *m, const struct request *r, unsigned type)
{
    check_type(m, r, type);
    if (r->raw[3] == FUNCTION_LD) {
        check_io(m, r);
        if (r->system_pd)
            m->seen.pd_requests++;
        else
            m->seen.ld_requests++;
        return true;
    }
    if (r->raw[3] == FUNCTION_WRAP) {
        check_wrap(m, r);
        m->seen.wrapped++;
        m->seen.frames[r->c.cmd & 15]++;
        return true;
    }
    model_mfi_violation(m, "a request of a function that needs a RAID map, or that is not known", r->raw[3],
                        FUNCTION_LD);
    return false;
}

/* ---- posting ---- */
static struct model_mfi_frame *in_use(struct model_mfi *m, unsigned smid)
{
    for (unsigned i = 0; i < m->frame_top; i++)
        if (m->frame[i].in_flight && m->frame[i].smid == smid)
            return &m->frame[i];
    return NULL;
}

static bool smid_ok(struct model_mfi *m, unsigned smid)
{
    uint64_t address = m->fusion.pool + (uint64_t)smid * REQUEST_BYTES;

    if (!smid || smid > limit(m)) {
        model_mfi_violation(m, smid ? "an SMID above the firmware's maximum" : "SMID 0", smid, limit(m));
        return false;
    }
    if (in_use(m, smid)) {
        model_mfi_violation(m, "an SMID that is in use", smid, 0);
        return false;
    }
    if (address >> 32 != m->fusion.pool >> 32) {
        model_mfi_violation(m, "a request outside the pool's 4 GiB", address, m->fusion.pool);
        return false;
    }
    return m->in_flight < MODEL_MFI_FRAMES;
}

static void accept(struct model_mfi *m, unsigned smid, unsigned long nth)
{
    struct model_mfi_frame *f = model_mfi_take_entry(m);
    bool wrapped = now.raw[3] == FUNCTION_WRAP;

    *f = (struct model_mfi_frame){ .in_flight = true,
                                   .smid = (uint16_t)smid,
                                   .request = now.address,
                                   .address = wrapped ? now.c.address : 0,
                                   .bytes = wrapped ? 64 : 0,
                                   .cmd = now.c.cmd,
                                   .flags = now.c.flags,
                                   .context = now.c.context,
                                   .nth = nth };
    f->snapshot = checksum(m, &now, f->bytes);
    f->due_ns = model_mfi_due_ns(m, &now.c, nth);
    if (now.c.cmd == FRAME_DCMD && get32(now.c.raw + 24) == 0x01040500) {
        f->pended = true;
        f->due_ns = MODEL_MFI_NEVER;
    }
}

static void post_request(struct model_mfi *m, uint64_t d)
{
    unsigned smid = d >> 16 & 0xffff;
    unsigned long nth;

    if (d & 1 || d >> 8 & 0xff || d >> 32 & 0xffff)
        model_mfi_violation(m, "a request descriptor: flag, reply queue or LMID", d, d & 0xffff00feu);
    if (!smid_ok(m, smid) || !read_request(m, m->fusion.pool + (uint64_t)smid * REQUEST_BYTES, &now))
        return;
    if (m->in_flight + m->fusion.unread + 1 >= m->fusion.depth)
        model_mfi_violation(m, "more requests in flight than the reply ring holds", m->in_flight + 1,
                            m->fusion.depth - 1);
    if (!check_request(m, &now, d >> 1 & 7))
        return;
    nth = model_mfi_count(m, &now.c);
    if (!model_mfi_mischief(m, nth))
        accept(m, smid, nth);
}

static void post_frame(struct model_mfi *m, uint64_t d, bool published)
{
    if ((d & 0xff) != TYPE_MFA << 1)
        model_mfi_violation(m, "an MFI frame of fusion lies on 256 bytes", d, (d & ~0xffull) | 2);
    if (m->operational) {
        model_mfi_violation(m, "an MFI frame that is not wrapped, after INIT", d, 0);
        return;
    }
    if (d >> 32 && model_mfi_row(m)->only_32_bit && !m->dma64)
        model_mfi_violation(m, "an INIT frame above 4 GiB", d, 0xffffffff);
    model_mfi_submit(m, d & ~0xffull, 0, published);
}

static void write_reply(struct model_mfi *m, uint64_t slot, unsigned smid)
{
    uint8_t raw[8] = { 0 };

    put16(raw + 2, smid);
    m->host.dma_write(m->host.ctx, slot, raw, sizeof raw);
}

/* Nothing but the reply: for counting the driver's instructions. */
static void bench_answer(struct model_mfi *m, unsigned smid)
{
    m->seen.reads++;
    write_reply(m, m->fusion.ring + 8ull * m->fusion.index, smid);
    if (++m->fusion.index == m->fusion.depth)
        m->fusion.index = 0;
}

void model_mfi_fusion_post(struct model_mfi *m, uint64_t descriptor, bool published)
{
    unsigned type = descriptor >> 1 & 7;

    if (m->bench && type != TYPE_MFA) {
        bench_answer(m, descriptor >> 16 & 0xffff);
        return;
    }
    if (m->state == MODEL_MFI_FAULT)
        return;
    if (type == TYPE_MFA) {
        post_frame(m, descriptor, published);
        return;
    }
    if (!published)
        model_mfi_violation(m, "a request was posted without plat_dma_publish", descriptor, 0);
    if (!m->operational || m->leaving)
        model_mfi_violation(m, m->leaving ? "a request after the hand-back" : "a request before INIT",
                            descriptor, 0);
    else
        post_request(m, descriptor);
}

/* ---- replies ---- */
static bool room(struct model_mfi *m)
{
    if (m->fusion.unread + 1 < m->fusion.depth)
        return true;
    if (!m->fusion.overrun_said)
        model_mfi_violation(m, "the reply ring is full: the host index does not move", m->fusion.host_index,
                            m->fusion.index);
    m->fusion.overrun_said = true;
    return false;
}

static uint64_t take_slot(struct model_mfi *m)
{
    uint64_t slot = m->fusion.ring + 8ull * m->fusion.index;
    uint8_t raw[8];

    if (m->host.dma_read(m->host.ctx, slot, raw, sizeof raw) && get64(raw) != UNUSED)
        model_mfi_violation(m, "a slot of the reply ring was not set to ones again", get64(raw), UNUSED);
    m->fusion.index = (m->fusion.index + 1) % m->fusion.depth;
    m->fusion.unread++;
    return slot;
}

static void reply(struct model_mfi *m, const struct model_mfi_frame *f)
{
    unsigned smid = model_mfi_hits(m, f->nth, m->nth_garbage_context) ? 0xfff0 : f->smid;

    write_reply(m, f->half_written ? f->slot : take_slot(m), smid);
    if (model_mfi_hits(m, f->nth, m->nth_duplicate) && m->fusion.unread + 1 < m->fusion.depth)
        write_reply(m, take_slot(m), smid);
    model_mfi_interrupt(m);
}

static void write_half(struct model_mfi *m, struct model_mfi_frame *entry)
{
    uint8_t raw[4] = { 0 };

    if (!m->half_is_high)
        put16(raw + 2, entry->smid);
    entry->slot = take_slot(m);
    entry->half_written = true;
    entry->due_ns = model_mfi_after_ns(m, m->half_ns);
    m->host.dma_write(m->host.ctx, entry->slot + (m->half_is_high ? 4 : 0), raw, sizeof raw);
}

/* What a request of a virtual or system drive leaves in itself. */
static void answer_io(struct model_mfi *m, const struct request *r, const struct model_mfi_outcome *o)
{
    uint8_t sense_len = o->sense_len < r->c.sense_cap ? o->sense_len : r->c.sense_cap, raw[4];

    if (sense_len && get32(r->raw + 0x0c))
        m->host.dma_write(m->host.ctx, r->c.sense, o->sense, sense_len);
    put32(raw, r->c.moved);
    m->host.dma_write(m->host.ctx, r->address + R_DATA_LENGTH, raw, sizeof raw);
    m->host.dma_write(m->host.ctx, r->address + R_SCSI_STATUS, &o->scsi_status, 1);
    m->host.dma_write(m->host.ctx, r->address + R_STATUS, &o->status, 1);
}

static void run(struct model_mfi *m, const struct model_mfi_frame *f)
{
    struct model_mfi_outcome o = { 0 };

    if (model_mfi_hits(m, f->nth, m->nth_status))
        o.status = m->status_value;
    else
        model_mfi_run_frame(m, &now.c, f->nth, &o);
    if (m->gone)
        return;
    if (now.raw[3] == FUNCTION_WRAP)
        model_mfi_answer_frame(m, f, &now.c, &o);
    else
        answer_io(m, &now, &o);
    reply(m, f);
}

bool model_mfi_fusion_finish(struct model_mfi *m, struct model_mfi_frame *entry)
{
    struct model_mfi_frame f;

    if (!entry->half_written) {
        if (!room(m))
            return false;
        if (model_mfi_hits(m, entry->nth, m->nth_stray) && m->fusion.unread + 2 < m->fusion.depth)
            write_reply(m, take_slot(m), 0xfff1);
        if (model_mfi_hits(m, entry->nth, m->nth_half)) {
            write_half(m, entry);
            return true;
        }
    }
    f = *entry;
    model_mfi_leave_entry(m, entry);
    if (!read_request(m, f.request, &now))
        return true;
    if (checksum(m, &now, f.bytes) != f.snapshot)
        model_mfi_violation(m, "a request was changed while in flight", f.request, f.smid);
    run(m, &f);
    return true;
}

/* ---- the host's index ---- */
void model_mfi_fusion_index(struct model_mfi *m, uint32_t v)
{
    uint32_t index = v & 0xffffff, depth = m->fusion.depth, moved;
    uint8_t raw[8];

    m->seen.index_writes++;
    if (m->bench) {
        m->fusion.host_index = index;
        return;
    }
    if (m->state == MODEL_MFI_FAULT)
        return; /* whoever took its replies may not know yet */
    if (!m->operational || v >> 24 || index >= depth) {
        model_mfi_violation(m, "the host index: reply queue, range or state", v, depth);
        return;
    }
    if (m->host.published && !m->host.published(m->host.ctx))
        model_mfi_violation(m, "the host index was written without plat_dma_publish", v, 0);
    moved = (index + depth - m->fusion.host_index) % depth;
    if (moved > m->fusion.unread) {
        model_mfi_violation(m, "the host index passes the last reply", index, m->fusion.index);
        return;
    }
    for (uint32_t i = 0; i < moved; i++)
        if (m->host.dma_read(m->host.ctx, m->fusion.ring + 8ull * ((m->fusion.host_index + i) % depth), raw,
                             sizeof raw) &&
            get64(raw) != UNUSED)
            model_mfi_violation(m, "a slot is given back that was not set to ones", get64(raw), UNUSED);
    m->fusion.host_index = index;
    m->fusion.unread -= moved;
    m->fusion.overrun_said = false;
}
