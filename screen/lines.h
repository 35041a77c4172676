#ifndef SCREEN_LINES_H
#define SCREEN_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "attention.h"

/* Lines in front of serial ports that may be slow: whoever writes to a port stands still until it has taken
 * what it was given (9600 baud: a second for every 960 bytes).  So writing has a tenth of the time and a few
 * seconds in advance; what comes faster waits in a buffer, and is written when time was earned or the run is
 * over.  A fast port never notices. */
enum {
    LINES_SHARE = 10,
    LINES_AHEAD_S = 50,      /* 5 s may be spent in advance */
    LINES_AT_ONCE_MS = 2000, /* of what waits, so much at most with one new line */
    LINES_TAIL_BYTES = 4096  /* the end of what waited is never left out: verdicts stand there */
};
struct lines {
    /* A whole line, newline included, to the ports; returns when they have it.  False: there is none left. */
    bool (*write)(const char *line, size_t len);
    uint64_t (*now_ns)(void);
    char *waiting;
    size_t cap, from, to;
    struct pace pace;
    uint64_t left_out; /* lines of progress since the last one that was written */
    bool no_port;      /* for the last line */
};
void lines_begin(struct lines *l, bool (*write)(const char *line, size_t len), uint64_t (*now_ns)(void));
/* Until it has one, and with NULL, nothing waits: every line is written at once. */
void lines_give_buffer(struct lines *l, char *buffer, size_t cap);
/* A line of the result: is written now or later, in this order.  False when no port is left. */
bool lines_put(struct lines *l, const char *line, size_t len);
/* Written at once, before those that wait. */
bool lines_now(struct lines *l, const char *line, size_t len);
/* Written at once or never, when no time is earned; the next one that is written says how many were not. */
void lines_progress(struct lines *l, const char *line, size_t len);
/* The run is over: all that waits.  most_ns not 0: for so long, then only the end of it; returns how many
 * lines were left out. */
uint64_t lines_finish(struct lines *l, uint64_t most_ns);

#endif
