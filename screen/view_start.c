#include "parts.h"
#include "text.h"
#include "views.h"

void view_start(struct grid *g, const struct start_view *v)
{
    enum { MACHINE_ROWS = 2, MEDIUM_ROWS = 2, PLAN_ROWS = 2, HANG = 4 };
    int row = 0;
    char medium[120];

    grid_clear(g, g->columns, g->rows);
    part_text(g, row++, 0, part_width(g), INK_TITLE, v->product);
    row += part_wrapped(g, row, MACHINE_ROWS, HANG, INK_PLAIN, v->machine);
    str_fmt(medium, sizeof medium, "Results: %s", v->medium);
    row += part_wrapped(g, row, MEDIUM_ROWS, HANG, INK_PLAIN, medium);
    row++;
    if (!v->line_count)
        grid_text(g, row, 0, INK_WARN, "no controller and no disk was found");
    part_list(g, row, g->rows - PLAN_ROWS - 1, v->lines, v->line_count);
    part_wrapped(g, g->rows - PLAN_ROWS, PLAN_ROWS, HANG, INK_TITLE, v->plan);
}
