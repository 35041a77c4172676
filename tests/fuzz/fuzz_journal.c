#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "crc.h"
#include "json.h"
#include "journal.h"
#include "render.h"
#include "report/markup.h"
#include "runs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(cond)                                                                                        \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            abort();                                                                                         \
    } while (0)

/* ---- reader ---- */
static uint64_t read_all(const char *text, size_t size, bool skip_series)
{
    struct journal_reader r;
    struct journal_line l;
    enum journal_read got;
    uint64_t lines = 0, corrupt = 0;
    size_t before = 0;

    journal_reader_start(&r, text, size);
    r.skip_series = skip_series;
    while ((got = journal_reader_next(&r, &l)) != JOURNAL_END) {
        REQUIRE(r.at > before && r.at <= size);
        before = r.at;
        if (got == JOURNAL_LINE) {
            lines++;
            REQUIRE(l.offset < size && l.body.at == text + l.offset && l.offset + l.body.len <= size);
            REQUIRE(memchr(l.ev, 0, sizeof l.ev) != NULL);
        }
        corrupt += got == JOURNAL_CORRUPT;
    }
    REQUIRE(lines == r.lines && corrupt == r.corrupt_lines);
    return lines;
}

/* What journal_end says is a journal without any fault. */
static void check_end(const char *text, size_t size)
{
    size_t end = journal_end(text, size);
    struct journal_reader r;
    struct journal_line l;

    REQUIRE(end <= size && (!end || text[end - 1] == '\n'));
    journal_reader_start(&r, text, end);
    while (journal_reader_next(&r, &l) != JOURNAL_END)
        ;
    REQUIRE(!r.corrupt_lines && !r.stale_lines && !r.repeated_lines);
}

static void check_runs(const char *text, size_t size, uint64_t lines)
{
    struct run_walk w;
    struct run run;
    uint64_t walked = 0;
    const char *at = text;

    run_walk_start(&w, text, size);
    while (run_walk_next(&w, &run)) {
        REQUIRE(run.text >= at && run.text + run.len <= text + size && run.disks_len <= run.len && run.lines);
        at = run.text + run.len;
        walked += run.lines;
    }
    REQUIRE(walked == lines);
}

/* ---- reports: their form holds whatever the journal says ---- */
struct form {
    size_t column, bytes;
    bool quoted;
    unsigned commas, commas_of_head;
};

static bool page_form(void *ctx, const char *bytes, size_t len)
{
    struct form *f = ctx;

    for (size_t i = 0; i < len; i++) {
        REQUIRE(bytes[i] == '\n' || (bytes[i] >= 0x20 && bytes[i] <= 0x7e));
        f->column = bytes[i] == '\n' ? 0 : f->column + 1;
        REQUIRE(f->column <= 79);
    }
    f->bytes += len;
    return true;
}

static bool csv_form(void *ctx, const char *bytes, size_t len)
{
    struct form *f = ctx;

    for (size_t i = 0; i < len; i++) {
        f->quoted ^= bytes[i] == '"';
        f->commas += bytes[i] == ',' && !f->quoted;
        if (bytes[i] != '\n')
            continue;
        REQUIRE(!f->quoted);
        if (!f->commas_of_head)
            f->commas_of_head = f->commas;
        REQUIRE(f->commas == f->commas_of_head);
        f->commas = 0;
    }
    f->bytes += len;
    return true;
}

struct whole {
    char *bytes;
    size_t len, cap;
};

static bool keep(void *ctx, const char *bytes, size_t len)
{
    struct whole *w = ctx;

    if (w->len + len + 1 > w->cap) {
        w->cap = (w->len + len + 1) * 2;
        w->bytes = realloc(w->bytes, w->cap);
        REQUIRE(w->bytes);
    }
    memcpy(w->bytes + w->len, bytes, len);
    w->len += len;
    w->bytes[w->len] = 0;
    return true;
}

static void check_markup(const char *text, size_t size,
                         void (*render)(const char *, size_t, struct render_out *))
{
    struct whole w = { 0 };
    struct render_out out = { .write = keep, .ctx = &w };
    struct markup m;

    render(text, size, &out);
    markup_read(&m, w.bytes, w.len);
    REQUIRE(!m.wrong && m.elements > 2 && !out.failed);
    free(w.bytes);
}

/* A line may nest as deep as its reader follows, and lies a little deeper in what is made of it. */
static bool is_shallow(const struct whole *w)
{
    unsigned depth = 0, deepest = 0;

    for (size_t i = 0; i < w->len; i++) {
        depth += w->bytes[i] == '{' || w->bytes[i] == '[';
        depth -= depth && (w->bytes[i] == '}' || w->bytes[i] == ']');
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest <= JSON_MAX_DEPTH;
}

static void check_fio_json(const char *text, size_t size)
{
    struct whole w = { 0 };
    struct render_out out = { .write = keep, .ctx = &w };
    struct json_value all, jobs;

    render_fio_json(text, size, &out);
    if (is_shallow(&w)) {
        REQUIRE(json_parse(w.bytes, w.len, &all) && json_member(&all, "jobs", &jobs));
        REQUIRE(jobs.kind == JSON_ARRAY && json_member(&all, "baresweep", &jobs));
    }
    free(w.bytes);
}

static void check_all(const char *text, size_t size)
{
    struct form page = { 0 }, csv = { 0 };
    struct render_out page_out = { .write = page_form, .ctx = &page };
    struct render_out csv_out = { .write = csv_form, .ctx = &csv };

    check_runs(text, size, read_all(text, size, false));
    read_all(text, size, true);
    check_end(text, size);
    render_summary(text, size, &page_out);
    REQUIRE(page.bytes && !page.column && !page_out.failed);
    render_csv(text, size, &csv_out);
    REQUIRE(csv.bytes && !csv.commas && !csv_out.failed);
}

/* What is made of whole lines only, and takes its time. */
static void check_reports(const char *text, size_t size)
{
    check_markup(text, size, render_html);
    check_markup(text, size, render_junit);
    check_fio_json(text, size);
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

    check_all((const char *)data, size);
    memcpy(sealed, data, size);
    seal(sealed, size);
    check_all(sealed, size);
    check_reports(sealed, size);
    free(sealed);
    return 0;
}
