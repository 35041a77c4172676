#include "mfi_parts.h"

/* The structures of fact sheet 4.2 to 4.9, by offset. */

static void text(uint8_t *to, const char *s, unsigned cap)
{
    for (unsigned i = 0; i < cap && s[i]; i++)
        to[i] = (uint8_t)s[i];
}

static void padded(uint8_t *to, const char *s, unsigned cap)
{
    memset(to, ' ', cap);
    text(to, s, cap);
}

static uint64_t sectors(const struct model_mfi_medium *d) { return d->blocks * (d->block_bytes / 512); }

/* ---- SCSI data that several answers carry ---- */
void model_mfi_inquiry(const struct model_mfi_medium *d, unsigned scsi_type, uint8_t to[96])
{
    memset(to, 0, 96);
    to[0] = (uint8_t)scsi_type;
    to[2] = 5;
    to[3] = 2;
    to[4] = 91;
    padded(to + 8, d->vendor, 8);
    padded(to + 16, d->product, 16);
    padded(to + 32, d->revision, 4);
    padded(to + 36, d->serial, 20);
}

unsigned model_mfi_vpd83(const struct model_mfi_medium *d, uint8_t *to)
{
    to[1] = 0x83;
    if (!d->naa)
        return 4;
    put_be(to + 2, 2, 12);
    to[4] = 1; /* binary */
    to[5] = 3; /* NAA, of the logical unit */
    to[7] = 8;
    put_be(to + 8, 8, d->naa);
    return 16;
}

/* ---- the controller ---- */
static unsigned count_lds(const struct model_mfi *m, int state)
{
    unsigned n = 0;

    for (unsigned i = 0; i < MODEL_MFI_LDS; i++)
        n += m->ld[i].present && (state < 0 || m->ld[i].state == state);
    return n;
}

static void put_counts(const struct model_mfi *m, uint8_t *to)
{
    unsigned pds = 0, disks = 0, alerts = 0, failed = 0;

    for (unsigned i = 0; i < MODEL_MFI_PDS; i++) {
        const struct model_mfi_pd *pd = &m->pd[i];

        pds += pd->present;
        disks += pd->present && !pd->scsi_type;
        alerts += pd->present && pd->predictive_failures;
        failed += pd->present && pd->state == MODEL_MFI_PD_FAILED;
    }
    put16(to + 1472, count_lds(m, -1));
    put16(to + 1474, count_lds(m, MODEL_MFI_LD_DEGRADED) + count_lds(m, MODEL_MFI_LD_PARTIAL));
    put16(to + 1476, count_lds(m, MODEL_MFI_LD_OFFLINE));
    put16(to + 1478, pds);
    put16(to + 1480, disks);
    put16(to + 1482, alerts);
    put16(to + 1484, failed);
}

static void put_properties(const struct model_mfi *m, uint8_t *to)
{
    put16(to, 1);
    put16(to + 2, 300);
    memcpy(to + 8, m->rates, sizeof m->rates);
    to[13] = 4;
    to[14] = 2;
    to[15] = 12;
}

uint8_t model_mfi_fill_ctrl_info(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                 uint32_t *n)
{
    (void)mbox;
    (void)cap;
    put16(out, m->vendor_id);
    put16(out + 2, m->device_id);
    put16(out + 4, m->subvendor_id);
    put16(out + 6, m->subdevice_id);
    out[32] = 2;
    out[104] = 2 | 8;
    out[111] = 8;
    put32(out + 180, 1);
    text(out + 184, "APP ", 8);
    text(out + 192, "2.130.403-4660", 32);
    out[1340] = 32;
    out[1341] = 8;
    out[1342] = 128;
    out[1343] = MODEL_MFI_LDS;
    text(out + 1344, m->product, 80);
    text(out + 1424, m->serial, 32);
    put32(out + 1456, m->hw_present | (m->bbu.type ? 1 : 0));
    put16(out + 1464, m->max_cmds);
    put16(out + 1466, m->max_sge);
    put32(out + 1468, m->max_request_sectors);
    put_counts(m, out);
    put16(out + 1488, m->memory_mib);
    put16(out + 1498, m->max_strips_per_io);
    put32(out + 1500, 0x17);
    put32(out + 1504, m->adapter_ops);
    put32(out + 1508, m->ld_ops);
    out[1512] = 4;
    out[1513] = 11;
    put_properties(m, out + 1536);
    text(out + 1600, m->package, 96);
    out[1993] = m->roc_temperature_c;
    out[1994] = m->controller_temperature_c;
    *n = 2048;
    return STATUS_OK;
}

uint8_t model_mfi_fill_ctrl_properties(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                       uint32_t *n)
{
    (void)mbox;
    (void)cap;
    put_properties(m, out);
    *n = 64;
    return STATUS_OK;
}

uint8_t model_mfi_fill_time(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap, uint32_t *n)
{
    (void)m;
    (void)mbox;
    if (cap >= 8) {
        put16(out, 2026);
        out[2] = 6;
        out[3] = 15;
    } else {
        put32(out, 835488000);
    }
    *n = cap < 8 ? cap : 8;
    return STATUS_OK;
}

uint8_t model_mfi_fill_zeros(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                             uint32_t *n)
{
    (void)m;
    (void)mbox;
    (void)out;
    *n = cap;
    return STATUS_OK;
}

/* ---- events ---- */
uint8_t model_mfi_fill_event_info(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                  uint32_t *n)
{
    (void)mbox;
    (void)cap;
    put32(out, m->next_seq ? m->next_seq - 1 : m->boot_seq);
    put32(out + 4, m->event_count ? m->event[0].seq : m->boot_seq);
    put32(out + 8, 0);
    put32(out + 12, 0);
    put32(out + 16, m->boot_seq);
    *n = 20;
    return STATUS_OK;
}

static void put_event(const struct model_mfi_event *e, uint8_t *to)
{
    put32(to, e->seq);
    put32(to + 4, e->time_s);
    put32(to + 8, e->code);
    put32(to + 12, (uint32_t)(uint8_t)e->severity << 24 | e->locale);
    text(to + 128, e->text, 128);
}

/* From a sequence number on, of a class and locale: up to `most` of them; how many. */
static uint32_t put_events(const struct model_mfi *m, const uint8_t *mbox, uint8_t *to, uint32_t most)
{
    uint32_t first = get32(mbox), word = get32(mbox + 4), count = 0;
    int8_t lowest = (int8_t)(word >> 24);

    for (unsigned i = 0; i < m->event_count && count < most; i++) {
        const struct model_mfi_event *e = &m->event[i];

        if (e->seq < first || e->severity < lowest || !(e->locale & word & 0xffff))
            continue;
        put_event(e, to + 256 * count++);
    }
    return count;
}

uint8_t model_mfi_fill_events(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                              uint32_t *n)
{
    uint32_t count = put_events(m, mbox, out + 8, (cap - 8) / 256);

    if (!count)
        return STATUS_NOT_FOUND;
    put32(out, count);
    *n = 8 + 256 * count;
    return STATUS_OK;
}

uint8_t model_mfi_fill_event_wait(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                  uint32_t *n)
{
    (void)cap;
    *n = 256 * put_events(m, mbox, out, 1);
    return *n ? STATUS_OK : STATUS_NOT_FOUND;
}

/* ---- patrol read (FreeBSD's layout) ---- */
uint8_t model_mfi_fill_patrol_status(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                     uint32_t *n)
{
    (void)mbox;
    (void)cap;
    put32(out, m->patrol.iterations);
    out[4] = m->patrol.state;
    out[5] = m->patrol.drives_done;
    *n = 16;
    return STATUS_OK;
}

uint8_t model_mfi_fill_patrol_properties(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                         uint32_t *n)
{
    (void)mbox;
    (void)cap;
    out[0] = m->patrol.mode;
    put32(out + 196, 840000000);
    put32(out + 200, m->patrol.every_s);
    *n = 208;
    return STATUS_OK;
}

/* ---- physical drives ---- */
static uint8_t put_pd_list(const struct model_mfi *m, bool exposed, uint8_t *out, uint32_t *n)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < MODEL_MFI_PDS; i++) {
        const struct model_mfi_pd *pd = &m->pd[m->qemu_ids ? MODEL_MFI_PDS - 1 - i : i];
        uint8_t *to = out + 8 + 24 * count;

        if (!pd->present || (exposed && pd->state != MODEL_MFI_PD_SYSTEM))
            continue;
        put16(to, model_mfi_pd_id(m, pd));
        put16(to + 2, pd->enclosure_id);
        to[4] = pd->enclosure_index;
        to[5] = pd->slot;
        to[6] = pd->scsi_type;
        to[7] = 1;
        put64(to + 8, pd->sas_address);
        count++;
    }
    *n = 8 + 24 * count;
    put32(out, *n);
    put32(out + 4, count);
    return STATUS_OK;
}

uint8_t model_mfi_fill_pd_list(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                               uint32_t *n)
{
    (void)mbox;
    (void)cap;
    return put_pd_list(m, false, out, n);
}

static bool has_system_drives(const struct model_mfi *m)
{
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++)
        if (m->pd[i].present && m->pd[i].state == MODEL_MFI_PD_SYSTEM)
            return true;
    return false;
}

uint8_t model_mfi_fill_pd_query(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                uint32_t *n)
{
    (void)cap;
    if (mbox[0] > 5)
        return STATUS_BAD_PARAMETER;
    if (m->qemu_ids && mbox[0] && !has_system_drives(m)) {
        *n = 0;
        return STATUS_OK; /* 5.4, facts 13 and 14 */
    }
    if (m->qemu_ids)
        return put_pd_list(m, false, out, n);
    return put_pd_list(m, mbox[0] == 5, out, n);
}

static void put_pd_identity(const struct model_mfi_pd *pd, uint8_t *out)
{
    model_mfi_inquiry(&pd->medium, pd->scsi_type, out + 4);
    model_mfi_vpd83(&pd->medium, out + 100);
    put16(out + 184, pd->state);
    put16(out + 188,
          (uint32_t)pd->interface_type << 12 | (pd->foreign ? 16 : 0) | (pd->ld_target != 0xff ? 2 : 0));
}

uint8_t model_mfi_fill_pd_info(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                               uint32_t *n)
{
    const struct model_mfi_pd *pd = model_mfi_pd_of(m, get16(mbox));

    (void)cap;
    if (!pd)
        return STATUS_NO_DEVICE;
    put16(out, get16(mbox));
    put16(out + 2, pd->seq);
    if (m->qemu_ids) {
        out[4] = 0x7f; /* 5.4, fact 16 */
        put16(out + 184, MODEL_MFI_PD_OFFLINE);
    } else {
        put_pd_identity(pd, out);
    }
    out[165] = pd->scsi_type;
    out[167] = pd->speed;
    put32(out + 168, pd->media_errors);
    put32(out + 172, pd->other_errors);
    put32(out + 176, pd->predictive_failures);
    out[187] = pd->link_speed;
    put64(out + 200, pd->sas_address);
    for (unsigned i = 0; i < 3; i++) {
        put64(out + 232 + 8 * i, sectors(&pd->medium));
        put16(out + 264 + 4 * i, pd->progress[i]);
        put16(out + 266 + 4 * i, pd->elapsed_s[i]);
    }
    put16(out + 256, pd->enclosure_id);
    out[258] = pd->enclosure_index;
    out[259] = pd->slot;
    put32(out + 260, pd->active);
    out[370] = pd->media_type;
    out[401] = pd->interface_type;
    out[402] = pd->temperature_c;
    put16(out + 404, pd->medium.block_bytes);
    put32(out + 408, 0x20u | (pd->write_cache ? 0x40u : 0));
    *n = 512;
    return STATUS_OK;
}

/* ---- virtual drives ---- */
uint8_t model_mfi_fill_ld_list(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                               uint32_t *n)
{
    uint32_t count = 0;

    (void)mbox;
    (void)cap;
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++) {
        const struct model_mfi_ld *ld = &m->ld[m->qemu_ids ? MODEL_MFI_LDS - 1 - i : i];
        uint8_t *to = out + 8 + 16 * count;

        if (!ld->present)
            continue;
        to[0] = ld->target;
        put16(to + 2, ld->seq);
        to[4] = ld->state;
        put64(to + 8, sectors(&ld->medium));
        count++;
    }
    put32(out, count);
    *n = 8 + 16 * MODEL_MFI_LDS;
    return STATUS_OK;
}

uint8_t model_mfi_fill_ld_query(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                uint32_t *n)
{
    uint32_t count = 0;

    (void)cap;
    if (mbox[0] > 2)
        return STATUS_BAD_PARAMETER;
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++)
        if (m->ld[i].present)
            out[11 + count++] = m->qemu_ids ? 0 : m->ld[i].target;
    *n = 11 + count;
    put32(out, *n);
    put32(out + 4, count);
    return STATUS_OK;
}

static void put_ld_properties(const struct model_mfi *m, const struct model_mfi_ld *ld, uint8_t *to)
{
    to[0] = ld->target;
    put16(to + 2, ld->seq);
    text(to + 4, ld->name, 16);
    to[20] = ld->default_policy;
    to[21] = ld->access;
    to[22] = ld->disk_policy;
    to[23] = model_mfi_current_policy(m, ld);
    to[24] = ld->no_bgi;
}

/* A virtual drive has an array per span; the first one's reference is the target id. */
static unsigned spans_of(const struct model_mfi_ld *ld)
{
    return !ld->span_depth ? 1 : ld->span_depth > 8 ? 8 : ld->span_depth;
}

static uint16_t array_reference(const struct model_mfi_ld *ld, unsigned span)
{
    return (uint16_t)(ld->target | span << 8);
}

static void put_ld_config(const struct model_mfi *m, const struct model_mfi_ld *ld, uint8_t *to)
{
    put_ld_properties(m, ld, to);
    to[32] = ld->primary_level;
    to[33] = ld->qualifier;
    to[34] = ld->secondary_level;
    to[35] = ld->stripe_exponent;
    to[36] = ld->drives_per_span;
    to[37] = ld->span_depth;
    to[38] = ld->state;
    to[40] = ld->consistent;
    for (unsigned i = 0; i < ld->span_depth && i < 8; i++) {
        put64(to + 64 + 24 * i + 8, sectors(&ld->medium) / (ld->span_depth ? ld->span_depth : 1));
        put16(to + 64 + 24 * i + 16, array_reference(ld, i));
    }
}

uint8_t model_mfi_fill_ld_info(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                               uint32_t *n)
{
    const struct model_mfi_ld *ld = model_mfi_ld_of(m, mbox[0]);

    (void)cap;
    if (!ld)
        return STATUS_NO_DEVICE;
    put_ld_config(m, ld, out);
    put64(out + 256, sectors(&ld->medium));
    put32(out + 264, ld->active);
    for (unsigned i = 0; i < 4; i++) {
        put16(out + 268 + 4 * i, ld->progress[i]);
        put16(out + 270 + 4 * i, ld->elapsed_s[i]);
    }
    model_mfi_vpd83(&ld->medium, out + 304);
    *n = 384;
    return STATUS_OK;
}

uint8_t model_mfi_fill_ld_properties(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                     uint32_t *n)
{
    const struct model_mfi_ld *ld = model_mfi_ld_of(m, mbox[0]);

    (void)cap;
    if (!ld)
        return STATUS_NO_DEVICE;
    put_ld_properties(m, ld, out);
    *n = 32;
    return STATUS_OK;
}

/* ---- the configuration ---- */
/* Drives of a span in the order of the model's list; of several spans each has drives_per_span rows, and one
 * without a drive is FFFFh. */
static void put_array(const struct model_mfi *m, const struct model_mfi_ld *ld, unsigned span, uint8_t *to)
{
    const bool spanned = spans_of(ld) > 1;
    unsigned rows = 0, skip = spanned ? span * ld->drives_per_span : 0;
    const unsigned most = spanned && ld->drives_per_span < 32 ? ld->drives_per_span : 32;
    uint64_t smallest = UINT64_MAX;

    for (unsigned i = 0; i < MODEL_MFI_PDS && rows < most; i++) {
        const struct model_mfi_pd *pd = &m->pd[i];
        uint8_t *row = to + 32 + 8 * rows;

        if (pd->ld_target != ld->target || (!pd->present && !(spanned && pd->device_id)))
            continue;
        if (skip) {
            skip--;
            continue;
        }
        put16(row, pd->present ? pd->device_id : 0xffff);
        put16(row + 2, pd->seq);
        put16(row + 4, pd->state);
        row[6] = pd->enclosure_index;
        row[7] = pd->slot;
        if (sectors(&pd->medium) < smallest)
            smallest = sectors(&pd->medium);
        rows++;
    }
    put64(to, rows ? smallest : 0);
    to[8] = (uint8_t)rows;
    put16(to + 10, array_reference(ld, span));
}

uint8_t model_mfi_fill_config(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                              uint32_t *n)
{
    uint32_t lds = 0, arrays = 0, total, a = 0, k = 0;

    (void)mbox;
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++)
        if (m->ld[i].present) {
            lds++;
            arrays += spans_of(&m->ld[i]);
        }
    total = 32 + arrays * 288 + lds * 256;
    put32(out, total);
    put16(out + 6, 288);
    put16(out + 10, 256);
    put16(out + 14, 40);
    put16(out + 4, arrays);
    put16(out + 8, lds);
    if (cap < total) {
        *n = 32; /* the header says how much is wanted */
        return STATUS_OK;
    }
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++) {
        if (!m->ld[i].present)
            continue;
        for (unsigned span = 0; span < spans_of(&m->ld[i]); span++)
            put_array(m, &m->ld[i], span, out + 32 + 288 * a++);
        put_ld_config(m, &m->ld[i], out + 32 + 288 * arrays + 256 * k++);
    }
    *n = total;
    return STATUS_OK;
}

/* ---- battery ---- */
uint8_t model_mfi_fill_bbu_status(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                  uint32_t *n)
{
    (void)mbox;
    (void)cap;
    if (!m->bbu.type)
        return STATUS_NO_HARDWARE;
    out[0] = m->bbu.type;
    put16(out + 2, m->bbu.millivolts);
    put16(out + 4, (uint16_t)m->bbu.milliamperes);
    put16(out + 6, m->bbu.temperature_c);
    put32(out + 8, m->bbu.fw_status);
    put16(out + 32, 0x80);
    put16(out + 34, m->bbu.charge_percent);
    if (m->bbu.type == 1) { /* iBBU */
        put16(out + 36, 1);
        put16(out + 40, 250);
        put16(out + 42, m->bbu.charge_percent);
        put16(out + 44, 2);
    } else {
        put16(out + 38, 15u * m->bbu.charge_percent);
        put16(out + 40, 1700);
        out[42] = m->bbu.healthy;
    }
    *n = 64;
    return STATUS_OK;
}

uint8_t model_mfi_fill_bbu_capacity(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                    uint32_t *n)
{
    (void)mbox;
    (void)cap;
    if (!m->bbu.type)
        return STATUS_NO_HARDWARE;
    put16(out, m->bbu.charge_percent);
    put16(out + 2, m->bbu.charge_percent);
    put16(out + 4, 1500);
    put16(out + 6, 1700);
    put16(out + 14, m->bbu.cycles);
    *n = 48;
    return STATUS_OK;
}

uint8_t model_mfi_fill_bbu_design(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                  uint32_t *n)
{
    (void)mbox;
    (void)cap;
    if (!m->bbu.type)
        return STATUS_NO_HARDWARE;
    put32(out, 30u << 9 | 6u << 5 | 15u);
    put16(out + 4, 1700);
    put16(out + 6, 3700);
    text(out + 14, "LS1121001A", 12);
    text(out + 26, "3150301", 8);
    text(out + 34, "LION", 8);
    *n = 67;
    return STATUS_OK;
}

uint8_t model_mfi_fill_bbu_properties(struct model_mfi *m, const uint8_t *mbox, uint8_t *out, uint32_t cap,
                                      uint32_t *n)
{
    (void)mbox;
    (void)cap;
    if (!m->bbu.type)
        return STATUS_NO_HARDWARE;
    put32(out, 90u * 86400);
    put32(out + 4, 840000000);
    *n = 32;
    return STATUS_OK;
}
