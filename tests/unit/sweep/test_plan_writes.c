#include <string.h>
#include "arming.h"
#include "guard.h"
#include "guard_content.h"
#include "stamp.h"
#include "sweep_hand.h"

/* Plans with jobs that write: what the permit of a disk allows, which run the stamps name, and the time it
 * takes. */

/* Behind the guard's MiB 8 MiB and an odd end. */
enum { SMALL_LBAS = 2048 + 8 * 2048 + 13, FIRST = 2048, USABLE_LBAS = SMALL_LBAS - FIRST };
static uint8_t bytes_of_disk[SMALL_LBAS * 512];
static struct plan plan;
static struct conf conf;
static struct job_file file;
static struct disk *disks[2];

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
    hand_grant(disks[0]);
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
        { "rw=write\nbs=4k\noffset=512k\nsize=64k", FIRST + 1024, FIRST + 1024 + 128 },
        { "rw=write\nbs=64k\noffset=1m\nsize=100%", FIRST + 2048, SMALL_LBAS },
        { "rw=write\nbs=4k\noffset=2m\nsize=64k", FIRST + 4096, FIRST + 4096 + 128 },
        { "rw=write\nbs=512\noffset=8m\nsize=6656", SMALL_LBAS - 13, SMALL_LBAS },
        { "rw=write\nbs=64k\nsize=50%", FIRST, FIRST + 64 * 128 },
        { "rw=write\nbs=64k\noffset=99%\nsize=100%", FIRST + USABLE_LBAS * 99ull / 100 / 128 * 128,
          SMALL_LBAS },
        { "rw=write\nbs=4k\nsize=64k\nio_size=256k", FIRST, FIRST + 128 },
        { "rw=write\nbs=4k\nsize=64k\nnumjobs=4\noffset_increment=64k", FIRST, FIRST + 4 * 128 },
        { "rw=write\nbs=4k\nsize=64k\nnumjobs=2\noffset_increment=8m", FIRST, SMALL_LBAS },
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

/* ---- where regions come to lie ---- */
TEST(what_goes_beyond_the_end_behind_the_first_mib_is_refused_in_words)
{
    static const struct {
        const char *job, *why;
    } rows[] = {
        { "rw=write\nsize=8395776",
          "size 8395776 from offset 0 goes beyond the disk's 8395264 bytes behind the "
          "write guard's first MiB" },
        { "rw=write\noffset=8m\nsize=7168\nbs=512", "goes beyond the disk's 8395264 bytes behind" },
        { "rw=write\noffset=8395264\nbs=512", "offset 8395264 lies beyond the disk's 8395264 bytes behind" },
        { "rw=write\noffset=8m\nbs=8k", "only 6656 bytes lie behind offset 8388608, a block has 8192" },
        { "rw=randread\nverify=crc32c\nsize=9m", "behind the write guard's first MiB" },
        { "rw=write\nbs=4k\nsize=4m\nnumjobs=4\noffset_increment=4m",
          "the last of 4 copies would begin beyond" },
        { "rw=write\nbs=8k\nsize=1m\nnumjobs=2\noffset_increment=8m", "the last of 2 copies" },
        { "rw=write\nbs=4k\nsize=1m\nnumjobs=3\noffset_increment=9223372036854775808",
          "the last of 3 copies" },
        { "rw=write\nbs=4k\nsize=1m\nnumjobs=2\noffset_increment=1000",
          "offset_increment (1000) must be multiples" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[200];
        up();
        str_fmt(text, sizeof(text), "[a]\nfilename=nvme0n1\n%s\n", rows[i].job);
        make(text, 1);
        EQ(plan.step_count, 0);
        EQ(plan.refusal_count, 1);
        if (plan.refusal_count) {
            HAS_STR(plan.refusals[0].why, rows[i].why);
            CHECK(plan.refusals[0].wrong_job);
        }
        down();
    }
}

TEST(two_jobs_side_by_side_at_the_begin_do_not_write_over_one_another)
{
    up();
    make("[global]\nfilename=nvme0n1\nbs=4k\nsize=1m\nverify=crc32c\n[a]\nrw=write\n"
         "[b]\nstonewall\nrw=write\nbs=8k\noffset=1m\n[c]\nstonewall\nrw=write\nverify_only\n",
         1);
    EQ(plan.refusal_count, 0);
    EQ(plan.step_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        begin_step(i);
        EQ(writing()->verified_bytes, MIB);
        EQ(writing()->bad_lbas, 0);
        end_step();
    }
    down();
}

TEST(reads_of_a_file_that_writes_lie_where_its_writes_do_on_the_armed_disk_only)
{
    up();
    make("[global]\nbs=4k\nsize=1m\noffset=2m\n[r]\nrw=read\n[w]\nfilename=nvme0n1\nrw=write\n", 1);
    EQ(plan.steps[0].lane_count, 3);
    EQ(plan.steps[0].lanes[0].job.offset_bytes, 3 * MIB); /* r on the armed disk, */
    EQ(plan.steps[0].lanes[1].job.offset_bytes, 2 * MIB); /* on the other, */
    EQ(plan.steps[0].lanes[2].job.offset_bytes, 3 * MIB); /* and w */
    make("[r]\nbs=4k\nrw=read\n", 1);
    EQ(plan.steps[0].lanes[0].job.offset_bytes, 0);
    EQ(plan.steps[0].lanes[0].job.size_bytes, SMALL_LBAS * 512ull);
    down();
}

TEST(what_only_compares_looks_at_the_same_place_on_a_disk_that_is_not_armed)
{
    up();
    make("[a]\nrw=write\nbs=4k\nsize=1m\noffset=512k\nverify=crc32c\nverify_only\n"
         "[b]\nrw=read\nbs=4k\nsize=50%\nverify=crc32c\n[c]\nrw=read\n",
         1);
    EQ(plan.steps[0].lane_count, 6);
    for (unsigned i = 0; i < 4; i += 2) {
        const struct job *armed = &plan.steps[0].lanes[i].job, *other = &plan.steps[0].lanes[i + 1].job;

        EQ(armed->offset_bytes, i ? MIB : MIB + 512 * KIB);
        EQ(other->offset_bytes, armed->offset_bytes);
        EQ(other->size_bytes, armed->size_bytes);
    }
    EQ(plan.steps[0].lanes[5].job.offset_bytes, 0);
    hand.fake[1].disk.lba_count = 2000; /* less than the guard's MiB */
    make("[a]\nfilename=nvme1n1\nrw=read\nbs=4k\nverify=crc32c\n", 1);
    EQ(plan.step_count, 0);
    HAS_STR(plan.refusals[0].why,
            "offset 0 lies beyond the disk's 0 bytes behind the write guard's first MiB");
    down();
}

static uint64_t draw_state;
static uint64_t draw_below(uint64_t n)
{
    draw_state = draw_state * 6364136223846793005ull + 1442695040888963407ull;
    return (draw_state >> 33) % n;
}

/* A job file of regions that follow one another without overlap, some with nothing between them, in any
 * order; the list of them, in LBAs. */
struct drawn {
    char text[4096];
    unsigned count;
    uint64_t first[12], lbas[12];
};
static void draw_jobs(struct drawn *d, uint64_t usable_lbas, uint32_t lba_bytes)
{
    static const char *const kinds[] = { "rw=write",
                                         "rw=randwrite\nverify=crc32c",
                                         "rw=write\nverify=crc32c\nverify_only",
                                         "rw=read\nverify=crc32c",
                                         "rw=randread",
                                         "rw=randrw" };
    struct text t = text_over(d->text, sizeof(d->text));
    uint64_t at = draw_below(3) ? 0 : draw_below(100);
    unsigned turned = (unsigned)draw_below(2);

    text_fmt(&t,
             "[global]\nfilename=nvme0n1\nbs=%u\n[w]\nrw=write\noffset=0\nsize=%u\nnumjobs=1\nstonewall\n",
             lba_bytes, lba_bytes); /* that the file writes */
    d->count = 0;
    while (d->count < 12 && at < usable_lbas) {
        uint64_t lbas = 1 + draw_below(draw_below(2) ? usable_lbas : 3000);

        lbas = lbas > usable_lbas - at ? usable_lbas - at : lbas;
        d->first[d->count] = at;
        d->lbas[d->count++] = lbas;
        at += lbas + (draw_below(2) ? 0 : draw_below(50));
    }
    for (unsigned i = 0; i < d->count; i++) {
        unsigned k = turned ? d->count - 1 - i : i;

        text_fmt(&t, "[j%u]\n%s%s\noffset=%llu\nsize=%llu\n", k, i ? "" : "stonewall\n",
                 kinds[draw_below(ARRAY_COUNT(kinds))], (unsigned long long)(d->first[k] * lba_bytes),
                 (unsigned long long)(d->lbas[k] * lba_bytes));
    }
}

TEST(disjoint_regions_stay_disjoint_and_inside_the_permit)
{
    static const uint32_t lba_sizes[] = { 512, 520, 4096 };
    static struct drawn drawn;

    draw_state = 8;
    for (unsigned round = 0; round < 600; round++) {
        up();
        struct disk *d = disks[0];
        guard_forget_all();
        d->lba_bytes = lba_sizes[round % ARRAY_COUNT(lba_sizes)];
        d->lba_count = MIB / d->lba_bytes + 1 + draw_below(round % 2 ? 20 : 40000);
        hand_grant(d);
        const struct write_permit *p = guard_permit(d);
        draw_jobs(&drawn, p->lba_count, d->lba_bytes);
        make(drawn.text, 1);
        EQ(plan.refusal_count, 0);
        EQ(plan.step_count, drawn.count ? 2 : 1);
        for (unsigned i = 0; drawn.count && i < plan.steps[1].lane_count; i++) {
            const struct job *j = &plan.steps[1].lanes[i].job;
            unsigned k = (unsigned)(j->name[1] - '0');

            k = j->name[2] ? 10 * k + (unsigned)(j->name[2] - '0') : k;
            EQ(j->offset_bytes, (p->first_lba + drawn.first[k]) * d->lba_bytes); /* all by the same way */
            EQ(j->size_bytes, drawn.lbas[k] * d->lba_bytes);
            CHECK(j->offset_bytes / d->lba_bytes >= p->first_lba);
            CHECK((j->offset_bytes + j->size_bytes) / d->lba_bytes <= p->first_lba + p->lba_count);
        }
        EQ(drawn.count ? plan.steps[1].lane_count : 0, drawn.count);
        down();
    }
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
    hand_grant(disks[0]);
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
