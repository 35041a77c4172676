#ifndef CHECKS_PATH_H
#define CHECKS_PATH_H
#include "pci/pci.h"
#include "text.h"

/* The way from the root complex to a function, over bridges, as indexes into the caller's list of functions.
 */

enum { PATH_MAX = 12, NO_FUNCTION = 0xffff };
struct path {
    uint16_t at[PATH_MAX]; /* root first, the function itself last */
    unsigned count;
};
/* A function on a root bus has a path of one.  Bridges that lead in a circle end the path. */
void path_find(const struct pci_facts *f, unsigned count, unsigned function, struct path *out);
/* Index of a function by its address; NO_FUNCTION. */
unsigned path_function(const struct pci_facts *f, unsigned count, uint16_t segment, uint8_t bus,
                       uint8_t device, uint8_t function);

/* A link is what lies between a root or downstream port and the next function of a path. */
struct hop {
    uint16_t port, device;
};
unsigned path_hops(const struct pci_facts *f, const struct path *p, struct hop out[PATH_MAX]);

void path_address_text(const struct pci_facts *f, char *buf, size_t cap); /* "0000:05:00.0" */

#endif
