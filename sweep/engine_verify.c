#include "engine_lane.h"
#include "str.h"

/* Stamps: requests in an order from which it follows what was written where, and when last; and the reading
 * back.  Block n of the region is block_lbas long, the last one perhaps shorter.  A pass goes over all blocks
 * once, in order or by a map that follows from the seed and the pass; the next one begins when all of it was
 * answered, so that two writes of one block are never in flight together.
 *
 * Of a random mix each pass goes over all blocks, and a draw by seed, pass and place in the pass says whether
 * the block is read or written; of a sequential one only the writes count. */

_Static_assert((unsigned)STAMP_KIND_COUNT == (unsigned)VERIFY_KIND_COUNT, "result/step.h counts them");

static bool is_random(const struct work_lane *l) { return job_rw_is_random(l->plan->job.rw); }

static uint64_t map_seed(const struct work_lane *l, uint32_t pass)
{
    return l->plan->job.randseed + (pass + 1ull) * 0x9e3779b97f4a7c15ull;
}

static bool is_drawn_write(const struct work_lane *l, uint32_t pass, uint64_t index)
{
    uint64_t x = (map_seed(l, pass) ^ index) * 0xd6e8feb86659fd93ull;

    if (!job_rw_is_mix(l->plan->job.rw))
        return true;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    uint64_t below = l->writing->read_below;
    return below != UINT64_MAX && x >= below;
}

/* As far as the job would have come by bytes; one that ends by time alone: the region once. */
static void assume_written(struct work_lane *l)
{
    struct writing *w = l->writing;
    uint64_t span = is_random(l) ? w->per_pass * l->block_lbas : l->end_lba - l->first_lba;
    uint64_t lbas = l->planned_lbas == UINT64_MAX ? span : max_u64(l->planned_lbas, 1);
    uint64_t passes = (lbas - 1) / span, rest = lbas - passes * span;

    w->pass += (uint32_t)passes;
    w->index = (rest + l->block_lbas - 1) / l->block_lbas;
    perm_init(&l->perm, w->per_pass, map_seed(l, w->pass));
}

void engine_stamp_begin(struct work_lane *l)
{
    struct writing *w = l->writing;
    const struct job *j = &l->plan->job;
    uint64_t span = l->end_lba - l->first_lba;

    w->key = (struct stamp_key){ .job = stamp_job_of(j),
                                 .seed = l->plan->stamp_run,
                                 .lba_bytes = l->lba_bytes,
                                 .plain = j->verify == JOB_VERIFY_PATTERN,
                                 .fill = j->stamp_fill,
                                 .any_job = w->checks_reads,
                                 .any_seed = j->verify_only && !l->plan->stamp_run };
    if (w->checks_reads)
        return;
    w->read_below = j->mix_read_pct >= 100 ? UINT64_MAX : UINT64_MAX / 100 * j->mix_read_pct;
    w->per_pass = is_random(l) ? l->whole_blocks : (span + l->block_lbas - 1) / l->block_lbas;
    w->cursor_lba[0] = l->first_lba;
    l->pattern = PATTERN_STAMPED;
    perm_init(&l->perm, w->per_pass, map_seed(l, w->pass));
    if (j->verify_only)
        assume_written(l);
}

static uint64_t lba_of(const struct work_lane *l, uint64_t block, uint32_t *blocks)
{
    uint64_t lba = l->first_lba + block * l->block_lbas;

    *blocks = (uint32_t)min_u64(l->block_lbas, l->end_lba - lba);
    return lba;
}

unsigned engine_stamp_allows(struct work_lane *l, unsigned room)
{
    struct writing *w = l->writing;

    if (w->index == w->per_pass) {
        if (l->in_flight || l->waiting)
            return 0;
        w->index = 0;
        w->pass++;
        l->wrapped = !is_random(l);
        perm_init(&l->perm, w->per_pass, map_seed(l, w->pass));
    }
    return (unsigned)min_u64(room, w->per_pass - w->index);
}

/* The reads of a sequential mix go on by themselves. */
static uint64_t next_read(struct work_lane *l, uint32_t *blocks)
{
    uint64_t *at = &l->writing->cursor_lba[0], lba;

    if (*at == l->end_lba)
        *at = l->first_lba;
    lba = *at;
    *blocks = (uint32_t)min_u64(l->block_lbas, l->end_lba - lba);
    *at += *blocks;
    return lba;
}

uint64_t engine_make_stamped(struct work_lane *l, struct io_request *r, unsigned count, uint64_t now_ns)
{
    struct writing *w = l->writing;
    bool random = is_random(l), mix = job_rw_is_mix(l->plan->job.rw);
    uint64_t made_lbas = 0;

    for (; count; count--, r++) {
        struct work_slot *s = &l->slot[r->slot];
        bool writes = random ? is_drawn_write(l, w->pass, w->index)
                             : !mix || (w->read_below != UINT64_MAX && rng_next(&l->rng) >= w->read_below);
        uint32_t blocks;
        uint64_t lba;
        if (!random && !writes)
            lba = next_read(l, &blocks);
        else
            lba = lba_of(l, random ? perm_at(&l->perm, w->index) : w->index, &blocks);
        w->index += random || writes;
        put_request(l->slot, r, now_ns, lba, blocks);
        r->op = writes ? IO_WRITE : IO_READ;
        s->writes = writes;
        s->pass = w->pass;
        made_lbas += blocks;
        w->written_lbas += writes ? blocks : 0;
    }
    return made_lbas;
}

void engine_write_unmake(struct work_lane *l)
{
    struct writing *w = l->writing;

    if (!w->stamped || w->verifying)
        return;
    for (unsigned i = 0; i < l->waiting; i++) {
        bool writes = l->request[i].op == IO_WRITE;
        if (l->request[i].op == IO_FLUSH)
            continue;
        w->index -= is_random(l) || writes;
        w->written_lbas -= writes ? l->request[i].blocks : 0;
    }
    if (w->flush == FLUSH_SENT && !l->in_flight)
        w->flush = FLUSH_NONE;
}

/* ---- reading back ---- */
/* The pass that wrote a block last; false: none did. */
static bool last_writer(struct work_lane *l, uint64_t block, uint32_t *pass)
{
    struct writing *w = l->writing;

    *pass = w->pass;
    if (!is_random(l)) {
        if (block < w->index)
            return true;
        return (*pass)-- > 0;
    }
    uint64_t index = perm_index_of(&l->perm, block);
    if (index < w->index && is_drawn_write(l, *pass, index))
        return true;
    while ((*pass)-- > 0) {
        if (!job_rw_is_mix(l->plan->job.rw))
            return true;
        if (w->past_pass != *pass || !w->past.count) {
            perm_init(&w->past, w->per_pass, map_seed(l, *pass));
            w->past_pass = *pass;
        }
        if (is_drawn_write(l, *pass, perm_index_of(&w->past, block)))
            return true;
    }
    return false;
}

void engine_verify_start(struct work_lane *l, uint64_t at_ns)
{
    struct writing *w = l->writing;

    w->verifying = true;
    w->verify_at = 0;
    w->verify_began_ns = at_ns;
    w->measured_stop_ns = l->stop_ns;
    w->measured_gap_ns = l->gap_ns;
    w->measured_busy_ns = l->busy_ns;
    if (w->measured_verify)
        return;
    l->waiting = 0;
}

unsigned engine_verify_make(struct work_lane *l, struct io_request *r, unsigned room, uint64_t now_ns)
{
    struct writing *w = l->writing;
    unsigned made = 0;

    while (made < room && w->verify_at < w->per_pass) {
        uint64_t block = l->plan->job.verify_reverse ? w->per_pass - 1 - w->verify_at : w->verify_at;
        uint32_t pass, blocks;
        w->verify_at++;
        if (!last_writer(l, block, &pass))
            continue;
        uint64_t lba = lba_of(l, block, &blocks);
        put_request(l->slot, r, now_ns, lba, blocks);
        r->op = IO_READ;
        l->slot[r->slot].writes = 0;
        l->slot[r->slot].pass = pass;
        engine_poison(l, r);
        made++;
        r++;
    }
    return made;
}

bool engine_verify_is_done(const struct work_lane *l)
{
    return l->writing->verify_at == l->writing->per_pass;
}

void engine_poison(struct work_lane *l, const struct io_request *r)
{
    static const uint64_t poison = 0x64656e6f73696f70ull; /* "poisoned" */
    uint8_t *data = lane_data(l->io, r->slot);

    for (uint32_t i = 0; i < r->blocks; i++, data += l->lba_bytes)
        __builtin_memcpy(data, &poison, sizeof(poison));
}

void engine_verify_note_failed(struct work_lane *l, const struct work_slot *s)
{
    struct writing *w = l->writing;

    if (!w->stamped || !s->writes || w->verifying || w->failed_count == ENGINE_FAILED_MAX)
        return;
    w->failed[w->failed_count].lba = s->lba;
    w->failed[w->failed_count].blocks = s->blocks;
    w->failed[w->failed_count++].pass = s->pass;
}

/* The write that should have left this here failed, and was counted as an error. */
static bool is_of_failed_write(const struct writing *w, uint64_t lba)
{
    for (unsigned i = 0; i < w->failed_count; i++)
        if (lba - w->failed[i].lba < w->failed[i].blocks && w->failed[i].pass == w->key.pass)
            return true;
    return false;
}

static void keep(struct writing *w, const struct stamp_finding *f)
{
    if (!w->result.bad_lbas || f->lba < w->result.first_bad_lba)
        w->result.first_bad_lba = f->lba;
    w->result.bad_lbas++;
    w->result.bad_kind_lbas[f->kind]++;
    if (w->kept < LANE_MAX_ERROR_RECORDS)
        w->bad[w->kept++] = *f;
}

bool engine_verify_data(struct work_lane *l, const struct work_slot *s, unsigned slot)
{
    struct writing *w = l->writing;
    const uint8_t *data = lane_data(l->io, slot);
    uint32_t at = 0;
    bool sound = true;

    w->key.pass = s->pass;
    w->verified_lbas += s->blocks;
    for (uint32_t i = 0; w->key.any_seed && i < s->blocks; i++)
        stamp_take_seed(&w->key, s->lba + i, data + (size_t)i * l->lba_bytes);
    for (;;) {
        struct stamp_finding f;
        at += stamp_check(&w->key, s->lba + at, s->blocks - at, data + (size_t)at * l->lba_bytes);
        if (at == s->blocks)
            return sound || !l->plan->job.verify_fatal;
        if (is_of_failed_write(w, s->lba + at)) {
            w->result.unwritten_lbas++;
        } else {
            stamp_look(&w->key, s->lba + at, data + (size_t)at * l->lba_bytes, &f);
            keep(w, &f);
            sound = false;
        }
        at++;
    }
}
