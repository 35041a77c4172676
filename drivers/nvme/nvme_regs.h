#ifndef NVME_REGS_H
#define NVME_REGS_H
#include "bits.h"

/* Controller registers in BAR 0 (fact sheet nvme-ahci A1).  This table is the only place an offset is
 * written; it yields the enum, the alignment checks and the dump printed with a bring-up fault.  Registers
 * of 8 bytes are two 32-bit accesses, low half first. */
#define NVME_REGS(R)                                                                                         \
    R(CAP, 0x00, 8, "controller capabilities")                                                               \
    R(VS, 0x08, 4, "specification version")                                                                  \
    R(INTMS, 0x0c, 4, "interrupt mask set")                                                                  \
    R(CC, 0x14, 4, "controller configuration")                                                               \
    R(CSTS, 0x1c, 4, "controller status")                                                                    \
    R(AQA, 0x24, 4, "admin queue attributes")                                                                \
    R(ASQ, 0x28, 8, "admin submission queue")                                                                \
    R(ACQ, 0x30, 8, "admin completion queue")                                                                \
    R(CRTO, 0x68, 4, "controller ready timeouts")

enum nvme_reg {
#define R(name, off, bytes, what) NVME_##name = (off),
    NVME_REGS(R)
#undef R
        NVME_DOORBELLS = 0x1000
};
#define R(name, off, bytes, what) _Static_assert((off) % (bytes) == 0, "NVMe " #name " is misaligned");
NVME_REGS(R)
#undef R

#define CAP_MQES            BITS(15, 0)  /* entries of an I/O queue, 0-based */
#define CAP_TO              BITS(31, 24) /* in units of 500 ms */
#define CAP_DSTRD           BITS(35, 32) /* doorbells are 4 << DSTRD bytes apart */
#define CAP_CSS_NVM         BIT_(37)
#define CAP_CSS_SETS        BIT_(43)     /* one or more I/O command sets beside NVM */
#define CAP_MPSMIN          BITS(51, 48) /* smallest memory page is 4096 << MPSMIN */
#define CAP_CRMS_WITH_MEDIA BIT_(59)     /* CRTO.CRWMT holds */

#define VS_1_1 0x00010100u
#define VS_1_2 0x00010200u

#define CC_EN         BIT_(0)
#define CC_CSS        BITS(6, 4)
#define CC_MPS        BITS(10, 7)
#define CC_SHN        BITS(15, 14)
#define CC_IOSQES     BITS(19, 16)
#define CC_IOCQES     BITS(23, 20)
#define CC_CSS_ALL    6u
#define CC_SHN_NORMAL 1u

#define CSTS_RDY       BIT_(0)
#define CSTS_CFS       BIT_(1)
#define CSTS_SHST      BITS(3, 2)
#define CSTS_SHST_BUSY 1u
#define CSTS_SHST_DONE 2u

#define AQA_ASQS BITS(11, 0)
#define AQA_ACQS BITS(27, 16)

#define CRTO_CRWMT BITS(15, 0) /* in units of 500 ms */

#endif
