#include "nvme_internal.h"

/* Devices that differ from the specification in a way that matters to reading (fact sheet A14). */
static const struct {
    uint16_t vendor_id, device_id;
    unsigned quirks;
    const char *refusal;
} devices[] = {
    { 0x144d, 0xa821, QUIRK_WAIT_BEFORE_READY | QUIRK_MQES_ZERO, NULL },
    { 0x144d, 0xa822, QUIRK_WAIT_BEFORE_READY | QUIRK_MQES_ZERO, NULL },
    { 0x144d, 0xa826, QUIRK_WAIT_BEFORE_READY, NULL },
    { 0x1bb1, 0x0100, QUIRK_WAIT_BEFORE_READY | QUIRK_NO_DESCRIPTORS, NULL },
    { 0x1c58, 0x0003, QUIRK_WAIT_BEFORE_READY, NULL },
    { 0x1c58, 0x0023, QUIRK_WAIT_BEFORE_READY, NULL },
    { 0x1c5f, 0x0540, QUIRK_WAIT_BEFORE_READY, NULL },
    { 0x126f, 0x2263, QUIRK_NO_DESCRIPTORS, NULL },
    { 0x1b4b, 0x1092, QUIRK_NO_DESCRIPTORS, NULL },
    { 0x8086, 0x5845, QUIRK_NO_LISTS, NULL },
    { 0x1d1d, 0x1f1f, QUIRK_NO_LISTS, NULL },
    { 0x106b, 0x2001, QUIRK_DEPTH_1, NULL },
    { 0x1217, 0x8760, QUIRK_DEPTH_1, NULL },
    { 0x106b, 0x2005, 0, "Apple controller with 128-byte queue entries and shared tags" },
    { 0x1d0f, 0x0061, QUIRK_DMA_48, NULL },
    { 0x1d0f, 0x0065, QUIRK_DMA_48, NULL },
    { 0x1d0f, 0x8061, QUIRK_DMA_48, NULL },
    { 0x1d0f, 0xcd00, QUIRK_DMA_48, NULL },
    { 0x1d0f, 0xcd01, QUIRK_DMA_48, NULL },
    { 0x1d0f, 0xcd02, QUIRK_DMA_48, NULL },
    { 0x15ad, 0x07f0, QUIRK_NO_SHST, NULL },
    { 0x8086, 0x0953, QUIRK_STRIPE, NULL },
    { 0x8086, 0x0a53, QUIRK_STRIPE, NULL },
    { 0x8086, 0x0a54, QUIRK_STRIPE, NULL },
    { 0x8086, 0x0a55, QUIRK_STRIPE, NULL },
    { 0x8086, 0x0b60, QUIRK_STRIPE, NULL },
};

unsigned nvme_quirks(const struct pci_fn *fn, const char **refusal)
{
    *refusal = NULL;
    for (unsigned i = 0; i < ARRAY_COUNT(devices); i++) {
        if (fn->vendor_id != devices[i].vendor_id || fn->device_id != devices[i].device_id)
            continue;
        *refusal = devices[i].refusal;
        return devices[i].quirks;
    }
    return 0;
}
