#include "blink.h"
#include "bits.h"
#include "math.h"
#include "str.h"
#include "text.h"

/* A read keeps the light on for as long as the drive works on it, and for a moment more.  Places are random:
 * a rotating disk then works on every read, can be heard, and does not answer from its cache. */

enum { READ_BYTES = 4096, DARK_STALL_US = 500 };

const struct blink_rhythm blink_rhythm = { .on_ms = 300, .off_ms = 300, .flashes = 3, .pause_ms = 1200 };

struct blink {
    struct disk *disk;
    struct io_lane *lane;
    struct rng rng;
    uint32_t blocks; /* of one read */
    uint64_t begin_ns, duration_ns, submit_ns;
    bool in_flight, broken; /* broken: the driver does not give its slot back */
    struct blink_report report;
};

static uint64_t round_ns(const struct blink_rhythm *r)
{
    return ((uint64_t)r->flashes * (r->on_ms + r->off_ms) + r->pause_ms) * NS_PER_MS;
}

bool blink_is_lit(const struct blink_rhythm *r, uint64_t elapsed_ns)
{
    uint64_t flash_ns = (r->on_ms + r->off_ms) * NS_PER_MS, at_ns = elapsed_ns % round_ns(r);

    return at_ns < r->flashes * flash_ns && at_ns % flash_ns < r->on_ms * NS_PER_MS;
}

int blink_begin(struct disk *d, uint32_t seconds, struct blink **out)
{
    struct lane_shape shape = { .depth = 1 };
    struct blink *b;
    int rc;

    *out = NULL;
    if (!seconds || seconds > BLINK_MAX_S)
        return NOTE(E_LIMIT, "seconds to blink", seconds, BLINK_MAX_S);
    if (!d->ops || !d->lba_count || !d->lba_bytes)
        return NOTE(E_UNSUPPORTED, "disk that can be read, to blink", 0, 1);
    b = plat_alloc(sizeof(*b));
    if (!b)
        return NOTE(E_NOMEM, "memory for blinking", 0, sizeof(*b));
    b->disk = d;
    b->blocks = (uint32_t)min_u64(d->lba_bytes < READ_BYTES ? READ_BYTES / d->lba_bytes : 1, d->lba_count);
    shape.request_bytes = b->blocks * d->lba_bytes;
    rc = d->ops->open(d, &shape, &b->lane);
    if (rc) {
        plat_free(b);
        return rc;
    }
    b->duration_ns = seconds * NS_PER_S;
    b->begin_ns = plat_now_ns();
    rng_seed(&b->rng, b->begin_ns);
    *out = b;
    return OK;
}

/* ---- one read ---- */
static void send(struct blink *b, uint64_t now_ns)
{
    struct io_request r = { .blocks = b->blocks };

    r.lba = mul_high_u64(rng_next(&b->rng), b->disk->lba_count - b->blocks + 1);
    if (b->disk->ops->submit(b->lane, &r, 1) != 1)
        return;
    b->disk->ops->kick(b->lane);
    b->in_flight = true;
    b->submit_ns = now_ns;
}

static void collect(struct blink *b)
{
    struct io_completion c;

    if (!b->disk->ops->poll(b->lane, &c, 1))
        return;
    b->in_flight = false;
    b->report.reads++;
    b->report.errors += c.status != IO_OK;
}

/* A read that is late is ended by the driver's ladder; one that even this does not bring back ends it all. */
static void wait_for_it(struct blink *b)
{
    uint64_t deadline_ns = b->disk->command_deadline_ns ? b->disk->command_deadline_ns : 30 * NS_PER_S;

    collect(b);
    if (!b->in_flight || plat_now_ns() - b->submit_ns < deadline_ns)
        return;
    collect(b);
    if (b->in_flight)
        b->disk->ops->expire(b->lane, 0);
    if (b->in_flight)
        collect(b);
    if (b->in_flight) {
        b->in_flight = false;
        b->broken = true;
    }
}

static bool is_over(const struct blink *b) { return b->broken || b->lane->dead; }

static void give_reason(struct blink *b)
{
    struct text t = text_over(b->report.reason, sizeof(b->report.reason));

    if (b->disk->fault.err)
        fault_text(&b->disk->fault, &t);
    else
        text_str(&t, "the disk takes no more reads");
}

bool blink_go_on(struct blink *b, uint64_t slice_ns)
{
    uint64_t now_ns = plat_now_ns(), end_ns = now_ns + slice_ns;
    uint64_t last_ns = b->begin_ns + b->duration_ns;

    for (; now_ns < end_ns && now_ns < last_ns && !is_over(b); now_ns = plat_now_ns()) {
        bool lit = blink_is_lit(&blink_rhythm, now_ns - b->begin_ns);
        b->report.rounds = (uint32_t)((now_ns - b->begin_ns) / round_ns(&blink_rhythm)) + 1;
        if (b->in_flight)
            wait_for_it(b);
        else if (lit)
            send(b, now_ns);
        else
            plat_stall_us(DARK_STALL_US);
        plat_relax();
    }
    while (b->in_flight) {
        wait_for_it(b);
        plat_relax();
    }
    if (!is_over(b))
        return now_ns < last_ns;
    if (!b->report.reason[0])
        give_reason(b);
    return false;
}

const struct blink_report *blink_report(const struct blink *b) { return &b->report; }

void blink_end(struct blink *b)
{
    if (!b)
        return;
    b->disk->ops->close(b->lane);
    plat_free(b);
}
