#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "menu.h"
#include "question.h"
#include "run_code.h"
#include "show.h"
#include "test.h"
#include "views.h"

static const struct {
    unsigned columns, rows;
} sizes[] = { { 80, 25 }, { 240, 80 } };
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static const struct {
    unsigned count;
    bool longest;
    const char *name;
} cases[] = {
    { 0, false, "nothing" }, { 1, false, "1" },     { 5, false, "5" },
    { 24, true, "24-long" }, { 200, false, "200" },
};
enum { CASES = sizeof cases / sizeof cases[0] };

#define FILL(field, c)                                                                                       \
    do {                                                                                                     \
        memset(field, c, sizeof field - 1);                                                                  \
        field[sizeof field - 1] = 0;                                                                         \
    } while (0)

/* ---- start ---- */
static struct note *notes_new(unsigned count, bool longest)
{
    struct note *n = calloc(count + 1, sizeof *n);

    for (unsigned i = 0; i < count; i++) {
        snprintf(n[i].text, sizeof n[i].text, "  sata%u.%u   WDC WD40EFRX-68N32N0  4.00 TB%s", i, i % 6,
                 i % 9 == 7 ? "  not used: its controller is on the path of the boot medium" : "");
        n[i].ink = i % 9 == 7 ? INK_WARN : INK_PLAIN;
        if (longest)
            for (size_t at = strlen(n[i].text); at < sizeof n[i].text - 1; at++)
                n[i].text[at] = " abcdefghij"[at % 11];
    }
    return n;
}

TEST(the_start_shows_machine_devices_plan_and_what_is_written)
{
    char name[60];

    for (unsigned c = 0; c < CASES; c++)
        for (unsigned i = 0; i < SIZES; i++) {
            struct note *notes = notes_new(cases[c].count, cases[c].longest);
            struct start_view v = { .product = "Baresweep 0.1.0",
                                    .machine =
                                        "Dell Inc. PowerEdge R720, serial ABC1234, BIOS 2.9.0 01/09/2020",
                                    .medium = "BARESWEEP on the stick",
                                    .plan = "20 steps, about 15 min: the built-in plan",
                                    .counts = "2 controllers, 5 disks: 4 will be tested, 1 cannot be used",
                                    .keys = "Starts in 10 s.   Any key: menu",
                                    .notes = notes,
                                    .note_count = cases[c].count };
            if (cases[c].count == 24)
                strcpy(v.unfinished,
                       "An unfinished run: 2026-11-30 14:15, 3 of 12 steps done. A key opens the menu, which "
                       "resumes it.");
            if (cases[c].count == 5)
                strcpy(v.writes, "WRITES to 1 disk, what is on it is lost: sata0.2");
            if (cases[c].longest) {
                FILL(v.product, 'P');
                FILL(v.machine, 'M');
                FILL(v.medium, 'S');
                FILL(v.plan, 'L');
                FILL(v.counts, 'C');
                FILL(v.writes, 'W');
                FILL(v.keys, 'K');
                FILL(v.unfinished, 'U');
                v.unfinished[60] = v.machine[50] = v.medium[50] = v.plan[50] = v.writes[60] = ' ';
            }
            struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
            view_start(g, &v);
            snprintf(name, sizeof name, "start-%s-%ux%u", cases[c].name, sizes[i].columns, sizes[i].rows);
            grid_golden(g, name);
            free(g);
            free(notes);
        }
}

TEST(disks_that_cannot_be_used_are_shown_although_others_do_not_fit)
{
    struct note *notes = notes_new(200, false);
    struct start_view v = { .notes = notes, .note_count = 200 };
    struct grid *g = grid_new(80, 25);

    memset(&notes[7], 0, sizeof notes[7]);
    for (unsigned i = 0; i < 200; i++)
        notes[i].ink = i == 199 ? INK_WARN : INK_PLAIN;
    strcpy(notes[199].text, "the last one cannot be used");
    view_start(g, &v);
    int row = grid_find(g, "the last one cannot be used");
    EQ(g->cell[row][0].ink, INK_WARN);
    grid_find(g, "more: the menu lists all disks");
    free(notes);
    free(g);
}

TEST(what_is_written_is_said_in_words_and_in_red)
{
    struct start_view v = { .writes = "WRITES to 1 disk: sata0.2" };
    struct grid *g = grid_new(80, 25);

    view_start(g, &v);
    int row = grid_find(g, "WRITES to 1 disk");
    EQ(g->cell[row][0].ink, INK_ALARM);
    v.writes[0] = 0;
    view_start(g, &v);
    row = grid_find(g, "Read-only: no disk is written.");
    EQ(g->cell[row][0].ink, INK_GOOD);
    free(g);
}

/* ---- end ---- */
static struct end_drive *drives_new(unsigned count, bool longest)
{
    static const uint8_t verdicts[] = { VERDICT_PASS, VERDICT_PASS,       VERDICT_WARN, VERDICT_PASS,
                                        VERDICT_FAIL, VERDICT_NOT_TESTED, VERDICT_PASS };
    struct end_drive *d = calloc(count + 1, sizeof *d);

    for (unsigned i = 0; i < count; i++) {
        d[i].verdict = verdicts[i % 7];
        snprintf(d[i].bay, sizeof d[i].bay, "1:%u", i);
        snprintf(d[i].name, sizeof d[i].name, "sata%u.%u", i, i % 6);
        snprintf(d[i].model, sizeof d[i].model, "WDC WD40EFRX-68N32N0");
        snprintf(d[i].serial, sizeof d[i].serial, "WD-WCC7K%07u", i * 77);
        if (d[i].verdict != VERDICT_PASS)
            snprintf(d[i].why, sizeof d[i].why, "3 of 8000 reads failed, the first at LBA 1234567");
        if (longest) {
            FILL(d[i].bay, 'b');
            FILL(d[i].name, 'n');
            FILL(d[i].model, 'm');
            FILL(d[i].serial, 's');
            FILL(d[i].why, 'w');
            d[i].why[30] = d[i].why[90] = ' ';
        }
    }
    return d;
}

TEST(the_end_shows_verdict_drives_findings_and_where_the_results_are)
{
    static const uint8_t verdicts[CASES] = { VERDICT_NOT_TESTED, VERDICT_PASS, VERDICT_FAIL, VERDICT_WARN,
                                             VERDICT_ABORTED };
    static struct end_finding findings[3] = {
        { FINDING_WARN, "megaraid0", "the battery is missing: write-back is off",
          "Fit the battery, or measure with write-through on purpose.", 0 },
        { FINDING_FAIL, "sata4.4", "3 of 8000 reads failed in seq-64k-qd4, the first at LBA 1234567",
          "Replace the drive.", 2 },
        { FINDING_INFO, "run", "not shown", NULL, 0 },
    };
    char name[60];

    for (unsigned c = 0; c < CASES; c++)
        for (unsigned i = 0; i < SIZES; i++) {
            struct end_drive *drives = drives_new(cases[c].count, cases[c].longest);
            struct end_view v = { .verdict = (enum verdict)verdicts[c],
                                  .headline = "2 drives tested, 1 not tested",
                                  .code = "7K2M-9QXD",
                                  .where =
                                      "second partition of the boot medium, runs/20261130-141500-1a2b3c4d",
                                  .keys = "PgUp/PgDn: move   Enter: done",
                                  .drives = drives,
                                  .drive_count = cases[c].count,
                                  .findings = findings,
                                  .finding_count = cases[c].count ? 3 : 0 };
            if (cases[c].longest) {
                FILL(v.headline, 'H');
                FILL(v.where, 'W');
                FILL(v.code, 'C');
                FILL(v.keys, 'K');
            }
            struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
            view_end(g, &v);
            snprintf(name, sizeof name, "end-%s-%s-%ux%u", verdict_text(v.verdict), cases[c].name,
                     sizes[i].columns, sizes[i].rows);
            grid_golden(g, name);
            free(g);
            free(drives);
        }
}

TEST(the_worst_drives_of_the_end_come_first_and_all_can_be_reached)
{
    struct end_drive *drives = drives_new(200, false);
    struct end_view v = { .verdict = VERDICT_FAIL, .drives = drives, .drive_count = 200 };
    struct grid *g = grid_new(80, 25);
    unsigned last = view_end(g, &v), seen = 0;
    char all[200] = { 0 };

    CHECK(last > 0);
    CHECK(strstr(grid_row(g, grid_find(g, "FAIL  ")), "sata4.4"));
    for (v.first = 0;; v.first++) {
        EQ(view_end(g, &v), last);
        for (int r = 0; r < 25; r++) {
            const char *at = strstr(grid_row(g, r), "WD-WCC7K");
            if (at)
                all[atoi(at + 8) / 77 % 200] = 1;
        }
        if (v.first == last)
            break;
    }
    for (unsigned i = 0; i < 200; i++)
        seen += (unsigned)all[i];
    EQ(seen, 200);
    free(drives);
    free(g);
}

TEST(every_letter_of_every_verdict_is_drawn)
{
    for (unsigned v = 0; v < VERDICT_COUNT; v++) {
        struct end_view e = { .verdict = (enum verdict)v, .headline = "h", .where = "w" };
        struct grid *g = grid_new(80, 25);
        unsigned letters = 0;
        bool inside = false;

        view_end(g, &e);
        /* Columns with ink, counted as groups: no letter has a gap, each is followed by one. */
        for (unsigned c = 0; c < 80; c++) {
            bool ink = false;
            for (unsigned r = 1; r < 8; r++)
                ink |= g->cell[r][c].c == '#';
            letters += ink && !inside;
            inside = ink;
        }
        EQ(letters, strlen(verdict_text((enum verdict)v)));
        free(g);
    }
}

TEST(a_run_has_a_short_code_that_differs_in_every_upper_bit)
{
    char code[RUN_CODE_BYTES], other[RUN_CODE_BYTES];

    run_code(0, code);
    EQ_STR(code, "0000-0000");
    run_code(UINT64_MAX, code);
    EQ_STR(code, "ZZZZ-ZZZZ");
    run_code(0x0123456789abcdef, code);
    EQ_STR(code, "04HM-ASW9");
    for (unsigned bit = 24; bit < 64; bit++) {
        run_code(0x0123456789abcdef ^ 1ull << bit, other);
        CHECK(strcmp(code, other));
    }
}

/* ---- question ---- */
TEST(a_question_names_its_word_and_shows_what_was_typed)
{
    static const char lines[2][120] = { "sata0.2  WDC WD40EFRX  WD-WCC7K0000154  4.00 TB",
                                        "It holds an ext4 file system. All of it will be lost." };
    struct question_view v = { .title = "Write to sata0.2?",
                               .lines = lines,
                               .line_count = 2,
                               .word = "write 0154",
                               .typed = "write 0",
                               .remark = "ignored: input faster than a person types",
                               .seconds_left = 42 };
    char name[60];

    for (unsigned i = 0; i < SIZES; i++) {
        struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
        view_question(g, &v);
        snprintf(name, sizeof name, "question-%ux%u", sizes[i].columns, sizes[i].rows);
        grid_golden(g, name);
        free(g);
    }
}

/* ---- text ---- */
TEST(a_text_longer_than_the_screen_is_read_to_its_end)
{
    struct text_view v = { .title = "Help", .keys = "Up/Down PgUp/PgDn: move   Esc: back" };
    v.notes = help_notes(&v.note_count);
    struct grid *g = grid_new(80, 25);
    char name[60];

    unsigned last = view_text(g, &v);
    CHECK(last > 0);
    grid_find(g, "PgDn: more");
    v.first = last;
    EQ(view_text(g, &v), last);
    grid_find(g, step_flags[step_flag_count - 1].name);
    grid_find(g, "PgUp: back");
    free(g);
    v.first = 0;
    for (unsigned i = 0; i < SIZES; i++) {
        g = grid_new(sizes[i].columns, sizes[i].rows);
        view_text(g, &v);
        snprintf(name, sizeof name, "help-%ux%u", sizes[i].columns, sizes[i].rows);
        grid_golden(g, name);
        free(g);
    }
}

TEST(help_has_every_flags_whole_sentence)
{
    unsigned count;
    const struct note *notes = help_notes(&count);

    CHECK(count > step_flag_count);
    for (unsigned i = 0; i < step_flag_count; i++) {
        const struct note *n = &notes[count - step_flag_count + i];
        HAS_STR(n->text, step_flags[i].name);
        HAS_STR(n->text, step_flags[i].sentence);
        EQ(n->ink, INK_PLAIN);
    }
}

TEST(drives_with_one_reason_have_it_once_under_the_first)
{
    struct end_drive drives[6];
    struct end_view v = { .verdict = VERDICT_ABORTED, .headline = "h", .code = "A", .where = "w" };
    struct grid *g = grid_new(80, 25);

    for (unsigned i = 0; i < 6; i++) {
        drives[i] = (struct end_drive){ .verdict = i == 1 ? VERDICT_PASS : VERDICT_ABORTED };
        snprintf(drives[i].name, sizeof drives[i].name, "disk%u", i);
        strcpy(drives[i].why, i == 1 ? "" : i < 4 ? "a person stopped it" : "another reason");
    }
    v.drives = drives;
    v.drive_count = 6;
    view_end(g, &v);
    int row = grid_find(g, "ABORTED    disk0");
    HAS_STR(grid_row(g, row + 1), "           this and the next 2: a person stopped it");
    HAS_STR(grid_row(g, row + 2), "ABORTED    disk2");
    HAS_STR(grid_row(g, row + 3), "ABORTED    disk3");
    HAS_STR(grid_row(g, row + 4), "ABORTED    disk4");
    HAS_STR(grid_row(g, row + 5), "this and the next 1: another reason");
    HAS_STR(grid_row(g, row + 6), "ABORTED    disk5");
    HAS_STR(grid_row(g, row + 7), "PASS       disk1");
    free(g);
}
