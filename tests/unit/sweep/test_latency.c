#include "sweep_hand.h"

/* Jobs that end by their latencies, or with another job. */

/* Every request costs 100 us, one after another: n in flight take n times that. */
static void up_search(uint16_t depth, uint64_t target_us)
{
    hand_up(1);
    hand.fake[0].latency_ns = 0;
    hand.fake[0].request_ns = 100 * NS_PER_US;
    hand_job(0)->rw = JOB_RANDREAD;
    hand_job(0)->iodepth = depth;
    hand_job(0)->latency_target_ns = target_us * NS_PER_US;
    hand_job(0)->latency_window_ns = 200 * NS_PER_MS;
    hand_job(0)->latency_ppm = PPM_OF_ALL;
    hand_job(0)->runtime_ns = 60 * NS_PER_S;
    model_relax_step_ns = 10 * NS_PER_US;
}
static void run(void)
{
    hand_begin();
    hand_run();
}

TEST(latency_target_finds_the_highest_depth_that_keeps_it)
{
    static const struct {
        uint16_t limit;
        unsigned target_us, depth;
        uint8_t outcome;
    } rows[] = {
        { 32, 150, 1, TARGET_FOUND },   { 32, 250, 2, TARGET_FOUND },   { 32, 1050, 10, TARGET_FOUND },
        { 32, 3150, 31, TARGET_FOUND }, { 32, 9000, 32, TARGET_LIMIT }, { 1, 150, 1, TARGET_LIMIT },
        { 3, 350, 3, TARGET_LIMIT },    { 20, 1750, 17, TARGET_FOUND },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        up_search(rows[i].limit, rows[i].target_us);
        run();
        const struct step_result *r = hand_result(0);
        const struct step_goal *g = engine_goal(hand.e, 0);

        CHECK(g && g->target_ns == rows[i].target_us * NS_PER_US && g->percentile_ppm == PPM_OF_ALL);
        EQ(g->outcome, rows[i].outcome);
        EQ(g->depth, rows[i].depth);
        EQ(r->depth, rows[i].depth);
        EQ(r->depth_asked, rows[i].limit);
        CHECK(!(r->flags & (FLAG_DEPTH_REDUCED | FLAG_ENDED_EARLY)));
        EQ_STR(engine_lane_reason(hand.e, 0), "");
        /* Of the last window alone. */
        CHECK(r->run_ns >= 200 * NS_PER_MS && r->run_ns < 260 * NS_PER_MS);
        CHECK(r->latency_max_ns <= rows[i].target_us * NS_PER_US);
        CHECK(r->latency_mean_ns >= rows[i].depth * 97 * NS_PER_US);
        CHECK(r->ios * 100 * NS_PER_US <= r->run_ns + NS_PER_MS && r->ios > 1900);
        hand_down();
    }
}

TEST(a_target_that_single_requests_miss_ends_the_job_and_says_so)
{
    up_search(32, 90);
    run();
    EQ(engine_goal(hand.e, 0)->outcome, TARGET_MISSED);
    EQ(hand_result(0)->depth, 1);
    CHECK(hand_result(0)->ios > 1900); /* what single requests take is the result */
    HAS_STR(engine_lane_reason(hand.e, 0), "not even one request at a time");
    hand_down();
}

TEST(latency_percentile_lets_so_many_requests_be_slower)
{
    for (unsigned k = 0; k < 2; k++) {
        up_search(4, 450);
        hand.fake[0].slow_every = 50; /* 2 % */
        hand.fake[0].slow_ns = 10 * NS_PER_MS;
        hand_job(0)->latency_ppm = k ? 970000 : 990000;
        run();
        EQ(engine_goal(hand.e, 0)->outcome, k ? TARGET_LIMIT : TARGET_MISSED);
        hand_down();
    }
}

TEST(a_search_is_no_longer_than_runtime_and_says_that_it_was_not_finished)
{
    up_search(32, 1050);
    hand_job(0)->runtime_ns = 500 * NS_PER_MS;
    uint64_t began_ns = model_clock_ns;
    run();
    CHECK(model_clock_ns - began_ns < 520 * NS_PER_MS);
    EQ(engine_goal(hand.e, 0)->outcome, TARGET_OPEN);
    CHECK(hand_result(0)->flags & FLAG_ENDED_EARLY);
    HAS_STR(engine_lane_reason(hand.e, 0), "longer runtime");
    hand_down();
}

TEST(a_search_on_a_disk_that_answers_nothing_well_ends)
{
    up_search(32, 1050);
    hand_job(0)->runtime_ns = 0;
    hand.fake[0].fail_every = 1;
    run();
    EQ(engine_goal(hand.e, 0)->outcome, TARGET_OPEN);
    EQ(hand_result(0)->ios, 0);
    CHECK(hand_result(0)->errors > 100 && hand_result(0)->flags & FLAG_ENDED_EARLY);
    hand_down();
}

TEST(a_disk_of_few_requests_is_judged_by_those_that_came)
{
    up_search(2, 2500000);
    hand.fake[0].request_ns = NS_PER_S;
    hand_job(0)->runtime_ns = 0;
    model_relax_step_ns = 10 * NS_PER_MS;
    run();
    EQ(engine_goal(hand.e, 0)->outcome, TARGET_LIMIT);
    CHECK(hand_result(0)->ios >= 10 && hand_result(0)->ios < 20);
    hand_down();
}

TEST(with_latency_run_the_job_goes_on_to_its_end_and_all_of_it_is_the_result)
{
    up_search(32, 1050);
    hand_job(0)->latency_run = 1;
    hand_job(0)->time_based = 1;
    hand_job(0)->runtime_ns = 5 * NS_PER_S;
    run();
    EQ(engine_goal(hand.e, 0)->outcome, TARGET_FOUND);
    EQ(hand_result(0)->depth, 10);
    CHECK(hand_result(0)->run_ns >= 5 * NS_PER_S && hand_result(0)->ios > 45000);
    CHECK(hand_result(0)->latency_max_ns > 1500 * NS_PER_US); /* the search is part of it */
    hand_down();
}

TEST(with_latency_run_one_slow_moment_at_depth_1_is_no_unfinished_search)
{
    up_search(32, 150);
    hand.fake[0].slow_every = 9000; /* long after the depth was found */
    hand.fake[0].slow_ns = 10 * NS_PER_MS;
    hand_job(0)->latency_run = 1;
    hand_job(0)->time_based = 1;
    hand_job(0)->runtime_ns = 2500 * NS_PER_MS;
    run();
    EQ(engine_goal(hand.e, 0)->outcome, TARGET_FOUND);
    EQ(hand_result(0)->depth, 1);
    CHECK(!(hand_result(0)->flags & FLAG_ENDED_EARLY));
    hand_down();
}

TEST(a_search_comes_after_the_ramp_and_is_not_measured)
{
    up_search(8, 350);
    hand_job(0)->ramp_ns = 300 * NS_PER_MS;
    hand_job(0)->startdelay_ns = 100 * NS_PER_MS;
    run();
    EQ(hand_result(0)->depth, 3);
    CHECK(hand_result(0)->ramp_ns >= 900 * NS_PER_MS && hand_result(0)->ramp_ns < 1500 * NS_PER_MS);
    CHECK(hand_result(0)->run_ns < 260 * NS_PER_MS);
    hand_down();
}

TEST(a_search_that_writes_finds_its_depth_too)
{
    static uint8_t content[1 << 20];

    hand_up_writable(content, sizeof content / 512, JOB_RANDWRITE);
    hand.fake[0].latency_ns = 0;
    hand.fake[0].request_ns = 100 * NS_PER_US;
    hand_job(0)->iodepth = 16;
    hand_job(0)->latency_target_ns = 550 * NS_PER_US;
    hand_job(0)->latency_window_ns = 200 * NS_PER_MS;
    hand_job(0)->latency_ppm = 990000;
    model_relax_step_ns = 10 * NS_PER_US;
    run();
    EQ(engine_goal(hand.e, 0)->outcome, TARGET_FOUND);
    EQ(hand_result(0)->depth, 5);
    hand_down();
}

TEST(max_latency_ends_the_job_at_the_request_that_took_longer)
{
    for (unsigned depth = 1; depth <= 4; depth += 3) {
        hand_up(1);
        hand_job(0)->iodepth = (uint16_t)depth;
        hand_job(0)->time_based = 1;
        hand_job(0)->runtime_ns = 10 * NS_PER_S;
        hand_job(0)->max_latency_ns = 5 * NS_PER_MS;
        hand.fake[0].slow_every = 10000;
        hand.fake[0].slow_ns = 6 * NS_PER_MS;
        run();
        CHECK(hand_result(0)->ios >= 10000 && hand_result(0)->ios < 10000 + depth * 600);
        CHECK(hand_result(0)->latency_max_ns > 6 * NS_PER_MS);
        CHECK(hand_result(0)->flags & FLAG_ENDED_EARLY);
        HAS_STR(engine_lane_reason(hand.e, 0), "max_latency");
        EQ(engine_goal(hand.e, 0)->max_ns, 5 * NS_PER_MS);
        hand_down();
    }
}

TEST(max_latency_does_not_look_at_the_ramp_and_lets_what_is_fast_enough_run)
{
    hand_up(1);
    hand_job(0)->time_based = 1;
    hand_job(0)->ramp_ns = 200 * NS_PER_MS;
    hand_job(0)->runtime_ns = 100 * NS_PER_MS;
    hand_job(0)->max_latency_ns = NS_PER_MS;
    hand.fake[0].slow_every = 1500; /* the 1500th in the ramp; the next would come later than the end */
    hand.fake[0].slow_ns = 20 * NS_PER_MS;
    run();
    CHECK(!(hand_result(0)->flags & FLAG_ENDED_EARLY));
    CHECK(hand_result(0)->run_ns >= 100 * NS_PER_MS);
    CHECK(!engine_lane_reason(hand.e, 0)[0]);
    hand_down();
    hand_up(1);
    hand_job(0)->io_bytes = 4096;
    run();
    CHECK(!engine_goal(hand.e, 0));
    hand_down();
}

/* ---- exitall ---- */
/* Three disks: job 1 on the first two, job 2 on the third, both long; the first is faster. */
static void up_exit(bool exitall)
{
    hand_up(3);
    for (unsigned i = 0; i < 3; i++) {
        hand_job(i)->line = i < 2 ? 10 : 20;
        str_copy(hand_job(i)->name, sizeof hand_job(i)->name, i < 2 ? "first" : "second");
        hand_job(i)->io_bytes = i < 2 ? (i + 1) * 1000 * 4096 : 10000 * 4096;
    }
    hand_job(0)->exitall = hand_job(1)->exitall = exitall;
}

TEST(exitall_ends_the_jobs_beside_one_that_has_ended_on_all_its_disks)
{
    up_exit(true);
    run();
    EQ(hand_result(0)->ios, 1000);
    EQ(hand_result(1)->ios, 2000); /* not when it ended on one of them */
    CHECK(hand_result(2)->ios >= 2000 && hand_result(2)->ios < 2010);
    CHECK(!(hand_result(2)->flags & FLAG_ENDED_EARLY));
    EQ_STR(engine_lane_reason(hand.e, 0), "");
    EQ_STR(engine_lane_reason(hand.e, 2), "ended with job first (exitall)");
    hand_down();
    up_exit(false);
    run();
    EQ(hand_result(2)->ios, 10000);
    hand_down();
}

TEST(jobs_that_a_person_stops_say_so_and_not_that_another_ended)
{
    up_exit(true);
    hand_begin();
    worker_run(hand.e, 10 * NS_PER_MS);
    engine_stop(hand.e);
    hand_run();
    for (unsigned i = 0; i < 3; i++) {
        CHECK(hand_result(i)->flags & FLAG_ENDED_EARLY);
        HAS_STR(engine_lane_reason(hand.e, i), "stopped");
    }
    hand_down();
}

TEST(exitall_ends_a_job_that_has_not_begun)
{
    up_exit(true);
    hand_job(2)->startdelay_ns = 10 * NS_PER_S;
    uint64_t began_ns = model_clock_ns;
    run();
    CHECK(model_clock_ns - began_ns < NS_PER_S);
    EQ(hand_result(2)->ios, 0);
    HAS_STR(engine_lane_reason(hand.e, 2), "exitall");
    hand_down();
}

TEST(exitall_on_error_ends_the_others_when_a_job_failed_and_only_then)
{
    for (unsigned k = 0; k < 2; k++) {
        up_exit(false);
        hand_job(0)->exitall_on_error = hand_job(1)->exitall_on_error = 1;
        if (k)
            hand.fake[1].die_at = 500;
        run();
        EQ(hand_result(0)->ios, 1000);
        CHECK(k ? hand_result(2)->ios < 1100 : hand_result(2)->ios == 10000);
        hand_down();
    }
}

TEST(the_first_copy_that_ends_ends_the_others)
{
    up_exit(true);
    for (unsigned i = 0; i < 3; i++)
        hand_job(i)->line = 10;
    hand.lane[1].copy = 0;
    hand.lane[1].disk = hand.lane[2].disk = hand.lane[0].disk;
    hand.lane[1].copy = 1;
    hand.lane[2].copy = 2;
    hand_job(2)->exitall = 1;
    run();
    CHECK(hand_result(0)->ios >= 3000 && hand_result(0)->ios < 3020);
    hand_down();
}
