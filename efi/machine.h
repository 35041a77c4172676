#ifndef EFI_MACHINE_H
#define EFI_MACHINE_H
#include "clock.h"
#include "journal.h"

/* Who this machine is: SMBIOS types 0 and 1, firmware's name, boot path, clock.  Everything that is not told
 * stays "". */
void machine_describe(struct machine_info *out, const struct clock_facts *clock);
/* A number that no other run has: firmware's random generator when there is one, mixed with time and the
 * machine's UUID. */
uint64_t machine_run_id(const struct machine_info *m);

#endif
