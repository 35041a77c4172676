#ifndef NET_NAMES_H
#define NET_NAMES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "text.h"

/* Names of files in the network.  They are made of letters, digits, '.', '-' and '_' only: what a maker wrote
 * into a serial number must not choose a folder. */

struct name_parts {
    const char *serial, *uuid, *run; /* as the firmware tells them; "" unknown */
    const uint8_t *mac;              /* NULL: there is no network card */
};
/* "52-54-00-12-34-56": as iPXE's ${net0/mac:hexhyp} writes it. */
void name_mac(const uint8_t mac[6], struct text *out);
/* Each other character becomes '_', a leading '.' too; at most 40 characters. */
void name_word(const char *s, struct text *out);
/* "SN12345_52-54-00-12-34-56_11223344-...-eeff00_20261130-141500-1a2b3c4d": what is unknown is left out. */
void name_result(const struct name_parts *p, struct text *out);
/* The machine itself: its UUID, else its serial number, else its MAC; empty when it has none of them.
 * Fillers ("To be filled by O.E.M.", all digits alike) are no number. */
void name_machine(const struct name_parts *p, struct text *out);
bool name_is_filler(const char *s);

/* Where a journal is cut for sending: the longest whole lines of text[0..len) within max bytes.  A longer
 * line alone is cut in two. */
size_t name_part_len(const char *text, size_t len, size_t max);

#endif
