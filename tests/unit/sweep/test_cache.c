#include <string.h>
#include "cache.h"
#include "gate.h"
#include "guard.h"
#include "stripe.h"
#include "sweep_hand.h"

/* Jobs that ask for a drive's caches: refused where it cannot be, switched before their step, put back after.
 */

static struct plan plan;
static struct conf conf;
static struct job_file file;
static struct disk *disks[3];

static struct cache_told told[32];
static unsigned told_count;

static void hear(void *ctx, const struct cache_told *t)
{
    CHECK(ctx == &plan);
    CHECK(told_count < ARRAY_COUNT(told));
    told[told_count++] = *t;
}

/* SATA drives with both caches on. */
static void up(void)
{
    hand_up(3);
    guard_forget_all();
    plan = (struct plan){ 0 };
    conf = *hand_conf();
    told_count = 0;
    for (unsigned i = 0; i < 3; i++) {
        disks[i] = &hand.fake[i].disk;
        disks[i]->kind = DISK_SATA;
        for (unsigned k = 0; k < CACHE_COUNT; k++)
            disks[i]->cache[k] = (struct cache_switch){ .found = CACHE_ON, .now = CACHE_ON };
    }
}
static void make_for(const char *text, unsigned disk_count)
{
    plan_free(&plan);
    job_file_read(text, strlen(text), &file);
    EQ(plan_from_jobs(&conf, &file, disks, disk_count, &plan), OK);
}
static void make(const char *text) { make_for(text, 3); }
static void down(void)
{
    plan_free(&plan);
    EQ(model_live_allocs(), 0);
}
static void begin(void) { cache_step_begin(&plan.steps[0], hear, &plan); }
static void end(void) { cache_step_end(&plan.steps[0], hear, &plan); }

TEST(the_words_of_the_two_options_become_states)
{
    static const struct {
        const char *line;
        uint8_t write, look_ahead;
        bool good;
    } row[] = {
        { "bs=4k", CACHE_UNKNOWN, CACHE_UNKNOWN, true },
        { "write_cache=on", CACHE_ON, CACHE_UNKNOWN, true },
        { "write_cache=off", CACHE_OFF, CACHE_UNKNOWN, true },
        { "write_cache=as-found", CACHE_UNKNOWN, CACHE_UNKNOWN, true },
        { "read_lookahead=on", CACHE_UNKNOWN, CACHE_ON, true },
        { "read_lookahead=off\nwrite_cache=on", CACHE_ON, CACHE_OFF, true },
        { "write_cache=1", 0, 0, false },
        { "write_cache", 0, 0, false },
        { "write_cache=", 0, 0, false },
        { "read_lookahead=offf", 0, 0, false },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        char text[120];

        str_fmt(text, sizeof text, "[a]\n%s\n", row[i].line);
        EQ(job_file_read(text, strlen(text), &file), row[i].good);
        if (!row[i].good)
            continue;
        EQ(file.jobs[0].cache[CACHE_WRITE], row[i].write);
        EQ(file.jobs[0].cache[CACHE_LOOK_AHEAD], row[i].look_ahead);
        EQ(cache_is_asked_for(&file.jobs[0]), row[i].write || row[i].look_ahead);
    }
}

TEST(what_cannot_be_switched_is_refused_before_the_run)
{
    up();
    disks[0]->kind = DISK_VIRTUAL_DRIVE;
    struct disk_ops ops = *disks[0]->ops;
    ops.set_cache = NULL;
    disks[0]->ops = &ops;
    disks[1]->kind = DISK_NVME;
    disks[1]->cache[CACHE_LOOK_AHEAD] = (struct cache_switch){ .found = CACHE_UNKNOWN };
    disks[2]->cache[CACHE_WRITE] = (struct cache_switch){ .found = CACHE_UNKNOWN };
    make("[a]\nread_lookahead=off\n[b]\nstonewall\nwrite_cache=off\n");
    EQ(plan.step_count, 2);
    EQ(plan.refusal_count, 4);
    EQ(plan.steps[0].lane_count, 1);
    CHECK(plan.steps[0].lanes[0].disk == disks[2]);
    EQ(plan.steps[1].lane_count, 1);
    CHECK(plan.steps[1].lanes[0].disk == disks[1]);
    HAS_STR(plan.refusals[0].why, "read_lookahead: only of an NVMe or SATA drive that this program drives");
    HAS_STR(plan.refusals[1].why, "read_lookahead: an NVMe drive has no look-ahead");
    HAS_STR(plan.refusals[2].why, "write_cache: only of");
    HAS_STR(plan.refusals[3].why, "write_cache: the drive does not report a write cache");
    for (unsigned i = 0; i < 4; i++)
        CHECK(!plan.refusals[i].wrong_job);
    down();
}

TEST(an_array_of_disks_is_refused)
{
    struct disk *stripe;

    up();
    EQ(stripe_make(disks, 2, 65536, "array0", &stripe), OK);
    disks[0] = stripe;
    make_for("[a]\nwrite_cache=off\n", 1);
    EQ(plan.step_count, 0);
    HAS_STR(plan.refusals[0].why, "only of an NVMe or SATA drive");
    /* And it is not read beside a member that is switched. */
    disks[2] = &hand.fake[0].disk;
    make("[a]\nfilename=array0\n[b]\nfilename=nvme0n1\nwrite_cache=off\n");
    EQ(plan.refusal_count, 1);
    HAS_STR(plan.refusals[0].why, "the same in all jobs");
    stripe_free(stripe);
    down();
}

TEST(on_where_it_was_found_off_is_refused_of_a_disk_that_is_not_armed)
{
    up();
    disks[0]->cache[CACHE_WRITE] = (struct cache_switch){ .found = CACHE_OFF, .now = CACHE_OFF };
    disks[0]->cache[CACHE_LOOK_AHEAD] = disks[0]->cache[CACHE_WRITE];
    make("[a]\nwrite_cache=on\n");
    EQ(plan.steps[0].lane_count, 2);
    EQ(plan.refusal_count, 1);
    CHECK(plan.refusals[0].disk == disks[0]);
    HAS_STR(plan.refusals[0].why, "write_cache=on, found off: not armed");
    make("[a]\nwrite_cache=off\nread_lookahead=on\n");
    EQ(plan.steps[0].lane_count, 3);
    EQ(plan.refusal_count, 0);
    down();
}

TEST(jobs_side_by_side_on_a_drive_must_agree)
{
    static const struct {
        const char *text;
        unsigned refused;
    } row[] = {
        { "[a]\nfilename=nvme0n1\nwrite_cache=off\n[b]\nfilename=nvme0n1\nwrite_cache=off\n", 0 },
        { "[a]\nfilename=nvme0n1\nwrite_cache=off\n[b]\nfilename=nvme0n1\nwrite_cache=on\n", 1 },
        { "[a]\nfilename=nvme0n1\nwrite_cache=off\n[b]\nfilename=nvme0n1\n", 1 },
        { "[a]\nfilename=nvme0n1\n[b]\nfilename=nvme0n1\nread_lookahead=off\n", 1 },
        { "[a]\nfilename=nvme0n1\nwrite_cache=off\n[b]\nfilename=nvme1n1\n", 0 },
        { "[a]\nfilename=nvme0n1\nwrite_cache=off\n[b]\nstonewall\nfilename=nvme0n1\n", 0 },
        { "[a]\nfilename=nvme0n1\nwrite_cache=off\nnumjobs=3\n", 0 },
    };

    up();
    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        make(row[i].text);
        EQ(plan.refusal_count, row[i].refused);
        for (unsigned k = 0; k < plan.refusal_count; k++) {
            HAS_STR(plan.refusals[k].why, "add stonewall");
            CHECK(plan.refusals[k].wrong_job);
        }
    }
    /* Namespaces of one controller have one switch. */
    for (unsigned i = 0; i < 2; i++) {
        disks[i]->controller = &hand.controller[0];
        disks[i]->cache_is_shared = true;
    }
    make("[a]\nfilename=nvme0n1\nwrite_cache=off\n[b]\nfilename=nvme1n1\n[c]\nfilename=nvme2n1\n");
    EQ(plan.refusal_count, 1);
    CHECK(plan.refusals[0].disk == disks[1]);
    down();
}

TEST(a_step_begins_switched_and_ends_as_it_was_found)
{
    up();
    disks[1]->cache[CACHE_LOOK_AHEAD] = (struct cache_switch){ .found = CACHE_OFF, .now = CACHE_OFF };
    make(
        "[a]\nfilename=nvme0n1:nvme1n1\nwrite_cache=off\nread_lookahead=on\nnumjobs=2\n[b]\nfilename=nvme2n1\n");
    begin();
    EQ(told_count, 4);
    for (unsigned i = 0; i < 4; i++)
        EQ(told[i].event, CACHE_SWITCHED);
    EQ(disks[0]->cache[CACHE_WRITE].now, CACHE_OFF);
    EQ(disks[1]->cache[CACHE_WRITE].now, CACHE_OFF);
    EQ(disks[1]->cache[CACHE_LOOK_AHEAD].now, CACHE_ON);
    EQ(hand.fake[2].cache_switches, 0);
    for (unsigned i = 0; i < plan.steps[0].lane_count; i++)
        CHECK(!plan.steps[0].lanes[i].why_not);
    end();
    EQ(told_count, 8);
    for (unsigned i = 4; i < 8; i++)
        EQ(told[i].event, CACHE_RESTORED);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < CACHE_COUNT; k++)
            EQ(disks[i]->cache[k].now, disks[i]->cache[k].found);
    down();
}

TEST(one_switch_of_two_disks_is_thrown_once)
{
    up();
    for (unsigned i = 0; i < 2; i++) {
        disks[i]->controller = &hand.controller[0];
        disks[i]->cache_is_shared = true;
    }
    make("[a]\nfilename=nvme0n1:nvme1n1\nwrite_cache=off\n");
    begin();
    EQ(told_count, 1);
    hand.fake[0].cache_error = E_REFUSED;
    end();
    EQ(told_count, 2);
    begin();
    CHECK(plan.steps[0].lanes[0].why_not && plan.steps[0].lanes[1].why_not);
    EQ(hand.fake[1].cache_switches, 0);
    down();
}

TEST(a_drive_that_does_not_obey_is_left_out_and_the_others_run)
{
    static const struct {
        int err;
        enum cache_event event;
        const char *why;
    } row[] = {
        { E_REFUSED, CACHE_NOT_SWITCHED, "does not switch its write cache" },
        { E_UNSUPPORTED, CACHE_NOT_SWITCHED, "does not switch its write cache" },
        { E_PROTO, CACHE_UNCHANGED, "reads back unchanged" },
        { E_GONE, CACHE_NOT_SWITCHED, "does not switch its write cache" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        up();
        make("[a]\nfilename=nvme0n1:nvme1n1\nwrite_cache=off\nsize=64k\n");
        hand.fake[0].cache_error = row[i].err;
        begin();
        EQ(told_count, 2);
        EQ(told[0].event, row[i].event);
        EQ(told[0].err, row[i].err);
        EQ(told[0].asked, CACHE_OFF);
        EQ(told[1].event, CACHE_SWITCHED);
        HAS_STR(plan.steps[0].lanes[0].why_not, row[i].why);
        CHECK(!plan.steps[0].lanes[1].why_not);
        struct engine *e;
        EQ(engine_begin(&plan.steps[0], 1, &e), OK);
        while (worker_run(e, NS_PER_MS))
            ;
        EQ_STR(engine_lane_reason(e, 0), plan.steps[0].lanes[0].why_not);
        EQ(engine_result(e, 0)->ios, 0);
        EQ(engine_result(e, 0)->errors, 0);
        EQ(engine_result(e, 1)->ios, 16);
        CHECK(engine_result(e, 1)->flags & FLAG_CACHE);
        engine_end(e);
        EQ(hand.fake[0].requests, 0);
        end();
        EQ(told_count, 3); /* of the first nothing is to be put back */
        EQ(told[2].event, CACHE_RESTORED);
        CHECK(told[2].disk == disks[1]);
        hand.fake[0].cache_error = OK;
        disks[0]->fault = (struct fault){ 0 };
        begin();
        CHECK(!plan.steps[0].lanes[0].why_not); /* the next round asks again */
        down();
    }
}

TEST(the_first_cache_is_put_back_when_the_second_is_refused)
{
    up();
    make("[a]\nfilename=nvme0n1\nwrite_cache=off\nread_lookahead=off\n");
    disks[0]->cache[CACHE_LOOK_AHEAD].now = CACHE_OFF; /* as if the refusal came after it took hold */
    hand.fake[0].cache_error = OK;
    begin();
    plan.steps[0].lanes[0].why_not = "refused";
    end();
    EQ(told_count, 4);
    EQ(disks[0]->cache[CACHE_WRITE].now, CACHE_ON);
    EQ(disks[0]->cache[CACHE_LOOK_AHEAD].now, CACHE_ON);
    down();
}

TEST(a_setting_lost_in_between_and_one_that_stays_are_told)
{
    up();
    make("[a]\nfilename=nvme0n1\nwrite_cache=off\n");
    begin();
    disks[0]->cache[CACHE_WRITE].now = CACHE_ON; /* a reset */
    end();
    EQ(told_count, 3);
    EQ(told[1].event, CACHE_LOST);
    EQ(told[2].event, CACHE_RESTORED);
    begin();
    hand.fake[0].cache_error = E_GONE;
    end();
    EQ(told[4].event, CACHE_NOT_RESTORED);
    EQ(told[4].err, E_GONE);
    down();
}

TEST(steps_that_ask_for_nothing_touch_nothing)
{
    up();
    make("[a]\n[b]\nwrite_cache=as-found\n");
    EQ(plan.steps[0].lane_count, 6);
    begin();
    end();
    EQ(told_count, 0);
    for (unsigned i = 0; i < 3; i++)
        EQ(hand.fake[i].cache_switches, 0);
    down();
}
