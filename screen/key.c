#include "key.h"
#include "bits.h"

/* UEFI 2.x, EFI_SIMPLE_TEXT_INPUT_PROTOCOL: scan codes of keys without a character. */
static const uint16_t scan_codes[] = {
    [0x01] = KEY_UP,      [0x02] = KEY_DOWN,      [0x03] = KEY_RIGHT,  [0x04] = KEY_LEFT,
    [0x05] = KEY_HOME,    [0x06] = KEY_END,       [0x07] = KEY_INSERT, [0x08] = KEY_DELETE,
    [0x09] = KEY_PAGE_UP, [0x0a] = KEY_PAGE_DOWN, [0x0b] = KEY_F1,     [0x17] = KEY_ESC,
};

uint16_t key_from_efi(uint16_t scan_code, uint16_t unicode)
{
    if (scan_code)
        return scan_code < ARRAY_COUNT(scan_codes) ? scan_codes[scan_code] : KEY_NONE;
    if (unicode == '\n')
        return KEY_ENTER;
    if (unicode == 0x7f)
        return KEY_BACKSPACE;
    if (unicode == KEY_BACKSPACE || unicode == KEY_TAB || unicode == KEY_ENTER || unicode == KEY_ESC ||
        (unicode >= 0x20 && unicode <= 0x7e))
        return unicode;
    return KEY_NONE;
}

bool key_only_moves(uint16_t key)
{
    return (key >= KEY_UP && key <= KEY_PAGE_DOWN) || key == KEY_BACKSPACE || key == KEY_TAB;
}

static bool is_too_fast(struct typing *t, uint64_t now_ns)
{
    const uint64_t one_ns = NS_PER_S / TYPING_PER_S;
    uint64_t silence_ns = now_ns - t->last_ns;

    if (t->begun && t->shut && silence_ns < TYPING_SILENCE_MS * NS_PER_MS)
        return true;
    t->shut = false;
    t->bucket_ns = t->begun && t->bucket_ns > silence_ns ? t->bucket_ns - silence_ns : 0;
    t->bucket_ns += one_ns;
    t->shut = t->bucket_ns > TYPING_BURST * one_ns;
    return t->shut;
}

static bool repeats(struct typing *t, uint16_t key, uint64_t now_ns)
{
    uint64_t since_ns = now_ns - t->last_ns;

    if (!t->begun || key != t->last_key || since_ns > TYPING_SAME_WITHIN_MS * NS_PER_MS) {
        t->same = 1;
        return false;
    }
    if (t->same <= TYPING_SAME_MAX)
        t->same++;
    return since_ns < TYPING_REPEAT_MS * NS_PER_MS || t->same > TYPING_SAME_MAX;
}

enum typing_answer typing_key(struct typing *t, uint16_t key, uint64_t now_ns)
{
    bool repeated = repeats(t, key, now_ns), fast;

    /* A held key repeats faster than anybody types: that is said as what it is. */
    fast = !(repeated || (key_only_moves(key) && key == t->last_key)) && is_too_fast(t, now_ns);
    t->begun = true;
    t->last_ns = now_ns;
    t->last_key = key;
    if (fast)
        return TYPING_TOO_FAST;
    return repeated && !key_only_moves(key) ? TYPING_REPEATS : TYPING_TAKE;
}
