#include "driver_hand.h"
#include <string.h>

enum { T0 = 0, PD = 0x100 };

static struct disk *with_one_ld(enum model_mfi_generation g)
{
    world(g);
    model_mfi_add_ld(&mfi, T0, 1u << 22);
    EQ(up(), OK);
    return disk_named("megaraid0.vd0");
}

static void close_lane(struct io_lane *l) { l->disk->ops->close(l); }

TEST(a_read_brings_the_blocks_that_were_asked_for)
{
    for (unsigned g = 0; g < MODEL_MFI_GENERATIONS; g++) {
        struct io_lane *l = hand_open(with_one_ld(g), 4, 65536, true);

        hand_send(l, 2, 1000, 128);
        struct io_completion c;
        EQ(hand_wait_ms(l, &c, 1, 1000), 1);
        EQ(c.slot, 2);
        EQ(c.status, IO_OK);
        EQ(c.detail, 0);
        CHECK(data_is(l, 2, T0, 1000, 128));
        close_lane(l);
        down();
    }
}

TEST(many_reads_in_flight_come_back_each_with_its_own_data_in_any_order)
{
    struct disk *d = with_one_ld(MODEL_MFI_2108);
    struct io_lane *l = hand_open(d, 64, 4096, true);
    struct io_completion c[64];

    mfi.latency_ns = 100 * NS_PER_US;
    mfi.ooo_step_ns = 50 * NS_PER_US;
    for (unsigned i = 0; i < 64; i++)
        hand_send(l, i, 8 * i * 7919 % 4000000, 8);
    CHECK(mfi.seen.max_in_flight == 64);
    EQ(hand_wait_ms(l, c, 64, 1000), 64);
    for (unsigned i = 0; i < 64; i++) {
        EQ(c[i].status, IO_OK);
        CHECK(data_is(l, i, T0, 8 * i * 7919 % 4000000, 8));
    }
    EQ(inside()->free_count, inside()->io_frames);
    for (unsigned i = 0; i < l->depth; i++)
        CHECK(!mfi_lane_of(l)->slots.slot[i].busy);
    close_lane(l);
    down();
}

TEST(a_long_read_is_split_and_scattered)
{
    world(MODEL_MFI_2108);
    model_mfi_add_ld(&mfi, T0, 1u << 22);
    mfi.max_request_sectors = 320; /* 160 KiB: two and a half segments */
    EQ(up(), OK);
    struct disk *d = disk_named("megaraid0.vd0");
    EQ(d->max_command_bytes, 160 * 1024);
    struct io_lane *l = hand_open(d, 3, 1 << 20, true);
    EQ(l->command_bytes, 160 * 1024);
    unsigned long before = mfi.seen.reads;
    hand_send(l, 1, 777, 2048);
    struct io_completion c;
    EQ(hand_wait_ms(l, &c, 1, 1000), 1);
    EQ(c.status, IO_OK);
    EQ(mfi.seen.reads - before, 7);
    CHECK(data_is(l, 1, T0, 777, 2048));
    close_lane(l);
    down();
}

TEST(a_single_scatter_entry_is_enough_for_any_size)
{
    world(MODEL_MFI_1078);
    model_mfi_add_ld(&mfi, T0, 1u << 22);
    mfi.max_sge = 1;
    EQ(up(), OK);
    struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 2, 1 << 20, false);
    EQ(l->command_bytes, 65536);
    EQ(read_once(l, 5, 2048).status, IO_OK);
    CHECK(data_is(l, 0, T0, 5, 2048));
    close_lane(l);
    down();
}

TEST(the_longest_scatter_list_that_a_command_can_have)
{
    world(MODEL_MFI_2108);
    model_mfi_add_ld(&mfi, T0, 1u << 22);
    mfi.max_request_sectors = 2048;
    mfi.max_strips_per_io = 0;
    EQ(up(), OK);
    struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 2, 1 << 20, false);
    EQ(l->command_bytes, 1 << 20);
    EQ(read_once(l, 5, 2048).status, IO_OK);
    CHECK(data_is(l, 0, T0, 5, 2048));
    close_lane(l);
    down();
}

TEST(blocks_of_4096_bytes_and_lbas_above_32_bits)
{
    world(MODEL_MFI_2108);
    struct model_mfi_ld *ld = model_mfi_add_ld(&mfi, T0, 1u << 22);
    ld->medium.block_bytes = 4096;
    ld->medium.blocks = 0x300000000ull;
    model_mfi_add_pd(&mfi, 12, 4, MODEL_MFI_PD_SYSTEM)->medium.blocks = 0x1200000000ull;
    EQ(up(), OK);
    struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 2, 65536, false);
    EQ(read_once(l, 0x2abcdef01ull, 16).status, IO_OK);
    CHECK(data_is(l, 0, T0, 0x2abcdef01ull, 16));
    EQ(read_once(l, 0x2ffffffffull, 1).status, IO_OK);
    CHECK(data_is(l, 0, T0, 0x2ffffffffull, 1));
    close_lane(l);
    l = hand_open(disk_named("megaraid0.pd12"), 2, 65536, false);
    EQ(read_once(l, 0x1182345678ull, 128).status, IO_OK);
    CHECK(data_is(l, 0, PD + 12, 0x1182345678ull, 128));
    CHECK(mfi.seen.cdbs[0x88] > 0);
    close_lane(l);
    down();
}

TEST(a_jbod_drive_is_read_by_scsi_commands)
{
    world(MODEL_MFI_1078);
    struct model_mfi_pd *pd = model_mfi_add_pd(&mfi, 0xfe, 4, MODEL_MFI_PD_SYSTEM);
    EQ(up(), OK);
    struct io_lane *l = hand_open(disk_named("megaraid0.pd254"), 8, 1 << 20, true);
    hand_send(l, 7, pd->medium.blocks - 2048, 2048);
    struct io_completion c;
    EQ(hand_wait_ms(l, &c, 1, 1000), 1);
    EQ(c.status, IO_OK);
    CHECK(data_is(l, 7, PD + 0xfe, pd->medium.blocks - 2048, 2048));
    CHECK(mfi.seen.cdbs[0x28] > 0);
    EQ(mfi.seen.frames[1], 0);
    close_lane(l);
    down();
}

TEST(beyond_the_end_nothing_reaches_the_card)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);
    unsigned long before = mfi.submitted;

    EQ(read_once(l, (1u << 22) - 7, 8).status, IO_REFUSED);
    EQ(read_once(l, 1u << 22, 1).status, IO_REFUSED);
    EQ(read_once(l, UINT64_MAX, 8).status, IO_REFUSED);
    EQ(read_once(l, 0, 0).status, IO_REFUSED);
    EQ(read_once(l, 0, 9).status, IO_REFUSED);
    EQ(read_once(l, 0, UINT32_MAX).status, IO_REFUSED);
    EQ(mfi.submitted, before);
    EQ(read_once(l, (1u << 22) - 8, 8).status, IO_OK);
    close_lane(l);
    down();
}

/* The drive became smaller behind our back. */
TEST(the_cards_own_end_of_the_disk_is_a_device_error_in_words)
{
    struct disk *d = with_one_ld(MODEL_MFI_2108);
    struct io_lane *l = hand_open(d, 2, 4096, false);

    mfi.ld[0].medium.blocks = 1000;
    struct io_completion c = read_once(l, 2000, 8);
    EQ(c.status, IO_DEVICE_ERROR);
    EQ(c.error_lba, 2000);
    words_are(d, c.detail, "LBA out of range");
    EQ(read_once(l, 0, 8).status, IO_OK);
    close_lane(l);
    down();
}

TEST(a_bad_block_is_a_media_error_at_the_command_that_met_it)
{
    world(MODEL_MFI_2108);
    model_mfi_add_ld(&mfi, T0, 1u << 22)->medium.bad[0].first = 900;
    mfi.ld[0].medium.bad[0].count = 2;
    EQ(up(), OK);
    struct disk *d = disk_named("megaraid0.vd0");
    d->max_command_bytes = 65536;
    struct io_lane *l = hand_open(d, 2, 1 << 20, false);
    struct io_completion c = read_once(l, 0, 2048);
    EQ(c.status, IO_MEDIA_ERROR);
    EQ(c.error_lba, 896);
    words_are(d, c.detail, "medium error: unrecovered read error");
    c = read_once(l, 896, 128);
    EQ(c.status, IO_MEDIA_ERROR);
    EQ(read_once(l, 1024, 128).status, IO_OK);
    EQ(inside()->free_count, inside()->io_frames);
    close_lane(l);
    down();
}

static const uint8_t medium_error[18] = { 0x70, 0, 3, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x11, 0 };
static const uint8_t recovered[18] = { 0x70, 0, 1, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x17, 0 };

TEST(sense_of_one_command_is_not_taken_for_that_of_the_next)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 1, 4096, false);
    struct io_completion c;

    hand_send(l, 0, 8, 8);
    change_answer(l, 0x2d, 2, medium_error);
    EQ(hand_wait_ms(l, &c, 1, 0), 1);
    EQ(c.status, IO_MEDIA_ERROR);
    hand_send(l, 0, 8, 8);
    change_answer(l, 0x2d, 2, NULL);
    EQ(hand_wait_ms(l, &c, 1, 0), 1);
    EQ(c.status, IO_DEVICE_ERROR);
    EQ(mfi_detail_sense_key(c.detail), 0);
    close_lane(l);
    down();
}

TEST(a_recovered_error_is_good_data)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 1, 4096, false);
    struct io_completion c;

    hand_send(l, 0, 8, 8);
    change_answer(l, 0x2d, 2, recovered);
    EQ(hand_wait_ms(l, &c, 1, 0), 1);
    EQ(c.status, IO_OK);
    EQ(c.detail, 0);
    close_lane(l);
    down();
}

TEST(statuses_known_and_unknown_end_in_words)
{
    static const struct {
        uint8_t value;
        const char *part;
    } cases[] = {
        { 0x0c, "no such device" },
        { 0x33, "virtual drive offline" },
        { 0x18, "being initialised" },
        { 0x2e, "failed in transport" },
        { 0x99, "unknown status (MFI status 0x99)" },
        { 0xfe, "unknown status" },
        { 0x01, "frame command unknown" },
    };
    struct disk *d = with_one_ld(MODEL_MFI_1078);
    struct io_lane *l = hand_open(d, 1, 4096, false);

    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        mfi.nth_status = mfi.seen.reads + 1;
        mfi.status_value = cases[i].value;
        struct io_completion c = read_once(l, 80, 8);
        EQ(c.status, IO_DEVICE_ERROR);
        EQ(c.error_lba, 80);
        words_are(d, c.detail, cases[i].part);
    }
    EQ(read_once(l, 80, 8).status, IO_OK);
    EQ(card->fault.err, OK);
    close_lane(l);
    down();
}

TEST(a_reset_behind_the_card_is_retried_and_counted)
{
    struct disk *d = with_one_ld(MODEL_MFI_2108);
    struct io_lane *l = hand_open(d, 1, 4096, false);

    mfi.ld[0].medium.unit_attentions = 2;
    struct io_completion c = read_once(l, 80, 8);
    EQ(c.status, IO_OK);
    EQ(c.retries, 2);
    CHECK(data_is(l, 0, T0, 80, 8));
    mfi.ld[0].medium.unit_attentions = 100;
    c = read_once(l, 88, 8);
    EQ(c.status, IO_DEVICE_ERROR);
    EQ(c.retries, 3);
    words_are(d, c.detail, "unit attention");
    close_lane(l);
    down();
}

TEST(several_lanes_share_the_frames_fairly)
{
    world(MODEL_MFI_2108);
    mfi.max_cmds = 37; /* 32 frames for I/O */
    for (unsigned i = 0; i < 4; i++)
        model_mfi_add_ld(&mfi, (uint8_t)i, 1u << 22);
    EQ(up(), OK);
    EQ(inside()->io_frames, 32);
    struct io_lane *l[4];
    struct io_completion c[32];
    for (unsigned i = 0; i < 4; i++)
        l[i] = hand_open(card->disks[i], 32, 4096, true);
    EQ(inside()->share, 8);
    mfi.latency_ns = NS_PER_MS;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned s = 0; s < 32; s++)
            hand_send(l[i], s, (uint64_t)s * 8 + 100 * i, 8);
    EQ(mfi.in_flight, 32);
    for (unsigned i = 0; i < 4; i++)
        EQ(mfi_lane_of(l[i])->in_flight_count, 8);
    for (unsigned i = 0; i < 4; i++)
        EQ(hand_wait_ms(l[i], c, 32, 1000), 32);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned s = 0; s < 32; s++)
            CHECK(data_is(l[i], s, inside()->lds.entry[i].target_id, (uint64_t)s * 8 + 100 * i, 8));
    for (unsigned i = 0; i < 4; i++)
        close_lane(l[i]);
    EQ(inside()->share, 32);
    down();
}

TEST(a_wrong_or_busy_slot_is_not_taken)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);
    struct io_request r[2] = { { .lba = 0, .blocks = 8, .slot = 0 }, { .lba = 8, .blocks = 8, .slot = 0 } };
    struct io_completion c;

    EQ(l->disk->ops->submit(l, r, 2), 1);
    r[1].slot = 2;
    EQ(l->disk->ops->submit(l, &r[1], 1), 0);
    r[1].slot = 0xffff;
    EQ(l->disk->ops->submit(l, &r[1], 1), 0);
    l->disk->ops->kick(l);
    EQ(hand_wait_ms(l, &c, 1, 100), 1);
    close_lane(l);
    down();
}

TEST(shapes_beyond_the_device_are_refused)
{
    struct disk *d = with_one_ld(MODEL_MFI_2108);
    const struct lane_shape bad[] = {
        { .depth = 0, .request_bytes = 4096 },
        { .depth = (uint16_t)(d->max_depth + 1), .request_bytes = 4096 },
        { .depth = 0xffff, .request_bytes = 4096 },
        { .depth = 1, .request_bytes = 0 },
        { .depth = 1, .request_bytes = 511 },
        { .depth = 512, .request_bytes = 1u << 30, .buffer_per_slot = true },
        { .depth = 1, .request_bytes = 0xfffffe00 },
    };
    struct io_lane *l;

    for (unsigned i = 0; i < ARRAY_COUNT(bad); i++) {
        EQ(d->ops->open(d, &bad[i], &l), E_LIMIT);
        CHECK(!l);
    }
    down();
}

TEST(every_failed_allocation_of_a_lane_leaves_nothing)
{
    struct disk *d = with_one_ld(MODEL_MFI_2108);
    const struct lane_shape shape = { .depth = 4, .request_bytes = 4096 };
    long before = model_live_allocs();

    for (long k = 0; k < 6; k++) {
        struct io_lane *l = NULL;

        model_fail_alloc_at = model_alloc_count + k;
        EQ(d->ops->open(d, &shape, &l), E_NOMEM);
        EQ(model_live_allocs(), before);
    }
    model_fail_alloc_at = -1;
    struct io_lane *l = hand_open(d, 4, 4096, false);
    close_lane(l);
    down();
}

/* ---- what does not come back ---- */
TEST(a_late_answer_within_the_last_chance_is_an_answer)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);
    struct io_completion c;

    mfi.nth_late = mfi.seen.reads + 1;
    mfi.late_ns = NS_PER_S;
    hand_send(l, 0, 8, 8);
    EQ(hand_wait_ms(l, &c, 1, 10), 0);
    l->disk->ops->expire(l, 0);
    CHECK(!l->dead);
    EQ(hand_wait_ms(l, &c, 1, 0), 1);
    EQ(c.status, IO_OK);
    CHECK(data_is(l, 0, T0, 8, 8));
    close_lane(l);
    down();
}

TEST(a_lost_frame_ends_the_card_within_two_seconds_and_every_slot_is_told)
{
    world(MODEL_MFI_2108);
    model_mfi_add_ld(&mfi, 0, 1u << 22);
    model_mfi_add_ld(&mfi, 1, 1u << 22);
    EQ(up(), OK);
    struct io_lane *a = hand_open(card->disks[0], 3, 4096, false),
                   *b = hand_open(card->disks[1], 2, 4096, false);
    struct io_completion c[3];

    mfi.latency_ns = 10 * NS_PER_S;
    mfi.nth_lost = mfi.seen.reads + 1;
    hand_send(a, 1, 88, 8);
    hand_send(a, 0, 96, 8);
    hand_send(b, 1, 8, 8);
    uint64_t begin_ns = model_clock_ns;
    a->disk->ops->expire(a, 1);
    CHECK(model_clock_ns - begin_ns > 19 * NS_PER_S / 10);
    CHECK(model_clock_ns - begin_ns < 22 * NS_PER_S / 10);
    CHECK(a->dead && b->dead);
    EQ(card->fault.err, E_TIMEOUT);
    EQ(a->disk->fault.err, E_TIMEOUT);
    EQ(b->disk->fault.err, E_TIMEOUT);
    EQ(hand_wait_ms(a, c, 3, 0), 2);
    for (unsigned i = 0; i < 2; i++)
        EQ(c[i].status, c[i].slot == 1 ? IO_TIMED_OUT : IO_LOST);
    EQ(c[0].slot == 1 ? c[0].error_lba : c[1].error_lba, 88);
    words_are(a->disk, c[0].detail, "not answered");
    EQ(hand_wait_ms(b, c, 3, 0), 1);
    EQ(c[0].slot, 1);
    EQ(c[0].status, IO_LOST);
    /* Nothing more is taken. */
    struct io_request r = { .lba = 0, .blocks = 8, .slot = 0 };
    EQ(a->disk->ops->submit(a, &r, 1), 0);
    struct io_lane *again;
    const struct lane_shape shape = { .depth = 1, .request_bytes = 4096 };
    EQ(a->disk->ops->open(a->disk, &shape, &again), E_TIMEOUT);
    close_lane(a);
    close_lane(b);
    model_advance_ns(20 * NS_PER_S); /* late answers still find their memory */
    down();                          /* the firmware lets go: all memory is back */
    EQ(mfi.seen.hand_backs, 1);
}

TEST(buffers_of_a_lost_frame_stay_with_a_firmware_that_does_not_let_go)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);
    struct io_completion c;

    mfi.hand_back_ns = MODEL_MFI_NEVER;
    mfi.hand_back_state = MODEL_MFI_OPERATIONAL;
    mfi.nth_lost = mfi.seen.reads + 1;
    hand_send(l, 0, 88, 8);
    l->disk->ops->expire(l, 0);
    EQ(hand_wait_ms(l, &c, 1, 0), 1);
    close_lane(l);
    mfi_driver.detach(card);
    EQ(model_live_allocs(), 4); /* queue, frames, management buffers, the lane's buffer */
    EQ_STR(model_first_violation(), "");
}

TEST(a_deadline_that_passed_while_the_answer_lay_there_is_no_timeout)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);
    struct io_completion c;

    hand_send(l, 0, 8, 8);
    model_advance_ns(NS_PER_S);
    l->disk->ops->expire(l, 0);
    l->disk->ops->expire(l, 0);
    l->disk->ops->expire(l, 1); /* not in flight: nothing to do */
    l->disk->ops->expire(l, 2);
    EQ(hand_wait_ms(l, &c, 1, 0), 1);
    EQ(c.status, IO_OK);
    close_lane(l);
    down();
}

TEST(a_request_that_waits_for_frames_can_time_out_alone)
{
    world(MODEL_MFI_2108);
    mfi.max_cmds = 4; /* 2 frames for I/O */
    mfi.max_request_sectors = 512;
    model_mfi_add_ld(&mfi, 0, 1u << 22);
    EQ(up(), OK);
    struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 2, 1 << 20, false);
    struct io_completion c[2];

    mfi.latency_ns = NS_PER_S;
    hand_send(l, 0, 0, 2048); /* takes both frames */
    hand_send(l, 1, 4096, 8);
    l->disk->ops->expire(l, 1);
    CHECK(!l->dead);
    EQ(hand_wait_ms(l, c, 1, 10), 1);
    EQ(c[0].slot, 1);
    EQ(c[0].status, IO_TIMED_OUT);
    EQ(hand_wait_ms(l, c, 1, 20000), 1);
    EQ(c[0].status, IO_OK);
    close_lane(l);
    down();
}

TEST(a_breakdown_is_noticed_by_polling_alone)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);
    struct io_completion c;
    unsigned got = 0;

    mfi.nth_fault = mfi.seen.reads + 1;
    hand_send(l, 0, 8, 8);
    for (unsigned i = 0; i < 70000 && !got; i++)
        got = l->disk->ops->poll(l, &c, 1);
    EQ(got, 1);
    EQ(c.status, IO_LOST);
    CHECK(l->dead);
    EQ(card->fault.err, E_PROTO);
    HAS_STR(card->fault.what, "state FAULT");
    close_lane(l);
    mfi_driver.detach(card);
    card = NULL;
    EQ(model_live_allocs(), 4);
    EQ(mfi.seen.resets, 0);
}

TEST(a_card_that_vanishes_is_gone_and_everything_is_told)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_1078), 2, 4096, false);
    struct io_completion c[2];

    mfi.nth_vanish = mfi.seen.reads + 1;
    hand_send(l, 0, 8, 8);
    hand_send(l, 1, 16, 8);
    uint64_t begin_ns = model_clock_ns;
    l->disk->ops->expire(l, 0);
    CHECK(model_clock_ns - begin_ns < NS_PER_S);
    EQ(hand_wait_ms(l, c, 2, 0), 2);
    EQ(card->fault.err, E_GONE);
    close_lane(l);
    mfi_driver.detach(card);
}

TEST(a_frame_whose_context_was_overwritten_fails_alone_until_there_are_too_many)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);
    struct io_completion c;

    for (unsigned n = 0; n <= MFI_MAX_STRAYS; n++) {
        hand_send(l, 0, 8, 8);
        EQ(inside()->lanes->in_flight_count, 1);
        model_advance_ns(NS_PER_S);
        mfi_slot(inside(), inside()->lanes->in_flight[0]->number)[8] ^= 0x80;
        EQ(hand_wait_ms(l, &c, 1, 100), 1);
        EQ(c.status, IO_DEVICE_ERROR);
        EQ(inside()->strays, n + 1);
        if (n < MFI_MAX_STRAYS)
            EQ(read_once(l, 16, 8).status, IO_OK);
        EQ(l->dead, n == MFI_MAX_STRAYS);
    }
    EQ(card->fault.err, E_PROTO);
    close_lane(l);
    down();
}

TEST(a_context_of_nobody_in_the_reply_ring_is_not_followed)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);

    mfi.posts_polled_frames = true;
    mfi.nth_garbage_context = mfi.seen.reads + 1;
    EQ(read_once(l, 8, 8).status, IO_OK);
    EQ(read_once(l, 16, 8).status, IO_OK);
    EQ(card->fault.err, OK);
    close_lane(l);
    down();
}

TEST(closing_waits_for_what_is_in_flight)
{
    struct io_lane *l = hand_open(with_one_ld(MODEL_MFI_2108), 2, 4096, false);

    mfi.latency_ns = NS_PER_S;
    hand_send(l, 0, 8, 8);
    hand_send(l, 1, 8, 8);
    close_lane(l);
    EQ(card->fault.err, OK);
    EQ(inside()->free_count, inside()->io_frames);
    down();
}

TEST(nothing_but_reads_and_named_queries_was_ever_sent)
{
    world(MODEL_MFI_2108);
    model_mfi_add_ld(&mfi, 0, 1u << 22);
    model_mfi_add_pd(&mfi, 12, 4, MODEL_MFI_PD_SYSTEM);
    EQ(up(), OK);
    struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 2, 4096, false);
    EQ(read_once(l, 8, 8).status, IO_OK);
    close_lane(l);
    down();
    for (unsigned i = 0; i < 16; i++)
        if (i != 0 && i != 1 && i != 3 && i != 4 && i != 5)
            EQ(mfi.seen.frames[i], 0);
    for (unsigned i = 0; i < mfi.seen.opcode_count; i++)
        CHECK(gate_permits(GATE_MFI_DCMD, mfi.seen.opcodes[i], 0));
    EQ(mfi.seen.refused_writes, 0);
}

TEST(a_management_command_that_the_gate_does_not_know_stays_here)
{
    static const struct mfi_op shutdown = { 0x01050000, "shutdown", 1000, false };
    static const uint8_t write[10] = { 0x2a }, sanitize[10] = { 0x48 }, service[16] = { 0x9e, 0x11 };
    const struct mfi_address ld = { .cmd = MFI_LD_SCSI_IO }, ld_write = { .cmd = 2 };
    uint8_t reply[8];
    uint32_t got;

    with_one_ld(MODEL_MFI_2108);
    unsigned long before = mfi.submitted;
    EQ(mfi_dcmd(inside(), &shutdown, (struct mfi_mbox){ { 0 } }, NULL, 0), E_REFUSED);
    EQ(mfi_scsi_in(inside(), ld, write, 10, reply, 8, &got), E_REFUSED);
    EQ(mfi_scsi_in(inside(), ld, sanitize, 10, reply, 8, &got), E_REFUSED);
    EQ(mfi_scsi_in(inside(), ld, service, 16, reply, 8, &got), E_REFUSED);
    EQ(mfi_scsi_in(inside(), ld_write, service, 16, reply, 8, &got), E_REFUSED);
    EQ(mfi.submitted, before);
    down();
}
