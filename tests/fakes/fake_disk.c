#include "fake_disk.h"
#include "bits.h"
#include "err.h"
#include "math.h"
#include "platform_model.h"
#include "str.h"
#include "text.h"

/* A request goes "made" -> (kick) "sent" -> due -> poll.  One that was never kicked never comes back. */
enum { FREE, MADE, SENT, HUNG };
enum { FAKE_DATA_WORDS = 4096, FAKE_LBA_WORDS = 64 };
struct fake_slot {
    struct io_request request;
    uint64_t due_ns, number;
    uint8_t state, status;
};
struct fake_lane {
    struct io_lane io;
    struct fake_slot *slot;
    uint16_t *order; /* in flight, oldest first */
    unsigned count;
    uint64_t link_free_ns;
    bool writes;
    void *buffers;              /* buffer_per_slot */
    struct io_completion again; /* completes_twice */
    bool has_again;
    uint64_t data[FAKE_DATA_WORDS];
};

static struct fake_disk *fake_of(struct disk *d)
{
    return (struct fake_disk *)((char *)d - offsetof(struct fake_disk, disk));
}

static int fake_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out)
{
    struct fake_disk *f = fake_of(d);

    if (f->open_error)
        return f->open_error;
    if (shape->writes && !f->writable)
        return E_REFUSED;
    if (!shape->depth || (f->open_depth_limit && shape->depth > f->open_depth_limit) ||
        !shape->request_bytes || shape->request_bytes % d->lba_bytes)
        return E_LIMIT;
    struct fake_lane *l = plat_alloc(sizeof(*l));
    if (!l)
        return E_NOMEM;
    l->slot = plat_alloc(shape->depth * (sizeof(*l->slot) + sizeof(*l->order)));
    if (!l->slot) {
        plat_free(l);
        return E_NOMEM;
    }
    l->order = (uint16_t *)(l->slot + shape->depth);
    l->writes = shape->writes;
    if (shape->buffer_per_slot) {
        l->buffers = plat_alloc((size_t)shape->depth * shape->request_bytes);
        if (!l->buffers) {
            plat_free(l->slot);
            plat_free(l);
            return E_NOMEM;
        }
    }
    l->io = (struct io_lane){ .disk = d,
                              .depth = shape->depth,
                              .request_bytes = shape->request_bytes,
                              .command_bytes = shape->request_bytes };
    if (d->max_command_bytes && d->max_command_bytes < shape->request_bytes)
        l->io.command_bytes = d->max_command_bytes;
    if (f->data_word) {
        for (unsigned i = 0; i < FAKE_DATA_WORDS; i++)
            l->data[i] = f->data_word != 1                                 ? f->data_word
                         : f->first_words_alike && i % FAKE_LBA_WORDS == 0 ? 0
                                                                           : i;
        l->io.data = (struct dma_buf){ .cpu = l->data, .len_bytes = sizeof(l->data) };
    }
    if (l->buffers) {
        l->io.buffer_per_slot = true;
        l->io.data =
            (struct dma_buf){ .cpu = l->buffers, .len_bytes = (size_t)shape->depth * shape->request_bytes };
    }
    f->open_lanes++;
    *out = &l->io;
    return OK;
}

static bool is_fit(struct fake_disk *f, struct fake_lane *l, const struct io_request *r)
{
    const struct disk *d = &f->disk;

    if (r->op == IO_FLUSH)
        return l->writes && r->slot < l->io.depth && l->slot[r->slot].state == FREE && !r->blocks && !r->lba;
    if (r->op > IO_FLUSH || (r->op == IO_WRITE && !l->writes))
        return false;
    return r->slot < l->io.depth && l->slot[r->slot].state == FREE && r->blocks && r->lba < d->lba_count &&
           r->blocks <= d->lba_count - r->lba && (uint64_t)r->blocks * d->lba_bytes <= l->io.request_bytes;
}

static unsigned fake_submit(struct io_lane *io, const struct io_request *r, unsigned n)
{
    struct fake_lane *l = (struct fake_lane *)io;
    struct fake_disk *f = fake_of(io->disk);
    unsigned room = f->take_at_most && f->take_at_most < io->depth ? f->take_at_most : io->depth, taken = 0;

    if (io->dead || f->takes_nothing)
        return 0;
    for (; taken < n && l->count < room; taken++, r++) {
        if (!is_fit(f, l, r)) {
            f->violations++;
            continue;
        }
        f->requests++;
        if (f->log_count < f->log_cap)
            f->log[f->log_count++] =
                (struct fake_request){ r->lba, model_clock_ns, r->blocks, r->slot, r->op };
        l->slot[r->slot] = (struct fake_slot){ .request = *r, .state = MADE, .number = f->requests };
        l->order[l->count++] = r->slot;
        f->in_flight++;
        if (f->in_flight > f->max_in_flight)
            f->max_in_flight = f->in_flight;
    }
    return taken;
}

/* ---- data ---- */
static void put(struct fake_disk *f, uint64_t lba, uint32_t blocks, const uint8_t *data)
{
    uint32_t lba_bytes = f->disk.lba_bytes;

    if (f->content && lba <= f->disk.lba_count && blocks <= f->disk.lba_count - lba)
        memcpy(f->content + lba * lba_bytes, data, (size_t)blocks * lba_bytes);
}

static void write_data(struct fake_disk *f, struct fake_lane *l, const struct io_request *r)
{
    uint8_t *data = lane_data(&l->io, r->slot);
    uint32_t bytes = r->blocks * f->disk.lba_bytes;
    uint64_t n = ++f->writes, lba = r->lba;

    if (f->least_written_lba == f->end_written_lba)
        f->least_written_lba = f->end_written_lba = lba;
    f->least_written_lba = lba < f->least_written_lba ? lba : f->least_written_lba;
    f->end_written_lba = max_u64(f->end_written_lba, lba + r->blocks);
    if (f->drop_at && n == f->drop_at)
        return;
    if (f->misdirect_at && n == f->misdirect_at)
        lba = f->misdirect_lba;
    if (f->swap_at && n == f->swap_at) { /* into the place of the next, which comes here */
        f->swapped_lba = lba;
        lba = f->misdirect_lba;
    } else if (f->swap_at && n == f->swap_at + 1) {
        lba = f->swapped_lba;
    }
    if (f->alter_at && n == f->alter_at)
        data[bytes / 2] ^= 0x10;
    put(f, lba, r->blocks, data);
    if (f->alter_at && n == f->alter_at)
        data[bytes / 2] ^= 0x10;
}

/* What is written is there, and what is read comes, when the request is answered well. */
static void move_data(struct fake_disk *f, struct fake_lane *l, const struct io_request *r)
{
    if (r->op == IO_FLUSH)
        f->flushes++;
    else if (r->op == IO_WRITE)
        write_data(f, l, r);
    else if (f->content && l->io.buffer_per_slot && !f->drops_reads)
        memcpy(lane_data(&l->io, r->slot), f->content + r->lba * f->disk.lba_bytes,
               (size_t)r->blocks * f->disk.lba_bytes);
}

static void lose_all(struct fake_lane *l)
{
    l->io.dead = true;
    for (unsigned i = 0; i < l->count; i++) {
        struct fake_slot *s = &l->slot[l->order[i]];
        *s = (struct fake_slot){ .request = s->request, .state = SENT, .status = IO_LOST };
    }
}

static uint64_t rate_at(const struct fake_disk *f, uint64_t lba)
{
    if (!f->inner_bytes_per_s)
        return f->bytes_per_s;
    return f->bytes_per_s - mul_div_u64(f->bytes_per_s - f->inner_bytes_per_s, lba, f->disk.lba_count);
}

static void fake_kick(struct io_lane *io)
{
    struct fake_lane *l = (struct fake_lane *)io;
    struct fake_disk *f = fake_of(io->disk);
    uint64_t now_ns = model_clock_ns;

    f->kicks++;
    for (unsigned i = 0; i < l->count; i++) {
        struct fake_slot *s = &l->slot[l->order[i]];
        uint64_t bytes = (uint64_t)s->request.blocks * io->disk->lba_bytes,
                 end = s->request.lba + s->request.blocks;
        if (s->state != MADE)
            continue;
        s->state = f->hang_at && s->number == f->hang_at ? HUNG : SENT;
        l->link_free_ns = max_u64(l->link_free_ns, now_ns);
        if (f->bytes_per_s)
            l->link_free_ns += bytes * NS_PER_S / rate_at(f, s->request.lba);
        l->link_free_ns += f->request_ns;
        s->due_ns = l->link_free_ns + f->latency_ns + (s->request.op == IO_FLUSH ? f->flush_ns : 0);
        if (f->slow_every && s->number % f->slow_every == 0)
            s->due_ns += f->slow_ns;
        if (s->request.op == IO_FLUSH && f->fails_flushes)
            s->status = IO_DEVICE_ERROR;
        if (f->bad_count && s->request.lba < f->bad_lba + f->bad_count && end > f->bad_lba)
            s->status = IO_MEDIA_ERROR;
        else if (f->fail_every && s->number % f->fail_every == 0)
            s->status = IO_DEVICE_ERROR;
        if (f->die_at && s->number >= f->die_at) {
            FAULT(&io->disk->fault, E_GONE, "fake disk", s->number, 0);
            lose_all(l);
            return;
        }
    }
}

static unsigned fake_poll(struct io_lane *io, struct io_completion *c, unsigned max)
{
    struct fake_lane *l = (struct fake_lane *)io;
    struct fake_disk *f = fake_of(io->disk);
    uint64_t now_ns = model_clock_ns;
    unsigned n = 0, kept = 0;

    f->polls++;
    if (l->has_again && n < max) {
        c[n++] = l->again;
        l->has_again = false;
    }
    for (unsigned i = 0; i < l->count; i++) {
        uint16_t slot = l->order[i];
        struct fake_slot *s = &l->slot[slot];
        bool is_sent = s->state == SENT || (s->state == HUNG && f->answers_hung);

        if (n == max || !is_sent || s->due_ns > now_ns) {
            l->order[kept++] = slot;
            continue;
        }
        c[n] = (struct io_completion){ .slot = slot, .status = s->status, .retries = f->retries };
        if (!s->status)
            move_data(f, l, &s->request);
        if (s->status) {
            c[n].detail = 0x281;
            c[n].error_lba = s->request.lba;
        }
        l->again = c[n++];
        l->has_again = f->completes_twice;
        s->state = FREE;
        f->in_flight--;
    }
    l->count = kept;
    return n;
}

static void fake_expire(struct io_lane *io, unsigned slot)
{
    struct fake_lane *l = (struct fake_lane *)io;
    struct fake_disk *f = fake_of(io->disk);

    f->expires++;
    if (slot >= io->depth || l->slot[slot].state == FREE) {
        f->violations++;
        return;
    }
    if (f->keeps_expired)
        return;
    l->slot[slot].state = SENT;
    l->slot[slot].status = IO_TIMED_OUT;
    l->slot[slot].due_ns = 0;
}

static void fake_close(struct io_lane *io)
{
    struct fake_lane *l = (struct fake_lane *)io;
    struct fake_disk *f = fake_of(io->disk);

    if (l->count && !f->keeps_expired)
        f->violations++;
    f->in_flight -= l->count;
    f->open_lanes--;
    plat_free(l->buffers);
    plat_free(l->slot);
    plat_free(l);
}

static void fake_status_words(uint32_t detail, struct text *out)
{
    text_fmt(out, "fake status 0x%x", detail);
}

static int fake_set_cache(struct disk *d, enum disk_cache which, bool on)
{
    struct fake_disk *f = fake_of(d);

    f->cache_switches++;
    if (f->cache_error == E_GONE)
        FAULT(&d->fault, E_GONE, "fake disk", which, on);
    if (f->open_lanes)
        f->violations++;
    if (f->cache_error || d->fault.err)
        return f->cache_error ? f->cache_error : d->fault.err;
    d->cache[which].asked = d->cache[which].now = on ? CACHE_ON : CACHE_OFF;
    return OK;
}

static int fake_reset(struct io_lane *io, struct text *instead)
{
    struct fake_disk *f = fake_of(io->disk);

    f->resets++;
    f->requests_at_reset = f->requests;
    if (f->in_flight || f->open_lanes != 1)
        f->violations++;
    if (f->reset_answer == E_UNSUPPORTED)
        text_str(instead, "a fake disk is not reset; it was flushed");
    if (f->reset_answer == E_GONE) {
        FAULT(&io->disk->fault, E_GONE, "fake disk", 0, 0);
        io->dead = true;
    }
    return f->reset_answer;
}

static const struct disk_ops fake_ops = { .open = fake_open,
                                          .submit = fake_submit,
                                          .kick = fake_kick,
                                          .poll = fake_poll,
                                          .expire = fake_expire,
                                          .close = fake_close,
                                          .status_words = fake_status_words,
                                          .reset = fake_reset,
                                          .set_cache = fake_set_cache };

void fake_disk_init(struct fake_disk *f, const char *name, struct controller *controller,
                    struct fake_request *log, unsigned log_cap)
{
    *f = (struct fake_disk){
        .latency_ns = 100 * NS_PER_US, .reset_answer = E_UNSUPPORTED, .log = log, .log_cap = log_cap
    };
    f->disk = (struct disk){ .ops = &fake_ops,
                             .controller = controller,
                             .kind = DISK_NVME,
                             .rotation = ROTATION_NONE,
                             .lba_bytes = 512,
                             .physical_block_bytes = 512,
                             .lba_count = GIB / 512,
                             .max_depth = 1024,
                             .command_deadline_ns = 30 * NS_PER_S };
    str_copy(f->disk.name, sizeof(f->disk.name), name);
    str_copy(f->disk.model, sizeof(f->disk.model), "Fake");
    str_fmt(f->disk.serial, sizeof(f->disk.serial), "SN-%s", name);
    str_copy(f->disk.identity, sizeof(f->disk.identity), f->disk.serial);
}
