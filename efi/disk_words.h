#ifndef EFI_DISK_WORDS_H
#define EFI_DISK_WORDS_H
#include "inventory.h"
#include "views.h"

/* A disk in words, for screens. */
void disk_words_what(const struct disk *d, struct text *t);  /* model, serial, firmware, capacity */
void disk_words_where(const struct disk *d, struct text *t); /* controller, bay, link */
/* Health and temperature, as last told. */
void disk_words_state(const struct inventory *inv, const struct disk *d, struct text *t);
void disk_words_bay(const struct disk *d, char *buf, size_t cap); /* "252:3", "port 3"; "" unknown */
/* All that is known of it, a page of notes; how many were written (at most cap). */
unsigned disk_words_page(const struct inventory *inv, const struct known_disk *k, struct note *notes,
                         unsigned cap);

#endif
