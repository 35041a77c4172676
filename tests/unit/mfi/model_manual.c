#include <stdio.h>
#include <string.h>
#include "model_manual.h"

struct model_mfi manual;

void manual_init(void)
{
    model_mfi_free(&manual);
    model_mfi_init(&manual, MODEL_MFI_2108);
    manual.max_cmds = 64;
    manual.host = manual_host(MANUAL_BASE);
}

uint32_t manual_read(uint32_t off) { return (uint32_t)model_mfi_ops.read(&manual, 1, off, 4); }

void manual_write(uint32_t off, uint32_t v) { model_mfi_ops.write(&manual, 1, off, 4, v); }

void manual_wait_ms(uint64_t ms)
{
    manual_now_ns += ms * 1000000;
    model_mfi_ops.tick(&manual);
}

static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }

uint8_t *manual_frame(unsigned i)
{
    return manual_memory + (MANUAL_FRAMES - MANUAL_BASE) + MANUAL_FRAME_STEP * i;
}

uint8_t *manual_data(unsigned i)
{
    return manual_memory + (MANUAL_DATA - MANUAL_BASE) + MANUAL_DATA_STEP * i;
}

uint8_t *manual_prepare(unsigned i, uint8_t cmd, uint16_t flags, uint32_t length)
{
    uint8_t *f = manual_frame(i);

    memset(f, 0, MANUAL_FRAME_STEP);
    f[0] = cmd;
    f[2] = 0xff;
    put32(f + 8, i);
    put32(f + 16, flags | 1u);
    put32(f + 20, length);
    return f;
}

void manual_sge(unsigned i, uint32_t bytes)
{
    uint8_t *f = manual_frame(i);
    unsigned offset = f[0] == 3 || f[0] == 4 ? 48 : 40;

    f[7] = 1;
    put32(f + offset, MANUAL_DATA + MANUAL_DATA_STEP * i);
    put32(f + offset + 4, bytes);
}

void manual_post(unsigned i, unsigned extra)
{
    manual_write(0x40, (MANUAL_FRAMES + MANUAL_FRAME_STEP * i) | extra << 1 | 1);
}

uint8_t manual_start(void)
{
    uint8_t *q = manual_memory, *f = manual_prepare(0, 0, 0, 32);

    memset(q, 0, 0x100);
    put32(q + 4, manual.max_cmds);
    put32(q + 8, MANUAL_RING);
    put32(q + 16, MANUAL_QUEUE + 0x40);
    put32(q + 24, MANUAL_QUEUE + 0x80);
    put32(f + 24, MANUAL_QUEUE);
    manual_write(0x34, 0xffffffff);
    manual_post(0, 0);
    manual_wait_ms(0);
    return f[2];
}

struct model_mfi_ld *manual_drive(void)
{
    struct model_mfi_ld *ld;

    manual_init();
    ld = model_mfi_add_ld(&manual, 3, 65536);
    manual_start();
    return ld;
}

void manual_ld_read(unsigned i, uint64_t lba, uint32_t blocks)
{
    uint8_t *f = manual_prepare(i, 1, 0x10, blocks);

    f[1] = 32;
    f[4] = 3;
    put32(f + 24, MANUAL_SENSE + 64 * i);
    memcpy(f + 32, &lba, 8);
    manual_sge(i, blocks * 512);
    manual_post(i, 0);
}

uint8_t manual_dcmd(uint32_t opcode, uint32_t mbox, uint32_t bytes)
{
    uint8_t *f = manual_prepare(1, 5, bytes ? 0x10 : 0, bytes);

    put32(f + 24, opcode);
    put32(f + 28, mbox);
    memset(manual_data(1), 0x77, MANUAL_DATA_STEP);
    if (bytes)
        manual_sge(1, bytes);
    manual_post(1, 0);
    manual_wait_ms(0);
    return f[2];
}

uint8_t manual_scsi(uint8_t cmd, uint8_t target, const uint8_t *cdb, uint8_t cdb_len, uint32_t bytes)
{
    uint8_t *f = manual_prepare(1, cmd, bytes ? 0x10 : 0, bytes);

    f[1] = 32;
    f[4] = target;
    f[6] = cdb_len;
    put32(f + 24, MANUAL_SENSE + 64);
    memcpy(f + 32, cdb, cdb_len);
    if (bytes)
        manual_sge(1, bytes);
    manual_post(1, 0);
    manual_wait_ms(0);
    return f[2];
}

bool manual_holds(unsigned i, unsigned target, uint64_t lba, unsigned blocks)
{
    uint8_t want[512];

    for (unsigned k = 0; k < blocks; k++) {
        model_mfi_pattern(target, lba + k, want, sizeof want);
        if (memcmp(manual_data(i) + 512 * k, want, sizeof want))
            return false;
    }
    return true;
}
