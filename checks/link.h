#ifndef CHECKS_LINK_H
#define CHECKS_LINK_H
#include "cards.h"
#include "finding_list.h"
#include "path.h"
#include "smbios.h"

/* Links between slots and cards, rows P1-P13 of fact sheet pin-check 4.2, and what a link can carry (4.3). */

/* Bytes per second that one direction carries with that payload size, protocol overhead taken off; 0: not
 * known. */
uint64_t link_ceiling_bytes_per_s(unsigned speed, unsigned width, unsigned payload_bytes);
/* "Gen2 x8", "unknown" */
void link_text(struct text *t, unsigned speed, unsigned width);

/* The narrowest link of a path. */
struct path_ceiling {
    bool known;
    uint64_t bytes_per_s;
    struct hop hop;
    uint8_t speed, width;
    uint16_t payload_bytes;
};
void path_ceiling(const struct pci_facts *f, const struct path *p, struct path_ceiling *out);
/* Parts per thousand of the ceiling that a measured rate is, at most 9999; at or above LINK_LIMITS the link
 * is what limits. */
enum { LINK_LIMITS_PERMILLE = 900 };
unsigned link_use_permille(const struct path_ceiling *c, uint64_t bytes_per_s);

/* L1: what all disks of the controller read together in one step, against the ceiling.  Nothing when the link
 * is far from its limit, or when more was read than it can carry: then its registers do not tell the truth,
 * as in virtual machines. */
void limit_judge(const struct path_ceiling *c, uint64_t bytes_per_s, const char *subject,
                 struct finding_list *out);

/* One link of the path to `subject`.  watch: what was seen at its far end during sweeps, NULL or without
 * samples when nothing was swept.  Adds one of P1-P5 (or "no link data"), and P7. */
void link_judge(const struct pci_facts *port, const struct pci_facts *device, const struct pci_watch *watch,
                const char *subject, struct finding_list *out);
/* Whether that link ran below what both its ends can do while data moved; false also when nobody looked. */
bool link_is_narrow(const struct pci_facts *port, const struct pci_facts *device,
                    const struct pci_watch *watch);
/* P8, P9: what a function on the path reported during sweeps. */
void errors_judge(const struct pci_facts *f, const struct pci_watch *watch, const char *subject,
                  struct finding_list *out);
/* P10, P12, P13 for one function, before anything runs; d_state is what pci_wake found (it may be awake by
 * now). */
void function_judge(const struct pci_facts *f, unsigned d_state, const char *subject,
                    struct finding_list *out);
/* P11 over a path. */
void payload_judge(const struct pci_facts *f, const struct path *p, const char *subject,
                   struct finding_list *out);
/* P6 for every port: something sits in the slot and nothing answers behind it. */
void slots_judge(const struct pci_facts *f, unsigned count, const struct board_facts *board,
                 struct finding_list *out);

#endif
