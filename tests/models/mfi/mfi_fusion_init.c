#include "mfi_parts.h"

/* INIT of a fusion card: an MFI frame that carries the IOC-init message (fact sheet 6.1 and 6.2). */

enum { MESSAGE_BYTES = 72, CAPABILITY_64_BIT = 1 << 13 };

static const struct {
    uint8_t at, bytes, want, or_want;
    const char *what;
} fixed[] = {
    { 0, 1, 4, 4, "IOC init: who asks is not the host driver" },
    { 3, 1, 2, 2, "IOC init: function" },
    { 7, 1, 0, 0, "IOC init: message flags" },
    { 22, 1, 12, 0, "IOC init: host page shift" },
    { 23, 1, 0, 0, "IOC init: MSI-X vectors" },
    { 26, 2, 64, 64, "IOC init: length of a request in dwords" },
    { 30, 2, 0, 0, "IOC init: depth of the free queue" },
    { 56, 4, 0, 0, "IOC init: free queue address" },
    { 60, 4, 0, 0, "IOC init: free queue address" },
};

static void check_message(struct model_mfi *m, const uint8_t *message)
{
    for (unsigned i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        const uint8_t *p = message + fixed[i].at;
        uint32_t got = fixed[i].bytes == 1 ? *p : fixed[i].bytes == 2 ? get16(p) : get32(p);

        if (got != fixed[i].want && got != fixed[i].or_want)
            model_mfi_violation(m, fixed[i].what, got, fixed[i].want);
    }
    if (get16(message + 12) != 0x0200)
        model_mfi_violation(m, "IOC init: message version", get16(message + 12), 0x0200);
    if (get16(message + 14) != 0x1000)
        model_mfi_violation(m, "IOC init: header version", get16(message + 14), 0x1000);
}

static void check_window(struct model_mfi *m, const char *what, uint64_t address, uint64_t bytes,
                         uint32_t capabilities)
{
    const struct model_mfi_row *row = model_mfi_row(m);
    uint64_t last = address + bytes - 1;

    if (!address)
        model_mfi_violation(m, what, address, 1);
    else if (address >> 32 != last >> 32)
        model_mfi_violation(m, "IOC init: memory lies across a 4 GiB line", address, last);
    else if (last >> 32 && row->only_32_bit && !m->dma64)
        model_mfi_violation(m, "IOC init: memory above 4 GiB", last, 0xffffffff);
    else if (last >> 32 && !row->only_32_bit && !(capabilities & CAPABILITY_64_BIT))
        model_mfi_violation(m, "IOC init: memory above 4 GiB, which the capability word does not say", last,
                            capabilities);
}

static void check_frame(struct model_mfi *m, const struct model_mfi_command *c)
{
    if (c->length != MESSAGE_BYTES)
        model_mfi_violation(m, "INIT: length of the IOC-init message", c->length, MESSAGE_BYTES);
    if (get16(c->raw + 18))
        model_mfi_violation(m, "INIT: reply queue mask", get16(c->raw + 18), 0);
    if (get64(c->raw + 32))
        model_mfi_violation(m, "INIT: an old queue", get64(c->raw + 32), 0);
    if (m->omsk != 0xffffffff)
        model_mfi_violation(m, "INIT with interrupts unmasked", m->omsk, 0xffffffff);
    if (model_mfi_now_ns(m) < m->busy_until_ns)
        model_mfi_violation(m, "INIT while the doorbell is busy", 1, 0);
}

/* False: the ring is not all ours. */
static bool check_ring(struct model_mfi *m, uint64_t ring, uint32_t depth)
{
    uint8_t slot[8];
    bool said = false;

    for (uint32_t i = 0; i < depth; i++) {
        if (!m->host.dma_read(m->host.ctx, ring + 8ull * i, slot, sizeof slot))
            return false;
        if (get64(slot) != UINT64_MAX && !said) {
            model_mfi_violation(m, "INIT: the reply ring is not all ones", get64(slot), UINT64_MAX);
            said = true;
        }
    }
    return true;
}

uint8_t model_mfi_fusion_init(struct model_mfi *m, const struct model_mfi_command *c)
{
    uint8_t message[MESSAGE_BYTES];
    uint32_t capabilities = get32(c->raw + 4), depth;
    uint64_t pool, ring;

    if (m->init_status)
        return m->init_status;
    check_frame(m, c);
    check_window(m, "INIT: no IOC-init message", get64(c->raw + 24), MESSAGE_BYTES, capabilities);
    if (!m->host.dma_read(m->host.ctx, get64(c->raw + 24), message, sizeof message))
        return STATUS_BAD_PARAMETER;
    check_message(m, message);
    depth = get16(message + 28);
    pool = get64(message + 40);
    ring = get64(message + 48);
    if (!depth || depth % 16) {
        model_mfi_violation(m, "IOC init: the reply depth is no multiple of 16", depth, (depth + 15) & ~15u);
        return STATUS_BAD_PARAMETER;
    }
    check_window(m, "IOC init: no request pool", pool, 512, capabilities);
    check_window(m, "IOC init: no reply ring", ring, 8ull * depth, capabilities);
    if (get32(message + 32))
        check_window(m, "IOC init: no sense pool", (uint64_t)get32(message + 32) << 32, 1, capabilities);
    if (pool % 16 || ring % 16)
        model_mfi_violation(m, "IOC init: request pool and reply ring lie on 16 bytes", pool, ring);
    if (!check_ring(m, ring, depth))
        return STATUS_BAD_PARAMETER;
    memset(&m->fusion, 0, sizeof m->fusion);
    m->fusion.pool = pool;
    m->fusion.ring = ring;
    m->fusion.depth = depth;
    m->fusion.sense_high = get32(message + 32);
    m->seen.capabilities = capabilities;
    m->operational = true;
    m->state = MODEL_MFI_OPERATIONAL;
    m->step_end_ns = MODEL_MFI_NEVER;
    m->seen.inits++;
    return STATUS_OK;
}
