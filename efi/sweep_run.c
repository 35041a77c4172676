#include "sweep_run.h"
#include "checks_run.h"
#include "clock.h"
#include "console.h"
#include "engine.h"
#include "heat_run.h"
#include "look_around.h"
#include "numa_run.h"
#include "platform.h"
#include "record.h"
#include "scaling_run.h"
#include "serial.h"
#include "steady.h"
#include "views.h"
#include "watchdog.h"

enum {
    SLICE_MS = 200,
    REDRAW_EVERY_MS = 2000, /* each redraw holds the engine: not in short steps */
    REDRAW_STEPS_FROM_MS = 4000,
    CHECKPOINT_EVERY_MS = 60000,
    LANES_SHOWN = 256
};

struct step_run {
    const struct plan *plan;
    struct inventory *inv;
    struct medium *medium;
    const struct conf *conf;
    unsigned number; /* 1-based */
    const struct plan_step *step;
    struct engine *engine;
    uint64_t run_started_ns, estimate_before_ns;
    uint64_t step_bytes_per_s; /* of all its lanes */
    uint64_t last_drawn_ns, last_checkpoint_ns;
};

/* ---- the live view ---- */

static const char *const phase_words[] = {
    [LANE_RAMP] = "ramp", [LANE_RUNNING] = "running", [LANE_DRAINING] = "ending",
    [LANE_DONE] = "done", [LANE_DEAD] = "failed",
};

static void lane_view_fill(struct lane_view *v, const struct engine *e, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(e, lane);
    struct lane_progress p;

    engine_progress(e, lane, &p);
    *v = (struct lane_view){
        .bytes_per_s = p.recent_bytes_per_s,
        .iops = p.recent_iops,
        .p99_ns = p.p99_ns,
        .errors = p.errors,
        .done = p.planned_ns ? p.elapsed_ns : p.bytes,
        .total = p.planned_ns ? p.planned_ns : p.planned_bytes,
        .state = phase_words[p.phase],
    };
    str_copy(v->disk, sizeof v->disk, pl->disk->name);
    str_copy(v->job, sizeof v->job, pl->job.name);
}

static void draw(struct step_run *s)
{
    static struct lane_view lanes[LANES_SHOWN];
    uint64_t elapsed_ns = clock_now_ns() - s->run_started_ns;
    struct sweep_view v = {
        .step = s->number, .steps = s->plan->step_count, .elapsed_ns = elapsed_ns, .lanes = lanes
    };

    if (!console_present())
        return;
    v.remaining_ns = s->plan->estimate_ns > elapsed_ns ? s->plan->estimate_ns - elapsed_ns : 0;
    v.lane_count = engine_lane_count(s->engine);
    if (v.lane_count > LANES_SHOWN)
        v.lane_count = LANES_SHOWN;
    for (unsigned i = 0; i < v.lane_count; i++)
        lane_view_fill(&lanes[i], s->engine, i);
    str_copy(v.title, sizeof v.title, s->step->title);
    str_copy(v.worst, sizeof v.worst, record_worst(&v.worst_level));
    view_sweep(console_grid(), &v);
    console_show();
    s->last_drawn_ns = clock_now_ns();
}

static bool is_long(const struct plan_step *step)
{
    return step->estimate_ns >= REDRAW_STEPS_FROM_MS * NS_PER_MS;
}

/* Firmware work while the step runs: the engine is drained first and the time does not count. */
static void attend(struct step_run *s)
{
    uint64_t now_ns = clock_now_ns();
    bool redraw =
        console_present() && is_long(s->step) && now_ns - s->last_drawn_ns >= REDRAW_EVERY_MS * NS_PER_MS;
    bool checkpoint = now_ns - s->last_checkpoint_ns >= CHECKPOINT_EVERY_MS * NS_PER_MS;

    if (!redraw && !checkpoint && !heat_hold_is_due())
        return;
    worker_hold(s->engine);
    heat_hold();
    if (redraw)
        draw(s);
    if (checkpoint) {
        record_checkpoint(s->medium, s->number);
        watchdog_arm(s->conf->attended);
        s->last_checkpoint_ns = clock_now_ns();
    }
    worker_resume(s->engine);
}

/* ---- what a lane left ---- */

static void report_errors(struct step_run *s, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(s->engine, lane);
    const struct step_result *r = engine_result(s->engine, lane);
    unsigned kept;
    const struct io_error_record *errors = engine_errors(s->engine, lane, &kept);
    char words[120];

    if (!r->errors)
        return;
    for (unsigned i = 0; i < kept; i++) {
        struct text t = text_over(words, sizeof words);

        text_str(&t, io_status_text(errors[i].status));
        if (errors[i].detail && pl->disk->ops->status_words) {
            text_str(&t, ", ");
            pl->disk->ops->status_words(errors[i].detail, &t);
        }
        journal_io_error(record_journal(), s->number, pl->disk->name, pl->job.name, &errors[i], words);
    }
    if (r->errors > kept)
        journal_io_errors_more(record_journal(), s->number, pl->disk->name, pl->job.name, r->errors - kept);
    inventory_disk_finding(s->inv, pl->disk, "io-error", FINDING_FAIL, "every read is answered with data",
                           "%llu of %llu reads failed in %s, the first at LBA %llu: %s",
                           (unsigned long long)r->errors, (unsigned long long)(r->errors + r->ios),
                           pl->job.name, (unsigned long long)(kept ? errors[0].lba : 0), kept ? words : "");
}

static void report_lane(struct step_run *s, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(s->engine, lane);
    const struct step_result *r = engine_result(s->engine, lane);
    const struct lane_series *series = engine_series(s->engine, lane);
    const char *reason = engine_lane_reason(s->engine, lane);
    struct known_disk *k = inventory_find(s->inv, pl->disk);
    struct series_view view = { .interval_ns = series->interval_ns,
                                .count = series->count,
                                .ios = &series->point[0].ios,
                                .bytes = &series->point[0].bytes,
                                .max_ns = &series->point[0].max_ns,
                                .stride_bytes = sizeof series->point[0] };

    if (k && r->ios && k->verdict == VERDICT_NOT_TESTED)
        k->verdict = VERDICT_PASS;
    report_errors(s, lane);
    if (r->retries)
        inventory_disk_finding(s->inv, pl->disk, "io-retries", FINDING_WARN, "every read succeeds at once",
                               "%llu repetitions beside %llu reads in %s", (unsigned long long)r->retries,
                               (unsigned long long)r->ios, pl->job.name);
    if (pl->disk->fault.err)
        inventory_disk_finding(s->inv, pl->disk, "device-fault", FINDING_FAIL, NULL, "%s", reason);
    if (!r->ios && !r->errors)
        journal_not_tested(record_journal(), pl->disk->name, pl->job.name,
                           reason[0] ? reason : "nothing was answered within its time");
    else {
        static struct step_result flagged;

        flagged = *r;
        if (heat_disk_slowed(pl->disk))
            flagged.flags |= FLAG_HOT;
        if (numa_is_uncontrolled(pl->disk))
            flagged.flags |= FLAG_NUMA;
        journal_step_end(record_journal(), &flagged, reason);
        if (series->count)
            journal_series(record_journal(), s->number, pl->disk->name, pl->job.name, &view);
    }
    s->step_bytes_per_s += step_bytes_per_s(r);
    serial_say("  %s %s: %llu MB/s, %llu IOPS%s%s", pl->disk->name, pl->job.name,
               (unsigned long long)(step_bytes_per_s(r) / 1000000),
               (unsigned long long)(step_iops_milli(r) / 1000), reason[0] ? ", " : "", reason);
}

static void run_step(struct step_run *s)
{
    int rc;

    journal_step_start(record_journal(), s->number, s->step->title, s->step->lane_count);
    serial_say("step %u/%u %s", s->number, s->plan->step_count, s->step->title);
    record_checkpoint(s->medium, s->number);
    watchdog_arm(s->conf->attended);
    if ((rc = engine_begin(s->step, s->number, &s->engine)) != OK) {
        for (unsigned i = 0; i < s->step->lane_count; i++)
            journal_not_tested(record_journal(), s->step->lanes[i].disk->name, s->step->lanes[i].job.name,
                               err_text(rc));
        return;
    }
    /* A short step would show only zeros while it runs: the last one's numbers stay until it has its own. */
    if (is_long(s->step))
        draw(s);
    s->last_checkpoint_ns = clock_now_ns();
    heat_step_begin(s->inv, s->step);
    while (worker_run(s->engine, SLICE_MS * NS_PER_MS)) {
        checks_sample(s->step);
        attend(s);
    }
    engine_locate_errors(s->engine);
    heat_step_measured();
    for (unsigned i = 0; i < engine_lane_count(s->engine); i++)
        report_lane(s, i);
    heat_step_end(s->inv, s->number, s->step->title);
    draw(s);
    engine_end(s->engine);
    s->engine = NULL;
    look_around(s->inv);
    record_checkpoint(s->medium, s->number);
}

/* Once, or again and again until the rate of all lanes is steady by the SNIA rule.  Each round is a step of
 * its own in the journal. */
static void run_rounds(struct step_run *s)
{
    uint64_t rate[STEADY_PTS_ROUNDS];
    unsigned most = s->step->rounds, n = 0;
    bool steady = false;
    char line[120];

    if (most > STEADY_PTS_ROUNDS)
        most = STEADY_PTS_ROUNDS;
    do {
        s->number++;
        s->step_bytes_per_s = 0;
        run_step(s);
        rate[n++] = s->step_bytes_per_s;
        steady = steady_pts(rate, n);
    } while (n < most && !steady);
    scaling_note(s->step, s->step_bytes_per_s);
    if (most < 2)
        return;
    str_fmt(line, sizeof line, "%s: %s after %u rounds of at most %u (SNIA: five within 20 %%, slope 10 %%)",
            s->step->title, steady ? "steady" : "NOT steady", n, most);
    journal_log(record_journal(), LOG_INFO, line);
    serial_say("%s", line);
}

void sweep_run(const struct plan *plan, struct inventory *inv, struct medium *m, const struct conf *conf)
{
    struct step_run s = {
        .plan = plan, .inv = inv, .medium = m, .conf = conf, .run_started_ns = clock_now_ns()
    };

    for (unsigned i = 0; i < plan->step_count; i++) {
        s.step = &plan->steps[i];
        run_rounds(&s);
    }
    scaling_tell();
    watchdog_off();
}
