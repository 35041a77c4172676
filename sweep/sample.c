#include "sample.h"
#include "bits.h"
#include "crc.h"
#include "io_once.h"

/* crc_at_small: checksum after the first SAMPLE_SMALL_BYTES. */
static void take_region(struct disk *d, struct sample_region *g, uint32_t *crc_at_small)
{
    struct lane_shape shape = { .depth = 1, .buffer_per_slot = true, .request_bytes = g->request_bytes };
    struct io_lane *l;
    uint64_t done = 0;

    *crc_at_small = 0;
    if ((g->rc = d->ops->open(d, &shape, &l)) != OK)
        return;
    while (done < g->bytes && g->rc == OK) {
        uint32_t n = (uint32_t)min_u64(g->bytes - done, g->request_bytes);
        const uint8_t *data = lane_data(l, 0);

        struct io_request r = { .lba = g->first_lba + done / d->lba_bytes, .blocks = n / d->lba_bytes };

        g->rc = io_once(l, &r, NULL);
        if (g->rc != OK)
            break;
        uint32_t small = done < SAMPLE_SMALL_BYTES ? (uint32_t)min_u64(n, SAMPLE_SMALL_BYTES - done) : 0;
        g->crc32c = crc32c(g->crc32c, data, small);
        if (small)
            *crc_at_small = g->crc32c;
        g->crc32c = crc32c(g->crc32c, data + small, n - small);
        done += n;
    }
    d->ops->close(l);
}

static struct sample_region region(const struct disk *d, uint64_t bytes, uint32_t request_bytes, bool tail)
{
    uint64_t disk_bytes = d->lba_count * d->lba_bytes;

    bytes = min_u64(bytes, disk_bytes);
    request_bytes = (uint32_t)min_u64(request_bytes, bytes) / d->lba_bytes * d->lba_bytes;
    return (struct sample_region){ .first_lba = tail ? (disk_bytes - bytes) / d->lba_bytes : 0,
                                   .bytes = bytes,
                                   .request_bytes = request_bytes ? request_bytes : d->lba_bytes };
}

void sample_take(struct disk *d, struct sample *out)
{
    uint32_t small_crc, large_crc_at_small, ignored;
    struct sample_region *g = out->region;

    g[SAMPLE_HEAD_SMALL] = region(d, SAMPLE_SMALL_BYTES, 4096, false);
    g[SAMPLE_HEAD_LARGE] = region(d, SAMPLE_LARGE_BYTES, SAMPLE_LARGE_BYTES, false);
    g[SAMPLE_TAIL] = region(d, SAMPLE_TAIL_BYTES, SAMPLE_TAIL_BYTES, true);
    take_region(d, &g[SAMPLE_HEAD_SMALL], &small_crc);
    take_region(d, &g[SAMPLE_HEAD_LARGE], &large_crc_at_small);
    take_region(d, &g[SAMPLE_TAIL], &ignored);
    out->head_small_in_large_crc32c = large_crc_at_small;
}

int sample_agrees_with_itself(const struct sample *s)
{
    const struct sample_region *small = &s->region[SAMPLE_HEAD_SMALL], *large = &s->region[SAMPLE_HEAD_LARGE];

    if (small->rc != OK || large->rc != OK || small->crc32c == s->head_small_in_large_crc32c)
        return OK;
    return E_PROTO;
}

int sample_difference(const struct sample *a, const struct sample *b)
{
    for (int i = 0; i < SAMPLE_REGIONS; i++)
        if (a->region[i].rc == OK && b->region[i].rc == OK && a->region[i].crc32c != b->region[i].crc32c)
            return i;
    return -1;
}
