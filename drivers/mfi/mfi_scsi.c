#include "mfi_internal.h"

enum {
    INQUIRY = 0x12,
    READ_CAPACITY_10 = 0x25,
    SERVICE_ACTION_IN = 0x9e,
    SA_READ_CAPACITY_16 = 0x10,
    DEADLINE_MS = 60000, /* a drive may have to spin up */
    UNIT_ATTENTION = 6,
    ATTENTION_RETRIES = 3,
    INQUIRY_BYTES = 96,
    VPD_BYTES = 252, /* fits the one-byte length of old INQUIRYs */
    VPD_HEADER = 4
};

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t be64(const uint8_t *p) { return (uint64_t)be32(p) << 32 | be32(p + 4); }

static int send_once(struct mfi_card *card, struct mfi_address to, const uint8_t *cdb, uint8_t cdb_len,
                     uint32_t len_bytes)
{
    const uint32_t at = (uint32_t)card->buffers.bus + card->management * MFI_BUFFER_BYTES;

    mfi_buffer_prepare(card, len_bytes);
    if (card->gen->fusion && !to.member)
        return mfi_fusion_scsi(card, to, cdb, cdb_len, len_bytes, DEADLINE_MS);
    const unsigned number = card->management;
    struct mfi_scsi_frame *f = (struct mfi_scsi_frame *)mfi_management_frame(card, to.cmd);
    uint8_t *slot = mfi_slot(card, number);
    f->h.sense_len = MFI_SENSE_BYTES;
    f->h.target_id = (uint8_t)to.target;
    f->h.cdb_len = cdb_len;
    f->sense_lo = (uint32_t)mfi_slot_bus(card, number) + MFI_SENSE_OFFSET;
    memcpy(f->cdb, cdb, cdb_len);
    if (len_bytes) {
        f->h.sge_count = 1;
        f->h.flags |= MFI_FLAG_READ | MFI_FLAG_SGL64;
        f->h.data_len = len_bytes;
        f->sge[0] = (struct mfi_sge64){ .addr_lo = at, .len = len_bytes };
        if (card->gen->ieee_io)
            f->h.flags |= MFI_FLAG_IEEE; /* the longer entry begins like the other; its last word is zero */
    }
    int rc = mfi_management_call(card, MFI_FOR_DRIVE, DEADLINE_MS, "SCSI command through the card");
    if (!rc)
        card->command_detail =
            mfi_detail(card->command_status, f->h.scsi_status, slot + MFI_SENSE_OFFSET, f->h.sense_len);
    return rc;
}

static bool gate_allows(const struct mfi_card *card, struct mfi_address to, const uint8_t *cdb)
{
    const bool request = card->gen->fusion && !to.member;

    return (request ? gate_permits(GATE_FUSION, FUSION_LD_IO, 0) : gate_permits(GATE_MFI_FRAME, to.cmd, 0)) &&
           gate_permits(GATE_SCSI, cdb[0], gate_scsi(cdb));
}

int mfi_scsi_in(struct mfi_card *card, struct mfi_address to, const uint8_t *cdb, uint8_t cdb_len,
                void *reply, uint32_t reply_bytes, uint32_t *got)
{
    *got = 0;
    card->command_detail = 0;
    if (!gate_allows(card, to, cdb))
        return NOTE(E_REFUSED, "gate: SCSI command through the card", cdb[0], to.cmd);
    if (cdb_len > 16 || reply_bytes > MFI_BUFFER_BYTES)
        return NOTE(E_LIMIT, "SCSI command through the card", reply_bytes, MFI_BUFFER_BYTES);
    for (unsigned again = 0;; again++) {
        int rc = send_once(card, to, cdb, cdb_len, reply_bytes);

        if (rc)
            return rc;
        if (card->command_status == MFI_STAT_OK)
            break;
        if (mfi_detail_sense_key(card->command_detail) != UNIT_ATTENTION || again == ATTENTION_RETRIES)
            return NOTE(E_REFUSED, "SCSI command through the card", card->command_detail, cdb[0]);
    }
    *got = mfi_buffer_copy(card, reply, reply_bytes);
    return OK;
}

int mfi_scsi_ata_registers(struct mfi_card *card, struct mfi_address to, const uint8_t cdb[16],
                           uint8_t sense[MFI_SENSE_BYTES])
{
    memset(sense, 0, MFI_SENSE_BYTES);
    card->command_detail = 0;
    if (!gate_allows(card, to, cdb))
        return NOTE(E_REFUSED, "gate: ATA command through the card", cdb[0], gate_scsi(cdb));
    const unsigned number = card->management;
    memset(mfi_slot(card, number) + MFI_SENSE_OFFSET, 0, MFI_SENSE_BYTES);
    int rc = send_once(card, to, cdb, 16, 0);
    if (!rc)
        memcpy(sense, mfi_slot(card, number) + MFI_SENSE_OFFSET, MFI_SENSE_BYTES);
    return rc;
}

bool mfi_inquiry_parse(const uint8_t *data, uint32_t len, struct mfi_inquiry *out)
{
    *out = (struct mfi_inquiry){ 0 };
    /* Peripheral qualifier not 0: nothing is connected there (QEMU's PD info says 7Fh for all, 5.4 fact 16).
     */
    if (len < 36 || data[0] >> 5)
        return false;
    out->device_type = data[0] & 0x1f;
    str_scrub(out->vendor, sizeof out->vendor, data + 8, 8);
    str_scrub(out->product, sizeof out->product, data + 16, 16);
    str_scrub(out->revision, sizeof out->revision, data + 32, 4);
    return out->vendor[0] || out->product[0];
}

uint32_t mfi_believable(uint32_t claimed, uint32_t written, uint32_t cap)
{
    enum { CHANCE_BYTES = 3 };

    claimed = (uint32_t)min_u64(claimed, cap);
    return claimed <= written + CHANCE_BYTES ? claimed : written;
}

int mfi_scsi_inquiry(struct mfi_card *card, struct mfi_address to, struct mfi_inquiry *out)
{
    static const uint8_t cdb[6] = { INQUIRY, 0, 0, 0, INQUIRY_BYTES };
    uint8_t data[INQUIRY_BYTES];
    uint32_t got;
    int rc = mfi_scsi_in(card, to, cdb, sizeof cdb, data, sizeof data, &got);

    *out = (struct mfi_inquiry){ 0 };
    if (rc)
        return rc;
    return mfi_inquiry_parse(data, got < 5 ? 0 : mfi_believable(5u + data[4], got, sizeof data), out)
               ? OK
               : NOTE(E_UNSUPPORTED, "INQUIRY data of nothing", data[0], got);
}

/* *body: length of the page's body, 0 when it is another page, empty or refused; never beyond what was
 * received. */
static int read_vpd(struct mfi_card *card, struct mfi_address to, uint8_t page, uint8_t *data, uint32_t *body)
{
    const uint8_t cdb[6] = { INQUIRY, 1, page, 0, VPD_BYTES };
    uint32_t got;
    int rc = mfi_scsi_in(card, to, cdb, sizeof cdb, data, VPD_BYTES, &got);

    *body = 0;
    if (rc)
        return rc == E_REFUSED ? OK : rc;
    if (got >= VPD_HEADER && data[1] == page)
        *body = mfi_believable(VPD_HEADER + ((uint32_t)data[2] << 8 | data[3]), got, VPD_BYTES) - VPD_HEADER;
    return OK;
}

static bool is_filler(const uint8_t *p, uint32_t len)
{
    for (uint32_t i = 1; i < len; i++)
        if (p[i] != p[0])
            return false;
    return len == 0 || p[0] == 0 || p[0] == 0xff || p[0] == ' ';
}

/* One descriptor as text; the higher the rank the fewer disks can share it. */
static unsigned designator_rank(const uint8_t *d, uint32_t len)
{
    static const uint8_t ranks[] = { 1, 2, 3, 4 }; /* vendor's own, T10 vendor, EUI-64, NAA */

    if ((d[1] >> 4 & 3) != 0 || is_filler(d + VPD_HEADER, len)) /* of a port or target, not of the disk */
        return 0;
    return (d[1] & 0xf) < sizeof ranks ? ranks[d[1] & 0xf] : 0;
}

static void put_designator(const uint8_t *d, uint32_t len, char *to, size_t cap)
{
    static const char *const prefix[] = { "vendor.", "t10.", "eui.", "naa." };
    struct text t = text_over(to, cap);

    text_str(&t, prefix[d[1] & 3]);
    if ((d[0] & 0xf) == 1) { /* code set: binary */
        for (uint32_t i = 0; i < len; i++)
            text_hex(&t, d[VPD_HEADER + i], 2);
    } else {
        char words[80];

        str_scrub(words, sizeof words, d + VPD_HEADER, len);
        text_str(&t, words);
    }
    /* A cut name may be another disk's. */
    if (t.cut)
        to[0] = 0;
}

void mfi_designator_text(const uint8_t *page, uint32_t len, char *to, size_t cap)
{
    unsigned best = 0;

    to[0] = 0;
    if (len < VPD_HEADER || page[1] != 0x83)
        return;
    uint32_t end = (uint32_t)min_u64(len, VPD_HEADER + ((uint32_t)page[2] << 8 | page[3]));
    for (uint32_t at = VPD_HEADER; at + VPD_HEADER <= end;) {
        const uint8_t *d = page + at;
        uint32_t body = d[3];

        if (body > end - at - VPD_HEADER)
            return;
        unsigned rank = designator_rank(d, body);
        if (rank > best) {
            best = rank;
            put_designator(d, body, to, cap);
        }
        at += VPD_HEADER + body;
    }
}

int mfi_scsi_identity(struct mfi_card *card, struct mfi_address to, struct disk *d)
{
    uint8_t data[VPD_BYTES];
    uint32_t body;
    int rc;

    if ((rc = read_vpd(card, to, 0x80, data, &body)))
        return rc;
    if (body)
        str_scrub(d->serial, sizeof d->serial, data + VPD_HEADER, body);
    if ((rc = read_vpd(card, to, 0x83, data, &body)))
        return rc;
    if (body)
        mfi_designator_text(data, VPD_HEADER + body, d->identity, sizeof d->identity);
    /* A virtual drive has no rotation rate worth the name. */
    if (to.cmd != MFI_PD_SCSI_IO)
        return OK;
    if ((rc = read_vpd(card, to, 0xb1, data, &body)))
        return rc;
    if (body >= 2) {
        uint32_t rpm = (uint32_t)data[4] << 8 | data[5];

        d->rotation = rpm == 1                      ? ROTATION_NONE
                      : rpm > 0x400 && rpm < 0xffff ? ROTATION_YES
                                                    : ROTATION_UNKNOWN;
    }
    return OK;
}

static int capacity_take(struct disk *d, uint64_t last_lba, uint32_t lba_bytes, unsigned physical_exponent)
{
    if (lba_bytes < 512 || lba_bytes > 65536 || last_lba >= UINT64_MAX / lba_bytes - 1)
        return NOTE(E_LIMIT, "READ CAPACITY: a size nobody can have", last_lba, lba_bytes);
    d->lba_bytes = lba_bytes;
    d->lba_count = last_lba + 1;
    d->physical_block_bytes = lba_bytes << physical_exponent;
    return OK;
}

int mfi_scsi_capacity(struct mfi_card *card, struct mfi_address to, struct disk *d)
{
    static const uint8_t cdb16[16] = { SERVICE_ACTION_IN, SA_READ_CAPACITY_16, [13] = 32 };
    static const uint8_t cdb10[10] = { READ_CAPACITY_10 };
    uint8_t data[32];
    uint32_t got;
    int rc = mfi_scsi_in(card, to, cdb16, sizeof cdb16, data, sizeof data, &got);

    if (!rc && got >= 12)
        return capacity_take(d, be64(data), be32(data + 8), data[13] & 0xf);
    if (rc != OK && rc != E_REFUSED)
        return rc;
    if ((rc = mfi_scsi_in(card, to, cdb10, sizeof cdb10, data, 8, &got)))
        return rc;
    if (got < 8 || be32(data) == UINT32_MAX)
        return NOTE(E_LIMIT, "READ CAPACITY(10): size", be32(data), got);
    return capacity_take(d, be32(data), be32(data + 4), 0);
}
