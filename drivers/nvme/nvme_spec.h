#ifndef NVME_SPEC_H
#define NVME_SPEC_H
#include <stddef.h>
#include <stdint.h>
#include "bits.h"

/* What host and controller exchange through memory (fact sheet nvme-ahci A3 to A5): little-endian members
 * at their natural alignment, sizes and offsets asserted, never packed, never bit-fields. */

struct nvme_sqe {
    uint32_t cdw0; /* opcode, fused and PSDT bits 0, command id */
    uint32_t nsid;
    uint64_t reserved2, mptr, prp1, prp2;
    uint32_t cdw10, cdw11, cdw12, cdw13, cdw14, cdw15;
};
/* The same 64 bytes as a read or a write fills them. */
struct nvme_rw_sqe {
    uint64_t head; /* opcode, command id, NSID */
    uint64_t reserved2, mptr, prp1, prp2;
    uint64_t slba;
    uint64_t control; /* blocks - 1 in 15:0 */
    uint64_t tags;    /* initial reference tag of protection information in 31:0 */
};
_Static_assert(sizeof(struct nvme_rw_sqe) == sizeof(struct nvme_sqe), "NVMe read and write");
struct nvme_cqe {
    uint32_t dw0, dw1;
    uint32_t dw2; /* SQ head pointer, SQ id */
    uint32_t dw3; /* command id, phase, status: written last */
};
_Static_assert(sizeof(struct nvme_sqe) == 64 && sizeof(struct nvme_cqe) == 16, "NVMe queue entries");
enum { NVME_SQE_SHIFT = 6, NVME_CQE_SHIFT = 4 };

#define SQE_OPCODE BITS(7, 0)
#define SQE_CID    BITS(31, 16)
#define CQE_SQHD   BITS(15, 0)
#define CQE_SQID   BITS(31, 16)
#define CQE_CID    BITS(15, 0)
#define CQE_PHASE  BIT_(16)
#define CQE_STATUS BITS(31, 17)

/* The 15 bits of CQE_STATUS. */
#define STATUS_SC   BITS(7, 0)
#define STATUS_SCT  BITS(10, 8)
#define STATUS_CRD  BITS(12, 11)
#define STATUS_MORE BIT_(13)
#define STATUS_DNR  BIT_(14)

enum nvme_admin_opcode {
    NVME_DELETE_SQ = 0x00,
    NVME_CREATE_SQ = 0x01,
    NVME_GET_LOG_PAGE = 0x02,
    NVME_DELETE_CQ = 0x04,
    NVME_CREATE_CQ = 0x05,
    NVME_IDENTIFY = 0x06,
    NVME_ABORT = 0x08,
    NVME_SET_FEATURES = 0x09,
    NVME_GET_FEATURES = 0x0a,
    NVME_SELF_TEST = 0x14
};
enum nvme_io_opcode { NVME_FLUSH = 0x00, NVME_WRITE = 0x01, NVME_READ = 0x02 };
#define RW_PRACT BIT_(29) /* the controller adds, checks and strips protection information */
enum nvme_feature {
    NVME_FEATURE_POWER_STATE = 0x02,
    NVME_FEATURE_WRITE_CACHE = 0x06,
    NVME_FEATURE_QUEUE_COUNT = 0x07,
    NVME_FEATURE_APST = 0x0c,
    NVME_FEATURE_HMB = 0x0d
};
enum { NVME_APST_BYTES = 256 };
#define POWER_STATE BITS(4, 0)
#define HMB_ENABLE  1u
#define HMB_SAME    2u /* the same memory as before a reset, unchanged */
enum nvme_cns {
    CNS_NAMESPACE = 0x00,
    CNS_CONTROLLER = 0x01,
    CNS_ACTIVE_NAMESPACES = 0x02,
    CNS_NAMESPACE_DESCRIPTORS = 0x03,
    CNS_ATTACHED_CONTROLLERS = 0x12, /* of a namespace: a count, then ids */
    CNS_ALLOCATED_NAMESPACES = 0x10  /* also those that are attached to no controller, or to others */
};
enum { NVME_QUEUE_CONTIGUOUS = 1, NVME_IDENTIFY_BYTES = 4096, NVME_LIST_IDS = 1024 };

struct nvme_id_controller {
    uint16_t vid, ssvid;
    uint8_t sn[20], mn[40], fr[8];
    uint8_t rab, ieee[3], cmic, mdts;
    uint16_t cntlid;
    uint32_t ver, rtd3r_us, rtd3e_us;
    uint8_t reserved92[19], cntrltype;
    uint8_t reserved112[16];
    uint16_t crdt[3]; /* retry delays in units of 100 ms */
    uint8_t reserved134[122];
    uint16_t oacs;
    uint8_t acl, aerl, frmw, lpa, elpe, npss, avscc, apsta;
    uint16_t wctemp, cctemp, mtfa;
    uint32_t hmpre, hmmin; /* in units of 4 KiB */
    uint8_t reserved280[36];
    uint16_t edstt; /* minutes of an extended self-test */
    uint8_t reserved318[14];
    uint32_t hmminds; /* in units of 4 KiB */
    uint16_t hmmaxd;
    uint8_t reserved338[174];
    uint8_t sqes, cqes; /* required size in 3:0, largest in 7:4, as powers of two */
    uint16_t maxcmd;
    uint32_t nn;
    uint16_t oncs, fuses;
    uint8_t fna, vwc;
    uint8_t reserved526[2546];
    uint8_t vs[1024]; /* the maker's own */
};
_Static_assert(sizeof(struct nvme_id_controller) == NVME_IDENTIFY_BYTES, "Identify Controller");
_Static_assert(offsetof(struct nvme_id_controller, mdts) == 77, "MDTS");
_Static_assert(offsetof(struct nvme_id_controller, rtd3e_us) == 88, "RTD3E");
_Static_assert(offsetof(struct nvme_id_controller, cntrltype) == 111, "CNTRLTYPE");
_Static_assert(offsetof(struct nvme_id_controller, crdt) == 128, "CRDT1");
_Static_assert(offsetof(struct nvme_id_controller, oacs) == 256, "OACS");
_Static_assert(offsetof(struct nvme_id_controller, apsta) == 265, "APSTA");
_Static_assert(offsetof(struct nvme_id_controller, wctemp) == 266, "WCTEMP");
_Static_assert(offsetof(struct nvme_id_controller, hmpre) == 272, "HMPRE");
_Static_assert(offsetof(struct nvme_id_controller, edstt) == 316, "EDSTT");
_Static_assert(offsetof(struct nvme_id_controller, hmminds) == 332, "HMMINDS");
_Static_assert(offsetof(struct nvme_id_controller, hmmaxd) == 336, "HMMAXD");
_Static_assert(offsetof(struct nvme_id_controller, sqes) == 512, "SQES");
_Static_assert(offsetof(struct nvme_id_controller, nn) == 516, "NN");
_Static_assert(offsetof(struct nvme_id_controller, vwc) == 525, "VWC");
_Static_assert(offsetof(struct nvme_id_controller, vs) == 3072, "VS");
#define CMIC_CONTROLLERS   BIT_(1) /* the subsystem may have more than one */
#define OACS_NS_MANAGEMENT BIT_(3)
#define OACS_SELF_TEST     BIT_(4)
#define APSTA_SUPPORTED    BIT_(0)
#define VWC_PRESENT        BIT_(0)
#define FRMW_SLOTS         BITS(3, 1)
enum { CNTRLTYPE_DISCOVERY = 2, CNTRLTYPE_ADMINISTRATIVE = 3 };

struct nvme_id_namespace {
    uint64_t nsze, ncap, nuse;
    uint8_t nsfeat, nlbaf, flbas, mc, dpc, dps, nmic, rescap;
    uint8_t reserved32[14];
    uint16_t noiob; /* blocks; 0: no boundary */
    uint8_t reserved48[16];
    uint16_t npwg;
    uint8_t reserved66[38];
    uint8_t nguid[16], eui64[8];
    uint32_t lbaf[64];
    uint8_t reserved384[3712];
};
_Static_assert(sizeof(struct nvme_id_namespace) == NVME_IDENTIFY_BYTES, "Identify Namespace");
_Static_assert(offsetof(struct nvme_id_namespace, flbas) == 26, "FLBAS");
_Static_assert(offsetof(struct nvme_id_namespace, noiob) == 46, "NOIOB");
_Static_assert(offsetof(struct nvme_id_namespace, npwg) == 64, "NPWG");
_Static_assert(offsetof(struct nvme_id_namespace, nguid) == 104, "NGUID");
_Static_assert(offsetof(struct nvme_id_namespace, lbaf) == 128, "LBAF0");
#define NSFEAT_OPTPERF BIT_(4) /* NPWG holds */
#define FLBAS_LOW      BITS(3, 0)
#define FLBAS_HIGH     BITS(6, 5) /* hold when there are more than 16 formats */
#define DPS_PIT        BITS(2, 0)
#define NMIC_SHARED    BIT_(0)
#define LBAF_MS        BITS(15, 0)
#define LBAF_LBADS     BITS(23, 16)

/* ---- log pages (fact sheet A10) ---- */
enum nvme_log { LOG_ERRORS = 0x01, LOG_SMART = 0x02, LOG_FIRMWARE = 0x03, LOG_SELF_TEST = 0x06 };
#define LOG_KEEP_EVENT BIT_(15) /* RAE */
enum { NVME_ALL_NAMESPACES = 0xffffffff };
struct nvme_u128 {
    uint64_t low, high;
};
struct nvme_smart_log {
    uint8_t critical_warning, temperature_k[2], spare, spare_threshold, used;
    uint8_t reserved6[26];
    struct nvme_u128 data_units_read, data_units_written, host_reads, host_writes, busy_minutes;
    struct nvme_u128 power_cycles, power_on_hours, unsafe_shutdowns, media_errors, error_entries;
    uint32_t warning_temperature_minutes, critical_temperature_minutes;
    uint16_t sensor_k[8];
    uint32_t light_throttles, heavy_throttles, light_throttle_s, heavy_throttle_s;
    uint8_t reserved232[280];
};
_Static_assert(sizeof(struct nvme_smart_log) == 512, "SMART log");
_Static_assert(offsetof(struct nvme_smart_log, power_cycles) == 112, "power cycles");
_Static_assert(offsetof(struct nvme_smart_log, unsafe_shutdowns) == 144, "unsafe shutdowns");
_Static_assert(offsetof(struct nvme_smart_log, error_entries) == 176, "error entries");
_Static_assert(offsetof(struct nvme_smart_log, warning_temperature_minutes) == 192, "warning minutes");
_Static_assert(offsetof(struct nvme_smart_log, light_throttles) == 216, "throttles");
struct nvme_error_entry {
    uint64_t count; /* 0: unused */
    uint16_t sqid, cid, status, location;
    uint64_t lba;
    uint32_t nsid;
    uint8_t reserved28[36];
};
_Static_assert(sizeof(struct nvme_error_entry) == 64, "error log entry");
#define ERROR_STATUS BITS(15, 1)
struct nvme_self_test_result {
    uint8_t status, segment, valid, reserved3; /* status: result in 3:0, kind of test in 7:4 */
    uint8_t hours[8];
    uint8_t nsid[4], failing_lba[8];
    uint8_t sct, sc, vendor[2];
};
_Static_assert(sizeof(struct nvme_self_test_result) == 28, "self-test result");
struct nvme_self_test_log {
    uint8_t running, percent, reserved2[2]; /* running: kind of test in 3:0, 0 none */
    struct nvme_self_test_result result[20];
};
_Static_assert(sizeof(struct nvme_self_test_log) == 564, "self-test log");
#define SELF_TEST_RESULT BITS(3, 0)
enum { SELF_TEST_UNUSED = 0xf };
#define SELF_TEST_HAS_LBA BIT_(1) /* of `valid` */
enum { STC_SHORT = 1, STC_EXTENDED = 2, STC_ABORT = 0xf };

/* ---- host memory buffer ---- */
struct nvme_hmb_entry {
    uint64_t bus;
    uint32_t pages, reserved12;
};
_Static_assert(sizeof(struct nvme_hmb_entry) == 16, "host memory buffer entry");

/* Namespace identification descriptors: type, length, two reserved bytes, then length bytes. */
enum { NIDT_CSI = 4, NIDT_HEADER_BYTES = 4, CSI_NVM = 0, CSI_KEY_VALUE = 1, CSI_ZONED = 2 };

#endif
