#ifndef REPORT_UNFINISHED_H
#define REPORT_UNFINISHED_H
#include "runs.h"

/* A run that a person stopped, or that a power cut ended, read out of its journal: what was chosen, which
 * steps of its plan are done, and their lines, which the run that resumes it writes once more as its own.
 * Burn-ins have their own way (resume.h). */
enum { UNFINISHED_MAX_STEPS = 4096 };
struct unfinished_step {
    uint64_t key;               /* of the step of the plan, sweep/plan.h */
    unsigned planned;           /* its number in the plan, from 1 */
    unsigned first, last;       /* numbers of its steps in the journal: one, or one per round */
    unsigned rounds;            /* most */
    const char *begin, *end;    /* its lines */
    bool measured, early, done; /* done: all lanes ended as planned and the medium had it */
    bool taken;                 /* by unfinished_find */
};
struct unfinished {
    struct run run;
    char clock[24];                /* of its start, "" unknown */
    char code[16];                 /* as its end screen shows it */
    struct plan_choice choice;     /* disks: names, see unfinished_has_disk */
    unsigned steps, done_steps;    /* of the plan */
    uint64_t estimate_ns, done_ns; /* of the plan; measured in the steps that are done */
    struct unfinished_step *step;
    unsigned step_count;
    const char *step_at; /* where the step that is being read begins */
    bool began;          /* at least one step */
    bool open;           /* something is left to do: it has no end, or a person stopped it */
};
/* Whether the first bytes of a journal are of this machine. */
bool unfinished_is_of(const char *head, size_t len, const char *machine_serial, const char *machine_uuid);
/* Reads the last run of the text, which stays the caller's and must stay.  steps: UNFINISHED_MAX_STEPS of
 * them, the caller's, too.  False: no run, or one without a plan that could be resumed. */
bool unfinished_read(struct unfinished *u, const char *journal, size_t len, struct unfinished_step *steps);
/* Whether it was chosen in that run: a disk of that name and identity. */
bool unfinished_has_disk(const struct unfinished *u, const char *name, const char *identity);
/* The next step with that key that is done and was not taken yet; NULL: none.  Takes it. */
const struct unfinished_step *unfinished_find(struct unfinished *u, uint64_t key);
/* Forgets what was taken. */
void unfinished_untake(struct unfinished *u);

/* The lines of a step that a resuming run writes, too: the start, what went wrong, results, series; findings
 * are returned for the caller, who raises them anew.  False at the end. */
struct unfinished_lines {
    struct journal_reader reader;
    uint64_t run_id;
};
void unfinished_lines_start(struct unfinished_lines *l, const struct unfinished *u,
                            const struct unfinished_step *s);
bool unfinished_lines_next(struct unfinished_lines *l, struct journal_line *out);
/* Whether it is written as it is, but for its step's number and the flag earlier-start. */
bool unfinished_is_carried(const struct journal_line *l);

#endif
