#ifndef CHECKS_DRIVE_HEALTH_H
#define CHECKS_DRIVE_HEALTH_H
#include "finding_list.h"
#include "health.h"
#include "raid.h"

/* What drives and batteries say about themselves, judged before and after the run.  What a rise means stands
 * in drivers/health.c; what a value means by itself stands here, in one table with a reason each. */

#define THRESHOLD_NONE INT64_MAX
struct health_threshold {
    enum health_value value;
    const char *code, *unit;
    bool low_is_bad; /* below the limit instead of at or above it */
    int64_t warn, fail;
    const char *reason;
};
extern const struct health_threshold health_thresholds[];
extern const unsigned health_threshold_count;

/* before NULL: judged by itself.  One finding per value, warning or rise that is bad; one PASS when the drive
 * tells something and nothing is bad; one CANNOT TELL when it tells nothing. */
void health_judge(const struct disk_health *before, const struct disk_health *now, const char *subject,
                  struct finding_list *out);

/* ---- batteries of RAID cards ---- */
enum { BATTERY_WARN_C = 50, BATTERY_FAIL_C = 60 };
/* Nothing when the card does not tell, or has no cache that a battery could keep. */
void battery_judge(const struct raid_card *card, const char *subject, struct finding_list *out);

#endif
