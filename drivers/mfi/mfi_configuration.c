#include "mfi_internal.h"

/* Which drives a virtual drive is made of: its spans name arrays, the configuration names the arrays' drives
 * (facts/mfi.md 4.5, 4.6). */

int mfi_configuration(struct mfi_card *card)
{
    const struct mfi_config *h = (const struct mfi_config *)card->config;
    uint32_t asked = MFI_CONFIG_FIRST_BYTES;
    int rc = mfi_dcmd(card, &MFI_CONFIG_READ, (struct mfi_mbox){ { 0 } }, card->config, asked);

    /* QEMU takes no longer buffer than the first one; what it has does not need it (5.4, fact 17). */
    if (!rc && h->total_bytes > asked && !card->qemu) {
        asked = MFI_BUFFER_BYTES;
        rc = mfi_dcmd(card, &MFI_CONFIG_READ, (struct mfi_mbox){ { 0 } }, card->config, asked);
    }
    card->config_bytes = rc ? 0 : (uint32_t)min_u64(h->total_bytes, asked);
    return card->c.fault.err;
}

/* NULL: the configuration has no such array, or does not reach so far. */
static const struct mfi_array *array_of(const struct mfi_card *card, uint16_t reference)
{
    const struct mfi_config *h = (const struct mfi_config *)card->config;

    if (card->config_bytes < sizeof *h || h->array_stride < sizeof(struct mfi_array) ||
        h->array_stride % _Alignof(struct mfi_array))
        return NULL;
    for (uint32_t i = 0; i < h->array_count; i++) {
        uint32_t at = sizeof *h + i * h->array_stride;
        const struct mfi_array *a;

        if (at + sizeof *a > card->config_bytes)
            return NULL;
        a = (const struct mfi_array *)(card->config + at);
        if (a->reference == reference)
            return a;
    }
    return NULL;
}

void mfi_take_members(const struct mfi_card *card, const struct mfi_ld_info *info,
                      struct raid_virtual_drive *vd)
{
    unsigned spans = info->parameters.spans ? info->parameters.spans : 1;

    vd->member_count = 0;
    for (unsigned s = 0; s < spans && s < MFI_MAX_SPANS; s++) {
        const struct mfi_array *a = array_of(card, info->span[s].array);

        if (!a)
            continue;
        for (unsigned r = 0; r < a->drives && r < MFI_ARRAY_ROWS && vd->member_count < RAID_MAX_MEMBERS; r++)
            vd->member[vd->member_count++] = a->row[r].device_id;
    }
}
