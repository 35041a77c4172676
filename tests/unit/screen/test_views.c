#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "show.h"
#include "test.h"
#include "views.h"

static const struct {
    unsigned columns, rows;
} sizes[] = { { 80, 25 }, { 100, 31 }, { 240, 80 } };
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- the sweep ---- */
static struct lane_view *lanes_new(unsigned count)
{
    struct lane_view *l = calloc(count ? count : 1, sizeof *l);

    for (unsigned i = 0; i < count; i++) {
        snprintf(l[i].disk, sizeof l[i].disk, i % 3 ? "sata%u.%u" : "nvme%un1", i, i % 6);
        snprintf(l[i].job, sizeof l[i].job, "seq-64k-qd4");
        l[i].bytes_per_s = 3212070092 / (i + 1);
        l[i].iops = 49012 / (i + 1);
        l[i].p99_ns = i ? 120150ull * i * i : 0;
        l[i].done = i * 83 % 2001;
        l[i].total = 2000;
        l[i].state = i ? "running" : "ramp";
    }
    return l;
}

static struct sweep_view sweep_of(const struct lane_view *lanes, unsigned count)
{
    struct sweep_view v = { .title = "sequential read 64 KiB QD 4, disk 1 of 2 per controller",
                            .step = 3,
                            .steps = 20,
                            .elapsed_ns = 192000000000,
                            .remaining_ns = 731000000000,
                            .lanes = lanes,
                            .lane_count = count };

    return v;
}

static void golden_sweep(const struct sweep_view *v, const char *name)
{
    char full[60];

    for (unsigned i = 0; i < SIZES; i++) {
        struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
        view_sweep(g, v);
        snprintf(full, sizeof full, "sweep-%s-%ux%u", name, sizes[i].columns, sizes[i].rows);
        grid_golden(g, full);
        free(g);
    }
}

TEST(the_sweep_shows_0_1_5_24_and_200_lanes)
{
    static const unsigned counts[] = { 0, 1, 5, 24, 200 };
    char name[16];

    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct lane_view *lanes = lanes_new(counts[i]);
        struct sweep_view v = sweep_of(lanes, counts[i]);
        if (counts[i] == 24) {
            lanes[2].errors = 3;
            lanes[23].state = "failed";
            lanes[4].state = "done";
            v.worst_level = VERDICT_FAIL;
            strcpy(v.worst, "sata0.2: 3 reads failed, the first at LBA 1234567");
        }
        snprintf(name, sizeof name, "%u-lanes", counts[i]);
        golden_sweep(&v, name);
        free(lanes);
    }
}

TEST(the_longest_names_and_largest_numbers_keep_to_their_columns)
{
    struct lane_view *lanes = calloc(20, sizeof *lanes);
    struct sweep_view v = sweep_of(lanes, 20);

    memset(v.title, 'T', sizeof v.title - 1);
    memset(v.worst, 'w', sizeof v.worst - 1);
    v.worst[40] = ' ';
    v.step = v.steps = 4294967295u;
    v.elapsed_ns = v.remaining_ns = UINT64_MAX;
    v.worst_level = VERDICT_ABORTED;
    for (unsigned i = 0; i < 20; i++) {
        memset(lanes[i].disk, 'd', sizeof lanes[i].disk - 1);
        memset(lanes[i].job, 'j', sizeof lanes[i].job - 1);
        memcpy(lanes[i].disk + 20, "END", 3);
        memcpy(lanes[i].job + 36, "END", 3);
        lanes[i].bytes_per_s = lanes[i].iops = lanes[i].p99_ns = UINT64_MAX >> i * 3;
        lanes[i].errors = i ? 4294967295u >> i : UINT64_MAX;
        lanes[i].done = UINT64_MAX >> i;
        lanes[i].total = UINT64_MAX;
        lanes[i].state = "a state of many words";
    }
    golden_sweep(&v, "extreme");
    free(lanes);
}

static int column_of(const struct grid *g, int row, const char *part)
{
    const char *text = grid_row(g, row), *at = strstr(text, part);

    if (!at)
        test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", text, part);
    return (int)(at - text);
}

TEST(trouble_below_the_screen_is_said)
{
    struct lane_view *lanes = lanes_new(200);
    struct sweep_view v = sweep_of(lanes, 200);
    struct grid *g = grid_new(80, 25);

    view_sweep(g, &v);
    grid_find(g, "182 more below");
    grid_find(g, "no errors in 200 lanes");
    lanes[150].errors = 7;
    lanes[199].state = "failed";
    view_sweep(g, &v);
    int row = grid_find(g, "182 more below, 2 of them in trouble");
    EQ(g->cell[row][0].ink, INK_BAD);
    grid_find(g, "7 errors, 2 of 200 lanes in trouble");
    free(g);
    free(lanes);
}

TEST(errors_of_all_lanes_do_not_wrap_when_added)
{
    struct lane_view *lanes = lanes_new(2);
    struct sweep_view v = sweep_of(lanes, 2);
    struct grid *g = grid_new(80, 25);

    lanes[0].errors = lanes[1].errors = UINT64_MAX;
    view_sweep(g, &v);
    grid_find(g, "18446744073709551615 errors, 2 of 2 lanes in trouble");
    free(g);
    free(lanes);
}

/* Colour is never the only sign: what is coloured bad says so in words or numbers too. */
TEST(a_failed_lane_is_a_word_and_a_number_not_only_a_colour)
{
    struct lane_view *lanes = lanes_new(3);
    struct sweep_view v = sweep_of(lanes, 3);
    struct grid *g = grid_new(80, 25);

    lanes[1].state = "failed";
    lanes[1].errors = 12;
    v.worst_level = VERDICT_WARN;
    strcpy(v.worst, "something");
    view_sweep(g, &v);
    EQ(g->cell[5][column_of(g, 5, "failed")].ink, INK_BAD);
    EQ(g->cell[5][column_of(g, 5, " 12 ") + 1].ink, INK_BAD);
    EQ(g->cell[4][column_of(g, 4, " 0 ") + 1].ink, INK_DIM);
    int row = grid_find(g, "WARN: something");
    EQ(g->cell[row][0].ink, INK_WARN);
    free(g);
    free(lanes);
}

TEST(tiny_screens_draw_within_themselves)
{
    struct lane_view *lanes = lanes_new(5);
    struct sweep_view v = sweep_of(lanes, 5);
    struct start_view s = { .product = "p", .machine = "m", .medium = "x", .plan = "y" };
    struct end_view e = { .verdict = VERDICT_NOT_TESTED, .headline = "h", .where = "w" };

    for (unsigned columns = 0; columns < 100; columns += 7)
        for (unsigned rows = 0; rows < 26; rows += 5) {
            struct grid *g = grid_new(columns, rows);
            view_sweep(g, &v);
            view_start(g, &s);
            view_end(g, &e);
            EQ(g->cell[rows][0].c, 0x5a);
            EQ(g->cell[0][columns].c, 0x5a);
            free(g);
        }
    free(lanes);
}

/* ---- start and end ---- */
static char (*lines_new(unsigned count, bool longest))[120]
{
    char(*l)[120] = calloc(count ? count : 1, sizeof *l);

    for (unsigned i = 0; i < count; i++) {
        int n = snprintf(l[i], sizeof l[i], "sata%u.%u  WDC WD40EFRX-68N32N0  4.00 TB  PASS", i, i % 6);
        if (longest)
            for (unsigned at = (unsigned)n; at < sizeof l[i] - 1; at++)
                l[i][at] = " abcdefghij"[at % 11];
    }
    return l;
}

TEST(the_start_shows_machine_devices_and_plan)
{
    static const struct {
        unsigned count;
        bool longest;
        const char *name;
    } cases[] = {
        { 0, false, "nothing" }, { 5, false, "5" },       { 200, false, "200" },
        { 5, true, "5-long" },   { 24, true, "24-long" },
    };
    char name[60];

    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (unsigned i = 0; i < SIZES; i++) {
            char(*lines)[120] = lines_new(cases[c].count, cases[c].longest);
            struct start_view v = { .product = "Baresweep 0.1.0",
                                    .machine = "Dell Inc. PowerEdge R720, serial ABC1234",
                                    .medium = "BARESWEEP on the stick",
                                    .plan = "20 steps, about 15 min; starts in 10 s, any key waits",
                                    .lines = (const char(*)[120])lines,
                                    .line_count = cases[c].count };
            if (cases[c].longest) {
                memset(v.product, 'P', sizeof v.product - 1);
                memset(v.machine, 'M', sizeof v.machine - 1);
                memset(v.medium, 'S', sizeof v.medium - 1);
                memset(v.plan, 'L', sizeof v.plan - 1);
                v.machine[50] = v.medium[50] = v.plan[50] = ' ';
            }
            struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
            view_start(g, &v);
            snprintf(name, sizeof name, "start-%s-%ux%u", cases[c].name, sizes[i].columns, sizes[i].rows);
            grid_golden(g, name);
            free(g);
            free(lines);
        }
}

TEST(the_end_shows_each_verdict_in_large_letters)
{
    static const struct {
        enum verdict verdict;
        unsigned count;
        bool longest;
    } cases[] = {
        { VERDICT_PASS, 1, false },    { VERDICT_WARN, 5, false },        { VERDICT_FAIL, 24, false },
        { VERDICT_ABORTED, 0, false }, { VERDICT_NOT_TESTED, 200, true },
    };
    char name[60];

    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (unsigned i = 0; i < SIZES; i++) {
            char(*lines)[120] = lines_new(cases[c].count, cases[c].longest);
            struct end_view v = { .verdict = cases[c].verdict,
                                  .headline = "2 drives tested, 1 not tested",
                                  .where = "baresweep/2026-11-30/ on the stick BARESWEEP",
                                  .lines = (const char(*)[120])lines,
                                  .line_count = cases[c].count };
            if (cases[c].longest) {
                memset(v.headline, 'H', sizeof v.headline - 1);
                memset(v.where, 'W', sizeof v.where - 1);
            }
            struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
            view_end(g, &v);
            snprintf(name, sizeof name, "end-%s-%ux%u", verdict_text(cases[c].verdict), sizes[i].columns,
                     sizes[i].rows);
            grid_golden(g, name);
            free(g);
            free(lines);
        }
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
