#include <stdio.h>
#include <stdlib.h>
#include "model_nvme.h"
#include "model_options.h"

enum { DRIVE, NAMESPACE };

static bool create(struct model_under *u)
{
    struct model_nvme *m = model_nvme_new();

    u->dev = m;
    if (!m)
        return false;
    u->scope[DRIVE] = m;
    u->scope[NAMESPACE] = &m->ns[0];
    u->medium = &m->medium;
    u->unit = 1;
    return true;
}

static const char *add_namespace(struct model_under *u, const char *value)
{
    uint64_t v[3] = { 0, 0, 512 };

    if (model_numbers(value, v, 3) < 2 || !v[0] || v[0] > UINT32_MAX || v[2] < 512 || v[2] > 65536)
        return "NSID:BLOCKS[:LBA_BYTES] is wanted";
    u->scope[NAMESPACE] = model_nvme_add_ns(u->dev, (uint32_t)v[0], v[1], (uint32_t)v[2]);
    u->unit = (uint32_t)v[0];
    return u->scope[NAMESPACE] ? NULL : "more namespaces than the model has room for";
}

static const char *image(struct model_under *u, const char *value)
{
    struct model_nvme_ns *n = u->scope[NAMESPACE];
    const char *why;
    uint64_t bytes = model_open_image(u, value, n->lba_bytes, &why);

    n->nsze = bytes / n->lba_bytes;
    return why;
}

static const char *bad(struct model_under *u, const char *value)
{
    uint64_t v[3] = { 0 };

    if (!model_numbers(value, v, 3) || v[1] > UINT16_MAX || v[2] > UINT32_MAX)
        return "LBA[:STATUS[:TIMES]] is wanted";
    model_nvme_add_bad_lba(u->dev, u->unit, v[0], (uint16_t)v[1], (uint32_t)v[2]);
    return NULL;
}

static const char *lie(struct model_under *u, const char *value)
{
    static const char *const names[] = { "lose",      "stick",      "delay",      "status",     "result",
                                         "bogus-cid", "duplicate",  "wrong-sqid", "wrong-sqhd", "torn",
                                         "no-data",   "wrong-data", "flood",      "fatal",      "vanish" };
    static const char *const queues[] = { "io", "admin" };
    const char *rest;
    unsigned kind = model_find_name(names, sizeof names / sizeof names[0], value, &rest);
    unsigned queue = model_find_name(queues, 2, rest, &rest);
    uint64_t v[4] = { 0 };

    if (kind == sizeof names / sizeof names[0] || queue == 2 || !model_numbers(rest, v, 4) || v[0] > 0xff ||
        v[1] > UINT32_MAX || v[2] > UINT32_MAX)
        return "KIND:io|admin:OPCODE[:SKIP[:TIMES[:ARG]]] is wanted";
    model_nvme_add_lie(u->dev, (struct model_nvme_lie){ .kind = (enum model_nvme_lie_kind)kind,
                                                        .admin = queue,
                                                        .opcode = (int)v[0],
                                                        .skip = (uint32_t)v[1],
                                                        .times = (uint32_t)v[2],
                                                        .arg = v[3] });
    return NULL;
}

#define OF_DRIVE(field)     MODEL_OPTION(#field, DRIVE, struct model_nvme, set.field)
#define OF_NAMESPACE(field) MODEL_OPTION(#field, NAMESPACE, struct model_nvme_ns, field)
static const struct model_option options[] = {
    MODEL_CALL("namespace", add_namespace),
    MODEL_CALL("image", image),
    MODEL_CALL("bad", bad),
    MODEL_CALL("lie", lie),
    MODEL_CALL("fault", model_add_fault),
    MODEL_CALL("permit", model_permit),
    MODEL_CALL("wraps", model_wraps),
    OF_NAMESPACE(nsze),
    OF_NAMESPACE(lba_bytes),
    OF_NAMESPACE(noiob),
    OF_DRIVE(serial),
    OF_DRIVE(model),
    OF_DRIVE(firmware),
    OF_DRIVE(vendor_id),
    OF_DRIVE(device_id),
    OF_DRIVE(link_speed),
    OF_DRIVE(link_width),
    OF_DRIVE(link_speed_max),
    OF_DRIVE(link_width_max),
    OF_DRIVE(mqes),
    OF_DRIVE(to),
    OF_DRIVE(dstrd),
    OF_DRIVE(entry),
    OF_DRIVE(ready_ns),
    OF_DRIVE(unready_ns),
    OF_DRIVE(shutdown_ns),
    OF_DRIVE(admin_ns),
    OF_DRIVE(read_ns),
    OF_DRIVE(write_ns),
    OF_DRIVE(flush_ns),
    OF_DRIVE(jitter_ns),
    OF_DRIVE(reset_keeps_fatal),
    OF_DRIVE(fatal_at_ns),
    OF_DRIVE(vanish_after_accesses),
    OF_DRIVE(mdts),
    OF_DRIVE(oacs),
    OF_DRIVE(oncs),
    OF_DRIVE(lpa),
    OF_DRIVE(vwc),
    OF_DRIVE(apsta),
    OF_DRIVE(apst_on),
    OF_DRIVE(npss),
    OF_DRIVE(rtd3e_us),
    OF_DRIVE(hmpre),
    OF_DRIVE(hmmin),
    OF_DRIVE(hmminds),
    OF_DRIVE(hmmaxd),
    OF_DRIVE(edstt),
    OF_DRIVE(sq_granted),
    OF_DRIVE(cq_granted),
    OF_DRIVE(abort_ignored),
    OF_DRIVE(self_test_ns),
    OF_DRIVE(self_test_result),
    OF_DRIVE(self_test_lba),
    OF_DRIVE(critical_warning),
    OF_DRIVE(spare),
    OF_DRIVE(used),
    OF_DRIVE(temperature_k),
    OF_DRIVE(media_errors),
    OF_DRIVE(unsafe_shutdowns),
    OF_DRIVE(allow_writes),
    OF_DRIVE(foreign_driver),
    { 0 },
};

static struct model_host *host(void *dev) { return &((struct model_nvme *)dev)->host; }
static void power_on(void *dev) { model_nvme_power_on(dev); }

static void report(void *dev)
{
    struct model_nvme *m = dev;
    uint64_t unsafe;

    /* The server ends when the machine has no power any more. */
    model_nvme_power_cycle(m);
    unsafe = m->unsafe_shutdowns - m->set.unsafe_shutdowns;
    printf(",\"unsafe_shutdowns\":%llu,\"power_cycles\":%llu", (unsigned long long)unsafe,
           (unsigned long long)m->power_cycles);
    printf(",\"shutdowns\":%llu,\"enables\":%llu,\"disables\":%llu", (unsigned long long)m->seen.shutdowns,
           (unsigned long long)m->seen.enables, (unsigned long long)m->seen.disables);
    printf(",\"reads\":%llu,\"writes\":%llu,\"flushes\":%llu,\"media_changes\":%llu",
           (unsigned long long)m->seen.reads, (unsigned long long)m->seen.writes,
           (unsigned long long)m->seen.flushes, (unsigned long long)m->seen.media_changes);
    printf(",\"completions\":%llu,\"errors\":%llu,\"aborts\":%llu,\"aborted\":%llu,\"dropped\":%llu",
           (unsigned long long)m->seen.completions, (unsigned long long)m->seen.errors,
           (unsigned long long)m->seen.aborts, (unsigned long long)m->seen.aborted,
           (unsigned long long)m->seen.dropped);
    printf(",\"hmb_grants\":%llu,\"hmb_returns\":%llu", (unsigned long long)m->seen.hmb_grants,
           (unsigned long long)m->seen.hmb_returns);
    printf(",\"in_flight_max\":%u,\"self_tests\":%llu,\"features_set\":%llu", m->seen.in_flight_max,
           (unsigned long long)m->seen.admin[0x14], (unsigned long long)m->seen.features_set);
}

static void destroy(void *dev) { model_nvme_free(dev); }

const struct model_kind kind_nvme = { .name = "nvme",
                                      .ops = &model_nvme_ops,
                                      .options = options,
                                      .create = create,
                                      .host = host,
                                      .power_on = power_on,
                                      .report = report,
                                      .free = destroy };
