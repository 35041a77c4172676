#include <stdlib.h>
#include <string.h>
#include "stamp.h"
#include "sweep_hand.h"

/* Lanes that write, on the recording fake: what was asked of the disk, and what is told about it. */

enum { SMALL_LBAS = 4099 }; /* two megabytes and an odd end */
static uint8_t content[SMALL_LBAS * 512];

static void up(enum job_rw rw) { hand_up_writable(content, SMALL_LBAS, rw); }

static const struct step_writing *writing(void) { return engine_writing(hand.e, 0); }
static const struct step_side *side(bool writes) { return engine_side(hand.e, 0, writes); }

static unsigned logged(unsigned op)
{
    unsigned n = 0;

    for (unsigned i = 0; i < hand_logged; i++)
        n += hand_log[i].op == op;
    return n;
}

TEST(sequential_writes_go_over_the_region_without_gap_or_overlap_and_are_flushed_once)
{
    up(JOB_WRITE);
    hand_job(0)->offset_bytes = 100 * 512;
    hand_begin();
    hand_run();
    uint64_t next = 100;
    for (unsigned i = 0; i + 1 < hand_logged; i++) {
        EQ(hand_log[i].op, IO_WRITE);
        EQ(hand_log[i].lba, next);
        next += hand_log[i].blocks;
    }
    EQ(next, SMALL_LBAS);
    EQ(hand_log[hand_logged - 1].op, IO_FLUSH);
    EQ(hand.fake[0].flushes, 1);
    EQ(hand.fake[0].least_written_lba, 100);
    EQ(hand.fake[0].end_written_lba, SMALL_LBAS);
    EQ(hand_result(0)->bytes, (SMALL_LBAS - 100) * 512);
    EQ(writing()->written_bytes, (SMALL_LBAS - 100) * 512);
    EQ(writing()->flushes, 1);
    CHECK(!side(true) && !side(false));
    EQ(hand_result(0)->errors, 0);
    hand_down();
}

TEST(the_flush_is_inside_the_measured_time)
{
    up(JOB_WRITE);
    model_relax_step_ns = NS_PER_MS;
    hand.fake[0].flush_ns = 2 * NS_PER_S;
    hand_job(0)->io_bytes = 64 * KIB;
    hand_begin();
    hand_run();
    CHECK(hand_result(0)->run_ns >= 2 * NS_PER_S);
    CHECK(hand_result(0)->latency_max_ns < NS_PER_S);
    CHECK(writing()->flush_max_ns >= 2 * NS_PER_S && writing()->flush_mean_ns == writing()->flush_max_ns);
    hand_down();
}

TEST(a_flush_may_take_two_minutes_but_not_more)
{
    up(JOB_WRITE);
    model_relax_step_ns = NS_PER_MS;
    hand.fake[0].flush_ns = 100 * NS_PER_S;
    hand_job(0)->io_bytes = 4096;
    hand_begin();
    hand_run();
    EQ(hand.fake[0].expires, 0);
    EQ(hand_result(0)->errors, 0);
    hand_down();
    up(JOB_WRITE);
    model_relax_step_ns = NS_PER_MS;
    hand.fake[0].flush_ns = 130 * NS_PER_S;
    hand_job(0)->io_bytes = 4096;
    hand_begin();
    hand_run();
    EQ(hand.fake[0].expires, 1);
    EQ(hand_result(0)->errors, 1);
    hand_down();
}

TEST(a_flush_that_fails_is_an_error_of_its_own_kind)
{
    unsigned kept;

    up(JOB_WRITE);
    hand.fake[0].fails_flushes = true;
    hand_job(0)->io_bytes = 64 * KIB;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->errors, 1);
    EQ(engine_errors(hand.e, 0, &kept)[0].op, IO_FLUSH);
    EQ(kept, 1);
    hand_down();
}

TEST(each_block_differs_and_nothing_is_written_that_was_not_asked_for)
{
    up(JOB_RANDWRITE);
    hand_begin();
    hand_run();
    EQ(hand_result(0)->ios, SMALL_LBAS / 8);
    for (unsigned a = 0; a < SMALL_LBAS / 8; a += 16)
        for (unsigned b = a + 1; b < SMALL_LBAS / 8; b += 7)
            CHECK(memcmp(content + a * 4096, content + b * 4096, 4096));
    for (unsigned i = SMALL_LBAS / 8 * 4096; i < sizeof(content); i++)
        EQ(content[i], 0);
    hand_down();
}

TEST(zeros_patterns_and_compressible_data_are_written_as_asked)
{
    up(JOB_WRITE);
    memset(content, 7, sizeof(content));
    hand_job(0)->zero_buffers = 1;
    hand_begin();
    hand_run();
    EQ(content[0] | content[sizeof(content) - 1], 0);
    hand_down();
    up(JOB_WRITE);
    hand_job(0)->write_fill = (struct job_pattern){ 3, { 1, 2, 3 } };
    hand_begin();
    hand_run();
    EQ(content[4095], 1 + 4095 % 3);
    hand_down();
    up(JOB_WRITE);
    hand_job(0)->compress_pct = 75;
    hand_job(0)->refill_buffers = 1;
    hand_begin();
    hand_run();
    unsigned zeros = 0;
    for (unsigned i = 0; i < sizeof(content); i++)
        zeros += !content[i];
    CHECK(zeros > sizeof(content) / 100 * 74 && zeros < sizeof(content) / 100 * 77);
    hand_down();
}

TEST(fsync_flushes_after_so_many_writes_when_all_are_answered)
{
    up(JOB_WRITE);
    hand_job(0)->fsync_ios = 10;
    hand_job(0)->io_bytes = 55 * 4096;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->ios, 55);
    EQ(hand.fake[0].flushes, 6);
    unsigned since = 0;
    for (unsigned i = 0; i < hand_logged; i++) {
        since = hand_log[i].op == IO_WRITE ? since + 1 : 0;
        CHECK(since <= 10);
        if (hand_log[i].op == IO_FLUSH && i)
            CHECK(hand_log[i].at_ns >= hand_log[i - 1].at_ns + hand.fake[0].latency_ns);
    }
    EQ(writing()->flushes, 6);
    hand_down();
}

/* With n draws of chance p the deviation is sqrt(n p (1-p)); five of them are one test in a million. */
static void check_share(uint64_t reads, uint64_t all, unsigned percent)
{
    uint64_t want = all * percent / 100, away = reads > want ? reads - want : want - reads;

    CHECK(away * away <= 25 * (all * percent * (100 - percent) / 10000 + 1));
}

TEST(mixes_read_the_share_that_was_asked_for_within_five_deviations)
{
    static const enum job_rw modes[] = { JOB_RW, JOB_RANDRW };
    static const unsigned shares[] = { 0, 1, 30, 70, 90, 100 };

    for (unsigned m = 0; m < 2; m++)
        for (unsigned i = 0; i < ARRAY_COUNT(shares); i++) {
            up(modes[m]);
            hand_job(0)->mix_read_pct = (uint8_t)shares[i];
            hand_job(0)->io_bytes = 20000 * 4096ull;
            hand_job(0)->norandommap = 1;
            hand.fake[0].disk.lba_count = 4096; /* no short block at the end */
            hand_begin();
            hand_run();
            EQ(side(false)->ios + side(true)->ios, 20000);
            EQ(hand_result(0)->ios, 20000);
            EQ(side(false)->bytes + side(true)->bytes, hand_result(0)->bytes);
            EQ(side(false)->ios, logged(IO_READ));
            EQ(side(true)->ios, logged(IO_WRITE));
            check_share(side(false)->ios, 20000, shares[i]);
            EQ(side(false)->latency_max_ns != 0, shares[i] != 0);
            hand_down();
        }
}

TEST(in_a_sequential_mix_reads_and_writes_each_go_on_where_they_ended)
{
    uint64_t next[2] = { 0, 0 };

    up(JOB_RW);
    hand_begin();
    hand_run();
    for (unsigned i = 0; i < hand_logged && hand_log[i].op != IO_FLUSH; i++) {
        EQ(hand_log[i].lba, next[hand_log[i].op]);
        next[hand_log[i].op] += hand_log[i].blocks;
    }
    CHECK(next[IO_READ] && next[IO_WRITE]);
    hand_down();
}

TEST(a_random_mix_goes_over_each_block_once)
{
    static uint8_t seen[SMALL_LBAS];

    memset(seen, 0, sizeof(seen));
    up(JOB_RANDRW);
    hand_begin();
    hand_run();
    for (unsigned i = 0; i < hand_logged && hand_log[i].op != IO_FLUSH; i++)
        EQ(seen[hand_log[i].lba]++, 0);
    EQ(hand_result(0)->ios, SMALL_LBAS / 8);
    hand_down();
}

TEST(writes_of_a_mix_never_carry_what_a_read_brought)
{
    up(JOB_RANDRW);
    memset(content, 0xee, sizeof(content));
    hand_job(0)->io_bytes = 64 * MIB;
    hand_begin();
    hand_run();
    unsigned of_reads = 0;
    for (unsigned i = 16; i < sizeof(content); i++)
        of_reads += content[i] == 0xee;
    CHECK(of_reads < sizeof(content) / 100);
    hand_down();
}

TEST(bs_split_zipf_and_runs_work_in_mixes)
{
    up(JOB_RANDRW);
    hand_job(0)->split_count = 2;
    hand_job(0)->split[0] = (struct job_split){ 512, 50 };
    hand_job(0)->split[1] = (struct job_split){ 4096, 50 };
    hand_job(0)->io_bytes = 8 * MIB;
    hand_begin();
    hand_run();
    unsigned small = 0, all = 0;
    for (unsigned i = 0; i < hand_logged; i++) {
        small += hand_log[i].blocks == 1;
        all += hand_log[i].op != IO_FLUSH;
    }
    check_share(small, all, 50);
    check_share(side(false)->ios, all, 50);
    hand_down();
}

TEST(a_disk_that_is_not_armed_is_not_written)
{
    up(JOB_WRITE);
    hand.fake[0].writable = false;
    hand_begin();
    hand_run();
    EQ(hand.fake[0].requests, 0);
    HAS_STR(engine_lane_reason(hand.e, 0), "could not be opened");
    hand_down();
}

TEST(each_side_of_a_mix_has_a_series_that_adds_up_to_its_result)
{
    for (unsigned copies = 1; copies <= 2; copies++) {
        uint64_t sum_ns = 0, all_ns = 0;

        up(JOB_RANDRW);
        hand_job(0)->mix_read_pct = 70;
        hand_job(0)->log_avg_ms = 5;
        hand_job(0)->io_bytes = 3000 * 4096;
        hand_job(0)->ramp_ns = 10 * NS_PER_MS; /* what the ramp did is no part of it */
        hand.lane[1] = hand.lane[0];
        hand.lane[1].copy = 1;
        hand.lane[1].depth = 8;
        hand.step.lane_count = copies;
        hand_begin();
        hand_run();
        for (unsigned i = 0; i < 2; i++) {
            const struct lane_series *s = engine_side_series(hand.e, 0, i);
            uint64_t ios = 0, bytes = 0;

            EQ(s->interval_ns, 5 * NS_PER_MS);
            CHECK(s->count > 3);
            for (unsigned p = 0; p < s->count; p++) {
                ios += s->point[p].ios;
                bytes += s->point[p].bytes;
                sum_ns += s->point[p].sum_ns;
            }
            EQ(ios, side(i)->ios);
            EQ(bytes, side(i)->bytes);
        }
        const struct lane_series *both = engine_series(hand.e, 0);
        for (unsigned i = 0; i < both->count; i++)
            all_ns += both->point[i].sum_ns;
        EQ(all_ns, sum_ns);
        EQ(all_ns, engine_hist(hand.e, 0)->sum_ns);
        hand_down();
    }
}

TEST(copies_of_a_mix_are_one_result)
{
    up(JOB_RANDRW);
    hand.lane[1] = hand.lane[0];
    hand.lane[1].copy = 1;
    hand.lane[1].depth = 8;
    hand.lane[1].job.randseed = 77;
    hand.step.lane_count = 2;
    hand_begin();
    hand_run();
    EQ(engine_lane_count(hand.e), 1);
    EQ(side(false)->ios + side(true)->ios, 2 * (SMALL_LBAS / 8));
    EQ(writing()->flushes, 2);
    hand_down();
}

TEST(each_allocation_that_fails_costs_the_lane_and_leaks_nothing)
{
    static const enum job_rw modes[] = { JOB_WRITE, JOB_RANDRW };

    for (unsigned m = 0; m < 2; m++)
        for (long n = 0; n < 14; n++) {
            up(modes[m]);
            hand_job(0)->verify = m ? JOB_VERIFY_NONE : JOB_VERIFY_STAMP;
            hand.lane[0].depth = 8;
            model_fail_alloc_at = n;
            int err = engine_begin(&hand.step, 7, &hand.e);
            model_fail_alloc_at = -1;
            if (err == OK) {
                hand_run();
                CHECK(hand_result(0)->ios ? !engine_lane_reason(hand.e, 0)[0]
                                          : engine_lane_reason(hand.e, 0)[0] != 0);
                engine_end(hand.e);
            }
            EQ(model_live_allocs(), 0);
        }
}
