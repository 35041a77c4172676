#include <stdlib.h>
#include <string.h>
#include "ansi.h"
#include "show.h"
#include "test.h"

#define MS 1000000ull

/* The last key of the bytes, after silence. */
static uint16_t last_key(const char *bytes)
{
    struct ansi_keys k = { 0 };
    uint16_t key = KEY_NONE, got;
    uint64_t now = 1000 * MS;

    for (; *bytes; bytes++, now += MS)
        if ((got = ansi_key(&k, (uint8_t)*bytes, now)) != KEY_NONE)
            key = got;
    got = ansi_idle(&k, now + 300 * MS);
    return got != KEY_NONE ? got : key;
}

TEST(sequences_of_terminals_are_keys)
{
    static const struct {
        const char *bytes;
        uint16_t key;
    } rows[] = {
        { "\x1b[A", KEY_UP },       { "\x1bOB", KEY_DOWN },
        { "\x1b[5~", KEY_PAGE_UP }, { "\x1b[6~", KEY_PAGE_DOWN },
        { "\x1b[1~", KEY_HOME },    { "\x1b[F", KEY_END },
        { "\x1bOP", KEY_F1 },       { "\x1b[11~", KEY_F1 },
        { "\x1b[[A", KEY_F1 },      { "\x1b", KEY_ESC },
        { "\x1b\x1b", KEY_ESC },    { "\r", KEY_ENTER },
        { "\n", KEY_ENTER },        { "x", 'x' },
        { "\x7f", KEY_BACKSPACE },  { "\x1b[99~", KEY_NONE },
        { "\x1b[1;5A", KEY_NONE },  { "\x1b[", KEY_NONE },
        { "\xff", KEY_NONE },       { "\x1b[999999999999~", KEY_NONE },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        EQ(last_key(rows[i].bytes), rows[i].key);
}

TEST(esc_waits_for_what_may_follow_and_then_stands_alone)
{
    struct ansi_keys k = { 0 };

    EQ(ansi_key(&k, 0x1b, 10 * MS), KEY_NONE);
    EQ(ansi_idle(&k, 209 * MS), KEY_NONE);
    EQ(ansi_idle(&k, 210 * MS), KEY_ESC);
    EQ(ansi_idle(&k, 999 * MS), KEY_NONE);
    EQ(ansi_key(&k, 'a', 1000 * MS), 'a');
    /* A sequence that is cut off is forgotten. */
    EQ(ansi_key(&k, 0x1b, 2000 * MS), KEY_NONE);
    EQ(ansi_key(&k, '[', 2001 * MS), KEY_NONE);
    EQ(ansi_idle(&k, 3000 * MS), KEY_NONE);
    EQ(ansi_key(&k, 'A', 3001 * MS), 'A');
}

TEST(cr_lf_is_one_enter)
{
    struct ansi_keys k = { 0 };

    EQ(ansi_key(&k, '\r', 1 * MS), KEY_ENTER);
    EQ(ansi_key(&k, '\n', 2 * MS), KEY_NONE);
    EQ(ansi_key(&k, '\n', 3 * MS), KEY_ENTER);
    EQ(ansi_key(&k, '\r', 4 * MS), KEY_ENTER);
    EQ(ansi_key(&k, '\r', 5 * MS), KEY_ENTER);
}

TEST(any_bytes_whatever_leave_the_parser_sane)
{
    struct ansi_keys k = { 0 };
    uint64_t seed = 3;

    for (unsigned i = 0; i < 200000; i++) {
        static const uint8_t likely[] = { 0x1b, '[', 'O', '5', '~', 'A', ';', '\r', '\n', 0x80 };
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        uint16_t key =
            ansi_key(&k, seed >> 60 ? likely[(seed >> 33) % sizeof likely] : (uint8_t)(seed >> 40), i * MS);
        CHECK(key <= KEY_F1);
    }
    ansi_idle(&k, 999999999 * MS);
    EQ(ansi_key(&k, 'q', 1000000000 * MS), 'q');
}

static bool put(void *ctx, int row, int column, enum ink ink, const char *text, int len)
{
    ansi_put(ctx, row, column, ink, text, len);
    return true;
}

TEST(what_changed_is_drawn_in_its_colour_and_place)
{
    struct grid *g = grid_new(80, 24), *shown = grid_new(80, 24);
    char bytes[200];
    struct text t = text_over(bytes, sizeof bytes);

    grid_clear(g, 80, 24);
    grid_clear(shown, 80, 24);
    grid_text(g, 2, 9, INK_BAD, "FAIL");
    grid_diff(g, shown, put, &t);
    EQ_STR(bytes, "\x1b[3;10H\x1b[0;1;31mFAIL");
    free(g);
    free(shown);
}

TEST(a_slow_line_is_left_alone_for_a_hundred_times_what_it_carried)
{
    EQ(ansi_pause_ns(960, 9600), 100ull * 1000 * MS);
    EQ(ansi_pause_ns(960, 115200), 8333333333ull);
    EQ(ansi_pause_ns(0, 9600), 0);
    EQ(ansi_pause_ns(960, 0), 100ull * 1000 * MS);
}
