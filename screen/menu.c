#include "menu.h"
#include "bits.h"
#include "str.h"
#include "text.h"

const struct menu_item menu_items[] = {
    { "Run now", "What is set below, on the disks that are chosen.", MENU_MAIN, MENU_RUN },
    { "Resume an unfinished run", NULL, MENU_MAIN, MENU_RESUME },
    { "Disks", "Which disks are read; Enter there shows one in words, b makes its light blink.", MENU_DISKS,
      MENU_NOTHING },
    { "What runs", "The built-in plan, a benchmark that people compare, or a burn-in.", MENU_PLANS,
      MENU_NOTHING },
    { "Time at most", "What does not fit into it is NOT-TESTED.", MENU_BUDGETS, MENU_NOTHING },
    { "Checks alone", "Slots, links, power, health: the findings, without measuring.", MENU_MAIN,
      MENU_CHECKS },
    { "An earlier run's result", "The newest that lies on the stick.", MENU_MAIN, MENU_EARLIER },
    { "Writing to disks", "What the arming file allows. The word is asked for when the run begins.",
      MENU_MAIN, MENU_ARM },
    { "Save these settings", "Into baresweep.conf on the stick: the next start takes them.", MENU_MAIN,
      MENU_SAVE },
    { "Restart", "Ends this run as ABORTED. Asks for a typed word.", MENU_MAIN, MENU_REBOOT },
    { "Power off", "Ends this run as ABORTED. Asks for a typed word.", MENU_MAIN, MENU_POWER_OFF },
    { "Back to the firmware", "Ends this run as ABORTED. Asks for a typed word.", MENU_MAIN, MENU_FIRMWARE },
};
const unsigned menu_item_count = ARRAY_COUNT(menu_items);

const struct menu_budget menu_budgets[] = {
    { 60, "1 min" },    { 300, "5 min" },        { 900, "15 min" },      { 1800, "30 min" },
    { 3600, "1 hour" }, { 4 * 3600, "4 hours" }, { 24 * 3600, "1 day" }, { 72 * 3600, "3 days" },
};
const unsigned menu_budget_count = ARRAY_COUNT(menu_budgets);

const char *menu_budget_name(unsigned s, char *buf, size_t cap)
{
    struct text t = text_over(buf, cap);

    for (unsigned i = 0; i < menu_budget_count; i++)
        if (menu_budgets[i].s == s)
            return menu_budgets[i].name;
    text_duration(&t, s * NS_PER_S);
    return buf;
}

/* Its row is the second. */
static unsigned row_of(const struct menu *m, unsigned i) { return i + (i && !m->unfinished); }
unsigned menu_shown_count(const struct menu *m) { return menu_item_count - !m->unfinished; }
const struct menu_item *menu_shown_item(const struct menu *m, unsigned i)
{
    return &menu_items[row_of(m, i)];
}

const struct menu_disk *menu_disk(const struct menu *m)
{
    return m->cursor[MENU_DISKS] < m->disk_count ? &m->disks[m->cursor[MENU_DISKS]] : NULL;
}

unsigned menu_chosen(const struct menu *m)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->disk_count; i++)
        n += m->disks[i].chosen;
    return n;
}

void menu_text(struct menu *m, const char *title, const struct note *notes, unsigned count)
{
    if (m->page != MENU_TEXT)
        m->back = m->page;
    m->page = MENU_TEXT;
    m->title = title;
    m->notes = notes;
    m->note_count = count;
    m->first = m->first_max = 0;
}

/* ---- moving ---- */
static unsigned item_count(const struct menu *m)
{
    const unsigned counts[MENU_PAGE_COUNT] = {
        [MENU_MAIN] = menu_shown_count(m),  [MENU_DISKS] = m->disk_count,   [MENU_PLANS] = m->plan_count,
        [MENU_BUDGETS] = menu_budget_count, [MENU_TEXT] = m->first_max + 1,
    };

    return counts[m->page];
}

static void move(struct menu *m, uint16_t key)
{
    unsigned *at = m->page == MENU_TEXT ? &m->first : &m->cursor[m->page];
    unsigned count = item_count(m), last = count ? count - 1 : 0, page = m->page_rows ? m->page_rows : 1;

    if (key == KEY_UP)
        *at -= *at != 0;
    else if (key == KEY_DOWN)
        *at += 1;
    else if (key == KEY_PAGE_UP)
        *at -= *at < page ? *at : page;
    else if (key == KEY_PAGE_DOWN)
        *at += page;
    else if (key == KEY_HOME)
        *at = 0;
    else if (key == KEY_END)
        *at = last;
    if (*at > last)
        *at = last;
}

/* ---- what keys do, per page ---- */
static enum menu_action choose_item(struct menu *m)
{
    const struct menu_item *i = menu_shown_item(m, m->cursor[MENU_MAIN]);

    if (i->page != MENU_MAIN) {
        m->page = i->page;
        return MENU_NOTHING;
    }
    if (i->action == MENU_RUN && m->disk_count && !menu_chosen(m)) {
        str_copy(m->remark, sizeof m->remark, "No disk is chosen: choose at least one under Disks.");
        return MENU_NOTHING;
    }
    return (enum menu_action)i->action;
}

static enum menu_action toggle(struct menu *m)
{
    struct menu_disk *d = m->cursor[MENU_DISKS] < m->disk_count ? &m->disks[m->cursor[MENU_DISKS]] : NULL;

    if (d && d->why[0])
        str_fmt(m->remark, sizeof m->remark, "%s cannot be used: %s", d->name, d->why);
    else if (d)
        d->chosen = !d->chosen;
    return MENU_NOTHING;
}

static enum menu_action choose_all(struct menu *m)
{
    for (unsigned i = 0; i < m->disk_count; i++)
        m->disks[i].chosen = !m->disks[i].why[0];
    return MENU_NOTHING;
}

static enum menu_action choose_none(struct menu *m)
{
    for (unsigned i = 0; i < m->disk_count; i++)
        m->disks[i].chosen = false;
    return MENU_NOTHING;
}

static enum menu_action look(struct menu *m) { return m->disk_count ? MENU_LOOK : MENU_NOTHING; }
static enum menu_action blink(struct menu *m) { return m->disk_count ? MENU_BLINK : MENU_NOTHING; }

static enum menu_action to_main(struct menu *m)
{
    m->page = MENU_MAIN;
    return MENU_NOTHING;
}

static enum menu_action choose_plan(struct menu *m)
{
    if (m->cursor[MENU_PLANS] < m->plan_count)
        m->plan = m->cursor[MENU_PLANS];
    return to_main(m);
}

static enum menu_action choose_budget(struct menu *m)
{
    m->budget_s = menu_budgets[m->cursor[MENU_BUDGETS]].s;
    return to_main(m);
}

static enum menu_action close_text(struct menu *m)
{
    m->page = m->back;
    return MENU_NOTHING;
}

static enum menu_action help(struct menu *m)
{
    unsigned count;
    const struct note *notes = help_notes(&count);

    menu_text(m, "Help", notes, count);
    return MENU_NOTHING;
}

static const struct {
    uint8_t page;
    uint16_t key;
    enum menu_action (*act)(struct menu *m);
} keys[] = {
    { MENU_MAIN, KEY_ENTER, choose_item }, { MENU_DISKS, ' ', toggle },
    { MENU_DISKS, 'a', choose_all },       { MENU_DISKS, 'n', choose_none },
    { MENU_DISKS, KEY_ENTER, look },       { MENU_DISKS, 'b', blink },
    { MENU_DISKS, KEY_ESC, to_main },      { MENU_PLANS, KEY_ENTER, choose_plan },
    { MENU_PLANS, KEY_ESC, to_main },      { MENU_BUDGETS, KEY_ENTER, choose_budget },
    { MENU_BUDGETS, KEY_ESC, to_main },    { MENU_TEXT, KEY_ENTER, close_text },
    { MENU_TEXT, KEY_ESC, close_text },
};

enum menu_action menu_key(struct menu *m, uint16_t key)
{
    m->remark[0] = 0;
    if (key == KEY_F1 || key == '?')
        return help(m);
    for (unsigned i = 0; i < ARRAY_COUNT(keys); i++)
        if (keys[i].page == m->page && keys[i].key == key)
            return keys[i].act(m);
    move(m, key);
    return MENU_NOTHING;
}
