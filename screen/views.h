#ifndef SCREEN_VIEWS_H
#define SCREEN_VIEWS_H
#include <stdint.h>
#include "grid.h"
#include "step.h"
#include "verdict.h"

/* What a person sees, each screen a pure function of plain values: a test can ask for 0 lanes, 200 lanes, or
 * a lane with 4294967295 errors.  Each returns how far its list can be moved (`first`), if it has one. */

/* A prepared line and what it means. */
struct note {
    char text[240];
    uint8_t ink; /* enum ink */
};

/* ---- before the first step: machine, controllers, disks, what will run ---- */
struct start_view {
    char product[60], machine[160], medium[160], plan[120];
    char unfinished[160];     /* the run that can be resumed; "": none */
    char counts[120];         /* "2 controllers, 14 disks: 12 will be tested" */
    char writes[160];         /* which disks will be written; "": none is */
    char keys[100];           /* the countdown, and what a key does */
    const struct note *notes; /* one per controller or disk; what cannot be used has INK_WARN */
    unsigned note_count;
    bool paused;
};
void view_start(struct grid *g, const struct start_view *v);

/* ---- while it runs ---- */
struct lane_view {
    char disk[24], job[40];
    uint64_t bytes_per_s, iops, p99_ns;
    uint64_t errors;
    uint64_t done, total;   /* for the bar; total 0: unknown */
    uint64_t left_ns;       /* 0: unknown */
    uint16_t temperature_c; /* 0: unknown */
    const char *state;      /* "ramp", "running", "ending", "done", "failed", "stopped", "rests" */
    uint32_t flags;         /* enum step_flag, of what is done */
};
struct controller_view {
    char name[16];
    uint64_t bytes_per_s;
    uint64_t link_bytes_per_s; /* most that its link carries; 0: not known */
};
struct sweep_view {
    char title[80]; /* of the step */
    unsigned step, steps;
    uint64_t elapsed_ns, remaining_ns;
    char worst[200]; /* worst news so far; "" none */
    enum verdict worst_level;
    const struct controller_view *controllers;
    unsigned controller_count, first_controller; /* of those that are shown */
    const struct lane_view *lanes;
    unsigned lane_count, first, chosen; /* chosen: the lane that Enter opens */
    bool keys;                          /* a keyboard may be there */
    bool burn_in; /* lanes are drives in a phase (`job`), remaining and left are at most */
};
/* How many lanes stand on one page of that grid. */
unsigned view_sweep_page(const struct grid *g);
void view_sweep(struct grid *g, const struct sweep_view *v);

/* ---- one disk, while it runs ---- */
enum { DISK_VIEW_SIZES = 20 };
struct size_rate {
    uint32_t block_bytes, flags; /* enum step_flag */
    uint64_t bytes_per_s;
};
struct disk_view {
    const struct lane_view *lane;
    char what[120];                          /* model, serial, firmware, capacity */
    char where[120];                         /* controller, bay, link */
    char state[120];                         /* health and temperature in words */
    struct size_rate sizes[DISK_VIEW_SIZES]; /* sequential reads measured so far, ascending */
    unsigned size_count;
    uint64_t latency_class_ios[LATENCY_CLASS_COUNT]; /* of the job that runs, as step_result has them */
    const struct note *facts;                        /* in place of the charts: of a burn-in */
    unsigned fact_count;
};
void view_disk(struct grid *g, const struct disk_view *v);

/* ---- text to read: help, a disk in words, an earlier run ---- */
struct text_view {
    const char *title, *keys;
    const struct note *notes;
    unsigned note_count, first;
};
unsigned view_text(struct grid *g, const struct text_view *v);

/* ---- the end: the verdict, readable from two metres, then drives, findings, where the results are ---- */
struct end_drive {
    uint8_t verdict; /* enum verdict */
    char bay[16], name[24], model[48], serial[40], why[360];
};
struct end_finding {
    uint8_t level; /* enum finding_level */
    char subject[24], seen[240];
    const char *advice;
    unsigned more; /* the same code on so many other subjects */
};
struct end_view {
    enum verdict verdict;
    char headline[160];
    char code[16]; /* of this run, for a ticket */
    char keys[100];
    const struct end_drive *drives;
    unsigned drive_count;
    const struct end_finding *findings;
    unsigned finding_count;
    unsigned first;  /* row of the list */
    char where[400]; /* where the results are */
};
unsigned view_end(struct grid *g, const struct end_view *v);

#endif
