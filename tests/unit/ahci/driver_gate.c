#include "rig.h"

/* Raw numbers of the command set: what would change a drive or its data. */
TEST(a_command_that_changes_the_drive_never_reaches_it)
{
    static const struct {
        uint8_t command, features;
    } refused[] = {
        { 0x30, 0 },    { 0x34, 0 },    { 0x35, 0 },    { 0x39, 0 }, { 0x3d, 0 },
        { 0x61, 0 },    { 0xca, 0 },                    /* writes */
        { 0x06, 1 },                                    /* DATA SET MANAGEMENT: TRIM */
        { 0x37, 0 },    { 0xf9, 0 },    { 0x78, 0 },    /* SET MAX */
        { 0x92, 3 },    { 0x93, 3 },    { 0xb4, 0x11 }, /* microcode, sanitize */
        { 0xf1, 0 },    { 0xf2, 0 },    { 0xf4, 0 },    { 0xf5, 0 }, { 0xf6, 0 }, /* security */
        { 0xb0, 0xd6 }, { 0xb0, 0xd8 }, { 0xb0, 0xd9 }, /* SMART WRITE LOG, ENABLE, DISABLE */
        { 0xef, 0x03 }, { 0xef, 0x05 }, { 0xef, 0x66 }, /* SET FEATURES: modes, power, what is kept */
        { 0x80, 0 },    { 0xff, 0 },                    /* vendor's */
    };
    uint8_t answer[512];

    rig_plug();
    rig_plug_disk(0);
    rig_up();
    struct ahci_port *p = ahci_port_of(rig_disk(0));

    for (unsigned i = 0; i < ARRAY_COUNT(refused); i++) {
        struct ahci_command c = { .name = "refused",
                                  .command = refused[i].command,
                                  .features = refused[i].features,
                                  .deadline_ms = 10,
                                  .no_data = true };

        EQ(ahci_port_command(p, &c, answer), E_REFUSED);
    }
    rig_down();
}
