#include "mfi_internal.h"

#define DEADLINE_VIRTUAL_DRIVE_NS (180 * NS_PER_S)
#define DEADLINE_DRIVE_NS         (60 * NS_PER_S)

/* What every number of this card depends on; last, because the list of remarks is short. */
static void settings(struct mfi_card *card)
{
    controller_remark(&card->c, REMARK_INFO,
                      "%s generation, %u commands, %u KiB per command, cache memory %u MiB, battery %s",
                      card->gen->name, card->max_commands - 1u, card->max_command_bytes / 1024,
                      card->raid.memory_mib, card->raid.battery.words);
    for (unsigned k = 0; k < card->c.disk_count; k++) {
        const struct mfi_disk *m = (const struct mfi_disk *)card->c.disks[k];

        if (m->d.settings[0])
            controller_remark(&card->c, REMARK_INFO, "%s: %s", m->d.name, m->d.settings);
    }
}

static void nothing_to_read(struct mfi_card *card)
{
    unsigned drives = 0;

    for (unsigned k = 0; k < card->c.disk_count; k++) {
        if (card->c.disks[k]->ops)
            return;
        drives += card->c.disks[k]->kind == DISK_PHYSICAL_BEHIND_RAID;
    }
    if (drives)
        controller_remark(
            &card->c, REMARK_WARN,
            "nothing on this card can be read: %u physical drives, none in a virtual drive that works "
            "or exposed as JBOD; create a virtual drive in the card's own setup, then boot again",
            drives);
    else
        controller_remark(&card->c, REMARK_WARN,
                          "the card sees no drive at all: check cables, backplane and power");
}

int mfi_inventory(struct mfi_card *card)
{
    int rc;

    if ((rc = mfi_controller_info(card)) || (rc = mfi_battery(card)) || (rc = mfi_patrol(card)))
        return rc;
    mfi_controller_remarks(card);
    if ((rc = mfi_configuration(card)) || (rc = mfi_virtual_drives(card)) || (rc = mfi_physical_drives(card)))
        return rc;
    nothing_to_read(card);
    if ((rc = mfi_event_log(card)))
        return rc;
    mfi_grounds(card);
    settings(card);
    return OK;
}

int mfi_disk_add(struct mfi_card *card, struct mfi_disk **out)
{
    struct mfi_disk *m;

    *out = NULL;
    if (card->c.disk_count == CONTROLLER_MAX_DISKS)
        return NOTE(E_LIMIT, "disks of one card", card->c.disk_count + 1, CONTROLLER_MAX_DISKS);
    m = plat_alloc(sizeof *m);
    if (!m)
        return FAULT(&card->c.fault, E_NOMEM, "disk of a MegaRAID controller", 0, sizeof *m);
    m->d.controller = &card->c;
    card->disk_list[card->c.disk_count++] = &m->d;
    *out = m;
    return OK;
}

/* Why it cannot be read, by what the last command came to. */
static void refuse(struct mfi_card *card, struct disk *d, const char *command, int rc)
{
    struct text why = text_over(d->why_not, sizeof d->why_not);

    if (rc == E_TIMEOUT) {
        text_fmt(&why, "does not answer %s", command);
        controller_remark(&card->c, REMARK_FAIL, "%s does not answer %s", d->name, command);
    } else if (rc == E_REFUSED) {
        text_fmt(&why, "%s was refused: ", command);
        mfi_status_words(card->command_detail, &why);
    } else {
        text_fmt(&why, "%s says what cannot be", command);
    }
}

static void judge_size(struct mfi_card *card, struct disk *d)
{
    struct text why = text_over(d->why_not, sizeof d->why_not);

    if (d->lba_bytes & (d->lba_bytes - 1)) {
        text_fmt(&why, "blocks of %u bytes: not a power of two", d->lba_bytes);
    } else if (d->lba_bytes > card->max_command_bytes) {
        text_fmt(&why, "blocks of %u bytes, but the card takes only %u per command", d->lba_bytes,
                 card->max_command_bytes);
    } else {
        d->ops = &mfi_disk_ops;
        d->max_command_bytes = card->max_command_bytes;
        d->max_depth = (uint16_t)card->io_frames;
        d->depth_is_shared = true;
        d->command_deadline_ns =
            d->kind == DISK_VIRTUAL_DRIVE ? DEADLINE_VIRTUAL_DRIVE_NS : DEADLINE_DRIVE_NS;
    }
}

int mfi_disk_make_readable(struct mfi_card *card, struct mfi_disk *m, struct mfi_inquiry *inquiry)
{
    const char *command = "INQUIRY";
    int rc = mfi_scsi_inquiry(card, m->address, inquiry);

    /* Who refuses to say its name may still be read. */
    if (rc != E_TIMEOUT && !card->c.fault.err)
        rc = mfi_scsi_identity(card, m->address, &m->d);
    if (!rc) {
        command = "READ CAPACITY";
        rc = mfi_scsi_capacity(card, m->address, &m->d);
    }
    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc)
        refuse(card, &m->d, command, rc);
    else
        judge_size(card, &m->d);
    return OK;
}
