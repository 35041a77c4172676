#include "sweep_hand.h"

/* ---- which blocks are read ---- */
TEST(a_sequential_read_touches_every_lba_once_and_in_order)
{
    static const unsigned depths[] = { 1, 3, 4, 32 };

    for (unsigned k = 0; k < ARRAY_COUNT(depths); k++) {
        hand_up(1);
        hand.fake[0].disk.lba_count = 1003; /* not a multiple of the 8 blocks of a request */
        hand_job(0)->iodepth = (uint16_t)depths[k];
        hand_begin();
        hand_run();
        uint64_t lba = 0;
        for (unsigned i = 0; i < hand_logged; i++) {
            EQ(hand_log[i].lba, lba);
            EQ(hand_log[i].blocks, lba + 8 <= 1003 ? 8 : 3);
            lba += hand_log[i].blocks;
        }
        EQ(lba, 1003);
        EQ(hand_result(0)->ios, 126);
        EQ(hand_result(0)->bytes, 1003 * 512);
        EQ(hand_result(0)->span_lbas, 1003);
        CHECK(!hand_result(0)->wrapped);
        EQ(hand.fake[0].max_in_flight, depths[k]);
        EQ_STR(engine_lane_reason(hand.e, 0), "");
        hand_down();
    }
}

TEST(a_region_is_read_from_its_first_to_its_last_lba_and_nothing_else)
{
    hand_up(1);
    hand_job(0)->offset_bytes = 100 * 512;
    hand_job(0)->size_bytes = 21 * 512;
    hand_job(0)->iodepth = 4;
    hand_begin();
    hand_run();
    EQ(hand_logged, 3);
    EQ(hand_log[0].lba, 100);
    EQ(hand_log[1].lba, 108);
    EQ(hand_log[2].lba, 116);
    EQ(hand_log[2].blocks, 5);
    EQ(hand_result(0)->first_lba, 100);
    EQ(hand_result(0)->span_lbas, 21);
    hand_down();
}

TEST(a_disk_of_one_lba_is_read_with_one_short_request_at_any_depth)
{
    for (unsigned rw = JOB_READ; rw <= JOB_RANDREAD; rw++) {
        hand_up(1);
        hand.fake[0].disk.lba_count = 1;
        hand_job(0)->iodepth = 32;
        hand_job(0)->rw = (uint8_t)rw;
        hand_begin();
        hand_run();
        EQ(hand_logged, 1);
        EQ(hand_log[0].blocks, 1);
        EQ(hand_result(0)->ios, 1);
        CHECK(hand_result(0)->flags & FLAG_TOO_SHORT);
        EQ(hand_result(0)->percentile_valid, 0);
        hand_down();
    }
}

TEST(a_4kn_disk_of_8_tib_with_an_odd_end_is_read_up_to_its_last_lba)
{
    uint64_t lbas = (8ull << 40) / 4096 + 3;

    hand_up(1);
    hand.fake[0].disk.lba_bytes = 4096;
    hand.fake[0].disk.lba_count = lbas;
    hand_job(0)->block_bytes = 64 * KIB;
    hand_job(0)->offset_bytes = (lbas - 40) * 4096;
    hand_begin();
    hand_run();
    EQ(hand_logged, 3);
    EQ(hand_log[0].lba, lbas - 40);
    EQ(hand_log[2].lba, lbas - 8);
    EQ(hand_log[2].blocks, 8);
    EQ(hand_result(0)->bytes, 40 * 4096);
    hand_down();
}

TEST(more_bytes_than_the_region_begin_it_again_and_say_so)
{
    hand_up(1);
    hand_job(0)->size_bytes = 4 * 4096;
    hand_job(0)->io_bytes = 6 * 4096;
    hand_begin();
    hand_run();
    EQ(hand_logged, 6);
    EQ(hand_log[4].lba, 0);
    EQ(hand_log[5].lba, 8);
    CHECK(hand_result(0)->wrapped);
    hand_down();
}

TEST(fewer_bytes_than_a_block_still_read_one_block)
{
    hand_up(1);
    hand_job(0)->io_bytes = 1;
    hand_begin();
    hand_run();
    EQ(hand_logged, 1);
    EQ(hand_log[0].blocks, 8);
    hand_down();
}

TEST(a_random_read_with_map_reads_each_block_once_before_any_comes_again)
{
    static uint8_t seen[1000];

    hand_up(1);
    hand.fake[0].disk.lba_count = 8003; /* 1000 whole blocks */
    hand_job(0)->rw = JOB_RANDREAD;
    hand_job(0)->iodepth = 16;
    hand_job(0)->io_bytes = 3000ull * 4096;
    hand_begin();
    hand_run();
    EQ(hand_logged, 3000);
    unsigned in_order = 0;
    for (unsigned i = 0; i < 3000; i++) {
        EQ(hand_log[i].lba % 8, 0);
        EQ(hand_log[i].blocks, 8);
        if (i % 1000 == 0)
            __builtin_memset(seen, 0, sizeof(seen));
        CHECK(hand_log[i].lba / 8 < 1000);
        CHECK(!seen[hand_log[i].lba / 8]);
        seen[hand_log[i].lba / 8] = 1;
        in_order += i && hand_log[i].lba == hand_log[i - 1].lba + 8;
    }
    CHECK(in_order < 30);
    hand_down();
}

TEST(a_random_read_without_map_is_uniform_and_aligned_inside_its_region)
{
    unsigned deciles[10] = { 0 };

    hand_up(1);
    hand_job(0)->rw = JOB_RANDREAD;
    hand_job(0)->norandommap = 1;
    hand_job(0)->iodepth = 32;
    hand_job(0)->offset_bytes = 1000 * 512;
    hand_job(0)->size_bytes = 1000000 * 512 + 512;
    hand_job(0)->io_bytes = 50000ull * 4096;
    hand_begin();
    hand_run();
    EQ(hand_logged, 50000);
    for (unsigned i = 0; i < hand_logged; i++) {
        EQ((hand_log[i].lba - 1000) % 8, 0);
        CHECK(hand_log[i].lba >= 1000 && hand_log[i].lba + 8 <= 1001000);
        deciles[(hand_log[i].lba - 1000) / 100000]++;
    }
    for (unsigned d = 0; d < 10; d++)
        CHECK(deciles[d] > 4700 && deciles[d] < 5300);
    hand_down();
}

TEST(the_same_seed_reads_the_same_lbas_and_another_one_others)
{
    static uint64_t first[100];
    unsigned same = 0;

    for (unsigned run = 0; run < 3; run++) {
        hand_up(1);
        hand_job(0)->rw = JOB_RANDREAD;
        hand_job(0)->io_bytes = 100 * 4096;
        hand_job(0)->randseed = run == 2 ? 99 : 5;
        hand_begin();
        hand_run();
        for (unsigned i = 0; i < 100; i++) {
            if (!run)
                first[i] = hand_log[i].lba;
            else if (run == 1)
                EQ(hand_log[i].lba, first[i]);
            else
                same += hand_log[i].lba == first[i];
        }
        hand_down();
    }
    CHECK(same < 3);
}

/* ---- when it ends ---- */
TEST(runtime_ends_a_lane_before_its_bytes_do)
{
    hand_up(1);
    hand_job(0)->runtime_ns = 50 * NS_PER_MS;
    hand_begin();
    hand_run();
    const struct step_result *r = hand_result(0);
    CHECK(r->run_ns >= 50 * NS_PER_MS && r->run_ns < 51 * NS_PER_MS);
    CHECK(r->ios > 450 && r->ios <= 500); /* 100 us each, and our own steps of the clock */
    EQ(r->bytes, r->ios * 4096);
    EQ_STR(engine_lane_reason(hand.e, 0), "");
    CHECK(!(r->flags & FLAG_ENDED_EARLY));
    hand_down();
}

/* On a slow or busy machine the time of a short job may be over before the loop comes to its lane. */
TEST(a_lane_whose_time_is_over_before_its_turn_still_reads_once)
{
    hand_up(3);
    for (unsigned i = 0; i < 3; i++)
        hand_job(i)->runtime_ns = 1;
    hand_begin();
    hand_run();
    for (unsigned i = 0; i < 3; i++)
        CHECK(hand_result(i)->ios >= 1);
    hand_down();
}

TEST(bytes_end_a_lane_before_its_runtime_does)
{
    hand_up(1);
    hand_job(0)->runtime_ns = 10 * NS_PER_S;
    hand_job(0)->size_bytes = 40 * 4096;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->ios, 40);
    CHECK(hand_result(0)->run_ns >= 40 * 100 * NS_PER_US && hand_result(0)->run_ns < 5 * NS_PER_MS);
    hand_down();
}

TEST(time_based_goes_on_over_the_region_until_runtime)
{
    hand_up(1);
    hand_job(0)->runtime_ns = 10 * NS_PER_MS;
    hand_job(0)->time_based = 1;
    hand_job(0)->size_bytes = 4 * 4096;
    hand_begin();
    hand_run();
    CHECK(hand_result(0)->ios > 80);
    CHECK(hand_result(0)->wrapped);
    for (unsigned i = 0; i < hand_logged; i++)
        EQ(hand_log[i].lba, i % 4 * 8);
    hand_down();
}

TEST(a_ramp_runs_but_is_not_measured)
{
    hand_up(1);
    hand_job(0)->ramp_ns = 20 * NS_PER_MS;
    hand_job(0)->io_bytes = 100 * 4096;
    hand_begin();
    hand_run();
    const struct step_result *r = hand_result(0);
    CHECK(hand_logged > 280 && hand_logged <= 301);
    CHECK(r->ios >= 100 && r->ios <= 101); /* one request was in flight when measuring began */
    EQ(engine_hist(hand.e, 0)->count, r->ios);
    CHECK(r->ramp_ns >= 20 * NS_PER_MS && r->ramp_ns < 21 * NS_PER_MS);
    CHECK(r->run_ns >= 9900 * NS_PER_US && r->run_ns < 12 * NS_PER_MS);
    hand_down();
}

TEST(a_stop_during_the_ramp_measures_nothing)
{
    hand_up(1);
    hand_job(0)->ramp_ns = NS_PER_S;
    hand_begin();
    worker_run(hand.e, 10 * NS_PER_MS);
    engine_stop(hand.e);
    hand_run();
    const struct step_result *r = hand_result(0);
    EQ(r->ios, 0);
    EQ(r->bytes, 0);
    EQ(r->run_ns, 0);
    EQ(engine_hist(hand.e, 0)->count, 0);
    CHECK(r->flags & FLAG_ENDED_EARLY);
    hand_down();
}

TEST(a_stop_ends_all_lanes_soon_and_results_say_so)
{
    hand_up(3);
    hand_begin();
    worker_run(hand.e, 10 * NS_PER_MS);
    engine_stop(hand.e);
    uint64_t stopped_ns = model_clock_ns;
    hand_run();
    CHECK(model_clock_ns - stopped_ns < 60 * NS_PER_MS);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(hand_result(i)->flags & FLAG_ENDED_EARLY);
        HAS_STR(engine_lane_reason(hand.e, i), "stopped");
        CHECK(hand_result(i)->ios > 50);
    }
    hand_down();
}

TEST(an_engine_ended_in_the_middle_drains_before_it_closes)
{
    hand_up(2);
    hand_job(0)->iodepth = 32;
    hand_begin();
    worker_run(hand.e, NS_PER_MS);
    CHECK(hand.fake[0].in_flight > 0);
    hand_down();
}

TEST(an_engine_that_never_ran_ends_cleanly)
{
    hand_up(2);
    hand_begin();
    hand_down();
}

TEST(a_step_without_lanes_is_done_at_once)
{
    hand_up(0);
    hand_begin();
    CHECK(!worker_run(hand.e, NS_PER_S));
    hand_down();
}

/* ---- numbers ---- */
TEST(latency_is_that_of_the_disk_and_within_one_round_of_the_loop)
{
    hand_up(1);
    hand.fake[0].latency_ns = 250 * NS_PER_US;
    hand_job(0)->io_bytes = 2000 * 4096;
    hand_begin();
    hand_run();
    const struct step_result *r = hand_result(0);
    CHECK(r->latency_min_ns >= 250 * NS_PER_US);
    CHECK(r->latency_max_ns < 253 * NS_PER_US);
    CHECK(r->latency_mean_ns >= r->latency_min_ns && r->latency_mean_ns <= r->latency_max_ns);
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
        if (r->percentile_valid & 1u << i)
            CHECK(r->latency_percentile_ns[i] >= r->latency_min_ns &&
                  r->latency_percentile_ns[i] <= r->latency_max_ns);
    EQ(r->flags &
           (FLAG_POLL_GAP | FLAG_HOST_BOUND | FLAG_TOO_SHORT | FLAG_ERRORS | FLAG_SPLIT | FLAG_RETRIES |
            FLAG_NARROW_LINK | FLAG_DEPTH_REDUCED | FLAG_SHARED_PATH | FLAG_FIRMWARE_PATH),
       0);
    hand_down();
}

TEST(percentiles_that_a_job_asks_for_stand_beside_the_usual_ones)
{
    static const uint32_t asked_ppm[] = { 500000, 997500, 999999, PPM_OF_ALL };

    hand_up(1);
    hand.fake[0].latency_ns = 250 * NS_PER_US;
    hand_job(0)->io_bytes = 4000 * 4096; /* exactly ten of 4000 lie above 99.75 % */
    hand_job(0)->percentile_count = 4;
    memcpy(hand_job(0)->percentile_ppm, asked_ppm, sizeof asked_ppm);
    hand_begin();
    hand_run();
    const struct step_result *r = hand_result(0);
    CHECK(r->asked);
    EQ(r->asked->count, 4);
    EQ(r->asked->valid, 0xb); /* all but 99.9999 % */
    EQ(r->asked->ppm[1], 997500);
    CHECK(r->asked->ns[0] >= r->latency_min_ns && r->asked->ns[0] <= r->asked->ns[1]);
    EQ(r->asked->ns[3], r->latency_max_ns);
    hand_down();
    hand_up(1);
    hand_begin();
    hand_run();
    CHECK(!hand_result(0)->asked);
    hand_down();
}

TEST(percentiles_need_ten_samples_above_them)
{
    static const struct {
        unsigned ios;
        unsigned highest_ppm;
    } row[] = {
        { 19, 250000 }, { 20, 500000 }, { 100, 900000 }, { 999, 950000 }, { 1000, 990000 }, { 10000, 999000 },
    };

    for (unsigned k = 0; k < ARRAY_COUNT(row); k++) {
        hand_up(1);
        hand_job(0)->io_bytes = row[k].ios * 4096ull;
        hand_begin();
        hand_run();
        for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
            EQ(hand_result(0)->percentile_valid >> i & 1, percentile_ppm[i] <= row[k].highest_ppm);
        EQ(!!(hand_result(0)->flags & FLAG_TOO_SHORT), row[k].ios < 20);
        hand_down();
    }
}

/* Minutes of waiting need no microseconds. */
static void coarse_clock(void)
{
    model_now_step_ns = 5 * NS_PER_US;
    model_relax_step_ns = 50 * NS_PER_US;
}

TEST(the_series_adds_up_to_the_totals_and_doubles_its_interval)
{
    hand_up(1);
    coarse_clock();
    hand.fake[0].latency_ns = 20 * NS_PER_MS;
    hand_job(0)->io_bytes = 20000 * 4096ull; /* 400 s: four times 600 x 100 ms and more */
    hand_begin();
    hand_run();
    const struct lane_series *s = engine_series(hand.e, 0);
    uint64_t ios = 0, bytes = 0, max_ns = 0;
    for (unsigned i = 0; i < s->count; i++) {
        ios += s->point[i].ios;
        bytes += s->point[i].bytes;
        max_ns = max_u64(max_ns, s->point[i].max_ns);
        if (i + 1 < s->count)
            CHECK(s->point[i].ios >= s->interval_ns / (21 * NS_PER_MS));
    }
    EQ(s->interval_ns, 800 * NS_PER_MS);
    CHECK(s->count > 490 && s->count <= SERIES_MAX_POINTS);
    EQ(ios, hand_result(0)->ios);
    EQ(bytes, hand_result(0)->bytes);
    EQ(max_ns, hand_result(0)->latency_max_ns);
    hand_down();
}

TEST(a_point_of_the_series_keeps_the_longest_latency_of_what_it_joins)
{
    for (unsigned odd = 0; odd < 2; odd++) {
        hand_up(1);
        coarse_clock();
        hand.fake[0].latency_ns = 20 * NS_PER_MS;
        hand_job(0)->io_bytes = 20000 * 4096ull;
        hand_begin();
        worker_run(hand.e, (1050 + 100 * odd) * NS_PER_MS);
        hand.fake[0].latency_ns = 45 * NS_PER_MS; /* once, in an even or an odd interval of 100 ms */
        worker_run(hand.e, 40 * NS_PER_MS);
        hand.fake[0].latency_ns = 20 * NS_PER_MS;
        hand_run();
        const struct lane_series *s = engine_series(hand.e, 0);
        EQ(s->interval_ns, 800 * NS_PER_MS);
        CHECK(s->point[1].max_ns >= 45 * NS_PER_MS);
        CHECK(s->point[0].max_ns < 21 * NS_PER_MS && s->point[2].max_ns < 21 * NS_PER_MS);
        hand_down();
    }
}

TEST(a_known_runtime_sets_the_interval_of_the_series_at_once)
{
    hand_up(1);
    hand_job(0)->runtime_ns = 3600 * NS_PER_S;
    hand_begin();
    EQ(engine_series(hand.e, 0)->interval_ns, 6 * NS_PER_S);
    hand_down();
}

TEST(a_stall_of_the_disk_shows_as_empty_points_and_no_error)
{
    hand_up(1);
    hand_job(0)->io_bytes = 3000 * 4096;
    hand_begin();
    worker_run(hand.e, 10 * NS_PER_MS);
    hand.fake[0].latency_ns = 5 * NS_PER_S;
    worker_run(hand.e, NS_PER_S);
    hand.fake[0].latency_ns = 100 * NS_PER_US;
    hand_run();
    const struct lane_series *s = engine_series(hand.e, 0);
    EQ(hand_result(0)->errors, 0);
    CHECK(hand_result(0)->latency_max_ns >= 5 * NS_PER_S);
    EQ(s->point[20].ios, 0);
    CHECK(s->point[s->count - 1].ios > 0);
    hand_down();
}

TEST(many_lanes_run_side_by_side_and_keep_their_own_counts)
{
    hand_up(8);
    for (unsigned i = 0; i < 8; i++) {
        hand.fake[i].latency_ns = (i + 1) * 100 * NS_PER_US;
        hand_job(i)->runtime_ns = 100 * NS_PER_MS;
        hand_job(i)->iodepth = 2;
    }
    hand_begin();
    hand_run();
    EQ(engine_lane_count(hand.e), 8);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t ideal = 2 * 100 * NS_PER_MS / ((i + 1) * 100 * NS_PER_US);
        CHECK(hand_result(i)->ios > ideal * 85 / 100 && hand_result(i)->ios <= ideal + 2);
        EQ(hand_result(i)->ios, hand.fake[i].requests);
        EQ_STR(hand_result(i)->disk, hand.fake[i].disk.name);
        EQ(hand_result(i)->step, 7);
    }
    CHECK(model_clock_ns < 120 * NS_PER_MS);
    hand_down();
}

TEST(a_slow_loop_flags_its_gaps_between_polls)
{
    hand_up(1);
    hand_job(0)->io_bytes = 1000 * 4096;
    hand_begin();
    worker_run(hand.e, NS_PER_MS);
    model_advance_ns(3 * NS_PER_MS); /* the main processor did something else */
    hand_run();
    CHECK(hand_result(0)->longest_poll_gap_ns >= 3 * NS_PER_MS);
    CHECK(hand_result(0)->flags & FLAG_POLL_GAP);
    hand_down();
}

TEST(a_host_that_costs_more_than_a_tenth_is_flagged)
{
    hand_up(1);
    hand.fake[0].latency_ns = 0;
    hand_job(0)->io_bytes = 1000 * 4096;
    hand_begin();
    hand_run();
    CHECK(hand_result(0)->busy_ns > hand_result(0)->run_ns / 10);
    CHECK(hand_result(0)->flags & FLAG_HOST_BOUND);
    hand_down();
}

TEST(flags_that_come_from_the_plan_and_the_disk_are_carried)
{
    hand_up(1);
    hand.lane[0].shared_path = true;
    hand.fake[0].disk.kind = DISK_FIRMWARE;
    hand.fake[0].disk.max_command_bytes = 4096;
    hand_job(0)->block_bytes = 64 * KIB;
    hand_job(0)->iodepth = 8;
    hand.lane[0].depth = 4;
    hand_job(0)->io_bytes = 100 * 64 * KIB;
    hand.fake[0].retries = 2;
    hand_begin();
    hand_run();
    const struct step_result *r = hand_result(0);
    uint32_t want = FLAG_SHARED_PATH | FLAG_FIRMWARE_PATH | FLAG_SPLIT | FLAG_DEPTH_REDUCED | FLAG_RETRIES;
    EQ(r->flags & want, want);
    EQ(r->command_bytes, 4096);
    EQ(r->block_bytes, 64 * KIB);
    EQ(r->depth_asked, 8);
    EQ(r->depth, 4);
    EQ(r->retries, 200);
    EQ(hand.fake[0].max_in_flight, 4);
    hand_down();
}

TEST(a_disk_that_takes_few_requests_at_a_time_still_gets_all_of_them)
{
    hand_up(1);
    hand.fake[0].take_at_most = 3;
    hand.fake[0].disk.lba_count = 1003;
    hand_job(0)->iodepth = 16;
    hand_begin();
    hand_run();
    uint64_t lba = 0;
    for (unsigned i = 0; i < hand_logged; i++) {
        EQ(hand_log[i].lba, lba);
        lba += hand_log[i].blocks;
    }
    EQ(lba, 1003);
    EQ(hand.fake[0].max_in_flight, 3);
    CHECK(hand_result(0)->latency_max_ns < 110 * NS_PER_US); /* waiting for room is not the disk's latency */
    hand_down();
}

/* ---- progress ---- */
TEST(progress_shows_what_has_been_done_so_far)
{
    struct lane_progress p;

    hand_up(1);
    hand_job(0)->runtime_ns = 2 * NS_PER_S;
    hand_job(0)->iodepth = 4;
    hand_begin();
    engine_progress(hand.e, 0, &p);
    EQ(p.ios, 0);
    worker_run(hand.e, NS_PER_S);
    engine_progress(hand.e, 0, &p);
    EQ(p.phase, LANE_RUNNING);
    EQ(p.planned_ns, 2 * NS_PER_S);
    EQ(p.planned_bytes, GIB);
    CHECK(p.elapsed_ns > 750 * NS_PER_MS && p.elapsed_ns <= 1010 * NS_PER_MS);
    CHECK(p.recent_iops > 35000 && p.recent_iops < 41000);
    EQ(p.recent_bytes_per_s / 4096 / 100, p.recent_iops / 100);
    CHECK(p.p99_ns >= 100 * NS_PER_US && p.p99_ns < 110 * NS_PER_US);
    hand_run();
    engine_progress(hand.e, 0, &p);
    EQ(p.phase, LANE_DONE);
    EQ(p.ios, hand_result(0)->ios);
    EQ(p.bytes, hand_result(0)->bytes);
    hand_down();
}
