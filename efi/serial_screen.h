#ifndef EFI_SERIAL_SCREEN_H
#define EFI_SERIAL_SCREEN_H
#include "grid.h"
#include "keys.h"

/* The full screen on one serial port, for a terminal at its other end: the port then carries no lines. */

/* Takes that port (0: the first) from firmware's terminal driver and from the lines, and sets its speed
 * unless baud is 0.  False: there is none. */
bool serial_screen_open(unsigned port, unsigned baud);
bool serial_screen_present(void);
/* Draws what changed; when `patient`, only after the pause that the line's speed asks for. */
void serial_screen_show(const struct grid *g, bool patient);
/* A key from its terminal. */
uint16_t serial_screen_key(void);
/* Gives the port back to lines and to firmware. */
void serial_screen_close(void);

#endif
