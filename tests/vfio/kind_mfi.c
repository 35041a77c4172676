#include <stdio.h>
#include <stdlib.h>
#include "model_mfi.h"
#include "model_options.h"

enum { CARD, VIRTUAL, PHYSICAL };
static const char *const generations[] = { "1078",        "2108",    "xscale",  "skinny",
                                           "thunderbolt", "invader", "ventura", "aero" };
_Static_assert(sizeof generations / sizeof generations[0] == MODEL_MFI_ALL, "a name for each generation");

static bool create(struct model_under *u)
{
    struct model_mfi *m = malloc(sizeof *m);

    u->dev = m;
    if (!m)
        return false;
    model_mfi_init(m, MODEL_MFI_1078);
    u->scope[CARD] = m;
    u->medium = &m->medium;
    return true;
}

static const char *generation(struct model_under *u, const char *value)
{
    struct model_mfi *m = u->dev;
    struct model_host host_was = m->host;
    const char *rest;
    unsigned g = model_find_name(generations, MODEL_MFI_ALL, value, &rest);

    if (g == MODEL_MFI_ALL)
        return "1078, 2108, xscale, skinny, thunderbolt, invader, ventura or aero is wanted";
    if (u->scope[VIRTUAL] || u->scope[PHYSICAL])
        return "comes before all drives";
    model_mfi_init(m, (enum model_mfi_generation)g);
    m->host = host_was;
    return NULL;
}

static const char *add_virtual(struct model_under *u, const char *value)
{
    uint64_t v[2] = { 0, 1u << 21 };

    if (!model_numbers(value, v, 2) || v[0] > 0xff || !v[1])
        return "TARGET[:BLOCKS] is wanted";
    u->scope[VIRTUAL] = model_mfi_add_ld(u->dev, (uint8_t)v[0], v[1]);
    u->unit = (uint32_t)v[0];
    return u->scope[VIRTUAL] ? NULL : "more virtual drives than the model has room for";
}

static const char *add_physical(struct model_under *u, const char *value)
{
    static const char *const names[] = { "online", "jbod", "good", "spare", "failed", "rebuild" };
    static const enum model_mfi_pd_state states[] = { MODEL_MFI_PD_ONLINE, MODEL_MFI_PD_SYSTEM,
                                                      MODEL_MFI_PD_GOOD,   MODEL_MFI_PD_SPARE,
                                                      MODEL_MFI_PD_FAILED, MODEL_MFI_PD_REBUILD };
    const char *rest;
    unsigned state = model_find_name(names, 6, value, &rest);
    uint64_t v[3] = { 0, 0, 1u << 21 };
    struct model_mfi_pd *pd;

    if (state == 6 || model_numbers(rest, v, 3) < 2 || v[0] > 0xfffe || v[1] > 0xff || !v[2])
        return "online|jbod|good|spare|failed|rebuild:ID:SLOT[:BLOCKS] is wanted";
    pd = model_mfi_add_pd(u->dev, (uint16_t)v[0], (uint8_t)v[1], states[state]);
    if (!pd)
        return "more drives than the model has room for";
    pd->medium.blocks = v[2];
    u->scope[PHYSICAL] = pd;
    u->unit = 0x100 + pd->device_id;
    return NULL;
}

/* Of the newest drive, whichever kind it is. */
static struct model_mfi_medium *newest(struct model_under *u)
{
    if (u->unit >= 0x100)
        return &((struct model_mfi_pd *)u->scope[PHYSICAL])->medium;
    return u->scope[VIRTUAL] ? &((struct model_mfi_ld *)u->scope[VIRTUAL])->medium : NULL;
}

static const char *image(struct model_under *u, const char *value)
{
    struct model_mfi_medium *d = newest(u);
    const char *why;
    uint64_t bytes;

    if (!d)
        return "of a drive that was not made yet";
    bytes = model_open_image(u, value, d->block_bytes, &why);
    d->blocks = bytes / d->block_bytes;
    return why;
}

static const char *bad(struct model_under *u, const char *value)
{
    struct model_mfi_medium *d = newest(u);
    uint64_t v[2] = { 0, 1 };

    if (!d || !model_numbers(value, v, 2) || !v[1])
        return "after a drive LBA[:BLOCKS] is wanted";
    for (unsigned i = 0; i < MODEL_MFI_BAD_RANGES; i++)
        if (!d->bad[i].count) {
            d->bad[i].first = v[0];
            d->bad[i].count = v[1];
            return NULL;
        }
    return "more bad ranges than the model has room for";
}

#define OF_CARD(field)    MODEL_OPTION(#field, CARD, struct model_mfi, field)
#define OF_VIRTUAL(field) MODEL_OPTION(#field, VIRTUAL, struct model_mfi_ld, field)
static const struct model_option options[] = {
    MODEL_CALL("generation", generation),
    MODEL_CALL("virtual", add_virtual),
    MODEL_CALL("physical", add_physical),
    MODEL_CALL("image", image),
    MODEL_CALL("bad", bad),
    MODEL_CALL("fault", model_add_fault),
    MODEL_CALL("permit", model_permit),
    MODEL_CALL("wraps", model_wraps),
    OF_VIRTUAL(primary_level),
    OF_VIRTUAL(drives_per_span),
    OF_VIRTUAL(state),
    OF_VIRTUAL(default_policy),
    OF_VIRTUAL(current_policy),
    OF_CARD(product),
    OF_CARD(serial),
    OF_CARD(package),
    OF_CARD(subvendor_id),
    OF_CARD(subdevice_id),
    OF_CARD(max_cmds),
    OF_CARD(latency_ns),
    OF_CARD(init_ns),
    OF_CARD(dcmd_ns),
    OF_CARD(ooo_step_ns),
    OF_CARD(nth_lost),
    OF_CARD(nth_fault),
    OF_CARD(nth_vanish),
    OF_CARD(nth_stray),
    OF_CARD(nth_duplicate),
    OF_CARD(doorbell_busy_ns),
    { 0 },
};

static struct model_host *host(void *dev) { return &((struct model_mfi *)dev)->host; }

static void report(void *dev)
{
    const struct model_mfi_seen *s = &((struct model_mfi *)dev)->seen;

    printf(",\"reads\":%lu,\"writes\":%lu,\"dcmds\":%lu,\"inits\":%lu,\"hand_backs\":%lu", s->reads,
           s->writes, s->dcmds, s->inits, s->hand_backs);
    printf(",\"ld_requests\":%lu,\"pd_requests\":%lu,\"wrapped\":%lu,\"refused_writes\":%lu", s->ld_requests,
           s->pd_requests, s->wrapped, s->refused_writes);
    printf(",\"media_errors\":%lu,\"max_in_flight\":%u,\"operational\":%d", s->media_errors, s->max_in_flight,
           ((struct model_mfi *)dev)->operational);
}

static void destroy(void *dev)
{
    model_mfi_free(dev);
    free(dev);
}

const struct model_kind kind_mfi = { .name = "mfi",
                                     .ops = &model_mfi_ops,
                                     .options = options,
                                     .create = create,
                                     .host = host,
                                     .report = report,
                                     .free = destroy };
