#include "io_once.h"
#include "bits.h"

static const int error_of[IO_STATUS_COUNT] = {
    [IO_OK] = OK,
    [IO_MEDIA_ERROR] = E_MEDIA,
    [IO_DEVICE_ERROR] = E_MEDIA,
    [IO_REFUSED] = E_REFUSED,
    [IO_TIMED_OUT] = E_TIMEOUT,
    [IO_LOST] = E_GONE,
};

int io_once(struct io_lane *l, const struct io_request *r)
{
    const struct disk *d = l->disk;
    struct io_completion c;
    uint64_t deadline_ns = plat_now_ns() + d->command_deadline_ns;
    bool expired = false;

    if (d->ops->submit(l, r, 1) != 1)
        return E_GONE;
    d->ops->kick(l);
    while (!d->ops->poll(l, &c, 1)) {
        plat_relax();
        if (plat_now_ns() < deadline_ns)
            continue;
        if (expired)
            return E_TIMEOUT;
        d->ops->expire(l, r->slot);
        expired = true;
        deadline_ns = plat_now_ns() + NS_PER_S;
    }
    return error_of[c.status < IO_STATUS_COUNT ? c.status : IO_DEVICE_ERROR];
}
