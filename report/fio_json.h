#ifndef REPORT_FIO_JSON_H
#define REPORT_FIO_JSON_H
#include "pen.h"
#include "runs.h"

/* fio's JSON, as fio 3.33 writes it (docs/reports.md says where each field comes from).  What is ours stands
 * under the key "baresweep" alone. */

/* What fio would have written for this one measurement.  every_percentile: those that too few samples allow
 * are written too, as the largest latency (which they do not exceed), for parsers that want all of them. */
void fio_json_job(const struct run *run, const struct journal_line *step_end, bool every_percentile,
                  struct render_out *out);
/* "randread-32-1-rand-4k-qd32.json"; what does not belong in a file name is '_'. */
void fio_json_file_name(const struct journal_line *step_end, struct text *t);

/* ---- fio_samples.c: bandwidth and IOPS over time, from a series ---- */
struct fio_samples {
    uint64_t count, min, max; /* of the unit */
    uint64_t mean_micro, stddev_micro;
};
/* `key` is "ios" (unit: per second) or "bytes" (unit: KiB per second).  A last point of less than half an
 * interval is left out.  No series: all zero. */
void fio_samples_of(const struct journal_line *series, const char *key, uint64_t run_ns,
                    struct fio_samples *out);

/* ---- fio_clock.c ---- */
/* Seconds since 1970 of "2026-11-30T14:00:00", taken for UTC; 0 when it is no time. */
uint64_t fio_clock_parse(const char *clock);
/* "Mon Nov 30 14:00:00 2026" */
void fio_clock_text(struct text *t, uint64_t seconds);

#endif
