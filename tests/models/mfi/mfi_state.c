#include "mfi_parts.h"

/* What happens by itself as time passes: work under way, batteries, failing members, a log that grows (fact
 * sheet 4.4, 4.5, 4.7 to 4.9, 8.1 and 8.3). */

enum { LD_INIT_BITS = 1 << 1 | 1 << 2, EVENTS_AT_ONCE = 64 };
enum { EVENT_LD_STATE = 0x51, EVENT_PD_STATE = 0x72 };
#define BBU_CHARGING  0x008u
#define BBU_DISCHARGE 0x010u
#define BBU_REQUESTED 0x020u
#define BBU_LEARNING  0x040u

/* ---- events ---- */
static bool wanted(const uint8_t *mbox, const struct model_mfi_event *e)
{
    uint32_t word = get32(mbox + 4);

    return e->seq >= get32(mbox) && e->severity >= (int8_t)(word >> 24) && e->locale & word & 0xffff;
}

static void wake_waiters(struct model_mfi *m, const struct model_mfi_event *e)
{
    uint8_t mbox[8];

    for (unsigned i = 0; i < m->frame_top; i++) {
        struct model_mfi_frame *f = &m->frame[i];

        if (f->in_flight && f->pended && m->host.dma_read(m->host.ctx, f->address + 28, mbox, sizeof mbox) &&
            wanted(mbox, e))
            f->due_ns = model_mfi_now_ns(m);
    }
}

void model_mfi_add_event(struct model_mfi *m, uint32_t code, int severity, const char *text)
{
    struct model_mfi_event *e;

    if (m->event_count == MODEL_MFI_EVENTS) /* circular: the oldest is forgotten */
        memmove(m->event, m->event + 1, --m->event_count * sizeof m->event[0]);
    e = &m->event[m->event_count++];
    memset(e, 0, sizeof *e);
    if (!m->next_seq)
        m->next_seq = m->boot_seq;
    e->seq = m->next_seq++;
    e->time_s = 0xff000000u + e->seq - m->boot_seq + 1;
    e->code = code;
    e->locale = 1;
    e->severity = (int8_t)severity;
    strncpy(e->text, text, sizeof e->text - 1);
    wake_waiters(m, e);
}

static void grow_log(struct model_mfi *m)
{
    uint64_t at_ns = model_mfi_now_ns(m);

    if (!m->event_period_ns) {
        m->event_due_ns = 0;
        return;
    }
    if (!m->event_due_ns)
        m->event_due_ns = at_ns + m->event_period_ns;
    for (unsigned i = 0; i < EVENTS_AT_ONCE && at_ns >= m->event_due_ns; i++) {
        m->event_due_ns += m->event_period_ns;
        model_mfi_add_event(m, m->event_period_code, 0, "this happens again and again");
    }
    if (at_ns >= m->event_due_ns)
        m->event_due_ns = at_ns + m->event_period_ns;
}

/* ---- states of virtual drives ---- */
static unsigned redundancy(uint8_t level)
{
    return level == 6 ? 2 : level == 0 || level == 0x0f || level == 0x1f ? 0 : 1;
}

/* Failed members of the span that has most of them; members belong to spans in the order of their slots. */
static unsigned worst_span(const struct model_mfi *m, const struct model_mfi_ld *ld)
{
    unsigned per_span = ld->drives_per_span ? ld->drives_per_span : 1, member = 0, worst = 0, bad = 0;

    for (unsigned i = 0; i < MODEL_MFI_PDS; i++) {
        const struct model_mfi_pd *pd = &m->pd[i];

        if (!pd->present || pd->ld_target != ld->target)
            continue;
        if (member++ % per_span == 0)
            bad = 0;
        bad += pd->state != MODEL_MFI_PD_ONLINE;
        if (bad > worst)
            worst = bad;
    }
    return worst;
}

static void judge_ld(struct model_mfi *m, struct model_mfi_ld *ld)
{
    unsigned bad = worst_span(m, ld), spare = redundancy(ld->primary_level);
    uint8_t state = MODEL_MFI_LD_OPTIMAL;

    if (bad > spare)
        state = MODEL_MFI_LD_OFFLINE;
    else if (bad)
        state = bad < spare ? MODEL_MFI_LD_PARTIAL : MODEL_MFI_LD_DEGRADED;
    if (state == ld->state)
        return;
    ld->state = state;
    ld->seq++;
    model_mfi_add_event(m, EVENT_LD_STATE, state == MODEL_MFI_LD_OPTIMAL ? 0 : 2, "VD changed its state");
}

static void judge_ld_of(struct model_mfi *m, const struct model_mfi_pd *pd)
{
    struct model_mfi_ld *ld = pd->ld_target == 0xff ? NULL : model_mfi_ld_of(m, pd->ld_target);

    if (ld)
        judge_ld(m, ld);
}

/* ---- work ---- */
static void start(struct model_mfi *m, struct model_mfi_work *w, uint64_t ns)
{
    if (!w->ns)
        m->works++;
    w->start_ns = model_mfi_now_ns(m);
    w->ns = ns ? ns : 1;
}

void model_mfi_start_ld(struct model_mfi *m, struct model_mfi_ld *ld, unsigned bit, uint64_t ns)
{
    ld->active |= 1u << bit;
    ld->progress[bit] = ld->elapsed_s[bit] = 0;
    start(m, &ld->work[bit], ns);
}

void model_mfi_start_pd(struct model_mfi *m, struct model_mfi_pd *pd, unsigned bit, uint64_t ns)
{
    pd->active |= 1u << bit;
    pd->progress[bit] = pd->elapsed_s[bit] = 0;
    if (bit == 0 && pd->state != MODEL_MFI_PD_REBUILD) {
        pd->state = MODEL_MFI_PD_REBUILD;
        pd->seq++;
        judge_ld_of(m, pd);
    }
    start(m, &pd->work[bit], ns);
}

/* True: it has come to its end. */
static bool advance(struct model_mfi *m, struct model_mfi_work *w, uint16_t *progress, uint16_t *elapsed_s)
{
    uint64_t gone_ns = model_mfi_now_ns(m) - w->start_ns;

    if (gone_ns < w->ns) {
        /* Of both the upper bits, so that the product fits 64 bits whatever the time. */
        unsigned shift = 0;
        while (w->ns >> shift >> 47)
            shift++;
        *progress = (uint16_t)((gone_ns >> shift) * 65535 / (w->ns >> shift));
        *elapsed_s = (uint16_t)(gone_ns / 1000000000 > 65535 ? 65535 : gone_ns / 1000000000);
        return false;
    }
    w->ns = 0;
    m->works--;
    *progress = *elapsed_s = 0;
    return true;
}

static void advance_ld(struct model_mfi *m, struct model_mfi_ld *ld)
{
    for (unsigned i = 0; i < 4; i++) {
        if (!ld->work[i].ns || !advance(m, &ld->work[i], &ld->progress[i], &ld->elapsed_s[i]))
            continue;
        ld->active &= ~(1u << i);
        if (1 << i & LD_INIT_BITS)
            ld->consistent = 1;
    }
}

static void advance_pd(struct model_mfi *m, struct model_mfi_pd *pd)
{
    for (unsigned i = 0; i < 3; i++) {
        if (!pd->work[i].ns || !advance(m, &pd->work[i], &pd->progress[i], &pd->elapsed_s[i]))
            continue;
        pd->active &= ~(1u << i);
        if (i == 0 && pd->state == MODEL_MFI_PD_REBUILD) {
            pd->state = MODEL_MFI_PD_ONLINE;
            pd->seq++;
            model_mfi_add_event(m, EVENT_PD_STATE, 0, "PD is rebuilt");
            judge_ld_of(m, pd);
        }
    }
}

static void advance_learn(struct model_mfi *m)
{
    struct model_mfi_bbu *b = &m->bbu;
    uint16_t part = 0, seconds;

    if (!b->learn.ns)
        return;
    b->fw_status &= ~(BBU_CHARGING | BBU_DISCHARGE);
    if (advance(m, &b->learn, &part, &seconds)) {
        b->fw_status &= ~(BBU_LEARNING | BBU_REQUESTED);
        b->charge_percent = 100;
        b->cycles++;
        return;
    }
    b->fw_status |= BBU_LEARNING | (part < 32768 ? BBU_DISCHARGE : BBU_CHARGING);
    b->charge_percent = (uint16_t)((part < 32768 ? 32768 - part : part - 32767) * 100u / 32768);
}

void model_mfi_start_learn(struct model_mfi *m, uint64_t ns)
{
    start(m, &m->bbu.learn, ns);
    advance_learn(m);
}

void model_mfi_state_tick(struct model_mfi *m)
{
    grow_log(m);
    if (!m->works)
        return;
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++)
        advance_ld(m, &m->ld[i]);
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++)
        advance_pd(m, &m->pd[i]);
    advance_learn(m);
}

/* ---- members ---- */
void model_mfi_fail_pd(struct model_mfi *m, struct model_mfi_pd *pd)
{
    uint8_t target = pd->ld_target;

    if (pd->state == MODEL_MFI_PD_FAILED)
        return;
    pd->state = MODEL_MFI_PD_FAILED;
    pd->seq++;
    model_mfi_add_event(m, EVENT_PD_STATE, 2, "PD failed");
    judge_ld_of(m, pd);
    if (target == 0xff || !m->rebuild_ns)
        return;
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++) {
        struct model_mfi_pd *spare = &m->pd[i];

        if (!spare->present || spare->state != MODEL_MFI_PD_SPARE)
            continue;
        pd->ld_target = 0xff;
        spare->ld_target = target;
        model_mfi_start_pd(m, spare, 0, m->rebuild_ns);
        return;
    }
}

/* ---- policies ---- */
bool model_mfi_bbu_bad(const struct model_mfi *m)
{
    const struct model_mfi_bbu *b = &m->bbu;
    uint32_t bad = b->type == 1 ? 0xc73 : 0xc01 | BBU_LEARNING;

    return !b->type || b->fw_status & bad || (b->type != 1 && !b->healthy);
}

uint8_t model_mfi_current_policy(const struct model_mfi *m, const struct model_mfi_ld *ld)
{
    uint8_t policy = ld->default_policy & 0x7f;

    if (!m->policies_follow)
        return ld->current_policy;
    if (!m->memory_mib)
        return policy & 0x60; /* no cache: write through, no read ahead */
    if (policy & 1 && !(policy & 0x10) && model_mfi_bbu_bad(m))
        policy &= (uint8_t)~1u;
    return policy;
}
