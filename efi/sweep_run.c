#include "sweep_run.h"
#include "cache.h"
#include "checks_run.h"
#include "clock.h"
#include "engine.h"
#include "heat_run.h"
#include "live.h"
#include "look_around.h"
#include "net_syslog.h"
#include "numa_run.h"
#include "platform.h"
#include "record.h"
#include "resume_run.h"
#include "scaling_run.h"
#include "serial.h"
#include "steady.h"
#include "stripe.h"
#include "watchdog.h"
#include "str.h"

enum {
    SLICE_MS = 200,
    CHECKPOINT_EVERY_MS = 60000,
    SLOW_REQUEST_S = 8 /* longer than a drive made for RAID may repair itself */
};

struct step_run {
    const struct plan *plan;
    struct inventory *inv;
    struct medium *medium;
    const struct conf *conf;
    unsigned number;         /* of the journal: each round is a step of its own; 1-based */
    unsigned planned, round; /* of the plan, 1-based; round 0: not repeated */
    const struct plan_step *step;
    struct engine *engine;
    uint64_t step_bytes_per_s; /* of all its lanes */
    uint64_t last_checkpoint_ns, began_ns;
    bool out_of_time; /* said once */
    bool any_done;    /* a step of the plan, now or before the run was interrupted */
};

/* True when the budget does not allow for so much more. */
static bool lacks_time(const struct step_run *s, uint64_t more_ns)
{
    uint64_t limit_ns = plan_limit_ns(s->conf);

    return limit_ns && clock_now_ns() - s->began_ns + more_ns > limit_ns;
}

static uint64_t round_estimate_ns(const struct plan_step *step)
{
    return step->rounds > 1 ? step->estimate_ns / step->rounds : step->estimate_ns;
}

/* Between the last flush and reading back, of jobs with verify_after_reset. */
static void tell_reset(void *ctx, const struct plan_lane *pl, int err, const char *instead)
{
    struct step_run *s = ctx;

    if (err == OK)
        serial_tell("  %s %s: reset, now read back", pl->disk->name, pl->job.name);
    else if (instead[0])
        inventory_disk_finding(s->inv, pl->disk, "verify-reset", FINDING_INFO,
                               "a reset between writing and reading back", "%s: %s", pl->job.name, instead);
}

/* Firmware work while the step runs: the engine is drained first and the time does not count. */
static void attend(struct step_run *s)
{
    bool checkpoint = clock_now_ns() - s->last_checkpoint_ns >= CHECKPOINT_EVERY_MS * NS_PER_MS;

    if (!checkpoint && !heat_hold_is_due() && !live_hold_is_due() && !worker_wants_reset(s->engine))
        return;
    worker_hold(s->engine);
    worker_reset(s->engine, tell_reset, s);
    heat_hold(s->engine);
    live_attend();
    if (live_stopped())
        engine_stop(s->engine);
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
    inventory_disk_finding(s->inv, pl->disk, "io-error", FINDING_FAIL, "every request is answered well",
                           "%llu of %llu request%s failed in %s, the first at LBA %llu: %s",
                           (unsigned long long)r->errors, (unsigned long long)(r->errors + r->ios),
                           str_plural(r->errors + r->ios), pl->job.name,
                           (unsigned long long)(kept ? errors[0].lba : 0), kept ? words : "");
}

/* What the array read, its members read; where it failed, one of them did. */
static void report_members(struct step_run *s, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(s->engine, lane);
    const struct step_result *r = engine_result(s->engine, lane);
    unsigned kept, n = 0;
    const struct io_error_record *errors = engine_errors(s->engine, lane, &kept);

    for (struct disk *m; (m = stripe_member(pl->disk, n)); n++) {
        struct known_disk *k = inventory_find(s->inv, m);

        if (!k || !r->ios || k->verdict != VERDICT_NOT_TESTED)
            continue;
        k->verdict = VERDICT_PASS;
        str_fmt(k->why, sizeof k->why, "read as a member of %s", pl->disk->name);
    }
    for (unsigned i = 0; i < kept; i++) {
        uint64_t lba;
        struct disk *m = stripe_member_of(pl->disk, errors[i].lba, &lba);

        if (m)
            inventory_disk_finding(s->inv, m, "io-error", FINDING_FAIL, "every request is answered well",
                                   "a request to %s failed in %s: LBA %llu of this disk: %s", pl->disk->name,
                                   pl->job.name, (unsigned long long)lba, io_status_text(errors[i].status));
    }
}

/* What was written and what came back of it.  Blocks that are not as written are the drive's failure,
 * whatever its rates are. */
static void report_writing(struct step_run *s, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(s->engine, lane);
    const struct step_result *r = engine_result(s->engine, lane);
    const struct step_writing *w = engine_writing(s->engine, lane);
    const char *kinds[VERIFY_KIND_COUNT];
    unsigned kept;
    const struct stamp_finding *bad = engine_bad_blocks(s->engine, lane, &kept);
    char words[160] = "";

    for (unsigned side = 0; side < 2; side++)
        if (engine_side(s->engine, lane, side))
            journal_step_side(record_journal(), r, engine_side(s->engine, lane, side));
    if (!w)
        return;
    for (unsigned i = 0; i < VERIFY_KIND_COUNT; i++)
        kinds[i] = stamp_kind_text((enum stamp_kind)i);
    journal_writing(record_journal(), r, w, kinds);
    for (unsigned i = kept; i--;) { /* the words of the first remain */
        struct text t = text_over(words, sizeof words);
        struct verify_error e = { .lba = bad[i].lba,
                                  .expected = bad[i].expected,
                                  .seen = bad[i].seen,
                                  .seen_lba = bad[i].seen_lba,
                                  .at_byte = bad[i].at_byte,
                                  .seen_pass = bad[i].seen_pass,
                                  .kind = kinds[bad[i].kind],
                                  .words = words };

        stamp_finding_text(&bad[i], &t);
        journal_verify_error(record_journal(), r, &e);
    }
    if (w->bad_lbas)
        inventory_disk_finding(s->inv, pl->disk, "verify", FINDING_FAIL,
                               "every block is read as it was written",
                               "%llu block%s not as written in %s: %s", (unsigned long long)w->bad_lbas,
                               w->bad_lbas == 1 ? " is" : "s are", pl->job.name, words);
    else if (w->verifies && !w->verify_complete)
        inventory_disk_finding(s->inv, pl->disk, "verify", FINDING_WARN, "all that was written is compared",
                               "%s ended before all that it wrote was compared", pl->job.name);
}

/* Whether the job's latencies are as it wants them. */
static void report_goal(struct step_run *s, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(s->engine, lane);
    const struct step_result *r = engine_result(s->engine, lane);
    const struct step_goal *g = engine_goal(s->engine, lane);
    char limit[24], percent[16];
    struct text t = text_over(limit, sizeof limit), p = text_over(percent, sizeof percent);

    if (!g)
        return;
    journal_latency_goal(record_journal(), r, g);
    if (g->max_ns && r->latency_max_ns > g->max_ns) {
        text_duration(&t, g->max_ns);
        inventory_disk_finding(s->inv, pl->disk, "latency-limit", FINDING_FAIL, "no request takes longer",
                               "a request took %llu us in %s, max_latency is %s",
                               (unsigned long long)(r->latency_max_ns / NS_PER_US), pl->job.name, limit);
    }
    if (!g->target_ns || g->outcome == TARGET_OPEN)
        return;
    text_reset(&t);
    text_duration(&t, g->target_ns);
    text_fixed(&p, g->percentile_ppm, 4);
    if (g->outcome == TARGET_MISSED)
        inventory_disk_finding(
            s->inv, pl->disk, "latency-limit", FINDING_FAIL, "one request at a time keeps it",
            "%s: of single requests fewer than %s %% stay within %s", pl->job.name, percent, limit);
    else
        inventory_disk_finding(
            s->inv, pl->disk, "latency-target", FINDING_INFO, NULL,
            "%s: %u at once keep %s %% of the requests within %s, %s", pl->job.name, g->depth, percent, limit,
            g->outcome == TARGET_FOUND ? "one more does not" : "more than that iodepth does not allow");
}

static struct series_view view_of(const struct lane_series *s)
{
    return (struct series_view){ .interval_ns = s->interval_ns,
                                 .count = s->count,
                                 .ios = &s->point[0].ios,
                                 .bytes = &s->point[0].bytes,
                                 .max_ns = &s->point[0].max_ns,
                                 .sum_ns = &s->point[0].sum_ns,
                                 .stride_bytes = sizeof s->point[0] };
}

static void report_series(struct step_run *s, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(s->engine, lane);
    const struct step_result *r = engine_result(s->engine, lane);
    struct series_view view = view_of(engine_series(s->engine, lane));
    struct step_logs logs;

    if (!view.count)
        return;
    if (job_logs(&pl->job, &logs))
        journal_fio_log(record_journal(), r, &logs);
    journal_series(record_journal(), s->number, pl->disk->name, pl->job.name, &view);
    for (unsigned side = 0; side < 2; side++) {
        const struct lane_series *of_side = engine_side_series(s->engine, lane, side);

        if (!of_side || !of_side->count)
            continue;
        view = view_of(of_side);
        journal_side_series(record_journal(), r, side, &view);
    }
}

/* The rate, and why not to trust it. */
static void say_result(const struct plan_lane *pl, const struct step_result *r, const char *reason)
{
    char words[200];
    struct text t = text_over(words, sizeof words);

    if (step_no_number(r->flags))
        text_str(&t, step_no_number(r->flags));
    else
        text_fmt(&t, "%llu MB/s, %llu IOPS", (unsigned long long)(step_bytes_per_s(r) / 1000000),
                 (unsigned long long)(step_iops_milli(r) / 1000));
    step_flag_words(r->flags, &t);
    serial_tell("  %s %s: %s%s%s", pl->disk->name, pl->job.name, words, reason[0] ? ", " : "", reason);
}

/* What the engine does not know of, until the next call. */
static const struct step_result *with_flags(const struct step_run *s, const struct disk *d,
                                            const struct step_result *r)
{
    static struct step_result flagged;

    flagged = *r;
    if (heat_disk_slowed(d))
        flagged.flags |= FLAG_HOT;
    if (numa_is_uncontrolled(d))
        flagged.flags |= FLAG_NUMA;
    if (checks_link_is_narrow(s->inv, d))
        flagged.flags |= FLAG_NARROW_LINK;
    return &flagged;
}

/* ---- caches that jobs ask for ---- */
static void tell_cache(void *ctx, const struct cache_told *t)
{
    struct step_run *s = ctx;
    const struct cache_switch *c = &t->disk->cache[t->which];
    const char *name = cache_text(t->which), *event = cache_event_text(t->event);
    bool before = t->event <= CACHE_UNCHANGED;
    struct cache_info line = { .step = s->number + before,
                               .disk = t->disk->name,
                               .cache = name,
                               .event = event,
                               .asked = cache_state_text(t->asked),
                               .found = cache_state_text(c->found),
                               .now = cache_state_text(c->now),
                               .why = t->err ? err_text(t->err) : "" };

    watchdog_arm(s->conf->attended); /* a drive that empties its cache, or hangs, takes its time */
    journal_cache(record_journal(), &line);
    serial_tell("  %s: %s %s, now %s", t->disk->name, name, event, line.now);
    if (t->event == CACHE_UNCHANGED || t->event == CACHE_LOST || t->event == CACHE_NOT_RESTORED)
        inventory_disk_finding(s->inv, t->disk, "cache-switch", FINDING_WARN,
                               "caches are as a job asks, and afterwards as found",
                               "%s %s: asked %s, found %s, now %s", name, event, line.asked, line.found,
                               line.now);
}

static void report_lane(struct step_run *s, unsigned lane)
{
    const struct plan_lane *pl = engine_plan_lane(s->engine, lane);
    const struct step_result *r = engine_result(s->engine, lane);
    const char *reason = engine_lane_reason(s->engine, lane);
    struct known_disk *k = inventory_find(s->inv, pl->disk);

    if (k && r->ios && k->verdict == VERDICT_NOT_TESTED) {
        k->verdict = VERDICT_PASS;
        k->why[0] = 0; /* why another job was refused has a line of its own */
    }
    report_errors(s, lane);
    report_members(s, lane);
    if (r->retries)
        inventory_disk_finding(s->inv, pl->disk, "io-retries", FINDING_WARN, "every request succeeds at once",
                               "%llu repetition%s beside %llu request%s in %s",
                               (unsigned long long)r->retries, str_plural(r->retries),
                               (unsigned long long)r->ios, str_plural(r->ios), pl->job.name);
    if (r->latency_max_ns >= SLOW_REQUEST_S * NS_PER_S)
        inventory_disk_finding(s->inv, pl->disk, "slow-request", FINDING_WARN,
                               "every request answered within 8 s", "one took %llu s in %s",
                               (unsigned long long)(r->latency_max_ns / NS_PER_S), pl->job.name);
    if (pl->disk->fault.err)
        inventory_disk_finding(s->inv, pl->disk, "device-fault", FINDING_FAIL, NULL, "%s", reason);
    r = with_flags(s, pl->disk, r);
    if (!r->ios && !r->errors)
        journal_not_tested(record_journal(), pl->disk->name, pl->job.name,
                           reason[0] ? reason : "nothing was answered within its time");
    else {
        journal_step_end(record_journal(), r, reason);
        report_goal(s, lane);
        report_writing(s, lane);
        report_series(s, lane);
    }
    live_result(pl->disk, r);
    s->step_bytes_per_s += step_bytes_per_s(r);
    say_result(pl, r, reason);
}

static void run_step(struct step_run *s)
{
    char round[20] = "";
    int rc;

    journal_step_start(record_journal(), s->number, s->step->title, s->step->lane_count);
    if (plan_step_key(s->step))
        journal_step_key(record_journal(), s->number, s->planned, s->step->rounds, plan_step_key(s->step));
    if (s->round)
        str_fmt(round, sizeof round, ", round %u", s->round);
    serial_say("step %u/%u %s%s", s->planned, s->plan->step_count, s->step->title, round);
    net_syslog(SYSLOG_INFO, "step %u/%u %s%s", s->planned, s->plan->step_count, s->step->title, round);
    record_checkpoint(s->medium, s->number);
    watchdog_arm(s->conf->attended);
    if ((rc = engine_begin(s->step, s->number, &s->engine)) != OK) {
        for (unsigned i = 0; i < s->step->lane_count; i++)
            journal_not_tested(record_journal(), s->step->lanes[i].disk->name, s->step->lanes[i].job.name,
                               err_text(rc));
        return;
    }
    live_step(s->engine, s->step, s->planned, s->round);
    if (live_stopped())
        engine_stop(s->engine);
    s->last_checkpoint_ns = clock_now_ns();
    heat_step_begin(s->inv, s->step);
    while (worker_run(s->engine, SLICE_MS * NS_PER_MS)) {
        checks_sample(s->step);
        attend(s);
        if (lacks_time(s, 0))
            engine_stop(s->engine);
    }
    engine_locate_errors(s->engine);
    heat_step_measured();
    for (unsigned i = 0; i < engine_lane_count(s->engine); i++)
        report_lane(s, i);
    heat_step_end(s->inv, s->number, s->step->title);
    live_step_end();
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
    struct rounds_info info = { .title = s->step->title, .bytes_per_s = rate, .first_step = s->number + 1 };

    cache_step_begin(s->step, tell_cache, s);
    if (most > STEADY_PTS_ROUNDS)
        most = STEADY_PTS_ROUNDS;
    do {
        s->number++;
        s->round = most > 1 ? n + 1 : 0;
        s->step_bytes_per_s = 0;
        run_step(s);
        rate[n++] = s->step_bytes_per_s;
        steady = steady_pts(rate, n);
    } while (n < most && !steady && !live_stopped() && !lacks_time(s, round_estimate_ns(s->step)));
    cache_step_end(s->step, tell_cache, s);
    scaling_note(s->step, s->step_bytes_per_s);
    if (most < 2)
        return;
    info.last_step = s->number;
    info.count = n;
    info.most = most;
    info.steady = steady;
    journal_rounds(record_journal(), &info);
    serial_say("%s: %s after %u round%s of at most %u (SNIA: five within 20 %%, slope 10 %%)", s->step->title,
               steady ? "steady" : "NOT steady", n, str_plural(n), most);
}

static const char stopped_words[] = "stopped by a person before its plan was done";

/* What did not run, or not to its end, since a person stopped it. */
static void leave_out(struct step_run *s, const struct plan_step *step, bool begun)
{
    for (unsigned i = 0; i < step->lane_count; i++) {
        struct known_disk *k = inventory_find(s->inv, step->lanes[i].disk);

        if (!begun)
            journal_not_tested(record_journal(), step->lanes[i].disk->name, step->lanes[i].job.name,
                               stopped_words);
        if (!k || verdict_join(k->verdict, VERDICT_ABORTED) != VERDICT_ABORTED)
            continue;
        k->verdict = VERDICT_ABORTED;
        str_copy(k->why, sizeof k->why, stopped_words);
    }
}

static void give_up(struct step_run *s)
{
    char words[160];

    str_fmt(words, sizeof words,
            "the time budget of %u s is used up: steps took longer than planned; raise budget_s, or choose "
            "fewer disks or jobs",
            s->conf->budget_s);
    for (unsigned i = 0; i < s->step->lane_count; i++)
        journal_not_tested(record_journal(), s->step->lanes[i].disk->name, s->step->lanes[i].job.name, words);
    if (!s->out_of_time)
        record_finding("not-tested", FINDING_WARN, "run", "all that was planned is measured", "%s", words);
    s->out_of_time = true;
}

static void run_plan(struct step_run *s)
{
    bool stop_noted = false;

    for (unsigned i = 0; i < s->plan->step_count; i++) {
        bool begun = !live_stopped();

        if (resume_has(i)) {
            s->any_done = true;
            continue;
        }
        s->step = &s->plan->steps[i];
        s->planned = i + 1;
        if (begun && (s->out_of_time || lacks_time(s, round_estimate_ns(s->step)))) {
            give_up(s);
            continue;
        }
        if (begun)
            run_rounds(s);
        if (!live_stopped()) {
            s->any_done = true;
            continue;
        }
        leave_out(s, s->step, begun);
        if (!stop_noted)
            resume_note_stop(i, stopped_words, s->any_done);
        stop_noted = true;
    }
}

bool sweep_run(const struct plan *plan, struct inventory *inv, struct medium *m, const struct conf *conf)
{
    struct step_run s = { .plan = plan, .inv = inv, .medium = m, .conf = conf };
    uint64_t rest_ns;

    resume_done_steps(plan, &rest_ns);
    live_begin(inv, plan->step_count, rest_ns);
    if (!live_stopped())
        s.number = resume_carry(plan, inv);
    live_waits(plan);
    s.began_ns = clock_now_ns();
    run_plan(&s);
    live_end();
    scaling_tell();
    watchdog_off();
    return !live_stopped();
}
