#include "nvme_internal.h"

/* Commands that the drive asks to send again (fact sheet A7): only where it does not forbid it (DNR) and the
 * reason passes by itself, few times, after the delay that it names, and counted: the completion of the
 * request says how often.  A write is treated like a read: it was answered, so the drive works on it no more.
 * A command that waits keeps its tag, and its request's deadline goes on. */

static const struct {
    uint8_t sct, sc, times;
} transient[] = {
    { 0, 0x06, 1 },                /* internal error: once may be chance */
    { 0, 0x21, NVME_MAX_RETRIES }, /* command interrupted */
    { 0, 0x22, NVME_MAX_RETRIES }, /* transient transport error */
    { 0, 0x82, NVME_MAX_RETRIES }, /* namespace not ready */
    { 3, 0x00, NVME_MAX_RETRIES }, /* internal path error */
    { 3, 0x03, NVME_MAX_RETRIES }, /* path in transition */
    { 3, 0x60, NVME_MAX_RETRIES }, /* controller pathing error */
};

static unsigned times_for(uint32_t status)
{
    for (unsigned i = 0; i < ARRAY_COUNT(transient) && !(status & STATUS_DNR); i++)
        if (transient[i].sct == FIELD_GET(STATUS_SCT, status) &&
            transient[i].sc == FIELD_GET(STATUS_SC, status))
            return transient[i].times;
    return 0;
}

bool nvme_retry_later(struct nvme_lane *l, uint16_t tag, uint32_t status)
{
    const struct nvme_ctrl *c = l->pair->ctrl;
    struct lane_slot *x = &l->slots.slot[l->pair->tags[tag].slot];
    uint32_t index = (uint32_t)FIELD_GET(STATUS_CRD, status);
    uint64_t delay_ms = index ? c->retry_delay[index - 1] * 100ull : 0;

    /* A request that failed already waits for its other commands only. */
    if (x->status != IO_OK || x->retries >= times_for(status) || l->slots.again_count == NVME_MAX_WAITING ||
        delay_ms > NVME_MAX_RETRY_DELAY_MS)
        return false;
    x->retries++;
    l->retry[l->slots.again_count++] =
        (struct nvme_retry){ .due_ns = plat_now_ns() + delay_ms * NS_PER_MS, .tag = tag };
    return true;
}

/* Takes an entry out; the order of the others does not matter. */
static void remove_retry(struct nvme_lane *l, unsigned i) { l->retry[i] = l->retry[--l->slots.again_count]; }

void nvme_retry_due(struct nvme_lane *l)
{
    uint64_t now_ns = plat_now_ns();

    for (unsigned i = l->slots.again_count; i-- > 0;) {
        if (l->retry[i].due_ns > now_ns)
            continue;
        nvme_send_again(l, l->retry[i].tag);
        remove_retry(l, i);
    }
}

void nvme_retry_drop(struct nvme_lane *l, uint16_t slot)
{
    for (unsigned i = l->slots.again_count; i-- > 0;) {
        uint16_t tag = l->retry[i].tag;
        if (l->pair->tags[tag].slot != slot)
            continue;
        remove_retry(l, i);
        nvme_free_tag(l->pair, tag);
        lane_part_done(&l->slots, slot);
    }
}
