#ifndef EFI_AFTER_H
#define EFI_AFTER_H
#include "conf.h"
#include "firmware.h"
#include "verdict.h"

/* What happens after the last line, by `after` of the configuration.  Returns the status for whoever started
 * the application, or not at all (restart, off, waiting for a person).
 *
 * A boot loader such as iPXE goes on by that status.  Firmware does the opposite of what one would think:
 * after an error it tries its next boot entry, after success it shows its menu (UEFI 2.10, 3.1.1).  So with
 * after=next it gets an error from a run that may go on, and from one that may not it gets nothing: the
 * machine waits. */
EFI_STATUS after_run(const struct conf *conf, const struct run_ending *ending);

#endif
