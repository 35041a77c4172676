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
uint64_t perm_again_(const struct perm *p, uint64_t i);
static inline uint64_t perm_fold_(const struct perm *p, uint64_t i)
{
    i &= p->mask;
    return i ^ i >> p->shift;
}
static inline uint64_t perm_round_(const struct perm *p, uint64_t product)
{
    uint64_t i = perm_fold_(p, product);

    i = perm_fold_(p, i * p->multiplier[1]);
    return perm_fold_(p, i * p->multiplier[2]);
}
/* What is sent round again is a function of its own: without a loop nothing is worth holding in registers. */
static inline uint64_t perm_at_(const struct perm *p, uint64_t product)
{
    uint64_t i = perm_round_(p, product);

    return __builtin_expect(i < p->count, 1) ? i : perm_again_(p, i);
}
static inline uint64_t perm_at(const struct perm *p, uint64_t i)
{
    return perm_at_(p, (i + p->addend) * p->multiplier[0]);
}
/* Which element lies there: perm_at(p, perm_index_of(p, at)) == at, for at < count.  [any] */
uint64_t perm_index_of(const struct perm *p, uint64_t at);
/* For one element after the other: begins at element i; each step yields an element and goes on to the next.
 */
static inline uint64_t perm_walk(const struct perm *p, uint64_t i)
{
    return (i + p->addend) * p->multiplier[0];
}
static inline uint64_t perm_step(const struct perm *p, uint64_t *walk)
{
    uint64_t at = perm_at_(p, *walk);

    *walk += p->multiplier[0];
    return at;
}

#endif
