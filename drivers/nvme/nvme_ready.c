#include "math.h"
#include "nvme_internal.h"

/* Everything here is [any]: the ladder resets a controller from within the I/O loop. */

void nvme_wait_step(uint64_t start_ns)
{
    if (plat_now_ns() - start_ns < 2 * NS_PER_MS)
        plat_relax();
    else
        plat_stall_us(1000);
}

enum csts_wait { WAIT_READY, WAIT_NOT_READY, WAIT_SHUTDOWN };
static const struct {
    uint32_t mask, value;
    const char *what;
} csts_waits[] = {
    [WAIT_READY] = { CSTS_RDY, CSTS_RDY, "CSTS.RDY to become 1" },
    /* Leaving a fatal error takes its time as well, also when RDY was 0 all along. */
    [WAIT_NOT_READY] = { CSTS_RDY | CSTS_CFS, 0, "CSTS.RDY to become 0" },
    [WAIT_SHUTDOWN] = { CSTS_SHST, FIELD_PUT(CSTS_SHST, CSTS_SHST_DONE),
                        "CSTS.SHST to report the end of shutdown" },
};

/* Fails at once when the device left the bus, or when it reports a fatal error that was not there at the
 * start (cfs_before): leaving a fatal error is what a disable is for. */
static int wait_csts(struct nvme_ctrl *c, struct fault *f, enum csts_wait w, uint32_t limit_ms,
                     bool cfs_before)
{
    uint64_t start_ns = plat_now_ns();

    for (;;) {
        uint64_t waited_ns = plat_now_ns() - start_ns;
        uint32_t csts = plat_read32(&c->regs, NVME_CSTS);

        if (csts == UINT32_MAX)
            return FAULT(f, E_GONE, "CSTS reads all ones", csts, csts_waits[w].value);
        if ((csts & csts_waits[w].mask) == csts_waits[w].value) {
            plat_log(LOG_DEBUG, "%s: waited %llu us for %s", c->base.name,
                     (unsigned long long)(waited_ns / NS_PER_US), csts_waits[w].what);
            return OK;
        }
        if ((csts & CSTS_CFS) && !cfs_before)
            return FAULT(f, E_PROTO, "controller fatal status (CSTS.CFS)", csts, csts_waits[w].value);
        if (waited_ns > limit_ms * NS_PER_MS && (csts & CSTS_CFS))
            return FAULT(f, E_PROTO, "controller fatal status (CSTS.CFS) outlives a disable", csts, 0);
        if (waited_ns > limit_ms * NS_PER_MS)
            return FAULT(f, E_TIMEOUT, csts_waits[w].what, csts, csts_waits[w].value);
        nvme_wait_step(start_ns);
    }
}

/* Clearing EN while the controller is still coming up, or shutting down, is undefined: it is waited for. */
static int settle(struct nvme_ctrl *c, uint32_t csts)
{
    if (csts & CSTS_CFS)
        return OK;
    int rc = OK;
    /* One that we enabled and that did not come up has had its time. */
    if (!(csts & CSTS_RDY) && c->may_dma && !c->ours)
        return OK;
    if (!(csts & CSTS_RDY))
        rc = wait_csts(c, NULL, WAIT_READY, c->ready_ms, false);
    else if (FIELD_GET(CSTS_SHST, csts) == CSTS_SHST_BUSY)
        rc = wait_csts(c, NULL, WAIT_SHUTDOWN, c->shutdown_ms, false);
    /* One that never settles is disabled all the same: there is nothing else left to try. */
    return rc == E_GONE ? rc : OK;
}

/* Fact sheet A2 step 1. */
static int disable(struct nvme_ctrl *c, bool settled)
{
    struct fault *f = &c->base.fault;
    uint32_t csts = plat_read32(&c->regs, NVME_CSTS), cc = plat_read32(&c->regs, NVME_CC);
    int rc;

    c->admin.stuck = true;
    for (unsigned i = 0; i < c->pair_count; i++)
        c->pairs[i]->created = false;
    if (csts == UINT32_MAX) {
        c->ours = c->may_dma = false;
        return FAULT(f, E_GONE, "CSTS reads all ones", csts, 0);
    }
    if (cc & CC_EN) {
        if (!settled && (rc = settle(c, csts))) {
            c->ours = c->may_dma = false;
            return FAULT(f, rc, "controller that was waited for before its disable", UINT32_MAX, CSTS_RDY);
        }
        csts = plat_read32(&c->regs, NVME_CSTS);
        plat_write32(&c->regs, NVME_CC, cc & (uint32_t) ~(CC_EN | CC_SHN));
    }
    c->ours = false;
    if (c->quirks & QUIRK_WAIT_BEFORE_READY)
        plat_stall_us(2300000);
    /* One that was told to stop before and did not has had its time. */
    uint32_t limit_ms = (cc & CC_EN) || !c->may_dma ? c->ready_ms : 0;
    if ((rc = wait_csts(c, f, WAIT_NOT_READY, limit_ms, csts & CSTS_CFS))) {
        c->may_dma = c->may_dma && rc != E_GONE;
        return rc;
    }
    c->may_dma = false;
    return OK;
}

int nvme_disable(struct nvme_ctrl *c) { return disable(c, false); }

static void write_address(struct nvme_ctrl *c, uint32_t reg, uint64_t bus)
{
    plat_write32(&c->regs, reg, (uint32_t)bus);
    plat_write32(&c->regs, reg + 4, (uint32_t)(bus >> 32));
}

/* Fact sheet A2 steps 2 and 3. */
int nvme_enable(struct nvme_ctrl *c)
{
    uint32_t css = c->cap & CAP_CSS_SETS ? CC_CSS_ALL : 0;
    uint32_t mps = log2_u64(c->page_bytes) - 12;
    uint32_t aqa =
        (uint32_t)(FIELD_PUT(AQA_ASQS, NVME_ADMIN_ENTRIES - 1) | FIELD_PUT(AQA_ACQS, NVME_ADMIN_ENTRIES - 1));
    uint32_t cc = (uint32_t)(CC_EN | FIELD_PUT(CC_CSS, css) | FIELD_PUT(CC_MPS, mps) |
                             FIELD_PUT(CC_IOSQES, NVME_SQE_SHIFT) | FIELD_PUT(CC_IOCQES, NVME_CQE_SHIFT));
    int rc;

    nvme_admin_reset(c);
    plat_write32(&c->regs, NVME_AQA, aqa);
    write_address(c, NVME_ASQ, c->admin.mem.bus);
    write_address(c, NVME_ACQ,
                  c->admin.mem.bus +
                      ALIGN_UP(NVME_ADMIN_ENTRIES * sizeof(struct nvme_sqe), (uint64_t)c->page_bytes));
    c->may_dma = true;
    plat_dma_publish();
    plat_write32(&c->regs, NVME_CC, cc);
    if ((rc = wait_csts(c, &c->base.fault, WAIT_READY, c->ready_ms, false)))
        return rc;
    c->ours = true;
    c->admin.stuck = false;
    return OK;
}

/* Fact sheet A9.  Without the notification the drive counts an unsafe shutdown at the next power-off. */
void nvme_stop(struct nvme_ctrl *c)
{
    uint32_t csts = plat_read32(&c->regs, NVME_CSTS);

    if (csts == UINT32_MAX) {
        c->ours = c->may_dma = false;
        return;
    }
    uint32_t cc = plat_read32(&c->regs, NVME_CC);
    bool running = (cc & CC_EN) && !(csts & CSTS_CFS);
    if (running && !settle(c, csts) && (plat_read32(&c->regs, NVME_CSTS) & CSTS_RDY)) {
        if (c->ours) {
            nvme_settings_end(c);
            nvme_delete_pairs(c);
        }
        cc = (cc & (uint32_t)~CC_SHN) | (uint32_t)FIELD_PUT(CC_SHN, CC_SHN_NORMAL);
        plat_write32(&c->regs, NVME_CC, cc);
        wait_csts(c, NULL, WAIT_SHUTDOWN, c->shutdown_ms, false);
    }
    disable(c, running);
}
