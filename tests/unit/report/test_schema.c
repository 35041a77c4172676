#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"
#include "test.h"

/* docs/journal.md is the schema: it must name every kind and every key that the writer can write. */
static char *read_docs(void)
{
    char *text = calloc(1, 1 << 18);
    FILE *f = fopen("docs/journal.md", "rb");

    CHECK(f != NULL);
    if (fread(text, 1, (1 << 18) - 1, f) == 0)
        text[0] = 0;
    fclose(f);
    return text;
}

/* The part under the heading "### `kind`", up to the next heading. */
static char *section_of(const char *docs, const char *kind)
{
    char heading[48];
    const char *begin, *end;

    snprintf(heading, sizeof heading, "\n### `%s`", kind);
    begin = strstr(docs, heading);
    if (!begin)
        test_fail("docs/journal.md", 1, "lacks the kind %s", kind);
    end = strstr(begin + 1, "\n##");
    return strndup(begin, end ? (size_t)(end - begin) : strlen(begin));
}

static bool has_key(const char *text, const char *key)
{
    char row[96];

    snprintf(row, sizeof row, "\n| `%s` |", key);
    return strstr(text, row) != NULL;
}

static bool is_common(const char *key)
{
    static const char *const common[] = { "v", "run", "seq", "t_ns", "ev", "crc" };

    for (unsigned i = 0; i < sizeof common / sizeof common[0]; i++)
        if (!strcmp(key, common[i]))
            return true;
    return false;
}

static void check_line(const char *docs, const struct journal_line *l)
{
    char *section = section_of(docs, l->ev);
    struct json_value key, value;
    size_t cursor = 0;
    char name[64];

    while (json_next(&l->body, &cursor, &key, &value)) {
        json_to_str(&key, name, sizeof name);
        if (!has_key(is_common(name) ? docs : section, name))
            test_fail("docs/journal.md", 1, "does not explain %s of %s", name, l->ev);
    }
    /* And the other way round: what is explained is written. */
    for (const char *row = strstr(section, "\n| `"); row; row = strstr(row + 1, "\n| `")) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(row + 4, "`"), row + 4);
        if (!json_member(&l->body, name, &value))
            test_fail("docs/journal.md", 1, "explains %s of %s, which is not written", name, l->ev);
    }
    free(section);
}

TEST(every_kind_and_key_that_is_written_stands_in_the_documentation)
{
    struct memory file = { 0 }, port = { 0 };
    struct journal *j = journal_new(&file, 1);
    char *docs = read_docs(), *big = malloc(JOURNAL_LINE_MAX);
    struct journal_reader r;
    struct journal_line l;
    uint64_t lines = 0;

    memset(big, 'x', JOURNAL_LINE_MAX - 1);
    big[JOURNAL_LINE_MAX - 1] = 0;
    journal_add_sink(j, memory_line, &port, true);
    sample_run(j);
    journal_log(j, 0, big);
    journal_reader_start(&r, file.bytes, file.len);
    for (; journal_reader_next(&r, &l) == JOURNAL_LINE; lines++)
        check_line(docs, &l);
    EQ(lines, j->seq);
    journal_reader_start(&r, port.bytes, port.len);
    while (journal_reader_next(&r, &l) == JOURNAL_LINE)
        check_line(docs, &l);
    memory_free(&file);
    memory_free(&port);
    free(j);
    free(docs);
    free(big);
}

TEST(what_lanes_that_write_leave_stands_in_the_documentation)
{
    static const char *const kinds[VERIFY_KIND_COUNT] = { "ok",          "lost",    "stale",
                                                          "misdirected", "corrupt", "other-job" };
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    char *docs = read_docs();
    struct step_result r = {
        .step = 4, .disk = "nvme0n1", .job = "mix", .rw = "randrw", .run_ns = 2000000000
    };
    struct step_side side = { .writes = true, .ios = 30, .bytes = 122880, .percentile_valid = 1 };
    struct step_writing w = { .writes = true, .verifies = true, .bad_lbas = 3, .bad_kind_lbas = { 0, 1, 2 } };
    struct verify_error e = { .lba = UINT64_MAX, .kind = "stale", .words = "words" };
    struct journal_reader reader;
    struct journal_line l;
    unsigned lines = 0;

    side.latency_class_ios[3] = 30;
    side.latency_percentile_ns[0] = 77;
    journal_step_side(j, &r, &side);
    journal_writing(j, &r, &w, kinds);
    journal_verify_error(j, &r, &e);
    journal_side_series(j, &r, true, &(struct series_view){ .interval_ns = 1000 });
    journal_fio_log(j, &r, &(struct step_logs){ .prefix = { "a", NULL, "c" } });
    journal_latency_goal(j, &r, &(struct step_goal){ .target_ns = 1, .outcome = TARGET_FOUND });
    journal_array(j, "stripe0", 65536, (const char *const[]){ "sata0.0", "sata0.1" }, 2);
    journal_cache(j, &(struct cache_info){ 4, "sata0.0", "write cache", "lost", "off", "on", "unknown", "" });
    journal_scaling(
        j, &(struct scaling_info){ .controller = "sata0", .job = "seq", .limit = "link", .words = "full" });
    journal_rounds(j, &(struct rounds_info){ .title = "seq" });
    journal_plan_choice(j, &(struct plan_choice){ .plan = "preset" }, (const char *const[]){ "sata0.0" }, 1);
    journal_step_key(j, 1, 1, 1, UINT64_MAX);
    journal_plan_stop(j, 1, "stopped");
    journal_reader_start(&reader, file.bytes, file.len);
    for (; journal_reader_next(&reader, &l) == JOURNAL_LINE; lines++)
        check_line(docs, &l);
    EQ(lines, 13);
    HAS_STR(file.bytes, "\"members\":[\"sata0.0\",\"sata0.1\"]");
    HAS_STR(file.bytes, "\"bytes_per_s\":61440,\"iops_milli\":15000,");
    HAS_STR(file.bytes, "\"bad_kinds\":{\"lost\":1,\"stale\":2}");
    HAS_STR(file.bytes, "\"lba\":18446744073709551615,\"kind\":\"stale\"");
    memory_free(&file);
    free(j);
    free(docs);
}

/* A kind that the sample forgets would escape the test above. */
TEST(the_sample_has_every_kind_that_the_writer_knows)
{
    static const char *const begins[] = { "line_begin(&l, j, \"", "begin_for_lane(&l, j, \"" };
    char *source = calloc(1, 1 << 18), kind[64];
    struct memory sample = sample_text(1);
    static const char *const files[] = { "report/journal.c", "report/journal_guard.c" };
    unsigned kinds = 0;
    size_t len = 0;

    for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
        FILE *f = fopen(files[i], "rb");
        CHECK(f != NULL);
        size_t n = fread(source + len, 1, (1 << 18) - 1 - len, f);
        fclose(f);
        CHECK(n > 0);
        len += n;
    }
    for (unsigned i = 0; i < 2; i++)
        for (const char *at = strstr(source, begins[i]); at; at = strstr(at + 1, begins[i]), kinds++) {
            const char *name = at + strlen(begins[i]);
            snprintf(kind, sizeof kind, "\"ev\":\"%.*s\"", (int)strcspn(name, "\""), name);
            HAS_STR(sample.bytes, kind);
        }
    CHECK(kinds >= 17);
    memory_free(&sample);
    free(source);
}

TEST(every_flag_and_percentile_stands_in_the_documentation)
{
    char *docs = read_docs(), word[40];

    for (unsigned i = 0; i < step_flag_count; i++) {
        snprintf(word, sizeof word, "| `%s` |", step_flags[i].name);
        HAS_STR(docs, word);
    }
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        snprintf(word, sizeof word, "`%u`", percentile_ppm[i]);
        HAS_STR(docs, word);
    }
    free(docs);
}
