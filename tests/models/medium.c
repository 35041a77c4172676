#include "medium.h"
#include <stdlib.h>
#include <string.h>

struct medium_block {
    uint64_t lba;
    uint32_t unit, bytes;
    bool used, stale;
    bool dirty;
    uint8_t *now;     /* NULL: the model's content */
    uint8_t *flushed; /* while dirty: what a power cut brings back */
    uint8_t *before;  /* while stale: what reads see */
};

/* ---- the table: open addressing, never more than half full ---- */
static size_t place(const struct model_medium *m, uint32_t unit, uint64_t lba)
{
    uint64_t h = (lba + unit * 0xa0761d6478bd642full) * 0x9e3779b97f4a7c15ull;
    size_t at = (h ^ h >> 32) & (m->size - 1);

    while (m->table[at].used && (m->table[at].lba != lba || m->table[at].unit != unit))
        at = (at + 1) & (m->size - 1);
    return at;
}

static void grow(struct model_medium *m)
{
    struct medium_block *old = m->table;
    size_t old_size = m->size;

    m->size = old_size ? 2 * old_size : 256;
    m->table = calloc(m->size, sizeof *m->table);
    if (!m->table)
        abort();
    for (size_t i = 0; i < old_size; i++)
        if (old[i].used)
            m->table[place(m, old[i].unit, old[i].lba)] = old[i];
    free(old);
}

static struct medium_block *find(const struct model_medium *m, uint32_t unit, uint64_t lba)
{
    struct medium_block *b = m->size ? &m->table[place(m, unit, lba)] : NULL;

    return b && b->used ? b : NULL;
}

static struct medium_block *find_or_add(struct model_medium *m, uint32_t unit, uint64_t lba, uint32_t bytes)
{
    struct medium_block *b = find(m, unit, lba);

    if (b)
        return b;
    if (2 * (m->used + 1) > m->size)
        grow(m);
    m->used++;
    b = &m->table[place(m, unit, lba)];
    *b = (struct medium_block){ .lba = lba, .unit = unit, .bytes = bytes, .used = true };
    return b;
}

static void forget(struct medium_block *b)
{
    free(b->now);
    free(b->flushed);
    free(b->before);
}

static uint8_t *copy_of(const uint8_t *data, uint32_t bytes)
{
    uint8_t *copy = data ? malloc(bytes) : NULL;

    if (data && !copy)
        abort();
    if (data)
        memcpy(copy, data, bytes);
    return copy;
}

static void replace(uint8_t **at, uint8_t *with)
{
    free(*at);
    *at = with;
}

void medium_free(struct model_medium *m)
{
    for (size_t i = 0; i < m->size; i++)
        if (m->table[i].used)
            forget(&m->table[i]);
    free(m->table);
    *m = (struct model_medium){ 0 };
}

/* ---- settings ---- */
void medium_permit(struct model_medium *m, uint32_t unit, uint64_t lba, uint64_t blocks)
{
    if (m->permit_count == MEDIUM_MAX_PERMITS)
        abort();
    m->permit[m->permit_count].unit = unit;
    m->permit[m->permit_count].lba = lba;
    m->permit[m->permit_count++].blocks = blocks;
}

void medium_add_fault(struct model_medium *m, enum medium_fault_kind kind, uint32_t unit, uint64_t lba,
                      uint64_t blocks, uint32_t times, uint64_t arg)
{
    if (m->fault_count == MEDIUM_MAX_FAULTS)
        abort();
    m->fault[m->fault_count++] = (struct medium_fault){
        .kind = kind, .unit = unit, .lba = lba, .blocks = blocks, .times = times, .arg = arg
    };
}

void medium_set_image(struct model_medium *m, uint32_t unit, const uint8_t *data, uint64_t blocks,
                      uint32_t block_bytes)
{
    if (m->image_count == MEDIUM_MAX_IMAGES)
        abort();
    m->image[m->image_count++] =
        (struct medium_image){ .unit = unit, .block_bytes = block_bytes, .blocks = blocks, .data = data };
}

static uint64_t kept_at(const struct model_medium *m, uint32_t unit, uint64_t lba)
{
    return m->wraps_blocks && unit == m->wraps_unit ? lba % m->wraps_blocks : lba;
}

static const uint8_t *image_block(const struct model_medium *m, uint32_t unit, uint64_t lba)
{
    for (unsigned i = 0; i < m->image_count; i++)
        if (m->image[i].unit == unit && lba < m->image[i].blocks)
            return m->image[i].data + lba * m->image[i].block_bytes;
    return NULL;
}

bool medium_write_arrives(struct model_medium *m, uint32_t unit, uint64_t lba, uint64_t blocks)
{
    m->writes++;
    m->blocks_written += blocks;
    for (unsigned i = 0; i < m->permit_count; i++)
        if (m->permit[i].unit == unit && lba >= m->permit[i].lba &&
            lba - m->permit[i].lba < m->permit[i].blocks &&
            blocks <= m->permit[i].blocks - (lba - m->permit[i].lba))
            return true;
    m->writes_outside++;
    return false;
}

/* ---- faults ---- */
static bool hits(struct medium_fault *f, uint32_t unit, uint64_t lba)
{
    bool here = lba >= f->lba && lba - f->lba < f->blocks;
    bool other_side =
        f->kind == MEDIUM_SWAPPED && lba >= f->lba + f->arg && lba - (f->lba + f->arg) < f->blocks;

    if (f->kind == MEDIUM_FLUSH_ERROR || f->kind == MEDIUM_FLUSH_IGNORED || f->unit != unit ||
        !(here || other_side) || (f->times && f->hits >= f->times))
        return false;
    f->hits++;
    return true;
}

static struct medium_fault *find_fault(struct model_medium *m, uint32_t unit, uint64_t lba)
{
    for (unsigned i = 0; i < m->fault_count; i++)
        if (hits(&m->fault[i], unit, lba))
            return &m->fault[i];
    return NULL;
}

/* ---- blocks ---- */
static void make_content(struct model_medium *m, struct medium_block *b)
{
    const uint8_t *image = image_block(m, b->unit, b->lba);

    b->now = calloc(1, b->bytes);
    if (!b->now)
        abort();
    if (image)
        memcpy(b->now, image, b->bytes);
    else if (m->content)
        m->content(m->content_ctx, b->unit, b->lba, b->now, b->bytes);
}

static void store(struct model_medium *m, struct medium_block *b, const void *data, uint32_t bytes, bool hide)
{
    if (m->volatile_cache && !b->dirty)
        replace(&b->flushed, copy_of(b->now, b->bytes));
    if (hide && !b->stale)
        replace(&b->before, copy_of(b->now, b->bytes));
    b->dirty = m->volatile_cache;
    b->stale = hide;
    if (!b->now)
        make_content(m, b);
    memcpy(b->now, data, bytes);
}

const struct medium_fault *medium_write(struct model_medium *m, uint32_t unit, uint64_t lba,
                                        uint32_t block_bytes, const void *data)
{
    struct medium_fault *f = find_fault(m, unit, lba);
    struct medium_block *b;

    lba = kept_at(m, unit, lba);

    if (f && f->kind == MEDIUM_WRITE_ERROR)
        return f;
    if (f && f->kind == MEDIUM_DROPPED)
        return NULL;
    if (f && f->kind == MEDIUM_SWAPPED)
        lba = lba - f->lba < f->blocks ? lba + f->arg : lba - f->arg;
    b = find_or_add(m, unit, lba, block_bytes);
    if (f && f->kind == MEDIUM_TORN)
        store(m, b, data, f->arg && f->arg < block_bytes ? (uint32_t)f->arg : block_bytes / 2, false);
    else
        store(m, b, data, block_bytes, f && f->kind == MEDIUM_STALE);
    if (f && f->kind == MEDIUM_ALTERED)
        b->now[f->arg % block_bytes] ^= 1;
    return NULL;
}

const uint8_t *medium_read(const struct model_medium *m, uint32_t unit, uint64_t lba)
{
    uint64_t at = kept_at(m, unit, lba);
    const struct medium_block *b = find(m, unit, at);
    const uint8_t *stored = !b ? NULL : b->stale ? b->before : b->now;

    return stored ? stored : image_block(m, unit, at);
}

const struct medium_fault *medium_flush(struct model_medium *m, uint32_t unit)
{
    m->flushes++;
    for (unsigned i = 0; i < m->fault_count; i++) {
        struct medium_fault *f = &m->fault[i];

        if ((f->kind == MEDIUM_FLUSH_ERROR || f->kind == MEDIUM_FLUSH_IGNORED) && f->unit == unit &&
            (!f->times || f->hits < f->times)) {
            f->hits++;
            return f->kind == MEDIUM_FLUSH_ERROR ? f : NULL;
        }
    }
    for (size_t i = 0; i < m->size; i++) {
        struct medium_block *b = &m->table[i];

        if (!b->used || !b->dirty || b->unit != unit)
            continue;
        replace(&b->flushed, NULL);
        b->dirty = false;
    }
    return NULL;
}

void medium_power_cut(struct model_medium *m)
{
    uint32_t unflushed = 0;

    for (size_t i = 0; i < m->size; i++) {
        struct medium_block *b = &m->table[i];

        if (!b->used)
            continue;
        if (b->dirty && !(m->cut_keeps_every && ++unflushed % m->cut_keeps_every == 0)) {
            replace(&b->now, b->flushed);
            b->flushed = NULL;
        }
        replace(&b->flushed, NULL);
        replace(&b->before, NULL);
        b->dirty = b->stale = false;
    }
}
