#ifndef TESTS_VFIO_MEMORY_H
#define TESTS_VFIO_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The guest's memory as QEMU announces it: pieces of files, mapped here. */
enum { VFIO_MEMORY_PIECES = 512 };
struct vfio_memory {
    struct vfio_memory_piece {
        uint64_t address, bytes;
        uint8_t *at; /* NULL: announced without a descriptor (ROM): no access */
        bool writable;
    } piece[VFIO_MEMORY_PIECES];
    unsigned count;
};

/* Takes the descriptor over (-1: there is none).  0, or an errno. */
int vfio_memory_map(struct vfio_memory *m, uint64_t address, uint64_t bytes, int fd, uint64_t offset,
                    bool writable);
/* All pieces inside the range; a piece that only partly lies in it stays.  0, or an errno. */
int vfio_memory_unmap(struct vfio_memory *m, uint64_t address, uint64_t bytes);
void vfio_memory_unmap_all(struct vfio_memory *m);
/* False: not all of it is memory (or may be written); some bytes may have been copied. */
bool vfio_memory_read(struct vfio_memory *m, uint64_t address, void *dst, size_t n);
bool vfio_memory_write(struct vfio_memory *m, uint64_t address, const void *src, size_t n);

#endif
