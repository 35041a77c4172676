#ifndef SWEEP_IO_ONCE_H
#define SWEEP_IO_ONCE_H
#include "disk.h"

/* One request on a lane with nothing else in flight, to its end: for looks and marks, not for speed.  The
 * slot's data is lane_data(l, r->slot).  Within the disk's deadline and a second more.  OK, E_MEDIA,
 * E_REFUSED, E_TIMEOUT, E_GONE. */
int io_once(struct io_lane *l, const struct io_request *r);

#endif
