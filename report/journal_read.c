#include "journal.h"
#include "crc.h"
#include "str.h"

/* A line begins with `{"v":` and ends with `,"crc":"89abcdef"}`.  Neither can stand inside a line: within a
 * JSON string both quotes would carry a backslash.  So both are found by sight, whatever surrounds them. */
static const char line_head[] = "{\"v\":";
static const char crc_key[] = ",\"crc\":\"";
enum {
    HEAD_LEN = sizeof line_head - 1,
    CRC_KEY_LEN = sizeof crc_key - 1,
    CRC_DIGITS = 8,
    TAIL_LEN = CRC_KEY_LEN + CRC_DIGITS + 2
};

static uint64_t add_sat(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

/* ---- finding lines in any text ---- */
/* Nonzero when one of the eight bytes is zero. */
static uint64_t zero_byte(uint64_t v) { return (v - 0x0101010101010101u) & ~v & 0x8080808080808080u; }

/* The next newline or brace at or after at; len when there is none.  Eight bytes at a time: most of a
 * journal's text are series, and a summary passes over them once per disk. */
static size_t find_mark(const char *s, size_t len, size_t at)
{
    for (; len - at >= 8; at += 8) {
        uint64_t word;

        memcpy(&word, s + at, 8);
        if (zero_byte(word ^ 0x0a0a0a0a0a0a0a0au) | zero_byte(word ^ 0x7b7b7b7b7b7b7b7bu))
            break;
    }
    while (at < len && s[at] != '\n' && s[at] != '{')
        at++;
    return at;
}

static bool is_head(const char *s, size_t len, size_t at)
{
    return len - at >= HEAD_LEN && !memcmp(s + at, line_head, HEAD_LEN);
}

/* Where the next line begins; len when there is none. */
static size_t find_head(const char *s, size_t len, size_t at)
{
    while ((at = find_mark(s, len, at)) < len && !is_head(s, len, at))
        at++;
    return at;
}

/* Where the line that begins at `at` ends at the latest: at a newline, or where the next one begins because
 * its own newline was lost. */
static size_t find_end(const char *s, size_t len, size_t at)
{
    at = find_mark(s, len, at + 1);
    while (at < len && s[at] != '\n' && !is_head(s, len, at))
        at = find_mark(s, len, at + 1);
    return at;
}

/* ---- one line ---- */
static bool hex_u64(const char *s, size_t digits, uint64_t *out)
{
    uint64_t v = 0;

    for (size_t i = 0; i < digits; i++) {
        char c = s[i];

        if (c >= '0' && c <= '9')
            v = v << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (uint64_t)(c - 'a' + 10);
        else
            return false;
    }
    *out = v;
    return true;
}

/* The bytes before the checksum: the first `,"crc":"89abcdef"}` of s[0..len).  What follows it on the same
 * line came from elsewhere. */
static bool find_tail(const char *s, size_t len, size_t *body_len, uint32_t *crc)
{
    for (size_t at = HEAD_LEN; at + TAIL_LEN <= len; at++) {
        uint64_t v;

        if (s[at] != ',' || memcmp(s + at, crc_key, CRC_KEY_LEN) || s[at + TAIL_LEN - 2] != '"' ||
            s[at + TAIL_LEN - 1] != '}' || !hex_u64(s + at + CRC_KEY_LEN, CRC_DIGITS, &v))
            continue;
        *body_len = at;
        *crc = (uint32_t)v;
        return true;
    }
    return false;
}

static bool member_u64(const struct json_value *body, const char *key, uint64_t *out)
{
    struct json_value v;

    return json_member(body, key, &v) && json_to_u64(&v, out);
}

static bool take_members(struct journal_line *out)
{
    struct json_value v;
    char run[20];

    if (!json_member(&out->body, "run", &v) || !json_to_str(&v, run, sizeof run) || str_len(run) != 16 ||
        !hex_u64(run, 16, &out->run_id))
        return false;
    if (!json_member(&out->body, "ev", &v) || v.kind != JSON_STRING)
        return false;
    json_to_str(&v, out->ev, sizeof out->ev);
    return member_u64(&out->body, "v", &out->version) && member_u64(&out->body, "seq", &out->seq) &&
           member_u64(&out->body, "t_ns", &out->t_ns);
}

static bool take_apart(const char *s, size_t len, struct journal_line *out, size_t *used)
{
    size_t body_len;
    uint32_t crc;

    if (!find_tail(s, len, &body_len, &crc) || crc32c(0, s, body_len) != crc)
        return false;
    *used = body_len + TAIL_LEN;
    return json_parse(s, *used, &out->body) && out->body.kind == JSON_OBJECT && take_members(out);
}

bool journal_line_again(const char *text, size_t len, struct journal_line *out)
{
    out->body = (struct json_value){ .at = text, .len = len, .kind = JSON_OBJECT };
    out->offset = 0;
    return take_members(out);
}

/* ---- the reader ---- */
void journal_reader_start(struct journal_reader *r, const char *text, size_t len)
{
    *r = (struct journal_reader){ .text = text, .len = len };
}

/* Whether `word` begins in s[from..until); *at then is where. */
static bool find_word(const char *s, size_t len, size_t from, size_t until, const char *word, size_t *at)
{
    size_t n = str_len(word);

    for (*at = from; *at < until && *at + n <= len; ++*at)
        if (s[*at] == word[0] && !memcmp(s + *at, word, n))
            return true;
    return false;
}

/* By the places where the writer puts the kind and the disk: what stands before them has a limited length. */
static bool is_unwanted_series(const struct journal_reader *r, const char *s, size_t len)
{
    static const char series[] = "\"ev\":\"series\"", disk_key[] = "\"disk\":\"";
    enum { BEFORE_EV = 100, BEFORE_DISK = 40 };
    size_t ev, disk, n;

    if (!find_word(s, len, HEAD_LEN, BEFORE_EV, series, &ev))
        return false;
    if (!r->series_disk || !find_word(s, len, ev, ev + BEFORE_DISK, disk_key, &disk))
        return true;
    disk += sizeof disk_key - 1;
    n = str_len(r->series_disk);
    return len - disk <= n || memcmp(s + disk, r->series_disk, n) || s[disk + n] != '"';
}

static bool begins_run(struct journal_reader *r, const struct journal_line *l)
{
    if (!r->has_run) {
        r->is_file = l->offset == 0;
    } else if (r->is_file && l->seq > r->corrupt_since_line) {
        r->stale = true;
        return false;
    }
    r->has_run = true;
    r->run_id = l->run_id;
    r->next_seq = 0;
    return true;
}

/* True when the line is news; keeps the counts. */
static bool accept(struct journal_reader *r, const struct journal_line *l)
{
    uint64_t gap;

    if (!r->has_run || r->run_id != l->run_id)
        if (!begins_run(r, l)) {
            r->stale_lines++;
            return false;
        }
    if (l->seq < r->next_seq) {
        r->repeated_lines++;
        return false;
    }
    gap = l->seq - r->next_seq;
    if (gap > r->corrupt_since_line)
        r->missing_lines = add_sat(r->missing_lines, gap - r->corrupt_since_line);
    r->corrupt_since_line = 0;
    r->next_seq = add_sat(l->seq, 1);
    r->lines++;
    r->newer_lines += l->version > JOURNAL_VERSION;
    return true;
}

enum journal_read journal_reader_next(struct journal_reader *r, struct journal_line *out)
{
    for (;;) {
        size_t begin = find_head(r->text, r->len, r->at), end, used;
        const char *s = r->text + begin;

        r->at = r->len;
        if (begin == r->len)
            return JOURNAL_END;
        r->at = end = find_end(r->text, r->len, begin);
        if (r->skip_series && is_unwanted_series(r, s, end - begin))
            continue;
        if (!take_apart(s, end - begin, out, &used)) {
            if (r->stale)
                continue;
            r->corrupt_lines++;
            r->corrupt_since_line++;
            return JOURNAL_CORRUPT;
        }
        out->offset = begin;
        if (r->stale)
            r->stale_lines++;
        else if (accept(r, out))
            return JOURNAL_LINE;
    }
}

size_t journal_end(const char *text, size_t len)
{
    struct journal_line l;
    uint64_t run_id = 0, next_seq = 0;
    size_t at = 0;

    while (is_head(text, len, at)) {
        size_t end = find_end(text, len, at), used;

        if (end == len || text[end] != '\n' || !take_apart(text + at, end - at, &l, &used) ||
            at + used != end)
            break;
        if (at && !(l.run_id == run_id ? l.seq == next_seq : l.seq == 0))
            break;
        run_id = l.run_id;
        next_seq = add_sat(l.seq, 1);
        at = end + 1;
    }
    return at;
}
