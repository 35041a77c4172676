#include "engine_lane.h"

/* Which LBA is bad?  A failed request of a megabyte names 2048 suspects; reading it again in smaller pieces
 * through the same lane names the first bad one and how many follow.  Bounded in reads and in time. */

enum { LOCATE_READS_PER_LANE = 512, LOCATE_RUN_LBAS = 64 };

struct search {
    struct engine *e;
    struct work_lane *l;
    unsigned reads_left, good_reads;
    uint64_t until_ns;
    bool out_of_budget;
};

/* One read through slot 0, alone. */
static enum io_status read_alone(struct search *s, uint64_t lba, uint32_t blocks)
{
    struct work_lane *l = s->l;
    struct io_request request = { .lba = lba, .blocks = blocks, .slot = 0 };
    uint64_t began_ns = plat_now_ns();
    bool sent = false, expired = false;

    if (!s->reads_left || began_ns >= s->until_ns || l->io->dead || l->broken) {
        s->out_of_budget = true;
        return IO_LOST;
    }
    s->reads_left--;
    for (;;) {
        if (!sent && (sent = l->ops->submit(l->io, &request, 1) != 0))
            l->ops->kick(l->io);
        unsigned n = l->ops->poll(l->io, s->e->done, ENGINE_BATCH);
        uint64_t now_ns = plat_now_ns();
        for (unsigned i = 0; i < n; i++)
            if (s->e->done[i].slot == 0) {
                s->good_reads += s->e->done[i].status == IO_OK;
                return (enum io_status)s->e->done[i].status;
            }
        if (n)
            continue;
        if (expired || (!sent && now_ns - began_ns >= l->deadline_ns)) {
            l->broken = true; /* the slot is lost to us: no further reads on this lane */
            s->out_of_budget = true;
            return IO_TIMED_OUT;
        }
        if (now_ns - began_ns >= l->deadline_ns) {
            l->ops->expire(l->io, 0);
            expired = true;
        }
        plat_relax();
    }
}

/* RAID cards and emulators report an unreadable sector as an aborted command: only the search shows that it
 * is one place.  Time-outs and lost requests are not repeated on purpose. */
static bool repeats_at_one_place(uint8_t status)
{
    return status == IO_MEDIA_ERROR || status == IO_DEVICE_ERROR;
}

static void locate(struct search *s, struct io_error_record *r)
{
    uint64_t good_below = r->lba, end = r->lba + r->blocks, bad_at = end;
    enum io_status bad = (enum io_status)r->status;
    unsigned good_before = s->good_reads;

    if (read_alone(s, r->lba, r->blocks) != bad)
        return; /* reads well now, or another kind of trouble: nothing to name */
    while (bad_at - good_below > 1) {
        uint64_t middle = good_below + (bad_at - good_below) / 2;
        enum io_status status = read_alone(s, good_below, (uint32_t)(middle - good_below));
        if (status == IO_OK)
            good_below = middle;
        else if (status == bad)
            bad_at = middle;
        else
            return;
    }
    /* Only what failed alone is named: the search took the last one's guilt from its neighbours'. */
    if (r->blocks > 1 && read_alone(s, good_below, 1) != bad)
        return;
    r->blocks = 1;
    r->lba = good_below;
    while (r->blocks < LOCATE_RUN_LBAS && r->lba + r->blocks < end &&
           read_alone(s, r->lba + r->blocks, 1) == bad)
        r->blocks++;
    /* A device that refuses everything has no bad place. */
    r->located = bad == IO_MEDIA_ERROR || s->good_reads > good_before;
}

void engine_locate_errors(struct engine *e)
{
    if (!e->finished)
        return;
    for (struct work_lane *l = e->lane; l < e->lane + e->lane_count; l++) {
        struct search s = {
            .e = e, .l = l, .reads_left = LOCATE_READS_PER_LANE, .until_ns = plat_now_ns() + ENGINE_LOCATE_NS
        };
        if (!l->io)
            continue;
        for (unsigned i = 0; i < l->kept_errors && !s.out_of_budget; i++)
            if (l->error[i].op == IO_READ && repeats_at_one_place(l->error[i].status) && !l->error[i].located)
                locate(&s, &l->error[i]);
    }
}
