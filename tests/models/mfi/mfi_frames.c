#include "mfi_parts.h"

/* Frames: how they are posted, parsed, checked and answered (fact sheet chapter 3). */

enum { FRAME_BYTES = 64, EXTRA_CLAMP = 7, INIT_LENGTH = 32 };
enum { F_SENSE_LEN = 1, F_STATUS = 2, F_SCSI_STATUS = 3 };

static struct model_mfi_command now; /* the one that is looked at */

static uint64_t blocks_bytes(struct model_mfi *m, const struct model_mfi_command *c)
{
    const struct model_mfi_ld *ld = model_mfi_ld_of(m, c->target);

    return (uint64_t)c->length * (ld ? ld->medium.block_bytes : 512);
}

static unsigned sgl_offset(uint8_t cmd) { return cmd == FRAME_LD_SCSI || cmd == FRAME_PD_SCSI ? 48 : 40; }

static unsigned entry_bytes(uint16_t flags) { return flags & FLAG_IEEE ? 16 : flags & FLAG_SGL64 ? 12 : 8; }

/* ---- reading a frame ---- */
static bool read_sgl(struct model_mfi *m, struct model_mfi_command *c)
{
    unsigned size = entry_bytes(c->flags);
    uint8_t raw[16];

    c->sgl_bytes = 0;
    for (unsigned i = 0; i < c->sge_count; i++) {
        if (!m->host.dma_read(m->host.ctx, c->address + sgl_offset(c->cmd) + i * size, raw, size))
            return false;
        c->sge[i].address = size == 8 ? get32(raw) : get64(raw);
        c->sge[i].bytes = get32(raw + (size == 8 ? 4 : 8));
        c->sgl_bytes += c->sge[i].bytes;
        if (!c->sge[i].address || !c->sge[i].bytes)
            c->bad_sgl = true;
    }
    return true;
}

bool model_mfi_read_frame(struct model_mfi *m, uint64_t address, struct model_mfi_command *c)
{
    const uint8_t *raw = c->raw;

    memset(c, 0, offsetof(struct model_mfi_command, sge));
    c->address = address;
    if (!m->host.dma_read(m->host.ctx, address, c->raw, sizeof c->raw))
        return false;
    c->cmd = raw[0];
    c->sense_cap = raw[F_SENSE_LEN];
    c->target = raw[4];
    c->sge_count = raw[7];
    c->context = get32(raw + 8);
    c->flags = get16(raw + 16);
    c->length = get32(raw + 20);
    if (c->cmd >= FRAME_LD_READ && c->cmd <= FRAME_PD_SCSI)
        c->sense = get64(raw + 24);
    if (c->cmd < FRAME_LD_READ || c->cmd > FRAME_DCMD)
        return true;
    return read_sgl(m, c);
}

/* ---- checksums of what belongs to the firmware meanwhile ---- */
static uint32_t checksum(struct model_mfi *m, uint32_t h, uint64_t address, uint32_t bytes, bool frame)
{
    uint8_t chunk[FRAME_BYTES];

    for (uint32_t at = 0; at < bytes; at += sizeof chunk) {
        uint32_t n = bytes - at < sizeof chunk ? bytes - at : (uint32_t)sizeof chunk;

        if (!m->host.dma_read(m->host.ctx, address + at, chunk, n))
            return 0;
        for (uint32_t i = 0; i < n; i++)
            if (!frame || at || i < F_SENSE_LEN || i > F_SCSI_STATUS)
                h = (h ^ chunk[i]) * 16777619u;
    }
    return h;
}

uint32_t model_mfi_checksum(struct model_mfi *m, uint32_t h, uint64_t address, uint32_t bytes)
{
    return checksum(m, h, address, bytes, false);
}

/* All but the three bytes that it answers with. */
uint32_t model_mfi_frame_checksum(struct model_mfi *m, uint64_t address, uint32_t bytes)
{
    return checksum(m, 2166136261u, address, bytes, true);
}

/* ---- checks ---- */
static void check_sgl(struct model_mfi *m, const struct model_mfi_command *c, unsigned extra)
{
    unsigned size = entry_bytes(c->flags);
    unsigned end = sgl_offset(c->cmd) + c->sge_count * size;
    unsigned want = end <= FRAME_BYTES ? 0 : (end + FRAME_BYTES - 1) / FRAME_BYTES - 1;

    if (want > EXTRA_CLAMP)
        want = EXTRA_CLAMP; /* 7 means 7 or more */
    if (c->cmd == FRAME_DCMD)
        want = 0;
    if (extra != want && !model_mfi_is_fusion(m))
        model_mfi_violation(m, "the count of extra frames does not fit the SGL", extra, want);
    if (c->sge_count > m->max_sge && !model_mfi_is_fusion(m))
        model_mfi_violation(m, "more SGEs than the firmware takes", c->sge_count, m->max_sge);
    if (model_mfi_row(m)->ieee_only && c->cmd != FRAME_DCMD && c->sge_count && !(c->flags & FLAG_IEEE))
        model_mfi_violation(m, "an SGL that is not made of IEEE entries", c->flags, c->flags | FLAG_IEEE);
    if (c->flags & FLAG_IEEE && (!m->ieee_sgl || !(c->flags & FLAG_SGL64) || c->cmd == FRAME_DCMD))
        model_mfi_violation(m, "IEEE SGEs where they are not supported", c->flags, c->flags & ~FLAG_IEEE);
    if (c->bad_sgl)
        model_mfi_violation(m, "an SGE without address or length", 0, 1);
}

static bool over_io_limit(const struct model_mfi *m, const struct model_mfi_command *c, uint64_t bytes)
{
    return c->cmd != FRAME_DCMD && m->io_limit_sectors && bytes > (uint64_t)m->io_limit_sectors * 512;
}

static void check_data(struct model_mfi *m, const struct model_mfi_command *c)
{
    uint64_t bytes = c->cmd == FRAME_LD_READ || c->cmd == FRAME_LD_WRITE ? blocks_bytes(m, c) : c->length;
    uint32_t blocks;

    if (bytes && c->sgl_bytes < bytes)
        model_mfi_violation(m, "the SGL is shorter than the transfer", c->sgl_bytes, bytes);
    bool writes = model_mfi_is_write(c, &blocks);

    if ((c->cmd == FRAME_LD_READ || c->cmd == FRAME_LD_WRITE) && !bytes)
        model_mfi_violation(m, "a read or write of no blocks", 0, 1);
    if (bytes && !writes && !(m->may_change && c->cmd == FRAME_DCMD) &&
        (c->flags & (FLAG_READ | FLAG_WRITE)) != FLAG_READ)
        model_mfi_violation(m, "the direction of a frame that reads is not device to host", c->flags,
                            c->flags | FLAG_READ);
    if (writes && (c->flags & (FLAG_READ | FLAG_WRITE)) != FLAG_WRITE)
        model_mfi_violation(m, "the direction of a frame that writes is not host to device", c->flags,
                            c->flags | FLAG_WRITE);
    if (c->cmd == FRAME_DCMD && c->sge_count > 1)
        model_mfi_violation(m, "a DCMD with more than one SGE", c->sge_count, 1);
    if (model_mfi_row(m)->only_32_bit && !m->dma64 && c->cmd == FRAME_DCMD && c->sge_count &&
        (c->sge[0].address + c->sge[0].bytes - 1) >> 32)
        model_mfi_violation(m, "a management buffer above 4 GiB", c->sge[0].address, 0xffffffff);
    if (m->max_request_sectors && bytes > (uint64_t)m->max_request_sectors * 512 && c->cmd != FRAME_DCMD)
        model_mfi_violation(m, "a transfer above the largest request", bytes,
                            (uint64_t)m->max_request_sectors * 512);
    if (over_io_limit(m, c, bytes))
        model_mfi_violation(m, "a transfer above what the generation takes", bytes,
                            (uint64_t)m->io_limit_sectors * 512);
}

void model_mfi_check_frame(struct model_mfi *m, const struct model_mfi_command *c, unsigned extra)
{
    bool scsi = c->cmd == FRAME_LD_SCSI || c->cmd == FRAME_PD_SCSI;

    if (c->flags & FLAG_NO_POST && c->raw[F_STATUS] != 0xff)
        model_mfi_violation(m, "a polled frame whose status byte is not FFh", c->raw[F_STATUS], 0xff);
    if (get32(c->raw + 12))
        model_mfi_violation(m, "the upper half of a context is not zero", get32(c->raw + 12), 0);
    if (c->flags & ~0x3f)
        model_mfi_violation(m, "unknown frame flags", c->flags, c->flags & 0x3f);
    if (c->sense >> 32)
        model_mfi_violation(m, "a sense buffer above 4 GiB", c->sense, 0);
    if (scsi && c->raw[6] != 6 && c->raw[6] != 10 && c->raw[6] != 12 && c->raw[6] != 16)
        model_mfi_violation(m, "a CDB of no known length", c->raw[6], 16);
    if (scsi && c->raw[5])
        model_mfi_violation(m, "a logical unit other than 0", c->raw[5], 0);
    if ((c->cmd == FRAME_LD_READ || c->cmd == FRAME_LD_WRITE) && c->raw[6] && c->raw[6] != 16)
        model_mfi_violation(m, "a CDB length in LD_READ or LD_WRITE", c->raw[6], 0);
    if (c->cmd >= FRAME_LD_READ && c->cmd <= FRAME_DCMD) {
        check_sgl(m, c, extra);
        check_data(m, c);
    } else if (extra) {
        model_mfi_violation(m, "extra frames behind a frame without SGL", extra, 0);
    }
}

static bool overlaps(const struct model_mfi *m, uint64_t address, uint32_t bytes)
{
    for (unsigned i = 0; i < m->frame_top; i++) {
        const struct model_mfi_frame *f = &m->frame[i];

        if (f->in_flight && address < f->address + f->bytes && f->address < address + bytes)
            return true;
    }
    return false;
}

static bool may_submit(struct model_mfi *m, uint64_t address, unsigned extra, bool published)
{
    uint32_t bytes = FRAME_BYTES * (extra + 1);

    if (m->state == MODEL_MFI_FAULT)
        return false;
    if (!published)
        model_mfi_violation(m, "a frame was posted without plat_dma_publish", address, 0);
    if (overlaps(m, address, bytes)) {
        model_mfi_violation(m, "a frame lies over one in flight", address, 0);
        return false;
    }
    if (!model_mfi_read_frame(m, address, &now))
        return false;
    if (now.cmd == FRAME_INIT && m->state != MODEL_MFI_READY) {
        model_mfi_violation(m, "INIT in a state other than READY", m->state, MODEL_MFI_READY);
        return false;
    }
    if (now.cmd != FRAME_INIT && (!m->operational || m->leaving)) {
        model_mfi_violation(m, m->leaving ? "a frame after the hand-back" : "a frame before INIT", now.cmd,
                            0);
        return false;
    }
    if (m->in_flight + 1u >= m->max_cmds && !model_mfi_is_fusion(m))
        model_mfi_violation(m, "more frames in flight than the firmware takes", m->in_flight + 1,
                            m->max_cmds - 1u);
    return m->in_flight < MODEL_MFI_FRAMES;
}

/* ---- posting ---- */
bool model_mfi_hits(const struct model_mfi *m, unsigned long nth, unsigned long wanted)
{
    if (!nth || !wanted)
        return false;
    return m->nth_every ? nth % m->nth_every == wanted % m->nth_every : nth == wanted;
}

uint64_t model_mfi_due_ns(struct model_mfi *m, const struct model_mfi_command *c, unsigned long nth)
{
    const struct model_mfi_lie *lie =
        model_mfi_lie_for(m, c->cmd == FRAME_DCMD ? get32(c->raw + 24) : c->cmd);
    uint64_t ns = m->latency_ns + (3 - (m->submitted & 3)) * m->ooo_step_ns;

    if (c->cmd == FRAME_INIT)
        ns = m->init_ns;
    else if (c->cmd == FRAME_DCMD)
        ns = m->dcmd_ns;
    else if (c->cmd >= FRAME_LD_READ && c->cmd <= FRAME_LD_SCSI && model_mfi_ld_of(m, c->target))
        ns += model_mfi_ld_of(m, c->target)->medium.latency_ns;
    else if (c->cmd == FRAME_PD_SCSI && model_mfi_pd_target(m, c->target))
        ns += model_mfi_pd_target(m, c->target)->medium.latency_ns;
    if (lie && lie->how == MODEL_MFI_DELAY)
        ns += lie->value;
    if (model_mfi_hits(m, nth, m->nth_late))
        ns += m->late_ns;
    if ((lie && lie->how == MODEL_MFI_LOST) || model_mfi_hits(m, nth, m->nth_lost))
        return MODEL_MFI_NEVER;
    return model_mfi_after_ns(m, ns);
}

struct model_mfi_frame *model_mfi_take_entry(struct model_mfi *m)
{
    unsigned i = 0;

    while (i < m->frame_top && m->frame[i].in_flight)
        i++;
    if (i == m->frame_top)
        m->frame_top++;
    if (++m->in_flight > m->seen.max_in_flight)
        m->seen.max_in_flight = m->in_flight;
    m->submitted++;
    return &m->frame[i];
}

static void post_context(struct model_mfi *m, uint32_t context)
{
    uint8_t raw[4];

    if (!m->ring)
        return;
    put32(raw, context);
    m->host.dma_write(m->host.ctx, m->ring + 4ull * m->producer, raw, 4);
    m->producer = (m->producer + 1) % m->ring_entries;
    put32(raw, m->producer);
    m->host.dma_write(m->host.ctx, m->producer_address, raw, 4);
    model_mfi_interrupt(m);
}

/* Nothing but the answer: for counting the driver's instructions. */
static bool bench_answer(struct model_mfi *m, uint64_t address)
{
    uint8_t raw[24];
    const uint8_t ok = 0;

    if (!m->host.dma_read(m->host.ctx, address, raw, sizeof raw) || raw[0] < FRAME_LD_READ ||
        raw[0] > FRAME_PD_SCSI)
        return false;
    m->seen.reads++;
    m->host.dma_write(m->host.ctx, address + F_STATUS, &ok, 1);
    if (!(get16(raw + 16) & FLAG_NO_POST))
        post_context(m, get32(raw + 8));
    return true;
}

bool model_mfi_mischief(struct model_mfi *m, unsigned long nth)
{
    if (model_mfi_hits(m, nth, m->nth_fail_pd) && model_mfi_pd_of(m, m->fail_pd))
        model_mfi_fail_pd(m, model_mfi_pd_of(m, m->fail_pd));
    if (model_mfi_hits(m, nth, m->nth_vanish))
        return m->gone = true;
    if (!model_mfi_hits(m, nth, m->nth_fault))
        return false;
    model_mfi_fault(m);
    return true;
}

void model_mfi_submit(struct model_mfi *m, uint64_t address, unsigned extra, bool published)
{
    struct model_mfi_frame *f;
    uint32_t sgl_end;
    unsigned long nth;

    if (m->bench && bench_answer(m, address))
        return;
    if (!may_submit(m, address, extra, published))
        return;
    m->seen.frames[now.cmd & 15]++;
    model_mfi_check_frame(m, &now, extra);
    nth = model_mfi_count(m, &now);
    if (model_mfi_mischief(m, nth))
        return;
    f = model_mfi_take_entry(m);
    sgl_end = sgl_offset(now.cmd) + now.sge_count * entry_bytes(now.flags);
    *f = (struct model_mfi_frame){ .in_flight = true,
                                   .address = address,
                                   .cmd = now.cmd,
                                   .flags = now.flags,
                                   .context = now.context,
                                   .nth = nth };
    f->bytes = FRAME_BYTES * (extra + 1);
    if (extra == EXTRA_CLAMP && sgl_end > f->bytes)
        f->bytes = sgl_end;
    f->snapshot = model_mfi_frame_checksum(m, address, f->bytes);
    f->due_ns = model_mfi_due_ns(m, &now, nth);
    if (now.cmd == FRAME_DCMD && get32(now.raw + 24) == 0x01040500) {
        f->pended = true; /* EVENT_WAIT: answered by an event or an ABORT */
        f->due_ns = MODEL_MFI_NEVER;
    }
    if (m->bench)
        model_mfi_frames_tick(m);
}

/* ---- INIT ---- */
static uint8_t run_init(struct model_mfi *m, const struct model_mfi_command *c)
{
    uint8_t info[INIT_LENGTH], word[4];
    uint32_t entries, producer = 0, consumer = 0;

    if (m->init_status)
        return m->init_status;
    if (c->length != INIT_LENGTH || get32(c->raw + 28) || get64(c->raw + 32))
        model_mfi_violation(m, "INIT: length 32, address below 4 GiB, no old queue", c->length, INIT_LENGTH);
    if ((m->omsk & model_mfi_row(m)->mask_all) != model_mfi_row(m)->mask_all)
        model_mfi_violation(m, "INIT with interrupts unmasked", m->omsk, model_mfi_row(m)->mask_all);
    if (!m->host.dma_read(m->host.ctx, get32(c->raw + 24), info, sizeof info))
        return STATUS_BAD_PARAMETER;
    entries = get32(info + 4);
    if (get32(info))
        model_mfi_violation(m, "INIT: queue flags", get32(info), 0);
    if (entries != m->max_cmds)
        model_mfi_violation(m, "INIT: the reply ring has another length than the firmware's maximum", entries,
                            m->max_cmds);
    if (entries > m->max_cmds || !entries)
        return STATUS_BAD_PARAMETER;
    for (unsigned i = 8; i < INIT_LENGTH; i += 8)
        if (get32(info + i + 4) || get32(info + i) & 3 || !get32(info + i))
            model_mfi_violation(m, "INIT: an address is above 4 GiB, misaligned or missing", get64(info + i),
                                0);
    m->ring = get64(info + 8);
    m->producer_address = get64(info + 16);
    m->consumer_address = get64(info + 24);
    for (uint32_t i = 0; i < entries; i++)
        if (!m->host.dma_read(m->host.ctx, m->ring + 4ull * i, word, 4))
            return STATUS_BAD_PARAMETER;
    if (m->host.dma_read(m->host.ctx, m->producer_address, word, 4))
        producer = get32(word);
    if (m->host.dma_read(m->host.ctx, m->consumer_address, word, 4))
        consumer = get32(word);
    if (producer || consumer)
        model_mfi_violation(m, "INIT: the ring indices are not zero", producer, consumer);
    m->ring_entries = entries;
    m->producer = 0;
    m->operational = true;
    m->state = MODEL_MFI_OPERATIONAL;
    m->step_end_ns = MODEL_MFI_NEVER;
    m->seen.inits++;
    return STATUS_OK;
}

/* ---- ABORT ---- */
static uint8_t run_abort(struct model_mfi *m, const struct model_mfi_command *c)
{
    for (unsigned i = 0; i < m->frame_top; i++) {
        struct model_mfi_frame *f = &m->frame[i];

        if (!f->in_flight || f->address != get64(c->raw + 32) || f->context != get32(c->raw + 24))
            continue;
        if (!f->pended)
            return 0x05; /* I/O cannot be aborted */
        f->in_flight = false;
        m->in_flight--;
        return STATUS_OK;
    }
    return 0x05;
}

/* ---- the end of a frame ---- */
uint64_t model_mfi_get(struct model_mfi *m, const struct model_mfi_command *c, void *to, uint64_t n)
{
    uint8_t *p = to;
    uint64_t got = 0;

    for (unsigned i = 0; i < c->sge_count && got < n; i++) {
        uint64_t part = n - got < c->sge[i].bytes ? n - got : c->sge[i].bytes;

        if (!m->host.dma_read(m->host.ctx, c->sge[i].address, p + got, part))
            return got;
        got += part;
    }
    return got;
}

/* Between the frame's scatter list, from where the last call stopped, and memory of ours. */
static bool move(struct model_mfi *m, struct model_mfi_command *c, void *ours, uint64_t n, bool to_host)
{
    uint8_t *p = ours;

    while (n) {
        if (c->at == c->sge_count)
            return false;
        uint64_t left = c->sge[c->at].bytes - c->at_offset, part = n < left ? n : left;
        uint64_t bus = c->sge[c->at].address + c->at_offset;
        bool moved = !part || (to_host ? m->host.dma_write(m->host.ctx, bus, p, part)
                                       : m->host.dma_read(m->host.ctx, bus, p, part));
        if (!moved)
            return false;
        p += part;
        n -= part;
        c->moved += part;
        c->at_offset += (uint32_t)part;
        if (part == left) {
            c->at++;
            c->at_offset = 0;
        }
    }
    return true;
}

bool model_mfi_take(struct model_mfi *m, struct model_mfi_command *c, void *to, uint64_t n)
{
    return move(m, c, to, n, false);
}

bool model_mfi_put(struct model_mfi *m, struct model_mfi_command *c, const void *data, uint64_t n)
{
    return move(m, c, (void *)data, n, true);
}

static uint8_t refused_by_limits(struct model_mfi *m, const struct model_mfi_command *c)
{
    bool io = c->cmd >= FRAME_LD_READ && c->cmd <= FRAME_PD_SCSI;
    uint64_t bytes = c->cmd == FRAME_LD_READ || c->cmd == FRAME_LD_WRITE ? blocks_bytes(m, c) : c->length;

    if (c->bad_sgl || (c->sge_count > m->max_sge && !model_mfi_is_fusion(m)))
        return STATUS_BAD_SGL;
    if (io && model_mfi_row(m)->ieee_only && c->sge_count && !(c->flags & FLAG_IEEE))
        return STATUS_BAD_SGL;
    if (io && over_io_limit(m, c, bytes))
        return STATUS_BAD_PARAMETER;
    return STATUS_OK;
}

void model_mfi_run_frame(struct model_mfi *m, struct model_mfi_command *c, unsigned long nth,
                         struct model_mfi_outcome *o)
{
    const struct model_mfi_lie *lie = model_mfi_lie_for(m, c->cmd);

    if (lie && c->cmd != FRAME_DCMD && (lie->how == MODEL_MFI_STATUS || lie->how == MODEL_MFI_UNTOUCHED)) {
        o->status = lie->how == MODEL_MFI_STATUS ? (uint8_t)lie->value : STATUS_OK;
        return;
    }
    o->status = refused_by_limits(m, c);
    if (o->status)
        return;
    switch (c->cmd) {
    case FRAME_INIT:
        o->status = model_mfi_is_fusion(m) ? model_mfi_fusion_init(m, c) : run_init(m, c);
        break;
    case FRAME_LD_READ:
        model_mfi_run_ld_read(m, c, nth, o);
        break;
    case FRAME_LD_WRITE:
        model_mfi_run_ld_write(m, c, nth, o);
        break;
    case FRAME_LD_SCSI:
    case FRAME_PD_SCSI:
        model_mfi_run_scsi(m, c, nth, o);
        break;
    case FRAME_DCMD:
        model_mfi_run_dcmd(m, c, o);
        break;
    case FRAME_ABORT:
        o->status = run_abort(m, c);
        break;
    default:
        o->status = STATUS_BAD_COMMAND;
    }
}

void model_mfi_answer_frame(struct model_mfi *m, const struct model_mfi_frame *f,
                            const struct model_mfi_command *c, const struct model_mfi_outcome *o)
{
    uint8_t sense_len = o->sense_len < c->sense_cap ? o->sense_len : c->sense_cap;

    if (sense_len && (uint32_t)c->sense) {
        m->host.dma_write(m->host.ctx, (uint32_t)c->sense, o->sense, sense_len);
        m->host.dma_write(m->host.ctx, f->address + F_SENSE_LEN, &sense_len, 1);
    }
    if (o->scsi_status || f->cmd == FRAME_LD_SCSI || f->cmd == FRAME_PD_SCSI)
        m->host.dma_write(m->host.ctx, f->address + F_SCSI_STATUS, &o->scsi_status, 1);
    if (model_mfi_hits(m, f->nth, m->nth_garbage_frame))
        m->host.dma_write(m->host.ctx, f->address + 8, "\xf0\xff\xff\xff", 4);
    /* Last: whoever polls this byte may use all the rest. */
    if (f->flags & FLAG_NO_POST || o->status || !m->ring_leaves_status)
        m->host.dma_write(m->host.ctx, f->address + F_STATUS, &o->status, 1);
}

static void post_contexts(struct model_mfi *m, const struct model_mfi_frame *f)
{
    if (f->flags & FLAG_NO_POST && !m->posts_polled_frames)
        return;
    if (model_mfi_hits(m, f->nth, m->nth_stray))
        post_context(m, 0xfffffff1u);
    post_context(m, model_mfi_hits(m, f->nth, m->nth_garbage_context) ? 0xfffffff0u : f->context);
    if (model_mfi_hits(m, f->nth, m->nth_duplicate))
        post_context(m, f->context);
}

void model_mfi_leave_entry(struct model_mfi *m, struct model_mfi_frame *entry)
{
    entry->in_flight = false;
    m->in_flight--;
    while (m->frame_top && !m->frame[m->frame_top - 1].in_flight)
        m->frame_top--;
}

/* False: its end must wait for the driver. */
static bool finish(struct model_mfi *m, struct model_mfi_frame *entry)
{
    struct model_mfi_frame f = *entry;
    struct model_mfi_outcome o = { 0 };

    if (entry->smid)
        return model_mfi_fusion_finish(m, entry);
    model_mfi_leave_entry(m, entry);
    if (model_mfi_frame_checksum(m, f.address, f.bytes) != f.snapshot)
        model_mfi_violation(m, "a frame was changed while in flight", f.address, f.cmd);
    if (!model_mfi_read_frame(m, f.address, &now))
        return true;
    if (model_mfi_hits(m, f.nth, m->nth_status))
        o.status = m->status_value;
    else
        model_mfi_run_frame(m, &now, f.nth, &o);
    if (!m->gone) {
        model_mfi_answer_frame(m, &f, &now, &o);
        post_contexts(m, &f);
    }
    return true;
}

void model_mfi_frames_tick(struct model_mfi *m)
{
    uint64_t at_ns = model_mfi_now_ns(m);

    for (;;) {
        struct model_mfi_frame *best = NULL;

        for (unsigned i = 0; i < m->frame_top; i++) {
            struct model_mfi_frame *f = &m->frame[i];

            if (f->in_flight && f->due_ns <= at_ns && (!best || f->due_ns < best->due_ns))
                best = f;
        }
        if (!best || m->gone || !finish(m, best))
            return;
    }
}

void model_mfi_frames_drop(struct model_mfi *m)
{
    for (unsigned i = 0; i < m->frame_top; i++)
        m->frame[i].in_flight = false;
    m->in_flight = m->frame_top = 0;
}
