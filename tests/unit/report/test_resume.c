#include "resume.h"
#include <stdio.h>
#include <string.h>
#include "bits.h"
#include "str.h"
#include "test.h"

static struct journal journal;
static char text[512 << 10];
static size_t len;
static struct resume resume;
static struct resume_drive drives[RESUME_MAX_DRIVES];
static uint64_t clock_ns;

static uint64_t now_ns(void) { return clock_ns += 1000; }

static bool to_text(void *ctx, const char *line, size_t n)
{
    (void)ctx;
    CHECK(len + n <= sizeof text);
    memcpy(text + len, line, n);
    len += n;
    return true;
}

static void fresh(void)
{
    len = 0;
    resume_start(&resume, "SN1", "uuid-1", drives);
}

static void run_begins(uint64_t id, const char *uuid, const char *clock)
{
    struct machine_info m = { .serial = "SN1" };

    str_copy(m.uuid, sizeof m.uuid, uuid);
    str_copy(m.clock, sizeof m.clock, clock);
    journal_start(&journal, id, now_ns);
    journal_add_sink(&journal, to_text, NULL, false);
    journal_run_start(&journal, &m, "");
}

static struct burn_in_state state(const char *disk, uint64_t seed, uint8_t phase, uint64_t position)
{
    struct burn_in_state s = { .job_hash = 0xfedcba9876543210u,
                               .seed = seed,
                               .block_bytes = 65536,
                               .blocks = 1000,
                               .phase = phase,
                               .pass = 1,
                               .position = position,
                               .written_blocks = 900,
                               .verified_blocks = 800,
                               .written_bytes = 900 * 65536,
                               .errors = 3,
                               .interruptions = 2,
                               .stuck = 1,
                               .phase_ms = 11,
                               .spent_ms = 22 };

    str_copy(s.disk, sizeof s.disk, disk);
    str_fmt(s.identity, sizeof s.identity, "identity of %s", disk);
    str_copy(s.arming, sizeof s.arming, "00112233445566ff");
    str_copy(s.why, sizeof s.why, "unrecovered read error");
    return s;
}

static void checkpoint(struct burn_in_state s) { journal_burn_in(&journal, &s); }

TEST(a_checkpoint_comes_back_whole)
{
    struct burn_in_state s = state("sata0.3", UINT64_MAX, BURN_IN_WRITE, 400), got;

    fresh();
    run_begins(1, "uuid-1", "");
    checkpoint(s);
    CHECK(resume_run_head(&resume, text, len));
    CHECK(resume_run_window(&resume, text, len));
    const struct burn_in_state *found = resume_find(&resume, "identity of sata0.3");
    CHECK(found != NULL);
    got = *found;
    EQ(memcmp(&got, &s, sizeof s), 0);
    CHECK(!resume_find(&resume, "identity of sata0.4"));
    CHECK(!resume_find(&resume, ""));
}

TEST(the_last_line_of_a_run_counts_also_when_it_says_less)
{
    fresh();
    run_begins(1, "uuid-1", "");
    checkpoint(state("a", 1, BURN_IN_VERIFY, 10));
    checkpoint(state("a", 1, BURN_IN_WRITE, 5));
    resume_run_text(&resume, text, len);
    EQ(resume_find(&resume, "identity of a")->phase, BURN_IN_WRITE);
}

TEST(a_later_start_of_the_same_burn_in_counts_whatever_the_clocks_say)
{
    struct burn_in_state later = state("a", 1, BURN_IN_WRITE, 10);

    fresh();
    later.interruptions = 3;
    run_begins(2, "uuid-1", "1970-01-01T00:00:00");
    checkpoint(later);
    run_begins(1, "uuid-1", "2026-11-30T14:00:00");
    checkpoint(state("a", 1, BURN_IN_VERIFY, 10));
    resume_run_text(&resume, text, len);
    EQ(resume_find(&resume, "identity of a")->interruptions, 3);
}

TEST(of_two_burn_ins_that_of_the_later_clock_counts_and_without_clocks_the_one_offered_last)
{
    fresh();
    run_begins(1, "uuid-1", "2026-11-30T14:00:01");
    checkpoint(state("a", 7, BURN_IN_WRITE, 1));
    run_begins(2, "uuid-1", "2026-11-30T14:00:00");
    checkpoint(state("a", 8, BURN_IN_WRITE, 2));
    resume_run_text(&resume, text, len);
    EQ(resume_find(&resume, "identity of a")->seed, 7);
    fresh();
    run_begins(1, "uuid-1", "");
    checkpoint(state("a", 7, BURN_IN_WRITE, 1));
    run_begins(2, "uuid-1", "");
    checkpoint(state("a", 8, BURN_IN_WRITE, 2));
    resume_run_text(&resume, text, len);
    EQ(resume_find(&resume, "identity of a")->seed, 8);
}

TEST(a_finished_burn_in_hides_the_unfinished_lines_before_it)
{
    struct burn_in_state s = state("a", 1, BURN_IN_DONE, 0);

    fresh();
    s.end = BURN_IN_FINISHED;
    run_begins(1, "uuid-1", "");
    checkpoint(state("a", 1, BURN_IN_WRITE, 1));
    checkpoint(s);
    resume_run_text(&resume, text, len);
    CHECK(!burn_in_state_resumes(resume_find(&resume, "identity of a")));
}

/* One of them ended in an older, complete run, or it ended in the run that the other one is resumed from. */
TEST(only_a_drive_that_ended_in_the_same_run_ended_in_the_same_burn_in)
{
    struct burn_in_state ended = state("a", 1, BURN_IN_DONE, 0);

    fresh();
    ended.end = BURN_IN_FINISHED;
    run_begins(1, "uuid-1", "2026-11-30T14:00:00");
    checkpoint(ended);
    run_begins(2, "uuid-1", "2026-11-30T15:00:00");
    checkpoint(state("b", 2, BURN_IN_WRITE, 1));
    resume_run_text(&resume, text, len);
    CHECK(!resume_is_of_one_run(&resume, "identity of a", "identity of b"));
    CHECK(!resume_is_of_one_run(&resume, "identity of a", "identity of c"));
    CHECK(!resume_is_of_one_run(&resume, "", ""));
    /* A later start goes on with b and keeps a, as it ended. */
    run_begins(3, "uuid-1", "2026-11-30T16:00:00");
    checkpoint(ended);
    checkpoint(state("b", 2, BURN_IN_WRITE, 2));
    resume_run_text(&resume, text, len);
    CHECK(resume_is_of_one_run(&resume, "identity of a", "identity of b"));
}

/* ---- where lines end ---- */
struct pieces {
    uint64_t last, asked_beyond, size;
};
static bool lies_until(void *ctx, uint64_t at_bytes)
{
    struct pieces *p = ctx;

    p->asked_beyond += at_bytes > p->size;
    return at_bytes / RESUME_PROBE_BYTES <= p->last;
}

TEST(the_last_piece_with_lines_is_found_wherever_it_is)
{
    static const uint64_t sizes[] = { 0, 1, RESUME_PROBE_BYTES - 1, RESUME_PROBE_BYTES, 16 << 20, 48 << 20 };

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint64_t last = 0; last <= sizes[i] / RESUME_PROBE_BYTES; last++) {
            struct pieces p = { last, 0, sizes[i] };

            EQ(resume_last_piece(sizes[i], lies_until, &p), last);
            EQ(p.asked_beyond, 0);
        }
}

TEST(only_a_journal_of_a_run_that_was_broken_off_is_cut_and_never_into_its_lines)
{
    const uint64_t step = 16 << 20, pieces = step / RESUME_PROBE_BYTES;

    EQ(resume_cut_bytes(0, step, 0), 0);
    EQ(resume_cut_bytes(step - 1, step, 0), 0); /* its own run cut it */
    EQ(resume_cut_bytes(step, step, 0), 2 * RESUME_PROBE_BYTES);
    EQ(resume_cut_bytes(2 * step, step, 5), 7 * RESUME_PROBE_BYTES);
    EQ(resume_cut_bytes(step, step, pieces - 3), (pieces - 1) * RESUME_PROBE_BYTES);
    EQ(resume_cut_bytes(step, step, pieces - 1), 0);
    EQ(resume_cut_bytes(step, step, pieces), 0);
}

TEST(journals_of_other_machines_are_counted_and_left_alone)
{
    fresh();
    run_begins(1, "uuid-2", "");
    checkpoint(state("a", 1, BURN_IN_WRITE, 1));
    resume_run_text(&resume, text, len);
    CHECK(!resume_find(&resume, "identity of a"));
    EQ(resume.other_machines, 1);
    CHECK(!resume_run_head(&resume, "", 0));
    CHECK(!resume_run_head(&resume, "nothing", 7));
    EQ(resume.other_machines, 1);
}

TEST(a_window_that_begins_and_ends_within_lines_and_holds_remains_of_another_run_is_read)
{
    fresh();
    run_begins(9, "uuid-1", "");
    checkpoint(state("a", 9, BURN_IN_VERIFY, 9));
    size_t old = len;
    run_begins(1, "uuid-1", "");
    size_t head = len;
    checkpoint(state("a", 1, BURN_IN_WRITE, 1));
    checkpoint(state("b", 1, BURN_IN_WRITE, 2));
    size_t end = len;
    /* the file: head, lines, then what was there before */
    memmove(text + end, text, old);
    CHECK(resume_run_head(&resume, text + old, head - old));
    CHECK(resume_run_window(&resume, text + old + 50, end - old - 50 + old));
    EQ(resume_find(&resume, "identity of a")->seed, 1);
    EQ(resume_find(&resume, "identity of b")->position, 2);
    CHECK(!resume_run_window(&resume, text + head + 1, 300)); /* no whole line in it */
    CHECK(resume_run_lies_in(&resume, text + old + 10, end - old));
    CHECK(!resume_run_lies_in(&resume, text + end, old)); /* another run's remains */
}

TEST(a_journal_cut_at_any_byte_gives_the_last_whole_checkpoint)
{
    size_t first, second;

    fresh();
    run_begins(1, "uuid-1", "");
    checkpoint(state("a", 1, BURN_IN_WRITE, 1));
    first = len;
    checkpoint(state("a", 1, BURN_IN_WRITE, 2));
    second = len;
    for (size_t cut = first; cut <= second; cut++) {
        resume_start(&resume, "SN1", "uuid-1", drives);
        resume_run_text(&resume, text, cut);
        /* The newline belongs to the line for a file, its checksum is before it. */
        EQ(resume_find(&resume, "identity of a")->position, cut >= second - 1 ? 2 : 1);
    }
}

TEST(a_servers_part_is_the_runs_head_and_the_newest_lines)
{
    size_t head, newest;

    fresh();
    run_begins(1, "uuid-1", "");
    head = len;
    checkpoint(state("a", 1, BURN_IN_WRITE, 1));
    newest = len;
    checkpoint(state("a", 1, BURN_IN_WRITE, 7));
    checkpoint(state("b", 1, BURN_IN_VERIFY, 8));
    memmove(text + head, text + newest, len - newest);
    len -= newest - head;
    resume_run_text(&resume, text, len);
    EQ(resume.count, 2);
    EQ(resume_find(&resume, "identity of a")->position, 7);
    EQ(resume_find(&resume, "identity of b")->phase, BURN_IN_VERIFY);
    /* Another machine under the same name: its states are not ours. */
    resume_start(&resume, "SN1", "uuid-2", drives);
    resume_run_text(&resume, text, len);
    EQ(resume.count, 0);
    EQ(resume.other_machines, 1);
}

TEST(states_that_cannot_be_are_passed_over)
{
    struct burn_in_state s = state("a", 1, BURN_IN_WRITE, 1);

    fresh();
    run_begins(1, "uuid-1", "");
    s.written_blocks = s.blocks + 1;
    checkpoint(s);
    s = state("b", 1, BURN_IN_WRITE, 1);
    s.identity[0] = 0;
    checkpoint(s);
    resume_run_text(&resume, text, len);
    EQ(resume.count, 0);
}

TEST(more_drives_than_are_kept_are_left_out)
{
    fresh();
    for (unsigned i = 0; i < RESUME_MAX_DRIVES + 1; i++) {
        char name[24];
        str_fmt(name, sizeof name, "sata0.%u", i);
        len = 0;
        run_begins(i + 1, "uuid-1", "");
        checkpoint(state(name, 1, BURN_IN_WRITE, i));
        resume_run_text(&resume, text, len);
    }
    EQ(resume.count, RESUME_MAX_DRIVES);
}

TEST(a_machine_without_uuid_is_known_by_its_serial_number)
{
    fresh();
    resume_start(&resume, "SN1", "", drives);
    run_begins(1, "", "");
    checkpoint(state("a", 1, BURN_IN_WRITE, 1));
    resume_run_text(&resume, text, len);
    CHECK(resume_find(&resume, "identity of a") != NULL);
}
