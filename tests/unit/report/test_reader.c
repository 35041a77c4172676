#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"
#include "test.h"

struct counts {
    uint64_t lines, corrupt, missing, repeated, newer, stale;
};

static struct counts count(const char *text, size_t len)
{
    struct journal_reader r;
    struct journal_line l;
    uint64_t lines = 0, corrupt = 0;
    enum journal_read got;

    journal_reader_start(&r, text, len);
    while ((got = journal_reader_next(&r, &l)) != JOURNAL_END) {
        lines += got == JOURNAL_LINE;
        corrupt += got == JOURNAL_CORRUPT;
    }
    EQ(journal_reader_next(&r, &l), JOURNAL_END);
    EQ(r.lines, lines);
    EQ(r.corrupt_lines, corrupt);
    return (struct counts){ r.lines,          r.corrupt_lines, r.missing_lines,
                            r.repeated_lines, r.newer_lines,   r.stale_lines };
}

/* Frees what it counts. */
static struct counts count_all(struct memory *m)
{
    struct counts c = count(m->bytes, m->len);

    memory_free(m);
    return c;
}

static unsigned line_count(const struct memory *m)
{
    unsigned n = 0;

    for (size_t i = 0; i < m->len; i++)
        n += m->bytes[i] == '\n';
    return n;
}

/* The n-th line with its newline. */
static const char *nth_line(const struct memory *m, unsigned n, size_t *len)
{
    const char *at = m->bytes;

    while (n--)
        at = strchr(at, '\n') + 1;
    *len = (size_t)(strchr(at, '\n') + 1 - at);
    return at;
}

static void add_text(struct memory *m, const char *s) { memory_add(m, s, strlen(s)); }

static void add_lines(struct memory *to, const struct memory *from, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        size_t len;
        const char *line = nth_line(from, i, &len);
        memory_add(to, line, len);
    }
}

TEST(an_empty_text_and_one_without_journal_lines_have_none)
{
    EQ(count("", 0).lines, 0);
    static const char chatter[] = "BdsDxe: loading Boot0001\r\n{\"value\":1}\n{\"v\"";
    struct counts c = count(chatter, sizeof chatter - 1);
    EQ(c.lines + c.corrupt, 0);
}

TEST(a_whole_run_is_clean)
{
    struct memory m = sample_text(1);
    unsigned lines = line_count(&m);
    struct counts c = count_all(&m);

    EQ(c.lines, lines);
    EQ(c.corrupt + c.missing + c.repeated + c.newer + c.stale, 0);
}

TEST(a_preallocated_tail_of_blanks_or_nuls_or_ones_is_no_line)
{
    static const char fill[] = { ' ', 0, '\n', '\xff', '{' };

    for (unsigned i = 0; i < sizeof fill; i++) {
        struct memory m = sample_text(1);
        unsigned lines = line_count(&m);
        char *tail = malloc(100000);

        memset(tail, fill[i], 100000);
        memory_add(&m, tail, 100000);
        EQ(journal_end(m.bytes, m.len), m.len - 100000);
        struct counts c = count_all(&m);
        EQ(c.lines, lines);
        EQ(c.corrupt + c.missing + c.stale, 0);
        free(tail);
    }
}

TEST(what_an_earlier_longer_run_left_behind_is_not_read_as_a_run)
{
    struct memory file = { 0 }, new = sample_text(2);
    struct journal *j = journal_new(&file, 1);
    unsigned lines = line_count(&new);

    sample_run(j);
    for (unsigned i = 0; i < 50; i++)
        journal_log(j, 2, "the earlier run was longer");
    memcpy(file.bytes, new.bytes, new.len);
    EQ(journal_end(file.bytes, file.len), new.len);
    struct counts c = count_all(&file);
    EQ(c.lines, lines);
    EQ(c.corrupt + c.missing, 0);
    CHECK(c.stale >= 49);
    memory_free(&new);
    free(j);
}

TEST(a_torn_last_line_over_an_earlier_run_is_corrupt_and_the_rest_stale)
{
    struct memory old = sample_text(1), new = sample_text(2);
    size_t len, torn;
    const char *line = nth_line(&new, 20, &len);

    torn = (size_t)(line - new.bytes) + len / 2;
    memcpy(old.bytes, new.bytes, torn);
    EQ(journal_end(old.bytes, old.len), (size_t)(line - new.bytes));
    struct counts c = count_all(&old);
    EQ(c.lines, 20);
    EQ(c.corrupt, 1);
    EQ(c.missing, 0);
    CHECK(c.stale > 5);
    memory_free(&new);
}

TEST(two_runs_in_one_file_are_both_read)
{
    struct memory m = sample_text(1), second = sample_text(2);
    unsigned lines = line_count(&m);

    memory_add(&m, second.bytes, second.len);
    EQ(journal_end(m.bytes, m.len), m.len);
    struct counts c = count_all(&m);
    EQ(c.lines, 2 * lines);
    EQ(c.corrupt + c.missing + c.stale, 0);
    memory_free(&second);
}

TEST(a_second_run_whose_first_line_is_damaged_is_still_a_run)
{
    struct memory m = sample_text(1), second = sample_text(2);
    unsigned lines = line_count(&m);

    second.bytes[30] ^= 1;
    memory_add(&m, second.bytes, second.len);
    struct counts c = count_all(&m);
    EQ(c.lines, 2 * lines - 1);
    EQ(c.corrupt, 1);
    EQ(c.missing + c.stale, 0);
    memory_free(&second);
}

TEST(lost_lines_are_counted_as_missing)
{
    struct memory whole = sample_text(1), m = { 0 };
    unsigned lines = line_count(&whole);

    add_lines(&m, &whole, 0, 5);
    add_lines(&m, &whole, 8, 10);
    add_lines(&m, &whole, 11, lines);
    EQ(journal_end(m.bytes, m.len), (size_t)(strstr(m.bytes, "\"seq\":8,") - 32 - m.bytes));
    struct counts c = count_all(&m);
    EQ(c.lines, lines - 4);
    EQ(c.missing, 4);
    EQ(c.corrupt, 0);
    memory_free(&whole);
}

TEST(a_capture_that_began_late_lacks_its_first_lines)
{
    struct memory whole = sample_text(1), m = { 0 };

    add_text(&m, "chatter\r\n");
    add_lines(&m, &whole, 7, line_count(&whole));
    EQ(count_all(&m).missing, 7);
    memory_free(&whole);
}

TEST(a_damaged_line_is_corrupt_and_not_missing_too)
{
    struct memory m = sample_text(1);
    size_t len;
    char *line = (char *)nth_line(&m, 6, &len);

    line[len / 2] ^= 0x20;
    struct counts c = count_all(&m);
    EQ(c.corrupt, 1);
    EQ(c.missing, 0);
}

TEST(one_lost_line_that_shows_as_two_damaged_ones_is_not_missing)
{
    struct memory whole = sample_text(1), m = { 0 };

    add_lines(&m, &whole, 0, 6);
    add_text(&m, "{\"v\":1,\"run\":\"00000{\"v\":1,\"run\":\"000000000\n");
    add_lines(&m, &whole, 7, line_count(&whole));
    struct counts c = count_all(&m);
    EQ(c.corrupt, 2);
    EQ(c.missing, 0);
    memory_free(&whole);
}

TEST(every_single_flipped_bit_of_a_line_is_noticed)
{
    struct memory whole = sample_text(1), m = { 0 };
    size_t len;

    add_lines(&m, &whole, 0, 3);
    const char *line = nth_line(&m, 1, &len);
    size_t at = (size_t)(line - m.bytes);
    for (size_t i = 0; i + 1 < len; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            m.bytes[at + i] ^= (char)(1 << bit);
            struct counts c = count(m.bytes, m.len);
            EQ(c.lines, 2);
            EQ(c.corrupt + c.missing, 1);
            m.bytes[at + i] ^= (char)(1 << bit);
        }
    memory_free(&m);
    memory_free(&whole);
}

TEST(a_serial_capture_with_chatter_escapes_and_crlf_is_read)
{
    struct memory whole = sample_text(1), m = { 0 };
    unsigned lines = line_count(&whole);

    add_text(&m, "\x1b[2J\x1b[01;01HBdsDxe: starting Boot0001 \"UEFI\" from PciRoot(0x0)\r\n");
    for (unsigned i = 0; i < lines; i++) {
        size_t len;
        const char *line = nth_line(&whole, i, &len);

        add_text(&m, i % 3 == 0 ? "\x1b[0m\x1b[37m" : i % 3 == 1 ? "watchdog: " : "");
        memory_add(&m, line, len - 1);
        add_text(&m, i % 4 == 0   ? "\x1b[K\r\nsata0: link up\r\n"
                     : i % 4 == 1 ? "\r\n"
                     : i % 4 == 2 ? "\r\r\n"
                                  : "");
    }
    struct counts c = count_all(&m);
    EQ(c.lines, lines);
    EQ(c.corrupt + c.missing, 0);
    memory_free(&whole);
}

TEST(a_line_broken_by_other_output_is_corrupt_alone)
{
    struct memory whole = sample_text(1), m = { 0 };
    unsigned lines = line_count(&whole);
    size_t len;
    const char *line = nth_line(&whole, 9, &len);

    add_lines(&m, &whole, 0, 9);
    memory_add(&m, line, 60);
    add_text(&m, "\r\n!!!! X64 Exception Type - 0E {\"v\" !!!!\r\n");
    memory_add(&m, line + 60, len - 60);
    add_lines(&m, &whole, 10, lines);
    struct counts c = count_all(&m);
    EQ(c.lines, lines - 1);
    EQ(c.corrupt, 1);
    EQ(c.missing, 0);
    memory_free(&whole);
}

TEST(a_run_that_starts_in_the_middle_of_another_ones_line_is_read)
{
    struct memory whole = sample_text(1), second = sample_text(2), m = { 0 };
    unsigned lines = line_count(&whole);
    size_t len;
    const char *line = nth_line(&whole, 9, &len);

    add_lines(&m, &whole, 0, 9);
    memory_add(&m, line, len / 2);
    memory_add(&m, second.bytes, second.len);
    struct counts c = count_all(&m);
    EQ(c.lines, 9 + lines);
    EQ(c.corrupt, 1);
    EQ(c.missing, 0);
    memory_free(&whole);
    memory_free(&second);
}

TEST(lines_that_come_twice_count_once)
{
    struct memory whole = sample_text(1), m = { 0 };

    add_lines(&m, &whole, 0, 10);
    add_lines(&m, &whole, 5, line_count(&whole));
    struct counts c = count_all(&m);
    EQ(c.lines, line_count(&whole));
    EQ(c.repeated, 5);
    EQ(c.missing + c.corrupt, 0);
    memory_free(&whole);
}

TEST(a_text_cut_anywhere_has_all_whole_lines_and_at_most_one_corrupt)
{
    struct memory m = sample_text(1);
    unsigned lines = 0;

    for (size_t cut = 0; cut < m.len; cut++) {
        char *exact = malloc(cut ? cut : 1);

        memcpy(exact, m.bytes, cut);
        lines += cut && m.bytes[cut - 1] == '\n';
        if (cut % 7 == 0 || m.bytes[cut] == '\n' || (cut && m.bytes[cut - 1] == '\n')) {
            struct counts c = count(exact, cut);
            /* A last line that lacks nothing but its newline counts. */
            EQ(c.lines, lines + (m.bytes[cut] == '\n'));
            CHECK(c.corrupt <= 1);
            EQ(c.missing, 0);
        }
        free(exact);
    }
    memory_free(&m);
}

/* A line with a right checksum, whatever it says. */
static void add_sealed(struct memory *m, const char *body)
{
    uint32_t crc32c(uint32_t, const void *, size_t);
    char tail[24];

    memory_add(m, body, strlen(body));
    snprintf(tail, sizeof tail, ",\"crc\":\"%08x\"}\n", crc32c(0, body, strlen(body)));
    memory_add(m, tail, strlen(tail));
}

TEST(unknown_kinds_and_keys_pass_and_a_newer_version_is_reported)
{
    struct memory m = { 0 };

    add_sealed(
        &m,
        "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":0,\"t_ns\":1,\"ev\":\"temperature\",\"milli_c\":[1,2]");
    add_sealed(
        &m,
        "{\"v\":2,\"run\":\"0000000000000001\",\"seq\":1,\"t_ns\":1,\"ev\":\"a-kind-with-a-very-long-name\"");
    add_sealed(
        &m,
        "{\"v\":18446744073709551615,\"zz\":{\"x\":{}},\"run\":\"0000000000000001\",\"seq\":2,\"t_ns\":1,\"ev\":\"\"");
    struct counts c = count_all(&m);
    EQ(c.lines, 3);
    EQ(c.newer, 2);
    EQ(c.corrupt + c.missing, 0);
}

TEST(a_line_with_a_right_checksum_and_wrong_members_is_corrupt)
{
    static const char *const bodies[] = {
        "{\"v\":1,\"run\":\"1\",\"seq\":0,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":1,\"run\":\"000000000000000g\",\"seq\":0,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":1,\"run\":\"00000000000000001\",\"seq\":0,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":1,\"run\":1,\"seq\":0,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":1,\"seq\":0,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":\"1\",\"run\":\"0000000000000001\",\"seq\":0,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":-1,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":18446744073709551616,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":1.0,\"t_ns\":1,\"ev\":\"log\"",
        "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":1,\"ev\":\"log\"",
        "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":1,\"t_ns\":1",
        "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":1,\"t_ns\":1,\"ev\":7",
        "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":1,\"t_ns\":1,\"ev\":\"log\",",
        "{\"v\":1",
    };

    for (unsigned i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct memory m = { 0 };
        add_sealed(&m, bodies[i]);
        struct counts c = count_all(&m);
        EQ(c.corrupt, 1);
        EQ(c.lines, 0);
    }
}

TEST(the_last_sequence_number_there_is_does_not_wrap)
{
    struct memory m = { 0 };

    add_sealed(
        &m, "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":18446744073709551615,\"t_ns\":1,\"ev\":\"log\"");
    add_sealed(&m, "{\"v\":1,\"run\":\"0000000000000001\",\"seq\":0,\"t_ns\":1,\"ev\":\"log\"");
    struct counts c = count_all(&m);
    EQ(c.lines, 1);
    EQ(c.missing, UINT64_MAX);
    EQ(c.repeated, 1);
}

TEST(a_line_without_its_newline_is_not_yet_in_the_file)
{
    struct memory m = sample_text(1);
    size_t len, all = m.len;
    const char *last = nth_line(&m, line_count(&m) - 1, &len);

    EQ(journal_end(m.bytes, all - 1), (size_t)(last - m.bytes));
    EQ(journal_end(m.bytes, all), all);
    EQ(journal_end(m.bytes, 0), 0);
    EQ(journal_end(" ", 1), 0);
    memory_free(&m);
}

TEST(journal_end_stops_at_a_damaged_line)
{
    struct memory m = sample_text(1);
    size_t len;
    const char *line = nth_line(&m, 12, &len);
    size_t at = (size_t)(line - m.bytes);

    m.bytes[at + len / 2] ^= 1;
    EQ(journal_end(m.bytes, m.len), at);
    memory_free(&m);
}

TEST(series_can_be_passed_over_unread)
{
    struct memory m = sample_text(1);
    struct journal_reader r;
    struct journal_line l;
    uint64_t lines = 0;

    journal_reader_start(&r, m.bytes, m.len);
    r.skip_series = true;
    for (; journal_reader_next(&r, &l) == JOURNAL_LINE; lines++)
        CHECK(strcmp(l.ev, "series"));
    EQ(lines, line_count(&m) - 1);
    memory_free(&m);
}
