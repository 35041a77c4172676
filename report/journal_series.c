#include "journal_line.h"

/* What was measured interval by interval, and the files that a job wants to be made of it. */

static struct json_out *begin(struct line *l, struct journal *j, const char *ev, unsigned step,
                              const char *disk, const char *job)
{
    struct json_out *o = journal_line_begin(l, j, ev);

    json_put_u64(o, "step", step);
    json_put_str(o, "disk", disk);
    json_put_str(o, "job", job);
    return o;
}

static uint64_t value_at(const uint64_t *first, const struct series_view *s, unsigned i)
{
    return *(const uint64_t *)((const char *)first + (size_t)i * s->stride_bytes);
}

static void put_points(struct line *l, const char *key, const uint64_t *first, const struct series_view *s)
{
    json_array_begin(&l->json, key);
    for (unsigned i = 0; i < s->count && !l->text.cut; i++)
        json_put_u64(&l->json, NULL, value_at(first, s, i));
    json_array_end(&l->json);
}

static void put_means(struct line *l, const struct series_view *s)
{
    json_array_begin(&l->json, "mean_ns");
    for (unsigned i = 0; s->sum_ns && i < s->count && !l->text.cut; i++) {
        uint64_t ios = value_at(s->ios, s, i);

        json_put_u64(&l->json, NULL, ios ? value_at(s->sum_ns, s, i) / ios : 0);
    }
    json_array_end(&l->json);
}

void journal_series(struct journal *j, unsigned step, const char *disk, const char *job,
                    const struct series_view *s)
{
    struct line l;
    struct json_out *o = begin(&l, j, "series", step, disk, job);

    json_put_u64(o, "interval_ns", s->interval_ns);
    put_points(&l, "ios", s->ios, s);
    put_points(&l, "bytes", s->bytes, s);
    put_points(&l, "max_ns", s->max_ns, s);
    put_means(&l, s);
    journal_line_end(&l, true);
}

void journal_side_series(struct journal *j, const struct step_result *r, bool writes,
                         const struct series_view *s)
{
    struct line l;
    struct json_out *o = begin(&l, j, "side_series", r->step, r->disk, r->job);

    json_put_str(o, "side", writes ? "write" : "read");
    json_put_u64(o, "interval_ns", s->interval_ns);
    put_points(&l, "ios", s->ios, s);
    put_points(&l, "bytes", s->bytes, s);
    put_means(&l, s);
    journal_line_end(&l, true);
}

void journal_latency_goal(struct journal *j, const struct step_result *r, const struct step_goal *g)
{
    static const char *const outcomes[] = { "open", "found", "limit", "missed" };
    struct line l;
    struct json_out *o = begin(&l, j, "latency_goal", r->step, r->disk, r->job);

    json_put_u64(o, "max_ns", g->max_ns);
    json_put_u64(o, "target_ns", g->target_ns);
    json_put_u64(o, "window_ns", g->window_ns);
    json_put_u64(o, "percentile_ppm", g->percentile_ppm);
    json_put_u64(o, "depth", g->depth);
    json_put_str(o, "outcome", g->target_ns ? outcomes[g->outcome] : "");
    journal_line_end(&l, false);
}

void journal_fio_log(struct journal *j, const struct step_result *r, const struct step_logs *logs)
{
    static const char *const keys[STEP_LOG_COUNT] = { "bw", "iops", "lat" };
    struct line l;
    struct json_out *o = begin(&l, j, "fio_log", r->step, r->disk, r->job);

    json_put_str(o, "rw", r->rw);
    json_put_u64(o, "run_ns", r->run_ns);
    json_put_u64(o, "number", logs->number);
    json_put_u64(o, "asked_ms", logs->asked_ms);
    json_put_u64(o, "per_job", logs->per_job);
    json_put_u64(o, "offset", logs->offset);
    json_put_u64(o, "max", logs->max);
    for (unsigned i = 0; i < STEP_LOG_COUNT; i++)
        json_put_str(o, keys[i], logs->prefix[i] ? logs->prefix[i] : "");
    journal_line_end(&l, false);
}
