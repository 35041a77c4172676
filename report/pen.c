#include "pen.h"
#include "str.h"

void pen_start(struct pen *p, struct render_out *out)
{
    p->out = out;
    p->used = 0;
}

void pen_end(struct pen *p)
{
    if (p->used)
        render_bytes(p->out, p->buf, p->used);
    p->used = 0;
}

/* ---- as it stands ---- */
void pen_bytes(struct pen *p, const char *bytes, size_t len)
{
    if (len > sizeof p->buf - p->used)
        pen_end(p);
    if (len > sizeof p->buf) {
        render_bytes(p->out, bytes, len);
        return;
    }
    memcpy(p->buf + p->used, bytes, len);
    p->used += len;
}

void pen_str(struct pen *p, const char *s) { pen_bytes(p, s, str_len(s)); }

void pen_u64(struct pen *p, uint64_t v)
{
    char digits[24];
    struct text t = text_over(digits, sizeof digits);

    text_u64(&t, v);
    pen_bytes(p, digits, t.len);
}

void pen_fixed(struct pen *p, uint64_t v, unsigned decimals)
{
    char digits[48];
    struct text t = text_over(digits, sizeof digits);

    text_fixed(&t, v, decimals);
    pen_bytes(p, digits, t.len);
}

void pen_fmt(struct pen *p, const char *fmt, ...)
{
    char words[200];
    struct text t = text_over(words, sizeof words);
    va_list ap;

    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    pen_bytes(p, words, t.len);
}

/* ---- escaped ---- */
static const char *reference_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* The length of the character at s, at most 4; 0 when it is no whole one. */
static size_t character_length(const char *s)
{
    uint8_t c = (uint8_t)*s;
    size_t len = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

    for (size_t i = 1; i < len; i++)
        if (((uint8_t)s[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

/* The caller has seen that a whole character stands at s.  U+FFFE, U+FFFF and surrogates are no XML. */
static bool may_be_shown(const char *s, size_t len)
{
    static const uint8_t lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t c = (uint8_t)s[0] & lead_bits[len];

    for (size_t i = 1; i < len; i++)
        c = c << 6 | ((uint8_t)s[i] & 0x3f);
    return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0x200b && c <= 0x200f) &&
           !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2060 && c <= 0x206f) && !(c >= 0xd800 && c <= 0xdfff) &&
           c != 0xfeff && (c & 0xfffe) != 0xfffe && c <= 0x10ffff;
}

void pen_escaped(struct pen *p, const char *s)
{
    while (*s) {
        const char *reference = reference_of(*s);
        size_t len = character_length(s);

        if (reference)
            pen_str(p, reference);
        else if (len && may_be_shown(s, len))
            pen_bytes(p, s, len);
        else
            pen_bytes(p, "?", 1);
        s += len ? len : 1;
    }
}

bool pen_member(struct pen *p, const struct journal_line *l, const char *key)
{
    char words[801];

    json_str(&l->body, key, words, sizeof words);
    pen_escaped(p, words);
    return words[0] != 0;
}

void pen_digits(struct pen *p, const struct json_value *object, const char *key)
{
    struct json_value v;
    uint64_t number;

    if (json_member(object, key, &v) && v.kind == JSON_NUMBER && json_to_u64(&v, &number))
        pen_bytes(p, v.at, v.len);
}
