#include "burn_in_run.h"
#include "burn_in_earlier.h"
#include "burn_in_loop.h"
#include "checks_state.h"
#include "clock.h"
#include "console.h"
#include "drive_state.h"
#include "guard.h"
#include "guard_run.h"
#include "live.h"
#include "look_around.h"
#include "math.h"
#include "net_state.h"
#include "platform.h"
#include "record.h"
#include "serial.h"
#include "views.h"
#include "watchdog.h"

enum { DRAW_EVERY_MS = 5000, KEYS_EVERY_MS = 1000, LANES_SHOWN = 256, LEAST_CHECKPOINT_MS = 250 };
/* A line per drive and checkpoint: the interval grows so that the journal of the whole run stays below this.
 */
#define LINES_MOST_BYTES (40 * MIB)
enum { LINE_ABOUT_BYTES = 560 };

static struct {
    const struct plan_step *step;
    struct inventory *inv;
    struct medium *medium;
    const struct conf *conf;
    struct burn_in_drive *drives;
    unsigned count;
    uint64_t began_ns, drawn_ns, keys_ns;
} run;

/* ---- the screen ---- */
static void draw(void)
{
    static struct lane_view lanes[LANES_SHOWN];
    struct sweep_view v = {
        .step = 1, .steps = 1, .elapsed_ns = clock_now_ns() - run.began_ns, .lanes = lanes
    };

    if (!console_present())
        return;
    for (unsigned i = 0; i < run.count && i < LANES_SHOWN; i++) {
        const struct burn_in_drive *d = &run.drives[i];
        struct lane_view *l = &lanes[v.lane_count++];

        *l = (struct lane_view){ .errors = d->state.errors,
                                 .done = d->state.position,
                                 .total = d->state.blocks,
                                 .state = d->state.end != BURN_IN_GOING ? burn_in_end_words[d->state.end]
                                          : d->paused                   ? "rests"
                                                                        : "running" };
        if (d->temperature_c > 0)
            l->temperature_c = (uint16_t)min_u64((uint64_t)d->temperature_c, UINT16_MAX);
        str_copy(l->disk, sizeof l->disk, d->disk->name);
        str_copy(l->job, sizeof l->job, burn_in_phases[d->state.phase].words);
    }
    str_copy(v.title, sizeof v.title, run.step->title);
    str_copy(v.worst, sizeof v.worst, record_worst(&v.worst_level));
    view_sweep(console_grid(), &v);
    console_show();
    run.drawn_ns = clock_now_ns();
}

/* ---- what a server remembers, where there is one: the line that says whose run it is, and the newest states
 * ---- */
static const char state_part[] = "burnin";

static void keep_on_server(size_t from)
{
    size_t len, head = 0;
    const char *text = record_text(&len);

    while (head < from && text[head++] != '\n') {}
    char *part = net_state_answers() ? plat_alloc(head + len - from) : NULL;
    if (!part)
        return;
    memcpy(part, text, head);
    memcpy(part + head, text + from, len - from);
    net_state_keep(state_part, part, head + len - from);
    net_state_send();
    plat_free(part);
}

/* ---- hooks ---- */
static void on_checkpoint(void *ctx, const struct burn_in_drive *d, unsigned count)
{
    size_t from;

    (void)ctx;
    record_text(&from);
    for (unsigned i = 0; i < count; i++)
        journal_burn_in(record_journal(), &d[i].state);
    keep_on_server(from);
    record_checkpoint(run.medium, 1);
    watchdog_arm(run.conf->attended);
}

static bool keys_are_due(void) { return clock_now_ns() - run.keys_ns >= KEYS_EVERY_MS * NS_PER_MS; }

static bool wants_hold(void *ctx)
{
    (void)ctx;
    return keys_are_due();
}

static const char *on_attend(void *ctx, const struct burn_in_drive *d, unsigned count)
{
    uint64_t now_ns = clock_now_ns();

    (void)ctx;
    (void)d;
    (void)count;
    if (keys_are_due()) {
        live_attend();
        run.keys_ns = clock_now_ns();
    }
    if (now_ns - run.drawn_ns >= DRAW_EVERY_MS * NS_PER_MS)
        draw();
    if (live_stopped())
        return "a person stopped it";
    if (run.conf->burn_in_stop_s && now_ns - run.began_ns >= run.conf->burn_in_stop_s * NS_PER_S)
        return "the time that the configuration gives it (burn_in_stop_s) is over";
    return NULL;
}

static bool on_health(void *ctx, struct disk *d, const char *when, struct disk_health *h)
{
    (void)ctx;
    if (d->fault.err || !checks_read_health(d, h))
        return false;
    if (when)
        drive_state_journal(d, h, when);
    return true;
}

static void on_finding(void *ctx, const struct burn_in_drive *d, const char *code, const char *seen)
{
    (void)ctx;
    inventory_disk_finding(run.inv, d->disk, code,
                           str_equal(code, "burn-in-warm") ? FINDING_WARN : FINDING_FAIL, NULL, "%s", seen);
}

static void on_phase(void *ctx, const struct burn_in_drive *d, enum burn_in_phase p, uint64_t bytes,
                     uint64_t ms)
{
    char line[160];
    struct text t = text_over(line, sizeof line);

    (void)ctx;
    text_fmt(&t, "%s %s: ", d->disk->name, burn_in_phases[p].words);
    text_duration(&t, ms * NS_PER_MS);
    if (bytes && ms)
        text_fmt(&t, ", %llu MB/s", (unsigned long long)(bytes / 1000 / ms));
    if (d->state.errors)
        text_fmt(&t, ", %llu errors", (unsigned long long)d->state.errors);
    journal_log(record_journal(), LOG_INFO, line);
    serial_say("  %s", line);
    look_around(run.inv);
}

static const struct burn_in_hooks hooks = { NULL,      on_checkpoint, wants_hold, on_attend,
                                            on_health, on_finding,    on_phase };

/* ---- before it starts ---- */
static void say_whether_it_resumes(void)
{
    if (run.medium->state == MEDIUM_OK || net_state_answers())
        return;
    record_finding("no-resume", FINDING_WARN, "run",
                   "a result medium or a `state` that the next start can read",
                   "no resume on this boot path: %s", run.medium->problem);
}

static void tell_start(const struct burn_in_drive *d)
{
    char line[240];
    struct text t = text_over(line, sizeof line);

    text_fmt(&t, "%s: ", d->disk->name);
    burn_in_announce(d, &t);
    journal_log(record_journal(), LOG_INFO, line);
    serial_say("  %s", line);
    if (d->resumed)
        record_finding("burn-in-resumed", FINDING_INFO, d->disk->name, NULL, "%s", line);
    if (d->state.end == BURN_IN_LEFT)
        inventory_disk_finding(run.inv, d->disk, "burn-in-crash-loop", FINDING_FAIL, NULL, "%s",
                               d->state.why);
}

static bool begin_drive(struct burn_in_drive *d, struct disk *disk, const struct resume *earlier)
{
    const struct write_permit *p = guard_permit(disk);
    const struct burn_in_state *state = resume_find(earlier, disk->identity);
    char words[200];
    struct text why = text_over(words, sizeof words);
    struct burn_in_ask ask = { .conf = run.conf,
                               .disk = disk,
                               .writes = run.conf->plan == CONF_PLAN_BURN_IN,
                               .first_lba = p->first_lba,
                               .lba_count = p->lba_count,
                               .arming_id = p->arming_id,
                               .seed = record_journal()->run_id ^ clock_now_ns() };

    /* A permit may have been taken back since the plan was made. */
    if (ask.writes && !p->granted)
        text_str(&why, p->why_not);
    else if (burn_in_begin(d, &ask, &why) == OK) {
        if (state)
            burn_in_resume(d, state);
        return true;
    }
    journal_not_tested(record_journal(), disk->name, "burn-in", words);
    struct known_disk *k = inventory_find(run.inv, disk);
    if (k)
        str_copy(k->why, sizeof k->why, words);
    return false;
}

static void begin_drives(const struct machine_info *machine)
{
    struct resume_drive *states = plat_alloc(RESUME_MAX_DRIVES * sizeof *states);
    struct resume *earlier = plat_alloc(sizeof *earlier);
    size_t len;
    const char *kept = net_state_part(state_part, &len);

    if (states && earlier) {
        resume_start(earlier, machine->serial, machine->uuid, states);
        burn_in_earlier(earlier, run.medium);
        if (kept)
            resume_run_text(earlier, kept, len);
        for (unsigned i = 0; i < run.step->lane_count; i++)
            run.count += begin_drive(&run.drives[run.count], run.step->lanes[i].disk, earlier);
    }
    plat_free(earlier);
    plat_free(states);
}

static uint64_t checkpoint_ms(void)
{
    uint64_t longest_ms = 0,
             ms = mul_div_u64(run.conf->burn_in_checkpoint_s * 1000ull, run.conf->time_scale_pct, 100);

    for (unsigned i = 0; i < run.count; i++)
        longest_ms = max_u64(longest_ms, run.drives[i].limits.budget_ms);
    uint64_t most = max_u64(LINES_MOST_BYTES / LINE_ABOUT_BYTES / max_u64(run.count, 1), 1);
    return max_u64(max_u64(ms, longest_ms / most), LEAST_CHECKPOINT_MS);
}

/* ---- what came of it ---- */
static void judge(const struct burn_in_drive *d)
{
    struct known_disk *k = inventory_find(run.inv, d->disk);
    enum verdict v = burn_in_verdict(d);
    char line[300];
    struct text t = text_over(line, sizeof line);

    guard_run_leave(d->disk, burn_in_leave_mark(d));
    burn_in_words(d, &t);
    serial_say("  %s: %s, %s", d->disk->name, verdict_text(v), line);
    if (!k)
        return;
    k->verdict = verdict_join(k->verdict, v);
    str_copy(k->why, sizeof k->why, line);
}

bool burn_in_run(const struct plan *plan, struct inventory *inv, struct medium *m, const struct conf *conf,
                 const struct machine_info *machine)
{
    bool stopped = false;

    if (!plan->step_count || live_stopped())
        return !live_stopped();
    run.step = &plan->steps[0];
    run.inv = inv;
    run.medium = m;
    run.conf = conf;
    run.count = 0;
    run.drives = plat_alloc(run.step->lane_count * sizeof *run.drives);
    run.began_ns = run.drawn_ns = run.keys_ns = clock_now_ns();
    say_whether_it_resumes();
    journal_step_start(record_journal(), 1, run.step->title, run.step->lane_count);
    serial_say("%s", run.step->title);
    live_begin(inv, 1, plan->estimate_ns);
    if (run.drives)
        begin_drives(machine);
    for (unsigned i = 0; i < run.count; i++)
        tell_start(&run.drives[i]);
    draw();
    burn_in_loop(run.drives, run.count, checkpoint_ms(), &hooks);
    for (unsigned i = 0; i < run.count; i++) {
        judge(&run.drives[i]);
        stopped |= run.drives[i].state.end == BURN_IN_STOPPED;
    }
    live_end();
    record_checkpoint(m, 1);
    plat_free(run.drives);
    watchdog_off();
    return !stopped;
}
