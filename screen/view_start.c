#include "parts.h"
#include "text.h"
#include "views.h"

static bool is_trouble(const struct note *n) { return n->ink == INK_WARN || n->ink == INK_BAD; }

/* The notes that are trouble, or those that are none, from `row` on. */
static int put_kind(struct grid *g, int row, int end, const struct start_view *v, bool trouble)
{
    for (unsigned i = 0; i < v->note_count && row < end; i++)
        if (is_trouble(&v->notes[i]) == trouble)
            part_text(g, row++, 0, part_width(g), (enum ink)v->notes[i].ink, v->notes[i].text);
    return row;
}

/* When not all fit, those that cannot be used come first: a person must know of them before it runs. */
static void put_notes(struct grid *g, int row, int end, const struct start_view *v)
{
    unsigned fit = end > row ? (unsigned)(end - row) : 0;

    if (v->note_count <= fit) {
        for (unsigned i = 0; i < v->note_count; i++)
            part_text(g, row + (int)i, 0, part_width(g), (enum ink)v->notes[i].ink, v->notes[i].text);
    } else if (fit) {
        row = put_kind(g, row, end - 1, v, true);
        put_kind(g, row, end - 1, v, false);
        grid_text(g, end - 1, 0, INK_WARN, "%u more: the menu lists all disks", v->note_count - (fit - 1));
    }
}

void view_start(struct grid *g, const struct start_view *v)
{
    enum { MACHINE_ROWS = 2, MEDIUM_ROWS = 2, PLAN_ROWS = 2, WRITES_ROWS = 2, HANG = 4 };
    const char *writes = v->writes[0] ? v->writes : "Read-only: no disk is written.";
    int row = 0, foot = g->rows - 1 - PLAN_ROWS - WRITES_ROWS, end = foot - 1;
    char medium[180];

    grid_clear(g, g->columns, g->rows);
    part_bar(g, row++, INK_HEAD, v->product);
    row += part_wrapped(g, row, MACHINE_ROWS, HANG, INK_PLAIN, v->machine);
    str_fmt(medium, sizeof medium, "Results: %s", v->medium);
    row += part_wrapped(g, row, MEDIUM_ROWS, HANG, INK_PLAIN, medium);
    row++;
    part_text(g, row++, 0, part_width(g), INK_TITLE, v->counts);
    if (v->unfinished[0]) {
        int rows = part_rows_needed(g, HANG, v->unfinished) > 1 ? 2 : 1;

        end = foot - 1 - rows;
        part_wrapped(g, end, rows, HANG, INK_WARN, v->unfinished);
        end--;
    }
    if (v->note_count)
        put_notes(g, row, end, v);
    else
        grid_text(g, row, 0, INK_WARN, "No controller and no disk was found.");
    part_wrapped(g, foot, PLAN_ROWS, HANG, INK_TITLE, v->plan);
    part_wrapped(g, foot + PLAN_ROWS, WRITES_ROWS, HANG, v->writes[0] ? INK_ALARM : INK_GOOD, writes);
    part_keys(g, v->keys);
}
