#ifndef CHECKS_ACPI_H
#define CHECKS_ACPI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Three tables of ACPI, as far as the checks need them.  Every length is checked; a table that cannot be
 * followed to its end gives the careful answer. */

/* HEST: true when firmware handles PCI Express errors first, so that nobody else may clear them. */
bool hest_is_firmware_first(const void *table, size_t len);
/* SRAT: how many memory nodes hold memory; 0: not told. */
unsigned srat_memory_nodes(const void *table, size_t len);
/* MCFG: where the configuration space of that bus lies in memory; 0: not told. */
uint64_t mcfg_bus_address(const void *table, size_t len, uint16_t segment, uint8_t bus);

#endif
