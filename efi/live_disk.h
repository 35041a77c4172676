#ifndef EFI_LIVE_DISK_H
#define EFI_LIVE_DISK_H
#include "engine.h"
#include "inventory.h"
#include "views.h"

/* One disk in the live view: charts that grow from step to step. */

/* Keeps the rate of a sequential read. */
void live_disk_note(const struct inventory *inv, const struct disk *d, const struct step_result *r);
void live_disk_draw(const struct inventory *inv, const struct engine *e, unsigned lane,
                    const struct lane_view *shown);
/* The same with facts in words in place of charts. */
void live_disk_draw_facts(const struct inventory *inv, const struct disk *d, const struct lane_view *shown,
                          const struct note *facts, unsigned count);

#endif
