#include "rig.h"
#include <string.h>

/* Caches that a job switches: what IDENTIFY reads back counts, and the drive is left as it was found. */

static struct model_ahci_drive *drive;
static struct disk *disk;

static void plug(void)
{
    rig_plug();
    drive = rig_plug_disk(0);
    drive->may_switch_caches = true;
}

static void up(void)
{
    rig_up();
    disk = rig_disk(0);
}

static unsigned long switches(void) { return rig.m.port[0].seen.opcodes[0xef]; }

static int set(enum disk_cache which, bool on) { return disk->ops->set_cache(disk, which, on); }

static bool is_off(enum disk_cache which)
{
    return which == CACHE_WRITE ? drive->write_cache_off : drive->look_ahead_off;
}

/* In the middle of the switch, with a lane that reads. */
static void read_some(void)
{
    struct io_lane *l = hand_open(disk, 4, 4096, true);

    rig_read(l, 0, 8, 8);
    l->disk->ops->close(l);
}

TEST(each_cache_is_switched_read_back_and_put_back)
{
    for (unsigned which = 0; which < CACHE_COUNT; which++) {
        plug();
        up();
        EQ(disk->cache[which].found, CACHE_ON);
        EQ(disk->cache[which].asked, CACHE_UNKNOWN);
        EQ(set((enum disk_cache)which, false), OK);
        CHECK(is_off((enum disk_cache)which));
        CHECK(!is_off((enum disk_cache) !which));
        EQ(disk->cache[which].now, CACHE_OFF);
        EQ(disk->cache[!which].now, CACHE_ON);
        read_some();
        EQ(set((enum disk_cache)which, true), OK); /* found on: not armed is no hindrance */
        CHECK(!is_off((enum disk_cache)which));
        EQ(disk->cache[which].now, CACHE_ON);
        EQ(switches(), 2);
        rig_down();
    }
}

TEST(what_is_as_asked_already_is_not_sent)
{
    plug();
    up();
    EQ(set(CACHE_WRITE, true), OK);
    EQ(set(CACHE_LOOK_AHEAD, true), OK);
    EQ(switches(), 0);
    rig_down();
    EQ(switches(), 0);
}

TEST(detach_puts_back_what_nobody_put_back)
{
    plug();
    up();
    EQ(set(CACHE_WRITE, false), OK);
    EQ(set(CACHE_LOOK_AHEAD, false), OK);
    rig_down();
    CHECK(!drive->write_cache_off && !drive->look_ahead_off);
    EQ(switches(), 4);
    plug();
    drive->look_ahead_off = true;
    up();
    EQ(disk->cache[CACHE_LOOK_AHEAD].found, CACHE_OFF);
    EQ(set(CACHE_LOOK_AHEAD, true), OK);
    rig_down();
    CHECK(drive->look_ahead_off);
}

TEST(a_write_cache_found_off_goes_on_only_when_the_disk_is_armed)
{
    plug();
    drive->write_cache_off = true;
    up();
    EQ(set(CACHE_WRITE, true), E_REFUSED);
    EQ(switches(), 0);
    EQ(gate_arm("another", 0, 100), OK);
    EQ(set(CACHE_WRITE, true), E_REFUSED);
    EQ(set(CACHE_LOOK_AHEAD, false), OK);
    EQ(gate_arm(disk->identity, 8, 100), OK);
    EQ(set(CACHE_WRITE, true), OK);
    CHECK(!drive->write_cache_off);
    gate_disarm_all(); /* the permit may be gone by the time that it is put back */
    EQ(set(CACHE_WRITE, false), OK);
    CHECK(drive->write_cache_off);
    rig_down();
}

TEST(a_drive_that_reports_no_cache_is_not_asked)
{
    plug();
    drive->caches_absent = true;
    up();
    EQ(set(CACHE_WRITE, false), E_UNSUPPORTED);
    EQ(set(CACHE_LOOK_AHEAD, false), E_UNSUPPORTED);
    EQ(switches(), 0);
    rig_down();
}

/* Words 83 and 87 are not valid: what 82 and 85 say means nothing. */
static void edit_vague(uint8_t *sector)
{
    if (sector[0] != 0x40 || sector[1])
        return;
    sector[2 * 83 + 1] = 0;
    sector[2 * 87 + 1] = 0;
}

TEST(bits_of_words_that_mean_nothing_are_no_cache)
{
    plug();
    drive->checksum = MODEL_AHCI_CHECKSUM_ABSENT;
    drive->lba_count = 1 << 16;
    rig.edit = edit_vague;
    up();
    EQ(disk->cache[CACHE_WRITE].found, CACHE_UNKNOWN);
    EQ(set(CACHE_WRITE, false), E_UNSUPPORTED);
    EQ(switches(), 0);
    rig_down();
}

TEST(a_drive_that_refuses_is_as_it_was)
{
    plug();
    drive->cache_aborts = true;
    up();
    EQ(set(CACHE_WRITE, false), E_REFUSED);
    EQ(disk->fault.err, OK);
    EQ(disk->cache[CACHE_WRITE].now, CACHE_ON);
    read_some();
    rig_down();
    EQ(switches(), 1);
}

TEST(a_drive_that_says_done_and_did_nothing_is_found_out)
{
    plug();
    drive->cache_lies = true;
    up();
    EQ(set(CACHE_WRITE, false), E_PROTO);
    EQ(disk->fault.err, OK);
    EQ(disk->cache[CACHE_WRITE].now, CACHE_ON);
    EQ(disk->cache[CACHE_WRITE].asked, CACHE_ON); /* as found, also after a reset */
    read_some();
    rig_down();
}

TEST(the_state_read_back_counts_where_the_answer_was_swallowed)
{
    plug();
    up();
    rig.no_register_fis = true;
    EQ(set(CACHE_WRITE, false), OK);
    CHECK(drive->write_cache_off);
    rig.no_register_fis = false;
    rig_down();
    CHECK(!drive->write_cache_off);
}

static void hang_once(void)
{
    struct io_lane *l = hand_open(disk, 4, 4096, true);

    drive->nth_lost = rig.m.port[0].seen.transfers + 1;
    hand_send(l, 0, 0, 8);
    model_advance_ns(NS_PER_MS);
    rig_expire(l, 0);
    drive->nth_lost = 0;
    rig_read(l, 1, 8, 8);
    l->disk->ops->close(l);
}

TEST(a_reset_that_loses_the_setting_does_not_lose_it_for_the_job)
{
    plug();
    drive->deaf_to_srst = true;
    drive->comreset_loses_caches = true;
    up();
    unsigned long before = rig.m.port[0].seen.comresets;
    EQ(set(CACHE_WRITE, false), OK);
    EQ(set(CACHE_LOOK_AHEAD, false), OK);
    hang_once();
    CHECK(rig.m.port[0].seen.comresets > before);
    CHECK(drive->write_cache_off && drive->look_ahead_off);
    EQ(disk->cache[CACHE_WRITE].now, CACHE_OFF);
    EQ(switches(), 4);
    /* And one that refuses it now shows what it is. */
    drive->cache_aborts = true;
    hang_once();
    EQ(disk->fault.err, OK);
    EQ(disk->cache[CACHE_WRITE].now, CACHE_ON);
    EQ(disk->cache[CACHE_WRITE].asked, CACHE_OFF);
    drive->cache_aborts = false;
    rig_down();
    CHECK(!drive->write_cache_off && !drive->look_ahead_off);
}

TEST(after_a_reset_a_cache_is_as_found_once_it_was_put_back)
{
    plug();
    drive->write_cache_off = true;
    drive->look_ahead_off = true;
    drive->comreset_loses_caches = true;
    drive->deaf_to_srst = true;
    up();
    drive->write_cache_off = drive->look_ahead_off = true;
    EQ(set(CACHE_LOOK_AHEAD, true), OK);
    EQ(set(CACHE_LOOK_AHEAD, false), OK);
    hang_once();
    CHECK(drive->look_ahead_off);
    CHECK(!drive->write_cache_off); /* nobody ever asked for it */
    rig_down();
}

TEST(a_switch_that_is_never_answered_is_reset_and_tried_again)
{
    plug();
    drive->cache_lost = 1;
    up();
    EQ(set(CACHE_WRITE, false), OK);
    CHECK(drive->write_cache_off);
    EQ(disk->fault.err, OK);
    rig_down();
    CHECK(!drive->write_cache_off);
}

TEST(a_drive_that_hangs_over_each_switch_is_given_up_in_time)
{
    plug();
    drive->cache_lost = 100;
    up();
    uint64_t start_ns = model_clock_ns;
    CHECK(set(CACHE_WRITE, false) != OK);
    CHECK(disk->fault.err);
    EQ(set(CACHE_WRITE, false), disk->fault.err);
    CHECK(model_clock_ns - start_ns < 300 * NS_PER_S);
    rig_down();
}

TEST(an_adapter_that_leaves_at_any_access_ends_the_switch)
{
    bool gone = false, whole = false;

    for (unsigned long at = 1; at < 60 && !whole; at++) {
        plug();
        up();
        rig.vanish_at = rig.accesses + at;
        int rc = set(CACHE_WRITE, false);
        whole = rc == OK && !rig.m.gone;
        if (rc) {
            gone = true;
            EQ(rc, E_GONE);
            EQ(disk->fault.err, E_GONE);
        }
        rig_down();
    }
    CHECK(gone && whole);
}
