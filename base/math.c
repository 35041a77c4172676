#include "math.h"

uint64_t mul_div_u64(uint64_t a, uint64_t b, uint64_t c)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product, quotient;

    if (high >= c) /* also c == 0: the processor would raise an exception */
        return UINT64_MAX;
    __asm__("divq %3" : "=a"(quotient), "+d"(high) : "0"(low), "r"(c) : "cc");
    return quotient;
}

uint64_t isqrt_u64(uint64_t v)
{
    uint64_t root = 0, bit = 1ull << 62;

    while (bit > v)
        bit >>= 2;
    for (; bit; bit >>= 2) {
        if (v >= root + bit) {
            v -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return root;
}

/* splitmix64: neighbouring seeds give unrelated states. */
static uint64_t mix_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

void rng_seed(struct rng *r, uint64_t seed)
{
    r->s[0] = mix_next(&seed);
    r->s[1] = mix_next(&seed);
    if (!r->s[0] && !r->s[1])
        r->s[0] = 1;
}

static void swap_records(uint8_t *a, uint8_t *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

static void sift_down(uint8_t *base, size_t root, size_t n, size_t size,
                      int (*cmp)(const void *, const void *))
{
    for (;;) {
        size_t child = 2 * root + 1;

        if (child >= n)
            return;
        if (child + 1 < n && cmp(base + child * size, base + (child + 1) * size) < 0)
            child++;
        if (cmp(base + root * size, base + child * size) >= 0)
            return;
        swap_records(base + root * size, base + child * size, size);
        root = child;
    }
}

void sort_records(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(base, i, n, size, cmp);
    for (size_t left = n; left > 1;) {
        left--;
        swap_records(base, (uint8_t *)base + left * size, size);
        sift_down(base, 0, left, size, cmp);
    }
}
