#ifndef SWEEP_HIST_H
#define SWEEP_HIST_H
#include <stddef.h>
#include <stdint.h>

/* Latency histogram, log-linear: 64 sub-buckets per octave, so a value is known within 1/64 of itself
 * (the scheme is fio's stat.h; the code is ours).  Values below 64 ns are exact. */
enum {
    HIST_SUB_BITS = 6,
    HIST_SUB = 1 << HIST_SUB_BITS,
    HIST_OCTAVES = 65 - HIST_SUB_BITS, /* all of 64 bits: no value needs a look at the end */
    HIST_BUCKETS = HIST_SUB * HIST_OCTAVES
};
struct hist {
    uint64_t count, sum_ns, min_ns, max_ns; /* min is UINT64_MAX while empty */
    uint64_t bucket[HIST_BUCKETS];          /* 64 bits: a day at a million a second does not wrap */
};
void hist_reset(struct hist *h);
static inline size_t hist_bucket(uint64_t ns)
{
    /* The first octave holds the values below 64, too: there sub-bucket and value are the same. */
    unsigned octave = (63u ^ (unsigned)__builtin_clzll(ns | HIST_SUB)) - HIST_SUB_BITS;
    return ((size_t)octave << HIST_SUB_BITS) + (ns >> octave);
}
/* Values in bulk: each by hist_add_value; how many they were and the largest of them by hist_add_totals,
 * before the histogram is asked for anything.  [any] */
static inline void hist_add_value(struct hist *h, uint64_t ns)
{
    h->sum_ns += ns;
    if (ns < h->min_ns)
        h->min_ns = ns;
    h->bucket[hist_bucket(ns)]++;
}
static inline void hist_add_totals(struct hist *h, uint64_t count, uint64_t max_ns)
{
    h->count += count;
    if (max_ns > h->max_ns)
        h->max_ns = max_ns;
}
static inline void hist_add(struct hist *h, uint64_t ns) /* [any] */
{
    hist_add_value(h, ns);
    hist_add_totals(h, 1, ns);
}
void hist_merge(struct hist *into, const struct hist *from);
/* The smallest bucket's upper edge (never above max) at or below which at least ppm of all values lie. */
uint64_t hist_percentile_ns(const struct hist *h, uint32_t ppm);
/* How many values lie above that percentile's rank. */
uint64_t hist_above(const struct hist *h, uint32_t ppm);
/* How many values are above, a bucket that the bound divides counted whole: up to 1/64 below it. */
uint64_t hist_count_above(const struct hist *h, uint64_t ns);
/* Standard deviation of all values around `mean_ns`; each counts as the middle of its bucket. */
uint64_t hist_stddev_ns(const struct hist *h, uint64_t mean_ns);
/* How many values fall into each class: below bound[i] and in no class before it.  Bounds ascend, the last is
 * UINT64_MAX; a bucket that a bound divides goes where its middle lies. */
void hist_classify(const struct hist *h, const uint64_t *bound, unsigned count, uint64_t *out);

#endif
