#define _GNU_SOURCE /* ppoll */
#include "vfio_server.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Messages in and out, and the clock. */

enum { HEADER_BYTES = 16, MESSAGE_BYTES = 8192 };
enum { FLAG_REPLY = 0x1, FLAG_TYPE = 0xf, FLAG_NO_REPLY = 0x10, FLAG_ERROR = 0x20 };
/* While the guest is busy with the device a completion is at most this late; an idle one costs little. */
enum { BUSY_TICK_NS = 50000, IDLE_TICK_NS = 5000000, BUSY_FOR_NS = 100000000 };

static uint64_t clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t vfio_server_now_ns(const struct vfio_server *s) { return clock_ns() - s->started_ns; }

/* ---- what the model may do ---- */
static uint64_t host_now_ns(void *ctx) { return vfio_server_now_ns(ctx); }

static void host_violation(void *ctx, const char *what, uint64_t got, uint64_t want)
{
    struct vfio_server *s = ctx;

    if (s->violations++ < 50)
        fprintf(stderr, "violation at %.3f s: %s: got %#llx, want %#llx\n",
                (double)vfio_server_now_ns(s) / 1e9, what, (unsigned long long)got, (unsigned long long)want);
}

static void host_log(void *ctx, const char *what, uint64_t a, uint64_t b)
{
    fprintf(stderr, "at %.3f s: %s: %#llx %#llx\n", (double)vfio_server_now_ns(ctx) / 1e9, what,
            (unsigned long long)a, (unsigned long long)b);
}

enum { COMMAND_MASTER = 4 };
static bool host_dma_read(void *ctx, uint64_t bus, void *dst, size_t n)
{
    struct vfio_server *s = ctx;

    if (!(s->command & COMMAND_MASTER)) {
        s->dma_without_master++;
        return false;
    }
    if (vfio_memory_read(&s->memory, bus, dst, n))
        return true;
    host_violation(s, "the device was given an address that is no memory (read)", bus, n);
    return false;
}

static bool host_dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    struct vfio_server *s = ctx;

    if (!(s->command & COMMAND_MASTER)) {
        s->dma_without_master++;
        return false;
    }
    if (vfio_memory_write(&s->memory, bus, src, n))
        return true;
    host_violation(s, "the device was given an address that is no memory (write)", bus, n);
    return false;
}

static void host_irq(void *ctx, bool level)
{
    (void)ctx;
    (void)level;
}

void vfio_server_init(struct vfio_server *s, const struct model_device_ops *ops, void *dev,
                      struct model_host *host)
{
    memset(s, 0, sizeof *s);
    s->ops = ops;
    s->dev = dev;
    s->started_ns = clock_ns();
    for (unsigned i = 0; i < sizeof s->bar / sizeof s->bar[0]; i++)
        s->bar[i] = ops->config_read(dev, 0x10 + 4 * i);
    *host = (struct model_host){ .ctx = s,
                                 .dma_read = host_dma_read,
                                 .dma_write = host_dma_write,
                                 .irq = host_irq,
                                 .now_ns = host_now_ns,
                                 .violation = host_violation,
                                 .log = host_log };
}

/* ---- the wire ---- */
static void close_fds(struct vfio_server *s)
{
    for (unsigned i = 0; i < s->fd_count; i++)
        if (s->fds[i] >= 0)
            close(s->fds[i]);
    s->fd_count = 0;
}

static void take_fds(struct vfio_server *s, struct msghdr *msg)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < n; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (s->fd_count < sizeof s->fds / sizeof s->fds[0])
                s->fds[s->fd_count++] = fd;
            else
                close(fd);
        }
    }
}

/* Exactly n bytes and the descriptors that come with them.  1; 0 when the other side has hung up before the
 * first; -1. */
static int receive(struct vfio_server *s, int fd, uint8_t *to, size_t n)
{
    size_t have = 0;

    while (have < n) {
        _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof s->fds)];
        struct iovec io = { .iov_base = to + have, .iov_len = n - have };
        struct msghdr msg = {
            .msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control
        };
        ssize_t got = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return !got && !have ? 0 : -1;
        take_fds(s, &msg);
        have += (size_t)got;
    }
    return 1;
}

static bool send_all(int fd, const uint8_t *from, size_t n)
{
    while (n) {
        ssize_t done = send(fd, from, n, MSG_NOSIGNAL);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += done;
        n -= (size_t)done;
    }
    return true;
}

struct header {
    uint16_t id, command;
    uint32_t bytes, flags, error;
};

/* 1: go on; 0: the other side has hung up; -1: the connection is of no use any more. */
static int one_message(struct vfio_server *s, int fd)
{
    static uint8_t body[MESSAGE_BYTES], reply[HEADER_BYTES + MESSAGE_BYTES];
    struct header h, out;
    uint32_t reply_bytes = 0;
    int got = receive(s, fd, (uint8_t *)&h, sizeof h), err;

    if (got <= 0)
        return got;
    if (h.bytes < HEADER_BYTES || h.bytes - HEADER_BYTES > MESSAGE_BYTES || h.flags & FLAG_TYPE) {
        fprintf(stderr, "a message %u of %u bytes with flags %#x\n", h.command, h.bytes, h.flags);
        return -1;
    }
    if (receive(s, fd, body, h.bytes - HEADER_BYTES) <= 0 && h.bytes > HEADER_BYTES)
        return -1;
    s->messages++;
    err = vfio_handle(s, h.command, body, h.bytes - HEADER_BYTES, reply + HEADER_BYTES, MESSAGE_BYTES,
                      &reply_bytes);
    close_fds(s);
    if (h.flags & FLAG_NO_REPLY)
        return 1;
    reply_bytes = err ? 0 : reply_bytes;
    out = (struct header){ h.id, h.command, HEADER_BYTES + reply_bytes, FLAG_REPLY | (err ? FLAG_ERROR : 0),
                           (uint32_t)err };
    memcpy(reply, &out, sizeof out);
    /* QEMU that ends while an answer is under way has hung up, too. */
    return send_all(fd, reply, HEADER_BYTES + reply_bytes) ? 1
           : errno == EPIPE || errno == ECONNRESET         ? 0
                                                           : -1;
}

int vfio_server_run(struct vfio_server *s, int connection)
{
    uint64_t last_ns = 0;

    for (;;) {
        struct pollfd p = { .fd = connection, .events = POLLIN };
        bool busy = vfio_server_now_ns(s) - last_ns < BUSY_FOR_NS;
        struct timespec wait = { .tv_nsec = busy ? BUSY_TICK_NS : IDLE_TICK_NS };
        int ready = ppoll(&p, 1, &wait, NULL), more;

        if (ready < 0 && errno != EINTR)
            return errno;
        s->ops->tick(s->dev);
        if (ready <= 0)
            continue;
        more = one_message(s, connection);
        if (more <= 0) {
            close_fds(s);
            vfio_memory_unmap_all(&s->memory);
            return more ? EPROTO : 0;
        }
        last_ns = vfio_server_now_ns(s);
    }
}

int vfio_listen(const char *path)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof a.sun_path) {
        fprintf(stderr, "%s: longer than a socket's name may be\n", path);
        return -1;
    }
    strcpy(a.sun_path, path);
    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 1)) {
        perror(path);
        return -1;
    }
    return fd;
}
