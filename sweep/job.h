#ifndef SWEEP_JOB_H
#define SWEEP_JOB_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "disk.h"
#include "opt.h"
#include "step.h"
#include "text.h"

/* A workload in the words of a fio job file.  docs/jobs.md is made from the option table. */
enum job_rw {
    JOB_READ,
    JOB_RANDREAD,
    JOB_WRITE,
    JOB_RANDWRITE,
    JOB_RW,     /* sequential mix: reads and writes each go on where their last one ended */
    JOB_RANDRW, /* random mix */
    JOB_RW_COUNT
};
static inline bool job_rw_is_random(unsigned rw)
{
    return rw == JOB_RANDREAD || rw == JOB_RANDWRITE || rw == JOB_RANDRW;
}
static inline bool job_rw_is_mix(unsigned rw) { return rw == JOB_RW || rw == JOB_RANDRW; }
static inline bool job_rw_writes(unsigned rw) { return rw >= JOB_WRITE; }
/* What written blocks hold so that reading them back says something. */
enum job_verify {
    JOB_VERIFY_NONE,
    JOB_VERIFY_STAMP,  /* sweep/stamp.h */
    JOB_VERIFY_PATTERN /* verify_pattern again and again, and nothing else */
};
/* A short run of bytes, repeated to fill a block. */
enum { JOB_PATTERN_MAX_BYTES = 32 };
struct job_pattern {
    uint8_t count; /* 0: none given */
    uint8_t byte[JOB_PATTERN_MAX_BYTES];
};
/* Where random blocks lie. */
enum job_distribution { JOB_UNIFORM, JOB_ZIPF, JOB_PARETO, JOB_NORMAL };
/* fio's `ss`: what has to hold still, and how: within a band around its mean, or by its slope. */
enum job_steady { JOB_NOT_STEADY, JOB_SS_IOPS, JOB_SS_IOPS_SLOPE, JOB_SS_BW, JOB_SS_BW_SLOPE };
/* fio's exit_what: the first two are the same here, where jobs that run side by side are a step. */
enum job_exit { JOB_EXIT_GROUP, JOB_EXIT_STONEWALL, JOB_EXIT_ALL };
enum { JOB_MAX_SPLITS = 16 };
struct job_split {
    uint32_t bytes;
    uint8_t percent; /* all add up to 100 */
};
struct job {
    char name[40];      /* section name */
    uint16_t number;    /* as fio counts: the copies of all jobs of a file, from 1; 0: not from a file */
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

    char bssplit[160], bsrange[40], random_distribution[32], ss[24]; /* as written; read into what follows */
    struct job_split split[JOB_MAX_SPLITS];
    uint8_t split_count;         /* 0: every request is block_bytes; else that is the largest */
    uint32_t block_min_bytes;    /* bsrange: from this in steps of this up to block_bytes; 0: no range */
    uint32_t align_bytes;        /* random requests begin at its multiples; 0: as the blocks are */
    uint8_t random_pct;          /* of randread: the others follow the one before them */
    uint8_t distribution;        /* enum job_distribution */
    uint32_t distribution_micro; /* its parameter x 1 000 000; JOB_NORMAL: percent x 1 000 000 */
    uint16_t numjobs;            /* lanes on each disk, reported as one */
    uint64_t increment_bytes;    /* offset of each copy beyond the one before */
    uint8_t increment_pct;
    uint32_t loops;
    uint64_t number_ios; /* ends after so many; 0: no limit */
    uint64_t startdelay_ns;
    uint64_t rate_bytes_per_s; /* 0: as fast as it goes */
    uint32_t rate_iops;
    uint64_t thinktime_ns; /* after each thinktime_blocks: drain, and wait so long */
    uint32_t thinktime_blocks;
    uint32_t log_avg_ms;                                    /* interval of the series; 0: chosen */
    char log_prefix[STEP_LOG_COUNT][STEP_LOG_PREFIX_BYTES]; /* "": the job's name */
    uint8_t logs;                                           /* bit of enum step_log: asked for */
    uint8_t log_offset, log_max_value, per_job_logs;
    char percentile_text[208];                    /* as written; read into what follows */
    uint8_t percentile_count;                     /* 0: none asked for */
    uint32_t percentile_ppm[PERCENTILE_LIST_MAX]; /* ascending, each once */
    uint8_t ss_kind;                              /* enum job_steady */
    uint8_t ss_is_pct; /* the limit is in percent of the mean, else in IOPS or bytes per s */
    uint64_t ss_limit_milli;
    uint64_t ss_dur_ns, ss_ramp_ns;

    uint64_t max_latency_ns; /* a request that takes longer ends the job; 0: none does */
    uint64_t latency_target_ns, latency_window_ns; /* target 0: the depth is iodepth */
    char latency_percentile[16];                   /* as written; read into what follows */
    uint32_t latency_ppm;                          /* of the requests have to keep the target */
    uint8_t latency_run;                           /* goes on when the depth is found */
    uint8_t exitall, exitall_on_error, exit_what;  /* exit_what: enum job_exit */

    uint32_t run_ios;   /* rw=randread:N: each random place begins a run of so many; 0: no run */
    uint64_t gap_bytes; /* rw=read:N: so many are passed over behind each request */
    uint8_t mix_read_pct, mix_write_pct;         /* of a mix; they add up to 100 */
    char verify_text[24];                        /* as written; read into `verify` */
    char verify_pattern[72], buffer_pattern[72]; /* as written; read into what follows */
    struct job_pattern stamp_fill, write_fill;
    uint8_t verify;           /* enum job_verify; of jobs that only read, too */
    char verify_run_text[20]; /* as written; read into what follows */
    uint64_t verify_run;      /* of verify_only: the run whose stamps are looked for; 0: none named */
    uint8_t do_verify, verify_only, verify_fatal;
    uint8_t verify_after_reset; /* between the last flush and reading back */
    uint8_t verify_reverse;     /* reads back from the end (no option: burn-in's own) */
    uint8_t zero_buffers, refill_buffers, scramble_buffers, compress_pct;
    uint32_t compress_chunk_bytes;
    uint32_t fsync_ios, fdatasync_ios; /* flush after so many writes; 0: at the end only */
    uint8_t cache[CACHE_COUNT];        /* enum cache_state to run with; CACHE_UNKNOWN: as it is */
    uint32_t unmet; /* what was asked for that a job which writes cannot have: job_write_refusals, by bit */
};
/* Does it change the disk? */
static inline bool job_writes(const struct job *j) { return job_rw_writes(j->rw) && !j->verify_only; }
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
/* The same for jobs that write; others have it noted.  `harmless` may be several words. */
extern const struct job_refusal job_write_refusals[];
extern const unsigned job_write_refusal_count;
enum { JOB_UNMET_LISTS = 31 }; /* bit of job.unmet: bs=4k,8k and the like, with parts that differ */

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

/* The files that it wants of its series (texts stay the job's); false: none. */
bool job_logs(const struct job *j, struct step_logs *out);

/* Values with a grammar of their own: from the text in the job into its numbers.  False: `why` says what is
 * wrong.  (job_values.c) */
bool job_parse_bssplit(struct job *j, struct text *why);
bool job_parse_bsrange(struct job *j, struct text *why);
bool job_parse_distribution(struct job *j, struct text *why);
bool job_parse_ss(struct job *j, struct text *why);
bool job_parse_percentiles(struct job *j, struct text *why);
bool job_parse_latency_percentile(struct job *j, struct text *why);
bool job_parse_verify(struct job *j, struct text *why);
bool job_parse_verify_pattern(struct job *j, struct text *why);
bool job_parse_buffer_pattern(struct job *j, struct text *why);
bool job_parse_verify_run(struct job *j, struct text *why);
/* What only the whole job can tell about writing and verifying; NULL: nothing is wrong.  `note`: what is done
 * otherwise than asked for. */
const char *job_write_trouble(struct job *j, const char **note);

#endif
