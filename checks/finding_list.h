#ifndef CHECKS_FINDING_LIST_H
#define CHECKS_FINDING_LIST_H
#include "finding.h"

/* What checks say, in the caller's memory.  What does not fit is counted, never lost silently. */
struct finding_list {
    struct finding *at;
    unsigned capacity, count, dropped;
};
/* code is a row of finding_kinds; expected may be NULL. */
void finding_add(struct finding_list *l, const char *code, enum finding_level level, const char *subject,
                 const char *expected, const char *seen_fmt, ...) __attribute__((format(printf, 6, 7)));

#endif
