#include "gate.h"
#include "bits.h"
#include "fault.h"
#include "str.h"

/* What is not here does not pass.  A row with a qualifier permits only that one use of its opcode:
 * Set Features, SMART and SERVICE ACTION IN each hide commands that change a drive for good behind the
 * opcode of a harmless one. */
const struct gate_row gate_rows[] = {
    { GATE_NVME_ADMIN, 0x00, 0, 0, "Delete I/O Submission Queue",
      "removes a queue of our own; nothing of it outlives a reset" },
    { GATE_NVME_ADMIN, 0x01, 0, 0, "Create I/O Submission Queue",
      "memory of ours for commands; nothing of it outlives a reset" },
    { GATE_NVME_ADMIN, 0x02, 0x7fff, 0x01, "Get Log Page: error information", "reads a report" },
    { GATE_NVME_ADMIN, 0x02, 0x7fff, 0x02, "Get Log Page: SMART / health", "reads a report" },
    { GATE_NVME_ADMIN, 0x02, 0x7fff, 0x03, "Get Log Page: firmware slots", "reads a report" },
    { GATE_NVME_ADMIN, 0x02, 0x7fff, 0x04, "Get Log Page: changed namespaces", "reads a report" },
    { GATE_NVME_ADMIN, 0x02, 0x7fff, 0x05, "Get Log Page: commands supported", "reads a report" },
    { GATE_NVME_ADMIN, 0x02, 0x7fff, 0x06, "Get Log Page: device self-test results", "reads a report" },
    { GATE_NVME_ADMIN, 0x02, 0x7fff, 0x09, "Get Log Page: endurance group", "reads a report" },
    { GATE_NVME_ADMIN, 0x04, 0, 0, "Delete I/O Completion Queue",
      "removes a queue of our own; nothing of it outlives a reset" },
    { GATE_NVME_ADMIN, 0x05, 0, 0, "Create I/O Completion Queue",
      "memory of ours for answers; nothing of it outlives a reset" },
    { GATE_NVME_ADMIN, 0x06, 0, 0, "Identify", "reads a description" },
    { GATE_NVME_ADMIN, 0x08, 0, 0, "Abort", "ends a read of our own" },
    { GATE_NVME_ADMIN, 0x09, 0x800000ff, 0x07, "Set Features: number of queues, not saved",
      "asks for queues until the next reset; every other feature and the save bit are refused" },
    { GATE_NVME_ADMIN, 0x09, 0x800000ff, 0x02, "Set Features: power management, not saved",
      "chooses how much power the drive may take until the next reset; put back at the end" },
    { GATE_NVME_ADMIN, 0x09, 0x800000ff, 0x06, "Set Features: volatile write cache, not saved",
      "switches the drive's cache until the next reset, for a job that asks; put back at its end" },
    { GATE_NVME_ADMIN, 0x09, 0x800000ff, 0x0c, "Set Features: autonomous power state transitions, not saved",
      "keeps the drive from falling asleep until the next reset; put back at the end" },
    { GATE_NVME_ADMIN, 0x09, 0x800000ff, 0x0d, "Set Features: host memory buffer, not saved",
      "lends memory of ours to the drive, which every reset takes back" },
    { GATE_NVME_ADMIN, 0x0a, 0, 0, "Get Features", "reads a setting" },
    { GATE_NVME_ADMIN, 0x14, 0xffffffff, 0x1, "Device Self-test: short",
      "the drive tests itself and changes no data; only when a person asks for it" },
    { GATE_NVME_ADMIN, 0x14, 0xffffffff, 0x2, "Device Self-test: extended", "as the short one" },
    { GATE_NVME_ADMIN, 0x14, 0xffffffff, 0xf, "Device Self-test: abort", "ends a self-test" },
    { GATE_NVME_IO, 0x02, 0, 0, "Read", "reads blocks" },
    { GATE_ATA, 0x24, 0, 0, "READ SECTORS EXT", "reads blocks" },
    { GATE_ATA, 0x25, 0, 0, "READ DMA EXT", "reads blocks" },
    { GATE_ATA, 0x27, 0, 0, "READ NATIVE MAX EXT",
      "reads a size; the commands that would change it (SET MAX, 37h and F9h) are refused" },
    { GATE_ATA, 0x2f, 0, 0, "READ LOG EXT", "reads a report" },
    { GATE_ATA, 0x60, 0, 0, "READ FPDMA QUEUED", "reads blocks" },
    { GATE_ATA, 0xa1, 0, 0, "IDENTIFY PACKET DEVICE", "reads a description" },
    { GATE_ATA, 0xb0, 0xff, 0xd0, "SMART READ DATA",
      "reads a report; every other SMART action has a row of its own or is refused" },
    { GATE_ATA, 0xb0, 0xff, 0xd1, "SMART READ THRESHOLDS", "reads a report" },
    { GATE_ATA, 0xb0, 0xffff, 0x01d4, "SMART EXECUTE OFF-LINE: short self-test",
      "the drive reads itself beside our reads; the tests that block it (81h, 82h), the offline scan and the "
      "selective test, which keep settings in the drive, are refused" },
    { GATE_ATA, 0xb0, 0xffff, 0x02d4, "SMART EXECUTE OFF-LINE: extended self-test",
      "the drive reads itself beside our reads" },
    { GATE_ATA, 0xb0, 0xffff, 0x7fd4, "SMART EXECUTE OFF-LINE: abort the self-test",
      "ends a test that was started on request" },
    { GATE_ATA, 0xb0, 0xff, 0xd5, "SMART READ LOG", "reads a report" },
    { GATE_ATA, 0xb0, 0xff, 0xda, "SMART RETURN STATUS", "reads the drive's own verdict" },
    { GATE_ATA, 0xc8, 0, 0, "READ DMA", "reads blocks; drives without 48-bit addresses know no other" },
    { GATE_ATA, 0xe5, 0, 0, "CHECK POWER MODE", "reads a state; wakes nothing" },
    { GATE_ATA, 0xec, 0, 0, "IDENTIFY DEVICE", "reads a description" },
    { GATE_ATA, 0xef, 0xff, 0x02, "SET FEATURES: write cache on",
      "until the drive's power goes, for a job that asks; gate_permits_write_cache is asked as well" },
    { GATE_ATA, 0xef, 0xff, 0x07, "SET FEATURES: spin up",
      "starts the motor of a drive that waits for it after power-up; features without a row are refused" },
    { GATE_ATA, 0xef, 0xff, 0x55, "SET FEATURES: look-ahead off",
      "until the drive's power goes, for a job that asks; put back at its end" },
    { GATE_ATA, 0xef, 0xff, 0x82, "SET FEATURES: write cache off",
      "the drive writes what it holds first; for a job that asks, put back at its end" },
    { GATE_ATA, 0xef, 0xff, 0xaa, "SET FEATURES: look-ahead on", "as its end" },
    { GATE_SCSI, 0x00, 0, 0, "TEST UNIT READY", "asks for a state" },
    { GATE_SCSI, 0x03, 0, 0, "REQUEST SENSE", "reads why a command failed" },
    { GATE_SCSI, 0x12, 0, 0, "INQUIRY", "reads a description" },
    { GATE_SCSI, 0x1a, 0, 0, "MODE SENSE(6)", "reads settings" },
    { GATE_SCSI, 0x25, 0, 0, "READ CAPACITY(10)", "reads the size" },
    { GATE_SCSI, 0x28, 0, 0, "READ(10)", "reads blocks" },
    { GATE_SCSI, 0x4d, 0x01, 0, "LOG SENSE, nothing saved",
      "reads a report; with the save bit it would store parameters" },
    { GATE_SCSI, 0x5a, 0, 0, "MODE SENSE(10)", "reads settings" },
    { GATE_SCSI, 0x85, 0xffffffff, 0x0e08d0b0, "ATA PASS-THROUGH(16): SMART READ DATA",
      "reads a report; protocol, direction and length bits are fixed, every other ATA command is refused" },
    { GATE_SCSI, 0x85, 0xffffffff, 0x0e08d1b0, "ATA PASS-THROUGH(16): SMART READ THRESHOLDS",
      "reads a report" },
    { GATE_SCSI, 0x85, 0xffffffff, 0x2006dab0, "ATA PASS-THROUGH(16): SMART RETURN STATUS",
      "reads the drive's own verdict; no data, the answer comes in its registers" },
    { GATE_SCSI, 0x85, 0xffffffff, 0x0e0800ec, "ATA PASS-THROUGH(16): IDENTIFY DEVICE",
      "reads a description" },
    { GATE_SCSI, 0x88, 0, 0, "READ(16)", "reads blocks" },
    { GATE_SCSI, 0x9e, 0x1f, 0x10, "READ CAPACITY(16)",
      "reads the size; other service actions share the opcode" },
    { GATE_MFI_FRAME, 0x00, 0, 0, "INIT", "tells the card where our queues are, until the next reset" },
    { GATE_MFI_FRAME, 0x01, 0, 0, "LD_READ", "reads blocks of a virtual drive" },
    { GATE_MFI_FRAME, 0x03, 0, 0, "LD_SCSI_IO",
      "carries a CDB to a virtual drive; the CDB is asked about as GATE_SCSI as well" },
    { GATE_MFI_FRAME, 0x04, 0, 0, "PD_SCSI_IO",
      "carries a CDB to a drive; the CDB is asked about as GATE_SCSI as well" },
    { GATE_MFI_FRAME, 0x05, 0, 0, "DCMD",
      "carries a management command; its opcode is asked about as GATE_MFI_DCMD as well" },
    { GATE_MFI_DCMD, 0x01010000, 0, 0, "controller get info", "reads a description" },
    { GATE_MFI_DCMD, 0x01020100, 0, 0, "controller get properties", "reads settings" },
    { GATE_MFI_DCMD, 0x01040100, 0, 0, "event log info", "reads a report" },
    { GATE_MFI_DCMD, 0x01040300, 0, 0, "event get",
      "reads past events; waiting for new ones is another opcode" },
    { GATE_MFI_DCMD, 0x01070100, 0, 0, "patrol read status", "reads a state" },
    { GATE_MFI_DCMD, 0x01101000, 0, 0, "cache flush",
      "the card writes what it has already promised to keep" },
    { GATE_MFI_DCMD, 0x02010000, 0, 0, "PD get list", "reads a list" },
    { GATE_MFI_DCMD, 0x02010100, 0, 0, "PD list query", "reads a list" },
    { GATE_MFI_DCMD, 0x02020000, 0, 0, "PD get info", "reads a description" },
    { GATE_MFI_DCMD, 0x02070100, 0, 0, "PD locate LED on", "lights a lamp so that a person finds the drive" },
    { GATE_MFI_DCMD, 0x02070200, 0, 0, "PD locate LED off", "puts that lamp out" },
    { GATE_MFI_DCMD, 0x03010000, 0, 0, "LD get list", "reads a list" },
    { GATE_MFI_DCMD, 0x03010100, 0, 0, "LD list query", "reads a list" },
    { GATE_MFI_DCMD, 0x03020000, 0, 0, "LD get info", "reads a description" },
    { GATE_MFI_DCMD, 0x03030000, 0, 0, "LD get properties", "reads settings" },
    { GATE_MFI_DCMD, 0x04010000, 0, 0, "config read", "reads the configuration" },
    { GATE_MFI_DCMD, 0x05010000, 0, 0, "BBU get status", "reads a report" },
    { GATE_MFI_DCMD, 0x05020000, 0, 0, "BBU get capacity info", "reads a report" },
    { GATE_MFI_DCMD, 0x05030000, 0, 0, "BBU get design info", "reads a description" },
    { GATE_MFI_DCMD, 0x05050100, 0, 0, "BBU get properties", "reads settings" },
    { GATE_FUSION, 0xf0, 0, 0, "MFI pass-through",
      "carries an MFI frame; the frame is asked about as GATE_MFI_FRAME as well" },
    { GATE_FUSION, 0xf1, 0, 0, "LD I/O",
      "carries a CDB through the firmware; the CDB is asked about as GATE_SCSI as well" },
    { GATE_SMBUS, SMBUS_READ_BYTE_DATA, 0xfffff880, 0x5000, "read byte data at 0x50-0x57, byte 0-127",
      "reads a memory module's description; 0x30-0x37 would protect or switch it for good" },
};
const unsigned gate_row_count = ARRAY_COUNT(gate_rows);

bool gate_permits(enum gate_transport transport, uint32_t opcode, uint32_t qualifier)
{
    for (unsigned i = 0; i < gate_row_count; i++) {
        const struct gate_row *r = &gate_rows[i];

        if (r->transport == transport && r->opcode == opcode &&
            (qualifier & r->qualifier_mask) == r->qualifier)
            return true;
    }
    return false;
}

int gate_open(struct gate_pass *p, enum gate_transport transport, uint8_t read_opcode, uint64_t lba_count)
{
    *p = (struct gate_pass){ 0 };
    if (!gate_permits(transport, read_opcode, 0))
        return NOTE(E_REFUSED, "command of a lane that the gate does not know", read_opcode, transport);
    *p = (struct gate_pass){ .transport = transport, .read_opcode = read_opcode, .lba_count = lba_count };
    return OK;
}

/* ---- writes ---- */

bool gate_permits_write_cache(const char *identity, bool on, bool found_on)
{
    return !on || found_on || gate_is_armed(identity, NULL, NULL);
}

/* Nothing of this is harmless: none of it has a row above. */
const struct gate_write_row gate_write_rows[] = {
    { GATE_NVME_IO, 0x00, true, "Flush" },
    { GATE_NVME_IO, 0x01, false, "Write" },
    { GATE_ATA, 0x35, false, "WRITE DMA EXT" },
    { GATE_ATA, 0x61, false, "WRITE FPDMA QUEUED" },
    { GATE_ATA, 0xca, false, "WRITE DMA" },
    { GATE_ATA, 0xe7, true, "FLUSH CACHE" },
    { GATE_ATA, 0xea, true, "FLUSH CACHE EXT" },
    { GATE_SCSI, 0x2a, false, "WRITE(10)" },
    { GATE_SCSI, 0x35, true, "SYNCHRONIZE CACHE(10)" },
    { GATE_SCSI, 0x8a, false, "WRITE(16)" },
    { GATE_SCSI, 0x91, true, "SYNCHRONIZE CACHE(16)" },
    { GATE_MFI_FRAME, 0x02, false, "LD_WRITE" },
    /* The frame that carries the cache flush of the whole card, which is harmless by itself. */
    { GATE_MFI_FRAME, 0x05, true, "DCMD: cache flush" },
};
const unsigned gate_write_row_count = ARRAY_COUNT(gate_write_rows);

static bool write_row_permits(enum gate_transport transport, uint8_t opcode, bool flushes)
{
    for (unsigned i = 0; i < gate_write_row_count; i++)
        if (gate_write_rows[i].transport == transport && gate_write_rows[i].opcode == opcode &&
            gate_write_rows[i].flushes == flushes)
            return true;
    return false;
}

int gate_open_writes(struct gate_pass *p, enum gate_transport transport, uint8_t write_opcode,
                     uint8_t flush_opcode, const char *identity, uint64_t lba_count)
{
    uint64_t first, armed_blocks, end;

    if (!gate_is_armed(identity, &first, &armed_blocks))
        return NOTE(E_REFUSED, "a lane that writes on a disk that is not armed", lba_count, 0);
    if (p->transport != transport || !write_row_permits(transport, write_opcode, false) ||
        !write_row_permits(transport, flush_opcode, true))
        return NOTE(E_REFUSED, "commands of a lane that the table of writes does not know",
                    write_opcode | (uint64_t)flush_opcode << 8, transport);
    end = first + armed_blocks < lba_count ? first + armed_blocks : lba_count;
    end = end < p->lba_count ? end : p->lba_count;
    if (first >= end)
        return NOTE(E_REFUSED, "the armed range lies beyond the end of the disk", first, lba_count);
    p->write_opcode = write_opcode;
    p->flush_opcode = flush_opcode;
    p->write_first_lba = first;
    p->write_end_lba = end;
    return OK;
}

static struct gate_armed {
    char identity[96];
    uint64_t first_lba, lba_count;
} armed[GATE_MAX_ARMED];
static unsigned armed_count;

static struct gate_armed *armed_find(const char *identity)
{
    for (unsigned i = 0; identity[0] && i < armed_count; i++)
        if (str_equal(armed[i].identity, identity))
            return &armed[i];
    return NULL;
}

int gate_arm(const char *identity, uint64_t first_lba, uint64_t lba_count)
{
    if (!identity[0] || str_len(identity) >= sizeof armed[0].identity)
        return NOTE(E_REFUSED, "a disk without an identity of its own cannot be armed", lba_count, 0);
    if (!lba_count || lba_count > UINT64_MAX - first_lba)
        return NOTE(E_REFUSED, "a range that cannot be armed", first_lba, lba_count);
    if (armed_find(identity))
        return NOTE(E_REFUSED, "an identity that is armed already", first_lba, lba_count);
    if (armed_count == GATE_MAX_ARMED)
        return NOTE(E_LIMIT, "too many armed disks", armed_count, GATE_MAX_ARMED);
    struct gate_armed *a = &armed[armed_count++];

    str_copy(a->identity, sizeof a->identity, identity);
    a->first_lba = first_lba;
    a->lba_count = lba_count;
    return OK;
}

void gate_disarm(const char *identity)
{
    struct gate_armed *a = armed_find(identity);

    if (a)
        *a = armed[--armed_count];
}

void gate_disarm_all(void) { armed_count = 0; }

bool gate_is_armed(const char *identity, uint64_t *first_lba, uint64_t *lba_count)
{
    const struct gate_armed *a = armed_find(identity);

    if (a && first_lba)
        *first_lba = a->first_lba;
    if (a && lba_count)
        *lba_count = a->lba_count;
    return a != NULL;
}
