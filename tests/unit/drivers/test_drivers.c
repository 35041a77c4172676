#include <string.h>
#include "drivers.h"
#include "test.h"

static const struct driver_row *find(uint16_t vendor, uint16_t device, uint32_t class_code)
{
    struct pci_fn fn = { .vendor_id = vendor, .device_id = device, .class_code = class_code };

    return driver_find(&fn);
}

static void driven(uint16_t vendor, uint16_t device, uint32_t class_code,
                   const struct controller_driver *want)
{
    const struct driver_row *r = find(vendor, device, class_code);

    CHECK(r != NULL);
    CHECK(r->driver == want);
}

static void named(uint16_t vendor, uint16_t device, uint32_t class_code, const char *what, const char *advice)
{
    const struct driver_row *r = find(vendor, device, class_code);

    CHECK(r != NULL);
    CHECK(r->driver == NULL);
    HAS_STR(r->what, what);
    HAS_STR(r->why_not, advice);
}

TEST(standard_controllers_are_driven_by_their_class_whoever_made_them)
{
    driven(0x144d, 0xa822, 0x010802, &nvme_driver);
    driven(0x1b36, 0x0010, 0x010802, &nvme_driver);
    driven(0x8086, 0x2922, 0x010601, &ahci_driver);
    driven(0x1022, 0x7901, 0x010601, &ahci_driver);
}

TEST(every_megaraid_generation_of_the_frame_and_fusion_interfaces_is_driven_and_nothing_else_of_its_maker)
{
    static const uint16_t driven_ids[] = { 0x0411, 0x0413, 0x0060, 0x007c, 0x0078, 0x0079, 0x0071,
                                           0x0073, 0x005b, 0x002f, 0x005d, 0x005f, 0x00ce, 0x00cf,
                                           0x0052, 0x0053, 0x0014, 0x0015, 0x0016, 0x0017, 0x001b,
                                           0x001c, 0x10e1, 0x10e2, 0x10e5, 0x10e6 };

    for (uint32_t device = 0; device < 0xffff; device++) {
        const struct driver_row *r = find(0x1000, (uint16_t)device, 0x010400);
        bool listed = false;

        for (unsigned i = 0; i < sizeof driven_ids / sizeof *driven_ids; i++)
            listed |= driven_ids[i] == device;
        CHECK(r != NULL);
        CHECK(r->driver == (listed ? &mfi_driver : NULL));
    }
    /* The same device number, another vendor, two generations apart. */
    driven(0x1028, 0x0015, 0x010400, &mfi_driver);
    HAS_STR(find(0x1028, 0x0015, 0x010400)->what, "PERC 5");
    HAS_STR(find(0x1000, 0x0015, 0x010400)->what, "H345");
}

TEST(what_is_called_megaraid_and_cannot_be_driven_says_why)
{
    named(0x1000, 0x10e0, 0x010400, "invalid or tampered", "do not use it");
    named(0x1000, 0x10e3, 0x010400, "tampered", "do not use it");
    named(0x1000, 0x10e4, 0x010400, "tampered", "do not use it");
    named(0x1000, 0x10e7, 0x010400, "tampered", "do not use it");
    named(0x1000, 0x00a5, 0x010400, "PERC 12", "not driven");
    named(0x1000, 0x1960, 0x010400, "PERC 4", "mailbox");
    named(0x1000, 0x4242, 0x010400, "not in the list", "firmware_path");
}

TEST(look_alikes_are_not_taken_for_megaraid)
{
    named(0x1000, 0x0072, 0x010700, "H200", "SATA or NVMe port");
    named(0x1000, 0x0097, 0x010700, "HBA330", "SATA or NVMe port");
    named(0x1000, 0x0058, 0x010000, "SAS 6/iR", "SATA or NVMe port");
    named(0x1000, 0x00c4, 0x010700, "MPT", "SATA or NVMe port");
    named(0x1af4, 0x0060, 0x010400, "another maker", "firmware_path");
}

TEST(modes_that_hide_drives_come_with_the_setting_to_change)
{
    static const uint16_t vmd[] = { 0x201d, 0x28c0, 0x467f, 0x4c3d, 0xa77f, 0x7d0b, 0xad0b, 0x9a0b };

    for (unsigned i = 0; i < sizeof vmd / sizeof *vmd; i++)
        named(0x8086, vmd[i], 0x010400, "VMD", "turn VMD off");
    named(0x8086, 0x2822, 0x010400, "RAID mode", "AHCI");
    named(0x1022, 0x43bd, 0x010400, "RAID mode", "AHCI");
    named(0x8086, 0x7010, 0x010180, "IDE", "AHCI");
    named(0x8086, 0x1234, 0x010600, "without AHCI", "AHCI");
}

TEST(everything_else_of_the_storage_class_is_named_as_well_as_can_be)
{
    named(0x1af4, 0x1001, 0x010000, "virtio block", "NVMe or AHCI disk");
    named(0x1af4, 0x1042, 0x018000, "virtio block", "NVMe or AHCI disk");
    named(0x1af4, 0x1004, 0x010000, "virtio SCSI", "NVMe or AHCI disk");
    named(0x1b36, 0x0010, 0x010803, "administrative", "nothing is missing");
    named(0x1234, 0x0001, 0x010801, "not NVMe", "PCI ids");
    named(0x106b, 0x2005, 0x010802, "Apple", "another machine");
    named(0x103c, 0x323a, 0x010400, "Smart Array", "firmware_path");
    named(0x9005, 0x028f, 0x010700, "SAS controller", "SATA or NVMe port");
    named(0x15ad, 0x07c0, 0x010000, "SCSI", "firmware_path");
    named(0x1b36, 0x0007, 0x080501, "SD card", "eMMC");
    named(0x1234, 0x5678, 0x018000, "unknown storage controller", "PCI ids");
    named(0x1234, 0x5678, 0x01ff00, "unknown storage controller", "PCI ids");
}

TEST(what_is_no_storage_has_no_row)
{
    CHECK(find(0x8086, 0x100e, 0x020000) == NULL); /* network */
    CHECK(find(0x1b36, 0x000d, 0x0c0330) == NULL); /* USB */
    CHECK(find(0x1234, 0x1111, 0x030000) == NULL); /* display */
    CHECK(find(0x1234, 0x1111, 0x000000) == NULL);
    CHECK(find(0x1234, 0x1111, 0x080600) == NULL);
    CHECK(find(0x1000, 0x1111, 0xff0000) == NULL);
    CHECK(find(0xffff, 0xffff, 0xffffff) == NULL); /* gone */
    CHECK(find(0xffff, 0xffff, 0x010802) == NULL);
    CHECK(find(0x0000, 0x0000, 0x000000) == NULL);
}

TEST(every_row_can_be_reached_and_says_all_that_is_shown)
{
    for (unsigned i = 0; i < driver_row_count; i++) {
        const struct driver_row *r = &driver_rows[i];
        uint16_t vendor = r->vendor_id == 0xffff ? 0x4242 : r->vendor_id;
        uint16_t device = r->device_id == 0xffff ? 0x4242 : r->device_id;

        CHECK(find(vendor, device, r->class_mask ? r->class_code | (~r->class_mask & 0x7f7f7f) : 0x010400) ==
              r);
        CHECK(!(r->class_code & ~r->class_mask));
        /* Room in the journal's and a finding's fields. */
        CHECK(strlen(r->what) > 8 && strlen(r->what) < 80);
        CHECK(!r->driver == !!r->why_not);
        if (r->why_not)
            CHECK(strlen(r->why_not) > 30 && strlen(r->what) + 2 + strlen(r->why_not) < 240);
        if (r->driver)
            CHECK(r->driver->name && r->driver->attach && r->driver->detach);
    }
}
