#include <string.h>
#include "acpi.h"
#include "drive_health.h"
#include "err.h"
#include "expect.h"
#include "model_smbus.h"
#include "smbios.h"
#include "spd.h"
#include "test.h"

static struct finding found[12];
static struct finding_list list;

static void clear(void) { list = (struct finding_list){ .at = found, .capacity = 12 }; }

TEST(findings_beyond_the_callers_memory_are_counted)
{
    list = (struct finding_list){ .at = found, .capacity = 1 };
    finding_add(&list, "io-error", FINDING_FAIL, "a", NULL, "%d", 1);
    finding_add(&list, "io-error", FINDING_FAIL, "b", NULL, "%d", 2);
    EQ(list.count, 1);
    EQ(list.dropped, 1);
    EQ_STR(found[0].seen, "1");
    EQ_STR(found[0].expected, "");
}

/* ---- SPD ---- */

TEST(memory_modules_are_recognised_and_their_size_computed)
{
    static const struct {
        uint8_t type;
        uint64_t mib;
    } rows[] = { { 0x08, 2048 }, { 0x0b, 4096 }, { 0x0c, 8192 } };
    struct model_slave s;

    for (unsigned i = 0; i < 3; i++) {
        model_slave_spd(&s, rows[i].type);
        EQ(spd_class_of(s.data), SPD_VALID);
        EQ(spd_mib(s.data), rows[i].mib);
        s.data[3] ^= 1;
        EQ(spd_class_of(s.data), SPD_DAMAGED);
    }
}

TEST(blank_memories_and_fru_headers_are_no_modules)
{
    struct model_slave s = { 0 };

    EQ(spd_class_of(s.data), SPD_BLANK);
    memset(s.data, 0xff, sizeof s.data);
    EQ(spd_class_of(s.data), SPD_BLANK);
    memset(s.data, 0x55, sizeof s.data);
    EQ(spd_class_of(s.data), SPD_OTHER);
    model_slave_fru(&s);
    EQ(spd_class_of(s.data), SPD_FRU);
    s.data[7] ^= 1;
    EQ(spd_class_of(s.data), SPD_OTHER);
    memset(&s, 0, sizeof s);
    s.data[0] = 0x92; /* only one byte says anything */
    EQ(spd_class_of(s.data), SPD_OTHER);
}

TEST(sizes_with_reserved_codes_are_not_known)
{
    uint8_t b[128] = { [2] = 0x0b, [4] = 0x0f, [7] = 0x3f, [8] = 7 };

    EQ(spd_mib(b), 0);
    memset(b, 0xff, sizeof b);
    b[2] = 0x0c;
    EQ(spd_mib(b), 0);
    b[2] = 0x08;
    EQ(spd_mib(b), 0);
    b[2] = 0x12;
    EQ(spd_mib(b), 0);
    memset(b, 0, sizeof b);
    b[2] = 0x08;
    b[31] = 0x10;
    EQ(spd_mib(b), 16384);
    b[31] = 0x80;
    EQ(spd_mib(b), 512);
}

/* ---- SMBIOS ---- */

static uint8_t table[600];
static size_t table_len;

static void structure(uint8_t type, uint8_t len, const uint8_t *body, const char *strings, size_t strings_len)
{
    uint8_t *p = table + table_len;

    p[0] = type;
    p[1] = len;
    p[2] = (uint8_t)table_len;
    p[3] = 0;
    memcpy(p + 4, body, len - 4u);
    memcpy(p + len, strings, strings_len);
    table_len += len + strings_len;
}
#define STRUCTURE(type, strings, ...)                                                                        \
    do {                                                                                                     \
        const uint8_t body_[] = { __VA_ARGS__ };                                                             \
        structure(type, (uint8_t)(4 + sizeof body_), body_, strings "\0",                                    \
                  sizeof strings > 1 ? sizeof strings : 2);                                                  \
    } while (0)

static void sample_table(void)
{
    table_len = 0;
    STRUCTURE(1, "System Maker\0System Model\0", 1, 2, 0, 0);
    STRUCTURE(2, "Board Maker\0Board Model\0", 1, 2, 0, 0);
    STRUCTURE(3, "", 1, 0x97, 0, 0);
    STRUCTURE(9, "PCIE1\0", 1, 0xa5, 0x0d, 4, 3, 1, 0, 0x0c, 0x04, 0, 0, 5, 0x08);
    STRUCTURE(9, "PCIE2\0", 1, 0xa5, 0x0d, 3, 3, 2, 0, 0x0c, 0x00, 0xff, 0xff, 0xff, 0xff);
    /* size at 0Ch, type at 12h, extended size at 1Ch */
    STRUCTURE(17, "", 0, 0, 0, 0, 64, 0, 64, 0, 0x00, 0x20, 9, 0, 0, 0, 0x1a, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    STRUCTURE(17, "", 0, 0, 0, 0, 64, 0, 64, 0, 0xff, 0x7f, 9, 0, 0, 0, 0x1a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00,
              0x80, 0, 0);
    STRUCTURE(17, "", 0, 0, 0, 0, 64, 0, 64, 0, 0x00, 0x00, 9, 0, 0, 0, 0x1a);
    STRUCTURE(38, "", 4, 0x20, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0);
    STRUCTURE(127, "", 0);
}

TEST(the_board_tells_its_names_slots_memory_and_bmc)
{
    struct board_facts b;

    sample_table();
    smbios_read(table, table_len, &b);
    EQ_STR(b.maker, "Board Maker");
    EQ_STR(b.system_maker, "System Maker");
    EQ_STR(b.product, "Board Model");
    EQ(b.chassis, 0x17);
    EQ(b.slot_count, 2);
    EQ_STR(b.slots[0].name, "PCIE1");
    CHECK(b.slots[0].occupied && b.slots[0].has_smbus && b.slots[0].has_address);
    EQ(b.slots[0].bus, 5);
    EQ(b.slots[0].device, 1);
    CHECK(!b.slots[1].occupied && !b.slots[1].has_smbus && !b.slots[1].has_address);
    EQ(b.sockets, 3);
    EQ(b.modules, 2);
    EQ(b.modules_mib, 8192 + 32768);
    EQ(b.memory_type, 0x1a);
    CHECK(b.has_bmc);
    EQ(b.bmc_smbus_address, 0x20);
    CHECK(board_is_server(&b) && !board_is_laptop(&b));
    CHECK(board_slot_at(&b, 0, 5) == &b.slots[0]);
    CHECK(!board_slot_at(&b, 0, 6) && !board_slot_at(&b, 1, 5));
}

TEST(a_table_cut_at_any_byte_is_read_as_far_as_it_goes)
{
    struct board_facts b;
    static uint8_t copy[600];

    sample_table();
    for (size_t n = 0; n <= table_len; n++) {
        uint8_t *exact = memcpy(copy + sizeof copy - (n ? n : 1), table, n);

        smbios_read(exact, n, &b);
        CHECK(b.sockets <= 3 && b.slot_count <= 2);
        EQ(b.told, n > 0);
    }
    smbios_read(NULL, 100, &b);
    CHECK(!b.told);
    table[1] = 3; /* shorter than its own header */
    smbios_read(table, table_len, &b);
    EQ_STR(b.maker, "");
    table[1] = 255;
    smbios_read(table, 200, &b);
    EQ(b.sockets, 0);
}

TEST(a_table_with_more_slots_than_are_kept)
{
    struct board_facts b;

    table_len = 0;
    for (unsigned i = 0; i < 40; i++)
        STRUCTURE(9, "", 0, 0, 0, 4);
    smbios_read(table, table_len, &b);
    EQ(b.slot_count, BOARD_MAX_SLOTS);
}

/* ---- ACPI ---- */

static uint8_t acpi[400];

static size_t acpi_begin(size_t first)
{
    memset(acpi, 0, sizeof acpi);
    return first;
}
static size_t acpi_end(size_t len)
{
    acpi[4] = (uint8_t)len;
    acpi[5] = (uint8_t)(len >> 8);
    return len;
}

static size_t hest(uint8_t kind, uint8_t flags, size_t source_len)
{
    size_t at = acpi_begin(40);

    acpi[36] = 2;
    acpi[at] = 9; /* a generic source first */
    at += 64;
    acpi[at] = kind;
    acpi[at + 6] = flags;
    return acpi_end(at + source_len);
}

TEST(errors_are_left_to_firmware_when_its_table_says_so)
{
    CHECK(!hest_is_firmware_first(NULL, 0));
    CHECK(!hest_is_firmware_first(acpi, hest(7, 0, 44)));
    CHECK(hest_is_firmware_first(acpi, hest(7, 1, 44)));
    CHECK(hest_is_firmware_first(acpi, hest(6, 1, 48)));
    CHECK(hest_is_firmware_first(acpi, hest(8, 3, 56)));
    CHECK(!hest_is_firmware_first(acpi, hest(8, 2, 56)));
    CHECK(!hest_is_firmware_first(acpi, hest(2, 1, 20)));
    CHECK(hest_is_firmware_first(acpi, hest(99, 0, 44))); /* an unknown kind */
    CHECK(hest_is_firmware_first(acpi, hest(7, 0, 43)));  /* cut */
    CHECK(!hest_is_firmware_first(acpi, 30));
}

TEST(configuration_space_in_memory_is_found_by_segment_and_bus)
{
    size_t at = acpi_begin(44);

    acpi[at + 3] = 0xe0;
    acpi[at + 10] = 0x10;
    acpi[at + 11] = 0x3f;
    at = acpi_end(at + 16);
    EQ(mcfg_bus_address(acpi, at, 0, 0x10), 0xe1000000);
    EQ(mcfg_bus_address(acpi, at, 0, 0x3f), 0xe3f00000);
    EQ(mcfg_bus_address(acpi, at, 0, 0x40), 0);
    EQ(mcfg_bus_address(acpi, at, 0, 0x0f), 0);
    EQ(mcfg_bus_address(acpi, at, 1, 0x10), 0);
    EQ(mcfg_bus_address(acpi, at - 1, 0, 0x10), 0);
    EQ(mcfg_bus_address(NULL, 0, 0, 0), 0);
}

/* ---- health ---- */

static struct disk_health before, now;

static void judge_health(bool with_before)
{
    clear();
    health_judge(with_before ? &before : NULL, &now, "sata0.0", &list);
}

static void only(const char *code, enum finding_level level)
{
    if (list.count != 1)
        test_fail(__FILE__, __LINE__, "%u findings, the first %s: %s", list.count, found[0].code,
                  found[0].seen);
    EQ_STR(found[0].code, code);
    EQ(found[0].level, level);
    CHECK(finding_kind(code) != NULL);
}

TEST(a_drive_that_tells_nothing_is_not_said_to_be_good)
{
    now = (struct disk_health){ 0 };
    judge_health(false);
    only("health-unknown", FINDING_CANNOT_TELL);
    health_set(&now, HEALTH_TEMPERATURE_C, 30);
    judge_health(false);
    only("health-good", FINDING_PASS);
}

TEST(every_threshold_is_reached_and_just_missed)
{
    for (unsigned i = 0; i < health_threshold_count; i++) {
        const struct health_threshold *t = &health_thresholds[i];
        int64_t step = t->low_is_bad ? -1 : 1, at = t->low_is_bad ? -1 : 0;

        now = (struct disk_health){ 0 };
        health_set(&now, t->value, t->warn + at - step);
        judge_health(false);
        only("health-good", FINDING_PASS);
        health_set(&now, t->value, t->warn + at);
        judge_health(false);
        only(t->code, FINDING_WARN);
        if (t->fail == THRESHOLD_NONE)
            continue;
        health_set(&now, t->value, t->fail + at - step);
        judge_health(false);
        only(t->code, FINDING_WARN);
        health_set(&now, t->value, t->fail + at);
        judge_health(false);
        only(t->code, FINDING_FAIL);
    }
}

TEST(a_drives_own_limits_come_before_ours)
{
    now = (struct disk_health){ 0 };
    health_set(&now, HEALTH_TEMPERATURE_C, 80);
    health_set(&now, HEALTH_TEMPERATURE_WARNING_C, 84);
    health_set(&now, HEALTH_TEMPERATURE_CRITICAL_C, 88);
    judge_health(false);
    only("health-good", FINDING_PASS);
    health_set(&now, HEALTH_TEMPERATURE_C, 84);
    judge_health(false);
    only("health-hot", FINDING_WARN);
    health_set(&now, HEALTH_TEMPERATURE_C, 88);
    judge_health(false);
    only("health-hot", FINDING_FAIL);
    now = (struct disk_health){ 0 };
    health_set(&now, HEALTH_SPARE_PERCENT, 8);
    health_set(&now, HEALTH_SPARE_THRESHOLD_PERCENT, 5);
    judge_health(false);
    only("health-worn", FINDING_WARN);
}

TEST(each_warning_of_a_drive_is_a_finding)
{
    for (unsigned i = 0; i < HEALTH_WARNING_COUNT; i++) {
        now = (struct disk_health){ 0 };
        health_warn(&now, (enum health_warning)i, false);
        judge_health(false);
        only("health-good", FINDING_PASS);
        health_warn(&now, (enum health_warning)i, true);
        judge_health(false);
        only(i == HEALTH_WARN_TEMPERATURE ? "health-hot" : "health-failing",
             health_warning_rows[i].fails ? FINDING_FAIL : FINDING_WARN);
    }
}

TEST(rises_during_the_run_are_findings_and_old_counts_are_not)
{
    static const enum finding_level level[] = { FINDING_PASS, FINDING_INFO, FINDING_WARN, FINDING_FAIL };

    for (unsigned i = 0; i < HEALTH_VALUE_COUNT; i++) {
        enum health_rise rise = health_rows[i].rise;
        unsigned others = 0;

        before = now = (struct disk_health){ 0 };
        health_set(&before, (enum health_value)i, 1000);
        health_set(&now, (enum health_value)i, 1001);
        judge_health(false);
        others = list.count;
        judge_health(true);
        if (rise == RISE_NORMAL) {
            EQ(list.count, others);
            continue;
        }
        unsigned seen = 0;
        for (unsigned k = 0; k < list.count; k++) {
            seen += found[k].level == level[rise] && strstr(found[k].seen, "rose by 1 to 1001") != NULL;
            CHECK(finding_kind(found[k].code) != NULL);
        }
        EQ(seen, 1);
        health_set(&before, (enum health_value)i, 1001);
        judge_health(true);
        EQ(list.count, others);
    }
}

TEST(batteries_are_judged_by_presence_state_and_heat)
{
    struct raid_card card = { .memory_mib = 512 };
    struct raid_battery *b = &card.battery;

    clear();
    battery_judge(&card, "megaraid0", &list);
    EQ(list.count, 0);
    b->presence = RAID_BATTERY_NONE;
    battery_judge(&card, "megaraid0", &list);
    only("battery-bad", FINDING_WARN);
    card.memory_mib = 0;
    clear();
    battery_judge(&card, "megaraid0", &list);
    EQ(list.count, 0);
    static const struct {
        bool bad, replace, learn_failed;
        int temperature_c;
        const char *code;
        enum finding_level level;
    } rows[] = {
        { false, false, false, RAID_UNKNOWN, "health-good", FINDING_PASS },
        { false, false, false, 49, "health-good", FINDING_PASS },
        { false, false, false, 50, "battery-bad", FINDING_WARN },
        { false, false, false, 59, "battery-bad", FINDING_WARN },
        { false, false, false, 60, "battery-bad", FINDING_FAIL },
        { true, false, false, 30, "battery-bad", FINDING_FAIL },
        { false, true, false, 30, "battery-bad", FINDING_FAIL },
        { false, false, true, 30, "battery-bad", FINDING_WARN },
    };
    card.memory_mib = 512;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        *b = (struct raid_battery){ .presence = RAID_BATTERY_PRESENT,
                                    .bad = rows[i].bad,
                                    .replace = rows[i].replace,
                                    .learn_failed = rows[i].learn_failed,
                                    .temperature_c = rows[i].temperature_c };
        clear();
        battery_judge(&card, "megaraid0", &list);
        only(rows[i].code, rows[i].level);
    }
}

/* ---- expectations ---- */

static const struct expect_disk disks[] = {
    { .name = "nvme0n1",
      .model = "SAMSUNG MZ7",
      .firmware = "5B2QGXA7",
      .usable = true,
      .is_nvme = true,
      .measured = true,
      .best_bytes_per_s = 1500000000 },
    { .name = "sata0.0",
      .model = "WDC WD40EFRX",
      .firmware = "82.00A82",
      .usable = true,
      .rotates = true,
      .measured = true,
      .best_bytes_per_s = 150000000 },
    { .name = "sata0.1", .model = "WDC WD40EFRX", .firmware = "82.00A80", .usable = true, .rotates = true },
    { .name = "sata0.2", .model = "WDC WD40EZRX", .firmware = "80.00A80", .rotates = true },
    { .name = "megaraid0.vd0",
      .model = "PERC 6/i",
      .firmware = "1.22",
      .usable = true,
      .is_virtual = true,
      .rotates = true,
      .measured = true,
      .best_bytes_per_s = 90000000 },
};
enum { DISKS = sizeof disks / sizeof disks[0] };

TEST(patterns_match_ends_parts_and_letters_of_either_case)
{
    static const struct {
        const char *pattern, *text;
        bool want;
    } rows[] = {
        { "abc", "abc", true },    { "abc", "ABC", true },   { "abc", "abcd", false },
        { "abc*", "abcd", true },  { "*bcd", "abcd", true }, { "*bc*", "abcd", true },
        { "*bd*", "abcd", false }, { "*", "", true },        { "*", "x", true },
        { "", "", true },          { "", "x", false },       { "**", "x", true },
        { "*abcd", "bcd", false },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (expect_matches(rows[i].pattern, rows[i].text) != rows[i].want)
            test_fail(__FILE__, __LINE__, "%s on %s", rows[i].pattern, rows[i].text);
}

static bool judge_disks(const char *models, const char *firmware)
{
    struct expect_words e = { .models = models, .firmware = firmware, .link = "", .floor = "" };

    clear();
    return expect_judge_disks(&e, disks, DISKS, &list);
}

TEST(models_are_counted_among_usable_drives)
{
    CHECK(judge_disks("", ""));
    CHECK(judge_disks("2x wdc wd40*, SAMSUNG*", ""));
    CHECK(!judge_disks("3x WDC WD40*", ""));
    only("expectation-missed", FINDING_FAIL);
    HAS_STR(found[0].seen, "2 usable drives of model WDC WD40*, 3 expected");
    CHECK(!judge_disks("INTEL*, 1x SAMSUNG*", ""));
    EQ(list.count, 1);
}

TEST(each_drive_with_another_firmware_is_named)
{
    CHECK(!judge_disks("", "WDC WD40*: 82.*"));
    EQ(list.count, 1);
    EQ_STR(found[0].subject, "sata0.2");
    CHECK(!judge_disks("", "WDC WD40EFRX: 82.00A82"));
    EQ_STR(found[0].subject, "sata0.1");
    CHECK(judge_disks("", "NOBODY*: 1, SAMSUNG*: 5b2q*"));
}

TEST(links_below_the_expected_are_missed)
{
    static const struct expect_link links[] = { { "nvme0", true, 3, 4 },
                                                { "megaraid0", true, 2, 8 },
                                                { "sata0", false, 0, 0 } };
    struct expect_words e = { .models = "", .firmware = "", .link = "gen2 x4", .floor = "" };

    clear();
    CHECK(expect_judge_links(&e, links, 3, &list));
    e.link = "gen3 x4";
    CHECK(!expect_judge_links(&e, links, 3, &list));
    only("expectation-missed", FINDING_FAIL);
    EQ_STR(found[0].subject, "megaraid0");
    e.link = "gen2 x8";
    clear();
    CHECK(!expect_judge_links(&e, links, 3, &list));
    EQ_STR(found[0].subject, "nvme0");
}

static bool judge_floors(const char *floor)
{
    struct expect_words e = { .models = "", .firmware = "", .link = "", .floor = floor };

    clear();
    return expect_judge_floors(&e, disks, DISKS, &list);
}

TEST(drives_slower_than_their_floor_are_missed)
{
    CHECK(judge_floors("hdd 150, nvme 1500, virtual 90"));
    CHECK(!judge_floors("hdd 151"));
    only("expectation-missed", FINDING_FAIL);
    EQ_STR(found[0].subject, "sata0.0");
    EQ_STR(found[0].expected, "151 MB/s");
    CHECK(!judge_floors("virtual 91, sata0.0 100"));
    EQ(list.count, 1);
    CHECK(judge_floors("sata0.1 1000")); /* not measured: that is said elsewhere */
    CHECK(judge_floors("ssd 1000"));
}

TEST(expectations_that_cannot_be_read_are_refused_with_words)
{
    static const struct {
        struct expect_words e;
        int want;
    } rows[] = {
        { { "", "", "", "" }, OK },
        { { "4x WD*, ,SAMSUNG*", "WD*: 1", "gen2 x8", "hdd 1" }, OK },
        { { "0x WD*", "", "", "" }, E_SYNTAX },
        { { "4x ", "", "", "" }, OK }, /* a model called "4x" */
        { { "", "WD*", "", "" }, E_SYNTAX },
        { { "", ": 1", "", "" }, E_SYNTAX },
        { { "", "WD*:", "", "" }, E_SYNTAX },
        { { "", "", "gen2", "" }, E_SYNTAX },
        { { "", "", "gen0 x8", "" }, E_SYNTAX },
        { { "", "", "gen2 x0", "" }, E_SYNTAX },
        { { "", "", "gen2 x33", "" }, E_SYNTAX },
        { { "", "", "2 8", "" }, E_SYNTAX },
        { { "", "", "", "hdd" }, E_SYNTAX },
        { { "", "", "", "hdd 0" }, E_SYNTAX },
        { { "", "", "", "hdd fast" }, E_SYNTAX },
        { { "", "", "", "hdd 1000001" }, E_SYNTAX },
        { { "", "", "", "100" }, E_SYNTAX },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[200];
        struct text t = text_over(why, sizeof why);
        int rc = expect_check(&rows[i].e, &t);

        if (rc != rows[i].want)
            test_fail(__FILE__, __LINE__, "row %u: %d (%s)", i, rc, why);
        EQ(t.len == 0, rc == OK);
    }
}
