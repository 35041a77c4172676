#include "blink.h"
#include "sweep_hand.h"

static struct blink *blink;
static struct fake_disk *disk;

static void up(uint32_t seconds)
{
    hand_up(1);
    disk = &hand.fake[0];
    disk->latency_ns = 5 * NS_PER_MS;
    EQ(blink_begin(&disk->disk, seconds, &blink), OK);
}

static void down(void)
{
    blink_end(blink);
    EQ(disk->violations, 0);
    EQ(disk->open_lanes, 0);
    EQ(model_live_allocs(), 0);
}

TEST(the_light_is_on_three_times_then_dark)
{
    static const struct {
        uint32_t at_ms;
        bool lit;
    } row[] = { { 0, true },     { 299, true },   { 300, false },  { 599, false }, { 600, true },
                { 899, true },   { 900, false },  { 1200, true },  { 1499, true }, { 1500, false },
                { 1799, false }, { 1800, false }, { 2999, false }, { 3000, true }, { 3299, true },
                { 3300, false }, { 30000, true }, { 30300, false } };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++)
        EQ(blink_is_lit(&blink_rhythm, row[i].at_ms * NS_PER_MS), row[i].lit);
}

TEST(reads_come_one_at_a_time_only_while_the_light_is_to_be_on_and_end_in_time)
{
    uint64_t began_ns, last_ns = 0;

    up(6);
    began_ns = model_clock_ns;
    while (blink_go_on(blink, 200 * NS_PER_MS))
        EQ(disk->in_flight, 0);
    CHECK(model_clock_ns - began_ns >= 6 * NS_PER_S && model_clock_ns - began_ns < 6100 * NS_PER_MS);
    EQ(disk->max_in_flight, 1);
    /* Two rounds of three flashes of 300 ms, about 5 ms a read. */
    CHECK(hand_logged > 300 && hand_logged < 400);
    for (unsigned i = 0; i < hand_logged; i++) {
        CHECK(blink_is_lit(&blink_rhythm, hand_log[i].at_ns - began_ns) ||
              blink_is_lit(&blink_rhythm, hand_log[i].at_ns - began_ns - NS_PER_MS));
        CHECK(hand_log[i].lba != last_ns); /* no place twice in a row: not from the drive's cache */
        last_ns = hand_log[i].lba;
    }
    EQ(blink_report(blink)->reads, hand_logged);
    EQ(blink_report(blink)->errors, 0);
    EQ(blink_report(blink)->rounds, 2);
    EQ_STR(blink_report(blink)->reason, "");
    CHECK(!blink_go_on(blink, NS_PER_S));
    down();
}

TEST(reads_stay_inside_a_disk_of_any_size)
{
    static const uint64_t lbas[] = { 1, 2, 7, 8, 9, 1ull << 48 };

    for (unsigned i = 0; i < 2 * ARRAY_COUNT(lbas); i++) {
        hand_up(1);
        disk = &hand.fake[0];
        disk->latency_ns = NS_PER_MS;
        disk->disk.lba_count = lbas[i / 2];
        disk->disk.lba_bytes = i & 1 ? 4096 : 512;
        EQ(blink_begin(&disk->disk, 1, &blink), OK);
        while (blink_go_on(blink, NS_PER_S)) {}
        CHECK(blink_report(blink)->reads > 100);
        EQ(blink_report(blink)->errors, 0);
        down();
    }
}

TEST(reads_slower_than_the_rhythm_keep_the_time_limit)
{
    uint64_t began_ns;

    up(2);
    disk->latency_ns = 700 * NS_PER_MS;
    began_ns = model_clock_ns;
    while (blink_go_on(blink, 100 * NS_PER_MS))
        EQ(disk->in_flight, 0);
    CHECK(model_clock_ns - began_ns < 2800 * NS_PER_MS);
    CHECK(blink_report(blink)->reads >= 2);
    down();
}

TEST(a_read_that_hangs_is_expired_and_blinking_goes_on)
{
    up(10);
    disk->disk.command_deadline_ns = 2 * NS_PER_S;
    disk->hang_at = 3;
    while (blink_go_on(blink, 100 * NS_PER_MS)) {}
    EQ(disk->expires, 1);
    EQ(blink_report(blink)->errors, 1);
    CHECK(blink_report(blink)->reads > 10);
    down();
}

TEST(errors_are_counted_and_do_not_end_it)
{
    up(1);
    disk->fail_every = 2;
    while (blink_go_on(blink, NS_PER_S)) {}
    EQ(blink_report(blink)->errors, blink_report(blink)->reads / 2);
    EQ_STR(blink_report(blink)->reason, "");
    down();
}

TEST(a_disk_that_dies_or_keeps_its_slot_ends_it_with_a_reason)
{
    up(100);
    disk->die_at = 5;
    while (blink_go_on(blink, NS_PER_S)) {}
    CHECK(model_clock_ns < NS_PER_S);
    HAS_STR(blink_report(blink)->reason, "fake disk");
    down();

    up(100);
    disk->disk.command_deadline_ns = NS_PER_S;
    disk->hang_at = 5;
    disk->keeps_expired = true;
    while (blink_go_on(blink, NS_PER_S)) {}
    CHECK(model_clock_ns < 2 * NS_PER_S);
    HAS_STR(blink_report(blink)->reason, "takes no more reads");
    CHECK(!blink_go_on(blink, NS_PER_S));
    down();
}

TEST(a_disk_that_takes_nothing_costs_no_more_than_the_time)
{
    up(2);
    disk->takes_nothing = true;
    while (blink_go_on(blink, NS_PER_S)) {}
    EQ(blink_report(blink)->reads, 0);
    down();
}

TEST(what_cannot_blink_is_refused_and_leaves_nothing)
{
    static const struct disk_ops *ops;

    hand_up(1);
    disk = &hand.fake[0];
    EQ(blink_begin(&disk->disk, 0, &blink), E_LIMIT);
    EQ(blink_begin(&disk->disk, BLINK_MAX_S + 1, &blink), E_LIMIT);
    CHECK(!blink);
    ops = disk->disk.ops;
    disk->disk.ops = NULL;
    EQ(blink_begin(&disk->disk, 1, &blink), E_UNSUPPORTED);
    disk->disk.ops = ops;
    disk->open_error = E_GONE;
    EQ(blink_begin(&disk->disk, 1, &blink), E_GONE);
    CHECK(!blink);
    disk->open_error = OK;
    for (long k = 0; k < 2; k++) {
        model_fail_alloc_at = model_alloc_count + k;
        EQ(blink_begin(&disk->disk, 1, &blink), E_NOMEM);
        CHECK(!blink);
    }
    model_fail_alloc_at = -1;
    EQ(model_live_allocs(), 0);
    EQ(blink_begin(&disk->disk, BLINK_MAX_S, &blink), OK);
    CHECK(blink_go_on(blink, 0));
    down();
    blink_end(NULL);
}
