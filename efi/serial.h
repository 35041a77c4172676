#ifndef EFI_SERIAL_H
#define EFI_SERIAL_H
#include <stdbool.h>
#include <stddef.h>

/* Lines on every serial port that firmware offers.  A port carries lines or a screen; we write lines, without
 * colour codes, also to the port that the firmware's console owns. */
void serial_init(void);
unsigned serial_port_count(void); /* of those that carry lines */
/* A whole line, newline included (sent as CR LF), at once or, on a slow port, later (lines.h).  True while at
 * least one port takes it; a port whose transmitter stands still for a second is left out from then on. */
bool serial_line(void *ctx, const char *line, size_t len);
/* From here on lines may wait; without memory for them they are written at once as before. */
void serial_keep_waiting(void);
/* The run is over: what waits is written, for a minute at most when the whole result is elsewhere, too. */
void serial_finish(bool whole_elsewhere);
/* For people: "# " + text, at once. */
void serial_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, but left out when lines come faster than a slow port carries them: only what the journal has,
 * too. */
void serial_tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- for the full screen on a port (serial_screen.c) ---- */
/* That port carries no lines until it is taken back.  Its EFI_HANDLE; NULL: there is none. */
void *serial_lend(unsigned port);
void serial_take_back(unsigned port);
/* To an EFI_SERIAL_IO_PROTOCOL, in chunks; false when it stood still for a second. */
bool serial_write(void *to, const char *bytes, size_t len);

#endif
