#include "fuzz_mfi_card.h"
#include "raid.h"

/* The MFI driver on a card that takes request descriptors. */

static void read_consent(void)
{
    uint8_t flags = take8();

    raid_consent.acknowledge_boot_message = model.boot_message_may_be_acknowledged = flags & 1;
    raid_consent.reset_fault = flags & 2;
    model.reset_helps = flags & 4;
    model.reset_ns = a_while_ns();
    model.fault_code = (uint32_t)flags >> 3;
}

static void read_fusion(void)
{
    uint8_t flags = take8();

    if (flags & 1)
        model.scratch2 = take16();
    if (flags & 2)
        model.chain_bytes = 128u * (take8() % 64);
    model.atomic_descriptors ^= (flags & 4) != 0;
    model.dma64 ^= (flags & 8) != 0;
    model.zero_reads = flags & 16 ? take8() : model.zero_reads;
    model.doorbell_busy_ns = flags & 32 ? a_while_ns() : 0;
    model.reply_queues = flags & 64 ? take8() : 1;
    if (flags & 128)
        read_reply_mischief(1 + take8() % 40);
    /* A driver gives up at 30 zeros in a row, and may be wrong about what it then does not see; of registers
     * that read 0 by mistake only the latest cards are known. */
    lied |= model.zero_reads >= (model.generation == MODEL_MFI_AERO ? 30 : 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    take_input(data, size);
    lied = false;
    model_reset_world();
    model_quiet = !getenv("FUZZ_SAY");
    model_relax_step_ns = 10 * NS_PER_S;
    model_mfi_init(&model, (enum model_mfi_generation)(MODEL_MFI_THUNDERBOLT + take8() % 4));
    read_card();
    read_fusion();
    read_consent();
    read_drives();
    read_lies();
    read_mischief();
    uint8_t shapes = take8(), fail_at = take8();
    live(&mfi_driver, &model_mfi_ops, &model, &model.host, shapes, fail_at);
    REQUIRE(!model.seen.resets || raid_consent.reset_fault);
    check_writes();
    return 0;
}
