#include "fuzz_mfi_card.h"

/* The MFI driver on a card that takes frames. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum model_mfi_generation of[4] = { MODEL_MFI_1078, MODEL_MFI_2108, MODEL_MFI_XSCALE,
                                                     MODEL_MFI_SKINNY };

    take_input(data, size);
    lied = false;
    model_reset_world();
    model_quiet = !getenv("FUZZ_SAY");
    model_relax_step_ns = 10 * NS_PER_S;
    uint8_t which = take8();
    model_mfi_init(&model, of[(which & 1) | (which >> 6 & 2)]);
    read_card();
    read_drives();
    read_lies();
    read_mischief();
    uint8_t shapes = take8(), fail_at = take8();
    if (which & 0x40)
        read_reply_mischief(1 + take8() % 40);
    live(&mfi_driver, &model_mfi_ops, &model, &model.host, shapes, fail_at);
    REQUIRE(!model.seen.resets);
    check_writes();
    return 0;
}
