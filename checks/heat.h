#ifndef CHECKS_HEAT_H
#define CHECKS_HEAT_H
#include "finding_list.h"
#include "health.h"

/* How warm a drive is while it works, and whether it slowed itself down.  Fed with what the drive says of
 * itself each time that the engine holds; who pauses or ends a lane by temperature asks heat_of. */

enum heat {
    HEAT_UNKNOWN, /* the drive tells no temperature */
    HEAT_FINE,
    HEAT_WARNING, /* at or above the drive's warning limit, else that of health_thresholds */
    HEAT_CRITICAL
};
enum heat heat_of(const struct disk_health *h);

enum { HEAT_POINTS = 60 };
/* One drive in one step. */
struct heat_track {
    unsigned count;
    uint64_t spacing_ns; /* points closer than that are not kept; doubles when all room is used */
    struct {
        uint64_t at_ns;
        int16_t celsius;
    } point[HEAT_POINTS];
    unsigned looks;
    bool has_first;
    bool known; /* some look told a temperature: most_c holds */
    int16_t most_c;
    enum heat worst;
    struct disk_health first, last; /* what rises between them rose in the step */
};
/* Begins anew; before: what the drive said before the step, NULL: not known, the first look stands for it. */
void heat_begin(struct heat_track *t, const struct disk_health *before);
/* A look at that time; times do not fall. */
void heat_look(struct heat_track *t, uint64_t now_ns, const struct disk_health *h);
/* Whether a counter of throttling or of time spent too hot rose in the step; *what (may be NULL)
 * names the counter, "" when none did. */
bool heat_slowed(const struct heat_track *t, const char **what);
/* At most one finding, about the step named by `title`: the drive slowed itself down (WARN), or went beyond
 * its critical limit (FAIL) or its warning limit (WARN) without saying that it slowed down. */
void heat_judge(const struct heat_track *t, const char *subject, const char *title, struct finding_list *out);

#endif
