#include <stdio.h>
#include <string.h>
#include "model_manual.h"

struct model_ahci manual;

void manual_init(void)
{
    model_ahci_init(&manual);
    manual.host = manual_host(MANUAL_BASE);
}

uint32_t manual_read(uint32_t off) { return (uint32_t)model_ahci_ops.read(&manual, 5, off, 4); }

void manual_write(uint32_t off, uint32_t v) { model_ahci_ops.write(&manual, 5, off, 4, v); }

uint32_t manual_port(uint32_t off) { return manual_read(0x100 + off); }

void manual_port_write(uint32_t off, uint32_t v) { manual_write(0x100 + off, v); }

void manual_wait_ms(uint64_t ms)
{
    manual_now_ns += ms * 1000000;
    model_ahci_ops.tick(&manual);
}

void manual_start(void)
{
    manual_write(0x04, 0x80000000);
    manual_port_write(0x00, MANUAL_CLB);
    manual_port_write(0x08, MANUAL_FB);
    manual_port_write(0x18, 0x16);
    manual_port_write(0x30, 0xffffffff);
    manual_port_write(0x18, 0x17);
}

struct model_ahci_drive *manual_disk(void)
{
    struct model_ahci_drive *d;

    manual_init();
    d = model_ahci_add_disk(&manual, 0, 65536);
    manual_start();
    return d;
}

static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }

uint8_t *manual_header(unsigned slot) { return manual_memory + (MANUAL_CLB - MANUAL_BASE) + 32 * slot; }

uint8_t *manual_data(unsigned slot)
{
    return manual_memory + (MANUAL_DATA - MANUAL_BASE) + MANUAL_DATA_STEP * slot;
}

uint8_t *manual_prepare(unsigned slot, uint8_t opcode, uint64_t lba, unsigned count, unsigned bytes)
{
    uint8_t *header = manual_header(slot);
    uint8_t *table = manual_memory + (MANUAL_TABLE - MANUAL_BASE) + MANUAL_TABLE_STEP * slot;
    const uint8_t fis[20] = { 0x27,
                              0x80,
                              opcode,
                              0,
                              (uint8_t)lba,
                              (uint8_t)(lba >> 8),
                              (uint8_t)(lba >> 16),
                              0x40,
                              (uint8_t)(lba >> 24),
                              (uint8_t)(lba >> 32),
                              (uint8_t)(lba >> 40),
                              0,
                              (uint8_t)count,
                              (uint8_t)(count >> 8) };

    put32(header, 5 | (bytes ? 1u << 16 : 0));
    put32(header + 4, 0);
    put32(header + 8, MANUAL_TABLE + MANUAL_TABLE_STEP * slot);
    put32(header + 12, 0);
    memcpy(table, fis, sizeof fis);
    put32(table + 0x80, MANUAL_DATA + MANUAL_DATA_STEP * slot);
    put32(table + 0x84, 0);
    put32(table + 0x8c, bytes - 1);
    return table;
}

void manual_queue(unsigned slot, uint64_t lba, unsigned blocks)
{
    uint8_t *table = manual_prepare(slot, 0x60, lba, slot << 3, blocks * 512);

    table[3] = (uint8_t)blocks;
    table[11] = (uint8_t)(blocks >> 8);
    manual_port_write(0x34, 1u << slot);
    manual_port_write(0x38, 1u << slot);
}

bool manual_holds(unsigned slot, uint64_t lba, unsigned blocks)
{
    uint8_t want[512];

    for (unsigned i = 0; i < blocks; i++) {
        model_ahci_pattern(0, lba + i, want, sizeof want);
        if (memcmp(manual_data(slot) + 512 * i, want, sizeof want))
            return false;
    }
    return true;
}
