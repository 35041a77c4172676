#ifndef MFI_H
#define MFI_H
#include "disk.h"

/* LSI/Avago/Broadcom MegaRAID controllers of the MFI family, read path: the frame generations (IOP333, 1078,
 * 2108, 2008) and the fusion ones (2208, 3108, 35xx, 39xx); docs/controllers.md lists the cards.  Virtual
 * drives are read by LD_READ frames or fusion requests by the firmware's path, drives that the firmware
 * exposes to the host (JBOD, "system" drives) by SCSI commands.  What the card says about itself:
 * drivers/raid.h.
 *
 * Proven against our own register-level model, the 1078 and 2108 against QEMU's megasas and megasas-gen2 as
 * well; no real card was at hand.
 */
extern const struct controller_driver mfi_driver;

#endif
