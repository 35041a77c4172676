#ifndef RACK_SCHEMA_H
#define RACK_SCHEMA_H
#include <stdint.h>
#include <stdio.h>
#include "rack.h"

/* One table per kind of line that has columns; all other kinds go into `other` as they stand, and members
 * that no column is for into the column `more` of their row.  SQLite's tables, ClickHouse's, the insert
 * statements and the export walk these rows. */
enum rack_kind {
    RACK_TEXT,
    RACK_NUMBER,     /* as the journal has it; above INT64_MAX as text, so that no digit is lost */
    RACK_JSON,       /* an array or object as it stands */
    RACK_FLAGS,      /* an array of words, joined by | */
    RACK_PERCENTILE, /* of latency_percentile_ns, by ppm */
    RACK_TAIL        /* made from a percentile: outlier_tail_milli */
};
struct rack_column {
    const char *name;
    enum rack_kind kind;
    uint32_t ppm;
};
enum { RACK_MAX_COLUMNS = 64 };
struct rack_table {
    const char *ev, *name;
    const struct rack_column *columns;
    unsigned count;
};
extern const struct rack_table rack_tables[];
extern const unsigned rack_table_count;

enum { RACK_SCHEMA_VERSION = 2, RACK_APPLICATION_ID = 0x42537731 };
/* Writes the statements that make all tables and views. */
void rack_write_schema(FILE *to, bool clickhouse);
/* The same as one text; to be freed. */
char *rack_schema_text(bool clickhouse);
/* "INSERT ... VALUES(?1, ...)" for a table: run_key, seq, t_ns, its columns, more.  To be freed. */
char *rack_insert_text(const struct rack_table *t);

#endif
