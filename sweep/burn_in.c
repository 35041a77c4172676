#include "burn_in.h"
#include "bits.h"
#include "math.h"
#include "str.h"
#include "text.h"

enum { HEAT_HYSTERESIS_C = 5 };
#define NO_LIMIT UINT64_MAX

/* What stands there stays. */
static struct text more(char *buf, size_t cap)
{
    return (struct text){ .buf = buf, .cap = cap, .len = str_len(buf) };
}

/* ---- begin and resume ---- */
int burn_in_begin(struct burn_in_drive *d, const struct burn_in_ask *ask, struct text *why)
{
    int rc;

    *d = (struct burn_in_drive){
        .disk = ask->disk,
        .writes = ask->writes,
        .first_lba = ask->writes ? ask->first_lba : 0,
        .lba_count = ask->writes ? ask->lba_count : ask->disk->lba_count,
        .clears = ask->writes && ask->conf->leave == CONF_LEAVE_ZERO,
        .temperature_c = INT64_MIN,
        .phase_max_c = INT64_MIN,
    };
    if ((rc = burn_in_set_limits(d, ask, why)) != OK)
        return rc;
    str_copy(d->state.disk, sizeof d->state.disk, ask->disk->name);
    str_copy(d->state.identity, sizeof d->state.identity, ask->disk->identity);
    if (ask->writes)
        str_copy(d->state.arming, sizeof d->state.arming, ask->arming_id);
    d->state.job_hash = burn_in_job_hash(d, ask->conf);
    d->state.seed = ask->seed;
    d->state.pass = 1;
    return OK;
}

int burn_in_resume(struct burn_in_drive *d, const struct burn_in_state *earlier)
{
    struct burn_in_state *s = &d->state;
    char name[sizeof s->disk], arming[sizeof s->arming];

    if (!burn_in_state_resumes(earlier) || earlier->job_hash != s->job_hash ||
        earlier->block_bytes != s->block_bytes || earlier->blocks != s->blocks ||
        !str_equal(earlier->identity, s->identity))
        return E_REFUSED;
    str_copy(name, sizeof name, s->disk);
    str_copy(arming, sizeof arming, s->arming);
    *s = *earlier;
    /* It may sit in another bay now, and be armed anew. */
    str_copy(s->disk, sizeof s->disk, name);
    str_copy(s->arming, sizeof s->arming, arming);
    s->interruptions++;
    s->stuck = earlier->end == BURN_IN_STOPPED ? 0 : s->stuck + 1;
    /* Why it stopped is no reason of what comes; the first error stays one. */
    if (!s->errors)
        s->why[0] = 0;
    s->end = BURN_IN_GOING;
    d->resumed = true;
    d->resumed_phase = s->phase;
    d->resumed_position = s->position;
    if (s->phase == BURN_IN_WRITE || s->phase == BURN_IN_RANDOM)
        d->recheck_blocks = min_u64(s->written_blocks, BURN_IN_RECHECK_BLOCKS);
    if (s->stuck > BURN_IN_MAX_STUCK) {
        char why[sizeof s->why];

        str_fmt(why, sizeof why, "%u starts in a row ended without progress in %s", s->stuck - 1,
                burn_in_phases[s->phase].words);
        burn_in_leave(d, why);
    }
    return OK;
}

/* ---- phases ---- */
static uint64_t blocks_of_disk(const struct burn_in_drive *d)
{
    uint32_t block_lbas = burn_in_block_lbas(d);

    return d->disk->lba_count / block_lbas + (d->disk->lba_count % block_lbas != 0);
}

static bool may_write(const struct burn_in_drive *d, uint64_t bytes)
{
    return d->limits.write_cap_bytes > d->state.written_bytes &&
           d->limits.write_cap_bytes - d->state.written_bytes >= bytes;
}

/* A mix ends when less than a queue's worth is left below the cap; one begins when it is worth while. */
static bool may_mix(const struct burn_in_drive *d)
{
    return d->writes && may_write(d, 2ull * d->limits.depth * d->limits.block_bytes);
}

/* Where its blocks count, in which order, and how many there are.  False: there is nothing to do. */
static bool fill_lanes(const struct burn_in_drive *d, struct burn_in_work *w)
{
    const struct burn_in_state *s = &d->state;
    bool whole = s->written_blocks == s->blocks;
    uint64_t total = s->written_blocks;

    w->from = s->position;
    w->first_lba = d->first_lba;
    w->region_lbas = s->blocks * burn_in_block_lbas(d);
    w->order = ORDER_MAP;
    switch (s->phase) {
    case BURN_IN_SURFACE:
    case BURN_IN_SURFACE_AGAIN:
        w->task = BURN_IN_READ;
        w->order = ORDER_UP;
        w->first_lba = 0;
        w->region_lbas = d->disk->lba_count;
        total = blocks_of_disk(d);
        break;
    case BURN_IN_WRITE:
        w->task = BURN_IN_STAMP;
        total = s->blocks;
        if (d->limits.write_cap_bytes != NO_LIMIT)
            total = min_u64(total, s->position + (may_write(d, d->limits.block_bytes)
                                                      ? (d->limits.write_cap_bytes - s->written_bytes) /
                                                            d->limits.block_bytes
                                                      : 0));
        break;
    case BURN_IN_VERIFY:
        w->task = BURN_IN_CHECK;
        w->order = whole ? ORDER_UP : ORDER_MAP; /* in part: the map alone knows which */
        break;
    case BURN_IN_VERIFY_BACK:
        w->task = BURN_IN_CHECK;
        w->order = whole ? ORDER_DOWN : ORDER_MAP_DOWN;
        break;
    default: /* BURN_IN_RANDOM */
        w->task = !d->writes ? BURN_IN_READ : may_mix(d) ? BURN_IN_MIX : BURN_IN_CHECK;
        w->order = ORDER_RANDOM;
        w->region_lbas = d->writes ? w->region_lbas : d->disk->lba_count;
        total = d->writes && !total ? 0 : NO_LIMIT;
        break;
    }
    w->count = total > s->position ? total - s->position : 0;
    return w->count != 0;
}

static const uint8_t task_of[BURN_IN_PHASE_COUNT] = {
    [BURN_IN_SNAPSHOT] = BURN_IN_LOOK,  [BURN_IN_SHORT_TEST] = BURN_IN_SELF_TEST,
    [BURN_IN_CAPACITY] = BURN_IN_PROBE, [BURN_IN_LONG_TEST] = BURN_IN_SELF_TEST,
    [BURN_IN_DELTA] = BURN_IN_LOOK,     [BURN_IN_CLEAR] = BURN_IN_ZERO,
    [BURN_IN_RESET] = BURN_IN_RENEW,
};

static void skip_words(struct burn_in_drive *d, const char *words)
{
    struct text t = more(d->skipped, sizeof d->skipped);

    text_fmt(&t, "%s%s: %s", t.len ? "; " : "", burn_in_phases[d->state.phase].words, words);
}

static uint64_t time_left_ms(const struct burn_in_drive *d)
{
    const struct burn_in_limits *l = &d->limits;
    const struct burn_in_state *s = &d->state;
    uint64_t until = l->until_ms[s->phase], most = l->most_ms[s->phase];
    uint64_t by_clock = until == NO_LIMIT ? NO_LIMIT : until - min_u64(until, s->spent_ms);

    return min_u64(by_clock, most == NO_LIMIT ? NO_LIMIT : most - min_u64(most, s->phase_ms));
}

static void advance(struct burn_in_drive *d)
{
    do
        d->state.phase++;
    while (d->state.phase < BURN_IN_DONE && !burn_in_has_phase(d, (enum burn_in_phase)d->state.phase));
    d->state.position = d->state.phase_ms = 0;
    d->recheck_blocks = 0;
    d->self_test_running = false;
}

/* Reads once more what had been flushed last before the interruption: is it there? */
static bool fill_recheck(const struct burn_in_drive *d, struct burn_in_work *w)
{
    if (!d->recheck_blocks)
        return false;
    w->task = BURN_IN_CHECK;
    w->order = ORDER_MAP;
    w->recheck = true;
    w->first_lba = d->first_lba;
    w->region_lbas = d->state.blocks * burn_in_block_lbas(d);
    w->from = d->state.written_blocks - d->recheck_blocks;
    w->count = d->recheck_blocks;
    w->limit_ms = NO_LIMIT;
    return true;
}

/* The work of this phase; false: none, or no time for it. */
static bool fill_work(struct burn_in_drive *d, struct burn_in_work *w)
{
    uint8_t task = task_of[d->state.phase];

    w->limit_ms = time_left_ms(d);
    if (!w->limit_ms) {
        if (!d->state.position || task == BURN_IN_SELF_TEST)
            skip_words(d, "no time left");
        return false;
    }
    w->task = task;
    return task ? true : fill_lanes(d, w);
}

/* Nothing else is done while it is too warm, and that ends with its budget. */
static bool rests(struct burn_in_drive *d)
{
    char why[sizeof d->state.why];

    if (d->state.spent_ms < d->limits.budget_ms)
        return true;
    str_fmt(why, sizeof why, "%lld degrees: it did not cool down below %lld in its time",
            (long long)d->temperature_c, (long long)(d->limits.pause_c - HEAT_HYSTERESIS_C + 1));
    burn_in_leave(d, why);
    return false;
}

bool burn_in_next(struct burn_in_drive *d, struct burn_in_work *w)
{
    struct burn_in_state *s = &d->state;

    for (; s->end == BURN_IN_GOING; advance(d)) {
        *w = (struct burn_in_work){ .pass = s->pass };
        if (s->phase == BURN_IN_DONE) {
            s->end = BURN_IN_FINISHED;
            break;
        }
        if (d->paused && s->phase < BURN_IN_DELTA && rests(d)) {
            w->task = BURN_IN_REST;
            return true;
        }
        if (s->end != BURN_IN_GOING)
            break;
        if (fill_recheck(d, w) || fill_work(d, w))
            return true;
    }
    *w = (struct burn_in_work){ .task = BURN_IN_NOTHING };
    return false;
}

/* ---- what happened ---- */
static void note_progress(struct burn_in_drive *d)
{
    if (d->resumed && (d->state.phase > d->resumed_phase || d->state.position > d->resumed_position))
        d->state.stuck = 0;
}

static void count_errors(struct burn_in_drive *d, const struct burn_in_outcome *o)
{
    struct burn_in_state *s = &d->state;

    s->errors += o->errors;
    if (o->errors && !s->why[0] && o->words)
        str_copy(s->why, sizeof s->why, o->words);
    if (o->errors && s->errors >= d->limits.error_limit) {
        char why[sizeof s->why];

        str_fmt(why, sizeof why, "the limit of %llu error%s is reached; the first: %s",
                (unsigned long long)d->limits.error_limit, str_plural(d->limits.error_limit), s->why);
        s->why[0] = 0;
        burn_in_leave(d, why);
    }
}

static void took_blocks(struct burn_in_drive *d, const struct burn_in_work *w,
                        const struct burn_in_outcome *o)
{
    struct burn_in_state *s = &d->state;
    uint64_t blocks = min_u64(o->blocks, w->count), good = blocks - min_u64(blocks, o->errors);

    if (w->recheck) {
        d->recheck_blocks -= min_u64(d->recheck_blocks, blocks);
        return;
    }
    s->position += blocks;
    if (s->phase == BURN_IN_WRITE)
        s->written_blocks = s->position;
    if (s->phase == BURN_IN_VERIFY || (s->phase == BURN_IN_SURFACE && !d->writes))
        s->verified_blocks = min_u64(s->verified_blocks + good, s->blocks);
    if (s->position && w->count == blocks)
        advance(d);
}

/* Tasks that are not counted in blocks. */
static void took_task(struct burn_in_drive *d, const struct burn_in_work *w, const struct burn_in_outcome *o)
{
    if (o->not_done)
        skip_words(d, o->words ? o->words : "not offered");
    if (o->errors && (w->task == BURN_IN_SELF_TEST || w->task == BURN_IN_PROBE || w->task == BURN_IN_RENEW))
        burn_in_leave(d, o->words ? o->words : "failed");
    else if (o->over || o->not_done)
        advance(d);
}

void burn_in_waited(struct burn_in_drive *d, uint64_t ms)
{
    d->state.spent_ms += ms;
    d->state.phase_ms += ms;
    if (d->paused)
        d->paused_ms += ms;
}

void burn_in_took(struct burn_in_drive *d, const struct burn_in_work *w, const struct burn_in_outcome *o)
{
    burn_in_waited(d, o->ms);
    d->state.written_bytes += o->written_bytes;
    count_errors(d, o);
    if (d->state.end != BURN_IN_GOING)
        return;
    if (task_of[d->state.phase])
        took_task(d, w, o);
    else
        took_blocks(d, w, o);
    note_progress(d);
}

/* ---- ends and pauses ---- */
enum burn_in_heat burn_in_heat(struct burn_in_drive *d, const struct disk_health *h)
{
    struct burn_in_limits *l = &d->limits;
    char why[sizeof d->state.why];

    if (!l->pause_fixed && health_knows(h, HEALTH_TEMPERATURE_WARNING_C))
        l->pause_c = h->value[HEALTH_TEMPERATURE_WARNING_C];
    if (!l->end_fixed && health_knows(h, HEALTH_TEMPERATURE_CRITICAL_C))
        l->end_c = h->value[HEALTH_TEMPERATURE_CRITICAL_C];
    if (!health_knows(h, HEALTH_TEMPERATURE_C))
        return HEAT_FINE;
    d->temperature_c = h->value[HEALTH_TEMPERATURE_C];
    if (d->temperature_c > d->phase_max_c)
        d->phase_max_c = d->temperature_c;
    if (d->temperature_c >= l->end_c) {
        str_fmt(why, sizeof why, "%lld degrees, its critical limit is %lld", (long long)d->temperature_c,
                (long long)l->end_c);
        burn_in_leave(d, why);
        return HEAT_ENDS;
    }
    if (!d->paused && d->temperature_c >= l->pause_c) {
        d->paused = true;
        d->pauses++;
        return HEAT_PAUSES;
    }
    if (d->paused && d->temperature_c <= l->pause_c - HEAT_HYSTERESIS_C) {
        d->paused = false;
        return HEAT_RESUMES;
    }
    return HEAT_FINE;
}

static void end_with(struct burn_in_drive *d, enum burn_in_end end, const char *why)
{
    if (d->state.end != BURN_IN_GOING)
        return;
    d->state.end = (uint8_t)end;
    /* A stop says nothing about the drive: its first error does. */
    if (end != BURN_IN_STOPPED || !d->state.errors)
        str_copy(d->state.why, sizeof d->state.why, why);
}

void burn_in_leave(struct burn_in_drive *d, const char *why) { end_with(d, BURN_IN_LEFT, why); }

void burn_in_stop(struct burn_in_drive *d, const char *why) { end_with(d, BURN_IN_STOPPED, why); }

/* ---- words ---- */
uint64_t burn_in_covered(const struct burn_in_drive *d)
{
    const struct burn_in_state *s = &d->state;
    uint64_t lbas = mul_div_u64(s->verified_blocks, burn_in_block_lbas(d), 1);

    return mul_div_u64(min_u64(lbas, d->disk->lba_count), 10000, d->disk->lba_count);
}

void burn_in_earlier_words(const struct burn_in_state *s, struct text *out)
{
    uint64_t percent = s->blocks ? mul_div_u64(s->verified_blocks, 100, s->blocks) : 0;

    text_fmt(out, "in an earlier start: %llu %% of blocks read back", (unsigned long long)percent);
    if (s->errors)
        text_fmt(out, ", %llu error%s", (unsigned long long)s->errors, str_plural(s->errors));
    if (s->why[0])
        text_fmt(out, ": %s", s->why);
}

enum guard_leave burn_in_leave_mark(const struct burn_in_drive *d)
{
    if (burn_in_state_resumes(&d->state))
        return GUARD_LEAVE_TO_RESUME;
    /* One that left before its end is full of stamps: it is not to look as if it were blank. */
    return d->clears && d->state.end == BURN_IN_FINISHED ? GUARD_LEAVE_BLANK : GUARD_LEAVE_DATA;
}

void burn_in_words(const struct burn_in_drive *d, struct text *out)
{
    const struct burn_in_state *s = &d->state;
    uint64_t covered = burn_in_covered(d);

    if (s->why[0])
        text_fmt(out, "%s%s; ",
                 s->end != BURN_IN_STOPPED ? ""
                 : s->errors               ? "stopped; first error: "
                                           : "stopped: ",
                 s->why);
    text_fixed(out, covered / 10, 1);
    text_str(out, d->writes ? " % of the disk written and verified" : " % of the disk read");
    if (s->end != BURN_IN_FINISHED && s->phase < BURN_IN_DONE)
        text_fmt(out, ", ended in %s", burn_in_phases[s->phase].words);
    if (s->errors)
        text_fmt(out, ", %llu error%s", (unsigned long long)s->errors, str_plural(s->errors));
    if (s->interruptions)
        text_fmt(out, ", interrupted %u time%s (health is compared with that of the last start)",
                 s->interruptions, str_plural(s->interruptions));
    if (d->pauses)
        text_fmt(out, ", rested %u time%s to cool down", d->pauses, str_plural(d->pauses));
    if (d->skipped[0])
        text_fmt(out, "; not done: %s", d->skipped);
}

void burn_in_announce(const struct burn_in_drive *d, struct text *out)
{
    const struct burn_in_state *s = &d->state;
    uint64_t pass_bytes = s->blocks * d->limits.block_bytes;

    text_duration(out, d->limits.budget_ms * NS_PER_MS);
    text_str(out, " at most");
    if (d->resumed) {
        text_fmt(out, ", resumed in %s", burn_in_phases[s->phase].words);
        if (s->position && s->phase != BURN_IN_RANDOM) { /* these end by the clock */
            text_str(out, " at ");
            text_fixed(out, mul_div_u64(min_u64(s->position, s->blocks), 1000, s->blocks), 1);
            text_str(out, " %");
        }
        text_fmt(out, ", interruption %u", s->interruptions);
    }
    if (!d->writes) {
        text_str(out, ", nothing is written");
        return;
    }
    text_str(out, ", writes ");
    text_capacity(out, pass_bytes);
    if (d->limits.write_cap_bytes == NO_LIMIT) {
        text_str(out, " once and random blocks again");
    } else {
        text_str(out, " once and with random blocks at most ");
        text_capacity(out, d->limits.write_cap_bytes);
        text_str(out, " (2.0 times its size)");
    }
}
