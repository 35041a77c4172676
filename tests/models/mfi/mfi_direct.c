#include "mfi_parts.h"

/* DCMDs: which there are, how large their buffers must be, which may not be sent (fact sheet 4.1). */

enum { ANSWER_BYTES = 16384, OPCODE_EVENT_WAIT = 0x01040500 };

struct dcmd {
    uint32_t opcode, min_bytes, max_bytes; /* of the buffer; 0, 0: no data; max 0: any */
    model_mfi_fill *fill;                  /* NULL with min 1: forbidden */
    const char *name;
};
#define FORBIDDEN UINT32_MAX
static const struct dcmd dcmds[] = {
    { 0x01010000, 2048, 0, model_mfi_fill_ctrl_info, "controller info" },
    { 0x01020100, 64, 64, model_mfi_fill_ctrl_properties, "controller properties" },
    { 0x01030100, 1, 0, model_mfi_fill_zeros, "alarm state" },
    { 0x01040100, 20, 0, model_mfi_fill_event_info, "event info" },
    { 0x01040300, 264, 0, model_mfi_fill_events, "event get" },
    { 0x01040500, 256, 0, model_mfi_fill_event_wait, "event wait" },
    { 0x01070100, 16, 0, model_mfi_fill_patrol_status, "patrol read status" },
    { 0x01070200, 208, 0, model_mfi_fill_patrol_properties, "patrol read properties" },
    { 0x01080101, 8, 0, model_mfi_fill_time, "time" },
    { 0x01080201, 4, 0, model_mfi_fill_time, "time in seconds" },
    { 0x010c0100, 64, 0, model_mfi_fill_zeros, "BIOS data" },
    { 0x010e0201, 64, 0, model_mfi_fill_zeros, "manufacturing defaults" },
    { 0x01101000, 0, 0, NULL, "cache flush" },
    { 0x02010000, 32, 0, model_mfi_fill_pd_list, "PD list" },
    { 0x02010100, 32, 0, model_mfi_fill_pd_query, "PD query" },
    { 0x02020000, 512, 0, model_mfi_fill_pd_info, "PD info" },
    { 0x03010000, 8, 1032, model_mfi_fill_ld_list, "LD list" },
    { 0x03010100, 11, 0, model_mfi_fill_ld_query, "LD query" },
    { 0x03020000, 384, 0, model_mfi_fill_ld_info, "LD info" },
    { 0x03030000, 32, 0, model_mfi_fill_ld_properties, "LD properties" },
    { 0x04010000, 32, 0, model_mfi_fill_config, "configuration" },
    { 0x04060100, 4, 0, model_mfi_fill_zeros, "foreign configurations" },
    { 0x05010000, 64, 0, model_mfi_fill_bbu_status, "BBU status" },
    { 0x05020000, 48, 0, model_mfi_fill_bbu_capacity, "BBU capacity" },
    { 0x05030000, 67, 0, model_mfi_fill_bbu_design, "BBU design" },
    { 0x05050100, 32, 0, model_mfi_fill_bbu_properties, "BBU properties" },

    { 0x01020200, FORBIDDEN, 0, NULL, "set controller properties" },
    { 0x01030200, FORBIDDEN, 0, NULL, "alarm on" },
    { 0x01030300, FORBIDDEN, 0, NULL, "alarm off" },
    { 0x01030400, FORBIDDEN, 0, NULL, "alarm silence" },
    { 0x01030500, FORBIDDEN, 0, NULL, "alarm test" },
    { 0x01040200, FORBIDDEN, 0, NULL, "clear events" },
    { 0x01050000, FORBIDDEN, 0, NULL, "controller shutdown" },
    { 0x01060000, FORBIDDEN, 0, NULL, "hibernate" },
    { 0x01070300, FORBIDDEN, 0, NULL, "set patrol read" },
    { 0x01070400, FORBIDDEN, 0, NULL, "start patrol read" },
    { 0x01070500, FORBIDDEN, 0, NULL, "stop patrol read" },
    { 0x01080102, FORBIDDEN, 0, NULL, "set time" },
    { 0x010c0200, FORBIDDEN, 0, NULL, "set BIOS data" },
    { 0x010d0000, FORBIDDEN, 0, NULL, "factory defaults" },
    { 0x010e0202, FORBIDDEN, 0, NULL, "set manufacturing defaults" },
    { 0x02030100, FORBIDDEN, 0, NULL, "set PD state" },
    { 0x02040100, FORBIDDEN, 0, NULL, "start rebuild" },
    { 0x02040200, FORBIDDEN, 0, NULL, "abort rebuild" },
    { 0x02050100, FORBIDDEN, 0, NULL, "clear PD" },
    { 0x02050200, FORBIDDEN, 0, NULL, "abort clear PD" },
    { 0x02070100, FORBIDDEN, 0, NULL, "locate LED on" },
    { 0x02070200, FORBIDDEN, 0, NULL, "locate LED off" },
    { 0x03040000, FORBIDDEN, 0, NULL, "set LD properties" },
    { 0x03060100, FORBIDDEN, 0, NULL, "initialise LD" },
    { 0x03090000, FORBIDDEN, 0, NULL, "delete LD" },
    { 0x04020000, FORBIDDEN, 0, NULL, "add configuration" },
    { 0x04030000, FORBIDDEN, 0, NULL, "clear configuration" },
    { 0x04040000, FORBIDDEN, 0, NULL, "make spare" },
    { 0x04050000, FORBIDDEN, 0, NULL, "remove spare" },
    { 0x04060400, FORBIDDEN, 0, NULL, "import foreign configuration" },
    { 0x04060500, FORBIDDEN, 0, NULL, "clear foreign configuration" },
    { 0x05040000, FORBIDDEN, 0, NULL, "learn cycle" },
    { 0x05050200, FORBIDDEN, 0, NULL, "set BBU properties" },
    { 0x08010200, FORBIDDEN, 0, NULL, "cluster reset" },
};

static uint8_t out[ANSWER_BYTES];

static const struct dcmd *find(uint32_t opcode)
{
    for (unsigned i = 0; i < sizeof dcmds / sizeof dcmds[0]; i++)
        if (dcmds[i].opcode == opcode)
            return &dcmds[i];
    return NULL;
}

static void note(struct model_mfi *m, uint32_t opcode)
{
    m->seen.dcmds++;
    m->seen.last_opcode = opcode;
    for (unsigned i = 0; i < m->seen.opcode_count; i++)
        if (m->seen.opcodes[i] == opcode)
            return;
    if (m->seen.opcode_count < sizeof m->seen.opcodes / sizeof m->seen.opcodes[0])
        m->seen.opcodes[m->seen.opcode_count++] = opcode;
}

/* What a lie leaves of the answer. */
static uint32_t apply_lie(const struct model_mfi_lie *lie, uint32_t n, uint32_t cap)
{
    if (!lie)
        return n;
    switch (lie->how) {
    case MODEL_MFI_UNTOUCHED:
        return 0;
    case MODEL_MFI_ONES:
        memset(out, 0xff, cap);
        return cap;
    case MODEL_MFI_SHORT:
        return n < lie->value ? n : (uint32_t)lie->value;
    case MODEL_MFI_BYTE:
        if (lie->value >> 8 < n)
            out[lie->value >> 8] = (uint8_t)lie->value;
        return n;
    default:
        return n;
    }
}

static bool may(const struct model_mfi *m, uint32_t opcode)
{
    return m->may_change || (m->may_locate && (opcode == 0x02070100 || opcode == 0x02070200));
}

/* The status; the answer, when there is one, in out. */
static uint8_t ask(struct model_mfi *m, struct model_mfi_command *c, uint32_t cap, uint32_t *n)
{
    uint32_t opcode = get32(c->raw + 24);
    const struct dcmd *d = find(opcode);
    bool query = opcode == 0x02010100 || opcode == 0x03010100;

    if (!d || (query && m->queries_unknown))
        return m->unknown_is_ok ? STATUS_OK : STATUS_BAD_DCMD;
    if (d->min_bytes == FORBIDDEN && may(m, opcode))
        return model_mfi_change(m, c);
    if (d->min_bytes == FORBIDDEN) {
        m->seen.refused_writes++;
        model_mfi_violation(m, d->name, opcode, 0);
        return STATUS_WRONG_STATE;
    }
    if (opcode == 0x01101000) {
        m->seen.flushes++;
        if (!(c->raw[28] & 1))
            model_mfi_violation(m, "a cache flush that names no cache", c->raw[28], 1);
        const struct medium_fault *f = model_mfi_flush(m);
        if (f)
            return f->arg ? (uint8_t)f->arg : STATUS_FLUSH_FAILED;
    }
    if (!d->fill)
        return STATUS_OK;
    if (c->length < d->min_bytes || (d->max_bytes && c->length > d->max_bytes))
        return STATUS_BAD_PARAMETER;
    return d->fill(m, c->raw + 28, out, cap, n);
}

static void answer(struct model_mfi *m, struct model_mfi_command *c, uint32_t cap, uint32_t *n,
                   struct model_mfi_outcome *o)
{
    const struct model_mfi_lie *lie = model_mfi_lie_for(m, get32(c->raw + 24));

    if (lie && lie->how == MODEL_MFI_STATUS) {
        o->status = (uint8_t)lie->value;
        return;
    }
    o->status = ask(m, c, cap, n);
    if (*n > cap)
        *n = cap;
    if (!lie || lie->how == MODEL_MFI_DELAY)
        return;
    o->status = STATUS_OK;
    *n = apply_lie(lie, *n, cap);
}

void model_mfi_run_dcmd(struct model_mfi *m, struct model_mfi_command *c, struct model_mfi_outcome *o)
{
    uint32_t opcode = get32(c->raw + 24), n = 0;
    uint32_t cap = c->length < ANSWER_BYTES ? c->length : ANSWER_BYTES;

    note(m, opcode);
    memset(out, 0, sizeof out);
    answer(m, c, cap, &n, o);
    if (m->edit)
        m->edit(m, opcode, out, cap, &n, &o->status);
    if (n && (!o->status || m->edit) && !model_mfi_put(m, c, out, n < cap ? n : cap))
        o->status = STATUS_BAD_PARAMETER;
}
