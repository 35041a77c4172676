#include "sweep_hand.h"

/* Errors, hangs, dead disks, holds: what a broken device may cost, and what it must not. */

static const struct io_error_record *errors(unsigned lane, unsigned *count)
{
    return engine_errors(hand.e, lane, count);
}

/* ---- errors ---- */
TEST(a_bad_sector_is_counted_and_never_averaged_in)
{
    unsigned count;

    hand_up(1);
    hand.fake[0].bad_lba = 805;
    hand.fake[0].bad_count = 1;
    hand_job(0)->io_bytes = 1000 * 4096;
    hand_begin();
    hand_run();
    const struct step_result *r = hand_result(0);
    EQ(r->errors, 1);
    EQ(r->ios, 999);
    EQ(r->bytes, 999 * 4096);
    EQ(engine_hist(hand.e, 0)->count, 999);
    CHECK(r->flags & FLAG_ERRORS);
    const struct io_error_record *e = errors(0, &count);
    EQ(count, 1);
    EQ(e->lba, 800);
    EQ(e->blocks, 8);
    EQ(e->status, IO_MEDIA_ERROR);
    EQ(e->detail, 0x281);
    CHECK(!e->located);
    CHECK(e->at_ns > 100 * 100 * NS_PER_US && e->at_ns < 12 * NS_PER_MS);
    hand_down();
}

TEST(the_first_sixteen_errors_are_kept_and_the_rest_counted)
{
    unsigned count;

    hand_up(1);
    hand.fake[0].fail_every = 2;
    hand_job(0)->io_bytes = 1000 * 4096;
    hand_job(0)->iodepth = 8;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->errors, 500);
    EQ(hand_result(0)->ios, 500);
    errors(0, &count);
    EQ(count, LANE_MAX_ERROR_RECORDS);
    EQ_STR(engine_lane_reason(hand.e, 0), "");
    hand_down();
}

TEST(a_disk_on_which_every_read_fails_ends_with_no_figure)
{
    hand_up(1);
    hand.fake[0].fail_every = 1;
    hand_job(0)->io_bytes = 1000 * 4096;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->errors, 1000);
    EQ(hand_result(0)->ios, 0);
    EQ(hand_result(0)->bytes, 0);
    EQ(hand_result(0)->latency_min_ns, 0);
    EQ(step_bytes_per_s(hand_result(0)), 0);
    hand_down();
}

TEST(bad_lbas_are_named_with_their_length)
{
    static const struct {
        uint64_t bad, count, want_lba;
        unsigned want_blocks;
    } row[] = {
        { 2048, 1, 2048, 1 }, /* the request's first */
        { 4095, 1, 4095, 1 }, /* its last */
        { 3001, 1, 3001, 1 },     { 3001, 5, 3001, 5 },
        { 3001, 500, 3001, 64 }, /* a long run: the part that was looked at */
        { 2048, 2048, 2048, 64 },
    };

    for (unsigned k = 0; k < ARRAY_COUNT(row); k++) {
        unsigned count;
        hand_up(1);
        hand.fake[0].bad_lba = row[k].bad;
        hand.fake[0].bad_count = row[k].count;
        hand_job(0)->block_bytes = 1 * MIB;
        hand_job(0)->io_bytes = 8 * MIB;
        hand_begin();
        hand_run();
        engine_locate_errors(hand.e);
        const struct io_error_record *e = errors(0, &count);
        EQ(count, 1);
        CHECK(e->located);
        EQ(e->lba, row[k].want_lba);
        EQ(e->blocks, row[k].want_blocks);
        EQ(hand_result(0)->errors, 1);
        engine_locate_errors(hand.e); /* again: nothing more to find */
        EQ(e->blocks, row[k].want_blocks);
        hand_down();
    }
}

TEST(an_error_that_does_not_come_again_is_not_given_an_lba)
{
    unsigned count;

    hand_up(1);
    hand.fake[0].bad_lba = 3001;
    hand.fake[0].bad_count = 1;
    hand_job(0)->block_bytes = 1 * MIB;
    hand_job(0)->io_bytes = 8 * MIB;
    hand_begin();
    hand_run();
    hand.fake[0].bad_count = 0;
    engine_locate_errors(hand.e);
    const struct io_error_record *e = errors(0, &count);
    CHECK(!e->located);
    EQ(e->lba, 2048);
    EQ(e->blocks, 2048);
    hand_down();
}

TEST(naming_bad_lbas_is_bounded_in_time)
{
    hand_up(1);
    hand.fake[0].bad_lba = 0;
    hand.fake[0].bad_count = 1 << 20;
    hand_job(0)->block_bytes = 1 * MIB;
    hand_job(0)->io_bytes = 100 * MIB;
    hand_begin();
    hand_run();
    hand.fake[0].latency_ns = 7 * NS_PER_S; /* as an old disk on a bad sector */
    uint64_t began_ns = model_clock_ns;
    engine_locate_errors(hand.e);
    CHECK(model_clock_ns - began_ns < 30 * NS_PER_S);
    hand_down();
}

TEST(a_read_that_hangs_while_naming_lbas_costs_one_deadline)
{
    hand_up(1);
    hand.fake[0].bad_lba = 3001;
    hand.fake[0].bad_count = 1;
    hand.fake[0].hang_at = 12;
    hand_job(0)->block_bytes = 1 * MIB;
    hand_job(0)->io_bytes = 8 * MIB;
    hand_begin();
    hand_run();
    uint64_t began_ns = model_clock_ns;
    engine_locate_errors(hand.e);
    CHECK(hand.fake[0].expires == 1);
    CHECK(model_clock_ns - began_ns < 31 * NS_PER_S);
    hand_down();
}

TEST(locating_before_the_run_is_over_does_nothing)
{
    hand_up(1);
    hand.fake[0].bad_count = 1 << 20;
    hand_begin();
    worker_run(hand.e, NS_PER_MS);
    uint64_t before = hand.fake[0].requests;
    engine_locate_errors(hand.e);
    EQ(hand.fake[0].requests, before);
    hand_down();
}

TEST(a_split_request_names_the_command_that_failed)
{
    unsigned count;

    hand_up(1);
    hand.fake[0].disk.max_command_bytes = 128 * KIB;
    hand.fake[0].bad_lba = 100;
    hand.fake[0].bad_count = 1;
    hand_job(0)->block_bytes = 1 * MIB;
    hand_job(0)->io_bytes = 1 * MIB;
    hand_begin();
    hand_run();
    const struct io_error_record *e = errors(0, &count);
    EQ(e->lba, 0);
    EQ(e->blocks, 256);
    hand_down();
}

/* ---- deadlines ---- */
TEST(a_request_that_hangs_is_expired_after_its_deadline_and_the_lane_goes_on)
{
    unsigned count;

    hand_up(1);
    hand.fake[0].hang_at = 50;
    hand_job(0)->io_bytes = 1000 * 4096;
    hand_job(0)->iodepth = 4;
    hand_begin();
    hand_run();
    EQ(hand.fake[0].expires, 1);
    EQ(hand_result(0)->errors, 1);
    EQ(hand_result(0)->ios, 999);
    const struct io_error_record *e = errors(0, &count);
    EQ(count, 1);
    EQ(e->status, IO_TIMED_OUT);
    EQ(e->lba, 49 * 8);
    CHECK(e->at_ns >= 30 * NS_PER_S && e->at_ns < 30200 * NS_PER_MS);
    CHECK(hand_result(0)->run_ns < NS_PER_S); /* the others were done long before; the wait is no run time */
    hand_down();
}

TEST(at_depth_one_the_time_of_a_hang_counts)
{
    hand_up(1);
    hand.fake[0].hang_at = 50;
    hand_job(0)->io_bytes = 100 * 4096;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->ios, 99);
    CHECK(hand_result(0)->run_ns >= 30 * NS_PER_S);
    hand_down();
}

TEST(a_hang_among_busy_neighbours_is_seen_in_time)
{
    hand_up(1);
    hand.fake[0].hang_at = 50;
    hand.fake[0].latency_ns = 100; /* never an empty poll */
    hand.fake[0].disk.command_deadline_ns = 200 * NS_PER_MS;
    hand_job(0)->time_based = 1;
    hand_job(0)->runtime_ns = NS_PER_S;
    hand_job(0)->iodepth = 32;
    model_now_step_ns = 1000;
    hand_begin();
    worker_run(hand.e, 300 * NS_PER_MS);
    EQ(hand.fake[0].expires, 1);
    hand_run();
    EQ(hand_result(0)->errors, 1);
    hand_down();
}

TEST(answers_that_came_during_a_gap_are_taken_before_a_deadline_is_judged)
{
    static const unsigned depths[] = { 2, 200 }; /* one poll brings 64 */

    for (unsigned k = 0; k < ARRAY_COUNT(depths); k++) {
        hand_up(1);
        hand.fake[0].latency_ns = 20 * NS_PER_S;
        hand_job(0)->io_bytes = depths[k] * 4096ull;
        hand_job(0)->iodepth = (uint16_t)depths[k];
        hand_begin();
        worker_run(hand.e, NS_PER_MS);
        model_advance_ns(40 * NS_PER_S); /* 10 s beyond the deadline, but answered after 20 */
        hand_run();
        EQ(hand.fake[0].expires, 0);
        EQ(hand_result(0)->errors, 0);
        EQ(hand_result(0)->ios, depths[k]);
        hand_down();
    }
}

TEST(a_lane_whose_requests_keep_hanging_is_ended)
{
    hand_up(2);
    model_relax_step_ns = NS_PER_MS;
    hand.fake[0].latency_ns = 3600 * NS_PER_S;
    hand_job(0)->iodepth = 2;
    hand_job(1)->io_bytes = 100 * 4096;
    hand_begin();
    hand_run();
    CHECK(hand_result(0)->errors >= 8 && hand_result(0)->errors <= 10);
    CHECK(hand_result(0)->flags & FLAG_ENDED_EARLY);
    HAS_STR(engine_lane_reason(hand.e, 0), "too many");
    EQ(hand_result(1)->ios, 100);
    CHECK(model_clock_ns < 10 * 31 * NS_PER_S);
    hand_down();
}

TEST(a_driver_that_keeps_an_expired_slot_loses_its_lane_but_not_the_run)
{
    struct lane_progress p;

    hand_up(2);
    hand.fake[0].hang_at = 3;
    hand.fake[0].keeps_expired = true;
    hand_job(0)->io_bytes = 100 * 4096;
    hand_job(0)->iodepth = 4;
    hand_job(1)->io_bytes = 100 * 4096;
    model_quiet = true;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->errors, 1);
    HAS_STR(engine_lane_reason(hand.e, 0), "not given back");
    engine_progress(hand.e, 0, &p);
    EQ(p.phase, LANE_DEAD);
    EQ(hand_result(1)->ios, 100);
    engine_end(hand.e);
    EQ(model_live_allocs(), 0);
}

TEST(a_driver_that_completes_a_request_twice_loses_its_lane)
{
    hand_up(1);
    hand.fake[0].completes_twice = true;
    hand_job(0)->iodepth = 4;
    hand_job(0)->io_bytes = 1000 * 4096;
    model_quiet = true;
    hand_begin();
    hand_run();
    HAS_STR(engine_lane_reason(hand.e, 0), "not in flight");
    CHECK(hand_result(0)->ios < 20);
    EQ(engine_hist(hand.e, 0)->count, hand_result(0)->ios);
    engine_end(hand.e);
    EQ(model_live_allocs(), 0);
}

TEST(a_disk_that_takes_no_request_is_given_up_after_its_deadline)
{
    hand_up(1);
    hand_begin();
    worker_run(hand.e, NS_PER_MS);
    hand.fake[0].takes_nothing = true;
    uint64_t began_ns = model_clock_ns;
    model_quiet = true;
    hand_run();
    CHECK(model_clock_ns - began_ns >= 30 * NS_PER_S && model_clock_ns - began_ns < 31 * NS_PER_S);
    HAS_STR(engine_lane_reason(hand.e, 0), "took no request");
    CHECK(hand_result(0)->flags & FLAG_ENDED_EARLY);
    hand_down();
}

/* ---- dead disks ---- */
TEST(a_disk_that_dies_ends_its_lane_with_the_drivers_reason)
{
    struct lane_progress p;

    hand_up(2);
    hand.fake[0].die_at = 100;
    hand_job(0)->iodepth = 8;
    hand_job(0)->io_bytes = 1000 * 4096;
    hand_job(1)->io_bytes = 500 * 4096;
    model_quiet = true;
    hand_begin();
    hand_run();
    const struct step_result *r = hand_result(0);
    HAS_STR(engine_lane_reason(hand.e, 0), "fake disk");
    CHECK(r->flags & FLAG_ENDED_EARLY);
    CHECK(r->errors >= 1 && r->errors <= 8);
    EQ(r->ios + r->errors, hand.fake[0].requests);
    engine_progress(hand.e, 0, &p);
    EQ(p.phase, LANE_DEAD);
    EQ(p.errors, r->errors);
    engine_locate_errors(hand.e); /* asks a dead lane nothing */
    EQ(hand.fake[0].requests, r->ios + r->errors);
    EQ(hand_result(1)->ios, 500);
    EQ_STR(engine_lane_reason(hand.e, 1), "");
    hand_down();
}

TEST(a_disk_that_cannot_be_opened_is_named_with_its_reason_and_the_others_run)
{
    struct lane_progress p;

    hand_up(3);
    hand.fake[0].open_error = E_UNSUPPORTED;
    hand.fake[1].disk.ops = NULL;
    str_copy(hand.fake[1].disk.why_not, sizeof(hand.fake[1].disk.why_not), "foreign configuration");
    for (unsigned i = 0; i < 3; i++)
        hand_job(i)->io_bytes = 50 * 4096;
    hand_begin();
    hand_run();
    HAS_STR(engine_lane_reason(hand.e, 0), "could not be opened");
    EQ_STR(engine_lane_reason(hand.e, 1), "foreign configuration");
    for (unsigned i = 0; i < 2; i++) {
        EQ(hand_result(i)->ios, 0);
        EQ_STR(hand_result(i)->disk, hand.fake[i].disk.name);
        EQ_STR(hand_result(i)->job, "job");
        EQ_STR(hand_result(i)->rw, "read");
        EQ(hand_result(i)->block_bytes, 4096);
        engine_progress(hand.e, i, &p);
        EQ(p.phase, LANE_DEAD);
    }
    EQ(hand_result(2)->ios, 50);
    hand_down();
}

TEST(a_disk_that_takes_less_depth_is_opened_with_less)
{
    hand_up(1);
    hand.fake[0].open_depth_limit = 10;
    hand_job(0)->iodepth = 32;
    hand_job(0)->io_bytes = 100 * 4096;
    hand_begin();
    hand_run();
    EQ(hand_result(0)->depth, 8);
    CHECK(hand_result(0)->flags & FLAG_DEPTH_REDUCED);
    EQ(hand_result(0)->ios, 100);
    hand_down();
}

TEST(regions_and_sizes_that_do_not_fit_the_disk_never_reach_it)
{
    static const struct {
        uint64_t offset, size;
        uint32_t block;
    } row[] = {
        { 0, 0, 4000 },
        { 0, 0, 0 },
        { 100, 0, 4096 },
        { 0, 1000, 4096 },
        { GIB, 0, 4096 },
        { GIB - 512, 1024, 4096 },
        { 512, GIB, 4096 },
        { UINT64_MAX - 511, 512, 4096 },
        { 0, UINT64_MAX - 511, 4096 },
    };

    for (unsigned k = 0; k < ARRAY_COUNT(row); k++) {
        hand_up(1);
        hand_job(0)->offset_bytes = row[k].offset;
        hand_job(0)->size_bytes = row[k].size;
        hand_job(0)->block_bytes = row[k].block;
        hand_begin();
        hand_run();
        EQ(hand.fake[0].requests, 0);
        CHECK(engine_lane_reason(hand.e, 0)[0]);
        hand_down();
    }
}

TEST(each_allocation_that_fails_leaves_nothing_behind)
{
    bool complete = false;

    for (long k = 0; !complete; k++) {
        hand_up(2);
        hand.lane[0].depth = hand.lane[1].depth = 1;
        hand_job(0)->io_bytes = hand_job(1)->io_bytes = 4096;
        model_quiet = true;
        model_fail_alloc_at = k;
        int err = engine_begin(&hand.step, 1, &hand.e);
        if (err) {
            EQ(err, E_NOMEM);
            CHECK(!hand.e);
        } else {
            hand_run();
            complete = hand_result(0)->ios == 1 && hand_result(1)->ios == 1;
            for (unsigned i = 0; i < 2; i++)
                CHECK(hand_result(i)->ios == 1 || engine_lane_reason(hand.e, i)[0]);
        }
        hand_down();
        CHECK(k < 20);
    }
}

/* ---- holds ---- */
TEST(a_hold_drains_and_its_time_does_not_count)
{
    hand_up(2);
    for (unsigned i = 0; i < 2; i++) {
        hand_job(i)->iodepth = 4;
        hand_job(i)->runtime_ns = 100 * NS_PER_MS;
    }
    hand_begin();
    for (unsigned k = 0; k < 5; k++) {
        worker_run(hand.e, 10 * NS_PER_MS);
        worker_hold(hand.e);
        EQ(hand.fake[0].in_flight + hand.fake[1].in_flight, 0);
        uint64_t requests = hand.fake[0].requests;
        CHECK(worker_run(hand.e, 10 * NS_PER_MS)); /* nothing happens while held */
        worker_hold(hand.e);
        model_advance_ns(NS_PER_S);
        EQ(hand.fake[0].requests, requests);
        worker_resume(hand.e);
        worker_resume(hand.e);
    }
    hand_run();
    for (unsigned i = 0; i < 2; i++) {
        const struct step_result *r = hand_result(i);
        CHECK(r->run_ns >= 100 * NS_PER_MS && r->run_ns < 102 * NS_PER_MS);
        CHECK(r->held_ns >= 5 * NS_PER_S && r->held_ns < 5010 * NS_PER_MS);
        CHECK(r->ios > 3800 && r->ios <= 4010); /* as many as without holds */
        EQ(r->ios, hand.fake[i].requests);
        CHECK(r->latency_max_ns < 110 * NS_PER_US);
        CHECK(r->longest_poll_gap_ns < NS_PER_MS);
        EQ(r->flags & (FLAG_POLL_GAP | FLAG_HOST_BOUND), 0);
        const struct lane_series *s = engine_series(hand.e, i);
        CHECK(s->count <= 2);
    }
    hand_down();
}

TEST(a_hold_longer_than_the_deadline_expires_nothing)
{
    hand_up(1);
    hand_job(0)->iodepth = 4;
    hand_job(0)->io_bytes = 1000 * 4096;
    hand_begin();
    worker_run(hand.e, 5 * NS_PER_MS);
    worker_hold(hand.e);
    model_advance_ns(100 * NS_PER_S);
    worker_resume(hand.e);
    hand_run();
    EQ(hand.fake[0].expires, 0);
    EQ(hand_result(0)->ios, 1000);
    EQ(hand_result(0)->errors, 0);
    CHECK(hand_result(0)->run_ns < 30 * NS_PER_MS);
    hand_down();
}

TEST(a_slot_that_does_not_drain_is_waited_for_once_and_the_other_disks_go_on)
{
    hand_up(2);
    hand.fake[0].hang_at = 20;
    for (unsigned i = 0; i < 2; i++) {
        hand_job(i)->iodepth = 4;
        hand_job(i)->runtime_ns = 200 * NS_PER_MS;
    }
    hand_begin();
    for (unsigned k = 0; k < 10; k++) {
        uint64_t began_ns = plat_now_ns(), most_ns = (k ? 1 : ENGINE_HOLD_PATIENCE_MS + 1) * NS_PER_MS;

        worker_run(hand.e, 10 * NS_PER_MS);
        worker_hold(hand.e);
        CHECK(plat_now_ns() - began_ns <= 11 * NS_PER_MS + most_ns);
        EQ(hand.fake[0].in_flight, 1);
        EQ(hand.fake[1].in_flight, 0);
        CHECK(!engine_disk_is_idle(hand.e, &hand.fake[0].disk));
        CHECK(engine_disk_is_idle(hand.e, &hand.fake[1].disk));
        worker_resume(hand.e);
    }
    EQ(hand.fake[0].expires, 0);
    hand_run();
    EQ(hand.fake[0].expires, 1);
    EQ(hand_result(0)->errors, 1);
    EQ(hand_result(1)->errors, 0);
    for (unsigned i = 0; i < 2; i++) {
        const struct step_result *r = hand_result(i);

        CHECK(r->held_ns >= 1900 * NS_PER_MS && r->held_ns < 2100 * NS_PER_MS);
        CHECK(r->run_ns >= 200 * NS_PER_MS && r->run_ns < 202 * NS_PER_MS);
        CHECK(r->ios > (i ? 7900u : 5800u));
    }
    hand_down();
}

TEST(a_late_answer_after_a_hold_is_a_late_answer_and_no_error)
{
    hand_up(1);
    hand.fake[0].hang_at = 20;
    hand_job(0)->iodepth = 4;
    hand_job(0)->runtime_ns = 20 * NS_PER_MS;
    hand_begin();
    worker_run(hand.e, 5 * NS_PER_MS);
    worker_hold(hand.e);
    EQ(hand.fake[0].in_flight, 1);
    model_advance_ns(100 * NS_PER_S);
    hand.fake[0].answers_hung = true;
    worker_resume(hand.e);
    hand_run();
    EQ(hand.fake[0].expires, 0);
    EQ(hand_result(0)->errors, 0);
    CHECK(hand_result(0)->latency_max_ns >= 100 * NS_PER_S);
    hand_down();
}

TEST(a_slot_that_does_not_drain_is_expired_when_all_has_to)
{
    hand_up(1);
    hand.fake[0].hang_at = 20;
    hand_job(0)->iodepth = 4;
    hand_job(0)->runtime_ns = 20 * NS_PER_MS;
    hand_begin();
    worker_run(hand.e, 5 * NS_PER_MS);
    worker_hold(hand.e);
    EQ(hand.fake[0].in_flight, 1);
    worker_drain(hand.e);
    EQ(hand.fake[0].in_flight, 0);
    EQ(hand.fake[0].expires, 1);
    worker_resume(hand.e);
    hand_run();
    const struct step_result *r = hand_result(0);
    EQ(r->errors, 1);
    CHECK(r->held_ns >= 29 * NS_PER_S);
    CHECK(r->run_ns >= 20 * NS_PER_MS && r->run_ns < 21 * NS_PER_MS);
    hand_down();
}

TEST(a_hold_in_the_ramp_lengthens_neither_ramp_nor_run)
{
    hand_up(1);
    hand_job(0)->ramp_ns = 20 * NS_PER_MS;
    hand_job(0)->runtime_ns = 20 * NS_PER_MS;
    hand_begin();
    worker_run(hand.e, 10 * NS_PER_MS);
    worker_hold(hand.e);
    model_advance_ns(NS_PER_S);
    worker_resume(hand.e);
    hand_run();
    const struct step_result *r = hand_result(0);
    CHECK(r->ramp_ns >= 20 * NS_PER_MS && r->ramp_ns < 21 * NS_PER_MS);
    CHECK(r->run_ns >= 20 * NS_PER_MS && r->run_ns < 21 * NS_PER_MS);
    CHECK(r->ios > 180 && r->ios <= 201);
    hand_down();
}

TEST(a_hold_before_the_first_request_is_harmless)
{
    hand_up(1);
    hand_job(0)->io_bytes = 10 * 4096;
    hand_begin();
    worker_hold(hand.e);
    worker_resume(hand.e);
    hand_run();
    EQ(hand_result(0)->ios, 10);
    hand_down();
}

TEST(a_disk_that_dies_during_a_hold_ends_the_hold)
{
    hand_up(1);
    hand_job(0)->iodepth = 4;
    hand.fake[0].die_at = 30;
    model_quiet = true;
    hand_begin();
    worker_run(hand.e, 500 * NS_PER_US);
    worker_hold(hand.e);
    worker_resume(hand.e);
    hand_run();
    CHECK(engine_lane_reason(hand.e, 0)[0]);
    hand_down();
}
