#include "grid.h"
#include "bits.h"
#include "math.h"
#include "str.h"
#include "text.h"

void grid_clear(struct grid *g, unsigned columns, unsigned rows)
{
    g->columns = (uint16_t)min_u64(columns, GRID_MAX_COLUMNS);
    g->rows = (uint16_t)min_u64(rows, GRID_MAX_ROWS);
    g->overdrawn = g->cut = 0;
    for (unsigned r = 0; r < g->rows; r++)
        for (unsigned c = 0; c < g->columns; c++)
            g->cell[r][c] = (struct cell){ ' ', INK_PLAIN };
}

static void put_char(struct grid *g, int row, int column, enum ink ink, char c)
{
    if (row < 0 || row >= g->rows || column < 0 || column >= g->columns) {
        g->cut++;
        return;
    }
    g->overdrawn += c != ' ' && g->cell[row][column].c != ' ';
    g->cell[row][column] = (struct cell){ c >= 0x20 && c <= 0x7e ? c : '?', (uint8_t)ink };
}

void grid_text(struct grid *g, int row, int column, enum ink ink, const char *fmt, ...)
{
    char line[GRID_MAX_COLUMNS + 1];
    struct text t = text_over(line, sizeof line);
    va_list ap;

    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < t.len; i++, column++) {
        put_char(g, row, column, ink, line[i]);
        if (column >= g->columns)
            break;
    }
}

void grid_bar(struct grid *g, int row, int column, int width, uint64_t done, uint64_t total)
{
    int inside = width - 2, full = 0;

    if (inside < 1)
        return;
    /* The last cell fills only when all is done. */
    if (total)
        full = done >= total ? inside : (int)mul_div_u64(done, (uint64_t)inside, total);
    put_char(g, row, column, INK_DIM, '[');
    for (int i = 0; i < inside; i++)
        put_char(g, row, column + 1 + i, i < full ? INK_BAR : INK_DIM, i < full ? '#' : total ? '.' : '-');
    put_char(g, row, column + width - 1, INK_DIM, ']');
}

static bool differs(const struct grid *g, const struct grid *shown, unsigned row, unsigned column)
{
    const struct cell *a = &g->cell[row][column], *b = &shown->cell[row][column];

    return row >= shown->rows || column >= shown->columns || a->c != b->c || a->ink != b->ink;
}

/* How many cells from `column` on belong to one call: those that differ, and short gaps between them, since
 * going to another place costs more than drawing a few cells again. */
static unsigned run_length(const struct grid *g, const struct grid *shown, unsigned row, unsigned column)
{
    enum { GAP_MAX = 6 };
    unsigned len = 0;

    for (unsigned i = 0; column + i < g->columns &&
                         g->cell[row][column + i].ink == g->cell[row][column].ink && i < len + 1 + GAP_MAX;
         i++)
        if (differs(g, shown, row, column + i))
            len = i + 1;
        else if (!len)
            break;
    return len;
}

void grid_diff(const struct grid *g, struct grid *shown,
               void (*put)(void *ctx, int row, int column, enum ink ink, const char *text, int len),
               void *ctx)
{
    char run[GRID_MAX_COLUMNS];

    for (unsigned r = 0; r < g->rows; r++)
        for (unsigned c = 0; c < g->columns;) {
            unsigned len = run_length(g, shown, r, c);

            for (unsigned i = 0; i < len; i++) {
                run[i] = g->cell[r][c + i].c;
                shown->cell[r][c + i] = g->cell[r][c + i];
            }
            if (len)
                put(ctx, (int)r, (int)c, (enum ink)g->cell[r][c].ink, run, (int)len);
            c += len ? len : 1;
        }
    shown->columns = g->columns;
    shown->rows = g->rows;
}
