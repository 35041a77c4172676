#include "fio_json.h"
#include "bits.h"
#include "math.h"
#include "series_walk.h"
#include "str.h"

/* Rates are kept in thousandths of their unit. */
struct walk {
    struct series_walk points;
    enum series_value of;
    uint64_t scale;
};

static bool walk_start(struct walk *w, const struct journal_line *series, const char *key, uint64_t run_ns)
{
    bool bytes = str_equal(key, "bytes");

    /* KiB: 1000 / 1024 thousandths per byte and second. */
    w->scale = bytes ? 1000 * NS_PER_S / KIB : 1000 * NS_PER_S;
    w->of = bytes ? SERIES_BYTES : SERIES_IOS;
    series_walk_start(&w->points, series, run_ns);
    return w->points.has[w->of];
}

static bool walk_next(struct walk *w, uint64_t *milli)
{
    struct series_step s;

    if (!series_walk_next(&w->points, &s) || !w->points.has[w->of])
        return false;
    *milli = mul_div_u64(s.value[w->of], w->scale, s.length_ns);
    return true;
}

/* Root of the mean square of the distances from the mean, which are scaled to 31 bits. */
static uint64_t deviation(struct walk w, uint64_t mean, uint64_t widest, uint64_t count)
{
    uint64_t sum = 0, milli;
    unsigned shift = widest >> 31 ? log2_u64(widest) - 30 : 0;
    unsigned grow = widest >> 31 || !widest ? 0 : 30 - log2_u64(widest);

    while (walk_next(&w, &milli)) {
        uint64_t distance = (milli > mean ? milli - mean : mean - milli) << grow >> shift;
        sum += distance * distance / count;
    }
    return isqrt_u64(sum) << shift >> grow;
}

static uint64_t to_micro(uint64_t milli) { return milli > UINT64_MAX / 1000 ? UINT64_MAX : milli * 1000; }

void fio_samples_of(const struct journal_line *series, const char *key, uint64_t run_ns,
                    struct fio_samples *out)
{
    struct walk w, again;
    uint64_t milli, min = UINT64_MAX, max = 0, mean = 0, rest = 0;

    *out = (struct fio_samples){ 0 };
    if (!series || !walk_start(&w, series, key, run_ns))
        return;
    for (again = w; walk_next(&again, &milli);) {
        out->count++;
        min = min_u64(min, milli);
        max = max_u64(max, milli);
    }
    if (!out->count)
        return;
    for (again = w; walk_next(&again, &milli);) {
        rest += milli % out->count;
        mean += milli / out->count + rest / out->count;
        rest %= out->count;
    }
    out->min = min / 1000;
    out->max = max / 1000;
    out->mean_micro = to_micro(mean);
    out->stddev_micro = to_micro(deviation(w, mean, max_u64(max - mean, mean - min), out->count));
}
