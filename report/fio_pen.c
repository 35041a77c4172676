#include "fio_pen.h"
#include "bits.h"
#include "str.h"

/* Members of a job and above begin a line; what lies deeper goes on in it. */
void fio_put_key(struct fio_pen *j, const char *key)
{
    enum { DEEPEST_WITH_LINES = 3 };

    if (j->comma)
        pen_str(&j->pen, ",");
    if (j->depth && j->depth <= DEEPEST_WITH_LINES)
        pen_fmt(&j->pen, "\n%*s", j->depth, "");
    j->comma = true;
    if (key)
        pen_fmt(&j->pen, "\"%s\":", key);
}

void fio_begin(struct fio_pen *j, const char *key, const char *bracket)
{
    fio_put_key(j, key);
    pen_str(&j->pen, bracket);
    j->comma = false;
    j->depth++;
}

void fio_end(struct fio_pen *j, const char *bracket)
{
    pen_str(&j->pen, bracket);
    j->comma = true;
    j->depth--;
}

void fio_put_u64(struct fio_pen *j, const char *key, uint64_t v)
{
    fio_put_key(j, key);
    pen_u64(&j->pen, v);
}

/* v millionths: fio writes its fractions with six decimals. */
void fio_put_micro(struct fio_pen *j, const char *key, uint64_t v)
{
    fio_put_key(j, key);
    pen_fixed(&j->pen, v, 6);
}

/* Words of ours: nothing in them needs to be escaped. */
void fio_put_words(struct fio_pen *j, const char *key, const char *words)
{
    fio_put_key(j, key);
    pen_str(&j->pen, "\"");
    pen_str(&j->pen, words);
    pen_str(&j->pen, "\"");
}

/* A number as a text: fio's options are what a person wrote. */
void fio_put_option(struct fio_pen *j, const char *key, uint64_t v)
{
    char digits[24];

    str_fmt(digits, sizeof digits, "%llu", (unsigned long long)v);
    fio_put_words(j, key, digits);
}

/* A value as it stands in the journal, escapes and digits alike; an empty text when it is missing. */
void fio_put_verbatim(struct fio_pen *j, const char *key, const struct journal_line *l, const char *member)
{
    struct json_value v;

    fio_put_key(j, key);
    if (l && json_member(&l->body, member, &v) && v.kind == JSON_STRING)
        pen_bytes(&j->pen, v.at, v.len);
    else
        pen_str(&j->pen, "\"\"");
}

/* All of a line but what belongs to the line alone, each name once.  (Digits are digits and texts are texts:
 * what was parsed is valid.) */
void fio_put_members(struct fio_pen *j, const char *key, const struct journal_line *l)
{
    static const char *const of_line[] = { "v", "run", "crc", "ev" };
    struct json_value name, v, first;
    size_t cursor = 0;
    char word[64];

    fio_begin(j, key, "{");
    while (json_next(&l->body, &cursor, &name, &v)) {
        bool skip = !json_to_str(&name, word, sizeof word) || !json_member(&l->body, word, &first) ||
                    first.at != v.at;

        for (unsigned i = 0; i < ARRAY_COUNT(of_line); i++)
            skip |= str_equal(word, of_line[i]);
        if (skip)
            continue;
        fio_put_key(j, NULL);
        pen_bytes(&j->pen, name.at, name.len);
        pen_str(&j->pen, ":");
        pen_bytes(&j->pen, v.at, v.len);
    }
    fio_end(j, "}");
}
