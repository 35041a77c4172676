#include "mfi_internal.h"
#include "str.h"

static const char *state_words(uint8_t state)
{
    static const char *const words[] = { [LD_OFFLINE] = "offline",
                                         [LD_PARTIALLY_DEGRADED] = "partially degraded",
                                         [LD_DEGRADED] = "degraded",
                                         [LD_OPTIMAL] = "optimal" };

    return state < ARRAY_COUNT(words) ? words[state] : "in an unknown state";
}

static void level_words(const struct mfi_ld_parameters *p, struct text *out)
{
    static const struct {
        uint8_t primary;
        const char *flat, *spanned;
    } levels[] = {
        { 0x00, "RAID 0", "RAID 00" },
        { 0x01, "RAID 1", "RAID 10" },
        { 0x05, "RAID 5", "RAID 50" },
        { 0x06, "RAID 6", "RAID 60" },
        { 0x11, "RAID 1E", "RAID 1E spanned" },
        { 0x0f, "JBOD", "JBOD" },
        { 0x1f, "concatenation", "concatenation" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(levels); i++)
        if (levels[i].primary == p->primary) {
            text_str(out, p->spans > 1 ? levels[i].spanned : levels[i].flat);
            return;
        }
    text_fmt(out, "RAID level 0x%x", p->primary);
}

/* The cache policy, from LD_GET_PROPERTIES; from LD_GET_INFO where that is not sent. */
static int take_policy(struct mfi_card *card, struct mfi_disk *m, const struct mfi_ld_info *info)
{
    const struct mfi_mbox of_target = { { m->address.target } };
    struct raid_virtual_drive *vd = &m->vd;
    struct text now_words = text_over(vd->policy, sizeof vd->policy);
    struct text set_words = text_over(vd->configured_policy, sizeof vd->configured_policy);
    struct mfi_ld_properties now;
    int rc = mfi_dcmd(card, &MFI_LD_GET_PROPERTIES, of_target, &now, sizeof now);

    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc == E_UNSUPPORTED && card->gen->shy) {
        now = info->properties;
        rc = OK;
    }
    if (rc || now.target_id != m->address.target) {
        vd->default_policy = vd->current_policy = vd->drive_cache = vd->access = RAID_UNKNOWN;
        return OK;
    }
    vd->default_policy = now.default_policy;
    vd->current_policy = now.current_policy;
    vd->drive_cache = now.disk_cache;
    vd->access = now.access;
    mfi_policy_words(now.current_policy, &now_words);
    text_str(&now_words, now.disk_cache == 1   ? ", drive cache on"
                         : now.disk_cache == 2 ? ", drive cache off"
                                               : "");
    mfi_policy_words(now.default_policy, &set_words);
    return OK;
}

/* Level, drives, strip and policy as the line that goes with every figure. */
static void settings_words(struct mfi_disk *m)
{
    const struct raid_virtual_drive *vd = &m->vd;
    struct text t = text_over(m->d.settings, sizeof m->d.settings);
    unsigned drives = vd->drives_per_span * (vd->spans > 1 ? vd->spans : 1u);

    if (!vd->level[0]) {
        text_str(&t, "level and cache policy not reported by this controller");
        return;
    }
    text_fmt(&t, "%s, %u drive%s", vd->level, drives, str_plural(drives));
    if (vd->strip_bytes)
        text_fmt(&t, ", strips of %u bytes", vd->strip_bytes);
    if (vd->current_policy == RAID_UNKNOWN) {
        text_str(&t, "; cache policy not reported by this controller");
        return;
    }
    text_fmt(&t, "; %s", vd->policy);
    if (vd->current_policy != vd->default_policy)
        text_fmt(&t, " (configured: 0x%02x, in force: 0x%02x)", vd->default_policy, vd->current_policy);
}

static void take_works(struct raid_works *w, const struct mfi_ld_info *info)
{
    static const enum raid_work kinds[] = { RAID_WORK_CHECK, RAID_WORK_BACKGROUND_INIT,
                                            RAID_WORK_FOREGROUND_INIT, RAID_WORK_RECONSTRUCTION };
    const struct mfi_progress *p[] = { &info->check, &info->background_init, &info->foreground_init,
                                       &info->reconstruction };

    *w = (struct raid_works){ 0 };
    for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++)
        if (info->active & BIT_(i)) {
            w->active |= 1u << kinds[i];
            w->percent[kinds[i]] = mfi_percent(*p[i]);
        }
}

static void take_shape(struct mfi_disk *m, const struct mfi_ld_info *info)
{
    const struct mfi_ld_parameters *p = &info->parameters;
    struct raid_virtual_drive *vd = &m->vd;
    struct text level = text_over(vd->level, sizeof vd->level);

    level_words(p, &level);
    str_scrub(vd->name, sizeof vd->name, info->properties.name, sizeof info->properties.name);
    vd->spans = p->spans;
    vd->drives_per_span = p->drives;
    vd->strip_bytes = p->stripe_exponent <= 16 ? 512u << p->stripe_exponent : 0;
}

/* Everything that LD_GET_INFO and LD_GET_PROPERTIES tell; what is refused stays unknown. */
static int read_info(struct mfi_card *card, struct mfi_disk *m, struct mfi_ld_info *info)
{
    const struct mfi_mbox of_target = { { m->address.target } };
    int rc = mfi_dcmd(card, &MFI_LD_GET_INFO, of_target, info, sizeof *info);

    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc || info->properties.target_id != m->address.target) {
        memset(info, 0, sizeof *info);
        m->vd.default_policy = m->vd.current_policy = m->vd.drive_cache = m->vd.access = RAID_UNKNOWN;
        m->vd.works = (struct raid_works){ 0 };
        settings_words(m);
        return OK;
    }
    take_shape(m, info);
    take_works(&m->vd.works, info);
    mfi_take_members(card, info, &m->vd);
    rc = take_policy(card, m, info);
    settings_words(m);
    return rc;
}

static void take_state(struct mfi_disk *m, const struct mfi_ld_entry *e)
{
    m->vd.target_id = e->target_id;
    m->vd.size_bytes = e->size_sectors * 512;
    m->ld_state = e->state;
    str_copy(m->vd.state, sizeof m->vd.state, state_words(e->state));
}

static void work_remarks(struct mfi_card *card, const struct mfi_disk *m, uint32_t works)
{
    for (unsigned w = 0; w < RAID_WORK_COUNT; w++)
        if (works & 1u << w)
            controller_remark(&card->c, REMARK_WARN,
                              "%s: %s is running (%u %%): its figures are not comparable", m->d.name,
                              raid_work_words((enum raid_work)w), m->vd.works.percent[w]);
}

static int add_drive(struct mfi_card *card, const struct mfi_ld_entry *e)
{
    struct mfi_ld_info info;
    struct mfi_inquiry inquiry;
    struct mfi_disk *m;
    int rc = mfi_disk_add(card, &m);

    if (rc)
        return rc;
    m->address = (struct mfi_address){ .cmd = MFI_LD_SCSI_IO, .target = e->target_id };
    m->d.kind = DISK_VIRTUAL_DRIVE;
    str_fmt(m->d.name, sizeof m->d.name, "%s.vd%u", card->c.name, e->target_id);
    /* In 512-byte sectors, also for drives with others (facts/mfi.md 5.4 fact 21): only for what cannot tell.
     */
    m->d.lba_bytes = m->d.physical_block_bytes = 512;
    m->d.lba_count = e->size_sectors;
    m->d.cache_bytes = card->raid.memory_mib * MIB;
    take_state(m, e);
    if ((rc = read_info(card, m, &info)))
        return rc;
    if (m->vd.level[0])
        str_fmt(m->d.model, sizeof m->d.model, "%s on %s", m->vd.level, card->c.model);
    else
        str_copy(m->d.model, sizeof m->d.model, "MegaRAID virtual drive");
    work_remarks(card, m, m->vd.works.active);
    if (e->state == LD_OFFLINE || e->state > LD_OPTIMAL) {
        controller_remark(&card->c, REMARK_FAIL, "%s is %s: drives of its array are missing or failed",
                          m->d.name, state_words(e->state));
        str_fmt(m->d.why_not, sizeof m->d.why_not, "virtual drive is %s (state %u)", state_words(e->state),
                e->state);
        return OK;
    }
    if (e->state != LD_OPTIMAL)
        controller_remark(&card->c, REMARK_WARN, "%s is %s: a drive of its array is missing or failed",
                          m->d.name, state_words(e->state));
    mfi_designator_text(info.vpd83, sizeof info.vpd83, m->d.identity, sizeof m->d.identity);
    rc = mfi_disk_make_readable(card, m, &inquiry);
    str_copy(m->d.firmware, sizeof m->d.firmware, inquiry.revision);
    return rc;
}

static bool listed_before(const struct mfi_ld_list *l, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (l->entry[i].target_id == l->entry[at].target_id)
            return true;
    return false;
}

int mfi_virtual_drives(struct mfi_card *card)
{
    struct mfi_ld_list *l = &card->lds;
    int rc = mfi_dcmd(card, &MFI_LD_GET_LIST, (struct mfi_mbox){ { 0 } }, l, sizeof *l);
    unsigned n = (unsigned)min_u64(l->count, MFI_MAX_LDS);

    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc) {
        controller_remark(&card->c, REMARK_FAIL, "list of virtual drives: %s",
                          rc == E_UNSUPPORTED ? "not reported by this controller"
                                              : mfi_status_text(card->command_status));
        return OK;
    }
    if (l->count > MFI_MAX_LDS)
        controller_remark(&card->c, REMARK_WARN,
                          "the firmware counts %u virtual drives in a list of %u: the rest is NOT-TESTED",
                          l->count, (unsigned)MFI_MAX_LDS);
    for (unsigned i = 0; i < n; i++) {
        if (listed_before(l, i)) {
            controller_remark(&card->c, REMARK_WARN, "the firmware lists virtual drive %u twice",
                              l->entry[i].target_id);
            continue;
        }
        if ((rc = add_drive(card, &l->entry[i])))
            return rc;
    }
    return OK;
}

/* ---- looking again ---- */
static void compare(struct mfi_card *card, struct mfi_disk *m, const struct mfi_ld_entry *e)
{
    if (e->state != m->ld_state)
        controller_remark(&card->c,
                          e->state == LD_OFFLINE   ? REMARK_FAIL
                          : e->state < m->ld_state ? REMARK_WARN
                                                   : REMARK_INFO,
                          "%s was %s and is now %s", m->d.name, state_words(m->ld_state),
                          state_words(e->state));
    take_state(m, e);
}

int mfi_virtual_look_again(struct mfi_card *card)
{
    struct mfi_ld_list *l = &card->lds;
    int rc = mfi_dcmd(card, &MFI_LD_GET_LIST, (struct mfi_mbox){ { 0 } }, l, sizeof *l);
    unsigned n = rc ? 0 : (unsigned)min_u64(l->count, MFI_MAX_LDS);

    for (unsigned k = 0; k < card->c.disk_count && !card->c.fault.err; k++) {
        struct mfi_disk *m = (struct mfi_disk *)card->disk_list[k];
        uint32_t before = m->vd.works.active;
        struct mfi_ld_info info;

        if (m->d.kind != DISK_VIRTUAL_DRIVE)
            continue;
        for (unsigned i = 0; i < n; i++)
            if (l->entry[i].target_id == m->address.target)
                compare(card, m, &l->entry[i]);
        if ((rc = read_info(card, m, &info)))
            return rc;
        work_remarks(card, m, m->vd.works.active & ~before);
        for (unsigned w = 0; w < RAID_WORK_COUNT; w++)
            if (before & ~m->vd.works.active & 1u << w)
                controller_remark(&card->c, REMARK_INFO, "%s: %s has ended", m->d.name,
                                  raid_work_words((enum raid_work)w));
    }
    return card->c.fault.err;
}
