#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "math.h"
#include "outlier.h"
#include "step.h"
#include "test.h"

/* ---- generated measurements ---- */
static const struct outlier_peers plain = { "MODEL",    "FW1", "Gen3 x4", "", "rand-4k",
                                            "randread", 1000,  4096,      32 };

/* Sum of twelve uniform values: normal but for its far tails. */
static int64_t normal_milli(struct rng *r)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < 12; i++)
        sum += (int64_t)mul_high_u64(rng_next(r), 1000001);
    return (sum - 6000000) / 1000;
}

static uint64_t varied(struct rng *r, uint64_t mean, unsigned spread_permille)
{
    int64_t far = normal_milli(r) * (int64_t)spread_permille / 1000; /* in permille of the mean */

    return (uint64_t)((int64_t)mean + (int64_t)mean / 1000 * (far < -999 ? -999 : far));
}

static void fill(struct outlier_cell *cells, size_t count, const struct outlier_peers *peers, struct rng *r,
                 unsigned spread_permille)
{
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct outlier_cell){ .peers = peers,
                                          .drive = (uint32_t)i,
                                          .value = { varied(r, 500000000, spread_permille),
                                                     varied(r, 2500, spread_permille),
                                                     varied(r, 4000, spread_permille) } };
}

struct caught {
    unsigned count;
    struct outlier o[16];
    uint32_t drive[16];
};

static void catch_it(void *ctx, const struct outlier *o)
{
    struct caught *c = ctx;

    if (c->count < 16) {
        c->o[c->count] = *o;
        c->drive[c->count] = o->cell->drive;
    }
    c->count++;
}

static struct caught find(struct outlier_cell *cells, size_t count, struct outlier_counts *counts)
{
    struct caught c = { 0 };
    struct outlier_counts mine;
    uint64_t *scratch = malloc((count ? count : 1) * sizeof *scratch);

    outlier_find(cells, count, scratch, catch_it, &c, counts ? counts : &mine);
    free(scratch);
    return c;
}

/* ---- median ---- */
TEST(the_centre_of_one_value_is_that_value)
{
    uint64_t v[] = { UINT64_MAX };
    struct outlier_centre c = outlier_centre(v, 1);

    EQ(c.median, UINT64_MAX);
    EQ(c.deviation, 0);
}

TEST(the_median_of_an_even_number_lies_half_way_and_is_rounded_down)
{
    uint64_t v[] = { 10, 1, 4, 3 }, big[] = { UINT64_MAX, UINT64_MAX - 1 };

    EQ(outlier_centre(v, 4).median, 3);
    EQ(outlier_centre(big, 2).median, UINT64_MAX - 1);
}

TEST(the_deviation_is_the_median_distance_to_the_median)
{
    uint64_t v[] = { 1, 2, 3, 4, 100 };
    struct outlier_centre c = outlier_centre(v, 5);

    EQ(c.median, 3);
    EQ(c.deviation, 1);
}

/* ---- tails ---- */
TEST(a_tail_is_latency_times_iops_over_depth_in_thousandths)
{
    /* 10 ms at 100 IOPS and depth 1: exactly what throughput explains. */
    EQ(outlier_tail_milli(10000000, 100000, 1), 1000);
    EQ(outlier_tail_milli(10000000, 100000, 32), 31);
    EQ(outlier_tail_milli(10000000, 100000, 0), 0);
    EQ(outlier_tail_milli(UINT64_MAX, UINT64_MAX, 1), UINT64_MAX);
    EQ(outlier_tail_milli(0, 5, 1), 0);
}

/* ---- outliers ---- */
TEST(a_slow_drive_among_192_is_found_and_it_alone)
{
    struct outlier_cell cells[192];
    struct outlier_counts counts;
    struct rng r;

    rng_seed(&r, 1);
    fill(cells, 192, &plain, &r, 20);
    cells[77].value[OUTLIER_RATE] = 350000000;
    struct caught c = find(cells, 192, &counts);
    EQ(c.count, 1);
    EQ(c.drive[0], 77);
    EQ(c.o[0].metric, OUTLIER_RATE);
    CHECK(c.o[0].worse);
    EQ(c.o[0].value, 350000000);
    EQ(c.o[0].peers, 192);
    CHECK(c.o[0].effect_permille > 280 && c.o[0].effect_permille < 320);
    EQ(counts.groups, 1);
    EQ(counts.judged, 3 * 192);
    EQ(counts.odd, 1);
}

TEST(a_drive_that_is_slower_as_a_whole_has_no_long_tail)
{
    struct outlier_cell cells[32];
    struct rng r;

    rng_seed(&r, 2);
    fill(cells, 32, &plain, &r, 10);
    for (unsigned i = 0; i < 32; i++) {
        /* Half the rate, twice each latency. */
        uint64_t rate = i == 5 ? 50000 : 100000, p99_ns = i == 5 ? 40000000 : 20000000;

        cells[i].value[OUTLIER_RATE] = rate * 4;
        cells[i].value[OUTLIER_TAIL_P99] = outlier_tail_milli(p99_ns, rate, 1);
    }
    struct caught c = find(cells, 32, NULL);
    EQ(c.count, 1);
    EQ(c.o[0].metric, OUTLIER_RATE);
}

TEST(a_drive_with_a_long_tail_is_found_though_its_throughput_is_that_of_its_peers)
{
    struct outlier_cell cells[24];
    struct rng r;

    rng_seed(&r, 3);
    fill(cells, 24, &plain, &r, 20);
    cells[3].value[OUTLIER_TAIL_P999] = 40000;
    struct caught c = find(cells, 24, NULL);
    EQ(c.count, 1);
    EQ(c.drive[0], 3);
    EQ(c.o[0].metric, OUTLIER_TAIL_P999);
    CHECK(c.o[0].worse);
}

TEST(a_faster_drive_is_odd_but_not_worse)
{
    struct outlier_cell cells[24];
    struct rng r;

    rng_seed(&r, 4);
    fill(cells, 24, &plain, &r, 10);
    cells[9].value[OUTLIER_RATE] = 1000000000;
    struct caught c = find(cells, 24, NULL);
    EQ(c.count, 1);
    CHECK(!c.o[0].worse);
}

TEST(fewer_than_six_peers_are_not_judged_and_counted)
{
    struct outlier_cell cells[6];
    struct outlier_counts counts;
    struct rng r;

    rng_seed(&r, 5);
    fill(cells, 6, &plain, &r, 10);
    cells[0].value[OUTLIER_RATE] = 1;
    struct caught c = find(cells, 5, &counts);
    EQ(c.count, 0);
    EQ(counts.too_few_peers, 15);
    EQ(counts.groups_too_small, 1);
    fill(cells, 6, &plain, &r, 10);
    cells[0].value[OUTLIER_RATE] = 1;
    c = find(cells, 6, &counts);
    EQ(c.count, 1);
    EQ(counts.too_few_peers, 0);
}

TEST(nothing_at_all_has_no_outliers)
{
    struct outlier_counts counts;
    struct caught c = find(NULL, 0, &counts);

    EQ(c.count, 0);
    EQ(counts.groups, 0);
}

TEST(peers_differ_in_each_part_of_their_key)
{
    struct outlier_peers keys[10];
    struct outlier_cell cells[10];
    struct outlier_counts counts;
    struct rng r;

    for (unsigned i = 0; i < 10; i++)
        keys[i] = plain;
    keys[1].model = "MODEL2";
    keys[2].firmware = "FW2";
    keys[3].link = "Gen3 x2";
    keys[4].job = "";
    keys[5].rw = "read";
    keys[6].size_bytes++;
    keys[7].block_bytes = 8192;
    keys[8].depth = 1;
    keys[9].policy = "WB";
    rng_seed(&r, 6);
    for (unsigned i = 0; i < 10; i++)
        fill(&cells[i], 1, &keys[i], &r, 10);
    find(cells, 10, &counts);
    EQ(counts.groups, 10);
    EQ(counts.groups_too_small, 10);
}

TEST(peers_of_equal_content_in_different_memory_are_one_group)
{
    struct outlier_peers copies[8];
    char models[8][8];
    struct outlier_cell cells[8];
    struct outlier_counts counts;
    struct rng r;

    rng_seed(&r, 7);
    for (unsigned i = 0; i < 8; i++) {
        memcpy(models[i], "MODEL", 6);
        copies[i] = plain;
        copies[i].model = models[i];
        fill(&cells[i], 1, &copies[i], &r, 10);
        cells[i].drive = i;
    }
    find(cells, 8, &counts);
    EQ(counts.groups, 1);
    EQ(counts.judged, 24);
}

TEST(what_may_not_be_compared_is_neither_judged_nor_a_peer)
{
    struct outlier_cell cells[12];
    struct outlier_counts counts;
    struct rng r;

    rng_seed(&r, 8);
    fill(cells, 12, &plain, &r, 10);
    for (unsigned i = 0; i < 4; i++) {
        cells[i].flags = FLAG_FIRMWARE_PATH;
        cells[i].value[OUTLIER_RATE] = 5;
    }
    cells[4].flags = FLAG_POLL_GAP; /* its tail is ours, its rate is its own */
    cells[4].value[OUTLIER_TAIL_P99] = 900000;
    cells[5].value[OUTLIER_TAIL_P999] = 0; /* too few samples: not measured */
    cells[6].flags = FLAG_SHARED_PATH | FLAG_SPLIT | FLAG_DEPTH_REDUCED | FLAG_HOST_BOUND;
    struct caught c = find(cells, 12, &counts);
    EQ(c.count, 0);
    EQ(counts.not_usable, 12 + 2);
    EQ(counts.judged, 8 + 7 + 6);
}

TEST(equal_values_have_no_outlier_and_a_tiny_spread_makes_none_of_a_small_difference)
{
    struct outlier_cell cells[24];
    struct rng r;

    rng_seed(&r, 9);
    fill(cells, 24, &plain, &r, 0);
    EQ(find(cells, 24, NULL).count, 0);
    fill(cells, 24, &plain, &r, 0);
    cells[0].value[OUTLIER_RATE] = 460000000; /* 8 % */
    EQ(find(cells, 24, NULL).count, 0);
}

TEST(extreme_values_overflow_nothing)
{
    struct outlier_cell cells[8];
    struct rng r;

    rng_seed(&r, 10);
    fill(cells, 8, &plain, &r, 0);
    for (unsigned i = 0; i < 8; i++)
        cells[i].value[OUTLIER_RATE] = i ? 1 : UINT64_MAX;
    struct caught c = find(cells, 8, NULL);
    EQ(c.count, 1);
    EQ(c.o[0].effect_permille, UINT64_MAX);
    for (unsigned i = 0; i < 8; i++)
        cells[i].value[OUTLIER_RATE] = i ? UINT64_MAX : 1;
    c = find(cells, 8, NULL);
    EQ(c.count, 1);
    CHECK(c.o[0].worse);
}

TEST(the_order_of_the_input_changes_nothing)
{
    struct outlier_cell cells[48], other[48];
    struct rng r;

    rng_seed(&r, 11);
    fill(cells, 48, &plain, &r, 10);
    cells[1].value[OUTLIER_RATE] = 100000000;
    cells[30].value[OUTLIER_TAIL_P99] = 100000;
    for (unsigned i = 0; i < 48; i++)
        other[i] = cells[47 - i];
    struct caught a = find(cells, 48, NULL), b = find(other, 48, NULL);
    EQ(a.count, 2);
    EQ(b.count, 2);
    for (unsigned i = 0; i < 2; i++) {
        EQ(a.drive[i], b.drive[i]);
        EQ(a.o[i].z_milli, b.o[i].z_milli);
    }
}

/* ---- how often an alarm is false ---- */
/* 200 000 values without any outlier, so widely spread that the least effect never helps. */
static unsigned false_alarms(size_t peers, unsigned spread_permille, struct rng *r)
{
    enum { VALUES = 200000 };
    static struct outlier_cell cells[256];
    unsigned alarms = 0;

    for (size_t done = 0; done + 3 * peers <= VALUES; done += 3 * peers) {
        fill(cells, peers, &plain, r, spread_permille);
        alarms += find(cells, peers, NULL).count;
    }
    return alarms;
}

TEST(the_rate_of_false_alarms_is_what_the_header_promises)
{
    static const size_t small[] = { 6, 7, 8, 9, 10, 12, 15, 16, 23 }, large[] = { 24, 31, 64, 192 };
    struct rng r;
    unsigned in_small = 0, in_large = 0;

    rng_seed(&r, 12);
    for (unsigned i = 0; i < ARRAY_COUNT(small); i++)
        in_small += false_alarms(small[i], 200, &r);
    for (unsigned i = 0; i < ARRAY_COUNT(large); i++)
        in_large += false_alarms(large[i], 200, &r);
    /* 1 800 000 and 800 000 values: fewer than 180 and 8 (and what chance adds). */
    CHECK(in_small < 180 && in_large < 16);
}

TEST(drives_that_agree_within_three_hundredths_raise_no_alarm_in_200_000_values)
{
    struct rng r;

    rng_seed(&r, 13);
    EQ(false_alarms(192, 30, &r), 0);
    CHECK(false_alarms(8, 30, &r) <= 2);
}

TEST(limits_fall_with_the_number_of_peers_and_end)
{
    for (size_t n = 6; n < 300; n++) {
        CHECK(outlier_limit_z_milli(n) <= outlier_limit_z_milli(n - 1) || n == 24);
        CHECK(outlier_interval_milli(n) <= outlier_interval_milli(n - 1));
    }
    EQ(outlier_limit_z_milli(OUTLIER_LIMIT_PEERS_MAX), outlier_limit_z_milli(SIZE_MAX));
    EQ(outlier_limit_z_milli(0), outlier_limit_z_milli(5));
}

/* ---- differences ---- */
static unsigned differences(size_t n, unsigned spread_permille, bool paired, unsigned trials, struct rng *r)
{
    uint64_t a[64], b[64], scratch[64];
    unsigned count = 0;

    for (unsigned t = 0; t < trials; t++) {
        for (size_t i = 0; i < n; i++) {
            a[i] = varied(r, 100000000, spread_permille);
            b[i] = varied(r, 100000000, spread_permille);
        }
        count += (paired ? outlier_compare_pairs(a, b, n, scratch) : outlier_compare(a, n, b, n)).differs;
    }
    return count;
}

TEST(noise_is_no_difference_in_99_of_100_comparisons)
{
    static const size_t sizes[] = { 5, 6, 8, 11, 24, 64 };
    struct rng r;

    rng_seed(&r, 14);
    for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++) {
        CHECK(differences(sizes[i], 100, false, 2000, &r) <= 30);
        CHECK(differences(sizes[i], 100, true, 2000, &r) <= 30);
    }
}

TEST(a_difference_of_five_hundredths_among_24_drives_is_seen_with_its_uncertainty)
{
    uint64_t a[24], b[24];
    struct rng r;

    rng_seed(&r, 15);
    for (unsigned i = 0; i < 24; i++) {
        a[i] = varied(&r, 100000000, 20);
        b[i] = varied(&r, 95000000, 20);
    }
    struct outlier_difference d = outlier_compare(a, 24, b, 24);
    CHECK(d.known && d.differs);
    CHECK(d.ppm < -30000 && d.ppm > -70000);
    CHECK(d.plus_minus_ppm > 5000 && d.plus_minus_ppm < 40000);
}

TEST(pairs_see_what_the_spread_of_the_drives_hides)
{
    uint64_t a[12], b[12], c[12], d[12], scratch[12];
    struct rng r;

    rng_seed(&r, 16);
    for (unsigned i = 0; i < 12; i++) {
        a[i] = c[i] = varied(&r, 100000000, 200);
        b[i] = d[i] = varied(&r, a[i] / 100 * 103, 3);
    }
    CHECK(!outlier_compare(a, 12, b, 12).differs);
    struct outlier_difference paired = outlier_compare_pairs(c, d, 12, scratch);
    CHECK(paired.differs);
    CHECK(paired.ppm > 25000 && paired.ppm < 35000);
}

TEST(fewer_than_five_values_leave_a_difference_unknown)
{
    uint64_t a[4] = { 1000, 1000, 1000, 1000 }, b[4] = { 10, 10, 10, 10 }, scratch[4];
    struct outlier_difference d = outlier_compare(a, 4, b, 4);

    CHECK(!d.known && !d.differs);
    EQ(d.ppm, -990000);
    CHECK(!outlier_compare_pairs(a, b, 4, scratch).known);
    d = outlier_compare(a, 0, b, 4);
    CHECK(!d.known);
    EQ(d.ppm, 0);
}

TEST(less_than_one_hundredth_matters_to_nobody)
{
    uint64_t a[8], b[8];

    for (unsigned i = 0; i < 8; i++) {
        a[i] = 1000000;
        b[i] = 1009000;
    }
    struct outlier_difference d = outlier_compare(a, 8, b, 8);
    EQ(d.ppm, 9000);
    EQ(d.plus_minus_ppm, 0);
    CHECK(d.known && !d.differs);
    for (unsigned i = 0; i < 8; i++) {
        a[i] = 1000000;
        b[i] = 1011000;
    }
    CHECK(outlier_compare(a, 8, b, 8).differs);
}

TEST(differences_of_extreme_values_stay_within_their_caps)
{
    uint64_t a[6], b[6], scratch[6];

    for (unsigned i = 0; i < 6; i++) {
        a[i] = 1;
        b[i] = UINT64_MAX - i * 1000;
    }
    struct outlier_difference d = outlier_compare(a, 6, b, 6);
    CHECK(d.differs && d.ppm == 1000000000);
    for (unsigned i = 0; i < 6; i++) {
        a[i] = i < 3 ? 0 : UINT64_MAX;
        b[i] = 1;
    }
    d = outlier_compare_pairs(a, b, 6, scratch);
    CHECK(!d.known);
    EQ(d.ppm, -999999);
}
