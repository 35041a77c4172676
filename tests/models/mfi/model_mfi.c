#include "mfi_parts.h"

/* Registers, firmware states and settings (fact sheet 2.1 to 2.6 and 5.1). */

enum { BAR_BYTES = 0x4000, IO_BAR_BYTES = 0x100 };
#define DOORBELL_READY     0x02u
#define DOORBELL_HANDSHAKE 0x08u
#define DOORBELL_MESSAGE   0x10u
#define DOORBELL_STOP      0x20u
#define DOORBELL_RESET     0x40u
#define ALL_MASKED         0xffffffffu

struct generation {
    const char *name;
    uint16_t device_id, subdevice_id;
    unsigned memory_bar, io_bar;
    uint32_t status, doorbell, osts, omsk, acknowledge, inbound;
    uint32_t diag, keys; /* 0: reset is by doorbell */
    uint32_t reply_bit;
    uint16_t max_cmds;
    const char *product;
};
static const struct generation generations[MODEL_MFI_GENERATIONS] = {
    [MODEL_MFI_1078] = { "mfi-1078", 0x0060, 0x1013, 0, 2, 0xb0, 0x20, 0x30, 0x34, 0xa0, 0x40, 0, 0,
                         0x80000000u, 1000, "LSI MegaRAID SAS 8708EM2" },
    [MODEL_MFI_2108] = { "mfi-2108", 0x0079, 0x9261, 1, 0, 0xb0, 0x20, 0x30, 0x34, 0xa0, 0x40, 0xf8, 0xfc, 1u,
                         1008, "LSI MegaRAID SAS 9260-8i" },
};

static const struct generation *gen_of(const struct model_mfi *m) { return &generations[m->generation]; }

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
    m->osts |= gen_of(m)->reply_bit | 1;
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
    m->operational = m->leaving = false;
    m->ring = 0;
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
    m->omsk = m->osts = m->diag = m->diag_keys = 0;
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
    if (v & DOORBELL_RESET && !gen_of(m)->keys)
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
    if (v & DOORBELL_READY)
        hand_back(m);
}

static void tick(void *dev)
{
    struct model_mfi *m = dev;

    if (!m->powered)
        power_on(m);
    if (m->gone || m->bench)
        return;
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

static bool access_ok(struct model_mfi *m, unsigned bar, uint32_t off, unsigned bytes)
{
    if (bar == gen_of(m)->memory_bar && bytes == 4 && !(off & 3) && off < BAR_BYTES)
        return true;
    model_mfi_violation(m, "registers are accessed by aligned dwords of the memory BAR",
                        (uint64_t)bytes << 32 | off, bar);
    return false;
}

static uint64_t reg_read(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    struct model_mfi *m = dev;
    const struct generation *g = gen_of(m);

    tick(m);
    if (m->gone || !access_ok(m, bar, off, bytes))
        return UINT64_MAX;
    if (off == g->status)
        return status_word(m);
    if (off == g->omsk)
        return m->omsk;
    if (off == g->osts)
        return m->osts;
    if (g->diag && off == g->diag)
        return m->diag;
    return 0;
}

static void mask_write(struct model_mfi *m, uint32_t v)
{
    m->omsk = v;
    if (v == ALL_MASKED && m->operational && !m->leaving) {
        model_mfi_violation(m, "interrupts were masked again after INIT", v, 0);
        if (m->masking_resets)
            enter_ready(m);
    }
    update_irq(m);
}

static void key_write(struct model_mfi *m, uint32_t v)
{
    static const uint8_t keys[] = { 0x0, 0x4, 0xb, 0x2, 0x7, 0xd };

    m->diag_keys = v == keys[m->diag_keys] ? m->diag_keys + 1 : v == keys[0];
    if (m->diag_keys == sizeof keys) {
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

static void reg_write(void *dev, unsigned bar, uint32_t off, unsigned bytes, uint64_t value)
{
    struct model_mfi *m = dev;
    const struct generation *g = gen_of(m);
    uint32_t v = (uint32_t)value;

    tick(m);
    if (m->gone || !access_ok(m, bar, off, bytes))
        return;
    if (off == g->inbound) {
        if (!(v & 1) || v & 0x30)
            model_mfi_violation(m, "a frame address is misaligned or lacks bit 0", v, (v & ~0x3fu) | 1);
        model_mfi_submit(m, v & ~0x0fu, v >> 1 & 7);
    } else if (off == g->doorbell) {
        doorbell(m, v);
    } else if (off == g->omsk) {
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
    const struct generation *g = gen_of(m);

    if (m->gone)
        return UINT32_MAX;
    if (off == 0x00)
        return (uint32_t)m->device_id << 16 | m->vendor_id;
    if (off == 0x08)
        return 0x010400u << 8 | 5;
    if (off == 0x2c)
        return (uint32_t)m->subdevice_id << 16 | m->subvendor_id;
    if (off == 0x10 + 4 * g->io_bar)
        return (uint32_t)-IO_BAR_BYTES | 1;
    if (off == 0x10 + 4 * g->memory_bar)
        return (uint32_t)-BAR_BYTES | 4;
    if (off == 0x14 + 4 * g->memory_bar)
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

/* ---- set-up ---- */
void model_mfi_init(struct model_mfi *m, enum model_mfi_generation g)
{
    static const uint8_t rates[5] = { 30, 30, 30, 30, 30 };

    memset(m, 0, sizeof *m);
    m->generation = g;
    m->vendor_id = 0x1000;
    m->device_id = generations[g].device_id;
    m->subvendor_id = 0x1000;
    m->subdevice_id = generations[g].subdevice_id;
    m->max_cmds = generations[g].max_cmds;
    m->max_sge = 80;
    m->memory_mib = 512;
    m->ld_ops = 0x1f;
    m->adapter_ops = 0x7fff;
    m->hw_present = 0x36;
    m->max_strips_per_io = 128;
    m->hand_back_state = MODEL_MFI_OPERATIONAL;
    m->boot_seq = 1;
    memcpy(m->rates, rates, sizeof rates);
    strcpy(m->product, generations[g].product);
    strcpy(m->serial, "SV00000001");
    strcpy(m->package, "12.15.0-0239");
}

static void medium_defaults(struct model_mfi_medium *d, uint64_t blocks, const char *vendor,
                            const char *product, uint64_t naa)
{
    d->blocks = blocks;
    d->block_bytes = 512;
    strcpy(d->vendor, vendor);
    strcpy(d->product, product);
    strcpy(d->revision, "2.13");
    d->naa = naa;
}

struct model_mfi_ld *model_mfi_add_ld(struct model_mfi *m, uint8_t target, uint64_t blocks)
{
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++) {
        struct model_mfi_ld *ld = &m->ld[i];

        if (ld->present)
            continue;
        memset(ld, 0, sizeof *ld);
        ld->present = true;
        ld->consistent = 1;
        ld->target = target;
        ld->state = MODEL_MFI_LD_OPTIMAL;
        ld->stripe_exponent = 7;
        ld->drives_per_span = ld->span_depth = 1;
        ld->seq = 1;
        strcpy(ld->name, "VD00");
        ld->name[2] = (char)('0' + target / 10 % 10);
        ld->name[3] = (char)('0' + target % 10);
        medium_defaults(&ld->medium, blocks, "LSI", "MR9260-8i", 0x600605b000000000ull + target);
        return ld;
    }
    return NULL;
}

struct model_mfi_pd *model_mfi_add_pd(struct model_mfi *m, uint16_t device_id, uint8_t slot, uint16_t state)
{
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++) {
        struct model_mfi_pd *pd = &m->pd[i];

        if (pd->present)
            continue;
        memset(pd, 0, sizeof *pd);
        pd->present = true;
        pd->device_id = device_id;
        pd->enclosure_id = 32;
        pd->enclosure_index = 1;
        pd->slot = slot;
        pd->state = state;
        pd->seq = 1;
        pd->speed = pd->link_speed = 3;
        pd->interface_type = 2;
        pd->temperature_c = 31;
        pd->sas_address = 0x5000c50000000001ull + 16 * device_id;
        pd->ld_target = 0xff;
        medium_defaults(&pd->medium, 1953525168, "SEAGATE", "ST1000NM0001",
                        0x5000c50000000000ull + 16 * device_id);
        strcpy(pd->medium.serial, "Z1N00000");
        pd->medium.serial[6] = (char)('0' + slot / 10 % 10);
        pd->medium.serial[7] = (char)('0' + slot % 10);
        pd->medium.rotation_rpm = 7200;
        return pd;
    }
    return NULL;
}

void model_mfi_add_event(struct model_mfi *m, uint32_t code, int severity, const char *text)
{
    struct model_mfi_event *e;

    if (m->event_count == MODEL_MFI_EVENTS)
        return;
    e = &m->event[m->event_count++];
    memset(e, 0, sizeof *e);
    e->seq = m->boot_seq + m->event_count - 1;
    e->time_s = 0xff000000u + m->event_count;
    e->code = code;
    e->locale = 1;
    e->severity = (int8_t)severity;
    strncpy(e->text, text, sizeof e->text - 1);
}

void model_mfi_lie(struct model_mfi *m, uint32_t opcode, enum model_mfi_lie_how how, uint64_t value)
{
    for (unsigned i = 0; i < MODEL_MFI_LIES; i++)
        if (!m->lie[i].used || m->lie[i].opcode == opcode) {
            m->lie[i] = (struct model_mfi_lie){ .opcode = opcode, .used = true, .how = how, .value = value };
            return;
        }
}

void model_mfi_like_qemu(struct model_mfi *m)
{
    static const uint32_t untouched[] = { 0x01040300, 0x03030000, 0x05010000,
                                          0x05020000, 0x05030000, 0x05050100 };

    m->posts_polled_frames = m->masking_resets = m->unknown_is_ok = m->qemu_ids = true;
    strcpy(m->package, "2.5+-QEMU");
    for (unsigned i = 0; i < sizeof untouched / sizeof untouched[0]; i++)
        model_mfi_lie(m, untouched[i], MODEL_MFI_UNTOUCHED, 0);
}

void model_mfi_pattern(unsigned target, uint64_t lba, void *buf, size_t bytes)
{
    uint8_t *out = buf;
    uint64_t x = (lba + 1) * 0xd6e8feb86659fd93ull ^ (uint64_t)(target + 1) << 48;

    for (size_t at = 0; at < bytes; at += sizeof x) {
        x ^= x >> 32;
        x *= 0x9fb21c651e98df25ull;
        x ^= x >> 28;
        memcpy(out + at, &x, bytes - at < sizeof x ? bytes - at : sizeof x);
    }
}
