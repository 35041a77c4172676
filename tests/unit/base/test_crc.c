#include "crc.h"
#include "math.h"
#include "test.h"

TEST(check_values_are_those_of_the_catalogues)
{
    EQ(crc32c(0, "123456789", 9), 0xe3069283);
    EQ(crc32(0, "123456789", 9), 0xcbf43926);
    EQ(crc32c(0, "", 0), 0);
    EQ(crc32(0, "", 0), 0);
}

static uint32_t bit_by_bit(uint32_t polynomial, const uint8_t *p, size_t n)
{
    uint32_t crc = ~0u;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (unsigned k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
    }
    return ~crc;
}

TEST(tables_agree_with_the_polynomial_for_every_byte_in_every_place)
{
    uint8_t data[8];

    for (unsigned place = 0; place < 8; place++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            for (unsigned i = 0; i < 8; i++)
                data[i] = (uint8_t)(i == place ? byte : 0xff);
            EQ(crc32c(0, data, 8), bit_by_bit(0x82f63b78, data, 8));
            EQ(crc32(0, data, 8), bit_by_bit(0xedb88320, data, 8));
        }
    }
}

TEST(any_length_alignment_and_split_gives_the_same_sum)
{
    uint8_t data[64];
    struct rng r;

    rng_seed(&r, 7);
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)rng_next(&r);
    for (unsigned from = 0; from < 8; from++) {
        for (unsigned n = 0; n <= 50; n++) {
            uint32_t want = bit_by_bit(0x82f63b78, data + from, n);

            EQ(crc32c(0, data + from, n), want);
            for (unsigned cut = 0; cut <= n; cut += 5)
                EQ(crc32c(crc32c(0, data + from, cut), data + from + cut, n - cut), want);
        }
    }
}
