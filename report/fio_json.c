#include "fio_json.h"
#include "bits.h"
#include "fio_pen.h"
#include "math.h"
#include "outcome.h"
#include "step.h"
#include "str.h"
#include "summary.h"

enum { FIO_EIO = 5, FIO_ETIMEDOUT = 110, FIO_ECANCELED = 125 }; /* Linux's numbers, which fio reports */

/* ---- the rest of a job ---- */
/* part of whole in millionths of a percent */
static uint64_t percent_micro(uint64_t part, uint64_t whole)
{
    return whole ? mul_div_u64(part, 100000000, whole) : 0;
}

static void put_depths(struct fio_pen *j, const struct journal_line *l)
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

    fio_begin(j, "iodepth_level", "{");
    for (unsigned i = 0; i < ARRAY_COUNT(levels); i++)
        fio_put_micro(j, levels[i].name,
                      event_u64(l, "ios") && depth >= levels[i].from && depth < levels[i].below ? 100000000
                                                                                                : 0);
    fio_end(j, "}");
    for (unsigned k = 0; k < ARRAY_COUNT(kinds); k++) {
        fio_begin(j, kinds[k], "{");
        for (unsigned i = 0; i < ARRAY_COUNT(batches); i++)
            fio_put_micro(j, batches[i], 0);
        fio_end(j, "}");
    }
}

/* latency_class_ns are fio's classes, ten of each unit and two more. */
static void put_classes(struct fio_pen *j, const struct journal_line *l)
{
    static const struct {
        const char *name;
        unsigned first, count;
        uint64_t unit_ns;
    } parts[] = { { "latency_ns", 0, 10, 1 },
                  { "latency_us", 10, 10, NS_PER_US },
                  { "latency_ms", 20, 12, NS_PER_MS } };
    struct json_value all, one;
    bool have = !step_no_number(summary_flags(l)) && json_member(&l->body, "latency_class_ios", &all);
    char bound[24];

    for (unsigned k = 0; k < ARRAY_COUNT(parts); k++) {
        fio_begin(j, parts[k].name, "{");
        for (unsigned i = parts[k].first; i < parts[k].first + parts[k].count; i++) {
            uint64_t ios = 0;

            str_fmt(bound, sizeof bound, "%llu", (unsigned long long)latency_class_ns[i]);
            if (have && json_member(&all, bound, &one))
                json_to_u64(&one, &ios);
            str_fmt(bound, sizeof bound, "%llu",
                    (unsigned long long)(latency_class_ns[i] / parts[k].unit_ns));
            fio_put_micro(j, latency_class_ns[i] == UINT64_MAX ? ">=2000" : bound,
                          percent_micro(ios, event_u64(l, "ios")));
        }
        fio_end(j, "}");
    }
}

static uint64_t depth_of(const struct journal_line *l)
{
    uint64_t depth = event_u64(l, "depth");

    return depth ? depth : event_u64(l, "depth_asked");
}

static void put_options(struct fio_pen *j, const struct run *run, const struct journal_line *l)
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
    fio_begin(j, "job options", "{");
    fio_put_verbatim(j, "rw", l, "rw");
    fio_put_words(j, "bs", bs);
    fio_put_option(j, "iodepth", depth_of(l));
    fio_put_option(j, "numjobs", 1);
    fio_put_verbatim(j, "filename", l, "disk");
    if (lba_bytes) {
        fio_put_option(j, "offset", mul_div_u64(event_u64(l, "first_lba"), lba_bytes, 1));
        fio_put_option(j, "size", mul_div_u64(event_u64(l, "span_lbas"), lba_bytes, 1));
    }
    if (json_member(&l->body, "percentile_list_ppm", &list))
        fio_put_percentile_list(j, l);
    fio_end(j, "}");
}

static void put_extras(struct fio_pen *j, const struct run *run, const struct journal_line *l)
{
    static const char *const not_measured[] = {
        "slat_ns", "iodepth_submit", "iodepth_complete",  "sys_cpu", "ctx",
        "majf",    "minf",           "sync.lat_ns.stddev"
    };
    struct journal_line disk;
    char name[28], id[20];

    str_fmt(id, sizeof id, "%016llx", (unsigned long long)run->run_id);
    json_str(&l->body, "disk", name, sizeof name);
    fio_begin(j, "baresweep", "{");
    fio_put_words(j, "run", id);
    fio_put_members(j, "step_end", l);
    if (run_find_disk(run, name, &disk))
        fio_put_members(j, "disk", &disk);
    if (run_find_of_step(run, l, "writing", NULL, &disk))
        fio_put_members(j, "writing", &disk);
    fio_begin(j, "not_measured", "[");
    for (unsigned i = 0; i < ARRAY_COUNT(not_measured); i++)
        fio_put_words(j, NULL, not_measured[i]);
    fio_end(j, "]");
    fio_end(j, "}");
}

/* A lane that never read anything and says why was called off.  goal NULL: none. */
static uint64_t error_of(const struct journal_line *l, const struct journal_line *goal)
{
    if (event_u64(l, "errors"))
        return FIO_EIO;
    if (goal && (event_is(goal, "outcome", "missed") ||
                 (event_u64(goal, "max_ns") && event_u64(l, "latency_max_ns") > event_u64(goal, "max_ns"))))
        return FIO_ETIMEDOUT;
    return !event_u64(l, "ios") && !event_is(l, "reason", "") ? FIO_ECANCELED : 0;
}

/* fio's are in us, and the percentile in percent. */
static void put_goal(struct fio_pen *j, const struct journal_line *l, const struct journal_line *goal)
{
    bool target = goal && event_u64(goal, "target_ns");

    fio_put_u64(j, "latency_depth", depth_of(l));
    fio_put_u64(j, "latency_target", target ? event_u64(goal, "target_ns") / NS_PER_US : 0);
    fio_put_micro(j, "latency_percentile", target ? event_u64(goal, "percentile_ppm") * 100 : 100000000);
    fio_put_u64(j, "latency_window", target ? event_u64(goal, "window_ns") / NS_PER_US : 0);
}

static void put_job(struct fio_pen *j, const struct run *run, const struct journal_line *l)
{
    struct journal_line line;
    const struct journal_line *goal = run_find_of_step(run, l, "latency_goal", NULL, &line) ? &line : NULL;
    uint64_t run_ns = event_u64(l, "run_ns");
    uint64_t all_ms =
        run_ns / NS_PER_MS + event_u64(l, "ramp_ns") / NS_PER_MS + event_u64(l, "held_ns") / NS_PER_MS;

    fio_begin(j, NULL, "{");
    fio_put_verbatim(j, "jobname", l, "job");
    fio_put_u64(j, "groupid", event_u64(l, "step"));
    fio_put_u64(j, "error", error_of(l, goal));
    fio_put_u64(j, "eta", 0);
    fio_put_u64(j, "elapsed", (all_ms + 999) / 1000);
    put_options(j, run, l);
    fio_put_directions(j, run, l);
    fio_put_u64(j, "job_runtime", run_ns / NS_PER_MS);
    fio_put_micro(j, "usr_cpu", percent_micro(min_u64(event_u64(l, "busy_ns"), run_ns), run_ns));
    fio_put_micro(j, "sys_cpu", 0);
    fio_put_u64(j, "ctx", 0);
    fio_put_u64(j, "majf", 0);
    fio_put_u64(j, "minf", 0);
    put_depths(j, l);
    put_classes(j, l);
    put_goal(j, l, goal);
    put_extras(j, run, l);
    fio_end(j, "}");
}

/* ---- around the jobs ---- */
/* at_ns: on the clock of t_ns; the journal has one look at the machine's clock, at the start. */
static void put_head(struct fio_pen *j, const struct run *run, uint64_t at_ns)
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
    fio_put_key(j, "fio version");
    pen_str(&j->pen, "\"baresweep-");
    if (described && event_str(&l, "version", text, 24) && !str_find(text, "\"") && !str_find(text, "\\"))
        pen_str(&j->pen, text);
    pen_str(&j->pen, "\"");
    fio_put_u64(j, "timestamp", ms / 1000);
    fio_put_u64(j, "timestamp_ms", ms);
    text_reset(&t);
    fio_clock_text(&t, ms / 1000);
    fio_put_words(j, "time", text);
}

static void put_global_options(struct fio_pen *j)
{
    fio_begin(j, "global options", "{");
    fio_put_words(j, "direct", "1");
    fio_put_percentile_list(j, NULL);
    fio_end(j, "}");
}

/* ---- what the disks did ---- */
struct disk_load {
    uint64_t read_ios, read_ms, write_ios, write_ms; /* _ms: the latencies of all of them together */
};

static void add_direction(struct disk_load *d, const struct journal_line *l, bool writes)
{
    uint64_t ios = event_u64(l, "ios");
    uint64_t ms = mul_div_u64(event_u64(l, "latency_mean_ns"), ios, NS_PER_MS);

    *(writes ? &d->write_ios : &d->read_ios) += ios;
    *(writes ? &d->write_ms : &d->read_ms) += ms;
}

static __attribute__((noinline)) void add_load(struct disk_load *d, const struct run *run,
                                               const struct journal_line *l)
{
    struct journal_line side;
    char rw[16];

    if (!fio_is_mix(l)) {
        event_str(l, "rw", rw, sizeof rw);
        add_direction(d, l, str_find(rw, "write") != NULL);
        return;
    }
    for (unsigned writes = 0; writes < 2; writes++)
        if (run_find_of_step(run, l, "step_side", writes ? "write" : "read", &side))
            add_direction(d, &side, writes);
}

/* A disk that is measured is never idle. */
static void put_disk_util(struct fio_pen *j, const struct journal_line *l, const char *name_key,
                          const struct disk_load *d)
{
    if (!d->read_ios && !d->write_ios)
        return;
    fio_begin(j, NULL, "{");
    fio_put_verbatim(j, "name", l, name_key);
    fio_put_u64(j, "read_ios", d->read_ios);
    fio_put_u64(j, "write_ios", d->write_ios);
    fio_put_u64(j, "read_merges", 0);
    fio_put_u64(j, "write_merges", 0);
    fio_put_u64(j, "read_ticks", d->read_ms);
    fio_put_u64(j, "write_ticks", d->write_ms);
    fio_put_u64(j, "in_queue", d->read_ms + d->write_ms);
    fio_put_micro(j, "util", 100000000);
    fio_end(j, "}");
}

static __attribute__((noinline)) void put_disks_util(struct fio_pen *j, const struct run *run)
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
                add_load(&load, run, &l);
        put_disk_util(j, &disk, "name", &load);
    }
}

static void put_missing(void *ctx, const char *sentence)
{
    struct fio_pen *j = ctx;

    /* A sentence may name a step, whose title is text of the journal. */
    fio_put_key(j, NULL);
    pen_str(&j->pen, "\"");
    for (; *sentence; sentence++)
        pen_bytes(&j->pen, *sentence == '"' || *sentence == '\\' ? "'" : sentence, 1);
    pen_str(&j->pen, "\"");
}

static __attribute__((noinline)) void put_run_extras(struct fio_pen *j, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l;
    char id[20];

    fio_begin(j, "baresweep", "{");
    fio_put_words(j, "verdict", verdict_text(run->lines ? outcome_verdict(run) : VERDICT_NOT_TESTED));
    if (run->lines) {
        str_fmt(id, sizeof id, "%016llx", (unsigned long long)run->run_id);
        fio_put_words(j, "run", id);
    }
    run_lines_start(&lines, run);
    if (run_lines_find(&lines, "run_start", &l))
        fio_put_members(j, "run_start", &l);
    if (run->lines)
        fio_put_burn_ins(j, run);
    fio_begin(j, "missing", "[");
    if (run->lines)
        outcome_reservations(run, put_missing, j);
    else
        put_missing(j, "there is no journal here");
    fio_end(j, "]");
    fio_end(j, "}");
}

void fio_json_job(const struct run *run, const struct journal_line *step_end, bool every_percentile,
                  struct render_out *out)
{
    struct fio_pen j = { .every_percentile = every_percentile };
    struct disk_load load = { 0 };

    pen_start(&j.pen, out);
    fio_begin(&j, NULL, "{");
    put_head(&j, run, step_end->t_ns);
    put_global_options(&j);
    fio_begin(&j, "jobs", "[");
    put_job(&j, run, step_end);
    fio_end(&j, "]");
    fio_begin(&j, "disk_util", "[");
    add_load(&load, run, step_end);
    put_disk_util(&j, step_end, "disk", &load);
    fio_end(&j, "]");
    put_run_extras(&j, run);
    fio_end(&j, "}");
    pen_str(&j.pen, "\n");
    pen_end(&j.pen);
}

/* Apart from its caller: two walks would make one frame too large. */
static __attribute__((noinline)) void put_jobs(struct fio_pen *j, const char *journal, size_t len)
{
    struct run_walk w;
    struct run_lines lines;
    struct journal_line l;
    struct run run;

    fio_begin(j, "jobs", "[");
    run_walk_start(&w, journal, len);
    while (run_walk_next(&w, &run)) {
        run_lines_start(&lines, &run);
        while (!j->pen.out->failed && run_lines_find(&lines, "step_end", &l))
            put_job(j, &run, &l);
    }
    fio_end(j, "]");
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
    struct fio_pen j = { 0 };
    struct run last;

    find_last_run(journal, len, &last);
    pen_start(&j.pen, out);
    fio_begin(&j, NULL, "{");
    put_head(&j, &last, last.last_t_ns);
    put_global_options(&j);
    put_jobs(&j, journal, len);
    fio_begin(&j, "disk_util", "[");
    put_disks_util(&j, &last);
    fio_end(&j, "]");
    put_run_extras(&j, &last);
    fio_end(&j, "}");
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
