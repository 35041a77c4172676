#include <string.h>
#include "draw.h"
#include "steady.h"
#include "sweep_hand.h"

/* Lanes that are not simply as fast as it goes: limits, pauses, copies, mixes, skewed places, steadiness. */

static void up_random(uint64_t ios)
{
    hand_up(1);
    hand_job(0)->rw = JOB_RANDREAD;
    hand_job(0)->io_bytes = ios * 4096;
    hand_job(0)->iodepth = 4;
}
static void run(void)
{
    hand_begin();
    hand_run();
}

TEST(a_rate_in_bytes_or_requests_is_kept_over_the_whole_run)
{
    for (unsigned k = 0; k < 2; k++) {
        hand_up(1);
        hand_job(0)->iodepth = 8;
        hand_job(0)->time_based = 1;
        hand_job(0)->runtime_ns = 2 * NS_PER_S;
        if (k)
            hand_job(0)->rate_iops = 500;
        else
            hand_job(0)->rate_bytes_per_s = 500 * 4096;
        run();
        CHECK(hand_result(0)->ios >= 1000 && hand_result(0)->ios <= 1001);
        for (unsigned i = 1; i < hand_logged; i++) /* evenly, not in bursts */
            CHECK(hand_log[i].at_ns - hand_log[i - 1].at_ns < 3 * NS_PER_MS);
        hand_down();
    }
}

TEST(a_rate_that_the_disk_cannot_reach_changes_nothing)
{
    hand_up(1);
    hand_job(0)->io_bytes = 100 * 4096;
    hand_job(0)->rate_iops = 1000000;
    run();
    EQ(hand_result(0)->ios, 100);
    CHECK(hand_result(0)->run_ns < 11 * NS_PER_MS);
    hand_down();
}

TEST(startdelay_begins_later_and_its_wait_is_not_measured)
{
    hand_up(2);
    hand_job(0)->startdelay_ns = 300 * NS_PER_MS;
    hand_job(0)->io_bytes = hand_job(1)->io_bytes = 100 * 4096;
    uint64_t began_ns = model_clock_ns;
    run();
    CHECK(hand_log[0].at_ns >= began_ns + 300 * NS_PER_MS);
    CHECK(hand_log[0].at_ns < began_ns + 301 * NS_PER_MS);
    EQ(hand_result(0)->ios, 100);
    CHECK(hand_result(0)->run_ns < 11 * NS_PER_MS);
    CHECK(hand_result(1)->run_ns < 11 * NS_PER_MS);
    CHECK(hand_result(0)->ramp_ns < NS_PER_MS);
    hand_down();
}

TEST(startdelay_and_ramp_follow_each_other)
{
    hand_up(1);
    hand_job(0)->startdelay_ns = 100 * NS_PER_MS;
    hand_job(0)->ramp_ns = 100 * NS_PER_MS;
    hand_job(0)->time_based = 1;
    hand_job(0)->runtime_ns = 100 * NS_PER_MS;
    uint64_t began_ns = model_clock_ns;
    run();
    CHECK(hand_log[0].at_ns >= began_ns + 100 * NS_PER_MS);
    CHECK(hand_result(0)->ios >= 950 && hand_result(0)->ios <= 1001);
    CHECK(hand_logged > 1900);
    CHECK(hand_result(0)->ramp_ns >= 100 * NS_PER_MS && hand_result(0)->ramp_ns < 101 * NS_PER_MS);
    hand_down();
}

TEST(thinktime_drains_and_waits_after_each_block_of_requests)
{
    hand_up(1);
    hand_job(0)->iodepth = 4;
    hand_job(0)->io_bytes = 40 * 4096;
    hand_job(0)->thinktime_ns = 5 * NS_PER_MS;
    hand_job(0)->thinktime_blocks = 8;
    run();
    EQ(hand_result(0)->ios, 40);
    for (unsigned i = 8; i < 40; i += 8)
        CHECK(hand_log[i].at_ns - hand_log[i - 1].at_ns >= 5 * NS_PER_MS);
    CHECK(hand_log[7].at_ns - hand_log[0].at_ns < NS_PER_MS);
    hand_down();
}

TEST(number_ios_ends_a_job_after_so_many_requests_and_loops_after_so_many_passes)
{
    hand_up(1);
    hand_job(0)->number_ios = 77;
    hand_job(0)->iodepth = 16;
    run();
    EQ(hand_result(0)->ios, 77);
    hand_down();
    hand_up(1);
    hand_job(0)->size_bytes = 10 * 4096;
    hand_job(0)->loops = 3;
    run();
    EQ(hand_result(0)->ios, 30);
    EQ(hand_log[29].lba, 72);
    hand_down();
}

TEST(log_avg_msec_is_the_interval_of_the_series_and_its_points_add_up)
{
    uint64_t ios = 0;

    hand_up(1);
    hand_job(0)->log_avg_ms = 10;
    hand_job(0)->time_based = 1;
    hand_job(0)->runtime_ns = 500 * NS_PER_MS;
    run();
    const struct lane_series *s = engine_series(hand.e, 0);
    EQ(s->interval_ns, 10 * NS_PER_MS);
    CHECK(s->count >= 50 && s->count <= 51);
    for (unsigned i = 0; i < s->count; i++)
        ios += s->point[i].ios;
    EQ(ios, hand_result(0)->ios);
    hand_down();
}

/* ---- copies ---- */
TEST(copies_of_a_job_are_one_result_whose_parts_add_up)
{
    uint64_t bytes = 0;

    hand_up(4);
    for (unsigned i = 0; i < 4; i++) {
        hand.lane[i].disk = &hand.fake[0].disk;
        hand.lane[i].copy = (uint16_t)i;
        hand_job(i)->rw = JOB_RANDREAD;
        hand_job(i)->norandommap = 1;
        hand_job(i)->randseed = i + 1;
        hand_job(i)->iodepth = 2;
        hand_job(i)->io_bytes = 1000 * 4096;
    }
    run();
    EQ(engine_lane_count(hand.e), 1);
    const struct step_result *r = hand_result(0);
    EQ(r->ios, 4000);
    EQ(r->bytes, 4000 * 4096);
    EQ(r->depth, 8);
    EQ(r->depth_asked, 8);
    EQ(engine_hist(hand.e, 0)->count, 4000);
    EQ(hand.fake[0].max_in_flight, 8);
    for (unsigned i = 0; i < engine_series(hand.e, 0)->count; i++)
        bytes += engine_series(hand.e, 0)->point[i].bytes;
    EQ(bytes, r->bytes);
    struct lane_progress p;
    engine_progress(hand.e, 0, &p);
    EQ(p.ios, 4000);
    EQ(p.phase, LANE_DONE);
    hand_down();
}

TEST(the_region_of_copies_is_from_the_first_ones_begin_to_the_last_ones_end)
{
    hand_up(3);
    for (unsigned i = 0; i < 3; i++) {
        hand.lane[i].disk = &hand.fake[0].disk;
        hand.lane[i].copy = (uint16_t)i;
        hand_job(i)->offset_bytes = (100 + i * 50) * 512;
        hand_job(i)->size_bytes = 16 * 512;
    }
    run();
    EQ(hand_result(0)->first_lba, 100);
    EQ(hand_result(0)->span_lbas, 116);
    hand_down();
}

TEST(copies_have_no_more_in_flight_than_a_disk_takes_of_all_its_lanes)
{
    for (unsigned shared = 0; shared < 2; shared++) {
        hand_up(4);
        hand.fake[0].disk.max_depth = 6;
        hand.fake[0].disk.depth_is_shared = shared;
        for (unsigned i = 0; i < 4; i++) {
            hand.lane[i].disk = &hand.fake[0].disk;
            hand.lane[i].copy = (uint16_t)i;
            hand_job(i)->iodepth = 2;
            hand_job(i)->io_bytes = 100 * 4096;
        }
        run();
        EQ(hand_result(0)->depth_asked, 8);
        EQ(hand_result(0)->depth, shared ? 6 : 8);
        EQ(!!(hand_result(0)->flags & FLAG_DEPTH_REDUCED), shared);
        hand_down();
    }
}

/* ---- mixes ---- */
TEST(split_sizes_are_read_without_gap_or_overlap_and_to_the_last_block)
{
    hand_up(1);
    hand.fake[0].disk.lba_count = 100003;
    hand_job(0)->split[0] = (struct job_split){ 4096, 60 };
    hand_job(0)->split[1] = (struct job_split){ 8192, 40 };
    hand_job(0)->split_count = 2;
    hand_job(0)->block_bytes = 8192;
    hand_job(0)->iodepth = 8;
    run();
    uint64_t lba = 0, small = 0;
    for (unsigned i = 0; i < hand_logged; i++) {
        EQ(hand_log[i].lba, lba);
        lba += hand_log[i].blocks;
        small += hand_log[i].blocks == 8;
    }
    EQ(lba, 100003);
    CHECK(small * 100 / hand_logged >= 57 && small * 100 / hand_logged <= 63);
    hand_down();
}

TEST(requests_of_several_sizes_are_flagged_and_those_of_one_are_not)
{
    static const struct {
        uint32_t least, most; /* of bsrange; least 0: none */
        struct job_split split[2];
        uint8_t splits;
        bool mixed;
    } rows[] = {
        { 0, 4096, { { 0 } }, 0, false },
        { 4096, 4096, { { 0 } }, 0, false },
        { 4096, 65536, { { 0 } }, 0, true },
        { 0, 8192, { { 8192, 100 } }, 1, false },
        { 0, 8192, { { 4096, 0 }, { 8192, 100 } }, 2, false }, /* never drawn */
        { 0, 8192, { { 8192, 50 }, { 8192, 50 } }, 2, false },
        { 0, 8192, { { 4096, 1 }, { 8192, 99 } }, 2, true },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        hand_up(1);
        hand.fake[0].disk.lba_count = 2051; /* the last request is a short one */
        hand_job(0)->block_min_bytes = rows[i].least;
        hand_job(0)->block_bytes = rows[i].most;
        memcpy(hand_job(0)->split, rows[i].split, sizeof rows[i].split);
        hand_job(0)->split_count = rows[i].splits;
        hand_begin();
        hand_run();
        EQ((hand_result(0)->flags & FLAG_MIXED_SIZES) != 0, rows[i].mixed);
        hand_down();
    }
}

TEST(random_mixes_stay_inside_an_odd_region_and_on_their_alignment)
{
    up_random(20000);
    hand.fake[0].disk.lba_count = 5003;
    hand_job(0)->offset_bytes = 1000 * 512;
    hand_job(0)->block_min_bytes = 4096;
    hand_job(0)->block_bytes = 65536;
    hand_job(0)->align_bytes = 2048;
    uint64_t last = 0;
    run();
    for (unsigned i = 0; i < hand_logged; i++) {
        CHECK(hand_log[i].lba >= 1000 && hand_log[i].lba + hand_log[i].blocks <= 5003);
        EQ((hand_log[i].lba - 1000) % 4, 0);
        EQ(hand_log[i].blocks % 8, 0);
        last = last > hand_log[i].lba + hand_log[i].blocks ? last : hand_log[i].lba + hand_log[i].blocks;
    }
    CHECK(last >= 5000);
    hand_down();
}

TEST(percentage_random_makes_that_share_of_jumps)
{
    unsigned follow = 0;

    up_random(20000);
    hand_job(0)->random_pct = 30;
    run();
    for (unsigned i = 1; i < hand_logged; i++)
        follow += hand_log[i].lba == hand_log[i - 1].lba + 8;
    /* 20 000 draws: a deviation is 0.33 points */
    CHECK(follow * 1000ull / hand_logged > 690 && follow * 1000ull / hand_logged < 710);
    hand_down();
}

TEST(the_same_seed_draws_the_same_requests)
{
    static struct fake_request first[5000];

    for (unsigned k = 0; k < 2; k++) {
        up_random(5000);
        hand_job(0)->distribution = JOB_ZIPF;
        hand_job(0)->distribution_micro = 1200000;
        run();
        for (unsigned i = 0; i < 5000 && k; i++)
            EQ(hand_log[i].lba, first[i].lba);
        memcpy(first, hand_log, sizeof(first));
        hand_down();
    }
}

/* ---- places, against the formulas in floating point ---- */
static struct job job;
static struct draw drawn;
static unsigned hits[1 << 20];

static void count_places(unsigned kind, uint32_t micro, uint64_t places, unsigned draws)
{
    struct rng rng;

    opt_defaults(job_options, job_option_count, &job);
    job.rw = JOB_RANDREAD;
    job.distribution = (uint8_t)kind;
    job.distribution_micro = micro;
    draw_init(&drawn, &job, places * 8, 512);
    EQ(drawn.places, places);
    memset(hits, 0, sizeof(hits));
    rng_seed(&rng, 7);
    for (unsigned i = 0; i < draws; i++) {
        uint64_t at = draw_place(&drawn, &rng);
        CHECK(at < places);
        hits[at]++;
    }
}

/* Share of the draws, in parts of a million, that went to the hottest `ranks` places. */
static double share_of(uint64_t ranks, unsigned draws)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < ranks; i++)
        sum += hits[perm_at(&drawn.scatter, i)];
    return (double)sum / draws;
}

/* x^y for x >= 1, by series: base/math.h stands in front of the C library's. */
static double power(double x, double y)
{
    double ln = 0, result = 1, term = 1, z;

    for (; x > 1.5; x /= 2)
        ln += 0.69314718055994530942;
    z = (x - 1) / (x + 1);
    for (int k = 1; k < 40; k += 2, z *= (x - 1) * (x - 1) / ((x + 1) * (x + 1)))
        ln += 2 * z / k;
    double e = ln * y / 64;
    for (int k = 1; k < 20; k++)
        result += term *= e / k;
    for (int k = 0; k < 6; k++)
        result *= result;
    return result;
}

TEST(zipf_gives_each_group_of_ranks_its_share_within_half_a_point)
{
    static const uint32_t thetas[] = { 500000, 900000, 990000, 1010000, 1200000, 2000000 };
    enum { PLACES = 100000, DRAWS = 200000 };

    for (unsigned k = 0; k < ARRAY_COUNT(thetas); k++) {
        double theta = thetas[k] / 1e6, all = 0, sum = 0;
        uint64_t next = 1;
        count_places(JOB_ZIPF, thetas[k], PLACES, DRAWS);
        for (uint64_t i = 1; i <= PLACES; i++)
            all += power((double)i, -theta);
        for (uint64_t i = 1; i <= PLACES; i++) {
            sum += power((double)i, -theta);
            if (i != next)
                continue;
            double away = share_of(i, DRAWS) - sum / all;
            if (away > 0.005 || away < -0.005)
                test_fail(__FILE__, __LINE__, "theta %.2f, first %llu: off by %.4f", theta,
                          (unsigned long long)i, away);
            next = next * 4;
        }
    }
}

TEST(pareto_02_gives_four_fifths_of_the_reads_to_a_fifth_of_the_places)
{
    enum { PLACES = 100000, DRAWS = 200000 };
    double share;

    count_places(JOB_PARETO, 200000, PLACES, DRAWS);
    share = share_of(PLACES / 5, DRAWS);
    CHECK(share > 0.795 && share < 0.805);
    share = share_of(PLACES / 25, DRAWS);
    CHECK(share > 0.635 && share < 0.645);
}

TEST(normal_lies_around_the_middle_with_its_deviation)
{
    enum { PLACES = 100000, DRAWS = 100000 };
    double sum = 0, squares = 0;

    count_places(JOB_NORMAL, 10000000, PLACES, DRAWS); /* 10 % */
    for (unsigned i = 0; i < PLACES; i++) {
        sum += (double)hits[i] * i;
        squares += (double)hits[i] * ((double)i - 50000) * ((double)i - 50000);
    }
    CHECK(sum / DRAWS > 49900 && sum / DRAWS < 50100);
    CHECK(squares / DRAWS > 9900.0 * 9900 && squares / DRAWS < 10100.0 * 10100);
}

TEST(skewed_places_exist_for_regions_of_one_place_and_of_a_petabyte)
{
    static const uint64_t places[] = { 1, 2, 255, 256, 257, 1ull << 41 };
    struct rng rng;

    rng_seed(&rng, 3);
    opt_defaults(job_options, job_option_count, &job);
    job.rw = JOB_RANDREAD;
    for (unsigned kind = JOB_UNIFORM; kind <= JOB_NORMAL; kind++)
        for (unsigned p = 0; p < ARRAY_COUNT(places); p++)
            for (unsigned m = 0; m < 3; m++) {
                static const uint32_t micro[][3] = { { 0, 0, 0 },
                                                     { 10000, 990000, 5000000 },
                                                     { 10000, 500000, 990000 },
                                                     { 100000, 10000000, 100000000 } };
                job.distribution = (uint8_t)kind;
                job.distribution_micro = micro[kind][m];
                draw_init(&drawn, &job, places[p] * 8, 512);
                for (unsigned i = 0; i < 2000; i++)
                    CHECK(draw_place(&drawn, &rng) < places[p]);
            }
}

/* ---- steadiness ---- */
TEST(the_snia_rule_needs_five_rounds_within_20_percent_and_a_slope_of_10)
{
    static const struct {
        uint64_t v[6];
        unsigned count;
        bool steady;
    } rows[] = {
        { { 100, 100, 100, 100, 100 }, 5, true },
        { { 100, 100, 100, 100 }, 4, false },
        { { 0, 0, 0, 0, 0 }, 5, false },
        { { 90, 110, 100, 110, 90 }, 5, true },  /* exactly 20 % */
        { { 89, 110, 100, 110, 91 }, 5, false }, /* 21 % */
        { { 95, 98, 100, 102, 105 }, 5, true },  /* rises by 9.6 % */
        { { 94, 97, 100, 103, 106 }, 5, false }, /* by 12 % */
        { { 106, 103, 100, 97, 94 }, 5, false }, /* falls by 12 % */
        { { 500, 100, 100, 100, 100, 100 }, 6, true },
        { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX }, 5, true },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
        EQ(steady_pts(rows[i].v, rows[i].count), rows[i].steady);
}

TEST(band_and_slope_are_in_thousandths_of_a_percent_or_of_the_unit)
{
    static const uint64_t rising[] = { 90, 100, 110 }, big[] = { 90ull << 50, 100ull << 50, 110ull << 50 };

    EQ(steady_band_milli(rising, 3, true), 10000);
    EQ(steady_band_milli(rising, 3, false), 10000);
    EQ(steady_slope_milli(rising, 3, true), 10000);
    EQ(steady_slope_milli(rising, 3, false), 10000);
    CHECK(steady_slope_milli(big, 3, true) > 9990 && steady_slope_milli(big, 3, true) < 10010);
    EQ(steady_band_milli(rising, 0, true), UINT64_MAX);
    EQ(steady_slope_milli(rising, 1, true), UINT64_MAX);
}

TEST(a_job_with_ss_ends_when_steady_and_says_when_it_never_was)
{
    for (unsigned k = 0; k < 2; k++) {
        hand_up(1);
        hand_job(0)->time_based = 1;
        hand_job(0)->runtime_ns = 12 * NS_PER_S;
        hand_job(0)->ss_kind = JOB_SS_IOPS;
        hand_job(0)->ss_is_pct = 1;
        hand_job(0)->ss_limit_milli = 2000;
        hand_job(0)->ss_dur_ns = 3 * NS_PER_S;
        hand_job(0)->ss_ramp_ns = NS_PER_S;
        hand.fake[0].latency_ns = 2 * NS_PER_MS;
        hand_begin();
        for (unsigned i = 0; worker_run(hand.e, 500 * NS_PER_MS); i++)
            if (k) /* never two seconds alike */
                hand.fake[0].latency_ns = (i & 4 ? 4 : 2) * NS_PER_MS;
        CHECK(k ? hand_result(0)->run_ns >= 12 * NS_PER_S
                : hand_result(0)->run_ns > 3900 * NS_PER_MS && hand_result(0)->run_ns < 4300 * NS_PER_MS);
        EQ(!!(hand_result(0)->flags & FLAG_NOT_STEADY), k);
        CHECK(!(hand_result(0)->flags & FLAG_ENDED_EARLY));
        hand_down();
    }
}

/* ---- numbers that cannot be what they seem ---- */
static uint32_t flags_at(enum disk_kind kind, uint64_t link_bytes_per_s, uint64_t disk_bytes_per_s)
{
    hand_up(1);
    hand.fake[0].disk.kind = kind;
    hand.fake[0].bytes_per_s = disk_bytes_per_s;
    hand.controller[0].link_bytes_per_s = link_bytes_per_s;
    hand_job(0)->block_bytes = MIB;
    hand_job(0)->iodepth = 8;
    run();
    uint32_t flags = hand_result(0)->flags;
    hand_down();
    return flags;
}

TEST(the_3_2_gigabytes_through_a_perc_5i_are_flagged)
{
    CHECK(flags_at(DISK_VIRTUAL_DRIVE, 1680000000, 3200000000) & FLAG_ABOVE_LINK);
    CHECK(!(flags_at(DISK_VIRTUAL_DRIVE, 1680000000, 1600000000) & FLAG_ABOVE_LINK));
    CHECK(!(flags_at(DISK_VIRTUAL_DRIVE, 0, 3200000000) & FLAG_ABOVE_LINK));
}

TEST(disks_that_are_below_their_link_alone_may_be_above_it_together)
{
    hand_up(2);
    hand.controller[0].link_bytes_per_s = 1000000000;
    for (unsigned i = 0; i < 2; i++) {
        hand.fake[i].disk.controller = &hand.controller[0];
        hand.fake[i].bytes_per_s = 700000000;
        hand_job(i)->block_bytes = MIB;
        hand_job(i)->iodepth = 4;
    }
    run();
    CHECK(hand_result(0)->flags & FLAG_ABOVE_LINK);
    CHECK(hand_result(1)->flags & FLAG_ABOVE_LINK);
    hand_down();
}

TEST(a_disk_that_gives_one_word_everywhere_is_blank_unless_it_turns)
{
    static const struct {
        uint64_t word;
        enum disk_rotation rotation;
        bool blank;
    } rows[] = { { 0, ROTATION_NONE, false },
                 { 1, ROTATION_NONE, false },
                 { UINT64_MAX, ROTATION_NONE, true },
                 { UINT64_MAX, ROTATION_UNKNOWN, true },
                 { UINT64_MAX, ROTATION_YES, false } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        hand_up(1);
        hand.fake[0].data_word = rows[i].word;
        hand.fake[0].disk.rotation = rows[i].rotation;
        hand_job(0)->io_bytes = 100 * 4096;
        run();
        EQ(!!(hand_result(0)->flags & FLAG_BLANK), rows[i].blank);
        hand_down();
    }
}

TEST(a_disk_whose_blocks_only_begin_alike_is_not_blank)
{
    static const uint32_t sizes[] = { 512, 4096, 32768 };

    for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++) {
        hand_up(1);
        hand.fake[0].data_word = 1;
        hand.fake[0].first_words_alike = true;
        hand_job(0)->block_bytes = sizes[i];
        hand_job(0)->io_bytes = 100 * sizes[i];
        run();
        CHECK(!(hand_result(0)->flags & FLAG_BLANK));
        hand_down();
    }
}

TEST(random_reads_of_a_turning_disk_without_seeks_are_flagged)
{
    for (unsigned k = 0; k < 2; k++) {
        up_random(100);
        hand_job(0)->iodepth = 1;
        hand.fake[0].disk.rotation = ROTATION_YES;
        hand.fake[0].latency_ns = k ? 8 * NS_PER_MS : 100 * NS_PER_US;
        run();
        EQ(!!(hand_result(0)->flags & FLAG_TOO_FAST), !k);
        hand_down();
    }
}

TEST(a_rate_that_sinks_during_the_run_is_flagged)
{
    for (unsigned k = 0; k < 2; k++) {
        hand_up(1);
        hand_job(0)->time_based = 1;
        hand_job(0)->runtime_ns = 3 * NS_PER_S;
        hand.fake[0].latency_ns = NS_PER_MS;
        hand_begin();
        for (unsigned i = 0; worker_run(hand.e, 100 * NS_PER_MS); i++)
            hand.fake[0].latency_ns = (k && i > 15 ? 1200 : 1000) * NS_PER_US;
        const struct step_result *r = hand_result(0);
        EQ(!!(r->flags & FLAG_UNEVEN), k);
        CHECK(r->first_third_bytes_per_s >= step_bytes_per_s(r) * 98 / 100);
        if (k) /* 1.2 ms in place of 1 ms */
            CHECK(r->last_third_bytes_per_s < r->first_third_bytes_per_s * 85 / 100 &&
                  r->last_third_bytes_per_s > r->first_third_bytes_per_s * 80 / 100);
        else
            CHECK(r->last_third_bytes_per_s >= r->first_third_bytes_per_s * 98 / 100);
        hand_down();
    }
}
