#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "show.h"
#include "test.h"
#include "views.h"

static const struct {
    unsigned columns, rows;
} sizes[] = { { 80, 25 }, { 240, 80 } };
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
        l[i].left_ns = i * i * 7300000000ull;
        l[i].temperature_c = (uint16_t)(i % 5 ? 25 + i % 40 : 0);
        l[i].state = i ? "running" : "ramp";
    }
    return l;
}

static const struct controller_view controllers[] = {
    { "nvme0", 3212070092, 3938000000 },     { "sata0", 540000000, 0 },
    { "megaraid0", 2100000000, 3938000000 }, { "nvme1", 6700000000, 7877000000 },
    { "nvme2", 6700000000, 7877000000 },     { "nvme3", 0, 7877000000 },
};

static struct sweep_view sweep_of(const struct lane_view *lanes, unsigned count)
{
    struct sweep_view v = { .title = "sequential read 64 KiB QD 4, disk 1 of 2 per controller",
                            .step = 3,
                            .steps = 20,
                            .elapsed_ns = 192000000000,
                            .remaining_ns = 731000000000,
                            .controllers = controllers,
                            .controller_count = count < 6 ? count : 6,
                            .lanes = lanes,
                            .lane_count = count,
                            .keys = true };

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
            v.chosen = 4;
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
    memset(v.worst, 'w', 119);
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
        lanes[i].left_ns = UINT64_MAX >> i * 2;
        lanes[i].temperature_c = (uint16_t)(65535 >> i);
        lanes[i].state = i % 2 ? "running" : "a state of many words";
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

TEST(trouble_on_another_page_is_said)
{
    struct lane_view *lanes = lanes_new(200);
    struct sweep_view v = sweep_of(lanes, 200);
    struct grid *g = grid_new(80, 25);

    view_sweep(g, &v);
    EQ(view_sweep_page(g), 15);
    grid_find(g, "lanes 1-15 of 200");
    grid_find(g, "no errors in 200 lanes");
    lanes[150].errors = 7;
    lanes[199].state = "failed";
    view_sweep(g, &v);
    int row = grid_find(g, "lanes 1-15 of 200; 2 of the others in trouble");
    EQ(g->cell[row][0].ink, INK_BAD);
    grid_find(g, "7 errors, 2 of 200 lanes in trouble");
    v.first = 195;
    view_sweep(g, &v);
    grid_find(g, "lanes 196-200 of 200; 1 of the others in trouble");
    v.first = 4294967295u;
    view_sweep(g, &v);
    grid_find(g, "lanes 1-15 of 200");
    free(g);
    free(lanes);
}

TEST(every_controller_can_be_brought_onto_the_screen)
{
    struct controller_view many[24];
    struct sweep_view v = {
        .title = "t", .step = 1, .steps = 1, .controllers = many, .controller_count = 24
    };
    struct grid *g = grid_new(80, 25);
    char name[20];

    for (unsigned i = 0; i < 24; i++) {
        many[i] = (struct controller_view){ .bytes_per_s = 7123456789, .link_bytes_per_s = 7880000000 };
        snprintf(many[i].name, sizeof many[i].name, "megaraid%u", i);
    }
    view_sweep(g, &v);
    grid_find(g, "1-3 of 24, Left/Right");
    for (v.first_controller = 0; v.first_controller < 24; v.first_controller++) {
        view_sweep(g, &v);
        EQ(g->cut + g->overdrawn, 0);
        snprintf(name, sizeof name, "megaraid%u 7123", v.first_controller);
        EQ(grid_find(g, name), 3);
    }
    v.first_controller = 4000000000u;
    view_sweep(g, &v);
    grid_find(g, "1-3 of 24, Left/Right");
    v.controller_count = 3;
    v.first_controller = 0;
    view_sweep(g, &v);
    EQ(grid_find(g, "megaraid2"), 4);
    EQ(strstr(grid_row(g, 4), "Left"), 0);
    free(g);
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
    EQ(g->cell[7][column_of(g, 7, "failed")].ink, INK_BAD);
    EQ(g->cell[7][column_of(g, 7, " 12 ") + 1].ink, INK_BAD);
    EQ(g->cell[6][column_of(g, 6, " 0 ") + 1].ink, INK_DIM);
    int row = grid_find(g, "WARN: something");
    EQ(g->cell[row][0].ink, INK_WARN);
    free(g);
    free(lanes);
}

TEST(a_burn_in_shows_drives_their_phases_whole_and_the_most_time_left)
{
    struct lane_view *lanes = lanes_new(3);
    struct sweep_view v = sweep_of(lanes, 3);
    struct grid *g = grid_new(80, 25);

    v.burn_in = true;
    v.controller_count = 0;
    lanes[0] = (struct lane_view){ .disk = "megaraid0.vd0",
                                   .job = "stamped random writes",
                                   .bytes_per_s = 123400000,
                                   .done = 1,
                                   .total = 2,
                                   .left_ns = 259200000000000,
                                   .temperature_c = 41,
                                   .state = "running" };
    lanes[1] = (struct lane_view){ .disk = "sata0.1", .job = "random hours", .errors = 1, .state = "failed" };
    lanes[2] = (struct lane_view){ .disk = "nvme0n1", .job = "done", .state = "done", .done = 1, .total = 1 };
    golden_sweep(&v, "burn-in");
    view_sweep(g, &v);
    grid_find(g, " stamped random writes ");
    grid_find(g, "1 error, 1 of 3 drives in trouble");
    grid_find(g, ", at most 12 min 11 s left");
    grid_find(g, "72 h");
    free(g);
    free(lanes);
}

TEST(keys_are_named_only_where_there_may_be_a_keyboard)
{
    struct lane_view *lanes = lanes_new(3);
    struct sweep_view v = sweep_of(lanes, 3);
    struct grid *g = grid_new(80, 25);

    v.chosen = 1;
    view_sweep(g, &v);
    grid_find(g, "Esc: stop");
    EQ(g->cell[7][0].c, '>');
    v.keys = false;
    view_sweep(g, &v);
    EQ(strlen(grid_row(g, 24)), 0);
    EQ(g->cell[7][0].c, ' ');
    free(g);
    free(lanes);
}

/* ---- one disk ---- */
static void golden_disk(const struct disk_view *v, const char *name)
{
    char full[60];

    for (unsigned i = 0; i < SIZES; i++) {
        struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
        view_disk(g, v);
        snprintf(full, sizeof full, "disk-%s-%ux%u", name, sizes[i].columns, sizes[i].rows);
        grid_golden(g, full);
        free(g);
    }
}

TEST(a_disk_shows_its_charts_as_they_grow)
{
    struct lane_view *lanes = lanes_new(2);
    struct disk_view v = {
        .lane = &lanes[1],
        .what = "SAMSUNG MZ7LH960HAJR-00005, serial S45NNA0M512345, firmware HXT7404Q, 960.2 GB",
        .where = "sata0, enclosure 1 slot 3, 6 Gbit/s",
        .state = "health good, 34 C, 12345 hours"
    };

    golden_disk(&v, "new");
    for (unsigned i = 0; i < 12; i++)
        v.sizes[v.size_count++] =
            (struct size_rate){ .block_bytes = 4096u << i,
                                .flags = FLAG_HOST_BOUND | (i > 6 ? FLAG_SPLIT : 0) |
                                         (i == 5 ? FLAG_ERRORS : 0) | (i % 4 == 1 ? FLAG_UNEVEN : 0),
                                .bytes_per_s = 80000000ull + i * 41000000ull };
    for (unsigned i = 12; i < 22; i++)
        v.latency_class_ios[i] = i == 15 ? 910000 : 1 + 9000 / (i - 11);
    golden_disk(&v, "grown");
    memset(v.what, 'W', sizeof v.what - 1);
    memset(v.where, 'B', sizeof v.where - 1);
    memset(v.state, 'S', sizeof v.state - 1);
    v.size_count = DISK_VIEW_SIZES;
    for (unsigned i = 0; i < DISK_VIEW_SIZES; i++)
        v.sizes[i] = (struct size_rate){ UINT32_MAX >> i, UINT32_MAX << i, UINT64_MAX >> i * 3 };
    for (unsigned i = 0; i < LATENCY_CLASS_COUNT; i++)
        v.latency_class_ios[i] = UINT64_MAX / 64 >> i % 5;
    memset(lanes[1].job, 'j', sizeof lanes[1].job - 1);
    memset(lanes[1].disk, 'd', sizeof lanes[1].disk - 1);
    lanes[1].bytes_per_s = lanes[1].iops = lanes[1].p99_ns = lanes[1].errors = UINT64_MAX;
    lanes[1].state = "a state of many words";
    golden_disk(&v, "extreme");
    free(lanes);
}

TEST(a_disk_in_a_burn_in_has_facts_in_place_of_charts)
{
    static const struct note facts[] = {
        { "Phase 6 of 13: stamped random writes", INK_TITLE },
        { "Written: 12.3 GB of 960.2 GB, read back as written: 0 B", INK_PLAIN },
        { "Time: 2 h 05 min of at most 24 h 00 min, in this phase 34 min 10 s", INK_PLAIN },
        { "2 errors: block 123456 is not as written: an old stamp of pass 1, seen at LBA 987654, which was "
          "expected to be overwritten in the second pass by the stamp with the number 42",
          INK_BAD },
    };
    struct lane_view lane = { .disk = "sata1.1", .job = "stamped random writes", .errors = 2 };
    struct disk_view v = { .lane = &lane,
                           .what = "SAMSUNG MZ7LH960HAJR-00005, serial S45NNA0M512345, 960.2 GB",
                           .where = "sata0, enclosure 1 slot 3, 6 Gbit/s",
                           .state = "health good, 34 C, 12345 hours",
                           .facts = facts,
                           .fact_count = 4 };
    struct grid *g = grid_new(80, 25);

    lane.state = "running";
    lane.bytes_per_s = 212300000;
    lane.done = 1;
    lane.total = 80;
    golden_disk(&v, "burn-in");
    lane.bytes_per_s = 0;
    view_disk(g, &v);
    grid_find(g, "stamped random writes: no rate in this phase, 2 errors");
    free(g);
}

TEST(the_slow_end_of_the_latencies_is_never_left_out)
{
    struct lane_view *lanes = lanes_new(2);
    struct disk_view v = { .lane = &lanes[1] };
    struct grid *g = grid_new(80, 25);

    for (unsigned i = 0; i < LATENCY_CLASS_COUNT; i++)
        v.latency_class_ios[i] = 1000;
    view_disk(g, &v);
    grid_find(g, "above");
    memset(v.latency_class_ios, 0, sizeof v.latency_class_ios);
    v.latency_class_ios[0] = 999999999;
    v.latency_class_ios[31] = 1;
    view_disk(g, &v);
    int row = grid_find(g, "above");
    HAS_STR(grid_row(g, row), "above #");
    free(g);
    free(lanes);
}

TEST(tiny_screens_draw_within_themselves)
{
    struct lane_view *lanes = lanes_new(5);
    struct sweep_view v = sweep_of(lanes, 5);
    struct disk_view d = { .lane = lanes, .what = "what", .where = "where", .state = "state" };
    struct start_view s = { .product = "p", .machine = "m", .medium = "x", .plan = "y", .counts = "c" };
    struct end_drive drive = { .verdict = VERDICT_FAIL, .name = "n", .why = "because" };
    struct end_view e = {
        .verdict = VERDICT_NOT_TESTED, .headline = "h", .where = "w", .drives = &drive, .drive_count = 1
    };
    struct note notes[3] = { { .text = "one" }, { .text = "two" }, { .text = "three" } };
    struct text_view t = { .title = "t", .keys = "k", .notes = notes, .note_count = 3 };

    for (unsigned columns = 0; columns < 100; columns += 7)
        for (unsigned rows = 0; rows < 26; rows += 5) {
            struct grid *g = grid_new(columns, rows);
            view_sweep(g, &v);
            view_disk(g, &d);
            view_start(g, &s);
            view_end(g, &e);
            view_text(g, &t);
            EQ(g->cell[rows][0].c, 0x5a);
            EQ(g->cell[0][columns].c, 0x5a);
            free(g);
        }
    free(lanes);
}
