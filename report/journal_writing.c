#include "journal_line.h"
#include "math.h"
#include "str.h"

/* What lanes that write leave besides their step_end. */

static struct json_out *begin(struct line *l, struct journal *j, const char *ev, const struct step_result *r)
{
    struct json_out *o = journal_line_begin(l, j, ev);

    json_put_u64(o, "step", r->step);
    json_put_str(o, "disk", r->disk);
    json_put_str(o, "job", r->job);
    return o;
}

static void put_percentile(struct json_out *o, uint32_t ppm, uint64_t ns)
{
    char key[12];

    str_fmt(key, sizeof key, "%u", ppm);
    json_put_u64(o, key, ns);
}

static bool is_usual(uint32_t ppm)
{
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
        if (percentile_ppm[i] == ppm)
            return true;
    return false;
}

/* Only what has samples behind it is written: an absent percentile cannot be taken for a measured 0. */
void journal_line_percentiles(struct json_out *o, uint32_t valid, const uint64_t ns[static PERCENTILE_COUNT],
                              const struct step_asked *asked)
{
    json_object_begin(o, "latency_percentile_ns");
    for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
        if (valid & 1u << i)
            put_percentile(o, percentile_ppm[i], ns[i]);
    for (unsigned i = 0; asked && i < asked->count; i++)
        if (asked->valid & 1u << i && !is_usual(asked->ppm[i]))
            put_percentile(o, asked->ppm[i], asked->ns[i]);
    json_object_end(o);
    if (!asked)
        return;
    json_array_begin(o, "percentile_list_ppm");
    for (unsigned i = 0; i < asked->count; i++)
        json_put_u64(o, NULL, asked->ppm[i]);
    json_array_end(o);
}

static void put_distribution(struct json_out *o, const struct step_side *s)
{
    char key[24];

    journal_line_percentiles(o, s->percentile_valid, s->latency_percentile_ns, s->asked);
    json_object_begin(o, "latency_class_ios");
    for (unsigned i = 0; i < LATENCY_CLASS_COUNT; i++) {
        if (!s->latency_class_ios[i])
            continue;
        str_fmt(key, sizeof(key), "%llu", (unsigned long long)latency_class_ns[i]);
        json_put_u64(o, key, s->latency_class_ios[i]);
    }
    json_object_end(o);
}

void journal_step_side(struct journal *j, const struct step_result *r, const struct step_side *s)
{
    struct line l;
    struct json_out *o = begin(&l, j, "step_side", r);

    json_put_str(o, "side", s->writes ? "write" : "read");
    json_put_u64(o, "ios", s->ios);
    json_put_u64(o, "bytes", s->bytes);
    json_put_u64(o, "run_ns", r->run_ns);
    json_put_u64(o, "bytes_per_s", r->run_ns ? mul_div_u64(s->bytes, 1000000000, r->run_ns) : 0);
    json_put_u64(o, "iops_milli", r->run_ns ? mul_div_u64(s->ios, 1000000000000, r->run_ns) : 0);
    json_put_u64(o, "latency_min_ns", s->latency_min_ns);
    json_put_u64(o, "latency_mean_ns", s->latency_mean_ns);
    json_put_u64(o, "latency_max_ns", s->latency_max_ns);
    json_put_u64(o, "latency_stddev_ns", s->latency_stddev_ns);
    put_distribution(o, s);
    journal_line_end(&l, false);
}

void journal_writing(struct journal *j, const struct step_result *r, const struct step_writing *w,
                     const char *const kinds[static VERIFY_KIND_COUNT])
{
    struct line l;
    struct json_out *o = begin(&l, j, "writing", r);

    json_put_u64(o, "written_bytes", w->written_bytes);
    json_put_u64(o, "flushes", w->flushes);
    json_put_u64(o, "flush_mean_ns", w->flush_mean_ns);
    json_put_u64(o, "flush_min_ns", w->flush_min_ns);
    json_put_u64(o, "flush_max_ns", w->flush_max_ns);
    json_put_u64(o, "fill_ns", w->fill_ns);
    json_put_u64(o, "verifies", w->verifies);
    json_put_u64(o, "verify_complete", w->verify_complete);
    json_put_u64(o, "verified_bytes", w->verified_bytes);
    json_put_u64(o, "verify_ns", w->verify_ns);
    json_put_u64(o, "bad_lbas", w->bad_lbas);
    json_put_u64(o, "first_bad_lba", w->first_bad_lba);
    json_put_u64(o, "unwritten_lbas", w->unwritten_lbas);
    json_object_begin(o, "bad_kinds");
    for (unsigned i = 1; i < VERIFY_KIND_COUNT; i++)
        if (w->bad_kind_lbas[i])
            json_put_u64(o, kinds[i], w->bad_kind_lbas[i]);
    json_object_end(o);
    journal_line_end(&l, false);
}

void journal_verify_error(struct journal *j, const struct step_result *r, const struct verify_error *e)
{
    struct line l;
    struct json_out *o = begin(&l, j, "verify_error", r);
    char hex[20];

    json_put_u64(o, "lba", e->lba);
    json_put_str(o, "kind", e->kind);
    json_put_u64(o, "at_byte", e->at_byte);
    str_fmt(hex, sizeof(hex), "%016llx", (unsigned long long)e->expected);
    json_put_str(o, "expected", hex);
    str_fmt(hex, sizeof(hex), "%016llx", (unsigned long long)e->seen);
    json_put_str(o, "seen", hex);
    json_put_u64(o, "seen_lba", e->seen_lba);
    json_put_u64(o, "seen_pass", e->seen_pass);
    json_put_str(o, "words", e->words);
    journal_line_end(&l, false);
}
