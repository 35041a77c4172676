#ifndef SWEEP_PERM_H
#define SWEEP_PERM_H
#include <stdint.h>

/* A keyed permutation of 0 .. count-1: a random map without repetition that needs no bitmap.  The same
 * seed and count give the same order everywhere. */
struct perm {
    uint64_t count, mask;
    uint64_t addend, multiplier[3];
    unsigned shift;
};
/* count >= 1 */
void perm_init(struct perm *p, uint64_t count, uint64_t seed);

/* Where element i (< count) lies.  [any]
 *
 * An addend, then three rounds of an odd multiplier and a folding shift, all bijections of the next power of
 * two; results outside the range are sent round again, fewer than once on average. */
static inline uint64_t perm_round_(const struct perm *p, uint64_t i, unsigned r)
{
    i = i * p->multiplier[r] & p->mask;
    return i ^ i >> p->shift;
}
static inline uint64_t perm_at(const struct perm *p, uint64_t i)
{
    do {
        i = perm_round_(p, perm_round_(p, perm_round_(p, i + p->addend, 0), 1), 2);
    } while (__builtin_expect(i >= p->count, 0));
    return i;
}

#endif
