#include "parts.h"
#include "str.h"
#include "text.h"
#include "views.h"

/* ---- letters for two metres ---- */
enum { LETTER_ROWS = 7, LETTER_COLUMNS = 5, LETTER_STEP = LETTER_COLUMNS + 1 };
struct letter {
    char c;
    const char *row[LETTER_ROWS];
};
/* Those that the verdicts need; a test holds the table against verdict_text. */
static const struct letter letters[] = {
    { '-', { "     ", "     ", "     ", " ### ", "     ", "     ", "     " } },
    { 'A', { " ### ", "#   #", "#   #", "#####", "#   #", "#   #", "#   #" } },
    { 'B', { "#### ", "#   #", "#   #", "#### ", "#   #", "#   #", "#### " } },
    { 'D', { "#### ", "#   #", "#   #", "#   #", "#   #", "#   #", "#### " } },
    { 'E', { "#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#####" } },
    { 'F', { "#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#    " } },
    { 'I', { " ### ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### " } },
    { 'L', { "#    ", "#    ", "#    ", "#    ", "#    ", "#    ", "#####" } },
    { 'N', { "#   #", "##  #", "##  #", "# # #", "#  ##", "#  ##", "#   #" } },
    { 'O', { " ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### " } },
    { 'P', { "#### ", "#   #", "#   #", "#### ", "#    ", "#    ", "#    " } },
    { 'R', { "#### ", "#   #", "#   #", "#### ", "# #  ", "#  # ", "#   #" } },
    { 'S', { " ####", "#    ", "#    ", " ### ", "    #", "    #", "#### " } },
    { 'T', { "#####", "  #  ", "  #  ", "  #  ", "  #  ", "  #  ", "  #  " } },
    { 'W', { "#   #", "#   #", "#   #", "# # #", "# # #", "## ##", "#   #" } },
};

static const struct letter *letter_for(char c)
{
    for (unsigned i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (letters[i].c == c)
            return &letters[i];
    return NULL;
}

static void put_letter(struct grid *g, int row, int column, int wide, int high, enum ink ink,
                       const struct letter *l)
{
    for (int y = 0; y < LETTER_ROWS * high; y++)
        for (int x = 0; x < LETTER_COLUMNS * wide; x++)
            if (l->row[y / high][x / wide] == '#')
                grid_text(g, row + y, column + x, ink, "#");
}

/* As large as the screen allows; cells are about twice as high as wide.  Returns the rows used. */
static int put_big(struct grid *g, int row, enum ink ink, const char *word)
{
    int len = (int)str_len(word), high = g->rows >= 50 ? 2 : 1, wide = 2 * high, width;

    while (wide > 1 && len * LETTER_STEP * wide > part_width(g))
        wide--;
    width = (len * LETTER_STEP - 1) * wide;
    if (width > part_width(g)) {
        grid_text(g, row, 0, ink, "%s", word);
        return 1;
    }
    for (int i = 0; i < len; i++) {
        const struct letter *l = letter_for(word[i]);
        if (l)
            put_letter(g, row, (part_width(g) - width) / 2 + i * LETTER_STEP * wide, wide, high, ink, l);
    }
    return LETTER_ROWS * high;
}

void view_end(struct grid *g, const struct end_view *v)
{
    enum { HEADLINE_ROWS = 2, WHERE_ROWS = 3, HANG = 4 };
    char where[420];
    int row = 1, where_rows;

    grid_clear(g, g->columns, g->rows);
    row += put_big(g, row, part_verdict_ink(v->verdict), verdict_text(v->verdict)) + 1;
    row += part_wrapped(g, row, HEADLINE_ROWS, HANG, INK_TITLE, v->headline) + 1;
    str_fmt(where, sizeof where, "Results: %s", v->where);
    where_rows = part_rows_needed(g, HANG, where);
    if (where_rows > WHERE_ROWS)
        where_rows = WHERE_ROWS;
    part_list(g, row, g->rows - where_rows - 1, v->lines, v->line_count);
    part_wrapped(g, g->rows - where_rows, where_rows, HANG, INK_PLAIN, where);
}
