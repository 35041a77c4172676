#include "stored_disk.h"
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "err.h"
#include "math.h"
#include "platform_model.h"
#include "str.h"
#include "text.h"

enum { LBA = 512, MOST_DEPTH = 64 };
struct in_flight {
    struct io_request request;
    uint64_t due_ns;
    uint8_t status;
    bool busy, kicked;
};
struct stored_lane {
    struct io_lane io;
    struct in_flight slot[MOST_DEPTH];
    bool writes;
};

static struct stored_disk *stored_of(const struct disk *d)
{
    return (struct stored_disk *)((char *)(uintptr_t)d - offsetof(struct stored_disk, disk));
}

static int stored_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out)
{
    struct stored_lane *l;

    if (!shape->depth || shape->depth > MOST_DEPTH || shape->request_bytes % LBA)
        return E_LIMIT;
    l = plat_alloc(sizeof *l);
    if (!l)
        return E_NOMEM;
    l->io = (struct io_lane){ .disk = d,
                              .depth = shape->depth,
                              .request_bytes = shape->request_bytes,
                              .command_bytes = shape->request_bytes,
                              .buffer_per_slot = shape->buffer_per_slot };
    l->writes = shape->writes;
    l->io.data.len_bytes = (size_t)shape->request_bytes * (shape->buffer_per_slot ? shape->depth : 1);
    l->io.data.cpu = plat_alloc(l->io.data.len_bytes);
    if (!l->io.data.cpu) {
        plat_free(l);
        return E_NOMEM;
    }
    stored_of(d)->open_lanes++;
    *out = &l->io;
    return OK;
}

/* Where an LBA really lies; -1: nowhere. */
static int64_t place_of(const struct stored_disk *s, uint64_t lba)
{
    if (!s->real_lbas || lba < s->real_lbas)
        return (int64_t)lba;
    return s->drops_beyond ? -1 : (int64_t)(lba % s->real_lbas);
}

static void write_lba(struct stored_disk *s, uint64_t lba, const uint8_t *data)
{
    int64_t at = place_of(s, lba);

    if (at < 0 || (s->drop_lba && lba == s->drop_lba))
        return;
    memcpy(s->now + at * LBA, data, LBA);
    if (s->alter_lba && lba == s->alter_lba)
        s->now[at * LBA + 300] ^= 4;
    s->dirty[at] = true;
}

static void carry_out(struct stored_disk *s, struct stored_lane *l, struct in_flight *f)
{
    const struct io_request *r = &f->request;
    uint8_t *data = lane_data(&l->io, r->slot);

    if (r->op == IO_FLUSH) {
        s->flushes++;
        for (uint64_t i = 0; !s->ignores_flush && i < (s->real_lbas ? s->real_lbas : s->disk.lba_count); i++)
            if (s->dirty[i]) {
                memcpy(s->medium + i * LBA, s->now + i * LBA, LBA);
                s->dirty[i] = false;
            }
        return;
    }
    if (r->op == IO_WRITE)
        s->writes++;
    else
        s->reads++;
    if (r->op == IO_READ && s->bad_count && r->lba < s->bad_lba + s->bad_count &&
        r->lba + r->blocks > s->bad_lba)
        f->status = IO_MEDIA_ERROR;
    if (s->fails_from && s->requests >= s->fails_from && (s->reads + s->writes) % 2)
        f->status = IO_DEVICE_ERROR;
    if (r->op == IO_WRITE && s->writes == s->drop_write)
        return;
    for (uint32_t i = 0; !f->status && i < r->blocks; i++) {
        int64_t at = place_of(s, r->lba + i);

        if (r->op == IO_WRITE)
            write_lba(s, r->lba + i, data + (size_t)i * LBA);
        else if (at < 0)
            memset(data + (size_t)i * LBA, 0, LBA);
        else
            memcpy(data + (size_t)i * LBA, s->now + at * LBA, LBA);
    }
}

static bool is_fit(const struct stored_disk *s, const struct stored_lane *l, const struct io_request *r)
{
    if (r->slot >= l->io.depth || l->slot[r->slot].busy || (r->op != IO_READ && !l->writes))
        return false;
    if (r->op == IO_FLUSH)
        return !r->lba && !r->blocks;
    return r->blocks && r->lba < s->disk.lba_count && r->blocks <= s->disk.lba_count - r->lba &&
           (uint64_t)r->blocks * LBA <= l->io.request_bytes;
}

static bool collides(const struct stored_lane *l, const struct io_request *r)
{
    for (unsigned i = 0; i < l->io.depth; i++) {
        const struct io_request *o = &l->slot[i].request;

        if (l->slot[i].busy && (o->op == IO_WRITE || r->op == IO_WRITE) && o->lba < r->lba + r->blocks &&
            r->lba < o->lba + o->blocks)
            return true;
    }
    return false;
}

static unsigned stored_submit(struct io_lane *io, const struct io_request *r, unsigned n)
{
    struct stored_lane *l = (struct stored_lane *)io;
    struct stored_disk *s = stored_of(io->disk);

    for (unsigned i = 0; i < n; i++, r++) {
        s->requests++;
        if (s->on_request)
            s->on_request(s->ctx);
        if (s->dies_at && s->requests >= s->dies_at) {
            FAULT(&io->disk->fault, E_GONE, "stored disk", s->requests, 0);
            io->dead = true;
            return i;
        }
        if (!is_fit(s, l, r)) {
            s->violations++;
            continue;
        }
        s->collisions += collides(l, r);
        l->slot[r->slot] =
            (struct in_flight){ .request = *r, .busy = true, .due_ns = model_clock_ns + s->latency_ns };
    }
    return n;
}

static void stored_kick(struct io_lane *io)
{
    struct stored_lane *l = (struct stored_lane *)io;

    for (unsigned i = 0; i < io->depth; i++)
        l->slot[i].kicked = l->slot[i].busy;
}

static unsigned stored_poll(struct io_lane *io, struct io_completion *c, unsigned max)
{
    struct stored_lane *l = (struct stored_lane *)io;
    struct stored_disk *s = stored_of(io->disk);
    unsigned n = 0;

    for (unsigned i = 0; i < io->depth && n < max; i++) {
        struct in_flight *f = &l->slot[i];

        if (!f->busy || !f->kicked || (!io->dead && f->due_ns > model_clock_ns))
            continue;
        if (io->dead)
            f->status = IO_LOST;
        else
            carry_out(s, l, f);
        c[n++] = (struct io_completion){ .slot = (uint16_t)i,
                                         .status = f->status,
                                         .error_lba = f->status ? f->request.lba : 0 };
        f->busy = false;
    }
    return n;
}

static void stored_expire(struct io_lane *io, unsigned slot)
{
    struct stored_lane *l = (struct stored_lane *)io;

    l->slot[slot].status = IO_TIMED_OUT;
    l->slot[slot].due_ns = 0;
}

static void stored_close(struct io_lane *io)
{
    struct stored_lane *l = (struct stored_lane *)io;
    struct stored_disk *s = stored_of(io->disk);

    for (unsigned i = 0; i < io->depth; i++)
        s->violations += l->slot[i].busy && l->slot[i].kicked && !io->dead;
    s->open_lanes--;
    plat_free(io->data.cpu);
    plat_free(l);
}

/* What is in its cache is lost, as by a power cut in which nothing gets through. */
static int stored_reset(struct io_lane *io, struct text *instead)
{
    struct stored_disk *s = stored_of(io->disk);

    if (s->no_reset) {
        text_str(instead, "the card is flushed");
        return E_UNSUPPORTED;
    }
    s->violations +=
        s->open_lanes != 1 || (s->neighbour && (s->neighbour->testing || s->neighbour->open_lanes));
    if (s->reset_rc != OK)
        return s->reset_rc;
    s->resets++;
    memcpy(s->now, s->medium, (s->real_lbas ? s->real_lbas : s->disk.lba_count) * LBA);
    memset(s->dirty, 0, (s->real_lbas ? s->real_lbas : s->disk.lba_count) * sizeof *s->dirty);
    return OK;
}

static const struct disk_ops stored_ops = { .open = stored_open,
                                            .submit = stored_submit,
                                            .kick = stored_kick,
                                            .poll = stored_poll,
                                            .expire = stored_expire,
                                            .close = stored_close,
                                            .reset = stored_reset };

static int test_start(struct disk *d, enum self_test_kind kind, struct self_test_state *t)
{
    struct stored_disk *s = stored_of(d);

    (void)kind;
    if (!s->self_tests)
        return E_UNSUPPORTED;
    s->looks = 0;
    s->testing = true;
    *t = (struct self_test_state){ .result = SELF_TEST_RUNNING, .expected_s = 60 };
    return OK;
}

static int test_look(struct disk *d, struct self_test_state *t)
{
    struct stored_disk *s = stored_of(d);

    *t = (struct self_test_state){ .result = SELF_TEST_RUNNING, .percent_done = 50 };
    if (s->looks++ < s->self_test_looks)
        return OK;
    *t = s->self_test;
    s->testing = false;
    return OK;
}

static int test_abort(struct disk *d)
{
    (void)d;
    return OK;
}

static int stored_health(struct disk *d, struct disk_health *h)
{
    *h = stored_of(d)->health;
    return OK;
}

static const struct self_test_ops tests = { test_start, test_look, test_abort };

void stored_disk_make(struct stored_disk *s, const char *name, uint64_t lbas, uint64_t room_lbas)
{
    *s = (struct stored_disk){ .latency_ns = 1 * NS_PER_MS };
    s->now = calloc(room_lbas, LBA);
    s->medium = calloc(room_lbas, LBA);
    s->dirty = calloc(room_lbas, sizeof *s->dirty);
    s->self_tests = true;
    s->self_test.result = SELF_TEST_PASSED;
    s->driver = (struct controller_driver){ .name = "stored", .self_test = &tests, .health = stored_health };
    s->controller.driver = &s->driver;
    s->disk = (struct disk){ .ops = &stored_ops,
                             .controller = &s->controller,
                             .kind = DISK_SATA,
                             .rotation = ROTATION_NONE,
                             .lba_bytes = LBA,
                             .physical_block_bytes = LBA,
                             .lba_count = lbas,
                             .max_depth = 32,
                             .command_deadline_ns = 30 * NS_PER_S };
    str_copy(s->disk.name, sizeof s->disk.name, name);
    str_fmt(s->disk.identity, sizeof s->disk.identity, "identity of %s", name);
}

void stored_disk_free(struct stored_disk *s)
{
    free(s->now);
    free(s->medium);
    free(s->dirty);
    *s = (struct stored_disk){ 0 };
}

void stored_disk_power_cut(struct stored_disk *s, uint64_t seed)
{
    uint64_t lbas = s->real_lbas ? s->real_lbas : s->disk.lba_count;
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint64_t i = 0; i < lbas; i++) {
        if (s->dirty[i] && rng_next(&rng) % 2)
            memcpy(s->medium + i * LBA, s->now + i * LBA, LBA);
        s->dirty[i] = false;
    }
    memcpy(s->now, s->medium, lbas * LBA);
    s->open_lanes = 0;
}
