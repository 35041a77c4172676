#include "stripe.h"
#include "bits.h"
#include "str.h"
#include "text.h"

struct stripe {
    struct disk disk; /* first: what others hold */
    struct disk *member[STRIPE_MAX_MEMBERS];
    unsigned count;
    uint32_t chunk_lbas;
};
/* What of a slot is still to be sent (bit per member) and what has not come back. */
struct stripe_slot {
    struct io_request request;
    uint32_t unsent, missing;
    uint32_t detail;
    uint64_t error_lba;
    uint8_t busy, status, retries;
};
struct stripe_lane {
    struct io_lane io; /* first */
    struct stripe *s;
    struct io_lane *member[STRIPE_MAX_MEMBERS];
    struct stripe_slot *slot; /* io.depth */
    unsigned waiting;         /* slots with something unsent */
    unsigned turn;            /* the member that is asked first */
};

static struct stripe_lane *lane_of(struct io_lane *io) { return (struct stripe_lane *)io; }

/* ---- where the pieces lie ---- */
/* How many LBAs of the array's first `lba` lie on this member. */
static uint64_t on_member(const struct stripe *s, unsigned member, uint64_t lba)
{
    uint64_t chunk = lba / s->chunk_lbas, row = chunk / s->count;
    unsigned at = (unsigned)(chunk % s->count);

    if (member < at)
        return (row + 1) * s->chunk_lbas;
    return row * s->chunk_lbas + (member == at ? lba % s->chunk_lbas : 0);
}

static bool piece_of(const struct stripe *s, unsigned member, const struct io_request *r,
                     struct io_request *piece)
{
    uint64_t first = on_member(s, member, r->lba), end = on_member(s, member, r->lba + r->blocks);

    *piece = (struct io_request){ .lba = first, .blocks = (uint32_t)(end - first), .slot = r->slot };
    return end != first;
}

/* The array's LBA of one of a member. */
static uint64_t array_lba(const struct stripe *s, unsigned member, uint64_t lba)
{
    uint64_t row = lba / s->chunk_lbas;

    return (row * s->count + member) * s->chunk_lbas + lba % s->chunk_lbas;
}

/* ---- a lane ---- */
static void close_members(struct stripe_lane *l)
{
    for (unsigned i = 0; i < l->s->count; i++)
        if (l->member[i])
            l->s->member[i]->ops->close(l->member[i]);
    plat_free(l->slot);
    plat_free(l);
}

static int stripe_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out)
{
    struct stripe *s = (struct stripe *)d;
    uint32_t chunk_bytes = s->chunk_lbas * d->lba_bytes;
    uint64_t rows = (shape->request_bytes + chunk_bytes - 1) / chunk_bytes / s->count + 2;
    struct lane_shape part = { .depth = shape->depth,
                               .request_bytes = (uint32_t)min_u64(shape->request_bytes, rows * chunk_bytes) };

    if (shape->writes)
        return NOTE(E_REFUSED, "an array of disks is never written", shape->request_bytes, 0);
    if (!shape->depth || shape->buffer_per_slot || shape->request_bytes % d->lba_bytes ||
        !shape->request_bytes)
        return E_LIMIT; /* a buffer in the array's order would need lists that members do not have */
    struct stripe_lane *l = plat_alloc(sizeof(*l));
    if (!l)
        return E_NOMEM;
    *l = (struct stripe_lane){ .s = s,
                               .io = { .disk = d,
                                       .depth = shape->depth,
                                       .request_bytes = shape->request_bytes,
                                       .command_bytes =
                                           (uint32_t)min_u64(chunk_bytes, shape->request_bytes) } };
    l->slot = plat_alloc(shape->depth * sizeof(*l->slot));
    int err = l->slot ? OK : E_NOMEM;
    for (unsigned i = 0; i < s->count && err == OK; i++) {
        err = s->member[i]->ops->open(s->member[i], &part, &l->member[i]);
        if (err != OK)
            l->member[i] = NULL;
        else if (l->member[i]->depth < shape->depth) /* slots of the same number are needed everywhere */
            err = E_LIMIT;
    }
    if (err != OK) {
        close_members(l);
        return err;
    }
    *out = &l->io;
    return OK;
}

static void stripe_close(struct io_lane *io) { close_members(lane_of(io)); }

/* Hands one slot's pieces to those members that take them. */
static void send_slot(struct stripe_lane *l, struct stripe_slot *x)
{
    for (unsigned k = 0; k < l->s->count && x->unsent; k++) {
        unsigned i = (l->turn + k) % l->s->count;
        struct io_request piece;
        if (!(x->unsent >> i & 1))
            continue;
        piece_of(l->s, i, &x->request, &piece);
        if (l->member[i]->dead) { /* will take nothing any more */
            x->unsent &= ~(1u << i);
            x->missing &= ~(1u << i);
            x->status = x->status ? x->status : IO_LOST;
        } else if (l->s->member[i]->ops->submit(l->member[i], &piece, 1)) {
            x->unsent &= ~(1u << i);
        }
    }
    if (!x->unsent)
        l->waiting--;
}

static void send_waiting(struct stripe_lane *l)
{
    for (unsigned i = 0; i < l->io.depth && l->waiting; i++)
        if (l->slot[i].busy && l->slot[i].unsent)
            send_slot(l, &l->slot[i]);
}

static unsigned stripe_submit(struct io_lane *io, const struct io_request *r, unsigned n)
{
    struct stripe_lane *l = lane_of(io);
    unsigned taken = 0;

    if (io->dead)
        return 0;
    for (; taken < n; taken++, r++) {
        struct stripe_slot *x = r->slot < io->depth ? &l->slot[r->slot] : NULL;
        struct io_request piece;
        if (!x || x->busy || !r->blocks)
            break;
        *x = (struct stripe_slot){ .request = *r, .busy = 1 };
        if (r->lba >= io->disk->lba_count || r->blocks > io->disk->lba_count - r->lba) {
            x->status = IO_REFUSED; /* comes back from the next poll */
            continue;
        }
        for (unsigned i = 0; i < l->s->count; i++)
            if (piece_of(l->s, i, r, &piece))
                x->unsent |= 1u << i;
        x->missing = x->unsent;
        l->waiting++;
        l->turn = (unsigned)(r->lba / l->s->chunk_lbas % l->s->count);
        send_slot(l, x);
    }
    return taken;
}

static void stripe_kick(struct io_lane *io)
{
    struct stripe_lane *l = lane_of(io);

    if (l->waiting)
        send_waiting(l);
    for (unsigned i = 0; i < l->s->count; i++)
        l->s->member[i]->ops->kick(l->member[i]);
}

static void piece_back(struct stripe_lane *l, unsigned member, const struct io_completion *c)
{
    struct stripe_slot *x = c->slot < l->io.depth ? &l->slot[c->slot] : NULL;

    if (!x || !x->busy || !(x->missing >> member & 1) || x->unsent >> member & 1) {
        NOTE(E_PROTO, "piece of a stripe that is not in flight", c->slot, member);
        l->io.dead = true;
        return;
    }
    x->missing &= ~(1u << member);
    x->retries = (uint8_t)min_u64(255, x->retries + c->retries);
    if (c->status && !x->status) { /* the first failure of a request stays */
        struct io_request piece;
        piece_of(l->s, member, &x->request, &piece);
        x->status = c->status;
        x->detail = c->detail;
        x->error_lba = array_lba(l->s, member, c->error_lba >= piece.lba ? c->error_lba : piece.lba);
    }
}

static unsigned collect(struct stripe_lane *l, struct io_completion *c, unsigned max)
{
    unsigned n = 0;

    for (unsigned i = 0; i < l->io.depth && n < max; i++) {
        struct stripe_slot *x = &l->slot[i];
        if (!x->busy || x->missing)
            continue;
        c[n++] = (struct io_completion){ .slot = (uint16_t)i,
                                         .status = x->status,
                                         .retries = x->retries,
                                         .detail = x->detail,
                                         .error_lba = x->error_lba };
        x->busy = 0;
    }
    return n;
}

static unsigned stripe_poll(struct io_lane *io, struct io_completion *c, unsigned max)
{
    enum { BATCH = 16 };
    struct stripe_lane *l = lane_of(io);
    struct io_completion got[BATCH];

    for (unsigned i = 0; i < l->s->count; i++) {
        unsigned n = l->s->member[i]->ops->poll(l->member[i], got, BATCH);
        for (unsigned k = 0; k < n; k++)
            piece_back(l, i, &got[k]);
        io->dead |= l->member[i]->dead;
    }
    if (l->waiting)
        send_waiting(l);
    return collect(l, c, max);
}

static void stripe_expire(struct io_lane *io, unsigned slot)
{
    struct stripe_lane *l = lane_of(io);
    struct stripe_slot *x = slot < io->depth ? &l->slot[slot] : NULL;

    if (!x || !x->busy)
        return;
    for (unsigned i = 0; i < l->s->count; i++) {
        if (!(x->missing >> i & 1))
            continue;
        if (x->unsent >> i & 1) { /* no member has it: it ends here */
            x->unsent &= ~(1u << i);
            x->missing &= ~(1u << i);
            x->status = IO_TIMED_OUT;
            l->waiting -= !x->unsent;
        } else {
            l->s->member[i]->ops->expire(l->member[i], slot);
        }
    }
}

static void stripe_status_words(uint32_t detail, struct text *out)
{
    text_fmt(out, "status 0x%x of a member", detail);
}

static const struct disk_ops stripe_ops = { .open = stripe_open,
                                            .submit = stripe_submit,
                                            .kick = stripe_kick,
                                            .poll = stripe_poll,
                                            .expire = stripe_expire,
                                            .close = stripe_close,
                                            .status_words = stripe_status_words };

/* ---- the disk ---- */
int stripe_make(struct disk *const *members, unsigned count, uint32_t chunk_bytes, const char *name,
                struct disk **out)
{
    struct controller *controller = count ? members[0]->controller : NULL;
    uint64_t rows = UINT64_MAX, deadline_ns = 0;
    uint16_t depth = UINT16_MAX;

    *out = NULL;
    if (count < 2 || count > STRIPE_MAX_MEMBERS || !chunk_bytes)
        return NOTE(E_LIMIT, "members of a stripe", count, STRIPE_MAX_MEMBERS);
    for (unsigned i = 0; i < count; i++) {
        const struct disk *m = members[i];
        if (!m->ops || !m->lba_bytes || m->lba_bytes != members[0]->lba_bytes || chunk_bytes % m->lba_bytes)
            return NOTE(E_LIMIT, "chunk and blocks of a stripe's members", m->lba_bytes, chunk_bytes);
        rows = min_u64(rows, m->lba_count / (chunk_bytes / m->lba_bytes));
        deadline_ns = max_u64(deadline_ns, m->command_deadline_ns);
        if (m->controller != members[0]->controller)
            controller = NULL; /* several paths: none of them alone carries it */
        if (m->max_depth)
            depth = (uint16_t)min_u64(depth, m->max_depth);
    }
    uint32_t chunk_lbas = chunk_bytes / members[0]->lba_bytes;
    if (!rows || rows > UINT64_MAX / count / chunk_bytes)
        return NOTE(E_LIMIT, "size of a stripe", rows, count);
    struct stripe *s = plat_alloc(sizeof(*s));
    if (!s)
        return NOTE(E_NOMEM, "memory for a stripe", 0, sizeof(*s));
    *s = (struct stripe){ .count = count,
                          .chunk_lbas = chunk_lbas,
                          .disk = { .ops = &stripe_ops,
                                    .controller = controller,
                                    .kind = members[0]->kind,
                                    .rotation = members[0]->rotation,
                                    .lba_bytes = members[0]->lba_bytes,
                                    .physical_block_bytes = members[0]->physical_block_bytes,
                                    .lba_count = rows * count * chunk_lbas,
                                    .max_depth = depth,
                                    .command_deadline_ns = deadline_ns } };
    memcpy(s->member, members, count * sizeof(members[0]));
    str_copy(s->disk.name, sizeof(s->disk.name), name);
    str_fmt(s->disk.model, sizeof(s->disk.model), "%u disks, chunk %u KiB", count, chunk_bytes / 1024);
    *out = &s->disk;
    return OK;
}

struct disk *stripe_member_of(const struct disk *d, uint64_t lba, uint64_t *member_lba)
{
    const struct stripe *s = (const struct stripe *)d;

    if (!d || d->ops != &stripe_ops || lba >= d->lba_count)
        return NULL;
    unsigned member = (unsigned)(lba / s->chunk_lbas % s->count);
    *member_lba = on_member(s, member, lba);
    return s->member[member];
}

struct disk *stripe_member(const struct disk *d, unsigned i)
{
    const struct stripe *s = (const struct stripe *)d;

    return d && d->ops == &stripe_ops && i < s->count ? s->member[i] : NULL;
}

uint32_t stripe_chunk_bytes(const struct disk *d)
{
    return d->ops == &stripe_ops ? ((const struct stripe *)d)->chunk_lbas * d->lba_bytes : 0;
}

void stripe_free(struct disk *d) { plat_free(d); }
