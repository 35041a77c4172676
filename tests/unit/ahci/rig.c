#include "rig.h"
#include <stdlib.h>
#include <string.h>

struct rig rig;

void rig_plug(void)
{
    model_reset_world();
    gate_disarm_all();
    model_quiet = !getenv("LOUD");
    model_ahci_free(&rig.m);
    memset(&rig, 0, sizeof rig);
    model_ahci_init(&rig.m);
}

struct model_ahci_drive *rig_plug_disk(unsigned port)
{
    return model_ahci_add_disk(&rig.m, port, RIG_DISK_BLOCKS);
}

static void count_access(void)
{
    if (++rig.accesses == rig.vanish_at)
        rig.m.gone = true;
}

static uint64_t counted_read(void *dev, unsigned bar, uint32_t off, unsigned bytes)
{
    count_access();
    return model_ahci_ops.read(dev, bar, off, bytes);
}

static void counted_write(void *dev, unsigned bar, uint32_t off, unsigned bytes, uint64_t v)
{
    count_access();
    model_ahci_ops.write(dev, bar, off, bytes, v);
}

static bool edited_dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    uint8_t sector[512];

    if (n == 20 && rig.no_register_fis)
        return true;
    if (n != sizeof sector || !rig.edit)
        return rig.dma_write(ctx, bus, src, n);
    memcpy(sector, src, n);
    rig.edit(sector);
    return rig.dma_write(ctx, bus, sector, n);
}

void rig_power(void)
{
    static struct model_device_ops ops;

    ops = model_ahci_ops;
    ops.read = counted_read;
    ops.write = counted_write;
    rig.fn = model_add_device(&ops, &rig.m, &rig.m.host);
    rig.dma_write = rig.m.host.dma_write;
    rig.m.host.dma_write = edited_dma_write;
}

int rig_attach(void)
{
    rig.fault = (struct fault){ 0 };
    return ahci_driver.attach(rig.fn, 0, &rig.c, &rig.fault);
}

void rig_up(void)
{
    rig_power();
    EQ(rig_attach(), OK);
    EQ(rig.fault.err, OK);
    CHECK(rig.c);
}

/* Only what the driver needs, by opcode; the model looks at what hides behind B0h and EFh. */
static void check_opcodes(void)
{
    static const uint8_t allowed[] = { 0x25, 0x27, 0x2f, 0x60, 0xb0, 0xc8, 0xe5, 0xec, 0xef };

    static const uint8_t writing[] = { 0x35, 0x61, 0xca, 0xe7, 0xea };

    for (unsigned port = 0; port < MODEL_AHCI_PORTS; port++) {
        struct model_ahci_seen *seen = &rig.m.port[port].seen;
        unsigned long known = 0;

        for (unsigned i = 0; i < sizeof allowed; i++)
            known += seen->opcodes[allowed[i]];
        for (unsigned i = 0; i < sizeof writing && rig.writes; i++)
            known += seen->opcodes[writing[i]];
        EQ(seen->commands, known);
        EQ(seen->refused_writes, 0);
    }
}

void rig_down(void)
{
    if (rig.c)
        ahci_driver.detach(rig.c);
    rig.c = NULL;
    EQ(model_live_allocs(), 0);
    EQ_STR(model_first_violation(), "");
    EQ(model_violations, 0);
    check_opcodes();
    for (unsigned port = 0; port < MODEL_AHCI_PORTS && !rig.m.gone; port++)
        EQ(rig.m.port[port].cmd & 0xc011, 0); /* ST, FRE, FR, CR */
    EQ(rig.m.medium.writes_outside, 0);
    model_ahci_free(&rig.m);
}

struct io_lane *rig_lane(uint16_t depth, uint32_t request_bytes)
{
    rig_plug();
    rig_plug_disk(0);
    rig_up();
    return hand_open(rig_disk(0), depth, request_bytes, true);
}

void rig_lane_down(struct io_lane *l)
{
    l->disk->ops->close(l);
    rig_down();
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

/* "sata0.12" -> 12 */
static unsigned port_number(const struct disk *d)
{
    return (unsigned)strtoul(strchr(d->name, '.') + 1, NULL, 10);
}

struct io_lane *rig_open_writes(struct disk *d, uint16_t depth, uint32_t request_bytes, bool buffer_per_slot,
                                uint64_t first_lba, uint64_t blocks)
{
    rig.writes = true;
    return hand_open_writes(d, depth, request_bytes, buffer_per_slot, &rig.m.medium, port_number(d),
                            first_lba, blocks);
}

bool rig_holds(const struct disk *d, uint64_t lba, uint32_t blocks, uint32_t pass)
{
    return hand_medium_holds(&rig.m.medium, port_number(d), d->lba_bytes, lba, blocks, pass);
}

void rig_check_data(const struct io_lane *l, uint16_t slot, uint64_t lba, uint32_t blocks)
{
    uint32_t block_bytes = l->disk->lba_bytes;
    uint8_t *want = malloc(block_bytes);
    bool same = true;

    for (uint32_t i = 0; i < blocks && same; i++) {
        model_ahci_pattern(port_number(l->disk), lba + i, want, block_bytes);
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

static int by_slot(const void *a, const void *b)
{
    return (int)((const struct io_completion *)a)->slot - (int)((const struct io_completion *)b)->slot;
}

void rig_read_many(struct io_lane *l, struct io_completion *c, unsigned n)
{
    struct io_request r[64];

    for (unsigned i = 0; i < n; i++) {
        r[i] = (struct io_request){ .lba = 8 * i, .blocks = 8, .slot = (uint16_t)i };
        memset(lane_data(l, i), 0xee, 8u * l->disk->lba_bytes);
    }
    EQ(l->disk->ops->submit(l, r, n), n);
    l->disk->ops->kick(l);
    EQ(hand_wait(l, c, n), n);
    qsort(c, n, sizeof *c, by_slot);
    for (unsigned i = 0; i < n; i++) {
        EQ(c[i].slot, i);
        if (c[i].status == IO_OK)
            rig_check_data(l, (uint16_t)i, 8 * i, 8);
    }
}

struct io_completion rig_expire(struct io_lane *l, uint16_t slot)
{
    struct io_completion c[64];
    unsigned n;

    l->disk->ops->expire(l, slot);
    n = l->disk->ops->poll(l, c, 64);
    for (unsigned i = 0; i < n; i++)
        if (c[i].slot == slot)
            return c[i];
    CHECK(!"the slot comes back after expire");
    return c[0];
}
