#include "names.h"
#include "bits.h"
#include "str.h"

enum { NAME_WORD_MAX = 40 };

void name_mac(const uint8_t mac[6], struct text *out)
{
    for (unsigned i = 0; i < 6; i++) {
        if (i)
            text_char(out, '-');
        text_hex(out, mac[i], 2);
    }
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

void name_word(const char *s, struct text *out)
{
    for (unsigned i = 0; i < NAME_WORD_MAX && s[i]; i++)
        text_char(out, is_plain(s[i]) && (i || s[i] != '.') ? s[i] : '_');
}

/* One character again and again, dashes aside. */
static bool is_one_character(const char *s)
{
    const char *p = s;

    while (*p && (*p == s[0] || *p == '-' || *p == ' '))
        p++;
    return !*p;
}

bool name_is_filler(const char *s)
{
    static const char *const words[] = {
        "To be filled by O.E.M.",
        "Default string",
        "System Serial Number",
        "Not Specified",
        "None",
        "N/A",
        "Not Applicable",
        "0123456789",
        "123456789",
        "1234567890",
        "03000200-0400-0500-0006-000700080009",
    };

    for (unsigned i = 0; i < ARRAY_COUNT(words); i++)
        if (str_equal_nocase(s, words[i]))
            return true;
    return is_one_character(s);
}

static void add(struct text *out, const char *word)
{
    if (out->len)
        text_char(out, '_');
    name_word(word, out);
}

void name_result(const struct name_parts *p, struct text *out)
{
    if (!name_is_filler(p->serial))
        add(out, p->serial);
    if (p->mac) {
        if (out->len)
            text_char(out, '_');
        name_mac(p->mac, out);
    }
    if (!name_is_filler(p->uuid))
        add(out, p->uuid);
    add(out, p->run);
}

void name_machine(const struct name_parts *p, struct text *out)
{
    if (!name_is_filler(p->uuid))
        name_word(p->uuid, out);
    else if (!name_is_filler(p->serial))
        name_word(p->serial, out);
    else if (p->mac)
        name_mac(p->mac, out);
}

size_t name_part_len(const char *text, size_t len, size_t max)
{
    size_t n = len < max ? len : max;

    if (n == len)
        return len;
    while (n && text[n - 1] != '\n')
        n--;
    return n ? n : max;
}
