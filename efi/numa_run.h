#ifndef EFI_NUMA_RUN_H
#define EFI_NUMA_RUN_H
#include "inventory.h"

/* On machines with several memory nodes: buffers go to the node that the firmware's table gives for a
 * controller.  Where it gives none, they go to the node of the processor that runs this program, so that they
 * lie in the same place in each run, and the numbers say that the distance is not known. */

/* Before controllers are taken. */
void numa_prepare(void);
/* Whether the distance of a lane's buffers to the disk's controller is not known, or could not be kept. */
bool numa_is_uncontrolled(const struct disk *d);
/* After the last step: one finding when there are several nodes. */
void numa_judge(const struct inventory *inv);

#endif
