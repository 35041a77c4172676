#include "fuzz_mfi_card.h"
#include "raid.h"

/* Every parser of a management answer: a well-behaved card of any generation whose answers to DCMDs are
 * changed by the input, from single bytes to all of it. */

enum { HONEST, BYTES, WHOLE, SHORT, STATUS, FILLED };

static void patch(uint8_t *out, uint32_t cap)
{
    for (unsigned i = 1 + take8() % 8; i && cap; i--) {
        uint32_t at = take16() % cap, bytes = 1u << (take8() & 3);

        for (uint32_t k = 0; k < bytes && at + k < cap; k++)
            out[at + k] = take8();
    }
}

static void edit(struct model_mfi *m, uint32_t opcode, uint8_t *out, uint32_t cap, uint32_t *n,
                 uint8_t *status)
{
    (void)m;
    (void)opcode;
    if (!in_left)
        return;
    switch (take8() % 8) {
    case BYTES:
    case BYTES + 5:
    case BYTES + 6:
        patch(out, cap);
        *n = cap;
        *status = 0;
        break;
    case WHOLE:
        *n = take16() % (cap + 1);
        for (uint32_t i = 0; i < *n; i++)
            out[i] = take8();
        *status = 0;
        break;
    case SHORT:
        *n = take16() % (*n + 1);
        break;
    case STATUS:
        *status = take8();
        break;
    case FILLED:
        *n = cap;
        memset(out, take8(), cap);
        patch(out, cap);
        *status = 0;
        break;
    default:
        break;
    }
}

/* Drives of every kind, for the answers to have something to say. */
static void plug(void)
{
    static const uint16_t states[] = { 0x18, 0x18, 0x40, 0x02, 0x11, 0x14 };

    model_mfi_add_ld(&model, 0, 1 << 20)->primary_level = 5;
    model_mfi_add_ld(&model, 1, 1 << 20);
    for (unsigned i = 0; i < ARRAY_COUNT(states); i++) {
        struct model_mfi_pd *pd = model_mfi_add_pd(&model, (uint16_t)(8 + i), (uint8_t)i, states[i]);

        pd->ld_target = states[i] == 0x18 || states[i] == 0x11 ? 0 : 0xff;
    }
    model.pd[0].interface_type = 3; /* one tells SMART, one log pages */
    model.pd[0].self.smart = model.pd[1].self.logs = true;
    model_mfi_add_pd(&model, 32, 255, 0)->scsi_type = 13;
    model.bbu.type = 2;
    for (unsigned i = 0; i < 20; i++)
        model_mfi_add_event(&model, 0x50 + i, (int)(i % 7) - 2, "an event of some length");
}

static void ask_all(struct controller *c)
{
    static struct raid_event events[3];
    static struct disk_health health;
    const struct raid_ops *raid = c->driver->raid;

    REQUIRE(c->disk_count <= CONTROLLER_MAX_DISKS && raid->card(c));
    for (unsigned i = 0; i < c->disk_count; i++) {
        struct disk *d = c->disks[i];

        REQUIRE(d->ops || d->why_not[0]);
        REQUIRE(!d->ops || (d->lba_bytes >= 512 && d->lba_count && d->max_depth));
        raid->virtual_drive(d);
        raid->drive(d);
        c->driver->health(d, &health);
        raid->locate(d, true);
        raid->locate(d, false);
    }
    for (unsigned i = 0; i < 4; i++)
        REQUIRE(raid->new_events(c, events, ARRAY_COUNT(events)) <= ARRAY_COUNT(events));
}

static void live_without_lanes(void)
{
    struct controller *c = NULL;
    struct fault fault = { 0 };

    fn = model_add_device(&model_mfi_ops, &model, &model.host);
    if (mfi_driver.attach(fn, 0, &c, &fault)) {
        REQUIRE(fault.err && fault.what);
    } else {
        ask_all(c);
        model_mfi_add_event(&model, 0xfc, 2, "VD 00 is offline");
        mfi_driver.look_around(c);
        ask_all(c);
        mfi_driver.detach(c);
    }
    REQUIRE(!model_live_allocs() || strstr(model_last_log(), "its DMA memory is never used again"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    take_input(data, size);
    model_reset_world();
    model_quiet = !getenv("FUZZ_SAY");
    model_relax_step_ns = 10 * NS_PER_S;
    model_mfi_init(&model, (enum model_mfi_generation)(take8() % MODEL_MFI_ALL));
    model.max_cmds = 32; /* little memory, for speed */
    plug();
    model.edit = edit;
    model.may_locate = true;
    live_without_lanes();
    REQUIRE(!model.seen.resets);
    check_writes();
    return 0;
}
