#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "end_read.h"
#include "replay.h"
#include "show.h"
#include "test.h"

/* Real journals, and what may be left of them. */
static char *journal_load(const char *name, size_t *len)
{
    char path[100], *text;
    FILE *f;

    snprintf(path, sizeof path, "tests/golden/report/%s.journal.ndjson", name);
    f = fopen(path, "rb");
    CHECK(f);
    text = malloc(1 << 20);
    *len = fread(text, 1, 1 << 20, f);
    fclose(f);
    return text;
}

static struct end_facts facts;
static struct replay replay;

TEST(the_last_screen_of_real_journals)
{
    static const char *const names[] = { "sample", "showcase" };
    static const struct {
        unsigned columns, rows;
    } sizes[] = { { 80, 25 }, { 240, 80 } };
    char golden[60];

    for (unsigned n = 0; n < 2; n++)
        for (unsigned i = 0; i < 2; i++) {
            struct end_view v = { .keys = "PgUp/PgDn: move   Enter: done", .where = "the stick" };
            struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
            size_t len;
            char *text = journal_load(names[n], &len);

            CHECK(end_read(text, len, &facts, &v));
            view_end(g, &v);
            snprintf(golden, sizeof golden, "journal-end-%s-%ux%u", names[n], sizes[i].columns,
                     sizes[i].rows);
            grid_golden(g, golden);
            free(g);
            free(text);
        }
}

TEST(the_live_view_of_a_real_journal)
{
    size_t len;
    char *text = journal_load("showcase", &len), golden[60];
    unsigned frame = 0;

    CHECK(replay_start(&replay, text, len));
    for (; replay_next(&replay); frame++) {
        struct grid *g = grid_new(80, 25);

        view_sweep(g, &replay.view);
        EQ(replay.view.step, frame / REPLAY_FRAMES_PER_STEP + 1);
        if (frame == 4 || frame == 309 || frame == 799) {
            snprintf(golden, sizeof golden, "journal-live-%u-80x25", frame);
            grid_golden(g, golden);
        }
        free(g);
    }
    EQ(frame, 80 * REPLAY_FRAMES_PER_STEP);
    free(text);
}

TEST(a_cut_journal_still_has_its_screens)
{
    size_t len;
    char *text = journal_load("sample", &len);

    for (size_t cut = 0; cut < len; cut += 61) {
        struct end_view v = { .keys = "" };

        if (end_read(text, cut, &facts, &v))
            CHECK(v.verdict != VERDICT_PASS || cut + 1 >= len);
        CHECK(facts.drive_count <= END_DRIVES_MAX && facts.finding_count <= END_FINDINGS_MAX);
        if (replay_start(&replay, text, cut))
            while (replay_next(&replay))
                CHECK(replay.view.lane_count <= REPLAY_LANES_MAX);
    }
    free(text);
}

TEST(a_text_without_a_run_has_no_screen)
{
    struct end_view v = { .keys = "" };

    CHECK(!end_read("", 0, &facts, &v));
    CHECK(!end_read("{}\nrubbish\n", 11, &facts, &v));
    CHECK(!replay_start(&replay, "rubbish", 7));
    CHECK(!replay_next(&replay));
}

TEST(findings_of_one_kind_are_one_with_a_count_and_advice)
{
    struct end_view v = { .keys = "" };
    size_t len;
    char *text = journal_load("sample", &len);

    CHECK(end_read(text, len, &facts, &v));
    CHECK(v.finding_count > 0);
    for (unsigned i = 0; i < v.finding_count; i++) {
        CHECK(v.findings[i].advice && v.findings[i].advice[0]);
        for (unsigned k = 0; k < i; k++)
            CHECK(facts.codes[i] != facts.codes[k] || v.findings[i].level != v.findings[k].level);
    }
    for (unsigned i = 0; i < v.drive_count; i++)
        if (!strcmp(v.drives[i].name, "megaraid0.pd2"))
            EQ_STR(v.drives[i].bay, "32:2");
    free(text);
}
