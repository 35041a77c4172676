#include <string.h>
#include "model_manual.h"
#include "test.h"

/* The AHCI model itself, driven by hand: adapter, link and engines. */

TEST(model_ahci_states_its_capabilities_where_the_specification_puts_them)
{
    manual_init();
    manual.pi = 0x80000001;
    manual.slots = 8;
    manual.sss = manual.sclo = true;
    EQ(manual_read(0x00), 0xc9300701);
    EQ(manual_read(0x0c), 0x80000001);
    EQ(manual_read(0x10), 0x00010301);
    EQ(model_ahci_ops.config_read(&manual, 0x08) >> 8, 0x010601);
    EQ(model_ahci_ops.config_read(&manual, 0x24), 0xffffe000);
    EQ(manual_violations, 0);
}

TEST(model_ahci_ports_outside_pi_are_a_violation)
{
    manual_init();
    manual_write(0x04, 0x80000000);
    manual_read(0x100 + 0x80 * 6 + 0x28);
    EQ(manual_violations, 1);
}

TEST(model_ahci_port_registers_need_ahci_enable)
{
    manual_init();
    manual_port(0x28);
    EQ(manual_violations, 1);
    manual_write(0x04, 0x80000000);
    manual_port(0x28);
    EQ(manual_violations, 1);
}

TEST(model_ahci_enable_may_need_several_writes)
{
    manual_init();
    manual.ae_writes_ignored = 2;
    manual_write(0x04, 0x80000000);
    EQ(manual_read(0x04), 0);
    manual_write(0x04, 0x80000000);
    manual_write(0x04, 0x80000000);
    EQ(manual_read(0x04), 0x80000000);
}

TEST(model_ahci_reset_ends_after_its_time_and_takes_enable_along)
{
    manual_init();
    manual.hr_ns = 5000000;
    manual_write(0x04, 0x80000000);
    manual_write(0x04, 0x80000001);
    manual_wait_ms(4);
    EQ(manual_read(0x04) & 1, 1);
    manual_wait_ms(1);
    EQ(manual_read(0x04), 0);
    EQ(manual.hba_resets, 1);
    manual.hr_ns = MODEL_AHCI_NEVER;
    manual_write(0x04, 0x80000000);
    manual_write(0x04, 0x80000001);
    manual_wait_ms(100000);
    EQ(manual_read(0x04) & 1, 1);
}

TEST(model_ahci_firmware_lets_go_late_or_never)
{
    manual_init();
    manual.bohc = MODEL_AHCI_BOHC_OBEYS;
    manual.bohc_busy = true;
    manual.bohc_ns = 30000000;
    EQ(manual_read(0x24), 1);
    EQ(manual_read(0x28), 1);
    manual_write(0x28, 2);
    EQ(manual_read(0x28), 0x13);
    manual_wait_ms(30);
    EQ(manual_read(0x28), 2);
    manual_init();
    manual.bohc = MODEL_AHCI_BOHC_NEVER;
    manual_write(0x28, 2);
    manual_wait_ms(60000);
    EQ(manual_read(0x28), 3);
    EQ(manual_violations, 0);
}

TEST(model_ahci_touching_ports_that_the_firmware_owns_is_a_violation)
{
    manual_init();
    manual.bohc = MODEL_AHCI_BOHC_OBEYS;
    manual_write(0x04, 0x80000000);
    manual_port_write(0x30, 1);
    EQ(manual_violations, 1);
}

TEST(model_ahci_the_signature_waits_for_the_receive_area)
{
    manual_init();
    model_ahci_add_disk(&manual, 0, 100);
    manual_write(0x04, 0x80000000);
    EQ(manual_port(0x28), 0x133);
    EQ(manual_port(0x20), 0x80);
    EQ(manual_port(0x24), 0xffffffff);
    EQ(manual_port(0x30), 0x04010000);
    manual_port_write(0x08, MANUAL_FB);
    manual_port_write(0x18, 0x16);
    EQ(manual_port(0x24), 0x00000101);
    EQ(manual_port(0x20), 0x150);
    EQ(manual_memory[MANUAL_FB - MANUAL_BASE + 0x40], 0x34);
    EQ(manual_violations, 0);
}

TEST(model_ahci_link_and_spin_up_take_their_time)
{
    struct model_ahci_drive *d;

    manual_init();
    d = model_ahci_add_disk(&manual, 0, 100);
    d->det_ns = 10000000;
    d->ready_ns = 7000000000ull;
    manual_write(0x04, 0x80000000);
    manual_port_write(0x08, MANUAL_FB);
    manual_port_write(0x18, 0x16);
    EQ(manual_port(0x28), 0);
    manual_wait_ms(10);
    EQ(manual_port(0x28) & 15, 3);
    manual_wait_ms(6999);
    EQ(manual_port(0x20) & 0x80, 0x80);
    manual_wait_ms(1);
    EQ(manual_port(0x20) & 0x88, 0);
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
        manual_init();
        manual.port[0].drive.kind = t[i].kind;
        manual_write(0x04, 0x80000000);
        manual_port_write(0x08, MANUAL_FB);
        manual_port_write(0x18, 0x16);
        EQ(manual_port(0x28), t[i].ssts);
        EQ(manual_port(0x24), t[i].sig);
    }
}

TEST(model_ahci_staggered_spin_up_waits_for_sud)
{
    manual_init();
    manual.sss = true;
    model_ahci_add_disk(&manual, 0, 100);
    manual_write(0x04, 0x80000000);
    manual_port_write(0x08, MANUAL_FB);
    manual_port_write(0x18, 0x14);
    EQ(manual_port(0x28), 0);
    manual_port_write(0x18, 0x16);
    EQ(manual_port(0x28), 0x133);
}

TEST(model_ahci_a_slow_link_comes_up_only_when_limited)
{
    manual_init();
    model_ahci_add_disk(&manual, 0, 100)->speed_that_works = 1;
    manual_write(0x04, 0x80000000);
    EQ(manual_port(0x28), 1);
    manual_port_write(0x2c, 0x11);
    EQ(manual_port(0x2c), 0x11);
    manual_wait_ms(1);
    manual_port_write(0x2c, 0x10);
    EQ(manual_port(0x28), 0x113);
    EQ(manual_violations, 0);
}

TEST(model_ahci_comreset_has_its_rules)
{
    manual_disk();
    manual_port_write(0x2c, 1);
    EQ(manual_violations, 1); /* with ST set */
    manual_port_write(0x2c, 0);
    EQ(manual_violations, 4); /* still set, after no time at all, and without a read */
    manual_port_write(0x18, 0x16);
    manual_port_write(0x2c, 1);
    EQ(manual_port(0x28), 0);
    manual_wait_ms(1);
    manual_port_write(0x2c, 0);
    EQ(manual_violations, 4);
    EQ(manual_port(0x28), 0x133);
    manual_port_write(0x2c, 1);
    manual_wait_ms(1);
    manual_port_write(0x2c, 0);
    EQ(manual_violations, 5); /* long enough, but the write may have been posted all the while */
    EQ(manual.port[0].seen.comresets, 3);
}

TEST(model_ahci_another_drive_may_answer_after_comreset)
{
    struct model_ahci_drive *d = manual_disk();

    strcpy(d->serial_after_comreset, "OTHER");
    manual_port_write(0x18, 0x16);
    manual_port_write(0x2c, 1);
    manual_wait_ms(1);
    manual_port_write(0x2c, 0);
    EQ_STR(d->serial, "OTHER");
}

TEST(model_ahci_starting_the_engine_has_its_rules)
{
    manual_init();
    manual_write(0x04, 0x80000000);
    manual_port_write(0x18, 7);
    /* No FRE, no device, no list; 7Fh has DRQ. */
    EQ(manual_violations, 4);
    manual_disk();
    EQ(manual_violations, 0);
    manual_port_write(0x00, MANUAL_CLB + 1024);
    EQ(manual_violations, 1);
    manual_port_write(0x08, MANUAL_FB + 256);
    EQ(manual_violations, 2);
    manual_port_write(0x18, 0x07);
    EQ(manual_violations, 3); /* FRE before ST */
}

TEST(model_ahci_engines_stop_late_or_never)
{
    manual_disk();
    manual.cr_ns = 400000000;
    manual.fr_ns = MODEL_AHCI_NEVER;
    EQ(manual_port(0x18), 0xc017);
    manual_port_write(0x18, 0x16);
    EQ(manual_port(0x18), 0xc016);
    manual_wait_ms(400);
    EQ(manual_port(0x18), 0x4016);
    manual_port_write(0x18, 0x06);
    manual_wait_ms(10000);
    EQ(manual_port(0x18), 0x4006);
    EQ(manual_violations, 0);
}

TEST(model_ahci_left_running_by_firmware)
{
    manual_init();
    manual.left_running = true;
    model_ahci_add_disk(&manual, 0, 100);
    EQ(manual_port(0x18), 0xc017);
    EQ(manual_port(0x24), 0x101);
    manual_port_write(0x00, MANUAL_CLB);
    EQ(manual_violations, 1);
}

TEST(model_ahci_pi_may_be_lost_by_reset)
{
    manual_init();
    manual.pi_lost_by_reset = true;
    manual_write(0x04, 0x80000000);
    manual_write(0x04, 0x80000001);
    EQ(manual_read(0x0c), 0);
    manual_write(0x0c, 0x3f);
    EQ(manual_read(0x0c), 0x3f);
}

TEST(model_ahci_wants_dwords_of_bar_5)
{
    manual_init();
    model_ahci_ops.read(&manual, 5, 0, 8);
    model_ahci_ops.read(&manual, 5, 2, 2);
    model_ahci_ops.read(&manual, 0, 0, 4);
    EQ(manual_violations, 3);
}
