#include <string.h>
#include "rig.h"

/* What moves numbers: recorded, quietened, put back. */

enum { PAGES_PER_MIB = 256 };

/* A drive with everything that the driver may set. */
static void plug_full(void)
{
    rig_plug();
    rig.sets_features = true;
    rig.m->set.hmpre = 10 * PAGES_PER_MIB;
    rig.m->set.hmmin = 2 * PAGES_PER_MIB;
    rig.m->set.apsta = 1;
    rig.m->set.apst_on = true;
    rig.m->set.npss = 4;
    rig.m->set.power_state = 3;
    rig.m->set.oacs = 0x18;
    rig.m->set.cns_max = 0x12;
    rig.m->set.edstt = 7;
}

TEST(a_drive_without_dram_gets_its_memory_and_gives_it_back)
{
    plug_full();
    rig_up();
    CHECK(rig.m->hmb_on);
    EQ(rig.m->hmb.pages, 10 * PAGES_PER_MIB);
    EQ(rig.m->hmb.count, 3); /* of 4 MiB each, and the rest */
    HAS_STR(rig_disk(0)->settings, "host memory buffer 10 of 10 MiB");
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    for (uint16_t i = 0; i < 4; i++)
        rig_read(l, i, 8 * i, 8);
    rig_close(l);
    nvme_driver.detach(rig.c);
    rig.c = NULL;
    CHECK(!rig.m->hmb_on);
    EQ(rig.m->seen.shutdowns, 1);
    rig_down();
}

TEST(memory_is_lent_within_the_limits_of_drive_and_machine)
{
    static const struct {
        uint32_t hmpre, hmmin, hmminds;
        uint16_t hmmaxd;
        uint32_t pages, count;
    } rows[] = {
        { 1, 0, 0, 0, 1, 1 },
        { 1, 1, 0, 0, 1, 1 },
        { 1024, 0, 0, 0, 1024, 1 },
        { 1025, 0, 0, 0, 1025, 2 },
        { 1025, 0, 2, 0, 1024, 1 }, /* the rest is smaller than the drive can use */
        { 5000, 0, 0, 1, 5000, 1 },
        { 5000, 0, 0, 2, 5000, 2 },
        { 5000, 0, 3000, 0, 3000, 1 },
        { 3000, 0, 3001, 0, 0, 0 }, /* never */
        { 0xffffffff, 32768, 0, 0, 32768, 32 },
        { 0xffffffff, 32769, 0, 0, 0, 0 }, /* more than is lent */
        { 0xffffffff, 0, 0, 0xffff, 32768, 32 },
        { 100, 200, 0, 0, 0, 0 }, /* wants less than it needs */
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        plug_full();
        rig.m->set.hmpre = rows[i].hmpre;
        rig.m->set.hmmin = rows[i].hmmin;
        rig.m->set.hmminds = rows[i].hmminds;
        rig.m->set.hmmaxd = rows[i].hmmaxd;
        rig_up();
        EQ(rig.m->hmb_on, rows[i].count != 0);
        EQ(rig.m->hmb.pages, rows[i].pages);
        EQ(rig.m->hmb.count, rows[i].count);
        if (!rows[i].count)
            CHECK(rig_has_remark("host memory"));
        rig_down();
    }
}

TEST(a_machine_short_of_memory_lends_less_or_nothing_and_says_so)
{
    bool less = false, nothing = false;

    for (long k = 3; k < 12; k++) {
        plug_full();
        rig_power();
        model_fail_alloc_at = k;
        int rc = rig_attach();
        model_fail_alloc_at = -1;
        if (rc == E_NOMEM) { /* there was none for the namespace either */
            nothing = true;
            CHECK(!rig.m->hmb_on);
        } else {
            EQ(rc, OK);
            less |= !rig.m->hmb_on;
        }
        rig_down();
    }
    CHECK(nothing);
    CHECK(!less);
}

TEST(every_failed_allocation_of_a_full_drive_unwinds_clean)
{
    long k;

    for (k = 0; k < 50; k++) {
        plug_full();
        rig_power();
        model_fail_alloc_at = k;
        int rc = rig_attach();
        model_fail_alloc_at = -1;
        rig_down();
        if (!rc)
            break;
        EQ(rc, E_NOMEM);
    }
    EQ(k, 8); /* controller, admin queue, identify pages, 3 chunks, their list, one namespace */
}

TEST(a_refused_host_memory_buffer_is_said_and_freed)
{
    plug_full();
    rig_lie(MODEL_NVME_STATUS, true, 0x09, 3, 1, 0x4002); /* after queues, power state, idle states */
    rig_up();
    CHECK(!rig.m->hmb_on);
    CHECK(rig_has_remark("host memory buffer not granted (the drive refused it)"));
    HAS_STR(rig_disk(0)->settings, "host memory buffer 0 of 10 MiB");
    rig_down();
}

TEST(power_states_are_quietened_and_put_back)
{
    plug_full();
    rig_up();
    EQ(rig.m->feature[2], 0);
    EQ(rig.m->feature[0x0c], 0);
    HAS_STR(rig_disk(0)->settings, "power state 0 (found 3)");
    HAS_STR(rig_disk(0)->settings, "idle power states off (found on)");
    HAS_STR(rig_disk(0)->settings, "write cache on");
    HAS_STR(rig_disk(0)->settings, "firmware slot 1 of 1");
    memset(rig.m->apst_table, 0, sizeof rig.m->apst_table);
    /* The drive's last state before its shutdown is what was found. */
    rig_lie(MODEL_NVME_STICK, true, 0x00, 0, 1, 0);
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    rig_read(l, 0, 0, 8);
    rig_close(l);
    nvme_driver.detach(rig.c);
    rig.c = NULL;
    EQ(rig.m->feature[2], 3);
    EQ(rig.m->feature[0x0c], 1);
    EQ(rig.m->seen.features_set, 6);
    rig_down();
}

TEST(a_quiet_drive_is_left_alone)
{
    plug_full();
    rig.sets_features = false;
    rig.m->set.hmpre = rig.m->set.hmmin = 0;
    rig.m->set.apst_on = false;
    rig.m->set.power_state = 0;
    rig.m->set.write_cache_on = false;
    rig_up();
    HAS_STR(rig_disk(0)->settings, "write cache off, power state 0, idle power states off");
    CHECK(!strstr(rig_disk(0)->settings, "host memory"));
    rig_down();
}

TEST(what_a_drive_does_not_have_is_not_asked_for)
{
    rig_plug();
    rig.m->set.vwc = 0;
    rig_up();
    HAS_STR(rig_disk(0)->settings, "no volatile write cache");
    EQ(rig.m->error_entries, 0);
    EQ(rig.m->seen.admin[0x0a], 1); /* power state, which every drive has */
    rig_down();
}

TEST(settings_that_a_drive_does_not_tell_cost_nothing)
{
    for (uint32_t skip = 0; skip < 3; skip++) {
        plug_full();
        rig_lie(MODEL_NVME_STATUS, true, 0x0a, skip, 1, 0x4002);
        rig_up();
        rig_read(hand_open(rig_disk(0), 1, 4096, true), 0, 0, 8);
        rig_down();
    }
    plug_full();
    rig_lie(MODEL_NVME_STATUS, true, 0x09, 1, 2, 0x400e); /* neither power nor idle states can be changed */
    rig_up();
    HAS_STR(rig_disk(0)->settings, "power state not changed (found 3)");
    HAS_STR(rig_disk(0)->settings, "idle power states on");
    EQ(rig.m->feature[2], 3);
    rig_down();
}

TEST(after_a_reset_the_drive_has_its_memory_and_its_quiet_again)
{
    plug_full();
    rig.m->set.abort_ignored = true;
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 1, 0);
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 4, 4096, true);
    hand_send(l, 0, 0, 8);
    model_advance_ns(NS_PER_MS);
    l->disk->ops->expire(l, 0);
    struct io_completion c;
    EQ(l->disk->ops->poll(l, &c, 1), 1);
    EQ(rig.m->seen.disables, 1);
    CHECK(rig.m->hmb_on);
    EQ(rig.m->feature[2], 0);
    EQ(rig.m->feature[0x0c], 0);
    rig_read(l, 0, 0, 8);
    rig_close(l);
    rig_down();
}

/* Every admin command of a whole life refused, unanswered, or the last one. */
TEST(unsafe_shutdowns_never_grow_whatever_admin_command_goes_wrong)
{
    static const struct {
        enum model_nvme_lie_kind kind;
        uint64_t arg;
    } rows[] = { { MODEL_NVME_STATUS, 0x4002 },
                 { MODEL_NVME_STICK, 0 },
                 { MODEL_NVME_LOSE, 0 },
                 { MODEL_NVME_BOGUS_CID, 0x1234 },
                 { MODEL_NVME_STATUS, 0x006 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        for (uint32_t skip = 0; skip < 40; skip++) {
            struct disk_health h;

            if (skip == 1 && rows[i].kind == MODEL_NVME_STATUS)
                continue; /* the number of queues: then the model wants none to be created, its own test */
            plug_full();
            rig_lie(rows[i].kind, true, -1, skip, 1, rows[i].arg);
            rig_power();
            uint64_t start_ns = model_clock_ns;
            if (!rig_attach() && rig.c->disk_count && rig.c->disks[0]->ops) {
                struct io_lane *l = NULL;
                struct lane_shape shape = { .depth = 2, .request_bytes = 4096, .buffer_per_slot = true };
                nvme_driver.health(rig.c->disks[0], &h);
                if (!rig.c->disks[0]->ops->open(rig.c->disks[0], &shape, &l)) {
                    hand_send(l, 0, 0, 8);
                    struct io_completion c;
                    hand_wait(l, &c, 1);
                    rig_close(l);
                }
                nvme_driver.health(rig.c->disks[0], &h);
            }
            rig_down();
            CHECK(model_clock_ns - start_ns < 120 * NS_PER_S);
        }
    }
}

TEST(a_drive_that_leaves_at_any_access_keeps_no_memory_of_ours)
{
    for (uint32_t accesses = 1; accesses < 400; accesses += 3) {
        plug_full();
        rig.m->set.vanish_after_accesses = accesses;
        rig_power();
        rig_attach();
        rig_down_broken();
    }
}
