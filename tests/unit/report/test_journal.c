#include <stdlib.h>
#include <string.h>
#include "crc.h"
#include "sample.h"
#include "test.h"

/* ---- helpers: one line written, read back ---- */
struct bench {
    struct memory file;
    struct journal *j;
    struct journal_reader reader;
    struct journal_line line;
};

static void up(struct bench *b)
{
    *b = (struct bench){ 0 };
    b->j = journal_new(&b->file, 0xfedcba9876543210);
}

static void down(struct bench *b)
{
    free(b->j);
    memory_free(&b->file);
}

/* Reads the only line; its common members must be right. */
static void read_back(struct bench *b, const char *ev)
{
    journal_reader_start(&b->reader, b->file.bytes, b->file.len);
    EQ(journal_reader_next(&b->reader, &b->line), JOURNAL_LINE);
    EQ_STR(b->line.ev, ev);
    EQ(b->line.run_id, 0xfedcba9876543210);
    EQ(b->line.seq, 0);
    EQ(b->line.t_ns, 1500000000);
    EQ(b->line.version, JOURNAL_VERSION);
    EQ(b->line.offset, 0);
    struct journal_line none;
    EQ(journal_reader_next(&b->reader, &none), JOURNAL_END);
    EQ(b->reader.lines, 1);
    EQ(b->reader.corrupt_lines + b->reader.missing_lines, 0);
}

static void is_str(const struct bench *b, const char *key, const char *want)
{
    struct json_value v;
    char got[1200];

    CHECK(json_member(&b->line.body, key, &v));
    CHECK(json_to_str(&v, got, sizeof got));
    EQ_STR(got, want);
}

static void is_u64(const struct bench *b, const char *key, uint64_t want)
{
    struct json_value v;
    uint64_t got;

    CHECK(json_member(&b->line.body, key, &v));
    CHECK(json_to_u64(&v, &got));
    EQ(got, want);
}

/* ---- every event there and back ---- */
TEST(run_start_comes_back_as_written)
{
    struct bench b;
    struct machine_info m;

    up(&b);
    memset(&m, 'x', sizeof m); /* every text filled to its last byte, without a terminator */
    m.tsc_hz = UINT64_MAX;
    m.tsc_invariant = true;
    strcpy(m.serial, "q\"b\\n\n\x01\x7f\xc3\xa9\xff");
    journal_run_start(b.j, &m, "label");
    read_back(&b, "run_start");
    is_str(&b, "label", "label");
    is_str(&b, "product", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    is_str(&b, "version", "xxxxxxxxxxxxxxxxxxxxxxxx");
    is_str(&b, "serial", "q\"b\\n\n\x01\x7f\xc3\xa9?");
    is_u64(&b, "tsc_hz", UINT64_MAX);
    is_u64(&b, "tsc_invariant", 1);
    down(&b);
}

TEST(conf_comes_back_as_written)
{
    struct bench b;

    up(&b);
    journal_conf(b.j, "http://x/y?a=\"b\"", 0xffffffff, "a=1\nb=2");
    read_back(&b, "conf");
    is_str(&b, "source", "http://x/y?a=\"b\"");
    is_str(&b, "text_crc32c", "ffffffff");
    is_str(&b, "settings", "a=1\nb=2");
    down(&b);
}

TEST(controller_comes_back_as_written)
{
    struct bench b;
    struct controller_info c = { "sata0",  "",         "ffff:ff:1f.7",    0xffff, 0xfffe,
                                 0xfffd,   0xfffc,     0xffffffff,        "what", "model",
                                 "serial", "firmware", "why \xe2\x82\xac" };

    up(&b);
    journal_controller(b.j, &c);
    read_back(&b, "controller");
    is_str(&b, "name", "sata0");
    is_str(&b, "driver", "");
    is_str(&b, "pci_address", "ffff:ff:1f.7");
    is_u64(&b, "vendor_id", 0xffff);
    is_u64(&b, "device_id", 0xfffe);
    is_u64(&b, "subvendor_id", 0xfffd);
    is_u64(&b, "subdevice_id", 0xfffc);
    is_u64(&b, "class_code", 0xffffffff);
    is_str(&b, "what", "what");
    is_str(&b, "model", "model");
    is_str(&b, "serial", "serial");
    is_str(&b, "firmware", "firmware");
    is_str(&b, "why_not", "why \xe2\x82\xac");
    down(&b);
}

TEST(disk_comes_back_as_written)
{
    struct bench b;
    struct disk_info d = { "nvme0n4294967295", "nvme0",    "NVMe",     "m",        "s",        "f",
                           "identity",         0xffffffff, 0x80000000, 0xfffffffe, UINT64_MAX, 0xffff,
                           "unknown",          "why" };

    up(&b);
    journal_disk(b.j, &d);
    read_back(&b, "disk");
    is_str(&b, "name", "nvme0n4294967295");
    is_str(&b, "controller", "nvme0");
    is_str(&b, "kind", "NVMe");
    is_str(&b, "model", "m");
    is_str(&b, "serial", "s");
    is_str(&b, "firmware", "f");
    is_str(&b, "identity", "identity");
    is_u64(&b, "lba_bytes", 0xffffffff);
    is_u64(&b, "physical_block_bytes", 0x80000000);
    is_u64(&b, "max_command_bytes", 0xfffffffe);
    is_u64(&b, "lba_count", UINT64_MAX);
    is_u64(&b, "max_depth", 0xffff);
    is_str(&b, "rotation", "unknown");
    is_str(&b, "why_not", "why");
    down(&b);
}

TEST(finding_comes_back_as_written)
{
    struct bench b;
    struct finding f = { "io-error", FINDING_CANNOT_TELL, "sata0.0", "seen", "expected" };

    up(&b);
    journal_finding(b.j, &f);
    read_back(&b, "finding");
    is_str(&b, "code", "io-error");
    is_str(&b, "level", "CANNOT TELL");
    is_str(&b, "subject", "sata0.0");
    is_str(&b, "seen", "seen");
    is_str(&b, "expected", "expected");
    down(&b);
}

TEST(problem_comes_back_as_written)
{
    struct bench b;

    up(&b);
    journal_problem(b.j, "a.fio", 0xffffffff, "job", "text");
    read_back(&b, "problem");
    is_str(&b, "source", "a.fio");
    is_u64(&b, "line", 0xffffffff);
    is_str(&b, "job", "job");
    is_str(&b, "text", "text");
    down(&b);
}

TEST(plan_comes_back_as_written)
{
    struct bench b;

    up(&b);
    journal_plan(b.j, 0xffffffff, UINT64_MAX);
    read_back(&b, "plan");
    is_u64(&b, "steps", 0xffffffff);
    is_u64(&b, "estimate_ns", UINT64_MAX);
    down(&b);
}

TEST(not_tested_comes_back_as_written)
{
    struct bench b;

    up(&b);
    journal_not_tested(b.j, "disk", "job", "why");
    read_back(&b, "not_tested");
    is_str(&b, "disk", "disk");
    is_str(&b, "job", "job");
    is_str(&b, "why", "why");
    down(&b);
}

TEST(step_start_comes_back_as_written)
{
    struct bench b;

    up(&b);
    journal_step_start(b.j, 0xffffffff, "title", 0x80000000);
    read_back(&b, "step_start");
    is_u64(&b, "step", 0xffffffff);
    is_str(&b, "title", "title");
    is_u64(&b, "lanes", 0x80000000);
    down(&b);
}

TEST(io_error_comes_back_as_written)
{
    struct bench b;
    struct io_error_record e = { UINT64_MAX, 0xffffffff, true, 0xff, 0xff, 0xfffffffe, UINT64_MAX - 1 };

    up(&b);
    journal_io_error(b.j, 7, "disk", "job", &e, "words");
    read_back(&b, "io_error");
    is_u64(&b, "step", 7);
    is_str(&b, "disk", "disk");
    is_str(&b, "job", "job");
    is_u64(&b, "lba", UINT64_MAX);
    is_u64(&b, "blocks", 0xffffffff);
    is_u64(&b, "located", 1);
    is_u64(&b, "status", 0xff);
    is_u64(&b, "detail", 0xfffffffe);
    is_u64(&b, "at_ns", UINT64_MAX - 1);
    is_str(&b, "words", "words");
    down(&b);
}

TEST(io_errors_more_comes_back_as_written)
{
    struct bench b;

    up(&b);
    journal_io_errors_more(b.j, 0xffffffff, "disk", "job", UINT64_MAX);
    read_back(&b, "io_errors_more");
    is_u64(&b, "step", 0xffffffff);
    is_str(&b, "disk", "disk");
    is_str(&b, "job", "job");
    is_u64(&b, "count", UINT64_MAX);
    down(&b);
}

static void is_array(const struct bench *b, const char *key, uint64_t want, unsigned count)
{
    struct json_value all, one;
    size_t cursor = 0;
    uint64_t got;
    unsigned n = 0;

    CHECK(json_member(&b->line.body, key, &all));
    for (; json_next(&all, &cursor, NULL, &one); n++) {
        CHECK(json_to_u64(&one, &got));
        EQ(got, want);
    }
    EQ(n, count);
}

TEST(a_series_of_the_longest_numbers_and_most_points_fits_a_line)
{
    struct point {
        uint64_t ios, bytes, max_ns, sum_ns;
    } *p = malloc(SERIES_MAX_POINTS * sizeof *p);
    struct series_view s = { UINT64_MAX, SERIES_MAX_POINTS, &p->ios,   &p->bytes,
                             &p->max_ns, sizeof *p,         &p->sum_ns };
    struct bench b;

    up(&b);
    for (unsigned i = 0; i < SERIES_MAX_POINTS; i++)
        p[i] = (struct point){ 1, UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX };
    journal_series(b.j, 0xffffffff, "disk", "job", &s);
    read_back(&b, "series");
    CHECK(!b.j->oversize);
    is_u64(&b, "interval_ns", UINT64_MAX);
    /* Requests times mean fit 64 bits: both together have few digits more than one of them. */
    is_array(&b, "mean_ns", UINT64_MAX, SERIES_MAX_POINTS);
    is_array(&b, "bytes", UINT64_MAX - 1, SERIES_MAX_POINTS);
    is_array(&b, "max_ns", UINT64_MAX - 2, SERIES_MAX_POINTS);
    down(&b);
    free(p);
}

TEST(an_empty_series_comes_back_empty)
{
    struct series_view s = { 1000, 0, NULL, NULL, NULL, 8, NULL };
    struct bench b;

    up(&b);
    journal_series(b.j, 0, "disk", "job", &s);
    read_back(&b, "series");
    is_array(&b, "ios", 0, 0);
    down(&b);
}

TEST(step_end_comes_back_with_all_top_bits)
{
    static const char *const u64_keys[] = { "first_lba",
                                            "span_lbas",
                                            "ios",
                                            "bytes",
                                            "errors",
                                            "retries",
                                            "run_ns",
                                            "held_ns",
                                            "ramp_ns",
                                            "latency_min_ns",
                                            "latency_mean_ns",
                                            "latency_max_ns",
                                            "longest_poll_gap_ns",
                                            "busy_ns" };
    struct step_result r = extreme_result();
    struct json_value all, v;
    struct bench b;
    char ppm[24];
    uint64_t got;

    up(&b);
    journal_step_end(b.j, &r, "reason");
    read_back(&b, "step_end");
    is_u64(&b, "step", 0xffffffff);
    is_str(&b, "disk", "sata15.31");
    is_str(&b, "job", "the \"last\"\n job");
    is_str(&b, "rw", "randread");
    is_u64(&b, "block_bytes", 0xffffffff);
    is_u64(&b, "command_bytes", 0xffffffff);
    is_u64(&b, "depth_asked", 0xffff);
    is_u64(&b, "depth", 0xffff);
    for (unsigned i = 0; i < sizeof u64_keys / sizeof u64_keys[0]; i++)
        is_u64(&b, u64_keys[i], UINT64_MAX);
    is_u64(&b, "wrapped", 1);
    is_u64(&b, "bytes_per_s", 1000000000);
    is_u64(&b, "iops_milli", 1000000000000);
    is_str(&b, "reason", "reason");
    CHECK(json_member(&b.line.body, "latency_percentile_ns", &all));
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        __builtin_sprintf(ppm, "%u", percentile_ppm[i]);
        CHECK(json_member(&all, ppm, &v) && json_to_u64(&v, &got));
        EQ(got, UINT64_MAX);
    }
    CHECK(json_member(&b.line.body, "latency_class_ios", &all));
    for (unsigned i = 0; i < LATENCY_CLASS_COUNT; i++) {
        __builtin_sprintf(ppm, "%llu", (unsigned long long)latency_class_ns[i]);
        CHECK(json_member(&all, ppm, &v) && json_to_u64(&v, &got));
        EQ(got, UINT64_MAX);
    }
    down(&b);
}

TEST(data_crc_comes_back_as_written)
{
    struct bench b;

    up(&b);
    journal_data_crc(b.j, "disk", "after", UINT64_MAX, UINT64_MAX - 1, 0xffffffff, 0x80000001);
    read_back(&b, "data_crc");
    is_str(&b, "disk", "disk");
    is_str(&b, "when", "after");
    is_u64(&b, "first_lba", UINT64_MAX);
    is_u64(&b, "bytes", UINT64_MAX - 1);
    is_u64(&b, "request_bytes", 0xffffffff);
    is_str(&b, "crc32c", "80000001");
    down(&b);
}

TEST(flags_are_written_by_name_and_an_unnamed_bit_by_its_number)
{
    struct step_result r = extreme_result();
    struct bench b;

    up(&b);
    r.flags = FLAG_SPLIT | FLAG_CLOCK_UNCERTAIN | 1u << 31;
    journal_step_end(b.j, &r, "");
    HAS_STR(b.file.bytes, "\"flags\":[\"split\",\"clock-uncertain\",\"bit31\"]");
    down(&b);
}

TEST(a_percentile_without_samples_is_absent)
{
    struct step_result r = extreme_result();
    struct bench b;

    up(&b);
    r.percentile_valid = 1u << 4;
    journal_step_end(b.j, &r, "");
    HAS_STR(b.file.bytes, "\"latency_percentile_ns\":{\"500000\":18446744073709551615}");
    down(&b);
}

TEST(checkpoint_and_log_come_back_as_written)
{
    struct bench b;

    up(&b);
    journal_checkpoint(b.j, 0xffffffff);
    read_back(&b, "checkpoint");
    is_u64(&b, "step", 0xffffffff);
    down(&b);
    up(&b);
    journal_log(b.j, 0xffffffff, "text");
    read_back(&b, "log");
    is_u64(&b, "level", 0xffffffff);
    is_str(&b, "text", "text");
    down(&b);
}

TEST(verdicts_and_the_end_come_back_as_written)
{
    struct run_status s = { VERDICT_ABORTED, true, true };
    struct run_ending e = { 3, 0xffffffff, true };
    struct bench b;

    up(&b);
    journal_disk_verdict(b.j, "disk", VERDICT_NOT_TESTED, "why");
    read_back(&b, "disk_verdict");
    is_str(&b, "disk", "disk");
    is_str(&b, "verdict", "NOT-TESTED");
    is_str(&b, "why", "why");
    down(&b);
    up(&b);
    journal_run_end(b.j, &s, &e);
    read_back(&b, "run_end");
    is_str(&b, "verdict", "ABORTED");
    is_u64(&b, "bad_configuration", 1);
    is_u64(&b, "expectation_missed", 1);
    is_u64(&b, "exit_code", 3);
    is_u64(&b, "efi_code", 0xffffffff);
    is_u64(&b, "chains_to_next", 1);
    down(&b);
}

/* ---- the form of a line ---- */
TEST(a_line_is_one_line_and_its_checksum_covers_all_before_it)
{
    struct memory m = sample_text(1);
    unsigned lines = 0;
    char hex[9];

    for (char *at = m.bytes, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        char *crc = strstr(at, ",\"crc\":\"");
        CHECK(end && crc && crc < end);
        EQ(end - crc, 18);
        __builtin_sprintf(hex, "%08x", crc32c(0, at, (size_t)(crc - at)));
        CHECK(!memcmp(crc + 8, hex, 8));
        CHECK(!memcmp(at, "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":", 38));
        lines++;
    }
    CHECK(lines > 30);
    memory_free(&m);
}

TEST(the_journal_holds_integers_and_strings_only)
{
    struct memory m = sample_text(1);

    CHECK(!contains(&m, ":true") && !contains(&m, ":false") && !contains(&m, ":null"));
    memory_free(&m);
}

TEST(a_line_that_fits_to_the_byte_is_written_and_one_byte_more_becomes_oversize)
{
    char *text = calloc(1, JOURNAL_LINE_MAX);
    struct bench b;
    size_t frame;

    up(&b);
    journal_log(b.j, 0, "");
    frame = b.file.len;
    down(&b);

    up(&b);
    memset(text, 'x', JOURNAL_LINE_MAX - 1 - frame);
    journal_log(b.j, 0, text);
    CHECK(!b.j->oversize);
    EQ(b.file.len, JOURNAL_LINE_MAX - 1);
    read_back(&b, "log");
    down(&b);

    up(&b);
    text[JOURNAL_LINE_MAX - 1 - frame] = 'x';
    journal_log(b.j, 0, text);
    CHECK(b.j->oversize);
    read_back(&b, "oversize");
    is_str(&b, "of", "log");
    journal_log(b.j, 0, "after");
    HAS_STR(b.file.bytes, "\"seq\":1,");
    down(&b);
    free(text);
}

TEST(a_series_without_end_becomes_oversize_and_ends)
{
    uint64_t one = 1;
    struct series_view s = { 1, 0xffffffff, &one, &one, &one, 0, NULL };
    struct bench b;

    up(&b);
    journal_series(b.j, 0, "disk", "job", &s);
    read_back(&b, "oversize");
    is_str(&b, "of", "series");
    down(&b);
}

/* ---- sinks ---- */
TEST(a_dead_sink_gets_nothing_more_and_stops_no_other)
{
    struct memory full = { .limit = 300 }, other = { 0 };
    struct journal *j = journal_new(&full, 1);

    journal_add_sink(j, memory_line, &other, false);
    sample_run(j);
    EQ(full.refused, 1);
    CHECK(j->sinks[0].dead && !j->sinks[1].dead);
    CHECK(other.len > 5000);
    struct memory alone = sample_text(1);
    EQ(other.len, alone.len);
    CHECK(!memcmp(other.bytes, alone.bytes, alone.len));
    memory_free(&alone);
    memory_free(&full);
    memory_free(&other);
    free(j);
}

TEST(a_journal_whose_sinks_are_all_dead_goes_on_counting)
{
    struct memory full = { .limit = 1 };
    struct journal *j = journal_new(&full, 1);

    journal_checkpoint(j, 0);
    journal_checkpoint(j, 0);
    EQ(full.refused, 1);
    EQ(j->seq, 2);
    free(j);
}

TEST(a_fifth_sink_is_not_taken)
{
    struct memory m[5] = { { 0 } };
    struct journal *j = journal_new(&m[0], 1);

    for (unsigned i = 1; i < 5; i++)
        journal_add_sink(j, memory_line, &m[i], false);
    journal_checkpoint(j, 0);
    CHECK(m[3].len && !m[4].len);
    for (unsigned i = 0; i < 5; i++)
        memory_free(&m[i]);
    free(j);
}

TEST(a_compact_sink_gets_the_same_numbers_with_series_omitted)
{
    struct memory file = { 0 }, port = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct journal_reader r;
    struct journal_line l;

    journal_add_sink(j, memory_line, &port, true);
    sample_run(j);
    CHECK(contains(&file, "\"ev\":\"series\"") && !contains(&file, "\"ev\":\"omitted\""));
    CHECK(!contains(&port, "\"ev\":\"series\"") && contains(&port, "\"ev\":\"omitted\",\"of\":\"series\""));
    journal_reader_start(&r, port.bytes, port.len);
    while (journal_reader_next(&r, &l) == JOURNAL_LINE)
        ;
    EQ(r.lines, j->seq);
    EQ(r.missing_lines + r.corrupt_lines, 0);
    memory_free(&file);
    memory_free(&port);
    free(j);
}

TEST(an_oversize_series_is_omitted_for_a_compact_sink_too)
{
    uint64_t one = 1;
    struct series_view s = { 1, 100000, &one, &one, &one, 0, NULL };
    struct memory file = { 0 }, port = { 0 };
    struct journal *j = journal_new(&file, 1);

    journal_add_sink(j, memory_line, &port, true);
    journal_series(j, 0, "d", "j", &s);
    CHECK(contains(&file, "\"ev\":\"oversize\"") && contains(&port, "\"ev\":\"omitted\""));
    memory_free(&file);
    memory_free(&port);
    free(j);
}
