#include <stdio.h>
#include <string.h>
#include "link.h"
#include "model_pci.h"
#include "platform_model.h"
#include "test.h"
#include "topology.h"

/* Rows P1-P13: each is reached through configuration space of models, and just missed. */

enum { PORT, CARD, FUNCTIONS };
static struct model_pci dev[FUNCTIONS];
static struct pci_fn *fn[FUNCTIONS];
static struct pci_facts f[FUNCTIONS];
static struct path path;
static struct finding found[8];
static struct finding_list list;
static struct board_facts board;

/* A root port Gen3 x8 with an x8 Gen2 RAID card behind it. */
static void machine(unsigned port_speed, unsigned port_width, unsigned card_speed, unsigned card_width)
{
    model_reset_world();
    model_pci_init(&dev[PORT], 0x8086, 0x3420, 0x060400);
    model_pci_bridge(&dev[PORT], 5, 5);
    model_pci_add_pcie(&dev[PORT], 4, port_speed, port_width);
    model_pci_add_aer(&dev[PORT]);
    model_pci_init(&dev[CARD], 0x1000, 0x0079, 0x010400);
    model_pci_add_power(&dev[CARD], 0);
    model_pci_add_pcie(&dev[CARD], 0, card_speed, card_width);
    model_pci_set(&dev[CARD], dev[CARD].pcie + 4, 0x00008001 | 25u << 18);
    model_pci_add_aer(&dev[CARD]);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        fn[i] = model_add_device(&model_pci_ops, &dev[i], &dev[i].host);
    fn[PORT]->bus = 0;
    fn[PORT]->device = 3;
    fn[CARD]->bus = 5;
    fn[CARD]->device = 0;
    board = (struct board_facts){ 0 };
}

static void now(unsigned speed, unsigned width)
{
    model_pci_link_now(&dev[PORT], speed, width);
    model_pci_link_now(&dev[CARD], speed, width);
}

static void look(void)
{
    for (unsigned i = 0; i < FUNCTIONS; i++)
        pci_facts_read(fn[i], &f[i]);
    path_find(f, FUNCTIONS, CARD, &path);
    EQ(path.count, 2);
    EQ(model_violations, 0);
    list = (struct finding_list){ .at = found, .capacity = 8 };
}

static const struct finding *has(const char *code)
{
    for (unsigned i = 0; i < list.count; i++)
        if (!strcmp(found[i].code, code)) {
            CHECK(finding_kind(code) != NULL);
            return &found[i];
        }
    return NULL;
}

static void want(const char *code, enum finding_level level)
{
    const struct finding *x = has(code);

    if (!x)
        test_fail(__FILE__, __LINE__, "no %s; first is %s", code, list.count ? found[0].code : "none");
    EQ(x->level, level);
}

static void judge_link(const struct pci_watch *w)
{
    look();
    link_judge(&f[PORT], &f[CARD], w, "megaraid0", &list);
}

static struct pci_watch w;

/* Under load with that link. */
static void load(unsigned speed, unsigned width, unsigned samples)
{
    pci_watch_begin(&w, fn[CARD], NULL, true);
    now(speed, width);
    for (unsigned i = 0; i < samples; i++)
        pci_watch_sample(&w, true);
}

/* ---- P1 - P5, P7 ---- */

TEST(P1_speed_and_width_are_what_both_ends_can)
{
    machine(2, 8, 2, 8);
    judge_link(NULL);
    EQ(list.count, 1);
    want("link-full", FINDING_PASS);
    HAS_STR(found[0].seen, "0000:05:00.0: Gen2 x8");
}

TEST(P1_a_faster_slot_and_a_slower_slot_pass_with_words)
{
    machine(3, 16, 2, 8);
    now(2, 8);
    judge_link(NULL);
    EQ(list.count, 1);
    want("link-full", FINDING_PASS);
    machine(1, 8, 2, 8);
    now(1, 8);
    judge_link(NULL);
    want("link-full", FINDING_PASS);
    HAS_STR(found[0].seen, "could do Gen2");
}

TEST(P1_is_missed_by_one_step_of_width_or_speed)
{
    machine(2, 8, 2, 8);
    now(2, 8);
    judge_link(NULL);
    want("link-full", FINDING_PASS);
    now(2, 4);
    judge_link(NULL);
    CHECK(!has("link-full"));
    now(1, 8);
    judge_link(NULL);
    CHECK(!has("link-full"));
}

TEST(P2_all_lanes_of_the_slot_but_fewer_than_the_card)
{
    machine(3, 4, 2, 8);
    now(2, 4);
    judge_link(NULL);
    EQ(list.count, 1);
    want("slot-narrow", FINDING_WARN);
    machine(3, 8, 2, 8);
    now(2, 8);
    judge_link(NULL);
    want("link-full", FINDING_PASS);
}

TEST(P3_fewer_lanes_than_both_ends_have)
{
    machine(3, 8, 2, 8);
    now(2, 4);
    judge_link(NULL);
    want("lanes-missing", FINDING_FAIL);
    CHECK(!has("slot-narrow"));
    machine(3, 4, 2, 8);
    now(2, 1);
    judge_link(NULL);
    want("lanes-missing", FINDING_FAIL);
}

TEST(P3_one_lane_of_eight)
{
    machine(3, 8, 2, 8);
    now(2, 7);
    judge_link(NULL);
    want("lanes-missing", FINDING_FAIL);
}

TEST(P3_width_that_came_back_under_load_is_not_missing)
{
    machine(3, 8, 2, 8);
    load(2, 8, 3);
    now(2, 4);
    judge_link(&w);
    want("link-full", FINDING_PASS);
}

TEST(P4_slow_while_idle_is_no_fault)
{
    machine(2, 8, 2, 8);
    now(1, 8);
    judge_link(NULL);
    EQ(list.count, 1);
    want("link-saving", FINDING_INFO);
    HAS_STR(found[0].seen, "idle only");
}

TEST(P4_slow_under_load_by_the_device_itself_or_by_setting)
{
    machine(2, 8, 2, 8);
    load(1, 8, 3);
    model_pci_or16(&dev[PORT], dev[PORT].pcie + 0x12, 0x8000); /* LABS */
    judge_link(&w);
    want("link-saving", FINDING_INFO);
    model_pci_or16(&dev[PORT], dev[PORT].pcie + 0x12, 0x4000); /* LBMS too */
    judge_link(&w);
    want("link-signal", FINDING_FAIL);
    machine(2, 8, 2, 8);
    load(1, 8, 3);
    model_pci_set(&dev[PORT], dev[PORT].pcie + 0x30, 1); /* target Gen1 */
    judge_link(&w);
    want("link-saving", FINDING_INFO);
    HAS_STR(found[0].seen, "firmware set");
}

TEST(P5_still_slow_under_load)
{
    machine(3, 8, 3, 8);
    load(1, 8, 1);
    judge_link(&w);
    want("link-signal", FINDING_FAIL);
    load(3, 8, 1);
    now(1, 8);
    judge_link(&w);
    want("link-full", FINDING_PASS);
}

TEST(a_number_is_that_of_a_narrow_link_only_when_it_was_narrow_under_load)
{
    static const struct {
        unsigned speed, width, samples;
        bool narrow;
    } rows[] = {
        { 3, 8, 1, false }, { 3, 4, 1, true }, { 1, 8, 1, true }, { 2, 1, 9, true }, { 1, 1, 0, false }
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        machine(3, 8, 3, 8);
        load(rows[i].speed, rows[i].width, rows[i].samples);
        look();
        EQ(link_is_narrow(&f[PORT], &f[CARD], &w), rows[i].narrow);
        CHECK(!link_is_narrow(&f[PORT], &f[CARD], NULL));
    }
    machine(3, 8, 3, 8);
    load(1, 4, 2);
    now(3, 8);
    pci_watch_sample(&w, true);
    look();
    CHECK(!link_is_narrow(&f[PORT], &f[CARD], &w)); /* it came back */
    machine(3, 8, 2, 4);
    load(2, 4, 1);
    look();
    CHECK(!link_is_narrow(&f[PORT], &f[CARD], &w)); /* the card can do no more */
    f[CARD].has_pcie = false;
    CHECK(!link_is_narrow(&f[PORT], &f[CARD], &w));
}

TEST(P5_slow_while_idle_with_a_retrained_link_or_errors)
{
    machine(2, 8, 2, 8);
    now(1, 8);
    model_pci_or16(&dev[PORT], dev[PORT].pcie + 0x12, 0x4000);
    judge_link(NULL);
    want("link-signal", FINDING_FAIL);
    machine(2, 8, 2, 8);
    now(1, 8);
    model_pci_set(&dev[CARD], dev[CARD].aer + 0x10, 0x41);
    judge_link(NULL);
    want("link-signal", FINDING_FAIL);
    model_pci_set(&dev[CARD], dev[CARD].aer + 0x10, 0x2000); /* advisory only */
    judge_link(NULL);
    want("link-saving", FINDING_INFO);
}

TEST(P7_a_card_that_offers_less_than_its_design)
{
    machine(3, 8, 2, 4);
    now(2, 4);
    judge_link(NULL);
    want("card-narrow", FINDING_WARN);
    want("link-full", FINDING_PASS);
    machine(3, 8, 1, 8);
    now(1, 8);
    judge_link(NULL);
    want("card-narrow", FINDING_WARN);
    machine(3, 8, 2, 8);
    now(2, 8);
    judge_link(NULL);
    CHECK(!has("card-narrow"));
    model_pci_set(&dev[CARD], 0, 0x12341000); /* not in the table */
    machine(3, 8, 2, 4);
    fn[CARD]->device_id = 0x1234;
    now(2, 4);
    judge_link(NULL);
    CHECK(!has("card-narrow"));
}

TEST(P0_a_card_without_the_capability_says_nothing_about_the_slot)
{
    machine(3, 8, 2, 8);
    now(1, 1);
    look();
    f[CARD].has_pcie = false;
    f[CARD].link = (struct pci_link){ 0 };
    link_judge(&f[PORT], &f[CARD], NULL, "raid", &list);
    EQ(list.count, 1);
    want("link-unknown", FINDING_INFO);
    look();
    f[PORT].link = f[CARD].link = (struct pci_link){ 0 };
    link_judge(&f[PORT], &f[CARD], NULL, "raid", &list);
    want("link-unknown", FINDING_INFO);
}

/* ---- P6 ---- */

static void judge_slots(unsigned count)
{
    look();
    slots_judge(f, count, &board, &list);
}

TEST(P6_a_card_that_is_seated_and_does_not_answer)
{
    machine(3, 8, 2, 8);
    model_pci_or16(&dev[PORT], dev[PORT].pcie + 0x1a, 0x40);
    judge_slots(PORT + 1); /* the card is not in the list */
    EQ(list.count, 1);
    want("slot-no-link", FINDING_FAIL);
    judge_slots(FUNCTIONS);
    EQ(list.count, 0);
}

TEST(P6_is_missed_by_an_empty_slot_and_told_by_the_board_alone_as_a_warning)
{
    machine(3, 8, 2, 8);
    judge_slots(PORT + 1);
    EQ(list.count, 0);
    board.slot_count = 1;
    board.slots[0] = (struct board_slot){ .name = "PCIE4", .occupied = true, .has_address = true, .bus = 5 };
    judge_slots(PORT + 1);
    want("slot-no-link", FINDING_WARN);
    HAS_STR(found[0].seen, "PCIE4");
    board.slots[0].occupied = false;
    judge_slots(PORT + 1);
    EQ(list.count, 0);
    board.slots[0].occupied = true;
    board.slots[0].bus = 6;
    judge_slots(PORT + 1);
    EQ(list.count, 0);
}

/* ---- P8, P9 ---- */

static void errors(uint32_t correctable_in, unsigned of)
{
    pci_watch_begin(&w, fn[CARD], NULL, true);
    for (unsigned i = 0; i < of; i++) {
        if (i < correctable_in)
            model_pci_set(&dev[CARD], dev[CARD].aer + 0x10, 0x41);
        pci_watch_sample(&w, true);
    }
    look();
    errors_judge(&f[CARD], &w, "megaraid0", &list);
}

TEST(P8_new_correctable_errors_warn_and_fail_when_frequent)
{
    machine(3, 8, 2, 8);
    errors(0, 100);
    EQ(list.count, 0);
    errors(1, 10);
    want("link-corrected", FINDING_WARN);
    HAS_STR(found[0].seen, "receiver error, bad packet in 1 of 10 samples");
    errors(2, 3);
    want("link-corrected", FINDING_WARN);
    errors(3, 300);
    want("link-corrected", FINDING_WARN);
    errors(3, 299);
    want("link-corrected", FINDING_FAIL);
}

TEST(P8_is_missed_by_advisory_bits_and_by_those_from_before)
{
    machine(3, 8, 2, 8);
    model_pci_set(&dev[CARD], dev[CARD].aer + 0x10, 0x41);
    pci_watch_begin(&w, fn[CARD], NULL, true);
    pci_watch_sample(&w, true);
    model_pci_set(&dev[CARD], dev[CARD].aer + 0x10, 0x2000);
    pci_watch_sample(&w, true);
    look();
    errors_judge(&f[CARD], &w, "megaraid0", &list);
    EQ(list.count, 0);
}

static void one_error(uint8_t device, uint32_t uncorrectable, bool fault)
{
    pci_watch_begin(&w, fn[CARD], NULL, true);
    dev[CARD].config[dev[CARD].pcie + 0x0a] = device;
    model_pci_set(&dev[CARD], dev[CARD].aer + 4, uncorrectable);
    model_pci_set(&dev[CARD], dev[CARD].aer + 0x1c, 0x44332211);
    pci_watch_sample(&w, true);
    w.power_fault = fault;
    look();
    errors_judge(&f[CARD], &w, "megaraid0", &list);
}

TEST(P9_uncorrectable_fatal_nonfatal_and_power_faults)
{
    machine(3, 8, 2, 8);
    one_error(0, 0x4000, false);
    want("link-errors", FINDING_FAIL);
    HAS_STR(found[0].seen, "completion timeout");
    HAS_STR(found[0].seen, "header 44332211");
    one_error(2, 0, false);
    want("link-errors", FINDING_FAIL);
    one_error(4, 0, false);
    want("link-errors", FINDING_FAIL);
    one_error(0, 0, true);
    want("link-errors", FINDING_FAIL);
    one_error(0, 0x80000000, false);
    want("link-errors", FINDING_FAIL);
}

TEST(P9_is_missed_by_correctable_and_unsupported_bits_of_the_device_status)
{
    machine(3, 8, 2, 8);
    one_error(1 | 8, 0, false);
    EQ(list.count, 0);
}

TEST(P9_a_card_that_vanishes)
{
    machine(3, 8, 2, 8);
    look();
    pci_watch_begin(&w, fn[CARD], NULL, true);
    model_unplug(fn[CARD]);
    pci_watch_sample(&w, true);
    errors_judge(&f[CARD], &w, "megaraid0", &list);
    want("link-errors", FINDING_FAIL);
    HAS_STR(found[0].seen, "vanished");
}

/* ---- P10, P12, P13 ---- */

static void judge_function(unsigned d_state)
{
    look();
    function_judge(&f[CARD], d_state, "megaraid0", &list);
}

TEST(P10_error_bits_from_before_are_information)
{
    machine(3, 8, 2, 8);
    judge_function(0);
    EQ(list.count, 0);
    dev[CARD].config[dev[CARD].pcie + 0x0a] = 0x08;
    judge_function(0);
    want("errors-before", FINDING_INFO);
    dev[CARD].config[dev[CARD].pcie + 0x0a] = 0;
    model_pci_set(&dev[CARD], dev[CARD].aer + 4, 1 << 20);
    judge_function(0);
    want("errors-before", FINDING_INFO);
}

TEST(P12_a_controller_that_slept_and_one_that_asks_for_waking)
{
    machine(3, 8, 2, 8);
    judge_function(3);
    want("not-awake", FINDING_WARN);
    HAS_STR(found[0].seen, "D3 and was woken");
    model_pci_set(&dev[CARD], dev[CARD].pm + 4, 0x0002);
    judge_function(0);
    want("not-awake", FINDING_WARN);
    HAS_STR(found[0].seen, "D2 and is still");
    model_pci_set(&dev[CARD], dev[CARD].pm + 4, 0x8000);
    judge_function(0);
    EQ(list.count, 1);
    want("wake-request", FINDING_WARN);
    model_pci_set(&dev[CARD], dev[CARD].pm + 4, 0x0100);
    judge_function(0);
    EQ(list.count, 0);
}

TEST(P13_less_than_25_watts_for_a_raid_card)
{
    machine(3, 8, 2, 8);
    model_pci_set(&dev[CARD], dev[CARD].pcie + 4, 0x00008001 | 249u << 18 | 1u << 26);
    judge_function(0);
    want("slot-power", FINDING_INFO);
    HAS_STR(found[0].seen, "24.9 W");
    model_pci_set(&dev[CARD], dev[CARD].pcie + 4, 0x00008001 | 250u << 18 | 1u << 26);
    judge_function(0);
    EQ(list.count, 0);
    model_pci_set(&dev[CARD], dev[CARD].pcie + 4, 0x00008001);
    judge_function(0);
    want("slot-power", FINDING_INFO);
    HAS_STR(found[0].seen, "did not say");
    look();
    f[CARD].class_code = 0x010802;
    f[CARD].device_id = 0x1234;
    function_judge(&f[CARD], 0, "nvme0", &list);
    EQ(list.count, 0);
}

/* ---- P11 ---- */

static void payload(unsigned possible_code, unsigned port_code, unsigned card_code)
{
    machine(3, 8, 2, 8);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        model_pci_set(&dev[i], dev[i].pcie + 4, 0x8000 | possible_code);
        model_pci_set(&dev[i], dev[i].pcie + 8, (i == PORT ? port_code : card_code) << 5);
    }
    look();
    payload_judge(f, &path, "megaraid0", &list);
}

TEST(P11_payload_sizes_that_differ_or_are_small)
{
    payload(1, 1, 1);
    EQ(list.count, 0);
    payload(1, 1, 0);
    want("payload-mixed", FINDING_FAIL);
    HAS_STR(found[0].seen, "0000:00:03.0 256 of 256, 0000:05:00.0 128 of 256");
    payload(1, 0, 0);
    want("payload-small", FINDING_INFO);
    payload(0, 0, 0);
    EQ(list.count, 0);
    payload(1, 7, 1); /* a reserved code is no size */
    EQ(list.count, 0);
    payload(1, 0, 0);
    list.count = 0;
    path.count = 1;
    payload_judge(f, &path, "megaraid0", &list);
    EQ(list.count, 0);
}

/* ---- ceilings ---- */

/* Percent-exact figures of fact sheet pin-check 4.3, in MB/s: raw x payload / (payload + 24). */
TEST(ceilings_are_those_of_the_table)
{
    static const struct {
        unsigned speed, width, payload, mb;
    } rows[] = {
        { 1, 1, 128, 210 },    { 1, 8, 128, 1684 },   { 2, 4, 256, 1828 },   { 2, 8, 128, 3368 },
        { 3, 8, 128, 6633 },   { 3, 16, 256, 14404 }, { 4, 16, 128, 26532 }, { 4, 16, 256, 28807 },
        { 5, 16, 256, 57613 }, { 1, 8, 512, 1910 },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t got = link_ceiling_bytes_per_s(rows[i].speed, rows[i].width, rows[i].payload) / 1000000;

        if (got + 1 < rows[i].mb || got > rows[i].mb + 1)
            test_fail(__FILE__, __LINE__, "row %u: %llu, want %u", i, (unsigned long long)got, rows[i].mb);
    }
    EQ(link_ceiling_bytes_per_s(0, 8, 128), 0);
    EQ(link_ceiling_bytes_per_s(7, 8, 128), 0);
    EQ(link_ceiling_bytes_per_s(15, 63, 128), 0);
    EQ(link_ceiling_bytes_per_s(2, 0, 128), 0);
    EQ(link_ceiling_bytes_per_s(2, 8, 0), 0);
}

TEST(the_narrowest_link_of_a_path_is_its_ceiling)
{
    struct pci_facts sw[5];
    struct path p;
    struct hop hops[PATH_MAX];
    struct path_ceiling c;

    memset(sw, 0, sizeof sw);
    for (unsigned i = 0; i < 4; i++)
        sw[i] = (struct pci_facts){ .answers = true,
                                    .is_bridge = i < 3,
                                    .bus = (uint8_t)i,
                                    .secondary_bus = (uint8_t)(i + 1),
                                    .subordinate_bus = 3,
                                    .has_pcie = true,
                                    .payload_bytes = 256 };
    sw[0].type = PCIE_ROOT_PORT;
    sw[1].type = PCIE_UPSTREAM_PORT;
    sw[2].type = PCIE_DOWNSTREAM_PORT;
    sw[3].type = PCIE_ENDPOINT;
    sw[1].link = (struct pci_link){ .speed = 3, .width = 4 };
    sw[3].link = (struct pci_link){ .speed = 3, .width = 8 };
    path_find(sw, 4, 3, &p);
    EQ(p.count, 4);
    EQ(p.at[0], 0);
    EQ(p.at[3], 3);
    EQ(path_hops(sw, &p, hops), 2);
    path_ceiling(sw, &p, &c);
    CHECK(c.known);
    EQ(c.width, 4);
    EQ(c.hop.device, 1);
    EQ(link_use_permille(&c, c.bytes_per_s), 1000);
    EQ(link_use_permille(&c, c.bytes_per_s / 10 * 9 + 10), 900);
    EQ(link_use_permille(&c, 0), 0);
    EQ(link_use_permille(&c, UINT64_MAX), 9999);
    sw[3].has_pcie = false;
    sw[1].has_pcie = false;
    path_ceiling(sw, &p, &c);
    CHECK(!c.known);
    EQ(link_use_permille(&c, 1000), 0);
}

TEST(L1_nine_tenths_of_the_ceiling_is_the_links_limit)
{
    struct path_ceiling c = { .known = true, .bytes_per_s = 1000000000, .speed = 1, .width = 4 };

    list = (struct finding_list){ .at = found, .capacity = 8 };
    limit_judge(&c, 899999999, "nvme0", &list);
    limit_judge(&c, 1051000000, "nvme0", &list);
    EQ(list.count, 0);
    limit_judge(&c, 1050000000, "nvme0", &list);
    limit_judge(&c, 900000000, "nvme0", &list);
    EQ(list.count, 2);
    EQ_STR(found[1].code, "link-limits");
    HAS_STR(found[1].seen, "900 MB/s were read over Gen1 x4, which carries 1000 MB/s at most (90.0 %)");
    c.known = false;
    limit_judge(&c, 900000000, "nvme0", &list);
    EQ(list.count, 2);
}

TEST(bridges_that_lead_in_a_circle_end_a_path)
{
    struct pci_facts loop[2];
    struct path p;

    memset(loop, 0, sizeof loop);
    loop[0] = (struct pci_facts){ .is_bridge = true, .bus = 2, .secondary_bus = 1 };
    loop[1] = (struct pci_facts){ .is_bridge = true, .bus = 1, .secondary_bus = 2 };
    path_find(loop, 2, 0, &p);
    EQ(p.count, PATH_MAX);
    loop[0].secondary_bus = 2; /* its own bus */
    path_find(loop, 1, 0, &p);
    EQ(p.count, 1);
    path_find(loop, 1, 7, &p);
    EQ(p.count, 0);
}

/* ---- the tree ---- */

TEST(the_tree_has_every_disk_once_under_its_controller_and_shared_ports_once)
{
    enum { ROOT_PORT, UP, DOWN_A, DOWN_B, NVME_A, NVME_B, AHCI, N };
    struct pci_facts t[N];
    struct topology_controller c[3];
    static const unsigned functions[3] = { NVME_A, AHCI, NVME_B };
    static const char *const names[3] = { "nvme0", "sata0", "nvme1" };
    const struct topology_disk disks[] = {
        { 0, "nvme0n1", "A" }, { 1, "sata0.0", "B" }, { 1, "sata0.1", "C" }, { 2, "nvme1n1", "D" }
    };
    struct topology_node node[20];
    char shape[400] = "";

    memset(t, 0, sizeof t);
    for (unsigned i = 0; i < N; i++)
        t[i].answers = true;
    t[ROOT_PORT] =
        (struct pci_facts){ .device = 3, .is_bridge = true, .secondary_bus = 1, .has_pcie = true, .type = 4 };
    t[UP] =
        (struct pci_facts){ .bus = 1, .is_bridge = true, .secondary_bus = 2, .has_pcie = true, .type = 5 };
    t[DOWN_A] =
        (struct pci_facts){ .bus = 2, .is_bridge = true, .secondary_bus = 3, .has_pcie = true, .type = 6 };
    t[DOWN_B] = (struct pci_facts){
        .bus = 2, .device = 1, .is_bridge = true, .secondary_bus = 4, .has_pcie = true, .type = 6
    };
    t[NVME_A].bus = 3;
    t[NVME_B].bus = 4;
    t[AHCI] = (struct pci_facts){ .device = 0x1f, .function = 2 };
    for (unsigned i = 0; i < 3; i++) {
        c[i] = (struct topology_controller){ .function = functions[i], .name = names[i], .what = "x" };
        path_find(t, N, functions[i], &c[i].path);
    }
    unsigned n = topology_build(t, N, c, 3, disks, 4, node, 20);
    for (unsigned i = 0; i < n; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%u%s:%s ", node[i].depth, node[i].kind,
                 node[i].name[0] ? node[i].name : node[i].pci_address);
    EQ_STR(shape,
           "0root:0000:00 1port:0000:00:03.0 2switch:0000:01:00.0 3port:0000:02:00.0 4controller:nvme0 "
           "5disk:nvme0n1 3port:0000:02:01.0 4controller:nvme1 5disk:nvme1n1 1controller:sata0 2disk:sata0.0 "
           "2disk:sata0.1 ");
    EQ(topology_build(t, N, c, 3, disks, 4, node, 2), n);
    EQ(topology_build(t, N, c, 0, NULL, 0, node, 20), 0);
}
