#ifndef BASE_BITS_H
#define BASE_BITS_H
#include <stdint.h>

/* A register field is named once, by its bits; reading and building both derive from that name, so
 * that a reader and a writer cannot disagree. */
#define BIT_(n)            (1ull << (n))
#define BITS(hi, lo)       ((~0ull >> (63 - (hi))) & (~0ull << (lo)))
#define FIELD_GET(mask, v) (((uint64_t)(v) & (mask)) >> __builtin_ctzll(mask))
#define FIELD_PUT(mask, v) (((uint64_t)(v) << __builtin_ctzll(mask)) & (mask))
#define FIELD_MAX(mask)    ((mask) >> __builtin_ctzll(mask))

#define ARRAY_COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(v, to) (((v) + ((to)-1)) / (to) * (to))

static inline uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Set bits of v.  (The compiler's builtin calls libgcc, which is not linked.) */
static inline unsigned bit_count_u32(uint32_t v)
{
    unsigned n = 0;

    for (; v; v &= v - 1)
        n++;
    return n;
}

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull
#define KIB       1024ull
#define MIB       (1024ull * KIB)
#define GIB       (1024ull * MIB)

#endif
