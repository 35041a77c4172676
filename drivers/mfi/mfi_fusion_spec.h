#ifndef MFI_FUSION_SPEC_H
#define MFI_FUSION_SPEC_H
#include <stddef.h>
#include <stdint.h>
#include "bits.h"

/* What fusion cards and host share in memory besides MFI frames (facts/mfi.md 6), little-endian. */

enum {
    FUSION_REQUEST_BYTES = 256,
    FUSION_SGES = 8,            /* in a request; the last of them is a chain when there are more */
    FUSION_CHAIN_BYTES = 1024,  /* what every card takes without having been told of more (6.3) */
    FUSION_REPLY_MULTIPLE = 16, /* of the depth of the reply ring */
    FUSION_PASS_THROUGH_BYTES = 256,
    FUSION_TIMEOUT_S = 20,
    FUSION_DEV_HANDLE_NONE = 0xffff
};
enum fusion_function { FUSION_LD_IO = 0xf1, FUSION_PASS_THROUGH = 0xf0 };

/* ---- scatter entries ---- */
enum { SGE_CHAIN = 0x80, SGE_END_OF_LIST = 0x40, SGE_IOCPLBNTA = 0x03 };
struct fusion_sge {
    uint64_t addr;
    uint32_t len;
    uint16_t r12;
    uint8_t next_chain, flags;
};

/* ---- request ---- */
/* RAID context.  Where its two layouts differ, the first name is the one of Thunderbolt and Invader, the
 * comment says what Ventura and Aero (G35) have there. */
struct fusion_context {
    uint8_t type_nseg, r1;
    uint16_t timeout_s;
    uint8_t lock_flags, r5; /* G35: 16 bits of routing flags */
    uint16_t target_id;
    uint64_t lock_lba;
    uint32_t lock_blocks;
    uint16_t r20;
    uint8_t scsi_status, status; /* the card's answer */
    uint8_t raid_flags;
    uint8_t sge_count; /* G35: span and arm */
    uint16_t configuration;
    uint8_t span_arm, r29; /* G35: 16 bits, SGE count in the low 12 */
    uint8_t sge_count_high, r31;
};
enum {
    CONTEXT_CUDA_1 = 0x12, /* type 2 "CUDA" in the low nibble, one segment in the high one, as Linux has it */
    CONTEXT_SYSTEM_PD = 0x10, /* raid_flags: I/O subtype 1 */
    CONTEXT_STATUS_AT = 0x76, /* in the request: SCSI status, MFI status */
    REQUEST_CDB_AT = 0x40,
    CDB_LBA_AT = 2, /* READ(10) and READ(16) */
    REQUEST_DATA_LEN_AT = 0x1c
};
struct fusion_request {
    uint16_t dev_handle;
    uint8_t chain_offset, function; /* chain_offset in units of 16 bytes */
    uint32_t r4, r8, sense_lo;
    uint16_t sgl_flags;
    uint8_t sense_len, r19, sgl_offset, r21[3]; /* sgl_offset in dwords */
    uint32_t r24, data_len, r32;
    uint16_t io_flags, r38; /* io_flags: length of the CDB */
    uint32_t r40[3];
    uint8_t lun[8];
    uint32_t control;
    uint8_t cdb[32];
    struct fusion_context context;
    struct fusion_sge sge[FUSION_SGES];
};
#define SGL_FLAGS_64BIT 2
#define CONTROL_WRITE   0x01000000u
#define CONTROL_READ    0x02000000u
_Static_assert(sizeof(struct fusion_context) == 32 && sizeof(struct fusion_request) == FUSION_REQUEST_BYTES &&
                   offsetof(struct fusion_request, sgl_offset) == 0x14 &&
                   offsetof(struct fusion_request, data_len) == REQUEST_DATA_LEN_AT &&
                   offsetof(struct fusion_request, io_flags) == 0x24 &&
                   offsetof(struct fusion_request, lun) == 0x34 &&
                   offsetof(struct fusion_request, control) == 0x3c &&
                   offsetof(struct fusion_request, cdb) == REQUEST_CDB_AT &&
                   offsetof(struct fusion_request, context) == 0x60 &&
                   offsetof(struct fusion_request, sge) == 0x80,
               "fusion request");
_Static_assert(offsetof(struct fusion_request, context.scsi_status) == CONTEXT_STATUS_AT &&
                   offsetof(struct fusion_context, target_id) == 6 &&
                   offsetof(struct fusion_context, raid_flags) == 24 &&
                   offsetof(struct fusion_context, span_arm) == 28 &&
                   offsetof(struct fusion_context, sge_count_high) == 30,
               "RAID context");

/* ---- request descriptor: 64 bits, of which the low dword says all that we need ---- */
enum fusion_descriptor {
    DESCRIPTOR_SCSI_IO = 0,
    DESCRIPTOR_MFA = 1,
    DESCRIPTOR_NO_LOCK = 2,
    DESCRIPTOR_LD_IO = 7
};
#define DESCRIPTOR_TYPE BITS(3, 1)
#define DESCRIPTOR_SMID BITS(31, 16)

/* ---- reply descriptor ---- */
#define REPLY_TYPE   BITS(3, 0)
#define REPLY_SMID   BITS(31, 16)
#define REPLY_UNUSED 0xf
#define REPLY_POISON UINT64_MAX

/* ---- IOC init (6.2) ---- */
struct fusion_ioc_init {
    uint8_t who_init, r1, r2, function, r4[3], flags;
    uint32_t r8;
    uint16_t message_version, header_version;
    uint32_t r16;
    uint8_t r20, r21, host_page_shift, msix_count;
    uint16_t r24, frame_dwords, reply_depth, r30;
    uint32_t sense_hi, r36;
    uint64_t request_pool, reply_ring, r56, time_ms;
};
_Static_assert(sizeof(struct fusion_ioc_init) == 72 && offsetof(struct fusion_ioc_init, frame_dwords) == 26 &&
                   offsetof(struct fusion_ioc_init, reply_depth) == 28 &&
                   offsetof(struct fusion_ioc_init, sense_hi) == 32 &&
                   offsetof(struct fusion_ioc_init, request_pool) == 40 &&
                   offsetof(struct fusion_ioc_init, time_ms) == 64,
               "IOC init");
enum { IOC_WHO_HOST = 4, IOC_INIT_FUNCTION = 2, IOC_MESSAGE_VERSION = 0x0200, IOC_HEADER_VERSION = 0x1000 };

#endif
