#include "lane.h"

int lane_slots_alloc(struct lane_slots *s, uint16_t depth, uint32_t part_blocks)
{
    *s = (struct lane_slots){ .part_blocks = part_blocks, .depth = depth };
    if (!depth || !part_blocks)
        return NOTE(E_LIMIT, "lane with no slot or no block per command", depth, part_blocks);
    s->slot = plat_alloc(depth * sizeof *s->slot);
    s->fifo = plat_alloc(depth * sizeof *s->fifo);
    s->done = plat_alloc(depth * sizeof *s->done);
    if (s->slot && s->fifo && s->done)
        return OK;
    lane_slots_free(s);
    return NOTE(E_NOMEM, "slots of a lane", 0, depth);
}

void lane_slots_free(struct lane_slots *s)
{
    plat_free(s->slot);
    plat_free(s->fifo);
    plat_free(s->done);
    *s = (struct lane_slots){ 0 };
}

/* Takes a slot out of the middle of the queue of unsent parts; the order of the others stays. */
static void fifo_remove(struct lane_slots *s, uint16_t slot)
{
    uint16_t kept = 0;

    for (uint16_t i = 0; i < s->fifo_count; i++) {
        uint16_t other = s->fifo[lane_wrap_((uint32_t)s->fifo_head + i, s->depth)];
        if (other != slot)
            s->fifo[lane_wrap_((uint32_t)s->fifo_head + kept++, s->depth)] = other;
    }
    s->fifo_count = kept;
}

static void note_failure(struct lane_slot *x, enum io_status status, uint32_t detail, uint64_t error_lba)
{
    if (x->status != IO_OK)
        return;
    x->status = (uint8_t)status;
    x->detail = detail;
    x->error_lba = error_lba;
}

void lane_slot_answered(struct lane_slots *s, uint16_t slot)
{
    struct lane_slot *x = &s->slot[slot];

    fifo_remove(s, slot);
    x->queued = 0;
    lane_done_push_(s, slot);
}

void lane_slot_failed(struct lane_slots *s, uint16_t slot, enum io_status status, uint32_t detail,
                      uint64_t error_lba)
{
    if (slot >= s->depth || !s->slot[slot].busy)
        return;
    struct lane_slot *x = &s->slot[slot];
    note_failure(x, status, detail, error_lba);
    if (!x->queued)
        return;
    fifo_remove(s, slot);
    x->queued = 0;
    x->blocks_left = 0;
    /* Nothing of it is with the device: no part will come back and finish it. */
    if (!x->parts_in_flight)
        lane_done_push_(s, slot);
}

void lane_slots_lost(struct lane_slots *s, enum io_status status, uint32_t detail)
{
    s->fifo_head = s->fifo_count = 0;
    for (uint16_t i = 0; i < s->depth; i++) {
        struct lane_slot *x = &s->slot[i];

        if (!x->busy || (!x->queued && !x->parts_in_flight))
            continue;
        /* Which of the parts in flight was lost first is not known. */
        note_failure(x, status, detail, x->parts_in_flight ? 0 : x->next_lba);
        x->queued = 0;
        x->blocks_left = 0;
        x->parts_in_flight = 0;
        lane_done_push_(s, i);
    }
}
