#include "stamp.h"
#include "bits.h"
#include "crc.h"
#include "math.h"
#include "str.h"

/* At the begin of each LBA, little endian. */
struct header {
    uint64_t magic, lba, job, seed;
    uint32_t pass;
    uint32_t crc; /* of the whole LBA without this field */
};
_Static_assert(sizeof(struct header) == STAMP_HEADER_BYTES, "the layout is on disks");
#define MAGIC 0x314d545350575342ull /* "BSWPSTM1" */

const char *stamp_kind_text(enum stamp_kind k)
{
    static const char *const words[STAMP_KIND_COUNT] = {
        [STAMP_OK] = "ok",           [STAMP_LOST] = "lost",
        [STAMP_STALE] = "stale",     [STAMP_MISDIRECTED] = "misdirected",
        [STAMP_CORRUPT] = "corrupt", [STAMP_OTHER_JOB] = "other-job",
    };

    return k < STAMP_KIND_COUNT ? words[k] : "unknown";
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * 0x9e3779b97f4a7c15ull) + 0x5851f42d4c957f2dull;

    x = (x ^ x >> 31) * 0xd6e8feb86659fd93ull;
    return x ^ x >> 32;
}

uint64_t stamp_job_of(const struct job *j)
{
    return mixed(mixed(mixed(j->offset_bytes, j->size_bytes), j->block_bytes), j->randseed);
}

static void fill_with(const struct job_pattern *p, uint8_t *data, uint32_t from, uint32_t to)
{
    for (uint32_t i = from, k = from % p->count; i < to; i++, k = k + 1 == p->count ? 0 : k + 1)
        data[i] = p->byte[k];
}

static void fill_body(const struct stamp_key *k, uint64_t lba, uint8_t *data)
{
    struct rng rng;

    if (k->fill.count) {
        fill_with(&k->fill, data, STAMP_HEADER_BYTES, k->lba_bytes);
        return;
    }
    rng_seed(&rng, mixed(mixed(k->job, k->seed), mixed(lba, k->pass)));
    for (uint32_t i = STAMP_HEADER_BYTES; i < k->lba_bytes; i += 8) {
        uint64_t word = rng_next(&rng);
        __builtin_memcpy(data + i, &word, 8);
    }
}

static uint32_t crc_of(const uint8_t *data, uint32_t lba_bytes)
{
    uint32_t crc = crc32c(0, data, offsetof(struct header, crc));

    return crc32c(crc, data + STAMP_HEADER_BYTES, lba_bytes - STAMP_HEADER_BYTES);
}

static void fill_one(const struct stamp_key *k, uint64_t lba, uint8_t *data)
{
    struct header h = { .magic = MAGIC, .lba = lba, .job = k->job, .seed = k->seed, .pass = k->pass };

    if (k->plain) {
        fill_with(&k->fill, data, 0, k->lba_bytes);
        return;
    }
    fill_body(k, lba, data);
    __builtin_memcpy(data, &h, sizeof(h));
    h.crc = crc_of(data, k->lba_bytes);
    __builtin_memcpy(data, &h, sizeof(h));
}

void stamp_fill(const struct stamp_key *k, uint64_t lba, uint32_t blocks, void *data)
{
    for (uint32_t i = 0; i < blocks; i++)
        fill_one(k, lba + i, (uint8_t *)data + (uint64_t)i * k->lba_bytes);
}

static bool is_plain(const struct stamp_key *k, const uint8_t *data)
{
    for (uint32_t i = 0, p = 0; i < k->lba_bytes; i++, p = p + 1 == k->fill.count ? 0 : p + 1)
        if (data[i] != k->fill.byte[p])
            return false;
    return true;
}

static bool is_pass(const struct stamp_key *k, uint32_t pass)
{
    return k->or_later ? pass >= k->pass : pass == k->pass;
}

static bool is_good(const struct stamp_key *k, uint64_t lba, const uint8_t *data)
{
    struct header h;

    if (k->plain)
        return is_plain(k, data);
    __builtin_memcpy(&h, data, sizeof(h));
    return h.magic == MAGIC && h.lba == lba &&
           (k->any_job || (h.job == k->job && (k->any_seed || h.seed == k->seed) && is_pass(k, h.pass))) &&
           h.crc == crc_of(data, k->lba_bytes);
}

uint32_t stamp_check(const struct stamp_key *k, uint64_t lba, uint32_t blocks, const void *data)
{
    uint32_t i = 0;

    while (i < blocks && is_good(k, lba + i, (const uint8_t *)data + (uint64_t)i * k->lba_bytes))
        i++;
    return i;
}

bool stamp_take_seed(struct stamp_key *k, uint64_t lba, const void *data)
{
    struct header h;

    __builtin_memcpy(&h, data, sizeof(h));
    if (k->plain || h.magic != MAGIC || h.lba != lba || h.job != k->job ||
        h.crc != crc_of(data, k->lba_bytes))
        return false;
    k->seed = h.seed;
    k->any_seed = false;
    return true;
}

/* ---- what is wrong ---- */
/* The word of what should be at this byte (a multiple of 8).  The CRC is the found one's affair. */
struct expected {
    const struct stamp_key *k;
    struct header h;
    struct rng rng;
};

static uint64_t expected_word(struct expected *x, uint32_t at)
{
    uint8_t bytes[8];
    uint64_t word;

    if (!x->k->plain && at < STAMP_HEADER_BYTES) {
        __builtin_memcpy(&word, (const uint8_t *)&x->h + at, 8);
        return word;
    }
    if (!x->k->fill.count)
        return rng_next(&x->rng);
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = x->k->fill.byte[(at + i) % x->k->fill.count];
    __builtin_memcpy(&word, bytes, 8);
    return word;
}

/* Compares with what should be there, as the found stamp's job if any will do; true when most of it is. */
static bool compare(const struct stamp_key *k, uint64_t lba, const struct header *h, const uint8_t *data,
                    struct stamp_finding *out)
{
    bool own = !k->any_job || h->magic != MAGIC;
    struct stamp_key as = *k;
    uint32_t equal = 0;

    if (!own) {
        as.job = h->job;
        as.pass = h->pass;
    }
    if (h->magic == MAGIC && (k->any_job || k->any_seed))
        as.seed = h->seed;
    if (h->magic == MAGIC && is_pass(k, h->pass))
        as.pass = h->pass;
    struct expected x = {
        .k = &as,
        .h = { .magic = MAGIC, .lba = lba, .job = as.job, .seed = as.seed, .pass = as.pass, .crc = h->crc }
    };
    bool differs = false;

    rng_seed(&x.rng, mixed(mixed(as.job, as.seed), mixed(lba, as.pass)));
    for (uint32_t i = 0; i < k->lba_bytes; i += 8) {
        uint64_t want = expected_word(&x, i), seen;
        __builtin_memcpy(&seen, data + i, 8);
        equal += want == seen;
        if (want == seen || differs)
            continue;
        differs = true;
        out->at_byte = i + (uint32_t)__builtin_ctzll(want ^ seen) / 8;
        out->expected = want;
        out->seen = seen;
    }
    if (!differs) { /* all but the CRC itself */
        out->at_byte = offsetof(struct header, crc);
        out->expected = crc_of(data, k->lba_bytes);
        out->seen = h->crc;
    }
    return equal > k->lba_bytes / 16;
}

void stamp_look(const struct stamp_key *k, uint64_t lba, const void *data, struct stamp_finding *out)
{
    struct header h;

    *out = (struct stamp_finding){ .lba = lba };
    if (is_good(k, lba, data))
        return;
    __builtin_memcpy(&h, data, sizeof(h));
    bool mostly_right = compare(k, lba, &h, data, out);
    bool has_stamp = !k->plain && h.magic == MAGIC;
    if (has_stamp) {
        out->seen_lba = h.lba;
        out->seen_job = h.job;
        out->seen_seed = h.seed;
        out->seen_pass = h.pass;
    }
    if (!has_stamp)
        out->kind = mostly_right ? STAMP_CORRUPT : STAMP_LOST;
    else if (h.crc != crc_of(data, k->lba_bytes))
        out->kind = STAMP_CORRUPT;
    else if (!k->any_job && (h.job != k->job || (!k->any_seed && h.seed != k->seed)))
        out->kind = STAMP_OTHER_JOB;
    else if (h.lba != lba)
        out->kind = STAMP_MISDIRECTED;
    else
        out->kind = h.pass < k->pass ? STAMP_STALE : STAMP_OTHER_JOB;
}

void stamp_finding_text(const struct stamp_finding *f, struct text *t)
{
    unsigned long long lba = f->lba;

    switch (f->kind) {
    case STAMP_OK:
        text_fmt(t, "LBA %llu is as written", lba);
        return;
    case STAMP_LOST:
        text_fmt(t, "LBA %llu was never written: it holds 0x%llx where 0x%llx should be", lba,
                 (unsigned long long)f->seen, (unsigned long long)f->expected);
        return;
    case STAMP_STALE:
        text_fmt(t, "LBA %llu holds what pass %u wrote: a later write was lost", lba, f->seen_pass);
        return;
    case STAMP_MISDIRECTED:
        text_fmt(t, "LBA %llu holds what was written to LBA %llu", lba, (unsigned long long)f->seen_lba);
        return;
    case STAMP_OTHER_JOB:
        text_fmt(t, "LBA %llu holds what another job or run wrote (pass %u): this one's write was lost", lba,
                 f->seen_pass);
        return;
    default:
        text_fmt(t, "LBA %llu is altered from byte %u on: 0x%llx where 0x%llx was written", lba, f->at_byte,
                 (unsigned long long)f->seen, (unsigned long long)f->expected);
    }
}
