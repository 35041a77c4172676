#ifndef BASE_INI_H
#define BASE_INI_H
#include <stdbool.h>
#include <stddef.h>

/* Reads the common shape of fio job files and baresweep.conf, line by line, in place.
 *
 * As fio 3.33 does (measured): blanks before and after a line are dropped, CR LF is accepted, '#' and ';'
 * start a comment wherever they stand ("rw=read#c"), "rw =read" is fine, names are case-sensitive, a key
 * without '=' is a flag, a section's name may hold blanks, the same section may come again.
 * More lenient than fio, because Windows editors and people write it: a UTF-8 byte order mark, and blanks
 * after '=' ("rw = read", which fio takes for the bad value " read").
 * Stricter than fio: text after ']' and control characters are wrong.  After a wrong section line all lines
 * up to the next section are passed over, so that they cannot change the section before. */
enum ini_kind { INI_SECTION, INI_KEY, INI_BAD, INI_END };
struct ini_line {
    enum ini_kind kind;
    unsigned line;    /* 1-based */
    char section[64]; /* the section the line stands in ("" before the first) */
    char key[64];
    char value[256];
    bool has_value;
    const char *problem; /* INI_BAD: what is wrong, in words */
};
struct ini_reader {
    const char *text;
    size_t len, at;
    unsigned line;
    char section[64];
    bool section_lost; /* the last section line was wrong */
};

void ini_start(struct ini_reader *r, const char *text, size_t len);
/* The next line that says something; INI_END at the end, again and again. */
void ini_next(struct ini_reader *r, struct ini_line *out);

#endif
