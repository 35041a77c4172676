#include "driver_hand.h"

/* What must hold for every generation alike. */
enum { BLOCKS = 1u << 22 };

static struct disk *with_one_ld(enum model_mfi_generation g)
{
    world(g);
    model_mfi_add_ld(&mfi, 0, BLOCKS);
    model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_ONLINE);
    EQ(up(), OK);
    return disk_named("megaraid0.vd0");
}

#define EACH_GENERATION(g)                                                                                   \
    for (enum model_mfi_generation g = 0; g < MODEL_MFI_ALL; g = (enum model_mfi_generation)(g + 1))

TEST(every_generation_comes_up_and_is_handed_back)
{
    EACH_GENERATION(g)
    {
        struct disk *d = with_one_ld(g);

        CHECK(d->ops != NULL);
        EQ(d->lba_count, BLOCKS);
        EQ(mfi.seen.inits, 1);
        down();
        EQ(mfi.seen.flushes, 1);
        EQ(mfi.seen.hand_backs, 1);
        EQ(mfi.seen.resets, 0);
        EQ(mfi.state, MODEL_MFI_READY);
        EQ(mfi.violations, 0);
    }
}

TEST(every_generation_reads_the_right_data_in_every_size)
{
    static const uint32_t blocks[] = { 1, 8, 128, 129, 256, 1024, 1025, 2048, 4096 + 8, 8192 };

    EACH_GENERATION(g)
    {
        struct disk *d = with_one_ld(g);
        struct io_lane *l = hand_open(d, 4, 8192 * 512, false);

        for (unsigned i = 0; i < ARRAY_COUNT(blocks); i++) {
            EQ(read_once(l, 1000 + i, blocks[i]).status, IO_OK);
            CHECK(data_is(l, 0, 0, 1000 + i, blocks[i]));
            EQ(read_once(l, BLOCKS - blocks[i], blocks[i]).status, IO_OK);
            CHECK(data_is(l, 0, 0, BLOCKS - blocks[i], blocks[i]));
        }
        d->ops->close(l);
        down();
    }
}

TEST(every_generation_keeps_many_reads_in_flight_in_any_order)
{
    EACH_GENERATION(g)
    {
        struct disk *d = with_one_ld(g);
        struct io_lane *l = hand_open(d, 64, 65536, true);
        struct io_completion c[64];

        mfi.ooo_step_ns = 100 * NS_PER_US;
        for (unsigned lap = 0; lap < 40; lap++) {
            for (unsigned i = 0; i < 64; i++)
                hand_send(l, i, (lap * 64 + i) * 131, 1 + (i + lap) % 128);
            EQ(hand_wait_ms(l, c, 64, 1000), 64);
            for (unsigned i = 0; i < 64; i++) {
                unsigned s = c[i].slot;

                EQ(c[i].status, IO_OK);
                CHECK(data_is(l, s, 0, (lap * 64 + s) * 131, 1 + (s + lap) % 128));
            }
        }
        EQ(inside()->free_count, inside()->io_frames);
        EQ(mfi_lane_of(l)->in_flight_count, 0);
        d->ops->close(l);
        down();
    }
}

TEST(a_frame_of_a_closed_lane_is_never_taken_for_one_of_a_new_lane)
{
    EACH_GENERATION(g)
    {
        struct disk *d = with_one_ld(g);
        struct io_lane *l = hand_open(d, 4, 4096, true);

        for (unsigned i = 0; i < 4; i++)
            hand_send(l, i, 8 * i, 8);
        struct io_completion c[4];
        EQ(hand_wait_ms(l, c, 4, 1000), 4);
        d->ops->close(l);
        inside()->lane_serial--; /* as after 65535 more lanes */
        l = hand_open(d, 4, 65536, true);
        for (unsigned i = 0; i < 4; i++)
            hand_send(l, i, 800 + 8 * i, 8);
        EQ(hand_wait_ms(l, c, 4, 1000), 4);
        for (unsigned i = 0; i < 4; i++)
            CHECK(data_is(l, i, 0, 800 + 8 * i, 8));
        d->ops->close(l);
        down();
    }
}
