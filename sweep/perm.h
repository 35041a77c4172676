#ifndef SWEEP_PERM_H
#define SWEEP_PERM_H
#include <stdint.h>

/* A keyed permutation of 0 .. count-1: a random map without repetition that needs no bitmap.  The same
 * seed and count give the same order everywhere. */
struct perm {
    uint64_t count, mask;
    uint64_t multiplier[3], addend[3];
    unsigned shift;
};
/* count >= 1 */
void perm_init(struct perm *p, uint64_t count, uint64_t seed);

/* Where element i (< count) lies.  [any]
 *
 * Each round is a bijection of the next power of two (an odd multiplier, an addend, a folding shift);
 * results outside the range are sent round again, fewer than once on average. */
static inline uint64_t perm_round_(const struct perm *p, unsigned r, uint64_t i)
{
    i = (i * p->multiplier[r] + p->addend[r]) & p->mask;
    return i ^ i >> p->shift;
}
static inline uint64_t perm_at(const struct perm *p, uint64_t i)
{
    do {
        i = perm_round_(p, 0, i);
        i = perm_round_(p, 1, i);
        i = perm_round_(p, 2, i);
    } while (i >= p->count);
    return i;
}

#endif
