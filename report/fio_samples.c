#include "fio_json.h"
#include "bits.h"
#include "math.h"
#include "str.h"

/* Rates are kept in thousandths of their unit. */
struct walk {
    struct json_value points;
    size_t cursor;
    uint64_t interval_ns, run_ns, at_ns, scale;
};

static bool walk_start(struct walk *w, const struct journal_line *series, const char *key, uint64_t run_ns)
{
    /* KiB: 1000 / 1024 thousandths per byte and second. */
    *w = (struct walk){ .interval_ns = event_u64(series, "interval_ns"),
                        .run_ns = run_ns,
                        .scale = str_equal(key, "bytes") ? 1000 * NS_PER_S / KIB : 1000 * NS_PER_S };
    return json_member(&series->body, key, &w->points) && w->points.kind == JSON_ARRAY && w->interval_ns;
}

/* The rate of the next point.  The last one may have lasted for less than an interval. */
static bool walk_next(struct walk *w, uint64_t *milli)
{
    struct json_value v;
    uint64_t count, length_ns;

    if (w->at_ns >= w->run_ns || !json_next(&w->points, &w->cursor, NULL, &v) || !json_to_u64(&v, &count))
        return false;
    length_ns = min_u64(w->interval_ns, w->run_ns - w->at_ns);
    if (length_ns < w->interval_ns / 2 && w->at_ns)
        return false;
    w->at_ns += length_ns;
    *milli = mul_div_u64(count, w->scale, length_ns);
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
