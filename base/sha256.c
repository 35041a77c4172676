#include "sha256.h"
#include "bits.h"
#include "str.h"

/* FIPS 180-4, 4.2.2: fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t v, unsigned n) { return v >> n | v << (32 - n); }

static uint32_t read_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* 6.2.2 */
static void compress(uint32_t state[8], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
             h = state[7], w[64];

    for (unsigned t = 0; t < 16; t++)
        w[t] = read_be32(block + 4 * t);
    for (unsigned t = 16; t < 64; t++) {
        uint32_t s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;

        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    for (unsigned t = 0; t < 64; t++) {
        uint32_t big1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t t1 = h + big1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
        uint32_t big0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t t2 = big0 + ((a & b) ^ (a & c) ^ (b & c));

        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t v[8] = { a, b, c, d, e, f, g, h };

    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

void sha256_begin(struct sha256 *s)
{
    static const uint32_t start[8] = { /* 5.3.3 */
                                       0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    };

    *s = (struct sha256){ 0 };
    memcpy(s->state, start, sizeof start);
}

void sha256_add(struct sha256 *s, const void *data, size_t len)
{
    const uint8_t *p = data;

    while (len) {
        size_t used = s->bytes % 64, n = min_u64(len, 64 - used);

        if (n == 64) {
            compress(s->state, p);
        } else {
            memcpy(s->block + used, p, n);
            if (used + n == 64)
                compress(s->state, s->block);
        }
        s->bytes += n;
        p += n;
        len -= n;
    }
}

void sha256_end(struct sha256 *s, uint8_t digest[32])
{
    static const uint8_t pad[64] = { 0x80 };
    uint64_t bits = s->bytes * 8;
    size_t used = s->bytes % 64;
    uint8_t length[8];

    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(s, pad, used < 56 ? 56 - used : 120 - used);
    sha256_add(s, length, sizeof length);
    for (unsigned i = 0; i < 32; i++)
        digest[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_hex(const uint8_t digest[32], char out[65])
{
    for (unsigned i = 0; i < 64; i++)
        out[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
    out[64] = 0;
}
