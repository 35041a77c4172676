#ifndef MFI_SPEC_H
#define MFI_SPEC_H
#include <stddef.h>
#include <stdint.h>

/* What card and host share in memory (facts/mfi.md 3 and 4), little-endian, at natural alignment. */

/* ---- frames ---- */
enum mfi_frame_cmd { MFI_INIT = 0, MFI_LD_READ = 1, MFI_LD_SCSI_IO = 3, MFI_PD_SCSI_IO = 4, MFI_DCMD = 5 };
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
#define MFI_FLAG_READ    0x10u
#define MFI_FLAG_IEEE    0x20u

struct mfi_header {
    uint8_t cmd, sense_len, cmd_status, scsi_status, target_id, lun, cdb_len, sge_count;
    uint32_t context, context_hi;
    uint16_t flags, timeout_s;
    uint32_t data_len; /* bytes; blocks in LD_READ */
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
    MFI_STAT_NOT_FOUND = 0x23,
    MFI_STAT_SCSI_DONE_WITH_ERROR = 0x2d,
    MFI_STAT_PENDING = 0xff
};

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
    uint8_t r1514[86];
    char package[96];
    uint8_t r1696[352];
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
CI_AT(package, 1600);
_Static_assert(sizeof(struct mfi_ctrl_info) == 2048, "QEMU and old firmware stop at 2048");
#define CTRL_HW_BBU BIT_(0)

/* ---- virtual drives (4.5) ---- */
enum { MFI_MAX_LDS = 64 }; /* a longer buffer is refused by QEMU (5.4) */
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
    uint8_t span[8][24];
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
    uint8_t r276[236];
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
#define PD_DDF_FOREIGN BIT_(4)

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
