#include "plan_build.h"
#include "math.h"
#include "str.h"
#include "text.h"

/* The built-in plan.  Its numbers stand in the table and the few lines below it. */

enum place {
    FRESH, /* LBAs that no cell has read yet: no cache can know them */
    WHOLE_DISK,
    OUTER,
    MIDDLE,
    INNER,   /* zones; only disks that rotate have them */
    TOGETHER /* fresh LBAs, every disk at once */
};
struct cell {
    const char *job, *words;
    uint8_t rw, place;
    uint16_t depth;
    uint32_t block_bytes;
    uint8_t rank; /* what must go when time is short: the highest first */
};

/* Sizes: the doubling of the desktop benchmarks, of which each reader knows some.  QD 4: enough to keep a
 * disk's read-ahead and the bus busy, few enough for latencies to mean something.  1 MiB and 4 KiB random
 * tell most, so they go last when time is short; together runs once for all disks and costs least of all. */
static const struct cell cells[] = {
    { "seq-4k-qd4", "sequential read 4 KiB QD 4", JOB_READ, FRESH, 4, 4 * KIB, 5 },
    { "seq-8k-qd4", "sequential read 8 KiB QD 4", JOB_READ, FRESH, 4, 8 * KIB, 16 },
    { "seq-16k-qd4", "sequential read 16 KiB QD 4", JOB_READ, FRESH, 4, 16 * KIB, 12 },
    { "seq-32k-qd4", "sequential read 32 KiB QD 4", JOB_READ, FRESH, 4, 32 * KIB, 15 },
    { "seq-64k-qd4", "sequential read 64 KiB QD 4", JOB_READ, FRESH, 4, 64 * KIB, 7 },
    { "seq-128k-qd4", "sequential read 128 KiB QD 4", JOB_READ, FRESH, 4, 128 * KIB, 6 },
    { "seq-256k-qd4", "sequential read 256 KiB QD 4", JOB_READ, FRESH, 4, 256 * KIB, 13 },
    { "seq-512k-qd4", "sequential read 512 KiB QD 4", JOB_READ, FRESH, 4, 512 * KIB, 14 },
    { "seq-1m-qd4", "sequential read 1 MiB QD 4", JOB_READ, FRESH, 4, 1 * MIB, 2 },
    { "seq-2m-qd4", "sequential read 2 MiB QD 4", JOB_READ, FRESH, 4, 2 * MIB, 17 },
    { "seq-4m-qd4", "sequential read 4 MiB QD 4", JOB_READ, FRESH, 4, 4 * MIB, 18 },
    { "seq-8m-qd4", "sequential read 8 MiB QD 4", JOB_READ, FRESH, 4, 8 * MIB, 11 },
    { "rand-4k-qd1", "random read 4 KiB QD 1", JOB_RANDREAD, WHOLE_DISK, 1, 4 * KIB, 4 },
    { "rand-4k-qd32", "random read 4 KiB QD 32", JOB_RANDREAD, WHOLE_DISK, 32, 4 * KIB, 3 },
    { "outer-1m-qd4", "outer zone, 1 MiB QD 4", JOB_READ, OUTER, 4, 1 * MIB, 8 },
    { "middle-1m-qd4", "middle zone, 1 MiB QD 4", JOB_READ, MIDDLE, 4, 1 * MIB, 10 },
    { "inner-1m-qd4", "inner zone, 1 MiB QD 4", JOB_READ, INNER, 4, 1 * MIB, 9 },
    { "together-1m-qd4", "all disks together, 1 MiB QD 4", JOB_READ, TOGETHER, 4, 1 * MIB, 1 },
};
enum { CELL_COUNT = sizeof(cells) / sizeof(cells[0]) };

#define CELL_NS             (5 * NS_PER_S)
#define CELL_LEAST_NS       (1 * NS_PER_S)    /* below, a rotating disk has hardly left its caches */
#define STEP_OVERHEAD_NS    (200 * NS_PER_MS) /* opening lanes, draining, writing the journal to the stick */
#define CELL_BYTES          (32 * GIB)        /* 5 s at the speed of a PCIe 4.0 x4 link */
#define CELL_BYTES_ROTATING (2 * GIB)         /* 5 s at 400 MB/s: keeps all sizes in the same zone */
#define REGION_ALIGN        MIB

/* Which LBAs of a disk this plan has given out. */
struct layout {
    struct disk *disk;
    unsigned round; /* disks of one controller take turns */
    struct {
        uint64_t first, end;
    } used[CELL_COUNT];
    unsigned used_count;
    uint64_t middle_first, inner_first;
    bool middle_again, inner_again;
};
struct making {
    struct plan_build build;
    struct layout *layout;
    unsigned disk_count, driven_count, round_count;
    bool dropped[CELL_COUNT];
    uint64_t budget_ns, cell_ns;
};

/* ---- regions ---- */
static uint64_t least_bytes(const struct cell *c) { return (uint64_t)PLAN_LEAST_REQUESTS * c->block_bytes; }

static bool has_region(const struct cell *c, const struct disk *d)
{
    if (c->place == WHOLE_DISK)
        return false;
    return c->place == FRESH || c->place == TOGETHER || d->rotation == ROTATION_YES;
}

/* What each cell needs at least, and an equal share of the rest of the disk up to the cell's limit. */
static uint64_t region_bytes(const struct making *m, const struct cell *c, const struct disk *d)
{
    uint64_t least = 0, all = disk_bytes(d), count = 0, limit;

    for (unsigned i = 0; i < CELL_COUNT; i++)
        if (has_region(&cells[i], d)) {
            least += least_bytes(&cells[i]);
            count++;
        }
    limit = plan_scaled_bytes(m->build.conf, d->rotation == ROTATION_YES ? CELL_BYTES_ROTATING : CELL_BYTES,
                              c->block_bytes);
    uint64_t bytes = least_bytes(c) + (all > least ? (all - least) / count : 0);
    bytes = min_u64(bytes, max_u64(limit, least_bytes(c)));
    bytes -= bytes % max_u64(c->block_bytes, REGION_ALIGN);
    return min_u64(max_u64(bytes, c->block_bytes), all);
}

static const uint64_t *overlap_end(const struct layout *l, uint64_t first, uint64_t end)
{
    for (unsigned i = 0; i < l->used_count; i++)
        if (first < l->used[i].end && end > l->used[i].first)
            return &l->used[i].end;
    return NULL;
}

/* The first place that no cell has read; when there is none, the disk's begin once more. */
static uint64_t find_fresh(const struct layout *l, uint64_t bytes)
{
    uint64_t last = disk_bytes(l->disk) - bytes, at = 0;
    const uint64_t *behind;

    while (at <= last && (behind = overlap_end(l, at, at + bytes)))
        at = *behind;
    return at <= last ? at : 0;
}

/* Gives a region out; true when part of it was given out before. */
static bool take_region(struct layout *l, uint64_t first, uint64_t bytes)
{
    bool again = overlap_end(l, first, first + bytes) != NULL;

    l->used[l->used_count].first = first;
    l->used[l->used_count++].end = first + bytes;
    return again;
}

/* The zones lie where they must; the fresh regions go around them. */
static void reserve_zones(const struct making *m, struct layout *l)
{
    uint64_t all = disk_bytes(l->disk);

    for (unsigned i = 0; i < CELL_COUNT; i++) {
        bool middle = cells[i].place == MIDDLE;
        if ((!middle && cells[i].place != INNER) || !has_region(&cells[i], l->disk))
            continue;
        uint64_t bytes = region_bytes(m, &cells[i], l->disk);
        uint64_t first = middle ? (all - bytes) / 2 : all - bytes;
        first -= first % max_u64(REGION_ALIGN, l->disk->lba_bytes);
        bool again = take_region(l, first, bytes);
        *(middle ? &l->middle_first : &l->inner_first) = first;
        *(middle ? &l->middle_again : &l->inner_again) = again;
    }
}

static bool place_region(struct layout *l, const struct cell *c, uint64_t bytes, uint64_t *first)
{
    if (c->place == MIDDLE || c->place == INNER) {
        *first = c->place == MIDDLE ? l->middle_first : l->inner_first;
        return c->place == MIDDLE ? l->middle_again : l->inner_again;
    }
    *first = find_fresh(l, bytes);
    return take_region(l, *first, bytes);
}

/* ---- which cells, how long ---- */
static bool fits_lba(const struct cell *c, const struct disk *d)
{
    return c->block_bytes % d->lba_bytes == 0;
}

static bool applies(const struct making *m, unsigned cell, const struct layout *l)
{
    const struct cell *c = &cells[cell];

    if (m->dropped[cell] || !fits_lba(c, l->disk))
        return false;
    if (c->place == TOGETHER)
        return m->driven_count > 1 && l->disk->kind != DISK_FIRMWARE;
    return c->place == FRESH || c->place == WHOLE_DISK || l->disk->rotation == ROTATION_YES;
}

enum { ALL_ROUNDS = ~0u };
static bool is_in(const struct making *m, unsigned cell, unsigned round, const struct layout *l)
{
    return (cells[cell].place == TOGETHER || round == ALL_ROUNDS || l->round == round) && applies(m, cell, l);
}

static unsigned lanes_in(const struct making *m, unsigned cell, unsigned round)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->disk_count; i++)
        n += is_in(m, cell, round, &m->layout[i]);
    return n;
}

static void refuse_cell(struct making *m, unsigned cell, unsigned round)
{
    for (unsigned i = 0; i < m->disk_count; i++)
        if (is_in(m, cell, round, &m->layout[i]))
            plan_build_refuse(
                &m->build, m->layout[i].disk, cells[cell].job,
                "does not fit into the time budget of %u s: raise budget_s, or choose fewer disks "
                "with include",
                m->build.conf->budget_s);
}

static unsigned count_steps(const struct making *m)
{
    unsigned steps = 0;

    for (unsigned c = 0; c < CELL_COUNT; c++)
        for (unsigned r = 0; r < (cells[c].place == TOGETHER ? 1 : m->round_count); r++)
            steps += lanes_in(m, c, r) != 0;
    return steps;
}

/* The cell of the highest rank that still runs somewhere and is not the last one; CELL_COUNT: none. */
static unsigned next_to_drop(const struct making *m)
{
    unsigned worst = CELL_COUNT, running = 0;

    for (unsigned c = 0; c < CELL_COUNT; c++) {
        bool runs = lanes_in(m, c, ALL_ROUNDS) != 0;
        running += runs;
        if (runs && (worst == CELL_COUNT || cells[c].rank > cells[worst].rank))
            worst = c;
    }
    return running > 1 ? worst : CELL_COUNT;
}

static void fit_budget(struct making *m)
{
    const struct conf *conf = m->build.conf;
    uint64_t least_ns = plan_scaled_ns(conf, CELL_LEAST_NS),
             overhead_ns = plan_scaled_ns(conf, STEP_OVERHEAD_NS);

    m->budget_ns = plan_scaled_ns(conf, conf->budget_s * NS_PER_S);
    for (;;) {
        unsigned steps = count_steps(m), drop;
        uint64_t each_ns = steps ? m->budget_ns / steps : 0;
        m->cell_ns =
            min_u64(plan_scaled_ns(conf, CELL_NS), each_ns > overhead_ns ? each_ns - overhead_ns : 0);
        if (m->cell_ns >= least_ns || (drop = next_to_drop(m)) == CELL_COUNT)
            break;
        refuse_cell(m, drop, ALL_ROUNDS);
        m->dropped[drop] = true;
    }
    m->cell_ns = max_u64(m->cell_ns, least_ns);
}

/* ---- steps ---- */
static void fill_lane(struct making *m, const struct cell *c, struct layout *l, struct plan_lane *lane)
{
    struct job *j = &lane->job;

    lane->disk = l->disk;
    opt_defaults(job_options, job_option_count, j);
    str_copy(j->name, sizeof(j->name), c->job);
    str_copy(j->filename, sizeof(j->filename), l->disk->name);
    j->rw = c->rw;
    j->block_bytes = c->block_bytes;
    j->iodepth = c->depth;
    j->runtime_ns = m->cell_ns;
    if (c->place == WHOLE_DISK) {
        j->norandommap = 1;
        j->io_bytes = plan_scaled_bytes(m->build.conf,
                                        l->disk->rotation == ROTATION_YES ? CELL_BYTES_ROTATING : CELL_BYTES,
                                        c->block_bytes);
        return;
    }
    j->size_bytes = region_bytes(m, c, l->disk);
    lane->reread = place_region(l, c, j->size_bytes, &j->offset_bytes);
    if (lane->reread)
        str_copy(j->description, sizeof(j->description),
                 "the disk is too small for fresh LBAs: part of the region was read before in this plan");
}

static void add_step(struct making *m, unsigned cell, unsigned round)
{
    const struct cell *c = &cells[cell];
    unsigned lanes = lanes_in(m, cell, round), at = 0;
    uint64_t step_ns = m->cell_ns + plan_scaled_ns(m->build.conf, STEP_OVERHEAD_NS);
    bool reread = false;

    if (!lanes)
        return;
    if (m->build.plan.estimate_ns + step_ns > m->budget_ns) {
        refuse_cell(m, cell, round);
        return;
    }
    struct plan_step *s = plan_build_step(&m->build, lanes);
    if (!s)
        return;
    for (unsigned i = 0; i < m->disk_count; i++)
        if (is_in(m, cell, round, &m->layout[i])) {
            fill_lane(m, c, &m->layout[i], &s->lanes[at]);
            reread = reread || s->lanes[at].reread;
            at++;
        }
    struct text t = text_over(s->title, sizeof(s->title));
    text_str(&t, c->words);
    if (m->round_count > 1 && c->place != TOGETHER)
        text_fmt(&t, ", disk %u of %u per controller", round + 1, m->round_count);
    if (reread)
        text_str(&t, ", LBAs read before");
    plan_build_step_done(&m->build, s, step_ns);
}

/* Disks of one controller take turns; disks of the firmware's path are alone in theirs. */
static void deal_rounds(struct making *m)
{
    for (unsigned i = 0; i < m->disk_count; i++) {
        struct layout *l = &m->layout[i];
        for (unsigned k = 0; k < i; k++)
            if (l->disk->controller && m->layout[k].disk->controller == l->disk->controller &&
                m->layout[k].disk->kind != DISK_FIRMWARE)
                l->round++;
        if (l->disk->kind == DISK_FIRMWARE)
            continue;
        m->driven_count++;
        m->round_count = (unsigned)max_u64(m->round_count, l->round + 1);
    }
    for (unsigned i = 0; i < m->disk_count; i++)
        if (m->layout[i].disk->kind == DISK_FIRMWARE)
            m->layout[i].round = m->round_count++;
}

static void take_disks(struct making *m, struct disk *const *disks, unsigned disk_count)
{
    for (unsigned i = 0; i < disk_count; i++) {
        const char *trouble = plan_disk_trouble(disks[i]);
        if (trouble)
            plan_build_refuse(&m->build, disks[i], "default", "%s", trouble);
        else
            m->layout[m->disk_count++].disk = disks[i];
    }
    for (unsigned i = 0; i < m->disk_count; i++) {
        reserve_zones(m, &m->layout[i]);
        for (unsigned c = 0; c < CELL_COUNT; c++)
            if (!fits_lba(&cells[c], m->layout[i].disk))
                plan_build_refuse(&m->build, m->layout[i].disk, cells[c].job,
                                  "the block size of %u bytes is no multiple of the disk's %u-byte LBAs",
                                  cells[c].block_bytes, m->layout[i].disk->lba_bytes);
    }
}

int plan_default(const struct conf *conf, struct disk *const *disks, unsigned disk_count, struct plan *out)
{
    struct making m = { .build = { .conf = conf } };

    *out = (struct plan){ 0 };
    if (!disk_count)
        return OK;
    m.layout = plat_alloc(disk_count * sizeof(*m.layout));
    if (!m.layout)
        return NOTE(E_NOMEM, "memory for the plan", 0, disk_count * sizeof(*m.layout));
    take_disks(&m, disks, disk_count);
    deal_rounds(&m);
    fit_budget(&m);
    for (unsigned round = 0; round < m.round_count; round++)
        for (unsigned c = 0; c < CELL_COUNT; c++)
            if (cells[c].place != TOGETHER)
                add_step(&m, c, round);
    for (unsigned c = 0; c < CELL_COUNT; c++)
        if (cells[c].place == TOGETHER)
            add_step(&m, c, 0);
    plat_free(m.layout);
    return plan_build_end(&m.build, out);
}
