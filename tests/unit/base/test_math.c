#include "err.h"
#include "math.h"
#include "test.h"

TEST(a_product_divided_is_rounded_down_without_overflow)
{
    EQ(mul_div_u64(10, 10, 3), 33);
    EQ(mul_div_u64(0, UINT64_MAX, 1), 0);
    EQ(mul_div_u64(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
    EQ(mul_div_u64(UINT64_MAX, 3, 7), 7905747460161236406ull);
    EQ(mul_div_u64(1ull << 63, 2, 4), 1ull << 62);
}

TEST(a_quotient_that_does_not_fit_saturates)
{
    EQ(mul_div_u64(1, 1, 0), UINT64_MAX);
    EQ(mul_div_u64(0, 0, 0), UINT64_MAX);
    EQ(mul_div_u64(1ull << 63, 2, 1), UINT64_MAX);
    EQ(mul_div_u64(UINT64_MAX, UINT64_MAX, UINT64_MAX - 1), UINT64_MAX);
    EQ(mul_div_u64(1ull << 32, 1ull << 32, 2), 1ull << 63);
}

TEST(products_of_random_words_agree_with_wide_arithmetic)
{
    struct rng r;

    rng_seed(&r, 1);
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t a = rng_next(&r) >> (rng_next(&r) & 63), b = rng_next(&r) >> (rng_next(&r) & 63);
        uint64_t c = (rng_next(&r) >> (rng_next(&r) & 63)) | 1;
        unsigned __int128 exact = (unsigned __int128)a * b / c;

        EQ(mul_div_u64(a, b, c), exact > UINT64_MAX ? UINT64_MAX : (uint64_t)exact);
        EQ(mul_high_u64(a, b), (uint64_t)((unsigned __int128)a * b >> 64));
    }
}

TEST(square_roots_are_rounded_down)
{
    static const uint64_t roots[] = { 0, 1, 2, 3, 4, 255, 256, 65535, 65536, 4294967294ull, 4294967295ull };

    for (unsigned i = 0; i < sizeof roots / sizeof *roots; i++) {
        uint64_t r = roots[i];
        EQ(isqrt_u64(r * r), r);
        EQ(isqrt_u64(r * r + 2 * r), r); /* the last one before (r + 1)^2 */
    }
    EQ(isqrt_u64(UINT64_MAX), 4294967295ull);
}

TEST(logarithms_are_rounded_down)
{
    EQ(log2_u64(1), 0);
    EQ(log2_u64(3), 1);
    EQ(log2_u64(4), 2);
    EQ(log2_u64(UINT64_MAX), 63);
}

TEST(every_seed_gives_its_own_stream_and_the_same_one_again)
{
    struct rng a, b, c;

    rng_seed(&a, 0);
    rng_seed(&b, 0);
    rng_seed(&c, 1);
    CHECK(a.s[0] || a.s[1]);
    unsigned same = 0;
    for (unsigned i = 0; i < 100; i++) {
        uint64_t v = rng_next(&a);
        EQ(v, rng_next(&b));
        same += v == rng_next(&c);
    }
    EQ(same, 0);
}

static int by_key(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

TEST(sorting_orders_records_of_any_size_and_loses_none)
{
    for (unsigned n = 0; n <= 40; n++) {
        struct {
            uint32_t key, twice;
            uint8_t third[3];
        } r[40];
        struct rng g;
        uint64_t sum = 0, after = 0;

        rng_seed(&g, n);
        for (unsigned i = 0; i < n; i++) {
            r[i].key = (uint32_t)rng_next(&g) & 15; /* many equal ones */
            r[i].twice = 2 * r[i].key;
            r[i].third[2] = (uint8_t)(3 * r[i].key);
            sum += r[i].key;
        }
        sort_records(r, n, sizeof r[0], by_key);
        for (unsigned i = 0; i < n; i++) {
            CHECK(!i || r[i - 1].key <= r[i].key);
            EQ(r[i].twice, 2 * r[i].key);
            EQ(r[i].third[2], 3 * r[i].key);
            after += r[i].key;
        }
        EQ(after, sum);
    }
}

TEST(every_error_has_its_own_words)
{
    for (int a = 0; a > -ERR_COUNT; a--) {
        CHECK(err_text(a)[0]);
        for (int b = a - 1; b > -ERR_COUNT; b--)
            CHECK(__builtin_strcmp(err_text(a), err_text(b)));
    }
    EQ_STR(err_text(E_GONE), "device left the bus");
    EQ_STR(err_text(1), "unknown error");
    EQ_STR(err_text(-ERR_COUNT), "unknown error");
    EQ_STR(err_text(-2147483647 - 1), "unknown error");
}
