#include "sweep_hand.h"

/* The built-in plan: what it reads, in how much time, and what it refuses. */

static struct plan plan;
static struct conf conf;
static struct disk *disks[300];
static struct fake_disk fakes[300];
static struct controller controllers[300];
static unsigned disk_count;

/* n disks of that size, per_controller of them behind each controller. */
static void up(unsigned n, unsigned per_controller, uint64_t bytes)
{
    model_reset_world();
    conf = *hand_conf();
    disk_count = n;
    for (unsigned i = 0; i < n; i++) {
        char name[16];
        str_fmt(name, sizeof(name), "sata%u.%u", i / per_controller, i % per_controller);
        fake_disk_init(&fakes[i], name, &controllers[i / per_controller], NULL, 0);
        fakes[i].disk.lba_count = bytes / 512;
        disks[i] = &fakes[i].disk;
    }
}
static void make(void) { EQ(plan_default(&conf, disks, disk_count, &plan), OK); }
static void down(void)
{
    plan_free(&plan);
    EQ(plan.step_count, 0);
    EQ(model_live_allocs(), 0);
}

static const struct plan_step *find_step(const char *part)
{
    for (unsigned i = 0; i < plan.step_count; i++)
        if (__builtin_strstr(plan.steps[i].title, part))
            return &plan.steps[i];
    return NULL;
}

/* Every lane inside its disk, whole blocks, and with a limit in time and in bytes. */
static void check_lanes(void)
{
    uint64_t sum_ns = 0;

    for (unsigned s = 0; s < plan.step_count; s++) {
        const struct plan_step *step = &plan.steps[s];
        CHECK(step->lane_count > 0);
        CHECK(step->title[0]);
        sum_ns += step->estimate_ns;
        for (unsigned i = 0; i < step->lane_count; i++) {
            const struct plan_lane *l = &step->lanes[i];
            uint64_t bytes = l->disk->lba_count * l->disk->lba_bytes;
            EQ(l->job.block_bytes % l->disk->lba_bytes, 0);
            EQ(l->job.offset_bytes % l->disk->lba_bytes, 0);
            EQ(l->job.size_bytes % l->disk->lba_bytes, 0);
            CHECK(l->job.offset_bytes < bytes);
            CHECK(l->job.size_bytes <= bytes - l->job.offset_bytes);
            CHECK(l->job.runtime_ns > 0 && l->job.runtime_ns <= 5 * NS_PER_S);
            CHECK(l->job.size_bytes || l->job.io_bytes);
            CHECK(l->depth >= 1 && l->depth <= l->job.iodepth);
            CHECK(l->depth == 1 || (uint64_t)l->depth * l->job.block_bytes <= 32 * MIB);
        }
    }
    EQ(sum_ns, plan.estimate_ns);
    CHECK(plan.estimate_ns <= conf.budget_s * NS_PER_S / 100 * conf.time_scale_pct);
}

/* No two sequential regions of a disk overlap, unless the later one says so. */
static void check_fresh(bool small)
{
    for (unsigned s = 0; s < plan.step_count; s++)
        for (unsigned i = 0; i < plan.steps[s].lane_count; i++) {
            const struct plan_lane *a = &plan.steps[s].lanes[i];
            CHECK(!a->reread || small);
            CHECK(!a->reread == !a->job.description[0]);
            if (a->job.rw != JOB_READ || a->reread)
                continue;
            for (unsigned t = 0; t < s; t++)
                for (unsigned k = 0; k < plan.steps[t].lane_count; k++) {
                    const struct plan_lane *c = &plan.steps[t].lanes[k];
                    if (c->disk != a->disk || c->job.rw != JOB_READ || c->reread)
                        continue;
                    CHECK(a->job.offset_bytes >= c->job.offset_bytes + c->job.size_bytes ||
                          c->job.offset_bytes >= a->job.offset_bytes + a->job.size_bytes);
                }
        }
}

TEST(one_disk_gets_twelve_sizes_over_fresh_lbas_and_two_random_cells)
{
    up(1, 1, 1000ull * 1000 * 1000 * 1000);
    make();
    EQ(plan.step_count, 14);
    EQ(plan.refusal_count, 0);
    for (unsigned i = 0; i < 12; i++) {
        EQ(plan.steps[i].lanes[0].job.block_bytes, 4096u << i);
        EQ(plan.steps[i].lanes[0].depth, 4);
        EQ(plan.steps[i].lanes[0].job.runtime_ns, 5 * NS_PER_S);
        EQ(plan.steps[i].lanes[0].job.size_bytes, 32 * GIB);
    }
    EQ(plan.steps[12].lanes[0].depth, 1);
    EQ(plan.steps[13].lanes[0].depth, 32);
    EQ(plan.steps[13].lanes[0].job.rw, JOB_RANDREAD);
    EQ(plan.steps[13].lanes[0].job.size_bytes, 0);
    EQ_STR(plan.steps[4].title, "sequential read 64 KiB QD 4");
    CHECK(!find_step("together"));
    check_lanes();
    check_fresh(false);
    down();
}

TEST(disks_that_rotate_have_zones_at_their_two_ends_and_in_the_middle)
{
    uint64_t bytes = 4000ull * 1000 * 1000 * 1000;

    up(1, 1, bytes);
    fakes[0].disk.rotation = ROTATION_YES;
    make();
    EQ(plan.step_count, 17);
    const struct job *outer = &find_step("outer")->lanes[0].job, *middle = &find_step("middle")->lanes[0].job;
    const struct job *inner = &find_step("inner")->lanes[0].job;
    CHECK(outer->offset_bytes < bytes / 50);
    CHECK(middle->offset_bytes > bytes / 100 * 49 && middle->offset_bytes < bytes / 100 * 51);
    CHECK(inner->offset_bytes + inner->size_bytes > bytes - 2 * MIB);
    check_lanes();
    check_fresh(false);
    down();
}

TEST(a_rotating_disk_just_large_enough_keeps_zones_and_sizes_apart)
{
    up(1, 1, 8 * GIB);
    fakes[0].disk.rotation = ROTATION_YES;
    make();
    check_lanes();
    check_fresh(false);
    down();
}

TEST(disks_of_different_controllers_run_side_by_side_and_those_of_one_take_turns)
{
    up(4, 2, 500 * GIB);
    make();
    EQ(plan.step_count, 2 * 14 + 1);
    for (unsigned s = 0; s < 28; s++) {
        EQ(plan.steps[s].lane_count, 2);
        CHECK(plan.steps[s].lanes[0].disk->controller != plan.steps[s].lanes[1].disk->controller);
        CHECK(!plan.steps[s].lanes[0].shared_path);
    }
    EQ_STR(plan.steps[0].title, "sequential read 4 KiB QD 4, disk 1 of 2 per controller");
    EQ_STR(plan.steps[14].title, "sequential read 4 KiB QD 4, disk 2 of 2 per controller");
    const struct plan_step *last = &plan.steps[28];
    EQ_STR(last->title, "all disks together, 1 MiB QD 4");
    EQ(last->lane_count, 4);
    for (unsigned i = 0; i < 4; i++)
        CHECK(last->lanes[i].shared_path);
    check_lanes();
    check_fresh(false);
    down();
}

TEST(together_marks_only_those_that_share_a_controller)
{
    up(3, 2, 500 * GIB);
    make();
    const struct plan_step *last = find_step("together");
    EQ(last->lanes[0].shared_path, true);
    EQ(last->lanes[1].shared_path, true);
    EQ(last->lanes[2].shared_path, false);
    down();
}

TEST(the_plan_of_many_disks_keeps_its_budget_and_names_what_it_left_out)
{
    static const unsigned counts[] = { 2, 8, 12, 24, 60, 256 };

    for (unsigned k = 0; k < ARRAY_COUNT(counts); k++) {
        up(counts[k], counts[k], 2000 * GIB);
        for (unsigned i = 0; i < counts[k]; i++)
            fakes[i].disk.rotation = ROTATION_YES;
        make();
        check_lanes();
        CHECK(find_step("together"));
        EQ(find_step("together")->lane_count, counts[k]);
        unsigned lanes = 0;
        for (unsigned s = 0; s < plan.step_count; s++)
            lanes += plan.steps[s].lane_count;
        EQ(lanes + plan.refusal_count, counts[k] * 18); /* every cell of every disk runs or is refused */
        for (unsigned i = 0; i < plan.refusal_count; i++)
            HAS_STR(plan.refusals[i].why, "budget");
        CHECK(plan.steps[0].lanes[0].job.runtime_ns >= NS_PER_S);
        if (counts[k] == 24)
            CHECK(find_step("sequential read 1 MiB"));
        if (counts[k] <= 8)
            EQ(plan.refusal_count, 0);
        down();
    }
}

TEST(a_tiny_budget_still_reads_something)
{
    up(1, 1, 100 * GIB);
    conf.budget_s = 10;
    make();
    CHECK(plan.step_count >= 7);
    CHECK(find_step("sequential read 1 MiB"));
    CHECK(find_step("QD 32"));
    EQ(plan.step_count + plan.refusal_count, 14);
    check_lanes();
    down();
}

TEST(a_disk_that_is_too_small_is_read_again_and_the_step_says_so)
{
    static const uint64_t sizes[] = { 512,     4096,           5120,      64 * KIB,
                                      1 * MIB, 64 * MIB + 512, 256 * MIB, 1000 * MIB };

    for (unsigned k = 0; k < ARRAY_COUNT(sizes); k++)
        for (unsigned rotation = 0; rotation < 3; rotation++) {
            up(2, 1, sizes[k]);
            fakes[0].disk.rotation = fakes[1].disk.rotation = (enum disk_rotation)rotation;
            make();
            check_lanes();
            check_fresh(true);
            CHECK(find_step("LBAs read before"));
            EQ(plan.refusal_count, 0);
            down();
        }
}

TEST(two_gigabytes_are_enough_for_fresh_lbas_everywhere)
{
    up(2, 1, 2 * GIB);
    make();
    check_fresh(false);
    CHECK(!find_step("LBAs read before"));
    down();
}

TEST(the_time_scale_shortens_times_and_bytes_down_to_a_sane_least)
{
    up(1, 1, 1000ull * 1000 * 1000 * 1000);
    conf.time_scale_pct = 2;
    make();
    check_lanes();
    check_fresh(false);
    EQ(plan.steps[0].lanes[0].job.runtime_ns, 100 * NS_PER_MS);
    EQ(plan.steps[0].lanes[0].job.size_bytes, 32 * GIB / 100 * 2 / MIB * MIB);
    EQ(plan.steps[11].lanes[0].job.size_bytes, 32 * GIB / 100 * 2 / (8 * MIB) * 8 * MIB);
    CHECK(plan.estimate_ns <= 18 * NS_PER_S);
    down();
    up(1, 1, 1000ull * 1000 * 1000 * 1000);
    conf.time_scale_pct = 1;
    make();
    EQ(plan.steps[0].lanes[0].job.runtime_ns, 50 * NS_PER_MS);
    EQ(plan.steps[11].lanes[0].job.size_bytes, 512 * MIB); /* 64 requests */
    down();
}

TEST(block_sizes_that_do_not_fit_the_lba_size_are_refused_with_the_reason)
{
    up(2, 1, 100 * GIB);
    fakes[0].disk.lba_bytes = 520;
    fakes[1].disk.lba_bytes = 8192;
    make();
    unsigned of_first = 0, of_second = 0;
    for (unsigned i = 0; i < plan.refusal_count; i++) {
        HAS_STR(plan.refusals[i].why, "no multiple");
        of_first += plan.refusals[i].disk == disks[0];
        of_second += plan.refusals[i].disk == disks[1];
    }
    EQ(of_first, 18);
    EQ(of_second, 3); /* 4 KiB sequential, QD 1, QD 32 */
    check_lanes();
    down();
}

TEST(disks_that_cannot_be_read_are_refused_with_their_own_reason)
{
    up(3, 1, 100 * GIB);
    fakes[0].disk.ops = NULL;
    str_copy(fakes[0].disk.why_not, sizeof(fakes[0].disk.why_not), "locked by a password");
    fakes[1].disk.lba_count = 0;
    make();
    EQ(plan.refusal_count, 2);
    EQ_STR(plan.refusals[0].why, "locked by a password");
    HAS_STR(plan.refusals[1].why, "capacity");
    CHECK(!plan.refusals[0].wrong_job);
    EQ(plan.step_count, 14);
    down();
}

TEST(disks_of_the_firmware_path_run_alone)
{
    up(3, 1, 100 * GIB);
    fakes[1].disk.kind = DISK_FIRMWARE;
    fakes[1].disk.max_depth = 1;
    make();
    bool seen = false;
    for (unsigned s = 0; s < plan.step_count; s++)
        for (unsigned i = 0; i < plan.steps[s].lane_count; i++)
            if (plan.steps[s].lanes[i].disk == disks[1]) {
                EQ(plan.steps[s].lane_count, 1);
                EQ(plan.steps[s].lanes[i].depth, 1);
                seen = true;
            }
    CHECK(seen);
    EQ(find_step("together")->lane_count, 2);
    down();
}

TEST(bytes_in_flight_are_limited_per_step)
{
    up(200, 1, 100 * GIB);
    for (unsigned i = 0; i < 200; i++)
        fakes[i].disk.max_depth = 64;
    make();
    for (unsigned s = 0; s < plan.step_count; s++) {
        uint64_t bytes = 0;
        for (unsigned i = 0; i < plan.steps[s].lane_count; i++)
            bytes += (uint64_t)plan.steps[s].lanes[i].depth * plan.steps[s].lanes[i].job.block_bytes;
        CHECK(bytes <= GIB || plan.steps[s].lanes[0].depth == 1);
    }
    EQ(plan.steps[10].lanes[0].job.iodepth, 4);
    EQ(plan.steps[10].lanes[0].depth, 1); /* 4 MiB x 4 x 200 are 3.1 GiB */
    EQ(plan.steps[8].lanes[0].depth, 4);
    down();
}

TEST(no_disks_make_an_empty_plan)
{
    up(0, 1, 0);
    make();
    EQ(plan.step_count, 0);
    EQ(plan.estimate_ns, 0);
    down();
}

TEST(a_plan_without_memory_leaves_nothing_behind)
{
    long needed = 0;

    up(3, 2, 100 * GIB);
    make();
    needed = model_alloc_count;
    down();
    CHECK(needed > 20);
    for (long k = 0; k < needed; k++) {
        up(3, 2, 100 * GIB);
        model_quiet = true;
        model_fail_alloc_at = k;
        EQ(plan_default(&conf, disks, disk_count, &plan), E_NOMEM);
        EQ(plan.step_count, 0);
        EQ(plan.refusal_count, 0);
        EQ(model_live_allocs(), 0);
    }
    model_fail_alloc_at = -1;
}

TEST(the_engine_runs_a_whole_plan_without_leaving_the_disk)
{
    up(3, 2, 64 * MIB + 512);
    conf.time_scale_pct = 1;
    fakes[2].disk.rotation = ROTATION_YES;
    make();
    for (unsigned s = 0; s < plan.step_count; s++) {
        struct engine *e;
        EQ(engine_begin(&plan.steps[s], s, &e), OK);
        while (worker_run(e, 10 * NS_PER_MS))
            ;
        for (unsigned i = 0; i < engine_lane_count(e); i++) {
            CHECK(engine_result(e, i)->ios > 0);
            EQ_STR(engine_lane_reason(e, i), "");
        }
        engine_end(e);
    }
    for (unsigned i = 0; i < 3; i++)
        EQ(fakes[i].violations, 0);
    down();
}

TEST(only_the_built_in_plan_and_presets_have_a_time_limit_and_it_is_the_budget_with_what_estimates_may_be_off)
{
    struct conf c;

    conf_defaults(&c);
    c.time_scale_pct = 1;
    EQ(plan_limit_ns(&c), 1035 * NS_PER_S);
    c.time_scale_pct = 1000; /* a plan ten times as long */
    EQ(plan_limit_ns(&c), 10350 * NS_PER_S);
    c.time_scale_pct = 100;
    c.plan = CONF_PLAN_PRESET;
    c.budget_s = 30 * 24 * 3600;
    EQ(plan_limit_ns(&c), 2980800 * NS_PER_S);
    c.plan = CONF_PLAN_JOBS;
    EQ(plan_limit_ns(&c), 0);
    c.plan = CONF_PLAN_BURN_IN;
    EQ(plan_limit_ns(&c), 0);
}
