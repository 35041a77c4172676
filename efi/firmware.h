#ifndef EFI_FIRMWARE_H
#define EFI_FIRMWARE_H
#include <efi.h>
#include <stdbool.h>
#include "bits.h"
#include "err.h"
#include "str.h"
#include "text.h"

/* The firmware's tables and the few calls on them that several files need.  libefi is not linked. */

extern EFI_SYSTEM_TABLE *firmware;
extern EFI_BOOT_SERVICES *boot;
extern EFI_HANDLE image_handle;

extern EFI_GUID guid_pci_io, guid_loaded_image, guid_device_path, guid_block_io, guid_file_system,
    guid_file_info, guid_serial_io, guid_text_out, guid_rng, guid_smbios, guid_smbios3, guid_acpi20,
    guid_acpi10;

/* Call first. */
void firmware_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

/* The protocol on that handle, or NULL. */
void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol);
/* All handles with that protocol in a pool buffer (free with boot->FreePool), NULL when there are none. */
EFI_HANDLE *firmware_handles(EFI_GUID *protocol, UINTN *count);
/* A table of the system table's list of configuration tables, or NULL. */
void *firmware_table(const EFI_GUID *which);

/* ---- device paths ---- */
EFI_DEVICE_PATH_PROTOCOL *device_path_of(EFI_HANDLE handle); /* NULL when it has none */
size_t device_path_len(const EFI_DEVICE_PATH_PROTOCOL *p);   /* bytes without the end node; 0 for NULL */
bool device_path_is_prefix(const EFI_DEVICE_PATH_PROTOCOL *prefix, const EFI_DEVICE_PATH_PROTOCOL *of);
bool device_path_has_node(const EFI_DEVICE_PATH_PROTOCOL *p, uint8_t type, uint8_t sub_type);
/* Bytes before the first hard-drive (partition) node, or the whole length. */
size_t device_path_disk_len(const EFI_DEVICE_PATH_PROTOCOL *p);
/* The common nodes in the usual words: "PciRoot(0x0)/Pci(0x3,0x0)/USB(0x0,0x0)/HD(1)". */
void device_path_text(const EFI_DEVICE_PATH_PROTOCOL *p, struct text *out);

/* ASCII from UCS-2 (others become '?'), and back; always terminated. */
void text_from_ucs2(char *dst, size_t cap, const CHAR16 *src);
void ucs2_from_text(CHAR16 *dst, size_t cap, const char *src);

/* Lets firmware start its drivers below a handle (recursively). */
void firmware_connect(EFI_HANDLE handle);
/* True when a firmware driver manages the handle's PCI function. */
bool firmware_drives(EFI_HANDLE handle);
/* Takes the firmware's drivers off a handle.  Child handles and their protocols die. */
int firmware_disconnect(EFI_HANDLE handle);

#endif
