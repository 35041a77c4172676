#include <string.h>
#include "engine_lane.h"
#include "sweep_hand.h"

/* The short way of a lane that keeps one request in flight must not show: a job gives the same by it, by it
 * beside another lane, and by the way of all other lanes. */

enum way { WAY_ALONE, WAY_BESIDE, WAY_GENERAL, WAYS };
enum { WATCHED = 4096 };
struct seen {
    struct step_result result;
    struct io_error_record error[LANE_MAX_ERROR_RECORDS];
    unsigned errors, logged;
    struct fake_request log[WATCHED];
    struct hist hist;
    struct lane_series series;
    uint64_t expires;
    char reason[160];
};
static struct seen seen[WAYS];

struct trial {
    const char *name;
    enum job_rw rw;
    bool no_map, holds, stops, has_time, ramps, paced;
    uint32_t block_bytes;
    uint64_t bad_lba, hang_at, die_at;
    uint16_t fail_every;
    uint8_t retries;
};
static const struct trial trials[] = {
    { .name = "sequential" },
    { .name = "random", .rw = JOB_RANDREAD },
    { .name = "random without a map", .rw = JOB_RANDREAD, .no_map = true },
    { .name = "held", .holds = true },
    { .name = "stopped", .stops = true },
    { .name = "by time", .has_time = true },
    { .name = "by time, with a ramp", .has_time = true, .ramps = true },
    { .name = "at a rate", .paced = true },
    { .name = "odd ends", .block_bytes = 12 * 512 },
    { .name = "a bad sector", .bad_lba = 805 },
    { .name = "a hang", .hang_at = 50 },
    { .name = "a death", .die_at = 77 },
    { .name = "failures", .fail_every = 7 },
    { .name = "retries", .retries = 2 },
    { .name = "failures after retries", .fail_every = 5, .retries = 1 },
};

static void set_up(const struct trial *t, enum way way)
{
    hand_up(way == WAY_BESIDE ? 2 : 1);
    struct fake_disk *f = &hand.fake[0];
    struct job *j = hand_job(0);

    f->disk.lba_count = 9001;
    f->bad_lba = t->bad_lba;
    f->bad_count = t->bad_lba != 0;
    f->hang_at = t->hang_at;
    f->die_at = t->die_at;
    f->fail_every = t->fail_every;
    f->retries = t->retries;
    j->rw = t->rw;
    j->norandommap = t->no_map;
    j->io_bytes = t->has_time ? 0 : 3000 * 4096;
    j->runtime_ns = t->has_time ? 300 * NS_PER_MS : 0;
    j->time_based = t->has_time;
    j->ramp_ns = t->ramps ? 70 * NS_PER_MS : 0;
    j->rate_iops = t->paced ? 5000 : 0;
    if (t->block_bytes)
        j->block_bytes = t->block_bytes;
    /* The neighbour is over at once, and was nothing but there. */
    if (way == WAY_BESIDE)
        hand_job(1)->io_bytes = 4096;
    hand_begin();
    CHECK(hand.e->lane[0].solo);
    hand.e->lane[0].solo = way != WAY_GENERAL;
}

static void run(const struct trial *t)
{
    for (unsigned slices = 0; worker_run(hand.e, 10 * NS_PER_MS); slices++) {
        CHECK(slices < 1000000);
        if (t->holds && slices % 3 == 1) {
            worker_hold(hand.e);
            model_advance_ns(7 * NS_PER_MS);
            worker_resume(hand.e);
        }
        if (t->stops && slices == 5)
            engine_stop(hand.e);
    }
}

static void look(struct seen *s)
{
    const struct io_error_record *errors = engine_errors(hand.e, 0, &s->errors);

    s->result = *hand_result(0);
    memcpy(s->error, errors, s->errors * sizeof *errors);
    s->logged = hand_logged;
    memcpy(s->log, hand_log, (hand_logged < WATCHED ? hand_logged : WATCHED) * sizeof *s->log);
    s->hist = *engine_hist(hand.e, 0);
    s->series = *engine_series(hand.e, 0);
    s->expires = hand.fake[0].expires;
    str_copy(s->reason, sizeof s->reason, engine_lane_reason(hand.e, 0));
}

/* A second lane reads the clock, which moves the model's: of that run only what does not hang on time. */
static void compare_counts(const struct seen *a, const struct seen *b)
{
    EQ(a->logged, b->logged);
    for (unsigned i = 0; i < a->logged && i < WATCHED; i++)
        EQ(a->log[i].lba, b->log[i].lba);
    EQ(a->result.ios, b->result.ios);
    EQ(a->result.bytes, b->result.bytes);
    EQ(a->hist.count, b->hist.count);
}
static void compare(const struct seen *a, const struct seen *b)
{
    EQ(a->errors, b->errors);
    EQ(a->result.errors, b->result.errors);
    EQ(a->result.retries, b->result.retries);
    EQ(a->expires, b->expires);
    EQ_STR(a->reason, b->reason);
}

TEST(one_request_at_a_time_gives_the_same_by_the_short_way_and_by_the_general_one)
{
    for (unsigned k = 0; k < ARRAY_COUNT(trials); k++) {
        const struct trial *t = &trials[k];

        memset(seen, 0, sizeof seen);
        for (unsigned way = 0; way < WAYS; way++) {
            set_up(t, way);
            run(t);
            look(&seen[way]);
            hand_down();
            compare(&seen[0], &seen[way]);
            if (!t->has_time && !t->stops)
                compare_counts(&seen[0], &seen[way]);
        }
        /* With the same readings of the clock: to the last bit. */
        if (memcmp(&seen[WAY_ALONE], &seen[WAY_GENERAL], sizeof seen[0]))
            test_fail(__FILE__, __LINE__, "%s", t->name);
    }
}

TEST(what_writes_or_keeps_more_than_one_request_in_flight_goes_the_general_way)
{
    static uint8_t content[512 * 512];

    hand_up(1);
    hand_job(0)->iodepth = 2;
    hand_begin();
    CHECK(!hand.e->lane[0].solo);
    hand_down();
    hand_up_writable(content, 512, JOB_WRITE);
    hand_job(0)->iodepth = 1;
    hand_begin();
    CHECK(!hand.e->lane[0].solo);
    hand_down();
}
