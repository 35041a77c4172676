#include "mfi_internal.h"

/* Layout of a detail word: everything that a person may want to know about a refused command. */
#define DETAIL_STATUS      BITS(31, 24)
#define DETAIL_KEY         BITS(23, 20)
#define DETAIL_ASC         BITS(19, 12)
#define DETAIL_ASCQ        BITS(11, 4)
#define DETAIL_KIND        BITS(3, 0)
#define DETAIL_SCSI_STATUS BITS(11, 4) /* without sense data */
enum { KIND_PLAIN, KIND_SENSE, KIND_SCSI_STATUS };
enum { CHECK_CONDITION = 2 };

static const struct {
    uint8_t status;
    const char *words;
} statuses[] = {
    { 0x00, "ok" },
    { 0x01, "frame command unknown to the firmware" },
    { 0x02, "management command unknown to the firmware" },
    { 0x03, "parameter not accepted" },
    { 0x04, "sequence number out of date" },
    { 0x05, "command cannot be aborted" },
    { 0x06, "application host code missing" },
    { 0x07, "application in use" },
    { 0x08, "application not initialised" },
    { 0x09, "array index invalid" },
    { 0x0a, "array row not empty" },
    { 0x0b, "configuration resource conflict" },
    { 0x0c, "no such device" },
    { 0x0d, "drive too small" },
    { 0x0e, "no flash memory for it" },
    { 0x0f, "flash busy" },
    { 0x10, "flash error" },
    { 0x11, "flash image bad" },
    { 0x12, "flash image incomplete" },
    { 0x13, "flash not open" },
    { 0x14, "flash not started" },
    { 0x15, "cache flush incomplete" },
    { 0x16, "host code not found" },
    { 0x17, "consistency check running" },
    { 0x18, "virtual drive is being initialised" },
    { 0x19, "LBA out of range" },
    { 0x1a, "too many virtual drives" },
    { 0x1b, "virtual drive not optimal" },
    { 0x1c, "rebuild running" },
    { 0x1d, "reconstruction running" },
    { 0x1e, "wrong RAID level" },
    { 0x1f, "too many spares" },
    { 0x20, "controller out of memory" },
    { 0x21, "controller hardware error" },
    { 0x22, "hardware not present" },
    { 0x23, "not found" },
    { 0x24, "not in an enclosure" },
    { 0x25, "drive is being cleared" },
    { 0x26, "wrong kind of drive" },
    { 0x27, "patrol read disabled" },
    { 0x28, "row index invalid" },
    { 0x29, "SAS configuration: action invalid" },
    { 0x2a, "SAS configuration: data invalid" },
    { 0x2b, "SAS configuration: page invalid" },
    { 0x2c, "SAS configuration: type invalid" },
    { 0x2d, "SCSI command ended with an error" },
    { 0x2e, "SCSI command failed in transport" },
    { 0x2f, "reservation conflict" },
    { 0x30, "shutdown failed" },
    { 0x31, "controller time not set" },
    { 0x32, "wrong state for the command" },
    { 0x33, "virtual drive offline" },
    { 0x34, "peer notification rejected" },
    { 0x35, "peer notification failed" },
    { 0x36, "reservation in progress" },
    { 0x37, "I2C errors" },
    { 0x38, "PCI errors" },
    { 0x39, "diagnostics failed" },
    { 0x3a, "boot message pending" },
    { 0x3b, "foreign configuration incomplete" },
    { 0x3c, "scatter list not accepted" },
    { 0x3d, "hardware not supported" },
    { 0x3e, "consistency check schedule disabled" },
    { 0x3f, "copyback running" },
    { 0x40, "several drives in the array" },
    { 0x41, "firmware download error" },
    { 0x53, "hardware errors of physical drives" },
    { 0x54, "virtual drive has pinned cache" },
    { 0x55, "power state not supported" },
    { 0x56, "power state wrong for the command" },
    { 0x57, "power state cannot be changed" },
    { 0x58, "no drive for patrol read" },
    { 0x59, "controller must be reset" },
    { 0x65, "block sizes do not match" },
    { 0x67, "configuration sequence out of date" },
    { 0xff, "not answered" },
};

static const char *const sense_keys[16] = {
    "no sense",       "recovered error", "not ready",   "medium error", "hardware error", "illegal request",
    "unit attention", "data protect",    "blank check", "vendor's own", "copy aborted",   "aborted command",
    "sense key 0xc",  "volume overflow", "miscompare",  "completed",
};

static const struct {
    uint8_t asc, ascq;
    const char *words;
} senses[] = {
    { 0x04, 0x00, "not ready, cause not reported" },
    { 0x04, 0x01, "becoming ready" },
    { 0x04, 0x02, "needs to be started" },
    { 0x10, 0x00, "CRC or ECC error of an ID" },
    { 0x11, 0x00, "unrecovered read error" },
    { 0x15, 0x01, "mechanical positioning error" },
    { 0x20, 0x00, "command not known to the drive" },
    { 0x21, 0x00, "LBA out of range" },
    { 0x24, 0x00, "field in the CDB not accepted" },
    { 0x25, 0x00, "logical unit not supported" },
    { 0x29, 0x00, "power on or reset happened" },
    { 0x31, 0x00, "medium format corrupted" },
    { 0x3a, 0x00, "no medium" },
    { 0x44, 0x00, "internal target failure" },
    { 0x5d, 0x00, "failure predicted" },
};

const char *mfi_status_text(uint8_t mfi_status)
{
    for (unsigned i = 0; i < ARRAY_COUNT(statuses); i++)
        if (statuses[i].status == mfi_status)
            return statuses[i].words;
    return "unknown status";
}

/* Sense key, ASC and ASCQ of fixed (70h, 71h) or descriptor (72h, 73h) sense data, all "current" forms. */
static bool sense_parse(const uint8_t *s, unsigned len, uint32_t *packed)
{
    unsigned code = len ? s[0] & 0x7f : 0;

    if ((code == 0x70 || code == 0x71) && len >= 14)
        *packed = (uint32_t)(FIELD_PUT(DETAIL_KEY, s[2]) | FIELD_PUT(DETAIL_ASC, s[12]) |
                             FIELD_PUT(DETAIL_ASCQ, s[13]));
    else if ((code == 0x72 || code == 0x73) && len >= 4)
        *packed = (uint32_t)(FIELD_PUT(DETAIL_KEY, s[1]) | FIELD_PUT(DETAIL_ASC, s[2]) |
                             FIELD_PUT(DETAIL_ASCQ, s[3]));
    else
        return false;
    return true;
}

uint32_t mfi_detail(uint8_t mfi_status, uint8_t scsi_status, const uint8_t *sense, unsigned sense_len)
{
    uint32_t detail = (uint32_t)FIELD_PUT(DETAIL_STATUS, mfi_status), packed;

    if (mfi_status != MFI_STAT_SCSI_DONE_WITH_ERROR)
        return detail;
    sense_len = (unsigned)min_u64(sense_len, MFI_SENSE_BYTES);
    if (scsi_status == CHECK_CONDITION && sense_parse(sense, sense_len, &packed))
        return detail | packed | KIND_SENSE;
    return detail | (uint32_t)FIELD_PUT(DETAIL_SCSI_STATUS, scsi_status) | KIND_SCSI_STATUS;
}

unsigned mfi_detail_sense_key(uint32_t detail)
{
    return FIELD_GET(DETAIL_KIND, detail) == KIND_SENSE ? (unsigned)FIELD_GET(DETAIL_KEY, detail) : 0;
}

static const char *scsi_status_text(uint8_t s)
{
    static const struct {
        uint8_t status;
        const char *words;
    } rows[] = {
        { 0x02, "check condition without sense data" },
        { 0x08, "busy" },
        { 0x18, "reservation conflict" },
        { 0x28, "task set full" },
        { 0x40, "task aborted" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].status == s)
            return rows[i].words;
    return "SCSI status";
}

void mfi_status_words(uint32_t detail, struct text *out)
{
    uint8_t status = (uint8_t)FIELD_GET(DETAIL_STATUS, detail);
    uint8_t asc = (uint8_t)FIELD_GET(DETAIL_ASC, detail), ascq = (uint8_t)FIELD_GET(DETAIL_ASCQ, detail);

    if (FIELD_GET(DETAIL_KIND, detail) == KIND_SENSE) {
        const char *words = NULL;

        for (unsigned i = 0; i < ARRAY_COUNT(senses); i++)
            if (senses[i].asc == asc && senses[i].ascq == ascq)
                words = senses[i].words;
        text_fmt(out, "%s%s%s (MFI status 0x%02x, sense %x/%02x/%02x)",
                 sense_keys[FIELD_GET(DETAIL_KEY, detail)], words ? ": " : "", words ? words : "", status,
                 (unsigned)FIELD_GET(DETAIL_KEY, detail), asc, ascq);
    } else if (FIELD_GET(DETAIL_KIND, detail) == KIND_SCSI_STATUS) {
        uint8_t scsi = (uint8_t)FIELD_GET(DETAIL_SCSI_STATUS, detail);

        text_fmt(out, "%s (MFI status 0x%02x, SCSI status 0x%02x)", scsi_status_text(scsi), status, scsi);
    } else {
        text_fmt(out, "%s (MFI status 0x%02x)", mfi_status_text(status), status);
    }
}

void mfi_policy_words(uint8_t policy, struct text *out)
{
    text_str(out, !(policy & POLICY_WRITE_BACK)       ? "write through"
                  : policy & POLICY_WRITE_BACK_NO_BBU ? "write back even without battery"
                                                      : "write back");
    text_str(out, !(policy & POLICY_READ_AHEAD) ? ", no read ahead"
                  : policy & POLICY_ADAPTIVE    ? ", adaptive read ahead"
                                                : ", read ahead");
    text_str(out, policy & POLICY_ALLOW_READ_CACHE    ? ", cached I/O"
                  : policy & POLICY_ALLOW_WRITE_CACHE ? ", writes cached"
                                                      : ", direct I/O");
}
