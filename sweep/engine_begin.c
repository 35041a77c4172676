#include "engine_lane.h"
#include "str.h"
#include "text.h"

/* Building and taking down a step: the only part of the engine that may enter firmware. */

/* What was asked for goes into the result at once: a lane that never opens must still be named. */
static void describe(struct work_lane *l, unsigned step_number)
{
    const struct plan_lane *p = l->plan;
    struct step_result *r = &l->result;

    r->step = step_number;
    str_copy(r->disk, sizeof(r->disk), p->disk->name);
    str_copy(r->job, sizeof(r->job), p->job.name);
    str_copy(r->rw, sizeof(r->rw), job_rw_text(p->job.rw));
    r->block_bytes = p->job.block_bytes;
    r->depth_asked = p->job.iodepth;
    l->phase = LANE_DEAD;
    hist_reset(&l->hist);
}

/* The region in LBAs.  The plan resolved it; the last look before the disk is here. */
static bool set_region(struct work_lane *l)
{
    const struct disk *d = l->plan->disk;
    const struct job *j = &l->plan->job;

    if (!d->ops || !d->lba_count || !d->lba_bytes) {
        str_copy(l->reason, sizeof(l->reason), d->why_not[0] ? d->why_not : "the disk cannot be read");
        return false;
    }
    if (!j->block_bytes || j->block_bytes % d->lba_bytes || j->offset_bytes % d->lba_bytes ||
        j->size_bytes % d->lba_bytes) {
        str_fmt(l->reason, sizeof(l->reason),
                "block size, offset and size must be multiples of the disk's %u-byte LBAs", d->lba_bytes);
        return false;
    }
    uint64_t first = j->offset_bytes / d->lba_bytes, span = j->size_bytes / d->lba_bytes;
    if (first >= d->lba_count || span > d->lba_count - first) {
        str_copy(l->reason, sizeof(l->reason), "the region lies beyond the end of the disk");
        return false;
    }
    if (!span)
        span = d->lba_count - first;
    l->lba_bytes = d->lba_bytes;
    l->block_lbas = j->block_bytes / d->lba_bytes;
    l->first_lba = l->next_lba = first;
    l->end_lba = first + span;
    l->result.first_lba = first;
    l->result.span_lbas = span;
    return true;
}

static void set_work(struct work_lane *l)
{
    const struct job *j = &l->plan->job;
    uint64_t span = l->end_lba - l->first_lba;

    rng_seed(&l->rng, j->randseed);
    if (job_rw_is_random(j->rw)) {
        l->pattern = j->norandommap ? PATTERN_RANDOM : PATTERN_PERMUTED;
        if (l->block_lbas > span)
            l->block_lbas = (uint32_t)span;
        l->whole_blocks = span / l->block_lbas;
        span = l->whole_blocks * l->block_lbas;
        engine_lane_refill_map(l);
    }
    l->planned_lbas = span <= UINT64_MAX / max_u64(j->loops, 1) ? span * max_u64(j->loops, 1) : UINT64_MAX;
    if (j->io_bytes)
        l->planned_lbas = j->io_bytes / l->lba_bytes + (j->io_bytes % l->lba_bytes != 0);
    if ((j->time_based && j->runtime_ns) || (j->latency_target_ns && !j->latency_run))
        l->planned_lbas = UINT64_MAX;
    l->runtime_ns = j->runtime_ns;
    l->left_lbas = j->ramp_ns ? UINT64_MAX : l->planned_lbas;
    l->lead_ns = j->startdelay_ns + j->ramp_ns;
    l->phase = l->lead_ns ? LANE_RAMP : LANE_RUNNING;
    l->deadline_ns = l->plan->disk->command_deadline_ns ? l->plan->disk->command_deadline_ns : 30 * NS_PER_S;
    l->series.interval_ns =
        j->log_avg_ms
            ? j->log_avg_ms * NS_PER_MS
            : max_u64(ENGINE_SERIES_NS, (j->runtime_ns + SERIES_MAX_POINTS - 1) / SERIES_MAX_POINTS);
}

/* A device that cannot do the depth is asked for less; any other refusal is the lane's end. */
static int open_lane(struct work_lane *l)
{
    struct disk *d = l->plan->disk;
    const struct job *j = &l->plan->job;
    struct lane_shape shape = { .request_bytes = j->block_bytes,
                                .writes = job_writes(j),
                                .buffer_per_slot = job_writes(j) || j->verify };
    int err = E_LIMIT;

    for (unsigned depth = l->plan->depth ? l->plan->depth : l->plan->job.iodepth; depth && err == E_LIMIT;
         depth /= 2) {
        shape.depth = (uint16_t)depth;
        err = d->ops->open(d, &shape, &l->io);
    }
    if (err) {
        struct text t = text_over(l->reason, sizeof(l->reason));
        l->io = NULL;
        if (d->fault.err)
            fault_text(&d->fault, &t);
        else
            text_fmt(&t, "the disk could not be opened for QD %u and %u-byte requests: %s", shape.depth,
                     shape.request_bytes, err_text(err));
        return err;
    }
    l->ops = d->ops;
    l->depth = l->io->depth < shape.depth ? l->io->depth : shape.depth;
    if (shape.buffer_per_slot && (!l->io->buffer_per_slot || !l->io->data.cpu ||
                                  l->io->data.len_bytes / l->io->request_bytes < l->depth)) {
        str_copy(l->reason, sizeof(l->reason), "the driver has no buffer of its own for each request");
        d->ops->close(l->io);
        l->io = NULL;
        return E_UNSUPPORTED;
    }
    return OK;
}

static int alloc_slots(struct work_lane *l)
{
    l->slot = plat_alloc(l->depth * (sizeof(struct work_slot) + sizeof(struct io_request)));
    if (!l->slot)
        return E_NOMEM;
    l->request = (struct io_request *)(l->slot + l->depth);
    for (unsigned i = 0; i < l->depth; i++)
        l->request[i].slot = (uint16_t)i;
    return OK;
}

static void begin_lane(struct engine *e, struct work_lane *l)
{
    describe(l, e->step_number);
    if (l->plan->why_not) {
        str_copy(l->reason, sizeof l->reason, l->plan->why_not);
        return;
    }
    if (!set_region(l) || open_lane(l) != OK)
        return;
    if (!l->depth || alloc_slots(l) != OK) {
        str_copy(l->reason, sizeof(l->reason), "no memory for the requests of this lane");
        l->ops->close(l->io);
        l->io = NULL;
        return;
    }
    set_work(l);
    if (engine_paced_begin(l) != OK || engine_write_begin(l) != OK) {
        str_copy(l->reason, sizeof(l->reason), "no memory for the mix or the limits of this job");
        engine_paced_end(l);
        engine_write_end(l);
        l->ops->close(l->io);
        l->io = NULL;
        l->phase = LANE_DEAD;
        return;
    }
    l->solo = l->depth == 1 && !l->writing;
    l->result.depth = l->depth;
    l->result.command_bytes = l->io->command_bytes && l->io->command_bytes < l->result.block_bytes
                                  ? l->io->command_bytes
                                  : l->result.block_bytes;
    e->live_count++;
}

int engine_begin(const struct plan_step *step, unsigned step_number, struct engine **out)
{
    struct engine *e = plat_alloc(sizeof(*e));

    *out = NULL;
    if (!e)
        return NOTE(E_NOMEM, "memory for the engine", 0, sizeof(*e));
    if (step->lane_count) {
        e->lane = plat_alloc(step->lane_count * sizeof(*e->lane));
        if (!e->lane) {
            plat_free(e);
            return NOTE(E_NOMEM, "memory for the lanes", 0, step->lane_count * sizeof(*e->lane));
        }
    }
    e->lane_count = step->lane_count;
    e->step_number = step_number;
    e->charge_ns = &e->idle_ns;
    for (unsigned i = 0; i < e->lane_count; i++) {
        e->lane[i].plan = &step->lanes[i];
        begin_lane(e, &e->lane[i]);
        e->lane[i].progress.phase = e->lane[i].phase;
    }
    *out = e;
    return OK;
}

void engine_end(struct engine *e)
{
    if (!e)
        return;
    worker_drain(e); /* someone gave up in the middle: nothing may be in flight */
    for (unsigned i = 0; i < e->lane_count; i++) {
        struct work_lane *l = &e->lane[i];
        if (l->io)
            l->ops->close(l->io);
        engine_paced_end(l);
        engine_write_end(l);
        plat_free(l->slot);
    }
    plat_free(e->lane);
    plat_free(e);
}
