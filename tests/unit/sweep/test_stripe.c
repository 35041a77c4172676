#include "stripe.h"
#include <string.h>
#include "sweep_hand.h"

/* Several disks as one: each LBA of the array is read once, from the member that has it. */

static struct fake_request logs[4][20000];
static struct disk *array;

static void up(unsigned count, uint32_t chunk_bytes)
{
    struct disk *members[HAND_DISKS];

    hand_up(count);
    for (unsigned i = 0; i < count; i++) {
        hand.fake[i].log = logs[i];
        hand.fake[i].log_cap = ARRAY_COUNT(logs[i]);
        hand.fake[i].disk.lba_count = 10 * 128 + 5 + i;
        members[i] = &hand.fake[i].disk;
    }
    EQ(stripe_make(members, count, chunk_bytes, "stripe0", &array), OK);
    hand.step.lane_count = 1;
    hand.lane[0].disk = array;
    hand.disks = count;
}
static void down(void)
{
    engine_end(hand.e);
    hand.e = NULL;
    for (unsigned i = 0; i < hand.disks; i++) {
        EQ(hand.fake[i].violations, 0);
        EQ(hand.fake[i].open_lanes, 0);
    }
    stripe_free(array);
    EQ(model_live_allocs(), 0);
}

TEST(an_array_reads_each_block_of_its_members_once_whatever_block_and_chunk_are)
{
    static const uint32_t chunks[] = { 512, 4096, 65536 }, blocks[] = { 512, 1536, 4096, 65536, 1 << 20 };
    static uint8_t seen[4][2000];

    for (unsigned c = 0; c < ARRAY_COUNT(chunks); c++)
        for (unsigned b = 0; b < ARRAY_COUNT(blocks); b++) {
            up(3, chunks[c]);
            uint64_t per_member = array->lba_count / 3;
            EQ(per_member, 1285 / (chunks[c] / 512) * (chunks[c] / 512));
            hand_job(0)->block_bytes = blocks[b];
            hand_job(0)->iodepth = 4;
            hand_begin();
            hand_run();
            EQ(hand_result(0)->bytes, array->lba_count * 512);
            EQ(hand_result(0)->errors, 0);
            memset(seen, 0, sizeof(seen));
            for (unsigned m = 0; m < 3; m++)
                for (unsigned i = 0; i < hand.fake[m].log_count; i++)
                    for (unsigned k = 0; k < logs[m][i].blocks; k++)
                        seen[m][logs[m][i].lba + k]++;
            for (unsigned m = 0; m < 3; m++)
                for (unsigned k = 0; k < 1285; k++)
                    EQ(seen[m][k], k < per_member);
            down();
        }
}

TEST(chunks_take_turns_and_a_request_is_one_piece_per_member)
{
    up(2, 4096);
    hand_job(0)->block_bytes = 4 * 4096;
    hand_job(0)->io_bytes = 8 * 4096;
    hand_begin();
    hand_run();
    for (unsigned m = 0; m < 2; m++) {
        EQ(hand.fake[m].log_count, 2);
        EQ(logs[m][0].lba, 0);
        EQ(logs[m][0].blocks, 16);
        EQ(logs[m][1].lba, 16);
    }
    down();
}

TEST(two_disks_are_twice_as_fast_as_one)
{
    up(2, 65536);
    for (unsigned i = 0; i < 2; i++) {
        hand.fake[i].disk.lba_count = GIB / 512;
        hand.fake[i].bytes_per_s = 100000000;
    }
    stripe_free(array);
    struct disk *members[] = { &hand.fake[0].disk, &hand.fake[1].disk };
    EQ(stripe_make(members, 2, 65536, "stripe0", &array), OK);
    hand.lane[0].disk = array;
    hand_job(0)->block_bytes = MIB;
    hand_job(0)->iodepth = 4;
    hand_job(0)->size_bytes = 256 * MIB;
    hand_begin();
    hand_run();
    CHECK(step_bytes_per_s(hand_result(0)) > 190000000 && step_bytes_per_s(hand_result(0)) <= 200000000);
    down();
}

TEST(a_bad_block_of_a_member_is_named_as_a_block_of_the_array)
{
    unsigned count;

    up(2, 4096);
    hand.fake[1].bad_lba = 11; /* second chunk of the second member: array chunk 3, LBA 3 in it */
    hand.fake[1].bad_count = 1;
    hand_job(0)->block_bytes = 4096;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->errors, 1);
    const struct io_error_record *e = engine_errors(hand.e, 0, &count);
    EQ(count, 1);
    EQ(e->lba, 24);
    engine_locate_errors(hand.e);
    EQ(engine_errors(hand.e, 0, &count)->lba, 27);
    uint64_t lba = 0;
    CHECK(stripe_member_of(array, 27, &lba) == &hand.fake[1].disk);
    EQ(lba, 11);
    CHECK(!stripe_member_of(array, array->lba_count, &lba));
    CHECK(!stripe_member_of(&hand.fake[1].disk, 11, &lba)); /* no array */
    CHECK(stripe_member(array, 1) == &hand.fake[1].disk && !stripe_member(array, 2));
    EQ(stripe_chunk_bytes(array), 4096);
    down();
}

TEST(a_member_that_dies_or_takes_nothing_ends_the_array_and_not_the_program)
{
    for (unsigned k = 0; k < 3; k++) {
        up(2, 4096);
        model_relax_step_ns = NS_PER_MS;
        hand_job(0)->iodepth = 8;
        hand_job(0)->block_bytes = 16384;
        if (k == 0)
            hand.fake[1].die_at = 20;
        else if (k == 1)
            hand.fake[1].hang_at = 5;
        else
            hand.fake[1].take_at_most = 1;
        hand_begin();
        hand_run();
        CHECK(k == 2 ? hand_result(0)->errors == 0 && hand_result(0)->bytes == array->lba_count * 512
                     : hand_result(0)->errors > 0);
        down();
    }
}

TEST(members_that_do_not_fit_together_are_refused_and_leave_nothing)
{
    struct disk *members[STRIPE_MAX_MEMBERS + 1];

    hand_up(2);
    for (unsigned i = 0; i <= STRIPE_MAX_MEMBERS; i++)
        members[i] = &hand.fake[i & 1].disk;
    EQ(stripe_make(members, 1, 4096, "s", &array), E_LIMIT);
    EQ(stripe_make(members, STRIPE_MAX_MEMBERS + 1, 4096, "s", &array), E_LIMIT);
    EQ(stripe_make(members, 2, 0, "s", &array), E_LIMIT);
    EQ(stripe_make(members, 2, 1000, "s", &array), E_LIMIT);
    hand.fake[1].disk.lba_count = 7;
    EQ(stripe_make(members, 2, 4096, "s", &array), E_LIMIT);
    hand.fake[1].disk.lba_bytes = 4096;
    EQ(stripe_make(members, 2, 4096, "s", &array), E_LIMIT);
    CHECK(!array);
    stripe_free(NULL);
    EQ(model_live_allocs(), 0);
}
