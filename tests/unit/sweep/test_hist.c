#include <stdlib.h>
#include "bits.h"
#include "hist.h"
#include "math.h"
#include "test.h"

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Nearest rank in the sorted samples, in the definition's own words. */
static uint64_t true_percentile(const uint64_t *sorted, uint64_t n, uint32_t ppm)
{
    uint64_t rank = (n * ppm + 999999) / 1000000;

    return sorted[(rank ? rank : 1) - 1];
}

TEST(an_empty_histogram_has_no_percentile)
{
    static struct hist h;

    hist_reset(&h);
    EQ(hist_percentile_ns(&h, 500000), 0);
    EQ(hist_percentile_ns(&h, 1000000), 0);
    EQ(hist_above(&h, 500000), 0);
    EQ(h.min_ns, UINT64_MAX);
}

TEST(one_value_is_every_percentile_exactly)
{
    static struct hist h;

    hist_reset(&h);
    hist_add(&h, 123456789);
    EQ(hist_percentile_ns(&h, 0), 123456789);
    EQ(hist_percentile_ns(&h, 1), 123456789);
    EQ(hist_percentile_ns(&h, 999999), 123456789);
    EQ(hist_percentile_ns(&h, 1000000), 123456789);
    EQ(hist_above(&h, 500000), 0);
}

TEST(each_bucket_begins_where_the_one_before_ends_and_errs_by_a_64th_at_most)
{
    for (uint64_t v = 0; v < 300000; v++) {
        unsigned b = hist_bucket(v), next = hist_bucket(v + 1);
        CHECK(next == b || next == b + 1);
    }
    for (unsigned bit = 0; bit < 64; bit++)
        for (int off = -1; off <= 1; off++) {
            static struct hist h;
            uint64_t v = (1ull << bit) + (uint64_t)(int64_t)off;
            hist_reset(&h);
            hist_add(&h, v);
            h.max_ns = UINT64_MAX; /* take the clamp away: what is the bucket's edge? */
            uint64_t edge = hist_percentile_ns(&h, 0);
            CHECK(edge >= v);
            if (hist_bucket(v) < HIST_BUCKETS - 1)
                CHECK(edge - v <= v / 64);
        }
}

TEST(values_beyond_the_last_bucket_keep_their_maximum)
{
    static struct hist h;

    hist_reset(&h);
    hist_add(&h, 5);
    hist_add(&h, UINT64_MAX);
    EQ(hist_percentile_ns(&h, 500000), 5);
    CHECK(hist_percentile_ns(&h, 990000) == UINT64_MAX);
    EQ(hist_bucket(UINT64_MAX), HIST_BUCKETS - 1);
}

TEST(percentiles_agree_with_the_sorted_samples_within_a_64th)
{
    enum { N = 20011 };
    static uint64_t v[N];
    static struct hist h;
    static const uint32_t ppm[] = {
        1, 10000, 250000, 500000, 900000, 990000, 999000, 999900, 999999, 1000000
    };
    struct rng rng;

    rng_seed(&rng, 7);
    for (unsigned shape = 0; shape < 4; shape++) {
        hist_reset(&h);
        for (unsigned i = 0; i < N; i++) {
            uint64_t w = rng_next(&rng);
            v[i] = shape == 0 ? w % 100 : shape == 1 ? w % 1000000 : shape == 2 ? w >> (20 + w % 40) : 777;
            v[i] %= 1ull << 41;
            hist_add(&h, v[i]);
        }
        qsort(v, N, sizeof(v[0]), by_value);
        for (unsigned p = 0; p < ARRAY_COUNT(ppm); p++) {
            uint64_t want = true_percentile(v, N, ppm[p]), got = hist_percentile_ns(&h, ppm[p]), above = 0;
            CHECK(got >= want);
            CHECK(got - want <= want / 64);
            CHECK(got <= v[N - 1]);
            above = N - (((uint64_t)N * ppm[p] + 999999) / 1000000);
            EQ(hist_above(&h, ppm[p]), above);
        }
    }
}

TEST(samples_above_a_percentile_are_counted_at_the_edge_of_ten)
{
    static struct hist h;

    hist_reset(&h);
    for (unsigned i = 0; i < 999; i++)
        hist_add(&h, i);
    EQ(hist_above(&h, 990000), 9);
    hist_add(&h, 1);
    EQ(hist_above(&h, 990000), 10);
}

/* floor(sqrt(mean of squared distances)), in the C library's floating point. */
static double true_stddev(const uint64_t *v, unsigned n, uint64_t mean)
{
    double sum = 0, root = 1;

    for (unsigned i = 0; i < n; i++)
        sum += ((double)v[i] - (double)mean) * ((double)v[i] - (double)mean);
    sum /= n;
    for (unsigned i = 0; i < 200; i++)
        root = (root + sum / root) / 2;
    return root;
}

TEST(the_standard_deviation_agrees_with_the_samples_within_a_32nd)
{
    enum { N = 5000 };
    static uint64_t v[N];
    static struct hist h;
    struct rng rng;

    rng_seed(&rng, 11);
    for (unsigned shape = 0; shape < 5; shape++) {
        hist_reset(&h);
        for (unsigned i = 0; i < N; i++) {
            uint64_t w = rng_next(&rng);
            v[i] = shape == 0   ? 80000 + w % 20000
                   : shape == 1 ? w % 1000000000
                   : shape == 2 ? (i % 1000 ? 90000 + w % 900 : 1ull << 38)
                   : shape == 3 ? w >> 24
                                : w % 50;
            hist_add(&h, v[i]);
        }
        double want = true_stddev(v, N, h.sum_ns / N), got = (double)hist_stddev_ns(&h, h.sum_ns / N);
        CHECK(got <= want * 33 / 32 + 1 && got + 1 >= want * 31 / 32 - 1);
    }
}

TEST(equal_values_and_no_values_deviate_by_nothing)
{
    static struct hist h;

    hist_reset(&h);
    EQ(hist_stddev_ns(&h, 0), 0);
    for (unsigned i = 0; i < 100; i++)
        hist_add(&h, 123457);
    EQ(hist_stddev_ns(&h, 123457), 0);
    hist_add(&h, UINT64_MAX);
    CHECK(hist_stddev_ns(&h, 123457) > UINT64_MAX / 32);
    hist_reset(&h);
    hist_add(&h, 0);
    hist_add(&h, 2);
    EQ(hist_stddev_ns(&h, 1), 1);
}

TEST(classes_hold_every_value_once_and_bounds_belong_to_the_next)
{
    static const uint64_t bound[] = { 2, 4, 10, 1000, 1000000, UINT64_MAX };
    static const uint64_t v[] = { 0, 1, 2, 3, 4, 9, 10, 990, 1010, 999000, 1 << 20, UINT64_MAX };
    static const uint64_t want[] = { 2, 2, 2, 2, 2, 2 };
    static struct hist h;
    uint64_t got[ARRAY_COUNT(bound)];

    hist_reset(&h);
    hist_classify(&h, bound, ARRAY_COUNT(bound), got);
    for (unsigned i = 0; i < ARRAY_COUNT(bound); i++)
        EQ(got[i], 0);
    for (unsigned i = 0; i < ARRAY_COUNT(v); i++)
        hist_add(&h, v[i]);
    hist_classify(&h, bound, ARRAY_COUNT(bound), got);
    for (unsigned i = 0; i < ARRAY_COUNT(bound); i++)
        EQ(got[i], want[i]);
}

TEST(merged_histograms_equal_one_that_saw_everything)
{
    static struct hist a, b, all;
    struct rng rng;

    rng_seed(&rng, 3);
    hist_reset(&a);
    hist_reset(&b);
    hist_reset(&all);
    for (unsigned i = 0; i < 5000; i++) {
        uint64_t w = rng_next(&rng) >> 30;
        hist_add(i % 3 ? &a : &b, w);
        hist_add(&all, w);
    }
    hist_merge(&a, &b);
    CHECK(!__builtin_memcmp(&a, &all, sizeof(a)));
    hist_reset(&b);
    hist_merge(&a, &b);
    CHECK(!__builtin_memcmp(&a, &all, sizeof(a)));
}

TEST(counts_near_the_top_of_64_bits_give_a_rank_without_overflow)
{
    static struct hist h;

    hist_reset(&h);
    h.count = UINT64_MAX;
    h.min_ns = 10;
    h.max_ns = 20;
    h.bucket[10] = UINT64_MAX / 2;
    h.bucket[20] = UINT64_MAX - UINT64_MAX / 2;
    EQ(hist_percentile_ns(&h, 100000), 10);
    EQ(hist_percentile_ns(&h, 900000), 20);
}
