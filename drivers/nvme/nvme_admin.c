#include "nvme_internal.h"
#include "str.h"

/* Everything here is [any]: the ladder aborts and re-creates queues from within the I/O loop. */

uint32_t nvme_sq_bell(const struct nvme_ctrl *c, unsigned qid)
{
    return NVME_DOORBELLS + 2 * qid * c->bell_stride_bytes;
}

uint32_t nvme_cq_bell(const struct nvme_ctrl *c, unsigned qid)
{
    return NVME_DOORBELLS + (2 * qid + 1) * c->bell_stride_bytes;
}

void nvme_admin_reset(struct nvme_ctrl *c)
{
    struct nvme_admin_queue *q = &c->admin;

    memset(q->mem.cpu, 0, q->mem.len_bytes);
    q->tail = q->head = 0;
    q->phase = (uint32_t)CQE_PHASE;
}

/* Dead devices are seen by their status register long before a command's deadline. */
static int device_alive(struct nvme_ctrl *c, struct fault *f)
{
    uint32_t csts = plat_read32(&c->regs, NVME_CSTS);

    if (csts == UINT32_MAX)
        return FAULT(f, E_GONE, "CSTS reads all ones", csts, CSTS_RDY);
    if (csts & CSTS_CFS)
        return FAULT(f, E_PROTO, "controller fatal status (CSTS.CFS)", csts, CSTS_RDY);
    return OK;
}

static int await_answer(struct nvme_ctrl *c, struct fault *f, const char *what, uint16_t cid,
                        uint32_t limit_ms, struct nvme_answer *answer)
{
    struct nvme_admin_queue *q = &c->admin;
    const struct nvme_cqe *e = &q->cqe[q->head];
    uint64_t start_ns = plat_now_ns();
    uint32_t dw3, dw2;
    int rc;

    while (((dw3 = __atomic_load_n(&e->dw3, __ATOMIC_ACQUIRE)) & CQE_PHASE) != q->phase) {
        if ((rc = device_alive(c, f)))
            return rc;
        if (plat_now_ns() - start_ns > limit_ms * NS_PER_MS)
            return FAULT(f, E_TIMEOUT, what, 0, limit_ms);
        nvme_wait_step(start_ns);
    }
    dw2 = __atomic_load_n(&e->dw2, __ATOMIC_RELAXED);
    if (FIELD_GET(CQE_CID, dw3) != cid)
        return FAULT(f, E_PROTO, "admin completion for a command not in flight", FIELD_GET(CQE_CID, dw3),
                     cid);
    if (FIELD_GET(CQE_SQID, dw2) || FIELD_GET(CQE_SQHD, dw2) >= NVME_ADMIN_ENTRIES)
        return FAULT(f, E_PROTO, "admin completion names a queue or head that is not the admin queue's", dw2,
                     0);
    *answer = (struct nvme_answer){ .dw0 = __atomic_load_n(&e->dw0, __ATOMIC_RELAXED),
                                    .status = (uint16_t)FIELD_GET(CQE_STATUS, dw3) };
    if (++q->head == NVME_ADMIN_ENTRIES) {
        q->head = 0;
        q->phase ^= (uint32_t)CQE_PHASE;
    }
    plat_write32(&c->regs, nvme_cq_bell(c, 0), q->head);
    return OK;
}

int nvme_admin(struct nvme_ctrl *c, struct fault *f, const char *what, const struct nvme_sqe *command,
               uint32_t limit_ms, struct nvme_answer *answer)
{
    struct nvme_admin_queue *q = &c->admin;
    uint16_t cid = q->next_cid++;
    int rc;

    *answer = (struct nvme_answer){ 0 };
    if (!gate_permits(GATE_NVME_ADMIN, (uint32_t)FIELD_GET(SQE_OPCODE, command->cdw0), command->cdw10))
        return NOTE(E_REFUSED, "admin command that the gate does not permit", command->cdw0, command->cdw10);
    if (q->stuck)
        return FAULT(f, E_TIMEOUT, "admin queue with an unanswered command", 0, 1);
    struct nvme_sqe *e = &q->sqe[q->tail];
    *e = *command;
    e->cdw0 |= (uint32_t)FIELD_PUT(SQE_CID, cid);
    q->tail = (uint16_t)((q->tail + 1u) % NVME_ADMIN_ENTRIES);
    plat_dma_publish();
    plat_write32(&c->regs, nvme_sq_bell(c, 0), q->tail);
    if ((rc = await_answer(c, f, what, cid, limit_ms, answer))) {
        q->stuck = true;
        return rc;
    }
    return answer->status ? NOTE(E_REFUSED, what, answer->status, 0) : OK;
}

int nvme_identify(struct nvme_ctrl *c, uint8_t cns, uint32_t nsid, unsigned scratch_page)
{
    static const char *const names[] = {
        [CNS_NAMESPACE] = "Identify Namespace",
        [CNS_CONTROLLER] = "Identify Controller",
        [CNS_ACTIVE_NAMESPACES] = "Identify: active namespaces",
        [CNS_NAMESPACE_DESCRIPTORS] = "Identify: namespace descriptors",
        [CNS_ALLOCATED_NAMESPACES] = "Identify: allocated namespaces",
        [CNS_ATTACHED_CONTROLLERS] = "Identify: controllers of a namespace",
    };
    size_t off_bytes = scratch_page * (size_t)NVME_IDENTIFY_BYTES;
    struct nvme_sqe command = {
        .cdw0 = NVME_IDENTIFY, .nsid = nsid, .prp1 = c->scratch.bus + off_bytes, .cdw10 = cns
    };
    struct nvme_answer answer;

    /* What the device leaves unwritten must not be the last answer. */
    memset((uint8_t *)c->scratch.cpu + off_bytes, 0, NVME_IDENTIFY_BYTES);
    return nvme_admin(c, &c->base.fault, names[cns], &command, NVME_ADMIN_LIMIT_MS, &answer);
}

/* Both counts are 0-based; the device may grant fewer or more than asked. */
int nvme_set_queue_count(struct nvme_ctrl *c, unsigned want, unsigned *granted, uint32_t limit_ms)
{
    struct nvme_sqe command = { .cdw0 = NVME_SET_FEATURES,
                                .cdw10 = NVME_FEATURE_QUEUE_COUNT,
                                .cdw11 = (want - 1) | (want - 1) << 16 };
    struct nvme_answer answer;
    int rc = nvme_admin(c, &c->base.fault, "Set Features: Number of Queues", &command, limit_ms, &answer);

    if (rc)
        return rc;
    *granted = (unsigned)min_u64((answer.dw0 & 0xffff) + 1u, (answer.dw0 >> 16) + 1u);
    return OK;
}

/* The completion queue first: the submission queue names it.  [fact sheet A2 step 6] */
int nvme_create_pair(struct nvme_ctrl *c, struct nvme_pair *p, uint32_t limit_ms)
{
    uint64_t cq_bus = p->mem.bus + ((uint8_t *)p->cqe - (uint8_t *)p->sqe);
    uint32_t id_and_size = p->qid | (p->entries - 1) << 16;
    struct nvme_sqe cq = {
        .cdw0 = NVME_CREATE_CQ, .prp1 = cq_bus, .cdw10 = id_and_size, .cdw11 = NVME_QUEUE_CONTIGUOUS
    };
    struct nvme_sqe sq = { .cdw0 = NVME_CREATE_SQ,
                           .prp1 = p->mem.bus,
                           .cdw10 = id_and_size,
                           .cdw11 = NVME_QUEUE_CONTIGUOUS | (uint32_t)p->qid << 16 };
    struct nvme_sqe undo = { .cdw0 = NVME_DELETE_CQ, .cdw10 = p->qid };
    struct nvme_answer answer;
    int rc;

    memset(p->mem.cpu, 0, p->mem.len_bytes);
    nvme_pair_forget(p);
    p->sq_next = p->sq_rung = p->sqe;
    p->cq_next = p->cq_rung = p->cqe;
    p->phase_bit = (uint32_t)CQE_PHASE;
    if ((rc = nvme_admin(c, &c->base.fault, "Create I/O Completion Queue", &cq, limit_ms, &answer)))
        return rc;
    if ((rc = nvme_admin(c, &c->base.fault, "Create I/O Submission Queue", &sq, limit_ms, &answer))) {
        if (rc == E_REFUSED)
            nvme_admin(c, NULL, "Delete I/O Completion Queue", &undo, limit_ms, &answer);
        return rc;
    }
    p->created = true;
    return OK;
}

void nvme_delete_pairs(struct nvme_ctrl *c)
{
    struct nvme_answer answer;

    for (unsigned i = 0; i < c->pair_count && !c->admin.stuck; i++) {
        struct nvme_pair *p = c->pairs[i];
        struct nvme_sqe sq = { .cdw0 = NVME_DELETE_SQ, .cdw10 = p->qid };
        struct nvme_sqe cq = { .cdw0 = NVME_DELETE_CQ, .cdw10 = p->qid };

        if (p->created &&
            !nvme_admin(c, NULL, "Delete I/O Submission Queue", &sq, NVME_DELETE_LIMIT_MS, &answer))
            nvme_admin(c, NULL, "Delete I/O Completion Queue", &cq, NVME_DELETE_LIMIT_MS, &answer);
        p->created = false;
    }
}

int nvme_abort(struct nvme_ctrl *c, uint16_t qid, uint16_t tag)
{
    struct nvme_sqe command = { .cdw0 = NVME_ABORT, .cdw10 = qid | (uint32_t)tag << 16 };
    struct nvme_answer answer;
    int rc = nvme_admin(c, NULL, "Abort", &command, NVME_ABORT_LIMIT_MS, &answer);

    return rc == E_REFUSED ? OK : rc;
}
