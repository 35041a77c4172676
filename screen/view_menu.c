#include "bits.h"
#include "menu.h"
#include "parts.h"
#include "str.h"
#include "text.h"

enum { LIST_ROW = 2, FOOT_ROWS = 6 }; /* blank, two rows about the item, two for news, keys */

/* The rows of a list that are on the screen: the cursor is always among them. */
struct window {
    unsigned first, end;
};

static struct window window_of(struct grid *g, struct menu *m, unsigned count)
{
    int room = g->rows - LIST_ROW - FOOT_ROWS;
    unsigned rows = room > 1 ? (unsigned)room : 1, at = m->cursor[m->page];
    struct window w;

    m->page_rows = rows;
    w.first = count > rows ? at / rows * rows : 0;
    w.end = w.first + rows < count ? w.first + rows : count;
    if (count > rows)
        grid_text(g, LIST_ROW - 1, 2, INK_DIM, "%u-%u of %u", w.first + 1, w.end, count);
    return w;
}

static enum ink mark(struct grid *g, const struct menu *m, unsigned i, int row)
{
    bool here = i == m->cursor[m->page];

    if (here) {
        part_bar(g, row, INK_PICK, "");
        grid_text(g, row, 0, INK_PICK, ">");
    }
    return here ? INK_PICK : INK_PLAIN;
}

static void put_foot(struct grid *g, const struct menu *m, const char *about, const char *keys)
{
    part_wrapped(g, g->rows - 5, 2, 0, INK_PLAIN, about);
    part_wrapped(g, g->rows - 3, 2, 0, INK_WARN, m->remark);
    part_keys(g, keys);
}

/* ---- pages ---- */
static void item_value(const struct menu *m, const struct menu_item *item, char *buf, size_t cap)
{
    unsigned page = item->page;
    char name[40];

    buf[0] = 0;
    if (page == MENU_DISKS)
        str_fmt(buf, cap, "%u of %u", menu_chosen(m), m->disk_count);
    else if (page == MENU_PLANS && m->plan < m->plan_count)
        str_copy(buf, cap, m->plans[m->plan].name);
    else if (page == MENU_BUDGETS && m->plan < m->plan_count && m->plans[m->plan].time)
        str_copy(buf, cap, m->plans[m->plan].time);
    else if (page == MENU_BUDGETS)
        str_copy(buf, cap, menu_budget_name(m->budget_s, name, sizeof name));
    else if (item->action == MENU_RESUME && m->unfinished)
        str_copy(buf, cap, m->unfinished);
}

static void view_main(struct grid *g, struct menu *m)
{
    enum { VALUE_COLUMN = 32 };
    struct window w = window_of(g, m, menu_shown_count(m));
    const struct menu_item *here = menu_shown_item(m, m->cursor[MENU_MAIN]);
    char value[80];

    for (unsigned i = w.first; i < w.end; i++) {
        int row = LIST_ROW + (int)(i - w.first);
        enum ink ink = mark(g, m, i, row);
        const struct menu_item *item = menu_shown_item(m, i);

        part_text(g, row, 2, VALUE_COLUMN - 3, ink, item->label);
        item_value(m, item, value, sizeof value);
        part_text(g, row, VALUE_COLUMN, part_width(g) - VALUE_COLUMN, ink == INK_PLAIN ? INK_GOOD : ink,
                  value);
    }
    put_foot(g, m, here->what ? here->what : m->unfinished_what,
             "Up/Down: move   Enter: do it   F1: help   a minute of silence: run");
}

static void put_disk(struct grid *g, int row, const struct menu_disk *d, enum ink ink)
{
    enum { NAME = 16, MODEL = 22, SERIAL = 16, SIZE = 9 };
    int column = 2, width = part_width(g), spare = width - 2 - 4 - NAME - MODEL - SERIAL - SIZE - 4;
    int model = MODEL + (spare > 0 ? spare / 3 : 0), serial = SERIAL + (spare > 0 ? spare / 3 : 0);

    if (d->why[0] && ink == INK_PLAIN)
        ink = INK_DIM;
    grid_text(g, row, column, ink, d->why[0] ? " - " : d->chosen ? "[x]" : "[ ]");
    column += 4;
    part_name(g, row, column, NAME, ink, d->name);
    column += NAME + 1;
    part_text(g, row, column, model, ink, d->model);
    column += model + 1;
    part_name(g, row, column, serial, ink, d->serial);
    column += serial + 1;
    part_right(g, row, column, SIZE, ink, d->size);
    column += SIZE + 1;
    if (d->armed)
        part_text(g, row, column, width - column, INK_BAD, "ARMED");
}

static void view_disks(struct grid *g, struct menu *m)
{
    struct window w = window_of(g, m, m->disk_count);
    const struct menu_disk *d = menu_disk(m);
    char about[240] = "No disk was found.";

    for (unsigned i = w.first; i < w.end; i++) {
        int row = LIST_ROW + (int)(i - w.first);

        put_disk(g, row, &m->disks[i], mark(g, m, i, row));
    }
    if (d && d->why[0])
        str_fmt(about, sizeof about, "%s cannot be used: %s", d->name, d->why);
    else if (d)
        str_fmt(about, sizeof about, "%s: %s", d->name,
                d->armed ? "armed: a plan that writes overwrites it, what is on it is lost" : "read-only");
    put_foot(g, m, about, "Space: choose   a: all   n: none   Enter: look   b: blink   Esc: back");
}

static void view_plans(struct grid *g, struct menu *m)
{
    struct window w = window_of(g, m, m->plan_count);

    for (unsigned i = w.first; i < w.end; i++) {
        int row = LIST_ROW + (int)(i - w.first);
        enum ink ink = mark(g, m, i, row);

        grid_text(g, row, 2, ink, i == m->plan ? "(x) %s" : "( ) %s", m->plans[i].name);
    }
    put_foot(g, m, m->cursor[MENU_PLANS] < m->plan_count ? m->plans[m->cursor[MENU_PLANS]].what : "",
             "Up/Down: move   Enter: take it   Esc: back");
}

static void view_budgets(struct grid *g, struct menu *m)
{
    struct window w = window_of(g, m, menu_budget_count);

    for (unsigned i = w.first; i < w.end; i++) {
        int row = LIST_ROW + (int)(i - w.first);
        enum ink ink = mark(g, m, i, row);

        grid_text(g, row, 2, ink, menu_budgets[i].s == m->budget_s ? "(x) %s" : "( ) %s",
                  menu_budgets[i].name);
    }
    put_foot(
        g, m,
        "For the built-in plan and for presets, on this machine. Job files and burn-ins have times of their own.",
        "Up/Down: move   Enter: take it   Esc: back");
}

static void view_reading(struct grid *g, struct menu *m)
{
    struct text_view v = { .title = m->title,
                           .keys = "Up/Down PgUp/PgDn: move   Esc: back",
                           .notes = m->notes,
                           .note_count = m->note_count,
                           .first = m->first };

    m->first_max = view_text(g, &v);
    m->page_rows = g->rows > 6 ? (unsigned)g->rows - 6 : 1;
}

static const struct {
    const char *title;
    void (*draw)(struct grid *g, struct menu *m);
} pages[MENU_PAGE_COUNT] = {
    [MENU_MAIN] = { "Menu", view_main },        [MENU_DISKS] = { "Disks", view_disks },
    [MENU_PLANS] = { "What runs", view_plans }, [MENU_BUDGETS] = { "Time at most", view_budgets },
    [MENU_TEXT] = { NULL, view_reading },
};

void view_menu(struct grid *g, struct menu *m)
{
    char title[200];

    grid_clear(g, g->columns, g->rows);
    pages[m->page].draw(g, m);
    if (!pages[m->page].title)
        return;
    str_fmt(title, sizeof title, "%s   %s", pages[m->page].title, m->machine ? m->machine : "");
    part_bar(g, 0, INK_HEAD, title);
}
