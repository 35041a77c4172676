#include "driver_hand.h"

static void with_one_drive(enum model_mfi_generation g)
{
    world(g);
    model_mfi_add_ld(&mfi, 0, 1u << 22);
    model_mfi_add_pd(&mfi, 8, 4, MODEL_MFI_PD_ONLINE);
}

static void steps(unsigned n, ...)
{
    va_list ap;

    va_start(ap, n);
    mfi.step_count = n;
    for (unsigned i = 0; i < n; i++) {
        mfi.step[i].state = (uint8_t)va_arg(ap, int);
        mfi.step[i].ns = va_arg(ap, uint64_t);
    }
    va_end(ap);
}

/* Attach fails with this error and these words, and leaves nothing behind. */
static void refuses(int err, const char *part)
{
    EQ(up(), err);
    CHECK(!card);
    EQ(fault.err, err);
    HAS_STR(fault.what, part);
    down();
}

TEST(both_generations_come_up_and_are_handed_back)
{
    for (unsigned g = 0; g < MODEL_MFI_GENERATIONS; g++) {
        with_one_drive(g);
        EQ(up(), OK);
        EQ_STR(card->name, "megaraid0");
        EQ_STR(card->model, mfi.product);
        EQ_STR(card->serial, mfi.serial);
        CHECK(card->firmware[0]);
        EQ(mfi.seen.inits, 1);
        down();
        EQ(mfi.seen.flushes, 1);
        EQ(mfi.seen.hand_backs, 1);
        EQ(mfi.seen.resets, 0);
        EQ(mfi.state, MODEL_MFI_READY);
    }
}

TEST(qemus_card_comes_up_as_well)
{
    for (unsigned g = 0; g < MODEL_MFI_GENERATIONS; g++) {
        with_one_drive(g);
        model_mfi_like_qemu(&mfi);
        EQ(up(), OK);
        CHECK(disk_named("megaraid0.vd0")->ops != NULL);
        down();
    }
}

TEST(an_id_of_no_row_is_not_driven)
{
    static const uint16_t aeros[] = { 0x10e0, 0x10e3, 0x10e4, 0x10e7, 0x00a5, 0x0072, 0x0097 };

    /* Those of cards that call themselves invalid or tampered with, PERC 12, host bus adapters. */
    for (unsigned i = 0; i < ARRAY_COUNT(aeros); i++) {
        with_one_drive(MODEL_MFI_2108);
        mfi.device_id = aeros[i];
        refuses(E_UNSUPPORTED, "not driven");
    }
    /* The same device number of another vendor is another card. */
    with_one_drive(MODEL_MFI_2108);
    mfi.vendor_id = 0x1028;
    refuses(E_UNSUPPORTED, "not driven");
}

TEST(a_slow_firmware_is_waited_for_through_all_its_states)
{
    with_one_drive(MODEL_MFI_2108);
    steps(6, MODEL_MFI_UNDEFINED, 5 * NS_PER_S, MODEL_MFI_BOOT_BLOCK, 20 * NS_PER_S, MODEL_MFI_FW_INIT,
          100 * NS_PER_S, MODEL_MFI_FW_INIT_2, 30 * NS_PER_S, MODEL_MFI_DEVICE_SCAN, 100 * NS_PER_S,
          MODEL_MFI_FLUSH_CACHE, 20 * NS_PER_S);
    EQ(up(), OK);
    CHECK(model_clock_ns > 275 * NS_PER_S);
    down();
}

TEST(a_handshake_is_answered)
{
    with_one_drive(MODEL_MFI_1078);
    steps(2, MODEL_MFI_HANDSHAKE, MODEL_MFI_NEVER, MODEL_MFI_DEVICE_SCAN, 2 * NS_PER_S);
    EQ(up(), OK);
    down();
}

TEST(a_card_that_another_driver_left_running_is_called_back_first)
{
    with_one_drive(MODEL_MFI_2108);
    steps(1, MODEL_MFI_OPERATIONAL, MODEL_MFI_NEVER);
    EQ(up(), OK);
    EQ(mfi.seen.hand_backs, 1);
    EQ(mfi.seen.inits, 1);
    down();
    EQ(mfi.seen.hand_backs, 2);
}

static unsigned bells;
static void count_bells(uint32_t off, uint64_t value)
{
    if (off == 0x20 && value)
        bells++;
}

TEST(the_doorbell_is_rung_once_for_each_state_that_wants_it)
{
    with_one_drive(MODEL_MFI_2108);
    steps(1, MODEL_MFI_OPERATIONAL, MODEL_MFI_NEVER);
    mfi.hand_back_ns = 5 * NS_PER_S;
    bells = 0;
    spy = count_bells;
    EQ(up(), OK);
    EQ(bells, 1);
    down();
    EQ(bells, 2);
}

static unsigned posts;
static void break_at_third_post(uint32_t off, uint64_t value)
{
    (void)value;
    if (off == 0x40 && ++posts == 3)
        model_mfi_fault(&mfi);
}

TEST(a_breakdown_during_a_management_command_is_noticed_before_its_deadline)
{
    with_one_drive(MODEL_MFI_2108);
    mfi.dcmd_ns = NS_PER_S;
    mfi.fault_code = 0x0123;
    posts = 0;
    spy = break_at_third_post;
    EQ(up(), E_PROTO);
    HAS_STR(fault.what, "went to state FAULT");
    EQ(fault.got, 0xf0000123);
    CHECK(model_clock_ns < 10 * NS_PER_S);
    EQ(model_live_allocs(), 3); /* a card in FAULT may still write */
}

TEST(a_state_that_lasts_for_ever_is_named_and_ends_in_its_deadline)
{
    static const struct {
        uint8_t state;
        const char *part;
        unsigned s;
    } stuck[] = {
        { MODEL_MFI_UNDEFINED, "undefined", 180 },    { MODEL_MFI_BOOT_BLOCK, "boot block", 180 },
        { MODEL_MFI_FW_INIT, "initialisation", 180 }, { MODEL_MFI_FW_INIT_2, "second initialisation", 180 },
        { MODEL_MFI_DEVICE_SCAN, "scanning", 180 },   { MODEL_MFI_FLUSH_CACHE, "flushing", 180 },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(stuck); i++) {
        with_one_drive(MODEL_MFI_2108);
        steps(1, stuck[i].state, MODEL_MFI_NEVER);
        refuses(E_TIMEOUT, stuck[i].part);
        CHECK(model_clock_ns > stuck[i].s * NS_PER_S && model_clock_ns < (stuck[i].s + 2) * NS_PER_S);
        EQ(FIELD_GET(FW_STATE, fault.got), stuck[i].state);
    }
}

TEST(an_operational_firmware_that_ignores_the_doorbell_is_named)
{
    with_one_drive(MODEL_MFI_2108);
    steps(1, MODEL_MFI_OPERATIONAL, MODEL_MFI_NEVER);
    mfi.hand_back_ns = MODEL_MFI_NEVER;
    mfi.hand_back_state = MODEL_MFI_OPERATIONAL;
    refuses(E_TIMEOUT, "OPERATIONAL after it was told to get ready");
    CHECK(model_clock_ns < 70 * NS_PER_S);
}

TEST(an_unknown_state_is_called_unknown_and_not_waited_for_long)
{
    with_one_drive(MODEL_MFI_2108);
    steps(1, 0x5, MODEL_MFI_NEVER);
    refuses(E_PROTO, "unknown firmware state");
    CHECK(model_clock_ns < 12 * NS_PER_S);
    /* For a moment it is no reason to give up. */
    with_one_drive(MODEL_MFI_2108);
    steps(1, 0xe, NS_PER_S);
    EQ(up(), OK);
    down();
}

TEST(a_fault_is_reported_raw_and_not_reset)
{
    with_one_drive(MODEL_MFI_2108);
    steps(1, MODEL_MFI_FAULT, MODEL_MFI_NEVER);
    mfi.fault_code = 0x0abcde02;
    refuses(E_PROTO, "state FAULT");
    EQ(fault.got, 0xfabcde02);
    EQ(mfi.seen.resets, 0);
}

TEST(a_boot_message_is_left_for_a_person)
{
    with_one_drive(MODEL_MFI_1078);
    steps(1, MODEL_MFI_BOOT_MESSAGE, MODEL_MFI_NEVER);
    refuses(E_REFUSED, "boot message");
    EQ(mfi.state, MODEL_MFI_BOOT_MESSAGE);
}

TEST(a_card_that_is_gone_is_gone)
{
    with_one_drive(MODEL_MFI_2108);
    fn = model_add_device(&model_mfi_ops, &mfi, &mfi.host);
    model_unplug(fn);
    CHECK(mfi_driver.attach(fn, 0, &card, &fault) < 0);
    EQ(fault.err, E_GONE);
    down();
}

TEST(limits_of_zero_are_refused)
{
    with_one_drive(MODEL_MFI_2108);
    mfi.max_cmds = 0;
    refuses(E_PROTO, "commands and scatter entries");
    with_one_drive(MODEL_MFI_2108);
    mfi.max_sge = 0;
    refuses(E_PROTO, "commands and scatter entries");
    with_one_drive(MODEL_MFI_2108);
    mfi.max_cmds = 3;
    refuses(E_PROTO, "commands and scatter entries");
}

TEST(the_least_and_the_most_commands_work)
{
    static const uint16_t counts[] = { 4, 5, 31, 32, 2048 };

    for (unsigned i = 0; i < ARRAY_COUNT(counts); i++) {
        with_one_drive(MODEL_MFI_2108);
        mfi.max_cmds = counts[i];
        EQ(up(), OK);
        EQ(inside()->io_frames, counts[i] == 2048 ? 512 : counts[i] - 1 - (counts[i] >= 32 ? 4 : 1));
        struct disk *d = disk_named("megaraid0.vd0");
        struct io_lane *l = hand_open(d, d->max_depth, 4096, false);
        EQ(read_once(l, 8, 8).status, IO_OK);
        d->ops->close(l);
        down();
    }
}

TEST(an_init_that_is_refused_ends_the_attach)
{
    with_one_drive(MODEL_MFI_2108);
    mfi.init_status = 0x03;
    refuses(E_REFUSED, "INIT refused");
    EQ(fault.got, 0x03);
}

TEST(an_init_that_is_never_answered_ends_in_its_deadline_and_memory_comes_back_only_after_ready)
{
    with_one_drive(MODEL_MFI_2108);
    mfi.init_ns = MODEL_MFI_NEVER;
    EQ(up(), E_TIMEOUT);
    HAS_STR(fault.what, "INIT");
    CHECK(model_clock_ns < 75 * NS_PER_S);
    EQ(mfi.state, MODEL_MFI_READY);
    down();
}

TEST(every_failed_allocation_unwinds_clean)
{
    long n;

    with_one_drive(MODEL_MFI_2108);
    EQ(up(), OK);
    n = model_alloc_count;
    down();
    CHECK(n >= 7);
    for (long k = 0; k < n; k++) {
        with_one_drive(MODEL_MFI_2108);
        model_fail_alloc_at = k;
        EQ(up(), E_NOMEM);
        EQ(fault.err, E_NOMEM);
        down();
    }
}

TEST(a_management_command_that_is_lost_costs_the_card_but_not_its_memory)
{
    with_one_drive(MODEL_MFI_2108);
    model_mfi_lie(&mfi, 0x03010000, MODEL_MFI_LOST, 0);
    EQ(up(), E_TIMEOUT);
    HAS_STR(fault.what, "list of virtual drives");
    CHECK(model_clock_ns < 75 * NS_PER_S);
    down();
}

TEST(a_late_management_answer_is_waited_for)
{
    with_one_drive(MODEL_MFI_2108);
    model_mfi_lie(&mfi, 0x03010000, MODEL_MFI_DELAY, 55 * NS_PER_S);
    EQ(up(), OK);
    EQ(card->disk_count, 2);
    down();
}

TEST(the_caches_are_flushed_before_the_card_is_handed_back_and_it_is_never_shut_down)
{
    with_one_drive(MODEL_MFI_2108);
    EQ(up(), OK);
    down();
    EQ(mfi.seen.last_opcode, 0x01101000);
    for (unsigned i = 0; i < mfi.seen.opcode_count; i++)
        CHECK(mfi.seen.opcodes[i] != 0x01050000);
}

TEST(a_slow_hand_back_is_waited_for)
{
    with_one_drive(MODEL_MFI_2108);
    mfi.hand_back_ns = 40 * NS_PER_S;
    mfi.hand_back_state = MODEL_MFI_FLUSH_CACHE;
    EQ(up(), OK);
    down();
    EQ(mfi.state, MODEL_MFI_READY);
}

/* What the card may still write is not given to anybody: three DMA areas stay. */
TEST(memory_stays_with_a_firmware_that_does_not_let_go)
{
    static const uint8_t meanwhile[] = { MODEL_MFI_OPERATIONAL, MODEL_MFI_FAULT };

    for (unsigned i = 0; i < ARRAY_COUNT(meanwhile); i++) {
        with_one_drive(MODEL_MFI_2108);
        mfi.hand_back_ns = MODEL_MFI_NEVER;
        mfi.hand_back_state = meanwhile[i];
        EQ(up(), OK);
        uint64_t begin_ns = model_clock_ns;
        mfi_driver.detach(card);
        card = NULL;
        EQ(model_live_allocs(), 3);
        HAS_STR(model_last_log(), "never used again");
        CHECK(model_clock_ns - begin_ns < 100 * NS_PER_S);
        EQ_STR(model_first_violation(), "");
    }
}

TEST(memory_stays_with_a_card_in_fault_and_with_one_that_is_gone)
{
    with_one_drive(MODEL_MFI_2108);
    EQ(up(), OK);
    model_mfi_fault(&mfi);
    mfi_driver.detach(card);
    EQ(model_live_allocs(), 3);
    EQ(mfi.seen.resets, 0);

    with_one_drive(MODEL_MFI_2108);
    EQ(up(), OK);
    model_unplug(fn);
    mfi_driver.detach(card);
    EQ(model_live_allocs(), 3);
}

TEST(a_failing_flush_does_not_stop_the_hand_back)
{
    with_one_drive(MODEL_MFI_1078);
    EQ(up(), OK);
    model_mfi_lie(&mfi, 0x01101000, MODEL_MFI_STATUS, 0x15);
    down();
    EQ(mfi.state, MODEL_MFI_READY);

    with_one_drive(MODEL_MFI_1078);
    EQ(up(), OK);
    model_mfi_lie(&mfi, 0x01101000, MODEL_MFI_LOST, 0);
    down();
    EQ(mfi.state, MODEL_MFI_READY);
}

TEST(two_cards_of_two_kinds_live_side_by_side)
{
    static struct model_mfi other;
    struct controller *second = NULL;

    with_one_drive(MODEL_MFI_1078);
    model_mfi_init(&other, MODEL_MFI_2108);
    model_mfi_add_ld(&other, 3, 1u << 20);
    EQ(up(), OK);
    EQ(mfi_driver.attach(model_add_device(&model_mfi_ops, &other, &other.host), 1, &second, &fault), OK);
    EQ_STR(second->name, "megaraid1");
    EQ_STR(second->disks[0]->name, "megaraid1.vd3");
    mfi_driver.detach(second);
    down();
}
