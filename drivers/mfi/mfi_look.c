#include "mfi_internal.h"

/* What goes on beside our reads, asked for between steps. */

static const struct mfi_disk *drive_of(const struct mfi_card *card, uint16_t device_id)
{
    for (unsigned k = 0; k < card->c.disk_count; k++) {
        const struct mfi_disk *m = (const struct mfi_disk *)card->disk_list[k];

        if (m->d.kind == DISK_PHYSICAL_BEHIND_RAID && m->pd.device_id == device_id)
            return m;
    }
    return NULL;
}

/* The works of all members; of all drives that are not exposed, where the members are not told. */
static uint32_t works_of_members(const struct mfi_card *card, const struct mfi_disk *m)
{
    uint32_t works = 0;

    for (unsigned i = 0; i < m->vd.member_count; i++) {
        const struct mfi_disk *drive = drive_of(card, m->vd.member[i]);

        works |= drive ? drive->pd.works.active : 0;
    }
    for (unsigned k = 0; k < card->c.disk_count && !m->vd.member_count; k++) {
        const struct mfi_disk *drive = (const struct mfi_disk *)card->disk_list[k];

        if (drive->d.kind == DISK_PHYSICAL_BEHIND_RAID && !drive->pd.exposed)
            works |= drive->pd.works.active;
    }
    return works;
}

static uint32_t grounds_of_works(uint32_t works)
{
    static const struct {
        enum raid_work work;
        enum disk_ground ground;
    } rows[] = {
        { RAID_WORK_CHECK, GROUND_CHECK },
        { RAID_WORK_BACKGROUND_INIT, GROUND_INITIALISATION },
        { RAID_WORK_FOREGROUND_INIT, GROUND_INITIALISATION },
        { RAID_WORK_RECONSTRUCTION, GROUND_REBUILD },
        { RAID_WORK_REBUILD, GROUND_REBUILD },
        { RAID_WORK_PATROL, GROUND_PATROL },
        { RAID_WORK_CLEAR, GROUND_INITIALISATION },
    };
    uint32_t grounds = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        if (works >> rows[i].work & 1)
            grounds |= rows[i].ground;
    return grounds;
}

void mfi_grounds(struct mfi_card *card)
{
    const struct raid_card *r = &card->raid;
    uint32_t of_card = r->patrol_active ? GROUND_PATROL : 0;
    uint32_t of_cache =
        (r->battery.learn_active ? GROUND_LEARN : 0) | (r->pinned_cache ? GROUND_PINNED_CACHE : 0);

    for (unsigned k = 0; k < card->c.disk_count; k++) {
        struct mfi_disk *m = (struct mfi_disk *)card->disk_list[k];

        if (m->d.kind == DISK_VIRTUAL_DRIVE)
            m->d.grounds =
                of_card | of_cache | grounds_of_works(m->vd.works.active | works_of_members(card, m));
        else
            m->d.grounds = of_card | grounds_of_works(m->pd.works.active);
    }
}

static void battery_changes(struct mfi_card *card, const struct raid_battery *was)
{
    const struct raid_battery *is = &card->raid.battery;

    if (is->presence != RAID_BATTERY_PRESENT && was->presence == RAID_BATTERY_PRESENT)
        controller_remark(&card->c, REMARK_FAIL, "the battery was there and is gone");
    else if (is->learn_active != was->learn_active)
        controller_remark(&card->c, REMARK_WARN,
                          "battery: learn cycle %s: write-back may be off while it runs",
                          is->learn_active ? "has begun" : "has ended");
    else if (is->bad && !was->bad)
        controller_remark(&card->c, REMARK_WARN, "battery %s since now", is->words);
}

static void patrol_changes(struct mfi_card *card, bool was)
{
    if (card->raid.patrol_active != was)
        controller_remark(&card->c, REMARK_WARN, "patrol read %s: figures beside it are not comparable",
                          was ? "has ended" : "has begun");
}

static void event_remarks(struct mfi_card *card)
{
    enum { SHOWN = 8 };
    struct raid_event e;

    for (unsigned i = 0; i < SHOWN && mfi_new_events(card, &e, 1); i++)
        controller_remark(&card->c,
                          e.severity >= 3   ? REMARK_FAIL
                          : e.severity >= 1 ? REMARK_WARN
                                            : REMARK_INFO,
                          "event log: \"%s\" (0x%x)", e.text, e.code);
}

static void stray_remarks(struct mfi_card *card)
{
    if (card->strays == card->strays_told)
        return;
    controller_remark(&card->c, REMARK_WARN,
                      "%u answers belonged to no command of ours (the last: 0x%lx) and were ignored; at more "
                      "than %u the card is not used any more: firmware, riser or a device that writes where "
                      "it should not",
                      card->strays, (unsigned long)card->last_stray, (unsigned)MFI_MAX_STRAYS);
    card->strays_told = card->strays;
}

/* Reads only; nothing is in flight. */
unsigned mfi_look_around(struct controller *c)
{
    struct mfi_card *card = mfi_card_of(c);
    const struct raid_battery battery = card->raid.battery;
    const bool patrol = card->raid.patrol_active;
    unsigned before = c->remark_count + c->remarks_dropped;

    if (c->fault.err)
        return 0;
    if (mfi_battery(card) || mfi_patrol(card) || mfi_virtual_look_again(card) ||
        mfi_physical_look_again(card))
        return c->remark_count + c->remarks_dropped - before;
    battery_changes(card, &battery);
    patrol_changes(card, patrol);
    event_remarks(card);
    stray_remarks(card);
    mfi_grounds(card);
    return c->remark_count + c->remarks_dropped - before;
}

/* ---- drivers/raid.h ---- */
static const struct raid_card *card_values(const struct controller *c) { return &mfi_card_of(c)->raid; }

static const struct raid_virtual_drive *virtual_drive(const struct disk *d)
{
    return d->kind == DISK_VIRTUAL_DRIVE ? &((const struct mfi_disk *)d)->vd : NULL;
}

static const struct raid_drive *drive(const struct disk *d)
{
    return d->kind == DISK_PHYSICAL_BEHIND_RAID ? &((const struct mfi_disk *)d)->pd : NULL;
}

static unsigned new_events(struct controller *c, struct raid_event *out, unsigned max)
{
    return c->fault.err ? 0 : mfi_new_events(mfi_card_of(c), out, max);
}

static int locate(struct disk *d, bool on)
{
    const struct mfi_mbox of_drive = { { ((const struct mfi_disk *)d)->pd.device_id } };

    if (d->kind != DISK_PHYSICAL_BEHIND_RAID)
        return E_UNSUPPORTED;
    return mfi_dcmd(mfi_card_of(d->controller), on ? &MFI_LOCATE_ON : &MFI_LOCATE_OFF, of_drive, NULL, 0);
}

const struct raid_ops mfi_raid_ops = {
    .card = card_values,
    .virtual_drive = virtual_drive,
    .drive = drive,
    .new_events = new_events,
    .locate = locate,
};
