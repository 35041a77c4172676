#include "estimate.h"
#include "bits.h"
#include "engine.h"
#include "math.h"
#include "plan_build.h"
#include "str.h"

/* For a disk that nobody looked at. */
#define GUESS_BYTES_PER_S_FLASH (1000ull * 1000 * 1000)
#define GUESS_BYTES_PER_S_DISK  (150ull * 1000 * 1000)
/* One random request of a disk that rotates: half a turn and a middling seek, a queue sorted halves it. */
#define GUESS_SEEK_NS       (12 * NS_PER_MS)
#define GUESS_SEEK_DEEP_NS  (6 * NS_PER_MS)
#define GUESS_FLASH_READ_NS (80 * NS_PER_US)
/* A disk with a cache full of scattered writes takes seconds, one written in order next to nothing. */
#define GUESS_FLUSH_DISK_NS  (200 * NS_PER_MS)
#define GUESS_FLUSH_FLASH_NS (10 * NS_PER_MS)

enum { PROBE_BLOCK_BYTES = 1 << 20, PROBE_BYTES = 32 << 20, ESTIMATE_SLICES = 32 };
enum { SMALL_BLOCK_BYTES = 4096, SMALL_BYTES = 4 << 20, SMALL_DEPTH = 4 };
#define PROBE_NS (2 * NS_PER_S) /* a disk that needs longer is told apart by its results */
#define SMALL_NS (100 * NS_PER_MS)

struct seen {
    uint64_t bytes_per_s;
    uint64_t request_ns; /* per request; a median, which a stall of a short look does not move */
};
static struct seen run_look(const struct plan_step *step)
{
    struct engine *e;

    if (engine_begin(step, 0, &e) != OK)
        return (struct seen){ 0 };
    while (worker_run(e, NS_PER_S))
        ;
    const struct step_result *r = engine_result(e, 0);
    struct seen seen = { step_bytes_per_s(r),
                         r->depth ? hist_percentile_ns(engine_hist(e, 0), 500000) / r->depth : 0 };
    engine_end(e);
    return seen;
}

struct look {
    uint64_t offset, bytes, most_ns;
    uint32_t block_bytes;
    uint16_t depth;
};
static struct seen probe(struct disk *d, struct look look)
{
    struct plan_lane *lane = plat_alloc(sizeof(*lane));
    struct plan_step step = { .lanes = lane, .lane_count = 1 };

    if (!lane)
        return (struct seen){ 0 };
    *lane = (struct plan_lane){ .disk = d, .depth = look.depth };
    opt_defaults(job_options, job_option_count, &lane->job);
    str_copy(lane->job.name, sizeof(lane->job.name), "estimate");
    lane->job.block_bytes = look.block_bytes;
    lane->job.iodepth = look.depth;
    lane->job.offset_bytes = look.offset;
    lane->job.size_bytes = look.bytes;
    lane->job.runtime_ns = look.most_ns;
    struct seen seen = run_look(&step);
    plat_free(lane);
    return seen;
}

static uint64_t probe_at(struct disk *d, uint64_t offset)
{
    return probe(d, (struct look){ offset, PROBE_BYTES, PROBE_NS, PROBE_BLOCK_BYTES, 4 }).bytes_per_s;
}

/* Where nothing was read yet: time per request. */
static uint64_t probe_small(struct disk *d, uint64_t offset, uint16_t depth)
{
    return probe(d, (struct look){ offset, SMALL_BYTES, SMALL_NS, SMALL_BLOCK_BYTES, depth }).request_ns;
}

void estimate_probe(struct disk *d)
{
    if (plan_disk_trouble(d) || d->kind == DISK_FIRMWARE || disk_bytes(d) < 4ull * PROBE_BYTES)
        return;
    d->first_bytes_per_s = d->last_bytes_per_s = probe_at(d, 0);
    if (d->rotation == ROTATION_YES) {
        uint64_t last = disk_bytes(d) - PROBE_BYTES;
        d->last_bytes_per_s = probe_at(d, last - last % PROBE_BLOCK_BYTES);
    }
    d->request_ns = probe_small(d, PROBE_BYTES, 1);
    d->queued_request_ns = probe_small(d, PROBE_BYTES + SMALL_BYTES, SMALL_DEPTH);
}

static uint64_t rate_at(const struct disk *d, uint64_t offset)
{
    uint64_t first = d->first_bytes_per_s, last = d->last_bytes_per_s;

    if (!first || !last)
        return d->rotation == ROTATION_NONE ? GUESS_BYTES_PER_S_FLASH : GUESS_BYTES_PER_S_DISK;
    if (last > first) /* no disk is faster inside: the look was disturbed */
        return first;
    return first - mul_div_u64(first - last, offset, disk_bytes(d));
}

static uint64_t slice_ns(const struct disk *d, uint64_t offset, uint64_t bytes)
{
    uint64_t ns = 0, step = bytes / ESTIMATE_SLICES;

    for (unsigned i = 0; i < ESTIMATE_SLICES; i++) {
        uint64_t part = i + 1 < ESTIMATE_SLICES ? step : bytes - i * step;
        ns += mul_div_u64(part, NS_PER_S, max_u64(1, rate_at(d, offset + i * step + part / 2)));
    }
    return ns;
}

uint64_t estimate_read_ns(const struct disk *d, uint64_t offset, uint64_t bytes)
{
    uint64_t span = disk_bytes(d) > offset ? disk_bytes(d) - offset : 0;

    if (!span)
        return 0;
    uint64_t whole = bytes / span;
    return (whole ? whole * slice_ns(d, offset, span) : 0) + slice_ns(d, offset, bytes % span);
}

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* What a request costs at least while others are in flight.  A disk that does four of them nowhere near in
 * the time of one has come to its limit with four; of any other only four are known. */
static uint64_t least_request_ns(const struct disk *d, uint64_t rows)
{
    bool at_its_limit =
        d->queued_request_ns / 6 > d->request_ns / 20; /* 3/10 of it, where 1/4 is hoped for */

    return rows > 1 && (rows == SMALL_DEPTH || at_its_limit) ? d->queued_request_ns : 0;
}

/* The bytes through the disk's rate, or the requests one behind another in as many rows as are in flight:
 * whichever takes longer. */
static uint64_t in_order_ns(const struct job *j, const struct disk *d, uint64_t bytes)
{
    uint64_t copies = max_u64(1, j->numjobs), rows = copies * max_u64(1, j->iodepth);
    uint64_t ios = mul_div_u64(bytes / max_u64(1, j->block_bytes), copies, 1);
    uint64_t move_ns = mul_div_u64(estimate_read_ns(d, j->offset_bytes, bytes), copies, 1);
    uint64_t alone_ns = add(move_ns, mul_div_u64(ios, d->request_ns, 1));

    return max_u64(move_ns, max_u64(alone_ns / rows, mul_div_u64(ios, least_request_ns(d, rows), 1)));
}

static uint64_t random_ns(const struct job *j, const struct disk *d, uint64_t bytes)
{
    uint64_t ios = bytes / max_u64(1, j->block_bytes) + 1, depth = j->iodepth * (uint64_t)j->numjobs;
    uint64_t move_ns = mul_div_u64(bytes, NS_PER_S, max_u64(1, rate_at(d, disk_bytes(d) / 2)));

    if (d->rotation == ROTATION_NONE) /* never cheaper than in order, which was looked at */
        return max_u64(in_order_ns(j, d, bytes),
                       max_u64(move_ns, mul_div_u64(ios, GUESS_FLASH_READ_NS, max_u64(1, depth))));
    return move_ns + ios * (depth > 4 ? GUESS_SEEK_DEEP_NS : GUESS_SEEK_NS);
}

/* One at the end, and those that the job asks for. */
static uint64_t flushes_ns(const struct job *j, const struct disk *d, uint64_t bytes)
{
    uint64_t every =
        min_u64(j->fsync_ios ? j->fsync_ios : UINT64_MAX, j->fdatasync_ios ? j->fdatasync_ios : UINT64_MAX);
    uint64_t flushes = 1 + bytes / max_u64(1, j->block_bytes) / every;

    return mul_div_u64(flushes, d->rotation == ROTATION_NONE ? GUESS_FLUSH_FLASH_NS : GUESS_FLUSH_DISK_NS, 1);
}

/* What was written is read back in the order of its places, each once, also when it was written at random. */
static uint64_t read_back_ns(const struct job *j, const struct disk *d, uint64_t bytes)
{
    uint64_t once = min_u64(bytes, j->size_bytes);

    return mul_div_u64(estimate_read_ns(d, j->offset_bytes, once), max_u64(1, j->numjobs), 1);
}

static uint64_t behind_writes_ns(const struct job *j, const struct disk *d, uint64_t bytes)
{
    if (job_rw_is_mix(j->rw))
        bytes = mul_div_u64(bytes, j->mix_write_pct, 100);
    return flushes_ns(j, d, bytes) + (j->verify && j->do_verify ? read_back_ns(j, d, bytes) : 0);
}

/* Doubling up to the depth, and halving in between. */
static uint64_t search_ns(const struct job *j)
{
    return mul_div_u64(2 + 2 * log2_u64(max_u64(1, j->iodepth)), j->latency_window_ns, 1);
}

uint64_t estimate_job_ns(const struct job *j, const struct disk *d)
{
    uint64_t bytes = j->io_bytes ? j->io_bytes : j->size_bytes;

    if (!j->io_bytes && j->loops > 1)
        bytes = mul_div_u64(bytes, j->loops, 1);
    if (j->number_ios)
        bytes = min_u64(bytes, mul_div_u64(j->number_ios, j->block_bytes, 1));
    uint64_t ns = j->verify_only            ? read_back_ns(j, d, bytes)
                  : job_rw_is_random(j->rw) ? random_ns(j, d, bytes)
                                            : in_order_ns(j, d, bytes);
    if (j->rate_bytes_per_s)
        ns = max_u64(ns, mul_div_u64(bytes, NS_PER_S, j->rate_bytes_per_s));
    if (j->rate_iops)
        ns = max_u64(ns, mul_div_u64(bytes / max_u64(1, j->block_bytes), NS_PER_S, j->rate_iops));
    if (j->thinktime_ns)
        ns += mul_div_u64(bytes / max_u64(1, j->block_bytes) / max_u64(1, j->thinktime_blocks),
                          j->thinktime_ns, 1);
    if (j->latency_target_ns && !j->latency_run)
        ns = search_ns(j);
    uint64_t whole_ns = ns;
    if (j->runtime_ns && (j->time_based || j->runtime_ns < ns))
        ns = j->runtime_ns;
    if (job_writes(j))
        ns += behind_writes_ns(j, d, mul_div_u64(bytes, ns, max_u64(1, whole_ns)));
    return ns + j->ramp_ns + j->startdelay_ns;
}
