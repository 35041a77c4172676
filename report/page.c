#include "page.h"
#include "bits.h"
#include "str.h"

void render_bytes(struct render_out *o, const char *bytes, size_t len)
{
    if (!o->failed && !o->write(o->ctx, bytes, len))
        o->failed = true;
}

void page_printable(char *s)
{
    for (; *s; s++)
        if (*s < 0x20 || *s > 0x7e)
            *s = '?';
}

static void send_line(struct render_out *o, char *line, size_t len)
{
    while (len && line[len - 1] == ' ')
        len--;
    for (size_t i = 0; i < len; i++)
        if (line[i] < 0x20 || line[i] > 0x7e)
            line[i] = '?';
    line[len] = '\n';
    render_bytes(o, line, len + 1);
}

void page_line(struct render_out *o, const char *fmt, ...)
{
    char line[PAGE_COLUMNS + 2];
    struct text t = text_over(line, PAGE_COLUMNS + 1);
    va_list ap;

    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    if (t.cut)
        memcpy(line + t.len - 2, "..", 2);
    send_line(o, line, t.len);
}

/* How much of s goes onto a line of `room` columns: up to its last blank, or all of a word that is longer. */
static size_t fitting(const char *s, size_t room)
{
    size_t len = 0, at_blank = 0;

    while (len < room && s[len]) {
        len++;
        if (s[len] == ' ' || !s[len])
            at_blank = len;
    }
    return !s[len] || !at_blank ? len : at_blank;
}

void page_wrap(struct render_out *o, unsigned indent, const char *label, const char *text)
{
    enum { MIN_ROOM = 20, LONGEST_HANG = 18 };
    char line[PAGE_COLUMNS + 2];
    struct text t = text_over(line, PAGE_COLUMNS + 1);
    size_t hang;

    text_pad(&t, indent, ' ');
    text_str(&t, label);
    if (t.len > PAGE_COLUMNS - MIN_ROOM) {
        send_line(o, line, t.len);
        text_reset(&t);
        text_pad(&t, indent + 2u, ' ');
    }
    hang = t.len > indent + LONGEST_HANG ? indent + 4u : t.len;
    do {
        size_t n = fitting(text, PAGE_COLUMNS - t.len);

        text_bytes(&t, text, n);
        send_line(o, line, t.len);
        text_reset(&t);
        text_pad(&t, hang, ' ');
        for (text += n; *text == ' '; text++)
            ;
    } while (*text);
}
