#include "mfi_internal.h"

#define DEADLINE_VIRTUAL_DRIVE_NS (180 * NS_PER_S)
#define DEADLINE_DRIVE_NS         (60 * NS_PER_S)

/* The largest command, from the limits that the card states (facts/mfi.md 2.5). */
static uint32_t reckon_command_bytes(const struct mfi_card *card)
{
    const struct mfi_ctrl_info *i = &card->info;
    uint64_t by_strips =
        i->stripe_exponent_min < 16 ? (1ull << i->stripe_exponent_min) * i->max_strips_per_io : 0;
    uint64_t sectors = i->max_request_sectors;

    /* Old firmware reports 0 for what it does not know. */
    if (by_strips && (!sectors || by_strips < sectors))
        sectors = by_strips;
    if (!sectors)
        sectors = MFI_DEFAULT_COMMAND_BYTES / 512;
    sectors = min_u64(sectors, card->gen->max_command_sectors);
    if (card->ieee_firmware)
        sectors = min_u64(sectors, MFI_DEFAULT_COMMAND_BYTES / 512);
    return (uint32_t)min_u64(sectors * 512, (uint64_t)card->max_sge * MFI_SEGMENT_BYTES);
}

/* The running firmware's version, for cards whose package has none. */
static void application_version(const struct mfi_ctrl_info *i, char *to, size_t cap)
{
    unsigned n = (unsigned)min_u64(i->component_count, ARRAY_COUNT(i->component));

    to[0] = 0;
    for (unsigned k = 0; k < n; k++) {
        char name[9];

        str_scrub(name, sizeof name, i->component[k].name, sizeof i->component[k].name);
        if (str_equal(name, "APP"))
            str_scrub(to, cap, i->component[k].version, sizeof i->component[k].version);
    }
}

static void controller_problems(struct mfi_card *card)
{
    const struct mfi_ctrl_info *i = &card->info;

    if (i->uncorrectable_errors)
        controller_remark(
            &card->c, REMARK_FAIL,
            "controller memory: %u uncorrectable errors (and %u corrected): replace the module or "
            "the card",
            i->uncorrectable_errors, i->correctable_errors);
    else if (i->correctable_errors)
        controller_remark(&card->c, REMARK_WARN, "controller memory: %u corrected errors",
                          i->correctable_errors);
}

static int controller_info(struct mfi_card *card)
{
    struct mfi_ctrl_info *i = &card->info;
    int rc = mfi_dcmd(card, &MFI_CTRL_GET_INFO, (struct mfi_mbox){ { 0 } }, i, sizeof *i);
    char package[sizeof i->package + 1];

    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc) {
        memset(i, 0, sizeof *i);
        controller_remark(&card->c, REMARK_WARN, "controller info: not reported by this controller");
    }
    str_scrub(card->c.model, sizeof card->c.model, i->product, sizeof i->product);
    str_scrub(card->c.serial, sizeof card->c.serial, i->serial, sizeof i->serial);
    str_scrub(package, sizeof package, i->package, sizeof i->package);
    card->qemu = str_find(package, "-QEMU") != NULL;
    str_copy(card->c.firmware, sizeof card->c.firmware, package);
    if (!package[0])
        application_version(i, card->c.firmware, sizeof card->c.firmware);
    if (!card->c.model[0])
        str_fmt(card->c.model, sizeof card->c.model, "MegaRAID %s", card->gen->name);
    card->max_command_bytes = reckon_command_bytes(card);
    controller_problems(card);
    return OK;
}

/* What every number of this card depends on; last, because the list of remarks is short. */
static void settings(struct mfi_card *card)
{
    const struct mfi_ctrl_info *i = &card->info;

    controller_remark(&card->c, REMARK_INFO,
                      "%s generation, %u commands, %u KiB per command, cache memory %u MiB, battery %s",
                      card->gen->name, card->max_commands - 1u, card->max_command_bytes / 1024, i->memory_mib,
                      i->hw_present & CTRL_HW_BBU ? "fitted" : "not fitted");
    for (unsigned k = 0; k < card->c.disk_count; k++) {
        const struct mfi_disk *m = (const struct mfi_disk *)card->c.disks[k];

        if (m->settings[0])
            controller_remark(&card->c, REMARK_INFO, "%s: %s", m->d.name, m->settings);
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

    if ((rc = controller_info(card)) || (rc = mfi_virtual_drives(card)) || (rc = mfi_physical_drives(card)))
        return rc;
    nothing_to_read(card);
    if ((rc = mfi_event_log(card)))
        return rc;
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
