#include "ahci_internal.h"

/* All ports at once: what waits for a drive waits for all of them together (fact sheet B2.7 to B2.9). */

static void enter_linking(struct ahci_port *p)
{
    uint64_t now_ns = plat_now_ns();

    p->state = PORT_LINKING;
    p->give_up_ns = now_ns + NOBODY_THERE_MS * NS_PER_MS;
    p->nudge_ns = now_ns + LINK_UP_MS * NS_PER_MS;
}

static void enter_settling(struct ahci_port *p)
{
    uint64_t now_ns = plat_now_ns();

    p->state = PORT_SETTLING;
    if (!p->settling_since_ns)
        p->settling_since_ns = now_ns;
    p->nudge_ns = now_ns + SPIN_UP_NUDGE_MS * NS_PER_MS;
    /* Anew after the one nudge: some drives start all over. */
    p->ready_by_ns = now_ns + SPIN_UP_MS * NS_PER_MS;
}

static void fail(struct ahci_port *p, const char *what, uint32_t value)
{
    p->state = PORT_FAILED;
    controller_remark(&p->hba->c, REMARK_WARN, "port %u: %s (0x%x)", p->number, what, (unsigned)value);
}

/* DET 1: somebody is there, the two do not agree on a speed.  Each try is one generation slower. */
static void slow_down(struct ahci_port *p, uint32_t ssts)
{
    unsigned fastest = (unsigned)FIELD_GET(CAP_ISS, p->hba->cap);
    unsigned now = p->speed_limit ? p->speed_limit : fastest < 1 || fastest > 3 ? 3 : fastest;

    if (now <= 1) {
        fail(p, "a device answers but no link comes up: check cable, connector and backplane; PxSSTS", ssts);
        return;
    }
    p->speed_limit = (uint8_t)(now - 1);
    ahci_port_pulse(p);
    enter_linking(p);
}

static void step_linking(struct ahci_port *p)
{
    uint32_t ssts = px_read(p, PX_SSTS);
    uint64_t now_ns = plat_now_ns();

    switch (FIELD_GET(SSTS_DET, ssts)) {
    case DET_PRESENT:
        enter_settling(p);
        return;
    case DET_NOTHING:
        if (now_ns < p->give_up_ns)
            return;
        if (p->nudged)
            fail(p, "the link went away while the drive was starting; PxSSTS", ssts);
        else
            p->state = PORT_EMPTY;
        return;
    case DET_OFFLINE:
        fail(p, "the port's PHY is offline (disabled or in a self-test); PxSSTS", ssts);
        return;
    default:
        if (now_ns >= p->nudge_ns)
            slow_down(p, ssts);
    }
}

static void nudge(struct ahci_port *p)
{
    p->nudged = true;
    ahci_port_pulse(p);
    enter_linking(p);
    /* Somebody was there: not the short time of an empty port. */
    p->give_up_ns = p->nudge_ns;
}

static void step_settling(struct ahci_port *p)
{
    uint32_t tfd = px_read(p, PX_TFD), sig = px_read(p, PX_SIG);
    uint64_t now_ns = plat_now_ns();
    bool busy = tfd & (TFD_BSY | TFD_DRQ);

    if (busy && !p->said_slow && now_ns >= p->settling_since_ns + SLOW_START_MS * NS_PER_MS) {
        p->said_slow = true;
        plat_log(LOG_INFO, "%s: the drive is starting, waiting up to %u s", p->disk.name, SPIN_UP_MS / 1000);
    }

    if (!busy && sig != SIG_NONE_YET) {
        if (p->said_slow)
            plat_log(LOG_INFO, "%s: ready after %llu ms", p->disk.name,
                     (unsigned long long)((now_ns - p->settling_since_ns) / NS_PER_MS));
        p->state = PORT_READY;
        p->signature = sig;
        ahci_port_clear_errors(p);
        return;
    }
    if (now_ns >= p->ready_by_ns) {
        if (busy)
            fail(p, "the drive stays busy after power-up; PxTFD", tfd);
        else
            fail(p, "the drive is ready but never said what it is; PxSIG", sig);
        return;
    }
    /* The first FIS can be lost while the receive area was off; COMRESET asks for it again. */
    if (!busy && !p->nudged)
        p->nudge_ns = min_u64(p->nudge_ns, now_ns + NO_SIGNATURE_MS * NS_PER_MS);
    if (!busy && p->nudged)
        p->ready_by_ns = min_u64(p->ready_by_ns, now_ns + NO_SIGNATURE_MS * NS_PER_MS);
    if (!p->nudged && (now_ns >= p->nudge_ns || FIELD_GET(SSTS_DET, px_read(p, PX_SSTS)) != DET_PRESENT))
        nudge(p);
}

static bool waits(const struct ahci_port *p) { return p->state == PORT_LINKING || p->state == PORT_SETTLING; }

static void step(struct ahci_port *p)
{
    if (p->state == PORT_LINKING)
        step_linking(p);
    else if (p->state == PORT_SETTLING)
        step_settling(p);
}

/* The receive area is on before the drive may speak (fact sheet B2.7: FRE before SUD). */
static void receive_on(struct ahci_port *p)
{
    uint64_t list_bus = p->mem_bus + offsetof(struct ahci_port_memory, header);
    uint64_t fis_bus = p->mem_bus + offsetof(struct ahci_port_memory, received);

    px_write(p, PX_CLB, (uint32_t)list_bus);
    px_write(p, PX_FB, (uint32_t)fis_bus);
    if (p->hba->s64a) {
        px_write(p, PX_CLBU, (uint32_t)(list_bus >> 32));
        px_write(p, PX_FBU, (uint32_t)(fis_bus >> 32));
    }
    px_write(p, PX_IE, 0);
    ahci_port_clear_errors(p);
    px_write(p, PX_SCTL, (uint32_t)FIELD_PUT(SCTL_IPM, IPM_NONE));
    plat_dma_publish();
    px_write(p, PX_CMD, (px_read(p, PX_CMD) & (uint32_t) ~(CMD_ICC | CMD_ALPE)) | (uint32_t)CMD_FRE);
}

static void spin_up(struct ahci_port *p)
{
    uint32_t cmd = px_read(p, PX_CMD) & (uint32_t)~CMD_ICC;

    if (cmd & CMD_CPD && !(cmd & CMD_POD))
        px_write(p, PX_CMD, cmd |= (uint32_t)CMD_POD);
    px_write(p, PX_CMD, cmd | (uint32_t)(CMD_SUD | FIELD_PUT(CMD_ICC, ICC_ACTIVE)));
    enter_linking(p);
}

/* CAP.SSS: the box's power supply stands one spin-up at a time. */
static void spin_up_in_turn(struct ahci_hba *h)
{
    for (unsigned i = 0; i < h->port_count; i++) {
        struct ahci_port *p = &h->port[i];
        struct ahci_wait w = ahci_wait_ms(STAGGER_MS);

        spin_up(p);
        do
            step(p);
        while (waits(p) && ahci_wait_more(&w));
    }
}

int ahci_scan(struct ahci_hba *h)
{
    struct ahci_wait w;
    unsigned waiting;

    for (unsigned i = 0; i < h->port_count; i++)
        receive_on(&h->port[i]);
    if (h->sss) {
        spin_up_in_turn(h);
    } else {
        for (unsigned i = 0; i < h->port_count; i++)
            spin_up(&h->port[i]);
    }
    w = ahci_wait_ms(SPIN_UP_NUDGE_MS + SPIN_UP_MS + 5 * LINK_UP_MS);
    do {
        if (plat_read32(&h->mmio, AHCI_GHC) == UINT32_MAX)
            return FAULT(&h->c.fault, E_GONE, "adapter while its drives start", UINT32_MAX, GHC_AE);
        waiting = 0;
        for (unsigned i = 0; i < h->port_count; i++) {
            step(&h->port[i]);
            waiting += waits(&h->port[i]);
        }
    } while (waiting && ahci_wait_more(&w));
    for (unsigned i = 0; waiting && i < h->port_count; i++)
        if (waits(&h->port[i]))
            fail(&h->port[i], "the drive does not come up; PxSSTS", px_read(&h->port[i], PX_SSTS));
    return OK;
}
