#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "fio_logs.h"
#include "golden.h"
#include "sample.h"
#include "str.h"
#include "test.h"

/* fio's write_bw_log and its kin, made from a journal. */

static struct memory file;
static struct journal *j;

static void up(void) { j = journal_new(&file, 0x77); }

static void down(void)
{
    free(j);
    memory_free(&file);
}

static const uint64_t ios[] = { 100, 0, 25, 50 }, bytes[] = { 409600, 0, 102400, 204800 },
                      max_ns[] = { 9000, 0, 7000, 8000 }, sum_ns[] = { 500000, 0, 150000, 200000 };
static const struct series_view view = { 250 * NS_PER_MS, 4, ios, bytes, max_ns, sizeof ios[0], sum_ns };

static struct step_result result(unsigned step, const char *job, const char *rw)
{
    struct step_result r = { .step = step, .disk = "nvme0n1", .run_ns = 900 * NS_PER_MS, .ios = 175 };

    str_copy(r.job, sizeof r.job, job);
    str_copy(r.rw, sizeof r.rw, rw);
    return r;
}

/* A lane as the application leaves it. */
static void lane(const struct step_result *r, const struct step_logs *logs)
{
    journal_step_start(j, r->step, "step", 1);
    journal_step_end(j, r, "");
    journal_fio_log(j, r, logs);
    journal_series(j, r->step, r->disk, r->job, &view);
}

static struct fio_logs walk;
static struct fio_log f;

static bool next(void) { return fio_logs_next(&walk, &f); }

static void start(void) { fio_logs_start(&walk, file.bytes, file.len); }

static void content_is(const char *want)
{
    struct memory out = { 0 };
    struct render_out o = { .write = memory_line, .ctx = &out };

    fio_log_render(&f, &o);
    EQ_STR(out.bytes ? out.bytes : "", want);
    memory_free(&out);
}

static void next_is(const char *path, const char *content)
{
    CHECK(next());
    EQ_STR(f.path, path);
    CHECK(fio_log_has_series(&f));
    if (content)
        content_is(content);
}

TEST(each_interval_with_requests_is_a_line_at_its_end_in_kib_per_second_and_ns)
{
    struct step_result r = result(1, "one", "randread");

    up();
    lane(&r, &(struct step_logs){ .prefix = { "b", "i", "l" }, .number = 3, .per_job = true });
    start();
    /* The last point lasted 150 of 250 ms. */
    next_is("logs/nvme0n1/b_bw.3.log", "250, 1600, 0, 0, 0\n750, 400, 0, 0, 0\n900, 1333, 0, 0, 0\n");
    next_is("logs/nvme0n1/i_iops.3.log", "250, 400, 0, 0, 0\n750, 100, 0, 0, 0\n900, 333, 0, 0, 0\n");
    next_is("logs/nvme0n1/l_lat.3.log", "250, 5000, 0, 0, 0\n750, 6000, 0, 0, 0\n900, 4000, 0, 0, 0\n");
    next_is("logs/nvme0n1/l_clat.3.log", "250, 5000, 0, 0, 0\n750, 6000, 0, 0, 0\n900, 4000, 0, 0, 0\n");
    CHECK(!next());
    down();
}

TEST(writes_are_direction_1_and_the_longest_latency_and_the_offset_are_told_where_asked_for)
{
    struct step_result r = result(1, "one", "randwrite");

    up();
    r.run_ns = 800 * NS_PER_MS; /* the last point lasted for less than half an interval */
    lane(&r, &(struct step_logs){
                 .prefix = { NULL, NULL, "l" }, .number = 1, .per_job = true, .max = true, .offset = true });
    start();
    next_is("logs/nvme0n1/l_lat.1.log", "250, 9000, 1, 0, 0, 0\n750, 7000, 1, 0, 0, 0\n");
    down();
}

TEST(the_two_directions_of_a_mix_come_in_the_order_of_time_with_their_own_numbers)
{
    static const uint64_t few[] = { 10, 20 }, few_bytes[] = { 40960, 81920 }, few_ns[] = { 1000, 4000 };
    struct series_view writes = { 500 * NS_PER_MS, 2, few, few_bytes, few, sizeof few[0], few_ns };
    struct step_result r = result(1, "mix", "randrw");

    up();
    journal_step_end(j, &r, "");
    journal_fio_log(
        j, &r,
        &(struct step_logs){ .prefix = { "m", NULL, "m" }, .number = 1, .per_job = true, .max = true });
    journal_series(j, 1, r.disk, r.job, &view);
    journal_side_series(j, &r, false, &view);
    journal_side_series(j, &r, true, &writes);
    start();
    next_is(
        "logs/nvme0n1/m_bw.1.log",
        "250, 1600, 0, 0, 0\n500, 80, 1, 0, 0\n750, 400, 0, 0, 0\n900, 1333, 0, 0, 0\n900, 200, 1, 0, 0\n");
    next_is(
        "logs/nvme0n1/m_lat.1.log",
        "250, 5000, 0, 0, 0\n500, 100, 1, 0, 0\n750, 6000, 0, 0, 0\n900, 4000, 0, 0, 0\n900, 200, 1, 0, 0\n");
    down();
}

TEST(names_are_such_that_any_volume_takes_them)
{
    static const struct {
        const char *disk, *prefix, *path;
    } rows[] = {
        { "sata0.3", "randread-iodepth-32-numjobs-1", "logs/sata0.3/randread-iodepth-32-numjobs-1_bw.1.log" },
        { "d", "a b", "logs/d/a b_bw.1.log" },
        { "d", "../../x", "logs/d/_._.._x_bw.1.log" },
        { "d", "a\\b:c*d?e\"f<g>h|i", "logs/d/a_b_c_d_e_f_g_h_i_bw.1.log" },
        { "d", "\xc3\xa4\x01", "logs/d/____bw.1.log" },
        { "d", " x", "logs/d/_x_bw.1.log" },
        { "d", "con", "logs/d/_on_bw.1.log" },
        { "d", "Com7.x", "logs/d/_om7.x_bw.1.log" },
        { "d", "com", "logs/d/com_bw.1.log" },
        { "d", "com77", "logs/d/com77_bw.1.log" },
        { "../d", "x", "logs/_._d_" },
        { "D", "x", "logs/D_" },
        { "d.", "x", "logs/d._" },
        { "", "x", "logs/__" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct step_result r = result(1, "one", "read");

        up();
        str_copy(r.disk, sizeof r.disk, rows[i].disk);
        lane(&r, &(struct step_logs){ .prefix = { rows[i].prefix }, .number = 1, .per_job = true });
        start();
        CHECK(next());
        if (!str_starts(f.path, rows[i].path))
            test_fail(__FILE__, __LINE__, "%s: %s", rows[i].prefix, f.path);
        down();
    }
}

TEST(the_longest_names_are_whole)
{
    char longest[STEP_LOG_PREFIX_BYTES];
    struct step_result r = result(UINT32_MAX, "one", "read");

    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    str_copy(r.disk, sizeof r.disk, "\x01xxxxxxxxxxxxxxxxxxxxxxxxx");
    up();
    lane(&r, &(struct step_logs){ .prefix = { NULL, NULL, longest }, .number = UINT32_MAX, .per_job = true });
    lane(&r, &(struct step_logs){ .prefix = { NULL, NULL, longest }, .number = UINT32_MAX, .per_job = true });
    start();
    for (unsigned i = 0; i < 4; i++) {
        CHECK(next());
        HAS_STR(f.path, i % 2 ? "_clat.4294967295.log" : "_lat.4294967295.log");
        CHECK(!!strstr(f.path, "-step4294967295_") == (i >= 2));
    }
    CHECK(!next());
    down();
}

TEST(a_job_that_runs_again_keeps_its_first_file_and_another_case_is_no_other_name)
{
    struct step_result r = result(1, "one", "read");
    static const char *const prefix[] = { "abc", "abc", "ABC" };

    up();
    for (r.step = 1; r.step <= 3; r.step++)
        lane(&r, &(struct step_logs){ .prefix = { prefix[r.step - 1] }, .number = 1, .per_job = true });
    start();
    next_is("logs/nvme0n1/abc_bw.1.log", NULL);
    next_is("logs/nvme0n1/abc-step2_bw.1.log", NULL);
    next_is("logs/nvme0n1/ABC-step3_bw.1.log", NULL);
    CHECK(!next());
    down();
}

TEST(jobs_that_share_a_file_follow_one_another_in_it)
{
    struct step_result one = result(1, "one", "read"), two = result(2, "two", "write"),
                       other = result(3, "two", "write");

    up();
    str_copy(other.disk, sizeof other.disk, "sata0.0");
    lane(&one, &(struct step_logs){ .prefix = { "s", "i" }, .number = 1 });
    lane(&two, &(struct step_logs){ .prefix = { "S" }, .number = 2 });
    lane(&other, &(struct step_logs){ .prefix = { "s" }, .number = 2 });
    start();
    next_is("logs/nvme0n1/s_bw.log", "250, 1600, 0, 0, 0\n750, 400, 0, 0, 0\n900, 1333, 0, 0, 0\n"
                                     "250, 1600, 1, 0, 0\n750, 400, 1, 0, 0\n900, 1333, 1, 0, 0\n");
    next_is("logs/nvme0n1/i_iops.log", "250, 400, 0, 0, 0\n750, 100, 0, 0, 0\n900, 333, 0, 0, 0\n");
    next_is("logs/sata0.0/s_bw.log", "250, 1600, 1, 0, 0\n750, 400, 1, 0, 0\n900, 1333, 1, 0, 0\n");
    CHECK(!next());
    down();
}

TEST(without_its_series_a_file_is_told_to_be_missing)
{
    struct step_result r = result(1, "one", "read");
    struct memory port = { 0 };

    up();
    journal_add_sink(j, memory_line, &port, true);
    lane(&r, &(struct step_logs){ .prefix = { "x" }, .number = 1, .per_job = true });
    fio_logs_start(&walk, port.bytes, port.len);
    CHECK(next());
    CHECK(!fio_log_has_series(&f));
    content_is("");
    memory_free(&port);
    down();
}

TEST(a_second_run_of_a_text_has_a_folder_of_its_own)
{
    struct step_result r = result(1, "one", "read");

    up();
    lane(&r, &(struct step_logs){ .prefix = { "x" }, .number = 1, .per_job = true });
    free(j);
    j = calloc(1, sizeof *j);
    journal_start(j, 0x1234, sample_now_ns);
    journal_add_sink(j, memory_line, &file, false);
    lane(&r, &(struct step_logs){ .prefix = { "x" }, .number = 1, .per_job = true });
    start();
    next_is("logs/nvme0n1/x_bw.1.log", NULL);
    next_is("logs-0000000000001234/nvme0n1/x_bw.1.log", NULL);
    CHECK(!next());
    down();
}

/* What tests/fio/logs.py compares with what fio itself writes. */
static void fixture(void)
{
    static const char *const jobs[] = { "plain", "mixed" };
    struct step_result r;

    for (unsigned i = 0; i < 2; i++) {
        r = result(i + 1, jobs[i], i ? "randrw" : "randread");
        lane(&r, &(struct step_logs){ .prefix = { jobs[i], jobs[i], jobs[i] },
                                      .number = i + 1,
                                      .asked_ms = 250,
                                      .per_job = true,
                                      .offset = i });
        if (i) {
            journal_side_series(j, &r, false, &view);
            journal_side_series(j, &r, true, &view);
        }
    }
}

TEST(the_fixture_of_the_comparison_with_fio_is_what_is_written_now)
{
    up();
    fixture();
    check_golden("report/logs.journal.ndjson", file.bytes, file.len);
    down();
}

TEST(a_journal_cut_anywhere_gives_whole_lines)
{
    up();
    fixture();
    size_t whole = file.len;
    for (size_t len = 0; len < whole; len++) {
        char *cut = malloc(len + 1);

        memcpy(cut, file.bytes, len);
        fio_logs_start(&walk, cut, len);
        while (next()) {
            struct memory out = { 0 };
            struct render_out o = { .write = memory_line, .ctx = &out };

            fio_log_render(&f, &o);
            CHECK(!out.len || out.bytes[out.len - 1] == '\n');
            CHECK(str_starts(f.path, "logs/nvme0n1/"));
            memory_free(&out);
        }
        free(cut);
    }
    down();
}

TEST(a_refused_write_ends_it)
{
    struct memory out = { .limit = 1 };
    struct render_out o = { .write = memory_line, .ctx = &out };

    up();
    fixture();
    start();
    CHECK(next());
    fio_log_render(&f, &o);
    CHECK(o.failed);
    EQ(out.refused, 1);
    down();
}
