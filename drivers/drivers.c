#include "drivers.h"
#include "bits.h"

/* Reasons and advice that several rows share. */
static const char why_generation[] =
    "this generation of the family is not driven; its virtual drives can be read through the firmware "
    "(firmware_path = yes)";
static const char why_tampered[] =
    "the card says that its firmware is not genuine: do not use it; ask the seller for another one";
static const char why_hba[] =
    "not driven; move the drives to a SATA or NVMe port to test them, or read them through the firmware "
    "(firmware_path = yes)";
static const char why_old_raid[] =
    "cards of the mailbox interface are not driven; read its virtual drives through the firmware "
    "(firmware_path = yes)";
static const char why_vmd[] =
    "NVMe drives may hide behind it; turn VMD off in the firmware setup to test them, and on again "
    "before the installed system starts";
static const char why_virtio[] =
    "not driven; give the virtual machine an NVMe or AHCI disk, or read it through the firmware "
    "(firmware_path = yes)";
static const char why_apple[] = "not driven; test the drive in another machine if it can be taken out";
static const char why_administrative[] =
    "it manages a device and has no namespace to read; nothing is missing";
static const char why_unknown[] =
    "no driver knows it; please report its PCI ids, and read its disks through the firmware "
    "(firmware_path = yes)";
static const char why_ide_mode[] =
    "only AHCI is driven; set the SATA mode to AHCI in the firmware setup, and back before the "
    "installed system starts";
static const char why_raid_mode[] =
    "arrays may lie on its drives, and they may include NVMe; set the mode to AHCI in the firmware "
    "setup to test the drives, and back before the installed system starts";
static const char why_other_raid[] =
    "this family is not driven; read its virtual drives through the firmware (firmware_path = yes)";
static const char why_scsi[] = "not driven; read its disks through the firmware (firmware_path = yes)";
static const char why_ufs[] = "not driven; read its disks through the firmware (firmware_path = yes)";
static const char why_sd[] =
    "cards and soldered eMMC are not tested; nothing is missing unless the system is to be installed "
    "there";

enum { ANY = 0xffff };

/* The first row that fits wins: single functions stand before classes, narrow classes before wide ones. */
const struct driver_row driver_rows[] = {
    /* MegaRAID and PERC, by generation (fact sheet: MegaRAID 1.1).  The vendor counts: 1028:0015 and
     * 1000:0015 are two generations apart. */
    { 0x1000, 0x0060, 0, 0, &mfi_driver, "MegaRAID SAS 1078 (PERC 6)", NULL },
    { 0x1000, 0x007c, 0, 0, &mfi_driver, "MegaRAID SAS 1078 (PERC 6)", NULL },
    { 0x1000, 0x0078, 0, 0, &mfi_driver, "MegaRAID SAS 2108 (PERC H700, H800)", NULL },
    { 0x1000, 0x0079, 0, 0, &mfi_driver, "MegaRAID SAS 2108 (PERC H700, H800)", NULL },
    { 0x1028, 0x0015, 0, 0, &mfi_driver, "PERC 5 (MegaRAID SAS, IOP333)", NULL },
    { 0x1000, 0x0411, 0, 0, &mfi_driver, "MegaRAID SAS 8408E, 8480E, 8344ELP (IOP333)", NULL },
    { 0x1000, 0x0413, 0, 0, &mfi_driver, "MegaRAID SAS 8408E, 8480E, 8344ELP (IOP333)", NULL },
    { 0x1000, 0x0071, 0, 0, &mfi_driver, "MegaRAID SAS 2004/2008 (PERC H310, 9240)", NULL },
    { 0x1000, 0x0073, 0, 0, &mfi_driver, "MegaRAID SAS 2004/2008 (PERC H310, 9240)", NULL },
    { 0x1000, 0x005b, 0, 0, &mfi_driver, "MegaRAID SAS 2208 (PERC H710, H810)", NULL },
    { 0x1000, 0x002f, 0, 0, &mfi_driver, "MegaRAID SAS 2208 (PERC H710, H810)", NULL },
    { 0x1000, 0x005d, 0, 0, &mfi_driver, "MegaRAID SAS 3108 (PERC H730, H830)", NULL },
    { 0x1000, 0x005f, 0, 0, &mfi_driver, "MegaRAID SAS 3008 (PERC H330)", NULL },
    { 0x1000, 0x00ce, 0, 0, &mfi_driver, "MegaRAID SAS 3316/3324", NULL },
    { 0x1000, 0x00cf, 0, 0, &mfi_driver, "MegaRAID SAS 3316/3324", NULL },
    { 0x1000, 0x0052, 0, 0, &mfi_driver, "MegaRAID SAS 3216/3224", NULL },
    { 0x1000, 0x0053, 0, 0, &mfi_driver, "MegaRAID SAS 3216/3224", NULL },
    { 0x1000, 0x0014, 0, 0, &mfi_driver, "MegaRAID SAS 34xx/35xx (PERC H740P, H745, H345, H840)", NULL },
    { 0x1000, 0x0015, 0, 0, &mfi_driver, "MegaRAID SAS 34xx/35xx (PERC H740P, H745, H345, H840)", NULL },
    { 0x1000, 0x0016, 0, 0, &mfi_driver, "MegaRAID SAS 34xx/35xx (PERC H740P, H745, H345, H840)", NULL },
    { 0x1000, 0x0017, 0, 0, &mfi_driver, "MegaRAID SAS 34xx/35xx (PERC H740P, H745, H345, H840)", NULL },
    { 0x1000, 0x001b, 0, 0, &mfi_driver, "MegaRAID SAS 34xx/35xx (PERC H740P, H745, H345, H840)", NULL },
    { 0x1000, 0x001c, 0, 0, &mfi_driver, "MegaRAID SAS 34xx/35xx (PERC H740P, H745, H345, H840)", NULL },
    { 0x1000, 0x10e1, 0, 0, &mfi_driver, "MegaRAID SAS 3908/3916 (PERC H750, H755)", NULL },
    { 0x1000, 0x10e2, 0, 0, &mfi_driver, "MegaRAID SAS 3908/3916 (PERC H750, H755)", NULL },
    { 0x1000, 0x10e5, 0, 0, &mfi_driver, "MegaRAID SAS 3808/3816 (PERC H350, H355)", NULL },
    { 0x1000, 0x10e6, 0, 0, &mfi_driver, "MegaRAID SAS 3808/3816 (PERC H350, H355)", NULL },
    { 0x1000, 0x10e0, 0, 0, NULL, "MegaRAID SAS 38xx/39xx that reports itself invalid or tampered with",
      why_tampered },
    { 0x1000, 0x10e3, 0, 0, NULL, "MegaRAID SAS 38xx/39xx that reports itself invalid or tampered with",
      why_tampered },
    { 0x1000, 0x10e4, 0, 0, NULL, "MegaRAID SAS 38xx/39xx that reports itself invalid or tampered with",
      why_tampered },
    { 0x1000, 0x10e7, 0, 0, NULL, "MegaRAID SAS 38xx/39xx that reports itself invalid or tampered with",
      why_tampered },
    { 0x1000, 0x00a5, 0, 0, NULL, "PERC 12 or MegaRAID 9600 (SAS4116W, MPI 3)", why_hba },
    { 0x1028, 0x000e, 0, 0, NULL, "PERC 3 or 4 (mailbox MegaRAID)", why_old_raid },
    { 0x1028, 0x000f, 0, 0, NULL, "PERC 3 or 4 (mailbox MegaRAID)", why_old_raid },
    { 0x1028, 0x0013, 0, 0, NULL, "PERC 3 or 4 (mailbox MegaRAID)", why_old_raid },
    { 0x1000, 0x0407, 0, 0, NULL, "PERC 4 (mailbox MegaRAID)", why_old_raid },
    { 0x1000, 0x0408, 0, 0, NULL, "PERC 4 (mailbox MegaRAID)", why_old_raid },
    { 0x1000, 0x1960, 0, 0, NULL, "PERC 4 (mailbox MegaRAID)", why_old_raid },
    /* Host bus adapters of the same maker: look-alikes that speak MPT, not MegaRAID. */
    { 0x1000, 0x0072, 0, 0, NULL, "SAS 2008 host bus adapter (PERC H200, MPT 2)", why_hba },
    { 0x1000, 0x0097, 0, 0, NULL, "SAS 3008 host bus adapter (HBA330, MPT 2.5)", why_hba },
    { 0x1000, 0x0054, 0, 0, NULL, "SAS 1068 host bus adapter (SAS 5/iR, SAS 6/iR, MPT 1)", why_hba },
    { 0x1000, 0x0058, 0, 0, NULL, "SAS 1068 host bus adapter (SAS 5/iR, SAS 6/iR, MPT 1)", why_hba },
    /* Drives behind a function that hides them (fact sheet: NVMe A13). */
    { 0x8086, 0x201d, 0, 0, NULL, "Intel VMD (Volume Management Device)", why_vmd },
    { 0x8086, 0x28c0, 0, 0, NULL, "Intel VMD (Volume Management Device)", why_vmd },
    { 0x8086, 0x467f, 0, 0, NULL, "Intel VMD (Volume Management Device)", why_vmd },
    { 0x8086, 0x4c3d, 0, 0, NULL, "Intel VMD (Volume Management Device)", why_vmd },
    { 0x8086, 0xa77f, 0, 0, NULL, "Intel VMD (Volume Management Device)", why_vmd },
    { 0x8086, 0x7d0b, 0, 0, NULL, "Intel VMD (Volume Management Device)", why_vmd },
    { 0x8086, 0xad0b, 0, 0, NULL, "Intel VMD (Volume Management Device)", why_vmd },
    { 0x8086, 0x9a0b, 0, 0, NULL, "Intel VMD (Volume Management Device)", why_vmd },
    /* Virtual machines. */
    { 0x1af4, 0x1001, 0, 0, NULL, "virtio block device", why_virtio },
    { 0x1af4, 0x1042, 0, 0, NULL, "virtio block device", why_virtio },
    { 0x1af4, 0x1004, 0, 0, NULL, "virtio SCSI host", why_virtio },
    { 0x1af4, 0x1048, 0, 0, NULL, "virtio SCSI host", why_virtio },
    /* NVMe in all but the queue entries: they are 128 bytes long (fact sheet: NVMe A14). */
    { 0x106b, 0x2005, 0, 0, NULL, "Apple NVMe controller with its own queue format", why_apple },
    /* By class code. */
    { ANY, ANY, 0x010802, 0xffffff, &nvme_driver, "NVMe controller", NULL },
    { ANY, ANY, 0x010803, 0xffffff, NULL, "NVMe administrative controller", why_administrative },
    { ANY, ANY, 0x010800, 0xffff00, NULL, "non-volatile memory controller that is not NVMe", why_unknown },
    { ANY, ANY, 0x010601, 0xffffff, &ahci_driver, "AHCI SATA controller", NULL },
    { ANY, ANY, 0x010600, 0xffff00, NULL, "SATA controller without AHCI", why_ide_mode },
    { 0x8086, ANY, 0x010400, 0xffff00, NULL, "Intel SATA controller in RAID mode", why_raid_mode },
    { 0x1022, ANY, 0x010400, 0xffff00, NULL, "AMD SATA or NVMe controller in RAID mode", why_raid_mode },
    { 0x1000, ANY, 0x010400, 0xffff00, NULL, "MegaRAID of a generation that is not in the list",
      why_generation },
    { 0x103c, ANY, 0x010400, 0xffff00, NULL, "Smart Array RAID controller", why_other_raid },
    { 0x9005, ANY, 0x010400, 0xffff00, NULL, "Adaptec or Microchip RAID controller", why_other_raid },
    { ANY, ANY, 0x010400, 0xffff00, NULL, "RAID controller of another maker", why_other_raid },
    { 0x1000, ANY, 0x010700, 0xffff00, NULL, "Broadcom/LSI SAS host bus adapter (MPT)", why_hba },
    { ANY, ANY, 0x010700, 0xffff00, NULL, "SAS controller", why_hba },
    { ANY, ANY, 0x010100, 0xffff00, NULL, "IDE controller", why_ide_mode },
    { ANY, ANY, 0x010500, 0xffff00, NULL, "ATA controller with an interface of the time before AHCI",
      why_ide_mode },
    { ANY, ANY, 0x010000, 0xffff00, NULL, "SCSI controller", why_scsi },
    { ANY, ANY, 0x010900, 0xffff00, NULL, "UFS controller", why_ufs },
    { ANY, ANY, 0x080500, 0xffff00, NULL, "SD card or eMMC host", why_sd },
    { ANY, ANY, 0x010000, 0xff0000, NULL, "unknown storage controller", why_unknown },
};
const unsigned driver_row_count = ARRAY_COUNT(driver_rows);

static bool fits(const struct driver_row *r, const struct pci_fn *fn)
{
    return (r->vendor_id == ANY || r->vendor_id == fn->vendor_id) &&
           (r->device_id == ANY || r->device_id == fn->device_id) &&
           (fn->class_code & r->class_mask) == r->class_code;
}

const struct driver_row *driver_find(const struct pci_fn *fn)
{
    /* A function that is gone reads all ones. */
    if (fn->vendor_id == 0xffff)
        return NULL;
    for (unsigned i = 0; i < driver_row_count; i++)
        if (fits(&driver_rows[i], fn))
            return &driver_rows[i];
    return NULL;
}
