#ifndef REPORT_REPEATS_H
#define REPORT_REPEATS_H
#include "runs.h"

/* One bad sector is met by each step that comes by: one line of the journal for each, one finding for people.
 * Of a finding's line: how many lines of the run have the same code, level and subject, itself among them; 0:
 * an earlier line does, and speaks for this one.  1 for codes of which each line tells something else, unless
 * what was seen is the same to the letter. */
unsigned finding_times(const struct run *run, const struct journal_line *finding);
/* "7 more times"; appends nothing for once. */
void finding_times_words(unsigned times, struct text *t);

#endif
