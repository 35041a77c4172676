#include "steady.h"
#include "bits.h"
#include "math.h"

/* Centred positions, doubled to stay whole: -(n-1), -(n-3) .. n-1. */
static int64_t centred(unsigned i, unsigned count) { return 2 * (int64_t)i - ((int64_t)count - 1); }

static uint64_t size_of(int64_t v) { return v < 0 ? -(uint64_t)v : (uint64_t)v; }

bool steady_pts(const uint64_t *values, unsigned count)
{
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    int64_t line = 0;

    if (count < STEADY_PTS_WINDOW)
        return false;
    values += count - STEADY_PTS_WINDOW;
    for (unsigned i = 0; i < STEADY_PTS_WINDOW; i++) {
        uint64_t v = min_u64(values[i], 1ull << 56);
        least = min_u64(least, v);
        most = max_u64(most, v);
        sum += v;
        line += centred(i, STEADY_PTS_WINDOW) * (int64_t)v;
    }
    /* slope = 2 line / 40, rise over the window = 4 slope = line / 5, mean = sum / 5 */
    return sum && 25 * (most - least) <= sum && 10 * size_of(line) <= sum;
}

static uint64_t mean_of(const uint64_t *values, unsigned count)
{
    uint64_t mean = 0, rest = 0;

    for (unsigned i = 0; i < count; i++) { /* without a sum that could overflow */
        mean += values[i] / count;
        rest += values[i] % count;
    }
    return count ? mean + rest / count : 0;
}

static uint64_t milli(uint64_t v, uint64_t mean, bool is_pct)
{
    return is_pct ? mul_div_u64(v, 100000, mean) : mul_div_u64(v, 1000, 1);
}

uint64_t steady_band_milli(const uint64_t *values, unsigned count, bool is_pct)
{
    uint64_t mean = mean_of(values, count), most = 0;

    if (!mean)
        return UINT64_MAX;
    for (unsigned i = 0; i < count; i++)
        most = max_u64(most, values[i] > mean ? values[i] - mean : mean - values[i]);
    return milli(most, mean, is_pct);
}

uint64_t steady_slope_milli(const uint64_t *values, unsigned count, bool is_pct)
{
    uint64_t mean = mean_of(values, count), squares = 0, most = 0;
    unsigned shift = 0;
    int64_t line = 0;

    if (!mean || count < 2)
        return UINT64_MAX;
    for (unsigned i = 0; i < count; i++)
        most = max_u64(most, values[i]);
    while (most >> shift >> 38) /* 38 + 2 x 12 bits fit a signed word for windows of up to 4096 */
        shift++;
    for (unsigned i = 0; i < count; i++) {
        int64_t x = centred(i, count);
        line += x * (int64_t)(values[i] >> shift);
        squares += (uint64_t)(x * x);
    }
    /* slope = 2 line / squares */
    if (is_pct)
        return mul_div_u64(mul_div_u64(2 * size_of(line), 100000, squares), 1, max_u64(mean >> shift, 1));
    return mul_div_u64(2 * size_of(line), 1000ull << shift, squares);
}
