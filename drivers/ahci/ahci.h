#ifndef DRIVERS_AHCI_H
#define DRIVERS_AHCI_H
#include "disk.h"

/* AHCI 1.x host adapters (PCI class 010601h) and the ATA disks directly behind them.
 *
 * attach finds every implemented port at once, whatever gaps PI has: an empty port costs 30 ms for all of
 * them together, a disk that starts at most 31 s (41 s when it
 * has to be asked twice).  Optical drives, enclosures, port multipliers, host-managed
 * disks and ports without a link are named in remarks.  A disk that cannot be read (locked, an IDENTIFY that
 * does not add up) is listed with ops NULL and its reason in why_not.
 *
 * Reads only: READ FPDMA QUEUED at the smaller of the drive's and the adapter's depth, else READ DMA EXT or
 * READ DMA one at a time.  One command carries at most 8 MiB (128 KiB where only 28-bit commands exist). */
extern const struct controller_driver ahci_driver;

#endif
