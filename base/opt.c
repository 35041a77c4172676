#include "opt.h"
#include "bits.h"
#include "math.h"
#include "str.h"

/* ---- names ---- */
const struct opt *opt_find(const struct opt *table, size_t rows, const char *name)
{
    for (size_t i = 0; i < rows; i++)
        if (str_equal(table[i].name, name) || (table[i].alias && str_equal(table[i].alias, name)))
            return &table[i];
    return NULL;
}

/* Distance for a suggestion; far more than the limit when most of the word would have to change ("qd" is
 * no misspelt "bs"). */
static unsigned nearness(const char *known, const char *given)
{
    enum { NEAREST_LIMIT = 3, FAR = 99 };
    size_t longer = max_u64(str_len(known), str_len(given));
    unsigned d = str_equal_nocase(known, given) ? 0 : str_distance(known, given);

    return d <= NEAREST_LIMIT && 2 * d <= longer ? d : FAR;
}

const char *opt_nearest(const struct opt *table, size_t rows, const char *name)
{
    const char *best = NULL;
    unsigned best_distance = 4;

    for (size_t i = 0; i < rows; i++) {
        const char *const names[] = { table[i].name, table[i].alias };

        for (unsigned k = 0; k < ARRAY_COUNT(names); k++) {
            unsigned d = names[k] ? nearness(names[k], name) : 99;
            if (d < best_distance) {
                best_distance = d;
                best = names[k];
            }
        }
    }
    return best;
}

/* ---- numbers with suffixes ---- */
enum { SUFFIX_BYTES = 5 };
/* Splits "4kib" into 4 and "kib"; E_SYNTAX when it does not begin with a number. */
static int split_number(const char *s, uint64_t *number, char suffix[static SUFFIX_BYTES])
{
    size_t digits = 0, len = str_len(s);
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');

    if (hex) {
        digits = len; /* hexadecimal takes no suffix: its 'b' and 'd' are digits */
    } else {
        while (s[digits] >= '0' && s[digits] <= '9')
            digits++;
    }
    if (!digits || !str_copy_n(suffix, SUFFIX_BYTES, s + digits, len - digits))
        return E_SYNTAX;
    if (str_to_u64(s, digits, number))
        return OK;
    for (size_t i = hex ? 2 : 0; i < digits; i++)
        if (!str_find(hex ? "0123456789abcdefABCDEF" : "0123456789", (char[]){ s[i], 0 }))
            return E_SYNTAX;
    return digits > (hex ? 2u : 0u) ? E_LIMIT : E_SYNTAX;
}

static int times(uint64_t number, uint64_t unit, uint64_t *out)
{
    if (number > UINT64_MAX / unit)
        return E_LIMIT;
    *out = number * unit;
    return OK;
}

int opt_parse_size(const char *value, uint64_t *bytes)
{
    static const char letters[] = "kmgtp";
    char suffix[SUFFIX_BYTES];
    uint64_t number, unit = 1, base;
    int err = split_number(value, &number, suffix);

    if (err)
        return err;
    if (!suffix[0] || str_equal_nocase(suffix, "b"))
        return times(number, 1, bytes);
    /* fio's kb_base=1024: the spelling meant for 1024 is the one that counts by 1000. */
    if (!suffix[1] || str_equal_nocase(suffix + 1, "b") || str_equal_nocase(suffix + 1, "i"))
        base = 1024;
    else if (str_equal_nocase(suffix + 1, "ib"))
        base = 1000;
    else
        return E_SYNTAX;
    for (unsigned i = 0; letters[i]; i++) {
        unit *= base;
        if ((suffix[0] | 0x20) == letters[i])
            return times(number, unit, bytes);
    }
    return E_SYNTAX;
}

int opt_parse_time(const char *value, uint64_t *ns)
{
    static const struct {
        const char *suffix;
        uint64_t ns;
    } units[] = {
        { "", NS_PER_S },       { "us", NS_PER_US },      { "ms", NS_PER_MS },
        { "s", NS_PER_S },      { "usec", NS_PER_US },    { "msec", NS_PER_MS },
        { "m", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S }, { "d", 24 * 3600 * NS_PER_S },
    };
    char suffix[SUFFIX_BYTES];
    uint64_t number;
    int err = split_number(value, &number, suffix);

    if (err)
        return err;
    for (unsigned i = 0; i < ARRAY_COUNT(units); i++)
        if (str_equal_nocase(suffix, units[i].suffix))
            return times(number, units[i].ns, ns);
    return E_SYNTAX;
}

/* ---- words ---- */
/* Copies the word at index into out; false behind the last one.  A word is shorter than 32 bytes. */
enum { WORD_BYTES = 32 };
static bool word_at(const char *words, unsigned index, char out[static WORD_BYTES])
{
    for (;; index--) {
        size_t n = 0;

        while (*words == ' ')
            words++;
        while (words[n] && words[n] != ' ')
            n++;
        if (!n)
            return false;
        if (!index) {
            str_copy_n(out, WORD_BYTES, words, n);
            return true;
        }
        words += n;
    }
}

static bool find_word(const char *words, const char *value, uint64_t *index)
{
    char word[WORD_BYTES];

    for (unsigned i = 0; word_at(words, i, word); i++) {
        if (str_equal(word, value)) {
            *index = i;
            return true;
        }
    }
    return false;
}

static int parse_flag(const char *value, uint64_t *out)
{
    static const char *const words[2][4] = { { "0", "no", "off", "false" }, { "1", "yes", "on", "true" } };

    if (!value)
        value = "1";
    for (unsigned v = 0; v < 2; v++) {
        for (unsigned i = 0; i < ARRAY_COUNT(words[v]); i++) {
            if (str_equal_nocase(value, words[v][i])) {
                *out = v;
                return OK;
            }
        }
    }
    return E_SYNTAX;
}

/* ---- what a row allows, in words ---- */
static uint64_t row_max(const struct opt *row)
{
    uint64_t holds = row->size >= 8 ? UINT64_MAX : (1ull << (8 * row->size)) - 1;

    return row->max ? min_u64(row->max, holds) : holds;
}

static void put_quantity(const struct opt *row, uint64_t v, struct text *out)
{
    if (row->kind == OPT_SIZE)
        text_size(out, v);
    else if (row->kind == OPT_TIME)
        text_duration(out, v);
    else
        text_u64(out, v);
}

static void put_allowed(const struct opt *row, struct text *out)
{
    static const char *const kinds[] = {
        [OPT_COUNT] = "a whole number",
        [OPT_SIZE] = "a size such as 4096, 4k or 1m",
        [OPT_TIME] = "a time such as 500ms, 90s, 15m or 2h",
    };

    switch (row->kind) {
    case OPT_FLAG:
        text_str(out, "yes or no");
        return;
    case OPT_WORD:
        text_fmt(out, "one of: %s", row->words);
        return;
    case OPT_TEXT:
        text_fmt(out, "a text of at most %zu characters", row->size - 1);
        return;
    case OPT_NOTE:
        text_str(out, "anything");
        return;
    default:
        break;
    }
    text_str(out, kinds[row->kind]);
    if (row_max(row) == UINT64_MAX && !row->min)
        return;
    if (row_max(row) == UINT64_MAX) {
        text_str(out, ", at least ");
        put_quantity(row, row->min, out);
        return;
    }
    text_str(out, ", from ");
    put_quantity(row, row->min, out);
    text_str(out, " to ");
    put_quantity(row, row_max(row), out);
}

static void put_nearest_word(const struct opt *row, const char *value, struct text *out)
{
    char word[WORD_BYTES], best[WORD_BYTES] = "";
    unsigned best_distance = 4;

    for (unsigned i = 0; word_at(row->words, i, word); i++) {
        unsigned d = nearness(word, value);
        if (d < best_distance) {
            best_distance = d;
            str_copy(best, sizeof best, word);
        }
    }
    if (best[0])
        text_fmt(out, "; did you mean %s?", best);
}

static int explain(const struct opt *row, const char *value, int err, struct text *why)
{
    if (!value)
        text_fmt(why, "%s needs a value: ", row->name);
    else
        text_fmt(why, "%s=%.60s%s: ", row->name, value, err == E_LIMIT ? " is outside the limits" : "");
    text_str(why, "allowed is ");
    put_allowed(row, why);
    if (value && row->kind == OPT_WORD)
        put_nearest_word(row, value, why);
    return err;
}

/* ---- setting ---- */
static void *field_of(const struct opt *row, void *record) { return (char *)record + row->offset; }

static void store(const struct opt *row, void *record, uint64_t v)
{
    /* Little endian: the low bytes stand first. */
    memcpy(field_of(row, record), &v, row->size < sizeof v ? row->size : sizeof v);
}

static int parse(const struct opt *row, const char *value, uint64_t *out)
{
    if (row->kind == OPT_FLAG)
        return parse_flag(value, out);
    if (!value)
        return E_SYNTAX;
    switch (row->kind) {
    case OPT_SIZE:
        return opt_parse_size(value, out);
    case OPT_TIME:
        return opt_parse_time(value, out);
    case OPT_WORD:
        return find_word(row->words, value, out) ? OK : E_SYNTAX;
    default: {
        char suffix[SUFFIX_BYTES];
        int err = split_number(value, out, suffix);
        return !err && suffix[0] ? E_SYNTAX : err;
    }
    }
}

int opt_set(const struct opt *row, void *record, const char *value, struct text *why)
{
    uint64_t v = 0;

    if (row->kind == OPT_NOTE)
        return OK;
    if (row->kind == OPT_TEXT) {
        if (!value)
            return explain(row, value, E_SYNTAX, why);
        if (str_len(value) >= row->size)
            return explain(row, value, E_LIMIT, why);
        str_copy(field_of(row, record), row->size, value);
        return OK;
    }
    int err = parse(row, value, &v);
    if (err)
        return explain(row, value, err, why);
    bool ranged = row->kind == OPT_COUNT || row->kind == OPT_SIZE || row->kind == OPT_TIME;
    if (ranged && (v < row->min || v > row_max(row)))
        return explain(row, value, E_LIMIT, why);
    store(row, record, v);
    return OK;
}

void opt_defaults(const struct opt *table, size_t rows, void *record)
{
    for (size_t i = 0; i < rows; i++) {
        char words[8];
        struct text ignored = text_over(words, sizeof words);

        if (table[i].kind == OPT_NOTE)
            continue;
        memset(field_of(&table[i], record), 0, table[i].size);
        if (table[i].fallback)
            (void)opt_set(&table[i], record, table[i].fallback, &ignored);
    }
}

void opt_help(const struct opt *table, size_t rows, struct text *out)
{
    enum { NAME_COLUMNS = 18 };

    for (size_t i = 0; i < rows; i++) {
        const struct opt *row = &table[i];
        size_t begin = out->len;

        text_str(out, row->name);
        if (row->alias)
            text_fmt(out, ", %s", row->alias);
        text_pad(out, begin + NAME_COLUMNS, ' ');
        text_char(out, ' ');
        if (row->kind == OPT_NOTE) {
            text_str(out, "accepted, without meaning here");
        } else {
            put_allowed(row, out);
            if (row->fallback)
                text_fmt(out, "; default %s", row->fallback);
        }
        text_fmt(out, ". %s\n", row->help ? row->help : "");
    }
}
