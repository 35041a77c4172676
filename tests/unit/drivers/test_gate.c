#include <string.h>
#include "bits.h"
#include "gate.h"
#include "platform_model.h"
#include "test.h"
#include "text.h"

/* What may pass, written down a second time and in another shape: each transport's opcodes as a list of
 * literal numbers.  A row added to the gate fails here until somebody adds it here too. */
static bool in_list(const uint32_t *list, unsigned n, uint32_t v)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i] == v)
            return true;
    return false;
}
#define IN(v, ...) in_list((const uint32_t[]){ __VA_ARGS__ }, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, v)

static void agree(enum gate_transport t, uint32_t opcode, uint32_t qualifier, bool want)
{
    if (gate_permits(t, opcode, qualifier) != want)
        test_fail(__FILE__, __LINE__, "transport %d opcode %#x qualifier %#x: want %s", t, opcode, qualifier,
                  want ? "permitted" : "refused");
}

/* Qualifiers worth trying with every opcode: each low byte, each single bit, combinations of the high ones.
 */
static unsigned qualifiers(uint32_t out[static 600])
{
    static const uint32_t high[] = { 0x80000000, 0x00000800, 0xffff0000, 0x00008000, 0x00000100, 0xffffff00 };
    unsigned n = 0;

    for (uint32_t i = 0; i < 256; i++)
        out[n++] = i;
    for (uint32_t i = 8; i < 32; i++)
        out[n++] = 1u << i;
    for (unsigned h = 0; h < ARRAY_COUNT(high); h++)
        for (uint32_t i = 0; i < 48; i++)
            out[n++] = high[h] | i;
    return n;
}

static bool nvme_admin_wanted(uint32_t opcode, uint32_t cdw10)
{
    if (opcode == 0x09)
        return IN(cdw10 & 0xff, 0x02, 0x06, 0x07, 0x0c, 0x0d) && !(cdw10 & 0x80000000);
    if (opcode == 0x14)
        return IN(cdw10, 0x1, 0x2, 0xf);
    if (opcode == 0x02)
        return IN(cdw10 & 0x7fff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x09);
    return IN(opcode, 0x00, 0x01, 0x04, 0x05, 0x06, 0x08, 0x0a);
}

static bool ata_wanted(uint32_t opcode, uint32_t features)
{
    if (opcode == 0xb0)
        return IN(features & 0xff, 0xd0, 0xd1, 0xd5, 0xda) || IN(features & 0xffff, 0x01d4, 0x02d4, 0x7fd4);
    if (opcode == 0xef)
        return IN(features & 0xff, 0x02, 0x07, 0x55, 0x82, 0xaa);
    return IN(opcode, 0x24, 0x25, 0x27, 0x2f, 0x60, 0xa1, 0xc8, 0xe5, 0xec);
}

static bool scsi_wanted(uint32_t opcode, uint32_t byte1)
{
    if (opcode == 0x9e)
        return (byte1 & 0x1f) == 0x10;
    if (opcode == 0x4d)
        return !(byte1 & 1);
    if (opcode == 0x85)
        return IN(byte1, 0x0e08d0b0, 0x0e08d1b0, 0x2006dab0, 0x0e0800ec);
    return IN(opcode, 0x00, 0x03, 0x12, 0x1a, 0x25, 0x28, 0x5a, 0x88);
}

TEST(an_ata_command_inside_a_scsi_command_passes_only_bit_for_bit)
{
    static const uint32_t wanted[] = { 0x0e08d0b0, 0x0e08d1b0, 0x2006dab0, 0x0e0800ec };

    for (unsigned i = 0; i < ARRAY_COUNT(wanted); i++) {
        agree(GATE_SCSI, 0x85, wanted[i], true);
        agree(GATE_SCSI, 0xa1, wanted[i], false);
        for (unsigned bit = 0; bit < 32; bit++)
            if ((wanted[i] ^ 1u << bit) != 0x0e08d1b0 && (wanted[i] ^ 1u << bit) != 0x0e08d0b0)
                agree(GATE_SCSI, 0x85, wanted[i] ^ 1u << bit, false);
    }
    const uint8_t cdb[16] = { 0x85, 0x08, 0x0e, 0, 0xd0, [14] = 0xb0 };
    EQ(gate_scsi(cdb), 0x0e08d0b0);
    const uint8_t other[16] = { 0x9e, 0xf0 };
    EQ(gate_scsi(other), 0x10);
}

TEST(exactly_the_listed_opcodes_of_each_transport_pass)
{
    static uint32_t q[600];
    unsigned n = qualifiers(q);

    for (uint32_t op = 0; op < 256; op++) {
        for (unsigned i = 0; i < n; i++) {
            agree(GATE_NVME_ADMIN, op, q[i], nvme_admin_wanted(op, q[i]));
            agree(GATE_NVME_IO, op, q[i], op == 0x02);
            agree(GATE_ATA, op, q[i], ata_wanted(op, q[i]));
            agree(GATE_SCSI, op, q[i], scsi_wanted(op, q[i]));
            agree(GATE_MFI_FRAME, op, q[i], IN(op, 0x00, 0x01, 0x03, 0x04, 0x05));
        }
    }
}

TEST(exactly_the_listed_raid_management_commands_pass)
{
    /* All opcodes with the class, group and action bytes that the cards know, and some that none does. */
    for (uint32_t class_ = 0; class_ < 0x100; class_++)
        for (uint32_t group = 0; group < 0x100; group++)
            for (uint32_t action = 0; action < 0x20; action++)
                for (uint32_t last = 0; last < 4; last++) {
                    uint32_t op = class_ << 24 | group << 16 | action << 8 | last;
                    bool want = IN(op, 0x01010000, 0x01020100, 0x01040100, 0x01040300, 0x01070100, 0x01101000,
                                   0x02010000, 0x02010100, 0x02020000, 0x02070100, 0x02070200, 0x03010000,
                                   0x03010100, 0x03020000, 0x03030000, 0x04010000, 0x05010000, 0x05020000,
                                   0x05030000, 0x05050100);
                    if (gate_permits(GATE_MFI_DCMD, op, 0) != want)
                        agree(GATE_MFI_DCMD, op, 0, want);
                }
}

static const struct {
    enum gate_transport t;
    uint32_t opcode, qualifier;
    const char *what;
} forbidden[] = {
    { GATE_NVME_ADMIN, 0x80, 0, "Format NVM" },
    { GATE_NVME_ADMIN, 0x84, 0, "Sanitize" },
    { GATE_NVME_ADMIN, 0x10, 0, "Firmware Commit" },
    { GATE_NVME_ADMIN, 0x11, 0, "Firmware Image Download" },
    { GATE_NVME_ADMIN, 0x0d, 0, "Namespace Management" },
    { GATE_NVME_ADMIN, 0x15, 0, "Namespace Attachment" },
    { GATE_NVME_ADMIN, 0x81, 0, "Security Send" },
    { GATE_NVME_ADMIN, 0x14, 0, "Device Self-test of no kind" },
    { GATE_NVME_ADMIN, 0x14, 0xe, "Device Self-test: vendor's own" },
    { GATE_NVME_ADMIN, 0x14, 0x10001, "Device Self-test with reserved bits" },
    { GATE_NVME_ADMIN, 0x09, 0x80000006, "Set Features: write cache, saved" },
    { GATE_NVME_ADMIN, 0x09, 0x84, "Set Features: write protection" },
    { GATE_NVME_ADMIN, 0x09, 0x80000007, "Set Features: number of queues, saved" },
    { GATE_NVME_ADMIN, 0x09, 0x80000002, "Set Features: power management, saved" },
    { GATE_NVME_ADMIN, 0x09, 0x8000000c, "Set Features: autonomous power states, saved" },
    { GATE_NVME_ADMIN, 0x09, 0x8000000d, "Set Features: host memory buffer, saved" },
    { GATE_NVME_ADMIN, 0x09, 0x10, "Set Features: thermal management" },
    { GATE_NVME_ADMIN, 0xc0, 0, "vendor command" },
    { GATE_NVME_ADMIN, 0xff, 0, "vendor command" },
    { GATE_NVME_ADMIN, 0x02, 0x0d, "persistent event log, which keeps state in the drive" },
    { GATE_NVME_ADMIN, 0x02, 0x0107, "telemetry log, created on demand" },
    { GATE_NVME_IO, 0x00, 0, "Flush" },
    { GATE_NVME_IO, 0x01, 0, "Write" },
    { GATE_NVME_IO, 0x04, 0, "Write Uncorrectable" },
    { GATE_NVME_IO, 0x08, 0, "Write Zeroes" },
    { GATE_NVME_IO, 0x09, 0, "Dataset Management" },
    { GATE_ATA, 0x35, 0, "WRITE DMA EXT" },
    { GATE_ATA, 0x61, 0, "WRITE FPDMA QUEUED" },
    { GATE_ATA, 0xca, 0, "WRITE DMA" },
    { GATE_ATA, 0x06, 1, "DATA SET MANAGEMENT: TRIM" },
    { GATE_ATA, 0xf4, 0, "SECURITY ERASE UNIT" },
    { GATE_ATA, 0xf1, 0, "SECURITY SET PASSWORD" },
    { GATE_ATA, 0xf5, 0, "SECURITY FREEZE LOCK" },
    { GATE_ATA, 0xf9, 0, "SET MAX ADDRESS" },
    { GATE_ATA, 0x37, 0, "SET MAX ADDRESS EXT" },
    { GATE_ATA, 0x92, 0, "DOWNLOAD MICROCODE" },
    { GATE_ATA, 0xb4, 0x11, "SANITIZE" },
    { GATE_ATA, 0xef, 0x03, "SET FEATURES: transfer mode" },
    { GATE_ATA, 0xef, 0x05, "SET FEATURES: power management" },
    { GATE_ATA, 0xef, 0x66, "SET FEATURES: keep settings over a reset" },
    { GATE_ATA, 0xef, 0xcc, "SET FEATURES: forget settings at a reset" },
    { GATE_ATA, 0xb0, 0xd6, "SMART WRITE LOG" },
    { GATE_ATA, 0xb0, 0x00d4, "SMART EXECUTE OFF-LINE: offline scan" },
    { GATE_ATA, 0xb0, 0x04d4, "SMART EXECUTE OFF-LINE: selective self-test" },
    { GATE_ATA, 0xb0, 0x81d4, "SMART EXECUTE OFF-LINE: short self-test that blocks the drive" },
    { GATE_ATA, 0xb0, 0x82d4, "SMART EXECUTE OFF-LINE: extended self-test that blocks the drive" },
    { GATE_ATA, 0xb0, 0xd8, "SMART ENABLE, which persists" },
    { GATE_ATA, 0xb0, 0xd9, "SMART DISABLE" },
    { GATE_ATA, 0xb1, 0xc0, "DEVICE CONFIGURATION RESTORE" },
    { GATE_SCSI, 0x04, 0, "FORMAT UNIT" },
    { GATE_SCSI, 0x2a, 0, "WRITE(10)" },
    { GATE_SCSI, 0x8a, 0, "WRITE(16)" },
    { GATE_SCSI, 0x42, 0, "UNMAP" },
    { GATE_SCSI, 0xa1, 0x0e08d0b0, "ATA PASS-THROUGH(12)" },
    { GATE_SCSI, 0x85, 0, "ATA PASS-THROUGH(16) of nothing" },
    { GATE_SCSI, 0x85, 0x0e08d2b0, "ATA PASS-THROUGH(16): SMART autosave" },
    { GATE_SCSI, 0x85, 0x0608d0b0, "ATA PASS-THROUGH(16): SMART READ DATA towards the device" },
    { GATE_SCSI, 0x85, 0x0e0ad0b0, "ATA PASS-THROUGH(16): SMART READ DATA as PIO data-out" },
    { GATE_SCSI, 0x85, 0x2006d9b0, "ATA PASS-THROUGH(16): SMART DISABLE" },
    { GATE_SCSI, 0x85, 0x060a0035, "ATA PASS-THROUGH(16): WRITE DMA EXT" },
    { GATE_SCSI, 0x85, 0x2006d4b0, "ATA PASS-THROUGH(16): SMART EXECUTE OFF-LINE" },
    { GATE_SCSI, 0x85, 0x200600ef, "ATA PASS-THROUGH(16): SET FEATURES" },
    { GATE_SCSI, 0x85, 0x200600f4, "ATA PASS-THROUGH(16): SECURITY ERASE UNIT" },
    { GATE_SCSI, 0x48, 0, "SANITIZE" },
    { GATE_SCSI, 0x15, 0, "MODE SELECT(6)" },
    { GATE_SCSI, 0x55, 0, "MODE SELECT(10)" },
    { GATE_SCSI, 0x3b, 0, "WRITE BUFFER" },
    { GATE_SCSI, 0x1d, 0, "SEND DIAGNOSTIC" },
    { GATE_SCSI, 0x07, 0, "REASSIGN BLOCKS" },
    { GATE_SCSI, 0x4d, 1, "LOG SENSE with the save bit" },
    { GATE_SCSI, 0x4c, 0, "LOG SELECT" },
    { GATE_SCSI, 0x5f, 0, "PERSISTENT RESERVE OUT" },
    { GATE_SCSI, 0x9e, 0x12, "another service action" },
    { GATE_SCSI, 0x41, 0, "WRITE SAME(10)" },
    { GATE_SCSI, 0x1b, 0, "START STOP UNIT" },
    { GATE_MFI_FRAME, 0x02, 0, "LD_WRITE" },
    { GATE_MFI_FRAME, 0x07, 0, "SMP" },
    { GATE_MFI_FRAME, 0x08, 0, "STP" },
    { GATE_MFI_DCMD, 0x04020000, 0, "config add" },
    { GATE_MFI_DCMD, 0x04030000, 0, "config clear" },
    { GATE_MFI_DCMD, 0x03090000, 0, "LD delete" },
    { GATE_MFI_DCMD, 0x03040000, 0, "LD set properties" },
    { GATE_MFI_DCMD, 0x03060100, 0, "LD init start" },
    { GATE_MFI_DCMD, 0x02030100, 0, "PD set state" },
    { GATE_MFI_DCMD, 0x02050100, 0, "PD clear" },
    { GATE_MFI_DCMD, 0x010d0000, 0, "factory defaults" },
    { GATE_MFI_DCMD, 0x01050000, 0, "controller shutdown" },
    { GATE_MFI_DCMD, 0x01020200, 0, "set properties" },
    { GATE_MFI_DCMD, 0x04060500, 0, "foreign clear" },
    { GATE_MFI_DCMD, 0x05040000, 0, "BBU learn" },
    { GATE_MFI_DCMD, 0x01040500, 0, "event wait, which never returns" },
};

TEST(commands_that_change_or_destroy_are_refused_by_name)
{
    for (unsigned i = 0; i < ARRAY_COUNT(forbidden); i++)
        if (gate_permits(forbidden[i].t, forbidden[i].opcode, forbidden[i].qualifier))
            test_fail(__FILE__, __LINE__, "%s passes", forbidden[i].what);
}

TEST(what_is_no_transport_passes_nothing)
{
    for (uint32_t op = 0; op < 256; op++) {
        agree(GATE_TRANSPORT_COUNT, op, 0, false);
        agree((enum gate_transport) - 1, op, 0, false);
        /* An opcode wider than its field is not the narrow one. */
        agree(GATE_NVME_IO, op << 8 | 2, 0, op == 0);
        agree(GATE_ATA, 0xec + 0x100 * op, 0, op == 0);
    }
}

TEST(a_write_cache_that_was_found_off_goes_on_only_where_the_disk_is_armed)
{
    gate_disarm_all();
    for (unsigned i = 0; i < 2; i++) {
        CHECK(gate_permits_write_cache("disk", false, false));
        CHECK(gate_permits_write_cache("disk", false, true));
        CHECK(gate_permits_write_cache("disk", true, true));
        EQ(gate_permits_write_cache("disk", true, false), i);
        CHECK(!gate_permits_write_cache("other", true, false));
        CHECK(!gate_permits_write_cache("", true, false));
        if (!i)
            EQ(gate_arm("disk", 8, 1), OK);
    }
    gate_disarm_all();
}

TEST(every_row_says_why_it_is_harmless_and_can_match_at_all)
{
    for (unsigned i = 0; i < gate_row_count; i++) {
        const struct gate_row *r = &gate_rows[i];

        CHECK(strlen(r->name) > 2 && strlen(r->why_harmless) > 8);
        CHECK(!(r->qualifier & ~r->qualifier_mask));
        CHECK(gate_permits(r->transport, r->opcode, r->qualifier));
    }
}

TEST(a_lane_opens_only_with_a_permitted_opcode)
{
    struct gate_pass p;

    model_quiet = true;
    EQ(gate_open(&p, GATE_NVME_IO, 0x02, 1000), OK);
    EQ(p.read_opcode, 0x02);
    EQ(p.lba_count, 1000);
    EQ(gate_open(&p, GATE_NVME_IO, 0x01, 1000), E_REFUSED);
    CHECK(!gate_lets_through(&p, 0x01, 0, 1));
    CHECK(!gate_lets_through(&p, 0x00, 0, 1));
    EQ(gate_open(&p, GATE_ATA, 0x35, 1000), E_REFUSED);
    EQ(gate_open(&p, GATE_SCSI, 0x2a, 1000), E_REFUSED);
    EQ(gate_open(&p, GATE_MFI_FRAME, 0x02, 1000), E_REFUSED);
    EQ(gate_open(&p, GATE_TRANSPORT_COUNT, 0x02, 1000), E_REFUSED);
    EQ(gate_open(&p, GATE_ATA, 0x60, 1), OK);
    EQ(gate_open(&p, GATE_ATA, 0x25, 1), OK);
    EQ(gate_open(&p, GATE_MFI_FRAME, 0x01, 1), OK);
    EQ(gate_open(&p, GATE_SCSI, 0x88, 1), OK);
}

TEST(only_the_lanes_own_opcode_inside_the_disk_goes_through)
{
    struct gate_pass p;

    EQ(gate_open(&p, GATE_NVME_IO, 0x02, 1000), OK);
    for (unsigned op = 0; op < 256; op++)
        EQ(gate_lets_through(&p, (uint8_t)op, 0, 1), op == 0x02);
    CHECK(gate_lets_through(&p, 0x02, 999, 1));
    CHECK(gate_lets_through(&p, 0x02, 0, 1000));
    CHECK(!gate_lets_through(&p, 0x02, 0, 0));
    CHECK(!gate_lets_through(&p, 0x02, 0, 1001));
    CHECK(!gate_lets_through(&p, 0x02, 999, 2));
    CHECK(!gate_lets_through(&p, 0x02, 1000, 1));
    CHECK(!gate_lets_through(&p, 0x02, UINT64_MAX, 1));
    CHECK(!gate_lets_through(&p, 0x02, UINT64_MAX - 1, UINT32_MAX));
    CHECK(!gate_lets_through(&p, 0x02, 1, UINT32_MAX));
    EQ(gate_open(&p, GATE_NVME_IO, 0x02, UINT64_MAX), OK);
    CHECK(gate_lets_through(&p, 0x02, UINT64_MAX - 1, 1));
    CHECK(!gate_lets_through(&p, 0x02, UINT64_MAX - 1, 2));
    EQ(gate_open(&p, GATE_NVME_IO, 0x02, 0), OK);
    CHECK(!gate_lets_through(&p, 0x02, 0, 1));
}

TEST(the_first_lbas_of_many_reads_are_those_that_each_read_is_let_through_with)
{
    static const uint64_t counts[] = { 0, 1, 2, 7, 8, 9, 1000, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX };
    static const uint32_t blocks[] = { 0, 1, 2, 8, 1000, UINT32_MAX };

    for (unsigned i = 0; i < ARRAY_COUNT(counts); i++) {
        struct gate_pass p;
        EQ(gate_open(&p, GATE_NVME_IO, 0x02, counts[i]), OK);
        EQ(gate_first_lbas(&p, 0x01, 1), 0);
        for (unsigned b = 0; b < ARRAY_COUNT(blocks); b++) {
            uint64_t firsts = gate_first_lbas(&p, 0x02, blocks[b]);
            const uint64_t lbas[] = { 0, 1, 992, 999, 1000, firsts - 1, firsts, firsts + 1, UINT64_MAX };
            for (unsigned l = 0; l < ARRAY_COUNT(lbas); l++)
                EQ(lbas[l] < firsts, gate_lets_through(&p, 0x02, lbas[l], blocks[b]));
        }
    }
}

TEST(only_a_disk_with_an_identity_and_a_range_can_be_armed_and_only_once)
{
    uint64_t first, count;

    gate_disarm_all();
    EQ(gate_arm("", 0, 1), E_REFUSED);
    EQ(gate_arm("S1|M", 0, 0), E_REFUSED);
    EQ(gate_arm("S1|M", UINT64_MAX, 1), E_REFUSED);
    EQ(gate_arm("S1|M", 2, UINT64_MAX - 1), E_REFUSED);
    CHECK(!gate_is_armed("S1|M", NULL, NULL));
    EQ(gate_arm("S1|M", 1, UINT64_MAX - 1), OK);
    EQ(gate_arm("S1|M", 0, 1), E_REFUSED);
    CHECK(gate_is_armed("S1|M", &first, &count));
    EQ(first, 1);
    EQ(count, UINT64_MAX - 1);
    CHECK(!gate_is_armed("S1|M2", NULL, NULL));
    CHECK(!gate_is_armed("", NULL, NULL));
    gate_disarm("S1|M");
    CHECK(!gate_is_armed("S1|M", NULL, NULL));
}

TEST(the_list_of_armed_disks_ends_at_its_limit)
{
    char name[16];

    gate_disarm_all();
    for (unsigned i = 0; i < GATE_MAX_ARMED; i++) {
        str_fmt(name, sizeof name, "disk%u", i);
        EQ(gate_arm(name, i, 1), OK);
    }
    EQ(gate_arm("one more", 0, 1), E_LIMIT);
    gate_disarm("disk7");
    CHECK(gate_is_armed("disk255", NULL, NULL));
    EQ(gate_arm("one more", 0, 1), OK);
    gate_disarm_all();
    CHECK(!gate_is_armed("disk255", NULL, NULL));
}

/* What writes, written down a second time. */
static bool write_wanted(enum gate_transport t, uint32_t write, uint32_t flush)
{
    return (t == GATE_NVME_IO && write == 0x01 && flush == 0x00) ||
           (t == GATE_ATA && IN(write, 0x35, 0x61, 0xca) && IN(flush, 0xe7, 0xea)) ||
           (t == GATE_SCSI && IN(write, 0x2a, 0x8a) && IN(flush, 0x35, 0x91)) ||
           (t == GATE_MFI_FRAME && write == 0x02 && flush == 0x05);
}
static const uint8_t read_of[GATE_TRANSPORT_COUNT] = {
    [GATE_NVME_ADMIN] = 0x06, [GATE_NVME_IO] = 0x02, [GATE_ATA] = 0x60, [GATE_SCSI] = 0x28,
    [GATE_MFI_FRAME] = 0x01,  [GATE_FUSION] = 0xf1,  [GATE_SMBUS] = 0,  [GATE_MFI_DCMD] = 0
};

TEST(exactly_the_listed_writes_open_a_lane_and_only_on_an_armed_disk)
{
    model_quiet = true;
    gate_disarm_all();
    EQ(gate_arm("S1|M", 100, 50), OK);
    for (unsigned t = 0; t < GATE_TRANSPORT_COUNT; t++) {
        struct gate_pass opened = { 0 }, p;

        if (read_of[t])
            gate_open(&opened, (enum gate_transport)t, read_of[t], 1000);
        for (unsigned write = 0; write < 256; write++)
            for (unsigned flush = 0; flush < 256; flush++) {
                bool want = write_wanted((enum gate_transport)t, write, flush);

                p = opened;
                EQ(gate_open_writes(&p, (enum gate_transport)t, (uint8_t)write, (uint8_t)flush, "S1|M", 1000),
                   want ? OK : E_REFUSED);
                EQ(p.write_end_lba, want ? 150 : 0);
                if (!want)
                    continue;
                p = opened;
                EQ(gate_open_writes(&p, (enum gate_transport)t, (uint8_t)write, (uint8_t)flush, "S2|M", 1000),
                   E_REFUSED);
                EQ(gate_open_writes(&p, (enum gate_transport)t, (uint8_t)write, (uint8_t)flush, "", 1000),
                   E_REFUSED);
                EQ(p.write_end_lba, 0);
                CHECK(!gate_lets_through(&p, (uint8_t)write, 100, 1));
                CHECK(!gate_lets_flush(&p, (uint8_t)flush));
                p = (struct gate_pass){ 0 };
                EQ(gate_open_writes(&p, (enum gate_transport)t, (uint8_t)write, (uint8_t)flush, "S1|M", 1000),
                   E_REFUSED);
            }
    }
    gate_disarm_all();
}

TEST(no_write_or_flush_is_among_the_harmless)
{
    for (unsigned i = 0; i < gate_write_row_count; i++) {
        const struct gate_write_row *r = &gate_write_rows[i];

        CHECK(strlen(r->name) > 2);
        /* The frame that carries the flush carries harmless questions, too: each has a row. */
        EQ(gate_permits(r->transport, r->opcode, 0), r->transport == GATE_MFI_FRAME && r->opcode == 0x05);
    }
}

static void opened(struct gate_pass *p, uint64_t first, uint64_t count, uint64_t lba_count)
{
    gate_disarm_all();
    EQ(gate_open(p, GATE_NVME_IO, 0x02, lba_count), OK);
    EQ(gate_arm("S1|M", first, count), OK);
    EQ(gate_open_writes(p, GATE_NVME_IO, 0x01, 0x00, "S1|M", lba_count), OK);
    gate_disarm_all();
}

TEST(a_write_goes_through_only_inside_the_armed_range)
{
    struct gate_pass p;

    opened(&p, 100, 50, 1000);
    for (uint64_t lba = 90; lba < 160; lba++)
        for (uint32_t blocks = 0; blocks < 70; blocks++)
            EQ(gate_lets_through(&p, 0x01, lba, blocks), blocks && lba >= 100 && lba + blocks <= 150);
    for (unsigned op = 0; op < 256; op++)
        EQ(gate_lets_through(&p, (uint8_t)op, 120, 1), op == 0x01 || op == 0x02);
    CHECK(gate_lets_through(&p, 0x02, 0, 1000));
    CHECK(!gate_lets_through(&p, 0x01, 120, UINT32_MAX));
    CHECK(!gate_lets_through(&p, 0x01, UINT64_MAX, 120));
    CHECK(!gate_lets_through(&p, 0x01, UINT64_MAX - 20, UINT32_MAX));
    for (unsigned op = 0; op < 256; op++)
        EQ(gate_lets_flush(&p, (uint8_t)op), op == 0);
    opened(&p, 900, UINT64_MAX - 900, 1000);
    CHECK(gate_lets_through(&p, 0x01, 999, 1));
    CHECK(!gate_lets_through(&p, 0x01, 999, 2));
    CHECK(!gate_lets_through(&p, 0x01, 1000, 1));
    opened(&p, 0, UINT64_MAX, UINT64_MAX);
    CHECK(gate_lets_through(&p, 0x01, UINT64_MAX - 1, 1));
    CHECK(!gate_lets_through(&p, 0x01, UINT64_MAX - 1, 2));
}

TEST(a_range_at_or_beyond_the_end_of_the_disk_opens_nothing)
{
    struct gate_pass p;

    gate_disarm_all();
    EQ(gate_open(&p, GATE_NVME_IO, 0x02, 1000), OK);
    EQ(gate_arm("S1|M", 1000, 50), OK);
    EQ(gate_open_writes(&p, GATE_NVME_IO, 0x01, 0x00, "S1|M", 1000), E_REFUSED);
    /* Neither size is believed beyond the other. */
    EQ(gate_open_writes(&p, GATE_NVME_IO, 0x01, 0x00, "S1|M", 2000), E_REFUSED);
    EQ(p.write_end_lba, 0);
    gate_disarm_all();
}

TEST(the_first_writes_of_a_range_are_those_that_each_write_is_let_through_with)
{
    static const uint32_t blocks[] = { 0, 1, 2, 8, 49, 50, 51, UINT32_MAX };
    struct gate_pass p;

    opened(&p, 100, 50, 1000);
    EQ(gate_first_writes(&p, 0x02, 1), 0);
    for (unsigned b = 0; b < ARRAY_COUNT(blocks); b++)
        for (uint64_t lba = 0; lba < 300; lba++)
            EQ(lba - p.write_first_lba < gate_first_writes(&p, 0x01, blocks[b]),
               gate_lets_through(&p, 0x01, lba, blocks[b]));
    gate_open(&p, GATE_NVME_IO, 0x02, 1000);
    EQ(gate_first_writes(&p, 0x00, 1), 0);
}

TEST(writes_open_only_on_a_pass_of_their_own_transport_that_is_open_and_end_at_the_nearer_end)
{
    struct gate_pass p, never = { .transport = GATE_NVME_IO };

    gate_disarm_all();
    EQ(gate_arm("S1|M", 0, 3000), OK);
    EQ(gate_open(&p, GATE_ATA, 0x25, 1000), OK);
    EQ(gate_open_writes(&p, GATE_NVME_IO, 0x01, 0x00, "S1|M", 1000), E_REFUSED);
    CHECK(!gate_lets_through(&p, 0x01, 0, 1));
    EQ(gate_open_writes(&never, GATE_NVME_IO, 0x01, 0x00, "S1|M", 1000), E_REFUSED);
    EQ(gate_open(&p, GATE_NVME_IO, 0x02, 2000), OK);
    EQ(gate_open_writes(&p, GATE_NVME_IO, 0x01, 0x00, "S1|M", 1000), OK);
    CHECK(gate_lets_through(&p, 0x01, 999, 1) && !gate_lets_through(&p, 0x01, 1000, 1));
    EQ(gate_open(&p, GATE_NVME_IO, 0x02, 1000), OK);
    EQ(gate_open_writes(&p, GATE_NVME_IO, 0x01, 0x00, "S1|M", 2000), OK);
    CHECK(gate_lets_through(&p, 0x01, 999, 1) && !gate_lets_through(&p, 0x01, 1000, 1));
    gate_disarm_all();
}
