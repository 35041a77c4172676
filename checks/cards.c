#include "cards.h"
#include "bits.h"

const struct card cards[] = {
    { 0x1028, 0x0015, "PERC 5 (IOP333)", 8, 1, true },
    { 0x1000, 0x0411, "MegaRAID 8408E, 8480E", 8, 1, true },
    { 0x1000, 0x0413, "MegaRAID 8408E, 8480E", 8, 1, true },
    { 0x1000, 0x0054, "SAS 1068 (SAS 5/iR)", 8, 1, true },
    { 0x1000, 0x0058, "SAS 1068E (SAS 6/iR, BR10i)", 8, 1, true },
    { 0x1000, 0x0060, "MegaRAID 1078 (PERC 6)", 8, 1, true },
    { 0x1000, 0x007c, "MegaRAID 1078 (PERC 6)", 8, 1, true },
    { 0x1000, 0x0071, "SAS 2008 (PERC H310, 9240)", 8, 2, true },
    { 0x1000, 0x0072, "SAS 2008 (PERC H200, 9211)", 8, 2, true },
    { 0x1000, 0x0073, "SAS 2008 (PERC H310, 9240)", 8, 2, true },
    { 0x1000, 0x0078, "MegaRAID 2108 (PERC H700, H800)", 8, 2, true },
    { 0x1000, 0x0079, "MegaRAID 2108 (PERC H700, H800)", 8, 2, true },
    { 0x1000, 0x005b, "MegaRAID 2208 (PERC H710, H810)", 8, 3, true },
    { 0x1000, 0x002f, "MegaRAID 2208 (PERC H710, H810)", 8, 3, true },
    { 0x1000, 0x005d, "MegaRAID 3108 (PERC H730, H830)", 8, 3, false },
    { 0x1000, 0x005f, "MegaRAID 3008 (PERC H330)", 8, 3, false },
    { 0x1000, 0x0097, "SAS 3008 (HBA330)", 8, 3, false },
    { 0x1000, 0x00a5, "SAS4116W (PERC H965i)", 16, 4, false },
};
const unsigned card_count = ARRAY_COUNT(cards);

const struct card *card_find(uint16_t vendor_id, uint16_t device_id)
{
    for (unsigned i = 0; i < card_count; i++)
        if (cards[i].vendor_id == vendor_id && cards[i].device_id == device_id)
            return &cards[i];
    return 0;
}
