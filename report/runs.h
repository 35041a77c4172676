#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H
#include "journal.h"

/* A journal's text may hold several runs.  This walks them and collects of each what every report needs:
 * where it lies, how complete it is, how it ended. */
struct run {
    const char *text; /* of this run alone */
    size_t len;
    size_t disks_len; /* disks are described in text[0..disks_len): before the first result */
    uint64_t run_id, first_seq;
    uint64_t lines, corrupt_lines, missing_lines, repeated_lines, newer_lines;
    uint64_t last_seq, first_t_ns, last_t_ns;
    char last_ev[20];
    uint64_t disks, cells, findings, problems, not_tested, oversize; /* lines of each kind */
    enum finding_level worst_finding; /* FINDING_FAIL, FINDING_WARN, or FINDING_INFO for less */
    uint64_t ends;                    /* 1: has its run_end, which the members below come from */
    enum verdict verdict;
    bool bad_configuration, expectation_missed;
    uint64_t exit_code;
};
struct run_walk {
    struct journal_reader reader;
    uint64_t runs;
};
void run_walk_start(struct run_walk *w, const char *journal, size_t len);
/* The next run of the text.  False at the end: w->reader holds the counts of the whole text. */
bool run_walk_next(struct run_walk *w, struct run *out);

/* The run's lines again, without series; false at the end.  Unreadable lines are passed over.
 *
 * run_walk_next keeps an index of the lines of the run that it found last (one for the whole program: not
 * from two threads at once), so that a page with a part for each of hundreds of drives need not read the
 * whole text for each.  A run that is not in it, or has more lines than it holds, is read from its text. */
struct run_lines {
    struct journal_reader reader;
    uint64_t run_id;
    const char *disk; /* of run_lines_of; else NULL */
    size_t next_mark; /* 1 + place in the index; 0: not looked for */
};
void run_lines_start(struct run_lines *l, const struct run *run);
/* The same; lines about other disks may be left out.  disk, NULL for all, stays the caller's. */
void run_lines_of(struct run_lines *l, const struct run *run, const char *disk);
bool run_lines_next(struct run_lines *l, struct journal_line *out);
/* The next line of that kind. */
bool run_lines_find(struct run_lines *l, const char *ev, struct journal_line *out);

/* The line that begins at that byte of the run's text; false when there is none. */
bool run_line_at(const struct run *run, size_t offset, struct journal_line *out);
/* The series that belongs to a step_end; false when it was left out or lost. */
bool run_find_series(const struct run *run, const struct journal_line *step_end, struct journal_line *out);

/* The line of that kind, and of that side unless it is NULL, that belongs to a step_end; false: there is none
 * behind it in its step. */
bool run_find_of_step(const struct run *run, const struct journal_line *step_end, const char *ev,
                      const char *side, struct journal_line *out);

/* The description of a disk; false when the run has none. */
bool run_find_disk(const struct run *run, const char *name, struct journal_line *out);

/* Member of that name as text, blank-padded or unprintable bytes as '?'; true when it is not empty. */
bool event_str(const struct journal_line *l, const char *key, char *buf, size_t cap);
uint64_t event_u64(const struct journal_line *l, const char *key);
/* True when the member is a string equal to `word` (of at most 95 bytes). */
bool event_is(const struct journal_line *l, const char *key, const char *word);

#endif
