#include "front.h"
#include "console.h"
#include "guard.h"
#include "guard_run.h"
#include "keys.h"
#include "platform.h"
#include "resume_run.h"
#include "serial.h"
#include "version.h"
#include "views.h"
#include "str.h"

enum { NOTES_MAX = INVENTORY_MAX_CONTROLLERS + INVENTORY_MAX_DISKS };
static struct note notes[NOTES_MAX];
static struct start_view view;

/* ---- what is shown ---- */

static struct text note_line(enum ink ink)
{
    struct note *n = &notes[view.note_count < NOTES_MAX ? view.note_count++ : NOTES_MAX - 1];

    n->ink = (uint8_t)ink;
    return text_over(n->text, sizeof n->text);
}

/* What is longer than its column shows that it is. */
static void put_cell(struct text *t, unsigned width, const char *s)
{
    size_t len = str_len(s);

    if (len <= width)
        text_fmt(t, "%-*s ", (int)width, s);
    else
        text_fmt(t, "%.*s.. ", (int)width - 2, s);
}

static bool will_write(const struct front *f, const struct known_disk *k)
{
    return k->wanted && guard_may_plan(guard_permit(k->disk)) && guard_run_plan_writes(f->plan, k->disk);
}

/* What is not tested says why first: the rest of its line is what a narrow screen cuts. */
static void note_disk(const struct front *f, const struct known_disk *k)
{
    const struct disk *d = k->disk;
    bool writes = will_write(f, k);
    struct text t = note_line(writes ? INK_BAD : k->wanted ? INK_PLAIN : k->disk->ops ? INK_DIM : INK_WARN);

    text_str(&t, "  ");
    put_cell(&t, 15, d->name);
    if (!k->wanted) {
        text_fmt(&t, "not tested: %s (%s, %s)", k->why, d->model, d->serial);
        return;
    }
    put_cell(&t, 24, d->model);
    put_cell(&t, 20, d->serial);
    text_capacity(&t, d->lba_count * d->lba_bytes);
    if (writes)
        text_str(&t, "  WRITE");
}

static void note_controller(const struct front *f, const struct known_controller *c)
{
    const struct inventory *inv = f->inv;
    const struct controller *shown = c->driven ? c->driven : &c->firmware;
    struct text t = note_line(c->driven ? INK_DIM : INK_WARN);

    text_fmt(&t, "%s: %s", shown->name, shown->model[0] ? shown->model : c->row->what);
    if (!c->driven)
        text_fmt(&t, ": %s", c->why_not);
    for (unsigned i = 0; i < inv->disk_count; i++)
        if (inv->disks[i].disk->controller == shown)
            note_disk(f, &inv->disks[i]);
}

static void words_for_writes(const struct front *f)
{
    const struct inventory *inv = f->inv;
    struct text t = text_over(view.writes, sizeof view.writes);
    unsigned n = 0;

    for (unsigned i = 0; i < inv->disk_count; i++)
        n += will_write(f, &inv->disks[i]);
    if (!n)
        return;
    text_fmt(&t, "WRITES to %u disk%s, what is on %s is lost:", n, str_plural(n), n == 1 ? "it" : "them");
    for (unsigned i = 0; i < inv->disk_count; i++)
        if (will_write(f, &inv->disks[i]))
            text_fmt(&t, " %s", inv->disks[i].disk->name);
}

static void words_for_counts(const struct inventory *inv)
{
    struct text t = text_over(view.counts, sizeof view.counts);
    unsigned wanted = 0;

    for (unsigned i = 0; i < inv->disk_count; i++)
        wanted += inv->disks[i].wanted;
    text_fmt(&t, "%u controller%s, %u disk%s: %u to be tested", inv->controller_count,
             str_plural(inv->controller_count), inv->disk_count, str_plural(inv->disk_count), wanted);
    if (wanted < inv->disk_count)
        text_fmt(&t, ", %u not", inv->disk_count - wanted);
}

static void words_for_plan(const struct front *f)
{
    struct text t = text_over(view.plan, sizeof view.plan);
    uint64_t rest_ns;
    unsigned done = resume_done_steps(f->plan, &rest_ns);

    if (!f->plan->step_count) {
        text_fmt(&t, "%s: no disk can take part; the last screen says why, disk by disk",
                 settings_plan_name(f->settings));
        return;
    }
    text_fmt(&t, "%s: %u step%s", settings_plan_name(f->settings), f->plan->step_count,
             str_plural(f->plan->step_count));
    if (resume_taken())
        text_fmt(&t, ", %u of them done before", done);
    text_str(&t, ", about ");
    text_duration(&t, rest_ns);
    if (resume_taken())
        str_fmt(view.unfinished, sizeof view.unfinished, "Resumes an unfinished run: %s.", resume_title());
    else if (resume_offered())
        str_fmt(view.unfinished, sizeof view.unfinished,
                "An unfinished run: %s. A key opens the menu, which resumes it.", resume_title());
}

static void fill(const struct front *f)
{
    const struct machine_info *m = f->machine;

    view = (struct start_view){ .notes = notes };
    str_fmt(view.product, sizeof view.product, "%s %s", PRODUCT_NAME, PRODUCT_VERSION);
    str_fmt(view.machine, sizeof view.machine, "%s %s, serial %s, BIOS %s", m->vendor, m->model,
            m->serial[0] ? m->serial : "none", m->bios[0] ? m->bios : "unknown");
    str_copy(view.medium, sizeof view.medium,
             f->medium->state == MEDIUM_OK ? f->medium->where : f->medium->problem);
    words_for_plan(f);
    words_for_counts(f->inv);
    words_for_writes(f);
    for (unsigned i = 0; i < f->inv->controller_count; i++)
        note_controller(f, &f->inv->controllers[i]);
}

/* ---- the countdown ---- */

static void show(const char *fmt, unsigned s)
{
    str_fmt(view.keys, sizeof view.keys, fmt, s);
    view_start(console_grid(), &view);
    console_show();
}

/* True when a person pressed a key. */
static bool count_down(unsigned seconds)
{
    if (seconds)
        serial_say("starts by itself in %u s; a key opens the menu", seconds);
    for (unsigned left = seconds; left; left--) {
        show("Starts by itself in %u s.   Any key: menu", left);
        if (console_wait_key(1))
            return true;
    }
    show("Looking at what the disks hold before the first step ...", 0);
    return false;
}

enum front_choice front_run(const struct front *f)
{
    if (!console_present())
        return FRONT_RUN;
    fill(f);
    if (!count_down(f->settings->conf.countdown_s))
        return FRONT_RUN;
    enum front_choice choice = front_menu(f);
    fill(f);
    show("", 0);
    return choice;
}
