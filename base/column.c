#include "column.h"
#include "bits.h"
#include "str.h"

void column_right(struct text *t, size_t end, const char *word)
{
    size_t len = str_len(word);

    if (t->len && t->len + len + 1 > end)
        text_char(t, ' ');
    else if (end > len)
        text_pad(t, end - len, ' ');
    text_str(t, word);
}

void column_left(struct text *t, size_t begin, size_t width, const char *word)
{
    size_t len = str_len(word);

    text_pad(t, begin, ' ');
    text_bytes(t, word, len > width ? width - 2 : len);
    if (len > width)
        text_str(t, "..");
}

void column_name(struct text *t, size_t begin, size_t width, const char *name)
{
    size_t len = str_len(name), tail = (width - 2) / 3;

    if (len <= width) {
        column_left(t, begin, width, name);
        return;
    }
    text_pad(t, begin, ' ');
    text_bytes(t, name, width - 2 - tail);
    text_str(t, "..");
    text_str(t, name + len - tail);
}

void column_number(struct text *t, uint64_t v, unsigned decimals, size_t width)
{
    static const char thousands[] = "kMGTPE";
    char word[32];
    struct text w = text_over(word, sizeof word);
    unsigned step = 0;

    text_fixed(&w, v, decimals);
    for (; decimals && w.len > width; decimals--) {
        v /= 10;
        text_reset(&w);
        text_fixed(&w, v, decimals - 1);
    }
    for (; w.len > width && step < sizeof thousands - 1; step++) {
        v /= 1000;
        text_reset(&w);
        text_u64(&w, v);
        text_char(&w, thousands[step]);
    }
    text_str(t, word);
}

void column_duration(struct text *t, uint64_t ns)
{
    enum { WIDTH = 10 };
    char word[40];
    struct text w = text_over(word, sizeof word);

    text_duration(&w, ns);
    if (w.len > WIDTH) {
        bool hours = ns >= 3600 * NS_PER_S;

        text_reset(&w);
        text_u64(&w, ns / NS_PER_S / (hours ? 3600 : 60));
        text_str(&w, hours ? " h" : " min");
    }
    text_str(t, word);
}
