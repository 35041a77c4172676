/* The application's own memory functions, under names that do not meet the C library's. */
#define memcpy  own_memcpy
#define memmove own_memmove
#define memset  own_memset
#define memcmp  own_memcmp
#include "../../../base/mem.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#include "test.h"

enum { ROOM = 96 };
static uint8_t got[ROOM], want[ROOM];

static void fill(void)
{
    for (unsigned i = 0; i < ROOM; i++)
        got[i] = want[i] = (uint8_t)(i * 7 + 1);
}

static bool same(void)
{
    for (unsigned i = 0; i < ROOM; i++)
        if (got[i] != want[i])
            return false;
    return true;
}

TEST(copying_moves_exactly_n_bytes_and_returns_the_destination)
{
    for (unsigned n = 0; n <= 40; n++) {
        fill();
        for (unsigned i = 0; i < n; i++)
            want[50 + i] = want[3 + i];
        CHECK(own_memcpy(got + 50, got + 3, n) == got + 50);
        CHECK(same());
    }
}

TEST(moving_works_for_every_overlap_in_both_directions)
{
    for (unsigned n = 0; n <= 33; n++) {
        for (unsigned to = 0; to <= 40; to++) {
            uint8_t before[ROOM];

            fill();
            for (unsigned i = 0; i < ROOM; i++)
                before[i] = want[i];
            for (unsigned i = 0; i < n; i++)
                want[to + i] = before[20 + i];
            CHECK(own_memmove(got + to, got + 20, n) == got + to);
            CHECK(same());
        }
    }
}

TEST(setting_fills_exactly_n_bytes_with_the_low_byte)
{
    for (unsigned n = 0; n <= 40; n++) {
        fill();
        for (unsigned i = 0; i < n; i++)
            want[5 + i] = 0xa5;
        CHECK(own_memset(got + 5, 0x1a5, n) == got + 5);
        CHECK(same());
    }
}

TEST(comparing_orders_by_the_first_differing_byte_as_unsigned)
{
    for (unsigned at = 0; at < 24; at++) {
        fill();
        got[at] = 0xff;
        want[at] = 0x01;
        got[at + 1] = 0; /* a later difference the other way round changes nothing */
        CHECK(own_memcmp(got, want, 25) > 0);
        CHECK(own_memcmp(want, got, 25) < 0);
        EQ(own_memcmp(got, want, at), 0);
    }
    EQ(own_memcmp(got, want, 0), 0);
}
