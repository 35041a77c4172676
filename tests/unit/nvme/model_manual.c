#include "model_manual.h"
#include <string.h>
#include "test.h"

#define TEN_SECONDS_NS 10000000000ull

void manual_up(struct manual *h)
{
    *h = (struct manual){ 0 };
    model_reset_world();
    model_relax_step_ns = 100000;
    model_quiet = true;
    h->m = model_nvme_new();
    CHECK(h->m);
}

uint32_t manual_read32(struct manual *h, uint32_t off) { return plat_read32(&h->bar, off); }

void manual_write32(struct manual *h, uint32_t off, uint32_t v)
{
    plat_dma_publish();
    plat_write32(&h->bar, off, v);
}

void manual_start(struct manual *h)
{
    h->fn = model_add_device(&model_nvme_ops, h->m, &h->m->host);
    model_nvme_power_on(h->m);
    EQ(plat_pci_enable(h->fn), 0);
    EQ(plat_bar_map(h->fn, 0, 0x1000, &h->bar), 0);
    for (unsigned q = 0; q < 2; q++) {
        EQ(plat_dma_alloc(h->fn, 64 * MANUAL_ENTRIES, NULL, &h->sq[q]), 0);
        EQ(plat_dma_alloc(h->fn, 16 * MANUAL_ENTRIES, NULL, &h->cq[q]), 0);
        h->phase[q] = true;
    }
    EQ(plat_dma_alloc(h->fn, 4096 * MANUAL_PAGES, NULL, &h->data), 0);
    EQ(plat_dma_alloc(h->fn, 4096 * 4, NULL, &h->list), 0);
}

bool manual_wait_csts(struct manual *h, uint32_t mask, uint32_t want)
{
    uint64_t end_ns = model_clock_ns + TEN_SECONDS_NS;

    while ((manual_read32(h, 0x1c) & mask) != want) {
        if (model_clock_ns > end_ns)
            return false;
        plat_relax();
    }
    return true;
}

void manual_enable(struct manual *h)
{
    manual_write32(h, 0x24, (MANUAL_ENTRIES - 1) | (MANUAL_ENTRIES - 1) << 16);
    manual_write32(h, 0x28, (uint32_t)h->sq[0].bus);
    manual_write32(h, 0x2c, (uint32_t)(h->sq[0].bus >> 32));
    manual_write32(h, 0x30, (uint32_t)h->cq[0].bus);
    manual_write32(h, 0x34, (uint32_t)(h->cq[0].bus >> 32));
    manual_write32(h, 0x14, 0x00460001);
}

void manual_put(struct manual *h, unsigned q, const uint32_t sqe[16])
{
    memcpy((uint8_t *)h->sq[q].cpu + 64 * h->tail[q], sqe, 64);
    h->tail[q] = (h->tail[q] + 1) % MANUAL_ENTRIES;
}

void manual_ring(struct manual *h, unsigned q)
{
    manual_write32(h, 0x1000 + (2 * q) * (4u << h->m->set.dstrd), h->tail[q]);
}

bool manual_take(struct manual *h, unsigned q)
{
    uint64_t end_ns = model_clock_ns + TEN_SECONDS_NS;
    const uint32_t *cqe = (const uint32_t *)h->cq[q].cpu + 4 * h->head[q];

    while ((cqe[3] >> 16 & 1) != h->phase[q]) {
        if (model_clock_ns > end_ns)
            return false;
        plat_relax();
    }
    memcpy(h->cqe, cqe, 16);
    h->head[q] = (h->head[q] + 1) % MANUAL_ENTRIES;
    if (!h->head[q])
        h->phase[q] = !h->phase[q];
    manual_write32(h, 0x1000 + (2 * q + 1) * (4u << h->m->set.dstrd), h->head[q]);
    return true;
}

uint16_t manual_run(struct manual *h, unsigned q, const uint32_t sqe[16])
{
    manual_put(h, q, sqe);
    manual_ring(h, q);
    return manual_take(h, q) ? (uint16_t)(h->cqe[3] >> 17) : 0xffff;
}

uint16_t manual_admin(struct manual *h, uint8_t opcode, uint32_t nsid, uint64_t prp1, uint32_t cdw10,
                      uint32_t cdw11)
{
    const uint32_t sqe[16] = { opcode | (uint32_t)h->cid++ << 16,
                               nsid,
                               0,
                               0,
                               0,
                               0,
                               (uint32_t)prp1,
                               (uint32_t)(prp1 >> 32),
                               0,
                               0,
                               cdw10,
                               cdw11 };

    return manual_run(h, 0, sqe);
}

uint16_t manual_read(struct manual *h, uint64_t lba, uint32_t blocks, uint64_t prp1, uint64_t prp2)
{
    const uint32_t sqe[16] = { 2 | (uint32_t)h->cid++ << 16,
                               1,
                               0,
                               0,
                               0,
                               0,
                               (uint32_t)prp1,
                               (uint32_t)(prp1 >> 32),
                               (uint32_t)prp2,
                               (uint32_t)(prp2 >> 32),
                               (uint32_t)lba,
                               (uint32_t)(lba >> 32),
                               blocks - 1 };

    return manual_run(h, 1, sqe);
}

void manual_create_queues(struct manual *h)
{
    EQ(manual_admin(h, 0x09, 0, 0, 0x07, 0), 0);
    EQ(manual_admin(h, 0x05, 0, h->cq[1].bus, 1 | (MANUAL_ENTRIES - 1) << 16, 1), 0);
    EQ(manual_admin(h, 0x01, 0, h->sq[1].bus, 1 | (MANUAL_ENTRIES - 1) << 16, 1 | 1 << 16), 0);
}

void manual_down(struct manual *h, unsigned long violations, const char *part)
{
    if (violations)
        HAS_STR(model_first_violation(), part);
    else
        EQ_STR(model_first_violation(), "");
    EQ(model_violations, violations);
    plat_pci_release(h->fn);
    plat_bar_unmap(&h->bar);
    for (unsigned q = 0; q < 2; q++) {
        plat_dma_free(&h->sq[q]);
        plat_dma_free(&h->cq[q]);
    }
    plat_dma_free(&h->data);
    plat_dma_free(&h->list);
    EQ(model_live_allocs(), 0);
    model_nvme_free(h->m);
    model_reset_world();
    model_quiet = false;
}
