#ifndef BASE_SHA256_H
#define BASE_SHA256_H
#include <stddef.h>
#include <stdint.h>

/* SHA-256 by FIPS 180-4.  Any number of sha256_add between begin and end. */
struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
};
void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
void sha256_end(struct sha256 *s, uint8_t digest[32]);
/* 64 lower-case digits and a NUL. */
void sha256_hex(const uint8_t digest[32], char out[65]);

#endif
