#include "end_screen.h"
#include "console.h"
#include "end_read.h"
#include "keys.h"
#include "menu.h"
#include "record.h"
#include "resume_run.h"
#include "serial.h"

static struct end_facts facts;
static struct end_view view;
static unsigned last_row;

static void show(unsigned stays_s)
{
    str_fmt(view.keys, sizeof view.keys,
            "PgUp/PgDn: move   F1: help   Enter: done   stays for %u s without a key", stays_s);
    last_row = view_end(console_grid(), &view);
    console_show();
}

void end_screen_show(const struct medium *m, const char *sent)
{
    size_t len;
    const char *text = record_text(&len);

    view = (struct end_view){ .headline = "nothing was recorded" };
    end_read(text, len, &facts, &view);
    str_fmt(view.where, sizeof view.where, "%s%s%s", m->state == MEDIUM_OK ? m->where : m->problem,
            sent[0] ? "; " : "", sent);
    if (m->state == MEDIUM_OK && resume_hint()[0]) {
        struct text headline =
            text_over(view.headline + str_len(view.headline), sizeof view.headline - str_len(view.headline));

        text_fmt(&headline, ". %s", resume_hint());
        serial_say("%s", resume_hint());
    }
    serial_say("run %s", view.code);
    if (console_present())
        show(0);
}

/* Where a key moves to in a list. */
static unsigned moved(unsigned at, uint16_t key, unsigned last)
{
    enum { PAGE = 8 };

    if (key == KEY_UP || key == KEY_PAGE_UP) {
        unsigned by = key == KEY_UP ? 1 : PAGE;
        at -= at < by ? at : by;
    } else if (key == KEY_DOWN || key == KEY_PAGE_DOWN)
        at += key == KEY_DOWN ? 1 : PAGE;
    else if (key == KEY_HOME)
        at = 0;
    else if (key == KEY_END)
        at = last;
    return at < last ? at : last;
}

/* Until Esc or Enter, or silence for so long; false: silence. */
static bool help(unsigned stays_s)
{
    struct text_view v = { .title = "Help", .keys = "Up/Down PgUp/PgDn: move   Esc: back" };
    struct press p;

    v.notes = help_notes(&v.note_count);
    for (;;) {
        unsigned last = view_text(console_grid(), &v);
        console_show();
        if (!keys_person(&p, stays_s * 1000))
            return false;
        if (p.key == KEY_ENTER || p.key == KEY_ESC)
            return true;
        v.first = moved(v.first, p.key, last);
    }
}

void end_screen_stay(const struct conf *conf)
{
    enum { AFTER_A_KEY_S = 600 };
    unsigned stays_s = conf->end_screen_s;
    struct press p;

    if (!console_present() || conf->after != AFTER_RETURN)
        return;
    while (stays_s) {
        show(stays_s);
        if (!keys_person(&p, stays_s * 1000) || p.key == KEY_ENTER || p.key == KEY_ESC)
            return;
        stays_s = AFTER_A_KEY_S;
        if (p.key != KEY_F1 && p.key != '?')
            view.first = moved(view.first, p.key, last_row);
        else if (!help(stays_s))
            return;
    }
}
