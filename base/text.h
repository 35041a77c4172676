#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text being built in a caller's buffer.  Always terminated.  What does not fit is dropped and
 * `cut` is set: nothing overflows and nobody must check each call. */
struct text {
    char *buf;
    size_t cap, len;
    bool cut;
};

/* cap >= 1 */
struct text text_over(char *buf, size_t cap);
void text_reset(struct text *t);

void text_char(struct text *t, char c);
void text_str(struct text *t, const char *s);
void text_bytes(struct text *t, const char *s, size_t n);
void text_u64(struct text *t, uint64_t v);
void text_i64(struct text *t, int64_t v);
void text_hex(struct text *t, uint64_t v, unsigned digits); /* lower case, zero padded to digits */
/* v / 10^decimals with exactly `decimals` digits after the point: text_fixed(t, 12345, 2) is "123.45". */
void text_fixed(struct text *t, uint64_t v, unsigned decimals);
void text_pad(struct text *t, size_t to_len, char fill); /* fill until t->len == to_len */
/* 1536 -> "1.5 KiB", 8388608 -> "8 MiB": binary units, at most one decimal. */
void text_size(struct text *t, uint64_t bytes);
/* A disk's capacity in the decimal units of its label: "960.2 GB". */
void text_capacity(struct text *t, uint64_t bytes);
/* "850 ns", "12.3 us", "4.56 ms", "1.20 s", "3 min 12 s", "2 h 05 min" */
void text_duration(struct text *t, uint64_t ns);

/* printf's %d %i %u %x %X %c %s %p %% with flags '-', '0' and '#' (0x before hexadecimal), width and
 * precision (also '*'), and the lengths hh h l ll z j.  No floating point.  From the first conversion it does
 * not know the rest of fmt is printed as it stands. */
void text_fmt(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vfmt(struct text *t, const char *fmt, va_list ap);
/* Formats into buf (always terminated); the untruncated length is not known: true when it all fitted. */
bool str_fmt(char *buf, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
