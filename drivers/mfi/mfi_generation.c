#include "mfi_internal.h"

/* The count sits in bits 3:1 below a 64-byte aligned address, bit 0 says "valid" (facts/mfi.md 2.3). */
static void post_port(const struct mmio *regs, uint64_t frame_bus, unsigned extra_frames)
{
    plat_write32(regs, MFI_IQP, (uint32_t)frame_bus | extra_frames << 1 | 1u);
}

static const struct mfi_generation generation_1078 = {
    .name = "1078",
    .status_reg = MFI_OSP0,
    .doorbell_reg = MFI_IDB,
    .mask_reg = MFI_OMSK,
    .mask_all = 0xffffffff,
    .post = post_port,
    .max_command_sectors = 2048,
};

/* Takes frames at the same port as the 1078: so do Linux and FreeBSD (2.3); the pair of ports at C0h that
 * QEMU offers as well belongs to later generations. */
static const struct mfi_generation generation_2108 = {
    .name = "2108",
    .status_reg = MFI_OSP0,
    .doorbell_reg = MFI_IDB,
    .mask_reg = MFI_OMSK,
    .mask_all = 0xffffffff,
    .post = post_port,
    .max_command_sectors = 2048,
};

static const struct {
    uint16_t vendor_id, device_id;
    const struct mfi_generation *generation;
} ids[] = {
    { 0x1000, 0x0060, &generation_1078 }, /* SAS1078R: PERC 6, 8708EM2 */
    { 0x1000, 0x007c, &generation_1078 }, /* SAS1078DE */
    { 0x1000, 0x0078, &generation_2108 },
    { 0x1000, 0x0079, &generation_2108 }, /* PERC H700, H800, 9260 */
};

const struct mfi_generation *mfi_generation_of(const struct pci_fn *fn)
{
    for (unsigned i = 0; i < ARRAY_COUNT(ids); i++)
        if (fn->vendor_id == ids[i].vendor_id && fn->device_id == ids[i].device_id)
            return ids[i].generation;
    return NULL;
}
