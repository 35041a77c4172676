#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "golden.h"
#include "markup.h"
#include "math.h"
#include "runs.h"
#include "showcase.h"
#include "test.h"

/* Renders, and reads the markup strictly. */
static struct memory page_of(const char *text, size_t len)
{
    struct memory page = rendered(render_html, text, len);
    struct markup m;

    markup_read(&m, page.bytes, page.len);
    if (m.wrong)
        test_fail(__FILE__, __LINE__, "%s: ...%.200s", m.wrong,
                  m.at - page.bytes > 100 ? m.at - 100 : page.bytes);
    HAS_STR(page.bytes, "Content-Security-Policy");
    HAS_STR(page.bytes, "</html>\n");
    return page;
}

static unsigned count_of(const struct memory *m, const char *part)
{
    unsigned n = 0;

    for (const char *at = strstr(m->bytes, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

TEST(the_page_of_the_sample_is_the_golden_one)
{
    struct memory text = sample_text(0x0123456789abcdef), page = page_of(text.bytes, text.len);

    check_golden("report/report.html", page.bytes, page.len);
    memory_free(&page);
    memory_free(&text);
}

TEST(the_showcase_has_every_kind_of_chart)
{
    static const char *const charts[] = { "Throughput by block size",     "Requests per second by block size",
                                          "Requests per second by depth", "Latency percentiles",
                                          "Transfer curve over the disk", "Over time: rand-4k-qd64",
                                          "Temperature over time" };
    struct memory text = showcase_text(), page = page_of(text.bytes, text.len);

    check_golden("report/showcase.journal.ndjson", text.bytes, text.len);
    for (unsigned i = 0; i < ARRAY_COUNT(charts); i++)
        HAS_STR(page.bytes, charts[i]);
    EQ(count_of(&page, "<svg class=\"plot\""), 27);
    EQ(count_of(&page, "<figure>"), 27);
    EQ(count_of(&page, "<summary>Values</summary>"), 27);
    CHECK(page.len < 600000);
    memory_free(&page);
    memory_free(&text);
}

static struct memory heat_page(const char *health, unsigned step_started, unsigned lines, const char *members)
{
    struct memory text = { 0 }, page;
    char start[80];

    append_line(&text, 1, 0, "\"ev\":\"run_start\"");
    append_line(&text, 1, 1, "\"ev\":\"disk\",\"name\":\"d\"");
    append_line(&text, 1, 2, health);
    snprintf(start, sizeof start, "\"ev\":\"step_start\",\"step\":%u", step_started);
    append_line(&text, 1, 3, start);
    for (unsigned i = 0; i < lines; i++)
        append_line(&text, 1, 4 + i, members);
    page = page_of(text.bytes, text.len);
    memory_free(&text);
    return page;
}

static const char warns_at_70[] =
    "\"ev\":\"health\",\"disk\":\"d\",\"when\":\"before\",\"values\":{\"temperature_warning_c\":70}";

TEST(temperatures_stand_on_the_runs_time_beside_the_drives_own_limit)
{
    struct memory page =
        heat_page(warns_at_70, 1, 1,
                  "\"ev\":\"temperature\",\"disk\":\"d\",\"step\":1,\"looks\":4,\"slowed\":1,"
                  "\"at_ms\":[0,61000,120000,7],\"celsius\":[-3,40,9000,\"x\"]");

    EQ(count_of(&page, "<svg class=\"plot\""), 1);
    HAS_STR(page.bytes, "0.003 s, step 1: -3 \xc2\xb0"
                        "C, slowed itself down");
    HAS_STR(page.bytes, "61.003 s, step 1: 40 \xc2\xb0"
                        "C, slowed itself down");
    HAS_STR(page.bytes, "its own limit for a warning: 70 \xc2\xb0"
                        "C");
    EQ(count_of(&page, "while it slowed itself down"), 1);
    /* Nonsense is not drawn, and stands in the table as it is. */
    EQ(count_of(&page, "9000"), 1);
    HAS_STR(page.bytes, "<td>120.000</td><td>9000</td>");
    EQ(count_of(&page, "slowed itself down</td>"), 3);
    memory_free(&page);
}

TEST(temperatures_of_a_step_whose_beginning_is_lost_are_in_the_table_only)
{
    struct memory page = heat_page(warns_at_70, 2, 1,
                                   "\"ev\":\"temperature\",\"disk\":\"d\",\"step\":1,\"looks\":1,"
                                   "\"slowed\":0,\"at_ms\":[500],\"celsius\":[33]");

    EQ(count_of(&page, "<svg class=\"plot\""), 0);
    HAS_STR(page.bytes, "<td>0.500</td><td>33</td>");
    HAS_STR(page.bytes, "when their steps began");
    memory_free(&page);
}

TEST(many_temperatures_are_drawn_as_the_warmest_of_a_few)
{
    struct memory page = heat_page("\"ev\":\"log\"", 1, 500,
                                   "\"ev\":\"temperature\",\"disk\":\"d\",\"step\":1,\"looks\":2,"
                                   "\"slowed\":0,\"at_ms\":[500,900],\"celsius\":[33,34]");

    EQ(count_of(&page, ": 34 \xc2\xb0"), 200);
    EQ(count_of(&page, ": 33 \xc2\xb0"), 0);
    EQ(count_of(&page, "<td>33</td>"), 500);
    EQ(count_of(&page, "limit for a warning"), 0);
    memory_free(&page);
}

TEST(temperatures_without_two_arrays_of_numbers_break_nothing)
{
    static const char *const lines[] = {
        "\"ev\":\"temperature\",\"disk\":\"d\",\"step\":1",
        "\"ev\":\"temperature\",\"disk\":\"d\",\"step\":1,\"at_ms\":7,\"celsius\":[1]",
        "\"ev\":\"temperature\",\"disk\":\"d\",\"step\":1,\"at_ms\":[],\"celsius\":[1]",
        "\"ev\":\"temperature\",\"disk\":\"d\",\"step\":1,\"at_ms\":[18446744073709551615],\"celsius\":[1]",
    };

    for (unsigned i = 0; i < ARRAY_COUNT(lines); i++) {
        struct memory page = heat_page(warns_at_70, 1, 1, lines[i]);

        EQ(count_of(&page, "<svg class=\"plot\""), 0);
        HAS_STR(page.bytes, "</html>");
        memory_free(&page);
    }
}

TEST(health_links_cards_and_policies_have_their_places)
{
    static const char *const parts[] = {
        "Temperature</th><td>38 \xc2\xb0"
        "C</td><td>71 \xc2\xb0"
        "C</td><td>+33</td>",
        "Pending sectors</th><td>1</td><td>3</td><td><span class=\"chip odd\">+2</span></td>",
        ("<td>\xe2\x89\xa5\xc2\xa0"
         "9\xe2\x80\xaf"
         "223"), /* that or more */
        "<span class=\"chip bad\">failure_expected</span>",
        "<span class=\"chip odd\">Gen3\xc2\xa0x2</span></td><td class=\"l\">Gen4\xc2\xa0x4</td>",
        "seen idle only",
        "drive cache on <span class=\"chip odd\">set up as</span> write back, read ahead, direct I/O",
        "<span class=\"chip odd\">degraded</span>",
        "<td>32:3</td>",
        ("<span class=\"chip odd\">600</span> of 1\xe2\x80\xaf"
         "200"),
        "MM-F----",
        "link Gen3 x2, possible Gen4 x4, slot 7",
        "Settings: write cache on, power state 0 (found 2), 8 queues",
    };
    struct memory text = showcase_text(), page = page_of(text.bytes, text.len);

    for (unsigned i = 0; i < ARRAY_COUNT(parts); i++)
        HAS_STR(page.bytes, parts[i]);
    memory_free(&page);
    memory_free(&text);
}

TEST(a_tree_with_lost_lines_is_closed_all_the_same)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    static const unsigned depths[] = { 5, 6, 0, 3, 4294967295u, 1, 1, 2, 0 };

    for (unsigned i = 0; i < ARRAY_COUNT(depths); i++)
        journal_topology(j, &(struct topology_info){ depths[i], "port", "", "0000:00:01.0", "" });
    for (unsigned i = 0; i < 40; i++)
        journal_topology(j, &(struct topology_info){ i, "port", "", "", "deep" });
    struct memory page = page_of(file.bytes, file.len);
    EQ(count_of(&page, "<li>port"), 49);
    memory_free(&page);
    memory_free(&file);
    free(j);
}

TEST(what_a_device_says_is_text_and_never_markup)
{
    struct memory text = showcase_text(), page = page_of(text.bytes, text.len);

    CHECK(!contains(&page, "<script"));
    CHECK(!contains(&page, "<b>&"));
    HAS_STR(page.bytes, "INTEL SSDSC2BB240G4 &lt;b&gt;&amp;&quot;x&quot;&lt;/b&gt;");
    HAS_STR(page.bytes, "something &lt;script&gt;alert(1)&lt;/script&gt; new");
    HAS_STR(page.bytes, "abgenommen \xc3\xbc"
                        "ber Nacht");
    memory_free(&page);
    memory_free(&text);
}

TEST(characters_that_play_tricks_are_question_marks)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);

    journal_not_tested(j, "d", "",
                       "a\xe2\x80\xae"
                       "b\xc2\x85"
                       "c\xef\xbb\xbf"
                       "d\xe2\x80\x8b"
                       "e\x01"
                       "f\xef\xbf\xbe"
                       "g\xf0\x9f\x92\xbe");
    struct memory page = page_of(file.bytes, file.len);
    HAS_STR(page.bytes, "<dd>a?b?c?d?e?f?g\xf0\x9f\x92\xbe</dd>");
    memory_free(&page);
    memory_free(&file);
    free(j);
}

/* ---- digits ---- */
static const char *const exact_keys[] = {
    "step",
    "block_bytes",
    "command_bytes",
    "depth_asked",
    "depth",
    "first_lba",
    "span_lbas",
    "ios",
    "bytes",
    "errors",
    "retries",
    "run_ns",
    "ramp_ns",
    "held_ns",
    "busy_ns",
    "longest_poll_gap_ns",
    "latency_min_ns",
    "latency_mean_ns",
    "latency_stddev_ns",
    "latency_max_ns",
    "bytes_per_s",
    "first_third_bytes_per_s",
    "last_third_bytes_per_s",
    "iops_milli",
    "wrapped",
    "seq",
};

static void digits_of(const struct journal_line *l, const char *key, char out[32])
{
    struct json_value v;

    if (event_u64(l, "errors") > 100 &&
        (strstr(key, "bytes_per_s") || strstr(key, "latency_") || strstr(key, "milli"))) {
        strcpy(out, "too short"); /* the sample's one cell that is flagged so */
        return;
    }
    CHECK(json_member(&l->body, key, &v) && v.kind == JSON_NUMBER);
    snprintf(out, 32, "%.*s", (int)v.len, v.at);
    if (strstr(key, "_third_") && !strcmp(out, "0"))
        out[0] = 0; /* not told */
}

/* The row of the page's table of all digits, built here from the journal's own. */
static void check_exact_row(const struct memory *page, const struct journal_line *l)
{
    char row[2000], job[48], rw[16], digits[32];
    int n;

    json_str(&l->body, "job", job, sizeof job);
    json_str(&l->body, "rw", rw, sizeof rw);
    n = snprintf(row, sizeof row, "<td>%s</td>", job);
    for (unsigned i = 0; i < ARRAY_COUNT(exact_keys); i++) {
        digits_of(l, exact_keys[i], digits);
        n += snprintf(row + n, sizeof row - (size_t)n, "<td>%s</td>", digits);
        if (!i)
            n += snprintf(row + n, sizeof row - (size_t)n, "<td>%s</td>", rw);
    }
    HAS_STR(page->bytes, row);
    digits_of(l, "bytes_per_s", digits);
    snprintf(row, sizeof row, digits[0] == 't' ? ">%s<" : "<data value=\"%s\">", digits);
    HAS_STR(page->bytes, row);
}

static void check_json(const struct memory *json, const struct journal_line *l)
{
    char part[200], digits[32], job[48];
    const char *at;

    json_str(&l->body, "job", job, sizeof job);
    digits_of(l, "seq", digits);
    snprintf(part, sizeof part, "\"step_end\":{\"seq\":%s,", digits);
    at = strstr(json->bytes, part);
    CHECK(at != NULL);
    while (strncmp(at, "\"jobname\"", 9))
        at--;
    snprintf(part, sizeof part, "\"jobname\":\"%s\"", job);
    CHECK(!strncmp(at, part, strlen(part)));
    digits_of(l, "bytes_per_s", digits);
    snprintf(part, sizeof part, "\"bw_bytes\":%s,", digits);
    CHECK(strstr(at, part) && strstr(at, part) - at < 600);
    digits_of(l, "iops_milli", digits);
    snprintf(part, sizeof part, "\"iops\":%.*s.%s000,", (int)strlen(digits) - 3, digits,
             digits + strlen(digits) - 3);
    CHECK(strstr(at, part) && strstr(at, part) - at < 600);
    digits_of(l, "latency_max_ns", digits);
    snprintf(part, sizeof part, "\"max\":%s,", digits);
    CHECK(strstr(at, part) && strstr(at, part) - at < 1200);
}

static void check_csv(const struct memory *csv, const struct journal_line *l)
{
    char part[200], a[32], b[32];

    digits_of(l, "bytes_per_s", a);
    digits_of(l, "iops_milli", b);
    snprintf(part, sizeof part, ",%s,%s,", a, b);
    HAS_STR(csv->bytes, part);
}

TEST(page_json_and_csv_have_the_digits_of_the_journal)
{
    struct memory text = showcase_text(), page = page_of(text.bytes, text.len),
                  json = rendered(render_fio_json, text.bytes, text.len), csv = csv_of(text.bytes, text.len);
    struct journal_reader r;
    struct journal_line l;
    unsigned cells = 0;

    journal_reader_start(&r, text.bytes, text.len);
    while (journal_reader_next(&r, &l) == JOURNAL_LINE) {
        if (strcmp(l.ev, "step_end"))
            continue;
        check_exact_row(&page, &l);
        check_json(&json, &l);
        check_csv(&csv, &l);
        cells++;
    }
    EQ(cells, 80);
    memory_free(&csv);
    memory_free(&json);
    memory_free(&page);
    memory_free(&text);
}

/* ---- cut short ---- */
static void check_cut(const struct memory *whole, size_t cut)
{
    struct memory part = { 0 };

    memory_add(&part, whole->bytes, cut);
    struct memory page = page_of(part.bytes, part.len);
    if (cut < whole->len - 1 && !strchr(part.bytes, '\n')) {
        HAS_STR(page.bytes, "NOT-TESTED");
    } else if (cut < whole->len - 1) {
        HAS_STR(page.bytes, "the run did not finish: last event ");
        HAS_STR(page.bytes, "<h2>Read this first</h2>");
    } else {
        CHECK(!contains(&page, "did not finish"));
    }
    memory_free(&page);
    memory_free(&part);
}

TEST(a_journal_cut_anywhere_gives_a_page_that_says_what_is_missing)
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

TEST(numbers_of_a_drive_whose_description_was_lost_have_a_section)
{
    struct memory text = showcase_text();
    char *at = strstr(text.bytes, "\"ev\":\"disk\",\"name\":\"nvme0n1\"");

    at[7] = 'D'; /* its checksum is wrong now */
    struct memory page = page_of(text.bytes, text.len);
    HAS_STR(page.bytes, "its description is missing from the journal");
    HAS_STR(page.bytes, "Requests per second by depth");
    HAS_STR(page.bytes, "1 line of the journal is damaged");
    memory_free(&page);
    memory_free(&text);
}

/* ---- lines that the page does not know ---- */
TEST(lines_of_unknown_kinds_stand_in_tables_beside_their_drive)
{
    struct memory text = sample_text(1);
    uint64_t seq = 1000;

    append_line(
        &text, 1, seq++,
        "\"ev\":\"mood\",\"disk\":\"nvme0n1\",\"when\":\"before\",\"temperature_c\":41,\"note\":\"<ok>\"");
    append_line(
        &text, 1, seq++,
        "\"ev\":\"mood\",\"disk\":\"nvme0n1\",\"when\":\"after\",\"temperature_c\":67,\"note\":\"hot\"");
    append_line(&text, 1, seq++, "\"ev\":\"weather\",\"port\":\"0000:00:01.0\",\"width\":4");
    struct memory page = page_of(text.bytes, text.len);
    HAS_STR(page.bytes, "<h3>mood</h3>");
    HAS_STR(page.bytes, "temperature_c</th><td>41</td><td>67</td>");
    HAS_STR(page.bytes, "<td>&lt;ok&gt;</td>");
    HAS_STR(page.bytes, "<h3>weather</h3>");
    EQ(count_of(&page, "<h3>mood</h3>"), 1);
    memory_free(&page);
    memory_free(&text);
}

/* ---- extremes ---- */
TEST(the_largest_numbers_and_longest_texts_give_a_sound_page)
{
    struct memory text = { 0 };
    struct journal *j = journal_new(&text, UINT64_MAX);
    struct step_result r = extreme_result();
    uint64_t big[40];
    struct series_view series = { UINT64_MAX, 40, big, big, big, sizeof big[0], NULL };
    struct disk_info d;
    char longest[3000];

    memset(&d, 'M', sizeof d);
    d.name[0] = 0;
    memset(big, 0xff, sizeof big);
    memset(longest, '<', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    journal_conf(j, longest, 1, longest);
    journal_disk(j, &d);
    snprintf(d.name, sizeof d.name, "%s", r.disk);
    journal_disk(j, &d);
    journal_step_end(j, &r, longest);
    journal_series(j, r.step, r.disk, r.job, &series);
    for (unsigned i = 0; i < 40; i++) {
        r.block_bytes = i ? 1u << (i % 32) : 0;
        r.depth = (uint16_t)(i * 1000);
        r.run_ns = i & 1 ? 1 : UINT64_MAX;
        r.first_lba = i * (UINT64_MAX / 64);
        r.span_lbas = i;
        snprintf(r.rw, sizeof r.rw, i % 3 ? "read" : "randread");
        journal_step_end(j, &r, "");
        series.interval_ns = i;
        journal_series(j, r.step, r.disk, r.job, &series);
    }
    struct memory page = page_of(text.bytes, text.len);
    CHECK(!contains(&page, longest));
    memory_free(&page);
    memory_free(&text);
    free(j);
}

TEST(more_measurements_than_are_kept_for_charts_are_all_in_the_table)
{
    struct memory text = { 0 };
    struct journal *j = journal_new(&text, 1);
    struct disk_info d = { .name = "d0", .lba_bytes = 512, .lba_count = 1000000 };
    struct step_result r = { .disk = "d0",
                             .rw = "read",
                             .block_bytes = 4096,
                             .ios = 1000,
                             .bytes = 4096000,
                             .run_ns = NS_PER_S,
                             .depth = 1 };

    journal_disk(j, &d);
    for (unsigned i = 0; i < 600; i++) {
        snprintf(r.job, sizeof r.job, "job-%u", i);
        r.first_lba = i * 1000;
        r.span_lbas = 100;
        journal_step_end(j, &r, "");
    }
    struct memory page = page_of(text.bytes, text.len);
    EQ(count_of(&page, "<th scope=\"row\">job-"), 600);
    HAS_STR(page.bytes, "job-599");
    HAS_STR(page.bytes, "Transfer curve over the disk");
    memory_free(&page);
    memory_free(&text);
    free(j);
}

TEST(more_drives_than_are_shown_are_counted)
{
    struct memory text = { 0 };
    struct journal *j = journal_new(&text, 1);
    struct disk_info d = { .lba_bytes = 512 };

    for (unsigned i = 0; i < 300; i++) {
        snprintf(d.name, sizeof d.name, "nvme%un1", i);
        journal_disk(j, &d);
    }
    struct memory page = page_of(text.bytes, text.len);
    HAS_STR(page.bytes, "44 more drives are not shown here");
    memory_free(&page);
    memory_free(&text);
    free(j);
}

TEST(a_text_without_a_journal_gives_a_page_that_says_so)
{
    struct memory page = page_of("", 0);

    HAS_STR(page.bytes, "There is no journal here");
    memory_free(&page);
    page = page_of("\n{\"v\":1,broken\n", 15);
    HAS_STR(page.bytes, "1 line of a journal is damaged");
    memory_free(&page);
}

TEST(two_runs_are_two_articles_with_ids_of_their_own)
{
    struct memory text = sample_text(1), second = sample_text(2);

    memory_add(&text, second.bytes, second.len);
    struct memory page = page_of(text.bytes, text.len);
    EQ(count_of(&page, "id=\"r1d0\""), 1);
    EQ(count_of(&page, "id=\"r2d0\""), 1);
    HAS_STR(page.bytes, "href=\"#r2d1\"");
    memory_free(&page);
    memory_free(&text);
    memory_free(&second);
}

static bool refuse_third(void *ctx, const char *bytes, size_t len)
{
    (void)bytes;
    (void)len;
    return ++*(unsigned *)ctx < 3;
}

TEST(a_refused_write_ends_page_json_and_junit)
{
    struct memory text = showcase_text();
    void (*const how[])(const char *, size_t, struct render_out *) = { render_html, render_fio_json,
                                                                       render_junit };

    for (unsigned i = 0; i < ARRAY_COUNT(how); i++) {
        unsigned writes = 0;
        struct render_out out = { .write = refuse_third, .ctx = &writes };
        how[i](text.bytes, text.len, &out);
        CHECK(out.failed);
        EQ(writes, 3);
    }
    memory_free(&text);
}
