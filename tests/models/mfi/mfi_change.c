#include "mfi_parts.h"

/* DCMDs that change something: done only when the settings say that they may be sent (fact sheet 4.1, 4.5 to
 * 4.9 and 5.5). */

enum { STATUS_STALE = 0x04, STATUS_IN_USE = 0x0b, STATUS_WRONG_PD = 0x26, STATUS_PINNED = 0x54 };
enum { CONFIG_BYTES = 8192, ARRAY_BYTES = 288, LD_BYTES = 256 };
enum { EVENT_PD_STATE = 0x72, EVENT_LD_CREATED = 0x8a, EVENT_LD_DELETED = 0x8b, EVENT_LD_PROPERTIES = 0x12f };

static uint8_t config[CONFIG_BYTES];

/* A reference is an id and the sequence number of the latest answer about it. */
static struct model_mfi_pd *pd_by_ref(struct model_mfi *m, const uint8_t *ref, uint8_t *status)
{
    struct model_mfi_pd *pd = model_mfi_pd_of(m, get16(ref));

    *status = !pd ? STATUS_NO_DEVICE : pd->seq != get16(ref + 2) ? STATUS_STALE : STATUS_OK;
    return pd;
}

static struct model_mfi_ld *ld_by_ref(struct model_mfi *m, const uint8_t *ref, uint8_t *status)
{
    struct model_mfi_ld *ld = model_mfi_ld_of(m, ref[0]);

    *status = !ld ? STATUS_NO_DEVICE : ld->seq != get16(ref + 2) ? STATUS_STALE : STATUS_OK;
    return ld;
}

static bool pinned(const struct model_mfi *m)
{
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++)
        if (m->ld[i].present && m->ld[i].pinned_cache)
            return true;
    return false;
}

static void set_pd_state(struct model_mfi *m, struct model_mfi_pd *pd, uint16_t state)
{
    pd->state = state;
    pd->seq++;
    model_mfi_add_event(m, EVENT_PD_STATE, 0, "PD changed its state");
}

/* ---- virtual drives ---- */
static uint8_t set_ld_properties(struct model_mfi *m, struct model_mfi_command *c)
{
    uint8_t raw[32], status, changed;
    struct model_mfi_ld *ld = ld_by_ref(m, c->raw + 28, &status);

    if (status)
        return status;
    if (c->length != sizeof raw || model_mfi_get(m, c, raw, sizeof raw) != sizeof raw || raw[0] != ld->target)
        return STATUS_BAD_PARAMETER;
    changed = raw[20] ^ ld->default_policy;
    if ((changed & 0x0c && !(m->ld_ops & 1)) || (changed & 0x13 && !(m->ld_ops & 2)) ||
        (changed & 0x60 && !(m->ld_ops & 4)) || (raw[21] != ld->access && !(m->ld_ops & 8)) ||
        (raw[22] != ld->disk_policy && !(m->ld_ops & 16)))
        return STATUS_BAD_PARAMETER;
    memcpy(ld->name, raw + 4, 16);
    ld->default_policy = raw[20];
    ld->access = raw[21];
    ld->disk_policy = raw[22];
    ld->no_bgi = raw[24];
    ld->seq++;
    model_mfi_add_event(m, EVENT_LD_PROPERTIES, 0, "VD has other properties");
    return STATUS_OK;
}

static void delete_ld(struct model_mfi *m, struct model_mfi_ld *ld)
{
    ld->present = false;
    for (unsigned i = 0; i < 4; i++) {
        m->works -= ld->work[i].ns != 0;
        ld->work[i].ns = 0;
    }
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++) {
        struct model_mfi_pd *pd = &m->pd[i];

        if (!pd->present || pd->ld_target != ld->target)
            continue;
        pd->ld_target = 0xff;
        if (pd->state == MODEL_MFI_PD_ONLINE)
            set_pd_state(m, pd, MODEL_MFI_PD_GOOD);
    }
    model_mfi_add_event(m, EVENT_LD_DELETED, 0, "VD is deleted");
}

static uint8_t delete_by_ref(struct model_mfi *m, struct model_mfi_command *c)
{
    uint8_t status;
    struct model_mfi_ld *ld = ld_by_ref(m, c->raw + 28, &status);

    if (status)
        return status;
    if (ld->pinned_cache)
        return STATUS_PINNED;
    delete_ld(m, ld);
    return STATUS_OK;
}

static uint8_t clear_config(struct model_mfi *m, struct model_mfi_command *c)
{
    (void)c;
    if (pinned(m))
        return STATUS_PINNED;
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++)
        if (m->ld[i].present)
            delete_ld(m, &m->ld[i]);
    return STATUS_OK;
}

/* ---- a new virtual drive on one array ---- */
static uint8_t check_members(struct model_mfi *m, const uint8_t *array)
{
    uint8_t status;

    if (!array[8] || array[8] > 32)
        return STATUS_BAD_PARAMETER;
    for (unsigned i = 0; i < array[8]; i++) {
        struct model_mfi_pd *pd = pd_by_ref(m, array + 32 + 8 * i, &status);

        if (status)
            return status;
        if (pd->state != MODEL_MFI_PD_GOOD || pd->foreign || pd->ld_target != 0xff)
            return STATUS_WRONG_PD;
    }
    return STATUS_OK;
}

static unsigned data_drives(const uint8_t *ld)
{
    unsigned spans = ld[37] ? ld[37] : 1, drives = ld[36];

    switch (ld[32]) {
    case 1:
        return spans * drives / 2;
    case 5:
        return spans * (drives - 1);
    case 6:
        return spans * (drives - 2);
    default:
        return spans * drives;
    }
}

static uint8_t make_ld(struct model_mfi *m, const uint8_t *array, const uint8_t *from)
{
    struct model_mfi_ld *ld;
    uint64_t blocks = get64(from + 64 + 8) * data_drives(from);

    if (model_mfi_ld_of(m, from[0]) || !blocks)
        return STATUS_IN_USE;
    ld = model_mfi_add_ld(m, from[0], blocks);
    if (!ld)
        return 0x1a;
    memcpy(ld->name, from + 4, 16);
    ld->default_policy = ld->current_policy = from[20];
    ld->access = from[21];
    ld->disk_policy = from[22];
    ld->no_bgi = from[24];
    ld->primary_level = from[32];
    ld->qualifier = from[33];
    ld->secondary_level = from[34];
    ld->stripe_exponent = from[35];
    ld->drives_per_span = from[36];
    ld->span_depth = from[37];
    ld->consistent = 0;
    for (unsigned i = 0; i < array[8]; i++) {
        struct model_mfi_pd *pd = model_mfi_pd_of(m, get16(array + 32 + 8 * i));

        pd->ld_target = ld->target;
        set_pd_state(m, pd, MODEL_MFI_PD_ONLINE);
    }
    model_mfi_add_event(m, EVENT_LD_CREATED, 0, "VD is created");
    if (from[39])
        model_mfi_start_ld(m, ld, 2, from[39] == 1 ? 5000000000ull : 600000000000ull);
    return STATUS_OK;
}

static uint8_t add_config(struct model_mfi *m, struct model_mfi_command *c)
{
    uint32_t n = (uint32_t)model_mfi_get(m, c, config, sizeof config);
    uint8_t status;

    if (pinned(m))
        return STATUS_PINNED;
    if (n < 32 || get32(config) > n || get16(config + 4) != 1 || get16(config + 6) != ARRAY_BYTES ||
        get16(config + 8) != 1 || get16(config + 10) != LD_BYTES ||
        get32(config) != 32 + ARRAY_BYTES + LD_BYTES)
        return STATUS_BAD_PARAMETER;
    status = check_members(m, config + 32);
    return status ? status : make_ld(m, config + 32, config + 32 + ARRAY_BYTES);
}

/* ---- physical drives ---- */
static uint8_t pd_state(struct model_mfi *m, struct model_mfi_command *c)
{
    uint8_t status;
    struct model_mfi_pd *pd = pd_by_ref(m, c->raw + 28, &status);

    if (!status)
        set_pd_state(m, pd, get16(c->raw + 32));
    return status;
}

static uint8_t rebuild(struct model_mfi *m, struct model_mfi_command *c)
{
    bool begin = get32(c->raw + 24) == 0x02040100;
    uint8_t status;
    struct model_mfi_pd *pd = pd_by_ref(m, c->raw + 28, &status);

    if (status)
        return status;
    if (begin) {
        model_mfi_start_pd(m, pd, 0, m->rebuild_ns ? m->rebuild_ns : 600000000000ull);
    } else if (pd->work[0].ns) {
        pd->work[0].ns = 0;
        m->works--;
        pd->active &= ~1u;
        set_pd_state(m, pd, MODEL_MFI_PD_OFFLINE);
    }
    return STATUS_OK;
}

static uint8_t locate(struct model_mfi *m, struct model_mfi_command *c)
{
    struct model_mfi_pd *pd = model_mfi_pd_of(m, get16(c->raw + 28));

    if (!pd)
        return STATUS_NO_DEVICE;
    pd->locating = get32(c->raw + 24) == 0x02070100;
    return STATUS_OK;
}

static uint8_t spare(struct model_mfi *m, struct model_mfi_command *c)
{
    bool make = get32(c->raw + 24) == 0x04040000;
    uint8_t raw[40], status;
    struct model_mfi_pd *pd;

    if (make && model_mfi_get(m, c, raw, sizeof raw) != sizeof raw)
        return STATUS_BAD_PARAMETER;
    pd = pd_by_ref(m, make ? raw : c->raw + 28, &status);
    if (status)
        return status;
    if (pd->state != (make ? MODEL_MFI_PD_GOOD : MODEL_MFI_PD_SPARE))
        return STATUS_WRONG_PD;
    set_pd_state(m, pd, make ? MODEL_MFI_PD_SPARE : MODEL_MFI_PD_GOOD);
    return STATUS_OK;
}

static uint8_t clear_foreign(struct model_mfi *m, struct model_mfi_command *c)
{
    (void)c;
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++)
        m->pd[i].foreign = false;
    return STATUS_OK;
}

/* ---- the card ---- */
static uint8_t ctrl_properties(struct model_mfi *m, struct model_mfi_command *c)
{
    uint8_t raw[64];

    if (model_mfi_get(m, c, raw, sizeof raw) != sizeof raw)
        return STATUS_BAD_PARAMETER;
    memcpy(m->rates, raw + 8, sizeof m->rates);
    return STATUS_OK;
}

static uint8_t patrol(struct model_mfi *m, struct model_mfi_command *c)
{
    bool begin = get32(c->raw + 24) == 0x01070400;

    if (begin && m->patrol.mode == 2)
        return 0x27;
    m->patrol.state = begin ? 2 : 0;
    return STATUS_OK;
}

static uint8_t learn(struct model_mfi *m, struct model_mfi_command *c)
{
    (void)c;
    if (!m->bbu.type)
        return STATUS_NO_HARDWARE;
    model_mfi_start_learn(m, 3600000000000ull);
    return STATUS_OK;
}

static uint8_t clear_events(struct model_mfi *m, struct model_mfi_command *c)
{
    (void)c;
    m->event_count = 0;
    return STATUS_OK;
}

uint8_t model_mfi_change(struct model_mfi *m, struct model_mfi_command *c)
{
    static const struct {
        uint32_t opcode;
        uint8_t (*change)(struct model_mfi *, struct model_mfi_command *);
    } changes[] = {
        { 0x01020200, ctrl_properties }, { 0x01040200, clear_events },
        { 0x01070400, patrol },          { 0x01070500, patrol },
        { 0x02030100, pd_state },        { 0x02040100, rebuild },
        { 0x02040200, rebuild },         { 0x02070100, locate },
        { 0x02070200, locate },          { 0x03040000, set_ld_properties },
        { 0x03090000, delete_by_ref },   { 0x04020000, add_config },
        { 0x04030000, clear_config },    { 0x04040000, spare },
        { 0x04050000, spare },           { 0x04060500, clear_foreign },
        { 0x05040000, learn },
    };

    for (unsigned i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (changes[i].opcode == get32(c->raw + 24))
            return changes[i].change(m, c);
    return STATUS_BAD_DCMD;
}
