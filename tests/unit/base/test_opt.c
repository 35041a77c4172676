#include <string.h>
#include "bits.h"
#include "opt.h"
#include "str.h"
#include "test.h"

struct record {
    uint8_t guard_before;
    uint8_t small, flag, word;
    uint16_t depth;
    uint32_t block;
    uint64_t size, runtime, any;
    char name[8];
    uint8_t guard_after;
};
#define FIELD(f) offsetof(struct record, f), sizeof((struct record *)0)->f

static const struct opt table[] = {
    { "iodepth", NULL, OPT_COUNT, FIELD(depth), 1, 1024, "4", NULL, "requests in flight" },
    { "bs", "blocksize", OPT_SIZE, FIELD(block), 512, 64 * MIB, "4k", NULL, "bytes per request" },
    { "size", NULL, OPT_SIZE, FIELD(size), 0, 0, NULL, NULL, "length of the region" },
    { "runtime", NULL, OPT_TIME, FIELD(runtime), 0, 24 * 3600 * NS_PER_S, "90s", NULL, "longest time" },
    { "time_based", NULL, OPT_FLAG, FIELD(flag), 0, 0, NULL, NULL, "goes on until runtime" },
    { "rw", "readwrite", OPT_WORD, FIELD(word), 0, 0, "randread", "read randread write", "what is done" },
    { "name", NULL, OPT_TEXT, FIELD(name), 0, 0, "none", NULL, "free text" },
    { "ioengine", NULL, OPT_NOTE, 0, 0, 0, 0, NULL, NULL, "the engine is always ours" },
    { "small", NULL, OPT_COUNT, FIELD(small), 0, 0, NULL, NULL, "holds a byte" },
    { "any", NULL, OPT_COUNT, FIELD(any), 5, 0, NULL, NULL, "from 5 on" },
};
enum { ROWS = ARRAY_COUNT(table) };

static struct record record;
static char why_buf[400];

static int set(const char *name, const char *value)
{
    struct text why = text_over(why_buf, sizeof why_buf);
    const struct opt *row = opt_find(table, ROWS, name);

    CHECK(row != NULL);
    return opt_set(row, &record, value, &why);
}

static void defaults(void)
{
    memset(&record, 0xee, sizeof record);
    opt_defaults(table, ROWS, &record);
}

TEST(options_are_found_by_name_and_alias_in_lower_case_only)
{
    CHECK(opt_find(table, ROWS, "bs") == &table[1]);
    CHECK(opt_find(table, ROWS, "blocksize") == &table[1]);
    CHECK(opt_find(table, ROWS, "BS") == NULL);
    CHECK(opt_find(table, ROWS, "") == NULL);
    CHECK(opt_find(table, 0, "bs") == NULL);
}

TEST(a_misspelt_name_finds_its_neighbour_and_a_stranger_none)
{
    EQ_STR(opt_nearest(table, ROWS, "iodpeth"), "iodepth");
    EQ_STR(opt_nearest(table, ROWS, "iodept"), "iodepth");
    EQ_STR(opt_nearest(table, ROWS, "blocksze"), "blocksize");
    EQ_STR(opt_nearest(table, ROWS, "RW"), "rw");
    EQ_STR(opt_nearest(table, ROWS, "bz"), "bs");
    CHECK(opt_nearest(table, ROWS, "qd") == NULL);
    CHECK(opt_nearest(table, ROWS, "") == NULL);
    CHECK(opt_nearest(table, ROWS, "something_else") == NULL);
}

TEST(defaults_fill_their_fields_and_nothing_else)
{
    defaults();
    EQ(record.depth, 4);
    EQ(record.block, 4096);
    EQ(record.size, 0);
    EQ(record.runtime, 90 * NS_PER_S);
    EQ(record.flag, 0);
    EQ(record.word, 1);
    EQ_STR(record.name, "none");
    EQ(record.guard_before, 0xee);
    EQ(record.guard_after, 0xee);
}

TEST(values_at_the_limits_pass_and_those_beyond_are_told)
{
    defaults();
    EQ(set("iodepth", "1"), OK);
    EQ(set("iodepth", "1024"), OK);
    EQ(set("iodepth", "0"), E_LIMIT);
    EQ(set("iodepth", "1025"), E_LIMIT);
    EQ_STR(why_buf, "iodepth=1025 is outside the limits: allowed is a whole number, from 1 to 1024");
    EQ(set("iodepth", "65537"), E_LIMIT); /* would be 1 in 16 bits */
    EQ(record.depth, 1024);
    EQ(set("bs", "64m"), OK);
    EQ(set("bs", "511"), E_LIMIT);
    HAS_STR(why_buf, "from 512 B to 64 MiB");
    EQ(record.block, 64 * MIB);
    EQ(set("runtime", "24h"), OK);
    EQ(set("runtime", "86401"), E_LIMIT);
    HAS_STR(why_buf, "0 ns to 24 h 00 min");
}

TEST(without_a_maximum_the_field_itself_is_the_limit)
{
    defaults();
    EQ(set("small", "255"), OK);
    EQ(record.small, 255);
    EQ(set("small", "256"), E_LIMIT);
    HAS_STR(why_buf, "from 0 to 255");
    EQ(set("any", "18446744073709551615"), OK);
    EQ(set("any", "4"), E_LIMIT);
    HAS_STR(why_buf, "at least 5");
    EQ(record.any, UINT64_MAX);
    EQ(set("size", "16777215p"), E_LIMIT);
    EQ(set("size", "99999999999999999999"), E_LIMIT);
    EQ_STR(why_buf,
           "size=99999999999999999999 is outside the limits: allowed is a size such as 4096, 4k or 1m");
    EQ(record.guard_before, 0xee);
}

TEST(what_is_no_value_of_its_kind_is_told_and_changes_nothing)
{
    struct record before;

    defaults();
    before = record;
    EQ(set("iodepth", "four"), E_SYNTAX);
    EQ_STR(why_buf, "iodepth=four: allowed is a whole number, from 1 to 1024");
    EQ(set("iodepth", "4k"), E_SYNTAX);
    EQ(set("iodepth", ""), E_SYNTAX);
    EQ(set("iodepth", NULL), E_SYNTAX);
    EQ_STR(why_buf, "iodepth needs a value: allowed is a whole number, from 1 to 1024");
    EQ(set("runtime", "1x"), E_SYNTAX);
    HAS_STR(why_buf, "90s, 15m or 2h");
    EQ(set("time_based", "maybe"), E_SYNTAX);
    EQ_STR(why_buf, "time_based=maybe: allowed is yes or no");
    EQ(set("rw", "randraed"), E_SYNTAX);
    EQ_STR(why_buf, "rw=randraed: allowed is one of: read randread write; did you mean randread?");
    EQ(set("rw", "Read"), E_SYNTAX);
    HAS_STR(why_buf, "did you mean read?");
    EQ(set("rw", "trimming"), E_SYNTAX);
    CHECK(!strstr(why_buf, "did you mean"));
    EQ(set("rw", NULL), E_SYNTAX);
    EQ(set("rw", ""), E_SYNTAX);
    EQ(set("name", "12345678"), E_LIMIT);
    HAS_STR(why_buf, "at most 7 characters");
    EQ(set("name", NULL), E_SYNTAX);
    CHECK(!memcmp(&before, &record, sizeof record));
}

TEST(flags_are_bare_or_one_of_eight_words)
{
    static const char *const on[] = { NULL, "1", "yes", "on", "true", "YES" };
    static const char *const off[] = { "0", "no", "off", "false", "Off" };

    for (unsigned i = 0; i < ARRAY_COUNT(on); i++) {
        record.flag = 0;
        EQ(set("time_based", on[i]), OK);
        EQ(record.flag, 1);
    }
    for (unsigned i = 0; i < ARRAY_COUNT(off); i++) {
        record.flag = 1;
        EQ(set("time_based", off[i]), OK);
        EQ(record.flag, 0);
    }
    EQ(set("time_based", "2"), E_SYNTAX);
    EQ(set("time_based", ""), E_SYNTAX);
}

TEST(words_store_their_place_and_texts_their_letters)
{
    defaults();
    EQ(set("rw", "read"), OK);
    EQ(record.word, 0);
    EQ(set("readwrite", "write"), OK);
    EQ(record.word, 2);
    EQ(set("name", "1234567"), OK);
    EQ_STR(record.name, "1234567");
    EQ(set("name", ""), OK);
    EQ_STR(record.name, "");
}

TEST(a_noted_option_is_accepted_and_stores_nothing)
{
    struct record before;

    defaults();
    before = record;
    EQ(set("ioengine", "libaio"), OK);
    EQ(set("ioengine", NULL), OK);
    CHECK(!memcmp(&before, &record, sizeof record));
}

/* Measured with fio 3.33, kb_base=1024 (fact sheet: peers 5b). */
TEST(sizes_mean_what_they_mean_to_fio)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } rows[] = {
        { "4k", 4096 },
        { "4K", 4096 },
        { "4kb", 4096 },
        { "4kB", 4096 },
        { "4KB", 4096 },
        { "4Ki", 4096 },
        { "0x1000", 4096 },
        { "4KiB", 4000 },
        { "4kib", 4000 },
        { "1MiB", 1000000 },
        { "512", 512 },
        { "512b", 512 },
        { "0", 0 },
        { "1m", MIB },
        { "1g", GIB },
        { "1t", 1024 * GIB },
        { "1p", MIB * GIB },
        { "1pib", 1000000000000000 },
        { "16383p", 16383 * MIB * GIB },
        { "18446744073709551615", UINT64_MAX },
        { "0xffffffffffffffff", UINT64_MAX },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        uint64_t got = 1;
        EQ(opt_parse_size(rows[i].text, &got), OK);
        EQ(got, rows[i].bytes);
    }
}

TEST(sizes_that_are_none_or_do_not_fit_are_told_apart)
{
    static const char *const none[] = { "",     "k",   "4x", "4kk",   "4kiB ", "4 k", "-1",
                                        "1.5g", "50%", "0x", "0x10k", "4kbi",  "0xg", "4ib" };
    static const char *const large[] = { "18446744073709551616", "16384p", "0x10000000000000000",
                                         "18014398509481985k" };
    uint64_t got = 77;

    for (unsigned i = 0; i < ARRAY_COUNT(none); i++)
        EQ(opt_parse_size(none[i], &got), E_SYNTAX);
    for (unsigned i = 0; i < ARRAY_COUNT(large); i++)
        EQ(opt_parse_size(large[i], &got), E_LIMIT);
    EQ(got, 77);
}

TEST(times_mean_what_they_mean_to_fio)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } rows[] = {
        { "0", 0 },
        { "30", 30 * NS_PER_S },
        { "90s", 90 * NS_PER_S },
        { "500ms", 500 * NS_PER_MS },
        { "7us", 7000 },
        { "1m", 60 * NS_PER_S },
        { "2H", 7200 * NS_PER_S },
        { "213503d", 213503ull * 86400 * NS_PER_S },
    };
    uint64_t got = 77;

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        EQ(opt_parse_time(rows[i].text, &got), OK);
        EQ(got, rows[i].ns);
    }
    got = 77;
    EQ(opt_parse_time("213504d", &got), E_LIMIT);
    EQ(opt_parse_time("18446744074", &got), E_LIMIT);
    EQ(opt_parse_time("1k", &got), E_SYNTAX);
    EQ(opt_parse_time("s", &got), E_SYNTAX);
    EQ(opt_parse_time("1min", &got), E_SYNTAX);
    EQ(got, 77);
}

TEST(help_has_one_line_per_option_with_range_default_and_meaning)
{
    char buf[2048];
    struct text out = text_over(buf, sizeof buf);
    unsigned lines = 0;

    opt_help(table, ROWS, &out);
    CHECK(!out.cut);
    for (unsigned i = 0; buf[i]; i++)
        lines += buf[i] == '\n';
    EQ(lines, ROWS);
    HAS_STR(buf, "iodepth            a whole number, from 1 to 1024; default 4. requests in flight\n");
    HAS_STR(
        buf,
        "bs, blocksize      a size such as 4096, 4k or 1m, from 512 B to 64 MiB; default 4k. bytes per request\n");
    HAS_STR(buf, "rw, readwrite      one of: read randread write; default randread. what is done\n");
    HAS_STR(buf, "ioengine           accepted, without meaning here. the engine is always ours\n");
}
