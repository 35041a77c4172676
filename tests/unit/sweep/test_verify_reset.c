#include <string.h>
#include "arming.h"
#include "guard.h"
#include "sweep_hand.h"

/* verify_after_reset: the order of flush, reset and reads; who may ask for it; what happens without one. */

enum { SMALL_LBAS = 1003 };
static uint8_t content[SMALL_LBAS * 512];
static struct {
    unsigned count;
    int err;
    char instead[160];
} told;

static void hear(void *ctx, const struct plan_lane *pl, int err, const char *instead)
{
    CHECK(ctx == &told && pl->job.verify_after_reset);
    told.count++;
    told.err = err;
    str_copy(told.instead, sizeof told.instead, instead);
}

static void up(enum job_rw rw, int answer)
{
    hand_up_writable(content, SMALL_LBAS, rw);
    memset(&told, 0, sizeof told);
    hand_job(0)->verify = JOB_VERIFY_STAMP;
    hand_job(0)->verify_after_reset = 1;
    hand.fake[0].reset_answer = answer;
}

static void run(void)
{
    unsigned slices = 0;

    hand_begin();
    while (worker_run(hand.e, 10 * NS_PER_MS)) {
        CHECK(slices++ < 10000);
        worker_reset(hand.e, hear, &told); /* not held: nothing is done */
        if (!worker_wants_reset(hand.e))
            continue;
        worker_hold(hand.e);
        worker_reset(hand.e, hear, &told);
        CHECK(!worker_wants_reset(hand.e));
        model_clock_ns += 5 * NS_PER_S;
        worker_resume(hand.e);
    }
}

static const struct step_writing *writing(void) { return engine_writing(hand.e, 0); }

TEST(all_is_written_then_flushed_then_reset_then_read_back)
{
    static const enum job_rw modes[] = { JOB_WRITE, JOB_RANDWRITE, JOB_RW, JOB_RANDRW };

    for (unsigned m = 0; m < ARRAY_COUNT(modes); m++) {
        struct fake_disk *f = &hand.fake[0];

        up(modes[m], OK);
        run();
        EQ(f->resets, 1);
        EQ(told.count, 1);
        EQ(told.err, OK);
        EQ_STR(told.instead, "");
        CHECK(f->log_count == f->requests && f->requests_at_reset < f->requests);
        EQ(f->log[f->requests_at_reset - 1].op, IO_FLUSH);
        for (uint64_t i = f->requests_at_reset; i < f->requests; i++)
            EQ(f->log[i].op, IO_READ);
        CHECK(writing()->verify_complete && writing()->verified_bytes);
        EQ(writing()->bad_lbas, 0);
        CHECK(writing()->verify_ns < 5 * NS_PER_S && hand_result(0)->run_ns < 5 * NS_PER_S);
        hand_down();
    }
}

TEST(nothing_is_reset_unless_the_job_asks_and_reads_back)
{
    up(JOB_WRITE, OK);
    hand_job(0)->verify_after_reset = 0;
    run();
    EQ(hand.fake[0].resets, 0);
    CHECK(writing()->verify_complete);
    hand_down();
    up(JOB_WRITE, OK);
    hand_job(0)->do_verify = 0;
    run();
    EQ(hand.fake[0].resets, 0);
    hand_down();
}

TEST(where_there_is_no_reset_the_flush_stands_in_and_the_words_say_so)
{
    static const struct {
        int answer;
        const char *words;
    } rows[] = { { E_UNSUPPORTED, "it was flushed" }, { E_AGAIN, "others use its controller" } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        up(JOB_WRITE, rows[i].answer);
        run();
        EQ(told.count, 1);
        EQ(told.err, rows[i].answer);
        HAS_STR(told.instead, rows[i].words);
        CHECK(writing()->verify_complete);
        EQ_STR(engine_lane_reason(hand.e, 0), "");
        hand_down();
    }
}

TEST(a_disk_that_does_not_come_back_ends_unverified_with_the_reason)
{
    static const int answers[] = { E_GONE, E_TIMEOUT };

    for (unsigned i = 0; i < ARRAY_COUNT(answers); i++) {
        up(JOB_RANDWRITE, answers[i]);
        run();
        EQ(hand.fake[0].resets, 1);
        CHECK(!writing()->verify_complete);
        EQ(writing()->verified_bytes, 0);
        HAS_STR(engine_lane_reason(hand.e, 0), "did not come back from the reset");
        CHECK(hand_result(0)->flags & FLAG_ENDED_EARLY);
        hand_down();
    }
}

TEST(a_stop_while_a_lane_waits_for_its_reset_ends_it)
{
    up(JOB_WRITE, OK);
    hand_begin();
    while (!worker_wants_reset(hand.e))
        CHECK(worker_run(hand.e, NS_PER_MS));
    engine_stop(hand.e);
    CHECK(worker_run(hand.e, NS_PER_MS));
    hand.fake[0].latency_ns = 100 * NS_PER_MS;
    worker_hold(hand.e);
    worker_reset(hand.e, hear, &told);
    worker_resume(hand.e);
    hand_run();
    CHECK(!writing()->verify_complete);
    HAS_STR(engine_lane_reason(hand.e, 0), "stopped before");
    hand_down();
    up(JOB_WRITE, OK); /* and one that is given up in the middle */
    hand_begin();
    while (!worker_wants_reset(hand.e))
        CHECK(worker_run(hand.e, NS_PER_MS));
    hand_down();
}

/* ---- the plan ---- */
static struct plan plan;
static struct job_file file;
static struct disk *disks[3];

static void make(const char *text)
{
    struct conf conf = *hand_conf();

    conf.plan = CONF_PLAN_JOBS;
    plan_free(&plan);
    job_file_read(text, strlen(text), &file);
    EQ(plan_from_jobs(&conf, &file, disks, 3, &plan), OK);
}

/* nvme0n1 and nvme1n1 behind one controller, and a SATA disk; all armed. */
static void plan_up(void)
{
    guard_forget_all();
    hand_up(3);
    plan = (struct plan){ 0 };
    for (unsigned i = 0; i < 3; i++) {
        disks[i] = &hand.fake[i].disk;
        hand_grant(disks[i]);
    }
    disks[1]->controller = disks[0]->controller;
    disks[2]->kind = DISK_SATA;
}
static void plan_down(void)
{
    plan_free(&plan);
    guard_forget_all();
    EQ(model_live_allocs(), 0);
}

#define WRITES "rw=write\nbs=4k\nsize=1m\nverify=crc32c\n"

TEST(a_job_that_resets_is_alone_on_its_controller_or_drive)
{
    static const struct {
        const char *jobs;
        unsigned lanes;
        const char *why; /* NULL: nothing is refused */
    } rows[] = {
        { "[a]\nfilename=nvme0n1\n" WRITES "verify_after_reset\n", 1, NULL },
        { "[a]\nfilename=nvme0n1:nvme2n1\n" WRITES "verify_after_reset\n", 2, NULL },
        { "[a]\nfilename=nvme0n1:nvme1n1\n" WRITES "verify_after_reset\n", 1,
          "same controller; add stonewall" },
        { "[a]\nfilename=nvme0n1\n" WRITES "verify_after_reset\n[b]\nfilename=nvme1n1\nrw=read\n", 1,
          "same controller" },
        { "[b]\nfilename=nvme1n1\nrw=read\n[a]\nfilename=nvme0n1\n" WRITES "verify_after_reset\n", 1,
          "same controller" },
        { "[a]\nfilename=nvme2n1\n" WRITES "verify_after_reset\n[b]\nfilename=nvme2n1\nrw=read\n", 1,
          "same drive" },
        { "[a]\nfilename=nvme2n1\n" WRITES "verify_after_reset\n[b]\nfilename=nvme0n1\nrw=read\n", 2, NULL },
        { "[a]\nfilename=nvme0n1\n" WRITES "verify_after_reset=0\n[b]\nfilename=nvme1n1\nrw=read\n", 2,
          NULL },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        plan_up();
        make(rows[i].jobs);
        EQ(file.problem_count, 0);
        EQ(plan.steps[0].lane_count, rows[i].lanes);
        EQ(plan.refusal_count, rows[i].why != NULL);
        if (rows[i].why)
            HAS_STR(plan.refusals[0].why, rows[i].why);
        plan_down();
    }
    plan_up();
    make("[a]\nfilename=nvme0n1\n" WRITES "verify_after_reset\n[b]\nstonewall\nfilename=nvme1n1\nrw=read\n");
    EQ(plan.step_count, 2);
    EQ(plan.refusal_count, 0);
    plan_down();
}

TEST(only_a_job_that_writes_and_reads_back_may_ask_for_a_reset)
{
    static const struct {
        const char *lines, *why; /* NULL: taken */
    } rows[] = {
        { WRITES "verify_after_reset", NULL },
        { WRITES "verify_after_reset=1\nverify_fatal", NULL },
        { "rw=randrw\nverify=pattern\nverify_pattern=0xab\nverify_after_reset", NULL },
        { WRITES "verify_only\nverify_after_reset=0", NULL },
        { WRITES "verify_only\nverify_after_reset", "neither with verify_only" },
        { WRITES "do_verify=0\nverify_after_reset", "do_verify=0" },
        { "rw=write\nverify_after_reset", "it needs verify" },
        { "rw=read\nverify=crc32c\nverify_after_reset", "a rw that writes" },
        { WRITES "numjobs=2\noffset_increment=1m\nverify_after_reset", "remove numjobs" },
        { WRITES "verify_after_reset=maybe", "verify_after_reset" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[300];

        str_fmt(text, sizeof text, "[a]\n%s\n", rows[i].lines);
        EQ(job_file_read(text, strlen(text), &file), rows[i].why == NULL);
        EQ(file.problem_count, rows[i].why != NULL);
        if (rows[i].why)
            HAS_STR(file.problems[0].text, rows[i].why);
    }
}
