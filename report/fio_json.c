#include "fio_json.h"
#include "bits.h"
#include "math.h"
#include "outcome.h"
#include "step.h"
#include "str.h"

enum { FIO_EIO = 5, FIO_ECANCELED = 125 }; /* Linux's numbers, which fio reports */

/* ---- JSON, piece by piece ---- */
struct json_pen {
    struct pen pen;
    bool comma;
    unsigned depth;
    bool every_percentile;
};

/* Members of a job and above begin a line; what lies deeper goes on in it. */
static void put_key(struct json_pen *j, const char *key)
{
    enum { DEEPEST_WITH_LINES = 3 };

    if (j->comma)
        pen_str(&j->pen, ",");
    if (j->depth && j->depth <= DEEPEST_WITH_LINES)
        pen_fmt(&j->pen, "\n%*s", j->depth, "");
    j->comma = true;
    if (key)
        pen_fmt(&j->pen, "\"%s\":", key);
}

static void begin(struct json_pen *j, const char *key, const char *bracket)
{
    put_key(j, key);
    pen_str(&j->pen, bracket);
    j->comma = false;
    j->depth++;
}

static void end(struct json_pen *j, const char *bracket)
{
    pen_str(&j->pen, bracket);
    j->comma = true;
    j->depth--;
}

static void put_u64(struct json_pen *j, const char *key, uint64_t v)
{
    put_key(j, key);
    pen_u64(&j->pen, v);
}

/* v millionths: fio writes its fractions with six decimals. */
static void put_micro(struct json_pen *j, const char *key, uint64_t v)
{
    put_key(j, key);
    pen_fixed(&j->pen, v, 6);
}

/* Words of ours: nothing in them needs to be escaped. */
static void put_words(struct json_pen *j, const char *key, const char *words)
{
    put_key(j, key);
    pen_str(&j->pen, "\"");
    pen_str(&j->pen, words);
    pen_str(&j->pen, "\"");
}

/* A number as a text: fio's options are what a person wrote. */
static void put_option(struct json_pen *j, const char *key, uint64_t v)
{
    char digits[24];

    str_fmt(digits, sizeof digits, "%llu", (unsigned long long)v);
    put_words(j, key, digits);
}

/* A value as it stands in the journal, escapes and digits alike; an empty text when it is missing. */
static void put_verbatim(struct json_pen *j, const char *key, const struct journal_line *l,
                         const char *member)
{
    struct json_value v;

    put_key(j, key);
    if (l && json_member(&l->body, member, &v) && v.kind == JSON_STRING)
        pen_bytes(&j->pen, v.at, v.len);
    else
        pen_str(&j->pen, "\"\"");
}

/* All of a line but what belongs to the line alone, each name once.  (Digits are digits and texts are texts:
 * what was parsed is valid.) */
static void put_members(struct json_pen *j, const char *key, const struct journal_line *l)
{
    static const char *const of_line[] = { "v", "run", "crc", "ev" };
    struct json_value name, v, first;
    size_t cursor = 0;
    char word[64];

    begin(j, key, "{");
    while (json_next(&l->body, &cursor, &name, &v)) {
        bool skip = !json_to_str(&name, word, sizeof word) || !json_member(&l->body, word, &first) ||
                    first.at != v.at;

        for (unsigned i = 0; i < ARRAY_COUNT(of_line); i++)
            skip |= str_equal(word, of_line[i]);
        if (skip)
            continue;
        put_key(j, NULL);
        pen_bytes(&j->pen, name.at, name.len);
        pen_str(&j->pen, ":");
        pen_bytes(&j->pen, v.at, v.len);
    }
    end(j, "}");
}

/* ---- directions ---- */
static void put_percentile(struct json_pen *j, uint32_t ppm, uint64_t ns)
{
    char name[16];
    struct text t = text_over(name, sizeof name);

    text_fixed(&t, ppm, 4);
    text_str(&t, "00");
    put_u64(j, name, ns);
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

static void put_percentile_list(struct json_pen *j, const struct journal_line *l)
{
    uint32_t list[PERCENTILE_LIST_MAX];
    unsigned count = percentiles_of(l, list);

    put_key(j, "percentile_list");
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

static void put_percentiles(struct json_pen *j, const struct journal_line *l)
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
    begin(j, "percentile", "{");
    for (unsigned i = 0; i < count; i++) {
        uint64_t ns;

        str_fmt(ppm, sizeof ppm, "%u", list[i]);
        if (have && json_member(&all, ppm, &one) && json_to_u64(&one, &ns))
            put_percentile(j, list[i], ns);
        else if (j->every_percentile)
            put_percentile(j, list[i], event_u64(l, "latency_max_ns"));
    }
    end(j, "}");
}

/* l NULL: nothing of the kind was measured. */
static void put_latency(struct json_pen *j, const char *key, const struct journal_line *l, bool percentiles)
{
    uint64_t count = l ? event_u64(l, "ios") : 0;

    begin(j, key, "{");
    put_u64(j, "min", l ? event_u64(l, "latency_min_ns") : 0);
    put_u64(j, "max", l ? event_u64(l, "latency_max_ns") : 0);
    put_key(j, "mean");
    pen_u64(&j->pen, l ? event_u64(l, "latency_mean_ns") : 0);
    pen_str(&j->pen, ".000000");
    put_key(j, "stddev");
    pen_u64(&j->pen, l ? event_u64(l, "latency_stddev_ns") : 0);
    pen_str(&j->pen, ".000000");
    put_u64(j, "N", count);
    if (count && percentiles)
        put_percentiles(j, l);
    end(j, "}");
}

static void put_samples(struct json_pen *j, const struct fio_samples *bw, const struct fio_samples *iops)
{
    put_u64(j, "bw_min", bw->min);
    put_u64(j, "bw_max", bw->max);
    put_micro(j, "bw_agg", bw->count ? 100000000 : 0);
    put_micro(j, "bw_mean", bw->mean_micro);
    put_micro(j, "bw_dev", bw->stddev_micro);
    put_u64(j, "bw_samples", bw->count);
    put_u64(j, "iops_min", iops->min);
    put_u64(j, "iops_max", iops->max);
    put_micro(j, "iops_mean", iops->mean_micro);
    put_micro(j, "iops_stddev", iops->stddev_micro);
    put_u64(j, "iops_samples", iops->count);
}

static void put_iops(struct json_pen *j, const struct journal_line *l)
{
    put_key(j, "iops");
    pen_fixed(&j->pen, l ? event_u64(l, "iops_milli") : 0, 3);
    pen_str(&j->pen, "000");
}

static void put_direction(struct json_pen *j, const char *key, const struct run *run,
                          const struct journal_line *l)
{
    struct fio_samples bw = { 0 }, iops = { 0 };
    struct journal_line series;
    uint64_t bytes = l ? event_u64(l, "bytes") : 0, rate = l ? event_u64(l, "bytes_per_s") : 0;

    if (l && run && run_find_series(run, l, &series)) {
        fio_samples_of(&series, "bytes", event_u64(l, "run_ns"), &bw);
        fio_samples_of(&series, "ios", event_u64(l, "run_ns"), &iops);
    }
    begin(j, key, "{");
    put_u64(j, "io_bytes", bytes);
    put_u64(j, "io_kbytes", bytes / KIB);
    put_u64(j, "bw_bytes", rate);
    put_u64(j, "bw", rate / KIB);
    put_iops(j, l);
    put_u64(j, "runtime", l ? event_u64(l, "run_ns") / NS_PER_MS : 0);
    put_u64(j, "total_ios", l ? event_u64(l, "ios") : 0);
    put_u64(j, "short_ios", 0);
    put_u64(j, "drop_ios", 0);
    put_latency(j, "slat_ns", NULL, false);
    put_latency(j, "clat_ns", l, true);
    put_latency(j, "lat_ns", l, false);
    put_samples(j, &bw, &iops);
    end(j, "}");
}

/* The series is of both together: a side has no samples of its own. */
static __attribute__((noinline)) bool put_sides(struct json_pen *j, const struct run *run,
                                                const struct journal_line *l)
{
    struct journal_line side;

    if (!event_is(l, "rw", "rw") && !event_is(l, "rw", "randrw"))
        return false;
    put_direction(j, "read", NULL, run_find_of_step(run, l, "step_side", "read", &side) ? &side : NULL);
    put_direction(j, "write", NULL, run_find_of_step(run, l, "step_side", "write", &side) ? &side : NULL);
    put_direction(j, "trim", NULL, NULL);
    return true;
}

/* The flushes: `writing` has their extremes and their mean. */
static __attribute__((noinline)) void put_sync(struct json_pen *j, const struct run *run,
                                               const struct journal_line *l)
{
    struct journal_line w;
    bool have = run_find_of_step(run, l, "writing", NULL, &w);
    uint64_t flushes = have ? event_u64(&w, "flushes") : 0;

    begin(j, "sync", "{");
    put_u64(j, "total_ios", flushes);
    begin(j, "lat_ns", "{");
    put_u64(j, "min", flushes ? event_u64(&w, "flush_min_ns") : 0);
    put_u64(j, "max", flushes ? event_u64(&w, "flush_max_ns") : 0);
    put_key(j, "mean");
    pen_u64(&j->pen, flushes ? event_u64(&w, "flush_mean_ns") : 0);
    pen_str(&j->pen, ".000000");
    put_micro(j, "stddev", 0);
    put_u64(j, "N", flushes);
    end(j, "}");
    end(j, "}");
}

static void put_directions(struct json_pen *j, const struct run *run, const struct journal_line *l)
{
    char rw[16];
    bool writes, trims;

    if (put_sides(j, run, l)) {
        put_sync(j, run, l);
        return;
    }
    event_str(l, "rw", rw, sizeof rw);
    writes = str_find(rw, "write") != NULL;
    trims = str_find(rw, "trim") != NULL;
    put_direction(j, "read", run, writes || trims ? NULL : l);
    put_direction(j, "write", run, writes ? l : NULL);
    put_direction(j, "trim", run, trims && !writes ? l : NULL);
    put_sync(j, run, l);
}

/* ---- the rest of a job ---- */
/* part of whole in millionths of a percent */
static uint64_t percent_micro(uint64_t part, uint64_t whole)
{
    return whole ? mul_div_u64(part, 100000000, whole) : 0;
}

static void put_depths(struct json_pen *j, const struct journal_line *l)
{
    static const struct {
        const char *name;
        uint64_t from, below;
    } levels[] = { { "1", 1, 2 },
                   { "2", 2, 4 },
                   { "4", 4, 8 },
                   { "8", 8, 16 },
                   { "16", 16, 32 },
                   { "32", 32, 64 },
                   { ">=64", 64, UINT64_MAX } };
    static const char *const batches[] = { "0", "4", "8", "16", "32", "64", ">=64" };
    static const char *const kinds[] = { "iodepth_submit", "iodepth_complete" };
    uint64_t depth = event_u64(l, "depth");

    begin(j, "iodepth_level", "{");
    for (unsigned i = 0; i < ARRAY_COUNT(levels); i++)
        put_micro(j, levels[i].name,
                  event_u64(l, "ios") && depth >= levels[i].from && depth < levels[i].below ? 100000000 : 0);
    end(j, "}");
    for (unsigned k = 0; k < ARRAY_COUNT(kinds); k++) {
        begin(j, kinds[k], "{");
        for (unsigned i = 0; i < ARRAY_COUNT(batches); i++)
            put_micro(j, batches[i], 0);
        end(j, "}");
    }
}

/* latency_class_ns are fio's classes, ten of each unit and two more. */
static void put_classes(struct json_pen *j, const struct journal_line *l)
{
    static const struct {
        const char *name;
        unsigned first, count;
        uint64_t unit_ns;
    } parts[] = { { "latency_ns", 0, 10, 1 },
                  { "latency_us", 10, 10, NS_PER_US },
                  { "latency_ms", 20, 12, NS_PER_MS } };
    struct json_value all, one;
    bool have = json_member(&l->body, "latency_class_ios", &all);
    char bound[24];

    for (unsigned k = 0; k < ARRAY_COUNT(parts); k++) {
        begin(j, parts[k].name, "{");
        for (unsigned i = parts[k].first; i < parts[k].first + parts[k].count; i++) {
            uint64_t ios = 0;

            str_fmt(bound, sizeof bound, "%llu", (unsigned long long)latency_class_ns[i]);
            if (have && json_member(&all, bound, &one))
                json_to_u64(&one, &ios);
            str_fmt(bound, sizeof bound, "%llu",
                    (unsigned long long)(latency_class_ns[i] / parts[k].unit_ns));
            put_micro(j, latency_class_ns[i] == UINT64_MAX ? ">=2000" : bound,
                      percent_micro(ios, event_u64(l, "ios")));
        }
        end(j, "}");
    }
}

static uint64_t depth_of(const struct journal_line *l)
{
    uint64_t depth = event_u64(l, "depth");

    return depth ? depth : event_u64(l, "depth_asked");
}

static void put_options(struct json_pen *j, const struct run *run, const struct journal_line *l)
{
    struct journal_line disk;
    struct json_value list;
    uint64_t block = event_u64(l, "block_bytes"), lba_bytes = 0;
    char name[28], bs[24];

    json_str(&l->body, "disk", name, sizeof name);
    if (run_find_disk(run, name, &disk))
        lba_bytes = event_u64(&disk, "lba_bytes");
    if (block && block % MIB == 0)
        str_fmt(bs, sizeof bs, "%llum", (unsigned long long)(block / MIB));
    else if (block && block % KIB == 0)
        str_fmt(bs, sizeof bs, "%lluk", (unsigned long long)(block / KIB));
    else
        str_fmt(bs, sizeof bs, "%llu", (unsigned long long)block);
    begin(j, "job options", "{");
    put_verbatim(j, "rw", l, "rw");
    put_words(j, "bs", bs);
    put_option(j, "iodepth", depth_of(l));
    put_option(j, "numjobs", 1);
    put_verbatim(j, "filename", l, "disk");
    if (lba_bytes) {
        put_option(j, "offset", mul_div_u64(event_u64(l, "first_lba"), lba_bytes, 1));
        put_option(j, "size", mul_div_u64(event_u64(l, "span_lbas"), lba_bytes, 1));
    }
    if (json_member(&l->body, "percentile_list_ppm", &list))
        put_percentile_list(j, l);
    end(j, "}");
}

static void put_extras(struct json_pen *j, const struct run *run, const struct journal_line *l)
{
    static const char *const not_measured[] = {
        "slat_ns", "iodepth_submit", "iodepth_complete",  "sys_cpu", "ctx",
        "majf",    "minf",           "sync.lat_ns.stddev"
    };
    struct journal_line disk;
    char name[28], id[20];

    str_fmt(id, sizeof id, "%016llx", (unsigned long long)run->run_id);
    json_str(&l->body, "disk", name, sizeof name);
    begin(j, "baresweep", "{");
    put_words(j, "run", id);
    put_members(j, "step_end", l);
    if (run_find_disk(run, name, &disk))
        put_members(j, "disk", &disk);
    if (run_find_of_step(run, l, "writing", NULL, &disk))
        put_members(j, "writing", &disk);
    begin(j, "not_measured", "[");
    for (unsigned i = 0; i < ARRAY_COUNT(not_measured); i++)
        put_words(j, NULL, not_measured[i]);
    end(j, "]");
    end(j, "}");
}

/* A lane that never read anything and says why was called off. */
static uint64_t error_of(const struct journal_line *l)
{
    if (event_u64(l, "errors"))
        return FIO_EIO;
    return !event_u64(l, "ios") && !event_is(l, "reason", "") ? FIO_ECANCELED : 0;
}

static void put_job(struct json_pen *j, const struct run *run, const struct journal_line *l)
{
    uint64_t run_ns = event_u64(l, "run_ns");
    uint64_t all_ms =
        run_ns / NS_PER_MS + event_u64(l, "ramp_ns") / NS_PER_MS + event_u64(l, "held_ns") / NS_PER_MS;

    begin(j, NULL, "{");
    put_verbatim(j, "jobname", l, "job");
    put_u64(j, "groupid", event_u64(l, "step"));
    put_u64(j, "error", error_of(l));
    put_u64(j, "eta", 0);
    put_u64(j, "elapsed", (all_ms + 999) / 1000);
    put_options(j, run, l);
    put_directions(j, run, l);
    put_u64(j, "job_runtime", run_ns / NS_PER_MS);
    put_micro(j, "usr_cpu", percent_micro(min_u64(event_u64(l, "busy_ns"), run_ns), run_ns));
    put_micro(j, "sys_cpu", 0);
    put_u64(j, "ctx", 0);
    put_u64(j, "majf", 0);
    put_u64(j, "minf", 0);
    put_depths(j, l);
    put_classes(j, l);
    put_u64(j, "latency_depth", depth_of(l));
    put_u64(j, "latency_target", 0);
    put_micro(j, "latency_percentile", 100000000);
    put_u64(j, "latency_window", 0);
    put_extras(j, run, l);
    end(j, "}");
}

/* ---- around the jobs ---- */
/* at_ns: on the clock of t_ns; the journal has one look at the machine's clock, at the start. */
static void put_head(struct json_pen *j, const struct run *run, uint64_t at_ns)
{
    struct run_lines lines;
    struct journal_line l;
    char clock[28] = "", text[40];
    struct text t = text_over(text, sizeof text);
    uint64_t ms = 0;
    bool described;

    run_lines_start(&lines, run);
    described = run_lines_find(&lines, "run_start", &l);
    if (described && event_str(&l, "clock", clock, sizeof clock) && fio_clock_parse(clock))
        ms = fio_clock_parse(clock) * 1000 + (at_ns - min_u64(at_ns, l.t_ns)) / NS_PER_MS;
    put_key(j, "fio version");
    pen_str(&j->pen, "\"baresweep-");
    if (described && event_str(&l, "version", text, 24) && !str_find(text, "\"") && !str_find(text, "\\"))
        pen_str(&j->pen, text);
    pen_str(&j->pen, "\"");
    put_u64(j, "timestamp", ms / 1000);
    put_u64(j, "timestamp_ms", ms);
    text_reset(&t);
    fio_clock_text(&t, ms / 1000);
    put_words(j, "time", text);
}

static void put_global_options(struct json_pen *j)
{
    begin(j, "global options", "{");
    put_words(j, "direct", "1");
    put_percentile_list(j, NULL);
    end(j, "}");
}

/* ---- what the disks did ---- */
struct disk_load {
    uint64_t read_ios, read_ms, write_ios, write_ms; /* _ms: the latencies of all of them together */
};

static void add_load(struct disk_load *d, const struct journal_line *l)
{
    uint64_t ios = event_u64(l, "ios"), ms = mul_div_u64(event_u64(l, "latency_mean_ns"), ios, NS_PER_MS);
    char rw[16];

    event_str(l, "rw", rw, sizeof rw);
    if (str_find(rw, "write")) {
        d->write_ios += ios;
        d->write_ms += ms;
    } else {
        d->read_ios += ios;
        d->read_ms += ms;
    }
}

/* A disk that is measured is never idle. */
static void put_disk_util(struct json_pen *j, const struct journal_line *l, const char *name_key,
                          const struct disk_load *d)
{
    if (!d->read_ios && !d->write_ios)
        return;
    begin(j, NULL, "{");
    put_verbatim(j, "name", l, name_key);
    put_u64(j, "read_ios", d->read_ios);
    put_u64(j, "write_ios", d->write_ios);
    put_u64(j, "read_merges", 0);
    put_u64(j, "write_merges", 0);
    put_u64(j, "read_ticks", d->read_ms);
    put_u64(j, "write_ticks", d->write_ms);
    put_u64(j, "in_queue", d->read_ms + d->write_ms);
    put_micro(j, "util", 100000000);
    end(j, "}");
}

static __attribute__((noinline)) void put_disks_util(struct json_pen *j, const struct run *run)
{
    struct run_lines disks, cells;
    struct journal_line disk, l;
    char name[28];

    run_lines_start(&disks, run);
    disks.reader.len = run->disks_len;
    while (!j->pen.out->failed && run_lines_find(&disks, "disk", &disk)) {
        struct disk_load load = { 0 };

        json_str(&disk.body, "name", name, sizeof name);
        run_lines_of(&cells, run, name);
        while (run_lines_find(&cells, "step_end", &l))
            if (event_is(&l, "disk", name))
                add_load(&load, &l);
        put_disk_util(j, &disk, "name", &load);
    }
}

static void put_missing(void *ctx, const char *sentence)
{
    struct json_pen *j = ctx;

    /* A sentence may name a step, whose title is text of the journal. */
    put_key(j, NULL);
    pen_str(&j->pen, "\"");
    for (; *sentence; sentence++)
        pen_bytes(&j->pen, *sentence == '"' || *sentence == '\\' ? "'" : sentence, 1);
    pen_str(&j->pen, "\"");
}

static __attribute__((noinline)) void put_run_extras(struct json_pen *j, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    char id[20];

    begin(j, "baresweep", "{");
    put_words(j, "verdict", verdict_text(run->lines ? outcome_verdict(run) : VERDICT_NOT_TESTED));
    if (run->lines) {
        str_fmt(id, sizeof id, "%016llx", (unsigned long long)run->run_id);
        put_words(j, "run", id);
    }
    run_lines_start(&lines, run);
    if (run_lines_find(&lines, "run_start", &l))
        put_members(j, "run_start", &l);
    begin(j, "missing", "[");
    if (run->lines)
        outcome_reservations(run, put_missing, j);
    else
        put_missing(j, "there is no journal here");
    end(j, "]");
    end(j, "}");
}

void fio_json_job(const struct run *run, const struct journal_line *step_end, bool every_percentile,
                  struct render_out *out)
{
    struct json_pen j = { .every_percentile = every_percentile };
    struct disk_load load = { 0 };

    pen_start(&j.pen, out);
    begin(&j, NULL, "{");
    put_head(&j, run, step_end->t_ns);
    put_global_options(&j);
    begin(&j, "jobs", "[");
    put_job(&j, run, step_end);
    end(&j, "]");
    begin(&j, "disk_util", "[");
    add_load(&load, step_end);
    put_disk_util(&j, step_end, "disk", &load);
    end(&j, "]");
    put_run_extras(&j, run);
    end(&j, "}");
    pen_str(&j.pen, "\n");
    pen_end(&j.pen);
}

/* Apart from its caller: two walks would make one frame too large. */
static __attribute__((noinline)) void put_jobs(struct json_pen *j, const char *journal, size_t len)
{
    struct run_walk w;
    struct run_lines lines;
    struct journal_line l;
    struct run run;

    begin(j, "jobs", "[");
    run_walk_start(&w, journal, len);
    while (run_walk_next(&w, &run)) {
        run_lines_start(&lines, &run);
        while (!j->pen.out->failed && run_lines_find(&lines, "step_end", &l))
            put_job(j, &run, &l);
    }
    end(j, "]");
}

static __attribute__((noinline)) void find_last_run(const char *journal, size_t len, struct run *last)
{
    struct run_walk w;
    struct run run;

    *last = (struct run){ .text = journal };
    run_walk_start(&w, journal, len);
    while (run_walk_next(&w, &run))
        *last = run;
}

/* The jobs of all runs of the text.  What stands around them is of the last one. */
void render_fio_json(const char *journal, size_t len, struct render_out *out)
{
    struct json_pen j = { 0 };
    struct run last;

    find_last_run(journal, len, &last);
    pen_start(&j.pen, out);
    begin(&j, NULL, "{");
    put_head(&j, &last, last.last_t_ns);
    put_global_options(&j);
    put_jobs(&j, journal, len);
    begin(&j, "disk_util", "[");
    put_disks_util(&j, &last);
    end(&j, "]");
    put_run_extras(&j, &last);
    end(&j, "}");
    pen_str(&j.pen, "\n");
    pen_end(&j.pen);
}

void fio_json_file_name(const struct journal_line *step_end, struct text *t)
{
    char rw[16], job[48], name[110];

    event_str(step_end, "rw", rw, sizeof rw);
    event_str(step_end, "job", job, sizeof job);
    str_fmt(name, sizeof name, "%s-%llu-1-%s.json", rw, (unsigned long long)depth_of(step_end), job);
    for (char *c = name; *c; c++)
        if (!(*c >= '0' && *c <= '9') && !((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') && *c != '.' &&
            *c != '-')
            *c = '_';
    text_str(t, name);
}
