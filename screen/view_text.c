#include "parts.h"
#include "views.h"

unsigned view_text(struct grid *g, const struct text_view *v)
{
    enum { HANG = 4, FIRST_ROW = 2 };
    struct scroll s;

    grid_clear(g, g->columns, g->rows);
    part_bar(g, 0, INK_HEAD, v->title);
    s = scroll_over(g, FIRST_ROW, g->rows - 2, v->first);
    for (unsigned i = 0; i < v->note_count; i++)
        scroll_text(&s, HANG, (enum ink)v->notes[i].ink, v->notes[i].text);
    part_keys(g, v->keys);
    return scroll_end(&s);
}
