#include "model_manual.h"
#include "test.h"

/* The MFI model itself, driven by hand: identity, firmware states, INIT. */

TEST(model_mfi_each_generation_has_its_ids_and_bars)
{
    static const struct {
        uint16_t id, cmds;
        unsigned memory, io;
    } t[] = { { 0x60, 1000, 0, 2 }, { 0x79, 1008, 1, 0 } };

    for (int g = 0; g < MODEL_MFI_GENERATIONS; g++) {
        manual_init();
        struct model_host host = manual.host;

        model_mfi_free(&manual);
        model_mfi_init(&manual, (enum model_mfi_generation)g);
        manual.host = host;
        EQ(model_mfi_ops.config_read(&manual, 0), (uint32_t)t[g].id << 16 | 0x1000);
        EQ(model_mfi_ops.config_read(&manual, 8) >> 8, 0x010400);
        EQ(model_mfi_ops.config_read(&manual, 0x10 + 4 * t[g].memory), 0xffffc004);
        EQ(model_mfi_ops.config_read(&manual, 0x14 + 4 * t[g].memory), 0xffffffff);
        EQ(model_mfi_ops.config_read(&manual, 0x10 + 4 * t[g].io), 0xffffff01);
        EQ(model_mfi_ops.read(&manual, t[g].memory, 0xb0, 4), 0xb0500000 | t[g].cmds);
        EQ(manual_violations, 0);
        model_mfi_ops.read(&manual, t[g].io, 0xb0, 4);
        EQ(manual_violations, 1);
    }
}

TEST(model_mfi_walks_its_script_of_states)
{
    manual_init();
    manual.step[0] = (struct model_mfi_step){ MODEL_MFI_BOOT_BLOCK, 1000000000 };
    manual.step[1] = (struct model_mfi_step){ MODEL_MFI_HANDSHAKE, MODEL_MFI_NEVER };
    manual.step[2] = (struct model_mfi_step){ MODEL_MFI_BOOT_MESSAGE, MODEL_MFI_NEVER };
    manual.step[3] = (struct model_mfi_step){ MODEL_MFI_DEVICE_SCAN, 500000000 };
    manual.step_count = 4;
    EQ(manual_read(0xb0) >> 28, 1);
    manual_wait_ms(1000);
    EQ(manual_read(0xb0) >> 28, 6);
    manual_wait_ms(100000);
    EQ(manual_read(0xb0) >> 28, 6);
    manual_write(0x20, 0x18);
    EQ(manual_read(0xb0) >> 28, 9);
    EQ(manual_violations, 0);
    manual_write(0x20, 0x10);
    EQ(manual_violations, 1); /* nobody said that the message may be acknowledged */
    EQ(manual_read(0xb0) >> 28, 8);
    manual_wait_ms(500);
    EQ(manual_read(0xb0), 0xb0500040);
}

TEST(model_mfi_another_driver_may_have_left_it_operational)
{
    manual_init();
    manual.step[0] = (struct model_mfi_step){ MODEL_MFI_OPERATIONAL, MODEL_MFI_NEVER };
    manual.step_count = 1;
    manual.hand_back_ns = 3000000000ull;
    EQ(manual_read(0xb0) >> 28, 0xc);
    manual_write(0x20, 0x07);
    manual_wait_ms(2999);
    EQ(manual_read(0xb0) >> 28, 0xc);
    manual_wait_ms(1);
    EQ(manual_read(0xb0) >> 28, 0xb);
    EQ(manual_violations, 0);
}

TEST(model_mfi_init_makes_it_operational)
{
    manual_init();
    EQ(manual_start(), 0);
    EQ(manual_read(0xb0) >> 28, 0xc);
    EQ(manual.seen.inits, 1);
    EQ(manual_violations, 0);
}

TEST(model_mfi_init_takes_its_time_or_is_refused)
{
    manual_init();
    manual.init_ns = 2000000;
    EQ(manual_start(), 0xff);
    manual_wait_ms(2);
    EQ(manual_frame(0)[2], 0);
    manual_init();
    manual.init_status = 0x3a;
    EQ(manual_start(), 0x3a);
    EQ(manual_read(0xb0) >> 28, 0xb);
    manual_init();
    model_mfi_lie(&manual, 0, MODEL_MFI_LOST, 0);
    EQ(manual_start(), 0xff);
    manual_wait_ms(1000000);
    EQ(manual_frame(0)[2], 0xff);
}

static uint8_t init_with(unsigned at, uint8_t value)
{
    manual_init();
    manual_start();
    manual_write(0x20, 7);
    manual_violations = 0;
    manual_prepare(0, 0, 0, 32);
    manual_frame(0)[26] = MANUAL_QUEUE >> 16;
    if (at < 64)
        manual_frame(0)[at] = value;
    else
        manual_memory[at - 64] = value;
    manual_post(0, 0);
    manual_wait_ms(0);
    return manual_frame(0)[2];
}

TEST(model_mfi_a_careless_init_is_a_violation)
{
    EQ(init_with(26, MANUAL_QUEUE >> 16), 0);
    EQ(manual_violations, 0);
    init_with(20, 36); /* length */
    EQ(manual_violations, 1);
    init_with(28, 1); /* above 4 GiB */
    EQ(manual_violations, 1);
    init_with(64, 2); /* 64-bit contexts */
    EQ(manual_violations, 1);
    EQ(init_with(68, 65), 3); /* too many entries */
    EQ(manual_violations, 1);
    init_with(68, 63); /* too few */
    EQ(manual_violations, 1);
    init_with(64 + 12, 1); /* ring above 4 GiB */
    CHECK(manual_violations >= 1);
    init_with(64 + 0x40, 5); /* a producer that is not zero */
    EQ(manual_violations, 1);
}

TEST(model_mfi_init_wants_interrupts_masked_before_and_not_after)
{
    manual_init();
    manual_start();
    manual_write(0x34, 0xffffffff);
    EQ(manual_violations, 1);
    EQ(manual_read(0xb0) >> 28, 0xc);
    manual.masking_resets = true;
    manual_write(0x34, 0xffffffff);
    EQ(manual_read(0xb0) >> 28, 0xb);
    manual_init();
    manual_prepare(0, 0, 0, 32)[26] = MANUAL_QUEUE >> 16;
    manual_post(0, 0);
    manual_wait_ms(0);
    CHECK(manual_violations >= 1);
}

TEST(model_mfi_hand_back_drops_frames_and_may_never_end)
{
    manual_drive();
    manual.latency_ns = 1000000;
    manual_ld_read(1, 0, 1);
    manual_write(0x20, 7);
    EQ(manual_violations, 1);
    EQ(manual_read(0xb0) >> 28, 0xb);
    manual_wait_ms(10);
    EQ(manual_frame(1)[2], 0xff);
    manual_drive();
    manual.hand_back_ns = MODEL_MFI_NEVER;
    manual_write(0x20, 7);
    manual_wait_ms(1000000);
    EQ(manual_read(0xb0) >> 28, 0xc);
    manual_ld_read(1, 0, 1);
    EQ(manual_violations, 1); /* after the hand-back */
}

TEST(model_mfi_fault_shows_its_code_and_ends_all_work)
{
    manual_drive();
    manual.latency_ns = 1000000;
    manual.fault_code = 0x0010002;
    manual_ld_read(1, 0, 1);
    model_mfi_fault(&manual);
    manual_wait_ms(10);
    EQ(manual_read(0xb0), 0xf0010002);
    EQ(manual_frame(1)[2], 0xff);
    EQ(manual_violations, 0);
    /* A reset by the diagnostic keys, which helps. */
    static const uint8_t keys[] = { 0, 4, 0xb, 2, 7, 0xd };
    manual.reset_helps = true;
    manual.reset_ns = 5000000000ull;
    for (unsigned i = 0; i < sizeof keys; i++)
        manual_write(0xfc, keys[i]);
    EQ(manual_read(0xf8), 0x80);
    manual_write(0xf8, 0x84);
    EQ(manual_read(0xb0) >> 28, 0);
    manual_wait_ms(5000);
    EQ(manual_read(0xb0) >> 28, 0xb);
    EQ(manual_violations, 0);
}

TEST(model_mfi_a_reset_or_stop_of_a_working_card_is_a_violation)
{
    manual_init();
    manual.generation = MODEL_MFI_1078;
    model_mfi_ops.write(&manual, 0, 0x20, 4, 0x40);
    EQ(manual_violations, 1);
    manual_init();
    manual_write(0x20, 0x20);
    EQ(manual_violations, 1);
    EQ(manual_read(0xb0) >> 28, 0xf);
}
