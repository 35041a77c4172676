#include "grid.h"
#include "bits.h"
#include "math.h"
#include "str.h"
#include "text.h"

void grid_clear(struct grid *g, unsigned columns, unsigned rows)
{
    g->next_row = 0;
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

/* A blank looks the same in all inks that colour the character only. */
static bool is_blank(const struct cell *x) { return x->c == ' ' && x->ink < INK_HEAD; }

static bool differs(const struct grid *g, const struct grid *shown, unsigned row, unsigned column)
{
    const struct cell *a = &g->cell[row][column], *b = &shown->cell[row][column];

    return (a->c != b->c || a->ink != b->ink) && !(is_blank(a) && is_blank(b));
}

static bool share_a_run(const struct cell *first, const struct cell *x)
{
    return x->ink == first->ink || (is_blank(x) && first->ink < INK_HEAD);
}

/* How many cells from `column` on belong to one call: those that differ, and short gaps between them, since
 * going to another place costs as much as drawing a few cells (OVMF: 110 us a call, 30 us a cell; a terminal:
 * a dozen bytes). */
static unsigned run_length(const struct grid *g, const struct grid *shown, unsigned row, unsigned column)
{
    enum { GAP_MAX = 4 };
    unsigned len = 0;

    for (unsigned i = 0;
         column + i < g->columns && share_a_run(&g->cell[row][column], &g->cell[row][column + i]) &&
         i < len + 1 + GAP_MAX;
         i++)
        if (differs(g, shown, row, column + i))
            len = i + 1;
        else if (!len)
            break;
    return len;
}

/* What was never shown is like nothing that could be. */
static void grow_to(struct grid *shown, unsigned columns, unsigned rows)
{
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < columns; c++)
            if (r >= shown->rows || c >= shown->columns)
                shown->cell[r][c] = (struct cell){ 0, INK_COUNT };
    if (shown->columns != columns || shown->rows != rows)
        shown->next_row = 0;
    shown->columns = (uint16_t)columns;
    shown->rows = (uint16_t)rows;
}

static bool diff_row(const struct grid *g, struct grid *shown, unsigned r,
                     bool (*put)(void *ctx, int row, int column, enum ink ink, const char *text, int len),
                     void *ctx)
{
    char run[GRID_MAX_COLUMNS];
    bool goes_on = true;

    for (unsigned c = 0; c < g->columns;) {
        unsigned len = run_length(g, shown, r, c);

        for (unsigned i = 0; i < len; i++) {
            run[i] = g->cell[r][c + i].c;
            shown->cell[r][c + i] = g->cell[r][c + i];
        }
        if (len)
            goes_on &= put(ctx, (int)r, (int)c, (enum ink)g->cell[r][c].ink, run, (int)len);
        c += len ? len : 1;
    }
    return goes_on;
}

bool grid_diff(const struct grid *g, struct grid *shown,
               bool (*put)(void *ctx, int row, int column, enum ink ink, const char *text, int len),
               void *ctx)
{
    grow_to(shown, g->columns, g->rows);
    for (unsigned i = 0, r = shown->next_row; i < g->rows; i++, r = r + 1u < g->rows ? r + 1 : 0)
        if (!diff_row(g, shown, r, put, ctx)) {
            shown->next_row = (uint16_t)(r + 1u < g->rows ? r + 1 : 0);
            return false;
        }
    shown->next_row = 0;
    return true;
}
