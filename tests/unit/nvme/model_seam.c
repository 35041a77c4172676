#include <string.h>
#include "err.h"
#include "model_manual.h"
#include "test.h"

/* The model back end itself: what it gives and what it watches. */

static struct manual h;

static void up(void)
{
    manual_up(&h);
    manual_start(&h);
}

TEST(seam_gives_memory_at_another_address_on_both_sides_of_4_gib)
{
    struct dma_buf b[8];
    unsigned high = 0;

    up();
    for (unsigned i = 0; i < 8; i++) {
        EQ(plat_dma_alloc(h.fn, 100 + i, NULL, &b[i]), OK);
        CHECK(b[i].bus != (uintptr_t)b[i].cpu && b[i].bus);
        EQ(b[i].bus % 4096, 0);
        EQ(b[i].len_bytes, 100 + i);
        EQ(((uint8_t *)b[i].cpu)[99], 0);
        high += b[i].bus > UINT32_MAX;
    }
    EQ(high, 4);
    for (unsigned i = 0; i < 8; i++) {
        plat_dma_free(&b[i]);
        CHECK(!b[i].cpu && !b[i].bus);
        plat_dma_free(&b[i]);
    }
    manual_down(&h, 0, NULL);
}

TEST(seam_keeps_highest_address_alignment_and_boundary_and_no_more)
{
    static const struct dma_limits rows[] = {
        { 0xffffffff, 0, 64 },           { 0xffffff, 0, 16 }, { 0, 4096, 256 },
        { 0xffffffffffff, 65536, 4096 }, { 0, 0, 1 << 20 },
    };

    up();
    for (unsigned i = 0; i < 40; i++) {
        const struct dma_limits *lim = &rows[i % 5];
        struct dma_buf b;

        EQ(plat_dma_alloc(h.fn, 3000, lim, &b), OK);
        if (lim->highest_address)
            CHECK(b.bus + 2999 <= lim->highest_address);
        EQ(b.bus % lim->align_bytes, 0);
        if (lim->boundary_bytes)
            EQ(b.bus / lim->boundary_bytes, (b.bus + 2999) / lim->boundary_bytes);
        else
            CHECK(b.bus % (2 * lim->align_bytes));
        plat_dma_free(&b);
    }
    manual_down(&h, 0, NULL);
}

TEST(seam_runs_out_of_low_addresses_without_overlap)
{
    static struct dma_buf b[64];
    const struct dma_limits lim = { .highest_address = 0xb0ffff };
    unsigned n = 0;

    up();
    while (n < 64 && plat_dma_alloc(h.fn, 65536, &lim, &b[n]) == OK)
        n++;
    CHECK(n > 5 && n < 20);
    EQ(b[n].bus, 0);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < i; k++)
            CHECK(b[i].bus + 65536 <= b[k].bus || b[k].bus + 65536 <= b[i].bus);
    plat_dma_free(&b[2]);
    EQ(plat_dma_alloc(h.fn, 4096, &lim, &b[2]), OK);
    for (unsigned i = 0; i < n; i++)
        plat_dma_free(&b[i]);
    manual_down(&h, 0, NULL);
}

TEST(seam_sees_impossible_allocations)
{
    static const struct {
        size_t bytes;
        struct dma_limits lim;
    } rows[] = {
        { 0, { 0 } },
        { 4096, { .align_bytes = 48 } },
        { 4096, { .boundary_bytes = 3 } },
        { 4097, { .boundary_bytes = 4096 } },
    };
    struct dma_buf b;

    up();
    for (unsigned i = 0; i < 4; i++)
        EQ(plat_dma_alloc(h.fn, rows[i].bytes, &rows[i].lim, &b), E_LIMIT);
    CHECK(!plat_alloc(0));
    manual_down(&h, 5, "impossible");
}

TEST(seam_fails_the_chosen_allocation_and_all_later_ones)
{
    struct dma_buf b;
    void *p;

    up();
    model_fail_alloc_at = model_alloc_count + 1;
    p = plat_alloc(10);
    CHECK(p);
    memset(&b, 0xff, sizeof b);
    EQ(plat_dma_alloc(h.fn, 10, NULL, &b), E_NOMEM);
    CHECK(!b.cpu && !b.bus && !b.len_bytes);
    CHECK(!plat_alloc(10));
    model_fail_alloc_at = -1;
    plat_free(p);
    plat_free(NULL);
    manual_down(&h, 0, NULL);
}

TEST(seam_counts_what_is_not_given_back)
{
    struct mmio bar;
    struct dma_buf b;
    void *p;
    long before;

    up();
    before = model_live_allocs();
    p = plat_alloc(1);
    EQ((uintptr_t)p % 64, 0);
    EQ(plat_dma_alloc(NULL, 1, NULL, &b), OK);
    EQ(plat_bar_map(h.fn, 0, 1, &bar), OK);
    EQ(model_live_allocs(), before + 3);
    plat_free(p);
    plat_dma_free(&b);
    plat_bar_unmap(&bar);
    plat_bar_unmap(&bar);
    EQ(model_live_allocs(), before);
    manual_down(&h, 0, NULL);
}

TEST(seam_sees_memory_given_back_twice)
{
    struct dma_buf b, copy;
    struct mmio bar;

    up();
    EQ(plat_dma_alloc(h.fn, 16, NULL, &b), OK);
    copy = b;
    plat_dma_free(&b);
    plat_dma_free(&copy);
    EQ(model_violations, 1);
    plat_free(&h);
    EQ(model_violations, 2);
    bar = h.bar;
    plat_bar_unmap(&h.bar);
    plat_bar_unmap(&bar);
    manual_down(&h, 3, "plat_dma_free");
}

TEST(seam_sees_accesses_outside_and_misaligned)
{
    up();
    EQ(plat_read32(&h.bar, 2), UINT32_MAX);
    EQ(plat_read32(&h.bar, 16384), UINT32_MAX);
    EQ(plat_read64(&h.bar, 16380), -1);
    plat_write32(&h.bar, 0xfffffffc, 0);
    plat_write64(&h.bar, 0x2c, 0);
    EQ(plat_read32(&(struct mmio){ 0 }, 0), UINT32_MAX);
    EQ(plat_pci_read32(h.fn, 2), UINT32_MAX);
    plat_pci_write32(h.fn, 4096, 0);
    manual_down(&h, 8, "misaligned or outside");
}

TEST(seam_sees_registers_used_while_decoding_is_off)
{
    up();
    plat_pci_write32(h.fn, 4, 4);
    EQ(plat_read32(&h.bar, 8), UINT32_MAX);
    manual_down(&h, 1, "memory decoding off");
}

TEST(seam_sees_work_started_without_bus_mastering_but_forgives_late_work)
{
    const uint32_t sqe[16] = { 0x06, 0, 0, 0, 0, 0, 0x1000, 0, 0, 0, 1 };

    up();
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    manual_put(&h, 0, sqe);
    manual_ring(&h, 0);
    plat_pci_write32(h.fn, 4, 2);
    CHECK(!manual_take(&h, 0));
    EQ(model_violations, 0);
    manual_put(&h, 0, sqe);
    manual_ring(&h, 0);
    manual_down(&h, 1, "bus mastering off");
}

TEST(seam_keeps_a_device_out_of_memory_of_another)
{
    struct model_nvme *other = model_nvme_new();
    struct pci_fn *fn;
    struct dma_buf b;

    up();
    fn = model_add_device(&model_nvme_ops, other, &other->host);
    model_nvme_power_on(other);
    EQ(plat_dma_alloc(fn, 4096, NULL, &b), OK);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    EQ(manual_admin(&h, 0x06, 0, b.bus, 1, 0), 4);
    plat_dma_free(&b);
    manual_down(&h, 1, "no memory");
    model_nvme_free(other);
}

TEST(seam_puts_the_command_register_back)
{
    up();
    plat_pci_release(h.fn);
    EQ(plat_pci_read32(h.fn, 4) & 0xffff, 0);
    plat_pci_release(h.fn);
    plat_pci_write32(h.fn, 4, 0x0403);
    EQ(plat_pci_enable(h.fn), OK);
    EQ(plat_pci_read32(h.fn, 4) & 0xffff, 0x0407);
    EQ(plat_pci_enable(h.fn), OK);
    manual_down(&h, 2, "not enabled");
}

TEST(seam_sizes_bars_as_firmware_does)
{
    struct mmio bar;
    uint32_t before;

    up();
    before = plat_pci_read32(h.fn, 0x10);
    EQ(before & 15, 4);
    plat_pci_write32(h.fn, 0x10, UINT32_MAX);
    plat_pci_write32(h.fn, 0x14, UINT32_MAX);
    EQ(plat_pci_read32(h.fn, 0x10), 0xffffc004);
    EQ(plat_pci_read32(h.fn, 0x14), 0xffffffff);
    plat_pci_write32(h.fn, 0x10, before);
    EQ(plat_pci_read32(h.fn, 0x10), before);
    EQ(plat_bar_map(h.fn, 1, 1, &bar), E_UNSUPPORTED);
    EQ(plat_bar_map(h.fn, 5, 1, &bar), E_UNSUPPORTED);
    EQ(plat_bar_map(h.fn, 6, 1, &bar), E_UNSUPPORTED);
    EQ(plat_bar_map(h.fn, 0, 16385, &bar), E_LIMIT);
    CHECK(!bar.ctx && !bar.len_bytes);
    EQ(h.fn->vendor_id, 0x1d87);
    EQ(h.fn->class_code, 0x010802);
    manual_down(&h, 0, NULL);
}

TEST(seam_unplugs)
{
    up();
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    model_unplug(h.fn);
    EQ(manual_read32(&h, 0x1c), UINT32_MAX);
    EQ(plat_read64(&h.bar, 0), -1);
    EQ(plat_pci_read32(h.fn, 0), UINT32_MAX);
    manual_write32(&h, 0x1000, 1);
    plat_pci_write32(h.fn, 4, 0);
    model_advance_ns(1000000000);
    manual_down(&h, 0, NULL);
}

TEST(seam_moves_the_clock_only_when_asked)
{
    up();
    uint64_t t = model_clock_ns;
    model_now_step_ns = 7;
    model_relax_step_ns = 1000;
    EQ(plat_now_ns(), t + 7);
    plat_relax();
    plat_stall_us(3);
    manual_read32(&h, 8);
    EQ(model_clock_ns, t + 7 + 1000 + 3000);
    model_advance_ns(5);
    EQ(plat_now_ns(), t + 7 + 1000 + 3000 + 5 + 7);
    manual_down(&h, 0, NULL);
}

TEST(seam_knows_whether_stores_were_published)
{
    up();
    plat_dma_publish();
    CHECK(model_published());
    plat_write32(&h.bar, 0x0c, UINT32_MAX);
    CHECK(!model_published());
    manual_down(&h, 0, NULL);
}

static uint32_t port_seen[3];
static uint32_t port_in(void *ctx, uint16_t port, unsigned bytes)
{
    *(unsigned *)ctx += bytes;
    return port | 0xabcd0000u;
}
static void port_out(void *ctx, uint16_t port, unsigned bytes, uint32_t v)
{
    (void)ctx;
    port_seen[0] = port;
    port_seen[1] = bytes;
    port_seen[2] = v;
}

TEST(seam_has_ports_and_words)
{
    unsigned sum = 0;

    up();
    EQ(plat_port_read8(0x70), 0xff);
    EQ(plat_port_read16(0x70), 0xffff);
    plat_port_write8(0x70, 1);
    model_set_ports(port_in, port_out, &sum);
    EQ(plat_port_read8(0xf012), 0x12);
    EQ(plat_port_read16(0xf012), 0xf012);
    EQ(plat_port_read32(0xf012), 0xabcdf012);
    EQ(sum, 7);
    plat_port_write16(0xefff, 0x8001);
    EQ(port_seen[0], 0xefff);
    EQ(port_seen[1], 2);
    EQ(port_seen[2], 0x8001);
    plat_log(LOG_INFO, "%s is %u", "it", 7);
    EQ_STR(model_last_log(), "it is 7");
    EQ(model_log_lines, 1);
    manual_down(&h, 0, NULL);
}
