#include <string.h>
#include "math.h"
#include "rig.h"

/* What the driver believes of IDENTIFY DEVICE. */

enum { W_CONFIG = 0, W_LBA28 = 60, W_69 = 69, W_LBA48 = 100, W_SECTOR = 106, W_ALIGNMENT = 209, W_230 = 230 };

/* A disk on port 0 as it was set up; listed, whether readable or not. */
static struct disk *only_disk(void)
{
    rig_up();
    EQ(rig.c->disk_count, 1);
    CHECK(rig.c->disks[0]->controller == rig.c);
    return rig.c->disks[0];
}

static void refused(struct disk *d, const char *why)
{
    CHECK(!d->ops);
    HAS_STR(d->why_not, why);
    rig_down();
}

TEST(an_ssd_is_described_by_its_own_words)
{
    struct disk *d;

    rig_plug();
    rig_plug_disk(0);
    d = only_disk();
    EQ(d->kind, DISK_SATA);
    EQ_STR(d->name, "sata0.0");
    EQ_STR(d->model, "MODEL AHCI DISK");
    EQ_STR(d->serial, "SER00");
    EQ_STR(d->firmware, "1.0");
    EQ_STR(d->identity, "SER00/MODEL AHCI DISK/5000c50000000000");
    EQ(d->lba_bytes, 512);
    EQ(d->physical_block_bytes, 512);
    EQ(d->lba_count, RIG_DISK_BLOCKS);
    EQ(d->max_depth, 32);
    EQ(d->depth_is_shared, true);
    EQ(d->max_command_bytes, 8 * MIB);
    EQ(d->rotation, ROTATION_NONE);
    EQ(d->command_deadline_ns, 30 * NS_PER_S);
    EQ_STR(d->why_not, "");
    EQ(d->fault.err, OK);
    EQ(rig.c->remark_count, 0);
    rig_down();
}

TEST(text_of_a_drive_is_scrubbed_and_full_fields_fit)
{
    struct model_ahci_drive *drive;
    struct disk *d;

    rig_plug();
    drive = rig_plug_disk(0);
    memcpy(drive->model, "0123456789012345678901234567890123456789", 41);
    memcpy(drive->serial, "\x1b[2J\xff\x7f   5678901234", 20);
    memcpy(drive->firmware, "12345678", 9);
    d = only_disk();
    EQ_STR(d->model, "0123456789012345678901234567890123456789");
    EQ_STR(d->serial, "?[2J??   5678901234");
    EQ_STR(d->firmware, "12345678");
    CHECK(strlen(d->identity) == 19 + 1 + 40 + 1 + 16);
    rig_down();
}

TEST(a_disk_without_a_telling_serial_has_no_identity)
{
    static const char *const serial[] = { "", "   ", "00000000", "0", "XXXXXXXXXXXXXXXXXXXX" };

    for (unsigned i = 0; i < ARRAY_COUNT(serial); i++) {
        rig_plug();
        strcpy(rig_plug_disk(0)->serial, serial[i]);
        EQ_STR(only_disk()->identity, "");
        rig_down();
    }
    rig_plug();
    rig_plug_disk(0)->wwn = 0;
    EQ_STR(only_disk()->identity, "SER00/MODEL AHCI DISK");
    rig_down();
}

TEST(rotation_and_deadline_follow_word_217)
{
    static const struct {
        uint16_t word;
        enum disk_rotation rotation;
        uint64_t deadline_s;
    } row[] = {
        { 0, ROTATION_UNKNOWN, 60 },     { 1, ROTATION_NONE, 30 },         { 2, ROTATION_UNKNOWN, 60 },
        { 0x400, ROTATION_UNKNOWN, 60 }, { 0x401, ROTATION_YES, 60 },      { 7200, ROTATION_YES, 60 },
        { 0xfffe, ROTATION_YES, 60 },    { 0xffff, ROTATION_UNKNOWN, 60 },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        struct disk *d;

        rig_plug();
        rig_plug_disk(0)->rotation_rpm = row[i].word;
        d = only_disk();
        EQ(d->rotation, row[i].rotation);
        EQ(d->command_deadline_ns, row[i].deadline_s * NS_PER_S);
        rig_down();
    }
}

TEST(block_sizes_follow_words_106_and_117)
{
    static const struct {
        uint32_t sector_bytes;
        unsigned exponent;
        uint32_t physical_bytes;
    } row[] = {
        { 512, 0, 512 }, { 512, 3, 4096 }, { 4096, 0, 4096 }, { 4096, 2, 16384 }, { 512, 15, 16 << 20 }
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        struct model_ahci_drive *drive;
        struct io_lane *l;
        struct disk *d;

        rig_plug();
        drive = rig_plug_disk(0);
        drive->sector_bytes = row[i].sector_bytes;
        drive->physical_exponent = row[i].exponent;
        d = only_disk();
        EQ(d->lba_bytes, row[i].sector_bytes);
        EQ(d->physical_block_bytes, row[i].physical_bytes);
        l = hand_open(d, 1, 8192, true);
        rig_read(l, 0, 5, 8192 / row[i].sector_bytes);
        d->ops->close(l);
        rig_down();
    }
}

TEST(block_sizes_that_nobody_can_address_are_refused)
{
    static const uint32_t bad[] = { 2, 256, 520, 4160, 131072, 0x80000000 };

    for (unsigned i = 0; i < ARRAY_COUNT(bad); i++) {
        struct model_ahci_drive *drive;

        rig_plug();
        drive = rig_plug_disk(0);
        drive->identify_or[W_SECTOR] = 0x5000;
        drive->identify_or[117] = (uint16_t)(bad[i] / 2);
        drive->identify_or[118] = (uint16_t)(bad[i] / 2 >> 16);
        refused(only_disk(), "not supported");
    }
    rig_plug();
    rig_plug_disk(0)->identify_or[W_SECTOR] = 0x5000; /* long sectors of no words at all */
    refused(only_disk(), "logical blocks of 0 bytes");
    rig_plug();
    rig_plug_disk(0)->identify_or[W_SECTOR] = 0xd000; /* 11b: the word says nothing */
    EQ(only_disk()->lba_bytes, 512);
    rig_down();
}

TEST(a_shifted_first_block_is_remarked)
{
    rig_plug();
    rig_plug_disk(0)->identify_or[W_ALIGNMENT] = 0x4007;
    only_disk();
    CHECK(rig_has_remark("sata0.0: block 0 lies 7 blocks inside a physical block"));
    rig_down();

    rig_plug();
    rig_plug_disk(0)->identify_or[W_ALIGNMENT] = 0xc007;
    only_disk();
    EQ(rig.c->remark_count, 0);
    rig_down();
}

TEST(a_disk_of_28_bits_reads_up_to_its_last_block)
{
    struct model_ahci_drive *drive;
    struct io_lane *l;
    struct disk *d;

    rig_plug();
    drive = model_ahci_add_disk(&rig.m, 0, 0x0fffffff);
    drive->lba28_only = true;
    d = only_disk();
    EQ(d->lba_count, 0x0fffffff);
    EQ(d->max_depth, 1);
    EQ(d->max_command_bytes, 128 * KIB);
    l = hand_open(d, 1, 128 * KIB, true);
    rig_read(l, 0, 0x0fffffff - 256, 256);
    rig_read(l, 0, 0x0ffffffe, 1);
    EQ(rig.m.port[0].seen.opcodes[0xc8], 2);
    d->ops->close(l);
    rig_down();
}

TEST(a_disk_of_48_bits_reads_up_to_its_last_block)
{
    struct io_lane *l;

    for (unsigned queued = 0; queued < 2; queued++) {
        rig_plug();
        model_ahci_add_disk(&rig.m, 0, 1ull << 48)->queue_depth = queued * 32;
        EQ(only_disk()->lba_count, 1ull << 48);
        l = hand_open(rig_disk(0), 1, 4096, true);
        rig_read(l, 0, (1ull << 48) - 8, 8);
        rig_read(l, 0, 0xa5c3e1f08712ull, 8);
        l->disk->ops->close(l);
        rig_down();
    }
}

TEST(the_extended_count_of_words_230_is_used_where_word_69_says_so)
{
    struct model_ahci_drive *drive;

    rig_plug();
    drive = rig_plug_disk(0);
    drive->identify_or[W_69] = 1 << 3;
    drive->identify_or[W_230 + 2] = 1;
    EQ(only_disk()->lba_count, 1ull << 32);
    rig_down();
}

TEST(impossible_sizes_are_refused)
{
    rig_plug();
    model_ahci_add_disk(&rig.m, 0, 0);
    refused(only_disk(), "a size of zero");
    rig_plug();
    rig_plug_disk(0)->identify_or[W_LBA48 + 3] = 1;
    refused(only_disk(), "an impossible size");
    rig_plug();
    rig_plug_disk(0)->identify_or[W_LBA48 + 3] = 0x8000;
    refused(only_disk(), "an impossible size");
    rig_plug();
    rig_plug_disk(0)->lba28_only = true;
    rig.m.port[0].drive.identify_or[W_LBA28 + 1] = 0x8000;
    refused(only_disk(), "an impossible size");
}

TEST(queueing_needs_drive_and_adapter_and_takes_the_smaller_depth)
{
    static const struct {
        unsigned drive, slots;
        bool sncq;
        uint16_t depth;
    } row[] = { { 32, 32, true, 32 }, { 1, 32, true, 1 },   { 31, 32, true, 31 }, { 32, 1, true, 1 },
                { 32, 8, true, 8 },   { 32, 32, false, 1 }, { 0, 32, true, 1 } };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        struct io_completion c[32];
        struct io_lane *l;

        rig_plug();
        rig_plug_disk(0)->queue_depth = row[i].drive;
        rig.m.slots = row[i].slots;
        rig.m.sncq = row[i].sncq;
        EQ(only_disk()->max_depth, row[i].depth);
        l = hand_open(rig_disk(0), row[i].depth, 4096, true);
        rig_read_many(l, c, row[i].depth);
        EQ(rig.m.port[0].seen.queued_reads, row[i].drive && row[i].sncq ? row[i].depth : 0);
        l->disk->ops->close(l);
        rig_down();
    }
}

TEST(drives_known_to_fail_with_queueing_are_read_without)
{
    struct model_ahci_drive *drive;

    rig_plug();
    drive = rig_plug_disk(0);
    strcpy(drive->model, "ST31500341AS");
    strcpy(drive->firmware, "SD15");
    EQ(only_disk()->max_depth, 1);
    CHECK(rig_has_remark("sata0.0: read without command queueing"));
    rig_down();

    rig_plug();
    drive = rig_plug_disk(0);
    strcpy(drive->model, "ST31500341AS");
    strcpy(drive->firmware, "CC1H");
    EQ(only_disk()->max_depth, 32);
    rig_down();

    rig_plug();
    strcpy(rig_plug_disk(0)->model, "Samsung SSD 860 EVO 500GB");
    EQ(only_disk()->max_depth, 32);
    rig_down();

    rig_plug();
    rig.m.vendor_id = 0x1002;
    strcpy(rig_plug_disk(0)->model, "Samsung SSD 860 EVO 500GB");
    EQ(only_disk()->max_depth, 1);
    rig_down();
}

TEST(a_locked_disk_is_listed_with_its_reason)
{
    struct disk *d;

    rig_plug();
    rig_plug_disk(0)->security_locked = true;
    d = only_disk();
    EQ_STR(d->serial, "SER00");
    EQ(d->lba_count, RIG_DISK_BLOCKS);
    EQ(d->fault.err, OK);
    refused(d, "locked by an ATA password");
    rig_plug();
    rig_plug_disk(0)->security_frozen = true;
    only_disk();
    rig_disk(0);
    rig_down();
}

TEST(a_wrong_checksum_is_a_fault_and_an_absent_one_is_not)
{
    struct disk *d;

    rig_plug();
    rig_plug_disk(0)->checksum = MODEL_AHCI_CHECKSUM_WRONG;
    d = only_disk();
    EQ(d->fault.err, E_PROTO);
    EQ_STR(d->fault.what, "checksum of IDENTIFY DEVICE");
    EQ_STR(d->serial, "");
    refused(d, "checksum of IDENTIFY DEVICE");

    rig_plug();
    rig_plug_disk(0)->checksum = MODEL_AHCI_CHECKSUM_ABSENT;
    only_disk();
    rig_disk(0);
    rig_down();
}

TEST(an_untouched_buffer_is_never_taken_for_an_answer)
{
    struct disk *d;

    rig_plug();
    rig_plug_disk(0)->identify_untouched = true;
    d = only_disk();
    EQ_STR(d->model, "");
    EQ(d->lba_count, 0);
    refused(d, "not reported by this controller");
}

TEST(an_identify_that_is_refused_once_is_asked_again)
{
    rig_plug();
    rig_plug_disk(0)->identify_aborts = 1;
    only_disk();
    rig_disk(0);
    EQ(rig.m.port[0].seen.opcodes[0xec], 2);
    rig_down();

    rig_plug();
    rig_plug_disk(0)->identify_aborts = 2;
    rig_plug_disk(1);
    rig_up();
    EQ(rig.c->disk_count, 2);
    CHECK(!rig.c->disks[0]->ops);
    EQ(rig.c->disks[0]->fault.err, E_REFUSED);
    HAS_STR(rig.c->disks[0]->why_not, "IDENTIFY DEVICE");
    EQ_STR(rig_disk(1)->serial, "SER01");
    rig_down();
}

TEST(an_identify_that_hangs_costs_seconds_not_the_run)
{
    rig_plug();
    rig_plug_disk(0)->latency_ns = MODEL_AHCI_NEVER / 4;
    rig_plug_disk(1);
    rig_up();
    CHECK(model_clock_ns < 12 * NS_PER_S);
    EQ(rig.c->disk_count, 2);
    EQ(rig.c->disks[0]->fault.err, E_TIMEOUT);
    CHECK(!rig.c->disks[0]->ops);
    rig_disk(1);
    rig_down();
}

TEST(words_that_do_not_fit_an_ata_disk_are_refused)
{
    rig_plug();
    rig_plug_disk(0)->identify_or[W_CONFIG] = 0x8000;
    refused(only_disk(), "IDENTIFY word 0 of an ATA disk");
    rig_plug();
    rig_plug_disk(0)->identify_or[W_CONFIG] = 4;
    refused(only_disk(), "asleep since power-up");
}

static uint16_t clear_word, clear_bits;
static void clear(uint8_t *sector)
{
    sector[2 * clear_word] &= (uint8_t)~clear_bits;
    sector[2 * clear_word + 1] &= (uint8_t) ~(clear_bits >> 8);
}

TEST(a_disk_without_lba_or_dma_is_not_read)
{
    static const uint16_t bits[] = { 1 << 8, 1 << 9 };

    for (unsigned i = 0; i < ARRAY_COUNT(bits); i++) {
        rig_plug();
        rig_plug_disk(0)->checksum = MODEL_AHCI_CHECKSUM_ABSENT;
        clear_word = 49;
        clear_bits = bits[i];
        rig.edit = clear;
        refused(only_disk(), "no LBA or no DMA");
    }
}

TEST(a_word_76_of_all_ones_promises_nothing)
{
    rig_plug();
    rig_plug_disk(0)->identify_or[76] = 0xffff;
    EQ(only_disk()->max_depth, 1);
    EQ(rig.c->remark_count, 0);
    rig_down();
}

static struct rng noise;
static void scramble(uint8_t *sector)
{
    unsigned n = 1 + rng_next(&noise) % 40;

    while (n--)
        sector[rng_next(&noise) % 512] = (uint8_t)rng_next(&noise);
    if (sector[510] == 0xa5) {
        uint8_t sum = 0;
        for (unsigned i = 0; i < 511; i++)
            sum = (uint8_t)(sum + sector[i]);
        sector[511] = (uint8_t)-sum;
    }
}

TEST(scrambled_words_never_break_the_driver)
{
    unsigned readable = 0;

    rng_seed(&noise, 1);
    for (unsigned i = 0; i < 2000; i++) {
        const struct disk *d;

        rig_plug();
        rig_plug_disk(0)->queue_depth = i & 1 ? 32 : 0;
        rig.edit = scramble;
        d = only_disk();
        CHECK(!d->ops == (d->why_not[0] != 0));
        if (d->ops) {
            struct io_lane *l;
            struct lane_shape shape = { .depth = d->max_depth, .request_bytes = 65536 };

            readable++;
            CHECK(d->lba_count && d->lba_bytes >= 512 && d->physical_block_bytes >= d->lba_bytes);
            CHECK(d->max_depth && d->max_command_bytes >= d->lba_bytes);
            rig.edit = NULL;
            EQ(d->ops->open(rig.c->disks[0], &shape, &l), OK);
            l->disk->ops->close(l);
        }
        rig_down();
    }
    CHECK(readable > 500);
}
