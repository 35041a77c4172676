#include "ahci.h"
#include "fuzz_lanes.h"
#include "model_ahci.h"

/* The AHCI driver on an adapter whose settings, drives and mischief are the input, with lies on top. */

static struct model_ahci model;

static unsigned unit_of_disk(const struct disk *d)
{
    unsigned port = 0;

    for (const char *p = strrchr(d->name, '.') + 1; *p; p++)
        port = 10 * port + (unsigned)(*p - '0');
    return port;
}
static struct model_medium *medium_of(void) { return &model.medium; }
static void pattern_of(const struct disk *d, uint64_t lba, uint8_t *out)
{
    model_ahci_pattern(unit_of_disk(d), lba, out, d->lba_bytes);
}

static const uint64_t whiles_ns[] = {
    0, 1000, 10 * NS_PER_MS, 300 * NS_PER_MS, 7 * NS_PER_S, MODEL_AHCI_NEVER
};
static uint64_t a_while_ns(void) { return whiles_ns[take8() % ARRAY_COUNT(whiles_ns)]; }

static void read_adapter(void)
{
    uint8_t flags = take8(), more = take8();

    model.slots = 1 + take8() % MODEL_AHCI_SLOTS;
    model.s64a = flags & 1;
    model.sncq = flags & 2;
    model.sss = flags & 4;
    model.sclo = flags & 8;
    model.spm = flags & 16;
    model.ahci_only = flags & 32;
    model.left_running = flags & 64;
    model.pi_lost_by_reset = flags & 128;
    model.bohc = more % 4;
    model.bohc_busy = more & 4;
    model.ae_writes_ignored = more >> 3 & 7;
    model.pi = more & 64 ? 0x80000005 : 0x0f;
    model.bohc_ns = a_while_ns();
    model.hr_ns = a_while_ns();
    model.cr_ns = a_while_ns();
    model.fr_ns = a_while_ns();
}

static void read_mischief(struct model_ahci_drive *d)
{
    unsigned long nth = take8() % 40;

    switch (take8() % 12) {
    case 0:
        d->nth_lost = nth;
        break;
    case 1:
        d->nth_wrong_tag = nth;
        lied |= nth != 0; /* it says that it moved data and did not */
        break;
    case 2:
        d->nth_link_drop = nth;
        d->drop_ns = a_while_ns();
        break;
    case 3:
        d->nth_serr = nth;
        d->serr_bits = take32();
        break;
    case 4:
        d->nth_abort = nth;
        break;
    case 5:
        d->nth_short = nth;
        break;
    case 6:
        d->nth_vanish = nth;
        break;
    case 7:
        d->nth_interface_error = nth;
        break;
    case 8:
        d->sact_lie = take32();
        d->ci_lie = take32();
        lied = true;
        break;
    case 9:
        strcpy(d->serial_after_comreset, "ANOTHER");
        break;
    case 10:
        d->identify_aborts = (unsigned)nth;
        break;
    default:
        break;
    }
}

static void read_drive(unsigned port)
{
    struct model_ahci_drive *d = model_ahci_add_disk(&model, port, 1 + take32() % 100000);
    uint8_t flags = take8();

    d->kind = flags & 15 ? MODEL_AHCI_DISK : take8() % (MODEL_AHCI_NO_LINK + 1);
    d->speed = 1 + (flags >> 4) % 3;
    d->det_ns = a_while_ns();
    d->ready_ns = a_while_ns();
    d->ready_after_comreset_ns = a_while_ns();
    d->queue_depth = take8() % 33;
    d->sector_bytes = take8() & 7 ? 512 : 4096;
    flags = take8();
    d->physical_exponent = flags & 3;
    d->standby = flags & 4;
    d->idle = flags & 8;
    d->puis = (flags & 0x30) == 0x30 ? 0x37c8 : (flags & 0x30) == 0x20 ? 0x738c : 0;
    d->smart_hangs = (flags & 0xc4) == 0xc4;
    d->smart_off = (flags & 0xc0) == 0x40;
    flags = take8();
    d->checksum = flags % 3;
    d->rotation_rpm = flags & 0x80 ? 7200 : 1;
    d->native_lba_count = flags & 0x40 ? d->lba_count + (flags & 0x20) : 0;
    flags = take8();
    d->identify_untouched = (flags & 7) == 7;
    d->no_signature = (flags & 0x38) == 0x38;
    d->security_locked = (flags & 0xc0) == 0xc0;
    d->latency_ns = a_while_ns();
    d->ooo_step_ns = take16();
    uint8_t more = take8();
    d->speed_that_works = more & 8 ? 1 : 0;
    d->wake_ns = whiles_ns[(more & 7) % ARRAY_COUNT(whiles_ns)];
    d->self_test_ns = more & 16 ? 3 * NS_PER_S : 0;
    d->self_test_code = more >> 5;
    for (unsigned i = take8() & 3; i; i--) {
        d->bad[i].first = take32() % d->lba_count;
        d->bad[i].count = take8();
    }
    d->bad_once = more & 32;
    d->abort_without_unc = more & 64;
    d->log10 = take8() % (MODEL_AHCI_LOG10_WRONG_TAG + 1);
    flags = take8();
    d->log10_tag = flags;
    d->no_logs = flags & 0x20;
    d->statistics = flags & 0x40;
    d->smart_bad_checksum = flags & 0x80;
    for (unsigned i = take8() & 7; i > 4; i--) {
        d->identify_or[take8()] = (uint16_t)take16();
        lied = true;
    }
    read_mischief(d);
}

/* ---- the driver, with a user who asks about health whenever nothing is in flight ---- */
static void ask(struct controller *c)
{
    struct disk_health h;
    struct self_test_state s;

    for (unsigned i = 0; i < c->disk_count; i++) {
        struct disk *d = c->disks[i];

        if (ahci_driver.health(d, &h))
            REQUIRE(!h.known && !h.warnings_known && !h.note[0]);
        if (!ahci_driver.self_test->start(d, i & 1, &s))
            model_advance_ns(NS_PER_S);
        ahci_driver.self_test->look(d, &s);
        REQUIRE(!s.has_failing_lba || s.failing_lba < d->lba_count);
        ahci_driver.self_test->abort(d);
        REQUIRE(strlen(d->settings) < sizeof d->settings);
    }
    ahci_driver.look_around(c);
}

static int attach_and_ask(const struct pci_fn *f, unsigned index, struct controller **out,
                          struct fault *fault)
{
    int rc = ahci_driver.attach(f, index, out, fault);

    if (rc == OK)
        ask(*out);
    return rc;
}

static void ask_and_detach(struct controller *c)
{
    ask(c);
    ahci_driver.detach(c);
}

static const struct controller_driver asking_driver = { .attach = attach_and_ask, .detach = ask_and_detach };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    take_input(data, size);
    lied = false;
    model_reset_world();
    model_quiet = !getenv("FUZZ_SAY");
    model_relax_step_ns = 10 * NS_PER_S;
    model_ahci_init(&model);
    read_adapter();
    for (unsigned port = 0; port < 3; port++)
        read_drive(port & 1 ? 2 : port / 2);
    uint8_t shapes = take8(), fail_at = take8();
    live(&asking_driver, &model_ahci_ops, &model, &model.host, shapes, fail_at);
    for (unsigned i = 0; i < MODEL_AHCI_PORTS; i++)
        REQUIRE(!model.port[i].seen.refused_writes);
    REQUIRE(!model.medium.writes_outside && (wants_writes || !model.medium.writes));
    model_ahci_free(&model);
    return 0;
}
