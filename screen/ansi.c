#include "ansi.h"
#include "bits.h"
#include "math.h"

/* ---- out ---- */
/* ECMA-48 select graphic rendition: 1 bold, 3x foreground. */
static const char *const ink_codes[INK_COUNT] = {
    [INK_PLAIN] = "0",           [INK_DIM] = "0;36",           [INK_TITLE] = "0;1",
    [INK_GOOD] = "0;32",         [INK_WARN] = "0;33",          [INK_BAD] = "0;1;31",
    [INK_BAR] = "0;36",          [INK_HEAD] = "0;1;37;44",     [INK_PICK] = "0;7",
    [INK_SOLID_DIM] = "0;37;47", [INK_SOLID_GOOD] = "0;32;42", [INK_SOLID_WARN] = "0;33;43",
    [INK_SOLID_BAD] = "0;31;41", [INK_ALARM] = "0;1;37;41",
};

void ansi_begin(struct text *t) { text_str(t, "\x1b[0m\x1b[2J\x1b[H\x1b[?25l"); }

void ansi_end(struct text *t, unsigned rows) { text_fmt(t, "\x1b[0m\x1b[%u;1H\r\n\x1b[?25h", rows); }

void ansi_put(struct text *t, int row, int column, enum ink ink, const char *text, int len)
{
    text_fmt(t, "\x1b[%d;%dH\x1b[%sm", row + 1, column + 1, ink_codes[ink]);
    text_bytes(t, text, (size_t)len);
}

uint64_t ansi_pause_ns(uint64_t bytes, uint64_t baud)
{
    enum { BITS_PER_BYTE = 10, SHARE = 100 };

    /* A port that does not tell its speed is taken for a slow one. */
    return mul_div_u64(bytes * BITS_PER_BYTE * SHARE, NS_PER_S, baud ? baud : 9600);
}

/* ---- in ---- */
enum { PLAIN, AFTER_ESC, AFTER_INTRODUCER, AFTER_BRACKETS };

static const struct {
    char introducer, final; /* ESC [ A, ESC O P */
    uint8_t number;         /* ESC [ 5 ~ */
    uint16_t key;
} sequences[] = {
    { '[', 'A', 0, KEY_UP },   { '[', 'B', 0, KEY_DOWN },    { '[', 'C', 0, KEY_RIGHT },
    { '[', 'D', 0, KEY_LEFT }, { '[', 'H', 0, KEY_HOME },    { '[', 'F', 0, KEY_END },
    { '[', '~', 1, KEY_HOME }, { '[', '~', 2, KEY_INSERT },  { '[', '~', 3, KEY_DELETE },
    { '[', '~', 4, KEY_END },  { '[', '~', 5, KEY_PAGE_UP }, { '[', '~', 6, KEY_PAGE_DOWN },
    { '[', '~', 7, KEY_HOME }, { '[', '~', 8, KEY_END },     { '[', '~', 11, KEY_F1 },
    { 'O', 'A', 0, KEY_UP },   { 'O', 'B', 0, KEY_DOWN },    { 'O', 'C', 0, KEY_RIGHT },
    { 'O', 'D', 0, KEY_LEFT }, { 'O', 'H', 0, KEY_HOME },    { 'O', 'F', 0, KEY_END },
    { 'O', 'P', 0, KEY_F1 },
};

static uint16_t sequence_key(const struct ansi_keys *k, uint8_t final)
{
    for (unsigned i = 0; i < ARRAY_COUNT(sequences); i++)
        if (sequences[i].introducer == k->introducer && sequences[i].final == final &&
            sequences[i].number == k->number)
            return sequences[i].key;
    return KEY_NONE;
}

/* CR and LF are both Enter, but not one after the other. */
static uint16_t plain_key(struct ansi_keys *k, uint8_t byte)
{
    bool second = byte == '\n' && k->number == '\r';

    k->number = byte;
    if (byte == KEY_ESC) {
        k->state = AFTER_ESC;
        return KEY_NONE;
    }
    return second ? KEY_NONE : key_from_efi(0, byte);
}

static uint16_t in_sequence(struct ansi_keys *k, uint8_t byte)
{
    if (byte >= '0' && byte <= '9') {
        k->number = (uint8_t)min_u64(k->number * 10u + (byte - '0'), 255);
        return KEY_NONE;
    }
    /* The Linux console sends ESC [ [ A for F1. */
    if (byte == '[' && k->state == AFTER_INTRODUCER) {
        k->state = AFTER_BRACKETS;
        return KEY_NONE;
    }
    if (byte == ';')
        return KEY_NONE;
    uint16_t key = k->state == AFTER_BRACKETS ? byte == 'A' ? KEY_F1 : KEY_NONE : sequence_key(k, byte);
    k->state = PLAIN;
    k->number = 0;
    return key;
}

uint16_t ansi_key(struct ansi_keys *k, uint8_t byte, uint64_t now_ns)
{
    k->last_ns = now_ns;
    if (k->state == PLAIN)
        return plain_key(k, byte);
    if (byte == KEY_ESC) { /* of two, the first was alone */
        k->state = AFTER_ESC;
        return KEY_ESC;
    }
    if (k->state != AFTER_ESC)
        return in_sequence(k, byte);
    k->number = 0;
    k->introducer = byte;
    k->state = byte == '[' || byte == 'O' ? AFTER_INTRODUCER : PLAIN;
    /* Esc and another key at once: the second is lost rather than both taken. */
    return k->state == PLAIN ? KEY_ESC : KEY_NONE;
}

uint16_t ansi_idle(struct ansi_keys *k, uint64_t now_ns)
{
    bool alone = k->state == AFTER_ESC;

    if (k->state == PLAIN || now_ns - k->last_ns < ANSI_ESC_MS * NS_PER_MS)
        return KEY_NONE;
    k->state = PLAIN;
    k->number = 0;
    return alone ? KEY_ESC : KEY_NONE;
}
