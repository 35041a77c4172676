#include <stdlib.h>
#include <string.h>
#include "math.h"
#include "golden.h"
#include "sample.h"
#include "test.h"

TEST(the_summary_of_the_sample_is_the_golden_one)
{
    struct memory text = sample_text(0x0123456789abcdef), page = summary_of(text.bytes, text.len);

    check_golden("report/sample.journal.ndjson", text.bytes, text.len);
    check_golden("report/summary.txt", page.bytes, page.len);
    memory_free(&page);
    memory_free(&text);
}

/* 79 columns of printable ASCII, whatever the journal holds. */
static void check_form(const struct memory *page)
{
    size_t column = 0;

    for (size_t i = 0; i < page->len; i++) {
        if (page->bytes[i] == '\n') {
            CHECK(!i || page->bytes[i - 1] != ' ');
            column = 0;
            continue;
        }
        CHECK(page->bytes[i] >= 0x20 && page->bytes[i] <= 0x7e);
        if (++column > 79)
            test_fail(__FILE__, __LINE__, "a line is too long: %.100s", page->bytes + i - 79);
    }
    EQ(column, 0);
}

static struct memory page_of(const struct memory *text)
{
    struct memory page = summary_of(text->bytes, text->len);

    check_form(&page);
    return page;
}

TEST(the_summary_of_nothing_says_so)
{
    struct memory page = summary_of("", 0);

    check_form(&page);
    HAS_STR(page.bytes, "NOT-TESTED  nothing was measured");
    memory_free(&page);
    page = summary_of("\n{\"v\":1,broken\n", 15);
    HAS_STR(page.bytes, "1 line of a journal is damaged");
    memory_free(&page);
}

/* ---- cut short ---- */
static void check_cut(const struct memory *whole, size_t cut)
{
    struct memory part = { 0 };

    memory_add(&part, whole->bytes, cut);
    struct memory page = page_of(&part);
    if (cut < strcspn(whole->bytes, "\n")) {
        HAS_STR(page.bytes, "NOT-TESTED");
    } else if (cut < whole->len - 1) {
        HAS_STR(page.bytes, "the run did not finish: last event ");
        CHECK(!strncmp(page.bytes, "ABORTED  the run did not finish", 31) ||
              !strncmp(page.bytes, "FAIL  the run did not finish", 28));
    } else {
        CHECK(!contains(&page, "did not finish"));
    }
    memory_free(&page);
    memory_free(&part);
}

TEST(a_journal_cut_at_every_line_says_that_the_run_did_not_finish)
{
    struct memory text = sample_text(1);

    for (size_t i = 0; i <= text.len; i++)
        if (!i || text.bytes[i - 1] == '\n')
            check_cut(&text, i);
    memory_free(&text);
}

TEST(a_journal_cut_at_200_random_bytes_says_what_is_missing)
{
    struct memory text = sample_text(1);
    struct rng rng;

    rng_seed(&rng, 20261130);
    for (unsigned i = 0; i < 200; i++)
        check_cut(&text, (size_t)mul_high_u64(rng_next(&rng), text.len));
    memory_free(&text);
}

TEST(a_cut_run_names_the_last_event_and_step_and_keeps_a_failure)
{
    struct memory text = sample_text(1);

    text.len = (size_t)(strstr(text.bytes, "\"ev\":\"log\"") - text.bytes - 60);
    text.bytes[text.len] = 0;
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "ABORTED  the run did not finish: 1 drive tested, 2 not tested");
    HAS_STR(page.bytes, "last step \"random read 4 KiB QD 32\"");
    HAS_STR(page.bytes, "-- nvme0n1  no verdict in this journal --");
    memory_free(&page);
    memory_free(&text);

    text = sample_text(1);
    text.len = (size_t)(strstr(text.bytes, "\"ev\":\"disk_verdict\"") - text.bytes - 60);
    text.bytes[text.len] = 0;
    page = page_of(&text);
    HAS_STR(page.bytes, "FAIL  the run did not finish: 2 drives tested, 1 not tested");
    memory_free(&page);
    memory_free(&text);
}

/* Takes out the first line that has `part`. */
static void drop_line(struct memory *m, const char *part)
{
    char *at = strstr(m->bytes, part), *end = strchr(at, '\n') + 1;

    while (at > m->bytes && at[-1] != '\n')
        at--;
    memmove(at, end, (size_t)(m->bytes + m->len - end) + 1);
    m->len -= (size_t)(end - at);
}

TEST(what_was_not_tested_is_named_by_its_disk_its_job_or_both)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);

    journal_not_tested(j, "d", "a", "first");
    journal_not_tested(j, "d", "", "second");
    journal_not_tested(j, "", "a", "third");
    struct memory page = page_of(&file);
    HAS_STR(page.bytes, "\n  d, a: first\n");
    HAS_STR(page.bytes, "\n  d: second\n");
    HAS_STR(page.bytes, "\n  a: third\n");
    memory_free(&page);
    memory_free(&file);
    free(j);
}

TEST(missing_and_damaged_lines_are_named_with_their_number)
{
    struct memory text = sample_text(1);

    drop_line(&text, "\"ev\":\"checkpoint\"");
    drop_line(&text, "\"ev\":\"log\"");
    strstr(text.bytes, "\"ev\":\"plan\"")[7] ^= 1;
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "! 2 lines are missing from the journal");
    HAS_STR(page.bytes, "! 1 line of the journal is damaged and was not read");
    memory_free(&page);
    memory_free(&text);
}

TEST(numbers_of_a_drive_whose_description_was_lost_are_shown)
{
    struct memory text = sample_text(1);

    drop_line(&text, "\"name\":\"nvme0n1\"");
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "-- nvme0n1  its description is missing from the journal");
    HAS_STR(page.bytes, "3212.0");
    HAS_STR(page.bytes, "nvme0n1: from-the-future");
    memory_free(&page);
    memory_free(&text);
}

TEST(numbers_of_a_drive_that_is_described_late_are_shown)
{
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);
    struct step_result r = extreme_result();
    struct disk_info d = { .name = "late" };

    strcpy(r.disk, "late");
    strcpy(r.job, "late-job");
    journal_step_end(j, &r, "");
    journal_disk(j, &d);
    journal_step_end(j, &r, "");
    struct memory page = page_of(&file);
    const char *first = strstr(page.bytes, "late-job");
    CHECK(first && strstr(first + 1, "late-job"));
    memory_free(&page);
    memory_free(&file);
    free(j);
}

TEST(a_lost_run_start_leaves_the_rest)
{
    struct memory text = sample_text(1);

    drop_line(&text, "\"ev\":\"run_start\"");
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "the beginning of this run is missing");
    HAS_STR(page.bytes, "Machine   not known");
    HAS_STR(page.bytes, "FAIL  2 drives tested, 1 not tested");
    memory_free(&page);
    memory_free(&text);
}

TEST(remains_of_an_earlier_run_are_left_out_and_said)
{
    struct memory text = sample_text(2), old = sample_text(1);
    size_t from = (size_t)(strstr(old.bytes, "\"ev\":\"log\"") - old.bytes);

    memory_add(&text, old.bytes + from, old.len - from);
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "lines of an earlier run, left out");
    CHECK(!contains(&page, "another run"));
    CHECK(!contains(&page, "0000000000000001"));
    memory_free(&page);
    memory_free(&text);
    memory_free(&old);
}

TEST(two_runs_are_two_pages)
{
    struct memory text = sample_text(1), second = sample_text(2);

    memory_add(&text, second.bytes, second.len);
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "0000000000000001");
    HAS_STR(page.bytes, "===== another run in the same journal =====\n\nFAIL  2 drives tested, 1 not tested");
    HAS_STR(page.bytes, "0000000000000002");
    memory_free(&page);
    memory_free(&text);
    memory_free(&second);
}

/* ---- extremes ---- */
TEST(the_largest_numbers_and_longest_names_stay_within_the_page)
{
    struct memory text = { 0 };
    struct journal *j = journal_new(&text, UINT64_MAX);
    struct step_result r = extreme_result();
    struct disk_info d;
    struct controller_info c;
    struct machine_info m;
    struct finding f = { .code = "io-error", .level = FINDING_FAIL };
    struct io_error_record e = { UINT64_MAX, 0xffffffff, true, 0xff, 0xff, 0xffffffff, UINT64_MAX };
    char longest[300];

    memset(&d, 'M', sizeof d);
    memset(&c, 'W', sizeof c);
    memset(&m, 'W', sizeof m);
    memset(f.seen, 'X', sizeof f.seen - 1);
    memset(f.expected, ' ', sizeof f.expected - 1);
    memset(longest, 'L', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    memcpy(r.disk, "MMMMMMMMMMMMMMMMMMMMMMM", 24);
    d.name[23] = 0;
    memset(r.job, 'J', sizeof r.job);
    memcpy(f.subject, r.disk, sizeof f.subject);
    journal_run_start(j, &m, longest);
    journal_controller(j, &c);
    journal_disk(j, &d);
    journal_problem(j, longest, 0xffffffff, longest, longest);
    journal_not_tested(j, longest, longest, longest);
    journal_step_start(j, 0xffffffff, longest, 0xffffffff);
    journal_io_error(j, 1, r.disk, "job", &e, longest);
    journal_io_errors_more(j, 1, r.disk, "job", UINT64_MAX);
    journal_step_end(j, &r, longest);
    r.run_ns = 1;
    r.flags &= ~(uint32_t)FLAG_TOO_SHORT;
    journal_step_end(j, &r, "");
    journal_finding(j, &f);
    journal_disk_verdict(j, r.disk, VERDICT_FAIL, longest);
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "  18446G ");
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
        __builtin_sprintf(d.name, "nvme%un1", i);
        journal_disk(j, &d);
    }
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "300 not tested");
    HAS_STR(page.bytes, "-- nvme255n1");
    CHECK(!contains(&page, "nvme256n1"));
    HAS_STR(page.bytes, "44 more drives are not shown here");
    memory_free(&page);
    memory_free(&text);
    free(j);
}

TEST(a_run_without_drives_says_that_none_was_found)
{
    struct memory text = { 0 };
    struct journal *j = journal_new(&text, 1);
    struct run_status s = { VERDICT_NOT_TESTED, false, true };
    struct run_ending e = { 1, 5, false };

    journal_run_end(j, &s, &e);
    struct memory page = page_of(&text);
    HAS_STR(page.bytes, "NOT-TESTED  no drive was found\n");
    HAS_STR(page.bytes, "something that was expected is not there");
    memory_free(&page);
    memory_free(&text);
    free(j);
}

TEST(an_oversize_line_is_said)
{
    char *text = malloc(JOURNAL_LINE_MAX);
    struct memory file = { 0 };
    struct journal *j = journal_new(&file, 1);

    memset(text, 'x', JOURNAL_LINE_MAX - 1);
    text[JOURNAL_LINE_MAX - 1] = 0;
    journal_log(j, 0, text);
    struct memory page = page_of(&file);
    HAS_STR(page.bytes, "1 line was too long and left only its number");
    memory_free(&page);
    memory_free(&file);
    free(j);
    free(text);
}

/* The page remembers by its place in the table what it has advised. */
TEST(each_kind_of_finding_gets_its_own_advice_however_long_the_table_is)
{
    struct memory file = { 0 }, page;
    struct journal *j = journal_new(&file, 7);

    for (unsigned i = 0; i < finding_kind_count; i++)
        journal_finding(j, &(struct finding){ finding_kinds[i].code, FINDING_WARN, "run", "x", "" });
    page = summary_of(file.bytes, file.len);
    CHECK(!contains(&page, "as above"));
    journal_finding(j, &(struct finding){ finding_kinds[0].code, FINDING_WARN, "stick", "x", "" });
    memory_free(&page);
    page = summary_of(file.bytes, file.len);
    CHECK(contains(&page, "as above"));
    memory_free(&page);
    memory_free(&file);
    free(j);
}
