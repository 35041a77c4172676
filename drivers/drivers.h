#ifndef DRIVERS_DRIVERS_H
#define DRIVERS_DRIVERS_H
#include "disk.h"

/* The drivers that the table in drivers.c names, and the table itself for listings and tests. */
extern const struct controller_driver nvme_driver, ahci_driver, mfi_driver;

extern const struct driver_row driver_rows[];
extern const unsigned driver_row_count;

#endif
