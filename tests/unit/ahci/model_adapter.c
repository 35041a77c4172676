#include <string.h>
#include "model_hand.h"
#include "test.h"

/* The AHCI model itself, driven by hand: adapter, link and engines. */

TEST(model_ahci_states_its_capabilities_where_the_specification_puts_them)
{
    hand_init();
    hand.pi = 0x80000001;
    hand.slots = 8;
    hand.sss = hand.sclo = true;
    EQ(hand_read(0x00), 0xc9300701);
    EQ(hand_read(0x0c), 0x80000001);
    EQ(hand_read(0x10), 0x00010301);
    EQ(model_ahci_ops.config_read(&hand, 0x08) >> 8, 0x010601);
    EQ(model_ahci_ops.config_read(&hand, 0x24), 0xffffe000);
    EQ(hand_violations, 0);
}

TEST(model_ahci_ports_outside_pi_are_a_violation)
{
    hand_init();
    hand_write(0x04, 0x80000000);
    hand_read(0x100 + 0x80 * 6 + 0x28);
    EQ(hand_violations, 1);
}

TEST(model_ahci_port_registers_need_ahci_enable)
{
    hand_init();
    hand_port(0x28);
    EQ(hand_violations, 1);
    hand_write(0x04, 0x80000000);
    hand_port(0x28);
    EQ(hand_violations, 1);
}

TEST(model_ahci_enable_may_need_several_writes)
{
    hand_init();
    hand.ae_writes_ignored = 2;
    hand_write(0x04, 0x80000000);
    EQ(hand_read(0x04), 0);
    hand_write(0x04, 0x80000000);
    hand_write(0x04, 0x80000000);
    EQ(hand_read(0x04), 0x80000000);
}

TEST(model_ahci_reset_ends_after_its_time_and_takes_enable_along)
{
    hand_init();
    hand.hr_ns = 5000000;
    hand_write(0x04, 0x80000000);
    hand_write(0x04, 0x80000001);
    hand_wait_ms(4);
    EQ(hand_read(0x04) & 1, 1);
    hand_wait_ms(1);
    EQ(hand_read(0x04), 0);
    EQ(hand.hba_resets, 1);
    hand.hr_ns = MODEL_AHCI_NEVER;
    hand_write(0x04, 0x80000000);
    hand_write(0x04, 0x80000001);
    hand_wait_ms(100000);
    EQ(hand_read(0x04) & 1, 1);
}

TEST(model_ahci_firmware_lets_go_late_or_never)
{
    hand_init();
    hand.bohc = MODEL_AHCI_BOHC_OBEYS;
    hand.bohc_busy = true;
    hand.bohc_ns = 30000000;
    EQ(hand_read(0x24), 1);
    EQ(hand_read(0x28), 1);
    hand_write(0x28, 2);
    EQ(hand_read(0x28), 0x13);
    hand_wait_ms(30);
    EQ(hand_read(0x28), 2);
    hand_init();
    hand.bohc = MODEL_AHCI_BOHC_NEVER;
    hand_write(0x28, 2);
    hand_wait_ms(60000);
    EQ(hand_read(0x28), 3);
    EQ(hand_violations, 0);
}

TEST(model_ahci_touching_ports_that_the_firmware_owns_is_a_violation)
{
    hand_init();
    hand.bohc = MODEL_AHCI_BOHC_OBEYS;
    hand_write(0x04, 0x80000000);
    hand_port_write(0x30, 1);
    EQ(hand_violations, 1);
}

TEST(model_ahci_the_signature_waits_for_the_receive_area)
{
    hand_init();
    model_ahci_add_disk(&hand, 0, 100);
    hand_write(0x04, 0x80000000);
    EQ(hand_port(0x28), 0x133);
    EQ(hand_port(0x20), 0x80);
    EQ(hand_port(0x24), 0xffffffff);
    EQ(hand_port(0x30), 0x04010000);
    hand_port_write(0x08, HAND_FB);
    hand_port_write(0x18, 0x16);
    EQ(hand_port(0x24), 0x00000101);
    EQ(hand_port(0x20), 0x150);
    EQ(hand_memory[HAND_FB - HAND_BASE + 0x40], 0x34);
    EQ(hand_violations, 0);
}

TEST(model_ahci_link_and_spin_up_take_their_time)
{
    struct model_ahci_drive *d;

    hand_init();
    d = model_ahci_add_disk(&hand, 0, 100);
    d->det_ns = 10000000;
    d->ready_ns = 7000000000ull;
    hand_write(0x04, 0x80000000);
    hand_port_write(0x08, HAND_FB);
    hand_port_write(0x18, 0x16);
    EQ(hand_port(0x28), 0);
    hand_wait_ms(10);
    EQ(hand_port(0x28) & 15, 3);
    hand_wait_ms(6999);
    EQ(hand_port(0x20) & 0x80, 0x80);
    hand_wait_ms(1);
    EQ(hand_port(0x20) & 0x88, 0);
}

TEST(model_ahci_every_kind_of_device_shows_itself)
{
    static const struct {
        enum model_ahci_kind kind;
        uint32_t ssts, sig;
    } t[] = {
        { MODEL_AHCI_NOTHING, 0, 0xffffffff },        { MODEL_AHCI_DISK, 0x133, 0x00000101 },
        { MODEL_AHCI_ATAPI, 0x133, 0xeb140101 },      { MODEL_AHCI_ENCLOSURE, 0x133, 0xc33c0101 },
        { MODEL_AHCI_MULTIPLIER, 0x133, 0x96690101 }, { MODEL_AHCI_NO_LINK, 1, 0xffffffff },
    };

    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++) {
        hand_init();
        hand.port[0].drive.kind = t[i].kind;
        hand_write(0x04, 0x80000000);
        hand_port_write(0x08, HAND_FB);
        hand_port_write(0x18, 0x16);
        EQ(hand_port(0x28), t[i].ssts);
        EQ(hand_port(0x24), t[i].sig);
    }
}

TEST(model_ahci_staggered_spin_up_waits_for_sud)
{
    hand_init();
    hand.sss = true;
    model_ahci_add_disk(&hand, 0, 100);
    hand_write(0x04, 0x80000000);
    hand_port_write(0x08, HAND_FB);
    hand_port_write(0x18, 0x14);
    EQ(hand_port(0x28), 0);
    hand_port_write(0x18, 0x16);
    EQ(hand_port(0x28), 0x133);
}

TEST(model_ahci_a_slow_link_comes_up_only_when_limited)
{
    hand_init();
    model_ahci_add_disk(&hand, 0, 100)->speed_that_works = 1;
    hand_write(0x04, 0x80000000);
    EQ(hand_port(0x28), 1);
    hand_port_write(0x2c, 0x11);
    hand_wait_ms(1);
    hand_port_write(0x2c, 0x10);
    EQ(hand_port(0x28), 0x113);
    EQ(hand_violations, 0);
}

TEST(model_ahci_comreset_has_its_rules)
{
    hand_disk();
    hand_port_write(0x2c, 1);
    EQ(hand_violations, 1); /* with ST set */
    hand_port_write(0x2c, 0);
    EQ(hand_violations, 3); /* still set, and after no time at all */
    hand_port_write(0x18, 0x16);
    hand_port_write(0x2c, 1);
    EQ(hand_port(0x28), 0);
    hand_wait_ms(1);
    hand_port_write(0x2c, 0);
    EQ(hand_violations, 3);
    EQ(hand_port(0x28), 0x133);
    EQ(hand.port[0].seen.comresets, 2);
}

TEST(model_ahci_another_drive_may_answer_after_comreset)
{
    struct model_ahci_drive *d = hand_disk();

    strcpy(d->serial_after_comreset, "OTHER");
    hand_port_write(0x18, 0x16);
    hand_port_write(0x2c, 1);
    hand_wait_ms(1);
    hand_port_write(0x2c, 0);
    EQ_STR(d->serial, "OTHER");
}

TEST(model_ahci_starting_the_engine_has_its_rules)
{
    hand_init();
    hand_write(0x04, 0x80000000);
    hand_port_write(0x18, 7);
    /* No FRE, no device, no list; 7Fh has DRQ. */
    EQ(hand_violations, 4);
    hand_disk();
    EQ(hand_violations, 0);
    hand_port_write(0x00, HAND_CLB + 1024);
    EQ(hand_violations, 1);
    hand_port_write(0x08, HAND_FB + 256);
    EQ(hand_violations, 2);
    hand_port_write(0x18, 0x07);
    EQ(hand_violations, 3); /* FRE before ST */
}

TEST(model_ahci_engines_stop_late_or_never)
{
    hand_disk();
    hand.cr_ns = 400000000;
    hand.fr_ns = MODEL_AHCI_NEVER;
    EQ(hand_port(0x18), 0xc017);
    hand_port_write(0x18, 0x16);
    EQ(hand_port(0x18), 0xc016);
    hand_wait_ms(400);
    EQ(hand_port(0x18), 0x4016);
    hand_port_write(0x18, 0x06);
    hand_wait_ms(10000);
    EQ(hand_port(0x18), 0x4006);
    EQ(hand_violations, 0);
}

TEST(model_ahci_left_running_by_firmware)
{
    hand_init();
    hand.left_running = true;
    model_ahci_add_disk(&hand, 0, 100);
    EQ(hand_port(0x18), 0xc017);
    EQ(hand_port(0x24), 0x101);
    hand_port_write(0x00, HAND_CLB);
    EQ(hand_violations, 1);
}

TEST(model_ahci_pi_may_be_lost_by_reset)
{
    hand_init();
    hand.pi_lost_by_reset = true;
    hand_write(0x04, 0x80000000);
    hand_write(0x04, 0x80000001);
    EQ(hand_read(0x0c), 0);
    hand_write(0x0c, 0x3f);
    EQ(hand_read(0x0c), 0x3f);
}

TEST(model_ahci_wants_dwords_of_bar_5)
{
    hand_init();
    model_ahci_ops.read(&hand, 5, 0, 8);
    model_ahci_ops.read(&hand, 5, 2, 2);
    model_ahci_ops.read(&hand, 0, 0, 4);
    EQ(hand_violations, 3);
}
