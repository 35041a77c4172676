#include "mfi_internal.h"

/* A drive's health, by what the card counts and by two log pages of the drive itself, which the card's
 * firmware translates for SATA drives.  Drives in a virtual drive are asked in a frame that names the drive.
 */

enum {
    LOG_SENSE = 0x4d,
    PAGE_TEMPERATURE = 0x0d,
    PAGE_INFORMATIONAL_EXCEPTIONS = 0x2f,
    CUMULATIVE_VALUES = 0x40,
    LOG_BYTES = 64,
    LOG_HEADER = 4,
    ASC_FAILURE_PREDICTED = 0x5d,
    TEMPERATURE_UNKNOWN = 0xff
};

/* The first parameter's value of a log page and its length; 0: refused, or not that page. */
static int first_parameter(struct mfi_card *card, struct mfi_address to, uint8_t page, uint8_t *value,
                           uint32_t cap, uint32_t *len)
{
    const uint8_t cdb[10] = { LOG_SENSE, 0, (uint8_t)(CUMULATIVE_VALUES | page), [8] = LOG_BYTES };
    uint8_t data[LOG_BYTES];
    uint32_t got;
    int rc = mfi_scsi_in(card, to, cdb, sizeof cdb, data, sizeof data, &got);

    *len = 0;
    if (card->c.fault.err)
        return card->c.fault.err;
    if (rc || got < LOG_HEADER + 4 || (data[0] & 0x3f) != page || data[4] || data[5])
        return rc == E_REFUSED ? OK : rc;
    *len = (uint32_t)min_u64(min_u64(data[7], got - LOG_HEADER - 4), cap);
    memcpy(value, data + LOG_HEADER + 4, *len);
    return OK;
}

static void take_exceptions(struct disk_health *h, const uint8_t *v, uint32_t len)
{
    if (len >= 2)
        health_warn(h, HEALTH_WARN_FAILURE_EXPECTED, v[0] == ASC_FAILURE_PREDICTED);
    if (len >= 3 && v[2] && v[2] != TEMPERATURE_UNKNOWN)
        health_set(h, HEALTH_TEMPERATURE_C, v[2]);
}

static int ask_drive(struct mfi_card *card, struct mfi_disk *m, struct disk_health *h)
{
    uint8_t value[8];
    uint32_t len;
    int rc = first_parameter(card, m->address, PAGE_INFORMATIONAL_EXCEPTIONS, value, sizeof value, &len);

    if (rc)
        return rc;
    take_exceptions(h, value, len);
    if ((rc = first_parameter(card, m->address, PAGE_TEMPERATURE, value, sizeof value, &len)))
        return rc;
    if (len >= 2 && value[1] && value[1] != TEMPERATURE_UNKNOWN)
        health_set(h, HEALTH_TEMPERATURE_C, value[1]);
    return OK;
}

/* What the firmware counts is about commands that it sent itself. */
static int ask_firmware(struct mfi_card *card, struct mfi_disk *m, struct disk_health *h)
{
    const struct mfi_mbox of_drive = { { m->pd.device_id } };
    struct mfi_pd_info info;
    int rc = mfi_dcmd(card, &MFI_PD_GET_INFO, of_drive, &info, sizeof info);

    if (rc || info.device_id != m->pd.device_id || card->qemu)
        return card->c.fault.err;
    health_set(h, HEALTH_MEDIA_ERRORS, info.media_errors);
    health_set(h, HEALTH_ERROR_LOG_ENTRIES, info.other_errors);
    if (mfi_temperature(info.temperature_c) != RAID_UNKNOWN)
        health_set(h, HEALTH_TEMPERATURE_C, info.temperature_c);
    health_warn(h, HEALTH_WARN_FAILURE_EXPECTED, info.predictive_failures != 0);
    return OK;
}

int mfi_health(struct disk *d, struct disk_health *h)
{
    struct mfi_disk *m = (struct mfi_disk *)d;
    struct mfi_card *card = mfi_card_of(d->controller);
    struct disk_health found = { 0 };
    int rc;

    memset(h, 0, sizeof *h);
    if (d->kind != DISK_PHYSICAL_BEHIND_RAID)
        return E_UNSUPPORTED;
    if ((rc = ask_firmware(card, m, &found)))
        return rc;
    bool predicted = health_warns(&found, HEALTH_WARN_FAILURE_EXPECTED);
    if (m->pd.raw_state != PD_FAILED && m->pd.raw_state != PD_UNCONFIGURED_BAD && !card->qemu &&
        mfi_addressable(card, m->address) && (rc = ask_drive(card, m, &found)))
        return rc;
    /* Whichever of the two says so. */
    if (predicted)
        health_warn(&found, HEALTH_WARN_FAILURE_EXPECTED, true);
    *h = found;
    return OK;
}
