#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "crc.h"
#include "ingest.h"
#include "journal.h"
#include "rack.h"
#include "schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(cond)                                                                                        \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            abort();                                                                                         \
    } while (0)

/* One database in memory; what an input leaves in it is rolled back. */
static struct rack rack;
static struct rack_ingest *ingest;

static const struct rack_choice all_runs = { .all_runs = true };

static void open_once(void)
{
    if (rack.db)
        return;
    REQUIRE(rack_open(&rack, ":memory:", false));
    /* Makes its temporary table now: a change of schema that is rolled back would have all statements made
     * anew. */
    REQUIRE(rack_choose(&rack, &all_runs));
    ingest = rack_ingest_new(&rack, "rack");
    REQUIRE(ingest);
}

/* Good lines that are no "omitted", by the journal's own reader; each counts as often as it stands there. */
static uint64_t count_lines(const char *text, size_t size, uint64_t *damaged)
{
    struct journal_reader r;
    struct journal_line l;
    enum journal_read got;
    uint64_t lines = 0;

    *damaged = 0;
    journal_reader_start(&r, text, size);
    for (;;) {
        r.next_seq = 0;
        r.is_file = false;
        got = journal_reader_next(&r, &l);
        if (got == JOURNAL_END)
            return lines;
        *damaged += got == JOURNAL_CORRUPT;
        lines += got == JOURNAL_LINE && strcmp(l.ev, "omitted");
    }
}

static uint64_t count_rows(void)
{
    static sqlite3_stmt *count;
    uint64_t rows;

    if (!count) {
        char sql[4096];
        struct text t = text_over(sql, sizeof sql);

        text_str(&t, "SELECT (SELECT count(*) FROM other)");
        for (unsigned i = 0; i < rack_table_count; i++)
            text_fmt(&t, " + (SELECT count(*) FROM \"%s\")", rack_tables[i].name);
        count = rack_prepare(&rack, sql);
    }
    REQUIRE(count && sqlite3_step(count) == SQLITE_ROW);
    rows = rack_u64(count, 0);
    sqlite3_reset(count);
    return rows;
}

/* Every good line is one row and lies in one span; spans neither touch nor overlap.  Numbers beyond 63 bits
 * are text, which SQLite orders behind all numbers: they are left out of the sums. */
static void check_spans(uint64_t rows)
{
    static const char big[] =
        "SELECT count(*) FROM span WHERE typeof(first_seq) = 'text' OR typeof(last_seq) = 'text'";

    REQUIRE(!rack_count(&rack, "SELECT count(*) FROM span WHERE last_seq < first_seq"));
    if (rack_count(&rack, big))
        return;
    REQUIRE(rack_count(&rack, "SELECT ifnull(sum(last_seq - first_seq + 1), 0) FROM span") == rows);
    REQUIRE(!rack_count(
        &rack, "SELECT count(*) FROM span a JOIN span b USING(run_key) WHERE b.first_seq > a.first_seq "
               "AND b.first_seq <= a.last_seq + 1"));
}

static void look_at_it(void)
{
    struct rack_outliers found;
    char words[240];

    REQUIRE(rack_choose(&rack, &all_runs));
    REQUIRE(rack_find_outliers(&rack, &found));
    for (size_t i = 0; i < found.odd_count; i++)
        rack_odd_words(&found.odd[i], words, sizeof words);
    rack_free_outliers(&found);
}

static void check_all(const char *text, size_t size)
{
    struct rack_ingest_counts first = { 0 }, again = { 0 };
    uint64_t damaged, lines = count_lines(text, size, &damaged), rows;

    REQUIRE(rack_exec(&rack, "BEGIN"));
    REQUIRE(rack_ingest_text(ingest, "input", text, size, &first));
    REQUIRE(first.lines == lines && first.damaged == damaged && first.new_lines <= lines);
    rows = count_rows();
    REQUIRE(rows == first.new_lines);
    check_spans(rows);
    REQUIRE(rack_ingest_text(ingest, "input", text, size, &again));
    REQUIRE(again.lines == lines && !again.new_lines && count_rows() == rows);
    look_at_it();
    REQUIRE(rack_exec(&rack, "ROLLBACK"));
}

/* Gives every line that has room for one its right checksum: chance would find none. */
static void seal(char *text, size_t size)
{
    static const char key[] = ",\"crc\":\"";
    char *end = text + size;

    for (char *at = text; (at = memmem(at, (size_t)(end - at), "{\"v\":", 5)) != NULL; at += 5) {
        char *line_end = memchr(at, '\n', (size_t)(end - at));
        char *tail = memmem(at, (size_t)((line_end ? line_end : end) - at), key, sizeof key - 1);
        char hex[9];

        if (!tail || end - tail < (ptrdiff_t)sizeof key - 1 + 8)
            continue;
        snprintf(hex, sizeof hex, "%08x", crc32c(0, at, (size_t)(tail - at)));
        memcpy(tail + sizeof key - 1, hex, 8);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *sealed = malloc(size ? size : 1);

    open_once();
    check_all((const char *)data, size);
    if (size)
        memcpy(sealed, data, size);
    seal(sealed, size);
    check_all(sealed, size);
    free(sealed);
    return 0;
}
