#include "bits.h"
#include "disk.h"
#include "str.h"
#include "text.h"

void controller_remark(struct controller *c, int level, const char *fmt, ...)
{
    va_list ap;

    if (c->remark_count == CONTROLLER_MAX_REMARKS) {
        c->remarks_dropped++;
        return;
    }
    struct remark *r = &c->remarks[c->remark_count++];
    struct text t = text_over(r->text, sizeof r->text);
    r->level = level == REMARK_FAIL ? REMARK_FAIL : level == REMARK_WARN ? REMARK_WARN : REMARK_INFO;
    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    plat_log(r->level == REMARK_INFO ? LOG_INFO : LOG_WARN, "%s: %s", c->name, r->text);
}

const struct disk *disk_seen_before(const struct disk *const *earlier, unsigned count, const struct disk *d)
{
    for (unsigned i = 0; i < count; i++) {
        const struct disk *e = earlier[i];

        /* An empty identity fits everything, and one that is not meant to be shared fits by accident: drives
         * of a series may carry the same filler. */
        if (d->shared && e->shared && d->identity[0] && e->controller != d->controller &&
            e->kind == d->kind && e->lba_count == d->lba_count && e->lba_bytes == d->lba_bytes &&
            str_equal(e->identity, d->identity))
            return e;
    }
    return NULL;
}

const char *io_status_text(enum io_status s)
{
    static const char *const words[IO_STATUS_COUNT] = {
        [IO_OK] = "ok",
        [IO_MEDIA_ERROR] = "media error",
        [IO_DEVICE_ERROR] = "device error",
        [IO_REFUSED] = "refused by the gate",
        [IO_TIMED_OUT] = "timed out",
        [IO_LOST] = "lost",
    };

    return (unsigned)s < IO_STATUS_COUNT ? words[s] : "unknown status";
}
