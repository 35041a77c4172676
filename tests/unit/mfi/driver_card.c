#include "driver_hand.h"
#include <string.h>

/* The card, its battery, virtual drives and drives as plain values (drivers/raid.h), and what changes. */
static struct model_mfi_ld *ld;

/* RAID 5 of three SAS drives and a JBOD drive in one enclosure. */
static void with_raid5(enum model_mfi_generation g)
{
    world(g);
    ld = model_mfi_add_ld(&mfi, 0, 1u << 22);
    ld->primary_level = 5;
    ld->drives_per_span = 3;
    ld->span_depth = 1;
    for (unsigned i = 0; i < 3; i++)
        model_mfi_add_pd(&mfi, (uint16_t)(8 + i), (uint8_t)i, MODEL_MFI_PD_ONLINE)->ld_target = 0;
    struct model_mfi_pd *jbod = model_mfi_add_pd(&mfi, 20, 7, MODEL_MFI_PD_SYSTEM);
    jbod->ld_target = 0xff;
    mfi.may_locate = true;
}

static const struct raid_card *values(void) { return card->driver->raid->card(card); }
static const struct raid_virtual_drive *vd0(void)
{
    return card->driver->raid->virtual_drive(disk_named("megaraid0.vd0"));
}
static const struct raid_drive *pd(const char *name) { return card->driver->raid->drive(disk_named(name)); }
static unsigned look(void) { return card->driver->look_around(card); }

TEST(a_card_is_known_by_all_four_of_its_ids)
{
    static const struct {
        enum model_mfi_generation g;
        uint16_t vendor, device, subdevice;
        const char *name;
    } rows[] = {
        { MODEL_MFI_XSCALE, 0x1028, 0x0015, 0x1f03, "PERC 5/i Integrated" },
        { MODEL_MFI_1078, 0x1000, 0x0060, 0x1f0a, "PERC 6/E Adapter" },
        { MODEL_MFI_2108, 0x1000, 0x0079, 0x1f17, "PERC H700 Integrated" },
        { MODEL_MFI_SKINNY, 0x1000, 0x0073, 0x1f51, "PERC H310 Mini (monolithic)" },
        { MODEL_MFI_THUNDERBOLT, 0x1000, 0x005b, 0x1f2d, "PERC H810 Adapter" },
        { MODEL_MFI_INVADER, 0x1000, 0x005d, 0x1f47, "PERC H730P Mini" },
        { MODEL_MFI_INVADER, 0x1000, 0x005f, 0x1f4d, "PERC H330 Embedded" },
        { MODEL_MFI_VENTURA, 0x1000, 0x0016, 0x1fcb, "PERC H740P Adapter" },
        { MODEL_MFI_VENTURA, 0x1000, 0x0015, 0x1f3d, "PERC H345 Front" },
        { MODEL_MFI_AERO, 0x1000, 0x10e2, 0x1ae1, "PERC H755 Front" },
        { MODEL_MFI_AERO, 0x1000, 0x10e6, 0x2173, "PERC H355 Front" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        with_raid5(rows[i].g);
        mfi.vendor_id = rows[i].vendor;
        mfi.device_id = rows[i].device;
        mfi.subvendor_id = 0x1028;
        mfi.subdevice_id = rows[i].subdevice;
        strcpy(mfi.product, "MegaRAID something");
        EQ(up(), OK);
        HAS_STR(card->model, rows[i].name);
        HAS_STR(card->model, "(MegaRAID something)");
        EQ_STR(values()->fitted_as, rows[i].name);
        CHECK(!strstr(rows[i].name, "Adapter") || has_remark(REMARK_INFO, "its heat sink has no fan"));
        down();
        /* Another maker's card with the same numbers is not Dell's. */
        with_raid5(rows[i].g);
        mfi.subvendor_id = 0x1014;
        mfi.subdevice_id = rows[i].subdevice;
        EQ(up(), OK);
        EQ_STR(values()->fitted_as, "");
        down();
    }
}

TEST(a_virtual_drive_is_told_with_level_members_and_policy)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_raid5(g);
        ld->default_policy = 0x05;
        ld->current_policy = 0x04;
        ld->disk_policy = 2;
        strcpy(ld->name, "system");
        EQ(up(), OK);
        EQ_STR(vd0()->level, "RAID 5");
        EQ_STR(vd0()->state, "optimal");
        EQ_STR(vd0()->name, "system");
        EQ(vd0()->drives_per_span, 3);
        EQ(vd0()->strip_bytes, 65536);
        EQ(vd0()->size_bytes, (1ull << 22) * 512);
        EQ(vd0()->current_policy, 0x04);
        EQ(vd0()->default_policy, 0x05);
        HAS_STR(vd0()->policy, "write through, read ahead");
        HAS_STR(vd0()->policy, "drive cache off");
        HAS_STR(vd0()->configured_policy, "write back");
        if (g < MODEL_MFI_VENTURA) {
            EQ(vd0()->member_count, 3);
            EQ(vd0()->member[2], 10);
        } else {
            EQ(vd0()->member_count, 0);
        }
        CHECK(!card->driver->raid->drive(disk_named("megaraid0.vd0")));
        EQ(disk_named("megaraid0.vd0")->cache_bytes, (uint64_t)mfi.memory_mib << 20);
        down();
    }
}

TEST(a_drive_is_told_with_its_place_state_and_counters)
{
    with_raid5(MODEL_MFI_INVADER);
    mfi.pd[1].media_errors = 3;
    mfi.pd[1].temperature_c = 41;
    mfi.pd[1].speed = 3;
    mfi.pd[1].link_speed = 2;
    mfi.pd[2].foreign = true;
    EQ(up(), OK);
    EQ(pd("megaraid0.pd9")->slot, 1);
    EQ(pd("megaraid0.pd9")->enclosure_id, 32);
    EQ(pd("megaraid0.pd9")->media_errors, 3);
    EQ(pd("megaraid0.pd9")->temperature_c, 41);
    EQ(pd("megaraid0.pd9")->link_mb_per_s, 300);
    EQ(pd("megaraid0.pd9")->max_link_mb_per_s, 600);
    EQ_STR(pd("megaraid0.pd9")->state, "online");
    CHECK(has_remark(REMARK_WARN, "its link runs at 300 MB/s"));
    CHECK(pd("megaraid0.pd10")->foreign);
    CHECK(has_remark(REMARK_WARN, "foreign"));
    CHECK(pd("megaraid0.pd20")->exposed);
    EQ_STR(pd("megaraid0.pd20")->state, "JBOD");
    CHECK(!card->driver->raid->virtual_drive(disk_named("megaraid0.pd20")));
    down();
}

TEST(a_battery_is_told_in_words)
{
    with_raid5(MODEL_MFI_2108);
    mfi.bbu = (struct model_mfi_bbu){ .type = 2,
                                      .millivolts = 4000,
                                      .temperature_c = 31,
                                      .charge_percent = 87,
                                      .cycles = 12,
                                      .healthy = true };
    mfi.hw_present |= 1;
    EQ(up(), OK);
    EQ(values()->battery.presence, RAID_BATTERY_PRESENT);
    CHECK(!values()->battery.bad);
    EQ(values()->battery.charge_percent, 87);
    EQ(values()->battery.cycles, 12);
    EQ_STR(values()->battery.words, "present, good, charge 87 %, 31 C");
    down();
    static const uint32_t bad_bbu[] = { 0x401, 0x400, 0x800 };
    for (unsigned type = 1; type < 3; type++)
        for (unsigned i = 0; i < ARRAY_COUNT(bad_bbu); i++) {
            with_raid5(MODEL_MFI_2108);
            mfi.bbu =
                (struct model_mfi_bbu){ .type = (uint8_t)type, .fw_status = bad_bbu[i], .healthy = true };
            EQ(up(), OK);
            CHECK(values()->battery.bad);
            CHECK(bad_bbu[i] & 1 || has_remark(REMARK_WARN, "replace the pack"));
            down();
        }
    with_raid5(MODEL_MFI_2108);
    mfi.bbu = (struct model_mfi_bbu){ .type = 2, .healthy = false };
    EQ(up(), OK);
    CHECK(values()->battery.bad); /* its own word for worn out */
    down();
    with_raid5(MODEL_MFI_2108);
    mfi.bbu.type = 0;
    EQ(up(), OK);
    EQ(values()->battery.presence, RAID_BATTERY_NONE);
    EQ_STR(values()->battery.words, "not fitted");
    down();
}

TEST(work_beside_the_reads_is_a_ground_on_the_disk_while_it_lasts)
{
    static const struct {
        unsigned bit;
        uint32_t ground;
    } rows[] = {
        { 0, GROUND_CHECK },
        { 1, GROUND_INITIALISATION },
        { 2, GROUND_INITIALISATION },
        { 3, GROUND_REBUILD },
    };

    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++)
        for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
            with_raid5(g);
            EQ(up(), OK);
            struct disk *d = disk_named("megaraid0.vd0");

            EQ(d->grounds, 0);
            model_mfi_start_ld(&mfi, ld, rows[i].bit, 1000 * NS_PER_S);
            model_advance_ns(500 * NS_PER_S);
            CHECK(look() > 0);
            EQ(d->grounds, rows[i].ground);
            CHECK(has_remark(REMARK_WARN, "its figures are not comparable"));
            CHECK(has_remark(REMARK_WARN, "(49 %)") || has_remark(REMARK_WARN, "(50 %)"));
            model_advance_ns(600 * NS_PER_S);
            CHECK(look() > 0);
            EQ(d->grounds, 0);
            CHECK(has_remark(REMARK_INFO, "has ended"));
            down();
        }
}

TEST(patrol_read_and_learn_cycle_are_grounds_of_every_virtual_drive)
{
    with_raid5(MODEL_MFI_2108);
    mfi.bbu = (struct model_mfi_bbu){ .type = 2, .charge_percent = 90, .healthy = true };
    EQ(up(), OK);
    struct disk *d = disk_named("megaraid0.vd0");

    mfi.patrol.state = 2;
    model_mfi_start_learn(&mfi, 1000 * NS_PER_S);
    CHECK(look() > 0);
    EQ(d->grounds, GROUND_PATROL | GROUND_LEARN);
    EQ(disk_named("megaraid0.pd20")->grounds, GROUND_PATROL);
    CHECK(has_remark(REMARK_WARN, "learn cycle has begun"));
    CHECK(has_remark(REMARK_WARN, "patrol read has begun"));
    mfi.patrol.state = 0;
    model_advance_ns(2000 * NS_PER_S);
    look();
    EQ(d->grounds, 0);
    down();
}

TEST(a_rebuild_of_a_member_is_a_ground_of_its_virtual_drive)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_raid5(g);
        EQ(up(), OK);
        mfi.pd[1].state = MODEL_MFI_PD_REBUILD;
        model_mfi_start_pd(&mfi, &mfi.pd[1], 0, 1000 * NS_PER_S);
        CHECK(look() > 0);
        EQ(disk_named("megaraid0.vd0")->grounds, GROUND_REBUILD);
        EQ(disk_named("megaraid0.pd20")->grounds, 0);
        down();
    }
}

TEST(a_member_that_fails_between_steps_is_told_once)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_raid5(g);
        EQ(up(), OK);
        EQ(look(), 0);
        model_mfi_fail_pd(&mfi, &mfi.pd[0]);
        CHECK(look() >= 2);
        CHECK(has_remark(REMARK_WARN, "megaraid0.vd0 was optimal and is now degraded"));
        CHECK(has_remark(REMARK_FAIL, "was online and is now failed"));
        EQ_STR(vd0()->state, "degraded");
        EQ(look(), 0);
        down();
    }
}

TEST(new_events_come_once_and_in_order_and_idle_ones_are_left_out)
{
    struct raid_event e[4];

    with_raid5(MODEL_MFI_1078);
    model_mfi_add_event(&mfi, 0x70, 2, "before");
    EQ(up(), OK);
    EQ(card->driver->raid->new_events(card, e, 4), 0);
    model_mfi_add_event(&mfi, 0x99, 0, "nothing of note");
    model_mfi_add_event(&mfi, 0x70, 0, "PD removed");
    model_mfi_add_event(&mfi, 0x10, 2, "something critical");
    model_mfi_add_event(&mfi, 0x11, 1, "cache pinned for VD 3");
    EQ(card->driver->raid->new_events(card, e, 2), 2);
    EQ_STR(e[0].text, "PD removed");
    EQ(e[0].code, 0x70);
    EQ_STR(e[1].text, "something critical");
    EQ(e[1].severity, 2);
    EQ(card->driver->raid->new_events(card, e, 4), 1);
    EQ(e[0].severity, 1);
    CHECK(values()->pinned_cache);
    EQ(card->driver->raid->new_events(card, e, 4), 0);
    look();
    EQ(disk_named("megaraid0.vd0")->grounds, GROUND_PINNED_CACHE);
    down();
}

TEST(a_locate_led_can_be_lit_where_the_generation_takes_it)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_VENTURA; g++) {
        with_raid5(g);
        EQ(up(), OK);
        EQ(card->driver->raid->locate(disk_named("megaraid0.pd9"), true), OK);
        CHECK(mfi.pd[1].locating);
        CHECK(!mfi.pd[0].locating);
        EQ(card->driver->raid->locate(disk_named("megaraid0.pd9"), false), OK);
        CHECK(!mfi.pd[1].locating);
        EQ(card->driver->raid->locate(disk_named("megaraid0.vd0"), true), E_UNSUPPORTED);
        down();
    }
}

TEST(nothing_is_lit_or_changed_unless_asked)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_raid5(g);
        mfi.may_locate = false;
        EQ(up(), OK);
        look();
        down();
    }
}

TEST(a_drives_health_comes_from_the_firmwares_counters_and_the_drive)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        struct disk_health h;

        with_raid5(g);
        mfi.pd[1].media_errors = 7;
        mfi.pd[1].temperature_c = 44;
        mfi.pd[2].predictive_failures = 1;
        EQ(up(), OK);
        EQ(card->driver->health(disk_named("megaraid0.pd9"), &h), OK);
        CHECK(health_knows(&h, HEALTH_MEDIA_ERRORS) && h.value[HEALTH_MEDIA_ERRORS] == 7);
        CHECK(health_knows(&h, HEALTH_TEMPERATURE_C) && h.value[HEALTH_TEMPERATURE_C] == 44);
        CHECK(!health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED));
        EQ(card->driver->health(disk_named("megaraid0.pd10"), &h), OK);
        CHECK(health_warns(&h, HEALTH_WARN_FAILURE_EXPECTED));
        EQ(card->driver->health(disk_named("megaraid0.vd0"), &h), E_UNSUPPORTED);
        EQ(h.known, 0);
        down();
    }
}

TEST(what_a_firmware_refuses_is_recorded_once_and_not_at_each_look)
{
    static const struct {
        enum model_mfi_lie_how how;
        uint64_t status;
    } rows[] = { { MODEL_MFI_UNTOUCHED, 0 }, { MODEL_MFI_STATUS, 0x02 }, { MODEL_MFI_STATUS, 0x22 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        with_raid5(MODEL_MFI_2108);
        model_mfi_lie(&mfi, 0x05010000, rows[i].how, rows[i].status);
        EQ(up(), OK);
        look();
        unsigned long before = model_log_lines;
        for (unsigned looks = 0; looks < 50; looks++)
            look();
        if (model_log_lines != before)
            test_fail(__FILE__, __LINE__, "row %u: %s", i, model_last_log());
        down();
    }
}

TEST(a_drive_that_two_cards_see_has_one_identity)
{
    char first[96];

    for (unsigned turn = 0; turn < 2; turn++) {
        with_raid5(turn ? MODEL_MFI_2108 : MODEL_MFI_INVADER);
        mfi.pd[3].medium.naa = 0x5000c500a1b2c3d4;
        mfi.pd[3].sas_address = 0x5000c500a1b2c3d5 + turn; /* of the port: not the same */
        EQ(up(), OK);
        HAS_STR(disk_named("megaraid0.pd20")->identity, "5000c500a1b2c3d4");
        if (turn)
            EQ_STR(disk_named("megaraid0.pd20")->identity, first);
        strcpy(first, disk_named("megaraid0.pd20")->identity);
        down();
    }
}

TEST(a_look_at_a_card_that_is_gone_or_faulted_is_bounded_and_quiet)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_raid5(g);
        EQ(up(), OK);
        model_mfi_fault(&mfi);
        uint64_t begin_ns = model_clock_ns;
        look();
        CHECK(model_clock_ns - begin_ns < 130 * NS_PER_S);
        CHECK(card->fault.err != OK);
        EQ(look(), 0);
        mfi_driver.detach(card);
        card = NULL;
    }
}

TEST(an_xscale_is_not_asked_for_exposed_drives)
{
    with_raid5(MODEL_MFI_XSCALE);
    EQ(up(), OK);
    for (unsigned i = 0; i < mfi.seen.opcode_count; i++)
        CHECK(mfi.seen.opcodes[i] != 0x02010100);
    down();
}

TEST(a_configuration_that_counts_more_arrays_than_it_holds_is_read_to_its_end)
{
    with_raid5(MODEL_MFI_2108);
    model_mfi_lie(&mfi, 0x04010000, MODEL_MFI_BYTE, 5 << 8 | 0xff);  /* array count: 65281 */
    model_mfi_lie(&mfi, 0x03020000, MODEL_MFI_BYTE, 80 << 8 | 0x77); /* the span names none of them */
    EQ(up(), OK);
    EQ(vd0()->member_count, 0);
    down();
}
