#ifndef CHECKS_SMBIOS_H
#define CHECKS_SMBIOS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the board says of itself, from the SMBIOS structure table (types 1, 2, 3, 9, 16, 17, 38; offsets by
 * the SMBIOS specification, fact sheet pin-check 2.6).  The table is firmware's word: every length is
 * checked. */

enum { BOARD_MAX_SLOTS = 32 };
struct board_slot {
    char name[32];
    bool occupied, has_smbus;
    bool has_address;
    uint16_t segment;
    uint8_t bus, device; /* of the port's far end: what sits in the slot */
};
struct board_facts {
    bool told;                   /* there is a table */
    char maker[48], product[48]; /* type 2, else type 1 */
    char system_maker[48];       /* type 1: who sold it; the board may be of somebody else */
    uint8_t chassis;             /* type 3: 3 desktop, 9 laptop, 23 rack, ...; 0: not told */
    bool has_bmc;                /* type 38 */
    uint8_t bmc_smbus_address;   /* SSIF; 0: by another interface */
    struct board_slot slots[BOARD_MAX_SLOTS];
    unsigned slot_count;
    uint16_t sockets, modules; /* memory: type 17, and those with a size */
    uint64_t modules_mib;
    uint8_t memory_type; /* of the first module: 0x18 DDR3, 0x1a DDR4, 0x22 DDR5 */
    uint64_t map_mib;    /* what the firmware's memory map adds up to; 0: not told.  The caller fills it */
};
void smbios_read(const void *table, size_t len, struct board_facts *out);

bool board_is_laptop(const struct board_facts *b);
/* Its memory and its slots are likely to be on buses of a management controller. */
bool board_is_server(const struct board_facts *b);
/* The slot that holds the function at that bus; NULL: not told. */
const struct board_slot *board_slot_at(const struct board_facts *b, uint16_t segment, uint8_t bus);

#endif
