#include "rig.h"
#include "gate.h"
#include <stdlib.h>
#include <string.h>

struct rig rig;

static bool edited_dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    uint8_t page[4096];

    if (n != sizeof page || !rig.edit)
        return rig.dma_write(ctx, bus, src, n);
    memcpy(page, src, n);
    rig.edit(rig.pages++, page);
    return rig.dma_write(ctx, bus, page, n);
}

void rig_plug(void)
{
    model_reset_world();
    gate_disarm_all();
    model_quiet = true;
    model_nvme_free(rig.m);
    memset(&rig, 0, sizeof rig);
    rig.m = model_nvme_new();
    CHECK(rig.m);
}

void rig_power(void)
{
    rig.fn = model_add_device(rig.ops ? rig.ops : &model_nvme_ops, rig.m, &rig.m->host);
    rig.dma_write = rig.m->host.dma_write;
    rig.m->host.dma_write = edited_dma_write;
    model_nvme_power_on(rig.m);
}

int rig_attach(void)
{
    rig.fault = (struct fault){ 0 };
    return nvme_driver.attach(rig.fn, 0, &rig.c, &rig.fault);
}

void rig_up(void)
{
    if (!rig.m)
        rig_plug();
    rig_power();
    EQ(rig_attach(), OK);
    EQ(rig.fault.err, OK);
}

/* Only what the driver needs, by opcode; features only where the test says that there is something to set. */
static void check_opcodes(void)
{
    static const uint8_t admin[] = { 0x00, 0x01, 0x02, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0a, 0x14 };
    uint64_t allowed = 0, seen = 0;

    for (unsigned i = 0; i < 256; i++)
        seen += rig.m->seen.admin[i];
    for (unsigned i = 0; i < sizeof admin; i++)
        allowed += rig.m->seen.admin[admin[i]];
    EQ(seen, allowed);
    for (unsigned i = 0; i < 256; i++)
        if (i != 0x02 && !(rig.writes && i < 2))
            EQ(rig.m->seen.io[i], 0);
    EQ(rig.m->seen.media_changes, rig.writes ? rig.m->seen.writes : 0);
    EQ(rig.m->medium.writes_outside, 0);
    if (!rig.sets_features)
        EQ(rig.m->seen.features_set, 0);
}

static void take_away(void)
{
    if (rig.c)
        nvme_driver.detach(rig.c);
    rig.c = NULL;
    EQ(model_live_allocs(), 0);
    EQ_STR(model_first_violation(), "");
    check_opcodes();
}

static void unplug(void)
{
    model_nvme_free(rig.m);
    memset(&rig, 0, sizeof rig);
}

void rig_down(void)
{
    uint64_t unsafe = rig.m->unsafe_shutdowns;

    take_away();
    EQ(rig.m->cc & 1, 0);
    EQ(rig.m->csts & 1, 0);
    model_nvme_power_cycle(rig.m);
    EQ(rig.m->unsafe_shutdowns, unsafe);
    unplug();
}

void rig_down_broken(void)
{
    take_away();
    unplug();
}

struct disk *rig_disk(unsigned index)
{
    CHECK(index < rig.c->disk_count);
    EQ_STR(rig.c->disks[index]->why_not, "");
    CHECK(rig.c->disks[index]->ops);
    return rig.c->disks[index];
}

bool rig_has_remark(const char *part)
{
    for (unsigned i = 0; i < rig.c->remark_count; i++)
        if (strstr(rig.c->remarks[i].text, part))
            return true;
    return false;
}

const char *rig_first_remark(void) { return rig.c->remark_count ? rig.c->remarks[0].text : ""; }

struct io_lane *rig_open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot,
                                uint64_t first_lba, uint64_t blocks)
{
    rig.writes = true;
    return hand_open_writes(d, depth, request_bytes, buffer_per_slot, &rig.m->medium, rig_nsid(d), first_lba,
                            blocks);
}

void rig_flush(struct io_lane *l, uint16_t slot)
{
    struct io_completion c;

    hand_submit(l, IO_FLUSH, slot, 0, 0);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.slot, slot);
    EQ(c.status, IO_OK);
}

bool rig_holds(const struct disk *d, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    return hand_medium_holds(&rig.m->medium, rig_nsid(d), d->lba_bytes, lba, blocks, pass);
}

uint32_t rig_nsid(const struct disk *d) { return (uint32_t)strtoul(strrchr(d->name, 'n') + 1, NULL, 10); }

void rig_check_data(const struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks)
{
    uint32_t block_bytes = l->disk->lba_bytes;
    uint8_t *want = malloc(block_bytes);
    bool same = true;

    for (uint32_t i = 0; i < blocks && same; i++) {
        model_nvme_pattern(rig_nsid(l->disk), lba + i, want, block_bytes);
        same = !memcmp(lane_data(l, slot) + (size_t)i * block_bytes, want, block_bytes);
    }
    free(want);
    CHECK(same);
}

void rig_read(struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks)
{
    struct io_completion c;

    memset(lane_data(l, slot), 0xee, (size_t)blocks * l->disk->lba_bytes);
    hand_send(l, slot, lba, blocks);
    EQ(hand_wait(l, &c, 1), 1);
    EQ(c.slot, slot);
    EQ(c.status, IO_OK);
    EQ(c.detail, 0);
    EQ(c.retries, 0);
    rig_check_data(l, slot, lba, blocks);
}

void rig_lie(enum model_nvme_lie_kind kind, bool admin, int opcode, uint32_t skip, uint32_t times,
             uint64_t arg)
{
    model_nvme_add_lie(
        rig.m,
        (struct model_nvme_lie){
            .kind = kind, .admin = admin, .opcode = opcode, .skip = skip, .times = times, .arg = arg });
}

void rig_close(struct io_lane *l) { l->disk->ops->close(l); }
