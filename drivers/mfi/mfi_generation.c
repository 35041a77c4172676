#include "mfi_internal.h"

/* ---- what a frame's address becomes at the queue port (facts/mfi.md 2.3) ---- */
/* The count sits in bits 3:1 below a 64-byte aligned address, bit 0 says "valid". */
static uint32_t port_plain(uint64_t frame_bus, unsigned extra_frames)
{
    return (uint32_t)frame_bus | extra_frames << 1 | 1u;
}

/* The IOP333 takes the address in units of 8 bytes; a plain one would name a wrong place. */
static uint32_t port_xscale(uint64_t frame_bus, unsigned extra_frames)
{
    return (uint32_t)(frame_bus >> 3) | extra_frames;
}

/* ---- the generations ---- */
static const struct mfi_generation xscale = {
    .name = "IOP333",
    .status_reg = MFI_OMSG0,
    .doorbell_reg = MFI_IDB,
    .mask_all = 0x1f,
    .port_reg = MFI_IQP,
    .port_word = port_xscale,
    .max_sge = MFI_MAX_SGE,
    .max_command_sectors = 2048,
    .reset = MFI_RESET_DOORBELL,
    .no_pd_query = true,
};

static const struct mfi_generation generation_1078 = {
    .name = "1078",
    .status_reg = MFI_OSP0,
    .doorbell_reg = MFI_IDB,
    .mask_all = 0xffffffff,
    .port_reg = MFI_IQP,
    .port_word = port_plain,
    .max_sge = MFI_MAX_SGE,
    .max_command_sectors = 2048,
    .reset = MFI_RESET_DOORBELL,
};

/* Takes frames at the same port as the 1078: so do Linux and FreeBSD (2.3); the pair of ports at C0h that
 * QEMU offers as well belongs to later generations. */
static const struct mfi_generation generation_2108 = {
    .name = "2108",
    .status_reg = MFI_OSP0,
    .doorbell_reg = MFI_IDB,
    .mask_all = 0xffffffff,
    .port_reg = MFI_IQP,
    .port_word = port_plain,
    .max_sge = MFI_MAX_SGE,
    .max_command_sectors = 2048,
    .reset = MFI_RESET_DIAG_HIGH,
};

/* No cache and no battery; I/O only with 16-byte scatter entries, of which 60 fill a command (2.5). */
static const struct mfi_generation skinny = {
    .name = "2008",
    .status_reg = MFI_OSP0,
    .doorbell_reg = MFI_DB,
    .mask_all = 0xffffffff,
    .port_reg = MFI_IQPL,
    .port_high_reg = MFI_IQPH,
    .port_word = port_plain,
    .ieee_io = true,
    .max_sge = MFI_MAX_IEEE_SGE,
    .max_command_sectors = 256,
    .reset = MFI_RESET_DIAG_LOW,
};

#define FUSION_COMMON                                                                                        \
    .fusion = true, .status_reg = MFI_OSP0, .doorbell_reg = MFI_DB, .mask_all = 0xffffffff,                  \
    .max_command_sectors = 2048, .reset = MFI_RESET_DIAG_FUSION

static const struct mfi_generation thunderbolt = {
    FUSION_COMMON,
    .name = "2208",
    .chain_flags = SGE_CHAIN | SGE_IOCPLBNTA,
    .read_type = DESCRIPTOR_LD_IO,
    .commands_in_pad_2 = true,
};

static const struct mfi_generation invader = {
    FUSION_COMMON,
    .name = "3108",
    .chain_flags = SGE_CHAIN,
    .last_flags = SGE_END_OF_LIST,
    .type_nseg = CONTEXT_CUDA_1,
    .read_type = DESCRIPTOR_NO_LOCK,
    .commands_in_pad_2 = true,
};

/* Both drivers that are public read here without a map of the arrays, Linux by LD_IO and OpenBSD by NO_LOCK
 * (6.4); the first is the one in wider use. */
static const struct mfi_generation ventura = {
    FUSION_COMMON,
    .name = "35xx",
    .chain_flags = SGE_CHAIN,
    .last_flags = SGE_END_OF_LIST,
    .type_nseg = CONTEXT_CUDA_1,
    .read_type = DESCRIPTOR_LD_IO,
    .context_g35 = true,
    .dcmd_sgl64 = true,
    .shy = true,
};

static const struct mfi_generation aero = {
    FUSION_COMMON,
    .name = "39xx",
    .chain_flags = SGE_CHAIN,
    .last_flags = SGE_END_OF_LIST,
    .type_nseg = CONTEXT_CUDA_1,
    .read_type = DESCRIPTOR_LD_IO,
    .context_g35 = true,
    .dcmd_sgl64 = true,
    .shy = true,
    .reads_zero = true,
    .may_be_atomic = true,
};

/* The vendor counts: 1028:0015 and 1000:0015 are two generations apart.  10E0, 10E3, 10E4 and 10E7 are what
 * an Aero calls itself when its firmware is not genuine: they are no row here, drivers.c says why. */
static const struct {
    uint16_t vendor_id, device_id;
    const struct mfi_generation *generation;
} ids[] = {
    { 0x1028, 0x0015, &xscale },
    { 0x1000, 0x0411, &xscale },
    { 0x1000, 0x0413, &xscale },
    { 0x1000, 0x0060, &generation_1078 },
    { 0x1000, 0x007c, &generation_1078 },
    { 0x1000, 0x0078, &generation_2108 },
    { 0x1000, 0x0079, &generation_2108 },
    { 0x1000, 0x0071, &skinny },
    { 0x1000, 0x0073, &skinny },
    { 0x1000, 0x005b, &thunderbolt },
    { 0x1000, 0x002f, &thunderbolt },
    { 0x1000, 0x005d, &invader },
    { 0x1000, 0x005f, &invader },
    { 0x1000, 0x00ce, &invader },
    { 0x1000, 0x00cf, &invader },
    { 0x1000, 0x0052, &invader },
    { 0x1000, 0x0053, &invader },
    { 0x1000, 0x0014, &ventura },
    { 0x1000, 0x0015, &ventura },
    { 0x1000, 0x0016, &ventura },
    { 0x1000, 0x0017, &ventura },
    { 0x1000, 0x001b, &ventura },
    { 0x1000, 0x001c, &ventura },
    { 0x1000, 0x10e1, &aero },
    { 0x1000, 0x10e2, &aero },
    { 0x1000, 0x10e5, &aero },
    { 0x1000, 0x10e6, &aero },
};

const struct mfi_generation *mfi_generation_of(const struct pci_fn *fn)
{
    for (unsigned i = 0; i < ARRAY_COUNT(ids); i++)
        if (fn->vendor_id == ids[i].vendor_id && fn->device_id == ids[i].device_id)
            return ids[i].generation;
    return NULL;
}
