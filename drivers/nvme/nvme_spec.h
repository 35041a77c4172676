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
/* The same 64 bytes as a read fills them. */
struct nvme_read_sqe {
    uint64_t head; /* opcode, command id, NSID */
    uint64_t reserved2, mptr, prp1, prp2;
    uint64_t slba;
    uint64_t control; /* blocks - 1 in 15:0 */
    uint64_t tags;    /* protection information: none */
};
_Static_assert(sizeof(struct nvme_read_sqe) == sizeof(struct nvme_sqe), "NVMe read");
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
    NVME_DELETE_CQ = 0x04,
    NVME_CREATE_CQ = 0x05,
    NVME_IDENTIFY = 0x06,
    NVME_ABORT = 0x08,
    NVME_SET_FEATURES = 0x09
};
enum nvme_io_opcode { NVME_READ = 0x02 };
enum { NVME_FEATURE_QUEUE_COUNT = 0x07 };
enum nvme_cns {
    CNS_NAMESPACE = 0x00,
    CNS_CONTROLLER = 0x01,
    CNS_ACTIVE_NAMESPACES = 0x02,
    CNS_NAMESPACE_DESCRIPTORS = 0x03
};
enum { NVME_QUEUE_CONTIGUOUS = 1, NVME_IDENTIFY_BYTES = 4096, NVME_LIST_IDS = 1024 };

struct nvme_id_controller {
    uint16_t vid, ssvid;
    uint8_t sn[20], mn[40], fr[8];
    uint8_t rab, ieee[3], cmic, mdts;
    uint16_t cntlid;
    uint32_t ver, rtd3r_us, rtd3e_us;
    uint8_t reserved92[19], cntrltype;
    uint8_t reserved112[400];
    uint8_t sqes, cqes; /* required size in 3:0, largest in 7:4, as powers of two */
    uint16_t maxcmd;
    uint32_t nn;
    uint8_t reserved520[3576];
};
_Static_assert(sizeof(struct nvme_id_controller) == NVME_IDENTIFY_BYTES, "Identify Controller");
_Static_assert(offsetof(struct nvme_id_controller, mdts) == 77, "MDTS");
_Static_assert(offsetof(struct nvme_id_controller, rtd3e_us) == 88, "RTD3E");
_Static_assert(offsetof(struct nvme_id_controller, cntrltype) == 111, "CNTRLTYPE");
_Static_assert(offsetof(struct nvme_id_controller, sqes) == 512, "SQES");
_Static_assert(offsetof(struct nvme_id_controller, nn) == 516, "NN");
enum { CNTRLTYPE_DISCOVERY = 2, CNTRLTYPE_ADMINISTRATIVE = 3 };

struct nvme_id_namespace {
    uint64_t nsze, ncap, nuse;
    uint8_t nsfeat, nlbaf, flbas, mc, dpc, dps, nmic, rescap;
    uint8_t reserved32[32];
    uint16_t npwg;
    uint8_t reserved66[38];
    uint8_t nguid[16], eui64[8];
    uint32_t lbaf[64];
    uint8_t reserved384[3712];
};
_Static_assert(sizeof(struct nvme_id_namespace) == NVME_IDENTIFY_BYTES, "Identify Namespace");
_Static_assert(offsetof(struct nvme_id_namespace, flbas) == 26, "FLBAS");
_Static_assert(offsetof(struct nvme_id_namespace, npwg) == 64, "NPWG");
_Static_assert(offsetof(struct nvme_id_namespace, nguid) == 104, "NGUID");
_Static_assert(offsetof(struct nvme_id_namespace, lbaf) == 128, "LBAF0");
#define NSFEAT_OPTPERF BIT_(4) /* NPWG holds */
#define FLBAS_LOW      BITS(3, 0)
#define FLBAS_HIGH     BITS(6, 5) /* hold when there are more than 16 formats */
#define DPS_PIT        BITS(2, 0)
#define LBAF_MS        BITS(15, 0)
#define LBAF_LBADS     BITS(23, 16)

/* Namespace identification descriptors: type, length, two reserved bytes, then length bytes. */
enum { NIDT_CSI = 4, NIDT_HEADER_BYTES = 4, CSI_NVM = 0, CSI_KEY_VALUE = 1, CSI_ZONED = 2 };

#endif
