#include "burn_in_sync.h"
#include "bits.h"
#include "str.h"
#include "text.h"

#define FLUSH_DEADLINE_NS (120 * NS_PER_S) /* design: default numbers */
#define EXPIRE_GRACE_NS   (1 * NS_PER_S)

static const int error_of[IO_STATUS_COUNT] = {
    [IO_OK] = OK,
    [IO_MEDIA_ERROR] = E_MEDIA,
    [IO_DEVICE_ERROR] = E_MEDIA,
    [IO_REFUSED] = E_REFUSED,
    [IO_TIMED_OUT] = E_TIMEOUT,
    [IO_LOST] = E_GONE,
};
static const char *const verbs[] = { [IO_READ] = "read", [IO_WRITE] = "write", [IO_FLUSH] = "flush" };

int burn_in_sync_open(struct burn_in_sync *s, struct disk *d, uint32_t request_bytes, bool writes)
{
    struct lane_shape shape = {
        .depth = 1, .buffer_per_slot = true, .writes = writes, .request_bytes = request_bytes
    };

    *s = (struct burn_in_sync){ .disk = d };
    int rc = d->ops->open(d, &shape, &s->io);
    if (rc != OK)
        s->io = NULL;
    return rc;
}

static int wait_answer(struct burn_in_sync *s, enum io_op op, struct io_completion *c)
{
    const struct disk *d = s->disk;
    uint64_t limit_ns = op == IO_FLUSH ? FLUSH_DEADLINE_NS : d->command_deadline_ns;
    uint64_t until_ns = plat_now_ns() + (limit_ns ? limit_ns : 30 * NS_PER_S);
    bool expired = false;

    while (!d->ops->poll(s->io, c, 1)) {
        plat_relax();
        if (plat_now_ns() < until_ns)
            continue;
        if (expired)
            return E_TIMEOUT;
        d->ops->expire(s->io, 0);
        expired = true;
        until_ns = plat_now_ns() + EXPIRE_GRACE_NS;
    }
    return error_of[c->status < IO_STATUS_COUNT ? c->status : IO_DEVICE_ERROR];
}

int burn_in_sync_do(struct burn_in_sync *s, enum io_op op, uint64_t lba, uint32_t blocks)
{
    struct io_request r = { .lba = lba, .blocks = blocks, .op = (uint16_t)op };
    struct io_completion c = { 0 };
    struct text t = text_over(s->words, sizeof s->words);
    int rc = E_GONE;

    if (s->disk->ops->submit(s->io, &r, 1) == 1) {
        s->disk->ops->kick(s->io);
        rc = wait_answer(s, op, &c);
    }
    if (rc == OK)
        return OK;
    text_fmt(&t, "%s at LBA %llu failed: %s", verbs[op], (unsigned long long)lba, err_text(rc));
    if (c.detail && s->disk->ops->status_words) {
        text_str(&t, ", ");
        s->disk->ops->status_words(c.detail, &t);
    }
    return rc;
}

void burn_in_sync_close(struct burn_in_sync *s)
{
    if (s->io)
        s->disk->ops->close(s->io);
    s->io = NULL;
}
