#include "smbus_internal.h"

enum { ANY = 0xffff, CLASS_SMBUS = 0x0c05 };

/* The first row that fits.  Unlisted controllers of class 0C05 are known to be there and are not touched:
 * many have registers of their own. */
const struct smbus_row smbus_rows[] = {
    { 0x8086, 0x7113, 0x00, 0xff, SMBUS_PIIX4, BASE_CONFIG_90, "Intel PIIX4" },
    { 0x1002, 0x4372, 0x00, 0xff, SMBUS_PIIX4, BASE_CONFIG_90, "ATI IXP400" },
    { 0x1002, 0x4385, 0x00, 0x3f, SMBUS_PIIX4, BASE_CONFIG_90, "AMD SB600 or SB700" },
    { 0x1002, 0x4385, 0x40, 0xff, SMBUS_PIIX4, BASE_PM_2C, "AMD SB800" },
    { 0x1022, 0x780b, 0x00, 0x40, SMBUS_PIIX4, BASE_PM_2C, "AMD Hudson" },
    { 0x1022, 0x780b, 0x41, 0xff, SMBUS_PIIX4, BASE_PM_00, "AMD Hudson" },
    { 0x1022, 0x790b, 0x00, 0x48, SMBUS_PIIX4, BASE_PM_2C, "AMD FCH" },
    { 0x1022, 0x790b, 0x49, 0x50, SMBUS_PIIX4, BASE_PM_00, "AMD FCH" },
    { 0x1022, 0x790b, 0x51, 0xff, SMBUS_PIIX4, BASE_PM_00_MEMORY, "AMD FCH" },
    { 0x1d94, 0x790b, 0x00, 0x50, SMBUS_PIIX4, BASE_PM_00, "Hygon FCH" },
    { 0x1d94, 0x790b, 0x51, 0xff, SMBUS_PIIX4, BASE_PM_00_MEMORY, "Hygon FCH" },
    { 0x1166, 0x0200, 0x00, 0xff, SMBUS_PIIX4, BASE_CONFIG_90, "ServerWorks OSB4" },
    { 0x1166, 0x0203, 0x00, 0xff, SMBUS_PIIX4, BASE_CONFIG_90, "ServerWorks CSB6" },
    { 0x1166, 0x0205, 0x00, 0xff, SMBUS_PIIX4, BASE_CONFIG_90, "ServerWorks HT1000" },
    { 0x1166, 0x0408, 0x00, 0xff, SMBUS_PIIX4, BASE_CONFIG_90, "ServerWorks HT1100" },
    { 0x10de, 0x0064, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia nForce2" },
    { 0x10de, 0x0084, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia nForce2 Ultra" },
    { 0x10de, 0x00d4, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia nForce3" },
    { 0x10de, 0x00e4, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia nForce3 250" },
    { 0x10de, 0x0052, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia nForce4" },
    { 0x10de, 0x0034, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia MCP04" },
    { 0x10de, 0x0264, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia MCP51" },
    { 0x10de, 0x0368, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia MCP55" },
    { 0x10de, 0x03eb, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia MCP61" },
    { 0x10de, 0x0446, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia MCP65" },
    { 0x10de, 0x0752, 0x00, 0xff, SMBUS_NFORCE, BASE_BAR4, "nVidia MCP78" },
    { 0x8086, ANY, 0x00, 0xff, SMBUS_I801, BASE_BAR4, "Intel i801 (ICH, PCH)" },
    { ANY, ANY, 0x00, 0xff, SMBUS_I801, BASE_NONE, "a controller without driver" },
};
const unsigned smbus_row_count = ARRAY_COUNT(smbus_rows);

const struct smbus_row *smbus_find(const struct pci_fn *fn)
{
    for (unsigned i = 0; i < smbus_row_count; i++) {
        const struct smbus_row *r = &smbus_rows[i];

        if ((r->vendor_id == ANY || r->vendor_id == fn->vendor_id) &&
            (r->device_id == ANY ? fn->class_code >> 8 == CLASS_SMBUS : r->device_id == fn->device_id) &&
            fn->revision >= r->revision_min && fn->revision <= r->revision_max)
            return r;
    }
    return NULL;
}
