#include "json.h"
#include "str.h"

/* ---- UTF-8 ---- */
/* The length of the valid sequence at s (at most n bytes), or 0: overlong forms, surrogates and values
 * above U+10FFFF are none. */
static size_t utf8_length(const char *s, size_t n)
{
    const uint8_t *p = (const uint8_t *)s;
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

    if (len < 2 || len > n)
        return len == 1 ? 1 : 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return len;
}

static size_t utf8_put(char out[static 4], uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* ---- writing ---- */
struct json_out json_over(struct text *to) { return (struct json_out){ .to = to }; }

static void put_string(struct text *t, const char *s)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    size_t left = str_len(s);

    text_char(t, '"');
    while (left) {
        size_t n = utf8_length(s, left), i = 0;

        while (escaped[i] && escaped[i] != *s)
            i++;
        if (escaped[i]) {
            text_char(t, '\\');
            text_char(t, letter[i]);
        } else if ((uint8_t)*s < 0x20 || *s == 0x7f) {
            text_str(t, "\\u");
            text_hex(t, (uint8_t)*s, 4);
        } else if (n) {
            text_bytes(t, s, n);
        } else {
            text_char(t, '?');
        }
        n = n ? n : 1;
        s += n;
        left -= n;
    }
    text_char(t, '"');
}

static void begin_value(struct json_out *j, const char *key)
{
    if (j->need_comma)
        text_char(j->to, ',');
    j->need_comma = true;
    if (!key)
        return;
    put_string(j->to, key);
    text_char(j->to, ':');
}

static void begin_container(struct json_out *j, const char *key, char bracket)
{
    begin_value(j, key);
    text_char(j->to, bracket);
    j->need_comma = false;
}

static void end_container(struct json_out *j, char bracket)
{
    text_char(j->to, bracket);
    j->need_comma = true;
}

void json_object_begin(struct json_out *j, const char *key) { begin_container(j, key, '{'); }
void json_object_end(struct json_out *j) { end_container(j, '}'); }
void json_array_begin(struct json_out *j, const char *key) { begin_container(j, key, '['); }
void json_array_end(struct json_out *j) { end_container(j, ']'); }

void json_put_u64(struct json_out *j, const char *key, uint64_t v)
{
    begin_value(j, key);
    text_u64(j->to, v);
}

void json_put_i64(struct json_out *j, const char *key, int64_t v)
{
    begin_value(j, key);
    text_i64(j->to, v);
}

void json_put_bool(struct json_out *j, const char *key, bool v)
{
    begin_value(j, key);
    text_str(j->to, v ? "true" : "false");
}

void json_put_str(struct json_out *j, const char *key, const char *s)
{
    begin_value(j, key);
    put_string(j->to, s);
}

void json_put_value(struct json_out *j, const struct json_value *v)
{
    begin_value(j, NULL);
    text_bytes(j->to, v->at, v->len);
}

void json_put_member(struct json_out *j, const struct json_value *key, const struct json_value *v)
{
    begin_value(j, NULL);
    text_bytes(j->to, key->at, key->len);
    text_char(j->to, ':');
    text_bytes(j->to, v->at, v->len);
}

/* ---- reading: one recursive scanner that checks and measures ---- */
struct scan {
    const char *s;
    size_t at, len;
};

static bool scan_value(struct scan *c, unsigned depth, struct json_value *out);

static void skip_blanks(struct scan *c)
{
    while (c->at < c->len &&
           (c->s[c->at] == ' ' || c->s[c->at] == '\t' || c->s[c->at] == '\n' || c->s[c->at] == '\r'))
        c->at++;
}

static bool take(struct scan *c, char wanted)
{
    if (c->at >= c->len || c->s[c->at] != wanted)
        return false;
    c->at++;
    return true;
}

static bool take_word(struct scan *c, const char *word)
{
    size_t n = str_len(word);

    if (c->len - c->at < n || memcmp(c->s + c->at, word, n))
        return false;
    c->at += n;
    return true;
}

static bool take_digits(struct scan *c)
{
    size_t before = c->at;

    while (c->at < c->len && c->s[c->at] >= '0' && c->s[c->at] <= '9')
        c->at++;
    return c->at > before;
}

static bool scan_number(struct scan *c)
{
    (void)take(c, '-');
    if (!take(c, '0') && !take_digits(c))
        return false;
    if (take(c, '.') && !take_digits(c))
        return false;
    if (take(c, 'e') || take(c, 'E')) {
        if (!take(c, '+'))
            (void)take(c, '-');
        return take_digits(c);
    }
    return true;
}

static int hex_digit(char ch)
{
    if (ch >= '0' && ch <= '9')
        return ch - '0';
    ch |= 0x20;
    return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

/* The number of the four digits at s, or -1. */
static int32_t hex4(const char *s, size_t n)
{
    int32_t v = 0;

    if (n < 4)
        return -1;
    for (unsigned i = 0; i < 4; i++) {
        int d = hex_digit(s[i]);
        if (d < 0)
            return -1;
        v = v << 4 | d;
    }
    return v;
}

static bool scan_escape(struct scan *c)
{
    static const char plain[] = "\"\\/bfnrt";

    if (take(c, 'u')) {
        if (hex4(c->s + c->at, c->len - c->at) < 0)
            return false;
        c->at += 4;
        return true;
    }
    for (unsigned i = 0; plain[i]; i++)
        if (take(c, plain[i]))
            return true;
    return false;
}

static bool scan_string(struct scan *c)
{
    if (!take(c, '"'))
        return false;
    while (c->at < c->len) {
        if (take(c, '"'))
            return true;
        if (take(c, '\\')) {
            if (!scan_escape(c))
                return false;
            continue;
        }
        size_t n = utf8_length(c->s + c->at, c->len - c->at);
        if (!n || (uint8_t)c->s[c->at] < 0x20)
            return false;
        c->at += n;
    }
    return false;
}

/* The name and the colon before a member's value. */
static bool scan_name(struct scan *c, struct json_value *name)
{
    size_t begin = c->at;

    if (!scan_string(c))
        return false;
    *name = (struct json_value){ c->s + begin, c->at - begin, JSON_STRING };
    skip_blanks(c);
    if (!take(c, ':'))
        return false;
    skip_blanks(c);
    return true;
}

static bool scan_members(struct scan *c, unsigned depth, bool object)
{
    char close = object ? '}' : ']';
    struct json_value ignored;

    if (!depth)
        return false;
    skip_blanks(c);
    if (take(c, close))
        return true;
    for (;;) {
        skip_blanks(c);
        if ((object && !scan_name(c, &ignored)) || !scan_value(c, depth - 1, &ignored))
            return false;
        skip_blanks(c);
        if (take(c, close))
            return true;
        if (!take(c, ','))
            return false;
    }
}

static bool scan_value(struct scan *c, unsigned depth, struct json_value *out)
{
    size_t begin = c->at;
    enum json_kind kind;
    bool good;

    if (begin >= c->len)
        return false;
    switch (c->s[begin]) {
    case '{':
    case '[':
        kind = c->s[begin] == '{' ? JSON_OBJECT : JSON_ARRAY;
        c->at++;
        good = scan_members(c, depth, kind == JSON_OBJECT);
        break;
    case '"':
        kind = JSON_STRING;
        good = scan_string(c);
        break;
    case 't':
    case 'f':
        kind = JSON_BOOL;
        good = take_word(c, "true") || take_word(c, "false");
        break;
    case 'n':
        kind = JSON_NULL;
        good = take_word(c, "null");
        break;
    default:
        kind = JSON_NUMBER;
        good = scan_number(c);
    }
    if (good)
        *out = (struct json_value){ c->s + begin, c->at - begin, kind };
    return good;
}

bool json_parse(const char *s, size_t len, struct json_value *out)
{
    struct scan c = { .s = s, .len = len };
    struct json_value v;

    skip_blanks(&c);
    if (!scan_value(&c, JSON_MAX_DEPTH, &v))
        return false;
    skip_blanks(&c);
    if (c.at != len)
        return false;
    *out = v;
    return true;
}

bool json_next(const struct json_value *v, size_t *cursor, struct json_value *key, struct json_value *out)
{
    struct scan c = { .s = v->at, .at = *cursor ? *cursor : 1, .len = v->len };
    struct json_value name = { 0 };

    if (v->kind != JSON_ARRAY && v->kind != JSON_OBJECT)
        return false;
    skip_blanks(&c);
    (void)take(&c, ',');
    skip_blanks(&c);
    if (v->kind == JSON_OBJECT && !scan_name(&c, &name))
        return false;
    if (!scan_value(&c, JSON_MAX_DEPTH, out))
        return false;
    if (key)
        *key = name;
    *cursor = c.at;
    return true;
}

/* ---- strings ---- */
/* One character of a checked string, unescaped, as UTF-8.  What C strings or UTF-8 cannot hold (NUL, half
 * a surrogate pair) becomes '?'. */
static size_t take_character(struct scan *c, char out[static 4])
{
    static const char letter[] = "bfnrt", meant[] = "\b\f\n\r\t";

    if (!take(c, '\\')) {
        size_t n = utf8_length(c->s + c->at, c->len - c->at);
        memcpy(out, c->s + c->at, n);
        c->at += n;
        return n;
    }
    char ch = c->s[c->at++];
    if (ch != 'u') {
        for (unsigned i = 0; letter[i]; i++)
            if (ch == letter[i])
                ch = meant[i];
        out[0] = ch;
        return 1;
    }
    uint32_t code = (uint32_t)hex4(c->s + c->at, c->len - c->at);
    c->at += 4;
    if (code >= 0xd800 && code < 0xdc00 && take_word(c, "\\u")) {
        uint32_t low = (uint32_t)hex4(c->s + c->at, c->len - c->at);
        if (low >= 0xdc00 && low < 0xe000) {
            c->at += 4;
            return utf8_put(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
        }
        c->at -= 2;
    }
    return utf8_put(out, code == 0 || (code >= 0xd800 && code < 0xe000) ? '?' : code);
}

/* What lies between the quotes. */
static struct scan inside(const struct json_value *v) { return (struct scan){ v->at + 1, 0, v->len - 2 }; }

static bool string_equals(const struct json_value *v, const char *s)
{
    struct scan c = inside(v);

    while (c.at < c.len) {
        char ch[4];
        size_t n = take_character(&c, ch);

        for (size_t i = 0; i < n; i++)
            if (*s++ != ch[i])
                return false;
    }
    return !*s;
}

bool json_member(const struct json_value *v, const char *key, struct json_value *out)
{
    struct json_value name, value;
    size_t cursor = 0;

    if (v->kind != JSON_OBJECT)
        return false;
    while (json_next(v, &cursor, &name, &value)) {
        if (string_equals(&name, key)) {
            *out = value;
            return true;
        }
    }
    return false;
}

bool json_to_str(const struct json_value *v, char *buf, size_t cap)
{
    size_t len = 0;

    buf[0] = 0;
    if (v->kind != JSON_STRING)
        return false;
    for (struct scan c = inside(v); c.at < c.len;) {
        char ch[4];
        size_t n = take_character(&c, ch);

        if (len + n >= cap)
            return false;
        memcpy(buf + len, ch, n);
        len += n;
        buf[len] = 0;
    }
    return true;
}

/* ---- other values ---- */
bool json_to_u64(const struct json_value *v, uint64_t *out)
{
    return v->kind == JSON_NUMBER && str_to_u64(v->at, v->len, out);
}

bool json_to_i64(const struct json_value *v, int64_t *out)
{
    bool negative = v->kind == JSON_NUMBER && v->at[0] == '-';
    uint64_t size;

    if (v->kind != JSON_NUMBER || !str_to_u64(v->at + negative, v->len - negative, &size) ||
        size > (uint64_t)INT64_MAX + negative)
        return false;
    *out = (int64_t)(negative ? 0 - size : size);
    return true;
}

bool json_to_bool(const struct json_value *v, bool *out)
{
    if (v->kind != JSON_BOOL)
        return false;
    *out = v->at[0] == 't';
    return true;
}

uint64_t json_u64(const struct json_value *v, const char *key, uint64_t otherwise)
{
    struct json_value member;
    uint64_t got;

    return json_member(v, key, &member) && json_to_u64(&member, &got) ? got : otherwise;
}

void json_str(const struct json_value *v, const char *key, char *buf, size_t cap)
{
    struct json_value member;

    buf[0] = 0;
    if (json_member(v, key, &member))
        (void)json_to_str(&member, buf, cap);
}
