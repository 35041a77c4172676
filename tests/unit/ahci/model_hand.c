#include <stdio.h>
#include <string.h>
#include "model_hand.h"

struct model_ahci hand;
uint8_t hand_memory[HAND_BYTES];
uint64_t hand_now_ns;
unsigned long hand_violations;
char hand_violation[120];
bool hand_published;

static uint8_t *at(uint64_t bus, size_t n)
{
    if (bus < HAND_BASE || bus - HAND_BASE > HAND_BYTES || n > HAND_BYTES - (bus - HAND_BASE)) {
        hand_violations++;
        snprintf(hand_violation, sizeof hand_violation, "memory at %#llx", (unsigned long long)bus);
        return NULL;
    }
    return hand_memory + (bus - HAND_BASE);
}

static bool dma_read(void *ctx, uint64_t bus, void *dst, size_t n)
{
    const uint8_t *p = at(bus, n);

    (void)ctx;
    if (p)
        memcpy(dst, p, n);
    return p;
}

static bool dma_write(void *ctx, uint64_t bus, const void *src, size_t n)
{
    uint8_t *p = at(bus, n);

    (void)ctx;
    if (p)
        memcpy(p, src, n);
    return p;
}

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return hand_now_ns;
}

static void violation(void *ctx, const char *what, uint64_t got, uint64_t want)
{
    (void)ctx;
    hand_violations++;
    snprintf(hand_violation, sizeof hand_violation, "%s (%#llx, %#llx)", what, (unsigned long long)got,
             (unsigned long long)want);
}

static bool published(void *ctx)
{
    (void)ctx;
    return hand_published;
}

void hand_init(void)
{
    model_ahci_init(&hand);
    hand.host = (struct model_host){ .dma_read = dma_read,
                                     .dma_write = dma_write,
                                     .now_ns = now_ns,
                                     .violation = violation,
                                     .published = published };
    memset(hand_memory, 0, sizeof hand_memory);
    hand_now_ns = 0;
    hand_violations = 0;
    hand_violation[0] = 0;
    hand_published = true;
}

uint32_t hand_read(uint32_t off) { return (uint32_t)model_ahci_ops.read(&hand, 5, off, 4); }

void hand_write(uint32_t off, uint32_t v) { model_ahci_ops.write(&hand, 5, off, 4, v); }

uint32_t hand_port(uint32_t off) { return hand_read(0x100 + off); }

void hand_port_write(uint32_t off, uint32_t v) { hand_write(0x100 + off, v); }

void hand_wait_ms(uint64_t ms)
{
    hand_now_ns += ms * 1000000;
    model_ahci_ops.tick(&hand);
}

void hand_start(void)
{
    hand_write(0x04, 0x80000000);
    hand_port_write(0x00, HAND_CLB);
    hand_port_write(0x08, HAND_FB);
    hand_port_write(0x18, 0x16);
    hand_port_write(0x30, 0xffffffff);
    hand_port_write(0x18, 0x17);
}

struct model_ahci_drive *hand_disk(void)
{
    struct model_ahci_drive *d;

    hand_init();
    d = model_ahci_add_disk(&hand, 0, 65536);
    hand_start();
    return d;
}

static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }

uint8_t *hand_header(unsigned slot) { return hand_memory + (HAND_CLB - HAND_BASE) + 32 * slot; }

uint8_t *hand_data(unsigned slot) { return hand_memory + (HAND_DATA - HAND_BASE) + HAND_DATA_STEP * slot; }

uint8_t *hand_prepare(unsigned slot, uint8_t opcode, uint64_t lba, unsigned count, unsigned bytes)
{
    uint8_t *header = hand_header(slot);
    uint8_t *table = hand_memory + (HAND_TABLE - HAND_BASE) + HAND_TABLE_STEP * slot;
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
    put32(header + 8, HAND_TABLE + HAND_TABLE_STEP * slot);
    put32(header + 12, 0);
    memcpy(table, fis, sizeof fis);
    put32(table + 0x80, HAND_DATA + HAND_DATA_STEP * slot);
    put32(table + 0x84, 0);
    put32(table + 0x8c, bytes - 1);
    return table;
}

void hand_queue(unsigned slot, uint64_t lba, unsigned blocks)
{
    uint8_t *table = hand_prepare(slot, 0x60, lba, slot << 3, blocks * 512);

    table[3] = (uint8_t)blocks;
    table[11] = (uint8_t)(blocks >> 8);
    hand_port_write(0x34, 1u << slot);
    hand_port_write(0x38, 1u << slot);
}

bool hand_holds(unsigned slot, uint64_t lba, unsigned blocks)
{
    uint8_t want[512];

    for (unsigned i = 0; i < blocks; i++) {
        model_ahci_pattern(0, lba + i, want, sizeof want);
        if (memcmp(hand_data(slot) + 512 * i, want, sizeof want))
            return false;
    }
    return true;
}
