#include "ahci_internal.h"
#include "str.h"

/* The adapter: from whatever firmware left to listed disks, and back (fact sheet B2). */

enum { ABAR = 5, PCI_COMMAND = 0x04, PCI_COMMAND_MASTER = 0x04 };
#define CLASS_SATA_AHCI 0x010601u
#define CLASS_RAID      0x0104u

/* ---- whose is it ---- */
static int enter_ahci_mode(struct ahci_hba *h)
{
    uint32_t ghc = 0;

    for (unsigned i = 0; i < AHCI_ENABLE_TRIES; i++) {
        ghc = plat_read32(&h->mmio, AHCI_GHC);
        if (ghc == UINT32_MAX)
            return FAULT(&h->c.fault, E_GONE, "GHC reads all ones", ghc, GHC_AE);
        if (ghc & GHC_AE)
            return OK;
        if (i)
            plat_stall_us(AHCI_ENABLE_PAUSE_US);
        plat_write32(&h->mmio, AHCI_GHC, ghc | (uint32_t)GHC_AE);
        ghc = plat_read32(&h->mmio, AHCI_GHC);
        if (ghc & GHC_AE)
            return OK;
    }
    return FAULT(&h->c.fault, E_TIMEOUT, "GHC.AE", ghc, GHC_AE);
}

/* A firmware that holds on is noted and overruled: its driver was disconnected, nobody else is here. */
static void take_ownership(struct ahci_hba *h)
{
    uint32_t bohc;

    if (h->version < VS_1_2 || !(plat_read32(&h->mmio, AHCI_CAP2) & CAP2_BOH))
        return;
    bohc = plat_read32(&h->mmio, AHCI_BOHC);
    if (bohc & BOHC_OOS)
        return;
    plat_write32(&h->mmio, AHCI_BOHC, bohc | (uint32_t)BOHC_OOS);
    h->owned = true;
    if (!ahci_wait_for(&h->mmio, AHCI_BOHC, BOHC_BOS, 0, ahci_wait_ms(FIRMWARE_LETS_GO_MS), &bohc))
        return;
    if (bohc & BOHC_BB &&
        !ahci_wait_for(&h->mmio, AHCI_BOHC, BOHC_BOS, 0, ahci_wait_ms(FIRMWARE_BUSY_MS), &bohc))
        return;
    NOTE(E_TIMEOUT, "BOHC.BOS to fall: the firmware does not let go of the adapter", bohc, BOHC_OOS);
}

/* ---- reset ---- */
/* One engine (`on` and its `running` bit) of all ports, which wait together.  False: not all stopped in time.
 */
static bool stop_everything(struct ahci_hba *h, uint32_t on, uint32_t running)
{
    struct ahci_wait w = ahci_wait_ms(ENGINE_STOP_MS);
    bool stopped = true;
    uint32_t got;

    for (unsigned i = 0; i < h->port_count; i++) {
        uint32_t cmd = px_read(&h->port[i], PX_CMD);
        /* The receive engine may only go after the command engine. */
        if (cmd & on && (on == CMD_ST || !(cmd & CMD_CR)))
            px_write(&h->port[i], PX_CMD, cmd & ~(on | (uint32_t)CMD_ICC));
    }
    for (unsigned i = 0; i < h->port_count; i++) {
        const struct ahci_port *p = &h->port[i];
        if (!ahci_wait_for(&h->mmio, p->regs + PX_CMD, running, 0, w, &got))
            continue;
        NOTE(E_TIMEOUT, "engine of a port to stop", got, p->number);
        stopped = false;
    }
    return stopped;
}

/* Commands first, then reception.  What does not stop is left to a reset. */
static bool stop_all_ports(struct ahci_hba *h)
{
    bool commands = stop_everything(h, CMD_ST, CMD_CR);

    return stop_everything(h, CMD_FRE, CMD_FR) && commands;
}

static int reset(struct ahci_hba *h)
{
    uint32_t ghc;
    int rc;

    plat_write32(&h->mmio, AHCI_GHC, (uint32_t)(GHC_AE | GHC_HR));
    rc = ahci_wait_for(&h->mmio, AHCI_GHC, GHC_HR, 0, ahci_wait_ms(HBA_RESET_MS), &ghc);
    if (rc)
        return FAULT(&h->c.fault, rc, "GHC.HR to fall", ghc, 0);
    rc = enter_ahci_mode(h);
    if (rc)
        return rc;
    plat_write32(&h->mmio, AHCI_GHC, (uint32_t)GHC_AE);
    /* Some chips forget in a reset what only firmware can know. */
    if (plat_read32(&h->mmio, AHCI_CAP) != h->cap)
        plat_write32(&h->mmio, AHCI_CAP, h->cap);
    if (plat_read32(&h->mmio, AHCI_PI) != h->pi)
        plat_write32(&h->mmio, AHCI_PI, h->pi);
    return OK;
}

/* ---- what it is ---- */
/* Ports whose registers the BAR does not hold do not exist, whatever PI says. */
static uint32_t ports_in_bar(const struct ahci_hba *h)
{
    size_t n = (h->mmio.len_bytes - AHCI_PORT_BASE) / AHCI_PORT_STRIDE;

    return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

static int read_capabilities(struct ahci_hba *h)
{
    uint32_t cap = plat_read32(&h->mmio, AHCI_CAP), pi = plat_read32(&h->mmio, AHCI_PI);
    unsigned n = (unsigned)FIELD_GET(CAP_NP, cap) + 1;

    h->version = plat_read32(&h->mmio, AHCI_VS);
    if (cap == UINT32_MAX && h->version == UINT32_MAX)
        return FAULT(&h->c.fault, E_GONE, "registers of the adapter read all ones", cap, 0);
    h->cap = cap;
    /* A firmware that never said which ports exist: the count is all there is. */
    h->pi = pi ? pi : n >= 32 ? UINT32_MAX : (1u << n) - 1;
    if (h->pi & ~ports_in_bar(h)) {
        controller_remark(&h->c, REMARK_WARN,
                          "ports 0x%08x are said to exist but lie outside the register window",
                          (unsigned)(h->pi & ~ports_in_bar(h)));
        h->pi &= ports_in_bar(h);
    }
    h->slots = (unsigned)FIELD_GET(CAP_NCS, cap) + 1;
    h->s64a = cap & CAP_S64A;
    h->sclo = cap & CAP_SCLO;
    h->sncq = cap & CAP_SNCQ;
    h->sss = cap & CAP_SSS;
    str_fmt(h->c.model, sizeof h->c.model, "AHCI %u.%u%s%.*u adapter %04x:%04x", (unsigned)(h->version >> 16),
            (unsigned)(h->version >> 8 & 0xff), h->version & 0xff ? "." : "", h->version & 0xff ? 1 : 0,
            (unsigned)(h->version & 0xff), h->c.fn->vendor_id, h->c.fn->device_id);
    return OK;
}

/* Intel's RST remapping hides NVMe drives behind this function (fact sheet A13). */
static void look_for_hidden_drives(struct ahci_hba *h)
{
    uint64_t hidden;

    if (h->c.fn->vendor_id != 0x8086 || h->mmio.len_bytes < AHCI_REMAP_CAP + 4 ||
        !(plat_read32(&h->mmio, AHCI_VSCAP) & VSCAP_REMAP))
        return;
    hidden = FIELD_GET(REMAP_CAP_N, plat_read32(&h->mmio, AHCI_REMAP_CAP));
    if (hidden)
        controller_remark(
            &h->c, REMARK_WARN,
            "%u NVMe drives hide behind this adapter (Intel RST): switch the firmware to AHCI mode",
            (unsigned)bit_count_u32((uint32_t)hidden));
}

/* ---- ports ---- */
static int build_ports(struct ahci_hba *h)
{
    struct dma_limits lim = { .highest_address = h->s64a ? 0 : UINT32_MAX, .align_bytes = 4096 };
    unsigned n = (unsigned)bit_count_u32(h->pi), at = 0;
    int rc;

    if (!n)
        return FAULT(&h->c.fault, E_PROTO, "ports of the adapter", h->pi, 1);
    h->port = plat_alloc(n * sizeof *h->port);
    if (!h->port)
        return FAULT(&h->c.fault, E_NOMEM, "records of the ports", 0, n * sizeof *h->port);
    rc = plat_dma_alloc(h->c.fn, n * sizeof(struct ahci_port_memory), &lim, &h->mem);
    if (rc)
        return FAULT(&h->c.fault, rc, "memory of the ports", 0, n * sizeof(struct ahci_port_memory));
    for (unsigned number = 0; number < AHCI_MAX_PORTS; number++) {
        if (!(h->pi >> number & 1))
            continue;
        struct ahci_port *p = &h->port[at];
        p->hba = h;
        p->mmio = &h->mmio;
        p->number = number;
        p->regs = AHCI_PORT_BASE + number * AHCI_PORT_STRIDE;
        p->mem = (struct ahci_port_memory *)h->mem.cpu + at;
        p->mem_bus = h->mem.bus + at * sizeof(struct ahci_port_memory);
        for (unsigned i = 0; i < AHCI_MAX_SLOTS; i++)
            p->mem->header[i].table_bus = p->mem_bus + offsetof(struct ahci_port_memory, table[i]);
        p->disk.controller = &h->c;
        str_fmt(p->disk.name, sizeof p->disk.name, "%s.%u", h->c.name, number);
        at++;
    }
    h->port_count = n;
    return OK;
}

/* What a signature says, and what is done about it.  NULL words: a disk. */
static const struct {
    uint32_t signature;
    int level;
    const char *words;
} signatures[] = {
    { SIG_ATA, REMARK_INFO, NULL },
    { SIG_ATAPI, REMARK_INFO, "an optical or tape drive (ATAPI): not tested" },
    { SIG_ENCLOSURE, REMARK_INFO, "an enclosure management device: nothing to test" },
    { SIG_MULTIPLIER, REMARK_WARN, "a port multiplier: the drives behind it are not driven" },
    { SIG_ZAC, REMARK_WARN, "a host-managed zoned disk (ZAC): not driven" },
};

static bool is_disk(struct ahci_port *p)
{
    for (unsigned i = 0; i < ARRAY_COUNT(signatures); i++) {
        if (signatures[i].signature != p->signature)
            continue;
        if (signatures[i].words)
            controller_remark(&p->hba->c, signatures[i].level, "port %u: %s", p->number, signatures[i].words);
        return !signatures[i].words;
    }
    controller_remark(&p->hba->c, REMARK_WARN, "port %u: an unknown device (signature 0x%08x): not driven",
                      p->number, (unsigned)p->signature);
    return false;
}

/* A port without a readable disk rests.  The receive engine of an empty one stops by itself; detach makes
 * sure. */
static void rest(struct ahci_port *p)
{
    uint32_t cmd = px_read(p, PX_CMD);

    if (p->state == PORT_READY)
        ahci_port_stop(p, true);
    else
        px_write(p, PX_CMD, cmd & (uint32_t) ~(CMD_FRE | CMD_ICC));
}

static void list_disks(struct ahci_hba *h)
{
    h->c.disks = h->disk;
    for (unsigned i = 0; i < h->port_count; i++) {
        struct ahci_port *p = &h->port[i];

        if (p->state == PORT_READY && is_disk(p)) {
            ahci_identify(p);
            h->disk[h->c.disk_count++] = &p->disk;
            p->listed = true;
        }
        if (!p->disk.ops)
            rest(p);
    }
}

/* ---- back to the firmware ---- */
/* Nothing moves and nothing points at our memory.  False: some engine does not stop even by a reset. */
static bool quiesce(struct ahci_hba *h)
{
    uint32_t ghc = plat_read32(&h->mmio, AHCI_GHC);
    bool stopped;

    if (ghc == UINT32_MAX)
        return true;
    /* A reset that never ends, or no AHCI mode after it: port registers are not to be touched. */
    if (ghc & GHC_HR || !(ghc & GHC_AE))
        return false;
    stopped = stop_all_ports(h) || reset(h) == OK;
    for (unsigned i = 0; stopped && i < h->port_count; i++) {
        struct ahci_port *p = &h->port[i];

        px_write(p, PX_IE, 0);
        ahci_port_clear_errors(p);
        px_write(p, PX_SCTL, p->found_sctl & (uint32_t)(SCTL_IPM | SCTL_SPD));
        px_write(p, PX_CLB, 0);
        px_write(p, PX_FB, 0);
        if (h->s64a) {
            px_write(p, PX_CLBU, 0);
            px_write(p, PX_FBU, 0);
        }
    }
    return stopped;
}

static void teardown(struct ahci_hba *h)
{
    bool quiet = true;

    if (h->in_ahci_mode) {
        for (unsigned i = 0; h->port && i < h->port_count; i++)
            if (h->port[i].disk.ops)
                ahci_caches_put_back(&h->port[i]);
        quiet = quiesce(h);
        if (h->owned)
            plat_write32(&h->mmio, AHCI_BOHC, plat_read32(&h->mmio, AHCI_BOHC) & (uint32_t)~BOHC_OOS);
        plat_write32(&h->mmio, AHCI_GHC, h->found_ghc & (uint32_t)(GHC_AE | GHC_IE));
    }
    plat_bar_unmap(&h->mmio);
    if (h->enabled)
        plat_pci_release(h->c.fn);
    /* An engine that cannot be stopped must not reach memory that others will own. */
    if (!quiet) {
        uint32_t command = plat_pci_read32(h->c.fn, PCI_COMMAND);
        plat_pci_write32(h->c.fn, PCI_COMMAND, command & 0xffffu & ~(uint32_t)PCI_COMMAND_MASTER);
    }
    while (h->parked) {
        struct ahci_lane *l = h->parked;
        h->parked = l->next;
        ahci_lane_free(l);
    }
    plat_dma_free(&h->mem);
    plat_free(h->port);
    plat_free(h);
}

static int bring_up(struct ahci_hba *h)
{
    int rc;

    if (plat_pci_read32(h->c.fn, 0) == UINT32_MAX)
        return FAULT(&h->c.fault, E_GONE, "config space reads all ones", UINT32_MAX, h->c.fn->vendor_id);
    rc = plat_pci_enable(h->c.fn);
    if (rc)
        return FAULT(&h->c.fault, rc, "memory decoding and bus mastering", 0, 0);
    h->enabled = true;
    rc = plat_bar_map(h->c.fn, ABAR, AHCI_PORT_BASE + AHCI_PORT_STRIDE, &h->mmio);
    if (rc)
        return FAULT(&h->c.fault, rc, "BAR 5", 0, AHCI_PORT_BASE + AHCI_PORT_STRIDE);
    if ((rc = read_capabilities(h)))
        return rc;
    h->found_ghc = plat_read32(&h->mmio, AHCI_GHC);
    if ((rc = enter_ahci_mode(h)))
        return rc;
    h->in_ahci_mode = true;
    take_ownership(h);
    look_for_hidden_drives(h);
    if ((rc = build_ports(h)))
        return rc;
    for (unsigned i = 0; i < h->port_count; i++)
        h->port[i].found_sctl = px_read(&h->port[i], PX_SCTL);
    stop_all_ports(h);
    if ((rc = reset(h)))
        return rc;
    return ahci_scan(h);
}

static int attach(const struct pci_fn *fn, unsigned index, struct controller **out, struct fault *fault)
{
    struct ahci_hba *h;
    int rc;

    *out = NULL;
    if (fn->class_code >> 8 == CLASS_RAID)
        return FAULT(fault, E_UNSUPPORTED, "class of an AHCI adapter (this one is in RAID mode)",
                     fn->class_code, CLASS_SATA_AHCI);
    h = plat_alloc(sizeof *h);
    if (!h)
        return FAULT(fault, E_NOMEM, "record of the adapter", 0, sizeof *h);
    h->c.driver = &ahci_driver;
    h->c.fn = fn;
    str_fmt(h->c.name, sizeof h->c.name, "sata%u", index);
    rc = bring_up(h);
    if (rc) {
        *fault = h->c.fault;
        teardown(h);
        return rc;
    }
    list_disks(h);
    *out = &h->c;
    return OK;
}

static void detach(struct controller *c) { teardown(ahci_hba(c)); }

const struct controller_driver ahci_driver = { .name = "ahci",
                                               .attach = attach,
                                               .detach = detach,
                                               .health = ahci_health,
                                               .self_test = &ahci_self_test_ops,
                                               .look_around = ahci_look_around };
