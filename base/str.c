#include "str.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

size_t str_len(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

bool str_equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

bool str_equal_nocase(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b))
        a++, b++;
    return lower(*a) == lower(*b);
}

bool str_starts(const char *s, const char *prefix)
{
    while (*prefix)
        if (*s++ != *prefix++)
            return false;
    return true;
}

const char *str_find(const char *s, const char *needle)
{
    for (;; s++) {
        if (str_starts(s, needle))
            return s;
        if (!*s)
            return NULL;
    }
}

bool str_copy(char *dst, size_t cap, const char *src) { return str_copy_n(dst, cap, src, str_len(src)); }

bool str_copy_n(char *dst, size_t cap, const char *src, size_t n)
{
    bool fits = n < cap;

    if (!fits)
        n = cap - 1;
    memcpy(dst, src, n);
    dst[n] = 0;
    return fits;
}

/* swap is 1 for fields whose 16-bit words hold their bytes the other way round. */
static void scrub(char *dst, size_t cap, const uint8_t *field, size_t len, size_t swap)
{
    size_t begin = 0, end = len, n = 0;

    while (begin < end && (field[begin ^ swap] == ' ' || !field[begin ^ swap]))
        begin++;
    while (end > begin && (field[(end - 1) ^ swap] == ' ' || !field[(end - 1) ^ swap]))
        end--;
    for (size_t i = begin; i < end && n + 1 < cap; i++) {
        uint8_t c = field[i ^ swap];
        dst[n++] = c >= 0x20 && c <= 0x7e ? (char)c : '?';
    }
    dst[n] = 0;
}

void str_scrub(char *dst, size_t cap, const void *field, size_t len) { scrub(dst, cap, field, len, 0); }

void str_scrub_ata(char *dst, size_t cap, const void *field, size_t len)
{
    scrub(dst, cap, field, len & ~(size_t)1, 1);
}

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c = lower(c);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10u : 99u;
}

bool str_to_u64(const char *s, size_t n, uint64_t *out)
{
    unsigned radix = 10;
    uint64_t v = 0;

    if (n > 2 && s[0] == '0' && lower(s[1]) == 'x') {
        radix = 16;
        s += 2;
        n -= 2;
    }
    if (!n)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned d = digit_value(s[i]);
        if (d >= radix || v > (UINT64_MAX - d) / radix)
            return false;
        v = v * radix + d;
    }
    *out = v;
    return true;
}

enum { DISTANCE_MAX_LEN = 32 };

unsigned str_distance(const char *a, const char *b)
{
    uint8_t row[DISTANCE_MAX_LEN + 1];
    size_t na = str_len(a), nb = str_len(b);

    if (na > DISTANCE_MAX_LEN)
        na = DISTANCE_MAX_LEN;
    if (nb > DISTANCE_MAX_LEN)
        nb = DISTANCE_MAX_LEN;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (uint8_t)j;
    for (size_t i = 1; i <= na; i++) {
        uint8_t diagonal = row[0];
        row[0] = (uint8_t)i;
        for (size_t j = 1; j <= nb; j++) {
            uint8_t best = (uint8_t)(diagonal + (a[i - 1] != b[j - 1]));
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = (uint8_t)(row[j] + 1);
            if (row[j - 1] + 1 < best)
                best = (uint8_t)(row[j - 1] + 1);
            row[j] = best;
        }
    }
    return row[nb];
}
