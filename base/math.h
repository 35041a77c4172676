#ifndef BASE_MATH_H
#define BASE_MATH_H
#include <stddef.h>
#include <stdint.h>

/* floor(a * b / c) through a 128-bit product; UINT64_MAX when it does not fit or c is 0.
 * (libgcc's 128-bit division is not linked: it would use the red zone.) */
uint64_t mul_div_u64(uint64_t a, uint64_t b, uint64_t c);
/* The high half of a 64 x 64 bit product: maps a random word to 0..n-1 without division. */
static inline uint64_t mul_high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}
uint64_t isqrt_u64(uint64_t v); /* floor of the square root */
static inline unsigned log2_u64(uint64_t v) /* floor; v > 0 */ { return 63u - (unsigned)__builtin_clzll(v); }

/* xoshiro-class generator of 64-bit words; never the all-zero state. */
struct rng {
    uint64_t s[2];
};
void rng_seed(struct rng *r, uint64_t seed);
static inline uint64_t rng_next(struct rng *r) /* xorshift128+ */
{
    uint64_t a = r->s[0], b = r->s[1];

    r->s[0] = b;
    a ^= a << 23;
    r->s[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return r->s[1] + b;
}

/* In-place heap sort of n records of `size` bytes; cmp as for qsort. */
void sort_records(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *));

#endif
