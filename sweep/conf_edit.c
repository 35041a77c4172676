#include "conf_edit.h"
#include "ini.h"
#include "str.h"

static bool is_changed(const struct ini_line *l, const struct conf_change *changes, unsigned count)
{
    for (unsigned i = 0; i < count && l->kind == INI_KEY && !str_equal(l->section, "map"); i++)
        if (str_equal(l->key, changes[i].key))
            return true;
    return false;
}

static size_t line_length(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len && text[n] != '\n')
        n++;
    return n < len ? n + 1 : n;
}

void conf_edit(const char *text, size_t len, const struct conf_change *changes, unsigned count,
               struct text *to)
{
    struct ini_reader ini;
    struct ini_line line;
    size_t at = 0, mark = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

    for (unsigned i = 0; i < count; i++)
        if (changes[i].value[0])
            text_fmt(to, "%s = %s\n", changes[i].key, changes[i].value);
    /* An editor's byte order mark would stand in the middle now. */
    at = mark;
    ini_start(&ini, text, len);
    ini_next(&ini, &line);
    for (unsigned number = 1; at < len; number++) {
        size_t n = line_length(text + at, len - at);

        while (line.kind != INI_END && line.line < number)
            ini_next(&ini, &line);
        if (line.kind == INI_END || line.line != number || !is_changed(&line, changes, count))
            text_bytes(to, text + at, n);
        at += n;
    }
}
