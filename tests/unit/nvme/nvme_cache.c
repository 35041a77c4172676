#include "gate.h"
#include "rig.h"

/* The volatile write cache, switched for a job: what Get Features reads back counts, and the drive is left as
 * it was found. */

static struct disk *disk;

static void plug(void)
{
    rig_plug();
    rig.sets_features = true;
}

static void up(void)
{
    rig_up();
    disk = rig_disk(0);
}

static int set(bool on) { return disk->ops->set_cache(disk, CACHE_WRITE, on); }

static void read_some(void)
{
    struct io_lane *l = hand_open(disk, 4, 4096, true);

    rig_read(l, 0, 0, 8);
    rig_close(l);
}

/* The drive forgets at its disable, which detach ends with: what it was told last is what counts. */
static void detach(void)
{
    rig_lie(MODEL_NVME_STICK, true, 0x00, 0, 1, 0);
    nvme_driver.detach(rig.c);
    rig.c = NULL;
}

TEST(the_write_cache_is_switched_read_back_and_put_back)
{
    plug();
    CHECK(model_nvme_add_ns(rig.m, 7, 1 << 16, 512));
    up();
    EQ(disk->cache[CACHE_WRITE].found, CACHE_ON);
    CHECK(disk->cache_is_shared);
    EQ(set(true), OK); /* as it is already */
    EQ(rig.m->seen.features_set, 0);
    EQ(set(false), OK);
    EQ(rig.m->feature[6], 0);
    for (unsigned i = 0; i < 2; i++) {
        EQ(rig_disk(i)->cache[CACHE_WRITE].now, CACHE_OFF);
        EQ(rig_disk(i)->cache[CACHE_WRITE].asked, CACHE_OFF);
    }
    read_some();
    EQ(set(true), OK);
    EQ(rig.m->feature[6], 1);
    EQ(rig.m->seen.features_set, 2);
    rig_down();
}

TEST(detach_puts_back_a_write_cache_that_nobody_put_back)
{
    for (unsigned on = 0; on < 2; on++) {
        plug();
        rig.m->set.write_cache_on = on;
        up();
        EQ(gate_arm(disk->identity, 8, 8), OK);
        EQ(set(!on), OK);
        EQ(rig.m->feature[6], !on);
        detach();
        EQ(rig.m->feature[6], on);
        rig_down();
    }
}

TEST(a_write_cache_found_off_goes_on_only_when_the_disk_is_armed)
{
    plug();
    rig.m->set.write_cache_on = false;
    up();
    EQ(set(true), E_REFUSED);
    EQ(rig.m->seen.features_set, 0);
    EQ(set(false), OK);
    EQ(gate_arm(disk->identity, 8, 100), OK);
    EQ(set(true), OK);
    EQ(rig.m->feature[6], 1);
    gate_disarm_all();
    EQ(set(false), OK);
    EQ(rig.m->feature[6], 0);
    rig_down();
}

TEST(what_an_nvme_drive_does_not_have_is_not_switched)
{
    plug();
    up();
    EQ(disk->ops->set_cache(disk, CACHE_LOOK_AHEAD, false), E_UNSUPPORTED);
    EQ(disk->ops->set_cache(disk, CACHE_LOOK_AHEAD, true), E_UNSUPPORTED);
    EQ(rig.m->seen.features_set, 0);
    rig_down();
    plug();
    rig.m->set.vwc = 0xfe;
    up();
    EQ(set(false), E_UNSUPPORTED);
    EQ(rig.m->seen.features_set, 0);
    rig_down();
    plug();
    rig_lie(MODEL_NVME_STATUS, true, 0x0a, 1, 1, 0x4002); /* it does not tell */
    up();
    EQ(disk->cache[CACHE_WRITE].found, CACHE_UNKNOWN);
    EQ(set(false), E_UNSUPPORTED);
    rig_down();
}

/* All bits of the answer but the one that counts. */
TEST(only_the_enable_bit_of_the_answer_is_the_state)
{
    plug();
    up();
    rig.m->feature[6] = 0xfffffffe;
    EQ(set(true), E_PROTO); /* taken for on, not sent, read back off */
    EQ(disk->cache[CACHE_WRITE].now, CACHE_OFF);
    EQ(set(true), OK);
    EQ(rig.m->feature[6], 1);
    rig_down();
}

TEST(a_refusal_and_a_lie_leave_it_as_it_was)
{
    plug();
    up();
    rig_lie(MODEL_NVME_STATUS, true, 0x09, 0, 1, 0x400e);
    EQ(set(false), E_REFUSED);
    EQ(disk->fault.err, OK);
    EQ(disk->cache[CACHE_WRITE].now, CACHE_ON);
    rig.m->set.cache_lies = true;
    EQ(set(false), E_PROTO);
    EQ(disk->fault.err, OK);
    EQ(disk->cache[CACHE_WRITE].asked, CACHE_ON);
    rig.m->set.cache_lies = false;
    rig_lie(MODEL_NVME_STATUS, true, 0x0a, 0, 1, 0x4002); /* switched, and does not tell */
    EQ(set(false), E_REFUSED);
    EQ(disk->cache[CACHE_WRITE].now, CACHE_UNKNOWN);
    EQ(set(true), OK); /* put back all the same */
    EQ(rig.m->feature[6], 1);
    read_some();
    rig_down();
}

static void reset_by_a_lost_read(void)
{
    struct io_lane *l = hand_open(disk, 4, 4096, true);
    struct io_completion c;

    rig.m->set.abort_ignored = true;
    rig_lie(MODEL_NVME_STICK, false, 0x02, 0, 1, 0);
    hand_send(l, 0, 0, 8);
    model_advance_ns(NS_PER_MS);
    l->disk->ops->expire(l, 0);
    EQ(l->disk->ops->poll(l, &c, 1), 1);
    EQ(rig.m->seen.disables, 1);
    rig_read(l, 0, 0, 8);
    rig_close(l);
}

TEST(after_a_reset_the_write_cache_is_as_the_job_asked)
{
    plug();
    up();
    EQ(set(false), OK);
    reset_by_a_lost_read();
    EQ(rig.m->feature[6], 0);
    EQ(disk->cache[CACHE_WRITE].now, CACHE_OFF);
    detach();
    EQ(rig.m->feature[6], 1);
    rig_down();
}

TEST(a_drive_that_refuses_it_after_a_reset_shows_what_it_is)
{
    plug();
    up();
    EQ(set(false), OK);
    rig.m->set.cache_lies = true;
    reset_by_a_lost_read();
    EQ(disk->cache[CACHE_WRITE].now, CACHE_ON);
    EQ(disk->cache[CACHE_WRITE].asked, CACHE_OFF);
    rig_down();
}

TEST(a_switch_or_a_look_that_is_never_answered_ends_the_drive_in_time)
{
    for (unsigned look = 0; look < 2; look++) {
        plug();
        up();
        rig_lie(MODEL_NVME_LOSE, true, look ? 0x0a : 0x09, 0, 1, 0);
        uint64_t start_ns = model_clock_ns;
        EQ(set(false), E_TIMEOUT);
        EQ(disk->fault.err, E_TIMEOUT);
        EQ(set(true), E_TIMEOUT);
        CHECK(model_clock_ns - start_ns < 100 * NS_PER_S);
        rig_down();
    }
}

TEST(a_drive_that_leaves_during_the_switch_is_a_fault)
{
    plug();
    up();
    model_nvme_vanish(rig.m);
    EQ(set(false), E_GONE);
    EQ(disk->fault.err, E_GONE);
    rig_down_broken();
}
