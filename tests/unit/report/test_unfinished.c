#include "unfinished.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"
#include "str.h"
#include "test.h"

/* An interrupted run, and what the run that resumes it makes of its lines. */

static struct unfinished_step steps[UNFINISHED_MAX_STEPS];
static struct unfinished unfinished;
static struct memory file;
static struct journal *j;

static void up(uint64_t run_id, unsigned planned)
{
    static const char *const names[] = { "nvme0n1", "sata0.3" };
    struct machine_info m = { .serial = "SN1", .uuid = "uuid-1", .clock = "2026-11-30T14:15:16" };
    struct plan_choice c = { .plan = "preset", .what = "quick", .budget_s = 300, .time_scale_pct = 100 };
    struct disk_info d = { .name = "nvme0n1", .identity = "id 0" };

    memory_free(&file);
    file = (struct memory){ 0 };
    j = journal_new(&file, run_id);
    journal_run_start(j, &m, "");
    journal_disk(j, &d);
    str_copy(d.name, sizeof d.name, "sata0.3");
    str_copy(d.identity, sizeof d.identity, "id 3");
    journal_disk(j, &d);
    str_copy(d.name, sizeof d.name, "sata0.4");
    journal_disk(j, &d);
    journal_plan(j, planned, 1000);
    journal_plan_choice(j, &c, names, 2);
}

static void down(void)
{
    memory_free(&file);
    file = (struct memory){ 0 };
    free(j);
    j = NULL;
}

static void start(unsigned step, unsigned planned, unsigned rounds, uint64_t key)
{
    char title[20];

    snprintf(title, sizeof title, "step of key %u", (unsigned)key);
    journal_step_start(j, step, title, 1);
    if (key)
        journal_step_key(j, step, planned, rounds, key);
    journal_checkpoint(j, step);
}

static void result(unsigned step, const char *disk, uint32_t flags)
{
    struct step_result r = {
        .step = step, .rw = "read", .ios = 100 + step, .bytes = 4096, .run_ns = 5, .flags = flags
    };
    uint64_t n = 7;
    struct series_view s = {
        .interval_ns = 1, .count = 1, .ios = &n, .bytes = &n, .max_ns = &n, .stride_bytes = 24
    };

    str_copy(r.disk, sizeof r.disk, disk);
    str_copy(r.job, sizeof r.job, "seq");
    journal_step_end(j, &r, "");
    journal_series(j, step, disk, "seq", &s);
}

static void whole(unsigned step, unsigned planned, uint64_t key)
{
    start(step, planned, 1, key);
    result(step, "nvme0n1", 0);
    journal_checkpoint(j, step);
}

static bool read_it(void) { return unfinished_read(&unfinished, file.bytes, file.len, steps); }

static void end_run(enum verdict v)
{
    struct run_status s = { .verdict = v };
    struct run_ending e = run_ending(&s, true);

    journal_run_end(j, &s, &e);
}

TEST(a_power_cut_leaves_the_steps_that_were_on_the_medium)
{
    up(1, 5);
    whole(1, 1, 0x11);
    whole(2, 2, 0x22);
    start(3, 3, 1, 0x33);
    result(3, "nvme0n1", 0); /* and no checkpoint behind it */
    CHECK(read_it());
    CHECK(unfinished.open && unfinished.began);
    EQ(unfinished.steps, 5);
    EQ(unfinished.done_steps, 2);
    EQ_STR(unfinished.choice.plan, "preset");
    EQ_STR(unfinished.choice.what, "quick");
    EQ(unfinished.choice.budget_s, 300);
    EQ(unfinished.choice.time_scale_pct, 100);
    EQ_STR(unfinished.clock, "2026-11-30T14:15:16");
    CHECK(unfinished_find(&unfinished, 0x11) && unfinished_find(&unfinished, 0x22));
    CHECK(!unfinished_find(&unfinished, 0x33));
    CHECK(!unfinished_find(&unfinished, 0));
    down();
}

/* Whatever the last line is, no step counts that the text does not hold wholly. */
TEST(a_journal_cut_anywhere_counts_no_step_that_it_does_not_hold)
{
    up(1, 3);
    whole(1, 1, 0x11);
    size_t first = file.len;
    whole(2, 2, 0x22);
    for (size_t cut = 0; cut <= file.len; cut++) {
        bool ok = unfinished_read(&unfinished, file.bytes, cut, steps);
        unsigned most = cut == file.len ? 2 : cut >= first ? 1 : 0;

        if (ok)
            CHECK(unfinished.done_steps <= most);
        if (cut >= first)
            CHECK(ok && unfinished.done_steps == most);
    }
    down();
}

TEST(a_step_that_was_stopped_in_it_is_not_done)
{
    up(1, 3);
    whole(1, 1, 0x11);
    start(2, 2, 1, 0x22);
    result(2, "nvme0n1", 0);
    result(2, "sata0.3", FLAG_ENDED_EARLY | FLAG_SPLIT);
    journal_checkpoint(j, 2);
    journal_plan_stop(j, 2, "stopped");
    end_run(VERDICT_ABORTED);
    CHECK(read_it());
    CHECK(unfinished.open);
    EQ(unfinished.done_steps, 1);
    down();
}

/* FAIL is worse than ABORTED: the verdict alone does not tell that it was stopped. */
TEST(a_run_with_a_bad_drive_that_was_stopped_is_open_and_one_that_came_to_its_end_is_not)
{
    up(1, 3);
    whole(1, 1, 0x11);
    end_run(VERDICT_FAIL);
    CHECK(read_it());
    CHECK(!unfinished.open);
    down();
    up(1, 3);
    whole(1, 1, 0x11);
    journal_plan_stop(j, 2, "stopped");
    end_run(VERDICT_FAIL);
    CHECK(read_it());
    CHECK(unfinished.open);
    down();
}

TEST(a_damaged_line_in_a_step_has_it_measured_again)
{
    up(1, 3);
    whole(1, 1, 0x11);
    size_t second = file.len;
    whole(2, 2, 0x22);
    whole(3, 3, 0x33);
    char *at = strstr(file.bytes + second, "\"bytes\":4096");
    CHECK(at != NULL);
    at[9] = '5';
    CHECK(read_it());
    CHECK(unfinished_find(&unfinished, 0x11) && !unfinished_find(&unfinished, 0x22));
    down();
}

TEST(a_step_in_rounds_is_done_when_it_was_steady_or_had_them_all)
{
    uint64_t rates[3] = { 1, 2, 3 };
    struct rounds_info r = {
        .title = "x", .first_step = 1, .last_step = 2, .count = 2, .most = 3, .bytes_per_s = rates
    };

    for (unsigned how = 0; how < 3; how++) {
        unsigned count = how == 2 ? 3 : 2;

        up(1, 2);
        for (unsigned i = 1; i <= count; i++) {
            start(i, 1, 3, 0x11);
            result(i, "nvme0n1", 0);
            journal_checkpoint(j, i);
        }
        r.steady = how == 1;
        r.count = r.last_step = count;
        journal_rounds(j, &r);
        start(count + 1, 2, 1, 0x22);
        CHECK(read_it());
        EQ(unfinished.done_steps, how != 0);
        const struct unfinished_step *s = unfinished_find(&unfinished, 0x11);
        EQ(s != NULL, how != 0);
        if (s) {
            EQ(s->first, 1);
            EQ(s->last, count);
        }
        down();
    }
}

TEST(equal_steps_are_taken_one_after_the_other)
{
    up(1, 4);
    whole(1, 1, 0x11);
    whole(2, 2, 0x11);
    CHECK(read_it());
    const struct unfinished_step *a = unfinished_find(&unfinished, 0x11),
                                 *b = unfinished_find(&unfinished, 0x11);
    CHECK(a && b && a != b && !unfinished_find(&unfinished, 0x11));
    unfinished_untake(&unfinished);
    CHECK(unfinished_find(&unfinished, 0x11) == a);
    down();
}

/* Findings behind a step are of the end of the run, which the resuming run has for itself. */
TEST(what_stands_behind_the_last_step_is_not_of_it)
{
    struct finding in = { .code = "io-error", .level = FINDING_FAIL, .subject = "nvme0n1" };
    struct finding behind = { .code = "expectation-missed", .level = FINDING_FAIL, .subject = "run" };
    struct unfinished_lines lines;
    struct journal_line l;
    unsigned findings = 0;

    up(1, 3);
    start(1, 1, 1, 0x11);
    journal_finding(j, &in);
    result(1, "nvme0n1", 0);
    journal_checkpoint(j, 1);
    journal_finding(j, &behind);
    journal_checkpoint(j, 1);
    journal_plan_stop(j, 2, "stopped");
    end_run(VERDICT_FAIL);
    CHECK(read_it());
    const struct unfinished_step *s = unfinished_find(&unfinished, 0x11);
    CHECK(s != NULL);
    unfinished_lines_start(&lines, &unfinished, s);
    while (unfinished_lines_next(&lines, &l))
        if (!unfinished_is_carried(&l)) {
            findings++;
            CHECK(event_is(&l, "code", "io-error"));
        }
    EQ(findings, 1);
    down();
}

TEST(steps_without_a_key_are_never_taken_over)
{
    up(1, 3);
    whole(1, 1, 0);
    whole(2, 2, 0x22);
    whole(3, 3, 0);
    CHECK(read_it());
    EQ(unfinished.done_steps, 1);
    const struct unfinished_step *s = unfinished_find(&unfinished, 0x22);
    CHECK(s != NULL);
    EQ(s->first, 2);
    CHECK(strstr(s->begin, "\"step\":3") >= s->end);
    down();
}

TEST(disks_are_known_by_name_and_identity)
{
    up(1, 3);
    whole(1, 1, 0x11);
    CHECK(read_it());
    CHECK(unfinished_has_disk(&unfinished, "nvme0n1", "id 0"));
    CHECK(unfinished_has_disk(&unfinished, "sata0.3", "id 3"));
    CHECK(!unfinished_has_disk(&unfinished, "nvme0n1", "id 3"));
    CHECK(!unfinished_has_disk(&unfinished, "nvme0n1", ""));
    CHECK(!unfinished_has_disk(&unfinished, "sata0.4", "id 3")); /* was there and not chosen */
    CHECK(!unfinished_has_disk(&unfinished, "sata0.9", "id 3"));
    CHECK(unfinished_is_of(file.bytes, file.len, "SN1", "uuid-1"));
    CHECK(!unfinished_is_of(file.bytes, file.len, "SN1", "uuid-2"));
    CHECK(!unfinished_is_of(file.bytes, file.len, "", "uuid-1"));
    CHECK(!unfinished_is_of("", 0, "SN1", "uuid-1"));
    down();
}

TEST(what_is_no_run_with_a_plan_is_not_offered)
{
    struct machine_info m = { .serial = "SN1" };

    CHECK(!unfinished_read(&unfinished, "", 0, steps));
    CHECK(!unfinished_read(&unfinished, "{}\n", 3, steps));
    j = journal_new(&file, 1);
    journal_run_start(j, &m, "");
    journal_plan(j, 3, 1);
    CHECK(!read_it());
    down();
}

/* ---- carried lines ---- */
static struct memory copy;
static struct journal *later;

static void carry(uint64_t key, unsigned later_by)
{
    struct unfinished_lines lines;
    struct journal_line l;
    const struct unfinished_step *s = unfinished_find(&unfinished, key);

    CHECK(s != NULL);
    unfinished_lines_start(&lines, &unfinished, s);
    while (unfinished_lines_next(&lines, &l))
        if (unfinished_is_carried(&l))
            journal_carry(later, &l, later_by);
}

TEST(carried_lines_are_the_earlier_ones_with_new_numbers_and_the_flag)
{
    struct io_error_record e = { .lba = UINT64_MAX };

    up(1, 9);
    start(1, 1, 1, 0x11);
    journal_io_error(j, 1, "nvme0n1", "seq", &e, "words \"and\" more\t");
    result(1, "nvme0n1", FLAG_SPLIT);
    journal_log(j, 1, "not carried");
    journal_checkpoint(j, 1);
    whole(2, 2, 0x22);
    CHECK(read_it());
    later = journal_new(&copy, 0xabcdef);
    carry(0x11, 4);
    carry(0x22, UINT32_MAX); /* one less */
    HAS_STR(copy.bytes, "\"ev\":\"step_start\",\"step\":5,\"title\":\"step of key 17\"");
    HAS_STR(copy.bytes, "\"ev\":\"step_key\",\"step\":5,\"planned\":1,");
    HAS_STR(copy.bytes, "\"words\":\"words \\\"and\\\" more\\t\"");
    HAS_STR(copy.bytes, "\"flags\":[\"split\",\"earlier-start\"]");
    HAS_STR(copy.bytes, "\"ev\":\"series\",\"step\":5,");
    HAS_STR(copy.bytes, "\"ev\":\"step_end\",\"step\":1,\"disk\":\"nvme0n1\"");
    HAS_STR(copy.bytes, "\"flags\":[\"earlier-start\"]");
    CHECK(!strstr(copy.bytes, "not carried"));
    struct journal_reader r;
    struct journal_line l;
    uint64_t n = 0;
    journal_reader_start(&r, copy.bytes, copy.len);
    for (; journal_reader_next(&r, &l) == JOURNAL_LINE; n++)
        EQ(l.run_id, 0xabcdef);
    EQ(n, later->seq);
    /* Twice is marked once. */
    const char *end = strstr(copy.bytes, "\"ev\":\"step_end\"");
    while (end[-1] != '\n')
        end--;
    journal_reader_start(&r, end, copy.len - (size_t)(end - copy.bytes));
    EQ(journal_reader_next(&r, &l), JOURNAL_LINE);
    size_t before = copy.len;
    journal_carry(later, &l, 0);
    HAS_STR(copy.bytes + before, "\"flags\":[\"split\",\"earlier-start\"]");
    memory_free(&copy);
    copy = (struct memory){ 0 };
    free(later);
    down();
}
