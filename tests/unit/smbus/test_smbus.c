#include "gate.h"
#include "smbus_rig.h"

#define MS 1000000ull

static const enum model_smbus_chip all_chips[] = { CHIP_I801, CHIP_PIIX4, CHIP_SB800, CHIP_ZEN, CHIP_NFORCE };
enum { CHIPS = sizeof all_chips / sizeof all_chips[0] };

/* ---- what may be sent ---- */

TEST(the_gate_lets_byte_reads_of_the_memory_addresses_pass_and_nothing_else)
{
    for (uint32_t opcode = 0; opcode < 256; opcode++)
        for (uint32_t q = 0; q < 0x20000; q++) {
            bool want =
                opcode == SMBUS_READ_BYTE_DATA && q >> 8 >= 0x50 && q >> 8 <= 0x57 && (q & 0xff) < 128;

            if (gate_permits(GATE_SMBUS, opcode, q) != want)
                test_fail(__FILE__, __LINE__, "opcode %u address %#x command %#x", opcode, q >> 8, q & 0xff);
        }
    CHECK(!gate_permits(GATE_SMBUS, SMBUS_READ_BYTE_DATA, 0x80005000));
    CHECK(!gate_permits(GATE_SMBUS, SMBUS_READ_BYTE_DATA, 0x00015000));
}

/* ---- which controller ---- */

TEST(controllers_are_found_by_id_or_class_and_revision)
{
    struct pci_fn fn = { .vendor_id = 0x8086, .device_id = 0x2930, .class_code = 0x0c0500 };

    EQ_STR(smbus_find(&fn)->name, "Intel i801 (ICH, PCH)");
    fn.class_code = 0x0c0300;
    CHECK(!smbus_find(&fn));
    fn = (struct pci_fn){ .vendor_id = 0x8086, .device_id = 0x7113, .class_code = 0x068000 };
    EQ(smbus_find(&fn)->base_from, BASE_CONFIG_90);
    fn =
        (struct pci_fn){ .vendor_id = 0x1002, .device_id = 0x4385, .revision = 0x3f, .class_code = 0x0c0500 };
    EQ(smbus_find(&fn)->base_from, BASE_CONFIG_90);
    fn.revision = 0x40;
    EQ(smbus_find(&fn)->base_from, BASE_PM_2C);
    fn =
        (struct pci_fn){ .vendor_id = 0x1022, .device_id = 0x790b, .revision = 0x48, .class_code = 0x0c0500 };
    EQ(smbus_find(&fn)->base_from, BASE_PM_2C);
    fn.revision = 0x49;
    EQ(smbus_find(&fn)->base_from, BASE_PM_00);
    fn.revision = 0x51;
    EQ(smbus_find(&fn)->base_from, BASE_PM_00_MEMORY);
    fn.revision = 0xff;
    EQ(smbus_find(&fn)->base_from, BASE_PM_00_MEMORY);
    fn = (struct pci_fn){ .vendor_id = 0x1106, .device_id = 0x3177, .class_code = 0x0c0500 };
    EQ(smbus_find(&fn)->base_from, BASE_NONE);
    smbus_examine(smbus_find(&fn), &fn, true, &seen);
    EQ(seen.state, SMBUS_NO_DRIVER);
}

/* ---- every controller ---- */

TEST(looking_starts_no_transfer_and_leaves_everything_as_it_was)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        bus_up(all_chips[i]);
        bus_examine(false);
        EQ(seen.state, SMBUS_SEEN);
        EQ(seen.base, bus.base);
        EQ(bus.starts, 0);
        EQ(bus.kills, 0);
        CHECK(!seen.probed);
        EQ(seen.reads, 0);
    }
}

TEST(memory_modules_are_read_three_times_on_every_controller)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        bus_up(all_chips[i]);
        bus_spd(0x50, 0x0b);
        bus_spd(0x57, 0x0c);
        bus_examine(true);
        CHECK(seen.probed && seen.complete);
        EQ_STR(seen.why, "");
        for (unsigned a = 0; a < SMBUS_ADDRESSES; a++) {
            const struct smbus_responder *r = &seen.responder[a];

            EQ(r->answers, a == 0 || a == 7);
            EQ(r->passes, r->answers ? 3 : 0);
            EQ(r->gaps, 0);
            for (unsigned p = 0; p < r->passes; p++)
                EQ(memcmp(r->data[p], bus.slave[0x50 + a].data, SMBUS_BYTES), 0);
        }
        EQ(seen.reads, 2 * 3 * 128 + 6);
        EQ(seen.refused, 6);
        CHECK(seen.took_ms > 100 && seen.took_ms < 1000);
    }
}

TEST(a_bus_with_eight_modules_is_read_within_the_budget)
{
    bus_up(CHIP_I801);
    for (unsigned a = 0x50; a < 0x58; a++)
        bus_spd(a, 0x0b);
    bus_examine(true);
    CHECK(seen.complete);
    EQ(seen.acknowledged, 8 * 3 * 128);
    CHECK(seen.took_ms <= 2000);
}

TEST(reading_stops_when_its_two_seconds_are_over)
{
    bus_up(CHIP_I801);
    for (unsigned a = 0x50; a < 0x58; a++) {
        bus_spd(a, 0x0b);
        bus.slave[a].slow_ns = 5 * MS;
    }
    bus_examine(true);
    CHECK(!seen.complete);
    CHECK(strstr(seen.why, "2 s"));
    CHECK(seen.took_ms >= 2000 && seen.took_ms < 2100);
}

TEST(where_the_multiplexer_points_is_read_from_the_register_that_tells_it_and_never_switched)
{
    static const struct {
        enum model_smbus_chip chip;
        bool in_2e, by_memory;
    } rows[] = { { CHIP_SB800, false, false },
                 { CHIP_SB800, true, false },
                 { CHIP_ZEN, false, false },
                 { CHIP_ZEN, false, true } };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint8_t port = 0; port < 4; port++) {
            bus_up(rows[i].chip);
            bus.selected_port = port;
            bus.port_in_2e = rows[i].in_2e;
            bus.pm_memory = rows[i].by_memory;
            bus_spd(0x50, 0x0b);
            bus_examine(true);
            EQ(seen.state, SMBUS_SEEN);
            EQ(seen.port, port);
            EQ(seen.probed, !port);
            EQ(bus.starts != 0, !port);
            EQ(bus.port_switches, 0);
            EQ(!seen.why[0], !port);
        }
}

TEST(dead_registers_are_not_touched)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        bus_up(all_chips[i]);
        bus.ports_dead = true;
        bus_examine(true);
        EQ(seen.state, SMBUS_DEAD);
        EQ(bus.starts, 0);
    }
}

TEST(a_function_that_is_gone_is_dead)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        bus_up(all_chips[i]);
        bus.pm_dead = true;
        model_unplug(bus_fn);
        smbus_examine(smbus_find(bus_fn), bus_fn, true, &seen);
        EQ(seen.state, SMBUS_DEAD);
        EQ(bus.starts, 0);
        EQ(model_live_allocs(), 0);
    }
}

TEST(a_controller_that_firmware_switched_off_stays_off)
{
    bus_up(CHIP_I801);
    plat_pci_write32(bus_fn, 0x04, 0);
    bus_examine(true);
    EQ(seen.state, SMBUS_OFF);
    bus_up(CHIP_I801);
    plat_pci_write32(bus_fn, 0x20, 1);
    bus_examine(true);
    EQ(seen.state, SMBUS_OFF);
    bus_up(CHIP_NFORCE);
    plat_pci_write32(bus_fn, 0x04, 0);
    bus_examine(true);
    EQ(seen.state, SMBUS_OFF);
    bus_up(CHIP_PIIX4);
    bus.config[0xd2] = 8;
    bus_examine(true);
    EQ(seen.state, SMBUS_OFF);
}

TEST(a_host_interface_that_was_off_is_on_only_while_reading)
{
    bus_up(CHIP_I801);
    bus.config[0x40] = 0x10;
    bus_spd(0x51, 0x0b);
    bus_examine(true);
    CHECK(seen.responder[1].answers);
    EQ(bus.config[0x40], 0x10);
}

TEST(packet_checking_that_firmware_left_on_is_put_back)
{
    bus_up(CHIP_I801);
    bus.auxiliary = 3;
    bus_spd(0x51, 0x0b);
    bus_examine(true);
    CHECK(seen.complete);
    EQ(bus.auxiliary, 3);
}

TEST(old_result_bits_are_cleared_and_told)
{
    bus_up(CHIP_I801);
    bus.status = 0x04;
    bus_spd(0x50, 0x0b);
    bus_examine(true);
    EQ(seen.stale, 0x04);
    EQ(seen.refused, 7);
    EQ(seen.late, 0);
    EQ(bus.status, 0);
}

/* ---- ownership ---- */

TEST(the_lock_is_given_back_after_looking_and_after_reading)
{
    bus_up(CHIP_I801);
    bus_examine(false);
    CHECK(!bus.lock && !seen.lock_held);
    bus_examine(true);
    CHECK(!bus.lock && !seen.lock_held);
}

TEST(a_lock_that_becomes_free_within_100_ms_is_taken)
{
    bus_up(CHIP_I801);
    bus.lock = bus.lock_foreign = true;
    bus.lock_freed_at_ns = 50 * MS;
    bus_examine(true);
    CHECK(!seen.lock_held && seen.complete);
    CHECK(!bus.lock);
}

TEST(a_lock_that_firmware_forgot_does_not_prevent_reading_and_stays_taken)
{
    bus_up(CHIP_I801);
    bus.lock = bus.lock_foreign = true;
    bus_spd(0x50, 0x0b);
    bus_examine(true);
    CHECK(seen.lock_held && seen.complete);
    CHECK(bus.lock);
}

TEST(a_lock_whose_owner_is_active_prevents_reading)
{
    bus_up(CHIP_I801);
    bus.lock = bus.lock_foreign = bus.second_master = true;
    bus_examine(true);
    EQ(seen.state, SMBUS_OWNED);
    EQ(bus.starts, 0);
    CHECK(seen.foreign_edges);
}

TEST(a_controller_that_firmware_uses_by_smi_is_left_alone_when_it_is_busy)
{
    bus_up(CHIP_I801);
    bus.config[0x40] |= 2;
    bus_examine(true);
    CHECK(seen.smi_enabled && seen.complete);
    bus_up(CHIP_I801);
    bus.config[0x40] |= 2;
    bus.busy_at_entry = true;
    bus_examine(true);
    EQ(seen.state, SMBUS_OWNED);
    EQ(bus.starts, 0);
    EQ(bus.kills, 0);
}

TEST(a_semaphore_that_is_not_granted_prevents_reading)
{
    bus_up(CHIP_SB800);
    bus.semaphore_refused = true;
    bus_examine(true);
    EQ(seen.state, SMBUS_OWNED);
    EQ(bus.starts, 0);
    bus_up(CHIP_ZEN);
    bus_examine(true);
    CHECK(seen.complete);
    CHECK(!(bus.slave_control & 0x10));
}

TEST(the_fch_is_found_by_memory_where_its_ports_are_dead)
{
    bus_up(CHIP_ZEN);
    bus.pm_dead = true;
    bus_examine(true);
    EQ(seen.state, SMBUS_DEAD);
    bus_up(CHIP_ZEN);
    bus.pm_dead = bus.pm_memory = true;
    bus_spd(0x52, 0x0c);
    bus_examine(true);
    CHECK(seen.complete && seen.responder[2].answers);
}

/* ---- lines ---- */

TEST(lines_that_are_held_low_are_told_apart)
{
    bus_up(CHIP_I801);
    bus_examine(false);
    CHECK(seen.has_pins && seen.pin_samples >= 200);
    EQ(seen.clock_low, 0);
    EQ(seen.data_low, 0);
    bus_up(CHIP_I801);
    bus.clock_low = true;
    bus_examine(false);
    EQ(seen.clock_low, seen.pin_samples);
    EQ(seen.data_low, 0);
    bus_up(CHIP_I801);
    bus.data_low = true;
    bus_examine(false);
    EQ(seen.clock_low, 0);
    EQ(seen.data_low, seen.pin_samples);
    EQ(seen.foreign_edges, 0);
}

TEST(a_line_register_that_is_all_zero_tells_nothing)
{
    bus_up(CHIP_I801);
    bus.no_pins = true;
    bus_examine(false);
    CHECK(!seen.has_pins);
    EQ(seen.clock_low, 0);
}

TEST(a_second_master_is_seen_while_the_controller_is_idle)
{
    bus_up(CHIP_I801);
    bus.second_master = true;
    bus_examine(false);
    CHECK(seen.foreign_edges > 10);
}

/* ---- trouble on the bus ---- */

TEST(a_clock_that_stays_low_ends_reading_after_two_transfers)
{
    bus_up(CHIP_I801);
    bus.clock_low = true;
    bus_examine(true);
    EQ(seen.timed_out, 2);
    EQ(bus.starts, 2);
    EQ(bus.kills, 2);
    CHECK(!seen.complete && !seen.wedged);
    CHECK(!bus.running);
}

TEST(one_device_that_hangs_is_given_up_and_the_others_are_read)
{
    bus_up(CHIP_I801);
    bus.slave[0x52].hangs = true;
    bus_spd(0x53, 0x0b);
    bus_examine(true);
    EQ(seen.timed_out, 1);
    CHECK(seen.responder[2].abandoned && !seen.responder[2].answers);
    EQ(seen.responder[3].passes, 3);
    CHECK(seen.complete);
}

TEST(a_lost_arbitration_is_tried_three_times)
{
    bus_up(CHIP_I801);
    bus_spd(0x50, 0x0b);
    bus.lose_arbitration = 2;
    bus_examine(true);
    EQ(seen.collisions, 2);
    EQ(seen.responder[0].passes, 3);
    for (unsigned i = 0; i < CHIPS; i++) {
        bus_up(all_chips[i]);
        bus_spd(0x50, 0x0b);
        bus.lose_arbitration = 3;
        bus_examine(true);
        EQ(seen.collisions, 3);
        CHECK(!seen.responder[0].answers);
    }
}

TEST(a_refusal_after_20_ms_is_no_missing_device)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        bus_up(all_chips[i]);
        bus.slave[0x51].late = 1;
        bus_examine(true);
        EQ(seen.late, 1);
        EQ(seen.refused, 7);
    }
}

TEST(a_device_that_stops_answering_in_the_middle_leaves_gaps)
{
    bus_up(CHIP_PIIX4);
    bus_spd(0x50, 0x0b);
    bus.slave[0x50].deaf_from = 100;
    bus_examine(true);
    EQ(seen.responder[0].gaps, 3 * 28);
}

TEST(a_hub_of_ddr5_is_recognised_and_not_read_further)
{
    bus_up(CHIP_ZEN);
    bus.slave[0x50] = (struct model_slave){ .there = true, .data = { 0x51, 0x18, 0x0a } };
    bus_examine(true);
    CHECK(seen.responder[0].is_hub);
    EQ(seen.responder[0].passes, 3);
    EQ(seen.acknowledged, 6);
}

TEST(a_transfer_that_ends_within_100_ms_is_waited_for)
{
    bus_up(CHIP_I801);
    bus.busy_at_entry = true;
    bus.busy_until_ns = 100 * MS;
    bus_examine(true);
    CHECK(seen.busy_ms > 0 && seen.busy_ms < 100);
    EQ(seen.kills, 0);
    CHECK(seen.complete);
}

TEST(a_transfer_that_was_left_is_ended_only_when_reading_is_wanted)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        bus_up(all_chips[i]);
        bus.busy_at_entry = true;
        bus_examine(false);
        EQ(seen.busy_ms, 100);
        EQ(bus.kills, 0);
        CHECK(!seen.killed_at_entry);
        bus_examine(true);
        CHECK(seen.killed_at_entry && seen.complete && !seen.wedged);
        EQ(bus.kills, 1);
    }
}

TEST(busy_that_survives_the_end_command_stops_everything)
{
    for (unsigned i = 0; i < CHIPS; i++) {
        bus_up(all_chips[i]);
        bus.busy_at_entry = bus.survives_kill = true;
        bus_examine(true);
        CHECK(seen.wedged && !seen.killed_at_entry && !seen.complete);
        EQ(bus.starts, 0);
        CHECK(model_clock_ns > 5000 * MS && model_clock_ns < 6000 * MS);
    }
}

TEST(an_end_command_that_takes_a_second_is_waited_for)
{
    bus_up(CHIP_I801);
    bus.slave[0x50].hangs = bus.kill_is_late = true;
    bus_examine(true);
    EQ(seen.timed_out, 1);
    CHECK(!seen.wedged && !bus.running);
}

TEST(a_controller_that_hangs_in_the_middle_is_not_left_running_without_saying_so)
{
    bus_up(CHIP_I801);
    bus.slave[0x50].hangs = bus.survives_kill = true;
    bus_examine(true);
    CHECK(seen.wedged && !seen.complete);
    EQ(bus.starts, 1);
}

TEST(a_result_that_shows_before_the_transfer_is_over_is_not_taken)
{
    bus_up(CHIP_I801);
    bus_spd(0x50, 0x0b);
    bus.early_result = true;
    bus_examine(true);
    EQ(memcmp(seen.responder[0].data[0], bus.slave[0x50].data, SMBUS_BYTES), 0);
}
