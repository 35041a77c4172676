#include "mfi_internal.h"

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

/* Level, drives, strip; then what LD_GET_PROPERTIES says of the cache. */
static int describe(struct mfi_card *card, struct mfi_disk *m, const struct mfi_ld_info *info)
{
    const struct mfi_ld_parameters *p = &info->parameters;
    const struct mfi_mbox of_target = { { m->address.target } };
    struct text t = text_over(m->settings, sizeof m->settings);
    struct mfi_ld_properties now;

    level_words(p, &t);
    unsigned drives = p->drives * (p->spans > 1 ? p->spans : 1u);
    text_fmt(&t, ", %u drive%s", drives, drives == 1 ? "" : "s");
    if (p->stripe_exponent <= 16)
        text_fmt(&t, ", strips of %u bytes", 512u << p->stripe_exponent);
    int rc = mfi_dcmd(card, &MFI_LD_GET_PROPERTIES, of_target, &now, sizeof now);
    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc || now.target_id != m->address.target) {
        text_str(&t, "; cache policy not reported by this controller");
        return OK;
    }
    text_str(&t, "; ");
    mfi_policy_words(now.current_policy, &t);
    text_str(&t, now.disk_cache == 1 ? ", drive cache on" : now.disk_cache == 2 ? ", drive cache off" : "");
    if (now.current_policy != now.default_policy)
        text_fmt(&t, " (configured: 0x%02x, in force: 0x%02x)", now.default_policy, now.current_policy);
    return OK;
}

static void activities(struct mfi_card *card, const struct mfi_disk *m, const struct mfi_ld_info *info)
{
    const struct {
        const char *what;
        const struct mfi_progress *p;
    } kinds[] = {
        { "consistency check", &info->check },
        { "background initialisation", &info->background_init },
        { "initialisation", &info->foreground_init },
        { "reconstruction", &info->reconstruction },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++)
        if (info->active & BIT_(i))
            controller_remark(&card->c, REMARK_WARN,
                              "%s: %s is running (%u %%): its figures are not comparable", m->d.name,
                              kinds[i].what, kinds[i].p->progress * 100u / 65535u);
}

static int read_info(struct mfi_card *card, struct mfi_disk *m, struct mfi_ld_info *info)
{
    const struct mfi_mbox of_target = { { m->address.target } };
    struct text model = text_over(m->d.model, sizeof m->d.model);
    int rc = mfi_dcmd(card, &MFI_LD_GET_INFO, of_target, info, sizeof *info);

    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc || info->properties.target_id != m->address.target) {
        memset(info, 0, sizeof *info);
        str_copy(m->d.model, sizeof m->d.model, "MegaRAID virtual drive");
        str_copy(m->settings, sizeof m->settings, "level and cache policy not reported by this controller");
        return OK;
    }
    level_words(&info->parameters, &model);
    text_fmt(&model, " on %s", card->c.model);
    if ((rc = describe(card, m, info)))
        return rc;
    activities(card, m, info);
    return OK;
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
    if ((rc = read_info(card, m, &info)))
        return rc;
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
