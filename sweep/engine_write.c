#include "engine_lane.h"
#include "str.h"

/* Lanes that write: what is in their buffers, mixes by draw, flushes.  Their requests are made as those of
 * other lanes; what is different hangs on `fills` (before a submission) and `apart` (at completions). */

enum { TEMPLATE_MIX = 1, SCRAMBLE_BYTES = 4096 };

/* ---- what is written ---- */
/* Random, the last part of each chunk zero when the data is to be compressible. */
static void fill_random(const struct job *j, struct rng *rng, uint8_t *data, uint32_t bytes)
{
    uint32_t chunk = (uint32_t)min_u64(max_u64(j->compress_chunk_bytes, 512), bytes);
    uint32_t random = chunk - (uint32_t)((uint64_t)chunk * j->compress_pct / 100 / 8 * 8);

    for (uint32_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word = i % chunk < random ? rng_next(rng) : 0;
        __builtin_memcpy(data + i, &word, 8);
    }
}

static void fill_buffer(const struct work_lane *l, struct rng *rng, uint8_t *data)
{
    const struct job *j = &l->plan->job;
    const struct job_pattern *p = &j->write_fill;
    uint32_t bytes = l->io->request_bytes;

    if (j->zero_buffers)
        memset(data, 0, bytes);
    else if (p->count)
        for (uint32_t i = 0; i < bytes; i++)
            data[i] = p->byte[i % p->count];
    else
        fill_random(j, rng, data, bytes);
}

static inline void scramble(struct writing *w, uint8_t *data, uint32_t bytes, uint64_t lba)
{
    w->sequence++;
    for (uint32_t i = 0; i + 2 * sizeof(lba) <= bytes; i += SCRAMBLE_BYTES)
        engine_put_words(data + i, w->sequence, lba);
}

/* The same for requests that are all writes, from buffers that hold nothing else. */
static void scramble_all(const struct work_lane *l, const struct io_request *r, unsigned count)
{
    const struct io_lane *io = l->io;
    const size_t slot_bytes = io->buffer_per_slot ? io->request_bytes : 0;
    const size_t lba_bytes = l->lba_bytes;
    uint8_t *const data = io->data.cpu;
    uint64_t sequence = l->writing->sequence;

    for (const struct io_request *const end = r + count; r != end; r++) {
        uint8_t *at = data + r->slot * slot_bytes, *const after = at + r->blocks * lba_bytes;

        sequence++;
        do
            engine_put_words(at, sequence, r->lba);
        while ((at += SCRAMBLE_BYTES) < after);
    }
    l->writing->sequence = sequence;
}

/* A read left the device's data in the buffer: the lane's own comes back before it is written. */
static void restore(struct work_lane *l, struct work_slot *s, uint8_t *data)
{
    if (s->pass == TEMPLATE_MIX)
        memcpy(data, l->writing->template_data, l->io->request_bytes);
    s->pass = 0;
}

static void fill_slowly(struct work_lane *l, const struct io_request *r, unsigned count)
{
    struct writing *w = l->writing;
    uint64_t began_ns = plat_now_ns(), now_ns;

    for (unsigned i = 0; i < count; i++) {
        uint8_t *data = lane_data(l->io, r[i].slot);
        if (r[i].op != IO_WRITE) {
            if (w->checks_reads)
                engine_poison(l, &r[i]);
        } else if (w->stamped) {
            w->key.pass = l->slot[r[i].slot].pass;
            stamp_fill(&w->key, r[i].lba, r[i].blocks, data);
        } else {
            fill_random(&l->plan->job, &w->rng, data, r[i].blocks * l->lba_bytes);
        }
    }
    now_ns = plat_now_ns();
    w->fill_ns += now_ns - began_ns;
    for (unsigned i = 0; i < count; i++)
        l->slot[r[i].slot].submit_ns = now_ns;
}

void engine_fill(struct work_lane *l, const struct io_request *r, unsigned count, uint64_t now_ns)
{
    struct writing *w = l->writing;

    (void)now_ns;
    if (w->fills_slowly)
        fill_slowly(l, r, count);
    else if (w->scrambles && !w->template_data)
        scramble_all(l, r, count);
    else if (w->scrambles)
        for (unsigned i = 0; i < count; i++) {
            uint8_t *data = lane_data(l->io, r[i].slot);
            if (r[i].op != IO_WRITE)
                continue;
            restore(l, &l->slot[r[i].slot], data);
            scramble(w, data, r[i].blocks * l->lba_bytes, r[i].lba);
        }
    if (w->flush_every)
        for (unsigned i = 0; i < count; i++)
            w->writes_since_flush += r[i].op == IO_WRITE;
}

/* ---- mixes ---- */
uint64_t engine_make_mixed(struct work_lane *l, struct io_request *r, unsigned count, uint64_t now_ns)
{
    struct writing *w = l->writing;
    uint64_t made_lbas = 0;

    for (; count; count--, r++) {
        bool writes = w->read_below != UINT64_MAX && rng_next(&l->rng) >= w->read_below;
        l->next_lba = w->cursor_lba[writes];
        made_lbas += engine_make(l, w->base_pattern, r, 1, now_ns);
        w->cursor_lba[writes] = l->next_lba;
        r->op = writes ? IO_WRITE : IO_READ;
        l->slot[r->slot].writes = writes;
        if (!writes)
            l->slot[r->slot].pass = TEMPLATE_MIX;
    }
    return made_lbas;
}

/* ---- building ---- */
static bool needs_writing(const struct job *j) { return job_writes(j) || j->verify; }

static int begin_mix(struct work_lane *l)
{
    struct writing *w = l->writing;
    unsigned percent = l->plan->job.mix_read_pct;

    w->read_below = percent >= 100 ? UINT64_MAX : UINT64_MAX / 100 * percent;
    w->cursor_lba[0] = w->cursor_lba[1] = l->first_lba;
    w->side = plat_alloc(2 * sizeof(*w->side));
    if (!w->side)
        return E_NOMEM;
    for (unsigned i = 0; i < 2; i++) {
        hist_reset(&w->side[i].hist);
        w->side[i].series.interval_ns = l->series.interval_ns;
        w->side[i].result.writes = i;
    }
    if (w->stamped)
        return OK;
    w->base_pattern = l->pattern;
    l->pattern = PATTERN_MIXED;
    w->template_data = plat_alloc(l->io->request_bytes);
    if (!w->template_data)
        return E_NOMEM;
    fill_buffer(l, &w->rng, w->template_data);
    return OK;
}

static void begin_buffers(struct work_lane *l)
{
    const struct job *j = &l->plan->job;
    struct writing *w = l->writing;

    w->scrambles = w->template_data || (j->scramble_buffers && !j->zero_buffers && !j->write_fill.count);
    w->fills_slowly =
        w->stamped || w->checks_reads || (j->refill_buffers && !j->zero_buffers && !j->write_fill.count);
    for (unsigned i = 0; w->writes && i < l->depth; i++)
        fill_buffer(l, &w->rng, lane_data(l->io, i));
    l->words = w->scrambles && !w->fills_slowly && l->pattern <= PATTERN_PERMUTED && l->io->buffer_per_slot &&
               l->io->request_bytes <= SCRAMBLE_BYTES;
    if (l->words)
        w->scrambles = false;
    l->fills = w->fills_slowly || w->scrambles || w->flush_every;
}

static void settle(struct work_lane *l)
{
    struct writing *w = l->writing;

    l->apart = w->side || w->flush == FLUSH_SENT || w->verifying || w->checks_reads;
    for (unsigned i = 0; i < l->depth; i++)
        l->request[i].op = w->op;
}

int engine_write_begin(struct work_lane *l)
{
    const struct job *j = &l->plan->job;
    uint64_t most = UINT32_MAX;
    int err = OK;

    if (!needs_writing(j))
        return OK;
    struct writing *w = l->writing = plat_alloc(sizeof(*w));
    if (!w)
        return E_NOMEM;
    w->writes = job_writes(j);
    w->stamped = j->verify && job_rw_writes(j->rw);
    w->checks_reads = j->verify && !job_rw_writes(j->rw);
    w->measured_verify = j->verify_only;
    w->wants_verify = w->stamped && (j->do_verify || j->verify_only);
    w->wants_reset = w->wants_verify && j->verify_after_reset;
    w->op = w->writes ? IO_WRITE : IO_READ;
    most = min_u64(j->fsync_ios ? j->fsync_ios : most, j->fdatasync_ios ? j->fdatasync_ios : most);
    w->flush_every = w->writes && most != UINT32_MAX ? (uint32_t)most : 0;
    rng_seed(&w->rng, j->randseed ^ 0xda7a);
    if (j->verify)
        engine_stamp_begin(l);
    if (job_rw_is_mix(j->rw) && w->writes)
        err = begin_mix(l);
    if (err == OK)
        begin_buffers(l);
    if (w->writes && !w->side)
        for (unsigned i = 0; i < l->depth; i++)
            l->slot[i].writes = 1;
    if (w->measured_verify)
        engine_verify_start(l, 0);
    settle(l);
    return err;
}

void engine_write_end(struct work_lane *l)
{
    if (!l->writing)
        return;
    plat_free(l->writing->side);
    plat_free(l->writing->template_data);
    plat_free(l->writing);
    l->writing = NULL;
}

/* ---- flushes ---- */
unsigned engine_write_allows(struct work_lane *l, unsigned room)
{
    struct writing *w = l->writing;

    if (w->flush_every) {
        if (w->writes_since_flush >= w->flush_every && w->flush == FLUSH_NONE)
            w->flush = FLUSH_WANTED;
        room = (unsigned)min_u64(room, w->flush_every - min_u64(w->flush_every, w->writes_since_flush));
    }
    if (w->flush != FLUSH_NONE)
        return 0;
    return w->stamped ? engine_stamp_allows(l, room) : room;
}

static void put_flush(struct work_lane *l, struct io_request *r, uint64_t now_ns)
{
    put_request(l->slot, r, now_ns, 0, 0);
    r->op = IO_FLUSH;
    l->slot[r->slot].blocks = 1; /* in flight */
    l->writing->flush = FLUSH_SENT;
    l->apart = true;
}

bool engine_make_flush(struct work_lane *l, struct io_request *r, uint64_t now_ns)
{
    if (l->writing->flush != FLUSH_WANTED || l->in_flight || l->waiting)
        return false;
    put_flush(l, r, now_ns);
    return true;
}

static void flush_came_back(struct work_lane *l, uint64_t latency_ns, uint64_t at_ns)
{
    struct writing *w = l->writing;

    w->flushes++;
    w->flush_sum_ns += latency_ns;
    w->flush_min_ns = w->flushes == 1 ? latency_ns : min_u64(w->flush_min_ns, latency_ns);
    w->flush_max_ns = max_u64(w->flush_max_ns, latency_ns);
    w->flush = FLUSH_NONE;
    w->writes_since_flush = 0;
    if (!l->submitting) {
        w->flushed_at_end = true;
        l->stop_ns = at_ns;
    }
}

/* True: it is with the disk, or waits for it. */
static bool flush_at_end(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    struct writing *w = l->writing;
    struct io_request *r = &l->request[l->depth - 1]; /* its place in the list of free slots */

    if (w->flushed_at_end || !w->writes)
        return false;
    if (!w->flush_wait_ns)
        w->flush_wait_ns = now_ns;
    put_flush(l, r, now_ns);
    if (l->ops->submit(l->io, r, 1)) {
        l->ops->kick(l->io);
        l->in_flight = 1;
        return true;
    }
    l->slot[r->slot].blocks = 0;
    w->flush = FLUSH_NONE;
    settle(l);
    if (now_ns - w->flush_wait_ns < l->deadline_ns)
        return true;
    NOTE(E_TIMEOUT, "driver to take a flush", l->depth, 0);
    engine_end_broken(e, l, now_ns, "the disk took no flush within its deadline");
    return false;
}

bool engine_write_goes_on(struct engine *e, struct work_lane *l, uint64_t now_ns)
{
    struct writing *w = l->writing;
    uint64_t at_ns = engine_measured_now(e, now_ns) - l->begin_ns;

    if (e->holding)
        return true;
    if (flush_at_end(e, l, now_ns))
        return true;
    if (w->verifying) {
        w->verify_ended = true;
        w->verifying = false;
        w->result.verify_ns = at_ns - w->verify_began_ns;
        w->result.verify_complete = engine_verify_is_done(l);
        settle(l);
        return false;
    }
    if (!w->wants_verify || w->verify_ended || l->ended_early || l->broken)
        return false;
    w->awaits_reset = w->wants_reset;
    if (w->awaits_reset)
        return true;
    l->phase = LANE_VERIFYING;
    l->submitting = 1;
    engine_verify_start(l, at_ns);
    w->op = IO_READ;
    settle(l);
    return true;
}

uint64_t engine_deadline_ns(const struct work_lane *l)
{
    return l->writing && l->writing->flush == FLUSH_SENT ? max_u64(l->deadline_ns, ENGINE_FLUSH_NS)
                                                         : l->deadline_ns;
}

/* ---- completions ---- */
static void count_success(struct work_lane *l, const struct work_slot *s, uint64_t now_ns, uint64_t at_ns)
{
    struct writing *w = l->writing;
    uint64_t latency_ns = now_ns - s->submit_ns;

    l->ios++;
    l->lbas += s->blocks;
    l->told_max_ns = max_u64(l->told_max_ns, latency_ns);
    l->last_ok_ns = at_ns;
    hist_add_value(&l->hist, latency_ns);
    if (w->side) {
        struct side_stats *side = &w->side[s->writes];
        side->ios++;
        side->lbas += s->blocks;
        hist_add(&side->hist, latency_ns);
    }
}

static void take(struct engine *e, struct work_lane *l, const struct io_completion *c, uint64_t now_ns)
{
    struct writing *w = l->writing;
    const struct work_slot *s = &l->slot[c->slot];
    uint64_t at_ns = engine_measured_now(e, now_ns) - l->begin_ns;
    bool sound = true;

    if (c->status)
        engine_odd_completion(e, l, c, now_ns);
    else
        l->retries += c->retries;
    if (w->flush == FLUSH_SENT) {
        flush_came_back(l, now_ns - s->submit_ns, at_ns);
        engine_give_back_slot(l, c->slot);
        settle(l);
        return;
    }
    if (!c->status && (w->verifying || w->checks_reads))
        sound = engine_verify_data(l, s, c->slot);
    if (!c->status && (!w->verifying || w->measured_verify))
        count_success(l, s, now_ns, at_ns);
    engine_give_back_slot(l, c->slot);
    if (!sound)
        engine_end_early(e, l, now_ns, "a block was not as written, and verify_fatal is set");
}

void engine_reap_apart(struct engine *e, struct work_lane *l, unsigned n, uint64_t now_ns)
{
    for (const struct io_completion *c = e->done; c < e->done + n; c++)
        if (c->slot < l->depth && l->slot[c->slot].blocks)
            take(e, l, c, now_ns);
        else
            engine_odd_completion(e, l, c, now_ns);
}

/* ---- results ---- */
void engine_write_tell_sides(struct work_lane *l)
{
    for (unsigned i = 0; l->writing->side && i < 2; i++) {
        struct side_stats *s = &l->writing->side[i];

        if (s->ios == s->told_ios)
            continue;
        engine_series_add(&s->series, l->last_ok_ns,
                          &(struct series_point){ .ios = s->ios - s->told_ios,
                                                  .bytes = (s->lbas - s->told_lbas) * l->lba_bytes,
                                                  .sum_ns = s->hist.sum_ns - s->told_sum_ns });
        s->told_ios = s->ios;
        s->told_lbas = s->lbas;
        s->told_sum_ns = s->hist.sum_ns;
    }
}

void engine_write_forget(struct writing *w)
{
    w->fill_ns = w->flushes = w->flush_sum_ns = w->flush_min_ns = w->flush_max_ns = 0;
    for (unsigned i = 0; w->side && i < 2; i++) {
        struct side_stats *s = &w->side[i];

        s->ios = s->lbas = s->told_ios = s->told_lbas = s->told_sum_ns = 0;
        s->series.count = 0;
        hist_reset(&s->hist);
    }
}

static void fill_side(struct side_stats *s, const struct job *j, uint32_t lba_bytes)
{
    struct step_side *r = &s->result;

    r->ios = s->ios;
    r->bytes = s->lbas * lba_bytes;
    if (!s->hist.count)
        return;
    r->latency_min_ns = s->hist.min_ns;
    r->latency_mean_ns = s->hist.sum_ns / s->hist.count;
    r->latency_max_ns = s->hist.max_ns;
    r->latency_stddev_ns = hist_stddev_ns(&s->hist, r->latency_mean_ns);
    hist_classify(&s->hist, latency_class_ns, LATENCY_CLASS_COUNT, r->latency_class_ios);
    r->percentile_valid = engine_percentiles(&s->hist, r->latency_percentile_ns);
    r->asked = engine_asked(&s->hist, j, &s->asked);
}

void engine_write_fill_result(struct work_lane *l)
{
    struct writing *w = l->writing;
    struct step_writing *r = &w->result;

    for (unsigned i = 0; w->side && i < 2; i++)
        fill_side(&w->side[i], &l->plan->job, l->lba_bytes);
    r->writes = w->writes;
    r->verifies = w->wants_verify || w->checks_reads;
    if (w->writes)
        r->written_bytes = (w->side ? w->side[1].lbas : l->lbas) * l->lba_bytes;
    r->flushes = w->flushes;
    r->flush_mean_ns = w->flushes ? w->flush_sum_ns / w->flushes : 0;
    r->flush_min_ns = w->flush_min_ns;
    r->flush_max_ns = w->flush_max_ns;
    r->fill_ns = w->fill_ns;
    r->verified_bytes = w->verified_lbas * l->lba_bytes;
    if (w->checks_reads) {
        r->verify_ns = l->result.run_ns;
        r->verify_complete = !l->ended_early;
    }
}

void engine_write_merge(struct work_lane *into, struct work_lane *from)
{
    struct writing *a = into->writing, *b = from->writing;

    if (!a || !b)
        return;
    for (unsigned i = 0; a->side && b->side && i < 2; i++) {
        a->side[i].ios += b->side[i].ios;
        a->side[i].lbas += b->side[i].lbas;
        hist_merge(&a->side[i].hist, &b->side[i].hist);
        engine_series_merge(&a->side[i].series, &b->side[i].series);
    }
    a->fill_ns += b->fill_ns;
    if (b->flushes)
        a->flush_min_ns = a->flushes ? min_u64(a->flush_min_ns, b->flush_min_ns) : b->flush_min_ns;
    a->flushes += b->flushes;
    a->flush_sum_ns += b->flush_sum_ns;
    a->flush_max_ns = max_u64(a->flush_max_ns, b->flush_max_ns);
    a->verified_lbas += b->verified_lbas;
    a->result.verify_ns = max_u64(a->result.verify_ns, b->result.verify_ns);
    a->result.verify_complete &= b->result.verify_complete;
    if (b->result.bad_lbas && (!a->result.bad_lbas || b->result.first_bad_lba < a->result.first_bad_lba))
        a->result.first_bad_lba = b->result.first_bad_lba;
    a->result.bad_lbas += b->result.bad_lbas;
    a->result.unwritten_lbas += b->result.unwritten_lbas;
    for (unsigned i = 0; i < VERIFY_KIND_COUNT; i++)
        a->result.bad_kind_lbas[i] += b->result.bad_kind_lbas[i];
    for (unsigned i = 0; i < b->kept && a->kept < LANE_MAX_ERROR_RECORDS; i++)
        a->bad[a->kept++] = b->bad[i];
}

/* ---- looked at from outside ---- */
const struct step_side *engine_side(const struct engine *e, unsigned lane, bool writes)
{
    const struct writing *w = engine_shown(e, lane)->writing;

    return w && w->side ? &w->side[writes].result : NULL;
}

const struct lane_series *engine_side_series(const struct engine *e, unsigned lane, bool writes)
{
    const struct writing *w = engine_shown(e, lane)->writing;

    return w && w->side ? &w->side[writes].series : NULL;
}

const struct step_writing *engine_writing(const struct engine *e, unsigned lane)
{
    const struct writing *w = engine_shown(e, lane)->writing;

    return w ? &w->result : NULL;
}

const struct stamp_finding *engine_bad_blocks(const struct engine *e, unsigned lane, unsigned *count)
{
    const struct writing *w = engine_shown(e, lane)->writing;

    *count = w ? w->kept : 0;
    return w ? w->bad : NULL;
}
