#ifndef CHECKS_ACPI_H
#define CHECKS_ACPI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tables of ACPI, as far as the checks need them; SRAT and SLIT: numa.h.  Every length is checked; a table
 * that cannot be followed to its end gives the careful answer. */

/* HEST: true when firmware handles PCI Express errors first, so that nobody else may clear them. */
bool hest_is_firmware_first(const void *table, size_t len);
/* MCFG: where the configuration space of that bus lies in memory; 0: not told. */
uint64_t mcfg_bus_address(const void *table, size_t len, uint16_t segment, uint8_t bus);

/* ---- for who reads tables ---- */
/* The table's own length, no longer than what is there; 0: no table. */
size_t acpi_table_len(const void *table, size_t len);
uint32_t acpi_u32(const uint8_t *p);
uint64_t acpi_u64(const uint8_t *p);

#endif
