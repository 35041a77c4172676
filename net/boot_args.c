#include "boot_args.h"
#include "str.h"

enum { ARGS_MAX_CHARACTERS = 4096 };

struct args {
    const uint8_t *at;
    size_t count, stride; /* characters, bytes per character */
};

static char character(const struct args *a, size_t i) { return (char)a->at[i * a->stride]; }

/* Up to the end or a NUL; false when something in it is no text. */
static bool find_text(const void *options, size_t bytes, struct args *a)
{
    size_t n = 0;

    *a = (struct args){ .at = options, .stride = 2 };
    if (bytes >= 2 && a->at[1] >= 0x20 && a->at[1] < 0x7f)
        a->stride = 1;
    for (; n < bytes / a->stride && n < ARGS_MAX_CHARACTERS; n++) {
        uint8_t low = a->at[n * a->stride], high = a->stride == 2 ? a->at[n * 2 + 1] : 0;

        if (!low && !high)
            break;
        if (high || ((low < 0x20 || low > 0x7e) && low != '\t'))
            return false;
    }
    a->count = n;
    return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* One word without its quotes; *has_value: it holds a '='.  False: a character that a line cannot hold. */
static bool take_word(const struct args *a, size_t *at, struct text *word, bool *has_value)
{
    bool quoted = false;

    *has_value = false;
    for (; *at < a->count; ++*at) {
        char c = character(a, *at), next = *at + 1 < a->count ? character(a, *at + 1) : 0;

        if (!quoted && is_blank(c))
            break;
        if (c == '"') {
            quoted = !quoted;
            continue;
        }
        if (c == '\\' && (next == '"' || next == '\\'))
            c = character(a, ++*at);
        if (c == '#' || c == ';')
            return false;
        *has_value |= c == '=';
        text_char(word, c);
    }
    return true;
}

enum boot_args_kind boot_args_read(const void *options, size_t bytes, struct text *out)
{
    struct args a;
    bool has_value, first = true;
    size_t at = 0;

    text_reset(out);
    if (!find_text(options, bytes, &a))
        return BOOT_ARGS_NO_TEXT;
    while (at < a.count) {
        size_t start = out->len;

        if (is_blank(character(&a, at))) {
            at++;
            continue;
        }
        if (!take_word(&a, &at, out, &has_value)) {
            text_reset(out);
            return BOOT_ARGS_NO_TEXT;
        }
        if (first && !has_value) {
            out->len = start;
            out->buf[start] = 0;
        } else if (out->len > start)
            text_char(out, '\n');
        first = false;
    }
    return out->len ? BOOT_ARGS_TEXT : BOOT_ARGS_NONE;
}
