#include <string.h>
#include "model_manual.h"
#include "test.h"

/* Admin commands and queues by hand. */

static void ready(struct manual *h)
{
    manual_up(h);
    manual_start(h);
    manual_enable(h);
    CHECK(manual_wait_csts(h, 1, 1));
}

static uint64_t get(const struct manual *h, unsigned off, unsigned bytes)
{
    uint64_t v = 0;

    memcpy(&v, (const uint8_t *)h->data.cpu + off, bytes);
    return v;
}

TEST(model_identifies_its_controller)
{
    struct manual h;

    ready(&h);
    EQ(manual_admin(&h, 0x06, 0, h.data.bus, 1, 0), 0);
    EQ(get(&h, 0, 2), 0x1d87);
    CHECK(!memcmp((char *)h.data.cpu + 4, "MODEL-0001          ", 20));
    CHECK(!memcmp((char *)h.data.cpu + 64, "1.0     ", 8));
    EQ(get(&h, 77, 1), 5);
    EQ(get(&h, 516, 4), 1);
    EQ(get(&h, 512, 1), 0x66);
    manual_down(&h, 0, NULL);
}

TEST(model_identifies_namespaces_by_their_format_in_use)
{
    struct manual h;

    manual_up(&h);
    model_nvme_add_ns(h.m, 0xfffffffd, 0xfedcba9876543210, 4096)->metadata_bytes = 8;
    manual_start(&h);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    EQ(manual_admin(&h, 0x06, 0xfffffffd, h.data.bus, 0, 0), 0);
    EQ(get(&h, 0, 8), (long long)0xfedcba9876543210);
    EQ(get(&h, 26, 1), 1);
    EQ(get(&h, 132, 4), 8 | 12 << 16);
    EQ(manual_admin(&h, 0x06, 2, h.data.bus, 0, 0), 0);
    EQ(get(&h, 0, 8), 0);
    EQ(manual_admin(&h, 0x06, 0, h.data.bus, 0, 0), 0x400b);
    EQ(manual_admin(&h, 0x06, 0xfffffffe, h.data.bus, 0, 0), 0x400b);
    EQ(manual_admin(&h, 0x06, 0xffffffff, h.data.bus, 0, 0), 0x400b);
    EQ(manual_admin(&h, 0x06, 1, h.data.bus, 0x55, 0), 0x4002);
    manual_down(&h, 0, NULL);
}

TEST(model_lists_sparse_namespaces_in_order)
{
    struct manual h;

    manual_up(&h);
    model_nvme_add_ns(h.m, 17, 100, 512);
    model_nvme_add_ns(h.m, 5, 100, 512);
    model_nvme_add_ns(h.m, 6, 100, 512)->inactive = true;
    manual_start(&h);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    EQ(manual_admin(&h, 0x06, 0, h.data.bus, 2, 0), 0);
    EQ(get(&h, 0, 8), 1 | 5ll << 32);
    EQ(get(&h, 8, 8), 17);
    EQ(manual_admin(&h, 0x06, 5, h.data.bus, 2, 0), 0);
    EQ(get(&h, 0, 8), 17);
    EQ(manual_admin(&h, 0x06, 0xfffffffe, h.data.bus, 2, 0), 0x400b);
    EQ(manual_admin(&h, 0x06, 17, h.data.bus, 3, 0), 0);
    EQ(get(&h, 0, 2), 0x0801);
    EQ(get(&h, 12, 2), 0x1002);
    EQ(get(&h, 32, 2), 0x0104);
    EQ(manual_admin(&h, 0x06, 6, h.data.bus, 3, 0), 0x400b);
    manual_down(&h, 0, NULL);
}

TEST(model_of_an_old_device_knows_only_the_first_identify_pages)
{
    struct manual h;

    manual_up(&h);
    h.m->set.cns_max = 1;
    manual_start(&h);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    EQ(manual_admin(&h, 0x06, 0, h.data.bus, 2, 0), 0x4002);
    manual_down(&h, 0, NULL);
}

TEST(model_grants_the_queues_it_wants)
{
    struct manual h;

    ready(&h);
    EQ(manual_admin(&h, 0x09, 0, 0, 7, 3 | 4 << 16), 0);
    EQ(h.cqe[0], 3 | 4 << 16);
    h.m->set.sq_granted = 1;
    h.m->set.cq_granted = 0xffff;
    EQ(manual_admin(&h, 0x09, 0, 0, 7, 3 | 4 << 16), 0);
    EQ(h.cqe[0], 0xfffe0000);
    EQ(manual_admin(&h, 0x0a, 0, 0, 7, 0), 0);
    EQ(h.cqe[0], 0xfffe0000);
    manual_down(&h, 0, NULL);
}

/* One wrong step each, after queue 1 was created. */
TEST(model_refuses_wrong_queue_commands)
{
    static const struct {
        uint8_t opcode;
        uint64_t prp1;
        uint32_t cdw10, cdw11;
        uint16_t status;
        const char *part;
    } rows[] = {
        { 0x05, 0, 0x00070002, 1, 0x4013, "base" },
        { 0x05, 0x1800, 0x00070002, 1, 0x4013, "base" },
        { 0x05, 0x1000, 0x00070000, 1, 0x4101, "queue id" },
        { 0x05, 0x1000, 0x00070001, 1, 0x4101, "queue id" },
        { 0x05, 0x1000, 0x00070003, 1, 0x4101, "queue id" },
        { 0x05, 0x1000, 0x00000002, 1, 0x4102, "queue size" },
        { 0x05, 0x1000, 0x04000002, 1, 0x4102, "queue size" },
        { 0x05, 0x1000, 0x00070002, 0, 0x4002, "contiguous" },
        { 0x05, 0x1000, 0x00070002, 0x8001, 0x4002, "reserved" },
        { 0x01, 0, 0x00070002, 0x10001, 0x4013, "base" },
        { 0x01, 0x1000, 0x00070002, 0x20001, 0x4100, "completion" },
        { 0x01, 0x1000, 0x00070002, 1, 0x4100, "completion" },
        { 0x01, 0x1000, 0x00070001, 0x10001, 0x4101, "queue id" },
        { 0x01, 0x1000, 0x04000002, 0x10001, 0x4102, "queue size" },
        { 0x01, 0x1000, 0x00070002, 0x10000, 0x4002, "contiguous" },
        { 0x04, 0, 1, 0, 0x410c, "while a submission queue" },
        { 0x04, 0, 2, 0, 0x4101, "no such queue" },
        { 0x00, 0, 2, 0, 0x4101, "no such queue" },
        { 0x00, 0, 0, 0, 0x4101, "no such queue" },
        { 0x09, 0, 0x07, 1, 0x400c, "while I/O queues exist" },
        { 0x09, 0, 0x80000006, 1, 0x410d, "saved for good" },
        { 0x09, 0, 0x07, 0xffff, 0x400c, "while I/O queues exist" },
        { 0x06, 0x1000, 0x101, 0, 0x4002, "Identify: reserved" },
        { 0x02, 0x1000, 0x7ff8002, 0, 0x4002, "longer than the log" },
        { 0x80, 0, 0, 0, 0x4001, "changes the device" },
        { 0x84, 0, 0, 0, 0x4001, "changes the device" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;

        ready(&h);
        h.m->set.sq_granted = h.m->set.cq_granted = 2;
        manual_create_queues(&h);
        EQ(manual_admin(&h, rows[i].opcode, 0, rows[i].prp1, rows[i].cdw10, rows[i].cdw11), rows[i].status);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_wants_the_number_of_queues_first)
{
    struct manual h;

    ready(&h);
    h.m->set.sq_granted = h.m->set.cq_granted = 1;
    EQ(manual_admin(&h, 0x05, 0, h.cq[1].bus, 0x00070001, 1), 0);
    EQ(manual_admin(&h, 0x01, 0, h.sq[1].bus, 0x00070001, 0x10001), 0);
    EQ(manual_read(&h, 5, 8, h.data.bus, 0), 0);
    manual_down(&h, 2, "before the number of queues");
    ready(&h);
    EQ(manual_admin(&h, 0x09, 0, 0, 7, 0x0000ffff), 0x4002);
    EQ(manual_admin(&h, 0x09, 0, 0, 7, 0xffff0000), 0x4002);
    manual_down(&h, 2, "FFFFh is reserved");
}

TEST(model_lets_a_foreign_driver_create_what_would_have_been_granted)
{
    struct manual h;

    ready(&h);
    h.m->set.foreign_driver = true;
    h.m->set.sq_granted = h.m->set.cq_granted = 1;
    EQ(manual_admin(&h, 0x05, 0, h.cq[1].bus, 0x00070001, 1), 0);
    EQ(manual_admin(&h, 0x01, 0, h.sq[1].bus, 0x00070001, 0x10001), 0);
    manual_down(&h, 0, NULL);
    ready(&h);
    h.m->set.foreign_driver = true;
    h.m->set.sq_granted = h.m->set.cq_granted = 1;
    EQ(manual_admin(&h, 0x05, 0, h.cq[1].bus, 0x00070002, 1), 0x4101);
    manual_down(&h, 1, "queue id");
}

TEST(model_sees_wrong_admin_fields)
{
    struct manual h;

    ready(&h);
    EQ(manual_admin(&h, 0x06, 1, h.data.bus, 1, 0), 0x4002);
    manual_down(&h, 1, "controller with a namespace");
}

TEST(model_takes_only_so_many_aborts_at_once)
{
    struct manual h;
    uint32_t sqe[16] = { 0 };
    unsigned refused = 0;

    ready(&h);
    h.m->set.acl = 0;
    for (unsigned i = 0; i < 2; i++) {
        sqe[0] = 8 | (60 + i) << 16;
        manual_put(&h, 0, sqe);
    }
    manual_ring(&h, 0);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(manual_take(&h, 0));
        refused += h.cqe[3] >> 17 == 0x4103;
    }
    EQ(refused, 1);
    manual_down(&h, 1, "ACL");
}

TEST(model_deletes_queues_in_order_and_aborts_what_was_in_flight)
{
    struct manual h;
    const uint32_t sqe[16] = { 2 | 77 << 16, 1 };

    ready(&h);
    manual_create_queues(&h);
    h.m->set.read_ns = MODEL_NVME_NEVER;
    manual_put(&h, 1, sqe);
    manual_ring(&h, 1);
    EQ(manual_admin(&h, 0x00, 0, 0, 1, 0), 0);
    CHECK(manual_take(&h, 1));
    EQ(h.cqe[3] & 0xffff, 77);
    EQ(h.cqe[3] >> 17, 0x08);
    EQ(manual_admin(&h, 0x04, 0, 0, 1, 0), 0);
    manual_down(&h, 0, NULL);
}

TEST(model_keeps_a_health_log)
{
    struct manual h;

    ready(&h);
    manual_create_queues(&h);
    model_nvme_add_bad_lba(h.m, 1, 9, 0, 0);
    EQ(manual_read(&h, 0, 8, h.data.bus, 0), 0);
    EQ(manual_read(&h, 8, 8, h.data.bus, 0), 0x281);
    EQ(manual_admin(&h, 0x02, 0xffffffff, h.data.bus, 2 | 0x8000 | 127 << 16, 0), 0);
    EQ(get(&h, 1, 2), 313);
    EQ(get(&h, 32, 8), 1);
    EQ(get(&h, 64, 8), 2);
    EQ(get(&h, 112, 8), 17);
    EQ(get(&h, 144, 8), 5);
    EQ(get(&h, 160, 8), 1);
    EQ(get(&h, 176, 8), 1);
    EQ(manual_admin(&h, 0x02, 0xffffffff, h.data.bus, 1 | 0x8000 | 127 << 16, 0), 0);
    EQ(get(&h, 0, 8), 1);
    EQ(get(&h, 8, 2), 1);
    EQ(get(&h, 12, 2), 0x281 << 1);
    EQ(get(&h, 16, 8), 8);
    EQ(manual_admin(&h, 0x02, 0xffffffff, h.data.bus, 3 | 127 << 16, 0), 0);
    CHECK(!memcmp((char *)h.data.cpu + 8, "1.0     ", 8));
    EQ(manual_admin(&h, 0x02, 0xffffffff, h.data.bus, 7 | 127 << 16, 0), 0x4109);
    manual_down(&h, 0, NULL);
}

TEST(model_sees_a_log_read_that_clears_events)
{
    struct manual h;

    ready(&h);
    EQ(manual_admin(&h, 0x02, 0xffffffff, h.data.bus, 2 | 127 << 16, 0), 0);
    manual_down(&h, 1, "RAE");
}

TEST(model_aborts_what_is_in_flight_or_says_that_it_did_not)
{
    struct manual h;
    uint32_t sqe[16] = { 2 | 77 << 16, 1 };

    ready(&h);
    manual_create_queues(&h);
    h.m->set.read_ns = MODEL_NVME_NEVER;
    manual_put(&h, 1, sqe);
    manual_ring(&h, 1);
    EQ(manual_admin(&h, 0x08, 0, 0, 1 | 78 << 16, 0), 0);
    EQ(h.cqe[0], 1);
    h.m->set.abort_ignored = true;
    EQ(manual_admin(&h, 0x08, 0, 0, 1 | 77 << 16, 0), 0);
    EQ(h.cqe[0], 1);
    h.m->set.abort_ignored = false;
    EQ(manual_admin(&h, 0x08, 0, 0, 1 | 77 << 16, 0), 0);
    EQ(h.cqe[0], 0);
    CHECK(manual_take(&h, 1));
    EQ(h.cqe[3] >> 17, 0x07);
    EQ(h.m->seen.aborts, 3);
    EQ(h.m->seen.aborted, 1);
    manual_down(&h, 0, NULL);
}

TEST(model_keeps_event_requests_for_ever)
{
    struct manual h;
    const uint32_t sqe[16] = { 0x0c | 500 << 16 };

    ready(&h);
    manual_put(&h, 0, sqe);
    manual_ring(&h, 0);
    CHECK(!manual_take(&h, 0));
    EQ(manual_admin(&h, 0x06, 0, h.data.bus, 1, 0), 0);
    manual_down(&h, 0, NULL);
}

/* ---- doorbells ---- */
TEST(model_sees_wrong_doorbells)
{
    static const struct {
        uint32_t off, v;
        const char *part;
    } rows[] = {
        { 0x1000, 8, "out of range" },           { 0x1000, 0x10000, "out of range" },
        { 0x1000, 3, "without a new entry" },    { 0x1004, 3, "without a completion taken" },
        { 0x1004, 4, "beyond what was posted" }, { 0x1010, 1, "does not exist" },
        { 0x1014, 1, "does not exist" },         { 0x1ffc, 1, "does not exist" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;

        ready(&h);
        manual_create_queues(&h);
        manual_write32(&h, rows[i].off, rows[i].v);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_sees_a_doorbell_before_ready_and_after_shutdown)
{
    struct manual h;

    manual_up(&h);
    manual_start(&h);
    manual_enable(&h);
    manual_write32(&h, 0x1000, 1);
    manual_down(&h, 1, "not ready");
    ready(&h);
    manual_write32(&h, 0x14, 0x00464001);
    CHECK(manual_wait_csts(&h, 0xc, 8));
    manual_write32(&h, 0x1000, 1);
    manual_down(&h, 1, "not ready");
}

TEST(model_sees_a_doorbell_without_publishing)
{
    struct manual h;
    const uint32_t sqe[16] = { 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 };

    ready(&h);
    manual_put(&h, 0, sqe);
    plat_write32(&h.bar, 0x1000, h.tail[0]);
    manual_down(&h, 1, "without publishing");
}

TEST(model_with_wide_doorbells_works_the_same)
{
    struct manual h;

    manual_up(&h);
    h.m->set.dstrd = 4;
    manual_start(&h);
    manual_enable(&h);
    CHECK(manual_wait_csts(&h, 1, 1));
    manual_create_queues(&h);
    EQ(manual_read(&h, 0, 1, h.data.bus, 0), 0);
    manual_write32(&h, 0x1004, 0);
    manual_down(&h, 1, "does not exist");
}

TEST(model_sees_a_submission_queue_that_was_overrun)
{
    struct manual h;
    uint32_t sqe[16] = { 2, 1 };

    ready(&h);
    manual_create_queues(&h);
    h.m->set.read_ns = MODEL_NVME_NEVER;
    for (unsigned i = 0; i < 7; i++) {
        sqe[0] = 2 | (100 + i) << 16;
        manual_put(&h, 1, sqe);
    }
    manual_ring(&h, 1);
    EQ(model_violations, 0);
    sqe[0] = 2 | 107 << 16;
    manual_put(&h, 1, sqe);
    manual_ring(&h, 1);
    manual_down(&h, 1, "submission queue overrun");
}

TEST(model_sees_completions_that_nobody_takes_and_goes_on_when_there_is_room)
{
    struct manual h;
    uint32_t sqe[16] = { 2, 1, 0, 0, 0, 0, 0, 0 };

    ready(&h);
    manual_create_queues(&h);
    sqe[6] = (uint32_t)h.data.bus;
    sqe[7] = (uint32_t)(h.data.bus >> 32);
    for (unsigned i = 0; i < 7; i++) {
        sqe[0] = 2 | (100 + i) << 16;
        manual_put(&h, 1, sqe);
    }
    manual_ring(&h, 1);
    model_advance_ns(1000000000);
    EQ(h.m->seen.in_flight_now, 0);
    EQ(model_violations, 0);
    sqe[0] = 2 | 107 << 16;
    manual_put(&h, 1, sqe);
    h.m->sq[1].told_head = 7;
    manual_ring(&h, 1);
    model_advance_ns(1000000000);
    EQ(h.m->seen.in_flight_now, 1);
    for (unsigned i = 0; i < 8; i++) {
        CHECK(manual_take(&h, 1));
        EQ(h.cqe[3] & 0xffff, 100 + i);
    }
    manual_down(&h, 1, "completion queue overrun");
}

TEST(model_sees_a_command_id_used_twice)
{
    struct manual h;
    const uint32_t sqe[16] = { 2 | 77 << 16, 1 };

    ready(&h);
    manual_create_queues(&h);
    h.m->set.read_ns = MODEL_NVME_NEVER;
    manual_put(&h, 1, sqe);
    EQ(manual_run(&h, 1, sqe), 0x4003);
    manual_down(&h, 1, "already in flight");
}

TEST(model_sees_fused_and_sgl_commands)
{
    for (unsigned bit = 8; bit < 16; bit++) {
        struct manual h;
        const uint32_t sqe[16] = { 0x0a | 1u << bit, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 };

        ready(&h);
        EQ(manual_run(&h, 0, sqe), 0x4002);
        manual_down(&h, 1, "reserved fields");
    }
}
