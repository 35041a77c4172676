#include "str.h"
#include "test.h"

TEST(equality_needs_the_same_length)
{
    CHECK(str_equal("", ""));
    CHECK(str_equal("abc", "abc"));
    CHECK(!str_equal("abc", "abcd"));
    CHECK(!str_equal("abcd", "abc"));
    CHECK(!str_equal("abc", "ABC"));
    CHECK(str_equal_nocase("aZ9", "Az9"));
    CHECK(!str_equal_nocase("ab", "a"));
    /* Only letters fold: '[' and '{' differ by the same bit. */
    CHECK(!str_equal_nocase("[", "{"));
    CHECK(!str_equal_nocase("@", "`"));
}

TEST(a_needle_is_found_at_its_first_place_or_not_at_all)
{
    const char *s = "aab";

    CHECK(str_find(s, "ab") == s + 1);
    CHECK(str_find(s, "") == s);
    CHECK(str_find("", "") != NULL);
    CHECK(str_find(s, "abc") == NULL);
    CHECK(str_find("", "a") == NULL);
    CHECK(str_starts("abc", "ab"));
    CHECK(str_starts("abc", ""));
    CHECK(!str_starts("ab", "abc"));
}

TEST(a_copy_is_always_terminated_and_says_when_it_was_cut)
{
    char buf[5] = "xxxx";

    CHECK(str_copy(buf, sizeof buf, "1234"));
    EQ_STR(buf, "1234");
    CHECK(!str_copy(buf, sizeof buf, "12345"));
    EQ_STR(buf, "1234");
    CHECK(!str_copy(buf, 1, "a"));
    EQ_STR(buf, "");
    CHECK(str_copy(buf, 1, ""));
    CHECK(str_copy_n(buf, sizeof buf, "abcdef", 2));
    EQ_STR(buf, "ab");
    CHECK(str_copy_n(buf, sizeof buf, "abcdef", 0));
    EQ_STR(buf, "");
}

TEST(a_device_text_field_loses_padding_and_control_characters)
{
    char buf[12];

    str_scrub(buf, sizeof buf, "  AB C  \0\0", 10);
    EQ_STR(buf, "AB C");
    str_scrub(buf, sizeof buf, "A\0B\x1f\x7f\xff~", 7);
    EQ_STR(buf, "A?B???~");
    str_scrub(buf, sizeof buf, " \0 \0", 4);
    EQ_STR(buf, "");
    str_scrub(buf, sizeof buf, "", 0);
    EQ_STR(buf, "");
    str_scrub(buf, 4, "ABCDEF", 6);
    EQ_STR(buf, "ABC");
    str_scrub(buf, 1, "ABCDEF", 6);
    EQ_STR(buf, "");
}

TEST(an_ata_text_field_has_its_bytes_swapped)
{
    char buf[12];

    str_scrub_ata(buf, sizeof buf, "BADC E  ", 8);
    EQ_STR(buf, "ABCDE");
    str_scrub_ata(buf, sizeof buf, "BADCE", 5); /* half a word is left out */
    EQ_STR(buf, "ABCD");
    str_scrub_ata(buf, 3, "BADC", 4);
    EQ_STR(buf, "AB");
}

static bool number(const char *s, uint64_t *out) { return str_to_u64(s, str_len(s), out); }

TEST(numbers_are_whole_decimal_or_hexadecimal_and_fit)
{
    uint64_t v = 0;

    CHECK(number("0", &v) && v == 0);
    CHECK(number("18446744073709551615", &v) && v == UINT64_MAX);
    CHECK(number("0xffffffffffffffff", &v) && v == UINT64_MAX);
    CHECK(number("0XaB", &v) && v == 0xab);
    CHECK(number("007", &v) && v == 7);
    v = 42;
    CHECK(!number("18446744073709551616", &v));
    CHECK(!number("99999999999999999999", &v));
    CHECK(!number("0x10000000000000000", &v));
    CHECK(!number("", &v));
    CHECK(!number("0x", &v));
    CHECK(!number("-1", &v));
    CHECK(!number("+1", &v));
    CHECK(!number(" 1", &v));
    CHECK(!number("1 ", &v));
    CHECK(!number("1a", &v));
    CHECK(!number("0xg", &v));
    EQ(v, 42);
    CHECK(str_to_u64("123", 2, &v) && v == 12);
}

TEST(distance_counts_insertions_deletions_and_changes)
{
    EQ(str_distance("", ""), 0);
    EQ(str_distance("abc", ""), 3);
    EQ(str_distance("", "abc"), 3);
    EQ(str_distance("iodepth", "iodpeth"), 2);
    EQ(str_distance("kitten", "sitting"), 3);
    EQ(str_distance("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"),
       32);
    EQ(str_distance("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaax", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaay"), 0);
}
