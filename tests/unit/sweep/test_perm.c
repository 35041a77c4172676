#include <stdlib.h>
#include <string.h>
#include "perm.h"
#include "test.h"

static void check_bijection(uint64_t count, uint64_t seed)
{
    struct perm p;
    uint8_t *seen = calloc(1, count);

    perm_init(&p, count, seed);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = perm_at(&p, i);
        if (at >= count || seen[at]) {
            free(seen);
            test_fail(__FILE__, __LINE__, "count %llu: element %llu comes twice or lies outside",
                      (unsigned long long)count, (unsigned long long)at);
        }
        seen[at] = 1;
    }
    free(seen);
}

TEST(a_permutation_visits_each_element_once_for_every_small_count)
{
    for (uint64_t count = 1; count <= 600; count++)
        check_bijection(count, count);
}

TEST(a_permutation_visits_each_element_once_around_powers_of_two)
{
    static const uint64_t counts[] = { 1023, 1024, 1025, 65535, 65536, 65537, 99991 };

    for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            check_bijection(counts[i], seed);
}

TEST(another_seed_gives_another_order_and_the_same_seed_the_same)
{
    struct perm a, b, c;
    unsigned same = 0;

    perm_init(&a, 100000, 1);
    perm_init(&b, 100000, 2);
    perm_init(&c, 100000, 1);
    for (uint64_t i = 0; i < 1000; i++) {
        same += perm_at(&a, i) == perm_at(&b, i);
        EQ(perm_at(&a, i), perm_at(&c, i));
    }
    CHECK(same < 10);
}

TEST(neighbours_in_time_are_no_neighbours_on_the_disk)
{
    struct perm p;
    unsigned near = 0, deciles[10] = { 0 };
    enum { COUNT = 1 << 20, LOOKS = 100000 };

    perm_init(&p, COUNT, 5);
    for (uint64_t i = 0; i + 1 < LOOKS; i++) {
        int64_t step = (int64_t)perm_at(&p, i + 1) - (int64_t)perm_at(&p, i);
        near += step > -64 && step < 64;
        deciles[perm_at(&p, i) * 10 / COUNT]++;
    }
    CHECK(near < 100); /* 12 expected of an ideal order */
    for (unsigned d = 0; d < 10; d++)
        CHECK(deciles[d] > LOOKS / 10 * 9 / 10 && deciles[d] < LOOKS / 10 * 11 / 10);
}

TEST(a_permutation_of_the_largest_disk_stays_inside)
{
    struct perm p;

    perm_init(&p, UINT64_MAX, 9);
    CHECK(perm_at(&p, 0) != perm_at(&p, 1));
    perm_init(&p, (1ull << 63) + 1, 9);
    for (uint64_t i = 0; i < 1000; i++)
        CHECK(perm_at(&p, (1ull << 63) - i) < p.count);
}
