#include "mfi_internal.h"
#include "str.h"

enum { SCSI_TYPE_DISK = 0, SCSI_TYPE_ENCLOSURE = 0x0d, SERIAL_AT = 36, SERIAL_BYTES = 20 };

static const struct state_row {
    uint16_t state;
    int level; /* of a remark, or -1: none */
    const char *words, *advice;
} states[] = {
    { PD_UNCONFIGURED_GOOD, -1, "unconfigured",
      "not in use: make a virtual drive of it (or JBOD, where the card can)" },
    { PD_UNCONFIGURED_BAD, REMARK_FAIL, "unconfigured and bad", "the firmware has given it up: replace it" },
    { PD_HOT_SPARE, -1, "hot spare", "waits for a drive to fail" },
    { PD_OFFLINE, REMARK_WARN, "offline", "member of a virtual drive, taken out of it" },
    { PD_FAILED, REMARK_FAIL, "failed", "member of a virtual drive: replace it" },
    { PD_REBUILD, REMARK_WARN, "rebuilding", "member of a virtual drive: figures are not comparable" },
    { PD_ONLINE, -1, "online", "member of a virtual drive" },
    { PD_COPYBACK, REMARK_WARN, "copying back", "figures are not comparable" },
    { PD_SYSTEM, -1, "JBOD", "exposed to the host" },
};
static const struct state_row unknown_state = { 0xffff, -1, "in an unknown state",
                                                "not exposed to the host" };

static const struct state_row *row_of(uint16_t state)
{
    for (unsigned i = 0; i < ARRAY_COUNT(states); i++)
        if (states[i].state == state)
            return &states[i];
    return &unknown_state;
}

/* ---- lists ---- */
/* Asks with a buffer for `room` drives, more while the firmware has more, up to MFI_MAX_PDS. */
static int read_list(struct mfi_card *card, const struct mfi_op *op, struct mfi_mbox mbox,
                     struct mfi_pd_list *l)
{
    for (uint32_t room = MFI_FIRST_PDS;; room *= 2) {
        uint32_t bytes = 8 + room * (uint32_t)sizeof l->entry[0];
        int rc = mfi_dcmd(card, op, mbox, l, bytes);

        if (rc || room == MFI_MAX_PDS || (l->count <= room && l->used_bytes <= bytes))
            return rc;
    }
}

static unsigned list_count(const struct mfi_pd_list *l) { return (unsigned)min_u64(l->count, MFI_MAX_PDS); }

static bool is_exposed(const struct mfi_card *card, uint16_t device_id)
{
    for (unsigned i = 0; i < list_count(&card->exposed); i++)
        if (card->exposed.entry[i].device_id == device_id)
            return true;
    return false;
}

/* Exposed drives by their own query; a firmware that does not know it (or answers without data, as QEMU does
 * without JBOD: facts/mfi.md 5.4, facts 13 and 14) leaves the drive's state to say so. */
static int read_lists(struct mfi_card *card)
{
    const struct mfi_mbox exposed = { { MFI_PD_QUERY_EXPOSED } };
    int rc = read_list(card, &MFI_PD_GET_LIST, (struct mfi_mbox){ { 0 } }, &card->pds);

    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc) {
        memset(&card->pds, 0, sizeof card->pds);
        controller_remark(&card->c, REMARK_WARN, "list of physical drives: %s",
                          rc == E_UNSUPPORTED ? "not reported by this controller"
                                              : mfi_status_text(card->command_status));
    }
    if (card->pds.count > MFI_MAX_PDS)
        controller_remark(&card->c, REMARK_WARN,
                          "the firmware counts %u physical drives in a list of %u: the rest is NOT-TESTED",
                          card->pds.count, (unsigned)MFI_MAX_PDS);
    if (card->gen->no_pd_query || read_list(card, &MFI_PD_QUERY, exposed, &card->exposed))
        memset(&card->exposed, 0, sizeof card->exposed);
    return card->c.fault.err;
}

/* ---- one drive ---- */
static void take_inquiry(struct disk *d, const struct mfi_inquiry *q)
{
    str_fmt(d->model, sizeof d->model, "%s%s%s", q->vendor, q->vendor[0] ? " " : "", q->product);
    str_copy(d->firmware, sizeof d->firmware, q->revision);
}

/* What the firmware knows of a drive; zeroed (state unknown) when the answer is about another one, as it is
 * from QEMU for ids above 255 (5.4, fact 16). */
static int read_info(struct mfi_card *card, const struct mfi_pd_entry *e, struct mfi_pd_info *info)
{
    const struct mfi_mbox of_drive = { { e->device_id } };
    int rc = mfi_dcmd(card, &MFI_PD_GET_INFO, of_drive, info, sizeof *info);

    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc || info->device_id != e->device_id) {
        memset(info, 0, sizeof *info);
        info->state = unknown_state.state;
    }
    return OK;
}

static void where_words(const struct mfi_pd_entry *e, struct text *out)
{
    if (e->enclosure_id == MFI_PD_NO_ENCLOSURE)
        text_fmt(out, "slot %u", e->slot);
    else
        text_fmt(out, "enclosure %u slot %u", e->enclosure_id, e->slot);
}

static uint32_t link_mb_per_s(uint8_t code)
{
    static const uint16_t rates[] = { 0, 150, 300, 600, 1200 };

    return code < ARRAY_COUNT(rates) ? rates[code] : 0;
}

static const char *interface_words(const struct mfi_pd_info *info)
{
    static const char *const words[] = { "", "SCSI", "SAS", "SATA", "FC", "NVMe" };
    unsigned code = info->interface ? info->interface : (unsigned)FIELD_GET(PD_DDF_INTERFACE, info->ddf);

    return code < ARRAY_COUNT(words) ? words[code] : "";
}

static void take_works(struct raid_works *w, const struct mfi_pd_info *info)
{
    static const enum raid_work kinds[] = { RAID_WORK_REBUILD, RAID_WORK_PATROL, RAID_WORK_CLEAR };
    const struct mfi_progress *p[] = { &info->rebuild, &info->patrol, &info->clear };

    *w = (struct raid_works){ 0 };
    for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++)
        if (info->active & BIT_(i)) {
            w->active |= 1u << kinds[i];
            w->percent[kinds[i]] = mfi_percent(*p[i]);
        }
    if (info->state == PD_REBUILD || info->state == PD_COPYBACK)
        w->active |= 1u << RAID_WORK_REBUILD;
}

/* The firmware's view as plain values; all but the place is unknown where it told nothing. */
static void take_values(const struct mfi_card *card, struct raid_drive *pd, const struct mfi_pd_entry *e,
                        const struct mfi_pd_info *info)
{
    const bool told = info->state != unknown_state.state;

    pd->device_id = e->device_id;
    pd->enclosure_id = e->enclosure_id;
    pd->enclosure_index = e->enclosure_index;
    pd->slot = e->slot;
    pd->raw_state = info->state;
    /* QEMU's drives are always "offline" (5.4, fact 16). */
    str_copy(pd->state, sizeof pd->state, card->qemu ? "not told" : row_of(info->state)->words);
    pd->foreign = info->ddf & PD_DDF_FOREIGN;
    pd->size_bytes = (info->coerced_sectors ? info->coerced_sectors : info->raw_sectors) * 512;
    pd->wwn = e->sas_address[0];
    pd->media_errors = info->media_errors;
    pd->other_errors = info->other_errors;
    pd->predictive_failures = info->predictive_failures;
    pd->temperature_c = mfi_temperature(info->temperature_c);
    str_copy(pd->interface, sizeof pd->interface, interface_words(info));
    pd->link_mb_per_s = link_mb_per_s(info->link_speed);
    pd->max_link_mb_per_s = link_mb_per_s(info->speed);
    pd->write_cache = !told || !info->properties ? RAID_UNKNOWN : !!(info->properties & PD_WRITE_CACHE);
    take_works(&pd->works, info);
}

static void settings_words(struct mfi_disk *m)
{
    const struct raid_drive *pd = &m->pd;
    struct text t = text_over(m->d.settings, sizeof m->d.settings);

    text_str(&t, pd->state);
    if (pd->interface[0])
        text_fmt(&t, ", %s", pd->interface);
    if (pd->link_mb_per_s)
        text_fmt(&t, ", link %u MB/s", pd->link_mb_per_s);
    if (pd->write_cache != RAID_UNKNOWN)
        text_fmt(&t, ", write cache %s", pd->write_cache ? "on" : "off");
}

static void health(struct mfi_card *card, const struct mfi_pd_entry *e, const struct disk *d,
                   const struct mfi_pd_info *info)
{
    const struct state_row *row = row_of(info->state);
    char where_text[40];
    struct text where = text_over(where_text, sizeof where_text);

    where_words(e, &where);
    if (row->level >= 0 && !(card->qemu && info->state == PD_OFFLINE))
        controller_remark(&card->c, row->level, "%s (%s, %s): %s: %s", d->name, where_text, d->model,
                          row->words, row->advice);
    if (info->predictive_failures)
        controller_remark(&card->c, REMARK_FAIL, "%s (%s, %s): predicts its own failure: replace it", d->name,
                          where_text, d->model);
    if (info->ddf & PD_DDF_FOREIGN)
        controller_remark(
            &card->c, REMARK_WARN,
            "%s (%s, %s): carries the configuration of another card (foreign): import or clear it in the "
            "card's setup",
            d->name, where_text, d->model);
    if (info->speed && info->link_speed && info->link_speed < info->speed)
        controller_remark(
            &card->c, REMARK_WARN,
            "%s (%s, %s): its link runs at %u MB/s although it can do %u: cable, backplane or card", d->name,
            where_text, d->model, link_mb_per_s(info->link_speed), link_mb_per_s(info->speed));
    if (info->media_errors || info->other_errors)
        controller_remark(&card->c, REMARK_WARN, "%s (%s, %s): %u media error%s and %u other error%s counted",
                          d->name, where_text, d->model, info->media_errors, str_plural(info->media_errors),
                          info->other_errors, str_plural(info->other_errors));
}

static void not_readable(struct mfi_card *card, struct mfi_disk *m, const struct mfi_pd_entry *e,
                         const struct mfi_pd_info *info)
{
    const struct state_row *row = row_of(info->state);
    struct text why = text_over(m->d.why_not, sizeof m->d.why_not);

    if (info->ddf & PD_DDF_FOREIGN)
        text_str(&why,
                 "carries the configuration of another card (foreign): import or clear it in the setup; ");
    else if (card->qemu) /* its state is not to be trusted, but all it does not expose are */
        text_str(&why, "member of a virtual drive; ");
    else
        text_fmt(&why, "%s: %s; ", row->words, row->advice);
    where_words(e, &why);
}

/* Of a drive that is not to be read and of which the firmware tells no INQUIRY data. */
static int ask_name(struct mfi_card *card, struct mfi_disk *m, const struct mfi_pd_info *info)
{
    struct mfi_inquiry q;

    str_copy(m->d.model, sizeof m->d.model, "unknown drive");
    if (info->state == PD_FAILED || info->state == PD_UNCONFIGURED_BAD || !mfi_addressable(card, m->address))
        return OK;
    if (mfi_scsi_inquiry(card, m->address, &q) == OK) {
        take_inquiry(&m->d, &q);
        mfi_scsi_identity(card, m->address, &m->d);
    }
    /* Only QEMU's come here, and there member and virtual drive are one disk with one identifier. */
    m->d.identity[0] = 0;
    return card->c.fault.err;
}

/* Makes a drive readable or says why not; PD info's copies of its identity serve where it takes no command
 * from us or says nothing itself. */
static int make_disk(struct mfi_card *card, struct mfi_disk *m, const struct mfi_pd_entry *e,
                     const struct mfi_pd_info *info, uint16_t id)
{
    bool exposed = info->state == PD_SYSTEM || is_exposed(card, e->device_id);
    struct mfi_inquiry q;

    m->address.member = !exposed;
    m->pd.exposed = exposed;
    m->d.lba_bytes = m->d.physical_block_bytes = 512;
    m->d.lba_count = info->coerced_sectors ? info->coerced_sectors : info->raw_sectors;
    if (mfi_inquiry_parse(info->inquiry, sizeof info->inquiry, &q))
        take_inquiry(&m->d, &q);
    mfi_designator_text(info->vpd83, sizeof info->vpd83, m->d.identity, sizeof m->d.identity);
    if (info->media_type == PD_MEDIA_SSD)
        m->d.rotation = ROTATION_NONE;
    if (q.product[0])
        str_scrub(m->d.serial, sizeof m->d.serial, info->inquiry + SERIAL_AT, SERIAL_BYTES);
    if (!exposed) {
        not_readable(card, m, e, info);
        if (!m->d.model[0])
            return ask_name(card, m, info);
    } else if (!mfi_addressable(card, m->address)) {
        str_fmt(m->d.why_not, sizeof m->d.why_not, "device id %u does not fit the 8 bits of an MFI frame",
                id);
    } else {
        int rc = mfi_disk_make_readable(card, m, &q);

        if (rc)
            return rc;
        if (q.vendor[0] || q.product[0])
            take_inquiry(&m->d, &q);
    }
    if (!m->d.model[0])
        str_copy(m->d.model, sizeof m->d.model, "unknown drive");
    return OK;
}

static int add_drive(struct mfi_card *card, const struct mfi_pd_entry *e)
{
    /* QEMU names its drives by (SCSI id << 8 | lun) but takes the SCSI id, which is the slot number, as the
     * address of a command (5.4, fact 15). */
    const uint16_t id = card->qemu ? e->slot : e->device_id;
    struct mfi_pd_info info;
    struct mfi_disk *m;
    int rc = mfi_disk_add(card, &m);

    if (rc)
        return rc;
    m->address = (struct mfi_address){ .cmd = MFI_PD_SCSI_IO, .target = id };
    m->d.kind = DISK_PHYSICAL_BEHIND_RAID;
    str_fmt(m->d.name, sizeof m->d.name, "%s.pd%u", card->c.name, id);
    if ((rc = read_info(card, e, &info)))
        return rc;
    take_values(card, &m->pd, e, &info);
    settings_words(m);
    if ((rc = make_disk(card, m, e, &info, id)))
        return rc;
    health(card, e, &m->d, &info);
    return OK;
}

static int add_enclosure(struct mfi_card *card, const struct mfi_pd_entry *e)
{
    struct raid_card *r = &card->raid;
    struct mfi_inquiry q = { 0 };
    struct mfi_pd_info info;
    int rc = read_info(card, e, &info);

    if (rc || r->enclosure_count == RAID_MAX_ENCLOSURES)
        return rc;
    mfi_inquiry_parse(info.inquiry, sizeof info.inquiry, &q);
    r->enclosure[r->enclosure_count].id = e->device_id;
    r->enclosure[r->enclosure_count].index = e->enclosure_index;
    str_fmt(r->enclosure[r->enclosure_count].model, sizeof r->enclosure[0].model, "%s%s%s", q.vendor,
            q.vendor[0] ? " " : "", q.product);
    r->enclosure_count++;
    return OK;
}

int mfi_physical_drives(struct mfi_card *card)
{
    int rc = read_lists(card);

    if (rc)
        return rc;
    for (unsigned i = 0; i < list_count(&card->pds); i++) {
        const struct mfi_pd_entry *e = &card->pds.entry[i];

        if (e->scsi_type == SCSI_TYPE_ENCLOSURE && (rc = add_enclosure(card, e)))
            return rc;
        if (e->scsi_type != SCSI_TYPE_DISK)
            continue;
        if ((rc = add_drive(card, e)) == E_LIMIT) {
            controller_remark(&card->c, REMARK_WARN, "more than %u disks: the rest is NOT-TESTED",
                              (unsigned)CONTROLLER_MAX_DISKS);
            return OK;
        }
        if (rc)
            return rc;
    }
    return OK;
}

/* ---- looking again ---- */
static void compare(struct mfi_card *card, struct mfi_disk *m, const struct mfi_pd_info *info)
{
    const struct state_row *was = row_of(m->pd.raw_state), *is = row_of(info->state);
    struct raid_drive *pd = &m->pd;
    char where_text[40];
    struct text where = text_over(where_text, sizeof where_text);
    const struct mfi_pd_entry e = { .device_id = pd->device_id,
                                    .enclosure_id = pd->enclosure_id,
                                    .enclosure_index = pd->enclosure_index,
                                    .slot = pd->slot,
                                    .sas_address = { pd->wwn } };

    where_words(&e, &where);
    if (info->state == unknown_state.state && pd->raw_state != info->state)
        controller_remark(&card->c, REMARK_FAIL, "%s (%s, %s): was %s and is gone", m->d.name, where_text,
                          m->d.model, was->words);
    else if (info->state != pd->raw_state)
        controller_remark(&card->c, is->level < 0 ? REMARK_INFO : is->level,
                          "%s (%s, %s): was %s and is now %s", m->d.name, where_text, m->d.model, was->words,
                          is->words);
    if (info->media_errors > pd->media_errors || info->other_errors > pd->other_errors)
        controller_remark(&card->c, REMARK_WARN,
                          "%s (%s, %s): %u media errors and %u other errors more than before", m->d.name,
                          where_text, m->d.model, info->media_errors - pd->media_errors,
                          info->other_errors - pd->other_errors);
    if (info->predictive_failures > pd->predictive_failures)
        controller_remark(&card->c, REMARK_FAIL,
                          "%s (%s, %s): predicts its own failure since now: replace it", m->d.name,
                          where_text, m->d.model);
    take_values(card, pd, &e, info);
    settings_words(m);
}

int mfi_physical_look_again(struct mfi_card *card)
{
    int rc;

    for (unsigned k = 0; k < card->c.disk_count; k++) {
        struct mfi_disk *m = (struct mfi_disk *)card->disk_list[k];
        const struct mfi_pd_entry e = { .device_id = m->pd.device_id };
        struct mfi_pd_info info;

        if (m->d.kind != DISK_PHYSICAL_BEHIND_RAID || card->qemu)
            continue;
        if ((rc = read_info(card, &e, &info)))
            return rc;
        compare(card, m, &info);
    }
    return OK;
}
