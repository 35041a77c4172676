#ifndef SWEEP_IO_ONCE_H
#define SWEEP_IO_ONCE_H
#include "disk.h"
#include "text.h"

/* One request on a lane with nothing else in flight, to its end: for looks and marks, not for speed.  The
 * slot's data is lane_data(l, r->slot).  Within the disk's deadline (a flush: its own) and a second more.
 * OK, E_MEDIA, E_REFUSED, E_TIMEOUT, E_GONE; `why` (may be NULL) receives what failed, with the LBA and the
 * device's own words. */
int io_once(struct io_lane *l, const struct io_request *r, struct text *why);

#endif
