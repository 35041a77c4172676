#ifndef EFI_RECORD_H
#define EFI_RECORD_H
#include "journal.h"
#include "medium.h"

/* The run's record: one journal whose lines go to memory (from which medium, summary and CSV are fed) and to
 * every serial port. */

enum { RECORD_MAX_BYTES = 64 << 20 };

void record_start(uint64_t run_id);
struct journal *record_journal(void);
const char *record_text(size_t *len);

/* Into the journal, and as a line for people on serial. */
void record_finding(const char *code, enum finding_level level, const char *subject, const char *expected,
                    const char *seen_fmt, ...) __attribute__((format(printf, 5, 6)));
/* The worst finding so far, for the screen: "" when there was none. */
const char *record_worst(enum verdict *level);

/* Moves what drivers logged into the journal, writes the medium, says on serial up to which line the medium
 * holds it.  Firmware is called: only between steps and in holds. */
void record_checkpoint(struct medium *m, unsigned step);
/* Before the verdict: a medium that was lost is tried once more; one that stays away is a warning. */
void record_settle(struct medium *m);
/* The last lines: what drivers still logged, then run_end; all of it on the medium. */
void record_finish(struct medium *m, const struct run_status *status, const struct run_ending *ending);
void record_end(void);

#endif
