#include <stdlib.h>
#include <string.h>
#include "show.h"
#include "test.h"

TEST(clear_clamps_to_the_largest_grid)
{
    struct grid *g = grid_new(1, 1);

    grid_clear(g, 4000, 4000);
    EQ(g->columns, GRID_MAX_COLUMNS);
    EQ(g->rows, GRID_MAX_ROWS);
    EQ(g->cell[GRID_MAX_ROWS - 1][GRID_MAX_COLUMNS - 1].c, ' ');
    grid_clear(g, 0, 0);
    EQ(g->columns, 0);
    grid_text(g, 0, 0, INK_PLAIN, "nowhere");
    grid_bar(g, 0, 0, 10, 1, 2);
    EQ(g->cell[0][0].c, ' ');
    free(g);
}

TEST(text_outside_is_cut_and_never_wrapped)
{
    struct grid *g = grid_new(10, 3);

    grid_clear(g, 10, 3);
    grid_text(g, 1, 7, INK_BAD, "abcdef");
    grid_text(g, 0, -2, INK_BAD, "xyz");
    grid_text(g, -1, 0, INK_BAD, "above");
    grid_text(g, 3, 0, INK_BAD, "below");
    grid_text(g, 2, 10, INK_BAD, "right");
    grid_text(g, 2, -2147483647 - 1, INK_BAD, "far left");
    grid_text(g, 2147483647, 2147483647, INK_BAD, "far away");
    EQ_STR(grid_show(g), "10x3\n|z\n|       abc\n|\n");
    EQ(g->cell[1][7].ink, INK_BAD);
    EQ(g->cell[1][6].ink, INK_PLAIN);
    EQ(g->cell[1][10].c, 0x5a);
    free(g);
}

TEST(what_is_not_printable_becomes_a_question_mark)
{
    struct grid *g = grid_new(20, 1);

    grid_clear(g, 20, 1);
    grid_text(g, 0, 0, INK_PLAIN, "%s", "a\tb\x1b[0m\xc3\xa9\x7f");
    EQ_STR(grid_row(g, 0), "a?b?[0m???");
    free(g);
}

TEST(a_bar_fills_with_its_share_and_completely_only_at_the_end)
{
    static const struct {
        uint64_t done, total;
        const char *want;
    } rows[] = {
        { 0, 10, "[..........]" },
        { 1, 10, "[#.........]" },
        { 99, 100, "[#########.]" },
        { 100, 100, "[##########]" },
        { 200, 100, "[##########]" },
        { 5, 0, "[----------]" },
        { UINT64_MAX - 1, UINT64_MAX, "[#########.]" },
        { UINT64_MAX, UINT64_MAX, "[##########]" },
        { UINT64_MAX / 2, UINT64_MAX, "[####......]" },
    };
    struct grid *g = grid_new(20, 1);

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        grid_clear(g, 20, 1);
        grid_bar(g, 0, 2, 12, rows[i].done, rows[i].total);
        EQ_STR(grid_row(g, 0) + 2, rows[i].want);
    }
    grid_clear(g, 20, 1);
    grid_bar(g, 0, 0, 2, 1, 1);
    grid_bar(g, 0, 0, -5, 1, 1);
    EQ_STR(grid_row(g, 0), "");
    free(g);
}

/* ---- diff ---- */
struct drawn {
    unsigned calls, cells, most; /* most: so many calls, then it is enough; 0: no limit */
    int row[8], column[8];
    enum ink ink[8];
    char text[8][32];
};

static bool draw(void *ctx, int row, int column, enum ink ink, const char *text, int len)
{
    struct drawn *d = ctx;

    if (d->calls < 8) {
        d->row[d->calls] = row;
        d->column[d->calls] = column;
        d->ink[d->calls] = ink;
        memcpy(d->text[d->calls], text, (size_t)(len < 31 ? len : 31));
    }
    d->calls++;
    d->cells += (unsigned)len;
    return !d->most || d->calls % d->most;
}

TEST(only_what_changed_is_drawn)
{
    struct grid *g = grid_new(30, 3), *shown = grid_new(30, 3);
    struct drawn d = { 0 };

    grid_clear(g, 30, 3);
    grid_clear(shown, 30, 3);
    grid_diff(g, shown, draw, &d);
    EQ(d.calls, 0);
    grid_text(g, 1, 2, INK_GOOD, "12");
    grid_text(g, 1, 4, INK_BAD, "34");
    grid_text(g, 2, 29, INK_PLAIN, "x");
    grid_diff(g, shown, draw, &d);
    EQ(d.calls, 3);
    EQ(d.cells, 5);
    EQ_STR(d.text[0], "12");
    EQ(d.ink[0], INK_GOOD);
    EQ_STR(d.text[1], "34");
    EQ(d.column[1], 4);
    EQ(d.row[2], 2);
    EQ(d.column[2], 29);
    grid_diff(g, shown, draw, &d);
    EQ(d.calls, 3);
    /* A change of ink alone is a change. */
    grid_text(g, 1, 2, INK_BAD, "1");
    d = (struct drawn){ 0 };
    grid_diff(g, shown, draw, &d);
    EQ(d.cells, 1);
    free(g);
    free(shown);
}

TEST(a_screen_of_another_size_is_drawn_where_it_is_new)
{
    struct grid *g = grid_new(12, 2), *shown = grid_new(10, 2);
    struct drawn d = { 0 };

    grid_clear(g, 12, 2);
    grid_clear(shown, 10, 2);
    shown->cell[0][11] = (struct cell){ ' ', INK_PLAIN };
    grid_diff(g, shown, draw, &d);
    EQ(d.cells, 4);
    EQ(shown->columns, 12);
    free(g);
    free(shown);
}

/* Numbers at the top change with every picture: what is further down gets its turn all the same. */
TEST(a_picture_that_is_broken_off_goes_on_where_it_stopped)
{
    struct grid *g = grid_new(20, 6), *shown = grid_new(20, 6);
    struct drawn d = { .most = 2 };
    unsigned pictures = 0;

    grid_clear(g, 20, 6);
    grid_clear(shown, 20, 6);
    for (int r = 0; r < 6; r++)
        grid_text(g, r, 0, INK_GOOD, "row %d", r);
    while (shown->cell[5][4].c != '5' && pictures++ < 10) {
        g->cell[0][0].c = (char)('a' + pictures);
        CHECK(!grid_diff(g, shown, draw, &d) || pictures > 3);
    }
    CHECK(pictures <= 4);
    d.most = 0;
    CHECK(grid_diff(g, shown, draw, &d));
    EQ(memcmp(g->cell[0], shown->cell[0], sizeof g->cell[0]), 0);
    unsigned calls = d.calls;
    CHECK(grid_diff(g, shown, draw, &d));
    EQ(d.calls, calls);
    free(g);
    free(shown);
}

/* A row's numbers belong together: half of it new and half of it old would be a lie. */
TEST(a_picture_is_broken_off_between_rows_only)
{
    struct grid *g = grid_new(20, 3), *shown = grid_new(20, 3);
    struct drawn d = { .most = 1 };

    grid_clear(g, 20, 3);
    grid_clear(shown, 20, 3);
    for (int r = 0; r < 3; r++) {
        grid_text(g, r, 0, INK_GOOD, "new");
        grid_text(g, r, 15, INK_BAD, "new");
    }
    for (int r = 0; r < 3; r++) {
        CHECK(!grid_diff(g, shown, draw, &d));
        EQ(shown->cell[r][0].c, 'n');
        EQ(shown->cell[r][15].c, 'n');
        EQ(shown->cell[(r + 1) % 3][0].c, r == 2 ? 'n' : ' ');
    }
    CHECK(grid_diff(g, shown, draw, &d));
    free(g);
    free(shown);
}

TEST(a_first_picture_that_is_broken_off_is_drawn_whole_in_the_end)
{
    struct grid *g = grid_new(20, 6), *shown = grid_new(0, 0);
    struct drawn d = { .most = 1 };
    unsigned pictures = 1;

    grid_clear(g, 20, 6);
    grid_clear(shown, 0, 0);
    while (!grid_diff(g, shown, draw, &d))
        pictures++;
    EQ(d.cells, 120);
    EQ(pictures, 7);
    free(g);
    free(shown);
}

TEST(blanks_differ_only_where_their_ground_does)
{
    struct grid *g = grid_new(20, 1), *shown = grid_new(20, 1);
    struct drawn d = { 0 };

    grid_clear(g, 20, 1);
    grid_clear(shown, 20, 1);
    grid_text(g, 0, 0, INK_DIM, "        ");
    grid_diff(g, shown, draw, &d);
    EQ(d.calls, 0);
    grid_text(g, 0, 0, INK_SOLID_BAD, "        ");
    grid_diff(g, shown, draw, &d);
    EQ(d.cells, 8);
    grid_clear(g, 20, 1);
    grid_diff(g, shown, draw, &d);
    EQ(d.cells, 16);
    free(g);
    free(shown);
}
