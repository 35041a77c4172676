#ifndef REPORT_OUTLIER_H
#define REPORT_OUTLIER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which drive is the odd one among its peers: for the drives of one machine and for those of a rack.
 *
 * Peers did the same work with the same kind of drive: model, firmware, size, link, RAID policy, job,
 * pattern, block size and depth are equal.  Of each measurement three values are judged:
 *
 *   rate       bytes per second.  Below the peers: slow.
 *   tail_p99   how much longer the slowest hundredth took than the throughput explains.  With `depth`
 * requests in tail_p999  flight the mean latency is depth / IOPS (Little's law), so latency x IOPS / depth is
 * a pure number that says how the tail stands to the throughput: a drive that is merely slower has the same,
 * one that fails now and then and catches up has a larger one.  This is the curve of latency over throughput,
 * and the slow-down ratio against it, of Perseus (Lu et al., FAST '23); there the curve is fitted because the
 * load varies, here the job fixes the load and the curve is known.
 *
 * A value is odd when it is far from the median of its peers, both measured in their spread (robust z:
 * distance x 0.6745 / median absolute deviation) and in itself (the effect, thousandths of the median).  Both
 * limits and what they cost in false alarms: outlier_limit_z_milli. */
enum outlier_metric { OUTLIER_RATE, OUTLIER_TAIL_P99, OUTLIER_TAIL_P999, OUTLIER_METRIC_COUNT };
struct outlier_metric_row {
    const char *name;          /* "rate" */
    const char *worse, *other; /* the sign in a word or two: "slow", "fast" */
    const char *meaning;       /* a sentence for a person */
    bool low_is_worse;
    uint32_t least_effect_permille; /* smaller differences are nobody's concern */
    uint32_t unusable_flags;        /* enum step_flag: not judged when one of them is set */
};
extern const struct outlier_metric_row outlier_metrics[OUTLIER_METRIC_COUNT];

struct outlier_peers {
    const char *model, *firmware, *link, *policy, *job, *rw; /* "" when not known; never NULL */
    uint64_t size_bytes;
    uint32_t block_bytes, depth;
};
struct outlier_cell {
    const struct outlier_peers *peers;    /* equal by content; sharing one struct makes it faster */
    uint32_t drive;                       /* the caller's number for it */
    uint32_t flags;                       /* enum step_flag */
    uint64_t value[OUTLIER_METRIC_COUNT]; /* 0: was not measured */
};
/* latency x IOPS / depth in thousandths; 0 when one of them is 0, UINT64_MAX when it does not fit. */
uint64_t outlier_tail_milli(uint64_t latency_ns, uint64_t iops_milli, uint32_t depth);

/* From how many peers on (the drive itself counted) anything is said. */
enum { OUTLIER_LEAST_PEERS = 6, OUTLIER_LIMIT_PEERS_MAX = 128 };
/* The robust z, in thousandths, from which a value among `peers` is odd; it does not change any more above
 * OUTLIER_LIMIT_PEERS_MAX.  Made so that of values that vary by chance alone (normal distribution) fewer than
 * one in 10 000 is beyond it among fewer than 24 peers, and fewer than one in 100 000 among more: the median
 * deviation of few values is itself a matter of chance.  The least effect lowers both further. */
uint64_t outlier_limit_z_milli(size_t peers);
/* Deviations below this part of the median are not resolved (the latency histogram has steps of 1/64): the
 * spread of peers is never taken for less. */
enum { OUTLIER_LEAST_SPREAD_PERMILLE = 10 };

struct outlier_centre {
    uint64_t median;    /* of an even number: half way between the two in the middle, rounded down */
    uint64_t deviation; /* median absolute deviation */
};
/* Sorts values[0..count) and uses them up; count >= 1. */
struct outlier_centre outlier_centre(uint64_t *values, size_t count);

struct outlier {
    const struct outlier_cell *cell;
    enum outlier_metric metric;
    bool worse; /* in the direction of outlier_metrics[].worse */
    uint64_t value, median, deviation, z_milli, effect_permille;
    size_t peers;
};
struct outlier_counts {
    uint64_t groups, groups_too_small;
    uint64_t judged, too_few_peers, not_usable; /* values; those that were not measured count in none */
    uint64_t odd;
};
/* Sorts cells by peers and calls found for each odd value, group by group.  scratch has room for `count`
 * values. Equal input in whatever order gives the same set of outliers. */
void outlier_find(struct outlier_cell *cells, size_t count, uint64_t *scratch,
                  void (*found)(void *ctx, const struct outlier *o), void *ctx,
                  struct outlier_counts *counts);

/* ---- is there a difference between two sets of values? ---- */
struct outlier_difference {
    size_t n_a, n_b; /* paired: equal */
    uint64_t median_a, median_b;
    int64_t ppm;             /* of b against a, in millionths of a */
    uint64_t plus_minus_ppm; /* the true difference lies within with 99 % */
    bool known;              /* enough values, and a's median is not 0 */
    bool differs;            /* known, beyond the uncertainty, and large enough to matter */
};
enum { OUTLIER_DIFFERENCE_LEAST = 5, OUTLIER_DIFFERENCE_LEAST_PPM = 10000 };
/* How many standard errors of a median, in thousandths, an interval of 99 % has for `n` values. */
uint64_t outlier_interval_milli(size_t n);
/* Two independent sets; both are sorted and used up. */
struct outlier_difference outlier_compare(uint64_t *a, size_t n_a, uint64_t *b, size_t n_b);
/* The same n things measured twice: a[i] and b[i] belong together, so what makes the things differ from each
 * other is no uncertainty.  All three arrays are used up; scratch has room for n. */
struct outlier_difference outlier_compare_pairs(uint64_t *a, uint64_t *b, size_t n, uint64_t *scratch);

#endif
