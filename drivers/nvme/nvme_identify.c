#include "nvme_internal.h"
#include "str.h"
#include "text.h"

static void *scratch_page(const struct nvme_ctrl *c, unsigned page)
{
    return (uint8_t *)c->scratch.cpu + page * (size_t)NVME_IDENTIFY_BYTES;
}

static bool all_bytes_are(const uint8_t *p, size_t n, uint8_t value)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != value)
            return false;
    return true;
}

/* ---- the controller ---- */
/* A field of one repeated character was never filled in: it names no drive. */
static bool is_filler(const char *s)
{
    size_t n = str_len(s);

    return n < 2 || all_bytes_are((const uint8_t *)s, n, (uint8_t)s[0]);
}

/* 2^MDTS pages of the smallest size, 0: unlimited.  Never above what one prebuilt list can name. */
static uint32_t command_limit(uint8_t mdts, uint32_t page_bytes)
{
    if (!mdts || mdts >= 21)
        return NVME_MAX_COMMAND_BYTES;
    return (uint32_t)min_u64((uint64_t)page_bytes << mdts, NVME_MAX_COMMAND_BYTES);
}

/* What the other files ask the drive for, only where it says that it has it. */
static void take_optional(struct nvme_ctrl *c, const struct nvme_id_controller *id)
{
    struct nvme_settings *s = &c->settings;

    s->has_write_cache = id->vwc & VWC_PRESENT;
    s->has_apst = id->apsta & APSTA_SUPPORTED;
    s->has_self_test = id->oacs & OACS_SELF_TEST;
    s->firmware_slots = (uint8_t)FIELD_GET(FRMW_SLOTS, id->frmw);
    s->warning_k = id->wctemp;
    s->critical_k = id->cctemp;
    s->extended_test_minutes = id->edstt;
    s->error_entries =
        (unsigned)min_u64(id->elpe + 1u, NVME_IDENTIFY_BYTES / sizeof(struct nvme_error_entry));
    c->hmb.wanted_bytes = id->hmpre * 4 * KIB;
    c->hmb.least_bytes = id->hmmin * 4 * KIB;
    c->hmb.least_chunk = id->hmminds;
    c->hmb.most_chunks = id->hmmaxd;
    for (unsigned i = 0; i < ARRAY_COUNT(c->retry_delay); i++)
        c->retry_delay[i] = id->crdt[i];
    c->many_controllers = id->cmic & CMIC_CONTROLLERS;
    c->has_ns_management = id->oacs & OACS_NS_MANAGEMENT;
    /* Byte 3 of the maker's own (Linux and SPDK agree). */
    if ((c->quirks & QUIRK_STRIPE) && id->vs[3] && id->vs[3] < 16)
        c->stripe_bytes = c->page_bytes << id->vs[3];
}

int nvme_find_controller(struct nvme_ctrl *c)
{
    const struct nvme_id_controller *id = scratch_page(c, 1);
    int rc = nvme_identify(c, CNS_CONTROLLER, 0, 1);

    if (rc)
        return rc == E_REFUSED ? FAULT(&c->base.fault, rc, "Identify Controller", 0, 0) : rc;
    str_scrub(c->base.model, sizeof c->base.model, id->mn, sizeof id->mn);
    str_scrub(c->base.serial, sizeof c->base.serial, id->sn, sizeof id->sn);
    str_scrub(c->base.firmware, sizeof c->base.firmware, id->fr, sizeof id->fr);
    if ((id->sqes & 15) > NVME_SQE_SHIFT || (id->cqes & 15) > NVME_CQE_SHIFT)
        return FAULT(&c->base.fault, E_UNSUPPORTED, "queue entries of 64 and 16 bytes (SQES, CQES)",
                     id->sqes | (uint64_t)id->cqes << 8, 0x4466);
    c->max_command_bytes = command_limit(id->mdts, c->page_bytes);
    c->shutdown_ms =
        (uint32_t)min_u64(max_u64(id->rtd3e_us / 1000, NVME_SHUTDOWN_MIN_MS), NVME_SHUTDOWN_MAX_MS);
    if (c->quirks & QUIRK_NO_SHST)
        c->shutdown_ms = NVME_SHUTDOWN_MIN_MS;
    c->nn = id->nn;
    take_optional(c, id);
    c->has_namespaces = id->cntrltype != CNTRLTYPE_DISCOVERY && id->cntrltype != CNTRLTYPE_ADMINISTRATIVE;
    return OK;
}

/* ---- one namespace ---- */
/* The command set of a namespace.  Only controllers that offer more than NVM are asked. */
static int find_command_set(struct nvme_ctrl *c, uint32_t nsid, uint8_t *csi)
{
    const uint8_t *d = scratch_page(c, 1);
    int rc;

    *csi = CSI_NVM;
    if (!(c->cap & CAP_CSS_SETS) || (c->quirks & (QUIRK_NO_DESCRIPTORS | QUIRK_NO_LISTS)))
        return OK;
    if ((rc = nvme_identify(c, CNS_NAMESPACE_DESCRIPTORS, nsid, 1)))
        return rc == E_REFUSED ? OK : rc;
    for (size_t at = 0; at + NIDT_HEADER_BYTES < NVME_IDENTIFY_BYTES && d[at + 1];
         at += NIDT_HEADER_BYTES + d[at + 1])
        if (d[at] == NIDT_CSI && d[at + 1] == 1)
            *csi = d[at + NIDT_HEADER_BYTES];
    return OK;
}

static void put_hex_bytes(struct text *t, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_hex(t, p[i], 2);
}

/* Serial and NSID tell namespaces of one subsystem apart; NGUID and EUI64 alone are often filled with the
 * same constant in every drive of a series (fact sheet A14), so they only add to it. */
static void put_identity(struct nvme_disk *n, const struct nvme_id_namespace *id)
{
    struct text t = text_over(n->base.identity, sizeof n->base.identity);

    if (is_filler(n->base.serial))
        return;
    text_fmt(&t, "%s/NSID-%u", n->base.serial, n->nsid);
    if (!all_bytes_are(id->nguid, sizeof id->nguid, 0) && !all_bytes_are(id->nguid, sizeof id->nguid, 0xff)) {
        text_str(&t, "/NGUID-");
        put_hex_bytes(&t, id->nguid, sizeof id->nguid);
    } else if (!all_bytes_are(id->eui64, sizeof id->eui64, 0) &&
               !all_bytes_are(id->eui64, sizeof id->eui64, 0xff)) {
        text_str(&t, "/EUI-");
        put_hex_bytes(&t, id->eui64, sizeof id->eui64);
    }
}

/* Metadata would need a buffer of its own, or lie between the blocks.  Eight bytes that are protection
 * information are no trouble: the controller adds, checks and strips them (PRACT, fact sheet A4).  Of types 1
 * and 2 the reference tag counts up from what a write names: an operating system will expect the LBA there.
 */
static void take_metadata(struct nvme_disk *n, uint32_t metadata_bytes, unsigned protection)
{
    struct disk *d = &n->base;

    if (metadata_bytes == 8 && protection) {
        n->control = RW_PRACT;
        n->ref_tags = protection < 3;
        return;
    }
    str_fmt(d->why_not, sizeof d->why_not,
            "formatted with %u bytes of metadata per block (protection type %u): only formats without "
            "metadata, or with 8 bytes of protection information, are driven",
            metadata_bytes, protection);
}

/* Reads across such a boundary are split inside the drive.  One that the drive tells for the namespace counts
 * more than the one of the series.  Commands end at it, where they are longer. */
static void take_boundary(const struct nvme_ctrl *c, struct nvme_disk *n, const struct nvme_id_namespace *id)
{
    struct disk *d = &n->base;
    uint64_t bytes = id->noiob ? (uint64_t)id->noiob << n->lba_shift : c->stripe_bytes;

    if (!bytes || bytes > UINT32_MAX)
        return;
    d->optimal_boundary_bytes = (uint32_t)bytes;
    /* Any other boundary lies across requests whatever their size. */
    if (bytes >= c->page_bytes && !(bytes & (bytes - 1)))
        d->max_command_bytes = (uint32_t)min_u64(d->max_command_bytes, bytes);
}

/* Size and format; what cannot be read gets its reason in why_not. */
static void take_format(struct nvme_ctrl *c, struct nvme_disk *n, const struct nvme_id_namespace *id)
{
    struct disk *d = &n->base;
    unsigned index = (unsigned)FIELD_GET(FLBAS_LOW, id->flbas);
    uint32_t format, lbads, metadata_bytes;

    if (id->nlbaf >= 16)
        index |= (unsigned)FIELD_GET(FLBAS_HIGH, id->flbas) << 4;
    if (index > id->nlbaf || index >= ARRAY_COUNT(id->lbaf)) {
        str_fmt(d->why_not, sizeof d->why_not,
                "the drive names block format %u of %u: its answer is not believed", index, id->nlbaf + 1u);
        return;
    }
    format = id->lbaf[index];
    lbads = (uint32_t)FIELD_GET(LBAF_LBADS, format);
    metadata_bytes = (uint32_t)FIELD_GET(LBAF_MS, format);
    if (lbads < 9 || lbads > 16 || 1u << lbads > c->max_command_bytes) {
        str_fmt(d->why_not, sizeof d->why_not,
                "blocks of 2^%u bytes: blocks of 512 bytes to 64 KiB that fit one command are driven", lbads);
        return;
    }
    n->lba_shift = lbads;
    d->lba_bytes = d->physical_block_bytes = 1u << lbads;
    d->lba_count = id->nsze;
    if ((id->nsfeat & NSFEAT_OPTPERF) && (id->npwg + 1ull) << lbads <= 64 * KIB)
        d->physical_block_bytes = (id->npwg + 1u) << lbads;
    take_boundary(c, n, id);
    if (id->nsze > UINT64_MAX >> lbads)
        str_fmt(d->why_not, sizeof d->why_not,
                "the drive claims 0x%llx blocks of %u bytes: no such size exists",
                (unsigned long long)id->nsze, d->lba_bytes);
    else if (metadata_bytes)
        take_metadata(n, metadata_bytes, (unsigned)FIELD_GET(DPS_PIT, id->dps));
}

/* Listed, with what all namespaces of the controller have in common; there is room. */
static struct nvme_disk *new_disk(struct nvme_ctrl *c, uint32_t nsid)
{
    struct nvme_disk *n = plat_alloc(sizeof *n);

    if (!n) {
        FAULT(&c->base.fault, E_NOMEM, "memory for a namespace", 0, sizeof *n);
        return NULL;
    }
    struct disk *d = &n->base;
    struct text settings = text_over(d->settings, sizeof d->settings);
    n->nsid = nsid;
    d->controller = &c->base;
    d->kind = DISK_NVME;
    d->rotation = ROTATION_NONE;
    str_fmt(d->name, sizeof d->name, "%sn%u", c->base.name, nsid);
    str_copy(d->model, sizeof d->model, c->base.model);
    str_copy(d->serial, sizeof d->serial, c->base.serial);
    str_copy(d->firmware, sizeof d->firmware, c->base.firmware);
    nvme_settings_words(c, &settings);
    d->cache[CACHE_WRITE] = c->settings.write_cache;
    d->cache_is_shared = true;
    d->max_command_bytes = c->max_command_bytes;
    d->max_depth = (uint16_t)(c->entries - 1);
    d->command_deadline_ns = NVME_READ_DEADLINE_NS;
    c->disks[c->base.disk_count++] = d;
    return n;
}

/* OK also when this NSID is not a namespace with blocks: then no disk was added.  E_LIMIT: no room. */
static int add_namespace(struct nvme_ctrl *c, uint32_t nsid)
{
    const struct nvme_id_namespace *id = scratch_page(c, 1);
    uint8_t csi;
    int rc = find_command_set(c, nsid, &csi);

    if (!rc)
        rc = nvme_identify(c, CNS_NAMESPACE, nsid, 1);
    if (rc && rc != E_REFUSED)
        return rc;
    bool unknown = rc == E_REFUSED;
    if (csi == CSI_NVM && (unknown || !id->nsze))
        return OK;
    if (c->base.disk_count == CONTROLLER_MAX_DISKS)
        return E_LIMIT;
    struct nvme_disk *n = new_disk(c, nsid);
    if (!n)
        return E_NOMEM;
    struct disk *d = &n->base;
    put_identity(n, id);
    d->shared = c->many_controllers && (id->nmic & NMIC_SHARED);
    if (csi != CSI_NVM)
        str_fmt(d->why_not, sizeof d->why_not,
                "%s namespace (command set %u): only the NVM command set is driven",
                csi == CSI_ZONED       ? "zoned"
                : csi == CSI_KEY_VALUE ? "key-value"
                                       : "special",
                csi);
    else
        take_format(c, n, id);
    d->ops = d->why_not[0] ? NULL : &nvme_disk_ops;
    return OK;
}

/* ---- all namespaces ---- */
/* Ids ascend, each list goes on after the last one seen, and a list that is not full is the last: a device
 * that breaks this could keep us here for ever.  E_REFUSED: the device has no such list. */
static int take_active_list(struct nvme_ctrl *c)
{
    const uint32_t *ids = scratch_page(c, 0);
    uint32_t last = 0;
    int rc;

    for (;;) {
        if ((rc = nvme_identify(c, CNS_ACTIVE_NAMESPACES, last, 0)))
            return last && rc == E_REFUSED ? OK : rc;
        for (unsigned i = 0; i < NVME_LIST_IDS; i++) {
            uint32_t nsid = ids[i];

            if (!nsid)
                return OK;
            if (nsid <= last || nsid >= UINT32_MAX - 1) {
                controller_remark(&c->base, REMARK_WARN,
                                  "namespace list out of order (%u after %u): the rest of it is not believed",
                                  nsid, last);
                return OK;
            }
            last = nsid;
            if ((rc = add_namespace(c, nsid)))
                return rc;
        }
    }
}

static int walk_namespaces(struct nvme_ctrl *c)
{
    uint32_t highest = (uint32_t)min_u64(c->nn, NVME_WALK_NSIDS);
    int rc;

    if (c->nn > highest)
        controller_remark(&c->base, REMARK_INFO,
                          "no list of active namespaces; of %u possible ids the first %u were tried", c->nn,
                          highest);
    for (uint32_t nsid = 1; nsid <= highest; nsid++)
        if ((rc = add_namespace(c, nsid)))
            return rc;
    return OK;
}

/* Another controller of the subsystem has it; one that does not know the question may have it, too. */
static int has_controllers(struct nvme_ctrl *c, uint32_t nsid, bool *has)
{
    const uint16_t *count = scratch_page(c, 1);
    int rc = nvme_identify(c, CNS_ATTACHED_CONTROLLERS, nsid, 1);

    *has = !rc && *count;
    return rc == E_REFUSED ? OK : rc;
}

static bool is_listed(const struct nvme_ctrl *c, uint32_t nsid)
{
    for (unsigned i = 0; i < c->base.disk_count; i++)
        if (((const struct nvme_disk *)c->disks[i])->nsid == nsid)
            return true;
    return false;
}

/* Namespaces that exist but are attached to no controller are named: nobody else will miss them.  They are
 * known only to controllers that manage namespaces. */
static int list_detached(struct nvme_ctrl *c)
{
    const uint32_t *ids = scratch_page(c, 0);
    bool elsewhere;
    int rc;

    if (!c->has_ns_management || c->vs < VS_1_2 || (c->quirks & QUIRK_NO_LISTS))
        return OK;
    if ((rc = nvme_identify(c, CNS_ALLOCATED_NAMESPACES, 0, 0)))
        return rc == E_REFUSED ? OK : rc;
    for (unsigned i = 0; i < NVME_LIST_IDS && ids[i]; i++) {
        if (i && ids[i] <= ids[i - 1])
            break;
        if (is_listed(c, ids[i]))
            continue;
        if ((rc = has_controllers(c, ids[i], &elsewhere)))
            return rc;
        if (elsewhere)
            continue;
        if (c->base.disk_count == CONTROLLER_MAX_DISKS)
            return E_LIMIT;
        struct nvme_disk *n = new_disk(c, ids[i]);
        if (!n)
            return E_NOMEM;
        str_copy(n->base.why_not, sizeof n->base.why_not,
                 "the namespace exists but is attached to no controller: nothing reads it until it is");
    }
    return OK;
}

int nvme_find_namespaces(struct nvme_ctrl *c)
{
    int rc = E_REFUSED;

    c->base.disks = c->disks;
    if (!c->has_namespaces) {
        controller_remark(&c->base, REMARK_INFO,
                          "administrative or discovery controller: it has no namespaces to test");
        return OK;
    }
    if (c->vs >= VS_1_1 && !(c->quirks & QUIRK_NO_LISTS))
        rc = take_active_list(c);
    if (rc == E_REFUSED)
        rc = walk_namespaces(c);
    if (!rc)
        rc = list_detached(c);
    if (rc == E_LIMIT) {
        controller_remark(&c->base, REMARK_WARN,
                          "more than %u namespaces: the others are not listed and not tested",
                          (unsigned)CONTROLLER_MAX_DISKS);
        rc = OK;
    }
    if (!rc && !c->base.disk_count)
        controller_remark(&c->base, REMARK_WARN,
                          "the controller answers but has no namespace: nothing to test on it");
    return rc;
}
