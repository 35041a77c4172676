#include "look_around.h"
#include "record.h"
#include "text.h"

static void report(struct inventory *inv, const struct controller *c)
{
    char words[200];

    for (unsigned i = 0; i < c->disk_count; i++) {
        const struct known_disk *d = inventory_find(inv, c->disks[i]);
        if (!d || !d->wanted || !c->disks[i]->fault.err || d->verdict == VERDICT_FAIL)
            continue;
        struct text t = text_over(words, sizeof words);
        fault_text(&c->disks[i]->fault, &t);
        inventory_disk_finding(inv, c->disks[i], "device-fault", FINDING_FAIL, NULL, "%s", words);
    }
}

void look_around(struct inventory *inv)
{
    for (unsigned i = 0; i < inv->controller_count; i++) {
        struct known_controller *k = &inv->controllers[i];

        if (!k->driven)
            continue;
        if (k->driven->driver->look_around && k->driven->driver->look_around(k->driven))
            report(inv, k->driven);
        /* Also what a driver met while the step ran: aborts, resets, giving up. */
        inventory_tell_remarks(k);
    }
}
