#ifndef MFI_REGS_H
#define MFI_REGS_H
#include "bits.h"

/* Register offsets in the first memory BAR (facts/mfi.md 2.2).  Which of them a card uses is its
 * generation's row in mfi_generation.c. */
#define MFI_REGS(R)                                                                                          \
    R(DB, 0x00, "doorbell of skinny and fusion cards")                                                       \
    R(WSEQ, 0x04, "write sequence: keys that open host diagnostics, of skinny and fusion cards")             \
    R(HDIAG, 0x08, "host diagnostics, of skinny and fusion cards")                                           \
    R(OMSG0, 0x18, "outbound message 0: firmware status of the IOP333")                                      \
    R(IDB, 0x20, "inbound doorbell")                                                                         \
    R(OMSK, 0x34, "outbound interrupt mask, 1 = masked")                                                     \
    R(IQP, 0x40, "inbound queue port: the address of a frame")                                               \
    R(RPHI, 0x6c, "reply post host index: how far we have read the reply ring")                              \
    R(OSP0, 0xb0, "outbound scratch pad 0: firmware status")                                                 \
    R(OSP1, 0xb4, "outbound scratch pad 1: what a fusion card can do")                                       \
    R(OSP2, 0xb8, "outbound scratch pad 2: how many commands it takes")                                      \
    R(IQPL, 0xc0, "inbound queue, low half of an address or a request descriptor")                           \
    R(IQPH, 0xc4, "inbound queue, high half")                                                                \
    R(ATOMIC, 0xc8, "request descriptor of one dword")                                                       \
    R(HDIAG_2108, 0xf8, "host diagnostics of the 2108")                                                      \
    R(WSEQ_2108, 0xfc, "write sequence of the 2108")

enum {
#define R(name, off, what) MFI_##name = (off),
    MFI_REGS(R)
#undef R
        MFI_REGS_LEN_BYTES = 0x100
};
#define R(name, off, what) _Static_assert((off) % 4 == 0, "MFI " #name " is misaligned");
MFI_REGS(R)
#undef R

/* Firmware status word (2.4, 2.5).  The limits are valid in READY and OPERATIONAL. */
#define FW_STATE        BITS(31, 28)
#define FW_MAX_COMMANDS BITS(15, 0)
#define FW_MAX_SGE      BITS(23, 16)
#define FW_IEEE_SGL     BIT_(26) /* MFI generations: 16-byte scatter entries known, and 128 KiB per command */

enum mfi_state {
    FW_UNDEFINED = 0x0,
    FW_BOOT_BLOCK = 0x1,
    FW_INIT = 0x4,
    FW_HANDSHAKE = 0x6,
    FW_INIT_2 = 0x7,
    FW_DEVICE_SCAN = 0x8,
    FW_BOOT_MESSAGE = 0x9,
    FW_FLUSH_CACHE = 0xa,
    FW_READY = 0xb,
    FW_OPERATIONAL = 0xc,
    FW_FAULT = 0xf
};

/* In FAULT. */
#define FAULT_CODE         BITS(27, 16)
#define FAULT_SUBCODE      BITS(15, 8)
#define FAULT_MAY_BE_RESET BIT_(1) /* fusion */

/* Scratch pads of fusion cards (6.3). */
#define OSP1_CHAIN_UNITS BITS(9, 5)
#define OSP1_UNITS_512   BIT_(22) /* of 512 bytes, else of 128 */
#define OSP1_ATOMIC      BIT_(24) /* Aero, after INIT: takes descriptors at ATOMIC */
#define OSP2_COMMANDS    BITS(15, 0)

/* Doorbell. */
#define IDB_ABORT           BIT_(0)
#define IDB_READY           BIT_(1)
#define IDB_MFI_MODE        BIT_(2)
#define IDB_CLEAR_HANDSHAKE BIT_(3)
#define IDB_HOTPLUG         BIT_(4)
#define IDB_RESET           BIT_(6) /* IOP333 and 1078 */
#define DB_BUSY             BIT_(0) /* as read on fusion cards: the last word was not yet taken */
#define HDIAG_RESET         BIT_(2)
#define HDIAG_OPEN          BIT_(7)
#define IDB_TO_READY        ((uint32_t)(IDB_ABORT | IDB_READY | IDB_MFI_MODE))
#define IDB_HANDSHAKE       ((uint32_t)(IDB_CLEAR_HANDSHAKE | IDB_HOTPLUG))

#endif
