#include "ask.h"
#include "blink_run.h"
#include "console.h"
#include "disk_words.h"
#include "front.h"
#include "guard.h"
#include "guard_run.h"
#include "keys.h"
#include "menu.h"
#include "menu_words.h"
#include "platform.h"
#include "presets.h"
#include "record.h"
#include "resume_run.h"
#include "serial.h"
#include "watchdog.h"

enum { SILENCE_S = 60, TEXT_NOTES = 400, PLANS_MAX = PRESET_COUNT + 4 };

static struct menu menu;
static struct menu_disk menu_disks[INVENTORY_MAX_DISKS];
static struct menu_plan plans[PLANS_MAX];
static struct note text_notes[TEXT_NOTES];
static char plan_names[PLANS_MAX][40];
static struct choice {
    uint8_t plan, preset; /* as in struct conf */
} choices[PLANS_MAX];

/* ---- in: what there is ---- */

static const char *const preset_what[PRESET_COUNT + 1] = {
    "Sequential reads by block size, random reads, inner and outer edge, all disks together.",
    "atto: 15 sizes from 0.5 KB to 8 MB, sequential, four requests in flight.",
    "hdtune: transfer curve over the disk, access time, burst rate, random reads.",
    "crystaldiskmark: SEQ1M and RND4K at several depths.",
    "iometer: sequential, file server and database patterns, as their reads.",
    "sqlio: 8 KB random and 64 KB sequential reads, eight outstanding.",
    "primergy: 64 KB sequential, 8 KB random in 8 GB, as its reads.",
    "vdbench: the corners of sequential and random reads.",
    "bonnie: reading in chunks, and seeks by five processes.",
    "quick: three figures per disk in under three minutes, all disks at once.",
    "standard: the cells of the built-in plan, at fixed places.",
    "snia-pts: the disk written twice, then eight sizes in seven mixes until steady: hours, armed disks only.",
};

/* What "Time at most" does not change. */
static const char *own_time(const struct settings *s, enum conf_plan plan)
{
    static char words[80];
    struct text t = text_over(words, sizeof words);

    if (plan == CONF_PLAN_JOBS)
        return "what the jobs ask for";
    if (plan != CONF_PLAN_BURN_IN && plan != CONF_PLAN_BURN_IN_READONLY)
        return NULL;
    if (!s->conf.burn_in_budget_s)
        return "24 h a drive, 72 h if it rotates";
    text_duration(&t, s->conf.burn_in_budget_s * NS_PER_S);
    text_str(&t, " a drive (burn_in_budget_s)");
    return words;
}

static void add_plan(const struct settings *s, enum conf_plan plan, unsigned preset, const char *name,
                     const char *what)
{
    unsigned i = menu.plan_count++;

    str_copy(plan_names[i], sizeof plan_names[i], name);
    plans[i] = (struct menu_plan){ .name = plan_names[i], .what = what, .time = own_time(s, plan) };
    choices[i] = (struct choice){ (uint8_t)plan, (uint8_t)preset };
    if (s->conf.plan == plan && (plan != CONF_PLAN_PRESET || s->conf.preset == preset))
        menu.plan = i;
}

static void fill_plans(const struct settings *s)
{
    struct preset p;

    menu.plan_count = menu.plan = 0;
    add_plan(s, CONF_PLAN_DEFAULT, 0, "built-in plan", preset_what[0]);
    for (unsigned i = 1; i <= PRESET_COUNT; i++)
        if (preset_get(i, &p))
            add_plan(s, CONF_PLAN_PRESET, i, p.name, preset_what[i]);
    add_plan(
        s, CONF_PLAN_BURN_IN_READONLY, 0, settings_plan_word(CONF_PLAN_BURN_IN_READONLY),
        "All of each disk read, the drives' own tests, health before and after: hours. Nothing is written.");
    add_plan(s, CONF_PLAN_BURN_IN, 0, settings_plan_word(CONF_PLAN_BURN_IN),
             "Written with stamps, read back, random hours, self-tests: hours to days, armed disks only.");
    if (s->conf.plan == CONF_PLAN_JOBS)
        add_plan(s, CONF_PLAN_JOBS, 0, s->conf.jobs, "The job file that baresweep.conf names.");
}

static void fill_disks(const struct inventory *inv)
{
    for (unsigned i = 0; i < inv->disk_count; i++) {
        const struct known_disk *k = &inv->disks[i];
        struct menu_disk *d = &menu_disks[i];

        *d = (struct menu_disk){ .chosen = k->wanted, .armed = guard_may_plan(guard_permit(k->disk)) };
        struct text size = text_over(d->size, sizeof d->size);
        text_capacity(&size, k->disk->lba_count * k->disk->lba_bytes);
        str_copy(d->name, sizeof d->name, k->disk->name);
        str_copy(d->model, sizeof d->model, k->disk->model);
        str_copy(d->serial, sizeof d->serial, k->disk->serial);
        if (!k->disk->ops)
            str_copy(d->why, sizeof d->why, k->disk->why_not[0] ? k->disk->why_not : "it cannot be read");
    }
}

static void fill(const struct front *f)
{
    static char machine[160];

    str_fmt(machine, sizeof machine, "%s %s, serial %s", f->machine->vendor, f->machine->model,
            f->machine->serial[0] ? f->machine->serial : "none");
    menu = (struct menu){ .machine = machine,
                          .disks = menu_disks,
                          .disk_count = f->inv->disk_count,
                          .plans = plans,
                          .budget_s = f->settings->conf.budget_s };
    if (resume_offered()) {
        menu.unfinished = resume_title();
        menu.unfinished_what = resume_what();
    }
    fill_plans(f->settings);
    fill_disks(f->inv);
}

/* ---- out: what was chosen ---- */

static void take_disks(const struct front *f)
{
    for (unsigned i = 0; i < f->inv->disk_count; i++) {
        struct known_disk *k = &f->inv->disks[i];

        if (!k->disk->ops || k->wanted == menu_disks[i].chosen)
            continue;
        k->wanted = menu_disks[i].chosen;
        str_copy(k->why, sizeof k->why, k->wanted ? "" : "not chosen in the menu");
    }
}

/* For the configuration that is saved: no list when it is all of them. */
static bool list_disks(const struct front *f)
{
    struct text t = text_over(f->settings->conf.include, sizeof f->settings->conf.include);
    bool all = true;

    for (unsigned i = 0; i < f->inv->disk_count; i++)
        all &= f->inv->disks[i].wanted || !f->inv->disks[i].disk->ops;
    for (unsigned i = 0; !all && i < f->inv->disk_count; i++)
        if (f->inv->disks[i].wanted)
            text_fmt(&t, "%s%s", t.len ? ", " : "", f->inv->disks[i].disk->name);
    return !t.cut;
}

static void take_choice(const struct front *f)
{
    const struct choice *c = &choices[menu.plan];
    bool other = c->plan != f->settings->conf.plan || c->preset != f->settings->conf.preset;

    take_disks(f);
    f->settings->conf.budget_s = menu.budget_s;
    if (c->plan != CONF_PLAN_JOBS && other)
        settings_choose(f->settings, (enum conf_plan)c->plan, c->preset);
    f->plan_anew();
}

static void journal_choice(const struct front *f)
{
    char values[160];

    str_fmt(values, sizeof values, "plan=%s budget_s=%u disks=%u of %u%s", settings_plan_name(f->settings),
            f->settings->conf.budget_s, menu_chosen(&menu), menu.disk_count,
            resume_taken() ? " resumes an unfinished run" : "");
    journal_conf(record_journal(), "menu", 0, values);
}

/* ---- actions ---- */

static void do_look(const struct front *f)
{
    static char title[80];
    unsigned i = menu.cursor[MENU_DISKS];

    if (!menu_disk(&menu))
        return;
    unsigned n = disk_words_page(f->inv, &f->inv->disks[i], text_notes, TEXT_NOTES - 1);
    struct text t = text_over(text_notes[n].text, sizeof text_notes[n].text);

    text_notes[n++].ink = INK_PLAIN;
    text_str(&t, "Content: ");
    guard_run_content(f->inv->disks[i].disk, &t);
    str_fmt(title, sizeof title, "%s", menu_disks[i].name);
    menu_text(&menu, title, text_notes, n);
}

static void do_blink(const struct front *f)
{
    static struct conf conf;

    if (!menu_disk(&menu))
        return;
    conf = f->settings->conf;
    conf.blink_s = 15;
    str_copy(conf.blink, sizeof conf.blink, menu_disk(&menu)->name);
    blink_run(f->inv, &conf);
    str_fmt(menu.remark, sizeof menu.remark, "%s blinked for %u s: three flashes, then a pause.", conf.blink,
            conf.blink_s);
}

static void do_earlier(const struct front *f)
{
    unsigned n = menu_earlier_run(f->medium, text_notes, TEXT_NOTES);

    if (n)
        menu_text(&menu, "An earlier run's result", text_notes, n);
    else
        str_copy(menu.remark, sizeof menu.remark, "There is no earlier run on the result medium.");
}

static void do_save(const struct front *f)
{
    struct text outcome = text_over(menu.remark, sizeof menu.remark);

    take_choice(f);
    if (list_disks(f))
        menu_save(f->medium, &f->settings->conf, &outcome);
    else
        text_str(&outcome, "Not saved: the list of disks is longer than baresweep.conf may have.");
}

static void do_arm(const struct front *f)
{
    struct text outcome = text_over(menu.remark, sizeof menu.remark);

    if (!f->settings->conf.arm[0]) {
        text_str(&outcome, "No arming file is named: `arm` in baresweep.conf does it (docs/safety.md).");
        return;
    }
    take_disks(f);
    f->settings->conf.attended = 1;
    guard_run_reconsider();
    for (unsigned i = 0; i < f->inv->disk_count; i++)
        menu_disks[i].armed = guard_may_plan(guard_permit(f->inv->disks[i].disk));
    guard_run_arming_words(&outcome);
}

/* What ends the run asks for a word: no single key, no noise does it. */
static bool leave(const struct front *f, enum conf_after after, const char *title)
{
    static const char lines[][120] = { "Nothing will be measured: the run ends as ABORTED." };

    if (!ask_word(title, lines, 1, "yes", 30))
        return false;
    f->settings->conf.after = (uint8_t)after;
    return true;
}

/* True when the run goes on with the unfinished one. */
static bool do_resume(const struct front *f)
{
    char words[160] = "";
    struct text outcome = text_over(words, sizeof words);
    uint64_t rest_ns;

    if (resume_take(f->settings, f->inv, &outcome)) {
        f->plan_anew();
        if (resume_done_steps(f->plan, &rest_ns)) {
            fill(f);
            return true;
        }
        text_str(&outcome, "Not resumed: its disks or settings are others now. Run now begins it anew.");
        resume_drop();
        fill(f);
    }
    str_copy(menu.remark, sizeof menu.remark, words);
    return false;
}

static const struct {
    uint8_t action, choice, after;
    const char *title;
} ends[] = {
    { MENU_RUN, FRONT_RUN, 0, NULL },
    { MENU_CHECKS, FRONT_CHECKS, 0, NULL },
    { MENU_REBOOT, FRONT_LEAVE, AFTER_REBOOT, "Restart this machine?" },
    { MENU_POWER_OFF, FRONT_LEAVE, AFTER_POWEROFF, "Power this machine off?" },
    { MENU_FIRMWARE, FRONT_LEAVE, AFTER_RETURN, "Go back to the firmware?" },
};
static const struct {
    uint8_t action;
    void (*act)(const struct front *f);
} acts[] = {
    { MENU_LOOK, do_look }, { MENU_BLINK, do_blink }, { MENU_EARLIER, do_earlier },
    { MENU_ARM, do_arm },   { MENU_SAVE, do_save },
};

/* True when the menu is over. */
static bool act(const struct front *f, enum menu_action action, enum front_choice *choice)
{
    for (unsigned i = 0; i < ARRAY_COUNT(acts); i++)
        if (acts[i].action == action)
            acts[i].act(f);
    if (action == MENU_RUN)
        resume_drop();
    if (action == MENU_RESUME && do_resume(f)) {
        *choice = FRONT_RUN;
        return true;
    }
    for (unsigned i = 0; i < ARRAY_COUNT(ends); i++)
        if (ends[i].action == action && (!ends[i].title || leave(f, ends[i].after, ends[i].title))) {
            *choice = (enum front_choice)ends[i].choice;
            return true;
        }
    return false;
}

enum front_choice front_menu(const struct front *f)
{
    enum front_choice choice = FRONT_RUN;
    struct press p;

    fill(f);
    serial_say("a key was pressed: the menu is open; a minute of silence begins the run");
    for (;;) {
        watchdog_arm(true); /* a person is here */
        view_menu(console_grid(), &menu);
        console_show();
        if (!keys_person(&p, SILENCE_S * 1000) || act(f, menu_key(&menu, p.key), &choice))
            break;
    }
    take_choice(f);
    journal_choice(f);
    watchdog_arm(f->settings->conf.attended);
    return choice;
}
