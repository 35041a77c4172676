#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "ini.h"
#include "opt.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(cond)                                                                                        \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            abort();                                                                                         \
    } while (0)

/* Every kind of option, read from a text as job files are. */
struct record {
    char guard[8];
    uint64_t size, runtime, count64;
    uint32_t block;
    uint16_t depth;
    uint8_t flag, word;
    char name[12];
    char end_guard[8];
};
#define FIELD(f) offsetof(struct record, f), sizeof((struct record *)0)->f
static const struct opt table[] = {
    { "iodepth", NULL, OPT_COUNT, FIELD(depth), 1, 1024, "4", NULL, "" },
    { "bs", "blocksize", OPT_SIZE, FIELD(block), 512, 64 * MIB, "4k", NULL, "" },
    { "size", NULL, OPT_SIZE, FIELD(size), 0, 0, NULL, NULL, "" },
    { "runtime", NULL, OPT_TIME, FIELD(runtime), 0, 24 * 3600 * NS_PER_S, "90s", NULL, "" },
    { "time_based", NULL, OPT_FLAG, FIELD(flag), 0, 0, NULL, NULL, "" },
    { "rw", "readwrite", OPT_WORD, FIELD(word), 0, 0, "randread", "read randread write", "" },
    { "name", NULL, OPT_TEXT, FIELD(name), 0, 0, "none", NULL, "" },
    { "ioengine", NULL, OPT_NOTE, 0, 0, 0, 0, NULL, NULL, "" },
    { "number", NULL, OPT_COUNT, FIELD(count64), 0, 0, NULL, NULL, "" },
};

static void check_record(const struct record *r)
{
    REQUIRE(r->depth >= 1 && r->depth <= 1024);
    REQUIRE(r->block >= 512 && r->block <= 64 * MIB);
    REQUIRE(r->runtime <= 24 * 3600 * NS_PER_S);
    REQUIRE(r->flag <= 1 && r->word <= 2);
    REQUIRE(memchr(r->name, 0, sizeof r->name));
    REQUIRE(!memcmp(r->guard, "GUARDED", 8) && !memcmp(r->end_guard, "GUARDED", 8));
}

static void use_line(const struct ini_line *line, struct record *r)
{
    char words[300];
    struct text why = text_over(words, 1 + line->line % sizeof words);
    const struct opt *row = opt_find(table, ARRAY_COUNT(table), line->key);
    struct record before = *r;

    if (!row) {
        (void)opt_nearest(table, ARRAY_COUNT(table), line->key);
        return;
    }
    int err = opt_set(row, r, line->has_value ? line->value : NULL, &why);
    REQUIRE(err == OK || err == E_SYNTAX || err == E_LIMIT);
    if (err)
        REQUIRE(!memcmp(&before, r, sizeof before) && (why.len || why.cap == 1));
    check_record(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record r = { .guard = "GUARDED", .end_guard = "GUARDED" };
    struct ini_reader reader;
    struct ini_line line;
    unsigned last = 0;

    opt_defaults(table, ARRAY_COUNT(table), &r);
    ini_start(&reader, (const char *)data, size);
    for (ini_next(&reader, &line); line.kind != INI_END; ini_next(&reader, &line)) {
        REQUIRE(line.line > last && line.line <= size);
        last = line.line;
        REQUIRE(line.kind != INI_BAD || line.problem);
        REQUIRE(line.kind != INI_SECTION || line.section[0]);
        if (line.kind != INI_KEY)
            continue;
        REQUIRE(line.key[0]);
        use_line(&line, &r);
    }
    return 0;
}
