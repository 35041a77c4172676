#include "burn_in_run.h"
#include "burn_in_earlier.h"
#include "burn_in_loop.h"
#include "burn_in_page.h"
#include "checks_state.h"
#include "clock.h"
#include "drive_state.h"
#include "guard.h"
#include "guard_run.h"
#include "live.h"
#include "look_around.h"
#include "math.h"
#include "net_state.h"
#include "platform.h"
#include "record.h"
#include "resume_run.h"
#include "serial.h"
#include "views.h"
#include "watchdog.h"
#include "str.h"

enum { KEYS_EVERY_MS = 1000, LANES_SHOWN = 256, LEAST_CHECKPOINT_MS = 250 };
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
    uint64_t began_ns, keys_ns;
} run;

/* ---- the screen ---- */
static struct lane_view lanes[LANES_SHOWN];
static struct sweep_view view;

/* A drive that ended with errors has failed, whichever way it ended. */
static const char *state_words(const struct burn_in_drive *d)
{
    if (d->state.end == BURN_IN_GOING)
        return d->paused ? "rests" : "running";
    if (d->state.end == BURN_IN_LEFT || d->state.errors)
        return "failed";
    return d->state.end == BURN_IN_STOPPED ? "stopped" : "done";
}

static void lane_fill(struct lane_view *l, const struct burn_in_drive *d)
{
    const struct burn_in_state *s = &d->state;
    uint64_t most_ms = d->limits.most_ms[s->phase], left_ms = d->limits.budget_ms;
    bool random = s->phase == BURN_IN_RANDOM;

    left_ms -= min_u64(left_ms, s->spent_ms);
    *l = (struct lane_view){ .errors = s->errors, .state = state_words(d), .left_ns = left_ms * NS_PER_MS };
    /* The random hours end by the clock, and their requests are no whole blocks. */
    l->done = s->phase == BURN_IN_DONE ? 1 : random ? s->phase_ms : s->position;
    l->total = s->phase == BURN_IN_DONE ? 1 : random ? most_ms : s->blocks;
    if (!random && s->phase_ms)
        l->bytes_per_s = mul_div_u64(s->position, d->limits.block_bytes * 1000ull, s->phase_ms);
    if (d->temperature_c > 0)
        l->temperature_c = (uint16_t)min_u64((uint64_t)d->temperature_c, UINT16_MAX);
    str_copy(l->disk, sizeof l->disk, d->disk->name);
    str_copy(l->job, sizeof l->job, burn_in_phases[s->phase].words);
}

static void fill_view(void)
{
    view = (struct sweep_view){ .step = 1,
                                .steps = 1,
                                .elapsed_ns = clock_now_ns() - run.began_ns,
                                .lanes = lanes,
                                .keys = true,
                                .burn_in = true };
    for (unsigned i = 0; i < run.count && i < LANES_SHOWN; i++) {
        struct lane_view *l = &lanes[view.lane_count++];

        lane_fill(l, &run.drives[i]);
        if (run.drives[i].state.end == BURN_IN_GOING)
            view.remaining_ns = max_u64(view.remaining_ns, l->left_ns);
    }
    str_copy(view.title, sizeof view.title, run.step->title);
    str_copy(view.worst, sizeof view.worst, record_worst(&view.worst_level));
}

static const struct disk *page_disk(unsigned lane) { return run.drives[lane].disk; }

static unsigned page_facts(unsigned lane, struct note *notes, unsigned max)
{
    return burn_in_page_facts(&run.drives[lane], notes, max);
}

static const struct live_page page = { page_disk, page_facts };

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
    (void)ctx;
    (void)d;
    (void)count;
    if (keys_are_due()) {
        fill_view();
        live_attend();
        run.keys_ns = clock_now_ns();
    }
    if (live_stopped())
        return "a person stopped it";
    if (run.conf->burn_in_stop_s && clock_now_ns() - run.began_ns >= run.conf->burn_in_stop_s * NS_PER_S)
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

static void on_phase(void *ctx, const struct burn_in_drive *d, const struct burn_in_phase_sum *p)
{
    char line[160];
    struct text t = text_over(line, sizeof line);
    uint64_t bytes = p->read_bytes + p->written_bytes;

    (void)ctx;
    journal_burn_in_phase(record_journal(), p);
    text_fmt(&t, "%s %s: ", d->disk->name, burn_in_phases[p->phase].words);
    if (p->ms)
        text_duration(&t, p->ms * NS_PER_MS);
    else
        text_str(&t, "< 1 ms");
    if (bytes && p->ms)
        text_fmt(&t, ", %llu MB/s", (unsigned long long)(bytes / 1000 / p->ms));
    if (d->state.errors)
        text_fmt(&t, ", %llu error%s", (unsigned long long)d->state.errors, str_plural(d->state.errors));
    journal_log(record_journal(), LOG_INFO, line);
    serial_tell("  %s", line);
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

    if (d->taken_over)
        return; /* it is told already */
    text_fmt(&t, "%s: ", d->disk->name);
    burn_in_announce(d, &t);
    journal_log(record_journal(), LOG_INFO, line);
    serial_tell("  %s", line);
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

/* Whether the burn-in that goes on with others is the one that this disk came to its end in: a burn-in of the
 * same settings that was complete before it began says nothing about today. */
static bool goes_on_beside(const struct resume *earlier, const struct disk *disk)
{
    for (unsigned i = 0; i < run.count; i++)
        if (run.drives[i].resumed &&
            resume_is_of_one_run(earlier, disk->identity, run.drives[i].disk->identity))
            return true;
    return false;
}

static struct burn_in_drive *drive_of(const struct disk *disk)
{
    for (unsigned i = 0; i < run.count; i++)
        if (run.drives[i].disk == disk)
            return &run.drives[i];
    return NULL;
}

/* The same burn-in as now, as far as that can be told, and over. */
static bool has_ended(const struct known_disk *k, const struct burn_in_drive *d,
                      const struct burn_in_state *s, bool goes_on)
{
    const char *arming = d ? d->state.arming : guard_run_arming(k->disk);

    if (!k->wanted || !s || burn_in_state_resumes(s) || !str_equal(s->arming, arming))
        return false;
    if (d)
        return s->job_hash == d->state.job_hash && (goes_on || guard_permit(k->disk)->resumes);
    return goes_on && arming[0];
}

static void take_over(struct known_disk *k, struct burn_in_drive *d, const struct burn_in_state *s)
{
    char words[280];
    struct text t = text_over(words, sizeof words);
    enum verdict v = burn_in_state_verdict(s);

    d->disk = k->disk;
    d->taken_over = true;
    d->state = *s;
    str_copy(d->state.disk, sizeof d->state.disk, k->disk->name);
    burn_in_earlier_words(s, &t);
    if (v == VERDICT_FAIL)
        inventory_disk_finding(run.inv, k->disk, "burn-in-error", FINDING_FAIL, NULL, "%s", words);
    serial_tell("  %s: %s, %s", k->disk->name, verdict_text(v), words);
    k->verdict = verdict_join(k->verdict, v);
    str_copy(k->why, sizeof k->why, words);
}

/* Where some drives go on, others came to their end in an earlier start: without what was found of them the
 * machine would look better than it is, and a second burn-in of theirs may miss what the first one met.  They
 * stay in this one, as ended: the next start finds their state here, and the mark of those that were
 * interrupted before it was settled is settled at the end.  Nothing of them is read or written. */
static void take_over_ended(const struct resume *earlier)
{
    for (unsigned i = 0; i < run.inv->disk_count; i++) {
        struct known_disk *k = &run.inv->disks[i];
        struct burn_in_drive *d = drive_of(k->disk);
        const struct burn_in_state *s = resume_find(earlier, k->disk->identity);

        if (has_ended(k, d, s, goes_on_beside(earlier, k->disk)))
            take_over(k, d ? d : &run.drives[run.count++], s);
    }
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
        take_over_ended(earlier);
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
    enum verdict v = burn_in_state_verdict(&d->state);
    char line[sizeof k->why];
    struct text t = text_over(line, sizeof line);

    guard_run_leave(d->disk, burn_in_leave_mark(d));
    if (d->taken_over)
        return;
    burn_in_words(d, &t);
    serial_tell("  %s: %s, %s", d->disk->name, verdict_text(v), line);
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
    run.drives = plat_alloc(inv->disk_count * sizeof *run.drives);
    run.began_ns = run.keys_ns = clock_now_ns();
    say_whether_it_resumes();
    journal_step_start(record_journal(), 1, run.step->title, run.step->lane_count);
    serial_say("%s", run.step->title);
    live_begin(inv, 1, plan->estimate_ns);
    if (run.drives)
        begin_drives(machine);
    for (unsigned i = 0; i < run.count; i++)
        tell_start(&run.drives[i]);
    fill_view();
    live_burn_in(&view, &page);
    burn_in_loop(run.drives, run.count, checkpoint_ms(), &hooks);
    for (unsigned i = 0; i < run.count; i++) {
        judge(&run.drives[i]);
        stopped |= run.drives[i].state.end == BURN_IN_STOPPED;
    }
    if (stopped)
        resume_note_burn_in_stop();
    live_end();
    record_checkpoint(m, 1);
    plat_free(run.drives);
    watchdog_off();
    return !stopped;
}
