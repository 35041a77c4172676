#ifndef RESULT_STEP_H
#define RESULT_STEP_H
#include <stdbool.h>
#include <stdint.h>
#include "text.h"

/* What one lane of one step measured.  Plain values, copied out of the engine when the step ends. */

/* Percentiles in parts per million; the table is result/step.c's. */
enum { PERCENTILE_COUNT = 14 };
extern const uint32_t percentile_ppm[PERCENTILE_COUNT]; /* 10000 ... 999999 */

/* The percentiles that a job asks for besides (fio's percentile_list). */
enum { PERCENTILE_LIST_MAX = 20, PPM_OF_ALL = 1000000 };
struct step_asked {
    uint8_t count;
    uint32_t ppm[PERCENTILE_LIST_MAX]; /* ascending, each once, 1 to PPM_OF_ALL */
    uint64_t ns[PERCENTILE_LIST_MAX];
    uint32_t valid; /* as percentile_valid; PPM_OF_ALL is the longest, valid with any sample */
};

/* How latencies are spread, in the 32 classes of fio's latency_ns, _us and _ms.  Class i holds those below
 * latency_class_ns[i] that are in no class before it; the last has no upper bound (UINT64_MAX). */
enum { LATENCY_CLASS_COUNT = 32 };
extern const uint64_t latency_class_ns[LATENCY_CLASS_COUNT];

/* Why a number may not be comparable.  The table gives each flag a short name and a sentence. */
enum step_flag {
    FLAG_SPLIT = 1u << 0,           /* requests were several commands */
    FLAG_POLL_GAP = 1u << 1,        /* longest gap between polls above 10 % of p99 */
    FLAG_TOO_SHORT = 1u << 2,       /* too few completions for a number */
    FLAG_ERRORS = 1u << 3,          /* some requests failed: not averaged in */
    FLAG_DEPTH_REDUCED = 1u << 4,   /* the device or the limit of bytes in flight gave a smaller depth */
    FLAG_FIRMWARE_PATH = 1u << 5,   /* through EFI Block I/O: keep out of comparisons */
    FLAG_SHARED_PATH = 1u << 6,     /* other disks on the same controller ran at the same time */
    FLAG_HOST_BOUND = 1u << 7,      /* more than 10 % of the time was spent in our own code */
    FLAG_ENDED_EARLY = 1u << 8,     /* stopped before its planned end */
    FLAG_CLOCK_UNCERTAIN = 1u << 9, /* the time base failed its cross-check */
    /* What went on behind a RAID card meanwhile. */
    FLAG_INITIALISATION = 1u << 10, /* the array is being initialised, or a drive cleared */
    FLAG_CHECK = 1u << 11,          /* consistency check */
    FLAG_REBUILD = 1u << 12,        /* rebuild, copyback or reconstruction */
    FLAG_PATROL = 1u << 13,         /* patrol read */
    FLAG_LEARN = 1u << 14,          /* the battery's learn cycle */
    FLAG_PINNED_CACHE = 1u << 15,   /* part of the cache is taken by data of drives that are gone */
    FLAG_WITHIN_CACHE = 1u << 16,   /* the region is not larger than the card's memory */
    /* Numbers that cannot be what they seem. */
    FLAG_ABOVE_LINK = 1u << 17,    /* faster than the controller's link can carry */
    FLAG_BLANK = 1u << 18,         /* every look at the data found one and the same word */
    FLAG_TOO_FAST = 1u << 19,      /* random reads of a turning disk without its seeks: a cache answers */
    FLAG_UNEVEN = 1u << 20,        /* first and last third differ by more than a tenth */
    FLAG_NOT_STEADY = 1u << 21,    /* ended without the steady state that was asked for */
    FLAG_HOT = 1u << 22,           /* the drive slowed itself down because of heat */
    FLAG_NUMA = 1u << 23,          /* several memory nodes, and the controller's is not known */
    FLAG_EARLIER_START = 1u << 24, /* measured before the run was interrupted and resumed */
    FLAG_RETRIES = 1u << 25,       /* some requests succeeded only when they were repeated */
    FLAG_NARROW_LINK = 1u << 26,   /* a link on the way ran below what both its ends can do */
    FLAG_MIXED_SIZES = 1u << 27,   /* requests of several sizes; the block size is the largest */
    FLAG_CACHE = 1u << 28          /* with caches of the drive as the job asks, not as its settings say */
};
struct step_flag_row {
    uint32_t flag;
    const char *name, *sentence;
};
/* One row per flag, in the order of the bits. */
extern const struct step_flag_row step_flags[];
extern const unsigned step_flag_count;

enum { SERIES_MAX_POINTS = 600 };

struct step_result {
    uint32_t step; /* number of the step in the run */
    char disk[24], job[40];
    char rw[12]; /* "read", "randread" */
    uint32_t block_bytes;
    uint32_t command_bytes; /* of one device command; smaller than block_bytes: split */
    uint16_t depth_asked, depth;
    uint64_t first_lba, span_lbas; /* the region that was used */
    uint64_t ios, bytes, errors, retries;
    uint64_t run_ns; /* measured time, holds and ramp taken off */
    uint64_t held_ns, ramp_ns;
    uint64_t latency_min_ns, latency_mean_ns, latency_max_ns, latency_stddev_ns;
    uint64_t latency_class_ios[LATENCY_CLASS_COUNT];
    uint64_t latency_percentile_ns[PERCENTILE_COUNT];
    uint32_t percentile_valid;      /* bit i: at least ten samples lie above percentile i */
    const struct step_asked *asked; /* the lane's; NULL: none */
    uint64_t longest_poll_gap_ns;
    uint64_t busy_ns; /* spent in submit and reap */
    uint64_t first_third_bytes_per_s,
        last_third_bytes_per_s; /* of the measured time; 0 both: too short to tell */
    uint32_t flags;
    bool wrapped; /* a sequential job came to the end of its span and began again */
};
/* The reads, or the writes, of a mix by themselves: what of step_result differs. */
struct step_side {
    bool writes;
    uint64_t ios, bytes;
    uint64_t latency_min_ns, latency_mean_ns, latency_max_ns, latency_stddev_ns;
    uint64_t latency_class_ios[LATENCY_CLASS_COUNT];
    uint64_t latency_percentile_ns[PERCENTILE_COUNT];
    uint32_t percentile_valid;
    const struct step_asked *asked; /* as in step_result */
};

/* What a job wants of its latencies: fio's max_latency and latency_target. */
enum target_outcome {
    TARGET_OPEN,  /* ended before it was found */
    TARGET_FOUND, /* one request more in flight did not keep it */
    TARGET_LIMIT, /* kept with as many as the job allows */
    TARGET_MISSED /* not kept with one */
};
struct step_goal {
    uint64_t max_ns;               /* no request may take longer; 0: not asked for */
    uint64_t target_ns, window_ns; /* 0: not asked for */
    uint32_t percentile_ppm;       /* of the requests of a window have to keep the target */
    uint16_t depth;                /* of the numbers in the result */
    uint8_t outcome;               /* enum target_outcome */
};

/* The files that a job asks for with fio's write_bw_log and its kin; they are made from the series. */
enum step_log { STEP_LOG_BW, STEP_LOG_IOPS, STEP_LOG_LAT, STEP_LOG_COUNT };
enum { STEP_LOG_PREFIX_BYTES = 64 };
struct step_logs {
    const char *prefix[STEP_LOG_COUNT]; /* how the file's name begins; NULL: not asked for */
    unsigned number;                    /* of the job in its file, in the file's name */
    uint32_t asked_ms;                  /* interval that was asked for; 0: each request by itself */
    bool per_job;                       /* else jobs with the same prefix share one file */
    bool offset;                        /* a column more */
    bool max;                           /* the longest latency of each interval in place of the mean */
};

/* What a lane that writes, or checks what was written, did besides. */
enum { VERIFY_KIND_COUNT = 6 }; /* enum stamp_kind of sweep/stamp.h */
struct step_writing {
    bool writes, verifies;
    uint64_t written_bytes;
    uint64_t flushes, flush_mean_ns, flush_min_ns,
        flush_max_ns;                   /* of the disk's cache; part of the measured time */
    uint64_t fill_ns;                   /* spent in making stamps; part of the measured time */
    uint64_t verified_bytes, verify_ns; /* read back and compared, after the measured time */
    uint64_t bad_lbas, first_bad_lba;   /* not as written; the lowest */
    uint64_t unwritten_lbas; /* nor these, but their writes failed: errors already, not in bad_lbas */
    uint64_t bad_kind_lbas[VERIFY_KIND_COUNT];
    bool verify_complete; /* all that was written was read back */
};

/* Whole-number rates, rounded down; 0 when nothing was measured, UINT64_MAX when it does not fit. */
uint64_t step_bytes_per_s(const struct step_result *r);
uint64_t step_iops_milli(const struct step_result *r); /* IOPS x 1000 */

/* What is written in place of rates and latencies that too few requests stand behind; NULL: they may be
 * written. All that prints a result asks this.  (Counts, and the journal, are exact whatever they are.) */
const char *step_no_number(uint32_t flags);
/* " [split, host-bound]": the names of all flags, for one line of text; nothing without any. */
void step_flag_words(uint32_t flags, struct text *t);

/* One failed request, as kept for the journal. */
struct io_error_record {
    uint64_t lba;    /* first bad LBA when it could be located, else of the command */
    uint32_t blocks; /* length of what is known bad */
    bool located;    /* narrowed down by reading in smaller pieces */
    uint8_t op;      /* enum io_op of drivers/disk.h */
    uint8_t status;  /* enum io_status of drivers/disk.h */
    uint32_t detail;
    uint64_t at_ns;
};
enum { LANE_MAX_ERROR_RECORDS = 16 };

#endif
