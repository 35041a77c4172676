#ifndef AHCI_SPEC_H
#define AHCI_SPEC_H
#include <stddef.h>
#include <stdint.h>
#include "ahci_regs.h"

/* What the adapter reads and writes in memory (fact sheet B3), and how a port's share of it is laid out.
 *
 * Each command slot owns one command table for good: the address in the slot's header is written once, at
 * attach.  A request writes one 16-byte register FIS, one entry of the region list for every 4 MiB (an
 * address sum, since every buffer is contiguous), and the header's first word.  Nothing is built ahead per
 * buffer, and the lists name exactly the bytes that were asked for, so that a drive that sends more cannot
 * write past them. */

struct ahci_header {
    union {
        struct {
            uint32_t dw0;         /* FIS length in words 4:0, entries of the region list 31:16 */
            uint32_t moved_bytes; /* PRDBC: the adapter's, not for queued commands */
        };
        uint64_t dw0_and_moved;
    };
    uint64_t table_bus;
    uint32_t reserved[4];
};
enum { HEADER_FIS_WORDS = 5 };
#define HEADER_WRITE      BIT_(6)
#define HEADER_RESET      BIT_(8)
#define HEADER_CLEAR_BUSY BIT_(10)

struct ahci_region {
    uint64_t bus;
    uint32_t reserved;
    uint32_t bytes_less_one; /* 21:0 */
};
#define REGION_MAX_BYTES (4 * MIB)
enum { TABLE_REGIONS = 8 };

struct ahci_table {
    union { /* host to device register FIS: the first five words */
        uint32_t fis[16];
        uint64_t fis_pair[8];
    };
    uint8_t packet[16];
    uint8_t reserved[48];
    struct ahci_region region[TABLE_REGIONS];
};

/* What the drive sends. */
struct ahci_received {
    uint8_t dma_setup[0x20], pio_setup[0x20];
    uint8_t registers[0x18]; /* D2H register FIS: status 2, error 3, LBA 4-6 and 8-10 */
    uint8_t device_bits[0x08];
    uint8_t unknown[0x40], reserved[0x60];
};

enum { SCRATCH_BYTES = 512 };
struct ahci_port_memory {
    struct ahci_header header[AHCI_MAX_SLOTS]; /* 1 KiB aligned */
    struct ahci_received received;             /* 256-byte aligned */
    uint8_t pad[256];
    uint8_t scratch[SCRATCH_BYTES];          /* IDENTIFY, logs */
    struct ahci_table table[AHCI_MAX_SLOTS]; /* 128-byte aligned */
};
enum { PORT_MEMORY_ALIGN_BYTES = 1024 };

_Static_assert(sizeof(struct ahci_header) == 32, "command header");
_Static_assert(sizeof(struct ahci_region) == 16, "region list entry");
_Static_assert(sizeof(struct ahci_table) == 256 && offsetof(struct ahci_table, packet) == 0x40 &&
                   offsetof(struct ahci_table, region) == 0x80,
               "command table");
_Static_assert(sizeof(struct ahci_received) == 256 && offsetof(struct ahci_received, registers) == 0x40 &&
                   offsetof(struct ahci_received, device_bits) == 0x58 &&
                   offsetof(struct ahci_received, unknown) == 0x60,
               "receive area");
_Static_assert(offsetof(struct ahci_port_memory, received) % 256 == 0 &&
                   offsetof(struct ahci_port_memory, table) % 128 == 0 &&
                   sizeof(struct ahci_port_memory) % PORT_MEMORY_ALIGN_BYTES == 0,
               "a port's memory");

/* Host to device register FIS (27h, C bit set), by words. */
#define FIS_COMMAND(command, features_low)                                                                   \
    (0x8027u | (uint32_t)(command) << 16 | (uint32_t)(features_low) << 24)
#define FIS_DEVICE_LBA           0x40u
#define FIS_LBA_LOW(lba, device) ((uint32_t)((lba)&0xffffff) | (uint32_t)(device) << 24)
#define FIS_LBA_HIGH(lba, features_high)                                                                     \
    ((uint32_t)((lba) >> 24 & 0xffffff) | (uint32_t)(features_high) << 24)

enum { FIS_TO_DRIVE = 0x27, CONTROL_SRST = 0x04 };
enum { FIS_FROM_DRIVE = 0x34 }; /* device to host register FIS */

enum {
    ATA_READ_DMA_EXT = 0x25,
    ATA_READ_NATIVE_MAX_EXT = 0x27,
    ATA_READ_LOG_EXT = 0x2f,
    ATA_WRITE_DMA_EXT = 0x35,
    ATA_READ_FPDMA_QUEUED = 0x60,
    ATA_WRITE_FPDMA_QUEUED = 0x61,
    ATA_SMART = 0xb0,
    ATA_READ_DMA = 0xc8,
    ATA_WRITE_DMA = 0xca,
    ATA_CHECK_POWER_MODE = 0xe5,
    ATA_FLUSH_CACHE = 0xe7,
    ATA_FLUSH_CACHE_EXT = 0xea,
    ATA_IDENTIFY_DEVICE = 0xec,
    ATA_SET_FEATURES = 0xef
};
/* READ LOG EXT, SMART READ LOG */
enum {
    ATA_LOG_DIRECTORY = 0x00,
    ATA_LOG_ERRORS = 0x01,
    ATA_LOG_STATISTICS = 0x04,
    ATA_LOG_SELF_TESTS = 0x06,
    ATA_LOG_SELF_TESTS_EXT = 0x07,
    ATA_LOG_QUEUED_ERROR = 0x10
};
enum {
    SMART_READ_DATA = 0xd0,
    SMART_READ_THRESHOLDS = 0xd1,
    SMART_EXECUTE = 0xd4,
    SMART_READ_LOG = 0xd5,
    SMART_RETURN_STATUS = 0xda
};
#define SMART_LBA         0xc24f00u /* LBA mid and high of every SMART command, and of "all is well" */
#define SMART_LBA_FAILING 0x2cf400u
/* SET FEATURES */
enum {
    FEATURE_WRITE_CACHE_ON = 0x02,
    FEATURE_SPIN_UP = 0x07,
    FEATURE_LOOK_AHEAD_OFF = 0x55,
    FEATURE_WRITE_CACHE_OFF = 0x82,
    FEATURE_LOOK_AHEAD_ON = 0xaa
};
/* CHECK POWER MODE: below 80h some kind of standby, from there to FEh some kind of idle. */
enum { POWER_IDLE_FROM = 0x80, POWER_ACTIVE = 0xff };

#endif
