#include "driver_hand.h"

/* Raw numbers of what Linux's driver and the card's tools send to change a configuration. */
TEST(a_management_command_that_changes_the_card_never_reaches_it)
{
    static const uint32_t refused[] = {
        0x01050000, 0x01080000, /* shutdown, and a neighbour */
        0x01020200,             /* controller properties set */
        0x010e0000, 0x010f0000, 0x02030100, 0x02040000,
        0x02080000,                                     /* firmware, drives' state, rebuild, clear */
        0x03020001, 0x03030001, 0x03040000, 0x03090000, /* virtual drives: set, initialise, delete */
        0x04020000, 0x04030000, 0x04040000, 0x05040000, /* configuration add, clear, spare; learn cycle */
        0,          0xffffffff,
    };

    world(MODEL_MFI_2108);
    EQ(up(), OK);
    for (unsigned i = 0; i < ARRAY_COUNT(refused); i++) {
        struct mfi_op op = { .opcode = refused[i], .name = "refused", .deadline_ms = 10 };

        EQ(mfi_dcmd(inside(), &op, (struct mfi_mbox){ 0 }, NULL, 0), E_REFUSED);
    }
    down();
}
