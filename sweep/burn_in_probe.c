#include "burn_in_probe.h"
#include "bits.h"
#include "burn_in_lane.h"
#include "io_once.h"
#include "math.h"
#include "str.h"
#include "text.h"

/* ---- where ---- */
static void add_place(struct probe *p, uint64_t lba, uint64_t first_lba, uint64_t end_lba)
{
    unsigned at = p->count;

    if (lba < first_lba || lba >= end_lba || end_lba - lba < p->place_lbas || p->count == PROBE_MAX_PLACES)
        return;
    while (at && p->place[at - 1].lba > lba)
        at--;
    if (at && lba - p->place[at - 1].lba < p->place_lbas)
        return;
    if (at < p->count && p->place[at].lba - lba < p->place_lbas)
        return;
    memmove(&p->place[at + 1], &p->place[at], (p->count - at) * sizeof p->place[0]);
    p->place[at] = (struct probe_place){ .lba = lba };
    p->count++;
}

void probe_plan(struct probe *p, const struct disk *d, uint64_t first_lba, uint64_t lba_count)
{
    uint64_t end_lba = first_lba + lba_count;
    uint32_t align = max_u64(d->physical_block_bytes / max_u64(d->lba_bytes, 1), 1);

    *p = (struct probe){ .place_lbas = PROBE_PLACE_BYTES / d->lba_bytes, .disk_lbas = d->lba_count };
    add_place(p, end_lba - p->place_lbas - (end_lba - p->place_lbas) % align, first_lba, end_lba);
    for (unsigned i = 0; i < PROBE_FRACTIONS; i++) {
        uint64_t at = mul_div_u64(d->lba_count, i, PROBE_FRACTIONS);
        add_place(p, first_lba + at - at % align, first_lba, end_lba);
    }
    for (uint64_t at = p->place_lbas; at && at < lba_count; at <<= 1)
        add_place(p, first_lba + at, first_lba, end_lba);
}

/* ---- what it means ---- */
static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_wrapped(const struct probe_place *p)
{
    return p->kind == STAMP_MISDIRECTED && p->seen_lba > p->lba;
}

/* Every distance between a place and the one whose stamp it holds is a multiple of the real size.  Where many
 * places fall together, the last writes stand: from there to the end there is about as much as is real. */
static uint64_t wrapped_lbas(const struct probe *p)
{
    unsigned upper = p->count;
    uint64_t distance = 0, about;

    for (unsigned i = 0; i < p->count; i++)
        if (is_wrapped(&p->place[i]))
            distance = gcd(p->place[i].seen_lba - p->place[i].lba, distance);
    while (upper && p->place[upper - 1].kind == STAMP_OK)
        upper--;
    about = upper < p->count ? p->disk_lbas - p->place[upper].lba : distance;
    return distance / max_u64((distance + about / 2) / max_u64(about, 1), 1);
}

uint64_t probe_real_lbas(const struct probe *p)
{
    unsigned bad = p->count;

    for (unsigned i = 0; i < p->count; i++)
        if (is_wrapped(&p->place[i]))
            return min_u64(wrapped_lbas(p), p->disk_lbas);
    /* Without a wrap, all behind its end is missing; single places are lost or altered writes. */
    while (bad && p->place[bad - 1].kind != STAMP_OK)
        bad--;
    return bad < p->count ? p->place[bad].lba : p->disk_lbas;
}

static unsigned wrong_places(const struct probe *p, unsigned *first)
{
    unsigned wrong = 0;

    for (unsigned i = p->count; i--;)
        if (p->place[i].kind != STAMP_OK) {
            wrong++;
            *first = i;
        }
    return wrong;
}

/* ---- carried out ---- */
/* A lane for one request at a time, and what the first that failed said. */
struct places {
    struct io_lane *io; /* NULL: not open */
    char words[120];
};

static int places_open(struct places *s, struct disk *d, uint32_t request_bytes)
{
    struct lane_shape shape = {
        .depth = 1, .buffer_per_slot = true, .writes = true, .request_bytes = request_bytes
    };
    int rc = d->ops->open(d, &shape, &s->io);

    if (rc != OK)
        s->io = NULL;
    return rc;
}

static void places_close(struct places *s)
{
    if (s->io)
        s->io->disk->ops->close(s->io);
}

static int places_do(struct places *s, enum io_op op, uint64_t lba, uint32_t blocks)
{
    struct io_request r = { .lba = lba, .blocks = blocks, .op = (uint16_t)op };
    struct text why = text_over(s->words, sizeof s->words);

    return io_once(s->io, &r, &why);
}

static int write_places(struct places *s, const struct probe *p, const struct stamp_key *k)
{
    int rc = OK;

    for (unsigned i = 0; i < p->count && rc == OK; i++) {
        stamp_fill(k, p->place[i].lba, p->place_lbas, lane_data(s->io, 0));
        rc = places_do(s, IO_WRITE, p->place[i].lba, p->place_lbas);
    }
    return rc == OK ? places_do(s, IO_FLUSH, 0, 0) : rc;
}

/* A disk whose end lies so little before the one it claims that only the guard's part is hit by a wrap: that
 * part then holds a stamp of the end.  It becomes a place of its own. */
static int read_guards_part(struct places *s, struct probe *p, const struct stamp_key *k, uint64_t end_lba)
{
    int rc = OK;

    for (uint64_t at = 0; at < end_lba && rc == OK; at += p->place_lbas) {
        uint32_t lbas = (uint32_t)min_u64(p->place_lbas, end_lba - at);

        rc = places_do(s, IO_READ, at, lbas);
        for (uint32_t i = 0; rc == OK && i < lbas; i++) {
            struct stamp_finding f;

            stamp_look(k, at + i, lane_data(s->io, 0) + (size_t)i * k->lba_bytes, &f);
            if (f.kind != STAMP_MISDIRECTED)
                continue;
            memmove(&p->place[1], &p->place[0], p->count++ * sizeof p->place[0]);
            p->place[0] =
                (struct probe_place){ .lba = at + i, .kind = STAMP_MISDIRECTED, .seen_lba = f.seen_lba };
            return OK;
        }
    }
    return rc;
}

static int read_places(struct places *s, struct probe *p, const struct stamp_key *k)
{
    int rc = OK;

    for (unsigned i = 0; i < p->count && rc == OK; i++) {
        struct probe_place *place = &p->place[i];
        struct stamp_finding f = { .kind = STAMP_OK };

        memset(lane_data(s->io, 0), 0, (size_t)p->place_lbas * k->lba_bytes);
        rc = places_do(s, IO_READ, place->lba, p->place_lbas);
        uint32_t good = rc == OK ? stamp_check(k, place->lba, p->place_lbas, lane_data(s->io, 0)) : 0;
        if (rc == OK && good < p->place_lbas)
            stamp_look(k, place->lba + good, lane_data(s->io, 0) + (size_t)good * k->lba_bytes, &f);
        place->kind = f.kind;
        place->seen_lba = f.seen_lba ? f.seen_lba - good : 0;
    }
    return rc;
}

/* "": nothing is wrong. */
static void tell(const struct probe *p, const struct disk *d, char words[160])
{
    struct text t = text_over(words, 160);
    unsigned first = 0, wrong = wrong_places(p, &first);
    uint64_t real_lbas = probe_real_lbas(p);

    if (!wrong)
        return;
    if (real_lbas < p->disk_lbas) {
        text_str(&t, "capacity is a lie: real size about ");
        text_capacity(&t, real_lbas * d->lba_bytes);
        text_str(&t, " of ");
        text_capacity(&t, d->lba_count * d->lba_bytes);
        text_str(&t, ", ");
    }
    text_fmt(&t, "%u of %u places do not hold what was written there, the first at LBA %llu: %s", wrong,
             p->count, (unsigned long long)p->place[first].lba, stamp_kind_text(p->place[first].kind));
}

void burn_in_probe(struct burn_in_drive *d, const struct burn_in_work *w, char words[160])
{
    struct probe *p = plat_alloc(sizeof *p);
    struct stamp_key k = burn_in_key(d);
    struct burn_in_outcome o = { .over = true };
    uint64_t began_ns = plat_now_ns();
    struct places s = { 0 };
    int rc = E_NOMEM;

    words[0] = 0;
    k.pass--; /* what the pass over all of it leaves must be told from what stood there before */
    if (p) {
        probe_plan(p, d->disk, d->first_lba, d->lba_count);
        rc = places_open(&s, d->disk, PROBE_PLACE_BYTES);
    }
    if (rc == OK && (rc = write_places(&s, p, &k)) == OK)
        rc = read_places(&s, p, &k);
    if (rc == OK)
        rc = read_guards_part(&s, p, &k, d->first_lba);
    if (rc == OK)
        tell(p, d->disk, words);
    else
        str_fmt(words, 160, "the capacity could not be probed: %s", s.words[0] ? s.words : err_text(rc));
    o.errors = words[0] != 0;
    o.words = words;
    o.written_bytes = p ? (uint64_t)p->count * PROBE_PLACE_BYTES : 0;
    places_close(&s);
    plat_free(p);
    o.ms = (plat_now_ns() - began_ns) / NS_PER_MS;
    burn_in_took(d, w, &o);
}

/* ---- the end: an installer is to see a blank disk ---- */
static bool is_zero(const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (data[i])
            return false;
    return true;
}

static int clear_part(struct places *s, uint64_t lba, uint32_t lbas, size_t len)
{
    int rc;

    memset(lane_data(s->io, 0), 0, len);
    if ((rc = places_do(s, IO_WRITE, lba, lbas)) != OK || (rc = places_do(s, IO_FLUSH, 0, 0)) != OK)
        return rc;
    memset(lane_data(s->io, 0), 0xa5, len);
    if ((rc = places_do(s, IO_READ, lba, lbas)) != OK)
        return rc;
    if (!is_zero(lane_data(s->io, 0), len)) {
        str_fmt(s->words, sizeof s->words, "LBA %llu and those behind it were zeroed and are not zero",
                (unsigned long long)lba);
        return E_MEDIA;
    }
    return OK;
}

void burn_in_clear(struct burn_in_drive *d, const struct burn_in_work *w, char words[160])
{
    uint32_t lbas = (uint32_t)min_u64(BURN_IN_CLEAR_BYTES / d->disk->lba_bytes, d->lba_count);
    size_t len = (size_t)lbas * d->disk->lba_bytes;
    struct burn_in_outcome o = { .over = true, .written_bytes = 2 * len };
    uint64_t began_ns = plat_now_ns();
    struct places s = { 0 };
    int rc = places_open(&s, d->disk, (uint32_t)len);

    words[0] = 0;
    if (rc == OK && (rc = clear_part(&s, d->first_lba, lbas, len)) == OK)
        rc = clear_part(&s, d->first_lba + d->lba_count - lbas, lbas, len);
    if (rc != OK)
        str_fmt(words, 160, "head and tail could not be zeroed: %s", s.words[0] ? s.words : err_text(rc));
    places_close(&s);
    o.errors = words[0] != 0;
    o.words = words;
    o.ms = (plat_now_ns() - began_ns) / NS_PER_MS;
    burn_in_took(d, w, &o);
}

void burn_in_renew(struct burn_in_drive *d, const struct burn_in_work *w, char words[160])
{
    struct burn_in_outcome o = { .over = true, .words = words };
    uint64_t began_ns = plat_now_ns();
    struct places s = { 0 };
    struct text instead = text_over(s.words, sizeof s.words);
    int rc = places_open(&s, d->disk, d->disk->lba_bytes);

    words[0] = 0;
    if (rc == OK)
        rc = d->disk->ops->reset ? d->disk->ops->reset(s.io, &instead) : E_UNSUPPORTED;
    o.not_done = rc == E_UNSUPPORTED || rc == E_AGAIN;
    if (rc == E_AGAIN)
        str_copy(words, 160, "others use its controller");
    else if (rc == E_UNSUPPORTED)
        str_copy(words, 160, s.words[0] ? s.words : "its driver offers none");
    else if (rc != OK)
        str_fmt(words, 160, "it did not come back from a controller reset: %s", err_text(rc));
    places_close(&s);
    o.errors = rc != OK && !o.not_done;
    o.ms = (plat_now_ns() - began_ns) / NS_PER_MS;
    burn_in_took(d, w, &o);
    if (!o.errors)
        words[0] = 0;
}
