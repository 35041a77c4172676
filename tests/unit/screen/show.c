#include "golden.h"
#include "show.h"

struct grid *grid_new(unsigned columns, unsigned rows)
{
    struct grid *g = malloc(sizeof *g);

    memset(g, 0x5a, sizeof *g);
    g->columns = (uint16_t)columns;
    g->rows = (uint16_t)rows;
    return g;
}

const char *grid_row(const struct grid *g, int row)
{
    static char text[GRID_MAX_COLUMNS + 1];
    unsigned len = 0;

    for (unsigned c = 0; c < g->columns; c++) {
        text[c] = g->cell[row][c].c;
        if (text[c] != ' ')
            len = c + 1;
    }
    text[len] = 0;
    return text;
}

const char *grid_show(const struct grid *g)
{
    static char text[(GRID_MAX_COLUMNS + 4) * (GRID_MAX_ROWS + 2)];
    char *at = text + sprintf(text, "%ux%u\n", g->columns, g->rows);

    for (int r = 0; r < g->rows; r++)
        at += sprintf(at, "|%s\n", grid_row(g, r));
    return text;
}

int grid_find(const struct grid *g, const char *part)
{
    for (int r = 0; r < g->rows; r++)
        if (strstr(grid_row(g, r), part))
            return r;
    test_fail(__FILE__, __LINE__, "no row with \"%s\" in\n%s", part, grid_show(g));
}

void grid_golden(const struct grid *g, const char *name)
{
    char path[100];

    for (unsigned r = 0; r < GRID_MAX_ROWS; r++)
        for (unsigned c = 0; c < GRID_MAX_COLUMNS; c++) {
            const struct cell *x = &g->cell[r][c];
            bool inside = r < g->rows && c < g->columns;
            CHECK(inside ? x->c >= 0x20 && x->c <= 0x7e && x->ink < INK_COUNT
                         : x->c == 0x5a && x->ink == 0x5a);
            CHECK(!inside || c + 1 < g->columns || x->c == ' ');
        }
    if (g->overdrawn || g->cut)
        test_fail(__FILE__, __LINE__, "%s: %u characters drawn upon others, %u cut off\n%s", name,
                  g->overdrawn, g->cut, grid_show(g));
    const char *text = grid_show(g);
    snprintf(path, sizeof path, "screen/%s.txt", name);
    check_golden(path, text, strlen(text));
}
