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
