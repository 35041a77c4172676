#ifndef RESULT_FINDING_H
#define RESULT_FINDING_H
#include "text.h"
#include "verdict.h"

/* A finding explains: what was seen, what was expected, how sure, what to do. */
struct finding {
    const char *code; /* row of finding_kinds, e.g. "io-error" */
    enum finding_level level;
    char subject[24]; /* disk or controller name, "run", "stick", "clock" */
    char seen[240];
    char expected[120];
};
/* One row per code: the words that do not depend on the case. */
struct finding_kind {
    const char *code;
    const char *title;
    const char *advice; /* what to do, for a person with a screwdriver */
    enum { SURE, LIKELY, HINT } certainty;
};
extern const struct finding_kind finding_kinds[];
extern const unsigned finding_kind_count;
const struct finding_kind *finding_kind(const char *code); /* NULL when unknown */

#endif
