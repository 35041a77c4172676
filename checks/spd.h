#ifndef CHECKS_SPD_H
#define CHECKS_SPD_H
#include <stdbool.h>
#include <stdint.h>

/* What 128 bytes from an address of the memory modules are.  Fact sheet pin-check 2.6. */
enum spd_class {
    SPD_BLANK,   /* all 00 or all FF */
    SPD_VALID,   /* a memory module whose checksum is right */
    SPD_DAMAGED, /* a plausible memory type, a wrong checksum */
    SPD_FRU,     /* the header of a card's or riser's identification */
    SPD_OTHER
};
enum { SPD_BYTES = 128 };
enum spd_class spd_class_of(const uint8_t bytes[SPD_BYTES]);
/* Capacity that the module states; 0: a kind whose capacity is not computed here. */
uint64_t spd_mib(const uint8_t bytes[SPD_BYTES]);
const char *spd_class_text(enum spd_class c);

#endif
