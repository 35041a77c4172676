#include "str.h"

/* The compiler expects these four of a freestanding program.  Copying and filling use string
 * instructions: processors since 2013 run them at the width of a cache line, and a loop written in C
 * would be recognised and turned into a call of the very function it stands in. */

typedef uint64_t __attribute__((may_alias, aligned(1))) unaligned_word;

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
    void *to = dst;

    __asm__ volatile("rep movsb" : "+D"(to), "+S"(src), "+c"(n) : : "memory");
    return dst;
}

void *memset(void *dst, int byte, size_t n)
{
    void *to = dst;

    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
    return dst;
}

/* The end first: only reached when the destination begins inside the source. */
static void move_up(uint8_t *to, const uint8_t *from, size_t n)
{
    while (n >= sizeof(unaligned_word)) {
        n -= sizeof(unaligned_word);
        unaligned_word w = *(const unaligned_word *)(from + n);
        __asm__ volatile("" : "+r"(w) : : "memory");
        *(unaligned_word *)(to + n) = w;
    }
    while (n--) {
        uint8_t b = from[n];
        __asm__ volatile("" : "+r"(b) : : "memory");
        to[n] = b;
    }
}

void *memmove(void *dst, const void *src, size_t n)
{
    if ((uintptr_t)dst - (uintptr_t)src >= n)
        return memcpy(dst, src, n);
    move_up(dst, src, n);
    return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *p = a, *q = b;

    while (n >= sizeof(unaligned_word) && *(const unaligned_word *)p == *(const unaligned_word *)q) {
        p += sizeof(unaligned_word);
        q += sizeof(unaligned_word);
        n -= sizeof(unaligned_word);
    }
    for (; n; p++, q++, n--)
        if (*p != *q)
            return *p < *q ? -1 : 1;
    return 0;
}
