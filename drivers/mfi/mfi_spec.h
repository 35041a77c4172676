#ifndef MFI_SPEC_H
#define MFI_SPEC_H
#include <stddef.h>
#include <stdint.h>

/* What card and host share in memory (facts/mfi.md 3 and 4), little-endian, at natural alignment. */

/* ---- frames ---- */
enum mfi_frame_cmd {
    MFI_INIT = 0,
    MFI_LD_READ = 1,
    MFI_LD_WRITE = 2,
    MFI_LD_SCSI_IO = 3,
    MFI_PD_SCSI_IO = 4,
    MFI_DCMD = 5
};
enum {
    MFI_FRAME_BYTES = 64,    /* the SGL runs on into the frames behind */
    MFI_SLOT_BYTES = 2048,   /* what one command owns: QEMU maps so much from the frame's address (5.4) */
    MFI_SENSE_OFFSET = 1024, /* in the slot, behind the longest SGL */
    MFI_SENSE_BYTES = 96,
    MFI_IO_SGL_OFFSET = 40,   /* LD I/O and DCMD frames */
    MFI_SCSI_SGL_OFFSET = 48, /* pass-through frames */
    MFI_SGE64_BYTES = 12,
    MFI_SGE_IEEE_BYTES = 16,
    MFI_MAX_SGE = 80,        /* Linux: 1024 bytes for a command in all (2.5) */
    MFI_MAX_IEEE_SGE = 60,   /* the same with longer entries */
    MFI_MAX_EXTRA_FRAMES = 7 /* more than fits the port's count bits is sent as 7 (2.3) */
};
_Static_assert(MFI_SCSI_SGL_OFFSET + MFI_MAX_SGE * MFI_SGE64_BYTES <= MFI_SENSE_OFFSET &&
                   MFI_SCSI_SGL_OFFSET + MFI_MAX_IEEE_SGE * MFI_SGE_IEEE_BYTES <= MFI_SENSE_OFFSET,
               "the SGL fits its slot");

#define MFI_FLAG_NO_POST 0x01u
#define MFI_FLAG_SGL64   0x02u
#define MFI_FLAG_WRITE   0x08u
#define MFI_FLAG_READ    0x10u
#define MFI_FLAG_IEEE    0x20u

struct mfi_header {
    uint8_t cmd, sense_len, cmd_status, scsi_status, target_id, lun, cdb_len, sge_count;
    uint32_t context, context_hi;
    uint16_t flags, timeout_s;
    uint32_t data_len; /* bytes; blocks in LD_READ and LD_WRITE */
};
struct mfi_sge32 {
    uint32_t addr, len;
};
struct mfi_sge64 {
    uint32_t addr_lo, addr_hi, len;
};
struct mfi_init_frame {
    struct mfi_header h;
    uint32_t info_lo, info_hi, old_info_lo, old_info_hi, reserved[6];
};
struct mfi_io_frame {
    struct mfi_header h;
    uint32_t sense_lo, sense_hi, lba_lo, lba_hi;
    struct mfi_sge64 sge[MFI_MAX_SGE];
};
struct mfi_sge_ieee {
    uint32_t addr_lo, addr_hi, len, flags;
};
struct mfi_scsi_frame {
    struct mfi_header h;
    uint32_t sense_lo, sense_hi;
    uint8_t cdb[16];
    union {
        struct mfi_sge64 sge[MFI_MAX_SGE];
        struct mfi_sge_ieee ieee[MFI_MAX_IEEE_SGE];
    };
};
struct mfi_mbox {
    uint32_t w[3];
};
struct mfi_dcmd_frame {
    struct mfi_header h;
    uint32_t opcode;
    struct mfi_mbox mbox;
    union {
        struct mfi_sge32 sge[1];
        struct mfi_sge64 sge64[1];
    };
};
struct mfi_queue_info {
    uint32_t flags, entries;
    uint64_t ring, producer, consumer;
};
_Static_assert(sizeof(struct mfi_header) == 24 && sizeof(struct mfi_init_frame) == 64, "MFI header sizes");
_Static_assert(sizeof(struct mfi_queue_info) == 32 && sizeof(struct mfi_sge64) == MFI_SGE64_BYTES,
               "MFI sizes");
_Static_assert(offsetof(struct mfi_io_frame, sge) == MFI_IO_SGL_OFFSET, "LD I/O frame");
_Static_assert(offsetof(struct mfi_scsi_frame, sge) == MFI_SCSI_SGL_OFFSET, "pass-through frame");
_Static_assert(offsetof(struct mfi_dcmd_frame, sge) == MFI_IO_SGL_OFFSET, "DCMD frame");

/* The header's bytes as the 64-bit words that the I/O path stores. */
#define HEAD_CMD        BITS(7, 0)
#define HEAD_SENSE_LEN  BITS(15, 8)
#define HEAD_CMD_STATUS BITS(23, 16)
#define HEAD_TARGET     BITS(39, 32)
#define HEAD_CDB_LEN    BITS(55, 48)
#define HEAD_SGE_COUNT  BITS(63, 56)

/* Status byte (3.9). */
enum {
    MFI_STAT_OK = 0x00,
    MFI_STAT_INVALID_CMD = 0x01,
    MFI_STAT_INVALID_DCMD = 0x02,
    MFI_STAT_BAD_PARAMETER = 0x03,
    MFI_STAT_NO_DEVICE = 0x0c,
    MFI_STAT_NO_HARDWARE = 0x22,
    MFI_STAT_NOT_FOUND = 0x23,
    MFI_STAT_SCSI_DONE_WITH_ERROR = 0x2d,
    MFI_STAT_PINNED_CACHE = 0x54,
    MFI_STAT_PENDING = 0xff
};

/* ---- controller properties (4.3) ---- */
struct mfi_ctrl_properties {
    uint16_t sequence, predictive_poll_s, throttle[2];
    uint8_t rebuild_percent, patrol_percent, init_percent, check_percent, reconstruction_percent, r13[19];
    uint32_t on_off;
    uint8_t r36[28];
};
_Static_assert(sizeof(struct mfi_ctrl_properties) == 64 && offsetof(struct mfi_ctrl_properties, on_off) == 32,
               "controller properties");

/* ---- controller info (4.2) ---- */
struct mfi_component {
    char name[8], version[32], build_date[16], build_time[16];
};
struct mfi_ctrl_info {
    uint16_t vendor, device, subvendor, subdevice;
    uint8_t r8[172];
    uint32_t component_count;
    struct mfi_component component[8];
    uint8_t r760[584];
    char product[80], serial[32];
    uint32_t hw_present, firmware_time;
    uint16_t max_commands, max_sge;
    uint32_t max_request_sectors;
    uint16_t lds_present, lds_degraded, lds_offline;
    uint16_t pds_present, disks_present, disks_predictive, disks_failed;
    uint16_t nvram_kib, memory_mib, flash_mib;
    uint16_t correctable_errors, uncorrectable_errors, r1496, max_strips_per_io;
    uint32_t raid_levels, adapter_ops, ld_ops;
    uint8_t stripe_exponent_min, stripe_exponent_max;
    uint8_t r1514[22];
    struct mfi_ctrl_properties properties;
    char package[96];
    uint8_t r1696[258];
    uint16_t cache_mib; /* newer firmware */
    uint32_t ops_2;
    uint8_t r1960[33], roc_temperature_c, controller_temperature_c, r1995[53];
};
#define CI_AT(field, off) _Static_assert(offsetof(struct mfi_ctrl_info, field) == (off), "ctrl info " #field)
CI_AT(component_count, 180);
CI_AT(component, 184);
CI_AT(product, 1344);
CI_AT(hw_present, 1456);
CI_AT(max_request_sectors, 1468);
CI_AT(lds_present, 1472);
CI_AT(memory_mib, 1488);
CI_AT(max_strips_per_io, 1498);
CI_AT(ld_ops, 1508);
CI_AT(stripe_exponent_min, 1512);
CI_AT(properties, 1536);
CI_AT(package, 1600);
CI_AT(cache_mib, 1954);
CI_AT(ops_2, 1956);
CI_AT(roc_temperature_c, 1993);
_Static_assert(sizeof(struct mfi_ctrl_info) == 2048, "QEMU and old firmware stop at 2048");
#define CTRL_HW_BBU     BIT_(0)
#define CTRL_OPS_BBU    BIT_(7)
#define CTRL_OPS_2_JBOD BIT_(11)

/* ---- patrol read status (4.1; the state byte as FreeBSD names it) ---- */
struct mfi_patrol_status {
    uint32_t iterations;
    uint8_t state, drives_done, r6[10];
};
enum { PATROL_ACTIVE = 2 };
_Static_assert(sizeof(struct mfi_patrol_status) == 16, "patrol read status");

/* ---- battery (4.8) ---- */
struct mfi_bbu_status {
    uint8_t type, r1;
    uint16_t millivolts;
    int16_t milliamperes;
    uint16_t temperature_c;
    uint32_t status;
    uint8_t r12[20];
    uint16_t gas_gauge, charge_percent; /* of both types that are described */
    uint16_t charger, remaining_mah, full_mah;
    uint8_t healthy, r43[21]; /* type BBU */
};
_Static_assert(sizeof(struct mfi_bbu_status) == 64 && offsetof(struct mfi_bbu_status, status) == 8 &&
                   offsetof(struct mfi_bbu_status, charge_percent) == 34 &&
                   offsetof(struct mfi_bbu_status, healthy) == 42,
               "battery status");
struct mfi_bbu_capacity {
    uint16_t relative_percent, absolute_percent, remaining, full, run_to_empty, average_to_empty,
        average_to_full, cycles, max_error;
    uint8_t r18[30];
};
_Static_assert(sizeof(struct mfi_bbu_capacity) == 48 && offsetof(struct mfi_bbu_capacity, cycles) == 14,
               "battery capacity");
enum mfi_bbu_type { BBU_NONE, BBU_IBBU, BBU_BBU };
#define BBU_PACK_MISSING     BIT_(0)
#define BBU_VOLTAGE_LOW      BIT_(1)
#define BBU_TEMPERATURE_HIGH BIT_(2)
#define BBU_CHARGING         BIT_(3)
#define BBU_DISCHARGING      BIT_(4)
#define BBU_LEARN_REQUESTED  BIT_(5)
#define BBU_LEARN_ACTIVE     BIT_(6)
#define BBU_LEARN_FAILED     BIT_(7)
#define BBU_LEARN_TIMEOUT    BIT_(8)
#define BBU_I2C_ERRORS       BIT_(9)
#define BBU_REPLACE          BIT_(10)
#define BBU_CAPACITY_LOW     BIT_(11)
#define BBU_PERIODIC_LEARN   BIT_(12)

/* ---- configuration (4.6): header, then arrays, each by the strides of the answer ---- */
enum { MFI_CONFIG_FIRST_BYTES = 4096, MFI_ARRAY_ROWS = 32, MFI_NO_DRIVE = 0xffff };
struct mfi_config {
    uint32_t total_bytes;
    uint16_t array_count, array_stride, ld_count, ld_stride, spare_count, spare_stride;
    uint8_t r16[16];
};
struct mfi_array {
    uint64_t size_sectors;
    uint8_t drives, r9;
    uint16_t reference;
    uint8_t r12[20];
    struct {
        uint16_t device_id, sequence, state;
        uint8_t enclosure, slot;
    } row[MFI_ARRAY_ROWS];
};
_Static_assert(sizeof(struct mfi_config) == 32 && sizeof(struct mfi_array) == 288, "configuration");
/* ---- virtual drives (4.5) ---- */
enum { MFI_MAX_LDS = 64, MFI_MAX_SPANS = 8 }; /* a longer buffer is refused by QEMU (5.4) */
struct mfi_ld_entry {
    uint8_t target_id, r1;
    uint16_t sequence;
    uint8_t state, r5[3];
    uint64_t size_sectors;
};
struct mfi_ld_list {
    uint32_t count, r4;
    struct mfi_ld_entry entry[MFI_MAX_LDS];
};
_Static_assert(sizeof(struct mfi_ld_list) == 1032, "LD list");
enum mfi_ld_state { LD_OFFLINE, LD_PARTIALLY_DEGRADED, LD_DEGRADED, LD_OPTIMAL };

struct mfi_ld_properties {
    uint8_t target_id, r1;
    uint16_t sequence;
    char name[16];
    uint8_t default_policy, access, disk_cache, current_policy, no_background_init, r25[7];
};
struct mfi_ld_parameters {
    uint8_t primary, qualifier, secondary, stripe_exponent, drives, spans, state, init, consistent, r9[23];
};
struct mfi_progress {
    uint16_t progress, elapsed_s;
};
struct mfi_ld_info {
    struct mfi_ld_properties properties;
    struct mfi_ld_parameters parameters;
    struct {
        uint64_t start, blocks;
        uint16_t array, r18[3];
    } span[MFI_MAX_SPANS];
    uint64_t size_sectors;
    uint32_t active;
    struct mfi_progress check, background_init, foreground_init, reconstruction;
    uint8_t r284[20];
    uint8_t vpd83[64];
    uint8_t r368[16];
};
_Static_assert(sizeof(struct mfi_ld_properties) == 32 && sizeof(struct mfi_ld_parameters) == 32, "LD config");
_Static_assert(offsetof(struct mfi_ld_properties, current_policy) == 23, "LD properties");
_Static_assert(offsetof(struct mfi_ld_info, active) == 264 && offsetof(struct mfi_ld_info, vpd83) == 304,
               "LD info");
_Static_assert(sizeof(struct mfi_ld_info) == 384, "LD info");

#define POLICY_WRITE_BACK        BIT_(0)
#define POLICY_READ_AHEAD        BIT_(2)
#define POLICY_ADAPTIVE          BIT_(3)
#define POLICY_WRITE_BACK_NO_BBU BIT_(4)
#define POLICY_ALLOW_WRITE_CACHE BIT_(5)
#define POLICY_ALLOW_READ_CACHE  BIT_(6)

/* ---- physical drives (4.4) ---- */
enum { MFI_MAX_PDS = 256, MFI_FIRST_PDS = 32, MFI_PD_NO_ENCLOSURE = 0xffff, MFI_PD_QUERY_EXPOSED = 5 };
struct mfi_pd_entry {
    uint16_t device_id, enclosure_id;
    uint8_t enclosure_index, slot, scsi_type, ports;
    uint64_t sas_address[2];
};
struct mfi_pd_list {
    uint32_t used_bytes, count;
    struct mfi_pd_entry entry[MFI_MAX_PDS];
};
_Static_assert(sizeof(struct mfi_pd_list) == 8 + 24 * MFI_MAX_PDS, "PD list");

struct mfi_pd_info {
    uint16_t device_id, sequence;
    uint8_t inquiry[96], vpd83[64];
    uint8_t r164, scsi_type, r166, speed;
    uint32_t media_errors, other_errors, predictive_failures, predictive_event;
    uint16_t state;
    uint8_t r186, link_speed;
    uint16_t ddf;
    uint8_t r190[42];
    uint64_t raw_sectors, non_coerced_sectors, coerced_sectors;
    uint16_t enclosure_id;
    uint8_t enclosure_index, slot;
    uint32_t active;
    struct mfi_progress rebuild, patrol, clear;
    uint8_t r276[94], media_type, r371[30], interface, temperature_c, r403[5];
    uint32_t properties;
    uint8_t r412[100];
};
_Static_assert(offsetof(struct mfi_pd_info, state) == 184 &&
                   offsetof(struct mfi_pd_info, raw_sectors) == 232 &&
                   offsetof(struct mfi_pd_info, rebuild) == 264 && sizeof(struct mfi_pd_info) == 512,
               "PD info");
enum mfi_pd_state {
    PD_UNCONFIGURED_GOOD = 0x00,
    PD_UNCONFIGURED_BAD = 0x01,
    PD_HOT_SPARE = 0x02,
    PD_OFFLINE = 0x10,
    PD_FAILED = 0x11,
    PD_REBUILD = 0x14,
    PD_ONLINE = 0x18,
    PD_COPYBACK = 0x20,
    PD_SYSTEM = 0x40
};
#define PD_DDF_FOREIGN   BIT_(4)
#define PD_DDF_INTERFACE BITS(15, 12)
#define PD_WRITE_CACHE   BIT_(6)
enum { PD_MEDIA_HDD, PD_MEDIA_SSD };
_Static_assert(offsetof(struct mfi_pd_info, media_type) == 370 &&
                   offsetof(struct mfi_pd_info, interface) == 401 &&
                   offsetof(struct mfi_pd_info, temperature_c) == 402 &&
                   offsetof(struct mfi_pd_info, properties) == 408,
               "PD info tail");

/* ---- events (4.9) ---- */
enum { MFI_EVENTS_PER_CALL = 16, EVENT_CLASS_WARNING = 1, EVENT_CLASS_CRITICAL = 2 };
struct mfi_event_info {
    uint32_t newest, oldest, clear, shutdown, boot;
};
struct mfi_event {
    uint32_t sequence, time_s, code, class_locale;
    uint8_t argument_type, r17[15], arguments[96];
    char text[128];
};
struct mfi_events {
    uint32_t count, r4;
    struct mfi_event event[MFI_EVENTS_PER_CALL];
};
_Static_assert(sizeof(struct mfi_event) == 256 && offsetof(struct mfi_event, text) == 128, "event record");
#define EVENT_CLASS(class_locale) ((int8_t)((class_locale) >> 24))
#define EVENT_LOCALE_ALL          0xffffu

#endif
