#include "io_once.h"
#include "bits.h"

#define FLUSH_DEADLINE_NS (120 * NS_PER_S) /* design: default numbers */
#define OTHER_DEADLINE_NS (30 * NS_PER_S)  /* of a disk that states none */

static const int error_of[IO_STATUS_COUNT] = {
    [IO_OK] = OK,
    [IO_MEDIA_ERROR] = E_MEDIA,
    [IO_DEVICE_ERROR] = E_MEDIA,
    [IO_REFUSED] = E_REFUSED,
    [IO_TIMED_OUT] = E_TIMEOUT,
    [IO_LOST] = E_GONE,
};
static const char *const verbs[] = { [IO_READ] = "read", [IO_WRITE] = "write", [IO_FLUSH] = "flush" };

static int wait_answer(struct io_lane *l, const struct io_request *r, struct io_completion *c)
{
    const struct disk *d = l->disk;
    uint64_t own_ns = d->command_deadline_ns ? d->command_deadline_ns : OTHER_DEADLINE_NS;
    uint64_t deadline_ns = plat_now_ns() + (r->op == IO_FLUSH ? FLUSH_DEADLINE_NS : own_ns);
    bool expired = false;

    while (!d->ops->poll(l, c, 1)) {
        plat_relax();
        if (plat_now_ns() < deadline_ns)
            continue;
        if (expired)
            return E_TIMEOUT;
        d->ops->expire(l, r->slot);
        expired = true;
        deadline_ns = plat_now_ns() + NS_PER_S;
    }
    return error_of[c->status < IO_STATUS_COUNT ? c->status : IO_DEVICE_ERROR];
}

int io_once(struct io_lane *l, const struct io_request *r, struct text *why)
{
    const struct disk *d = l->disk;
    struct io_completion c = { 0 };
    int rc = E_GONE;

    if (d->ops->submit(l, r, 1) == 1) {
        d->ops->kick(l);
        rc = wait_answer(l, r, &c);
    }
    if (rc == OK || !why)
        return rc;
    text_fmt(why, "%s at LBA %llu failed: %s", verbs[r->op], (unsigned long long)r->lba, err_text(rc));
    if (c.detail && d->ops->status_words) {
        text_str(why, ", ");
        d->ops->status_words(c.detail, why);
    }
    return rc;
}
