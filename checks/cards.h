#ifndef CHECKS_CARDS_H
#define CHECKS_CARDS_H
#include <stdbool.h>
#include <stdint.h>

/* Storage cards whose design is known: how wide and how fast their edge connector is, and whether the card is
 * one of those for whose sake people cover the contacts B5 and B6.  Fact sheet pin-check 1.2, 3 and 4.2 (P7).
 */
struct card {
    uint16_t vendor_id, device_id;
    const char *name;
    uint8_t width, speed; /* lanes, generation */
    bool suspect;         /* made for servers with a management controller: drives SMBus by itself */
};
extern const struct card cards[];
extern const unsigned card_count;
const struct card *card_find(uint16_t vendor_id, uint16_t device_id); /* NULL: not known */

#endif
