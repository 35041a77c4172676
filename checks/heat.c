#include "heat.h"
#include "bits.h"
#include "drive_health.h"
#include "str.h"

enum { FIRST_SPACING_S = 5 };

/* ---- limits ---- */
static int64_t limit_of(const struct disk_health *h, enum health_value own, bool critical)
{
    if (health_knows(h, own) && h->value[own] > 0) /* 0: the drive has none */
        return h->value[own];
    for (unsigned i = 0; i < health_threshold_count; i++)
        if (health_thresholds[i].value == HEALTH_TEMPERATURE_C)
            return critical ? health_thresholds[i].fail : health_thresholds[i].warn;
    return THRESHOLD_NONE;
}

enum heat heat_of(const struct disk_health *h)
{
    int64_t now = h->value[HEALTH_TEMPERATURE_C];

    if (!health_knows(h, HEALTH_TEMPERATURE_C))
        return HEAT_UNKNOWN;
    if (now >= limit_of(h, HEALTH_TEMPERATURE_CRITICAL_C, true))
        return HEAT_CRITICAL;
    return now >= limit_of(h, HEALTH_TEMPERATURE_WARNING_C, false) ? HEAT_WARNING : HEAT_FINE;
}

/* ---- looks ---- */
/* Every other point goes; the last one stays the last. */
static void make_room(struct heat_track *t)
{
    unsigned kept = 0;

    for (unsigned i = 1; i < t->count; i += 2)
        t->point[kept++] = t->point[i];
    t->count = kept;
    t->spacing_ns *= 2;
}

void heat_begin(struct heat_track *t, const struct disk_health *before)
{
    struct disk_health first = { 0 };

    if (before)
        first = *before; /* it may be the track's own */
    *t = (struct heat_track){
        .spacing_ns = FIRST_SPACING_S * NS_PER_S, .has_first = before, .first = first, .last = first
    };
}

void heat_look(struct heat_track *t, uint64_t now_ns, const struct disk_health *h)
{
    enum heat heat = heat_of(h);
    int64_t told = h->value[HEALTH_TEMPERATURE_C];
    int16_t celsius = (int16_t)(told < INT16_MIN ? INT16_MIN : told > INT16_MAX ? INT16_MAX : told);

    t->looks++;
    if (!t->has_first)
        t->first = *h;
    t->has_first = true;
    t->last = *h;
    if (heat == HEAT_UNKNOWN)
        return;
    t->most_c = t->known && t->most_c > celsius ? t->most_c : celsius;
    t->known = true;
    t->worst = heat > t->worst ? heat : t->worst;
    if (t->count && now_ns - t->point[t->count - 1].at_ns < t->spacing_ns)
        return;
    if (t->count == HEAT_POINTS)
        make_room(t);
    t->point[t->count].at_ns = now_ns;
    t->point[t->count++].celsius = celsius;
}

/* ---- what it means ---- */
bool heat_slowed(const struct heat_track *t, const char **what)
{
    static const enum health_value counters[] = { HEALTH_HEAVY_THROTTLES, HEALTH_LIGHT_THROTTLES,
                                                  HEALTH_CRITICAL_TEMPERATURE_MINUTES,
                                                  HEALTH_WARNING_TEMPERATURE_MINUTES };

    if (what)
        *what = "";
    for (unsigned i = 0; i < ARRAY_COUNT(counters); i++)
        if (health_rose(&t->first, &t->last, counters[i])) {
            if (what)
                *what = health_rows[counters[i]].words;
            return true;
        }
    return false;
}

void heat_judge(const struct heat_track *t, const char *subject, const char *title, struct finding_list *out)
{
    const char *what;
    char most[40] = "its temperature is not told";

    if (t->known)
        str_fmt(most, sizeof most, "it reached %d C", t->most_c);
    if (heat_slowed(t, &what))
        finding_add(out, "health-throttled", FINDING_WARN, subject, "no rise during the run",
                    "%s rose during %s; %s", what, title, most);
    else if (t->worst >= HEAT_WARNING)
        finding_add(out, "health-hot", t->worst == HEAT_CRITICAL ? FINDING_FAIL : FINDING_WARN, subject,
                    "below its limit", "%s during %s", most, title);
}
