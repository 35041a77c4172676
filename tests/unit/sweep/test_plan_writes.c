#include <string.h>
#include "arming.h"
#include "guard.h"
#include "guard_content.h"
#include "stamp.h"
#include "sweep_hand.h"

/* Plans with jobs that write: what the permit of a disk allows, which run the stamps name, and the time it
 * takes. */

enum { SMALL_LBAS = 2048 + 8 * 2048 + 13, FIRST = 2048 }; /* behind the guard's MiB 8 MiB and an odd end */
static uint8_t bytes_of_disk[SMALL_LBAS * 512];
static struct plan plan;
static struct conf conf;
static struct job_file file;
static struct disk *disks[2];

static void grant(struct disk *d)
{
    static struct arming arming;
    struct arming_batch batch = {
        .id = "ba7c", .approved_at = "now", .approved_by = "a", .armings = &arming, .count = 1
    };
    struct guard_content blank = { .state = CONTENT_BLANK, .fingerprint = "blank" };
    struct guard_case c = {
        .disk = d, .content = &blank, .batch = &batch, .same_identity = 1, .keeps_record = true
    };

    arming = (struct arming){ .id = "0123456789abcdef", .fingerprint = "blank" };
    str_copy(arming.identity, sizeof(arming.identity), d->identity);
    CHECK(guard_decide(&c)->granted);
}

/* Disk 0 may be written, disk 1 not.  What is on disk 0 stays from one world to the next. */
static void up(void)
{
    guard_forget_all();
    hand_up(2);
    plan = (struct plan){ 0 };
    conf = *hand_conf();
    conf.plan = CONF_PLAN_JOBS;
    for (unsigned i = 0; i < 2; i++) {
        hand.fake[i].disk.lba_count = SMALL_LBAS;
        hand.fake[i].disk.kind = DISK_SATA;
        disks[i] = &hand.fake[i].disk;
    }
    hand.fake[0].writable = true;
    hand.fake[0].content = bytes_of_disk;
    grant(disks[0]);
}
static void make(const char *text, uint64_t run_id)
{
    plan_free(&plan);
    job_file_read(text, strlen(text), &file);
    EQ(plan_from_jobs(&conf, &file, disks, 2, &plan), OK);
    plan_name_run(&plan, run_id);
}
static void begin_step(unsigned i)
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
static void down(void)
{
    plan_free(&plan);
    guard_forget_all();
    EQ(model_live_allocs(), 0);
}
static const struct step_writing *writing(void) { return engine_writing(hand.e, 0); }

TEST(whatever_region_jobs_name_nothing_outside_the_permit_is_written)
{
    static const struct {
        const char *job;
        uint64_t first, end; /* LBAs that are written */
    } rows[] = {
        { "rw=write\nbs=64k", FIRST, SMALL_LBAS },
        { "rw=write\nbs=64k\noffset=0\nsize=2m", FIRST, FIRST + 4096 },
        { "rw=write\nbs=4k\noffset=512k\nsize=64k", FIRST, FIRST + 128 },
        { "rw=write\nbs=64k\noffset=1m\nsize=100%", FIRST, SMALL_LBAS },
        { "rw=write\nbs=4k\noffset=2m\nsize=64k", 4096, 4096 + 128 },
        { "rw=write\nbs=64k\noffset=99%\nsize=100%", SMALL_LBAS * 99ull / 100 / 128 * 128, SMALL_LBAS },
        { "rw=write\nbs=4k\nsize=64k\nio_size=256k", FIRST, FIRST + 128 },
        { "rw=write\nbs=4k\nsize=64k\nnumjobs=4\noffset_increment=64k", FIRST, FIRST + 4 * 128 },
        { "rw=randwrite\nbs=512", FIRST, SMALL_LBAS },
        { "rw=randwrite\nbs=512\nnorandommap\nloops=8\nsize=64k", FIRST, FIRST + 128 },
        { "rw=randwrite\nbs=512\nverify=crc32c\nsize=64k", FIRST, FIRST + 128 },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[200];
        up();
        memset(bytes_of_disk, 0, sizeof(bytes_of_disk));
        str_fmt(text, sizeof(text), "[a]\nfilename=nvme0n1\n%s\n", rows[i].job);
        make(text, 1);
        EQ(plan.refusal_count, 0);
        EQ(plan.step_count, 1);
        begin_step(0);
        end_step();
        EQ(hand.fake[0].least_written_lba, rows[i].first);
        EQ(hand.fake[0].end_written_lba, rows[i].end);
        for (unsigned at = 0; at < FIRST * 512; at++)
            EQ(bytes_of_disk[at], 0);
        down();
    }
}

TEST(what_has_nothing_behind_the_first_mib_is_refused_and_a_read_there_is_not)
{
    up();
    make("[a]\nfilename=nvme0n1\nrw=write\nsize=1m\nbs=2m\n[b]\nfilename=nvme0n1\nrw=read\nsize=1m\n", 1);
    EQ(plan.refusal_count, 1);
    EQ_STR(plan.refusals[0].job, "a");
    EQ(plan.steps[0].lanes[0].job.offset_bytes, 0);
    down();
}

TEST(several_jobs_write_the_armed_disk_and_the_other_is_not_tested)
{
    up();
    make("[global]\nstonewall\nverify=crc32c\nsize=256k\nbs=4k\n[a]\nrw=write\n[b]\nrw=randwrite\noffset=4m\n"
         "[c]\nrw=randrw\noffset=5m\n[d]\nverify=0\nrw=rw\noffset=6m\n",
         1);
    EQ(plan.step_count, 4);
    EQ(plan.refusal_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        CHECK(plan.refusals[i].disk == disks[1] && !plan.refusals[i].wrong_job);
        EQ(plan.steps[i].lane_count, 1);
        begin_step(i);
        EQ(hand_result(0)->errors, 0);
        EQ(writing()->bad_lbas, 0);
        EQ(writing()->verify_complete, i < 3);
        end_step();
    }
    EQ(hand.fake[1].requests, 0);
    down();
}

TEST(copies_that_verify_need_regions_of_their_own)
{
    up();
    make("[a]\nfilename=nvme0n1\nrw=write\nverify=crc32c\nnumjobs=2\nsize=1m\n", 1);
    EQ(plan.step_count, 0);
    HAS_STR(plan.refusals[0].why, "offset_increment");
    CHECK(plan.refusals[0].wrong_job);
    make("[a]\nfilename=nvme0n1\nrw=write\nverify=crc32c\nnumjobs=2\nsize=1m\noffset_increment=1m\n", 1);
    EQ(plan.refusal_count, 0);
    begin_step(0);
    EQ(writing()->bad_lbas, 0);
    EQ(writing()->verified_bytes, 2 * MIB);
    end_step();
    down();
}

/* ---- which run ---- */
#define JOB_LINES "[a]\nfilename=nvme0n1\nrw=write\nbs=4k\nsize=256k\nverify=crc32c\n"
static const uint64_t run_a = 0x8000000000000001ull, run_b = 0xffffffffffffffffull;

static void write_as(uint64_t run, uint64_t drop_at)
{
    up();
    hand.fake[0].drop_at = drop_at;
    make(JOB_LINES "do_verify=0\n", run);
    begin_step(0);
    end_step();
    down();
}
static void look_as(const char *lines, uint64_t run, uint64_t bad, enum stamp_kind kind)
{
    up();
    make(lines, run);
    unsigned last = plan.step_count - 1;
    for (unsigned i = 0; i < last; i++) {
        begin_step(i);
        end_step();
    }
    begin_step(last);
    EQ(writing()->verified_bytes, 256 * KIB);
    EQ(writing()->bad_lbas, bad);
    EQ(writing()->bad_kind_lbas[kind], bad);
    end_step();
    down();
}

TEST(a_write_lost_when_the_same_job_runs_again_is_found)
{
    write_as(run_a, 0);
    up();
    hand.fake[0].drop_at = 7;
    make(JOB_LINES, run_b);
    begin_step(0);
    EQ(writing()->bad_kind_lbas[STAMP_OTHER_JOB], 8);
    EQ(writing()->bad_lbas, 8);
    end_step();
    down();
}

TEST(verify_only_takes_the_run_that_it_finds_and_wants_all_of_that_one)
{
    write_as(run_a, 0);
    look_as(JOB_LINES "verify_only\n", 5, 0, STAMP_OTHER_JOB);
    write_as(run_b, 9);
    look_as(JOB_LINES "verify_only\n", 5, 8, STAMP_OTHER_JOB);
    write_as(run_b, 1); /* the block that is looked at first is what is left of the run before */
    write_as(run_a, 1);
    look_as(JOB_LINES "verify_only\n", 5, 63 * 8, STAMP_OTHER_JOB);
}

TEST(verify_only_wants_the_run_that_it_is_told_or_the_one_of_its_own_plan)
{
    write_as(run_a, 0);
    look_as(JOB_LINES "verify_only\nverify_run=8000000000000001\n", 5, 0, STAMP_OTHER_JOB);
    look_as(JOB_LINES "verify_only\nverify_run=8000000000000002\n", 5, 64 * 8, STAMP_OTHER_JOB);
    look_as(JOB_LINES
            "do_verify=0\n[b]\nstonewall\nfilename=nvme0n1\nrw=write\nbs=4k\nsize=256k\nverify=crc32c\n"
            "verify_only\n",
            run_b, 0, STAMP_OTHER_JOB);
    up();
    make(JOB_LINES
         "do_verify=0\n[b]\nstonewall\nfilename=nvme0n1\nrw=write\nbs=4k\nsize=256k\nverify=crc32c\n"
         "verify_only\n[c]\nstonewall\nfilename=nvme0n1\nrw=write\nbs=8k\nsize=256k\nverify=crc32c\n"
         "verify_only\n",
         run_b);
    EQ(plan.steps[0].lanes[0].stamp_run, run_b);
    EQ(plan.steps[1].lanes[0].stamp_run, run_b);
    EQ(plan.steps[2].lanes[0].stamp_run, 0); /* another block size is another job */
    down();
}

TEST(an_altered_first_block_is_corrupt_whatever_run_wrote_it)
{
    write_as(run_a, 0);
    bytes_of_disk[FIRST * 512 + 300] ^= 0x20;
    look_as(JOB_LINES "verify_only\niodepth=1\n", 5, 1, STAMP_CORRUPT);
    memset(bytes_of_disk, 0, sizeof(bytes_of_disk));
    look_as(JOB_LINES "verify_only\n", 5, 64 * 8, STAMP_LOST);
}

TEST(verify_run_is_sixteen_digits_of_a_job_that_only_verifies)
{
    static const struct {
        const char *lines, *problem;
    } rows[] = {
        { "verify_only\nverify_run=00000000000000aF", NULL },
        { "verify_only\nverify_run=ffffffffffffffff", NULL },
        { "verify_only\nverify_run=0000000000000000", "16 hexadecimal" },
        { "verify_only\nverify_run=fffffffffffffff", "16 hexadecimal" },
        { "verify_only\nverify_run=fffffffffffffffff", "16 hexadecimal" },
        { "verify_only\nverify_run=0xffffffffffffff", "16 hexadecimal" },
        { "verify_run=ffffffffffffffff", "add verify_only" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[200];
        str_fmt(text, sizeof(text), "[a]\nrw=write\nverify=crc32c\n%s\n", rows[i].lines);
        EQ(job_file_read(text, strlen(text), &file), !rows[i].problem);
        if (rows[i].problem)
            HAS_STR(file.problems[0].text, rows[i].problem);
        else
            EQ(file.jobs[0].verify_run, i ? UINT64_MAX : 0xaf);
    }
}

/* ---- time ---- */
static void check_estimate(const char *lines, uint64_t flush_ns)
{
    uint64_t took_ns = 0;

    up();
    guard_forget_all();
    for (unsigned i = 0; i < 2; i++)
        hand.fake[i].disk.lba_count = 8 * GIB / 512;
    hand.fake[0].content = NULL;
    hand.fake[0].data_word = 1;
    grant(disks[0]);
    hand.fake[0].disk.rotation = ROTATION_YES;
    hand.fake[0].bytes_per_s = 200000000;
    hand.fake[0].flush_ns = flush_ns;
    hand.fake[0].disk.first_bytes_per_s = hand.fake[0].disk.last_bytes_per_s = 200000000;
    model_relax_step_ns = 10 * NS_PER_US;
    make(lines, 1);
    for (unsigned i = 0; i < plan.step_count; i++) {
        uint64_t began_ns = model_clock_ns;
        begin_step(i);
        end_step();
        took_ns += model_clock_ns - began_ns;
    }
    if (plan.estimate_ns > took_ns + took_ns * 15 / 100 || plan.estimate_ns < took_ns - took_ns * 15 / 100)
        test_fail(__FILE__, __LINE__, "%s: estimated %llu ms, took %llu ms", lines,
                  plan.estimate_ns / 1000000ull, took_ns / 1000000ull);
    down();
}

TEST(the_estimate_counts_reading_back_and_flushes)
{
    check_estimate("[a]\nfilename=nvme0n1\nrw=write\nbs=1m\niodepth=4\nsize=400m\nverify=crc32c\n",
                   200 * NS_PER_MS);
    check_estimate("[a]\nfilename=nvme0n1\nrw=write\nbs=1m\niodepth=4\nsize=100m\nfsync=10\n",
                   200 * NS_PER_MS);
    check_estimate("[a]\nfilename=nvme0n1\nrw=write\nbs=1m\niodepth=4\nsize=2g\nruntime=2\nverify=crc32c\n",
                   0);
    check_estimate(
        "[a]\nfilename=nvme0n1\nrw=write\nbs=1m\niodepth=4\nsize=400m\nverify=crc32c\nverify_only\n", 0);
}
