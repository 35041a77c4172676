#include <errno.h>
#include <string.h>
#include "vfio_server.h"

/* What each message means: numbers and layouts of the vfio-user protocol, fact sheet vfio-user.md part 2. */

enum {
    VERSION = 1,
    DMA_MAP = 2,
    DMA_UNMAP = 3,
    GET_INFO = 4,
    GET_REGION = 5,
    GET_IRQ = 7,
    SET_IRQS = 8,
    REGION_READ = 9,
    REGION_WRITE = 10,
    RESET = 13
};
enum { REGION_CONFIG = 7, REGIONS = 9, IRQS = 5, BARS = 6, CONFIG_BYTES = 4096, TRANSFER_BYTES = 4096 };
enum { DMA_FLAG_WRITE = 2, UNMAP_ALL = 2 };

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t get64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, sizeof v); }
static void put64(uint8_t *p, uint64_t v) { memcpy(p, &v, sizeof v); }

/* ---- regions ---- */
/* The upper half of a 64-bit BAR is none of its own. */
static bool is_upper_half(const struct vfio_server *s, unsigned bar)
{
    return bar && (s->bar[bar - 1] & 7) == 4 && !is_upper_half(s, bar - 1);
}

static uint64_t region_bytes(const struct vfio_server *s, uint32_t region)
{
    uint32_t mask;

    if (region == REGION_CONFIG)
        return CONFIG_BYTES;
    if (region >= BARS || is_upper_half(s, region))
        return 0;
    mask = s->bar[region];
    mask &= mask & 1 ? ~3u : ~15u;
    return mask ? (uint64_t)(uint32_t)-mask : 0;
}

static uint32_t config_dword(struct vfio_server *s, uint32_t off)
{
    uint32_t v = off < 0x100 ? s->ops->config_read(s->dev, off) : 0;

    if (off == 0x04)
        return v == UINT32_MAX ? v : (v & 0xffff0000u) | s->command;
    if (off >= 0x10 && off < 0x10 + 4 * BARS) {
        unsigned bar = (off - 0x10) / 4;

        /* QEMU keeps the address bits itself and takes only the kind from here. */
        return is_upper_half(s, bar) ? 0 : v & (v & 1 ? 3u : 15u);
    }
    return v;
}

static void config_read(struct vfio_server *s, uint32_t off, uint8_t *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = (uint8_t)(config_dword(s, (off + i) & ~3u) >> 8 * ((off + i) & 3));
}

static void config_write(struct vfio_server *s, uint32_t off, const uint8_t *from, uint32_t n)
{
    for (uint32_t at = off & ~3u; at < off + n; at += 4) {
        uint32_t v = config_dword(s, at);

        for (uint32_t i = 0; i < 4; i++)
            if (at + i >= off && at + i < off + n)
                v = (v & ~(0xffu << 8 * i)) | (uint32_t)from[at + i - off] << 8 * i;
        if (at == 0x04)
            s->command = (uint16_t)v;
        else if (at >= 0x28)
            s->ops->config_write(s->dev, at, v);
    }
}

static int check_access(struct vfio_server *s, const uint8_t *body, uint32_t bytes, uint32_t *count)
{
    uint64_t off, size;

    if (bytes < 16)
        return EINVAL;
    off = get64(body);
    size = region_bytes(s, get32(body + 8));
    *count = get32(body + 12);
    if (!*count || *count > TRANSFER_BYTES || off > size || *count > size - off)
        return EINVAL;
    if (get32(body + 8) != REGION_CONFIG && *count > 8)
        return EINVAL;
    return 0;
}

static int region_read(struct vfio_server *s, const uint8_t *body, uint32_t bytes, uint8_t *reply,
                       uint32_t *reply_bytes)
{
    uint32_t count, region;
    int err = check_access(s, body, bytes, &count);

    if (err)
        return err;
    region = get32(body + 8);
    memcpy(reply, body, 16);
    if (region == REGION_CONFIG) {
        config_read(s, (uint32_t)get64(body), reply + 16, count);
    } else {
        uint64_t v = s->ops->read(s->dev, region, (uint32_t)get64(body), count);

        s->register_reads++;
        memcpy(reply + 16, &v, count);
    }
    *reply_bytes = 16 + count;
    return 0;
}

static int region_write(struct vfio_server *s, const uint8_t *body, uint32_t bytes, uint8_t *reply,
                        uint32_t *reply_bytes)
{
    uint32_t count, region;
    uint64_t v = 0;
    int err = check_access(s, body, bytes, &count);

    if (err || bytes - 16 < count)
        return EINVAL;
    region = get32(body + 8);
    if (region == REGION_CONFIG) {
        config_write(s, (uint32_t)get64(body), body + 16, count);
    } else {
        memcpy(&v, body + 16, count);
        s->register_writes++;
        s->ops->write(s->dev, region, (uint32_t)get64(body), count, v);
    }
    memcpy(reply, body, 16);
    *reply_bytes = 16;
    return 0;
}

/* ---- memory ---- */
static int dma_map(struct vfio_server *s, const uint8_t *body, uint32_t bytes)
{
    int fd = -1;

    if (bytes < 32)
        return EINVAL;
    if (s->fd_count) {
        fd = s->fds[0];
        s->fds[0] = -1;
    }
    return vfio_memory_map(&s->memory, get64(body + 16), get64(body + 24), fd, get64(body + 8),
                           get32(body + 4) & DMA_FLAG_WRITE);
}

static int dma_unmap(struct vfio_server *s, const uint8_t *body, uint32_t bytes, uint8_t *reply,
                     uint32_t *reply_bytes)
{
    int err = 0;

    if (bytes < 24)
        return EINVAL;
    if (get32(body + 4) & UNMAP_ALL)
        vfio_memory_unmap_all(&s->memory);
    else
        err = vfio_memory_unmap(&s->memory, get64(body + 8), get64(body + 16));
    memcpy(reply, body, 24);
    *reply_bytes = 24;
    return err;
}

/* ---- what the device is ---- */
static int version(uint8_t *reply, uint32_t *reply_bytes)
{
    static const char capabilities[] = "{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":4096}}";

    put32(reply, 0); /* 0.0, as the client proposes */
    memcpy(reply + 4, capabilities, sizeof capabilities);
    *reply_bytes = 4 + sizeof capabilities;
    return 0;
}

static int get_info(uint8_t *reply, uint32_t *reply_bytes)
{
    put32(reply, 16);
    put32(reply + 4, 3); /* a PCI device that can be reset */
    put32(reply + 8, REGIONS);
    put32(reply + 12, IRQS);
    *reply_bytes = 16;
    return 0;
}

static int get_region(struct vfio_server *s, const uint8_t *body, uint32_t bytes, uint8_t *reply,
                      uint32_t *reply_bytes)
{
    if (bytes < 12 || get32(body + 8) >= REGIONS)
        return EINVAL;
    memset(reply, 0, 32);
    put32(reply, 32);
    put32(reply + 4, 3); /* may be read and written */
    put32(reply + 8, get32(body + 8));
    put64(reply + 16, region_bytes(s, get32(body + 8)));
    *reply_bytes = 32;
    return 0;
}

static int get_irq(const uint8_t *body, uint32_t bytes, uint8_t *reply, uint32_t *reply_bytes)
{
    if (bytes < 12 || get32(body + 8) >= IRQS)
        return EINVAL;
    memset(reply, 0, 16);
    put32(reply, 16);
    put32(reply + 8, get32(body + 8));
    *reply_bytes = 16;
    return 0;
}

int vfio_handle(struct vfio_server *s, uint16_t command, const uint8_t *body, uint32_t bytes, uint8_t *reply,
                uint32_t room, uint32_t *reply_bytes)
{
    if (room < 16 + TRANSFER_BYTES)
        return ENOSPC;
    switch (command) {
    case VERSION:
        return version(reply, reply_bytes);
    case DMA_MAP:
        return dma_map(s, body, bytes);
    case DMA_UNMAP:
        return dma_unmap(s, body, bytes, reply, reply_bytes);
    case GET_INFO:
        return get_info(reply, reply_bytes);
    case GET_REGION:
        return get_region(s, body, bytes, reply, reply_bytes);
    case GET_IRQ:
        return get_irq(body, bytes, reply, reply_bytes);
    case SET_IRQS:
        return 0; /* there are none; the descriptors are closed by the caller */
    case REGION_READ:
        return region_read(s, body, bytes, reply, reply_bytes);
    case REGION_WRITE:
        return region_write(s, body, bytes, reply, reply_bytes);
    case RESET:
        s->command = 0;
        s->ops->reset(s->dev);
        return 0;
    default:
        return ENOSYS;
    }
}
