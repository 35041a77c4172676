#include <string.h>
#include "model_manual.h"
#include "test.h"

/* Reads by hand: PRPs, ranges, formats, errors, and every lie. */

static void ready(struct manual *h)
{
    manual_up(h);
    h->m->set.mdts = 0;
    manual_start(h);
    manual_enable(h);
    CHECK(manual_wait_csts(h, 1, 1));
    manual_create_queues(h);
}

static uint64_t page_bus(const struct manual *h, unsigned page) { return h->data.bus + 4096ull * page; }

/* Whether `blocks` of 512 from lba stand at cpu. */
static bool holds(const uint8_t *cpu, uint64_t lba, unsigned blocks)
{
    uint8_t want[512];

    for (unsigned i = 0; i < blocks; i++) {
        model_nvme_pattern(1, lba + i, want, 512);
        if (memcmp(cpu + 512 * i, want, 512))
            return false;
    }
    return true;
}

TEST(model_reads_an_image_where_it_has_one_and_its_own_content_behind_it)
{
    static uint8_t image[2 * 512];
    uint8_t written[512];
    struct manual h;
    const uint8_t *cpu;

    for (unsigned i = 0; i < sizeof image; i++)
        image[i] = (uint8_t)(i * 7 + 1);
    memset(written, 0xee, sizeof written);
    ready(&h);
    cpu = h.data.cpu;
    medium_set_image(&h.m->medium, 1, image, 2, 512);
    medium_set_image(&h.m->medium, 2, written, 1, 512);
    EQ(manual_read(&h, 0, 3, page_bus(&h, 0), 0), 0);
    CHECK(!memcmp(cpu, image, sizeof image));
    CHECK(holds(cpu + 1024, 2, 1));
    /* What is written lies over it; a power cut brings the image back. */
    h.m->medium.volatile_cache = true;
    CHECK(!medium_write(&h.m->medium, 1, 1, 512, written));
    EQ(manual_read(&h, 1, 1, page_bus(&h, 0), 0), 0);
    CHECK(!memcmp(cpu, written, 512));
    medium_power_cut(&h.m->medium);
    CHECK(!memcmp(medium_read(&h.m->medium, 1, 1), image + 512, 512));
    /* A block that is half written has the image's other half. */
    medium_add_fault(&h.m->medium, MEDIUM_TORN, 1, 0, 1, 0, 16);
    CHECK(!medium_write(&h.m->medium, 1, 0, 512, written));
    CHECK(!memcmp(medium_read(&h.m->medium, 1, 0), written, 16));
    CHECK(!memcmp(medium_read(&h.m->medium, 1, 0) + 16, image + 16, 496));
    manual_down(&h, 0, NULL);
}

TEST(model_keeps_what_lies_beyond_a_counterfeits_blocks_on_those_that_exist)
{
    uint8_t first[512], second[512];
    struct manual h;

    memset(first, 0x11, sizeof first);
    memset(second, 0x22, sizeof second);
    ready(&h);
    h.m->medium.wraps_blocks = 100;
    h.m->medium.wraps_unit = 1;
    CHECK(!medium_write(&h.m->medium, 1, 99, 512, first));
    CHECK(!medium_read(&h.m->medium, 1, 0));
    CHECK(!memcmp(medium_read(&h.m->medium, 1, 199), first, 512));
    CHECK(!medium_write(&h.m->medium, 1, 299, 512, second));
    CHECK(!memcmp(medium_read(&h.m->medium, 1, 99), second, 512));
    CHECK(!medium_write(&h.m->medium, 1, 100, 512, second));
    CHECK(!memcmp(medium_read(&h.m->medium, 1, 0), second, 512));
    CHECK(!medium_read(&h.m->medium, 2, 99)); /* another unit is whole */
    manual_down(&h, 0, NULL);
}

TEST(model_reads_one_page_with_one_pointer)
{
    struct manual h;
    const uint8_t *cpu;

    ready(&h);
    cpu = h.data.cpu;
    EQ(manual_read(&h, 5, 8, page_bus(&h, 3), 0), 0);
    CHECK(holds(cpu + 3 * 4096, 5, 8));
    EQ(cpu[3 * 4096 - 1], 0);
    EQ(cpu[4 * 4096], 0);
    EQ(manual_read(&h, 0, 1, h.data.bus + 4092 - 508, 0), 0);
    CHECK(holds(cpu + 3584, 0, 1));
    EQ(h.m->seen.blocks_read, 9);
    manual_down(&h, 0, NULL);
}

TEST(model_reads_two_pages_with_two_pointers_and_an_offset)
{
    struct manual h;
    const uint8_t *cpu;

    ready(&h);
    cpu = h.data.cpu;
    EQ(manual_read(&h, 100, 8, page_bus(&h, 2) + 2048, page_bus(&h, 9)), 0);
    CHECK(holds(cpu + 2 * 4096 + 2048, 100, 4));
    CHECK(holds(cpu + 9 * 4096, 104, 4));
    EQ(manual_read(&h, 100, 1, page_bus(&h, 2) + 4092, page_bus(&h, 4)), 0);
    manual_down(&h, 0, NULL);
}

TEST(model_reads_many_pages_through_chained_lists)
{
    struct manual h;
    uint64_t *list;

    ready(&h);
    list = h.list.cpu;
    /* Two entries before the first list page ends: one page, then a link; the second list holds the rest. */
    list[510] = page_bus(&h, 7);
    list[511] = h.list.bus + 4096 + 8;
    for (unsigned i = 0; i < 4; i++)
        list[513 + i] = page_bus(&h, 12 - i);
    EQ(manual_read(&h, 1000, 48, page_bus(&h, 0), h.list.bus + 510 * 8), 0);
    CHECK(holds(h.data.cpu, 1000, 8));
    CHECK(holds((uint8_t *)h.data.cpu + 7 * 4096, 1008, 8));
    for (unsigned i = 0; i < 4; i++)
        CHECK(holds((uint8_t *)h.data.cpu + (12 - i) * 4096, 1016 + 8 * i, 8));
    manual_down(&h, 0, NULL);
}

TEST(model_takes_the_last_slot_of_a_list_page_as_data_when_nothing_follows)
{
    struct manual h;
    uint64_t *list;

    ready(&h);
    list = h.list.cpu;
    list[510] = page_bus(&h, 1);
    list[511] = page_bus(&h, 2);
    EQ(manual_read(&h, 0, 24, page_bus(&h, 0), h.list.bus + 510 * 8), 0);
    CHECK(holds(h.data.cpu, 0, 24));
    manual_down(&h, 0, NULL);
}

TEST(model_refuses_wrong_pointers)
{
    static const struct {
        uint32_t blocks, prp1, prp2, entry;
        const char *part;
    } rows[] = {
        { 8, 2, 0, 0, "PRP1 is misaligned" },         { 8, 0, 4096, 0, "PRP1 covers" },
        { 16, 0, 4096 + 8, 0, "PRP2 is not page" },   { 24, 0, 4, 0, "list pointer" },
        { 24, 0, 0, 4, "entry is not page aligned" }, { 24, 0, 0, 2048, "entry is not page aligned" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;
        uint64_t *list, prp2;

        ready(&h);
        list = h.list.cpu;
        list[0] = page_bus(&h, 1) + rows[i].entry;
        list[1] = page_bus(&h, 2);
        prp2 = rows[i].blocks == 24 ? h.list.bus + rows[i].prp2
               : rows[i].prp2       ? h.data.bus + rows[i].prp2
                                    : 0;
        EQ(manual_read(&h, 0, rows[i].blocks, h.data.bus + rows[i].prp1, prp2), i == 1 ? 0 : 0x4013);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_refuses_a_misaligned_link_to_the_next_list)
{
    struct manual h;
    uint64_t *list;

    ready(&h);
    list = h.list.cpu;
    list[511] = h.list.bus + 4096 + 4;
    EQ(manual_read(&h, 0, 24, page_bus(&h, 0), h.list.bus + 511 * 8), 0x4013);
    manual_down(&h, 1, "chain pointer");
}

TEST(model_reports_memory_that_nobody_owns)
{
    struct manual h;

    ready(&h);
    EQ(manual_read(&h, 0, 8, 0x7000, 0), 0x0004);
    manual_down(&h, 1, "where the driver has no memory");
}

TEST(model_checks_ranges_to_the_last_block)
{
    struct manual h;
    uint64_t last;

    ready(&h);
    last = h.m->ns[0].nsze - 1;
    EQ(manual_read(&h, last, 1, h.data.bus, 0), 0);
    EQ(manual_read(&h, last, 2, h.data.bus, 0), 0x4080);
    EQ(manual_read(&h, last + 1, 1, h.data.bus, 0), 0x4080);
    EQ(manual_read(&h, UINT64_MAX, 8, h.data.bus, 0), 0x4080);
    manual_down(&h, 3, "beyond the end");
}

TEST(model_checks_the_largest_transfer)
{
    struct manual h;
    uint64_t *list;

    ready(&h);
    h.m->set.mdts = 2;
    list = h.list.cpu;
    for (unsigned i = 0; i < 8; i++)
        list[i] = page_bus(&h, i + 1);
    EQ(manual_read(&h, 0, 32, h.data.bus, h.list.bus), 0);
    EQ(manual_read(&h, 0, 33, h.data.bus, h.list.bus), 0x4002);
    manual_down(&h, 1, "above MDTS");
}

TEST(model_interleaves_or_separates_metadata)
{
    struct manual h;
    static uint8_t want[520];
    uint32_t sqe[16] = { 2 | 9 << 16, 1 };

    ready(&h);
    h.m->ns[0].metadata_bytes = 8;
    h.m->ns[0].metadata_at_end = true;
    EQ(manual_read(&h, 3, 2, h.data.bus, 0), 0);
    model_nvme_pattern(1, 4, want, 520);
    CHECK(!memcmp((uint8_t *)h.data.cpu + 520, want, 520));
    h.m->ns[0].metadata_at_end = false;
    sqe[4] = (uint32_t)h.list.bus;
    sqe[5] = (uint32_t)(h.list.bus >> 32);
    sqe[6] = (uint32_t)h.data.bus;
    sqe[7] = (uint32_t)(h.data.bus >> 32);
    sqe[10] = 3;
    sqe[12] = 1;
    EQ(manual_run(&h, 1, sqe), 0);
    CHECK(holds(h.data.cpu, 3, 2));
    CHECK(!memcmp((uint8_t *)h.list.cpu + 8, want + 512, 8));
    sqe[4] = sqe[5] = 0;
    EQ(manual_run(&h, 1, sqe), 0x0004);
    manual_down(&h, 1, "MPTR");
}

TEST(model_content_differs_by_block_and_namespace_and_never_repeats_inside)
{
    static uint64_t a[64], b[64], c[64];

    model_nvme_pattern(1, 7, a, 512);
    model_nvme_pattern(1, 8, b, 512);
    model_nvme_pattern(2, 7, c, 512);
    for (unsigned i = 0; i < 64; i++) {
        CHECK(a[i] != b[i] && a[i] != c[i]);
        for (unsigned k = 0; k < i; k++)
            CHECK(a[i] != a[k]);
    }
}

TEST(model_fails_bad_blocks_until_they_heal)
{
    struct manual h;

    ready(&h);
    model_nvme_add_bad_lba(h.m, 1, 15, 0x4281 | 2 << 11, 2);
    EQ(manual_read(&h, 8, 7, h.data.bus, 0), 0);
    EQ(manual_read(&h, 16, 8, h.data.bus, 0), 0);
    EQ(manual_read(&h, 8, 8, h.data.bus, 0), 0x5281);
    EQ(manual_read(&h, 15, 1, h.data.bus, 0), 0x5281);
    EQ(manual_read(&h, 15, 1, h.data.bus, 0), 0);
    manual_down(&h, 0, NULL);
}

TEST(model_counts_writes_and_cries_out)
{
    static const uint8_t opcodes[] = { 1, 4, 8, 9 };

    for (unsigned i = 0; i < sizeof opcodes; i++) {
        struct manual h;

        ready(&h);
        const uint32_t sqe[16] = { opcodes[i], 1, [6] = (uint32_t)h.data.bus, (uint32_t)(h.data.bus >> 32) };
        EQ(manual_run(&h, 1, sqe), 0);
        EQ(h.m->seen.media_changes, 1);
        h.m->set.allow_writes = true;
        EQ(manual_run(&h, 1, sqe), 0);
        EQ(h.m->seen.media_changes, 2);
        manual_down(&h, 1, opcodes[i] == 1 ? "does not permit" : "changes the media");
    }
}

TEST(model_sees_wrong_io_commands)
{
    static const struct {
        uint32_t opcode, nsid;
        uint16_t status;
        const char *part;
    } rows[] = {
        { 2, 0, 0x400b, "not active" },          { 2, 2, 0x400b, "not active" },
        { 2, 0xffffffff, 0x400b, "not active" }, { 5, 1, 0x4001, "does not know" },
        { 0xff, 1, 0x4001, "does not know" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;
        const uint32_t sqe[16] = { rows[i].opcode, rows[i].nsid };

        ready(&h);
        EQ(manual_run(&h, 1, sqe), rows[i].status);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_sees_reserved_fields_of_a_read)
{
    static const struct {
        unsigned word;
        uint32_t v;
        const char *part;
    } rows[] = {
        { 12, 1 << 16, "reserved" }, { 12, 1 << 25, "reserved" },  { 13, 1, "reserved" },
        { 14, 1, "reserved" },       { 15, 1u << 31, "reserved" }, { 12, 1 << 29, "PRINFO" },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;
        uint32_t sqe[16] = { 2, 1 };

        ready(&h);
        sqe[6] = (uint32_t)h.data.bus;
        sqe[7] = (uint32_t)(h.data.bus >> 32);
        sqe[rows[i].word] = rows[i].v;
        EQ(manual_run(&h, 1, sqe), 0);
        manual_down(&h, 1, rows[i].part);
    }
}

TEST(model_completes_out_of_order_when_it_jitters)
{
    struct manual h;
    uint32_t sqe[16] = { 2, 1 };
    unsigned moved = 0, sum = 0;

    ready(&h);
    h.m->set.jitter_ns = 1000000;
    sqe[6] = (uint32_t)h.data.bus;
    sqe[7] = (uint32_t)(h.data.bus >> 32);
    for (unsigned i = 0; i < 7; i++) {
        sqe[0] = 2 | (100 + i) << 16;
        manual_put(&h, 1, sqe);
    }
    manual_ring(&h, 1);
    for (unsigned i = 0; i < 7; i++) {
        CHECK(manual_take(&h, 1));
        moved += (h.cqe[3] & 0xffff) != 100 + i;
        sum += h.cqe[3] & 0xffff;
    }
    CHECK(moved);
    EQ(sum, 7 * 100 + 21);
    manual_down(&h, 0, NULL);
}

TEST(model_read_still_lands_while_the_controller_is_being_stopped)
{
    struct manual h;
    uint32_t sqe[16] = { 2, 1 };

    ready(&h);
    h.m->set.read_ns = MODEL_NVME_NEVER;
    sqe[6] = (uint32_t)h.data.bus;
    sqe[7] = (uint32_t)(h.data.bus >> 32);
    sqe[10] = 4;
    manual_put(&h, 1, sqe);
    manual_ring(&h, 1);
    manual_write32(&h, 0x14, 0x00460000);
    CHECK(!holds(h.data.cpu, 4, 1));
    CHECK(manual_wait_csts(&h, 1, 0));
    CHECK(holds(h.data.cpu, 4, 1));
    EQ(h.m->seen.dropped, 1);
    manual_down(&h, 0, NULL);
}

/* ---- lies ---- */
static void lie(struct manual *h, enum model_nvme_lie_kind kind, uint64_t arg)
{
    ready(h);
    model_nvme_add_lie(
        h->m, (struct model_nvme_lie){ .kind = kind, .opcode = 2, .skip = 1, .times = 1, .arg = arg });
    EQ(manual_read(h, 0, 1, h->data.bus, 0), 0);
    memset(h->data.cpu, 0, h->data.len_bytes);
}

TEST(model_loses_a_completion_once)
{
    struct manual h;

    lie(&h, MODEL_NVME_LOSE, 0);
    EQ(manual_read(&h, 7, 1, h.data.bus, 0), 0xffff);
    CHECK(holds(h.data.cpu, 7, 1));
    EQ(h.m->seen.in_flight_now, 0);
    EQ(manual_read(&h, 7, 1, h.data.bus, 0), 0);
    manual_down(&h, 0, NULL);
}

TEST(model_sticks_until_it_is_aborted)
{
    struct manual h;
    uint32_t cid;

    lie(&h, MODEL_NVME_STICK, 0);
    cid = h.cid;
    EQ(manual_read(&h, 7, 1, h.data.bus, 0), 0xffff);
    EQ(manual_admin(&h, 0x08, 0, 0, 1 | cid << 16, 0), 0);
    EQ(h.cqe[0], 0);
    CHECK(manual_take(&h, 1));
    EQ(h.cqe[3] >> 17, 7);
    manual_down(&h, 0, NULL);
}

TEST(model_lies_in_each_field_of_a_completion)
{
    static const struct {
        enum model_nvme_lie_kind kind;
        uint64_t arg;
        unsigned word;
        uint32_t mask, want;
    } rows[] = {
        { MODEL_NVME_BOGUS_CID, 0xabcd, 3, 0xffff, 0xabcd },
        { MODEL_NVME_WRONG_SQID, 0xffff, 2, 0xffff0000, 0xffff0000 },
        { MODEL_NVME_WRONG_SQHD, 0x8001, 2, 0xffff, 0x8001 },
        { MODEL_NVME_RESULT, 0x80000001, 0, 0xffffffff, 0x80000001 },
        { MODEL_NVME_STATUS, 0x7fff, 3, 0xfffe0000, 0xfffe0000 },
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct manual h;

        lie(&h, rows[i].kind, rows[i].arg);
        manual_read(&h, 0, 1, h.data.bus, 0);
        EQ(h.cqe[rows[i].word] & rows[i].mask, rows[i].want);
        manual_down(&h, 0, NULL);
    }
}

TEST(model_posts_twice_or_floods)
{
    struct manual h;

    lie(&h, MODEL_NVME_DUPLICATE, 0);
    EQ(manual_read(&h, 0, 1, h.data.bus, 0), 0);
    CHECK(manual_take(&h, 1));
    CHECK(!manual_take(&h, 1));
    manual_down(&h, 0, NULL);
    lie(&h, MODEL_NVME_FLOOD, 4);
    EQ(manual_read(&h, 0, 1, h.data.bus, 0), 0);
    for (unsigned i = 0; i < 4; i++)
        CHECK(manual_take(&h, 1));
    CHECK(!manual_take(&h, 1));
    manual_down(&h, 0, NULL);
}

TEST(model_tears_a_completion_apart)
{
    struct manual h;
    const uint32_t *cqe;

    lie(&h, MODEL_NVME_TORN, 50000000);
    cqe = (const uint32_t *)h.cq[1].cpu + 4;
    EQ(manual_read(&h, 0, 1, h.data.bus, 0), 0);
    EQ(cqe[2], 0);
    model_advance_ns(60000000);
    EQ(cqe[2], 2 | 1 << 16);
    manual_down(&h, 0, NULL);
}

TEST(model_completes_without_data_or_with_that_of_another_block)
{
    struct manual h;

    lie(&h, MODEL_NVME_NO_DATA, 0);
    EQ(manual_read(&h, 7, 1, h.data.bus, 0), 0);
    EQ(*(uint64_t *)h.data.cpu, 0);
    manual_down(&h, 0, NULL);
    lie(&h, MODEL_NVME_WRONG_DATA, 1);
    EQ(manual_read(&h, 7, 1, h.data.bus, 0), 0);
    CHECK(holds(h.data.cpu, 8, 1));
    manual_down(&h, 0, NULL);
}

TEST(model_delays_dies_or_vanishes_on_a_command)
{
    struct manual h;
    uint64_t from_ns;

    lie(&h, MODEL_NVME_DELAY, 5000000000);
    from_ns = model_clock_ns;
    EQ(manual_read(&h, 7, 1, h.data.bus, 0), 0);
    CHECK(model_clock_ns - from_ns >= 5000000000);
    manual_down(&h, 0, NULL);
    lie(&h, MODEL_NVME_FATAL, 0);
    EQ(manual_read(&h, 7, 1, h.data.bus, 0), 0xffff);
    EQ(manual_read32(&h, 0x1c), 3);
    manual_down(&h, 0, NULL);
    lie(&h, MODEL_NVME_VANISH, 0);
    EQ(manual_read(&h, 7, 1, h.data.bus, 0), 0xffff);
    EQ(manual_read32(&h, 0x1c), 0xffffffff);
    manual_down(&h, 0, NULL);
}
