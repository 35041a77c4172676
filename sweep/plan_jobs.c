#include "estimate.h"
#include "guard.h"
#include "plan_build.h"
#include "math.h"
#include "presets.h"
#include "str.h"

/* A job file made into steps.  As in fio, jobs run side by side until one has `stonewall`; each disk that a
 * job names gets a lane of its own with the job's whole depth. */

/* Opening lanes, draining, writing the journal to the stick: counts in the many short steps of a preset. */
#define STEP_OVERHEAD_NS (200 * NS_PER_MS)

struct making {
    struct plan_build build;
    const struct job_file *file;
    struct disk *const *disks;
    unsigned disk_count;
    struct plan_lane *lane; /* of the step being made; NULL: only counting */
    unsigned lane_count;
    uint64_t estimate_ns, budget_ns; /* budget 0: none */
    uint64_t job_ns, exit_ns;        /* of the job being added; of the first that ends all others */
    enum conf_order order;
    unsigned round, rounds;              /* which disks take part: those of this round, */
    const struct controller *controller; /* or, scaling, the first scale_disks of this controller */
    unsigned scale_disks;
    bool told; /* what is refused was told in an earlier pass over the same disks */
};

/* ---- which disks take part ---- */
/* How many before this one are on the same controller; of disks without one (firmware): before it at all. */
static unsigned place_on_controller(const struct making *m, unsigned disk)
{
    unsigned place = 0;

    for (unsigned i = 0; i < disk; i++)
        place += m->disks[i]->controller && m->disks[i]->controller == m->disks[disk]->controller;
    return place;
}

static unsigned round_of(const struct making *m, unsigned disk)
{
    if (m->order == CONF_ORDER_ONE_BY_ONE)
        return disk;
    return m->order == CONF_ORDER_INDEPENDENT ? place_on_controller(m, disk) : 0;
}

static bool takes_part(const struct making *m, const struct disk *d)
{
    unsigned i = 0;

    while (i < m->disk_count && m->disks[i] != d)
        i++;
    if (i == m->disk_count)
        return false;
    if (m->order == CONF_ORDER_SCALING)
        return d->controller == m->controller && place_on_controller(m, i) < m->scale_disks;
    return round_of(m, i) == m->round;
}

/* ---- one job on one disk ---- */
/* The unit trap: 4KiB in a job file is 4000 bytes (fio's kb_base=1024). */
static bool looks_like_kib_trap(uint64_t bytes) { return bytes % 1000 == 0; }

/* A size of the job's requests, or their alignment, that is no multiple of an LBA; 0: all are. */
static uint32_t odd_size(const struct job *j, uint32_t lba_bytes)
{
    for (unsigned i = 0; i < j->split_count; i++)
        if (j->split[i].bytes % lba_bytes)
            return j->split[i].bytes;
    if (j->block_min_bytes % lba_bytes)
        return j->block_min_bytes;
    if (j->align_bytes % lba_bytes)
        return j->align_bytes;
    if (j->gap_bytes % lba_bytes)
        return (uint32_t)j->gap_bytes;
    return j->block_bytes % lba_bytes ? j->block_bytes : 0;
}

/* The part of a disk that offsets and sizes of a job count from and in. */
struct usable {
    uint64_t first_bytes, bytes;
};

static bool looks_at_written(const struct job *j) { return job_rw_writes(j->rw) || j->verify; }

static bool file_writes(const struct making *m)
{
    for (unsigned i = 0; i < m->file->job_count; i++)
        if (!m->file->refused[i] && looks_at_written(&m->file->jobs[i]))
            return true;
    return false;
}

/* What may be written begins behind the guard's mark.  All of a file that writes moves by that much, so that
 * its regions lie to one another as the file says; so does what compares on a disk that is no longer armed.
 */
static struct usable usable_of(const struct making *m, const struct job *j, const struct disk *d)
{
    const struct write_permit *permit = guard_permit(d);
    uint64_t head_lbas = GUARD_HEAD_BYTES / d->lba_bytes;

    if (guard_may_plan(permit) && file_writes(m))
        return (struct usable){ permit->first_lba * d->lba_bytes, permit->lba_count * d->lba_bytes };
    if (!looks_at_written(j))
        return (struct usable){ 0, disk_bytes(d) };
    head_lbas = min_u64(head_lbas, d->lba_count);
    return (struct usable){ head_lbas * d->lba_bytes, (d->lba_count - head_lbas) * d->lba_bytes };
}

static bool region_is_refused(struct making *m, struct disk *d, const struct job *j, const struct usable *u)
{
    struct plan_build *b = &m->build;
    uint64_t all = u->bytes;
    const char *where = u->first_bytes ? " behind the write guard's first MiB" : "";

    uint32_t odd = odd_size(j, d->lba_bytes);

    if (odd) {
        bool trap = looks_like_kib_trap(odd);
        plan_build_refuse(b, d, j->name, "bs is %u bytes, no multiple of the disk's %u-byte LBAs%s", odd,
                          d->lba_bytes,
                          trap ? ": in fio's language 4k is 4096 but 4KiB is 4000; write k or m" : "");
    } else if (j->offset_bytes % d->lba_bytes || j->size_bytes % d->lba_bytes ||
               j->increment_bytes % d->lba_bytes) {
        plan_build_refuse(
            b, d, j->name,
            "offset (%llu), size (%llu) and offset_increment (%llu) must be multiples of the disk's "
            "%u-byte LBAs; write 1g, not 1GiB",
            (unsigned long long)j->offset_bytes, (unsigned long long)j->size_bytes,
            (unsigned long long)j->increment_bytes, d->lba_bytes);
    } else if (j->offset_bytes >= all) {
        plan_build_refuse(b, d, j->name,
                          "offset %llu lies beyond the disk's %llu bytes%s; offset=50%% would fit any disk",
                          (unsigned long long)j->offset_bytes, (unsigned long long)all, where);
    } else if (j->size_bytes > all - j->offset_bytes) {
        plan_build_refuse(
            b, d, j->name,
            "size %llu from offset %llu goes beyond the disk's %llu bytes%s; size=100%% would fit any disk",
            (unsigned long long)j->size_bytes, (unsigned long long)j->offset_bytes, (unsigned long long)all,
            where);
    } else if (j->size_bytes && j->size_bytes < j->block_bytes) {
        plan_build_refuse(b, d, j->name, "size %llu is smaller than one block of %u bytes",
                          (unsigned long long)j->size_bytes, j->block_bytes);
    } else {
        return false;
    }
    return true;
}

static uint64_t percent_of(uint64_t bytes, uint8_t pct, uint32_t block_bytes)
{
    uint64_t v = mul_div_u64(bytes, pct, 100);

    return v - v % block_bytes;
}

/* Percents become bytes of this disk.  The part behind the region's start is all that percents can give. */
static void resolve_percents(struct job *j, uint64_t all)
{
    if (j->offset_pct)
        j->offset_bytes = percent_of(all, j->offset_pct, j->block_bytes);
    uint64_t rest = j->offset_bytes < all ? all - j->offset_bytes : 0;
    if (j->size_pct)
        j->size_bytes =
            j->size_pct == 100
                ? rest
                : min_u64(max_u64(percent_of(all, j->size_pct, j->block_bytes), j->block_bytes), rest);
    if (j->io_pct)
        j->io_bytes = max_u64(percent_of(j->size_bytes ? j->size_bytes : rest, j->io_pct, j->block_bytes), 1);
    if (j->increment_pct)
        j->increment_bytes = percent_of(all, j->increment_pct, j->block_bytes);
    j->offset_pct = j->size_pct = j->io_pct = j->increment_pct = 0;
}

static void scale(struct job *j, const struct conf *conf)
{
    j->runtime_ns = plan_scaled_ns(conf, j->runtime_ns);
    j->ramp_ns = plan_scaled_ns(conf, j->ramp_ns);
    j->startdelay_ns = plan_scaled_ns(conf, j->startdelay_ns);
    j->latency_window_ns = plan_scaled_ns(conf, j->latency_window_ns);
    if (j->number_ios)
        j->number_ios = plan_scaled_bytes(conf, j->number_ios, 1);
    if (conf->time_scale_pct >= 100 && !j->io_bytes)
        return; /* a longer scale does not make a region longer */
    j->io_bytes = plan_scaled_bytes(conf, j->io_bytes ? j->io_bytes : j->size_bytes, j->block_bytes);
}

/* The copies of a job, of which the first stands where the next lane belongs: lanes of their own with orders
 * of their own, offset_increment apart. */
static void add_copies(struct making *m)
{
    const struct plan_lane *first = &m->lane[m->lane_count];
    uint64_t all = disk_bytes(first->disk); /* the permit's end, too */

    for (unsigned copy = 0; copy < first->job.numjobs; copy++) {
        struct plan_lane *lane = &m->lane[m->lane_count];
        uint64_t away = first->job.increment_bytes * copy;
        if (copy)
            *lane = *first;
        lane->copy = (uint16_t)copy;
        lane->job.randseed += copy * 0x9e3779b97f4a7c15ull;
        lane->job.offset_bytes += away; /* place_region saw that the last one has room for a block */
        lane->job.size_bytes = min_u64(lane->job.size_bytes, all - lane->job.offset_bytes);
        m->lane_count++;
    }
}

static bool writing_is_refused(struct making *m, struct disk *d, const struct job *job)
{
    const struct write_permit *permit = guard_permit(d);

    if (!job_writes(job) || guard_may_plan(permit))
        return false;
    /* No line of the file is wrong: another disk, or this one armed, would take it. */
    m->build.blame_job = false;
    plan_build_refuse(&m->build, d, job->name, "rw=%s writes: %s. docs/safety.md says how a disk is armed",
                      job_rw_text((enum job_rw)job->rw), permit->why_not);
    m->build.blame_job = true;
    return true;
}

static bool cache_is_refused(struct making *m, struct disk *d, const struct job *job)
{
    char words[160];
    struct text why = text_over(words, sizeof words);

    if (plan_cache_conflict(m->lane, m->lane_count, d, job)) {
        plan_build_refuse(
            &m->build, d, job->name,
            "write_cache and read_lookahead must be the same in all jobs that run side by side on "
            "a drive; add stonewall");
        return true;
    }
    if (!plan_cache_trouble(d, job, &why))
        return false;
    m->build.blame_job = false; /* another drive would take it */
    plan_build_refuse(&m->build, d, job->name, "%s", words);
    m->build.blame_job = true;
    return true;
}

static bool reset_is_refused(struct making *m, struct disk *d, const struct job *job)
{
    if (!plan_reset_conflict(m->lane, m->lane_count, d, job))
        return false;
    plan_build_refuse(
        &m->build, d, job->name,
        "the reset of verify_after_reset would break off what runs beside it on the same %s; add "
        "stonewall, or order = independent",
        d->kind == DISK_NVME ? "controller" : "drive");
    return true;
}

static bool last_copy_is_outside(const struct job *j, uint64_t all)
{
    return j->numjobs > 1 && j->increment_bytes &&
           j->increment_bytes > (all - j->offset_bytes - j->block_bytes) / (j->numjobs - 1u);
}

/* Two copies that write the same blocks would find each other's stamps. */
static bool copies_collide(const struct job *j)
{
    return j->verify && job_writes(j) && j->numjobs > 1 && j->increment_bytes < j->size_bytes;
}

/* Region and sizes become those of this disk; false: refused. */
static bool place_region(struct making *m, struct job *j, struct disk *d)
{
    struct usable u = usable_of(m, j, d);

    resolve_percents(j, u.bytes);
    if (region_is_refused(m, d, j, &u))
        return false;
    if (!j->size_bytes)
        j->size_bytes = u.bytes - j->offset_bytes;
    if (j->size_bytes < j->block_bytes)
        plan_build_refuse(&m->build, d, j->name, "only %llu bytes lie behind offset %llu, a block has %u",
                          (unsigned long long)j->size_bytes, (unsigned long long)j->offset_bytes,
                          j->block_bytes);
    else if (copies_collide(j))
        plan_build_refuse(
            &m->build, d, j->name,
            "the copies of a job that verifies must not overlap: give offset_increment and size");
    else if (last_copy_is_outside(j, u.bytes))
        plan_build_refuse(
            &m->build, d, j->name,
            "the last of %u copies would begin beyond the disk's end: a smaller offset_increment would fit",
            j->numjobs);
    else {
        j->offset_bytes += u.first_bytes;
        return true;
    }
    return false;
}

static void add_lane(struct making *m, const struct job *job, struct disk *d)
{
    const char *trouble = plan_disk_trouble(d);

    if (!takes_part(m, d))
        return;
    if (m->lane_count + job->numjobs > PLAN_MAX_LANES) {
        if (m->lane)
            plan_build_refuse(&m->build, d, job->name,
                              "more than %u jobs and disks side by side; add stonewall", PLAN_MAX_LANES);
        return;
    }
    if (!m->lane) { /* an upper bound will do */
        m->lane_count += job->numjobs;
        return;
    }
    if (trouble) {
        m->build.blame_job = false;
        plan_build_refuse(&m->build, d, job->name, "%s", trouble);
        m->build.blame_job = true;
        return;
    }
    if (writing_is_refused(m, d, job) || cache_is_refused(m, d, job) || reset_is_refused(m, d, job))
        return;
    struct plan_lane *lane = &m->lane[m->lane_count]; /* counted when it is kept */
    *lane = (struct plan_lane){ .disk = d };
    lane->job = *job;
    if (!place_region(m, &lane->job, d))
        return;
    scale(&lane->job, m->build.conf);
    m->job_ns = max_u64(m->job_ns, estimate_job_ns(&lane->job, d));
    add_copies(m);
}

/* ---- names ---- */
static struct disk *find_disk(const struct making *m, const char *name)
{
    for (unsigned i = 0; i < m->disk_count; i++) {
        struct disk *d = m->disks[i];
        if (str_equal(d->name, name) ||
            (str_starts(name, "serial.") && d->serial[0] && str_equal(name + 7, d->serial)))
            return d;
    }
    return NULL;
}

static const char *nearest_disk(const struct making *m, const char *name)
{
    const char *best = NULL;
    unsigned best_distance = 4;

    for (unsigned i = 0; i < m->disk_count; i++) {
        unsigned distance = str_distance(m->disks[i]->name, name);
        if (distance < best_distance) {
            best_distance = distance;
            best = m->disks[i]->name;
        }
    }
    return best;
}

static void refuse_name(struct making *m, const struct job *job, const char *name)
{
    const char *nearest = nearest_disk(m, name);

    if (!m->lane || m->told)
        return;
    if (str_starts(name, "/"))
        plan_build_refuse(
            &m->build, NULL, job->name,
            "%.60s is a name of a running Linux and means nothing here: write one of ours, such as %s, "
            "or say which disk it is under [map] in baresweep.conf",
            name, m->disk_count ? m->disks[0]->name : "nvme0n1");
    else if (nearest)
        plan_build_refuse(&m->build, NULL, job->name, "no disk is called %.60s; did you mean %s?", name,
                          nearest);
    else
        plan_build_refuse(
            &m->build, NULL, job->name,
            "no disk is called %.60s; names are like nvme0n1, sata0.3, megaraid0.vd0, serial.XXXX", name);
}

static const char *mapped(const struct conf *conf, const char *name)
{
    for (unsigned i = 0; i < conf->map_count && i < CONF_MAX_MAPS; i++)
        if (str_equal(conf->map[i].path, name))
            return conf->map[i].disk;
    return name;
}

/* Was this disk already named earlier in the job's list?  A disk named twice is read once. */
static bool is_repeated(const struct making *m, unsigned first_lane, const struct disk *d)
{
    for (unsigned i = first_lane; m->lane && i < m->lane_count; i++)
        if (m->lane[i].disk == d)
            return true;
    return false;
}

static void add_named(struct making *m, const struct job *job, const char *given, unsigned first_lane)
{
    const char *name = mapped(m->build.conf, given);
    struct disk *d = find_disk(m, name);

    if (str_equal(name, "all")) {
        for (unsigned i = 0; i < m->disk_count; i++)
            if (!is_repeated(m, first_lane, m->disks[i]))
                add_lane(m, job, m->disks[i]);
    } else if (!d) {
        refuse_name(m, job, name);
    } else if (!is_repeated(m, first_lane, d)) {
        add_lane(m, job, d);
    }
}

static void add_job(struct making *m, const struct job *job)
{
    const char *at = job->filename[0] ? job->filename : "all";
    unsigned first_lane = m->lane_count;
    char name[64];

    m->job_ns = 0;
    while (*at) {
        size_t n = 0;
        while (at[n] && at[n] != ':')
            n++;
        if (n && str_copy_n(name, sizeof(name), at, n))
            add_named(m, job, name, first_lane);
        else if (n && m->lane && !m->told)
            plan_build_refuse(&m->build, NULL, job->name,
                              "a name in filename is longer than a disk's name can be");
        at += n + (at[n] == ':');
    }
    m->estimate_ns = max_u64(m->estimate_ns, m->job_ns);
    if (job->exitall && m->job_ns)
        m->exit_ns = min_u64(m->exit_ns, m->job_ns);
}

/* ---- steps ---- */
static bool has_lane_of(const struct plan_step *s, unsigned job_line)
{
    for (unsigned i = 0; i < s->lane_count; i++)
        if (s->lanes[i].job.line == job_line)
            return true;
    return false;
}

static void set_title(const struct making *m, struct plan_step *s, unsigned begin, unsigned end)
{
    struct text t = text_over(s->title, sizeof(s->title));
    bool first = true;

    for (unsigned i = begin; i < end; i++)
        if (has_lane_of(s, m->file->jobs[i].line)) {
            text_fmt(&t, "%s%s", first ? "" : ", ", m->file->jobs[i].name);
            first = false;
        }
    if (m->order == CONF_ORDER_SCALING)
        text_fmt(&t, ", %u disks of %s", m->scale_disks, m->controller ? m->controller->name : "none");
    else if (m->rounds > 1)
        text_fmt(&t, ", disk %u of %u", m->round + 1, m->rounds);
    if (s->lane_count > 1)
        text_fmt(&t, " (%u lanes side by side)", s->lane_count);
}

static void add_jobs(struct making *m, unsigned begin, unsigned end)
{
    for (unsigned i = begin; i < end; i++)
        if (!m->file->refused[i])
            add_job(m, &m->file->jobs[i]);
}

static void refuse_step(struct making *m, struct plan_step *s)
{
    m->build.blame_job = false;
    for (const struct plan_lane *l = s->lanes; l < s->lanes + s->lane_count; l++)
        if (!l->copy)
            plan_build_refuse(
                &m->build, l->disk, l->job.name,
                "does not fit into the time budget of %u s: raise budget_s, or choose fewer disks "
                "with include",
                m->build.conf->budget_s);
    m->build.blame_job = true;
    plat_free(s->lanes);
    m->build.plan.step_count--;
}

/* A step that only writes, and ends by bytes, prepares the disk for others: there is nothing to become
 * steady. */
static uint16_t rounds_of(const struct making *m, const struct plan_step *s)
{
    const struct conf *conf = m->build.conf;
    bool prepares = true;
    struct preset p;

    for (unsigned i = 0; i < s->lane_count; i++)
        prepares &= job_writes(&s->lanes[i].job) && !s->lanes[i].job.time_based;
    if (prepares)
        return 1;
    if (conf->rounds <= 1 && conf->plan == CONF_PLAN_PRESET && preset_get(conf->preset, &p))
        return (uint16_t)p.rounds;
    return conf->rounds;
}

static void add_step(struct making *m, unsigned begin, unsigned end)
{
    m->lane = NULL;
    m->lane_count = 0;
    m->estimate_ns = 0;
    m->exit_ns = UINT64_MAX;
    add_jobs(m, begin, end); /* counts, and refuses nothing yet */
    struct plan_step *s = plan_build_step(&m->build, m->lane_count ? m->lane_count : 1);
    if (!s)
        return;
    m->lane = s->lanes;
    m->lane_count = 0;
    add_jobs(m, begin, end);
    s->lane_count = m->lane_count;
    if (!s->lane_count) {
        plat_free(s->lanes);
        m->build.plan.step_count--;
        return;
    }
    set_title(m, s, begin, end);
    s->rounds = rounds_of(m, s);
    s->scaling_disks = (uint16_t)(m->order == CONF_ORDER_SCALING ? m->scale_disks : 0);
    m->estimate_ns = min_u64(m->estimate_ns, m->exit_ns) * max_u64(1, s->rounds);
    if (m->budget_ns)
        m->estimate_ns += plan_scaled_ns(m->build.conf, STEP_OVERHEAD_NS);
    if (m->budget_ns && m->build.plan.estimate_ns + m->estimate_ns > m->budget_ns) {
        refuse_step(m, s);
        return;
    }
    plan_build_step_done(&m->build, s, m->estimate_ns);
}

static void refuse_job(struct making *m, unsigned job)
{
    const struct job_file *f = m->file;
    const char *name = f->jobs[job].name;

    for (unsigned i = 0; i < f->problem_count && i < JOB_FILE_MAX_PROBLEMS; i++)
        if (str_equal(f->problems[i].job, name)) {
            plan_build_refuse(&m->build, NULL, name, "job file, line %u: %s", f->problems[i].line,
                              f->problems[i].text);
            name = NULL;
            break;
        }
    if (name)
        plan_build_refuse(
            &m->build, NULL, name,
            "job file, line %u: a line that this job stands on is wrong, such as one of [global]",
            f->jobs[job].line);
}

/* All steps of the file for the disks that take part now. */
static void add_steps(struct making *m)
{
    const struct job_file *f = m->file;
    unsigned begin = 0;

    for (unsigned i = 1; i <= f->job_count; i++)
        if (i == f->job_count || f->jobs[i].stonewall) { /* a refused job's wall still stands */
            add_step(m, begin, i);
            begin = i;
        }
}

/* 1, 2, 4 .. and all disks of each controller that has several. */
static void add_scaling(struct making *m)
{
    for (unsigned i = 0; i < m->disk_count; i++) {
        unsigned disks = 0;
        if (!m->disks[i]->controller || place_on_controller(m, i))
            continue;
        m->controller = m->disks[i]->controller;
        for (unsigned k = i; k < m->disk_count; k++)
            disks += m->disks[k]->controller == m->controller;
        for (m->scale_disks = 1; m->scale_disks < disks; m->scale_disks *= 2) {
            unsigned refused = m->build.plan.refusal_count;
            add_steps(m);
            m->build.plan.refusal_count = refused; /* the last pass tells it all */
        }
        m->scale_disks = disks;
        add_steps(m);
        m->told = true;
    }
}

static enum conf_order order_of(const struct conf *conf)
{
    struct preset p;

    if (conf->order != CONF_ORDER_AUTO)
        return (enum conf_order)conf->order;
    return conf->plan == CONF_PLAN_PRESET && preset_get(conf->preset, &p) ? (enum conf_order)p.order
                                                                          : CONF_ORDER_TOGETHER;
}

int plan_from_jobs(const struct conf *conf, const struct job_file *jobs, struct disk *const *disks,
                   unsigned disk_count, struct plan *out)
{
    struct making m = { .build = { .conf = conf, .blame_job = true },
                        .file = jobs,
                        .disks = disks,
                        .disk_count = disk_count,
                        .order = order_of(conf),
                        .rounds = 1 };

    *out = (struct plan){ 0 };
    if (conf->plan == CONF_PLAN_PRESET)
        m.budget_ns = plan_scaled_ns(conf, conf->budget_s * NS_PER_S);
    for (unsigned i = 0; i < jobs->job_count; i++)
        if (jobs->refused[i])
            refuse_job(&m, i);
    for (unsigned i = 0; i < disk_count; i++)
        m.rounds = (unsigned)max_u64(m.rounds, round_of(&m, i) + 1);
    if (m.order == CONF_ORDER_SCALING)
        add_scaling(&m);
    else
        for (m.round = 0; m.round < m.rounds; m.round++) {
            m.told = m.round != 0;
            add_steps(&m);
        }
    return plan_build_end(&m.build, out);
}
