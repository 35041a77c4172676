#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include "text.h"
#include "test.h"

static char buf[256];
static struct text t;

static const char *said(void) { return buf; }
static void start(void) { t = text_over(buf, sizeof buf); }

#define SHOWS(call, want)                                                                                    \
    do {                                                                                                     \
        start();                                                                                             \
        call;                                                                                                \
        EQ_STR(said(), want);                                                                                \
    } while (0)

TEST(what_does_not_fit_is_dropped_and_marked)
{
    char small[4] = "xxx";
    struct text s = text_over(small, sizeof small);

    EQ_STR(small, "");
    text_str(&s, "abc");
    CHECK(!s.cut);
    text_char(&s, 'd');
    CHECK(s.cut);
    EQ_STR(small, "abc");
    EQ(s.len, 3);
    text_reset(&s);
    CHECK(!s.cut && s.len == 0);
    text_str(&s, "abcdef");
    EQ_STR(small, "abc");
    CHECK(s.cut);
}

TEST(a_buffer_of_one_byte_holds_only_the_end)
{
    char one[1];
    struct text s = text_over(one, 1);

    text_str(&s, "");
    CHECK(!s.cut);
    text_u64(&s, 0);
    CHECK(s.cut);
    EQ(one[0], 0);
    text_pad(&s, 1000000, ' ');
    text_fixed(&s, 1, 3);
    EQ(s.len, 0);
}

TEST(whole_numbers_reach_their_extremes)
{
    SHOWS(text_u64(&t, 0), "0");
    SHOWS(text_u64(&t, UINT64_MAX), "18446744073709551615");
    SHOWS(text_i64(&t, INT64_MIN), "-9223372036854775808");
    SHOWS(text_i64(&t, INT64_MAX), "9223372036854775807");
    SHOWS(text_i64(&t, -1), "-1");
    SHOWS(text_hex(&t, 0, 0), "0");
    SHOWS(text_hex(&t, 0xab, 4), "00ab");
    SHOWS(text_hex(&t, UINT64_MAX, 2), "ffffffffffffffff");
}

TEST(fixed_point_keeps_its_decimals)
{
    SHOWS(text_fixed(&t, 12345, 2), "123.45");
    SHOWS(text_fixed(&t, 5, 2), "0.05");
    SHOWS(text_fixed(&t, 0, 3), "0.000");
    SHOWS(text_fixed(&t, 7, 0), "7");
    SHOWS(text_fixed(&t, 1000, 3), "1.000");
    SHOWS(text_fixed(&t, UINT64_MAX, 19), "1.8446744073709551615");
}

TEST(sizes_are_binary_with_at_most_one_decimal)
{
    SHOWS(text_size(&t, 0), "0 B");
    SHOWS(text_size(&t, 1023), "1023 B");
    SHOWS(text_size(&t, 1024), "1 KiB");
    SHOWS(text_size(&t, 1536), "1.5 KiB");
    SHOWS(text_size(&t, 8388608), "8 MiB");
    SHOWS(text_size(&t, 1048575), "1 MiB"); /* not 1024 KiB */
    SHOWS(text_size(&t, UINT64_MAX), "16 EiB");
}

TEST(capacities_are_decimal_as_on_the_label)
{
    SHOWS(text_capacity(&t, 0), "0 B");
    SHOWS(text_capacity(&t, 999), "999 B");
    SHOWS(text_capacity(&t, 960197124096ull), "960.2 GB");
    SHOWS(text_capacity(&t, 7681501126656ull), "7.68 TB");
    SHOWS(text_capacity(&t, 15362991415296ull), "15.36 TB");
    SHOWS(text_capacity(&t, 1000204886016ull), "1.00 TB");
    SHOWS(text_capacity(&t, 999999999999ull), "1.00 TB"); /* not 1000.0 GB */
    SHOWS(text_capacity(&t, UINT64_MAX), "18446.7 PB");
}

TEST(durations_show_three_digits_up_to_a_minute)
{
    SHOWS(text_duration(&t, 0), "0 ns");
    SHOWS(text_duration(&t, 850), "850 ns");
    SHOWS(text_duration(&t, 12345), "12.3 us");
    SHOWS(text_duration(&t, 999499), "999 us");
    SHOWS(text_duration(&t, 999500), "1.00 ms"); /* not 1000 us */
    SHOWS(text_duration(&t, 4560000), "4.56 ms");
    SHOWS(text_duration(&t, 1200000000), "1.20 s");
    SHOWS(text_duration(&t, 59940000000), "59.9 s");
    SHOWS(text_duration(&t, 59960000000), "1 min 00 s"); /* not 60.0 s */
    SHOWS(text_duration(&t, 192000000000), "3 min 12 s");
    SHOWS(text_duration(&t, 3599600000000), "1 h 00 min");
    SHOWS(text_duration(&t, 7500000000000), "2 h 05 min");
    SHOWS(text_duration(&t, UINT64_MAX), "5124095 h 34 min");
}

TEST(padding_fills_up_to_a_column_and_never_takes_back)
{
    SHOWS((text_str(&t, "ab"), text_pad(&t, 5, '.')), "ab...");
    SHOWS((text_str(&t, "ab"), text_pad(&t, 1, '.')), "ab");
    start();
    text_pad(&t, sizeof buf + 9, '.');
    CHECK(t.cut);
    EQ(t.len, sizeof buf - 1);
}

/* The C library is the reference for all that we take over from it. */
#define AS_LIBC(...)                                                                                         \
    do {                                                                                                     \
        char libc[256];                                                                                      \
        snprintf(libc, sizeof libc, __VA_ARGS__);                                                            \
        SHOWS(text_fmt(&t, __VA_ARGS__), libc);                                                              \
    } while (0)

TEST(formats_print_as_the_c_library_does)
{
    AS_LIBC("plain 100%% text");
    AS_LIBC("%d %i %u", -5, 6, 7u);
    AS_LIBC("%d %d", INT_MIN, INT_MAX);
    AS_LIBC("%hhd %hhu %hd %hu", (signed char)-1, (unsigned char)255, (short)-2, (unsigned short)65535);
    AS_LIBC("%hhx", (unsigned char)0xff);
    AS_LIBC("%ld %lu %lld %llu", LONG_MIN, ULONG_MAX, LLONG_MIN, ULLONG_MAX);
    AS_LIBC("%zu %zd %ju %jd", (size_t)1 << 63, (ssize_t)-3, (uintmax_t)9, (intmax_t)-9);
    AS_LIBC("[%5d|%-5d|%05d]", -42, -42, -42);
    AS_LIBC("[%5x|%-5X|%08x|%#x|%#010x|%#x]", 0xabu, 0xabu, 0xabu, 0xabu, 0xabu, 0u);
    AS_LIBC("[%.3d|%6.3d|%-6.3d|%.3d]", 7, 7, 7, -7);
    AS_LIBC("[%s|%5s|%-5s|%.2s|%5.1s|%.0s]", "abc", "abc", "abc", "abc", "abc", "abc");
    AS_LIBC("[%c|%3c|%-3c]", 'x', 'y', 'z');
    AS_LIBC("[%*d|%-*d|%*d|%.*s|%.*s]", 6, 1, 6, 2, -6, 3, 2, "abc", -1, "abc");
    AS_LIBC("%p", (void *)0x1234abcd);
}

TEST(a_text_without_terminator_is_read_only_as_far_as_its_precision)
{
    const char *exact = strdup("abc");

    SHOWS(text_fmt(&t, "%.3s", exact), "abc");
    free((void *)exact);
}

TEST(null_strings_and_unknown_conversions_do_no_harm)
{
    const char *volatile none = NULL, *volatile odd = "%u %f %s", *volatile last = "50%",
                         *volatile half = "%l";

    SHOWS(text_fmt(&t, "%s", none), "(null)");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    SHOWS(text_fmt(&t, odd, 7u), "7 %f %s");
    SHOWS(text_fmt(&t, last, 7u), "50%");
    SHOWS(text_fmt(&t, half, 7u), "%l");
#pragma GCC diagnostic pop
}

TEST(formatting_a_string_says_whether_it_fitted)
{
    char small[4];

    CHECK(str_fmt(small, sizeof small, "%d", 123));
    EQ_STR(small, "123");
    CHECK(!str_fmt(small, sizeof small, "%d", 1234));
    EQ_STR(small, "123");
}
