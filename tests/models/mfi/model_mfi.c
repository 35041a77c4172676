#include "mfi_parts.h"

/* Registers and firmware states (fact sheet 2.1 to 2.6, 5.1 and 6.2 to 6.5). */

enum { OSTS = 0x30, OMSK = 0x34, IQP = 0x40, HOST_INDEX = 0x6c, SCRATCH_1 = 0xb4, SCRATCH_2 = 0xb8 };
enum { SCRATCH_3 = 0xbc, PORT_LOW = 0xc0, PORT_HIGH = 0xc4, PORT_ATOMIC = 0xc8 };
#define DOORBELL_READY     0x02u
#define DOORBELL_HANDSHAKE 0x08u
#define DOORBELL_MESSAGE   0x10u
#define DOORBELL_STOP      0x20u
#define DOORBELL_RESET     0x40u

/* ---- shared ---- */
void model_mfi_violation(struct model_mfi *m, const char *what, uint64_t got, uint64_t want)
{
    m->violations++;
    if (m->host.violation)
        m->host.violation(m->host.ctx, what, got, want);
}

uint64_t model_mfi_now_ns(const struct model_mfi *m)
{
    return m->host.now_ns ? m->host.now_ns(m->host.ctx) : 0;
}

uint64_t model_mfi_after_ns(const struct model_mfi *m, uint64_t ns)
{
    return ns == MODEL_MFI_NEVER ? MODEL_MFI_NEVER : model_mfi_now_ns(m) + ns;
}

static void update_irq(struct model_mfi *m)
{
    if (m->host.irq)
        m->host.irq(m->host.ctx, m->osts & ~m->omsk);
}

void model_mfi_interrupt(struct model_mfi *m)
{
    m->osts |= model_mfi_row(m)->osts_done;
    update_irq(m);
}

struct model_mfi_ld *model_mfi_ld_of(struct model_mfi *m, unsigned target)
{
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++)
        if (m->ld[i].present && m->ld[i].target == target)
            return &m->ld[i];
    return NULL;
}

uint16_t model_mfi_pd_id(const struct model_mfi *m, const struct model_mfi_pd *pd)
{
    return m->qemu_ids ? (uint16_t)(pd->slot << 8) : pd->device_id;
}

struct model_mfi_pd *model_mfi_pd_of(struct model_mfi *m, unsigned device_id)
{
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++)
        if (m->pd[i].present && model_mfi_pd_id(m, &m->pd[i]) == device_id)
            return &m->pd[i];
    return NULL;
}

struct model_mfi_pd *model_mfi_pd_target(struct model_mfi *m, unsigned target)
{
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++)
        if (m->pd[i].present && (m->qemu_ids ? m->pd[i].slot : m->pd[i].device_id) == target)
            return &m->pd[i];
    return NULL;
}

const struct model_mfi_lie *model_mfi_lie_for(const struct model_mfi *m, uint32_t opcode)
{
    for (unsigned i = 0; i < MODEL_MFI_LIES; i++)
        if (m->lie[i].used && m->lie[i].opcode == opcode)
            return &m->lie[i];
    return NULL;
}

/* ---- firmware states ---- */
static void enter_ready(struct model_mfi *m)
{
    model_mfi_frames_drop(m);
    m->state = MODEL_MFI_READY;
    m->operational = m->leaving = m->pair_open = false;
    m->ring = 0;
    memset(&m->fusion, 0, sizeof m->fusion);
    m->step_end_ns = m->ready_ns = MODEL_MFI_NEVER;
}

static void enter_step(struct model_mfi *m, unsigned i)
{
    m->step_at = i;
    if (i >= m->step_count || i >= MODEL_MFI_STEPS) {
        enter_ready(m);
        return;
    }
    m->state = m->step[i].state;
    m->step_end_ns = model_mfi_after_ns(m, m->step[i].ns);
}

static void power_on(struct model_mfi *m)
{
    m->powered = true;
    m->omsk = m->osts = m->diag = m->diag_keys = m->zeros_left = 0;
    m->busy_until_ns = model_mfi_after_ns(m, m->doorbell_busy_ns);
    enter_ready(m);
    enter_step(m, 0);
}

void model_mfi_fault(struct model_mfi *m)
{
    model_mfi_frames_drop(m);
    m->state = MODEL_MFI_FAULT;
    m->operational = m->leaving = false;
    m->step_end_ns = m->ready_ns = MODEL_MFI_NEVER;
}

static void adapter_reset(struct model_mfi *m)
{
    m->seen.resets++;
    if (m->state != MODEL_MFI_FAULT)
        model_mfi_violation(m, "a working adapter was reset", m->state, MODEL_MFI_FAULT);
    model_mfi_fault(m);
    if (!m->reset_helps)
        return;
    m->state = MODEL_MFI_UNDEFINED;
    m->ready_ns = model_mfi_after_ns(m, m->reset_ns);
}

/* Frames of a driver that does not wait for them, although none of them is lost. */
static bool gives_up_frames(const struct model_mfi *m)
{
    bool to_come = false;

    for (unsigned i = 0; i < m->frame_top; i++) {
        if (m->frame[i].in_flight && m->frame[i].due_ns == MODEL_MFI_NEVER)
            return false;
        to_come |= m->frame[i].in_flight;
    }
    return to_come;
}

static void hand_back(struct model_mfi *m)
{
    bool init_under_way = m->state == MODEL_MFI_READY && m->in_flight;

    if (m->leaving || (m->state != MODEL_MFI_OPERATIONAL && !init_under_way))
        return;
    m->seen.hand_backs++;
    if (gives_up_frames(m))
        model_mfi_violation(m, "the card was handed back with frames in flight", m->in_flight, 0);
    m->leaving = true;
    m->state = m->hand_back_state;
    m->step_end_ns = MODEL_MFI_NEVER;
    m->ready_ns = model_mfi_after_ns(m, m->hand_back_ns);
}

static void doorbell(struct model_mfi *m, uint32_t v)
{
    if (v & DOORBELL_RESET && !model_mfi_row(m)->keys)
        adapter_reset(m);
    if (v & DOORBELL_STOP) {
        model_mfi_violation(m, "the adapter was stopped", v, 0);
        model_mfi_fault(m);
    }
    if (v & DOORBELL_HANDSHAKE && m->state == MODEL_MFI_HANDSHAKE) {
        enter_step(m, m->step_at + 1);
    } else if (v & DOORBELL_MESSAGE && m->state == MODEL_MFI_BOOT_MESSAGE) {
        if (!m->boot_message_may_be_acknowledged)
            model_mfi_violation(m, "a boot message was acknowledged", v, 0);
        enter_step(m, m->step_at + 1);
    }
    if (v & DOORBELL_READY) {
        m->busy_until_ns = model_mfi_after_ns(m, m->doorbell_busy_ns);
        hand_back(m);
    }
}

static void tick(void *dev)
{
    struct model_mfi *m = dev;

    if (!m->powered)
        power_on(m);
    if (m->gone || m->bench)
        return;
    model_mfi_state_tick(m);
    model_mfi_frames_tick(m);
    while (model_mfi_now_ns(m) >= m->step_end_ns)
        enter_step(m, m->step_at + 1);
    if (model_mfi_now_ns(m) >= m->ready_ns)
        enter_ready(m);
}

static void reset(void *dev)
{
    struct model_mfi *m = dev;

    m->powered = false;
    tick(m);
}

/* ---- registers ---- */
static uint32_t status_word(const struct model_mfi *m)
{
    uint32_t word = (uint32_t)m->state << 28;

    if (m->state == MODEL_MFI_FAULT)
        return word | (m->fault_code & 0x0fffffff);
    return word | (uint32_t)m->ieee_sgl << 26 | (uint32_t)m->max_sge << 16 | m->max_cmds;
}

/* Bits 9:5 count 128 bytes, with bit 22 512 bytes. */
static uint32_t scratch_1(const struct model_mfi *m)
{
    bool large = m->chain_bytes > 31 * 128;
    uint32_t queues = m->reply_queues ? m->reply_queues - 1u : 0;
    bool bit24 = m->operational && model_mfi_row(m)->atomic ? m->atomic_descriptors : true;

    queues = model_mfi_row(m)->end_of_list ? (queues & 0xff) << 14 : queues & 0x1f;
    return (m->chain_bytes / (large ? 512 : 128) & 31) << 5 | (uint32_t)large << 22 | queues |
           (uint32_t)bit24 << 24 | (uint32_t)m->dma64 << 25;
}

static bool access_ok(struct model_mfi *m, unsigned bar, uint32_t off, unsigned bytes, bool write)
{
    bool whole_descriptor = write && off == PORT_LOW && bytes == 8 && model_mfi_is_fusion(m);

    if (bar == model_mfi_row(m)->memory_bar && (whole_descriptor || (bytes == 4 && !(off & 3))) &&
        off < BAR_BYTES)
        return true;
    model_mfi_violation(m, "registers are accessed by aligned dwords of the memory BAR",
                        (uint64_t)bytes << 32 | off, bar);
    return false;
}

static uint32_t value_of(const struct model_mfi *m, uint32_t off)
{
    const struct model_mfi_row *g = model_mfi_row(m);
    bool fusion = model_mfi_is_fusion(m);

    if (off == g->status)
        return status_word(m);
    if (off == OMSK)
        return m->omsk;
    if (off == OSTS)
        return m->osts;
    if (g->diag && off == g->diag)
        return m->diag;
    if (fusion && off == g->doorbell)
        return model_mfi_now_ns(m) < m->busy_until_ns;
    if (fusion && off == SCRATCH_1)
        return scratch_1(m);
    if (fusion && off == SCRATCH_2)
        return m->scratch2;
    if (fusion && off == SCRATCH_3)
        return m->scratch3;
    if (fusion && off == HOST_INDEX)
        return m->fusion.host_index;
    return 0;
}

/* Between the two writes of a pair of ports there must be nothing. */
static void check_pair(struct model_mfi *m, uint32_t off, uint32_t want)
{
    if (m->pair_open && off != want) {
        model_mfi_violation(m, "an access between the two halves of a port", off, want);
        m->pair_open = false;
    }
}

static uint64_t reg_read(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    struct model_mfi *m = dev;

    tick(m);
    if (m->gone || !access_ok(m, bar, off, bytes, false))
        return UINT64_MAX;
    check_pair(m, off, UINT32_MAX);
    if (m->zero_reads && !m->zeros_left)
        m->zeros_left = m->zero_reads + 1;
    if (m->zeros_left && --m->zeros_left) {
        m->seen.zero_reads++;
        return 0;
    }
    return value_of(m, off);
}

static void mask_write(struct model_mfi *m, uint32_t v)
{
    uint32_t all = model_mfi_row(m)->mask_all;

    m->omsk = v;
    if ((v & all) == all && m->operational && !m->leaving && !model_mfi_is_fusion(m)) {
        model_mfi_violation(m, "interrupts were masked again after INIT", v, 0);
        if (m->masking_resets)
            enter_ready(m);
    }
    update_irq(m);
}

static void key_write(struct model_mfi *m, uint32_t v)
{
    const struct model_mfi_row *g = model_mfi_row(m);

    m->diag_keys = v == g->key[m->diag_keys] ? m->diag_keys + 1 : v == g->key[0];
    if (m->diag_keys == g->key_count) {
        m->diag |= 0x80;
        m->diag_keys = 0;
    }
}

static void diag_write(struct model_mfi *m, uint32_t v)
{
    if (m->diag & 0x80 && v & 4) {
        m->diag = 0;
        adapter_reset(m);
    }
}

/* ---- the ports ---- */
static bool is_published(const struct model_mfi *m)
{
    return !m->host.published || m->host.published(m->host.ctx);
}

static void single_port(struct model_mfi *m, uint32_t v)
{
    if (model_mfi_row(m)->post == POST_PORT_SHIFTED) {
        if (v >> 29)
            model_mfi_violation(m, "a frame address above 4 GiB or not shifted", v, v & 0x1fffffff);
        model_mfi_submit(m, (uint64_t)(v & ~7u) << 3, v & 7, is_published(m));
        return;
    }
    if (!(v & 1) || v & 0x30)
        model_mfi_violation(m, "a frame address is misaligned or lacks bit 0", v, (v & ~0x3fu) | 1);
    model_mfi_submit(m, v & ~0x0fu, v >> 1 & 7, is_published(m));
}

static void open_pair(struct model_mfi *m, uint32_t *half, uint32_t v)
{
    *half = v;
    m->pair_open = true;
    m->pair_published = is_published(m);
}

/* Skinny: the upper half first. */
static void frame_pair(struct model_mfi *m, uint32_t off, uint32_t v)
{
    if (off == PORT_HIGH) {
        if (v)
            model_mfi_violation(m, "a frame address above 4 GiB", v, 0);
        open_pair(m, &m->pair_high, v);
        return;
    }
    if (!m->pair_open) {
        model_mfi_violation(m, "the lower half of a frame address without the upper one", v, 0);
        return;
    }
    m->pair_open = false;
    if (!(v & 1) || v & 0x30)
        model_mfi_violation(m, "a frame address is misaligned or lacks bit 0", v, (v & ~0x3fu) | 1);
    model_mfi_submit(m, (uint64_t)m->pair_high << 32 | (v & ~0x0fu), v >> 1 & 7, m->pair_published);
}

/* Fusion: the lower half first, or both at once. */
static void descriptor_pair(struct model_mfi *m, uint32_t off, unsigned bytes, uint64_t v)
{
    if (bytes == 8) {
        m->seen.whole_posts++;
        model_mfi_fusion_post(m, v, is_published(m));
    } else if (off == PORT_LOW) {
        open_pair(m, &m->pair_low, (uint32_t)v);
    } else if (!m->pair_open) {
        model_mfi_violation(m, "the upper half of a descriptor without the lower one", v, 0);
    } else {
        m->pair_open = false;
        m->seen.pair_posts++;
        model_mfi_fusion_post(m, v << 32 | m->pair_low, m->pair_published);
    }
}

static void atomic_port(struct model_mfi *m, uint32_t v)
{
    /* A host cannot know yet that the firmware has just failed. */
    if (m->state == MODEL_MFI_FAULT)
        return;
    if (!m->operational || !model_mfi_row(m)->atomic || !m->atomic_descriptors) {
        model_mfi_violation(m, "the port of single-dword descriptors, which the card does not offer", v, 0);
        return;
    }
    m->seen.atomic_posts++;
    model_mfi_fusion_post(m, v, is_published(m));
}

/* False: no port of this generation. */
static bool port_write(struct model_mfi *m, uint32_t off, unsigned bytes, uint64_t v)
{
    enum model_mfi_post post = model_mfi_row(m)->post;
    bool pair = off == PORT_LOW || off == PORT_HIGH;

    if (off == IQP && (post == POST_PORT || post == POST_PORT_SHIFTED))
        single_port(m, (uint32_t)v);
    else if (pair && post == POST_PORT_PAIR)
        frame_pair(m, off, (uint32_t)v);
    else if (pair && post == POST_DESCRIPTOR)
        descriptor_pair(m, off, bytes, v);
    else if (off == PORT_ATOMIC && post == POST_DESCRIPTOR)
        atomic_port(m, (uint32_t)v);
    else if (off == HOST_INDEX && post == POST_DESCRIPTOR)
        model_mfi_fusion_index(m, (uint32_t)v);
    else
        return false;
    return true;
}

static void reg_write(void *dev, unsigned bar, uint32_t off, unsigned bytes, uint64_t value)
{
    struct model_mfi *m = dev;
    const struct model_mfi_row *g = model_mfi_row(m);
    uint32_t v = (uint32_t)value;

    tick(m);
    if (m->gone || !access_ok(m, bar, off, bytes, true))
        return;
    check_pair(m, off, g->post == POST_PORT_PAIR ? PORT_LOW : PORT_HIGH);
    if (port_write(m, off, bytes, value)) {
        return;
    } else if (off == g->doorbell) {
        doorbell(m, v);
    } else if (off == OMSK) {
        mask_write(m, v);
    } else if (off == g->acknowledge) {
        m->osts &= ~v;
        update_irq(m);
    } else if (g->keys && off == g->keys) {
        key_write(m, v);
    } else if (g->diag && off == g->diag) {
        diag_write(m, v);
    } else {
        model_mfi_violation(m, "a register that this generation does not have was written", off, 0);
    }
}

/* ---- config space ---- */
static uint32_t config_read(void *dev, uint32_t off)
{
    const struct model_mfi *m = dev;
    const struct model_mfi_row *g = model_mfi_row(m);

    if (m->gone)
        return UINT32_MAX;
    if (off == 0x00)
        return (uint32_t)m->device_id << 16 | m->vendor_id;
    if (off == 0x08)
        return 0x010400u << 8 | 5;
    if (off == 0x2c)
        return (uint32_t)m->subdevice_id << 16 | m->subvendor_id;
    if (g->io_bar != NO_BAR && off == 0x10 + 4 * g->io_bar)
        return (uint32_t)-IO_BAR_BYTES | 1;
    if (off == 0x10 + 4 * g->memory_bar)
        return (uint32_t)-BAR_BYTES | (g->bar64 ? 4 : 0);
    if (g->bar64 && off == 0x14 + 4 * g->memory_bar)
        return UINT32_MAX;
    return 0;
}

static void config_write(void *dev, uint32_t off, uint32_t v)
{
    (void)dev;
    (void)off;
    (void)v;
}

const struct model_device_ops model_mfi_ops = { .name = "mfi",
                                                .read = reg_read,
                                                .write = reg_write,
                                                .config_read = config_read,
                                                .config_write = config_write,
                                                .reset = reset,
                                                .tick = tick };
