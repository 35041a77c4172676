#ifndef REPORT_RESUME_H
#define REPORT_RESUME_H
#include "journal.h"

/* Unfinished burn-ins, read out of the journals of earlier runs.  A journal is long and may be allocated
 * beyond its end, so it is not read whole: its head says which machine and run it is of, halving finds where
 * its lines end, then windows from there towards its begin are looked through until one holds checkpoints.
 *
 *     resume_run_head(first bytes) -> resume_run_lies_in(...) -> resume_run_window(last bytes) until true
 *
 * A window may begin and end within a line, and hold remains of other runs: only whole lines with a right
 * checksum and the run's id count. */
enum {
    RESUME_MAX_DRIVES = 512,
    RESUME_HEAD_BYTES = 64 << 10,
    RESUME_WINDOW_BYTES = 1 << 20,
    RESUME_PROBE_BYTES = 2 * JOURNAL_LINE_MAX, /* holds at least one whole line wherever it begins */
    RESUME_OVERLAP_BYTES = 2048                /* windows overlap by more than a checkpoint's line is long */
};
struct resume_drive {
    struct burn_in_state state; /* as of its last checkpoint */
    uint64_t run_id, seq;
    char clock[24]; /* of the run, "" unknown */
};
struct resume {
    char machine_serial[64], machine_uuid[40]; /* of the machine that we are in */
    struct resume_drive *drives;               /* the caller's memory, RESUME_MAX_DRIVES */
    unsigned count;
    unsigned other_machines; /* runs that were of another one */
    /* the run that is being read */
    uint64_t run_id;
    char clock[24];
};
/* drives: RESUME_MAX_DRIVES of them, which stay the caller's. */
void resume_start(struct resume *r, const char *machine_serial, const char *machine_uuid,
                  struct resume_drive *drives);
/* The first bytes of a journal.  False: it is of another machine, or no journal; go on to the next run.
 * Runs are offered from the oldest to the newest as far as that is known. */
bool resume_run_head(struct resume *r, const char *text, size_t len);
/* Whether these bytes of the same journal hold a line of it. */
bool resume_run_lies_in(const struct resume *r, const char *text, size_t len);
/* A window of the same journal; windows are offered from the end towards the begin.  True: checkpoints were
 * found in it, windows before it hold nothing newer. */
bool resume_run_window(struct resume *r, const char *text, size_t len);
/* A journal that is in memory as a whole, or the text of a state server. */
void resume_run_text(struct resume *r, const char *text, size_t len);

/* The newest state of that disk, whether it can be resumed or not; NULL: none.  Of the same burn-in the later
 * one counts, of different ones that of the later run. */
const struct burn_in_state *resume_find(const struct resume *r, const char *identity);
/* Whether one and the same run wrote down the newest states of both disks.  (Each start of a burn-in writes
 * down those of its drives that ended, too: a drive that ended in another run is of another burn-in.) */
bool resume_is_of_one_run(const struct resume *r, const char *identity, const char *other);

/* ---- where the lines of a journal end, in a file that is allocated beyond ---- */
/* The number of the last piece of RESUME_PROBE_BYTES that holds lines, by halving; lies_at is asked about the
 * piece that begins at so many bytes.  The first piece holds lines. */
uint64_t resume_last_piece(uint64_t size_bytes, bool (*lies_at)(void *ctx, uint64_t at_bytes), void *ctx);
/* The size to which a journal is cut whose run was broken off; 0: it stays.  preallocated_bytes: the step in
 * which such files grow; one of another size was cut by its own run. */
uint64_t resume_cut_bytes(uint64_t size_bytes, uint64_t preallocated_bytes, uint64_t last_piece);

#endif
