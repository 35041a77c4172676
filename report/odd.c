#include "odd.h"
#include "bits.h"
#include "math.h"
#include "str.h"
#include "summary.h"

/* ---- memory ---- */
struct known_drive {
    char disk[24], controller[16], model[48], firmware[16], link[16], policy[140];
    uint64_t size_bytes;
    uint32_t newest; /* its last cell, plus 1 */
    unsigned cells;
    struct {
        unsigned odd;
        struct outlier most;
    } kind[OUTLIER_METRIC_COUNT];
};
struct cell {
    struct outlier_peers peers;
    char job[40], rw[12];
    uint32_t drive, before; /* before: the drive's cell before it, plus 1 */
    uint32_t flags;
    uint64_t value[OUTLIER_METRIC_COUNT];
};
struct search {
    struct odd_search *out;
    struct known_drive *drives;
    struct cell *cells;
    struct outlier_cell *judged;
    uint64_t *scratch;
    size_t drive_room, cell_room;
};

static size_t drive_room(const struct run *run) { return (size_t)min_u64(run->disks, ODD_MAX_DRIVES); }
static size_t cell_room(const struct run *run) { return (size_t)min_u64(run->cells, ODD_MAX_CELLS); }

size_t odd_memory_bytes(const struct run *run)
{
    return drive_room(run) * sizeof(struct known_drive) +
           cell_room(run) * (sizeof(struct cell) + sizeof(struct outlier_cell) + sizeof(uint64_t));
}

static struct search search_over(const struct run *run, void *memory, struct odd_search *out)
{
    struct search s = { .out = out, .drive_room = drive_room(run), .cell_room = cell_room(run) };

    s.scratch = memory;
    s.judged = (struct outlier_cell *)(s.scratch + s.cell_room);
    s.cells = (struct cell *)(s.judged + s.cell_room);
    s.drives = (struct known_drive *)(s.cells + s.cell_room);
    return s;
}

/* ---- drives ---- */
static struct known_drive *drive_named(struct search *s, const char *name)
{
    for (unsigned i = 0; i < s->out->drives; i++)
        if (str_equal(s->drives[i].disk, name))
            return &s->drives[i];
    return NULL;
}

static void take_disk(struct search *s, const struct journal_line *l)
{
    char name[24];
    struct known_drive *d;

    if (!event_str(l, "name", name, sizeof name))
        return;
    d = drive_named(s, name);
    if (!d && s->out->drives == s->drive_room) {
        s->out->left_out++;
        return;
    }
    if (!d)
        d = &s->drives[s->out->drives++];
    *d = (struct known_drive){ .size_bytes =
                                   mul_div_u64(event_u64(l, "lba_count"), event_u64(l, "lba_bytes"), 1) };
    str_copy(d->disk, sizeof d->disk, name);
    event_str(l, "controller", d->controller, sizeof d->controller);
    event_str(l, "model", d->model, sizeof d->model);
    event_str(l, "firmware", d->firmware, sizeof d->firmware);
}

static void take_policy(struct search *s, const struct journal_line *l)
{
    char name[24], level[24], policy[100];
    struct known_drive *d;

    event_str(l, "disk", name, sizeof name);
    event_str(l, "level", level, sizeof level);
    event_str(l, "policy", policy, sizeof policy);
    if ((d = drive_named(s, name)))
        str_fmt(d->policy, sizeof d->policy, "%s, %s", level, policy);
}

/* The link is told after the last step. */
static void take_link(struct search *s, const struct journal_line *l)
{
    char controller[16];

    event_str(l, "controller", controller, sizeof controller);
    for (unsigned i = 0; i < s->out->drives; i++)
        if (str_equal(s->drives[i].controller, controller))
            str_fmt(s->drives[i].link, sizeof s->drives[i].link, "Gen%u x%u", (unsigned)event_u64(l, "speed"),
                    (unsigned)event_u64(l, "width"));
}

/* ---- measurements ---- */
static bool is_same_setting(const struct cell *a, const struct cell *b)
{
    return str_equal(a->job, b->job) && str_equal(a->rw, b->rw) &&
           a->peers.block_bytes == b->peers.block_bytes && a->peers.depth == b->peers.depth;
}

static uint64_t percentile(const struct journal_line *l, const char *ppm)
{
    struct json_value all;

    return json_member(&l->body, "latency_percentile_ns", &all) ? json_u64(&all, ppm, 0) : 0;
}

static void read_cell(const struct journal_line *l, struct cell *c)
{
    uint64_t iops_milli = event_u64(l, "iops_milli");

    *c = (struct cell){ .flags = summary_flags(l) };
    event_str(l, "job", c->job, sizeof c->job);
    event_str(l, "rw", c->rw, sizeof c->rw);
    c->peers.block_bytes = (uint32_t)min_u64(event_u64(l, "block_bytes"), UINT32_MAX);
    c->peers.depth = (uint32_t)min_u64(event_u64(l, "depth"), UINT32_MAX);
    c->value[OUTLIER_RATE] = event_u64(l, "bytes_per_s");
    c->value[OUTLIER_TAIL_P99] = outlier_tail_milli(percentile(l, "990000"), iops_milli, c->peers.depth);
    c->value[OUTLIER_TAIL_P999] = outlier_tail_milli(percentile(l, "999000"), iops_milli, c->peers.depth);
}

static void take_cell(struct search *s, const struct journal_line *l)
{
    struct cell new;
    char name[24];
    struct known_drive *d;
    uint32_t at;

    event_str(l, "disk", name, sizeof name);
    read_cell(l, &new);
    if (!(d = drive_named(s, name)))
        return;
    new.drive = (uint32_t)(d - s->drives);
    for (at = d->newest; at && !is_same_setting(&s->cells[at - 1], &new);)
        at = s->cells[at - 1].before;
    if (at) { /* measured again */
        new.before = s->cells[at - 1].before;
        s->cells[at - 1] = new;
        return;
    }
    if (s->out->cells == s->cell_room) {
        s->out->left_out++;
        return;
    }
    new.before = d->newest;
    s->cells[s->out->cells] = new;
    d->newest = ++s->out->cells;
    d->cells++;
}

static void read_run(struct search *s, const struct run *run)
{
    static const struct {
        const char *ev;
        void (*take)(struct search *s, const struct journal_line *l);
    } kinds[] = { { "disk", take_disk },
                  { "virtual_drive", take_policy },
                  { "link", take_link },
                  { "step_end", take_cell } };
    struct run_lines lines;
    struct journal_line l;

    run_lines_start(&lines, run);
    while (run_lines_next(&lines, &l))
        for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++)
            if (str_equal(l.ev, kinds[i].ev))
                kinds[i].take(s, &l);
}

/* ---- judging ---- */
static void on_found(void *ctx, const struct outlier *o)
{
    struct search *s = ctx;
    struct known_drive *d = &s->drives[s->cells[o->cell->drive].drive];

    if (!o->worse)
        return;
    if (!d->kind[o->metric].odd++ || o->z_milli > d->kind[o->metric].most.z_milli)
        d->kind[o->metric].most = *o;
}

static void judge(struct search *s)
{
    for (unsigned i = 0; i < s->out->cells; i++) {
        struct cell *c = &s->cells[i];
        const struct known_drive *d = &s->drives[c->drive];

        c->peers.model = d->model;
        c->peers.firmware = d->firmware;
        c->peers.link = d->link;
        c->peers.policy = d->policy;
        c->peers.size_bytes = d->size_bytes;
        c->peers.job = c->job;
        c->peers.rw = c->rw;
        s->judged[i] = (struct outlier_cell){ .peers = &c->peers, .drive = i, .flags = c->flags };
        memcpy(s->judged[i].value, c->value, sizeof c->value);
    }
    outlier_find(s->judged, s->out->cells, s->scratch, on_found, s, &s->out->counts);
}

static void tell(const struct search *s, const struct known_drive *d, enum outlier_metric m,
                 void (*found)(void *ctx, const struct odd_drive *o), void *ctx)
{
    const struct outlier *most = &d->kind[m].most;
    const struct cell *c = &s->cells[most->cell->drive];
    struct odd_drive o = { .metric = m,
                           .odd = d->kind[m].odd,
                           .measured = d->cells,
                           .most = *most,
                           .block_bytes = c->peers.block_bytes,
                           .depth = c->peers.depth };

    str_copy(o.disk, sizeof o.disk, d->disk);
    str_copy(o.job, sizeof o.job, c->job);
    str_copy(o.rw, sizeof o.rw, c->rw);
    found(ctx, &o);
}

void odd_find(const struct run *run, void *memory, struct odd_search *out,
              void (*found)(void *ctx, const struct odd_drive *o), void *ctx)
{
    struct search s = search_over(run, memory, out);

    *out = (struct odd_search){ 0 };
    read_run(&s, run);
    judge(&s);
    for (unsigned i = 0; i < out->drives; i++) {
        const struct known_drive *d = &s.drives[i];
        enum outlier_metric tail =
            d->kind[OUTLIER_TAIL_P999].most.z_milli > d->kind[OUTLIER_TAIL_P99].most.z_milli
                ? OUTLIER_TAIL_P999
                : OUTLIER_TAIL_P99;

        if (d->kind[OUTLIER_RATE].odd)
            tell(&s, d, OUTLIER_RATE, found, ctx);
        if (d->kind[tail].odd)
            tell(&s, d, tail, found, ctx);
    }
}

/* ---- words ---- */
enum finding_level odd_level(const struct odd_drive *o)
{
    return o->odd > 1 || o->measured == 1 ? FINDING_WARN : FINDING_INFO;
}

const char *odd_code(const struct odd_drive *o)
{
    return o->metric == OUTLIER_RATE ? "odd-slow" : "odd-tail";
}

static void put_value(const struct odd_drive *o, uint64_t v, struct text *t)
{
    if (o->metric == OUTLIER_RATE) {
        text_fixed(t, v / 10000, 2);
        text_str(t, " MB/s");
        return;
    }
    text_fixed(t, v / 10, 2);
    text_str(t, " times the mean");
}

void odd_seen(const struct odd_drive *o, struct text *t)
{
    text_fmt(t, "in %u of its %u measurement%s; farthest in %s (%s ", o->odd, o->measured,
             str_plural(o->measured), o->job, o->rw);
    text_size(t, o->block_bytes);
    text_fmt(t, " QD %u): ", o->depth);
    if (o->metric != OUTLIER_RATE)
        text_fmt(t, "the slowest 1 in %u takes ", o->metric == OUTLIER_TAIL_P99 ? 100 : 1000);
    put_value(o, o->most.value, t);
    text_fmt(t, ", %u %% %s than the %u like drives' median", (unsigned)(o->most.effect_permille / 10),
             o->metric == OUTLIER_RATE ? "less" : "more", (unsigned)o->most.peers);
    text_str(t, ", robust z ");
    text_fixed(t, o->most.z_milli / 100, 1);
}

void odd_expected(const struct odd_drive *o, struct text *t)
{
    text_str(t, "as the others: ");
    put_value(o, o->most.median, t);
}
