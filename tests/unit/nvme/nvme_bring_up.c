#include <string.h>
#include "rig.h"

/* From what firmware left behind to an enabled controller, and off again. */

TEST(a_controller_comes_up_from_every_state_that_firmware_leaves)
{
    static const enum model_nvme_entry states[] = { MODEL_NVME_ENTRY_OFF, MODEL_NVME_ENTRY_RUNNING,
                                                    MODEL_NVME_ENTRY_STARTING, MODEL_NVME_ENTRY_FATAL,
                                                    MODEL_NVME_ENTRY_SHUT_DOWN };

    for (unsigned i = 0; i < ARRAY_COUNT(states); i++) {
        rig_plug();
        rig.m->set.entry = states[i];
        rig_up();
        EQ(rig.c->disk_count, 1);
        EQ_STR(rig.c->name, "nvme0");
        EQ_STR(rig.c->model, "Baresweep model NVMe");
        EQ_STR(rig.c->serial, "MODEL-0001");
        EQ_STR(rig.c->firmware, "1.0");
        EQ(rig.m->seen.wide_accesses, 0);
        EQ(rig.m->intm, 0xffffffff);
        rig_down();
    }
}

TEST(a_controller_that_is_still_disabling_is_waited_for)
{
    rig_plug();
    rig_power();
    rig.m->csts = 1;
    rig.m->unready_due_ns = 3 * NS_PER_S;
    EQ(rig_attach(), OK);
    CHECK(model_clock_ns >= 3 * NS_PER_S);
    rig_down();
}

TEST(a_shutdown_under_way_at_entry_is_waited_for)
{
    rig_plug();
    rig.m->set.entry = MODEL_NVME_ENTRY_RUNNING;
    rig_power();
    rig.m->cc |= 1u << 14;
    rig.m->csts |= 1u << 2;
    rig.m->shutdown_due_ns = 2 * NS_PER_S;
    EQ(rig_attach(), OK);
    CHECK(model_clock_ns >= 2 * NS_PER_S);
    EQ(rig.m->seen.shutdowns, 1);
    rig_down();
}

/* Waits end within the limit and one millisecond step after it. */
static void expect_limit(uint64_t from_ns, uint64_t limit_ms)
{
    CHECK(model_clock_ns >= from_ns + limit_ms * NS_PER_MS);
    CHECK(model_clock_ns <= from_ns + (limit_ms + 20) * NS_PER_MS);
}

TEST(a_controller_that_never_becomes_ready_times_out_by_cap_to)
{
    static const struct {
        uint8_t to;
        uint64_t limit_ms;
    } rows[] = { { 0, 500 }, { 1, 1000 }, { 0x7f, 64000 }, { 0xff, 128000 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->set.to = rows[i].to;
        rig.m->set.ready_ns = MODEL_NVME_NEVER;
        rig_power();
        EQ(rig_attach(), E_TIMEOUT);
        EQ(rig.fault.err, E_TIMEOUT);
        HAS_STR(rig.fault.what, "CSTS.RDY to become 1");
        CHECK(!rig.c);
        expect_limit(0, rows[i].limit_ms);
        EQ(rig.m->cc & 1, 0);
        rig_down_broken();
    }
}

TEST(the_ready_timeouts_register_counts_when_it_is_longer)
{
    static const struct {
        uint8_t crms;
        uint16_t crwmt;
        uint64_t limit_ms;
    } rows[] = {
        { 1, 20, 10500 }, { 1, 0, 1000 }, { 1, 0x8000, 16384500 }, { 0, 20, 1000 }, { 2, 20, 1000 }
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->set.to = 1;
        rig.m->set.crms = rows[i].crms;
        rig.m->set.crwmt = rows[i].crwmt;
        rig.m->set.ready_ns = rows[i].limit_ms > 20000 ? 60 * NS_PER_S : MODEL_NVME_NEVER;
        rig_power();
        EQ(rig_attach(), rows[i].limit_ms > 20000 ? OK : E_TIMEOUT);
        if (!rig.c)
            expect_limit(0, rows[i].limit_ms);
        rig_down_broken();
    }
}

TEST(a_controller_that_never_stops_times_out_and_loses_bus_mastering)
{
    rig_plug();
    rig.m->set.entry = MODEL_NVME_ENTRY_RUNNING;
    rig.m->set.unready_ns = MODEL_NVME_NEVER;
    rig_power();
    EQ(rig_attach(), E_TIMEOUT);
    HAS_STR(rig.fault.what, "CSTS.RDY to become 0");
    CHECK(model_clock_ns < 30 * NS_PER_S);
    rig_down_broken();
}

TEST(a_controller_that_does_not_stop_at_detach_is_cut_off_before_its_memory_is_freed)
{
    rig_plug();
    rig_power();
    plat_pci_write32(rig.fn, 4, 6); /* as firmware left it */
    EQ(rig_attach(), OK);
    rig.m->set.unready_ns = MODEL_NVME_NEVER;
    nvme_driver.detach(rig.c);
    rig.c = NULL;
    EQ(plat_pci_read32(rig.fn, 4) & 4, 0);
    rig_down_broken();
}

TEST(fatal_status_ends_the_wait_at_once_in_both_directions)
{
    rig_plug();
    rig.m->set.ready_ns = MODEL_NVME_NEVER;
    rig.m->set.fatal_at_ns = 100 * NS_PER_MS;
    rig_power();
    EQ(rig_attach(), E_PROTO);
    HAS_STR(rig.fault.what, "CSTS.CFS");
    CHECK(model_clock_ns < 200 * NS_PER_MS);
    rig_down_broken();

    rig_plug();
    rig.m->set.entry = MODEL_NVME_ENTRY_RUNNING;
    rig.m->set.unready_ns = MODEL_NVME_NEVER;
    rig.m->set.fatal_at_ns = 100 * NS_PER_MS;
    rig_power();
    EQ(rig_attach(), E_PROTO);
    HAS_STR(rig.fault.what, "CSTS.CFS");
    rig_down_broken();
}

TEST(fatal_status_that_outlives_the_disable_is_a_fault)
{
    rig_plug();
    rig.m->set.entry = MODEL_NVME_ENTRY_FATAL;
    rig.m->set.reset_keeps_fatal = true;
    rig_power();
    EQ(rig_attach(), E_PROTO);
    HAS_STR(rig.fault.what, "CSTS.CFS");
    rig_down_broken();
}

TEST(a_device_that_is_gone_is_seen_at_every_step)
{
    unsigned failed = 0;

    for (uint32_t k = 1; k < 400; k++) {
        rig_plug();
        rig.m->set.vanish_after_accesses = k;
        rig_power();
        int rc = rig_attach();
        /* The access count restarts nowhere: at some k the whole attach fits. */
        if (rc) {
            EQ(rc, E_GONE);
            EQ(rig.fault.err, E_GONE);
            CHECK(model_clock_ns < 2 * NS_PER_S);
            failed++;
        }
        rig_down_broken();
    }
    CHECK(failed > 40);
}

TEST(an_unplugged_function_cannot_be_attached)
{
    rig_plug();
    rig_power();
    model_unplug(rig.fn);
    EQ(rig_attach(), E_GONE);
    EQ(rig.fault.err, E_GONE);
    rig_down_broken();
}

TEST(the_smallest_page_of_the_controller_is_used)
{
    for (uint8_t mpsmin = 0; mpsmin <= 4; mpsmin++) {
        rig_plug();
        rig.m->set.mpsmin = mpsmin;
        rig.m->set.mpsmax = 15;
        rig.m->set.mdts = 3;
        rig_up();
        EQ(rig_disk(0)->max_command_bytes, min_u64((4096u << mpsmin) << 3, 2 * MIB));
        struct io_lane *l = hand_open(rig_disk(0), 4, 1 << 20, true);
        for (uint32_t blocks = 1; blocks <= 2048; blocks += 127)
            rig_read(l, 3, 77, blocks);
        rig_close(l);
        rig_down();
    }
}

TEST(pages_that_nobody_could_align_are_not_driven)
{
    for (uint8_t mpsmin = 5; mpsmin <= 15; mpsmin += 10) {
        rig_plug();
        rig.m->set.mpsmin = rig.m->set.mpsmax = mpsmin;
        rig_power();
        EQ(rig_attach(), E_UNSUPPORTED);
        HAS_STR(rig.fault.what, "MPSMIN");
        rig_down_broken();
    }
}

TEST(doorbells_are_found_at_every_stride)
{
    for (uint8_t dstrd = 0; dstrd <= 15; dstrd++) {
        rig_plug();
        rig.m->set.dstrd = dstrd;
        for (rig.m->set.bar_bytes = 1u << 14; rig.m->set.bar_bytes < 0x1000 + 18 * (4u << dstrd);)
            rig.m->set.bar_bytes *= 2;
        rig_up();
        struct io_lane *l[9];
        for (unsigned i = 0; i < 9; i++)
            l[i] = hand_open(rig_disk(0), 2, 4096, false);
        for (unsigned i = 0; i < 9; i++)
            rig_read(l[i], 1, 1000 + i, 8);
        EQ(rig.m->seen.admin[0x01], 8);
        for (unsigned i = 0; i < 9; i++)
            rig_close(l[i]);
        rig_down();
    }
}

static bool msix_on;
static uint32_t config_with_msix(void *dev, uint32_t off)
{
    if (off == 0x80)
        return model_nvme_ops.config_read(dev, off) | 0x9000;
    if (off == 0x90)
        return 0x11 | (msix_on ? 1u << 31 : 0);
    return model_nvme_ops.config_read(dev, off);
}

static uint32_t config_with_a_loop(void *dev, uint32_t off)
{
    return off == 0x80 ? 0x00034001 : off == 0x40 ? 0x00028010 : model_nvme_ops.config_read(dev, off);
}

TEST(interrupts_are_masked_unless_msi_x_forbids_to_touch_the_mask)
{
    struct model_device_ops ops = model_nvme_ops;

    for (unsigned i = 0; i < 3; i++) {
        rig_plug();
        ops.config_read = i < 2 ? config_with_msix : config_with_a_loop;
        msix_on = i == 1;
        rig.ops = &ops;
        rig_up();
        EQ(rig.m->intm, msix_on ? 0 : 0xffffffff);
        rig_down();
    }
}

TEST(only_queues_whose_doorbells_lie_in_the_bar_are_used)
{
    rig_plug();
    rig.m->set.dstrd = 9; /* 2 KiB apart: 4 fit behind 1000h */
    rig.m->set.bar_bytes = 0x1000 + 4 * 2048 - 0x1000 + 0x1000;
    rig.m->set.bar_bytes = 0x4000; /* 6 fit: admin and two pairs */
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 1, 4096, false), *b = hand_open(rig_disk(0), 1, 4096, false);
    struct io_lane *c = hand_open(rig_disk(0), 1, 4096, false);
    EQ(rig.m->seen.admin[0x01], 2);
    rig_read(c, 0, 5, 8);
    rig_close(a);
    rig_close(b);
    rig_close(c);
    rig_down();

    rig_plug();
    rig.m->set.dstrd = 15;
    rig_power();
    EQ(rig_attach(), E_LIMIT);
    HAS_STR(rig.fault.what, "doorbells");
    rig_down_broken();
}

TEST(a_controller_without_the_nvm_command_set_is_refused_and_shut_down)
{
    rig_plug();
    rig.m->set.entry = MODEL_NVME_ENTRY_RUNNING;
    rig.m->set.css = 0x80;
    rig_power();
    EQ(rig_attach(), E_UNSUPPORTED);
    HAS_STR(rig.fault.what, "CAP.CSS");
    EQ(rig.m->seen.shutdowns, 1);
    EQ(rig.m->cc & 1, 0);
    rig_down();
}

TEST(all_command_sets_are_enabled_when_the_controller_has_more_than_nvm)
{
    rig_plug();
    rig.m->set.css = 0x41;
    rig_up();
    EQ(rig.m->cc >> 4 & 7, 6);
    EQ(rig.c->disk_count, 1);
    rig_down();
}

TEST(queue_entries_of_another_size_are_refused)
{
    rig_plug();
    rig.m->set.sqes = 0x77;
    rig_power();
    EQ(rig_attach(), E_UNSUPPORTED);
    HAS_STR(rig.fault.what, "SQES");
    rig_down();
}

TEST(a_queue_of_one_entry_breaks_the_protocol_and_of_two_works)
{
    rig_plug();
    rig.m->set.mqes = 0;
    rig_power();
    EQ(rig_attach(), E_PROTO);
    HAS_STR(rig.fault.what, "MQES");
    rig_down();

    rig_plug();
    rig.m->set.mqes = 1;
    rig_up();
    EQ(rig_disk(0)->max_depth, 1);
    struct io_lane *l = hand_open(rig_disk(0), 1, 64 << 10, false);
    for (unsigned i = 0; i < 7; i++)
        rig_read(l, 0, i, 128);
    rig_close(l);
    rig_down();
}

TEST(a_huge_queue_is_used_in_part)
{
    rig_plug();
    rig.m->set.mqes = 0xffff;
    rig_up();
    EQ(rig_disk(0)->max_depth, 1023);
    struct io_lane *l = hand_open(rig_disk(0), 1023, 512, false);
    rig_read(l, 1022, 0, 1);
    rig_close(l);
    rig_down();
}

TEST(known_devices_get_what_they_need)
{
    rig_plug(); /* PM1725: MQES 0 means 64, CSTS needs 2.3 s after a disable */
    rig.m->set.vendor_id = 0x144d;
    rig.m->set.device_id = 0xa822;
    rig.m->set.mqes = 63;
    rig_up();
    CHECK(model_clock_ns > 2300 * NS_PER_MS);
    rig_down();

    rig_plug(); /* Apple: one command at a time */
    rig.m->set.vendor_id = 0x106b;
    rig.m->set.device_id = 0x2001;
    rig_up();
    EQ(rig_disk(0)->max_depth, 1);
    rig_down();

    rig_plug(); /* Apple: other queue entries */
    rig.m->set.vendor_id = 0x106b;
    rig.m->set.device_id = 0x2005;
    rig_power();
    EQ(rig_attach(), E_UNSUPPORTED);
    HAS_STR(rig.fault.what, "128-byte");
    EQ(rig.m->seen.register_reads, 0);
    rig_down();
}

TEST(every_failed_allocation_of_attach_unwinds_clean)
{
    long k;

    for (k = 0; k < 50; k++) {
        rig_plug();
        rig_power();
        model_fail_alloc_at = k;
        int rc = rig_attach();
        model_fail_alloc_at = -1;
        if (!rc) {
            rig_down();
            break;
        }
        EQ(rc, E_NOMEM);
        EQ(rig.fault.err, E_NOMEM);
        rig_down();
    }
    EQ(k, 4); /* controller, admin queue, identify pages, one namespace */
}

TEST(an_admin_command_without_an_answer_ends_attach_within_its_limit)
{
    rig_plug();
    rig_lie(MODEL_NVME_STICK, true, 0x06, 0, 1, 0);
    rig_power();
    EQ(rig_attach(), E_TIMEOUT);
    EQ_STR(rig.fault.what, "Identify Controller");
    CHECK(model_clock_ns > 30 * NS_PER_S && model_clock_ns < 40 * NS_PER_S);
    EQ(rig.m->seen.shutdowns, 1);
    rig_down();
}

TEST(fatal_status_and_absence_are_seen_while_an_admin_command_is_out)
{
    rig_plug();
    rig_lie(MODEL_NVME_FATAL, true, 0x06, 1, 1, 0);
    rig_power();
    EQ(rig_attach(), E_PROTO);
    HAS_STR(rig.fault.what, "CSTS.CFS");
    CHECK(model_clock_ns < 2 * NS_PER_S);
    rig_down_broken();

    rig_plug();
    rig_lie(MODEL_NVME_VANISH, true, 0x06, 1, 1, 0);
    rig_power();
    EQ(rig_attach(), E_GONE);
    CHECK(model_clock_ns < 2 * NS_PER_S);
    rig_down_broken();
}

TEST(an_admin_completion_that_is_not_ours_is_a_fault)
{
    static const struct {
        enum model_nvme_lie_kind kind;
        uint64_t arg;
    } rows[] = { { MODEL_NVME_BOGUS_CID, 0xffff },  { MODEL_NVME_BOGUS_CID, 0x8000 },
                 { MODEL_NVME_WRONG_SQID, 1 },      { MODEL_NVME_WRONG_SQID, 0xffff },
                 { MODEL_NVME_WRONG_SQHD, 0xffff }, { MODEL_NVME_WRONG_SQHD, 64 },
                 { MODEL_NVME_DUPLICATE, 0 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig_lie(rows[i].kind, true, 0x06, 0, 1, rows[i].arg);
        rig_power();
        EQ(rig_attach(), E_PROTO);
        HAS_STR(rig.fault.what, "admin completion");
        rig_down();
    }
}

TEST(identify_controller_refused_ends_attach)
{
    rig_plug();
    rig_lie(MODEL_NVME_STATUS, true, 0x06, 0, 1, 0x4002);
    rig_power();
    EQ(rig_attach(), E_REFUSED);
    HAS_STR(rig.fault.what, "Identify Controller");
    rig_down();
}

TEST(fewer_and_more_queues_than_asked_are_taken_as_granted)
{
    static const struct {
        uint16_t sq, cq;
        unsigned used;
    } rows[] = { { 1, 1, 1 }, { 3, 2, 2 }, { 2, 3, 2 }, { 64, 64, 8 }, { 0, 0, 8 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->set.sq_granted = rows[i].sq;
        rig.m->set.cq_granted = rows[i].cq;
        rig_up();
        struct io_lane *l[10];
        for (unsigned k = 0; k < 10; k++)
            l[k] = hand_open(rig_disk(0), 4, 4096, false);
        EQ(rig.m->seen.admin[0x01], rows[i].used);
        EQ(rig.m->seen.admin[0x05], rows[i].used);
        for (unsigned k = 0; k < 10; k++)
            rig_read(l[k], 3, 9 * k, 8);
        for (unsigned k = 0; k < 10; k++)
            rig_close(l[k]);
        rig_down();
    }
}

TEST(a_refused_queue_pair_leaves_the_lanes_on_those_there_are)
{
    rig_plug();
    rig_lie(MODEL_NVME_STATUS, true, 0x01, 1, 1, 0x4101);
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 4, 4096, false), *b = hand_open(rig_disk(0), 4, 4096, false);
    CHECK(rig_has_remark("refused queue pair 2"));
    rig_read(a, 0, 1, 8);
    rig_read(b, 0, 2, 8);
    rig_close(a);
    rig_close(b);
    rig_down();
}

TEST(a_refused_first_queue_pair_fails_the_open_and_nothing_else)
{
    struct lane_shape shape = { .depth = 4, .request_bytes = 4096 };
    struct io_lane *l;

    rig_plug();
    rig_lie(MODEL_NVME_STATUS, true, 0x05, 0, 1, 0x4101);
    rig_up();
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_REFUSED);
    CHECK(!l);
    rig_down();
}

TEST(detach_tells_the_drive_before_it_is_disabled)
{
    rig_plug();
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, false);
    rig_read(l, 0, 0, 8);
    rig_close(l);
    uint64_t disables = rig.m->seen.disables;
    nvme_driver.detach(rig.c);
    rig.c = NULL;
    EQ(rig.m->seen.admin[0x00], 1);
    EQ(rig.m->seen.admin[0x04], 1);
    EQ(rig.m->seen.shutdowns, 1);
    EQ(rig.m->seen.disables, disables + 1);
    EQ(rig.m->dirty, false);
    rig_down();
}

TEST(shutdown_is_waited_for_as_long_as_the_drive_asks_within_reason)
{
    static const struct {
        uint32_t rtd3e_us;
        uint64_t limit_ms;
    } rows[] = { { 0, 5000 }, { 1000, 5000 }, { 10000000, 10000 }, { 0xffffffff, 60000 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->set.rtd3e_us = rows[i].rtd3e_us;
        rig.m->set.shutdown_ns = MODEL_NVME_NEVER;
        rig_up();
        uint64_t start_ns = model_clock_ns;
        nvme_driver.detach(rig.c);
        rig.c = NULL;
        CHECK(model_clock_ns - start_ns >= rows[i].limit_ms * NS_PER_MS);
        CHECK(model_clock_ns - start_ns < (rows[i].limit_ms + 100) * NS_PER_MS);
        EQ(rig.m->cc & 1, 0);
        rig_down_broken();
    }
}

TEST(a_create_without_an_answer_ends_the_controller_and_keeps_the_queue_s_memory)
{
    struct lane_shape shape = { .depth = 4, .request_bytes = 4096 };
    struct io_lane *l;

    rig_plug();
    rig_lie(MODEL_NVME_STICK, true, 0x05, 1, 1, 0);
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 4, 4096, false);
    uint64_t start_ns = model_clock_ns;
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_TIMEOUT);
    CHECK(!l);
    CHECK(model_clock_ns - start_ns < 31 * NS_PER_S);
    EQ(rig.c->fault.err, E_TIMEOUT);
    HAS_STR(rig.c->fault.what, "Create I/O Completion Queue");
    EQ(rig_disk(0)->ops->open(rig_disk(0), &shape, &l), E_TIMEOUT);
    CHECK(model_clock_ns - start_ns < 31 * NS_PER_S);
    rig_read(a, 0, 8, 8);
    rig_close(a);
    EQ(rig.m->seen.admin[0x00], 0);
    rig_down();
}
