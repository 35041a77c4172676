#include "nvme_internal.h"

/* What follows when a command is not answered in time (fact sheet A8): look, abort, reset, give up.  All of
 * it is [any] and every step has its limit.  Buffers stay where they are until CSTS.RDY is 0: until then the
 * device may still write into them. */

void nvme_kill_lanes(struct nvme_ctrl *c, const struct nvme_pair *p)
{
    for (unsigned i = 0; i < c->pair_count; i++)
        if (!p || c->pairs[i] == p)
            c->pairs[i]->broken = true;
    for (struct nvme_lane *l = c->lanes; l; l = l->next) {
        if (p && l->pair != p)
            continue;
        l->base.dead = true;
        l->slots.shut = 1;
        l->slots.again_count = 0;
        if (!l->base.disk->fault.err)
            l->base.disk->fault = c->base.fault;
        lane_slots_lost(&l->slots, IO_LOST, 0);
    }
    for (unsigned i = 0; !p && i < c->base.disk_count; i++)
        if (!c->disks[i]->fault.err)
            c->disks[i]->fault = c->base.fault;
}

/* What the slot's request is to a person. */
static const char *noun_of(const struct nvme_lane *l, uint16_t slot)
{
    static const char *const noun[] = { [IO_READ] = "read", [IO_WRITE] = "write", [IO_FLUSH] = "flush" };
    uint8_t op = l->slots.slot[slot].op;

    return noun[op <= IO_FLUSH ? op : IO_READ];
}

/* The slot has commands with the device. */
static bool in_flight(const struct nvme_lane *l, uint16_t slot)
{
    return l->slots.slot[slot].parts_in_flight != 0;
}

/* Aborts each command of the slot and waits for them to come back, one second in all. */
static int abort_slot(struct nvme_ctrl *c, struct nvme_lane *l, uint16_t slot)
{
    struct nvme_pair *p = l->pair;
    uint64_t start_ns = plat_now_ns();
    int rc;

    for (uint32_t tag = 0; tag < p->tag_count && in_flight(l, slot); tag++) {
        const struct nvme_tag *t = &p->tags[tag];
        if (t->lane != l || t->slot != slot || !nvme_tag_in_flight(t))
            continue;
        if (plat_now_ns() - start_ns > NVME_ABORT_LIMIT_MS * NS_PER_MS)
            break;
        if ((rc = nvme_abort(c, p->qid, (uint16_t)tag)))
            return rc;
        nvme_reap_pair(p);
    }
    while (!p->broken && in_flight(l, slot)) {
        if (plat_now_ns() - start_ns > NVME_ABORT_LIMIT_MS * NS_PER_MS)
            return NOTE(E_TIMEOUT, "aborted command to come back", slot, 0);
        nvme_wait_step(start_ns);
        nvme_reap_pair(p);
    }
    return OK;
}

/* Everything in flight on the controller is lost; afterwards it works as after attach. */
static int reset(struct nvme_ctrl *c)
{
    unsigned granted = 0;
    int rc;

    if ((rc = nvme_disable(c)))
        return rc;
    for (struct nvme_lane *l = c->lanes; l; l = l->next) {
        l->slots.again_count = 0;
        lane_slots_lost(&l->slots, IO_LOST, 0);
    }
    if ((rc = nvme_enable(c)))
        return rc;
    if ((rc = nvme_set_queue_count(c, c->pair_limit, &granted, NVME_LADDER_LIMIT_MS)) && rc != E_REFUSED)
        return rc;
    for (unsigned i = 0; i < c->pair_count; i++)
        if ((rc = nvme_create_pair(c, c->pairs[i], NVME_LADDER_LIMIT_MS)))
            return FAULT(&c->base.fault, rc, "I/O queue pair after a reset", c->pairs[i]->qid, granted);
    nvme_settings_again(c);
    return OK;
}

/* The controller is stopped so that nothing more lands in memory.  One that was up until now is then enabled
 * once more, without I/O queues: only then can detach shut it down in order. */
static void give_up(struct nvme_ctrl *c, const char *why)
{
    bool was_up = c->ours;

    FAULT(&c->base.fault, E_TIMEOUT, why, c->resets, NVME_MAX_RESETS);
    controller_remark(&c->base, REMARK_FAIL, "given up: %s (%s)", why, err_text(c->base.fault.err));
    if (!nvme_disable(c) && was_up)
        nvme_enable(c);
    nvme_kill_lanes(c, NULL);
}

/* Looks at the registers, then at the queue.  True: nothing more is to be done. */
static bool look(struct nvme_ctrl *c, struct nvme_lane *l, uint16_t slot, uint32_t csts)
{
    if (csts == UINT32_MAX) {
        FAULT(&c->base.fault, E_GONE, "CSTS reads all ones", csts, CSTS_RDY);
        controller_remark(&c->base, REMARK_FAIL, "%s: the controller left the bus", l->base.disk->name);
        lane_slot_failed(&l->slots, slot, IO_TIMED_OUT, 0, l->slots.slot[slot].next_lba);
        c->ours = c->may_dma = false;
        nvme_kill_lanes(c, NULL);
        return true;
    }
    nvme_reap_pair(l->pair);
    if (l->pair->broken)
        return true;
    if (in_flight(l, slot) || l->slots.slot[slot].queued)
        return false;
    controller_remark(&c->base, REMARK_WARN, "%s: an answer came just after its deadline",
                      l->base.disk->name);
    return true;
}

void nvme_expire(struct io_lane *base, unsigned slot_number)
{
    struct nvme_lane *l = (struct nvme_lane *)base;
    struct nvme_ctrl *c = l->pair->ctrl;
    uint16_t slot = (uint16_t)slot_number;
    const char *name = l->base.disk->name, *noun;
    struct lane_slot *x = slot_number < l->base.depth ? &l->slots.slot[slot] : NULL;

    if (!x || l->base.dead || !x->busy || (!x->queued && !x->parts_in_flight))
        return;
    noun = noun_of(l, slot);
    uint32_t csts = plat_read32(&c->regs, NVME_CSTS);
    if (look(c, l, slot, csts))
        return;
    lane_slot_failed(&l->slots, slot, IO_TIMED_OUT, 0, x->next_lba);
    nvme_retry_drop(l, slot);
    if (!in_flight(l, slot)) {
        controller_remark(&c->base, REMARK_WARN,
                          "%s: a %s waited past its deadline for room in the queue or for its repetition",
                          name, noun);
        return;
    }
    if (csts & CSTS_CFS) {
        controller_remark(&c->base, REMARK_FAIL,
                          "%s: a %s is not answered and the controller reports a fatal "
                          "error (CSTS 0x%x)",
                          name, noun, csts);
    } else {
        controller_remark(&c->base, REMARK_WARN, "%s: a %s is not answered: aborting it", name, noun);
        if (!abort_slot(c, l, slot) && !l->pair->broken) {
            controller_remark(&c->base, REMARK_WARN, "%s: the %s came back after its abort", name, noun);
            return;
        }
        if (l->pair->broken)
            return;
    }
    if (c->resets >= NVME_MAX_RESETS) {
        give_up(c, "a command was not answered again after a controller reset");
        return;
    }
    controller_remark(&c->base, REMARK_FAIL,
                      "%s: %sresetting the controller, all requests in flight are lost", name,
                      csts & CSTS_CFS ? "" : "the abort did not help: ");
    c->resets++;
    if (reset(c))
        give_up(c, "the controller did not come back from a reset");
    else
        controller_remark(&c->base, REMARK_WARN, "%s: the controller works again after its reset", name);
}

/* Not one of the resets that the ladder may try: nothing was wrong. */
int nvme_lane_reset(struct io_lane *base, struct text *instead)
{
    struct nvme_lane *l = (struct nvme_lane *)base;
    struct nvme_ctrl *c = l->pair->ctrl;

    (void)instead;
    if (c->base.fault.err)
        return c->base.fault.err;
    for (const struct nvme_lane *o = c->lanes; o; o = o->next)
        for (unsigned slot = 0; slot < o->base.depth; slot++)
            if (o != l || l->slots.slot[slot].busy)
                return E_AGAIN;
    if (reset(c)) {
        give_up(c, "the controller did not come back from a reset between writing and reading back");
        return c->base.fault.err;
    }
    controller_remark(&c->base, REMARK_INFO, "reset on request between writing and reading back");
    return OK;
}
