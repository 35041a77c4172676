#include "driver_hand.h"

/* What is done to a card only because a person said so. */
static void with_state(enum model_mfi_generation g, uint8_t state)
{
    world(g);
    raid_consent = (struct raid_consent){ 0 };
    model_mfi_add_ld(&mfi, 0, 1u << 22);
    mfi.step_count = 1;
    mfi.step[0].state = state;
    mfi.step[0].ns = MODEL_MFI_NEVER;
}

TEST(a_boot_message_is_acknowledged_only_with_consent)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_state(g, MODEL_MFI_BOOT_MESSAGE);
        EQ(up(), E_REFUSED);
        HAS_STR(fault.what, "ack_boot_message");
        down();
        with_state(g, MODEL_MFI_BOOT_MESSAGE);
        mfi.boot_message_may_be_acknowledged = true;
        raid_consent.acknowledge_boot_message = true;
        EQ(up(), OK);
        CHECK(has_remark(REMARK_WARN, "boot message"));
        down();
    }
    raid_consent = (struct raid_consent){ 0 };
}

TEST(a_fault_is_reported_raw_and_reset_only_with_consent)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_state(g, MODEL_MFI_FAULT);
        mfi.fault_code = 0x0010002;
        mfi.reset_helps = true;
        mfi.reset_ns = 20 * NS_PER_S;
        EQ(up(), E_PROTO);
        HAS_STR(fault.what, "not reset");
        EQ(fault.got & 0xfffffff, 0x0010002);
        EQ(mfi.seen.resets, 0);
        down();
        with_state(g, MODEL_MFI_FAULT);
        mfi.fault_code = 0x0010002;
        mfi.reset_helps = true;
        mfi.reset_ns = 20 * NS_PER_S;
        raid_consent.reset_fault = true;
        EQ(up(), OK);
        EQ(mfi.seen.resets, 1);
        CHECK(has_remark(REMARK_WARN, "0xf0010002"));
        down();
    }
    raid_consent = (struct raid_consent){ 0 };
}

TEST(a_reset_that_does_not_help_is_tried_once)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_state(g, MODEL_MFI_FAULT);
        mfi.fault_code = 0x0010002;
        mfi.reset_helps = false;
        raid_consent.reset_fault = true;
        CHECK(up() != OK);
        CHECK(!card);
        CHECK(model_clock_ns < 400 * NS_PER_S);
        CHECK(mfi.seen.resets <= 1);
        down();
    }
    raid_consent = (struct raid_consent){ 0 };
}

TEST(a_fusion_card_that_says_a_reset_cannot_help_is_left_alone)
{
    with_state(MODEL_MFI_INVADER, MODEL_MFI_FAULT);
    mfi.fault_code = 0x0010000;
    mfi.reset_helps = true;
    raid_consent.reset_fault = true;
    EQ(up(), E_PROTO);
    EQ(mfi.seen.resets, 0);
    raid_consent = (struct raid_consent){ 0 };
    down();
}
