#include <string.h>
#include "model_manual.h"
#include "test.h"

/* The MFI model by hand: the xscale and skinny ports, and what changes by itself as time passes. */

/* ---- the other two ports for frames ---- */
static void start_as(enum model_mfi_generation g)
{
    struct model_host host;

    manual_init();
    host = manual.host;
    model_mfi_free(&manual);
    model_mfi_init(&manual, g);
    manual.host = host;
    manual.max_cmds = 64;
    model_mfi_add_ld(&manual, 3, 65536);
    model_mfi_add_pd(&manual, 9, 1, MODEL_MFI_PD_SYSTEM);
}

static void reg(uint32_t off, uint32_t v)
{
    model_mfi_ops.write(&manual, manual.generation == MODEL_MFI_XSCALE ? 0 : 1, off, 4, v);
}

static uint32_t reg_of(uint32_t off)
{
    return (uint32_t)model_mfi_ops.read(&manual, manual.generation == MODEL_MFI_XSCALE ? 0 : 1, off, 4);
}

static void post(unsigned i, unsigned extra)
{
    uint32_t address = MANUAL_FRAMES + MANUAL_FRAME_STEP * i;

    if (manual.generation == MODEL_MFI_XSCALE) {
        reg(0x40, address >> 3 | extra);
    } else {
        reg(0xc4, 0);
        reg(0xc0, address | extra << 1 | 1);
    }
    manual_wait_ms(0);
}

static uint8_t init_by_hand(uint32_t mask)
{
    uint8_t *q = manual_memory, *f = manual_prepare(0, 0, 0, 32);

    memset(q, 0, 0x100);
    q[4] = 64;
    memcpy(q + 8, "\x00\x01\x40", 3);
    memcpy(q + 16, "\x40\x00\x40", 3);
    memcpy(q + 24, "\x80\x00\x40", 3);
    memcpy(f + 24, "\x00\x00\x40", 3);
    reg(0x34, mask);
    post(0, 0);
    return f[2];
}

/* n SGEs of 512 bytes in the form that the flags say. */
static void read_in_pieces(unsigned i, uint16_t flags, unsigned entry, unsigned n)
{
    uint8_t *f = manual_prepare(i, 1, flags, n);

    f[4] = 3;
    f[7] = (uint8_t)n;
    for (unsigned k = 0; k < n; k++) {
        uint32_t address = MANUAL_DATA + MANUAL_DATA_STEP * i + 512 * k, bytes = 512;

        memcpy(f + 40 + entry * k, &address, 4);
        memcpy(f + 40 + entry * k + (entry == 8 ? 4 : 8), &bytes, 4);
    }
}

TEST(model_mfi_xscale_takes_shifted_addresses_and_has_its_status_elsewhere)
{
    start_as(MODEL_MFI_XSCALE);
    EQ(model_mfi_ops.config_read(&manual, 0), 0x00151028);
    EQ(model_mfi_ops.config_read(&manual, 0x10), 0xffffc000);
    EQ(model_mfi_ops.config_read(&manual, 0x14), 0);
    EQ(reg_of(0x18), 0xb0500040);
    EQ(reg_of(0xb0), 0);
    EQ(init_by_hand(0x1f), 0);
    EQ(reg_of(0x18) >> 28, 0xc);
    read_in_pieces(1, 0x10, 8, 5); /* two of them in a second frame */
    post(1, 1);
    EQ(manual_frame(1)[2], 0);
    CHECK(manual_holds(1, 3, 0, 5));
    EQ(manual_dcmd(0x02010100, 0, 1024), 0xff); /* posted as the 2108 wants it */
    CHECK(manual_violations >= 1);
}

TEST(model_mfi_xscale_rings_set_bit_1_and_know_no_queries)
{
    start_as(MODEL_MFI_XSCALE);
    EQ(init_by_hand(0x0f), 0);
    EQ(manual_violations, 1); /* bit 4 was not masked */
    start_as(MODEL_MFI_XSCALE);
    init_by_hand(0x1f);
    read_in_pieces(1, 0x10, 8, 1);
    manual_frame(1)[16] = 0x10;
    manual_frame(1)[2] = 0;
    post(1, 0);
    EQ(reg_of(0x30), 2);
    reg(0x30, 2);
    EQ(reg_of(0x30), 0);
    manual_prepare(1, 5, 0x10, 1024);
    memcpy(manual_frame(1) + 24, "\x00\x01\x01\x02", 4);
    manual_sge(1, 1024);
    post(1, 0);
    EQ(manual_frame(1)[2], 2);
    EQ(manual_violations, 0);
}

TEST(model_mfi_skinny_takes_two_halves_of_an_address_and_ieee_lists)
{
    start_as(MODEL_MFI_SKINNY);
    EQ(model_mfi_ops.config_read(&manual, 0), 0x00731000);
    EQ(reg_of(0xb0), 0xb43c0040);
    EQ(init_by_hand(0xffffffff), 0);
    read_in_pieces(1, 0x32, 16, 5);
    post(1, 1);
    EQ(manual_frame(1)[2], 0);
    CHECK(manual_holds(1, 3, 0, 5));
    EQ(manual_violations, 0);
    read_in_pieces(2, 0x10, 8, 1);
    post(2, 0);
    EQ(manual_frame(2)[2], 0x3c);
    EQ(manual_violations, 1); /* SGL32 */
    reg(0x00, 7);
    EQ(reg_of(0xb0) >> 28, 0xb);
}

TEST(model_mfi_skinny_halves_come_in_order_with_nothing_between)
{
    start_as(MODEL_MFI_SKINNY);
    init_by_hand(0xffffffff);
    reg(0xc0, MANUAL_FRAMES | 1);
    EQ(manual_violations, 1);
    reg(0xc4, 0);
    reg_of(0xb0);
    EQ(manual_violations, 2);
    reg(0xc4, 1);
    EQ(manual_violations, 3);
    start_as(MODEL_MFI_SKINNY);
    init_by_hand(0xffffffff);
    reg(0x20, 7);
    EQ(manual_violations, 1); /* its doorbell is at 0 */
}

TEST(model_mfi_skinny_moves_128_kib_at_most)
{
    start_as(MODEL_MFI_SKINNY);
    init_by_hand(0xffffffff);
    manual_prepare(1, 1, 0x32, 257)[4] = 3;
    manual_frame(1)[7] = 1;
    memcpy(manual_frame(1) + 40, "\x00\x00\x45\x00\x00\x00\x00\x00\x00\x02\x02\x00", 12);
    post(1, 0);
    EQ(manual_frame(1)[2], 3);
    EQ(manual_violations, 1);
}

TEST(model_mfi_published_before_the_first_half_is_published)
{
    start_as(MODEL_MFI_SKINNY);
    init_by_hand(0xffffffff);
    read_in_pieces(1, 0x32, 16, 1);
    reg(0xc4, 0);
    manual_published = false;
    reg(0xc0, (MANUAL_FRAMES + MANUAL_FRAME_STEP) | 1);
    EQ(manual_violations, 0);
    read_in_pieces(2, 0x32, 16, 1);
    reg(0xc4, 0);
    manual_published = true;
    reg(0xc0, (MANUAL_FRAMES + 2 * MANUAL_FRAME_STEP) | 1);
    EQ(manual_violations, 1);
}

/* ---- state ---- */
static struct model_mfi_pd *member(uint16_t id, uint8_t target, uint16_t state)
{
    struct model_mfi_pd *pd = model_mfi_add_pd(&manual, id, (uint8_t)id, state);

    pd->ld_target = target;
    return pd;
}

TEST(model_mfi_members_that_fail_degrade_their_drive_by_its_level)
{
    static const struct {
        uint8_t level, spans, drives, after_one, after_two, second;
    } t[] = {
        { 0, 1, 4, 0, 0, 1 }, { 1, 1, 2, 2, 0, 1 }, { 5, 1, 4, 2, 0, 1 },
        { 6, 1, 4, 1, 2, 1 }, { 1, 2, 2, 2, 0, 1 }, { 1, 2, 2, 2, 2, 2 }, /* the other span */
    };

    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++) {
        struct model_mfi_ld *ld = manual_drive();
        struct model_mfi_pd *pd[4];

        ld->primary_level = t[i].level;
        ld->span_depth = t[i].spans;
        ld->drives_per_span = t[i].drives;
        for (uint16_t k = 0; k < 4; k++)
            pd[k] = member(8 + k, 3, MODEL_MFI_PD_ONLINE);
        model_mfi_fail_pd(&manual, pd[0]);
        EQ(ld->state, t[i].after_one);
        model_mfi_fail_pd(&manual, pd[t[i].second]);
        EQ(ld->state, t[i].after_two);
        EQ(pd[0]->state, 0x11);
        EQ(manual_dcmd(0x01040100, 0, 20), 0);
        CHECK(manual_data(1)[0] >= 3);
        EQ(manual_violations, 0);
    }
}

TEST(model_mfi_a_spare_takes_over_and_rebuilds_as_time_passes)
{
    struct model_mfi_ld *ld = manual_drive();
    struct model_mfi_pd *pd, *spare;

    ld->primary_level = 1;
    ld->drives_per_span = 2;
    pd = member(8, 3, MODEL_MFI_PD_ONLINE);
    member(9, 3, MODEL_MFI_PD_ONLINE);
    spare = member(10, 0xff, MODEL_MFI_PD_SPARE);
    manual.rebuild_ns = 100000000000ull;
    manual.fail_pd = 8;
    manual.nth_fail_pd = 2;
    manual_ld_read(1, 0, 1);
    manual_wait_ms(0);
    EQ(pd->state, 0x18);
    manual_ld_read(1, 0, 1);
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0); /* the mirror still reads */
    EQ(pd->state, 0x11);
    EQ(spare->state, 0x14);
    EQ(ld->state, 2);
    manual_wait_ms(50000);
    EQ(manual_dcmd(0x02020000, 10, 512), 0);
    EQ(manual_data(1)[260], 1);
    EQ(manual_data(1)[264] | manual_data(1)[265] << 8, 32767);
    EQ(manual_data(1)[266], 50);
    manual_wait_ms(50000);
    EQ(spare->state, 0x18);
    EQ(ld->state, 3);
    EQ(manual.works, 0);
    EQ(manual_violations, 0);
}

TEST(model_mfi_initialisation_and_checks_go_on_over_time)
{
    struct model_mfi_ld *ld = manual_drive();

    ld->consistent = 0;
    model_mfi_start_ld(&manual, ld, 2, 10000000000ull);
    model_mfi_start_ld(&manual, ld, 0, 40000000000ull);
    manual_wait_ms(5000);
    EQ(manual_dcmd(0x03020000, 3, 384), 0);
    EQ(manual_data(1)[264], 5);
    EQ(manual_data(1)[277], 0x7f);
    EQ(manual_data(1)[269], 0x1f);
    EQ(manual_data(1)[270], 5);
    manual_ld_read(2, 0, 1);
    manual_wait_ms(0);
    EQ(manual_frame(2)[2], 0x18);
    manual_wait_ms(5000);
    manual_ld_read(2, 0, 1);
    manual_wait_ms(0);
    EQ(manual_frame(2)[2], 0);
    EQ(ld->consistent, 1);
    EQ(ld->active, 1);
    manual_wait_ms(30000);
    EQ(ld->active, 0);
}

TEST(model_mfi_write_back_follows_the_battery)
{
    struct model_mfi_ld *ld = manual_drive();

    manual.policies_follow = true;
    ld->default_policy = 0x65;
    EQ(manual_dcmd(0x03030000, 3, 32), 0);
    EQ(manual_data(1)[20], 0x65);
    EQ(manual_data(1)[23], 0x64); /* no battery */
    manual.bbu.type = 2;
    manual.bbu.healthy = true;
    manual.bbu.charge_percent = 100;
    manual_dcmd(0x03030000, 3, 32);
    EQ(manual_data(1)[23], 0x65);
    manual.bbu.fw_status = 0x400; /* replace the pack */
    manual_dcmd(0x03030000, 3, 32);
    EQ(manual_data(1)[23], 0x64);
    ld->default_policy = 0x75; /* always */
    manual_dcmd(0x03030000, 3, 32);
    EQ(manual_data(1)[23], 0x75);
    manual.memory_mib = 0;
    manual_dcmd(0x03030000, 3, 32);
    EQ(manual_data(1)[23], 0x60);
}

TEST(model_mfi_a_learn_cycle_empties_and_fills_the_battery)
{
    manual_drive();
    manual.bbu.type = 1;
    manual.bbu.fw_status = 0x20;
    manual.bbu.charge_percent = 90;
    model_mfi_start_learn(&manual, 100000000000ull);
    EQ(manual_dcmd(0x05010000, 0, 64), 0);
    EQ(manual_data(1)[0], 1);
    EQ(manual_data(1)[8], 0x70);
    manual_wait_ms(25000);
    EQ(manual.bbu.charge_percent, 50);
    manual_wait_ms(50000);
    manual_dcmd(0x05010000, 0, 64);
    EQ(manual_data(1)[8], 0x68);
    EQ(manual_data(1)[42], manual.bbu.charge_percent); /* iBBU: absolute charge */
    manual_wait_ms(25000);
    EQ(manual.bbu.fw_status, 0);
    EQ(manual.bbu.charge_percent, 100);
    EQ(manual.bbu.cycles, 1);
}

TEST(model_mfi_the_event_log_grows_and_forgets_its_oldest)
{
    manual_drive();
    manual.event_period_ns = 1000000000;
    manual.event_period_code = 0x71;
    manual_wait_ms(0);
    for (unsigned i = 0; i < 40; i++)
        manual_wait_ms(1000);
    EQ(manual_dcmd(0x01040100, 0, 20), 0);
    EQ(manual_data(1)[0], 40);
    EQ(manual_data(1)[4], 40 - MODEL_MFI_EVENTS + 1);
    manual_wait_ms(1000000000);
    CHECK(manual.event_count == MODEL_MFI_EVENTS);
}

TEST(model_mfi_who_waits_for_an_event_is_answered_by_one)
{
    manual_drive();
    manual_prepare(1, 5, 0x10, 256);
    memcpy(manual_frame(1) + 24, "\x00\x05\x04\x01\x01\x00\x00\x00\xff\xff\x00\x01", 12);
    manual_sge(1, 256);
    manual_post(1, 0);
    manual_wait_ms(1000000);
    EQ(manual_frame(1)[2], 0xff);
    model_mfi_add_event(&manual, 0x71, 0, "not severe enough");
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0xff);
    model_mfi_add_event(&manual, 0xfc, 2, "VD 03 is offline");
    manual_wait_ms(0);
    EQ(manual_frame(1)[2], 0);
    EQ(manual_data(1)[8], 0xfc);
    EQ(manual.in_flight, 0);
}

TEST(model_mfi_patrol_read_has_a_state_and_a_mode)
{
    manual_drive();
    manual.patrol.state = 2;
    manual.patrol.drives_done = 3;
    manual.patrol.iterations = 7;
    manual.patrol.mode = 1;
    EQ(manual_dcmd(0x01070100, 0, 16), 0);
    EQ(manual_data(1)[0], 7);
    EQ(manual_data(1)[4], 2);
    EQ(manual_data(1)[5], 3);
    EQ(manual_dcmd(0x01070200, 0, 208), 0);
    EQ(manual_data(1)[0], 1);
}

/* ---- changes ---- */
static uint8_t write_dcmd(uint32_t opcode, uint32_t mbox, const uint8_t *data, uint32_t bytes)
{
    uint8_t *f = manual_prepare(1, 5, bytes ? 8 : 0, bytes);

    memcpy(f + 24, &opcode, 4);
    memcpy(f + 28, &mbox, 4);
    if (bytes)
        memcpy(manual_data(1), data, bytes);
    if (bytes)
        manual_sge(1, bytes);
    manual_post(1, 0);
    manual_wait_ms(0);
    return f[2];
}

TEST(model_mfi_properties_are_set_with_the_latest_reference_only)
{
    uint8_t properties[32];
    struct model_mfi_ld *ld = manual_drive();

    manual.may_change = true;
    manual.policies_follow = true;
    EQ(manual_dcmd(0x03030000, 3, 32), 0);
    memcpy(properties, manual_data(1), 32);
    properties[20] = 0x04;
    EQ(write_dcmd(0x03040000, 3 | 1 << 16, properties, 32), 0);
    EQ(ld->default_policy, 0x04);
    EQ(write_dcmd(0x03040000, 3 | 1 << 16, properties, 32), 4);
    EQ(write_dcmd(0x03040000, 4 | 1 << 16, properties, 32), 0x0c);
    manual.ld_ops = 0x1e; /* no read policies */
    properties[20] = 0;
    EQ(write_dcmd(0x03040000, 3 | 2 << 16, properties, 32), 3);
    EQ(ld->default_policy, 0x04);
    EQ(manual_violations, 0);
}

TEST(model_mfi_drives_are_deleted_and_made_but_not_while_cache_is_pinned)
{
    static uint8_t config[32 + 288 + 256];
    struct model_mfi_ld *ld = manual_drive();
    struct model_mfi_pd *pd = member(8, 3, MODEL_MFI_PD_ONLINE);

    manual.may_change = true;
    ld->pinned_cache = true;
    EQ(write_dcmd(0x03090000, 3 | 1 << 16, NULL, 0), 0x54);
    EQ(write_dcmd(0x04030000, 0, NULL, 0), 0x54);
    ld->pinned_cache = false;
    EQ(write_dcmd(0x03090000, 3 | 1 << 16, NULL, 0), 0);
    EQ(ld->present, 0);
    EQ(pd->state, 0x00);
    memset(config, 0, sizeof config);
    memcpy(config, "\x40\x02\x00\x00\x01\x00\x20\x01\x01\x00\x00\x01", 12);
    config[14] = 40;
    config[32 + 8] = 1;
    config[64] = 8;
    config[66] = (uint8_t)pd->seq;
    config[320] = 5;          /* target */
    config[320 + 36] = 1;     /* drives */
    config[320 + 37] = 1;     /* spans */
    config[320 + 64 + 9] = 1; /* 256 blocks */
    EQ(write_dcmd(0x04020000, 0, config, sizeof config), 0);
    EQ(pd->state, 0x18);
    EQ(manual_dcmd(0x03010000, 0, 1032), 0);
    EQ(manual_data(1)[8], 5);
    EQ(write_dcmd(0x04020000, 0, config, sizeof config), 4); /* the drive's number has moved on */
    EQ(manual_violations, 0);
}

TEST(model_mfi_the_locate_light_is_the_one_change_that_may_be_allowed_alone)
{
    struct model_mfi_pd *pd;

    manual_drive();
    pd = model_mfi_add_pd(&manual, 8, 4, MODEL_MFI_PD_ONLINE);
    EQ(manual_dcmd(0x02070100, 8, 0), 0x32);
    EQ(manual_violations, 1);
    manual.may_locate = true;
    EQ(manual_dcmd(0x02070100, 8, 0), 0);
    EQ(pd->locating, 1);
    EQ(manual_dcmd(0x02070200, 8, 0), 0);
    EQ(pd->locating, 0);
    EQ(manual_dcmd(0x02070100, 9, 0), 0x0c);
    EQ(manual_violations, 1);
    manual_dcmd(0x04030000, 0, 0);
    EQ(manual_violations, 2);
}

TEST(model_mfi_contexts_come_twice_and_of_nobody)
{
    const uint8_t *ring = manual_memory + (MANUAL_RING - MANUAL_BASE);

    manual_drive();
    manual.nth_stray = 1;
    manual.nth_duplicate = 1;
    manual_prepare(6, 1, 0x10, 1)[4] = 3;
    manual_frame(6)[16] = 0x10;
    manual_sge(6, 512);
    manual_post(6, 0);
    manual_wait_ms(0);
    EQ(ring[0], 0xf1);
    EQ(ring[3], 0xff);
    EQ(ring[4], 6);
    EQ(ring[8], 6);
    EQ(manual_memory[0x40], 3);
}
