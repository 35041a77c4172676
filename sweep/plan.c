#include "plan_build.h"
#include "math.h"
#include "stamp.h"
#include "str.h"

/* ---- building ---- */
/* Room for one more record behind `count`; the array moves.  NULL leaves everything as it was. */
static void *grown(void *array, unsigned count, unsigned *room, size_t size)
{
    if (count < *room)
        return array;
    unsigned more = *room ? 2 * *room : 16;
    void *larger = plat_alloc(more * size);

    if (!larger)
        return NULL;
    if (count)
        memcpy(larger, array, count * size);
    plat_free(array);
    *room = more;
    return larger;
}

struct plan_step *plan_build_step(struct plan_build *b, unsigned lane_count)
{
    struct plan *p = &b->plan;
    void *steps = grown(p->steps, p->step_count, &b->step_room, sizeof(*p->steps));

    if (steps)
        p->steps = steps;
    struct plan_lane *lanes = steps ? plat_alloc(lane_count * sizeof(*lanes)) : NULL;
    if (!lanes) {
        b->no_memory = true;
        return NULL;
    }
    struct plan_step *s = &p->steps[p->step_count++];
    *s = (struct plan_step){ .lanes = lanes, .lane_count = lane_count };
    return s;
}

static uint64_t in_flight_bytes(const struct plan_lane *l) { return (uint64_t)l->depth * l->job.block_bytes; }

static void limit_depths(struct plan_step *s)
{
    uint64_t total = 0;

    for (struct plan_lane *l = s->lanes; l < s->lanes + s->lane_count; l++) {
        uint64_t most = max_u64(1, PLAN_LANE_BYTES / l->job.block_bytes);
        if (l->disk->max_depth)
            most = min_u64(most, l->disk->max_depth);
        l->depth = (uint16_t)min_u64(l->job.iodepth, most);
        total += in_flight_bytes(l);
    }
    if (total <= PLAN_STEP_BYTES)
        return;
    for (struct plan_lane *l = s->lanes; l < s->lanes + s->lane_count; l++)
        l->depth = (uint16_t)max_u64(1, mul_div_u64(l->depth, PLAN_STEP_BYTES, total));
}

static void mark_shared(struct plan_step *s)
{
    for (unsigned i = 0; i < s->lane_count; i++)
        for (unsigned k = i + 1; k < s->lane_count; k++) {
            struct plan_lane *a = &s->lanes[i], *c = &s->lanes[k];
            if (a->disk == c->disk && c->copy && k - i == (unsigned)(c->copy - a->copy))
                continue; /* copies of one job are one result */
            if (a->disk == c->disk || (a->disk->controller && a->disk->controller == c->disk->controller))
                a->shared_path = c->shared_path = true;
        }
}

void plan_build_step_done(struct plan_build *b, struct plan_step *s, uint64_t estimate_ns)
{
    limit_depths(s);
    mark_shared(s);
    s->estimate_ns = estimate_ns;
    b->plan.estimate_ns += estimate_ns;
}

void plan_build_refuse(struct plan_build *b, struct disk *disk, const char *job, const char *fmt, ...)
{
    struct plan *p = &b->plan;
    void *refusals = grown(p->refusals, p->refusal_count, &b->refusal_room, sizeof(*p->refusals));
    va_list ap;

    if (!refusals) {
        b->no_memory = true;
        return;
    }
    p->refusals = refusals;
    struct plan_refusal *r = &p->refusals[p->refusal_count++];
    *r =
        (struct plan_refusal){ .disk = disk, .wrong_job = b->blame_job && b->conf->plan != CONF_PLAN_PRESET };
    str_copy(r->job, sizeof(r->job), job);
    struct text t = text_over(r->why, sizeof(r->why));
    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
}

int plan_build_end(struct plan_build *b, struct plan *out)
{
    *out = b->plan;
    b->plan = (struct plan){ 0 };
    if (!b->no_memory)
        return OK;
    plan_free(out);
    return NOTE(E_NOMEM, "memory for the plan", 0, 0);
}

void plan_free(struct plan *p)
{
    for (unsigned i = 0; i < p->step_count; i++)
        plat_free(p->steps[i].lanes);
    plat_free(p->steps);
    plat_free(p->refusals);
    *p = (struct plan){ 0 };
}

/* ---- stamps ---- */
static bool is_written_before(const struct plan *p, unsigned step, const struct plan_lane *l)
{
    for (unsigned s = 0; s < step; s++)
        for (unsigned i = 0; i < p->steps[s].lane_count; i++) {
            const struct plan_lane *w = &p->steps[s].lanes[i];
            if (w->disk == l->disk && w->job.verify == JOB_VERIFY_STAMP && job_writes(&w->job) &&
                stamp_job_of(&w->job) == stamp_job_of(&l->job))
                return true;
        }
    return false;
}

void plan_name_run(struct plan *p, uint64_t run_id)
{
    for (unsigned s = 0; s < p->step_count; s++)
        for (unsigned i = 0; i < p->steps[s].lane_count; i++) {
            struct plan_lane *l = &p->steps[s].lanes[i];
            if (job_writes(&l->job) || (!l->job.verify_run && is_written_before(p, s, l)))
                l->stamp_run = run_id;
            else
                l->stamp_run = l->job.verify_run;
        }
}

/* ---- scaling ---- */
static uint64_t scaled(const struct conf *conf, uint64_t v, uint64_t least)
{
    return max_u64(mul_div_u64(v, conf->time_scale_pct, 100), min_u64(v, least));
}

uint64_t plan_scaled_ns(const struct conf *conf, uint64_t ns) { return scaled(conf, ns, PLAN_LEAST_NS); }

uint64_t plan_scaled_bytes(const struct conf *conf, uint64_t bytes, uint32_t block_bytes)
{
    uint64_t v = scaled(conf, bytes, (uint64_t)PLAN_LEAST_REQUESTS * block_bytes);

    return v > block_bytes ? v - v % block_bytes : v;
}

uint64_t plan_limit_ns(const struct conf *conf)
{
    bool has_budget = conf->plan == CONF_PLAN_DEFAULT || conf->plan == CONF_PLAN_PRESET;
    uint64_t budget_ns = conf->budget_s * NS_PER_S;

    return has_budget ? max_u64(budget_ns, plan_scaled_ns(conf, budget_ns)) / 100 * 115 : 0;
}

/* ---- disks ---- */
const char *plan_disk_trouble(const struct disk *d)
{
    if (!d->ops)
        return d->why_not[0] ? d->why_not : "the disk cannot be read";
    if (!d->lba_count || !d->lba_bytes || d->lba_count > UINT64_MAX / d->lba_bytes)
        return "the disk names no capacity that could be read";
    return NULL;
}

/* * any run of characters, ? one; letters of either case. */
static bool fits_pattern(const char *pattern, const char *text)
{
    const char *star = NULL, *again = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            again = text;
        } else if (*pattern == '?' || (*pattern && (*pattern | 0x20) == (*text | 0x20))) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool fits_size(const struct disk *d, const char *limit, bool above)
{
    uint64_t bytes;

    if (opt_parse_size(limit, &bytes) != OK || plan_disk_trouble(d))
        return false;
    return above ? disk_bytes(d) > bytes : disk_bytes(d) < bytes;
}

static bool is_kind(const struct disk *d, const char *kind)
{
    static const char *const words[] = { [DISK_NVME] = "nvme",
                                         [DISK_SATA] = "sata",
                                         [DISK_VIRTUAL_DRIVE] = "virtual",
                                         [DISK_PHYSICAL_BEHIND_RAID] = "physical",
                                         [DISK_FIRMWARE] = "firmware" };

    return d->kind < ARRAY_COUNT(words) && str_equal(words[d->kind], kind);
}

static bool is_called(const struct disk *d, const char *name)
{
    if (str_starts(name, "model="))
        return fits_pattern(name + 6, d->model);
    if (str_starts(name, "size>") || str_starts(name, "size<"))
        return fits_size(d, name + 5, name[4] == '>');
    if (str_starts(name, "rotational="))
        return d->rotation == (str_equal(name + 11, "yes") ? ROTATION_YES : ROTATION_NONE);
    if (str_starts(name, "kind="))
        return is_kind(d, name + 5);
    if (str_equal(name, "all") || str_equal(name, d->name))
        return true;
    if (d->controller && d->controller->name[0] && str_equal(name, d->controller->name))
        return true;
    return str_starts(name, "serial.") && d->serial[0] && str_equal(name + 7, d->serial);
}

/* Parts with a + between them must all be true. */
static bool is_all(const struct disk *d, const char *name)
{
    char part[64];

    for (;;) {
        size_t n = 0;
        while (name[n] && name[n] != '+')
            n++;
        if (!str_copy_n(part, sizeof(part), name, n) || !is_called(d, part))
            return false;
        if (!name[n])
            return true;
        name += n + 1;
    }
}

bool plan_list_has(const char *list, const struct disk *d)
{
    char name[64];

    while (*list) {
        size_t n = 0;
        while (list[n] && list[n] != ' ' && list[n] != ',' && list[n] != '\t')
            n++;
        if (n && str_copy_n(name, sizeof(name), list, n) && is_all(d, name))
            return true;
        list += n + (list[n] != 0);
    }
    return false;
}

bool plan_wants_disk(const struct conf *conf, const struct disk *d)
{
    return (!conf->include[0] || plan_list_has(conf->include, d)) && !plan_list_has(conf->exclude, d);
}
