#ifndef MFI_H
#define MFI_H
#include "disk.h"

/* LSI/Avago MegaRAID controllers with the MFI frame interface, read path: the generations 1078 (PERC 6,
 * 8708EM2) and 2108 (PERC H700/H800, 9260).  Virtual drives are read by LD_READ frames, drives that the
 * firmware exposes to the host (JBOD, "system" drives) by SCSI commands in PD_SCSI_IO frames.
 *
 * Proven against QEMU's megasas and megasas-gen2 and our own register-level model; no real card was at hand.
 */
extern const struct controller_driver mfi_driver;

#endif
