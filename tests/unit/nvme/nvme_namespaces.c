#include <stdio.h>
#include <string.h>
#include "rig.h"

/* Which disks a controller yields, and in what words it refuses the others. */

TEST(a_disk_says_what_it_is)
{
    rig_plug();
    rig.m->ns[0].nsze = 1953525168;
    memcpy(rig.m->ns[0].eui64, "\x00\x25\x38\x01\x02\x03\x04\xff", 8);
    memset(rig.m->ns[0].nguid, 0, 16);
    rig_up();
    struct disk *d = rig_disk(0);
    EQ_STR(d->name, "nvme0n1");
    EQ_STR(d->model, "Baresweep model NVMe");
    EQ_STR(d->serial, "MODEL-0001");
    EQ_STR(d->firmware, "1.0");
    EQ_STR(d->identity, "MODEL-0001/NSID-1/EUI-00253801020304ff");
    EQ(d->kind, DISK_NVME);
    EQ(d->rotation, ROTATION_NONE);
    EQ(d->lba_bytes, 512);
    EQ(d->physical_block_bytes, 512);
    EQ(d->lba_count, 1953525168);
    EQ(d->max_command_bytes, 128 << 10);
    EQ(d->max_depth, 1023);
    EQ(d->command_deadline_ns, 30 * NS_PER_S);
    CHECK(d->controller == rig.c);
    rig_down();
}

TEST(an_identity_prefers_the_longer_id_and_is_empty_without_a_serial)
{
    static const char *const fillers[] = { "", "0", "00000000", "FFFFFFFF", "????" };

    rig_plug();
    memset(rig.m->ns[0].eui64, 1, 8);
    memset(rig.m->ns[0].nguid, 0xab, 16);
    rig_up();
    EQ_STR(rig_disk(0)->identity, "MODEL-0001/NSID-1/NGUID-abababababababababababababababab");
    rig_down();
    rig_plug();
    memset(rig.m->ns[0].eui64, 0xff, 8);
    memset(rig.m->ns[0].nguid, 0xff, 16);
    rig_up();
    EQ_STR(rig_disk(0)->identity, "MODEL-0001/NSID-1");
    rig_down();
    for (unsigned i = 0; i < ARRAY_COUNT(fillers); i++) {
        rig_plug();
        snprintf(rig.m->set.serial, sizeof rig.m->set.serial, "%s", fillers[i]);
        rig_up();
        EQ_STR(rig_disk(0)->identity, "");
        rig_down();
    }
}

TEST(the_longest_identity_fits)
{
    rig_plug();
    memset(rig.m->set.serial, 'S', 19);
    rig.m->set.serial[19] = 'T';
    rig.m->ns[0].nsid = 0xfffffffd;
    memset(rig.m->ns[0].nguid, 0xab, 16);
    rig_up();
    EQ_STR(rig_disk(0)->identity,
           "SSSSSSSSSSSSSSSSSSST/NSID-4294967293/NGUID-abababababababababababababababab");
    EQ_STR(rig_disk(0)->name, "nvme0n4294967293");
    rig_down();
}

TEST(strings_from_the_drive_are_scrubbed)
{
    rig_plug();
    memcpy(rig.m->set.model, "evil\x1b[31m\xff\n", 12);
    memcpy(rig.m->set.serial, "  A\tB ", 7);
    rig_up();
    EQ_STR(rig.c->model, "evil?[31m??");
    EQ_STR(rig_disk(0)->serial, "A?B");
    rig_down();
}

TEST(namespaces_with_gaps_are_found_in_order)
{
    rig_plug();
    rig.m->ns[0].nsid = 7;
    model_nvme_add_ns(rig.m, 4000000000u, 4096, 4096);
    model_nvme_add_ns(rig.m, 2, 100000, 512);
    model_nvme_add_ns(rig.m, 3, 1000, 512)->inactive = true;
    rig_up();
    EQ(rig.c->disk_count, 3);
    EQ_STR(rig_disk(0)->name, "nvme0n2");
    EQ_STR(rig_disk(1)->name, "nvme0n7");
    EQ_STR(rig_disk(2)->name, "nvme0n4000000000");
    EQ(rig_disk(2)->lba_bytes, 4096);
    for (unsigned i = 0; i < 3; i++) {
        struct io_lane *l = hand_open(rig_disk(i), 2, 8192, true);
        rig_read(l, 1, 16, 8192 / rig_disk(i)->lba_bytes);
        rig_close(l);
    }
    rig_down();
}

TEST(a_controller_without_a_namespace_is_up_and_says_so)
{
    rig_plug();
    rig.m->ns[0].nsid = 0;
    rig_up();
    EQ(rig.c->disk_count, 0);
    HAS_STR(rig_first_remark(), "no namespace");
    rig_down();
}

TEST(an_administrative_controller_has_no_disks)
{
    for (uint8_t type = 2; type <= 3; type++) {
        rig_plug();
        rig.m->set.cntrltype = type;
        rig_up();
        EQ(rig.c->disk_count, 0);
        HAS_STR(rig_first_remark(), "dministrative");
        rig_down();
    }
}

TEST(an_old_controller_is_walked_by_number)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        rig_plug();
        rig.m->set.vs = kind ? 0x00010000 : 0;
        rig.m->set.cns_max = 1;
        model_nvme_add_ns(rig.m, 5, 1000, 512);
        rig_up();
        EQ(rig.c->disk_count, 2);
        EQ_STR(rig_disk(1)->name, "nvme0n5");
        EQ(rig.m->seen.errors, 0);
        rig_down();
    }
}

TEST(a_controller_that_refuses_the_list_is_walked_and_the_walk_is_bounded)
{
    rig_plug();
    rig.m->set.cns_max = 1;
    rig.m->set.nn = 0xffffffff;
    rig_up();
    EQ(rig.c->disk_count, 1);
    EQ(rig.m->seen.admin[0x06], 1 + 1 + 1024);
    HAS_STR(rig_first_remark(), "first 1024");
    rig_down();
}

static void many_ids(unsigned index, uint8_t *page)
{
    static uint8_t shape[4096];
    uint32_t *ids = (uint32_t *)page;

    if (index == 0)
        return;
    if (index == 1) {
        for (unsigned i = 0; i < 1024; i++)
            ids[i] = i + 1;
        return;
    }
    if (index == 2)
        memcpy(shape, page, 4096);
    memcpy(page, shape, 4096);
}

TEST(more_namespaces_than_can_be_listed_are_remarked)
{
    rig_plug();
    rig.m->set.nn = 5000;
    rig.edit = many_ids;
    rig_up();
    EQ(rig.c->disk_count, 256);
    EQ_STR(rig_disk(255)->name, "nvme0n256");
    HAS_STR(rig_first_remark(), "more than 256");
    rig_down();
}

static unsigned full_lists;
static void full_pages_of_nothing(unsigned index, uint8_t *page)
{
    uint32_t *ids = (uint32_t *)page;

    if (index == 0)
        return;
    if (index % 1025 == 1 && full_lists < 2) {
        for (unsigned i = 0; i < 1024; i++)
            ids[i] = 1 + 1024 * full_lists + i;
        full_lists++;
    } else {
        memset(page, 0, 4096);
    }
}

TEST(a_full_list_page_is_followed_by_the_next)
{
    rig_plug();
    rig.m->set.nn = 5000;
    rig.edit = full_pages_of_nothing;
    full_lists = 0;
    rig_up();
    EQ(full_lists, 2);
    EQ(rig.c->disk_count, 0);
    EQ(rig.m->seen.admin[0x06], 1 + 3 + 2048);
    rig_down();
}

static void list_that_turns_back(unsigned index, uint8_t *page)
{
    uint32_t *ids = (uint32_t *)page;

    if (index != 1)
        return;
    ids[0] = 1;
    ids[1] = 1;
}

static void list_with_the_broadcast_id(unsigned index, uint8_t *page)
{
    if (index == 1)
        memset(page, 0xff, 4096);
}

TEST(a_list_that_does_not_ascend_is_not_followed)
{
    rig_plug();
    rig.edit = list_that_turns_back;
    rig_up();
    EQ(rig.c->disk_count, 1);
    CHECK(rig_has_remark("out of order"));
    rig_down();

    rig_plug();
    rig.edit = list_with_the_broadcast_id;
    rig_up();
    EQ(rig.c->disk_count, 0);
    CHECK(rig_has_remark("out of order"));
    rig_down();
}

TEST(blocks_of_every_size_that_fits_are_read)
{
    for (unsigned lbads = 9; lbads <= 16; lbads++) {
        rig_plug();
        rig.m->ns[0].lba_bytes = 1u << lbads;
        rig.m->ns[0].nsze = 5000;
        rig_up();
        EQ(rig_disk(0)->lba_bytes, 1u << lbads);
        struct io_lane *l = hand_open(rig_disk(0), 3, 128 << 10, true);
        rig_read(l, 2, 4999, 1);
        rig_read(l, 0, 4998, 2);
        rig_close(l);
        rig_down();
    }
}

TEST(blocks_that_are_too_small_or_too_large_are_refused_with_words)
{
    static const uint8_t lbads[] = { 1, 8, 17, 31, 32, 63, 255 };

    for (unsigned i = 0; i < ARRAY_COUNT(lbads); i++) {
        rig_plug();
        rig.m->ns[0].lbads = lbads[i];
        rig_up();
        EQ(rig.c->disk_count, 1);
        CHECK(!rig.c->disks[0]->ops);
        HAS_STR(rig.c->disks[0]->why_not, "blocks of 2^");
        rig_down();
    }
    rig_plug(); /* 64 KiB blocks, 8 KiB commands */
    rig.m->ns[0].lba_bytes = 65536;
    rig.m->set.mdts = 1;
    rig_up();
    CHECK(!rig.c->disks[0]->ops);
    rig_down();
}

TEST(metadata_is_refused_with_words)
{
    static const struct {
        uint16_t bytes;
        uint8_t dps;
        const char *words;
    } rows[] = {
        { 8, 0, "8 bytes of metadata per block (protection type 0)" },
        { 16, 1, "16 bytes of metadata per block (protection type 1)" },
        { 64, 3, "64 bytes" },
        { 1, 2, "1 bytes" },
        { 0xffff, 0, "65535 bytes" },
    };
    struct lane_shape shape = { .depth = 1, .request_bytes = 512 };
    struct io_lane *l;

    for (unsigned i = 0; i < 2 * ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->ns[0].metadata_bytes = rows[i / 2].bytes;
        rig.m->ns[0].metadata_at_end = i & 1;
        rig.m->ns[0].dps = rows[i / 2].dps;
        model_nvme_add_ns(rig.m, 2, 100, 512);
        rig_up();
        CHECK(!rig.c->disks[0]->ops);
        HAS_STR(rig.c->disks[0]->why_not, rows[i / 2].words);
        EQ(rig_disk(1)->ops->open(rig.c->disks[0], &shape, &l), E_UNSUPPORTED);
        rig_down();
    }
}

TEST(protection_information_is_stripped_by_the_drive)
{
    for (unsigned i = 0; i < 12; i++) {
        rig_plug();
        rig.m->ns[0].lba_bytes = i & 1 ? 4096 : 512;
        rig.m->ns[0].metadata_bytes = 8;
        rig.m->ns[0].metadata_at_end = i & 2;
        rig.m->ns[0].dps = (uint8_t)(1 + i / 4);
        rig_up();
        EQ(rig_disk(0)->lba_bytes, i & 1 ? 4096 : 512);
        struct io_lane *l = hand_open(rig_disk(0), 4, 256 << 10, true);
        uint32_t blocks = (256u << 10) / rig_disk(0)->lba_bytes;
        rig_read(l, 3, 77, blocks);       /* two commands */
        rig_read(l, 2, 1000, blocks / 2); /* one */
        rig_read(l, 1, 0, 1);
        rig_close(l);
        rig_down();
    }
}

TEST(commands_end_at_the_boundary_where_the_drive_would_split_them)
{
    static const struct {
        uint16_t noiob;
        uint8_t vendor_stripe;
        uint16_t device_id;
        uint32_t boundary_bytes, command_bytes;
    } rows[] = {
        { 0, 0, 0x4e01, 0, 131072 },
        { 128, 0, 0x4e01, 65536, 65536 },
        { 8, 0, 0x4e01, 4096, 4096 },
        { 100, 0, 0x4e01, 51200, 131072 }, /* no power of two: cannot be kept to */
        { 1, 0, 0x4e01, 512, 131072 },     /* below a page */
        { 1024, 0, 0x4e01, 524288, 131072 },
        { 0xffff, 0, 0x4e01, 0x1fffe00, 131072 },
        { 0, 4, 0x4e01, 0, 131072 }, /* the byte means nothing with others */
        { 0, 4, 0x0953, 65536, 65536 },
        { 0, 5, 0x0953, 131072, 131072 },
        { 0, 0, 0x0953, 0, 131072 },
        { 0, 0xff, 0x0953, 0, 131072 },
        { 256, 4, 0x0953, 131072, 131072 }, /* the namespace's own counts */
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->set.vendor_id = rows[i].device_id == 0x0953 ? 0x8086 : 0x1d87;
        rig.m->set.device_id = rows[i].device_id;
        rig.m->set.vendor_stripe = rows[i].vendor_stripe;
        rig.m->ns[0].noiob = rows[i].noiob;
        rig_up();
        EQ(rig_disk(0)->optimal_boundary_bytes, rows[i].boundary_bytes);
        EQ(rig_disk(0)->max_command_bytes, rows[i].command_bytes);
        struct io_lane *l = hand_open(rig_disk(0), 2, 256 << 10, true);
        EQ(l->command_bytes, rows[i].command_bytes);
        rig_read(l, 1, 512, 512);
        EQ(rig.m->seen.reads, (256u << 10) / rows[i].command_bytes);
        rig_close(l);
        rig_down();
    }
}

TEST(a_namespace_is_shared_when_drive_and_namespace_say_so)
{
    for (unsigned i = 0; i < 4; i++) {
        rig_plug();
        rig.m->set.cmic = i & 1 ? 2 : 0;
        rig.m->ns[0].nmic = i >> 1;
        rig_up();
        EQ(rig_disk(0)->shared, i == 3);
        rig_down();
    }
}

TEST(namespaces_that_are_not_attached_are_listed_with_their_reason)
{
    rig_plug();
    rig.m->set.oacs = 8;
    rig.m->set.cns_max = 0x12;
    model_nvme_add_ns(rig.m, 9, 1000, 512)->inactive = true;
    model_nvme_add_ns(rig.m, 4, 1000, 512);
    model_nvme_add_ns(rig.m, 3, 1000, 512)->inactive = true;
    struct model_nvme_ns *other = model_nvme_add_ns(rig.m, 7, 1000, 512); /* another controller's */
    other->inactive = true;
    other->elsewhere = 2;
    rig_up();
    EQ(rig.c->disk_count, 4);
    EQ_STR(rig_disk(0)->name, "nvme0n1");
    EQ_STR(rig_disk(1)->name, "nvme0n4");
    EQ_STR(rig.c->disks[2]->name, "nvme0n3");
    EQ_STR(rig.c->disks[3]->name, "nvme0n9");
    for (unsigned i = 2; i < 4; i++) {
        CHECK(!rig.c->disks[i]->ops);
        HAS_STR(rig.c->disks[i]->why_not, "attached to no controller");
    }
    rig_down();
    rig_plug(); /* who does not manage namespaces is not asked */
    rig.m->set.cns_max = 0x10;
    model_nvme_add_ns(rig.m, 9, 1000, 512)->inactive = true;
    rig_up();
    EQ(rig.c->disk_count, 1);
    EQ(rig.m->error_entries, 0);
    rig_down();
    rig_plug(); /* who refuses the question costs nothing */
    rig.m->set.oacs = 8;
    rig_up();
    EQ(rig.c->disk_count, 1);
    rig_down();
}

TEST(a_size_that_cannot_exist_is_refused_and_the_largest_is_not)
{
    rig_plug();
    rig.m->ns[0].nsze = UINT64_MAX;
    rig_up();
    HAS_STR(rig.c->disks[0]->why_not, "no such size");
    rig_down();

    rig_plug();
    rig.m->ns[0].nsze = UINT64_MAX >> 9;
    rig_up();
    struct io_lane *l = hand_open(rig_disk(0), 1, 4096, false);
    rig_read(l, 0, (UINT64_MAX >> 9) - 8, 8);
    rig_close(l);
    rig_down();
}

TEST(a_namespace_of_size_0_is_no_disk)
{
    rig_plug();
    rig.m->ns[0].nsze = 0;
    model_nvme_add_ns(rig.m, 9, 1, 512);
    rig_up();
    EQ(rig.c->disk_count, 1);
    EQ(rig_disk(0)->lba_count, 1);
    struct io_lane *l = hand_open(rig_disk(0), 1, 512, false);
    rig_read(l, 0, 0, 1);
    rig_close(l);
    rig_down();
}

TEST(a_zoned_namespace_is_listed_with_its_reason)
{
    rig_plug();
    rig.m->set.css = 0x41;
    rig.m->ns[0].csi = 2;
    memset(rig.m->ns[0].eui64, 3, 8);
    memset(rig.m->ns[0].nguid, 4, 16);
    model_nvme_add_ns(rig.m, 2, 1000, 512);
    model_nvme_add_ns(rig.m, 3, 1000, 512)->csi = 0x85;
    rig_up();
    EQ(rig.c->disk_count, 3);
    CHECK(!rig.c->disks[0]->ops);
    HAS_STR(rig.c->disks[0]->why_not, "zoned namespace (command set 2)");
    EQ_STR(rig_disk(1)->name, "nvme0n2");
    HAS_STR(rig.c->disks[2]->why_not, "command set 133");
    rig_down();
}

static void descriptor_longer_than_the_page(unsigned index, uint8_t *page)
{
    if (index != 2)
        return;
    for (unsigned at = 0; at + 4 < 4096; at += 4 + 255) {
        page[at] = 1;
        page[at + 1] = 255;
    }
}

TEST(descriptors_that_run_over_their_page_are_not_followed)
{
    rig_plug();
    rig.m->set.css = 0x41;
    rig.edit = descriptor_longer_than_the_page;
    rig_up();
    EQ(rig_disk(0)->lba_bytes, 512);
    rig_down();
}

TEST(a_controller_that_does_not_know_descriptors_is_believed_to_be_nvm)
{
    rig_plug();
    rig.m->set.css = 0x41;
    rig.m->set.no_descriptors = true;
    rig_up();
    EQ(rig_disk(0)->lba_bytes, 512);
    rig_down();
}

static uint8_t nlbaf, flbas;
static void other_format(unsigned index, uint8_t *page)
{
    if (index != 2)
        return;
    page[25] = nlbaf;
    page[26] = flbas;
    for (unsigned i = 0; i < 64; i++) {
        page[128 + 4 * i] = page[129 + 4 * i] = 0;
        page[130 + 4 * i] = i == 0x2f ? 9 : 12;
    }
}

TEST(the_format_in_use_is_found_by_both_halves_of_its_index)
{
    nlbaf = 63;
    flbas = 0x40 | 0x0f; /* 2Fh */
    rig_plug();
    rig.edit = other_format;
    rig_up();
    EQ(rig_disk(0)->lba_bytes, 512);
    rig_down();

    nlbaf = 15; /* up to 16 formats: the high bits mean nothing */
    flbas = 0x40 | 0x0f;
    rig_plug();
    rig.edit = other_format;
    rig_up();
    EQ(rig_disk(0)->lba_bytes, 4096);
    rig_down();
}

TEST(a_format_that_does_not_exist_is_not_believed)
{
    static const uint8_t rows[][2] = { { 0, 1 }, { 14, 15 }, { 255, 0x6f }, { 62, 0x6f }, { 200, 0x6f } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        nlbaf = rows[i][0];
        flbas = rows[i][1];
        rig_plug();
        rig.edit = other_format;
        rig_up();
        if (nlbaf >= 63)
            EQ(rig_disk(0)->lba_bytes, 4096);
        else
            HAS_STR(rig.c->disks[0]->why_not, "not believed");
        rig_down();
    }
}

static uint16_t npwg;
static void preferred_granularity(unsigned index, uint8_t *page)
{
    if (index != 2)
        return;
    page[24] |= 0x10;
    page[64] = npwg & 0xff;
    page[65] = npwg >> 8;
}

TEST(the_preferred_write_granularity_is_the_physical_block_when_it_is_sane)
{
    static const uint32_t rows[][2] = {
        { 0, 512 }, { 7, 4096 }, { 127, 65536 }, { 128, 512 }, { 0xffff, 512 }
    };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        npwg = (uint16_t)rows[i][0];
        rig_plug();
        rig.edit = preferred_granularity;
        rig_up();
        EQ(rig_disk(0)->physical_block_bytes, rows[i][1]);
        rig_down();
    }
}

TEST(mdts_counts_in_smallest_pages_and_0_is_no_limit)
{
    static const struct {
        uint8_t mdts, mpsmin;
        uint32_t bytes;
    } rows[] = { { 0, 0, 2 << 20 },  { 1, 0, 8192 },      { 5, 0, 128 << 10 }, { 9, 0, 2 << 20 },
                 { 10, 0, 2 << 20 }, { 255, 0, 2 << 20 }, { 1, 2, 32 << 10 },  { 20, 4, 2 << 20 } };

    for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
        rig_plug();
        rig.m->set.mdts = rows[i].mdts;
        rig.m->set.mpsmin = rows[i].mpsmin;
        rig.m->set.mpsmax = 8;
        rig_up();
        EQ(rig_disk(0)->max_command_bytes, rows[i].bytes);
        rig_down();
    }
}

TEST(a_refused_identify_namespace_costs_that_namespace_only)
{
    rig_plug();
    model_nvme_add_ns(rig.m, 2, 1000, 512);
    rig_lie(MODEL_NVME_STATUS, true, 0x06, 2, 1, 0x400b);
    rig_up();
    EQ(rig.c->disk_count, 1);
    EQ_STR(rig_disk(0)->name, "nvme0n2");
    rig_down();
}

TEST(a_controller_that_does_not_grant_queues_gets_one)
{
    rig_plug();
    rig_lie(MODEL_NVME_RESULT, true, 0x09, 0, 1, 0);
    rig_up();
    struct io_lane *a = hand_open(rig_disk(0), 1, 512, false), *b = hand_open(rig_disk(0), 1, 512, false);
    EQ(rig.m->seen.admin[0x01], 1);
    rig_close(a);
    rig_close(b);
    rig_down();
}

TEST(an_answer_without_data_is_not_the_answer_before_it)
{
    rig_plug();
    model_nvme_add_ns(rig.m, 2, 1000, 512);
    rig_lie(MODEL_NVME_NO_DATA, true, 0x06, 3, 1, 0);
    rig_up();
    EQ(rig.c->disk_count, 1);
    EQ_STR(rig_disk(0)->name, "nvme0n1");
    rig_down();
}
