#include "scaling.h"
#include "math.h"
#include "str.h"

enum { KNEE_PERCENT = 90, FULL_LINK_PERCENT = 90 };

void scaling_judge(const struct scaling_point *p, unsigned count, uint64_t link_bytes_per_s,
                   struct scaling_verdict *out)
{
    *out = (struct scaling_verdict){ .limit = SCALING_UNKNOWN };
    if (count < 2 || !p[0].bytes_per_s || !p[0].disks)
        return;
    for (unsigned i = 0; i < count; i++) {
        uint64_t hoped = mul_div_u64(p[0].bytes_per_s, p[i].disks, p[0].disks);
        if (p[i].bytes_per_s > out->ceiling_bytes_per_s)
            out->ceiling_bytes_per_s = p[i].bytes_per_s;
        if (p[i].bytes_per_s >= mul_div_u64(hoped, KNEE_PERCENT, 100))
            out->knee_disks = p[i].disks;
    }
    if (link_bytes_per_s && out->ceiling_bytes_per_s >= mul_div_u64(link_bytes_per_s, FULL_LINK_PERCENT, 100))
        out->limit = SCALING_LINK;
    else
        out->limit = out->knee_disks == p[count - 1].disks ? SCALING_DISKS : SCALING_CONTROLLER;
}

static const struct {
    const char *key, *words;
} limits[] = {
    [SCALING_UNKNOWN] = { "unknown", "too little was read to say more" },
    [SCALING_DISKS] = { "disks", "no limit reached: each disk adds its own" },
    [SCALING_LINK] = { "link", "the slot's link is full" },
    [SCALING_CONTROLLER] = { "controller",
                             "the link is not full: the card, what lies behind it, or this program limits" },
};

const char *scaling_limit_key(enum scaling_limit limit) { return limits[limit].key; }
const char *scaling_limit_words(enum scaling_limit limit) { return limits[limit].words; }

void scaling_text(const struct scaling_point *p, unsigned count, const struct scaling_verdict *v,
                  struct text *t)
{
    for (unsigned i = 0; i < count; i++)
        text_fmt(t, "%s%u disk%s %llu MB/s", i ? ", " : "", p[i].disks, str_plural(p[i].disks),
                 (unsigned long long)(p[i].bytes_per_s / 1000000));
    text_fmt(t, "; straight up to %u, ceiling %llu MB/s; %s", v->knee_disks,
             (unsigned long long)(v->ceiling_bytes_per_s / 1000000), scaling_limit_words(v->limit));
}
