#include <string.h>
#include "model_nvme_parts.h"

/* Admin commands: Identify, queues, abort. */

void mn_put(uint8_t *page, unsigned off, unsigned bytes, uint64_t v)
{
    for (unsigned i = 0; i < bytes; i++)
        page[off + i] = (uint8_t)(v >> (8 * i));
}

void mn_put_text(uint8_t *page, unsigned off, unsigned bytes, const char *s)
{
    size_t n = strlen(s);

    for (unsigned i = 0; i < bytes; i++)
        page[off + i] = i < n ? (uint8_t)s[i] : ' ';
}

uint16_t mn_refuse(struct model_nvme *m, const char *why, uint64_t got, uint64_t want, uint16_t status)
{
    mn_violation(m, why, got, want);
    return status;
}

/* ---- Identify ---- */
uint32_t mn_highest_nsid(const struct model_nvme *m)
{
    uint32_t highest = m->set.nn;

    for (unsigned i = 0; i < MODEL_NVME_MAX_NS; i++)
        if (!m->set.nn && m->ns[i].nsid > highest)
            highest = m->ns[i].nsid;
    return highest;
}

const struct model_nvme_ns *mn_find_ns(const struct model_nvme *m, uint32_t nsid)
{
    for (unsigned i = 0; i < MODEL_NVME_MAX_NS; i++)
        if (nsid && m->ns[i].nsid == nsid && !m->ns[i].inactive)
            return &m->ns[i];
    return NULL;
}

static void identify_controller(struct model_nvme *m, uint8_t *page)
{
    const struct model_nvme_settings *s = &m->set;
    const struct {
        uint16_t off;
        uint8_t bytes;
        uint64_t v;
    } fields[] = {
        { 0, 2, s->vendor_id },
        { 2, 2, s->subvendor_id },
        { 76, 1, s->cmic },
        { 77, 1, s->mdts },
        { 78, 2, s->cntlid },
        { 80, 4, s->vs },
        { 84, 4, 500000 },
        { 88, 4, s->rtd3e_us },
        { 111, 1, s->cntrltype },
        { 128, 2, s->crdt[0] },
        { 130, 2, s->crdt[1] },
        { 132, 2, s->crdt[2] },
        { 256, 2, s->oacs },
        { 258, 1, s->acl },
        { 259, 1, s->aerl },
        { 260, 1, s->frmw },
        { 261, 1, s->lpa },
        { 262, 1, s->elpe },
        { 263, 1, s->npss },
        { 266, 2, s->wctemp },
        { 268, 2, s->cctemp },
        { 272, 4, s->hmpre },
        { 276, 4, s->hmmin },
        { 512, 1, s->sqes },
        { 265, 1, s->apsta },
        { 316, 2, s->edstt },
        { 332, 4, s->hmminds },
        { 336, 2, s->hmmaxd },
        { 3075, 1, s->vendor_stripe },
        { 513, 1, s->cqes },
        { 514, 2, s->maxcmd },
        { 516, 4, mn_highest_nsid(m) },
        { 520, 2, s->oncs },
        { 525, 1, s->vwc },
        { 2048, 2, 900 },
    };

    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
        mn_put(page, fields[i].off, fields[i].bytes, fields[i].v);
    mn_put_text(page, 4, 20, s->serial);
    mn_put_text(page, 24, 40, s->model);
    mn_put_text(page, 64, 8, s->firmware);
    memcpy(page + 768, "nqn.2024-01.example:model", 25);
}

static void identify_namespace(const struct model_nvme_ns *n, uint8_t *page)
{
    uint8_t lbads = n->lbads;

    while (!n->lbads && 1u << lbads < n->lba_bytes)
        lbads++;
    mn_put(page, 0, 8, n->nsze);
    mn_put(page, 8, 8, n->ncap ? n->ncap : n->nsze);
    mn_put(page, 16, 8, n->nuse ? n->nuse : n->nsze);
    /* Format 1 is the one in use, so that a driver which always reads format 0 is found out. */
    page[25] = 1;
    page[26] = 1 | (n->metadata_at_end ? 0x10 : 0);
    page[27] = n->metadata_bytes ? 3 : 0;
    page[29] = n->dps;
    page[30] = n->nmic;
    mn_put(page, 46, 2, n->noiob);
    memcpy(page + 104, n->nguid, 16);
    memcpy(page + 120, n->eui64, 8);
    mn_put(page, 128, 4, 10u << 16);
    mn_put(page, 132, 4, n->metadata_bytes | (uint32_t)lbads << 16);
}

static bool any_byte(const uint8_t *p, size_t n)
{
    while (n--)
        if (*p++)
            return true;
    return false;
}

static void identify_descriptors(const struct model_nvme_ns *n, uint8_t *page)
{
    unsigned at = 0;

    if (any_byte(n->eui64, 8)) {
        page[at] = 1;
        page[at + 1] = 8;
        memcpy(page + at + 4, n->eui64, 8);
        at += 12;
    }
    if (any_byte(n->nguid, 16)) {
        page[at] = 2;
        page[at + 1] = 16;
        memcpy(page + at + 4, n->nguid, 16);
        at += 20;
    }
    page[at] = 4;
    page[at + 1] = 1;
    page[at + 4] = n->csi;
}

/* The active (or all) namespaces above `after`, ascending, 1024 a page. */
static void identify_list(const struct model_nvme *m, uint32_t after, bool all, uint8_t *page)
{
    for (unsigned count = 0; count < 1024; count++) {
        uint32_t next = 0;

        for (unsigned i = 0; i < MODEL_NVME_MAX_NS; i++)
            if (m->ns[i].nsid > after && (all || !m->ns[i].inactive) && (!next || m->ns[i].nsid < next))
                next = m->ns[i].nsid;
        if (!next)
            return;
        mn_put(page, 4 * count, 4, next);
        after = next;
    }
}

static uint16_t identify(struct model_nvme *m, const struct model_nvme_command *c)
{
    uint8_t cns = c->sqe[10] & 0xff, *page = m->scratch;
    uint32_t nsid = c->sqe[1];
    const struct model_nvme_ns *n = mn_find_ns(m, nsid);

    if (c->sqe[10] & 0xff00)
        return mn_refuse(m, "Identify: reserved bits set", c->sqe[10], cns, S_INVALID_FIELD);
    if (cns > m->set.cns_max || (cns == 3 && m->set.no_descriptors))
        return S_INVALID_FIELD;
    memset(page, 0, sizeof m->scratch);
    switch (cns) {
    case 0:
        if (!nsid || nsid > mn_highest_nsid(m))
            return S_INVALID_NS;
        if (n)
            identify_namespace(n, page);
        break;
    case 1:
        if (nsid)
            return mn_refuse(m, "Identify controller with a namespace", nsid, 0, S_INVALID_FIELD);
        identify_controller(m, page);
        break;
    case 2:
        if (nsid >= 0xfffffffeu)
            return S_INVALID_NS;
        identify_list(m, nsid, false, page);
        break;
    case 3:
        if (!n)
            return S_INVALID_NS;
        identify_descriptors(n, page);
        break;
    case 0x12:
        if (!(m->set.oacs & 8))
            return S_INVALID_FIELD;
        for (unsigned i = 0; i < MODEL_NVME_MAX_NS; i++)
            if (nsid && m->ns[i].nsid == nsid)
                mn_put(page, 0, 2, m->ns[i].inactive ? m->ns[i].elsewhere : 1);
        break;
    case 0x10:
        if (!(m->set.oacs & 8))
            return S_INVALID_FIELD;
        identify_list(m, nsid, true, page);
        break;
    default:
        return S_INVALID_FIELD;
    }
    return mn_send(m, c, page, 4096);
}

/* ---- queues ---- */
/* Without an agreement there are as many as the drive would have granted. */
static void number_queues(struct model_nvme *m, const char *why, uint32_t qid)
{
    if (m->queues_numbered)
        return;
    if (!m->set.foreign_driver)
        mn_violation(m, why, qid, 0);
    m->sq_limit = m->set.sq_granted ? m->set.sq_granted : MODEL_NVME_MAX_QUEUES - 1;
    m->cq_limit = m->set.cq_granted ? m->set.cq_granted : MODEL_NVME_MAX_QUEUES - 1;
}

static uint16_t create_cq(struct model_nvme *m, const struct model_nvme_command *c)
{
    uint32_t qid = c->sqe[10] & 0xffff, size = (c->sqe[10] >> 16) + 1, flags = c->sqe[11];
    uint64_t base = c->sqe[6] | (uint64_t)c->sqe[7] << 32;

    number_queues(m, "Create I/O CQ before the number of queues was agreed", qid);
    if (!qid || qid > m->cq_limit || qid >= MODEL_NVME_MAX_QUEUES || m->cq[qid].exists)
        return mn_refuse(m, "Create I/O CQ: queue id", qid, m->cq_limit, S_INVALID_QID);
    if (size < 2 || size > m->set.mqes + 1u)
        return mn_refuse(m, "Create I/O CQ: queue size", size, m->set.mqes + 1u, S_INVALID_SIZE);
    if (!(flags & 1) || flags & 0xfffc)
        return mn_refuse(m, "Create I/O CQ: not contiguous, or reserved bits", flags, 1, S_INVALID_FIELD);
    if (!base || base & (mn_page(m) - 1))
        return mn_refuse(m, "Create I/O CQ: base is not page aligned", base, 0, S_PRP_OFFSET);
    mn_check_zeroed(m, base, 16 * size);
    m->cq[qid] = (struct model_nvme_cq){ .exists = true, .phase = true, .size = size, .base = base };
    return 0;
}

static uint16_t create_sq(struct model_nvme *m, const struct model_nvme_command *c)
{
    uint32_t qid = c->sqe[10] & 0xffff, size = (c->sqe[10] >> 16) + 1, flags = c->sqe[11] & 0xffff;
    uint32_t cqid = c->sqe[11] >> 16;
    uint64_t base = c->sqe[6] | (uint64_t)c->sqe[7] << 32;

    number_queues(m, "Create I/O SQ before the number of queues was agreed", qid);
    if (!qid || qid > m->sq_limit || qid >= MODEL_NVME_MAX_QUEUES || m->sq[qid].exists)
        return mn_refuse(m, "Create I/O SQ: queue id", qid, m->sq_limit, S_INVALID_QID);
    if (!cqid || cqid >= MODEL_NVME_MAX_QUEUES || !m->cq[cqid].exists)
        return mn_refuse(m, "Create I/O SQ: no such completion queue", cqid, 0, S_INVALID_CQ);
    if (size < 2 || size > m->set.mqes + 1u)
        return mn_refuse(m, "Create I/O SQ: queue size", size, m->set.mqes + 1u, S_INVALID_SIZE);
    if (!(flags & 1) || flags & 0xfff8)
        return mn_refuse(m, "Create I/O SQ: not contiguous, or reserved bits", flags, 1, S_INVALID_FIELD);
    if (!base || base & (mn_page(m) - 1))
        return mn_refuse(m, "Create I/O SQ: base is not page aligned", base, 0, S_PRP_OFFSET);
    m->sq[qid] = (struct model_nvme_sq){ .exists = true, .cqid = (uint16_t)cqid, .size = size, .base = base };
    return 0;
}

static uint16_t delete_sq(struct model_nvme *m, const struct model_nvme_command *c)
{
    uint32_t qid = c->sqe[10] & 0xffff;

    if (!qid || qid >= MODEL_NVME_MAX_QUEUES || !m->sq[qid].exists)
        return mn_refuse(m, "Delete I/O SQ: no such queue", qid, 0, S_INVALID_QID);
    for (uint32_t i = 0; i < m->in_flight;) {
        uint32_t before = m->in_flight;

        if (m->command[i].sqid == qid)
            mn_finish(m, &m->command[i], S_SQ_DELETED);
        i += before == m->in_flight;
    }
    m->sq[qid].exists = false;
    return 0;
}

static uint16_t delete_cq(struct model_nvme *m, const struct model_nvme_command *c)
{
    uint32_t qid = c->sqe[10] & 0xffff;

    if (!qid || qid >= MODEL_NVME_MAX_QUEUES || !m->cq[qid].exists)
        return mn_refuse(m, "Delete I/O CQ: no such queue", qid, 0, S_INVALID_QID);
    for (unsigned i = 1; i < MODEL_NVME_MAX_QUEUES; i++)
        if (m->sq[i].exists && m->sq[i].cqid == qid)
            return mn_refuse(m, "Delete I/O CQ while a submission queue uses it", i, qid, S_DELETE_ORDER);
    m->cq[qid].exists = false;
    return 0;
}

/* ---- the rest ---- */
static uint16_t abort_command(struct model_nvme *m, struct model_nvme_command *c)
{
    struct model_nvme_command *victim = mn_find_command(m, c->sqe[10] & 0xffff, (uint16_t)(c->sqe[10] >> 16));
    uint32_t aborts = 0;

    m->seen.aborts++;
    for (uint32_t i = 0; i < m->in_flight; i++)
        aborts += !m->command[i].sqid && (m->command[i].sqe[0] & 0xff) == 8;
    if (aborts > m->set.acl + 1u)
        return mn_refuse(m, "more aborts than ACL allows", aborts, m->set.acl + 1u, S_ABORT_LIMIT);
    if (m->set.abort_ignored || !victim || victim == c) {
        c->dw0 = 1;
        return 0;
    }
    m->seen.aborted++;
    mn_finish(m, victim, S_ABORTED);
    return 0;
}

static uint16_t async_event(struct model_nvme *m)
{
    uint32_t parked = 0;

    for (uint32_t i = 0; i < m->in_flight; i++)
        parked += !m->command[i].sqid && (m->command[i].sqe[0] & 0xff) == 0x0c;
    return parked > m->set.aerl + 1u ? S_AER_LIMIT : MN_PARKED;
}

uint16_t mn_admin(struct model_nvme *m, struct model_nvme_command *c)
{
    uint8_t opcode = c->sqe[0] & 0xff;

    switch (opcode) {
    case 0x00:
        return delete_sq(m, c);
    case 0x01:
        return create_sq(m, c);
    case 0x02:
        return mn_get_log(m, c);
    case 0x04:
        return delete_cq(m, c);
    case 0x05:
        return create_cq(m, c);
    case 0x06:
        return identify(m, c);
    case 0x08:
        return abort_command(m, c);
    case 0x09:
        return mn_set_features(m, c);
    case 0x0a:
        return mn_get_features(m, c);
    case 0x0c:
        return async_event(m);
    case 0x14:
        return mn_self_test(m, c);
    case 0x0d: /* namespace management */
    case 0x10: /* firmware commit */
    case 0x11: /* firmware download */
    case 0x15: /* namespace attachment */
    case 0x7c: /* doorbell buffer */
    case 0x80: /* format */
    case 0x81: /* security send */
    case 0x84: /* sanitize */
        m->seen.media_changes++;
        return mn_refuse(m, "a command that changes the device reached it", opcode, 0, S_INVALID_OPCODE);
    default:
        return S_INVALID_OPCODE;
    }
}
