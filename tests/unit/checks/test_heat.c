#include <stdio.h>
#include <string.h>
#include "bits.h"
#include "drive_health.h"
#include "heat.h"
#include "test.h"

static struct disk_health health;
static struct heat_track track;
static struct finding found[4];
static struct finding_list list;

static struct disk_health *at(int64_t celsius)
{
    health_set(&health, HEALTH_TEMPERATURE_C, celsius);
    return &health;
}
static void begin(void)
{
    health = (struct disk_health){ 0 };
    heat_begin(&track, NULL);
    list = (struct finding_list){ .at = found, .capacity = 4 };
}
static void only(const char *code, enum finding_level level, const char *words)
{
    list.count = 0;
    heat_judge(&track, "nvme0n1", "sequential read", &list);
    EQ(list.count, code ? 1 : 0);
    if (!code)
        return;
    EQ_STR(found[0].code, code);
    EQ(found[0].level, level);
    HAS_STR(found[0].seen, words);
}

TEST(a_temperature_is_judged_by_the_drives_own_limits_else_by_the_table)
{
    begin();
    EQ(heat_of(&health), HEAT_UNKNOWN);
    EQ(heat_of(at(64)), HEAT_FINE);
    EQ(heat_of(at(65)), HEAT_WARNING);
    EQ(heat_of(at(74)), HEAT_WARNING);
    EQ(heat_of(at(75)), HEAT_CRITICAL);
    EQ(heat_of(at(INT64_MAX)), HEAT_CRITICAL);
    EQ(heat_of(at(INT64_MIN)), HEAT_FINE);
    health_set(&health, HEALTH_TEMPERATURE_WARNING_C, 80);
    health_set(&health, HEALTH_TEMPERATURE_CRITICAL_C, 85);
    EQ(heat_of(at(79)), HEAT_FINE);
    EQ(heat_of(at(80)), HEAT_WARNING);
    EQ(heat_of(at(84)), HEAT_WARNING);
    EQ(heat_of(at(85)), HEAT_CRITICAL);
    health_set(&health, HEALTH_TEMPERATURE_WARNING_C, 0); /* a drive without that limit says 0 */
    health_set(&health, HEALTH_TEMPERATURE_CRITICAL_C, 0);
    EQ(heat_of(at(64)), HEAT_FINE);
}

TEST(a_drive_that_became_hot_in_a_step_is_named_with_the_step)
{
    begin();
    only(NULL, FINDING_PASS, "");
    heat_look(&track, 0, at(40));
    heat_look(&track, 10 * NS_PER_S, at(64));
    only(NULL, FINDING_PASS, "");
    heat_look(&track, 20 * NS_PER_S, at(65));
    heat_look(&track, 30 * NS_PER_S, at(50));
    only("health-hot", FINDING_WARN, "reached 65 C during sequential read");
    heat_look(&track, 40 * NS_PER_S, at(75));
    only("health-hot", FINDING_FAIL, "reached 75 C");
}

TEST(a_counter_that_rose_in_the_step_means_that_the_drive_slowed_down)
{
    static const enum health_value counters[] = { HEALTH_LIGHT_THROTTLES, HEALTH_HEAVY_THROTTLES,
                                                  HEALTH_WARNING_TEMPERATURE_MINUTES,
                                                  HEALTH_CRITICAL_TEMPERATURE_MINUTES };

    for (unsigned i = 0; i < ARRAY_COUNT(counters); i++) {
        const char *what;

        begin();
        health_set(&health, counters[i], 7);
        heat_look(&track, 0, at(60));
        heat_look(&track, NS_PER_S, at(60));
        CHECK(!heat_slowed(&track, &what) && !what[0]); /* old counts are no news */
        health_set(&health, counters[i], 8);
        heat_look(&track, 2 * NS_PER_S, at(60));
        CHECK(heat_slowed(&track, &what));
        EQ_STR(what, health_rows[counters[i]].words);
        only("health-throttled", FINDING_WARN, "reached 60 C");
    }
}

TEST(what_was_known_before_the_step_is_what_a_rise_rises_from)
{
    struct disk_health before = { 0 };

    begin();
    health_set(&before, HEALTH_LIGHT_THROTTLES, 3);
    heat_begin(&track, &before);
    health_set(&health, HEALTH_LIGHT_THROTTLES, 4);
    heat_look(&track, 0, &health);
    CHECK(heat_slowed(&track, NULL));
    only("health-throttled", FINDING_WARN, "not told");
    heat_begin(&track, &track.last); /* the next step */
    heat_look(&track, NS_PER_S, &health);
    CHECK(!heat_slowed(&track, NULL));
}

TEST(a_long_step_keeps_points_from_begin_to_end)
{
    begin();
    for (unsigned s = 0; s <= 86400; s += 10)
        heat_look(&track, s * NS_PER_S, at(s == 43200 ? 71 : 40));
    EQ(track.looks, 8641);
    CHECK(track.count >= HEAT_POINTS / 2 && track.count <= HEAT_POINTS);
    for (unsigned i = 1; i < track.count; i++)
        CHECK(track.point[i].at_ns - track.point[i - 1].at_ns >= track.spacing_ns / 2);
    CHECK(track.point[0].at_ns < 3600 * NS_PER_S);
    CHECK(track.point[track.count - 1].at_ns > 82800 * NS_PER_S);
    EQ(track.most_c, 71); /* also of a look that was not kept */
}

TEST(temperatures_that_no_drive_can_have_stay_within_the_record)
{
    begin();
    heat_look(&track, 0, at(INT64_MIN));
    EQ(track.most_c, INT16_MIN);
    heat_look(&track, NS_PER_S, at(INT64_MAX));
    EQ(track.most_c, INT16_MAX);
}
