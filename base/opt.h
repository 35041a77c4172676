#ifndef BASE_OPT_H
#define BASE_OPT_H
#include <stddef.h>
#include <stdint.h>
#include "err.h"
#include "text.h"

/* An option is a row: parser, range check, default, help and documentation all walk the same table. */
enum opt_kind {
    OPT_COUNT, /* integer */
    OPT_SIZE,  /* bytes, with fio's suffixes: k K kb = 1024, KiB = 1000 (kb_base=1024), m g t p */
    OPT_TIME,  /* stored in ns; fio's suffixes us ms s m h d; a bare number is seconds */
    OPT_FLAG,  /* stored as 0 or 1; a bare key is 1; words yes/no/on/off/true/false/0/1 */
    OPT_WORD,  /* stored as the index in `words` (blank separated) */
    OPT_TEXT,  /* stored in a char array of `size` bytes */
    OPT_NOTE   /* known, accepted, without meaning here: `help` says why; nothing is stored */
};
struct opt {
    const char *name, *alias; /* alias may be NULL */
    enum opt_kind kind;
    size_t offset, size;  /* of the field; integers are 1, 2, 4 or 8 bytes */
    uint64_t min, max;    /* in the stored unit, of COUNT, SIZE and TIME; max 0: all the field holds */
    const char *fallback; /* default, in the language's own words; NULL: zero or "" */
    const char *words;
    const char *help;
};

/* Finds by name or alias; NULL when unknown. */
const struct opt *opt_find(const struct opt *table, size_t rows, const char *name);
/* The nearest known name within distance 3 and with at least half its letters right, or NULL. */
const char *opt_nearest(const struct opt *table, size_t rows, const char *name);
/* Every row's default into *record. */
void opt_defaults(const struct opt *table, size_t rows, void *record);
/* Parses value into record's field.  value NULL: a bare key.  On failure returns E_SYNTAX or E_LIMIT, the
 * record is unchanged and `why` tells what was read, what is allowed and what to write instead. */
int opt_set(const struct opt *row, void *record, const char *value, struct text *why);
/* One line per row: name, kind, range, default, help. */
void opt_help(const struct opt *table, size_t rows, struct text *out);

int opt_parse_size(const char *value, uint64_t *bytes); /* OK, E_SYNTAX or E_LIMIT */
int opt_parse_time(const char *value, uint64_t *ns);

#endif
