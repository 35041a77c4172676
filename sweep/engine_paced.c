#include "draw.h"
#include "engine_lane.h"
#include "steady.h"
#include "str.h"

/* Lanes that are not simply as fast as it goes: mixed requests, limits, pauses, an end by steadiness.  Plain
 * lanes never come here: see struct pace. */

struct steady {
    uint64_t done_ios, done_bytes, since_ns;
    uint64_t ramp_ns;
    unsigned window, count; /* seconds wanted, seen (count may exceed window) */
    bool reached;
    uint64_t value[]; /* the last `window`, oldest first */
};

/* ---- building ---- */
static bool needs_draw(const struct job *j)
{
    bool random = job_rw_is_random(j->rw);

    return j->split_count || j->block_min_bytes ||
           (random && (j->align_bytes || j->distribution || j->random_pct < 100)) || j->run_ios ||
           j->gap_bytes;
}

static bool needs_pace(const struct job *j)
{
    return j->verify || j->fsync_ios || j->fdatasync_ios || j->number_ios || j->startdelay_ns ||
           j->rate_bytes_per_s || j->rate_iops || j->thinktime_ns || j->latency_target_ns;
}

static int begin_draw(struct work_lane *l)
{
    l->draw = plat_alloc(sizeof(*l->draw));
    if (!l->draw)
        return E_NOMEM;
    draw_init(l->draw, &l->plan->job, l->end_lba - l->first_lba, l->lba_bytes);
    /* How the lane counts what is left: by the largest request. */
    l->pattern = PATTERN_DRAWN;
    l->block_lbas = l->plan->job.block_bytes / l->lba_bytes;
    return OK;
}

static int begin_pace(struct work_lane *l)
{
    const struct job *j = &l->plan->job;

    l->pace = plat_alloc(sizeof(*l->pace));
    if (!l->pace)
        return E_NOMEM;
    *l->pace = (struct pace){ .rate_bytes_per_s = j->rate_bytes_per_s,
                              .rate_iops = j->rate_iops,
                              .think_ns = j->thinktime_ns,
                              .think_blocks = (uint32_t)max_u64(1, j->thinktime_blocks) };
    engine_pace_restart(l, l->left_lbas);
    l->pace->delay_ns = j->startdelay_ns;
    if (j->ramp_ns)
        l->pace->ios_left = UINT64_MAX;
    return OK;
}

static int begin_steady(struct work_lane *l)
{
    const struct job *j = &l->plan->job;
    unsigned window = (unsigned)max_u64(2, j->ss_dur_ns / NS_PER_S);

    l->steady = plat_alloc(sizeof(*l->steady) + window * sizeof(l->steady->value[0]));
    if (!l->steady)
        return E_NOMEM;
    *l->steady = (struct steady){ .ramp_ns = j->ss_ramp_ns, .window = window };
    return OK;
}

int engine_paced_begin(struct work_lane *l)
{
    const struct job *j = &l->plan->job;
    int err = OK;

    if (needs_draw(j))
        err = begin_draw(l);
    if (err == OK && needs_pace(j))
        err = begin_pace(l);
    if (err == OK && j->ss_kind)
        err = begin_steady(l);
    if (err == OK && j->latency_target_ns)
        err = engine_target_begin(l);
    return err;
}

void engine_paced_end(struct work_lane *l)
{
    plat_free(l->draw);
    plat_free(l->pace);
    plat_free(l->steady);
    plat_free(l->target);
    l->target = NULL;
    l->draw = NULL;
    l->pace = NULL;
    l->steady = NULL;
}

/* ---- limits ---- */
void engine_pace_restart(struct work_lane *l, uint64_t left_lbas)
{
    struct pace *p = l->pace;
    const struct job *j = &l->plan->job;
    uint64_t ios = j->latency_target_ns && !j->latency_run ? 0 : j->number_ios;

    p->left_lbas = left_lbas;
    p->ios_left = ios ? ios : UINT64_MAX;
    p->delay_ns = p->issued_lbas = p->issued_ios = 0;
    p->think_left = p->think_blocks;
    p->think_until_ns = 0;
    l->left_lbas = 0;
}

/* When the next request is due by a rate: as many units as went before take so long. */
static bool is_due(uint64_t issued, uint64_t per_s, uint64_t at_ns)
{
    return !per_s || mul_div_u64(issued, NS_PER_S, per_s) <= at_ns;
}

static bool is_thinking(struct work_lane *l, uint64_t now_ns)
{
    struct pace *p = l->pace;

    if (!p->think_ns || p->think_left)
        return false;
    if (l->in_flight || l->waiting)
        return true;
    if (!p->think_until_ns)
        p->think_until_ns = now_ns + p->think_ns;
    if (now_ns < p->think_until_ns)
        return true;
    p->think_until_ns = 0;
    p->think_left = p->think_blocks;
    return false;
}

unsigned engine_pace_allows(struct work_lane *l, unsigned room, uint64_t now_ns)
{
    struct pace *p = l->pace;
    uint64_t at_ns = now_ns - l->begin_ns;

    if (at_ns < p->delay_ns || is_thinking(l, now_ns))
        return 0;
    if (!is_due(p->issued_lbas * l->lba_bytes, p->rate_bytes_per_s, at_ns) ||
        !is_due(p->issued_ios, p->rate_iops, at_ns))
        return 0;
    if (p->rate_bytes_per_s || p->rate_iops) /* one: the next may be due later */
        room = room ? 1 : 0;
    if (p->think_ns)
        room = (unsigned)min_u64(room, p->think_left);
    if (l->target)
        room = engine_target_allows(l, room);
    return (unsigned)min_u64(room, p->ios_left);
}

void engine_pace_took(struct work_lane *l, unsigned count, uint64_t lbas)
{
    struct pace *p = l->pace;

    if (p->left_lbas != UINT64_MAX)
        p->left_lbas -= min_u64(p->left_lbas, lbas);
    if (p->ios_left != UINT64_MAX)
        p->ios_left -= count;
    p->issued_lbas += lbas;
    p->issued_ios += count;
    p->think_left -= (uint32_t)min_u64(p->think_left, count);
}

bool engine_pace_is_done(const struct work_lane *l)
{
    if (engine_is_verifying(l))
        return engine_verify_is_done(l);
    return !l->pace->left_lbas || !l->pace->ios_left;
}

/* ---- mixed requests ---- */
static void choose(struct work_lane *l, uint64_t *lba, uint32_t *blocks)
{
    struct draw *d = l->draw;
    uint64_t span = l->end_lba - l->first_lba;

    *blocks = (uint32_t)min_u64(draw_size(d, &l->rng), span);
    if (d->run_left) {
        d->run_left--;
    } else if (draw_is_random(d, &l->rng)) {
        d->run_left = d->run_ios ? d->run_ios - 1 : 0;
        uint64_t at = draw_place(d, &l->rng) * d->align_lbas;
        if (at > span - *blocks) /* would reach beyond the end: the last place where it fits */
            at = (span - *blocks) / d->align_lbas * d->align_lbas;
        *lba = l->first_lba + at;
        return;
    }
    if (l->next_lba == l->end_lba) {
        l->next_lba = l->first_lba;
        l->wrapped = true;
    }
    *lba = l->next_lba;
    *blocks = (uint32_t)min_u64(*blocks, l->end_lba - l->next_lba);
}

uint64_t engine_make_drawn(struct work_lane *l, struct io_request *r, unsigned count, uint64_t now_ns)
{
    uint64_t made_lbas = 0;

    for (; count; count--, r++) {
        uint64_t lba;
        uint32_t blocks;
        choose(l, &lba, &blocks);
        put_request(l->slot, r, now_ns, lba, blocks);
        l->next_lba = lba + blocks;
        l->next_lba += min_u64(l->draw->gap_lbas, l->end_lba - l->next_lba);
        made_lbas += blocks;
    }
    return made_lbas;
}

/* ---- steadiness ---- */
static void keep_value(struct steady *s, uint64_t value)
{
    if (s->count >= s->window)
        memmove(s->value, s->value + 1, (s->window - 1) * sizeof(s->value[0]));
    s->value[s->count < s->window ? s->count : s->window - 1] = value;
    s->count++;
}

bool engine_steady_look(struct work_lane *l, uint64_t at_ns)
{
    const struct job *j = &l->plan->job;
    struct steady *s = l->steady;
    bool is_bw = j->ss_kind >= JOB_SS_BW,
         is_slope = j->ss_kind == JOB_SS_IOPS_SLOPE || j->ss_kind == JOB_SS_BW_SLOPE;

    if (at_ns < s->since_ns + NS_PER_S)
        return false;
    uint64_t bytes = l->lbas * l->lba_bytes;
    uint64_t value =
        mul_div_u64(is_bw ? bytes - s->done_bytes : l->ios - s->done_ios, NS_PER_S, at_ns - s->since_ns);
    s->done_bytes = bytes;
    s->done_ios = l->ios;
    bool counts = s->since_ns >= s->ramp_ns;
    s->since_ns = at_ns;
    if (!counts)
        return false;
    keep_value(s, value);
    if (s->count < s->window)
        return false;
    uint64_t seen = is_slope ? steady_slope_milli(s->value, s->window, j->ss_is_pct)
                             : steady_band_milli(s->value, s->window, j->ss_is_pct);
    return s->reached = seen < j->ss_limit_milli;
}

bool engine_steady_reached(const struct work_lane *l) { return l->steady->reached; }
