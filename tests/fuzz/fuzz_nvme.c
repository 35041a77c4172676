#include "fuzz_user.h"
#include "model_nvme.h"
#include "nvme.h"

/* The NVMe driver on a controller that lies.  The input is: settings, lies about commands, and a script of
 * what happens to single register reads and DMA writes; between these the model behaves, so that the driver
 * gets far.  What must hold whatever the device does: no crash, no leak, no endless loop, every slot comes
 * back exactly once, nothing outside of what is armed is changed.  A device that did not lie leads to no
 * violation and to the right data. */

/* ---- the script ---- */
enum event { REG_VALUE, REG_XOR, REG_ONES, DMA_XOR, DMA_FILL, DMA_DROP, UNPLUG, FATAL, EVENT_COUNT };
static struct {
    bool any;
    enum event event;
    uint32_t after, value; /* accesses of that kind until it happens */
    uint16_t at;
} next;
static struct model_nvme *model;
static struct model_host true_host;
static struct pci_fn *fn;

static void read_script(void)
{
    next.any = in_left != 0;
    if (!next.any)
        return;
    next.event = take8() % EVENT_COUNT;
    next.after = take8();
    next.at = (uint16_t)take16();
    next.value = take32();
    lied = true;
}

static bool due(bool is_dma)
{
    bool wants_dma = next.event >= DMA_XOR && next.event <= DMA_DROP;

    if (!next.any || wants_dma != is_dma)
        return false;
    if (next.after--)
        return false;
    return true;
}

static uint64_t lying_read(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    uint64_t v = model_nvme_ops.read(dev, bar, off, bytes);
    enum event event = next.event;
    uint32_t value = next.value;

    if (!due(false))
        return v;
    read_script();
    switch (event) {
    case REG_VALUE:
        return value;
    case REG_XOR:
        return v ^ value;
    case REG_ONES:
        return UINT64_MAX;
    case UNPLUG:
        model_unplug(fn);
        return UINT64_MAX;
    case FATAL:
        model_nvme_set_fatal(dev);
        return v;
    default:
        return v;
    }
}

static bool lying_dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    static uint8_t copy[4096];
    enum event event = next.event;
    uint32_t value = next.value;
    uint16_t at = next.at;

    if (n > sizeof copy || !n || !due(true))
        return true_host.dma_write(ctx, bus, src, n);
    read_script();
    if (event == DMA_DROP)
        return true;
    memcpy(copy, src, n);
    if (event == DMA_FILL)
        memset(copy, (int)value, n);
    for (unsigned i = 0; event == DMA_XOR && i < 4; i++)
        copy[(at + i) % n] ^= (uint8_t)(value >> (8 * i));
    return true_host.dma_write(ctx, bus, copy, n);
}

/* ---- the device ---- */
static void read_lies(void)
{
    static const int opcodes[] = { -1, 0x02, 0x01, 0x05, 0x06, 0x08, 0x09, 0x00, 0x04 };
    unsigned count = take8() % 5;

    for (unsigned i = 0; i < count; i++) {
        struct model_nvme_lie lie = { .kind = take8() % (MODEL_NVME_VANISH + 1) };

        lie.admin = take8() & 1;
        lie.opcode = opcodes[take8() % ARRAY_COUNT(opcodes)];
        lie.skip = take8() % 64;
        lie.times = take8() % 8;
        lie.arg = take32();
        lie.arg = lie.kind == MODEL_NVME_FLOOD ? lie.arg % 2048 : lie.arg;
        model_nvme_add_lie(model, lie);
        lied = true;
    }
}

/* What only some drives have: borrowed memory, power states, self-tests, boundaries, other controllers. */
static void read_features(void)
{
    struct model_nvme_settings *s = &model->set;

    s->hmpre = take8();
    s->hmmin = take8() & 0x3f;
    s->hmminds = take8() & 0x1f;
    s->hmmaxd = take8() & 0xf;
    s->apsta = take8();
    s->apst_on = s->apsta & 2;
    s->power_state = take8() & 0x1f;
    s->npss = s->power_state;
    s->oacs = (uint16_t)take16();
    s->cns_max = 0x12;
    s->cmic = take8();
    s->elpe = take8();
    s->vwc = take8();
    s->self_test_ns = (1 + take8()) * NS_PER_S;
    s->self_test_result = take8() & 15;
    s->critical_warning = take8();
    s->vendor_stripe = take8();
    if (s->vendor_stripe & 0x80) {
        s->vendor_id = 0x8086;
        s->device_id = 0x0a54;
    }
    model->ns[0].noiob = (uint16_t)take16();
    model->ns[0].nmic = take8();
    for (unsigned i = 0; i < 3; i++)
        s->crdt[i] = (uint16_t)take16();
}

static void read_settings(void)
{
    static const uint64_t delays_ns[] = { 0, 1000, 50000000, 20 * NS_PER_S, MODEL_NVME_NEVER };
    struct model_nvme_settings *s = &model->set;
    uint8_t flags = take8(), registers = take8();

    s->entry = take8() % (MODEL_NVME_ENTRY_SHUT_DOWN + 1);
    s->to = take8();
    s->mqes = (uint16_t)take16();
    s->dstrd = registers & 7;
    s->bar_bytes = 1u << 16;
    s->mpsmin = registers >> 3 & 3;
    s->css = registers & 0x20 ? 0x41 : 1;
    s->mdts = take8();
    s->ready_ns = delays_ns[take8() % 5];
    s->unready_ns = delays_ns[take8() % 5];
    s->shutdown_ns = delays_ns[take8() % 5];
    s->read_ns = delays_ns[take8() % 4];
    s->jitter_ns = take16();
    s->sq_granted = take8();
    s->cq_granted = take8();
    s->cns_max = flags & 1 ? 1 : 3;
    s->no_descriptors = flags & 2;
    s->abort_ignored = flags & 4;
    s->reset_keeps_fatal = flags & 8;
    s->vs = flags & 16 ? 0x00010000 : 0x00010400;
    model_now_step_ns = flags & 32 ? 100 : NS_PER_MS;
    s->acl = take8();
    s->maxcmd = (uint16_t)take16();
    for (unsigned i = take8() % 4; i; i--) {
        struct model_nvme_ns *n =
            model_nvme_add_ns(model, 1 + i * (1 + take8()), 1 + take32(), 512u << take8() % 4);

        n->metadata_bytes = take8() & 0x18;
        n->metadata_at_end = flags & 64;
        n->dps = take8() & 3;
        n->csi = take8() & 2;
    }
    if (flags & 128)
        read_features();
    /* A device that is slower than it says, or that asks for what it does not have, may be misunderstood. */
    lied = s->ready_ns >= NS_PER_S || s->unready_ns >= NS_PER_S || s->shutdown_ns >= NS_PER_S ||
           s->read_ns >= NS_PER_S || s->to <= 4;
}

/* ---- what the user must know of it ---- */
static unsigned unit_of_disk(const struct disk *d)
{
    unsigned nsid = 0;

    /* The name ends in the namespace's number: "nvme0n17". */
    for (const char *p = d->name + strlen("nvme0n"); *p; p++)
        nsid = 10 * nsid + (unsigned)(*p - '0');
    return nsid;
}
static struct model_medium *medium_of(void) { return &model->medium; }
static void pattern_of(const struct disk *d, uint64_t lba, uint8_t *out)
{
    model_nvme_pattern(unit_of_disk(d), lba, out, d->lba_bytes);
}

/* What a drive says about itself; its self-test is started before the reads and looked at after them. */
static void ask_about_health(struct controller *c, bool start)
{
    struct disk_health h;
    struct self_test_state s;

    if (!c->disk_count)
        return;
    struct disk *d = c->disks[0];
    int rc = nvme_driver.health(d, &h);
    REQUIRE(!rc || (!h.known && !h.warnings_known));
    REQUIRE(strnlen(h.note, sizeof h.note) < sizeof h.note);
    rc = start ? nvme_driver.self_test->start(d, SELF_TEST_SHORT, &s) : nvme_driver.self_test->look(d, &s);
    REQUIRE(strnlen(s.words, sizeof s.words) < sizeof s.words);
    REQUIRE(rc || s.percent_done <= 100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct model_device_ops ops;
    struct controller *c = NULL;
    struct fault fault = { 0 };

    take_input(data, size);
    all_ends_well = true;
    model_reset_world();
    model_quiet = true;
    model = model_nvme_new();
    REQUIRE(model);
    model_relax_step_ns = 10 * NS_PER_S;
    read_settings();
    uint8_t shapes = take8(), fail_at = take8();
    read_lies();
    ops = model_nvme_ops;
    ops.read = lying_read;
    fn = model_add_device(&ops, model, &model->host);
    true_host = model->host;
    model->host.dma_write = lying_dma_write;
    model_nvme_power_on(model);
    read_script();
    if (fail_at & 0x80) {
        model_fail_alloc_at = fail_at & 0x7f;
        lied = true;
    }
    if (!nvme_driver.attach(fn, 0, &c, &fault)) {
        REQUIRE(c && c->disks);
        ask_about_health(c, true);
        use_controller(c, shapes, 19);
        ask_about_health(c, false);
        nvme_driver.detach(c);
    } else {
        REQUIRE(fault.err && fault.what);
    }
    REQUIRE(!model_live_allocs());
    REQUIRE(model->seen.media_changes == model->seen.writes && !model->medium.writes_outside);
    REQUIRE(wants_writes || !model->seen.writes);
    REQUIRE(lied || !model_violations);
    model_nvme_free(model);
    return 0;
}
