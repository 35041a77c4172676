#ifndef TESTS_FUZZ_MFI_CARD_H
#define TESTS_FUZZ_MFI_CARD_H
#include "fuzz_lanes.h"
#include "mfi.h"
#include "model_mfi.h"

/* What the fuzz targets of the MegaRAID driver share: a card whose settings, drives and lies are the input.
 */

static struct model_mfi model;

/* A virtual drive's target, or 100h and a drive's device id; QEMU's drives are named by their slot. */
static unsigned unit_of_disk(const struct disk *d)
{
    const char *p = strrchr(d->name, '.') + 1;
    bool physical = *p == 'p';
    unsigned n = 0;

    for (p += 2; *p; p++)
        n = 10 * n + (unsigned)(*p - '0');
    if (!physical)
        return n;
    for (unsigned i = 0; model.qemu_ids && i < ARRAY_COUNT(model.pd); i++)
        if (model.pd[i].present && model.pd[i].slot == n)
            return 0x100u + model.pd[i].device_id;
    return 0x100 + n;
}
static struct model_medium *medium_of(void) { return &model.medium; }
static void pattern_of(const struct disk *d, uint64_t lba, uint8_t *out)
{
    model_mfi_pattern(unit_of_disk(d), lba, out, d->lba_bytes);
}

static inline uint64_t a_while_ns(void)
{
    static const uint64_t whiles_ns[] = {
        0, 1000, 10 * NS_PER_MS, 900 * NS_PER_MS, 20 * NS_PER_S, MODEL_MFI_NEVER
    };

    return whiles_ns[take8() % ARRAY_COUNT(whiles_ns)];
}

static inline void read_card(void)
{
    static const uint8_t states[] = { 0, 1, 4, 6, 7, 8, 9, 0xa, 0xb, 0xc, 0xf, 0xd };
    uint8_t flags = take8(), more = take8();

    model.max_cmds = (uint16_t)(more & 1 ? take16() % MODEL_MFI_FRAMES : 64);
    model.max_sge = more & 2 ? take8() : 80;
    model.ieee_sgl = more & 4 || model.generation == MODEL_MFI_SKINNY;
    model.max_request_sectors = more & 8 ? take16() : 0;
    model.max_strips_per_io = more & 16 ? (uint16_t)take16() : 128;
    model.memory_mib = more & 32 ? 0 : 512;
    model.step_count = more & 64 ? take8() % (MODEL_MFI_STEPS + 1) : 0;
    for (unsigned i = 0; i < model.step_count; i++) {
        model.step[i].state = states[take8() % ARRAY_COUNT(states)];
        model.step[i].ns = a_while_ns();
        /* A firmware that is READY and goes on to something else cannot be told from one that stays so. */
        lied |= model.step[i].state == MODEL_MFI_READY;
    }
    model.ring_leaves_status = flags & 1;
    model.posts_polled_frames = flags & 2;
    model.masking_resets = flags & 4;
    model.unknown_is_ok = flags & 8;
    model.queries_unknown = flags & 16;
    if ((flags & 0xe0) == 0xe0)
        model_mfi_like_qemu(&model);
    model.init_ns = a_while_ns();
    model.dcmd_ns = a_while_ns();
    model.latency_ns = a_while_ns();
    model.hand_back_ns = a_while_ns();
    model.ooo_step_ns = take16();
    model.bbu.type = take8() % 4;
    model.bbu.fw_status = take16();
}

static inline void read_medium(struct model_mfi_medium *d)
{
    uint8_t flags = take8();

    d->blocks = flags & 1 ? (uint64_t)take32() * (1 + take16()) : 1 + take16();
    d->block_bytes = flags & 2 ? 4096 : 512;
    d->physical_exponent = flags >> 2 & 3;
    d->no_capacity_16 = flags & 16;
    d->unit_attentions = flags >> 5 & 3;
    if (!d->blocks)
        d->blocks = 1;
    for (unsigned i = take8() & 3; i; i--) {
        d->bad[i].first = take16() % d->blocks;
        d->bad[i].count = take8();
        d->bad[i].once = flags & 128;
    }
}

static inline void read_drives(void)
{
    static const uint8_t states[] = { 0, 1, 2, 0x10, 0x11, 0x14, 0x18, 0x20, 0x40, 0x40, 0x40, 0x77 };

    for (unsigned i = take8() % 4; i; i--) {
        struct model_mfi_ld *ld = model_mfi_add_ld(&model, take8() & 0x3f, 100);

        ld->state = take8() & 7 ? 3 : take8();
        ld->primary_level = take8();
        ld->span_depth = take8() % 9;
        ld->drives_per_span = take8();
        ld->stripe_exponent = take8();
        ld->default_policy = take8();
        ld->current_policy = take8();
        ld->active = take8() & 3 ? 0 : take8();
        read_medium(&ld->medium);
    }
    for (unsigned i = take8() % 4; i; i--) {
        struct model_mfi_pd *pd =
            model_mfi_add_pd(&model, (uint16_t)(take8() & 1 ? take16() : 40 + i), (uint8_t)i, 0);

        pd->state = states[take8() % ARRAY_COUNT(states)];
        pd->scsi_type = take8() & 7 ? 0 : take8() & 31;
        pd->foreign = take8() & 1;
        pd->predictive_failures = take8() & 1;
        pd->ld_target = take8();
        read_medium(&pd->medium);
    }
    for (unsigned i = take8() % 8; i; i--)
        model_mfi_add_event(&model, take16(), (int)(take8() % 7) - 2, "an event of some length");
}

static inline void read_lies(void)
{
    static const uint32_t opcodes[] = { 0,          1,          3,          4,          0x01010000,
                                        0x01020100, 0x01040100, 0x01040300, 0x01101000, 0x02010000,
                                        0x02010100, 0x02020000, 0x03010000, 0x03010100, 0x03020000,
                                        0x03030000, 0x05010000 };

    for (unsigned i = take8() % 6; i; i--) {
        uint32_t opcode = opcodes[take8() % ARRAY_COUNT(opcodes)];
        enum model_mfi_lie_how how = take8() % (MODEL_MFI_BYTE + 1);
        uint32_t value = take32();

        model_mfi_lie(&model, opcode, how, how == MODEL_MFI_BYTE ? value & 0xfffff : value);
        lied |= how != MODEL_MFI_STATUS || !value;
    }
}

/* For fusion a reply that comes twice may end the next request of that number: nobody can see that. */
static inline void read_reply_mischief(unsigned long nth)
{
    switch (take8() % 5) {
    case 0:
        model.nth_stray = nth;
        break;
    case 1:
        model.nth_duplicate = nth;
        lied |= nth && model.generation >= MODEL_MFI_THUNDERBOLT;
        break;
    case 2:
        model.nth_half = nth;
        model.half_ns = a_while_ns();
        model.half_is_high = take8() & 1;
        break;
    case 3:
        model.nth_fail_pd = nth;
        model.fail_pd = (uint16_t)(41 + take8() % 4);
        model.rebuild_ns = a_while_ns() % MODEL_MFI_NEVER;
        break;
    default:
        break;
    }
}

static inline void read_mischief(void)
{
    unsigned long nth = take8() % 40;

    switch (take8() % 9) {
    case 0:
        model.nth_lost = nth;
        break;
    case 1:
        model.nth_status = nth;
        model.status_value = take8();
        lied |= !model.status_value;
        break;
    case 2:
        model.nth_late = nth;
        model.late_ns = a_while_ns();
        break;
    case 3:
        model.nth_fault = nth;
        break;
    case 4:
        model.nth_vanish = nth;
        break;
    case 5:
        model.nth_garbage_context = nth;
        break;
    case 6:
        model.nth_garbage_frame = nth;
        break;
    case 7:
        model.nth_short = nth; /* a good end without all data: nobody can see that */
        lied |= nth != 0;
        break;
    default:
        break;
    }
    model.nth_every = take8() & 1 ? 1 + take8() % 40u : 0;
}

/* What the card was told to do to its disks.  A card that lies about which number is which drive decides by
 * that where a write goes. */
static inline void check_writes(void)
{
    REQUIRE(lied || !model.seen.refused_writes);
    REQUIRE(wants_writes || (!model.seen.refused_writes && !model.seen.writes));
    model_mfi_free(&model);
}

#endif
