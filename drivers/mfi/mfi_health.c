#include "mfi_internal.h"
#include "smart.h"

/* A drive's health, by what the card counts and by what the drive says itself: SMART of a SATA drive by ATA
 * PASS-THROUGH, log pages of any other, and of a SATA drive that the firmware passes nothing through to
 * (facts/mfi.md 3.5).  Drives in a virtual drive are asked in a frame that names the drive. */

enum {
    LOG_SENSE = 0x4d,
    CUMULATIVE_VALUES = 0x40,
    LOG_BYTES = 2048,
    LOG_HEADER = 4,
    ATA_PASS_THROUGH_16 = 0x85,
    /* CDB bytes 1 and 2: PIO, 512-byte blocks counted in the sector count, from the device; or no data, and
     * the registers come back in sense data. */
    PIO_IN = 4 << 1,
    PIO_IN_BLOCKS = 0x0e,
    NO_DATA = 3 << 1,
    CHECK_CONDITION_WANTED = 0x20,
    ATA_SMART = 0xb0,
    SMART_READ_DATA = 0xd0,
    SMART_READ_THRESHOLDS = 0xd1,
    SMART_RETURN_STATUS = 0xda,
    SMART_LBA_MID = 0x4f,
    SMART_LBA_HIGH = 0xc2
};

/* E_REFUSED (a drive without that page, or another command in its way) and answers that make no sense leave
 * what they would have told unknown; a drive that does not answer is asked nothing more. */
static int after(struct mfi_card *card, struct mfi_disk *m, int rc)
{
    if (rc == E_TIMEOUT)
        m->mute = true;
    return card->c.fault.err ? (int)card->c.fault.err : OK;
}

/* ---- SAS ---- */
static int ask_logs(struct mfi_card *card, struct mfi_disk *m, struct disk_health *h)
{
    static const uint8_t pages[] = { 0x0d, 0x2f, 0x02, 0x03, 0x05, 0x10, 0x15 };
    static uint8_t data[LOG_BYTES];
    uint32_t got;

    for (unsigned i = 0; i < ARRAY_COUNT(pages) && !m->mute; i++) {
        const uint8_t cdb[10] = { LOG_SENSE, 0, (uint8_t)(CUMULATIVE_VALUES | pages[i]), [7] = LOG_BYTES >> 8,
                                  LOG_BYTES & 0xff };
        int rc = mfi_scsi_in(card, m->address, cdb, sizeof cdb, data, sizeof data, &got);

        if (!rc && got >= LOG_HEADER)
            mfi_log_take(data,
                         mfi_believable(LOG_HEADER + ((uint32_t)data[2] << 8 | data[3]), got, sizeof data),
                         pages[i], h);
        if ((rc = after(card, m, rc)))
            return rc;
    }
    return OK;
}

/* ---- SATA ---- */
/* False: refused, cut, or a page that does not add up. */
static bool smart_page(struct mfi_card *card, struct mfi_disk *m, uint8_t action, uint8_t *page)
{
    const uint8_t cdb[16] = {
        ATA_PASS_THROUGH_16,   PIO_IN,          PIO_IN_BLOCKS, [4] = action, [6] = 1, [10] = SMART_LBA_MID,
        [12] = SMART_LBA_HIGH, [14] = ATA_SMART
    };
    uint32_t got;
    int rc =
        m->mute ? E_TIMEOUT : mfi_scsi_in(card, m->address, cdb, sizeof cdb, page, SMART_PAGE_BYTES, &got);

    after(card, m, rc);
    return !rc && mfi_believable(SMART_PAGE_BYTES, got, SMART_PAGE_BYTES) == SMART_PAGE_BYTES &&
           smart_page_adds_up(page);
}

static void take_verdict(struct mfi_card *card, struct mfi_disk *m, struct disk_health *h)
{
    static const uint8_t cdb[16] = { ATA_PASS_THROUGH_16,    NO_DATA,
                                     CHECK_CONDITION_WANTED, [4] = SMART_RETURN_STATUS,
                                     [10] = SMART_LBA_MID,   [12] = SMART_LBA_HIGH,
                                     [14] = ATA_SMART };
    uint8_t sense[MFI_SENSE_BYTES];

    if (m->mute || after(card, m, mfi_scsi_ata_registers(card, m->address, cdb, sense)))
        return;
    enum mfi_verdict verdict = mfi_ata_verdict(sense, sizeof sense);
    /* Many a firmware brings no registers back; the attributes' thresholds have judged all the same. */
    if (verdict != MFI_VERDICT_NOT_TOLD || health_warns(h, HEALTH_WARN_FAILURE_EXPECTED))
        health_warn(h, HEALTH_WARN_FAILURE_EXPECTED,
                    verdict == MFI_VERDICT_FAILING || health_warns(h, HEALTH_WARN_FAILURE_EXPECTED));
}

/* *told: the drive answered. */
static int ask_smart(struct mfi_card *card, struct mfi_disk *m, struct disk_health *h, bool *told)
{
    static uint8_t data[SMART_PAGE_BYTES], thresholds[SMART_PAGE_BYTES];

    *told = smart_page(card, m, SMART_READ_DATA, data);
    if (!*told)
        return card->c.fault.err;
    smart_take_attributes(data, smart_page(card, m, SMART_READ_THRESHOLDS, thresholds) ? thresholds : NULL,
                          h);
    take_verdict(card, m, h);
    return card->c.fault.err;
}

static int ask_drive(struct mfi_card *card, struct mfi_disk *m, struct disk_health *h)
{
    bool told = false;
    int rc = OK;

    if (str_equal(m->pd.interface, "SATA"))
        rc = ask_smart(card, m, h, &told);
    return rc || told ? rc : ask_logs(card, m, h);
}

/* What the firmware counts is about commands that it sent itself; it stands where the drive says nothing. */
static int ask_firmware(struct mfi_card *card, struct mfi_disk *m, struct disk_health *h)
{
    const struct mfi_mbox of_drive = { { m->pd.device_id } };
    struct mfi_pd_info info;
    int rc = mfi_dcmd(card, &MFI_PD_GET_INFO, of_drive, &info, sizeof info);

    if (rc || info.device_id != m->pd.device_id || card->qemu)
        return card->c.fault.err;
    if (!health_knows(h, HEALTH_MEDIA_ERRORS))
        health_set(h, HEALTH_MEDIA_ERRORS, info.media_errors);
    health_set(h, HEALTH_ERROR_LOG_ENTRIES, info.other_errors);
    if (mfi_temperature(info.temperature_c) != RAID_UNKNOWN && !health_knows(h, HEALTH_TEMPERATURE_C))
        health_set(h, HEALTH_TEMPERATURE_C, info.temperature_c);
    /* Whichever of the two says so. */
    health_warn(h, HEALTH_WARN_FAILURE_EXPECTED,
                info.predictive_failures || health_warns(h, HEALTH_WARN_FAILURE_EXPECTED));
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
    if (card->c.fault.err)
        return card->c.fault.err;
    if (m->pd.raw_state != PD_FAILED && m->pd.raw_state != PD_UNCONFIGURED_BAD && !card->qemu &&
        mfi_addressable(card, m->address) && (rc = ask_drive(card, m, &found)))
        return rc;
    if ((rc = ask_firmware(card, m, &found)))
        return rc;
    *h = found;
    return OK;
}
