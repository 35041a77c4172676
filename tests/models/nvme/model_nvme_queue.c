#include <string.h>
#include "model_nvme_parts.h"

/* Doorbells, fetching of commands, completions and the lies that are told in them. */

enum { STAGE_WAITING, STAGE_PARKED, STAGE_NO_ROOM };

void mn_queues_reset(struct model_nvme *m)
{
    memset(m->sq, 0, sizeof m->sq);
    memset(m->cq, 0, sizeof m->cq);
    m->torn.due_ns = MODEL_NVME_NEVER;
    m->next_due_ns = MODEL_NVME_NEVER;
}

void mn_check_zeroed(struct model_nvme *m, uint64_t base, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += 16) {
        uint32_t word[4];

        if (!m->host.dma_read(m->host.ctx, base + at, word, sizeof word))
            return;
        if (word[0] | word[1] | word[2] | word[3]) {
            mn_violation(m, "completion queue memory was not zeroed", base + at, 0);
            return;
        }
    }
}

/* ---- completions ---- */
static void flush_torn(struct model_nvme *m)
{
    if (m->torn.due_ns == MODEL_NVME_NEVER)
        return;
    m->torn.due_ns = MODEL_NVME_NEVER;
    m->host.dma_write(m->host.ctx, m->torn.bus, m->torn.word, sizeof m->torn.word);
}

static void put_cqe(struct model_nvme *m, struct model_nvme_cq *q, uint32_t word[4],
                    const struct model_nvme_lie *lie)
{
    uint64_t at = q->base + 16ull * q->tail;

    word[3] = (word[3] & ~0x10000u) | (uint32_t)q->phase << 16;
    if (lie && lie->kind == MODEL_NVME_TORN) {
        flush_torn(m);
        m->torn.due_ns = mn_later(mn_now(m), lie->arg);
        m->torn.bus = at;
        memcpy(m->torn.word, word, sizeof m->torn.word);
    } else {
        m->host.dma_write(m->host.ctx, at, word, 12);
    }
    m->host.dma_write(m->host.ctx, at + 12, &word[3], 4);
    m->seen.completions++;
    q->waiting++;
    if (++q->tail == q->size) {
        q->tail = 0;
        q->phase = !q->phase;
    }
}

static void log_error(struct model_nvme *m, const struct model_nvme_command *c)
{
    unsigned at;

    m->seen.errors++;
    if ((c->status & 0x7ff) == S_ABORTED || (c->status & 0x7ff) == S_SQ_DELETED)
        return;
    at = m->error_entries++ % 8;
    m->error_log[at].count = m->error_entries;
    m->error_log[at].sqid = c->sqid;
    m->error_log[at].cid = c->cid;
    m->error_log[at].status = c->status;
    m->error_log[at].nsid = c->sqe[1];
    m->error_log[at].lba = c->sqid ? c->sqe[10] | (uint64_t)c->sqe[11] << 32 : 0;
}

static void forget(struct model_nvme *m, struct model_nvme_command *c)
{
    *c = m->command[--m->in_flight];
    m->seen.in_flight_now = m->in_flight;
}

/* Posts, if there is room, and forgets the command. */
static bool post(struct model_nvme *m, struct model_nvme_command *c)
{
    const struct model_nvme_lie *lie = c->lie;
    struct model_nvme_sq *s = &m->sq[c->sqid];
    struct model_nvme_cq *q = &m->cq[s->cqid];
    uint32_t sqhd = s->head, sqid = c->sqid, cid = c->cid, word[4];
    uint64_t more = 0;

    if (q->waiting >= q->size - 1) {
        if (c->stage != STAGE_NO_ROOM)
            mn_violation(m, "completion queue overrun: completions are not taken", q->waiting, q->size - 1);
        c->stage = STAGE_NO_ROOM;
        c->due_ns = MODEL_NVME_NEVER;
        return false;
    }
    s->told_head = s->head;
    switch (lie ? (int)lie->kind : -1) {
    case MODEL_NVME_BOGUS_CID:
        cid = lie->arg & 0xffff;
        break;
    case MODEL_NVME_WRONG_SQID:
        sqid = lie->arg & 0xffff;
        break;
    case MODEL_NVME_WRONG_SQHD:
        sqhd = lie->arg & 0xffff;
        break;
    case MODEL_NVME_RESULT:
        c->dw0 = (uint32_t)lie->arg;
        break;
    case MODEL_NVME_DUPLICATE:
        more = 1;
        break;
    case MODEL_NVME_FLOOD:
        more = lie->arg;
        break;
    }
    for (uint64_t i = 0; i <= more; i++) {
        word[0] = c->dw0;
        word[1] = 0;
        word[2] = sqhd | sqid << 16;
        word[3] = cid | (uint32_t)c->status << 17;
        put_cqe(m, q, word, lie);
    }
    if (c->status)
        log_error(m, c);
    forget(m, c);
    return true;
}

void mn_finish(struct model_nvme *m, struct model_nvme_command *c, uint16_t status)
{
    c->status = status;
    post(m, c);
}

struct model_nvme_command *mn_find_command(struct model_nvme *m, uint16_t sqid, uint16_t cid)
{
    for (uint32_t i = 0; i < m->in_flight; i++)
        if (m->command[i].sqid == sqid && m->command[i].cid == cid)
            return &m->command[i];
    return NULL;
}

/* ---- what is due ---- */
static void execute(struct model_nvme *m, struct model_nvme_command *c)
{
    const struct model_nvme_lie *lie = c->lie;
    uint16_t status;

    switch (lie ? (int)lie->kind : -1) {
    case MODEL_NVME_FATAL:
        model_nvme_set_fatal(m);
        return;
    case MODEL_NVME_VANISH:
        model_nvme_vanish(m);
        return;
    case MODEL_NVME_STATUS:
        mn_finish(m, c, lie->arg & 0x7fff);
        return;
    case MODEL_NVME_NO_DATA:
        mn_finish(m, c, 0);
        return;
    }
    if (c->sqid) {
        status = mn_io(m, c);
    } else {
        /* An admin command may finish others and so move this one within the table. */
        uint16_t cid = c->cid;

        status = mn_admin(m, c);
        c = mn_find_command(m, 0, cid);
    }
    if (status == MN_PARKED) {
        c->stage = STAGE_PARKED;
        c->due_ns = MODEL_NVME_NEVER;
    } else if (lie && lie->kind == MODEL_NVME_LOSE) {
        forget(m, c);
    } else {
        mn_finish(m, c, status);
    }
}

static struct model_nvme_command *next_due(struct model_nvme *m)
{
    struct model_nvme_command *first = NULL;

    for (uint32_t i = 0; i < m->in_flight; i++) {
        struct model_nvme_command *c = &m->command[i];

        if (!first || c->due_ns < first->due_ns ||
            (c->due_ns == first->due_ns && c->sequence < first->sequence))
            first = c;
    }
    m->next_due_ns = first ? first->due_ns : MODEL_NVME_NEVER;
    return first;
}

/* A small hash of the sequence number: the same run jitters in the same way. */
static uint64_t jitter(const struct model_nvme *m, uint32_t sequence)
{
    uint32_t h = sequence * 0x9e3779b1u;

    h ^= h >> 15;
    h *= 0x85ebca77u;
    h ^= h >> 13;
    return m->set.jitter_ns ? h % m->set.jitter_ns : 0;
}

static struct model_nvme_lie *find_lie(struct model_nvme *m, uint16_t sqid, uint8_t opcode)
{
    for (unsigned i = 0; i < m->lie_count; i++) {
        struct model_nvme_lie *l = &m->lies[i];

        if (l->admin != !sqid || (l->opcode >= 0 && l->opcode != opcode))
            continue;
        l->seen++;
        if (l->seen > l->skip && (!l->times || l->seen - l->skip <= l->times))
            return l;
    }
    return NULL;
}

static void start_command(struct model_nvme *m, uint16_t sqid, const uint32_t sqe[16])
{
    struct model_nvme_command *c = &m->command[m->in_flight];
    uint8_t opcode = sqe[0] & 0xff;
    bool conflict = mn_find_command(m, sqid, (uint16_t)(sqe[0] >> 16)) != NULL;
    uint64_t latency = m->set.admin_ns;

    *c = (struct model_nvme_command){ .sqid = sqid,
                                      .cid = (uint16_t)(sqe[0] >> 16),
                                      .sequence = m->sequence++ };
    memcpy(c->sqe, sqe, sizeof c->sqe);
    c->lie = find_lie(m, sqid, opcode);
    m->seen.in_flight_now = ++m->in_flight;
    if (m->in_flight > m->seen.in_flight_max)
        m->seen.in_flight_max = m->in_flight;
    if (sqid) {
        m->seen.io[opcode]++;
        latency = (opcode == 0   ? m->set.flush_ns
                   : opcode == 1 ? m->set.write_ns
                                 : m->set.read_ns) +
                  jitter(m, c->sequence);
    } else {
        m->seen.admin[opcode]++;
    }
    c->due_ns = mn_later(mn_now(m), latency);
    if (c->lie && c->lie->kind == MODEL_NVME_DELAY)
        c->due_ns = mn_later(c->due_ns, c->lie->arg);
    if (c->lie && c->lie->kind == MODEL_NVME_STICK)
        c->due_ns = MODEL_NVME_NEVER;
    if (c->due_ns < m->next_due_ns)
        m->next_due_ns = c->due_ns;
    if (conflict) {
        mn_violation(m, "command id is already in flight", c->cid, sqid);
        mn_finish(m, c, S_CID_CONFLICT);
    } else if (sqe[0] & 0xff00 || sqe[2] || sqe[3]) {
        mn_violation(m, "fused, SGL or reserved fields of a command set", sqe[0] | (uint64_t)sqe[2] << 32, 0);
        mn_finish(m, c, S_INVALID_FIELD);
    }
}

static void fetch(struct model_nvme *m, uint16_t qid)
{
    struct model_nvme_sq *s = &m->sq[qid];

    while (s->exists && s->head != s->tail && m->in_flight < MODEL_NVME_MAX_COMMANDS &&
           !(m->csts & CSTS_CFS)) {
        uint32_t sqe[16];

        if (!m->host.dma_read(m->host.ctx, s->base + 64ull * s->head, sqe, sizeof sqe)) {
            model_nvme_set_fatal(m);
            return;
        }
        s->head = s->head + 1 == s->size ? 0 : s->head + 1;
        start_command(m, qid, sqe);
    }
}

void mn_advance_queues(struct model_nvme *m)
{
    uint64_t now = mn_now(m);
    bool any = false;

    if (now >= m->torn.due_ns)
        flush_torn(m);
    while (now >= m->next_due_ns && !m->gone && !(m->csts & CSTS_CFS)) {
        struct model_nvme_command *c = next_due(m);

        if (!c || c->due_ns > now)
            break;
        execute(m, c);
        any = true;
    }
    if (any) {
        next_due(m);
        for (uint16_t qid = 0; qid < MODEL_NVME_MAX_QUEUES; qid++)
            if (m->sq[qid].exists && m->sq[qid].head != m->sq[qid].tail)
                fetch(m, qid);
    }
}

void mn_drop_commands(struct model_nvme *m)
{
    for (uint32_t i = 0; i < m->in_flight && !m->gone; i++)
        if (m->command[i].sqid && (m->command[i].sqe[0] & 0xff) == 2 && m->command[i].stage == STAGE_WAITING)
            mn_io(m, &m->command[i]);
    m->seen.dropped += m->in_flight;
    m->in_flight = m->seen.in_flight_now = 0;
    m->next_due_ns = MODEL_NVME_NEVER;
}

/* ---- doorbells ---- */
static void ring_sq(struct model_nvme *m, uint16_t qid, uint32_t tail)
{
    struct model_nvme_sq *s = &m->sq[qid];
    uint32_t added, used;

    m->seen.sq_doorbells++;
    if (m->host.published && !m->host.published(m->host.ctx))
        mn_violation(m, "submission doorbell without publishing the entries", qid, tail);
    added = (tail + s->size - s->tail) % s->size;
    used = (s->tail + s->size - s->told_head) % s->size;
    if (!added)
        mn_violation(m, "submission doorbell without a new entry", tail, s->tail);
    else if (added > s->size - 1 - used)
        mn_violation(m, "submission queue overrun", added, s->size - 1 - used);
    s->tail = tail;
    fetch(m, qid);
}

static void ring_cq(struct model_nvme *m, uint16_t qid, uint32_t head)
{
    struct model_nvme_cq *q = &m->cq[qid];
    uint32_t taken = (head + q->size - q->head) % q->size;

    m->seen.cq_doorbells++;
    if (!taken)
        mn_violation(m, "completion doorbell without a completion taken", head, q->head);
    else if (taken > q->waiting)
        mn_violation(m, "completion doorbell beyond what was posted", taken, q->waiting);
    q->head = head;
    q->waiting = taken > q->waiting ? 0 : q->waiting - taken;
    for (uint32_t i = 0; i < m->in_flight; i++)
        if (m->command[i].stage == STAGE_NO_ROOM && m->sq[m->command[i].sqid].cqid == qid) {
            if (!post(m, &m->command[i]))
                break;
            i--;
        }
}

void mn_doorbell(struct model_nvme *m, uint32_t off, uint64_t v)
{
    uint32_t stride = 4u << (m->set.dstrd & 15), index = (off - 0x1000) / stride;
    uint16_t qid = (uint16_t)(index / 2);
    bool is_cq = index & 1;

    if (m->csts & CSTS_CFS)
        return;
    if (!(m->cc & CC_EN) || !(m->csts & CSTS_RDY) || m->csts & CSTS_SHST) {
        mn_violation(m, "a doorbell rang while the controller was not ready", m->csts, CSTS_RDY);
        return;
    }
    if ((off - 0x1000) % stride || index / 2 >= MODEL_NVME_MAX_QUEUES ||
        !(is_cq ? m->cq[qid].exists : m->sq[qid].exists)) {
        mn_violation(m, "a doorbell rang of a queue that does not exist", off, qid);
        return;
    }
    if (v >= (is_cq ? m->cq[qid].size : m->sq[qid].size)) {
        mn_violation(m, "doorbell value is out of range", v, is_cq ? m->cq[qid].size : m->sq[qid].size);
        return;
    }
    if (is_cq)
        ring_cq(m, qid, (uint32_t)v);
    else
        ring_sq(m, qid, (uint32_t)v);
}

void mn_bench_doorbell(struct model_nvme *m, uint32_t off, uint32_t v)
{
    uint32_t index = (off - 0x1000) >> (2 + (m->set.dstrd & 15));
    struct model_nvme_sq *s = &m->sq[index / 2];
    struct model_nvme_cq *q = &m->cq[s->cqid];

    if (index & 1) {
        m->seen.cq_doorbells++;
        return;
    }
    m->seen.sq_doorbells++;
    while (s->head != v) {
        uint32_t word[4], cdw0;

        m->host.dma_read(m->host.ctx, s->base + 64ull * s->head, &cdw0, 4);
        s->head = s->head + 1 == s->size ? 0 : s->head + 1;
        word[0] = word[1] = 0;
        word[2] = s->head | index / 2 << 16;
        word[3] = cdw0 >> 16 | (uint32_t)q->phase << 16;
        m->host.dma_write(m->host.ctx, q->base + 16ull * q->tail, word, 16);
        m->seen.io[cdw0 & 0xff]++;
        if (++q->tail == q->size) {
            q->tail = 0;
            q->phase = !q->phase;
        }
    }
    s->tail = v;
}
