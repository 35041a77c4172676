#include "question.h"
#include "parts.h"
#include "text.h"

void view_question(struct grid *g, const struct question_view *v)
{
    enum { FOOT_ROWS = 6, HANG = 4 };
    char line[160];
    int width = part_width(g), row = 1, foot = g->rows - FOOT_ROWS, needed = 0;

    grid_clear(g, g->columns, g->rows);
    part_bar(g, row, INK_ALARM, v->title);
    for (unsigned i = 0; i < v->line_count; i++)
        needed += part_rows_needed(g, HANG, v->lines[i]);
    if (row + 3 + needed < foot)
        foot = row + 3 + needed;
    part_list(g, row + 2, foot, v->lines, v->line_count);
    str_fmt(line, sizeof line, "Type the word %s and press Enter.  Esc: no.", v->word);
    part_text(g, foot + 1, 0, width, INK_TITLE, line);
    grid_text(g, foot + 2, 0, INK_PLAIN, "> %s_", v->typed);
    part_text(g, foot + 3, 0, width, INK_WARN, v->remark);
    str_fmt(line, sizeof line, "Without an answer it is no, in %u s.", v->seconds_left);
    part_text(g, foot + 4, 0, width, INK_DIM, line);
}
