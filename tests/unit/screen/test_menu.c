#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "menu.h"
#include "show.h"
#include "test.h"

static const struct menu_plan plans[] = {
    { "built-in plan", "Sequential reads by block size, random reads, inner and outer edge.", NULL },
    { "quick", "Three figures per disk in under three minutes, all disks at once.", NULL },
    { "atto", "15 sizes from 0.5 KB to 8 MB, sequential, four requests in flight.", NULL },
};

static void menu_up(struct menu *m, unsigned disks)
{
    *m = (struct menu){
        .machine = "Dell Inc. PowerEdge R720", .plans = plans, .plan_count = 3, .budget_s = 900
    };
    m->disks = calloc(disks + 1, sizeof *m->disks);
    m->disk_count = disks;
    for (unsigned i = 0; i < disks; i++) {
        struct menu_disk *d = &m->disks[i];

        snprintf(d->name, sizeof d->name, "sata%u.%u", i / 6, i % 6);
        snprintf(d->model, sizeof d->model, "WDC WD40EFRX-68N32N0");
        snprintf(d->serial, sizeof d->serial, "WD-WCC7K%07u", i * 77);
        snprintf(d->size, sizeof d->size, "4.00 TB");
        if (i % 9 == 7)
            snprintf(d->why, sizeof d->why, "its controller is on the path of the boot medium");
        d->chosen = !d->why[0];
        d->armed = i == 2;
    }
}

static enum menu_action press(struct menu *m, const char *keys)
{
    static const struct {
        char c;
        uint16_t key;
    } names[] = { { 'v', KEY_DOWN },    { '^', KEY_UP },    { 'V', KEY_PAGE_DOWN },
                  { 'A', KEY_PAGE_UP }, { '.', KEY_ENTER }, { '<', KEY_ESC },
                  { 'H', KEY_HOME },    { 'E', KEY_END },   { '!', KEY_F1 } };
    enum menu_action a = MENU_NOTHING;

    for (; *keys; keys++) {
        uint16_t key = (uint16_t)*keys;
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
            if (names[i].c == *keys)
                key = names[i].key;
        a = menu_key(m, key);
    }
    return a;
}

TEST(enter_on_the_first_item_runs)
{
    struct menu m;

    menu_up(&m, 3);
    EQ(press(&m, "."), MENU_RUN);
    EQ(press(&m, "v^^^^."), MENU_RUN);
    free(m.disks);
}

TEST(two_disks_and_a_preset_are_chosen_by_keys)
{
    struct menu m;

    menu_up(&m, 5);
    EQ(press(&m, "v.nv vv <"), MENU_NOTHING);
    EQ(m.page, MENU_MAIN);
    EQ(menu_chosen(&m), 2);
    CHECK(m.disks[1].chosen && m.disks[3].chosen);
    EQ(press(&m, "v.v."), MENU_NOTHING);
    EQ(m.page, MENU_MAIN);
    EQ(m.plan, 1);
    EQ(press(&m, "v.v."), MENU_NOTHING);
    EQ(m.budget_s, menu_budgets[1].s);
    EQ(press(&m, "H."), MENU_RUN);
    free(m.disks);
}

TEST(a_disk_that_cannot_be_used_is_not_chosen_and_says_why)
{
    struct menu m;

    menu_up(&m, 9);
    press(&m, "v.vvvvvvv ");
    EQ(m.cursor[MENU_DISKS], 7);
    CHECK(!m.disks[7].chosen);
    HAS_STR(m.remark, "path of the boot medium");
    press(&m, "na");
    EQ(menu_chosen(&m), 8);
    CHECK(!m.disks[7].chosen);
    free(m.disks);
}

TEST(nothing_runs_without_a_disk)
{
    struct menu m;

    menu_up(&m, 3);
    EQ(press(&m, "v.n<^."), MENU_NOTHING);
    HAS_STR(m.remark, "No disk is chosen");
    free(m.disks);
    /* On a machine without any disk the run is how its findings are written down. */
    menu_up(&m, 0);
    EQ(press(&m, "."), MENU_RUN);
    EQ(press(&m, "v."), MENU_NOTHING);
    EQ(press(&m, " .b"), MENU_NOTHING);
    CHECK(!menu_disk(&m));
    free(m.disks);
}

TEST(each_item_does_what_its_row_says)
{
    for (unsigned i = 0; i < menu_item_count; i++) {
        struct menu m;

        menu_up(&m, 2);
        m.unfinished = "2026-11-30 14:15, 3 of 12 steps done";
        m.cursor[MENU_MAIN] = i;
        EQ(menu_key(&m, KEY_ENTER), menu_items[i].action);
        EQ(m.page, menu_items[i].page);
        free(m.disks);
    }
}

TEST(resuming_is_offered_only_when_there_is_something_to_resume)
{
    struct menu m;

    menu_up(&m, 2);
    EQ(menu_shown_count(&m), menu_item_count - 1);
    for (unsigned i = 0; i < menu_shown_count(&m); i++)
        CHECK(menu_shown_item(&m, i)->action != MENU_RESUME);
    EQ(press(&m, "E."), MENU_FIRMWARE);
    EQ(press(&m, "Hv."), MENU_NOTHING);
    EQ(m.page, MENU_DISKS);
    m.page = MENU_MAIN;
    m.unfinished = "2026-11-30 14:15, 3 of 12 steps done";
    EQ(press(&m, "E."), MENU_FIRMWARE);
    EQ(press(&m, "H."), MENU_RUN);
    EQ(press(&m, "v."), MENU_RESUME);
    free(m.disks);
}

TEST(esc_is_back_from_everywhere)
{
    struct menu m;

    menu_up(&m, 3);
    for (unsigned page = 0; page < MENU_TEXT; page++) {
        m.page = (uint8_t)page;
        press(&m, "!");
        EQ(m.page, MENU_TEXT);
        press(&m, "!");
        press(&m, "<");
        EQ(m.page, page);
        EQ(press(&m, "<"), MENU_NOTHING);
        EQ(m.page, MENU_MAIN);
    }
    free(m.disks);
}

TEST(the_cursor_stays_within_every_page_whatever_is_pressed)
{
    static const char keys[] = "v^VA.<HE! anb";
    uint64_t seed = 7;
    struct menu m;
    struct grid *g = grid_new(80, 25);

    menu_up(&m, 200);
    for (unsigned i = 0; i < 20000; i++) {
        const char key[2] = { keys[(seed >> 33) % (sizeof keys - 1)], 0 };
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        press(&m, key);
        if (i % 50 == 0)
            view_menu(g, &m);
        CHECK(m.page < MENU_PAGE_COUNT);
        CHECK(m.cursor[MENU_MAIN] < menu_item_count && m.cursor[MENU_DISKS] < 200);
        CHECK(m.cursor[MENU_PLANS] < 3 && m.cursor[MENU_BUDGETS] < menu_budget_count);
        CHECK(m.page != MENU_TEXT || m.first <= m.first_max);
    }
    free(m.disks);
    free(g);
}

static void golden_menu(struct menu *m, const char *name)
{
    static const struct {
        unsigned columns, rows;
    } sizes[] = { { 80, 25 }, { 240, 80 } };
    char full[60];

    for (unsigned i = 0; i < 2; i++) {
        struct grid *g = grid_new(sizes[i].columns, sizes[i].rows);
        view_menu(g, m);
        snprintf(full, sizeof full, "menu-%s-%ux%u", name, sizes[i].columns, sizes[i].rows);
        grid_golden(g, full);
        free(g);
    }
}

TEST(every_page_of_the_menu_is_drawn)
{
    static const unsigned counts[] = { 0, 1, 5, 24, 200 };
    char name[20];
    struct menu m;

    for (unsigned i = 0; i < 5; i++) {
        menu_up(&m, counts[i]);
        m.page = MENU_DISKS;
        m.cursor[MENU_DISKS] = counts[i] > 20 ? counts[i] - 2 : 0;
        snprintf(name, sizeof name, "disks-%u", counts[i]);
        golden_menu(&m, name);
        free(m.disks);
    }
    menu_up(&m, 14);
    golden_menu(&m, "main");
    m.unfinished = "2026-11-30 14:15, 3 of 12 steps done";
    m.unfinished_what =
        "preset crystaldiskmark: runs the 9 steps that are left, on its disks and with its settings; those "
        "done are taken over. What writes is asked for as ever.";
    m.cursor[MENU_MAIN] = 1;
    golden_menu(&m, "resume");
    m.unfinished = NULL;
    m.page = MENU_PLANS;
    m.cursor[MENU_PLANS] = 1;
    golden_menu(&m, "plans");
    m.page = MENU_BUDGETS;
    golden_menu(&m, "budgets");
    free(m.disks);
}

TEST(the_longest_names_keep_to_their_columns_in_the_menu)
{
    struct menu m;

    menu_up(&m, 3);
    for (unsigned i = 0; i < 3; i++) {
        memset(m.disks[i].name, 'n', sizeof m.disks[i].name - 1);
        memset(m.disks[i].model, 'm', sizeof m.disks[i].model - 1);
        memset(m.disks[i].serial, 's', sizeof m.disks[i].serial - 1);
        memset(m.disks[i].size, '9', sizeof m.disks[i].size - 1);
        if (i)
            memset(m.disks[i].why, 'w', sizeof m.disks[i].why - 1);
        m.disks[i].armed = true;
    }
    m.page = MENU_DISKS;
    m.cursor[MENU_DISKS] = 1;
    memset(m.remark, 'r', sizeof m.remark - 1);
    golden_menu(&m, "long");
    free(m.disks);
}
