#include "drive_health.h"
#include "bits.h"
#include "str.h"

const struct health_threshold health_thresholds[] = {
    { HEALTH_TEMPERATURE_C, "health-hot", " C", false, 65, 75,
      "flash drives throttle from about 70 C on, disks are made for 60 C; a drive's own limits come first" },
    { HEALTH_USED_PERCENT, "health-worn", " %", false, 90, 100,
      "at 100 % the maker's promise of endurance is used up; flash often lives longer" },
    { HEALTH_SPARE_PERCENT, "health-worn", " %", true, 20, 10,
      "10 % is the limit that most makers set; below it the drive may turn read-only" },
    { HEALTH_MEDIA_ERRORS, "health-media", "", false, 1, THRESHOLD_NONE,
      "each is data that could not be given back" },
    { HEALTH_REALLOCATED_SECTORS, "health-media", "", false, 1, 50,
      "drives with any fail several times as often; with many the medium is going" },
    { HEALTH_PENDING_SECTORS, "health-media", "", false, 1, 10, "these could not be read the last time" },
    { HEALTH_UNCORRECTABLE_SECTORS, "health-media", "", false, 1, 10,
      "these could not be read in the drive's own test" },
    { HEALTH_INTERFACE_CRC_ERRORS, "health-cable", "", false, 100, THRESHOLD_NONE,
      "a handful comes from plugging; a hundred comes from a bad cable" },
    { HEALTH_SELF_TESTS_FAILED, "health-failing", "", false, 1, THRESHOLD_NONE,
      "the drive's own test found a fault at some time" },
};
const unsigned health_threshold_count = ARRAY_COUNT(health_thresholds);

/* Which finding a rise belongs to. */
static const char *code_of_rise(enum health_value v)
{
    switch (v) {
    case HEALTH_INTERFACE_CRC_ERRORS:
    case HEALTH_POWER_CYCLES:
    case HEALTH_UNSAFE_SHUTDOWNS:
        return "health-cable";
    case HEALTH_LIGHT_THROTTLES:
    case HEALTH_HEAVY_THROTTLES:
    case HEALTH_WARNING_TEMPERATURE_MINUTES:
    case HEALTH_CRITICAL_TEMPERATURE_MINUTES:
        return "health-throttled";
    case HEALTH_SELF_TESTS_FAILED:
        return "health-failing";
    default:
        return "health-media";
    }
}

/* A drive's own limit replaces ours. */
static int64_t own_limit(const struct health_threshold *t, const struct disk_health *h, bool fail)
{
    enum health_value own = t->value == HEALTH_SPARE_PERCENT ? HEALTH_SPARE_THRESHOLD_PERCENT
                            : fail                           ? HEALTH_TEMPERATURE_CRITICAL_C
                                                             : HEALTH_TEMPERATURE_WARNING_C;
    int64_t ours = fail ? t->fail : t->warn;

    if (t->value != HEALTH_TEMPERATURE_C && (t->value != HEALTH_SPARE_PERCENT || !fail))
        return ours;
    return health_knows(h, own) && h->value[own] > 0 ? h->value[own] : ours;
}

static bool is_beyond(const struct health_threshold *t, int64_t v, int64_t limit)
{
    if (limit == THRESHOLD_NONE)
        return false;
    return t->low_is_bad ? v < limit : v >= limit;
}

static unsigned judge_values(const struct disk_health *h, const char *subject, struct finding_list *out)
{
    unsigned bad = 0;

    for (unsigned i = 0; i < health_threshold_count; i++) {
        const struct health_threshold *t = &health_thresholds[i];
        int64_t v = h->value[t->value], fail = own_limit(t, h, true), warn = own_limit(t, h, false);
        char limit[60];

        if (!health_knows(h, t->value) || (!is_beyond(t, v, fail) && !is_beyond(t, v, warn)))
            continue;
        bool fails = is_beyond(t, v, fail);
        str_fmt(limit, sizeof limit, "%s %lld%s", t->low_is_bad ? "at least" : "below",
                (long long)(fails ? fail : warn), t->unit);
        finding_add(out, t->code, fails ? FINDING_FAIL : FINDING_WARN, subject, limit, "%s: %lld%s",
                    health_rows[t->value].words, (long long)v, t->unit);
        bad++;
    }
    return bad;
}

static unsigned judge_warnings(const struct disk_health *h, const char *subject, struct finding_list *out)
{
    unsigned bad = 0;

    for (unsigned i = 0; i < HEALTH_WARNING_COUNT; i++)
        if (health_warns(h, (enum health_warning)i)) {
            bool fails = health_warning_rows[i].fails;

            finding_add(out, i == HEALTH_WARN_TEMPERATURE ? "health-hot" : "health-failing",
                        fails ? FINDING_FAIL : FINDING_WARN, subject, NULL, "%s",
                        health_warning_rows[i].words);
            bad++;
        }
    return bad;
}

static unsigned judge_rises(const struct disk_health *before, const struct disk_health *now,
                            const char *subject, struct finding_list *out)
{
    static const enum finding_level level[] = { [RISE_NORMAL] = FINDING_PASS,
                                                [RISE_INFO] = FINDING_INFO,
                                                [RISE_WARN] = FINDING_WARN,
                                                [RISE_FAIL] = FINDING_FAIL };
    unsigned bad = 0;

    for (unsigned i = 0; i < HEALTH_VALUE_COUNT; i++) {
        const struct health_row *r = &health_rows[i];
        int64_t rose = health_rose(before, now, (enum health_value)i);

        if (!rose || r->rise == RISE_NORMAL)
            continue;
        finding_add(out, code_of_rise((enum health_value)i), level[r->rise], subject,
                    "no rise during the run", "%s rose by %lld to %lld; %s", r->words, (long long)rose,
                    (long long)now->value[i], r->advice);
        bad += r->rise != RISE_INFO;
    }
    return bad;
}

void health_judge(const struct disk_health *before, const struct disk_health *now, const char *subject,
                  struct finding_list *out)
{
    unsigned bad = judge_warnings(now, subject, out) + judge_values(now, subject, out);

    if (before)
        bad += judge_rises(before, now, subject, out);
    if (bad)
        return;
    if (now->known || now->warnings_known)
        finding_add(out, "health-good", FINDING_PASS, subject, NULL,
                    "none of %u values and warnings that it tells is bad",
                    bit_count_u32(now->known) + bit_count_u32(now->warnings_known));
    else
        finding_add(out, "health-unknown", FINDING_CANNOT_TELL, subject, NULL,
                    "the drive tells nothing about itself");
}

void battery_judge(const struct raid_card *card, const char *subject, struct finding_list *out)
{
    const struct raid_battery *b = &card->battery;
    unsigned before = out->count + out->dropped;

    if (b->presence == RAID_BATTERY_NOT_TOLD || !card->memory_mib)
        return;
    if (b->presence == RAID_BATTERY_NONE) {
        finding_add(out, "battery-bad", FINDING_WARN, subject, NULL, "no battery for %u MiB of cache",
                    card->memory_mib);
        return;
    }
    if (b->replace || b->bad)
        finding_add(out, "battery-bad", FINDING_FAIL, subject, NULL, "%s: %s",
                    b->replace ? "the card asks for a new battery" : "it cannot keep the cache", b->words);
    if (b->learn_failed)
        finding_add(out, "battery-bad", FINDING_WARN, subject, NULL, "its last learn cycle failed: %s",
                    b->words);
    if (b->temperature_c >= BATTERY_WARN_C)
        finding_add(out, "battery-bad", b->temperature_c >= BATTERY_FAIL_C ? FINDING_FAIL : FINDING_WARN,
                    subject, "below 50 C", "the battery has %d C", (int)b->temperature_c);
    if (out->count + out->dropped == before)
        finding_add(out, "health-good", FINDING_PASS, subject, NULL, "battery: %s", b->words);
}
