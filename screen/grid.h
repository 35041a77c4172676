#ifndef SCREEN_GRID_H
#define SCREEN_GRID_H
#include <stdbool.h>
#include <stdint.h>

/* A screen is a value: a grid of cells.  Views are pure functions onto it; console, serial and tests all
 * draw the same grid. */
enum { GRID_MAX_COLUMNS = 240, GRID_MAX_ROWS = 80 };
enum ink {
    INK_PLAIN,
    INK_DIM,
    INK_TITLE,
    INK_GOOD,
    INK_WARN,
    INK_BAD,
    INK_BAR,
    INK_HEAD,      /* a bar across the screen: the title above, the keys below */
    INK_PICK,      /* what Enter would do */
    INK_ALARM,     /* what is lost when it goes on */
    INK_SOLID_DIM, /* blocks: where there are colours, the character is not seen */
    INK_SOLID_GOOD,
    INK_SOLID_WARN,
    INK_SOLID_BAD,
    INK_COUNT
};
struct cell {
    char c;
    uint8_t ink;
}; /* printable ASCII */
struct grid {
    uint16_t columns, rows;
    uint16_t next_row;       /* of what is shown: where a diff that was broken off goes on */
    uint16_t overdrawn, cut; /* characters put upon others, or outside, since grid_clear: for tests */
    struct cell cell[GRID_MAX_ROWS][GRID_MAX_COLUMNS];
};
void grid_clear(struct grid *g, unsigned columns, unsigned rows); /* clamped to the maxima */
/* Everything outside the grid is cut, never wrapped. */
void grid_text(struct grid *g, int row, int column, enum ink ink, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void grid_bar(struct grid *g, int row, int column, int width, uint64_t done, uint64_t total);
/* Calls put for each run of cells on one row that differ from `shown` and share an ink, after it has copied
 * them there: the least that must be drawn.  When put answers false it has drawn, and enough for this time:
 * the row is drawn to its end, so that its numbers belong together, and the next call goes on with the row
 * below. True: all is drawn. */
bool grid_diff(const struct grid *g, struct grid *shown,
               bool (*put)(void *ctx, int row, int column, enum ink ink, const char *text, int len),
               void *ctx);

#endif
