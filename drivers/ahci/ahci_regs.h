#ifndef AHCI_REGS_H
#define AHCI_REGS_H
#include "bits.h"

/* Registers of AHCI 1.3.1 (fact sheet nvme-ahci.md, B1).  One table each: names, offsets, dumps and tests all
 * come from it.  All are 32 bits wide; 64-bit addresses are two of them, low half first. */
#define AHCI_HBA_REGS(R)                                                                                     \
    R(CAP, 0x00, "capabilities")                                                                             \
    R(GHC, 0x04, "global control")                                                                           \
    R(IS, 0x08, "interrupt status by port")                                                                  \
    R(PI, 0x0c, "ports implemented")                                                                         \
    R(VS, 0x10, "version")                                                                                   \
    R(CAP2, 0x24, "more capabilities")                                                                       \
    R(BOHC, 0x28, "firmware hand-off")                                                                       \
    R(VSCAP, 0xa4, "Intel: vendor capabilities")                                                             \
    R(REMAP_CAP, 0x800, "Intel: NVMe drives hidden behind us")

/* Offsets inside a port's block. */
#define AHCI_PORT_REGS(R)                                                                                    \
    R(CLB, 0x00, "command list, low half")                                                                   \
    R(CLBU, 0x04, "command list, high half")                                                                 \
    R(FB, 0x08, "receive area, low half")                                                                    \
    R(FBU, 0x0c, "receive area, high half")                                                                  \
    R(IS, 0x10, "interrupt status")                                                                          \
    R(IE, 0x14, "interrupt enable")                                                                          \
    R(CMD, 0x18, "command and status")                                                                       \
    R(TFD, 0x20, "task file")                                                                                \
    R(SIG, 0x24, "signature")                                                                                \
    R(SSTS, 0x28, "link status")                                                                             \
    R(SCTL, 0x2c, "link control")                                                                            \
    R(SERR, 0x30, "link errors")                                                                             \
    R(SACT, 0x34, "queued commands in flight")                                                               \
    R(CI, 0x38, "commands issued")

#define R(name, off, what) AHCI_##name = (off),
enum { AHCI_HBA_REGS(R) };
#undef R
#define R(name, off, what) PX_##name = (off),
enum { AHCI_PORT_REGS(R) };
#undef R
#define R(name, off, what) _Static_assert((off) % 4 == 0, "AHCI " #name " is misaligned");
AHCI_HBA_REGS(R)
AHCI_PORT_REGS(R)
#undef R

enum { AHCI_PORT_BASE = 0x100, AHCI_PORT_STRIDE = 0x80, AHCI_MAX_PORTS = 32, AHCI_MAX_SLOTS = 32 };

#define CAP_NP      BITS(4, 0)   /* zero-based count, not which: PI says which */
#define CAP_NCS     BITS(12, 8)  /* zero-based */
#define CAP_ISS     BITS(23, 20) /* generation: 1.5, 3, 6 Gb/s */
#define CAP_SCLO    BIT_(24)
#define CAP_SSS     BIT_(27)
#define CAP_SNCQ    BIT_(30)
#define CAP_S64A    BIT_(31)
#define CAP2_BOH    BIT_(0)
#define GHC_HR      BIT_(0)
#define GHC_IE      BIT_(1)
#define GHC_AE      BIT_(31)
#define BOHC_BOS    BIT_(0)
#define BOHC_OOS    BIT_(1)
#define BOHC_BB     BIT_(4)
#define VS_1_2      0x00010200u /* CAP2 and BOHC exist from here on */
#define VSCAP_REMAP BIT_(0)
#define REMAP_CAP_N BITS(2, 0)

#define CMD_ST     BIT_(0)
#define CMD_SUD    BIT_(1)
#define CMD_POD    BIT_(2)
#define CMD_CLO    BIT_(3)
#define CMD_FRE    BIT_(4)
#define CMD_CCS    BITS(12, 8)
#define CMD_FR     BIT_(14)
#define CMD_CR     BIT_(15)
#define CMD_CPD    BIT_(20)
#define CMD_ALPE   BIT_(26)
#define CMD_ICC    BITS(31, 28)
#define ICC_ACTIVE 1u

#define TFD_ERR    BIT_(0)
#define TFD_DRQ    BIT_(3)
#define TFD_DF     BIT_(5)
#define TFD_BSY    BIT_(7)
#define TFD_STATUS BITS(7, 0)
#define TFD_ERROR  BITS(15, 8)
#define ERROR_AMNF 0x01u
#define ERROR_ABRT 0x04u
#define ERROR_IDNF 0x10u
#define ERROR_UNC  0x40u
#define ERROR_ICRC 0x80u

#define SSTS_DET BITS(3, 0)
#define SSTS_SPD BITS(7, 4)
enum { DET_NOTHING = 0, DET_NO_LINK = 1, DET_PRESENT = 3, DET_OFFLINE = 4 };
#define SCTL_DET BITS(3, 0)
#define SCTL_SPD BITS(7, 4)
#define SCTL_IPM BITS(11, 8)
#define IPM_NONE 3u /* neither partial nor slumber: they would show as latency */

#define PXIS_UFS  BIT_(4)
#define PXIS_PCS  BIT_(6)
#define PXIS_PRCS BIT_(22)
#define PXIS_OFS  BIT_(24)
#define PXIS_INFS BIT_(26)
#define PXIS_IFS  BIT_(27)
#define PXIS_HBDS BIT_(28)
#define PXIS_HBFS BIT_(29)
#define PXIS_TFES BIT_(30)
#define PXIS_LINK (PXIS_PCS | PXIS_PRCS)
/* The engine has stopped, or what it moves can no longer be trusted. */
#define PXIS_TROUBLE (PXIS_TFES | PXIS_HBFS | PXIS_HBDS | PXIS_IFS | PXIS_OFS | PXIS_UFS | PXIS_LINK)
/* Errors between adapter and drive rather than of the medium: worth another try. */
#define PXIS_TRANSPORT (PXIS_HBFS | PXIS_HBDS | PXIS_IFS | PXIS_OFS | PXIS_UFS)

/* Evidence of a bad cable, connector or backplane. */
#define SERR_LINK_EVIDENCE (BIT_(8) | BIT_(10) | BIT_(19) | BIT_(20) | BIT_(21) | BIT_(22) | BIT_(23))

/* Between two looks the link went away, or came up with somebody. */
#define SERR_PHY_CHANGED BIT_(16)
#define SERR_EXCHANGED   BIT_(26)

#define SIG_ATA        0x00000101u
#define SIG_NONE_YET   0xffffffffu
#define SIG_ATAPI      0xeb140101u
#define SIG_ENCLOSURE  0xc33c0101u
#define SIG_MULTIPLIER 0x96690101u
#define SIG_ZAC        0xabcd0101u

#endif
