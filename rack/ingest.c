#include "ingest.h"
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "journal.h"
#include "schema.h"
#include "span.h"
#include "str.h"

enum { MOST_DAMAGE_ROWS = 1000, MOST_TABLES = 32 };

struct rack_ingest {
    struct rack *rack;
    const char *rack_name;
    sqlite3_stmt *insert[MOST_TABLES];
    sqlite3_stmt *add_run, *find_run, *name_run, *load_spans, *drop_spans, *put_span, *put_omitted,
        *drop_omitted, *put_other, *put_source, *find_source, *drop_damage, *put_damage;
    /* the run of the line before */
    bool has_run;
    uint64_t run_id;
    sqlite3_int64 run_key;
    struct spans spans;
    char *arena; /* unescaped texts of one line */
    size_t arena_cap, arena_len;
};

/* ---- statements ---- */
static const struct {
    size_t offset;
    const char *sql;
} statements[] = {
#define S(member, sql_)                                                                                      \
    {                                                                                                        \
        offsetof(struct rack_ingest, member), sql_                                                           \
    }
    S(add_run, "INSERT OR IGNORE INTO run(run, rack, machine) VALUES(?1, ?2, 'run:' || ?1)"),
    S(find_run, "SELECT run_key FROM run WHERE run = ?1"),
    S(name_run, "UPDATE run SET machine = ?2, clock = ?3 WHERE run_key = ?1"),
    S(load_spans, "SELECT first_seq, last_seq FROM span WHERE run_key = ?1"),
    S(drop_spans, "DELETE FROM span WHERE run_key = ?1"),
    S(put_span, "INSERT INTO span VALUES(?1, ?2, ?3)"),
    S(put_omitted, "INSERT OR IGNORE INTO omitted VALUES(?1, ?2, ?3)"),
    S(drop_omitted,
      "DELETE FROM omitted WHERE run_key = ?1 AND EXISTS (SELECT 1 FROM span s WHERE s.run_key = ?1 "
      "AND omitted.seq BETWEEN s.first_seq AND s.last_seq)"),
    S(put_other, "INSERT OR IGNORE INTO other VALUES(?1, ?2, ?3, ?4, ?5)"),
    S(put_source,
      "INSERT INTO source(path, bytes, lines, new_lines, damaged) VALUES(?1, ?2, ?3, ?4, ?5) ON "
      "CONFLICT(path) DO UPDATE SET bytes = ?2, lines = ?3, new_lines = new_lines + ?4, damaged = ?5"),
    S(find_source, "SELECT source_key FROM source WHERE path = ?1"),
    S(drop_damage, "DELETE FROM damage WHERE source_key = ?1"),
    S(put_damage, "INSERT OR IGNORE INTO damage VALUES(?1, ?2, ?3)"),
};

static sqlite3_stmt **statement_at(struct rack_ingest *g, unsigned i)
{
    return (sqlite3_stmt **)((char *)g + statements[i].offset);
}

struct rack_ingest *rack_ingest_new(struct rack *r, const char *rack_name)
{
    struct rack_ingest *g = calloc(1, sizeof *g);
    bool good = g != NULL;

    if (!g)
        return NULL;
    _Static_assert(MOST_TABLES >= 18, "one statement per table");
    g->rack = r;
    g->rack_name = rack_name;
    for (unsigned i = 0; good && i < ARRAY_COUNT(statements); i++)
        good = (*statement_at(g, i) = rack_prepare(r, statements[i].sql)) != NULL;
    for (unsigned i = 0; good && i < rack_table_count; i++) {
        char *sql = rack_insert_text(&rack_tables[i]);

        good = sql && (g->insert[i] = rack_prepare(r, sql)) != NULL;
        free(sql);
    }
    if (good)
        return g;
    rack_ingest_free(g);
    return NULL;
}

void rack_ingest_free(struct rack_ingest *g)
{
    if (!g)
        return;
    for (unsigned i = 0; i < ARRAY_COUNT(statements); i++)
        sqlite3_finalize(*statement_at(g, i));
    for (unsigned i = 0; i < rack_table_count; i++)
        sqlite3_finalize(g->insert[i]);
    spans_free(&g->spans);
    free(g->arena);
    free(g);
}

/* Runs a statement that yields no row and makes it ready for the next. */
static bool run_statement(struct rack_ingest *g, sqlite3_stmt *s, const char *doing)
{
    bool good = sqlite3_step(s) == SQLITE_DONE || rack_failed(g->rack, doing);

    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return good;
}

static bool run_with_key(struct rack_ingest *g, sqlite3_stmt *s, sqlite3_int64 key, const char *doing)
{
    sqlite3_bind_int64(s, 1, key);
    return run_statement(g, s, doing);
}

/* ---- the current run ---- */
static bool store_run(struct rack_ingest *g)
{
    if (!g->has_run || !g->spans.changed)
        return true;
    if (!run_with_key(g, g->drop_spans, g->run_key, "spans cannot be replaced"))
        return false;
    for (size_t i = 0; i < g->spans.count; i++) {
        sqlite3_bind_int64(g->put_span, 1, g->run_key);
        rack_bind_u64(g->put_span, 2, g->spans.span[i].first);
        rack_bind_u64(g->put_span, 3, g->spans.span[i].last);
        if (!run_statement(g, g->put_span, "a span cannot be written"))
            return false;
    }
    g->spans.changed = false;
    return run_with_key(g, g->drop_omitted, g->run_key, "omitted lines cannot be replaced");
}

static bool load_spans(struct rack_ingest *g)
{
    bool good = true;
    int got;

    spans_clear(&g->spans);
    sqlite3_bind_int64(g->load_spans, 1, g->run_key);
    while (good && (got = sqlite3_step(g->load_spans)) == SQLITE_ROW)
        good = spans_add_range(&g->spans, rack_u64(g->load_spans, 0), rack_u64(g->load_spans, 1));
    good = good && (got == SQLITE_DONE || rack_failed(g->rack, "spans cannot be read"));
    sqlite3_reset(g->load_spans);
    g->spans.changed = false;
    return good;
}

static bool take_run(struct rack_ingest *g, uint64_t run_id)
{
    char hex[17];
    bool good;

    if (g->has_run && g->run_id == run_id)
        return true;
    if (!store_run(g))
        return false;
    g->has_run = false;
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)run_id);
    sqlite3_bind_text(g->add_run, 1, hex, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(g->add_run, 2, g->rack_name, -1, SQLITE_STATIC);
    if (!run_statement(g, g->add_run, "a run cannot be written"))
        return false;
    sqlite3_bind_text(g->find_run, 1, hex, -1, SQLITE_TRANSIENT);
    good = sqlite3_step(g->find_run) == SQLITE_ROW || rack_failed(g->rack, "a run cannot be found");
    g->run_key = sqlite3_column_int64(g->find_run, 0);
    sqlite3_reset(g->find_run);
    if (!good || !load_spans(g))
        return false;
    g->has_run = true;
    g->run_id = run_id;
    return true;
}

/* What firmware says when nobody gave the machine a number. */
static bool is_filler(const char *s)
{
    static const char *const fillers[] = {
        "",
        "0",
        "none",
        "n/a",
        "unknown",
        "default string",
        "to be filled by o.e.m.",
        "system serial number",
        "not specified",
        "not applicable",
        "123456789",
        "0123456789",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    };

    for (unsigned i = 0; i < ARRAY_COUNT(fillers); i++)
        if (str_equal_nocase(s, fillers[i]))
            return true;
    return false;
}

static bool name_run(struct rack_ingest *g, const struct journal_line *l)
{
    char serial[80], uuid[80], clock[40];
    const char *machine;

    json_str(&l->body, "serial", serial, sizeof serial);
    json_str(&l->body, "uuid", uuid, sizeof uuid);
    json_str(&l->body, "clock", clock, sizeof clock);
    machine = !is_filler(serial) ? serial : !is_filler(uuid) ? uuid : NULL;
    if (!machine) {
        snprintf(serial, sizeof serial, "run:%016llx", (unsigned long long)l->run_id);
        machine = serial;
    }
    sqlite3_bind_int64(g->name_run, 1, g->run_key);
    sqlite3_bind_text(g->name_run, 2, machine, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(g->name_run, 3, clock, -1, SQLITE_TRANSIENT);
    return run_statement(g, g->name_run, "a machine cannot be named");
}

/* ---- a line's members ---- */
/* Room for one text of the line; the whole line's size is reserved before. */
static char *from_arena(struct rack_ingest *g, size_t size)
{
    char *at = g->arena + g->arena_len;

    g->arena_len += size;
    return at;
}

static bool reserve_arena(struct rack_ingest *g, size_t line_len)
{
    size_t want = 2 * line_len + RACK_MAX_COLUMNS * 2 + 64; /* once for the texts, once for `more` */
    char *more;

    g->arena_len = 0;
    if (want <= g->arena_cap)
        return true;
    more = realloc(g->arena, want);
    if (!more)
        return rack_failed(g->rack, "out of memory");
    g->arena = more;
    g->arena_cap = want;
    return true;
}

static void bind_number(sqlite3_stmt *s, int at, const struct json_value *v)
{
    uint64_t n;

    if (v->kind != JSON_NUMBER)
        return;
    if (json_to_u64(v, &n) && n <= INT64_MAX)
        sqlite3_bind_int64(s, at, (sqlite3_int64)n);
    else
        sqlite3_bind_text(s, at, v->at, (int)v->len, SQLITE_STATIC);
}

static void bind_string(struct rack_ingest *g, sqlite3_stmt *s, int at, const struct json_value *v)
{
    char *text;

    if (v->kind != JSON_STRING)
        return;
    text = from_arena(g, v->len);
    json_to_str(v, text, v->len);
    sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

static void bind_flags(struct rack_ingest *g, sqlite3_stmt *s, int at, const struct json_value *v)
{
    struct json_value word;
    size_t cursor = 0, len = 0;
    char *text;

    if (v->kind != JSON_ARRAY)
        return;
    text = from_arena(g, v->len + 1);
    text[0] = 0;
    while (json_next(v, &cursor, NULL, &word)) {
        if (word.kind != JSON_STRING)
            continue;
        if (len)
            text[len++] = '|';
        json_to_str(&word, text + len, word.len);
        len += strlen(text + len);
    }
    sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

static bool key_is(const struct json_value *key, const char *name)
{
    size_t len = strlen(name);

    return key->len == len + 2 && !memcmp(key->at + 1, name, len);
}

static void bind_percentiles(sqlite3_stmt *s, const struct rack_table *t, const struct journal_line *l,
                             const struct json_value *all)
{
    uint64_t iops_milli = json_u64(&l->body, "iops_milli", 0), depth = json_u64(&l->body, "depth", 0);
    struct json_value key, v;
    size_t cursor = 0;

    while (json_next(all, &cursor, &key, &v)) {
        uint64_t ppm, ns;

        if (key.kind != JSON_STRING || !str_to_u64(key.at + 1, key.len - 2, &ppm) || !ppm)
            continue;
        for (unsigned i = 0; i < t->count; i++) {
            if (t->columns[i].ppm != ppm)
                continue;
            if (t->columns[i].kind == RACK_PERCENTILE)
                bind_number(s, (int)i + 4, &v);
            else if (json_to_u64(&v, &ns) && depth <= UINT32_MAX)
                rack_bind_u64(s, (int)i + 4, outlier_tail_milli(ns, iops_milli, (uint32_t)depth));
        }
    }
}

static void bind_column(struct rack_ingest *g, sqlite3_stmt *s, const struct rack_column *c, int at,
                        const struct json_value *v)
{
    if (c->kind == RACK_NUMBER)
        bind_number(s, at, v);
    else if (c->kind == RACK_TEXT)
        bind_string(g, s, at, v);
    else if (c->kind == RACK_FLAGS)
        bind_flags(g, s, at, v);
    else if (c->kind == RACK_JSON && (v->kind == JSON_ARRAY || v->kind == JSON_OBJECT))
        sqlite3_bind_text(s, at, v->at, (int)v->len, SQLITE_STATIC);
}

/* Members without a column, as one object. */
struct more {
    char *text;
    size_t len;
};

static void add_more(struct rack_ingest *g, struct more *m, const struct json_value *key,
                     const struct json_value *v)
{
    static const char *const of_every_line[] = { "v", "run", "seq", "t_ns", "ev", "crc" };

    for (unsigned i = 0; i < ARRAY_COUNT(of_every_line); i++)
        if (key_is(key, of_every_line[i]))
            return;
    if (!m->text)
        m->text = g->arena + g->arena_cap / 2;
    m->text[m->len] = m->len ? ',' : '{';
    memcpy(m->text + m->len + 1, key->at, key->len);
    m->len += 1 + key->len;
    m->text[m->len++] = ':';
    memcpy(m->text + m->len, v->at, v->len);
    m->len += v->len;
}

/* Members come in the order of the columns, as a rule: each search begins behind the last hit. */
static void bind_members(struct rack_ingest *g, sqlite3_stmt *s, const struct rack_table *t,
                         const struct journal_line *l)
{
    struct json_value key, v;
    size_t cursor = 0;
    unsigned next = 0;
    uint64_t taken = 0; /* of two members of one name the first counts, as for all readers */
    bool has_percentiles = false;
    struct more more = { 0 };

    while (json_next(&l->body, &cursor, &key, &v)) {
        if (key_is(&key, "latency_percentile_ns") && v.kind == JSON_OBJECT && !has_percentiles) {
            bind_percentiles(s, t, l, &v);
            has_percentiles = true;
            continue;
        }
        unsigned tried = 0;
        for (; tried < t->count; tried++) {
            unsigned i = (next + tried) % t->count;

            if (t->columns[i].ppm || !key_is(&key, t->columns[i].name))
                continue;
            if (!(taken & BIT_(i)))
                bind_column(g, s, &t->columns[i], (int)i + 4, &v);
            taken |= BIT_(i);
            next = i + 1;
            break;
        }
        if (tried == t->count)
            add_more(g, &more, &key, &v);
    }
    if (more.len) {
        more.text[more.len++] = '}';
        sqlite3_bind_text(s, (int)t->count + 4, more.text, (int)more.len, SQLITE_STATIC);
    }
}

/* ---- lines ---- */
static bool put_other(struct rack_ingest *g, const struct journal_line *l)
{
    sqlite3_bind_int64(g->put_other, 1, g->run_key);
    rack_bind_u64(g->put_other, 2, l->seq);
    rack_bind_u64(g->put_other, 3, l->t_ns);
    sqlite3_bind_text(g->put_other, 4, l->ev, -1, SQLITE_STATIC);
    sqlite3_bind_text(g->put_other, 5, l->body.at, (int)l->body.len, SQLITE_STATIC);
    return run_statement(g, g->put_other, "a line cannot be written");
}

static bool put_omitted(struct rack_ingest *g, const struct journal_line *l)
{
    char of[24];

    json_str(&l->body, "of", of, sizeof of);
    sqlite3_bind_int64(g->put_omitted, 1, g->run_key);
    rack_bind_u64(g->put_omitted, 2, l->seq);
    sqlite3_bind_text(g->put_omitted, 3, of, -1, SQLITE_TRANSIENT);
    return run_statement(g, g->put_omitted, "an omitted line cannot be noted");
}

static bool put_row(struct rack_ingest *g, unsigned table, const struct journal_line *l)
{
    sqlite3_stmt *s = g->insert[table];

    if (!reserve_arena(g, l->body.len))
        return false;
    sqlite3_bind_int64(s, 1, g->run_key);
    rack_bind_u64(s, 2, l->seq);
    rack_bind_u64(s, 3, l->t_ns);
    bind_members(g, s, &rack_tables[table], l);
    return run_statement(g, s, "a line cannot be written");
}

static bool put_line(struct rack_ingest *g, const struct journal_line *l)
{
    for (unsigned i = 0; i < rack_table_count && l->version <= JOURNAL_VERSION; i++)
        if (str_equal(rack_tables[i].ev, l->ev))
            return put_row(g, i, l) && (!str_equal(l->ev, "run_start") || name_run(g, l));
    return put_other(g, l);
}

static bool take_line(struct rack_ingest *g, const struct journal_line *l, struct rack_ingest_counts *c)
{
    if (!take_run(g, l->run_id))
        return false;
    if (str_equal(l->ev, "omitted")) { /* says that there is a line, and is not that line */
        c->omitted++;
        return spans_has(&g->spans, l->seq) || put_omitted(g, l);
    }
    c->lines++;
    c->newer += l->version > JOURNAL_VERSION;
    if (spans_has(&g->spans, l->seq))
        return true;
    c->new_lines++;
    if (!spans_add_range(&g->spans, l->seq, l->seq))
        return rack_failed(g->rack, "out of memory");
    return put_line(g, l);
}

/* ---- a text ---- */
static bool put_source(struct rack_ingest *g, const char *source, size_t len,
                       const struct rack_ingest_counts *c, sqlite3_int64 *key)
{
    sqlite3_stmt *s = g->put_source;
    bool good;

    sqlite3_bind_text(s, 1, source, -1, SQLITE_STATIC);
    rack_bind_u64(s, 2, len);
    rack_bind_u64(s, 3, c->lines);
    rack_bind_u64(s, 4, c->new_lines);
    rack_bind_u64(s, 5, c->damaged);
    if (!run_statement(g, s, "a source cannot be written"))
        return false;
    sqlite3_bind_text(g->find_source, 1, source, -1, SQLITE_STATIC);
    good = sqlite3_step(g->find_source) == SQLITE_ROW || rack_failed(g->rack, "a source cannot be found");
    *key = sqlite3_column_int64(g->find_source, 0);
    sqlite3_reset(g->find_source);
    return good;
}

static bool put_damage(struct rack_ingest *g, sqlite3_int64 key, const char *text, size_t begin, size_t end)
{
    char seen[64];

    while (begin < end && text[begin] != '{')
        begin++;
    str_scrub(seen, sizeof seen, text + begin, end - begin);
    sqlite3_bind_int64(g->put_damage, 1, key);
    rack_bind_u64(g->put_damage, 2, end);
    sqlite3_bind_text(g->put_damage, 3, seen, -1, SQLITE_TRANSIENT);
    return run_statement(g, g->put_damage, "a damaged line cannot be noted");
}

static bool take_text(struct rack_ingest *g, const char *source, const char *text, size_t len,
                      struct rack_ingest_counts *c)
{
    struct journal_reader reader;
    struct journal_line l;
    enum journal_read got;
    sqlite3_int64 key;
    bool good = put_source(g, source, len, c, &key) &&
                run_with_key(g, g->drop_damage, key, "damage cannot be dropped");

    journal_reader_start(&reader, text, len);
    while (good) {
        size_t before = reader.at;

        /* What is known is decided here, by run and seq: a second copy in the same text may fill the gaps of
         * the first, and what an earlier run left behind are good lines of that run. */
        reader.next_seq = 0;
        reader.is_file = false;
        got = journal_reader_next(&reader, &l);
        if (got == JOURNAL_END)
            break;
        if (got == JOURNAL_LINE) {
            good = take_line(g, &l, c);
            continue;
        }
        if (c->damaged++ < MOST_DAMAGE_ROWS)
            good = put_damage(g, key, text, before, reader.at);
    }
    return good && store_run(g) && put_source(g, source, len, c, &key);
}

bool rack_ingest_text(struct rack_ingest *g, const char *source, const char *text, size_t len,
                      struct rack_ingest_counts *counts)
{
    struct rack_ingest_counts c = { .files = 1, .bytes = len };
    bool good;

    if (!rack_exec(g->rack, "SAVEPOINT source"))
        return false;
    good = take_text(g, source, text, len, &c);
    g->has_run = false;
    spans_clear(&g->spans);
    if (!good) {
        sqlite3_exec(g->rack->db, "ROLLBACK TO source; RELEASE source", NULL, NULL, NULL);
        return false;
    }
    if (!rack_exec(g->rack, "RELEASE source"))
        return false;
    counts->files++;
    counts->bytes += c.bytes;
    counts->lines += c.lines;
    counts->new_lines += c.new_lines;
    counts->damaged += c.damaged;
    counts->omitted += c.omitted;
    counts->newer += c.newer;
    return true;
}
