#include "math.h"
#include "nvme_internal.h"
#include "str.h"
#include "text.h"

/* ---- PCI ---- */
enum { PCI_COMMAND = 0x04, PCI_CAPABILITIES = 0x34, PCI_CAP_MSIX = 0x11 };
#define PCI_BUS_MASTER   BIT_(2)
#define PCI_HAS_CAPS     BIT_(20)
#define PCI_MSIX_ENABLED BIT_(31)
#define PCI_CAP_ID       BITS(7, 0)
#define PCI_CAP_NEXT     BITS(15, 8)

static bool msix_enabled(const struct pci_fn *fn)
{
    uint32_t at = plat_pci_read32(fn, PCI_CAPABILITIES) & 0xfc;

    if (!(plat_pci_read32(fn, PCI_COMMAND) & PCI_HAS_CAPS))
        return false;
    /* At most 48 capabilities fit below 256: a longer chain is a loop. */
    for (unsigned i = 0; i < 48 && at >= 0x40; i++) {
        uint32_t head = plat_pci_read32(fn, at);

        if (head == UINT32_MAX)
            return false;
        if (FIELD_GET(PCI_CAP_ID, head) == PCI_CAP_MSIX)
            return head & PCI_MSIX_ENABLED;
        at = (uint32_t)FIELD_GET(PCI_CAP_NEXT, head) & 0xfc;
    }
    return false;
}

/* The last resort against a controller that does not stop: then its memory can be freed. */
static void forbid_dma(const struct pci_fn *fn)
{
    uint32_t command = plat_pci_read32(fn, PCI_COMMAND) & 0xffff;

    /* The upper half is status, cleared by writing ones. */
    plat_pci_write32(fn, PCI_COMMAND, command & (uint32_t)~PCI_BUS_MASTER);
}

/* ---- capabilities ---- */
static uint32_t ready_limit_ms(struct nvme_ctrl *c)
{
    uint64_t units = FIELD_GET(CAP_TO, c->cap);

    /* Some drives fill in CRTO with less than CAP.TO, or with 0: the longer one counts. */
    if (c->cap & CAP_CRMS_WITH_MEDIA)
        units = max_u64(units, FIELD_GET(CRTO_CRWMT, plat_read32(&c->regs, NVME_CRTO)));
    return (uint32_t)(units + 1) * 500;
}

static int read_capabilities(struct nvme_ctrl *c)
{
    struct fault *f = &c->base.fault;
    uint32_t low = plat_read32(&c->regs, NVME_CAP), high = plat_read32(&c->regs, NVME_CAP + 4);
    unsigned page_shift;

    c->cap = (uint64_t)high << 32 | low;
    c->vs = plat_read32(&c->regs, NVME_VS);
    /* Each of these words has bits that are always 0. */
    if (low == UINT32_MAX || high == UINT32_MAX || c->vs == UINT32_MAX)
        return FAULT(f, E_GONE, "CAP or VS reads all ones", c->cap, c->vs);
    c->ready_ms = ready_limit_ms(c);
    c->shutdown_ms = NVME_SHUTDOWN_MIN_MS;
    page_shift = 12 + (unsigned)FIELD_GET(CAP_MPSMIN, c->cap);
    if (page_shift > NVME_MAX_PAGE_SHIFT)
        return FAULT(f, E_UNSUPPORTED, "CAP.MPSMIN: smallest memory page, as a power of two", page_shift,
                     NVME_MAX_PAGE_SHIFT);
    c->page_bytes = 1u << page_shift;
    c->dma = (struct dma_limits){ .align_bytes = c->page_bytes,
                                  .highest_address = c->quirks & QUIRK_DMA_48 ? BITS(47, 0) : 0 };
    if (!(c->cap & CAP_CSS_NVM))
        return FAULT(f, E_UNSUPPORTED, "CAP.CSS: no NVM command set", c->cap, CAP_CSS_NVM);
    c->entries = (uint32_t)FIELD_GET(CAP_MQES, c->cap) + 1;
    if (c->entries == 1 && (c->quirks & QUIRK_MQES_ZERO))
        c->entries = 64;
    if (c->quirks & QUIRK_DEPTH_1)
        c->entries = 2;
    if (c->entries < 2)
        return FAULT(f, E_PROTO, "CAP.MQES: queue entries", c->entries, 2);
    c->entries = (uint32_t)min_u64(c->entries, NVME_MAX_ENTRIES);
    return OK;
}

/* As many pairs as have their doorbells inside the BAR. */
static int place_doorbells(struct nvme_ctrl *c)
{
    c->bell_stride_bytes = 4u << FIELD_GET(CAP_DSTRD, c->cap);
    c->pair_limit = NVME_MAX_PAIRS;
    while (c->pair_limit && nvme_cq_bell(c, c->pair_limit) + 4u > c->regs.len_bytes)
        c->pair_limit--;
    if (!c->pair_limit)
        return FAULT(&c->base.fault, E_LIMIT, "BAR 0 has no room for the doorbells of one queue pair",
                     c->regs.len_bytes, nvme_cq_bell(c, 1) + 4u);
    return OK;
}

/* ---- attach ---- */
static int allocate(struct nvme_ctrl *c)
{
    size_t sq_bytes = ALIGN_UP(NVME_ADMIN_ENTRIES * sizeof(struct nvme_sqe), (size_t)c->page_bytes);
    size_t cq_bytes = NVME_ADMIN_ENTRIES * sizeof(struct nvme_cqe);
    int rc;

    if ((rc = plat_dma_alloc(c->base.fn, sq_bytes + cq_bytes, &c->dma, &c->admin.mem)))
        return FAULT(&c->base.fault, rc, "memory for the admin queue", 0, sq_bytes + cq_bytes);
    c->admin.sqe = c->admin.mem.cpu;
    c->admin.cqe = (struct nvme_cqe *)((uint8_t *)c->admin.mem.cpu + sq_bytes);
    if ((rc = plat_dma_alloc(c->base.fn, 2 * NVME_IDENTIFY_BYTES, &c->dma, &c->scratch)))
        return FAULT(&c->base.fault, rc, "memory for identify data", 0, 2 * NVME_IDENTIFY_BYTES);
    return OK;
}

static int number_queues(struct nvme_ctrl *c)
{
    unsigned granted;
    int rc = nvme_set_queue_count(c, c->pair_limit, &granted, NVME_ADMIN_LIMIT_MS);

    if (rc == E_REFUSED) {
        /* One pair is what every controller with namespaces must have. */
        controller_remark(&c->base, REMARK_INFO, "does not say how many queues it grants: one is used");
        granted = 1;
    } else if (rc) {
        return rc;
    }
    c->pair_limit = (unsigned)min_u64(c->pair_limit, granted);
    plat_log(LOG_INFO, "%s: %u queue pairs granted, %u used, %u entries each", c->base.name, granted,
             c->pair_limit, c->entries);
    return OK;
}

static int bring_up(struct nvme_ctrl *c)
{
    const struct pci_fn *fn = c->base.fn;
    const char *refusal;
    int rc;

    c->quirks = nvme_quirks(fn, &refusal);
    if (refusal)
        return FAULT(&c->base.fault, E_UNSUPPORTED, refusal, fn->vendor_id, fn->device_id);
    if ((rc = plat_pci_enable(fn)))
        return FAULT(&c->base.fault, rc, "PCI function", 0, 0);
    c->pci_enabled = true;
    if ((rc = plat_bar_map(fn, 0, NVME_DOORBELLS + 8, &c->regs)))
        return FAULT(&c->base.fault, rc, "BAR 0", 0, NVME_DOORBELLS + 8);
    if ((rc = read_capabilities(c)) || (rc = place_doorbells(c)) || (rc = allocate(c)))
        return rc;
    if ((rc = nvme_disable(c)))
        return rc;
    /* With MSI-X on, the mask registers must not be touched. */
    if (!msix_enabled(fn))
        plat_write32(&c->regs, NVME_INTMS, UINT32_MAX);
    if ((rc = nvme_enable(c)) || (rc = nvme_find_controller(c)))
        return rc;
    if (c->has_namespaces && ((rc = number_queues(c)) || (rc = nvme_settings_begin(c))))
        return rc;
    return nvme_find_namespaces(c);
}

static void dump_registers(struct nvme_ctrl *c)
{
    static const struct {
        const char *name;
        uint16_t off, bytes;
    } table[] = {
#define R(name, off, bytes, what) { #name, off, bytes },
        NVME_REGS(R)
#undef R
    };
    char words[200];
    struct text t = text_over(words, sizeof words);

    for (unsigned i = 0; i < ARRAY_COUNT(table); i++) {
        text_fmt(&t, " %s=", table[i].name);
        if (table[i].bytes == 8)
            text_hex(&t, plat_read32(&c->regs, table[i].off + 4u), 8);
        text_hex(&t, plat_read32(&c->regs, table[i].off), 8);
    }
    plat_log(LOG_WARN, "%s:%s", c->base.name, words);
}

/* Undoes everything; whatever happened, no memory is freed that the device may still write. */
static void take_down(struct nvme_ctrl *c)
{
    const struct pci_fn *fn = c->base.fn;

    if (c->regs.ctx || c->regs.len_bytes)
        nvme_stop(c);
    bool unstoppable = c->may_dma;
    if (unstoppable)
        forbid_dma(fn);
    while (c->lanes)
        nvme_free_lane(c->lanes);
    nvme_free_pairs(c);
    for (unsigned i = 0; i < c->base.disk_count; i++)
        plat_free(c->disks[i]);
    nvme_hmb_free(c);
    plat_dma_free(&c->admin.mem);
    plat_dma_free(&c->scratch);
    plat_bar_unmap(&c->regs);
    if (c->pci_enabled)
        plat_pci_release(fn);
    /* What the release put back may be firmware's own bus mastering. */
    if (unstoppable)
        forbid_dma(fn);
    plat_free(c);
}

static int nvme_attach(const struct pci_fn *fn, unsigned index, struct controller **out, struct fault *fault)
{
    struct nvme_ctrl *c = plat_alloc(sizeof *c);
    int rc;

    *out = NULL;
    if (!c)
        return FAULT(fault, E_NOMEM, "memory for an NVMe controller", 0, sizeof *c);
    c->base.driver = &nvme_driver;
    c->base.fn = fn;
    str_fmt(c->base.name, sizeof c->base.name, "nvme%u", index);
    if ((rc = bring_up(c))) {
        if (c->regs.len_bytes)
            dump_registers(c);
        *fault = c->base.fault;
        take_down(c);
        return rc;
    }
    *out = &c->base;
    return OK;
}

static void nvme_detach(struct controller *c) { take_down(nvme_of(c)); }

const struct controller_driver nvme_driver = { .name = "nvme",
                                               .attach = nvme_attach,
                                               .detach = nvme_detach,
                                               .health = nvme_health,
                                               .self_test = &nvme_self_test_ops };
