#include "rig.h"

/* What the driver finds, how long it takes, and what it leaves. */

static uint64_t attach_ms(void)
{
    uint64_t before_ns;

    rig_power();
    before_ns = model_clock_ns;
    EQ(rig_attach(), OK);
    return (model_clock_ns - before_ns) / NS_PER_MS;
}

TEST(an_adapter_without_drives_is_found_and_costs_a_tenth_of_a_second)
{
    rig_plug();
    CHECK(attach_ms() < 100);
    EQ(rig.c->disk_count, 0);
    EQ(rig.c->remark_count, 0);
    EQ_STR(rig.c->name, "sata0");
    EQ_STR(rig.c->model, "AHCI 1.3.1 adapter 8086:2922");
    for (unsigned i = 0; i < 6; i++) {
        EQ(rig.m.port[i].cmd & 0xc011, 0);
        EQ(rig.m.port[i].sctl, 0x300); /* no power saving on the link */
    }
    rig_down();
    EQ(rig.m.hba_resets, 1);
}

TEST(thirty_two_empty_ports_and_a_cd_drive_are_scanned_in_under_two_seconds)
{
    for (unsigned staggered = 0; staggered < 2; staggered++) {
        rig_plug();
        rig.m.pi = UINT32_MAX;
        rig.m.sss = staggered;
        rig.m.port[2].drive.kind = MODEL_AHCI_ATAPI;
        CHECK(attach_ms() < 2000);
        EQ(rig.c->disk_count, 0);
        CHECK(rig_has_remark("port 2: an optical or tape drive"));
        EQ(rig.m.port[2].seen.commands, 0);
        rig_down();
    }
}

TEST(a_disk_on_the_last_port_only_is_found)
{
    rig_plug();
    rig.m.pi = 0;
    rig_plug_disk(31);
    rig_up();
    EQ(rig.c->disk_count, 1);
    EQ_STR(rig_disk(0)->name, "sata0.31");
    EQ_STR(rig_disk(0)->serial, "SER31");
    rig_down();
}

TEST(ports_that_are_not_in_pi_are_never_touched)
{
    rig_plug();
    rig.m.pi = 0x80000014;
    rig.m.np = 32;
    rig_plug_disk(2);
    rig_plug_disk(31);
    rig_up();
    EQ(rig.c->disk_count, 2);
    EQ_STR(rig_disk(0)->name, "sata0.2");
    EQ_STR(rig_disk(1)->name, "sata0.31");
    rig_down();
}

TEST(a_port_map_that_the_reset_loses_is_restored)
{
    rig_plug();
    rig.m.pi_lost_by_reset = true;
    rig_plug_disk(5);
    rig_up();
    EQ(rig.c->disk_count, 1);
    EQ(rig.m.pi_now, 0x3f);
    rig_down();
}

TEST(a_drive_that_spins_up_for_thirty_seconds_is_waited_for)
{
    struct model_ahci_drive *d;
    uint64_t ms;

    rig_plug();
    d = rig_plug_disk(1);
    d->ready_ns = d->ready_after_comreset_ns = 29 * NS_PER_S;
    rig_plug_disk(0);
    ms = attach_ms();
    /* The model starts all over at the one COMRESET after 10 s. */
    CHECK(ms >= 39000 && ms < 40000);
    EQ(rig.c->disk_count, 2);
    rig_down();
}

TEST(several_slow_drives_spin_up_side_by_side)
{
    rig_plug();
    for (unsigned i = 0; i < 6; i++)
        rig_plug_disk(i)->ready_ns = 9 * NS_PER_S;
    CHECK(attach_ms() < 10000);
    EQ(rig.c->disk_count, 6);
    rig_down();
}

TEST(staggered_drives_spin_up_one_after_the_other)
{
    uint64_t ms;

    rig_plug();
    rig.m.sss = true;
    for (unsigned i = 0; i < 3; i++)
        rig_plug_disk(i)->ready_ns = 4 * NS_PER_S;
    ms = attach_ms();
    CHECK(ms >= 12000 && ms < 13000);
    EQ(rig.c->disk_count, 3);
    rig_down();
}

TEST(a_drive_that_stays_busy_is_named_and_the_others_are_found)
{
    struct model_ahci_drive *d;
    uint64_t ms;

    rig_plug();
    d = rig_plug_disk(0);
    d->ready_ns = d->ready_after_comreset_ns = MODEL_AHCI_NEVER;
    rig_plug_disk(3);
    ms = attach_ms();
    CHECK(ms >= 41000 && ms < 42000);
    EQ(rig.c->disk_count, 1);
    EQ_STR(rig_disk(0)->name, "sata0.3");
    CHECK(rig_has_remark("port 0: the drive stays busy"));
    rig_down();
}

TEST(one_comreset_wakes_a_drive_that_was_stuck)
{
    rig_plug();
    rig_plug_disk(0)->ready_ns = MODEL_AHCI_NEVER;
    rig_power();
    rig.m.port[0].was_ready = false;
    /* The model counts a drive as spun up once it was ready; a stuck one never was. */
    rig.m.port[0].drive.ready_after_comreset_ns = 0;
    EQ(rig_attach(), OK);
    EQ(rig.m.port[0].seen.comresets, 1);
    rig_down();
}

TEST(a_lost_first_fis_is_asked_for_again_and_its_absence_is_named)
{
    rig_plug();
    rig_plug_disk(0)->no_signature = true;
    CHECK(attach_ms() < 4000);
    EQ(rig.m.port[0].seen.comresets, 1);
    EQ(rig.c->disk_count, 0);
    CHECK(rig_has_remark("port 0: the drive is ready but never said what it is"));
    rig_down();
}

TEST(a_device_without_a_link_is_tried_at_lower_speeds_and_named)
{
    rig_plug();
    rig.m.port[1].drive.kind = MODEL_AHCI_NO_LINK;
    CHECK(attach_ms() < 4000);
    EQ(rig.m.port[1].seen.comresets, 2);
    CHECK(rig_has_remark("port 1: a device answers but no link comes up"));
    rig_down();
}

TEST(a_link_that_works_only_at_the_lowest_speed_is_used_and_reported)
{
    rig_plug();
    rig_plug_disk(0)->speed_that_works = 1;
    rig_up();
    EQ(rig.c->disk_count, 1);
    CHECK(rig_disk(0)->ops);
    CHECK(rig_has_remark("sata0.0: link at 1.5 Gb/s, drive and adapter can do 6"));
    rig_down();
}

TEST(what_is_no_disk_is_named_and_skipped_at_once)
{
    static const struct {
        enum model_ahci_kind kind;
        uint32_t signature;
        const char *words;
    } row[] = {
        { MODEL_AHCI_ATAPI, 0, "port 0: an optical or tape drive" },
        { MODEL_AHCI_ENCLOSURE, 0, "port 0: an enclosure management device" },
        { MODEL_AHCI_MULTIPLIER, 0, "port 0: a port multiplier" },
        { MODEL_AHCI_DISK, 0xabcd0101, "port 0: a host-managed zoned disk" },
        { MODEL_AHCI_DISK, 0x12345678, "port 0: an unknown device (signature 0x12345678)" },
        { MODEL_AHCI_DISK, 0x80000000, "port 0: an unknown device (signature 0x80000000)" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        rig_plug();
        rig.m.port[0].drive.kind = row[i].kind;
        rig.m.port[0].drive.signature = row[i].signature;
        CHECK(attach_ms() < 200);
        EQ(rig.c->disk_count, 0);
        CHECK(rig_has_remark(row[i].words));
        EQ(rig.m.port[0].seen.commands, 0);
        rig_down();
    }
}

TEST(an_adapter_left_running_by_firmware_is_stopped_and_taken_over)
{
    rig_plug();
    rig.m.left_running = true;
    rig.m.cr_ns = rig.m.fr_ns = 400 * NS_PER_MS;
    rig_plug_disk(0);
    rig_plug_disk(4);
    CHECK(attach_ms() < 1200);
    EQ(rig.c->disk_count, 2);
    rig_down();
    EQ(rig.m.hba_resets, 1);
}

TEST(engines_that_do_not_stop_are_reset_away)
{
    rig_plug();
    rig.m.left_running = true;
    rig.m.cr_ns = MODEL_AHCI_NEVER;
    rig_plug_disk(0);
    rig_power();
    EQ(rig_attach(), OK);
    EQ(rig.c->disk_count, 1);
    rig.m.cr_ns = 0;
    rig_down();
}

TEST(an_engine_that_never_stops_is_reset_at_detach_too)
{
    rig_plug();
    rig_plug_disk(0);
    rig_up();
    rig.m.cr_ns = MODEL_AHCI_NEVER;
    rig_down();
    EQ(rig.m.hba_resets, 2);
}

TEST(an_engine_that_not_even_a_reset_stops_loses_the_bus)
{
    rig_plug();
    rig_plug_disk(0);
    rig_power();
    plat_pci_write32(rig.fn, 4, 6); /* as firmware had it: memory and bus mastering on */
    EQ(rig_attach(), OK);
    rig.m.cr_ns = rig.m.hr_ns = MODEL_AHCI_NEVER;
    ahci_driver.detach(rig.c);
    EQ(model_live_allocs(), 0);
    EQ(plat_pci_read32(rig.fn, 4) & 7, 2);

    rig_plug();
    rig_plug_disk(0);
    rig_power();
    plat_pci_write32(rig.fn, 4, 6);
    EQ(rig_attach(), OK);
    rig_down();
    EQ(plat_pci_read32(rig.fn, 4) & 7, 6);
}

TEST(an_adapter_that_vanishes_at_any_register_access_is_survived)
{
    unsigned long at = 1;

    for (;; at++) {
        int rc;

        rig_plug();
        rig_plug_disk(0);
        rig.m.port[1].drive.kind = MODEL_AHCI_ATAPI;
        rig_power();
        rig.vanish_at = at;
        rc = rig_attach();
        CHECK(model_clock_ns < 60 * NS_PER_S);
        if (rc == OK && !rig.m.gone)
            break;
        if (rc == OK && rig.c->disk_count)
            CHECK(rig.c->disks[0]->fault.err || rig.c->disks[0]->ops);
        if (rc != OK)
            CHECK(!rig.c && rig.fault.err == rc);
        rig_down();
    }
    CHECK(at > 100);
    rig_down();
}

TEST(ahci_mode_that_takes_several_writes_is_insisted_on)
{
    rig_plug();
    rig.m.ae_writes_ignored = 3;
    rig_plug_disk(0);
    rig_up();
    EQ(rig.c->disk_count, 1);
    rig_down();

    rig_plug();
    rig.m.ae_writes_ignored = 1000;
    rig_power();
    EQ(rig_attach(), E_TIMEOUT);
    EQ(rig.fault.err, E_TIMEOUT);
    EQ_STR(rig.fault.what, "GHC.AE");
    CHECK(!rig.c);
    rig_down();
}

TEST(an_adapter_whose_reset_never_ends_is_a_fault_within_seconds)
{
    uint64_t before_ns;

    rig_plug();
    rig_plug_disk(0);
    rig.m.hr_ns = MODEL_AHCI_NEVER;
    rig_power();
    before_ns = model_clock_ns;
    EQ(rig_attach(), E_TIMEOUT);
    EQ_STR(rig.fault.what, "GHC.HR to fall");
    CHECK(model_clock_ns - before_ns < 3 * NS_PER_S);
    EQ(model_live_allocs(), 0);
}

TEST(firmware_is_asked_for_the_adapter_and_gets_it_back)
{
    rig_plug();
    rig.m.bohc = MODEL_AHCI_BOHC_OBEYS;
    rig.m.bohc_ns = 20 * NS_PER_MS;
    rig_plug_disk(0);
    rig_up();
    EQ(rig.m.bohc_reg & 3, 2);
    EQ(rig.c->disk_count, 1);
    rig_down();
    EQ(rig.m.bohc_reg & 2, 0);
}

TEST(busy_firmware_gets_two_seconds_more_and_stubborn_firmware_is_overruled)
{
    rig_plug();
    rig.m.bohc = MODEL_AHCI_BOHC_OBEYS;
    rig.m.bohc_busy = true;
    rig.m.bohc_ns = 1500 * NS_PER_MS;
    CHECK(attach_ms() >= 1500);
    EQ(rig.m.bohc_reg & 1, 0);
    rig_down();

    rig_plug();
    rig.m.bohc = MODEL_AHCI_BOHC_NEVER;
    rig_plug_disk(0);
    CHECK(attach_ms() < 500);
    EQ(rig.c->disk_count, 1);
    rig_down();
}

TEST(an_adapter_that_left_the_bus_is_a_fault)
{
    rig_plug();
    rig_power();
    rig.m.gone = true;
    EQ(rig_attach(), E_GONE);
    EQ(rig.fault.err, E_GONE);
    rig_down();
}

TEST(an_adapter_in_raid_mode_is_not_taken)
{
    rig_plug();
    rig.m.class_code = 0x010400;
    rig_power();
    EQ(rig_attach(), E_UNSUPPORTED);
    EQ(rig.m.writes, 0);
    rig_down();
}

TEST(every_failed_allocation_undoes_the_attach)
{
    long failed_at = 0;

    for (;; failed_at++) {
        int rc;

        rig_plug();
        rig_plug_disk(0);
        rig_power();
        model_fail_alloc_at = failed_at;
        rc = rig_attach();
        model_fail_alloc_at = -1;
        if (rc == OK)
            break;
        EQ(rc, E_NOMEM);
        EQ(rig.fault.err, E_NOMEM);
        CHECK(!rig.c);
        rig_down();
    }
    EQ(failed_at, 3);
    rig_down();
}

TEST(an_adapter_of_32_bits_gets_memory_below_4_gib)
{
    struct io_lane *l;

    /* The model back end places every second allocation high when nothing forbids it. */
    for (unsigned skew = 0; skew < 2; skew++) {
        void *other;

        rig_plug();
        rig.m.s64a = false;
        rig_plug_disk(0);
        other = skew ? plat_alloc(1) : NULL;
        rig_up();
        CHECK(!(ahci_hba(rig.c)->mem.bus >> 32));
        for (unsigned i = 0; i < 2; i++) {
            l = hand_open(rig_disk(0), 2, 8192, true);
            CHECK(!(l->data.bus >> 32));
            rig_read(l, 1, 7, 16);
            l->disk->ops->close(l);
        }
        plat_free(other);
        rig_down();
    }
}

TEST(memory_above_4_gib_is_told_by_both_halves)
{
    bool seen_lists = false, seen_data = false;

    for (unsigned skew = 0; skew < 2; skew++) {
        void *other;

        rig_plug();
        rig_plug_disk(0);
        other = skew ? plat_alloc(1) : NULL;
        rig_up();
        seen_lists |= ahci_hba(rig.c)->mem.bus >> 32 != 0;
        for (unsigned i = 0; i < 2; i++) {
            struct io_lane *l = hand_open(rig_disk(0), 2, 8192, true);
            seen_data |= l->data.bus >> 32 != 0;
            rig_read(l, 1, 7, 16);
            l->disk->ops->close(l);
            if (!i)
                plat_free(plat_alloc(1));
        }
        plat_free(other);
        rig_down();
    }
    CHECK(seen_lists);
    CHECK(seen_data);
}

TEST(two_adapters_are_told_apart)
{
    static struct model_ahci second;
    struct pci_fn *fn;
    struct controller *c;
    struct fault fault = { 0 };

    rig_plug();
    rig_plug_disk(0);
    rig_up();
    model_ahci_init(&second);
    model_ahci_add_disk(&second, 1, 4096);
    fn = model_add_device(&model_ahci_ops, &second, &second.host);
    EQ(ahci_driver.attach(fn, 7, &c, &fault), OK);
    EQ_STR(c->name, "sata7");
    EQ_STR(c->disks[0]->name, "sata7.1");
    EQ_STR(rig_disk(0)->name, "sata0.0");
    ahci_driver.detach(c);
    rig_down();
}

TEST(the_adapter_goes_back_as_firmware_left_it)
{
    rig_plug();
    rig.m.ahci_only = false;
    rig_plug_disk(0);
    rig_up();
    CHECK(rig.m.ghc >> 31);
    rig_down();
    EQ(rig.m.ghc, 0);
    for (unsigned i = 0; i < 6; i++) {
        EQ(rig.m.port[i].clb, 0);
        EQ(rig.m.port[i].fb, 0);
        EQ(rig.m.port[i].clbu, 0);
        EQ(rig.m.port[i].is, 0);
        EQ(rig.m.port[i].ie, 0);
        EQ(rig.m.port[i].serr, 0);
    }
    /* And a driver that starts from there finds everything again. */
    EQ(rig_attach(), OK);
    EQ(rig.c->disk_count, 1);
    rig_down();
}
