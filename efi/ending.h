#ifndef EFI_ENDING_H
#define EFI_ENDING_H
#include "inventory.h"
#include "medium.h"

/* From the disks' verdicts to the run's: journal lines, files on the medium, the last screen, the last line.
 */

/* Verdict lines of all disks, into the journal; call before controllers are given
 * back, since the disks end with them. */
void ending_list_disks(const struct inventory *inv);
/* The run's verdict, and what was missing against the configuration. */
void ending_judge(const struct inventory *inv, const struct conf *conf, struct run_status *status);
/* run_end, the reports beside the journal, journal closed; the end screen. */
struct run_ending ending_write(const struct run_status *status, const struct conf *conf, struct medium *m);
/* "BARESWEEP END verdict=PASS exit=0", the very last line on serial. */
void ending_last_line(const struct run_status *status, const struct run_ending *e);

#endif
