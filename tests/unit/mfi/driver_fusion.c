#include "driver_hand.h"

/* What is peculiar to fusion cards: requests, the reply ring, two layouts of the RAID context. */
enum { BLOCKS = 1u << 22 };

#define EACH_FUSION(g)                                                                                       \
    for (enum model_mfi_generation g = MODEL_MFI_THUNDERBOLT; g < MODEL_MFI_ALL;                             \
         g = (enum model_mfi_generation)(g + 1))

static void with_ld(enum model_mfi_generation g)
{
    world(g);
    model_mfi_add_ld(&mfi, 0, BLOCKS);
    model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_ONLINE);
}

static void small_card(uint16_t commands)
{
    mfi.max_cmds = commands;
    if (mfi.scratch2 & 0xffff)
        mfi.scratch2 = commands;
}

TEST(virtual_drives_are_read_by_requests_and_management_goes_inside_of_them)
{
    EACH_FUSION(g)
    {
        with_ld(g);
        EQ(up(), OK);
        struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 4, 4096, false);
        unsigned long requests = mfi.seen.ld_requests;

        EQ(read_once(l, 77, 8).status, IO_OK);
        EQ(mfi.seen.ld_requests, requests + 1);
        EQ(mfi.seen.frames[1], 0);
        CHECK(mfi.seen.wrapped > 5);
        EQ(mfi.seen.capabilities, 0);
        l->disk->ops->close(l);
        down();
    }
}

TEST(the_reply_ring_wraps_many_times)
{
    static const uint16_t commands[] = { 4, 5, 15, 16, 17, 31, 33, 64 };

    EACH_FUSION(g) for (unsigned k = 0; k < ARRAY_COUNT(commands); k++)
    {
        with_ld(g);
        small_card(commands[k]);
        mfi.ooo_step_ns = 50 * NS_PER_US;
        EQ(up(), OK);
        struct disk *d = disk_named("megaraid0.vd0");
        struct io_lane *l = hand_open(d, d->max_depth < 8 ? d->max_depth : 8, 4096, true);
        struct io_completion c[8];

        EQ(inside()->ring_depth % 16, 0);
        CHECK(inside()->ring_depth > commands[k]);
        for (unsigned lap = 0; lap < 200; lap++) {
            for (unsigned i = 0; i < l->depth; i++)
                hand_send(l, i, lap * 64 + 8 * i, 8);
            EQ(hand_wait_ms(l, c, l->depth, 1000), l->depth);
            for (unsigned i = 0; i < l->depth; i++) {
                EQ(c[i].status, IO_OK);
                CHECK(data_is(l, c[i].slot, 0, lap * 64 + 8 * c[i].slot, 8));
            }
        }
        l->disk->ops->close(l);
        down();
    }
}

TEST(a_reply_of_which_only_half_is_written_is_not_yet_one)
{
    for (unsigned high = 0; high < 2; high++)
        EACH_FUSION(g)
        {
            with_ld(g);
            mfi.nth_half = 3;
            mfi.half_is_high = high;
            mfi.half_ns = 5 * NS_PER_MS;
            EQ(up(), OK);
            struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 1, 4096, false);

            for (unsigned i = 0; i < 5; i++) {
                EQ(read_once(l, 8 * i, 8).status, IO_OK);
                CHECK(data_is(l, 0, 0, 8 * i, 8));
            }
            l->disk->ops->close(l);
            down();
        }
}

/* The card answers what nobody asked: that reply counts for nothing, the others are what they were. */
static void ignored(unsigned long *nth)
{
    *nth = 3;
    EQ(up(), OK);
    struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 4, 4096, true);
    struct io_completion c[4];

    for (unsigned lap = 0; lap < 40; lap++) {
        for (unsigned i = 0; i < 4; i++)
            hand_send(l, i, lap * 64 + 8 * i, 8);
        EQ(hand_wait_ms(l, c, 4, 1000), 4);
        for (unsigned i = 0; i < 4; i++) {
            EQ(c[i].status, IO_OK);
            CHECK(data_is(l, c[i].slot, 0, lap * 64 + 8 * c[i].slot, 8));
        }
    }
    CHECK(!l->dead);
    EQ(card->fault.err, OK);
    EQ(inside()->strays, 1);
    EQ(inside()->free_count, inside()->io_frames);
    CHECK(card->driver->look_around(card) > 0);
    CHECK(has_remark(REMARK_WARN, "1 answers belonged to no command of ours"));
    EQ(card->driver->look_around(card), 0);
    l->disk->ops->close(l);
    down();
}

TEST(a_reply_for_a_request_that_nobody_sent_is_counted_and_ignored)
{
    EACH_FUSION(g)
    {
        with_ld(g);
        small_card(17); /* the ring wraps with the stray in it */
        ignored(&mfi.nth_stray);
    }
}

TEST(a_request_that_is_answered_twice_is_answered_once)
{
    EACH_FUSION(g)
    {
        with_ld(g);
        ignored(&mfi.nth_duplicate);
    }
}

TEST(a_card_that_answers_nobody_again_and_again_is_given_up)
{
    EACH_FUSION(g)
    {
        with_ld(g);
        mfi.nth_stray = mfi.nth_every = 1;
        EQ(up(), OK);
        struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 1, 4096, false);

        for (unsigned i = 0; i < MFI_MAX_STRAYS; i++)
            EQ(read_once(l, 8 * i, 8).status, IO_OK);
        EQ(card->fault.err, OK);
        EQ(read_once(l, 0, 8).status, IO_LOST);
        CHECK(l->dead);
        EQ(card->fault.err, E_PROTO);
        HAS_STR(card->fault.what, "not in flight");
        l->disk->ops->close(l);
        down();
    }
}

TEST(a_lost_request_times_out_and_its_memory_stays_until_the_card_lets_go)
{
    EACH_FUSION(g)
    {
        with_ld(g);
        mfi.nth_lost = 2;
        EQ(up(), OK);
        struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 2, 4096, false);
        struct io_completion c[2];

        hand_send(l, 0, 0, 8);
        hand_send(l, 1, 8, 8);
        EQ(hand_wait_ms(l, c, 2, 100), 1);
        l->disk->ops->expire(l, 1);
        EQ(l->disk->ops->poll(l, c, 2), 1);
        EQ(c[0].slot, 1);
        EQ(c[0].status, IO_TIMED_OUT);
        EQ(c[0].error_lba, 8);
        CHECK(l->dead);
        l->disk->ops->close(l);
        down();
    }
}

TEST(bad_sectors_and_attentions_are_told_by_the_status_in_the_request)
{
    EACH_FUSION(g)
    {
        with_ld(g);
        mfi.ld[0].medium.bad[0].first = 100;
        mfi.ld[0].medium.bad[0].count = 1;
        EQ(up(), OK);
        struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 2, 4096, false);
        struct io_completion c = read_once(l, 96, 8);

        EQ(c.status, IO_MEDIA_ERROR);
        words_are(l->disk, c.detail, "medium error");
        EQ(read_once(l, 104, 8).status, IO_OK);
        mfi.ld[0].medium.unit_attentions = 2;
        c = read_once(l, 8, 8);
        EQ(c.status, IO_OK);
        EQ(c.retries, 2);
        l->disk->ops->close(l);
        down();
    }
}

TEST(lanes_of_two_virtual_drives_share_one_reply_ring)
{
    EACH_FUSION(g)
    {
        with_ld(g);
        model_mfi_add_ld(&mfi, 5, BLOCKS);
        mfi.ooo_step_ns = 100 * NS_PER_US;
        EQ(up(), OK);
        struct io_lane *a = hand_open(disk_named("megaraid0.vd0"), 8, 4096, true);
        struct io_lane *b = hand_open(disk_named("megaraid0.vd5"), 8, 4096, true);
        struct io_completion c[8];

        for (unsigned lap = 0; lap < 20; lap++) {
            for (unsigned i = 0; i < 8; i++) {
                hand_send(a, i, 8 * i + lap, 8);
                hand_send(b, i, 16 * i + lap, 8);
            }
            model_advance_ns(10 * NS_PER_MS);
            /* Only the first is polled, in small bites; what belongs to the other waits for it. */
            unsigned got = 0;
            while (got < 8)
                got += a->disk->ops->poll(a, c + got, 3 < 8 - got ? 3 : 8 - got);
            EQ(hand_wait_ms(b, c, 8, 100), 8);
            for (unsigned i = 0; i < 8; i++) {
                CHECK(data_is(a, i, 0, 8 * i + lap, 8));
                CHECK(data_is(b, i, 5, 16 * i + lap, 8));
            }
        }
        EQ(inside()->free_count, inside()->io_frames);
        a->disk->ops->close(a);
        b->disk->ops->close(b);
        down();
    }
}

TEST(a_jbod_drive_with_a_number_beyond_8_bits_is_read_by_requests)
{
    EACH_FUSION(g)
    {
        world(g);
        model_mfi_add_pd(&mfi, 300, 4, MODEL_MFI_PD_SYSTEM);
        EQ(up(), OK);
        struct disk *d = disk_named("megaraid0.pd300");
        CHECK(d->ops != NULL);
        struct io_lane *l = hand_open(d, 2, 4096, false);

        EQ(read_once(l, 1234, 8).status, IO_OK);
        CHECK(data_is(l, 0, 0x100 + 300, 1234, 8));
        CHECK(mfi.seen.pd_requests > 0);
        l->disk->ops->close(l);
        down();
    }
}

TEST(an_aero_gets_short_descriptors_only_when_it_says_that_it_takes_them)
{
    for (unsigned atomic = 0; atomic < 2; atomic++) {
        with_ld(MODEL_MFI_AERO);
        mfi.atomic_descriptors = atomic;
        EQ(up(), OK);
        struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 2, 4096, false);

        EQ(read_once(l, 0, 8).status, IO_OK);
        CHECK(mfi.seen.zero_reads > 0);
        CHECK(mfi.seen.whole_posts > 0); /* INIT at least */
        CHECK(!!mfi.seen.atomic_posts == !!atomic);
        l->disk->ops->close(l);
        down();
    }
}

TEST(the_doorbell_is_given_time_to_be_taken_and_not_for_ever)
{
    with_ld(MODEL_MFI_INVADER);
    mfi.doorbell_busy_ns = 3 * NS_PER_S;
    EQ(up(), OK);
    down();
    with_ld(MODEL_MFI_INVADER);
    mfi.doorbell_busy_ns = MODEL_MFI_NEVER;
    EQ(up(), E_TIMEOUT);
    HAS_STR(fault.what, "doorbell");
    CHECK(model_clock_ns < 30 * NS_PER_S);
    down();
}

TEST(shy_generations_are_asked_only_what_linux_asks)
{
    static const uint32_t asked[] = { 0x01010000, 0x01040100, 0x01040300, 0x01101000, 0x02010000,
                                      0x02010100, 0x02020000, 0x03010000, 0x03020000 };

    for (enum model_mfi_generation g = MODEL_MFI_VENTURA; g < MODEL_MFI_ALL; g++) {
        with_ld(g);
        mfi.ld[0].current_policy = 0x05;
        EQ(up(), OK);
        card->driver->look_around(card);
        EQ(card->driver->raid->locate(disk_named("megaraid0.pd8"), true), E_UNSUPPORTED);
        for (unsigned i = 0; i < mfi.seen.opcode_count; i++) {
            bool known = false;

            for (unsigned k = 0; k < ARRAY_COUNT(asked); k++)
                known |= mfi.seen.opcodes[i] == asked[k];
            CHECK(known);
        }
        /* The policy comes from LD info there. */
        EQ(card->driver->raid->virtual_drive(disk_named("megaraid0.vd0"))->current_policy, 0x05);
        down();
    }
}

TEST(every_allocation_of_every_generation_may_fail)
{
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g++) {
        with_ld(g);
        EQ(up(), OK);
        long attached = model_alloc_count;
        struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 4, 4096, true);
        long opened = model_alloc_count;
        l->disk->ops->close(l);
        down();
        for (long k = 0; k < opened; k++) {
            const struct lane_shape shape = { .depth = 4, .buffer_per_slot = true, .request_bytes = 4096 };

            with_ld(g);
            model_fail_alloc_at = k;
            int rc = up();
            EQ(rc, k < attached ? E_NOMEM : OK);
            if (rc == OK)
                EQ(disk_named("megaraid0.vd0")->ops->open(disk_named("megaraid0.vd0"), &shape, &l), E_NOMEM);
            down();
        }
    }
}
