#ifndef SCREEN_MENU_H
#define SCREEN_MENU_H
#include <stddef.h>
#include "key.h"
#include "views.h"

/* The menu is a value; a key makes the next one and says what is to be done outside.  What cannot be undone
 * (restart, power off, writing) is only asked for here: whoever does it asks for a typed word (question.h).
 */

enum menu_page { MENU_MAIN, MENU_DISKS, MENU_PLANS, MENU_BUDGETS, MENU_TEXT, MENU_PAGE_COUNT };
enum menu_action {
    MENU_NOTHING,
    MENU_RUN,
    MENU_RESUME,  /* an unfinished run */
    MENU_CHECKS,  /* the checks alone: nothing is measured */
    MENU_LOOK,    /* at menu_disk(m), in words */
    MENU_BLINK,   /* menu_disk(m) shows its bay */
    MENU_EARLIER, /* the result of an earlier run */
    MENU_ARM,
    MENU_SAVE,
    MENU_REBOOT,
    MENU_POWER_OFF,
    MENU_FIRMWARE
};
struct menu_disk {
    char name[24], model[48], serial[40], size[16];
    char why[160]; /* it cannot be used; "" when it can */
    bool chosen, armed;
};
struct menu_plan {
    const char *name, *what;
    const char *time; /* its own, which the limit does not change; NULL: the limit counts */
};
struct menu {
    const char *machine; /* for the first line */
    struct menu_disk *disks;
    unsigned disk_count;
    const struct menu_plan *plans;
    unsigned plan_count, plan;
    unsigned budget_s;
    const char *unfinished, *unfinished_what; /* a run that can be resumed; NULL: none, and no item for it */
    uint8_t page, back;                       /* back: where a text was opened */
    unsigned cursor[MENU_PAGE_COUNT];
    unsigned page_rows; /* of lists, as last drawn */
    const char *title;  /* of the text page */
    const struct note *notes;
    unsigned note_count, first, first_max;
    char remark[160]; /* the last line of news; "" */
};
enum menu_action menu_key(struct menu *m, uint16_t key);
/* Shows a text; Esc goes back to where it was opened. */
void menu_text(struct menu *m, const char *title, const struct note *notes, unsigned count);
const struct menu_disk *menu_disk(const struct menu *m); /* under the cursor; NULL: there is none */
unsigned menu_chosen(const struct menu *m);              /* how many disks are */
/* Draws the page and notes how much of it fits. */
void view_menu(struct grid *g, struct menu *m);

/* What F1 shows. */
const struct note *help_notes(unsigned *count);

/* ---- the tables, which view and keys walk ---- */
struct menu_item {
    const char *label, *what; /* what NULL: the menu's unfinished_what */
    uint8_t page;             /* opens it; MENU_MAIN: none */
    uint8_t action;           /* enum menu_action */
};
extern const struct menu_item menu_items[];
extern const unsigned menu_item_count;
/* Those that are shown: the one that resumes only when there is something to resume. */
unsigned menu_shown_count(const struct menu *m);
const struct menu_item *menu_shown_item(const struct menu *m, unsigned i);
struct menu_budget {
    unsigned s;
    const char *name;
};
extern const struct menu_budget menu_budgets[];
extern const unsigned menu_budget_count;
const char *menu_budget_name(unsigned s, char *buf, size_t cap); /* also of one that is not in the table */

#endif
