#include "mfi_parts.h"

/* Settings: a card as it comes from the box, and what is plugged into it. */

static void content(void *ctx, uint32_t unit, uint64_t lba, void *buf, uint32_t bytes)
{
    (void)ctx;
    model_mfi_pattern(unit, lba, buf, bytes);
}

void model_mfi_free(struct model_mfi *m) { medium_free(&m->medium); }

void model_mfi_init(struct model_mfi *m, enum model_mfi_generation g)
{
    static const uint8_t rates[5] = { 30, 30, 30, 30, 30 };
    const struct model_mfi_row *row;

    memset(m, 0, sizeof *m);
    m->generation = g;
    m->medium.volatile_cache = true;
    m->medium.content = content;
    row = model_mfi_row(m);
    m->vendor_id = row->vendor_id;
    m->device_id = row->device_id;
    m->subvendor_id = row->subvendor_id;
    m->subdevice_id = row->subdevice_id;
    m->max_cmds = row->max_cmds;
    m->max_sge = row->max_sge;
    m->ieee_sgl = row->ieee_only;
    m->io_limit_sectors = row->ieee_only ? 256 : 0;
    m->queries_unknown = g == MODEL_MFI_XSCALE;
    m->memory_mib = row->memory_mib;
    m->chain_bytes = 1024;
    m->reply_queues = 1;
    m->dma64 = row->g35;
    m->atomic_descriptors = row->atomic;
    m->zero_reads = row->zero_reads;
    m->ld_ops = 0x1f;
    m->adapter_ops = 0x7fff;
    m->hw_present = 0x36;
    m->max_strips_per_io = 128;
    m->hand_back_state = MODEL_MFI_OPERATIONAL;
    m->boot_seq = 1;
    memcpy(m->rates, rates, sizeof rates);
    strcpy(m->product, row->product);
    strcpy(m->serial, "SV00000001");
    strcpy(m->package, "12.15.0-0239");
}

static void medium_defaults(struct model_mfi_medium *d, uint64_t blocks, const char *vendor,
                            const char *product, uint64_t naa)
{
    d->blocks = blocks;
    d->block_bytes = 512;
    strcpy(d->vendor, vendor);
    strcpy(d->product, product);
    strcpy(d->revision, "2.13");
    d->naa = naa;
}

struct model_mfi_ld *model_mfi_add_ld(struct model_mfi *m, uint8_t target, uint64_t blocks)
{
    for (unsigned i = 0; i < MODEL_MFI_LDS; i++) {
        struct model_mfi_ld *ld = &m->ld[i];

        if (ld->present)
            continue;
        memset(ld, 0, sizeof *ld);
        ld->present = true;
        ld->consistent = 1;
        ld->target = target;
        ld->state = MODEL_MFI_LD_OPTIMAL;
        ld->stripe_exponent = 7;
        ld->drives_per_span = ld->span_depth = 1;
        ld->seq = 1;
        strcpy(ld->name, "VD00");
        ld->name[2] = (char)('0' + target / 10 % 10);
        ld->name[3] = (char)('0' + target % 10);
        medium_defaults(&ld->medium, blocks, "LSI", "MR9260-8i", 0x600605b000000000ull + target);
        return ld;
    }
    return NULL;
}

struct model_mfi_pd *model_mfi_add_pd(struct model_mfi *m, uint16_t device_id, uint8_t slot, uint16_t state)
{
    for (unsigned i = 0; i < MODEL_MFI_PDS; i++) {
        struct model_mfi_pd *pd = &m->pd[i];

        if (pd->present)
            continue;
        memset(pd, 0, sizeof *pd);
        pd->present = true;
        pd->device_id = device_id;
        pd->enclosure_id = 32;
        pd->enclosure_index = 1;
        pd->slot = slot;
        pd->state = state;
        pd->seq = 1;
        pd->speed = pd->link_speed = 3;
        pd->interface_type = 2;
        pd->temperature_c = 31;
        pd->sas_address = 0x5000c50000000001ull + 16 * device_id;
        pd->ld_target = 0xff;
        medium_defaults(&pd->medium, 1953525168, "SEAGATE", "ST1000NM0001",
                        0x5000c50000000000ull + 16 * device_id);
        strcpy(pd->medium.serial, "Z1N00000");
        pd->medium.serial[6] = (char)('0' + slot / 10 % 10);
        pd->medium.serial[7] = (char)('0' + slot % 10);
        pd->medium.rotation_rpm = 7200;
        return pd;
    }
    return NULL;
}

void model_mfi_lie(struct model_mfi *m, uint32_t opcode, enum model_mfi_lie_how how, uint64_t value)
{
    for (unsigned i = 0; i < MODEL_MFI_LIES; i++)
        if (!m->lie[i].used || m->lie[i].opcode == opcode) {
            m->lie[i] = (struct model_mfi_lie){ .opcode = opcode, .used = true, .how = how, .value = value };
            return;
        }
}

void model_mfi_like_qemu(struct model_mfi *m)
{
    static const uint32_t untouched[] = { 0x01040300, 0x03030000, 0x05010000,
                                          0x05020000, 0x05030000, 0x05050100 };

    m->posts_polled_frames = m->masking_resets = m->unknown_is_ok = m->qemu_ids = true;
    strcpy(m->package, "2.5+-QEMU");
    for (unsigned i = 0; i < sizeof untouched / sizeof untouched[0]; i++)
        model_mfi_lie(m, untouched[i], MODEL_MFI_UNTOUCHED, 0);
}

void model_mfi_pattern(unsigned target, uint64_t lba, void *buf, size_t bytes)
{
    uint8_t *out = buf;
    uint64_t x = (lba + 1) * 0xd6e8feb86659fd93ull ^ (uint64_t)(target + 1) << 48;

    for (size_t at = 0; at < bytes; at += sizeof x) {
        x ^= x >> 32;
        x *= 0x9fb21c651e98df25ull;
        x ^= x >> 28;
        memcpy(out + at, &x, bytes - at < sizeof x ? bytes - at : sizeof x);
    }
}
