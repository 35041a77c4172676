#include "bits.h"
#include "column.h"
#include "str.h"
#include "test.h"

static char buf[64];

static const char *number(uint64_t v, unsigned decimals, size_t width)
{
    struct text t = text_over(buf, sizeof buf);

    column_number(&t, v, decimals, width);
    return buf;
}

TEST(a_number_gives_up_decimals_first_and_then_thousands)
{
    EQ_STR(number(0, 1, 6), "0.0");
    EQ_STR(number(123456, 1, 8), "12345.6");
    EQ_STR(number(12345678, 1, 8), "1234567");
    EQ_STR(number(99999999, 0, 8), "99999999");
    EQ_STR(number(100000000, 0, 8), "100000k");
    EQ_STR(number(UINT64_MAX, 0, 6), "18446P");
    EQ_STR(number(UINT64_MAX, 3, 19), "18446744073709551.6");
}

TEST(no_number_is_wider_than_its_column)
{
    for (unsigned bit = 0; bit < 64; bit++)
        for (unsigned width = 6; width <= 20; width++)
            for (unsigned decimals = 0; decimals <= 3; decimals++) {
                CHECK(str_len(number(~0ull >> bit, decimals, width)) <= width);
                CHECK(str_len(number(1ull << bit, decimals, width)) <= width);
            }
}

TEST(no_duration_is_wider_than_ten)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        struct text t = text_over(buf, sizeof buf);
        column_duration(&t, ~0ull >> bit);
        CHECK(t.len <= 10);
        text_reset(&t);
        column_duration(&t, 1ull << bit);
        CHECK(t.len <= 10);
    }
}

TEST(a_long_duration_is_shown_in_its_largest_unit)
{
    static const struct {
        uint64_t seconds;
        const char *want;
    } rows[] = {
        { 192, "3 min 12 s" },   { 1099, "18 min" }, { 3599, "59 min" },           { 3600, "1 h 00 min" },
        { 35999, "9 h 59 min" }, { 36000, "10 h" },  { 18446744073, "5124095 h" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        struct text t = text_over(buf, sizeof buf);
        column_duration(&t, rows[i].seconds * NS_PER_S);
        EQ_STR(buf, rows[i].want);
    }
}

static const char *placed(void (*how)(struct text *, size_t, size_t, const char *), size_t width,
                          const char *word)
{
    struct text t = text_over(buf, sizeof buf);

    text_str(&t, "x");
    how(&t, 3, width, word);
    return buf;
}

TEST(words_stand_at_their_column_and_show_that_they_were_cut)
{
    EQ_STR(placed(column_left, 5, "12345"), "x  12345");
    EQ_STR(placed(column_left, 5, "123456"), "x  123..");
    EQ_STR(placed(column_left, 3, "123456"), "x  1..");
    EQ_STR(placed(column_left, 5, ""), "x  ");
    EQ_STR(placed(column_name, 10, "megaraid0.pd32"), "x  megara..32");
    EQ_STR(placed(column_name, 14, "megaraid0.pd32"), "x  megaraid0.pd32");
    EQ_STR(placed(column_name, 3, "megaraid0.pd32"), "x  m..");
}

TEST(a_word_on_the_right_ends_at_its_column_or_follows_after_a_blank)
{
    struct text t = text_over(buf, sizeof buf);

    column_right(&t, 4, "ab");
    EQ_STR(buf, "  ab");
    column_right(&t, 8, "abc");
    EQ_STR(buf, "  ab abc");
    column_right(&t, 10, "abc");
    EQ_STR(buf, "  ab abc abc");
    text_reset(&t);
    column_right(&t, 2, "abc");
    EQ_STR(buf, "abc");
}
