#include "nvme_internal.h"
#include "rig.h"

/* Raw numbers of the specification: what would change a drive for good, and neighbours of what is asked. */
TEST(an_admin_command_that_changes_the_drive_never_reaches_it)
{
    static const struct {
        uint32_t opcode, cdw10;
    } refused[] = {
        { 0x0d, 0 },          { 0x0d, 1 }, /* Namespace Management */
        { 0x10, 0 },          { 0x11, 0 }, /* Firmware Commit, Firmware Image Download */
        { 0x14, 0xe },                     /* Device Self-test: vendor's */
        { 0x15, 0 },                       /* Namespace Attachment */
        { 0x1c, 0 },          { 0x7c, 0 }, /* Virtualization Management, Doorbell Buffer Config */
        { 0x80, 0 },          { 0x81, 0 }, /* Format NVM, Security Send */
        { 0x84, 1 },                       /* Sanitize */
        { 0x09, 0x80000002 },              /* Set Features: power management, saved */
        { 0x09, 0x80000006 },              /* Set Features: volatile write cache, saved */
        { 0xc0, 0 },          { 0xff, 0 }, /* vendor's */
    };
    struct nvme_answer answer;

    rig_up();
    struct nvme_ctrl *c = (struct nvme_ctrl *)rig.c;

    for (unsigned i = 0; i < ARRAY_COUNT(refused); i++) {
        struct nvme_sqe command = { .cdw0 = refused[i].opcode, .cdw10 = refused[i].cdw10 };
        struct fault f = { 0 };

        EQ(nvme_admin(c, &f, "refused", &command, 10, &answer), E_REFUSED);
    }
    rig_down();
}
