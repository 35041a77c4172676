#ifndef SWEEP_GUARD_KINDS_H
#define SWEEP_GUARD_KINDS_H
#include <stdbool.h>
#include <stdint.h>

/* The signs by which content is known: of guard_content.c and its tests only. */

enum sign_anchor {
    FROM_START,
    FROM_END,         /* base_bytes before the end ... */
    FROM_END_OF_4K,   /* ... of the last whole 4 KiB, ... */
    FROM_END_OF_64K,  /* ... 64 KiB, ... */
    FROM_END_OF_256K, /* ... 256 KiB */
    SIGN_ANCHOR_COUNT
};
enum { SIGN_WINDOW_BYTES = 512 }; /* what a check may look at, from the base on */
struct sign {
    const char *kind;
    uint8_t anchor;
    uint8_t magic_bytes;
    uint16_t magic_at; /* from the base */
    uint64_t base_bytes;
    const char *magic;
    /* NULL: the magic is enough.  `base` has SIGN_WINDOW_BYTES, at_bytes is where it begins. */
    bool (*check)(const uint8_t *base, uint64_t at_bytes);
};
extern const struct sign guard_signs[];
extern const unsigned guard_sign_count;
extern const char guard_kind_mark[], guard_kind_data[];

static inline uint16_t le16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t le32(const uint8_t *p) { return le16(p) | (uint32_t)le16(p + 2) << 16; }
static inline uint64_t le64(const uint8_t *p) { return le32(p) | (uint64_t)le32(p + 4) << 32; }

#endif
