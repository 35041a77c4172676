#include "sweep_hand.h"
#include <string.h>
#include "arming.h"
#include "guard.h"
#include "guard_content.h"

struct hand hand;
static struct fake_request log_space[HAND_LOG];

void hand_up(unsigned disks)
{
    model_reset_world();
    memset(&hand, 0, sizeof(hand));
    hand.disks = disks;
    hand.step = (struct plan_step){ .lanes = hand.lane, .lane_count = disks };
    for (unsigned i = 0; i < disks; i++) {
        char name[16];
        str_fmt(name, sizeof(name), "nvme%un1", i);
        str_fmt(hand.controller[i].name, sizeof(hand.controller[i].name), "nvme%u", i);
        fake_disk_init(&hand.fake[i], name, &hand.controller[i], i ? NULL : log_space, i ? 0 : HAND_LOG);
        opt_defaults(job_options, job_option_count, hand_job(i));
        str_copy(hand_job(i)->name, sizeof(hand_job(i)->name), "job");
        hand.lane[i].disk = &hand.fake[i].disk;
    }
}

void hand_up_writable(uint8_t *content, uint64_t lba_count, enum job_rw rw)
{
    hand_up(1);
    memset(content, 0, (size_t)lba_count * 512);
    hand.fake[0].writable = true;
    hand.fake[0].disk.lba_count = lba_count;
    hand.fake[0].content = content;
    hand_job(0)->rw = (uint8_t)rw;
    hand_job(0)->iodepth = 8;
}

void hand_begin(void)
{
    for (unsigned i = 0; i < hand.disks; i++)
        if (!hand.lane[i].depth)
            hand.lane[i].depth = hand_job(i)->iodepth;
    EQ(engine_begin(&hand.step, 7, &hand.e), OK);
}

void hand_run(void)
{
    for (unsigned long slices = 0; worker_run(hand.e, 10 * NS_PER_MS); slices++)
        if (slices > 10000000)
            test_fail(__FILE__, __LINE__, "the run does not end");
}

void hand_down(void)
{
    engine_end(hand.e);
    hand.e = NULL;
    for (unsigned i = 0; i < hand.disks; i++) {
        EQ(hand.fake[i].violations, 0);
        EQ(hand.fake[i].open_lanes, 0);
        EQ(hand.fake[i].in_flight, 0);
    }
    EQ(model_live_allocs(), 0);
}

const struct conf *hand_conf(void)
{
    static struct conf c;
    static struct conf_problems p;

    conf_read("", 0, &c, &p);
    return &c;
}

void hand_grant(struct disk *d)
{
    static struct arming arming;
    struct arming_batch batch = {
        .id = "ba7c", .approved_at = "now", .approved_by = "a", .armings = &arming, .count = 1
    };
    struct guard_content blank = { .state = CONTENT_BLANK, .fingerprint = "blank" };
    struct guard_case c = {
        .disk = d, .content = &blank, .batch = &batch, .same_identity = 1, .keeps_record = true
    };

    arming = (struct arming){ .id = "0123456789abcdef", .fingerprint = "blank" };
    str_copy(arming.identity, sizeof(arming.identity), d->identity);
    CHECK(guard_decide(&c)->granted);
}
