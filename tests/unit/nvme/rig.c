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

struct io_lane *rig_open(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot)
{
    struct lane_shape shape = { .depth = depth,
                                .buffer_per_slot = buffer_per_slot,
                                .request_bytes = request_bytes };
    struct io_lane *l;

    EQ(d->ops->open(d, &shape, &l), OK);
    CHECK(l);
    return l;
}

struct io_lane *rig_open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot,
                                uint64_t first_lba, uint64_t blocks)
{
    struct lane_shape shape = {
        .depth = depth, .buffer_per_slot = buffer_per_slot, .writes = true, .request_bytes = request_bytes
    };
    struct io_lane *l;

    rig.writes = true;
    if (!gate_is_armed(d->identity, NULL, NULL))
        EQ(gate_arm(d->identity, first_lba, blocks), OK);
    medium_permit(&rig.m->medium, rig_nsid(d), first_lba, blocks);
    EQ(d->ops->open(d, &shape, &l), OK);
    return l;
}

void rig_submit(struct io_lane *l, enum io_op op, uint16_t slot, uint64_t lba, uint32_t blocks)
{
    struct io_request r = { .lba = lba, .blocks = blocks, .slot = slot, .op = (uint16_t)op };

    EQ(l->disk->ops->submit(l, &r, 1), 1);
    l->disk->ops->kick(l);
}

void rig_stamp(uint8_t *block, uint32_t block_bytes, uint64_t lba, uint32_t pass)
{
    for (uint32_t i = 0; i < block_bytes / 8; i++) {
        uint64_t word = (lba << 20 ^ i ^ (uint64_t)pass << 56) * 0x9e3779b97f4a7c15ull;
        memcpy(block + 8 * i, &word, 8);
    }
}

void rig_write(struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    struct io_completion c;
    uint32_t block_bytes = l->disk->lba_bytes;

    for (uint32_t i = 0; i < blocks; i++)
        rig_stamp(lane_data(l, slot) + (size_t)i * block_bytes, block_bytes, lba + i, pass);
    rig_submit(l, IO_WRITE, slot, lba, blocks);
    EQ(rig_wait(l, &c, 1), 1);
    EQ(c.slot, slot);
    EQ(c.status, IO_OK);
    EQ(c.detail, 0);
}

void rig_flush(struct io_lane *l, uint16_t slot)
{
    struct io_completion c;

    rig_submit(l, IO_FLUSH, slot, 0, 0);
    EQ(rig_wait(l, &c, 1), 1);
    EQ(c.slot, slot);
    EQ(c.status, IO_OK);
}

bool rig_holds(const struct disk *d, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    uint8_t *want = malloc(d->lba_bytes);
    bool same = true;

    for (uint32_t i = 0; i < blocks && same; i++) {
        const uint8_t *got = medium_read(&rig.m->medium, rig_nsid(d), lba + i);

        rig_stamp(want, d->lba_bytes, lba + i, pass);
        same = got && !memcmp(got, want, d->lba_bytes);
    }
    free(want);
    return same;
}

void rig_send(struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks)
{
    rig_submit(l, IO_READ, slot, lba, blocks);
}

unsigned rig_wait(struct io_lane *l, struct io_completion *c, unsigned n)
{
    uint64_t end_ns = model_clock_ns + NS_PER_S;
    unsigned got = 0;

    while (got < n && model_clock_ns < end_ns) {
        got += l->disk->ops->poll(l, c + got, n - got);
        model_advance_ns(10000);
    }
    return got;
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
    rig_send(l, slot, lba, blocks);
    EQ(rig_wait(l, &c, 1), 1);
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
