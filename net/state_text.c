#include "state_text.h"
#include "bits.h"
#include "str.h"
#include "text.h"

static const char head[] = "baresweep-state 1\n", word[] = "part ";

/* The end of the line that begins at `at`; len when it has none. */
static size_t line_end(const char *text, size_t len, size_t at)
{
    while (at < len && text[at] != '\n')
        at++;
    return at;
}

/* "part NAME LEN" in text[at..end). */
static bool read_line(const char *text, size_t at, size_t end, struct state_part *out)
{
    size_t n = sizeof word - 1, name = at + n, blank = name;
    uint64_t bytes;

    if (end - at <= n || memcmp(text + at, word, n))
        return false;
    while (blank < end && text[blank] != ' ')
        blank++;
    if (blank == end || blank == name ||
        !str_copy_n(out->name, sizeof out->name, text + name, blank - name) ||
        !str_to_u64(text + blank + 1, end - blank - 1, &bytes))
        return false;
    out->len = (size_t)bytes;
    return true;
}

bool state_next(const char *text, size_t len, size_t *at, struct state_part *out)
{
    size_t n = sizeof head - 1, end;

    if (!*at) {
        if (len < n || memcmp(text, head, n))
            return false;
        *at = n;
    }
    end = line_end(text, len, *at);
    if (end >= len || !read_line(text, *at, end, out) || out->len > len - end - 1 ||
        end + 1 + out->len >= len || text[end + 1 + out->len] != '\n')
        return false;
    out->text = text + end + 1;
    *at = end + 1 + out->len + 1;
    return true;
}

bool state_is_whole(const char *text, size_t len)
{
    struct state_part p;
    size_t at = 0, n = sizeof head - 1;

    while (state_next(text, len, &at, &p)) {}
    return at ? at == len : len == n && !memcmp(text, head, n);
}

bool state_find(const char *text, size_t len, const char *name, struct state_part *out)
{
    size_t at = 0;

    while (state_next(text, len, &at, out))
        if (str_equal(out->name, name))
            return true;
    return false;
}

static void add(struct text *t, const struct state_part *p)
{
    text_fmt(t, "%s%s %llu\n", word, p->name, (unsigned long long)p->len);
    text_bytes(t, p->text, p->len);
    text_char(t, '\n');
}

size_t state_replace(const char *old, size_t old_len, const struct state_part *part, char *out, size_t cap)
{
    struct text t = text_over(out, cap);
    struct state_part p;
    size_t at = 0;

    if (!part->name[0] || str_find(part->name, " ") || str_find(part->name, "\n"))
        return 0;
    text_str(&t, head);
    while (state_next(old, old_len, &at, &p))
        if (!str_equal(p.name, part->name))
            add(&t, &p);
    if (part->len)
        add(&t, part);
    return t.cut ? 0 : t.len;
}
