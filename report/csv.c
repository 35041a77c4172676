#include "bits.h"
#include "page.h"
#include "runs.h"
#include "step.h"
#include "str.h"
#include "summary.h"

/* ---- fields ---- */
/* RFC 4180: quoted when it must be, quotes doubled. */
static void put_quoted(struct render_out *o, const char *s)
{
    bool must = s[0] == ' ';
    size_t len = 0, done = 0;

    for (; s[len]; len++)
        must |= s[len] == ',' || s[len] == '"';
    must |= len && s[len - 1] == ' ';
    if (must)
        render_bytes(o, "\"", 1);
    for (size_t i = 0; i < len; i++)
        if (s[i] == '"') {
            render_bytes(o, s + done, i + 1 - done);
            done = i; /* once more */
        }
    render_bytes(o, s + done, len - done);
    if (must)
        render_bytes(o, "\"", 1);
}

/* Digits go out as they stand in the journal; anything else that is no text leaves the field empty. */
static void put_member(struct render_out *o, const struct json_value *object, const char *key)
{
    struct json_value v;
    uint64_t number;
    char text[360];

    if (!json_member(object, key, &v))
        return;
    if (v.kind == JSON_NUMBER && json_to_u64(&v, &number))
        render_bytes(o, v.at, v.len);
    if (v.kind != JSON_STRING)
        return;
    json_to_str(&v, text, sizeof text);
    page_printable(text);
    put_quoted(o, text);
}

struct source {
    const struct journal_line *step_end;
    const struct journal_line *disk; /* NULL: its description is missing */
    const struct journal_line *reads, *writes,
        *writing; /* of lanes that write or compare; NULL: there is none */
};

static void put_step_member(struct render_out *o, const struct source *s, const char *member)
{
    put_member(o, &s->step_end->body, member);
}

/* Empty when too few requests stand behind it; the flag says so. */
static void put_measured(struct render_out *o, const struct source *s, const char *member)
{
    if (!step_no_number(summary_flags(s->step_end)))
        put_step_member(o, s, member);
}

static void put_known(struct render_out *o, const struct source *s, const char *member)
{
    if (event_u64(s->step_end, member))
        put_measured(o, s, member);
}

static void put_side(struct render_out *o, const struct source *s, const struct journal_line *side,
                     const char *member)
{
    if (side && !step_no_number(summary_flags(s->step_end)))
        put_member(o, &side->body, member);
}

static void put_read(struct render_out *o, const struct source *s, const char *member)
{
    put_side(o, s, s->reads, member);
}

static void put_write(struct render_out *o, const struct source *s, const char *member)
{
    put_side(o, s, s->writes, member);
}

static void put_writing(struct render_out *o, const struct source *s, const char *member)
{
    if (s->writing)
        put_member(o, &s->writing->body, member);
}

static void put_bad_kinds(struct render_out *o, const struct source *s, const char *member)
{
    char text[160];
    struct text t = text_over(text, sizeof text);

    (void)member;
    if (s->writing)
        summary_bad_kinds(s->writing, "|", ":", &t);
    put_quoted(o, text);
}

/* 0 is a place on the disk: empty when nothing was bad. */
static void put_first_bad(struct render_out *o, const struct source *s, const char *member)
{
    if (s->writing && event_u64(s->writing, "bad_lbas"))
        put_member(o, &s->writing->body, member);
}

static void put_disk_member(struct render_out *o, const struct source *s, const char *member)
{
    if (s->disk)
        put_member(o, &s->disk->body, member);
}

/* One column per row of percentile_ppm, empty where the journal has none. */
static void put_percentiles(struct render_out *o, const struct source *s, const char *member)
{
    struct json_value all;
    bool have = !step_no_number(summary_flags(s->step_end)) && json_member(&s->step_end->body, member, &all);

    for (unsigned i = 0; i < PERCENTILE_COUNT; i++) {
        char ppm[12];

        if (i)
            render_bytes(o, ",", 1);
        str_fmt(ppm, sizeof ppm, "%u", percentile_ppm[i]);
        if (have)
            put_member(o, &all, ppm);
    }
}

static void put_flags(struct render_out *o, const struct source *s, const char *member)
{
    struct json_value flags, flag;
    size_t cursor = 0;
    char text[240], word[24];
    struct text t = text_over(text, sizeof text);

    if (!json_member(&s->step_end->body, member, &flags) || flags.kind != JSON_ARRAY)
        return;
    while (json_next(&flags, &cursor, NULL, &flag)) {
        if (flag.kind != JSON_STRING)
            continue;
        json_to_str(&flag, word, sizeof word);
        text_fmt(&t, "%s%s", t.len ? "|" : "", word);
    }
    page_printable(text);
    put_quoted(o, text);
}

/* ---- columns ---- */
/* Header and rows walk this one table.  A column is only ever added at the end: people's scripts count. */
struct column {
    const char *name;
    void (*put)(struct render_out *o, const struct source *s, const char *member);
    const char *member; /* NULL: named as the column */
};
static const struct column columns[] = {
    { "run_id", put_step_member, "run" },
    { "step", put_step_member, NULL },
    { "disk", put_step_member, NULL },
    { "serial", put_disk_member, NULL },
    { "model", put_disk_member, NULL },
    { "firmware", put_disk_member, NULL },
    { "kind", put_disk_member, NULL },
    { "controller", put_disk_member, NULL },
    { "lba_bytes", put_disk_member, NULL },
    { "lba_count", put_disk_member, NULL },
    { "job", put_step_member, NULL },
    { "rw", put_step_member, NULL },
    { "block_bytes", put_step_member, NULL },
    { "command_bytes", put_step_member, NULL },
    { "depth_asked", put_step_member, NULL },
    { "depth", put_step_member, NULL },
    { "first_lba", put_step_member, NULL },
    { "span_lbas", put_step_member, NULL },
    { "ios", put_step_member, NULL },
    { "bytes", put_step_member, NULL },
    { "run_ns", put_step_member, NULL },
    { "held_ns", put_step_member, NULL },
    { "ramp_ns", put_step_member, NULL },
    { "bytes_per_s", put_measured, NULL },
    { "iops_milli", put_measured, NULL },
    { "latency_min_ns", put_measured, NULL },
    { "latency_mean_ns", put_measured, NULL },
    { "latency_max_ns", put_measured, NULL },
    { "latency_percentile_ns", put_percentiles, NULL },
    { "errors", put_step_member, NULL },
    { "retries", put_step_member, NULL },
    { "longest_poll_gap_ns", put_step_member, NULL },
    { "busy_ns", put_step_member, NULL },
    { "wrapped", put_step_member, NULL },
    { "flags", put_flags, NULL },
    { "reason", put_step_member, NULL },
    { "journal_seq", put_step_member, "seq" },
    { "latency_stddev_ns", put_measured, NULL },
    { "first_third_bytes_per_s", put_known, NULL },
    { "last_third_bytes_per_s", put_known, NULL },
    { "read_ios", put_read, "ios" },
    { "read_bytes_per_s", put_read, "bytes_per_s" },
    { "read_iops_milli", put_read, "iops_milli" },
    { "read_latency_mean_ns", put_read, "latency_mean_ns" },
    { "read_latency_max_ns", put_read, "latency_max_ns" },
    { "write_ios", put_write, "ios" },
    { "write_bytes_per_s", put_write, "bytes_per_s" },
    { "write_iops_milli", put_write, "iops_milli" },
    { "write_latency_mean_ns", put_write, "latency_mean_ns" },
    { "write_latency_max_ns", put_write, "latency_max_ns" },
    { "written_bytes", put_writing, NULL },
    { "flushes", put_writing, NULL },
    { "flush_mean_ns", put_writing, NULL },
    { "flush_max_ns", put_writing, NULL },
    { "verified_bytes", put_writing, NULL },
    { "verify_complete", put_writing, NULL },
    { "bad_lbas", put_writing, NULL },
    { "bad_kinds", put_bad_kinds, NULL },
    { "first_bad_lba", put_first_bad, NULL },
    { "unwritten_lbas", put_writing, NULL },
};

/* "latency_p99.9_ns" for 999000 ppm. */
static void put_percentile_name(struct text *t, uint32_t ppm)
{
    unsigned decimals = 4;

    for (; decimals && ppm % 10 == 0; decimals--)
        ppm /= 10;
    text_str(t, "latency_p");
    text_fixed(t, ppm, decimals);
    text_str(t, "_ns");
}

static void put_header(struct render_out *o)
{
    char name[48];

    for (unsigned i = 0; i < ARRAY_COUNT(columns); i++) {
        for (unsigned p = 0; p < (columns[i].put == put_percentiles ? PERCENTILE_COUNT : 1); p++) {
            struct text t = text_over(name, sizeof name);

            text_str(&t, i || p ? "," : "");
            if (columns[i].put == put_percentiles)
                put_percentile_name(&t, percentile_ppm[p]);
            else
                text_str(&t, columns[i].name);
            render_bytes(o, name, t.len);
        }
    }
    render_bytes(o, "\r\n", 2);
}

static void put_row(struct render_out *o, const struct source *s)
{
    for (unsigned i = 0; i < ARRAY_COUNT(columns); i++) {
        if (i)
            render_bytes(o, ",", 1);
        columns[i].put(o, s, columns[i].member ? columns[i].member : columns[i].name);
    }
    render_bytes(o, "\r\n", 2);
}

/* Apart from its caller: lines of both would make one frame too large. */
static __attribute__((noinline)) void put_rows(struct render_out *o, const struct run *run)
{
    struct run_lines lines;
    struct journal_line l, disk, side[3];
    char name[28];

    run_lines_start(&lines, run);
    while (!o->failed && run_lines_find(&lines, "step_end", &l)) {
        event_str(&l, "disk", name, sizeof name);
        put_row(o, &(struct source){
                       .step_end = &l,
                       .disk = run_find_disk(run, name, &disk) ? &disk : NULL,
                       .reads = run_find_of_step(run, &l, "step_side", "read", &side[0]) ? &side[0] : NULL,
                       .writes = run_find_of_step(run, &l, "step_side", "write", &side[1]) ? &side[1] : NULL,
                       .writing = run_find_of_step(run, &l, "writing", NULL, &side[2]) ? &side[2] : NULL });
    }
}

void render_csv(const char *journal, size_t len, struct render_out *out)
{
    struct run_walk w;
    struct run run;

    put_header(out);
    run_walk_start(&w, journal, len);
    while (!out->failed && run_walk_next(&w, &run))
        put_rows(out, &run);
}
