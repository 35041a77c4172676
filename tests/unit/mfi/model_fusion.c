#include <string.h>
#include "fusion_manual.h"
#include "test.h"

/* The fusion model itself, driven by hand: registers, INIT, requests, replies. */

enum { FIRST = MODEL_MFI_THUNDERBOLT };

TEST(model_fusion_registers_tell_limits_of_each_generation)
{
    static const struct {
        uint16_t id;
        unsigned bar;
        uint32_t queues;
    } t[] = { { 0x5b, 1, 3 }, { 0x5d, 1, 3 << 14 }, { 0x16, 0, 3 << 14 }, { 0x10e2, 0, 3 << 14 } };

    for (unsigned g = FIRST; g < MODEL_MFI_ALL; g++) {
        unsigned i = g - FIRST;

        fusion_init((enum model_mfi_generation)g);
        manual.reply_queues = 4;
        EQ(model_mfi_ops.config_read(&manual, 0), (uint32_t)t[i].id << 16 | 0x1000);
        EQ(model_mfi_ops.config_read(&manual, 0x10 + 4 * t[i].bar), 0xffffc004);
        EQ(fusion_read(0xb0), 0xb0460019);
        EQ(fusion_read(0xb4) & ~0x03000000u, 8u << 5 | t[i].queues);
        manual.chain_bytes = 8192;
        EQ(fusion_read(0xb4) & 0x4003e0, 1u << 22 | 16u << 5);
        EQ(fusion_read(0x00), 0);
        EQ(manual_violations, 0);
    }
}

TEST(model_fusion_aero_reads_answer_zero_some_times)
{
    fusion_init(MODEL_MFI_AERO);
    manual.zero_reads = 3;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3; i++)
            EQ(fusion_read(0xb0), 0);
        EQ(fusion_read(0xb0), 0xb0460019);
    }
    EQ(manual.seen.zero_reads, 6);
}

TEST(model_fusion_doorbell_is_busy_for_a_while_and_init_must_wait)
{
    fusion_init(MODEL_MFI_INVADER);
    manual.doorbell_busy_ns = 2000000000;
    EQ(fusion_read(0), 1);
    fusion_prepare_init();
    EQ(fusion_post_init(), 0);
    EQ(manual_violations, 1);
    manual_wait_ms(2000);
    EQ(fusion_read(0), 0);
    fusion_write(0, 7);
    EQ(fusion_read(0), 1);
    EQ(fusion_read(0xb0) >> 28, 0xb);
}

TEST(model_fusion_init_makes_it_operational_by_one_write_or_a_pair)
{
    for (unsigned g = FIRST; g < MODEL_MFI_ALL; g++) {
        fusion_init((enum model_mfi_generation)g);
        fusion_prepare_init();
        EQ(fusion_post_init(), 0);
        EQ(fusion_read(0xb0) >> 28, 0xc);
        fusion_init((enum model_mfi_generation)g);
        fusion_prepare_init();
        fusion_write(0xc0, FUSION_INIT | 2);
        manual_published = false; /* as the back end has it after a write */
        fusion_write(0xc4, 0);
        manual_published = true;
        manual_wait_ms(0);
        EQ(fusion_read(0xb0) >> 28, 0xc);
        EQ(manual.seen.inits, 1);
        EQ(manual_violations, 0);
    }
}

/* Which byte of the message (or, from 0x100 on, of the frame) is set to what, and the status that follows. */
TEST(model_fusion_a_careless_init_is_a_violation)
{
    static const struct {
        unsigned at;
        uint8_t value, status;
    } t[] = {
        { 0, 1, 0 },   { 3, 1, 0 },  { 7, 1, 0 },      { 12, 1, 0 },    { 14, 1, 0 },
        { 22, 11, 0 }, { 23, 1, 0 }, { 26, 32, 0 },    { 28, 24, 3 },   { 30, 1, 0 },
        { 40, 8, 0 },  { 56, 1, 0 }, { 0x114, 32, 0 }, { 0x112, 1, 0 }, { 0x120, 1, 0 },
    };

    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++) {
        fusion_init(MODEL_MFI_INVADER);
        fusion_prepare_init();
        manual_memory[t[i].at < 0x100 ? t[i].at : FUSION_INIT - MANUAL_BASE + (t[i].at & 0xff)] = t[i].value;
        EQ(fusion_post_init(), t[i].status);
        if (manual_violations != 1)
            test_fail(__FILE__, __LINE__, "%#x: %lu violations, the last: %s", t[i].at, manual_violations,
                      manual_violation);
    }
    fusion_init(MODEL_MFI_INVADER);
    fusion_prepare_init();
    memset(fusion_slot(31), 0, 8);
    fusion_post_init();
    EQ(manual_violations, 1); /* the ring must be all ones */
    fusion_init(MODEL_MFI_INVADER);
    fusion_prepare_init();
    manual_memory[32] = 1;
    fusion_post_init();
    CHECK(manual_violations >= 1); /* sense above 4 GiB */
    fusion_init(MODEL_MFI_INVADER);
    fusion_prepare_init();
    fusion_write(0x34, 0);
    fusion_post_init();
    EQ(manual_violations, 1); /* unmasked */
    fusion_init(MODEL_MFI_INVADER);
    fusion_prepare_init();
    fusion_write64(0xc0, FUSION_INIT | 0x42);
    EQ(manual_violations, 1); /* 256 bytes */
}

TEST(model_fusion_64_bit_queues_need_the_capability_bit)
{
    fusion_init(MODEL_MFI_VENTURA);
    fusion_prepare_init();
    manual_memory[32] = 1; /* sense above 4 GiB */
    fusion_post_init();
    EQ(manual_violations, 1);
    fusion_init(MODEL_MFI_VENTURA);
    fusion_prepare_init();
    manual_memory[32] = 1;
    manual_memory[FUSION_INIT - MANUAL_BASE + 5] = 0x20; /* bit 13 */
    fusion_post_init();
    EQ(manual_violations, 0);
    EQ(manual.seen.capabilities, 0x2000);
}

TEST(model_fusion_a_virtual_drive_reads_its_medium)
{
    for (unsigned g = FIRST; g < MODEL_MFI_ALL; g++) {
        fusion_drive((enum model_mfi_generation)g);
        fusion_ld_read(1, 65535, 1);
        fusion_ld_read(24, 0, 16);
        manual_wait_ms(0);
        EQ(fusion_slot(0)[2], 1);
        EQ(fusion_slot(1)[2], 24);
        EQ(fusion_slot(0)[0], 0);
        EQ(fusion_slot(2)[0], 0xff);
        EQ(fusion_request(1)[0x77], 0);
        CHECK(manual_holds(1, 3, 65535, 1));
        CHECK(manual_holds(24, 3, 0, 16));
        EQ(fusion_take(0), 1);
        EQ(fusion_take(1), 24);
        EQ(fusion_take(2), 0);
        EQ(manual.seen.ld_requests, 2);
        EQ(fusion_read(0x30), 1);
        EQ(manual_violations, 0);
    }
}

/* 32 blocks in 20 pieces: seven in the frame, thirteen in a chain. */
static uint8_t *prepare_chain(enum model_mfi_generation g)
{
    bool eol = g >= MODEL_MFI_INVADER;
    uint8_t *r, *chain = manual_memory + (FUSION_CHAINS - MANUAL_BASE);

    fusion_drive(g);
    r = fusion_prepare_read(2, 0, 32);
    for (unsigned i = 0; i < 20; i++) {
        uint8_t *e = i < 7 ? r + 0x80 + 16 * i : chain + 16 * (i - 7);
        uint32_t address = MANUAL_DATA + 2 * MANUAL_DATA_STEP + 1024 * i, bytes = i < 12 ? 1024 : 512;

        memset(e, 0, 16);
        memcpy(e, &address, 4);
        memcpy(e + 8, &bytes, 4);
        e[15] = eol && i == 19 ? 0x40 : 0;
    }
    memset(r + 0xf0, 0, 16);
    memcpy(r + 0xf0, "\x00\x80\x43", 3);
    r[0xf8] = 13 * 16;
    r[0xff] = eol ? 0x80 : 0x83;
    r[2] = 0x0f;
    r[g >= MODEL_MFI_VENTURA ? 0x7c : 0x79] = 20;
    return r;
}

TEST(model_fusion_lists_longer_than_the_frame_go_on_in_a_chain)
{
    for (unsigned g = FIRST; g < MODEL_MFI_ALL; g++) {
        uint8_t *r = prepare_chain((enum model_mfi_generation)g);

        fusion_post_read(2);
        manual_wait_ms(0);
        EQ(r[0x77], 0);
        EQ(fusion_take(0), 2);
        CHECK(manual_holds(2, 3, 0, 25)); /* twelve pieces of two blocks and one of one lie side by side */
        EQ(manual_violations, 0);
    }
}

TEST(model_fusion_a_careless_chain_is_a_violation)
{
    static const struct {
        unsigned at;
        uint8_t value;
    } t[] = {
        { 2, 0 },                                 /* no chain offset, twenty SGEs */
        { 2, 0x0e },                              /* another offset */
        { 0xf8, 16 },                             /* length of one entry */
        { 0xff, 0x83 }, { 0xfe, 1 }, { 0x7c, 8 }, /* the count says otherwise */
    };

    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++) {
        prepare_chain(MODEL_MFI_AERO)[t[i].at] = t[i].value;
        fusion_post_read(2);
        if (manual_violations != 1)
            test_fail(__FILE__, __LINE__, "%#x: %lu violations, the last: %s", t[i].at, manual_violations,
                      manual_violation);
    }
    prepare_chain(MODEL_MFI_AERO);
    manual.chain_bytes = 192; /* twelve entries */
    fusion_post_read(2);
    EQ(manual_violations, 1);
    prepare_chain(MODEL_MFI_AERO);
    fusion_post_read(2);
    manual_memory[FUSION_CHAINS - MANUAL_BASE + 16] ^= 1;
    manual_wait_ms(0);
    EQ(manual_violations, 1); /* the chain was changed in flight */
}

TEST(model_fusion_errors_come_in_the_context_with_sense_in_its_pool)
{
    struct model_mfi_ld *ld = fusion_drive(MODEL_MFI_VENTURA);
    const uint8_t *sense = manual_memory + (MANUAL_SENSE - MANUAL_BASE) + 128;

    ld->medium.bad[0].first = 102;
    ld->medium.bad[0].count = 1;
    fusion_ld_read(1, 100, 8);
    manual_wait_ms(0);
    EQ(fusion_request(1)[0x77], 0x2d);
    EQ(fusion_request(1)[0x76], 2);
    EQ(fusion_request(1)[0x1d], 4); /* 1024 bytes were moved */
    EQ(sense[0], 0xf0);
    EQ(sense[2], 3);
    EQ(sense[6], 102);
    EQ(fusion_take(0), 1);
    ld->state = MODEL_MFI_LD_OFFLINE;
    fusion_ld_read(1, 0, 1);
    manual_wait_ms(0);
    EQ(fusion_request(1)[0x77], 0x33);
    fusion_take(1);
    ld->present = false;
    fusion_ld_read(1, 0, 1);
    manual_wait_ms(0);
    EQ(fusion_request(1)[0x77], 0x0c);
    EQ(manual_violations, 0);
}

TEST(model_fusion_system_drives_are_read_by_their_device_id)
{
    uint8_t *r;

    fusion_drive(MODEL_MFI_INVADER);
    model_mfi_add_pd(&manual, 300, 0, MODEL_MFI_PD_SYSTEM); /* no MFI frame can name it */
    r = fusion_prepare_read(1, 9, 2);
    r[0] = r[1] = 0xff;
    r[0x66] = 300 & 0xff;
    r[0x67] = 300 >> 8;
    r[0x78] = 0x10;
    fusion_post(0, 1);
    manual_wait_ms(0);
    EQ(r[0x77], 0);
    CHECK(manual_holds(1, 0x100 + 300, 9, 2));
    EQ(manual.seen.pd_requests, 1);
    EQ(manual_violations, 0);
}

TEST(model_fusion_management_commands_are_wrapped)
{
    for (unsigned g = FIRST; g < MODEL_MFI_ALL; g++) {
        fusion_drive((enum model_mfi_generation)g);
        EQ(fusion_dcmd(0x01010000, 0, 2048), 0);
        EQ(memcmp(manual_data(1) + 1344, "PERC H7", 7), 0);
        EQ(fusion_dcmd(0x03010000, 0, 1032), 0);
        EQ(manual_data(1)[8], 3);
        EQ(fusion_dcmd(0x0300e101, 0, 1024), 2);
        EQ(fusion_dcmd(0x01101000, 1, 0), 0);
        EQ(fusion_slot(4)[0], 0xff);
        EQ(manual.seen.wrapped, 4);
        EQ(manual_violations, 0);
    }
}

TEST(model_fusion_passes_scsi_frames_to_members_of_arrays)
{
    uint8_t *f = fusion_frame(1);

    fusion_drive(MODEL_MFI_THUNDERBOLT);
    model_mfi_add_pd(&manual, 8, 4, MODEL_MFI_PD_ONLINE);
    fusion_prepare_dcmd(0, 0, 96);
    f[0] = 4;
    f[4] = 8;
    f[6] = 6;
    memset(f + 24, 0, 24);
    f[32] = 0x12;
    f[36] = 96;
    memcpy(f + 48, "\x00\x40\x45\x00\x60\x00\x00\x00", 8);
    fusion_post(0, 1);
    manual_wait_ms(0);
    EQ(f[2], 0);
    EQ(memcmp(manual_data(1) + 8, "SEAGATE ST1000NM0001", 20), 0);
    EQ(fusion_take(0), 1);
    EQ(manual_violations, 0);
}

TEST(model_fusion_the_reply_ring_wraps_and_stands_still_when_it_is_full)
{
    fusion_drive(MODEL_MFI_INVADER);
    for (unsigned i = 0; i < 3 * FUSION_DEPTH + 5; i++) {
        fusion_ld_read(1 + i % 24, i, 1);
        manual_wait_ms(0);
        EQ(fusion_take(i), 1 + i % 24);
    }
    EQ(manual_violations, 0);
    for (unsigned i = 0; i < FUSION_DEPTH - 1; i++) {
        fusion_ld_read(1 + i % 24, i, 1);
        manual_wait_ms(0);
    }
    EQ(manual_violations, 0);
    fusion_ld_read(24, 0, 1);
    manual_wait_ms(0);
    EQ(manual_violations, 2); /* more than the ring holds, and it does not move */
    EQ(manual.in_flight, 1);
}

TEST(model_fusion_replies_come_halved_twice_and_for_nobody)
{
    fusion_drive(MODEL_MFI_AERO);
    manual.nth_half = 1;
    manual.half_ns = 1000000;
    fusion_ld_read(5, 0, 1);
    manual_wait_ms(0);
    EQ(fusion_slot(0)[2], 5);
    EQ(fusion_slot(0)[4], 0xff);
    CHECK(!manual_holds(5, 3, 0, 1));
    manual_wait_ms(1);
    EQ(fusion_slot(0)[4], 0);
    CHECK(manual_holds(5, 3, 0, 1));
    EQ(fusion_take(0), 5);

    fusion_drive(MODEL_MFI_AERO);
    manual.nth_half = 1;
    manual.half_ns = 1000000;
    manual.half_is_high = true;
    fusion_ld_read(5, 0, 1);
    manual_wait_ms(0);
    EQ(fusion_slot(0)[2], 0xff);
    EQ(fusion_slot(0)[4], 0);
    manual_wait_ms(1);
    EQ(fusion_take(0), 5);

    fusion_drive(MODEL_MFI_AERO);
    manual.nth_stray = 1;
    manual.nth_duplicate = 1;
    fusion_ld_read(5, 0, 1);
    manual_wait_ms(0);
    EQ(fusion_take(0), 0xfff1);
    EQ(fusion_take(1), 5);
    EQ(fusion_take(2), 5);
    EQ(fusion_take(3), 0);
    EQ(manual_violations, 0);
}

TEST(model_fusion_single_dword_descriptors_go_to_a_port_of_their_own)
{
    fusion_drive(MODEL_MFI_AERO);
    EQ(fusion_read(0xb4) >> 24 & 1, 1);
    fusion_prepare_read(1, 0, 1);
    fusion_write(0xc8, 7 << 1 | 1 << 16);
    manual_wait_ms(0);
    EQ(fusion_take(0), 1);
    EQ(manual.seen.atomic_posts, 1);
    EQ(manual_violations, 0);
    fusion_drive(MODEL_MFI_VENTURA);
    fusion_prepare_read(1, 0, 1);
    fusion_write(0xc8, 7 << 1 | 1 << 16);
    EQ(manual_violations, 1);
    fusion_init(MODEL_MFI_AERO);
    manual.atomic_descriptors = false;
    EQ(fusion_read(0xb4) >> 24 & 1, 1); /* something else before INIT */
    fusion_prepare_init();
    fusion_post_init();
    EQ(fusion_read(0xb4) >> 24 & 1, 0);
}

TEST(model_fusion_a_host_that_cannot_know_of_a_fault_may_still_post_at_either_port)
{
    fusion_drive(MODEL_MFI_AERO);
    manual.state = MODEL_MFI_FAULT;
    fusion_prepare_read(1, 0, 1);
    fusion_write(0xc8, 7 << 1 | 1 << 16);
    fusion_post(7, 2);
    manual_wait_ms(0);
    EQ(fusion_take(0), 0);
    EQ(manual_violations, 0);
}

/* ---- mistakes ---- */
static void smid_zero(void) { fusion_post(7, 0); }
static void smid_too_large(void) { fusion_ld_read(25, 0, 1); }
static void smid_in_use(void)
{
    manual.latency_ns = 1000;
    fusion_ld_read(1, 0, 1);
    fusion_post_read(1);
}
static void not_published(void)
{
    fusion_prepare_read(1, 0, 1);
    manual_published = false;
    fusion_post_read(1);
    manual_published = true;
}
static void changed(void)
{
    fusion_ld_read(1, 0, 1);
    fusion_request(1)[0x45] = 1;
    manual_wait_ms(0);
}
static void data_address_changed(void)
{
    fusion_ld_read(1, 0, 1);
    fusion_request(1)[0x81] ^= 2;
    manual_wait_ms(0);
}
static void wrong_type(void)
{
    fusion_prepare_read(1, 0, 1);
    fusion_post(0, 1);
}
static void map_function(void)
{
    fusion_prepare_read(1, 0, 1)[3] = 0;
    fusion_post(0, 1);
}
static void old_count_place(void)
{
    uint8_t *r = fusion_prepare_read(1, 0, 1);
    r[0x79] = 1;
    r[0x7c] = 0;
    fusion_post_read(1);
}
static void no_end(void)
{
    fusion_prepare_read(1, 0, 1)[0x8f] = 0;
    fusion_post_read(1);
}
static void chain_offset(void)
{
    uint8_t *r = fusion_prepare_read(1, 0, 1);
    r[2] = 0x0e;
    fusion_post_read(1);
}
static void handle(void)
{
    fusion_prepare_read(1, 0, 1)[0] = 4;
    fusion_post_read(1);
}
static void no_type_in_context(void)
{
    fusion_prepare_read(1, 0, 1)[0x60] = 0;
    fusion_post_read(1);
}
static void status_left(void)
{
    fusion_prepare_read(1, 0, 1)[0x77] = 0x2d;
    fusion_post_read(1);
}
static void no_direction(void)
{
    fusion_prepare_read(1, 0, 1)[0x3f] = 0;
    fusion_post_read(1);
}
static void short_list(void)
{
    fusion_prepare_read(1, 0, 2)[0x89] = 2;
    fusion_post_read(1);
}
static void write_command(void)
{
    fusion_prepare_read(1, 0, 1)[0x40] = 0x8a;
    fusion_post_read(1);
    manual_wait_ms(0);
}
static void not_poisoned(void)
{
    fusion_ld_read(1, 0, 1);
    manual_wait_ms(0);
    fusion_write(0x6c, 1);
}
static void index_too_far(void) { fusion_write(0x6c, 1); }
static void index_out_of_range(void) { fusion_write(0x6c, 32); }
static void other_queue(void) { fusion_write(0x6c, 1 << 24); }
static void interleaved(void)
{
    fusion_write(0xc0, 0);
    fusion_write(0x30, 0);
}
static void high_alone(void) { fusion_write(0xc4, 0); }
static void queue_port(void) { fusion_write(0x40, FUSION_FRAMES | 1); }
static void unwrapped(void) { fusion_write64(0xc0, FUSION_FRAMES | 2); }
static void wrapped_flags(void)
{
    fusion_prepare_dcmd(0x01101000, 1, 0);
    fusion_request(1)[0x8f] = 0x80;
    fusion_post(0, 1);
}
static void wrapped_length(void)
{
    fusion_prepare_dcmd(0x01101000, 1, 0);
    fusion_request(1)[0x88] = 32;
    fusion_request(1)[0x89] = 0;
    fusion_post(0, 1);
}
static void wrapped_read(void)
{
    fusion_prepare_dcmd(0x01101000, 1, 0);
    fusion_frame(1)[0] = 0;
    fusion_post(0, 1);
}
static void read_before_init(void)
{
    fusion_init(MODEL_MFI_VENTURA);
    fusion_ld_read(1, 0, 1);
}
static void forbidden(void) { fusion_dcmd(0x04030000, 0, 0); }

TEST(model_fusion_counts_every_mistake_of_a_careless_driver)
{
    static const struct {
        const char *what;
        void (*mistake)(void);
        unsigned long want;
    } t[] = {
        { "SMID 0", smid_zero, 1 },
        { "SMID too large", smid_too_large, 1 },
        { "SMID in use", smid_in_use, 1 },
        { "not published", not_published, 1 },
        { "changed", changed, 1 },
        { "data address changed", data_address_changed, 1 },
        { "type", wrong_type, 1 },
        { "function", map_function, 1 },
        { "old place of the count", old_count_place, 2 },
        { "no end of the list", no_end, 1 },
        { "chain offset", chain_offset, 2 },
        { "handle", handle, 1 },
        { "no type", no_type_in_context, 1 },
        { "status left", status_left, 1 },
        { "no direction", no_direction, 1 },
        { "short list", short_list, 1 },
        { "write", write_command, 2 }, /* direction and place */
        { "not poisoned", not_poisoned, 1 },
        { "index too far", index_too_far, 1 },
        { "index out of range", index_out_of_range, 1 },
        { "other queue", other_queue, 1 },
        { "interleaved", interleaved, 1 },
        { "high alone", high_alone, 1 },
        { "queue port", queue_port, 1 },
        { "not wrapped", unwrapped, 1 },
        { "flags of the wrapper", wrapped_flags, 1 },
        { "length of the wrapper", wrapped_length, 1 },
        { "INIT in a wrapper", wrapped_read, 1 },
        { "before INIT", read_before_init, 1 },
        { "forbidden", forbidden, 1 },
    };

    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++) {
        fusion_drive(MODEL_MFI_VENTURA);
        EQ(manual_violations, 0);
        t[i].mistake();
        if (manual_violations != t[i].want)
            test_fail(__FILE__, __LINE__, "%s: %lu violations, the last: %s", t[i].what, manual_violations,
                      manual_violation);
    }
}

TEST(model_fusion_thunderbolt_wants_no_end_flag_and_its_own_chain_flag)
{
    fusion_drive(MODEL_MFI_THUNDERBOLT);
    fusion_prepare_read(1, 0, 1)[0x8f] = 0x40;
    fusion_post_read(1);
    EQ(manual_violations, 1);
    fusion_prepare_read(2, 0, 1)[0x60] = 0x12;
    fusion_post_read(2);
    EQ(manual_violations, 2);
    fusion_prepare_read(3, 0, 1);
    fusion_post(2, 3);
    EQ(manual_violations, 3);
}

TEST(model_fusion_resets_by_its_own_keys_and_faults)
{
    static const uint8_t keys[] = { 0, 0xf, 4, 0xb, 2, 7, 0xd };

    fusion_drive(MODEL_MFI_INVADER);
    manual.reset_helps = true;
    manual.reset_ns = 1000000000;
    manual.fault_code = 2;
    manual.latency_ns = 1000000;
    fusion_ld_read(1, 0, 1);
    model_mfi_fault(&manual);
    EQ(fusion_read(0xb0), 0xf0000002);
    for (unsigned i = 0; i < sizeof keys; i++)
        fusion_write(4, keys[i]);
    EQ(fusion_read(8), 0x80);
    fusion_write(8, 0x84);
    EQ(fusion_read(0xb0) >> 28, 0);
    manual_wait_ms(1000);
    EQ(fusion_read(0xb0) >> 28, 0xb);
    EQ(fusion_slot(0)[0], 0xff);
    EQ(manual_violations, 0);
}

TEST(model_fusion_commands_may_be_counted_in_another_register)
{
    fusion_init(MODEL_MFI_THUNDERBOLT);
    manual.scratch2 = 5;
    model_mfi_add_ld(&manual, 3, 65536);
    fusion_prepare_init();
    fusion_post_init();
    EQ(fusion_read(0xb8), 5);
    fusion_ld_read(4, 0, 1);
    EQ(manual_violations, 0);
    fusion_ld_read(5, 0, 1);
    EQ(manual_violations, 1);
}

TEST(model_fusion_in_bench_mode_only_the_reply_is_written)
{
    fusion_drive(MODEL_MFI_VENTURA);
    manual.bench = true;
    fusion_ld_read(7, 0, 1);
    EQ(fusion_slot(0)[2], 7);
    EQ(manual_data(7)[0], 0);
    EQ(manual.seen.reads, 1);
}
