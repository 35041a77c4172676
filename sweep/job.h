#ifndef SWEEP_JOB_H
#define SWEEP_JOB_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "opt.h"
#include "text.h"

/* A workload in the words of a fio job file.  docs/jobs.md is made from the option table. */
enum job_rw { JOB_READ, JOB_RANDREAD, JOB_RW_COUNT };
struct job {
    char name[40];      /* section name */
    unsigned line;      /* where its section stands, for messages */
    char filename[256]; /* our disk names, a colon between them; "" or "all": every disk of the plan */
    char description[120];
    uint8_t rw;         /* enum job_rw */
    uint8_t time_based; /* goes on after its bytes are done, until runtime */
    uint8_t stonewall;  /* waits for the jobs before it (fio: without it jobs run side by side) */
    uint16_t iodepth;
    uint32_t block_bytes;
    uint64_t offset_bytes; /* first byte of the region */
    uint64_t size_bytes;   /* length of the region; 0: to the end of the disk */
    uint64_t io_bytes;     /* stop after so many; 0: after size (unless time_based) */
    uint64_t runtime_ns;   /* 0: no limit by time */
    uint64_t ramp_ns;      /* runs, but is not measured */
    uint64_t randseed;
    uint8_t norandommap; /* random blocks may come twice; else each comes once before any comes again */
    uint8_t offset_pct, size_pct, io_pct; /* as given with a '%'; 0: given in bytes */
};
extern const struct opt job_options[];
extern const unsigned job_option_count;
const char *job_rw_text(enum job_rw rw);

/* Options of fio that would change the workload and that this version cannot honour: refused, never
 * skipped.  `harmless`: a value that asks for what happens anyway (NULL: none), accepted. */
struct job_refusal {
    const char *name, *harmless, *why;
};
extern const struct job_refusal job_refusals[];
extern const unsigned job_refusal_count;

enum { JOB_FILE_MAX_JOBS = 64, JOB_FILE_MAX_PROBLEMS = 16 };
struct job_problem {
    unsigned line;
    char job[40];
    char text[240]; /* what, nearest word, what to do */
};
struct job_file {
    struct job global; /* what the [global] sections said so far */
    bool global_refused;
    struct job jobs[JOB_FILE_MAX_JOBS];
    bool refused[JOB_FILE_MAX_JOBS]; /* its job is NOT-TESTED; the others run */
    unsigned job_count;
    struct job_problem problems[JOB_FILE_MAX_PROBLEMS];
    unsigned problem_count;                          /* may exceed what is kept */
    struct job_problem notes[JOB_FILE_MAX_PROBLEMS]; /* options without meaning here */
    unsigned note_count;
};
/* Reads a whole job file.  Always fills *out; true when nothing was refused.  A wrong line refuses its job,
 * one in [global] (or before any section) all jobs after it. */
bool job_file_read(const char *text, size_t len, struct job_file *out);

#endif
