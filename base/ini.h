#ifndef BASE_INI_H
#define BASE_INI_H
#include <stdbool.h>
#include <stddef.h>

/* Reads the common shape of fio job files and baresweep.conf, line by line, in place.
 * A UTF-8 byte order mark and CR LF are accepted; '#' and ';' start comments at the line's start or
 * after a blank; a key without '=' is a flag. */
enum ini_kind { INI_SECTION, INI_KEY, INI_BAD, INI_END };
struct ini_line {
    enum ini_kind kind;
    unsigned line;              /* 1-based */
    char section[64];           /* the section the line stands in ("" before the first) */
    char key[64];
    char value[256];
    bool has_value;
    const char *problem;        /* INI_BAD: what is wrong, in words */
};
struct ini_reader {
    const char *text;
    size_t len, at;
    unsigned line;
    char section[64];
};

void ini_start(struct ini_reader *r, const char *text, size_t len);
/* The next line that says something; INI_END at the end, again and again. */
void ini_next(struct ini_reader *r, struct ini_line *out);

#endif
