#ifndef SCREEN_ANSI_H
#define SCREEN_ANSI_H
#include "grid.h"
#include "key.h"
#include "text.h"

/* A screen over a serial line: what any terminal since the VT100 understands, and what it sends. */

/* ---- out ---- */
void ansi_begin(struct text *t);              /* colours off, screen empty, no cursor */
void ansi_end(struct text *t, unsigned rows); /* cursor back, below what was drawn */
/* One run of cells as grid_diff gives it. */
void ansi_put(struct text *t, int row, int column, enum ink ink, const char *text, int len);
/* After so many bytes a line of that speed is left alone for so long: pictures take a hundredth of it. */
uint64_t ansi_pause_ns(uint64_t bytes, uint64_t baud);

/* ---- in ---- */
enum { ANSI_ESC_MS = 200 }; /* a lone Esc is one that nothing follows for so long */
struct ansi_keys {
    uint8_t state, number, introducer;
    uint64_t last_ns;
};
/* The key that this byte ends; KEY_NONE: none yet, or one that we have no use for. */
uint16_t ansi_key(struct ansi_keys *k, uint8_t byte, uint64_t now_ns);
/* To be asked when no byte waits. */
uint16_t ansi_idle(struct ansi_keys *k, uint64_t now_ns);

#endif
