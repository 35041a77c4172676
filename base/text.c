#include "text.h"
#include "bits.h"
#include "math.h"
#include "str.h"

struct text text_over(char *buf, size_t cap)
{
    buf[0] = 0;
    return (struct text){ .buf = buf, .cap = cap };
}

void text_reset(struct text *t)
{
    t->len = 0;
    t->cut = false;
    t->buf[0] = 0;
}

void text_bytes(struct text *t, const char *s, size_t n)
{
    size_t room = t->cap - 1 - t->len;

    if (n > room) {
        n = room;
        t->cut = true;
    }
    memcpy(t->buf + t->len, s, n);
    t->len += n;
    t->buf[t->len] = 0;
}

void text_char(struct text *t, char c)
{
    if (t->len + 1 >= t->cap) {
        t->cut = true;
        return;
    }
    t->buf[t->len++] = c;
    t->buf[t->len] = 0;
}

void text_str(struct text *t, const char *s) { text_bytes(t, s, str_len(s)); }

/* ---- numbers ---- */
enum { DIGITS_MAX = 20 };

/* Fills buf from its end; returns where the number begins. */
static char *digits_of(char buf[static DIGITS_MAX], uint64_t v, unsigned radix, const char *alphabet)
{
    char *at = buf + DIGITS_MAX;

    do {
        *--at = alphabet[v % radix];
        v /= radix;
    } while (v);
    return at;
}

static const char small_digits[] = "0123456789abcdef", large_digits[] = "0123456789ABCDEF";

void text_u64(struct text *t, uint64_t v)
{
    char buf[DIGITS_MAX], *at = digits_of(buf, v, 10, small_digits);

    text_bytes(t, at, (size_t)(buf + DIGITS_MAX - at));
}

void text_i64(struct text *t, int64_t v)
{
    if (v < 0)
        text_char(t, '-');
    text_u64(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void text_pad(struct text *t, size_t to_len, char fill)
{
    while (t->len < to_len && !t->cut)
        text_char(t, fill);
}

void text_hex(struct text *t, uint64_t v, unsigned digits)
{
    char buf[DIGITS_MAX], *at = digits_of(buf, v, 16, small_digits);
    size_t n = (size_t)(buf + DIGITS_MAX - at);

    if (digits > n)
        text_pad(t, t->len + digits - n, '0');
    text_bytes(t, at, n);
}

void text_fixed(struct text *t, uint64_t v, unsigned decimals)
{
    char buf[DIGITS_MAX], *at = digits_of(buf, v, 10, small_digits);
    size_t n = (size_t)(buf + DIGITS_MAX - at);

    if (n > decimals) {
        text_bytes(t, at, n - decimals);
        at += n - decimals;
        n = decimals;
    } else {
        text_char(t, '0');
    }
    if (!decimals)
        return;
    text_char(t, '.');
    text_pad(t, t->len + decimals - n, '0');
    text_bytes(t, at, n);
}

/* ---- quantities ---- */
/* v / unit in 10^-decimals, rounded to nearest; saturates far above anything printed. */
static uint64_t scaled(uint64_t v, uint64_t unit, unsigned decimals)
{
    uint64_t ten = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
    uint64_t whole = v / unit, rest = v % unit;

    return whole * ten + mul_div_u64(rest, 2 * ten, unit) / 2 + (mul_div_u64(rest, 2 * ten, unit) & 1);
}

void text_size(struct text *t, uint64_t bytes)
{
    static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    unsigned i = 0;

    /* The next unit also when rounding would show 1024 of this one. */
    while (i + 1 < ARRAY_COUNT(names) && scaled(bytes, 1ull << (10 * i), i ? 1 : 0) >= (i ? 10240u : 1024u))
        i++;
    uint64_t tenths = scaled(bytes, 1ull << (10 * i), 1);
    if (tenths % 10)
        text_fixed(t, tenths, 1);
    else
        text_u64(t, tenths / 10);
    text_char(t, ' ');
    text_str(t, names[i]);
}

void text_capacity(struct text *t, uint64_t bytes)
{
    static const struct {
        uint64_t unit;
        const char *name;
    } units[] = {
        { 1000ull, "kB" },          { 1000000ull, "MB" },          { 1000000000ull, "GB" },
        { 1000000000000ull, "TB" }, { 1000000000000000ull, "PB" },
    };
    unsigned i = 0;

    if (bytes < 1000) {
        text_u64(t, bytes);
        text_str(t, " B");
        return;
    }
    while (i + 1 < ARRAY_COUNT(units) && scaled(bytes, units[i].unit, 1) >= 10000)
        i++;
    /* Labels of terabyte drives have two decimals: 7.68 TB, 15.36 TB. */
    unsigned decimals = scaled(bytes, units[i].unit, 2) < 10000 ? 2 : 1;
    text_fixed(t, scaled(bytes, units[i].unit, decimals), decimals);
    text_char(t, ' ');
    text_str(t, units[i].name);
}

/* Three significant digits of v in `unit` when that shows less than `limit` units. */
static bool text_three_digits(struct text *t, uint64_t v, uint64_t unit, uint64_t limit, const char *name)
{
    unsigned decimals = scaled(v, unit, 2) < 1000 ? 2 : scaled(v, unit, 1) < 1000 ? 1 : 0;
    uint64_t ten = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
    uint64_t shown = scaled(v, unit, decimals);

    if (shown >= limit * ten)
        return false;
    text_fixed(t, shown, decimals);
    text_str(t, name);
    return true;
}

void text_duration(struct text *t, uint64_t ns)
{
    if (ns < NS_PER_US) {
        text_u64(t, ns);
        text_str(t, " ns");
        return;
    }
    if (text_three_digits(t, ns, NS_PER_US, 1000, " us") ||
        text_three_digits(t, ns, NS_PER_MS, 1000, " ms") || text_three_digits(t, ns, NS_PER_S, 60, " s"))
        return;
    uint64_t seconds = scaled(ns, NS_PER_S, 0);
    if (seconds < 3600)
        text_fmt(t, "%llu min %02llu s", (unsigned long long)(seconds / 60),
                 (unsigned long long)(seconds % 60));
    else
        text_fmt(t, "%llu h %02llu min", (unsigned long long)(seconds / 3600),
                 (unsigned long long)(seconds % 3600 / 60));
}

/* ---- formats ---- */
struct format {
    bool left, zero, hash, has_precision;
    size_t width, precision;
};

/* What is written into a field is padded to its width; a number's zeros stand after its sign. */
static void put_field(struct text *t, const struct format *f, const char *sign, const char *body, size_t n)
{
    size_t sign_len = str_len(sign), zeros = 0;

    if (f->has_precision && f->precision > n)
        zeros = f->precision - n;
    else if (f->zero && !f->left && !f->has_precision && f->width > n + sign_len)
        zeros = f->width - n - sign_len;
    size_t used = sign_len + zeros + n;
    size_t blanks = f->width > used ? f->width - used : 0;
    if (!f->left)
        text_pad(t, t->len + blanks, ' ');
    text_str(t, sign);
    text_pad(t, t->len + zeros, '0');
    text_bytes(t, body, n);
    if (f->left)
        text_pad(t, t->len + blanks, ' ');
}

static void put_string(struct text *t, const struct format *f, const char *s)
{
    struct format plain = { .left = f->left, .width = f->width };
    size_t n = 0;

    if (!s)
        s = "(null)";
    while ((!f->has_precision || n < f->precision) && s[n])
        n++;
    put_field(t, &plain, "", s, n);
}

static void put_number(struct text *t, const struct format *f, const char *sign, uint64_t v, unsigned radix,
                       const char *alphabet)
{
    char buf[DIGITS_MAX], *at = digits_of(buf, v, radix, alphabet);

    put_field(t, f, sign, at, (size_t)(buf + DIGITS_MAX - at));
}

/* va_list may be an array type: it travels inside a structure. */
struct arguments {
    va_list ap;
};
enum length { LENGTH_CHAR, LENGTH_SHORT, LENGTH_INT, LENGTH_LONG };

static uint64_t take_unsigned(struct arguments *a, enum length l)
{
    if (l == LENGTH_LONG)
        return va_arg(a->ap, uint64_t);
    unsigned v = va_arg(a->ap, unsigned);
    return l == LENGTH_CHAR ? (uint8_t)v : l == LENGTH_SHORT ? (uint16_t)v : v;
}

static int64_t take_signed(struct arguments *a, enum length l)
{
    if (l == LENGTH_LONG)
        return va_arg(a->ap, int64_t);
    int v = va_arg(a->ap, int);
    return l == LENGTH_CHAR ? (int8_t)v : l == LENGTH_SHORT ? (int16_t)v : v;
}

static const char *read_count(const char *s, struct arguments *a, size_t *out, bool *negative)
{
    enum { WIDEST = 4096 };
    size_t v = 0;

    *negative = false;
    if (*s == '*') {
        int given = va_arg(a->ap, int);
        *negative = given < 0;
        v = given < 0 ? 0 - (size_t)given : (size_t)given;
        s++;
    } else {
        for (; *s >= '0' && *s <= '9'; s++)
            if (v < WIDEST)
                v = v * 10 + (size_t)(*s - '0');
    }
    *out = v < WIDEST ? v : WIDEST;
    return s;
}

static const char *read_format(const char *s, struct arguments *a, struct format *f, enum length *l)
{
    bool negative;

    *f = (struct format){ 0 };
    for (;; s++) {
        if (*s == '-')
            f->left = true;
        else if (*s == '0')
            f->zero = true;
        else if (*s == '#')
            f->hash = true;
        else
            break;
    }
    s = read_count(s, a, &f->width, &negative);
    f->left |= negative;
    if (*s == '.') {
        s = read_count(s + 1, a, &f->precision, &negative);
        f->has_precision = !negative;
    }
    *l = LENGTH_INT;
    if (s[0] == 'h') {
        *l = s[1] == 'h' ? LENGTH_CHAR : LENGTH_SHORT;
        s += s[1] == 'h' ? 2 : 1;
    } else if (s[0] == 'l' || s[0] == 'z' || s[0] == 'j') {
        *l = LENGTH_LONG;
        s += s[0] == 'l' && s[1] == 'l' ? 2 : 1;
    }
    return s;
}

/* False: no conversion of ours, and no argument was taken for it. */
static bool put_conversion(struct text *t, const struct format *f, char conversion, struct arguments *a,
                           enum length l)
{
    switch (conversion) {
    case 'd':
    case 'i': {
        int64_t v = take_signed(a, l);
        put_number(t, f, v < 0 ? "-" : "", v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, small_digits);
        return true;
    }
    case 'u':
        put_number(t, f, "", take_unsigned(a, l), 10, small_digits);
        return true;
    case 'x':
    case 'X': {
        uint64_t v = take_unsigned(a, l);
        put_number(t, f, f->hash && v ? (conversion == 'x' ? "0x" : "0X") : "", v, 16,
                   conversion == 'x' ? small_digits : large_digits);
        return true;
    }
    case 'p':
        put_number(t, f, "0x", (uintptr_t)va_arg(a->ap, void *), 16, small_digits);
        return true;
    case 'c': {
        struct format plain = { .left = f->left, .width = f->width };
        char c = (char)va_arg(a->ap, int);
        put_field(t, &plain, "", &c, 1);
        return true;
    }
    case 's':
        put_string(t, f, va_arg(a->ap, const char *));
        return true;
    case '%':
        text_char(t, '%');
        return true;
    default:
        return false;
    }
}

void text_vfmt(struct text *t, const char *fmt, va_list ap)
{
    struct arguments a;

    va_copy(a.ap, ap);
    while (*fmt) {
        size_t plain = 0;

        while (fmt[plain] && fmt[plain] != '%')
            plain++;
        text_bytes(t, fmt, plain);
        fmt += plain;
        if (!*fmt)
            break;
        struct format f;
        enum length l;
        const char *end = read_format(fmt + 1, &a, &f, &l);
        if (!put_conversion(t, &f, *end, &a, l)) {
            /* The argument's type is unknown, so those after it cannot be found either. */
            text_str(t, fmt);
            break;
        }
        fmt = end + 1;
    }
    va_end(a.ap);
}

void text_fmt(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    text_vfmt(t, fmt, ap);
    va_end(ap);
}

bool str_fmt(char *buf, size_t cap, const char *fmt, ...)
{
    struct text t = text_over(buf, cap);
    va_list ap;

    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    return !t.cut;
}
