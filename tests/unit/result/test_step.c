#include <string.h>
#include "step.h"
#include "test.h"

TEST(percentiles_ascend_from_1_to_99_9999)
{
    static const uint32_t want[] = { 10000,  50000,  100000, 250000, 500000, 700000, 750000,
                                     900000, 950000, 990000, 999000, 999900, 999990, 999999 };

    for (unsigned i = 0; i < PERCENTILE_COUNT; i++)
        EQ(percentile_ppm[i], want[i]);
}

TEST(latency_classes_are_those_of_fio)
{
    static const unsigned of_unit[] = { 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000 };
    uint64_t unit = 1;

    for (unsigned i = 0; i < 30; i++) {
        EQ(latency_class_ns[i], of_unit[i % 10] * unit);
        unit *= i % 10 == 9 ? 1000 : 1;
    }
    EQ(latency_class_ns[30], 2000000000);
    CHECK(latency_class_ns[31] == UINT64_MAX);
}

TEST(every_flag_has_one_row_in_the_order_of_the_bits)
{
    EQ(step_flag_count, 29);
    for (unsigned i = 0; i < step_flag_count; i++) {
        const struct step_flag_row *r = &step_flags[i];

        EQ(r->flag, 1u << i);
        CHECK(strspn(r->name, "abcdefghijklmnopqrstuvwxyz-") == strlen(r->name));
        CHECK(strlen(r->sentence) > 20 && r->sentence[strlen(r->sentence) - 1] == '.');
        for (unsigned k = 0; k < i; k++)
            CHECK(strcmp(r->name, step_flags[k].name));
    }
    EQ(step_flags[9].flag, FLAG_CLOCK_UNCERTAIN);
    EQ(step_flags[21].flag, FLAG_NOT_STEADY);
    EQ(step_flags[23].flag, FLAG_NUMA);
    EQ(step_flags[26].flag, FLAG_NARROW_LINK);
    EQ(step_flags[27].flag, FLAG_MIXED_SIZES);
    EQ(step_flags[28].flag, FLAG_CACHE);
}

TEST(rates_are_whole_numbers_rounded_down)
{
    struct step_result r = { .ios = 10, .bytes = 40960, .run_ns = 3000000000ull };

    EQ(step_bytes_per_s(&r), 13653);
    EQ(step_iops_milli(&r), 3333);
}

TEST(a_step_without_time_has_no_rate)
{
    struct step_result r = { .ios = 10, .bytes = 40960 };

    EQ(step_bytes_per_s(&r), 0);
    EQ(step_iops_milli(&r), 0);
    r = (struct step_result){ .run_ns = 1 };
    EQ(step_bytes_per_s(&r), 0);
}

TEST(rates_of_long_and_fast_steps_do_not_overflow)
{
    /* 100 GB/s for 72 hours */
    struct step_result r = { .bytes = 25920000000000000ull,
                             .ios = 6328125000000ull,
                             .run_ns = 259200000000000ull };

    EQ(step_bytes_per_s(&r), 100000000000ull);
    EQ(step_iops_milli(&r), 24414062500ull);
    r = (struct step_result){ .bytes = UINT64_MAX, .ios = UINT64_MAX, .run_ns = 1 };
    EQ(step_bytes_per_s(&r), UINT64_MAX);
    EQ(step_iops_milli(&r), UINT64_MAX);
}
