#include <string.h>
#include "sweep_hand.h"

/* The key of a step: equal for the same step in a later start, different for whatever is not the same. */

static struct plan plan;
static struct conf conf;
static struct job_file file;
static struct disk *disks[2];

static uint64_t key_of(const char *text, unsigned step)
{
    plan_free(&plan);
    job_file_read(text, strlen(text), &file);
    EQ(plan_from_jobs(&conf, &file, disks, 2, &plan), OK);
    CHECK(step < plan.step_count);
    return plan_step_key(&plan.steps[step]);
}

static void up(void)
{
    hand_up(2);
    plan = (struct plan){ 0 };
    conf = *hand_conf();
    for (unsigned i = 0; i < 2; i++) {
        disks[i] = &hand.fake[i].disk;
        str_fmt(disks[i]->identity, sizeof disks[i]->identity, "identity %u", i);
    }
}

static void down(void)
{
    plan_free(&plan);
    EQ(model_live_allocs(), 0);
}

static const char jobs[] = "[global]\nfilename=nvme0n1\nstonewall\nruntime=5\n[a]\n[b]\nbs=64k\n";

TEST(the_same_step_has_the_same_key_wherever_its_job_stands_in_the_file)
{
    up();
    uint64_t a = key_of(jobs, 0), b = key_of(jobs, 1);
    CHECK(a && b && a != b);
    EQ(key_of(jobs, 0), a);
    EQ(key_of("# a comment\n\n[global]\nfilename=nvme0n1\nstonewall\nruntime=5\n[b]\nbs=64k\n[a]\n", 0), b);
    down();
}

TEST(whatever_changes_what_is_measured_changes_the_key)
{
    static const char *const other[] = {
        "runtime=6\n",      "bs=8k\n",       "iodepth=2\n",    "rw=randread\n", "offset=1m\n",
        "size=1m\n",        "io_size=1m\n",  "randseed=9\n",   "ramp_time=1\n", "numjobs=2\n",
        "rate_iops=1000\n", "thinktime=9\n", "time_based=1\n", "loops=2\n",
    };
    char text[200];

    up();
    uint64_t key = key_of("[a]\nfilename=nvme0n1\nruntime=5\n", 0);
    for (unsigned i = 0; i < ARRAY_COUNT(other); i++) {
        str_fmt(text, sizeof text, "[a]\nfilename=nvme0n1\nruntime=5\n%s", other[i]);
        CHECK(key_of(text, 0) != key);
    }
    CHECK(key_of("[a]\nfilename=nvme1n1\nruntime=5\n", 0) != key);
    CHECK(key_of("[a]\nruntime=5\n", 0) != key);
    conf.rounds = 5;
    CHECK(key_of("[a]\nfilename=nvme0n1\nruntime=5\n", 0) != key);
    conf.rounds = 1;
    conf.time_scale_pct = 50;
    CHECK(key_of("[a]\nfilename=nvme0n1\nruntime=5\n", 0) != key);
    down();
}

TEST(another_disk_in_the_same_place_changes_the_key)
{
    up();
    uint64_t key = key_of(jobs, 0);
    str_copy(disks[0]->identity, sizeof disks[0]->identity, "another");
    CHECK(key_of(jobs, 0) != key);
    str_copy(disks[0]->identity, sizeof disks[0]->identity, "identity 0");
    EQ(key_of(jobs, 0), key);
    disks[0]->lba_count--;
    CHECK(key_of(jobs, 0) != key);
    down();
}

TEST(a_disk_without_identity_and_what_reads_back_what_was_written_have_no_key)
{
    up();
    CHECK(key_of("[a]\n", 0));
    disks[1]->identity[0] = 0;
    EQ(key_of("[a]\n", 0), 0);
    CHECK(key_of(jobs, 0));
    plan.steps[0].lanes[0].job.verify = JOB_VERIFY_STAMP;
    EQ(plan_step_key(&plan.steps[0]), 0);
    plan.steps[0].lanes[0].job.verify = 0;
    plan.steps[0].lanes[0].job.rw = JOB_WRITE;
    EQ(plan_step_key(&plan.steps[0]), 0);
    plan.steps[0].lanes[0].job.rw = JOB_READ;
    CHECK(plan_step_key(&plan.steps[0]));
    EQ(plan_step_key(&(struct plan_step){ .title = "nothing" }), 0);
    down();
}
