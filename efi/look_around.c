#include "look_around.h"
#include "record.h"
#include "text.h"

static void report(struct inventory *inv, const struct known_controller *k, unsigned remarks_before)
{
    static const enum finding_level level[] = {
        [REMARK_INFO] = FINDING_INFO, [REMARK_WARN] = FINDING_WARN, [REMARK_FAIL] = FINDING_FAIL
    };
    const struct controller *c = k->driven;
    char words[200];

    for (unsigned i = remarks_before; i < c->remark_count; i++)
        record_finding("driver-remark", level[c->remarks[i].level], c->name, NULL, "%s", c->remarks[i].text);
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
        const struct known_controller *k = &inv->controllers[i];

        if (!k->driven || !k->driven->driver || !k->driven->driver->look_around)
            continue;
        unsigned before = k->driven->remark_count;
        if (k->driven->driver->look_around(k->driven))
            report(inv, k, before);
    }
}
