#ifndef CHECKS_TOPOLOGY_H
#define CHECKS_TOPOLOGY_H
#include "path.h"

/* Which disks share which controller, link and root: a tree as a list of nodes, each followed by what hangs
 * below it. */

struct topology_controller {
    unsigned function;
    struct path path;
    const char *name, *what;
};
struct topology_disk {
    unsigned controller;
    const char *name, *model;
};
struct topology_node {
    uint8_t depth;
    const char *kind; /* "root", "port", "switch", "bridge", "controller", "disk" */
    char name[24];    /* of controllers and disks */
    char pci_address[16];
    char words[120]; /* the link behind a port, what a controller is, a disk's model */
};
/* Returns how many nodes there are, even when only `capacity` of them were written. */
unsigned topology_build(const struct pci_facts *f, unsigned count,
                        const struct topology_controller *controllers, unsigned controller_count,
                        const struct topology_disk *disks, unsigned disk_count, struct topology_node *out,
                        unsigned capacity);

#endif
