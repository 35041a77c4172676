#ifndef EFI_SERIAL_SCREEN_H
#define EFI_SERIAL_SCREEN_H
#include "grid.h"
#include "keys.h"

/* The full screen on one serial port, for a terminal at its other end: the port then carries no lines. */

/* Takes that port (0: the first) from firmware's terminal driver and from the lines, and sets its speed
 * unless baud is 0.  False: there is none. */
bool serial_screen_open(unsigned port, unsigned baud);
bool serial_screen_present(void);
/* Draws what changed. */
void serial_screen_show(const struct grid *g);
/* Only as much as the line carries in that time, and only after the pause that its speed asks for.  True: all
 * is drawn, or there is none. */
bool serial_screen_show_live(const struct grid *g, uint64_t most_ns, bool other_page);
/* A key from its terminal. */
uint16_t serial_screen_key(void);
/* Gives the port back to lines and to firmware. */
void serial_screen_close(void);

#endif
