#include <string.h>
#include "perm.h"
#include "stamp.h"
#include "sweep_hand.h"

/* Jobs that verify: what the disk loses, mixes up or alters is told apart. */

enum { SMALL_LBAS = 1003 };
static uint8_t content[SMALL_LBAS * 512];

static void up(enum job_rw rw)
{
    hand_up_writable(content, SMALL_LBAS, rw);
    hand_job(0)->verify = JOB_VERIFY_STAMP;
}

static void run(void)
{
    hand_begin();
    EQ_STR(engine_lane_reason(hand.e, 0), "");
    hand_run();
}

static const struct step_writing *writing(void) { return engine_writing(hand.e, 0); }
static const struct stamp_finding *bad(unsigned i)
{
    unsigned kept;
    const struct stamp_finding *f = engine_bad_blocks(hand.e, 0, &kept);

    CHECK(i < kept);
    return f + i;
}

static const enum job_rw all_modes[] = { JOB_WRITE, JOB_RANDWRITE, JOB_RW, JOB_RANDRW };

TEST(what_was_written_is_read_back_and_sound_in_all_modes_once_and_several_times_over)
{
    static const uint64_t bytes[] = { 0, 40 * 4096, 300 * 4096, 1000 * 4096 };

    for (unsigned m = 0; m < ARRAY_COUNT(all_modes); m++)
        for (unsigned i = 0; i < ARRAY_COUNT(bytes); i++)
            for (unsigned reverse = 0; reverse < 2; reverse++) {
                up(all_modes[m]);
                hand_job(0)->io_bytes = bytes[i];
                hand_job(0)->verify_reverse = (uint8_t)reverse;
                run();
                CHECK(writing()->verify_complete && writing()->verifies);
                EQ(writing()->bad_lbas, 0);
                CHECK(writing()->verified_bytes != 0);
                if (all_modes[m] == JOB_WRITE && !bytes[i])
                    EQ(writing()->verified_bytes, sizeof(content));
                if (all_modes[m] == JOB_RANDWRITE && i != 1)
                    EQ(writing()->verified_bytes, sizeof(content) / 4096 * 4096);
                EQ(hand_result(0)->errors, 0);
                hand_down();
            }
}

TEST(reading_back_is_no_part_of_what_was_measured)
{
    up(JOB_WRITE);
    run();
    uint64_t with = hand_result(0)->run_ns;
    EQ(hand_result(0)->ios, (SMALL_LBAS + 7) / 8);
    EQ(hand_result(0)->bytes, sizeof(content));
    CHECK(writing()->verify_ns > 0);
    hand_down();
    up(JOB_WRITE);
    hand_job(0)->do_verify = 0;
    run();
    EQ(hand_result(0)->run_ns, with);
    EQ(writing()->verified_bytes, 0);
    CHECK(!writing()->verifies);
    hand_down();
}

/* Spoils the n-th write. */
static void spoil(enum job_rw rw, uint64_t *at, uint64_t n, enum stamp_kind want, unsigned lbas)
{
    *at = n;
    run();
    EQ(writing()->bad_lbas, lbas);
    EQ(writing()->bad_kind_lbas[want], lbas);
    EQ(bad(0)->kind, want);
    if (rw == JOB_WRITE)
        EQ(bad(0)->lba, (n - 1) * 8 + (want == STAMP_CORRUPT ? 4 : 0));
}

TEST(a_dropped_write_is_lost)
{
    for (unsigned m = 0; m < 2; m++) {
        up(all_modes[m]);
        spoil(all_modes[m], &hand.fake[0].drop_at, 20, STAMP_LOST, 8);
        hand_down();
    }
}

TEST(a_write_dropped_in_the_second_pass_is_stale)
{
    for (unsigned m = 0; m < 2; m++) {
        up(all_modes[m]);
        hand_job(0)->loops = 2;
        hand.fake[0].drop_at = (m ? SMALL_LBAS / 8 : (SMALL_LBAS + 7) / 8) + 20;
        run();
        EQ(writing()->bad_kind_lbas[STAMP_STALE], 8);
        EQ(writing()->bad_lbas, 8);
        EQ(bad(0)->seen_pass, 0);
        hand_down();
    }
}

TEST(swapped_writes_are_misdirected_both)
{
    up(JOB_WRITE);
    hand.fake[0].misdirect_lba = 20 * 8;
    spoil(JOB_WRITE, &hand.fake[0].swap_at, 20, STAMP_MISDIRECTED, 16);
    EQ(bad(0)->seen_lba, 20 * 8);
    hand_down();
}

TEST(a_write_that_went_elsewhere_is_lost_here_and_misdirected_there)
{
    up(JOB_WRITE);
    hand_job(0)->io_bytes = 50 * 4096;
    hand.fake[0].misdirect_at = 40;
    hand.fake[0].misdirect_lba = 8;
    run();
    EQ(writing()->bad_kind_lbas[STAMP_LOST], 8);
    EQ(writing()->bad_kind_lbas[STAMP_MISDIRECTED], 8);
    EQ(bad(0)->lba, 8);
    EQ(bad(0)->seen_lba, 39 * 8);
    hand_down();
}

TEST(one_altered_bit_is_corrupt_and_named)
{
    up(JOB_WRITE);
    spoil(JOB_WRITE, &hand.fake[0].alter_at, 9, STAMP_CORRUPT, 1);
    EQ(bad(0)->expected ^ bad(0)->seen, 0x10);
    hand_down();
}

TEST(data_that_never_arrives_is_not_taken_for_what_was_left_in_the_buffer)
{
    up(JOB_WRITE);
    hand_job(0)->iodepth = 1;
    hand_job(0)->io_bytes = 4096;
    hand.fake[0].drops_reads = true;
    run();
    EQ(writing()->bad_lbas, 8);
    hand_down();
}

TEST(the_first_sixteen_are_kept_and_all_are_counted)
{
    unsigned kept;

    up(JOB_WRITE);
    hand_job(0)->do_verify = 0;
    run();
    hand_down();
    hand_up(1);
    memset(content, 0, 100 * 512);
    hand.fake[0].disk.lba_count = SMALL_LBAS;
    hand.fake[0].content = content;
    hand_job(0)->rw = JOB_WRITE;
    hand_job(0)->verify = JOB_VERIFY_STAMP;
    hand_job(0)->verify_only = 1;
    run();
    EQ(writing()->bad_kind_lbas[STAMP_LOST], 100);
    engine_bad_blocks(hand.e, 0, &kept);
    EQ(kept, LANE_MAX_ERROR_RECORDS);
    EQ(bad(15)->lba, 15);
    EQ(hand_result(0)->bytes, sizeof(content)); /* reading back is what such a job measures */
    CHECK(writing()->verify_complete);
    EQ(hand.fake[0].writes, 0);
    hand_down();
}

TEST(verify_fatal_ends_at_the_first_bad_block)
{
    up(JOB_WRITE);
    hand_job(0)->verify_fatal = 1;
    hand.fake[0].drop_at = 3;
    run();
    CHECK(writing()->verified_bytes < sizeof(content));
    CHECK(!writing()->verify_complete);
    HAS_STR(engine_lane_reason(hand.e, 0), "verify_fatal");
    hand_down();
}

TEST(a_later_boot_verifies_what_it_does_not_remember)
{
    for (unsigned m = 0; m < ARRAY_COUNT(all_modes); m++) {
        if (all_modes[m] == JOB_RW) /* how far it came is known to nobody */
            continue;
        up(all_modes[m]);
        hand_job(0)->do_verify = 0;
        hand_job(0)->loops = 3;
        run();
        uint64_t written = hand.fake[0].writes;
        hand_down();
        hand.fake[0].writes = 0;
        uint64_t bytes = 0;
        for (unsigned twice = 0; twice < 2; twice++) {
            hand_up(1);
            hand.fake[0].disk.lba_count = SMALL_LBAS;
            hand.fake[0].content = content;
            hand_job(0)->rw = (uint8_t)all_modes[m];
            hand_job(0)->verify = JOB_VERIFY_STAMP;
            hand_job(0)->loops = 3;
            hand_job(0)->verify_only = 1;
            hand_job(0)->iodepth = 3;
            if (twice)
                content[700 * 512 + 77] ^= 1;
            run();
            bytes = writing()->verified_bytes;
            CHECK(bytes != 0 && written != 0);
            if (!twice || all_modes[m] != JOB_RANDRW) /* which blocks a mix wrote is its draw's affair */
                EQ(writing()->bad_lbas, twice);
            hand_down();
        }
    }
}

TEST(a_job_that_only_reads_checks_any_sound_stamp)
{
    up(JOB_RANDWRITE);
    hand_job(0)->block_bytes = 512;
    hand_job(0)->do_verify = 0;
    run();
    hand_down();
    for (unsigned spoiled = 0; spoiled < 2; spoiled++) {
        hand_up(1);
        hand.fake[0].disk.lba_count = SMALL_LBAS;
        hand.fake[0].content = content;
        hand_job(0)->verify = JOB_VERIFY_STAMP;
        hand_job(0)->rw = spoiled ? JOB_RANDREAD : JOB_READ;
        hand_job(0)->block_bytes = 512;
        if (spoiled)
            memcpy(content + 5 * 512, content + 6 * 512, 512);
        run();
        EQ(hand_result(0)->ios, SMALL_LBAS);
        EQ(writing()->bad_lbas, spoiled);
        if (spoiled)
            EQ(bad(0)->kind, STAMP_MISDIRECTED);
        hand_down();
    }
}

TEST(patterns_without_stamps_are_compared)
{
    up(JOB_WRITE);
    hand_job(0)->verify = JOB_VERIFY_PATTERN;
    hand_job(0)->stamp_fill = (struct job_pattern){ 4, { 0xde, 0xad, 0xfa, 0xce } };
    hand.fake[0].alter_at = 7;
    run();
    EQ(content[0], 0xde);
    EQ(writing()->bad_lbas, 1);
    EQ(bad(0)->kind, STAMP_CORRUPT);
    hand_down();
}

TEST(a_stop_in_the_middle_leaves_the_rest_unverified_and_says_so)
{
    up(JOB_WRITE);
    hand.fake[0].latency_ns = 10 * NS_PER_MS;
    hand_begin();
    worker_run(hand.e, 300 * NS_PER_US);
    engine_stop(hand.e);
    hand_run();
    CHECK(!writing()->verify_complete);
    EQ(writing()->verified_bytes, 0);
    CHECK(hand_result(0)->flags & FLAG_ENDED_EARLY);
    EQ(hand.fake[0].flushes, 1);
    hand_down();
}

TEST(a_job_that_ends_by_time_verifies_what_it_wrote)
{
    for (unsigned m = 0; m < ARRAY_COUNT(all_modes); m++)
        for (unsigned ms = 1; ms < 40; ms += 7) {
            up(all_modes[m]);
            hand_job(0)->time_based = 1;
            hand_job(0)->runtime_ns = ms * NS_PER_MS;
            hand.fake[0].take_at_most = 5;
            run();
            CHECK(writing()->verify_complete);
            EQ(writing()->bad_lbas, 0);
            hand_down();
        }
}

TEST(holds_while_writing_and_reading_back_harm_nothing)
{
    up(JOB_RANDWRITE);
    hand_job(0)->fsync_ios = 16;
    hand_begin();
    while (worker_run(hand.e, 300 * NS_PER_US)) {
        worker_hold(hand.e);
        EQ(hand.fake[0].in_flight, 0);
        worker_resume(hand.e);
    }
    EQ(writing()->bad_lbas, 0);
    CHECK(writing()->verify_complete);
    hand_down();
}

TEST(the_place_of_an_element_in_a_map_is_found_again)
{
    static const uint64_t counts[] = { 1, 2, 3, 5, 64, 100, 1003, 65536 };
    struct perm p;

    for (unsigned i = 0; i < ARRAY_COUNT(counts); i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            perm_init(&p, counts[i], seed);
            for (uint64_t k = 0; k < counts[i]; k += 1 + k / 100)
                EQ(perm_index_of(&p, perm_at(&p, k)), k);
        }
    perm_init(&p, UINT64_MAX, 9);
    EQ(perm_index_of(&p, perm_at(&p, 12345)), 12345);
    perm_init(&p, (1ull << 63) + 1, 9);
    EQ(perm_index_of(&p, perm_at(&p, 1ull << 62)), 1ull << 62);
}

TEST(a_write_that_failed_is_an_error_and_no_bad_block_as_well)
{
    for (unsigned m = 0; m < 2; m++) {
        up(all_modes[m]);
        hand.fake[0].fail_every = 100; /* of 126 writes the hundredth; of as many reads the 74th */
        run();
        EQ(hand_result(0)->errors, 2);
        EQ(writing()->bad_lbas, 0);
        EQ(writing()->unwritten_lbas, 8);
        hand_down();
    }
}

TEST(a_block_that_a_later_pass_wrote_is_judged_although_an_earlier_write_of_it_failed)
{
    up(JOB_WRITE);
    hand_job(0)->loops = 2;
    hand.fake[0].fail_every = 100;
    hand.fake[0].drop_at =
        126 + 100 - 2; /* where the first failure was, a pass later; two were not even tried */
    run();
    EQ(writing()->unwritten_lbas, 8); /* of the second failure */
    EQ(writing()->bad_lbas, 8);
    EQ(writing()->first_bad_lba, 99 * 8);
    hand_down();
}
