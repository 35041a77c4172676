#include "pins.h"
#include "responders.h"
#include <stdio.h>
#include "smbus_rig.h"

/* Rows S1-S14: a test that reaches each, by the model of a controller where one can, and one that just misses
 * it. */

#define MS 1000000ull

static struct board_facts board;
static struct pin_suspect suspect;
static struct finding found[4];
static struct finding_list list;

static void setup(enum model_smbus_chip chip)
{
    bus_up(chip);
    board = (struct board_facts){ .told = true };
    suspect = (struct pin_suspect){ 0 };
}

static void memory(unsigned modules, uint64_t mib)
{
    board.sockets = 8;
    board.modules = (uint16_t)modules;
    board.modules_mib = mib;
    board.map_mib = mib;
}

/* The verdict on what was seen: exactly one finding. */
static const struct finding *judge(void)
{
    list = (struct finding_list){ .at = found, .capacity = 4 };
    pins_judge(&seen, &board, &suspect, &list);
    EQ(list.count, 1);
    EQ(list.dropped, 0);
    CHECK(finding_kind(found[0].code) != NULL);
    return &found[0];
}

static void expect(const char *code, enum finding_level level)
{
    const struct finding *f = judge();

    EQ_STR(f->code, code);
    EQ(f->level, level);
    EQ_STR(f->subject, "smbus");
}

static void probe_and_expect(const char *code, enum finding_level level)
{
    bus_examine(true);
    expect(code, level);
}

/* ---- S1, S2 ---- */

TEST(S1_no_controller_switched_off_or_dead)
{
    setup(CHIP_I801);
    seen = (struct smbus_evidence){ .state = SMBUS_ABSENT };
    expect("smbus-not-visible", FINDING_CANNOT_TELL);
    bus.ports_dead = true;
    probe_and_expect("smbus-not-visible", FINDING_CANNOT_TELL);
    setup(CHIP_I801);
    plat_pci_write32(bus_fn, 0x04, 0);
    probe_and_expect("smbus-not-visible", FINDING_CANNOT_TELL);
    setup(CHIP_ZEN);
    bus.pm_dead = true;
    probe_and_expect("smbus-not-visible", FINDING_CANNOT_TELL);
    seen = (struct smbus_evidence){ .state = SMBUS_NO_DRIVER };
    expect("smbus-not-visible", FINDING_CANNOT_TELL);
}

TEST(S1_is_missed_when_one_register_is_not_ff)
{
    setup(CHIP_I801);
    bus_examine(false);
    expect("smbus-only-looked", FINDING_CANNOT_TELL);
}

TEST(S2_a_semaphore_that_is_not_given_and_smi_while_busy)
{
    setup(CHIP_SB800);
    bus.semaphore_refused = true;
    probe_and_expect("smbus-owned", FINDING_CANNOT_TELL);
    setup(CHIP_I801);
    bus.config[0x40] |= 2;
    bus.busy_at_entry = true;
    probe_and_expect("smbus-owned", FINDING_CANNOT_TELL);
}

TEST(S2_is_missed_when_smi_is_enabled_and_nothing_runs)
{
    setup(CHIP_I801);
    bus.config[0x40] |= 2;
    bus_spd(0x50, 0x0b);
    memory(1, 4096);
    probe_and_expect("smbus-healthy", FINDING_PASS);
}

TEST(S2_boards_on_the_list_are_never_read)
{
    const struct smbus_row piix4 = { .kind = SMBUS_PIIX4 }, i801 = { .kind = SMBUS_I801 },
                           nforce = { .kind = SMBUS_NFORCE };
    const struct board_facts sapphire = { .maker = "Sapphire Inc.", .product = "PC-AM2RD790" },
                             dfi = { .maker = "DFI Inc.", .product = "LP UT NF4 Expert" },
                             ibm = { .maker = "IBM", .product = "anything" },
                             ibm_by_others = { .maker = "MSI", .system_maker = "IBM", .product = "x" },
                             others = { .maker = "MSI", .system_maker = "IBN", .product = "x" };
    const char *why;

    suspect = (struct pin_suspect){ .there = true };
    CHECK(!pins_may_probe(PIN_PROBE, &piix4, &sapphire, &suspect, &why));
    CHECK(!pins_may_probe(PIN_PROBE, &nforce, &dfi, &suspect, &why));
    CHECK(!pins_may_probe(PIN_PROBE, &piix4, &ibm, &suspect, &why));
    CHECK(!pins_may_probe(PIN_PROBE, &piix4, &ibm_by_others, &suspect, &why));
    CHECK(pins_may_probe(PIN_PROBE, &piix4, &others, &suspect, &why));
    CHECK(pins_may_probe(PIN_PROBE, &i801, &ibm, &suspect, &why));
    EQ_STR(why, "");
}

TEST(a_multiplexer_that_points_elsewhere_is_said_and_nothing_is_read)
{
    setup(CHIP_ZEN);
    bus.selected_port = 1;
    bus_spd(0x50, 0x0b);
    memory(1, 4096);
    probe_and_expect("smbus-only-looked", FINDING_CANNOT_TELL);
    CHECK(strstr(found[0].seen, "multiplexer points to port 1"));
}

TEST(reading_needs_a_suspect_card_on_a_board_that_is_no_server_or_a_wish)
{
    const struct smbus_row row = { .kind = SMBUS_I801 }, none = { .base_from = BASE_NONE };
    const struct pin_suspect card = { .there = true }, nothing = { 0 };
    const struct board_facts desktop = { .chassis = 3 }, server = { .chassis = 23 },
                             laptop = { .chassis = 9 }, with_bmc = { .has_bmc = true };
    static const struct {
        enum pin_wish wish;
        int board;
        bool card, want;
    } rows[] = {
        { PIN_AUTO, 0, true, true },   { PIN_AUTO, 0, false, false }, { PIN_AUTO, 1, true, false },
        { PIN_AUTO, 2, true, false },  { PIN_AUTO, 3, true, false },  { PIN_LOOK, 0, true, false },
        { PIN_LEAVE, 0, true, false }, { PIN_PROBE, 0, false, true }, { PIN_PROBE, 1, false, true },
        { PIN_PROBE, 2, false, true }, { PIN_PROBE, 3, true, true },
    };
    const struct board_facts *boards[] = { &desktop, &server, &laptop, &with_bmc };
    const char *why;

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool may =
            pins_may_probe(rows[i].wish, &row, boards[rows[i].board], rows[i].card ? &card : &nothing, &why);

        if (may != rows[i].want)
            test_fail(__FILE__, __LINE__, "row %u: %d (%s)", i, may, why);
        EQ(!*why, may);
    }
    CHECK(!pins_may_probe(PIN_PROBE, &none, &desktop, &card, &why));
    CHECK(!pins_may_probe(PIN_PROBE, NULL, &desktop, &card, &why));
}

/* ---- S3, S4 ---- */

TEST(S3_a_clock_held_low_and_a_read_without_end)
{
    setup(CHIP_I801);
    bus.clock_low = true;
    probe_and_expect("smbus-clock-held", FINDING_FAIL);
}

TEST(S3_a_clock_held_low_that_was_only_looked_at_is_one_sign)
{
    setup(CHIP_I801);
    bus.clock_low = true;
    bus_examine(false);
    expect("smbus-clock-held", FINDING_WARN);
}

TEST(S3_is_missed_when_one_sample_was_high_or_too_few_were_taken)
{
    setup(CHIP_I801);
    bus.clock_low = true;
    bus_examine(false);
    seen.clock_low--;
    expect("smbus-only-looked", FINDING_CANNOT_TELL);
    seen.pin_samples = seen.clock_low = 199;
    expect("smbus-only-looked", FINDING_CANNOT_TELL);
    seen.pin_samples = seen.clock_low = 200;
    expect("smbus-clock-held", FINDING_WARN);
}

TEST(S3_is_missed_when_reads_work_all_the_same)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    memory(1, 4096);
    bus_examine(true);
    seen.clock_low = seen.pin_samples;
    expect("smbus-healthy", FINDING_PASS);
}

TEST(S4_data_held_low_with_the_clock_high)
{
    setup(CHIP_I801);
    bus.data_low = true;
    bus_examine(false);
    expect("smbus-data-held", FINDING_FAIL);
    seen.data_low--;
    expect("smbus-only-looked", FINDING_CANNOT_TELL);
}

TEST(a_line_register_of_zeros_is_no_held_line)
{
    setup(CHIP_I801);
    bus.no_pins = true;
    bus_examine(false);
    expect("smbus-only-looked", FINDING_CANNOT_TELL);
}

/* ---- S5, S6 ---- */

TEST(S5_a_transfer_that_was_left_and_could_be_ended)
{
    setup(CHIP_I801);
    bus.busy_at_entry = true;
    probe_and_expect("smbus-left-busy", FINDING_WARN);
    CHECK(seen.killed_at_entry);
    setup(CHIP_I801);
    bus.busy_at_entry = true;
    bus_examine(false);
    expect("smbus-left-busy", FINDING_WARN);
    seen.busy_ms = 99;
    expect("smbus-only-looked", FINDING_CANNOT_TELL);
}

TEST(S5_is_missed_when_the_transfer_ends_in_time)
{
    setup(CHIP_I801);
    bus.busy_at_entry = true;
    bus.busy_until_ns = 120 * MS; /* the lines are watched for about 65 ms first */
    bus_spd(0x50, 0x0b);
    memory(1, 4096);
    probe_and_expect("smbus-healthy", FINDING_PASS);
}

TEST(S6_busy_that_survives_the_end_command)
{
    setup(CHIP_PIIX4);
    bus.busy_at_entry = bus.survives_kill = true;
    probe_and_expect("smbus-wedged", FINDING_FAIL);
    setup(CHIP_PIIX4);
    bus.busy_at_entry = bus.kill_is_late = true;
    probe_and_expect("smbus-left-busy", FINDING_WARN);
}

/* ---- S7 ---- */

TEST(S7_readings_that_differ_each_time)
{
    setup(CHIP_I801);
    bus_spd(0x52, 0x0b);
    bus.slave[0x52].noisy_every = 50;
    memory(1, 4096);
    probe_and_expect("smbus-two-answer", FINDING_FAIL);
    HAS_STR(found[0].seen, "0x52");
}

TEST(S7_one_reading_of_three_that_differs_is_a_warning)
{
    setup(CHIP_I801);
    bus_spd(0x52, 0x0b);
    memory(1, 4096);
    bus_examine(true);
    seen.responder[2].data[2][40] ^= 1;
    expect("smbus-two-answer", FINDING_WARN);
    seen.responder[2].data[2][40] ^= 1;
    expect("smbus-healthy", FINDING_PASS);
}

TEST(S7_a_plausible_type_with_a_wrong_checksum)
{
    static const uint8_t types[] = { 0x08, 0x0b, 0x0c };

    for (unsigned i = 0; i < 3; i++) {
        setup(CHIP_I801);
        bus_spd(0x50, types[i]);
        bus.slave[0x50].data[10] ^= 0x80;
        memory(1, 0);
        probe_and_expect("smbus-two-answer", FINDING_FAIL);
    }
}

TEST(S7_is_missed_by_bytes_outside_the_checksum_and_by_unknown_types)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    bus.slave[0x50].data[120] ^= 1; /* DDR3 with byte 0 bit 7: 117 bytes are covered */
    memory(1, 4096);
    probe_and_expect("smbus-healthy", FINDING_PASS);
    setup(CHIP_I801);
    bus_spd(0x50, 0x0c);
    bus.slave[0x50].data[2] = 0x3c; /* as with the second page selected */
    memory(1, 0);
    bus_examine(true);
    CHECK(strcmp(judge()->code, "smbus-two-answer"));
}

TEST(S7_gaps_in_the_answers_are_a_warning)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    bus.slave[0x50].deaf_from = 127;
    memory(1, 4096);
    bus_examine(true);
    EQ(seen.responder[0].gaps, 3);
    CHECK(!strcmp(judge()->code, "smbus-two-answer"));
}

TEST(the_registers_of_a_ddr5_hub_may_change)
{
    setup(CHIP_ZEN);
    bus.slave[0x50] = (struct model_slave){ .there = true, .data = { 0x51, 0x18 } };
    memory(1, 16384);
    board.memory_type = 0x22;
    probe_and_expect("smbus-healthy", FINDING_PASS);
}

/* ---- S8 ---- */

TEST(S8_more_modules_than_the_firmware_uses)
{
    setup(CHIP_I801);
    for (unsigned a = 0x50; a < 0x54; a++)
        bus_spd(a, 0x0b);
    memory(2, 8192);
    probe_and_expect("memory-left-out", FINDING_FAIL);
    HAS_STR(found[0].seen, "4 modules can be read, the firmware uses 2");
    memory(4, 16384);
    expect("smbus-healthy", FINDING_PASS);
}

TEST(S8_less_memory_in_the_map_than_the_modules_state)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0c); /* 8 GiB: a gap of 819 MiB is allowed */
    memory(1, 8192);
    bus_examine(true);
    board.map_mib = 8192 - 820;
    expect("memory-left-out", FINDING_WARN);
    board.map_mib = 8192 - 819;
    expect("smbus-healthy", FINDING_PASS);
    board.map_mib = 0;
    expect("smbus-healthy", FINDING_PASS);
}

TEST(S8_is_not_said_where_the_board_tells_nothing_of_its_memory)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    probe_and_expect("smbus-unclear", FINDING_CANNOT_TELL);
}

/* ---- S9, S10 ---- */

TEST(S9_a_fru_header_among_the_modules)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    model_slave_fru(&bus.slave[0x53]);
    memory(1, 4096);
    probe_and_expect("smbus-foreign", FINDING_WARN);
    HAS_STR(found[0].seen, "0x53");
    HAS_STR(found[0].seen, "FRU");
    bus.slave[0x53].data[7] = 0xff; /* no header any more: still no module */
    probe_and_expect("smbus-foreign", FINDING_WARN);
}

TEST(S9_is_missed_at_the_address_that_the_board_gives_to_its_bmc)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    model_slave_fru(&bus.slave[0x53]);
    memory(1, 4096);
    board.has_bmc = true;
    board.bmc_smbus_address = 0x53;
    probe_and_expect("smbus-healthy", FINDING_PASS);
    board.bmc_smbus_address = 0x54;
    expect("smbus-foreign", FINDING_WARN);
}

TEST(S9_is_missed_by_ddr4_modules_whose_second_page_is_selected)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0c);
    bus.slave[0x50].data[2] = 0x3c;
    memory(1, 8192);
    board.memory_type = 0x1a;
    probe_and_expect("smbus-elsewhere", FINDING_CANNOT_TELL);
    board.memory_type = 0x18;
    expect("smbus-foreign", FINDING_WARN);
    board.memory_type = 0x1a;
    board.modules = 0;
    expect("smbus-foreign", FINDING_WARN);
}

TEST(S9_a_fru_header_is_no_second_page)
{
    setup(CHIP_I801);
    model_slave_fru(&bus.slave[0x53]);
    memory(1, 8192);
    board.memory_type = 0x1a;
    probe_and_expect("smbus-foreign", FINDING_WARN);
}

TEST(S7_readings_of_no_module_that_differ)
{
    setup(CHIP_I801);
    bus.slave[0x52].there = true;
    bus.slave[0x52].data[5] = 0x77;
    bus.slave[0x52].noisy_every = 50;
    memory(1, 4096);
    probe_and_expect("smbus-two-answer", FINDING_FAIL);
}

TEST(S10_one_collision_in_32_reads)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    memory(1, 4096);
    bus_examine(true);
    seen.reads = 320;
    seen.collisions = 10;
    expect("smbus-disturbed", FINDING_WARN);
    seen.collisions = 9;
    expect("smbus-healthy", FINDING_PASS);
}

TEST(S10_arbitration_that_is_lost_again_and_again)
{
    setup(CHIP_I801);
    bus.lose_arbitration = 10000;
    memory(1, 4096);
    probe_and_expect("smbus-disturbed", FINDING_WARN);
    EQ(seen.collisions, 24);
}

TEST(S10_one_late_answer)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    bus.slave[0x55].late = 1;
    memory(1, 4096);
    probe_and_expect("smbus-disturbed", FINDING_WARN);
    bus.slave[0x55].late = 0;
    probe_and_expect("smbus-healthy", FINDING_PASS);
}

TEST(S10_a_second_master_and_a_device_that_hangs)
{
    setup(CHIP_I801);
    bus.second_master = true;
    bus_examine(false);
    expect("smbus-disturbed", FINDING_WARN);
    seen.foreign_edges = 2;
    expect("smbus-only-looked", FINDING_CANNOT_TELL);
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    bus.slave[0x57].hangs = true;
    memory(1, 4096);
    probe_and_expect("smbus-disturbed", FINDING_WARN);
}

/* ---- S11 - S14 ---- */

TEST(S11_only_blank_memories)
{
    setup(CHIP_I801);
    for (unsigned a = 0x50; a < 0x58; a++)
        bus.slave[a].there = true;
    memory(1, 512);
    probe_and_expect("smbus-blank", FINDING_CANNOT_TELL);
    memset(bus.slave[0x54].data, 0xff, sizeof bus.slave[0x54].data);
    probe_and_expect("smbus-blank", FINDING_CANNOT_TELL);
    bus.slave[0x54].data[127] = 0xfe;
    probe_and_expect("smbus-foreign", FINDING_WARN);
}

TEST(S12_no_module_can_be_read)
{
    setup(CHIP_I801);
    memory(2, 8192);
    probe_and_expect("smbus-elsewhere", FINDING_CANNOT_TELL);
    memory(0, 0);
    expect("smbus-unclear", FINDING_CANNOT_TELL);
}

TEST(S13_fewer_modules_than_the_firmware_uses)
{
    setup(CHIP_PIIX4);
    bus_spd(0x50, 0x08);
    memory(2, 4096);
    probe_and_expect("smbus-partly", FINDING_CANNOT_TELL);
    memory(1, 2048);
    expect("smbus-healthy", FINDING_PASS);
}

TEST(S14_all_modules_can_be_read_on_every_controller)
{
    static const enum model_smbus_chip chips[] = { CHIP_I801, CHIP_PIIX4, CHIP_SB800, CHIP_ZEN, CHIP_NFORCE };

    for (unsigned i = 0; i < 5; i++) {
        setup(chips[i]);
        bus_spd(0x50, 0x0b);
        bus_spd(0x52, 0x0b);
        memory(2, 8192);
        probe_and_expect("smbus-healthy", FINDING_PASS);
    }
}

TEST(S14_is_missed_when_reading_stopped_early)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    memory(1, 4096);
    bus_examine(true);
    seen.complete = false;
    strcpy(seen.why, "the time for reading (2 s) was over");
    expect("smbus-unclear", FINDING_CANNOT_TELL);
}

/* ---- words ---- */

TEST(a_card_is_named_as_a_suspect_and_its_slot_is_asked)
{
    setup(CHIP_I801);
    bus.clock_low = true;
    bus_examine(true);
    HAS_STR(judge()->seen, "no card is fitted that is known for this");
    suspect = (struct pin_suspect){ .there = true, .name = "PERC 6 at 0000:05:00.0" };
    HAS_STR(judge()->seen, "suspect: PERC 6 at 0000:05:00.0");
    CHECK(!strstr(found[0].seen, "no SMBus"));
    suspect.slot_known = true;
    HAS_STR(judge()->seen, "(the board says that this slot has no SMBus)");
    suspect.slot_has_smbus = true;
    CHECK(!strstr(judge()->seen, "no SMBus"));
}

TEST(the_evidence_is_one_line)
{
    struct pin_counts c;
    char line[400];
    struct text t = text_over(line, sizeof line);

    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    model_slave_fru(&bus.slave[0x53]);
    bus.slave[0x57].there = true;
    bus_examine(true);
    pins_count(&seen, &board, &c);
    pins_text(&seen, &c, &t);
    HAS_STR(line, "0x50-0x57 M--F---B");
    HAS_STR(line, "base 0x6000, status 0x00");
    CHECK(!t.cut);
}
