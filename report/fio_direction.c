#include "bits.h"
#include "fio_json.h"
#include "fio_pen.h"
#include "math.h"
#include "step.h"
#include "str.h"
#include "summary.h"

/* What was read, written and flushed in one job. */

static void put_percentile(struct fio_pen *j, uint32_t ppm, uint64_t ns)
{
    char name[16];
    struct text t = text_over(name, sizeof name);

    text_fixed(&t, ppm, 4);
    text_str(&t, "00");
    fio_put_u64(j, name, ns);
}

/* The percentiles that the job asked for, or (also with l NULL) the usual ones; ascending, as fio's keys do.
 */
static unsigned percentiles_of(const struct journal_line *l, uint32_t ppm[static PERCENTILE_LIST_MAX])
{
    struct json_value list, one;
    unsigned count = 0;
    size_t cursor = 0;
    uint64_t v;

    if (l && json_member(&l->body, "percentile_list_ppm", &list) && list.kind == JSON_ARRAY)
        while (count < PERCENTILE_LIST_MAX && json_next(&list, &cursor, NULL, &one))
            if (json_to_u64(&one, &v) && v <= PPM_OF_ALL && v > (count ? ppm[count - 1] : 0))
                ppm[count++] = (uint32_t)v;
    if (count)
        return count;
    memcpy(ppm, percentile_ppm, sizeof percentile_ppm);
    return PERCENTILE_COUNT;
}

void fio_put_percentile_list(struct fio_pen *j, const struct journal_line *l)
{
    uint32_t list[PERCENTILE_LIST_MAX];
    unsigned count = percentiles_of(l, list);

    fio_put_key(j, "percentile_list");
    pen_str(&j->pen, "\"");
    for (unsigned i = 0; i < count; i++) {
        uint32_t ppm = list[i];
        unsigned decimals = 4;

        for (; decimals && ppm % 10 == 0; decimals--)
            ppm /= 10;
        pen_str(&j->pen, i ? ":" : "");
        pen_fixed(&j->pen, ppm, decimals);
    }
    pen_str(&j->pen, "\"");
}

static void put_percentiles(struct fio_pen *j, const struct journal_line *l)
{
    struct json_value all, one;
    bool have = json_member(&l->body, "latency_percentile_ns", &all);
    uint32_t list[PERCENTILE_LIST_MAX];
    unsigned count = percentiles_of(l, list);
    size_t cursor = 0;
    char ppm[12];

    /* As fio does when it has none. */
    if (!j->every_percentile && !(have && json_next(&all, &cursor, NULL, &one)))
        return;
    fio_begin(j, "percentile", "{");
    for (unsigned i = 0; i < count; i++) {
        uint64_t ns;

        str_fmt(ppm, sizeof ppm, "%u", list[i]);
        if (have && json_member(&all, ppm, &one) && json_to_u64(&one, &ns))
            put_percentile(j, list[i], ns);
        else if (j->every_percentile)
            put_percentile(j, list[i], event_u64(l, "latency_max_ns"));
    }
    fio_end(j, "}");
}

/* l NULL: nothing of the kind was measured. */
static void put_latency(struct fio_pen *j, const char *key, const struct journal_line *l, bool percentiles)
{
    uint64_t count = l ? event_u64(l, "ios") : 0;

    fio_begin(j, key, "{");
    fio_put_u64(j, "min", l ? event_u64(l, "latency_min_ns") : 0);
    fio_put_u64(j, "max", l ? event_u64(l, "latency_max_ns") : 0);
    fio_put_key(j, "mean");
    pen_u64(&j->pen, l ? event_u64(l, "latency_mean_ns") : 0);
    pen_str(&j->pen, ".000000");
    fio_put_key(j, "stddev");
    pen_u64(&j->pen, l ? event_u64(l, "latency_stddev_ns") : 0);
    pen_str(&j->pen, ".000000");
    fio_put_u64(j, "N", count);
    if (count && percentiles)
        put_percentiles(j, l);
    fio_end(j, "}");
}

static void put_samples(struct fio_pen *j, const struct fio_samples *bw, const struct fio_samples *iops)
{
    fio_put_u64(j, "bw_min", bw->min);
    fio_put_u64(j, "bw_max", bw->max);
    fio_put_micro(j, "bw_agg", bw->count ? 100000000 : 0);
    fio_put_micro(j, "bw_mean", bw->mean_micro);
    fio_put_micro(j, "bw_dev", bw->stddev_micro);
    fio_put_u64(j, "bw_samples", bw->count);
    fio_put_u64(j, "iops_min", iops->min);
    fio_put_u64(j, "iops_max", iops->max);
    fio_put_micro(j, "iops_mean", iops->mean_micro);
    fio_put_micro(j, "iops_stddev", iops->stddev_micro);
    fio_put_u64(j, "iops_samples", iops->count);
}

static void put_iops(struct fio_pen *j, const struct journal_line *l)
{
    fio_put_key(j, "iops");
    pen_fixed(&j->pen, l ? event_u64(l, "iops_milli") : 0, 3);
    pen_str(&j->pen, "000");
}

/* l NULL: nothing was done in this direction; series NULL: of what was done the times are not known; flags:
 * of the step.  What has no number in the other reports has the zeros here that fio writes for an idle side.
 */
static void put_direction(struct fio_pen *j, const char *key, const struct journal_line *l,
                          const struct journal_line *series, uint32_t flags)
{
    struct fio_samples bw = { 0 }, iops = { 0 };
    const struct journal_line *sound = step_no_number(flags) ? NULL : l;
    uint64_t bytes = l ? event_u64(l, "bytes") : 0, rate = sound ? event_u64(sound, "bytes_per_s") : 0;

    if (sound && series) {
        fio_samples_of(series, "bytes", event_u64(l, "run_ns"), &bw);
        fio_samples_of(series, "ios", event_u64(l, "run_ns"), &iops);
    }
    fio_begin(j, key, "{");
    fio_put_u64(j, "io_bytes", bytes);
    fio_put_u64(j, "io_kbytes", bytes / KIB);
    fio_put_u64(j, "bw_bytes", rate);
    fio_put_u64(j, "bw", rate / KIB);
    put_iops(j, sound);
    fio_put_u64(j, "runtime", l ? event_u64(l, "run_ns") / NS_PER_MS : 0);
    fio_put_u64(j, "total_ios", l ? event_u64(l, "ios") : 0);
    fio_put_u64(j, "short_ios", 0);
    fio_put_u64(j, "drop_ios", 0);
    put_latency(j, "slat_ns", NULL, false);
    put_latency(j, "clat_ns", sound, true);
    put_latency(j, "lat_ns", sound, false);
    put_samples(j, &bw, &iops);
    fio_end(j, "}");
}

/* One side of a mix: what it did stands in lines of its own behind the step_end. */
static __attribute__((noinline)) void put_side(struct fio_pen *j, const char *side, const struct run *run,
                                               const struct journal_line *l)
{
    struct journal_line did, series;

    if (!run_find_of_step(run, l, "step_side", side, &did))
        put_direction(j, side, NULL, NULL, 0);
    else
        put_direction(j, side, &did, run_find_of_step(run, l, "side_series", side, &series) ? &series : NULL,
                      summary_flags(l));
}

/* A job that only reads, or only writes. */
static __attribute__((noinline)) void put_whole(struct fio_pen *j, const char *key, const struct run *run,
                                                const struct journal_line *l)
{
    struct journal_line series;

    put_direction(j, key, l, run_find_series(run, l, &series) ? &series : NULL, summary_flags(l));
}

/* The flushes: `writing` has their extremes and their mean. */
static __attribute__((noinline)) void put_sync(struct fio_pen *j, const struct run *run,
                                               const struct journal_line *l)
{
    struct journal_line w;
    bool have = run_find_of_step(run, l, "writing", NULL, &w);
    uint64_t flushes = have ? event_u64(&w, "flushes") : 0;

    fio_begin(j, "sync", "{");
    fio_put_u64(j, "total_ios", flushes);
    fio_begin(j, "lat_ns", "{");
    fio_put_u64(j, "min", flushes ? event_u64(&w, "flush_min_ns") : 0);
    fio_put_u64(j, "max", flushes ? event_u64(&w, "flush_max_ns") : 0);
    fio_put_key(j, "mean");
    pen_u64(&j->pen, flushes ? event_u64(&w, "flush_mean_ns") : 0);
    pen_str(&j->pen, ".000000");
    fio_put_micro(j, "stddev", 0);
    fio_put_u64(j, "N", flushes);
    fio_end(j, "}");
    fio_end(j, "}");
}

bool fio_is_mix(const struct journal_line *l)
{
    return event_is(l, "rw", "rw") || event_is(l, "rw", "randrw");
}

void fio_put_directions(struct fio_pen *j, const struct run *run, const struct journal_line *l)
{
    static const char *const keys[] = { "read", "write", "trim" };
    char rw[16];
    unsigned own = 0;

    event_str(l, "rw", rw, sizeof rw);
    if (str_find(rw, "write"))
        own = 1;
    else if (str_find(rw, "trim"))
        own = 2;
    for (unsigned i = 0; i < ARRAY_COUNT(keys); i++)
        if (fio_is_mix(l) && i < 2)
            put_side(j, keys[i], run, l);
        else if (!fio_is_mix(l) && i == own)
            put_whole(j, keys[i], run, l);
        else
            put_direction(j, keys[i], NULL, NULL, 0);
    put_sync(j, run, l);
}
