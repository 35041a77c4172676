#include "math.h"
#include "nvme_internal.h"
#include "str.h"

/* Opening and closing allocate and free: all of this is [boot]. */

/* ---- queue pairs ---- */
static void free_pair(struct nvme_pair *p)
{
    plat_dma_free(&p->mem);
    plat_free(p->tags);
    plat_free(p->free_tags);
    plat_free(p);
}

void nvme_free_pairs(struct nvme_ctrl *c)
{
    while (c->pair_count)
        free_pair(c->pairs[--c->pair_count]);
}

static int allocate_pair(struct nvme_ctrl *c, struct nvme_pair **out)
{
    size_t sq_bytes = ALIGN_UP(c->entries * sizeof(struct nvme_sqe), (size_t)c->page_bytes);
    size_t mem_bytes = sq_bytes + c->entries * sizeof(struct nvme_cqe);
    struct nvme_pair *p = plat_alloc(sizeof *p);

    *out = NULL;
    if (!p) {
        NOTE(E_NOMEM, "memory for a queue pair", 0, sizeof *p);
        return E_NOMEM;
    }
    p->ctrl = c;
    p->regs = c->regs;
    p->entries = c->entries;
    p->tag_count = p->window_low = c->entries - 1;
    p->qid = (uint16_t)(c->pair_count + 1);
    p->sqid_base = (uint32_t)p->qid << 16;
    p->sq_bell = nvme_sq_bell(c, p->qid);
    p->cq_bell = nvme_cq_bell(c, p->qid);
    p->tags = plat_alloc(p->tag_count * sizeof *p->tags);
    p->free_tags = plat_alloc(p->tag_count * sizeof *p->free_tags);
    if (!p->tags || !p->free_tags || plat_dma_alloc(c->base.fn, mem_bytes, &c->dma, &p->mem)) {
        free_pair(p);
        NOTE(E_NOMEM, "memory for a queue pair", 0, mem_bytes);
        return E_NOMEM;
    }
    p->sqe = p->mem.cpu;
    p->sq_end = p->sqe + p->entries;
    p->cqe = (struct nvme_cqe *)((uint8_t *)p->mem.cpu + sq_bytes);
    p->cq_end = p->cqe + p->entries;
    *out = p;
    return OK;
}

static int add_pair(struct nvme_ctrl *c)
{
    struct nvme_pair *p;
    int rc = allocate_pair(c, &p);

    if (rc)
        return rc;
    if ((rc = nvme_create_pair(c, p, NVME_ADMIN_LIMIT_MS))) {
        /* After a timeout the device may yet take the queue, so its memory stays until the controller is
         * down. */
        if (rc == E_REFUSED) {
            free_pair(p);
            return rc;
        }
        p->broken = true;
    }
    c->pairs[c->pair_count++] = p;
    return rc;
}

/* The pair with the fewest lanes; a new one as long as there are free ones, so that lanes spread evenly. */
static int choose_pair(struct nvme_ctrl *c, struct nvme_pair **out)
{
    struct nvme_pair *best = NULL;
    int rc = E_PROTO;

    for (unsigned i = 0; i < c->pair_count; i++) {
        struct nvme_pair *p = c->pairs[i];

        if (!p->broken && (!best || p->lane_count < best->lane_count))
            best = p;
    }
    if (c->pair_count < c->pair_limit && (!best || best->lane_count)) {
        if (!(rc = add_pair(c))) {
            best = c->pairs[c->pair_count - 1];
        } else if (rc == E_REFUSED) {
            controller_remark(&c->base, REMARK_WARN, "refused queue pair %u: lanes share %u",
                              c->pair_count + 1, c->pair_count);
            c->pair_limit = c->pair_count;
        } else if (rc != E_NOMEM) {
            return rc;
        }
    }
    *out = best;
    return best ? OK : rc;
}

/* ---- windows of tags ---- */
bool nvme_tag_in_flight(const struct nvme_tag *t)
{
    if (!t->lane || !t->bound)
        return t->lane;
    const struct lane_slot *x = &t->lane->slots.slot[t->slot];
    return x->busy == LANE_BUSY_WHOLE && x->parts_in_flight;
}

static void fill_pool(struct nvme_pair *p)
{
    for (p->free_count = 0; p->free_count < p->window_low; p->free_count++)
        p->free_tags[p->free_count] = (uint16_t)(p->window_low - 1 - p->free_count);
}

void nvme_pair_forget(struct nvme_pair *p)
{
    memset(p->tags, 0, p->window_low * sizeof *p->tags);
    fill_pool(p);
}

/* Only from an idle pool, of which a quarter is left for requests of other sizes and other lanes. */
static void take_window(struct nvme_lane *l)
{
    struct nvme_pair *p = l->pair;
    uint32_t depth = l->base.depth;

    if (l->base.command_bytes < l->max_blocks << l->lba_shift || p->free_count != p->window_low ||
        p->window_low < depth + p->tag_count / 4 + 1)
        return;
    l->window = depth;
    l->tag_base = p->window_low -= depth;
    for (uint32_t slot = 0; slot < depth; slot++) {
        p->tags[l->tag_base + slot] = (struct nvme_tag){ .lane = l, .slot = (uint16_t)slot, .bound = true };
        l->full[slot].head = l->sqe_head | (l->tag_base + slot) << 16;
    }
    fill_pool(p);
}

/* The lowest window goes back to the pool; those above it when the last lane is closed. */
static void give_back_window(struct nvme_lane *l)
{
    struct nvme_pair *p = l->pair;
    uint32_t low = p->window_low;

    memset(&p->tags[l->tag_base], 0, l->window * sizeof *p->tags);
    if (!p->lane_count)
        p->window_low = p->tag_count;
    else if (l->window && l->tag_base == low)
        p->window_low += l->window;
    for (; low < p->window_low; low++)
        p->free_tags[p->free_count++] = (uint16_t)low;
}

/* ---- PRP lists ---- */
/* A list names the pages of its part after the first.  Lists are a power of two apart and shorter than a
 * page, so none crosses a page and none needs a chain entry. */
static int build_lists(struct nvme_lane *l, const struct nvme_ctrl *c)
{
    uint64_t page = c->page_bytes;
    uint32_t pages = (uint32_t)((l->base.command_bytes + page - 1) / page);
    uint32_t parts = (l->base.request_bytes + l->base.command_bytes - 1) / l->base.command_bytes;
    unsigned slots = l->base.buffer_per_slot ? l->base.depth : 1;

    if (pages <= 2)
        return OK;
    l->list_bytes = 8u << (log2_u64(pages - 2) + 1);
    l->slot_list_bytes = l->base.buffer_per_slot ? parts * l->list_bytes : 0;
    int rc = plat_dma_alloc(c->base.fn, (size_t)slots * parts * l->list_bytes, &c->dma, &l->lists);
    if (rc)
        return NOTE(rc, "memory for PRP lists", parts, slots);
    l->list_bus = l->lists.bus;
    for (unsigned slot = 0; slot < slots; slot++) {
        for (uint32_t part = 0; part < parts; part++) {
            uint64_t off = (uint64_t)slot * l->slot_list_bytes + (uint64_t)part * l->list_bytes;
            uint64_t *entry = (uint64_t *)((uint8_t *)l->lists.cpu + off);
            uint64_t at = l->data_bus + slot * l->slot_bytes + (uint64_t)part * l->base.command_bytes;

            for (uint32_t i = 1; i < pages; i++)
                *entry++ = at + i * page;
        }
    }
    return OK;
}

/* ---- lanes ---- */
static int check_shape(const struct disk *d, const struct nvme_ctrl *c, const struct lane_shape *shape)
{
    if (!d->ops)
        return NOTE(E_UNSUPPORTED, "lane on a namespace that is not driven", 0, 0);
    if (c->base.fault.err)
        return c->base.fault.err;
    if (d->fault.err)
        return d->fault.err;
    if (shape->writes && !gate_is_armed(d->identity, NULL, NULL))
        return NOTE(E_REFUSED, "a lane that writes on a disk that is not armed", shape->request_bytes, 0);
    if (!shape->depth || shape->depth > d->max_depth)
        return NOTE(E_LIMIT, "depth of a lane", shape->depth, d->max_depth);
    if (!shape->request_bytes || shape->request_bytes % d->lba_bytes)
        return NOTE(E_LIMIT, "request size of a lane, in whole blocks", shape->request_bytes, d->lba_bytes);
    if (shape->request_bytes / d->max_command_bytes >= UINT16_MAX || shape->request_bytes > 1u << 30)
        return NOTE(E_LIMIT, "request size of a lane", shape->request_bytes, 1u << 30);
    return OK;
}

/* A buffer of its own starts at a page, so that every part does: its room is rounded up, and
 * base.request_bytes with it, from which lane_data computes the place. */
static void shape_lane(struct nvme_lane *l, struct nvme_disk *n, const struct nvme_ctrl *c,
                       const struct lane_shape *shape)
{
    uint32_t request_bytes = shape->request_bytes;

    l->base.disk = &n->base;
    l->base.depth = shape->depth;
    l->base.buffer_per_slot = shape->buffer_per_slot;
    l->base.command_bytes = (uint32_t)min_u64(request_bytes, n->base.max_command_bytes);
    l->max_blocks = request_bytes >> n->lba_shift;
    if (shape->buffer_per_slot)
        request_bytes = (uint32_t)ALIGN_UP((uint64_t)request_bytes, c->page_bytes);
    l->base.request_bytes = request_bytes;
    l->slot_bytes = shape->buffer_per_slot ? request_bytes : 0;
    l->nsid = n->nsid;
    l->lba_shift = n->lba_shift;
    l->page_bytes = c->page_bytes;
    l->sqe_control = n->control;
    l->sqe_head = (uint64_t)n->nsid << 32;
    l->ref_mask = n->ref_tags ? UINT32_MAX : 0;
    l->flush_is_nothing = !c->settings.has_write_cache;
}

static int open_gate(struct nvme_lane *l, bool writes)
{
    const struct disk *d = l->base.disk;
    int rc = gate_open(&l->pass, GATE_NVME_IO, NVME_READ, d->lba_count);

    if (rc || !writes)
        return rc;
    return gate_open_writes(&l->pass, GATE_NVME_IO, NVME_WRITE, NVME_FLUSH, d->identity, d->lba_count);
}

static int allocate_lane(struct nvme_lane *l, const struct nvme_ctrl *c, const struct lane_shape *shape)
{
    size_t data_bytes = (size_t)l->base.request_bytes * (l->base.buffer_per_slot ? l->base.depth : 1u);
    int rc;

    if ((rc = lane_slots_alloc(&l->slots, l->base.depth, l->base.command_bytes >> l->lba_shift)))
        return rc;
    if ((rc = plat_dma_alloc(c->base.fn, data_bytes, &c->dma, &l->base.data)))
        return NOTE(rc, "memory for the data of a lane", 0, data_bytes);
    l->data_bus = l->base.data.bus;
    if ((rc = build_lists(l, c)))
        return rc;
    if (!(l->full = plat_alloc(l->base.depth * sizeof *l->full)))
        return NOTE(E_NOMEM, "memory for the data pointers of a lane", 0, l->base.depth);
    for (uint16_t slot = 0; slot < l->base.depth; slot++)
        l->full[slot].data = nvme_prps_of(l, slot, 0, l->slots.part_blocks);
    if (l->base.request_bytes > l->base.command_bytes)
        l->full_prp2_step = nvme_prps_of(l, 0, 1, l->slots.part_blocks).prp2 - l->full[0].data.prp2;
    if ((rc = open_gate(l, shape->writes)))
        return rc;
    l->full_control = l->sqe_control + l->slots.part_blocks - 1;
    l->full_first_lbas = gate_first_lbas(&l->pass, NVME_READ, l->slots.part_blocks);
    l->full_first_writes = gate_first_writes(&l->pass, NVME_WRITE, l->slots.part_blocks);
    return OK;
}

static void free_memory(struct nvme_lane *l)
{
    lane_slots_free(&l->slots);
    plat_free(l->full);
    plat_dma_free(&l->base.data);
    plat_dma_free(&l->lists);
    plat_free(l);
}

int nvme_lane_open(struct disk *d, const struct lane_shape *shape, struct io_lane **out)
{
    struct nvme_ctrl *c = nvme_of(d->controller);
    struct nvme_lane *l;
    int rc;

    *out = NULL;
    if ((rc = check_shape(d, c, shape)))
        return rc;
    if (!(l = plat_alloc(sizeof *l)))
        return NOTE(E_NOMEM, "memory for a lane", 0, sizeof *l);
    shape_lane(l, (struct nvme_disk *)d, c, shape);
    /* The pair last: it stays with the controller. */
    if ((rc = allocate_lane(l, c, shape)) || (rc = choose_pair(c, &l->pair))) {
        free_memory(l);
        return rc;
    }
    l->pair->lane_count++;
    take_window(l);
    l->next = c->lanes;
    c->lanes = l;
    *out = &l->base;
    return OK;
}

/* Takes it off the controller's list and frees all of it. */
void nvme_free_lane(struct nvme_lane *l)
{
    struct nvme_ctrl *c = nvme_of(l->base.disk->controller);

    for (struct nvme_lane **at = &c->lanes; *at; at = &(*at)->next) {
        if (*at != l)
            continue;
        *at = l->next;
        break;
    }
    free_memory(l);
}

/* Of a lane that was killed nobody knows what is still in flight. */
static bool may_be_written(const struct nvme_lane *l)
{
    const struct nvme_pair *p = l->pair;

    if (!p->ctrl->may_dma)
        return false;
    for (uint32_t tag = 0; tag < p->tag_count; tag++)
        if (p->tags[tag].lane == l && (l->base.dead || nvme_tag_in_flight(&p->tags[tag])))
            return true;
    return false;
}

/* A lane that broke down may have commands in flight for ever: its memory is left to the device until the
 * controller has stopped. */
void nvme_lane_close(struct io_lane *base)
{
    struct nvme_lane *l = (struct nvme_lane *)base;

    l->pair->lane_count--;
    l->retired = may_be_written(l);
    l->base.dead = true;
    if (l->retired)
        return;
    give_back_window(l);
    nvme_free_lane(l);
}

const struct disk_ops nvme_disk_ops = { .open = nvme_lane_open,
                                        .submit = nvme_submit,
                                        .kick = nvme_kick,
                                        .poll = nvme_poll,
                                        .expire = nvme_expire,
                                        .close = nvme_lane_close,
                                        .status_words = nvme_status_words,
                                        .reset = nvme_lane_reset,
                                        .set_cache = nvme_set_cache };
