#ifndef TESTS_REPORT_SHOWCASE_H
#define TESTS_REPORT_SHOWCASE_H
#include "sample.h"

/* A run as a real machine gives it, for pages and pictures: a fast NVMe drive, two disks with zones of which
 * one fails, one that is locked, a card that is not driven. */
void showcase_run(struct journal *j);
struct memory showcase_text(void);
/* A line of a kind that the writer does not know: `members` begin with "ev". */
void append_line(struct memory *m, uint64_t run_id, uint64_t seq, const char *members);

#endif
