#include "burn_in_loop.h"
#include "bits.h"
#include "burn_in_lane.h"
#include "burn_in_probe.h"
#include "math.h"
#include "str.h"
#include "text.h"

enum {
    LEAST_PIECE_MS = 1000, /* a round ends with the first lane, but not at once */
    IDLE_MS = 200,
    SELF_TEST_UNKNOWN_MS = 300000, /* where it does not say */
    REASON_BYTES = 160
};

struct seat { /* of one drive, beside it */
    struct burn_in_lane *lane;
    struct burn_in_work work;
    uint8_t phase; /* as of the last checkpoint */
    bool ended_told;
    /* Of that phase in this start; the numbers of the drive as it began. */
    uint64_t began_ns, began_ms, began_written_bytes, began_errors;
    uint64_t lane_bytes, lane_written_bytes;
};
struct loop {
    struct burn_in_drive *drives;
    struct seat *seats;
    unsigned count;
    const struct burn_in_hooks *hooks;
    uint64_t checkpoint_ms, last_checkpoint_ns, last_health_ns, last_attend_ns;
    bool news;        /* since the last checkpoint a drive went on to another phase, or ended */
    const char *stop; /* why */
};

static uint64_t ms_since(uint64_t ns) { return (plat_now_ns() - ns) / NS_PER_MS; }

/* ---- the drives' own tests ---- */
static const struct self_test_ops *self_test_of(const struct burn_in_drive *d)
{
    const struct controller *c = d->disk->controller;

    return c && c->driver ? c->driver->self_test : NULL;
}

/* True while it runs; else *o is what came of it. */
static bool start_self_test(struct burn_in_drive *d, const struct burn_in_work *w, struct self_test_state *s,
                            struct burn_in_outcome *o, char words[REASON_BYTES])
{
    enum self_test_kind kind = d->state.phase == BURN_IN_SHORT_TEST ? SELF_TEST_SHORT : SELF_TEST_EXTENDED;
    const struct self_test_ops *ops = self_test_of(d);
    int rc = ops ? ops->start(d->disk, kind, s) : E_UNSUPPORTED;
    uint64_t needs_ms = s->expected_s ? s->expected_s * 1000ull : SELF_TEST_UNKNOWN_MS;

    if (rc != OK) {
        str_copy(words, REASON_BYTES, ops && s->words[0] ? s->words : ops ? err_text(rc) : "not offered");
        *o = (struct burn_in_outcome){ .not_done = true, .words = words };
        return false;
    }
    if (w->limit_ms != UINT64_MAX && needs_ms > w->limit_ms) {
        ops->abort(d->disk);
        str_fmt(words, REASON_BYTES, "needs %llu min, %llu min are left",
                (unsigned long long)needs_ms / 60000, (unsigned long long)w->limit_ms / 60000);
        *o = (struct burn_in_outcome){ .not_done = true, .words = words };
        return false;
    }
    d->self_test_running = true;
    d->self_test_until_ms = d->state.spent_ms + self_test_limit_s(kind, s->expected_s) * 1000ull;
    return true;
}

/* True while it runs. */
static bool look_at_self_test(struct burn_in_drive *d, struct self_test_state *s, struct burn_in_outcome *o,
                              char words[REASON_BYTES])
{
    const struct self_test_ops *ops = self_test_of(d);
    int rc = ops->look(d->disk, s);
    char at[40] = "";

    if (rc == OK && s->result == SELF_TEST_RUNNING && d->state.spent_ms < d->self_test_until_ms)
        return true;
    *o = (struct burn_in_outcome){ .over = true, .words = words };
    if (rc == OK && s->result == SELF_TEST_RUNNING) {
        ops->abort(d->disk);
        o->not_done = true;
        str_copy(words, REASON_BYTES, "was not over when the drive's own time had passed; ended");
    } else if (rc != OK || s->result != SELF_TEST_PASSED) {
        o->not_done = rc != OK || s->result != SELF_TEST_FAILED;
        o->errors = !o->not_done;
        if (s->has_failing_lba)
            str_fmt(at, sizeof at, ", at LBA %llu", (unsigned long long)s->failing_lba);
        str_fmt(words, REASON_BYTES, "%s%s",
                rc != OK      ? err_text(rc)
                : s->words[0] ? s->words
                              : "no result",
                at);
    }
    return false;
}

static void do_self_test(struct loop *l, struct burn_in_drive *d, const struct burn_in_work *w)
{
    struct self_test_state s = { 0 };
    struct burn_in_outcome o = { 0 };
    char words[REASON_BYTES] = "";

    if (d->self_test_running ? look_at_self_test(d, &s, &o, words) : start_self_test(d, w, &s, &o, words))
        return;
    d->self_test_running = false;
    if (o.errors)
        l->hooks->finding(l->hooks->ctx, d, "self-test-failed", words);
    burn_in_took(d, w, &o);
}

/* ---- temperatures and health ---- */
static void look_at_health(struct loop *l, struct burn_in_drive *d, const char *when)
{
    const struct burn_in_hooks *h = l->hooks;
    struct disk_health *health = plat_alloc(sizeof *health);
    char words[REASON_BYTES];

    if (health && h->health(h->ctx, d->disk, when, health)) {
        enum burn_in_heat heat = burn_in_heat(d, health);
        str_fmt(words, sizeof words, "%lld degrees: %s", (long long)d->temperature_c,
                heat == HEAT_ENDS ? "it leaves the burn-in at its critical limit"
                                  : "it rests until it has cooled down");
        if (heat == HEAT_PAUSES || heat == HEAT_ENDS)
            h->finding(h->ctx, d, heat == HEAT_ENDS ? "burn-in-too-hot" : "burn-in-warm", words);
    }
    plat_free(health);
}

static void look_at_all(struct loop *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->drives[i].state.end == BURN_IN_GOING)
            look_at_health(l, &l->drives[i], NULL);
    l->last_health_ns = plat_now_ns();
}

/* ---- pieces of work that are no lanes ---- */
static void do_at_once(struct loop *l, struct burn_in_drive *d, struct seat *s)
{
    const struct burn_in_work *w = &s->work;
    struct burn_in_outcome o = { .over = true };
    char words[REASON_BYTES] = "";

    switch (w->task) {
    case BURN_IN_LOOK:
        look_at_health(l, d, d->state.phase == BURN_IN_SNAPSHOT ? "before" : "after");
        if (d->state.end == BURN_IN_GOING)
            burn_in_took(d, w, &o);
        break;
    case BURN_IN_SELF_TEST:
        do_self_test(l, d, w);
        break;
    case BURN_IN_PROBE:
        burn_in_probe(d, w, words);
        break;
    case BURN_IN_ZERO:
        burn_in_clear(d, w, words);
        break;
    default: /* BURN_IN_REST, BURN_IN_RENEW */
        break;
    }
    if (words[0])
        l->hooks->finding(l->hooks->ctx, d,
                          str_starts(words, "capacity is a lie") ? "capacity-lie" : "burn-in-error", words);
}

/* ---- resets ---- */
/* A reset of an NVMe controller would break off the tests of its other namespaces. */
static bool a_neighbour_tests_itself(const struct loop *l, const struct burn_in_drive *d)
{
    for (unsigned i = 0; i < l->count; i++) {
        const struct burn_in_drive *o = &l->drives[i];

        if (o != d && o->self_test_running && d->disk->kind == DISK_NVME &&
            o->disk->controller == d->disk->controller)
            return true;
    }
    return false;
}

/* Before lanes are opened: all that was written is flushed, and nothing of anybody is in flight. */
static void renew_those_due(struct loop *l)
{
    char words[REASON_BYTES];

    for (unsigned i = 0; i < l->count; i++) {
        struct burn_in_drive *d = &l->drives[i];
        struct burn_in_work w;

        if (!burn_in_next(d, &w) || w.task != BURN_IN_RENEW || a_neighbour_tests_itself(l, d))
            continue;
        burn_in_renew(d, &w, words);
        if (words[0])
            l->hooks->finding(l->hooks->ctx, d, "burn-in-error", words);
    }
}

/* ---- rounds ---- */
static void begin_phase(struct burn_in_drive *d, struct seat *s)
{
    const struct burn_in_state *now = &d->state;

    s->phase = now->phase;
    s->ended_told = now->end != BURN_IN_GOING;
    s->began_ns = plat_now_ns();
    s->began_ms = now->spent_ms;
    s->began_written_bytes = now->written_bytes;
    s->began_errors = now->errors;
    s->lane_bytes = s->lane_written_bytes = 0;
    d->phase_max_c = d->temperature_c;
}

/* When the drive went on to another phase, or ended. */
static void tell_phase(struct loop *l, struct burn_in_drive *d, struct seat *s)
{
    const struct burn_in_state *now = &d->state;
    bool ended = now->end != BURN_IN_GOING;

    if (now->phase == s->phase && ended == s->ended_told)
        return;
    struct burn_in_phase_sum sum = {
        .phase = s->phase,
        .end = now->end,
        .began_ns = s->began_ns,
        .ms = now->spent_ms - s->began_ms,
        .read_bytes = s->lane_bytes - min_u64(s->lane_bytes, s->lane_written_bytes),
        .written_bytes = now->written_bytes - s->began_written_bytes,
        .errors = now->errors - s->began_errors,
        .temperature_max_c = d->phase_max_c,
    };
    str_copy(sum.disk, sizeof sum.disk, now->disk);
    if (s->phase != BURN_IN_DONE)
        l->hooks->phase_over(l->hooks->ctx, d, &sum);
    begin_phase(d, s);
    l->news = true;
}

static bool is_lane(const struct burn_in_work *w)
{
    return w->task >= BURN_IN_READ && w->task <= BURN_IN_MIX;
}

/* How many lanes there are; *waiting: drives that only time helps. */
static unsigned open_lanes(struct loop *l, unsigned *waiting)
{
    unsigned lanes = 0;

    *waiting = 0;
    for (unsigned i = 0; i < l->count; i++) {
        struct burn_in_drive *d = &l->drives[i];
        struct seat *s = &l->seats[i];

        s->lane = NULL;
        if (!burn_in_next(d, &s->work))
            continue;
        tell_phase(l, d, s); /* one that is over is told without the bytes of the lane that follows it */
        if (!is_lane(&s->work)) {
            do_at_once(l, d, s);
            *waiting += s->work.task == BURN_IN_REST || s->work.task == BURN_IN_RENEW || d->self_test_running;
        } else if (burn_in_lane_open(d, &s->work, &s->lane) == OK) {
            lanes++;
        } else {
            l->hooks->finding(l->hooks->ctx, d, "burn-in-error", d->state.why);
        }
    }
    return lanes;
}

/* Holds the lanes that run and lets the hook do firmware's work. */
static void attend(struct loop *l)
{
    bool busy = true;

    for (unsigned i = 0; i < l->count; i++)
        if (l->seats[i].lane)
            burn_in_lane_hold(l->seats[i].lane, true);
    while (busy) {
        busy = false;
        for (unsigned i = 0; i < l->count; i++)
            if (l->seats[i].lane && !burn_in_lane_is_idle(l->seats[i].lane)) {
                burn_in_lane_turn(l->seats[i].lane);
                busy = true;
            }
        plat_relax();
    }
    const char *why = l->hooks->attend(l->hooks->ctx, l->drives, l->count);
    if (why)
        l->stop = why;
    for (unsigned i = 0; i < l->count; i++)
        if (l->seats[i].lane)
            burn_in_lane_hold(l->seats[i].lane, false);
}

static void attend_when_due(struct loop *l)
{
    if (ms_since(l->last_attend_ns) < BURN_IN_ATTEND_MS)
        return;
    if (l->hooks->wants_hold(l->hooks->ctx))
        attend(l);
    l->last_attend_ns = plat_now_ns();
}

static void finish_all(struct loop *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->seats[i].lane)
            burn_in_lane_finish(l->seats[i].lane);
}

/* Until the next checkpoint is due, or a lane has come to the end of its work: its drive is to go on. */
static void turn_lanes(struct loop *l, unsigned lanes)
{
    uint64_t began_ns = plat_now_ns();
    unsigned live = lanes;

    while (live) {
        uint64_t ms = ms_since(began_ns);

        live = 0;
        for (unsigned i = 0; i < l->count; i++) {
            struct seat *s = &l->seats[i];
            if (!s->lane)
                continue;
            live += burn_in_lane_turn(s->lane);
            if (ms >= s->work.limit_ms)
                burn_in_lane_finish(s->lane);
        }
        if (l->stop || ms >= l->checkpoint_ms || (live < lanes && ms >= LEAST_PIECE_MS))
            finish_all(l);
        attend_when_due(l);
        plat_relax();
    }
}

static void close_lanes(struct loop *l)
{
    for (unsigned i = 0; i < l->count; i++) {
        struct seat *s = &l->seats[i];
        struct burn_in_lane_report report;
        enum burn_in_phase phase = (enum burn_in_phase)l->drives[i].state.phase;

        if (!s->lane)
            continue;
        burn_in_lane_close(s->lane, &report);
        s->lane = NULL;
        s->lane_bytes += report.bytes;
        s->lane_written_bytes += report.written_bytes;
        if (report.errors) {
            char seen[REASON_BYTES + 80];
            str_fmt(seen, sizeof seen, "%llu error%s in %s, the first: %s", (unsigned long long)report.errors,
                    str_plural(report.errors), burn_in_phases[phase].words, report.words);
            l->hooks->finding(l->hooks->ctx, &l->drives[i], "burn-in-error", seen);
        }
    }
}

/* ---- checkpoints ---- */
static void tell_all_phases(struct loop *l)
{
    for (unsigned i = 0; i < l->count; i++)
        tell_phase(l, &l->drives[i], &l->seats[i]);
}

static void checkpoint_when_due(struct loop *l)
{
    tell_all_phases(l);
    if (!l->news && !l->stop && ms_since(l->last_checkpoint_ns) < l->checkpoint_ms)
        return;
    l->hooks->checkpoint(l->hooks->ctx, l->drives, l->count);
    l->news = false;
    l->last_checkpoint_ns = plat_now_ns();
}

/* Time that a drive spends without a lane is its own all the same. */
static void charge_waiting(struct loop *l, uint64_t ms)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->drives[i].state.end == BURN_IN_GOING && !is_lane(&l->seats[i].work) &&
            (l->seats[i].work.task == BURN_IN_REST || l->seats[i].work.task == BURN_IN_RENEW ||
             l->drives[i].self_test_running))
            burn_in_waited(&l->drives[i], ms);
}

static void round_of_all(struct loop *l)
{
    uint64_t began_ns = plat_now_ns();
    unsigned waiting;

    renew_those_due(l);
    unsigned lanes = open_lanes(l, &waiting);

    if (lanes)
        turn_lanes(l, lanes);
    else if (waiting)
        plat_stall_us(IDLE_MS * 1000);
    close_lanes(l);
    charge_waiting(l, ms_since(began_ns));
    attend(l);
    if (ms_since(l->last_health_ns) >= min_u64(BURN_IN_HEALTH_EVERY_MS, l->checkpoint_ms))
        look_at_all(l);
}

static bool any_goes_on(const struct loop *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->drives[i].state.end == BURN_IN_GOING)
            return true;
    return false;
}

static void stop_all(struct loop *l)
{
    for (unsigned i = 0; i < l->count; i++) {
        struct burn_in_drive *d = &l->drives[i];

        if (d->self_test_running && self_test_of(d))
            self_test_of(d)->abort(d->disk);
        d->self_test_running = false;
        burn_in_stop(d, l->stop);
    }
}

int burn_in_loop(struct burn_in_drive *drives, unsigned count, uint64_t checkpoint_ms,
                 const struct burn_in_hooks *hooks)
{
    struct loop l = { .drives = drives, .count = count, .hooks = hooks, .checkpoint_ms = checkpoint_ms };

    l.seats = plat_alloc((count ? count : 1) * sizeof *l.seats);
    if (!l.seats)
        return NOTE(E_NOMEM, "memory for the burn-in", 0, count * sizeof *l.seats);
    for (unsigned i = 0; i < count; i++) {
        begin_phase(&drives[i], &l.seats[i]);
    }
    l.last_checkpoint_ns = l.last_attend_ns = plat_now_ns();
    /* What a start begins with is written down before it does anything: so crashes are counted. */
    hooks->checkpoint(hooks->ctx, drives, count);
    look_at_all(&l);
    while (any_goes_on(&l) && !l.stop) {
        round_of_all(&l);
        if (l.stop)
            stop_all(&l);
        checkpoint_when_due(&l);
    }
    plat_free(l.seats);
    return OK;
}
