#include <string.h>
#include "model_manual.h"
#include "test.h"

/* The MFI model itself, driven by hand: frames, drives, and the mistakes of careless drivers. */

TEST(model_mfi_a_virtual_drive_reads_its_medium)
{
    manual_drive();
    manual_ld_read(1, 65535, 1);
    manual_ld_read(2, 0, 16);
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0);
    EQ(manual_frame(2)[2], 0);
    CHECK(manual_holds(1, 3, 65535, 1));
    CHECK(manual_holds(2, 3, 0, 16));
    EQ(manual.seen.reads, 2);
    EQ(manual.seen.blocks, 17);
    EQ(manual_violations, 0);
}

TEST(model_mfi_errors_of_drives_have_their_status_and_sense)
{
    struct model_mfi_ld *ld = manual_drive();
    const uint8_t *sense = manual_memory + (MANUAL_SENSE - MANUAL_BASE) + 64;

    ld->medium.bad[0].first = 102;
    ld->medium.bad[0].count = 1;
    manual_ld_read(1, 100, 8);
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0x2d);
    EQ(manual_frame(1)[3], 2);
    EQ(manual_frame(1)[1], 18);
    EQ(sense[0], 0xf0);
    EQ(sense[2], 3);
    EQ(sense[6], 102);
    EQ(sense[12], 0x11);
    CHECK(manual_holds(1, 3, 100, 2));
    manual_ld_read(1, 65535, 2);
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0x2d);
    EQ(sense[2], 5);
    EQ(sense[12], 0x21);
    ld->state = MODEL_MFI_LD_OFFLINE;
    manual_ld_read(1, 0, 1);
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0x33);
    ld->present = false;
    manual_ld_read(1, 0, 1);
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0x0c);
    EQ(manual_violations, 0);
}

TEST(model_mfi_a_bad_lba_above_32_bits_comes_in_descriptor_format)
{
    struct model_mfi_ld *ld = manual_drive();
    const uint8_t *sense = manual_memory + (MANUAL_SENSE - MANUAL_BASE) + 64;

    ld->medium.blocks = 0x300000000ull;
    ld->medium.bad[0].first = 0x123456789ull;
    ld->medium.bad[0].count = 1;
    manual_ld_read(1, 0x123456789ull, 1);
    manual_wait_ms(0);
    EQ(sense[0], 0x72);
    EQ(sense[1], 3);
    EQ(sense[15], 0x01);
    EQ(sense[19], 0x89);
}

TEST(model_mfi_frames_overtake_get_lost_and_come_late)
{
    manual_drive();
    manual.ooo_step_ns = 1000000;
    manual.nth_lost = 3;
    manual.nth_late = 4;
    manual.late_ns = 60000000000ull;
    for (unsigned i = 1; i <= 4; i++)
        manual_ld_read(i, i, 1);
    for (unsigned ms = 0; ms < 5; ms++)
        manual_wait_ms(1);
    EQ(manual_frame(1)[2], 0);
    EQ(manual_frame(2)[2], 0);
    EQ(manual_frame(3)[2], 0xff);
    EQ(manual_frame(4)[2], 0xff);
    manual_wait_ms(60000);
    EQ(manual_frame(4)[2], 0);
    EQ(manual_frame(3)[2], 0xff);
    EQ(manual.in_flight, 1);
}

TEST(model_mfi_the_reply_ring_gets_contexts_of_frames_that_ask_for_it)
{
    const uint8_t *ring = manual_memory + (MANUAL_RING - MANUAL_BASE);

    manual_drive();
    manual.max_cmds = manual.ring_entries;
    manual_ld_read(5, 0, 1);
    manual_wait_ms(0);
    EQ(manual_memory[0x40], 0); /* a polled one does not */
    manual.ring_leaves_status = true;
    for (unsigned i = 0; i < manual.ring_entries + 1; i++) {
        uint8_t *f = manual_prepare(6, 1, 0x10, 1);

        f[2] = 0;
        f[4] = 3;
        f[16] = 0x10;
        manual_sge(6, 512);
        manual_post(6, 0);
        manual_wait_ms(0);
    }
    EQ(ring[0], 6);
    EQ(ring[4 * 63], 6);
    EQ(manual_memory[0x40], 1); /* wrapped */
    EQ(manual_read(0x30), 1);
    manual_write(0xa0, 1);
    EQ(manual_read(0x30), 0);
    EQ(manual_violations, 0);
}

TEST(model_mfi_scatter_lists_of_every_form_reach_all_their_pieces)
{
    for (unsigned form = 0; form < 3; form++) {
        static const uint16_t flags[] = { 0x10, 0x12, 0x32 };
        static const unsigned size[] = { 8, 12, 16 };
        uint8_t *f;

        manual_drive();
        manual.ieee_sgl = true;
        f = manual_prepare(1, 1, flags[form], 40);
        f[4] = 3;
        f[7] = 40;
        for (unsigned i = 0; i < 40; i++) {
            uint32_t address = MANUAL_DATA + MANUAL_DATA_STEP + 512 * i, bytes = 512;

            memcpy(f + 40 + size[form] * i, &address, 4);
            memcpy(f + 40 + size[form] * i + (form ? 8 : 4), &bytes, 4);
        }
        manual_post(1, form ? 7 : 5);
        manual_wait_ms(0);
        EQ(f[2], 0);
        CHECK(manual_holds(1, 3, 0, 32));
        EQ(manual_violations, 0);
    }
}

TEST(model_mfi_scsi_commands_describe_a_virtual_drive)
{
    static const uint8_t inquiry[6] = { 0x12, 0, 0, 0, 96 }, page83[6] = { 0x12, 1, 0x83, 0, 64 },
                         none[6] = { 0x12, 1, 0xb1, 0, 64 }, tur[6] = { 0 };
    static const uint8_t cap10[10] = { 0x25 }, cap16[16] = { 0x9e, 0x10, [13] = 32 };
    struct model_mfi_ld *ld = manual_drive();

    ld->medium.block_bytes = 4096;
    EQ(manual_scsi(3, 3, inquiry, 6, 96), 0);
    EQ(memcmp(manual_data(1) + 8, "LSI     MR9260-8i", 17), 0);
    EQ(manual_scsi(3, 3, page83, 6, 64), 0);
    EQ(manual_data(1)[3], 12);
    EQ(manual_data(1)[8], 0x60);
    EQ(manual_scsi(3, 3, none, 6, 64), 0x2d);
    EQ(manual_scsi(3, 3, cap10, 10, 8), 0);
    EQ(manual_data(1)[2], 0xff);
    EQ(manual_data(1)[6], 0x10);
    EQ(manual_scsi(3, 3, cap16, 16, 32), 0);
    EQ(manual_data(1)[6], 0xff);
    EQ(manual_data(1)[10], 0x10);
    ld->medium.unit_attentions = 1;
    EQ(manual_scsi(3, 3, tur, 6, 0), 0x2d);
    EQ(manual_scsi(3, 3, tur, 6, 0), 0);
    EQ(manual_scsi(3, 4, tur, 6, 0), 0x0c);
    EQ(manual_violations, 0);
}

TEST(model_mfi_only_jbod_drives_are_read_by_scsi)
{
    static const uint8_t read10[10] = { 0x28, [5] = 9, [8] = 2 };
    static const uint8_t read16[16] = { 0x88, [9] = 9, [13] = 2 };

    manual_drive();
    model_mfi_add_pd(&manual, 8, 0, MODEL_MFI_PD_ONLINE);
    model_mfi_add_pd(&manual, 9, 1, MODEL_MFI_PD_SYSTEM);
    EQ(manual_scsi(4, 8, read10, 10, 1024), 0x32);
    EQ(manual_scsi(4, 9, read10, 10, 1024), 0);
    CHECK(manual_holds(1, 0x109, 9, 2));
    EQ(manual_scsi(4, 9, read16, 16, 1024), 0);
    CHECK(manual_holds(1, 0x109, 9, 2));
    EQ(manual_violations, 0);
    EQ(manual_scsi(4, 9, read16, 16, 512), 0x2d);
    EQ(manual_violations, 1); /* two blocks into half the buffer */
}

TEST(model_mfi_direct_commands_answer_by_the_book)
{
    manual_drive();
    model_mfi_add_pd(&manual, 8, 4, MODEL_MFI_PD_FAILED);
    EQ(manual_dcmd(0x01010000, 0, 2048), 0);
    EQ(memcmp(manual_data(1) + 1344, "LSI MegaRAID SAS 9260-8i", 24), 0);
    EQ(manual_data(1)[1472], 1);
    EQ(manual_data(1)[1484], 1);
    EQ(manual_dcmd(0x01010000, 0, 1024), 3);
    EQ(manual_dcmd(0x03010000, 0, 1032), 0);
    EQ(manual_data(1)[8], 3);
    EQ(manual_dcmd(0x03010000, 0, 4104), 3);
    EQ(manual_dcmd(0x03020000, 3, 384), 0);
    EQ(manual_data(1)[35], 7);
    EQ(manual_dcmd(0x03020000, 4, 384), 0x0c);
    EQ(manual_dcmd(0x02010000, 0, 1024), 0);
    EQ(manual_data(1)[13], 4);
    EQ(manual_dcmd(0x02010100, 5, 1024), 0);
    EQ(manual_data(1)[4], 0);
    EQ(manual_dcmd(0x02020000, 8, 512), 0);
    EQ(manual_data(1)[184], 0x11);
    EQ(manual_dcmd(0x05010000, 0, 64), 0x22);
    EQ(manual_dcmd(0x0fffffff, 0, 64), 2);
    EQ(manual_data(1)[0], 0x77);
    EQ(manual_dcmd(0x01101000, 1, 0), 0);
    EQ(manual_dcmd(0x04010000, 0, 1024), 0);
    EQ(manual_data(1)[4], 1);
    EQ(manual_violations, 0);
}

TEST(model_mfi_the_event_log_ends_with_not_found)
{
    manual_drive();
    model_mfi_add_event(&manual, 0x51, 0, "VD 03 is now OPTIMAL");
    model_mfi_add_event(&manual, 0x70, 2, "PD 08 removed");
    EQ(manual_dcmd(0x01040100, 0, 20), 0);
    EQ(manual_data(1)[0], 2);
    manual_prepare(1, 5, 0x10, 1024);
    memcpy(manual_frame(1) + 24, "\x00\x03\x04\x01\x00\x00\x00\x00\xff\xff\x00\x01", 12);
    manual_sge(1, 1024);
    manual_post(1, 0);
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0);
    EQ(manual_data(1)[0], 1); /* a class of at least 1 */
    EQ(memcmp(manual_data(1) + 8 + 128, "PD 08 removed", 14), 0);
    manual_frame(1)[2] = 0xff;
    manual_frame(1)[28] = 3;
    manual_post(1, 0);
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0x23);
    EQ(manual_violations, 0);
}

TEST(model_mfi_lies_as_it_is_told)
{
    manual_drive();
    model_mfi_lie(&manual, 0x03010000, MODEL_MFI_UNTOUCHED, 0);
    EQ(manual_dcmd(0x03010000, 0, 1032), 0);
    EQ(manual_data(1)[0], 0x77);
    model_mfi_lie(&manual, 0x03010000, MODEL_MFI_STATUS, 0x54);
    EQ(manual_dcmd(0x03010000, 0, 1032), 0x54);
    model_mfi_lie(&manual, 0x03010000, MODEL_MFI_ONES, 0);
    EQ(manual_dcmd(0x03010000, 0, 1032), 0);
    EQ(manual_data(1)[1031], 0xff);
    model_mfi_lie(&manual, 0x03010000, MODEL_MFI_SHORT, 3);
    EQ(manual_dcmd(0x03010000, 0, 1032), 0);
    EQ(manual_data(1)[0], 1);
    EQ(manual_data(1)[3], 0x77);
    model_mfi_lie(&manual, 0x03010000, MODEL_MFI_BYTE, 8 << 8 | 0x42);
    EQ(manual_dcmd(0x03010000, 0, 1032), 0);
    EQ(manual_data(1)[8], 0x42);
    model_mfi_lie(&manual, 0x03010000, MODEL_MFI_DELAY, 1000000);
    EQ(manual_dcmd(0x03010000, 0, 1032), 0xff);
    manual_wait_ms(1);
    EQ(manual_frame(1)[2], 0);
    EQ(manual_violations, 0);
}

/* ---- careless drivers ---- */
static void before_init(void)
{
    manual_init();
    manual_ld_read(1, 0, 1);
}
static void not_published(void)
{
    manual_published = false;
    manual_ld_read(1, 0, 1);
}
static void overlapping(void)
{
    manual.latency_ns = 1000000;
    manual_ld_read(1, 0, 1);
    manual_post(1, 0);
}
static void changed(void)
{
    manual.latency_ns = 1000000;
    manual_ld_read(1, 0, 1);
    manual_frame(1)[32] = 1;
    manual_wait_ms(1);
}
static void too_many(void)
{
    manual.latency_ns = 1000000;
    manual.max_cmds = 2;
    manual_ld_read(1, 0, 1);
    manual_ld_read(2, 0, 1);
}
static void status_preset(void)
{
    manual_ld_read(1, 0, 1);
    manual_wait_ms(0);
    manual_post(1, 0);
}
static void extra_frames(void)
{
    manual_prepare(1, 1, 0x10, 1)[4] = 3;
    manual_sge(1, 512);
    manual_post(1, 1);
}
static void short_sgl(void)
{
    manual_prepare(1, 1, 0x10, 2)[4] = 3;
    manual_sge(1, 512);
    manual_post(1, 0);
}
static void no_direction(void)
{
    manual_prepare(1, 1, 0, 1)[4] = 3;
    manual_sge(1, 512);
    manual_post(1, 0);
}
static void misaligned(void)
{
    manual_prepare(1, 1, 0x10, 1)[4] = 3;
    manual_sge(1, 512);
    memmove(manual_frame(1) + 32, manual_frame(1), 64);
    manual_write(0x40, MANUAL_FRAMES + MANUAL_FRAME_STEP + 33);
}
static void context_high(void)
{
    manual_prepare(1, 1, 0x10, 1)[4] = 3;
    manual_sge(1, 512);
    manual_frame(1)[12] = 1;
    manual_post(1, 0);
}
static void ld_write(void)
{
    manual_prepare(1, 2, 8, 1)[4] = 3;
    manual_sge(1, 512);
    manual_post(1, 0);
}
static void scsi_write(void)
{
    static const uint8_t cdb[10] = { 0x2a, [8] = 1 };
    manual_scsi(3, 3, cdb, 10, 512);
}
static void shutdown(void) { manual_dcmd(0x01050000, 0, 0); }
static void clear_configuration(void) { manual_dcmd(0x04030000, 0, 0); }
static void set_properties(void) { manual_dcmd(0x03040000, 3, 32); }
static void two_inits(void) { manual_start(); }
static void other_register(void) { manual_write(0xc0, 1); }
static void outside_memory(void)
{
    manual_prepare(1, 1, 0x10, 1)[4] = 3;
    manual_sge(1, 512);
    manual_frame(1)[43] = 0x80;
    manual_post(1, 0);
    manual_wait_ms(0);
}

TEST(model_mfi_counts_every_mistake_of_a_careless_driver_once)
{
    static const struct {
        const char *what;
        void (*mistake)(void);
        unsigned long want;
    } t[] = {
        { "before INIT", before_init, 1 },
        { "not published", not_published, 1 },
        { "overlapping", overlapping, 1 },
        { "changed", changed, 1 },
        { "too many", too_many, 1 },
        { "status preset", status_preset, 1 },
        { "extra frames", extra_frames, 1 },
        { "short SGL", short_sgl, 1 },
        { "no direction", no_direction, 1 },
        { "misaligned", misaligned, 1 },
        { "context", context_high, 1 },
        { "LD_WRITE", ld_write, 1 },
        { "SCSI write", scsi_write, 2 },
        { "shutdown", shutdown, 1 },
        { "clear configuration", clear_configuration, 1 },
        { "set properties", set_properties, 1 },
        { "two INITs", two_inits, 2 }, /* masking again is the other */
        { "other register", other_register, 1 },
        { "outside memory", outside_memory, 1 },
    };

    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++) {
        manual_drive();
        EQ(manual_violations, 0);
        t[i].mistake();
        if (manual_violations != t[i].want)
            test_fail(__FILE__, __LINE__, "%s: %lu violations, the last: %s", t[i].what, manual_violations,
                      manual_violation);
    }
}

TEST(model_mfi_in_bench_mode_only_the_status_is_written)
{
    manual_drive();
    manual.bench = true;
    manual_ld_read(1, 0, 1);
    EQ(manual_frame(1)[2], 0);
    EQ(manual_data(1)[0], 0);
    EQ(manual.seen.reads, 1);
}

TEST(model_mfi_may_vanish_and_break_down_at_a_read)
{
    manual_drive();
    manual.nth_fault = 1;
    manual_ld_read(1, 0, 1);
    EQ(manual_read(0xb0) >> 28, 0xf);
    manual_drive();
    manual.nth_vanish = 1;
    manual_ld_read(1, 0, 1);
    EQ(manual_read(0xb0), 0xffffffff);
    EQ(model_mfi_ops.config_read(&manual, 0), 0xffffffff);
    EQ(manual_frame(1)[2], 0xff);
}
