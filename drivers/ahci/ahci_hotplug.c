#include "ahci_internal.h"

/* Drives that come or go between steps.  While reads are in flight ahci_trouble notices; here it is looked at
 * what nobody was reading. */

static void lost(struct ahci_port *p, int err, const char *words)
{
    controller_remark(&p->hba->c, REMARK_WARN, "%s: %s", p->disk.name, words);
    FAULT(&p->disk.fault, err, words, px_read(p, PX_SSTS), DET_PRESENT);
    ahci_die(p);
}

static bool disk_changed(struct ahci_port *p, uint32_t ssts)
{
    uint32_t serr = px_read(p, PX_SERR), is = px_read(p, PX_IS);
    int rc;

    if (p->disk.fault.err || p->issued | p->pending)
        return false;
    if (FIELD_GET(SSTS_DET, ssts) != DET_PRESENT) {
        lost(p, E_GONE, "the drive was pulled or lost its power between two steps");
        return true;
    }
    if (!(serr & (SERR_PHY_CHANGED | SERR_EXCHANGED)) && !(is & PXIS_LINK))
        return false;
    rc = p->disk.ops ? ahci_reset_drive(p) : E_GONE;
    if (rc)
        lost(p, rc,
             "the link went away between two steps, and what is there now is not taken for the same drive");
    else
        controller_remark(
            &p->hba->c, REMARK_WARN,
            "%s: the link went away between two steps and came back: check seat and power cable",
            p->disk.name);
    return true;
}

static bool somebody_came(struct ahci_port *p, uint32_t ssts)
{
    if (FIELD_GET(SSTS_DET, ssts) != DET_PRESENT)
        return false;
    controller_remark(&p->hba->c, REMARK_INFO,
                      "port %u: a device was plugged in during the run: it is not tested; start again for it",
                      p->number);
    return true;
}

unsigned ahci_look_around(struct controller *c)
{
    struct ahci_hba *h = ahci_hba(c);
    unsigned changes = 0;

    for (unsigned i = 0; i < h->port_count; i++) {
        struct ahci_port *p = &h->port[i];
        uint32_t ssts = px_read(p, PX_SSTS);
        bool changed = false;

        if (p->listed)
            changed = disk_changed(p, ssts);
        else if (p->state == PORT_EMPTY && !p->told_change && ssts != UINT32_MAX)
            changed = p->told_change = somebody_came(p, ssts);
        changes += changed;
    }
    return changes;
}
