#include "guard_content.h"
#include "bits.h"
#include "err.h"
#include "guard_kinds.h"
#include "sha256.h"
#include "str.h"

/* One look at one disk. */
struct look {
    const struct guard_reader *reader;
    struct guard_memory *m;
    struct guard_content *out;
    uint64_t disk_bytes;
    uint32_t ends_bytes;                         /* of head, and of tail */
    uint64_t scratch_at;                         /* what the scratch holds */
    uint32_t scratch_bytes;                      /* 0: nothing */
    uint64_t origin_bytes;                       /* of what is looked through: the disk or a partition */
    uint64_t limit_bytes;                        /* its size */
    uint16_t partition;                          /* 0: the whole disk */
    uint64_t partition_at[GUARD_MAX_PARTITIONS]; /* where those that were found begin */
    uint64_t partition_bytes[GUARD_MAX_PARTITIONS];
    unsigned partitions;
    bool failed; /* out->state says how; nothing more is read */
};

static bool is_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* ---- reading ---- */

/* at_bytes and len are multiples of the block. */
static bool read_blocks(struct look *k, uint64_t at_bytes, uint32_t len, uint8_t *buf)
{
    const struct guard_reader *r = k->reader;

    if (k->failed)
        return false;
    int rc = r->read(r->ctx, at_bytes / r->lba_bytes, len / r->lba_bytes, buf);
    if (rc == OK)
        return true;
    k->failed = true;
    k->out->state = rc == E_TIMEOUT ? CONTENT_UNFINISHED : CONTENT_UNREADABLE;
    k->out->unreadable_lba = at_bytes / r->lba_bytes;
    return false;
}

/* Fills the scratch with what surrounds [at, at + len), at least 4 KiB; false: it is not there. */
static bool scratch_load(struct look *k, uint64_t at_bytes, uint32_t len)
{
    uint64_t from = at_bytes / 4096 * 4096, to = ALIGN_UP(at_bytes + len, 4096ull);

    to = min_u64(to, k->disk_bytes);
    if (to - from > GUARD_SCRATCH_BYTES)
        return false;
    k->scratch_bytes = 0;
    if (!read_blocks(k, from, (uint32_t)(to - from), k->m->scratch))
        return false;
    k->scratch_at = from;
    k->scratch_bytes = (uint32_t)(to - from);
    return true;
}

/* len bytes of the disk, NULL when they are not all on it or cannot be read.  Good until the next call. */
static const uint8_t *bytes_at(struct look *k, uint64_t at_bytes, uint32_t len)
{
    uint64_t tail_at = k->disk_bytes - k->ends_bytes;

    if (at_bytes >= k->disk_bytes || len > k->disk_bytes - at_bytes)
        return NULL;
    if (at_bytes + len <= k->ends_bytes)
        return k->m->head + at_bytes;
    if (at_bytes >= tail_at)
        return k->m->tail + (at_bytes - tail_at);
    if ((at_bytes < k->scratch_at || at_bytes + len > k->scratch_at + k->scratch_bytes) &&
        !scratch_load(k, at_bytes, len))
        return NULL;
    return k->m->scratch + (at_bytes - k->scratch_at);
}

/* Head and tail, whole. */
static void read_ends(struct look *k)
{
    enum { PIECE_BYTES = 64 << 10 };
    uint64_t tail_at = k->disk_bytes - k->ends_bytes;

    for (uint32_t at = 0; at < k->ends_bytes; at += PIECE_BYTES) {
        uint32_t n = (uint32_t)min_u64(PIECE_BYTES, k->ends_bytes - at);

        if (!read_blocks(k, at, n, k->m->head + at) || !read_blocks(k, tail_at + at, n, k->m->tail + at))
            return;
    }
}

/* ---- signs ---- */

static void found(struct look *k, const char *kind, uint64_t at_bytes)
{
    struct guard_content *o = k->out;

    for (unsigned i = 0; i < o->found_count; i++)
        if (o->found[i].kind == kind && o->found[i].at_bytes == at_bytes &&
            o->found[i].partition == k->partition)
            return;
    if (o->found_count == GUARD_MAX_FOUND) {
        o->found_more++;
        return;
    }
    o->found[o->found_count++] =
        (struct guard_found){ .kind = kind, .at_bytes = at_bytes, .partition = k->partition };
}

/* Where a sign's base would lie within what is looked through; false: it has no room there. */
static bool place_of(const struct look *k, const struct sign *s, uint64_t *base)
{
    static const uint32_t unit_bytes[SIGN_ANCHOR_COUNT] = {
        [FROM_START] = 1,
        [FROM_END] = 1,
        [FROM_END_OF_4K] = 4096,
        [FROM_END_OF_64K] = 65536,
        [FROM_END_OF_256K] = 256 << 10,
    };
    uint64_t end = k->limit_bytes / unit_bytes[s->anchor] * unit_bytes[s->anchor];

    if (s->base_bytes >= end)
        return false;
    *base = s->anchor == FROM_START ? s->base_bytes : end - s->base_bytes;
    return (uint64_t)s->magic_at + s->magic_bytes <= k->limit_bytes - *base;
}

static void look_for(struct look *k, const struct sign *s)
{
    uint8_t window[SIGN_WINDOW_BYTES] = { 0 };
    uint64_t base;
    const uint8_t *p;

    if (!place_of(k, s, &base))
        return;
    p = bytes_at(k, k->origin_bytes + base + s->magic_at, s->magic_bytes);
    if (!p || memcmp(p, s->magic, s->magic_bytes))
        return;
    if (s->check) {
        /* Close to the end it is what is left, and zeros. */
        uint32_t n = (uint32_t)min_u64(SIGN_WINDOW_BYTES, k->limit_bytes - base);

        if (!(p = bytes_at(k, k->origin_bytes + base, n)))
            return;
        memcpy(window, p, n);
        if (!s->check(window, base))
            return;
    }
    found(k, s->kind, base);
}

static void look_for_all(struct look *k)
{
    for (unsigned i = 0; i < guard_sign_count && !k->failed; i++)
        look_for(k, &guard_signs[i]);
}

/* ---- partitions: only for the name of what is in them; a partition table alone is a reason to refuse ----
 */

static void add_partition(struct look *k, uint64_t at_bytes, uint64_t bytes)
{
    if (k->partitions == GUARD_MAX_PARTITIONS || !at_bytes || at_bytes >= k->disk_bytes ||
        at_bytes % k->reader->lba_bytes)
        return;
    k->partition_at[k->partitions] = at_bytes;
    k->partition_bytes[k->partitions++] = min_u64(bytes, k->disk_bytes - at_bytes);
}

static void list_mbr(struct look *k)
{
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *e = k->m->head + 446 + 16 * i;

        if (e[4] && e[4] != 0xee)
            add_partition(k, (uint64_t)le32(e + 8) * k->reader->lba_bytes,
                          (uint64_t)le32(e + 12) * k->reader->lba_bytes);
    }
}

/* UEFI specification, GPT header: entries from the LBA at 72, their number at 80 and size at 84; an entry has
 * its type at 0 and first and last LBA at 32 and 40. */
static void list_gpt(struct look *k, uint64_t header_at, uint32_t block_bytes)
{
    const uint8_t *h = bytes_at(k, header_at, 92);

    if (!h)
        return;
    uint64_t entries_lba = le64(h + 72);
    uint32_t count = le32(h + 80), entry_bytes = le32(h + 84);
    if (entry_bytes < 128 || entry_bytes > 4096 || entries_lba > k->disk_bytes / block_bytes)
        return;
    for (uint32_t i = 0; i < count && i < 128 && !k->failed; i++) {
        const uint8_t *e = bytes_at(k, entries_lba * block_bytes + (uint64_t)i * entry_bytes, 128);

        if (!e)
            return;
        uint64_t first = le64(e + 32), last = le64(e + 40);
        if (!is_zero(e, 16) && first <= last && last < k->disk_bytes / block_bytes)
            add_partition(k, first * block_bytes, (last - first + 1) * block_bytes);
    }
}

static void list_partitions(struct look *k)
{
    static const char gpt[] = "GPT", gpt_4k[] = "GPT of 4096-byte blocks", backup[] = "backup GPT",
                      backup_4k[] = "backup GPT of 4096-byte blocks", mbr[] = "MBR";
    const struct {
        const char *kind;
        uint64_t header_at;
        uint32_t block_bytes; /* 0: the MBR */
    } tables[] = { { gpt, 512, 512 },
                   { gpt_4k, 4096, 4096 },
                   { mbr, 0, 0 },
                   { backup, k->disk_bytes - 512, 512 },
                   { backup_4k, k->disk_bytes - 4096, 4096 } };

    for (unsigned t = 0; t < ARRAY_COUNT(tables) && !k->partitions; t++)
        for (unsigned i = 0; i < k->out->found_count; i++)
            if (str_equal(k->out->found[i].kind, tables[t].kind)) {
                if (tables[t].block_bytes)
                    list_gpt(k, tables[t].header_at, tables[t].block_bytes);
                else
                    list_mbr(k);
            }
}

/* Whether a sign is looked for in partitions, too: not what only whole disks carry at their end, and nothing
 * that lies far inside. */
static bool is_sign_of_partitions(const struct sign *s)
{
    return s->anchor == FROM_START && s->base_bytes <= 1 * MIB;
}

static void look_into_partitions(struct look *k)
{
    for (unsigned i = 0; i < k->partitions && !k->failed; i++) {
        k->partition = (uint16_t)(i + 1);
        k->origin_bytes = k->partition_at[i];
        k->limit_bytes = k->partition_bytes[i];
        /* Most of what is looked for lies within this: one request instead of many. */
        scratch_load(k, k->origin_bytes, (uint32_t)min_u64(GUARD_SCRATCH_BYTES - 4096, k->limit_bytes));
        for (unsigned s = 0; s < guard_sign_count && !k->failed; s++)
            if (is_sign_of_partitions(&guard_signs[s]))
                look_for(k, &guard_signs[s]);
    }
    k->partition = 0;
    k->origin_bytes = 0;
    k->limit_bytes = k->disk_bytes;
}

/* ---- anything that is not zero ---- */

static void note_data(struct look *k, uint64_t at_bytes)
{
    if (!k->out->data_places++)
        k->out->data_at_bytes = at_bytes;
}

static void look_for_data(struct look *k)
{
    uint64_t tail_at = k->disk_bytes - k->ends_bytes;
    /* A 128th of the disk apart, in the middle of each. */
    uint64_t step = k->disk_bytes / GUARD_PLACES;

    for (unsigned i = 0; i < GUARD_PLACES && !k->failed; i++) {
        uint64_t at = (i * step + step / 2) / GUARD_PLACE_BYTES * GUARD_PLACE_BYTES;
        uint32_t n = (uint32_t)min_u64(GUARD_PLACE_BYTES, k->disk_bytes - at);
        const uint8_t *p = bytes_at(k, at, n);

        if (p && !is_zero(p, n))
            note_data(k, at);
    }
    if (!k->failed && !is_zero(k->m->head, k->ends_bytes))
        note_data(k, 0);
    if (!k->failed && !is_zero(k->m->tail, k->ends_bytes))
        note_data(k, tail_at);
}

/* ---- what it comes to ---- */

static void take_fingerprint(struct look *k)
{
    struct guard_content *o = k->out;
    struct sha256 s;
    uint8_t digest[32];
    char line[120];

    sha256_begin(&s);
    str_fmt(line, sizeof line, "baresweep content 1\n%llu\n", (unsigned long long)k->disk_bytes);
    sha256_add(&s, line, str_len(line));
    for (unsigned i = 0; i < o->found_count; i++) {
        str_fmt(line, sizeof line, "%s %llu %u\n", o->found[i].kind, (unsigned long long)o->found[i].at_bytes,
                o->found[i].partition);
        sha256_add(&s, line, str_len(line));
    }
    sha256_add(&s, k->m->head, k->ends_bytes);
    sha256_add(&s, k->m->tail, k->ends_bytes);
    sha256_end(&s, digest);
    sha256_hex(digest, o->fingerprint);
}

/* The head behind our mark was zeroed when the mark was made: whatever is there now came later. */
static bool is_only_ours(const struct look *k)
{
    const struct guard_content *o = k->out;

    for (unsigned i = 0; i < o->found_count; i++)
        if (o->found[i].kind != guard_kind_mark && o->found[i].kind != guard_kind_data &&
            (o->found[i].at_bytes < k->ends_bytes || o->found[i].at_bytes >= k->disk_bytes - k->ends_bytes))
            return false;
    return o->has_mark && !o->found_more &&
           is_zero(k->m->head + GUARD_MARK_BYTES, k->ends_bytes - GUARD_MARK_BYTES);
}

static void conclude(struct look *k)
{
    struct guard_content *o = k->out;

    if (o->data_places && !o->found_count)
        found(k, guard_kind_data, o->data_at_bytes);
    o->state = o->found_count ? CONTENT_FOUND : CONTENT_BLANK;
    o->only_ours = is_only_ours(k);
    if (o->state == CONTENT_BLANK)
        str_copy(o->fingerprint, sizeof o->fingerprint, "blank");
    else
        take_fingerprint(k);
}

void guard_look(const struct guard_reader *r, struct guard_memory *m, struct guard_content *out)
{
    struct look k = { .reader = r, .m = m, .out = out };

    *out = (struct guard_content){ 0 };
    if (!r->lba_count || r->lba_bytes < 512 || r->lba_bytes > 4096 || r->lba_bytes & (r->lba_bytes - 1) ||
        r->lba_count > UINT64_MAX / r->lba_bytes || r->lba_count * r->lba_bytes < GUARD_MIN_DISK_BYTES) {
        out->state = CONTENT_UNREADABLE;
        return;
    }
    k.disk_bytes = k.limit_bytes = r->lba_count * r->lba_bytes;
    k.ends_bytes = (uint32_t)min_u64(GUARD_ENDS_BYTES, k.disk_bytes / 4096 * 4096);
    read_ends(&k);
    if (k.failed)
        return;
    out->has_mark = guard_mark_read(m->head, &out->mark);
    if (out->has_mark)
        found(&k, guard_kind_mark, 0);
    look_for_all(&k);
    list_partitions(&k);
    look_into_partitions(&k);
    look_for_data(&k);
    if (!k.failed)
        conclude(&k);
}

/* ---- words ---- */

void guard_found_words(const struct guard_found *f, struct text *out)
{
    text_str(out, f->kind);
    if (f->at_bytes)
        text_fmt(out, " at byte %llu", (unsigned long long)f->at_bytes);
    if (f->partition)
        text_fmt(out, " of partition %u", f->partition);
}

void guard_content_words(const struct guard_content *c, struct text *out)
{
    static const char *const states[] = {
        [CONTENT_NOT_LOOKED] = "not looked at",
        [CONTENT_UNREADABLE] = "unreadable",
        [CONTENT_UNFINISHED] = "not looked at in full: it took too long",
        [CONTENT_BLANK] = "nothing but zeros at every place looked at",
        [CONTENT_FOUND] = "",
    };

    text_str(out, states[c->state]);
    if (c->state == CONTENT_UNREADABLE)
        text_fmt(out, " (LBA %llu)", (unsigned long long)c->unreadable_lba);
    for (unsigned i = 0; c->state == CONTENT_FOUND && i < c->found_count; i++) {
        text_str(out, i ? "; " : "");
        guard_found_words(&c->found[i], out);
    }
    if (c->found_more)
        text_fmt(out, "; and %u more", c->found_more);
}
