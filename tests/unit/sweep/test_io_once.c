#include "io_once.h"
#include "bits.h"
#include "fake_disk.h"
#include "platform_model.h"
#include "test.h"

/* One request at a time: what it answers, and when it gives up. */
static struct fake_disk fake;
static struct controller controller;
static struct io_lane *lane;
static char words[200];
static struct text why;

static void fresh(void)
{
    struct lane_shape shape = { .depth = 1, .buffer_per_slot = true, .request_bytes = 4096 };

    model_relax_step_ns = NS_PER_MS;
    fake_disk_init(&fake, "nvme0n1", &controller, NULL, 0);
    fake.disk.command_deadline_ns = 5 * NS_PER_S;
    EQ(fake.disk.ops->open(&fake.disk, &shape, &lane), OK);
    why = text_over(words, sizeof words);
}

static int do_once(enum io_op op, uint64_t lba)
{
    struct io_request r = { .lba = lba, .blocks = op == IO_FLUSH ? 0 : 8, .op = (uint16_t)op };
    uint64_t began_ns = plat_now_ns();

    int rc = io_once(lane, &r, &why);
    CHECK(plat_now_ns() - began_ns <= 122 * NS_PER_S);
    fake.disk.ops->close(lane);
    return rc;
}

TEST(one_request_that_is_answered_says_nothing)
{
    fresh();
    EQ(do_once(IO_READ, 8), OK);
    EQ_STR(words, "");
}

TEST(one_request_that_fails_says_which_and_where)
{
    fresh();
    fake.bad_lba = 64;
    fake.bad_count = 8;
    EQ(do_once(IO_READ, 64), E_MEDIA);
    HAS_STR(words, "read at LBA 64 failed: ");
    fresh();
    fake.bad_lba = 64;
    fake.bad_count = 8;
    struct io_request r = { .lba = 64, .blocks = 8 };
    EQ(io_once(lane, &r, NULL), E_MEDIA);
    fake.disk.ops->close(lane);
}

TEST(one_request_on_a_disk_that_takes_none_is_gone)
{
    fresh();
    fake.takes_nothing = true;
    EQ(do_once(IO_READ, 8), E_GONE);
    HAS_STR(words, "read at LBA 8 failed: ");
}

TEST(one_request_that_hangs_ends_at_the_disks_deadline_and_a_flush_at_its_own)
{
    uint64_t began_ns;

    fresh();
    fake.hang_at = 1;
    began_ns = plat_now_ns();
    EQ(do_once(IO_READ, 8), E_TIMEOUT);
    CHECK(plat_now_ns() - began_ns >= 5 * NS_PER_S && plat_now_ns() - began_ns < 7 * NS_PER_S);
    fresh();
    fake.hang_at = 1;
    began_ns = plat_now_ns();
    EQ(do_once(IO_FLUSH, 0), E_TIMEOUT);
    CHECK(plat_now_ns() - began_ns >= 120 * NS_PER_S);
    HAS_STR(words, "flush");
}

TEST(one_request_that_never_comes_back_ends_all_the_same)
{
    fresh();
    fake.disk.command_deadline_ns = 0; /* states none */
    fake.hang_at = 1;
    fake.keeps_expired = true;
    uint64_t began_ns = plat_now_ns();
    EQ(do_once(IO_READ, 8), E_TIMEOUT);
    CHECK(plat_now_ns() - began_ns >= 30 * NS_PER_S && plat_now_ns() - began_ns < 33 * NS_PER_S);
}
