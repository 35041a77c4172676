#include "driver_hand.h"
#include <string.h>

static struct model_mfi_ld *with_one_ld(void)
{
    world(MODEL_MFI_2108);
    return model_mfi_add_ld(&mfi, 0, 1u << 22);
}

TEST(a_virtual_drive_is_described)
{
    struct model_mfi_ld *ld = with_one_ld();

    ld->primary_level = 5;
    ld->drives_per_span = 3;
    ld->span_depth = 2;
    ld->default_policy = ld->current_policy = 0x05;
    ld->disk_policy = 2;
    ld->medium.naa = 0x6005076012345678;
    EQ(up(), OK);
    struct disk *d = disk_named("megaraid0.vd0");
    EQ(d->kind, DISK_VIRTUAL_DRIVE);
    EQ(d->lba_bytes, 512);
    EQ(d->lba_count, 1u << 22);
    HAS_STR(d->model, "RAID 50 on ");
    EQ_STR(d->identity, "naa.6005076012345678");
    EQ_STR(d->serial, ld->medium.serial);
    EQ(d->command_deadline_ns, 180 * NS_PER_S);
    EQ_STR(d->why_not, "");
    CHECK(has_remark(
        REMARK_INFO,
        "megaraid0.vd0: RAID 50, 6 drives, strips of 65536 bytes; write back, read ahead, direct I/O, "
        "drive cache off"));
    down();
}

TEST(a_policy_that_the_firmware_overrode_is_told)
{
    struct model_mfi_ld *ld = with_one_ld();

    ld->default_policy = 0x01;
    ld->current_policy = 0x00;
    EQ(up(), OK);
    CHECK(has_remark(REMARK_INFO, "write through, no read ahead, direct I/O"));
    CHECK(has_remark(REMARK_INFO, "(configured: 0x01, in force: 0x00)"));
    down();
}

TEST(an_ok_without_data_is_not_an_answer)
{
    with_one_ld();
    model_mfi_lie(&mfi, 0x03030000, MODEL_MFI_UNTOUCHED, 0);
    EQ(up(), OK);
    CHECK(has_remark(REMARK_INFO, "cache policy not reported by this controller"));
    down();

    with_one_ld();
    model_mfi_lie(&mfi, 0x03010000, MODEL_MFI_UNTOUCHED, 0);
    EQ(up(), OK);
    CHECK(has_remark(REMARK_FAIL, "list of virtual drives: not reported by this controller"));
    EQ(card->disk_count, 0);
    down();

    with_one_ld();
    model_mfi_lie(&mfi, 0x03020000, MODEL_MFI_UNTOUCHED, 0);
    EQ(up(), OK);
    EQ_STR(disk_named("megaraid0.vd0")->model, "MegaRAID virtual drive");
    CHECK(disk_named("megaraid0.vd0")->ops != NULL);
    down();

    with_one_ld();
    model_mfi_lie(&mfi, 0x01010000, MODEL_MFI_UNTOUCHED, 0);
    EQ(up(), OK);
    CHECK(has_remark(REMARK_WARN, "controller info: not reported"));
    EQ(disk_named("megaraid0.vd0")->max_command_bytes, 131072);
    EQ_STR(card->model, "MegaRAID 2108");
    down();
}

TEST(an_answer_about_another_drive_is_not_taken)
{
    with_one_ld();
    model_mfi_lie(&mfi, 0x03020000, MODEL_MFI_BYTE, 0x05);
    EQ(up(), OK);
    EQ_STR(disk_named("megaraid0.vd0")->model, "MegaRAID virtual drive");
    down();
    with_one_ld();
    model_mfi_lie(&mfi, 0x03030000, MODEL_MFI_BYTE, 0x05);
    EQ(up(), OK);
    CHECK(has_remark(REMARK_INFO, "cache policy not reported"));
    down();
    with_one_ld();
    model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_FAILED);
    model_mfi_lie(&mfi, 0x02020000, MODEL_MFI_BYTE, 0x05);
    EQ(up(), OK);
    HAS_STR(disk_named("megaraid0.pd8")->why_not, "in an unknown state");
    down();
}

TEST(a_bare_scsi_answer_without_data_makes_no_disk)
{
    with_one_ld();
    model_mfi_lie(&mfi, 0x03, MODEL_MFI_UNTOUCHED, 0);
    EQ(up(), OK);
    struct disk *d = disk_named("megaraid0.vd0");
    CHECK(!d->ops);
    HAS_STR(d->why_not, "READ CAPACITY says what cannot be");
    down();
}

TEST(a_list_that_counts_more_than_it_can_hold_is_cut_with_a_word)
{
    static const unsigned byte_of_count[] = { 0, 1, 3 };

    for (unsigned i = 0; i < ARRAY_COUNT(byte_of_count); i++) {
        with_one_ld();
        model_mfi_lie(&mfi, 0x03010000, MODEL_MFI_BYTE, byte_of_count[i] << 8 | 0xff);
        EQ(up(), OK);
        CHECK(has_remark(REMARK_WARN, "virtual drives in a list of 64"));
        CHECK(disk_named("megaraid0.vd0")->ops != NULL);
        down();
    }
    with_one_ld();
    model_mfi_lie(&mfi, 0x03010000, MODEL_MFI_ONES, 0);
    EQ(up(), OK);
    CHECK(has_remark(REMARK_WARN, "virtual drives in a list of 64"));
    CHECK(has_remark(REMARK_WARN, "lists virtual drive 255 twice"));
    down();
}

TEST(a_list_of_physical_drives_that_lies_about_its_count_is_bounded)
{
    with_one_ld();
    model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_ONLINE);
    model_mfi_lie(&mfi, 0x02010000, MODEL_MFI_ONES, 0);
    EQ(up(), OK);
    CHECK(has_remark(REMARK_WARN, "physical drives in a list of 256"));
    CHECK(card->disk_count <= CONTROLLER_MAX_DISKS);
    down();

    with_one_ld();
    model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_ONLINE);
    model_mfi_lie(&mfi, 0x02010000, MODEL_MFI_BYTE, 5u << 8 | 0x03); /* count + 300h */
    EQ(up(), OK);
    CHECK(card->disk_count <= CONTROLLER_MAX_DISKS);
    down();
}

TEST(answers_that_are_all_ones_or_cut_harm_nothing)
{
    static const uint32_t opcodes[] = { 0x01010000, 0x01040100, 0x01040300, 0x02010000,
                                        0x02010100, 0x02020000, 0x03010000, 0x03020000,
                                        0x03030000, 0x03,       0x04 };
    static const uint64_t lengths[] = { 1, 4, 7, 12, 35, 300 };

    for (unsigned i = 0; i < ARRAY_COUNT(opcodes); i++)
        for (unsigned k = 0; k <= ARRAY_COUNT(lengths); k++) {
            with_one_ld();
            model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_SYSTEM);
            model_mfi_add_event(&mfi, 0xfc, 2, "VD is offline");
            if (k == ARRAY_COUNT(lengths))
                model_mfi_lie(&mfi, opcodes[i], MODEL_MFI_ONES, 0);
            else
                model_mfi_lie(&mfi, opcodes[i], MODEL_MFI_SHORT, lengths[k]);
            EQ(up(), OK);
            down();
        }
}

TEST(refused_lists_are_remarks_with_the_firmwares_reason)
{
    with_one_ld();
    model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_ONLINE);
    model_mfi_lie(&mfi, 0x02010000, MODEL_MFI_STATUS, 0x21);
    EQ(up(), OK);
    CHECK(has_remark(REMARK_WARN, "list of physical drives: controller hardware error"));
    CHECK(disk_named("megaraid0.vd0")->ops != NULL);
    down();
    with_one_ld();
    model_mfi_lie(&mfi, 0x03010000, MODEL_MFI_STATUS, 0x02);
    EQ(up(), OK);
    CHECK(has_remark(REMARK_FAIL, "list of virtual drives: not reported by this controller"));
    down();
}

TEST(an_offline_drive_is_listed_with_its_reason_and_a_degraded_one_is_read)
{
    with_one_ld()->state = MODEL_MFI_LD_OFFLINE;
    model_mfi_add_ld(&mfi, 1, 1u << 20)->state = MODEL_MFI_LD_DEGRADED;
    model_mfi_add_ld(&mfi, 2, 1u << 20)->state = MODEL_MFI_LD_PARTIAL;
    EQ(up(), OK);
    EQ(card->disk_count, 3);
    CHECK(!disk_named("megaraid0.vd0")->ops);
    HAS_STR(disk_named("megaraid0.vd0")->why_not, "virtual drive is offline");
    CHECK(disk_named("megaraid0.vd1")->ops != NULL);
    CHECK(has_remark(REMARK_FAIL, "megaraid0.vd0 is offline"));
    CHECK(has_remark(REMARK_WARN, "megaraid0.vd1 is degraded"));
    CHECK(has_remark(REMARK_WARN, "megaraid0.vd2 is partially degraded"));
    down();
}

TEST(eight_and_sixty_four_virtual_drives_are_all_there)
{
    static const unsigned counts[] = { 8, 64 };

    for (unsigned i = 0; i < ARRAY_COUNT(counts); i++) {
        world(MODEL_MFI_1078);
        for (unsigned k = 0; k < counts[i]; k++)
            model_mfi_add_ld(&mfi, (uint8_t)(63 - k), 1u << 20);
        EQ(up(), OK);
        EQ(card->disk_count, counts[i]);
        CHECK(disk_named("megaraid0.vd63")->ops != NULL);
        down();
    }
}

TEST(size_and_blocks_come_from_the_drive_itself)
{
    struct model_mfi_ld *ld = with_one_ld();

    ld->medium.block_bytes = 4096;
    ld->medium.blocks = 3000000000000ull;
    EQ(up(), OK);
    EQ(disk_named("megaraid0.vd0")->lba_bytes, 4096);
    EQ(disk_named("megaraid0.vd0")->lba_count, 3000000000000ull);
    down();

    ld = with_one_ld();
    ld->medium.physical_exponent = 3;
    ld->medium.no_capacity_16 = true;
    ld->medium.blocks = 0xffffffff; /* the most that READ CAPACITY(10) can say */
    EQ(up(), OK);
    EQ(disk_named("megaraid0.vd0")->lba_count, 0xffffffff);
    EQ(disk_named("megaraid0.vd0")->physical_block_bytes, 512);
    down();
}

TEST(a_reset_attention_is_not_taken_for_an_error)
{
    with_one_ld()->medium.unit_attentions = 3;
    EQ(up(), OK);
    CHECK(disk_named("megaraid0.vd0")->ops != NULL);
    down();
}

TEST(impossible_sizes_make_no_disk)
{
    static const uint32_t block_bytes[] = { 0, 1, 511, 520, 131072 };

    for (unsigned i = 0; i < ARRAY_COUNT(block_bytes); i++) {
        with_one_ld()->medium.block_bytes = block_bytes[i];
        EQ(up(), OK);
        CHECK(!disk_named("megaraid0.vd0")->ops);
        CHECK(disk_named("megaraid0.vd0")->why_not[0]);
        down();
    }
    with_one_ld()->medium.blocks = UINT64_MAX;
    EQ(up(), OK);
    CHECK(!disk_named("megaraid0.vd0")->ops);
    down();
}

TEST(a_drive_without_designator_has_no_identity)
{
    with_one_ld()->medium.naa = 0;
    EQ(up(), OK);
    EQ_STR(disk_named("megaraid0.vd0")->identity, "");
    down();
}

TEST(what_runs_in_the_background_is_told)
{
    struct model_mfi_ld *ld = with_one_ld();

    ld->active = 1u << 1;
    ld->progress[1] = 0x8000;
    EQ(up(), OK);
    CHECK(has_remark(REMARK_WARN, "background initialisation is running (50 %)"));
    down();
}

TEST(a_card_without_virtual_drives_says_what_is_on_it_and_what_to_do)
{
    world(MODEL_MFI_2108);
    model_mfi_add_pd(&mfi, 8, 0, MODEL_MFI_PD_GOOD);
    model_mfi_add_pd(&mfi, 9, 1, MODEL_MFI_PD_SPARE);
    EQ(up(), OK);
    EQ(card->disk_count, 2);
    CHECK(has_remark(REMARK_WARN, "2 physical drives, none in a virtual drive"));
    CHECK(!disk_named("megaraid0.pd8")->ops);
    HAS_STR(disk_named("megaraid0.pd8")->why_not, "unconfigured: not in use: make a virtual drive of it");
    HAS_STR(disk_named("megaraid0.pd8")->why_not, "enclosure 32 slot 0");
    HAS_STR(disk_named("megaraid0.pd9")->why_not, "hot spare");
    down();

    world(MODEL_MFI_2108);
    EQ(up(), OK);
    EQ(card->disk_count, 0);
    CHECK(has_remark(REMARK_WARN, "the card sees no drive at all"));
    down();
}

TEST(members_and_drives_in_trouble_are_listed_with_their_state)
{
    with_one_ld();
    model_mfi_add_pd(&mfi, 8, 0, MODEL_MFI_PD_ONLINE)->media_errors = 7;
    model_mfi_add_pd(&mfi, 9, 1, MODEL_MFI_PD_FAILED);
    model_mfi_add_pd(&mfi, 10, 2, MODEL_MFI_PD_BAD);
    model_mfi_add_pd(&mfi, 11, 3, MODEL_MFI_PD_REBUILD)->predictive_failures = 1;
    model_mfi_add_pd(&mfi, 12, 4, 0x77);
    model_mfi_add_pd(&mfi, 13, 5, MODEL_MFI_PD_GOOD)->foreign = true;
    model_mfi_add_pd(&mfi, 32, 6, MODEL_MFI_PD_GOOD)->scsi_type = 0x0d;
    EQ(up(), OK);
    EQ(card->disk_count, 7);
    HAS_STR(disk_named("megaraid0.pd8")->why_not, "online: member of a virtual drive");
    HAS_STR(disk_named("megaraid0.pd12")->why_not, "in an unknown state");
    HAS_STR(disk_named("megaraid0.pd13")->why_not, "foreign");
    CHECK(disk_named("megaraid0.pd8")->model[0]);
    CHECK(has_remark(REMARK_WARN, "7 media errors"));
    CHECK(has_remark(REMARK_FAIL, "failed: member of a virtual drive: replace it"));
    CHECK(has_remark(REMARK_FAIL, "unconfigured and bad"));
    CHECK(has_remark(REMARK_FAIL, "predicts its own failure"));
    down();
}

TEST(jbod_drives_are_disks)
{
    world(MODEL_MFI_2108);
    struct model_mfi_pd *pd = model_mfi_add_pd(&mfi, 12, 4, MODEL_MFI_PD_SYSTEM);
    pd->medium.rotation_rpm = 7200;
    pd->medium.naa = 0x5000c50012345678;
    EQ(up(), OK);
    struct disk *d = disk_named("megaraid0.pd12");
    CHECK(d->ops != NULL);
    EQ(d->kind, DISK_PHYSICAL_BEHIND_RAID);
    EQ(d->lba_count, pd->medium.blocks);
    EQ(d->rotation, ROTATION_YES);
    EQ_STR(d->identity, "naa.5000c50012345678");
    EQ_STR(d->serial, pd->medium.serial);
    HAS_STR(d->model, pd->medium.product);
    down();
}

TEST(old_firmware_without_the_query_shows_jbod_drives_by_their_state)
{
    world(MODEL_MFI_1078);
    model_mfi_add_pd(&mfi, 12, 4, MODEL_MFI_PD_SYSTEM);
    mfi.queries_unknown = true;
    EQ(up(), OK);
    CHECK(disk_named("megaraid0.pd12")->ops != NULL);
    down();
}

TEST(qemus_jbod_drives_are_addressed_by_their_slot)
{
    world(MODEL_MFI_2108);
    model_mfi_like_qemu(&mfi);
    model_mfi_add_pd(&mfi, 0, 0, MODEL_MFI_PD_SYSTEM);
    model_mfi_add_pd(&mfi, 1, 1, MODEL_MFI_PD_SYSTEM);
    EQ(up(), OK);
    EQ(card->disk_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        struct disk *d = disk_named(i ? "megaraid0.pd1" : "megaraid0.pd0");

        EQ_STR(d->why_not, "");
        EQ_STR(d->serial, mfi.pd[i].medium.serial);
    }
    down();
}

TEST(a_device_id_beyond_eight_bits_cannot_be_addressed)
{
    world(MODEL_MFI_2108);
    model_mfi_add_pd(&mfi, 256, 4, MODEL_MFI_PD_SYSTEM);
    model_mfi_add_pd(&mfi, 255, 5, MODEL_MFI_PD_SYSTEM);
    EQ(up(), OK);
    CHECK(!disk_named("megaraid0.pd256")->ops);
    HAS_STR(disk_named("megaraid0.pd256")->why_not, "8 bits");
    CHECK(disk_named("megaraid0.pd255")->ops != NULL);
    down();
}

TEST(drives_that_never_answer_cost_themselves_not_the_card)
{
    world(MODEL_MFI_2108);
    model_mfi_add_ld(&mfi, 0, 1u << 22);
    for (unsigned i = 0; i < 3; i++)
        model_mfi_add_pd(&mfi, (uint16_t)(8 + i), (uint8_t)i, MODEL_MFI_PD_SYSTEM);
    model_mfi_lie(&mfi, 0x04, MODEL_MFI_LOST, 0);
    EQ(up(), OK);
    EQ(card->disk_count, 4);
    HAS_STR(disk_named("megaraid0.pd9")->why_not, "does not answer INQUIRY");
    CHECK(has_remark(REMARK_FAIL, "megaraid0.pd9 does not answer INQUIRY"));
    struct io_lane *l = hand_open(disk_named("megaraid0.vd0"), 1, 4096, false);
    EQ(read_once(l, 0, 8).status, IO_OK);
    l->disk->ops->close(l);
    CHECK(model_clock_ns < 200 * NS_PER_S);
    down();
}

TEST(the_largest_command_follows_the_cards_limits)
{
    static const struct {
        uint32_t request_sectors;
        uint16_t strips;
        uint8_t sges;
        bool ieee;
        uint32_t want_bytes;
    } cases[] = {
        { 0, 0, 80, false, 131072 }, /* says nothing: the safe size */
        { 1024, 0, 80, false, 524288 },
        { 0xffffffff, 0, 80, false, 1048576 }, /* the generation's own limit */
        { 1024, 42, 80, false, 42 * 4096 },    /* 42 strips of the smallest kind, 4 KiB */
        { 16, 42, 80, false, 8192 },
        { 1024, 0, 1, false, 65536 }, /* one scatter entry of 64 KiB */
        { 1024, 0, 2, false, 131072 },
        { 1024, 0, 80, true, 131072 },
        { 1024, 0, 255, false, 524288 },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        with_one_ld();
        mfi.max_request_sectors = cases[i].request_sectors;
        mfi.max_strips_per_io = cases[i].strips;
        mfi.max_sge = cases[i].sges;
        mfi.ieee_sgl = cases[i].ieee;
        /* The smallest strip that the card can do: byte 1512 of its info. */
        model_mfi_lie(&mfi, 0x01010000, MODEL_MFI_BYTE, 1512u << 8 | 3);
        EQ(up(), OK);
        EQ(disk_named("megaraid0.vd0")->max_command_bytes, cases[i].want_bytes);
        down();
    }
}

TEST(the_event_log_since_the_card_started_is_summed_up)
{
    with_one_ld();
    model_mfi_add_event(&mfi, 0x01, 0, "all is well");
    for (unsigned i = 0; i < 20; i++)
        model_mfi_add_event(&mfi, 0x71, 1, "unexpected sense");
    model_mfi_add_event(&mfi, 0xfc, 2, "VD 00 is now OFFLINE");
    EQ(up(), OK);
    CHECK(has_remark(REMARK_WARN, "0 fatal, 1 critical, 20 warnings; \"VD 00 is now OFFLINE\""));
    down();

    with_one_ld();
    model_mfi_add_event(&mfi, 0x51, 4, "dead\x1b[31m");
    EQ(up(), OK);
    CHECK(has_remark(REMARK_FAIL, "1 fatal, 0 critical, 0 warnings; \"dead?[31m\""));
    down();
}

TEST(a_log_that_never_moves_on_is_not_read_for_ever)
{
    with_one_ld();
    model_mfi_add_event(&mfi, 0x71, 1, "unexpected sense");
    model_mfi_lie(&mfi, 0x01040300, MODEL_MFI_ONES, 0);
    EQ(up(), OK);
    CHECK(mfi.seen.dcmds < 100);
    down();
}

TEST(strings_of_the_card_are_cleaned)
{
    with_one_ld();
    memset(mfi.product, 0xff, sizeof mfi.product - 1);
    memcpy(mfi.serial, "\x01\n\x7f", 3);
    EQ(up(), OK);
    EQ(card->model[0], '?');
    for (const char *s = card->serial; *s; s++)
        CHECK(*s >= 0x20 && *s <= 0x7e);
    down();
}

/* Whatever byte of whatever answer is all ones or zero: nothing is read out of bounds (the sanitizers watch)
 * and the card comes up or fails in words. */
TEST(no_single_byte_of_an_answer_is_trusted)
{
    static const struct {
        uint32_t opcode;
        unsigned from, to, step;
    } spans[] = {
        { 0x01010000, 0, 8, 1 },  { 0x01010000, 180, 192, 1 }, { 0x01010000, 1456, 1516, 3 },
        { 0x02010000, 0, 20, 1 }, { 0x02010100, 0, 20, 1 },    { 0x02020000, 0, 200, 7 },
        { 0x03010000, 0, 24, 1 }, { 0x03020000, 0, 72, 3 },    { 0x03030000, 0, 25, 3 },
        { 0x01040100, 0, 20, 2 }, { 0x01040300, 0, 24, 1 },    { 0x03, 0, 32, 1 },
        { 0x04, 0, 32, 1 },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(spans); i++)
        for (unsigned at = spans[i].from; at < spans[i].to; at += spans[i].step) {
            with_one_ld();
            model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_SYSTEM);
            model_mfi_add_event(&mfi, 0x71, 1, "unexpected sense");
            model_mfi_lie(&mfi, spans[i].opcode, MODEL_MFI_BYTE, (uint64_t)at << 8 | 0xff);
            EQ(up(), OK);
            down();
        }
}
