#include "live.h"
#include "attention.h"
#include "clock.h"
#include "console.h"
#include "heat_run.h"
#include "keys.h"
#include "live_disk.h"
#include "math.h"
#include "menu.h"
#include "platform.h"
#include "record.h"
#include "resume_run.h"
#include "serial.h"

enum {
    LONG_STEP_MS = 4000, /* each hold empties the queues: not in steps in which that would show */
    LANES_SHOWN = 512,
    CONTROLLERS_SHOWN = 64
};

enum page { PAGE_LANES, PAGE_DISK, PAGE_HELP };
static struct {
    struct inventory *inv;
    struct engine *engine;
    const struct plan_step *step;
    const struct sweep_view *burn_in; /* shown in place of an engine's step */
    const struct live_page *burn_in_page;
    unsigned number, round, steps, first, chosen, first_controller, help_first;
    unsigned controllers; /* as last drawn */
    uint64_t estimate_ns, began_ns;
    struct attention attention;
    enum page page;
    bool watched, stopped, moved; /* watched: somebody may look */
} live;

/* ---- what is shown ---- */

static const char *const phase_words[] = {
    [LANE_RAMP] = "ramp",           [LANE_RUNNING] = "running", [LANE_DRAINING] = "ending",
    [LANE_VERIFYING] = "verifying", [LANE_DONE] = "done",       [LANE_DEAD] = "failed",
};
static struct lane_view lanes[LANES_SHOWN];
static struct controller_view controllers[CONTROLLERS_SHOWN];

static void lane_view_fill(struct lane_view *v, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(live.engine, lane);
    const struct disk_health *h = heat_last(pl->disk);
    struct lane_progress p;

    engine_progress(live.engine, lane, &p);
    *v = (struct lane_view){
        .bytes_per_s = p.recent_bytes_per_s,
        .iops = p.recent_iops,
        .p99_ns = p.p99_ns,
        .errors = p.errors,
        .done = p.planned_ns ? p.elapsed_ns : p.bytes,
        .total = p.planned_ns ? p.planned_ns : p.planned_bytes,
        .state = phase_words[p.phase],
    };
    if (p.phase == LANE_DONE)
        v->flags = engine_result(live.engine, lane)->flags;
    if (p.planned_ns > p.elapsed_ns)
        v->left_ns = p.planned_ns - p.elapsed_ns;
    else if (!p.planned_ns && p.planned_bytes > p.bytes && p.recent_bytes_per_s)
        v->left_ns = (p.planned_bytes - p.bytes) / p.recent_bytes_per_s * NS_PER_S;
    if (h && h->known & 1u << HEALTH_TEMPERATURE_C && h->value[HEALTH_TEMPERATURE_C] > 0)
        v->temperature_c = (uint16_t)min_u64((uint64_t)h->value[HEALTH_TEMPERATURE_C], UINT16_MAX);
    str_copy(v->disk, sizeof v->disk, pl->disk->name);
    str_copy(v->job, sizeof v->job, pl->job.name);
}

static void add_to_controller(struct sweep_view *v, unsigned lane)
{
    const struct controller *c = engine_plan_lane(live.engine, lane)->disk->controller;
    unsigned i = 0;

    if (!c)
        return;
    while (i < v->controller_count && !str_equal(controllers[i].name, c->name))
        i++;
    if (i == CONTROLLERS_SHOWN)
        return;
    if (i == v->controller_count) {
        controllers[v->controller_count++] =
            (struct controller_view){ .link_bytes_per_s = c->link_bytes_per_s };
        str_copy(controllers[i].name, sizeof controllers[i].name, c->name);
    }
    controllers[i].bytes_per_s += lanes[lane].bytes_per_s;
}

static void fill_view(struct sweep_view *v)
{
    uint64_t elapsed_ns = clock_now_ns() - live.began_ns;

    *v = (struct sweep_view){ .step = live.number,
                              .steps = live.steps,
                              .elapsed_ns = elapsed_ns,
                              .lanes = lanes,
                              .controllers = controllers,
                              .first = live.first,
                              .chosen = live.chosen,
                              .first_controller = live.first_controller,
                              .keys = true };
    v->remaining_ns = live.estimate_ns > elapsed_ns ? live.estimate_ns - elapsed_ns : 0;
    v->lane_count = engine_lane_count(live.engine);
    if (v->lane_count > LANES_SHOWN)
        v->lane_count = LANES_SHOWN;
    for (unsigned i = 0; i < v->lane_count; i++) {
        lane_view_fill(&lanes[i], i);
        add_to_controller(v, i);
    }
    live.controllers = v->controller_count;
    if (live.round)
        str_fmt(v->title, sizeof v->title, "round %u of %s", live.round, live.step->title);
    else
        str_copy(v->title, sizeof v->title, live.step->title);
    str_copy(v->worst, sizeof v->worst, record_worst(&v->worst_level));
}

static void draw_help(void)
{
    struct text_view v = { .title = "Help",
                           .keys = "Up/Down PgUp/PgDn: move   Esc: back",
                           .first = live.help_first };

    v.notes = help_notes(&v.note_count);
    unsigned last = view_text(console_grid(), &v);

    if (live.help_first > last)
        live.help_first = last;
}

static void draw_disk(const struct lane_view *lane)
{
    enum { FACTS_MAX = 16 };
    static struct note facts[FACTS_MAX];

    if (!live.burn_in) {
        live_disk_draw(live.inv, live.engine, live.chosen, lane);
        return;
    }
    unsigned n = live.burn_in_page->facts(live.chosen, facts, FACTS_MAX);
    live_disk_draw_facts(live.inv, live.burn_in_page->disk(live.chosen), lane, facts, n);
}

static void draw(uint64_t most_ns)
{
    struct sweep_view v;
    uint64_t drawn_from_ns = clock_now_ns();

    if (live.burn_in) {
        v = *live.burn_in;
        v.first = live.first;
        v.chosen = live.chosen;
    } else
        fill_view(&v);
    if (live.page == PAGE_HELP)
        draw_help();
    else if (live.page == PAGE_DISK && live.chosen < v.lane_count)
        draw_disk(&v.lanes[live.chosen]);
    else
        view_sweep(console_grid(), &v);
    bool whole = console_show_live(most_ns, live.moved);
    live.moved = false;
    attention_drew(&live.attention, drawn_from_ns, clock_now_ns(), whole);
}

/* ---- keys ---- */

static void move(uint16_t key)
{
    unsigned count = live.burn_in  ? live.burn_in->lane_count
                     : live.engine ? engine_lane_count(live.engine)
                                   : 0;
    unsigned last = count ? count - 1 : 0;
    unsigned page = view_sweep_page(console_grid()),
             *at = live.page == PAGE_HELP ? &live.help_first : &live.chosen;

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
    if (live.page == PAGE_HELP)
        return; /* the view says how far it goes */
    if (live.chosen > last)
        live.chosen = last;
    live.first = page ? live.chosen / page * page : 0;
}

static void move_controllers(uint16_t key)
{
    if (key == KEY_LEFT)
        live.first_controller -= live.first_controller != 0;
    else if (live.first_controller + 1 < live.controllers)
        live.first_controller++;
}

static void press(uint16_t key)
{
    if (key == KEY_F1 || key == '?')
        live.page = PAGE_HELP;
    else if (key == KEY_ENTER && live.page == PAGE_LANES)
        live.page = PAGE_DISK;
    else if (key == KEY_ESC || key == KEY_ENTER)
        live.page = PAGE_LANES;
    else if (key == KEY_LEFT || key == KEY_RIGHT)
        move_controllers(key);
    else
        move(key);
}

/* Esc is back from a page within; from the outermost it asks for the end.  The time that a question was open
 * is a person's, not ours. */
static void look_at_keys(void)
{
    uint64_t looked_from_ns = clock_now_ns(), question_ns;
    bool moved = false;

    keys_esc_is_back(live.page != PAGE_LANES);
    live.stopped |= keys_stop_asked();
    for (uint16_t key = keys_kept(); key != KEY_NONE; key = keys_kept()) {
        press(key);
        moved = live.moved = true;
    }
    question_ns = keys_question_ns();
    attention_looked(&live.attention, looked_from_ns + question_ns, clock_now_ns(), moved || question_ns);
}

/* ---- when ---- */

static bool is_long(void) { return live.step->estimate_ns >= LONG_STEP_MS * NS_PER_MS; }

static uint64_t picture_ns(void)
{
    return (live.engine || live.burn_in) && console_present()
               ? attention_picture_ns(&live.attention, clock_now_ns())
               : 0;
}

static void draw_when_due(void)
{
    uint64_t most_ns = picture_ns();

    if (most_ns)
        draw(most_ns);
}

bool live_hold_is_due(void)
{
    return live.watched && is_long() &&
           (picture_ns() || attention_look_is_due(&live.attention, clock_now_ns()));
}

void live_attend(void)
{
    if (!live.watched)
        return;
    if (attention_look_is_due(&live.attention, clock_now_ns()))
        look_at_keys();
    draw_when_due();
}

void live_stop(void) { live.stopped = true; }
bool live_stopped(void) { return live.stopped; }

void live_waits(const struct plan *plan)
{
    unsigned first = 0;

    while (resume_has(first))
        first++;
    if (!console_present() || first >= plan->step_count || live.stopped)
        return;
    const struct plan_step *step = &plan->steps[first];
    struct sweep_view v = { .step = first + 1,
                            .steps = plan->step_count,
                            .remaining_ns = live.estimate_ns,
                            .lanes = lanes,
                            .keys = true };
    v.lane_count = step->lane_count < LANES_SHOWN ? step->lane_count : LANES_SHOWN;
    for (unsigned i = 0; i < v.lane_count; i++) {
        lanes[i] = (struct lane_view){ .state = "waits" };
        str_copy(lanes[i].disk, sizeof lanes[i].disk, step->lanes[i].disk->name);
        str_copy(lanes[i].job, sizeof lanes[i].job, step->lanes[i].job.name);
    }
    str_copy(v.title, sizeof v.title, step->title);
    str_copy(v.worst, sizeof v.worst, record_worst(&v.worst_level));
    view_sweep(console_grid(), &v);
    console_show();
}

void live_burn_in(const struct sweep_view *v, const struct live_page *page)
{
    live.burn_in = v;
    live.burn_in_page = page;
    live.attention.end_ns = 0; /* its time is at most: nothing is borrowed from it */
    draw_when_due();
}

void live_begin(struct inventory *inv, unsigned steps, uint64_t estimate_ns)
{
    live.inv = inv;
    live.steps = steps;
    live.estimate_ns = estimate_ns;
    live.watched = console_present() || serial_port_count();
    live.page = PAGE_LANES;
    live.began_ns = clock_now_ns();
    attention_begin(&live.attention, live.began_ns, estimate_ns);
    keys_drop();
}

void live_step(struct engine *e, const struct plan_step *step, unsigned number, unsigned round)
{
    live.engine = e;
    live.step = step;
    live.number = number;
    live.round = round;
    if (live.chosen >= engine_lane_count(e))
        live.chosen = live.first = 0;
    /* A short step would show only zeros while it runs: the last one's numbers stay until it has its own. */
    if (is_long())
        live_attend();
}

void live_step_end(void)
{
    live_attend();
    live.engine = NULL;
}

void live_result(const struct disk *d, const struct step_result *r) { live_disk_note(live.inv, d, r); }

void live_end(void)
{
    uint64_t all_ns = clock_now_ns() - live.began_ns, spent_ns = attention_spent_ns(&live.attention);
    char line[160];
    struct text t = text_over(line, sizeof line);

    live.burn_in = NULL;
    if (!live.watched || !all_ns)
        return;
    text_fmt(&t, "screen and keys: %llu pictures in ", (unsigned long long)live.attention.pictures.count);
    text_duration(&t, live.attention.pictures.spent_ns);
    text_fmt(&t, ", %llu looks at the keyboards in ", (unsigned long long)live.attention.looks.count);
    text_duration(&t, live.attention.looks.spent_ns);
    text_str(&t, ", of ");
    text_duration(&t, all_ns);
    text_str(&t, ": ");
    text_fixed(&t, mul_div_u64(spent_ns, 10000, all_ns), 2);
    text_str(&t, " %");
    journal_log(record_journal(), LOG_INFO, line);
    serial_say("%s", line);
}
