#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "str.h"
#include "test.h"

/* ---- writing ---- */
static char buf[512];
static struct text out;

static struct json_out start(void)
{
    out = text_over(buf, sizeof buf);
    return json_over(&out);
}

TEST(commas_stand_between_values_and_nowhere_else)
{
    struct json_out j = start();

    json_object_begin(&j, NULL);
    json_object_begin(&j, "a");
    json_object_end(&j);
    json_put_u64(&j, "b", UINT64_MAX);
    json_array_begin(&j, "c");
    json_put_i64(&j, NULL, INT64_MIN);
    json_put_bool(&j, NULL, true);
    json_array_begin(&j, NULL);
    json_array_end(&j);
    json_put_bool(&j, NULL, false);
    json_array_end(&j);
    json_put_str(&j, "d", "x");
    json_object_end(&j);
    EQ_STR(buf,
           "{\"a\":{},\"b\":18446744073709551615,\"c\":[-9223372036854775808,true,[],false],\"d\":\"x\"}");
    CHECK(!out.cut);
}

static const char *escaped(const char *s)
{
    struct json_out j = start();

    json_put_str(&j, NULL, s);
    return buf;
}

TEST(strings_are_escaped_and_invalid_utf8_becomes_question_marks)
{
    EQ_STR(escaped(""), "\"\"");
    EQ_STR(escaped("\"\\/"), "\"\\\"\\\\/\"");
    EQ_STR(escaped("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
    EQ_STR(escaped("\x01\x1f\x7f"), "\"\\u0001\\u001f\\u007f\"");
    EQ_STR(escaped("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
    EQ_STR(escaped("\x80"), "\"?\"");
    EQ_STR(escaped("a\xc3"), "\"a?\"");              /* cut short */
    EQ_STR(escaped("\xc0\xaf"), "\"??\"");           /* overlong */
    EQ_STR(escaped("\xe0\x80\x80"), "\"???\"");      /* overlong */
    EQ_STR(escaped("\xed\xa0\x80"), "\"???\"");      /* half a surrogate pair */
    EQ_STR(escaped("\xf4\x90\x80\x80"), "\"????\""); /* above U+10FFFF */
    EQ_STR(escaped("\xff\xfe"), "\"??\"");
}

/* ---- reading ---- */
static bool parses(const char *s)
{
    struct json_value v;
    /* Exactly as long as the text: the sanitizer sees a step beyond it. */
    size_t n = strlen(s);
    char *copy = strndup(s, n);
    bool good = json_parse(copy, n, &v);

    free(copy);
    return good;
}

TEST(whole_json_texts_are_accepted)
{
    static const char *const good[] = {
        "0",
        "-0",
        "-1",
        "10",
        "1.5",
        "1e9",
        "1E+9",
        "1.25e-3",
        "\"\"",
        "true",
        "false",
        "null",
        "[]",
        "{}",
        " [ 1 , 2 ] ",
        "\t{\r\n\"a\" : 1 }\n",
        "[[[[]]]]",
        "\"\\u00e4\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\ud800\"",
        "{\"a\":{\"b\":[1,\"x\",null]}}",
        "\"\xc3\xa4\"",
    };

    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        if (!parses(good[i]))
            test_fail(__FILE__, __LINE__, "refused: %s", good[i]);
}

TEST(anything_else_is_refused)
{
    static const char *const bad[] = {
        "",
        " ",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x10",
        "1 2",
        "tru",
        "truee",
        "nul",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u123g\"",
        "\"\n\"",
        "\"\x1f\"",
        "\"\x80\"",
        "\"\xed\xa0\x80\"",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "{1:1}",
        "{\"a\":1 \"b\":2}",
        "[}",
        "{]",
        "'a'",
        "NaN",
        "[1]x",
        "\xef\xbb\xbf{}",
        "Infinity",
    };

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parses(bad[i]))
            test_fail(__FILE__, __LINE__, "accepted: %s", bad[i]);
    struct json_value v;
    CHECK(!json_parse("1\0", 2, &v));
}

TEST(nesting_is_bounded)
{
    char text[2 * JSON_MAX_DEPTH + 3];
    struct json_value v = { .len = 77 };

    for (unsigned depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        EQ(json_parse(text, 2 * depth, &v), depth == JSON_MAX_DEPTH);
    }
    EQ(v.len, 2 * JSON_MAX_DEPTH);
    memset(text, '[', sizeof text);
    CHECK(!json_parse(text, sizeof text, &v));
}

TEST(a_refused_text_leaves_the_result_alone)
{
    struct json_value v = { .len = 77, .kind = JSON_BOOL };

    CHECK(!json_parse("[", 1, &v));
    EQ(v.len, 77);
}

static struct json_value parsed(const char *s)
{
    struct json_value v = { 0 };

    CHECK(json_parse(s, strlen(s), &v));
    return v;
}

TEST(members_are_found_by_name_and_the_first_of_two_wins)
{
    struct json_value v = parsed("{\"a\":1,\"ab\":2,\"a\":3,\"\\u0078\":4,\"\":5}");

    EQ(json_u64(&v, "a", 9), 1);
    EQ(json_u64(&v, "ab", 9), 2);
    EQ(json_u64(&v, "x", 9), 4);
    EQ(json_u64(&v, "", 9), 5);
    EQ(json_u64(&v, "b", 9), 9);
    struct json_value array = parsed("[1]"), member;
    CHECK(!json_member(&array, "a", &member));
}

TEST(walking_sees_every_element_once_and_then_the_end_for_good)
{
    struct json_value v = parsed(" { \"k\" : [ 1 , [2,3] , {} ] , \"l\":null } "), key, x, k;
    size_t cursor = 0;

    CHECK(json_next(&v, &cursor, &key, &k));
    EQ(k.kind, JSON_ARRAY);
    EQ(key.len, 3);
    CHECK(json_next(&v, &cursor, NULL, &x));
    EQ(x.kind, JSON_NULL);
    CHECK(!json_next(&v, &cursor, &key, &x));
    CHECK(!json_next(&v, &cursor, &key, &x));

    cursor = 0;
    CHECK(json_next(&k, &cursor, NULL, &x) && x.kind == JSON_NUMBER);
    CHECK(json_next(&k, &cursor, NULL, &x) && x.kind == JSON_ARRAY && x.len == 5);
    CHECK(json_next(&k, &cursor, &key, &x) && x.kind == JSON_OBJECT && x.len == 2);
    CHECK(!json_next(&k, &cursor, NULL, &x));

    v = parsed("\"[1]\"");
    cursor = 0;
    CHECK(!json_next(&v, &cursor, NULL, &x));
}

TEST(numbers_convert_only_when_they_fit_exactly)
{
    struct json_value v;
    uint64_t u = 7;
    int64_t i = 7;

    v = parsed("18446744073709551615");
    CHECK(json_to_u64(&v, &u) && u == UINT64_MAX);
    CHECK(!json_to_i64(&v, &i));
    v = parsed("-9223372036854775808");
    CHECK(json_to_i64(&v, &i) && i == INT64_MIN);
    CHECK(!json_to_u64(&v, &u));
    v = parsed("9223372036854775807");
    CHECK(json_to_i64(&v, &i) && i == INT64_MAX);
    v = parsed("9223372036854775808");
    CHECK(!json_to_i64(&v, &i));
    static const char *const none[] = { "18446744073709551616", "1.0",   "1e1",
                                        "-9223372036854775809", "\"1\"", "true" };
    u = 7, i = 7;
    for (unsigned k = 0; k < sizeof none / sizeof *none; k++) {
        v = parsed(none[k]);
        CHECK(!json_to_u64(&v, &u));
        CHECK(!json_to_i64(&v, &i));
    }
    EQ(u, 7);
    EQ(i, 7);
}

TEST(booleans_are_no_numbers)
{
    struct json_value v = parsed("false");
    bool b = true;

    CHECK(json_to_bool(&v, &b) && !b);
    v = parsed("true");
    CHECK(json_to_bool(&v, &b) && b);
    v = parsed("1");
    CHECK(!json_to_bool(&v, &b));
}

static const char *unescaped(const char *s)
{
    static char got[64];
    struct json_value v = parsed(s);

    CHECK(json_to_str(&v, got, sizeof got));
    return got;
}

TEST(strings_come_back_as_they_were_written)
{
    EQ_STR(unescaped("\"\""), "");
    EQ_STR(unescaped("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "\"\\/\b\f\n\r\t");
    EQ_STR(unescaped("\"\\u0041\\u00e4\\u20AC\""), "A\xc3\xa4\xe2\x82\xac");
    EQ_STR(unescaped("\"\\ud83d\\ude00\""), "\xf0\x9f\x98\x80");
    EQ_STR(unescaped("\"\\udbff\\udfff\""), "\xf4\x8f\xbf\xbf");
    EQ_STR(unescaped("\"\\ud83dx\""), "?x");
    EQ_STR(unescaped("\"\\ud83d\\u0041\""), "?A");
    EQ_STR(unescaped("\"\\ude00\""), "?");
    EQ_STR(unescaped("\"a\\u0000b\""), "a?b");
    static const char all[] = "plain \"quoted\" \\ \n\t\x01 \xc3\xa4 end";
    EQ_STR(unescaped(escaped(all)), all);
}

TEST(a_string_is_cut_between_characters_and_says_so)
{
    struct json_value v = parsed("\"ab\xc3\xa4\""), number = parsed("12");
    char small[4];

    CHECK(!json_to_str(&v, small, sizeof small));
    EQ_STR(small, "ab");
    CHECK(!json_to_str(&v, small, 1));
    EQ_STR(small, "");
    CHECK(!json_to_str(&number, small, sizeof small));
    EQ_STR(small, "");
    v = parsed("{\"a\":\"xyz\",\"b\":1}");
    json_str(&v, "a", small, sizeof small);
    EQ_STR(small, "xyz");
    json_str(&v, "b", small, sizeof small);
    EQ_STR(small, "");
    json_str(&v, "c", small, sizeof small);
    EQ_STR(small, "");
}
