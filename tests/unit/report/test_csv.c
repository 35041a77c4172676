#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "render.h"
#include "golden.h"
#include "sample.h"
#include "test.h"

/* ---- an RFC 4180 reader of our own ---- */
enum { MAX_FIELDS = 80 };
struct row {
    char *field[MAX_FIELDS];
    unsigned count;
};

static const char *read_field(const char *at, char *out)
{
    bool quoted = *at == '"';

    at += quoted;
    while (*at && (quoted ? !(at[0] == '"' && at[1] != '"') : *at != ',' && *at != '\r')) {
        at += quoted && *at == '"';
        *out++ = *at++;
    }
    *out = 0;
    return at + quoted;
}

static const char *read_row(const char *at, struct row *r)
{
    *r = (struct row){ 0 };
    for (;;) {
        r->field[r->count] = calloc(1, strlen(at) + 1);
        at = read_field(at, r->field[r->count++]);
        if (*at != ',' || r->count == MAX_FIELDS)
            break;
        at++;
    }
    CHECK(at[0] == '\r' && at[1] == '\n');
    return at + 2;
}

static void free_row(struct row *r)
{
    for (unsigned i = 0; i < r->count; i++)
        free(r->field[i]);
}

static const char *field(const struct row *head, const struct row *r, const char *name)
{
    for (unsigned i = 0; i < head->count; i++)
        if (!strcmp(head->field[i], name))
            return r->field[i];
    test_fail(__FILE__, __LINE__, "no column %s", name);
}

TEST(the_csv_of_the_sample_is_the_golden_one)
{
    struct memory text = sample_text(0x0123456789abcdef), csv = csv_of(text.bytes, text.len);

    check_golden("report/results.csv", csv.bytes, csv.len);
    memory_free(&csv);
    memory_free(&text);
}

TEST(an_empty_journal_gives_a_header_alone)
{
    struct memory csv = csv_of("", 0);
    struct row head;

    EQ(*read_row(csv.bytes, &head), 0);
    EQ_STR(head.field[0], "run_id");
    CHECK(head.count > 40);
    free_row(&head);
    memory_free(&csv);
}

TEST(header_and_rows_have_the_same_number_of_fields)
{
    struct memory text = sample_text(1), csv = csv_of(text.bytes, text.len);
    struct row head, r;
    unsigned rows = 0;

    for (const char *at = read_row(csv.bytes, &head); *at; rows++) {
        at = read_row(at, &r);
        EQ(r.count, head.count);
        free_row(&r);
    }
    EQ(rows, 4);
    free_row(&head);
    memory_free(&csv);
    memory_free(&text);
}

TEST(the_columns_of_percentiles_are_named_by_their_percent)
{
    struct memory csv = csv_of("", 0);

    HAS_STR(csv.bytes, ",latency_p1_ns,");
    HAS_STR(csv.bytes, ",latency_p50_ns,");
    HAS_STR(csv.bytes, ",latency_p99.9_ns,latency_p99.99_ns,");
    memory_free(&csv);
}

TEST(digits_are_those_of_the_journal)
{
    static const char *const columns[] = { "first_lba",
                                           "span_lbas",
                                           "ios",
                                           "bytes",
                                           "run_ns",
                                           "held_ns",
                                           "ramp_ns",
                                           "latency_min_ns",
                                           "latency_mean_ns",
                                           "latency_max_ns",
                                           "latency_p1_ns",
                                           "latency_p50_ns",
                                           "latency_p99.99_ns",
                                           "errors",
                                           "retries",
                                           "longest_poll_gap_ns",
                                           "busy_ns" };
    struct step_result r = extreme_result();
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 0xffffffffffffffff);
    struct row head, row;

    r.ios = 1ull << 63;
    r.flags &= ~(uint32_t)FLAG_TOO_SHORT;
    journal_step_end(j, &r, "a, \"b\"");
    struct memory csv = csv_of(file.bytes, file.len);
    read_row(read_row(csv.bytes, &head), &row);
    EQ_STR(field(&head, &row, "run_id"), "ffffffffffffffff");
    for (unsigned i = 0; i < sizeof columns / sizeof columns[0]; i++)
        EQ_STR(field(&head, &row, columns[i]),
               strcmp(columns[i], "ios") ? "18446744073709551615" : "9223372036854775808");
    EQ_STR(field(&head, &row, "step"), "4294967295");
    EQ_STR(field(&head, &row, "depth"), "65535");
    EQ_STR(field(&head, &row, "wrapped"), "1");
    EQ_STR(field(&head, &row, "bytes_per_s"), "1000000000");
    EQ_STR(field(&head, &row, "journal_seq"), "0");
    EQ_STR(field(&head, &row, "reason"), "a, \"b\"");
    EQ_STR(field(&head, &row, "job"), "the \"last\"? job");
    EQ_STR(field(&head, &row, "serial"), "");
    free_row(&head);
    free_row(&row);
    memory_free(&csv);
    memory_free(&file);
    free(j);
}

TEST(fields_are_quoted_when_they_must_be)
{
    static const struct {
        const char *text, *field;
    } cases[] = {
        { "plain text",
          ",plain text,0,18446744073709551615,18446744073709551615,18446744073709551615,,,,,,,,,,,,,,,,,,,,\r\n" },
        { "a,b",
          ",\"a,b\",0,18446744073709551615,18446744073709551615,18446744073709551615,,,,,,,,,,,,,,,,,,,,\r\n" },
        { "say \"no\"",
          ",\"say \"\"no\"\"\",0,18446744073709551615,18446744073709551615,18446744073709551615,,,,,,,,,,,,,,,,,,,,\r\n" },
        { "\"",
          ",\"\"\"\",0,18446744073709551615,18446744073709551615,18446744073709551615,,,,,,,,,,,,,,,,,,,,\r\n" },
        { "ends ",
          ",\"ends \",0,18446744073709551615,18446744073709551615,18446744073709551615,,,,,,,,,,,,,,,,,,,,\r\n" },
        { " begins",
          ",\" begins\",0,18446744073709551615,18446744073709551615,18446744073709551615,,,,,,,,,,,,,,,,,,,,\r\n" },
        { "two\nlines\r",
          ",two?lines?,0,18446744073709551615,18446744073709551615,18446744073709551615,,,,,,,,,,,,,,,,,,,,\r\n" },
        { "", ",,0,18446744073709551615,18446744073709551615,18446744073709551615,,,,,,,,,,,,,,,,,,,,\r\n" },
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memory file = { 0 };
        struct journal *j = journal_new(&file, 1);
        struct step_result r = extreme_result();
        r.flags &= ~(uint32_t)FLAG_TOO_SHORT;
        journal_step_end(j, &r, cases[i].text);
        struct memory csv = csv_of(file.bytes, file.len);
        HAS_STR(csv.bytes, cases[i].field);
        memory_free(&csv);
        memory_free(&file);
        free(j);
    }
}

TEST(a_percentile_that_is_not_valid_is_an_empty_field)
{
    struct memory text = sample_text(1), csv = csv_of(text.bytes, text.len);
    struct row head, row;
    const char *at = read_row(csv.bytes, &head);

    for (unsigned i = 0; i < 4; i++) {
        at = read_row(at, &row);
        if (i == 3) {
            EQ_STR(field(&head, &row, "latency_p95_ns"), ""); /* too short for any number */
            EQ_STR(field(&head, &row, "flags"), "too-short|errors|ended-early");
        }
        if (i == 2) {
            EQ_STR(field(&head, &row, "flags"), "host-bound");
            EQ_STR(field(&head, &row, "model"), "Samsung SSD 980 PRO 1TB");
            EQ_STR(field(&head, &row, "latency_p99.99_ns"), "110062");
            EQ_STR(field(&head, &row, "latency_p99.9999_ns"), "");
        }
        free_row(&row);
    }
    free_row(&head);
    memory_free(&csv);
    memory_free(&text);
}

TEST(each_row_takes_the_disk_of_its_own_run)
{
    struct memory file = { 0 };
    struct step_result r = extreme_result();
    struct disk_info d = { .name = "sata15.31", .serial = "FIRST" };
    struct row head, row;

    for (unsigned run = 1; run <= 2; run++) {
        struct journal *j = journal_new(&file, run);
        journal_disk(j, &d);
        journal_step_end(j, &r, "");
        strcpy(d.serial, "SECOND");
        free(j);
    }
    struct memory csv = csv_of(file.bytes, file.len);
    const char *at = read_row(read_row(csv.bytes, &head), &row);
    EQ_STR(field(&head, &row, "serial"), "FIRST");
    free_row(&row);
    EQ(*read_row(at, &row), 0);
    EQ_STR(field(&head, &row, "serial"), "SECOND");
    free_row(&row);
    free_row(&head);
    memory_free(&csv);
    memory_free(&file);
}

static bool refuse_third(void *ctx, const char *bytes, size_t len)
{
    (void)bytes;
    (void)len;
    return ++*(unsigned *)ctx < 3;
}

TEST(a_refused_write_ends_the_rendering)
{
    struct memory text = sample_text(1);
    void (*const how[])(const char *, size_t, struct render_out *) = { render_csv, render_summary };

    for (unsigned i = 0; i < 2; i++) {
        unsigned writes = 0;
        struct render_out out = { .write = refuse_third, .ctx = &writes };
        how[i](text.bytes, text.len, &out);
        CHECK(out.failed);
        EQ(writes, 3);
    }
    memory_free(&text);
}

/* The percentiles are one row there, by its first and its last. */
TEST(every_column_stands_in_the_documentation)
{
    struct memory text = sample_text(1), csv = csv_of(text.bytes, text.len);
    char *docs = calloc(1, 1 << 16), quoted[64];
    FILE *f = fopen("docs/reports.md", "rb");
    struct row head;

    CHECK(f != NULL);
    CHECK(fread(docs, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    read_row(csv.bytes, &head);
    for (unsigned i = 0; i < head.count; i++) {
        bool between = !strncmp(head.field[i], "latency_p", 9) && strcmp(head.field[i], "latency_p1_ns") &&
                       strcmp(head.field[i], "latency_p99.9999_ns");

        snprintf(quoted, sizeof quoted, "`%s`", head.field[i]);
        if (!between && !strstr(docs, quoted))
            test_fail("docs/reports.md", 1, "does not explain the column %s", head.field[i]);
    }
    free_row(&head);
    free(docs);
    memory_free(&text);
    memory_free(&csv);
}
