#include "hist.h"
#include "bits.h"
#include "math.h"
#include "str.h"

void hist_reset(struct hist *h)
{
    memset(h, 0, sizeof(*h));
    h->min_ns = UINT64_MAX;
}

void hist_merge(struct hist *into, const struct hist *from)
{
    into->count += from->count;
    into->sum_ns += from->sum_ns;
    if (from->min_ns < into->min_ns)
        into->min_ns = from->min_ns;
    if (from->max_ns > into->max_ns)
        into->max_ns = from->max_ns;
    for (unsigned b = 0; b < HIST_BUCKETS; b++)
        into->bucket[b] += from->bucket[b];
}

static uint64_t upper_edge_ns(unsigned bucket)
{
    if (bucket < HIST_SUB)
        return bucket;
    unsigned octave = (bucket >> HIST_SUB_BITS) - 1;
    uint64_t sub = bucket & (HIST_SUB - 1);
    return ((HIST_SUB + sub + 1) << octave) - 1;
}

/* The 1-based place of the percentile in the sorted values: the nearest-rank definition. */
static uint64_t rank_of(const struct hist *h, uint32_t ppm)
{
    if (ppm >= 1000000)
        return h->count;
    uint64_t rank = mul_div_u64(h->count, ppm, 1000000);

    if ((unsigned __int128)rank * 1000000 < (unsigned __int128)h->count * ppm)
        rank++;
    return rank ? rank : 1;
}

uint64_t hist_above(const struct hist *h, uint32_t ppm) { return h->count ? h->count - rank_of(h, ppm) : 0; }

uint64_t hist_percentile_ns(const struct hist *h, uint32_t ppm)
{
    if (!h->count)
        return 0;
    uint64_t above = h->count - rank_of(h, ppm), seen = 0;

    /* From the top: asked for while lanes run, and the interesting percentiles are near the top. */
    for (unsigned b = hist_bucket(h->max_ns) + 1; b-- > 0;) {
        seen += h->bucket[b];
        if (seen > above) {
            uint64_t edge = upper_edge_ns(b);
            return b == HIST_BUCKETS - 1 || edge > h->max_ns ? h->max_ns : edge;
        }
    }
    return h->max_ns;
}

uint64_t hist_count_above(const struct hist *h, uint64_t ns)
{
    uint64_t above = 0;

    for (size_t b = hist_bucket(ns); b < HIST_BUCKETS; b++)
        if (upper_edge_ns((unsigned)b) > ns)
            above += h->bucket[b];
    return above;
}

/* Within what was seen: the smallest and the largest value are known exactly. */
static uint64_t middle_ns(const struct hist *h, unsigned bucket)
{
    uint64_t low = bucket ? upper_edge_ns(bucket - 1) + 1 : 0;
    uint64_t high = bucket == HIST_BUCKETS - 1 ? h->max_ns : min_u64(upper_edge_ns(bucket), h->max_ns);

    low = max_u64(low, h->min_ns);
    return high > low ? low + (high - low) / 2 : low;
}

uint64_t hist_stddev_ns(const struct hist *h, uint64_t mean_ns)
{
    uint64_t variance = 0, widest;
    unsigned shift = 0, grow = 0;

    if (!h->count)
        return 0;
    /* Distances are scaled to 31 bits: their squares fit, and small ones are not lost to rounding. */
    widest = max_u64(h->max_ns - min_u64(h->max_ns, mean_ns), mean_ns - min_u64(mean_ns, h->min_ns));
    if (!widest)
        return 0;
    if (log2_u64(widest) > 30)
        shift = log2_u64(widest) - 30;
    else
        grow = 30 - log2_u64(widest);
    for (unsigned b = hist_bucket(h->min_ns); b <= hist_bucket(h->max_ns); b++) {
        uint64_t at = middle_ns(h, b), distance = at > mean_ns ? at - mean_ns : mean_ns - at;

        distance = min_u64(distance, widest) << grow >> shift;
        if (h->bucket[b])
            variance += mul_div_u64(distance * distance, h->bucket[b], h->count);
    }
    return isqrt_u64(variance) << shift >> grow;
}

void hist_classify(const struct hist *h, const uint64_t *bound, unsigned count, uint64_t *out)
{
    unsigned c = 0;

    memset(out, 0, count * sizeof *out);
    if (!h->count)
        return;
    for (unsigned b = hist_bucket(h->min_ns); b <= hist_bucket(h->max_ns); b++) {
        while (c + 1 < count && middle_ns(h, b) >= bound[c])
            c++;
        out[c] += h->bucket[b];
    }
}
