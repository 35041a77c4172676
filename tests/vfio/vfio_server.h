#ifndef TESTS_VFIO_SERVER_H
#define TESTS_VFIO_SERVER_H
#include "device.h"
#include "vfio_memory.h"

/* A device model as a PCI function of a QEMU with `-device vfio-user-pci`, over the vfio-user protocol
 * (fact sheet vfio-user.md, part 2).  One device, one connection.  The clock is CLOCK_MONOTONIC from the
 * server's start; the model is ticked after every message and by a timer, so that completions come without a
 * register access.  There are no interrupts: what boots here polls. */
struct vfio_server {
    const struct model_device_ops *ops;
    void *dev;
    struct vfio_memory memory;
    uint16_t command; /* PCI command register */
    uint32_t bar[6];  /* as all ones read back; of a device that has vanished nothing can be read any more */
    uint64_t started_ns;
    unsigned violations;
    unsigned long messages, register_reads, register_writes, dma_without_master;
    /* of the message that is being read */
    int fds[8];
    unsigned fd_count;
};

/* Fills in what the model may do to the world.  Before anything of the model runs. */
void vfio_server_init(struct vfio_server *s, const struct model_device_ops *ops, void *dev,
                      struct model_host *host);
uint64_t vfio_server_now_ns(const struct vfio_server *s);

/* Serves until the other side hangs up.  0, or an errno with the reason on stderr. */
int vfio_server_run(struct vfio_server *s, int connection);

/* A socket that somebody can connect to; -1 with the reason on stderr. */
int vfio_listen(const char *path);

/* ---- between the server's files ---- */
/* Answers one message: at most `room` bytes to reply, *reply_bytes of them used.  0, or the errno of an error
 * reply. */
int vfio_handle(struct vfio_server *s, uint16_t command, const uint8_t *body, uint32_t bytes, uint8_t *reply,
                uint32_t room, uint32_t *reply_bytes);

#endif
