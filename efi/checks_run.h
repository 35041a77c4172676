#ifndef EFI_CHECKS_RUN_H
#define EFI_CHECKS_RUN_H
#include "inventory.h"
#include "journal.h"
#include "plan.h"

/* The checks of this machine: collects evidence, asks checks/ what it means, says it in the journal. */

/* First of all: waits for a test bench when the configuration says so, wakes storage controllers that sleep,
 * chooses the memory that buffers are taken from. */
void checks_wake(const struct conf *conf);
/* After the inventory, before anything is read: paths and power of the controllers, slots, SMBus, health,
 * drives that are expected; begins to watch the links.  True: an expectation of the configuration cannot be
 * read. */
bool checks_run(struct inventory *inv, const struct conf *conf, const struct machine_info *machine,
                struct medium *m);
/* While a step runs: looks at one function on the way to its disks, by memory where the firmware's tables
 * tell its address, in a few microseconds. */
void checks_sample(const struct plan_step *step);
/* Whether a link of the controller's path was seen to run below what both its ends can do while data moved.
 */
bool checks_link_is_narrow(const struct inventory *inv, const struct disk *d);
/* After the last step, with all controllers still driven: links, errors, health, speeds.  True: something
 * that is expected was missed. */
bool checks_finish(struct inventory *inv, const struct conf *conf);

#endif
