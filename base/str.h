#ifndef BASE_STR_H
#define BASE_STR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* gcc calls these four by itself.  The application defines them in base/mem.c; host programs take
 * their C library's. */
void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);

size_t str_len(const char *s);
bool str_equal(const char *a, const char *b);
bool str_equal_nocase(const char *a, const char *b); /* ASCII only */
bool str_starts(const char *s, const char *prefix);
/* NULL when needle does not occur. */
const char *str_find(const char *s, const char *needle);

/* Copies at most cap - 1 bytes and always terminates (cap >= 1).  False when src was cut. */
bool str_copy(char *dst, size_t cap, const char *src);
bool str_copy_n(char *dst, size_t cap, const char *src, size_t n);

/* A device's text field (len bytes, padded, not terminated, never to be trusted) as a clean C string:
 * leading and trailing blanks and NULs dropped, everything outside 0x20..0x7e becomes '?'. */
void str_scrub(char *dst, size_t cap, const void *field, size_t len);
/* The same for ATA strings, in which the bytes of each 16-bit word are swapped; len is even. */
void str_scrub_ata(char *dst, size_t cap, const void *field, size_t len);

/* Decimal or 0x hexadecimal, the whole of s[0..n); false on anything else or on overflow. */
bool str_to_u64(const char *s, size_t n, uint64_t *out);

/* What makes a word of a count: "" for one, else "s". */
static inline const char *str_plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* Levenshtein distance of two words of at most 32 bytes (longer ones are cut): finds "did you mean". */
unsigned str_distance(const char *a, const char *b);

#endif
