#include "burn_in_lane.h"
#include "bits.h"
#include "math.h"
#include "perm.h"
#include "str.h"
#include "text.h"

enum {
    MOST_DEPTH = 16,
    RANDOM_LEAST_BYTES = 4096, /* random hours: requests of 4 to 128 KiB */
    RANDOM_DOUBLINGS = 6,
    MIX_READ_PERCENT = 70,
    CHECK_DEADLINES_MS = 50
};
#define FLUSH_DEADLINE_NS (120 * NS_PER_S) /* design: default numbers */
#define EXPIRE_GRACE_NS   (1 * NS_PER_S)

struct slot {
    uint64_t lba, submit_ns;
    uint32_t blocks; /* 0: not in flight */
    uint32_t pass;   /* a write's; of a read, the least that it must find */
    uint8_t op;
    bool busy, expired;
};
/* A write of the random hours that is yet to be read back: each has a pass of its own, so that one which the
 * drive drops is found with the older stamp. */
struct written {
    uint64_t lba;
    uint32_t blocks, pass;
};
enum { WRITTEN_MOST = 64, WRITTEN_KEPT = 32 /* so many lie between a write and its reading back */ };
enum state { RUNNING, READING_BACK, DRAINING, FLUSHING, DONE };
struct burn_in_lane {
    struct burn_in_drive *drive;
    struct burn_in_work work;
    struct io_lane *io;
    struct slot slot[MOST_DEPTH];
    struct io_request waiting[MOST_DEPTH];         /* made, and not taken by the driver yet */
    struct written written[WRITTEN_MOST];          /* a ring */
    unsigned written_from, written_count, writing; /* writing: made, not answered */
    unsigned depth, in_flight, waiting_count;
    uint8_t state;
    bool held, broken, flush_failed, wrote;
    uint64_t made; /* blocks of work.count, in its order */
    uint64_t began_ns, next_check_ns, bytes, written_bytes, errors;
    struct perm perm;
    struct rng rng;
    struct stamp_key key;
    char words[160];
};

struct stamp_key burn_in_key(const struct burn_in_drive *d)
{
    return (struct stamp_key){ .job = d->state.job_hash,
                               .seed = d->state.seed,
                               .pass = d->state.pass,
                               .lba_bytes = d->disk->lba_bytes };
}

/* ---- open ---- */
static bool writes(const struct burn_in_work *w)
{
    return w->task == BURN_IN_STAMP || w->task == BURN_IN_MIX;
}

static void prepare(struct burn_in_lane *l)
{
    const struct burn_in_state *s = &l->drive->state;

    l->key = burn_in_key(l->drive);
    l->key.or_later = s->phase == BURN_IN_RANDOM;
    perm_init(&l->perm, s->blocks, s->seed);
    /* Another order with each piece: the position and the start are part of its seed. */
    rng_seed(&l->rng, s->seed ^ (s->position * 0x9e3779b97f4a7c15u + s->interruptions + 1));
    l->began_ns = plat_now_ns();
    l->next_check_ns = l->began_ns + CHECK_DEADLINES_MS * NS_PER_MS;
}

int burn_in_lane_open(struct burn_in_drive *d, const struct burn_in_work *w, struct burn_in_lane **out)
{
    struct burn_in_lane *l = plat_alloc(sizeof *l);
    struct lane_shape shape = { .buffer_per_slot = w->task != BURN_IN_READ,
                                .writes = writes(w),
                                .request_bytes = d->limits.block_bytes };
    char why[160];
    int rc = l ? E_LIMIT : E_NOMEM;

    *out = NULL;
    for (unsigned depth = min_u64(d->limits.depth, MOST_DEPTH); l && depth && rc != OK; depth /= 2) {
        shape.depth = (uint16_t)depth;
        rc = d->disk->ops->open(d->disk, &shape, &l->io);
        if (rc != E_LIMIT && rc != E_NOMEM)
            break;
    }
    if (rc != OK) {
        struct text t = text_over(why, sizeof why);

        if (d->disk->fault.err)
            fault_text(&d->disk->fault, &t);
        else
            text_fmt(&t, "the disk could not be opened for %s: %s", shape.writes ? "writing" : "reading",
                     err_text(rc));
        burn_in_leave(d, why);
        plat_free(l);
        return rc;
    }
    l->drive = d;
    l->work = *w;
    l->depth = min_u64(l->io->depth, shape.depth);
    prepare(l);
    *out = l;
    return OK;
}

/* ---- making requests ---- */
static uint64_t block_at(const struct burn_in_lane *l, uint64_t i)
{
    const struct burn_in_work *w = &l->work;
    uint64_t back = w->from + w->count - 1 - i;

    switch (w->order) {
    case ORDER_DOWN:
        return back;
    case ORDER_MAP:
        return perm_at(&l->perm, i);
    case ORDER_MAP_DOWN:
        return perm_at(&l->perm, back);
    default: /* ORDER_UP */
        return i;
    }
}

/* 4 to 128 KiB at a multiple of their size: of a block that holds stamps, or anywhere when only read. */
static void make_random(struct burn_in_lane *l, struct slot *s)
{
    uint32_t lba_bytes = l->drive->disk->lba_bytes, block_lbas = burn_in_block_lbas(l->drive);
    uint64_t bytes = (uint64_t)RANDOM_LEAST_BYTES << mul_high_u64(rng_next(&l->rng), RANDOM_DOUBLINGS);
    uint64_t span_lbas = block_lbas, at = 0;

    bytes = max_u64(min_u64(bytes, l->drive->limits.block_bytes), lba_bytes);
    s->blocks = (uint32_t)(bytes / lba_bytes);
    if (l->work.task == BURN_IN_READ)
        span_lbas = l->work.region_lbas;
    else
        at = perm_at(&l->perm, mul_high_u64(rng_next(&l->rng), l->drive->state.written_blocks)) * block_lbas;
    s->lba = l->work.first_lba + at +
             mul_high_u64(rng_next(&l->rng), max_u64(span_lbas / s->blocks, 1)) * s->blocks;
}

/* Two of which one writes would leave or see what depends on their order. */
static bool is_in_the_way(const struct burn_in_lane *l, const struct slot *s)
{
    for (unsigned i = 0; i < l->depth; i++) {
        const struct slot *o = &l->slot[i];

        if (o->busy && o != s && (o->op == IO_WRITE || s->op == IO_WRITE) && o->lba < s->lba + s->blocks &&
            s->lba < o->lba + o->blocks)
            return true;
    }
    return false;
}

static bool make_read_back(struct burn_in_lane *l, struct slot *s)
{
    const struct written *w = &l->written[l->written_from];

    s->lba = w->lba;
    s->blocks = w->blocks;
    s->pass = w->pass;
    if (is_in_the_way(l, s))
        return false;
    l->written_from = (l->written_from + 1) % WRITTEN_MOST;
    l->written_count--;
    return true;
}

/* Reads are of the oldest writes, as far as there are enough of these, and of any place. */
static bool make_mixed(struct burn_in_lane *l, struct slot *s)
{
    enum { DRAWS = 8 };
    bool may_write = l->written_count + l->writing < WRITTEN_MOST;

    if (l->state == READING_BACK)
        return make_read_back(l, s);
    if (may_write && mul_high_u64(rng_next(&l->rng), 100) >= MIX_READ_PERCENT) {
        s->op = IO_WRITE;
        s->pass = (uint32_t)min_u64(l->key.pass + 1 + l->work.from + l->made, UINT32_MAX);
    } else if (l->written_count > WRITTEN_KEPT && make_read_back(l, s)) {
        return true;
    } else {
        s->pass = l->key.pass;
    }
    for (unsigned i = 0; i < DRAWS; i++) {
        make_random(l, s);
        if (!is_in_the_way(l, s))
            return true;
    }
    return false;
}

static void make_in_order(struct burn_in_lane *l, struct slot *s)
{
    uint32_t block_lbas = burn_in_block_lbas(l->drive);
    uint64_t at = block_at(l, l->work.from + l->made) * block_lbas;

    s->lba = l->work.first_lba + at;
    s->blocks = (uint32_t)min_u64(block_lbas, l->work.region_lbas - at);
}

/* False: nothing can be made before something in flight was answered. */
static bool make(struct burn_in_lane *l, unsigned slot)
{
    struct slot *s = &l->slot[slot];
    struct stamp_key as = l->key;

    *s = (struct slot){ .pass = l->key.pass, .op = l->work.task == BURN_IN_STAMP ? IO_WRITE : IO_READ };
    if (l->work.task == BURN_IN_MIX) {
        if (!make_mixed(l, s))
            return false;
    } else if (l->work.order == ORDER_RANDOM) {
        make_random(l, s);
    } else {
        make_in_order(l, s);
    }
    s->busy = true;
    l->made += l->state == RUNNING;
    if (s->op == IO_WRITE) {
        as.pass = s->pass;
        stamp_fill(&as, s->lba, s->blocks, lane_data(l->io, slot));
        l->wrote = true;
        l->writing++;
    } else if (l->work.task != BURN_IN_READ) {
        /* What never arrives must not be taken for what was left in the buffer. */
        for (uint32_t i = 0; i < s->blocks; i++)
            memset(lane_data(l->io, slot) + (size_t)i * l->key.lba_bytes, 0, 8);
    }
    l->waiting[l->waiting_count++] =
        (struct io_request){ .lba = s->lba, .blocks = s->blocks, .slot = (uint16_t)slot, .op = s->op };
    return true;
}

static bool may_make(const struct burn_in_lane *l)
{
    if (l->state == READING_BACK && l->written_count && !l->held && !l->broken)
        return true;
    if (l->state != RUNNING || l->held || l->broken || l->made == l->work.count)
        return false;
    /* The cap holds within a piece, too. */
    return l->work.task != BURN_IN_MIX || l->drive->state.written_bytes + l->written_bytes +
                                                  (uint64_t)l->depth * l->drive->limits.block_bytes <=
                                              l->drive->limits.write_cap_bytes;
}

static void send(struct burn_in_lane *l)
{
    uint64_t now_ns = plat_now_ns();
    unsigned taken;

    for (unsigned i = 0; i < l->depth && may_make(l); i++)
        if (!l->slot[i].busy && !make(l, i))
            break;
    if (!l->waiting_count || l->broken)
        return;
    taken = l->drive->disk->ops->submit(l->io, l->waiting, l->waiting_count);
    if (!taken)
        return;
    for (unsigned i = 0; i < taken; i++)
        l->slot[l->waiting[i].slot].submit_ns = now_ns;
    l->waiting_count -= taken;
    memmove(l->waiting, l->waiting + taken, l->waiting_count * sizeof l->waiting[0]);
    l->in_flight += taken;
    l->drive->disk->ops->kick(l->io);
}

/* ---- answers ---- */
static const char *const verbs[] = { [IO_READ] = "read", [IO_WRITE] = "write", [IO_FLUSH] = "flush" };

static void note_failure(struct burn_in_lane *l, const struct slot *s, const struct io_completion *c)
{
    const struct disk_ops *ops = l->drive->disk->ops;

    l->errors++;
    if (l->words[0])
        return;
    struct text t = text_over(l->words, sizeof l->words);
    text_fmt(&t, "%s at LBA %llu failed: %s", verbs[s->op],
             (unsigned long long)(c->error_lba ? c->error_lba : s->lba),
             io_status_text((enum io_status)c->status));
    if (c->detail && ops->status_words) {
        text_str(&t, ", ");
        ops->status_words(c->detail, &t);
    }
}

static void check_data(struct burn_in_lane *l, const struct slot *s, unsigned slot)
{
    const uint8_t *data = lane_data(l->io, slot);
    struct stamp_key key = l->key;
    struct stamp_finding f;

    key.pass = s->pass;
    uint32_t good = stamp_check(&key, s->lba, s->blocks, data);

    if (good == s->blocks)
        return;
    l->errors++;
    if (l->words[0])
        return;
    struct text t = text_over(l->words, sizeof l->words);
    stamp_look(&key, s->lba + good, data + (size_t)good * l->key.lba_bytes, &f);
    text_fmt(&t, "%s%s: ", l->work.recheck ? "what was flushed before the interruption is not there, " : "",
             stamp_kind_text(f.kind));
    stamp_finding_text(&f, &t);
}

static void write_answered(struct burn_in_lane *l, const struct slot *s)
{
    l->written_bytes += (uint64_t)s->blocks * l->key.lba_bytes;
    if (l->work.task != BURN_IN_MIX)
        return;
    l->written[(l->written_from + l->written_count++) % WRITTEN_MOST] =
        (struct written){ .lba = s->lba, .blocks = s->blocks, .pass = s->pass };
}

static void flush_answered(struct burn_in_lane *l, const struct io_completion *c)
{
    l->flush_failed = c->status != IO_OK;
    if (l->flush_failed)
        note_failure(l, &l->slot[c->slot], c);
    l->state = DONE;
}

static void break_off(struct burn_in_lane *l)
{
    const struct disk *d = l->drive->disk;

    if (l->broken)
        return;
    struct text t = text_over(l->words, sizeof l->words);
    l->broken = true;
    l->waiting_count = 0;
    l->errors++;
    if (d->fault.err)
        fault_text(&d->fault, &t);
    else if (d->controller && d->controller->fault.err)
        fault_text(&d->controller->fault, &t);
    else
        text_str(&t, "the disk takes no more work");
}

static void answered(struct burn_in_lane *l, const struct io_completion *c)
{
    struct slot *s = &l->slot[c->slot];

    if (c->slot >= l->depth || !s->busy || !s->submit_ns) {
        break_off(l);
        return;
    }
    s->busy = false;
    l->in_flight--;
    l->writing -= s->op == IO_WRITE;
    if (s->op == IO_FLUSH) {
        flush_answered(l, c);
    } else if (c->status != IO_OK) {
        note_failure(l, s, c);
    } else {
        l->bytes += (uint64_t)s->blocks * l->key.lba_bytes;
        if (s->op == IO_WRITE)
            write_answered(l, s);
        else if (l->work.task != BURN_IN_READ)
            check_data(l, s, c->slot);
    }
    s->submit_ns = 0;
}

static void check_deadlines(struct burn_in_lane *l, uint64_t now_ns)
{
    uint64_t most_ns = l->drive->disk->command_deadline_ns;

    for (unsigned i = 0; i < l->depth; i++) {
        struct slot *s = &l->slot[i];
        uint64_t limit_ns = s->op == IO_FLUSH ? FLUSH_DEADLINE_NS : most_ns ? most_ns : 30 * NS_PER_S;

        if (!s->busy || !s->submit_ns || now_ns - s->submit_ns < limit_ns)
            continue;
        if (!s->expired) {
            l->drive->disk->ops->expire(l->io, i);
            s->expired = true;
        } else if (now_ns - s->submit_ns > limit_ns + EXPIRE_GRACE_NS) {
            break_off(l); /* the driver's ladder ended and did not give it back */
            s->busy = false;
            l->in_flight--;
            l->writing -= s->op == IO_WRITE;
        }
    }
    l->next_check_ns = now_ns + CHECK_DEADLINES_MS * NS_PER_MS;
}

/* ---- the end of a piece ---- */
static void go_on_to_flush(struct burn_in_lane *l)
{
    if (!l->wrote || l->broken) {
        l->state = DONE;
        return;
    }
    l->state = FLUSHING;
    l->slot[0] = (struct slot){ .busy = true, .op = IO_FLUSH };
    l->waiting[l->waiting_count++] = (struct io_request){ .slot = 0, .op = IO_FLUSH };
}

bool burn_in_lane_turn(struct burn_in_lane *l)
{
    struct io_completion c[MOST_DEPTH];
    unsigned n = l->drive->disk->ops->poll(l->io, c, MOST_DEPTH);
    uint64_t now_ns = plat_now_ns();

    for (unsigned i = 0; i < n; i++)
        answered(l, &c[i]);
    if (l->io->dead)
        break_off(l);
    if (now_ns >= l->next_check_ns)
        check_deadlines(l, now_ns);
    if (l->state == DONE)
        return false;
    bool enough = l->broken || l->drive->state.errors + l->errors >= l->drive->limits.error_limit;
    if (l->state == RUNNING && (l->made == l->work.count || enough || (!l->held && !may_make(l))))
        burn_in_lane_finish(l);
    if (l->state == READING_BACK && (enough || (!l->written_count && !l->writing)))
        l->state = DRAINING;
    if (!l->held && !l->in_flight && !l->waiting_count && l->state == DRAINING)
        go_on_to_flush(l);
    if (!l->held)
        send(l);
    if (l->broken && !l->in_flight)
        l->state = DONE;
    return l->state != DONE;
}

void burn_in_lane_finish(struct burn_in_lane *l)
{
    if (l->state == RUNNING)
        l->state = l->work.task == BURN_IN_MIX ? READING_BACK : DRAINING;
}

void burn_in_lane_hold(struct burn_in_lane *l, bool hold) { l->held = hold; }
bool burn_in_lane_is_idle(const struct burn_in_lane *l) { return !l->in_flight; }

void burn_in_lane_close(struct burn_in_lane *l, struct burn_in_lane_report *report)
{
    struct burn_in_outcome o = { .blocks = l->broken || l->flush_failed ? 0 : l->made,
                                 .errors = l->errors,
                                 .written_bytes = l->written_bytes,
                                 .ms = (plat_now_ns() - l->began_ns) / NS_PER_MS,
                                 .words = l->words[0] ? l->words : NULL };

    *report = (struct burn_in_lane_report){
        .bytes = l->bytes, .written_bytes = l->written_bytes, .errors = l->errors, .ms = o.ms
    };
    str_copy(report->words, sizeof report->words, l->words);
    burn_in_took(l->drive, &l->work, &o);
    if (l->broken)
        burn_in_leave(l->drive, l->words);
    l->drive->disk->ops->close(l->io);
    plat_free(l);
}
