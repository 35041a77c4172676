#ifndef EFI_CONSOLE_H
#define EFI_CONSOLE_H
#include "conf.h"
#include "grid.h"

/* Text consoles that are no serial port get the grid, and the serial port that the configuration gives to a
 * terminal.  Drawing is a firmware call and happens only while the engine is held or between steps.  With no
 * console every function does nothing. */
void console_init(const struct conf *conf);
bool console_present(void);
/* The grid that views draw on; its size is the smallest of the consoles' modes. */
struct grid *console_grid(void);
void console_show(void); /* draws what changed since the last call */
/* The same, but it takes no longer than that and goes on with the next call; a serial line gets it only when
 * it has rested enough.  other_page: its keys and its title come first.  True: all is drawn. */
bool console_show_live(uint64_t most_ns, bool other_page);
/* Waits until a person presses a key or the time is over; true: a key. */
bool console_wait_key(unsigned seconds);
/* Colours, cursor and the serial port as they were. */
void console_end(void);

#endif
