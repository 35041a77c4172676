#ifndef SWEEP_HIST_H
#define SWEEP_HIST_H
#include <stdint.h>

/* Latency histogram, log-linear: 64 sub-buckets per octave, so a value is known within 1/64 of itself
 * (the scheme is fio's stat.h; the code is ours).  Values below 64 ns are exact. */
enum {
    HIST_SUB_BITS = 6,
    HIST_SUB = 1 << HIST_SUB_BITS,
    HIST_OCTAVES = 37, /* up to 2^42 ns = 73 min */
    HIST_BUCKETS = HIST_SUB * HIST_OCTAVES
};
struct hist {
    uint64_t count, sum_ns, min_ns, max_ns; /* min is UINT64_MAX while empty */
    uint64_t bucket[HIST_BUCKETS];          /* 64 bits: a day at a million a second does not wrap */
};
void hist_reset(struct hist *h);
static inline unsigned hist_bucket(uint64_t ns)
{
    /* The first octave holds the values below 64, too: there sub-bucket and value are the same. */
    unsigned octave = (63u ^ (unsigned)__builtin_clzll(ns | HIST_SUB)) - HIST_SUB_BITS;
    uint64_t b = (octave << HIST_SUB_BITS) + (ns >> octave);
    return __builtin_expect(b < HIST_BUCKETS, 1) ? (unsigned)b : HIST_BUCKETS - 1;
}
static inline void hist_add(struct hist *h, uint64_t ns) /* [any] */
{
    h->count++;
    h->sum_ns += ns;
    if (ns < h->min_ns)
        h->min_ns = ns;
    if (ns > h->max_ns)
        h->max_ns = ns;
    h->bucket[hist_bucket(ns)]++;
}
/* A batch costs less in two steps: each value's bucket by hist_add_bucket, then count, sum and extremes of
 * them all by hist_add_totals. */
static inline void hist_add_bucket(struct hist *h, uint64_t ns) { h->bucket[hist_bucket(ns)]++; } /* [any] */
static inline void hist_add_totals(struct hist *h, uint64_t count, uint64_t sum_ns, uint64_t min_ns,
                                   uint64_t max_ns) /* [any] */
{
    h->count += count;
    h->sum_ns += sum_ns;
    if (min_ns < h->min_ns)
        h->min_ns = min_ns;
    if (max_ns > h->max_ns)
        h->max_ns = max_ns;
}
void hist_merge(struct hist *into, const struct hist *from);
/* The smallest bucket's upper edge (never above max) at or below which at least ppm of all values lie. */
uint64_t hist_percentile_ns(const struct hist *h, uint32_t ppm);
/* How many values lie above that percentile's rank. */
uint64_t hist_above(const struct hist *h, uint32_t ppm);
/* Standard deviation of all values around `mean_ns`; each counts as the middle of its bucket. */
uint64_t hist_stddev_ns(const struct hist *h, uint64_t mean_ns);
/* How many values fall into each class: below bound[i] and in no class before it.  Bounds ascend, the last is
 * UINT64_MAX; a bucket that a bound divides goes where its middle lies. */
void hist_classify(const struct hist *h, const uint64_t *bound, unsigned count, uint64_t *out);

#endif
