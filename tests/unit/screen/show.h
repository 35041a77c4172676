#ifndef TESTS_SCREEN_SHOW_H
#define TESTS_SCREEN_SHOW_H
#include "grid.h"

/* A grid on the heap, of that size, every cell within and outside filled with rubbish. */
struct grid *grid_new(unsigned columns, unsigned rows);
/* The grid's size and characters, one line per row without its trailing blanks; static storage. */
const char *grid_show(const struct grid *g);
/* One row without its trailing blanks; static storage. */
const char *grid_row(const struct grid *g, int row);
/* The row that contains `part`; the test fails when there is none. */
int grid_find(const struct grid *g, const char *part);
/* Compares with tests/golden/screen/<name>.txt, and checks what holds for every screen: printable characters,
 * nothing outside the grid, nothing in the last column. */
void grid_golden(const struct grid *g, const char *name);

#endif
