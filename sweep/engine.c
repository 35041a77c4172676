#include "engine_lane.h"
#include "str.h"
#include "text.h"

/* The loop.  Per I/O it costs the making of a request, one completion and one histogram entry; all that is
 * rarer (phases, deadlines, the stop word, the snapshot) hangs on one comparison per visit of a lane.
 * One reading of the clock per visit stamps both the completions and the requests that take their place
 * (perf.md 4.4: the error is the length of a batch, none at QD 1). */

/* ---- making requests ---- */
/* l->request begins with those that are made and wait for the driver; the slots that are free follow. */
void engine_give_back_slot(struct work_lane *l, unsigned slot)
{
    l->slot[slot].blocks = 0;
    l->request[l->depth - l->in_flight].slot = (uint16_t)slot;
    l->in_flight--;
}

/* The only request of a lane costs less when nothing is fetched ahead for others. */
static inline uint64_t make_only(struct work_lane *l, struct io_request *r, uint64_t now_ns)
{
    const uint32_t blocks = l->block_lbas;

    if (l->pattern == PATTERN_PERMUTED && l->next_index != l->whole_blocks) {
        put_in_slot(l->slot, r, now_ns, l->first_lba + perm_at(&l->perm, l->next_index++) * blocks, blocks);
        return blocks;
    }
    if (l->pattern == PATTERN_SEQUENTIAL && l->end_lba - l->next_lba >= blocks) {
        put_in_slot(l->slot, r, now_ns, l->next_lba, blocks);
        l->next_lba += blocks;
        return blocks;
    }
    return engine_make(l, l->pattern, r, 1, now_ns);
}

/* ---- ending ---- */
static void stop_submitting(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    if (!l->submitting)
        return;
    l->submitting = 0;
    l->stop_ns = engine_measured_now(e, now_ns) - l->begin_ns;
    if (l->phase == LANE_RUNNING)
        l->phase = LANE_DRAINING;
    if (l->writing)
        engine_write_unmake(l);
    l->waiting = 0; /* made, but never in the driver's hands */
}

void engine_end_now(struct engine *e, struct work_lane *l, uint64_t now_ns) { stop_submitting(e, l, now_ns); }

void engine_end_early(struct engine *e, struct work_lane *l, uint64_t now_ns, const char *why)
{
    if (l->submitting)
        l->ended_early = true;
    if (!l->reason[0])
        str_copy(l->reason, sizeof(l->reason), why);
    stop_submitting(e, l, now_ns);
}

void engine_end_broken(struct engine *e, struct work_lane *l, uint64_t now_ns, const char *why)
{
    l->broken = true;
    l->ended_early = true;
    engine_end_early(e, l, now_ns, why);
}

/* Asked when something points to it: a dead lane answers what is in flight with failures, and takes nothing.
 */
static void look_whether_dead(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    const struct disk *d = l->plan->disk;
    const struct fault *f = d->fault.err || !d->controller ? &d->fault : &d->controller->fault;
    char why[sizeof(l->reason)];
    struct text t = text_over(why, sizeof(why));

    if (!l->io->dead || l->broken)
        return;
    if (f->err)
        fault_text(f, &t);
    else
        text_str(&t, "the disk takes no more work and its driver does not say why");
    engine_end_broken(e, l, now_ns, why);
}

/* ---- the series ---- */
/* What came back since the last time goes into the series, and into the totals of the histogram. */
static void add_to_series(struct work_lane *l, uint64_t at_ns)
{
    hist_add_totals(&l->hist, l->ios - l->told_ios, l->told_max_ns);
    if (l->ios != l->told_ios)
        engine_series_add(&l->series, l->last_ok_ns,
                          &(struct series_point){ l->ios - l->told_ios,
                                                  (l->lbas - l->told_lbas) * l->lba_bytes, l->told_max_ns,
                                                  l->hist.sum_ns - l->told_sum_ns });
    if (l->writing)
        engine_write_tell_sides(l);
    l->told_ios = l->ios;
    l->told_sum_ns = l->hist.sum_ns;
    l->told_lbas = l->lbas;
    l->told_max_ns = 0;
    l->series_next_ns = (at_ns / l->series.interval_ns + 1) * l->series.interval_ns;
}

static void forget_measured(struct work_lane *l)
{
    l->ios = l->lbas = l->last_ok_ns = 0;
    l->told_ios = l->told_lbas = l->told_max_ns = l->told_sum_ns = l->series_next_ns = 0;
    l->series.count = 0;
    hist_reset(&l->hist);
}

static void publish(struct engine *e, struct work_lane *l, uint64_t now_ns);

static void finish_lane(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    if (l->phase == LANE_RAMP) { /* ended before anything was measured */
        l->ramp_ns = l->stop_ns - min_u64(l->stop_ns, l->plan->job.startdelay_ns);
        l->stop_ns = 0;
        forget_measured(l);
    }
    add_to_series(l, l->last_ok_ns);
    if (l->writing && l->writing->verify_ended && !l->writing->measured_verify) {
        l->stop_ns = l->writing->measured_stop_ns;
        l->gap_ns = l->writing->measured_gap_ns;
        l->busy_ns = l->writing->measured_busy_ns;
    }
    l->phase = l->broken ? LANE_DEAD : LANE_DONE;
    e->live_count--;
    e->end_ns = engine_measured_now(e, now_ns);
    publish(e, l, now_ns);
    engine_exit_others(e, l, now_ns);
}

/* ---- completions ---- */
static void count_error(struct engine *e, struct work_lane *l, const struct io_completion *c, uint64_t now_ns)
{
    const struct work_slot *s = &l->slot[c->slot];

    l->errors++;
    l->retries += c->retries;
    if (l->writing)
        engine_verify_note_failed(l, s);
    if (l->kept_errors < LANE_MAX_ERROR_RECORDS) {
        struct io_error_record *r = &l->error[l->kept_errors++];
        uint32_t command_lbas = l->io->command_bytes / l->lba_bytes;
        *r = (struct io_error_record){ .lba = s->lba,
                                       .blocks = s->blocks,
                                       .status = c->status,
                                       .detail = c->detail,
                                       .op = l->writing ? l->writing->flush == FLUSH_SENT ? IO_FLUSH
                                                          : s->writes                     ? IO_WRITE
                                                                                          : IO_READ
                                                        : IO_READ,
                                       .at_ns = engine_measured_now(e, now_ns) - l->begin_ns };
        /* A request of several commands: the one that failed, when the driver names one of ours. */
        if (c->error_lba > s->lba && c->error_lba < s->lba + s->blocks) {
            r->lba = c->error_lba;
            r->blocks = (uint32_t)(s->lba + s->blocks - c->error_lba);
        }
        if (command_lbas && r->blocks > command_lbas)
            r->blocks = command_lbas;
    }
    /* Not IO_LOST: one reset loses a whole queue. */
    if (c->status == IO_TIMED_OUT && ++l->timeouts == ENGINE_MAX_TIMEOUTS)
        engine_end_early(e, l, now_ns, "too many requests were not answered within their deadline");
}

/* A completion that is no plain success.  False: not one of ours, nothing to free. */
bool engine_odd_completion(struct engine *e, struct work_lane *l, const struct io_completion *c,
                           uint64_t now_ns)
{
    if (c->slot < l->depth && l->slot[c->slot].blocks) {
        count_error(e, l, c, now_ns);
        return true;
    }
    if (!l->broken) {
        NOTE(E_PROTO, "completion of a slot that is not in flight", c->slot, l->depth);
        engine_end_broken(e, l, now_ns, "the driver completed a request that was not in flight");
    }
    return false;
}

/* Plain successes up to the first completion that is none, which is returned.  (solo: see visit_as) */
static inline __attribute__((always_inline)) const struct io_completion *reap_plain(
    struct work_lane *l, const struct io_completion *c, const struct io_completion *end, uint64_t now_ns,
    uint64_t at_ns, const bool solo)
{
    const uint32_t depth = solo ? 1 : l->depth;
    struct io_request *const list = l->request + (solo ? 0 : depth - l->in_flight), *r = list;
    struct work_slot *const slots = l->slot;
    uint32_t slot;

    for (; c != end; c++) {
        /* Slot, status and retries in one look: the latter two are 0. */
        __builtin_memcpy(&slot, c, sizeof slot);
        struct work_slot *s = &slots[solo ? 0 : slot];
        if (__builtin_expect(slot >= depth || !s->blocks, 0))
            break;
        uint64_t latency_ns = now_ns - s->submit_ns;
        if (latency_ns > l->told_max_ns)
            l->told_max_ns = latency_ns;
        l->lbas += s->blocks;
        s->blocks = 0;
        if (!solo)
            r->slot = (uint16_t)slot;
        r++;
        hist_add_value(&l->hist, latency_ns);
    }
    if (r != list) {
        l->last_ok_ns = at_ns;
        l->ios += (unsigned)(r - list);
        l->in_flight = (uint16_t)(l->in_flight - (r - list));
    }
    return c;
}
_Static_assert(offsetof(struct io_completion, slot) == 0 && offsetof(struct io_completion, status) == 2 &&
                   offsetof(struct io_completion, retries) == 3,
               "slot, status and retries are one word");

static __attribute__((noinline)) void reap_odd(struct engine *e, struct work_lane *l,
                                               const struct io_completion *c, const struct io_completion *end,
                                               uint64_t now_ns, uint64_t at_ns)
{
    for (; c != end; c = reap_plain(l, c + 1, end, now_ns, at_ns, false)) {
        struct io_completion retried = *c;

        retried.retries = 0;
        if (reap_plain(l, &retried, &retried + 1, now_ns, at_ns, false) != &retried)
            l->retries += c->retries;
        else if (engine_odd_completion(e, l, c, now_ns))
            engine_give_back_slot(l, c->slot);
    }
    look_whether_dead(e, l, now_ns);
}

static inline __attribute__((always_inline)) void reap(struct engine *e, struct work_lane *l, unsigned n,
                                                       uint64_t now_ns, const bool solo)
{
    uint64_t at_ns = (solo ? now_ns : engine_measured_now(e, now_ns)) - l->begin_ns;
    const struct io_completion *const end = e->done + (solo ? 1 : n), *c;

    if (!solo && __builtin_expect(l->apart, 0)) {
        if (at_ns >= l->series_next_ns && !engine_is_past_measuring(l))
            add_to_series(l, at_ns);
        engine_reap_apart(e, l, n, now_ns);
        look_whether_dead(e, l, now_ns);
        return;
    }
    if (__builtin_expect(at_ns >= l->series_next_ns, 0))
        add_to_series(l, at_ns);
    if (__builtin_expect((c = reap_plain(l, e->done, end, now_ns, at_ns, solo)) != end, 0))
        reap_odd(e, l, c, end, now_ns, at_ns);
}

/* ---- what hangs on the clock ---- */
/* Takes all that the driver has, in rounds: a deadline is judged only on what is still missing then. */
static uint64_t reap_all(struct engine *e, struct work_lane *l)
{
    uint64_t now_ns = plat_now_ns();

    for (unsigned round = 0; round <= l->depth; round++) {
        unsigned n = l->ops->poll(l->io, e->done, ENGINE_BATCH);
        now_ns = plat_now_ns();
        l->last_poll_ns = now_ns;
        if (!n)
            break;
        reap(e, l, n, now_ns, false);
    }
    return now_ns;
}

static int oldest_slot(const struct work_lane *l)
{
    uint64_t oldest_ns = UINT64_MAX;
    int found = -1;

    for (unsigned i = 0; i < l->depth; i++)
        if (l->slot[i].blocks && l->slot[i].submit_ns < oldest_ns) {
            oldest_ns = l->slot[i].submit_ns;
            found = (int)i;
        }
    return found;
}

/* The driver's ladder ended and it still did not give the slot back: count it and trust the lane no more. */
static void write_off(struct engine *e, struct work_lane *l, unsigned slot, uint64_t now_ns)
{
    struct io_completion c = { .slot = (uint16_t)slot,
                               .status = IO_TIMED_OUT,
                               .error_lba = l->slot[slot].lba };

    NOTE(E_PROTO, "slot given back after expire", slot, l->deadline_ns);
    count_error(e, l, &c, now_ns);
    engine_give_back_slot(l, slot);
    engine_end_broken(e, l, now_ns, "a request was not given back after its deadline");
}

static uint64_t check_deadlines(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    bool polled = false;

    for (unsigned tries = 0; tries <= 2u * l->depth; tries++) {
        int slot = oldest_slot(l);
        if (slot < 0 || now_ns - l->slot[slot].submit_ns < engine_deadline_ns(l))
            break;
        if (!polled) {
            now_ns = reap_all(e, l);
            polled = true;
            continue;
        }
        l->ops->expire(l->io, (unsigned)slot);
        now_ns = reap_all(e, l);
        if (l->slot[slot].blocks)
            write_off(e, l, (unsigned)slot, now_ns);
    }
    return now_ns;
}

static void start_measuring(struct work_lane *l, uint64_t clock_ns)
{
    l->ramp_ns += clock_ns - l->begin_ns - (l->phase == LANE_RAMP ? l->plan->job.startdelay_ns : 0);
    l->begin_ns = clock_ns;
    l->phase = LANE_RUNNING;
    l->gap_ns = l->busy_ns = 0;
    l->published_ios = l->published_lbas = l->published_ns = 0;
    forget_measured(l);
    if (l->writing)
        engine_write_forget(l->writing);
    if (l->pace)
        engine_pace_restart(l, l->planned_lbas);
    else
        l->left_lbas = l->planned_lbas;
}

static void publish(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    uint64_t at_ns = engine_measured_now(e, now_ns) - l->begin_ns, since_ns = at_ns - l->published_ns;
    if (!engine_is_past_measuring(l))
        add_to_series(l, at_ns);
    engine_look_at_data(l);
    struct lane_progress p = {
        .ios = l->ios,
        .bytes = l->lbas * l->lba_bytes,
        .errors = l->errors,
        .elapsed_ns = at_ns,
        .planned_ns = l->plan->job.runtime_ns,
        .phase = l->phase,
        .planned_bytes = l->planned_lbas == UINT64_MAX ? 0 : l->planned_lbas * l->lba_bytes,
        .recent_bytes_per_s = l->progress.recent_bytes_per_s,
        .recent_iops = l->progress.recent_iops,
        .p99_ns = hist_above(&l->hist, 990000) >= ENGINE_PERCENTILE_SAMPLES
                      ? hist_percentile_ns(&l->hist, 990000)
                      : 0,
    };

    if (engine_is_past_measuring(l)) {
        p.planned_ns = 0;
        p.bytes = l->writing->verified_lbas * l->lba_bytes;
        p.planned_bytes = l->writing->written_lbas * l->lba_bytes;
    } else if (since_ns >= ENGINE_CHECK_NS) {
        p.recent_iops = mul_div_u64(l->ios - l->published_ios, NS_PER_S, since_ns);
        p.recent_bytes_per_s = mul_div_u64((l->lbas - l->published_lbas) * l->lba_bytes, NS_PER_S, since_ns);
        l->published_ios = l->ios;
        l->published_lbas = l->lbas;
        l->published_ns = at_ns;
    }
    __atomic_store_n(&l->sequence, l->sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    l->progress = p;
    __atomic_store_n(&l->sequence, l->sequence + 1, __ATOMIC_RELEASE);
    l->next_publish_ns = now_ns + ENGINE_PUBLISH_NS;
}

/* What the job wants of its latencies. */
static void look_at_latencies(struct engine *e, struct work_lane *l, uint64_t clock_ns, uint64_t now_ns)
{
    uint64_t max_ns = l->plan->job.max_latency_ns, at_ns = clock_ns - l->begin_ns;

    if (max_ns && max_u64(l->told_max_ns, l->hist.max_ns) > max_ns)
        engine_end_early(e, l, now_ns, "a request took longer than max_latency");
    if (!l->target || !l->submitting)
        return;
    switch (engine_target_look(l, at_ns)) {
    case TARGET_RESTARTS:
        if (l->runtime_ns)
            l->runtime_ns -= min_u64(at_ns, l->runtime_ns - 1);
        start_measuring(l, clock_ns);
        break;
    case TARGET_ENDS:
        stop_submitting(e, l, now_ns);
        break;
    default:
        break;
    }
}

/* Phases, stop word, deadlines, snapshot. */
static void lane_event(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    uint64_t clock_ns = engine_measured_now(e, now_ns), next_ns = now_ns + ENGINE_CHECK_NS;

    look_whether_dead(e, l, now_ns);
    if (l->phase == LANE_RAMP && l->submitting && clock_ns - l->begin_ns >= l->lead_ns)
        start_measuring(l, clock_ns);
    /* Time may be over before the loop came here for the first time: one request is sent all the same. */
    if (l->phase == LANE_RUNNING && l->runtime_ns && clock_ns - l->begin_ns >= l->runtime_ns &&
        (l->in_flight || l->ios || l->errors))
        stop_submitting(e, l, now_ns);
    if (l->steady && l->phase == LANE_RUNNING && engine_steady_look(l, clock_ns - l->begin_ns))
        stop_submitting(e, l, now_ns);
    if (l->phase == LANE_RUNNING)
        look_at_latencies(e, l, clock_ns, now_ns);
    if (__atomic_load_n(&e->stop, __ATOMIC_ACQUIRE))
        engine_end_early(e, l, now_ns, "stopped before its planned end");
    if (l->waiting && !l->in_flight && now_ns - l->last_taken_ns >= l->deadline_ns) {
        NOTE(E_TIMEOUT, "driver to take a request", l->waiting, l->depth);
        engine_end_broken(e, l, now_ns, "the disk took no request within its deadline");
    }
    now_ns = check_deadlines(e, l, now_ns);
    if (now_ns >= l->next_publish_ns)
        publish(e, l, now_ns);
    if (l->phase == LANE_RAMP)
        next_ns = min_u64(next_ns, l->begin_ns + l->lead_ns);
    else if (l->phase == LANE_RUNNING && l->runtime_ns)
        next_ns = min_u64(next_ns, l->begin_ns + l->runtime_ns);
    if (l->target && l->phase == LANE_RUNNING)
        next_ns = min_u64(next_ns, engine_target_next_ns(l, now_ns));
    l->next_event_ns = e->holding ? now_ns + ENGINE_CHECK_NS : next_ns;
}

/* ---- one visit ---- */
/* Requests that the driver had no room for: their time begins now. */
static void stamp_waiting(struct work_lane *l, uint64_t now_ns)
{
    for (unsigned i = 0; i < l->waiting; i++) {
        l->slot[l->request[i].slot].submit_ns = now_ns;
        l->slot[l->request[i].slot].blocks =
            l->request[i].blocks + !l->request[i].blocks; /* a flush has none */
    }
}

/* Slots remain in the list: the driver took only some of n, or not all were wanted. */
static __attribute__((noinline)) void took_few(struct engine *e, struct work_lane *l, unsigned taken,
                                               unsigned n, uint64_t now_ns)
{
    l->waiting = (uint16_t)(n - taken);
    for (unsigned i = taken; i < n; i++)
        l->slot[l->request[i].slot].blocks = 0; /* not in flight: a completion would be a lie */
    for (unsigned i = 0; taken && i < (unsigned)(l->depth - l->in_flight); i++)
        l->request[i] = l->request[i + taken];
    look_whether_dead(e, l, now_ns);
}

/* The rare case: something waits, or not all that is free is wanted.  Returns how many requests there are. */
static __attribute__((noinline)) unsigned make_some(struct work_lane *l, unsigned listed, uint64_t now_ns)
{
    uint64_t left_lbas = l->pace ? l->pace->left_lbas : l->left_lbas;
    uint64_t wanted = left_lbas / l->block_lbas + (left_lbas % l->block_lbas != 0);
    unsigned room = listed - l->waiting;

    stamp_waiting(l, now_ns);
    if (l->writing) {
        struct io_request *next = l->request + l->waiting;
        if (engine_is_verifying(l))
            return l->waiting + engine_verify_make(l, next, room, now_ns);
        if (engine_make_flush(l, next, now_ns))
            return l->waiting + 1u;
        room = engine_write_allows(l, room);
    }
    if (l->pace)
        room = engine_pace_allows(l, room, now_ns);
    unsigned count = (unsigned)min_u64(room, wanted);
    uint64_t made_lbas = engine_make(l, l->pattern, l->request + l->waiting, count, now_ns);
    if (l->pace)
        engine_pace_took(l, count, made_lbas);
    else if (l->left_lbas != UINT64_MAX)
        l->left_lbas -= min_u64(l->left_lbas, made_lbas); /* the last may reach beyond what is left */
    if (l->fills)
        engine_fill(l, l->request + l->waiting, count, now_ns);
    return l->waiting + count;
}

/* True: the driver took some. */
static inline __attribute__((always_inline)) bool submit(struct engine *e, struct work_lane *l,
                                                         uint64_t now_ns, const bool solo, const bool plain)
{
    const unsigned listed = solo ? 1 : l->depth - l->in_flight;
    unsigned n = listed, taken = 0;

    if (plain || __builtin_expect(!l->waiting && l->left_lbas >= (uint64_t)listed * l->block_lbas, 1)) {
        l->left_lbas -=
            solo ? make_only(l, l->request, now_ns) : engine_make(l, l->pattern, l->request, listed, now_ns);
        if (!solo && __builtin_expect(l->fills, 0))
            engine_fill(l, l->request, listed, now_ns);
    } else {
        n = make_some(l, listed, now_ns);
        l->waiting = 0;
    }
    if (n && (taken = l->ops->submit(l->io, l->request, n))) {
        l->ops->kick(l->io);
        l->in_flight = (uint16_t)(solo ? 1 : l->in_flight + taken);
        l->last_taken_ns = now_ns;
    }
    if (__builtin_expect(solo ? !taken : taken != listed, 0))
        took_few(e, l, taken, n, now_ns);
    if (__builtin_expect(!l->left_lbas, 0) && !l->waiting && (!l->pace || engine_pace_is_done(l)))
        stop_submitting(e, l, now_ns);
    return taken;
}

/* Nothing is in flight and nothing more is wanted, unless the lane has to flush and to read back. */
static void lane_drained(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    if (!l->writing || l->broken || !engine_write_goes_on(e, l, now_ns))
        finish_lane(e, l, now_ns);
}

/* The time since the last stamp belongs to the lane that had work then: submit, reap and the poll after. */
static inline void charge(struct engine *e, uint64_t now_ns)
{
    *e->charge_ns += now_ns - e->charged_at_ns;
    e->charged_at_ns = now_ns;
}

void engine_charge_to_idle(struct engine *e, uint64_t now_ns)
{
    charge(e, now_ns);
    e->charge_ns = &e->idle_ns;
}

/* Made twice from here: for any lane, and for one that keeps a single request in flight, only reads, and is
 * not held.  What is known of such a lane falls away when it is compiled: lists, counts, writes. */
static inline __attribute__((always_inline)) unsigned visit_as(struct engine *e, struct work_lane *l,
                                                               const bool solo)
{
    unsigned n = l->ops->poll(l->io, e->done, solo ? 1 : ENGINE_BATCH);
    uint64_t now_ns = plat_now_ns();
    bool worked = n != 0;

    charge(e, now_ns);
    if (now_ns - l->last_poll_ns > l->gap_ns && l->in_flight)
        l->gap_ns = now_ns - l->last_poll_ns;
    l->last_poll_ns = now_ns;
    if (n)
        reap(e, l, n, now_ns, solo);
    if (__builtin_expect(now_ns >= l->next_event_ns, 0))
        lane_event(e, l, now_ns);
    if (solo && __builtin_expect(l->turn == TURN_FREE && l->left_lbas >= l->block_lbas, 1)) {
        worked |= submit(e, l, now_ns, solo, true);
    } else if (l->submitting && (solo || !e->holding)) {
        if (l->in_flight != (solo ? 1 : l->depth))
            worked |= submit(e, l, now_ns, solo, false);
    } else if (!l->submitting && !l->in_flight) {
        lane_drained(e, l, now_ns);
    } else if (n && l->in_flight) {
        l->ops->kick(l->io); /* parts of a split request may have been waiting for room */
    }
    e->charge_ns = worked ? &l->busy_ns : &e->idle_ns;
    return n;
}

__attribute__((noinline)) unsigned engine_visit(struct engine *e, struct work_lane *l)
{
    return visit_as(e, l, false);
}
static __attribute__((noinline)) unsigned visit_solo(struct engine *e, struct work_lane *l)
{
    return visit_as(e, l, true);
}

static void start_lanes(struct engine *e)
{
    uint64_t now_ns = plat_now_ns();

    e->started = true;
    e->begin_ns = e->end_ns = e->charged_at_ns = now_ns;
    for (struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++) {
        if (!l->io)
            continue;
        l->begin_ns = l->last_poll_ns = l->last_taken_ns = now_ns;
        l->next_publish_ns = now_ns + ENGINE_PUBLISH_NS;
        l->next_event_ns = now_ns;
        l->submitting = 1;
    }
}

static void finish_step(struct engine *e)
{
    if (e->finished)
        return;
    e->finished = true;
    for (struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++)
        e->busy_ns += l->busy_ns;
    engine_merge_copies(e);
    for (struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++)
        engine_fill_result(e, l);
}

static void run_rounds(struct engine *e, uint64_t began_ns, uint64_t slice_ns)
{
    struct work_lane *const end = e->lane + e->lane_count;

    while (e->live_count) {
        unsigned n = 0;
        for (struct work_lane *l = e->lane; l < end; l++)
            if (engine_is_live(l))
                n += l->solo ? visit_solo(e, l) : engine_visit(e, l);
        if (e->charged_at_ns - began_ns >= slice_ns)
            break;
        if (!n)
            plat_relax();
    }
}

/* The same for a lane that has the engine to itself. */
static void run_alone(struct engine *e, struct work_lane *l, uint64_t began_ns, uint64_t slice_ns)
{
    while (engine_is_live(l)) {
        unsigned n = visit_as(e, l, true);
        if (e->charged_at_ns - began_ns >= slice_ns)
            break;
        if (!n)
            plat_relax();
    }
}

bool worker_run(struct engine *e, uint64_t slice_ns)
{
    if (!e->started)
        start_lanes(e);
    if (e->holding)
        return e->live_count != 0;
    uint64_t began_ns = plat_now_ns();

    if (e->lane_count == 1 && e->lane->solo)
        run_alone(e, e->lane, began_ns, slice_ns);
    else
        run_rounds(e, began_ns, slice_ns);
    engine_charge_to_idle(e, plat_now_ns()); /* what the main processor does between two slices is not ours */
    if (!e->live_count)
        finish_step(e);
    return e->live_count != 0;
}

void engine_stop(struct engine *e) { __atomic_store_n(&e->stop, 1, __ATOMIC_RELEASE); }
