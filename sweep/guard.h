#ifndef SWEEP_GUARD_H
#define SWEEP_GUARD_H
#include <stdbool.h>
#include <stdint.h>
#include "disk.h"

/* The write guard: which disk may be written, decided once per run before the plan is made.  Nobody is asked
 * twice and nothing is granted by default: a disk that was never decided about is "not armed".
 *
 *     guard_look (sweep/guard_content.h) -> guard_decide -> guard_arm opens the gate (drivers/gate.h)
 *     -> the plan asks guard_permit -> before its first step (efi/guard_run.h) the arming goes on record as
 *     used up and our mark onto the disk; a disk for which that fails loses its permit
 */
enum { GUARD_MAX_DISKS = 512, GUARD_HEAD_BYTES = 1 << 20 };
struct write_permit {
    bool granted;
    bool awaits_word; /* not granted: a person has yet to type the word, all else is as it must be */
    /* What a burn-in writes: all of the disk but its first GUARD_HEAD_BYTES.  There the guard keeps a mark
     * that says whose data this is while it is written (so that an interrupted run can be told from an
     * installed system); the mark is taken away, and the head zeroed, at the end of a run that left the disk
     * blank.  0 unless it is granted or awaits the word. */
    uint64_t first_lba, lba_count;
    bool resumes;       /* an interrupted run of the same arming: our own mark is on the disk */
    char arming_id[17]; /* "" when not granted */
    char why_not[200];  /* "" when granted */
};
/* Never NULL.  [any] */
const struct write_permit *guard_permit(const struct disk *d);
/* May a plan have writes to this disk?  They are begun only when the permit is granted by then. */
static inline bool guard_may_plan(const struct write_permit *p) { return p->granted || p->awaits_word; }

/* What becomes of the mark at the end of a run. */
enum guard_leave {
    GUARD_LEAVE_DATA,      /* it says finished: the data stays */
    GUARD_LEAVE_BLANK,     /* head and tail are zeroed, the mark with them */
    GUARD_LEAVE_TO_RESUME, /* it stays as it is: the next start goes on */
};

/* ---- deciding ---- */
struct guard_content;
struct arming_batch;
/* All that the decision rests on.  What is left zero speaks against it. */
struct guard_case {
    const struct disk *disk;
    const struct guard_content *content; /* NULL: was not looked at */
    const struct arming_batch *batch;    /* NULL: nothing is armed */
    const char *batch_problem;           /* why there is no batch although one was asked for; NULL */
    unsigned same_identity;              /* disks of this machine with this identity; 1: only this one */
    bool on_boot_path;                   /* the boot or result medium is behind the same controller */
    bool array_member;                   /* of a RAID card's virtual drive, or read as part of a stripe */
    bool spent;                          /* this disk's arming is on record as used up */
    bool attended;                       /* a person is there, who is asked by a word to be typed ... */
    bool asked, confirmed;               /* ... was asked, for this disk among others, and typed it */
    bool keeps_record;                   /* a used-up arming will be on record at the next start */
    const char *machine_serial, *machine_uuid; /* NULL or "": not known */
};
/* One row per condition, in the order in which they are asked; the first that does not hold refuses. */
struct guard_condition {
    const char *name;
    bool (*holds)(const struct guard_case *c, struct text *why_not);
};
extern const struct guard_condition guard_conditions[];
extern const unsigned guard_condition_count;

/* Decides and keeps the answer for guard_permit; an earlier answer for the disk is replaced.  Returns it. */
const struct write_permit *guard_decide(const struct guard_case *c);
/* The last moment before the first write, minutes after the decision where a person was asked: does the disk
 * hold what it held then?  False: what is there instead, in why_not. */
bool guard_holds_still(const struct guard_content *then, const struct guard_content *now,
                       struct text *why_not);
/* Opens the gate for what the permit of a disk covers.  E_REFUSED: no permit; else what gate_arm says.  On
 * failure the permit is taken back with its reason. */
int guard_arm(const struct disk *d);
/* For the guard's own mark: opens the gate of a disk that guard_arm opened for the whole of it, or narrows it
 * to what the permit covers again.  No lane is open that writes to it.  Fails as guard_arm does. */
int guard_widen(const struct disk *d, bool whole);
/* Takes a permit back, and what the gate got with it. */
void guard_revoke(const struct disk *d, const char *why);
/* Forgets everything. */
void guard_forget_all(void);

#endif
