#ifndef EFI_ASK_H
#define EFI_ASK_H
#include <stdbool.h>

/* Asks a person on every console and, in lines, on the serial ports: shows the lines and waits.  True only
 * when exactly the word was typed and Enter pressed on one keyboard, at a person's speed; Esc, silence for
 * timeout_s, a machine without any console or keyboard, a stuck key and noise on a line are all no.  A text
 * longer than the screen is cut with "N more below": the lines that decide come first.
 * Firmware is called: only in holds and between steps.  The screen is left with the question on it.
 * word: 1 .. 32 printable characters. */
bool ask_word(const char *title, const char (*lines)[120], unsigned line_count, const char *word,
              unsigned timeout_s);

#endif
