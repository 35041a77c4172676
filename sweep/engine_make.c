#include "engine_lane.h"

/* Requests by their pattern: places and sizes. */

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* What all requests of one call have in common, and how they are put. */
struct maker {
    struct work_slot *slots;
    uint64_t now_ns;
    uint8_t *data; /* of slot 0; the rest: of lanes whose small writes get words of their own */
    size_t slot_bytes;
    uint64_t sequence;
};
static ALWAYS_INLINE void put(struct maker *m, const bool words, struct io_request *r, uint64_t lba,
                              uint32_t blocks)
{
    const unsigned slot = r->slot;

    put_in_slot(&m->slots[slot], r, m->now_ns, lba, blocks);
    if (words)
        engine_put_words(m->data + slot * m->slot_bytes, ++m->sequence, lba);
}

/* The three plain patterns: each makes `count` requests and returns how many LBAs they cover. */
static ALWAYS_INLINE uint64_t make_sequential(struct work_lane *l, struct maker *m, const bool words,
                                              struct io_request *r, unsigned count)
{
    uint64_t lba = l->next_lba, made_lbas = 0;

    while (count) {
        uint32_t blocks = l->block_lbas;
        unsigned run = 1;
        if (lba == l->end_lba) {
            lba = l->first_lba;
            l->wrapped = true;
        }
        uint64_t room = l->end_lba - lba;
        if (room >= (uint64_t)count * blocks)
            run = count;
        else if (blocks > room) /* the odd end of a region is read, too */
            blocks = (uint32_t)room;
        count -= run;
        made_lbas += (uint64_t)run * blocks;
        for (; run; run--, lba += blocks)
            put(m, words, r++, lba, blocks);
    }
    l->next_lba = lba;
    return made_lbas;
}

static ALWAYS_INLINE uint64_t make_random(struct work_lane *l, struct maker *m, const bool words,
                                          struct io_request *r, unsigned count)
{
    const uint64_t first_lba = l->first_lba, whole_blocks = l->whole_blocks;
    const uint32_t blocks = l->block_lbas;
    struct rng rng = l->rng;

    for (unsigned i = 0; i < count; i++)
        put(m, words, r++, first_lba + mul_high_u64(rng_next(&rng), whole_blocks) * blocks, blocks);
    l->rng = rng;
    return (uint64_t)count * blocks;
}

void engine_lane_refill_map(struct work_lane *l)
{
    perm_init(&l->perm, l->whole_blocks, rng_next(&l->rng));
    l->next_index = 0;
}

static ALWAYS_INLINE uint64_t make_permuted(struct work_lane *l, struct maker *m, const bool words,
                                            struct io_request *r, unsigned count)
{
    const uint32_t blocks = l->block_lbas;
    const uint64_t first_lba = l->first_lba, made_lbas = (uint64_t)count * blocks;

    while (count) {
        if (__builtin_expect(l->next_index == l->whole_blocks, 0))
            engine_lane_refill_map(l);
        const struct perm *const perm = &l->perm;
        unsigned run = (unsigned)min_u64(count, l->whole_blocks - l->next_index);
        uint64_t walk = perm_walk(perm, l->next_index);
        count -= run;
        l->next_index += run;
        for (; run; run--)
            put(m, words, r++, first_lba + perm_step(perm, &walk) * blocks, blocks);
    }
    return made_lbas;
}

static ALWAYS_INLINE uint64_t make_plain(struct work_lane *l, unsigned pattern, struct maker *m,
                                         const bool words, struct io_request *r, unsigned count)
{
    if (pattern == PATTERN_PERMUTED)
        return make_permuted(l, m, words, r, count);
    if (pattern == PATTERN_SEQUENTIAL)
        return make_sequential(l, m, words, r, count);
    return make_random(l, m, words, r, count);
}

static __attribute__((noinline)) uint64_t make_with_words(struct work_lane *l, struct io_request *r,
                                                          unsigned count, uint64_t now_ns)
{
    struct maker m = { .slots = l->slot,
                       .now_ns = now_ns,
                       .data = l->io->data.cpu,
                       .slot_bytes = l->io->request_bytes,
                       .sequence = l->writing->sequence };
    uint64_t made_lbas = make_plain(l, l->pattern, &m, true, r, count);

    l->writing->sequence = m.sequence;
    return made_lbas;
}

__attribute__((noinline)) uint64_t engine_make(struct work_lane *l, unsigned pattern, struct io_request *r,
                                               unsigned count, uint64_t now_ns)
{
    struct maker m = { .slots = l->slot, .now_ns = now_ns };

    if (l->words)
        return make_with_words(l, r, count, now_ns);
    if (pattern <= PATTERN_PERMUTED)
        return make_plain(l, pattern, &m, false, r, count);
    if (pattern == PATTERN_MIXED)
        return engine_make_mixed(l, r, count, now_ns);
    if (pattern == PATTERN_STAMPED)
        return engine_make_stamped(l, r, count, now_ns);
    return engine_make_drawn(l, r, count, now_ns);
}
