#ifndef EFI_KEYS_H
#define EFI_KEYS_H
#include <stdbool.h>
#include <stdint.h>
#include "key.h"

/* Keys of every keyboard that firmware has, also of one that comes and goes: they are looked up anew each
 * time.  All of these are firmware calls: only while the engine is held or between steps. */

enum { KEYS_SOURCES_MAX = 8 };
struct press {
    uint16_t key;
    uint8_t source; /* the keyboard, 0 .. KEYS_SOURCES_MAX - 1: words of two keyboards are not mixed */
};
/* The next key that waits, as it came; false: none. */
bool keys_take(struct press *out);
/* The same with a deadline; looks about fifty times a second. */
bool keys_wait(struct press *out, unsigned ms);
/* Forgets what waits. */
void keys_drop(void);

/* A key as a person presses it: repeated ones of a stuck key and floods are left out, and said once in a
 * while on the serial port.  False: none within the time. */
bool keys_person(struct press *out, unsigned ms);

/* Whether a person wants this run to stop.  Call in holds and between steps as often as you like: it looks at
 * most ten times a second.  Esc opens the question, the typed word `stop` says yes.  Other keys are kept for
 * keys_kept. */
bool keys_stop_asked(void);
/* While a page within is open, Esc is kept like other keys and asks nothing. */
void keys_esc_is_back(bool on);
/* The oldest of the keys that keys_stop_asked kept; KEY_NONE: none is left. */
uint16_t keys_kept(void);
/* How long questions were open since the last call: a person's time, not ours. */
uint64_t keys_question_ns(void);

#endif
