#include "vfio_memory.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(struct vfio_memory *m, unsigned i)
{
    if (m->piece[i].at)
        munmap(m->piece[i].at, m->piece[i].bytes);
    m->piece[i] = m->piece[--m->count];
}

/* A file that is shorter than announced would be a bus error at the first access. */
static int map_file(struct vfio_memory_piece *p, int fd, uint64_t offset)
{
    struct stat st;
    void *at;

    if (fstat(fd, &st) || st.st_size < 0)
        return errno ? errno : EINVAL;
    if (offset > (uint64_t)st.st_size || p->bytes > (uint64_t)st.st_size - offset)
        return EINVAL;
    at =
        mmap(NULL, p->bytes, p->writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, (off_t)offset);
    if (at == MAP_FAILED)
        return errno;
    p->at = at;
    return 0;
}

int vfio_memory_map(struct vfio_memory *m, uint64_t address, uint64_t bytes, int fd, uint64_t offset,
                    bool writable)
{
    struct vfio_memory_piece p = { .address = address, .bytes = bytes, .writable = writable };
    int err = 0;

    if (!bytes || bytes > UINT64_MAX - address || m->count == VFIO_MEMORY_PIECES)
        err = m->count == VFIO_MEMORY_PIECES ? ENOSPC : EINVAL;
    for (unsigned i = 0; !err && i < m->count; i++)
        if (address < m->piece[i].address + m->piece[i].bytes && m->piece[i].address < address + bytes)
            err = EEXIST;
    if (!err && fd >= 0)
        err = map_file(&p, fd, offset);
    if (fd >= 0)
        close(fd);
    if (!err)
        m->piece[m->count++] = p;
    return err;
}

int vfio_memory_unmap(struct vfio_memory *m, uint64_t address, uint64_t bytes)
{
    unsigned found = 0;

    if (bytes > UINT64_MAX - address)
        return EINVAL;
    for (unsigned i = m->count; i-- > 0;)
        if (m->piece[i].address >= address && m->piece[i].address + m->piece[i].bytes <= address + bytes) {
            forget(m, i);
            found++;
        }
    return found ? 0 : ENOENT;
}

void vfio_memory_unmap_all(struct vfio_memory *m)
{
    while (m->count)
        forget(m, m->count - 1);
}

/* How many bytes from here on are one piece; 0: this is no memory. */
static size_t stretch(struct vfio_memory *m, uint64_t address, size_t n, bool write, uint8_t **at)
{
    for (unsigned i = 0; i < m->count; i++) {
        struct vfio_memory_piece *p = &m->piece[i];
        uint64_t from = address - p->address;

        if (address < p->address || from >= p->bytes || !p->at || (write && !p->writable))
            continue;
        *at = p->at + from;
        return n < p->bytes - from ? n : (size_t)(p->bytes - from);
    }
    return 0;
}

bool vfio_memory_read(struct vfio_memory *m, uint64_t address, void *dst, size_t n)
{
    uint8_t *to = dst, *at;

    while (n) {
        size_t part = stretch(m, address, n, false, &at);

        if (!part)
            return false;
        memcpy(to, at, part);
        to += part;
        address += part;
        n -= part;
    }
    return true;
}

bool vfio_memory_write(struct vfio_memory *m, uint64_t address, const void *src, size_t n)
{
    const uint8_t *from = src;
    uint8_t *at;

    while (n) {
        size_t part = stretch(m, address, n, true, &at);

        if (!part)
            return false;
        memcpy(at, from, part);
        from += part;
        address += part;
        n -= part;
    }
    return true;
}
