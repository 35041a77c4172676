#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "bits.h"
#include "rack.h"
#include "schema.h"
#include "step.h"

/* ---- a row in one of the forms ---- */
struct form {
    void (*header)(FILE *to, sqlite3_stmt *s);
    void (*row)(FILE *to, sqlite3_stmt *s);
};

/* RFC 4180; a cell that a spreadsheet would take for a formula is still what the drive said: it is quoted,
 * and stays. */
static void put_csv(FILE *to, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")] && text[0] != ' ') {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

static void csv_header(FILE *to, sqlite3_stmt *s)
{
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        fputs(i ? "," : "", to);
        put_csv(to, sqlite3_column_name(s, i));
    }
    fputs("\r\n", to);
}

static void csv_row(FILE *to, sqlite3_stmt *s)
{
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        fputs(i ? "," : "", to);
        put_csv(to, rack_text(s, i));
    }
    fputs("\r\n", to);
}

static void put_json(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else if ((uint8_t)*text < 0x20 || *text == 0x7f)
            fprintf(to, "\\u%04x", (uint8_t)*text);
        else
            fputc(*text, to);
    }
    fputc('"', to);
}

static void no_header(FILE *to, sqlite3_stmt *s)
{
    (void)to;
    (void)s;
}

static bool is_digits(const char *s) { return s[0] && !s[strspn(s, "0123456789")]; }

/* Of a column without a declared text type: a number too large for SQLite stands there as its digits. */
static bool is_big_number(sqlite3_stmt *s, int i)
{
    const char *type = sqlite3_column_decltype(s, i);

    return sqlite3_column_type(s, i) == SQLITE_TEXT && type && !strcmp(type, "ANY") &&
           is_digits(rack_text(s, i));
}

static void ndjson_row(FILE *to, sqlite3_stmt *s)
{
    fputc('{', to);
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        int type = sqlite3_column_type(s, i);

        fputs(i ? "," : "", to);
        put_json(to, sqlite3_column_name(s, i));
        fputc(':', to);
        if (type == SQLITE_NULL)
            fputs("null", to);
        else if (type == SQLITE_INTEGER || type == SQLITE_FLOAT || is_big_number(s, i))
            fputs(rack_text(s, i), to);
        else
            put_json(to, rack_text(s, i));
    }
    fputs("}\n", to);
}

static void put_tsv(FILE *to, const char *text)
{
    static const char escaped[] = "\t\n\r\\", letter[] = "tnr\\";

    for (; *text; text++) {
        const char *at = strchr(escaped, *text);

        if (at)
            fprintf(to, "\\%c", letter[at - escaped]);
        else
            fputc(*text, to);
    }
}

static void tsv_row(FILE *to, sqlite3_stmt *s)
{
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        const char *type = sqlite3_column_decltype(s, i);
        bool number = type && strcmp(type, "TEXT");

        if (i)
            fputc('\t', to);
        /* What is no whole number would make the loader refuse the file. */
        if (sqlite3_column_type(s, i) == SQLITE_NULL || (number && !is_digits(rack_text(s, i))))
            fputs(number ? "\\N" : "", to);
        else
            put_tsv(to, rack_text(s, i));
    }
    fputc('\n', to);
}

static const struct form csv = { csv_header, csv_row }, ndjson = { no_header, ndjson_row },
                         tsv = { no_header, tsv_row };

static bool write_rows(struct rack *r, const char *sql, const struct form *form, FILE *to)
{
    sqlite3_stmt *s = rack_prepare(r, sql);
    int got;

    if (!s)
        return false;
    form->header(to, s);
    while ((got = sqlite3_step(s)) == SQLITE_ROW && !ferror(to))
        form->row(to, s);
    sqlite3_finalize(s);
    return got == SQLITE_DONE || (ferror(to) ? false : rack_failed(r, "rows cannot be read"));
}

/* ---- what ClickHouse takes ---- */
static bool write_file(struct rack *r, const char *folder, const char *name, const char *sql)
{
    char *path = NULL;
    FILE *to;
    bool good;

    if (asprintf(&path, "%s/%s.tsv", folder, name) < 0)
        return false;
    to = fopen(path, "w");
    good = to && write_rows(r, sql, &tsv, to);
    if (to && fclose(to))
        good = false;
    if (!good)
        fprintf(stderr, "baresweep-rack: %s: could not be written: %s\n", path, strerror(errno));
    free(path);
    return good;
}

static bool write_limits(const char *folder)
{
    char path[4096];
    FILE *to;

    snprintf(path, sizeof path, "%s/outlier_limit.tsv", folder);
    to = fopen(path, "w");
    for (unsigned n = 1; to && n <= OUTLIER_LIMIT_PEERS_MAX; n++)
        fprintf(to, "%u\t%llu\t%llu\n", n, (unsigned long long)outlier_limit_z_milli(n),
                (unsigned long long)outlier_interval_milli(n));
    if (to && !fclose(to))
        return true;
    fprintf(stderr, "baresweep-rack: %s: could not be written: %s\n", path, strerror(errno));
    return false;
}

static bool write_metrics(const char *folder)
{
    char path[4096];
    FILE *to;

    snprintf(path, sizeof path, "%s/outlier_metric.tsv", folder);
    to = fopen(path, "w");
    for (unsigned m = 0; to && m < OUTLIER_METRIC_COUNT; m++) {
        const struct outlier_metric_row *row = &outlier_metrics[m];
        unsigned words = 0;

        fprintf(to, "%s\t%d\t%u\t[", row->name, row->low_is_worse, row->least_effect_permille);
        for (unsigned i = 0; i < step_flag_count; i++)
            if (step_flags[i].flag & row->unusable_flags)
                fprintf(to, "%s'%s'", words++ ? "," : "", step_flags[i].name);
        fputs("]\n", to);
    }
    if (to && !fclose(to))
        return true;
    fprintf(stderr, "baresweep-rack: %s: could not be written: %s\n", path, strerror(errno));
    return false;
}

static bool export_clickhouse(struct rack *r, const char *folder)
{
    bool good = true;

    if (mkdir(folder, 0777) && errno != EEXIST) {
        fprintf(stderr, "baresweep-rack: %s: %s\n", folder, strerror(errno));
        return false;
    }
    for (unsigned i = 0; good && i < rack_table_count; i++) {
        const struct rack_table *t = &rack_tables[i];
        char *sql = NULL;
        size_t len;
        FILE *text = open_memstream(&sql, &len);

        if (!text)
            return false;
        fputs("SELECT run, seq, t_ns", text);
        for (unsigned c = 0; c < t->count; c++)
            fprintf(text, ", t.\"%s\"", t->columns[c].name);
        fprintf(text, ", t.more FROM \"%s\" t JOIN run USING(run_key) ORDER BY run_key, seq", t->name);
        fclose(text);
        good = write_file(r, folder, t->name, sql);
        free(sql);
    }
    return good &&
           write_file(
               r, folder, "run",
               "SELECT run, rack, machine, clock, (run_key IN (SELECT run_key FROM latest_run)) || '' FROM run "
               "ORDER BY run_key") &&
           write_file(
               r, folder, "peer_cell",
               "SELECT run, machine, rack, label, clock, (run_key IN (SELECT run_key FROM latest_run)) || '', "
               "seq, disk, serial, model, firmware, size_bytes, link, policy, controller, job, rw, block_bytes, depth, "
               "flags, bytes_per_s, iops_milli, p50_ns, p99_ns, p999_ns, tail_p99_milli, tail_p999_milli FROM "
               "peer_cell ORDER BY run_key, seq") &&
           write_limits(folder) && write_metrics(folder);
}

/* ---- the sub-commands ---- */
struct export_options {
    const char *db, *table, *tsv;
    bool ndjson;
};

static bool is_table(struct rack *r, const char *name)
{
    sqlite3_stmt *s =
        rack_prepare(r, "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?1");
    bool there;

    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    there = s && sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return there;
}

static bool has_column(struct rack *r, const char *table, const char *column)
{
    sqlite3_stmt *s = rack_prepare(r, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2");
    bool there;

    sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, column, -1, SQLITE_STATIC);
    there = s && sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return there;
}

static int export_table(struct rack *r, const struct export_options *o)
{
    char sql[160];
    bool nameless;

    if (!is_table(r, o->table)) {
        fprintf(stderr, "baresweep-rack export: there is no table %s; baresweep-rack schema names them\n",
                o->table);
        return RACK_USAGE;
    }
    /* A row without its run's name would say nothing to another program. */
    nameless = has_column(r, o->table, "run_key") && !has_column(r, o->table, "run");
    snprintf(sql, sizeof sql,
             nameless ? "SELECT run, t.* FROM \"%s\" t JOIN run USING(run_key)" : "SELECT * FROM \"%s\"",
             o->table);
    return write_rows(r, sql, o->ndjson ? &ndjson : &csv, stdout) && !fflush(stdout) ? RACK_GOOD
                                                                                     : RACK_BROKEN;
}

int rack_export_main(int argc, char **argv)
{
    static const struct rack_option options[] = {
        { "--db", "FILE", "the database (rack.sqlite)", offsetof(struct export_options, db) },
        { "--table", "NAME", "a table or view (peer_cell: measurements with their drives)",
          offsetof(struct export_options, table) },
        { "--ndjson", NULL, "one JSON object per row instead of CSV",
          offsetof(struct export_options, ndjson) },
        { "--tsv", "FOLDER", "all tables for ClickHouse into this folder",
          offsetof(struct export_options, tsv) },
    };
    static const char usage[] = "export [--db FILE] [--table NAME] [--ndjson] > FILE\n"
                                "       baresweep-rack export [--db FILE] --tsv FOLDER\n\n"
                                "Numbers are the journal's, digit by digit.";
    struct export_options o = { .db = "rack.sqlite", .table = "peer_cell" };
    struct rack r;
    int ending;

    if (!rack_options(&argc, argv, options, ARRAY_COUNT(options), &o, usage, &ending))
        return ending;
    if (argc > 1) {
        fprintf(stderr, "baresweep-rack export: what is %s? A table is named with --table\n", argv[1]);
        return RACK_USAGE;
    }
    if (!rack_open(&r, o.db, true))
        return RACK_BROKEN;
    if (o.tsv)
        ending = export_clickhouse(&r, o.tsv) ? RACK_GOOD : RACK_BROKEN;
    else
        ending = export_table(&r, &o);
    rack_close(&r);
    return ending;
}

struct query_options {
    const char *db;
    bool ndjson;
};

static int query(struct rack *r, const char *sql, bool as_ndjson)
{
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) != SQLITE_OK || !s) {
        fprintf(stderr, "baresweep-rack query: %s; baresweep-rack schema shows the tables\n",
                sqlite3_errmsg(r->db));
        return RACK_USAGE;
    }
    if (!sqlite3_stmt_readonly(s) || !sqlite3_column_count(s)) {
        fputs("baresweep-rack query: it only reads: SELECT, WITH, EXPLAIN\n", stderr);
        sqlite3_finalize(s);
        return RACK_USAGE;
    }
    sqlite3_finalize(s);
    return write_rows(r, sql, as_ndjson ? &ndjson : &csv, stdout) && !fflush(stdout) ? RACK_GOOD
                                                                                     : RACK_BROKEN;
}

int rack_query_main(int argc, char **argv)
{
    static const struct rack_option options[] = {
        { "--db", "FILE", "the database (rack.sqlite)", offsetof(struct query_options, db) },
        { "--ndjson", NULL, "one JSON object per row instead of CSV",
          offsetof(struct query_options, ndjson) },
    };
    static const char usage[] =
        "query [--db FILE] [--ndjson] SQL\n\n"
        "One statement that reads.  The file is opened so that nothing can be written.\n"
        "  baresweep-rack query 'SELECT machine, disk, job, bytes_per_s FROM peer_cell'";
    struct query_options o = { .db = "rack.sqlite" };
    struct rack r;
    int ending;

    if (!rack_options(&argc, argv, options, ARRAY_COUNT(options), &o, usage, &ending))
        return ending;
    if (argc != 2) {
        fputs("baresweep-rack query: it takes one statement, in quotes\n", stderr);
        return RACK_USAGE;
    }
    if (!rack_open(&r, o.db, true))
        return RACK_BROKEN;
    ending = query(&r, argv[1], o.ndjson);
    rack_close(&r);
    return ending;
}
