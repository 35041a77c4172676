#ifndef RACK_RACK_H
#define RACK_RACK_H
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "outlier.h"
#include "text.h"

/* baresweep-rack: the journals of many machines in one SQLite file, and what can be said of them together. */

/* What the program ends with. */
enum rack_exit {
    RACK_GOOD = 0,
    RACK_FOUND = 1, /* it did its work and there is something to look at */
    RACK_USAGE = 2,
    RACK_BROKEN = 3 /* a file or the database could not be read or written */
};

struct rack {
    sqlite3 *db;
    const char *path;
};
/* Opens or makes the database; for ":memory:" one that ends with the program.  False after a message on
 * stderr. With read_only it must exist and nothing in it can be changed. */
bool rack_open(struct rack *r, const char *path, bool read_only);
void rack_close(struct rack *r);
/* Says on stderr what SQLite refused; always false. */
bool rack_failed(struct rack *r, const char *doing);
bool rack_exec(struct rack *r, const char *sql);
/* NULL after a message.  To be finalized by the caller. */
sqlite3_stmt *rack_prepare(struct rack *r, const char *sql);
/* Text of a column, "" for NULL; valid until the next step. */
const char *rack_text(sqlite3_stmt *s, int column);
/* 0 for what is no whole number; numbers above INT64_MAX are kept as text. */
uint64_t rack_u64(sqlite3_stmt *s, int column);
void rack_bind_u64(sqlite3_stmt *s, int parameter, uint64_t v);
/* Control characters become '?': what a device said goes to a terminal. */
void rack_clean(char *s);
/* The single number that sql yields; 0 when it yields none. */
uint64_t rack_count(struct rack *r, const char *sql);

/* ---- which runs ---- */
struct rack_choice {
    const char *rack, *label, *run; /* NULL: any */
    bool all_runs;                  /* else the latest of each machine */
};
/* Fills the temporary table `chosen` (run_key). */
bool rack_choose(struct rack *r, const struct rack_choice *c);

/* ---- odd drives ---- */
struct rack_drive {
    const char *machine, *disk, *serial, *model, *firmware, *link, *run;
    uint64_t run_key;
    unsigned worse, signs; /* how many of its values are odd: for the worse, at all */
};
struct rack_odd {
    struct outlier o; /* o.cell and its peers live as long as the whole */
    const struct rack_drive *drive;
    uint64_t seq; /* of the step_end in its run */
};
struct rack_outliers {
    struct rack_odd *odd; /* the drives with the most evidence for the worse first */
    size_t odd_count;
    struct outlier_counts counts;
    struct rack_drive *drives;
    size_t drive_count, worse_drives;
    struct rack_work *work;
};
/* Judges the cells of the chosen runs.  False after a message; to be freed either way. */
bool rack_find_outliers(struct rack *r, struct rack_outliers *out);
void rack_free_outliers(struct rack_outliers *o);
/* Each group of peers that is large enough to be judged, with its centre. */
void rack_each_group(struct rack_outliers *o,
                     void (*each)(void *ctx, const struct outlier_peers *peers, size_t count,
                                  enum outlier_metric m, const struct outlier_centre *centre),
                     void *ctx);
/* "350.0 MB/s", "2.50 x" */
void rack_put_value(struct text *t, enum outlier_metric m, uint64_t v);
/* "slow (rate): 350.0 MB/s, the median of 192 peers 500.0 MB/s: 30.0 % less, z 15.1" */
void rack_odd_words(const struct rack_odd *odd, char *buf, size_t cap);

/* ---- missing and different ---- */
struct rack_difference {
    const char *kind; /* "drive missing", ... */
    char machine[80], subject[80];
    char seen[320], expected[320];
    bool worse; /* false: only different */
};
/* Calls say for each of what the chosen runs lack or differ in from the others of their kind.  `expected` is
 * a file with one machine (serial number or UUID) per line, NULL for none. */
bool rack_find_differences(struct rack *r, const char *expected,
                           void (*say)(void *, const struct rack_difference *), void *ctx);

/* ---- sub-commands: argv[0] is the sub-command ---- */
int rack_ingest_main(int argc, char **argv);
int rack_report_main(int argc, char **argv);
int rack_compare_main(int argc, char **argv);
int rack_outliers_main(int argc, char **argv);
int rack_query_main(int argc, char **argv);
int rack_export_main(int argc, char **argv);
int rack_schema_main(int argc, char **argv);
int rack_arm_main(int argc, char **argv);

/* ---- options ---- */
struct rack_option {
    const char *name;  /* "--db" */
    const char *value; /* what the help calls its value, NULL for a switch */
    const char *help;
    size_t offset; /* of a const char * or, for a switch, a bool */
};
/* Takes options out of argv (which keeps argv[0] and what is no option) into the record.  False after a
 * message, or when --help was asked for: *ending is then what to return. */
bool rack_options(int *argc, char **argv, const struct rack_option *options, unsigned count, void *record,
                  const char *usage, int *ending);

#endif
