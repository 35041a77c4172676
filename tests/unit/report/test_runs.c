#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "runs.h"
#include "sample.h"
#include "test.h"

/* Where the lines are that a reading yields, as one string. */
static size_t places(struct run_lines *l, const char *ev, size_t *place, size_t room)
{
    struct journal_line line;
    size_t n = 0;

    while (n < room && (ev ? run_lines_find(l, ev, &line) : run_lines_next(l, &line)))
        place[n++] = line.offset;
    return n;
}

/* Two runs in one text: the walk over the second puts the first out of the index. */
static struct memory two_runs(struct run *first, struct run *second)
{
    struct memory text = sample_text(7), more = sample_text(8);
    struct run_walk w;

    memory_add(&text, more.bytes, more.len);
    memory_free(&more);
    run_walk_start(&w, text.bytes, text.len);
    CHECK(run_walk_next(&w, first));
    CHECK(run_walk_next(&w, second));
    CHECK(!run_walk_next(&w, second) && w.runs == 2);
    return text;
}

TEST(the_lines_of_a_run_are_the_same_with_the_index_and_without)
{
    static const char *const kinds[] = { NULL, "disk", "step_end", "finding", "io_error", "no_such_kind" };
    struct run first, second;
    struct memory text = two_runs(&first, &second);
    static size_t with[4096], without[4096];

    for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++) {
        for (unsigned cut = 0; cut < 3; cut++) {
            size_t len = first.len / (cut + 1), from = cut == 2 ? first.len / 7 : 0;
            struct run_walk w;
            struct run again;
            struct run_lines l;

            run_lines_start(&l, &first); /* the index holds the second run */
            l.reader.text += from;
            l.reader.len = len - from;
            size_t n = places(&l, kinds[i], without, ARRAY_COUNT(without));
            run_walk_start(&w, text.bytes, text.len);
            CHECK(run_walk_next(&w, &again) && again.run_id == first.run_id && again.len == first.len);
            run_lines_start(&l, &again);
            l.reader.text += from;
            l.reader.len = len - from;
            EQ(places(&l, kinds[i], with, ARRAY_COUNT(with)), n);
            CHECK(memcmp(with, without, n * sizeof *with) == 0);
            CHECK(n || cut || i == 5);
            CHECK(run_walk_next(&w, &again));
        }
    }
    memory_free(&text);
}

TEST(lines_about_one_disk_leave_none_of_it_out_and_no_line_without_a_disk)
{
    struct run first, second;
    struct memory text = two_runs(&first, &second);
    struct journal_line l, disk;
    struct run_lines all, few;
    char name[28];

    run_lines_start(&all, &second);
    CHECK(run_lines_find(&all, "disk", &disk));
    event_str(&disk, "name", name, sizeof name);
    run_lines_start(&all, &second);
    run_lines_of(&few, &second, name);
    for (;;) {
        struct journal_line same;
        char about[28];

        if (!run_lines_next(&all, &l))
            break;
        event_str(&l, strcmp(l.ev, "disk") ? "disk" : "name", about, sizeof about);
        if (about[0] && strcmp(about, name))
            continue;
        CHECK(run_lines_next(&few, &same));
        EQ(same.seq, l.seq);
    }
    CHECK(!run_lines_next(&few, &l));
    memory_free(&text);
}

TEST(a_run_with_more_lines_than_the_index_holds_is_read_whole)
{
    enum { LINES = 70000 };
    struct memory text = { 0 };
    struct journal *j = journal_new(&text, 1);
    struct run_walk w;
    struct run run;
    struct run_lines l;
    struct journal_line line;
    unsigned n = 0;

    for (unsigned i = 0; i < LINES; i++)
        journal_checkpoint(j, i);
    run_walk_start(&w, text.bytes, text.len);
    CHECK(run_walk_next(&w, &run));
    EQ(run.lines, LINES);
    run_lines_start(&l, &run);
    while (run_lines_find(&l, "checkpoint", &line))
        EQ(event_u64(&line, "step"), n++);
    EQ(n, LINES);
    memory_free(&text);
    free(j);
}
