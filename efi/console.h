#ifndef EFI_CONSOLE_H
#define EFI_CONSOLE_H
#include "grid.h"

/* Text consoles that are no serial port get the grid; drawing is a firmware call and happens only while the
 * engine is held or between steps.  With no such console every function does nothing. */
void console_init(void);
bool console_present(void);
/* The grid that views draw on; its size is the smallest of the consoles' modes. */
struct grid *console_grid(void);
void console_show(void); /* draws what changed since the last call */
/* Waits until a key is pressed or the time is over; true: a key.  A console without keyboard just waits. */
bool console_wait_key(unsigned seconds);

#endif
