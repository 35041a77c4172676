#include "perm.h"
#include "math.h"

void perm_init(struct perm *p, uint64_t count, uint64_t seed)
{
    struct rng rng;
    unsigned bits = count > 1 ? log2_u64(count - 1) + 1 : 1;

    rng_seed(&rng, seed);
    p->count = count;
    p->mask = ~0ull >> (64 - bits);
    p->shift = bits / 2 ? bits / 2 : 1;
    p->addend = rng_next(&rng);
    for (unsigned r = 0; r < 3; r++)
        p->multiplier[r] = rng_next(&rng) | 1;
}

uint64_t perm_again_(const struct perm *p, uint64_t i)
{
    do
        i = perm_round_(p, (i + p->addend) * p->multiplier[0]);
    while (i >= p->count);
    return i;
}

/* Each step of perm_at backwards. */
static uint64_t unfold(const struct perm *p, uint64_t i)
{
    uint64_t x = i;

    for (unsigned shift = p->shift; shift < 64; shift += p->shift)
        x = i ^ x >> p->shift;
    return x;
}

/* By Newton: each step doubles the bits that are right. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;

    for (unsigned i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

uint64_t perm_index_of(const struct perm *p, uint64_t at)
{
    uint64_t back[3] = { inverse(p->multiplier[0]), inverse(p->multiplier[1]), inverse(p->multiplier[2]) };

    do { /* what lies outside the range was sent round again */
        at = unfold(p, at) * back[2] & p->mask;
        at = unfold(p, at) * back[1] & p->mask;
        at = (unfold(p, at) * back[0] - p->addend) & p->mask;
    } while (at >= p->count);
    return at;
}
