#include <stdio.h>
#include <stdlib.h>
#include "model_ahci.h"
#include "model_options.h"

enum { ADAPTER, DISK };

static bool create(struct model_under *u)
{
    struct model_ahci *m = malloc(sizeof *m);

    u->dev = m;
    if (!m)
        return false;
    model_ahci_init(m);
    u->scope[ADAPTER] = m;
    u->medium = &m->medium;
    return true;
}

static const char *add_disk(struct model_under *u, const char *value)
{
    uint64_t v[2] = { 0, 1u << 21 };

    if (!model_numbers(value, v, 2) || v[0] >= MODEL_AHCI_PORTS || !v[1] || v[1] >> 48)
        return "PORT[:BLOCKS] is wanted";
    u->scope[DISK] = model_ahci_add_disk(u->dev, (unsigned)v[0], v[1]);
    u->unit = (uint32_t)v[0];
    return NULL;
}

static const char *image(struct model_under *u, const char *value)
{
    struct model_ahci_drive *d = u->scope[DISK];
    const char *why;
    uint64_t bytes;

    if (!d)
        return "of a disk that was not made yet";
    bytes = model_open_image(u, value, d->sector_bytes, &why);
    d->lba_count = bytes / d->sector_bytes;
    return why;
}

static const char *bad(struct model_under *u, const char *value)
{
    struct model_ahci_drive *d = u->scope[DISK];
    uint64_t v[2] = { 0, 1 };

    if (!d || !model_numbers(value, v, 2) || !v[1])
        return "after a disk LBA[:BLOCKS] is wanted";
    for (unsigned i = 0; i < MODEL_AHCI_BAD_LBAS; i++)
        if (!d->bad[i].count) {
            d->bad[i].first = v[0];
            d->bad[i].count = v[1];
            return NULL;
        }
    return "more bad ranges than the model has room for";
}

static const char *attribute(struct model_under *u, const char *value)
{
    struct model_ahci_attribute *a;
    uint64_t v[2];

    if (!u->scope[DISK] || model_numbers(value, v, 2) != 2 || !v[0] || v[0] > 0xff)
        return "after a disk ID:RAW is wanted";
    a = model_ahci_attribute(u->scope[DISK], (uint8_t)v[0]);
    if (!a)
        return "more attributes than the model has room for";
    a->raw = v[1];
    return NULL;
}

#define OF_ADAPTER(field) MODEL_OPTION(#field, ADAPTER, struct model_ahci, field)
#define OF_DISK(field)    MODEL_OPTION(#field, DISK, struct model_ahci_drive, field)
static const struct model_option options[] = {
    MODEL_CALL("disk", add_disk),
    MODEL_CALL("image", image),
    MODEL_CALL("bad", bad),
    MODEL_CALL("attribute", attribute),
    MODEL_CALL("fault", model_add_fault),
    MODEL_CALL("permit", model_permit),
    MODEL_CALL("wraps", model_wraps),
    OF_ADAPTER(vendor_id),
    OF_ADAPTER(device_id),
    OF_ADAPTER(pi),
    OF_ADAPTER(np),
    OF_ADAPTER(slots),
    OF_ADAPTER(iss),
    OF_ADAPTER(sss),
    OF_ADAPTER(sclo),
    OF_ADAPTER(bohc),
    OF_ADAPTER(bohc_busy),
    OF_ADAPTER(bohc_ns),
    OF_ADAPTER(hr_ns),
    OF_ADAPTER(pi_lost_by_reset),
    OF_ADAPTER(cr_ns),
    OF_ADAPTER(foreign_driver),
    OF_DISK(kind),
    OF_DISK(speed),
    OF_DISK(speed_that_works),
    OF_DISK(det_ns),
    OF_DISK(ready_ns),
    OF_DISK(ready_after_comreset_ns),
    OF_DISK(deaf_to_srst),
    OF_DISK(model),
    OF_DISK(serial),
    OF_DISK(firmware),
    OF_DISK(lba_count),
    OF_DISK(sector_bytes),
    OF_DISK(physical_exponent),
    OF_DISK(queue_depth),
    OF_DISK(rotation_rpm),
    OF_DISK(wwn),
    OF_DISK(native_lba_count),
    OF_DISK(latency_ns),
    OF_DISK(ooo_step_ns),
    OF_DISK(bad_once),
    OF_DISK(abort_without_unc),
    OF_DISK(log10),
    OF_DISK(log10_tag),
    OF_DISK(nth_lost),
    OF_DISK(nth_wrong_tag),
    OF_DISK(nth_link_drop),
    OF_DISK(drop_ns),
    OF_DISK(nth_serr),
    OF_DISK(serr_bits),
    OF_DISK(nth_abort),
    OF_DISK(nth_vanish),
    OF_DISK(nth_interface_error),
    OF_DISK(nth_slow),
    OF_DISK(slow_ns),
    OF_DISK(standby),
    OF_DISK(wake_ns),
    OF_DISK(puis),
    OF_DISK(smart_failing),
    OF_DISK(smart_hangs),
    OF_DISK(self_test_ns),
    OF_DISK(self_test_lba),
    OF_DISK(self_test_code),
    OF_DISK(statistics),
    OF_DISK(may_switch_caches),
    { 0 },
};

static struct model_host *host(void *dev) { return &((struct model_ahci *)dev)->host; }

static void report(void *dev)
{
    const struct model_ahci *m = dev;

    printf(",\"hba_resets\":%lu,\"ports\":{", m->hba_resets);
    for (unsigned i = 0, shown = 0; i < MODEL_AHCI_PORTS; i++) {
        const struct model_ahci_seen *s = &m->port[i].seen;

        if (m->port[i].drive.kind == MODEL_AHCI_NOTHING)
            continue;
        printf("%s\"%u\":{\"reads\":%lu,\"queued_reads\":%lu,\"writes\":%lu,\"media_errors\":%lu",
               shown++ ? "," : "", i, s->reads, s->queued_reads, s->writes, s->media_errors);
        printf(",\"comresets\":%lu,\"soft_resets\":%lu,\"max_in_flight\":%lu,\"log_reads\":%lu", s->comresets,
               s->soft_resets, s->max_in_flight, s->opcodes[0x2f]);
        printf(",\"smart\":%lu,\"refused_writes\":%lu}", s->opcodes[0xb0], s->refused_writes);
    }
    printf("}");
}

static void destroy(void *dev)
{
    model_ahci_free(dev);
    free(dev);
}

const struct model_kind kind_ahci = { .name = "ahci",
                                      .ops = &model_ahci_ops,
                                      .options = options,
                                      .create = create,
                                      .host = host,
                                      .report = report,
                                      .free = destroy };
