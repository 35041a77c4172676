#include <string.h>
#include "fusion_manual.h"

static enum model_mfi_generation generation;
static unsigned replies; /* taken since INIT */

static uint8_t *mem(uint64_t bus) { return manual_memory + (bus - MANUAL_BASE); }
static void put16(uint8_t *p, uint32_t v) { memcpy(p, &v, 2); }
static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
static void put64(uint8_t *p, uint64_t v) { memcpy(p, &v, 8); }

static unsigned bar(void) { return generation >= MODEL_MFI_VENTURA ? 0 : 1; }

void fusion_init(enum model_mfi_generation g)
{
    struct model_host host;

    manual_init();
    host = manual.host;
    model_mfi_free(&manual);
    model_mfi_init(&manual, g);
    manual.host = host;
    manual.max_cmds = 25;
    manual.zero_reads = 0;
    generation = g;
    replies = 0;
}

uint32_t fusion_read(uint32_t off) { return (uint32_t)model_mfi_ops.read(&manual, bar(), off, 4); }
void fusion_write(uint32_t off, uint32_t v) { model_mfi_ops.write(&manual, bar(), off, 4, v); }
void fusion_write64(uint32_t off, uint64_t v) { model_mfi_ops.write(&manual, bar(), off, 8, v); }

void fusion_prepare_init(void)
{
    uint8_t *q = mem(FUSION_MESSAGE), *f = mem(FUSION_INIT);

    memset(q, 0, 72);
    memset(f, 0, 256);
    memset(mem(FUSION_RING), 0xff, 8 * FUSION_DEPTH);
    q[0] = 4;
    q[3] = 2;
    q[13] = 0x02;
    q[15] = 0x10;
    q[26] = 64;
    q[28] = FUSION_DEPTH;
    put64(q + 40, FUSION_POOL);
    put64(q + 48, FUSION_RING);
    f[2] = 0xff;
    f[16] = 1;
    f[20] = 72;
    put64(f + 24, FUSION_MESSAGE);
    fusion_write(0x34, 0xffffffff);
}

uint8_t fusion_post_init(void)
{
    fusion_write64(0xc0, FUSION_INIT | 2);
    manual_wait_ms(0);
    return mem(FUSION_INIT)[2];
}

struct model_mfi_ld *fusion_drive(enum model_mfi_generation g)
{
    struct model_mfi_ld *ld;

    fusion_init(g);
    ld = model_mfi_add_ld(&manual, 3, 65536);
    fusion_prepare_init();
    fusion_post_init();
    return ld;
}

uint8_t *fusion_request(unsigned smid) { return mem(FUSION_POOL + 256 * smid); }
uint8_t *fusion_slot(unsigned i) { return mem(FUSION_RING + 8 * (i % FUSION_DEPTH)); }
uint8_t *fusion_frame(unsigned smid) { return mem(FUSION_FRAMES + 256 * smid); }

static bool end_of_list(void) { return generation >= MODEL_MFI_INVADER; }
static bool g35(void) { return generation >= MODEL_MFI_VENTURA; }

uint8_t *fusion_prepare_read(unsigned smid, uint64_t lba, uint32_t blocks)
{
    uint8_t *r = fusion_request(smid);

    memset(r, 0, 256);
    r[0] = 3;
    r[3] = 0xf1;
    put32(r + 0x0c, MANUAL_SENSE + 128 * smid);
    r[0x10] = 2;
    r[0x12] = 96;
    r[0x14] = 0x20;
    put32(r + 0x1c, blocks * 512);
    r[0x24] = 16;
    r[0x3f] = 0x02;
    r[0x40] = 0x88;
    for (unsigned i = 0; i < 8; i++)
        r[0x42 + i] = (uint8_t)(lba >> (56 - 8 * i));
    r[0x4c] = (uint8_t)(blocks >> 8);
    r[0x4d] = (uint8_t)blocks;
    r[0x60] = end_of_list() ? 0x12 : 0;
    r[0x66] = 3;
    r[g35() ? 0x7c : 0x79] = 1;
    put64(r + 0x80, MANUAL_DATA + MANUAL_DATA_STEP * smid);
    put32(r + 0x88, blocks * 512);
    r[0x8f] = end_of_list() ? 0x40 : 0;
    return r;
}

void fusion_post(unsigned type, unsigned smid) { fusion_write64(0xc0, type << 1 | smid << 16); }

void fusion_post_read(unsigned smid) { fusion_post(generation == MODEL_MFI_INVADER ? 2 : 7, smid); }

void fusion_ld_read(unsigned smid, uint64_t lba, uint32_t blocks)
{
    fusion_prepare_read(smid, lba, blocks);
    fusion_post_read(smid);
}

unsigned fusion_take(unsigned i)
{
    uint8_t *slot = fusion_slot(i);
    unsigned smid = slot[2] | slot[3] << 8;

    if (slot[0] == 0xff)
        return 0;
    memset(slot, 0xff, 8);
    replies = (i + 1) % FUSION_DEPTH;
    fusion_write(0x6c, replies);
    return smid;
}

void fusion_prepare_dcmd(uint32_t opcode, uint32_t mbox, uint32_t bytes)
{
    uint8_t *r = fusion_request(1), *f = fusion_frame(1);

    memset(r, 0, 256);
    r[2] = 8;
    r[3] = 0xf0;
    r[0x14] = 0x20;
    put64(r + 0x80, FUSION_FRAMES + 256);
    put32(r + 0x88, 256);
    r[0x8f] = 0x83;
    memset(f, 0, 256);
    f[0] = 5;
    f[2] = 0xff;
    f[7] = bytes != 0;
    put16(f + 16, (bytes ? 0x10 : 0) | 1);
    put32(f + 20, bytes);
    put32(f + 24, opcode);
    put32(f + 28, mbox);
    put32(f + 40, bytes ? MANUAL_DATA + MANUAL_DATA_STEP : 0);
    put32(f + 44, bytes);
    memset(manual_data(1), 0x77, MANUAL_DATA_STEP);
}

uint8_t fusion_dcmd(uint32_t opcode, uint32_t mbox, uint32_t bytes)
{
    fusion_prepare_dcmd(opcode, mbox, bytes);
    fusion_post(0, 1);
    manual_wait_ms(0);
    fusion_take(replies);
    return fusion_frame(1)[2];
}
