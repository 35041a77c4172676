#include "model_manual.h"
#include "test.h"

/* Registers, readiness, shutdown, power: section numbers A1, A2 and A9 of the facts, in raw numbers. */

static void ready(struct manual *h)
{
    manual_up(h);
    manual_start(h);
    manual_enable(h);
    CHECK(manual_wait_csts(h, 1, 1));
}

TEST(model_answers_its_capabilities_in_two_halves)
{
    struct manual h;

    manual_up(&h);
    h.m->set.mqes = 0xffff;
    h.m->set.to = 0xff;
    h.m->set.dstrd = 15;
    h.m->set.css = 0xff;
    h.m->set.mpsmin = 15;
    h.m->set.mpsmax = 15;
    h.m->set.crms = 3;
    h.m->set.crimt = 0xffff;
    manual_start(&h);
    EQ(manual_read32(&h, 0), 0xff01ffff);
    EQ(manual_read32(&h, 4), 15 | 0xffu << 5 | 15u << 16 | 15u << 20 | 3u << 27);
    EQ(plat_read64(&h.bar, 0), (long long)((uint64_t)manual_read32(&h, 4) << 32 | manual_read32(&h, 0)));
    EQ(manual_read32(&h, 8), 0x00010400);
    EQ(manual_read32(&h, 0x68), 0xffff0000);
    EQ(h.m->seen.wide_accesses, 1);
    manual_down(&h, 0, NULL);
}

TEST(model_becomes_ready_after_its_delay_and_no_sooner)
{
    struct manual h;
    uint64_t from_ns;

    manual_up(&h);
    manual_start(&h);
    manual_enable(&h);
    from_ns = model_clock_ns;
    EQ(manual_read32(&h, 0x1c), 0);
    CHECK(manual_wait_csts(&h, 1, 1));
    CHECK(model_clock_ns - from_ns >= h.m->set.ready_ns);
    manual_write32(&h, 0x14, 0x00460000);
    from_ns = model_clock_ns;
    EQ(manual_read32(&h, 0x1c), 1);
    CHECK(manual_wait_csts(&h, 1, 0));
    CHECK(model_clock_ns - from_ns >= h.m->set.unready_ns - 1000);
    EQ(h.m->seen.enables, 1);
    EQ(h.m->seen.disables, 1);
    manual_down(&h, 0, NULL);
}

TEST(model_can_refuse_to_become_ready_in_either_direction)
{
    struct manual h;

    manual_up(&h);
    h.m->set.ready_ns = MODEL_NVME_NEVER;
    manual_start(&h);
    manual_enable(&h);
    CHECK(!manual_wait_csts(&h, 1, 1));
    manual_down(&h, 0, NULL);
    manual_up(&h);
    h.m->set.unready_ns = MODEL_NVME_NEVER;
    manual_start(&h);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    manual_write32(&h, 0x14, 0x00460000);
    CHECK(!manual_wait_csts(&h, 1, 0));
    manual_down(&h, 0, NULL);
}

TEST(model_enters_in_each_state_that_firmware_can_leave)
{
    static const struct {
        enum model_nvme_entry entry;
        uint32_t cc_en, csts;
    } rows[] = {
        { MODEL_NVME_ENTRY_OFF, 0, 0 },       { MODEL_NVME_ENTRY_RUNNING, 1, 1 },
        { MODEL_NVME_ENTRY_STARTING, 1, 0 },  { MODEL_NVME_ENTRY_FATAL, 1, 2 },
        { MODEL_NVME_ENTRY_SHUT_DOWN, 1, 9 },
    };

    for (unsigned i = 0; i < 5; i++) {
        struct manual h;

        manual_up(&h);
        h.m->set.entry = rows[i].entry;
        manual_start(&h);
        EQ(manual_read32(&h, 0x14) & 1, rows[i].cc_en);
        EQ(manual_read32(&h, 0x1c), rows[i].csts);
        manual_down(&h, 0, NULL);
    }
}

TEST(model_sees_en_toggled_while_still_coming_up)
{
    struct manual h;

    manual_up(&h);
    h.m->set.entry = MODEL_NVME_ENTRY_STARTING;
    manual_start(&h);
    manual_write32(&h, 0x14, 0);
    manual_down(&h, 1, "still coming up");
}

TEST(model_sees_en_set_again_before_ready_fell)
{
    struct manual h;

    ready(&h);
    manual_write32(&h, 0x14, 0x00460000);
    manual_write32(&h, 0x14, 0x00460001);
    manual_down(&h, 1, "before RDY became 0");
}

TEST(model_fails_fatally_when_enabled_with_nonsense)
{
    static const struct {
        uint32_t cc, aqa;
        const char *part;
    } rows[] = {
        { 0x00460001 | 5 << 7, 0x00070007, "page size" },
        { 0x00460001 | 1 << 4, 0x00070007, "command set" },
        { 0x00460001, 0x00000007, "AQA" },
        { 0x00460001, 0x00070000, "AQA" },
        { 0x00560001, 0x00070007, "entry sizes" },
        { 0x00470001, 0x00070007, "entry sizes" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;

        manual_up(&h);
        manual_start(&h);
        manual_write32(&h, 0x24, rows[i].aqa);
        manual_write32(&h, 0x28, (uint32_t)h.sq[0].bus);
        manual_write32(&h, 0x2c, (uint32_t)(h.sq[0].bus >> 32));
        manual_write32(&h, 0x30, (uint32_t)h.cq[0].bus);
        manual_write32(&h, 0x34, (uint32_t)(h.cq[0].bus >> 32));
        manual_write32(&h, 0x14, rows[i].cc);
        EQ(manual_read32(&h, 0x1c), 2);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_sees_configuration_changed_while_enabled)
{
    static const struct {
        uint32_t off, v;
        const char *part;
    } rows[] = {
        { 0x14, 0x00460081, "changed while enabled" }, { 0x14, 0x00450001, "changed while enabled" },
        { 0x14, 0x00460003, "reserved bits" },         { 0x24, 0x00070007, "AQA changed" },
        { 0x28, 0x00100000, "base changed" },          { 0x34, 0x00000001, "base changed" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;

        ready(&h);
        manual_write32(&h, rows[i].off, rows[i].v);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_sees_wrong_admin_queue_registers)
{
    static const struct {
        uint32_t off, v;
        const char *part;
    } rows[] = {
        { 0x24, 0x00071007, "AQA: reserved" },
        { 0x24, 0x80070007, "AQA: reserved" },
        { 0x28, 0x00100800, "not page aligned" },
        { 0x30, 0x00100001, "not page aligned" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;

        manual_up(&h);
        manual_start(&h);
        manual_write32(&h, rows[i].off, rows[i].v);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_sees_wrong_register_accesses)
{
    static const struct {
        uint32_t off;
        unsigned bytes;
        bool write;
        const char *part;
    } rows[] = {
        { 0x00, 4, true, "read-only" },         { 0x08, 4, true, "read-only" },
        { 0x1c, 4, true, "read-only" },         { 0x18, 4, false, "reserved" },
        { 0x18, 4, true, "reserved" },          { 0x6c, 4, false, "reserved" },
        { 0xffc, 4, true, "reserved" },         { 0x18, 8, false, "reserved" },
        { 0x08, 8, false, "64-bit access" },    { 0x1000, 4, false, "doorbell was read" },
        { 0x1000, 8, true, "doorbell access" }, { 0x20, 4, true, "subsystem reset" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;

        ready(&h);
        if (rows[i].write && rows[i].bytes == 8)
            plat_write64(&h.bar, rows[i].off, 0);
        else if (rows[i].write)
            manual_write32(&h, rows[i].off, 0x4e564d65);
        else if (rows[i].bytes == 8)
            plat_read64(&h.bar, rows[i].off);
        else
            manual_read32(&h, rows[i].off);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_sees_bytewise_and_misaligned_accesses_that_other_back_ends_allow)
{
    struct manual h;

    ready(&h);
    model_nvme_ops.read(h.m, 0, 0x1c, 1);
    model_nvme_ops.read(h.m, 0, 0x1e, 4);
    model_nvme_ops.write(h.m, 0, 0x14, 2, 0);
    model_nvme_ops.read(h.m, 1, 0, 4);
    manual_down(&h, 4, "wrong size or alignment");
}

TEST(model_sees_completion_memory_that_was_not_zeroed)
{
    struct manual h;

    manual_up(&h);
    manual_start(&h);
    ((uint8_t *)h.cq[0].cpu)[16 * MANUAL_ENTRIES - 1] = 1;
    manual_enable(&h);
    manual_down(&h, 1, "not zeroed");
}

TEST(model_shuts_down_and_counts_only_power_lost_without_it)
{
    struct manual h;

    ready(&h);
    manual_write32(&h, 0x14, 0x00464001);
    EQ(manual_read32(&h, 0x1c), 1 | 1 << 2);
    CHECK(manual_wait_csts(&h, 0xc, 8));
    EQ(h.m->seen.shutdowns, 1);
    model_nvme_power_cycle(h.m);
    EQ(h.m->power_cycles, 18);
    EQ(h.m->unsafe_shutdowns, 5);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    manual_write32(&h, 0x14, 0x00460000);
    CHECK(manual_wait_csts(&h, 1, 0));
    model_nvme_power_cycle(h.m);
    EQ(h.m->power_cycles, 19);
    EQ(h.m->unsafe_shutdowns, 6);
    EQ(manual_read32(&h, 0x14), 0);
    manual_down(&h, 0, NULL);
}

TEST(model_can_shut_down_for_ever)
{
    struct manual h;

    manual_up(&h);
    h.m->set.shutdown_ns = MODEL_NVME_NEVER;
    manual_start(&h);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    manual_write32(&h, 0x14, 0x00464001);
    CHECK(!manual_wait_csts(&h, 0xc, 8));
    manual_down(&h, 0, NULL);
}

TEST(model_sees_a_reset_that_pretends_to_be_a_shutdown)
{
    struct manual h;

    ready(&h);
    manual_write32(&h, 0x14, 0x00464000);
    manual_down(&h, 1, "together with a shutdown");
}

TEST(model_fails_at_run_time_and_recovers_by_reset)
{
    struct manual h;

    manual_up(&h);
    h.m->set.fatal_at_ns = 1000000000;
    manual_start(&h);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    CHECK(manual_wait_csts(&h, 3, 3));
    manual_write32(&h, 0x14, 0x00460000);
    CHECK(manual_wait_csts(&h, 3, 0));
    manual_down(&h, 0, NULL);
}

TEST(model_that_keeps_its_fatal_status_stays_fatal)
{
    struct manual h;

    ready(&h);
    h.m->set.reset_keeps_fatal = true;
    model_nvme_set_fatal(h.m);
    manual_write32(&h, 0x14, 0x00460000);
    CHECK(manual_wait_csts(&h, 3, 2));
    manual_down(&h, 0, NULL);
}

TEST(model_vanishes_after_the_chosen_access)
{
    struct manual h;

    manual_up(&h);
    h.m->set.vanish_after_accesses = 2;
    manual_start(&h);
    EQ(manual_read32(&h, 8), 0x00010400);
    EQ(manual_read32(&h, 8), 0x00010400);
    EQ(manual_read32(&h, 8), 0xffffffff);
    EQ(manual_read32(&h, 0x1c), 0xffffffff);
    manual_down(&h, 0, NULL);
}
