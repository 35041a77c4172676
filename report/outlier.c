#include "outlier.h"
#include "bits.h"
#include "math.h"
#include "step.h"
#include "str.h"

/* A host-bound number stays in: what the program costs brings peers together, it does not make one odd. */
enum {
    NOT_COMPARABLE =
        FLAG_FIRMWARE_PATH | FLAG_TOO_SHORT | FLAG_ERRORS | FLAG_ENDED_EARLY | FLAG_CLOCK_UNCERTAIN
};
const struct outlier_metric_row outlier_metrics[OUTLIER_METRIC_COUNT] = {
    { "rate", "slow", "fast", "moves fewer bytes per second than its peers", true, 100, NOT_COMPARABLE },
    { "tail_p99", "long tail", "short tail",
      "the slowest hundredth of its requests took longer than its throughput explains", false, 1000,
      NOT_COMPARABLE | FLAG_POLL_GAP },
    { "tail_p999", "long tail", "short tail",
      "the slowest thousandth of its requests took longer than its throughput explains", false, 1000,
      NOT_COMPARABLE | FLAG_POLL_GAP },
};

uint64_t outlier_tail_milli(uint64_t latency_ns, uint64_t iops_milli, uint32_t depth)
{
    /* ns x 1/1000 per s = 10^-12; thousandths of that. */
    return depth ? mul_div_u64(latency_ns, iops_milli, depth * NS_PER_S) : 0;
}

/* ---- limits ---- */
struct limit_row {
    uint16_t peers;
    uint32_t z_milli, interval_milli;
};
/* Quantiles of 6 000 000 simulated normal values (z: 1 - 10^-4, from 24 on 1 - 10^-5) and of 100 000 to 400
 * 000 simulated medians in units of their estimated standard error (interval: 99 %), rounded up. */
static const struct limit_row limits[] = {
    { 5, 97000, 12300 }, { 6, 29500, 6900 }, { 8, 17000, 5200 }, { 10, 12500, 4400 }, { 12, 10000, 4000 },
    { 16, 8000, 3550 },  { 24, 8200, 3200 }, { 32, 6800, 3000 }, { 64, 5500, 2750 },  { 128, 4950, 2700 },
};

static const struct limit_row *limit_for(size_t n)
{
    const struct limit_row *row = &limits[0];

    for (unsigned i = 1; i < ARRAY_COUNT(limits) && limits[i].peers <= n; i++)
        row = &limits[i];
    return row;
}

uint64_t outlier_limit_z_milli(size_t peers) { return limit_for(peers)->z_milli; }
uint64_t outlier_interval_milli(size_t n) { return limit_for(n)->interval_milli; }

/* ---- median and median deviation ---- */
static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static uint64_t median_of(uint64_t *values, size_t count)
{
    uint64_t low, high;

    sort_records(values, count, sizeof values[0], compare_u64);
    low = values[(count - 1) / 2];
    high = values[count / 2];
    return low + (high - low) / 2;
}

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

struct outlier_centre outlier_centre(uint64_t *values, size_t count)
{
    struct outlier_centre c = { .median = median_of(values, count) };

    for (size_t i = 0; i < count; i++)
        values[i] = distance(values[i], c.median);
    c.deviation = median_of(values, count);
    return c;
}

/* ---- groups ---- */
static int compare_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (uint8_t)*a - (uint8_t)*b;
}

static int compare_peers(const struct outlier_peers *a, const struct outlier_peers *b)
{
    int order;

    if (a == b)
        return 0;
    order = compare_text(a->model, b->model);
    order = order ? order : compare_text(a->firmware, b->firmware);
    order = order ? order : compare_u64(&a->size_bytes, &b->size_bytes);
    order = order ? order : compare_text(a->link, b->link);
    order = order ? order : compare_text(a->policy, b->policy);
    order = order ? order : compare_text(a->job, b->job);
    order = order ? order : compare_text(a->rw, b->rw);
    if (!order && a->block_bytes != b->block_bytes)
        order = a->block_bytes < b->block_bytes ? -1 : 1;
    if (!order && a->depth != b->depth)
        order = a->depth < b->depth ? -1 : 1;
    return order;
}

static int compare_cells(const void *a, const void *b)
{
    const struct outlier_cell *x = a, *y = b;
    int order = compare_peers(x->peers, y->peers);

    if (!order && x->drive != y->drive)
        order = x->drive < y->drive ? -1 : 1;
    return order;
}

struct search {
    void (*found)(void *ctx, const struct outlier *o);
    void *ctx;
    uint64_t *scratch;
    struct outlier_counts *counts;
};

static bool is_usable(const struct outlier_cell *c, enum outlier_metric m)
{
    return c->value[m] && !(c->flags & outlier_metrics[m].unusable_flags);
}

static void judge_value(struct search *s, struct outlier *o)
{
    const struct outlier_metric_row *row = &outlier_metrics[o->metric];
    uint64_t spread = max_u64(o->deviation, mul_div_u64(o->median, OUTLIER_LEAST_SPREAD_PERMILLE, 1000));
    uint64_t far;

    o->value = o->cell->value[o->metric];
    far = distance(o->value, o->median);
    /* 0.6745 median deviations are one standard deviation of a normal distribution. */
    o->z_milli = mul_div_u64(far, 6745, max_u64(mul_div_u64(spread, 10, 1), 1));
    o->effect_permille = mul_div_u64(far, 1000, max_u64(o->median, 1));
    o->worse = (o->value < o->median) == row->low_is_worse;
    if (o->z_milli < outlier_limit_z_milli(o->peers) || o->effect_permille < row->least_effect_permille)
        return;
    s->counts->odd++;
    s->found(s->ctx, o);
}

static void judge_group(struct search *s, const struct outlier_cell *cells, size_t count,
                        enum outlier_metric m)
{
    struct outlier o = { .metric = m };
    struct outlier_centre centre;
    size_t measured = 0;

    for (size_t i = 0; i < count; i++) {
        measured += cells[i].value[m] != 0;
        if (is_usable(&cells[i], m))
            s->scratch[o.peers++] = cells[i].value[m];
    }
    s->counts->not_usable += measured - o.peers;
    if (o.peers < OUTLIER_LEAST_PEERS) {
        s->counts->too_few_peers += o.peers;
        return;
    }
    centre = outlier_centre(s->scratch, o.peers);
    o.median = centre.median;
    o.deviation = centre.deviation;
    s->counts->judged += o.peers;
    for (size_t i = 0; i < count; i++)
        if (is_usable(&cells[i], m)) {
            o.cell = &cells[i];
            judge_value(s, &o);
        }
}

void outlier_find(struct outlier_cell *cells, size_t count, uint64_t *scratch,
                  void (*found)(void *ctx, const struct outlier *o), void *ctx, struct outlier_counts *counts)
{
    struct search s = { found, ctx, scratch, counts };

    *counts = (struct outlier_counts){ 0 };
    sort_records(cells, count, sizeof cells[0], compare_cells);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && !compare_peers(cells[begin].peers, cells[end].peers);)
            end++;
        counts->groups++;
        counts->groups_too_small += end - begin < OUTLIER_LEAST_PEERS;
        for (unsigned m = 0; m < OUTLIER_METRIC_COUNT; m++)
            judge_group(&s, cells + begin, end - begin, (enum outlier_metric)m);
    }
}

/* ---- differences ---- */
enum { PPM = 1000000, ERROR_CAP_PPM = 60 * PPM, DIFFERENCE_CAP_PPM = 1000 * PPM };

/* Of a median, in millionths of `base`.  1.858 median deviations over the root of n: 1.4826 makes a median
 * deviation a standard deviation, 1.2533 that of a mean one of a median. */
static uint64_t standard_error_ppm(uint64_t deviation, size_t n, uint64_t base)
{
    uint64_t in_ppm = min_u64(mul_div_u64(deviation, PPM, base), DIFFERENCE_CAP_PPM);

    return min_u64(in_ppm * 1858 / isqrt_u64((uint64_t)n * PPM), ERROR_CAP_PPM);
}

static int64_t difference_ppm(uint64_t a, uint64_t b)
{
    int64_t far = (int64_t)min_u64(mul_div_u64(distance(a, b), PPM, a), DIFFERENCE_CAP_PPM);

    return b < a ? -far : far;
}

static void judge_difference(struct outlier_difference *d)
{
    uint64_t far = (uint64_t)(d->ppm < 0 ? -d->ppm : d->ppm);

    d->differs = d->known && far > d->plus_minus_ppm && far >= OUTLIER_DIFFERENCE_LEAST_PPM;
}

struct outlier_difference outlier_compare(uint64_t *a, size_t n_a, uint64_t *b, size_t n_b)
{
    struct outlier_difference d = { .n_a = n_a, .n_b = n_b };
    struct outlier_centre ca = { 0 }, cb = { 0 };
    uint64_t error_a, error_b;

    if (n_a)
        ca = outlier_centre(a, n_a);
    if (n_b)
        cb = outlier_centre(b, n_b);
    d.median_a = ca.median;
    d.median_b = cb.median;
    if (!n_a || !n_b || !ca.median)
        return d;
    d.ppm = difference_ppm(ca.median, cb.median);
    d.known = min_u64(n_a, n_b) >= OUTLIER_DIFFERENCE_LEAST;
    if (!d.known)
        return d;
    error_a = standard_error_ppm(ca.deviation, n_a, ca.median);
    error_b = standard_error_ppm(cb.deviation, n_b, ca.median);
    d.plus_minus_ppm =
        isqrt_u64(error_a * error_a + error_b * error_b) * outlier_interval_milli(min_u64(n_a, n_b)) / 1000;
    judge_difference(&d);
    return d;
}

struct outlier_difference outlier_compare_pairs(uint64_t *a, uint64_t *b, size_t n, uint64_t *scratch)
{
    struct outlier_difference d = { .n_a = n, .n_b = n };
    struct outlier_centre c;
    size_t usable = 0;

    for (size_t i = 0; i < n; i++)
        if (a[i]) /* shifted up: a difference has a sign, and what is sorted has none */
            scratch[usable++] = (uint64_t)(difference_ppm(a[i], b[i]) + DIFFERENCE_CAP_PPM);
    if (n) {
        d.median_a = median_of(a, n);
        d.median_b = median_of(b, n);
    }
    if (!usable)
        return d;
    c = outlier_centre(scratch, usable);
    d.ppm = (int64_t)c.median - DIFFERENCE_CAP_PPM;
    d.known = usable >= OUTLIER_DIFFERENCE_LEAST;
    if (!d.known)
        return d;
    d.plus_minus_ppm = standard_error_ppm(c.deviation, usable, PPM) * outlier_interval_milli(usable) / 1000;
    judge_difference(&d);
    return d;
}
