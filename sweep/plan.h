#ifndef SWEEP_PLAN_H
#define SWEEP_PLAN_H
#include <stdbool.h>
#include <stdint.h>
#include "conf.h"
#include "disk.h"
#include "job.h"

/* A plan is a list of steps, run one after another; a step is a set of lanes that run side by side. */
struct plan_lane {
    struct disk *disk;
    struct job job;      /* offsets and sizes resolved to this disk, times scaled */
    uint16_t depth;      /* job.iodepth, or less by the limits of the disk and of bytes in flight */
    bool shared_path;    /* another lane of the step is on the same controller */
    uint16_t copy;       /* of numjobs: the copies of a job on a disk follow its lane 0 and are one result */
    const char *why_not; /* sweep/cache.h: the step runs without it, since; NULL: it runs */
    bool reread;         /* the disk is too small: part of the region was read before in this plan */
    /* Of a job that stamps: the run that its stamps name (plan_name_run).  0 in a job that only verifies: the
     * run of the first sound stamp of this job that comes back. */
    uint64_t stamp_run;
};
struct plan_step {
    struct plan_lane *lanes;
    unsigned lane_count;
    char title[80]; /* "sequential read 64 KiB QD 4, disk 1 of 2 per controller" */
    uint64_t estimate_ns;
    uint16_t rounds;        /* repeated until steady, at most so often; 0 and 1: once */
    uint16_t scaling_disks; /* of the scaling run: so many disks of one controller; else 0 */
};
/* What was asked for and will not run: it becomes NOT-TESTED with this reason. */
struct plan_refusal {
    struct disk *disk; /* NULL: of no disk that is here (a name that fits none, a refused job) */
    char job[40];
    bool wrong_job; /* a line of the job file is at fault, not a disk or the time: exit 2 */
    char why[200];
};
struct plan {
    struct plan_step *steps;
    unsigned step_count;
    struct plan_refusal *refusals;
    unsigned refusal_count;
    uint64_t estimate_ns;
};
/* The default plan of the design's table.  disks: those that are readable and wanted.  At most
 * conf->budget_s in all (scaled); what does not fit is refused with its reason.  E_NOMEM leaves *out empty.
 */
int plan_default(const struct conf *conf, struct disk *const *disks, unsigned disk_count, struct plan *out);
/* From a job file: jobs in order, `stonewall` and file semantics as fio's, names by the design. */
int plan_from_jobs(const struct conf *conf, const struct job_file *jobs, struct disk *const *disks,
                   unsigned disk_count, struct plan *out);
/* plan = burn-in and burn-in-readonly: one step with a lane per drive, for efi/burn_in_run.h.  Drives without
 * a permit to be written are refused with the guard's reason. */
int plan_burn_in(const struct conf *conf, struct disk *const *disks, unsigned disk_count, struct plan *out);
/* How long the steps of such a plan may really take, when devices are slower than the estimate took them for:
 * the budget and the 15 % that an estimate may be off; 0: the plan has no budget.  Scaled up with the planned
 * times, but not down: what a step needs beside its planned time does not become less. */
uint64_t plan_limit_ns(const struct conf *conf);
void plan_free(struct plan *p);
/* Which run the stamps of the plan's lanes name: those written carry run_id.  A job that only verifies looks
 * for the run of its verify_run; else for this one if an earlier step writes the same; else it takes what it
 * finds. */
void plan_name_run(struct plan *p, uint64_t run_id);

/* The same for the same step on the same disks in a later start, and for no other: by it a resumed run knows
 * what it need not measure again.  0: the step must be run again in any case, since it writes or reads back
 * what was written, or a disk of it has no identity. */
uint64_t plan_step_key(const struct plan_step *s);

/* include/exclude of the configuration: is this disk wanted?  Names, serial.XXXX, or what the disk must be:
 * model=PATTERN, size>1t, rotational=yes, kind=nvme (docs/conf.md). */
bool plan_list_has(const char *list, const struct disk *d);
bool plan_wants_disk(const struct conf *conf, const struct disk *d);

#endif
