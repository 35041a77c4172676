#include <string.h>
#include "model_manual.h"
#include "test.h"

/* The AHCI model itself, driven by hand: commands and their ends. */

static unsigned long violations_of(void (*mistake)(void))
{
    manual_disk();
    mistake();
    return manual_violations;
}

TEST(model_ahci_identify_describes_the_drive)
{
    struct model_ahci_drive *d = manual_disk();
    const uint8_t *id = manual_data(3);
    uint8_t sum = 0;

    d->sector_bytes = 4096;
    d->rotation_rpm = 7200;
    d->queue_depth = 31;
    manual_prepare(3, 0xec, 0, 0, 512);
    manual_port_write(0x38, 1u << 3);
    EQ(manual_port(0x38), 0);
    EQ(manual_header(3)[4] | manual_header(3)[5] << 8, 512);
    EQ(memcmp(id + 54, "OMED LHAIC", 10), 0);
    EQ(id[150], 30);
    EQ(id[200] | id[201] << 8 | id[202] << 16, 65536);
    EQ(id[213], 0x50);
    EQ(id[234] | id[235] << 8, 2048);
    EQ(id[434] | id[435] << 8, 7200);
    EQ(id[510], 0xa5);
    for (unsigned i = 0; i < 512; i++)
        sum = (uint8_t)(sum + id[i]);
    EQ(sum, 0);
    EQ(manual_port(0x20), 0x50);
    EQ(manual_violations, 0);
}

TEST(model_ahci_identify_may_end_well_without_data)
{
    struct model_ahci_drive *d = manual_disk();

    d->identify_untouched = true;
    memset(manual_data(0), 0x77, 512);
    manual_prepare(0, 0xec, 0, 0, 512);
    manual_port_write(0x38, 1);
    EQ(manual_port(0x38), 0);
    EQ(manual_data(0)[0], 0x77);
    EQ(manual_header(0)[5], 2);
}

TEST(model_ahci_lets_only_a_foreign_driver_set_transfer_modes)
{
    for (unsigned foreign = 0; foreign < 2; foreign++) {
        struct model_ahci_drive *d = manual_disk();
        uint8_t *fis;

        d->puis = 1;
        manual.foreign_driver = foreign;
        fis = manual_prepare(0, 0xef, 0, 0x46, 0);
        fis[3] = 0x03;
        manual_port_write(0x38, 1);
        manual_wait_ms(1);
        EQ(manual_violations, !foreign);
        EQ(manual_port(0x20) & 1, !foreign); /* ERR */
        EQ(d->puis, 1);                      /* nobody asked it to spin up */
    }
}

TEST(model_ahci_reads_give_the_medium)
{
    static const uint8_t opcode[] = { 0x25, 0x24 };

    for (unsigned i = 0; i < 2; i++) {
        manual_disk();
        manual_prepare(0, opcode[i], 65530, 6, 6 * 512);
        manual_port_write(0x38, 1);
        EQ(manual_port(0x38), 0);
        CHECK(manual_holds(0, 65530, 6));
        EQ(manual_header(0)[4] | manual_header(0)[5] << 8, 6 * 512);
        EQ(manual_violations, 0);
    }
}

TEST(model_ahci_commands_that_are_not_queued_run_one_at_a_time)
{
    struct model_ahci_drive *d = manual_disk();

    d->latency_ns = 1000000;
    for (unsigned i = 0; i < 3; i++)
        manual_prepare(i, 0x25, 10 * i, 1, 512);
    manual_port_write(0x38, 7);
    EQ(manual_port(0x38), 7);
    EQ(manual_port(0x20) & 0x80, 0x80);
    manual_wait_ms(1);
    EQ(manual_port(0x38), 6);
    manual_wait_ms(1);
    EQ(manual_port(0x38), 4);
    manual_wait_ms(1);
    EQ(manual_port(0x38), 0);
    CHECK(manual_holds(2, 20, 1));
}

TEST(model_ahci_queued_reads_overtake_each_other)
{
    struct model_ahci_drive *d = manual_disk();

    d->latency_ns = 1000000;
    d->ooo_step_ns = 1000000;
    for (unsigned i = 29; i < 32; i++)
        manual_queue(i, i, 8);
    EQ(manual_port(0x34), 0xe0000000);
    EQ(manual_port(0x38), 0);
    manual_wait_ms(1);
    EQ(manual_port(0x34), 0x60000000);
    manual_wait_ms(1);
    EQ(manual_port(0x34), 0x20000000);
    manual_wait_ms(1);
    EQ(manual_port(0x34), 0);
    for (unsigned i = 29; i < 32; i++)
        CHECK(manual_holds(i, i, 8));
    EQ(manual.port[0].seen.max_in_flight, 3);
    EQ(manual_violations, 0);
}

/* Fact sheet B5: the failing tag and all others stay in SACT until ST falls; log 10h names the one. */
TEST(model_ahci_a_bad_block_ends_all_queued_commands)
{
    struct model_ahci_drive *d = manual_disk();

    d->latency_ns = 1000000;
    d->ooo_step_ns = 1000;
    d->bad[0].first = 1003;
    d->bad[0].count = 2;
    manual_queue(4, 0, 8);
    manual_queue(5, 1000, 8);
    manual_queue(6, 2000, 8);
    manual_wait_ms(2);
    EQ(manual_port(0x34), 0x30);
    EQ(manual_port(0x10) & 0x40000000, 0x40000000);
    EQ(manual_port(0x20), 0x4051);
    d->latency_ns = d->ooo_step_ns = 0;
    manual_port_write(0x18, 0x16);
    EQ(manual_port(0x34), 0);
    manual_port_write(0x10, 0xffffffff);
    manual_port_write(0x18, 0x17);
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_port_write(0x38, 1);
    EQ(manual_port(0x20) & 1, 1); /* nothing but the log is answered */
    manual_port_write(0x18, 0x16);
    manual_port_write(0x18, 0x17);
    manual_prepare(0, 0x2f, 0x10, 1, 512);
    manual_port_write(0x38, 1);
    EQ(manual_port(0x38), 0);
    EQ(manual_data(0)[0], 5);
    EQ(manual_data(0)[3], 0x40);
    EQ(manual_data(0)[4] | manual_data(0)[5] << 8, 1003);
    manual_queue(0, 0, 8);
    EQ(manual_port(0x34), 0);
    EQ(manual_violations, 0);
}

TEST(model_ahci_the_error_log_may_be_aborted_or_wrong)
{
    for (int how = MODEL_AHCI_LOG10_GOOD; how <= MODEL_AHCI_LOG10_WRONG_TAG; how++) {
        struct model_ahci_drive *d = manual_disk();
        uint8_t sum = 0;

        d->log10 = (enum model_ahci_log10)how;
        d->log10_tag = 9;
        d->bad[0].count = 1;
        manual_queue(2, 0, 1);
        EQ(manual_port(0x34), 4);
        manual_port_write(0x18, 0x16);
        manual_port_write(0x18, 0x17);
        manual_prepare(0, 0x47, 0x10, 1, 512);
        manual_port_write(0x38, 1);
        EQ(manual_port(0x20) & 1, how == MODEL_AHCI_LOG10_ABORTED);
        for (unsigned i = 0; i < 512; i++)
            sum = (uint8_t)(sum + manual_data(0)[i]);
        EQ(sum != 0, how == MODEL_AHCI_LOG10_BAD_CHECKSUM);
        EQ(manual_data(0)[0] >> 7, how == MODEL_AHCI_LOG10_NOT_QUEUED);
        if (how == MODEL_AHCI_LOG10_WRONG_TAG)
            EQ(manual_data(0)[0], 9);
    }
}

TEST(model_ahci_a_bad_block_in_a_single_read_names_the_slot_and_the_lba)
{
    struct model_ahci_drive *d = manual_disk();

    d->bad[0].first = 12;
    d->bad[0].count = 1;
    manual_prepare(7, 0x25, 10, 4, 2048);
    manual_port_write(0x38, 1u << 7);
    EQ(manual_port(0x38), 1u << 7);
    EQ(manual_port(0x18) >> 8 & 31, 7);
    EQ(manual_port(0x20), 0x4051);
    EQ(manual_memory[MANUAL_FB - MANUAL_BASE + 0x44], 12);
    EQ(manual_header(7)[5], 4);
    CHECK(manual_holds(7, 10, 2));
}

TEST(model_ahci_a_read_beyond_the_end_is_not_found)
{
    manual_disk();
    manual_prepare(0, 0x25, 65535, 2, 1024);
    manual_port_write(0x38, 1);
    EQ(manual_port(0x20), 0x1051);
}

TEST(model_ahci_mischief_hits_the_chosen_command)
{
    struct model_ahci_drive *d = manual_disk();

    d->nth_lost = 2;
    d->nth_serr = 1;
    d->serr_bits = 0x00200000;
    manual_queue(0, 0, 1);
    EQ(manual_port(0x34), 0);
    EQ(manual_port(0x30), 0x00200000);
    manual_queue(1, 0, 1);
    manual_wait_ms(1000000);
    EQ(manual_port(0x34), 2);
    d = manual_disk();
    d->latency_ns = 1000;
    d->nth_wrong_tag = 1;
    manual_queue(0, 0, 1);
    manual_queue(1, 8, 1);
    manual_wait_ms(1);
    EQ(manual_port(0x34), 1);
    CHECK(!manual_holds(1, 8, 1));
    d = manual_disk();
    d->nth_interface_error = 1;
    manual_queue(0, 0, 1);
    EQ(manual_port(0x10) & 0x08000000, 0x08000000);
    EQ(manual_port(0x34), 1);
    d = manual_disk();
    d->nth_vanish = 1;
    manual_queue(0, 0, 1);
    EQ(manual_port(0x34), 0xffffffff);
    EQ(model_ahci_ops.config_read(&manual, 0), 0xffffffff);
    EQ(manual_violations, 0);
}

TEST(model_ahci_a_link_may_drop_and_come_back)
{
    struct model_ahci_drive *d = manual_disk();

    d->nth_link_drop = 1;
    d->drop_ns = 2000000;
    manual_queue(3, 0, 1);
    EQ(manual_port(0x28), 0);
    EQ(manual_port(0x30), 0x00010000);
    EQ(manual_port(0x34), 8);
    manual_wait_ms(2);
    EQ(manual_port(0x28), 0x133);
    EQ(manual_port(0x30) & 0x04000000, 0x04000000);
    EQ(manual_port(0x34), 8);
    EQ(manual_violations, 0);
}

TEST(model_ahci_a_lost_command_keeps_the_drive_busy_until_it_is_reset)
{
    struct model_ahci_drive *d = manual_disk();

    d->nth_lost = 1;
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_port_write(0x38, 1);
    manual_port_write(0x18, 0x16);
    EQ(manual_port(0x20) & 0x80, 0x80);
    manual.sclo = true;
    manual_port_write(0x18, 0x1e);
    EQ(manual_port(0x20) & 0x80, 0);
    manual_port_write(0x18, 0x17);
    /* SRST: two register FISes with C clear. */
    manual_prepare(1, 0, 0, 0, 0)[1] = 0;
    manual_memory[MANUAL_TABLE - MANUAL_BASE + MANUAL_TABLE_STEP + 15] = 4;
    manual_header(1)[1] = 5;
    manual_port_write(0x38, 2);
    EQ(manual_port(0x38), 0);
    manual_now_ns += 5000;
    manual_prepare(2, 0, 0, 0, 0)[1] = 0;
    manual_port_write(0x38, 4);
    EQ(manual_port(0x38), 0);
    EQ(manual_port(0x20), 0x150);
    EQ(manual.port[0].seen.soft_resets, 1);
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_port_write(0x38, 1);
    EQ(manual_port(0x38), 0);
    EQ(manual_violations, 0);
}

/* ---- careless drivers ---- */
static void no_sact(void)
{
    manual_prepare(0, 0x60, 0, 0, 512)[3] = 1;
    manual_port_write(0x38, 1);
}
static void sact_for_a_single_read(void)
{
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_port_write(0x34, 1);
    manual_port_write(0x38, 1);
}
static void sact_without_ci(void)
{
    manual_prepare(0, 0x60, 0, 0, 512)[3] = 1;
    manual_port_write(0x34, 3);
    manual_port_write(0x38, 1);
}
static void mixed(void)
{
    manual.port[0].drive.latency_ns = 1000;
    manual_queue(0, 0, 1);
    manual_prepare(1, 0x25, 0, 1, 512);
    manual_port_write(0x38, 2);
}
static void misaligned_table(void)
{
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_header(0)[8] = 0x40;
    manual_port_write(0x38, 1);
}
static void odd_address(void)
{
    manual_prepare(0, 0x25, 0, 1, 512)[0x80] = 1;
    manual_port_write(0x38, 1);
}
static void odd_count(void)
{
    manual_prepare(0, 0x25, 0, 1, 513);
    manual_port_write(0x38, 1);
}
static void reserved_count_bits(void)
{
    manual_prepare(0, 0x25, 0, 1, 512)[0x8e] = 0x40;
    manual_port_write(0x38, 1);
}
static void short_list(void)
{
    manual_prepare(0, 0x25, 0, 2, 512);
    manual_port_write(0x38, 1);
}
static void changed_in_flight(void)
{
    manual.port[0].drive.latency_ns = 1000;
    manual_queue(0, 0, 1);
    manual_prepare(0, 0x60, 8, 0, 512);
    manual_wait_ms(1);
}
static void issued_again(void)
{
    manual.port[0].drive.latency_ns = 1000;
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_port_write(0x38, 1);
    manual_port_write(0x38, 1);
}
static void not_published(void)
{
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_published = false;
    manual_port_write(0x38, 1);
}
static void wrong_tag(void)
{
    manual_prepare(1, 0x60, 0, 0, 512)[3] = 1;
    manual_port_write(0x34, 2);
    manual_port_write(0x38, 2);
}
static void beyond_depth(void)
{
    manual.port[0].drive.queue_depth = 8;
    manual_queue(8, 0, 1);
}
static void write_header(void)
{
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_header(0)[0] |= 0x40;
    manual_port_write(0x38, 1);
}
static void write_command(void)
{
    manual_prepare(0, 0x35, 0, 1, 512);
    manual_port_write(0x38, 1);
}
static void ci_while_stopped(void)
{
    manual_port_write(0x18, 0x16);
    manual_prepare(0, 0x25, 0, 1, 512);
    manual_port_write(0x38, 1);
}
static void ci_after_an_error(void)
{
    manual_prepare(0, 0x25, 65536, 1, 512);
    manual_port_write(0x38, 1);
    manual_port(0x10);
    manual_prepare(1, 0x25, 0, 1, 512);
    manual_port_write(0x38, 2);
}
static void orphans_left_in_the_drive(void)
{
    manual.port[0].drive.nth_lost = 1;
    manual_queue(0, 0, 1);
    manual_port(0x34);
    manual_port_write(0x18, 0x16);
    manual_port_write(0x18, 0x17);
    manual_queue(1, 0, 1);
    manual_port(0x34);
}
static void high_list_without_s64a(void)
{
    manual.s64a = false;
    manual_prepare(0, 0x25, 0, 1, 512)[0x84] = 1;
    manual_port_write(0x38, 1);
}
static void secure_erase(void)
{
    manual_prepare(0, 0xf4, 0, 0, 0);
    manual_port_write(0x38, 1);
}

TEST(model_ahci_counts_every_mistake_of_a_careless_driver_once)
{
    static const struct {
        const char *what;
        void (*mistake)(void);
        unsigned long want;
    } t[] = {
        { "no SACT", no_sact, 1 },
        { "SACT for a single read", sact_for_a_single_read, 1 },
        { "SACT without CI", sact_without_ci, 1 },
        { "mixed", mixed, 1 },
        { "misaligned table", misaligned_table, 3 }, /* the FIS found there is none, and its length */
        { "odd address", odd_address, 1 },
        { "odd count", odd_count, 1 },
        { "reserved count bits", reserved_count_bits, 1 },
        { "short list", short_list, 1 },
        { "changed in flight", changed_in_flight, 1 },
        { "issued again", issued_again, 1 },
        { "not published", not_published, 1 },
        { "wrong tag", wrong_tag, 1 },
        { "beyond the depth", beyond_depth, 1 },
        { "write header", write_header, 1 },
        { "write command", write_command, 2 }, /* where it goes, and its header */
        { "CI while stopped", ci_while_stopped, 1 },
        { "CI after an error", ci_after_an_error, 1 },
        { "orphans", orphans_left_in_the_drive, 1 },
        { "high list", high_list_without_s64a, 1 },
        { "secure erase", secure_erase, 1 },
    };

    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++) {
        unsigned long got = violations_of(t[i].mistake);

        if (i == 4 ? got < 1 : got != t[i].want)
            test_fail(__FILE__, __LINE__, "%s: %lu violations, the last: %s", t[i].what, got,
                      manual_violation);
    }
    EQ(manual.port[0].seen.refused_writes, 1);
}

TEST(model_ahci_in_bench_mode_every_command_is_over_at_once)
{
    manual_disk();
    manual.bench = true;
    manual_port_write(0x34, 0xffffffff);
    manual_port_write(0x38, 0xffffffff);
    EQ(manual_port(0x34), 0);
    EQ(manual_port(0x38), 0);
    EQ(manual.port[0].seen.reads, 32);
}
