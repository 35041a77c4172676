#include <string.h>
#include "bits.h"
#include "model_manual.h"
#include "test.h"

/* Features, borrowed memory and self-tests of the model, in raw numbers. */

static void ready(struct manual *h)
{
    manual_up(h);
    h->m->set.hmpre = 4;
    h->m->set.hmmin = 2;
    h->m->set.hmminds = 1;
    h->m->set.hmmaxd = 2;
    h->m->set.npss = 3;
    h->m->set.power_state = 1;
    h->m->set.oacs = 0x10;
    h->m->set.apsta = 1;
    h->m->set.apst_on = true;
    manual_start(h);
    manual_enable(h);
    CHECK(manual_wait_csts(h, 1, 1));
}

/* Lends the last pages of the data buffer, one chunk each of the given pages. */
static uint16_t lend(struct manual *h, uint32_t how, uint32_t pages, uint32_t a, uint32_t b)
{
    uint64_t at = h->data.bus + 8 * 4096, *e = h->list.cpu;
    uint32_t sqe[16] = { [0] = 9, [10] = 0x0d, [11] = how, [12] = pages, [15] = b ? 2 : 1 };

    e[0] = at;
    e[1] = a;
    e[2] = at + 4096ull * a;
    e[3] = b;
    sqe[13] = (uint32_t)h->list.bus;
    sqe[14] = (uint32_t)(h->list.bus >> 32);
    sqe[0] |= (uint32_t)h->cid++ << 16;
    return manual_run(h, 0, sqe);
}

TEST(model_borrows_memory_writes_into_it_and_gives_it_back)
{
    struct manual h;

    ready(&h);
    EQ(lend(&h, 1, 3, 1, 2), 0);
    manual_create_queues(&h);
    EQ(manual_read(&h, 0, 1, h.data.bus, 0), 0);
    EQ(((uint8_t *)h.data.cpu)[8 * 4096], 0xa5);
    EQ(manual_admin(&h, 9, 0, 0, 0x0d, 0), 0);
    EQ(lend(&h, 3, 3, 1, 2), 0);
    manual_down(&h, 0, NULL);
}

TEST(model_sees_a_wrong_host_memory_buffer)
{
    static const struct {
        uint32_t how, pages, a, b;
        const char *words;
    } rows[] = {
        { 1, 4, 1, 2, "its size" },          { 1, 1, 1, 0, "its size" },    { 1, 5, 3, 2, "its size" },
        { 1, 2, 2, 0xffffffff, "its size" }, { 3, 3, 1, 2, "from before" },
    };
    struct manual h;

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        ready(&h);
        EQ(lend(&h, rows[i].how, rows[i].pages, rows[i].a, rows[i].b), 0x4002);
        manual_down(&h, 1, rows[i].words);
    }
    ready(&h);
    EQ(lend(&h, 1, 3, 1, 2), 0);
    EQ(lend(&h, 1, 3, 1, 2), 0x400c);
    manual_down(&h, 1, "enabled twice");
    ready(&h);
    h.m->set.hmmaxd = 1;
    EQ(lend(&h, 1, 3, 1, 2), 0x4002);
    manual_down(&h, 1, "list");
    ready(&h);
    h.m->set.hmminds = 2;
    EQ(lend(&h, 1, 3, 1, 2), 0x4002);
    manual_down(&h, 1, "HMMINDS");
}

TEST(model_forgets_features_at_a_reset_but_not_what_is_saved)
{
    struct manual h;
    uint64_t word;

    ready(&h);
    EQ(manual_admin(&h, 10, 0, 0, 2, 0), 0);
    EQ(h.cqe[0], 1);
    EQ(manual_admin(&h, 9, 0, 0, 2, 3), 0);
    EQ(manual_admin(&h, 10, 0, 0, 2, 0), 0);
    EQ(h.cqe[0], 3);
    EQ(manual_admin(&h, 10, 0, h.data.bus, 0x0c, 0), 0);
    EQ(h.cqe[0], 1);
    memcpy(&word, h.data.cpu, 8);
    EQ(word, 0x4746454443424140);
    EQ(manual_admin(&h, 9, 0, h.data.bus, 0x0c, 0), 0);
    EQ(manual_admin(&h, 10, 0, h.data.bus, 0x0c, 0), 0);
    EQ(h.cqe[0], 0);
    manual_write32(&h, 0x14, 0x00460000);
    CHECK(manual_wait_csts(&h, 1, 0));
    EQ(h.m->feature[2], 1);
    EQ(h.m->feature[0x0c], 1);
    manual_down(&h, 0, NULL);
}

TEST(model_tests_itself_and_keeps_the_results)
{
    struct manual h;
    uint8_t *log;

    ready(&h);
    log = h.data.cpu;
    h.m->set.self_test_ns = 100 * NS_PER_S;
    EQ(manual_admin(&h, 0x14, 0xffffffff, 0, 1, 0), 0);
    EQ(manual_admin(&h, 0x14, 0xffffffff, 0, 2, 0), 0x411d);
    model_advance_ns(40 * NS_PER_S);
    EQ(manual_admin(&h, 2, 0xffffffff, h.data.bus, 0x8006 | 140u << 16, 0), 0);
    EQ(log[0], 1);
    EQ(log[1], 40);
    EQ(log[4] & 15, 15);
    h.m->set.self_test_result = 7;
    h.m->set.self_test_lba = 0x1234;
    model_advance_ns(60 * NS_PER_S);
    EQ(manual_admin(&h, 2, 0xffffffff, h.data.bus, 0x8006 | 140u << 16, 0), 0);
    EQ(log[0], 0);
    EQ(log[4], 0x17);
    EQ(log[5], 3);
    EQ(log[6], 2);
    EQ(log[4 + 16] | log[4 + 17] << 8, 0x1234);
    EQ(manual_admin(&h, 0x14, 0xffffffff, 0, 2, 0), 0);
    EQ(manual_admin(&h, 0x14, 0xffffffff, 0, 15, 0), 0);
    EQ(manual_admin(&h, 2, 0xffffffff, h.data.bus, 0x8006 | 140u << 16, 0), 0);
    EQ(log[4], 0x21);
    EQ(log[32], 0x17);
    manual_down(&h, 0, NULL);
}
