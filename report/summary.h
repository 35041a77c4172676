#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H
#include "page.h"
#include "runs.h"

/* The parts of the human page, each a function of one run. */

/* ---- summary_drive.c: what is said of each drive ---- */
enum { SUMMARY_MAX_DISKS = 256 };
struct drive {
    char name[24];
    bool has_verdict;
    enum verdict verdict;
    uint64_t cells, findings, errors;
    uint32_t common_flags; /* of all cells */
};
bool drive_was_tested(const struct drive *d);
/* Walks the drives that the run describes; only the first SUMMARY_MAX_DISKS are looked up. */
struct drive_walk {
    struct run_lines lines;
    uint64_t count;
};
void drive_walk_start(struct drive_walk *w, const struct run *run);
bool drive_walk_next(struct drive_walk *w, const struct run *run, struct journal_line *l, struct drive *d);

/* ---- summary_machine.c: paths, links, SMBus ---- */
void summary_put_machine_path(struct render_out *o, const struct run *run);
/* RAID cards, virtual drives and drives behind them (summary_raid.c); nothing where there is none. */
void summary_put_raid(struct render_out *o, const struct run *run);

void summary_put_drives(struct render_out *o, const struct run *run);
/* Numbers whose drive's description was lost are numbers all the same. */
void summary_put_orphaned_cells(struct render_out *o, const struct run *run);
void summary_put_other_findings(struct render_out *o, const struct run *run);

/* ---- summary_burn_in.c: of a drive ---- */
/* What it says of itself: in a line, or as a table where it was burnt in. */
void summary_put_health(struct render_out *o, const struct run *run, const struct drive *d);
/* The share that was covered, and the phases; nothing where it was not burnt in. */
void summary_put_burn_in(struct render_out *o, const struct run *run, const struct drive *d);

/* ---- summary_curve.c: what several steps together show ---- */
enum { CURVE_MAX_POINTS = 16, ROUNDS_MAX = 32 };
struct curve_point {
    uint64_t disks, bytes_per_s;
};
/* The points of a `scaling` line; their count. */
unsigned curve_points(const struct journal_line *l, struct curve_point points[static CURVE_MAX_POINTS]);
/* A member that is a list of numbers, at most so many; 0 in place of what is none. */
unsigned event_list(const struct journal_line *l, const char *key, uint64_t *values, unsigned most);
void summary_put_scaling(struct render_out *o, const struct run *run);
void summary_put_rounds(struct render_out *o, const struct run *run);

/* ---- summary_beside.c: what stands beside a cell of a lane that writes or compares ---- */
enum { SUMMARY_BESIDE_COUNT = 4, SUMMARY_BESIDE_MAX = 300 };
/* In words: the reads of a mix, its writes, the flushes, what reading back found.  False: there is no such
 * thing. */
bool summary_beside(const struct run *run, const struct journal_line *step_end, unsigned which,
                    struct text *t);
/* "lost 3, stale 1": the kinds of blocks that are not as written. */
void summary_bad_kinds(const struct journal_line *writing, const char *between, const char *before_count,
                       struct text *t);
/* Appends `before` (unless it would come first) and the member, when it says something. */
void summary_add(struct text *t, const struct journal_line *l, const char *key, const char *before);
/* Of a step_end, as far as this version knows their names; of one name, 0 when unknown. */
uint32_t summary_flags(const struct journal_line *l);
uint32_t summary_flag(const char *name);
/* A blank line and the title, the first time. */
void summary_title_once(struct render_out *o, bool *done, const char *title);
/* Under one title the run's lines of these kinds, kind by kind; nothing when there is none. */
struct summary_kind {
    const char *ev;
    void (*put)(struct render_out *, const struct journal_line *);
};
void summary_put_kinds(struct render_out *o, const struct run *run, const char *title,
                       const struct summary_kind *kinds, size_t n);

#endif
