#ifndef EFI_BOARD_H
#define EFI_BOARD_H
#include "medium.h"
#include "responders.h"
#include "smbios.h"

/* What firmware's tables say of the board, and the file that the stick keeps for it. */

/* SMBIOS, and the sum of the firmware's memory map. */
void board_describe(struct board_facts *out);
/* An ACPI table by its four letters, with its length; NULL when there is none. */
const void *board_acpi_table(const char *signature, size_t *len);

/* The newest line that an earlier run left for this board; false: none, or no medium. */
bool board_record_read(const struct medium *m, const char *uuid, struct responder_map *out);
/* Puts this run's line first.  Written in place once the file is there.  A medium that refuses is said
 * nothing about: the journal's own checkpoints do. */
void board_record_write(struct medium *m, const char *uuid, const struct responder_map *now);

#endif
