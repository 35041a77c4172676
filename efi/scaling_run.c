#include "scaling_run.h"
#include "bits.h"
#include "record.h"
#include "scaling.h"
#include "serial.h"
#include "str.h"

enum { SCALING_MAX_CURVES = 64 };
static struct curve {
    const struct controller *controller;
    char job[40];
    struct scaling_point point[SCALING_MAX_POINTS];
    unsigned count;
} curves[SCALING_MAX_CURVES];
static unsigned curve_count;

static struct curve *curve_of(const struct plan_lane *l)
{
    for (unsigned i = 0; i < curve_count; i++)
        if (curves[i].controller == l->disk->controller && str_equal(curves[i].job, l->job.name))
            return &curves[i];
    if (curve_count == SCALING_MAX_CURVES)
        return NULL;
    struct curve *c = &curves[curve_count++];
    *c = (struct curve){ .controller = l->disk->controller };
    str_copy(c->job, sizeof c->job, l->job.name);
    return c;
}

void scaling_note(const struct plan_step *step, uint64_t bytes_per_s)
{
    struct curve *c = step->scaling_disks ? curve_of(&step->lanes[0]) : NULL;

    if (c && c->count < SCALING_MAX_POINTS)
        c->point[c->count++] = (struct scaling_point){ step->scaling_disks, bytes_per_s };
}

static void journal_curve(const struct curve *c, const struct scaling_verdict *v)
{
    uint64_t disks[SCALING_MAX_POINTS], rate[SCALING_MAX_POINTS];
    struct scaling_info info = { .controller = c->controller->name,
                                 .job = c->job,
                                 .count = c->count,
                                 .disks = disks,
                                 .bytes_per_s = rate,
                                 .knee_disks = v->knee_disks,
                                 .ceiling_bytes_per_s = v->ceiling_bytes_per_s,
                                 .link_bytes_per_s = c->controller->link_bytes_per_s,
                                 .limit = scaling_limit_key(v->limit),
                                 .words = scaling_limit_words(v->limit) };

    for (unsigned i = 0; i < c->count; i++) {
        disks[i] = c->point[i].disks;
        rate[i] = c->point[i].bytes_per_s;
    }
    journal_scaling(record_journal(), &info);
}

void scaling_tell(void)
{
    char line[400];

    for (unsigned i = 0; i < curve_count; i++) {
        const struct curve *c = &curves[i];
        struct scaling_verdict v;
        struct text t = text_over(line, sizeof line);

        scaling_judge(c->point, c->count, c->controller->link_bytes_per_s, &v);
        text_fmt(&t, "scaling of %s, %s: ", c->controller->name, c->job);
        scaling_text(c->point, c->count, &v, &t);
        journal_curve(c, &v);
        serial_say("%s", line);
    }
}
