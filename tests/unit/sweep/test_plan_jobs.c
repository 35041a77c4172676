#include <string.h>
#include "sweep_hand.h"

/* Job files made into steps: fio's order, our names, regions checked against each disk. */

static struct plan plan;
static struct conf conf;
static struct job_file file;
static struct disk *disks[3];

static void up(void)
{
    hand_up(3);
    plan = (struct plan){ 0 }; /* what a failed test left went with its world */
    conf = *hand_conf();
    for (unsigned i = 0; i < 3; i++)
        disks[i] = &hand.fake[i].disk;
}
static void make(const char *text)
{
    plan_free(&plan);
    job_file_read(text, strlen(text), &file);
    EQ(plan_from_jobs(&conf, &file, disks, 3, &plan), OK);
}
static void down(void)
{
    plan_free(&plan);
    EQ(model_live_allocs(), 0);
}

TEST(jobs_run_side_by_side_until_a_stonewall)
{
    up();
    make("[global]\nfilename=nvme0n1\nruntime=5\n[a]\n[b]\n[c]\nstonewall\n[d]\n[e]\nwait_for_previous\n");
    EQ(plan.step_count, 3);
    EQ(plan.steps[0].lane_count, 2);
    EQ_STR(plan.steps[0].title, "a, b (2 lanes side by side)");
    EQ(plan.steps[1].lane_count, 2);
    EQ_STR(plan.steps[1].lanes[0].job.name, "c");
    EQ(plan.steps[2].lane_count, 1);
    EQ_STR(plan.steps[2].title, "e");
    EQ(plan.steps[0].lanes[0].shared_path, true);
    EQ(plan.steps[2].lanes[0].shared_path, false);
    EQ(plan.estimate_ns, 3 * 1073741824ull); /* 1 GiB at a guessed 1 GB/s is less than 5 s */
    down();
}

TEST(a_stonewall_in_global_makes_each_job_a_step)
{
    up();
    make("[global]\nfilename=nvme0n1\nstonewall\n[a]\n[b]\n[c]\n");
    EQ(plan.step_count, 3);
    down();
}

TEST(each_named_disk_gets_a_lane_and_no_name_means_every_disk)
{
    static const struct {
        const char *filename;
        unsigned lanes;
    } row[] = {
        { "filename=nvme0n1", 1 },
        { "filename=nvme0n1:nvme2n1", 2 },
        { "filename=nvme2n1:nvme0n1:nvme2n1", 2 },
        { "filename=all", 3 },
        { "filename=all:nvme0n1", 3 },
        { "filename=serial.SN-nvme1n1", 1 },
        { "filename=serial.SN-nvme1n1:nvme1n1", 1 },
        { "filename=", 3 },
        { "filename=:nvme0n1:", 1 },
        { "bs=4k", 3 },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        char text[120];
        up();
        str_fmt(text, sizeof(text), "[a]\n%s\n", row[i].filename);
        make(text);
        EQ(plan.step_count, 1);
        EQ(plan.steps[0].lane_count, row[i].lanes);
        EQ(plan.refusal_count, 0);
        down();
    }
}

TEST(names_that_fit_no_disk_are_refused_with_advice)
{
    static const struct {
        const char *name, *why;
    } row[] = {
        { "/dev/sda", "name of a running Linux" },
        { "/dev/nvme0n1", "[map]" },
        { "nvme0n2", "did you mean nvme0n1?" },
        { "sata0.3", "names are like nvme0n1" },
        { "serial.", "no disk is called" },
        { "0123456789012345678901234567890123456789012345678901234567890123456789", "longer" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        char text[200];
        up();
        str_fmt(text, sizeof(text), "[bad]\nfilename=%s\n[good]\nfilename=nvme0n1\n", row[i].name);
        make(text);
        EQ(plan.refusal_count, 1);
        CHECK(!plan.refusals[0].disk && plan.refusals[0].wrong_job);
        EQ_STR(plan.refusals[0].job, "bad");
        HAS_STR(plan.refusals[0].why, row[i].why);
        EQ(plan.step_count, 1);
        EQ_STR(plan.steps[0].lanes[0].job.name, "good");
        down();
    }
}

TEST(a_linux_path_that_the_map_explains_is_taken)
{
    static struct conf_problems problems;
    static const char text[] = "[map]\n/dev/sda = nvme1n1\n/dev/sdb = sata7\n";

    up();
    CHECK(conf_read(text, sizeof(text) - 1, &conf, &problems));
    make("[a]\nfilename=/dev/sda\n[b]\nfilename=/dev/sdb\n");
    EQ(plan.step_count, 1);
    CHECK(plan.steps[0].lanes[0].disk == disks[1]);
    EQ(plan.refusal_count, 1);
    HAS_STR(plan.refusals[0].why, "sata7");
    down();
}

TEST(refused_jobs_are_named_and_their_wall_still_stands)
{
    up();
    make("[global]\nfilename=nvme0n1\n[a]\n[b]\nstonewall\nrw=write\n[c]\n[d]\nstonewall\nrw=write\n");
    EQ(plan.step_count, 2);
    EQ_STR(plan.steps[0].title, "a");
    EQ_STR(plan.steps[1].title, "c");
    EQ(plan.refusal_count, 2);
    EQ_STR(plan.refusals[0].job, "b");
    HAS_STR(plan.refusals[0].why, "rw=write writes: not armed");
    HAS_STR(plan.refusals[0].why, "docs/safety.md");
    CHECK(!plan.refusals[0].wrong_job); /* no line is wrong: the disk is not armed */
    down();
    up();
    make("[global]\nfilename=nvme0n1\n[a]\n[b]\nstonewall\nbs=x\n[c]\n");
    EQ(plan.step_count, 2);
    EQ_STR(plan.steps[1].title, "c");
    HAS_STR(plan.refusals[0].why, "line 6: bs=x");
    down();
    up();
    make("[global]\nbs=x\n[a]\n");
    EQ(plan.step_count, 0);
    HAS_STR(plan.refusals[0].why, "[global]");
    down();
}

TEST(regions_are_resolved_to_each_disk)
{
    up();
    hand.fake[0].disk.lba_count = 1000003;
    make(
        "[a]\nfilename=nvme0n1\noffset=50%\nsize=25%\nbs=8k\n[b]\nfilename=nvme0n1\nsize=100%\noffset=1m\n"
        "[c]\nfilename=nvme0n1\n[d]\nfilename=nvme0n1\noffset=90%\nsize=50%\nio_size=10%\n[e]\nfilename=nvme0n1\nsize=8k\n");
    EQ(plan.refusal_count, 0);
    const struct plan_lane *l = plan.steps[0].lanes;
    uint64_t all = 1000003ull * 512;
    EQ(l[0].job.offset_bytes, all / 2 / 8192 * 8192);
    EQ(l[0].job.size_bytes, all / 4 / 8192 * 8192);
    EQ(l[1].job.size_bytes, all - MIB);
    EQ(l[2].job.offset_bytes, 0);
    EQ(l[2].job.size_bytes, all);
    EQ(l[3].job.offset_bytes + l[3].job.size_bytes, all);
    EQ(l[3].job.io_bytes, l[3].job.size_bytes / 10 / 4096 * 4096);
    EQ(l[4].job.size_bytes, 8192);
    for (unsigned i = 0; i < 5; i++)
        EQ(l[i].job.offset_pct | l[i].job.size_pct | l[i].job.io_pct, 0);
    down();
}

TEST(regions_that_do_not_fit_are_refused_for_that_disk_only)
{
    static const struct {
        const char *options, *why;
    } row[] = {
        { "bs=4KiB", "4k is 4096 but 4KiB is 4000" },
        { "bs=1MiB", "4KiB is 4000" },
        { "bs=4097", "no multiple of the disk's 512-byte LBAs" },
        { "offset=100", "multiples" },
        { "size=1000", "multiples" },
        { "size=1MiB", "write 1g, not 1GiB" },
        { "offset=1g", "beyond the disk's 1073741824 bytes" },
        { "size=2g", "size=100%" },
        { "offset=512\nsize=1g", "goes beyond" },
        { "offset=18446744073709551104\nsize=512", "beyond" },
        { "size=18446744073709551104", "goes beyond" },
        { "offset=512\nsize=18446744073709551104", "goes beyond" }, /* their sum is 0 in 64 bits */
        { "bs=8k\nsize=4k", "smaller than one block" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        char text[200];
        up();
        str_fmt(text, sizeof(text), "[bad]\nfilename=nvme0n1\n%s\n[good]\nfilename=nvme0n1\n",
                row[i].options);
        make(text);
        EQ(plan.refusal_count, 1);
        CHECK(plan.refusals[0].disk == disks[0] && plan.refusals[0].wrong_job);
        HAS_STR(plan.refusals[0].why, row[i].why);
        EQ(plan.steps[0].lane_count, 1);
        down();
    }
    up();
    hand.fake[1].disk.lba_bytes = 4096;
    hand.fake[1].disk.lba_count /= 8;
    make("[a]\nbs=512\n");
    EQ(plan.refusal_count, 1);
    CHECK(plan.refusals[0].disk == disks[1]);
    EQ(plan.steps[0].lane_count, 2);
    down();
}

TEST(a_disk_that_cannot_be_read_is_refused_when_a_job_names_it)
{
    up();
    hand.fake[1].disk.ops = NULL;
    str_copy(hand.fake[1].disk.why_not, sizeof(hand.fake[1].disk.why_not), "foreign configuration");
    make("[a]\n");
    EQ(plan.steps[0].lane_count, 2);
    EQ_STR(plan.refusals[0].why, "foreign configuration");
    CHECK(!plan.refusals[0].wrong_job);
    make("[a]\nfilename=nvme1n1\n");
    EQ(plan.step_count, 0);
    EQ(plan.estimate_ns, 0);
    down();
}

TEST(depths_are_limited_by_the_disk_and_by_bytes_in_flight)
{
    up();
    hand.fake[0].disk.max_depth = 31;
    hand.fake[1].disk.max_depth = 0;
    make("[a]\niodepth=64\n[b]\nstonewall\niodepth=64\nbs=1m\n[c]\nstonewall\niodepth=4\nbs=32m\n");
    EQ(plan.steps[0].lanes[0].depth, 31);
    EQ(plan.steps[0].lanes[1].depth, 64);
    EQ(plan.steps[0].lanes[0].job.iodepth, 64);
    EQ(plan.steps[1].lanes[1].depth, 32);
    EQ(plan.steps[2].lanes[1].depth, 1);
    down();
}

TEST(the_time_scale_applies_to_jobs_too)
{
    up();
    conf.time_scale_pct = 10;
    make("[a]\nfilename=nvme0n1\nruntime=100\nramp_time=10\ntime_based\n[b]\nfilename=nvme0n1\nio_size=100m\n"
         "[c]\nfilename=nvme0n1\nruntime=20ms\nsize=64k\n");
    const struct plan_lane *l = plan.steps[0].lanes;
    EQ(l[0].job.runtime_ns, 10 * NS_PER_S);
    EQ(l[0].job.ramp_ns, NS_PER_S);
    EQ(l[1].job.io_bytes, 10 * MIB);
    EQ(l[1].job.size_bytes, GIB);
    EQ(l[2].job.runtime_ns, 20 * NS_PER_MS);
    EQ(l[2].job.io_bytes, 64 * KIB);
    EQ(plan.estimate_ns, 11 * NS_PER_S);
    conf.time_scale_pct = 200;
    make("[a]\nfilename=nvme0n1\nruntime=100\n");
    EQ(plan.steps[0].lanes[0].job.runtime_ns, 200 * NS_PER_S);
    EQ(plan.steps[0].lanes[0].job.io_bytes, 0);
    down();
}

TEST(lanes_side_by_side_have_a_limit)
{
    static char text[8192];
    static struct disk *many[300];
    static struct fake_disk fakes[300];
    struct text t = text_over(text, sizeof(text));

    up();
    for (unsigned i = 0; i < 300; i++) {
        char name[16];
        str_fmt(name, sizeof(name), "sata0.%u", i);
        fake_disk_init(&fakes[i], name, NULL, NULL, 0);
        many[i] = &fakes[i].disk;
    }
    for (unsigned i = 0; i < 4; i++)
        text_fmt(&t, "[j%u]\n", i);
    job_file_read(text, t.len, &file);
    EQ(plan_from_jobs(&conf, &file, many, 300, &plan), OK);
    EQ(plan.steps[0].lane_count, 1024);
    EQ(plan.refusal_count, 1200 - 1024);
    HAS_STR(plan.refusals[0].why, "add stonewall");
    down();
}

TEST(no_jobs_or_no_disks_make_an_empty_plan)
{
    up();
    make("");
    EQ(plan.step_count, 0);
    job_file_read("[a]\n", 4, &file);
    EQ(plan_from_jobs(&conf, &file, NULL, 0, &plan), OK);
    EQ(plan.step_count, 0);
    down();
}

TEST(a_plan_of_jobs_without_memory_leaves_nothing_behind)
{
    static const char text[] = "[a]\n[b]\nstonewall\nfilename=/dev/sda\n[c]\nstonewall\n[d]\nrw=write\n";

    up();
    make(text);
    long needed = model_alloc_count;
    down();
    CHECK(needed >= 4);
    for (long k = 0; k < needed; k++) {
        up();
        model_quiet = true;
        model_fail_alloc_at = k;
        EQ(plan_from_jobs(&conf, &file, disks, 3, &plan), E_NOMEM);
        EQ(plan.step_count, 0);
        EQ(model_live_allocs(), 0);
    }
    model_fail_alloc_at = -1;
}

TEST(a_plan_of_jobs_runs_in_the_engine)
{
    up();
    make(
        "[global]\nbs=64k\nsize=8m\n[seq]\niodepth=4\n[rand]\nrw=randread\niodepth=8\n[t]\nstonewall\nruntime=50ms\ntime_based\n");
    EQ(plan.step_count, 2);
    for (unsigned s = 0; s < plan.step_count; s++) {
        struct engine *e;
        EQ(engine_begin(&plan.steps[s], s, &e), OK);
        while (worker_run(e, 10 * NS_PER_MS))
            ;
        for (unsigned i = 0; i < engine_lane_count(e); i++) {
            EQ_STR(engine_lane_reason(e, i), "");
            if (s == 0)
                EQ(engine_result(e, i)->bytes, 8 * MIB);
        }
        engine_end(e);
    }
    down();
}
