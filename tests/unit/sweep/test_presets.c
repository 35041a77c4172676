#include <string.h>
#include "estimate.h"
#include "presets.h"
#include "arming.h"
#include "guard.h"
#include "guard_content.h"
#include "steady.h"
#include "sweep_hand.h"

/* The shipped presets: each is read without a problem other than its writing parts, and what is asked of the
 * disk is what the preset says. */

static struct job_file file;
static struct plan plan;
static struct conf conf;
static struct disk *disks[HAND_DISKS];
enum { ATTO = 1, HDTUNE, CRYSTAL, IOMETER, SQLIO, PRIMERGY, VDBENCH, BONNIE, QUICK, STANDARD, SNIA };

static void up(unsigned index, unsigned count)
{
    struct preset p;

    hand_up(count);
    plan = (struct plan){ 0 };
    conf = *hand_conf();
    conf.plan = CONF_PLAN_PRESET;
    conf.preset = (uint8_t)index;
    for (unsigned i = 0; i < count; i++) {
        hand.fake[i].disk.lba_count = 16 * GIB / 512;
        disks[i] = &hand.fake[i].disk;
    }
    CHECK(preset_get(index, &p));
    job_file_read(p.text, p.len, &file);
    EQ(plan_from_jobs(&conf, &file, disks, count, &plan), OK);
}
static void down(void)
{
    plan_free(&plan);
    EQ(model_live_allocs(), 0);
}
static void run_step(unsigned i)
{
    hand.fake[0].log_count = 0;
    EQ(engine_begin(&plan.steps[i], i + 1, &hand.e), OK);
    hand_run();
}
static void end_step(void)
{
    engine_end(hand.e);
    hand.e = NULL;
    EQ(hand.fake[0].violations, 0);
}

/* With disk 0 armed, and time for all of it. */
static void up_armed(unsigned index)
{
    static struct arming arming;
    struct arming_batch batch = {
        .id = "b", .approved_at = "now", .approved_by = "a", .armings = &arming, .count = 1
    };
    struct guard_content blank = { .state = CONTENT_BLANK, .fingerprint = "blank" };

    guard_forget_all();
    up(index, 1);
    disks[0]->kind = DISK_SATA;
    arming = (struct arming){ .id = "0123456789abcdef", .fingerprint = "blank" };
    str_copy(arming.identity, sizeof(arming.identity), disks[0]->identity);
    struct guard_case c = {
        .disk = disks[0], .content = &blank, .batch = &batch, .same_identity = 1, .keeps_record = true
    };
    CHECK(guard_decide(&c)->granted);
    hand.fake[0].writable = true;
    conf.budget_s = 30 * 24 * 3600;
    plan_free(&plan);
    EQ(plan_from_jobs(&conf, &file, disks, 1, &plan), OK);
    EQ(plan.refusal_count, 0);
    EQ(plan.step_count, file.job_count);
}
static void down_armed(void)
{
    guard_forget_all();
    down();
}

/* What the writing jobs are, by what is published of the benchmark. */
static const struct {
    unsigned preset;
    const char *job;
    enum job_rw rw;
    uint32_t bytes; /* 0: a table of sizes */
    unsigned depth, copies, read_pct;
    uint64_t area; /* 0: the disk */
} writing_jobs[] = {
    { CRYSTAL, "seq1m-q8t1-write", JOB_WRITE, 1 << 20, 8, 1, 0, GIB },
    { CRYSTAL, "seq1m-q1t1-write", JOB_WRITE, 1 << 20, 1, 1, 0, GIB },
    { CRYSTAL, "rnd4k-q32t1-write", JOB_RANDWRITE, 4096, 32, 1, 0, GIB },
    { CRYSTAL, "rnd4k-q1t1-write", JOB_RANDWRITE, 4096, 1, 1, 0, GIB },
    { CRYSTAL, "nvme-seq128k-q32t1-write", JOB_WRITE, 1 << 17, 32, 1, 0, GIB },
    { CRYSTAL, "nvme-rnd4k-q32t16-write", JOB_RANDWRITE, 4096, 32, 16, 0, GIB },
    { CRYSTAL, "seq1m-q8t1-mix-70-30", JOB_RW, 1 << 20, 8, 1, 70, GIB },
    { CRYSTAL, "rnd4k-q32t1-mix-70-30", JOB_RANDRW, 4096, 32, 1, 70, GIB },
    { IOMETER, "sequential-66-33", JOB_RW, 65536, 8, 1, 66, 0 },
    { IOMETER, "file-server", JOB_RANDRW, 0, 64, 1, 80, 0 },
    { IOMETER, "database", JOB_RANDRW, 8192, 32, 1, 67, 0 },
    { SQLIO, "random-8k-write", JOB_RANDWRITE, 8192, 8, 1, 0, 0 },
    { SQLIO, "sequential-64k-write", JOB_WRITE, 65536, 8, 1, 0, 0 },
    { PRIMERGY, "sequential-64k-write", JOB_WRITE, 65536, 3, 1, 0, 8 * GIB },
    { PRIMERGY, "random-8k-67-33", JOB_RANDRW, 8192, 3, 1, 67, 8 * GIB },
    { VDBENCH, "corner-sequential-write", JOB_WRITE, 65536, 32, 1, 0, 0 },
    { VDBENCH, "corner-random-write", JOB_RANDWRITE, 4096, 128, 1, 0, 0 },
    { VDBENCH, "random-4k-70-30", JOB_RANDRW, 4096, 32, 1, 70, 0 },
    { VDBENCH, "random-4k-90-10", JOB_RANDRW, 4096, 32, 1, 90, 0 },
    { BONNIE, "write-block", JOB_WRITE, 8192, 4, 1, 0, 4 * GIB },
    { BONNIE, "rewrite", JOB_RW, 8192, 4, 1, 50, 4 * GIB },
    { BONNIE, "seeks", JOB_RANDRW, 8192, 1, 5, 90, 4 * GIB },
    { SNIA, "precondition-128k-twice", JOB_WRITE, 1 << 17, 32, 1, 0, 0 },
    { SNIA, "4k-65-35", JOB_RANDRW, 4096, 32, 1, 65, 0 },
    { SNIA, "0.5k-0-100", JOB_RANDWRITE, 512, 32, 1, 0, 0 },
};

/* Mixes by draw: within five deviations of the share, which a sound draw misses once in a million times. */
static void check_requests(uint32_t bytes, unsigned read_pct, uint64_t first, uint64_t end)
{
    uint64_t reads = 0, all = 0;

    for (unsigned k = 0; k < hand_logged; k++) {
        if (hand_log[k].op == IO_FLUSH)
            continue;
        all++;
        reads += hand_log[k].op == IO_READ;
        CHECK(!bytes || hand_log[k].blocks == bytes / 512);
        CHECK(hand_log[k].lba >= first && hand_log[k].lba + hand_log[k].blocks <= end);
    }
    uint64_t want = all * read_pct / 100, away = reads > want ? reads - want : want - reads;
    CHECK(all > 1000);
    CHECK(away * away <= 25 * (all * read_pct * (100 - read_pct) / 10000) + 1);
}

TEST(the_writing_jobs_of_the_presets_ask_for_what_their_tables_say)
{
    for (unsigned i = 0; i < ARRAY_COUNT(writing_jobs); i++) {
        unsigned step = 0;
        up_armed(writing_jobs[i].preset);
        while (step < plan.step_count && strcmp(plan.steps[step].lanes[0].job.name, writing_jobs[i].job))
            step++;
        if (step == plan.step_count)
            test_fail(__FILE__, __LINE__, "there is no job %s", writing_jobs[i].job);
        EQ(plan.steps[step].lane_count, writing_jobs[i].copies);
        for (unsigned k = 0; k < plan.steps[step].lane_count; k++) {
            struct job *j = &plan.steps[step].lanes[k].job;
            EQ(j->rw, writing_jobs[i].rw);
            EQ(j->iodepth, writing_jobs[i].depth);
            j->time_based = 0;
            j->runtime_ns = j->ramp_ns = j->startdelay_ns = 0;
            j->number_ios = 4000 / writing_jobs[i].copies;
        }
        hand.fake[0].max_in_flight = 0;
        run_step(step);
        uint64_t end = writing_jobs[i].area ? 2048 + writing_jobs[i].area / 512 : disks[0]->lba_count;
        check_requests(writing_jobs[i].bytes, writing_jobs[i].read_pct, 2048, end);
        EQ(hand.fake[0].max_in_flight, plan.steps[step].lanes[0].depth * writing_jobs[i].copies);
        CHECK(hand.fake[0].flushes > 0);
        end_step();
        down_armed();
    }
}

TEST(no_writing_job_of_a_preset_is_missing_in_the_table)
{
    unsigned in_table[PRESET_COUNT + 1] = { 0 }, in_file;

    for (unsigned i = 0; i < ARRAY_COUNT(writing_jobs); i++)
        in_table[writing_jobs[i].preset]++;
    for (unsigned i = 1; i < PRESET_COUNT; i++) { /* all but snia-pts, whose cells follow from its name */
        up(i, 1);
        in_file = 0;
        for (unsigned k = 0; k < file.job_count; k++)
            in_file += job_writes(&file.jobs[k]);
        EQ(i == ATTO ? in_file - 15 : in_file, in_table[i]);
        down();
    }
}

TEST(atto_writes_each_size_before_it_reads_it)
{
    up_armed(ATTO);
    EQ(plan.step_count, 30);
    for (unsigned i = 0; i < 30; i++) {
        const struct job *j = &plan.steps[i].lanes[0].job;
        EQ(j->rw, i % 2 ? JOB_READ : JOB_WRITE);
        EQ(j->block_bytes, 512u << i / 2);
        EQ(j->size_bytes, 256 * MIB);
        EQ(j->iodepth, 4);
    }
    down_armed();
}

TEST(snia_pts_writes_the_disk_twice_then_runs_eight_sizes_in_seven_mixes_until_steady)
{
    static const uint32_t sizes[] = { 1 << 20, 1 << 17, 65536, 32768, 16384, 8192, 4096, 512 };
    static const unsigned reads[] = { 0, 5, 35, 50, 65, 95, 100 };

    up_armed(SNIA);
    EQ(plan.step_count, 1 + 8 * 7);
    EQ(plan.steps[0].rounds, 1);
    EQ(plan.steps[0].lanes[0].job.loops, 2);
    EQ(plan.steps[0].lanes[0].job.size_bytes, disks[0]->lba_count * 512 - MIB);
    for (unsigned i = 0; i < 56; i++) {
        const struct plan_step *s = &plan.steps[1 + i];
        const struct job *j = &s->lanes[0].job;
        unsigned percent = reads[i % 7];
        EQ(s->rounds, STEADY_PTS_ROUNDS);
        EQ(j->block_bytes, sizes[i / 7]);
        EQ(j->loops, 1);
        EQ(j->runtime_ns, 60 * NS_PER_S);
        EQ(j->rw, !percent ? JOB_RANDWRITE : percent == 100 ? JOB_RANDREAD : JOB_RANDRW);
        if (job_rw_is_mix(j->rw))
            EQ(j->mix_read_pct, percent);
    }
    down_armed();
}

TEST(every_preset_is_read_and_only_its_writing_parts_are_refused)
{
    struct preset p;
    char names[200] = "none";

    for (unsigned i = 1; i <= PRESET_COUNT; i++) {
        up(i, 1);
        CHECK(preset_get(i, &p));
        strcat(strcat(names, " "), p.name);
        CHECK(file.job_count > 0 && file.job_count <= JOB_FILE_MAX_JOBS);
        EQ(file.note_count, 0);
        unsigned writing = 0;
        for (unsigned k = 0; k < file.job_count; k++) {
            EQ(file.refused[k], false);
            writing += job_writes(&file.jobs[k]);
            CHECK(!job_writes(&file.jobs[k]) || !strstr(file.jobs[k].name, "read"));
        }
        if (i == SNIA) { /* what only reads needs days */
            CHECK(plan.refusal_count >= writing);
            down();
            continue;
        }
        EQ(plan.refusal_count, writing);
        for (unsigned k = 0; k < writing; k++) {
            EQ(plan.refusals[k].wrong_job, false);
            CHECK(plan.refusals[k].disk == &hand.fake[0].disk);
            HAS_STR(plan.refusals[k].why, guard_permit(disks[0])->why_not);
        }
        EQ(plan.step_count, file.job_count - writing);
        down();
    }
    EQ_STR(names, preset_words);
    CHECK(!preset_get(0, &p));
    CHECK(!preset_get(PRESET_COUNT + 1, &p));
}

TEST(atto_reads_256_mb_from_the_start_in_each_of_its_fifteen_sizes_four_at_a_time)
{
    up(ATTO, 1);
    EQ(plan.step_count, 15);
    for (unsigned i = 0; i < 15; i++) {
        uint32_t bytes = 512u << i;
        hand.fake[0].latency_ns = 20 * NS_PER_US;
        if (i < 3) /* half a million requests each would only cost time */
            plan.steps[i].lanes[0].job.io_bytes = 16 * MIB;
        hand.fake[0].max_in_flight = 0;
        run_step(i);
        EQ(hand_log[0].lba, 0);
        for (unsigned k = 0; k < hand_logged; k++) {
            EQ(hand_log[k].lba, (uint64_t)k * bytes / 512);
            EQ(hand_log[k].blocks, bytes / 512);
        }
        EQ(hand_result(0)->bytes, i < 3 ? 16 * MIB : 256 * MIB);
        EQ(plan.steps[i].lanes[0].job.size_bytes, 256 * MIB);
        EQ(hand.fake[0].max_in_flight, 4);
        end_step();
    }
    down();
}

TEST(hdtune_reads_its_curve_over_the_whole_disk_then_access_time_burst_and_random_sizes)
{
    static const uint32_t sizes[] = { 512, 4096, 65536, 1048576 };
    uint64_t all;

    up(HDTUNE, 1);
    all = hand.fake[0].disk.lba_count * 512;
    EQ(plan.step_count, 50 + 2 + 5);
    for (unsigned i = 0; i < 50; i++) {
        const struct job *j = &plan.steps[i].lanes[0].job;
        EQ(j->offset_bytes, all * (2 * i) / 100 / 65536 * 65536);
        EQ(j->block_bytes, 65536);
        EQ(j->iodepth, 1);
        EQ(j->rw, JOB_READ);
    }
    run_step(50);
    EQ(hand_logged, 1000);
    EQ(hand_result(0)->block_bytes, 512);
    end_step();
    run_step(51);
    EQ(hand_logged, 1024);
    for (unsigned k = 0; k < hand_logged; k++)
        EQ(hand_log[k].lba, 0);
    end_step();
    for (unsigned i = 0; i < 4; i++) {
        run_step(52 + i);
        EQ(hand_logged, 1000);
        EQ(hand_log[999].blocks, sizes[i] / 512);
        end_step();
    }
    run_step(56);
    unsigned seen[4] = { 0 };
    for (unsigned k = 0; k < hand_logged; k++)
        for (unsigned i = 0; i < 4; i++)
            seen[i] += hand_log[k].blocks == sizes[i] / 512;
    EQ(seen[0] + seen[1] + seen[2] + seen[3], 1000);
    for (unsigned i = 0; i < 4; i++)
        CHECK(seen[i] > 200 && seen[i] < 300);
    end_step();
    down();
}

TEST(crystaldiskmark_has_sixteen_copies_of_its_deepest_row_and_one_result)
{
    static const struct {
        uint32_t bytes;
        unsigned depth, rw;
    } want[] = { { 1 << 20, 8, JOB_READ },  { 1 << 20, 1, JOB_READ },  { 4096, 32, JOB_RANDREAD },
                 { 4096, 1, JOB_RANDREAD }, { 1 << 17, 32, JOB_READ }, { 4096, 512, JOB_RANDREAD } };

    up(CRYSTAL, 1);
    EQ(plan.step_count, 6);
    conf.time_scale_pct = 1;
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned k = 0; k < plan.steps[i].lane_count; k++) {
            struct job *j = &plan.steps[i].lanes[k].job;
            EQ(j->runtime_ns, 5 * NS_PER_S);
            EQ(j->ramp_ns, 5 * NS_PER_S);
            EQ(j->size_bytes, GIB);
            j->runtime_ns = j->ramp_ns = 50 * NS_PER_MS;
        }
        hand.fake[0].max_in_flight = 0;
        run_step(i);
        EQ(engine_lane_count(hand.e), 1);
        EQ(hand_result(0)->block_bytes, want[i].bytes);
        EQ(hand_result(0)->depth, want[i].depth);
        EQ(hand.fake[0].max_in_flight, want[i].depth);
        EQ_STR(hand_result(0)->rw, want[i].rw ? "randread" : "read");
        CHECK(!(hand_result(0)->flags & FLAG_SHARED_PATH));
        for (unsigned k = 0; k < hand_logged; k++)
            CHECK(hand_log[k].lba + hand_log[k].blocks <= GIB / 512);
        end_step();
    }
    down();
}

TEST(the_file_server_pattern_draws_its_sizes_in_the_shares_of_its_table)
{
    static const struct {
        unsigned blocks, percent;
    } want[] = { { 1, 10 }, { 2, 5 }, { 4, 5 }, { 8, 60 }, { 16, 2 }, { 32, 4 }, { 64, 4 }, { 128, 10 } };
    unsigned step = 0, n;

    up(IOMETER, 1);
    while (strcmp(plan.steps[step].lanes[0].job.name, "file-server-reads"))
        step++;
    plan.steps[step].lanes[0].job.runtime_ns = 200 * NS_PER_MS;
    plan.steps[step].lanes[0].job.ramp_ns = 0;
    run_step(step);
    CHECK(hand_logged > 20000);
    for (unsigned i = 0; i < ARRAY_COUNT(want); i++) {
        n = 0;
        for (unsigned k = 0; k < hand_logged; k++)
            n += hand_log[k].blocks == want[i].blocks;
        uint64_t permille = 1000ull * n / hand_logged; /* of 20 000 draws: 1 point is three deviations */
        CHECK(permille + 11 > 10 * want[i].percent && permille < 10 * want[i].percent + 11);
    }
    end_step();
    down();
}

TEST(bonnie_seeks_with_five_copies_and_primergy_stays_in_its_eight_gigabytes)
{
    up(BONNIE, 1);
    EQ(plan.step_count, 2);
    run_step(1);
    EQ(hand_logged, 5 * 1639);
    EQ(hand_result(0)->ios, 5 * 1639);
    EQ(hand_result(0)->depth, 5);
    end_step();
    down();
    up(PRIMERGY, 1);
    for (unsigned i = 0; i < plan.step_count; i++)
        EQ(plan.steps[i].lanes[0].job.size_bytes, 8 * GIB);
    down();
}

TEST(quick_takes_under_three_minutes_with_all_disks_at_once_and_says_so)
{
    up(QUICK, 4);
    for (unsigned i = 0; i < 4; i++)
        disks[i]->controller = &hand.controller[0];
    plan_free(&plan);
    EQ(plan_from_jobs(&conf, &file, disks, 4, &plan), OK);
    EQ(plan.step_count, 3);
    CHECK(plan.estimate_ns < 180 * NS_PER_S);
    for (unsigned i = 0; i < 3; i++) {
        EQ(plan.steps[i].lane_count, 4);
        for (unsigned k = 0; k < 4; k++)
            CHECK(plan.steps[i].lanes[k].shared_path);
    }
    down();
}

TEST(other_presets_take_disks_of_one_controller_in_turn)
{
    up(SQLIO, 3);
    disks[2]->controller = disks[0]->controller;
    plan_free(&plan);
    conf.budget_s = 3600;
    EQ(plan_from_jobs(&conf, &file, disks, 3, &plan), OK);
    EQ(plan.step_count, 4);
    EQ(plan.steps[0].lane_count, 2);
    EQ(plan.steps[2].lane_count, 1);
    CHECK(plan.steps[2].lanes[0].disk == disks[2]);
    HAS_STR(plan.steps[2].title, "disk 2 of 2");
    down();
}

TEST(what_does_not_fit_into_the_budget_is_refused_by_disk_and_job)
{
    up(SQLIO, 1);
    conf.budget_s = 150;
    plan_free(&plan);
    EQ(plan_from_jobs(&conf, &file, disks, 1, &plan), OK);
    EQ(plan.step_count, 1);
    EQ(plan.refusal_count, 3);
    HAS_STR(plan.refusals[1].why, "time budget of 150 s");
    CHECK(plan.refusals[1].disk == disks[0] && !plan.refusals[1].wrong_job);
    down();
}

TEST(scaling_runs_one_two_four_and_all_disks_of_a_controller)
{
    static const unsigned want[] = { 1, 2, 4, 6 };

    up(QUICK, 7);
    for (unsigned i = 0; i < 6; i++)
        disks[i]->controller = &hand.controller[0];
    conf.order = CONF_ORDER_SCALING;
    conf.budget_s = 7200;
    plan_free(&plan);
    EQ(plan_from_jobs(&conf, &file, disks, 7, &plan), OK);
    EQ(plan.step_count, 3 * 5); /* the seventh is alone on its controller */
    for (unsigned i = 0; i < 4; i++) {
        EQ(plan.steps[3 * i].lane_count, want[i]);
        EQ(plan.steps[3 * i].scaling_disks, want[i]);
    }
    HAS_STR(plan.steps[9].title, "6 disks of nvme0");
    EQ(plan.refusal_count, 0);
    down();
}

TEST(the_standard_preset_has_the_cells_of_the_built_in_plan_and_reads_no_block_twice)
{
    up(STANDARD, 1);
    for (unsigned i = 0; i < plan.step_count; i++)
        for (unsigned k = 0; k < i; k++) {
            const struct job *a = &plan.steps[i].lanes[0].job, *b = &plan.steps[k].lanes[0].job;
            if (a->rw == JOB_READ && b->rw == JOB_READ)
                CHECK(a->offset_bytes >= b->offset_bytes + b->size_bytes ||
                      b->offset_bytes >= a->offset_bytes + a->size_bytes);
        }
    EQ(plan.step_count, 17);
    CHECK(plan.estimate_ns <= 900 * NS_PER_S);
    down();
}

/* ---- configuration ---- */
TEST(a_preset_by_name_is_the_plan_and_contradictions_are_named)
{
    static const struct {
        const char *text;
        enum conf_plan plan;
        const char *problem;
    } rows[] = {
        { "preset = quick", CONF_PLAN_PRESET, NULL },
        { "plan = preset\npreset = vdbench", CONF_PLAN_PRESET, NULL },
        { "plan = preset", CONF_PLAN_PRESET, "add preset = quick" },
        { "preset = quik", CONF_PLAN_DEFAULT, "quick" },
        { "plan = jobs\njobs = a.fio\npreset = atto", CONF_PLAN_JOBS, "remove one of them" },
        { "preset = none", CONF_PLAN_DEFAULT, NULL },
        { "order = sideways", CONF_PLAN_DEFAULT, "scaling" },
        { "rounds = 26", CONF_PLAN_DEFAULT, "rounds" },
    };
    static struct conf_problems problems;

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        EQ(conf_read(rows[i].text, strlen(rows[i].text), &conf, &problems), !rows[i].problem);
        EQ(conf.plan, rows[i].plan);
        if (rows[i].problem)
            HAS_STR(problems.kept[0].text, rows[i].problem);
    }
}

TEST(disks_are_chosen_by_what_they_are)
{
    static const struct {
        const char *include;
        bool wanted;
    } rows[] = {
        { "model=WDC?WD40*", true },
        { "model=wdc*", true },
        { "model=*EFRX", true },
        { "model=WDC", false },
        { "model=*SAMSUNG*", false },
        { "size>1g", true },
        { "size>2t", false },
        { "size<2t", true },
        { "size<x", false },
        { "rotational=yes", true },
        { "rotational=no", false },
        { "kind=sata", true },
        { "kind=nvme", false },
        { "kind=nonsense", false },
        { "rotational=yes+size>1g", true },
        { "rotational=yes+size>2t", false },
        { "kind=nvme, size>1g", true },
        { "rotational=yes+", false },
    };
    static struct fake_disk fake;

    fake_disk_init(&fake, "sata0.3", NULL, NULL, 0);
    strcpy(fake.disk.model, "WDC WD40EFRX");
    fake.disk.kind = DISK_SATA;
    fake.disk.rotation = ROTATION_YES;
    fake.disk.lba_count = 16 * GIB / 512;
    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        conf = *hand_conf();
        str_copy(conf.include, sizeof(conf.include), rows[i].include);
        if (plan_wants_disk(&conf, &fake.disk) != rows[i].wanted)
            test_fail(__FILE__, __LINE__, "include = %s", rows[i].include);
        conf = *hand_conf();
        str_copy(conf.exclude, sizeof(conf.exclude), rows[i].include);
        EQ(plan_wants_disk(&conf, &fake.disk), !rows[i].wanted);
    }
}

/* ---- the estimate ---- */
static void check_plan_estimate(void)
{
    uint64_t took_ns = 0;

    plan_free(&plan);
    estimate_probe(disks[0]);
    EQ(plan_from_jobs(&conf, &file, disks, 1, &plan), OK);
    for (unsigned i = 0; i < plan.step_count; i++) {
        uint64_t began_ns = model_clock_ns;
        run_step(i);
        end_step();
        took_ns += model_clock_ns - began_ns;
    }
    if (plan.estimate_ns > took_ns + took_ns * 15 / 100 || plan.estimate_ns < took_ns - took_ns * 15 / 100)
        test_fail(__FILE__, __LINE__, "estimated %llu ms, took %llu ms", plan.estimate_ns / 1000000ull,
                  took_ns / 1000000ull);
}

static void check_estimate(const char *text)
{
    job_file_read(text, strlen(text), &file);
    conf.plan = CONF_PLAN_JOBS;
    check_plan_estimate();
}

TEST(the_estimate_of_a_disk_with_slow_inner_zones_is_within_15_percent)
{
    static const char *const files[] = {
        "[whole]\nbs=8m\niodepth=4\n",
        "[outer]\nbs=1m\niodepth=4\nsize=10%\n[inner]\nstonewall\nbs=1m\niodepth=4\noffset=90%\n",
        "[a]\nbs=1m\niodepth=4\noffset=40%\nsize=30%\nloops=2\n[b]\nstonewall\nruntime=3\ntime_based\nramp_time=1\n",
    };

    for (unsigned i = 0; i < ARRAY_COUNT(files); i++) {
        up(QUICK, 1);
        hand.fake[0].disk.rotation = ROTATION_YES;
        hand.fake[0].bytes_per_s = 200000000;
        hand.fake[0].inner_bytes_per_s = 90000000;
        model_relax_step_ns = 10 * NS_PER_US;
        check_estimate(files[i]);
        EQ(disks[0]->first_bytes_per_s / 10000000, 19);
        CHECK(disks[0]->last_bytes_per_s > 89000000 && disks[0]->last_bytes_per_s < 95000000);
        down();
    }
}

TEST(the_estimate_of_small_requests_in_order_is_within_15_percent)
{
    static const char *const files[] = {
        "[small]\nbs=512\niodepth=1\nsize=8m\n",
        "[four]\nbs=4k\niodepth=4\nsize=200m\n",
        "[deep]\nbs=4k\niodepth=32\nsize=500m\n",
        "[alone]\nbs=256k\niodepth=1\nsize=500m\n",
        "[copies]\nbs=2k\niodepth=1\nnumjobs=8\nsize=20m\n",
    };

    for (unsigned i = 0; i < 2 * ARRAY_COUNT(files); i++) {
        up(QUICK, 1);
        hand.fake[0].bytes_per_s = 500000000;
        hand.fake[0].latency_ns = 100 * NS_PER_US;
        if (i % 2 && !strstr(files[i / 2], "numjobs")) /* a disk without a queue */
            hand.fake[0].open_depth_limit = 1;
        model_relax_step_ns = NS_PER_US;
        check_estimate(files[i / 2]);
        down();
    }
}

TEST(the_estimate_of_atto_is_within_15_percent_where_requests_cost_more_than_their_bytes)
{
    static const struct {
        uint64_t latency_us, request_us; /* side by side; one after another */
        uint16_t depth_limit;
    } rows[] = { { 400, 0, 0 }, { 20, 200, 0 }, { 200, 80, 0 }, { 90, 80, 0 }, { 100, 100, 1 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        up(ATTO, 1);
        hand.fake[0].bytes_per_s = 2000000000;
        hand.fake[0].latency_ns = rows[i].latency_us * NS_PER_US;
        hand.fake[0].request_ns = rows[i].request_us * NS_PER_US;
        hand.fake[0].open_depth_limit = rows[i].depth_limit;
        model_relax_step_ns = 5 * NS_PER_US;
        conf.time_scale_pct = 20;
        check_plan_estimate();
        EQ(plan.step_count, 15);
        down();
    }
}
