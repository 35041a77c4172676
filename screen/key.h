#ifndef SCREEN_KEY_H
#define SCREEN_KEY_H
#include <stdbool.h>
#include <stdint.h>

/* A pressed key: printable ASCII stands for itself. */
enum key {
    KEY_NONE = 0,
    KEY_BACKSPACE = 0x08,
    KEY_TAB = 0x09,
    KEY_ENTER = 0x0d,
    KEY_ESC = 0x1b,
    KEY_UP = 0x100,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_HOME,
    KEY_END,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_INSERT,
    KEY_DELETE,
    KEY_F1
};
/* A key as EFI_INPUT_KEY gives it; KEY_NONE for what we have no use for. */
uint16_t key_from_efi(uint16_t scan_code, uint16_t unicode);
/* Moving about: such a key may repeat while it is held, and decides nothing. */
bool key_only_moves(uint16_t key);

/* ---- is that a person? ----
 * One of these per keyboard.  A key that repeats itself (stuck, or held) counts once; more keys than anybody
 * types shut the keyboard out until it has been silent. */
enum {
    TYPING_REPEAT_MS = 120, /* auto-repeat runs at 10 .. 30 a second; nobody doubles a letter that fast */
    TYPING_SAME_MAX = 2,    /* no word has a letter three times in a row */
    TYPING_SAME_WITHIN_MS = 2000,
    TYPING_PER_S = 15, /* what a fast typist does, over a burst of */
    TYPING_BURST = 10, /* since firmware hands over keys late and together */
    TYPING_SILENCE_MS = 1000
};
struct typing {
    uint64_t last_ns;   /* the last key of any kind */
    uint64_t bucket_ns; /* burst so far, as the time that it takes to leak */
    uint16_t last_key, same;
    bool shut, begun;
};
enum typing_answer { TYPING_TAKE, TYPING_REPEATS, TYPING_TOO_FAST };
enum typing_answer typing_key(struct typing *t, uint16_t key, uint64_t now_ns);

#endif
