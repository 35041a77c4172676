#ifndef DRIVERS_SMART_H
#define DRIVERS_SMART_H
#include <stdbool.h>
#include <stdint.h>
#include "health.h"

/* The pages of ATA SMART, whichever way they came.  Layouts are those that smartmontools' atacmds.h reads.
 * [any] */
enum { SMART_PAGE_BYTES = 512 };

/* The sum over READ DATA, READ THRESHOLDS and most logs is zero. */
bool smart_page_adds_up(const uint8_t page[SMART_PAGE_BYTES]);
/* The attributes that have a place in *h, and a warning and a note when one is at its threshold.  Both pages
 * have SMART_PAGE_BYTES; thresholds NULL: the drive tells none. */
void smart_take_attributes(const uint8_t *data, const uint8_t *thresholds, struct disk_health *h);

#endif
