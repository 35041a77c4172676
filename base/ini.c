#include "ini.h"
#include "str.h"

void ini_start(struct ini_reader *r, const char *text, size_t len)
{
    *r = (struct ini_reader){ .text = text, .len = len };
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        r->at = 3;
}

struct span {
    const char *s;
    size_t n;
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static struct span trim(struct span v)
{
    while (v.n && is_blank(v.s[0]))
        v.s++, v.n--;
    while (v.n && is_blank(v.s[v.n - 1]))
        v.n--;
    return v;
}

static size_t find(struct span v, char c)
{
    size_t i = 0;

    while (i < v.n && v.s[i] != c)
        i++;
    return i;
}

static struct span take_line(struct ini_reader *r)
{
    struct span line = { r->text + r->at, r->len - r->at };

    line.n = find(line, '\n');
    r->at += line.n + (r->at + line.n < r->len);
    r->line++;
    return line;
}

static void bad(struct ini_line *out, const char *problem)
{
    out->kind = INI_BAD;
    out->problem = problem;
}

/* A section whose name cannot be read must not leave its options to the section before it. */
static void bad_section(struct ini_reader *r, struct ini_line *out, const char *problem)
{
    r->section_lost = true;
    r->section[0] = out->section[0] = 0;
    bad(out, problem);
}

static void read_section(struct ini_reader *r, struct span line, struct ini_line *out)
{
    size_t close = find(line, ']');
    struct span name = { line.s + 1, close - 1 };

    if (close == line.n) {
        bad_section(r, out, "']' is missing after the section's name; its lines are left out");
    } else if (close + 1 != line.n) {
        bad_section(r, out,
                    "text after ']': each option stands on a line of its own; "
                    "the section's lines are left out");
    } else if (!trim(name).n) {
        bad_section(r, out, "the section has no name; its lines are left out");
    } else if (name.n >= sizeof r->section) {
        bad_section(r, out, "the section's name is longer than 63 characters; its lines are left out");
    } else {
        r->section_lost = false;
        str_copy_n(r->section, sizeof r->section, name.s, name.n);
        str_copy(out->section, sizeof out->section, r->section);
        out->kind = INI_SECTION;
    }
}

static void read_key(struct span line, struct ini_line *out)
{
    size_t equals = find(line, '=');
    struct span key = trim((struct span){ line.s, equals });

    out->kind = INI_KEY;
    out->has_value = equals < line.n;
    if (!key.n)
        bad(out, "nothing stands before '='");
    else if (!str_copy_n(out->key, sizeof out->key, key.s, key.n))
        bad(out, "the option's name is longer than 63 characters");
    if (out->kind == INI_BAD || !out->has_value)
        return;
    struct span value = trim((struct span){ line.s + equals + 1, line.n - equals - 1 });
    if (!str_copy_n(out->value, sizeof out->value, value.s, value.n))
        bad(out, "the value is longer than 255 characters");
}

static bool has_control_character(struct span line)
{
    for (size_t i = 0; i < line.n; i++)
        if (((unsigned char)line.s[i] < 0x20 && line.s[i] != '\t') || line.s[i] == 0x7f)
            return true;
    return false;
}

void ini_next(struct ini_reader *r, struct ini_line *out)
{
    *out = (struct ini_line){ .kind = INI_END };
    str_copy(out->section, sizeof out->section, r->section);
    if (!r->at && r->len >= 2 && (!memcmp(r->text, "\xff\xfe", 2) || !memcmp(r->text, "\xfe\xff", 2))) {
        out->line = 1;
        r->at = r->len;
        bad(out, "the file is saved as UTF-16: save it as UTF-8 or plain text");
        return;
    }
    while (r->at < r->len) {
        struct span line = trim(take_line(r));

        out->line = r->line;
        line.n = find(line, ';');
        line.n = find(line, '#');
        line = trim(line);
        if (!line.n || (r->section_lost && line.s[0] != '['))
            continue;
        if (has_control_character(line)) {
            if (line.s[0] == '[')
                bad_section(r, out, "a control character in a section's name; its lines are left out");
            else
                bad(out, "a control character");
        } else if (line.s[0] == '[') {
            read_section(r, line, out);
        } else {
            read_key(line, out);
        }
        return;
    }
    out->line = r->line;
}
