#include "runs.h"
#include "bits.h"
#include "crc.h"
#include "page.h"
#include "str.h"

/* ---- members ---- */
bool event_str(const struct journal_line *l, const char *key, char *buf, size_t cap)
{
    json_str(&l->body, key, buf, cap);
    page_printable(buf);
    return buf[0] != 0;
}

uint64_t event_u64(const struct journal_line *l, const char *key) { return json_u64(&l->body, key, 0); }

bool event_is(const struct journal_line *l, const char *key, const char *word)
{
    char value[96];

    json_str(&l->body, key, value, sizeof value);
    return str_equal(value, word);
}

/* ---- what is collected on the way ---- */
static void on_step_end(struct run *r, const struct journal_line *l)
{
    if (!r->cells)
        r->disks_len = (size_t)(l->body.at - r->text);
}

static void on_finding(struct run *r, const struct journal_line *l)
{
    if (event_is(l, "level", finding_level_text(FINDING_FAIL)))
        r->worst_finding = FINDING_FAIL;
    else if (r->worst_finding != FINDING_FAIL && event_is(l, "level", finding_level_text(FINDING_WARN)))
        r->worst_finding = FINDING_WARN;
}

static void on_run_end(struct run *r, const struct journal_line *l)
{
    char word[24];

    json_str(&l->body, "verdict", word, sizeof word);
    if (!verdict_from_text(word, &r->verdict))
        r->verdict = VERDICT_ABORTED;
    r->bad_configuration = event_u64(l, "bad_configuration") != 0;
    r->expectation_missed = event_u64(l, "expectation_missed") != 0;
    r->exit_code = event_u64(l, "exit_code");
}

static const struct {
    const char *ev;
    size_t count_offset;
    void (*on)(struct run *r, const struct journal_line *l);
} collectors[] = {
    { "disk", offsetof(struct run, disks), NULL },
    { "step_end", offsetof(struct run, cells), on_step_end },
    { "problem", offsetof(struct run, problems), NULL },
    { "not_tested", offsetof(struct run, not_tested), NULL },
    { "oversize", offsetof(struct run, oversize), NULL },
    { "finding", offsetof(struct run, findings), on_finding },
    { "run_end", offsetof(struct run, ends), on_run_end },
};

static void collect(struct run *r, const struct journal_line *l)
{
    r->lines++;
    r->last_seq = l->seq;
    r->last_t_ns = l->t_ns;
    str_copy(r->last_ev, sizeof r->last_ev, l->ev);
    r->newer_lines += l->version > JOURNAL_VERSION;
    for (unsigned i = 0; i < ARRAY_COUNT(collectors); i++) {
        if (!str_equal(l->ev, collectors[i].ev))
            continue;
        if (collectors[i].on)
            collectors[i].on(r, l);
        ++*(uint64_t *)((char *)r + collectors[i].count_offset);
    }
}

/* ---- the index ---- */
/* What a line is about, by sums: kind and member `disk` (0: it has none). */
struct line_mark {
    uint32_t at, len, ev, disk;
};
enum { INDEX_LINES_MAX = 65536 };
static struct {
    struct line_mark mark[INDEX_LINES_MAX];
    size_t count;
    const char *text; /* of the run; NULL: no run is held */
    size_t len;
    uint64_t run_id;
    bool overflow;
} lines_index;

static uint32_t sum_of(const char *word) { return crc32c(0, word, str_len(word)) | 1; }

static void index_line(const struct journal_line *l)
{
    size_t at = (size_t)(l->body.at - lines_index.text);
    char disk[96];

    if (lines_index.count == INDEX_LINES_MAX || at > UINT32_MAX || l->body.len > UINT32_MAX) {
        lines_index.overflow = true;
        return;
    }
    json_str(&l->body, str_equal(l->ev, "disk") ? "name" : "disk", disk, sizeof disk);
    lines_index.mark[lines_index.count++] = (struct line_mark){ .at = (uint32_t)at,
                                                                .len = (uint32_t)l->body.len,
                                                                .ev = sum_of(l->ev),
                                                                .disk = disk[0] ? sum_of(disk) : 0 };
}

static void index_begin(const char *run_text)
{
    lines_index.text = run_text;
    lines_index.count = 0;
    lines_index.len = 0;
    lines_index.overflow = false;
}

static void index_end(const struct run *run)
{
    lines_index.len = run->len;
    lines_index.run_id = run->run_id;
    if (lines_index.overflow)
        lines_index.text = NULL;
}

/* Whether the text that these lines are read from lies in the run that the index holds. */
static bool index_holds(const struct run_lines *l)
{
    const char *s = l->reader.text;

    return lines_index.text && l->run_id == lines_index.run_id && s >= lines_index.text &&
           s <= lines_index.text + lines_index.len &&
           l->reader.len <= (size_t)(lines_index.text + lines_index.len - s);
}

/* The first line of the index that begins at or behind that byte. */
static size_t index_find(size_t at)
{
    size_t low = 0, high = lines_index.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (lines_index.mark[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ev 0: any kind but series, unless those of one disk are asked for. */
static bool index_next(struct run_lines *l, uint32_t ev, struct journal_line *out)
{
    const uint32_t series = sum_of("series");
    uint32_t disk = l->disk ? sum_of(l->disk) : 0;
    uint32_t series_disk = l->reader.series_disk ? sum_of(l->reader.series_disk) : 0;
    size_t begin = (size_t)(l->reader.text - lines_index.text), end = begin + l->reader.len;

    if (!l->next_mark)
        l->next_mark = 1 + index_find(begin);
    while (l->next_mark <= lines_index.count) {
        const struct line_mark *m = &lines_index.mark[l->next_mark++ - 1];

        if ((size_t)m->at + m->len > end)
            break;
        if ((ev && m->ev != ev) || (m->ev == series && m->disk != series_disk) ||
            (disk && m->disk && m->disk != disk))
            continue;
        if (journal_line_again(lines_index.text + m->at, m->len, out)) {
            out->offset = m->at - begin;
            return true;
        }
    }
    l->next_mark = lines_index.count + 1;
    return false;
}

/* ---- runs ---- */
void run_walk_start(struct run_walk *w, const char *journal, size_t len)
{
    *w = (struct run_walk){ 0 };
    journal_reader_start(&w->reader, journal, len);
}

/* The first line of the next run: corrupt lines before it are its own when there is no run before. */
static bool first_line(struct journal_reader *r, struct journal_line *l)
{
    enum journal_read got;

    do
        got = journal_reader_next(r, l);
    while (got == JOURNAL_CORRUPT);
    return got == JOURNAL_LINE;
}

bool run_walk_next(struct run_walk *w, struct run *out)
{
    struct journal_reader *r = &w->reader, before = *r;
    struct journal_line l;
    enum journal_read got = JOURNAL_LINE;

    if (!first_line(r, &l))
        return false;
    *out = (struct run){ .text = r->text + l.offset,
                         .run_id = l.run_id,
                         .first_seq = l.seq,
                         .first_t_ns = l.t_ns,
                         .worst_finding = FINDING_INFO };
    out->corrupt_lines = before.corrupt_lines;
    out->missing_lines = before.missing_lines;
    out->repeated_lines = before.repeated_lines;
    index_begin(out->text);
    for (;;) {
        if (got == JOURNAL_LINE) {
            collect(out, &l);
            index_line(&l);
        }
        before = *r;
        got = journal_reader_next(r, &l);
        if (got == JOURNAL_END || (got == JOURNAL_LINE && l.run_id != out->run_id))
            break;
    }
    if (got == JOURNAL_END)
        before = *r;
    *r = before;
    out->len = (size_t)(r->text + (got == JOURNAL_END ? r->len : l.offset) - out->text);
    out->corrupt_lines = r->corrupt_lines - out->corrupt_lines;
    out->missing_lines = r->missing_lines - out->missing_lines;
    out->repeated_lines = r->repeated_lines - out->repeated_lines;
    if (!out->cells)
        out->disks_len = out->len;
    index_end(out);
    w->runs++;
    return true;
}

/* ---- the lines of a run ---- */
void run_lines_start(struct run_lines *l, const struct run *run)
{
    *l = (struct run_lines){ .run_id = run->run_id };
    journal_reader_start(&l->reader, run->text, run->len);
    l->reader.skip_series = true;
}

void run_lines_of(struct run_lines *l, const struct run *run, const char *disk)
{
    run_lines_start(l, run);
    l->disk = disk;
}

bool run_lines_next(struct run_lines *l, struct journal_line *out)
{
    enum journal_read got;

    if (index_holds(l))
        return index_next(l, 0, out);
    while ((got = journal_reader_next(&l->reader, out)) != JOURNAL_END)
        if (got == JOURNAL_LINE && out->run_id == l->run_id)
            return true;
    return false;
}

bool run_lines_find(struct run_lines *l, const char *ev, struct journal_line *out)
{
    if (index_holds(l)) {
        uint32_t sum = sum_of(ev);

        while (index_next(l, sum, out))
            if (str_equal(out->ev, ev))
                return true;
        return false;
    }
    while (run_lines_next(l, out))
        if (str_equal(out->ev, ev))
            return true;
    return false;
}

bool run_find_disk(const struct run *run, const char *name, struct journal_line *out)
{
    struct run_lines l;

    run_lines_of(&l, run, name);
    l.reader.len = run->disks_len;
    while (run_lines_find(&l, "disk", out))
        if (event_is(out, "name", name))
            return true;
    return false;
}

bool run_line_at(const struct run *run, size_t offset, struct journal_line *out)
{
    struct journal_reader r;

    if (offset >= run->len)
        return false;
    journal_reader_start(&r, run->text + offset, run->len - offset);
    return journal_reader_next(&r, out) == JOURNAL_LINE && !out->offset;
}

/* The first line of that kind in text[from..to) that is of the same step, disk and job; series of other disks
 * are not read.  It stops at the beginning of the next step. */
static bool find_in(const struct run *run, size_t from, size_t to, const struct journal_line *of,
                    const char *ev, const char *side, struct journal_line *out)
{
    struct run_lines lines;
    char disk[28], job[48];
    uint64_t step = event_u64(of, "step");

    json_str(&of->body, "disk", disk, sizeof disk);
    json_str(&of->body, "job", job, sizeof job);
    run_lines_start(&lines, run);
    lines.reader.text += from;
    lines.reader.len = to - from;
    lines.reader.series_disk = str_equal(ev, "series") ? disk : NULL;
    while (run_lines_next(&lines, out)) {
        if (str_equal(out->ev, "step_start") && event_u64(out, "step") != step)
            break;
        if (str_equal(out->ev, ev) && event_u64(out, "step") == step && event_is(out, "job", job) &&
            event_is(out, "disk", disk) && (!side || event_is(out, "side", side)))
            return true;
    }
    return false;
}

/* It is written behind its step_end; a journal from elsewhere may have it before. */
bool run_find_series(const struct run *run, const struct journal_line *step_end, struct journal_line *out)
{
    size_t at = (size_t)(step_end->body.at - run->text), begin = 0;
    struct run_lines lines;
    struct journal_line l;

    if (find_in(run, at, run->len, step_end, "series", NULL, out))
        return true;
    run_lines_start(&lines, run);
    lines.reader.len = at;
    while (run_lines_find(&lines, "step_start", &l))
        begin = (size_t)(l.body.at - run->text);
    return find_in(run, begin, at, step_end, "series", NULL, out);
}

bool run_find_of_step(const struct run *run, const struct journal_line *step_end, const char *ev,
                      const char *side, struct journal_line *out)
{
    return find_in(run, (size_t)(step_end->body.at - run->text), run->len, step_end, ev, side, out);
}
