#include "math.h"
#include "nvme_internal.h"

/* Memory that a drive without DRAM borrows for its map, as an operating system would grant it: without it the
 * numbers are not those that the drive reaches in use (fact sheet A12).  The drive writes into it at any
 * time, so it goes back before anything is freed; a reset takes it back as well. */

static uint64_t units_bytes(uint32_t units) { return (uint64_t)units * 4 * KIB; }

void nvme_hmb_free(struct nvme_ctrl *c)
{
    struct nvme_hmb *h = &c->hmb;

    while (h->count)
        plat_dma_free(&h->chunk[--h->count]);
    plat_dma_free(&h->list);
    h->bytes = 0;
    h->enabled = false;
}

/* As many chunks as are needed and as there is memory for, the largest first; each one a whole number of
 * pages, none smaller than the drive can use. */
static void allocate_chunks(struct nvme_ctrl *c, uint64_t want_bytes)
{
    struct nvme_hmb *h = &c->hmb;
    uint64_t least = ALIGN_UP(max_u64(units_bytes(h->least_chunk), 1), (uint64_t)c->page_bytes);
    unsigned most = h->most_chunks ? (unsigned)min_u64(h->most_chunks, NVME_HMB_CHUNKS) : NVME_HMB_CHUNKS;
    uint64_t chunk_bytes = max_u64(max_u64(NVME_HMB_CHUNK_BYTES, (want_bytes + most - 1) / most), least);

    chunk_bytes = ALIGN_UP(chunk_bytes, (uint64_t)c->page_bytes);
    while (h->count < most) {
        uint64_t bytes = min_u64(chunk_bytes, want_bytes - h->bytes);
        bytes -= bytes % c->page_bytes;
        if (bytes < least)
            return;
        if (plat_dma_alloc(c->base.fn, bytes, &c->dma, &h->chunk[h->count])) {
            chunk_bytes = bytes / 2;
            continue;
        }
        h->count++;
        h->bytes += bytes;
    }
}

static bool build_list(struct nvme_ctrl *c)
{
    struct nvme_hmb *h = &c->hmb;

    if (plat_dma_alloc(c->base.fn, NVME_HMB_CHUNKS * sizeof(struct nvme_hmb_entry), &c->dma, &h->list))
        return false;
    struct nvme_hmb_entry *e = h->list.cpu;
    for (unsigned i = 0; i < h->count; i++)
        e[i] = (struct nvme_hmb_entry){ .bus = h->chunk[i].bus,
                                        .pages = (uint32_t)(h->chunk[i].len_bytes / c->page_bytes) };
    return true;
}

static int set_buffer(struct nvme_ctrl *c, struct fault *f, uint32_t how, uint32_t limit_ms)
{
    const struct nvme_hmb *h = &c->hmb;
    struct nvme_sqe command = { .cdw0 = NVME_SET_FEATURES, .cdw10 = NVME_FEATURE_HMB, .cdw11 = how };
    struct nvme_answer answer;

    if (how) {
        command.cdw12 = (uint32_t)(h->bytes / c->page_bytes);
        command.cdw13 = (uint32_t)h->list.bus;
        command.cdw14 = (uint32_t)(h->list.bus >> 32);
        command.cdw15 = h->count;
    }
    return nvme_admin(c, f, "Set Features: Host Memory Buffer", &command, limit_ms, &answer);
}

int nvme_hmb_grant(struct nvme_ctrl *c)
{
    struct nvme_hmb *h = &c->hmb;
    uint64_t want = min_u64(h->wanted_bytes, NVME_HMB_MAX_BYTES);
    int rc = E_NOMEM;

    if (!h->wanted_bytes)
        return OK;
    if (h->least_bytes > NVME_HMB_MAX_BYTES) {
        controller_remark(&c->base, REMARK_INFO,
                          "wants at least %llu MiB of host memory, more than is lent: it works without",
                          (unsigned long long)(h->least_bytes / MIB));
        return OK;
    }
    allocate_chunks(c, want);
    if (h->bytes && h->bytes >= h->least_bytes && build_list(c)) {
        if (!(rc = set_buffer(c, &c->base.fault, HMB_ENABLE, NVME_ADMIN_LIMIT_MS))) {
            h->enabled = true;
            return OK;
        }
        /* After a time-out the drive may yet use it: it stays until the controller is down. */
        if (rc != E_REFUSED)
            return rc;
    }
    nvme_hmb_free(c);
    controller_remark(&c->base, REMARK_WARN,
                      "host memory buffer not granted (%s): the drive may be slower than in use",
                      rc == E_REFUSED ? "the drive refused it" : "not enough memory");
    return OK;
}

void nvme_hmb_grant_again(struct nvme_ctrl *c)
{
    if (c->hmb.enabled && set_buffer(c, NULL, HMB_ENABLE | HMB_SAME, NVME_LADDER_LIMIT_MS))
        controller_remark(&c->base, REMARK_WARN, "host memory buffer not granted again after the reset");
}

void nvme_hmb_take_back(struct nvme_ctrl *c)
{
    if (c->hmb.enabled)
        set_buffer(c, NULL, 0, NVME_DELETE_LIMIT_MS);
    c->hmb.enabled = false;
}
