#define _GNU_SOURCE
#include "rack.h"
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "schema.h"
#include "str.h"

/* ---- the database ---- */
bool rack_failed(struct rack *r, const char *doing)
{
    fprintf(stderr, "baresweep-rack: %s: %s: %s\n", r->path, doing,
            r->db ? sqlite3_errmsg(r->db) : "out of memory");
    return false;
}

bool rack_exec(struct rack *r, const char *sql)
{
    return sqlite3_exec(r->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
           rack_failed(r, "a statement was refused");
}

sqlite3_stmt *rack_prepare(struct rack *r, const char *sql)
{
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) != SQLITE_OK)
        rack_failed(r, "a statement was refused");
    return s;
}

uint64_t rack_count(struct rack *r, const char *sql)
{
    sqlite3_stmt *s = rack_prepare(r, sql);
    uint64_t v = 0;

    if (s && sqlite3_step(s) == SQLITE_ROW)
        v = rack_u64(s, 0);
    sqlite3_finalize(s);
    return v;
}

/* Makes the tables in an empty file; refuses one that is not ours. */
static bool check_schema(struct rack *r, bool read_only)
{
    uint64_t id = rack_count(r, "PRAGMA application_id"), version = rack_count(r, "PRAGMA user_version");
    char *schema, pragma[96];
    bool good;

    if (id == RACK_APPLICATION_ID && version == RACK_SCHEMA_VERSION)
        return true;
    if (id == RACK_APPLICATION_ID) {
        fprintf(
            stderr,
            "baresweep-rack: %s has schema %llu and this program wants %d: ingest the journals into a new "
            "file\n",
            r->path, (unsigned long long)version, RACK_SCHEMA_VERSION);
        return false;
    }
    if (read_only || rack_count(r, "SELECT count(*) FROM sqlite_schema")) {
        fprintf(stderr, "baresweep-rack: %s is no database of this program: name another file with --db\n",
                r->path);
        return false;
    }
    schema = rack_schema_text(false);
    snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d; PRAGMA user_version=%d", RACK_APPLICATION_ID,
             RACK_SCHEMA_VERSION);
    good = schema && rack_exec(r, "BEGIN") && rack_exec(r, schema) && rack_exec(r, pragma) &&
           rack_exec(r, "COMMIT");
    free(schema);
    return good;
}

bool rack_open(struct rack *r, const char *path, bool read_only)
{
    int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

    *r = (struct rack){ .path = path };
    if (sqlite3_open_v2(path, &r->db, flags, NULL) != SQLITE_OK) {
        rack_failed(r, read_only ? "cannot be opened (ingest makes it)" : "cannot be opened or made");
        rack_close(r);
        return false;
    }
    sqlite3_busy_timeout(r->db, 10000);
    /* A power cut may cost the last transaction, which the journals can give again, and never the file. */
    if ((read_only || rack_exec(r, "PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536")) &&
        rack_exec(r, "PRAGMA temp_store=MEMORY") && check_schema(r, read_only))
        return true;
    rack_close(r);
    return false;
}

void rack_close(struct rack *r)
{
    sqlite3_close(r->db);
    r->db = NULL;
}

const char *rack_text(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);

    return text ? text : "";
}

void rack_clean(char *s)
{
    for (uint8_t *p = (uint8_t *)s; *p; p++) {
        if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* U+0080 ... U+009F, two bytes */
            *p++ = '?';
        if (*p < 0x20 || *p == 0x7f || (p > (uint8_t *)s && p[-1] == '?' && *p >= 0x80 && *p < 0xa0))
            *p = '?';
    }
}

uint64_t rack_u64(sqlite3_stmt *s, int column)
{
    uint64_t v = 0;
    const char *text;

    if (sqlite3_column_type(s, column) == SQLITE_INTEGER) {
        sqlite3_int64 i = sqlite3_column_int64(s, column);
        return i < 0 ? 0 : (uint64_t)i;
    }
    text = rack_text(s, column);
    return str_to_u64(text, strlen(text), &v) ? v : 0;
}

void rack_bind_u64(sqlite3_stmt *s, int parameter, uint64_t v)
{
    char digits[24];

    if (v <= INT64_MAX) {
        sqlite3_bind_int64(s, parameter, (sqlite3_int64)v);
        return;
    }
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)v);
    sqlite3_bind_text(s, parameter, digits, -1, SQLITE_TRANSIENT);
}

/* ---- which runs ---- */
bool rack_choose(struct rack *r, const struct rack_choice *c)
{
    static const char sql[] =
        "INSERT INTO temp.chosen SELECT run_key FROM machine_run WHERE (?1 IS NULL OR rack = ?1) AND "
        "(?2 IS NULL OR label = ?2) AND (?3 IS NULL OR run = ?3) AND "
        "(?4 OR ?3 IS NOT NULL OR run_key IN (SELECT run_key FROM latest_run))";
    /* The latest of those with that label, where one is asked for. */
    static const char latest_of_label[] =
        "DELETE FROM temp.chosen WHERE run_key NOT IN (SELECT run_key FROM (SELECT run_key, row_number() OVER "
        "(PARTITION BY machine ORDER BY clock DESC, run_key DESC) AS n FROM run JOIN temp.chosen USING(run_key)) "
        "WHERE n = 1)";
    sqlite3_stmt *s;
    bool good;

    if (!rack_exec(
            r,
            "CREATE TEMP TABLE IF NOT EXISTS chosen(run_key INTEGER PRIMARY KEY); DELETE FROM temp.chosen"))
        return false;
    s = rack_prepare(r, sql);
    if (!s)
        return false;
    sqlite3_bind_text(s, 1, c->rack, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, c->label, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, c->run, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 4, c->all_runs || c->label);
    good = sqlite3_step(s) == SQLITE_DONE || rack_failed(r, "runs could not be chosen");
    sqlite3_finalize(s);
    return good && (!c->label || c->all_runs || c->run || rack_exec(r, latest_of_label));
}

/* ---- options ---- */
static void print_help(const struct rack_option *options, unsigned count, const char *usage)
{
    printf("usage: baresweep-rack %s\n\n", usage);
    for (unsigned i = 0; i < count; i++) {
        char left[48];

        snprintf(left, sizeof left, "%s %s", options[i].name, options[i].value ? options[i].value : "");
        printf("  %-22s %s\n", left, options[i].help);
    }
}

static const struct rack_option *option_named(const struct rack_option *options, unsigned count,
                                              const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(options[i].name, name))
            return &options[i];
    return NULL;
}

bool rack_options(int *argc, char **argv, const struct rack_option *options, unsigned count, void *record,
                  const char *usage, int *ending)
{
    int kept = 1;
    bool only_words = false;

    *ending = RACK_USAGE;
    for (int i = 1; i < *argc; i++) {
        const struct rack_option *o;

        if (only_words || argv[i][0] != '-' || !argv[i][1]) {
            argv[kept++] = argv[i];
            continue;
        }
        if (!strcmp(argv[i], "--")) {
            only_words = true;
            continue;
        }
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            print_help(options, count, usage);
            *ending = RACK_GOOD;
            return false;
        }
        o = option_named(options, count, argv[i]);
        if (!o || (o->value && i + 1 == *argc)) {
            fprintf(stderr, "baresweep-rack %s: %s %s; see baresweep-rack %s --help\n", argv[0],
                    o ? "no value after" : "there is no option", argv[i], argv[0]);
            return false;
        }
        if (o->value)
            *(const char **)((char *)record + o->offset) = argv[++i];
        else
            *(bool *)((char *)record + o->offset) = true;
    }
    argv[kept] = NULL;
    *argc = kept;
    return true;
}
