#ifndef REPORT_FIO_LOGS_H
#define REPORT_FIO_LOGS_H
#include "render.h"
#include "runs.h"

/* The files of fio's write_bw_log, write_iops_log and write_lat_log, made from the series of a journal: lines
 * of "time in ms, value, direction, block size 0, [offset 0,] priority 0", as fio 3.33 writes them for
 * intervals.  bw is in KiB per second, latencies are in ns. */

enum fio_log_kind { FIO_LOG_BW, FIO_LOG_IOPS, FIO_LOG_LAT, FIO_LOG_CLAT, FIO_LOG_KIND_COUNT };

struct fio_log {
    struct run run;
    struct journal_line wish; /* the fio_log line; of a file that jobs share: of the first */
    enum fio_log_kind kind;
    /* "logs/DISK/PREFIX_bw.1.log", of a journal's further runs "logs-RUN/...".  Letters, digits, blanks
     * within, '_', '-', '.' and '+' alone; no two of a journal differ in the case of letters only. */
    char path[160];
};
struct fio_logs {
    struct run_walk walk;
    struct run_lines lines;
    struct fio_log now;
    bool has_run, has_wish;
};
void fio_logs_start(struct fio_logs *w, const char *journal, size_t len);
/* The next file; false: there are no more. */
bool fio_logs_next(struct fio_logs *w, struct fio_log *out);
/* False: the journal does not have the series (a serial line carries none), and the file would be empty. */
bool fio_log_has_series(const struct fio_log *f);
/* Its content. */
void fio_log_render(const struct fio_log *f, struct render_out *out);

#endif
