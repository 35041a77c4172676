#include "lines.h"
#include "bits.h"
#include "str.h"
#include "text.h"

void lines_begin(struct lines *l, bool (*write)(const char *line, size_t len), uint64_t (*now_ns)(void))
{
    *l = (struct lines){ .write = write, .now_ns = now_ns };
    pace_begin(&l->pace, LINES_SHARE, now_ns());
}

void lines_give_buffer(struct lines *l, char *buffer, size_t cap)
{
    l->waiting = buffer;
    l->cap = buffer ? cap : 0;
}

static bool may_write(const struct lines *l)
{
    return pace_earned_ns(&l->pace, l->now_ns(), 0, LINES_AHEAD_S * NS_PER_S) != 0;
}

bool lines_now(struct lines *l, const char *line, size_t len)
{
    uint64_t began_ns = l->now_ns();

    l->no_port = !l->write(line, len);
    pace_spend(&l->pace, began_ns, l->now_ns());
    return !l->no_port;
}

/* The first line that waits, newline included. */
static size_t first_len(const struct lines *l)
{
    size_t len = 1;

    while (l->from + len < l->to && l->waiting[l->from + len - 1] != '\n')
        len++;
    return len;
}

static void write_first(struct lines *l)
{
    size_t len = first_len(l);

    lines_now(l, l->waiting + l->from, len);
    l->from += len;
}

/* Room for so much behind what waits; what is too much for the buffer does not wait any longer. */
static void make_room(struct lines *l, size_t len)
{
    while (l->from < l->to && l->to - l->from + len > l->cap)
        write_first(l);
    if (l->from && l->to + len > l->cap) {
        memmove(l->waiting, l->waiting + l->from, l->to - l->from);
        l->to -= l->from;
        l->from = 0;
    }
}

bool lines_put(struct lines *l, const char *line, size_t len)
{
    uint64_t end_ns = l->now_ns() + LINES_AT_ONCE_MS * NS_PER_MS;

    make_room(l, len);
    if (len > l->cap)
        return lines_now(l, line, len);
    memcpy(l->waiting + l->to, line, len);
    l->to += len;
    while (l->from < l->to && may_write(l) && l->now_ns() <= end_ns)
        write_first(l);
    return !l->no_port;
}

void lines_progress(struct lines *l, const char *line, size_t len)
{
    char words[80];
    struct text t = text_over(words, sizeof words);

    if (!may_write(l)) {
        l->left_out++;
        return;
    }
    if (l->left_out) {
        text_fmt(&t, "# (%llu line%s left out: more than this port can carry)\n",
                 (unsigned long long)l->left_out, str_plural(l->left_out));
        lines_now(l, words, t.len);
    }
    l->left_out = 0;
    lines_now(l, line, len);
}

uint64_t lines_finish(struct lines *l, uint64_t most_ns)
{
    uint64_t began_ns = l->now_ns(), left_out = 0;

    for (bool late = false; l->from < l->to;) {
        late |= most_ns && l->now_ns() - began_ns > most_ns;
        if (late && l->to - l->from > LINES_TAIL_BYTES) {
            l->from += first_len(l);
            left_out++;
        } else
            write_first(l);
    }
    l->from = l->to = 0;
    return left_out;
}
