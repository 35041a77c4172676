#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "fio_json.h"
#include "golden.h"
#include "math.h"
#include "showcase.h"
#include "test.h"

/* ---- reading what was written ---- */
static struct json_value parsed(const struct memory *m)
{
    struct json_value v;

    if (!json_parse(m->bytes, m->len, &v))
        test_fail(__FILE__, __LINE__, "no JSON: %.300s", m->bytes);
    return v;
}

/* The value at "jobs/0/read/iops"; as it is written. */
static const char *at_path(struct json_value v, const char *path)
{
    static char text[4][400];
    static unsigned turn;
    char part[64], *out = text[turn++ % 4];

    for (const char *p = path; *p; p += p[strcspn(p, "/")] == '/') {
        struct json_value next;
        size_t cursor = 0;
        bool found;

        snprintf(part, sizeof part, "%.*s", (int)strcspn(p, "/"), p);
        p += strcspn(p, "/");
        found = v.kind == JSON_OBJECT && json_member(&v, part, &next);
        if (v.kind == JSON_ARRAY)
            for (int i = atoi(part); i >= 0; i--)
                found = json_next(&v, &cursor, NULL, &next);
        if (!found)
            return "absent";
        v = next;
    }
    if (v.kind == JSON_STRING)
        json_to_str(&v, out, sizeof text[0]);
    else
        snprintf(out, sizeof text[0], "%.*s", (int)v.len, v.at);
    return out;
}

/* Each name once in its object, at any depth. */
static void no_name_twice(const struct json_value *v)
{
    struct json_value name, value, first;
    size_t cursor = 0;
    char word[80];

    if (v->kind != JSON_OBJECT && v->kind != JSON_ARRAY)
        return;
    while (json_next(v, &cursor, &name, &value)) {
        if (v->kind == JSON_OBJECT) {
            CHECK(json_to_str(&name, word, sizeof word) && json_member(v, word, &first));
            if (first.at != value.at)
                test_fail(__FILE__, __LINE__, "%s comes twice", word);
        }
        no_name_twice(&value);
    }
}

struct bench {
    struct memory text, json;
    struct json_value all;
};

static void up(struct bench *b, struct memory text)
{
    b->text = text;
    b->json = rendered(render_fio_json, text.bytes, text.len);
    b->all = parsed(&b->json);
    no_name_twice(&b->all);
}

static void down(struct bench *b)
{
    memory_free(&b->json);
    memory_free(&b->text);
}

/* One line alone, as fio_json_job writes it. */
static struct memory job_of(const struct memory *text, const char *job, bool every_percentile)
{
    struct memory m = { 0 };
    struct render_out out = { .write = memory_line, .ctx = &m };
    struct run_walk w;
    struct run_lines lines;
    struct journal_line l;
    struct run run;

    run_walk_start(&w, text->bytes, text->len);
    CHECK(run_walk_next(&w, &run));
    run_lines_start(&lines, &run);
    while (run_lines_find(&lines, "step_end", &l))
        if (!job || event_is(&l, "job", job)) {
            fio_json_job(&run, &l, every_percentile, &out);
            return m;
        }
    test_fail(__FILE__, __LINE__, "no job %s", job);
}

/* ---- keys ---- */
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

struct keys {
    char *key[600];
    unsigned count;
};

static void add_key(struct keys *k, const char *path, const char *kind)
{
    char line[160];

    snprintf(line, sizeof line, "%s %s", path, kind);
    for (unsigned i = 0; i < k->count; i++)
        if (!strcmp(k->key[i], line))
            return;
    CHECK(k->count < ARRAY_COUNT(k->key));
    k->key[k->count++] = strdup(line);
}

static void collect_keys(struct keys *k, const struct json_value *v, const char *path)
{
    static const char *const kinds[] = {
        [JSON_STRING] = "text", [JSON_ARRAY] = "array", [JSON_OBJECT] = "object"
    };
    struct json_value name, value;
    size_t cursor = 0;
    char below[160], word[64];

    if (v->kind == JSON_NUMBER)
        add_key(k, path, memchr(v->at, '.', v->len) ? "fraction" : "number");
    else if (path[0])
        add_key(k, path, kinds[v->kind]);
    if (v->kind != JSON_OBJECT && v->kind != JSON_ARRAY)
        return;
    while (json_next(v, &cursor, &name, &value)) {
        if (v->kind == JSON_OBJECT)
            json_to_str(&name, word, sizeof word);
        snprintf(below, sizeof below, "%s/%s", path, v->kind == JSON_OBJECT ? word : "*");
        if (!strcmp(word, "baresweep") && v->kind == JSON_OBJECT)
            continue;
        collect_keys(k, &value, below);
    }
}

TEST(keys_and_types_are_those_of_fio_3_33)
{
    struct memory text = sample_text(1), json = job_of(&text, "rand-4k-qd32", true), list = { 0 };
    struct json_value all = parsed(&json);
    struct keys k = { 0 };

    no_name_twice(&all);
    collect_keys(&k, &all, "");
    qsort(k.key, k.count, sizeof k.key[0], by_text);
    for (unsigned i = 0; i < k.count; i++) {
        memory_add(&list, k.key[i], strlen(k.key[i]));
        memory_add(&list, "\n", 1);
        free(k.key[i]);
    }
    /* Written by tests/fio/schema.py --write from what fio writes: never from ours. */
    if (!getenv("GOLDEN"))
        check_golden("report/fio-keys.txt", list.bytes, list.len);
    memory_free(&list);
    memory_free(&json);
    memory_free(&text);
}

TEST(the_combined_json_of_the_sample_is_the_golden_one)
{
    struct bench b;

    up(&b, sample_text(0x0123456789abcdef));
    check_golden("report/fio-combined.json", b.json.bytes, b.json.len);
    down(&b);
}

/* ---- values ---- */
TEST(values_are_those_of_the_journal)
{
    struct bench b;

    up(&b, sample_text(0x0123456789abcdef));
    EQ_STR(at_path(b.all, "jobs/2/jobname"), "rand-4k-qd32");
    EQ_STR(at_path(b.all, "jobs/2/read/iops"), "540032.100000");
    EQ_STR(at_path(b.all, "jobs/2/read/bw_bytes"), "2211971481");
    EQ_STR(at_path(b.all, "jobs/2/read/bw"), "2160128");
    EQ_STR(at_path(b.all, "jobs/2/read/total_ios"), "5400321");
    EQ_STR(at_path(b.all, "jobs/2/read/io_bytes"), "22119714816");
    EQ_STR(at_path(b.all, "jobs/2/read/io_kbytes"), "21601284");
    EQ_STR(at_path(b.all, "jobs/2/read/runtime"), "10000");
    EQ_STR(at_path(b.all, "jobs/2/read/clat_ns/mean"), "58700.000000");
    EQ_STR(at_path(b.all, "jobs/2/read/clat_ns/stddev"), "19566.000000");
    EQ_STR(at_path(b.all, "jobs/2/read/clat_ns/percentile/99.990000"), "110062");
    EQ_STR(at_path(b.all, "jobs/2/read/clat_ns/percentile/99.999000"), "117400");
    EQ_STR(at_path(b.all, "jobs/2/read/clat_ns/percentile/99.999900"), "absent");
    EQ_STR(at_path(b.all, "jobs/2/read/lat_ns/N"), "5400321");
    EQ_STR(at_path(b.all, "jobs/2/latency_us/100"), "90.000001");
    EQ_STR(at_path(b.all, "jobs/2/iodepth_level/32"), "100.000000");
    EQ_STR(at_path(b.all, "jobs/2/iodepth_level/16"), "0.000000");
    EQ_STR(at_path(b.all, "jobs/2/usr_cpu"), "0.700000");
    EQ_STR(at_path(b.all, "jobs/2/elapsed"), "11");
    EQ_STR(at_path(b.all, "jobs/2/job options/bs"), "4k");
    EQ_STR(at_path(b.all, "jobs/1/job options/bs"), "8m");
    EQ_STR(at_path(b.all, "jobs/1/job options/size"), "512000000");
    EQ_STR(at_path(b.all, "jobs/1/baresweep/step_end/command_bytes"), "131072");
    EQ_STR(at_path(b.all, "jobs/1/baresweep/disk/serial"), "S5GXNX0T123456");
    EQ_STR(at_path(b.all, "jobs/3/error"), "5");
    EQ_STR(at_path(b.all, "jobs/0/error"), "0");
    CHECK(!strncmp(at_path(b.all, "time"), "Mon Nov 30 14:0", 15));
    EQ_STR(at_path(b.all, "disk_util/1/name"), "sata0.0");
    EQ_STR(at_path(b.all, "disk_util/1/read_ios"), "812");
    EQ_STR(at_path(b.all, "baresweep/verdict"), "FAIL");
    down(&b);
}

TEST(idle_directions_have_everything_but_percentiles)
{
    static const char *const idle[] = { "write", "trim" };
    char path[60];
    struct bench b;

    up(&b, sample_text(1));
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "jobs/0/%s/clat_ns", idle[i]);
        EQ_STR(at_path(b.all, path), "{\"min\":0,\"max\":0,\"mean\":0.000000,\"stddev\":0.000000,\"N\":0}");
        snprintf(path, sizeof path, "jobs/0/%s/iops", idle[i]);
        EQ_STR(at_path(b.all, path), "0.000000");
    }
    down(&b);
}

TEST(percentiles_that_too_few_samples_allow_are_left_out_unless_every_one_is_wanted)
{
    struct memory text = { 0 };
    struct journal *j = journal_new(&text, 1);
    struct step_result r = { .ios = 812, .run_ns = NS_PER_S, .rw = "read", .job = "a" };

    r.percentile_valid = 1u << 8; /* 95 % */
    r.latency_percentile_ns[8] = 18450000;
    r.latency_max_ns = 492000000;
    journal_step_end(j, &r, "");
    free(j);
    struct memory some = job_of(&text, "a", false), every = job_of(&text, "a", true);
    struct json_value all = parsed(&some), full = parsed(&every);

    EQ_STR(at_path(all, "jobs/0/read/clat_ns/percentile/95.000000"), "18450000");
    EQ_STR(at_path(all, "jobs/0/read/clat_ns/percentile/99.000000"), "absent");
    EQ_STR(at_path(full, "jobs/0/read/clat_ns/percentile/99.999900"), "492000000");
    EQ_STR(at_path(full, "jobs/0/read/clat_ns/percentile/95.000000"), "18450000");
    memory_free(&some);
    memory_free(&every);
    memory_free(&text);
}

TEST(percentiles_are_those_that_the_job_asked_for)
{
    static const struct step_asked asked = {
        .count = 4, .ppm = { 1, 990000, 999950, PPM_OF_ALL }, .ns = { 5, 6, 7, UINT64_MAX }, .valid = 0xb
    };
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct step_result r = {
        .ios = 3000, .run_ns = NS_PER_S, .rw = "randrw", .job = "asked", .asked = &asked
    };
    struct step_side side = { .ios = 20, .asked = &asked };

    r.percentile_valid = 1u << 4 | 1u << 9; /* the median and 99 % */
    r.latency_percentile_ns[9] = 6;
    journal_step_end(j, &r, "");
    journal_step_side(j, &r, &side);
    strcpy(r.rw, "read");
    r.latency_max_ns = 99;
    journal_step_end(j, &r, "");
    struct memory json = rendered(render_fio_json, file.bytes, file.len);
    struct json_value all = parsed(&json);

    no_name_twice(&all);
    EQ_STR(at_path(all, "jobs/0/job options/percentile_list"), "0.0001:99:99.995:100");
    EQ_STR(at_path(all, "jobs/0/read/clat_ns/percentile/0.000100"), "5");
    CHECK(strstr(json.bytes,
                 "\"percentile\":{\"0.000100\":5,\"99.000000\":6,\"100.000000\":18446744073709551615}"));
    EQ_STR(at_path(all, "jobs/1/read/clat_ns/percentile/100.000000"), "18446744073709551615");
    EQ_STR(at_path(all, "jobs/1/read/clat_ns/percentile/50.000000"), "absent");
    EQ_STR(at_path(all, "jobs/1/read/clat_ns/percentile/99.000000"), "6");
    memory_free(&json);
    memory_free(&file);
    free(j);
}

TEST(without_any_percentile_the_object_is_left_out_as_fio_does)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct step_result r = { .ios = 3, .run_ns = NS_PER_S, .rw = "read", .job = "few" };

    journal_step_end(j, &r, "");
    struct memory json = job_of(&file, NULL, false);
    EQ_STR(at_path(parsed(&json), "jobs/0/read/clat_ns/percentile"), "absent");
    EQ_STR(at_path(parsed(&json), "jobs/0/read/clat_ns/N"), "3");
    memory_free(&json);
    memory_free(&file);
    free(j);
}

TEST(the_largest_numbers_and_strange_names_give_sound_json)
{
    struct step_result r = extreme_result();
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, UINT64_MAX);
    struct bench b;

    journal_step_end(j, &r, "\"\\\n");
    up(&b, file);
    EQ_STR(at_path(b.all, "jobs/0/jobname"), "the \"last\"\n job");
    EQ_STR(at_path(b.all, "jobs/0/read/total_ios"), "18446744073709551615");
    EQ_STR(at_path(b.all, "jobs/0/baresweep/step_end/latency_stddev_ns"), "18446744073709551615");
    EQ_STR(at_path(b.all, "jobs/0/job options/size"), "absent");
    down(&b);
    free(j);
}

TEST(writes_stand_under_write)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct step_result r = {
        .ios = 30, .bytes = 122880, .run_ns = NS_PER_S, .rw = "randwrite", .job = "w", .disk = "d"
    };

    journal_step_end(j, &r, "");
    struct memory json = job_of(&file, NULL, false);
    EQ_STR(at_path(parsed(&json), "jobs/0/read/total_ios"), "0");
    EQ_STR(at_path(parsed(&json), "jobs/0/write/total_ios"), "30");
    EQ_STR(at_path(parsed(&json), "disk_util/0/write_ios"), "30");
    memory_free(&json);
    memory_free(&file);
    free(j);
}

TEST(the_sides_of_a_mix_have_samples_of_their_own_and_the_disk_counts_both)
{
    static const uint64_t reads[] = { 100, 300 }, read_bytes[] = { 409600, 1228800 };
    static const uint64_t writes[] = { 50, 30 }, write_bytes[] = { 204800, 122880 };
    struct series_view of_reads = { 500 * NS_PER_MS, 2, reads, read_bytes, reads, sizeof reads[0], NULL };
    struct series_view of_writes = {
        500 * NS_PER_MS, 2, writes, write_bytes, writes, sizeof writes[0], NULL
    };
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct step_result r = {
        .ios = 480, .bytes = 1966080, .run_ns = NS_PER_S, .rw = "randrw", .job = "m", .disk = "d"
    };
    struct step_side side[2] = {
        { .ios = 400, .bytes = 1638400, .latency_mean_ns = 5 * NS_PER_MS },
        { .writes = true, .ios = 80, .bytes = 327680, .latency_mean_ns = NS_PER_MS }
    };

    journal_step_end(j, &r, "");
    journal_step_side(j, &r, &side[0]);
    journal_step_side(j, &r, &side[1]);
    journal_series(j, 0, "d", "m", &of_reads);
    journal_side_series(j, &r, false, &of_reads);
    journal_side_series(j, &r, true, &of_writes);
    struct memory json = job_of(&file, NULL, false);
    struct json_value all = parsed(&json);
    EQ_STR(at_path(all, "jobs/0/read/iops_samples"), "2");
    EQ_STR(at_path(all, "jobs/0/read/iops_min"), "200");
    EQ_STR(at_path(all, "jobs/0/read/iops_max"), "600");
    EQ_STR(at_path(all, "jobs/0/read/bw_max"), "2400");
    EQ_STR(at_path(all, "jobs/0/write/iops_min"), "60");
    EQ_STR(at_path(all, "jobs/0/write/iops_max"), "100");
    EQ_STR(at_path(all, "jobs/0/write/bw_mean"), "320.000000");
    EQ_STR(at_path(all, "jobs/0/trim/iops_samples"), "0");
    EQ_STR(at_path(all, "disk_util/0/read_ios"), "400");
    EQ_STR(at_path(all, "disk_util/0/write_ios"), "80");
    EQ_STR(at_path(all, "disk_util/0/read_ticks"), "2000");
    EQ_STR(at_path(all, "disk_util/0/write_ticks"), "80");
    memory_free(&json);
    memory_free(&file);
    free(j);
}

TEST(what_a_job_wants_of_its_latencies_stands_where_fio_has_it)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct step_result r = {
        .ios = 3000, .run_ns = NS_PER_S, .rw = "read", .job = "a", .disk = "d", .depth = 7
    };
    struct step_goal g = { .target_ns = 2 * NS_PER_MS,
                           .window_ns = 5 * NS_PER_S,
                           .percentile_ppm = 999000,
                           .depth = 7,
                           .outcome = TARGET_FOUND };

    r.latency_max_ns = 3 * NS_PER_MS;
    for (r.step = 1; r.step <= 5; r.step++) { /* found; missed; under the limit; above it; nothing asked */
        journal_step_end(j, &r, "");
        g.max_ns = r.step < 3 ? 0 : r.step == 3 ? r.latency_max_ns : r.latency_max_ns - 1;
        if (r.step < 5)
            journal_latency_goal(j, &r, &g);
        g.outcome = TARGET_MISSED;
        g.target_ns = r.step == 1 ? g.target_ns : 0;
    }
    struct memory json = rendered(render_fio_json, file.bytes, file.len);
    struct json_value all = parsed(&json);

    EQ_STR(at_path(all, "jobs/0/latency_depth"), "7");
    EQ_STR(at_path(all, "jobs/0/latency_target"), "2000");
    EQ_STR(at_path(all, "jobs/0/latency_percentile"), "99.900000");
    EQ_STR(at_path(all, "jobs/0/latency_window"), "5000000");
    EQ_STR(at_path(all, "jobs/0/error"), "0");
    EQ_STR(at_path(all, "jobs/1/error"), "110");
    EQ_STR(at_path(all, "jobs/2/error"), "0");
    EQ_STR(at_path(all, "jobs/3/error"), "110");
    EQ_STR(at_path(all, "jobs/4/latency_target"), "0");
    EQ_STR(at_path(all, "jobs/4/latency_percentile"), "100.000000");
    memory_free(&json);
    memory_free(&file);
    free(j);
}

TEST(a_job_that_never_ran_is_cancelled)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct step_result r = { .rw = "read", .job = "never", .disk = "d", .depth_asked = 8 };

    journal_step_end(j, &r, "the lane could not be opened");
    struct memory json = job_of(&file, NULL, true);
    EQ_STR(at_path(parsed(&json), "jobs/0/error"), "125");
    EQ_STR(at_path(parsed(&json), "jobs/0/job options/iodepth"), "8");
    memory_free(&json);
    memory_free(&file);
    free(j);
}

TEST(a_name_that_comes_twice_in_a_line_comes_once_in_the_json)
{
    struct bench b;
    struct memory file = { 0 };

    append_line(
        &file, 1, 0,
        "\"ev\":\"step_end\",\"step\":1,\"disk\":\"d\",\"job\":\"j\",\"rw\":\"read\",\"ios\":7,\"ios\":8");
    up(&b, file); /* looks for names that come twice */
    EQ_STR(at_path(b.all, "jobs/0/baresweep/step_end/ios"), "7");
    EQ_STR(at_path(b.all, "jobs/0/read/total_ios"), "7");
    down(&b);
}

/* ---- cut short ---- */
static void check_cut(const struct memory *whole, size_t cut)
{
    struct memory part = { 0 };
    struct bench b;

    memory_add(&part, whole->bytes, cut);
    up(&b, part);
    if (cut < whole->len - 1)
        CHECK(strcmp(at_path(b.all, "baresweep/missing/0"), "absent"));
    else
        EQ_STR(at_path(b.all, "baresweep/missing/0"),
               "a line of the configuration or of a job file was refused, see below");
    down(&b);
}

TEST(a_journal_cut_anywhere_gives_sound_json_that_says_what_is_missing)
{
    struct memory text = sample_text(1);
    struct rng rng;

    for (size_t i = 0; i <= text.len; i++)
        if (!i || text.bytes[i - 1] == '\n')
            check_cut(&text, i);
    rng_seed(&rng, 9);
    for (unsigned i = 0; i < 200; i++)
        check_cut(&text, (size_t)mul_high_u64(rng_next(&rng), text.len));
    memory_free(&text);
}

/* ---- over time ---- */
static struct fio_samples samples_of(const uint64_t *ios, unsigned count, uint64_t interval_ns,
                                     uint64_t run_ns)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct series_view view = { interval_ns, count, ios, ios, ios, sizeof ios[0], NULL };
    struct fio_samples s;
    struct journal_reader r;
    struct journal_line l;

    journal_series(j, 0, "d", "j", &view);
    journal_reader_start(&r, file.bytes, file.len);
    CHECK(journal_reader_next(&r, &l) == JOURNAL_LINE);
    fio_samples_of(&l, "ios", run_ns, &s);
    memory_free(&file);
    free(j);
    return s;
}

TEST(samples_are_rates_with_their_mean_and_deviation)
{
    static const uint64_t ios[] = { 100, 200, 300, 400 };
    struct fio_samples s = samples_of(ios, 4, 100 * NS_PER_MS, 400 * NS_PER_MS);

    EQ(s.count, 4);
    EQ(s.min, 1000);
    EQ(s.max, 4000);
    EQ(s.mean_micro, 2500000000);
    EQ(s.stddev_micro, 1118033000); /* 1118.033988 in thousandths */
}

TEST(a_short_last_sample_is_left_out_and_a_long_one_keeps_its_own_length)
{
    static const uint64_t ios[] = { 100, 100, 49 };

    EQ(samples_of(ios, 3, 100 * NS_PER_MS, 249 * NS_PER_MS).count, 2);
    EQ(samples_of(ios, 3, 100 * NS_PER_MS, 270 * NS_PER_MS).count, 3);
    EQ(samples_of(ios, 3, 100 * NS_PER_MS, 270 * NS_PER_MS).min, 700);
    EQ(samples_of(ios, 3, 100 * NS_PER_MS, 10 * NS_PER_MS).count, 1);
    EQ(samples_of(ios, 3, 100 * NS_PER_MS, 0).count, 0);
    EQ(samples_of(ios, 3, 0, NS_PER_S).count, 0);
}

TEST(samples_of_any_size_do_not_wrap)
{
    static const uint64_t ios[] = { UINT64_MAX, 0, UINT64_MAX }, equal[] = { 7, 7, 7 };
    struct fio_samples s = samples_of(ios, 3, 1, UINT64_MAX);

    EQ(s.count, 3);
    EQ(s.min, 0);
    CHECK(s.max > UINT64_MAX / 1001 && s.mean_micro == UINT64_MAX);
    EQ(samples_of(equal, 3, NS_PER_S, 3 * NS_PER_S).stddev_micro, 0);
}

TEST(deviations_above_32_bits_keep_their_size)
{
    static const uint64_t ios[] = { 1000000000, 3000000000 };
    struct fio_samples s = samples_of(ios, 2, NS_PER_S, 2 * NS_PER_S);

    EQ(s.mean_micro, 2000000000000000);
    CHECK(s.stddev_micro > 999000000000000 && s.stddev_micro <= 1000000000000000);
}

TEST(the_series_is_found_before_and_behind_its_step_end)
{
    struct bench b;

    up(&b, sample_text(1)); /* before */
    EQ_STR(at_path(b.all, "jobs/0/read/iops_samples"), "3");
    EQ_STR(at_path(b.all, "jobs/0/read/iops_min"), "490");
    EQ_STR(at_path(b.all, "jobs/0/read/bw_max"), "32320");
    EQ_STR(at_path(b.all, "jobs/1/read/iops_samples"), "0");
    down(&b);
    up(&b, showcase_text()); /* behind */
    EQ_STR(at_path(b.all, "jobs/0/read/iops_samples"), "50");
    EQ_STR(at_path(b.all, "jobs/18/read/iops_samples"), "50");
    down(&b);
}

/* ---- clock and names ---- */
TEST(clocks_are_read_and_written_as_fio_writes_them)
{
    static const struct {
        const char *clock, *words;
        uint64_t seconds;
    } rows[] = {
        { "1970-01-01T00:00:00", "Thu Jan  1 00:00:00 1970", 0 },
        { "1970-03-01T00:00:01", "Sun Mar  1 00:00:01 1970", 5097601 },
        { "2000-02-29T23:59:59", "Tue Feb 29 23:59:59 2000", 951868799 },
        { "2024-12-31T12:00:00", "Tue Dec 31 12:00:00 2024", 1735646400 },
        { "2026-11-30T14:38:04", "Mon Nov 30 14:38:04 2026", 1796049484 },
        { "2100-03-01T00:00:00", "Mon Mar  1 00:00:00 2100", 4107542400 },
        { "9999-12-31T23:59:59", "Fri Dec 31 23:59:59 9999", 253402300799 },
    };
    static const char *const none[] = { "",
                                        "yesterday",
                                        "2026-11-30",
                                        "2026-13-01T00:00:00",
                                        "2026-11-30T24:00:00",
                                        "2026-11-30T14:00:00Z",
                                        "1969-12-31T23:59:59",
                                        "2026-00-10T00:00:00" };
    char words[40];

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        struct text t = text_over(words, sizeof words);

        EQ(fio_clock_parse(rows[i].clock), rows[i].seconds);
        fio_clock_text(&t, rows[i].seconds);
        EQ_STR(words, rows[i].words);
    }
    for (unsigned i = 0; i < ARRAY_COUNT(none); i++)
        EQ(fio_clock_parse(none[i]), 0);
    struct text t = text_over(words, sizeof words);
    fio_clock_text(&t, UINT64_MAX);
    EQ_STR(words, "Fri Dec 31 23:59:59 9999");
}

TEST(a_file_name_has_letters_digits_points_and_dashes_alone)
{
    struct step_result r = { .depth = 32, .rw = "randread", .job = "../a b/\"c\"" };
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct journal_reader reader;
    struct journal_line l;
    char name[120];
    struct text t = text_over(name, sizeof name);

    journal_step_end(j, &r, "");
    journal_reader_start(&reader, file.bytes, file.len);
    CHECK(journal_reader_next(&reader, &l) == JOURNAL_LINE);
    fio_json_file_name(&l, &t);
    EQ_STR(name, "randread-32-1-.._a_b__c_.json");
    memory_free(&file);
    free(j);
}
