#ifndef EFI_CHECKS_STATE_H
#define EFI_CHECKS_STATE_H
#include "board.h"
#include "checks_run.h"
#include "expect.h"
#include "finding_list.h"
#include "link.h"
#include "topology.h"

/* What checks_run.c and checks_finish.c share. */
enum { CHECKS_MAX_FUNCTIONS = 512, CHECKS_MAX_WATCHED = 128, CHECKS_MAX_FINDINGS = 64 };

struct watched {
    unsigned function;   /* index into facts */
    unsigned controller; /* of the inventory; the first whose path it is on */
    struct pci_watch watch;
};
struct checks_state {
    struct pci_fn functions[CHECKS_MAX_FUNCTIONS];
    struct pci_facts facts[CHECKS_MAX_FUNCTIONS];
    unsigned function_count;
    struct board_facts board;
    bool firmware_first; /* error bits are firmware's to clear */
    struct topology_controller controllers[INVENTORY_MAX_CONTROLLERS];
    struct watched watched[CHECKS_MAX_WATCHED];
    unsigned watched_count, next_sample;
    struct finding findings[CHECKS_MAX_FINDINGS];
    struct finding_list list;
    struct expect_disk expected[INVENTORY_MAX_DISKS];
    struct disk_health health[INVENTORY_MAX_DISKS];
    bool health_known[INVENTORY_MAX_DISKS];
};
extern struct checks_state checks_state;

/* Empties the list; then, what it holds goes into the journal and into the verdicts of disks it names. */
struct finding_list *checks_list(void);
void checks_say(struct inventory *inv);
const char *checks_controller_name(const struct known_controller *c);
struct expect_words checks_words(const struct conf *conf);
/* What each disk says about itself now; false: its driver or the disk does not tell. */
bool checks_read_health(struct disk *d, struct disk_health *out);

#endif
