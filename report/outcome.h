#ifndef REPORT_OUTCOME_H
#define REPORT_OUTCOME_H
#include "runs.h"

/* How a run came out and how far its journal can be trusted, in the same words on every page. */

/* The run's own verdict; of a run without an end what its lines allow: never better than ABORTED. */
enum verdict outcome_verdict(const struct run *run);
/* By a person or by the time that the configuration gives it, whatever the verdict. */
bool outcome_was_stopped(const struct run *run);
/* "2 drives tested, 1 not tested; stopped before its end" */
void outcome_headline(const struct run *run, struct text *t);
/* Calls say() for each sentence that must be read before the numbers: an end that is missing, lines that are
 * lost or damaged, a refused configuration. */
void outcome_reservations(const struct run *run, void (*say)(void *ctx, const char *sentence), void *ctx);
/* Counts in words behind the last run of a text: damaged lines of no run, remains of an earlier one. */
void outcome_leftovers(const struct run_walk *w, void (*say)(void *ctx, const char *sentence), void *ctx);
/* A drive that cannot be read says so itself; the plan's remark on it (a line of kind not_tested) with the
 * same reason is no news. */
bool outcome_is_said_by_its_disk(const struct run *run, const struct journal_line *not_tested);

#endif
