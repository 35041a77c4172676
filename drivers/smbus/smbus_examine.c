#include "smbus_internal.h"
#include "gate.h"

bool smbus_decline(struct smbus_host *h, enum smbus_state state, const char *why)
{
    h->e->state = state;
    str_copy(h->e->why, sizeof h->e->why, why);
    return false;
}

/* ---- looking ---- */

enum { LINE_SAMPLES = 250, LINE_STEP_US = 250, BUSY_LIMIT_MS = 100 };

static void watch_lines(struct smbus_host *h)
{
    struct smbus_evidence *e = h->e;
    unsigned before = 0;
    bool was_idle = false;

    for (unsigned i = 0; i < LINE_SAMPLES; i++) {
        unsigned now = h->ops->lines(h);
        bool idle = !h->ops->is_busy(h);

        if (!(now & LINE_KNOWN)) {
            e->has_pins = false;
            return;
        }
        e->has_pins = true;
        e->pin_samples++;
        e->clock_low += !(now & LINE_CLOCK_HIGH);
        e->data_low += (now & LINE_CLOCK_HIGH) && !(now & LINE_DATA_HIGH);
        e->foreign_edges += was_idle && idle && now != before;
        before = now;
        was_idle = idle;
        plat_stall_us(LINE_STEP_US);
    }
}

static void watch_busy(struct smbus_host *h)
{
    uint64_t started_ns = plat_now_ns(), ms = 0;

    while (ms < BUSY_LIMIT_MS && h->ops->is_busy(h)) {
        plat_stall_us(500);
        ms = (plat_now_ns() - started_ns) / NS_PER_MS;
        h->e->busy_ms = (uint16_t)max_u64(ms, 1);
    }
    if (h->e->busy_ms > BUSY_LIMIT_MS)
        h->e->busy_ms = BUSY_LIMIT_MS;
}

/* ---- reading ---- */

enum { COLLISION_TRIES = 3, TIMEOUTS_MAX = 2, HUB_BYTE_0 = 0x51, HUB_BYTE_1 = 0x18 };

static bool stop(struct smbus_host *h, const char *why)
{
    str_copy(h->e->why, sizeof h->e->why, why);
    return false;
}

static enum smbus_answer ask(struct smbus_host *h, uint8_t address, uint8_t command, uint8_t *value)
{
    enum smbus_answer a = ANSWER_REFUSED;

    if (!gate_permits(GATE_SMBUS, SMBUS_READ_BYTE_DATA, (uint32_t)address << 8 | command))
        return a;
    for (unsigned i = 0; i < COLLISION_TRIES; i++) {
        h->e->reads++;
        a = h->ops->read_byte(h, address, command, value);
        if (a != ANSWER_COLLISION)
            return a;
        h->e->collisions++;
    }
    return a;
}

/* False: the whole bus is left alone from here on. */
static bool take_answer(struct smbus_host *h, struct smbus_responder *r, enum smbus_answer a)
{
    struct smbus_evidence *e = h->e;

    switch (a) {
    case ANSWER_DATA:
        e->acknowledged++;
        r->answers = true;
        return true;
    case ANSWER_NONE:
        e->refused++;
        break;
    case ANSWER_LATE:
        e->late++;
        break;
    case ANSWER_COLLISION:
        break;
    case ANSWER_TIMED_OUT:
        r->abandoned = true;
        if (e->wedged)
            return stop(h, "the controller stayed busy after a transfer was ended");
        if (++e->timed_out >= TIMEOUTS_MAX)
            return stop(h, "two reads did not end: the rest was not read");
        return true;
    case ANSWER_REFUSED:
        return stop(h, "the gate refused a read");
    }
    r->gaps += r->answers;
    return true;
}

static bool read_responder(struct smbus_host *h, unsigned index, unsigned pass)
{
    struct smbus_responder *r = &h->e->responder[index];

    for (unsigned i = 0; i < SMBUS_BYTES && !r->abandoned; i++) {
        if (plat_now_ns() - h->started_ns > BUDGET_MS * NS_PER_MS)
            return stop(h, "the time for reading (2 s) was over");
        if (!take_answer(h, r, ask(h, (uint8_t)(SMBUS_FIRST + index), (uint8_t)i, &r->data[pass][i])))
            return false;
        if (!r->answers)
            return true; /* nobody is there */
        r->is_hub = r->data[0][0] == HUB_BYTE_0 && r->data[0][1] == HUB_BYTE_1;
        if (r->is_hub && i == 1)
            break;
    }
    r->passes += !r->abandoned;
    return true;
}

static void read_all(struct smbus_host *h)
{
    for (unsigned pass = 0; pass < SMBUS_PASSES; pass++)
        for (unsigned i = 0; i < SMBUS_ADDRESSES; i++)
            if ((!pass || h->e->responder[i].answers) && !read_responder(h, i, pass))
                return;
    h->e->complete = true;
}

static void probe(struct smbus_host *h)
{
    struct smbus_evidence *e = h->e;

    if (!h->ops->begin(h))
        return;
    e->probed = true;
    h->started_ns = plat_now_ns();
    if (e->busy_ms >= BUSY_LIMIT_MS) {
        e->killed_at_entry = h->ops->kill(h);
        e->wedged = !e->killed_at_entry;
    }
    if (e->wedged)
        stop(h, "it stayed busy after the transfer was ended");
    else
        read_all(h);
    e->took_ms = (uint16_t)min_u64((plat_now_ns() - h->started_ns) / NS_PER_MS, UINT16_MAX);
    h->ops->end(h);
}

void smbus_examine(const struct smbus_row *row, const struct pci_fn *fn, bool probing,
                   struct smbus_evidence *out)
{
    static const struct smbus_ops *const ops[] = {
        [SMBUS_I801] = &smbus_i801_ops,
        [SMBUS_PIIX4] = &smbus_piix4_ops,
        [SMBUS_NFORCE] = &smbus_nforce_ops,
    };
    struct smbus_host h = { .fn = fn, .row = row, .ops = ops[row->kind], .e = out };

    *out = (struct smbus_evidence){ .kind = row->kind, .state = SMBUS_SEEN };
    str_copy(out->name, sizeof out->name, row->name);
    str_fmt(out->pci_address, sizeof out->pci_address, "%04x:%02x:%02x.%u", fn->segment, fn->bus, fn->device,
            fn->function);
    if (row->base_from == BASE_NONE) {
        smbus_decline(&h, SMBUS_NO_DRIVER, "there is no driver for it");
        return;
    }
    if (!h.ops->open(&h)) {
        out->base = h.base;
        return;
    }
    out->base = h.base;
    if (h.ops->lines)
        watch_lines(&h);
    watch_busy(&h);
    if (probing && out->port)
        str_fmt(out->why, sizeof out->why,
                "the chip set's multiplexer points to port %u, and memory modules are on port 0", out->port);
    else if (probing)
        probe(&h);
    h.ops->close(&h);
}
